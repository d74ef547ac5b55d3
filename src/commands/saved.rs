//! `visavis export` and `visavis report`: what leaves without a screen.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::load;
use crate::cli::{ExportTask, ReportTask};
use crate::dataset::Loader;
use crate::export::{self, ExportError, Format, ReportSpec, Request, Target, Written, to_file};
use crate::journal::{self, Act, Entry, EntryId, JournalFile, Ledger, Spot};
use crate::query::{Catalog, Found, Memory, QueryError, find, parse, sort};
use crate::review::locate;
use crate::source::Input;

/// What came of an export.
#[derive(Debug, Default)]
pub struct Saved {
    /// What was written.
    pub written: Written,
    /// What a person should know, one sentence each: of the journal, and of files that end before their time.
    pub remarks: Vec<String>,
    /// Whether a file ends before its time: what came before is written.
    pub is_cut: bool,
}

/// Why nothing was exported.
#[derive(Debug)]
pub enum SaveError {
    /// The files, the journal or the command line are not right.
    Usage(anyhow::Error),
    /// The query does not read.
    Query(QueryError),
    /// Something failed on the way.
    Export(ExportError),
}

impl From<anyhow::Error> for SaveError {
    fn from(error: anyhow::Error) -> Self {
        Self::Usage(error)
    }
}

/// The journal of a dataset, by its first file.
pub fn journal_path(first: &Path) -> PathBuf {
    let mut path = first.as_os_str().to_owned();
    path.push(".review.jsonl");
    path.into()
}

/// Writes what a query finds into a file or, without one, to `out`.
///
/// # Errors
/// When the files, the journal or the query do not read, or the output cannot be written.
pub fn export(loader: &Loader, task: &ExportTask, out: &mut dyn Write) -> Result<Saved, SaveError> {
    let format = format(task)?;
    let (dataset, troubles) = load(loader)?;
    let schemas = dataset.files().iter().map(|file| &*file.schema);
    let query = parse(&task.query, &Catalog::of(schemas)).map_err(SaveError::Query)?;
    let mut found = Found::default();
    find(&query, &dataset, 0..dataset.samples(), &Memory::default(), &mut |more, _| {
        found.extend(&more);
        ControlFlow::Continue(())
    });
    sort(&query, &dataset, &mut found);
    // Rows as they stand say nothing of reviewers: a journal that does not read is no hindrance.
    let mut said = match format {
        Format::Original => Said::default(),
        _ => Said::read(&loader.inputs, task.journal.as_deref())?,
    };
    let title = match task.query.trim() {
        "" => "All samples".to_owned(),
        query => format!("Samples found by {query}"),
    };
    let request = Request { dataset: &dataset, samples: &found.samples, ledger: &said.ledger, format, title };
    let mut fill = |out: &mut dyn Write| export::write(&request, out, &|_| true);
    let output = task.output.as_deref();
    let written = put(&loader.inputs, task.journal.as_deref(), output, task.force, out, &mut fill)?;
    let is_cut = !troubles.is_empty();
    said.troubles.extend(troubles);
    Ok(Saved { written, remarks: said.troubles, is_cut })
}

/// As what to write: as the person says, or as the file's name does.
fn format(task: &ExportTask) -> anyhow::Result<Format> {
    let named = task.format.map(|name| Format::named(name.word())).unwrap_or_default();
    match named.or_else(|| Format::of_path(task.output.as_deref()?)) {
        Some(format) => Ok(format),
        None => bail!("say as what to export: --format jsonl, reviewed, csv or md"),
    }
}

/// Writes the report of an audit into a file or, without one, to `out`.
///
/// # Errors
/// When the files or the journal do not read, there is no such audit, or the output cannot be written.
pub fn report(loader: &Loader, task: &ReportTask, out: &mut dyn Write) -> Result<Saved, SaveError> {
    let (dataset, troubles) = load(loader)?;
    let mut said = Said::read(&loader.inputs, task.journal.as_deref())?;
    let Some(journal) = said.path.clone() else {
        return Err(anyhow::anyhow!("standard input has no journal beside it; name one: --journal PATH").into());
    };
    let is_cut = !troubles.is_empty();
    said.troubles.extend(troubles);
    let mut spec = ReportSpec {
        audit: task.audit.as_deref().map(|id| EntryId(id.into())),
        reviewer: task.reviewer.as_deref().map(Into::into),
        now: journal::now(),
        journal,
        span: None,
        troubles: said.troubles.clone(),
    };
    let session = spec.session(&said.ledger).map(|session| session.id.clone());
    if let (Some(id), None) = (&spec.audit, &session) {
        let known: Vec<_> = said.ledger.sessions().map(|session| session.id.to_string()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(anyhow::anyhow!("there is no audit {id} in {}; there is {known}", spec.journal.display()).into());
    }
    if let Some(name) = spec.reviewer.as_ref().filter(|name| !said.ledger.reviewers().contains(name)) {
        let known = said.ledger.reviewers().join(", ");
        let known = if known.is_empty() { "nobody" } else { &known };
        return Err(anyhow::anyhow!("{name} has said nothing in {}; there is {known}", spec.journal.display()).into());
    }
    spec.span = export::span(&said.entries, session.as_ref(), spec.reviewer.as_deref());
    let places = locate(&dataset, &said.spots(), &|| true).unwrap_or_default();
    let text = export::report(&dataset, &said.ledger, &places, &spec);
    let mut fill = |out: &mut dyn Write| Ok(out.write_all(text.as_bytes())?);
    put(&loader.inputs, task.journal.as_deref(), task.output.as_deref(), task.force, out, &mut fill)?;
    Ok(Saved { written: Written::default(), remarks: said.troubles, is_cut })
}

/// Into a file that is there whole or not at all, or straight to `out`.
fn put<T>(
    inputs: &[Input],
    journal: Option<&Path>,
    output: Option<&Path>,
    force: bool,
    out: &mut dyn Write,
    fill: &mut dyn FnMut(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, SaveError> {
    let Some(path) = output else {
        return fill(out).and_then(|given| Ok(out.flush().map(|()| given)?)).map_err(SaveError::Export);
    };
    let files: Vec<PathBuf> = paths(inputs).map(Path::to_owned).collect();
    let journal = journal_of(inputs, journal);
    let target = Target { path, overwrite: force, inputs: &files, journal: journal.as_deref() };
    to_file(&target, fill).map_err(SaveError::Export)
}

fn paths(inputs: &[Input]) -> impl Iterator<Item = &Path> {
    inputs.iter().filter_map(|input| match input {
        Input::Path(path) => Some(path.as_path()),
        Input::Stdin | Input::Embedded { .. } => None,
    })
}

/// The journal named, or the one beside the first file.
fn journal_of(inputs: &[Input], named: Option<&Path>) -> Option<PathBuf> {
    named.map(Path::to_owned).or_else(|| paths(inputs).next().map(journal_path))
}

/// What a journal says.
#[derive(Debug, Default)]
struct Said {
    path: Option<PathBuf>,
    ledger: Ledger,
    entries: Vec<Entry>,
    troubles: Vec<String>,
}

impl Said {
    /// Of no journal: nothing, unless it was named.
    fn read(inputs: &[Input], named: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(path) = named.filter(|path| !path.exists()) {
            bail!("{}: there is no such journal; check the spelling and the folder", path.display());
        }
        let Some(path) = journal_of(inputs, named) else { return Ok(Self::default()) };
        let opened = JournalFile::new(path.clone()).read()?;
        let mut ledger = Ledger::default();
        opened.entries.iter().for_each(|entry| ledger.apply(entry));
        Ok(Self { path: Some(path), ledger, entries: opened.entries, troubles: opened.troubles })
    }

    /// Where the samples stood that it speaks of, each once.
    fn spots(&self) -> Vec<Spot> {
        let mut spots = std::collections::HashMap::new();
        for entry in &self.entries {
            let queue = match &entry.act {
                Act::Audit(audit) => &*audit.queue,
                _ => &[],
            };
            // Later entries know better.
            for spot in entry.spot.iter().chain(queue.iter().map(|item| &item.spot)) {
                spots.insert(spot.sample, spot.clone());
            }
        }
        spots.into_values().collect()
    }
}
