//! CSV (RFC 4180): a line per response, for spreadsheets and data frames.
//!
//! Columns, in this order: `sample` (its number, from 1), `file`, `row` (from 1), `key`, `side` (a,
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

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use csv::{ErrorKind, Terminator, WriterBuilder};

use super::votes::votes_cell;
use super::{ExportError, ExportRequest, VisitedSample, review};
use crate::dataset::{Dataset, RowPlace, Sample, SampleBody};
use crate::journal::Rating;
use crate::model::{Rationale, Response, ResponseId, ResponseOrder, Turn, Verdict};
use crate::query::{self, Catalog, CatalogColumn, Field, FieldCell, FieldValue, ReviewIndex};
use crate::review::RatingForm;
use crate::schema::Definition;
use crate::table::{ColumnId, ColumnSource};
use crate::text::exact_number;

/// The contents of a column.
enum TableColumn {
    /// A column of every table.
    Own(TableCell),
    Label(String),
    Fact(String),
    /// A text about the sample and its responses, by name.
    Text(String),
    /// A reviewer's value of a label.
    RatedLabel(Arc<str>, Arc<str>),
    /// Other data of a reviewer's rating.
    Rated(Arc<str>, RatingCell),
    /// A computed column, or one of a joined file.
    Computed(ColumnId),
    /// The names of rules with findings, if they were run on all samples.
    Rules,
}

/// Returns the text of a cell; `None` if it is empty.
type TableCell = fn(&TableRow<'_, '_, '_, '_>) -> Option<String>;
/// Returns the text of a cell about a rating.
type RatingCell = fn(&RatedRow<'_>) -> Option<String>;

/// Columns before the labels.
const FIRST: [(&str, TableCell); 8] = [
    ("sample", |it| {
        Some((u64::from(it.visited.number) + 1).to_string())
    }),
    ("file", |it| {
        let file = it.dataset.files().get(it.place()?.file)?;
        Some(file.source.name().to_owned())
    }),
    ("row", |it| {
        Some(it.place().map_or(0, |place| place.row).to_string())
    }),
    ("key", |it| it.visited.key.map(|key| key.to_string())),
    ("side", |it| Some(it.id()?.word().to_owned())),
    ("matches", |it| {
        Some(it.visited.matched.has(it.index).to_string())
    }),
    ("prompt", |it| {
        Some(with_roles(&it.read?.prompt).into_owned())
    }),
    ("response", |it| {
        Some(it.response?.with_roles().into_owned())
    }),
];
/// Columns between labels and facts.
const OUTCOME: [(&str, TableCell); 2] = [
    ("verdict", |it| {
        Some(it.read?.outcome.as_ref()?.verdict.word())
    }),
    ("margin", |it| {
        it.read?.outcome.as_ref()?.margin.map(exact_number)
    }),
];
/// Columns after the facts.
const LAST: [(&str, TableCell); 5] = [
    ("malformed", |it| match &it.visited.reading.body {
        SampleBody::Malformed { row_error, .. } => Some(row_error.reason.clone()),
        _ => None,
    }),
    ("marked", |it| {
        let remark = it.visited.remark;
        Some(remark.is_some_and(|remark| remark.marked).to_string())
    }),
    ("tags", |it| {
        let tags = it.visited.remark?.tags.iter().map(|tag| &**tag);
        Some(tags.collect::<Vec<_>>().join(";"))
    }),
    ("notes", |it| {
        let notes = it.visited.remark?.notes.iter().map(|note| {
            let (here, count) = (ResponseOrder::OF_FILE, it.form.responses);
            let letters = review::note_letters_suffix(note, here, count);
            format!("{}{letters}: {}", note.reviewer, note.text)
        });
        Some(notes.collect::<Vec<_>>().join("\n"))
    }),
    ("checks", |it| {
        let checks = it.visited.remark?.checks.iter();
        let checks = checks.map(|check| format!("{}: {}", check.reviewer, check.verdict.word()));
        Some(checks.collect::<Vec<_>>().join(";"))
    }),
];
/// Columns of a reviewer after those of labels.
const OF_RATING: [(&str, RatingCell); 12] = [
    ("verdict", |it| Some(it.form.verdict(it.given)?.0.word())),
    ("strength", |it| Some(it.given.verdict?.1?.to_string())),
    ("state", |it| Some(it.form.state(it.given).to_owned())),
    ("audit", |it| {
        Some(it.given.setting.audit.as_ref()?.to_string())
    }),
    ("pass", |it| Some(it.given.setting.pass.to_string())),
    ("blind", |it| Some(it.given.setting.blind.to_string())),
    ("swapped", |it| Some((!it.order().is_of_file()).to_string())),
    ("time", |it| Some(it.given.time.to_string())),
    ("order", |it| Some(it.order().whole_word(it.form.responses))),
    ("seen", |it| Some(it.given.setting.seen.to_string())),
    ("after reveal", |it| {
        Some(review::became(it.now)?.to_owned())
    }),
    ("later", |it| {
        review::became(it.now).map(|_| review::in_words(it.now))
    }),
];

pub(super) fn write(
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
    keep_going: &dyn Fn(usize) -> bool,
) -> Result<usize, ExportError> {
    let columns = ExportedColumns::of(request);
    let mut table = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    let headings = columns.0.iter();
    table
        .write_record(headings.map(|(name, _)| escape_formula(name).into_owned()))
        .map_err(failed)?;
    let scales = RatingForm::of_files(request.dataset);
    let samples = request.each(keep_going, &mut |it| {
        let mut records = columns.records(request, &scales, it).into_iter();
        records.try_for_each(|record| table.write_record(record).map_err(failed))
    })?;
    table.flush()?;
    Ok(samples)
}

/// Joins the texts of this name about a response or its sample.
fn written(sample: Option<&Sample<'_>>, name: &str, index: usize) -> String {
    let texts = sample.map(|sample| &*sample.rationales).unwrap_or_default();
    let of =
        |it: &&Rationale<'_>| it.name == *name && it.response.is_none_or(|id| id.index() == index);
    let texts: Vec<_> = texts.iter().filter(of).map(|it| &*it.text).collect();
    texts.join("\n\n")
}

fn failed(error: csv::Error) -> ExportError {
    match error.into_kind() {
        ErrorKind::Io(error) => ExportError::Output(error),
        other => ExportError::Output(std::io::Error::other(format!("{other:?}"))),
    }
}

/// Columns with distinct headings.
struct ExportedColumns(Vec<(String, TableColumn)>);

impl ExportedColumns {
    fn of(request: &ExportRequest<'_>) -> Self {
        let dataset = request.dataset;
        let catalog = Catalog::of_dataset(dataset);
        let names = |columns: &[CatalogColumn]| -> Vec<String> {
            // Columns of joined files follow later, with the computed ones.
            let ids = columns.iter().map(|column| column.def.id);
            let own = ids.filter(|id| is_own(*id));
            own.map(|id| id.name.to_owned()).collect()
        };
        let labels = names(catalog.labels());
        let schemas = || dataset.files().iter().map(|file| file.schema.definition());
        let mut columns = Self(Vec::new());
        columns.add_own(FIRST);
        for label in &labels {
            columns.add("label", label, TableColumn::Label(label.clone()));
        }
        columns.add_own(OUTCOME);
        for fact in [names(catalog.facts()), names(catalog.found_fields())].concat() {
            columns.add("fact", &fact, TableColumn::Fact(fact.clone()));
        }
        if schemas().any(Definition::has_votes) {
            columns.add_own([("votes.each", |it| Some(votes_cell(&it.read?.votes)))]);
        }
        let mut texts = BTreeSet::new();
        for text in schemas().flat_map(|schema| &schema.texts) {
            if texts.insert(&text.name) {
                columns.add("text", &text.name, TableColumn::Text(text.name.clone()));
            }
        }
        columns.add_own(LAST);
        columns.add_ratings(request, &labels);
        columns.add_computed(dataset, &catalog);
        columns
    }

    fn add_own<const N: usize>(&mut self, own: [(&str, TableCell); N]) {
        let own = own.map(|(name, cell)| (name.to_owned(), TableColumn::Own(cell)));
        self.0.extend(own);
    }

    /// Adds a column, prefixed by its kind if the name is taken.
    fn add(&mut self, kind: &str, name: &str, column: TableColumn) {
        let mut own = [&FIRST[..], &OUTCOME, &LAST].into_iter().flatten();
        let is_taken =
            own.any(|(own, _)| *own == name) || self.0.iter().any(|(heading, _)| heading == name);
        let heading = match is_taken {
            true => format!("{kind}.{name}"),
            false => name.to_owned(),
        };
        self.0.push((heading, column));
    }

    /// Adds the columns of each reviewer with ratings.
    fn add_ratings(&mut self, request: &ExportRequest<'_>, labels: &[String]) {
        let remarks = request.ledger.remarks();
        let ratings = remarks.flat_map(|(_, remark)| &remark.ratings);
        let (mut reviewers, mut rated) = (BTreeSet::new(), BTreeSet::new());
        for rating in ratings.filter(|it| review::is_exported(it)) {
            reviewers.insert(Arc::clone(&rating.reviewer));
            let names = rating.as_given().labels.keys();
            rated.extend(names.map(|(name, _)| Arc::clone(name)));
        }
        let mut rated: Vec<_> = rated.into_iter().collect();
        rated.sort_by_key(|name| {
            let place = labels.iter().position(|label| **label == **name);
            place.unwrap_or(usize::MAX)
        });
        for reviewer in reviewers {
            for label in &rated {
                let is_taken = OF_RATING.iter().any(|(name, _)| *name == &**label);
                let kind = if is_taken { "label." } else { "" };
                let column = TableColumn::RatedLabel(Arc::clone(&reviewer), Arc::clone(label));
                self.0.push((format!("{reviewer}: {kind}{label}"), column));
            }
            self.0.extend(OF_RATING.map(|(name, cell)| {
                let column = TableColumn::Rated(Arc::clone(&reviewer), cell);
                (format!("{reviewer}: {name}"), column)
            }));
        }
    }

    /// Adds computed columns, unless the table has its own of that name.
    fn add_computed(&mut self, dataset: &Dataset, catalog: &Catalog) {
        let own = [&FIRST[..], &OUTCOME, &LAST].concat();
        let computed = ColumnId::built_in().filter(|column| {
            let is_own = own.iter().any(|(name, _)| *name == column.name);
            is_computed(dataset, *column) && !is_own && dataset.has(*column)
        });
        let described = catalog.labels().iter().chain(catalog.facts());
        let joined = described
            .map(|column| column.def.id)
            .filter(|id| !is_own(*id));
        for column in computed.chain(joined) {
            self.add("computed", column.name, TableColumn::Computed(column));
        }
        if has_findings(dataset) {
            self.add("computed", "finding", TableColumn::Rules);
        }
    }

    /// Returns a record for each response of a sample; one for a malformed row.
    fn records(
        &self,
        request: &ExportRequest<'_>,
        scales: &[RatingForm],
        visited: &VisitedSample<'_, '_, '_>,
    ) -> Vec<Vec<String>> {
        let (dataset, reading) = (request.dataset, visited.reading);
        let read = reading.body.sample();
        let columns = self.0.iter();
        let cells: Vec<_> = columns
            .map(|(_, column)| computed(column, dataset, visited.number, read))
            .collect();
        let first = reading.places.first();
        let form = review::SampleForm {
            scale: first.and_then(|place| scales.get(place.file)),
            responses: read.map_or(0, |sample| sample.responses.len()),
        };
        let record = |index: usize, response: Option<&Response<'_>>| {
            let row = TableRow {
                dataset,
                visited,
                read,
                index,
                response,
                form,
            };
            let cells = self.0.iter().zip(&cells).map(|((_, column), cell)| {
                let value = match cell {
                    Some(cell) => cell_of(cell, index),
                    None => row.value(column),
                };
                escape_formula(&value.unwrap_or_default()).into_owned()
            });
            cells.collect()
        };
        match &reading.body {
            SampleBody::Sample(sample) => {
                let is_wanted =
                    |(at, _): &(usize, _)| !request.matching_only || visited.matched.has(*at);
                let responses = sample.responses.iter().enumerate().filter(is_wanted);
                responses
                    .map(|(at, response)| record(at, Some(response)))
                    .collect()
            }
            SampleBody::Malformed { .. } if !request.matching_only => vec![record(0, None)],
            // Unreadable rows were already reported as errors.
            SampleBody::Malformed { .. } | SampleBody::Unreadable(_) => Vec::new(),
        }
    }
}

/// The source of a record.
struct TableRow<'r, 'v, 'a, 'b> {
    dataset: &'r Dataset,
    visited: &'r VisitedSample<'v, 'a, 'b>,
    read: Option<&'r Sample<'b>>,
    /// The index of the response, and the response; `None` for a malformed row.
    index: usize,
    response: Option<&'r Response<'b>>,
    form: review::SampleForm<'r>,
}

impl TableRow<'_, '_, '_, '_> {
    fn place(&self) -> Option<&RowPlace> {
        let places = &self.visited.reading.places;
        places.get(self.index).or(places.first())
    }

    fn id(&self) -> Option<ResponseId> {
        ResponseId::new(self.index).filter(|_| self.response.is_some())
    }

    /// Returns the cell of a column; `None` if it is empty.
    fn value(&self, column: &TableColumn) -> Option<String> {
        let VisitedSample {
            reading, remark, ..
        } = *self.visited;
        match column {
            TableColumn::Own(cell) => cell(self),
            TableColumn::Label(name) => {
                let mut labels = reading.schema.labels().iter();
                let place = labels.position(|label| label.name == *name)?;
                self.response?.ratings.get(place)?.map(exact_number)
            }
            TableColumn::Fact(name) => {
                // If the two rows of a pair have different values, each has its own.
                let own = format!("{name} {}", self.id().map_or("", ResponseId::letter));
                let mut facts = self.read?.facts.iter();
                let fact = facts.find(|fact| fact.name == *name || fact.name == own);
                let text = || written(self.read, name, self.index);
                Some(fact.map_or_else(text, |fact| fact.value.to_string()))
            }
            TableColumn::Text(name) => Some(written(self.read, name, self.index)),
            TableColumn::RatedLabel(reviewer, label) => {
                let rating = review::compared(remark?, reviewer)?.as_given();
                rating.label(label, self.id()?).map(exact_number)
            }
            TableColumn::Rated(reviewer, cell) => {
                let now = review::compared(remark?, reviewer)?;
                cell(&RatedRow {
                    now,
                    given: now.as_given(),
                    form: self.form,
                })
            }
            TableColumn::Computed(_) | TableColumn::Rules => None,
        }
    }
}

/// A rating for a record.
struct RatedRow<'r> {
    now: &'r Rating,
    /// The rating before the dataset's judgment was shown.
    given: &'r Rating,
    form: review::SampleForm<'r>,
}

impl RatedRow<'_> {
    fn order(&self) -> ResponseOrder {
        self.given.setting.order.among(self.form.responses)
    }
}

/// Returns the value of a computed column; `None` for other columns. Flags ignore the responses of
/// a file opened with `--against`, because the sample was read without them.
fn computed(
    column: &TableColumn,
    dataset: &Dataset,
    sample: u32,
    read: Option<&Sample<'_>>,
) -> Option<FieldCell> {
    let word = |word: String| FieldCell::One(Some(FieldValue::Word(word)));
    match column {
        TableColumn::Computed(id) => {
            let (of, remarks) = (Field::of(*id), ReviewIndex::default());
            Some(match read.and_then(|read| flag_of(id.name, read)) {
                Some(holds) => word(holds.to_string()),
                None => query::cell(dataset, &remarks, of, sample as usize),
            })
        }
        TableColumn::Rules => {
            let found = dataset.findings();
            let fires = found.of(sample..sample + 1).iter();
            let names = fires.filter_map(|fired| found.names.get(usize::from(fired.rule)));
            let names: Vec<_> = names.map(|name| &**name).collect();
            Some(word(names.join(" ")))
        }
        _ => None,
    }
}

/// Returns the part of a cell for a response.
fn cell_of(cell: &FieldCell, response: usize) -> Option<String> {
    let value = match cell {
        FieldCell::One(value) => value.as_ref(),
        FieldCell::Responses(values) => values.get(response).and_then(Option::as_ref),
    };
    Some(match value? {
        FieldValue::Number(number) => exact_number(*number),
        FieldValue::Word(word) => word.clone(),
    })
}

/// True if the rows themselves have this column, which every format then includes.
fn is_own(column: ColumnId) -> bool {
    let source = &column.source;
    matches!(
        source,
        ColumnSource::Label | ColumnSource::Fact | ColumnSource::Field(_)
    )
}

/// Returns a flag about all responses for a sample as read; `None` for other flags.
fn flag_of(name: &str, read: &Sample<'_>) -> Option<bool> {
    let verdict = read.outcome.as_ref().map(|outcome| outcome.verdict);
    match name {
        "is:single" => Some(read.responses.len() == 1),
        "is:tie" => Some(verdict == Some(Verdict::Tie)),
        "is:several" => Some(matches!(verdict, Some(Verdict::Best(best)) if best.count() > 1)),
        _ => None,
    }
}

/// True if a column can be computed without reading texts. Reviewers' remarks have separate
/// columns; counts in texts, comparisons and findings are only included if a query already computed
/// them.
fn is_computed(dataset: &Dataset, column: ColumnId) -> bool {
    let source = &column.source;
    // Comparisons of all samples that are done cost nothing.
    let is_known = |comparison| dataset.has_compared(comparison);
    let is_at_hand = match source {
        ColumnSource::Findings(_) => has_findings(dataset),
        _ => !source.is_found_on_demand(),
    };
    is_at_hand
        && !matches!(source, ColumnSource::Review(_))
        && source.comparison().is_none_or(is_known)
}

/// True if all rules were run on all samples.
fn has_findings(dataset: &Dataset) -> bool {
    let found = dataset.findings();
    found.is_of_all(dataset.samples()) && !found.names.is_empty()
}

/// Joins the turns of a prompt, with the role before each if there are several.
pub(super) fn with_roles<'t>(turns: &'t [Turn<'_>]) -> Cow<'t, str> {
    match turns {
        [] => "".into(),
        [turn] => (&*turn.text).into(),
        turns => {
            let turns: Vec<_> = turns
                .iter()
                .map(|turn| format!("{}: {}", turn.role.word(), turn.text))
                .collect();
            turns.join("\n\n").into()
        }
    }
}

/// Protects a text from being read as a formula; see the module.
fn escape_formula(text: &str) -> Cow<'_, str> {
    let sign = text.trim_start_matches('\'').chars().next();
    // The full-width signs begin a formula in East Asian editions.
    let is_formula = matches!(
        sign,
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠')
    );
    if is_formula && text.parse::<f64>().is_err() {
        format!("'{text}").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dataset::tests::dataset;

    const ROW: &str = r#"{"prompt": "p", "response": "one", "helpfulness": 1, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}"#;

    fn columns(data: &Dataset) -> ExportedColumns {
        ExportedColumns::of(&ExportRequest {
            dataset: data,
            samples: &[0],
            matching: &[],
            matching_only: false,
            ledger: &crate::journal::Ledger::default(),
            format: super::super::Format::Csv,
            title: String::new(),
        })
    }

    #[test]
    fn a_column_of_the_program_has_one_in_every_export() {
        let data = dataset(&[ROW.to_owned()]);
        let columns = columns(&data).0;
        let known = ColumnId::built_in().filter(|column| data.files()[0].schema.has(*column));
        for column in known {
            let times = columns
                .iter()
                .filter(|(name, _)| *name == column.name)
                .count();
            // Marks and tags have columns under other names; see `is_computed` for duplicates.
            assert_eq!(
                times,
                usize::from(is_computed(&data, column)),
                "{}",
                column.name
            );
        }
        let has_quotes = columns.iter().any(|(name, _)| name == "quotes");
        assert!(!has_quotes, "no response here has any");
    }

    #[test]
    fn what_is_called_like_another_column_says_what_it_is() {
        let mut columns = ExportedColumns(Vec::new());
        for name in ["verdict", "turns", "turns", "plain"] {
            columns.add("fact", name, TableColumn::Fact(name.to_owned()));
        }
        let headings: Vec<_> = columns.0.iter().map(|(heading, _)| &**heading).collect();
        assert_eq!(headings, ["fact.verdict", "turns", "fact.turns", "plain"]);
    }

    #[test]
    fn findings_have_columns_after_the_rules_ran() {
        let data = dataset(&[ROW.to_owned()]);
        let cells = |data: &Dataset| {
            let columns = columns(data).0.into_iter();
            let asked = ["findings", "suspicion", "finding"];
            let columns = columns.filter(|(name, _)| asked.contains(&&**name));
            let cell = |(_, column)| computed(&column, data, 0, None);
            let cells = columns.map(|column| cell_of(&cell(column).expect("a cell"), 0));
            cells.map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        assert_eq!(cells(&data), [""; 0]);
        let found = |rule, weight| crate::dataset::FoundFinding {
            sample: 0,
            rule,
            weight,
            responses: crate::model::ResponseSet::first(1),
        };
        data.keep_findings(Arc::new(crate::dataset::FoundFindings {
            all: vec![found(0, 100), found(1, 1)],
            asked: [1; 3],
            names: ["right-but-useless".into(), "hidden-characters".into()].into(),
            ..crate::dataset::FoundFindings::default()
        }));
        assert_eq!(
            cells(&data),
            ["2", "101", "right-but-useless hidden-characters"]
        );
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("- a list", "'- a list"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("'=1", "''=1"),
            ("-1.5", "-1.5"),
            ("+3", "+3"),
            ("＝1", "'＝1"),
            ("'tis", "'tis"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(escape_formula(text), cell);
        }
    }

    proptest! {
        #[test]
        fn texts_come_back(text in "'{0,3}[-=+@\ta1]{0,3}") {
            let cell = escape_formula(&text);
            let bare = cell.trim_start_matches('\'');
            let guards = bare.starts_with(['=', '+', '-', '@', '\t']) && bare.len() < cell.len();
            prop_assert_eq!(if guards { &cell[1..] } else { &*cell }, &*text);
        }
    }
}
