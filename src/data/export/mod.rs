//! Exports to files and the clipboard: unchanged rows, rows with reviewers' remarks, tables,
//! documents, and the report of an audit.
//!
//! [`write()`] fills any output, [`to_file`] writes a file atomically, and [`SanitisingWriter`]
//! protects a terminal. JSON Lines keep the bytes of the dataset; Markdown, reports and the
//! clipboard pass through `text` like everything that may reach a terminal. This module does not
//! know whether the reviewer judges blind: the caller must not export what is hidden.

mod agreement;
mod audits;
mod clip;
mod difference;
mod document;
mod file;
mod findings;
mod format;
mod lines;
mod place;
mod report;
mod review;
mod screen;
mod sheet;
mod statistics;
#[cfg(test)]
mod tests;
mod training;
mod two_files;
mod votes;

use std::io::{self, Write};
use std::path::PathBuf;

use thiserror::Error;

pub use crate::review::{PagePiece, page_pieces};
pub use agreement::agreement_as_json;
pub use audits::audits;
pub use clip::{BlindMask, Copy, CopyError, copy_text, visible};
pub use difference::{difference_answer, difference_as_json};
pub use document::{Markup, sample_as_json, sample_as_markdown};
pub use file::{InputFile, Target, to_file, write_whole};
pub use findings::{FindingsReport, LEAK};
pub use format::Format;
pub use report::{ReportSpec, in_shell, report, span, title};
pub use review::{note_letters, order_in_words};
pub use screen::SanitisingWriter;
pub use sheet::{ListedColumn, Listing, ListingFormat, write_listing};
pub use statistics::{counts_as_json, statistics_as_json, table_as_json};
pub use training::{
    Correction, DroppedLeaks, ProvenanceSource, TrainingCounts, TrainingFormat, TrainingRequest,
    training_in_words, write_training,
};
pub use two_files::{to_file_and_output, to_two_files};
pub use votes::votes_words;

use crate::dataset::{Buffers, Dataset, LoadedSample, SampleBody, SampleKey};
use crate::journal::{Ledger, SampleReview};
use crate::model::ResponseId;
use crate::query::ResponseSet;
use crate::source::{FileChange, SourceError};
use crate::text::counted;

/// What to export.
#[derive(Debug, Clone)]
pub struct ExportRequest<'a> {
    /// The dataset of the samples.
    pub dataset: &'a Dataset,
    /// The samples to write, in this order.
    pub samples: &'a [u32],
    /// For each of them, the responses that match the query; empty without a query.
    pub matching: &'a [ResponseSet],
    /// True to skip responses that do not match, if they have separate rows or lines.
    pub matching_only: bool,
    /// The remarks of reviewers; empty without a journal. Samples are found by key, regardless of
    /// their place.
    pub ledger: &'a Ledger,
    /// The format.
    pub format: Format,
    /// Heading of a Markdown document.
    pub title: String,
}

/// Why something was not written, or not completely.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The file exists and may not be replaced.
    #[error("{} already exists; choose another name or pass --force", path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// The path is an input file or a journal.
    #[error("{} is {what}; choose another name", path.display())]
    Protected {
        /// Path of the file.
        path: PathBuf,
        /// What it is, and why it is kept.
        what: &'static str,
    },
    /// The path is a directory, device or pipe.
    #[error("{} is {what}; name a file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The system refused; no part of the new file remains.
    #[error("cannot write {}: {source}; {advice}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
        /// What to do next.
        advice: &'static str,
    },
    /// The output failed.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// A file changed while it was exported.
    #[error("{0}; the output is incomplete")]
    Altered(SourceError),
    /// The rows replaced a file, but their provenance could not be written.
    #[error("{} was replaced, but its provenance was not written: {error}", path.display())]
    WithoutProvenance {
        /// The file with the rows.
        path: PathBuf,
        /// Why the provenance was not written.
        error: Box<ExportError>,
    },
    /// A row cannot be read.
    #[error("{0}; nothing was exported")]
    Read(#[from] SourceError),
    /// The sample does not exist.
    #[error("sample {number} does not exist; nothing was exported")]
    NoSample {
        /// Its number, from 1.
        number: u64,
    },
    /// A training format cannot express any of the samples found. An empty file would only be
    /// noticed in training.
    #[error(
        "none of {} fits the format; see visavis guide training",
        counted(.0.found, "sample")
    )]
    NoRows(
        /// Counts of the samples.
        Box<TrainingCounts>,
    ),
    /// The export was cancelled.
    #[error("stopped; nothing was exported")]
    Stopped,
}

/// Writes samples and returns their number. `keep_going` is called before each sample with the
/// number already written; `false` cancels.
///
/// # Errors
/// If a row cannot be read, the output fails, a file changes, or the export is cancelled. The
/// output is then incomplete; see [`to_file`].
pub fn write(
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
    keep_going: &dyn Fn(usize) -> bool,
) -> Result<usize, ExportError> {
    check_files_unchanged(request.dataset).map_err(ExportError::Read)?;
    let written = match request.format {
        Format::Original | Format::Reviewed => lines::write(request, out, keep_going),
        Format::Csv => sheet::write(request, out, keep_going),
        Format::Markdown => document::write(request, Markup::Markdown, out, keep_going),
        Format::Html => document::write(request, Markup::Html, out, keep_going),
    }?;
    out.flush()?;
    // Rows are read by position, so a changed file may have returned anything.
    check_files_unchanged(request.dataset).map_err(ExportError::Altered)?;
    Ok(written)
}

/// Checks that files still have their rows. A file that grew does, a replaced or deleted one is
/// still open, and a compressed one was copied.
fn check_files_unchanged(dataset: &Dataset) -> Result<(), SourceError> {
    let changed = dataset
        .files()
        .iter()
        .map(|file| &file.source)
        .find(|source| {
            source.is_as_stored()
                && matches!(
                    source.change(),
                    Some(FileChange::Modified | FileChange::Shrunk)
                )
        });
    match changed {
        Some(source) => Err(SourceError::Changed(source.name().to_owned())),
        None => Ok(()),
    }
}

/// A sample to be written.
struct VisitedSample<'v, 'a, 'b> {
    /// Its number, from 0.
    number: u32,
    /// Its key in the journal; `None` if its rows cannot be read.
    key: Option<SampleKey>,
    /// The responses that match the query.
    matched: MatchedResponses,
    /// Its content.
    reading: &'v LoadedSample<'a, 'b>,
    /// The remarks of reviewers.
    remark: Option<&'a SampleReview>,
}

/// Receives each sample with its content and remarks.
type SampleVisitor<'s, 'a> = dyn FnMut(&VisitedSample<'_, 'a, '_>) -> Result<(), ExportError> + 's;

/// The responses of a sample that match the query; `None` without a query.
#[derive(Debug, Clone, Copy)]
struct MatchedResponses(Option<ResponseSet>);

impl MatchedResponses {
    /// True if the response matches; always true without a query.
    fn has(self, response: usize) -> bool {
        self.0.is_none_or(|set| set.has(response))
    }

    /// Returns the letters of the matching responses.
    fn letters(self, responses: usize) -> impl Iterator<Item = &'static str> {
        let all = ResponseId::first(responses);
        all.filter(move |id| self.has(id.index()))
            .map(ResponseId::word)
    }
}

impl<'a> ExportRequest<'a> {
    /// Returns each sample with rows in the exported files, and its matching responses.
    fn chosen(&self) -> impl Iterator<Item = (u32, MatchedResponses)> + use<'a> {
        let dataset = self.dataset;
        let sets = self.matching.iter().copied().map(Some);
        let sets = sets.chain(std::iter::repeat(None)).map(MatchedResponses);
        let samples = self.samples.iter().copied().zip(sets);
        let is_own = |sample: u32| dataset.own_rows(sample as usize).is_some();
        samples.filter(move |(sample, _)| !dataset.spans_files() || is_own(*sample))
    }

    /// True if any response of these samples does not match.
    fn skips_responses(&self) -> bool {
        self.chosen().any(|(sample, matched)| {
            let responses = self.responses_of(sample);
            matched.letters(responses).count() < responses
        })
    }

    /// Returns the number of exported responses of a sample; 0 for a malformed row.
    fn responses_of(&self, sample: u32) -> usize {
        let (dataset, sample) = (self.dataset, sample as usize);
        let all = dataset.responses_of(sample).unwrap_or(0);
        // If a sample has rows of several files, each row is one response.
        match dataset.own_rows(sample) {
            Some(own) if dataset.spans_files() => all.min(own.count()),
            _ => all,
        }
    }

    /// Passes each sample to `show`; returns their number.
    fn each(
        &self,
        keep_going: &dyn Fn(usize) -> bool,
        show: &mut SampleVisitor<'_, 'a>,
    ) -> Result<usize, ExportError> {
        let mut samples = 0;
        let mut buffers = match self.format {
            Format::Csv | Format::Markdown | Format::Html => Buffers::with_fields(),
            Format::Original | Format::Reviewed => Buffers::default(),
        };
        for (sample, matched) in self.chosen() {
            if !keep_going(samples) {
                return Err(ExportError::Stopped);
            }
            let reading = read(self.dataset, sample, &mut buffers)?;
            let key = SampleKey::of(&reading.body);
            let remark = remark(self.ledger, &reading.body);
            // Keys need all responses; those of a file opened with `--against` are not exported.
            let own = if self.dataset.spans_files() {
                drop(reading);
                let own = self.dataset.read_own(sample as usize, &mut buffers);
                own.ok_or_else(|| no_sample(sample))?
            } else {
                reading
            };
            show(&VisitedSample {
                number: sample,
                key,
                matched,
                reading: &own,
                remark,
            })?;
            samples += 1;
        }
        Ok(samples)
    }
}

/// Reads a sample by its number, from 0.
fn read<'d, 'b>(
    dataset: &'d Dataset,
    sample: u32,
    buffers: &'b mut Buffers,
) -> Result<LoadedSample<'d, 'b>, ExportError> {
    let reading = dataset.read(sample as usize, buffers);
    let reading = reading.ok_or_else(|| no_sample(sample))?;
    match &reading.body {
        SampleBody::Unreadable(error) => Err(error.clone().into()),
        _ => Ok(reading),
    }
}

fn no_sample(sample: u32) -> ExportError {
    ExportError::NoSample {
        number: u64::from(sample) + 1,
    }
}

/// Returns the remarks about a sample, if any are valid.
fn remark<'l>(ledger: &'l Ledger, body: &SampleBody<'_>) -> Option<&'l SampleReview> {
    if ledger.is_empty() {
        return None; // and no key need be made
    }
    let remark = ledger.remark(&SampleKey::of(body)?)?;
    review::has_content(remark).then_some(remark)
}
