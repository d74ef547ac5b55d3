//! Where a definition looks for the values of its columns, told as paths from the record on.

use super::definition::{Definition, RatingSource, ResponsePaths, VerdictRule};
use super::path::Path;
use super::vote_path::VotePaths;

impl Definition {
    /// Where the values of a label stand, from the record on, each with the place of its
    /// `[[response]]`; none where the place of a response says its value.
    pub fn paths_of_label(&self, name: &str) -> Vec<(usize, Path)> {
        let path = |paths: &ResponsePaths| match paths.ratings.get(name)? {
            RatingSource::Path(path) => Some(match &paths.each {
                Some(each) => each.each_then(path),
                None => path.clone(),
            }),
            RatingSource::Constant(_) => None,
        };
        let tables = self.responses.iter().enumerate();
        let paths = tables.filter_map(|(table, paths)| Some((table, path(paths)?)));
        paths.collect()
    }

    /// The paths whose values say who wins, where they are read of the row.
    pub fn verdict_values(&self) -> Vec<&Path> {
        match self.rule() {
            // The others name the responses.
            Some(VerdictRule::ByName(rule)) => vec![&rule.path],
            _ => self.verdict_paths(),
        }
    }

    /// The paths of texts about samples and responses, from the record on, each with the name of its
    /// text.
    pub fn paths_of_texts(&self) -> impl Iterator<Item = (Path, &str)> {
        let texts = self.places_of_texts().into_iter();
        texts.filter_map(|(text, table)| {
            let text = self.texts.get(text)?;
            let path = match table {
                None => text.path.clone()?,
                Some(table) => {
                    let response = self.responses.get(table)?;
                    let path = response.texts.get(&text.name)?;
                    let each = response.each.as_ref();
                    each.map_or_else(|| path.clone(), |each| each.each_then(path))
                }
            };
            Some((path, &*text.name))
        })
    }

    /// For each path of a text its `[[text]]` and, where it is about responses, the `[[response]]` that
    /// has the path.
    pub(super) fn places_of_texts(&self) -> Vec<(usize, Option<usize>)> {
        let mut places = Vec::new();
        for (place, text) in self.texts.iter().enumerate() {
            let tables = self.responses.iter().enumerate();
            let tables = tables.filter(|(_, paths)| paths.texts.contains_key(&text.name));
            places.extend(text.path.as_ref().map(|_| (place, None)));
            places.extend(tables.map(|(table, _)| (place, Some(table))));
        }
        places
    }

    /// The paths of what annotators say of who wins, from the record on.
    pub fn paths_of_votes(&self) -> impl Iterator<Item = Path> {
        self.votes.iter().map(VotePaths::whole_path)
    }
}
