//! Options of other subcommands that one cannot take: its help does not offer them, and whoever types
//! one is told why.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error};

/// Options, as they are typed without their dashes, that a subcommand refuses for a reason.
struct RefusedOptions {
    subcommand: &'static str,
    options: &'static [&'static str],
    why: &'static str,
}

const REFUSED: [RefusedOptions; 3] = [
    RefusedOptions {
        subcommand: "diff",
        options: &["with", "against", "on"],
        why: "diff compares two files by what each says alone; leave it out: visavis diff OLD NEW",
    },
    RefusedOptions {
        subcommand: "sql",
        options: &["with", "against", "on"],
        why: "a statement matches no rows of several files; leave it out, or ask visavis itself: count, list, export",
    },
    RefusedOptions {
        subcommand: "sql",
        options: &["rows-at"],
        why: "no engine reads a list within a document as rows; write them as lines first: visavis export '' FILE --rows-at PATH -o rows.jsonl",
    },
];

/// The same command, which reads what it refuses: clap would take it for a slip, and advise to pass it
/// on as the name of a file. For reading a command line alone: scripts of completions list what is
/// hidden too.
pub(super) fn reading_refused(command: Command) -> Command {
    REFUSED.iter().fold(command, |command, refused| {
        command.mut_subcommand(refused.subcommand, |subcommand| {
            let options = refused.options.iter();
            let options = options.map(|option| {
                let option = Arg::new(*option).long(*option).hide(true);
                option.action(ArgAction::Append).num_args(0..=1)
            });
            subcommand.args(options)
        })
    })
}

/// What to say of a command line with such an option in it.
pub(super) fn refusal(command: &mut Command, matches: &ArgMatches) -> Option<Error> {
    let (name, typed) = matches.subcommand()?;
    let of_this = REFUSED.iter().filter(|refused| refused.subcommand == name);
    let mut options = of_this.flat_map(|refused| {
        let options = refused.options.iter();
        options.map(|option| (*option, refused.why))
    });
    let (option, why) = options.find(|(option, _)| typed.contains_id(option))?;
    let subcommand = command.find_subcommand_mut(name)?;
    Some(subcommand.error(ErrorKind::UnknownArgument, format!("--{option}: {why}")))
}
