//! What a schema says of votes: which response is best by each annotator.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::definition::{
    Definition, OneOrMore, RowGrouping, letter, not_of_two, one_or_more, response,
};
use super::guess::{ResponseNames, Said, is_same_word};
use super::path::Path;
use super::text_path::TextPath;
use crate::model::{ResponseId, Verdict};
use crate::toml_file::TomlFault;

/// Where annotators say which response is best: in a list, in an object, or in a column each.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VotePaths {
    /// A list with an element for each vote, or an object with a member for each annotator. The paths
    /// `score`, `annotator`, `skip` and `text` start at the element.
    pub each: Option<Path>,
    /// Without `each`: fields of the record, each a vote. A single one belongs to the annotator of
    /// the row; several are named by their keys.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "OneOrMore")]
    pub columns: Vec<Path>,
    /// What an annotator said: a number, a word, or a list of the best responses. Of several paths
    /// the first with a readable value counts; `*` stands for any element. Absent: the element itself.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "OneOrMore")]
    pub score: Vec<Path>,
    /// The annotator's name. Of several paths the first that has one counts.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "OneOrMore")]
    pub annotator: Vec<Path>,
    /// Paths at which one of these values means that there is no vote.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skip: BTreeMap<String, Vec<String>>,
    /// Which response a positive number prefers: `a`, which it is without this, or `b`.
    #[serde(deserialize_with = "response", serialize_with = "letter")]
    #[schemars(with = "String")]
    pub positive: ResponseId,
    /// What words stand for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// Numbers that say that neither response is worth comparing: they are no votes, and told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<f64>,
    /// The words for each response, by its letter, and for a tie.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub choices: BTreeMap<String, Vec<String>>,
    /// Where the names of the responses are, from the record on: a path for each, or one with a `*`.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "OneOrMore")]
    pub names: Vec<Path>,
    /// What other words are read by.
    #[serde(rename = "others")]
    pub words: Option<Arc<ResponseNames>>,
    /// Why: a text of the annotator, which is called as the last key says.
    pub text: Option<Path>,
}

impl VotePaths {
    /// The paths of what annotators said, from the record on.
    pub(super) fn whole_paths(&self) -> Vec<Path> {
        match &self.each {
            None => self.columns.clone(),
            Some(each) if self.score.is_empty() => vec![each.each_then(&Path::default())],
            Some(each) => self
                .score
                .iter()
                .map(|score| each.each_then(score))
                .collect(),
        }
    }

    /// The path that messages name.
    pub(super) fn whole_path(&self) -> Path {
        self.whole_paths().into_iter().next().unwrap_or_default()
    }

    /// True if values name the best response instead of saying by how much one wins.
    pub fn names_winners(&self) -> bool {
        !self.choices.is_empty() || !self.names.is_empty() || self.words.is_some()
    }

    /// The response that a word of `choices` stands for, or a tie, however it is written: `[[A]]`,
    /// `response_a`, `A is slightly better`.
    pub(super) fn choice(&self, word: &str) -> Option<Verdict> {
        let verdict_of = |is_same: &dyn Fn(&str) -> bool| {
            let mut words = self.words();
            let found = words.find(|(_, words)| words.iter().any(|known| is_same(known)));
            found.map(|(verdict, _)| verdict)
        };
        let exact = verdict_of(&|known| known == word);
        let same = || verdict_of(&|known| is_same_word(known, word));
        exact
            .or_else(same)
            .or_else(|| match self.words.as_ref()?.said(word)? {
                Said::Tie => Some(Verdict::Tie),
                Said::Wins(place) => Some(Verdict::wins(ResponseId::new(place)?)),
            })
    }

    /// The responses that words of `choices` stand for, each with its words.
    pub(super) fn words(&self) -> impl Iterator<Item = (Verdict, &[String])> {
        let words = self.choices.iter();
        words.filter_map(|(letter, words)| Some((Verdict::of_word(letter)?, &**words)))
    }
}

impl Definition {
    /// Whether a row is a sample by one of its annotators ([`RowGrouping::Annotations`]).
    pub fn is_row_by_annotator(&self) -> bool {
        self.rows == RowGrouping::Annotations
    }

    /// True if its rows have votes.
    pub fn has_votes(&self) -> bool {
        !self.votes.is_empty() || self.is_row_by_annotator()
    }

    /// Makes a text of each that stands beside a vote.
    pub(super) fn add_texts_of_votes(&mut self) {
        let texts = self.votes.iter().filter_map(|vote| {
            let path = vote.text.as_ref()?;
            let whole = vote.each.as_ref()?.each_then(path);
            Some(TextPath::new(path.last_key()?.to_owned(), Some(whole)))
        });
        // A file that was written from a definition names them.
        let texts: Vec<_> = texts.filter(|it| !self.texts.contains(it)).collect();
        self.texts.splice(0..0, texts);
    }

    /// What cannot be in what is said of votes.
    pub(super) fn inconsistent_vote(&self) -> Option<TomlFault> {
        let is_of_pairs = self.responses.len() == 2 && !self.has_response_lists();
        for (place, vote) in self.votes.iter().enumerate() {
            let at = |key: &str, what: String| Some(self.fault("vote", place, &[key], what));
            if self.joins_rows() {
                let what = "votes are of the responses of one row: rows = \"inline\"";
                return at("each", what.to_owned());
            }
            if !is_of_pairs && !vote.names_winners() {
                let what = "a number says which of two responses wins: of more, `choices` or `names` say it";
                return at("score", what.to_owned());
            }
            if vote.each.is_some() != vote.columns.is_empty() {
                let what =
                    "a [[vote]] has either `each`, a list, or `columns`, fields of the record";
                return at("each", what.to_owned());
            }
            if let Some(each) = vote.each.as_ref().filter(|each| each.is_of_each()) {
                let what =
                    format!("{each} has a `*`: `each` is a list, and every element of it a vote");
                return at("each", what);
            }
            if vote.positive.index() > 1 {
                return at("positive", not_of_two(vote.positive));
            }
            if let Some((word, _)) = vote.values.iter().find(|(_, value)| !value.is_finite()) {
                return at("values", format!("`{word}` stands for no number"));
            }
            let mut letters = vote.choices.keys();
            if let Some(letter) = letters.find(|letter| Verdict::of_word(letter).is_none()) {
                let what = format!("`{letter}` is neither the letter of a response nor `tie`");
                return at("choices", what);
            }
        }
        None
    }
}
