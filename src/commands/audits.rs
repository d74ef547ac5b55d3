//! `visavis audits`: the audits of a journal.

use clap::Args;

use super::data::DataArgs;
use super::output::print_bytes;
use super::reviewed::ReviewedFiles;
use super::{Sources, texts};
use crate::export::{audits, table_as_json};
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
        let places = files.first_places();
        let audits = audits(files.workspace(&places), None, |_| true);
        let text = if self.json {
            table_as_json("audits", &audits)
        } else if audits.is_empty() {
            format!("{}\n", texts::NO_AUDITS)
        } else {
            audits.text()
        };
        files.dataset.check_unchanged()?;
        print_bytes(text.as_bytes())?;
        files.notes().print("read")
    }
}
