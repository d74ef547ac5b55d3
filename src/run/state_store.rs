//! Persistent state: histories of filters and searches for each dataset, and saved filters.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rustix::fs::OFlags;
use toml::Table;
use toml_edit::{DocumentMut, Item, value};

use super::home::Home;
use super::texts;
use crate::app::{HISTORY, Histories, History, LineKind, SavedFilters, SavedState};
use crate::export::write_whole;
use crate::source::Input;
use crate::toml_file;

/// Paths of the state. Without a path, nothing is written.
#[derive(Debug, Default)]
pub(super) struct StateStore {
    history: Option<PathBuf>,
    searches: Option<PathBuf>,
    filters: Option<PathBuf>,
    writes: bool,
    /// Filters as last read, or as saved for this run only.
    saved: SavedFilters,
}

impl StateStore {
    /// Returns the store for these inputs, the saved state, and an error if it could not be read.
    pub(super) fn open(inputs: &[Input], writes: bool) -> (Self, SavedState, Option<String>) {
        let Some(home) = Home::of_user() else {
            return Default::default();
        };
        let history = key(inputs).map(|key| home.state.join("history").join(key));
        let filters = Some(home.config.join("filters.toml"));
        let searches = history.as_ref().map(|path| path.with_extension("searches"));
        let mut store = Self {
            history,
            searches,
            filters,
            writes,
            saved: SavedFilters::default(),
        };
        let read = |path: &Option<PathBuf>| {
            split(path.as_deref().map_or(Ok(History::default()), read_history))
        };
        let ((filters, forgotten), (searches, unsearched)) =
            (read(&store.history), read(&store.searches));
        let (saved, unread) = split(
            store
                .filters
                .as_deref()
                .map_or(Ok(Default::default()), read_filters),
        );
        store.saved = to_saved_filters(&saved.1);
        let memory = SavedState {
            histories: Histories {
                filters,
                searches,
                ..Histories::default()
            },
            saved: store.saved.clone(),
        };
        (store, memory, unread.or(forgotten).or(unsearched))
    }

    /// True if saved filters last longer than this run.
    pub(super) fn is_lasting(&self) -> bool {
        self.writes && self.filters.is_some()
    }

    /// Adds a line to the history of its kind. Only filters and searches are stored on disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn remember(&self, kind: LineKind, line: &str) -> Result<()> {
        let path = match kind {
            LineKind::Filter => self.history.as_deref(),
            LineKind::Search => self.searches.as_deref(),
            _ => None,
        };
        let Some(path) = path.filter(|_| self.writes) else {
            return Ok(());
        };
        append(path, line).with_context(|| texts::history_unwritable(path.display()))
    }

    /// Saves a filter under a name, or deletes it; returns all saved filters.
    ///
    /// # Errors
    /// If the file cannot be written or parsed; then it is not changed.
    pub(super) fn save_filter(
        &mut self,
        schema: &str,
        name: &str,
        text: Option<&str>,
    ) -> Result<SavedFilters> {
        match self.filters.as_deref().filter(|_| self.writes) {
            // Read again, because another process may have written to it.
            Some(path) => {
                let (toml, _) = read_filters(path).context(texts::NOT_SAVED)?;
                let toml = with_filter(&toml, schema, name, text)
                    .with_context(|| texts::not_saved_in(path.display()))?;
                let all = parsed(path, &toml).context(texts::NOT_SAVED)?;
                write_atomically(path, &toml)
                    .with_context(|| texts::unwritable_file(path.display()))?;
                self.saved = to_saved_filters(&all);
            }
            None => {
                let kept = self.saved.entry(schema.to_owned()).or_default();
                kept.retain(|(known, _)| known != name);
                kept.extend(text.map(|text| (name.to_owned(), text.to_owned())));
                kept.sort();
            }
        }
        Ok(self.saved.clone())
    }
}

/// Splits a result into a value and an error message.
fn split<T: Default>(read: Result<T>) -> (T, Option<String>) {
    match read {
        Ok(value) => (value, None),
        Err(error) => (T::default(), Some(format!("{error:#}"))),
    }
}

/// Returns a stable name for these inputs; `None` for standard input.
pub(super) fn key(inputs: &[Input]) -> Option<String> {
    let mut names = Vec::new();
    for input in inputs {
        match input.whole() {
            Input::Stdin | Input::Within { .. } => return None,
            Input::Embedded { .. } => return Some("demo".to_owned()),
            Input::Path(path) => {
                // A pipe has another name next time.
                if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
                    return None;
                }
                let whole = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
                names.extend_from_slice(whole.as_os_str().as_encoded_bytes());
                names.push(0);
            }
        }
    }
    Some(stable_hash(&names))
}

/// Hashes with FNV-1a, because the standard library's hashes may change between versions.
pub(super) fn stable_hash(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Opens a regular file only: a pipe may block forever, and a device may be endless.
fn open_ordinary(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let refused = || io::Error::other("not a regular file");
    // Checked before opening, because opening a device can have side effects.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(refused());
    }
    let file = options
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(refused())
    }
}

/// Reads a regular file; returns `None` if it does not exist.
pub(super) fn read_ordinary(path: &Path) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let opened = open_ordinary(path, OpenOptions::new().read(true));
    match opened.and_then(|mut file| file.read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| texts::unreadable_file(path.display())),
    }
}

fn read_history(path: &Path) -> Result<History> {
    let text = read_ordinary(path)?.unwrap_or_default();
    Ok(History::read(String::from_utf8_lossy(&text).lines()))
}

/// Appends a line in one write, so that two programs do not mix lines. Shortens the file when it
/// gets too long.
fn append(path: &Path, line: &str) -> Result<()> {
    make_folder(path)?;
    let mut file = open_ordinary(
        path,
        OpenOptions::new().append(true).create(true).mode(0o600),
    )?;
    file.write_all(format!("{line}\n").as_bytes())?;
    let text = read_ordinary(path)?.unwrap_or_default();
    if text.iter().filter(|byte| **byte == b'\n').count() > 2 * HISTORY {
        let kept = read_history(path)?;
        write_atomically(path, &(kept.lines().join("\n") + "\n"))?;
    }
    Ok(())
}

/// Key of the version of the filters file, which files of visavis 0.1 lack.
const VERSION_KEY: &str = "version";
/// Version of the filters file; later ones are not changed.
const VERSION: i64 = 1;

/// Reads the filters file: its text and its table, empty if there is none.
fn read_filters(path: &Path) -> Result<(String, Table)> {
    let bytes = read_ordinary(path)?.unwrap_or_default();
    let text = String::from_utf8(bytes).with_context(|| texts::unreadable_file(path.display()))?;
    let table = parsed(path, &text)?;
    let version = table.get(VERSION_KEY).and_then(toml::Value::as_integer);
    match version.unwrap_or(VERSION) {
        later if later > VERSION => bail!(texts::later_filters(path.display(), later)),
        _ => Ok((text, table)),
    }
}

fn parsed(path: &Path, text: &str) -> Result<Table> {
    toml_file::parse(text)
        .map_err(|fault| anyhow::anyhow!(texts::file_unchanged(path.display(), fault)))
}

fn to_saved_filters(all: &Table) -> SavedFilters {
    let of = |filters: &Table| {
        let mut texts: Vec<_> = filters
            .iter()
            .filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())))
            .collect();
        texts.sort();
        texts
    };
    all.iter()
        .filter_map(|(schema, filters)| Some((schema.clone(), of(filters.as_table()?))))
        .filter(|(_, texts)| !texts.is_empty())
        .collect()
}

/// Returns the file's text with a filter added or removed. Keeps the user's comments, order and
/// blank lines.
fn with_filter(text_before: &str, schema: &str, name: &str, text: Option<&str>) -> Result<String> {
    let mut all: DocumentMut = text_before.parse()?;
    if all.is_empty() && text.is_some() {
        all.insert(VERSION_KEY, value(VERSION));
        // Comments at the beginning of the file stay there.
        if let Some(mut key) = all.key_mut(VERSION_KEY) {
            let lines: String = text_before.lines().flat_map(|line| [line, "\n"]).collect();
            key.leaf_decor_mut().set_prefix(lines);
        }
        all.set_trailing("");
    }
    let entry = all.entry(schema).or_insert_with(toml_edit::table);
    let is_bare = !has_comment(entry);
    let Some(table) = entry.as_table_like_mut() else {
        bail!(texts::not_a_table(schema))
    };
    match (text, table.get_mut(name)) {
        (Some(text), Some(Item::Value(old))) => {
            // Keep the surrounding whitespace and comment.
            let around = old.decor().clone();
            *old = text.into();
            *old.decor_mut() = around;
        }
        (Some(text), _) => {
            table.insert(name, value(text));
        }
        (None, _) => {
            table.remove(name);
        }
    }
    if table.is_empty() && is_bare {
        all.remove(schema);
    }
    Ok(all.to_string())
}

/// True if there is a comment above a table (it may be about the whole file) or after its name.
/// A comment above a filter is removed with it.
fn has_comment(table: &Item) -> bool {
    let Some(decor) = table.as_table().map(toml_edit::Table::decor) else {
        return false;
    };
    let mut texts = [decor.prefix(), decor.suffix()]
        .into_iter()
        .flatten()
        .filter_map(|part| part.as_str());
    texts.any(|text| text.contains('#'))
}

/// Writes a file of the user atomically, and creates its folders.
pub(super) fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    make_folder(path)?;
    write_whole(path, 0o600, true, |out| out.write_all(text.as_bytes()))
}

/// Creates the folders of a file, accessible to the user only.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path.parent().unwrap_or(Path::new(".")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn store(folder: &Path) -> StateStore {
        StateStore {
            history: Some(folder.join("state/history/key")),
            searches: None,
            filters: Some(folder.join("config/filters.toml")),
            writes: true,
            saved: SavedFilters::default(),
        }
    }

    #[test]
    fn a_history_has_no_repetitions_and_is_shortened() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(folder.path());
        for line in ["a", "b", "a"] {
            store.remember(LineKind::Filter, line).expect("kept");
        }
        let path = store.history.as_deref().expect("a path");
        assert_eq!(read_history(path).expect("read").lines(), ["b", "a"]);
        for number in 0..1100 {
            store
                .remember(LineKind::Filter, &format!("query {number}"))
                .expect("kept");
        }
        let history = read_history(path).expect("read");
        let lines = history.lines();
        assert_eq!(
            (lines.len(), lines.last().map(String::as_str)),
            (HISTORY, Some("query 1099"))
        );
        assert!(fs::read_to_string(path).expect("text").lines().count() <= 2 * HISTORY);
    }

    #[test]
    fn filters_are_saved_and_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(folder.path());
        store
            .save_filter("helpsteer2", "good and short", Some("helpfulness>=3 \"x\""))
            .expect("kept");
        store
            .save_filter("webgpt", "odd", Some("cite:dangling"))
            .expect("kept");
        let saved = store
            .save_filter("helpsteer2", "bad", Some("helpfulness=0"))
            .expect("kept");
        let names: Vec<_> = saved["helpsteer2"]
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["bad", "good and short"]);
        let path = store.filters.clone().expect("a path");
        let text = fs::read_to_string(&path).expect("text");
        assert!(
            text.contains("[helpsteer2]") && text.contains("\"good and short\" = "),
            "{text}"
        );
        let saved = store.save_filter("webgpt", "odd", None).expect("forgotten");
        assert!(!saved.contains_key("webgpt"));
        assert_eq!(
            to_saved_filters(&read_filters(&path).expect("read").1),
            saved
        );
    }

    #[test]
    fn comments_around_filters_are_preserved() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(folder.path());
        let path = store.filters.clone().expect("a path");
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let by_hand = "# mine\n\n[webgpt] # of last year\n# Cites nothing.\nodd = 'cite:dangling'   # to be looked at\n\n\
            a.b = 1\n\n[helpsteer2]\nbad   = \"helpfulness=0\"\n# the end\n";
        fs::write(&path, by_hand).expect("written");
        let mut expect = |name: &str, text: Option<&str>, expected: String| {
            let kept = store.save_filter("webgpt", name, text).expect("kept");
            assert_eq!(fs::read_to_string(&path).expect("text"), expected);
            assert_eq!(
                to_saved_filters(&read_filters(&path).expect("read").1),
                kept
            );
        };
        let replaced = by_hand.replace("'cite:dangling'", "\"cite:none\"");
        expect("odd", Some("cite:none"), replaced.clone());
        let longer = replaced.replace("a.b = 1\n", "a.b = 1\n\"so so\" = \"is:tie\"\n");
        expect("so so", Some("is:tie"), longer);
        expect("so so", None, replaced.clone());
        // A filter's comment is removed with it.
        let without = replaced.replace(
            "# Cites nothing.\nodd = \"cite:none\"   # to be looked at\n",
            "",
        );
        expect("odd", None, without.clone());
        expect("never there", None, without);
    }

    #[test]
    fn filters_are_saved_in_tables_of_any_layout() {
        for (by_hand, expected) in [
            (
                "webgpt = { odd = 'is:tie' } # short\n",
                "webgpt = { odd = 'is:tie' , new = \"x\" } # short\n",
            ),
            ("webgpt.odd = 1\n", "webgpt.odd = 1\nwebgpt.new = \"x\"\n"),
            ("", "version = 1\n\n[webgpt]\nnew = \"x\"\n"),
            (
                "# nothing yet",
                "# nothing yet\nversion = 1\n\n[webgpt]\nnew = \"x\"\n",
            ),
        ] {
            assert_eq!(
                with_filter(by_hand, "webgpt", "new", Some("x")).expect("kept"),
                expected
            );
        }
        for (by_hand, expected) in [
            ("# mine\n[webgpt]\nodd = ''\n", "# mine\n[webgpt]\n"),
            (
                "# mine\n[a]\nb = ''\n\n[webgpt]\nodd = ''\n",
                "# mine\n[a]\nb = ''\n",
            ),
            ("# mine\n", "# mine\n"),
        ] {
            assert_eq!(
                with_filter(by_hand, "webgpt", "odd", None).expect("forgotten"),
                expected
            );
        }
        let error = with_filter("webgpt = 1\n", "webgpt", "new", Some("x")).expect_err("no table");
        assert!(
            error.to_string().contains("`webgpt` is not a table"),
            "{error}"
        );
    }

    #[test]
    fn filters_of_a_later_version_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("filters.toml");
        fs::write(&path, "version = 2\n[webgpt]\nodd = \"is:tie\"\n").expect("written");
        let error = read_filters(&path).expect_err("a later version");
        assert!(
            error.to_string().contains("later visavis (version 2)"),
            "{error}"
        );
        fs::write(&path, "version = 1\n[webgpt]\nodd = \"is:tie\"\n").expect("written");
        let filters = to_saved_filters(&read_filters(&path).expect("read").1);
        assert_eq!(filters.keys().collect::<Vec<_>>(), ["webgpt"]);
    }

    #[test]
    fn links_and_permissions_are_preserved() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(folder.path());
        let path = store.filters.clone().expect("a path");
        let elsewhere = folder.path().join("dotfiles.toml");
        fs::write(&elsewhere, "").expect("written");
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o644)).expect("set");
        fs::create_dir(path.parent().expect("a folder")).expect("made");
        std::os::unix::fs::symlink(&elsewhere, &path).expect("a link");
        store.save_filter("a", "b", Some("c")).expect("kept");
        assert!(fs::symlink_metadata(&path).expect("there").is_symlink());
        let found = fs::metadata(&elsewhere).expect("there");
        assert_eq!(found.permissions().mode() & 0o777, 0o644);
        assert!(fs::read_to_string(&elsewhere).expect("read").contains('c'));
    }

    #[test]
    fn an_invalid_file_is_not_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(folder.path());
        let path = store.filters.clone().expect("a path");
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, "[a]\nx = \n").expect("written");
        let error = format!(
            "{:#}",
            store.save_filter("a", "b", Some("c")).expect_err("no TOML")
        );
        assert!(
            error.contains("line 2") && error.contains("was not changed"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).expect("text"), "[a]\nx = \n");
    }

    #[test]
    fn pipes_and_devices_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(folder.path());
        let (history, filters) = (
            store.history.clone().expect("a path"),
            store.filters.clone().expect("a path"),
        );
        for path in [&history, &filters] {
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).expect("a pipe");
        }
        // Reading any of these would block.
        let refused = |error: anyhow::Error| {
            let error = format!("{error:#}");
            assert!(
                error.contains("not a regular file")
                    && error.contains("folder") | error.contains('/'),
                "{error}"
            );
        };
        refused(read_history(&history).expect_err("a pipe"));
        refused(read_filters(&filters).expect_err("a pipe"));
        refused(store.remember(LineKind::Filter, "a").expect_err("a pipe"));
        refused(store.save_filter("a", "b", Some("c")).expect_err("a pipe"));
        refused(read_history(Path::new("/dev/zero")).expect_err("a device"));
        refused(read_filters(Path::new("/dev/zero")).expect_err("a device"));
    }

    #[test]
    fn nothing_is_written_if_writing_is_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = StateStore {
            writes: false,
            ..store(folder.path())
        };
        store
            .remember(LineKind::Filter, "a")
            .expect("nothing to do");
        let saved = store
            .save_filter("a", "b", Some("c"))
            .expect("kept for this run");
        assert_eq!(saved["a"], [("b".to_owned(), "c".to_owned())]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn keys_are_stable() {
        let path = |name: &str| Input::Path(PathBuf::from(name));
        // Later versions must find a file's history.
        assert_eq!(
            key(&[path("/nowhere/a.jsonl")]).as_deref(),
            Some("cdc330d5ef7ecc54")
        );
        assert_ne!(
            key(&[path("/nowhere/a"), path("/nowhere/b")]),
            key(&[path("/nowhere/b"), path("/nowhere/a")])
        );
        assert_eq!(key(&[Input::Stdin]), None);
    }
}
