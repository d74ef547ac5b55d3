//! A misspelt subcommand: without a word it would be taken for a file that is not there.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use super::order::first_word;

/// What to say of a command line whose first word is no file, but much like a subcommand.
pub(super) fn misspelt_subcommand(command: &Command, arguments: &[OsString]) -> Option<Error> {
    let typed = first_word(command, arguments)?;
    let is_name = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_name || command.find_subcommand(typed).is_some() || Path::new(typed).exists() {
        return None;
    }
    let near = nearest_subcommand(command, typed)?;
    let said = format!(
        "there is neither a subcommand nor a file called {typed}; did you mean `visavis {near}`?"
    );
    Some(command.clone().error(ErrorKind::InvalidSubcommand, said))
}

/// The subcommand that clap would suggest if no files could be named in its place.
fn nearest_subcommand(command: &Command, typed: &str) -> Option<String> {
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
    let bare = Command::new("visavis").subcommands(shown.cloned());
    let error = bare.try_get_matches_from(["visavis", typed]).err()?;
    match error.get(ContextKind::SuggestedSubcommand)? {
        // The likeliest one stands last.
        ContextValue::Strings(near) => near.last().cloned(),
        ContextValue::String(near) => Some(near.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;
    use super::*;

    #[test]
    fn what_is_like_a_subcommand_is_told() {
        for (typed, near) in [
            ("chek train.jsonl", Some("check")),
            ("exprot '' x.jsonl --to trl", Some("export")),
            ("--theme light lst x.jsonl", Some("list")),
            ("stat --only counts", Some("stats")),
            ("schema", Some("schemas")),
            ("complete", Some("completions")),
            // These are files, or like nothing.
            ("check", None),
            ("lists.jsonl", None),
            ("./chek", None),
            ("src", None),
            ("-- chek", None),
            ("--reviewer chek x.jsonl", None),
            ("wxyz", None),
            ("", None),
        ] {
            let arguments: Vec<_> = std::iter::once("visavis")
                .chain(typed.split_whitespace())
                .map(OsString::from)
                .collect();
            let said = misspelt_subcommand(&Cli::command(), &arguments);
            let said = said.map(|error| error.to_string());
            match near {
                None => assert_eq!(said, None, "{typed}"),
                Some(near) => {
                    let said = said.expect(typed);
                    let asked = format!("did you mean `visavis {near}`?");
                    assert!(said.contains(&asked), "{typed}: {said}");
                }
            }
        }
    }
}
