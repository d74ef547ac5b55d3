//! `visavis audit`: opens the screen with samples to judge.

use std::path::PathBuf;

use clap::Args;

use super::reading::ReadingArgs;
use super::sample::StrataArgs;
use super::{Sources, texts};
use crate::app::PendingOpening;
use crate::run::{Failure, JudgingArgs, LookArgs, browse};

/// Draw samples and judge them
///
/// The draw depends only on the seed, the filter and the order of the files, so it is the same on
/// every machine. Without -n, the program offers to continue an unfinished audit, to judge the same
/// samples as another reviewer, or to draw new ones. Running the command of an existing audit again
/// continues it; that of another reviewer's audit offers to judge the same samples.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Files to read, in this order
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Number of samples [default: ask]
    #[arg(short, long, value_name = "N")]
    n: Option<u32>,

    /// Seed of the draw
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    #[command(flatten)]
    strata: StrataArgs,

    /// Draw only from samples that match this query
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    filter: Option<String>,

    /// Repeat this share of the samples with sides swapped, to measure consistency
    #[arg(long, value_name = "PERCENT")]
    repeat: Option<String>,

    #[command(flatten)]
    judging: JudgingArgs,

    #[command(flatten)]
    looks: LookArgs,
}

impl AuditArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let opening = PendingOpening {
            audit: Some(self.words()),
            filter: self.filter.filter(|filter| !filter.is_empty()),
        };
        let (reading, looks) = (self.reading, self.looks);
        let mut invocation = reading.invocation(self.files, looks, self.judging, sources)?;
        if invocation.looks.at.is_some() {
            return Err(Failure::usage(texts::AUDIT_START));
        }
        invocation.opening = opening;
        browse(invocation, std::mem::take(&mut sources.faults))
    }

    /// Returns the arguments as they would be typed after `:audit`.
    fn words(&self) -> String {
        let StrataArgs { by, even } = &self.strata;
        let words = [
            self.n.map(|n| n.to_string()),
            self.seed.map(|seed| format!("seed={seed}")),
            by.as_ref().map(|field| format!("by={field}")),
            even.as_ref().map(|field| format!("even={field}")),
            (self.repeat.as_ref()).map(|share| format!("repeat={share}")),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}
