//! The file of a journal: reading it, and adding to it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::reading::{FileStart, read_lines};
use super::record::{ActId, ActRecord, Header};

/// The version of the format that this program writes.
pub const VERSION: u32 = 2;
/// How often a file may be replaced between being found and being locked.
const ATTEMPTS: usize = 16;
/// How long a lock is waited for: others have it for the time of a write to the disk.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long before it is tried again.
const NAP: Duration = Duration::from_millis(2);
/// Where the first line must end.
const HEAD: u64 = 1 << 20;
/// Bytes before the place read up to that must still be the same, lest the file was written anew.
const TAIL: usize = 256;

/// A journal on disk. Nothing is created before something is added.
///
/// The file is opened anew each time: a lock belongs to one opening, so that two journals in one
/// program exclude each other like two programs do; a file that was replaced is noticed; and what
/// failed to reach the disk is not taken for written because an old handle says so.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    place: ReadPosition,
    /// Names of entries that were added here, or were to be.
    own: HashSet<ActId>,
    /// What was done about the file in an attempt that failed then.
    untold: Vec<String>,
    /// Whether acts of a later version were told.
    later_told: bool,
    /// The file whose name is known to be on disk.
    named: Option<Identity>,
    /// What the file was like when it was last looked into; `None` where there was none.
    stamp: Option<JournalStamp>,
    /// How a file gets to the disk; tests know files that do not.
    pub(super) sync: fn(&File) -> io::Result<()>,
}

/// Device and inode.
type Identity = (u64, u64);

fn identity(found: &Metadata) -> Identity {
    (found.dev(), found.ino())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JournalStamp {
    identity: Identity,
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

/// Up to where the file was read.
#[derive(Debug, Clone, Default)]
struct ReadPosition {
    identity: Identity,
    /// Bytes of whole lines.
    end: u64,
    /// Whole lines.
    lines: u64,
    /// The last bytes of them.
    tail: Vec<u8>,
    header: Option<Header>,
    /// The latest version that a header tells of.
    version: u32,
    /// Where the torn last line ended that was told.
    torn_told: u64,
}

impl ReadPosition {
    fn go_on(&mut self, bytes: &[u8], lines: u64) {
        self.end += bytes.len() as u64;
        self.lines += lines;
        self.tail
            .extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }
}

/// What reading found.
#[derive(Debug, Default)]
pub struct JournalUpdate {
    /// The header, where there is one.
    pub header: Option<Header>,
    /// Entries that are new since the last reading (or adding), in order; own ones are not among
    /// them. What is found by adding stands in the file before what was added.
    pub entries: Vec<ActRecord>,
    /// The line of each entry in the file, from 1.
    pub lines: Vec<u64>,
    /// What a person should know, one sentence each: lines that do not read, with their numbers, a
    /// torn last line, acts of a later version.
    pub troubles: Vec<String>,
}

/// Why a journal could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system says no.
    #[error("{path}: {source}; {}", advice(.source))]
    Io {
        /// The journal.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is a file, but no journal: nothing is ever added to it.
    #[error(
        "{path}, line {line}: this is no journal of visavis, and nothing is written to it; name another with --journal PATH"
    )]
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// The line that should have been a header.
        line: u64,
    },
    /// It is of a later version, which can be read but not added to.
    #[error(
        "{path}: a later visavis writes this journal (version {version}); update this one, or name another with --journal PATH"
    )]
    Later {
        /// The journal.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
}

/// What to do about an error of the system.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "make room, or name another place with --journal PATH"
        }
        ErrorKind::NotFound => "make its folder, or name another place with --journal PATH",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::IsADirectory => {
            "name another place with --journal PATH"
        }
        ErrorKind::WouldBlock => "end that program, or name another place with --journal PATH",
        _ => "try again, or name another place with --journal PATH",
    }
}

/// What was read under a lock, to be kept once all else has gone well.
struct PendingRead {
    place: ReadPosition,
    opened: JournalUpdate,
    /// The last line without its end.
    torn: Vec<u8>,
    /// Whether acts of a later version were met.
    later: bool,
}

impl JournalFile {
    /// A journal at a place, whether there is a file yet or not.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            place: ReadPosition::default(),
            own: HashSet::new(),
            untold: Vec::new(),
            later_told: false,
            named: None,
            stamp: None,
            sync: File::sync_data,
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what is new: at first everything. After the file was replaced or cut everything again,
    /// told as a trouble.
    ///
    /// # Errors
    /// When there is a file and it cannot be read, or is no journal; or when others have it locked
    /// for longer than a second.
    pub fn read(&mut self) -> Result<JournalUpdate, JournalError> {
        let Some(file) = self.open(false)? else {
            let mut opened = JournalUpdate {
                troubles: std::mem::take(&mut self.untold),
                ..JournalUpdate::default()
            };
            if self.place.end > 0 {
                opened.troubles.push(format!(
                    "{}: the journal is gone; the next act begins a new one",
                    self.name()
                ));
            }
            (self.place, self.stamp) = (ReadPosition::default(), None);
            return Ok(opened);
        };
        let mut reading = self.catch_up(&file)?;
        let end = reading.place.end + reading.torn.len() as u64;
        if !reading.torn.is_empty() && reading.place.torn_told != end {
            reading.place.torn_told = end;
            let line = reading.place.lines + 1;
            reading.opened.troubles.push(format!(
                "{}, line {line}: it is cut short and passed over",
                self.name()
            ));
        }
        let stamp = file.metadata().map_err(|error| self.error(error))?;
        Ok(self.keep(reading, &stamp))
    }

    /// The latest version that a header of what was read tells of; 0 where there is none.
    pub fn version(&self) -> u32 {
        self.place.version
    }

    /// Whether the file has changed since it was last read or added to: cheap enough to be asked
    /// each second.
    pub fn has_news(&self) -> bool {
        match fs::metadata(&self.path) {
            Ok(found) => self.stamp != Some(JournalStamp::of(&found)),
            Err(error) => error.kind() == ErrorKind::NotFound && self.stamp.is_some(),
        }
    }

    /// Adds entries, in one piece and in order, behind a header if the file is new; they are on
    /// disk when this returns. Gives what others added meanwhile.
    ///
    /// After an error the same entries may be added again, also where it is not certain that the
    /// file has none of them: a ledger takes each in once.
    ///
    /// # Errors
    /// When they could not all be written and synced; then none of them is in the file, as far as
    /// the system lets it be so. When the file is no journal, or one of a later version, or others
    /// have it locked for longer than a second: then it is left as it is.
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
            let Some(file) = self.open(true)? else {
                continue;
            };
            let mut reading = self.catch_up(&file)?;
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
            // Behind lines of an earlier version a header tells where those of this one begin: a
            // program that does not know them reads the file and adds nothing to it.
            let begins = is_new || reading.place.version < VERSION;
            let bytes = spelled(&lead, begins.then_some(header), entries);
            let bytes = bytes.map_err(|error| self.error(error))?;
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
            reading.place.go_on(
                &bytes,
                bytes.iter().filter(|byte| **byte == b'\n').count() as u64,
            );
            return Ok(self.keep(reading, &found));
        }
        Err(self.error(replaced()))
    }

    /// The file, locked; `None` where there is none and none is to be made.
    fn open(&self, adds: bool) -> Result<Option<File>, JournalError> {
        let io = |error| self.error(error);
        for _ in 0..ATTEMPTS {
            match fs::metadata(&self.path) {
                // Opening a pipe may wait for ever, and what is written to a terminal is not kept.
                Ok(found) if !found.is_file() && !found.is_dir() => {
                    return Err(self.error(io::Error::other("this is no ordinary file")));
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
            lock(&file, adds).map_err(io)?;
            let found = file.metadata().map_err(io)?;
            if found.is_dir() {
                return Err(self.error(ErrorKind::IsADirectory.into()));
            }
            if self.leads_to(&found) {
                return Ok(Some(file));
            }
        }
        Err(self.error(replaced()))
    }

    /// Whether the path still leads to a file that was opened.
    fn leads_to(&self, opened: &Metadata) -> bool {
        fs::metadata(&self.path).is_ok_and(|found| identity(&found) == identity(opened))
    }

    /// Reads what is new in a locked file.
    fn catch_up(&self, file: &File) -> Result<PendingRead, JournalError> {
        let io = |error| self.error(error);
        let found = file.metadata().map_err(io)?;
        let (mut place, mut opened) = (self.place.clone(), JournalUpdate::default());
        if place.end > 0 && !self.goes_on(file, &found).map_err(io)? {
            opened.troubles.push(format!(
                "{}: the journal was replaced or cut; it is read from its beginning",
                self.name()
            ));
            place = ReadPosition::default();
        }
        place.identity = identity(&found);
        if place.header.is_none() {
            let mut head = Vec::new();
            file.take(HEAD).read_to_end(&mut head).map_err(io)?;
            match FileStart::of(&head) {
                FileStart::Empty | FileStart::Torn => {}
                FileStart::Journal(header) => place.header = Some(*header),
                FileStart::Other(line) => {
                    return Err(JournalError::NotAJournal {
                        path: self.path.clone(),
                        line,
                    });
                }
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

        let said = read_lines(&bytes);
        opened
            .troubles
            .extend(said.bad_lines(&self.name(), place.lines));
        let later = said.later_acts(&self.name());
        let later_met = later.is_some();
        opened.troubles.extend(later.filter(|_| !self.later_told));
        let lines = said.entry_lines.iter().map(|line| place.lines + line + 1);
        let entries = said.entries.into_iter().zip(lines);
        let entries = entries.filter(|(entry, _)| !self.own.contains(&entry.id));
        (opened.entries, opened.lines) = entries.unzip();
        place.version = place.version.max(said.version);
        place.go_on(&bytes, said.lines);
        opened.header = place.header.clone();
        Ok(PendingRead {
            place,
            opened,
            torn,
            later: later_met,
        })
    }

    /// Whether a file is the one that was read, with what was read still in it.
    fn goes_on(&self, file: &File, found: &Metadata) -> io::Result<bool> {
        if identity(found) != self.place.identity || found.len() < self.place.end {
            return Ok(false);
        }
        // Editors write a file anew in its place, and systems give the number of a deleted one to
        // the next.
        let mut tail = vec![0; self.place.tail.len()];
        let from = self.place.end - tail.len() as u64;
        match file.read_exact_at(&mut tail, from) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            read => read.map(|()| tail == self.place.tail),
        }
    }

    /// Deals with a torn last line: under the lock nobody is about to finish it. Gives what has to
    /// stand before new lines.
    fn repair(&mut self, file: &File, reading: &mut PendingRead) -> Result<Vec<u8>, JournalError> {
        if reading.torn.is_empty() {
            return Ok(Vec::new());
        }
        let (line, name) = (reading.place.lines + 1, self.name());
        let aside = self.beside(".torn");
        let end = reading.place.end;
        match self
            .set_aside(&aside, &reading.torn)
            .and_then(|()| file.set_len(end))
        {
            Ok(()) => {
                self.untold.push(format!(
                    "{name}, line {line}: it was cut short; it is set aside in {}",
                    aside.display()
                ));
                Ok(Vec::new())
            }
            // In a folder that takes no new file: nothing is cut off, and as a line of its own it
            // does no harm.
            Err(_) if reading.place.header.is_some() => {
                reading.opened.troubles.push(format!(
                    "{name}, line {line}: it was cut short and is passed over"
                ));
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

    /// Writes behind the end, and to the disk; or leaves the file as it was.
    fn write(&mut self, file: &File, end: u64, bytes: &[u8]) -> io::Result<()> {
        let mut to = file;
        let written = to
            .write_all(bytes)
            .and_then(|()| (self.sync)(file))
            .and_then(|()| self.sync_name(file));
        written.map_err(|error| match file.set_len(end) {
            Ok(()) => error,
            Err(other) => {
                let what =
                    format!("{error}, and what was half written could not be taken back ({other})");
                io::Error::new(error.kind(), what)
            }
        })
    }

    /// Makes sure that the file is found after a crash: whoever made it may have died before its
    /// folder was written.
    fn sync_name(&mut self, file: &File) -> io::Result<()> {
        let identity = identity(&file.metadata()?);
        if self.named != Some(identity) {
            let path = fs::canonicalize(&self.path)?;
            match File::open(path.parent().unwrap_or(Path::new("/"))) {
                Ok(folder) => match (self.sync)(&folder) {
                    // Not every file system knows what to do with a folder.
                    Err(error) if error.kind() == ErrorKind::InvalidInput => {}
                    synced => synced?,
                },
                // A folder that may be written and not read.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
                Err(error) => return Err(error),
            }
            self.named = Some(identity);
        }
        Ok(())
    }

    fn keep(&mut self, reading: PendingRead, found: &Metadata) -> JournalUpdate {
        let PendingRead {
            place,
            mut opened,
            later,
            ..
        } = reading;
        self.later_told |= later;
        self.stamp = Some(JournalStamp::of(found));
        opened.header = place.header.clone();
        self.place = place;
        let mut troubles = std::mem::take(&mut self.untold);
        troubles.append(&mut opened.troubles);
        opened.troubles = troubles;
        opened
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = OsString::from(&self.path);
        path.push(ending);
        path.into()
    }

    fn error(&self, source: io::Error) -> JournalError {
        JournalError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

fn replaced() -> io::Error {
    io::Error::other("another program replaces it again and again")
}

/// Takes the lock, or fails where others have it for too long: who waits for ever tells nobody that
/// nothing is written.
fn lock(file: &File, alone: bool) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let locked = match alone {
            true => file.try_lock(),
            false => file.try_lock_shared(),
        };
        match locked {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(NAP),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(
                    ErrorKind::WouldBlock,
                    "it is locked by another program",
                ));
            }
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            // A file system without locks can be read, but several programs could not write to it.
            Err(TryLockError::Error(_)) if !alone => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Lines as they are written.
fn spelled(lead: &[u8], header: Option<&Header>, entries: &[ActRecord]) -> io::Result<Vec<u8>> {
    let mut bytes = lead.to_vec();
    if let Some(header) = header {
        serde_json::to_writer(&mut bytes, header)?;
        bytes.push(b'\n');
    }
    for entry in entries {
        serde_json::to_writer(&mut bytes, entry)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}
