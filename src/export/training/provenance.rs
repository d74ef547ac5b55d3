//! What became of each sample, beside the rows for a trainer: JSON Lines.
//!
//! The first line says what was asked of what, the last one (`"end": true`) what it came to; a file
//! without it is not whole. Between them stands a line for each row, in the order of the rows, and
//! one for each sample that is not among them, in the order of the query. So it is written as it
//! comes and needs no memory, whatever the number of rows.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::super::VisitedSample;
use super::super::json_number::json_number_or_null;
use super::corrections::{CorrectedSample, LabelledValue};
use super::{TrainingCounts, TrainingFormat, TrainingRequest};
use crate::dataset::Dataset;
use crate::model::ResponseId;

/// The version of what the lines have: it changes where a member goes or means something else.
const VERSION: u32 = 1;

/// What was asked, and where it came from.
#[derive(Debug, Clone, Default)]
pub struct ProvenanceSource<'a> {
    /// The query.
    pub query: &'a str,
    /// The seed by which it shuffles, where it does.
    pub seed: Option<u64>,
    /// So many samples at most, where that was said.
    pub limit: Option<usize>,
    /// Where the rows go; `None` for standard output.
    pub output: Option<PathBuf>,
    /// The journals that were read.
    pub journals: Vec<PathBuf>,
    /// The samples that were dropped before, where that was asked.
    pub leaks: Option<&'a DroppedLeaks>,
}

/// Samples that are dropped because their prompts are also in another file.
#[derive(Debug, Clone, Default)]
pub struct DroppedLeaks {
    /// The name of that file.
    pub file: String,
    /// In which way each of them, by its number from 0, shares its prompt with the file.
    pub ways: BTreeMap<u32, &'static str>,
    /// How many there are in each way.
    pub counts: BTreeMap<&'static str, usize>,
    /// Rows of the file that could not be read, so that nothing was compared with them.
    pub unread: usize,
}

/// Where a sample comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'v, 'a> {
    pub(super) dataset: &'v Dataset,
    pub(super) visited: &'v VisitedSample<'v, 'a, 'v>,
}

/// Writes the lines.
pub(super) struct Provenance<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Provenance<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self { out }
    }

    /// The first line.
    pub(super) fn head(
        &mut self,
        request: &TrainingRequest<'_>,
        source: &ProvenanceSource<'_>,
    ) -> io::Result<()> {
        let dataset = request.dataset;
        let files = dataset.files().iter().map(|file| {
            json!({
                "name": file.source.name(),
                "bytes": file.source.progress().of,
                "schema": file.schema.definition().name,
            })
        });
        let joined = dataset.joined().iter().map(|file| {
            json!({
                "name": file.source.name(),
                "bytes": file.source.progress().of,
            })
        });
        let journals = source.journals.iter().map(|path| {
            json!({
                "name": path.to_string_lossy(),
                "bytes": std::fs::metadata(path).ok().map(|file| file.len()),
            })
        });
        let output = source.output.as_ref().map(|path| path.to_string_lossy());
        let leaks = source.leaks;
        let leaks = leaks.map(|leaks| json!({"name": leaks.file, "dropped": leaks.counts}));
        let known = dataset.fingerprint();
        let mut head = json!({
            "provenance": VERSION,
            "visavis": env!("CARGO_PKG_VERSION"),
            "format": request.format.name(),
            "output": output,
            "query": source.query,
            "seed": source.seed,
            "limit": source.limit,
            "pairs_per_sample": request.pairs_per_sample,
            "drop_leaks": leaks,
            "files": files.collect::<Value>(),
            "joined": joined.collect::<Value>(),
            "fingerprint": {"rows": known.rows, "samples": known.samples, "hash": known.hash},
            "journals": journals.collect::<Value>(),
            "acts": request.ledger.len(),
            "apply": request.corrections.names().collect::<Value>(),
        });
        if request.format == TrainingFormat::LlamaFactory {
            head["dataset_info"] = dataset_info(source);
        }
        writeln!(self.out, "{head}")
    }

    /// The line of a row with two responses: the chosen one and the rejected one.
    pub(super) fn pair(
        &mut self,
        row: usize,
        origin: Origin<'_, '_>,
        [chosen, rejected]: [ResponseId; 2],
        corrected: &CorrectedSample,
    ) -> io::Result<()> {
        let mut members = vec![
            ("chosen", json!(chosen.word())),
            ("rejected", json!(rejected.word())),
        ];
        if corrected.is_flipped {
            members.extend([("flipped", json!(true)), by(corrected)]);
        }
        self.line(("row", json!(row)), origin, None, members)
    }

    /// The line of a row with one response.
    pub(super) fn rated(
        &mut self,
        row: usize,
        origin: Origin<'_, '_>,
        response: ResponseId,
        corrected: &CorrectedSample,
    ) -> io::Result<()> {
        let is_own = |label: &&LabelledValue| label.response == response && label.is_changed();
        let changed = corrected.labels.iter().filter(is_own);
        let changed: Map<_, _> = changed
            .map(|label| {
                let values = [label.before, label.now].map(json_number_or_null);
                (label.name.clone(), values.into_iter().collect())
            })
            .collect();
        let mut members = vec![("response", json!(response.word()))];
        if !changed.is_empty() {
            members.extend([("relabelled", Value::Object(changed)), by(corrected)]);
        }
        self.line(("row", json!(row)), origin, Some(response), members)
    }

    /// The last line, with the hash of all rows in hex digits.
    pub(super) fn end(&mut self, counts: &TrainingCounts, sha256: &str) -> io::Result<()> {
        let mut end = json!(counts);
        end["end"] = json!(true);
        end["sha256"] = json!(sha256);
        writeln!(self.out, "{end}")?;
        self.out.flush()
    }

    /// A line with the sample's key and number, and where its rows stand: of one response that row
    /// alone.
    pub(super) fn line(
        &mut self,
        first: (&str, Value),
        Origin { dataset, visited }: Origin<'_, '_>,
        only: Option<ResponseId>,
        more: Vec<(&str, Value)>,
    ) -> io::Result<()> {
        let places = &visited.reading.places;
        // A row that is a whole sample is that of each response.
        let own = only.filter(|_| places.len() > 1).map(ResponseId::index);
        let places = places.iter().enumerate();
        let places = places.filter(|(at, _)| own.is_none_or(|own| own == *at));
        let from = places.map(|(_, place)| {
            let file = dataset.files().get(place.file);
            let name = file.map_or("", |file| file.source.name());
            json!({"file": name, "row": place.row})
        });
        let key = visited.key.map(|key| key.to_string()).unwrap_or_default();
        let members = [
            first,
            ("key", json!(key)),
            ("sample", json!(u64::from(visited.number) + 1)),
            ("from", from.collect()),
        ];
        let members = members.into_iter().chain(more);
        let line: Map<_, _> = members
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        writeln!(self.out, "{}", Value::Object(line))
    }
}

/// Who corrected it.
fn by(corrected: &CorrectedSample) -> (&'static str, Value) {
    ("by", corrected.by.iter().map(|name| &**name).collect())
}

/// What `dataset_info.json` of LLaMA-Factory has to say of the file.
fn dataset_info(source: &ProvenanceSource<'_>) -> Value {
    let name = source.output.as_ref().and_then(|path| path.file_name());
    let name = name.map_or("data.jsonl".into(), |name| name.to_string_lossy());
    let stem = name.split('.').next().unwrap_or(&name);
    json!({
        stem: {
            "file_name": name,
            "formatting": "sharegpt",
            "ranking": true,
            "columns": {
                "messages": "conversations",
                "chosen": "chosen",
                "rejected": "rejected",
            },
        },
    })
}
