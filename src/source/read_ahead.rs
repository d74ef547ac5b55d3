//! Decoded bytes in pieces, which a thread reads ahead.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope};

/// Decoded bytes of the first piece, so that the first screen comes at once; each is four times the
/// one before, up to [`FULL_PIECE`].
pub(super) const FIRST_PIECE: usize = 64 << 10;
const FULL_PIECE: usize = 1 << 20;
/// Decoded bytes asked for at a time. What a decoder has ready when it finds damage in the same
/// step is lost, so a step is short; but steps of 64 KiB make gzip a fifth slower.
const STEP: usize = 256 << 10;
/// Pieces that are read ahead: enough that neither side waits for the other's every piece.
const MOST_AHEAD: usize = 4;

/// Whether to wait for full pieces.
#[derive(Clone, Copy)]
pub(super) enum FillMode {
    /// A file: full pieces, for fewer of them cost less.
    Bulk,
    /// A stream: whatever is there, for the rest may take its time.
    Live,
}

/// Decoded bytes, piece by piece.
pub(super) struct PieceReader {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    /// Bytes that come before those that are read.
    first: Option<Vec<u8>>,
    /// What it ended with, if that was no end.
    pub(super) trouble: Option<io::Error>,
}

impl PieceReader {
    /// Pieces that a thread of `scope` reads ahead, until the input ends or this is dropped.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn new<'s>(
        from: impl Read + Send + 's,
        pace: FillMode,
        scope: &'s Scope<'s, '_>,
    ) -> io::Result<Self> {
        let (filled, pieces) = sync_channel(MOST_AHEAD);
        Builder::new()
            .name("visavis-unpack".to_owned())
            .spawn_scoped(scope, move || read_pieces(from, pace, &filled))?;
        Ok(Self {
            pieces,
            piece: Vec::new(),
            first: None,
            trouble: None,
        })
    }

    /// The next piece; `None` at the end.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        self.piece = match self.first.take() {
            Some(first) => first,
            None => match self.pieces.recv().ok()? {
                Ok(piece) => piece,
                Err(error) => {
                    self.trouble = Some(error);
                    return None;
                }
            },
        };
        Some(&self.piece)
    }

    /// Gives bytes again that were the first.
    pub(super) fn put_back(&mut self, bytes: Vec<u8>) {
        self.first = Some(bytes);
    }
}

/// Reads pieces until the input ends or nobody takes them.
fn read_pieces(mut from: impl Read, pace: FillMode, filled: &SyncSender<io::Result<Vec<u8>>>) {
    let (mut size, mut goes_on) = (FIRST_PIECE, Ok(true));
    while matches!(goes_on, Ok(true)) {
        let mut piece = vec![0; size];
        goes_on = fill(&mut from, &mut piece, pace);
        // Also before trouble, what was good counts.
        if !piece.is_empty() && filled.send(Ok(piece)).is_err() {
            return;
        }
        // A stream has no more at a time.
        if matches!(pace, FillMode::Bulk) {
            size = (size * 4).min(FULL_PIECE);
        }
    }
    if let Err(error) = goes_on {
        // As above.
        let _ = filled.send(Err(error));
    }
}

/// Fills a piece as far as it goes; returns whether the input may go on.
fn fill(from: &mut impl Read, piece: &mut Vec<u8>, pace: FillMode) -> io::Result<bool> {
    let (size, mut length) = (piece.len(), 0);
    let end = loop {
        let step = STEP.min(size - length);
        match from.read(&mut piece[length..length + step]) {
            Ok(0) => break Ok(false),
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break Err(error),
        }
        if length == size || matches!(pace, FillMode::Live) {
            break Ok(true);
        }
    };
    piece.truncate(length);
    end
}
