//! Where a spool's bytes are: the first in a file in memory, the rest in one on disk.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::piece;

/// Bytes on disk have the same place in a page as in the whole, as memory is read into.
const PAGE: u64 = piece::PAGE as u64;

/// Files with the bytes of a spool, by their places in it.
#[derive(Debug, Clone)]
pub(super) struct Store {
    memory: Option<Arc<File>>,
    /// Bytes that are in memory, once others are not.
    split: u64,
    disk: Option<Arc<File>>,
}

impl Store {
    /// A store without bytes, for bytes in memory where it `may_use_memory` and the system has files
    /// there.
    ///
    /// # Errors
    /// When the system gives no file.
    pub(super) fn new(may_use_memory: bool) -> io::Result<Self> {
        let store = Self {
            memory: may_use_memory.then(memory_file).flatten().map(Arc::new),
            split: u64::MAX,
            disk: None,
        };
        match store.memory {
            Some(_) => Ok(store),
            None => store.split(0),
        }
    }

    /// This, with all bytes after the first `split` on disk.
    ///
    /// # Errors
    /// When the system gives no file.
    pub(super) fn split(&self, split: u64) -> io::Result<Self> {
        Ok(Self {
            split,
            disk: Some(Arc::new(disk_file()?)),
            ..self.clone()
        })
    }

    /// Whether no bytes go to disk.
    pub(super) fn is_in_memory(&self) -> bool {
        self.disk.is_none()
    }

    /// The files with some bytes: the place of each part in its file, and which of the bytes, from 0, it
    /// has.
    fn parts(
        &self,
        bytes: Range<u64>,
    ) -> impl Iterator<Item = io::Result<(&File, u64, Range<usize>)>> {
        let split = self.split.clamp(bytes.start, bytes.end);
        let on_disk = self.split / PAGE * PAGE;
        let parts = [
            (&self.memory, bytes.start..split, 0),
            (&self.disk, split..bytes.end, on_disk),
        ];
        let parts = parts.into_iter().filter(|(_, part, _)| !part.is_empty());
        parts.map(move |(file, part, first)| {
            let which = (part.start - bytes.start) as usize..(part.end - bytes.start) as usize;
            let file = file.as_deref().ok_or(io::ErrorKind::UnexpectedEof)?;
            Ok((file, part.start - first, which))
        })
    }

    /// Fills `room` with the bytes from `at` on; those that were given back are zeros.
    ///
    /// # Errors
    /// When they are not there, or the disk fails.
    pub(super) fn read_exact_at(&self, room: &mut [u8], at: u64) -> io::Result<()> {
        for part in self.parts(at..at + room.len() as u64) {
            let (file, place, which) = part?;
            file.read_exact_at(&mut room[which], place)?;
        }
        Ok(())
    }

    /// Writes bytes after the first `len`.
    ///
    /// # Errors
    /// When the system has no room for them.
    pub(super) fn write_all_at(&self, bytes: &[u8], len: u64) -> io::Result<()> {
        for part in self.parts(len..len + bytes.len() as u64) {
            let (file, place, which) = part?;
            file.write_all_at(&bytes[which], place)?;
        }
        Ok(())
    }

    /// Gives back what some bytes take; returns whether the system does so.
    pub(super) fn release(&self, bytes: Range<u64>) -> bool {
        let mut parts = self.parts(bytes);
        parts.all(|part| {
            part.is_ok_and(|(file, place, which)| punch_hole(file, place, which.len() as u64))
        })
    }

    /// Bytes that the file in memory takes.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn held(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        let file = self.memory.as_ref();
        let metadata = file.and_then(|file| file.metadata().ok());
        metadata.map_or(0, |metadata| metadata.blocks() * 512)
    }
}

/// A file read by position from a place on, because its cursor may be shared.
#[derive(Debug, Clone)]
pub(super) struct PositionReader {
    pub(super) file: Arc<File>,
    pub(super) at: u64,
}

impl Read for PositionReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// An unlinked temporary file. Unless TMPDIR says otherwise, `/var/tmp` comes first: `/tmp` is
/// often in memory.
///
/// # Errors
/// When the system gives none.
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

#[cfg(target_os = "linux")]
fn punch_hole(file: &File, at: u64, length: u64) -> bool {
    use rustix::fs::{FallocateFlags, fallocate};
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    // Not every file system can.
    fallocate(file, flags, at, length).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn punch_hole(_file: &File, _at: u64, _length: u64) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_to_disk_keeps_its_place_in_a_page() {
        for split in [0, 1, 17, PAGE - 1, PAGE, 3 * PAGE + 31] {
            let store = Store::new(true).and_then(|it| it.split(split));
            let store = store.expect("split");
            for at in [split, split + 5, split + 2 * PAGE + 1] {
                let part = store.parts(at..at + 9).next().expect("a part");
                let (_, place, which) = part.expect("a file");
                assert_eq!((place % PAGE, which), (at % PAGE, 0..9), "{split} {at}");
                store.write_all_at(b"on disk: ", at).expect("written");
                let mut read = [0; 9];
                store.read_exact_at(&mut read, at).expect("read");
                assert_eq!(&read, b"on disk: ");
            }
        }
    }
}
