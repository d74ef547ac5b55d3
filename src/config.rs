//! Persistent settings: one table, read from flags and `config.toml` in this order of precedence, and
//! the file's changes to the keys.
//!
//! [`Config`] holds the values, each with its [`ValueOrigin`]; a [`SettingDef`] is a row of the
//! table.

mod file;

use std::cell::OnceCell;

use crate::keymap::Keymap;
use crate::toml_file::{self, TomlEntry, TomlFault, unknown_name};

pub use file::{effective, template};

/// Tables of keys and of user commands in the file.
const KEYS: &str = "keys";
const COMMANDS: &str = "commands";

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Bool,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text.
    Text,
    /// A nonnegative integer.
    Count,
}

/// A setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingDef {
    /// Its key in the file.
    pub name: &'static str,
    /// Its type.
    pub kind: SettingKind,
    /// The default, as typed; empty if the program decides.
    pub default: &'static str,
    /// A value as typed: the default, or an example if the program decides.
    pub example: &'static str,
    /// The command-line option that sets it for one run.
    pub flag: Option<&'static str>,
    /// A description.
    pub help: &'static str,
}

/// Defines a key and a row of the table for each setting.
macro_rules! settings {
    ($($key:ident $name:literal $kind:expr, $default:literal $(like $example:literal)?, $flag:expr, $help:literal;)*) => {
        /// A setting.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ConfigKey {
            $(#[doc = $help] $key,)*
        }

        impl ConfigKey {
            /// All settings, in table order.
            const ALL: &'static [Self] = &[$(Self::$key,)*];
        }

        /// All settings.
        pub static SETTINGS: &[SettingDef] = &[$(SettingDef {
            name: $name,
            kind: $kind,
            default: $default,
            example: [$($example,)? $default][0],
            flag: $flag,
            help: $help,
        },)*];
    };
}

use SettingKind::{Bool, Count, Text, Word};

settings! {
    Theme "theme" Text, "auto", Some("--theme"),
        "colours: auto (dark or light, as the terminal), a name listed by :theme, or the path of a theme file";
    Colors "colors" Word(&["auto", "none", "16", "256", "true"]), "auto", Some("--colors"),
        "number of colours; auto: as many as the terminal reports";
    Ascii "ascii" Bool, "false", Some("--ascii"), "draw with ASCII characters only";
    Mouse "mouse" Bool, "false", Some("--mouse"),
        "react to clicks and the wheel; selecting text in the terminal then needs Shift";
    Markdown "markdown" Bool, "true", None, "style Markdown; false: plain text";
    Hidden "hidden" Bool, "false", None, "show hidden characters as glyphs";
    Folds "folds" Bool, "true", None, "fold reasoning and tool turns to their first lines";
    Lock "lock" Bool, "true", None, "scroll A and B together";
    Stacked "stacked" Bool, "false", None, "show A above B; false: side by side";
    List "list" Word(&["auto", "shown", "hidden"]), "auto", None,
        "list of samples beside the texts; auto: if there is room";
    ListWidth "list-width" Count, "" like "40", None,
        "width of the list in columns; default: a share of the screen";
    Reviewer "reviewer" Text, "" like "ann", Some("--reviewer"),
        "your name in the journal; default: your user name, and audits ask";
    Reveal "reveal" Word(&["after", "end", "never"]), "after", Some("--reveal"),
        "when to show the labels that --blind hides: after each judgment, at the end of the audit, or never";
    SearchMemory "search-memory" Count, "" like "512", None,
        "megabytes of memory for the search index and for building it; 0: no index; default: a quarter of the text, at least 64 and at most 512";
    Map "map" Word(&["auto", "never"]), "auto", None,
        "auto: map files into memory if the kernel grants a read lease; never: copy them";
    MaxLen "max-len" Count, "" like "2048", Some("--max-len"),
        "characters of a response that training keeps; pairs equal up to there are a finding";
}

impl ConfigKey {
    /// Returns its row of the table.
    pub fn def(self) -> &'static SettingDef {
        &SETTINGS[self as usize]
    }
}

impl SettingKind {
    /// Describes the type, for messages.
    fn expected(self) -> String {
        match self {
            Bool => "true or false".to_owned(),
            Word(words) => format!("one of {}, in quotes", words.join(", ")),
            Text => "text in quotes".to_owned(),
            Count => "a whole number of at least 0".to_owned(),
        }
    }
}

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOrigin {
    /// The default.
    Default,
    /// The config file, at this line.
    File(usize),
    /// A command-line option.
    Flag(&'static str),
}

#[derive(Debug, Clone)]
struct ConfigValue {
    /// As typed; empty if the program decides.
    text: String,
    origin: ValueOrigin,
}

/// Settings and active keys.
#[derive(Debug, Clone)]
pub struct Config {
    values: Vec<ConfigValue>,
    /// Path of the file, for messages; empty if there is none.
    path: String,
    /// The active keys, built when needed: the built-in table takes longer to read than a small
    /// file.
    keymap: OnceCell<Keymap>,
}

impl Default for Config {
    fn default() -> Self {
        let value = |def: &SettingDef| ConfigValue {
            text: def.default.to_owned(),
            origin: ValueOrigin::Default,
        };
        Self {
            values: SETTINGS.iter().map(value).collect(),
            path: String::new(),
            keymap: OnceCell::new(),
        }
    }
}

impl Config {
    /// Reads the text of a config file. `path` is for messages. Invalid entries are skipped and
    /// reported.
    pub fn read(path: &str, file: &str) -> (Self, Vec<String>) {
        let mut config = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        let mut faults = config.apply_file(file);
        faults.sort_by_key(|fault| fault.line);
        let faults = faults.into_iter().map(|fault| format!("{path}: {fault}"));
        (config, faults.collect())
    }

    fn apply_file(&mut self, file: &str) -> Vec<TomlFault> {
        let entries = match toml_file::entries(file) {
            Ok(entries) => entries,
            Err(fault) => return vec![fault],
        };
        let mut faults = Vec::new();
        let own = |name: &str| entries.iter().find(|entry| entry.name == name);
        let (keys, commands) = (own(KEYS), own(COMMANDS));
        if keys.or(commands).is_some() {
            let (keymap, wrong) = Keymap::with_changes(keys, commands);
            self.keymap = OnceCell::from(keymap);
            faults.extend(wrong);
        }
        for entry in &entries {
            if entry.name == KEYS || entry.name == COMMANDS {
                continue;
            }
            match read_entry(entry) {
                Ok((key, text)) => {
                    self.set(key, text, ValueOrigin::File(entry.line()));
                }
                Err(fault) => faults.push(fault),
            }
        }
        faults
    }

    /// Applies command-line options, which override everything else.
    pub fn with_flags(mut self, flags: Vec<(ConfigKey, String)>) -> Self {
        for (key, text) in flags {
            let flag = key.def().flag.unwrap_or_default();
            self.set(key, text, ValueOrigin::Flag(flag));
        }
        self
    }

    /// Resets a setting to its default after an error.
    pub fn unset(&mut self, key: ConfigKey) {
        self.set(key, key.def().default.to_owned(), ValueOrigin::Default);
    }

    /// Returns the active keys.
    pub fn keymap(&self) -> &Keymap {
        self.keymap.get_or_init(Keymap::default)
    }

    fn set(&mut self, key: ConfigKey, text: String, origin: ValueOrigin) {
        self.values[key as usize] = ConfigValue { text, origin };
    }

    /// Returns the value as typed; `None` if the program decides.
    pub fn text(&self, key: ConfigKey) -> Option<&str> {
        let text = &self.values[key as usize].text;
        (!text.is_empty()).then_some(text)
    }

    /// True if the setting is `true`.
    pub fn is_on(&self, key: ConfigKey) -> bool {
        self.text(key) == Some("true")
    }

    /// Returns the number; `None` if the program decides.
    pub fn count(&self, key: ConfigKey) -> Option<u32> {
        self.text(key)?.parse().ok()
    }

    /// Returns the origin of a value.
    pub fn origin(&self, key: ConfigKey) -> ValueOrigin {
        self.values[key as usize].origin
    }

    /// Describes where a value is set, for messages.
    pub fn place(&self, key: ConfigKey) -> String {
        let name = key.def().name;
        match self.origin(key) {
            ValueOrigin::Default => name.to_owned(),
            ValueOrigin::File(line) => format!("{}: line {line}, key {name}", self.path),
            ValueOrigin::Flag(flag) => flag.to_owned(),
        }
    }
}

/// Parses an entry of the file: the setting, and its value as typed.
fn read_entry(entry: &TomlEntry<'_>) -> Result<(ConfigKey, String), TomlFault> {
    let found = ConfigKey::ALL
        .iter()
        .find(|key| key.def().name == entry.name);
    let Some(&key) = found else {
        let names = SETTINGS.iter().map(|def| def.name);
        return Err(entry.unknown("setting", names.chain([KEYS, COMMANDS])));
    };
    let def = key.def();
    let expected = def.kind.expected();
    let text = match def.kind {
        Bool => entry.read_as::<bool>(&expected)?.to_string(),
        Count => entry.read_as::<u32>(&expected)?.to_string(),
        Text => entry.read_as(&expected)?,
        Word(_) if entry.is_text() => entry.read_as(&expected)?,
        // A number of colours.
        Word(_) => entry.read_as::<u32>(&expected)?.to_string(),
    };
    match def.kind {
        Word(words) if !words.contains(&&*text) => {
            Err(entry.fault(unknown_name("value", &text, words.iter().copied())))
        }
        Text if text.trim().is_empty() => Err(entry.fault(format!("expected {expected}"))),
        _ => Ok((key, text)),
    }
}

#[cfg(test)]
mod tests;
