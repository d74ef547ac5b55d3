//! The list of samples: which rows of it are on screen, and what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::dataset::{Buffers, Dataset, Sample, SampleBody};
use crate::findings::{Finding, findings};
use crate::model::{Response, ResponseId, Verdict};
use crate::query::ReviewIndex;
use crate::schema::{Label, LabelKind, Schema};
use crate::table::ColumnId;
use crate::text::{self, number};

use super::columns::{ListCell, ListColumn};
use super::result::Shown;

/// A sample as a row of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRow {
    /// Number of the sample, from 0.
    pub sample: usize,
    /// What its labels say at a glance; nothing of a malformed row.
    pub summary: ListCell,
    /// Whether the row is malformed.
    pub malformed: bool,
    /// The beginning of its prompt, sanitised; for a malformed row the reason.
    pub text: String,
    /// Whether there is something in it that a reviewer should look at.
    pub flagged: Flagged,
    /// The columns that it was read for, and what it has of each.
    pub cells: Vec<(ListColumn, ListCell)>,
}

/// Whether something is suspicious in a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flagged {
    /// Nothing is.
    No,
    /// Only what the dataset says of it, which a blind reviewer is not to see.
    ByLabels,
    /// Its texts or its row.
    Yes,
}

impl Flagged {
    fn of(findings: &[Finding]) -> Self {
        match findings {
            [] => Self::No,
            _ if findings.iter().all(Finding::tells_of_labels) => Self::ByLabels,
            _ => Self::Yes,
        }
    }
}

/// Cells of text that an entry keeps: more than the widest list shows.
const ENTRY_WIDTH: usize = 160;
/// A sample of more bytes is not read for its list row, nor for a cell of it that is counted in texts.
const LARGE: u64 = 256 << 10;

impl ListRow {
    /// Reads a sample for its row in a list with these columns; `None` when the dataset has no such
    /// sample.
    pub fn read(
        dataset: &Dataset,
        remarks: &ReviewIndex,
        sample: usize,
        columns: &[ListColumn],
        buffers: &mut Buffers,
    ) -> Option<Self> {
        let bytes = dataset.sample_bytes(sample);
        let cells = || {
            // What nobody has counted yet is read from the sample's rows.
            let is_read = |column: ColumnId| column.source.reads_texts() && !dataset.knows(column);
            let cell = |column: &ListColumn| match bytes > LARGE && is_read(column.asked.column) {
                true => ListCell::Nothing,
                false => ListCell::of(dataset, remarks, column, sample),
            };
            let cells = columns.iter().map(|column| (column.clone(), cell(column)));
            cells.collect()
        };
        let entry = |summary: Option<ListCell>, text, flagged| {
            Some(Self {
                sample,
                malformed: summary.is_none(),
                summary: summary.unwrap_or(ListCell::Nothing),
                text,
                flagged,
                cells: cells(),
            })
        };
        if bytes > LARGE {
            return entry(
                Some(ListCell::Nothing),
                format!("({})", text_size(bytes)),
                Flagged::No,
            );
        }
        let reading = dataset.read(sample, buffers)?;
        match reading.body {
            SampleBody::Sample(sample) => {
                let text = (sample.opening())
                    .map(|turn| text::one_line(&turn.text, ENTRY_WIDTH))
                    .unwrap_or_default();
                entry(
                    Some(summary(reading.schema, &sample)),
                    text,
                    Flagged::of(&findings(&sample)),
                )
            }
            SampleBody::Malformed {
                place, row_error, ..
            } => entry(
                None,
                format!(
                    "{} {}: {}",
                    place.unit,
                    place.line,
                    text::one_line(&row_error.reason, ENTRY_WIDTH)
                ),
                Flagged::No,
            ),
            SampleBody::Unreadable(error) => entry(
                None,
                text::one_line(&error.to_string(), ENTRY_WIDTH),
                Flagged::No,
            ),
        }
    }
}

/// A number of bytes for people.
pub fn text_size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn summary(schema: &Schema, sample: &Sample<'_>) -> ListCell {
    let verdict = sample.outcome.as_ref().map(|outcome| outcome.verdict);
    let is_rated = |label: &&Label| label.kind == LabelKind::Label;
    let rated = schema.labels().first().filter(is_rated);
    match (rated, verdict) {
        (Some(_), _) => rated_at_a_glance(sample, verdict),
        (None, Some(verdict)) => {
            let outcome = sample.outcome.as_ref();
            let lead = outcome.and_then(|outcome| outcome.lead(sample.responses.len()));
            let lead = lead.filter(|lead| *lead != 0.0);
            ListCell::Winner(verdict, lead.map_or_else(String::new, number))
        }
        (None, None) => ListCell::Nothing,
    }
}

/// The first label's value of both responses, with who wins; of more than two the greatest and the
/// least, where A stands for a best response that has the greatest.
fn rated_at_a_glance(sample: &Sample<'_>, verdict: Option<Verdict>) -> ListCell {
    let first = |response: &Response<'_>| response.ratings.first().copied().flatten();
    let spelled = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    match &*sample.responses {
        [] => ListCell::Nothing,
        [only] => ListCell::One(spelled(first(only))),
        [a, b] => {
            let winner = verdict.and_then(Verdict::winner);
            ListCell::Pair([a, b].map(first).map(spelled), winner)
        }
        responses => {
            let values = || responses.iter().filter_map(first);
            let (greatest, least) = (values().reduce(f64::max), values().reduce(f64::min));
            let is_greatest =
                |id: ResponseId| responses.get(id.index()).and_then(first) == greatest;
            let has_winners = match verdict {
                Some(Verdict::Best(best)) => best.iter().any(is_greatest),
                _ => false,
            };
            let ends = [greatest, least].map(spelled);
            ListCell::Pair(ends, has_winners.then_some(ResponseId::A))
        }
    }
}

/// Which rows show.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// Position of the sample on the first row.
    pub top: usize,
    /// What was read of the rows on screen, by the number of the sample.
    entries: BTreeMap<usize, ListRow>,
}

impl List {
    /// The entry of a sample, if it was read.
    pub fn entry(&self, sample: usize) -> Option<&ListRow> {
        self.entries.get(&sample)
    }

    /// The positions on screen, of so many samples.
    pub fn window(&self, height: usize, samples: usize) -> Range<usize> {
        self.top.min(samples)..(self.top + height).min(samples)
    }

    /// Samples on screen that were not read yet, or for other columns.
    pub fn missing(&self, height: usize, shown: &Shown, columns: &[ListColumn]) -> Vec<usize> {
        let window = self.window(height, shown.len());
        let fits = |entry: &ListRow| entry.cells.iter().map(|(column, _)| column).eq(columns);
        shown
            .samples(window)
            .filter(|sample| !self.entries.get(sample).is_some_and(fits))
            .collect()
    }

    /// Takes entries, and forgets those far off screen.
    pub fn take(&mut self, entries: Vec<ListRow>, height: usize, shown: &Shown) {
        self.entries
            .extend(entries.into_iter().map(|entry| (entry.sample, entry)));
        if self.entries.len() > 5 * height {
            let near = self.top.saturating_sub(2 * height)..self.top + 3 * height;
            let kept: BTreeSet<_> = shown.samples(near).collect();
            self.entries.retain(|sample, _| kept.contains(sample));
        }
    }

    /// Forgets what was read.
    pub fn forget(&mut self) {
        self.entries.clear();
    }

    /// Scrolls so that the selected position shows, no further than needed, but centred when it was
    /// far away.
    pub fn follow(&mut self, selected: usize, height: usize, samples: usize) {
        let height = height.max(1);
        let bottom = samples.saturating_sub(height);
        if selected < self.top {
            let far = self.top - selected > height;
            self.top = selected.saturating_sub(if far { height / 2 } else { 0 });
        } else if selected >= self.top + height {
            let far = selected - self.top > 2 * height;
            self.top = (selected + 1).saturating_sub(if far { height / 2 } else { height });
        }
        self.top = self.top.min(bottom);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_value_is_coloured_where_it_is_the_winners() {
        let response = |value: f64| Response {
            ratings: vec![Some(value)],
            ..Response::default()
        };
        let sample = Sample {
            responses: [1.0, 4.0, 0.0].map(response).to_vec(),
            ..Sample::default()
        };
        for (winner, coloured) in [(1, Some(ResponseId::A)), (2, None)] {
            let verdict = ResponseId::new(winner).map(Verdict::wins);
            let expected = ListCell::Pair(["4", "0"].map(str::to_owned), coloured);
            assert_eq!(rated_at_a_glance(&sample, verdict), expected, "{winner}");
        }
    }

    #[test]
    fn the_window_follows_the_selection() {
        for (top, selected, height, samples, expected) in [
            (0, 0, 10, 100, 0),
            (0, 9, 10, 100, 0),
            (0, 10, 10, 100, 1),
            (5, 4, 10, 100, 4),
            (0, 50, 10, 100, 46),
            (80, 10, 10, 100, 5),
            (0, 99, 10, 100, 90),
            (95, 99, 10, 100, 90),
            (0, 1, 0, 2, 1),
            (0, 0, 10, 0, 0),
        ] {
            let mut list = List {
                top,
                ..List::default()
            };
            list.follow(selected, height, samples);
            assert_eq!(list.top, expected, "{top} {selected} {height} {samples}");
        }
    }
}
