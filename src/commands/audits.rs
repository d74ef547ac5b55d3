//! `visavis audits`: the audits of a journal.

use clap::Args;

use super::Sources;
use super::data::DataArgs;
use super::output::print_bytes;
use super::reviewed::ReviewedFiles;
use crate::export::{audits_as_json, list};
use crate::run::Failure;

/// List the audits of a journal, with the progress of each reviewer
#[derive(Debug, Args)]
pub struct AuditsArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl AuditsArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let source = self.data.source("report on", sources)?;
        let files = ReviewedFiles::load(&source, true)?;
        let (dataset, ledger) = (&files.dataset, &files.journals.ledger);
        let places = files.first_places();
        let text = if self.json {
            audits_as_json(dataset, ledger, &places)
        } else {
            list(dataset, ledger, &places)
        };
        dataset.check_unchanged()?;
        print_bytes(text.as_bytes())?;
        files.notes().print("read")
    }
}
