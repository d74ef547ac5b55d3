//! Decoded bytes in pieces: read when they are asked for, or ahead of that by a thread of their own.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};

/// Decoded bytes of the first piece, so that the first screen comes at once; each is four times the
/// one before, up to [`FULL_PIECE`].
pub(super) const FIRST_PIECE: usize = 64 << 10;
pub(super) const FULL_PIECE: usize = 1 << 20;
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

/// How a piece ended.
enum PieceEnd {
    Full,
    Input,
    Trouble(io::Error),
}

/// Fills a buffer; gives how many bytes of it are those of the piece, and how that ended.
type TakePiece<'p> = dyn FnMut(&mut Vec<u8>) -> (usize, PieceEnd) + 'p;

/// Decoded bytes, piece by piece.
pub(super) struct PieceReader<'p> {
    take: Box<TakePiece<'p>>,
    /// Bytes that come before those that are read.
    ahead: io::Cursor<Vec<u8>>,
    buffer: Vec<u8>,
    /// How it ended, once it did.
    end: Option<PieceEnd>,
}

impl<'p> PieceReader<'p> {
    /// Pieces that are read as they are asked for.
    pub(super) fn new(mut from: impl Read + 'p, pace: FillMode) -> Self {
        let mut size = FIRST_PIECE;
        Self::taking(move |buffer| take_sized(&mut from, buffer, &mut size, pace))
    }

    /// Full pieces that a thread of `scope` reads ahead, until the input ends or this is dropped.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn ahead<'s>(
        from: impl Read + Send + 's,
        scope: &'s Scope<'s, '_>,
    ) -> io::Result<Self> {
        let (filled, pieces) = sync_channel(MOST_AHEAD);
        let (give_back, spare) = channel();
        thread::Builder::new()
            .name("visavis-unpack".to_owned())
            .spawn_scoped(scope, move || read_ahead(from, &filled, &spare))?;
        Ok(Self::taking(move |buffer| {
            take_ahead(buffer, &pieces, &give_back)
        }))
    }

    fn taking(take: impl FnMut(&mut Vec<u8>) -> (usize, PieceEnd) + 'p) -> Self {
        Self {
            take: Box::new(take),
            ahead: io::Cursor::default(),
            buffer: vec![0; FULL_PIECE],
            end: None,
        }
    }

    /// The next piece, and whether it is the last.
    pub(super) fn next(&mut self) -> (&[u8], bool) {
        let ahead = self.ahead.read(&mut self.buffer).unwrap_or(0);
        if ahead > 0 {
            let is_last =
                self.end.is_some() && self.ahead.position() == self.ahead.get_ref().len() as u64;
            return (&self.buffer[..ahead], is_last);
        }
        if self.end.is_some() {
            return (&[], true);
        }
        let (length, end) = (self.take)(&mut self.buffer);
        if !matches!(end, PieceEnd::Full) {
            self.end = Some(end);
        }
        (&self.buffer[..length], self.end.is_some())
    }

    /// Gives bytes again that were the first.
    pub(super) fn put_back(&mut self, bytes: Vec<u8>) {
        self.ahead = io::Cursor::new(bytes);
    }

    /// What it ended with, if that was no end.
    pub(super) fn trouble(self) -> Option<io::Error> {
        match self.end {
            Some(PieceEnd::Trouble(error)) => Some(error),
            _ => None,
        }
    }
}

/// A piece that was read ahead, in a buffer of its own.
type FilledPiece = (Vec<u8>, usize, PieceEnd);

/// Reads pieces until the input ends or nobody takes them.
fn read_ahead(mut from: impl Read, filled: &SyncSender<FilledPiece>, spare: &Receiver<Vec<u8>>) {
    let mut size = FIRST_PIECE;
    loop {
        let spare = spare.try_recv().ok();
        let mut buffer = spare.unwrap_or_else(|| vec![0; FULL_PIECE]);
        let (length, end) = take_sized(&mut from, &mut buffer, &mut size, FillMode::Bulk);
        let goes_on = matches!(end, PieceEnd::Full);
        if filled.send((buffer, length, end)).is_err() || !goes_on {
            return;
        }
    }
}

/// Takes the next piece that was read ahead, and gives the buffer of the one before back.
fn take_ahead(
    buffer: &mut Vec<u8>,
    pieces: &Receiver<FilledPiece>,
    give_back: &Sender<Vec<u8>>,
) -> (usize, PieceEnd) {
    let Ok((piece, length, end)) = pieces.recv() else {
        // The thread that reads them ended without saying why.
        let error = io::Error::other("unpacking stopped unexpectedly");
        return (0, PieceEnd::Trouble(error));
    };
    // At the end nobody wants it.
    let _ = give_back.send(std::mem::replace(buffer, piece));
    (length, end)
}

/// Takes a piece of `size` bytes; the next one is larger.
fn take_sized(
    from: &mut impl Read,
    buffer: &mut [u8],
    size: &mut usize,
    pace: FillMode,
) -> (usize, PieceEnd) {
    let taken = take_piece(from, &mut buffer[..*size], pace);
    *size = (*size * 4).min(FULL_PIECE);
    taken
}

/// Fills `piece` as far as it goes; also before trouble, what was good counts.
fn take_piece(from: &mut impl Read, piece: &mut [u8], pace: FillMode) -> (usize, PieceEnd) {
    let mut length = 0;
    while length < piece.len() {
        let step = STEP.min(piece.len() - length);
        match from.read(&mut piece[length..length + step]) {
            Ok(0) => return (length, PieceEnd::Input),
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return (length, PieceEnd::Trouble(error)),
        }
        if matches!(pace, FillMode::Live) {
            break;
        }
    }
    (length, PieceEnd::Full)
}
