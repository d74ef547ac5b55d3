//! Samples as a table: one list of columns for `list`, TSV, JSON and CSV.
//!
//! CSV (RFC 4180) has a line per response, for spreadsheets and data frames. Its columns, in this
//! order: `sample` (its number, from 1), `file`, `row` (from 1), `key`, `side` (a,
//! b; empty for a malformed row), `matches` (whether the response matches the query; true without
//! one), `prompt` (several turns with the role before each), `response`, each label, `verdict` (a,
//! b, tie), `margin` (A minus B), each fact, `votes.each` if annotators vote for responses (`kim:
//! a;lee: b`), each text about the sample or the response (those of several annotators separated by
//! an empty line), `malformed` (the reason; the text is only in the file), `marked`, `tags` (joined
//! by `;`), `notes` (a line or more per reviewer, after the name and the meaning of letters if
//! responses had another order), and for each reviewer with ratings: `NAME: LABEL` for each label,
//! `NAME: verdict` (given, or derived from labels), `NAME: strength`, `NAME: state` (judged:
//! complete; partial; skipped; deferred), `NAME: audit` (empty outside of audits), `NAME: pass`,
//! `NAME: blind` and `NAME: swapped` (true, false), `NAME: time` (UTC, of the latest judgment),
//! `NAME: order`, and `NAME: seen` (true, false). All these are of the rating as first given,
//! before the dataset's judgment was shown, which is what agreement figures count; `NAME: after
//! reveal` names what happened to it then, and `NAME: later` describes its current state. For
//! several ratings of a sample, this is the latest of the first pass that figures count; JSON Lines
//! have all. Last come computed columns and those of files opened with `--with`, under their names
//! in queries (after `computed.` if the name is taken). Values of the sample are on both of its
//! lines. A name that is taken is prefixed by `label.`, `fact.` or `text.`.
//!
//! Spreadsheets treat a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break as a
//! formula, even in quotes, and responses may contain anything: such a text is prefixed by an
//! apostrophe, numbers are not. A text with such a character after apostrophes gets one more, so
//! that removing one apostrophe from every cell with such a character after apostrophes restores
//! the texts.

mod columns;
mod widths;

use std::io::Write;

use csv::{ErrorKind, Terminator, WriterBuilder};
use serde_json::{Map, Value};

use super::{ExportError, ExportRequest, MatchedResponses, read, review};
use crate::dataset::{Buffers, Dataset, SampleBody, SampleKey};
use crate::query::{QueryResult, ReviewIndex};
use crate::review::RatingForm;
use crate::text::exact_number;
pub use columns::ListedColumn;
use columns::{SheetCell, SheetSample, exported};

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
    let names = || listing.columns.iter().map(ListedColumn::name);
    let mut left_out = Vec::new();
    match format {
        ListingFormat::Table { width } => {
            let mut table = widths::Table::new(listing.columns, width, out);
            listing.each(&mut |values| table.add(&values))?;
            left_out = table.finish()?;
        }
        ListingFormat::Tsv => {
            writeln!(
                out,
                "{}",
                names().map(escaped).collect::<Vec<_>>().join("\t")
            )?;
            listing.each(&mut |values| {
                let cells = values.iter().map(|value| escaped(&plain(value)));
                Ok(writeln!(out, "{}", cells.collect::<Vec<_>>().join("\t"))?)
            })?;
        }
        ListingFormat::Json => listing.each(&mut |values| {
            let line: Map<_, _> = names().map(str::to_owned).zip(values).collect();
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
        let reads = self.columns.iter().any(ListedColumn::reads_sample);
        for (&number, matching) in self.found.samples.iter().zip(&self.found.matching) {
            let reading = if reads {
                Some(read(self.dataset, number, &mut buffers)?)
            } else {
                None
            };
            let sample = SheetSample {
                dataset: self.dataset,
                remarks: self.remarks,
                number,
                key: reading.as_ref().and_then(|it| SampleKey::of(&it.body)),
                matched: MatchedResponses(Some(*matching)),
                reading: reading.as_ref(),
                remark: None,
                form: review::SampleForm {
                    scale: None,
                    responses: self.dataset.responses_of(number as usize).unwrap_or(0),
                },
            };
            let cells: Vec<_> = self.columns.iter().map(|it| it.cell(&sample)).collect();
            if !self.per_response {
                show(cells.into_iter().map(SheetCell::whole).collect())?;
                continue;
            }
            for response in (0..sample.form.responses).filter(|at| matching.has(*at)) {
                show(cells.iter().map(|cell| cell.of(response)).collect())?;
            }
        }
        Ok(())
    }
}

/// Writes a table with a line per response.
pub(super) fn write(
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
    keep_going: &dyn Fn(usize) -> bool,
) -> Result<usize, ExportError> {
    let columns = exported(request);
    let mut table = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    let headings = columns
        .iter()
        .map(|it| escape_formula(it.name().to_owned()));
    table.write_record(headings).map_err(failed)?;
    let (scales, remarks) = (
        RatingForm::of_files(request.dataset),
        ReviewIndex::default(),
    );
    let samples = request.each(keep_going, &mut |it| {
        let (reading, read) = (it.reading, it.reading.body.sample());
        let scale = reading
            .places
            .first()
            .and_then(|place| scales.get(place.file));
        let responses = read.map_or(0, |sample| sample.responses.len());
        let sample = SheetSample {
            dataset: request.dataset,
            remarks: &remarks,
            number: it.number,
            key: it.key,
            matched: it.matched,
            reading: Some(reading),
            remark: it.remark,
            form: review::SampleForm { scale, responses },
        };
        let cells: Vec<_> = columns.iter().map(|column| column.cell(&sample)).collect();
        let is_single = matches!(reading.body, SampleBody::Malformed { .. });
        let rows = 0..responses.max(usize::from(is_single));
        let mut rows =
            rows.filter(|at| !request.matching_only || (*at < responses && it.matched.has(*at)));
        rows.try_for_each(|at| {
            let record = cells
                .iter()
                .map(|cell| escape_formula(spelled(&cell.of(at))));
            table.write_record(record).map_err(failed)
        })
    })?;
    table.flush()?;
    Ok(samples)
}

fn failed(error: csv::Error) -> ExportError {
    match error.into_kind() {
        ErrorKind::Io(error) => ExportError::Output(error),
        other => ExportError::Output(std::io::Error::other(format!("{other:?}"))),
    }
}

/// Formats a value for CSV; texts of several values are separated by spaces.
fn spelled(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map_or(String::new(), exact_number),
        Value::Array(values) => values.iter().map(spelled).collect::<Vec<_>>().join(" "),
        other => plain(other),
    }
}

/// Formats a value without quotes: empty if missing; values of several responses are separated by
/// commas, or a JSON list if one contains a comma.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
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

/// Prefixes a text that spreadsheets would evaluate as a formula.
fn escape_formula(text: String) -> String {
    let sign = text.trim_start_matches('\'').chars().next();
    let is_formula = sign.is_some_and(|sign| "=+-@\t\r\n＝＋－＠".contains(sign));
    if is_formula && text.parse::<f64>().is_err() {
        format!("'{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests;
