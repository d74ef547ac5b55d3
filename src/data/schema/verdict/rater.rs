//! Raters beside the verdict: further values of a row that say which response is better.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;

use super::{DecidingLabel, VerdictRule, VerdictSource};
use crate::schema::ByValue;
use crate::schema::guess::is_of_people;
use crate::schema::layout::definition::{BlindDisplay, Definition, FactPath, RowGrouping};
use crate::table::{Column, ColumnId, ColumnKind, ColumnSource, Reveals};
use crate::toml_file::TomlFault;

/// What a rater is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RaterKind {
    /// The dataset's own labels and verdicts.
    Dataset,
    /// A person who judges with this program.
    Reviewer,
    /// Other people: a field whose name says so.
    People,
    /// A field or a joined file with verdicts.
    Judge,
    /// Scores of the responses, such as those of a reward model.
    Score,
}

/// A rater of a schema, `[rater.NAME]`.
#[derive(Debug)]
pub struct SchemaRater {
    /// Its name.
    pub name: Arc<str>,
    /// What it is.
    pub kind: RaterKind,
    /// The column of its margins: of A for two responses, otherwise of the best over the second.
    pub margin: Column,
    /// Where its verdict is.
    pub values: RaterValues,
}

/// The columns that have a rater's verdict.
#[derive(Debug)]
pub enum RaterValues {
    /// The values of a label.
    Label(DecidingLabel),
    /// The words of a fact, and their meaning.
    Words(ColumnId, ByValue),
}

impl Definition {
    /// Adds the fields with words of raters to the facts, so that their values are kept.
    pub(in crate::schema) fn add_facts_of_raters(&mut self) {
        for (name, rater) in &self.raters {
            if let VerdictRule::ByValue(ByValue { path, .. }) = &rater.rule
                && self.facts.iter().all(|fact| fact.path != *path)
            {
                let is_taken = self.facts.iter().any(|fact| fact.name == *name);
                self.facts.push(FactPath {
                    name: if is_taken {
                        format!("rater {name}")
                    } else {
                        name.clone()
                    },
                    path: path.clone(),
                    about: String::new(),
                    blind: BlindDisplay::Hide,
                });
            }
        }
    }

    /// Returns a fault in the first rater that has one.
    pub(in crate::schema) fn impossible_rater(&self) -> Option<TomlFault> {
        self.raters.iter().find_map(|(name, rater)| {
            let known = |label: &String| self.labels.iter().any(|it| it.name == *label);
            let what = match &rater.rule {
                _ if self.rows != RowGrouping::Inline => "a rater needs rows = \"inline\"",
                VerdictRule::ByLabel { label, .. } if known(label) => return None,
                VerdictRule::ByLabel { .. } => "its label has no [[label]] table",
                VerdictRule::ByValue(rule) if rule.words.len() == self.responses.len() => {
                    return None;
                }
                VerdictRule::ByValue(_) => "its values need a list of words for each [[response]]",
                _ => "a rater has a label, or a path and the words `a` and `b` for its values",
            };
            Some(self.fault("rater", 0, &[name], what))
        })
    }

    /// Returns the raters, prepared for reading columns.
    pub(in crate::schema) fn prepared_raters(&self) -> Vec<SchemaRater> {
        let mut known = HashSet::new();
        let prepared = |(name, rater): (&String, &VerdictSource)| {
            let (values, kind) = match &rater.rule {
                VerdictRule::ByLabel { label, lower } => {
                    let place = self.labels.iter().position(|it| it.name == *label)?;
                    let sign = if *lower { -1.0 } else { 1.0 };
                    let of_label = RaterValues::Label(DecidingLabel { place, sign });
                    (of_label, RaterKind::Score)
                }
                VerdictRule::ByValue(rule) => {
                    let fact = self.facts.iter().find(|fact| fact.path == rule.path)?;
                    let words = ColumnId::of(ColumnSource::Fact, &fact.name);
                    let kind = match is_of_people(name) {
                        true => RaterKind::People,
                        false => RaterKind::Judge,
                    };
                    (RaterValues::Words(words, rule.clone()), kind)
                }
                _ => return None,
            };
            // Different names can make the same word.
            let mut word = one_word(name);
            while !known.insert(word.clone()) {
                word.push('_');
            }
            let margin = Column {
                id: ColumnId::of(ColumnSource::Rater, &format!("{word}.margin")),
                kind: ColumnKind::Score,
                range: None,
                about: if self.responses.len() == 2 {
                    format!("margin of A according to {name} (negative: B wins)")
                } else {
                    format!("margin of the best response over the second according to {name}")
                },
                reveals: Reveals::Label,
            };
            Some(SchemaRater {
                name: name.as_str().into(),
                kind,
                margin,
                values,
            })
        };
        self.raters.iter().filter_map(prepared).collect()
    }
}

/// Turns a name into a word that queries accept: letters, digits and `_`.
pub fn one_word(name: &str) -> String {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let word: String = (name.chars())
        .map(|sign| if is_sign(sign) { sign } else { '_' })
        .collect();
    match word.chars().next() {
        Some(first) if !first.is_ascii_digit() => word,
        _ => format!("_{word}"),
    }
}
