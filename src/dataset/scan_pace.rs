//! How a file is scanned: how many bytes at a time, and what is computed for its rows meanwhile.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::kept_columns::KeptColumns;
use super::row_predicate::RowPredicate;
use super::scan::{FileRows, Scan};
use super::wave::Wave;
use crate::parallel::{OtherCores, PendingResults, cores, in_parallel};
use crate::schema::Schema;
use crate::source::{Source, SourceError};

/// Maximum duration of a wave; longer ones would delay the display of rows.
const MAX_WAVE_TIME: Duration = Duration::from_millis(250);

/// Bytes scanned at a time. Affects only when rows are reported, not which.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanPace {
    /// Bytes of the first wave.
    pub(super) first_wave: usize,
    /// Bytes of the largest wave. Waves grow by [`GROWTH`] up to this size as long as none takes
    /// long.
    pub(super) full_wave: usize,
    /// Bytes scanned by one task.
    pub(super) segment: usize,
}

impl Default for ScanPace {
    fn default() -> Self {
        // The first wave has some hundred rows, scanned in about a millisecond. A segment fits into
        // the cache of its core. A wave becomes a chunk, and samples are iterated chunk by chunk,
        // so chunks should be large and few.
        Self {
            first_wave: 256 << 10,
            full_wave: 64 << 20,
            segment: 512 << 10,
        }
    }
}

impl ScanPace {
    /// Scans the lines of a wave in parallel.
    pub(super) fn scan(self, source: &Source, rows: FileRows<'_>, wave: &Wave) -> ScannedWave {
        let scan_one = |segment: &Range<u64>| wave.scan(source, rows, segment.clone());
        let start = Instant::now();
        let scans = in_parallel(&wave.segments(self.segment), scan_one);
        ScannedWave {
            lines: wave.lines.clone(),
            scans: scans.into_iter().collect(),
            next: self.next_wave_bytes(wave.length(), start.elapsed()),
        }
    }

    /// Starts to scan a wave on other cores, after the work already started there.
    pub(super) fn begin<'s>(
        self,
        cores: OtherCores<'_, 's>,
        source: &'s Source,
        rows: FileRows<'s>,
        wave: Wave,
    ) -> PendingWave {
        let (lines, length) = (wave.lines.clone(), wave.length());
        let scans = cores.start_each(wave.segments(self.segment), move |segment| {
            let start = Instant::now();
            (wave.scan(source, rows, segment), start.elapsed())
        });
        PendingWave {
            pace: self,
            lines,
            length,
            scans,
        }
    }

    /// Returns the bytes of the next wave after one of `wave` bytes that took this long to scan.
    fn next_wave_bytes(self, wave: usize, took: Duration) -> usize {
        let next = match took {
            // Assumes that time is proportional to size.
            took if took < MAX_WAVE_TIME / GROWTH as u32 => wave * GROWTH,
            took if took < MAX_WAVE_TIME => wave,
            _ => wave / GROWTH,
        };
        next.max(self.first_wave).min(self.full_wave)
    }
}

/// A wave being scanned on other cores. Dropping it cancels the scan.
pub(super) struct PendingWave {
    pace: ScanPace,
    /// The bytes in which its lines begin.
    pub(super) lines: Range<u64>,
    length: usize,
    /// Result and duration of each segment.
    scans: PendingResults<(Result<Scan, SourceError>, Duration)>,
}

impl PendingWave {
    /// Waits for the scans; `None` if one panicked.
    pub(super) fn wait(&self) -> Option<ScannedWave> {
        let (scans, took): (Vec<_>, Vec<_>) = self.scans.wait()?.into_iter().unzip();
        // Not wall-clock time, which would include adjacent waves.
        let took = took.iter().sum::<Duration>() / cores();
        Some(ScannedWave {
            lines: self.lines.clone(),
            scans: scans.into_iter().collect(),
            next: self.pace.next_wave_bytes(self.length, took),
        })
    }
}

/// Factor by which waves grow.
const GROWTH: usize = 4;

pub(super) struct ScannedWave {
    /// The bytes in which its lines begin.
    pub(super) lines: Range<u64>,
    /// Scans of its segments, or the error of reading its bytes.
    pub(super) scans: Result<Vec<Scan>, SourceError>,
    /// Bytes of the next wave to start.
    pub(super) next: usize,
}

impl ScannedWave {
    /// Returns the file offset of the end of its last line; `None` if it has no line or could not
    /// be read.
    pub(super) fn end(&self) -> Option<u64> {
        let scans = self.scans.as_ref().ok()?;
        scans.iter().rev().find_map(|scan| scan.end)
    }
}

/// How the rows of a file are scanned.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Predicate to evaluate for each row.
    pub predicate: Option<Arc<dyn RowPredicate>>,
    /// Columns to keep; `None` means all.
    pub kept: Option<Arc<KeptColumns>>,
    /// Whether rows can be read again. If not, their bytes are not kept, and reading one later is
    /// an error.
    pub is_read_again: bool,
}

impl Default for ScanOptions {
    /// No predicate, all columns.
    fn default() -> Self {
        Self {
            predicate: None,
            kept: None,
            is_read_again: true,
        }
    }
}

impl ScanOptions {
    pub(super) fn rows<'f>(
        &'f self,
        schema: &'f Schema,
        kept: &'f Arc<KeptColumns>,
    ) -> FileRows<'f> {
        FileRows {
            schema,
            predicate: self.predicate.as_deref(),
            kept,
            is_read_again: self.is_read_again,
        }
    }
}
