//! The columns of a definition, and where it looks for their values, told as paths from the record on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::definition::{
    BlindDisplay, Definition, LabelKind, RatingSource, ResponsePaths, VerdictRule,
};
use super::path::Path;
use super::text_path::TextPath;
use super::vote_path::VotePaths;
use crate::table::{Column, ColumnId, ColumnKind, ColumnSource, Reveals};

/// Where a text about a sample or its responses stands.
#[derive(Debug, Clone, Copy)]
pub struct RationalePlace<'d> {
    /// The text.
    pub text: &'d TextPath,
    /// Its place among the texts of the definition.
    pub(super) number: usize,
    /// Which `[[response]]` has the path; `None` where the text is about the sample.
    pub(super) response: Option<usize>,
    /// As it is written.
    pub(super) path: &'d Path,
}

impl ResponsePaths {
    /// A path of this table, from the record on.
    pub(super) fn whole(&self, path: &Path) -> Path {
        match &self.each {
            Some(each) => each.each_then(path),
            None => path.clone(),
        }
    }
}

impl VerdictRule {
    /// [`Self::paths`], to be changed.
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
pub(super) enum UseKind {
    Prompt,
    System,
    History,
    /// Rows of one sample agree in it.
    BesidePrompt,
    Response,
    Quotes,
    Tokens,
    Label,
    TextOfResponse,
    Text,
    Verdict,
    Vote,
    Annotator,
    Group,
    /// It repeats the prompt.
    Same,
    Fact,
}

impl UseKind {
    /// Whether the value is nothing else: keys of groups, names of annotators and the like are fields too.
    pub(super) fn is_captured(self) -> bool {
        !matches!(self, Self::BesidePrompt | Self::Annotator | Self::Group)
    }
}

/// Takes a path with its use, the name of its label or text, and its `[[response]]`.
type UseVisitor<'v> = dyn FnMut(UseKind, &str, Option<usize>, &mut Path) + 'v;

/// A path from the record on that a definition has, and what for.
#[derive(Debug)]
pub(super) struct PathUse {
    pub(super) path: Path,
    pub(super) kind: UseKind,
    /// The name of a label or a text.
    pub(super) name: String,
    /// Which `[[response]]` has it.
    pub(super) response: Option<usize>,
}

impl ResponsePaths {
    /// Its paths but that of its list, each with its use and the name of its label or text.
    fn uses_mut(&mut self) -> impl Iterator<Item = (UseKind, &str, &mut Path)> {
        let text = std::iter::once((UseKind::Response, "", &mut self.text));
        let quotes = self.quotes.iter_mut().map(|it| (UseKind::Quotes, "", it));
        let tokens = self
            .prefix_tokens
            .iter_mut()
            .chain(&mut self.completion_tokens);
        let tokens = tokens.map(|it| (UseKind::Tokens, "", it));
        let ratings = self.ratings.iter_mut();
        let ratings = ratings.filter_map(|(name, source)| match source {
            RatingSource::Path(path) => Some((UseKind::Label, &**name, path)),
            RatingSource::Constant(_) => None,
        });
        let texts = self.texts.iter_mut();
        let texts = texts.map(|(name, path)| (UseKind::TextOfResponse, &**name, path));
        (text.chain(quotes).chain(tokens))
            .chain(ratings)
            .chain(texts)
    }

    /// The paths of one element, from 0; the same for every element where it is no list.
    pub(super) fn of_element(&self, index: usize) -> Self {
        let mut element = Self {
            each: None,
            // Theirs may have an annotator's step besides.
            texts: BTreeMap::new(),
            ..self.clone()
        };
        let paths = element.uses_mut();
        paths.for_each(|(.., path)| *path = self.whole(path).of_element(index));
        element
    }
}

impl Definition {
    /// The paths that it has, but those that tell which schema a file has.
    pub(super) fn uses(&self) -> Vec<PathUse> {
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

    /// Shows its paths from the record on, to be changed, but those that tell which schema a file has. Each
    /// comes with its use, the name of its label or text, and its `[[response]]`. Votes and responses in a list
    /// keep their paths.
    pub(super) fn each_path(&mut self, show: &mut UseVisitor<'_>) {
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

    /// The path of a text, from the record on.
    pub fn path_of_text(&self, place: &RationalePlace<'_>) -> Path {
        let response = place.response.and_then(|table| self.responses.get(table));
        response.map_or_else(|| place.path.clone(), |it| it.whole(place.path))
    }

    /// Where the values of a label stand, from the record on, each with the place of its
    /// `[[response]]`; none where the place of a response says its value.
    pub fn paths_of_label(&self, name: &str) -> Vec<(usize, Path)> {
        let path = |paths: &ResponsePaths| match paths.ratings.get(name)? {
            RatingSource::Path(path) => Some(paths.whole(path)),
            RatingSource::Constant(_) => None,
        };
        let tables = self.responses.iter().enumerate();
        let paths = tables.filter_map(|(table, paths)| Some((table, path(paths)?)));
        paths.collect()
    }

    /// The paths whose values say who wins, where they are read of the row.
    pub fn verdict_values(&self) -> Vec<&Path> {
        let Some(rule) = self.rule() else {
            return Vec::new();
        };
        // Beside a path, fields name the responses.
        match rule.path() {
            Some(path) => vec![path],
            None => rule.paths().collect(),
        }
    }

    /// Where texts about samples and responses stand, text by text: at the path of its own, or at one
    /// of each `[[response]]` that has it.
    pub fn places_of_texts(&self) -> Vec<RationalePlace<'_>> {
        let mut places = Vec::new();
        for (number, text) in self.texts.iter().enumerate() {
            let place = |response, path| RationalePlace {
                text,
                number,
                response,
                path,
            };
            let own = text.path.as_ref().map(|path| place(None, path));
            let tables = self.responses.iter().enumerate();
            let of_tables = tables.filter_map(|(table, response)| {
                Some(place(Some(table), response.texts.get(&text.name)?))
            });
            places.extend(own.into_iter().chain(of_tables));
        }
        places
    }

    /// The paths of what annotators say of who wins, from the record on.
    pub fn paths_of_votes(&self) -> impl Iterator<Item = Path> {
        self.votes.iter().flat_map(VotePaths::whole_paths)
    }
}

impl Definition {
    /// Labels and scores, then facts.
    pub(super) fn columns(&self) -> impl Iterator<Item = Column> {
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

/// Where the values of each outcome are. TOML names the responses by their letters.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
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
