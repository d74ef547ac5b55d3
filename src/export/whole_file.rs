//! Atomic writing of files.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Writes a file with `fill` atomically: to a temporary file in the same folder, which is synced to
/// disk before it gets the name. A replaced file (with `overwrite`) keeps its permissions, and a
/// link to it stays a link; a new file gets `mode`, reduced by the umask. Returns the result of
/// `fill`.
///
/// # Errors
/// If the system refuses (`AlreadyExists` for a file that must not be overwritten), and errors of
/// `fill`. Then nothing was changed.
pub fn write_whole<T, E: From<io::Error>>(
    path: &Path,
    mode: u32,
    overwrite: bool,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let there = fs::metadata(path).ok();
    // A link stays a link: its target is replaced.
    let place = match &there {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let folder = match place.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mode = there
        .as_ref()
        .map_or(mode, |there| there.permissions().mode() & 0o7777);
    let temporary = Temporary::new(folder, mode)?;
    let mut out = BufWriter::with_capacity(1 << 16, temporary.file());
    let given = fill(&mut out)?;
    out.flush()?;
    drop(out);
    if there.is_some() {
        temporary
            .file()
            .set_permissions(Permissions::from_mode(mode))?;
    }
    temporary.file().sync_all()?;
    temporary.persist(&place, folder, overwrite)?;
    // The name is on disk once the folder is synced. Failure is harmless: the file exists, and some
    // file systems cannot sync folders.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(given)
}

/// A file without its final name.
enum Temporary {
    /// Unnamed: nothing remains if the program or the power fails.
    Nameless(File),
    /// Named, for file systems without unnamed files; removed when this is dropped.
    Named(NamedTempFile),
}

impl Temporary {
    fn new(folder: &Path, mode: u32) -> io::Result<Self> {
        match nameless(folder, mode) {
            Some(file) => Ok(Self::Nameless(file)),
            None => Self::named(folder, mode),
        }
    }

    fn named(folder: &Path, mode: u32) -> io::Result<Self> {
        builder()
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)
            .map(Self::Named)
            .map_err(|error| without_name(folder, error))
    }

    fn file(&self) -> &File {
        match self {
            Self::Nameless(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name atomically, replacing another file if allowed.
    fn persist(self, place: &Path, folder: &Path, overwrite: bool) -> io::Result<()> {
        match self {
            Self::Nameless(file) => match link(&file, place) {
                // `link` cannot replace a file; renaming a second name can.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && overwrite => {
                    let named = builder().make_in(folder, |path| link(&file, path))?;
                    named.persist(place).map(drop).map_err(|error| error.error)
                }
                linked => linked,
            },
            Self::Named(file) => {
                let persisted = match overwrite {
                    true => file.persist(place),
                    false => file.persist_noclobber(place),
                };
                persisted.map(drop).map_err(|error| error.error)
            }
        }
    }
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".visavis-").suffix(".part");
    builder
}

/// Describes a failure to create a temporary file by its folder, because the name of a temporary
/// file means nothing to the user.
fn without_name(folder: &Path, error: io::Error) -> io::Error {
    fs::metadata(folder).err().unwrap_or(error)
}

/// Creates an unnamed file that can be linked later; `None` if the system does not support it.
#[cfg(target_os = "linux")]
pub(super) fn nameless(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
    fs::symlink_metadata(descriptor(&file))
        .is_ok()
        .then_some(file)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn nameless(_folder: &Path, _mode: u32) -> Option<File> {
    None
}

/// Links an open file to a name that does not exist.
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(
        CWD,
        descriptor(file),
        CWD,
        path,
        AtFlags::SYMLINK_FOLLOW,
    )?)
}

/// Returns the path of an open file's descriptor.
fn descriptor(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_kind_of_temporary_file_takes_a_place_or_leaves_it() {
        type Make = fn(&Path) -> Option<Temporary>;
        let kinds: [Make; 2] = [
            |folder| nameless(folder, 0o640).map(Temporary::Nameless),
            |folder| Temporary::named(folder, 0o640).ok(),
        ];
        for make in kinds {
            let folder = tempfile::tempdir().expect("a folder");
            let place = folder.path().join("out");
            for (overwrite, expected) in [(false, "one"), (false, "one"), (true, "three")] {
                let text = if overwrite { "three" } else { "one" };
                // Not all file systems support unnamed files.
                let Some(temporary) = make(folder.path()) else {
                    continue;
                };
                let kept = temporary.file().write_all(text.as_bytes());
                let there = place.exists();
                let kept = kept.and_then(|()| temporary.persist(&place, folder.path(), overwrite));
                assert_eq!(
                    kept.map_err(|error| error.kind()).is_ok(),
                    overwrite || !there
                );
                assert_eq!(fs::read_to_string(&place).expect("read"), expected);
                assert_eq!(
                    super::super::file::tests::names(folder.path()),
                    ["out"],
                    "no name is left over"
                );
            }
        }
    }
}
