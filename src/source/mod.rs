//! A file's bytes, whatever they come from, as one growing thing that can be mapped for scans and read again by place.
//!
//! Plain files are mapped as they are. Compressed files and pipes are decoded once, by a thread, into a file in memory or
//! beyond 256 MB into an unlinked temporary one, which is mapped and read like any other.

mod change;
mod decode;
mod error;
mod guard;
pub mod lines;
mod map;
mod sniff;
mod spool;

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use change::Change;
pub use error::SourceError;
pub use map::View;
pub use sniff::Encoding;

use change::Origin;
use map::Map;
use spool::Spool;

/// Where bytes come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file.
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
    /// Bytes available now.
    pub len: u64,
    /// Whether there will be no more.
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

/// See the module.
#[derive(Debug)]
pub struct Source {
    name: String,
    backing: Backing,
    /// What the file on disk was like when it was opened.
    origin: Option<Origin>,
}

#[derive(Debug)]
enum Backing {
    Embedded(&'static [u8]),
    Plain { file: File, map: Arc<Map> },
    Spooled(Arc<Spool>),
}

impl Source {
    /// Opens an input, and starts decoding it where that is needed; does not wait for a pipe.
    ///
    /// # Errors
    /// When the file is missing, a directory, empty, unreadable, or plainly something else than lines of text.
    pub fn open(input: &Input) -> Result<Arc<Self>, SourceError> {
        match input {
            Input::Path(path) => Self::open_path(path),
            Input::Stdin => Self::open_stdin(),
            Input::Embedded { name, bytes } => {
                let backing = Backing::Embedded(bytes);
                Ok(Arc::new(Self { name: (*name).to_owned(), backing, origin: None }))
            }
        }
    }

    /// Its name as the user wrote it. Not sanitised.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How its bytes are encoded; of a pipe that has not sent any yet: plain.
    pub fn encoding(&self) -> Encoding {
        match &self.backing {
            Backing::Embedded(_) | Backing::Plain { .. } => Encoding::Plain,
            Backing::Spooled(spool) => spool.encoding(),
        }
    }

    /// How many bytes there are now. Not complete while an error waits behind the good bytes: see [`Self::wait_beyond`].
    pub fn extent(&self) -> Extent {
        let whole = |len: usize| Extent { len: len as u64, complete: true };
        match &self.backing {
            Backing::Embedded(bytes) => whole(bytes.len()),
            Backing::Plain { map, .. } => whole(map.len()),
            Backing::Spooled(spool) => spool.extent(),
        }
    }

    /// Waits until there are more than `len` bytes, or no more will come, or the time is up.
    ///
    /// # Errors
    /// When the input broke off behind `len` good bytes; these stay readable.
    pub fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<Extent, SourceError> {
        match &self.backing {
            Backing::Spooled(spool) => spool.wait_beyond(len, timeout),
            Backing::Embedded(_) | Backing::Plain { .. } => Ok(self.extent()),
        }
    }

    /// How much of the raw input was taken in; of a mapped file all.
    pub fn progress(&self) -> Progress {
        match &self.backing {
            Backing::Spooled(spool) => spool.progress(),
            Backing::Embedded(_) | Backing::Plain { .. } => {
                let len = self.extent().len;
                Progress { read: len, of: Some(len) }
            }
        }
    }

    /// A mapped range, for scans. If the file shrinks meanwhile, what is gone reads as zeros and [`Self::faulted`] tells.
    ///
    /// # Errors
    /// When the range is not there, or cannot be mapped.
    pub fn view(&self, range: Range<u64>) -> Result<View, SourceError> {
        if range.end > self.extent().len {
            return Err(self.shrunk());
        }
        match &self.backing {
            Backing::Embedded(bytes) => Ok(View::of_bytes(&bytes[range.start as usize..range.end as usize])),
            Backing::Plain { map, .. } => Ok(View::of_map(map, range)),
            Backing::Spooled(spool) => spool.view(range).map_err(|error| SourceError::io(&self.name, &error)),
        }
    }

    /// Reads a range by place, for rows on screen; replaces what is in `buffer`.
    ///
    /// # Errors
    /// When the file shrank, or the disk failed: an error, never a fault.
    pub fn read_at(&self, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<(), SourceError> {
        let length = (range.end - range.start) as usize;
        let file = match &self.backing {
            Backing::Embedded(bytes) => {
                buffer.clear();
                buffer.extend_from_slice(bytes.get(range.start as usize..range.end as usize).unwrap_or_default());
                return Ok(());
            }
            Backing::Plain { file, .. } => file,
            Backing::Spooled(spool) => &*spool.file(),
        };
        buffer.resize(length, 0);
        file.read_exact_at(buffer, range.start).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.shrunk(),
            _ => SourceError::io(&self.name, &error),
        })
    }

    /// How the file on disk differs from what was opened, if it does: one cheap look.
    pub fn change(&self) -> Option<Change> {
        self.origin.as_ref()?.change()
    }

    /// Whether a part of the map was gone when it was read.
    pub fn faulted(&self) -> bool {
        matches!(&self.backing, Backing::Plain { map, .. } if map.faulted())
    }

    fn shrunk(&self) -> SourceError {
        SourceError::Shrunk { name: self.name.clone() }
    }

    fn open_path(path: &Path) -> Result<Arc<Self>, SourceError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| SourceError::open(&name, &error))?;
        Self::of_file(name, file, Some(path))
    }

    fn open_stdin() -> Result<Arc<Self>, SourceError> {
        use std::os::fd::AsFd;
        let name = "standard input".to_owned();
        let owned = std::io::stdin().as_fd().try_clone_to_owned();
        let file = File::from(owned.map_err(|error| SourceError::open(&name, &error))?);
        Self::of_file(name, file, None)
    }

    fn of_file(name: String, file: File, path: Option<&Path>) -> Result<Arc<Self>, SourceError> {
        let metadata = file.metadata().map_err(|error| SourceError::open(&name, &error))?;
        if metadata.is_dir() {
            return Err(SourceError::IsDirectory { name });
        }
        if !metadata.is_file() {
            return Self::spooled(name, file, None, None);
        }
        let mut head = vec![0; sniff::HEAD_BYTES];
        let length = file.read_at(&mut head, 0).map_err(|error| SourceError::io(&name, &error))?;
        head.truncate(length);
        let origin = path.map(|path| Origin::new(path, &metadata));
        match sniff::encoding(&name, &head)? {
            Encoding::Plain => {
                let map = Map::new(&file, metadata.len() as usize).map_err(|error| SourceError::io(&name, &error))?;
                Ok(Arc::new(Self { name, backing: Backing::Plain { file, map: Arc::new(map) }, origin }))
            }
            Encoding::Gzip | Encoding::Zstd => Self::spooled(name, file, Some(metadata.len()), origin),
        }
    }

    fn spooled(
        name: String,
        input: impl Read + Send + 'static,
        size: Option<u64>,
        origin: Option<Origin>,
    ) -> Result<Arc<Self>, SourceError> {
        let spool = Spool::new(&name, size, spool::MEMORY).map_err(|error| SourceError::io(&name, &error))?;
        let spool = Arc::new(spool);
        decode::start(&spool, input).map_err(|error| SourceError::io(&name, &error))?;
        Ok(Arc::new(Self { name, backing: Backing::Spooled(spool), origin }))
    }
}

#[cfg(test)]
mod tests;
