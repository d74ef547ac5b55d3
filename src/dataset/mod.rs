//! Files → rows → samples.
//!
//! A [`Dataset`] is a list of files and of immutable [`Chunk`]s of rows behind `Arc`s: cloning one
//! is cheap and gives a snapshot that other threads can read while the original grows. A [`Loader`]
//! fills it in the background.

mod apart;
mod check;
mod chunk;
mod columns;
mod compared;
mod count_texts;
mod empty_columns;
mod file_fields;
mod findings;
mod fingerprint;
mod group;
mod growth;
mod join;
mod joined_scans;
mod kept_columns;
mod key;
mod load;
mod load_joined;
mod matching;
mod overlap;
mod packed;
mod read;
mod remarks;
mod row_predicate;
mod sample_name;
mod sample_window;
mod scale;
mod scan;
mod scan_pace;
mod scan_rows;
mod shards;
mod stretch;
mod text_columns;
mod text_pass;
mod verdict;
mod wave_pipeline;
mod words;

use std::ops::Range;
use std::sync::Arc;

pub use chunk::{Chunk, LenientRows, SampleRows};
pub use columns::ChunkColumns;
pub use file_fields::FileFields;
pub use findings::{FoundFinding, FoundFindings, RuleStage, is_common};
pub use fingerprint::Fingerprint;
pub use growth::Growth;
pub use join::{JoinInput, JoinedFile};
pub use kept_columns::KeptColumns;
pub use key::SampleKey;
pub use load::{Listener, LoadError, LoadEvent, Loader};
pub use matching::JoinOn;
pub use overlap::PromptMatch;
pub use read::{Buffers, LoadedSample, SampleBody};
pub use row_predicate::{ResponseMask, ResponseMaskBuilder, RowPredicate};
pub use sample_name::SampleName;
pub use scale::scale_warning;
pub use scan_pace::ScanOptions;
pub use scan_rows::ScannedRows;
pub(crate) use shards::is_next_part;
pub use text_pass::TextPass;

use compared::ComparedSamples;

pub use crate::model::Record as Sample;
use crate::schema::Schema;
use crate::source::{Source, SourceError};

/// A file of the dataset.
#[derive(Debug, Clone)]
pub struct DatasetFile {
    /// Its bytes.
    pub source: Arc<Source>,
    /// Where things stand in its records.
    pub schema: Arc<Schema>,
    /// The fields of its records that the schema does not name.
    pub fields: Arc<FileFields>,
    /// What its rows are to the samples of the file before.
    pub relation: FileRelation,
    /// The split that it is a part of: a number that all parts have, and no other file.
    pub split: u32,
}

/// What the rows of a file are to the samples of the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRelation {
    /// Nothing: they make samples of their own.
    Separate,
    /// Responses of them.
    Against,
    /// It is the next part of a split: the first of them may be of the last sample, and those with
    /// the key of a group of that group.
    NextPart,
}

impl DatasetFile {
    /// What kind of records it has and, where they are no lines, what they stand in.
    pub fn title(&self) -> String {
        let title = &self.schema.definition().title;
        match self.source.note() {
            Some(note) => format!("{title} ({note})"),
            None => title.clone(),
        }
    }

    /// Whether its rows are responses of the samples of the file before.
    pub fn is_against(&self) -> bool {
        self.relation == FileRelation::Against
    }

    /// What its rows are counted as: lines, or elements of a list.
    pub fn unit(&self) -> &'static str {
        self.source.container().unit()
    }

    /// Its name without folders.
    pub fn short_name(&self) -> &str {
        let name = self.source.name();
        let last = name.rsplit(['/', '\\']).next();
        last.filter(|last| !last.is_empty()).unwrap_or(name)
    }
}

/// Where a row stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlace {
    /// Place of its file in [`Dataset::files`].
    pub file: usize,
    /// Row number in that file, from 1.
    pub row: u64,
    /// Physical line number in that file, from 1; what is counted there is `unit`.
    pub line: u64,
    /// What the file keeps its rows in: lines, or elements of a list.
    pub unit: &'static str,
    /// Its bytes in that file, with the line break and blank lines behind it.
    pub bytes: Range<u64>,
}

/// All rows and samples known so far.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    files: Vec<DatasetFile>,
    spans_files: bool,
    chunks: Vec<Arc<Chunk>>,
    rows: usize,
    samples: usize,
    malformed: usize,
    lenient: LenientRows,
    joined: Vec<Arc<JoinedFile>>,
    /// Shared by all clones: they are of one loading.
    compared: Arc<ComparedSamples>,
    findings: Arc<findings::FindingStore>,
}

impl Dataset {
    /// The files, in the order in which they were given.
    pub fn files(&self) -> &[DatasetFile] {
        &self.files
    }

    /// The files that are another of them once more, by the same name or not.
    pub fn repeated_files(&self) -> Vec<&DatasetFile> {
        let is_repeated = |(at, this): &(usize, &DatasetFile)| {
            let mut before = self.files[..*at].iter();
            before.any(|file| file.source.is_same_file(&this.source))
        };
        let files = self.files.iter().enumerate();
        files.filter(is_repeated).map(|(_, file)| file).collect()
    }

    /// Whether samples can have rows of several files.
    pub fn spans_files(&self) -> bool {
        self.spans_files
    }

    /// The file of a sample by its place in a chunk, from 0: that of its first row.
    pub fn file_of(&self, chunk: &Chunk, within: usize) -> usize {
        let rows = chunk.sample_rows(within).filter(|_| self.spans_files());
        let place = rows.and_then(|rows| self.place(rows.first()));
        place.map_or(chunk.file(), |place| place.file)
    }

    /// Everything that is read for it: its files, and those that are joined to it.
    pub fn sources(&self) -> impl Iterator<Item = &Arc<Source>> {
        let joined = self.joined.iter().map(|file| &file.source);
        self.files.iter().map(|file| &file.source).chain(joined)
    }

    /// What was loaded so far, in order: stretches of rows with the samples that each completes.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// Number of rows known.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of samples known.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Number of malformed rows known.
    pub fn malformed(&self) -> usize {
        self.malformed
    }

    /// Number of rows known that were read leniently.
    pub fn lenient_rows(&self) -> LenientRows {
        self.lenient
    }

    /// Adds what a loader reports, as far as that belongs to a dataset: the next file, the next rows,
    /// or what another file says of them.
    pub fn add(&mut self, report: &LoadEvent) {
        match report {
            LoadEvent::File(file) => self.add_file(file.clone()),
            LoadEvent::Chunk(chunk) => self.add_chunk(Arc::clone(chunk)),
            LoadEvent::Joined(file) => self.add_joined(Arc::clone(file)),
            LoadEvent::Trouble(_) | LoadEvent::Done => {}
        }
    }

    /// Adds the next file.
    pub fn add_file(&mut self, file: DatasetFile) {
        self.spans_files |= file.relation != FileRelation::Separate;
        self.files.push(file);
        self.forget_findings();
    }

    /// Adds the next rows; chunks come in the order in which the loader reports them.
    pub fn add_chunk(&mut self, chunk: Arc<Chunk>) {
        self.rows += chunk.rows();
        self.samples += chunk.samples();
        self.malformed += chunk.malformed();
        self.lenient += chunk.lenient_rows();
        self.chunks.push(chunk);
    }

    /// The number of the first sample of a file, by its place in [`Self::files`].
    pub fn first_sample_of(&self, file: usize) -> u32 {
        let chunk = self.chunks.iter().find(|chunk| chunk.file >= file);
        chunk.map_or(self.samples as u32, |chunk| chunk.first_sample)
    }

    /// The dataset without its last file, with what is known of all samples.
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
        let chunks = self.chunks.iter().filter(|chunk| chunk.file < last);
        chunks.for_each(|chunk| others.add_chunk(Arc::clone(chunk)));
        others
    }

    /// The rows of a sample, counted over the whole dataset from 0.
    pub fn sample_rows(&self, sample: usize) -> Option<SampleRows<'_>> {
        let (chunk, within) = self.chunk_of(sample)?;
        chunk.sample_rows(within)
    }

    /// The rows of a sample without those of a file opened `--against`, which come after them; `None`
    /// if it has no others.
    pub fn own_rows(&self, sample: usize) -> Option<SampleRows<'_>> {
        let rows = self.sample_rows(sample)?;
        let file = |row| self.files.get(self.place(row)?.file);
        let is_own =
            |row: &u32| !self.spans_files || !file(*row).is_some_and(DatasetFile::is_against);
        rows.first_rows(rows.iter().take_while(is_own).count())
    }

    /// The chunk that a sample is in, with the sample's place in it.
    pub fn chunk_of(&self, sample: usize) -> Option<(&Chunk, usize)> {
        // Chunks without samples share their number with the next one: the last of them is the one
        // that has it.
        let chunk = &self.chunks[self.chunk_place(sample)?];
        let within = sample - chunk.first_sample as usize;
        (within < chunk.samples()).then_some((&**chunk, within))
    }

    /// The chunks that have any of some samples.
    pub fn chunks_of(&self, samples: &Range<usize>) -> &[Arc<Chunk>] {
        let chunks = self.chunks();
        let end = |chunk: &Chunk| chunk.first_sample() + chunk.samples();
        let first = chunks.partition_point(|chunk| end(chunk) <= samples.start);
        let last = chunks.partition_point(|chunk| chunk.first_sample() < samples.end);
        chunks.get(first..last).unwrap_or_default()
    }

    /// How many responses a sample has, 0 where it is a malformed row; `None` when there is none
    /// with that number.
    pub fn responses_of(&self, sample: usize) -> Option<usize> {
        let (chunk, within) = self.chunk_of(sample)?;
        chunk
            .columns
            .responses
            .get(within)
            .copied()
            .map(usize::from)
    }

    /// The most responses that a sample has: goes over all samples where a schema allows for more
    /// than two.
    pub fn most_responses(&self) -> usize {
        let allowed = self.files.iter().map(|file| file.schema.most_responses());
        let allowed = allowed.max().unwrap_or(0);
        if allowed <= 2 {
            return allowed;
        }
        let chunks = self.chunks.iter();
        let most = chunks.filter_map(|chunk| chunk.columns.responses.iter().max());
        most.max().copied().map_or(0, usize::from)
    }

    /// Where a row, counted over the whole dataset from 0, stands.
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

    /// The chunk that a row is in, with the row's place in it.
    fn chunk_of_row(&self, row: u32) -> Option<(&Chunk, usize)> {
        let index = self
            .chunks
            .partition_point(|chunk| chunk.first_row <= row)
            .checked_sub(1)?;
        let chunk = &self.chunks[index];
        let within = (row - chunk.first_row) as usize;
        (within < chunk.rows()).then_some((&**chunk, within))
    }

    /// Whether everything that was read of the files until now was read of one and the same
    /// content: to be asked before a result is told.
    ///
    /// # Errors
    /// The first file that was written to meanwhile.
    pub fn check_unchanged(&self) -> Result<(), SourceError> {
        self.sources()
            .try_for_each(|source| source.check_unchanged())
    }

    /// The sample that a row of a file (by its place in [`Self::files`] and its number from 1)
    /// belongs to; `None` where there is no such row, or its sample is not complete yet.
    pub fn sample_of_row(&self, file: usize, row: u64) -> Option<usize> {
        let of_file = |chunk: &&Arc<Chunk>| chunk.file == file && chunk.first_row_in_file < row;
        let at = self.chunks.iter().rposition(|chunk| of_file(&chunk))?;
        let chunk = &self.chunks[at];
        let within = u32::try_from(row - chunk.first_row_in_file - 1)
            .ok()
            .filter(|&row| (row as usize) < chunk.rows())?;
        let number = chunk.first_row + within;
        // A sample is completed by the chunk with its last row, or by one behind it.
        self.chunks[at..].iter().find_map(|chunk| {
            let mut samples = chunk.samples.iter();
            let place = samples.position(|rows| rows.iter().any(|row| row == number))?;
            Some(chunk.first_sample() + place)
        })
    }

    /// Number of bytes that reading a sample fetches; 0 when there is no such sample.
    pub fn sample_bytes(&self, sample: usize) -> u64 {
        let rows = self
            .sample_rows(sample)
            .into_iter()
            .flat_map(SampleRows::iter);
        rows.filter_map(|row| self.place(row))
            .map(|place| place.bytes.end - place.bytes.start)
            .sum()
    }

    /// How much of all files was taken in, 0 to 1; `None` while that cannot be known (a pipe has no
    /// size).
    pub fn progress(&self) -> Option<f64> {
        let (mut done, mut all) = (0, 0);
        for (index, file) in self.files.iter().enumerate() {
            let taken = file.source.progress();
            let of = taken.of?;
            let scanned = self
                .chunks
                .iter()
                .rev()
                .find(|chunk| chunk.file == index)
                .map_or(0, |chunk| chunk.end);
            // A plain file is there at once and waits for the scan, a compressed one waits for its
            // decoder.
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
