//! Writes two files together or neither.

use std::fs;
use std::io::{self, Write};

use super::{ExportError, Target, to_file};

/// Fills two outputs at once: the file and its companion.
type FillBoth<'f, T> = dyn FnMut(&mut dyn Write, &mut dyn Write) -> Result<T, ExportError> + 'f;

/// Writes two files with `fill`, each like [`to_file`]. The first file is renamed into place first,
/// so that an interrupted run never leaves a new companion next to an old file. Returns the result
/// of `fill`.
///
/// # Errors
/// Those of [`to_file`] for either. Then neither was written, except for
/// [`ExportError::WithoutProvenance`].
pub fn to_two_files<T>(
    file: &Target<'_>,
    companion: &Target<'_>,
    fill: &mut FillBoth<'_, T>,
) -> Result<T, ExportError> {
    file.check()?;
    companion.check()?;
    let is_new = !file.path.exists();
    let mut is_made = false;
    let done = to_file(companion, &mut |companion| {
        let given =
            to_file_and_output(file, companion, &mut |companion, out| fill(out, companion))?;
        is_made = true;
        Ok(given)
    });
    match done {
        Err(error) if is_made && !is_new => Err(ExportError::WithoutProvenance {
            path: file.path.to_owned(),
            error: Box::new(error),
        }),
        Err(error) if is_made => {
            // If this fails, the next run reports that the file exists.
            let _ = fs::remove_file(file.path);
            Err(error)
        }
        done => done,
    }
}

/// Writes a file with `fill`, which also writes to `out`. Returns the result of `fill`.
///
/// # Errors
/// Those of [`to_file`] for the file; [`ExportError::Output`] if `out` fails.
pub fn to_file_and_output<T>(
    companion: &Target<'_>,
    out: &mut dyn Write,
    fill: &mut FillBoth<'_, T>,
) -> Result<T, ExportError> {
    let mut out = FailingOutput {
        out,
        has_failed: false,
    };
    let given = to_file(companion, &mut |companion| fill(&mut out, companion));
    given.map_err(|error| match error {
        // An error of `out` must not name the file.
        ExportError::File { source, .. } if out.has_failed => ExportError::Output(source),
        other => other,
    })
}

/// An output that remembers if it failed.
struct FailingOutput<'o> {
    out: &'o mut dyn Write,
    has_failed: bool,
}

impl Write for FailingOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.has_failed |= written.is_err();
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.has_failed |= flushed.is_err();
        flushed
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::file::tests::names;
    use super::*;

    fn target(path: &Path, overwrite: bool) -> Target<'_> {
        Target {
            path,
            overwrite,
            inputs: &[],
            journals: &[],
        }
    }

    #[test]
    fn both_are_made_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        let put = |overwrite: bool, text: &'static str| {
            let files = [target(&one, overwrite), target(&two, overwrite)];
            to_two_files(&files[0], &files[1], &mut |out, companion| {
                out.write_all(text.as_bytes())?;
                companion.write_all(b"companion ")?;
                Ok(companion.write_all(text.as_bytes())?)
            })
        };
        let read = |path: &Path| fs::read_to_string(path).expect("a file");
        put(false, "first").expect("made");
        assert_eq!([read(&one), read(&two)], ["first", "companion first"]);
        // If either exists, both stay unchanged.
        for gone in [&one, &two] {
            fs::remove_file(gone).expect("removed");
            let error = put(false, "second").expect_err("the other is there");
            assert!(matches!(error, ExportError::Exists { .. }), "{error}");
            assert!(!gone.exists());
            put(true, "first").expect("made");
        }
        put(true, "second").expect("replaced");
        assert_eq!([read(&one), read(&two)], ["second", "companion second"]);
    }

    #[test]
    fn what_fails_leaves_neither() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        let files = [target(&one, false), target(&two, false)];
        let broken: Result<(), _> = to_two_files(&files[0], &files[1], &mut |_, companion| {
            companion.write_all(b"begun")?;
            Err(ExportError::Stopped)
        });
        assert!(matches!(broken, Err(ExportError::Stopped)), "{broken:?}");
        // If another process creates one of them, the other is not created, or removed.
        for (path, name) in [(&one, "one"), (&two, "two")] {
            let late: Result<(), _> = to_two_files(&files[0], &files[1], &mut |out, _| {
                fs::write(path, "theirs")?;
                Ok(out.write_all(b"ours")?)
            });
            assert!(matches!(late, Err(ExportError::Exists { .. })), "{late:?}");
            assert_eq!(names(folder.path()), [name]);
            assert_eq!(fs::read_to_string(path).expect("theirs"), "theirs");
            fs::remove_file(path).expect("removed");
        }
        // The replaced file cannot be restored, and the error says so.
        fs::write(&one, "old").expect("written");
        let files = [target(&one, true), target(&two, false)];
        let alone: Result<(), _> = to_two_files(&files[0], &files[1], &mut |out, _| {
            fs::write(&two, "theirs")?;
            Ok(out.write_all(b"new")?)
        });
        let alone = alone.expect_err("no provenance").to_string();
        assert!(
            alone.contains("/one was replaced, but its provenance"),
            "{alone}"
        );
        assert!(alone.contains("/two already exists"), "{alone}");
        assert_eq!(fs::read_to_string(&one).expect("new"), "new");
    }

    #[test]
    fn each_error_names_its_own_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let files = [target(&one, false), target(&two, false)];
        let companion: Result<(), _> =
            to_two_files(&files[0], &files[1], &mut |_, _| Ok(Full.write_all(b"x")?));
        let companion = companion.expect_err("full").to_string();
        assert!(companion.contains("/one: "), "{companion}");
        let own: Result<(), _> =
            to_file_and_output(&files[1], &mut Full, &mut |out, _| Ok(out.write_all(b"x")?));
        assert!(matches!(own, Err(ExportError::Output(_))), "{own:?}");
        assert!(names(folder.path()).is_empty());
    }
}
