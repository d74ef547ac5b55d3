//! Output of subcommands: styled pages on a terminal, plain bytes in a file or pipe.

use std::io::{self, BufWriter, IsTerminal, Seek, Write, stdout};

use crossterm::style::{ContentStyle, PrintStyledContent, StyledContent};
use ratatui::backend::IntoCrossterm;
use ratatui::style::{Color, Style};
use tempfile::SpooledTempFile;

use crate::answer::Answer;
use crate::dataset::Dataset;
use crate::export::{ExportError, SanitisingWriter};
use crate::run::{Failure, environment, ignore_closed_pipe};
use crate::text::{self, Hidden, StyledText, TextStyle};
use crate::ui::{ColorDepth, Glyphs, Preset, Theme};

/// Width of text in a file or pipe, in columns.
const PLAIN_WIDTH: u16 = 80;
/// Width of a table in a file or pipe, in columns.
const TABLE_WIDTH: u16 = 120;

/// Bytes of an answer that are held in memory; a longer one goes through a temporary file.
const ANSWER_IN_MEMORY: usize = 16 << 20;

/// Maximum width of text on a terminal; longer lines are hard to read.
const WIDEST: u16 = 120;

/// Lays out an answer as lines: plain for a file or pipe, styled for a terminal that supports it.
pub(super) fn render_answer(answer: &Answer) -> String {
    let room = usize::from(page_width());
    render_styled(|glyphs| answer.laid(room, glyphs).text)
}

/// Lays out an answer like [`render_answer`], but for a file or pipe each row of a table as a line.
pub(super) fn render_rows(answer: &Answer) -> String {
    match stdout().is_terminal() {
        true => render_answer(answer),
        false => answer.text(),
    }
}

/// Lays out plain text, wrapping long lines.
pub(super) fn render_plain(text: &str) -> String {
    render_styled(|_| StyledText::plain(text::sanitise(text, Hidden::Named)))
}

/// Returns the width of a table in cells: that of the terminal, or [`TABLE_WIDTH`].
pub(super) fn table_width() -> usize {
    usize::from(width_or(TABLE_WIDTH))
}

/// Returns the width of the terminal, or `plain` if standard output is not a terminal.
fn width_or(plain: u16) -> u16 {
    match crossterm::terminal::size() {
        Ok((width, _)) if stdout().is_terminal() && width > 0 => width,
        _ => plain,
    }
}

/// Returns the width of a page of text in cells.
fn page_width() -> u16 {
    width_or(PLAIN_WIDTH).min(WIDEST)
}

fn render_styled(block: impl FnOnce(text::TextGlyphs) -> StyledText) -> String {
    let is_terminal = stdout().is_terminal();
    let width = page_width();
    let is_ascii = is_terminal && Glyphs::detect(&environment) == Glyphs::ASCII;
    let theme = (is_terminal && supports_escapes()).then(theme);
    let glyphs = if is_ascii {
        text::TextGlyphs::ASCII
    } else {
        text::TextGlyphs::UNICODE
    };
    let block = block(text::TextGlyphs {
        heading_signs: theme.is_none(),
        ..glyphs
    });
    // Lines of code are not wrapped, so that commands can be copied; the terminal wraps them
    // itself.
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
                Some(style) if style != Style::default() => push_styled(&mut row, piece, style),
                _ => row.push_str(piece),
            }
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

/// True if the terminal supports escape sequences.
fn supports_escapes() -> bool {
    environment("TERM").is_some_and(|term| !matches!(term.as_str(), "" | "dumb"))
}

/// Returns attributes and, unless colours are disabled, two of the terminal's 16 colours that are
/// legible on dark and on light. The background is not queried, because the terminal's response
/// could end up in the input of the shell.
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

fn push_styled(row: &mut String, piece: &str, style: Style) {
    let style: ContentStyle = style.into_crossterm();
    let content = PrintStyledContent(StyledContent::new(style, piece));
    // Writing to a string cannot fail.
    let _ = crossterm::Command::write_ansi(&content, row);
}

/// Writes text of our own or an answer, whose cells are sanitised, with its escape sequences to
/// standard output. The reader may close the pipe early. Use [`print_bytes`] for other text that
/// quotes files.
pub(super) fn put(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .or_else(ignore_closed_pipe)
}

/// Writes bytes to standard output. The reader may close the pipe early.
///
/// # Errors
/// If writing fails.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    with_stdout(|out| out.write_all(bytes).and_then(|()| out.flush())).or_else(ignore_closed_pipe)
}

/// Writes an answer onto standard output that is made by reading rows again: all of it if the files
/// are unchanged when it is complete, otherwise nothing. The reader may stop early.
///
/// # Errors
/// If it cannot be made, a file changed meanwhile, or standard output takes no more.
pub(super) fn put_if_unchanged<T>(
    dataset: &Dataset,
    make: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, Failure> {
    let mut answer = SpooledTempFile::new(ANSWER_IN_MEMORY);
    let mut buffered = BufWriter::with_capacity(1 << 16, &mut answer);
    let made = make(&mut buffered).or_else(|error| {
        // Rows of a changed file may be unreadable; then the change is the reason.
        dataset.check_unchanged()?;
        Err(Failure::from(error))
    })?;
    buffered.flush().map_err(ExportError::Output)?;
    drop(buffered);
    dataset.check_unchanged()?;
    answer.rewind().map_err(ExportError::Output)?;
    with_stdout(|out| io::copy(&mut answer, out).and_then(|_| out.flush()))
        .or_else(ignore_closed_pipe)?;
    Ok(made)
}

/// Gives `write` standard output: unchanged for a file or pipe, sanitised for a terminal.
pub(super) fn with_stdout<T>(write: impl FnOnce(&mut dyn Write) -> T) -> T {
    let out = stdout();
    // The standard library's buffer is flushed at each line.
    let mut buffered = BufWriter::with_capacity(1 << 16, out.lock());
    if stdout().is_terminal() {
        write(&mut SanitisingWriter::new(buffered))
    } else {
        write(&mut buffered)
    }
}
