//! Keys and commands that people bring along from other programs, and what does here what they do
//! there: `assets/reflexes.toml`. The sentences name actions in braces, and tell their keys.

use std::collections::HashMap;

use serde::Deserialize;

use super::key::{Key, keys};
use super::key_for;
use crate::app::{Action, CommandReflex, Pane, ReflexAnswer, Scroll, Toggle};

/// The built-in answers.
const REFLEXES: &str = include_str!("../../assets/reflexes.toml");

/// Actions that a sentence can name.
const ACTIONS: &[(&str, Action)] = &[
    ("agreement", Action::Agreement),
    ("back", Action::Back),
    ("bottom", Action::Scroll(Scroll::Bottom)),
    ("cancel", Action::Cancel),
    ("command", Action::Command),
    ("copy", Action::Copy),
    ("export", Action::Export),
    ("filter", Action::Filter),
    ("first", Action::FirstSample),
    ("folds", Action::Toggle(Toggle::Folds)),
    ("half", Action::Scroll(Scroll::HalfDown)),
    ("help", Action::Help),
    ("hidden", Action::Toggle(Toggle::Hidden)),
    ("hit", Action::NextHit),
    ("last", Action::LastSample),
    ("lock", Action::Toggle(Toggle::Lock)),
    ("mark", Action::Mark),
    ("marked", Action::NextMark),
    ("markdown", Action::Toggle(Toggle::Markdown)),
    ("next", Action::NextSample),
    ("note", Action::Note),
    ("pane", Action::NextPane),
    ("panel", Action::LabelsPanel),
    ("previous", Action::PreviousSample),
    ("rate", Action::Rate),
    ("record", Action::Record),
    ("redo", Action::Redo),
    ("reload", Action::Reload),
    ("response", Action::NextResponse(Pane::Right)),
    ("search", Action::Search),
    ("sort", Action::Sort),
    ("suspend", Action::Suspend),
    ("tag", Action::Tag),
    ("top", Action::Scroll(Scroll::Top)),
    ("undo", Action::Undo),
    ("zoom", Action::Zoom),
];

/// What is answered to keys and commands without a meaning here.
#[derive(Debug, Default)]
pub(super) struct Reflexes {
    keys: HashMap<Key, String>,
    /// To commands, in the order of the file.
    pub(super) commands: Vec<CommandReflex>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReflexFile {
    keys: Vec<KeyEntry>,
    commands: Vec<CommandEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyEntry {
    keys: Vec<String>,
    says: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandEntry {
    names: Vec<String>,
    runs: Option<String>,
    says: Option<String>,
}

impl Reflexes {
    /// The built-in ones, with the keys that are in force.
    pub(super) fn load() -> Self {
        // The file is part of the program; a test reads it.
        Self::read(REFLEXES).unwrap_or_default()
    }

    fn read(text: &str) -> Result<Self, String> {
        let file: ReflexFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut reflexes = Self::default();
        for entry in file.keys {
            let says = with_keys(&entry.says)?;
            for spelling in entry.keys {
                let key = match keys(&spelling).map_err(|error| error.to_string())?[..] {
                    [key] => key,
                    _ => return Err(format!("{spelling} is not one key")),
                };
                if reflexes.keys.insert(key, says.clone()).is_some() {
                    return Err(format!("{spelling} is answered twice"));
                }
            }
        }
        for entry in file.commands {
            let answer = match (entry.runs, entry.says) {
                (Some(command), None) => ReflexAnswer::Runs(command),
                (None, Some(says)) => ReflexAnswer::Says(with_keys(&says)?),
                _ => return Err(format!("{:?} must run or say something", entry.names)),
            };
            let names = entry.names;
            reflexes.commands.push(CommandReflex { names, answer });
        }
        Ok(reflexes)
    }

    /// What is said of a key.
    pub(super) fn of_key(&self, key: Key) -> Option<&str> {
        self.keys.get(&key).map(String::as_str)
    }
}

/// The sentence with the keys in force in place of the names of actions.
fn with_keys(says: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = says;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind
            .split_once('}')
            .ok_or_else(|| format!("{says}: a brace is not closed"))?;
        let action = ACTIONS.iter().find(|(known, _)| *known == name);
        let (_, action) = action.ok_or_else(|| format!("{says}: there is no action {name}"))?;
        out += before;
        // Of an action that has lost its key, what it is called.
        out += &key_for(*action).unwrap_or_else(|| name.to_owned());
        rest = after;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::super::Keymap;
    use super::*;
    use crate::app::{COMMANDS, Context};

    #[test]
    fn the_file_reads_and_answers_only_what_has_no_meaning() {
        let reflexes = Reflexes::read(REFLEXES).expect("a file that reads");
        let keymap = Keymap::default();
        for (key, says) in &reflexes.keys {
            let bound = keymap.action(*key, Context::Read);
            assert_eq!(bound, None, "{key} does something already");
            assert!(says.ends_with('.'), "{key}: {says}");
        }
        let mut names = std::collections::BTreeSet::new();
        for reflex in &reflexes.commands {
            for name in &reflex.names {
                let known = COMMANDS.iter().any(|command| command.name == name);
                assert!(!known, ":{name} does something already");
                assert!(names.insert(name.clone()), ":{name} is answered twice");
            }
            match &reflex.answer {
                ReflexAnswer::Runs(line) => {
                    assert!(
                        COMMANDS.iter().any(|command| command.name == line),
                        "{line}"
                    );
                }
                ReflexAnswer::Says(says) => assert!(says.ends_with('.'), "{says}"),
            }
        }
    }

    #[test]
    fn slips_in_the_file_are_told() {
        for (text, says) in [
            (
                "keys = [{keys = [\"&\"], says = \"{flter} filters.\"}]\ncommands = []",
                "no action flter",
            ),
            (
                "keys = [{keys = [\"&\"], says = \"{filter filters.\"}]\ncommands = []",
                "not closed",
            ),
            (
                "keys = [{keys = [\"dd\"], says = \"No.\"}]\ncommands = []",
                "not one key",
            ),
            (
                "keys = [{keys = [\"&\", \"&\"], says = \"No.\"}]\ncommands = []",
                "answered twice",
            ),
            (
                "keys = []\ncommands = [{names = [\"w\"]}]",
                "must run or say",
            ),
        ] {
            let error = Reflexes::read(text).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
    }
}
