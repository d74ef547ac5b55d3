//! `visavis export --to`: what trainers read, with a file beside it that says where rows come from.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::bail;

use super::destination::Destination;
use super::journals::LoadedJournal;
use super::loading::RowUse;
use super::selection::QueriedData;
use super::{DataSource, Journal, Notes, SaveError};
use crate::cli::{CorrectionName, ExportArgs, TrainerName};
use crate::export::{
    Corrections, ExportError, Format, ProvenanceSource, TrainingCounts, TrainingFormat,
    TrainingRequest, to_file, to_file_beside, to_two_files, write_training,
};
use crate::parallel::KeepGoing;
use crate::query::{SortBy, depends_on_remarks};
use crate::source::provenance_path;
use crate::text::{counted, grouped};

/// Writes what a query finds for a trainer into a file or, without one, to `out`; and beside the
/// file, or where that was said, where each row comes from. Into files as long as it is `wanted`.
///
/// # Errors
/// When the files, the journal or the query do not read, corrections are asked for that there are
/// none of, or an output cannot be written.
pub(super) fn export(
    source: &DataSource,
    args: &ExportArgs,
    to: TrainerName,
    out: &mut dyn Write,
    wanted: &dyn KeepGoing,
) -> Result<Notes, SaveError> {
    let plan = TrainingPlan::of(source, args, to)?;
    // Whoever waits for a million rows is not told behind them that a file is in the way.
    plan.check().map_err(SaveError::Export)?;
    let query = &args.selection.query;
    let mut selection = QueriedData::load(source, query, RowUse::ReadAgain)?;
    let mut found = selection.found();
    let count = found.samples.len();
    let mut samples = found.samples.clone();
    let leaks = selection.drop_leaks(source, &mut found)?;
    found.truncate(args.n.unwrap_or(usize::MAX));
    // What leaks is told of beside the rows, where the query has it.
    let leaks_at = |at: &u32| leaks.as_ref().is_some_and(|it| it.ways.contains_key(at));
    let mut kept = found.samples.iter().peekable();
    samples.retain(|at| leaks_at(at) || kept.next_if_eq(&at).is_some());
    let said = match plan.corrections.is_any() {
        true => LoadedJournal::read(&source.journal)?,
        false => LoadedJournal::default(),
    };
    let asks_reviewers = plan.corrections.is_any() || depends_on_remarks(selection.query());
    let origin = ProvenanceSource {
        query,
        seed: selection.query().sort.iter().find_map(|key| match key.by {
            SortBy::Random(seed) => Some(seed),
            _ => None,
        }),
        limit: args.n,
        output: args.saving.output.clone(),
        journals: journals(&source.journal)
            .filter(|path| asks_reviewers && path.exists())
            .cloned()
            .collect(),
        leaks: leaks.as_ref(),
    };
    let request = TrainingRequest {
        dataset: &selection.dataset,
        samples: &samples,
        ledger: &said.ledger,
        format: plan.format,
        corrections: plan.corrections,
        pairs_per_sample: args.training.pairs_per_sample.map(NonZeroUsize::get),
        seed: origin.seed.unwrap_or(0),
    };
    let fill = |out: &mut dyn Write, beside: Option<&mut dyn Write>| {
        // What goes to a pipe may end anywhere.
        let wanted = || plan.destination.output.is_none() || wanted();
        let counts = write_training(request, &origin, out, beside, &|_| wanted())?;
        // What was found and what was written must be of the same content, also where the file only
        // grew.
        let unchanged = selection.dataset.check_unchanged();
        unchanged.map_err(ExportError::Altered)?;
        if counts.rows == 0 && counts.found > 0 {
            return Err(ExportError::NoRows(Box::new(counts)));
        }
        // The last look: from here on files are made.
        if wanted() {
            Ok(counts)
        } else {
            Err(ExportError::Stopped)
        }
    };
    let notes = |counts: &TrainingCounts| {
        let mut notes = selection.notes_where(count);
        notes.remarks.splice(0..0, said.troubles.iter().cloned());
        let skipped = selection.skipped_remarks(&found, leaks.as_ref());
        notes.remarks.extend(skipped);
        notes.remarks.extend(remarks(counts, &plan));
        notes
    };
    match plan.write(out, &fill) {
        Ok(counts) => Ok(notes(&counts)),
        Err(error) => Err(match &error {
            // Why that is stands in the notes: rows were left out, or never came.
            ExportError::NoRows(counts) => SaveError::Noted(Box::new(notes(counts)), error),
            _ => SaveError::Export(error),
        }),
    }
}

/// Fills an output and, where there is to be one, what stands beside it.
type Fill<'f> =
    dyn Fn(&mut dyn Write, Option<&mut dyn Write>) -> Result<TrainingCounts, ExportError> + 'f;

/// What is written where.
struct TrainingPlan<'a> {
    format: TrainingFormat,
    corrections: Corrections,
    destination: Destination<'a>,
    /// Where it goes where rows come from.
    provenance: Option<PathBuf>,
}

impl<'a> TrainingPlan<'a> {
    /// To be made before the inputs are read.
    ///
    /// # Errors
    /// When what is asked for does not go together.
    fn of(source: &DataSource, args: &'a ExportArgs, to: TrainerName) -> anyhow::Result<Self> {
        let Some(format) = TrainingFormat::named(to.word()) else {
            bail!("--to {}: there is no such format", to.word());
        };
        let training = &args.training;
        let corrections = corrections(format, &training.apply)?;
        if training.pairs_per_sample.is_some() && !format.is_pairwise() {
            let name = format.name();
            bail!(
                "--pairs-per-sample: {name} has no pairs; use it with trl, openai, nemo or llama-factory"
            );
        }
        if corrections.is_any() {
            check_journal(&source.journal)?;
        }
        let output = args.saving.output.as_deref();
        if let Some(output) = output
            && let Some(Format::Csv | Format::Markdown) = Format::of_path(output)
        {
            bail!(
                "{}: what trainers read is JSON Lines; let the name end in .jsonl",
                output.display()
            );
        }
        let provenance = training.provenance.clone();
        let provenance = provenance.or_else(|| output.map(provenance_path));
        let destination = Destination::of(source, &args.saving);
        if let Some(path) = &provenance
            && output.is_some_and(|output| destination.target(output).is_at(path))
        {
            bail!(
                "--provenance {}: that is where the rows go; choose another name",
                path.display()
            );
        }
        Ok(Self {
            format,
            corrections,
            destination,
            provenance,
        })
    }

    /// Refuses places where nothing may be put.
    ///
    /// # Errors
    /// As [`crate::export::Target::check`] has them.
    fn check(&self) -> Result<(), ExportError> {
        let paths = self.destination.output.into_iter();
        let mut paths = paths.chain(self.provenance.as_deref());
        paths.try_for_each(|path| self.destination.target(path).check())
    }

    fn write(&self, out: &mut dyn Write, fill: &Fill<'_>) -> Result<TrainingCounts, ExportError> {
        let target = |path| self.destination.target(path);
        match (self.destination.output, &self.provenance) {
            (None, None) => fill(out, None),
            (None, Some(path)) => to_file_beside(&target(path), out, &mut |out, beside| {
                fill(out, Some(beside))
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

/// The corrections that hold.
///
/// # Errors
/// When one is asked for that the format has nothing to say of.
fn corrections(format: TrainingFormat, names: &[CorrectionName]) -> anyhow::Result<Corrections> {
    let has = |name| names.contains(&name);
    let corrections = Corrections {
        flip: has(CorrectionName::Flip),
        drop: has(CorrectionName::Drop),
        relabel: has(CorrectionName::Relabel),
    };
    let name = format.name();
    match format.is_pairwise() {
        true if corrections.relabel => bail!(
            "--apply relabel: {name} has no labels; flip lets the response win that reviewers prefer, also where that follows from the labels they gave"
        ),
        false if corrections.flip => bail!(
            "--apply flip: {name} says who wins by its labels; relabel takes those that reviewers gave"
        ),
        _ => Ok(corrections),
    }
}

/// Refuses corrections of which there can be none.
///
/// # Errors
/// When there is no journal.
fn check_journal(journal: &Journal) -> anyhow::Result<()> {
    let Some(path) = &journal.path else {
        bail!(
            "--apply: these files have no journal beside them, and corrections are read from one; name it: --journal PATH"
        );
    };
    if !journals(journal).any(|path| path.exists()) {
        bail!(
            "--apply: there is no journal {}; corrections are what reviewers said there (--journal PATH names another)",
            path.display()
        );
    }
    Ok(())
}

fn journals(journal: &Journal) -> impl Iterator<Item = &PathBuf> {
    journal.also_read.iter().chain(&journal.path)
}

/// What a person should know of what was written and what was not, one sentence each.
fn remarks(counts: &TrainingCounts, plan: &TrainingPlan<'_>) -> Vec<String> {
    let corrections = plan.corrections;
    let samples = |count: usize| counted(count, "sample");
    let mut remarks = Vec::new();
    for (reason, count) in &counts.left_out {
        remarks.push(format!(
            "left out: {} ({}): {}",
            samples(*count),
            reason.word(),
            reason.meaning()
        ));
    }
    let done = [
        (corrections.flip, "flipped", counts.flipped),
        (corrections.drop, "dropped", counts.dropped),
        (corrections.relabel, "relabelled", counts.relabelled),
    ];
    let done = done.into_iter().filter(|(is_asked, ..)| *is_asked);
    remarks.extend(done.map(|(_, word, count)| format!("{word}: {}", samples(count))));
    let disputed = [
        (counts.disputed_verdicts, "of who wins"),
        (counts.disputed_checks, "of whether it is right"),
        (counts.disputed_labels, "of a label"),
    ];
    for (count, of) in disputed.into_iter().filter(|(count, _)| *count > 0) {
        remarks.push(format!(
            "left as the dataset has it: {} {of} reviewers say different things",
            samples(count)
        ));
    }
    if counts.disputed_verdicts + counts.disputed_labels > 0 {
        remarks
            .push("where two reviewers differ, :adjudicate asks a third, who decides".to_owned());
    }
    if counts.called_ties > 0 {
        remarks.push(format!(
            "left as the dataset has it: {} that reviewers call a tie",
            samples(counts.called_ties)
        ));
    }
    let doubtful = [
        (
            counts.same_responses,
            "both responses say the same",
            "identical>0",
        ),
        (counts.empty_responses, "a response is empty", "len=0"),
    ];
    for (count, what, query) in doubtful.into_iter().filter(|(count, ..)| *count > 0) {
        let rows = counted(count, "row");
        remarks.push(format!(
            "written all the same: {rows} in which {what}; {query} finds such samples"
        ));
    }
    if counts.unrated > 0 {
        let responses = counted(counts.unrated, "unrated response");
        remarks.push(format!("not paired: {responses}"));
    }
    // Where there is nothing at all, the error says so.
    let is_part = !counts.left_out.is_empty() || counts.dropped > 0;
    let is_pairwise = plan.format.is_pairwise();
    if counts.rows > 0 && (is_pairwise || is_part || counts.rows != counts.samples) {
        let row = if is_pairwise { "pair" } else { "row" };
        let most = match counts.most_rows {
            most if is_pairwise && most > 1 => format!(", up to {} per sample", grouped(most)),
            _ => String::new(),
        };
        remarks.push(format!(
            "wrote {} from {} of {}{most}",
            counted(counts.rows, row),
            grouped(counts.samples),
            samples(counts.found),
        ));
    }
    remarks
}
