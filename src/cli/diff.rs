//! `visavis diff`: what can be typed behind it.

use std::path::PathBuf;

use clap::Args;

use super::reading::{CatalogSource, RecordArgs};
use crate::dataset::Loader;

/// Tell how two versions of a dataset differ: samples added, removed, relabelled, edited
///
/// Samples are known by what they say, wherever they stand. Exit code 0 where both say the same, 1
/// where they differ, 2 where something is wrong.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The file as it was; `-` is standard input
    old: PathBuf,

    /// The file as it is
    new: PathBuf,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,

    /// List so many samples of each kind of change at most
    #[arg(short, long, value_name = "N", default_value = "10")]
    n: usize,

    #[command(flatten)]
    records: RecordArgs,
}

/// What to compare.
#[derive(Debug)]
pub struct DiffTask {
    /// What loads the two, the old one first.
    pub loaders: [Loader; 2],
    /// Whether JSON is wanted.
    pub json: bool,
    /// Samples of each kind that are listed at most.
    pub n: usize,
}

impl DiffArgs {
    /// What is to be compared.
    ///
    /// # Errors
    /// When options of reading name no schema, or both files are standard input.
    pub(super) fn task(self, catalog: CatalogSource<'_>) -> anyhow::Result<DiffTask> {
        let both = self.records.loader(vec![self.old, self.new], 0, catalog)?;
        let of = |at| Loader {
            inputs: both.inputs.iter().skip(at).take(1).cloned().collect(),
            ..both.clone()
        };
        Ok(DiffTask {
            loaders: [of(0), of(1)],
            json: self.json,
            n: self.n,
        })
    }
}
