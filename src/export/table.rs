//! CSV (RFC 4180): a line a response, for spreadsheets and data frames.
//!
//! Columns, in this order: `sample` (its number, from 1), `file`, `row` (from 1), `key`, `side` (a,
//! b; empty for a malformed row), `matches` (whether the query holds for the response; true where
//! there is none), `prompt` (several turns with who speaks before each), `response`,
//! each label, `verdict` (a, b, tie), `margin` (A minus B), each fact, where annotators say which
//! response is best `votes.each` (`kim: a;lee: b`), each text about the sample or the
//! response (those of several annotators with an empty line between), `malformed` (why a row does
//! not read; its text is in the file alone), `marked`, `tags` (joined by `;`), `notes` (a line or
//! more for each reviewer, the name before it, and what its letters mean where responses stood in
//! another order), and for each reviewer who rated anything:
//! `NAME: LABEL` for each label, `NAME: verdict` (given, or as it follows from the labels),
//! `NAME: strength`, `NAME: state` (judged: everything that is asked; partial; skipped; deferred),
//! `NAME: audit` (empty: in passing), `NAME: pass`, `NAME: blind` and `NAME: swapped` (true,
//! false), `NAME: time` (UTC, of the latest judgment), `NAME: order`, and `NAME: seen` (true,
//! false). All these are of the rating as it was given before the dataset's own judgment showed, as
//! figures of agreement count it; what became of it then is a word in `NAME: after reveal`, and
//! what it is now stands in words in `NAME: later`. A reviewer who rated a sample more than
//! once is told by the latest first pass that figures count; JSON Lines have all of them. Behind all these stand the
//! columns that the program computes and those of files opened `--with` (`super::computed`), under the names that a query gives them
//! (`computed.` before one that another column has). What is of the sample stands on both its
//! lines. A name that another column has already gets `label.`, `fact.` or `text.` before it.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break for a
//! formula or the like, in quotes too, and a response is what anybody wrote: such a text gets an
//! apostrophe before it. Numbers are left alone. A text that has apostrophes and then such a sign
//! gets one more, so that taking one away from each cell in which such a sign stands behind
//! apostrophes gives back the texts.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use csv::{ErrorKind, Terminator, WriterBuilder};

use super::computed::{self, ComputedColumns};
use super::votes::votes_cell;
use super::{ExportError, ExportRequest, VisitedSample, Written, review};
use crate::dataset::{Sample, SampleBody};
use crate::journal::{Rating, SampleReview};
use crate::model::{Rationale, Response, ResponseId, ResponseOrder, Turn};
use crate::query::{Catalog, CatalogColumn};
use crate::review::RatingForm;
use crate::schema::Schema;
use crate::text::exact_number;

/// Columns before the labels.
const FIRST: [&str; 8] = [
    "sample", "file", "row", "key", "side", "matches", "prompt", "response",
];
/// Columns between labels and facts.
const OUTCOME: [&str; 2] = ["verdict", "margin"];
/// Columns behind the facts.
const LAST: [&str; 5] = ["malformed", "marked", "tags", "notes", "checks"];
/// Who voted for what, where annotators did.
const VOTERS: &str = "votes.each";
/// Columns of a reviewer behind those of the labels.
const OF_RATING: [&str; 12] = [
    "verdict",
    "strength",
    "state",
    "audit",
    "pass",
    "blind",
    "swapped",
    "time",
    "order",
    "seen",
    "after reveal",
    "later",
];

/// Columns that are always there.
pub(super) fn own() -> Vec<&'static str> {
    [&FIRST[..], &OUTCOME, &LAST].concat()
}

pub(super) fn write(
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
    wanted: &dyn Fn(usize) -> bool,
) -> Result<Written, ExportError> {
    let columns = ExportColumns::of(request);
    let mut table = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    table
        .write_record(
            columns
                .header()
                .iter()
                .map(|name| guarded(name).into_owned()),
        )
        .map_err(failed)?;
    let mut written = Written::default();
    request.each(wanted, &mut |it| {
        for record in columns.records(request, it) {
            table.write_record(&record).map_err(failed)?;
            written.rows += 1;
        }
        written.samples += 1;
        written.reviewed += usize::from(it.remark.is_some());
        Ok(())
    })?;
    table.flush()?;
    Ok(written)
}

/// The texts of a name about a response or its sample.
fn written(sample: Option<&Sample<'_>>, name: &str, index: usize) -> String {
    let texts = sample.map(|sample| &*sample.rationales).unwrap_or_default();
    let of =
        |it: &&Rationale<'_>| it.name == *name && it.response.is_none_or(|id| id.index() == index);
    let texts: Vec<_> = texts.iter().filter(of).map(|it| &*it.text).collect();
    guarded(&texts.join("\n\n")).into_owned()
}

fn failed(error: csv::Error) -> ExportError {
    match error.into_kind() {
        ErrorKind::Io(error) => ExportError::Output(error),
        other => ExportError::Output(std::io::Error::other(format!("{other:?}"))),
    }
}

/// What there is a column for, besides those that are always there.
struct ExportColumns {
    labels: Vec<String>,
    facts: Vec<String>,
    /// Whether annotators say which response is best.
    has_votes: bool,
    /// Names of what is written about the samples and their responses.
    texts: Vec<String>,
    reviewers: Vec<Arc<str>>,
    /// Labels that anybody rated.
    rated: Vec<Arc<str>>,
    /// What is asked of the samples of each file.
    scales: Vec<RatingForm>,
    computed: ComputedColumns,
}

impl ExportColumns {
    fn of(request: &ExportRequest<'_>) -> Self {
        let catalog = Catalog::of_dataset(request.dataset);
        let names = |columns: &[CatalogColumn]| -> Vec<String> {
            // What joined files say is behind, with what is computed.
            let ids = columns.iter().map(|column| column.def.id);
            let own = ids.filter(|id| computed::is_own(*id));
            own.map(|id| id.name.to_owned()).collect()
        };
        let (labels, mut facts) = (names(catalog.labels()), names(catalog.facts()));
        let files = request.dataset.files().iter();
        facts.extend(names(catalog.found_fields()));
        let mut texts: Vec<String> = Vec::new();
        for text in files.flat_map(|file| &file.schema.definition().texts) {
            if !texts.contains(&text.name) {
                texts.push(text.name.clone());
            }
        }
        let mut files = request.dataset.files().iter();
        let has_votes = files.any(|file| file.schema.definition().has_votes());
        let ratings = || {
            request
                .ledger
                .remarks()
                .flat_map(|(_, remark)| &remark.ratings)
                .filter(|it| review::is_told(it))
        };
        let reviewers: BTreeSet<_> = ratings()
            .map(|rating| Arc::clone(&rating.reviewer))
            .collect();
        let rated: BTreeSet<_> = ratings()
            .flat_map(|rating| rating.as_given().labels.keys())
            .map(|(name, _)| Arc::clone(name))
            .collect();
        let place = |name: &Arc<str>| {
            labels
                .iter()
                .position(|label: &String| **label == **name)
                .unwrap_or(usize::MAX)
        };
        let mut rated: Vec<_> = rated.into_iter().collect();
        rated.sort_by_key(place);
        let mut columns = Self {
            labels,
            facts,
            has_votes,
            texts,
            reviewers: reviewers.into_iter().collect(),
            rated,
            scales: RatingForm::of_files(request.dataset),
            computed: ComputedColumns::default(),
        };
        let header = columns.header();
        columns.computed = ComputedColumns::of(request.dataset, &own(), &header);
        columns
    }

    fn header(&self) -> Vec<String> {
        let mut header: Vec<String> = FIRST.iter().map(|&name| name.to_owned()).collect();
        let named = |kind: &str, name: &String, taken: &[&str]| match taken.contains(&&**name) {
            true => format!("{kind}.{name}"),
            false => name.clone(),
        };
        let mut taken = own();
        header.extend(self.labels.iter().map(|name| named("label", name, &taken)));
        header.extend(OUTCOME.map(str::to_owned));
        taken.extend(self.labels.iter().map(String::as_str));
        header.extend(self.facts.iter().map(|name| named("fact", name, &taken)));
        taken.extend(self.facts.iter().map(String::as_str));
        header.extend(self.has_votes.then(|| VOTERS.to_owned()));
        header.extend(self.texts.iter().map(|name| named("text", name, &taken)));
        header.extend(LAST.map(str::to_owned));
        for reviewer in &self.reviewers {
            header.extend(self.rated.iter().map(|label| {
                let label = named("label", &label.to_string(), &OF_RATING);
                format!("{reviewer}: {label}")
            }));
            header.extend(OF_RATING.map(|what| format!("{reviewer}: {what}")));
        }
        header.extend(self.computed.header());
        header
    }

    fn records(
        &self,
        request: &ExportRequest<'_>,
        visited: &VisitedSample<'_, '_, '_>,
    ) -> Vec<Vec<String>> {
        let &VisitedSample {
            number: sample,
            key,
            matched,
            reading,
            remark,
        } = visited;
        let key = key.map(|key| key.to_string()).unwrap_or_default();
        let read = match &reading.body {
            SampleBody::Sample(sample) => Some(sample),
            _ => None,
        };
        let computed = (self.computed).values(request.dataset, sample as usize, read);
        let record = |index: usize, side: &str, texts: [&str; 2], malformed: &str| {
            let place = reading.places.get(index).or(reading.places.first());
            let file = place.and_then(|place| request.dataset.files().get(place.file));
            let mut record = vec![
                (u64::from(sample) + 1).to_string(),
                guarded(file.map_or("", |file| file.source.name())).into_owned(),
                place.map_or(0, |place| place.row).to_string(),
                key.clone(),
                side.to_owned(),
                matched.has(index).to_string(),
            ];
            record.extend(texts.map(|text| guarded(text).into_owned()));
            self.judgments(&mut record, reading.schema, read, index);
            record.push(guarded(malformed).into_owned());
            let first = reading.places.first();
            let asked = review::SampleForm {
                scale: first.and_then(|place| self.scales.get(place.file)),
                responses: read.map_or(0, |sample| sample.responses.len()),
            };
            let response = ResponseId::new(index).filter(|_| read.is_some());
            self.remarks(&mut record, remark, response, asked);
            record.extend(computed.of(index).map(|value| guarded(&value).into_owned()));
            record
        };
        match &reading.body {
            SampleBody::Sample(sample) => {
                let prompt = spoken(&sample.prompt);
                let responses = ResponseId::all().zip(&sample.responses);
                let is_wanted = |id: ResponseId| !request.matching_only || matched.has(id.index());
                let responses = responses.filter(|(id, _)| is_wanted(*id));
                let line = |(id, response): (ResponseId, &Response<'_>)| {
                    record(id.index(), id.word(), [&prompt, &response.spoken()], "")
                };
                responses.map(line).collect()
            }
            SampleBody::Malformed { row_error, .. } if !request.matching_only => {
                vec![record(0, "", [""; 2], &row_error.reason)]
            }
            // What is unreadable was an error before.
            SampleBody::Malformed { .. } | SampleBody::Unreadable(_) => Vec::new(),
        }
    }

    /// The dataset's own labels of a response, and its verdict and facts.
    fn judgments(
        &self,
        record: &mut Vec<String>,
        schema: &Schema,
        sample: Option<&Sample<'_>>,
        index: usize,
    ) {
        let response = sample.and_then(|sample| sample.responses.get(index));
        record.extend(self.labels.iter().map(|name| {
            let place = schema.labels().iter().position(|label| label.name == *name);
            let value = place.and_then(|place| *response?.ratings.get(place)?);
            value.map(exact_number).unwrap_or_default()
        }));
        let outcome = sample.and_then(|sample| sample.outcome.as_ref());
        record.push(
            outcome
                .map(|outcome| outcome.verdict.word())
                .unwrap_or_default(),
        );
        record.push(
            outcome
                .and_then(|outcome| outcome.margin)
                .map(exact_number)
                .unwrap_or_default(),
        );
        record.extend(self.facts.iter().map(|name| {
            // Where the two rows of a pair say different things, each has its own.
            let own = format!(
                "{name} {}",
                ResponseId::new(index).map_or("", ResponseId::letter)
            );
            let facts = sample.map(|sample| &*sample.facts).unwrap_or_default();
            let fact = facts
                .iter()
                .find(|fact| fact.name == *name || fact.name == own);
            fact.map_or_else(
                || written(sample, name, index),
                |fact| guarded(&fact.value).into_owned(),
            )
        }));
        record.extend(self.has_votes.then(|| {
            let votes = sample.map(|sample| votes_cell(&sample.votes));
            guarded(&votes.unwrap_or_default()).into_owned()
        }));
        record.extend(self.texts.iter().map(|name| written(sample, name, index)));
    }

    /// What reviewers said.
    fn remarks(
        &self,
        record: &mut Vec<String>,
        remark: Option<&SampleReview>,
        response: Option<ResponseId>,
        asked: review::SampleForm<'_>,
    ) {
        record.push(remark.is_some_and(|remark| remark.marked).to_string());
        let tags: Vec<&str> = remark
            .iter()
            .flat_map(|remark| &remark.tags)
            .map(|tag| &**tag)
            .collect();
        record.push(guarded(&tags.join(";")).into_owned());
        let notes: Vec<_> = remark.iter().flat_map(|remark| &remark.notes).collect();
        let notes: Vec<_> = notes
            .iter()
            .map(|note| {
                let letters =
                    review::note_letters_behind(note, ResponseOrder::OF_FILE, asked.responses);
                format!("{}{letters}: {}", note.reviewer, note.text)
            })
            .collect();
        record.push(guarded(&notes.join("\n")).into_owned());
        let checks = remark.iter().flat_map(|remark| &remark.checks);
        let checks: Vec<_> = checks
            .map(|check| format!("{}: {}", check.reviewer, check.verdict.word()))
            .collect();
        record.push(guarded(&checks.join(";")).into_owned());
        for reviewer in &self.reviewers {
            let now = remark.and_then(|remark| review::compared(remark, reviewer));
            let rating = now.map(Rating::as_given);
            record.extend(self.rated.iter().map(|label| {
                let value = response.and_then(|response| rating?.label(label, response));
                value.map(exact_number).unwrap_or_default()
            }));
            let verdict = rating.and_then(|rating| asked.verdict(rating));
            record.push(
                verdict
                    .map(|(verdict, _)| verdict.word())
                    .unwrap_or_default(),
            );
            let strength = rating.and_then(|rating| rating.verdict?.1);
            record.push(
                strength
                    .map(|strength| strength.to_string())
                    .unwrap_or_default(),
            );
            record.push(
                rating
                    .map(|rating| asked.state(rating).to_owned())
                    .unwrap_or_default(),
            );
            record.extend(
                rating
                    .map(|it| circumstances(it, asked.responses))
                    .unwrap_or_default(),
            );
            let later = now.and_then(|now| Some((review::became(now)?, now)));
            let later = later.map(|(became, now)| {
                let now = review::in_words(now);
                [became.to_owned(), guarded(&now).into_owned()]
            });
            record.extend(later.unwrap_or_default());
        }
    }
}

/// In which audit and at which time in it, whether blind and in another order than the file's, in
/// which, when a rating was given last, and whether the dataset's own had been seen before.
fn circumstances(rating: &Rating, responses: usize) -> [String; 7] {
    let setting = &rating.setting;
    let audit = setting
        .audit
        .as_ref()
        .map(|id| guarded(&id.0).into_owned())
        .unwrap_or_default();
    let order = setting.order.among(responses);
    let (blind, swapped) = (setting.blind.to_string(), !order.is_of_file());
    [
        audit,
        setting.pass.to_string(),
        blind,
        swapped.to_string(),
        guarded(&rating.time).into_owned(),
        order.whole_word(responses),
        setting.seen.to_string(),
    ]
}

/// The turns of a prompt as one text: the text itself where there is one turn.
pub(super) fn spoken<'t>(turns: &'t [Turn<'_>]) -> Cow<'t, str> {
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

/// A text that a spreadsheet does not take for a formula; see the module.
fn guarded(text: &str) -> Cow<'_, str> {
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
            assert_eq!(guarded(text), cell);
        }
    }

    proptest! {
        #[test]
        fn texts_come_back(text in "'{0,3}[-=+@\ta1]{0,3}") {
            let cell = guarded(&text);
            let bare = cell.trim_start_matches('\'');
            let guards = bare.starts_with(['=', '+', '-', '@', '\t']) && bare.len() < cell.len();
            prop_assert_eq!(if guards { &cell[1..] } else { &*cell }, &*text);
        }
    }
}
