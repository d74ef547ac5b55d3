//! Schema keys for votes: each annotator's choice of the best response.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::definition::{Definition, letter, one_or_more, response};
use super::text_path::TextPath;
use crate::model::{ResponseId, Verdict};
use crate::schema::guess::{NamedVerdict, ResponseNames, is_same_word};
use crate::schema::verdict::not_of_two;
use crate::table::Path;
use crate::toml_file::TomlFault;

/// Where annotators' votes for the best response are: in a list, in an object, or in a column each.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct VotePaths {
    /// A list with an element for each vote, or an object with a member for each annotator. The
    /// paths `score`, `annotator`, `skip` and `text` start at the element; without `score`,
    /// `annotator` and `skip` are lists of the record, with an element for each vote.
    pub each: Option<Path>,
    /// Without `each`: fields of the record, each a vote. A single one belongs to the annotator of
    /// the row; several are named by their keys.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub columns: Vec<Path>,
    /// What an annotator chose: a number, a word, or a list of the best responses. Of several
    /// paths, the first with a readable value counts; `*` matches any element, and `name=word` those
    /// with this word. Default: the element itself.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub score: Vec<Path>,
    /// The annotator's name. Of several paths, the first that has one counts.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub annotator: Vec<Path>,
    /// Paths at which one of these values means that there is no vote.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skip: BTreeMap<String, Vec<String>>,
    /// Which response a positive number prefers: `a` (the default) or `b`.
    #[serde(deserialize_with = "response", serialize_with = "letter")]
    pub positive: ResponseId,
    /// The numbers that words mean.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// Numbers that mean that neither response is worth comparing; they are reported, not counted
    /// as votes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<f64>,
    /// The words for each response, by its letter, and for a tie.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub choices: BTreeMap<String, Vec<String>>,
    /// Paths of the responses' names, from the record: one for each, or one with a `*`.
    #[serde(
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub names: Vec<Path>,
    /// How other words are read.
    #[serde(rename = "others")]
    pub words: Option<Arc<ResponseNames>>,
    /// The annotator's reason: a text that is named by the last key.
    pub text: Option<Path>,
}

impl VotePaths {
    /// Returns the paths of the votes, from the record.
    pub fn whole_paths(&self) -> Vec<Path> {
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

    /// Returns the path to name in messages.
    pub fn whole_path(&self) -> Path {
        self.whole_paths().into_iter().next().unwrap_or_default()
    }

    /// True if elements are the votes themselves, and their annotators and what means no vote are in
    /// lists beside them.
    pub fn has_lists_beside(&self) -> bool {
        let has_more = !self.annotator.is_empty() || !self.skip.is_empty();
        self.each.is_some() && self.score.is_empty() && has_more
    }

    /// True if values name the best response. Otherwise they state a margin.
    pub fn names_winners(&self) -> bool {
        !self.choices.is_empty() || !self.names.is_empty() || self.words.is_some()
    }

    /// Returns the response or tie that a word of `choices` means, in any form: `[[A]]`,
    /// `response_a`, `A is slightly better`.
    pub fn choice(&self, word: &str) -> Option<Verdict> {
        let verdict_of = |is_same: &dyn Fn(&str) -> bool| {
            let mut words = self.words();
            words
                .find(|(_, words)| words.iter().any(|known| is_same(known)))
                .map(|(verdict, _)| verdict)
        };
        let exact = verdict_of(&|known| known == word);
        let same = || verdict_of(&|known| is_same_word(known, word));
        exact
            .or_else(same)
            .or_else(|| match self.words.as_ref()?.verdict_of(word)? {
                NamedVerdict::Tie => Some(Verdict::Tie),
                NamedVerdict::Wins(place) => Some(Verdict::wins(ResponseId::new(place)?)),
            })
    }

    /// Returns the verdicts of `choices`, each with its words.
    pub fn words(&self) -> impl Iterator<Item = (Verdict, &[String])> {
        let words = self.choices.iter();
        words.filter_map(|(letter, words)| Some((Verdict::of_word(letter)?, &**words)))
    }
}

impl Definition {
    /// Makes each text next to a vote a text of the schema.
    pub(super) fn add_texts_of_votes(&mut self) {
        let texts = self.votes.iter().filter_map(|vote| {
            let path = vote.text.as_ref()?;
            let whole = vote.each.as_ref()?.each_then(path);
            Some(TextPath::new(path.last_key()?.to_owned(), Some(whole)))
        });
        // A schema that was written from a definition has them already.
        let texts: Vec<_> = texts.filter(|it| !self.texts.contains(it)).collect();
        self.texts.splice(0..0, texts);
    }

    /// Returns a fault in the schema's votes.
    pub(super) fn inconsistent_vote(&self) -> Option<TomlFault> {
        let is_of_pairs = self.responses.len() == 2 && !self.has_response_lists();
        for (place, vote) in self.votes.iter().enumerate() {
            let at = |key, what: &str| Some(self.fault("vote", place, &[key], what));
            if self.joins_rows() {
                let what = "votes need all responses in one row; set rows = \"inline\"";
                return at("each", what);
            }
            if !is_of_pairs && !vote.names_winners() {
                let what = "a number names the winner of two responses; for more, add `choices` or `names`";
                return at("score", what);
            }
            if vote.each.is_some() != vote.columns.is_empty() {
                let what =
                    "a [[vote]] needs either `each` (a list) or `columns` (fields of the record)";
                return at("each", what);
            }
            if let Some(each) = vote.each.as_ref().filter(|each| each.is_of_each()) {
                let what = format!(
                    "{each} has a `*`; `each` is the list itself, with a vote in every element"
                );
                return at("each", &what);
            }
            if vote
                .names
                .iter()
                .any(|path| path.of_element(0).is_of_each())
            {
                return at(
                    "names",
                    "a path has a `*` too many; `*` matches each response",
                );
            }
            if vote.positive.index() > 1 {
                return at("positive", &not_of_two(vote.positive));
            }
            if let Some((word, _)) = vote.values.iter().find(|(_, value)| !value.is_finite()) {
                return at("values", &format!("`{word}` needs a finite number"));
            }
            let mut letters = vote.choices.keys();
            if let Some(letter) = letters.find(|letter| Verdict::of_word(letter).is_none()) {
                let what = format!("`{letter}` is neither the letter of a response nor `tie`");
                return at("choices", &what);
            }
        }
        None
    }
}
