//! The thread that takes in what cannot be read by place as it is (compressed files, pipes) and
//! publishes it decoded.

use std::fs::File;
use std::io::{self, BufReader, PipeReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::thread;

use flate2::bufread::MultiGzDecoder;
use rustix::event::{PollFd, PollFlags, poll};

use super::SourceError;
use super::change::FileStamp;
use super::charset::{TableText, Utf8Reader};
use super::columns::ColumnLines;
use super::container::{JsonRows, RowContainer, RowSearch};
use super::error::Damage;
use super::list_lines::{DocumentFault, ListLines, ListStarts};
use super::parquet_rows::{self, ParquetFile};
use super::read_ahead::{FIRST_PIECE, FULL_PIECE, FillMode, PieceReader};
use super::sniff::{self, Encoding};
use super::spool::Spool;
use super::spool_store::disk_file;
use super::table::{TableDialect, TableLines};
use super::zstd_decoder::zstd_decoder;

/// Raw bytes read at a time.
const RAW_PIECE: usize = 256 << 10;
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
pub(super) fn start(
    name: &str,
    raw: RawInput,
    rows: &RowSearch,
    spool: &Arc<Spool>,
) -> io::Result<()> {
    let filler = Filler {
        name: name.to_owned(),
        rows: rows.clone(),
        spool: Arc::clone(spool),
    };
    thread::Builder::new()
        .name("visavis-decode".to_owned())
        .spawn(move || filler.run(raw))
        .map(drop)
}

struct Filler {
    name: String,
    rows: RowSearch,
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
        if let RawInput::File { file, at, .. } = &raw.raw
            && parquet_rows::is_parquet(&head)
        {
            let (start, file) = (*at - head.len() as u64, file.try_clone());
            let io = |error| SourceError::of_io(&self.name, &error);
            return self.pump_parquet(file.map_err(io)?, start, Some(head.len() as u64));
        }
        let encoding = sniff::encoding(&head);
        self.spool.set_encoding(encoding);
        let buffered = BufReader::with_capacity(RAW_PIECE, io::Cursor::new(head).chain(raw));
        match encoding {
            Encoding::Plain => self.pump(buffered, encoding, pace),
            Encoding::Gzip => self.pump(MultiGzDecoder::new(buffered), encoding, pace),
            Encoding::Zstd => match zstd_decoder(buffered) {
                Ok(decoder) => self.pump(decoder, encoding, pace),
                Err(error) => Err(SourceError::of_io(&self.name, &error)),
            },
        }
    }

    /// Publishes what is read, which where it is unpacked happens on a thread of its own: unpacking
    /// is as much work as keeping what comes of it.
    fn pump(
        &self,
        from: impl Read + Send,
        encoding: Encoding,
        pace: FillMode,
    ) -> Result<(), SourceError> {
        let from = Utf8Reader::new(from, &self.spool);
        if encoding == Encoding::Plain || matches!(pace, FillMode::Live) {
            return self.pump_pieces(PieceReader::new(from, pace), encoding);
        }
        thread::scope(|scope| match PieceReader::ahead(from, scope) {
            Ok(pieces) => self.pump_pieces(pieces, encoding),
            Err(error) => Err(SourceError::of_io(&self.name, &error)),
        })
    }

    fn pump_pieces(
        &self,
        mut pieces: PieceReader<'_>,
        encoding: Encoding,
    ) -> Result<(), SourceError> {
        let Some(container) = self.container(&mut pieces)? else {
            return Ok(());
        };
        let mut kept = 0;
        if !matches!(container, RowContainer::Parquet { .. }) {
            self.spool.set_container(container.clone());
        }
        let end = match container {
            RowContainer::Lines => self.pump_lines(pieces, &mut kept)?,
            RowContainer::Json(JsonRows::Columns) => self.pump_columns(pieces, &mut kept)?,
            RowContainer::Json(rows) => self.pump_list(pieces, &rows, &mut kept)?,
            RowContainer::Parquet { .. } => self.copy_parquet(pieces)?,
            RowContainer::Table(dialect) => self.pump_table(pieces, dialect, &mut kept)?,
        };
        end.map_or(Ok(()), |error| Err(self.trouble(&error, encoding, kept)))
    }

    /// Takes pieces until they tell what they keep rows in; `None` when nobody wants more. What was
    /// taken comes again.
    fn container(&self, pieces: &mut PieceReader<'_>) -> Result<Option<RowContainer>, SourceError> {
        let mut head = Vec::new();
        let mut asked = 0;
        while !self.spool.cancelled() {
            let is_first = head.is_empty();
            let (piece, ended) = pieces.next();
            if is_first && !parquet_rows::is_parquet(piece) {
                sniff::require_text(&self.name, piece)?;
            }
            let is_line_end = piece.contains(&b'\n');
            head.extend_from_slice(piece);
            // A pipe may give byte by byte; nobody looks at much text for each of them.
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

    /// Publishes pieces as they are; gives the trouble that they end with, if any.
    fn pump_lines(
        &self,
        mut pieces: PieceReader<'_>,
        kept: &mut u64,
    ) -> Result<Option<io::Error>, SourceError> {
        while !self.spool.cancelled() {
            let (piece, ended) = pieces.next();
            self.publish(piece, kept)?;
            if ended {
                return Ok(pieces.trouble());
            }
        }
        Ok(None)
    }

    /// Publishes the values of a document as lines.
    fn pump_list(
        &self,
        pieces: PieceReader<'_>,
        rows: &JsonRows,
        kept: &mut u64,
    ) -> Result<Option<io::Error>, SourceError> {
        let (trouble, _) = self.read_list(pieces, rows, |lines| self.publish(lines, kept))?;
        Ok(trouble)
    }

    /// Reads all of a document, and hands on the lines that come of it. Returns the trouble that it ends
    /// with, and where lists begin.
    fn read_list(
        &self,
        mut pieces: PieceReader<'_>,
        rows: &JsonRows,
        mut take: impl FnMut(&[u8]) -> Result<(), SourceError>,
    ) -> Result<(Option<io::Error>, ListStarts), SourceError> {
        let mut is_last = false;
        let mut next = |lines: &mut Vec<u8>, piece: Option<&mut Vec<u8>>| {
            take(lines)?;
            lines.clear();
            let Some(piece) = piece else {
                return Ok(());
            };
            while piece.is_empty() && !is_last && !self.spool.cancelled() {
                let (bytes, ended) = pieces.next();
                is_last = ended;
                piece.extend_from_slice(bytes);
            }
            Ok(())
        };
        let mut list = ListLines::new(rows, &mut next);
        let read = list.read();
        let (kept, lists) = (list.whole(), list.lists());
        let trouble = pieces.trouble();
        match read {
            Err(DocumentFault::Lines(error)) => Err(error),
            _ if self.spool.cancelled() => Ok((None, lists)),
            Err(DocumentFault::Broken(what)) => Err(self.broken(what, kept, "element")),
            Ok(()) => Ok((trouble, lists)),
            Err(_) if trouble.is_some() => Ok((trouble, lists)),
            Err(DocumentFault::End(what)) => Err(self.broken(what, kept, "element")),
            Err(DocumentFault::NoList(what)) => Err(SourceError::NoList {
                name: self.name.clone(),
                what,
            }),
        }
    }

    /// Publishes the rows of a document of columns as lines, once it is read.
    fn pump_columns(
        &self,
        pieces: PieceReader<'_>,
        kept: &mut u64,
    ) -> Result<Option<io::Error>, SourceError> {
        let no_room = |error| self.no_room(&error);
        let mut file = disk_file().map_err(no_room)?;
        let mut length = 0;
        let (trouble, lists) = self.read_list(pieces, &JsonRows::Columns, |lines| {
            length += lines.len() as u64;
            file.write_all(lines).map_err(no_room)
        })?;
        let mut rows = ColumnLines::new(file, &lists, length);
        let (mut lines, mut is_more) = (Vec::new(), true);
        while is_more && !self.spool.cancelled() {
            is_more = rows.push_next(&mut lines).map_err(no_room)?;
            if !is_more || lines.len() >= FIRST_PIECE {
                self.publish(&lines, kept)?;
                lines.clear();
            }
        }
        Ok(trouble)
    }

    /// Publishes the records of a table as lines.
    fn pump_table(
        &self,
        mut pieces: PieceReader<'_>,
        dialect: TableDialect,
        kept: &mut u64,
    ) -> Result<Option<io::Error>, SourceError> {
        let mut table = TableLines::new(dialect);
        let (mut text, mut decoded, mut lines) = (TableText::new(), Vec::new(), Vec::new());
        while !self.spool.cancelled() {
            let (piece, ended) = pieces.next();
            let piece = text.take(table.without_preamble(piece), ended, &mut decoded);
            let fed = table.feed(piece, &mut lines);
            if let Some(page) = text.code_page() {
                self.spool.set_charset(page);
            }
            if ended {
                table.finish(&mut lines);
            }
            self.publish(&lines, kept)?;
            lines.clear();
            fed.map_err(|what| self.broken(what, table.rows(), "row"))?;
            if ended {
                return Ok(pieces.trouble());
            }
        }
        Ok(None)
    }

    /// Takes all of a Parquet file, which is read from its end, and publishes its rows as lines.
    fn copy_parquet(&self, mut pieces: PieceReader<'_>) -> Result<Option<io::Error>, SourceError> {
        let mut copy = disk_file().map_err(|error| self.no_room(&error))?;
        while !self.spool.cancelled() {
            let (piece, ended) = pieces.next();
            copy.write_all(piece)
                .map_err(|error| self.no_room(&error))?;
            if ended {
                return match pieces.trouble() {
                    None => self.pump_parquet(copy, 0, None).map(|()| None),
                    trouble => Ok(trouble),
                };
            }
        }
        Ok(None)
    }

    /// Publishes the rows of a Parquet file from `start` on as lines; of `counted` raw bytes those
    /// that were taken in are counted.
    fn pump_parquet(
        &self,
        file: File,
        start: u64,
        mut counted: Option<u64>,
    ) -> Result<(), SourceError> {
        let file = ParquetFile::open(&self.name, file, start)?;
        let left_out = file.left_out.clone();
        self.spool.set_container(RowContainer::Parquet { left_out });
        let (mut lines, mut size) = (Vec::new(), FIRST_PIECE);
        let (mut kept, mut row, mut published) = (0, 0, Ok(()));
        let mut publish = |lines: &mut Vec<u8>, row: u64| {
            if let Some(counted) = &mut counted {
                let more = file.bytes_of(row).saturating_sub(*counted);
                self.spool.count_raw(more as usize);
                *counted += more;
            }
            let published = self.publish(lines, &mut kept);
            lines.clear();
            published
        };
        let read = file.each(&mut lines, |lines| {
            row += 1;
            if lines.len() >= size {
                size = (size * 4).min(FULL_PIECE);
                published = publish(lines, row);
            }
            published.is_ok() && !self.spool.cancelled()
        });
        published?;
        publish(&mut lines, row)?;
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

    fn publish(&self, bytes: &[u8], kept: &mut u64) -> Result<(), SourceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.spool
            .append(bytes)
            .map_err(|error| self.no_room(&error))?;
        *kept += bytes.len() as u64;
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
