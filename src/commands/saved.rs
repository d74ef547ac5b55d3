//! `visavis export` and `visavis report`: what leaves without a screen.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;

use super::destination::{Destination, SaveError};
use super::journals::LoadedJournal;
use super::loading::{LoadedFiles, RowUse, load};
use super::selection::QueriedData;
use super::{AnswerProgress, DataSource, Notes, joined_remarks};
use crate::cli::{ExportArgs, ReportArgs};
use crate::dataset::Dataset;
use crate::export::{self, ExportError, ExportRequest, Format, PeopleSpec, ReportSpec};
use crate::journal::{self, ActId};
use crate::parallel::KeepGoing;
use crate::query::{Catalog, QueryResult};
use crate::review::{locate, locate_all};
use crate::text::{counted, grouped};

/// Writes what a query finds into a file or, without one, to `out`. Into a file as long as it is
/// `wanted`, which is first asked before there is anything of the file.
///
/// # Errors
/// When the files, the journal or the query do not read, or the output cannot be written.
pub fn export(
    source: &DataSource,
    args: &ExportArgs,
    out: &mut dyn Write,
    wanted: &dyn KeepGoing,
) -> Result<Notes, SaveError> {
    if let Some(to) = args.training.to {
        return super::training::export(source, args, to, out, wanted);
    }
    write_samples(source, args, out, wanted, &|_, mut samples| {
        let all = samples.samples.len();
        samples.truncate(args.n.unwrap_or(usize::MAX));
        Ok(ChosenSamples {
            title: title(&args.selection.query, samples.samples.len(), all),
            samples,
        })
    })
}

/// The title of a document of the first so many samples of all that a query finds.
fn title(query: &str, first: usize, all: usize) -> String {
    let which = match (all - first, first) {
        (0, _) => None,
        (_, 0) => Some("None".to_owned()),
        (_, 1) => Some("The first".to_owned()),
        _ => Some(format!("The first {}", grouped(first))),
    };
    let which = which.map(|which| format!("{which} of {}", counted(all, "sample")));
    match (query.trim(), which) {
        ("", None) => "All samples".to_owned(),
        ("", Some(which)) => which,
        (query, which) => format!("{} found by {query}", which.as_deref().unwrap_or("Samples")),
    }
}

/// Samples that are written, and what they are.
pub(super) struct ChosenSamples {
    pub(super) samples: QueryResult,
    /// What a document of them is called.
    pub(super) title: String,
}

/// Chooses among what a query found, in its order.
type SampleChoice<'c> = dyn Fn(&QueriedData<'_>, QueryResult) -> anyhow::Result<ChosenSamples> + 'c;

/// Writes what is chosen among that which a query finds.
pub(super) fn write_samples(
    source: &DataSource,
    args: &ExportArgs,
    out: &mut dyn Write,
    wanted: &dyn KeepGoing,
    choose: &SampleChoice<'_>,
) -> Result<Notes, SaveError> {
    let format = format(args)?;
    if args.rows && format == Format::Markdown {
        return Err(anyhow::anyhow!(
            "--rows: a document shows samples whole; as jsonl, reviewed or csv responses leave alone"
        )
        .into());
    }
    let destination = Destination::of(source, &args.saving);
    destination.check()?;
    let query = &args.selection.query;
    let mut selection = QueriedData::load(source, query, RowUse::ReadAgain)?;
    let mut all = selection.found();
    let count = all.samples.len();
    let leaks = selection.drop_leaks(source, &mut all)?;
    let ChosenSamples {
        samples: found,
        title,
    } = choose(&selection, all)?;
    let dataset = &selection.dataset;
    // Rows as they stand say nothing of reviewers: a journal that does not read is no hindrance.
    let said = match format {
        Format::Original => LoadedJournal::default(),
        _ => LoadedJournal::read(&source.journal)?,
    };
    let request = ExportRequest {
        dataset,
        samples: &found.samples,
        matching: &found.matching,
        matching_only: args.rows,
        ledger: &said.ledger,
        format,
        title,
    };
    // What goes to a pipe may end anywhere.
    let wanted = || destination.output.is_none() || wanted();
    let all = request.samples.len().max(1);
    let goes_on = |written: usize| {
        // Onto standard output nothing else is written meanwhile.
        if destination.output.is_some() {
            let share = written as f64 / all as f64;
            source.progress.tell(AnswerProgress::Writing(share));
        }
        wanted()
    };
    let mut fill = |out: &mut dyn Write| {
        let written = export::write(&request, out, &goes_on)?;
        // What was found and what was written must be of the same content, also where the file only
        // grew.
        dataset
            .check_unchanged()
            .map(|()| written)
            .map_err(ExportError::Altered)
    };
    let done = destination.write(out, &wanted, &mut fill);
    source.progress.tell(AnswerProgress::Done);
    done?;
    let mut notes = selection.notes_where(count);
    notes.remarks.splice(0..0, said.troubles);
    notes
        .remarks
        .extend(selection.skipped_remarks(&found, leaks.as_ref()));
    Ok(notes)
}

/// As what to write: as the person says, or as the file's name does.
fn format(args: &ExportArgs) -> anyhow::Result<Format> {
    let named = args
        .format
        .map(|name| Format::named(name.word()))
        .unwrap_or_default();
    let Some(output) = args.saving.output.as_deref() else {
        return Ok(named.unwrap_or(Format::Original));
    };
    match named.or_else(|| Format::of_path(output)) {
        Some(format) => Ok(format),
        None => bail!(
            "{}: the end of this name says not as what to export; say --format jsonl, reviewed, csv or md",
            output.display()
        ),
    }
}

/// Writes the report of an audit into a file or, without one, to `out`. Into a file as long as it
/// is `wanted`, which is first asked before there is anything of the file.
///
/// # Errors
/// When the files or the journal do not read, there is no such audit, or the output cannot be
/// written.
pub fn report(
    source: &DataSource,
    args: &ReportArgs,
    out: &mut dyn Write,
    wanted: &dyn KeepGoing,
) -> Result<Notes, SaveError> {
    let journal = &source.journal;
    let destination = Destination::of(source, &args.saving);
    destination.check()?;
    let LoadedFiles {
        dataset, troubles, ..
    } = load("", source, RowUse::ReadAgain)?;
    let mut said = LoadedJournal::read(journal)?;
    let Some(place) = said.path.clone() else {
        return Err(anyhow::anyhow!(
            "standard input has no journal beside it; name one: --journal PATH"
        )
        .into());
    };
    said.troubles.extend(joined_remarks(&dataset));
    said.troubles.extend(troubles.iter().cloned());
    let several_named = |typed: &&String| names_several(typed, &said);
    if let (Some(id), Some(_)) = (&args.audit, args.reviewer.as_ref().filter(several_named)) {
        return Err(anyhow::anyhow!(
            "--audit {id}: what reviewers say of each other is not of one audit; leave it out, or name one reviewer"
        )
        .into());
    }
    let text = if args.list {
        let places = locate(&dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
        export::list(&dataset, &said.ledger, &places)
    } else if let Some(reviewers) = several(args.reviewer.as_deref(), &said, &dataset)? {
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
        let mut spec = spec(args, place, &said, &dataset)?;
        spec.also_read.clone_from(&journal.also_read);
        let places = locate_all(&dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
        export::report(&dataset, &said.ledger, &places, &spec)
    };
    dataset.check_unchanged().map_err(anyhow::Error::from)?;
    destination.write(out, wanted, &mut |out| Ok(out.write_all(text.as_bytes())?))?;
    // Files that are cut are told of in the report, and once more beside it.
    said.troubles.truncate(said.troubles.len() - troubles.len());
    Ok(Notes {
        remarks: said.troubles,
        troubles,
    })
}

/// Whether several reviewers are named, with commas between them.
fn names_several(typed: &str, said: &LoadedJournal) -> bool {
    let known = said.ledger.reviewers();
    typed.contains(',') && !known.iter().any(|name| **name == *typed)
}

/// The reviewer of a name, as the journal has it: letters match in both cases.
///
/// # Errors
/// When nobody of that name said anything, or it could be two.
pub(super) fn one_reviewer(
    name: &str,
    said: &LoadedJournal,
    dataset: &Dataset,
) -> anyhow::Result<Arc<str>> {
    let known = said.ledger.reviewers();
    let mut catalog = Catalog::of_dataset(dataset);
    catalog.set_reviewers(&known);
    catalog.reviewer(name).ok_or_else(|| {
        let is_same = |one: &&Arc<str>| one.to_lowercase() == name.to_lowercase();
        let same: Vec<_> = known.iter().filter(is_same).map(|one| &**one).collect();
        if !same.is_empty() {
            let same = same.join(" or ");
            return anyhow::anyhow!("{name} could be {same}: write the name as the journal has it");
        }
        let known = known.join(", ");
        let known = if known.is_empty() { "nobody" } else { &known };
        anyhow::anyhow!("{name} has said nothing in the journal; there is {known}")
    })
}

/// The reviewers who are named with commas between them, each as the journal has the name; `None`
/// where one is named, or none.
///
/// # Errors
/// When one of them said nothing or could be two.
pub(super) fn several(
    reviewer: Option<&str>,
    said: &LoadedJournal,
    dataset: &Dataset,
) -> anyhow::Result<Option<Vec<Arc<str>>>> {
    let Some(typed) = reviewer.filter(|typed| names_several(typed, said)) else {
        return Ok(None);
    };
    let mut reviewers: Vec<Arc<str>> = Vec::new();
    for name in typed
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let found = one_reviewer(name, said, dataset)?;
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
fn spec(
    args: &ReportArgs,
    journal: PathBuf,
    said: &LoadedJournal,
    dataset: &Dataset,
) -> anyhow::Result<ReportSpec> {
    let reviewer = args.reviewer.as_deref();
    let reviewer = reviewer.map(|name| one_reviewer(name, said, dataset));
    let mut spec = ReportSpec {
        audit: args.audit.as_deref().map(|id| ActId(id.into())),
        reviewer: reviewer.transpose()?,
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
    spec.span = export::span(&said.entries, session.as_ref(), spec.reviewer.as_deref());
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn the_title_says_how_much_of_a_result_is_there() {
        for (query, first, all, expected) in [
            ("", 3, 3, "All samples"),
            ("", 20, 1234, "The first 20 of 1,234 samples"),
            (" is:tie ", 3, 3, "Samples found by is:tie"),
            ("is:tie", 1, 2, "The first of 2 samples found by is:tie"),
            ("is:tie", 0, 0, "Samples found by is:tie"),
            ("", 0, 100, "None of 100 samples"),
            ("is:tie", 0, 2, "None of 2 samples found by is:tie"),
        ] {
            assert_eq!(title(query, first, all), expected);
        }
    }
}
