//! Lines typed before: filters, searches and commands.

use super::LineKind;

/// Maximum number of lines in a history.
pub const HISTORY: usize = 500;

/// Lines typed before, oldest first, without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    lines: Vec<String>,
}

/// The histories of all kinds of lines that have one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histories {
    /// Filters of this dataset.
    pub filters: History,
    /// Searches in this dataset.
    pub searches: History,
    /// Commands of this run.
    pub commands: History,
}

impl History {
    /// Builds a history from lines, oldest first; blank lines and earlier duplicates are skipped.
    pub fn read<'l>(lines: impl DoubleEndedIterator<Item = &'l str>) -> Self {
        let mut kept: Vec<String> = Vec::new();
        for line in lines.rev().filter(|line| !line.trim().is_empty()) {
            if kept.len() == HISTORY {
                break;
            }
            if !kept.iter().any(|known| known == line) {
                kept.push(line.to_owned());
            }
        }
        kept.reverse();
        Self { lines: kept }
    }

    /// Returns the lines, oldest first.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Adds a line as the newest and drops the oldest ones above [`HISTORY`].
    pub(super) fn push(&mut self, line: &str) {
        self.lines.retain(|known| known != line);
        self.lines.push(line.to_owned());
        let too_many = self.lines.len().saturating_sub(HISTORY);
        self.lines.drain(..too_many);
    }
}

impl Histories {
    /// Returns the history of a kind of line; `None` if it has none.
    pub(super) fn of(&self, kind: LineKind) -> Option<&History> {
        match kind {
            LineKind::Filter => Some(&self.filters),
            LineKind::Search => Some(&self.searches),
            LineKind::Command => Some(&self.commands),
            _ => None,
        }
    }

    /// Adds a line to the history of its kind.
    pub(super) fn remember(&mut self, kind: LineKind, line: &str) {
        match kind {
            LineKind::Filter => self.filters.push(line),
            LineKind::Search => self.searches.push(line),
            LineKind::Command => self.commands.push(line),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_are_kept_once() {
        let mut typed = History::default();
        let lines: Vec<_> = (0..600).map(|number| (number % 550).to_string()).collect();
        lines.iter().for_each(|line| typed.push(line));
        let kept = typed.lines();
        assert_eq!(
            (kept.len(), kept[0].as_str(), kept[HISTORY - 1].as_str()),
            (HISTORY, "100", "49")
        );
        let read = History::read(
            [" ", "0"]
                .into_iter()
                .chain(lines.iter().map(String::as_str)),
        );
        assert_eq!(read, typed, "reading all lines gives the same history");
    }
}
