//! The raw record of a sample, over the panes.

use super::Canvas;
use crate::app::{Action, Area, RecordSubject};
use crate::text::{counted, grouped};

/// Columns left of the text; the cursor's sign stands in the first.
const LEFT: u16 = 2;

impl Canvas<'_> {
    /// The lines of the record that fit, with a sign at the cursor's.
    pub(super) fn record(&mut self) {
        let (width, height) = self.app.size();
        let Some(view) = self.app.record_view() else {
            return;
        };
        let Some(page) = view.page() else {
            let dim = self.look.theme.dim;
            let words = match view.subject() {
                RecordSubject::Rows => "reading the record …",
                RecordSubject::Tokens { .. } => "decoding the tokens …",
            };
            self.put(LEFT, 2, width, words, dim);
            return;
        };
        let (top, cursor) = (view.top(), view.cursor());
        let rows = usize::from(height.saturating_sub(4));
        let area = Area::new(LEFT, 2, width.saturating_sub(2 * LEFT), 1);
        let lines = page.stack().parts(top..top + rows).zip(top..);
        for ((part, line), y) in lines.zip(2..) {
            let over = view.highlights(line);
            self.part(part, Area { y, ..area }, &over);
            if line == cursor {
                let (sign, style) = (self.look.glyphs.selected, self.look.theme.title_focus);
                self.put(0, y, LEFT, sign, style);
            }
        }
        if page.stack().len() > top + rows && height > 3 {
            self.put_more(LEFT, height - 2);
        }
    }

    /// What the status line says while a record is open: where one is in it, and the keys that do
    /// something there.
    pub(super) fn record_words(&self) -> Vec<String> {
        let key = |action| self.app.key_for(action).unwrap_or_default();
        let mut words = Vec::new();
        if let Some((view, page)) = self
            .app
            .record_view()
            .and_then(|view| view.page().map(|page| (view, page)))
        {
            let lines = page.stack().len();
            words.push(format!(
                "line {}/{}",
                grouped(view.cursor() + 1),
                grouped(lines)
            ));
            words.extend(view.hits().map(|(here, hits)| match here {
                Some(here) => format!("hit {}/{}", grouped(here + 1), grouped(hits)),
                None => counted(hits, "hit"),
            }));
        }
        // The way out first, for a narrow screen.
        let back = |own| [own, Action::Back].map(key).join(" or ");
        let search = key(Action::Search);
        words.push(match self.app.record_subject() {
            RecordSubject::Rows => {
                let fold = key(Action::Zoom);
                let back = back(Action::Record);
                format!("{back} back   {fold} folds   {search} searches")
            }
            RecordSubject::Tokens { .. } => {
                format!("{} back   {search} searches", back(Action::Tokens))
            }
        });
        words
    }
}
