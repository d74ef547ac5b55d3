//! `visavis export` and `visavis report`: what leaves without a screen.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;

use super::{
    LoadedFiles, RowUse, joined_remarks, load, load_for, malformed_remark, odd_rows_remark,
};
use crate::cli::{ExportTask, OutputArgs, ReportTask};
use crate::dataset::{Dataset, Loader};
use crate::export::{
    self, ExportError, ExportRequest, Format, InputFile, PeopleSpec, ReportSpec, Target, to_file,
};
use crate::findings::RuleSet;
use crate::journal::{self, ActId, ActRecord, JournalFile, Ledger};
use crate::query::{
    Catalog, Query, QueryContext, QueryError, QueryResult, Remarks, depends_on_remarks, find,
    parse, sort,
};
use crate::review::{RemarkScope, locate, locate_all};

/// What came of an export.
#[derive(Debug, Default)]
pub struct ExportOutcome {
    /// What a person should know, one sentence each: of the journal, and of files that end before
    /// their time.
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

/// Writes what a query finds into a file or, without one, to `out`. Into a file as long as it is
/// `wanted`, which is first asked before there is anything of the file.
///
/// # Errors
/// When the files, the journal or the query do not read, or the output cannot be written.
pub fn export(
    loader: &Loader,
    task: &ExportTask,
    journal: &Journal,
    rules: &RuleSet,
    out: &mut dyn Write,
    wanted: &dyn Fn() -> bool,
) -> Result<ExportOutcome, SaveError> {
    let format = format(task)?;
    let destination = Destination::of(loader, journal, &task.saving);
    let files = load_for(&task.query, loader, RowUse::ReadAgain)?;
    let memory = files.scan_cache();
    let LoadedFiles {
        dataset, troubles, ..
    } = files;
    let (query, catalog) = read_query(&task.query, &dataset, journal, rules)?;
    let asked = remarks_for(&query, &dataset, journal)?;
    let known = QueryContext {
        memory: &memory,
        remarks: &asked,
        rules: catalog.rules(),
    };
    let (mut found, all) = (QueryResult::default(), 0..dataset.samples());
    // Nothing breaks it off but what ends the program.
    let _ = find(&query, &dataset, all, known, &|| true, &mut |more, _| {
        found.extend(&more);
        ControlFlow::Continue(())
    });
    let _ = sort(&query, &dataset, &asked, &mut found, &|| true);
    // Rows as they stand say nothing of reviewers: a journal that does not read is no hindrance.
    let mut said = match format {
        Format::Original => LoadedJournal::default(),
        _ => LoadedJournal::read(journal)?,
    };
    let title = match task.query.trim() {
        "" => "All samples".to_owned(),
        query => format!("Samples found by {query}"),
    };
    let request = ExportRequest {
        dataset: &dataset,
        samples: &found.samples,
        ledger: &said.ledger,
        format,
        title,
    };
    // What goes to a pipe may end anywhere.
    let wanted = || destination.output.is_none() || wanted();
    let mut fill = |out: &mut dyn Write| {
        let written = export::write(&request, out, &|_| wanted())?;
        // What was found and what was written must be of the same content, also where the file only
        // grew.
        dataset
            .check_unchanged()
            .map(|()| written)
            .map_err(ExportError::Altered)
    };
    destination.write(out, &wanted, &mut fill)?;
    let is_cut = !troubles.is_empty();
    said.troubles.extend(joined_remarks(&dataset));
    said.troubles.extend(malformed_remark(dataset.malformed()));
    said.troubles.extend(odd_rows_remark(dataset.odd_rows()));
    said.troubles.extend(troubles);
    Ok(ExportOutcome {
        remarks: said.troubles,
        is_cut,
    })
}

/// As what to write: as the person says, or as the file's name does.
fn format(task: &ExportTask) -> anyhow::Result<Format> {
    let named = task
        .format
        .map(|name| Format::named(name.word()))
        .unwrap_or_default();
    match named.or_else(|| Format::of_path(task.saving.output.as_deref()?)) {
        Some(format) => Ok(format),
        None => bail!("say as what to export: --format jsonl, reviewed, csv or md"),
    }
}

/// Writes the report of an audit into a file or, without one, to `out`. Into a file as long as it
/// is `wanted`, which is first asked before there is anything of the file.
///
/// # Errors
/// When the files or the journal do not read, there is no such audit, or the output cannot be
/// written.
pub fn report(
    loader: &Loader,
    task: &ReportTask,
    journal: &Journal,
    out: &mut dyn Write,
    wanted: &dyn Fn() -> bool,
) -> Result<ExportOutcome, SaveError> {
    let destination = Destination::of(loader, journal, &task.saving);
    let LoadedFiles {
        dataset, troubles, ..
    } = load(loader)?;
    let mut said = LoadedJournal::read(journal)?;
    let Some(place) = said.path.clone() else {
        return Err(anyhow::anyhow!(
            "standard input has no journal beside it; name one: --journal PATH"
        )
        .into());
    };
    let is_cut = !troubles.is_empty();
    said.troubles.extend(joined_remarks(&dataset));
    said.troubles.extend(troubles);
    let text = if task.list {
        let places = locate(&dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
        export::list(&dataset, &said.ledger, &places)
    } else if let Some(reviewers) = several(task, &said, &dataset)? {
        let spec = PeopleSpec {
            reviewers,
            now: journal::now(),
            journals: std::iter::once(&place)
                .chain(&journal.also_read)
                .cloned()
                .collect(),
            troubles: said.troubles.clone(),
        };
        let places = locate_all(&dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
        export::people_report(&dataset, &said.ledger, &places, &spec)
    } else {
        let mut spec = spec(task, place, &said)?;
        spec.also_read.clone_from(&journal.also_read);
        let places = locate_all(&dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
        export::report(&dataset, &said.ledger, &places, &spec)
    };
    dataset.check_unchanged().map_err(anyhow::Error::from)?;
    destination.write(out, wanted, &mut |out| Ok(out.write_all(text.as_bytes())?))?;
    Ok(ExportOutcome {
        remarks: said.troubles,
        is_cut,
    })
}

/// The reviewers who are named with commas between them, each as the journal has the name; `None`
/// where one is named, or none.
///
/// # Errors
/// When one of them said nothing or could be two, or an audit is named as well.
fn several(
    task: &ReportTask,
    said: &LoadedJournal,
    dataset: &Dataset,
) -> anyhow::Result<Option<Vec<Arc<str>>>> {
    let known = said.ledger.reviewers();
    let Some(typed) = task.reviewer.as_deref() else {
        return Ok(None);
    };
    if !typed.contains(',') || known.iter().any(|name| **name == *typed) {
        return Ok(None);
    }
    if let Some(id) = &task.audit {
        bail!(
            "--audit {id}: what reviewers say of each other is not of one audit; leave it out, or name one reviewer"
        );
    }
    let mut catalog = Catalog::of_dataset(dataset);
    catalog.set_reviewers(&known);
    let mut reviewers: Vec<Arc<str>> = Vec::new();
    for name in typed
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let Some(found) = catalog.reviewer(name) else {
            bail!(
                "{name} has said nothing in the journal; there is {}",
                known.join(", ")
            );
        };
        if !reviewers.contains(&found) {
            reviewers.push(found);
        }
    }
    match reviewers.as_slice() {
        [_, _, ..] => Ok(Some(reviewers)),
        _ => bail!("--reviewer {typed}: two different names were expected, as in ann,ben"),
    }
}

/// What to report on: an audit that the journal holds, and a reviewer who said something.
fn spec(task: &ReportTask, journal: PathBuf, said: &LoadedJournal) -> anyhow::Result<ReportSpec> {
    let mut spec = ReportSpec {
        audit: task.audit.as_deref().map(|id| ActId(id.into())),
        reviewer: task.reviewer.as_deref().map(Into::into),
        now: journal::now(),
        journal,
        also_read: Vec::new(),
        span: None,
        troubles: said.troubles.clone(),
    };
    let session = spec.session(&said.ledger).map(|session| session.id.clone());
    if let (Some(id), None) = (&spec.audit, &session) {
        let known: Vec<_> = said
            .ledger
            .sessions()
            .map(|session| session.id.to_string())
            .collect();
        let known = known.join(", ");
        let known = if known.is_empty() { "none" } else { &known };
        bail!(
            "there is no audit {id} in {}; there is {known}",
            spec.journal.display()
        );
    }
    let reviewers = said.ledger.reviewers();
    if let Some(name) = spec
        .reviewer
        .as_ref()
        .filter(|name| !reviewers.contains(name))
    {
        let known = reviewers.join(", ");
        let known = if known.is_empty() { "nobody" } else { &known };
        bail!(
            "{name} has said nothing in {}; there is {known}",
            spec.journal.display()
        );
    }
    spec.span = export::span(&said.entries, session.as_ref(), spec.reviewer.as_deref());
    Ok(spec)
}

/// Where a subcommand writes to, and what it must not fall upon.
struct Destination<'a> {
    output: Option<&'a Path>,
    overwrite: bool,
    inputs: Vec<InputFile>,
    journals: Vec<PathBuf>,
}

impl<'a> Destination<'a> {
    /// To be made before the inputs are read: a name can lead elsewhere by the time that something
    /// is written.
    fn of(loader: &Loader, journal: &Journal, saving: &'a OutputArgs) -> Self {
        let journals = journal.path.iter().chain(&journal.also_read);
        Self {
            output: saving.output.as_deref(),
            overwrite: saving.force,
            inputs: loader.all_inputs().filter_map(InputFile::of).collect(),
            journals: journals.cloned().collect(),
        }
    }

    /// Into a file that is there whole or not at all, or straight to `out`.
    fn write<T>(
        &self,
        out: &mut dyn Write,
        wanted: &dyn Fn() -> bool,
        fill: &mut dyn FnMut(&mut dyn Write) -> Result<T, ExportError>,
    ) -> Result<T, SaveError> {
        let Some(path) = self.output else {
            return fill(out)
                .and_then(|given| Ok(out.flush().map(|()| given)?))
                .map_err(SaveError::Export);
        };
        let target = Target {
            path,
            overwrite: self.overwrite,
            inputs: &self.inputs,
            journals: &self.journals,
        };
        let mut fill = |out: &mut dyn Write| {
            let given = fill(out)?;
            // The last look: from here on the file is made.
            if wanted() {
                Ok(given)
            } else {
                Err(ExportError::Stopped)
            }
        };
        if wanted() {
            to_file(&target, &mut fill)
        } else {
            Err(ExportError::Stopped)
        }
        .map_err(SaveError::Export)
    }
}

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

/// Why a query is not answered.
#[derive(Debug)]
pub(super) enum ReadQueryError {
    /// It does not read.
    Query(QueryError),
    /// The journal does not, which would tell the names of reviewers.
    Journal(anyhow::Error),
}

impl From<ReadQueryError> for SaveError {
    fn from(error: ReadQueryError) -> Self {
        match error {
            ReadQueryError::Query(error) => Self::Query(error),
            ReadQueryError::Journal(error) => Self::Usage(error),
        }
    }
}

/// Reads a query; the journal is read for the names of reviewers only where it does not read
/// without them.
///
/// # Errors
/// When it does not read with them either, or a journal that somebody named does not.
pub(super) fn read_query(
    text: &str,
    dataset: &Dataset,
    journal: &Journal,
    rules: &RuleSet,
) -> Result<(Query, Catalog), ReadQueryError> {
    let mut catalog = Catalog::of_dataset(dataset).with_rules(rules.definitions());
    let error = match parse(text, &catalog) {
        Ok(query) => return Ok((query, catalog)),
        Err(error) => ReadQueryError::Query(error),
    };
    let said = match LoadedJournal::read(journal) {
        Ok(said) => said,
        Err(unread) if journal.is_named => return Err(ReadQueryError::Journal(unread)),
        Err(_) => return Err(error),
    };
    catalog.set_reviewers(&said.ledger.reviewers());
    let query = parse(text, &catalog).map_err(ReadQueryError::Query)?;
    Ok((query, catalog))
}

/// What reviewers said, where a query asks for it.
///
/// # Errors
/// When the journal does not read.
pub(super) fn remarks_for(
    query: &Query,
    dataset: &Dataset,
    journal: &Journal,
) -> anyhow::Result<Remarks> {
    if !depends_on_remarks(query) {
        return Ok(Remarks::default());
    }
    let said = LoadedJournal::read(journal)?;
    let places = locate_all(dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
    let scope = RemarkScope {
        ledger: &said.ledger,
        places: &places,
        dataset,
        only: None,
        own: &journal.reviewer,
    };
    Ok(scope.remarks())
}

/// What a journal says.
#[derive(Debug, Default)]
pub(super) struct LoadedJournal {
    path: Option<PathBuf>,
    pub(super) ledger: Ledger,
    entries: Vec<ActRecord>,
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
