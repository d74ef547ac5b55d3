//! The list of samples: its scroll position, its columns and the content of its rows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::selection::ShownSamples;
use crate::app::job::{Job, JobContext};
use crate::app::{App, Pane};
use crate::dataset::{Buffers, Dataset, Sample, SampleBody};
use crate::findings::{Finding, findings};
use crate::model::{Response, ResponseId, Verdict};
use crate::query::{self, Field, FieldValue, QueryError, ReviewIndex, SortKey};
use crate::schema::{Label, LabelKind, Schema};
use crate::table::{ColumnId, ColumnKind, ColumnSource, FindingNumber};
use crate::text::{self, number};

/// A row of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRow {
    /// Number of the sample, from 0.
    pub sample: usize,
    /// Labels in short; empty for a malformed row.
    pub summary: ListCell,
    /// True if the row is malformed.
    pub malformed: bool,
    /// Beginning of the prompt, sanitised; for a malformed row the error.
    pub text: String,
    /// Whether to mark the sample as suspicious.
    pub flagged: RowFlag,
    /// The columns that the row was read for, with their cells.
    pub cells: Vec<(ListColumn, ListCell)>,
}

/// Whether a sample has findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFlag {
    /// No findings.
    No,
    /// Only findings about labels, which are hidden from a blind reviewer.
    ByLabels,
    /// Findings about its texts or its row.
    Yes,
}

impl RowFlag {
    fn of(findings: &[Finding]) -> Self {
        match findings {
            [] => Self::No,
            _ if findings.iter().all(Finding::reveals_labels) => Self::ByLabels,
            _ => Self::Yes,
        }
    }
}

/// Maximum width of an entry's text in cells: more than the widest list shows.
const ENTRY_WIDTH: usize = 160;
/// Larger samples, in bytes, are not read for the list, nor for cells that need their texts.
const LARGE: u64 = 256 << 10;

impl ListRow {
    /// Reads a sample as a row with these columns; `None` if there is no such sample.
    pub fn read(
        dataset: &Dataset,
        remarks: &ReviewIndex,
        sample: usize,
        columns: &[ListColumn],
        buffers: &mut Buffers,
    ) -> Option<Self> {
        let bytes = dataset.sample_bytes(sample);
        let cells = || {
            // Values that are not computed yet are read from the sample's rows.
            let is_read = |column: ColumnId| column.source.reads_texts() && !dataset.knows(column);
            let cell = |column: &ListColumn| {
                if bytes > LARGE && is_read(column.asked.column) {
                    ListCell::Nothing
                } else {
                    ListCell::of(dataset, remarks, column, sample)
                }
            };
            columns
                .iter()
                .map(|column| (column.clone(), cell(column)))
                .collect()
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
                RowFlag::No,
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
                    RowFlag::of(&findings(&sample)),
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
                RowFlag::No,
            ),
            SampleBody::Unreadable(error) => entry(
                None,
                text::one_line(&error.to_string(), ENTRY_WIDTH),
                RowFlag::No,
            ),
        }
    }
}

/// Formats a size in bytes as kB or MB, rounded up.
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
            let lead = sample
                .outcome
                .as_ref()
                .and_then(|outcome| outcome.lead(sample.responses.len()))
                .filter(|lead| *lead != 0.0);
            ListCell::Winner(verdict, lead.map_or_else(String::new, number))
        }
        (None, None) => ListCell::Nothing,
    }
}

/// Returns the first label's values of both responses, and the winner. Of more than two responses
/// it returns the greatest and the least value; A wins if a best response has the greatest.
fn rated_at_a_glance(sample: &Sample<'_>, verdict: Option<Verdict>) -> ListCell {
    let first = |response: &Response<'_>| response.ratings.first().copied().flatten();
    let spelled = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    match &*sample.responses {
        [] => ListCell::Nothing,
        [only] => ListCell::One(spelled(first(only))),
        [a, b] => ListCell::Pair(
            [a, b].map(first).map(spelled),
            verdict.and_then(Verdict::winner),
        ),
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

/// Scroll position and cached rows of the list.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// Position of the sample on the first row.
    pub top: usize,
    /// The rows read so far, by sample number.
    entries: BTreeMap<usize, ListRow>,
}

impl List {
    /// Returns the row of a sample if it was read.
    pub fn entry(&self, sample: usize) -> Option<&ListRow> {
        self.entries.get(&sample)
    }

    /// Returns the positions on screen in a list of `samples` samples.
    pub fn window(&self, height: usize, samples: usize) -> Range<usize> {
        self.top.min(samples)..(self.top + height).min(samples)
    }

    /// Returns the samples on screen whose rows were not read for these columns.
    pub fn missing(
        &self,
        height: usize,
        shown: &ShownSamples,
        columns: &[ListColumn],
    ) -> Vec<usize> {
        let window = self.window(height, shown.len());
        let fits = |entry: &ListRow| entry.cells.iter().map(|(column, _)| column).eq(columns);
        shown
            .samples(window)
            .filter(|sample| !self.entries.get(sample).is_some_and(fits))
            .collect()
    }

    /// Drops all rows.
    pub fn forget(&mut self) {
        self.entries.clear();
    }

    /// Scrolls as little as needed to show the selected position, or centres it if it was far away.
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

/// A column of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListColumn {
    /// Heading: the field as written in a query.
    pub name: String,
    /// The field to show.
    pub asked: Field,
}

/// The content of a list cell, sanitised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListCell {
    /// An empty cell.
    Nothing,
    /// One value.
    One(String),
    /// The values of two responses, "–" if missing, and the response with the greater number.
    Pair([String; 2], Option<ResponseId>),
    /// The suspicion score: the sum of the severities' weights.
    Suspicion(u32),
    /// The winner, and the margin if it is known.
    Winner(Verdict, String),
}

impl ListCell {
    /// Returns the cell of a sample. May read the sample's rows.
    pub fn of(
        dataset: &Dataset,
        remarks: &ReviewIndex,
        column: &ListColumn,
        sample: usize,
    ) -> Self {
        let shown = |value: Option<FieldValue>| {
            value.map(|value| match value {
                FieldValue::Number(value) => number(value),
                FieldValue::Word(word) => text::one_line(&word, MAX_CELLS),
            })
        };
        let or_dash = |value| shown(value).unwrap_or_else(|| "–".to_owned());
        match query::cell(dataset, remarks, column.asked, sample) {
            query::FieldCell::One(Some(FieldValue::Number(value)))
                if matches!(
                    column.asked.column.source,
                    ColumnSource::Findings(FindingNumber::Suspicion)
                ) =>
            {
                Self::Suspicion(value as u32)
            }
            query::FieldCell::One(value) => shown(value).map_or(Self::Nothing, Self::One),
            query::FieldCell::Responses(values) if values.iter().all(Option::is_none) => {
                Self::Nothing
            }
            query::FieldCell::Responses(values) if values.len() > 2 => Self::of_many(&values),
            query::FieldCell::Responses(values) => {
                let numbers = values.iter().flatten().filter_map(FieldValue::number);
                let greater = match numbers.collect::<Vec<_>>()[..] {
                    [a, b] if a > b => Some(ResponseId::A),
                    [a, b] if b > a => Some(ResponseId::B),
                    _ => None,
                };
                let mut values = values.into_iter().map(or_dash);
                let mut next = || values.next().unwrap_or_default();
                Self::Pair([next(), next()], greater)
            }
        }
    }

    /// Summarises more than two values: the greatest and the least number, or the number of words.
    fn of_many(values: &[Option<FieldValue>]) -> Self {
        let numbers = || values.iter().flatten().filter_map(FieldValue::number);
        match (numbers().reduce(f64::max)).zip(numbers().reduce(f64::min)) {
            Some((greatest, least)) => Self::One(format!("{}…{}", number(greatest), number(least))),
            None => Self::One(text::counted(values.iter().flatten().count(), "word")),
        }
    }
}

/// Maximum width of a word in cells.
const MAX_CELLS: usize = 24;
/// List width in cells from which default columns for labels are shown.
const WIDE_LIST: u16 = 56;
/// List height in rows from which a heading is shown.
const HEADED_FROM: u16 = 3;
/// Number of default columns besides the summary.
const DEFAULT_COLUMNS: usize = 2;

impl App {
    /// Returns the job that reads the rows on screen that were not read.
    pub(crate) fn list_rows_job(&self) -> Option<Job> {
        let (remarks, columns) = (Arc::clone(&self.data.remarks), self.columns());
        let height = self.list_height();
        let missing = self.list.missing(height, self.shown(), &columns);
        let read = move |missing: &Vec<usize>, of: &JobContext<'_, _>| {
            let mut buffers = Buffers::default();
            let read = |&sample: &usize| {
                ListRow::read(of.dataset, &remarks, sample, &columns, &mut buffers)
            };
            Some(missing.iter().filter_map(read).collect())
        };
        (!missing.is_empty()).then(|| {
            Job::new("lister", &self.data, missing, true, read, |app, _, rows| {
                app.take_rows(rows);
            })
        })
    }

    /// Adds rows, and drops rows far off screen.
    fn take_rows(&mut self, rows: Vec<ListRow>) {
        let (height, top) = (self.list_height(), self.list.top);
        let rows = rows.into_iter().map(|row| (row.sample, row));
        self.list.entries.extend(rows);
        if self.list.entries.len() > 5 * height {
            let near = top.saturating_sub(2 * height)..top + 3 * height;
            let kept: BTreeSet<_> = self.shown().samples(near).collect();
            self.list.entries.retain(|sample, _| kept.contains(sample));
        }
    }

    /// Returns the columns of the list except the summary.
    pub fn columns(&self) -> Vec<ListColumn> {
        let mut columns = match &self.settings.columns {
            Some(chosen) => chosen.clone(),
            None if self.geometry().list.width < WIDE_LIST => Vec::new(),
            // The summary shows the first label.
            None => self.labels(1, DEFAULT_COLUMNS),
        };
        // Fields of the sort order are always shown.
        let summarised = self
            .summarised()
            .filter(|_| self.shows_summary())
            .map(|column| column.asked);
        for asked in self.filter.query().sort.iter().filter_map(SortKey::field) {
            let sorted = self.column(asked);
            if Some(&sorted.asked) != summarised.as_ref()
                && !columns.iter().any(|column| column.asked == sorted.asked)
            {
                columns.push(sorted);
            }
        }
        columns.retain(|column| self.withheld_field(&column.asked).is_none());
        columns
    }

    /// True if the list shows the label summary: until the user chooses columns, and unless blind.
    pub fn shows_summary(&self) -> bool {
        self.settings.columns.is_none() && !self.is_blind()
    }

    /// Returns the label shown in the summary of the first file's samples; `None` if it shows the
    /// winner.
    fn summarised(&self) -> Option<ListColumn> {
        self.labels(0, 1).pop()
    }

    /// True if there is room for a heading row above the list.
    pub fn has_list_heading(&self) -> bool {
        self.geometry().inside(Pane::List).height >= HEADED_FROM
    }

    /// Chooses the columns by their comma-separated names; no name restores the default.
    ///
    /// # Errors
    /// If a name is not a field.
    pub(crate) fn choose_columns(&mut self, names: &str) -> Result<(), QueryError> {
        let mut chosen = Vec::new();
        let mut at = 0;
        for piece in names.split(',') {
            let name = piece.trim();
            let start = at + piece.len() - piece.trim_start().len();
            at += piece.len() + 1;
            if name.is_empty() {
                continue;
            }
            let wrong = |message: String| QueryError::new(start..start + name.len(), message);
            let asked =
                Field::named(name, &self.data.catalog).map_err(|error| wrong(error.message))?;
            if let Some(reason) = self.withheld_field(&asked) {
                return Err(wrong(reason.to_owned()));
            }
            chosen.push(ListColumn {
                name: name.to_owned(),
                asked,
            });
        }
        self.settings.columns = Some(chosen).filter(|chosen| !chosen.is_empty());
        Ok(())
    }

    /// Returns the column of a field, named as in a query.
    fn column(&self, asked: Field) -> ListColumn {
        ListColumn {
            name: asked.spelled(&self.data.catalog).to_string(),
            asked,
        }
    }

    /// Returns at most `most` labels of the first file's schema from index `from` on, as columns.
    fn labels(&self, from: usize, most: usize) -> Vec<ListColumn> {
        let Some(file) = self.data.dataset.files().first() else {
            return Vec::new();
        };
        file.schema
            .columns()
            .iter()
            .skip(from)
            .take(most)
            .filter(|column| column.kind == ColumnKind::Label)
            .map(|column| self.column(Field::of(column.id)))
            .collect()
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
