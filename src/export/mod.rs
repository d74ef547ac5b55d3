//! Files and clipboard out: rows as they stand or with what reviewers said, tables, documents, and
//! the report of an audit.
//!
//! [`write()`] fills anything that takes bytes, [`to_file`] makes a file that is there whole or not
//! at all, and [`SanitisingWriter`] stands between an export and a terminal. What leaves as JSON Lines keeps
//! the bytes of the dataset; Markdown, reports and the clipboard pass through `text` like
//! everything else that can end in a terminal. Nothing here knows whether somebody judges blind:
//! whoever calls must not hand out what is hidden.

mod agreement;
mod clip;
mod difference;
mod document;
mod file;
mod findings;
mod format;
mod json_number;
mod lines;
mod listing;
mod place;
mod report;
mod review;
mod screen;
mod statistics;
mod table;
#[cfg(test)]
mod tests;
mod training;
mod two_files;
mod votes;
mod whole_file;

use std::io::{self, Write};
use std::path::PathBuf;

use thiserror::Error;

pub use crate::review::{PagePiece, page_pieces};
pub use agreement::{agreement_as_json, audits_as_json};
pub use clip::{BlindMask, Copy, CopyError, copy_text, visible};
pub use difference::{difference_as_json, difference_as_text};
pub use document::{Markup, sample_as_json, sample_as_markdown};
pub use file::{InputFile, Target, to_file};
pub use findings::{FindingsFormat, FindingsReport, LEAK, SeverityCounts};
pub use format::Format;
pub use listing::{ListedColumn, Listing, ListingFormat, write_listing};
pub use report::{ReportSpec, list, report, span, title};
pub use review::{note_letters, order_in_words};
pub use screen::SanitisingWriter;
pub use statistics::{counts_as_json, schemas_as_json, statistics_as_json};
pub use training::{
    Corrections, DroppedLeaks, ProvenanceSource, TrainingCounts, TrainingFormat, TrainingRequest,
    training_in_words, write_training,
};
pub use two_files::{to_file_beside, to_two_files};
pub use votes::votes_words;
pub use whole_file::write_whole;

use crate::dataset::{Buffers, Dataset, LoadedSample, SampleBody, SampleKey};
use crate::journal::{Ledger, SampleReview};
use crate::model::ResponseId;
use crate::query::ResponseSet;
use crate::source::{FileChange, SourceError};
use crate::text::counted;

/// What to write.
#[derive(Debug, Clone)]
pub struct ExportRequest<'a> {
    /// Where the samples are.
    pub dataset: &'a Dataset,
    /// Which samples, in the order in which to write them.
    pub samples: &'a [u32],
    /// For each of them, the responses for which a query holds; empty where no query chose them.
    pub matching: &'a [ResponseSet],
    /// Whether responses that do not match are left out, as far as they have rows or lines of their
    /// own.
    pub matching_only: bool,
    /// What reviewers said; an empty one where there is no journal. Samples are found in it by
    /// their keys, wherever they stand.
    pub ledger: &'a Ledger,
    /// As what.
    pub format: Format,
    /// Heading of a Markdown document.
    pub title: String,
}

/// Why something was not written, or not to its end.
#[derive(Debug, Error)]
pub enum ExportError {
    /// There is such a file, and it was not said that it may go.
    #[error("{} is there already and was left alone; choose another name, or say that it may be replaced (--force)", path.display())]
    Exists {
        /// Where it should have gone.
        path: PathBuf,
    },
    /// The place of a file that is read, or of the journal.
    #[error("{} is {what}; choose another name", path.display())]
    Kept {
        /// Where it should have gone.
        path: PathBuf,
        /// What it is, and why it is kept.
        what: &'static str,
    },
    /// A directory, a device, a pipe.
    #[error("{} is {what}; name a file", path.display())]
    NoFile {
        /// Where it should have gone.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The system says no; nothing of the new file is left.
    #[error("cannot write {}: {source}; {advice}", path.display())]
    File {
        /// Where it should have gone.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// What to do about it.
        advice: &'static str,
    },
    /// Whatever takes the bytes takes no more.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// What was written is of a file that somebody wrote to meanwhile.
    #[error("{0}; what was written is not whole")]
    Altered(SourceError),
    /// The rows replaced a file, and the provenance beside them could not be written.
    #[error("{} was replaced, but its provenance was not written: {error}", path.display())]
    RowsAlone {
        /// The file with the rows.
        path: PathBuf,
        /// Why.
        error: Box<ExportError>,
    },
    /// A row cannot be read.
    #[error("{0}; nothing was exported")]
    Read(#[from] SourceError),
    /// There is no such sample.
    #[error("there is no sample {number}; nothing was exported")]
    NoSample {
        /// Its number, from 1.
        number: u64,
    },
    /// A file is not what it was when its rows were found.
    #[error(
        "{name} was changed since it was opened, so its rows may be others; open it again first (R)"
    )]
    Changed {
        /// The file, as the user wrote it.
        name: String,
    },
    /// Samples were found, and a trainer's format can say none of them. An empty file in the place
    /// of rows would only be noticed in training.
    #[error(
        "nothing was written of {} found; visavis guide training says what each format needs",
        counted(.0.found, "sample")
    )]
    NoRows(
        /// What became of the samples.
        Box<TrainingCounts>,
    ),
    /// Nobody wants it any more.
    #[error("stopped; nothing was exported")]
    Stopped,
}

/// Writes samples and returns their number, as long as it is `wanted`, which is asked before each
/// sample with the number of those written.
///
/// # Errors
/// When a row cannot be read, the output takes no more, a file changed under way, or it is no
/// longer wanted. What was written until then is not whole: see [`to_file`].
pub fn write(
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
    wanted: &dyn Fn(usize) -> bool,
) -> Result<usize, ExportError> {
    same_as_opened(request.dataset)?;
    let written = match request.format {
        Format::Original | Format::Reviewed => lines::write(request, out, wanted),
        Format::Csv => table::write(request, out, wanted),
        Format::Markdown => document::write(request, Markup::Markdown, out, wanted),
        Format::Html => document::write(request, Markup::Html, out, wanted),
    }?;
    out.flush()?;
    // Rows are read by place: a file written to in between can have given anything.
    same_as_opened(request.dataset)?;
    Ok(written)
}

/// A file that grew still has its rows, one that was replaced or deleted is held open, and of a
/// packed one there is a copy.
fn same_as_opened(dataset: &Dataset) -> Result<(), ExportError> {
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
        Some(source) => Err(ExportError::Changed {
            name: source.name().to_owned(),
        }),
        None => Ok(()),
    }
}

/// A sample as it is written.
struct VisitedSample<'v, 'a, 'b> {
    /// Its number, from 0.
    number: u32,
    /// Its key in the journal; `None` where its rows could not be read.
    key: Option<SampleKey>,
    /// The responses for which the query holds.
    matched: MatchedResponses,
    /// What it says.
    reading: &'v LoadedSample<'a, 'b>,
    /// What reviewers said of it.
    remark: Option<&'a SampleReview>,
}

/// Takes a sample as read, with what is said of it.
type SampleVisitor<'s, 'a> = dyn FnMut(&VisitedSample<'_, 'a, '_>) -> Result<(), ExportError> + 's;

/// The responses of a sample for which a query holds.
#[derive(Debug, Clone, Copy)]
struct MatchedResponses(Option<ResponseSet>);

impl MatchedResponses {
    /// Whether the query holds for the response at this place; of no query, for all.
    fn has(self, response: usize) -> bool {
        self.0.is_none_or(|set| set.has(response))
    }

    /// The letters of those that match, of so many responses.
    fn letters(self, responses: usize) -> impl Iterator<Item = &'static str> {
        let all = ResponseId::first(responses);
        all.filter(move |id| self.has(id.index()))
            .map(ResponseId::word)
    }
}

impl<'a> ExportRequest<'a> {
    /// Each sample that has rows of the exported files, with the responses that match.
    fn chosen(&self) -> impl Iterator<Item = (u32, MatchedResponses)> + use<'a> {
        let dataset = self.dataset;
        let sets = self.matching.iter().copied().map(Some);
        let sets = sets.chain(std::iter::repeat(None)).map(MatchedResponses);
        let samples = self.samples.iter().copied().zip(sets);
        let is_own = |sample: u32| dataset.own_rows(sample as usize).is_some();
        samples.filter(move |(sample, _)| !dataset.spans_files() || is_own(*sample))
    }

    /// Whether any response of these samples does not match.
    fn leaves_some(&self) -> bool {
        self.chosen().any(|(sample, matched)| {
            let responses = self.responses_of(sample);
            matched.letters(responses).count() < responses
        })
    }

    /// How many responses of a sample are exported; 0 where it is a malformed row.
    fn responses_of(&self, sample: u32) -> usize {
        let (dataset, sample) = (self.dataset, sample as usize);
        let all = dataset.responses_of(sample).unwrap_or(0);
        // Where a sample has rows of several files, each row is one response.
        match dataset.own_rows(sample) {
            Some(own) if dataset.spans_files() => all.min(own.count()),
            _ => all,
        }
    }

    /// Shows each sample as read, with what is said of it; returns their number.
    fn each(
        &self,
        wanted: &dyn Fn(usize) -> bool,
        show: &mut SampleVisitor<'_, 'a>,
    ) -> Result<usize, ExportError> {
        let mut samples = 0;
        let mut buffers = match self.format {
            Format::Csv | Format::Markdown | Format::Html => Buffers::with_fields(),
            Format::Original | Format::Reviewed => Buffers::default(),
        };
        for (sample, matched) in self.chosen() {
            if !wanted(samples) {
                return Err(ExportError::Stopped);
            }
            let reading = read(self.dataset, sample, &mut buffers)?;
            let key = SampleKey::of(&reading.body);
            let remark = remark(self.ledger, &reading.body);
            // Reviewers judged all responses; those of a file opened `--against` are not exported.
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

/// What is said of a sample, if anything that holds is.
fn remark<'l>(ledger: &'l Ledger, body: &SampleBody<'_>) -> Option<&'l SampleReview> {
    if ledger.is_empty() {
        return None; // and no key need be made
    }
    let remark = ledger.remark(&SampleKey::of(body)?)?;
    review::says_something(remark).then_some(remark)
}
