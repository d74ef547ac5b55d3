//! Text that is being typed, one line or several, with its cursor and what can be undone: the only
//! file that names the text editor.

use std::fmt;

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

/// A line longer than this many characters is no query.
const LONGEST: usize = 10_000;

/// One line of text with a cursor, edited by `tui-textarea`.
#[derive(Clone)]
pub(super) struct LineEditor {
    area: TextArea<'static>,
}

impl fmt::Debug for LineEditor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("text", &self.text())
            .field("cursor", &self.cursor())
            .finish()
    }
}

impl LineEditor {
    /// A line with this text, the cursor behind it.
    pub(super) fn new(text: &str) -> Self {
        let mut area = TextArea::new(vec![one_row(text, LONGEST)]);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    /// What stands there.
    pub(super) fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// The byte that the cursor is at, up to the text's length.
    pub(super) fn cursor(&self) -> usize {
        let text = self.text();
        text.char_indices()
            .nth(self.characters_before())
            .map_or(text.len(), |(at, _)| at)
    }

    /// Changes the text or moves the cursor.
    pub(super) fn edit(&mut self, edit: Edit) {
        match edit {
            Edit::Insert(character) => self.insert(character.encode_utf8(&mut [0; 4])),
            Edit::NewLine | Edit::Up | Edit::Down => {}
            edit => apply(&mut self.area, edit),
        }
    }

    /// Puts a text before the cursor; line breaks, tabs and other control characters become blanks.
    pub(super) fn insert(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.text().chars().count());
        self.area.insert_str(one_row(text, room));
    }

    /// Puts a text in place of everything, the cursor at one of its bytes; that can be undone.
    pub(super) fn replace(&mut self, text: &str, cursor: usize) {
        if text != self.text() {
            self.area.select_all();
            self.area.cut();
            self.area.insert_str(one_row(text, LONGEST));
        }
        let before = text
            .char_indices()
            .take_while(|(at, _)| *at < cursor)
            .count();
        self.area.move_cursor(CursorMove::Jump(
            0,
            u16::try_from(before).unwrap_or(u16::MAX),
        ));
    }

    fn characters_before(&self) -> usize {
        self.area.cursor().1
    }
}

/// Changes a text or moves its cursor, as one line and several have it alike. Whether there was
/// anything to change makes no difference.
fn apply(area: &mut TextArea<'static>, edit: Edit) {
    let movement = match edit {
        Edit::Insert(character) => return area.insert_char(character),
        Edit::NewLine => return area.insert_newline(),
        Edit::Left => CursorMove::Back,
        Edit::Right => CursorMove::Forward,
        Edit::WordLeft => CursorMove::WordBack,
        Edit::WordRight => CursorMove::WordForward,
        Edit::Start => CursorMove::Head,
        Edit::End => CursorMove::End,
        Edit::Up => CursorMove::Up,
        Edit::Down => CursorMove::Down,
        Edit::Backspace
        | Edit::Delete
        | Edit::DeleteWord
        | Edit::DeleteToStart
        | Edit::DeleteToEnd => {
            let delete = match edit {
                Edit::Backspace => TextArea::delete_char,
                Edit::Delete => TextArea::delete_next_char,
                Edit::DeleteWord => TextArea::delete_word,
                Edit::DeleteToStart => TextArea::delete_line_by_head,
                _ => TextArea::delete_line_by_end,
            };
            delete(area);
            return;
        }
        Edit::Undo | Edit::Redo => {
            let step = if edit == Edit::Undo {
                TextArea::undo
            } else {
                TextArea::redo
            };
            step(area);
            return;
        }
    };
    area.move_cursor(movement);
}

/// Several lines of text that are being typed.
#[derive(Clone)]
pub(super) struct NoteEditor {
    area: TextArea<'static>,
}

impl fmt::Debug for NoteEditor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pad")
            .field("text", &self.text())
            .field("cursor", &self.cursor())
            .finish()
    }
}

/// A note of more characters than this is a document.
const LONGEST_PAD: usize = 100_000;

impl NoteEditor {
    /// Lines with this text, the cursor at its end.
    pub(super) fn new(text: &str) -> Self {
        let mut area = TextArea::new(pad_lines(text));
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    /// What stands there.
    pub(super) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub(super) fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Line and character of the cursor, from 0.
    pub(super) fn cursor(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }

    pub(super) fn edit(&mut self, edit: Edit) {
        match edit {
            Edit::Insert(character) => self.insert(character.encode_utf8(&mut [0; 4])),
            edit => apply(&mut self.area, edit),
        }
    }

    /// Puts a text before the cursor; control characters but for line breaks become blanks.
    pub(super) fn insert(&mut self, text: &str) {
        let room = LONGEST_PAD.saturating_sub(self.area.lines().iter().map(String::len).sum());
        let text: String = text.chars().take(room).collect();
        self.area.insert_str(pad_lines(&text).join("\n"));
    }

    /// Puts a text in place of everything; that can be undone.
    pub(super) fn replace(&mut self, text: &str) {
        self.area.select_all();
        self.area.cut();
        self.insert(text);
    }
}

fn pad_lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    text.split('\n')
        .map(|line| one_row(line, LONGEST_PAD))
        .collect()
}

/// The text on one row, cut to so many characters.
fn one_row(text: &str, most: usize) -> String {
    text.chars()
        .take(most)
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
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
            let mut input = LineEditor::new(text);
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
        let mut input = LineEditor::new("a b");
        input.edit(Edit::Start);
        input.insert("x\r\ny\u{1b}[2J ");
        assert_eq!(input.text(), "x  y [2J a b");
        assert_eq!(input.cursor(), 9);
    }

    #[test]
    fn replacing_can_be_undone() {
        let mut input = LineEditor::new("help");
        input.replace("helpfulness>=3", 11);
        assert_eq!((input.text(), input.cursor()), ("helpfulness>=3", 11));
        input.edit(Edit::Undo);
        input.edit(Edit::Undo);
        assert_eq!(input.text(), "help");
        input.replace("", 0);
        assert_eq!((input.text(), input.cursor()), ("", 0));
    }
}
