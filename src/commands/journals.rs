//! What reviewers said, as subcommands read it.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

use super::Notes;
use crate::cli::MergeArgs;
use crate::journal::{ActRecord, Header, JournalFile, KnownActs, Ledger, VERSION, merged};

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

/// What a journal says.
#[derive(Debug, Default)]
pub(super) struct LoadedJournal {
    /// Where it is written.
    pub(super) path: Option<PathBuf>,
    /// What holds.
    pub(super) ledger: Ledger,
    /// Every act, in the order of times.
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
        if journal.is_named {
            named.try_for_each(|path| check_there(path))?;
        }
        let mut known = KnownActs::default();
        let (mut journals, mut troubles) = (Vec::new(), Vec::new());
        for path in journal.also_read.iter().chain([path]) {
            let opened = JournalFile::new(path.clone()).read()?;
            troubles.extend(known.add(path, &opened));
            troubles.extend(opened.troubles);
            journals.push(opened.entries);
        }
        let (entries, mut ledger) = (merged(journals), Ledger::default());
        entries.iter().for_each(|entry| ledger.apply(entry));
        Ok(Self {
            path: Some(path.clone()),
            ledger,
            entries,
            troubles,
        })
    }
}

/// What several journals say, each act once and in the order of their times: onto `out`, or added to
/// a journal as far as that does not have it yet. Gives how many acts were written, and what a person
/// should know: what does not read is left out.
///
/// # Errors
/// When a journal is not there, cannot be read or is of a later version; when the one that is added to
/// has later acts of somebody than those to be added; or what is written cannot be.
pub fn merge_journals(args: &MergeArgs, out: &mut dyn Write) -> Result<(usize, Notes), MergeError> {
    let (mut all, mut headers, mut notes) = (Vec::new(), Vec::new(), Notes::default());
    let mut known = KnownActs::default();
    let mut read = |path: &PathBuf| -> anyhow::Result<Vec<ActRecord>> {
        let mut file = JournalFile::new(path.clone());
        let opened = file.read()?;
        if file.version() > VERSION {
            bail!(
                "{}: a later visavis writes this journal, and what this one does not know would be lost; update it first",
                path.display()
            );
        }
        notes.troubles.extend(known.add(path, &opened));
        headers.extend(opened.header.map(|header| (path.clone(), header)));
        notes.troubles.extend(opened.troubles);
        Ok(opened.entries)
    };
    for path in &args.journals {
        check_there(path)?;
        all.push(read(path)?);
    }
    let there = args.output.as_ref().map(&mut read).transpose()?;
    let Some(((first, header), others)) = headers.split_first() else {
        return Err(anyhow!("there is nothing to merge: none of these journals has begun").into());
    };
    let other = others.iter().find(|(_, other)| {
        let firsts = header.first.zip(other.first);
        firsts.is_some_and(|(one, other)| one != other)
    });
    notes.remarks.extend(other.map(|(other, _)| {
        let (first, other) = (first.display(), other.display());
        format!("{first} and {other} were begun over different data")
    }));
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
    let Some((path, there)) = args.output.as_ref().zip(there) else {
        let mut write = || -> std::io::Result<()> {
            writeln!(out, "{}", header.line())?;
            acts.iter()
                .try_for_each(|act| writeln!(out, "{}", act.line()))?;
            out.flush()
        };
        write().map_err(MergeError::Output)?;
        return Ok((acts.len(), notes));
    };
    let known: HashSet<_> = there.iter().map(|act| &act.id).collect();
    let is_new = |act: &ActRecord| !known.contains(&act.id);
    let new: Vec<_> = acts.into_iter().filter(is_new).collect();
    check_order(path, &there, &new)?;
    let mut file = JournalFile::new(path.clone());
    file.add(&header, &new)
        .map_err(|error| MergeError::Output(std::io::Error::other(error)))?;
    Ok((new.len(), notes))
}

/// Why journals are not merged.
#[derive(Debug)]
pub enum MergeError {
    /// One that is read, or where it should go, is not right: nothing was written.
    Usage(anyhow::Error),
    /// What is written cannot be.
    Output(std::io::Error),
}

impl From<anyhow::Error> for MergeError {
    fn from(error: anyhow::Error) -> Self {
        Self::Usage(error)
    }
}

/// Of what somebody says of one thing the last in the file counts: acts may only be added behind
/// earlier ones of the same reviewer.
fn check_order(path: &Path, there: &[ActRecord], new: &[ActRecord]) -> anyhow::Result<()> {
    let mut latest = HashMap::new();
    for act in there {
        let last = latest.entry(&*act.reviewer).or_default();
        *last = act.when().max(*last);
    }
    let early = new.iter().find(|act| {
        let last = latest.get(&*act.reviewer);
        last.is_some_and(|last| act.when() < *last)
    });
    match early {
        None => Ok(()),
        Some(act) => bail!(
            "{}: it has acts of {} that are later than some that would be added, which would then count as the latest; merge all into a new journal (-o OTHER)",
            path.display(),
            act.reviewer
        ),
    }
}

fn check_there(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    bail!(
        "{}: there is no such journal; check the spelling and the folder",
        path.display()
    )
}
