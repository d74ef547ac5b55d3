//! `visavis agree`: agreement between reviewers, without the rest of the report.

use std::sync::Arc;

use clap::Args;

use super::Sources;
use super::data::DataArgs;
use super::output::{print_bytes, put, render_answer};
use super::reviewed::ReviewedFiles;
use crate::export::agreement_as_json;
use crate::review::no_spot;
use crate::run::Failure;

/// Maximum number of reviewers for which JSON lists every pair (45 pairs).
const MAX_REVIEWERS: usize = 10;

/// Report agreement of reviewers with the dataset, with each other and with themselves
///
/// Prints kappas with intervals and Krippendorff's alpha. For two or more named reviewers, also
/// lists each sample on which they differ: visavis agree train.jsonl --journal ann.jsonl --journal
/// ben.jsonl --reviewer ann,ben
#[derive(Debug, Args)]
pub struct AgreeArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Reviewers to include [default: all]; with several (ann,ben), list the samples on which they
    /// differ
    #[arg(long, value_name = "NAMES")]
    reviewer: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl AgreeArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let source = self.data.source("report on", sources)?;
        let files = ReviewedFiles::load(&source, true)?;
        let of = files.reviewers(self.reviewer.as_deref())?;
        let places = files.places();
        let work = files.workspace(&places);
        let all = work.agreement_of(&of, None, true);
        let pairs = |of: &[Arc<str>]| {
            let mut pairs = work.each_pair_agreement(of);
            pairs.retain(|pair| pair.samples > 0);
            pairs
        };
        if self.json {
            let known = work.ledger.reviewers();
            let of = match of.len() {
                0 if known.len() <= MAX_REVIEWERS => known,
                0 | 1 => Vec::new(),
                _ => of,
            };
            let text = agreement_as_json(&all, &pairs(&of));
            files.dataset.check_unchanged()?;
            print_bytes(text.as_bytes())?;
        } else {
            let pairs = pairs(&of);
            let answers = [all.answer(&no_spot)].into_iter();
            let answers = answers.chain(pairs.iter().map(|pair| pair.answer(&no_spot)));
            let answers = answers.chain([work.spot_checks(&of)]);
            let text: String = answers.map(|answer| render_answer(&answer)).collect();
            files.dataset.check_unchanged()?;
            put(&text)?;
        }
        files.notes().print("counted")
    }
}
