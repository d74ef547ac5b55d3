//! The verdict in schema files: all keys, and their conversion from and to [`VerdictRule`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::column_paths::OutcomePaths;
use super::definition::{BySign, ByValue, VerdictRule, VerdictSource, letter, response};
use crate::model::ResponseId;
use crate::schema::guess::ResponseNames;
use crate::table::Path;

/// All keys of a verdict in a schema file; [`VerdictRule`] is their normal form.
#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictKeys {
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
