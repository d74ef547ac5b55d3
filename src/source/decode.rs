//! The thread that takes in what cannot be read by place as it is (compressed files, pipes) and
//! publishes it decoded.

use std::fs::File;
use std::io::{self, BufReader, PipeReader, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::thread;

use flate2::bufread::MultiGzDecoder;
use rustix::event::{PollFd, PollFlags, poll};

use super::SourceError;
use super::change::FileStamp;
use super::error::Damage;
use super::sniff::{self, Encoding};
use super::spool::Spool;

/// Raw bytes read at a time.
const RAW_PIECE: usize = 256 << 10;
/// Decoded bytes of the first piece, so that the first screen comes at once; each is four times the
/// one before, up to [`FULL_PIECE`].
const FIRST_PIECE: usize = 64 << 10;
const FULL_PIECE: usize = 1 << 20;
/// Decoded bytes asked for at a time. What a decoder has ready when it finds damage in the same
/// step is lost, so a step is short; but steps of 64 KiB make gzip a fifth slower.
const STEP: usize = 256 << 10;

/// Where raw bytes come from.
pub(super) enum RawInput {
    /// A regular file, read by place: its cursor may be shared with other programs.
    File {
        file: File,
        at: u64,
        /// What it was like when it was opened.
        stamp: FileStamp,
    },
    /// A pipe, a socket, a device; what is there is handed on at once. Reading ends when the other
    /// end of `stop` is closed.
    Stream {
        file: File,
        stop: PipeReader,
    },
    Embedded(&'static [u8]),
}

/// Starts to fill `spool`, on a thread of its own that ends with the input or soon after the spool
/// was cancelled.
///
/// # Errors
/// When the system gives no thread.
pub(super) fn start(name: &str, raw: RawInput, spool: &Arc<Spool>) -> io::Result<()> {
    let filler = Filler {
        name: name.to_owned(),
        spool: Arc::clone(spool),
    };
    thread::Builder::new()
        .name("visavis-decode".to_owned())
        .spawn(move || filler.run(raw))
        .map(drop)
}

struct Filler {
    name: String,
    spool: Arc<Spool>,
}

impl Drop for Filler {
    fn drop(&mut self) {
        // Heard only if the thread ended without an outcome: nobody may wait for it for ever.
        self.spool.finish(Err(SourceError::of_io(
            &self.name,
            &io::Error::other("reading stopped unexpectedly"),
        )));
    }
}

/// Whether to wait for full pieces.
#[derive(Clone, Copy)]
enum FillMode {
    /// A file: full pieces, for fewer of them cost less.
    Bulk,
    /// A stream: whatever is there, for the rest may take its time.
    Live,
}

impl Filler {
    fn run(&self, raw: RawInput) {
        let mut raw = CountingReader {
            raw,
            spool: &self.spool,
        };
        let outcome = self.fill(&mut raw);
        let empty = outcome.is_ok() && self.spool.extent().len == 0;
        let name = || self.name.clone();
        let outcome = match raw.raw {
            // What was decoded is a mixture, or damaged only because it is one.
            RawInput::File { file, stamp, .. } if stamp.change_of(&file).is_some() => {
                Err(SourceError::Changed { name: name() })
            }
            _ if empty => Err(SourceError::Empty { name: name() }),
            _ => outcome,
        };
        self.spool.finish(outcome);
    }

    fn fill(&self, raw: &mut CountingReader<'_>) -> Result<(), SourceError> {
        let pace = if matches!(raw.raw, RawInput::Stream { .. }) {
            FillMode::Live
        } else {
            FillMode::Bulk
        };
        let head = raw
            .head()
            .map_err(|error| SourceError::of_io(&self.name, &error))?;
        let encoding = sniff::encoding(&head);
        self.spool.set_encoding(encoding);
        let buffered = BufReader::with_capacity(RAW_PIECE, io::Cursor::new(head).chain(raw));
        match encoding {
            Encoding::Plain => self.pump(buffered, encoding, pace),
            Encoding::Gzip => self.pump(MultiGzDecoder::new(buffered), encoding, pace),
            Encoding::Zstd => match long_window(buffered) {
                Ok(decoder) => self.pump(decoder, encoding, pace),
                Err(error) => Err(SourceError::of_io(&self.name, &error)),
            },
        }
    }

    fn pump(
        &self,
        mut from: impl Read,
        encoding: Encoding,
        pace: FillMode,
    ) -> Result<(), SourceError> {
        let mut buffer = vec![0; FULL_PIECE];
        let mut size = FIRST_PIECE;
        let mut kept = 0;
        while !self.spool.cancelled() {
            let (length, end) = take_piece(&mut from, &mut buffer[..size], pace);
            let piece = &buffer[..length];
            if kept == 0 {
                sniff::require_text(&self.name, piece)?;
            }
            if !piece.is_empty() {
                self.spool
                    .append(piece)
                    .map_err(|error| self.no_room(&error))?;
                kept += length as u64;
            }
            match end {
                PieceEnd::Full => size = (size * 4).min(FULL_PIECE),
                PieceEnd::Input => return Ok(()),
                PieceEnd::Trouble(error) => return Err(self.trouble(&error, encoding, kept)),
            }
        }
        Ok(())
    }

    fn no_room(&self, error: &io::Error) -> SourceError {
        SourceError::Spool {
            name: self.name.clone(),
            what: error.to_string(),
        }
    }

    fn trouble(&self, error: &io::Error, encoding: Encoding, kept: u64) -> SourceError {
        // What the system said is about the raw input; decoders speak for themselves.
        if encoding == Encoding::Plain || error.raw_os_error().is_some() {
            return SourceError::of_io(&self.name, error);
        }
        let what = error.to_string();
        if let Some(error) =
            sniff::too_large_window(&self.name, &what).filter(|_| encoding == Encoding::Zstd)
        {
            return error;
        }
        let no_beginning = match encoding {
            Encoding::Zstd => "Unknown frame descriptor",
            Encoding::Gzip | Encoding::Plain => "invalid gzip header",
        };
        let damage = match error.kind() {
            io::ErrorKind::UnexpectedEof => Damage::CutShort,
            _ if kept > 0 && what.contains(no_beginning) => Damage::Followed,
            _ => Damage::Corrupt(what),
        };
        SourceError::Decode {
            name: self.name.clone(),
            damage,
            kept,
        }
    }
}

/// A decoder of zstd that also takes what `zstd --ultra --long=31` wrote. Of a large window only as
/// much becomes memory as the text is long.
fn long_window<R: io::BufRead>(from: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(from)?;
    decoder.window_log_max(sniff::MOST_WINDOW_LOG)?;
    Ok(decoder)
}

/// How a piece ended.
enum PieceEnd {
    Full,
    Input,
    Trouble(io::Error),
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

/// The raw input; what is read is counted for the progress bar.
struct CountingReader<'s> {
    raw: RawInput,
    spool: &'s Spool,
}

impl CountingReader<'_> {
    /// First bytes, enough to tell the encoding: a pipe may hand them over one by one.
    fn head(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; sniff::HEAD_BYTES];
        let mut length = 0;
        while length < sniff::MAGIC_BYTES {
            match self.read(&mut bytes[length..])? {
                0 => break,
                read => length += read,
            }
        }
        bytes.truncate(length);
        Ok(bytes)
    }
}

impl Read for CountingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = loop {
            match self.raw.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.spool.count_raw(read);
        Ok(read)
    }
}

impl Read for RawInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File { file, at, .. } => {
                let read = file.read_at(buffer, *at)?;
                *at += read as u64;
                Ok(read)
            }
            Self::Stream { file, stop } => read_or_stop(file, stop, buffer),
            Self::Embedded(bytes) => bytes.read(buffer),
        }
    }
}

/// Waits for bytes, but not for ever: a pipe may never say more, and nobody may be left to hear it.
fn read_or_stop(mut file: &File, stop: &PipeReader, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        let mut watched = [
            PollFd::new(file, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        poll(&mut watched, None)?;
        let [ready, stopped] = watched.map(|one| !one.revents().is_empty());
        if stopped {
            return Err(io::Error::other("no longer wanted"));
        }
        if !ready {
            continue;
        }
        match file.read(buffer) {
            // A pipe can be opened so as not to wait, here or by another program.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read,
        }
    }
}
