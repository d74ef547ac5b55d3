//! A field for each outcome ([`VerdictRule::ByField`](super::VerdictRule::ByField)).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::StatedVerdict;
use crate::model::{ResponseId, Verdict};
use crate::schema::row::values::{invalid_value, number, plain, says_nothing};
use crate::schema::{CapturedRow, guess, same_text};
use crate::table::Path;

/// Paths of the fields of each outcome. TOML names responses by letter.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "BTreeMap<String, Path>", into = "BTreeMap<String, Path>")]
pub struct OutcomePaths {
    /// One for each response, for its win; at least two.
    pub responses: Vec<Path>,
    /// The field for a tie.
    pub tie: Option<Path>,
}

impl TryFrom<BTreeMap<String, Path>> for OutcomePaths {
    type Error = &'static str;

    fn try_from(mut paths: BTreeMap<String, Path>) -> Result<Self, &'static str> {
        let tie = paths.remove("tie");
        let letters = ('a'..='z').map(String::from);
        let are_letters = paths.keys().cloned().eq(letters.take(paths.len()));
        if !are_letters || paths.len() < 2 {
            return Err("its keys must be a, b and so on, one for each response, and tie");
        }
        let responses = paths.into_values().collect();
        Ok(Self { responses, tie })
    }
}

impl From<OutcomePaths> for BTreeMap<String, Path> {
    fn from(of: OutcomePaths) -> Self {
        let letters = ('a'..='z').map(String::from);
        let tie = of.tie.map(|path| ("tie".to_owned(), path));
        letters.zip(of.responses).chain(tie).collect()
    }
}

impl OutcomePaths {
    pub(super) fn explained(&self, path: Option<&Path>) -> String {
        let letter = |place| ResponseId::new(place).map_or("", ResponseId::letter);
        let paths = self.responses.iter().enumerate();
        let paths = paths.map(|(place, path)| format!("{path} for {}", letter(place)));
        let tie = self.tie.iter().filter(|_| path.is_none());
        let tie = tie.map(|tie| format!("{tie} for a tie"));
        let paths = paths.chain(tie).collect::<Vec<_>>().join(", ");
        match path {
            Some(path) => format!("The value at {path} equals the winner's: {paths}."),
            None => format!("The winner's field is true: {paths}."),
        }
    }
}

impl CapturedRow<'_, '_> {
    /// Finds the field that is true, or that has the same text as the winner's name at `path`.
    pub(super) fn by_field(
        &self,
        path: Option<&Path>,
        fields: &OutcomePaths,
    ) -> Result<Option<StatedVerdict>, String> {
        let first = usize::from(path.is_some());
        let shown = path.unwrap_or(&fields.responses[0]);
        let is_true = |value: &str| number(value) == Some(1.0);
        let is_tie = self
            .verdict_value(first + fields.responses.len())
            .is_some_and(is_true);
        let value = self.verdict_value(0);
        let is_named = path.is_some();
        let says_tie = |value: &str| {
            let is_lenient = self.schema.definition().lenient;
            is_lenient && guess::says_tie(&plain(value).0)
        };
        if is_named && (is_tie || value.is_none_or(|value| says_nothing(value) || says_tie(value)))
        {
            let is_tie = is_tie || value.is_some_and(says_tie);
            return Ok(is_tie.then_some((Verdict::Tie, None)));
        }
        let value = value.unwrap_or("null");
        let wins = |place: &usize| {
            let field = self.verdict_value(first + place);
            field.is_some_and(|field| {
                if is_named {
                    same_text(field, value)
                } else {
                    is_true(field)
                }
            })
        };
        let wins: Vec<_> = (0..fields.responses.len()).filter(wins).collect();
        let verdict = match (wins.as_slice(), is_tie) {
            ([winner], false) => match self.response_of_table(*winner) {
                Some(response) => Verdict::wins(response),
                None => return Ok(None),
            },
            ([], true) => Verdict::Tie,
            ([], false) if !is_named => return Ok(None),
            (wins, _) => {
                let why = match (is_named, wins) {
                    (false, _) => "but another of its fields is also true",
                    (true, []) => "not the name of a response",
                    (true, _) => "the name of several responses",
                };
                return Err(invalid_value(&shown.to_string(), value, why));
            }
        };
        Ok(Some((verdict, None)))
    }
}
