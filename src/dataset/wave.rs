//! Reads and scans one segment of a wave.
//!
//! A wave is cut into segments of bytes regardless of lines. A segment owns the lines that begin in
//! it, and its thread reads on to the end of the last one. A line that is too long for the wave, or
//! incomplete, is left to a later wave.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::scan::{FileRows, Scan, scan};
use crate::source::{Extent, Piece, Source, SourceError};

/// Bytes read at first beyond a segment to find the end of its last line; doubled each time.
const FIRST_STEP: u64 = 16 << 10;

/// A range of bytes whose lines are scanned together.
#[derive(Debug, Clone)]
pub(super) struct Wave {
    /// Offsets at which its lines begin.
    pub(super) lines: Range<u64>,
    /// Whether a line is known to begin at the start of the range.
    starts_with_line: bool,
    /// A line that extends beyond this is left to a wave that begins with it, so that the rows
    /// before it need not wait. Does not apply to the first line of this wave.
    pub(super) reach: u64,
    /// The available part of the file.
    pub(super) extent: Extent,
}

impl Wave {
    /// The lines that begin within `wave` bytes from `at`, where a line begins.
    pub(super) fn new(at: u64, wave: usize, extent: Extent) -> Self {
        let wave = wave as u64;
        Self {
            lines: at..extent.len.min(at.saturating_add(wave)),
            starts_with_line: true,
            reach: at.saturating_add(2 * wave),
            extent,
        }
    }

    /// The lines that begin within `wave` bytes from `at`, which may be within a line.
    pub(super) fn anywhere(at: u64, wave: usize, extent: Extent) -> Self {
        Self {
            starts_with_line: at == 0,
            ..Self::new(at, wave, extent)
        }
    }

    /// Returns the number of bytes in which its lines begin.
    pub(super) const fn length(&self) -> usize {
        (self.lines.end - self.lines.start) as usize
    }

    /// Returns its segments.
    pub(super) fn segments(&self, length: usize) -> Vec<Range<u64>> {
        let Range { start, end } = self.lines;
        (start..end)
            .step_by(length)
            .map(|start| start..end.min(start + length as u64))
            .collect()
    }

    /// Reads and scans the lines that begin in a segment.
    ///
    /// # Errors
    /// If the bytes cannot be read.
    pub(super) fn scan(
        &self,
        source: &Source,
        rows: FileRows<'_>,
        segment: Range<u64>,
    ) -> Result<Scan, SourceError> {
        let mut piece = Piece::new();
        let lines = self.read(source, segment, &mut piece)?;
        let bytes = piece.get(&lines).unwrap_or_default();
        let offset = (lines.start - self.lines.start) as usize;
        let mut scan = scan(rows, bytes, offset);
        scan.end = (!bytes.is_empty()).then_some(lines.end);
        Ok(scan)
    }

    /// Reads the lines that begin in a segment and returns their range.
    fn read(
        &self,
        source: &Source,
        segment: Range<u64>,
        piece: &mut Piece,
    ) -> Result<Range<u64>, SourceError> {
        let Range { start, end } = segment;
        let nothing = Ok(end..end);
        let is_first = self.starts_with_line && start == self.lines.start;
        // The byte before shows whether a line begins with the segment.
        let upto = (end + FIRST_STEP)
            .min(self.reach.max(end))
            .min(self.extent.len);
        piece.borrow(source, start - u64::from(!is_first)..upto)?;
        let first = match is_first {
            true => start,
            false => match memchr(b'\n', piece.bytes()) {
                Some(at) if start + (at as u64) < end => start + at as u64,
                _ => return nothing,
            },
        };
        let (mut searched, mut step) = (end - 1, 2 * FIRST_STEP);
        loop {
            let upto = piece.range().end;
            let fresh = piece.get(&(searched..upto)).unwrap_or_default();
            if let Some(at) = memchr(b'\n', fresh) {
                return Ok(first..searched + at as u64 + 1);
            }
            let is_all = upto == self.extent.len;
            if is_all && self.extent.complete {
                return Ok(first..upto);
            }
            if is_all || upto >= self.reach {
                // Without its last line.
                let whole = memrchr(b'\n', piece.get(&(first..end)).unwrap_or_default());
                match whole {
                    Some(at) => return Ok(first..first + at as u64 + 1),
                    None if is_all || first > self.lines.start => return nothing,
                    None => {}
                }
            }
            searched = upto;
            let next = if upto < self.reach {
                self.reach.min(upto + step)
            } else {
                upto + step
            };
            piece.extend(source, self.extent.len.min(next))?;
            // In proportion to a giant line, or its borrowed bytes would be loaded again at each step.
            let most = (self.lines.end - self.lines.start).max((next - first) / 8);
            step = (2 * step).min(most).max(FIRST_STEP);
        }
    }
}

/// Returns whether a line ends in a range of bytes.
///
/// # Errors
/// If the bytes cannot be read.
pub(super) fn has_line_end(source: &Source, range: Range<u64>) -> Result<bool, SourceError> {
    let mut piece = Piece::new();
    let (mut at, mut step) = (range.start, FIRST_STEP);
    while at < range.end {
        let end = range.end.min(at + step);
        piece.read(source, at..end)?;
        if memchr(b'\n', piece.bytes()).is_some() {
            return Ok(true);
        }
        (at, step) = (end, (2 * step).min(1 << 20));
    }
    Ok(false)
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::source::Input;

    fn source(text: &str) -> std::sync::Arc<Source> {
        Source::open(&Input::Embedded {
            name: "f",
            bytes: text.to_owned().leak().as_bytes(),
        })
        .expect("opened")
    }

    #[test]
    fn segments_own_the_lines_that_begin_in_them() {
        for (text, wave, complete, lines) in [
            ("ab\ncd\nef\n", 3, true, &["ab\n"][..]),
            ("ab\ncd\nef\n", 4, true, &["ab\n", "cd\n"]),
            ("ab\ncd\nef", 99, true, &["ab\n", "cd\n", "ef"]),
            ("ab\ncd\nef", 99, false, &["ab\n", "cd\n"]),
            // The giant line is left to the next wave, where it is the first.
            ("ab\ncccccccccccc\nef\n", 4, true, &["ab\n"]),
            ("cccccccccccc\nef\n", 4, true, &["cccccccccccc\n"]),
            ("cccccccccccc", 4, false, &[]),
            ("cccccccccccc", 4, true, &["cccccccccccc"]),
            ("\n\n\na\n", 3, true, &["\n", "\n", "\n"]),
        ] {
            let (source, len) = (source(text), text.len() as u64);
            let wave = Wave::new(0, wave, Extent { len, complete });
            for length in 1..=text.len() {
                let (mut found, mut at) = (Vec::new(), 0);
                for segment in wave.segments(length) {
                    let mut piece = Piece::new();
                    let range = wave.read(&source, segment, &mut piece).expect("read");
                    if !range.is_empty() {
                        assert_eq!(range.start, at, "{text:?} {length}");
                        at = range.end;
                        let bytes = piece.get(&range).expect("in the piece");
                        found.extend(
                            bytes
                                .split_inclusive(|&byte| byte == b'\n')
                                .map(<[u8]>::to_vec),
                        );
                    }
                }
                let found: Vec<_> = found
                    .iter()
                    .map(|line| String::from_utf8_lossy(line))
                    .collect();
                assert_eq!(found, lines, "{text:?} {wave:?} {length}");
            }
        }
    }

    #[test]
    fn line_ends() {
        let text = "x".repeat(100_000) + "\n" + &"x".repeat(100_000);
        let source = source(&text);
        for (range, there) in [
            (0..100_000, false),
            (0..100_001, true),
            (100_001..200_001, false),
            (7..7, false),
        ] {
            assert_eq!(has_line_end(&source, range.clone()), Ok(there), "{range:?}");
        }
    }
}
