//! The columns of a definition, and the paths of their values from the record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::definition::{
    BlindDisplay, Definition, LabelKind, RatingSource, ResponsePaths, VerdictRule,
};
use super::text_path::TextPath;
use super::vote_path::VotePaths;
use crate::table::Path;
use crate::table::{Column, ColumnId, ColumnKind, ColumnSource, Reveals};

/// Path of a text about the sample or its responses.
#[derive(Debug, Clone)]
pub struct RationalePlace<'d> {
    /// The text.
    pub text: &'d TextPath,
    /// Its index among the texts of the definition.
    pub number: usize,
    /// Index of the `[[response]]` that has the path; `None` if the text is about the sample.
    pub response: Option<usize>,
    /// The path from the record.
    pub path: Path,
}

impl ResponsePaths {
    /// Returns a path of this table as a path from the record.
    pub(in crate::schema) fn whole(&self, path: &Path) -> Path {
        match &self.each {
            Some(each) => each.each_then(path),
            None => path.clone(),
        }
    }
}

impl VerdictRule {
    /// Mutable [`Self::paths`].
    pub(super) fn paths_mut(&mut self) -> Vec<&mut Path> {
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

/// What a definition uses a value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseKind {
    Prompt,
    System,
    History,
    /// Shared by rows of one sample.
    BesidePrompt,
    Response,
    Quotes,
    Label,
    TextOfResponse,
    Text,
    Verdict,
    Vote,
    Annotator,
    Group,
    /// A repetition of the prompt.
    Same,
    Fact,
    /// Only required for detection.
    Need,
}

impl UseKind {
    /// Returns the table and the key of paths that lead to one value; `None` if `*` may match the
    /// elements of lists.
    pub fn key_without_lists(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::Prompt => ("prompt", "path"),
            Self::System => ("prompt", "system"),
            Self::History => ("prompt", "history"),
            Self::BesidePrompt => ("prompt", "beside"),
            Self::Response => ("response", "text"),
            Self::Quotes => ("response", "quotes"),
            Self::Label => ("response", "ratings"),
            Self::Verdict => ("verdict", ""),
            Self::Annotator => ("annotator", ""),
            Self::Group => ("group", ""),
            Self::Same => ("same", ""),
            Self::Need => ("needs", ""),
            Self::TextOfResponse | Self::Text | Self::Vote | Self::Fact => return None,
        })
    }
}

/// Receives a path with its use, the name of its label or text, and its `[[response]]`.
type UseVisitor<'v> = dyn FnMut(UseKind, &str, Option<usize>, &mut Path) + 'v;

/// A path of a definition, from the record, with its use.
#[derive(Debug)]
pub struct PathUse {
    pub path: Path,
    pub kind: UseKind,
    /// The name of a label or a text.
    pub name: String,
    /// Index of its `[[response]]`.
    pub response: Option<usize>,
}

impl ResponsePaths {
    /// Returns its paths except that of the list, each with its use and the name of its label or
    /// text.
    fn uses_mut(&mut self) -> impl Iterator<Item = (UseKind, &str, &mut Path)> {
        let text = std::iter::once((UseKind::Response, "", &mut self.text));
        let quotes = self.quotes.iter_mut().map(|it| (UseKind::Quotes, "", it));
        let ratings = self
            .ratings
            .iter_mut()
            .filter_map(|(name, source)| match source {
                RatingSource::Path(path) => Some((UseKind::Label, &**name, path)),
                RatingSource::Constant(_) => None,
            });
        let texts = self
            .texts
            .iter_mut()
            .map(|(name, path)| (UseKind::TextOfResponse, &**name, path));
        text.chain(quotes).chain(ratings).chain(texts)
    }

    /// Returns the paths of one element, from 0, as a table without a list.
    pub(in crate::schema) fn of_element(&self, index: usize) -> Self {
        let mut element = Self {
            each: None,
            // Paths of texts may have an annotator's `*` too.
            texts: BTreeMap::new(),
            ..self.clone()
        };
        element
            .uses_mut()
            .for_each(|(.., path)| *path = self.whole(path).of_element(index));
        element
    }
}

impl Definition {
    /// Returns all paths except those that only serve detection.
    pub(in crate::schema) fn uses(&self) -> Vec<PathUse> {
        let mut uses = Vec::new();
        self.clone().each_path(&mut |kind, name, response, path| {
            uses.push(PathUse {
                path: path.clone(),
                kind,
                name: name.to_owned(),
                response,
            });
        });
        uses
    }

    /// Calls `show` with all paths from the record, as mutable references, except those that only
    /// serve detection; also with the use, the name of the label or text, and the `[[response]]`.
    /// Changes to votes and to responses in a list have no effect.
    pub(in crate::schema) fn each_path(&mut self, show: &mut UseVisitor<'_>) {
        use UseKind::*;
        fn all<'p>(
            kind: UseKind,
            paths: impl IntoIterator<Item = &'p mut Path>,
            show: &mut UseVisitor<'_>,
        ) {
            (paths.into_iter()).for_each(|path| show(kind, "", None, path));
        }
        if let Some(prompt) = &mut self.prompt {
            all(Prompt, &mut prompt.path, show);
            all(System, &mut prompt.system, show);
            all(History, &mut prompt.history, show);
            all(BesidePrompt, &mut prompt.beside, show);
        }
        for (table, response) in self.responses.iter_mut().enumerate() {
            let each = response.each.clone();
            for (kind, name, path) in response.uses_mut() {
                match &each {
                    Some(each) => show(kind, name, Some(table), &mut each.each_then(path)),
                    None => show(kind, name, Some(table), path),
                }
            }
        }
        let verdict = self.verdict.iter_mut();
        all(Verdict, verdict.flat_map(|it| it.rule.paths_mut()), show);
        for text in &mut self.texts {
            (text.path.iter_mut()).for_each(|it| show(Text, &text.name, None, it));
        }
        all(Vote, &mut self.paths_of_votes().collect::<Vec<_>>(), show);
        all(Annotator, &mut self.annotator, show);
        all(Group, &mut self.group, show);
        all(Same, &mut self.same, show);
        all(Fact, self.facts.iter_mut().map(|it| &mut it.path), show);
    }

    /// Returns the paths of a label's values from the record, each with the index of its
    /// `[[response]]`. Constants have none.
    pub fn paths_of_label(&self, name: &str) -> Vec<(usize, Path)> {
        let path = |paths: &ResponsePaths| Some(paths.whole(paths.ratings.get(name)?.path()?));
        self.responses
            .iter()
            .enumerate()
            .filter_map(|(table, paths)| Some((table, path(paths)?)))
            .collect()
    }

    /// Returns the paths of the values that name the winner, if the row has them.
    pub fn verdict_values(&self) -> Vec<&Path> {
        let Some(rule) = self.rule() else {
            return Vec::new();
        };
        // With a path, the fields only name the responses.
        match rule.path() {
            Some(path) => vec![path],
            None => rule.paths().collect(),
        }
    }

    /// Returns the paths of texts about samples and responses, text by text: its own path, or one
    /// for each `[[response]]` that has it.
    pub fn places_of_texts(&self) -> Vec<RationalePlace<'_>> {
        let mut places = Vec::new();
        for (number, text) in self.texts.iter().enumerate() {
            let place = |response, path| RationalePlace {
                text,
                number,
                response,
                path,
            };
            let own = text.path.clone().map(|path| place(None, path));
            let of_tables = self
                .responses
                .iter()
                .enumerate()
                .filter_map(|(table, response)| {
                    let path = response.whole(response.texts.get(&text.name)?);
                    Some(place(Some(table), path))
                });
            places.extend(own.into_iter().chain(of_tables));
        }
        places
    }

    /// Returns the paths of the annotators' votes, from the record.
    pub fn paths_of_votes(&self) -> impl Iterator<Item = Path> {
        self.votes.iter().flat_map(VotePaths::whole_paths)
    }
}

impl Definition {
    /// Returns the columns of labels and scores, then of facts.
    pub(in crate::schema) fn columns(&self) -> impl Iterator<Item = Column> {
        let labels = self.labels.iter().map(|label| Column {
            id: ColumnId::of(ColumnSource::Label, &label.name),
            kind: match label.kind {
                LabelKind::Label => ColumnKind::Label,
                LabelKind::Score => ColumnKind::Score,
            },
            range: label.range,
            about: label.about.clone(),
            reveals: Reveals::Label,
        });
        let facts = self.facts.iter().map(|fact| Column {
            id: ColumnId::of(ColumnSource::Fact, &fact.name),
            kind: ColumnKind::Word,
            range: None,
            about: fact.about.clone(),
            reveals: match fact.blind {
                BlindDisplay::Hide => Reveals::Label,
                BlindDisplay::Show => Reveals::Nothing,
            },
        });
        labels.chain(facts)
    }
}

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
