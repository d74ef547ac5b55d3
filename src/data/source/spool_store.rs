//! Unnamed files for decoded bytes.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// A file read by position, because its cursor may be shared.
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

/// Creates an unlinked temporary file. Without TMPDIR, `/var/tmp` is tried first, because `/tmp` is
/// often in memory.
///
/// # Errors
/// If the system cannot create one.
pub(super) fn disk_file() -> io::Result<File> {
    if std::env::var_os("TMPDIR").is_none()
        && let Ok(file) = tempfile::tempfile_in("/var/tmp")
    {
        return Ok(file);
    }
    tempfile::tempfile()
}

/// Creates a file in memory, if the system supports it.
#[cfg(target_os = "linux")]
pub(super) fn memory_file() -> Option<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    memfd_create("visavis-spool", MemfdFlags::CLOEXEC)
        .ok()
        .map(File::from)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn memory_file() -> Option<File> {
    None
}

/// Frees a range of a file; returns `false` if the system cannot.
#[cfg(target_os = "linux")]
pub(super) fn punch_hole(file: &File, at: u64, length: u64) -> bool {
    use rustix::fs::{FallocateFlags, fallocate};
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    // Not supported by every file system.
    fallocate(file, flags, at, length).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn punch_hole(_file: &File, _at: u64, _length: u64) -> bool {
    false
}
