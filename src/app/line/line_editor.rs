//! The text editor of input lines and notes, with cursor and undo. Only this file uses
//! `tui-textarea`.

use tui_textarea::{CursorMove, TextArea};

/// An edit or a cursor movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// Insert a character before the cursor.
    Insert(char),
    /// Delete the character before the cursor.
    Backspace,
    /// Delete the character under the cursor.
    Delete,
    /// Delete the word before the cursor.
    DeleteWord,
    /// Delete everything before the cursor.
    DeleteToStart,
    /// Delete everything from the cursor on.
    DeleteToEnd,
    /// Move left by a character.
    Left,
    /// Move right by a character.
    Right,
    /// Move left by a word.
    WordLeft,
    /// Move right by a word.
    WordRight,
    /// Move to the start.
    Start,
    /// Move to the end.
    End,
    /// Undo the last change.
    Undo,
    /// Redo the change that was undone last.
    Redo,
    /// Start a new line; ignored in a single-line editor.
    NewLine,
    /// Move up by a line; ignored in a single-line editor.
    Up,
    /// Move down by a line; ignored in a single-line editor.
    Down,
}

/// Maximum number of characters; neither a query nor a note is longer.
const LONGEST: usize = 100_000;

/// A single-line or multi-line text editor.
#[derive(Debug, Clone)]
pub(crate) struct TextEditor {
    area: TextArea<'static>,
    /// True if it is a multi-line editor.
    is_pad: bool,
}

impl TextEditor {
    /// Creates a single-line editor with the cursor at the end.
    pub fn line(text: &str) -> Self {
        Self::new(text, false)
    }

    /// Creates a multi-line editor with the cursor at the end.
    pub fn pad(text: &str) -> Self {
        Self::new(text, true)
    }

    fn new(text: &str, is_pad: bool) -> Self {
        let mut area = TextArea::new(rows(text, is_pad));
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self { area, is_pad }
    }

    /// Returns the first line, which is the whole text of a single-line editor.
    pub fn text(&self) -> &str {
        self.lines().first().map_or("", String::as_str)
    }

    /// Returns all lines, joined by line breaks.
    pub fn whole(&self) -> String {
        self.lines().join("\n")
    }

    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Returns the byte offset of the cursor in its line.
    pub fn cursor(&self) -> usize {
        self.place().1
    }

    /// Returns the line of the cursor, from 0, and its byte offset there.
    pub fn place(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        let line = &self.lines()[cursor.0];
        let at = line.char_indices().nth(cursor.1);
        (cursor.0, at.map_or(line.len(), |(at, _)| at))
    }

    /// Performs an edit.
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
            // The result reports whether something changed, which does not matter.
            Edit::Backspace => _ = area.delete_char(),
            Edit::Delete => _ = area.delete_next_char(),
            Edit::DeleteWord => _ = area.delete_word(),
            Edit::DeleteToStart => _ = area.delete_line_by_head(),
            Edit::DeleteToEnd => _ = area.delete_line_by_end(),
            Edit::Undo => _ = area.undo(),
            Edit::Redo => _ = area.redo(),
        }
    }

    /// Inserts a text before the cursor. Control characters become spaces, also line breaks in a
    /// single-line editor.
    pub fn insert(&mut self, text: &str) {
        let used: usize = self.lines().iter().map(|line| line.chars().count()).sum();
        let text: String = text.chars().take(LONGEST.saturating_sub(used)).collect();
        self.area.insert_str(rows(&text, self.is_pad).join("\n"));
    }

    /// Replaces the whole text; can be undone.
    pub fn replace_all(&mut self, text: &str) {
        self.area.select_all();
        self.area.cut();
        self.insert(text);
    }

    /// Replaces the line and sets the cursor to a byte offset; can be undone.
    pub fn replace(&mut self, text: &str, cursor: usize) {
        if text != self.text() {
            self.replace_all(text);
        }
        let before = text.char_indices().take_while(|(at, _)| *at < cursor);
        let before = u16::try_from(before.count()).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(0, before));
    }
}

/// Splits a text into its lines, or joins it into one.
fn rows(text: &str, is_pad: bool) -> Vec<String> {
    let blank = |sign: char| if sign.is_control() { ' ' } else { sign };
    let row = |text: &str| text.chars().take(LONGEST).map(blank).collect();
    if is_pad {
        text.replace("\r\n", "\n").split('\n').map(row).collect()
    } else {
        vec![row(text)]
    }
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
