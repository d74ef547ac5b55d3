//! `visavis guide` and `visavis keys`: pages of the manual and the table of keys, onto standard
//! output.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write, stdout};

use crossterm::style::{ContentStyle, PrintStyledContent, StyledContent};
use ratatui::backend::IntoCrossterm;
use ratatui::style::{Color, Style};

use super::frame::closed_pipe;
use super::{Failed, environment};
use crate::cli::{Cli, CompletedName};
use crate::commands;
use crate::dataset::Loader;
use crate::guide;
use crate::keymap::{KeyRow, Keymap};
use crate::schema::SchemaChoice;
use crate::text::{self, Hidden, StyledText, TextStyle};
use crate::ui::{ColorDepth, Glyphs, Preset, Theme};

/// Columns of a text that goes into a file or a pipe.
const PLAIN_WIDTH: u16 = 80;

/// Columns of a terminal beyond which lines of text are hard to read.
const WIDEST: u16 = 120;

/// Prints a page of the manual, or the list of topics.
pub(super) fn guide(topic: Option<&str>) -> Result<(), Failed> {
    match topic {
        None => put(&topics()),
        Some(name) => {
            let page = guide::find(name).map_err(Failed::usage)?.markdown();
            put(&laid_out(&page))
        }
    }
}

/// Prints the table of keys and commands: where they hold, the keys, and what they do.
pub(super) fn keys(keymap: &Keymap) -> Result<(), Failed> {
    put(&keys_table(keymap))
}

/// Prints the page for man.
pub(super) fn man(keymap: &Keymap) -> Result<(), Failed> {
    let files = guide::find("files").map_err(Failed::usage)?;
    let page = Cli::man(&keymap.rows(), files.source).map_err(Failed::on_the_way)?;
    put(&page)
}

/// Prints names for a script of completions, a line each.
pub(super) fn names(what: CompletedName, loader: &Loader) -> Result<(), Failed> {
    let names: Vec<String> = match what {
        CompletedName::Fields => commands::fields(loader).map_err(Failed::usage)?,
        CompletedName::Topics => {
            let topics = guide::topics().into_iter();
            topics.map(|topic| topic.name.to_owned()).collect()
        }
        CompletedName::Schemas => match &loader.choice {
            SchemaChoice::Detect(catalog) => catalog
                .iter()
                .map(|known| known.name().to_owned())
                .collect(),
            _ => Vec::new(),
        },
    };
    // What a file calls its fields may not control a shell's terminal.
    let line = |name: &String| text::one_line(name, usize::from(WIDEST)) + "\n";
    put(&names.iter().map(line).collect::<String>())
}

fn topics() -> String {
    let topics = guide::topics();
    let width = topics
        .iter()
        .map(|topic| topic.name.len())
        .max()
        .unwrap_or(0);
    let mut out = String::from(
        "visavis guide TOPIC prints a page of the manual; ? and Enter show it inside the program.\n\n",
    );
    for topic in topics {
        let _ = writeln!(out, "  {:width$}  {}", topic.name, topic.summary);
    }
    out
}

fn keys_table(keymap: &Keymap) -> String {
    let rows = keymap.rows();
    let widest = |text: &dyn Fn(&KeyRow) -> &str| {
        rows.iter()
            .map(|row| text::width(text(row)))
            .max()
            .unwrap_or(0)
    };
    let (place_width, keys_width) = (widest(&|row| row.place), widest(&|row| &row.keys).min(22));
    let (mut out, mut group) = (String::new(), String::new());
    for row in &rows {
        if row.group != group {
            group.clone_from(&row.group);
            let gap = if out.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{gap}{group}");
        }
        let blanks = " ".repeat(keys_width.saturating_sub(text::width(&row.keys)));
        let _ = writeln!(
            out,
            "  {:place_width$}  {}{blanks}  {}",
            row.place, row.keys, row.help
        );
    }
    out
}

/// A page as lines: plain for a file or a pipe, with colours for a terminal that has some.
pub(super) fn laid_out(markdown: &str) -> String {
    laid_out_by(|glyphs| StyledText::markdown(text::sanitise(markdown, Hidden::Discreet), glyphs))
}

/// A text as lines, as it stands but for lines that are too long.
pub(super) fn laid_out_plain(text: &str) -> String {
    laid_out_by(|_| StyledText::plain(text::sanitise(text, Hidden::Named)))
}

fn laid_out_by(block: impl FnOnce(text::TextGlyphs) -> StyledText) -> String {
    let is_terminal = stdout().is_terminal();
    let width = match crossterm::terminal::size() {
        Ok((width, _)) if is_terminal && width > 0 => width.min(WIDEST),
        _ => PLAIN_WIDTH,
    };
    let is_ascii = is_terminal && Glyphs::detect(&environment) == Glyphs::ASCII;
    let glyphs = match (is_terminal, is_ascii) {
        (true, true) => text::TextGlyphs::ASCII,
        (true, false) => text::TextGlyphs::UNICODE,
        // In a file a padded table stays Markdown.
        (false, _) => text::TextGlyphs {
            rule: "-",
            ..text::TextGlyphs::UNICODE
        },
    };
    let block = block(glyphs);
    let theme = (is_terminal && has_attributes()).then(theme);
    // A command is copied as it stands, and the terminal breaks lines itself: they are a line for each
    // paragraph.
    let unbroken = text::wrap(&block, u16::MAX);
    let (mut out, mut before) = (String::new(), None);
    for mut line in text::wrap(&block, width) {
        let is_first = before.replace(line.paragraph) != Some(line.paragraph);
        let mut pieces = block.pieces(&line);
        if pieces.any(|(_, style)| style.contains(TextStyle::CODE_BLOCK)) {
            let whole = unbroken.get(line.paragraph as usize);
            match whole.filter(|_| is_first) {
                Some(whole) => line = whole.clone(),
                None => continue,
            }
        }
        let mut row = String::new();
        for (piece, style) in block.pieces(&line) {
            match theme.as_ref().map(|theme| theme.style(style)) {
                Some(style) if style != Style::default() => styled(&mut row, piece, style),
                _ => row.push_str(piece),
            }
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

/// Whether the terminal takes escape sequences at all.
fn has_attributes() -> bool {
    environment("TERM").is_some_and(|term| !matches!(term.as_str(), "" | "dumb"))
}

/// Attributes and, unless no colours are wanted, two of the terminal's own 16, which can be read on
/// a dark and on a light screen: the background is not asked for, since the terminal's answer would
/// come among what is typed for the shell.
fn theme() -> Theme {
    let plain = Theme::load(Preset::Plain, ColorDepth::None);
    if ColorDepth::detect(&environment) == ColorDepth::None {
        return plain;
    }
    Theme {
        code: Style::new().fg(Color::Cyan),
        heading: plain.heading.fg(Color::Blue),
        ..plain
    }
}

fn styled(row: &mut String, piece: &str, style: Style) {
    let style: ContentStyle = style.into_crossterm();
    let content = PrintStyledContent(StyledContent::new(style, piece));
    // Writing into a string does not fail.
    let _ = crossterm::Command::write_ansi(&content, row);
}

/// Writes a page of the program's own, with its colours, onto whatever it is; whoever reads us may stop
/// reading. Whatever quotes a file is written by [`put_bytes`](super::subcommands::put_bytes).
pub(super) fn put(text: &str) -> Result<(), Failed> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .or_else(closed_pipe)
}
