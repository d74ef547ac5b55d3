//! Lists of samples with chosen columns: a table for the screen, TSV, JSON Lines.
//!
//! A line is a sample, with the values of its responses side by side, or a single response.

use std::borrow::Cow;
use std::io::Write;

use serde_json::{Map, Value, json};

use super::json_number::json_number;
use super::table::with_roles;
use super::{ExportError, read};
use crate::dataset::{Buffers, Dataset, LoadedSample, SampleBody, SampleKey};
use crate::model::ResponseId;
use crate::query::{
    Catalog, Field, FieldCell, FieldValue, QueryError, QueryResult, ReviewIndex, cell,
};
use crate::text::{number, one_line, width};

/// A column of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum ListedColumn {
    /// The key of the sample: 32 hex digits.
    Key,
    /// The letter of each response.
    Side,
    /// The prompt; several turns with the role before each.
    Prompt,
    /// The text of each response.
    Response,
    /// The names of the rules with findings on the sample, the worst first.
    Finding,
    /// The file of the sample, or of each response if their rows are in several.
    File,
    /// Why a row is malformed.
    Malformed,
    /// A field of a query, under the name that the user typed.
    Field(String, Field),
}

impl ListedColumn {
    /// Columns that are not fields, by name.
    const OTHERS: [(&str, Self); 7] = [
        ("key", Self::Key),
        ("side", Self::Side),
        ("prompt", Self::Prompt),
        ("response", Self::Response),
        ("finding", Self::Finding),
        ("file", Self::File),
        ("malformed", Self::Malformed),
    ];

    /// Parses the name of a column: one of CSV, otherwise a field of a query.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn named(name: &str, catalog: &Catalog) -> Result<Self, QueryError> {
        let lower = name.to_lowercase();
        match Self::OTHERS.into_iter().find(|(other, _)| *other == lower) {
            Some((_, column)) => Ok(column),
            None => Ok(Self::Field(name.to_owned(), Field::named(name, catalog)?)),
        }
    }

    /// Returns the default columns: the place of the sample, its labels, the verdict and the
    /// prompt; for single responses their text.
    pub fn default_columns(dataset: &Dataset, catalog: &Catalog, per_response: bool) -> Vec<Self> {
        let field = |name: &str| Self::named(name, catalog).ok();
        let described = dataset
            .files()
            .iter()
            .flat_map(|file| file.schema.columns());
        let mut columns: Vec<Self> = field("sample").into_iter().collect();
        columns.extend((dataset.files().len() > 1).then_some(Self::File));
        columns.extend(field("row"));
        columns.extend(per_response.then_some(Self::Side));
        for label in described.filter(|column| column.id.is_rating()) {
            let label = Field::of(label.id);
            let column = Self::Field(label.spelled(catalog).to_string(), label);
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns.extend((!per_response).then(|| field("verdict")).flatten());
        columns.push(if per_response {
            Self::Response
        } else {
            Self::Prompt
        });
        columns
    }

    /// Returns the heading.
    pub fn name(&self) -> &str {
        if let Self::Field(name, _) = self {
            return name;
        }
        let mut others = Self::OTHERS.iter();
        others
            .find(|(_, other)| other == self)
            .map_or("", |(name, _)| name)
    }

    /// Returns the field that it shows.
    pub const fn field(&self) -> Option<Field> {
        match self {
            Self::Field(_, field) => Some(*field),
            _ => None,
        }
    }

    /// True if it needs the text of the sample.
    const fn reads_sample(&self) -> bool {
        !matches!(self, Self::Field(..) | Self::Finding | Self::File)
    }

    /// True if its values may be long.
    const fn is_text(&self) -> bool {
        matches!(self, Self::Prompt | Self::Response)
    }
}

/// The format of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingFormat {
    /// A table with headings, for the screen.
    Table {
        /// Maximum cells of a line, for which values are cut and columns omitted; `None` for no
        /// limit.
        width: Option<usize>,
    },
    /// Tab-separated, with headings; tabs, line breaks and backslashes are escaped as `\t`, `\n`,
    /// `\r`, `\\`.
    Tsv,
    /// JSON Lines: an object per line.
    Json,
}

/// The samples and columns to list.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// The dataset of the samples.
    pub dataset: &'a Dataset,
    /// The remarks of reviewers, as far as the columns need them.
    pub remarks: &'a ReviewIndex,
    /// The columns.
    pub columns: &'a [ListedColumn],
    /// The samples, in this order.
    pub found: &'a QueryResult,
    /// True for a line per matching response instead of per sample.
    pub per_response: bool,
}

/// Lines of a table that determine the column widths.
const MEASURED: usize = 500;
/// Maximum width of a column that is not text, if there is room, and if not.
const ROOMY: usize = 60;
const WIDEST: usize = 24;
/// Cells kept of a heading that is cut.
const NAME: usize = 6;
/// A width that fits any value.
const WHOLE: usize = u32::MAX as usize;
/// Maximum width of a text before the last column.
const TEXT: usize = 40;
/// Minimum width of a cut text, and of the last column if it is that long.
const LEAST: usize = 16;
/// Minimum width of another column before one is omitted: enough digits of a key to identify a
/// sample.
const SHORTEST: usize = 9;
/// Cells between two columns.
const GAP: usize = 2;

/// Writes a line per sample or response. Returns the names of the columns that do not fit into a
/// table.
///
/// # Errors
/// If a row cannot be read, or the output fails.
pub fn write_listing(
    listing: &Listing<'_>,
    format: ListingFormat,
    out: &mut dyn Write,
) -> Result<Vec<String>, ExportError> {
    let mut left_out = Vec::new();
    match format {
        ListingFormat::Table { width } => left_out = listing.write_table(width, out)?,
        ListingFormat::Tsv => {
            let names = listing.columns.iter().map(|column| escaped(column.name()));
            writeln!(out, "{}", names.collect::<Vec<_>>().join("\t"))?;
            listing.each(&mut |values| {
                let cells: Vec<_> = values.iter().map(|value| escaped(&plain(value))).collect();
                Ok(writeln!(out, "{}", cells.join("\t"))?)
            })?;
        }
        ListingFormat::Json => listing.each(&mut |values| {
            let names = listing
                .columns
                .iter()
                .map(|column| column.name().to_owned());
            let line: Map<_, _> = names.zip(values).collect();
            Ok(writeln!(out, "{}", Value::Object(line))?)
        })?,
    }
    out.flush()?;
    Ok(left_out)
}

/// Receives the values of a line.
type LineWriter<'w> = dyn FnMut(Vec<Value>) -> Result<(), ExportError> + 'w;

impl Listing<'_> {
    /// Passes the values of each line to `show`.
    fn each(&self, show: &mut LineWriter<'_>) -> Result<(), ExportError> {
        let mut buffers = Buffers::default();
        let reads_sample = self.columns.iter().any(ListedColumn::reads_sample);
        let found = self.found.samples.iter().zip(&self.found.matching);
        for (&sample, matching) in found {
            let reading = match reads_sample {
                true => Some(read(self.dataset, sample, &mut buffers)?),
                false => None,
            };
            let values: Vec<_> = (self.columns.iter())
                .map(|column| self.value(column, sample, reading.as_ref()))
                .collect();
            if !self.per_response {
                show(values)?;
                continue;
            }
            let responses = self.dataset.responses_of(sample as usize).unwrap_or(0);
            for response in (0..responses).filter(|at| matching.has(*at)) {
                let own = values.iter().zip(self.columns).map(|it| match it {
                    (Value::Array(values), column) if *column != ListedColumn::Finding => {
                        values.get(response).cloned().unwrap_or_default()
                    }
                    (value, _) => value.clone(),
                });
                show(own.collect())?;
            }
        }
        Ok(())
    }

    /// Returns the value of a column: a list for columns of responses, and of rules for findings.
    fn value(
        &self,
        column: &ListedColumn,
        sample: u32,
        reading: Option<&LoadedSample<'_, '_>>,
    ) -> Value {
        let body = reading.map(|reading| &reading.body);
        let read = body.and_then(SampleBody::sample);
        let responses = || read.iter().flat_map(|sample| &sample.responses);
        match column {
            ListedColumn::Key => {
                let key = body.and_then(SampleKey::of).map(|key| key.to_string());
                json!(key)
            }
            ListedColumn::Side => {
                let letters = ResponseId::first(responses().count());
                letters.map(|id| json!(id.word())).collect()
            }
            ListedColumn::Prompt => json!(read.map(|sample| with_roles(&sample.prompt))),
            ListedColumn::Response => responses().map(|it| json!(it.with_roles())).collect(),
            ListedColumn::File => {
                let rows = self.dataset.sample_rows(sample as usize);
                let rows = rows.iter().flat_map(|rows| rows.iter());
                let places = rows.filter_map(|row| self.dataset.place(row));
                let files = places.filter_map(|place| self.dataset.files().get(place.file));
                let names: Vec<_> = files.map(|file| json!(file.source.name())).collect();
                match names.split_first() {
                    Some((first, others)) if others.iter().all(|other| other == first) => {
                        first.clone()
                    }
                    _ => Value::Array(names),
                }
            }
            ListedColumn::Malformed => match body {
                Some(SampleBody::Malformed { row_error, .. }) => json!(row_error.reason),
                _ => Value::Null,
            },
            ListedColumn::Finding => {
                let found = self.dataset.findings();
                let fires = found.of(sample..sample + 1).iter();
                let names = fires.filter_map(|it| found.names.get(usize::from(it.rule)));
                names.map(|name| json!(**name)).collect()
            }
            ListedColumn::Field(_, field) => {
                let value = |value: Option<FieldValue>| match value {
                    Some(FieldValue::Number(number)) => json_number(number),
                    Some(FieldValue::Word(word)) => json!(word),
                    None => Value::Null,
                };
                match cell(self.dataset, self.remarks, *field, sample as usize) {
                    FieldCell::One(one) => value(one),
                    FieldCell::Responses(values) => {
                        // A malformed row has no responses, so its value belongs to the row.
                        let responses = self.dataset.responses_of(sample as usize).unwrap_or(0);
                        if responses == 0 {
                            return value(values.into_iter().flatten().next());
                        }
                        let values = values.into_iter().take(responses);
                        values.map(value).collect()
                    }
                }
            }
        }
    }

    /// Writes aligned columns, with widths from the first lines. Returns the names of columns that
    /// do not fit.
    fn write_table(
        &self,
        width: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<Vec<String>, ExportError> {
        let mut table = ListingTable {
            columns: self.columns,
            width,
            waiting: Vec::new(),
            widest: Vec::new(),
            layout: None,
            out,
        };
        self.each(&mut |values| table.add(&values))?;
        table.write_waiting()?;
        Ok(table.left_out())
    }
}

/// A table that buffers its first lines until the column widths are known.
struct ListingTable<'t> {
    columns: &'t [ListedColumn],
    width: Option<usize>,
    waiting: Vec<Vec<String>>,
    /// Width of each column with its heading, and without.
    widest: Vec<[usize; 2]>,
    /// The visible columns (index and width).
    layout: Option<Vec<(usize, usize)>>,
    out: &'t mut dyn Write,
}

impl ListingTable<'_> {
    fn add(&mut self, values: &[Value]) -> Result<(), ExportError> {
        let cells = values.iter().zip(self.columns).map(|(value, column)| {
            let most = match self.width {
                Some(width) if column.is_text() => width.max(LEAST),
                Some(_) => ROOMY,
                None => WHOLE,
            };
            one_line(&shown(value), most)
        });
        let cells: Vec<_> = cells.collect();
        match &self.layout {
            Some(_) => self.write_line(&cells),
            None => {
                self.waiting.push(cells);
                match self.waiting.len() < MEASURED {
                    true => Ok(()),
                    false => self.write_waiting(),
                }
            }
        }
    }

    fn write_waiting(&mut self) -> Result<(), ExportError> {
        if self.layout.is_none() {
            let most = self.width.map_or(WHOLE, |_| ROOMY);
            let headings: Vec<_> = (self.columns.iter())
                .map(|column| one_line(column.name(), most))
                .collect();
            self.waiting.insert(0, headings);
            let cells = |at: usize| self.waiting.iter().map(move |line| line.get(at));
            let cells = |at| cells(at).map(|cell| cell.map_or(0, |cell| width(cell)));
            let widest = |at, from| cells(at).skip(from).max().unwrap_or(0);
            let columns = 0..self.columns.len();
            self.widest = columns
                .clone()
                .map(|at| [widest(at, 0), widest(at, 1)])
                .collect();
            self.layout = Some(match self.width {
                Some(width) => self.lay_out(width),
                // Nothing is cut: a value wider than most shifts the rest of its line, because one
                // long text would otherwise pad all lines.
                None => columns
                    .map(|at| (at, self.widest(at, 0).min(ROOMY)))
                    .collect(),
            });
        }
        for line in std::mem::take(&mut self.waiting) {
            self.write_line(&line)?;
        }
        Ok(())
    }

    /// Chooses the visible columns (index and width). Headings and values other than texts are cut
    /// first; then columns are omitted from the last but one backwards, so that the first (which
    /// sample) and the last (its text) stay.
    fn lay_out(&self, width: usize) -> Vec<(usize, usize)> {
        let mut left: Vec<usize> = (0..self.columns.len()).collect();
        loop {
            // Maximum width of other columns and of texts, and 1 if headings are cut.
            let layout = |(most, text, is_cut): (usize, usize, usize)| -> Vec<(usize, usize)> {
                let columns = left.iter().map(|&at| {
                    let most = if self.is_text(at) { text } else { most };
                    let named = self.widest(at, is_cut).max(NAME);
                    (at, self.widest(at, 0).min(most).min(named))
                });
                columns.collect()
            };
            let whole = [(ROOMY, TEXT, 0), (WIDEST, TEXT, 0), (WIDEST, LEAST, 0)];
            let cut = (SHORTEST..=WIDEST).rev().map(|most| (most, LEAST, 1));
            let mut layouts = whole.into_iter().chain(cut).map(layout);
            let mut layout = match layouts.find(|layout| self.fits(layout, width)) {
                Some(layout) => layout,
                None if left.len() > 2 => {
                    left.remove(left.len() - 2);
                    continue;
                }
                None => layout((SHORTEST, LEAST, 1)),
            };
            if let [first, last] = layout.as_mut_slice() {
                let room = width.saturating_sub(GAP + self.least(last.0));
                first.1 = first.1.min(room.max(NAME));
            }
            return self.fill_width(layout, width);
        }
    }

    /// Returns the width of a column, with its heading or (`from` 1) without.
    fn widest(&self, at: usize, from: usize) -> usize {
        self.widest.get(at).map_or(0, |widest| widest[from])
    }

    fn is_text(&self, at: usize) -> bool {
        self.columns.get(at).is_some_and(ListedColumn::is_text)
    }

    /// Returns the minimum width of a column in last position.
    fn least(&self, at: usize) -> usize {
        match self.is_text(at) {
            true => LEAST,
            false => self.widest(at, 0).min(LEAST),
        }
    }

    fn fits(&self, layout: &[(usize, usize)], width: usize) -> bool {
        layout
            .split_last()
            .is_none_or(|((last, _), before)| cells_of(before) + self.least(*last) <= width)
    }

    /// Text columns share the remaining width, each up to its need; the last column takes the rest.
    fn fill_width(&self, mut layout: Vec<(usize, usize)>, width: usize) -> Vec<(usize, usize)> {
        if let Some(((last, own), before)) = layout.split_last_mut() {
            let room = width.saturating_sub(cells_of(before));
            *own = (*own).min(room).max(self.least(*last));
        }
        let gaps = GAP * layout.len().saturating_sub(1);
        let texts = layout.iter_mut().partition(|(at, _)| self.is_text(*at));
        let (texts, others): (Vec<_>, Vec<_>) = texts;
        let others: usize = others.iter().map(|(_, own)| *own).sum();
        let mut room = width.saturating_sub(gaps + others);
        let texts = texts.into_iter();
        let mut texts: Vec<_> = texts.map(|(at, own)| (self.widest(*at, 0), own)).collect();
        // Shortest first: the width that they do not need goes to the others.
        texts.sort_by_key(|(need, _)| *need);
        let count = texts.len();
        for (place, (need, own)) in texts.into_iter().enumerate() {
            *own = (*own).min(LEAST).max(need.min(room / (count - place)));
            room = room.saturating_sub(*own);
        }
        if let Some(((_, own), before)) = layout.split_last_mut() {
            *own = (*own).max(width.saturating_sub(cells_of(before)));
        }
        layout
    }

    /// Left-aligns numbers too, because a cell for two responses contains both.
    fn write_line(&mut self, cells: &[String]) -> Result<(), ExportError> {
        let mut line = String::new();
        for (at, own) in self.layout.as_deref().unwrap_or_default() {
            let cell = cells.get(*at).map(String::as_str).unwrap_or_default();
            let cell = match self.width.is_some() && width(cell) > *own {
                true => Cow::Owned(one_line(cell, *own)),
                false => Cow::Borrowed(cell),
            };
            line.push_str(&cell);
            let gap = own.saturating_sub(width(&cell)) + GAP;
            line.push_str(&" ".repeat(gap));
        }
        Ok(writeln!(self.out, "{}", line.trim_end())?)
    }

    /// Returns the names of the omitted columns.
    fn left_out(&self) -> Vec<String> {
        let shown = self.layout.as_deref().unwrap_or_default();
        let is_shown = |at: usize| shown.iter().any(|(shown, _)| *shown == at);
        let columns = self.columns.iter().enumerate();
        let left_out = columns.filter(|(at, _)| !is_shown(*at));
        left_out.map(|(_, it)| it.name().to_owned()).collect()
    }
}

/// Returns the width of all columns but the last, with their gaps.
fn cells_of(columns: &[(usize, usize)]) -> usize {
    columns.iter().map(|(_, own)| own + GAP).sum()
}

/// Formats a value for a table, with the values of several responses in order.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Number(value) => value.as_f64().map_or_else(|| value.to_string(), number),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(shown).collect();
            let is_text = values
                .iter()
                .any(|value| value.contains(char::is_whitespace));
            values.join(if is_text { " │ " } else { " " })
        }
        other => plain(other),
    }
}

/// Formats a value without quotes: empty if missing; values of several responses are separated by
/// commas, or a JSON list if one contains a comma.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // Texts with commas would be ambiguous.
        Value::Array(values) if values.iter().any(has_comma) => value.to_string(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn has_comma(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains(','))
}

/// Escapes a cell of TSV.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    text.replace('\n', "\\n").replace('\r', "\\r")
}

#[cfg(test)]
mod tests;
