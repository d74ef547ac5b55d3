//! Samples as Markdown, for people to read and to paste.

use std::io::Write;

use super::markdown::{code, fenced, inline, quoted, row, rule};
use super::votes::votes_words;
use super::{BlindMask, ExportError, ExportRequest, Written, review};
use crate::dataset::{Dataset, LoadedSample, RowPlace, Sample, SampleBody, SampleKey};
use crate::journal::SampleReview;
use crate::model::{Outcome, Response, ResponseId, ResponseOrder};
use crate::schema::Schema;
use crate::text::{counted, exact_number};

pub(super) fn write(
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
    wanted: &dyn Fn(usize) -> bool,
) -> Result<Written, ExportError> {
    let samples = counted(request.chosen().count(), "sample");
    let names: Vec<_> = request
        .dataset
        .files()
        .iter()
        .filter(|file| !file.is_against())
        .map(|file| code(file.source.name()))
        .collect();
    let title = if request.title.trim().is_empty() {
        "Samples".to_owned()
    } else {
        inline(&request.title)
    };
    write!(out, "# {title}\n\n{samples} of {}\n", names.join(", "))?;
    let mut written = Written::default();
    request.each(wanted, &mut |it| {
        let page = sample(
            request.dataset,
            it.number,
            it.reading,
            it.key,
            it.remark,
            BlindMask::default(),
        );
        write!(out, "\n{page}")?;
        written.rows += it.reading.places.len();
        written.samples += 1;
        written.reviewed += usize::from(it.remark.is_some());
        Ok(())
    })?;
    Ok(written)
}

/// A sample as a section of its own. Nothing in it is foreign Markdown.
pub(super) fn sample(
    dataset: &Dataset,
    sample: u32,
    reading: &LoadedSample<'_, '_>,
    key: Option<SampleKey>,
    remark: Option<&SampleReview>,
    mask: BlindMask,
) -> String {
    // Where a sample stands can tell what is hidden: files are often sorted by it.
    let mut page = match mask.hidden {
        true => "## Sample\n\n".to_owned(),
        false => format!(
            "## Sample {}\n\n{}\n\n",
            u64::from(sample) + 1,
            origin(dataset, reading, key)
        ),
    };
    match &reading.body {
        SampleBody::Sample(sample) => {
            let mut sample = sample.clone();
            if mask.hidden {
                sample.hide_fields();
            }
            read(&mut page, reading.schema, &sample, mask.order);
        }
        SampleBody::Malformed {
            place,
            row_error,
            line,
        } => {
            page.push_str(&format!(
                "**Malformed row**, {} {}: {}\n\n{}",
                place.unit,
                place.line,
                inline(&row_error.reason),
                fenced(line)
            ));
        }
        SampleBody::Unreadable(error) => {
            page.push_str(&format!("**Unreadable**: {}\n", inline(&error.to_string())));
        }
    }
    if let Some(remark) = remark {
        let responses = match &reading.body {
            SampleBody::Sample(sample) => sample.responses.len(),
            _ => 0,
        };
        remarks(&mut page, remark, responses, mask);
    }
    page
}

/// Where a sample stands, and its key in the journal, which is that of all its responses.
pub(super) fn origin(
    dataset: &Dataset,
    reading: &LoadedSample<'_, '_>,
    key: Option<SampleKey>,
) -> String {
    let mut places: Vec<String> = Vec::new();
    for own in reading.places.chunk_by(|one, next| one.file == next.file) {
        let file = own
            .first()
            .and_then(|place| dataset.files().get(place.file));
        let name = file.map_or("", |file| file.source.name());
        places.push(format!("{}, {}", code(name), rows(own)));
    }
    let key = key
        .map(|key| format!(" · key {}", code(&key.to_string())))
        .unwrap_or_default();
    format!("{}{key}", places.join("; "))
}

fn rows(places: &[RowPlace]) -> String {
    match places {
        [a, b] => format!("rows {} and {}", a.row, b.row),
        [one] => format!("row {}", one.row),
        several => {
            let numbers: Vec<_> = several.iter().map(|place| place.row.to_string()).collect();
            format!("rows {}", numbers.join(", "))
        }
    }
}

fn read(page: &mut String, schema: &Schema, sample: &Sample<'_>, order: ResponseOrder) {
    // Letters are those of the screen: the response on the left is A there.
    let order = order.among(sample.responses.len());
    let shown = ResponseId::first(sample.responses.len());
    let shown = shown.filter_map(|id| Some((id, sample.responses.get(order.of_file(id).index())?)));
    let responses: Vec<_> = shown.collect();
    let outcome = sample
        .outcome
        .as_ref()
        .map(|outcome| outcome_phrase(outcome, order, sample.responses.len()));
    page.extend(outcome.map(|outcome| format!("**{outcome}**\n\n")));
    let votes = votes_words(&sample.votes, order, sample.responses.len(), exact_number);
    if !votes.is_empty() {
        let what = match sample.votes.have_strengths {
            true => "By how much A wins for each annotator",
            false => "Votes",
        };
        page.push_str(&format!("{what}: {}\n\n", inline(&votes)));
    }
    page.push_str(&labels(schema, &responses));
    for fact in &sample.facts {
        page.push_str(&format!(
            "- {}: {}\n",
            inline(&fact.name),
            inline(&fact.value)
        ));
    }
    if !sample.facts.is_empty() {
        page.push('\n');
    }
    for warning in &sample.warnings {
        let warning = warning.clone().renamed(|response| order.shown(response));
        page.push_str(&format!(
            "*Read leniently: {}.*\n\n",
            inline(&warning.explanation())
        ));
    }
    if !sample.prompt.is_empty() {
        page.push_str("### Prompt\n\n");
    }
    for turn in &sample.prompt {
        if sample.prompt.len() > 1 {
            page.push_str(&format!("**{}**\n\n", turn.role.word()));
        }
        page.push_str(&format!("{}\n", fenced(&turn.text)));
    }
    for (place, (id, response)) in responses.iter().enumerate() {
        let heading = if responses.len() == 1 {
            "Response".to_owned()
        } else {
            format!("Response {}", id.letter())
        };
        let gap = if place == 0 { "" } else { "\n" };
        page.push_str(&format!(
            "{gap}### {heading}\n\n{}",
            fenced(&response.spoken())
        ));
        for (number, quote) in (1..).zip(response.quotes.iter().flatten()) {
            page.push_str(&format!(
                "\nQuote \\[{number}\\]: {}\n\n{}",
                inline(&quote.title),
                fenced(&quote.extract)
            ));
        }
    }
    rationales(page, schema, sample, order);
}

/// What was written about the sample and its responses.
fn rationales(page: &mut String, schema: &Schema, sample: &Sample<'_>, order: ResponseOrder) {
    if !sample.rationales.is_empty() {
        page.push_str("\n### Rationales\n");
    }
    for rationale in &sample.rationales {
        let mut words = vec![inline(schema.definition().title_of_text(&rationale.name))];
        let of = rationale.response.filter(|_| sample.responses.len() > 1);
        words.extend(of.map(|of| order.shown(of).letter().to_owned()));
        words.extend(rationale.annotator.map(|who| format!("no. {}", who + 1)));
        let title = words.join(" \u{b7} ");
        page.push_str(&format!("\n{title}\n\n{}", fenced(&rationale.text)));
    }
}

/// The dataset's own labels, one row a response; nothing where it has none.
fn labels(schema: &Schema, responses: &[(ResponseId, &Response<'_>)]) -> String {
    // Hidden values are none at all, missing ones are `None`.
    if responses.iter().all(|(_, it)| it.ratings.is_empty()) {
        return String::new();
    }
    let names = schema.labels().iter().map(|label| inline(&label.name));
    let mut table = row(std::iter::once(String::new()).chain(names));
    table.push_str(&rule(schema.labels().len() + 1));
    for (id, response) in responses {
        let values = response
            .ratings
            .iter()
            .map(|value| value.map_or("–".to_owned(), exact_number));
        table.push_str(&row(std::iter::once(id.letter().to_owned()).chain(values)));
    }
    table + "\n"
}

fn outcome_phrase(outcome: &Outcome, order: ResponseOrder, responses: usize) -> String {
    let verdict = order.shown_verdict(outcome.verdict);
    let by = outcome.lead_words(responses, exact_number);
    let native = outcome
        .native
        .as_ref()
        .map(|native| format!(" ({})", inline(native)))
        .unwrap_or_default();
    format!("{}{by}{native}", verdict.phrase())
}

fn remarks(page: &mut String, remark: &SampleReview, responses: usize, mask: BlindMask) {
    let mut lines = String::new();
    if remark.marked {
        lines.push_str("- marked\n");
    }
    if !remark.tags.is_empty() {
        let tags: Vec<_> = remark.tags.iter().map(|tag| inline(tag)).collect();
        lines.push_str(&format!("- tags: {}\n", tags.join(", ")));
    }
    // What is right tells labels.
    for check in remark.checks.iter().filter(|_| !mask.hidden) {
        let who = inline(&check.reviewer);
        lines.push_str(&format!("- checked by {who}: {}\n", check.verdict.word()));
    }
    // Ratings tell another reviewer's opinion.
    for rating in remark
        .ratings
        .iter()
        .filter(|rating| !mask.hidden && review::is_told(rating))
    {
        // Texts and labels have the letters of the screen; so must what is said of them.
        let (said, setting) = (
            inline(&review::given_in_words(rating, mask.order)),
            inline_behind(&review::circumstances(rating.as_given(), responses)),
        );
        lines.push_str(&format!(
            "- rated by {}{setting}: {said}\n",
            inline(&rating.reviewer)
        ));
    }
    let notes = remark.notes.iter().map(|note| {
        format!(
            "\nNote of {}{}:\n\n{}",
            inline(&note.reviewer),
            review::note_letters_behind(note, mask.order, responses),
            quoted(&note.text)
        )
    });
    let notes: String = notes.collect();
    if !lines.is_empty() || !notes.is_empty() {
        let gap = if lines.is_empty() {
            notes.trim_start_matches('\n')
        } else {
            &notes
        };
        page.push_str(&format!("\n### Review\n\n{lines}{gap}"));
    }
}

/// In one line, with the blank that it begins with.
fn inline_behind(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(" {}", inline(text))
    }
}
