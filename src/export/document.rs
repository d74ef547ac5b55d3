//! One sample with all that is known of it: as a page for people, and as JSON for programs.

use serde_json::{Map, Value, json};

use super::json_number::json_number_or_null;
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
    let mut buffers = Buffers::default();
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
    let mut buffers = Buffers::default();
    let reading = read(dataset, sample, &mut buffers)?;
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("version", json!(VERSION));
    put("sample", json!(u64::from(sample) + 1));
    let key = SampleKey::of(&reading.body).map(|key| key.to_string());
    put("key", json!(key));
    let rows = reading.places.iter();
    let rows = rows.map(|place| FilePlace::of(dataset, place).as_json());
    put("rows", rows.collect());
    put("schema", json!(reading.schema.definition().name));
    let mut responses = 0;
    match &reading.body {
        SampleBody::Sample(sample) => {
            responses = sample.responses.len();
            members.extend(of_sample(reading.schema, sample));
        }
        SampleBody::Malformed {
            place,
            row_error,
            line,
        } => {
            let malformed = json!({"row": place.row, "reason": row_error.reason, "line": line});
            members.insert("malformed".to_owned(), malformed);
        }
        SampleBody::Unreadable(_) => {} // was an error before
    }
    if let Some(remark) = remark(ledger, &reading.body) {
        let scale = RatingForm::of(reading.schema);
        let asked = review::SampleForm {
            scale: Some(&scale),
            responses,
        };
        let review = review::spelled(remark, None, asked);
        let review = serde_json::from_str(&review).unwrap_or_default();
        members.insert("review".to_owned(), review);
    }
    let mut json = serde_json::to_string_pretty(&Value::Object(members)).unwrap_or_default();
    json.push('\n');
    Ok(json)
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

fn of_sample(schema: &Schema, sample: &Sample<'_>) -> Map<String, Value> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("prompt", turns(&sample.prompt));
    let responses = ResponseId::first(ResponseId::MOST).zip(&sample.responses);
    let responses = responses.map(|(id, response)| of_response(schema, id, response));
    put("responses", responses.collect());
    let outcome = sample.outcome.as_ref();
    let verdict = outcome.map(|outcome| outcome.verdict.word());
    put("verdict", json!(verdict));
    let margin = outcome.and_then(|outcome| outcome.margin);
    put("margin", json_number_or_null(margin));
    if let Some(native) = outcome.and_then(|outcome| outcome.native.as_ref()) {
        put("native", json!(native));
    }
    if schema.definition().has_votes() {
        put("votes", votes_json(&sample.votes, sample.responses.len()));
    }
    let facts = sample.facts.iter();
    let facts: Map<_, _> = facts
        .map(|fact| (fact.name.clone(), json!(fact.value)))
        .collect();
    put("facts", Value::Object(facts));
    let rationales = sample.rationales.iter().map(|it| {
        json!({
            "name": it.name,
            "side": it.response.map(ResponseId::word),
            "annotator": it.annotator.map(|who| who + 1),
            "text": it.text,
        })
    });
    put("rationales", rationales.collect());
    let warnings = sample.warnings.iter();
    put(
        "warnings",
        warnings.map(|it| json!(it.explanation())).collect(),
    );
    members
}

fn of_response(schema: &Schema, id: ResponseId, response: &Response<'_>) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("side", json!(id.word()));
    put("text", json!(response.text));
    if !response.turns.is_empty() {
        let turns = response.turns.iter().map(|turn| {
            let text = response.text.get(turn.range.clone());
            json!({"role": turn.role.word(), "text": text})
        });
        put("turns", turns.collect());
    }
    let labels = schema.labels().iter().zip(&response.ratings);
    let labels: Map<_, _> = labels
        .map(|(label, value)| {
            let value = json_number_or_null(*value);
            (label.name.clone(), value)
        })
        .collect();
    put("labels", Value::Object(labels));
    if let Some(quotes) = &response.quotes {
        let quote = |quote: &Quote<'_>| json!({"title": quote.title, "extract": quote.extract});
        put("quotes", quotes.iter().map(quote).collect());
    }
    Value::Object(members)
}

fn turns(turns: &[Turn<'_>]) -> Value {
    let turn = |turn: &Turn<'_>| json!({"role": turn.role.word(), "text": turn.text});
    turns.iter().map(turn).collect()
}
