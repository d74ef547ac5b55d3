//! Where an export goes, and what it must not fall upon.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::ExportError;
use super::whole_file::write_whole;
use crate::source::Input;

/// Where a file goes, and what it must not fall upon.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The file.
    pub path: &'a Path,
    /// Whether it may take the place of one that is there.
    pub overwrite: bool,
    /// Files that are read: never written to, by whatever name or link.
    pub inputs: &'a [InputFile],
    /// The journals that are read or written, whether there are any yet or not.
    pub journals: &'a [PathBuf],
}

/// A file that is read, known by device and inode and not by its name alone: standard input has no
/// name, and a name can lead elsewhere by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// The path, where it was named.
    path: Option<PathBuf>,
    /// Device and inode of what was there when this was made.
    identity: Option<(u64, u64)>,
}

impl InputFile {
    /// The file behind an input as it is now, so to be made when it is opened; `None` for bytes
    /// compiled in, which are no file.
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

    /// Whether writing to a path would change this file, or put another in its place.
    fn is_at(&self, path: &Path) -> bool {
        let now = fs::metadata(path).ok().as_ref().map(identity);
        (now.is_some() && now == self.identity)
            || self.path.as_ref().is_some_and(|own| is_same(path, own))
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Makes a file of what `fill` writes, as [`write_whole`] does. Gives what `fill` gave.
///
/// # Errors
/// When there is such a file and it may not go, when its place is that of a file that is read, when
/// the system says no, and what `fill` says. Then nothing was made and nothing changed.
pub fn to_file<T>(
    target: &Target<'_>,
    fill: &mut dyn FnMut(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    target.check()?;
    // As the umask has it, like any new file.
    write_whole(target.path, 0o666, target.overwrite, fill).map_err(|error| match error {
        ExportError::Output(source) => of_file(target.path, source),
        other => other,
    })
}

impl Target<'_> {
    /// Whether another path leads to the same file, through whatever links, or would do so once there
    /// is one.
    pub fn is_at(&self, path: &Path) -> bool {
        is_same(self.path, path)
    }

    /// Refuses a place where nothing may be put, before there is anything to put there.
    ///
    /// # Errors
    /// When it is that of a journal, of a file that is read, of what is no file, or of a file that
    /// may not be replaced.
    pub fn check(&self) -> Result<(), ExportError> {
        let (path, place) = (self.path, self.path.to_owned());
        if self.journals.iter().any(|journal| is_same(path, journal)) {
            let what = "the journal, which only ever grows by what reviewers do";
            return Err(ExportError::Kept { path: place, what });
        }
        if self.inputs.iter().any(|input| input.is_at(path)) {
            let what = "one of the files that are read, which are never written to";
            return Err(ExportError::Kept { path: place, what });
        }
        let no_file = |what| {
            let path = path.to_owned();
            Err(ExportError::NoFile { path, what })
        };
        let there = match fs::metadata(path) {
            Ok(there) => there,
            // A link that leads nowhere is in the way all the same.
            Err(error)
                if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_ok() =>
            {
                return no_file("a link that leads nowhere");
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(of_file(path, error)),
        };
        if there.is_dir() {
            return no_file("a directory");
        }
        if !there.is_file() {
            // Renaming a file over a device would take the device away.
            return no_file("a device or a pipe, and no file");
        }
        match self.overwrite {
            true => Ok(()),
            false => Err(ExportError::Exists { path: place }),
        }
    }
}

/// Whether two paths lead to one file, through whatever links, or would do so once there is one.
fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => identity(&one) == identity(&other),
        (Err(_), Err(_)) => place(one).is_some_and(|one| Some(one) == place(other)),
        _ => false,
    }
}

/// The folder and the name of a file that need not be there.
fn place(path: &Path) -> Option<(PathBuf, &OsStr)> {
    let folder = path
        .parent()
        .filter(|folder| *folder != Path::new(""))
        .unwrap_or(Path::new("."));
    Some((fs::canonicalize(folder).ok()?, path.file_name()?))
}

fn of_file(path: &Path, source: io::Error) -> ExportError {
    let path = path.to_owned();
    let advice = match source.kind() {
        ErrorKind::AlreadyExists => return ExportError::Exists { path },
        ErrorKind::NotFound => "make the folder first, or choose another",
        ErrorKind::NotADirectory => "a folder on the way is a file; choose another place",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that can be written to"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or choose another disk",
        ErrorKind::FileTooLarge => "choose another disk, or export fewer samples",
        _ => "try again, or choose another place",
    };
    ExportError::File {
        path,
        source,
        advice,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::super::whole_file::nameless;
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
    fn a_file_is_made_once_and_replaced_when_told() {
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
            error.to_string().contains("out.csv is there already"),
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
    fn what_fails_leaves_nothing_behind() {
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
            error.contains("/out: ") && error.contains("make room"),
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
        // Somebody else was quicker.
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
        assert!(error.contains("make the folder first"), "{error}");
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
        // Another file has the name by now, and what was opened another name.
        fs::write(at("renamed"), "opened").expect("written");
        let renamed = InputFile::of(&Input::Path(at("renamed"))).expect("a file");
        fs::rename(at("renamed"), at("rows.1")).expect("renamed");
        fs::write(at("renamed"), "new").expect("written");
        let named = [at("missing"), data.clone()]
            .map(|path| InputFile::of(&Input::Path(path)).expect("a file"));
        let inputs = [&named[..], &[renamed]].concat();
        // One that can only be read stands beside the data, and what is done is kept elsewhere.
        let journals = [at("home.review.jsonl"), journal.clone()];
        for (path, says) in [
            (data.clone(), "one of the files that are read"),
            (at("soft"), "one of the files that are read"),
            (at("hard"), "one of the files that are read"),
            (at("folder/../data.jsonl"), "one of the files that are read"),
            (at("missing"), "one of the files that are read"),
            (at("renamed"), "one of the files that are read"),
            (at("rows.1"), "one of the files that are read"),
            (journal.clone(), "is the journal"),
            (at("home.review.jsonl"), "is the journal"),
            (at("folder/../data.jsonl.review.jsonl"), "is the journal"),
            (at("folder"), "is a directory"),
            (at("dangling"), "a link that leads nowhere"),
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
    fn what_is_not_whole_has_no_name() {
        let folder = tempfile::tempdir().expect("a folder");
        if nameless(folder.path(), 0o600).is_none() {
            return; // not on this file system
        }
        let mut fill = |out: &mut dyn Write| {
            out.write_all(&vec![b'x'; 1 << 20])?;
            assert_eq!(names(folder.path()), [""; 0]);
            Ok(())
        };
        to_file(&target(&folder.path().join("out")), &mut fill).expect("written");
        assert_eq!(names(folder.path()), ["out"]);
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
            "behind",
        )
        .expect("replaced");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("read"), "behind");
    }
}
