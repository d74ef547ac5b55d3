//! Journals as subcommands read them.

use std::path::Path;

use anyhow::bail;

use super::texts;
use crate::journal::{ActRecord, JournalFile, KnownActs, Ledger, merged};
use crate::run::Journal;

/// The content of one or more journals.
#[derive(Debug, Default)]
pub(super) struct LoadedJournals {
    /// The acts that count.
    pub(super) ledger: Ledger,
    /// All acts, in order of time.
    pub(super) entries: Vec<ActRecord>,
    /// Warnings about the files, one sentence each.
    pub(super) troubles: Vec<String>,
}

impl LoadedJournals {
    /// Reads and merges journals. A missing journal is an error only if the user named it.
    pub(super) fn read(journal: &Journal) -> anyhow::Result<Self> {
        let (mut known, mut loaded) = (KnownActs::default(), Self::default());
        let mut journals = Vec::new();
        let (first, others) = journal.paths.split_at(journal.paths.len().min(1));
        for path in others.iter().chain(first) {
            if journal.is_named {
                check_there(path)?;
            }
            let mut opened = JournalFile::new(path.clone()).read()?;
            known.add(path, &mut opened);
            let troubles = opened.later.into_iter().chain(opened.troubles);
            loaded.troubles.extend(troubles);
            journals.push(opened.entries);
        }
        loaded.entries = merged(journals);
        loaded.entries.iter().for_each(|it| loaded.ledger.apply(it));
        Ok(loaded)
    }
}

/// Returns an error if the journal does not exist.
pub(super) fn check_there(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    bail!(texts::no_journal(path.display()))
}
