//! A menu on top of the panes.

use super::{Canvas, Theme};
use crate::app::{Action, Area, Context, Menu, MenuKind};
use crate::text;

/// The narrowest menu.
const NARROWEST: usize = 24;

impl Canvas<'_> {
    pub(super) fn menu(&mut self, menu: &Menu) {
        let (width, height) = self.app.size();
        if width < 10 || height < 4 {
            return;
        }
        let rows = menu
            .lines
            .len()
            .min(self.app.menu_height())
            .min(usize::from(height) - 3);
        let name = menu
            .lines
            .iter()
            .map(|line| text::width(&line.text))
            .max()
            .unwrap_or(0);
        let note = menu
            .lines
            .iter()
            .map(|line| text::width(&line.note))
            .max()
            .unwrap_or(0);
        let wanted = (name + 2 + note)
            .max(text::width(&menu.title) + 2)
            .max(NARROWEST)
            + 4;
        let box_width = wanted.min(usize::from(width) - 2) as u16;
        let frame = Area::new(
            (width - box_width) / 2,
            (height - rows as u16 - 2) / 2,
            box_width,
            rows as u16 + 2,
        );
        self.wipe(frame);
        let mut borders = super::Borders::default();
        borders.add(frame);
        borders.paint(self, frame);
        let (title, end) = (self.look.theme.title_focus, frame.x + frame.width - 1);
        // A schema of one's own can have any name.
        self.cut(
            frame.x + 1,
            frame.y,
            end,
            &format!(" {} ", text::one_line(&menu.title, 200)),
            title,
        );
        let top = (menu.chosen + 1).saturating_sub(rows);
        if menu.lines.len() > rows {
            // Some are above or below.
            let place = format!(" {}/{} ", menu.chosen + 1, menu.lines.len());
            let from = end.saturating_sub(text::width(&place) as u16 + 1);
            let dim = self.look.theme.dim;
            self.put(from, frame.y + frame.height - 1, end, &place, dim);
        }
        // The note gives way before the name does.
        let name = name.min(usize::from(box_width) - 4) as u16;
        for (row, line) in menu.lines.iter().skip(top).take(rows).enumerate() {
            let chosen = top + row == menu.chosen;
            let y = frame.y + 1 + row as u16;
            let style = if chosen {
                self.look.theme.selection
            } else {
                self.look.theme.text
            };
            self.tint(Area::new(frame.x + 1, y, box_width - 2, 1), style);
            let (plain, dim) = (self.look.theme.text, self.look.theme.dim);
            let on = |one| {
                if chosen {
                    Theme::on_row(style, one)
                } else {
                    one
                }
            };
            let sign = if chosen {
                self.look.glyphs.selected
            } else {
                " "
            };
            let x = self.put(frame.x + 1, y, end, sign, on(plain));
            self.cut(x, y, x + name, &text::one_line(&line.text, 200), on(plain));
            self.cut(
                x + name + 2,
                y,
                end,
                &text::one_line(&line.note, 400),
                on(dim),
            );
        }
    }

    /// What keys do in a menu.
    pub(super) fn menu_hints(&self) -> String {
        let hints: &[(Action, &str)] = match self.app.top_menu().map(|menu| menu.kind) {
            Some(MenuKind::Sort) => &[
                (
                    Action::Accept,
                    "sorts by this, once more the other way round",
                ),
                (Action::Add, "adds it to what is sorted by"),
                (Action::Cancel, "closes"),
            ],
            Some(MenuKind::Agreement) => {
                &[(Action::Accept, "shows it"), (Action::Cancel, "closes")]
            }
            Some(MenuKind::Copy) => &[(Action::Accept, "copies"), (Action::Cancel, "closes")],
            Some(MenuKind::Export) => &[
                (Action::Accept, "names the file"),
                (Action::Cancel, "closes"),
            ],
            Some(MenuKind::Audit) => &[
                (Action::Accept, "chooses"),
                (Action::Cancel, "judges nothing yet"),
            ],
            Some(MenuKind::Join) => &[
                (Action::Yes, "judges the same"),
                (Action::No, "draws one's own"),
                (Action::Cancel, "neither"),
            ],
            Some(MenuKind::OtherData) => &[
                (Action::Yes, "goes on with it"),
                (Action::No, "does not"),
                (Action::Cancel, "judges nothing yet"),
            ],
            Some(MenuKind::Audits) => &[
                (Action::Accept, "goes on with it, joins it or opens it"),
                (Action::Cancel, "closes"),
            ],
            Some(MenuKind::Guide) => &[
                (Action::Accept, "opens the page"),
                (Action::Cancel, "back to the keys"),
            ],
            Some(MenuKind::Filters) | None => &[
                (Action::Accept, "applies"),
                (Action::Delete, "deletes"),
                (Action::Cancel, "closes"),
            ],
        };
        let key = |action| {
            self.app
                .key_in(Context::Menu, action)
                .or_else(|| self.app.key_in(Context::Read, action))
        };
        let hints = hints
            .iter()
            .filter_map(|&(action, what)| Some(format!("{} {what}", key(action)?)));
        hints.collect::<Vec<_>>().join("   ")
    }
}
