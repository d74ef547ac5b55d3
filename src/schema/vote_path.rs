//! What a schema says of votes: who wins by each annotator.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::definition::{Definition, RowGrouping, letter, not_of_two, response};
use super::path::Path;
use super::text_path::TextPath;
use crate::model::ResponseId;
use crate::toml_file::TomlFault;

/// A list in which each annotator says who of two responses wins.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VotePaths {
    /// The list; the other paths lead on from an element.
    pub each: Path,
    /// What an annotator said: a number, or one of the words of `values`.
    pub score: Path,
    /// Which response a positive number prefers: `a`, which it is without this, or `b`.
    #[serde(
        default = "first",
        deserialize_with = "response",
        serialize_with = "letter"
    )]
    pub positive: ResponseId,
    /// What words stand for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// Numbers that say that neither response is worth comparing: they are no votes, and told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<f64>,
    /// Why: a text of the annotator, which is called as the last key says.
    pub text: Option<Path>,
}

const fn first() -> ResponseId {
    ResponseId::A
}

impl VotePaths {
    /// The path of what each annotator said, from the record on.
    pub(super) fn whole_path(&self) -> Path {
        self.each.each_then(&self.score)
    }
}

impl Definition {
    /// Makes a text of each that stands beside a vote.
    pub(super) fn add_texts_of_votes(&mut self) {
        let texts = self.votes.iter().filter_map(|vote| {
            let path = vote.text.as_ref()?;
            Some(TextPath {
                name: path.last_key()?.to_owned(),
                title: None,
                path: Some(vote.each.each_then(path)),
            })
        });
        // A file that was written from a definition names them.
        let texts: Vec<_> = texts.filter(|it| !self.texts.contains(it)).collect();
        self.texts.splice(0..0, texts);
    }

    /// What cannot be in what is said of votes.
    pub(super) fn inconsistent_vote(&self) -> Option<TomlFault> {
        let is_of_pairs = self.rows == RowGrouping::Inline
            && self.responses.len() == 2
            && !self.has_response_lists();
        for (place, vote) in self.votes.iter().enumerate() {
            let at = |key: &str, what: String| Some(self.fault("vote", place, &[key], what));
            if !is_of_pairs {
                let what =
                    "votes are of two responses on one row: rows = \"inline\" and two [[response]]";
                return at("each", what.to_owned());
            }
            for (key, path) in [("each", &vote.each), ("score", &vote.score)] {
                if path.is_of_each() {
                    let what = format!(
                        "{path} has a `*`: `each` is a list, and every element of it a vote"
                    );
                    return at(key, what);
                }
            }
            if vote.positive.index() > 1 {
                return at("positive", not_of_two(vote.positive));
            }
            if let Some((word, _)) = vote.values.iter().find(|(_, value)| !value.is_finite()) {
                return at("values", format!("`{word}` stands for no number"));
            }
        }
        None
    }
}
