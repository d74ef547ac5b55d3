//! The editor for notes, a drawer at the bottom.

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
        let drawer = self.app.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let Self { theme, .. } = *self;
        let mut about = match self.app.running() {
            // In an audit, the position in the files should not influence judgments.
            Some(_) => " note".to_owned(),
            None => format!(" note on sample {}", pad.sample + 1),
        };
        let saved = pad.saved.as_ref();
        about.extend(saved.map(|note| self.app.note_letters_suffix(note)));
        about.push(' ');
        self.begin_drawer(drawer, &about);
        let mut y = drawer.y + 1;
        let bottom = drawer.y + drawer.height;
        let others: Vec<_> = pad
            .others
            .iter()
            .map(|note| self.app.other_note(note))
            .collect();
        let mut row = self.row(drawer);
        for other in others {
            // If there is little room, the reviewer's own lines have priority.
            if y + 3 > bottom {
                break;
            }
            (row.x, row.y) = (drawer.x + 1, y);
            row.cut(&other, theme.dim);
            y += 1;
        }
        let rows = usize::from(bottom.saturating_sub(y));
        let (at, column) = pad.cursor();
        let top = (at + 1).saturating_sub(rows);
        let room = usize::from(drawer.width.saturating_sub(2)).max(1);
        // All lines are scrolled by the same amount, so that the cursor is visible.
        let lines: Vec<_> = pad
            .lines()
            .iter()
            .map(|line| InputCells::of(line))
            .collect();
        let hidden = lines[at].scrolled(lines[at].at(column), room);
        let mut caret = None;
        row.end = drawer.x + 1 + room as u16;
        for ((number, cells), y) in lines.iter().enumerate().skip(top).take(rows).zip(y..) {
            (row.x, row.y) = (drawer.x + 1, y);
            caret = caret.or(row.typed(cells, hidden, (number == at).then_some(column), None));
        }
        self.caret = caret;
    }
}
