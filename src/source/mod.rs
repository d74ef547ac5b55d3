//! A file's bytes, whatever they come from, as one growing thing that is read by place.
//!
//! A plain file of lines is read as it is. Compressed files, pipes, and containers such as a JSON
//! list, CSV or Parquet ([`RowContainer`]) are decoded once, by a thread, into lines in a file in
//! memory or, beyond a share of what is free there, in an unlinked temporary one, which is read like
//! any other.
//! What is known only later (how long it is, whether it is damaged) is told by
//! [`Source::wait_beyond`]; bytes once published there never change, and are there until they are
//! given back ([`Source::release`]).
//!
//! Scans of plain files borrow their bytes from a memory map where a read lease keeps writers out
//! ([`map`]). All other bytes are copied into memory of the thread ([`Piece`]) before they are looked at.
//! Whether they are those of the file that was opened is another question: [`Source::check_unchanged`]
//! answers it before a result is reported.
//!
//! For Unix systems.

mod beside;
mod change;
mod charset;
mod columns;
mod container;
mod decode;
mod document;
mod error;
mod folder;
mod follow;
mod json_string;
pub mod lines;
mod list_lines;
mod map;
mod memory_room;
mod open;
mod parquet_json;
mod parquet_rows;
mod piece;
mod read_ahead;
mod sniff;
mod spool;
mod spool_store;
mod table;
mod table_head;
mod zstd_decoder;

use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use beside::{journal_path, provenance_path};
pub use change::FileChange;
#[cfg(test)]
pub use container::JsonRows;
pub use container::{RowContainer, RowSearch};
pub use error::SourceError;
pub use folder::data_files;
pub use map::{CopyReason, PART_OF_PROGRAM, allow as allow_maps, pause as pause_maps};
pub use memory_room::available as available_memory;
pub use parquet_rows::is_panic_caught;
pub use piece::Piece;
pub use sniff::Encoding;

use change::FileStamp;
use map::{MappedBytes, PlainFile};
use open::{Filling, Opener};
use spool::Spool;

/// Where bytes come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file, or something like it: a named pipe, `/dev/fd/63`.
    Path(PathBuf),
    /// Standard input: a pipe, or a file that was redirected.
    Stdin,
    /// Bytes compiled into the program.
    Embedded {
        /// The name to show.
        name: &'static str,
        /// The bytes.
        bytes: &'static [u8],
    },
    /// A list in a JSON document.
    Within {
        /// The document.
        document: Box<Input>,
        /// Where in it the list stands, as a JSON pointer.
        pointer: String,
    },
}

impl Input {
    /// What is opened, whatever of it is wanted.
    pub fn whole(&self) -> &Self {
        match self {
            Self::Within { document, .. } => document.whole(),
            whole => whole,
        }
    }
}

/// How many decoded bytes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Bytes available now; only ever grows.
    pub len: u64,
    /// Whether that is all of it. Stays `false` when the rest is lost: [`Source::wait_beyond`] says
    /// why.
    pub complete: bool,
}

/// How much of the raw input was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Raw bytes taken in.
    pub read: u64,
    /// Raw bytes there are, where that is known.
    pub of: Option<u64>,
}

/// An open input; see the module. Made for being shared: all methods take `&self`.
///
/// A thread that still fills it ends soon after it is dropped.
#[derive(Debug)]
pub struct Source {
    name: String,
    body: SourceBody,
    /// What the file was like when it was opened, where it is one.
    stamp: Option<FileStamp>,
    /// Whether something was read that is not what was there before.
    altered: AtomicBool,
    /// Whether others may append to it: that changes nothing of what was read.
    is_followed: bool,
}

#[derive(Debug)]
enum SourceBody {
    Embedded(&'static [u8]),
    /// A file of lines that others can write to.
    Plain(Arc<PlainFile>),
    Spooled(Filling),
}

impl Source {
    /// Opens an input, looks for rows in it in this way, and starts to decode it where that is
    /// needed. Never waits for a pipe, not even for its writer.
    ///
    /// # Errors
    /// When it is missing, a directory, empty, unreadable or, as far as its first bytes tell, no
    /// text. Of pipes and compressed files some of that is known only later, and told by
    /// [`Self::wait_beyond`].
    pub fn open_rows(input: &Input, rows: RowSearch) -> Result<Arc<Self>, SourceError> {
        Self::open_within(input, rows, spool::MEMORY_LIMIT).map(Arc::new)
    }

    /// Opens an input that decodes at most `memory_limit` bytes into memory.
    fn open_within(
        input: &Input,
        mut rows: RowSearch,
        memory_limit: u64,
    ) -> Result<Self, SourceError> {
        if let Input::Within { pointer, .. } = input {
            rows.pointer = Some(pointer.clone());
        }
        let opener = |name| Opener {
            name,
            memory_limit,
            rows,
        };
        match input.whole() {
            Input::Path(path) => opener(path.to_string_lossy().into_owned()).path(path),
            Input::Stdin => opener("standard input".to_owned()).stdin(),
            Input::Embedded { name, bytes } => opener((*name).to_owned()).embedded(bytes),
            // A whole is never a part.
            Input::Within { .. } => Err(SourceError::NotFound("a list in a list".to_owned())),
        }
    }

    /// Its name as the user wrote it, with U+FFFD for what is not UTF-8. Not sanitised.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether both are one file, whatever name it was opened by; never of pipes.
    pub fn is_same_file(&self, other: &Self) -> bool {
        let stamps = self.stamp.as_ref().zip(other.stamp.as_ref());
        stamps.is_some_and(|(own, other)| own.is_of_same_file(other))
    }

    fn spool(&self) -> Option<&Spool> {
        match &self.body {
            SourceBody::Spooled(filling) => Some(&filling.spool),
            SourceBody::Embedded(_) | SourceBody::Plain(_) => None,
        }
    }

    fn plain(&self) -> Option<&Arc<PlainFile>> {
        match &self.body {
            SourceBody::Plain(plain) => Some(plain),
            SourceBody::Embedded(_) | SourceBody::Spooled(_) => None,
        }
    }

    /// How the raw bytes are packed. Of a pipe plain until its first bytes came.
    pub fn encoding(&self) -> Encoding {
        let known = self.spool().and_then(|spool| spool.encoding.get());
        known.copied().unwrap_or_default()
    }

    /// What the decoded bytes keep rows in where they come from; lines until that is known.
    pub fn container(&self) -> RowContainer {
        let known = self.spool().and_then(|spool| spool.container.get());
        known.cloned().unwrap_or_default()
    }

    /// The encoding of its text, where it was decoded from another one than UTF-8.
    pub fn charset(&self) -> Option<&'static str> {
        self.spool()?.charset.get().copied()
    }

    /// What its rows were taken from, in a few words; `None` for lines of UTF-8.
    pub fn note(&self) -> Option<String> {
        let notes = [self.container().note(), self.charset().map(str::to_owned)];
        let notes: Vec<_> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(", "))
    }

    /// Whether its bytes are those of the input, none decoded.
    pub fn is_as_stored(&self) -> bool {
        self.encoding() == Encoding::Plain
            && self.container() == RowContainer::Lines
            && self.charset().is_none()
    }

    /// How many decoded bytes there are by now.
    pub fn extent(&self) -> Extent {
        let len = match &self.body {
            SourceBody::Embedded(bytes) => bytes.len() as u64,
            SourceBody::Plain(plain) => plain.len,
            SourceBody::Spooled(filling) => return filling.spool.extent(),
        };
        Extent {
            len,
            complete: true,
        }
    }

    /// Waits until there are more than `len` bytes, or all, or time is up.
    ///
    /// # Errors
    /// When there will never be more than `len` bytes because of damage or another trouble. The
    /// good bytes before it stay readable, and the error comes again whenever it is asked for.
    pub fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<Extent, SourceError> {
        match self.spool() {
            Some(spool) => spool.wait_beyond(len, timeout),
            None => Ok(self.extent()),
        }
    }

    /// How much of the raw input was taken in; of a plain file all.
    pub fn progress(&self) -> Progress {
        let whole = || {
            let read = self.extent().len;
            let of = Some(read);
            Progress { read, of }
        };
        self.spool().map_or_else(whole, Spool::progress)
    }

    /// Reads a range of bytes by place, in place of what is in `buffer`; after an error it is
    /// empty.
    ///
    /// # Errors
    /// When the range is not in the extent, the file shrank, or its disk failed.
    pub fn read_at(&self, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<(), SourceError> {
        buffer.clear();
        self.require(&range)?;
        let length =
            usize::try_from(range.end - range.start).map_err(|_| self.not_there(&range))?;
        buffer.resize(length, 0);
        self.fill(range.start, buffer)
            .inspect_err(|_| buffer.clear())
    }

    /// Gives back what unpacked bytes before a place take: nobody reads them again.
    pub fn release(&self, upto: u64) {
        if let Some(spool) = self.spool() {
            spool.release(upto);
        }
    }

    /// Takes bytes that were scanned out of the memory that the process occupies, where they are mapped.
    pub fn evict(&self, bytes: Range<u64>) {
        if let Some(plain) = self.plain() {
            plain.evict(bytes);
        }
    }

    /// Why its bytes are copied and not scanned in place; `None` where they are scanned in place.
    pub fn copy_reason(&self) -> Option<CopyReason> {
        match &self.body {
            SourceBody::Embedded(_) => Some(PART_OF_PROGRAM),
            SourceBody::Plain(plain) => plain.copy_reason(),
            SourceBody::Spooled(_) => Some("decoded into memory"),
        }
    }

    /// Lends a range of bytes where they can be scanned in place.
    fn lend(&self, range: &Range<u64>) -> Option<MappedBytes> {
        self.plain()?.lend(range)
    }

    /// Refuses a range that is not in the extent.
    fn require(&self, range: &Range<u64>) -> Result<(), SourceError> {
        match range.start <= range.end && range.end <= self.extent().len {
            true => Ok(()),
            false => Err(self.not_there(range)),
        }
    }

    /// Fills `room` with the bytes from `at` on, which must be in the extent. Where some were given back,
    /// nothing that was found is to be trusted.
    fn fill(&self, at: u64, room: &mut [u8]) -> Result<(), SourceError> {
        let read = match &self.body {
            SourceBody::Embedded(bytes) => {
                let mut rest = bytes.get(at as usize..).unwrap_or_default();
                rest.read_exact(room)
            }
            SourceBody::Plain(plain) => plain.file.read_exact_at(room, at),
            SourceBody::Spooled(filling) => filling.spool.read_exact_at(room, at),
        };
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.altered.store(true, Ordering::Relaxed);
                SourceError::Shrunk(self.name.clone())
            }
            _ => self.io(&error),
        })
    }

    /// How the file on disk differs from what was opened, if it does: one cheap look, for every
    /// tick. Of a compressed file this is about the file and not about what it decodes to; pipes
    /// and embedded bytes do not change.
    pub fn change(&self) -> Option<FileChange> {
        let stamp = self.stamp.as_ref()?;
        let itself = || stamp.change_of(&self.plain()?.file);
        stamp.change().or_else(itself)
    }

    /// Whether everything that was read until now was read of one and the same content. To be asked
    /// behind the work and before its result is told; one `fstat` of a plain file, nothing for
    /// others. A file whose path leads to another one by now is still there.
    ///
    /// # Errors
    /// When the file was written to since it was opened, or, of a compressed one, while it was
    /// decoded.
    pub fn check_unchanged(&self) -> Result<(), SourceError> {
        let name = || self.name.clone();
        self.spool().map_or(Ok(()), Spool::check_unchanged)?;
        let stamped = self.stamp.as_ref().zip(self.plain());
        let change = stamped.and_then(|(stamp, plain)| stamp.change_of(&plain.file));
        match change.filter(|change| !self.expects(*change)) {
            Some(FileChange::Shrunk) => Err(SourceError::Shrunk(name())),
            None if !self.altered.load(Ordering::Relaxed) => Ok(()),
            _ => Err(SourceError::Changed(name())),
        }
    }

    /// Notes that bytes were read which are not those that were there before; gives the error that
    /// says so.
    pub fn altered(&self) -> SourceError {
        self.altered.store(true, Ordering::Relaxed);
        SourceError::Changed(self.name.clone())
    }

    fn io(&self, error: &io::Error) -> SourceError {
        SourceError::of_io(&self.name, error)
    }

    fn not_there(&self, range: &Range<u64>) -> SourceError {
        let what = format!(
            "bytes {} to {} were asked for, of {}",
            range.start,
            range.end,
            self.extent().len
        );
        SourceError::Io {
            name: self.name.clone(),
            what,
        }
    }
}

#[cfg(test)]
mod tests;
