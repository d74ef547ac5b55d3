//! Options that stand before a subcommand: they mean what they mean behind it.

use std::ffi::{OsStr, OsString};

use clap::{ArgAction, Command};

/// Puts options that stand before a subcommand behind all that is its own, where clap reads them:
/// `visavis --theme light audit FILE`. Not right behind its name: there a query stands, which may
/// begin with a `-`. Whoever means a file that is called like a subcommand writes `./audit`, as
/// behind no option.
pub(super) fn subcommand_first(command: &Command, arguments: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = subcommand(command, &arguments) else {
        return arguments;
    };
    let mut arguments = arguments;
    let own = arguments.split_off(at);
    let options = arguments.split_off(1);
    let end = own
        .iter()
        .position(|argument| argument == "--")
        .unwrap_or(own.len());
    let (before, behind) = own.split_at(end);
    arguments.extend_from_slice(before);
    arguments.extend(options);
    arguments.extend_from_slice(behind);
    arguments
}

/// Where the subcommand stands behind nothing but options; `None` where it stands first already, or
/// there is none.
fn subcommand(command: &Command, arguments: &[OsString]) -> Option<usize> {
    let (at, word) = first(command, arguments)?;
    let is_named = command.get_subcommands().any(|it| it.get_name() == word);
    (is_named && at > 1).then_some(at)
}

/// The first word that is no option and no value of one.
pub(super) fn first_word<'a>(command: &Command, arguments: &'a [OsString]) -> Option<&'a str> {
    first(command, arguments).map(|(_, word)| word)
}

/// The first word that is no option, with its place.
fn first<'a>(command: &Command, arguments: &'a [OsString]) -> Option<(usize, &'a str)> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        let argument = argument.to_str()?;
        if !argument.starts_with('-') {
            return Some((at, argument));
        }
        // A value stands behind its option, or in it.
        let (name, value) = argument
            .split_once('=')
            .map_or((argument, None), |(name, value)| (name, Some(value)));
        let takes_value = takes_value(command, name.strip_prefix("--")?)?;
        at += if takes_value && value.is_none() { 2 } else { 1 };
    }
    None
}

/// Whether an option takes the word behind it for its value; `None` for one that is not known.
fn takes_value(command: &Command, long: &str) -> Option<bool> {
    let option = command
        .get_arguments()
        .find(|it| it.get_long().is_some_and(|own| OsStr::new(own) == long))?;
    let takes_one = matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
    Some(takes_one && !option.is_require_equals_set())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::{Cli, CliCommand};
    use super::*;

    #[test]
    fn options_before_a_subcommand_stand_behind_it() {
        for (typed, read) in [
            (
                "--theme light audit x.jsonl --seed 3",
                "audit x.jsonl --seed 3 --theme light",
            ),
            (
                "--theme=light --ascii count is:tie x",
                "count is:tie x --theme=light --ascii",
            ),
            (
                "--reviewer ann --blind audit x",
                "audit x --reviewer ann --blind",
            ),
            (
                "--schema s.toml count is:tie -- -x",
                "count is:tie --schema s.toml -- -x",
            ),
            // These stay as they are: a file's name, a value, what is no option, and what is first
            // already.
            ("--theme light x.jsonl audit", "--theme light x.jsonl audit"),
            ("--reviewer audit x.jsonl", "--reviewer audit x.jsonl"),
            ("--ascii -- audit", "--ascii -- audit"),
            ("--nonsense audit x", "--nonsense audit x"),
            ("audit --theme light x", "audit --theme light x"),
            ("- audit", "- audit"),
            ("", ""),
        ] {
            let arguments = std::iter::once("visavis")
                .chain(typed.split_whitespace())
                .map(OsString::from)
                .collect();
            let expected: Vec<_> = std::iter::once("visavis")
                .chain(read.split_whitespace())
                .map(OsString::from)
                .collect();
            assert_eq!(
                subcommand_first(&Cli::command(), arguments),
                expected,
                "{typed}"
            );
        }
    }

    #[test]
    fn an_option_before_a_subcommand_is_no_query() {
        let read = |typed: &str| {
            Cli::of(
                std::iter::once("visavis")
                    .chain(typed.split_whitespace())
                    .map(OsString::from)
                    .collect(),
                |_, _| None,
            )
        };
        let cli = read("--schema helpsteer2 count is:tie x").expect("a command");
        let Some(CliCommand::Count(args)) = cli.command else {
            panic!("a count")
        };
        assert_eq!(args.selection.query, "is:tie");
        assert_eq!(args.selection.data.files.len(), 1);
        // What a subcommand does not have is named.
        let error = read("--theme light count is:tie x")
            .expect_err("no such option")
            .to_string();
        assert!(error.contains("unexpected argument '--theme'"), "{error}");
    }
}
