//! The waves of a file, scanned ahead of their use.
//!
//! Where the last line of a wave ends is known only after its scan, and cores would idle at the end
//! of each wave while waiting for that. So waves begin at predetermined offsets and own the lines
//! that begin in them. A wave whose first line turns out to begin elsewhere, because a line was too
//! long for the wave before it, is scanned again.

use std::collections::VecDeque;

use super::scan::FileRows;
use super::scan_pace::{PendingWave, ScanPace, ScannedWave};
use super::wave::Wave;
use crate::parallel::OtherCores;
use crate::source::{Extent, Source};

/// Waves started ahead of the one in use, so that cores have work after its last segment.
const AHEAD: usize = 2;

pub(super) struct WavePipeline<'c, 's> {
    cores: OtherCores<'c, 's>,
    pace: ScanPace,
    source: &'s Source,
    rows: FileRows<'s>,
    /// Bytes of the next wave.
    length: usize,
    /// Started waves, in order.
    begun: VecDeque<PendingWave>,
}

impl<'c, 's> WavePipeline<'c, 's> {
    /// Creates a pipeline at the beginning of a file.
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

    /// Returns the wave whose first line begins at `at`, limited to the available bytes; it has no
    /// line if none ends there. `None` if a scan panicked.
    pub(super) fn wave_at(&mut self, at: u64, extent: Extent) -> Option<ScannedWave> {
        self.drop_unusable(at);
        if let Some(wave) = self.begun.pop_front() {
            let scanned = wave.wait()?;
            if scanned.scans.is_err() || self.begin_after(&scanned, extent) {
                return Some(scanned);
            }
            // Its first line is too long for a wave that begins before it.
            self.begun.clear();
        }
        let wave = Wave::new(at, self.length, extent);
        if wave.length() <= self.pace.segment {
            // This thread alone scans the first wave; the other cores start with the next ones.
            self.begin_ahead(wave.lines.end, extent);
        }
        let scanned = self.pace.scan(self.source, self.rows, &wave);
        self.begin_after(&scanned, extent);
        Some(scanned)
    }

    /// Starts waves after the last line of a scanned one, if the file is complete; otherwise
    /// callers check first that a line ends in the new bytes. Returns true if the scanned wave has
    /// a line.
    fn begin_after(&mut self, scanned: &ScannedWave, extent: Extent) -> bool {
        let Some(end) = scanned.end() else {
            return false;
        };
        self.length = scanned.next;
        self.drop_unusable(end);
        let at = self.begun.back().map_or(end, |last| last.lines.end);
        self.begin_ahead(at, extent);
        true
    }

    /// Starts waves from `at` on, if the file is complete.
    fn begin_ahead(&mut self, mut at: u64, extent: Extent) {
        while extent.complete && at < extent.len && self.begun.len() < AHEAD {
            let wave = Wave::anywhere(at, self.length, extent);
            at = wave.lines.end;
            let begun = (self.pace).begin(self.cores, self.source, self.rows, wave);
            self.begun.push_back(begun);
        }
    }

    /// Drops the waves in which the line at `at` does not begin: the previous wave extends beyond
    /// them, or the line was too long for the wave in which it begins.
    fn drop_unusable(&mut self, at: u64) {
        while (self.begun.front()).is_some_and(|wave| !wave.lines.contains(&at)) {
            self.begun.pop_front();
        }
    }
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

    /// Calls a function with the pipeline of a text.
    fn with_pipeline(
        text: &str,
        pace: ScanPace,
        act: impl FnOnce(&mut WavePipeline<'_, '_>, Extent),
    ) {
        let bytes = text.to_owned().leak().as_bytes();
        let source = Source::open(&Input::Embedded { name: "f", bytes }).expect("opened");
        let schemas = SchemaCatalog::default();
        let known = schemas.get("helpsteer2").expect("a schema");
        let schema = known.schema().expect("paths");
        let kept = Arc::new(KeptColumns::all(&schema));
        let rows = FileRows {
            schema: &schema,
            predicate: None,
            kept: &kept,
            is_read_again: true,
        };
        with_other_cores(|cores| {
            act(
                &mut WavePipeline::new(cores, pace, &source, rows),
                source.extent(),
            );
        });
    }

    /// Returns the offsets of all lines as found by the waves, and the number of waves.
    fn lines_of(text: &str, pace: ScanPace) -> (Vec<u64>, usize) {
        let (mut at, mut lines, mut waves) = (0, Vec::new(), 0);
        with_pipeline(text, pace, |pipeline, extent| {
            while at < extent.len {
                let wave = pipeline.wave_at(at, extent).expect("no panic");
                at = wave.end().expect("a line");
                for scan in &wave.scans.as_ref().expect("scanned")[..] {
                    let starts = scan
                        .starts
                        .iter()
                        .map(|&start| wave.lines.start + u64::from(start));
                    lines.extend(starts);
                }
                waves += 1;
            }
        });
        (lines, waves)
    }

    fn starts(text: &str) -> Vec<u64> {
        let ends = text.match_indices('\n').map(|(at, _)| at as u64 + 1);
        let all = std::iter::once(0).chain(ends);
        all.filter(|&start| start < text.len() as u64).collect()
    }

    #[test]
    fn lines_that_are_longer_than_waves() {
        let pace = ScanPace {
            first_wave: 10,
            full_wave: 10,
            segment: 4,
        };
        let giant = "x".repeat(47);
        for text in [
            // Several waves started ahead lie within the giant line.
            format!("a\nb\nc\nd\n{giant}\ne\n"),
            // At the beginning, in the middle and at the end of a wave.
            format!("aaaaaaaaa\nbbbbbbbbb\n{giant}\nccccccccc\nd\n"),
            format!("aaaaaaaaa\nbbbb\n{giant}\nccccccccc\nd\n"),
            format!("aaaaaaaaa\nbbbbbbb\n{giant}\nccccccccc\nd"),
            format!("{giant}\n{giant}\na\n{giant}"),
        ] {
            assert_eq!(lines_of(&text, pace).0, starts(&text), "{text:?}");
        }
        let (lines, waves) = lines_of(&"abcd\n".repeat(100), pace);
        assert_eq!((lines.len(), waves), (100, 50));
    }

    /// If one thread scans the first wave, the second starts before that ends.
    #[test]
    fn the_second_wave_is_begun_before_the_first_is_scanned() {
        for (segment, second) in [(10, 10), (4, 16)] {
            let pace = ScanPace {
                first_wave: 10,
                full_wave: 10,
                segment,
            };
            with_pipeline(&"abcdefg\n".repeat(9), pace, |pipeline, extent| {
                let first = pipeline.wave_at(0, extent).and_then(|wave| wave.end());
                let begun = pipeline.begun.front().map(|wave| wave.lines.start);
                assert_eq!((first, begun), (Some(16), Some(second)), "{segment}");
            });
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn every_line_is_in_one_wave(
            lengths in proptest::collection::vec(prop_oneof![8 => 1..30_usize, 1 => 30..400_usize], 1..80),
            (first_wave, full_wave, segment) in (1..100_usize, 1..200_usize, 1..60_usize),
            is_ended in any::<bool>(),
        ) {
            let mut text: String = lengths.iter().map(|length| "x".repeat(*length) + "\n").collect();
            if !is_ended {
                text.pop();
            }
            let pace = ScanPace { first_wave, full_wave, segment };
            prop_assert_eq!(lines_of(&text, pace).0, starts(&text));
        }
    }
}
