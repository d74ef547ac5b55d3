//! Reads the waves of files into chunks.

use std::sync::Arc;

use super::chunk::{Chunk, SampleList};
use super::events::{Listener, LoadError, LoadEvent, POLL_INTERVAL, report};
use super::group::Grouper;
use super::row_batch::ChunkRows;
use super::scan::{FileRows, KeptColumns, Scan};
use super::waves::{ScanPace, ScannedWave, Waves};
use crate::dataset::{DatasetFile, FileRelation};
use crate::model::ResponseId;
use crate::parallel::with_other_cores;
use crate::source::Extent;

/// Maximum samples of a chunk when samples are completed at the end of a file (with group keys, all
/// of them).
const LAST_SAMPLES: usize = 64 << 10;

/// The loader's position in the dataset.
pub struct LoadPosition<'l> {
    pub listener: &'l mut dyn Listener,
    pace: ScanPace,
    /// Number of files so far.
    files: usize,
    /// The next chunk: where it begins, and its rows and samples so far.
    pub next: Chunk,
    /// The previous file, if its samples may get rows of the next one, and how these relate to it.
    pub open: Option<(FileCursor, FileRelation)>,
}

/// A file whose rows are loaded.
pub struct FileCursor {
    pub file: DatasetFile,
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
    pub fn new(pace: ScanPace, listener: &'l mut dyn Listener) -> Self {
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
    pub fn take_file(
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
    pub fn finish(&mut self) -> Result<(), LoadError> {
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
            // The maximum means "no row".
            if first_row + scan.starts.len() >= u32::MAX as usize {
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
