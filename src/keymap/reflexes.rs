//! Keys and commands of other programs, with hints to the equivalent here: `assets/reflexes.toml`.
//! The sentences contain action names in braces, which are replaced by their keys.

use std::collections::HashMap;

use serde::Deserialize;

use super::key::{self, Key};
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

#[derive(Default, Deserialize)]
struct ReflexFile {
    keys: Vec<KeyEntry>,
    commands: Vec<CommandReflex>,
}

#[derive(Deserialize)]
struct KeyEntry {
    keys: Vec<String>,
    says: String,
}

impl Reflexes {
    /// Loads the built-in hints with the active keys. A test checks the embedded file.
    pub(super) fn load(keys_of: KeysOf<'_>) -> Self {
        let ReflexFile { keys, mut commands } = toml_file::parse(REFLEXES).unwrap_or_default();
        for command in &mut commands {
            if let ReflexAnswer::Says(says) = &mut command.answer {
                *says = with_keys(says, keys_of);
            }
        }
        let keys = keys.iter().flat_map(|entry| {
            let says = with_keys(&entry.says, keys_of);
            let keys = entry
                .keys
                .iter()
                .filter_map(|spelling| key::keys(spelling).ok());
            keys.flatten().map(move |key| (key, says.clone()))
        });
        Self {
            keys: keys.collect(),
            commands,
        }
    }

    /// Returns the hint for a key.
    pub(super) fn of_key(&self, key: Key) -> Option<&str> {
        self.keys.get(&key).map(String::as_str)
    }
}

/// Replaces action names in braces by the active keys. An action without a key appears by name.
fn with_keys(says: &str, keys_of: KeysOf<'_>) -> String {
    let mut parts = says.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (name, rest) in parts.filter_map(|part| part.split_once('}')) {
        let keys = Action::named(name).and_then(keys_of);
        out += &keys.unwrap_or_else(|| name.to_owned());
        out += rest;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Keymap;
    use super::*;
    use crate::app::{COMMANDS, Message, Mode};

    #[test]
    fn hints_are_only_for_unbound_keys_and_unknown_commands() {
        let file: ReflexFile = toml_file::parse(REFLEXES).expect("a file that reads");
        let spellings: Vec<_> = file.keys.iter().flat_map(|entry| &entry.keys).collect();
        assert!(
            spellings
                .iter()
                .all(|one| key::keys(one).is_ok_and(|keys| keys.len() == 1))
        );
        let commands = file.commands.iter().filter_map(|one| match &one.answer {
            ReflexAnswer::Says(says) => Some(says),
            ReflexAnswer::Runs(_) => None,
        });
        for says in file.keys.iter().map(|entry| &entry.says).chain(commands) {
            for part in says.split('{').skip(1) {
                let name = part.split_once('}').map(|(name, _)| name);
                assert!(name.and_then(Action::named).is_some(), "{says}");
            }
        }
        let reflexes = Reflexes::load(&|_| None);
        assert_eq!(reflexes.keys.len(), spellings.len(), "a key has two hints");
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
}
