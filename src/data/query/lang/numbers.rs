//! Parser of numbers and their tests: arithmetic, comparisons, ranges, lists.

use std::ops::Range;

use super::parse::{Attempt, Expected, Operand, Parsed, Parser, error};
use crate::query::ast::{Aggregate, Arithmetic, Comparison, Expr, Field, Number, NumberTest};
use crate::query::texts;
use crate::query::words::{VOCABULARY, ends_word, split_prefix};
use crate::table::is_date;

impl Parser<'_> {
    /// Parses a comparison if there is one; otherwise the cursor may be anywhere.
    ///
    /// # Errors
    /// Only for errors after an operator, where nothing but a comparison can be meant.
    pub(super) fn attempt(&mut self) -> Parsed<Attempt> {
        let start = self.at;
        let left = match self.sum(false, 0) {
            Ok(left) => left,
            Err(error) => return Ok(Attempt::NoNumber(error)),
        };
        let end = self.at;
        self.skip_blanks();
        if let Number::Field(of) = left.number {
            self.expect_sign(&self.text[left.span.clone()], of);
        }
        let sign = self.cursor;
        // `12:30` is a time, and `2 in (a or b)` are words to search for.
        let is_literal = matches!(left.number, Number::Literal(_));
        let comparison = if !is_literal && self.eat(":") {
            Some(Comparison::Equal)
        } else {
            self.comparison()
        };
        let read = if let Some(comparison) = comparison {
            self.compared(left, comparison, &sign.text[sign.at..self.at])?
        } else if self.is_at_list() || (!is_literal && self.is_at("in")) {
            self.at += "in".len();
            let test = NumberTest::Among(self.list(|parser| parser.element(&left.number))?);
            left.test(test)
        } else {
            self.at = end;
            return Ok(Attempt::NoSign(left));
        };
        self.check_views(&read, start..self.at)?;
        self.check_end()?;
        Ok(Attempt::Read(read))
    }

    /// Parses the right side: `none`, a range, or a number.
    fn compared(&mut self, left: Operand, comparison: Comparison, sign: &str) -> Parsed<Expr> {
        self.skip_blanks();
        let start = self.at;
        let takes_none = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        self.expect_value(&left.number, Some(takes_none));
        // As arithmetic, `2024-05-01` would be 2018; `2024-05` may be meant so.
        let day = self.word().split("..").next();
        if day.is_some_and(|day| day.len() > 7 && is_date(day)) {
            return error(self.here_word(), texts::DATE_AS_NUMBER);
        }
        if self.eat_none() {
            return if takes_none {
                Ok(left.test(NumberTest::Missing(comparison == Comparison::Equal)))
            } else {
                error(start..self.at, texts::none_takes(sign))
            };
        }
        let range = self.range()?;
        let span = start..self.at;
        match range {
            None => {
                let expected = if takes_none {
                    texts::NO_NUMBER_FIELD_OR_NONE
                } else {
                    texts::NO_NUMBER_OR_FIELD
                };
                let right = self.right(&left, expected)?;
                Ok(Expr::compare(left.number, comparison, right))
            }
            Some(_) if comparison != Comparison::Equal => error(span, texts::range_takes(sign)),
            Some((Some(low), Some(high))) if low > high => error(span, texts::REVERSED_RANGE),
            Some((low, high)) => Ok(left.test(NumberTest::Within(low, high))),
        }
    }

    fn expect_value(&mut self, left: &Number, takes_none: Option<bool>) {
        if let Number::Field(of) = *left {
            self.expect(Expected::Value { of, takes_none });
        }
    }

    /// Parses the number after an operator. An error says whether it is not a number at all, or an
    /// invalid one.
    fn right(&mut self, left: &Operand, expected: &str) -> Parsed<Number> {
        let left = &self.text[left.span.clone()];
        let (name, word) = (self.name(), self.word());
        let field = split_prefix(name).1;
        let is_near = || {
            self.catalog.find(field).is_some()
                || self.catalog.suggest_field(field, false).is_some()
                || self.catalog.nearest_name(field, false).is_some()
        };
        match self.peek() {
            None => self.fail(expected),
            Some('-' | '(') => self.sum(false, 0).map(|right| right.number),
            Some(_) if name.is_empty() && !self.is_at_number() => {
                self.fail(texts::not_numeric(expected, left))
            }
            Some(_) if !name.is_empty() && !self.is_at_function() && !is_near() => error(
                self.span(word),
                texts::other_than_number(expected, left, word),
            ),
            Some(_) => self.sum(false, 0).map(|right| right.number),
        }
    }

    /// Parses a range without blanks around `..`.
    fn range(&mut self) -> Parsed<Option<(Option<f64>, Option<f64>)>> {
        let start = self.at;
        let low = self.end_of_range()?;
        if !self.eat("..") {
            self.at = start;
            return Ok(None);
        }
        let high = self.end_of_range()?;
        if low.is_none() && high.is_none() {
            return self.fail(texts::NO_END_OF_RANGE);
        }
        Ok(Some((low, high)))
    }

    fn end_of_range(&mut self) -> Parsed<Option<f64>> {
        self.is_at_literal().then(|| self.literal()).transpose()
    }

    /// Parses `(x, y)` with at least one item.
    pub(super) fn list<T>(&mut self, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.skip_blanks();
        if !self.eat("(") {
            return self.fail(texts::NO_START_OF_LIST);
        }
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            items.push(item(self)?);
            self.skip_blanks();
            if self.eat(")") {
                return Ok(items);
            }
            if !self.eat(",") {
                return self.fail(texts::NO_END_OF_LIST);
            }
        }
    }

    /// Checks that a comparison ends here, without a unit, which would be searched for as text.
    fn check_end(&self) -> Parsed<()> {
        let mut after = self.cursor;
        after.skip_blanks();
        let (start, word) = (after.at, after.plain_word());
        let is_after_digit = self.text[..self.at].ends_with(|c: char| c.is_ascii_digit());
        if is_after_digit && VOCABULARY.units.contains(&word.to_lowercase()) {
            return error(after.span(word), texts::UNIT);
        }
        if after.comparison().is_some() {
            return error(start..after.at, texts::SECOND_OPERATOR);
        }
        match self.peek() {
            Some(sign) if !ends_word(sign) => {
                let is_digits = (self.peek_second())
                    .filter(|_| sign == ',')
                    .is_some_and(|digit| digit.is_ascii_digit());
                if self.is_at_joint() && !is_digits {
                    return Ok(());
                }
                let message = if is_digits {
                    self.without_commas()
                } else {
                    texts::NO_SPACE.to_owned()
                };
                error(self.here_word(), message)
            }
            _ => Ok(()),
        }
    }

    /// Suggests how to write a number with commas in it.
    fn without_commas(&self) -> String {
        let (before, word) = (&self.text[..self.at], self.word());
        let first = before.trim_end_matches(|sign: char| sign.is_ascii_digit());
        let mut groups = word.split(',').skip(1);
        let is_group = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
        if groups.all(is_group) {
            let number = format!("{}{word}", &before[first.len()..]).replace(',', "");
            texts::commas(number)
        } else {
            texts::DECIMAL_COMMA.to_owned()
        }
    }

    /// Parses a number of a list.
    fn element(&mut self, left: &Number) -> Parsed<f64> {
        self.expect_value(left, None);
        let start = self.at;
        let value = self.literal()?;
        let (before, spelled) = self.text[..self.at].split_at(start);
        if before.ends_with(',') && spelled.len() == 3 && spelled.starts_with('0') {
            return error(start..self.at, texts::COMMA_IN_LIST);
        }
        Ok(value)
    }

    fn check_views(&self, read: &Expr, span: Range<usize>) -> Parsed<()> {
        let numbers = read.numbers();
        let has = |view| numbers.iter().any(|number| number.has_view(view));
        if has(Aggregate::Any) && has(Aggregate::All) {
            error(span, texts::ANY_AND_BOTH)
        } else {
            Ok(())
        }
    }

    fn is_at_literal(&self) -> bool {
        let mut ahead = self.cursor;
        ahead.eat("-");
        ahead.is_at_number()
    }

    /// Parses a literal with its sign.
    fn literal(&mut self) -> Parsed<f64> {
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
        while let Some(operator) = self.operator(in_group, least) {
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
    fn operator(&mut self, in_group: bool, least: u8) -> Option<Arithmetic> {
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
        if self.is_at_literal() {
            let number = Number::Literal(self.literal()?);
            return Ok(Operand::new(number, start..self.at, 1));
        }
        let name = self.name();
        if self.is_at_function() {
            self.at += name.len();
            let inner = self.grouped()?;
            let depth = inner.depth + 1;
            let number = Number::Absolute(Box::new(inner.number));
            return Ok(Operand::new(number, start..self.at, depth));
        }
        if self.peek() == Some('(') {
            let inner = self.grouped()?;
            return Ok(Operand {
                span: start..self.at,
                is_group: true,
                ..inner
            });
        }
        if name.is_empty() {
            return self.fail(texts::NO_NUMBER_OR_FIELD);
        }
        let field = self.field(name)?;
        self.at += name.len();
        let number = Number::Field(field);
        Ok(Operand::new(number, start..self.at, 1))
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

    /// Resolves a field name.
    fn field(&self, name: &str) -> Parsed<Field> {
        let (view, field) = split_prefix(name);
        let end = self.at + name.len();
        let start = end - field.len();
        let known = self.catalog.find(field);
        self.check_response(view, self.at..start)?;
        let Some(column) = known else {
            return Err(self.unknown(self.at..end, false, ""));
        };
        if view != Aggregate::Same && !column.is_of_responses() {
            return error(self.at..start, texts::no_prefix(field));
        }
        if column.kind.is_number() {
            Ok(Field { view, column })
        } else {
            error(start..end, texts::word_as_number(field))
        }
    }
}
