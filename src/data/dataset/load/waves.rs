//! Reads a file in waves of whole lines, scanned on all cores and ahead of their use.
//!
//! The line ends at which waves, and the segments of a wave, end are found before they are scanned.
//! So waves do not depend on each other, and no line is scanned twice.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use memchr::{memchr, memrchr};

use super::scan::{FileRows, Scan, scan};
use crate::parallel::{OtherCores, PendingResults, cores};
use crate::source::{Extent, Piece, Source, SourceError};

/// Bytes scanned at a time. Affects only when rows are reported, not which.
#[derive(Debug, Clone, Copy)]
pub struct ScanPace {
    /// Bytes of the first wave.
    pub first_wave: usize,
    /// Bytes of the largest wave. Waves grow by [`GROWTH`] up to this size as long as none takes
    /// long.
    pub full_wave: usize,
    /// Bytes scanned by one task.
    pub segment: usize,
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

/// Maximum duration of a wave; longer ones would delay the display of rows.
const MAX_WAVE_TIME: Duration = Duration::from_millis(250);
/// Factor by which waves grow.
const GROWTH: usize = 4;
/// Waves started ahead of the one in use, so that cores have work after its last segment.
const AHEAD: usize = 2;
/// Bytes searched first for the end of a line; doubled each time.
const FIRST_STEP: u64 = 16 << 10;

/// The waves of a file.
pub struct Waves<'c, 's> {
    cores: OtherCores<'c, 's>,
    pace: ScanPace,
    source: &'s Source,
    rows: FileRows<'s>,
    /// Where the next wave begins, and its bytes.
    at: u64,
    length: usize,
    /// No line ends between `at` and here.
    searched: u64,
    /// Started waves, in order.
    begun: VecDeque<(Range<u64>, PendingResults<TimedScan>)>,
}

/// The scan of a segment, and how long it took.
type TimedScan = (Result<Scan, SourceError>, Duration);

/// The bytes of a wave and the scans of its segments.
pub type ScannedWave = (Range<u64>, Vec<Scan>);

impl<'c, 's> Waves<'c, 's> {
    /// Creates the waves of a file from its beginning.
    pub fn new(
        cores: OtherCores<'c, 's>,
        pace: ScanPace,
        source: &'s Source,
        rows: FileRows<'s>,
    ) -> Self {
        Self {
            cores,
            pace,
            source,
            rows,
            at: 0,
            length: pace.first_wave,
            searched: 0,
            begun: VecDeque::new(),
        }
    }

    /// Returns the next wave among the available bytes; `Ok(None)` if they have no further complete
    /// line, and `None` if a scan panicked.
    pub fn next(&mut self, extent: Extent) -> Option<Result<Option<ScannedWave>, SourceError>> {
        let begun = self.begin_ahead(extent);
        let Some((lines, scans)) = self.begun.pop_front() else {
            return Some(begun.map(|()| None));
        };
        let (scans, took): (Vec<_>, Vec<_>) = scans.wait()?.into_iter().unzip();
        // Not wall-clock time, which would include adjacent waves.
        let took = took.iter().sum::<Duration>() / cores();
        let length = (lines.end - lines.start) as usize;
        self.length = self.pace.next_wave_bytes(length, took);
        let scans: Result<_, _> = scans.into_iter().collect();
        Some(scans.map(|scans| Some((lines, scans))))
    }

    fn begin_ahead(&mut self, extent: Extent) -> Result<(), SourceError> {
        while self.begun.len() <= AHEAD
            && let Some(end) = self.wave_end(extent)?
        {
            let (source, rows, base) = (self.source, self.rows, self.at);
            let scan_one = move |lines: Range<u64>| {
                let start = Instant::now();
                let mut piece = Piece::new();
                let offset = (lines.start - base) as usize;
                let read = piece.borrow(source, lines);
                let scan = read.map(|()| scan(rows, piece.bytes(), offset));
                (scan, start.elapsed())
            };
            let scans = self.cores.start_each(self.segments(end)?, scan_one);
            self.begun.push_back((base..end, scans));
            (self.at, self.searched) = (end, end);
        }
        Ok(())
    }

    /// Returns the end of the last line that ends within the next wave, or of the first line if
    /// that is longer; `None` if it is incomplete.
    fn wave_end(&mut self, extent: Extent) -> Result<Option<u64>, SourceError> {
        let Extent { len, complete } = extent;
        let reach = len.min(self.at.saturating_add(self.length as u64));
        if complete && reach == len {
            return Ok((self.at < len).then_some(len));
        }
        let from = self.searched;
        let within = line_end(self.source, from..reach.max(from), true)?;
        let end = match within {
            None => line_end(self.source, reach.max(from)..len, false)?,
            within => within,
        };
        self.searched = len;
        Ok(end.or(complete.then_some(len)))
    }

    /// Returns the segments of a wave that ends here.
    fn segments(&self, end: u64) -> Result<Vec<Range<u64>>, SourceError> {
        let (mut segments, mut start) = (Vec::new(), self.at);
        while start < end {
            let cut = start + self.pace.segment as u64 - 1;
            let cut = line_end(self.source, cut.min(end)..end, false)?.unwrap_or(end);
            segments.push(start..cut);
            start = cut;
        }
        Ok(segments)
    }
}

/// Returns the end of the first or last line that ends in a range.
fn line_end(source: &Source, range: Range<u64>, is_last: bool) -> Result<Option<u64>, SourceError> {
    let (mut piece, mut rest, mut step) = (Piece::new(), range, FIRST_STEP);
    while !rest.is_empty() {
        let part = if is_last {
            rest.start.max(rest.end.saturating_sub(step))..rest.end
        } else {
            rest.start..rest.end.min(rest.start + step)
        };
        piece.read(source, part.clone())?;
        let found = if is_last {
            memrchr(b'\n', piece.bytes())
        } else {
            memchr(b'\n', piece.bytes())
        };
        if let Some(at) = found {
            return Ok(Some(part.start + at as u64 + 1));
        }
        rest = if is_last {
            rest.start..part.start
        } else {
            part.end..rest.end
        };
        step = (2 * step).min(1 << 20);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::dataset::KeptColumns;
    use crate::parallel::with_other_cores;
    use crate::schema::SchemaCatalog;
    use crate::source::Input;

    /// Returns the offsets of all lines as found by the waves of a text; at first only `known` bytes
    /// are available.
    fn lines_of(text: &str, pace: ScanPace, known: u64) -> Vec<u64> {
        let bytes = text.to_owned().leak().as_bytes();
        let source = Source::open(&Input::Embedded { name: "f", bytes }).expect("opened");
        let known_schema = SchemaCatalog::default();
        let schema = known_schema.get("helpsteer2").expect("a schema");
        let schema = schema.schema();
        let kept = Arc::new(KeptColumns::all(&schema));
        let rows = FileRows {
            schema: &schema,
            predicate: None,
            kept: &kept,
            is_read_again: true,
        };
        let mut lines = Vec::new();
        with_other_cores(|cores| {
            let mut waves = Waves::new(cores, pace, &source, rows);
            let some = Extent {
                len: known.min(text.len() as u64),
                complete: false,
            };
            for extent in [some, source.extent()] {
                while let Some((range, scans)) =
                    waves.next(extent).expect("no panic").expect("read")
                {
                    for scan in scans {
                        let starts = scan.starts.iter();
                        lines.extend(starts.map(|&start| range.start + u64::from(start)));
                    }
                }
            }
        });
        lines
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]
        #[test]
        fn every_line_is_in_one_wave(
            lengths in proptest::collection::vec(prop_oneof![8 => 1..30_usize, 1 => 30..400_usize], 1..80),
            (first_wave, full_wave, segment) in (1..100_usize, 1..200_usize, 1..60_usize),
            is_ended in any::<bool>(),
            known in 0..3000_u64,
        ) {
            let mut text: String = lengths.iter().map(|length| "x".repeat(*length) + "\n").collect();
            if !is_ended {
                text.pop();
            }
            let ends = text.match_indices('\n').map(|(at, _)| at as u64 + 1);
            let starts = std::iter::once(0).chain(ends);
            let starts: Vec<_> = starts.filter(|&start| start < text.len() as u64).collect();
            let pace = ScanPace { first_wave, full_wave, segment };
            prop_assert_eq!(lines_of(&text, pace, known), starts);
        }
    }
}
