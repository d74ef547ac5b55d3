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

    /// The paths of what annotators say of who wins, from the record on.
    pub fn paths_of_votes(&self) -> impl Iterator<Item = Path> {
        self.votes.iter().map(VotePaths::whole_path)
    }
}
