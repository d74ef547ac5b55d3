//! Text that is being typed, one line or several, with its cursor and what can be undone: the only
//! file that names the text editor.

use tui_textarea::{CursorMove, TextArea};

/// How a typed line changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// A character comes before the cursor.
    Insert(char),
    /// The character before the cursor goes.
    Backspace,
    /// The character under the cursor goes.
    Delete,
    /// The word before the cursor goes.
    DeleteWord,
    /// Everything before the cursor goes.
    DeleteToStart,
    /// Everything from the cursor on goes.
    DeleteToEnd,
    /// A character towards the beginning.
    Left,
    /// A character towards the end.
    Right,
    /// A word towards the beginning.
    WordLeft,
    /// A word towards the end.
    WordRight,
    /// To the beginning.
    Start,
    /// To the end.
    End,
    /// The last change is taken back.
    Undo,
    /// What was taken back is done again.
    Redo,
    /// A new line begins; only where there are several.
    NewLine,
    /// A line up; only where there are several.
    Up,
    /// A line down; only where there are several.
    Down,
}

/// A line longer than this many characters is no query, and a note of more a document.
const LONGEST: usize = 10_000;
const LONGEST_PAD: usize = 100_000;

/// One line of text or several, with a cursor, edited by `tui-textarea`.
#[derive(Debug, Clone)]
pub(super) struct TextEditor {
    area: TextArea<'static>,
    /// Whether it has several lines.
    is_pad: bool,
}

impl TextEditor {
    /// A line with this text, the cursor behind it.
    pub fn line(text: &str) -> Self {
        Self::new(text, false)
    }

    /// Lines with this text, the cursor at its end.
    pub fn pad(text: &str) -> Self {
        Self::new(text, true)
    }

    fn new(text: &str, is_pad: bool) -> Self {
        let mut area = TextArea::new(rows(text, is_pad));
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self { area, is_pad }
    }

    /// The first line: all there is where there is one.
    pub fn text(&self) -> &str {
        self.lines().first().map_or("", String::as_str)
    }

    /// All lines as one text.
    pub fn whole(&self) -> String {
        self.lines().join("\n")
    }

    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// The byte of the first line that the cursor is at, up to the line's length.
    pub fn cursor(&self) -> usize {
        let text = self.text();
        let at = text.char_indices().nth(self.place().1);
        at.map_or(text.len(), |(at, _)| at)
    }

    /// Line and character of the cursor, from 0.
    pub fn place(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }

    /// Changes the text or moves the cursor.
    pub fn edit(&mut self, edit: Edit) {
        let area = &mut self.area;
        match edit {
            Edit::Insert(character) => self.insert(character.encode_utf8(&mut [0; 4])),
            Edit::NewLine | Edit::Up | Edit::Down if !self.is_pad => {}
            Edit::NewLine => area.insert_newline(),
            Edit::Left => area.move_cursor(CursorMove::Back),
            Edit::Right => area.move_cursor(CursorMove::Forward),
            Edit::WordLeft => area.move_cursor(CursorMove::WordBack),
            Edit::WordRight => area.move_cursor(CursorMove::WordForward),
            Edit::Start => area.move_cursor(CursorMove::Head),
            Edit::End => area.move_cursor(CursorMove::End),
            Edit::Up => area.move_cursor(CursorMove::Up),
            Edit::Down => area.move_cursor(CursorMove::Down),
            // Whether there was anything to change makes no difference.
            Edit::Backspace => _ = area.delete_char(),
            Edit::Delete => _ = area.delete_next_char(),
            Edit::DeleteWord => _ = area.delete_word(),
            Edit::DeleteToStart => _ = area.delete_line_by_head(),
            Edit::DeleteToEnd => _ = area.delete_line_by_end(),
            Edit::Undo => _ = area.undo(),
            Edit::Redo => _ = area.redo(),
        }
    }

    /// Puts a text before the cursor; control characters, and line breaks where there is one line,
    /// become blanks.
    pub fn insert(&mut self, text: &str) {
        let used: usize = self.lines().iter().map(|line| line.chars().count()).sum();
        let room = longest(self.is_pad).saturating_sub(used);
        let text: String = text.chars().take(room).collect();
        self.area.insert_str(rows(&text, self.is_pad).join("\n"));
    }

    /// Puts a text in place of everything; that can be undone.
    pub fn replace_all(&mut self, text: &str) {
        self.area.select_all();
        self.area.cut();
        self.insert(text);
    }

    /// Puts a text in place of the line, the cursor at one of its bytes; that can be undone.
    pub fn replace(&mut self, text: &str, cursor: usize) {
        if text != self.text() {
            self.replace_all(text);
        }
        let before = text.char_indices().take_while(|(at, _)| *at < cursor);
        let before = u16::try_from(before.count()).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(0, before));
    }
}

const fn longest(is_pad: bool) -> usize {
    if is_pad { LONGEST_PAD } else { LONGEST }
}

/// The lines of a text, or all of it on one.
fn rows(text: &str, is_pad: bool) -> Vec<String> {
    if !is_pad {
        return vec![one_row(text, LONGEST)];
    }
    let text = text.replace("\r\n", "\n");
    let lines = text.split('\n').map(|line| one_row(line, LONGEST_PAD));
    lines.collect()
}

/// The text on one row, cut to so many characters.
fn one_row(text: &str, most: usize) -> String {
    let blank = |sign: char| if sign.is_control() { ' ' } else { sign };
    text.chars().take(most).map(blank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits() {
        use Edit::*;
        for (text, edits, expected, cursor) in [
            ("", &[Insert('a'), Insert('漢'), Insert('b')][..], "a漢b", 5),
            ("a漢b", &[Left, Backspace], "ab", 1),
            ("a漢b", &[Start, Right, Delete], "ab", 1),
            ("one two", &[DeleteWord], "one ", 4),
            ("one two", &[WordLeft, DeleteToStart], "two", 0),
            ("one two", &[WordLeft, DeleteToEnd], "one ", 4),
            ("one two", &[Start, WordRight], "one two", 4),
            ("ab", &[Backspace, Undo], "ab", 2),
            ("ab", &[Backspace, Undo, Redo], "a", 1),
            ("", &[Backspace, Delete, Left, Right, DeleteWord], "", 0),
            ("a", &[Insert('\n')], "a ", 2),
        ] {
            let mut input = TextEditor::line(text);
            edits.iter().for_each(|&edit| input.edit(edit));
            assert_eq!(
                (input.text(), input.cursor()),
                (expected, cursor),
                "{text} {edits:?}"
            );
        }
    }

    #[test]
    fn what_is_pasted_stays_on_one_row() {
        let mut input = TextEditor::line("a b");
        input.edit(Edit::Start);
        input.insert("x\r\ny\u{1b}[2J ");
        assert_eq!(input.text(), "x  y [2J a b");
        assert_eq!(input.cursor(), 9);
    }

    #[test]
    fn replacing_can_be_undone() {
        let mut input = TextEditor::line("help");
        input.replace("helpfulness>=3", 11);
        assert_eq!((input.text(), input.cursor()), ("helpfulness>=3", 11));
        input.edit(Edit::Undo);
        input.edit(Edit::Undo);
        assert_eq!(input.text(), "help");
        input.replace("", 0);
        assert_eq!((input.text(), input.cursor()), ("", 0));
    }
}
