//! One sample with all that is known of it: as a page for people, and as JSON for programs.

use serde_json::{Value, json};

use super::json_number::{json_document, json_number_or_null};
use super::place::FilePlace;
use super::votes::votes_json;
use super::{BlindMask, ExportError, no_sample, page, remark, review};
use crate::dataset::{Buffers, Dataset, LoadedSample, Sample, SampleBody, SampleKey};
use crate::journal::Ledger;
use crate::model::{Quote, Response, ResponseId, Turn};
use crate::review::RatingForm;
use crate::schema::Schema;

/// What the keys of [`sample_as_json`] mean, as a number that grows when one means something else.
const VERSION: u32 = 1;

/// A sample as Markdown, by its number from 0.
///
/// # Errors
/// When there is no such sample, or its rows cannot be read.
pub fn sample_as_markdown(
    dataset: &Dataset,
    ledger: &Ledger,
    sample: u32,
) -> Result<String, ExportError> {
    let mut buffers = Buffers::with_fields();
    let reading = read(dataset, sample, &mut buffers)?;
    let remark = remark(ledger, &reading.body);
    let mask = BlindMask::default();
    let key = SampleKey::of(&reading.body);
    Ok(page::sample(dataset, sample, &reading, key, remark, mask))
}

/// A sample as a JSON document, by its number from 0: `version`, `sample` (from 1), `key`, `rows`
/// (`file`, `row`, `line`: null where the file does not have its rows in lines), `schema`, `prompt`
/// (`role`, `text`), `responses` (`side`, `text`, `turns` where there are several, `labels`, `quotes`
/// where the dataset has some), `verdict` (a letter or `tie`), `margin`, `native` (the file's own
/// words for it), `facts`, `rationales`, `warnings`, and `review` as in reviewed rows where somebody
/// said something. Of a malformed row `malformed` (`reason`, `line`) in place of all from `prompt` on.
///
/// # Errors
/// When there is no such sample, or its rows cannot be read.
pub fn sample_as_json(
    dataset: &Dataset,
    ledger: &Ledger,
    sample: u32,
) -> Result<String, ExportError> {
    let mut buffers = Buffers::with_fields();
    let reading = read(dataset, sample, &mut buffers)?;
    let rows = reading.places.iter();
    let rows = rows.map(|place| FilePlace::as_json(Some(&FilePlace::of(dataset, place))));
    let mut members = json!({
        "version": VERSION,
        "sample": u64::from(sample) + 1,
        "key": SampleKey::of(&reading.body).map(|key| key.to_string()),
        "rows": rows.collect::<Value>(),
        "schema": reading.schema.definition().name,
    });
    let mut responses = 0;
    match &reading.body {
        SampleBody::Sample(sample) => {
            responses = sample.responses.len();
            put_sample(reading.schema, sample, &mut members);
        }
        SampleBody::Malformed {
            place,
            row_error,
            line,
        } => {
            members["malformed"] =
                json!({"row": place.row, "reason": row_error.reason, "line": line});
        }
        SampleBody::Unreadable(_) => {} // was an error before
    }
    if let Some(remark) = remark(ledger, &reading.body) {
        let scale = RatingForm::of(reading.schema);
        let asked = review::SampleForm {
            scale: Some(&scale),
            responses,
        };
        members["review"] = review::as_json(remark, None, asked);
    }
    Ok(json_document(&members))
}

fn read<'d, 'b>(
    dataset: &'d Dataset,
    sample: u32,
    buffers: &'b mut Buffers,
) -> Result<LoadedSample<'d, 'b>, ExportError> {
    let reading = dataset.read(sample as usize, buffers);
    let reading = reading.ok_or_else(|| no_sample(sample))?;
    match &reading.body {
        SampleBody::Unreadable(error) => Err(error.clone().into()),
        _ => Ok(reading),
    }
}

fn put_sample(schema: &Schema, sample: &Sample<'_>, members: &mut Value) {
    members["prompt"] = turns(&sample.prompt);
    let responses = ResponseId::all().zip(&sample.responses);
    let responses = responses.map(|(id, response)| of_response(schema, id, response));
    members["responses"] = responses.collect();
    let outcome = sample.outcome.as_ref();
    let verdict = outcome.map(|outcome| outcome.verdict.word());
    members["verdict"] = json!(verdict);
    let margin = outcome.and_then(|outcome| outcome.margin);
    members["margin"] = json_number_or_null(margin);
    if let Some(native) = outcome.and_then(|outcome| outcome.native.as_ref()) {
        members["native"] = json!(native);
    }
    if schema.definition().has_votes() {
        members["votes"] = votes_json(&sample.votes, sample.responses.len());
    }
    let facts = sample.facts.iter();
    let facts = facts.map(|fact| (fact.name.clone(), json!(fact.value)));
    members["facts"] = facts.collect();
    let rationales = sample.rationales.iter().map(|it| {
        json!({
            "name": it.name,
            "side": it.response.map(ResponseId::word),
            "annotator": it.annotator.map(|who| who + 1),
            "text": it.text,
        })
    });
    members["rationales"] = rationales.collect();
    let warnings = sample.warnings.iter();
    members["warnings"] = warnings.map(|it| json!(it.explanation())).collect();
}

fn of_response(schema: &Schema, id: ResponseId, response: &Response<'_>) -> Value {
    let mut members = json!({"side": id.word(), "text": response.text});
    if !response.turns.is_empty() {
        let turns = response.turns.iter().map(|turn| {
            let text = response.text.get(turn.range.clone());
            json!({"role": turn.role.word(), "text": text})
        });
        members["turns"] = turns.collect();
    }
    let labels = schema.labels().iter().zip(&response.ratings);
    let labels = labels.map(|(label, value)| (label.name.clone(), json_number_or_null(*value)));
    members["labels"] = labels.collect();
    if let Some(quotes) = &response.quotes {
        let quote = |quote: &Quote<'_>| json!({"title": quote.title, "extract": quote.extract});
        members["quotes"] = quotes.iter().map(quote).collect();
    }
    members
}

fn turns(turns: &[Turn<'_>]) -> Value {
    let turn = |turn: &Turn<'_>| json!({"role": turn.role.word(), "text": turn.text});
    turns.iter().map(turn).collect()
}
