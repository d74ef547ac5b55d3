//! `visavis export --to`: writes files for trainers, and a provenance file with the source of each
//! row.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::data::WRITTEN;
use super::destination::Destination;
use super::journals::LoadedJournals;
use super::loading::{DataSource, RowUse};
use super::output::with_stdout;
use super::selection::{Notes, QueriedData};
use super::texts;
use crate::export::{
    Correction, ExportError, Format, ProvenanceSource, TrainingCounts, TrainingFormat,
    TrainingRequest, to_file, to_file_and_output, to_two_files, write_training,
};
use crate::query::{SortBy, depends_on_remarks};
use crate::run::{Failure, Journal, one_of, print_stderr};
use crate::source::provenance_path;
use crate::text::{counted, grouped};

/// Rows of a prompt beyond which it may dominate the training.
const FEW_ROWS: usize = 3;

/// Options of exports for trainers.
#[derive(Debug, Args)]
pub struct TrainingArgs {
    /// Write training data for this trainer, as JSON Lines
    #[arg(long, value_name = "TRAINER", conflicts_with_all = ["format", "rows"])]
    #[arg(value_parser = trainers())]
    pub(super) to: Option<String>,

    /// Apply these corrections of reviewers (comma-separated); see visavis guide training for which
    /// judgments count
    #[arg(
        long,
        value_parser = one_of(Correction::NAMED),
        value_name = "CORRECTIONS",
        value_delimiter = ',',
        requires = "to"
    )]
    pub(super) apply: Vec<Correction>,

    /// Write at most N pairs of a sample, chosen by the seed of sort:random(SEED) in the query
    #[arg(long, value_name = "N", requires = "to")]
    pub(super) pairs_per_sample: Option<NonZeroUsize>,

    /// Write the source of each row to this file [default: OUT.provenance.jsonl beside --output
    /// OUT]
    #[arg(long, value_name = "FILE", requires = "to", group = WRITTEN)]
    pub(super) provenance: Option<PathBuf>,
}

/// Returns the names of trainers, and methods, to be answered with the formats for them.
fn trainers() -> PossibleValuesParser {
    let formats = TrainingFormat::ALL.map(|it| PossibleValue::new(it.name).help(it.about));
    let methods = ["dpo", "preference", "rm", "sft"];
    let methods = methods.map(|method| PossibleValue::new(method).hide(true));
    formats.into_iter().chain(methods).into()
}

/// Writes what a query finds for a trainer, to the output or standard output, and the provenance
/// file. Signals stop it only before files are created.
///
/// # Errors
/// If the files, the journal or the query cannot be read, corrections are impossible, or an output
/// cannot be written.
pub(super) fn export(
    source: &DataSource,
    query: &str,
    limit: Option<usize>,
    (to, args): (&str, &TrainingArgs),
    destination: &Destination<'_>,
) -> Result<Notes, Failure> {
    let plan = TrainingPlan::of(source, args, to, destination)?;
    destination.check(plan.provenance.as_deref())?;
    let mut selection = QueriedData::load(source, query, RowUse::ReadAgain)?;
    let mut found = selection.found();
    let count = found.samples.len();
    let mut samples = found.samples.clone();
    let leaks = selection.drop_leaks(source, &mut found)?;
    found.truncate(limit.unwrap_or(usize::MAX));
    // Keep leaking samples, so that the provenance file lists them as dropped.
    let leaks_at = |at: &u32| leaks.as_ref().is_some_and(|it| it.ways.contains_key(at));
    let mut kept = found.samples.iter().peekable();
    samples.retain(|at| leaks_at(at) || kept.next_if_eq(&at).is_some());
    let journals = match plan.corrections {
        [] => LoadedJournals::default(),
        _ => LoadedJournals::read(&source.journal)?,
    };
    let asks_reviewers = !plan.corrections.is_empty() || depends_on_remarks(&selection.query);
    let origin = ProvenanceSource {
        query,
        seed: selection.query.sort.iter().find_map(|key| match key.by {
            SortBy::Random(seed) => Some(seed),
            _ => None,
        }),
        limit,
        output: destination.output.map(Path::to_owned),
        journals: (source.journal.paths.iter())
            .filter(|path| asks_reviewers && path.exists())
            .cloned()
            .collect(),
        leaks: leaks.as_ref(),
    };
    let request = TrainingRequest {
        dataset: &selection.dataset,
        samples: &samples,
        ledger: &journals.ledger,
        format: plan.format,
        corrections: plan.corrections,
        pairs_per_sample: args.pairs_per_sample.map(NonZeroUsize::get),
        seed: origin.seed.unwrap_or(0),
    };
    let fill = |out: &mut dyn Write, beside: Option<&mut dyn Write>| {
        let keep_going = |_| destination.keep_going();
        let counts = write_training(request, &origin, out, beside, &keep_going)?;
        // The written rows must equal the searched ones, even if the file only grew.
        let unchanged = selection.dataset.check_unchanged();
        unchanged.map_err(ExportError::Altered)?;
        if counts.rows == 0 && counts.found > 0 {
            return Err(ExportError::NoRows(Box::new(counts)));
        }
        // Last check for signals: files are created from here on.
        destination.check_cancelled()?;
        Ok(counts)
    };
    let notes = |counts: &TrainingCounts| {
        let mut notes = selection.notes_where(count);
        notes
            .remarks
            .splice(0..0, journals.troubles.iter().cloned());
        let skipped = selection.skipped_remarks(&found, leaks.as_ref());
        notes.remarks.extend(skipped);
        notes.remarks.extend(summarise(counts, &plan));
        notes
    };
    match plan.write(destination, &fill) {
        Ok(counts) => Ok(notes(&counts)),
        Err(error) => {
            if let ExportError::NoRows(counts) = &error {
                // The notes say why there are no rows.
                let notes = notes(counts);
                let warnings = notes.remarks.iter().chain(&notes.troubles);
                warnings.for_each(|sentence| print_stderr(sentence));
            }
            Err(error.into())
        }
    }
}

/// Writes the rows to the first output, and the provenance to the second if there is one.
type Fill<'f> =
    dyn Fn(&mut dyn Write, Option<&mut dyn Write>) -> Result<TrainingCounts, ExportError> + 'f;

/// What to write, and where.
struct TrainingPlan<'a> {
    format: TrainingFormat,
    corrections: &'a [Correction],
    /// The provenance file.
    provenance: Option<PathBuf>,
}

/// Names the formats with or without pairs: `trl, openai, nemo or llama-factory`.
fn formats(is_pairwise: bool) -> String {
    let formats = TrainingFormat::ALL.iter();
    let formats = formats.filter(|format| format.is_pairwise() == is_pairwise);
    let names: Vec<_> = formats.map(|format| format.name).collect();
    let (last, others) = names.split_last().unwrap_or((&"", &[]));
    match others {
        [] => (*last).to_owned(),
        others => format!("{} or {last}", others.join(", ")),
    }
}

impl<'a> TrainingPlan<'a> {
    /// Checks the options; call this before reading the inputs.
    ///
    /// # Errors
    /// If options conflict.
    fn of(
        source: &DataSource,
        training: &'a TrainingArgs,
        to: &str,
        destination: &Destination<'_>,
    ) -> anyhow::Result<Self> {
        let Some(format) = TrainingFormat::named(to) else {
            bail!(texts::unknown_trainer(formats(true), formats(false)));
        };
        let corrections = &*training.apply;
        match format.is_pairwise() {
            true if corrections.contains(&Correction::Relabel) => {
                bail!(texts::no_labels(format.name))
            }
            false if corrections.contains(&Correction::Flip) => {
                bail!(texts::no_winner(format.name))
            }
            _ => {}
        }
        if training.pairs_per_sample.is_some() && !format.is_pairwise() {
            bail!(texts::no_pairs(format.name, formats(true)));
        }
        if !corrections.is_empty() {
            check_journal(&source.journal)?;
        }
        let output = destination.output;
        if let Some(output) = output
            && let Some(Format::Csv | Format::Markdown | Format::Html) = Format::of_path(output)
        {
            bail!(texts::not_json_lines(output.display()));
        }
        let provenance = training.provenance.clone();
        let provenance = provenance.or_else(|| output.map(provenance_path));
        if let Some(path) = &provenance
            && output.is_some_and(|output| destination.target(output).is_at(path))
        {
            bail!(texts::provenance_is_output(path.display()));
        }
        Ok(Self {
            format,
            corrections,
            provenance,
        })
    }

    fn write(
        &self,
        destination: &Destination<'_>,
        fill: &Fill<'_>,
    ) -> Result<TrainingCounts, ExportError> {
        let target = |path| destination.target(path);
        match (destination.output, &self.provenance) {
            (None, None) => with_stdout(|out| fill(out, None)),
            (None, Some(path)) => with_stdout(|out| {
                to_file_and_output(&target(path), out, &mut |out, beside| {
                    fill(out, Some(beside))
                })
            }),
            (Some(output), None) => to_file(&target(output), &mut |out| fill(out, None)),
            (Some(output), Some(path)) => {
                to_two_files(&target(output), &target(path), &mut |out, beside| {
                    fill(out, Some(beside))
                })
            }
        }
    }
}

/// Checks that there is a journal to take corrections from.
///
/// # Errors
/// If there is none.
fn check_journal(journal: &Journal) -> anyhow::Result<()> {
    let Some(path) = journal.paths.first() else {
        bail!(texts::NO_JOURNAL_TO_APPLY);
    };
    if !journal.paths.iter().any(|path| path.exists()) {
        bail!(texts::no_journal_to_apply(path.display()));
    }
    Ok(())
}

/// Returns remarks about what was written and what was skipped, one sentence each.
fn summarise(counts: &TrainingCounts, plan: &TrainingPlan<'_>) -> Vec<String> {
    let samples = |count: usize| counted(count, "sample");
    let mut remarks: Vec<_> = counts.skipped().collect();
    let done = [
        (Correction::Flip, "flipped", counts.flipped),
        (Correction::Drop, "dropped", counts.dropped),
        (Correction::Relabel, "relabelled", counts.relabelled),
    ];
    let done = done
        .into_iter()
        .filter(|(kind, ..)| plan.corrections.contains(kind));
    remarks.extend(done.map(|(_, word, count)| format!("{word}: {}", samples(count))));
    let differ = |on: &str| format!(" where reviewers disagree {on}");
    let disputed = [
        (counts.disputed.flip, differ("on the winner")),
        (counts.disputed.drop, differ("whether it is right")),
        (counts.disputed.relabel, differ("on a label")),
    ];
    let is_disputed = counts.disputed.flip + counts.disputed.relabel > 0;
    let as_is =
        |(count, why): (usize, String)| (count > 0).then(|| texts::left_as_is(samples(count), why));
    remarks.extend(disputed.into_iter().filter_map(as_is));
    remarks.extend(is_disputed.then(|| texts::ADJUDICATE.to_owned()));
    let ties = (counts.called_ties, " that reviewers call a tie".to_owned());
    remarks.extend(as_is(ties));
    let (same, empty) = (counts.same_responses, counts.empty_responses);
    let doubtful = [
        (same, "both responses are identical; identical>0"),
        (empty, "a response is empty; len=0"),
    ];
    let doubtful = doubtful.into_iter().filter(|(count, _)| *count > 0);
    remarks.extend(doubtful.map(|(count, what)| texts::doubtful_rows(counted(count, "row"), what)));
    if counts.unrated > 0 {
        remarks.push(texts::not_paired(counted(
            counts.unrated,
            "unrated response",
        )));
    }
    let prompts = &counts.rows_by_prompt;
    let many = prompts.values().filter(|rows| **rows > FEW_ROWS);
    let many: Vec<usize> = many.copied().collect();
    if !many.is_empty() {
        let share = |some: usize, all: usize| 100.0 * some as f64 / all as f64;
        let rows = share(many.iter().sum(), counts.rows);
        let prompts = share(many.len(), prompts.len());
        remarks.push(texts::rows_of_few_prompts(rows, prompts, FEW_ROWS));
    }
    // If there are no rows, the error says so.
    let is_part = !counts.left_out.is_empty() || counts.dropped > 0;
    let is_pairwise = plan.format.is_pairwise();
    if counts.rows > 0 && (is_pairwise || is_part || counts.rows != counts.samples) {
        let row = if is_pairwise { "pair" } else { "row" };
        let most = match counts.most_rows {
            most if is_pairwise && most > 1 => format!(", up to {} per sample", grouped(most)),
            _ => String::new(),
        };
        remarks.push(texts::wrote(
            counted(counts.rows, row),
            grouped(counts.samples),
            samples(counts.found),
            most,
        ));
    }
    let provenance = plan.provenance.iter().filter(|_| counts.rows > 0);
    remarks.extend(provenance.map(|path| texts::wrote_provenance(path.display())));
    remarks
}
