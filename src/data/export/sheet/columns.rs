//! The columns of lists and tables: fields of queries, parts of a sample, and reviewers' ratings.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::votes::votes_cell;
use super::super::{ExportRequest, MatchedResponses, review};
use crate::answer::json_number_or_null;
use crate::dataset::{Dataset, LoadedSample, Sample, SampleBody, SampleKey};
use crate::journal::{Rating, SampleReview};
use crate::model::{Response, ResponseId, ResponseOrder, Turn, Verdict};
use crate::query::{self, Catalog, Field, FieldCell, FieldValue, QueryError, ReviewIndex};
use crate::schema::Definition;
use crate::table::{ColumnId, ColumnSource};

/// A sample whose cells are formatted.
pub(super) struct SheetSample<'s> {
    pub dataset: &'s Dataset,
    pub remarks: &'s ReviewIndex,
    pub number: u32,
    pub key: Option<SampleKey>,
    pub matched: MatchedResponses,
    pub reading: Option<&'s LoadedSample<'s, 's>>,
    pub remark: Option<&'s SampleReview>,
    pub form: review::SampleForm<'s>,
}

/// The value of a sample, or the values of its responses.
pub(super) enum SheetCell {
    One(Value),
    Each(Vec<Value>),
}

impl SheetCell {
    /// Returns one value: a list for values of responses.
    pub fn whole(self) -> Value {
        match self {
            Self::One(value) => value,
            Self::Each(values) => Value::Array(values),
        }
    }

    /// Returns the value of a response.
    pub fn of(&self, response: usize) -> Value {
        match self {
            Self::One(value) => value.clone(),
            Self::Each(values) => values.get(response).cloned().unwrap_or_default(),
        }
    }
}

/// Returns the cell of a sample.
type OwnCell = fn(&SheetSample<'_>) -> SheetCell;
/// Returns the value of a rating, as it is now and as first given.
type RatingCell = fn(&Rating, &Rating, review::SampleForm<'_>) -> Value;

/// A column of a list or table.
#[derive(Debug, Clone)]
pub struct ListedColumn {
    name: String,
    of: ColumnOf,
}

#[derive(Debug, Clone)]
enum ColumnOf {
    Own(OwnCell),
    Field(Field),
    Fact(String),
    RatedLabel(Arc<str>, Arc<str>),
    Rated(Arc<str>, RatingCell),
}

const FINDING: &str = "finding";

/// Columns before the labels.
const FIRST: [(&str, OwnCell); 8] = [
    ("sample", |it| one(u64::from(it.number) + 1)),
    ("file", files),
    ("row", |it| {
        let places = it
            .reading
            .map(|reading| &*reading.places)
            .unwrap_or_default();
        SheetCell::Each(places.iter().map(|place| json!(place.row)).collect()).filled(it)
    }),
    ("key", |it| one(it.key.map(|key| key.to_string()))),
    ("side", |it| it.each(|id, _| json!(id.word()))),
    ("matches", |it| match it.form.responses {
        0 => one(it.matched.has(0)),
        _ => it.each(|id, _| json!(it.matched.has(id.index()))),
    }),
    ("prompt", |it| {
        one(it.read().map(|sample| with_roles(&sample.prompt)))
    }),
    ("response", |it| {
        it.each(|_, response| json!(response.with_roles()))
    }),
];
/// Columns between labels and facts.
const OUTCOME: [(&str, OwnCell); 2] = [
    ("verdict", |it| one(it.verdict().map(Verdict::word))),
    ("margin", |it| {
        let outcome = it.read().and_then(|sample| sample.outcome.as_ref());
        SheetCell::One(json_number_or_null(
            outcome.and_then(|outcome| outcome.margin),
        ))
    }),
];
/// Columns after the facts.
const LAST: [(&str, OwnCell); 5] = [
    ("malformed", |it| match it.reading.map(|it| &it.body) {
        Some(SampleBody::Malformed { row_error, .. }) => one(&row_error.reason),
        _ => one(()),
    }),
    ("marked", |it| {
        one(it.remark.is_some_and(|remark| remark.marked))
    }),
    ("tags", |it| {
        it.said(";", |remark| {
            remark.tags.iter().map(ToString::to_string).collect()
        })
    }),
    ("notes", |it| {
        it.said("\n", |remark| {
            let notes = remark.notes.iter().map(|note| {
                let (here, count) = (ResponseOrder::OF_FILE, it.form.responses);
                let letters = review::note_letters_suffix(note, here, count);
                format!("{}{letters}: {}", note.reviewer, note.text)
            });
            notes.collect()
        })
    }),
    ("checks", |it| {
        it.said(";", |remark| {
            let checks = remark.checks.iter();
            checks
                .map(|check| format!("{}: {}", check.reviewer, check.verdict.word()))
                .collect()
        })
    }),
];
/// The names of the rules with findings on the sample, the worst first.
const FINDINGS: (&str, OwnCell) = (FINDING, |it| {
    let found = it.dataset.findings();
    let fires = found.of(it.number..it.number + 1).iter();
    let names = fires.filter_map(|it| found.names.get(usize::from(it.rule)));
    one(names.map(|name| json!(**name)).collect::<Value>())
});

/// Columns of lists that are not fields.
const LISTED: [(&str, OwnCell); 7] = [
    FIRST[3], FIRST[4], FIRST[6], FIRST[7], FINDINGS, FIRST[1], LAST[0],
];

/// Columns of a reviewer after those of labels.
const OF_RATING: [(&str, RatingCell); 12] = [
    ("verdict", |_, given, form| {
        json!(form.verdict(given).map(|it| it.0.word()))
    }),
    ("strength", |_, given, _| {
        json!(given.verdict.and_then(|it| it.1))
    }),
    ("state", |_, given, form| json!(form.state(given))),
    ("audit", |_, given, _| {
        json!(given.setting.audit.as_ref().map(ToString::to_string))
    }),
    ("pass", |_, given, _| json!(given.setting.pass)),
    ("blind", |_, given, _| json!(given.setting.blind)),
    ("swapped", |_, given, form| {
        json!(!order(given, form).is_of_file())
    }),
    ("time", |_, given, _| json!(&*given.time)),
    ("order", |_, given, form| {
        json!(order(given, form).whole_word(form.responses))
    }),
    ("seen", |_, given, _| json!(given.setting.seen)),
    ("after reveal", |now, _, _| json!(review::became(now))),
    ("later", |now, _, _| {
        json!(review::became(now).map(|_| review::in_words(now)))
    }),
];

fn order(given: &Rating, form: review::SampleForm<'_>) -> ResponseOrder {
    given.setting.order.among(form.responses)
}

fn one(value: impl serde::Serialize) -> SheetCell {
    SheetCell::One(json!(value))
}

/// Returns the file of the sample, or of each response if their rows are in several.
fn files(it: &SheetSample<'_>) -> SheetCell {
    let rows = it.dataset.sample_rows(it.number as usize);
    let places = rows.iter().flat_map(|rows| rows.iter());
    let places = places.filter_map(|row| it.dataset.place(row));
    let files = places.filter_map(|place| it.dataset.files().get(place.file));
    let names: Vec<_> = files.map(|file| json!(file.source.name())).collect();
    match names.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => one(first),
        _ => SheetCell::Each(names),
    }
}

impl SheetCell {
    /// Uses the value of the only row for all responses; 0 if there is none.
    fn filled(self, it: &SheetSample<'_>) -> Self {
        match self {
            Self::Each(values) if values.len() < it.form.responses.max(2) => {
                Self::One(values.into_iter().next().unwrap_or(json!(0)))
            }
            other => other,
        }
    }
}

impl SheetSample<'_> {
    fn read(&self) -> Option<&Sample<'_>> {
        self.reading?.body.sample()
    }

    fn verdict(&self) -> Option<Verdict> {
        Some(self.read()?.outcome.as_ref()?.verdict)
    }

    fn each(&self, value: impl Fn(ResponseId, &Response<'_>) -> Value) -> SheetCell {
        let responses = self
            .read()
            .map(|sample| &*sample.responses)
            .unwrap_or_default();
        let responses = ResponseId::all().zip(responses);
        SheetCell::Each(
            responses
                .map(|(id, response)| value(id, response))
                .collect(),
        )
    }

    fn said(&self, between: &str, words: impl Fn(&SampleReview) -> Vec<String>) -> SheetCell {
        one(self.remark.map(|remark| words(remark).join(between)))
    }

    /// Returns a fact of the sample or of each response, or the texts of that name.
    fn fact(&self, name: &str) -> SheetCell {
        let Some(sample) = self.read() else {
            return one(());
        };
        self.each(|id, _| {
            let own = format!("{name} {}", id.letter());
            let mut facts = sample.facts.iter();
            if let Some(fact) = facts.find(|fact| fact.name == name || fact.name == own) {
                return json!(fact.value);
            }
            let texts = sample.rationales.iter();
            let texts = texts.filter(|it| it.name == name && it.response.is_none_or(|of| of == id));
            json!(texts.map(|it| &*it.text).collect::<Vec<_>>().join("\n\n"))
        })
    }

    /// Returns the value of a field. In a comparison of files, a sample has only the responses of
    /// its own file.
    fn field(&self, of: Field) -> SheetCell {
        let read = self.read().filter(|_| self.dataset.spans_files());
        let verdict = self.verdict();
        match (of.column.name, read) {
            ("is:single", Some(read)) => return one((read.responses.len() == 1).to_string()),
            ("is:tie", Some(_)) => return one((verdict == Some(Verdict::Tie)).to_string()),
            ("is:several", Some(_)) => {
                let is_several = matches!(verdict, Some(Verdict::Best(best)) if best.count() > 1);
                return one(is_several.to_string());
            }
            _ => {}
        }
        let value = |value: Option<FieldValue>| match value {
            Some(FieldValue::Word(word)) => json!(word),
            Some(FieldValue::Number(number)) => json_number_or_null(Some(number)),
            None => Value::Null,
        };
        match query::cell(self.dataset, self.remarks, of, self.number as usize) {
            FieldCell::One(one) => SheetCell::One(value(one)),
            FieldCell::Responses(values) if self.form.responses == 0 => {
                SheetCell::One(value(values.into_iter().flatten().next()))
            }
            FieldCell::Responses(values) => {
                let values = values.into_iter().take(self.form.responses);
                SheetCell::Each(values.map(value).collect())
            }
        }
    }
}

impl ListedColumn {
    fn new(name: impl Into<String>, of: ColumnOf) -> Self {
        Self {
            name: name.into(),
            of,
        }
    }

    /// Parses the name of a column of lists: one of CSV, otherwise a field of a query.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn named(name: &str, catalog: &Catalog) -> Result<Self, QueryError> {
        let lower = name.to_lowercase();
        let own = LISTED.into_iter().find(|(own, _)| *own == lower);
        Ok(match own {
            Some((own, cell)) => Self::new(own, ColumnOf::Own(cell)),
            None => Self::new(name, ColumnOf::Field(Field::named(name, catalog)?)),
        })
    }

    /// Returns the default columns of a list: the place of the sample, its labels, the verdict and
    /// the prompt; for single responses their text.
    pub fn default_columns(dataset: &Dataset, catalog: &Catalog, per_response: bool) -> Vec<Self> {
        let files = dataset.files();
        let labels = files.iter().flat_map(|file| file.schema.columns());
        let labels = labels.filter(|column| column.id.is_rating());
        let labels = labels.map(|label| Field::of(label.id));
        let file = (files.len() > 1).then_some("file");
        let side = per_response.then_some("side");
        let first = ["sample"].into_iter().chain(file).chain(["row"]);
        let last: &[&str] = if per_response {
            &["response"]
        } else {
            &["verdict", "prompt"]
        };
        let named = |name: &str| Self::named(name, catalog).ok();
        let mut columns: Vec<_> = first.chain(side).filter_map(named).collect();
        // By field, since a label may have the name of another column.
        for label in labels {
            if !columns.iter().any(|column| column.field() == Some(label)) {
                let name = label.spelled(catalog).to_string();
                columns.push(Self::new(name, ColumnOf::Field(label)));
            }
        }
        columns.extend(last.iter().copied().filter_map(named));
        columns
    }

    /// Returns the heading.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the field that it shows.
    pub const fn field(&self) -> Option<Field> {
        match self.of {
            ColumnOf::Field(field) => Some(field),
            _ => None,
        }
    }

    /// True if it lists rules with findings.
    pub fn is_of_rules(&self) -> bool {
        self.name == FINDING && self.field().is_none()
    }

    /// True if it needs the text of the sample.
    pub(super) fn reads_sample(&self) -> bool {
        self.field().is_none() && !self.is_of_rules() && self.name != "file"
    }

    /// True if its values may be long.
    pub(super) fn is_text(&self) -> bool {
        self.field().is_none() && matches!(&*self.name, "prompt" | "response")
    }

    pub(super) fn cell(&self, it: &SheetSample<'_>) -> SheetCell {
        let rating = |reviewer: &str| review::compared(it.remark?, reviewer);
        match &self.of {
            ColumnOf::Own(cell) => cell(it),
            ColumnOf::Field(field) => it.field(*field),
            ColumnOf::Fact(name) => it.fact(name),
            ColumnOf::RatedLabel(reviewer, label) => it.each(|id, _| {
                let value = rating(reviewer).and_then(|it| it.as_given().label(label, id));
                json_number_or_null(value)
            }),
            ColumnOf::Rated(reviewer, cell) => {
                let now = rating(reviewer);
                one(now.map(|now| cell(now, now.as_given(), it.form)))
            }
        }
    }
}

/// Returns the columns of an exported table.
pub(super) fn exported(request: &ExportRequest<'_>) -> Vec<ListedColumn> {
    let dataset = request.dataset;
    let catalog = Catalog::of_dataset(dataset);
    let schemas = || dataset.files().iter().map(|file| file.schema.definition());
    let described = || {
        catalog
            .labels()
            .iter()
            .chain(catalog.facts())
            .map(|it| it.def.id)
    };
    let found = catalog.found_fields().iter().map(|field| field.def.id);
    let facts = catalog.facts().iter().map(|fact| fact.def.id).chain(found);
    let mut columns = Columns(Vec::new());
    columns.own(&FIRST);
    let labels: Vec<_> = catalog
        .labels()
        .iter()
        .map(|it| it.def.id)
        .filter(is_own)
        .collect();
    for label in &labels {
        columns.add("label", label.name, ColumnOf::Field(Field::of(*label)));
    }
    columns.own(&OUTCOME);
    for fact in facts.filter(is_own) {
        columns.add("fact", fact.name, ColumnOf::Fact(fact.name.to_owned()));
    }
    if schemas().any(Definition::has_votes) {
        columns.own(&[("votes.each", |it| {
            one(it.read().map(|it| votes_cell(&it.votes)))
        })]);
    }
    let mut texts = BTreeSet::new();
    for text in schemas().flat_map(|schema| &schema.texts) {
        if texts.insert(&text.name) {
            columns.add("text", &text.name, ColumnOf::Fact(text.name.clone()));
        }
    }
    columns.own(&LAST);
    columns.ratings(request, &labels);
    let is_own_name = |name: &str| own_names().any(|own| own == name);
    let computed = ColumnId::built_in().filter(|column| {
        is_computed(dataset, *column) && !is_own_name(column.name) && dataset.has(*column)
    });
    for column in computed.chain(described().filter(|id| !is_own(id))) {
        columns.add("computed", column.name, ColumnOf::Field(Field::of(column)));
    }
    if has_findings(dataset) {
        columns.add("computed", FINDING, ColumnOf::Own(FINDINGS.1));
    }
    columns.0
}

fn own_names() -> impl Iterator<Item = &'static str> {
    let all = [&FIRST[..], &OUTCOME, &LAST].into_iter().flatten();
    all.map(|(name, _)| *name)
}

/// Columns with distinct headings.
struct Columns(Vec<ListedColumn>);

impl Columns {
    fn own(&mut self, own: &[(&'static str, OwnCell)]) {
        let own = own
            .iter()
            .map(|(name, cell)| ListedColumn::new(*name, ColumnOf::Own(*cell)));
        self.0.extend(own);
    }

    /// Adds a column, prefixed by its kind if the name is taken.
    fn add(&mut self, kind: &str, name: &str, of: ColumnOf) {
        let is_taken = own_names().any(|own| own == name);
        let heading = if is_taken || self.0.iter().any(|it| it.name == name) {
            format!("{kind}.{name}")
        } else {
            name.to_owned()
        };
        self.0.push(ListedColumn::new(heading, of));
    }

    /// Adds the columns of each reviewer with ratings.
    fn ratings(&mut self, request: &ExportRequest<'_>, labels: &[ColumnId]) {
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
            labels
                .iter()
                .position(|label| *label.name == **name)
                .unwrap_or(usize::MAX)
        });
        for reviewer in reviewers {
            for label in &rated {
                let is_taken = OF_RATING.iter().any(|(name, _)| *name == &**label);
                let kind = if is_taken { "label." } else { "" };
                let of = ColumnOf::RatedLabel(Arc::clone(&reviewer), Arc::clone(label));
                self.0
                    .push(ListedColumn::new(format!("{reviewer}: {kind}{label}"), of));
            }
            self.0.extend(OF_RATING.map(|(name, cell)| {
                let of = ColumnOf::Rated(Arc::clone(&reviewer), cell);
                ListedColumn::new(format!("{reviewer}: {name}"), of)
            }));
        }
    }
}

fn is_own(column: &ColumnId) -> bool {
    matches!(
        column.source,
        ColumnSource::Label | ColumnSource::Fact | ColumnSource::Field(_)
    )
}

fn is_computed(dataset: &Dataset, column: ColumnId) -> bool {
    let is_at_hand = match column.source {
        ColumnSource::Findings(_) => has_findings(dataset),
        ColumnSource::Review(_) | ColumnSource::Text(_) => false,
        ref source => !source.is_found_on_demand(),
    };
    let comparison = column.source.comparison();
    is_at_hand && comparison.is_none_or(|comparison| dataset.has_compared(comparison))
}

fn has_findings(dataset: &Dataset) -> bool {
    let found = dataset.findings();
    found.is_of_all(dataset.samples()) && !found.names.is_empty()
}

/// Joins turns, with the role before each if there are several.
fn with_roles<'t>(turns: &'t [Turn<'_>]) -> Cow<'t, str> {
    match turns {
        [] => "".into(),
        [turn] => (&*turn.text).into(),
        turns => {
            let turns = turns.iter();
            let turns = turns.map(|turn| format!("{}: {}", turn.role.word(), turn.text));
            turns.collect::<Vec<_>>().join("\n\n").into()
        }
    }
}
