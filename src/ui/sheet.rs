//! A text of the program's own on the whole body of the screen.

use super::Canvas;
use crate::app::{Area, Sheet};

impl Canvas<'_> {
    pub(super) fn sheet(&mut self, sheet: &Sheet) {
        let (width, height) = self.app.size();
        let rows = usize::from(height.saturating_sub(4));
        let area = Area::new(2, 2, width.saturating_sub(4), 1);
        for (part, y) in sheet.stack().parts(sheet.top()..sheet.top() + rows).zip(2..) {
            self.part(part, Area { y, ..area });
        }
        if sheet.stack().len() > sheet.top() + rows && height > 3 {
            let dim = self.look.theme.dim;
            self.put(2, height - 2, width, "j for more", dim);
        }
    }
}
