//! `visavis export`: writes samples into a file or to standard output.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::data::{OutputArgs, SelectionArgs};
use super::destination::Destination;
use super::journals::LoadedJournals;
use super::loading::{DataSource, RowUse};
use super::selection::{Notes, QueriedData};
use super::training::{self, TrainingArgs};
use super::{Sources, texts};
use crate::export::{ExportError, ExportRequest, Format, write};
use crate::query::QueryResult;
use crate::run::{Failure, one_of};
use crate::source::Input;
use crate::text::{counted, grouped};

/// Write the samples that match a query: rows, reviews, a table, a document, or training data
///
/// The query language is that of the filter in the program (key f), including its order (sort:…):
/// visavis export 'gap.helpfulness>=3' train.jsonl -o far.jsonl. Files are written atomically;
/// existing files are not overwritten without --force.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub(super) selection: SelectionArgs,

    /// Output format [default: by the extension of the output, jsonl for standard output]
    #[arg(long, value_parser = one_of(Format::NAMED))]
    pub(super) format: Option<Format>,

    /// Write only the matching responses, without the others of their samples
    #[arg(long)]
    pub(super) rows: bool,

    /// Write at most N samples, in the order of the query
    #[arg(short, long, value_name = "N")]
    pub(super) n: Option<usize>,

    /// Omit samples whose prompts leak into FILE2; its own samples are not written
    ///
    /// Prompts are compared as in visavis check FILE --against FILE2: identical, by words, nearly
    /// identical, or 13 words in a row. Standard error reports the number of samples for each kind.
    #[arg(long, value_name = "FILE2", conflicts_with = "against")]
    pub(super) drop_leaks: Option<PathBuf>,

    #[command(flatten)]
    pub(super) training: TrainingArgs,

    #[command(flatten)]
    pub(super) saving: OutputArgs,
}

impl ExportArgs {
    pub(super) fn run(mut self, sources: &mut Sources) -> Result<(), Failure> {
        self.selection.data.reading.last_apart = self.drop_leaks.take();
        let source = self.selection.source("export from", sources)?;
        let destination = Destination::of(&source, &self.saving);
        let query = &self.selection.query;
        let written = match &self.training.to {
            Some(to) => {
                training::export(&source, query, self.n, (to, &self.training), &destination)
            }
            None => {
                let request = WriteRequest {
                    source: &source,
                    query,
                    format: self.format,
                    rows: self.rows,
                };
                request.write(&destination, &|_, mut samples| {
                    let all = samples.samples.len();
                    samples.truncate(self.n.unwrap_or(usize::MAX));
                    Ok(ChosenSamples {
                        title: title(query, samples.samples.len(), all),
                        samples,
                    })
                })
            }
        };
        destination.finish(written.and_then(|notes| notes.print("written")))
    }
}

/// Returns the title of a document with the first samples that a query finds.
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

/// Samples to write, with a title.
pub(super) struct ChosenSamples {
    pub(super) samples: QueryResult,
    /// Title of a document with them.
    pub(super) title: String,
}

/// Chooses from the result of a query, which is in the query's order.
type SampleChoice<'c> = dyn Fn(&QueriedData<'_>, QueryResult) -> anyhow::Result<ChosenSamples> + 'c;

/// What to write of a query's result.
pub(super) struct WriteRequest<'a> {
    pub(super) source: &'a DataSource,
    pub(super) query: &'a str,
    pub(super) format: Option<Format>,
    /// True to omit responses that do not match.
    pub(super) rows: bool,
}

impl WriteRequest<'_> {
    /// Writes the chosen samples.
    ///
    /// # Errors
    /// If the files, the journal or the query cannot be read, or the output cannot be written.
    pub(super) fn write(
        &self,
        destination: &Destination<'_>,
        choose: &SampleChoice<'_>,
    ) -> Result<Notes, Failure> {
        let format = self.format(destination)?;
        if self.rows && matches!(format, Format::Markdown | Format::Html) {
            return Err(Failure::usage(texts::ROWS_IN_DOCUMENT));
        }
        destination.check(None)?;
        let source = self.source;
        let mut data = QueriedData::load(source, self.query, RowUse::ReadAgain)?;
        let mut all = data.found();
        let count = all.samples.len();
        let leaks = data.drop_leaks(source, &mut all)?;
        let ChosenSamples {
            samples: found,
            title,
        } = choose(&data, all)?;
        // Original rows contain no reviews, so an unreadable journal does not matter.
        let journals = match format {
            Format::Original => LoadedJournals::default(),
            _ => LoadedJournals::read(&source.journal)?,
        };
        let request = ExportRequest {
            dataset: &data.dataset,
            samples: &found.samples,
            matching: &found.matching,
            matching_only: self.rows,
            ledger: &journals.ledger,
            format,
            title,
        };
        let goes_on = |written: usize| {
            // No progress line while rows are written to standard output.
            if destination.output.is_some() {
                let share = written as f64 / found.samples.len().max(1) as f64;
                source.progress.set("writing", Some(share));
            }
            destination.keep_going()
        };
        let done = destination.write(&mut |out: &mut dyn Write| {
            write(&request, out, &goes_on)?;
            // The written rows must equal the searched ones, even if the file only grew.
            (data.dataset.check_unchanged()).map_err(ExportError::Altered)
        });
        source.progress.clear();
        done?;
        let mut notes = data.notes_where(count);
        notes.remarks.splice(0..0, journals.troubles);
        let skipped = data.skipped_remarks(&found, leaks.as_ref());
        notes.remarks.extend(skipped);
        // From a file to a pipe, nothing is reported, as by cat(1).
        let place = (destination.output).map(|path| format!(" to {}", path.display()));
        if place.is_some()
            || source
                .loader
                .all_inputs()
                .any(|input| matches!(input, Input::Stdin))
        {
            let samples = counted(found.samples.len(), "sample");
            (notes.remarks).push(texts::exported(samples, place.unwrap_or_default()));
        }
        Ok(notes)
    }

    /// Returns the format given by `--format` or by the extension of the output.
    fn format(&self, destination: &Destination<'_>) -> Result<Format, Failure> {
        let Some(output) = destination.output else {
            return Ok(self.format.unwrap_or(Format::Original));
        };
        self.format
            .or_else(|| Format::of_path(output))
            .ok_or_else(|| Failure::usage(texts::unknown_extension(output.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn the_title_shows_the_share_of_the_result() {
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
