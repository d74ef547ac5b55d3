//! `visavis list`: one line for each sample.

use std::io::{IsTerminal, stdout};

use clap::Args;

use super::data::SelectionArgs;
use super::loading::RowUse;
use super::output::{put_if_unchanged, table_width};
use super::selection::QueriedData;
use super::{Sources, texts};
use crate::export::{ListedColumn, Listing, ListingFormat, write_listing};
use crate::run::Failure;
use crate::text::counted;

/// List the samples that match a query, one line each, with the columns you choose
///
/// Example: visavis list 'gap.helpfulness>=3 sort:-gap.helpfulness' train.jsonl -n 20
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    selection: SelectionArgs,

    /// Columns to show (comma-separated): fields of a query (helpfulness, gap.len, verdict), and
    /// key, side, prompt, response, finding [default: sample, row, the labels, verdict and prompt;
    /// with --rows: side and response]
    #[arg(long, value_name = "NAMES")]
    columns: Option<String>,

    /// List matching responses instead of samples
    #[arg(long)]
    rows: bool,

    /// List at most N samples, in the order of the query
    #[arg(short, long, value_name = "N")]
    n: Option<usize>,

    /// Print tab-separated values with headings; tabs and line breaks in texts become \t and \n
    #[arg(long, conflicts_with = "json")]
    tsv: bool,

    /// Print JSON Lines: one object per line
    #[arg(long)]
    json: bool,
}

impl ListArgs {
    pub(super) fn run(mut self, sources: &mut Sources) -> Result<(), Failure> {
        let named = self.columns.as_deref();
        let source = self.selection.source("list from", sources)?;
        let mut data = QueriedData::load(&source, &self.selection.query, RowUse::ReadAgain)?;
        let columns = match named {
            Some(names) => data.columns(&source, names)?,
            None => ListedColumn::default_columns(&data.dataset, &data.catalog, self.rows),
        };
        let mut found = data.found();
        let all = found.samples.len();
        found.truncate(self.n.unwrap_or(usize::MAX));
        let listing = Listing {
            dataset: &data.dataset,
            remarks: &data.remarks,
            columns: &columns,
            found: &found,
            per_response: self.rows,
        };
        // Columns that the user named are not cut if there is no terminal width.
        let is_whole = named.is_some() && !stdout().is_terminal();
        let format = match (self.tsv, self.json) {
            (true, _) => ListingFormat::Tsv,
            (_, true) => ListingFormat::Json,
            _ => ListingFormat::Table {
                width: (!is_whole).then(table_width),
            },
        };
        let left_out = put_if_unchanged(&data.dataset, |out| write_listing(&listing, format, out))?;
        let mut notes = data.notes_where(all);
        (notes.remarks).extend(no_room_remark(&left_out, named.is_some()));
        notes.print("listed")
    }
}

/// Returns a warning about columns that did not fit, if there are any; the advice depends on
/// whether the user named them.
fn no_room_remark(names: &[String], is_named: bool) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let advice = if is_named {
        "name fewer or widen the terminal"
    } else {
        "choose with --columns NAMES"
    };
    let columns = counted(names.len(), "column");
    Some(texts::hidden_columns(columns, names.join(", "), advice))
}

#[cfg(test)]
mod tests {
    use super::no_room_remark;

    #[test]
    fn hidden_columns_are_reported_with_advice() {
        let names = ["row", "len"].map(str::to_owned);
        assert_eq!(no_room_remark(&[], true), None);
        for (is_named, expected) in [
            (
                false,
                "2 columns did not fit into the table: row, len; choose with --columns NAMES, or pass --tsv to show all",
            ),
            (
                true,
                "2 columns did not fit into the table: row, len; name fewer or widen the terminal, or pass --tsv to show all",
            ),
        ] {
            let remark = no_room_remark(&names, is_named);
            assert_eq!(remark.as_deref(), Some(expected));
        }
    }
}
