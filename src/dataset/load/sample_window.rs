//! How much of the beginning of a file is read to choose its schema.

use memchr::{memchr, memrchr};

use crate::source::{Extent, lines};

/// Maximum number of lines, and of bytes, used to choose a schema.
pub const SAMPLE_LINES: usize = 256;
const SAMPLE_BYTES: u64 = 4 << 20;
/// Bytes that are read first. Usually they contain the first line, which is often sufficient.
const FIRST_BYTES: u64 = 64 << 10;

/// The number of bytes to read from the beginning of a file; grows while they do not suffice.
#[derive(Debug)]
pub struct SampleWindow {
    bytes: u64,
}

/// The available part of a window.
#[derive(Debug, Clone, Copy)]
pub struct SampleBytes {
    /// Available bytes from the beginning.
    pub bytes: u64,
    /// Whether the file has no further bytes.
    is_all: bool,
}

impl Default for SampleWindow {
    fn default() -> Self {
        Self { bytes: FIRST_BYTES }
    }
}

impl SampleWindow {
    /// Returns the available part.
    pub fn within(&self, extent: Extent) -> SampleBytes {
        let bytes = extent.len.min(self.bytes);
        SampleBytes {
            bytes,
            is_all: extent.complete && bytes == extent.len,
        }
    }

    /// True if a schema can be chosen by these lines. The result must not depend on how much was
    /// read first or on how the file arrives.
    pub fn is_enough(&self, seen: SampleBytes, lines: &[&[u8]]) -> bool {
        let is_whole = seen.bytes == self.bytes && self.bytes >= SAMPLE_BYTES;
        seen.is_all || lines.len() >= SAMPLE_LINES || (is_whole && !lines.is_empty())
    }

    /// Widens the window if all of it was available. Returns true if so.
    pub fn widen(&mut self, seen: SampleBytes) -> bool {
        let is_seen = seen.bytes == self.bytes;
        if is_seen {
            // Beyond `SAMPLE_BYTES` only to reach the end of the first line.
            self.bytes = match self.bytes {
                few if few < SAMPLE_BYTES => SAMPLE_BYTES,
                many => many.saturating_mul(4),
            };
        }
        is_seen
    }
}

impl SampleBytes {
    /// Returns the first nonblank lines; an incomplete last line is skipped.
    pub fn lines(self, bytes: &[u8]) -> Vec<&[u8]> {
        let end = if self.is_all {
            bytes.len()
        } else {
            memrchr(b'\n', bytes).map_or(0, |at| at + 1)
        };
        let mut rest = &bytes[..end];
        let next = || {
            let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, more) = rest.split_at_checked(end).filter(|_| end > 0)?;
            rest = more;
            Some(lines::trim(line))
        };
        std::iter::from_fn(next)
            .filter(|line| !line.is_empty())
            .take(SAMPLE_LINES)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes and lines used to choose a schema when `len` bytes are available.
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
            // The first read does not suffice.
            (first / 2, 300, (SAMPLE_BYTES, 128)),
            (first, 100, (SAMPLE_BYTES, 64)),
            (first, 3, (3 * FIRST_BYTES, 3)),
            (SAMPLE_BYTES as usize, 2, (SAMPLE_BYTES, 1)),
            // The first line exceeds the maximum.
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
