//! The configuration as a file: a template, and the effective settings.

use super::{Config, ConfigKey, SETTINGS, SettingKind};
use crate::text::folded;
use crate::toml_file::quoted;

/// Maximum columns of a comment in the file.
const WIDTH: usize = 96;

/// The text above the settings.
const HEAD: &str = "\
# Settings of visavis. Save this as ~/.config/visavis/config.toml and remove the # before each line that
# you change. Lines show the default or an example. Command-line options override this file.
# visavis config prints the effective settings.
";

/// The text below the settings.
const KEYS: &str = "
# Keys: changes to those that visavis keys lists. The value is an action (visavis guide config lists them),
# a command line that begins with a colon, or false to unbind the key. Tables are named after contexts:
# read, line, menu, panel, rate, note, and everywhere. Write the keys of a sequence one after the other.
#[keys.read]
#\"<f5>\" = \"reload\"
#\"<c-x> m\" = \":sort -margin\"
#\"z\" = false

# Your own commands, such as :words: programs that get the selected sample as JSON on standard input; their
# output is shown. Write a program and its arguments as a list; they do not pass through a shell.
#[commands]
#words = [\"wc\", \"-w\"]
#fields = { run = [\"jq\", \".\"], key = \"<a-j>\", help = \"the sample as JSON\" }
";

/// Returns a template of the config file: every setting with its description, commented out, at its
/// default or with an example.
pub fn template() -> String {
    let mut out = HEAD.to_owned();
    for def in SETTINGS {
        let flag = def.flag.map_or(String::new(), |flag| format!(" {flag}"));
        let names = format!("{}.{flag}", def.help);
        out.push('\n');
        for line in folded(&names, WIDTH, usize::MAX) {
            out.push_str(&format!("# {line}\n"));
        }
        let value = written(def.kind, def.example);
        let instance = if def.default.is_empty() {
            "  # example"
        } else {
            ""
        };
        out.push_str(&format!("#{} = {value}{instance}\n", def.name));
    }
    out + KEYS
}

/// Returns the effective settings as a config file.
pub fn effective(config: &Config) -> String {
    let lines = ConfigKey::ALL.iter().map(|&key| {
        let def = key.def();
        match config.text(key) {
            Some(text) => format!("{} = {}\n", def.name, written(def.kind, text)),
            None => format!("# {}\n", def.name),
        }
    });
    lines.collect::<String>() + &config.keymap().changes_as_toml()
}

/// Formats a value as TOML.
fn written(kind: SettingKind, text: &str) -> String {
    match kind {
        SettingKind::Bool | SettingKind::Count => text.to_owned(),
        SettingKind::Word(_) | SettingKind::Text => quoted(text),
    }
}
