//! The editor for notes, a drawer at the bottom.

use ratatui::layout::Position;

use super::Canvas;
use crate::app::{Action, Edit, KeyHints, NotePad};
use crate::text;

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
        let room = usize::from(drawer.width.saturating_sub(2)).max(1);
        let before: String = pad
            .lines()
            .get(at)
            .map(|line| line.chars().take(column).collect())
            .unwrap_or_default();
        // All lines are scrolled by the same amount, so that the cursor is visible.
        let cell = cells(&before);
        let hidden = if cell < room { 0 } else { cell + 1 - room };
        let mut caret = None;
        for (number, y) in (top..pad.lines().len()).take(rows).zip(y..) {
            let shown = visible(&pad.lines()[number], hidden, room);
            (row.x, row.y) = (drawer.x + 1, y);
            row.text(&shown, theme.text);
            if number == at {
                let under = pad.lines()[number].chars().nth(column);
                let under = under.map_or_else(|| " ".to_owned(), safe);
                row.x = drawer.x + 1 + (cell - hidden) as u16;
                caret = Some(Position::new(row.x, row.y));
                row.text(&under, theme.text.patch(theme.cursor));
            }
        }
        self.caret = caret;
    }
}

/// Returns a character in the form in which it is displayed.
fn safe(sign: char) -> String {
    // `one_line` would trim whitespace.
    if sign.is_whitespace() {
        " ".to_owned()
    } else {
        text::one_line(&sign.to_string(), 8)
    }
}

fn cells(words: &str) -> usize {
    words.chars().map(|sign| text::width(&safe(sign))).sum()
}

/// Returns the part of a line after `hidden` cells.
fn visible(line: &str, hidden: usize, room: usize) -> String {
    let (mut cell, mut shown) = (0, String::new());
    for sign in line.chars() {
        let sign = safe(sign);
        if cell >= hidden && cell - hidden < room {
            shown.push_str(&sign);
        }
        cell += text::width(&sign);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_have_their_place_and_signs_their_cells() {
        for (line, hidden, room, shown) in [
            ("not sure, see", 0, 20, "not sure, see"),
            ("not sure", 4, 3, "sur"),
            ("漢字 x", 0, 5, "漢字 "),
            ("a\u{1b}[2J", 0, 9, "a␛[2J"),
        ] {
            assert_eq!(visible(line, hidden, room), shown, "{line:?}");
        }
        assert_eq!(cells("漢 a"), 4);
    }
}
