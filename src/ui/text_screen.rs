//! A text of the program's own on the whole body of the screen: how far people agree, a page of the
//! manual.

use ratatui::layout::Rect;

use super::Canvas;
use crate::app::{Area, PaneText, TextScreen};

impl Canvas<'_> {
    /// Lines of a text from `top` on.
    pub(super) fn text_screen(&mut self, stack: &PaneText, top: usize) {
        let (width, height) = self.app.size();
        let rows = usize::from(height.saturating_sub(4));
        let area = Area::new(2, 2, width.saturating_sub(4), 1);
        for (part, y) in stack.parts(top..top + rows).zip(2..) {
            self.part(part, Area { y, ..area }, &[]);
        }
        if stack.len() > top + rows && height > 3 {
            self.put_more(2, height - 2);
        }
    }

    /// The cell of a matrix that one is on.
    pub(super) fn agreement_cursor(&mut self, screen: &TextScreen) {
        let (_, height) = self.app.size();
        let row = screen.cursor().and_then(|cell| {
            let row = cell.line.checked_sub(screen.top())?;
            (row < usize::from(height.saturating_sub(4))).then_some((cell, row as u16))
        });
        let Some((cell, row)) = row else { return };
        let area = Rect::new(2 + cell.x, 2 + row, cell.width, 1);
        let cursor = self.look.theme.cursor;
        self.buffer
            .set_style(area.intersection(self.buffer.area), cursor);
    }
}
