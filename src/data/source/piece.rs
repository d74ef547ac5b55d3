//! A range of bytes for the thread that reads it: copied into reused memory, or borrowed from a
//! map.

use std::cell::Cell;
use std::ops::Range;

use super::map::MappedBytes;
use super::{Source, SourceError};

/// Bytes of memory that a thread keeps for its next piece; the memory of a giant line is freed.
const MAX_SPARE: usize = 4 << 20;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A range of a source's bytes that does not change while this exists, even if the file does.
#[derive(Debug)]
pub struct Piece {
    /// Longer than the longest piece so far; clearing it for each piece would be as slow as
    /// reading.
    memory: Vec<u8>,
    range: Range<u64>,
    /// The range if it is not copied.
    mapped: Option<MappedBytes>,
}

impl Piece {
    /// Returns an empty piece.
    pub fn new() -> Self {
        // Takes the thread's spare memory if there is any.
        Self {
            memory: SPARE.try_with(Cell::take).unwrap_or_default(),
            range: 0..0,
            mapped: None,
        }
    }

    /// Reads a range into the piece, without copying if the source is mapped; otherwise like
    /// [`Self::read`].
    ///
    /// # Errors
    /// Those of [`Source::read_at`].
    pub fn borrow(&mut self, source: &Source, range: Range<u64>) -> Result<(), SourceError> {
        self.mapped = None;
        source.require(&range)?;
        self.mapped = source.lend(&range);
        if self.mapped.is_none() {
            return self.read(source, range);
        }
        self.range = range;
        Ok(())
    }

    /// Reads a range into the piece, replacing its content; after an error the piece is empty.
    ///
    /// # Errors
    /// Those of [`Source::read_at`].
    pub fn read(&mut self, source: &Source, range: Range<u64>) -> Result<(), SourceError> {
        self.mapped = None;
        self.range = range.start..range.start;
        source.require(&range)?;
        self.fill_to(source, range.end)
    }

    /// Extends the piece to `end`. After an error a copied piece is unchanged, and a borrowed one
    /// is empty or unchanged. The bytes may move. A borrowed piece is borrowed again; if a writer
    /// changed the file in between, [`Source::check_unchanged`] reports it.
    ///
    /// # Errors
    /// Those of [`Source::read_at`].
    pub fn extend(&mut self, source: &Source, end: u64) -> Result<(), SourceError> {
        source.require(&(self.range.end..end))?;
        match self.mapped {
            Some(_) => self.borrow(source, self.range.start..end),
            None => self.fill_to(source, end),
        }
    }

    /// Reads up to `end`, which must be within the source.
    fn fill_to(&mut self, source: &Source, end: u64) -> Result<(), SourceError> {
        let more = self.range.end..end;
        let length = usize::try_from(end - self.range.start);
        let (here, there) = (
            self.bytes().len(),
            length.map_err(|_| source.not_there(&more))?,
        );
        if there > self.memory.len() {
            self.memory.resize(there, 0);
        }
        source.fill(more.start, &mut self.memory[here..there])?;
        self.range.end = end;
        Ok(())
    }

    /// True if the piece is borrowed.
    #[cfg(test)]
    pub(super) fn is_borrowed(&self) -> bool {
        self.mapped.is_some()
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        if let Some(mapped) = &self.mapped {
            return mapped.bytes();
        }
        let length = (self.range.end - self.range.start) as usize;
        &self.memory[..length]
    }

    /// Returns the bytes of a range of the source; `None` if it is not within the piece.
    pub fn get(&self, range: &Range<u64>) -> Option<&[u8]> {
        let within = |at: u64| usize::try_from(at.checked_sub(self.range.start)?).ok();
        self.bytes().get(within(range.start)?..within(range.end)?)
    }
}

impl Default for Piece {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.memory.capacity() <= MAX_SPARE {
            let memory = std::mem::take(&mut self.memory);
            // Fails if the thread is ending, which needs no memory.
            let _ = SPARE.try_with(|spare| spare.set(memory));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;

    #[test]
    fn a_piece_is_read_read_on_and_used_again() {
        let source = Source::open(&Input::Embedded {
            name: "f",
            bytes: b"0123456789",
        })
        .expect("opened");
        let mut piece = Piece::new();
        assert_eq!((piece.bytes(), piece.range.clone()), (&b""[..], 0..0));
        piece.read(&source, 2..9).expect("read");
        assert_eq!(
            (piece.bytes(), piece.range.clone()),
            (&b"2345678"[..], 2..9)
        );
        piece.read(&source, 4..6).expect("read");
        assert_eq!(piece.bytes(), b"45", "nothing is left of the longer one");
        piece.extend(&source, 10).expect("read");
        assert_eq!(piece.bytes(), b"456789");
        for (range, part) in [
            (4..6, Some(&b"45"[..])),
            (9..10, Some(b"9")),
            (10..10, Some(b"")),
            (3..5, None),
            (9..11, None),
        ] {
            assert_eq!(piece.get(&range), part, "{range:?}");
        }
        assert!(piece.extend(&source, 11).is_err());
        assert_eq!(piece.bytes(), b"456789");
        assert!(piece.read(&source, 8..11).is_err());
        assert_eq!(piece.bytes(), b"");
    }

    #[test]
    fn what_a_giant_took_is_given_back() {
        let bytes: &'static [u8] = vec![b'x'; MAX_SPARE + 1].leak();
        let source = Source::open(&Input::Embedded { name: "f", bytes }).expect("opened");
        let kept = |upto: usize| {
            let mut piece = Piece::new();
            piece.read(&source, 0..upto as u64).expect("read");
            drop(piece);
            Piece::new().memory.capacity()
        };
        assert!((1000..=MAX_SPARE).contains(&kept(1000)));
        assert_eq!(kept(MAX_SPARE + 1), 0);
    }
}
