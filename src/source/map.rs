//! The mapping: the one place that makes a file look like memory.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::{Mmap, MmapOptions};

use super::guard::Guarded;

/// A mapped file, watched over by the guard.
#[derive(Debug)]
pub(super) struct Map {
    // Before the map, so that the guard lets go of the addresses while they are still ours.
    guarded: Guarded,
    map: Mmap,
}

impl Map {
    /// Maps `length` bytes of a file. It may be longer than the file is by now: only bytes that are there may be looked at.
    pub(super) fn new(file: &File, length: usize) -> io::Result<Self> {
        // SAFETY: a mapped file can change under us. Rows on screen are read by place instead; scans take any bytes and
        // check what they read from them; and a file that shrinks is survived by the guard.
        #[allow(unsafe_code)]
        let map = unsafe { MmapOptions::new().len(length).map(file)? };
        let guarded = Guarded::new(map.as_ptr() as usize, map.len())?;
        Ok(Self { guarded, map })
    }

    /// Bytes mapped.
    pub(super) fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether a part of it was gone when it was read.
    pub(super) fn faulted(&self) -> bool {
        self.guarded.faulted()
    }
}

/// Bytes to scan; keeps their map alive.
#[derive(Debug)]
pub struct View {
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Static(&'static [u8]),
    Mapped(Arc<Map>, Range<usize>),
}

impl View {
    pub(super) fn of_bytes(bytes: &'static [u8]) -> Self {
        Self { bytes: Bytes::Static(bytes) }
    }

    pub(super) fn of_map(map: &Arc<Map>, range: Range<u64>) -> Self {
        Self { bytes: Bytes::Mapped(Arc::clone(map), range.start as usize..range.end as usize) }
    }
}

impl Deref for View {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Static(bytes) => bytes,
            Bytes::Mapped(map, range) => &map.map[range.clone()],
        }
    }
}
