//! What reviewers said, as subcommands read it.

use std::path::Path;

use anyhow::bail;

use crate::journal::{ActRecord, JournalFile, KnownActs, Ledger, merged};
use crate::run::Journal;

/// What a journal says.
#[derive(Debug, Default)]
pub(super) struct LoadedJournals {
    /// What holds.
    pub(super) ledger: Ledger,
    /// Every act, in the order of times.
    pub(super) entries: Vec<ActRecord>,
    /// What a person should know of the files, one sentence each.
    pub(super) troubles: Vec<String>,
}

impl LoadedJournals {
    /// Reads journals. Without any there is nothing to say, unless they were named.
    pub(super) fn read(journal: &Journal) -> anyhow::Result<Self> {
        let (mut known, mut said) = (KnownActs::default(), Self::default());
        let mut journals = Vec::new();
        let (first, others) = journal.paths.split_at(journal.paths.len().min(1));
        for path in others.iter().chain(first) {
            if journal.is_named {
                check_there(path)?;
            }
            let opened = JournalFile::new(path.clone()).read()?;
            said.troubles.extend(known.add(path, &opened));
            said.troubles.extend(opened.troubles);
            journals.push(opened.entries);
        }
        said.entries = merged(journals);
        said.entries.iter().for_each(|it| said.ledger.apply(it));
        Ok(said)
    }
}

/// Refuses a journal that is not there.
pub(super) fn check_there(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    bail!(
        "{}: there is no such journal; check the spelling and the folder",
        path.display()
    )
}
