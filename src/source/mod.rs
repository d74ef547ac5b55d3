//! A file's bytes, whatever they come from, as one growing thing that can be mapped for scans and read again by place.
//!
//! A plain file is mapped as it is. Compressed files and pipes are decoded once, by a thread, into a file in memory or,
//! beyond 256 MB, into an unlinked temporary one, which is mapped and read like any other. What is known only later (how
//! long it is, whether it is damaged) is told by [`Source::wait_beyond`]; bytes once published never change or go.
//!
//! For Unix systems.

mod change;
mod decode;
mod error;
mod guard;
pub mod lines;
mod map;
mod open;
mod sniff;
mod spool;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use change::Change;
pub use error::{Damage, SourceError};
pub use map::View;
pub use sniff::Encoding;

use change::Stamp;
use map::Map;
use open::{Filling, Opener};

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
}

/// How many decoded bytes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Bytes available now; only ever grows.
    pub len: u64,
    /// Whether that is all of it. Stays `false` when the rest is lost: [`Source::wait_beyond`] says why.
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
/// A thread that still fills it ends soon after it is dropped. Views keep what they show.
#[derive(Debug)]
pub struct Source {
    name: String,
    body: Body,
    /// What the file behind the path was like when it was opened.
    stamp: Option<Stamp>,
}

#[derive(Debug)]
enum Body {
    Embedded(&'static [u8]),
    Mapped { file: File, map: Arc<Map> },
    Spooled(Filling),
}

impl Source {
    /// Opens an input, and starts to decode it where that is needed. Never waits for a pipe, not even for its writer.
    ///
    /// # Errors
    /// When it is missing, a directory, empty, unreadable or, as far as its first bytes tell, no text. Of pipes and
    /// compressed files some of that is known only later, and told by [`Self::wait_beyond`].
    pub fn open(input: &Input) -> Result<Arc<Self>, SourceError> {
        Self::open_within(input, spool::MEMORY_LIMIT)
    }

    /// The same with another limit in bytes to what is decoded into memory.
    fn open_within(input: &Input, memory_limit: u64) -> Result<Arc<Self>, SourceError> {
        let opener = |name| Opener { name, memory_limit };
        let opened = match input {
            Input::Path(path) => opener(path.to_string_lossy().into_owned()).path(path),
            Input::Stdin => opener("standard input".to_owned()).stdin(),
            Input::Embedded { name, bytes } => opener((*name).to_owned()).embedded(bytes),
        };
        opened.map(Arc::new)
    }

    /// Its name as the user wrote it, with U+FFFD for what is not UTF-8. Not sanitised.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the raw bytes are packed. Of a pipe plain until its first bytes came.
    pub fn encoding(&self) -> Encoding {
        match &self.body {
            Body::Embedded(_) | Body::Mapped { .. } => Encoding::Plain,
            Body::Spooled(filling) => filling.spool.encoding(),
        }
    }

    /// How many decoded bytes there are by now.
    pub fn extent(&self) -> Extent {
        match &self.body {
            Body::Embedded(bytes) => Extent { len: bytes.len() as u64, complete: true },
            Body::Mapped { map, .. } => Extent { len: map.len(), complete: true },
            Body::Spooled(filling) => filling.spool.extent(),
        }
    }

    /// Waits until there are more than `len` bytes, or all, or time is up.
    ///
    /// # Errors
    /// When there will never be more than `len` bytes because of damage or another trouble. The good bytes before it stay
    /// readable, and the error comes again whenever it is asked for.
    pub fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<Extent, SourceError> {
        match &self.body {
            Body::Embedded(_) | Body::Mapped { .. } => Ok(self.extent()),
            Body::Spooled(filling) => filling.spool.wait_beyond(len, timeout),
        }
    }

    /// How much of the raw input was taken in; of a mapped file all.
    pub fn progress(&self) -> Progress {
        match &self.body {
            Body::Embedded(_) | Body::Mapped { .. } => {
                let len = self.extent().len;
                Progress { read: len, of: Some(len) }
            }
            Body::Spooled(filling) => filling.spool.progress(),
        }
    }

    /// A range of bytes without a copy, for scans. Should the file shrink, what is gone reads as zeros, and
    /// [`Self::faulted`] says so: ask it behind every scan.
    ///
    /// # Errors
    /// When the range is not in the extent, or the system gives no map.
    pub fn view(&self, range: Range<u64>) -> Result<View, SourceError> {
        let view = match &self.body {
            Body::Embedded(bytes) => slice_of(bytes, &range).map(View::of_bytes),
            Body::Mapped { map, .. } => View::of_map(map, range.clone()),
            Body::Spooled(filling) => filling.spool.view(range.clone()).map_err(|error| self.io(&error))?,
        };
        view.ok_or_else(|| self.not_there(&range))
    }

    /// Reads a range of bytes by place, for rows on screen, in place of what is in `buffer`; after an error it is empty.
    ///
    /// # Errors
    /// When the range is not in the extent, the file shrank, or its disk failed: an error, and never a fault.
    pub fn read_at(&self, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<(), SourceError> {
        buffer.clear();
        if range.start > range.end || range.end > self.extent().len {
            return Err(self.not_there(&range));
        }
        let spooled;
        let file = match &self.body {
            Body::Embedded(bytes) => {
                buffer.extend_from_slice(slice_of(bytes, &range).unwrap_or_default());
                return Ok(());
            }
            Body::Mapped { file, .. } => file,
            Body::Spooled(filling) => {
                spooled = filling.spool.file();
                &*spooled
            }
        };
        let length = usize::try_from(range.end - range.start).map_err(|_| self.not_there(&range))?;
        buffer.resize(length, 0);
        file.read_exact_at(buffer, range.start).map_err(|error| {
            buffer.clear();
            match error.kind() {
                io::ErrorKind::UnexpectedEof => SourceError::Shrunk { name: self.name.clone() },
                _ => self.io(&error),
            }
        })
    }

    /// How the file on disk differs from what was opened, if it does: one cheap look, for every tick. Of a compressed file
    /// this is about the file and not about what it decodes to; standard input and embedded bytes do not change.
    pub fn change(&self) -> Option<Change> {
        self.stamp.as_ref()?.change()
    }

    /// Whether a view met bytes that were gone, and showed zeros for them.
    pub fn faulted(&self) -> bool {
        match &self.body {
            Body::Embedded(_) => false,
            Body::Mapped { map, .. } => map.faulted(),
            Body::Spooled(filling) => filling.spool.faulted(),
        }
    }

    fn io(&self, error: &io::Error) -> SourceError {
        SourceError::of_io(&self.name, error)
    }

    fn not_there(&self, range: &Range<u64>) -> SourceError {
        let what = format!("bytes {} to {} were asked for, of {}", range.start, range.end, self.extent().len);
        SourceError::Io { name: self.name.clone(), what }
    }
}

fn slice_of<'b>(bytes: &'b [u8], range: &Range<u64>) -> Option<&'b [u8]> {
    bytes.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

#[cfg(test)]
mod tests;
