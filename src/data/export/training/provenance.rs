//! The outcome of each sample, in a JSON Lines file next to the rows for a trainer.
//!
//! The first line has the request, the last one (`"end": true`) the counts; a file without it is
//! incomplete. Between them is a line for each row, in the order of the rows, and one for each
//! sample without a row, in the order of the query. So it is streamed and needs constant memory.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::super::VisitedSample;
use super::super::place::FilePlace;
use super::corrections::{CorrectedSample, Correction, LabelledValue};
use super::{TrainingCounts, TrainingRequest};
use crate::answer::json_number_or_null;
use crate::dataset::Dataset;
use crate::model::ResponseId;

/// The version of the lines; it grows when a member moves or changes its meaning.
const VERSION: u32 = 1;

/// The request and its inputs.
#[derive(Debug, Clone, Default)]
pub struct ProvenanceSource<'a> {
    /// The query.
    pub query: &'a str,
    /// The seed of a random order, if there is one.
    pub seed: Option<u64>,
    /// Maximum number of samples, if given.
    pub limit: Option<usize>,
    /// The output of the rows; `None` for standard output.
    pub output: Option<PathBuf>,
    /// The journals that were read.
    pub journals: Vec<PathBuf>,
    /// The leaks that were dropped before, if requested.
    pub leaks: Option<&'a DroppedLeaks>,
}

/// Samples dropped because their prompts are also in another file.
#[derive(Debug, Clone, Default)]
pub struct DroppedLeaks {
    /// Name of the other file.
    pub file: String,
    /// How each sample (by its number from 0) shares its prompt with that file.
    pub ways: BTreeMap<u32, &'static str>,
    /// Number of samples for each way.
    pub counts: BTreeMap<&'static str, usize>,
    /// Unreadable rows of that file, which were not compared.
    pub unread: usize,
}

/// The origin of a sample.
#[derive(Clone, Copy)]
pub(super) struct Origin<'v, 'a> {
    pub(super) dataset: &'v Dataset,
    pub(super) visited: &'v VisitedSample<'v, 'a, 'v>,
}

/// Writes the lines.
pub(super) struct Provenance<'o>(pub(super) &'o mut dyn Write);

impl Provenance<'_> {
    /// Writes the first line.
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
        let corrections = Correction::ALL.into_iter();
        let corrections = corrections.filter(|it| request.corrections.contains(it));
        let known = dataset.fingerprint();
        let mut head = json!({
            "provenance": VERSION,
            "visavis": env!("CARGO_PKG_VERSION"),
            "format": request.format.name,
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
            "apply": corrections.map(Correction::name).collect::<Value>(),
        });
        if let Some(info) = request.format.dataset_info {
            head["dataset_info"] = info(source);
        }
        writeln!(self.0, "{head}")
    }

    /// Writes the line of a row with one response, or with a chosen and a rejected one.
    pub(super) fn row(
        &mut self,
        row: usize,
        origin: Origin<'_, '_>,
        (response, rejected): (ResponseId, Option<ResponseId>),
        corrected: &CorrectedSample,
    ) -> io::Result<()> {
        let of_response = |name, id: ResponseId| (name, json!(id.word()));
        let (mut members, only, change) = if let Some(rejected) = rejected {
            (
                vec![
                    of_response("chosen", response),
                    of_response("rejected", rejected),
                ],
                None,
                corrected.is_flipped.then(|| ("flipped", json!(true))),
            )
        } else {
            let is_own = |label: &&LabelledValue| label.response == response && label.is_changed();
            let changed = corrected.labels.iter().filter(is_own);
            let changed: Map<_, _> = changed
                .map(|label| {
                    let values = [label.before, label.now].map(json_number_or_null);
                    (label.name.clone(), values.into_iter().collect())
                })
                .collect();
            (
                vec![of_response("response", response)],
                Some(response),
                (!changed.is_empty()).then(|| ("relabelled", Value::Object(changed))),
            )
        };
        if let Some(change) = change {
            let by = corrected.by.iter().map(|name| &**name).collect();
            members.extend([change, ("by", by)]);
        }
        self.line(("row", json!(row)), origin, only, members)
    }

    /// Writes the last line, with the hash of all rows in hex digits.
    pub(super) fn end(&mut self, counts: &TrainingCounts, sha256: &str) -> io::Result<()> {
        let mut end = json!(counts);
        end["end"] = json!(true);
        end["sha256"] = json!(sha256);
        writeln!(self.0, "{end}")?;
        self.0.flush()
    }

    /// Writes a line with the sample's key, number and rows; for one response only its row.
    pub(super) fn line(
        &mut self,
        first: (&str, Value),
        Origin { dataset, visited }: Origin<'_, '_>,
        only: Option<ResponseId>,
        more: Vec<(&str, Value)>,
    ) -> io::Result<()> {
        let places = &visited.reading.places;
        // A row that is a whole sample belongs to all responses.
        let own = only.filter(|_| places.len() > 1).map(ResponseId::index);
        let places = places.iter().enumerate();
        let places = places.filter(|(at, _)| own.is_none_or(|own| own == *at));
        let from = places.map(|(_, place)| {
            let place = FilePlace::of(dataset, place);
            json!({"file": place.file, "row": place.row})
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
        writeln!(self.0, "{}", Value::Object(line))
    }
}
