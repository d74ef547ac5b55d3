//! A misspelt subcommand: without a word it would be taken for a file that is not there.

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Command, Error};

use super::order::first_word;

/// What other programs have a subcommand for, and this one an option.
const HELP: &str = "help";
/// Letters of a name that say which is meant.
const BEGINNING: usize = 3;

/// Gives the one of some names that is spelled most like what was typed, if one is.
pub type NearestName = for<'n> fn(&str, &[&'n str]) -> Option<&'n str>;

/// What to say of a command line whose first word is no file, but much like a subcommand.
pub(super) fn misspelt_subcommand(
    command: &Command,
    arguments: &[OsString],
    nearest: NearestName,
) -> Option<Error> {
    let typed = first_word(command, arguments)?;
    let is_name = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_name || command.find_subcommand(typed).is_some() || Path::new(typed).exists() {
        return None;
    }
    let meant = match nearest_subcommand(command, &typed.to_lowercase(), nearest)? {
        HELP => "type `visavis --help`, or `visavis guide` for the manual".to_owned(),
        near => format!("did you mean `visavis {near}`?"),
    };
    let said = format!("there is neither a subcommand nor a file called {typed}; {meant}");
    Some(command.clone().error(ErrorKind::InvalidSubcommand, said))
}

/// The subcommand that begins so or is spelled much like it. What is like it by chance is more often
/// the name of a file, of which something else is to be said.
fn nearest_subcommand<'c>(
    command: &'c Command,
    typed: &str,
    nearest: NearestName,
) -> Option<&'c str> {
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
    let mut names: Vec<_> = shown.map(Command::get_name).collect();
    names.push(HELP);
    let begins = |name: &&&str| typed.len() >= BEGINNING && name.starts_with(typed);
    let begun = names.iter().find(begins).copied();
    begun.or_else(|| nearest(typed, &names))
}
