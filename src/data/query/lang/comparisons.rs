//! Parser of comparisons: `helpfulness>=3`, `tag in (x, y)`, `created>=2024-05`.

use std::collections::BTreeSet;
use std::ops::Range;

use super::parse::{Attempt, Expected, Operand, Parsed, Parser, QueryError, error};
use crate::model::{ResponseId, Verdict};
use crate::query::ast::{
    Aggregate, ColumnId, Comparison, Expr, Field, Number, NumberTest, WordTest,
};
use crate::query::texts;
use crate::query::words::{VOCABULARY, enumerated, split_prefix};
use crate::table::{ColumnSource, FieldForm, FieldSource, is_date};

/// An operator, as far as it is the same for numbers and words.
#[derive(Clone, Copy)]
enum Operator {
    In,
    /// `= none` (then true), `!= none`.
    Missing(bool),
    Compare(Comparison),
}

impl<'q> Parser<'q> {
    /// Parses the rest of a comparison if an operator follows the left side; otherwise the cursor
    /// may be anywhere.
    ///
    /// # Errors
    /// Only for errors after an operator, where nothing but a comparison can be meant.
    pub(super) fn attempt(&mut self, left: Parsed<Operand>) -> Parsed<Attempt> {
        let left = match left {
            Ok(left) => left,
            Err(error) => return Ok(Attempt::Other(error, None)),
        };
        let (start, end) = (left.span.start, self.at);
        let (name, words) = (&self.text[left.span.clone()], left.words());
        let Some((operator, sign)) = self.operator(&left)? else {
            self.at = end;
            let (span, message, number) = match words {
                Some(_) => (left.span, texts::word_as_number(name), None),
                None => (self.here(), texts::NO_OPERATOR.to_owned(), Some(left)),
            };
            return Ok(Attempt::Other(QueryError::new(span, message), number));
        };
        let read = match words {
            Some(of) => {
                let test = self.word_test(of, name, operator, sign)?;
                Expr::Word { of, test }
            }
            None => {
                let read = self.number_test(left.number, name, operator, sign)?;
                let numbers = read.numbers();
                let has = |view| numbers.iter().any(|number| number.has_view(view));
                if has(Aggregate::Any) && has(Aggregate::All) {
                    return error(start..self.at, texts::ANY_AND_BOTH);
                }
                self.check_end()?;
                read
            }
        };
        Ok(Attempt::Read(read))
    }

    /// Consumes the operator after `left`, with `none` if that follows. Returns its span.
    fn operator(&mut self, left: &Operand) -> Parsed<Option<(Operator, Range<usize>)>> {
        self.skip_blanks();
        let name = &self.text[left.span.clone()];
        if let Number::Field(of) = left.number {
            self.expect_sign(name, of);
        }
        let start = self.at;
        // `12:30` is a time, and `2 in (a or b)` are words to search for.
        let is_literal = matches!(left.number, Number::Literal(_));
        if self.is_at_list() || (!is_literal && self.is_at("in")) {
            self.at += "in".len();
            return Ok(Some((Operator::In, start..self.at)));
        }
        let words = left.words();
        let has_colon = !is_literal && self.eat(":");
        // Another operator directly after the colon is skipped before words only.
        let comparison = match has_colon && words.is_none() {
            true => None,
            false => self.comparison(),
        };
        let Some(comparison) = has_colon.then_some(Comparison::Equal).or(comparison) else {
            return Ok(None);
        };
        let sign = start..self.at;
        let takes_none = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if !takes_none && words.is_some_and(|of| !has_form(of, &FieldForm::Date)) {
            return error(sign, texts::operators_of_words(name));
        }
        self.skip_blanks();
        self.expect_value(&left.number, Some(takes_none));
        let value = self.at;
        let operator = match self.eat_none() {
            false => Operator::Compare(comparison),
            true if takes_none => Operator::Missing(comparison == Comparison::Equal),
            true => return error(value..self.at, texts::none_takes(&self.text[sign])),
        };
        Ok(Some((operator, sign)))
    }

    /// Parses the right side of a comparison of numbers.
    fn number_test(
        &mut self,
        of: Number,
        name: &str,
        operator: Operator,
        sign: Range<usize>,
    ) -> Parsed<Expr> {
        let test = match operator {
            Operator::In => NumberTest::Among(self.list(&of, Self::element)?),
            Operator::Missing(missing) => NumberTest::Missing(missing),
            Operator::Compare(comparison) => {
                // As arithmetic, `2024-05-01` would be 2018; `2024-05` may be meant so.
                let day = self.word().split("..").next();
                if day.is_some_and(|day| day.len() > 7 && is_date(day)) {
                    return error(self.here_word(), texts::DATE_AS_NUMBER);
                }
                let start = self.at;
                match (self.range()?, comparison) {
                    (None, _) => {
                        let right = self.right(name, comparison)?;
                        return Ok(Expr::compare(of, comparison, right));
                    }
                    (Some((Some(low), Some(high))), Comparison::Equal) if low > high => {
                        return error(start..self.at, texts::REVERSED_RANGE);
                    }
                    (Some((low, high)), Comparison::Equal) => NumberTest::Within(low, high),
                    _ => return error(start..self.at, texts::range_takes(&self.text[sign])),
                }
            }
        };
        Ok(Expr::Number { of, test })
    }

    fn expect_value(&mut self, left: &Number, takes_none: Option<bool>) {
        if let Number::Field(of) = *left {
            self.expect(Expected::Value { of, takes_none });
        }
    }

    /// Parses the number after an operator. An error says whether it is not a number at all, or an
    /// invalid one.
    fn right(&mut self, left: &str, comparison: Comparison) -> Parsed<Number> {
        let expected = match comparison {
            Comparison::Equal | Comparison::NotEqual => texts::NO_NUMBER_FIELD_OR_NONE,
            _ => texts::NO_NUMBER_OR_FIELD,
        };
        let (name, word) = (self.name(), self.word());
        let field = split_prefix(name).1;
        match self.peek() {
            None => return self.fail(expected),
            Some('-' | '(') => {}
            _ if self.is_at_number() || self.is_at_function() => {}
            _ if name.is_empty() => return self.fail(texts::not_numeric(expected, left)),
            _ if self.catalog.find(field).is_none()
                && self.catalog.suggest_field(field, false).is_none()
                && self.catalog.nearest_name(field, false).is_none() =>
            {
                let message = texts::other_than_number(expected, left, word);
                return error(self.span(word), message);
            }
            _ => {}
        }
        self.sum(false, 0).map(|right| right.number)
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
    fn list<T>(&mut self, left: &Number, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.skip_blanks();
        if !self.eat("(") {
            return self.fail(texts::NO_START_OF_LIST);
        }
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            self.expect_value(left, None);
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

    /// Parses a number of a list.
    fn element(&mut self) -> Parsed<f64> {
        let start = self.at;
        let value = self.literal()?;
        let (before, spelled) = self.text[..self.at].split_at(start);
        if before.ends_with(',') && spelled.len() == 3 && spelled.starts_with('0') {
            return error(start..self.at, texts::COMMA_IN_LIST);
        }
        Ok(value)
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
        let mut ahead = self.cursor;
        if ahead.eat(",") && ahead.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            error(self.here_word(), self.without_commas())
        } else if self.is_at_word_end() {
            Ok(())
        } else {
            error(self.here_word(), texts::NO_SPACE)
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

    /// Parses the right side of a comparison of words.
    fn word_test(
        &mut self,
        of: Field,
        name: &str,
        operator: Operator,
        sign: Range<usize>,
    ) -> Parsed<WordTest> {
        // `acc=1` means true.
        let meant = |word: String| match has_form(of, &FieldForm::Flag) {
            true => FieldForm::Flag.word(&word).to_owned(),
            false => word,
        };
        let comparison = match operator {
            Operator::In => {
                let left = Number::Field(of);
                let words = self.list(&left, |parser| parser.value(name, of, true))?;
                return Ok(WordTest::Is(words.into_iter().map(meant).collect()));
            }
            Operator::Missing(missing) => return Ok(WordTest::Missing(missing)),
            Operator::Compare(comparison) => comparison,
        };
        let word = self.value(name, of, false)?;
        let span = sign.start..self.at;
        let has_colon = self.text[sign].starts_with(':');
        let is_of_dates = has_form(of, &FieldForm::Date);
        let test = match comparison {
            _ if has_colon && self.catalog.fixed_words(of.column).is_none() => {
                WordTest::Contains(word)
            }
            _ if is_of_dates && !has_colon => WordTest::Compare(comparison, word),
            Comparison::NotEqual => WordTest::IsNot(meant(word)),
            _ => WordTest::Is(vec![meant(word)]),
        };
        match &test {
            WordTest::Contains(word) if word.is_empty() => error(span, texts::EMPTY_WORD),
            WordTest::Contains(word) if is_of_dates && word.contains("..") => {
                error(span, texts::range_of_dates(name))
            }
            WordTest::Compare(_, word) if !begins_date(word) => error(span, texts::DATE_FORMS),
            _ => Ok(test),
        }
    }

    /// Parses the test for a text that a number field of the data has instead of a number:
    /// `latency=unknown`.
    pub(super) fn text_among_numbers(&mut self, name: &str) -> Option<Expr> {
        let (view, plain) = split_prefix(name);
        let column = self.catalog.find(plain).filter(|it| it.kind.is_number())?;
        let source = FieldSource {
            form: FieldForm::Word,
            ..column.source.field()?.clone()
        };
        let column = ColumnId::of(ColumnSource::Field(Box::new(source)), column.name);
        let of = Number::Field(Field { view, column });
        let start = self.at;
        self.at += name.len();
        match self.attempt(Ok(Operand::new(of, start..self.at, 1))).ok()? {
            Attempt::Read(Expr::Word { of, test })
                if matches!(test, WordTest::Is(_) | WordTest::IsNot(_))
                    && !view.is_made_of_numbers() =>
            {
                Some(Expr::Word { of, test })
            }
            _ => None,
        }
    }

    /// Parses a word, bare or in quotes, that the field can have; in lists it ends before a comma.
    fn value(&mut self, name: &str, of: Field, in_list: bool) -> Parsed<String> {
        let fixed = self.catalog.fixed_words(of.column).into_iter().flatten();
        let fixed: Vec<_> = fixed.map(|(word, _)| word).collect();
        let start = self.at;
        let word = if self.peek() == Some('"') {
            self.quoted()?
        } else {
            let word = match in_list {
                true => self.word().split(',').next().unwrap_or_default(),
                false if fixed.is_empty() => self.word(),
                false => self.plain_word(),
            };
            self.at += word.len();
            word.to_owned()
        };
        let span = start..self.at;
        if span.is_empty() {
            let words = match fixed.is_empty() {
                true => String::new(),
                false => format!(": {}", enumerated(&fixed)),
            };
            return self.fail(texts::no_value(name, words));
        }
        if in_list && self.text[span.clone()] == *"none" {
            return error(span, texts::none_in_list(name));
        }
        if fixed.is_empty() {
            return Ok(word);
        }
        let lower = word.to_lowercase();
        let meant = VOCABULARY.values.get(&lower).unwrap_or(&lower);
        if let Some(own) = fixed.iter().find(|own| *own == meant) {
            return Ok((*own).to_owned());
        }
        // A verdict can name several responses, in any order, and by number: `d+r1` is `a+d`.
        let responses = if fixed.contains(&Verdict::TIE) {
            self.catalog.responses().max(2)
        } else {
            0
        };
        let of_word = |word| ResponseId::of_word(word).filter(|id| id.index() < responses);
        let several: Option<BTreeSet<_>> = lower.split('+').map(of_word).collect();
        match several {
            Some(several) => {
                let words: Vec<_> = several.into_iter().map(ResponseId::word).collect();
                Ok(words.join("+"))
            }
            None => error(span, texts::unknown_value(name, word, enumerated(&fixed))),
        }
    }
}

fn has_form(of: Field, form: &FieldForm) -> bool {
    of.column
        .source
        .field()
        .is_some_and(|field| field.form == *form)
}

/// True if a word is a date or a year.
fn begins_date(word: &str) -> bool {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_year || is_date(word)
}
