//! `[commands]` of the config file: user commands and their keys.

use std::sync::Arc;

use serde::Deserialize;

use super::key::sequence;
use super::table::{Change, INVALID};
use crate::app::{COMMANDS, Context, KeyTask, UserCommand};
use crate::toml_file::{TomlEntry, TomlFault};

/// A command with options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandTable {
    run: Vec<String>,
    key: Option<String>,
    help: Option<String>,
}

/// Reads the commands of the table and their keys. Invalid ones are skipped and reported.
pub(super) fn read<'t>(
    table: &TomlEntry<'t>,
    faults: &mut Vec<TomlFault>,
) -> (Vec<Arc<UserCommand>>, Vec<Change<'t>>) {
    let entries = table.entries().map_err(|fault| faults.push(fault));
    let (mut commands, mut keys) = (Vec::new(), Vec::new());
    for entry in entries.into_iter().flatten() {
        match read_command(&entry) {
            Ok((command, key)) => {
                commands.push(command);
                keys.extend(key);
            }
            Err(fault) => faults.push(fault),
        }
    }
    (commands, keys)
}

fn read_command<'t>(
    entry: &TomlEntry<'t>,
) -> Result<(Arc<UserCommand>, Option<Change<'t>>), TomlFault> {
    let name = &entry.name;
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.chars().all(is_sign) {
        let what = "command names begin with a letter and contain only letters, digits, - and _";
        return Err(entry.fault(what));
    }
    if COMMANDS.iter().any(|command| command.name == name) {
        let what = format!("`:{name}` is a built-in command; choose another name");
        return Err(entry.fault(what));
    }
    let table = if entry.is_list() {
        CommandTable {
            run: entry.read_as("a program and its arguments, each in quotes")?,
            key: None,
            help: None,
        }
    } else {
        entry.read()?
    };
    if table
        .run
        .first()
        .is_none_or(|program| program.trim().is_empty())
    {
        let what = "expected a program and its arguments, such as [\"wc\", \"-w\"]";
        return Err(entry.fault(what));
    }
    if table.run.iter().any(|word| word.contains('\0')) {
        return Err(entry.fault("arguments cannot contain the character U+0000"));
    }
    let key = match table.key {
        None => None,
        Some(spelled) => {
            let own = entry
                .entries()?
                .into_iter()
                .find(|own| own.name == "key")
                .unwrap_or_else(|| entry.clone());
            let keys = sequence(&spelled).ok_or_else(|| own.fault(INVALID))?;
            let task = KeyTask::Command(name.as_str().into());
            Some(Change::of(own, (Some(Context::Read), keys), Some(task))?)
        }
    };
    let command = UserCommand {
        name: name.clone(),
        run: table.run,
        help: table.help.unwrap_or_default(),
    };
    Ok((Arc::new(command), key))
}
