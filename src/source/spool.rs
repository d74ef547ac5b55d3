//! Decoded bytes on their way in: in a file in memory, and beyond a limit in an unlinked temporary file.
//!
//! Both are files, so that they are mapped and read like any other, and are not counted as the program's own memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::map::{Map, View};
use super::sniff::Encoding;
use super::{Extent, Progress, SourceError};

/// Bytes kept in memory.
pub(super) const MEMORY: u64 = 256 << 20;
/// Least length of a map: addresses cost nothing, making maps does.
const LEAST_MAP: u64 = 64 << 20;

/// See the module.
#[derive(Debug)]
pub(super) struct Spool {
    name: String,
    state: Mutex<State>,
    grown: Condvar,
    /// Raw bytes read, and how many there are.
    read: AtomicU64,
    size: Option<u64>,
    /// Bytes that may stay in memory.
    memory: u64,
}

#[derive(Debug)]
struct State {
    file: Arc<File>,
    in_memory: bool,
    map: Option<Arc<Map>>,
    len: u64,
    end: Option<Result<(), SourceError>>,
    encoding: Encoding,
}

impl Spool {
    /// An empty spool for an input of that raw size; `memory` bytes of it may stay in memory.
    pub(super) fn new(name: &str, size: Option<u64>, memory: u64) -> io::Result<Self> {
        let (file, in_memory) = match memory_file() {
            Some(file) => (file, true),
            None => (tempfile::tempfile()?, false),
        };
        let state = State { file: Arc::new(file), in_memory, map: None, len: 0, end: None, encoding: Encoding::Plain };
        let (state, grown, read) = (Mutex::new(state), Condvar::new(), AtomicU64::new(0));
        Ok(Self { name: name.to_owned(), state, grown, read, size, memory })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.state().encoding
    }

    pub(super) fn set_encoding(&self, encoding: Encoding) {
        self.state().encoding = encoding;
    }

    pub(super) fn extent(&self) -> Extent {
        self.state().extent()
    }

    pub(super) fn progress(&self) -> Progress {
        Progress { read: self.read.load(Ordering::Relaxed), of: self.size }
    }

    /// Counts raw bytes.
    pub(super) fn count(&self, read: usize) {
        self.read.fetch_add(read as u64, Ordering::Relaxed);
    }

    pub(super) fn file(&self) -> Arc<File> {
        Arc::clone(&self.state().file)
    }

    /// See [`super::Source::wait_beyond`].
    pub(super) fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<Extent, SourceError> {
        let deadline = Instant::now() + timeout;
        let mut state = self.state();
        loop {
            match &state.end {
                _ if state.len > len => return Ok(state.extent()),
                Some(Err(error)) => return Err(error.clone()),
                Some(Ok(())) => return Ok(state.extent()),
                None => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(state.extent());
            }
            state = self.grown.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// See [`super::Source::view`]; the range must lie within the extent.
    pub(super) fn view(&self, range: Range<u64>) -> io::Result<View> {
        if range.is_empty() {
            return Ok(View::of_bytes(&[]));
        }
        let mut state = self.state();
        let map = match &state.map {
            Some(map) if map.len() as u64 >= range.end => Arc::clone(map),
            _ => {
                // Twice as long as needed, so that a growing file is mapped again only now and then.
                let length = if state.end.is_some() { state.len } else { (state.len * 2).max(LEAST_MAP) };
                let map = Arc::new(Map::new(&state.file, length as usize)?);
                state.map = Some(Arc::clone(&map));
                map
            }
        };
        Ok(View::of_map(&map, range))
    }

    /// Adds decoded bytes at the end; only the decoder's thread does.
    pub(super) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let (file, len, in_memory) = {
            let state = self.state();
            (Arc::clone(&state.file), state.len, state.in_memory)
        };
        let moved = (in_memory && len + bytes.len() as u64 > self.memory).then(|| to_disk(&file, len)).transpose()?;
        moved.as_ref().unwrap_or(&file).write_all_at(bytes, len)?;
        let mut state = self.state();
        if let Some(moved) = moved {
            (state.file, state.in_memory, state.map) = (moved, false, None);
        }
        state.len += bytes.len() as u64;
        drop(state);
        self.grown.notify_all();
        Ok(())
    }

    /// No more bytes will come.
    pub(super) fn end(&self, end: Result<(), SourceError>) {
        let mut state = self.state();
        let empty = state.len == 0 && end.is_ok();
        state.end = Some(if empty { Err(SourceError::Empty { name: self.name.clone() }) } else { end });
        drop(state);
        self.grown.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can leave the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn extent(&self) -> Extent {
        Extent { len: self.len, complete: matches!(self.end, Some(Ok(()))) }
    }
}

/// A copy of the spooled bytes in an unlinked temporary file.
fn to_disk(memory: &File, len: u64) -> io::Result<Arc<File>> {
    const PIECE: usize = 1 << 20;
    let disk = tempfile::tempfile()?;
    let (mut at, mut piece) = (0, vec![0; PIECE]);
    while at < len {
        let wanted = PIECE.min((len - at) as usize);
        memory.read_exact_at(&mut piece[..wanted], at)?;
        disk.write_all_at(&piece[..wanted], at)?;
        at += wanted as u64;
    }
    Ok(Arc::new(disk))
}

#[cfg(target_os = "linux")]
fn memory_file() -> Option<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    memfd_create("visavis", MemfdFlags::CLOEXEC).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> Option<File> {
    None
}
