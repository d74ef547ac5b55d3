//! Stores decoded bytes in a file in memory and, beyond a limit, in an unlinked temporary file,
//! until they are released.
//!
//! Both are files, so that they can be read by position and do not count as memory of the process.
//! One thread appends; any number of threads read what was published.
//!
//! The limit follows free memory: temporary files are on disks that are slower than any decoder and
//! delay the thread that writes. So [`MEMORY_LIMIT`] is always used, and beyond it a spool grows
//! while three times its size stays available.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::memory_room;
use super::open::is_one_of_many;
use super::spool_store::{disk_file, memory_file, punch_hole};
use super::{Encoding, Extent, Progress, RowContainer, SourceError};
use crate::parallel::locked;

/// Decoded bytes kept in memory, however little is free.
pub(super) const MEMORY_LIMIT: u64 = 256 << 20;
/// Step by which the limit grows while memory is available.
const MEMORY_STEP: u64 = 64 << 20;
/// Bytes released at a time.
const RELEASE_STEP: u64 = if cfg!(test) { 4 << 10 } else { 8 << 20 };
/// Multiple of a spool's size that must stay available beyond [`MEMORY_LIMIT`].
const MEMORY_SHARE: u64 = 3;

/// Decoded bytes of one input, written by one thread and read by any number.
#[derive(Debug)]
pub(super) struct Spool {
    state: Mutex<SpoolState>,
    /// Notified when the state changes.
    changed: Condvar,
    /// Compression of the raw bytes, once known.
    pub(super) encoding: OnceLock<Encoding>,
    /// Container of the decoded text; known before the first bytes are published.
    pub(super) container: OnceLock<RowContainer>,
    /// Encoding of the text, if it is not UTF-8.
    pub(super) charset: OnceLock<&'static str>,
    /// Raw bytes read.
    raw: AtomicU64,
    /// Size of the raw input, if known.
    raw_size: Option<u64>,
    /// True if no more bytes are needed.
    cancelled: AtomicBool,
}

#[derive(Debug)]
struct SpoolState {
    /// `None` if [`Self::whole`] has all published bytes.
    file: Option<Arc<File>>,
    whole: Arc<[u8]>,
    is_in_memory: bool,
    /// Decoded bytes that may stay in memory.
    memory_limit: u64,
    /// True if the limit grows with free memory.
    may_grow: bool,
    /// Published bytes: written, and unchanged until released.
    len: u64,
    /// Released bytes at the beginning, which are gone.
    released: u64,
    /// True if the system can release bytes.
    can_release: bool,
    end: SpoolEnd,
}

#[derive(Debug)]
enum SpoolEnd {
    Open,
    Complete,
    Failed(SourceError),
}

impl Spool {
    /// Creates an empty spool for an input of this raw size. `memory_limit` decoded bytes may stay
    /// in memory, more if that is [`MEMORY_LIMIT`] and memory is available.
    pub(super) fn new(raw_size: Option<u64>, memory_limit: u64) -> Self {
        let state = SpoolState {
            is_in_memory: false,
            file: None,
            whole: Arc::default(),
            memory_limit,
            may_grow: memory_limit == MEMORY_LIMIT,
            len: 0,
            released: 0,
            can_release: true,
            end: SpoolEnd::Open,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            encoding: OnceLock::new(),
            container: OnceLock::new(),
            charset: OnceLock::new(),
            raw: AtomicU64::new(0),
            raw_size,
            cancelled: AtomicBool::new(false),
        }
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            read: self.raw.load(Ordering::Relaxed),
            of: self.raw_size,
        }
    }

    /// Counts raw bytes that were read.
    pub(super) fn count_raw(&self, bytes: usize) {
        self.raw.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Sets the number of raw bytes read, unless it is already larger.
    pub(super) fn count_to(&self, bytes: u64) {
        self.raw.fetch_max(bytes, Ordering::Relaxed);
    }

    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn extent(&self) -> Extent {
        locked(&self.state).extent()
    }

    /// Checks that everything decoded so far is from the same content.
    ///
    /// # Errors
    /// If the raw input changed while it was read.
    pub(super) fn check_unchanged(&self) -> Result<(), SourceError> {
        match &locked(&self.state).end {
            SpoolEnd::Failed(error) if error.is_change() => Err(error.clone()),
            SpoolEnd::Open | SpoolEnd::Complete | SpoolEnd::Failed(_) => Ok(()),
        }
    }

    /// Fills `room` with published bytes from `at` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if they do not exist, or some were released and may read as
    /// zeros. If the disk fails.
    pub(super) fn read_exact_at(&self, room: &mut [u8], at: u64) -> io::Result<()> {
        let (file, whole) = {
            let state = locked(&self.state);
            (state.file.clone(), Arc::clone(&state.whole))
        };
        let read = match file {
            Some(file) => file.read_exact_at(room, at),
            None => (whole.get(at as usize..).unwrap_or_default()).read_exact(room),
        };
        // Checked after reading: `released` is updated before the bytes go.
        if at < locked(&self.state).released {
            Err(io::ErrorKind::UnexpectedEof.into())
        } else {
            read
        }
    }

    /// Waits until more than `len` bytes are decoded or the input ended, at most for `timeout`;
    /// returns the extent.
    ///
    /// # Errors
    /// If decoding failed and there are no bytes beyond `len`.
    pub(super) fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<Extent, SourceError> {
        let nothing_new =
            |state: &mut SpoolState| state.len <= len && matches!(state.end, SpoolEnd::Open);
        let waited = self
            .changed
            .wait_timeout_while(locked(&self.state), timeout, nothing_new);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &state.end {
            SpoolEnd::Failed(error) if state.len <= len => Err(error.clone()),
            _ => Ok(state.extent()),
        }
    }

    /// Writes and publishes bytes. Only for the thread that fills the spool.
    ///
    /// # Errors
    /// If there is no space for them; then nothing is published.
    pub(super) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let (file, len, is_in_memory, has_room) = {
            let mut state = locked(&self.state);
            let file = state.file()?;
            let has_room = state.has_room(bytes.len() as u64);
            (file, state.len, state.is_in_memory, has_room)
        };
        let written = if has_room {
            file.write_all_at(bytes, len)
        } else {
            Err(io::ErrorKind::OutOfMemory.into())
        };
        match written {
            // The limit is reached, or the system has no more memory.
            Err(_) if is_in_memory => self.move_to_disk(&file)?.write_all_at(bytes, len)?,
            written => written?,
        }
        locked(&self.state).len += bytes.len() as u64;
        self.changed.notify_all();
        Ok(())
    }

    /// Moves the bytes from memory to a file on disk.
    fn move_to_disk(&self, memory: &File) -> io::Result<Arc<File>> {
        let kept = {
            let state = locked(&self.state);
            state.released..state.len
        };
        let mut disk = disk_file()?;
        // No other code uses these cursors.
        for mut file in [memory, &disk] {
            file.seek(SeekFrom::Start(kept.start))?;
        }
        io::copy(&mut memory.take(kept.end - kept.start), &mut disk)?;
        let disk = Arc::new(disk);
        let mut state = locked(&self.state);
        (state.file, state.is_in_memory) = (Some(Arc::clone(&disk)), false);
        Ok(disk)
    }

    /// Frees the storage of the bytes before `upto`, in memory and on disk, in whole steps, if the
    /// system can. They must not be read again.
    pub(super) fn release(&self, upto: u64) {
        let mut state = locked(&self.state);
        let upto = upto.min(state.len) / RELEASE_STEP * RELEASE_STEP;
        if upto <= state.released || !state.can_release {
            return;
        }
        // Updated before they go, because readers check it after reading.
        let bytes = std::mem::replace(&mut state.released, upto)..upto;
        let Some(file) = state.file.clone() else {
            return;
        };
        drop(state);
        if !punch_hole(&file, bytes.start, bytes.end - bytes.start) {
            locked(&self.state).can_release = false;
        }
    }

    /// Ends the input; the first outcome counts.
    pub(super) fn finish(&self, outcome: Result<(), SourceError>) {
        let mut state = locked(&self.state);
        if matches!(state.end, SpoolEnd::Open) {
            state.end = outcome.map_or_else(SpoolEnd::Failed, |()| SpoolEnd::Complete);
            let _ = state.close_file();
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl SpoolState {
    /// Returns the file to write to; the first bytes create it.
    fn file(&mut self) -> io::Result<Arc<File>> {
        if let Some(file) = &self.file {
            return Ok(Arc::clone(file));
        }
        let memory = (self.memory_limit > 0).then(memory_file).flatten();
        self.is_in_memory = memory.is_some();
        let file = Arc::new(memory.map_or_else(disk_file, Ok)?);
        Ok(Arc::clone(self.file.insert(file)))
    }

    /// Replaces a file of few bytes by these if many files are open.
    fn close_file(&mut self) -> io::Result<()> {
        let file = self.file.as_ref().filter(|file| is_one_of_many(file));
        if let Some(file) = file.filter(|_| self.len < RELEASE_STEP) {
            let mut bytes = vec![0; self.len as usize];
            file.read_exact_at(&mut bytes, 0)?;
            (self.file, self.whole) = (None, bytes.into());
        }
        Ok(())
    }

    /// True if `more` bytes fit; the memory limit may grow.
    fn has_room(&mut self, more: u64) -> bool {
        let needed = (self.len - self.released).saturating_add(more);
        if !self.is_in_memory || needed <= self.memory_limit {
            return true;
        }
        let grown = needed.saturating_add(MEMORY_STEP);
        let is_available = |bytes: u64| bytes >= grown.saturating_mul(MEMORY_SHARE);
        let may_grow = self.may_grow && memory_room::available().is_some_and(is_available);
        if may_grow {
            self.memory_limit = grown;
        }
        may_grow
    }

    fn extent(&self) -> Extent {
        Extent {
            len: self.len,
            complete: matches!(self.end, SpoolEnd::Complete),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::os::unix::fs::MetadataExt;

    use proptest::prelude::*;

    use super::*;

    fn read(spool: &Spool, range: Range<u64>) -> Vec<u8> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        spool.read_exact_at(&mut bytes, range.start).expect("read");
        bytes
    }

    #[test]
    fn grows_past_the_limit_into_a_temporary_file() {
        let spool = Spool::new(None, 10);
        spool.append(b"0123456").expect("room");
        assert_eq!(locked(&spool.state).is_in_memory, cfg!(target_os = "linux"));
        let early = locked(&spool.state).file().expect("a file");
        spool.append(b"789").expect("room");
        assert_eq!(
            locked(&spool.state).is_in_memory,
            cfg!(target_os = "linux"),
            "the limit itself still fits"
        );
        spool.append(b"abc").expect("room");
        assert!(!locked(&spool.state).is_in_memory);
        spool.append(b"def").expect("room");
        let mut bytes = [0; 7];
        early.read_exact_at(&mut bytes, 0).expect("still readable");
        assert_eq!(&bytes, b"0123456");
        assert_eq!(read(&spool, 8..12), b"89ab", "of both places");
        assert_eq!(read(&spool, 0..16), b"0123456789abcdef");
    }

    #[test]
    fn what_is_given_back_makes_room_in_memory() {
        let step = RELEASE_STEP as usize;
        let spool = Spool::new(None, 2 * RELEASE_STEP);
        let in_memory = cfg!(target_os = "linux");
        for round in 1..5_u64 {
            let (one, another) = (vec![2 * round as u8; step], vec![2 * round as u8 + 1; step]);
            spool.append(&one).expect("room");
            spool.append(&another).expect("room");
            let upto = round * 2 * RELEASE_STEP;
            assert_eq!(
                read(&spool, upto - 2 * RELEASE_STEP..upto),
                [one, another].concat()
            );
            assert_eq!(locked(&spool.state).is_in_memory, in_memory);
            // A step that is not complete stays readable.
            spool.release(upto - 1);
            assert_eq!(read(&spool, upto - 1..upto), [2 * round as u8 + 1]);
            spool.release(upto);
            assert_eq!(locked(&spool.state).released, upto);
        }
        assert_eq!(spool.extent().len, 8 * RELEASE_STEP);
        spool.append(b"end").expect("room");
        spool.finish(Ok(()));
        let upto = spool.extent().len;
        assert_eq!(read(&spool, upto - 3..upto), *b"end");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_holds_only_what_was_not_given_back() {
        let spool = Spool::new(None, 4 * RELEASE_STEP);
        spool
            .append(&vec![1; 4 * RELEASE_STEP as usize])
            .expect("room");
        let held = || {
            let metadata = locked(&spool.state).file().and_then(|file| file.metadata());
            metadata.expect("a file").blocks() * 512
        };
        spool.release(3 * RELEASE_STEP);
        assert_eq!(held(), RELEASE_STEP);
        spool
            .append(&vec![2; 4 * RELEASE_STEP as usize])
            .expect("room");
        assert!(!locked(&spool.state).is_in_memory);
        assert!(held() < 8 * RELEASE_STEP, "{}", held());
        assert_eq!(
            read(&spool, 4 * RELEASE_STEP - 1..4 * RELEASE_STEP + 1),
            [1, 2]
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn reading_what_was_given_back_is_an_error() {
        let spool = Spool::new(None, MEMORY_LIMIT);
        spool.append(&vec![1; RELEASE_STEP as usize]).expect("room");
        let early = locked(&spool.state).file().expect("a file");
        spool.release(RELEASE_STEP);
        spool.append(&vec![2; RELEASE_STEP as usize]).expect("room");
        let mut bytes = [0; 3];
        early.read_exact_at(&mut bytes, 0).expect("read");
        assert_eq!(bytes, [0; 3]);
        let read = spool.read_exact_at(&mut bytes, RELEASE_STEP - 1);
        let is_gone = |read: io::Result<()>| {
            read.is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
        };
        assert!(is_gone(read));
        spool.read_exact_at(&mut bytes, RELEASE_STEP).expect("read");
        let beyond = spool.read_exact_at(&mut bytes, 3 * RELEASE_STEP);
        assert!(is_gone(beyond));
    }

    #[test]
    fn bytes_on_disk_are_readable_after_a_release() {
        let spool = Spool::new(None, 2 * RELEASE_STEP);
        let whole: Vec<u8> = (0..6 * RELEASE_STEP)
            .map(|at| (at / 16) as u8 ^ at as u8)
            .collect();
        let (first, rest) = whole.split_at(2 * RELEASE_STEP as usize);
        spool.append(first).expect("room");
        spool.release(RELEASE_STEP);
        let kept = |spool: &Spool| locked(&spool.state).released as usize;
        for piece in rest.chunks(1000) {
            spool.append(piece).expect("room");
        }
        assert!(!locked(&spool.state).is_in_memory);
        let from = kept(&spool);
        assert_eq!(read(&spool, from as u64..6 * RELEASE_STEP), &whole[from..]);
        spool.finish(Ok(()));
        spool.release(3 * RELEASE_STEP);
        let from = kept(&spool);
        assert_eq!(from as u64, 3 * RELEASE_STEP);
        assert_eq!(read(&spool, from as u64..6 * RELEASE_STEP), &whole[from..]);
    }

    #[test]
    fn waiting_ends_with_bytes_the_end_trouble_or_time() {
        let spool = Arc::new(Spool::new(None, MEMORY_LIMIT));
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
        let trouble = SourceError::Empty("f".to_owned());
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
            given_back in proptest::collection::vec(0..30_000_u64, 12),
        ) {
            let spool = Spool::new(None, limit);
            let (mut whole, mut most) = (Vec::new(), 0);
            for (piece, upto) in pieces.iter().zip(given_back) {
                spool.append(piece).expect("room");
                whole.extend_from_slice(piece);
                spool.release(upto);
                let kept = locked(&spool.state).released;
                most = most.max(upto);
                prop_assert!(kept <= most);
                prop_assert_eq!(&read(&spool, kept..whole.len() as u64), &whole[kept as usize..]);
            }
            spool.finish(Ok(()));
            spool.release(whole.len() as u64);
            let kept = locked(&spool.state).released;
            prop_assert_eq!(&read(&spool, kept..whole.len() as u64), &whole[kept as usize..]);
        }
    }
}
