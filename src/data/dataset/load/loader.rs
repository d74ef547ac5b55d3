//! Loads a dataset in the background: opens files, detects their schemas, scans and groups rows,
//! and reports events.
//!
//! Events arrive in order and suffice to build the dataset: each file, then its chunks. The first
//! chunks are small so that the user can start reading. `join/load_joined.rs` opens all files first,
//! so that wrong names are reported immediately. They are read one after the other, so that rows
//! appear while a later pipe is silent. All cores scan waves of segments ([`super::waves`]), while earlier
//! ones are joined, which is cheap.

use std::sync::Arc;

use super::chunk::{Chunk, MAX_ROWS, SampleList};
use super::events::{Listener, LoadError, LoadEvent, report};
use super::group::Grouper;
use super::row_batch::ChunkRows;
use super::sample_window::{POLL_INTERVAL, schema_of};
use super::scan::{FileRows, KeptColumns, Scan};
use super::shards::{is_next_part, splits};
use super::waves::{ScanPace, ScannedWave, Waves};
use crate::dataset::{DatasetFile, FileFields, FileRelation};
use crate::model::ResponseId;
use crate::parallel::with_other_cores;
use crate::schema::{Path, Schema, SchemaChoice};
use crate::source::{Extent, Input, RowSearch, Source};

/// Maximum number of files, the current one included, that are decoded at a time if there are many.
const DECODED_AHEAD: usize = 8;

/// Maximum samples of a chunk when samples are completed at the end of a file (with group keys, all
/// of them).
const LAST_SAMPLES: usize = 64 << 10;

/// A file to join.
#[derive(Debug, Clone)]
pub struct JoinInput {
    /// Prefix of its columns; defaults to the file name.
    pub name: Option<String>,
    /// The file.
    pub input: Input,
    /// How to choose its schema.
    pub choice: SchemaChoice,
}

/// How the rows of two files are matched.
#[derive(Debug, Clone, Default)]
pub enum JoinOn {
    /// By prompt and response, in any order of the responses.
    #[default]
    Content,
    /// By row number.
    Row,
    /// By the value of a field that exists in both files.
    Field(Path),
}

/// What to load, and how.
#[derive(Debug, Clone, Default)]
pub struct Loader {
    /// Files, in order.
    pub inputs: Vec<Input>,
    /// How to choose their schema.
    pub choice: SchemaChoice,
    /// Files to join.
    pub joins: Vec<JoinInput>,
    /// How to match joined files.
    pub join_on: JoinOn,
    /// Fields by which rows are grouped into samples, in any order of rows; an empty list means the
    /// prompt. If `None`, the schema defines which rows make a sample.
    pub group_by: Option<Vec<Path>>,
    /// Whether samples combine the rows of two inputs, grouped by [`Self::group_by`]. Otherwise
    /// each input has separate samples.
    pub is_against: bool,
    /// Whether the last input is compared with the others, which then count as one split.
    pub is_last_apart: bool,
    /// Whether the inputs grow while they are open.
    pub follow: bool,
}

impl Loader {
    /// Iterates over all inputs: files of the dataset, and joined ones.
    pub fn all_inputs(&self) -> impl Iterator<Item = &Input> {
        let joins = self.joins.iter().map(|join| &join.input);
        self.inputs.iter().chain(joins)
    }

    /// Loads open files and reports all events except [`LoadEvent::Done`].
    ///
    /// # Errors
    /// As [`Self::run`], and [`LoadError::Stopped`] if cancelled.
    pub(in crate::dataset) fn load_at(
        &self,
        pace: ScanPace,
        sources: &[Arc<Source>],
        listener: &mut dyn Listener,
    ) -> Result<(), LoadError> {
        let mut rows = LoadPosition::new(pace, listener);
        let mut splits = splits(sources.iter().map(|source| source.name()));
        if let Some((last, others)) = splits.split_last_mut().filter(|_| self.is_last_apart) {
            // A prompt has one leak; it must be into the last file.
            others.fill(0);
            *last = sources.len() as u32;
        }
        let mut first = None;
        for (place, source) in sources.iter().enumerate() {
            sources
                .iter()
                .skip(place)
                .take(DECODED_AHEAD)
                .for_each(|source| source.start_decoding());
            let chosen = self
                .schema_after(rows.open.as_ref(), source, rows.listener)
                .and_then(|schema| self.joint_schema(source, schema, &mut first));
            match chosen {
                Ok(schema) => {
                    let is_of_split = splits.get(place + 1) == splits.get(place);
                    let next = sources.get(place + 1);
                    let next = next.map_or(FileRelation::Separate, |next| {
                        self.relation(source, next, is_of_split)
                    });
                    let file = DatasetFile {
                        source: Arc::clone(source),
                        fields: FileFields::new(Arc::clone(source), &schema).into(),
                        schema,
                        relation: FileRelation::Separate,
                        split: splits.get(place).copied().unwrap_or_default(),
                    };
                    rows.take_file(file, next)?;
                }
                // Without one of the two files, no sample is complete.
                Err(error) if self.is_against || matches!(error, LoadError::Stopped) => {
                    return Err(error);
                }
                // If the file changed meanwhile, report that instead.
                Err(error) if rows.next.first_row == 0 => {
                    return Err(source.check_unchanged().map_or_else(Into::into, |()| error));
                }
                Err(error) => {
                    rows.finish()?;
                    report(rows.listener, LoadEvent::Error(error))?;
                }
            }
        }
        rows.finish()
    }

    /// Returns how the rows of a file can relate to the samples of the previous one, judging by
    /// names and options.
    fn relation(&self, before: &Source, file: &Source, is_of_split: bool) -> FileRelation {
        if self.is_against {
            FileRelation::Against
        } else if self.group_by.is_some() || is_of_split && is_next_part(before.name(), file.name())
        {
            FileRelation::NextPart
        } else {
            FileRelation::Separate
        }
    }

    /// Returns the schema of a file: that of the previous file if this is the next part of its
    /// split and that schema can read it, otherwise its own.
    fn schema_after(
        &self,
        before: Option<&(FileCursor, FileRelation)>,
        source: &Source,
        listener: &dyn Listener,
    ) -> Result<Arc<Schema>, LoadError> {
        if let Some((before, FileRelation::NextPart)) = before {
            let choice = SchemaChoice::Named(Arc::clone(&before.file.schema));
            if let Ok(schema) = schema_of(&choice, source, listener) {
                return Ok(schema);
            }
        }
        schema_of(&self.choice, source, listener)
    }

    /// Returns the schema changed to group rows, if rows are grouped. `first` is the schema of the
    /// first file if rows of several files are grouped.
    fn joint_schema(
        &self,
        source: &Source,
        schema: Arc<Schema>,
        first: &mut Option<Arc<Schema>>,
    ) -> Result<Arc<Schema>, LoadError> {
        let Some(fields) = &self.group_by else {
            return Ok(schema);
        };
        let refused = |reason: String| LoadError::rows(source, reason);
        let title = &schema.definition().title;
        if let Some(first) = first {
            return if first.definition().title == *title {
                Ok(Arc::clone(first))
            } else {
                Err(refused(format!(
                    "its rows are {title}, but those of the other file are {}; choose one layout with --schema or --map",
                    first.definition().title
                )))
            };
        }
        let advice = if self.is_against {
            "; match rows with one response by a field (--on FIELD)"
        } else {
            "; read it without --group-by"
        };
        // Rows of two files are matched response by response.
        let can_join = !self.is_against || schema.responses() == 1;
        let joint = can_join
            .then(|| schema.grouped(fields))
            .flatten()
            .ok_or_else(|| {
                refused(format!(
                    "its rows ({title}) do not contain one response to one prompt each{advice}"
                ))
            })?;
        let joint = Arc::new(joint);
        if self.is_against {
            *first = Some(Arc::clone(&joint));
        }
        Ok(joint)
    }
}

/// Returns how to search for rows with this choice of schema.
pub fn row_search(choice: &SchemaChoice) -> RowSearch {
    let choice = choice.clone();
    RowSearch::new(move |line| choice.reads(line))
}

/// Opens an input with this choice of schema.
///
/// # Errors
/// If it cannot be opened.
pub fn open_input(input: &Input, choice: &SchemaChoice) -> Result<Arc<Source>, LoadError> {
    Ok(Source::open_rows(input, row_search(choice))?)
}

/// The loader's position in the dataset.
struct LoadPosition<'l> {
    listener: &'l mut dyn Listener,
    pace: ScanPace,
    /// Number of files so far.
    files: usize,
    /// The next chunk: where it begins, and its rows and samples so far.
    next: Chunk,
    /// The previous file, if its samples may get rows of the next one, and how these relate to it.
    open: Option<(FileCursor, FileRelation)>,
}

/// A file whose rows are loaded.
struct FileCursor {
    file: DatasetFile,
    /// Whether its rows can be read again.
    is_read_again: bool,
    grouper: Grouper,
    /// Values of the next chunk's rows, and of the rows that wait in the grouper.
    rows: ChunkRows,
    /// Whether its read error was reported.
    broken_off: bool,
}

impl<'l> LoadPosition<'l> {
    /// Creates the position before the first file.
    fn new(pace: ScanPace, listener: &'l mut dyn Listener) -> Self {
        Self {
            listener,
            pace,
            files: 0,
            next: Chunk::default(),
            open: None,
        }
    }

    /// Loads the rows of a file. `relation` says how those of the next one can relate to its
    /// samples.
    fn take_file(
        &mut self,
        mut file: DatasetFile,
        relation: FileRelation,
    ) -> Result<(), LoadError> {
        if let Some((before, can_be)) = &self.open
            && before.file.schema.definition() == file.schema.definition()
        {
            file.relation = *can_be;
            file.schema = Arc::clone(&before.file.schema);
        } else {
            self.finish()?;
        }
        report(self.listener, LoadEvent::File(file.clone()))?;
        self.next = Chunk {
            file: self.files,
            first_row: self.next.first_row,
            first_sample: self.next.first_sample,
            samples: SampleList::of(&file.schema),
            ..Chunk::default()
        };
        self.files += 1;
        let options = self.listener.scan_options(&file);
        let (grouper, rows) = match self.open.take() {
            Some((before, _)) => (before.grouper, before.rows),
            None => {
                let schema = &file.schema;
                let kept = options.kept;
                let kept = kept.unwrap_or_else(|| Arc::new(KeptColumns::all(schema)));
                let rows = ChunkRows::new(schema, &kept, self.next.first_row);
                (Grouper::new(schema), rows)
            }
        };
        let kept = Arc::clone(rows.kept());
        let mut place = FileCursor {
            file: file.clone(),
            is_read_again: options.is_read_again,
            grouper,
            rows,
            broken_off: false,
        };
        let rows = FileRows {
            schema: &file.schema,
            predicate: options.predicate.as_deref(),
            kept: &kept,
            is_read_again: options.is_read_again,
        };
        with_other_cores(|cores| {
            let waves = Waves::new(cores, self.pace, &file.source, rows);
            self.take_waves(&mut place, waves)
        })?;
        self.open = Some((place, relation));
        match relation {
            FileRelation::Separate => self.finish(),
            _ => Ok(()),
        }
    }

    /// Reports the samples of the previous file that wait for more rows.
    fn finish(&mut self) -> Result<(), LoadError> {
        let Some((mut place, _)) = self.open.take() else {
            return Ok(());
        };
        place.grouper.finish(&mut self.next.samples);
        // Reports at least one chunk, which signals the end of the file.
        self.report_chunks(&mut place, LAST_SAMPLES)
    }

    /// Loads all complete lines of a file.
    fn take_waves(
        &mut self,
        place: &mut FileCursor,
        mut waves: Waves<'_, '_>,
    ) -> Result<(), LoadError> {
        // This many bytes are known not to contain another complete line.
        let mut too_few = 0;
        loop {
            let extent = self.wait_for_more(place, too_few)?;
            // After a panic of a scan, it resumes once all other scans have ended.
            let wave = waves.next(extent).ok_or(LoadError::Stopped)?;
            match wave {
                Ok(Some(wave)) => {
                    self.take_wave(place, wave)?;
                    too_few = self.next.base;
                }
                Ok(None) if extent.complete => return Ok(()),
                Ok(None) => too_few = extent.len,
                Err(error) => return report(self.listener, LoadEvent::Error(error.into())),
            }
        }
    }

    /// Waits for more than `too_few` bytes and returns how far the file can be scanned.
    fn wait_for_more(&mut self, place: &mut FileCursor, too_few: u64) -> Result<Extent, LoadError> {
        let source = &place.file.source;
        let mut extent = source.extent();
        while extent.len <= too_few && !extent.complete && !place.broken_off {
            if !self.listener.keep_going() {
                return Err(LoadError::Stopped);
            }
            extent = match source.wait_beyond(extent.len, POLL_INTERVAL) {
                Ok(extent) => extent,
                Err(error) => {
                    report(self.listener, LoadEvent::Error(error.into()))?;
                    place.broken_off = true;
                    source.extent()
                }
            };
        }
        // No bytes follow after a read error.
        extent.complete |= place.broken_off;
        Ok(extent)
    }

    /// Reports the lines of a wave as one chunk.
    fn take_wave(
        &mut self,
        place: &mut FileCursor,
        (lines, scans): ScannedWave,
    ) -> Result<(), LoadError> {
        let chunk = &mut self.next;
        chunk.end = lines.end;
        for scan in &scans {
            let first_row = chunk.first_row as usize + chunk.starts.len();
            if (first_row + scan.starts.len()) as u64 > MAX_ROWS {
                let reason = "more than 4,294,967,294 rows; split the files";
                return Err(LoadError::rows(&place.file.source, reason.to_owned()));
            }
            add(scan, chunk);
            place.rows.add(&scan.packed);
            place
                .grouper
                .take(scan, first_row as u32, &mut chunk.samples);
        }
        let done = self.report_chunks(place, usize::MAX);
        let source = &place.file.source;
        source.evict(lines.clone());
        if !place.is_read_again {
            source.release(lines.end);
        }
        done
    }

    /// Reports the next chunk, as several of at most `most` samples; the first has all rows.
    fn report_chunks(&mut self, place: &mut FileCursor, most: usize) -> Result<(), LoadError> {
        let (schema, next) = (&place.file.schema, &mut self.next);
        next.blanks.shrink_to_fit();
        next.malformed.shrink_to_fit();
        next.answers.shrink_to_fit();
        let samples = std::mem::take(&mut next.samples);
        let parts = if most == usize::MAX && schema.most_responses() <= ResponseId::LETTERED {
            vec![samples]
        } else {
            let parts = samples.even_parts(most, |sample| place.rows.responses_of(sample));
            parts.into_iter().map(|part| samples.part(part)).collect()
        };
        let mut chunks = Vec::with_capacity(parts.len());
        for samples in parts {
            next.columns = place.rows.columns(schema, &samples);
            next.samples = samples;
            let after = Chunk {
                file: next.file,
                first_row: next.first_row + next.starts.len() as u32,
                first_row_in_file: next.first_row_in_file + next.starts.len() as u64,
                first_sample: next.first_sample + next.samples.len() as u32,
                first_line: next.line(next.rows()),
                base: next.end,
                end: next.end,
                samples: SampleList::of(schema),
                ..Chunk::default()
            };
            chunks.push(std::mem::replace(next, after));
        }
        let open = place.grouper.open();
        place.rows.carry(schema, open, next.first_row);
        chunks
            .into_iter()
            .try_for_each(|chunk| report(self.listener, LoadEvent::Chunk(Arc::new(chunk))))
    }
}

/// Adds the rows of the next segment to a chunk.
fn add(scan: &Scan, chunk: &mut Chunk) {
    let rows = chunk.starts.len() as u32;
    let blank = chunk.blanks.last().map_or(0, |&(_, count)| count);
    let blanks = scan.blanks.iter();
    let blanks = blanks.map(|&(row, count)| (row + rows, count + blank));
    chunk.blanks.extend(blanks);
    let malformed = scan.malformed.iter().map(|row| row + rows);
    chunk.malformed.extend(malformed);
    chunk.starts.extend(&scan.starts);
    chunk.hashes.extend(&scan.hashes);
    chunk.lenient += scan.lenient;
    chunk.texts.extend(&scan.texts);
    chunk.answers.extend(&scan.answers);
}
