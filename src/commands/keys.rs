//! `visavis keys`: the table of keys and commands.

use std::fmt::Write as _;

use clap::Args;

use super::Sources;
use super::output::put;
use crate::keymap::KeyRow;
use crate::run::Failure;
use crate::text::width;

/// Print all keys and commands
#[derive(Debug, Args)]
pub struct KeysArgs {}

impl KeysArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        put(&table(&sources.config().keymap().rows()))
    }
}

/// Formats the keys as a table: context, keys, action.
fn table(rows: &[KeyRow]) -> String {
    let widest = |text: &dyn Fn(&KeyRow) -> &str| rows.iter().map(|row| width(text(row))).max();
    let place_width = widest(&|row| row.place).unwrap_or(0);
    let keys_width = widest(&|row| &row.keys).unwrap_or(0).min(22);
    let mut out = String::new();
    for group in rows.chunk_by(|one, next| one.group == next.group) {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{}", group[0].group);
        for KeyRow {
            place, keys, help, ..
        } in group
        {
            let blanks = " ".repeat(keys_width.saturating_sub(width(keys)));
            let _ = writeln!(out, "  {place:place_width$}  {keys}{blanks}  {help}");
        }
    }
    out
}
