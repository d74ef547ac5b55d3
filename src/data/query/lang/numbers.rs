//! Parser of numbers: literals, fields, arithmetic.

use super::parse::{Expected, Operand, Parsed, Parser, error};
use crate::query::ast::{Arithmetic, ColumnId, Field, Number};
use crate::query::texts;
use crate::query::words::{aggregate_word, split_prefix};

impl Parser<'_> {
    pub(super) fn is_at_literal(&self) -> bool {
        let mut ahead = self.cursor;
        ahead.eat("-");
        ahead.is_at_number()
    }

    /// Parses a literal with its sign.
    pub(super) fn literal(&mut self) -> Parsed<f64> {
        if !self.is_at_literal() {
            return error(self.here_word(), texts::NO_NUMBER);
        }
        let start = self.at;
        self.eat("-");
        self.at += self.number().len();
        let span = start..self.at;
        match self.text[span.clone()].parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => error(span, texts::LARGE_NUMBER),
        }
    }

    /// Parses operators of at least rank `least`. In parentheses, where no term can begin, blanks
    /// around operators do not matter.
    pub(super) fn sum(&mut self, in_group: bool, least: u8) -> Parsed<Operand> {
        let mut left = self.signed()?;
        while let Some(operator) = self.arithmetic(in_group, least) {
            let right = self.sum(in_group, operator.rank() + 1)?;
            left = self.binary(operator, left, right)?;
        }
        Ok(left)
    }

    fn binary(&self, operator: Arithmetic, left: Operand, right: Operand) -> Parsed<Operand> {
        let span = left.span.start..right.span.end;
        let depth = left.depth.max(right.depth) + 1;
        self.check_depth(span.clone(), depth)?;
        let number = Number::Binary(operator, Box::new(left.number), Box::new(right.number));
        Ok(Operand::new(number, span, depth))
    }

    /// Consumes an operator of at least rank `least`. After a blank, `-x` and `/x` begin a new
    /// term.
    fn arithmetic(&mut self, in_group: bool, least: u8) -> Option<Arithmetic> {
        let mut cursor = self.cursor;
        let follows_space = cursor.skip_blanks();
        let sign = cursor.peek()?;
        let operator = Arithmetic::ALL
            .into_iter()
            .find(|it| it.sign() == sign && it.rank() >= least)?;
        cursor.at += sign.len_utf8();
        let is_before_blank = cursor.skip_blanks() || cursor.peek().is_none();
        if matches!(sign, '-' | '/') && follows_space && !is_before_blank && !in_group {
            return None;
        }
        self.cursor = cursor;
        Some(operator)
    }

    fn signed(&mut self) -> Parsed<Operand> {
        if self.peek() != Some('-') || self.is_at_literal() {
            return self.primary();
        }
        let start = self.at;
        self.at += 1;
        self.skip_blanks();
        let negated = self.deeper(start..start + 1, Self::signed)?;
        let depth = negated.depth + 1;
        let span = start..negated.span.end;
        let number = Number::Negative(Box::new(negated.number));
        Ok(Operand::new(number, span, depth))
    }

    /// Parses a literal, a field, `abs(x)`, or `(x)`.
    pub(super) fn primary(&mut self) -> Parsed<Operand> {
        let start = self.at;
        self.expect(Expected::Term);
        let name = self.name();
        let (is_function, is_group) = (self.is_at_function(), self.peek() == Some('('));
        let (number, depth) = if self.is_at_literal() {
            (Number::Literal(self.literal()?), 1)
        } else if is_function || is_group {
            self.at += name.len();
            let inner = self.grouped()?;
            match is_group {
                true => (inner.number, inner.depth),
                false => (Number::Absolute(Box::new(inner.number)), inner.depth + 1),
            }
        } else if name.is_empty() {
            return self.fail(texts::NO_NUMBER_OR_FIELD);
        } else {
            (Number::Field(self.field(name)?), 1)
        };
        let operand = Operand {
            is_group,
            ..Operand::new(number, start..self.at, depth)
        };
        match operand.words() {
            Some(_) => error(operand.span, texts::word_as_number(name)),
            None => Ok(operand),
        }
    }

    fn grouped(&mut self) -> Parsed<Operand> {
        let open = self.here();
        self.at += 1;
        self.skip_blanks();
        let inner = self.deeper(open, |parser| parser.sum(true, 0))?;
        self.skip_blanks();
        if !self.eat(")") {
            return self.fail(texts::NO_END_OF_SUM);
        }
        Ok(inner)
    }

    /// Parses a field name.
    pub(super) fn field(&mut self, name: &str) -> Parsed<Field> {
        let (view, field) = split_prefix(name);
        let (start, end) = (self.at, self.at + name.len());
        let prefix = start..end - field.len();
        let known = self.catalog.find(field);
        let is_of_responses = known.is_none_or(ColumnId::is_of_responses);
        self.check_prefix(view, prefix, is_of_responses, field)?;
        let Some(column) = known else {
            return Err(self.unknown(start..end, false, ""));
        };
        if view.is_made_of_numbers() && !column.kind.is_number() {
            return error(start..end, texts::numbers_only(field, aggregate_word(view)));
        }
        self.at = end;
        Ok(Field { view, column })
    }
}
