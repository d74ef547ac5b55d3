//! The columns of a definition, and where it looks for their values, told as paths from the record on.

use std::collections::BTreeMap;

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

/// A path from the record on that a definition has, and what for.
#[derive(Debug)]
pub(super) struct PathUse<'d> {
    pub(super) path: Path,
    pub(super) kind: UseKind,
    /// The name of a label or a text.
    pub(super) name: &'d str,
    /// Which `[[response]]` has it.
    pub(super) response: Option<usize>,
}

impl Definition {
    /// The paths that it has, but those that tell which schema a file has.
    pub(super) fn uses(&self) -> Vec<PathUse<'_>> {
        use UseKind::*;
        let mut uses = Vec::new();
        let mut add = |kind, name, response, path: Path| {
            uses.push(PathUse {
                path,
                kind,
                name,
                response,
            });
        };
        if let Some(prompt) = &self.prompt {
            prompt
                .path
                .iter()
                .for_each(|it| add(Prompt, "", None, it.clone()));
            prompt
                .system
                .iter()
                .for_each(|it| add(System, "", None, it.clone()));
            prompt
                .history
                .iter()
                .for_each(|it| add(History, "", None, it.clone()));
            prompt
                .beside
                .iter()
                .for_each(|it| add(BesidePrompt, "", None, it.clone()));
        }
        for (table, paths) in self.responses.iter().enumerate() {
            let mut add = |kind, name, path: &Path| add(kind, name, Some(table), paths.whole(path));
            add(Response, "", &paths.text);
            paths.quotes.iter().for_each(|it| add(Quotes, "", it));
            let tokens = paths.prefix_tokens.iter().chain(&paths.completion_tokens);
            tokens.for_each(|it| add(Tokens, "", it));
            for (name, source) in &paths.ratings {
                if let RatingSource::Path(path) = source {
                    add(Label, name, path);
                }
            }
            (paths.texts.iter()).for_each(|(name, path)| add(TextOfResponse, name, path));
        }
        let verdict = self.rule().into_iter().flat_map(VerdictRule::paths);
        verdict.for_each(|it| add(Verdict, "", None, it.clone()));
        for text in &self.texts {
            text.path
                .iter()
                .for_each(|it| add(Text, &text.name, None, it.clone()));
        }
        self.paths_of_votes().for_each(|it| add(Vote, "", None, it));
        self.annotator
            .iter()
            .for_each(|it| add(Annotator, "", None, it.clone()));
        self.group
            .iter()
            .for_each(|it| add(Group, "", None, it.clone()));
        self.same
            .iter()
            .for_each(|it| add(Same, "", None, it.clone()));
        self.facts
            .iter()
            .for_each(|it| add(Fact, "", None, it.path.clone()));
        uses
    }

    /// Changes each path that starts at the record. Votes keep theirs.
    pub(super) fn each_path(&mut self, change: &dyn Fn(&mut Path)) {
        let prompt = self.prompt.iter_mut();
        prompt.for_each(|prompt| {
            prompt
                .path
                .iter_mut()
                .chain(&mut prompt.system)
                .chain(&mut prompt.history)
                .chain(&mut prompt.beside)
                .for_each(change);
        });
        for response in &mut self.responses {
            let whole = response
                .each
                .as_mut()
                .map_or(&mut response.text, |each| each);
            change(whole);
            if response.each.is_some() {
                continue;
            }
            let more = [
                &mut response.quotes,
                &mut response.prefix_tokens,
                &mut response.completion_tokens,
            ];
            more.into_iter()
                .flatten()
                .chain(response.texts.values_mut())
                .for_each(change);
            for source in response.ratings.values_mut() {
                if let RatingSource::Path(path) = source {
                    change(path);
                }
            }
        }
        let lists = [&mut self.needs, &mut self.same, &mut self.group];
        lists
            .into_iter()
            .flatten()
            .chain(&mut self.annotator)
            .for_each(change);
        self.facts
            .iter_mut()
            .for_each(|fact| change(&mut fact.path));
        self.texts
            .iter_mut()
            .filter_map(|text| text.path.as_mut())
            .for_each(change);
        if let Some(verdict) = &mut self.verdict {
            verdict.rule.paths_mut().into_iter().for_each(change);
        }
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
