//! The columns of a definition, and the paths of their values from the record.

use std::collections::BTreeMap;

use super::definition::{BlindDisplay, Definition, LabelKind, RatingSource, ResponsePaths};
use super::vote_path::VotePaths;
use crate::table::Path;
use crate::table::{Column, ColumnId, ColumnKind, ColumnSource, Reveals};

impl ResponsePaths {
    /// Returns a path of this table as a path from the record.
    pub(in crate::schema) fn whole(&self, path: &Path) -> Path {
        match &self.each {
            Some(each) => each.each_then(path),
            None => path.clone(),
        }
    }
}

/// What a definition uses a value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseKind {
    /// The prompt.
    Prompt,
    /// The system message.
    System,
    /// Earlier turns.
    History,
    /// Shared by rows of one sample.
    BesidePrompt,
    /// The text of a response.
    Response,
    /// Quotes that a response can cite.
    Quotes,
    /// A label's value for a response.
    Label,
    /// A text about a response.
    TextOfResponse,
    /// A text about the sample.
    Text,
    /// What the verdict rule reads.
    Verdict,
    /// An annotator's choice.
    Vote,
    /// The row's annotator.
    Annotator,
    /// Equal in the rows of a group.
    Group,
    /// A repetition of the prompt.
    Same,
    /// A rater's verdict.
    Rater,
    /// Another field worth showing.
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
            Self::TextOfResponse | Self::Text | Self::Vote | Self::Rater | Self::Fact => {
                return None;
            }
        })
    }
}

/// Receives a path with its use, the name of its label or text, and its `[[response]]`.
type UseVisitor<'v> = dyn FnMut(UseKind, &str, Option<usize>, &mut Path) + 'v;

/// A path of a definition, from the record, with its use.
#[derive(Debug)]
pub struct PathUse {
    /// The path; a step `*` matches the elements of a list.
    pub path: Path,
    /// What its value is used for.
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
        let mut votes: Vec<_> = self.votes.iter().flat_map(VotePaths::whole_paths).collect();
        all(Vote, &mut votes, show);
        all(Annotator, &mut self.annotator, show);
        all(Group, &mut self.group, show);
        all(Same, &mut self.same, show);
        let rated: Vec<_> = self
            .raters
            .values()
            .filter_map(|it| it.rule.path())
            .collect();
        for fact in &mut self.facts {
            match rated.contains(&&fact.path) {
                true => show(Rater, &fact.name, None, &mut fact.path),
                false => show(Fact, "", None, &mut fact.path),
            }
        }
    }

    /// Returns the paths with a use.
    pub fn uses_of(&self, kind: UseKind) -> impl Iterator<Item = PathUse> {
        self.uses().into_iter().filter(move |it| it.kind == kind)
    }

    /// Returns the paths of texts about samples and responses, text by text: the index of its
    /// `[[text]]`, and its own path, or one for each `[[response]]` that has it.
    pub fn places_of_texts(&self) -> Vec<(usize, PathUse)> {
        let texts = [UseKind::Text, UseKind::TextOfResponse];
        let uses = self
            .uses()
            .into_iter()
            .filter(|it| texts.contains(&it.kind));
        let numbered = |it: PathUse| {
            let number = self.texts.iter().position(|text| text.name == it.name);
            Some((number?, it))
        };
        let mut places: Vec<_> = uses.filter_map(numbered).collect();
        places.sort_by_key(|(number, _)| *number);
        places
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
