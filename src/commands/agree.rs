//! `visavis agree`: how far reviewers agree, without the report around it.

use std::sync::Arc;

use clap::Args;

use super::Sources;
use super::data::DataArgs;
use super::output::{laid_out, put, put_bytes};
use super::reviewed::ReviewedFiles;
use crate::export::agreement_as_json;
use crate::journal::Rating;
use crate::review::{
    Agreement, AgreementScope, PairAgreement, SampleLocator, agreement, pair_agreement,
};
use crate::run::Failed;
use crate::stats::DRAWS;

/// Reviewers whose pairs are all told in JSON: 45 pairs.
const MOST_REVIEWERS: usize = 10;

/// Tell how far reviewers agree: with the dataset, with each other and with themselves
///
/// Kappas with intervals, Krippendorff's alpha, and of two or more who are named each sample on which
/// they differ: visavis agree train.jsonl --journal ann.jsonl --journal ben.jsonl --reviewer ann,ben
#[derive(Debug, Args)]
pub struct AgreeArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Whose judgments; several with commas (ann,ben): how far they agree with each other, and where
    /// they do not. Without it, everybody's
    #[arg(long, value_name = "NAMES")]
    reviewer: Option<String>,

    /// As a JSON document
    #[arg(long)]
    json: bool,
}

impl AgreeArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failed> {
        let source = self.data.source("tell of", sources)?;
        let files = ReviewedFiles::load(&source, true)?;
        let reviewer = self.reviewer.as_deref();
        let named = files.several(reviewer)?;
        let one = match (reviewer, &named) {
            (Some(name), None) => Some(files.one_reviewer(name)?),
            _ => None,
        };
        let places = files.places();
        let all = with_dataset(&files, &places, one.as_deref(), named.as_deref());
        let text = match self.json {
            false => {
                let pairs = pairs(&files, &places, &named.unwrap_or_default());
                let pairs = pairs.iter().map(PairAgreement::markdown);
                [all.markdown()]
                    .into_iter()
                    .chain(pairs)
                    .collect::<String>()
            }
            true => {
                let known = files.said.ledger.reviewers();
                let of = named.unwrap_or_else(|| match reviewer {
                    None if known.len() <= MOST_REVIEWERS => known,
                    _ => Vec::new(),
                });
                agreement_as_json(&all, &pairs(&files, &places, &of))
            }
        };
        files.dataset.check_unchanged()?;
        match self.json {
            true => put_bytes(text.as_bytes())?,
            false => put(&laid_out(&text))?,
        }
        files.notes().say("counted")
    }
}

fn with_dataset(
    files: &ReviewedFiles,
    places: &SampleLocator,
    reviewer: Option<&str>,
    named: Option<&[Arc<str>]>,
) -> Agreement {
    let counts =
        |_: &_, rating: &Rating| named.is_none_or(|names| names.contains(&rating.reviewer));
    let scope = AgreementScope {
        reviewer,
        audit: None,
        between: reviewer.is_none(),
        counts: &counts,
    };
    let ledger = &files.said.ledger;
    Agreement {
        // Other reviewers do not count, but nothing is hidden here.
        hidden: 0,
        ..agreement(ledger, places, &files.dataset, &scope, DRAWS)
    }
}

/// Each two of some reviewers who judged a sample in common.
fn pairs(
    files: &ReviewedFiles,
    places: &SampleLocator,
    reviewers: &[Arc<str>],
) -> Vec<PairAgreement> {
    let twos = reviewers.iter().enumerate();
    let twos = twos.flat_map(|(at, one)| reviewers.iter().skip(at + 1).map(move |two| [one, two]));
    let pairs = twos.filter_map(|two| {
        let ledger = &files.said.ledger;
        pair_agreement(ledger, places, &files.dataset, two, DRAWS, &|| true)
    });
    pairs.filter(|pair| pair.samples > 0).collect()
}
