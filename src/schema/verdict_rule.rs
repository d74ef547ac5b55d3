//! How a sample states its winner: the normal form, and the keys of a schema file that say it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::definition::{letter, response};
use super::guess::ResponseNames;
use super::path::Path;
use crate::model::{ResponseId, Verdict};

/// How the winner of a sample is told, and what is known of that.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "VerdictKeys", into = "VerdictKeys")]
pub struct VerdictTold {
    /// How it is told.
    pub rule: VerdictRule,
    /// Words for how strongly a response wins, one to three, the weakest first; absent where people
    /// are not to say so.
    pub strengths: Option<Vec<String>>,
    /// How often the dataset's own annotators agree on who wins, as published: a share, 0 to 1.
    pub agreement: Option<f64>,
}

impl From<VerdictRule> for VerdictTold {
    fn from(rule: VerdictRule) -> Self {
        Self {
            rule,
            strengths: None,
            agreement: None,
        }
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

impl TryFrom<VerdictKeys> for VerdictTold {
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
            let path = keys.path.take();
            let path = path.ok_or("its keys do not say who wins")?;
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
                let words = keys.words.take().or(of_two);
                VerdictRule::ByValue(ByValue {
                    path,
                    words: words.ok_or("the keys a and b say who wins at its path")?,
                    tie: keys.tie.take(),
                    margins: BTreeMap::new(),
                    names: None,
                })
            }
        };
        let told = Self {
            rule,
            strengths,
            agreement,
        };
        let is_all = keys == VerdictKeys::default();
        is_all
            .then_some(told)
            .ok_or("these keys do not go together")
    }
}

impl From<VerdictTold> for VerdictKeys {
    fn from(told: VerdictTold) -> Self {
        let mut keys = Self {
            strengths: told.strengths,
            agreement: told.agreement,
            ..Self::default()
        };
        match told.rule {
            VerdictRule::ByLabel { label, lower } => {
                (keys.label, keys.lower) = (Some(label), lower.then_some(true));
            }
            VerdictRule::Fixed { always, margin } => {
                (keys.always, keys.margin) = (Some(always), margin);
            }
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
                match <[_; 2]>::try_from(rule.words) {
                    Ok([a, b]) => (keys.a, keys.b) = (Some(a), Some(b)),
                    Err(words) => keys.words = Some(words),
                }
            }
            VerdictRule::ByVotes => keys.votes = Some(true),
        }
        keys
    }
}

/// How a sample states its winner: the normal form shared by rows, SQL and explanations.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictRule {
    /// The response with the greater value of a label wins; the margin is the difference.
    ByLabel {
        /// The label's name.
        label: String,
        /// Whether the lower value wins, as of ranks.
        lower: bool,
    },
    /// A signed number on the row: its sign says who wins, its size by how much.
    BySign(BySign),
    /// A value on the row that names the winner, and can say how clearly.
    ByValue(ByValue),
    /// A field for each outcome: that of the winner is true, or has the same value as `path`, like a
    /// model's name. That for ties is true. If none is true, the row says nothing.
    ByField {
        /// Path of the winner's name.
        path: Option<Path>,
        /// The fields of the outcomes.
        fields: OutcomePaths,
    },
    /// The place in the record decides (`chosen` before `rejected`).
    Fixed {
        /// The response that always wins: `a` is the first.
        always: ResponseId,
        /// The label whose difference (A minus B) says by how much.
        margin: Option<String>,
    },
    /// The majority of the votes wins ([`crate::model::majority`]).
    ByVotes,
}

impl VerdictRule {
    /// Where a row has the value that names the winner.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::BySign(rule) => Some(&rule.path),
            Self::ByValue(rule) => Some(&rule.path),
            Self::ByField { path, .. } => path.as_ref(),
            Self::ByLabel { .. } | Self::Fixed { .. } | Self::ByVotes => None,
        }
    }

    /// All paths that it reads: [`Self::path`], then the fields of A, B and a tie.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let fields = match self {
            Self::ByField { fields, .. } => Some(fields),
            _ => None,
        };
        let fields = fields.map(|of| of.responses.iter().chain(&of.tie));
        self.path().into_iter().chain(fields.into_iter().flatten())
    }

    /// True if rows state by how much a response wins, other than by labels.
    pub fn reads_margins(&self) -> bool {
        match self {
            Self::BySign(_) => true,
            Self::ByValue(rule) => !rule.margins.is_empty(),
            _ => false,
        }
    }
}

/// The sign of a number names the winner ([`VerdictRule::BySign`]).
#[derive(Debug, Clone, PartialEq)]
pub struct BySign {
    /// Where the number stands.
    pub path: Path,
    /// Which response a positive number prefers: `a` or `b`.
    pub positive: ResponseId,
    /// Least and greatest number, both included; one outside says nothing of who wins, and is told.
    pub range: Option<[f64; 2]>,
    /// The number that means a tie.
    pub midpoint: f64,
    /// Other numbers that mean a tie, in the range or not.
    pub ties: Vec<f64>,
}

/// A value out of fixed lists names the winner ([`VerdictRule::ByValue`]).
#[derive(Debug, Clone, PartialEq)]
pub struct ByValue {
    /// Where the value stands.
    pub path: Path,
    /// For each response the JSON values (as text) that mean that it wins.
    pub words: Vec<Vec<String>>,
    /// The JSON values (as text) that mean neither, so that any other says nothing; absent: every
    /// other value does.
    pub tie: Option<Vec<String>>,
    /// By how much A wins for each value; empty where that is not said.
    pub margins: BTreeMap<String, f64>,
    /// What other values are read by; absent where the lists are complete. Only a guess has it.
    pub names: Option<Arc<ResponseNames>>,
}

impl ByValue {
    /// Values, each with A's margin: negative if B wins, 0 for a tie.
    fn of_margins(path: Path, margins: BTreeMap<String, f64>) -> Self {
        let of = |verdict: Verdict| {
            let is_of = |(_, margin): &(&String, &f64)| Verdict::of_margin(**margin) == verdict;
            let words = margins.iter().filter(is_of);
            words.map(|(word, _)| word.clone()).collect()
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
}

/// Where the values stand that belong to each outcome. TOML names the responses by their letters.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "BTreeMap<String, Path>", into = "BTreeMap<String, Path>")]
pub struct OutcomePaths {
    /// The path that belongs to the win of each response; at least two.
    pub responses: Vec<Path>,
    /// The path that belongs to a tie.
    pub tie: Option<Path>,
}

impl TryFrom<BTreeMap<String, Path>> for OutcomePaths {
    type Error = &'static str;

    fn try_from(mut paths: BTreeMap<String, Path>) -> Result<Self, &'static str> {
        let tie = paths.remove("tie");
        let letters = ('a'..='z').map(String::from);
        let are_letters = paths.keys().cloned().eq(letters.take(paths.len()));
        if !are_letters || paths.len() < 2 {
            return Err("the keys are a, b and so on, one for each response, and tie");
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
