//! Files that other programs append to while they are open: reads up to the last complete line.

use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memchr::memrchr;
use serde_json::value::RawValue;

use super::map::PlainFile;
use super::{FileChange, Input, RowSearch, Source, SourceBody, SourceError, spool};

/// Bytes searched first for the end of the last complete line.
const TAIL: u64 = 64 << 10;

impl Source {
    /// Opens a file of plain lines that other programs append to. A last line without a line end is
    /// skipped until it is complete or valid JSON, because nothing can be appended to a complete
    /// object.
    ///
    /// # Errors
    /// Those of [`Self::open_rows`], and if the input is not a file of plain lines.
    pub fn open_followed(input: &Input, rows: RowSearch) -> Result<Arc<Self>, SourceError> {
        let mut source =
            Self::open_within(input, rows, spool::MEMORY_LIMIT).map_err(|error| match error {
                SourceError::Empty(name) => SourceError::NoLineYet(name),
                other => other,
            })?;
        let name = source.name.clone();
        match (&source.body, source.stamp.is_some()) {
            (SourceBody::Plain(plain), true) => {
                let io = |error| SourceError::of_io(&name, &error);
                let len = whole_lines(&plain.file, plain.len).map_err(io)?;
                if len == 0 {
                    return Err(SourceError::NoLineYet(name));
                }
                let file = plain.file.try_clone().map_err(io)?;
                let plain = PlainFile::new(file, len, Some("followed while others append"));
                source.body = SourceBody::Plain(Arc::new(plain));
            }
            _ => return Err(SourceError::NotFollowed(name)),
        }
        source.is_followed = true;
        Ok(Arc::new(source))
    }

    /// True if the file was opened with `--follow`.
    pub fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// True if a change is expected: growth, which leaves read bytes valid.
    pub(super) fn expects(&self, change: FileChange) -> bool {
        self.is_followed && change == FileChange::Grown
    }
}

/// Returns the length of the complete lines within the first `len` bytes.
fn whole_lines(file: &impl FileExt, len: u64) -> std::io::Result<u64> {
    let mut looked = TAIL;
    loop {
        let start = len.saturating_sub(looked);
        let mut tail = vec![0; usize::try_from(len - start).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut tail, start)?;
        let end = memrchr(b'\n', &tail).map(|at| at + 1);
        if end.is_none() && start > 0 {
            looked = looked.saturating_mul(4);
            continue;
        }
        let end = end.unwrap_or(0);
        let last = &tail[end..];
        let is_whole = serde_json::from_slice::<&RawValue>(last).is_ok();
        return Ok(if is_whole { len } else { start + end as u64 });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_line_counts_once_it_is_whole() {
        let long = "x".repeat(200_000);
        for (text, whole) in [
            ("{\"a\": 1}\n", "{\"a\": 1}\n"),
            ("{\"a\": 1}\n{\"b\"", "{\"a\": 1}\n"),
            ("{\"a\": 1}\n{\"b\": 2}", "{\"a\": 1}\n{\"b\": 2}"),
            ("{\"a\": 1}\n  \n", "{\"a\": 1}\n  \n"),
            ("{\"a\"", ""),
            (&format!("{{\"a\": 1}}\n{{\"b\": \"{long}"), "{\"a\": 1}\n"),
            (&format!("{{\"b\": \"{long}"), ""),
        ] {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(text.as_bytes()).expect("written");
            let found = whole_lines(&file, text.len() as u64).expect("read");
            assert_eq!(found, whole.len() as u64, "{}", &text[..text.len().min(40)]);
        }
    }

    #[test]
    fn what_is_appended_changes_nothing_that_was_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.jsonl");
        fs::write(&path, "{\"a\": 1}\n").expect("written");
        let source = Source::open_followed(&Input::Path(path.clone()), RowSearch::default())
            .expect("opened");
        let append = fs::File::options().append(true).open(&path);
        append
            .and_then(|mut file| file.write_all(b"{\"a\""))
            .expect("written");
        assert_eq!(source.change(), Some(FileChange::Grown));
        assert_eq!(source.check_unchanged(), Ok(()));
        fs::write(&path, "{}\n").expect("written");
        assert!(source.check_unchanged().is_err());
        fs::write(&path, "[{\"a\": 1}]").expect("written");
        let refused = Source::open_followed(&Input::Path(path.clone()), RowSearch::default());
        assert!(matches!(refused, Err(SourceError::NotFollowed(_))));
        for begun in ["", "{\"a\""] {
            fs::write(&path, begun).expect("written");
            let early = Source::open_followed(&Input::Path(path.clone()), RowSearch::default());
            assert!(
                matches!(early, Err(SourceError::NoLineYet(_))),
                "{begun}: {early:?}"
            );
        }
    }
}
