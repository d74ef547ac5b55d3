//! A text of the program's own on the whole body of the screen: how far people agree, a page of the
//! manual.

use super::Canvas;
use crate::app::{Area, PaneText};

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
}
