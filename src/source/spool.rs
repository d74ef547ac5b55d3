//! Decoded bytes on their way in: kept in a file in memory, and beyond a limit in an unlinked
//! temporary file.
//!
//! Both are files, so that they are read by place like any other, and do not count as the program's
//! own memory. One thread appends; any number look at what was published.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::{Encoding, Extent, Progress, RowContainer, SourceError};

/// Decoded bytes that are kept in memory.
pub(super) const MEMORY_LIMIT: u64 = 256 << 20;

/// Decoded bytes of one input, filled by one thread and read by any number.
#[derive(Debug)]
pub(super) struct Spool {
    state: Mutex<SpoolState>,
    /// Told whenever the state changed.
    changed: Condvar,
    /// Decoded bytes that may stay in memory.
    memory_limit: u64,
    /// An [`Encoding`], by number.
    encoding: AtomicU8,
    /// What the decoded text kept its rows in; known before the first bytes are published.
    container: OnceLock<RowContainer>,
    /// Raw bytes taken in.
    raw: AtomicU64,
    /// Raw bytes there are, where that is known.
    raw_size: Option<u64>,
    /// Nobody wants more.
    cancelled: AtomicBool,
}

#[derive(Debug)]
struct SpoolState {
    file: Arc<File>,
    in_memory: bool,
    /// Bytes published: written, and never changed again.
    len: u64,
    end: SpoolEnd,
}

#[derive(Debug)]
enum SpoolEnd {
    Open,
    Complete,
    Failed(SourceError),
}

impl Spool {
    /// An empty spool for an input of that raw size, of which `memory_limit` decoded bytes may stay
    /// in memory.
    ///
    /// # Errors
    /// When the system gives no file for it.
    pub(super) fn new(raw_size: Option<u64>, memory_limit: u64) -> io::Result<Self> {
        let memory = memory_file().filter(|_| memory_limit > 0);
        let in_memory = memory.is_some();
        let file = Arc::new(memory.map_or_else(disk_file, Ok)?);
        let state = SpoolState {
            file,
            in_memory,
            len: 0,
            end: SpoolEnd::Open,
        };
        Ok(Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            memory_limit,
            encoding: AtomicU8::new(Encoding::Plain as u8),
            container: OnceLock::new(),
            raw: AtomicU64::new(0),
            raw_size,
            cancelled: AtomicBool::new(false),
        })
    }

    /// The encoding of the raw bytes, as far as it is known.
    pub(super) fn encoding(&self) -> Encoding {
        match self.encoding.load(Ordering::Relaxed) {
            known if known == Encoding::Gzip as u8 => Encoding::Gzip,
            known if known == Encoding::Zstd as u8 => Encoding::Zstd,
            _ => Encoding::Plain,
        }
    }

    pub(super) fn set_encoding(&self, encoding: Encoding) {
        self.encoding.store(encoding as u8, Ordering::Relaxed);
    }

    /// What the text kept its rows in, as far as it is known.
    pub(super) fn container(&self) -> RowContainer {
        self.container.get().cloned().unwrap_or_default()
    }

    /// Says what the text keeps its rows in; the first to say so is right.
    pub(super) fn set_container(&self, container: RowContainer) {
        self.container.get_or_init(|| container);
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            read: self.raw.load(Ordering::Relaxed),
            of: self.raw_size,
        }
    }

    /// Counts raw bytes.
    pub(super) fn count_raw(&self, bytes: usize) {
        self.raw.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn extent(&self) -> Extent {
        self.state().extent()
    }

    /// Whether what was taken in until now is of one and the same content.
    ///
    /// # Errors
    /// When the raw input was changed while it was taken in.
    pub(super) fn check_unchanged(&self) -> Result<(), SourceError> {
        match &self.state().end {
            SpoolEnd::Failed(error) if error.is_change() => Err(error.clone()),
            SpoolEnd::Open | SpoolEnd::Complete | SpoolEnd::Failed(_) => Ok(()),
        }
    }

    /// The file to read published bytes from by place.
    pub(super) fn file(&self) -> Arc<File> {
        Arc::clone(&self.state().file)
    }

    /// Waits until more than `len` bytes are decoded or the input ended, at most for `timeout`;
    /// tells how many there are.
    ///
    /// # Errors
    /// When decoding failed and nothing beyond `len` came before it.
    pub(super) fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<Extent, SourceError> {
        let nothing_new =
            |state: &mut SpoolState| state.len <= len && matches!(state.end, SpoolEnd::Open);
        let waited = self
            .changed
            .wait_timeout_while(self.state(), timeout, nothing_new);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &state.end {
            SpoolEnd::Failed(error) if state.len <= len => Err(error.clone()),
            _ => Ok(state.extent()),
        }
    }

    /// Writes and publishes bytes. Only for the one thread that fills the spool.
    ///
    /// # Errors
    /// When there is no room for them; nothing is published then.
    pub(super) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let (file, len, in_memory) = {
            let state = self.state();
            (Arc::clone(&state.file), state.len, state.in_memory)
        };
        let fits = !in_memory || len + bytes.len() as u64 <= self.memory_limit;
        let written = if fits {
            file.write_all_at(bytes, len)
        } else {
            Err(io::ErrorKind::StorageFull.into())
        };
        let moved = match written {
            Ok(()) => None,
            // Memory is full, by our limit or by the system's.
            Err(_) if in_memory => {
                let disk = copy_to_disk(&file, len)?;
                disk.write_all_at(bytes, len)?;
                Some(Arc::new(disk))
            }
            Err(error) => return Err(error),
        };
        let mut state = self.state();
        if let Some(disk) = moved {
            (state.file, state.in_memory) = (disk, false);
        }
        state.len += bytes.len() as u64;
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Says that no more bytes will come; the first to say so is right.
    pub(super) fn finish(&self, outcome: Result<(), SourceError>) {
        let mut state = self.state();
        if matches!(state.end, SpoolEnd::Open) {
            state.end = outcome.map_or_else(SpoolEnd::Failed, |()| SpoolEnd::Complete);
        }
        drop(state);
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, SpoolState> {
        // Nobody who holds the lock can leave the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpoolState {
    fn extent(&self) -> Extent {
        Extent {
            len: self.len,
            complete: matches!(self.end, SpoolEnd::Complete),
        }
    }
}

fn copy_to_disk(mut memory: &File, len: u64) -> io::Result<File> {
    use std::io::{Read, Seek, copy};
    // Only this uses the cursor of the file in memory: all other reads and writes are by place.
    memory.rewind()?;
    let mut disk = disk_file()?;
    let copied = copy(&mut memory.take(len), &mut disk)?;
    if copied < len {
        Err(io::ErrorKind::UnexpectedEof.into())
    } else {
        Ok(disk)
    }
}

/// An unlinked temporary file. Unless TMPDIR says otherwise, `/var/tmp` comes first: `/tmp` is
/// often in memory.
pub(super) fn disk_file() -> io::Result<File> {
    if std::env::var_os("TMPDIR").is_none()
        && let Ok(file) = tempfile::tempfile_in("/var/tmp")
    {
        return Ok(file);
    }
    tempfile::tempfile()
}

#[cfg(target_os = "linux")]
fn memory_file() -> Option<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    memfd_create("visavis-spool", MemfdFlags::CLOEXEC)
        .ok()
        .map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    fn read(spool: &Spool, range: Range<u64>) -> Vec<u8> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        spool
            .file()
            .read_exact_at(&mut bytes, range.start)
            .expect("read");
        bytes
    }

    #[test]
    fn grows_past_the_limit_into_a_temporary_file() {
        let spool = Spool::new(None, 10).expect("a spool");
        spool.append(b"0123456").expect("room");
        assert_eq!(spool.state().in_memory, cfg!(target_os = "linux"));
        let early = spool.file();
        spool.append(b"789").expect("room");
        assert_eq!(
            spool.state().in_memory,
            cfg!(target_os = "linux"),
            "the limit itself still fits"
        );
        spool.append(b"abc").expect("room");
        assert!(!spool.state().in_memory);
        spool.append(b"def").expect("room");
        let mut bytes = [0; 7];
        early
            .read_exact_at(&mut bytes, 0)
            .expect("still there for whoever reads it");
        assert_eq!(&bytes, b"0123456");
        assert_eq!(read(&spool, 0..16), b"0123456789abcdef");
    }

    #[test]
    fn waiting_ends_with_bytes_the_end_trouble_or_time() {
        let spool = Arc::new(Spool::new(None, MEMORY_LIMIT).expect("a spool"));
        let (short, long) = (Duration::from_millis(10), Duration::from_secs(60));
        assert_eq!(
            spool.wait_beyond(0, short),
            Ok(Extent {
                len: 0,
                complete: false
            })
        );
        let waiting = {
            let spool = Arc::clone(&spool);
            std::thread::spawn(move || spool.wait_beyond(0, long))
        };
        spool.append(b"abc").expect("room");
        assert_eq!(
            waiting.join().expect("no panic"),
            Ok(Extent {
                len: 3,
                complete: false
            })
        );
        let trouble = SourceError::Empty {
            name: "f".to_owned(),
        };
        spool.finish(Err(trouble.clone()));
        spool.finish(Ok(()));
        assert_eq!(
            spool.wait_beyond(2, long),
            Ok(Extent {
                len: 3,
                complete: false
            }),
            "good bytes first"
        );
        assert_eq!(spool.wait_beyond(3, long), Err(trouble));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn pieces_make_the_whole(
            pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..5000), 0..12),
            limit in 0..30_000_u64,
        ) {
            let spool = Spool::new(None, limit).expect("a spool");
            let mut whole = Vec::new();
            for piece in &pieces {
                spool.append(piece).expect("room");
                whole.extend_from_slice(piece);
                prop_assert_eq!(&read(&spool, 0..whole.len() as u64), &whole);
            }
            prop_assert_eq!(read(&spool, 0..whole.len() as u64), whole);
        }
    }
}
