//! Reads the beginning of a file to choose its schema.

use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::{memchr, memrchr};

use super::events::{Listener, LoadError};
use crate::schema::{Schema, SchemaChoice};
use crate::source::{Extent, Piece, Source, lines};

/// Maximum number of lines, and of bytes, used to choose a schema.
pub const SAMPLE_LINES: usize = 256;
const SAMPLE_BYTES: u64 = 4 << 20;
/// Bytes that are read first. Usually they contain the first line, which is often sufficient.
const FIRST_BYTES: u64 = 64 << 10;

/// Poll interval for cancellation while waiting for more bytes.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// If no bytes arrive for this long, a schema is guessed from the available lines.
const PAUSE_BEFORE_GUESS: Duration = Duration::from_millis(300);

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

/// Waits for and returns the nonblank lines by which the schema of a file is chosen.
///
/// # Errors
/// If it cannot be read.
pub fn first_lines(source: &Source) -> Result<Vec<Vec<u8>>, LoadError> {
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

/// Chooses a file's schema by its first lines, waiting for them if necessary.
///
/// If the first line is sufficient, later lines are not considered even if available, so that
/// the schema does not depend on how the file arrives. Otherwise a full sample of lines is
/// used, unless the writer pauses and a guess is possible.
///
/// # Errors
/// If the file cannot be read, loading is cancelled, or no schema can be chosen.
pub fn schema_of(
    choice: &SchemaChoice,
    source: &Source,
    listener: &dyn Listener,
) -> Result<Arc<Schema>, LoadError> {
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
            if let Some(schema) = choice.schema_of_first_line(first) {
                return Ok(schema);
            }
        }
        if window.is_enough(seen, &lines) {
            return choice.schema(&lines).map_err(named);
        }
        if window.widen(seen) {
            continue;
        }
        if changed.elapsed() >= PAUSE_BEFORE_GUESS
            && !lines.is_empty()
            && let Ok(schema) = choice.schema(&lines)
        {
            return Ok(schema);
        }
        if !listener.keep_going() {
            return Err(LoadError::Stopped);
        }
        let before = extent.len;
        extent = match source.wait_beyond(before, POLL_INTERVAL) {
            Ok(extent) => extent,
            // No further lines will arrive; the error is reported after these.
            Err(_) if !lines.is_empty() => {
                return choice.schema(&lines).map_err(named);
            }
            Err(error) => return Err(error.into()),
        };
        if extent.len > before {
            changed = Instant::now();
        }
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
