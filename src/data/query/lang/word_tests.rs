//! Parser of tests of words: `topic=x`, `tag in (x, y)`, `created>=2024-05`.

use std::collections::BTreeSet;

use super::parse::{Expected, Parsed, Parser, error};
use crate::model::{ResponseId, Verdict};
use crate::query::ast::{ColumnId, Comparison, Expr, Field, WordTest};
use crate::query::texts;
use crate::query::words::{VOCABULARY, enumerated, split_prefix};
use crate::table::{ColumnSource, FieldForm, FieldSource, is_date};

impl Parser<'_> {
    /// Parses the test of a field of words; `None` without an operator.
    pub(super) fn word_test(&mut self, name: &str, of: Field) -> Parsed<Option<WordTest>> {
        let form = of.column.source.field().map(|field| &field.form);
        let is_date = form == Some(&FieldForm::Date);
        // `acc=1` means true.
        let meant = |word: String| match form {
            Some(FieldForm::Flag) => FieldForm::Flag.word(&word).to_owned(),
            _ => word,
        };
        self.at += name.len();
        self.skip_blanks();
        self.expect_sign(name, of);
        let start = self.at;
        if self.eat_in() {
            let words = self
                .list(|parser| parser.value(name, of, None))?
                .into_iter()
                .map(meant)
                .collect();
            return Ok(Some(WordTest::Is(words)));
        }
        let has_colon = self.eat(":");
        let comparison = match self.comparison() {
            _ if has_colon => Comparison::Equal,
            Some(comparison) => comparison,
            None => return Ok(None),
        };
        let takes_none = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if !takes_none && !is_date {
            return error(start..self.at, texts::operators_of_words(name));
        }
        self.skip_blanks();
        self.expect(Expected::Value {
            of,
            takes_none: Some(takes_none),
        });
        if self.eat_none() {
            return if takes_none {
                Ok(Some(WordTest::Missing(comparison == Comparison::Equal)))
            } else {
                error(start..self.at, texts::NONE_TAKES)
            };
        }
        let word = self.value(name, of, Some(takes_none))?;
        let span = start..self.at;
        let test = match comparison {
            _ if has_colon && self.fixed_words(of.column).is_empty() => WordTest::Contains(word),
            comparison if is_date && !has_colon => WordTest::Compare(comparison, word),
            Comparison::NotEqual => WordTest::IsNot(meant(word)),
            _ => WordTest::Is(vec![meant(word)]),
        };
        match &test {
            WordTest::Contains(word) if word.is_empty() => error(span, texts::EMPTY_WORD),
            WordTest::Contains(word) if is_date && word.contains("..") => {
                error(span, texts::range_of_dates(name))
            }
            WordTest::Compare(_, word) if !begins_date(word) => error(span, texts::DATE_FORMS),
            _ => Ok(Some(test)),
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
        let of = Field { view, column };
        let test = self.word_test(name, of).ok()??;
        let is_equal = matches!(test, WordTest::Is(_) | WordTest::IsNot(_));
        (is_equal && !view.is_made_of_numbers()).then_some(Expr::Word { of, test })
    }

    /// Parses a word, bare or in quotes, that the field can have; in lists it ends before a comma.
    fn value(&mut self, name: &str, of: Field, takes_none: Option<bool>) -> Parsed<String> {
        self.expect(Expected::Value { of, takes_none });
        let fixed = &*self.fixed_words(of.column);
        let in_list = takes_none.is_none();
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
            let words = match fixed {
                [] => String::new(),
                fixed => format!(": {}", enumerated(fixed)),
            };
            return self.fail(texts::no_value(name, words));
        }
        if in_list && self.text[span.clone()] == *"none" {
            return error(span, texts::none_in_list(name));
        }
        if fixed.is_empty() || fixed.contains(&&*word) {
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
            None => error(span, texts::unknown_value(name, word, enumerated(fixed))),
        }
    }

    /// Returns the words that a field can have, if known; otherwise none.
    fn fixed_words(&self, of: ColumnId) -> Vec<&'static str> {
        self.catalog
            .fixed_words(of)
            .into_iter()
            .flatten()
            .map(|(word, _)| word)
            .collect()
    }
}

/// True if a word is a date or a year.
fn begins_date(word: &str) -> bool {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_year || is_date(word)
}
