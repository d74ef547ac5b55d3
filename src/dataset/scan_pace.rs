//! How a file is scanned: how much of it at a time, and what its rows are asked meanwhile.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::kept_columns::KeptColumns;
use super::row_predicate::RowPredicate;
use super::scan::{FileRows, Scan};
use super::stretch::Wave;
use crate::parallel::{OtherCores, PendingResults, cores, in_parallel};
use crate::schema::Schema;
use crate::source::{Source, SourceError};

/// A wave that takes longer is too great: rows behind it would wait to be shown.
const LONG: Duration = Duration::from_millis(250);

/// How many bytes are scanned at a time. What is found does not depend on it, only when it is
/// reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanPace {
    /// Bytes of the first wave.
    pub(super) first_wave: usize,
    /// Bytes of a full wave; those between grow by four, as long as none takes long.
    pub(super) full_wave: usize,
    /// Bytes that one task of a wave scans.
    pub(super) stretch: usize,
}

impl Default for ScanPace {
    fn default() -> Self {
        // The first wave is some hundred rows, scanned in about a millisecond. A stretch stays in
        // the cache of its core while it is scanned. A wave is a chunk, and whoever goes over samples
        // does so chunk by chunk: of great ones there are few.
        Self {
            first_wave: 256 << 10,
            full_wave: 64 << 20,
            stretch: 512 << 10,
        }
    }
}

impl ScanPace {
    /// Scans the lines of a wave, in parallel.
    pub(super) fn scan(self, source: &Source, rows: FileRows<'_>, wave: &Wave) -> ScannedWave {
        let scan_one = |stretch: &Range<u64>| wave.scan(source, rows, stretch.clone());
        let start = Instant::now();
        let scans = in_parallel(&wave.stretches(self.stretch), scan_one);
        ScannedWave {
            lines: wave.lines.clone(),
            scans: scans.into_iter().collect(),
            next: self.behind(wave.length(), start.elapsed()),
        }
    }

    /// Whether one thread scans all of a wave.
    pub(super) fn is_of_one_stretch(self, wave: &Wave) -> bool {
        wave.length() <= self.stretch
    }

    /// Begins to scan the lines of a wave on other cores, behind what was begun there.
    pub(super) fn begin<'s>(
        self,
        cores: OtherCores<'_, 's>,
        source: &'s Source,
        rows: FileRows<'s>,
        wave: Wave,
    ) -> PendingWave {
        let (lines, length) = (wave.lines.clone(), wave.length());
        let scans = cores.start_each(wave.stretches(self.stretch), move |stretch| {
            let start = Instant::now();
            (wave.scan(source, rows, stretch), start.elapsed())
        });
        PendingWave {
            pace: self,
            lines,
            length,
            scans,
        }
    }

    /// How many bytes the next wave that is begun has behind one of so many, which took so long to
    /// scan.
    fn behind(self, wave: usize, took: Duration) -> usize {
        let next = match took {
            // Four times as many take four times as long.
            took if took < LONG / GROWTH as u32 => wave * GROWTH,
            took if took < LONG => wave,
            _ => wave / GROWTH,
        };
        next.max(self.first_wave).min(self.full_wave)
    }
}

/// A wave that is scanned on other cores; dropping it ends that.
pub(super) struct PendingWave {
    pace: ScanPace,
    /// The bytes in which its lines begin.
    pub(super) lines: Range<u64>,
    length: usize,
    /// What comes of each stretch, and how long that took.
    scans: PendingResults<(Result<Scan, SourceError>, Duration)>,
}

impl PendingWave {
    /// Waits for the scans; `None` where one panicked.
    pub(super) fn wait(&self) -> Option<ScannedWave> {
        let (scans, took): (Vec<_>, Vec<_>) = self.scans.wait()?.into_iter().unzip();
        // By the clock, waves before and behind it would count too.
        let took = took.iter().sum::<Duration>() / cores();
        Some(ScannedWave {
            lines: self.lines.clone(),
            scans: scans.into_iter().collect(),
            next: self.pace.behind(self.length, took),
        })
    }
}

/// By how much waves grow.
const GROWTH: usize = 4;

/// A wave that was scanned.
pub(super) struct ScannedWave {
    /// The bytes in which its lines begin.
    pub(super) lines: Range<u64>,
    /// The scans of its stretches, unless its bytes could not be had.
    pub(super) scans: Result<Vec<Scan>, SourceError>,
    /// Bytes of the next wave that is begun.
    pub(super) next: usize,
}

impl ScannedWave {
    /// Where its last line ends, in bytes from the beginning of the file; `None` where it has none, or its
    /// bytes could not be had.
    pub(super) fn end(&self) -> Option<u64> {
        let scans = self.scans.as_ref().ok()?;
        scans.iter().rev().find_map(|scan| scan.end)
    }
}

/// How the rows of a file are scanned.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// What each is asked meanwhile.
    pub predicate: Option<Arc<dyn RowPredicate>>,
    /// What is kept of each; `None` is all.
    pub kept: Option<Arc<KeptColumns>>,
    /// Whether rows are read again behind that. Where not, they are not kept, and whoever asks for one
    /// after all is refused.
    pub is_read_again: bool,
}

impl Default for ScanOptions {
    /// Nothing is asked, and all are kept.
    fn default() -> Self {
        Self {
            predicate: None,
            kept: None,
            is_read_again: true,
        }
    }
}

impl ScanOptions {
    /// How rows of a schema are read, of which this is kept.
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
