//! What reviewers said, as subcommands read it.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::cli::MergeTask;
use crate::journal::{ActRecord, Header, JournalFile, Ledger, VERSION, merged};

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

/// What several journals say, each act once and in the order of their times: onto `out`, or added to
/// a journal as far as that does not have it yet. Gives how many acts were written, and what does not
/// read and so was left out.
///
/// # Errors
/// When a journal is not there or cannot be read, or what is written cannot be.
pub fn merge_journals(
    task: &MergeTask,
    out: &mut dyn Write,
) -> anyhow::Result<(usize, Vec<String>)> {
    let (mut all, mut headers, mut troubles) = (Vec::new(), Vec::new(), Vec::new());
    for path in &task.journals {
        if !path.exists() {
            bail!(
                "{}: there is no such journal; check the spelling and the folder",
                path.display()
            );
        }
        let opened = JournalFile::new(path.clone()).read()?;
        headers.extend(opened.header.map(|header| (path, header)));
        troubles.extend(opened.troubles);
        all.push(opened.entries);
    }
    let Some(((first, header), others)) = headers.split_first() else {
        bail!("there is nothing to merge: none of these journals has begun");
    };
    let other = others.iter().find(|(_, other)| {
        let firsts = header.first.zip(other.first);
        firsts.is_some_and(|(one, other)| one != other)
    });
    if let Some((other, _)) = other {
        troubles.push(format!(
            "{} and {} were begun over different data",
            first.display(),
            other.display()
        ));
    }
    let mut files: Vec<String> = Vec::new();
    for file in headers.iter().flat_map(|(_, header)| &header.files) {
        if !files.contains(file) {
            files.push(file.clone());
        }
    }
    let header = Header {
        journal: VERSION,
        visavis: env!("CARGO_PKG_VERSION").to_owned(),
        files,
        ..header.clone()
    };
    let acts = merged(all);
    let Some(path) = &task.output else {
        writeln!(out, "{}", header.line())?;
        for act in &acts {
            writeln!(out, "{}", act.line())?;
        }
        out.flush()?;
        return Ok((acts.len(), troubles));
    };
    let mut file = JournalFile::new(path.clone());
    let there = file.read()?;
    troubles.extend(there.troubles);
    let known: HashSet<_> = there.entries.iter().map(|act| &act.id).collect();
    let new: Vec<_> = acts
        .into_iter()
        .filter(|act| !known.contains(&act.id))
        .collect();
    file.add(&header, &new)?;
    Ok((new.len(), troubles))
}
