//! The man page: clap's sections, with subcommands, keys and files from the program's own tables.

use std::fmt::Write as _;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::output::put;
use super::{Cli, Sources};
use crate::guide;
use crate::keymap::KeyRow;
use crate::run::Failure;

/// Print the man page
#[derive(Debug, Args)]
pub struct ManArgs {}

impl ManArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let files = guide::find("files").map_err(Failure::usage)?;
        let keys = sources.config().keymap().rows();
        put(&page(Cli::command(), &keys, files.source).map_err(Failure::runtime)?)
    }
}

/// Returns the page in roff. `files` is the guide page that lists the files which are written.
///
/// # Errors
/// If clap cannot render a section.
fn page(command: Command, keys: &[KeyRow], files: &str) -> std::io::Result<String> {
    let subcommands = subcommands(&command);
    let man = Man::new(command);
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    let mut page = String::from_utf8_lossy(&out).into_owned();
    page += &subcommands;
    page += &keys_section(keys);
    page += &files_section(files);
    page += ".SH \"SEE ALSO\"\n";
    page += &escape_line(
        "visavis guide lists the guide pages, visavis guide TOPIC prints one; ? and Enter open them in the program. visavis COMMAND --help describes a subcommand.",
    );
    Ok(page)
}

fn subcommands(command: &Command) -> String {
    let mut out = String::from(".SH SUBCOMMANDS\n");
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        let about = one.get_about().map(ToString::to_string).unwrap_or_default();
        out += &entry(&format!("visavis {}", one.get_name()), &about);
    }
    out
}

fn keys_section(keys: &[KeyRow]) -> String {
    let (mut out, mut group) = (String::from(".SH KEYS\n"), "");
    for row in keys {
        if row.group != group {
            group = &row.group;
            let _ = writeln!(out, ".SS \"{}\"", escape(group));
        }
        out += &entry(&row.keys, &row.help);
    }
    out
}

/// Converts the rows of the first table of a guide page to entries.
fn files_section(page: &str) -> String {
    let mut out = String::from(".SH FILES\n");
    let rows = page.lines().filter(|line| line.starts_with('|')).skip(2);
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").collect();
        if let [file, by] = cells[..] {
            out += &entry(&strip_markdown(file), &strip_markdown(by));
        }
    }
    out
}

/// Removes Markdown's code spans and links.
fn strip_markdown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim();
    while let Some((before, tail)) = rest.split_once('[') {
        out += before;
        let link = tail.split_once("](");
        match link.and_then(|(words, target)| Some((words, target.split_once(')')?.1))) {
            Some((words, after)) => {
                out += words;
                rest = after;
            }
            None => {
                out.push('[');
                rest = tail;
            }
        }
    }
    (out + rest).replace('`', "")
}

/// Formats a term with its definition.
fn entry(term: &str, means: &str) -> String {
    format!(".TP\n\\fB{}\\fR\n{}", escape(term), escape_line(means))
}

/// Escapes a line of text so that it cannot start with a macro.
fn escape_line(text: &str) -> String {
    let text = escape(text);
    let guard = if text.starts_with(['.', '\'']) {
        "\\&"
    } else {
        ""
    };
    format!("{guard}{text}\n")
}

/// Escapes text so that it contains no roff requests.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\\' => out += "\\e",
            '-' => out += "\\-",
            '\'' => out += "\\(aq",
            '"' => out += "\\(dq",
            '`' => out += "\\(ga",
            '^' => out += "\\(ha",
            '~' => out += "\\(ti",
            '\n' => out.push(' '),
            sign => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        for (text, roff) in [
            (".so /etc/passwd", "\\&.so /etc/passwd\n"),
            ("'tis \\fB", "\\(aqtis \\efB\n"),
            ("^c ~/x \"y\"", "\\(hac \\(ti/x \\(dqy\\(dq\n"),
            ("two\nlines", "two lines\n"),
        ] {
            assert_eq!(escape_line(text), roff, "{text}");
        }
    }

    #[test]
    fn a_guide_table_becomes_entries() {
        let page = "# Files\n\n| file | written by |\n|---|---|\n| the [journal](journal.md), `x.torn` | judging |\n";
        assert_eq!(
            files_section(page),
            ".SH FILES\n.TP\n\\fBthe journal, x.torn\\fR\njudging\n"
        );
    }
}
