//! The editor for notes, a drawer at the bottom.

use ratatui::layout::Position;

use super::Canvas;
use super::input_line::InputCells;
use crate::app::{Action, Edit, KeyHints, NotePad};

/// Key hints of the editor.
pub(super) const NOTE_HINTS: KeyHints = &[
    (Action::Save, "save"),
    (Action::Edit(Edit::NewLine), "new line"),
    (Action::Cancel, "cancel"),
    (Action::Outside, "your editor"),
];

impl Canvas<'_> {
    pub fn note(&mut self, pad: &NotePad) {
        let drawer = self.browser.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let Self {
            theme,
            review,
            browser,
            ..
        } = *self;
        let mut about = match review.running() {
            // In an audit, the position in the files should not influence judgments.
            Some(_) => " note".to_owned(),
            None => format!(" note on sample {}", pad.sample + 1),
        };
        let saved = pad.saved.as_ref();
        about.extend(saved.map(|note| review.note_letters_suffix(note, browser)));
        about.push(' ');
        self.begin_drawer(drawer, &about);
        let mut y = drawer.y + 1;
        let bottom = drawer.y + drawer.height;
        let mut row = self.row(drawer);
        for note in &pad.others {
            // If there is little room, the reviewer's own lines have priority.
            if y + 3 > bottom {
                break;
            }
            (row.x, row.y) = (drawer.x + 1, y);
            row.cut(&review.other_note(note, browser), theme.dim);
            y += 1;
        }
        let rows = usize::from(bottom.saturating_sub(y));
        let (at, column) = pad.cursor();
        let top = (at + 1).saturating_sub(rows);
        let area = drawer.without_margins();
        let current = pad.lines().get(at).map_or("", String::as_str);
        let byte = current.char_indices().nth(column);
        let byte = byte.map_or(current.len(), |(byte, _)| byte);
        let cells = InputCells::of(current);
        let cell = cells.at(byte);
        // All lines are scrolled by the same amount, so that the cursor is visible.
        let hidden = cells.scrolled(cell, area.width.into());
        let lines = pad.lines().iter().enumerate().skip(top).take(rows);
        for ((number, line), y) in lines.zip(y..) {
            let cursor = (number == at).then_some(byte);
            let mut row = self.row(area.row(y));
            row.field(&InputCells::of(line), hidden, cursor, None);
            if number == at {
                self.caret = Some(Position::new(area.x + (cell - hidden) as u16, y));
            }
        }
    }
}
