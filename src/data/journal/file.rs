//! Reads and appends to the file of a journal.

use std::collections::HashSet;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use tempfile::TempPath;

use super::reading::{foreign_line, read_lines};
use super::record::{ActId, ActRecord, Header};
use super::texts;
use crate::source::{add_suffix, identity};

/// The version of the format that this program writes.
pub const VERSION: u32 = 2;
/// Maximum number of attempts if the file is replaced between opening and locking.
const ATTEMPTS: usize = 16;
/// Maximum time to wait for a lock; others hold it only while they write to disk.
const PATIENCE: Duration = Duration::from_secs(1);
/// Pause between two attempts to lock.
const NAP: Duration = Duration::from_millis(2);
/// Maximum length of the header line, in bytes.
const HEAD: u64 = 1 << 20;
/// Bytes before the last position that are compared to detect that the file was rewritten.
const TAIL: usize = 256;

/// A journal on disk. The file is created when the first act is added.
///
/// The file is reopened for each operation. Locks belong to an open file, so two journals in one
/// process exclude each other like two processes do; a replaced file is noticed; and an old handle
/// cannot report data as written that never reached the disk.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    place: ReadPosition,
    /// Ids of acts that were added here, successfully or not.
    own: HashSet<ActId>,
    /// Messages about repairs in an attempt that failed later, to be reported next time.
    unreported: Vec<String>,
    /// True once acts of a later version were reported.
    later_reported: bool,
    /// The file whose directory entry is known to be synced.
    named: Option<(u64, u64)>,
    /// State of the file when it was last read; `None` if it did not exist.
    stamp: Option<JournalStamp>,
    /// Locks a file exclusively; tests replace it.
    pub(super) try_lock: fn(&File) -> Result<(), TryLockError>,
    /// True once it was reported that a file is the lock.
    lock_reported: bool,
    /// Syncs a file to disk; tests replace it.
    pub(super) sync: fn(&File) -> io::Result<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JournalStamp {
    identity: (u64, u64),
    length: u64,
    modified: (i64, i64),
}

impl JournalStamp {
    fn of(found: &Metadata) -> Self {
        Self {
            identity: identity(found),
            length: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
        }
    }
}

/// The position up to which the file was read.
#[derive(Debug, Clone, Default)]
struct ReadPosition {
    identity: (u64, u64),
    /// Bytes of complete lines.
    end: u64,
    /// Number of complete lines.
    lines: u64,
    /// Their last bytes, at most [`TAIL`].
    tail: Vec<u8>,
    header: Option<Header>,
    /// The latest version in a header.
    version: u32,
    /// End of the truncated last line that was already reported.
    torn_reported: u64,
}

impl ReadPosition {
    fn advance(&mut self, bytes: &[u8], lines: u64) {
        self.end += bytes.len() as u64;
        self.lines += lines;
        self.tail
            .extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }
}

/// The result of reading a journal.
#[derive(Debug, Default)]
pub struct JournalUpdate {
    /// The first header, if the file has one.
    pub header: Option<Header>,
    /// Acts of others since the last read or add, in order. When adding, these precede the added
    /// acts in the file.
    pub entries: Vec<ActRecord>,
    /// The line of each entry in the file, from 1.
    pub lines: Vec<u64>,
    /// A warning about acts of a later version.
    pub later: Option<String>,
    /// Warnings, one sentence each: lines that cannot be parsed (with their numbers), a truncated
    /// last line.
    pub troubles: Vec<String>,
}

/// Why a journal could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// An I/O error.
    #[error("{path}: {source}; {}", advice(.source))]
    Io {
        /// Path of the journal.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a journal, so nothing is added to it.
    #[error("{path}, line {line}: not a visavis journal; pass --journal PATH to use another file")]
    NotAJournal {
        /// Path of the file.
        path: PathBuf,
        /// The line that should have been a header.
        line: u64,
    },
    /// The journal has a later version, which can be read but not written.
    #[error(
        "{path} was written by a later version of visavis (format {version}); update visavis, or pass --journal PATH"
    )]
    Later {
        /// Path of the journal.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
}

/// Returns what to do about a system error.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            texts::FREE_SPACE
        }
        ErrorKind::NotFound => texts::CREATE_FOLDER,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::IsADirectory => {
            texts::CHOOSE_PLACE
        }
        ErrorKind::WouldBlock => texts::END_PROGRAM,
        _ => texts::TRY_AGAIN,
    }
}

/// The result of reading under a lock, kept only if the whole operation succeeds.
struct PendingRead {
    place: ReadPosition,
    opened: JournalUpdate,
    /// The last line if it has no line break.
    torn: Vec<u8>,
    /// True if acts of a later version were found.
    later: bool,
}

impl JournalFile {
    /// Returns a journal at this path, which need not exist yet.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            place: ReadPosition::default(),
            own: HashSet::new(),
            unreported: Vec::new(),
            later_reported: false,
            named: None,
            stamp: None,
            try_lock: File::try_lock,
            lock_reported: false,
            sync: File::sync_data,
        }
    }

    /// Returns the path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what is new; the first time, everything. If the file was replaced or truncated, reads
    /// everything again and reports that.
    ///
    /// # Errors
    /// If the file exists and cannot be read, is not a journal, or stays locked for over a second.
    pub fn read(&mut self) -> Result<JournalUpdate, JournalError> {
        let Some((_, file)) = self.open(false)? else {
            let mut opened = JournalUpdate {
                troubles: std::mem::take(&mut self.unreported),
                ..JournalUpdate::default()
            };
            if self.place.end > 0 {
                opened.troubles.push(texts::gone(self.name()));
            }
            (self.place, self.stamp) = (ReadPosition::default(), None);
            return Ok(opened);
        };
        let mut reading = self.read_new(&file)?;
        let end = reading.place.end + reading.torn.len() as u64;
        if !reading.torn.is_empty() && reading.place.torn_reported != end {
            reading.place.torn_reported = end;
            let line = reading.place.lines + 1;
            let text = texts::truncated_line(self.name(), line);
            reading.opened.troubles.push(text);
        }
        let stamp = file.metadata().map_err(|error| self.error(error))?;
        Ok(self.commit(reading, &stamp))
    }

    /// Returns the latest version in the headers read so far; 0 if there are none.
    pub fn version(&self) -> u32 {
        self.place.version
    }

    /// True if the file changed since it was last read or written. Costs one `stat`.
    pub fn has_changed(&self) -> bool {
        match fs::metadata(&self.path) {
            Ok(found) => self.stamp != Some(JournalStamp::of(&found)),
            Err(error) => error.kind() == ErrorKind::NotFound && self.stamp.is_some(),
        }
    }

    /// Appends acts in one write, with a header if the file is new. They are synced to disk when
    /// this returns. Returns what others added meanwhile.
    ///
    /// After an error, add the same acts again, even if some of them may be in the file: a ledger
    /// applies each id once.
    ///
    /// # Errors
    /// If they could not be written and synced; then the file is truncated to its former length, if
    /// the system permits. If the file is not a journal, has a later version, or stays locked for
    /// over a second, it is not changed.
    pub fn add(
        &mut self,
        header: &Header,
        entries: &[ActRecord],
    ) -> Result<JournalUpdate, JournalError> {
        if entries.is_empty() {
            return self.read();
        }
        self.own
            .extend(entries.iter().map(|entry| entry.id.clone()));
        for _ in 0..ATTEMPTS {
            // The file is closed before the lock file is deleted.
            let Some((lock, file)) = self.open(true)? else {
                continue;
            };
            if let Some(lock) = &lock
                && !std::mem::replace(&mut self.lock_reported, true)
            {
                self.unreported
                    .push(texts::lock_file(self.name(), lock.display()));
            }
            let mut reading = self.read_new(&file)?;
            if reading.place.version > VERSION {
                return Err(JournalError::Later {
                    path: self.path.clone(),
                    version: reading.place.version,
                });
            }
            let lead = self.repair(&file, &mut reading)?;
            let is_new = reading.place.header.is_none();
            if is_new {
                self.named = None; // A new file, be its number that of a deleted one.
            }
            // After lines of an earlier version, a header marks where this version begins: programs
            // that do not know it can read the file but will not write to it.
            let begins = is_new || reading.place.version < VERSION;
            let bytes = serialise(lead, begins.then_some(header), entries);
            let end = reading.place.end;
            self.write(&file, end, &bytes)
                .map_err(|error| self.error(error))?;
            let found = file.metadata().map_err(|error| self.error(error))?;
            if !self.leads_to(&found) {
                continue; // It was replaced while we wrote: what we have added is nowhere any more.
            }
            reading.place.header.get_or_insert_with(|| header.clone());
            if begins {
                reading.place.version = reading.place.version.max(header.journal);
            }
            reading.place.advance(
                &bytes,
                bytes.iter().filter(|byte| **byte == b'\n').count() as u64,
            );
            return Ok(self.commit(reading, &found));
        }
        Err(self.error(replaced()))
    }

    /// Opens and locks the file; returns `None` if it does not exist and `adds` is false.
    fn open(&self, adds: bool) -> Result<Option<(Option<TempPath>, File)>, JournalError> {
        let io = |error| self.error(error);
        for _ in 0..ATTEMPTS {
            match fs::metadata(&self.path) {
                // Opening a pipe may block forever, and a terminal stores nothing.
                Ok(found) if !found.is_file() && !found.is_dir() => {
                    return Err(self.error(io::Error::other(texts::NOT_A_FILE)));
                }
                _ => {}
            }
            let file = match OpenOptions::new()
                .read(true)
                .append(adds)
                .create(adds)
                .open(&self.path)
            {
                Err(error) if error.kind() == ErrorKind::NotFound && !adds => return Ok(None),
                opened => opened.map_err(io)?,
            };
            let lock = self.lock(&file, adds).map_err(io)?;
            let found = file.metadata().map_err(io)?;
            if found.is_dir() {
                return Err(self.error(ErrorKind::IsADirectory.into()));
            }
            if self.leads_to(&found) {
                return Ok(Some((lock, file)));
            }
        }
        Err(self.error(replaced()))
    }

    /// Locks the file until it is closed or, if the system has no locks there, until the returned
    /// file beside it is deleted by dropping it. Fails if others hold the lock for over a second, so
    /// that unsaved acts are reported instead of waiting forever.
    fn lock(&self, file: &File, exclusive: bool) -> io::Result<Option<TempPath>> {
        let (beside, deadline) = (add_suffix(&self.path, ".lock"), Instant::now() + PATIENCE);
        loop {
            let locked = if exclusive {
                (self.try_lock)(file)
            } else {
                file.try_lock_shared()
            };
            let held = match locked {
                Ok(()) => return Ok(None),
                Err(TryLockError::WouldBlock) => texts::LOCKED.to_owned(),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {
                    continue;
                }
                // Without a lock the file can be read, but concurrent writes would not be safe.
                Err(_) if !exclusive => return Ok(None),
                Err(_) => match File::create_new(&beside) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => owner(&beside),
                    created => {
                        let lock = TempPath::try_from_path(beside)?;
                        write!(created?, "{} {}", std::process::id(), host())?;
                        return Ok(Some(lock));
                    }
                },
            };
            if Instant::now() >= deadline {
                return Err(io::Error::new(ErrorKind::WouldBlock, held));
            }
            thread::sleep(NAP);
        }
    }

    /// True if the path still refers to the opened file.
    fn leads_to(&self, opened: &Metadata) -> bool {
        fs::metadata(&self.path).is_ok_and(|found| identity(&found) == identity(opened))
    }

    /// Reads what is new in a locked file.
    fn read_new(&self, file: &File) -> Result<PendingRead, JournalError> {
        let io = |error| self.error(error);
        let found = file.metadata().map_err(io)?;
        let (mut place, mut opened) = (self.place.clone(), JournalUpdate::default());
        if place.end > 0 && !self.is_continued(file, &found).map_err(io)? {
            opened.troubles.push(texts::replaced(self.name()));
            place = ReadPosition::default();
        }
        place.identity = identity(&found);
        if place.header.is_none() {
            let mut head = Vec::new();
            file.take(HEAD).read_to_end(&mut head).map_err(io)?;
            if let Some(line) = foreign_line(&head) {
                return Err(JournalError::NotAJournal {
                    path: self.path.clone(),
                    line,
                });
            }
        }
        let mut bytes = Vec::new();
        let mut from = file;
        from.seek(SeekFrom::Start(place.end)).map_err(io)?;
        from.read_to_end(&mut bytes).map_err(io)?;
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let torn = bytes.split_off(whole);

        let contents = read_lines(&bytes);
        opened
            .troubles
            .extend(contents.bad_lines(&self.name(), place.lines));
        let later = contents.later_acts(&self.name());
        let later_met = later.is_some();
        opened.later = later.filter(|_| !self.later_reported);
        let lines = contents
            .entry_lines
            .iter()
            .map(|line| place.lines + line + 1);
        let entries = contents
            .entries
            .into_iter()
            .zip(lines)
            .filter(|(entry, _)| !self.own.contains(&entry.id));
        (opened.entries, opened.lines) = entries.unzip();
        place.version = place.version.max(contents.version);
        place.header = place.header.or(contents.header);
        place.advance(&bytes, contents.lines);
        opened.header = place.header.clone();
        Ok(PendingRead {
            place,
            opened,
            torn,
            later: later_met,
        })
    }

    /// True if this is the file that was read before, and its old content is unchanged.
    fn is_continued(&self, file: &File, found: &Metadata) -> io::Result<bool> {
        if identity(found) != self.place.identity || found.len() < self.place.end {
            return Ok(false);
        }
        // The inode is not enough: editors rewrite files in place, and systems reuse inodes.
        let mut tail = vec![0; self.place.tail.len()];
        let from = self.place.end - tail.len() as u64;
        match file.read_exact_at(&mut tail, from) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            read => read.map(|()| tail == self.place.tail),
        }
    }

    /// Moves a truncated last line to another file; under the lock no program can be about to
    /// complete it. Returns the bytes to write before new lines.
    fn repair(&mut self, file: &File, reading: &mut PendingRead) -> Result<Vec<u8>, JournalError> {
        if reading.torn.is_empty() {
            return Ok(Vec::new());
        }
        let (line, name) = (reading.place.lines + 1, self.name());
        let aside = add_suffix(&self.path, ".torn");
        let end = reading.place.end;
        match self
            .set_aside(&aside, &reading.torn)
            .and_then(|()| file.set_len(end))
        {
            Ok(()) => {
                let text = texts::truncated_line_moved(name, line, aside.display());
                self.unreported.push(text);
                Ok(Vec::new())
            }
            // If the folder is read-only, keep the truncated line; terminated, it is skipped when
            // reading.
            Err(_) if reading.place.header.is_some() => {
                let text = texts::truncated_line(name, line);
                reading.opened.troubles.push(text);
                reading.place.end += reading.torn.len() as u64;
                reading.place.tail.clear();
                Ok(b"\n".to_vec())
            }
            Err(error) => Err(self.error(error)),
        }
    }

    fn set_aside(&self, path: &Path, torn: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        file.write_all(&[torn, b"\n"].concat())?;
        (self.sync)(&file)
    }

    /// Appends bytes and syncs; if that fails, truncates the file to its former length.
    fn write(&mut self, file: &File, end: u64, bytes: &[u8]) -> io::Result<()> {
        let mut to = file;
        let written = to
            .write_all(bytes)
            .and_then(|()| (self.sync)(file))
            .and_then(|()| self.sync_name(file));
        written.map_err(|error| match file.set_len(end) {
            Ok(()) => {
                // No empty file is left. Programs that wait for its lock notice that it is gone.
                if end == 0 {
                    let _ = fs::canonicalize(&self.path).and_then(fs::remove_file);
                }
                error
            }
            Err(other) => io::Error::new(error.kind(), texts::not_undone(error, other)),
        })
    }

    /// Syncs the directory entry, so that the file survives a crash. Its creator may have crashed
    /// before doing so.
    fn sync_name(&mut self, file: &File) -> io::Result<()> {
        let identity = identity(&file.metadata()?);
        if self.named != Some(identity) {
            let path = fs::canonicalize(&self.path)?;
            match File::open(path.parent().unwrap_or(Path::new("/"))) {
                Ok(folder) => match (self.sync)(&folder) {
                    // Some file systems cannot sync a folder.
                    Err(error) if error.kind() == ErrorKind::InvalidInput => {}
                    synced => synced?,
                },
                // The folder may be writable but not readable.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
                Err(error) => return Err(error),
            }
            self.named = Some(identity);
        }
        Ok(())
    }

    fn commit(&mut self, reading: PendingRead, found: &Metadata) -> JournalUpdate {
        let PendingRead {
            place,
            mut opened,
            later,
            ..
        } = reading;
        self.later_reported |= later;
        self.stamp = Some(JournalStamp::of(found));
        opened.header = place.header.clone();
        self.place = place;
        self.unreported.append(&mut opened.troubles);
        opened.troubles = std::mem::take(&mut self.unreported);
        opened
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn error(&self, source: io::Error) -> JournalError {
        JournalError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

fn replaced() -> io::Error {
    io::Error::other(texts::KEEPS_REPLACING)
}

/// Returns the owner of a lock file, which is deleted if it was a process of this computer that has
/// ended.
fn owner(path: &Path) -> String {
    let owner = fs::read_to_string(path).unwrap_or_default();
    let pid = owner
        .split_once(' ')
        .filter(|(_, of)| *of == host())
        .and_then(|(pid, _)| Pid::from_raw(pid.parse().ok()?));
    if pid.is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH)) {
        let _ = fs::remove_file(path);
    }
    texts::locked_by(owner.escape_debug(), path.display())
}

/// Returns the name of this computer.
fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// Serialises lines after `lead`.
fn serialise(mut lead: Vec<u8>, header: Option<&Header>, entries: &[ActRecord]) -> Vec<u8> {
    let entries = entries.iter().map(ActRecord::line);
    for line in header.map(Header::line).into_iter().chain(entries) {
        lead.extend_from_slice(line.as_bytes());
        lead.push(b'\n');
    }
    lead
}
