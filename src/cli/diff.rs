//! `visavis diff`: what can be typed behind it.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::reading::{CatalogSource, ReadingArgs};
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
    reading: ReadingArgs,
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
    /// When options of reading do not go together, or name no schema, or more than two files.
    pub(super) fn task(self, catalog: CatalogSource<'_>) -> anyhow::Result<DiffTask> {
        let both = self.reading.loader(vec![self.old, self.new], catalog)?;
        if !both.joins.is_empty() {
            bail!("--with opens a file beside one dataset; diff compares two by themselves");
        }
        let of = |input| Loader {
            inputs: vec![input],
            ..both.clone()
        };
        let inputs: Result<[_; 2], _> = both.inputs.clone().try_into();
        let Ok([old, new]) = inputs else {
            bail!("--against shows two files face to face; diff compares two: diff OLD NEW");
        };
        Ok(DiffTask {
            loaders: [of(old), of(new)],
            json: self.json,
            n: self.n,
        })
    }
}
