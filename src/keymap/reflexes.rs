//! Keys and commands of other programs, with hints to the equivalent here: `assets/reflexes.toml`.
//! The sentences contain action names in braces, which are replaced by their keys.

use std::collections::HashMap;

use serde::Deserialize;

use super::key::{Key, keys};
use crate::app::{Action, CommandReflex, ReflexAnswer};
use crate::toml_file;

/// The built-in hints.
const REFLEXES: &str = include_str!("../../assets/reflexes.toml");

/// Returns the keys bound to an action.
type KeysOf<'k> = &'k dyn Fn(Action) -> Option<String>;

/// Hints for keys and commands that have no meaning here.
#[derive(Debug, Clone, Default)]
pub(super) struct Reflexes {
    keys: HashMap<Key, String>,
    /// Hints for commands, in file order.
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
    /// Loads the built-in hints with the active keys.
    pub(super) fn load(keys_of: KeysOf<'_>) -> Self {
        // A test checks that the embedded file can be parsed.
        Self::read(REFLEXES, keys_of).unwrap_or_default()
    }

    fn read(text: &str, keys_of: KeysOf<'_>) -> Result<Self, String> {
        let file: ReflexFile = toml_file::parse(text).map_err(|fault| fault.to_string())?;
        let mut reflexes = Self::default();
        for entry in file.keys {
            let says = with_keys(&entry.says, keys_of)?;
            for spelling in entry.keys {
                let key = match keys(&spelling).map_err(|error| error.to_string())?[..] {
                    [key] => key,
                    _ => return Err(format!("{spelling} is not one key")),
                };
                if reflexes.keys.insert(key, says.clone()).is_some() {
                    return Err(format!("{spelling} has two hints"));
                }
            }
        }
        for entry in file.commands {
            let answer = match (entry.runs, entry.says) {
                (Some(command), None) => ReflexAnswer::Runs(command),
                (None, Some(says)) => ReflexAnswer::Says(with_keys(&says, keys_of)?),
                _ => return Err(format!("{:?} must run or say something", entry.names)),
            };
            let names = entry.names;
            reflexes.commands.push(CommandReflex { names, answer });
        }
        Ok(reflexes)
    }

    /// Returns the hint for a key.
    pub(super) fn of_key(&self, key: Key) -> Option<&str> {
        self.keys.get(&key).map(String::as_str)
    }
}

/// Replaces action names in braces by the active keys.
fn with_keys(says: &str, keys_of: KeysOf<'_>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = says;
    while let Some((before, after_brace)) = rest.split_once('{') {
        let (name, after) = after_brace
            .split_once('}')
            .ok_or_else(|| format!("{says}: unclosed brace"))?;
        let action = Action::named(name);
        let action = action.ok_or_else(|| format!("{says}: unknown action {name}"))?;
        out += before;
        // An action without a key appears by name.
        out += &keys_of(action).unwrap_or_else(|| name.to_owned());
        rest = after;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::super::Keymap;
    use super::*;
    use crate::app::{COMMANDS, Message, Mode};

    #[test]
    fn hints_are_only_for_unbound_keys_and_unknown_commands() {
        let reflexes = Reflexes::read(REFLEXES, &|_| None).expect("a file that reads");
        let keymap = Keymap::default();
        for (key, says) in &reflexes.keys {
            let pressed = keymap.press(*key, Mode::Read);
            let is_free = matches!(pressed, Some(Message::Unbound(_)));
            assert!(is_free, "{key} does something already");
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
    fn faults_in_the_file_are_reported() {
        for (text, says) in [
            (
                "keys = [{keys = [\"&\"], says = \"{flter} filters.\"}]\ncommands = []",
                "unknown action flter",
            ),
            (
                "keys = [{keys = [\"&\"], says = \"{filter filters.\"}]\ncommands = []",
                "unclosed brace",
            ),
            (
                "keys = [{keys = [\"dd\"], says = \"No.\"}]\ncommands = []",
                "not one key",
            ),
            (
                "keys = [{keys = [\"&\", \"&\"], says = \"No.\"}]\ncommands = []",
                "has two hints",
            ),
            (
                "keys = []\ncommands = [{names = [\"w\"]}]",
                "must run or say",
            ),
        ] {
            let error = Reflexes::read(text, &|_| None).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
    }
}
