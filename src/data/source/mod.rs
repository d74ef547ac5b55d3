//! An input of any kind as one growing range of bytes that is read by position.
//!
//! A plain file of lines is read directly. Compressed files, pipes, and containers such as a JSON
//! list, CSV or Parquet ([`RowContainer`]) are decoded once, by a thread, to lines in a file in
//! memory or, beyond a share of free memory, in an unlinked temporary file. [`Source::wait_beyond`]
//! reports what is known only later (the length, damage). Published bytes never change and stay
//! available until [`Source::release`].
//!
//! [`open`] detects what an input is, [`decode`] decompresses it on a thread, [`read_ahead`] cuts it
//! into pieces, and a module of [`container`] turns the pieces into lines, which [`spool`] stores.
//!
//! Scans of plain files borrow their bytes from a memory map if a read lease blocks writers
//! ([`map`]). All other bytes are first copied into memory of the thread ([`Piece`]). Before a
//! result is reported, [`Source::check_unchanged`] verifies that the file is still the one that was
//! opened.
//!
//! For Unix systems.

mod change;
mod charset;
mod container;
mod decode;
mod error;
mod folder;
mod follow;
mod hub;
pub mod lines;
mod map;
mod memory_room;
mod open;
mod piece;
mod read_ahead;
mod sniff;
mod spool;
mod spool_store;

use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use change::{FileChange, identity};
#[cfg(test)]
pub use container::json::JsonRows;
pub use container::parquet::is_panic_caught;
pub use container::{RowContainer, RowSearch};
pub use error::SourceError;
pub use folder::{add_suffix, data_files, journal_path, provenance_path};
pub use hub::{Configuration, DEFAULT, HubName, configurations};
pub use map::{CopyReason, PART_OF_PROGRAM, allow as allow_maps, pause as pause_maps};
pub use memory_room::available as available_memory;
pub use piece::Piece;
pub use sniff::Encoding;

use change::FileStamp;
use decode::RawInput;
use map::{MappedBytes, PlainFile};
use open::{Filling, Opener, is_one_of_many};
use spool::Spool;

use crate::parallel::locked;

/// An input to open.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file, or a path like one: a named pipe, `/dev/fd/63`.
    Path(PathBuf),
    /// Standard input: a pipe or a redirected file.
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
        /// JSON pointer to the list.
        pointer: String,
    },
}

impl Input {
    /// Returns the whole document of a list, or the input itself.
    pub fn whole(&self) -> &Self {
        match self {
            Self::Within { document, .. } => document.whole(),
            whole => whole,
        }
    }
}

/// Returns a name without folders.
fn last_part(name: &str) -> &str {
    let last = name.rsplit(['/', '\\']).next();
    last.filter(|last| !last.is_empty()).unwrap_or(name)
}

/// Number of decoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Bytes available now; never shrinks.
    pub len: u64,
    /// True if these are all bytes. Stays `false` if the rest is damaged; [`Source::wait_beyond`]
    /// returns the error.
    pub complete: bool,
}

/// Progress of reading the raw input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Raw bytes read.
    pub read: u64,
    /// Size of the raw input, if known.
    pub of: Option<u64>,
}

/// What names of the demo's files begin with.
pub const DEMO: &str = "demo: ";

/// An open input; see the module. All methods take `&self`, so that it can be shared.
///
/// If a thread still fills it, the thread ends soon after this is dropped.
#[derive(Debug)]
pub struct Source {
    name: String,
    short_name: String,
    body: SourceBody,
    /// The state of the file when it was opened, if it is a file.
    stamp: Option<FileStamp>,
    /// True if bytes were read that differ from the opened file.
    altered: AtomicBool,
    /// True if other programs may append to it, which leaves read bytes valid.
    is_followed: bool,
}

#[derive(Debug)]
enum SourceBody {
    Embedded(&'static [u8]),
    /// A file of lines that other programs can write to.
    Plain(Arc<PlainFile>),
    /// One of many such files, opened only to be read.
    Closed(FileStamp),
    Spooled(Filling),
}

impl Source {
    /// Opens an input, looks for its rows where `rows` says, and starts decoding if necessary. Does
    /// not wait for a pipe or its writer.
    ///
    /// # Errors
    /// If the input is missing, a directory, empty, unreadable or, by its first bytes, not text.
    /// For pipes and compressed files some of these come later, from [`Self::wait_beyond`].
    pub fn open_rows(input: &Input, rows: RowSearch) -> Result<Arc<Self>, SourceError> {
        let mut source = Self::open_within(input, rows, spool::MEMORY_LIMIT)?;
        if let (SourceBody::Plain(plain), Some(stamp)) = (&source.body, &source.stamp)
            && is_one_of_many(&plain.file)
            && matches!(input, Input::Path(_))
        {
            source.body = SourceBody::Closed(stamp.clone());
        }
        Ok(Arc::new(source))
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
        let opener = |name: String| Opener {
            short_name: last_part(&name).to_owned(),
            name,
            memory_limit,
            rows,
        };
        match input.whole() {
            Input::Path(path) => match HubName::of_path(path) {
                Some(name) => Opener {
                    short_name: format!("{}/{}", name.title(), name.path),
                    ..opener(name.address())
                }
                .path(path),
                None => opener(path.to_string_lossy().into_owned()).path(path),
            },
            Input::Stdin => opener("standard input".to_owned()).stdin(),
            Input::Embedded { name, bytes } => opener((*name).to_owned()).embedded(bytes),
            // A document is never a list within another.
            Input::Within { .. } => Err(SourceError::NotFound("a list in a list".to_owned())),
        }
    }

    /// True for a file of the demo, which the program contains.
    pub fn is_of_demo(&self) -> bool {
        self.name.starts_with(DEMO)
    }

    /// Returns the name as the user wrote it, with U+FFFD for invalid UTF-8, or its address if it
    /// is in the hub's cache. Not sanitised.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name without folders; a file in the hub's cache keeps its dataset and revision.
    pub fn short_name(&self) -> &str {
        &self.short_name
    }

    /// Returns the path of a file; `None` for other inputs.
    pub fn path(&self) -> Option<&Path> {
        self.stamp.as_ref()?.path.as_deref()
    }

    /// Returns what identifies the file under any name; `None` for pipes.
    pub fn identity(&self) -> Option<(u64, u64)> {
        self.stamp.as_ref().map(FileStamp::identity)
    }

    fn spool(&self) -> Option<&Spool> {
        match &self.body {
            SourceBody::Spooled(filling) => Some(&filling.spool),
            _ => None,
        }
    }

    fn plain(&self) -> Option<&Arc<PlainFile>> {
        match &self.body {
            SourceBody::Plain(plain) => Some(plain),
            _ => None,
        }
    }

    /// Returns the compression of the raw bytes; plain for a pipe until its first bytes arrive.
    pub fn encoding(&self) -> Encoding {
        self.spool()
            .and_then(|spool| spool.encoding.get())
            .copied()
            .unwrap_or_default()
    }

    /// Returns the original container of the decoded bytes; lines until it is known.
    pub fn container(&self) -> RowContainer {
        self.spool()
            .and_then(|spool| spool.container.get())
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the original encoding of the text if it is not UTF-8.
    pub fn charset(&self) -> Option<&'static str> {
        self.spool()?.charset.get().copied()
    }

    /// Describes where the rows come from; `None` for lines in UTF-8.
    pub fn note(&self) -> Option<String> {
        let notes: Vec<_> = [self.container().note(), self.charset().map(str::to_owned)]
            .into_iter()
            .flatten()
            .collect();
        (!notes.is_empty()).then(|| notes.join(", "))
    }

    /// True if the bytes are those of the file: not compressed, in a container or transcoded.
    pub fn is_as_stored(&self) -> bool {
        self.encoding() == Encoding::Plain
            && self.container() == RowContainer::Lines
            && self.charset().is_none()
    }

    /// Returns the number of bytes decoded so far.
    pub fn extent(&self) -> Extent {
        let len = match &self.body {
            SourceBody::Embedded(bytes) => bytes.len() as u64,
            SourceBody::Plain(plain) => plain.len,
            SourceBody::Closed(stamp) => stamp.len(),
            SourceBody::Spooled(filling) => return filling.spool.extent(),
        };
        Extent {
            len,
            complete: true,
        }
    }

    /// Starts to decode a file, if that is needed and has not begun. Of many files, only a few are
    /// decoded at a time.
    pub fn start_decoding(&self) {
        if let SourceBody::Spooled(Filling { spool, waiting, .. }) = &self.body
            && let Some((rows, stamp)) = locked(waiting).take().zip(self.stamp.as_ref())
        {
            let raw = stamp
                .open()
                .map(|file| RawInput::file(file, 0, stamp.clone()));
            if let Err(error) = raw.and_then(|raw| decode::start(&self.name, raw, &rows, spool)) {
                spool.finish(Err(SourceError::of_io(&self.name, &error)));
            }
        }
    }

    /// Waits until there are more than `len` bytes, or the input or the time ends.
    ///
    /// # Errors
    /// If there will never be more than `len` bytes because of an error. The bytes before it stay
    /// readable, and each call returns the error again.
    pub fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<Extent, SourceError> {
        self.start_decoding();
        match self.spool() {
            Some(spool) => spool.wait_beyond(len, timeout),
            None => Ok(self.extent()),
        }
    }

    /// Returns how much of the raw input was read; all of a plain file.
    pub fn progress(&self) -> Progress {
        let whole = || {
            let read = self.extent().len;
            let of = Some(read);
            Progress { read, of }
        };
        self.spool().map_or_else(whole, Spool::progress)
    }

    /// Reads a range of bytes into `buffer`, replacing its content; empties it on error.
    ///
    /// # Errors
    /// If the range is beyond the extent, the file became shorter, or its disk failed.
    pub fn read_at(&self, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<(), SourceError> {
        buffer.clear();
        self.require(&range)?;
        let length =
            usize::try_from(range.end - range.start).map_err(|_| self.not_there(&range))?;
        buffer.resize(length, 0);
        self.fill(range.start, buffer)
            .inspect_err(|_| buffer.clear())
    }

    /// Frees the storage of decoded bytes before a position, which must not be read again.
    pub fn release(&self, upto: u64) {
        if let Some(spool) = self.spool() {
            spool.release(upto);
        }
    }

    /// Evicts scanned bytes from the process's memory if they are mapped.
    pub fn evict(&self, bytes: Range<u64>) {
        if let Some(plain) = self.plain() {
            plain.evict(bytes);
        }
    }

    /// Returns why bytes are copied; `None` if they are scanned in place.
    pub fn copy_reason(&self) -> Option<CopyReason> {
        match &self.body {
            SourceBody::Embedded(_) => Some(PART_OF_PROGRAM),
            SourceBody::Plain(plain) => plain.copy_reason(),
            SourceBody::Closed(_) => Some("one of many files"),
            SourceBody::Spooled(_) => Some("decoded into memory"),
        }
    }

    /// Lends a range of bytes if it can be scanned in place.
    fn lend(&self, range: &Range<u64>) -> Option<MappedBytes> {
        self.plain()?.lend(range)
    }

    /// Returns an error if a range is beyond the extent.
    fn require(&self, range: &Range<u64>) -> Result<(), SourceError> {
        if range.start <= range.end && range.end <= self.extent().len {
            Ok(())
        } else {
            Err(self.not_there(range))
        }
    }

    /// Fills `room` with the bytes from `at` on, which must be in the extent. Fails if some were
    /// released, because results from them would be wrong.
    fn fill(&self, at: u64, room: &mut [u8]) -> Result<(), SourceError> {
        let read = match &self.body {
            SourceBody::Embedded(bytes) => bytes
                .get(at as usize..)
                .unwrap_or_default()
                .read_exact(room),
            SourceBody::Plain(plain) => plain.file.read_exact_at(room, at),
            SourceBody::Closed(stamp) => stamp.read_exact_at(room, at),
            SourceBody::Spooled(filling) => filling.spool.read_exact_at(room, at),
        };
        read.map_err(|error| {
            let error = SourceError::of_io(&self.name, &error);
            self.altered.fetch_or(error.is_change(), Ordering::Relaxed);
            error
        })
    }

    /// Returns how the file on disk differs from the opened one, if it does; cheap enough for every
    /// tick. For a compressed file this is about the raw file; pipes and embedded bytes do not
    /// change.
    pub fn change(&self) -> Option<FileChange> {
        let stamp = self.stamp.as_ref()?;
        let itself = || stamp.change_of(&self.plain()?.file);
        stamp.change().or_else(itself)
    }

    /// Checks that everything read so far is from the same content. Call it after the work and
    /// before its result is reported; one `fstat` or `stat` of a plain file, free for others. A
    /// replaced file still exists if it is open, so its content is unchanged.
    ///
    /// # Errors
    /// If the file was written to since it was opened or, if compressed, while it was decoded.
    pub fn check_unchanged(&self) -> Result<(), SourceError> {
        let name = || self.name.clone();
        self.spool().map_or(Ok(()), Spool::check_unchanged)?;
        if (self.plain()).is_some_and(|plain| plain.has_lost_lease.load(Ordering::Relaxed)) {
            return Err(SourceError::LostLease(name()));
        }
        let stamped = self.stamp.as_ref().zip(self.plain());
        let change = match &self.body {
            SourceBody::Closed(stamp) => stamp.change(),
            _ => stamped.and_then(|(stamp, plain)| stamp.change_of(&plain.file)),
        };
        match change.filter(|change| !self.expects(*change)) {
            Some(FileChange::Shrunk) => Err(SourceError::Shrunk(name())),
            None if !self.altered.load(Ordering::Relaxed) => Ok(()),
            _ => Err(SourceError::Changed(name())),
        }
    }

    /// Records that changed bytes were read, and returns the error for it.
    pub fn altered(&self) -> SourceError {
        self.altered.store(true, Ordering::Relaxed);
        SourceError::Changed(self.name.clone())
    }

    fn not_there(&self, range: &Range<u64>) -> SourceError {
        let what = format!(
            "requested bytes {} to {} of {}",
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
