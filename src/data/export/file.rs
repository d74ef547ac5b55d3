//! Targets of exports, and the files that they must not overwrite.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::ExportError;
use crate::source::{Input, identity};

/// Where to write a file, and which files not to overwrite.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Path of the file.
    pub path: &'a Path,
    /// True if it may replace an existing file.
    pub overwrite: bool,
    /// Input files, never written to under any name or link.
    pub inputs: &'a [InputFile],
    /// The journals that are read or written, existing or not.
    pub journals: &'a [PathBuf],
}

/// An input file, identified by device and inode in addition to its name, because standard input
/// has no name, and a name may lead elsewhere later.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InputFile {
    /// The path, if it has one.
    path: Option<PathBuf>,
    /// Device and inode at the time of creation.
    identity: Option<(u64, u64)>,
}

impl InputFile {
    /// Identifies the file of an input as it is now, so call it when the input is opened; `None`
    /// for embedded bytes.
    pub fn of(input: &Input) -> Option<Self> {
        match input.whole() {
            Input::Path(path) => Some(Self {
                path: Some(path.clone()),
                identity: fs::metadata(path).ok().as_ref().map(identity),
            }),
            Input::Stdin => {
                let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
                Some(Self {
                    path: None,
                    identity: file
                        .and_then(|file| file.metadata())
                        .ok()
                        .as_ref()
                        .map(identity),
                })
            }
            Input::Embedded { .. } | Input::Within { .. } => None,
        }
    }

    /// True if writing to a path would change or replace this file.
    fn is_at(&self, path: &Path) -> bool {
        let now = fs::metadata(path).ok().as_ref().map(identity);
        (now.is_some() && now == self.identity)
            || self.path.as_ref().is_some_and(|own| is_same(path, own))
    }
}

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
    let folder = folder_of(&place);
    let mode = there
        .as_ref()
        .map_or(mode, |there| there.permissions().mode() & 0o7777);
    let temporary = tempfile::Builder::new()
        .prefix(".visavis-")
        .suffix(".part")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)
        // The name of a temporary file means nothing to the user.
        .map_err(|error| fs::metadata(folder).err().unwrap_or(error))?;
    let file = temporary.as_file();
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let given = fill(&mut out)?;
    out.flush()?;
    drop(out);
    if there.is_some() {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.sync_all()?;
    let persisted = if overwrite {
        temporary.persist(&place)
    } else {
        temporary.persist_noclobber(&place)
    };
    persisted.map_err(|error| error.error)?;
    // The name is on disk once the folder is synced. Failure is harmless: the file exists, and some
    // file systems cannot sync folders.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(given)
}

/// Writes a file with `fill`, like [`write_whole`]. Returns the result of `fill`.
///
/// # Errors
/// If the file exists and may not be replaced, is an input, or cannot be written, and errors of
/// `fill`. Then nothing was changed.
pub fn to_file<T>(
    target: &Target<'_>,
    fill: &mut dyn FnMut(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    target.check()?;
    // Subject to the umask, like any new file.
    write_whole(target.path, 0o666, target.overwrite, fill).map_err(|error| match error {
        ExportError::Output(source) => of_file(target.path, source),
        other => other,
    })
}

impl Target<'_> {
    /// True if another path leads to the same file through links, or would once it exists.
    pub fn is_at(&self, path: &Path) -> bool {
        is_same(self.path, path)
    }

    /// Checks the target before there is anything to write.
    ///
    /// # Errors
    /// If it is a journal, an input file, not a regular file, or a file that may not be replaced.
    pub fn check(&self) -> Result<(), ExportError> {
        let (path, place) = (self.path, self.path.to_owned());
        if self.journals.iter().any(|journal| is_same(path, journal)) {
            let what = "the journal, which must not be overwritten";
            return Err(ExportError::Protected { path: place, what });
        }
        if self.inputs.iter().any(|input| input.is_at(path)) {
            let what = "an input file, which must not be overwritten";
            return Err(ExportError::Protected { path: place, what });
        }
        let no_file = |what| {
            let path = path.to_owned();
            Err(ExportError::NotAFile { path, what })
        };
        let there = match fs::metadata(path) {
            Ok(there) => there,
            // A dangling link is in the way too.
            Err(error)
                if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_ok() =>
            {
                return no_file("a broken link");
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(of_file(path, error)),
        };
        if there.is_dir() {
            return no_file("a directory");
        }
        if !there.is_file() {
            // Renaming a file to a device would replace the device.
            return no_file("a device or a pipe");
        }
        if self.overwrite {
            Ok(())
        } else {
            Err(ExportError::Exists { path: place })
        }
    }
}

/// True if two paths lead to one file through links, or would once it exists.
fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => identity(&one) == identity(&other),
        (Err(_), Err(_)) => place(one).is_some_and(|one| Some(one) == place(other)),
        _ => false,
    }
}

/// Returns the folder and the name of a file that may not exist.
fn place(path: &Path) -> Option<(PathBuf, &OsStr)> {
    Some((fs::canonicalize(folder_of(path)).ok()?, path.file_name()?))
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

fn of_file(path: &Path, source: io::Error) -> ExportError {
    let path = path.to_owned();
    let advice = match source.kind() {
        ErrorKind::AlreadyExists => return ExportError::Exists { path },
        ErrorKind::NotFound => "create the folder first, or choose another",
        ErrorKind::NotADirectory => "part of the path is a file; choose another path",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "choose a writable folder",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space, or choose another disk"
        }
        ErrorKind::FileTooLarge => "choose another disk, or export fewer samples",
        _ => "try again, or choose another path",
    };
    ExportError::File {
        path,
        source,
        advice,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn target(path: &Path) -> Target<'_> {
        Target {
            path,
            overwrite: false,
            inputs: &[],
            journals: &[],
        }
    }

    fn put(target: &Target<'_>, text: &str) -> Result<(), ExportError> {
        to_file(target, &mut |out| Ok(out.write_all(text.as_bytes())?))
    }

    pub(crate) fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_only_with_overwrite() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        put(&target(&path), "one").expect("written");
        let ordinary = folder.path().join("ordinary");
        fs::write(&ordinary, "").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o7777;
        assert_eq!(mode(&path), mode(&ordinary), "as any new file");
        let error = put(&target(&path), "two").expect_err("there already");
        assert!(matches!(error, ExportError::Exists { .. }), "{error}");
        assert!(
            error.to_string().contains("out.csv already exists"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).expect("read"), "one");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("set");
        put(
            &Target {
                overwrite: true,
                ..target(&path)
            },
            "two",
        )
        .expect("replaced");
        assert_eq!(
            (
                fs::read_to_string(&path).expect("read").as_str(),
                mode(&path)
            ),
            ("two", 0o640)
        );
        assert_eq!(names(folder.path()), ["ordinary", "out.csv"]);
    }

    #[test]
    fn failed_writes_leave_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let fail = |out: &mut dyn Write| -> Result<(), ExportError> {
            out.write_all(&vec![b'x'; 1 << 20])?;
            Err(ExportError::Stopped)
        };
        assert!(matches!(
            to_file(&target(&path), &mut { fail }),
            Err(ExportError::Stopped)
        ));
        let full = |_: &mut dyn Write| -> Result<(), ExportError> {
            Err(io::Error::from(ErrorKind::StorageFull).into())
        };
        let error = to_file(&target(&path), &mut { full })
            .expect_err("full")
            .to_string();
        assert!(
            error.contains("/out: ") && error.contains("free some space"),
            "{error}"
        );
        assert_eq!(names(folder.path()), [""; 0]);
        fs::write(&path, "before").expect("written");
        assert!(
            to_file(
                &Target {
                    overwrite: true,
                    ..target(&path)
                },
                &mut { fail }
            )
            .is_err()
        );
        assert_eq!(fs::read_to_string(&path).expect("read"), "before");
        // Another process created it first.
        fs::remove_file(&path).expect("removed");
        let mut late = |out: &mut dyn Write| {
            fs::write(&path, "theirs").expect("written");
            Ok(out.write_all(b"ours")?)
        };
        assert!(matches!(
            to_file(&target(&path), &mut late),
            Err(ExportError::Exists { .. })
        ));
        assert_eq!(fs::read_to_string(&path).expect("read"), "theirs");
        assert_eq!(names(folder.path()), ["out"]);
        let error = put(&target(&folder.path().join("no/such")), "")
            .expect_err("no folder")
            .to_string();
        assert!(error.contains("create the folder first"), "{error}");
        assert!(!error.contains(".part"), "{error}");
    }

    #[test]
    fn files_that_are_read_are_safe() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let (data, journal) = (at("data.jsonl"), at("data.jsonl.review.jsonl"));
        fs::write(&data, "data").expect("written");
        symlink(&data, at("soft")).expect("a link");
        fs::hard_link(&data, at("hard")).expect("a link");
        symlink(at("nowhere"), at("dangling")).expect("a link");
        fs::create_dir(at("folder")).expect("made");
        // Another file has the name now, and the opened file has another name.
        fs::write(at("renamed"), "opened").expect("written");
        let renamed = InputFile::of(&Input::Path(at("renamed"))).expect("a file");
        fs::rename(at("renamed"), at("rows.1")).expect("renamed");
        fs::write(at("renamed"), "new").expect("written");
        let named = [at("missing"), data.clone()]
            .map(|path| InputFile::of(&Input::Path(path)).expect("a file"));
        let inputs = [&named[..], &[renamed]].concat();
        // A read-only journal next to the data, and the one that acts are written to.
        let journals = [at("home.review.jsonl"), journal.clone()];
        for (path, says) in [
            (data.clone(), "an input file"),
            (at("soft"), "an input file"),
            (at("hard"), "an input file"),
            (at("folder/../data.jsonl"), "an input file"),
            (at("missing"), "an input file"),
            (at("renamed"), "an input file"),
            (at("rows.1"), "an input file"),
            (journal.clone(), "is the journal"),
            (at("home.review.jsonl"), "is the journal"),
            (at("folder/../data.jsonl.review.jsonl"), "is the journal"),
            (at("folder"), "is a directory"),
            (at("dangling"), "a broken link"),
            (PathBuf::from("/dev/null"), "a device"),
        ] {
            let target = Target {
                path: &path,
                overwrite: true,
                inputs: &inputs,
                journals: &journals,
            };
            let error = put(&target, "gone").expect_err("refused").to_string();
            assert!(error.contains(says), "{}: {error}", path.display());
        }
        assert_eq!(fs::read_to_string(&data).expect("read"), "data");
        assert_eq!(
            names(folder.path()),
            [
                "dangling",
                "data.jsonl",
                "folder",
                "hard",
                "renamed",
                "rows.1",
                "soft"
            ]
        );
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before").expect("written");
        symlink(&file, &link).expect("a link");
        put(
            &Target {
                overwrite: true,
                ..target(&link)
            },
            "after",
        )
        .expect("replaced");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("read"), "after");
    }
}
