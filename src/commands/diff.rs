//! `visavis diff`: compares two versions of a dataset, with the exit codes of diff.

use std::path::PathBuf;

use clap::Args;

use super::Sources;
use super::loading::{DataSource, LoadedFiles, RowUse, load};
use super::output::{print_bytes, put, render_answer};
use super::progress::ProgressLine;
use super::reading::RecordArgs;
use super::selection::Notes;
use crate::dataset::Loader;
use crate::export::{difference_answer, difference_as_json};
use crate::profile::Difference;
use crate::run::{Exit, Failure};

/// Compare two versions of a dataset: samples added, removed, relabelled, edited
///
/// Samples are matched by content, independent of their order. Exit code 0 if the versions are
/// equal, 1 if they differ, 2 on errors.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Old version; `-` is standard input
    old: PathBuf,

    /// New version
    new: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// List at most N samples of each kind of change
    #[arg(short, long, value_name = "N", default_value = "10")]
    n: usize,

    #[command(flatten)]
    records: RecordArgs,
}

impl DiffArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let is_same = self.print(sources).map_err(|failed| Failure {
            // As in diff(1), 1 means that the files differ.
            exit: failed.exit.max(Exit::Usage as u8),
            ..failed
        })?;
        if is_same {
            Ok(())
        } else {
            Err(Failure::silent(Exit::Failure as u8))
        }
    }

    /// Prints the differences. Returns true if there are none.
    fn print(&self, sources: &mut Sources) -> Result<bool, Failure> {
        let files = vec![self.old.clone(), self.new.clone()];
        let both = self.records.loader(files, 0, sources)?;
        let loaded = |at| -> anyhow::Result<LoadedFiles> {
            let inputs = both.inputs.iter().skip(at).take(1).cloned().collect();
            let loader = Loader {
                inputs,
                ..both.clone()
            };
            let source = DataSource {
                loader,
                progress: ProgressLine::on_stderr(),
                ..DataSource::default()
            };
            load("", &source, RowUse::ReadAgain)
        };
        let (old, new) = (loaded(0)?, loaded(1)?);
        let difference = Difference::of(&old.dataset, &new.dataset);
        let text = if self.json {
            difference_as_json(&difference, self.n)
        } else {
            render_answer(&difference_answer(&difference, self.n))
        };
        // The files must not have changed while they were compared.
        old.dataset.check_unchanged()?;
        new.dataset.check_unchanged()?;
        if self.json {
            print_bytes(text.as_bytes())?;
        } else {
            put(&text)?;
        }
        let mut notes = Notes::default();
        for LoadedFiles {
            dataset, troubles, ..
        } in [&old, &new]
        {
            let name = dataset.files().first();
            let name = name.map_or("", |file| file.source.name());
            let of_file = Notes::of(dataset, troubles.clone());
            let remarks = of_file.remarks.into_iter();
            let remarks = remarks.map(|remark| format!("{name}: {remark}"));
            notes.remarks.extend(remarks);
            notes.troubles.extend(of_file.troubles);
        }
        notes.print("compared")?;
        Ok(difference.is_none())
    }
}
