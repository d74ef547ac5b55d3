//! Who wins a sample: the rules, each with its keys, paths, reading and explanation.
//!
//! A rule is a variant, its arms in this file, and its own file: [`sign`], [`value`], [`field`],
//! [`label`]. `sql/verdicts.rs` translates it.

mod field;
mod label;
mod rater;
mod sign;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::guess::ResponseNames;
use super::layout::definition::{Definition, REVERSED, is_reversed, letter, response};
use super::row::values::{number, plain};
use super::{CapturedRow, Path, Schema};
use crate::model::{Outcome, Response, ResponseId, ResponseSet, Verdict};
use crate::toml_file::TomlFault;

pub use field::OutcomePaths;
pub use label::DecidingLabel;
pub use rater::{RaterKind, RaterValues, SchemaRater, one_word};
pub use sign::{BySign, not_of_two};
pub use value::ByValue;

/// The verdict, and A's margin where the row states one.
type StatedVerdict = (Verdict, Option<f64>);

/// How the winner of a sample is determined, and what is known about the verdict.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "VerdictKeys", into = "VerdictKeys")]
pub struct VerdictSource {
    /// The rule that determines the winner.
    pub rule: VerdictRule,
    /// Words for how strongly a response wins, one to three, weakest first. If absent, reviewers do
    /// not state a strength.
    pub strengths: Option<Vec<String>>,
    /// Published agreement of the dataset's own annotators on the winner: a share, 0 to 1.
    pub agreement: Option<f64>,
}

impl From<VerdictRule> for VerdictSource {
    fn from(rule: VerdictRule) -> Self {
        Self {
            rule,
            strengths: None,
            agreement: None,
        }
    }
}

/// How a sample states its winner: the normal form shared by rows, SQL and explanations.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictRule {
    /// The response with the greater value of a label wins; the margin is the difference.
    ByLabel {
        /// The label's name.
        label: String,
        /// True if the lower value wins, as for ranks.
        lower: bool,
    },
    /// A signed number on the row: the sign names the winner, the size is the margin.
    BySign(BySign),
    /// A value on the row that names the winner and may state the margin.
    ByValue(ByValue),
    /// A field for each outcome. The winner's is true, or has the same value as `path`, such as a
    /// model name; the field for ties is true. If none is true, the row has no verdict.
    ByField {
        /// Path of the winner's name.
        path: Option<Path>,
        /// The fields of the outcomes.
        fields: OutcomePaths,
    },
    /// The position in the record decides (`chosen` before `rejected`).
    Fixed {
        /// The response that always wins: `a` is the first.
        always: ResponseId,
        /// The label whose difference (A minus B) is the margin.
        margin: Option<String>,
    },
    /// The majority of the votes wins ([`crate::model::majority`]).
    ByVotes,
}

impl VerdictRule {
    /// Returns the path of the value that names the winner.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::BySign(rule) => Some(&rule.path),
            Self::ByValue(rule) => Some(&rule.path),
            Self::ByField { path, .. } => path.as_ref(),
            Self::ByLabel { .. } | Self::Fixed { .. } | Self::ByVotes => None,
        }
    }

    /// True if rows state a margin other than by labels.
    pub fn reads_margins(&self) -> bool {
        match self {
            Self::BySign(_) => true,
            Self::ByValue(rule) => !rule.margins.is_empty(),
            _ => false,
        }
    }

    /// Returns all paths that it reads, in the order of the row's captured values.
    pub(in crate::schema) fn paths(&self) -> Vec<Path> {
        let mut rule = self.clone();
        rule.paths_mut()
            .into_iter()
            .map(|path| path.clone())
            .collect()
    }

    /// Mutable [`Self::paths`]: [`Self::path`], then the fields of A, B and a tie.
    pub(in crate::schema) fn paths_mut(&mut self) -> Vec<&mut Path> {
        match self {
            Self::BySign(rule) => vec![&mut rule.path],
            Self::ByValue(rule) => vec![&mut rule.path],
            Self::ByField { path, fields } => {
                let fields = fields.responses.iter_mut().chain(&mut fields.tie);
                path.iter_mut().chain(fields).collect()
            }
            Self::ByLabel { .. } | Self::Fixed { .. } | Self::ByVotes => Vec::new(),
        }
    }
}

impl Definition {
    /// Returns the rule that determines the winner, if it has one.
    pub fn rule(&self) -> Option<&VerdictRule> {
        self.verdict.as_ref().map(|verdict| &verdict.rule)
    }

    /// Explains in a sentence which response wins, and by which value, for readers who have not seen
    /// the layout before.
    pub fn explain_verdict(&self) -> String {
        match self.rule() {
            None => "No verdict.".to_owned(),
            Some(VerdictRule::ByLabel { label, lower }) => {
                let end = if *lower { "lowest" } else { "highest" };
                format!("The response with the {end} {label} wins.")
            }
            Some(VerdictRule::BySign(rule)) => {
                format!("The sign of the number at {} names the winner.", rule.path)
            }
            Some(VerdictRule::ByValue(rule)) => rule.explained(),
            Some(VerdictRule::ByField { path, fields }) => fields.explained(path.as_ref()),
            Some(VerdictRule::ByVotes) => "The response with the most votes wins.".to_owned(),
            Some(VerdictRule::Fixed { always, margin }) => {
                let margin = margin.iter();
                let margin = margin
                    .map(|label| format!("; the margin is in {label}"))
                    .collect::<String>();
                format!("{} always wins{margin}.", always.letter())
            }
        }
    }

    /// Returns a fault if the verdict does not fit the responses, or in its other values.
    pub fn impossible_verdict(&self) -> Option<TomlFault> {
        let VerdictSource {
            rule,
            strengths,
            agreement,
        } = self.verdict.as_ref()?;
        let at = |key, what: &str| Some(self.fault("verdict", 0, &[key], what));
        let count = self.responses.len();
        let named = match rule {
            VerdictRule::ByValue(rule) => rule.words.len(),
            VerdictRule::ByField { fields, .. } => fields.responses.len(),
            _ => count,
        };
        let are_words = |words: &Vec<String>| {
            (1..=3).contains(&words.len()) && words.iter().all(|word| !word.trim().is_empty())
        };
        match rule {
            VerdictRule::ByVotes if self.votes.is_empty() => at(
                "votes",
                "`votes = true` needs a [[vote]] with the path of the votes",
            ),
            _ if rule.reads_margins() && (count > 2 || self.has_response_lists()) => at(
                "path",
                "a signed number needs two responses; for more, use values that name the winner, or a label",
            ),
            _ if named != count => at(
                "path",
                &format!(
                    "the verdict names {named} responses, but there are {count} [[response]] tables"
                ),
            ),
            VerdictRule::BySign(rule) if rule.positive.index() > 1 => {
                at("positive", &not_of_two(rule.positive))
            }
            VerdictRule::Fixed { always, .. } if always.index() >= count.max(2) => at(
                "always",
                &format!("`{}` always wins, but does not exist", always.word()),
            ),
            _ if !agreement.is_none_or(|share| (0.0..=1.0).contains(&share)) => at(
                "agreement",
                "the agreement on the verdict is a share, from 0 to 1",
            ),
            _ if !strengths.as_ref().is_none_or(are_words) => at(
                "strengths",
                "strengths are one to three words, weakest first",
            ),
            VerdictRule::BySign(rule) if is_reversed(rule.range) => at("range", REVERSED),
            _ => None,
        }
    }
}

impl Schema {
    /// True if rows state verdicts other than by labels.
    pub fn states_verdicts(&self) -> bool {
        let rule = self.definition().rule();
        let is_voted = self.definition().is_row_by_annotator();
        self.responses() > 1
            && rule.is_some_and(|rule| is_voted || !matches!(rule, VerdictRule::ByLabel { .. }))
    }

    /// True if the verdict of a row has a margin, so that its vote has a strength.
    pub(in crate::schema) fn states_strengths(&self) -> bool {
        self.definition()
            .rule()
            .is_some_and(VerdictRule::reads_margins)
    }

    /// True if rows state margins.
    pub fn states_margins(&self) -> bool {
        let is_stated = self.states_verdicts() && !self.definition().is_row_by_annotator();
        let rule = self.definition().rule().filter(|_| is_stated);
        match rule {
            Some(VerdictRule::Fixed { margin, .. }) => margin.is_some(),
            rule => rule.is_some_and(VerdictRule::reads_margins),
        }
    }
}

impl CapturedRow<'_, '_> {
    /// True if the row states its verdict in a form that the schema's rule can read.
    pub(in crate::schema) fn states_winner(&self) -> bool {
        let is_there = |&slot: &usize| self.value(slot).is_some();
        match self.schema.definition().rule() {
            Some(VerdictRule::BySign(_)) => self.verdict_value(0).and_then(number).is_some(),
            Some(VerdictRule::ByValue(rule)) => {
                self.verdict_value(0).is_some_and(|value| rule.knows(value))
            }
            // With a rule by fields, any of them may be the true one.
            _ => self.schema.slots.verdict.iter().all(is_there),
        }
    }

    /// Returns a value that the verdict rule reads, by its index in the rule; `None` if it is
    /// missing or null.
    fn verdict_value(&self, place: usize) -> Option<&str> {
        let slot = *self.schema.slots.verdict.get(place)?;
        self.value(slot).filter(|value| *value != "null")
    }

    /// Returns the verdict stated by the row itself, with its numbers.
    pub(in crate::schema) fn own_outcome(&self, responses: &[Response<'_>]) -> Option<Outcome> {
        let rule = self.schema.definition().rule()?;
        if let VerdictRule::ByLabel { .. } = rule {
            return self.schema.outcome_by_label(responses);
        }
        let (verdict, margin) = self.stated()?;
        let word = plain(self.verdict_value(0).unwrap_or_default()).0;
        Some(Outcome {
            verdict,
            rated: ResponseSet::first(responses.len()),
            margin,
            native: rule.path().map(|path| format!("{path} {word}")),
        })
    }

    /// Returns the verdict that the row states, with A's margin if stated.
    pub(in crate::schema) fn stated(&self) -> Option<StatedVerdict> {
        if let Some(VerdictRule::ByVotes) = self.schema.definition().rule() {
            let verdict = self.read_votes(false).votes.majority(self.response_count());
            return verdict.map(|verdict| (verdict, None));
        }
        self.read_verdict().ok().flatten()
    }

    /// Decodes the stated verdict and its native margin. The error describes a value that names no
    /// winner.
    pub(in crate::schema) fn read_verdict(&self) -> Result<Option<StatedVerdict>, String> {
        let rule = self.schema.definition().rule();
        let Some(rule) = rule.filter(|_| self.response_count() > 1) else {
            return Ok(None);
        };
        match rule {
            VerdictRule::ByLabel { .. } | VerdictRule::ByVotes => Ok(None),
            VerdictRule::Fixed { always, margin } => {
                let margin = margin.as_ref().and_then(|label| self.difference(label));
                Ok(Some((Verdict::wins(*always), margin)))
            }
            VerdictRule::BySign(rule) => rule.read(self),
            VerdictRule::ByValue(rule) => rule.read(self),
            VerdictRule::ByField { path, fields } => self.by_field(path.as_ref(), fields),
        }
    }

    /// Returns the response of a `[[response]]` table by its index; `None` if the row lacks it.
    fn response_of_table(&self, table: usize) -> Option<ResponseId> {
        let place = self.responses().position(|slots| slots.table == table);
        ResponseId::new(place?)
    }
}

/// All keys of a verdict in a schema file; [`VerdictRule`] is their normal form.
#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct VerdictKeys {
    label: Option<String>,
    lower: Option<bool>,
    path: Option<Path>,
    #[serde(default, deserialize_with = "response", serialize_with = "letter")]
    positive: Option<ResponseId>,
    range: Option<[f64; 2]>,
    midpoint: Option<f64>,
    ties: Option<Vec<f64>>,
    a: Option<Vec<String>>,
    b: Option<Vec<String>>,
    words: Option<Vec<Vec<String>>>,
    tie: Option<Vec<String>>,
    others: Option<ResponseNames>,
    values: Option<BTreeMap<String, f64>>,
    one_hot: Option<OutcomePaths>,
    names: Option<OutcomePaths>,
    votes: Option<bool>,
    #[serde(default, deserialize_with = "response", serialize_with = "letter")]
    always: Option<ResponseId>,
    margin: Option<String>,
    strengths: Option<Vec<String>>,
    agreement: Option<f64>,
}

impl TryFrom<VerdictKeys> for VerdictSource {
    type Error = &'static str;

    fn try_from(mut keys: VerdictKeys) -> Result<Self, &'static str> {
        let (strengths, agreement) = (keys.strengths.take(), keys.agreement.take());
        let rule = if let Some(label) = keys.label.take() {
            let lower = keys.lower.take().unwrap_or_default();
            VerdictRule::ByLabel { label, lower }
        } else if keys.votes == Some(true) {
            keys.votes = None;
            VerdictRule::ByVotes
        } else if let Some(always) = keys.always.take() {
            let margin = keys.margin.take();
            VerdictRule::Fixed { always, margin }
        } else if let Some(fields) = keys.one_hot.take() {
            VerdictRule::ByField { path: None, fields }
        } else {
            let path = keys
                .path
                .take()
                .ok_or("its keys do not determine a winner")?;
            if let Some(fields) = keys.names.take() {
                let path = Some(path);
                VerdictRule::ByField { path, fields }
            } else if let Some(positive) = keys.positive.take() {
                VerdictRule::BySign(BySign {
                    path,
                    positive,
                    range: keys.range.take(),
                    midpoint: keys.midpoint.take().unwrap_or_default(),
                    ties: keys.ties.take().unwrap_or_default(),
                })
            } else if let Some(margins) = keys.values.take() {
                VerdictRule::ByValue(ByValue::of_margins(path, margins))
            } else {
                let of_two = keys.a.take().zip(keys.b.take()).map(|(a, b)| vec![a, b]);
                let names = keys.others.take().map(Arc::new);
                let open = names.is_some().then(Vec::new);
                let words = keys.words.take().or(of_two).or(open);
                VerdictRule::ByValue(ByValue {
                    path,
                    words: words.ok_or("a path needs the keys a and b")?,
                    tie: keys.tie.take().or(names.is_some().then(Vec::new)),
                    margins: BTreeMap::new(),
                    names,
                })
            }
        };
        let source = Self {
            rule,
            strengths,
            agreement,
        };
        let is_all = keys == VerdictKeys::default();
        is_all
            .then_some(source)
            .ok_or("these keys cannot be combined")
    }
}

impl From<VerdictSource> for VerdictKeys {
    fn from(source: VerdictSource) -> Self {
        let mut keys = Self {
            strengths: source.strengths,
            agreement: source.agreement,
            ..Self::default()
        };
        match source.rule {
            VerdictRule::ByLabel { label, lower } => {
                (keys.label, keys.lower) = (Some(label), lower.then_some(true));
            }
            VerdictRule::Fixed { always, margin } => {
                (keys.always, keys.margin) = (Some(always), margin);
            }
            VerdictRule::ByVotes => keys.votes = Some(true),
            VerdictRule::ByField { path: None, fields } => keys.one_hot = Some(fields),
            VerdictRule::ByField { path, fields } => {
                (keys.path, keys.names) = (path, Some(fields));
            }
            VerdictRule::BySign(rule) => {
                (keys.path, keys.positive) = (Some(rule.path), Some(rule.positive));
                keys.range = rule.range;
                keys.midpoint = (rule.midpoint != 0.0).then_some(rule.midpoint);
                keys.ties = Some(rule.ties).filter(|ties| !ties.is_empty());
            }
            VerdictRule::ByValue(rule) if !rule.margins.is_empty() => {
                (keys.path, keys.values) = (Some(rule.path), Some(rule.margins));
            }
            VerdictRule::ByValue(rule) => {
                (keys.path, keys.tie) = (Some(rule.path), rule.tie);
                keys.others = rule.names.map(|names| (*names).clone());
                match <[_; 2]>::try_from(rule.words) {
                    Ok([a, b]) => (keys.a, keys.b) = (Some(a), Some(b)),
                    Err(words) => keys.words = Some(words),
                }
            }
        }
        keys
    }
}
