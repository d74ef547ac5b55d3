//! The keys, on the whole body of the screen.

use super::Canvas;
use crate::app::HelpLine;
use crate::text;

impl Canvas<'_> {
    pub(super) fn help(&mut self) {
        let (width, height) = self.app.size();
        let (help, top) = self.app.help();
        let keys_width = help.lines.iter().map(|line| match line {
            HelpLine::Group(_) => 0,
            HelpLine::Keys(keys, _) => text::width(keys),
        });
        let keys_width = keys_width.max().unwrap_or(0).min(usize::from(width) / 3) as u16;
        let (title, key, plain) = (self.look.theme.title_focus, self.look.theme.key, self.look.theme.text);
        let rows = height.saturating_sub(4);
        for (line, y) in help.lines.iter().skip(top).take(usize::from(rows)).zip(2..) {
            match line {
                HelpLine::Group(name) => {
                    self.put(2, y, width, name, title);
                }
                HelpLine::Keys(keys, what) => {
                    self.put(4, y, 4 + keys_width, keys, key);
                    self.put(6 + keys_width, y, width, what, plain);
                }
            }
        }
        if help.lines.len() > top + usize::from(rows) && height > 3 {
            let dim = self.look.theme.dim;
            self.put(2, height - 2, width, "j for more", dim);
        }
    }
}
