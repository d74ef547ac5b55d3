//! Decoded bytes in pieces, read ahead by a thread, or a file that is read by position.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope};

use super::spool::Spool;
use super::spool_store::{PositionReader, disk_file};

/// Bytes of the first piece, small so that the first screen appears at once; each piece is four
/// times the previous one, up to [`FULL_PIECE`].
pub(super) const FIRST_PIECE: usize = 64 << 10;
const FULL_PIECE: usize = 1 << 20;
/// Decoded bytes requested at a time. A decoder that meets damage loses the whole step, so steps
/// are short; but steps of 64 KiB make gzip a fifth slower.
const STEP: usize = 256 << 10;
/// Pieces read ahead: enough that neither side waits for each piece.
const MAX_AHEAD: usize = 4;

/// Whether to wait for full pieces.
#[derive(Clone, Copy)]
pub(super) enum FillMode {
    /// A file: full pieces, because fewer are cheaper.
    Bulk,
    /// A stream: the available bytes, because the rest may take long.
    Live,
}

/// Reads decoded bytes piece by piece.
#[derive(Default)]
pub(super) struct PieceReader {
    /// The input itself if it is read by position; then there are no pieces.
    pub(super) file: Option<PositionReader>,
    pieces: Option<Receiver<io::Result<Vec<u8>>>>,
    piece: Vec<u8>,
    /// Bytes put back, returned next.
    first: Option<Vec<u8>>,
    /// The error that ended the input, if any.
    pub(super) trouble: Option<io::Error>,
}

impl PieceReader {
    /// Starts a thread of `scope` that reads ahead until the input ends, the spool is cancelled or
    /// this is dropped.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn new<'s>(
        from: impl Read + Send + 's,
        pace: FillMode,
        scope: &'s Scope<'s, '_>,
        spool: &'s Spool,
    ) -> io::Result<Self> {
        let (filled, pieces) = sync_channel(MAX_AHEAD);
        Builder::new()
            .name("visavis-unpack".to_owned())
            .spawn_scoped(scope, move || read_pieces(from, pace, &filled, spool))?;
        Ok(Self {
            pieces: Some(pieces),
            ..Self::default()
        })
    }

    /// Reads a file by position.
    pub(super) fn of_file(from: PositionReader) -> Self {
        Self {
            file: Some(from),
            ..Self::default()
        }
    }

    /// Returns a file with all bytes: the input itself, or a copy of the pieces. `None` if they end
    /// with an error. If the spool is cancelled, the copy may lack bytes, but its rows are not
    /// published.
    ///
    /// # Errors
    /// If there is no space for the copy.
    pub(super) fn whole(&mut self) -> io::Result<Option<PositionReader>> {
        if let Some(file) = &self.file {
            return Ok(Some(file.clone()));
        }
        let mut copy = disk_file()?;
        while let Some(piece) = self.next() {
            copy.write_all(piece)?;
        }
        let (file, at) = (Arc::new(copy), 0);
        Ok((self.trouble.is_none()).then_some(PositionReader { file, at }))
    }

    /// Returns the next piece; `None` at the end.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        self.piece = match self.first.take() {
            Some(first) => first,
            None => match self.pieces.as_ref()?.recv().ok()? {
                Ok(piece) => piece,
                Err(error) => {
                    self.trouble = Some(error);
                    return None;
                }
            },
        };
        Some(&self.piece)
    }

    /// Puts back the first bytes to be read again.
    pub(super) fn put_back(&mut self, bytes: Vec<u8>) {
        self.first = Some(bytes);
    }
}

/// Reads pieces until the input ends, the spool is cancelled or the receiver is gone.
fn read_pieces(
    mut from: impl Read,
    pace: FillMode,
    filled: &SyncSender<io::Result<Vec<u8>>>,
    spool: &Spool,
) {
    let (mut size, mut goes_on) = (FIRST_PIECE, Ok(true));
    while matches!(goes_on, Ok(true)) && !spool.cancelled() {
        let mut piece = vec![0; size];
        goes_on = fill(&mut from, &mut piece, pace);
        // Bytes before an error are valid.
        if !piece.is_empty() && filled.send(Ok(piece)).is_err() {
            return;
        }
        // A stream never has much available.
        if matches!(pace, FillMode::Bulk) {
            size = (size * 4).min(FULL_PIECE);
        }
    }
    if let Err(error) = goes_on {
        // The receiver may be gone.
        let _ = filled.send(Err(error));
    }
}

/// Fills a piece as far as possible; returns `false` at the end of the input.
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
