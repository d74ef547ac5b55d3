//! `visavis journal`: operations on journals.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};

use super::journals::check_there;
use super::output::with_stdout;
use super::selection::Notes;
use super::{Sources, texts};
use crate::journal::{ActRecord, Header, JournalFile, KnownActs, VERSION, merged, missing};
use crate::run::{Failure, ignore_closed_pipe, print_stderr};
use crate::text::counted;

/// Merge journals
#[derive(Debug, Args)]
pub struct JournalArgs {
    #[command(subcommand)]
    command: JournalCommand,
}

/// An operation on journals.
#[derive(Debug, Subcommand)]
pub enum JournalCommand {
    Merge(MergeArgs),
}

/// Merge several journals: each act once, in order of time
///
/// With -o, adds the acts that the output lacks; its existing lines are not changed. The input
/// journals are not changed.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Journals to read
    #[arg(value_name = "JOURNAL", required = true)]
    journals: Vec<PathBuf>,

    /// Add to this journal instead of writing to standard output; it is created if missing
    #[arg(short, long, value_name = "JOURNAL")]
    output: Option<PathBuf>,
}

impl JournalArgs {
    pub(super) fn run(self, _sources: &mut Sources) -> Result<(), Failure> {
        let JournalCommand::Merge(args) = self.command;
        args.run()
    }
}

impl MergeArgs {
    /// Prints the merged acts in order of time, or adds the ones missing from the output. Skips
    /// lines that cannot be parsed.
    fn run(&self) -> Result<(), Failure> {
        let (mut all, mut headers, mut notes) = (Vec::new(), Vec::new(), Notes::default());
        let mut known = KnownActs::default();
        let mut read = |path: &PathBuf| -> anyhow::Result<Vec<ActRecord>> {
            let mut file = JournalFile::new(path.clone());
            let mut opened = file.read()?;
            if file.version() > VERSION {
                bail!(texts::later_journal(path.display()));
            }
            known.add(path, &mut opened);
            if opened.header.is_some() || !opened.entries.is_empty() {
                headers.push((path.clone(), opened.header.unwrap_or_default()));
            }
            notes.remarks.extend(opened.later);
            notes.troubles.extend(opened.troubles);
            Ok(opened.entries)
        };
        // Sorted, so that the result does not depend on the order of arguments.
        for path in &BTreeSet::from_iter(&self.journals) {
            check_there(path)?;
            all.push(read(path)?);
        }
        let there = self.output.as_ref().map(&mut read).transpose()?;
        let Some(((first, header), others)) = headers.split_first() else {
            return Err(Failure::usage(texts::NOTHING_TO_MERGE));
        };
        let other = others.iter().find(|(_, other)| {
            let firsts = header.first.zip(other.first);
            firsts.is_some_and(|(one, other)| one != other)
        });
        notes
            .remarks
            .extend(other.map(|(other, _)| texts::other_data(first.display(), other.display())));
        let files = headers.iter().flat_map(|(_, header)| header.files.clone());
        let files = BTreeSet::from_iter(files).into_iter().collect();
        let header = Header {
            journal: VERSION,
            visavis: env!("CARGO_PKG_VERSION").to_owned(),
            files,
            ..header.clone()
        };
        let acts = merged(all);
        let Some((path, there)) = self.output.as_ref().zip(there) else {
            with_stdout(|out| {
                writeln!(out, "{}", header.line())?;
                let mut lines = acts.iter().map(ActRecord::line);
                lines.try_for_each(|line| writeln!(out, "{line}"))?;
                out.flush()
            })
            .or_else(ignore_closed_pipe)?;
            return notes.print_with(texts::MERGED);
        };
        let new = missing(path, &there, acts).map_err(Failure::usage)?;
        let mut file = JournalFile::new(path.clone());
        file.add(&header, &new).map_err(Failure::runtime)?;
        let acts = counted(new.len(), "act");
        print_stderr(&texts::added(acts, path.display()));
        notes.print_with(texts::MERGED)
    }
}
