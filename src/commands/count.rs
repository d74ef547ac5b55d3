//! `visavis count`: the number of samples that a query finds.

use clap::Args;

use super::Sources;
use super::data::SelectionArgs;
use super::loading::RowUse;
use super::output::print_bytes;
use super::selection::QueriedData;
use crate::export::counts_as_json;
use crate::run::Failure;

/// Print how many samples match a query
///
/// The query language is that of the filter in the program (key f): visavis count 'helpfulness>=3
/// verbosity<=1' train.jsonl. Terms without a side refer to one response, the same throughout the
/// query.
#[derive(Debug, Args)]
pub struct CountArgs {
    #[command(flatten)]
    pub(super) selection: SelectionArgs,

    /// Count matching responses instead of samples; all responses of a sample if the query is about
    /// samples (a.x, gap.x, is:tie)
    #[arg(long)]
    rows: bool,

    /// Print samples, responses and malformed lines as JSON
    #[arg(long, conflicts_with = "rows")]
    json: bool,
}

impl CountArgs {
    pub(super) fn run(mut self, sources: &mut Sources) -> Result<(), Failure> {
        let source = self.selection.source("count in", sources)?;
        let data = QueriedData::load(&source, &self.selection.query, RowUse::Scan)?;
        let (samples, responses) = data.counts();
        data.dataset.check_unchanged()?;
        let answer = match (self.json, self.rows) {
            (true, _) => counts_as_json(samples, responses, data.dataset.malformed()),
            (false, true) => format!("{responses}\n"),
            (false, false) => format!("{samples}\n"),
        };
        print_bytes(answer.as_bytes())?;
        data.notes_where(samples).print("counted")
    }
}
