//! How much of the beginning of a file is looked at to choose its schema.

use memchr::memrchr;

use crate::source::{Extent, lines};

/// How many lines, and how many bytes, a schema is chosen by.
pub(super) const SAMPLE_LINES: usize = 256;
const SAMPLE_BYTES: u64 = 4 << 20;
/// Bytes that are looked at before those: as a rule they have the first line, which leaves no doubt.
const FIRST_BYTES: u64 = 64 << 10;

/// How many bytes from the beginning on are looked at, as long as they are too few.
#[derive(Debug)]
pub(super) struct SampleWindow {
    bytes: u64,
}

/// What of a window is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleBytes {
    /// So many bytes from the beginning on.
    pub(super) bytes: u64,
    /// Whether the file has no others.
    is_all: bool,
}

impl Default for SampleWindow {
    fn default() -> Self {
        Self { bytes: FIRST_BYTES }
    }
}

impl SampleWindow {
    /// What is there of it.
    pub(super) fn within(&self, extent: Extent) -> SampleBytes {
        let bytes = extent.len.min(self.bytes);
        SampleBytes {
            bytes,
            is_all: extent.complete && bytes == extent.len,
        }
    }

    /// Whether a schema is chosen by these lines of it, and not by more of them: what it is must not
    /// depend on how much was looked at first, nor on how a file arrives.
    pub(super) fn is_enough(&self, seen: SampleBytes, lines: &[&[u8]]) -> bool {
        let is_whole = seen.bytes == self.bytes && self.bytes >= SAMPLE_BYTES;
        seen.is_all || lines.len() >= SAMPLE_LINES || (is_whole && !lines.is_empty())
    }

    /// Makes it wider where all of it was seen; whether that is so.
    pub(super) fn widen(&mut self, seen: SampleBytes) -> bool {
        let is_seen = seen.bytes == self.bytes;
        if is_seen {
            // Wider than a schema is chosen by only where the first line is.
            self.bytes = match self.bytes {
                few if few < SAMPLE_BYTES => SAMPLE_BYTES,
                many => many.saturating_mul(4),
            };
        }
        is_seen
    }
}

impl SampleBytes {
    /// The first lines that are not blank; the last one only if it is known to be whole.
    pub(super) fn lines(self, bytes: &[u8]) -> Vec<&[u8]> {
        let end = if self.is_all {
            bytes.len()
        } else {
            memrchr(b'\n', bytes).map_or(0, |at| at + 1)
        };
        bytes[..end]
            .split(|&byte| byte == b'\n')
            .map(lines::trim)
            .filter(|line| !line.is_empty())
            .take(SAMPLE_LINES)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes and lines that a schema is chosen by, where so much of a text is there.
    fn chosen_by(text: &[u8], len: usize) -> Option<(u64, usize)> {
        let extent = Extent {
            len: len as u64,
            complete: len == text.len(),
        };
        let mut window = SampleWindow::default();
        loop {
            let seen = window.within(extent);
            let lines = seen.lines(&text[..seen.bytes as usize]);
            if window.is_enough(seen, &lines) {
                return Some((seen.bytes, lines.len()));
            }
            if !window.widen(seen) {
                return None;
            }
        }
    }

    #[test]
    fn a_schema_is_chosen_by_four_megabytes_or_by_enough_lines() {
        let line = |length: usize| [vec![b'x'; length - 1], vec![b'\n']].concat();
        let first = FIRST_BYTES as usize;
        for (length, lines, chosen) in [
            (1_000, 10, (10_000, 10)),
            (100, 1_000, (FIRST_BYTES, SAMPLE_LINES)),
            // What the first look has is too little.
            (first / 2, 300, (SAMPLE_BYTES, 128)),
            (first, 100, (SAMPLE_BYTES, 64)),
            (first, 3, (3 * FIRST_BYTES, 3)),
            (SAMPLE_BYTES as usize, 2, (SAMPLE_BYTES, 1)),
            // A first line that is longer than all of that.
            (SAMPLE_BYTES as usize + 1, 9, (4 * SAMPLE_BYTES, 3)),
        ] {
            let text = line(length).repeat(lines);
            assert_eq!(chosen_by(&text, text.len()), Some(chosen), "{length}");
        }
        let text = line(first).repeat(100);
        for (there, chosen) in [
            (first, None),
            (first + 1, None),
            (text.len() - 1, Some((SAMPLE_BYTES, 64))),
        ] {
            assert_eq!(chosen_by(&text, there), chosen, "{there}");
        }
    }
}
