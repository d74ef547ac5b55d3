//! Finds the journal's place and the reviewer's name.

use std::io::{self, IsTerminal, Write, stderr, stdin};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::home::Home;
use super::journal_writer::{JournalConfig, UnsavedActs};
use super::state_store::{key, make_folder, stable_hash};
use super::{Failure, environment, texts};
use crate::export::{in_shell, visible};
use crate::journal::{ActRecord, JournalError, JournalFile, missing};
use crate::source::{HubName, Input, journal_path};
use crate::text::counted;

/// Returns where acts are kept and the reviewer's name: from the options, or else from the inputs
/// and the user.
pub(super) fn config(
    inputs: &[Input],
    journals: &[PathBuf],
    reviewer: Option<&str>,
    writes: bool,
) -> JournalConfig {
    let place =
        named_place(journals).unwrap_or_else(|| place(inputs, Home::of_user(), &is_writable));
    JournalConfig {
        writes,
        reviewer: reviewer.map_or_else(user, str::to_owned),
        unsaved: place.path.as_deref().and_then(unsaved_acts),
        ..place
    }
}

/// Returns the file for acts that cannot be written to a journal, a journal itself.
fn unsaved_acts(journal: &Path) -> Option<PathBuf> {
    let folder = folder_of(journal);
    let path = std::fs::canonicalize(folder)
        .unwrap_or_else(|_| folder.to_owned())
        .join(journal.file_name()?);
    let key = stable_hash(path.as_os_str().as_encoded_bytes());
    Some(Home::of_user()?.state.join(format!("unsaved-{key}.jsonl")))
}

/// Returns the journals named by options, without duplicates: the first is written, the others are
/// only read. `None` without such options.
fn named_place(journals: &[PathBuf]) -> Option<JournalConfig> {
    let (first, others) = journals.split_first()?;
    let mut also_read: Vec<PathBuf> = Vec::new();
    for other in others {
        let is_known =
            is_same_file(other, first) || also_read.iter().any(|known| is_same_file(other, known));
        also_read.extend((!is_known).then(|| other.clone()));
    }
    Some(JournalConfig {
        path: Some(first.clone()),
        also_read,
        ..JournalConfig::default()
    })
}

/// True if two paths refer to the same file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

/// Checks the journals named by options, before the screen opens.
pub(super) fn check_journals(named: &[PathBuf]) -> Result<(), Failure> {
    let Some((first, others)) = named.split_first() else {
        return Ok(());
    };
    check_journal(first)?;
    for other in others {
        JournalFile::new(other.clone())
            .read()
            .map_err(Failure::usage)?;
        if !other.exists() {
            return Err(wrong_journal(other, texts::NO_SUCH_JOURNAL));
        }
    }
    Ok(())
}

fn wrong_journal(path: &Path, what: &str) -> Failure {
    Failure::usage(format!("--journal {}: {what}", path.display()))
}

fn check_journal(path: &Path) -> Result<(), Failure> {
    let folder = folder_of(path);
    let what = match (std::fs::metadata(folder), std::fs::metadata(path)) {
        (Err(_), _) => texts::no_folder(folder.display()),
        (Ok(found), _) if !found.is_dir() => texts::not_a_folder(folder.display()),
        (_, Ok(found)) if !found.is_file() => texts::NOT_A_FILE.to_owned(),
        _ => {
            return match JournalFile::new(path.to_owned()).read() {
                Err(error @ JournalError::NotAJournal { .. }) => Err(Failure::usage(error)),
                // Other errors may be gone by the time something is written.
                _ => Ok(()),
            };
        }
    };
    Err(wrong_journal(path, &what))
}

/// Returns the user's name from the environment or the system.
fn user() -> String {
    let named = ["USER", "LOGNAME"]
        .into_iter()
        .filter_map(environment)
        .find(|name| !name.trim().is_empty());
    let own = rustix::process::getuid().as_raw();
    named
        .or_else(|| name_of(own))
        .unwrap_or_else(|| format!("uid-{own}"))
}

/// Returns the name of a user from /etc/passwd.
fn name_of(user: u32) -> Option<String> {
    std::fs::read_to_string("/etc/passwd")
        .ok()?
        .lines()
        .find_map(|line| {
            let mut fields = line.split(':');
            let (name, number) = (fields.next()?, fields.nth(1)?);
            (number.parse() == Ok(user) && !name.is_empty()).then(|| name.to_owned())
        })
}

/// The journals that subcommands read, which need not exist.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    /// All journals; empty for data without a place, such as standard input.
    pub(crate) paths: Vec<PathBuf>,
    /// True if the user named them: then they must exist.
    pub(crate) is_named: bool,
    /// The reviewer whose judgments a query calls `mine`.
    pub(crate) reviewer: String,
}

impl Journal {
    /// Returns the journals of these inputs: the named ones, or the default.
    pub(crate) fn of(inputs: &[Input], named: &[PathBuf], reviewer: Option<&str>) -> Self {
        let config = config(inputs, named, reviewer, false);
        let mut paths: Vec<_> = config.path.into_iter().chain(config.also_read).collect();
        let is_named = !named.is_empty();
        if is_named {
            // None is written, and output must not depend on the order of options.
            paths.sort_unstable();
        }
        Self {
            paths,
            is_named,
            reviewer: config.reviewer,
        }
    }
}

/// Returns the default place: beside the first file if possible, otherwise in the user's data
/// folder with a notice about that, and so for the hub's cache, whose tools delete files.
fn place(
    inputs: &[Input],
    home: Option<Home>,
    is_writable: &dyn Fn(&Path) -> bool,
) -> JournalConfig {
    let own = |name: &str| Some(home?.data.join(format!("{name}.review.jsonl")));
    match inputs.first().map(Input::whole) {
        Some(Input::Path(path)) if let Some(name) = HubName::of_path(path) => {
            with_notice(own(&name.title().replace('/', "--")))
        }
        Some(Input::Path(path)) if std::fs::metadata(path).is_ok_and(|found| found.is_file()) => {
            let beside = journal_path(path);
            if is_writable(&beside) {
                return JournalConfig {
                    path: Some(beside),
                    ..JournalConfig::default()
                };
            }
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let elsewhere = own(&format!("{name}-{}", key(inputs).unwrap_or_default()));
            let is_there = beside.is_file();
            let remark = elsewhere.as_ref().map(|place| {
                let why = if is_there {
                    "The journal beside"
                } else {
                    "The folder of"
                };
                texts::saved_elsewhere(why, &name, place.display())
            });
            JournalConfig {
                path: elsewhere,
                also_read: Vec::from_iter(is_there.then_some(beside)),
                remark,
                ..JournalConfig::default()
            }
        }
        Some(Input::Embedded { .. }) => with_notice(own("demo")),
        Some(Input::Path(_) | Input::Stdin | Input::Within { .. }) => {
            with_notice(own("standard-input"))
        }
        None => JournalConfig::default(),
    }
}

/// Returns a place with a notice, because the user would not look there.
fn with_notice(path: Option<PathBuf>) -> JournalConfig {
    let remark = path.as_ref().map(|place| texts::saved_in(place.display()));
    JournalConfig {
        path,
        remark,
        ..JournalConfig::default()
    }
}

/// True if a journal can be written or created.
fn is_writable(path: &Path) -> bool {
    if path.exists() {
        return access(path, Access::WRITE_OK).is_ok();
    }
    access(folder_of(path), Access::WRITE_OK).is_ok()
}

/// Returns the folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Asks whether to add the acts that earlier runs could not write, if there are any, and adds them.
/// Their file is deleted once the journal has all of them. Returns a notice if it cannot ask.
pub(super) fn recover(config: &JournalConfig) -> anyhow::Result<Option<String>> {
    let mut places = config.path.iter().zip(&config.unsaved);
    let Some((path, place)) = places.find(|(_, place)| place.exists()) else {
        return Ok(None);
    };
    let [mut journal, mut file] = [path, place].map(|path| JournalFile::new(path.clone()));
    let unsaved = file.read()?;
    let new = missing(path, &journal.read()?.entries, unsaved.entries)
        .map_err(|error| anyhow::anyhow!("{}: {error}", place.display()))?;
    if !new.is_empty() {
        let words = texts::unsaved(counted(new.len(), "act"), shown(path), shown(place));
        let Some(answer) = ask(&format!("{words}. {}", texts::ADD_NOW))? else {
            return Ok(Some(words));
        };
        if !answer.starts_with(['y', 'Y', '\n']) {
            return Ok(None);
        }
        journal.add(&unsaved.header.unwrap_or_default(), &new)?;
    }
    // Unreadable lines are not lost.
    if unsaved.troubles.is_empty() && !file.has_changed() {
        let _ = std::fs::remove_file(place);
    }
    Ok(None)
}

/// Asks a question on the terminal and returns the line typed; `None` if there is no terminal.
pub(super) fn ask(question: &str) -> io::Result<Option<String>> {
    if !(stdin().is_terminal() && stderr().is_terminal()) {
        return Ok(None);
    }
    let lines: Vec<_> = question.split('\n').map(visible).collect();
    let _ = write!(stderr(), "visavis: {}", lines.join("\n"));
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(Some(answer))
}

/// Returns a path as an argument for a shell.
fn shown(path: &Path) -> String {
    in_shell(&path.to_string_lossy())
}

/// Saves acts that could not be written to the journal in a journal of their own, or prints them.
/// Returns a message about that.
pub(super) fn rescue(left: &UnsavedActs) -> String {
    let (acts, journal) = (counted(left.entries.len(), "act"), shown(&left.journal));
    let saved = left.place.as_ref().filter(|place| {
        let mut saved = JournalFile::new(place.to_path_buf());
        make_folder(place).is_ok() && saved.add(&left.header, &left.entries).is_ok()
    });
    if let Some(place) = saved {
        return texts::unsaved_in(acts, journal, &left.reason, shown(place));
    }
    // The last resort. JSON escapes control characters, so nothing is lost and the terminal is not
    // controlled.
    let lines = left.entries.iter().map(ActRecord::line);
    for line in std::iter::once(left.header.line()).chain(lines) {
        let _ = writeln!(stderr(), "{}", visible(&line));
    }
    texts::unsaved_above(acts, journal, &left.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unexpected_places_are_reported() {
        let home = Home {
            config: "/home/config".into(),
            data: "/home/data".into(),
            state: "/home/state".into(),
        };
        let demo = Input::Embedded {
            name: "demo",
            bytes: b"",
        };
        for (input, name) in [
            (demo, "demo.review.jsonl"),
            (Input::Stdin, "standard-input.review.jsonl"),
        ] {
            let place = super::place(&[input], Some(home.clone()), &is_writable);
            let (place, remark) = (place.path.expect("a home"), place.remark.expect("a remark"));
            assert!(
                place == home.data.join(name) && remark.contains(&place.display().to_string()),
                "{remark}"
            );
        }
        let folder = tempfile::tempdir().expect("a folder");
        let rows = folder.path().join("rows.jsonl");
        std::fs::write(&rows, "").expect("written");
        let here = |is_writable: bool| {
            super::place(&[Input::Path(rows.clone())], Some(home.clone()), &|_| {
                is_writable
            })
        };
        assert_eq!(here(true).remark, None, "beside the data it is in sight");
        // If the journal beside the data is not writable, it is read, and acts are kept elsewhere.
        let beside = folder.path().join("rows.jsonl.review.jsonl");
        for (is_there, why) in [
            (false, "The folder of rows.jsonl is"),
            (true, "The journal beside rows.jsonl is"),
        ] {
            if is_there {
                std::fs::write(&beside, "").expect("written");
            }
            let place = here(false);
            assert_eq!(
                place.also_read,
                Vec::from_iter(is_there.then(|| beside.clone()))
            );
            let (path, remark) = (
                place.path.expect("a place"),
                place.remark.expect("a remark"),
            );
            assert!(
                path.starts_with("/home/data") && remark.starts_with(why),
                "{remark}"
            );
            assert!(remark.contains(&path.display().to_string()), "{remark}");
        }
    }
}
