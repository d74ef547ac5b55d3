//! What reviewers said, as subcommands read it.

use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::journal::{ActRecord, JournalFile, Ledger};

/// A journal, whether there is one yet or not.
#[derive(Debug, Clone, Default)]
pub struct Journal {
    /// Where it is; `None` for data that has no place.
    pub path: Option<PathBuf>,
    /// Others that are read as well, before it.
    pub also_read: Vec<PathBuf>,
    /// Whether somebody named them: then they must be there.
    pub is_named: bool,
    /// Who asks, whose judgments a query calls `mine`.
    pub reviewer: String,
}

/// The journal of a dataset, by its first file.
pub fn journal_path(first: &Path) -> PathBuf {
    let mut path = first.as_os_str().to_owned();
    path.push(".review.jsonl");
    path.into()
}

/// What a journal says.
#[derive(Debug, Default)]
pub(super) struct LoadedJournal {
    /// Where it is written.
    pub(super) path: Option<PathBuf>,
    /// What holds.
    pub(super) ledger: Ledger,
    /// Every act, in the order of the files.
    pub(super) entries: Vec<ActRecord>,
    /// What a person should know of the files, one sentence each.
    pub(super) troubles: Vec<String>,
}

impl LoadedJournal {
    /// Of no journal: nothing, unless it was named.
    pub(super) fn read(journal: &Journal) -> anyhow::Result<Self> {
        let Some(path) = &journal.path else {
            return Ok(Self::default());
        };
        let mut named = journal.also_read.iter().chain([path]);
        if let Some(missing) = named.find(|path| journal.is_named && !path.exists()) {
            bail!(
                "{}: there is no such journal; check the spelling and the folder",
                missing.display()
            );
        }
        let (mut ledger, mut entries, mut troubles) = (Ledger::default(), Vec::new(), Vec::new());
        for path in journal.also_read.iter().chain([path]) {
            let opened = JournalFile::new(path.clone()).read()?;
            opened.entries.iter().for_each(|entry| ledger.apply(entry));
            entries.extend(opened.entries);
            troubles.extend(opened.troubles);
        }
        Ok(Self {
            path: Some(path.clone()),
            ledger,
            entries,
            troubles,
        })
    }
}
