//! What is asked of words: `topic=x`, `tag in (x, y)`, `created>=2024-05`.

use std::collections::BTreeSet;

use super::ast::{ColumnId, Comparison, WordTest};
use super::parse::{Parsed, Parser, error};
use super::synonyms::VALUES;
use super::words::enumerated;
use crate::model::{ResponseId, Verdict};
use crate::table::{FieldForm, is_date};

impl Parser<'_> {
    /// A field of words, which is next, and what is asked of it; `None` without a sign. It can have
    /// only the `fixed` words, where there are any.
    pub(super) fn word_test(&mut self, name: &str, of: ColumnId) -> Parsed<Option<WordTest>> {
        let fixed = &*self.fixed_words(of);
        let form = of.source.field().map(|field| &field.form);
        self.cursor.at += name.len();
        self.cursor.skip_blanks();
        let sign_start = self.cursor.at;
        let test = if self.cursor.eat(":") {
            self.equal_word(name, fixed, |word| {
                if fixed.is_empty() {
                    WordTest::Contains(word)
                } else {
                    WordTest::Is(vec![word])
                }
            })?
        } else if self.cursor.eat_word("in") {
            WordTest::Is(self.list(|parser| parser.value(name, fixed, true))?)
        } else {
            match self.cursor.comparison() {
                None => return Ok(None),
                Some(comparison) if form == Some(&FieldForm::Date) => {
                    match self
                        .equal_word(name, fixed, |word| WordTest::Compare(comparison, word))?
                    {
                        WordTest::Missing(_) if comparison == Comparison::NotEqual => {
                            WordTest::Missing(false)
                        }
                        WordTest::Missing(_) if comparison != Comparison::Equal => {
                            return error(sign_start..self.cursor.at, "none takes = or !=");
                        }
                        test => test,
                    }
                }
                Some(Comparison::Equal) => {
                    self.equal_word(name, fixed, |word| WordTest::Is(vec![word]))?
                }
                Some(Comparison::NotEqual) => {
                    match self.equal_word(name, fixed, WordTest::IsNot)? {
                        WordTest::Missing(_) => WordTest::Missing(false),
                        test => test,
                    }
                }
                Some(_) => {
                    let message = format!("{name} is a word: it takes = != : or in (…)");
                    return error(sign_start..self.cursor.at, message);
                }
            }
        };
        if let WordTest::Contains(word) = &test
            && word.is_empty()
        {
            return error(
                sign_start..self.cursor.at,
                "everything has an empty word in it",
            );
        }
        if form == Some(&FieldForm::Date) {
            let span = sign_start..self.cursor.at;
            match &test {
                WordTest::Contains(word) if word.contains("..") => {
                    let message =
                        format!("a range of dates is written {name}>=2024-02 {name}<2024-05");
                    return error(span, message);
                }
                WordTest::Compare(_, word) if !begins_date(word) => {
                    let message = "dates are compared as 2024, 2024-05 or 2024-05-31";
                    return error(span, message);
                }
                _ => {}
            }
        }
        let Some(FieldForm::Flag) = form else {
            return Ok(Some(test));
        };
        // `acc=1` asks for true.
        let word = |word: String| FieldForm::Flag.word(&word).to_owned();
        Ok(Some(match test {
            WordTest::Is(words) => WordTest::Is(words.into_iter().map(word).collect()),
            WordTest::IsNot(other) => WordTest::IsNot(word(other)),
            test => test,
        }))
    }

    fn equal_word(
        &mut self,
        name: &str,
        fixed: &[&'static str],
        test: impl Fn(String) -> WordTest,
    ) -> Parsed<WordTest> {
        self.cursor.skip_blanks();
        if self.cursor.eat_word("none") {
            return Ok(WordTest::Missing(true));
        }
        self.value(name, fixed, false).map(test)
    }

    /// A word, bare or in quotes; in lists it ends before a comma.
    fn value(&mut self, name: &str, fixed: &[&'static str], in_list: bool) -> Parsed<String> {
        let start = self.cursor.at;
        let word = if self.cursor.peek() == Some('"') {
            self.quoted()?
        } else {
            let word = self.cursor.word();
            let word = if in_list {
                word.split(',').next().unwrap_or_default()
            } else {
                word
            };
            self.cursor.at += word.len();
            word.to_owned()
        };
        let span = start..self.cursor.at;
        if span.is_empty() {
            let words = match fixed {
                [] => String::new(),
                fixed => format!(": {}", enumerated(fixed)),
            };
            return error(
                self.cursor.here(),
                format!("expected a word that {name} can be{words}"),
            );
        }
        if in_list && self.cursor.text[span.clone()] == *"none" {
            return error(
                span,
                format!("none cannot stand in a list: write {name}=none or …"),
            );
        }
        if fixed.is_empty() || fixed.contains(&&*word) {
            return Ok(word);
        }
        let lower = word.to_lowercase();
        let meant = VALUES.iter().find(|(other, _)| *other == lower);
        let meant = meant.map_or(&*lower, |(_, own)| own);
        if let Some(own) = fixed.iter().find(|own| **own == meant) {
            return Ok((*own).to_owned());
        }
        // A verdict can name several responses, in any order, and by number: `d+r1` is `a+d`.
        let responses = match fixed.contains(&Verdict::TIE) {
            true => self.catalog.responses().max(2),
            false => 0,
        };
        let of_word = |word| ResponseId::of_word(word).filter(|id| id.index() < responses);
        let several: Option<BTreeSet<_>> = lower.split('+').map(of_word).collect();
        match several {
            Some(several) => {
                let words: Vec<_> = several.into_iter().map(ResponseId::word).collect();
                Ok(words.join("+"))
            }
            None => error(span, format!("the {name} is {}", enumerated(fixed))),
        }
    }

    /// The words that a field can have, where they are known beforehand; none otherwise.
    fn fixed_words(&self, of: ColumnId) -> Vec<&'static str> {
        let fixed = self.catalog.fixed_words(of).into_iter().flatten();
        fixed.map(|(word, _)| word).collect()
    }
}

/// Whether a word is a date or a year.
fn begins_date(word: &str) -> bool {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_year || is_date(word)
}
