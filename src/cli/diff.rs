//! `visavis diff`: what can be typed behind it.

use std::path::PathBuf;

use clap::Args;

use super::reading::{RecordArgs, Sources};
use crate::dataset::Loader;

/// Tell how two versions of a dataset differ: samples added, removed, relabelled, edited
///
/// Samples are known by what they say, wherever they stand. Exit code 0 where both say the same, 1
/// where they differ, 2 where something is wrong.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The file as it was; `-` is standard input
    pub old: PathBuf,

    /// The file as it is
    pub new: PathBuf,

    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,

    /// List so many samples of each kind of change at most
    #[arg(short, long, value_name = "N", default_value = "10")]
    pub n: usize,

    #[command(flatten)]
    pub records: RecordArgs,
}

impl DiffArgs {
    /// What loads the two files, the old one first.
    ///
    /// # Errors
    /// When options of reading name no schema, or both files are standard input.
    pub fn loaders(&self, sources: &mut Sources<'_>) -> anyhow::Result<[Loader; 2]> {
        let files = vec![self.old.clone(), self.new.clone()];
        let both = self.records.loader(files, 0, sources)?;
        let of = |at| Loader {
            inputs: both.inputs.iter().skip(at).take(1).cloned().collect(),
            ..both.clone()
        };
        Ok([of(0), of(1)])
    }
}
