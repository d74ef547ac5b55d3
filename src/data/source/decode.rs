//! The thread that decodes input which cannot be read by position (compressed files, pipes,
//! containers): decompresses it and lets its container publish the rows.

use std::fs::File;
use std::io::{self, BufReader, PipeReader, Read};
use std::sync::Arc;
use std::thread;

use flate2::bufread::MultiGzDecoder;
use rustix::event::{PollFd, PollFlags, poll};
use zstd::stream::read::Decoder;

use super::SourceError;
use super::change::FileStamp;
use super::charset::utf8_reader;
use super::container::output::RowOutput;
use super::container::{self, RowSearch};
use super::read_ahead::{FillMode, PieceReader};
use super::sniff::{self, Encoding};
use super::spool::Spool;
use super::spool_store::PositionReader;

/// Raw bytes read at a time.
const RAW_PIECE: usize = 256 << 10;
/// The source of raw bytes.
pub(super) enum RawInput {
    /// A regular file, read by position, because other programs may share its cursor.
    File {
        from: PositionReader,
        /// Its state when it was opened.
        stamp: FileStamp,
    },
    /// A pipe, socket or device; available bytes are passed on at once. Reading stops when the
    /// other end of `stop` is closed.
    Stream {
        file: File,
        stop: PipeReader,
    },
    Embedded(&'static [u8]),
}

impl RawInput {
    pub(super) fn file(file: File, at: u64, stamp: FileStamp) -> Self {
        let file = Arc::new(file);
        let from = PositionReader { file, at };
        Self::File { from, stamp }
    }
}

/// Starts a thread that fills `spool` until the input ends or soon after the spool is cancelled.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start(
    name: &str,
    raw: RawInput,
    rows: &RowSearch,
    spool: &Arc<Spool>,
) -> io::Result<()> {
    let (name, rows, spool) = (name.to_owned(), rows.clone(), Arc::clone(spool));
    let out = RowOutput { name, spool };
    thread::Builder::new()
        .name("visavis-decode".to_owned())
        // Without a thread there is no filler, so the caller reports why.
        .spawn(move || Filler { out, rows }.run(raw))
        .map(drop)
}

struct Filler {
    out: RowOutput,
    rows: RowSearch,
}

impl Drop for Filler {
    fn drop(&mut self) {
        // If the thread ended without an outcome, readers must not wait for ever.
        self.out.spool.finish(Err(SourceError::of_io(
            &self.out.name,
            &io::Error::other("reading stopped unexpectedly"),
        )));
    }
}

impl Filler {
    fn run(&self, raw: RawInput) {
        let RowOutput { name, spool } = &self.out;
        let mut raw = CountingReader { raw, spool };
        let outcome = self.fill(&mut raw);
        let empty = outcome.is_ok() && spool.extent().len == 0;
        let name = || name.clone();
        let outcome = match raw.raw {
            // The decoded bytes are a mixture, or seem damaged because of the change.
            RawInput::File { from, stamp } if stamp.change_of(&from.file).is_some() => {
                Err(SourceError::Changed(name()))
            }
            _ if empty => Err(SourceError::Empty(name())),
            _ => outcome,
        };
        spool.finish(outcome);
    }

    fn fill(&self, raw: &mut CountingReader<'_>) -> Result<(), SourceError> {
        let pace = if matches!(raw.raw, RawInput::Stream { .. }) {
            FillMode::Live
        } else {
            FillMode::Bulk
        };
        let io = |error| SourceError::of_io(&self.out.name, &error);
        let mut head = Vec::new();
        (raw.by_ref().take(sniff::MAGIC_BYTES as u64))
            .read_to_end(&mut head)
            .map_err(io)?;
        if let RawInput::File { from, .. } = &raw.raw
            && let Some(container) = container::read_by_position(&head)
        {
            let mut from = from.clone();
            from.at -= head.len() as u64;
            return container.rows(&mut PieceReader::of_file(from), &self.out);
        }
        let encoding = sniff::encoding(&head);
        self.out.spool.encoding.get_or_init(|| encoding);
        let buffered = BufReader::with_capacity(RAW_PIECE, io::Cursor::new(head).chain(raw));
        match encoding {
            Encoding::Plain => self.pump(buffered, pace),
            Encoding::Gzip => self.pump(MultiGzDecoder::new(buffered), pace),
            Encoding::Zstd => {
                let mut decoder = Decoder::with_buffer(buffered).map_err(io)?;
                // For the output of `zstd --ultra --long=31`. Memory grows only to the length of
                // the text, not to the size of the window.
                decoder.window_log_max(sniff::MAX_WINDOW_LOG).map_err(io)?;
                self.pump(decoder, pace)
            }
        }
    }

    /// Decompresses on a separate thread, because decompressing takes as long as storing.
    fn pump(&self, from: impl Read + Send, pace: FillMode) -> Result<(), SourceError> {
        let RowOutput { name, spool } = &self.out;
        let from = utf8_reader(from, spool).map_err(|error| self.trouble(&error))?;
        thread::scope(|scope| {
            let mut pieces = PieceReader::new(from, pace, scope, spool)
                .map_err(|error| SourceError::of_io(name, &error))?;
            self.rows.read(&mut pieces, &self.out)?;
            (pieces.trouble).map_or(Ok(()), |error| Err(self.trouble(&error)))
        })
    }

    fn trouble(&self, error: &io::Error) -> SourceError {
        let RowOutput { name, spool } = &self.out;
        let encoding = spool.encoding.get().copied().unwrap_or_default();
        let kept = spool.extent().len;
        // Errors of the system concern the raw input; decoders report their own.
        if encoding == Encoding::Plain || error.raw_os_error().is_some() {
            return SourceError::of_io(name, error);
        }
        let what = error.to_string();
        if let Some(error) =
            sniff::too_large_window(name, &what).filter(|_| encoding == Encoding::Zstd)
        {
            return error;
        }
        let no_beginning = match encoding {
            Encoding::Zstd => "Unknown frame descriptor",
            Encoding::Gzip | Encoding::Plain => "invalid gzip header",
        };
        let damage = match error.kind() {
            io::ErrorKind::UnexpectedEof => "is truncated".to_owned(),
            _ if kept > 0 && what.contains(no_beginning) => {
                "is followed by other data, which is ignored".to_owned()
            }
            _ => format!("is damaged ({what})"),
        };
        SourceError::Decode {
            name: name.clone(),
            damage,
            kept,
        }
    }
}

/// The raw input; counts bytes for the progress bar.
struct CountingReader<'s> {
    raw: RawInput,
    spool: &'s Spool,
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
            Self::File { from, .. } => from.read(buffer),
            Self::Stream { file, stop } => read_or_stop(file, stop, buffer),
            Self::Embedded(bytes) => bytes.read(buffer),
        }
    }
}

/// Waits for bytes until `stop` closes, because a pipe may never deliver more.
fn read_or_stop(mut file: &File, stop: &PipeReader, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        let mut watched = [
            PollFd::new(file, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        poll(&mut watched, None)?;
        let [ready, stopped] = watched.map(|one| !one.revents().is_empty());
        if stopped {
            return Err(io::Error::other("cancelled"));
        }
        if !ready {
            continue;
        }
        match file.read(buffer) {
            // The pipe may be non-blocking, set here or by another program.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read,
        }
    }
}
