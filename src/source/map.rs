//! The mapping: the one place that makes a file look like memory, and the views that scans get of it.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::slice;
use std::sync::Arc;

use memmap2::{MmapOptions, MmapRaw};

use super::guard::Guarded;

/// A file's bytes as memory. It may reach beyond the end of a file that is to grow; there nothing may be looked at.
#[derive(Debug)]
pub(super) struct Map {
    // Before the map, so that the guard lets go of the addresses while they are still ours.
    guarded: Option<Guarded>,
    raw: MmapRaw,
}

impl Map {
    /// Maps the first `length` bytes of a file that others can shrink; a fault is survived and noted.
    ///
    /// # Errors
    /// When the file cannot be mapped, or no more maps can be watched.
    pub(super) fn watched(file: &File, length: u64) -> io::Result<Self> {
        let raw = map_raw(file, length)?;
        let guarded = Some(Guarded::new(raw.as_ptr() as usize, raw.len())?);
        Ok(Self { guarded, raw })
    }

    /// Maps the first `length` bytes of a file that nobody else has; it is watched too, for disks fail, but need not be.
    ///
    /// # Errors
    /// When the file cannot be mapped.
    pub(super) fn private(file: &File, length: u64) -> io::Result<Self> {
        let raw = map_raw(file, length)?;
        let guarded = Guarded::new(raw.as_ptr() as usize, raw.len()).ok();
        Ok(Self { guarded, raw })
    }

    /// Bytes mapped.
    pub(super) fn len(&self) -> u64 {
        self.raw.len() as u64
    }

    /// Whether a part of it was gone when it was read.
    pub(super) fn faulted(&self) -> bool {
        self.guarded.as_ref().is_some_and(Guarded::faulted)
    }
}

/// Default advice: for scans it is as fast as SEQUENTIAL, and RANDOM or POPULATE make them 5 to 44 times slower.
fn map_raw(file: &File, length: u64) -> io::Result<MmapRaw> {
    let length = usize::try_from(length).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    MmapOptions::new().len(length).map_raw_read_only(file)
}

/// Bytes to scan, without a copy; keeps what they stand in alive.
#[derive(Debug, Clone)]
pub struct View {
    bytes: Bytes,
}

#[derive(Debug, Clone)]
enum Bytes {
    Embedded(&'static [u8]),
    /// The range lies within the map, and in the file when the view was made.
    Mapped(Arc<Map>, Range<usize>),
}

impl View {
    /// A view of bytes that are part of the program.
    pub(super) fn of_bytes(bytes: &'static [u8]) -> Self {
        Self { bytes: Bytes::Embedded(bytes) }
    }

    /// A view of a range that lies in the file by now; `None` when it does not lie in the map.
    pub(super) fn of_map(map: &Arc<Map>, range: Range<u64>) -> Option<Self> {
        let (start, end) = (usize::try_from(range.start).ok()?, usize::try_from(range.end).ok()?);
        let mapped = start <= end && end <= map.raw.len();
        mapped.then(|| Self { bytes: Bytes::Mapped(Arc::clone(map), start..end) })
    }
}

impl Deref for View {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Embedded(bytes) => bytes,
            // SAFETY: `of_map` checked that the range lies in the map, which lives as long as the view does, and its callers
            // that the file reaches so far. Should it shrink, the guard puts zeros there. Should another program write to it,
            // bytes change under a shared reference, which Rust cannot rule out for any mapped file: scans take whatever they
            // find and trust no earlier look, and rows on screen are read by place into a buffer instead.
            #[allow(unsafe_code)]
            Bytes::Mapped(map, range) => unsafe {
                slice::from_raw_parts(map.raw.as_ptr().add(range.start), range.end - range.start)
            },
        }
    }
}
