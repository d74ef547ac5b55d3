//! A word names the winner ([`VerdictRule::ByValue`](super::VerdictRule::ByValue)).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::StatedVerdict;
use crate::model::{ResponseId, Verdict};
use crate::schema::CapturedRow;
use crate::schema::guess::{NamedVerdict, ResponseNames};
use crate::schema::row::values::{invalid_value, plain, says_nothing};
use crate::table::Path;

/// A value out of fixed lists names the winner.
#[derive(Debug, Clone, PartialEq)]
pub struct ByValue {
    /// Path of the value.
    pub path: Path,
    /// For each response, the JSON values (as text) that mean that it wins.
    pub words: Vec<Vec<String>>,
    /// The JSON values (as text) that mean a tie, so that others are unknown. If absent, every
    /// other value means a tie.
    pub tie: Option<Vec<String>>,
    /// A's margin for each value; empty if values do not state margins.
    pub margins: BTreeMap<String, f64>,
    /// How other values are read; absent if the lists are complete.
    pub names: Option<Arc<ResponseNames>>,
}

impl ByValue {
    /// Returns the verdict of a word; `None` if it is unknown.
    pub(in crate::schema) fn verdict_of(&self, word: &str) -> Option<NamedVerdict> {
        let has = |words: &Vec<String>| words.iter().any(|known| known == word);
        let listed = self.words.iter().position(has).map(NamedVerdict::Wins);
        listed
            .or_else(|| {
                self.tie
                    .as_ref()
                    .filter(|tie| has(tie))
                    .map(|_| NamedVerdict::Tie)
            })
            .or_else(|| self.names.as_ref()?.verdict_of(word))
            .or(self.tie.is_none().then_some(NamedVerdict::Tie))
    }

    /// Creates a rule from values with A's margins: negative if B wins, 0 for a tie.
    pub(in crate::schema) fn of_margins(path: Path, margins: BTreeMap<String, f64>) -> Self {
        let of = |verdict: Verdict| {
            let is_of = |(_, margin): &(&String, &f64)| Verdict::of_margin(**margin) == verdict;
            margins
                .iter()
                .filter(is_of)
                .map(|(word, _)| word.clone())
                .collect()
        };
        let wins = |response| of(Verdict::wins(response));
        Self {
            path,
            words: vec![wins(ResponseId::A), wins(ResponseId::B)],
            tie: Some(of(Verdict::Tie)),
            margins,
            names: None,
        }
    }

    /// Returns the verdict of a decoded word; `None` if it is unknown or says nothing.
    pub fn wins(&self, word: &str) -> Option<Verdict> {
        if word.trim().is_empty() {
            return None;
        }
        Some(match self.verdict_of(word)? {
            NamedVerdict::Wins(place) => Verdict::wins(ResponseId::new(place)?),
            NamedVerdict::Tie => Verdict::Tie,
        })
    }

    /// True if a value, as spelled, is one of the words.
    pub(super) fn knows(&self, value: &str) -> bool {
        let word = plain(value).0;
        let mut known = self.words.iter().chain(&self.tie).flatten();
        let mut names = self.names.iter();
        known.any(|known| *known == word) || names.any(|it| it.verdict_of(&word).is_some())
    }

    pub(super) fn explained(&self) -> String {
        let letter = |place| ResponseId::new(place).map_or("", ResponseId::letter);
        let of_each = self.words.iter().enumerate().map(|(place, words)| {
            format!("{} means that {} wins", words.join(", "), letter(place))
        });
        let tie = self.tie.iter().filter(|tie| !tie.is_empty());
        let tie = tie.map(|tie| format!("{} mean a tie; ", tie.join(", ")));
        format!(
            "The value at {}: {}; {}anything else is unknown.",
            self.path,
            of_each.collect::<Vec<_>>().join(", "),
            tie.collect::<String>(),
        )
    }

    pub(super) fn read(&self, row: &CapturedRow<'_, '_>) -> Result<Option<StatedVerdict>, String> {
        let Some(value) = row.verdict_value(0) else {
            return Ok(None);
        };
        let word = plain(value).0;
        let verdict = match self.verdict_of(&word) {
            Some(NamedVerdict::Wins(place)) => match row.response_of_table(place) {
                Some(response) => Verdict::wins(response),
                None => return Ok(None),
            },
            Some(NamedVerdict::Tie) => Verdict::Tie,
            // Rules by names accept placeholders such as "n/a"; word lists are exhaustive.
            None if self.names.is_some() && says_nothing(value) => return Ok(None),
            None => {
                return Err(invalid_value(
                    &self.path.to_string(),
                    value,
                    "not the name of a winner",
                ));
            }
        };
        let margin = self.margins.get(&*word).map(|margin| margin + 0.0);
        Ok(Some((verdict, margin)))
    }
}
