//! What clap does not do: options before a subcommand, suggestions for misspelled subcommands, and
//! reasons why an option is rejected.

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Command, Error, Parser};

use super::{Cli, texts};
use crate::text::nearest;

/// A subcommand of other programs that is an option here.
const HELP: &str = "help";
/// Minimum length of a prefix that identifies a subcommand.
const MIN_PREFIX: usize = 3;

/// Moves options before a subcommand to the end, where clap accepts them:
/// `visavis --theme light audit FILE`. They cannot follow the name directly, because a query there
/// may begin with `-`. To open a file named like a subcommand, write `./audit`.
///
/// # Errors
/// If the first word is a misspelled subcommand, which clap would take for a file.
pub(super) fn subcommand_first(
    command: &Command,
    mut arguments: Vec<OsString>,
) -> Result<Vec<OsString>, Error> {
    let Some((at, word)) = first_word(&arguments) else {
        return Ok(arguments);
    };
    if command.find_subcommand(word).is_none() {
        return suggest_subcommand(command, word).map_or(Ok(arguments), Err);
    }
    let end = arguments.iter().position(|word| word == "--");
    let end = end.unwrap_or(arguments.len());
    arguments[1..end].rotate_left(at - 1);
    Ok(arguments)
}

/// Returns the first word that is neither an option nor the value of one, with its position.
fn first_word(arguments: &[OsString]) -> Option<(usize, &str)> {
    let words = arguments.iter().enumerate().skip(1);
    let words = words.take_while(|(_, word)| *word != "--");
    let mut words = words.filter_map(|(at, word)| Some((at, word.to_str()?)));
    words.find(|(at, word)| {
        !word.starts_with('-') && (*at == 1 || has_only_options(&arguments[..*at]))
    })
}

/// True if these arguments contain only options.
fn has_only_options(arguments: &[OsString]) -> bool {
    match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.files.is_empty() && cli.command.is_none(),
        Err(error) => error.kind() == ErrorKind::MissingRequiredArgument,
    }
}

/// Returns an error for a word that is not a file but resembles a subcommand. Words with other
/// characters than letters are taken for file names.
fn suggest_subcommand(command: &Command, typed: &str) -> Option<Error> {
    let is_name = typed.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_name || typed.is_empty() || Path::new(typed).exists() {
        return None;
    }
    let word = typed.to_lowercase();
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
    let names: Vec<_> = shown.map(Command::get_name).chain([HELP]).collect();
    let begins = |name: &&str| word.len() >= MIN_PREFIX && name.starts_with(&word);
    let near = names.iter().copied().find(begins);
    let near = near.or_else(|| nearest(&word, names));
    let meant = match near? {
        HELP => texts::TRY_HELP.to_owned(),
        near => texts::did_you_mean(near),
    };
    let message = texts::no_subcommand(typed, meant);
    Some(command.clone().error(ErrorKind::InvalidSubcommand, message))
}

/// Explains an option that other subcommands have and this one cannot have; clap would suggest to
/// pass it as a file name.
pub(super) fn explain_option(command: &mut Command, arguments: &[OsString]) -> Option<Error> {
    let name = arguments.get(1)?.to_str()?;
    let options = arguments.iter().skip(2).take_while(|word| *word != "--");
    let mut options = options.filter_map(|word| word.to_str()?.split('=').next());
    let (option, why) = options.find_map(|option| Some((option, why_not(name, option)?)))?;
    let subcommand = command.find_subcommand_mut(name)?;
    Some(subcommand.error(ErrorKind::UnknownArgument, format!("{option}: {why}")))
}

fn why_not(subcommand: &str, option: &str) -> Option<&'static str> {
    Some(match (subcommand, option) {
        ("diff", "--with" | "--against" | "--on") => texts::DIFF_JOINS,
        ("sql", "--with" | "--against" | "--on") => texts::SQL_JOINS,
        ("sql", "--rows-at") => texts::SQL_ROWS_AT,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::CliCommand;
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_before_a_subcommand_move_after_it() {
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
            // Unchanged: file names, option values, unknown options, and subcommands that come
            // first.
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
            let read = subcommand_first(&Cli::command(), arguments);
            assert_eq!(read.expect("no slip"), expected, "{typed}");
        }
    }

    #[test]
    fn an_option_before_a_subcommand_is_not_a_query() {
        let read = |typed: &str| {
            Cli::of(
                std::iter::once("visavis")
                    .chain(typed.split_whitespace())
                    .map(OsString::from)
                    .collect(),
            )
        };
        let cli = read("--schema helpsteer2 count is:tie x").expect("a command");
        let Some(CliCommand::Count(args)) = cli.command else {
            panic!("a count")
        };
        assert_eq!(args.selection.query, "is:tie");
        assert_eq!(args.selection.data.files.len(), 1);
        // The error names the option that the subcommand does not have.
        let error = read("--theme light count is:tie x")
            .expect_err("no such option")
            .to_string();
        assert!(error.contains("unexpected argument '--theme'"), "{error}");
    }
}
