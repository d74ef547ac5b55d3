//! The waves of a file, one behind the other, of which the next ones are scanned meanwhile.
//!
//! Where a wave's last line ends is known when it was scanned, and a core that waited for that would
//! be idle at the end of each. So waves begin at places that are chosen beforehand, and own the lines
//! that begin in them; one that turns out to begin elsewhere, since a line was too long for the wave
//! before it, is scanned again.

use std::collections::VecDeque;

use super::parallel::{OtherCores, PendingResult};
use super::scan::FileRows;
use super::scan_pace::{ScanPace, ScannedWave};
use super::stretch::Wave;
use crate::source::{Extent, Source};

/// How many waves are begun while one is taken: behind the last stretch of one there is another.
const AHEAD: usize = 2;

/// Scans the waves of a file.
pub(super) struct WavePipeline<'c, 's> {
    cores: OtherCores<'c, 's>,
    pace: ScanPace,
    source: &'s Source,
    rows: FileRows<'s>,
    /// Bytes of the next wave.
    length: usize,
    /// Those that were begun, in order.
    begun: VecDeque<(Wave, PendingResult<ScannedWave>)>,
}

impl<'c, 's> WavePipeline<'c, 's> {
    /// For the rows of a file, of which nothing was scanned yet.
    pub(super) fn new(
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
            length: pace.first_wave,
            begun: VecDeque::new(),
        }
    }

    /// The wave with the line that begins at `at`, of what is there of the file; the wave has no line
    /// where none ends there. `None` where a scan panicked.
    pub(super) fn wave_at(&mut self, at: u64, extent: Extent) -> Option<ScannedWave> {
        while let Some((wave, pending)) = self.begun.pop_front() {
            if wave.lines.start > at {
                // The wave before it left a line that is too long.
                self.begun.clear();
            } else if wave.lines.end > at {
                let scanned = pending.wait()?;
                if scanned.scans.is_err() || scanned.end().is_some() {
                    self.length = scanned.next;
                    let last = self.begun.back().map_or(&wave, |(last, _)| last);
                    self.begin(last.lines.end, extent);
                    return Some(scanned);
                }
                // Its first line is too long for a wave that does not begin with it.
                self.begun.clear();
            }
            // A line of the wave before goes on until its end.
        }
        let wave = Wave::new(at, self.length, extent);
        let scanned = self.pace.scan(self.source, self.rows, &wave);
        if let Some(end) = scanned.end() {
            self.length = scanned.next;
            self.begin(end, extent);
        }
        Some(scanned)
    }

    /// Begins the waves from `at` on, where all bytes are there: of what still comes it is asked first
    /// whether a line ends in it.
    fn begin(&mut self, mut at: u64, extent: Extent) {
        while extent.complete && at < extent.len && self.begun.len() < AHEAD {
            let wave = Wave::anywhere(at, self.length, extent);
            at = wave.lines.end;
            let (pace, source, rows, scanned) = (self.pace, self.source, self.rows, wave.clone());
            let pending = self.cores.start(move || pace.scan(source, rows, &scanned));
            self.begun.push_back((wave, pending));
        }
    }
}
