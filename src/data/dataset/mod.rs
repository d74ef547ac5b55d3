//! Files → rows → samples.
//!
//! A [`Dataset`] is a list of files and of immutable [`Chunk`]s of rows in `Arc`s. Cloning it is
//! cheap and gives a snapshot that other threads can read while the original grows. A [`Loader`]
//! fills it in the background.

mod compare;
mod join;
mod joined_file;
mod load;
mod raters;
mod read;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

pub use compare::findings::{FoundFinding, FoundFindings, RuleStage};
pub use compare::overlap::PromptMatch;
pub use compare::text_pass::TextPass;
pub use joined_file::JoinedFile;
pub use load::chunk::{Chunk, ChunkColumns, LenientRows, MAX_ROWS, ROW_BYTES, SampleRows};
pub use load::events::{Listener, LoadError, LoadEvent};
pub use load::file_fields::FileFields;
pub use load::growth::Growth;
pub use load::loader::{JoinInput, JoinOn, Loader, open_input};
pub use load::row_predicate::{ResponseMask, ResponseMaskBuilder, RowPredicate};
pub use load::sample_window::first_lines;
pub use load::scan::{KeptColumns, ScanOptions};
pub(crate) use load::shards::is_next_part;
pub use raters::DatasetRater;
pub use read::fingerprint::Fingerprint;
pub use read::key::SampleKey;
pub use read::sample::{Buffers, LoadedSample, SampleBody};
pub use read::sample_name::SampleName;
pub use read::scan_rows::ScannedRows;

use compare::comparisons::ComparedSamples;

pub use crate::model::Record as Sample;
use crate::schema::Schema;
use crate::source::{Source, SourceError};

/// A file of the dataset.
#[derive(Debug, Clone)]
pub struct DatasetFile {
    /// Its bytes.
    pub source: Arc<Source>,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// Fields of its records that the schema does not name.
    pub fields: Arc<FileFields>,
    /// How its rows relate to the samples of the previous file.
    pub relation: FileRelation,
    /// Number of the split to which it belongs; equal for all parts of a split.
    pub split: u32,
}

/// How the rows of a file relate to the samples of the previous file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRelation {
    /// Not at all: they make separate samples.
    Separate,
    /// They are further responses of these samples.
    Against,
    /// It is the next part of a split: its first rows may belong to the last sample, and rows with
    /// a group key to that group.
    NextPart,
}

impl DatasetFile {
    /// Returns the kind of its records and, unless rows are lines, their container.
    pub fn title(&self) -> String {
        let title = &self.schema.definition().title;
        match self.source.note() {
            Some(note) => format!("{title} ({note})"),
            None => title.clone(),
        }
    }

    /// True if its rows are further responses of the previous file's samples.
    pub fn is_against(&self) -> bool {
        self.relation == FileRelation::Against
    }

    /// Returns what its rows are counted as: lines, or elements of a list.
    pub fn unit(&self) -> &'static str {
        self.source.container().unit()
    }

    /// Returns its [short name](Source::short_name).
    pub fn short_name(&self) -> &str {
        self.source.short_name()
    }
}

/// The place of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlace {
    /// Index of its file in [`Dataset::files`].
    pub file: usize,
    /// Row number in that file, from 1.
    pub row: u64,
    /// Line number in that file, from 1; counted in `unit`.
    pub line: u64,
    /// What the file stores rows in: lines, or elements of a list.
    pub unit: &'static str,
    /// Its bytes in that file, including the line break and blank lines after it.
    pub bytes: Range<u64>,
}

/// All rows and samples known so far.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    files: Vec<DatasetFile>,
    spans_files: bool,
    /// What is doubtful about the first doubtful guess, safe to show.
    doubts: Option<Arc<str>>,
    chunks: Vec<Arc<Chunk>>,
    rows: usize,
    samples: usize,
    malformed: usize,
    lenient: LenientRows,
    joined: Vec<Arc<JoinedFile>>,
    /// Shared by all snapshots of one load.
    compared: Arc<ComparedSamples>,
    findings: Arc<compare::findings::FindingStore>,
}

impl Dataset {
    /// Returns the files, in the order given.
    pub fn files(&self) -> &[DatasetFile] {
        &self.files
    }

    /// Returns the files that are given more than once, under the same name or another.
    pub fn repeated_files(&self) -> Vec<&DatasetFile> {
        let mut before = HashSet::new();
        let mut is_repeated =
            |file: &&DatasetFile| (file.source.identity()).is_some_and(|it| !before.insert(it));
        self.files.iter().filter(|file| is_repeated(file)).collect()
    }

    /// Returns what is doubtful about a guessed layout, safe to show; `None` if nothing is.
    pub fn doubts(&self) -> Option<&str> {
        self.doubts.as_deref()
    }

    /// True if samples can have rows of several files.
    pub fn spans_files(&self) -> bool {
        self.spans_files
    }

    /// Returns the file of a sample's first row, by index in a chunk.
    pub fn file_of(&self, chunk: &Chunk, within: usize) -> usize {
        let rows = chunk.sample_rows(within).filter(|_| self.spans_files());
        let place = rows.and_then(|rows| self.place(rows.first()));
        place.map_or(chunk.file(), |place| place.file)
    }

    /// Iterates over all sources: of its files, and of joined ones.
    pub fn sources(&self) -> impl Iterator<Item = &Arc<Source>> {
        let joined = self.joined.iter().map(|file| &file.source);
        self.files.iter().map(|file| &file.source).chain(joined)
    }

    /// Returns the chunks loaded so far, in order.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// Returns the chunks of a file (index in [`Self::files`]).
    pub fn chunks_of_file(&self, file: usize) -> &[Arc<Chunk>] {
        let before = |file| self.chunks.partition_point(|chunk| chunk.file < file);
        &self.chunks[before(file)..before(file + 1)]
    }

    /// Returns the number of rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of samples so far.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Returns the number of malformed rows so far.
    pub fn malformed(&self) -> usize {
        self.malformed
    }

    /// Returns the number of rows so far that were read leniently.
    pub fn lenient_rows(&self) -> LenientRows {
        self.lenient
    }

    /// Adds a loader's event if it belongs to a dataset: the next file, the next rows, or a joined
    /// file.
    pub fn add(&mut self, report: &LoadEvent) {
        match report {
            LoadEvent::File(file) => self.add_file(file.clone()),
            LoadEvent::Chunk(chunk) => self.add_chunk(Arc::clone(chunk)),
            LoadEvent::Joined(file) => self.add_joined(Arc::clone(file)),
            LoadEvent::Error(_) | LoadEvent::Done => {}
        }
    }

    /// Adds the next file.
    pub fn add_file(&mut self, file: DatasetFile) {
        self.spans_files |= file.relation != FileRelation::Separate;
        // Every frame asks, so files are not searched then.
        let guess = file.schema.definition().guess.as_ref();
        let doubts: Vec<_> = guess
            .iter()
            .flat_map(|guess| &guess.doubts)
            .map(|doubt| &*doubt.what)
            .collect();
        if self.doubts.is_none() && !doubts.is_empty() {
            self.doubts = Some(doubts.join("; ").into());
        }
        self.files.push(file);
        self.forget_findings();
    }

    /// Adds the next rows. Chunks must be added in the order in which the loader reports them.
    pub fn add_chunk(&mut self, chunk: Arc<Chunk>) {
        self.rows += chunk.rows();
        self.samples += chunk.samples();
        self.malformed += chunk.malformed();
        self.lenient += chunk.lenient;
        self.chunks.push(chunk);
    }

    /// Returns the number of the first sample of a file (index in [`Self::files`]).
    pub fn first_sample_of(&self, file: usize) -> u32 {
        let chunk = self.chunks.iter().find(|chunk| chunk.file >= file);
        chunk.map_or(self.samples as u32, |chunk| chunk.first_sample)
    }

    /// Returns the dataset without its last file, with all other results kept.
    #[must_use]
    pub fn without_last_file(&self) -> Self {
        let last = self.files.len().saturating_sub(1);
        let mut others = Self {
            files: self.files.iter().take(last).cloned().collect(),
            spans_files: self.spans_files,
            joined: self.joined.clone(),
            compared: Arc::clone(&self.compared),
            findings: Arc::clone(&self.findings),
            ..Self::default()
        };
        self.chunks
            .iter()
            .filter(|chunk| chunk.file < last)
            .for_each(|chunk| others.add_chunk(Arc::clone(chunk)));
        others
    }

    /// Returns the rows of a sample, numbered over the whole dataset from 0.
    pub fn sample_rows(&self, sample: usize) -> Option<SampleRows<'_>> {
        let (chunk, within) = self.chunk_of(sample)?;
        chunk.sample_rows(within)
    }

    /// Returns the rows of a sample without those of a file opened with `--against`, which follow
    /// them; `None` if it has no others.
    pub fn own_rows(&self, sample: usize) -> Option<SampleRows<'_>> {
        let rows = self.sample_rows(sample)?;
        let file = |row| self.files.get(self.place(row)?.file);
        let is_own =
            |row: &u32| !self.spans_files || !file(*row).is_some_and(DatasetFile::is_against);
        rows.first_rows(rows.iter().take_while(is_own).count())
    }

    /// Returns the chunk that contains a sample, and the sample's index in it.
    pub fn chunk_of(&self, sample: usize) -> Option<(&Chunk, usize)> {
        // Chunks without samples share their number with the next one; the last of them contains
        // the sample.
        let is_begun = |chunk: &Arc<Chunk>| chunk.first_sample() <= sample;
        let chunk = &self.chunks[self.chunks.partition_point(is_begun).checked_sub(1)?];
        let within = sample - chunk.first_sample as usize;
        (within < chunk.samples()).then_some((&**chunk, within))
    }

    /// Returns the chunks that contain a range of samples.
    pub fn chunks_of(&self, samples: &Range<usize>) -> &[Arc<Chunk>] {
        let chunks = self.chunks();
        let end = |chunk: &Chunk| chunk.first_sample() + chunk.samples();
        let first = chunks.partition_point(|chunk| end(chunk) <= samples.start);
        let last = chunks.partition_point(|chunk| chunk.first_sample() < samples.end);
        chunks.get(first..last).unwrap_or_default()
    }

    /// Returns the number of responses of a sample, 0 for a malformed row; `None` if there is no
    /// such sample.
    pub fn responses_of(&self, sample: usize) -> Option<usize> {
        let (chunk, within) = self.chunk_of(sample)?;
        Some(chunk.responses_of(within))
    }

    /// Returns the maximum number of responses of a sample. Iterates over all samples if a schema
    /// allows more than two.
    pub fn most_responses(&self) -> usize {
        let allowed = self
            .files
            .iter()
            .map(|file| file.schema.most_responses())
            .max()
            .unwrap_or(0);
        if allowed <= 2 {
            return allowed;
        }
        self.chunks
            .iter()
            .filter_map(|chunk| chunk.columns.responses.iter().max())
            .max()
            .copied()
            .map_or(0, usize::from)
    }

    /// Returns the place of a row, numbered over the whole dataset from 0.
    pub fn place(&self, row: u32) -> Option<RowPlace> {
        let (chunk, within) = self.chunk_of_row(row)?;
        Some(RowPlace {
            file: chunk.file,
            row: chunk.first_row_in_file + within as u64 + 1,
            line: chunk.line(within) + 1,
            unit: self
                .files
                .get(chunk.file)
                .map_or("line", |file| file.unit()),
            bytes: chunk.bytes(within),
        })
    }

    /// Returns the chunk that contains a row, and the row's index in it.
    fn chunk_of_row(&self, row: u32) -> Option<(&Chunk, usize)> {
        let index = self
            .chunks
            .partition_point(|chunk| chunk.first_row <= row)
            .checked_sub(1)?;
        let chunk = &self.chunks[index];
        let within = (row - chunk.first_row) as usize;
        (within < chunk.rows()).then_some((&**chunk, within))
    }

    /// Checks that no file changed since it was opened. Call this before reporting a result.
    ///
    /// # Errors
    /// The first file that was written to meanwhile.
    pub fn check_unchanged(&self) -> Result<(), SourceError> {
        self.sources()
            .try_for_each(|source| source.check_unchanged())
    }

    /// Returns the sample of a row, given the index of its file in [`Self::files`] and its number
    /// from 1. `None` if there is no such row or its sample is incomplete.
    pub fn sample_of_row(&self, file: usize, row: u64) -> Option<usize> {
        let is_before = |chunk: &Arc<Chunk>| (chunk.file, chunk.first_row_in_file) < (file, row);
        let at = self.chunks.partition_point(is_before).checked_sub(1)?;
        let chunk = (self.chunks.get(at)).filter(|chunk| chunk.file == file)?;
        let within = u32::try_from(row - chunk.first_row_in_file - 1)
            .ok()
            .filter(|&row| (row as usize) < chunk.rows())?;
        let number = chunk.first_row + within;
        // A sample is completed by the chunk with its last row, or by a later one.
        self.chunks[at..].iter().find_map(|chunk| {
            let place = chunk
                .samples
                .iter()
                .position(|rows| rows.iter().any(|row| row == number))?;
            Some(chunk.first_sample() + place)
        })
    }

    /// Returns the number of bytes that reading a sample fetches; 0 if there is no such sample.
    pub fn sample_bytes(&self, sample: usize) -> u64 {
        self.sample_rows(sample)
            .into_iter()
            .flat_map(SampleRows::iter)
            .filter_map(|row| self.place(row))
            .map(|place| place.bytes.end - place.bytes.start)
            .sum()
    }

    /// Returns the loaded share of all files, 0 to 1; `None` while it is unknown (pipes have no
    /// size).
    pub fn progress(&self) -> Option<f64> {
        let (mut done, mut all) = (0, 0);
        let mut ends = vec![0; self.files.len()];
        for chunk in &self.chunks {
            ends[chunk.file] = chunk.end;
        }
        for (file, scanned) in self.files.iter().zip(ends) {
            let taken = file.source.progress();
            let of = taken.of?;
            // A plain file is available immediately and waits for the scan; a compressed one waits
            // for its decoder.
            done += if file.source.is_as_stored() {
                scanned
            } else {
                taken.read
            };
            all += of;
        }
        (all > 0).then(|| done as f64 / all as f64)
    }
}

#[cfg(test)]
pub(crate) mod tests;
