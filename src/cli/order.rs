//! Options that stand before a subcommand: they mean what they mean behind it.

use std::ffi::{OsStr, OsString};

use clap::{ArgAction, Command};

/// Puts options that stand before a subcommand behind it, where clap reads them: `visavis --theme light audit FILE`. Whoever means a file that is called
/// like a subcommand writes `./audit`, as behind no option.
pub(super) fn subcommand_first(command: &Command, arguments: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = subcommand(command, &arguments) else { return arguments };
    let mut arguments = arguments;
    let named = arguments.remove(at);
    arguments.insert(1, named);
    arguments
}

/// Where the subcommand stands behind nothing but options; `None` where it stands first already, or there is none.
fn subcommand(command: &Command, arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        let argument = argument.to_str()?;
        if !argument.starts_with('-') {
            let is_named = command.get_subcommands().any(|it| it.get_name() == argument);
            return (is_named && at > 1).then_some(at);
        }
        // A value stands behind its option, or in it.
        let (name, value) = argument.split_once('=').map_or((argument, None), |(name, value)| (name, Some(value)));
        let takes_value = takes_value(command, name.strip_prefix("--")?)?;
        at += if takes_value && value.is_none() { 2 } else { 1 };
    }
    None
}

/// Whether an option takes a value; `None` for one that is not known.
fn takes_value(command: &Command, long: &str) -> Option<bool> {
    let option = command.get_arguments().find(|it| it.get_long().is_some_and(|own| OsStr::new(own) == long))?;
    Some(matches!(option.get_action(), ArgAction::Set | ArgAction::Append))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;
    use super::*;

    #[test]
    fn options_before_a_subcommand_stand_behind_it() {
        for (typed, read) in [
            ("--theme light audit x.jsonl --seed 3", "audit --theme light x.jsonl --seed 3"),
            ("--theme=light --ascii count is:tie x", "count --theme=light --ascii is:tie x"),
            ("--reviewer ann --blind audit x", "audit --reviewer ann --blind x"),
            // These stay as they are: a file's name, a value, what is no option, and what is first already.
            ("--theme light x.jsonl audit", "--theme light x.jsonl audit"),
            ("--reviewer audit x.jsonl", "--reviewer audit x.jsonl"),
            ("--ascii -- audit", "--ascii -- audit"),
            ("--nonsense audit x", "--nonsense audit x"),
            ("audit --theme light x", "audit --theme light x"),
            ("- audit", "- audit"),
            ("", ""),
        ] {
            let arguments = std::iter::once("visavis").chain(typed.split_whitespace()).map(OsString::from).collect();
            let expected: Vec<_> =
                std::iter::once("visavis").chain(read.split_whitespace()).map(OsString::from).collect();
            assert_eq!(subcommand_first(&Cli::command(), arguments), expected, "{typed}");
        }
    }
}
