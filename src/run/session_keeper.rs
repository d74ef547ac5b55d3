//! Saves the user's position in the open files: a small file for each set of files, beside the
//! histories.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use toml::Table;

use super::home::Home;
use super::state_store::{key, read_ordinary, stable_hash, write_atomically};
use super::texts;
use crate::app::SessionState;
use crate::dataset::Loader;
use crate::jobs::JobQueue;
use crate::schema::SchemaChoice;
use crate::source::Input;

/// Maximum number of sets of files with a saved position; the least recently used are deleted.
const MOST: usize = 200;
/// Minimum time between two writes while the program runs.
const PAUSE: Duration = Duration::from_secs(3);
/// Maximum time to wait for the disk at exit.
const PATIENCE: Duration = Duration::from_secs(1);
/// Version of the format; files of other versions are ignored.
const VERSION: i64 = 1;

/// Writes the user's position on a thread.
#[derive(Debug)]
pub(super) struct SessionKeeper {
    /// The file for the open files; `None` if nothing is saved.
    path: Option<PathBuf>,
    /// The state written last, and when.
    last: Option<(SessionState, Instant)>,
    queue: JobQueue,
}

impl Default for SessionKeeper {
    fn default() -> Self {
        Self {
            path: None,
            last: None,
            queue: JobQueue::new("session"),
        }
    }
}

impl SessionKeeper {
    /// Returns a keeper for these files. Nothing is saved for the demo, pipes, and users without a
    /// home.
    pub(super) fn of(loader: &Loader) -> Self {
        let is_demo = |input: &Input| matches!(input.whole(), Input::Embedded { .. });
        let key = key(&loader.inputs).filter(|_| !loader.inputs.iter().any(is_demo));
        // With other options, the same files may have other samples.
        let key = key.map(|key| match reading(loader).as_str() {
            "" => key,
            other => format!("{key}-{}", stable_hash(other.as_bytes())),
        });
        let path = Home::of_user()
            .zip(key)
            .map(|(home, key)| home.state.join("sessions").join(key).with_extension("toml"));
        Self {
            path,
            ..Self::default()
        }
    }

    /// Reads the saved position, if there is one.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub(super) fn read(&self) -> Result<Option<SessionState>> {
        let Some(path) = &self.path else {
            return Ok(None);
        };
        let Some(text) = read_ordinary(path)? else {
            return Ok(None);
        };
        let table = String::from_utf8_lossy(&text)
            .parse::<Table>()
            .with_context(|| texts::invalid_session(path.display()))?;
        Ok(state_of(table))
    }

    /// Saves the position if it changed and the last write was over [`PAUSE`] ago.
    pub(super) fn keep(&mut self, state: Option<SessionState>) {
        let rests = self
            .last
            .as_ref()
            .is_none_or(|(_, written)| written.elapsed() >= PAUSE);
        if rests {
            self.write(state, || ());
        }
    }

    /// Saves the position at exit and waits briefly for the disk.
    pub(super) fn close(&mut self, state: Option<SessionState>) {
        let (done, ended) = mpsc::channel::<()>();
        if self.write(state, move || drop(done)) {
            // Written, failed or timed out: in any case there is nothing more to do.
            let _ = ended.recv_timeout(PATIENCE);
        }
        self.queue.join(Instant::now());
    }

    /// Starts to write the position; returns false if there is nothing to write.
    fn write(&mut self, state: Option<SessionState>, then: impl FnOnce() + Send + 'static) -> bool {
        let Some((path, state)) = self.path.clone().zip(state) else {
            return false;
        };
        if self.last.as_ref().is_some_and(|(last, _)| *last == state) {
            return false;
        }
        let is_first = self.last.is_none();
        let text = table_of(&state).to_string();
        self.last = Some((state, Instant::now()));
        // A failure only loses the position, so it is not reported.
        self.queue
            .start(move |_| {
                if write_atomically(&path, &text).is_ok() && is_first {
                    path.parent().map(prune);
                }
                then();
            })
            .is_ok()
    }
}

/// Describes options that change how files are read; empty for the defaults.
fn reading(loader: &Loader) -> String {
    let mut words = Vec::new();
    for (place, input) in loader.inputs.iter().enumerate() {
        if let Input::Within { pointer, .. } = input {
            words.push(format!("{place} {pointer}"));
        }
    }
    match &loader.choice {
        // Joined files are read again each time.
        SchemaChoice::Detect(_)
        | SchemaChoice::WithScores(_)
        | SchemaChoice::Strict(_)
        | SchemaChoice::WithoutTexts { .. } => {}
        SchemaChoice::Named(schema) | SchemaChoice::Ready(schema) => {
            words.push(format!("schema {}", schema.definition().name));
        }
        SchemaChoice::Mapped(map) => words.push(format!("map {map:?}")),
    }
    let kind = if loader.is_against {
        "across"
    } else {
        "grouped"
    };
    let group_by = loader.group_by.as_ref();
    words.extend(group_by.map(|fields| format!("{kind} {fields:?}")));
    words.join("\n")
}

/// Deletes the positions of the least recently used sets of files.
fn prune(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let is_ours = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml");
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .filter(|(_, path)| is_ours(path))
        .collect();
    files.sort_unstable();
    let too_many = files.len().saturating_sub(MOST);
    for (_, path) in files.drain(..too_many) {
        // Another process may have deleted it.
        let _ = fs::remove_file(path);
    }
}

fn table_of(state: &SessionState) -> Table {
    let mut table = Table::try_from(state).unwrap_or_default();
    table.insert("version".to_owned(), VERSION.into());
    table
}

/// Parses a saved state; `None` for another version or without a sample. Invalid values count as
/// missing.
fn state_of(table: Table) -> Option<SessionState> {
    if table.get("version")?.as_integer()? != VERSION {
        return None;
    }
    let sample = table.get("sample")?.clone();
    let mut known = Table::from_iter([("sample".to_owned(), sample)]);
    for (name, value) in table {
        known.insert(name.clone(), value);
        if known.clone().try_into::<SessionState>().is_err() {
            known.remove(&name);
        }
    }
    known.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn state(sample: usize) -> SessionState {
        SessionState {
            sample: NonZeroUsize::MIN.saturating_add(sample),
            key: "0123456789abcdef0123456789abcdef".parse().ok(),
            filter: Some("helpfulness>=3 \"x\"".to_owned()),
            search: toml::from_str(
                "text = \"'exact\"
scope = \"responses\"
ranked = false",
            )
            .ok(),
        }
    }

    #[test]
    fn a_session_round_trips() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| SessionKeeper {
            path: Some(folder.path().join("sessions").join(name)),
            ..SessionKeeper::default()
        };
        let mut keeper = at("a.toml");
        assert_eq!(keeper.read().expect("none yet"), None);
        keeper.keep(Some(state(213)));
        // Too soon after the first: written only at exit.
        keeper.keep(Some(state(3)));
        keeper.close(Some(state(7)));
        assert_eq!(at("a.toml").read().expect("read"), Some(state(7)));
        let bare = SessionState {
            key: None,
            filter: None,
            search: None,
            ..state(0)
        };
        at("b.toml").close(Some(bare.clone()));
        assert_eq!(at("b.toml").read().expect("read"), Some(bare));
    }

    #[test]
    fn invalid_sessions_are_ignored() {
        let of = |text: &str| state_of(text.parse().expect("TOML"));
        for text in [
            "",
            "version = 2\nsample = 3",
            "version = 1",
            "version = 1\nsample = 0",
            "version = 1\nsample = -4",
            "version = 1\nsample = \"3\"",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
        let odd =
            of("version = 1\nsample = 3\npane = 4\nkey = \"x\"\nsearch = 1").expect("a state");
        assert_eq!((odd.sample.get(), odd.key), (3, None));
        assert!(odd.search.is_none());
    }

    #[test]
    fn a_session_of_0_1_is_read() {
        let text = include_str!("../../tests/old_files/session.toml");
        let state = state_of(text.parse().expect("TOML")).expect("a state");
        assert_eq!(state.sample.get(), 3);
        assert!(state.key.is_some());
    }

    #[test]
    fn the_least_recently_used_sessions_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..MOST + 3 {
            let path = folder.path().join(format!("{number}.toml"));
            fs::write(&path, "").expect("written");
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(number as u64);
            let file = fs::File::options().write(true).open(&path);
            file.and_then(|file| file.set_modified(time)).expect("set");
        }
        fs::write(folder.path().join("other"), "").expect("written");
        prune(folder.path());
        let there = |name: &str| folder.path().join(name).exists();
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), MOST + 1);
        assert!(!there("2.toml") && there("3.toml") && there("other"));
    }

    #[test]
    fn the_demo_and_pipes_have_no_session() {
        let path = |inputs: &[Input]| {
            let inputs = inputs.to_vec();
            SessionKeeper::of(&Loader {
                inputs,
                ..Loader::default()
            })
            .path
        };
        let demo = Input::Embedded {
            name: "demo",
            bytes: b"",
        };
        assert_eq!((path(&[demo]), path(&[Input::Stdin])), (None, None));
    }

    #[test]
    fn other_options_have_another_session() {
        let file = || Input::Path("/nowhere/a.json".into());
        let list = |pointer: &str| Input::Within {
            document: Box::new(file()),
            pointer: pointer.to_owned(),
        };
        let of = |input: Input, map: Option<&str>, across: bool| {
            let choice = map.map(|map| SchemaChoice::Mapped(map.parse().expect("a map")));
            reading(&Loader {
                inputs: vec![input],
                choice: choice.unwrap_or_default(),
                group_by: across.then(Vec::new),
                is_against: across,
                ..Loader::default()
            })
        };
        let all = [
            of(file(), None, false),
            of(list("/train"), None, false),
            of(list("/test"), None, false),
            of(file(), Some("prompt=q,a=x,b=y"), false),
            of(file(), Some("prompt=q,a=y,b=x"), false),
            of(file(), None, true),
        ];
        assert_eq!(all[0], "", "as before where nothing is said");
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{one}");
        }
    }
}
