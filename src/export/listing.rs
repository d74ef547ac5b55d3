//! Samples as lines of chosen columns: a table to look at, TSV, JSON Lines.
//!
//! A line is a sample, in which what each response has stands side by side, or one of its responses.

use std::borrow::Cow;
use std::io::Write;

use serde_json::{Map, Value, json};

use super::table::spoken;
use super::{ExportError, no_sample, review};
use crate::dataset::{Buffers, Dataset, LoadedSample, SampleBody, SampleKey};
use crate::model::ResponseId;
use crate::query::{
    Aggregate, Catalog, ColumnName, ColumnRef, Field, FieldCell, FieldValue, QueryError,
    QueryResult, Remarks, cell,
};
use crate::text::{number, one_line, width};

/// A column of a listing.
#[derive(Debug, Clone, PartialEq)]
pub enum ListedColumn {
    /// The key of the sample: 32 hex digits.
    Key,
    /// The letter of each response.
    Side,
    /// The prompt; several turns with who speaks before each.
    Prompt,
    /// The text of each response.
    Response,
    /// The names of the rules of findings that fire on the sample, the worst first.
    Finding,
    /// The file of the sample, or of each response where their rows stand in several.
    File,
    /// Why a row does not read.
    Malformed,
    /// A field of a query, under the name that was typed.
    Field(String, ColumnRef),
}

impl ListedColumn {
    const KEY: &str = "key";
    const SIDE: &str = "side";
    const PROMPT: &str = "prompt";
    const RESPONSE: &str = "response";
    const FINDING: &str = "finding";
    const FILE: &str = "file";
    const MALFORMED: &str = "malformed";

    /// The column of a name, as CSV has it, or else the field of a query.
    ///
    /// # Errors
    /// When there is no such field.
    pub fn named(name: &str, catalog: &Catalog) -> Result<Self, QueryError> {
        Ok(match name.to_lowercase().as_str() {
            Self::KEY => Self::Key,
            Self::SIDE => Self::Side,
            Self::PROMPT => Self::Prompt,
            Self::RESPONSE => Self::Response,
            Self::FINDING => Self::Finding,
            Self::FILE => Self::File,
            Self::MALFORMED => Self::Malformed,
            _ => {
                let field = ColumnRef::named(name, catalog)?;
                let no_field = || QueryError {
                    span: 0..name.len(),
                    message: format!("{name} is no field"),
                };
                Self::Field(name.to_owned(), field.ok_or_else(no_field)?)
            }
        })
    }

    /// What a listing shows where nobody chose: where a sample stands, its labels, who wins, and the
    /// prompt; of single responses the text as well.
    pub fn usual(dataset: &Dataset, catalog: &Catalog, per_response: bool) -> Vec<Self> {
        let field = |name: &str| Self::named(name, catalog).ok();
        let labels = dataset.files().iter().flat_map(|file| file.schema.labels());
        let mut columns: Vec<Self> = field("sample").into_iter().collect();
        columns.extend((dataset.files().len() > 1).then_some(Self::File));
        columns.extend(field("row"));
        columns.extend(per_response.then_some(Self::Side));
        for label in labels {
            let column = ColumnRef::Number(Field {
                view: Aggregate::Same,
                name: ColumnName::Label(label.name.clone()),
            });
            let column = Self::Field(column.spelled(catalog), column);
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

    /// Its heading.
    pub fn name(&self) -> &str {
        match self {
            Self::Key => Self::KEY,
            Self::Side => Self::SIDE,
            Self::Prompt => Self::PROMPT,
            Self::Response => Self::RESPONSE,
            Self::Finding => Self::FINDING,
            Self::File => Self::FILE,
            Self::Malformed => Self::MALFORMED,
            Self::Field(name, _) => name,
        }
    }

    /// The field of a query that it shows.
    pub const fn field(&self) -> Option<&ColumnRef> {
        match self {
            Self::Field(_, field) => Some(field),
            _ => None,
        }
    }

    /// Whether a sample is read for it.
    const fn reads_sample(&self) -> bool {
        !matches!(self, Self::Field(..) | Self::Finding | Self::File)
    }

    /// Whether its values can be long.
    const fn is_text(&self) -> bool {
        matches!(self, Self::Prompt | Self::Response)
    }
}

/// As what lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingFormat {
    /// For people, with headings, so many cells wide.
    Table {
        /// Cells of a line.
        width: usize,
    },
    /// Tab-separated, with headings; tabs, line breaks and backslashes spelled `\t`, `\n`, `\r`,
    /// `\\`.
    Tsv,
    /// JSON Lines: an object a line.
    Json,
}

/// What is listed.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// Where the samples are.
    pub dataset: &'a Dataset,
    /// What reviewers said, as far as a column asks for it.
    pub remarks: &'a Remarks,
    /// What is shown.
    pub columns: &'a [ListedColumn],
    /// The samples, in this order.
    pub found: &'a QueryResult,
    /// Whether a line is a response for which the query holds, instead of a sample.
    pub per_response: bool,
}

/// What a column says of a sample.
enum ListedValue {
    One(Value),
    Responses(Vec<Value>),
}

/// Lines of a table that decide how wide its columns are.
const MEASURED: usize = 500;
/// Cells of a column that is no text, where there is room, and where there is none.
const ROOMY: usize = 60;
const WIDEST: usize = 24;
/// Cells that the name of a column keeps where it is cut.
const NAME: usize = 6;
/// Cells of a text in the midst of a table.
const TEXT: usize = 40;
/// Cells that the last column gets at least.
const LEAST: usize = 16;

/// Writes a line for each sample, or for each response.
///
/// # Errors
/// When a row cannot be read, or the output takes no more.
pub fn write_listing(
    listing: &Listing<'_>,
    format: ListingFormat,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    match format {
        ListingFormat::Table { width } => listing.write_table(width, out)?,
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
    Ok(out.flush()?)
}

/// Takes the values of a line.
type LineWriter<'w> = dyn FnMut(Vec<Value>) -> Result<(), ExportError> + 'w;

impl Listing<'_> {
    /// Shows the values of each line.
    fn each(&self, show: &mut LineWriter<'_>) -> Result<(), ExportError> {
        let mut buffers = Buffers::default();
        let reads_sample = self.columns.iter().any(ListedColumn::reads_sample);
        let found = self.found.samples.iter().zip(&self.found.matching);
        for (&sample, matching) in found {
            let reading = match reads_sample {
                true => {
                    let read = self.dataset.read(sample as usize, &mut buffers);
                    Some(read.ok_or_else(|| no_sample(sample))?)
                }
                false => None,
            };
            if let Some(SampleBody::Unreadable(error)) = reading.as_ref().map(|it| &it.body) {
                return Err(error.clone().into());
            }
            let values: Vec<_> = (self.columns.iter())
                .map(|column| self.value(column, sample, reading.as_ref()))
                .collect();
            if !self.per_response {
                let whole = values.into_iter().map(|value| match value {
                    ListedValue::One(value) => value,
                    ListedValue::Responses(values) => Value::Array(values),
                });
                show(whole.collect())?;
                continue;
            }
            let responses = self.dataset.responses_of(sample as usize).unwrap_or(0);
            for response in (0..responses).filter(|at| matching.has(*at)) {
                let own = values.iter().map(|value| match value {
                    ListedValue::One(value) => value.clone(),
                    ListedValue::Responses(values) => {
                        values.get(response).cloned().unwrap_or_default()
                    }
                });
                show(own.collect())?;
            }
        }
        Ok(())
    }

    fn value(
        &self,
        column: &ListedColumn,
        sample: u32,
        reading: Option<&LoadedSample<'_, '_>>,
    ) -> ListedValue {
        let body = reading.map(|reading| &reading.body);
        let read = match body {
            Some(SampleBody::Sample(sample)) => Some(sample),
            _ => None,
        };
        let responses = || read.iter().flat_map(|sample| &sample.responses);
        match column {
            ListedColumn::Key => {
                let key = body.and_then(SampleKey::of).map(|key| key.to_string());
                ListedValue::One(json!(key))
            }
            ListedColumn::Side => {
                let letters = ResponseId::first(responses().count());
                ListedValue::Responses(letters.map(|id| json!(id.word())).collect())
            }
            ListedColumn::Prompt => {
                ListedValue::One(json!(read.map(|sample| spoken(&sample.prompt))))
            }
            ListedColumn::Response => {
                ListedValue::Responses(responses().map(|it| json!(it.spoken())).collect())
            }
            ListedColumn::File => {
                let rows = self.dataset.sample_rows(sample as usize);
                let rows = rows.iter().flat_map(|rows| rows.iter());
                let places = rows.filter_map(|row| self.dataset.place(row));
                let files = places.filter_map(|place| self.dataset.files().get(place.file));
                let names: Vec<_> = files.map(|file| json!(file.source.name())).collect();
                match names.split_first() {
                    Some((first, others)) if others.iter().all(|other| other == first) => {
                        ListedValue::One(first.clone())
                    }
                    _ => ListedValue::Responses(names),
                }
            }
            ListedColumn::Malformed => ListedValue::One(match body {
                Some(SampleBody::Malformed { row_error, .. }) => json!(row_error.reason),
                _ => Value::Null,
            }),
            ListedColumn::Finding => {
                let found = self.dataset.findings();
                let fires = found.of(sample..sample + 1).iter();
                let names = fires.filter_map(|it| found.names.get(usize::from(it.rule)));
                ListedValue::One(names.map(|name| json!(**name)).collect())
            }
            ListedColumn::Field(_, field) => {
                let value = |value: Option<FieldValue>| match value {
                    Some(FieldValue::Number(number)) => review::json_number(number),
                    Some(FieldValue::Word(word)) => json!(word),
                    None => Value::Null,
                };
                match cell(self.dataset, self.remarks, field, sample as usize) {
                    FieldCell::One(one) => ListedValue::One(value(one)),
                    FieldCell::Responses(values) => {
                        // A malformed row has none, whatever its file's samples have: what is
                        // known of it is of the row.
                        let responses = self.dataset.responses_of(sample as usize).unwrap_or(0);
                        if responses == 0 {
                            return ListedValue::One(value(values.into_iter().flatten().next()));
                        }
                        let values = values.into_iter().take(responses);
                        ListedValue::Responses(values.map(value).collect())
                    }
                }
            }
        }
    }

    /// Lines with columns below each other. The first lines decide how wide they are.
    fn write_table(&self, width: usize, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut table = ListingTable {
            columns: self.columns,
            width,
            waiting: Vec::new(),
            widths: None,
            out,
        };
        self.each(&mut |values| table.add(&values))?;
        table.write_waiting()
    }
}

/// A table whose first lines wait until it is known how wide its columns are.
struct ListingTable<'t> {
    columns: &'t [ListedColumn],
    width: usize,
    waiting: Vec<Vec<String>>,
    widths: Option<Vec<usize>>,
    out: &'t mut dyn Write,
}

impl ListingTable<'_> {
    fn add(&mut self, values: &[Value]) -> Result<(), ExportError> {
        let cells = values.iter().zip(self.columns).map(|(value, column)| {
            let most = if column.is_text() {
                self.width.max(LEAST)
            } else {
                ROOMY
            };
            one_line(&shown(value), most)
        });
        let cells: Vec<_> = cells.collect();
        match &self.widths {
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
        if self.widths.is_none() {
            let headings: Vec<_> = (self.columns.iter())
                .map(|column| one_line(column.name(), ROOMY))
                .collect();
            self.waiting.insert(0, headings);
            let widest = |at: usize| {
                let cells = self.waiting.iter().filter_map(|line| line.get(at));
                cells.map(|cell| width(cell)).max().unwrap_or(0)
            };
            let widths = |most: usize| -> Vec<usize> {
                let columns = self.columns.iter().enumerate();
                let most = |column: &ListedColumn| if column.is_text() { TEXT } else { most };
                let widths = columns.map(|(at, column)| widest(at).min(most(column)));
                widths.collect()
            };
            let fits = |widths: &Vec<usize>| {
                let (_, before) = widths.split_last().unwrap_or((&0, &[]));
                before.iter().sum::<usize>() + 2 * before.len() + LEAST <= self.width
            };
            let (roomy, narrow) = (widths(ROOMY), widths(WIDEST));
            self.widths = Some(if fits(&roomy) {
                roomy
            } else if fits(&narrow) {
                narrow
            } else {
                // Names of columns are cut before the lines break.
                let values = |at: usize| {
                    let cells = self.waiting.iter().skip(1).filter_map(|line| line.get(at));
                    cells.map(|cell| width(cell)).max().unwrap_or(0)
                };
                let narrow = narrow.into_iter().enumerate();
                narrow
                    .map(|(at, own)| own.min(values(at).max(NAME)))
                    .collect()
            });
        }
        for line in std::mem::take(&mut self.waiting) {
            self.write_line(&line)?;
        }
        Ok(())
    }

    /// Numbers and words at the left alike: what stands for two responses is both.
    fn write_line(&mut self, cells: &[String]) -> Result<(), ExportError> {
        let widths = self.widths.as_deref().unwrap_or_default();
        let (mut line, mut used) = (String::new(), 0);
        for (at, (cell, own)) in cells.iter().zip(widths).enumerate() {
            let is_last = at + 1 == cells.len();
            let room = if is_last {
                self.width.saturating_sub(used).max(LEAST)
            } else {
                *own
            };
            let cell = match width(cell) > room {
                true => Cow::Owned(one_line(cell, room)),
                false => Cow::Borrowed(cell.as_str()),
            };
            line.push_str(&cell);
            if !is_last {
                let gap = own.saturating_sub(width(&cell)) + 2;
                line.push_str(&" ".repeat(gap));
                used += own + 2;
            }
        }
        Ok(writeln!(self.out, "{}", line.trim_end())?)
    }
}

/// A value as it stands in a table: of several responses each, the first first.
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

/// A value without quotes: nothing for a missing one, commas between those of several responses, or
/// a list in JSON where one of them has a comma of its own.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // Texts with commas could not be told apart.
        Value::Array(values) if values.iter().any(has_comma) => value.to_string(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn has_comma(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains(','))
}

/// A cell of TSV.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::dataset;
    use crate::query::ResponseSet;

    const ROWS: &str = concat!(
        r#"{"prompt": "p\tq", "response": "one", "helpfulness": 1, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}"#,
        "\n",
        r#"{"prompt": "p\tq", "response": "two\nlines", "helpfulness": 4, "correctness": null, "coherence": 4, "complexity": 1, "verbosity": 2}"#,
        "\n{\"prompt\": 7}\n",
    );

    fn listed(columns: &str, per_response: bool, format: ListingFormat) -> String {
        let data = dataset(&[ROWS.to_owned()]);
        let catalog = Catalog::of_dataset(&data);
        let columns: Vec<_> = match columns {
            "" => ListedColumn::usual(&data, &catalog, per_response),
            names => (names.split(','))
                .map(|name| ListedColumn::named(name, &catalog).expect("a column"))
                .collect(),
        };
        let listing = Listing {
            dataset: &data,
            remarks: &Remarks::default(),
            columns: &columns,
            found: &QueryResult {
                samples: vec![0, 1],
                matching: vec![ResponseSet::of([1]), ResponseSet::default()],
            },
            per_response,
        };
        let mut out = Vec::new();
        write_listing(&listing, format, &mut out).expect("written");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn lines_are_samples_or_responses_that_match() {
        let table = ListingFormat::Table { width: 60 };
        for (columns, per_response, format, expected) in [
            (
                "sample,helpfulness,gap.helpfulness,prompt",
                false,
                ListingFormat::Tsv,
                "sample\thelpfulness\tgap.helpfulness\tprompt\n1\t1,4\t3\tp\\tq\n2\t\t\t\n",
            ),
            (
                "sample,side,correctness,response",
                true,
                ListingFormat::Json,
                concat!(
                    r#"{"sample":1,"side":"b","correctness":null,"response":"two\nlines"}"#,
                    "\n"
                ),
            ),
            (
                "sample,correctness,response",
                false,
                ListingFormat::Json,
                concat!(
                    r#"{"sample":1,"correctness":[3,null],"response":["one","two\nlines"]}"#,
                    "\n",
                    r#"{"sample":2,"correctness":null,"response":[]}"#,
                    "\n"
                ),
            ),
            (
                "sample,correctness,prompt",
                false,
                table,
                "sample  correctness  prompt\n1       3 –          p q\n2       –            –\n",
            ),
        ] {
            assert_eq!(listed(columns, per_response, format), expected, "{columns}");
        }
        let usual = listed("", false, ListingFormat::Tsv);
        let heading = "sample\trow\thelpfulness\tcorrectness\tcoherence\tcomplexity\tverbosity\tverdict\tprompt\n";
        assert!(usual.starts_with(heading), "{usual}");
    }

    #[test]
    fn a_table_is_as_wide_as_it_may_be() {
        let table = ListingFormat::Table { width: 25 };
        let listed = listed("sample,response", false, table);
        let widest = listed.lines().map(width).max();
        assert_eq!(widest, Some("1       one │ two lines".chars().count()));
        // Names are cut where lines would break.
        let cut = ListingFormat::Table { width: 40 };
        let cut = self::listed("sample,helpfulness,correctness,prompt", false, cut);
        assert!(cut.starts_with("sample  helpf…  corre…  prompt\n"), "{cut}");
        assert!(cut.lines().all(|line| width(line) <= 40), "{cut}");
        // A column that is last gets some cells, however wide those before it are.
        let narrow = ListingFormat::Table { width: 10 };
        let listed = self::listed("prompt,response", false, narrow);
        let widest = listed.lines().map(width).max();
        assert_eq!(widest, Some("prompt".len() + 2 + LEAST - 1), "{listed}");
    }

    #[test]
    fn what_is_no_field_is_told() {
        let data = dataset(&[ROWS.to_owned()]);
        let error = ListedColumn::named("helpfullness", &Catalog::of_dataset(&data));
        let error = error.expect_err("no field").message;
        assert!(error.contains("did you mean helpfulness?"), "{error}");
    }
}
