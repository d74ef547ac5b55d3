//! Opens an input: detects what it is, and starts to decode what cannot be read by position.

use std::fs::File;
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use rustix::fs::{OFlags, SeekFrom, seek};
use rustix::process::{Resource, getrlimit};

use super::change::FileStamp;
use super::charset;
use super::container::{self, RowContainer, RowSearch};
use super::decode::{self, RawInput};
use super::folder::data_files;
use super::map::PlainFile;
use super::sniff::{self, Encoding};
use super::spool::Spool;
use super::{Source, SourceBody, SourceError};

/// Maximum number of descriptors of files that stay open, if the system allows twice as many.
const MAX_OPEN: u64 = 1024;

/// Opens a file for reading.
pub(super) fn open(path: &Path) -> io::Result<File> {
    // Opening a named pipe would wait for its writer; reading waits for it later. Regular files
    // ignore the flag.
    let no_wait = OFlags::NONBLOCK.bits().cast_signed();
    File::options().read(true).custom_flags(no_wait).open(path)
}

/// True if a file should not stay open because many others are open.
pub(super) fn is_one_of_many(file: &File) -> bool {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    // A new descriptor has the lowest free number.
    file.as_raw_fd() as u64 >= MAX_OPEN.min(limit / 2)
}

/// A spool being filled; dropping this stops the filling.
#[derive(Debug)]
pub(super) struct Filling {
    pub(super) spool: Arc<Spool>,
    /// How to find the rows of a file, one of many, that is not being decoded yet.
    pub(super) waiting: Mutex<Option<RowSearch>>,
    /// Closed when this is dropped, which wakes a thread that waits for a pipe.
    pub(super) _stop: Option<PipeWriter>,
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.spool.cancel();
    }
}

/// What is known about an input before its bytes are.
pub(super) struct Opener {
    pub(super) name: String,
    pub(super) short_name: String,
    /// Decoded bytes that may stay in memory.
    pub(super) memory_limit: u64,
    /// How to find the rows.
    pub(super) rows: RowSearch,
}

impl Opener {
    pub(super) fn path(self, path: &Path) -> Result<Source, SourceError> {
        let file = open(path).map_err(|error| SourceError::of_open(&self.name, &error))?;
        self.file(file, Some(path))
    }

    pub(super) fn stdin(self) -> Result<Source, SourceError> {
        let file = io::stdin()
            .as_fd()
            .try_clone_to_owned()
            .map(File::from)
            .map_err(|error| SourceError::of_open(&self.name, &error))?;
        self.file(file, None)
    }

    pub(super) fn embedded(self, bytes: &'static [u8]) -> Result<Source, SourceError> {
        if bytes.is_empty() {
            return Err(SourceError::Empty(self.name));
        }
        match sniff::encoding(bytes) {
            Encoding::Plain if self.rows.container(bytes, true) == Some(RowContainer::Lines) => {
                Ok(self.source(SourceBody::Embedded(bytes), None))
            }
            packed => self.spool(
                Some(RawInput::Embedded(bytes)),
                Some(packed),
                Some(bytes.len() as u64),
                None,
            ),
        }
    }

    /// Opens a file of any kind, from its beginning or, if it cannot seek, from its position.
    pub(super) fn file(self, file: File, path: Option<&Path>) -> Result<Source, SourceError> {
        let metadata = file.metadata().map_err(|error| self.io(&error))?;
        if metadata.is_dir() {
            let first = path
                .map_or(Ok(Vec::new()), data_files)?
                .first()
                .map_or_else(
                    || "*.jsonl".to_owned(),
                    |file| file.to_string_lossy().into_owned(),
                );
            return Err(SourceError::IsDirectory {
                name: self.name,
                what: format!("is a directory; name a file in it, for instance {first}"),
            });
        }
        if !metadata.is_file() {
            return self.stream(file);
        }
        // If another program has read a part of standard input, only the rest is read.
        let at = seek(&file, SeekFrom::Current(0)).unwrap_or(0);
        let mut head = vec![0; sniff::HEAD_BYTES];
        let length = file
            .read_at(&mut head, at)
            .map_err(|error| self.io(&error))?;
        let head = &head[..length];
        if head.is_empty() {
            return Err(SourceError::Empty(self.name));
        }
        let encoding = sniff::encoding(head);
        let is_utf16 = charset::utf16(head).is_some();
        if encoding == Encoding::Plain && container::read_by_position(head).is_none() && !is_utf16 {
            sniff::require_text(&self.name, head)?;
        }
        let stamp = FileStamp::new(&file, path).map_err(|error| self.io(&error))?;
        // Files in /proc report a size of 0 and must be read to the end.
        let len = stamp.len();
        let is_as_stored = encoding == Encoding::Plain && !is_utf16 && at == 0 && len > 0;
        if is_as_stored && self.is_lines(&file, head)? {
            let reason = path.is_none().then_some("standard input");
            let plain = PlainFile::new(file, len, reason);
            return Ok(self.source(SourceBody::Plain(Arc::new(plain)), Some(stamp)));
        }
        let size = len.checked_sub(at).filter(|&size| size > 0);
        let can_wait = path.is_some() && at == 0 && is_one_of_many(&file);
        let raw = (!can_wait).then(|| RawInput::file(file, at, stamp.clone()));
        Ok(Source {
            stamp: Some(stamp),
            ..self.spool(raw, Some(encoding), size, None)?
        })
    }

    /// True if a file with this beginning holds lines; reads further if in doubt.
    fn is_lines(&self, file: &File, head: &[u8]) -> Result<bool, SourceError> {
        let mut head = head.to_vec();
        let mut ended = head.len() < sniff::HEAD_BYTES;
        loop {
            if let Some(container) = self.rows.container(&head, ended) {
                return Ok(container == RowContainer::Lines);
            }
            let before = head.len();
            head.resize(before * 4, 0);
            let read = file
                .read_at(&mut head[before..], before as u64)
                .map_err(|error| self.io(&error))?;
            head.truncate(before + read);
            ended = read == 0;
        }
    }

    pub(super) fn source(self, body: SourceBody, stamp: Option<FileStamp>) -> Source {
        Source {
            name: self.name,
            short_name: self.short_name,
            body,
            stamp,
            altered: AtomicBool::new(false),
            is_followed: false,
        }
    }

    fn stream(self, file: File) -> Result<Source, SourceError> {
        let (stop, stopper) = io::pipe().map_err(|error| self.io(&error))?;
        let raw = RawInput::Stream { file, stop };
        self.spool(Some(raw), None, None, Some(stopper))
    }

    /// Starts to decode raw input; without any, the file waits for [`Source::start_decoding`].
    fn spool(
        self,
        raw: Option<RawInput>,
        encoding: Option<Encoding>,
        size: Option<u64>,
        stop: Option<PipeWriter>,
    ) -> Result<Source, SourceError> {
        let spool = Arc::new(Spool::new(size, self.memory_limit));
        if let Some(encoding) = encoding {
            spool.encoding.get_or_init(|| encoding);
        }
        let waiting = raw.is_none().then(|| self.rows.clone()).into();
        raw.map_or(Ok(()), |raw| {
            decode::start(&self.name, raw, &self.rows, &spool)
        })
        .map_err(|error| self.io(&error))?;
        let filling = Filling {
            spool,
            waiting,
            _stop: stop,
        };
        Ok(self.source(SourceBody::Spooled(filling), None))
    }

    fn io(&self, error: &io::Error) -> SourceError {
        SourceError::of_io(&self.name, error)
    }
}
