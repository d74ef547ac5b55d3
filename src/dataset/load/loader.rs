//! Loads a dataset in the background: opens files, detects their schemas, scans and groups rows,
//! and reports events.
//!
//! Events arrive in order and suffice to build the dataset: each file, then its chunks. The first
//! chunks are small so that the user can start reading. All files are opened first, so that wrong
//! names are reported immediately. They are read one after the other, so that rows appear while a
//! later pipe is silent. All cores scan waves of segments ([`super::waves`]), while earlier
//! ones are joined, which is cheap.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::chunk::{Chunk, SampleList};
use super::group::Grouper;
use super::joined_scans::JoinedScans;
use super::row_batch::{ChunkRows, OpenBatch};
use super::sample_window::SampleWindow;
use super::scan_options::{KeptColumns, ScanOptions};
use super::shards::{is_next_part, splits};
use super::waves::{ScanPace, ScannedWave, Waves};
use crate::dataset::join::joined_file::{JoinInput, JoinedFile};
use crate::dataset::join::load_joined::{Joiner, OpenedJoin, RecordingListener};
use crate::dataset::join::matching::JoinOn;
use crate::dataset::{Dataset, DatasetFile, FileFields, FileRelation};
use crate::parallel::with_other_cores;
use crate::schema::{Path, Schema, SchemaChoice, SchemaChoiceError};
use crate::source::{Extent, Input, Piece, RowSearch, Source, SourceError};

/// Poll interval for cancellation while waiting for more bytes.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum samples of a chunk when samples are completed at the end of a file (with group keys, all
/// of them).
const LAST_SAMPLES: usize = 64 << 10;
/// Maximum number of files, the current one included, that are decoded at a time if there are many.
const DECODED_AHEAD: usize = 8;
/// If no bytes arrive for this long, a schema is guessed from the available lines.
const PAUSE_BEFORE_GUESS: Duration = Duration::from_millis(300);

/// An event of the loader.
#[derive(Debug)]
pub enum LoadEvent {
    /// The next file of the dataset.
    File(DatasetFile),
    /// The next rows.
    Chunk(Arc<Chunk>),
    /// A joined file, matched with all samples; follows their last rows.
    Joined(Arc<JoinedFile>),
    /// A file ends prematurely (a truncated archive, a failing disk), or is unreadable after files
    /// with rows. Earlier rows are kept.
    Error(LoadError),
    /// Loading is complete.
    Done,
}

/// An error after which nothing can be shown.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A file cannot be opened or read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file's layout is unknown.
    #[error("{name}: {error}")]
    Choice {
        /// The file, as the user wrote it.
        name: String,
        /// The reason.
        error: Box<SchemaChoiceError>,
    },
    /// Rows of a joined file cannot be matched with those of the dataset.
    #[error("{name}: {reason}")]
    JoinedTexts {
        /// The file, as the user wrote it.
        name: String,
        /// What its records lack, and what they contain.
        reason: String,
    },
    /// The rows of a file cannot be joined as requested, with each other or with those of another
    /// file, or exceed the maximum number of rows.
    #[error("{name}: {reason}")]
    Rows {
        /// The file, as the user wrote it.
        name: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// The user stopped the load.
    #[error("reading was stopped; the rows so far are kept")]
    Stopped,
}

impl LoadError {
    fn rows(source: &Source, reason: String) -> Self {
        let name = source.name().to_owned();
        Self::Rows { name, reason }
    }

    /// True if a file was written to while it was read.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Source(error) if error.is_change())
    }

    /// True if the layout of a file is unknown, so that the user has to describe it.
    pub fn is_unknown_layout(&self) -> bool {
        let Self::Choice { error, .. } = self else {
            return false;
        };
        matches!(**error, SchemaChoiceError::NothingToShow { .. })
    }
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

/// Receives events and cancels the loader.
pub trait Listener {
    /// Handles an event; breaks to cancel.
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()>;

    /// Returns how to scan the rows of the most recently reported file.
    fn scan_options(&mut self, _file: &DatasetFile) -> ScanOptions {
        ScanOptions::default()
    }

    /// Returns false to cancel; polled while waiting for bytes that may never arrive.
    fn keep_going(&self) -> bool {
        true
    }
}

impl<F: FnMut(LoadEvent) -> ControlFlow<()>> Listener for F {
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self(report)
    }
}

impl Loader {
    /// Iterates over all inputs: files of the dataset, and joined ones.
    pub fn all_inputs(&self) -> impl Iterator<Item = &Input> {
        let joins = self.joins.iter().map(|join| &join.input);
        self.inputs.iter().chain(joins)
    }

    /// Loads everything and reports events to `listener`.
    ///
    /// # Errors
    /// If a file cannot be opened or the layout of the first records is unknown (before any rows
    /// are reported), or if there are too many rows.
    pub fn run(&self, listener: &mut dyn Listener) -> Result<(), LoadError> {
        self.run_at(ScanPace::default(), listener)
    }

    /// Like [`Self::run`], with waves of another size, for tests with small files.
    pub(in crate::dataset) fn run_at(
        &self,
        pace: ScanPace,
        listener: &mut dyn Listener,
    ) -> Result<(), LoadError> {
        let sources = (self.inputs.iter())
            .map(|input| {
                if self.follow {
                    Ok(Source::open_followed(input, row_search(&self.choice))?)
                } else {
                    open(input, &self.choice)
                }
            })
            .collect::<Result<Vec<_>, LoadError>>()?;
        let joins = OpenedJoin::all(&self.joins)?;
        let flow = if joins.is_empty() {
            self.load_at(pace, &sources, listener)?
        } else {
            let dataset = Dataset::default();
            let mut recorded = RecordingListener {
                dataset,
                listener,
                is_joined: false,
            };
            match self.load_at(pace, &sources, &mut recorded)? {
                ControlFlow::Break(()) => ControlFlow::Break(()),
                ControlFlow::Continue(()) => {
                    let mut joiner = Joiner {
                        loader: self,
                        dataset: recorded.dataset,
                        hashes: None,
                    };
                    joiner.join(joins, listener)
                }
            }
        };
        if flow.is_continue() {
            // The listener may have cancelled; nothing depends on it.
            let _ = listener.on_event(LoadEvent::Done);
        }
        Ok(())
    }

    /// Loads open files and reports all events except [`LoadEvent::Done`]; breaks if cancelled.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(in crate::dataset) fn load_at(
        &self,
        pace: ScanPace,
        sources: &[Arc<Source>],
        listener: &mut dyn Listener,
    ) -> Result<ControlFlow<()>, LoadError> {
        let mut rows = LoadPosition {
            listener,
            pace,
            next_file: 0,
            next_row: 0,
            next_sample: 0,
            open: None,
        };
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
                .and_then(|schema| {
                    schema
                        .map(|schema| self.joint_schema(source, schema, &mut first))
                        .transpose()
                });
            let taken = match chosen {
                Ok(Some(schema)) => {
                    let is_of_split = splits.get(place + 1) == splits.get(place);
                    let next = sources.get(place + 1);
                    let next = next.map_or(FileRelation::Separate, |next| {
                        self.relation(source, next, is_of_split)
                    });
                    let file = DatasetFile {
                        source: Arc::clone(source),
                        fields: FileFields::new(Arc::clone(source), Arc::clone(&schema)).into(),
                        schema,
                        relation: FileRelation::Separate,
                        split: splits.get(place).copied().unwrap_or_default(),
                    };
                    rows.take_file(file, next)?
                }
                Ok(None) => ControlFlow::Break(()),
                // Without one of the two files, no sample is complete.
                Err(error) if self.is_against => return Err(error),
                // If the file changed meanwhile, report that instead.
                Err(error) if rows.next_row == 0 => {
                    return Err(source.check_unchanged().map_or_else(Into::into, |()| error));
                }
                Err(error) => match rows.finish()? {
                    ControlFlow::Continue(()) => rows.listener.on_event(LoadEvent::Error(error)),
                    flow => flow,
                },
            };
            if taken.is_break() {
                return Ok(taken);
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

    /// Waits for and returns the nonblank lines by which the schema of the first file is chosen.
    ///
    /// # Errors
    /// If the file cannot be opened or read.
    pub fn first_lines(&self) -> Result<Vec<Vec<u8>>, LoadError> {
        let Some(input) = self.inputs.first() else {
            return Ok(Vec::new());
        };
        Self::first_lines_of(&*open(input, &self.choice)?)
    }

    /// Like [`Self::first_lines`], for an open file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn first_lines_of(source: &Source) -> Result<Vec<Vec<u8>>, LoadError> {
        let (mut extent, mut window) = (source.extent(), SampleWindow::default());
        let mut piece = Piece::new();
        loop {
            let seen = window.within(extent);
            piece.extend(source, seen.bytes)?;
            let lines = seen.lines(piece.bytes());
            if window.is_enough(seen, &lines) {
                return Ok(lines.into_iter().map(<[u8]>::to_vec).collect());
            }
            if !window.widen(seen) {
                extent = source.wait_beyond(extent.len, POLL_INTERVAL)?;
            }
        }
    }

    /// Returns the schema of a file: that of the previous file if this is the next part of its
    /// split and that schema can read it, otherwise its own.
    fn schema_after(
        &self,
        before: Option<&(FileCursor, FileRelation)>,
        source: &Source,
        listener: &dyn Listener,
    ) -> Result<Option<Arc<Schema>>, LoadError> {
        if let Some((before, FileRelation::NextPart)) = before {
            let loader = Loader {
                choice: SchemaChoice::Named(Arc::clone(&before.file.schema)),
                ..Loader::default()
            };
            if let Ok(schema) = loader.schema_of(source, listener) {
                return Ok(schema);
            }
        }
        self.schema_of(source, listener)
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

    /// Chooses a file's schema by its first lines, waiting for them if necessary; `None` if
    /// cancelled.
    ///
    /// If the first line is sufficient, later lines are not considered even if available, so that
    /// the schema does not depend on how the file arrives. Otherwise a full sample of lines is
    /// used, unless the writer pauses and a guess is possible.
    pub(in crate::dataset) fn schema_of(
        &self,
        source: &Source,
        listener: &dyn Listener,
    ) -> Result<Option<Arc<Schema>>, LoadError> {
        let named = |error| LoadError::Choice {
            name: source.name().to_owned(),
            error: Box::new(error),
        };
        let (mut extent, mut window) = (source.extent(), SampleWindow::default());
        let (mut changed, mut in_doubt) = (Instant::now(), false);
        let mut piece = Piece::new();
        loop {
            let seen = window.within(extent);
            piece.extend(source, seen.bytes)?;
            let lines = seen.lines(piece.bytes());
            if let Some(first) = lines.first().filter(|_| !in_doubt) {
                in_doubt = true;
                if let Some(schema) = self.choice.schema_of_first_line(first) {
                    return Ok(Some(schema));
                }
            }
            if window.is_enough(seen, &lines) {
                return self.choice.schema(&lines).map(Some).map_err(named);
            }
            if window.widen(seen) {
                continue;
            }
            if changed.elapsed() >= PAUSE_BEFORE_GUESS
                && !lines.is_empty()
                && let Ok(schema) = self.choice.schema(&lines)
            {
                return Ok(Some(schema));
            }
            if !listener.keep_going() {
                return Ok(None);
            }
            let before = extent.len;
            extent = match source.wait_beyond(before, POLL_INTERVAL) {
                Ok(extent) => extent,
                // No further lines will arrive; the error is reported after these.
                Err(_) if !lines.is_empty() => {
                    return self.choice.schema(&lines).map(Some).map_err(named);
                }
                Err(error) => return Err(error.into()),
            };
            if extent.len > before {
                changed = Instant::now();
            }
        }
    }
}

/// Returns how to search for rows with this choice of schema.
fn row_search(choice: &SchemaChoice) -> RowSearch {
    let choice = choice.clone();
    RowSearch::new(move |line| choice.reads(line))
}

/// Opens an input with this choice of schema.
pub fn open(input: &Input, choice: &SchemaChoice) -> Result<Arc<Source>, LoadError> {
    Ok(Source::open_rows(input, row_search(choice))?)
}

/// Waits until more than `len` bytes are available, or all; `None` if cancelled.
pub fn wait_beyond(
    source: &Source,
    len: u64,
    listener: &dyn Listener,
) -> Result<Option<Extent>, SourceError> {
    let mut extent = source.extent();
    while extent.len <= len && !extent.complete {
        if !listener.keep_going() {
            return Ok(None);
        }
        extent = source.wait_beyond(extent.len, POLL_INTERVAL)?;
    }
    Ok(Some(extent))
}

/// The loader's position in the dataset.
struct LoadPosition<'l> {
    listener: &'l mut dyn Listener,
    pace: ScanPace,
    /// Index in the dataset of the next file.
    next_file: usize,
    next_row: u32,
    next_sample: u32,
    /// The previous file, if its samples may get rows of the next one, and how these relate to it.
    open: Option<(FileCursor, FileRelation)>,
}

/// The loader's position in one file.
struct FileCursor {
    index: usize,
    file: DatasetFile,
    /// Whether its rows can be read again.
    is_read_again: bool,
    grouper: Grouper,
    /// Values of the rows that wait in the grouper.
    carried: OpenBatch,
    row: u64,
    line: u64,
    /// Bytes reported.
    at: u64,
    /// Whether its read error was reported.
    broken_off: bool,
}

impl LoadPosition<'_> {
    /// Loads the rows of a file. `next` says how those of the next one can relate to its samples.
    fn take_file(
        &mut self,
        mut file: DatasetFile,
        next: FileRelation,
    ) -> Result<ControlFlow<()>, LoadError> {
        if let Some((before, can_be)) = &self.open
            && before.file.schema.definition() == file.schema.definition()
        {
            file.relation = *can_be;
            file.schema = Arc::clone(&before.file.schema);
        } else if self.finish()?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if self
            .listener
            .on_event(LoadEvent::File(file.clone()))
            .is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        let index = self.next_file;
        self.next_file += 1;
        let options = self.listener.scan_options(&file);
        let (grouper, carried) = match self.open.take() {
            Some((before, _)) => (before.grouper, before.carried),
            None => {
                let schema = &file.schema;
                let kept = options
                    .kept
                    .clone()
                    .unwrap_or_else(|| Arc::new(KeptColumns::all(schema)));
                (Grouper::new(schema), OpenBatch::none(schema, &kept))
            }
        };
        let kept = Arc::clone(carried.kept());
        let rows = options.rows(&file.schema, &kept);
        let mut place = FileCursor {
            index,
            file: file.clone(),
            is_read_again: options.is_read_again,
            grouper,
            carried,
            row: 0,
            line: 0,
            at: 0,
            broken_off: false,
        };
        let flow = with_other_cores(|cores| {
            let waves = Waves::new(cores, self.pace, &file.source, rows);
            self.take_waves(&mut place, waves)
        })?;
        self.open = Some((place, next));
        if flow.is_break() || next != FileRelation::Separate {
            return Ok(flow);
        }
        self.finish()
    }

    /// Reports the samples of the previous file that wait for more rows.
    fn finish(&mut self) -> Result<ControlFlow<()>, LoadError> {
        let Some((mut place, _)) = self.open.take() else {
            return Ok(ControlFlow::Continue(()));
        };
        let end = place.at..place.at;
        let mut joined = self.joined(&mut place, end);
        place.grouper.finish(&mut joined.chunk.samples);
        // Reports at least one chunk, which signals the end of the file.
        self.report_chunks(&mut place, joined, LAST_SAMPLES)
    }

    /// Loads all complete lines of a file.
    fn take_waves(
        &mut self,
        place: &mut FileCursor,
        mut waves: Waves<'_, '_>,
    ) -> Result<ControlFlow<()>, LoadError> {
        // This many bytes are known not to contain another complete line.
        let mut too_few = 0;
        loop {
            let ControlFlow::Continue(extent) = self.wait_for_more(place, too_few) else {
                return Ok(ControlFlow::Break(()));
            };
            let Some(wave) = waves.next(extent) else {
                // The panic resumes after all other scans have ended.
                return Ok(ControlFlow::Break(()));
            };
            match wave {
                Ok(Some(wave)) => {
                    if self.take_wave(place, wave)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    too_few = place.at;
                }
                Ok(None) if extent.complete => break,
                Ok(None) => too_few = extent.len,
                Err(error) => {
                    let trouble = LoadEvent::Error(error.into());
                    return Ok(self.listener.on_event(trouble));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns an empty chunk for these bytes of the file, preceded by the carried rows.
    fn joined(&self, place: &mut FileCursor, bytes: Range<u64>) -> JoinedScans {
        let schema = &place.file.schema;
        let none = OpenBatch::none(schema, place.carried.kept());
        let carried = std::mem::replace(&mut place.carried, none);
        JoinedScans {
            rows: ChunkRows::new(self.next_row, carried),
            chunk: Chunk {
                file: place.index,
                first_row: self.next_row,
                first_row_in_file: place.row,
                first_sample: self.next_sample,
                first_line: place.line,
                base: bytes.start,
                end: bytes.end,
                samples: SampleList::of(schema),
                ..Chunk::default()
            },
            lines: 0,
        }
    }

    /// Waits for more than `too_few` bytes and returns how far the file can be scanned; breaks if
    /// cancelled.
    fn wait_for_more(&mut self, place: &mut FileCursor, too_few: u64) -> ControlFlow<(), Extent> {
        let source = &place.file.source;
        if !place.broken_off {
            match wait_beyond(source, too_few, self.listener) {
                Ok(Some(extent)) => return ControlFlow::Continue(extent),
                Ok(None) => return ControlFlow::Break(()),
                Err(error) => self.listener.on_event(LoadEvent::Error(error.into()))?,
            }
            place.broken_off = true;
        }
        // No bytes follow after a read error.
        ControlFlow::Continue(Extent {
            complete: true,
            ..source.extent()
        })
    }

    /// Reports the lines of a wave as one chunk; breaks if cancelled.
    fn take_wave(
        &mut self,
        place: &mut FileCursor,
        (lines, scans): ScannedWave,
    ) -> Result<ControlFlow<()>, LoadError> {
        let mut joined = self.joined(place, lines.clone());
        for scan in &scans {
            let first_row = u32::try_from(joined.chunk.starts.len() + scan.starts.len())
                .ok()
                .and_then(|more| self.next_row.checked_add(more))
                // The maximum means "no row".
                .filter(|&next| next < u32::MAX)
                .map(|next| next - scan.starts.len() as u32)
                .ok_or_else(|| {
                    let reason = "more than 4,294,967,294 rows; split the files";
                    LoadError::rows(&place.file.source, reason.to_owned())
                })?;
            joined.add(scan);
            place
                .grouper
                .take(scan, first_row, &mut joined.chunk.samples);
        }
        let flow = self.report_chunks(place, joined, usize::MAX);
        place.file.source.evict(lines.clone());
        if !place.is_read_again {
            place.file.source.release(lines.end);
        }
        flow
    }

    /// Reports rows and the samples that they complete, in chunks of at most `most` samples.
    fn report_chunks(
        &mut self,
        place: &mut FileCursor,
        joined: JoinedScans,
        most: usize,
    ) -> Result<ControlFlow<()>, LoadError> {
        let chunk = &joined.chunk;
        self.next_row += chunk.starts.len() as u32;
        self.next_sample += chunk.samples.len() as u32;
        place.row += chunk.starts.len() as u64;
        place.line += joined.lines;
        place.at = chunk.end;
        let schema = Arc::clone(&place.file.schema);
        let (chunks, rows) = joined.into_chunks(&schema, most);
        place.carried = rows.carry(&schema, place.grouper.open());
        let flow = chunks.into_iter().try_for_each(|chunk| {
            let chunk = LoadEvent::Chunk(Arc::new(chunk));
            self.listener.on_event(chunk)
        });
        Ok(flow)
    }
}
