//! `visavis sample`: draws samples by a seed.

use std::cell::Cell;
use std::time::SystemTime;

use anyhow::bail;
use clap::Args;

use super::data::{FilteredArgs, OutputArgs};
use super::destination::Destination;
use super::export::{ChosenSamples, WriteRequest};
use super::selection::QueriedData;
use super::{Sources, texts};
use crate::export::Format;
use crate::journal::StratifyBy;
use crate::query::QueryResult;
use crate::review::{SamplingPlan, drawn_samples, equal_chances};
use crate::run::{Failure, one_of, print_stderr};
use crate::text::{counted, grouped};

/// Draw random samples and write them
///
/// Uses the same draw as an audit: it depends only on the seed, the filter and the order of the
/// files: visavis sample train.jsonl -n 200 --seed 7 -o draw.jsonl
#[derive(Debug, Args)]
pub struct SampleArgs {
    #[command(flatten)]
    filtered: FilteredArgs,

    /// Number of samples
    #[arg(short, long, value_name = "N")]
    n: u32,

    /// Seed of the draw [default: random, printed on standard error]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    #[command(flatten)]
    strata: StrataArgs,

    /// Output format [default: by the extension of the output, jsonl for standard output]
    #[arg(long, value_parser = one_of(Format::NAMED))]
    format: Option<Format>,

    #[command(flatten)]
    saving: OutputArgs,
}

/// Stratification of a draw by the values of a field.
#[derive(Debug, Args)]
pub struct StrataArgs {
    /// Stratify by this field: keep the share of each value
    #[arg(long, value_name = "FIELD", conflicts_with = "even")]
    pub(super) by: Option<String>,

    /// Stratify by this field: draw equally many samples of each value
    #[arg(long, value_name = "FIELD")]
    pub(super) even: Option<String>,
}

impl SampleArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let source = self.filtered.source("draw from", sources)?;
        let StrataArgs { by, even } = self.strata;
        let is_even = even.is_some();
        let plan = SamplingPlan {
            n: self.n,
            seed: self.seed.unwrap_or_else(random_seed),
            by: by.or(even).map(|field| StratifyBy {
                field,
                even: is_even,
            }),
            filter: self.filtered.query().to_owned(),
            ..SamplingPlan::default()
        };
        let destination = Destination::of(&source, &self.saving);
        let request = WriteRequest {
            source: &source,
            query: &plan.filter,
            format: self.format,
            rows: false,
        };
        let fewer = Cell::new(None);
        let written = request.write(&destination, &|data, found| {
            let chosen = draw_chosen(data, found, &plan)?;
            let count = chosen.samples.samples.len();
            fewer.set(Some(count).filter(|count| *count < plan.n as usize));
            Ok(chosen)
        });
        if written.is_ok() && self.seed.is_none() {
            print_stderr(&texts::same_draw(plan.seed));
        }
        destination.finish(written.and_then(|mut notes| {
            notes.remarks.push(equal_chances(plan.by.as_ref()));
            notes.remarks.extend(fewer.get().map(|drawn| {
                texts::fewer_drawn(counted(drawn, "sample"), grouped(plan.n as usize))
            }));
            notes.print("written")
        }))
    }
}

/// Draws samples, in the order of the draw.
///
/// # Errors
/// If there is nothing to draw from.
fn draw_chosen(
    data: &QueriedData<'_>,
    mut found: QueryResult,
    plan: &SamplingPlan,
) -> anyhow::Result<ChosenSamples> {
    if found.samples.is_empty() && !plan.filter.trim().is_empty() {
        let message = data.no_match("drawn");
        match data.query.explain_no_match(&data.catalog) {
            Some(why) => bail!("{message}; {why}"),
            None => bail!("{message}"),
        }
    }
    // Draws use dataset order, so that they do not depend on the sort order of the filter.
    found.sort_by_sample();
    let samples = drawn_samples(plan, &data.dataset, &found.samples, &|| true)?;
    let matching = samples.iter().filter_map(|sample| {
        let at = found.samples.binary_search(sample).ok()?;
        found.matching.get(at).copied()
    });
    Ok(ChosenSamples {
        title: format!("Samples drawn by seed {}", plan.seed),
        samples: QueryResult {
            matching: matching.collect(),
            samples,
        },
    })
}

/// Returns a random seed of at most six digits.
fn random_seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| u64::from(now.subsec_nanos()) % 1_000_000)
}
