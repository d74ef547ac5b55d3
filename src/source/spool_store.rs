//! Where a spool's bytes are: the first in a file in memory, the rest in one on disk.
//!
//! In memory they stand in slots of [`SLOT`] bytes. A slot whose bytes were given back takes later
//! ones: new memory for them, and giving back the old, costs as much again as copying them does.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::piece;

/// What goes to disk stands in a page there where it does in the whole, as memory is read into.
const PAGE: u64 = piece::PAGE as u64;

/// Bytes of a slot; also those that are given back at a time.
pub(super) const SLOT: u64 = if cfg!(test) { 4 << 10 } else { 8 << 20 };

/// Files with the bytes of a spool, by their places in it.
#[derive(Debug, Clone)]
pub(super) struct Store {
    memory: Option<Arc<File>>,
    /// The slot of each [`SLOT`] bytes that are in memory; out of date for those given back.
    slots: Vec<u32>,
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
            slots: Vec::new(),
            split: u64::MAX,
            disk: None,
        };
        match store.memory {
            Some(_) => Ok(store),
            None => Ok(store.split(0)?.0),
        }
    }

    /// This, with what comes behind `split` bytes on disk, and the slots behind these, which are of no
    /// more use.
    ///
    /// # Errors
    /// When the system gives no file.
    pub(super) fn split(&self, split: u64) -> io::Result<(Self, Vec<u32>)> {
        let mut store = Self {
            split,
            disk: Some(Arc::new(disk_file()?)),
            ..self.clone()
        };
        let used = store.slots.len().min(split.div_ceil(SLOT) as usize);
        let unused = store.slots.split_off(used);
        Ok((store, unused))
    }

    /// Whether no bytes go to disk.
    pub(super) fn is_in_memory(&self) -> bool {
        self.disk.is_none()
    }

    /// Bytes for which there are slots.
    pub(super) fn slotted(&self) -> u64 {
        self.slots.len() as u64 * SLOT
    }

    /// Says in which slot the bytes are that come behind [`Self::slotted`] ones.
    pub(super) fn add_slot(&mut self, slot: u32) {
        self.slots.push(slot);
    }

    /// The slots of published bytes from one border of slots to another, all of them in memory.
    pub(super) fn slots_of(&self, bytes: &Range<u64>) -> &[u32] {
        // Whatever was published in memory has slots.
        &self.slots[(bytes.start / SLOT) as usize..(bytes.end / SLOT) as usize]
    }

    /// The files with some bytes: in each the place of those that stand together there, and which of the
    /// bytes, from 0, these are.
    fn parts(
        &self,
        bytes: Range<u64>,
    ) -> impl Iterator<Item = io::Result<(&File, u64, Range<usize>)>> {
        let mut at = bytes.start;
        std::iter::from_fn(move || {
            if at >= bytes.end {
                return None;
            }
            let (file, place, end) = if at >= self.split {
                (&self.disk, Some(at - self.split / PAGE * PAGE), bytes.end)
            } else {
                let slot = self.slots.get((at / SLOT) as usize);
                let place = slot.map(|&slot| u64::from(slot) * SLOT + at % SLOT);
                let end = (at / SLOT + 1) * SLOT;
                (&self.memory, place, end.min(self.split).min(bytes.end))
            };
            let which = (at - bytes.start) as usize..(end - bytes.start) as usize;
            at = end;
            let part = file.as_deref().zip(place);
            let part = part.map(|(file, place)| (file, place, which));
            Some(part.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()))
        })
    }

    /// Fills `room` with the bytes from `at` on; in the place of those that were given back are others, or
    /// zeros.
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

    /// Writes bytes behind the first `len`; those that are to be in memory need slots.
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

    /// Gives back what some bytes take; whether the system does so.
    pub(super) fn release(&self, bytes: Range<u64>) -> bool {
        let mut parts = self.parts(bytes);
        parts.all(|part| {
            part.is_ok_and(|(file, place, which)| punch_hole(file, place, which.len() as u64))
        })
    }

    /// Gives back what slots take whose bytes nobody reads again.
    pub(super) fn release_slots(&self, slots: &[u32]) {
        let Some(file) = &self.memory else {
            return;
        };
        for &slot in slots {
            // Where the system cannot, they stay until the file is closed.
            let _ = punch_hole(file, u64::from(slot) * SLOT, SLOT);
        }
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
            let (store, _) = Store::new(true)
                .and_then(|it| it.split(split))
                .expect("split");
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
