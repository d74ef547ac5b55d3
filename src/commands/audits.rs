//! `visavis audits`: the audits of a journal.

use clap::Args;

use super::Sources;
use super::data::DataArgs;
use super::output::print_bytes;
use super::reviewed::ReviewedFiles;
use crate::export::{audits, table_as_json};
use crate::run::Failure;

/// The answer for a journal without audits.
const NO_AUDITS: &str = "No audits yet. Draw one with visavis audit FILE -n 20 or :audit 20.\n";

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
        let audits = audits(dataset, ledger, &places, None, |_| true);
        let text = match (self.json, audits.is_empty()) {
            (true, _) => table_as_json("audits", &audits),
            (false, true) => NO_AUDITS.to_owned(),
            (false, false) => audits.text(),
        };
        dataset.check_unchanged()?;
        print_bytes(text.as_bytes())?;
        files.notes().print("read")
    }
}
