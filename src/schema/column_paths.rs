//! Where a definition looks for the values of its columns, told as paths from the record on.

use super::definition::{Definition, RatingSource, ResponsePaths, VerdictRule};
use super::path::Path;
use super::text_path::TextPath;
use super::vote_path::VotePaths;

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

impl Definition {
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
