//! The thread that decodes input which cannot be read by position (compressed files, pipes,
//! containers) and publishes it.

use std::fs::File;
use std::io::{self, BufReader, PipeReader, Read, Write};
use std::sync::Arc;
use std::thread;

use flate2::bufread::MultiGzDecoder;
use rustix::event::{PollFd, PollFlags, poll};
use zstd::stream::read::Decoder;

use super::SourceError;
use super::change::FileStamp;
use super::charset::{TableText, utf8_reader};
use super::container::json::JsonRows;
use super::container::json::columns::ColumnLines;
use super::container::json::list_lines::{DocumentFault, ListLines, ListStarts};
use super::container::parquet::{self, ParquetFile};
use super::container::table::{TableDialect, TableLines};
use super::container::{RowContainer, RowSearch};
use super::read_ahead::{FIRST_PIECE, FillMode, PieceReader};
use super::sniff::{self, Encoding};
use super::spool::Spool;
use super::spool_store::{PositionReader, disk_file};

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
    thread::Builder::new()
        .name("visavis-decode".to_owned())
        // Without a thread there is no filler, so the caller reports why.
        .spawn(move || Filler { name, rows, spool }.run(raw))
        .map(drop)
}

struct Filler {
    name: String,
    rows: RowSearch,
    spool: Arc<Spool>,
}

impl Drop for Filler {
    fn drop(&mut self) {
        // If the thread ended without an outcome, readers must not wait for ever.
        self.spool.finish(Err(SourceError::of_io(
            &self.name,
            &io::Error::other("reading stopped unexpectedly"),
        )));
    }
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
            // The decoded bytes are a mixture, or seem damaged because of the change.
            RawInput::File { from, stamp } if stamp.change_of(&from.file).is_some() => {
                Err(SourceError::Changed(name()))
            }
            _ if empty => Err(SourceError::Empty(name())),
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
        let io = |error| SourceError::of_io(&self.name, &error);
        let mut head = Vec::new();
        (raw.by_ref().take(sniff::MAGIC_BYTES as u64))
            .read_to_end(&mut head)
            .map_err(io)?;
        if let RawInput::File { from, .. } = &raw.raw
            && parquet::is_parquet(&head)
        {
            let (head, mut from) = (head.len() as u64, from.clone());
            from.at -= head;
            return self.pump_parquet(from, Some(head));
        }
        let encoding = sniff::encoding(&head);
        self.spool.encoding.get_or_init(|| encoding);
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
        let from = utf8_reader(from, &self.spool).map_err(|error| self.trouble(&error))?;
        thread::scope(|scope| match PieceReader::new(from, pace, scope) {
            Ok(pieces) => self.pump_pieces(pieces),
            Err(error) => Err(SourceError::of_io(&self.name, &error)),
        })
    }

    fn encoding(&self) -> Encoding {
        self.spool.encoding.get().copied().unwrap_or_default()
    }

    fn pump_pieces(&self, mut pieces: PieceReader) -> Result<(), SourceError> {
        let Some(container) = self.container(&mut pieces)? else {
            return Ok(());
        };
        if !matches!(container, RowContainer::Parquet { .. }) {
            self.spool.container.get_or_init(|| container.clone());
        }
        match container {
            RowContainer::Lines => self.each(pieces, |piece| self.publish(piece)),
            RowContainer::Json(JsonRows::Columns) => self.pump_columns(pieces),
            RowContainer::Json(rows) => {
                self.read_list(pieces, &rows, |lines| self.publish(lines)).1
            }
            RowContainer::Parquet { .. } => self.copy_parquet(pieces),
            RowContainer::Table(dialect) => self.pump_table(pieces, dialect),
        }
    }

    /// Passes on all pieces.
    fn each(
        &self,
        mut pieces: PieceReader,
        mut take: impl FnMut(&[u8]) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        while !self.spool.cancelled()
            && let Some(piece) = pieces.next()
        {
            take(piece)?;
        }
        self.ended(&pieces)
    }

    /// Returns the error that the pieces ended with.
    fn ended(&self, pieces: &PieceReader) -> Result<(), SourceError> {
        let trouble = pieces.trouble.as_ref();
        trouble.map_or(Ok(()), |error| Err(self.trouble(error)))
    }

    /// Reads pieces until the container is known, and puts them back; `None` if cancelled.
    fn container(&self, pieces: &mut PieceReader) -> Result<Option<RowContainer>, SourceError> {
        let mut head = Vec::new();
        let mut asked = 0;
        while !self.spool.cancelled() {
            let piece = pieces.next();
            let (piece, ended) = (piece.unwrap_or_default(), piece.is_none());
            if head.is_empty() && !parquet::is_parquet(piece) {
                sniff::require_text(&self.name, piece)?;
            }
            let is_line_end = piece.contains(&b'\n');
            head.extend_from_slice(piece);
            // A pipe may deliver single bytes; examining the whole text for each would be slow.
            let is_due = (is_line_end || head.len() < 64) && head.len() < 2 * FIRST_PIECE;
            if ended || is_due || head.len() >= 2 * asked {
                asked = head.len();
                if let Some(container) = self.rows.container(&head, ended) {
                    pieces.put_back(head);
                    return Ok(Some(container));
                }
            }
        }
        Ok(None)
    }

    /// Reads a document and passes on its rows as lines. Returns the start of each list and the
    /// outcome.
    fn read_list(
        &self,
        mut pieces: PieceReader,
        rows: &JsonRows,
        mut take: impl FnMut(&[u8]) -> Result<(), SourceError>,
    ) -> (ListStarts, Result<(), SourceError>) {
        let mut next = |lines: &mut Vec<u8>, piece: Option<&mut Vec<u8>>| {
            take(lines)?;
            lines.clear();
            if let Some(piece) = piece.filter(|_| !self.spool.cancelled()) {
                piece.extend_from_slice(pieces.next().unwrap_or_default());
            }
            Ok(())
        };
        let mut list = ListLines::new(rows, &mut next);
        let read = list.read();
        let (kept, lists) = (list.whole(), list.lists());
        let end = match read {
            Err(DocumentFault::Lines(error)) => Err(error),
            _ if self.spool.cancelled() => Ok(()),
            Err(DocumentFault::Broken(what)) => Err(self.broken(what, kept, "element")),
            read => self.ended(&pieces).and_then(|()| match read {
                Err(DocumentFault::NoList(what)) => Err(SourceError::NoList {
                    name: self.name.clone(),
                    what,
                }),
                Err(DocumentFault::End(what)) => Err(self.broken(what, kept, "element")),
                _ => Ok(()),
            }),
        };
        (lists, end)
    }

    /// Publishes the rows of a document of columns, once it is read.
    fn pump_columns(&self, pieces: PieceReader) -> Result<(), SourceError> {
        let no_room = |error| self.no_room(&error);
        let mut file = disk_file().map_err(no_room)?;
        let mut length = 0;
        let (lists, end) = self.read_list(pieces, &JsonRows::Columns, |lines| {
            length += lines.len() as u64;
            file.write_all(lines).map_err(no_room)
        });
        if matches!(end, Err(SourceError::Broken { .. })) {
            return end;
        }
        let mut rows = ColumnLines::new(file, &lists, length);
        let (mut lines, mut is_more) = (Vec::new(), true);
        while is_more && !self.spool.cancelled() {
            is_more = rows.push_next(&mut lines).map_err(no_room)?;
            if !is_more || lines.len() >= FIRST_PIECE {
                self.publish(&lines)?;
                lines.clear();
            }
        }
        end
    }

    /// Publishes the records of a table as lines.
    fn pump_table(
        &self,
        mut pieces: PieceReader,
        dialect: TableDialect,
    ) -> Result<(), SourceError> {
        let mut table = TableLines::new(dialect);
        let (mut text, mut decoded, mut lines) = (TableText::new(), Vec::new(), Vec::new());
        let mut ended = false;
        while !ended && !self.spool.cancelled() {
            let piece = pieces.next();
            ended = piece.is_none();
            let piece = table.without_preamble(piece.unwrap_or_default());
            let fed = table.feed(text.take(piece, ended, &mut decoded), &mut lines);
            if let Some(page) = text.code_page() {
                self.spool.charset.get_or_init(|| page);
            }
            if ended {
                table.finish(&mut lines);
            }
            self.publish(&lines)?;
            lines.clear();
            fed.map_err(|what| self.broken(what, table.rows(), "row"))?;
        }
        self.ended(&pieces)
    }

    /// Copies a whole Parquet file, which must be read from its end, then publishes its rows.
    fn copy_parquet(&self, pieces: PieceReader) -> Result<(), SourceError> {
        let no_room = |error| self.no_room(&error);
        let mut copy = disk_file().map_err(no_room)?;
        self.each(pieces, |piece| copy.write_all(piece).map_err(no_room))?;
        if self.spool.cancelled() {
            Ok(())
        } else {
            let (file, at) = (Arc::new(copy), 0);
            self.pump_parquet(PositionReader { file, at }, None)
        }
    }

    /// Publishes the rows of a Parquet file as lines. `counted` raw bytes of it are already in the
    /// progress.
    fn pump_parquet(
        &self,
        from: PositionReader,
        mut counted: Option<u64>,
    ) -> Result<(), SourceError> {
        let file = ParquetFile::open(&self.name, from)?;
        let left_out = file.left_out.clone();
        let container = RowContainer::Parquet { left_out };
        self.spool.container.get_or_init(|| container);
        let mut published = Ok(());
        let read = file.each(|lines, row| {
            if let Some(counted) = &mut counted {
                let more = file.bytes_of(row).saturating_sub(*counted);
                self.spool.count_raw(more as usize);
                *counted += more;
            }
            published = self.publish(lines);
            published.is_ok() && !self.spool.cancelled()
        });
        published?;
        read.map_err(|at| self.broken(at.what, at.row, "row"))
    }

    fn broken(&self, what: String, kept: u64, unit: &'static str) -> SourceError {
        SourceError::Broken {
            name: self.name.clone(),
            what,
            kept,
            unit,
        }
    }

    fn publish(&self, bytes: &[u8]) -> Result<(), SourceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.spool
            .append(bytes)
            .map_err(|error| self.no_room(&error))
    }

    fn no_room(&self, error: &io::Error) -> SourceError {
        match SourceError::of_io(&self.name, error) {
            SourceError::Io { name, what } => SourceError::Spool { name, what },
            other => other,
        }
    }

    fn trouble(&self, error: &io::Error) -> SourceError {
        let (encoding, kept) = (self.encoding(), self.spool.extent().len);
        // Errors of the system concern the raw input; decoders report their own.
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
            io::ErrorKind::UnexpectedEof => "is truncated".to_owned(),
            _ if kept > 0 && what.contains(no_beginning) => {
                "is followed by other data, which is ignored".to_owned()
            }
            _ => format!("is damaged ({what})"),
        };
        SourceError::Decode {
            name: self.name.clone(),
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
