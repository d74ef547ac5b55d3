//! The palette: what is typed above what it finds, on top of the panes.

use super::{Borders, Canvas, Theme};
use crate::app::{Action, Area, Context, Palette, PaletteEntry, PaletteHit, PaletteKind};
use crate::text;

/// Columns of the palette, at most: what is said of a thing should stand near its name.
const WIDEST: u16 = 110;
/// Columns of names, at most.
const WIDEST_NAME: usize = 34;

impl Canvas<'_> {
    pub(super) fn palette(&mut self, palette: &Palette) {
        let (width, height) = self.app.size();
        if width < 20 || height < 6 {
            return;
        }
        let rows = self.app.palette_height().min(height - 4);
        let box_width = WIDEST.min(width - 2);
        let frame = Area::new((width - box_width) / 2, 1, box_width, rows + 3);
        self.wipe(frame);
        let mut borders = Borders::default();
        borders.add(frame);
        borders.paint(self, frame);
        let (x, end) = (frame.x + 1, frame.x + frame.width - 1);
        let (found, all) = palette.counts();
        let title = format!(" palette {} {found} of {all} ", self.look.glyphs.separator);
        let title_style = self.look.theme.title_focus;
        self.cut(x, frame.y, end, &title, title_style);
        self.palette_line(palette, x, frame.y + 1, end);
        if found == 0 {
            let dim = self.look.theme.dim;
            let words = "nothing is called so; fewer letters find more";
            self.cut(x + 2, frame.y + 3, end, words, dim);
        }
        let rows = usize::from(rows);
        let top = (palette.chosen() + 1).saturating_sub(rows);
        let shown: Vec<_> = palette.found().skip(top).take(rows).collect();
        let names = shown.iter().map(|(entry, _)| text::width(&entry.name));
        let name_width = names.max().unwrap_or(0).min(WIDEST_NAME) as u16;
        for ((entry, hit), row) in shown.into_iter().zip(0..) {
            let area = Area::new(x, frame.y + 2 + row, end - x, 1);
            let is_chosen = top + usize::from(row) == palette.chosen();
            self.palette_row((entry, hit), area, name_width, is_chosen);
        }
    }

    /// What is typed, with its cursor.
    fn palette_line(&mut self, palette: &Palette, x: u16, y: u16, end: u16) {
        let theme = &self.look.theme;
        let (key, plain, cursor_style) = (theme.key, theme.text, theme.cursor);
        let x = self.put(x, y, end, "> ", key);
        let (typed, cursor) = palette.text();
        let room = usize::from(end.saturating_sub(x + 1));
        // The end is what one types at.
        let mut from = 0;
        while text::width(typed.get(from..cursor).unwrap_or_default()) > room {
            from += typed[from..].chars().next().map_or(1, char::len_utf8);
        }
        let (before, behind) = (&typed[from..cursor], &typed[cursor..]);
        let under = behind.chars().next().map_or(" ".to_owned(), String::from);
        let x = self.put_text(x, y, end, &text::one_line(before, room + 1), plain);
        let x = if before.ends_with(' ') {
            x.max(x + 1)
        } else {
            x
        };
        let x = self.put_text(x, y, end, &under, cursor_style);
        let rest = behind.get(under.len()..).unwrap_or_default();
        self.cut(x, y, end, &text::one_line(rest, room + 1), plain);
    }

    /// A line that was found: its name, what it does, and its key or what it is at the right.
    fn palette_row(
        &mut self,
        (entry, hit): (&PaletteEntry, &PaletteHit),
        area: Area,
        name_width: u16,
        is_chosen: bool,
    ) {
        let theme = &self.look.theme;
        let row = if is_chosen {
            theme.selection
        } else {
            theme.text
        };
        let on = |style| {
            if is_chosen {
                Theme::on_row(row, style)
            } else {
                style
            }
        };
        let (plain, dim, key) = (on(theme.text), on(theme.dim), on(theme.key));
        let matched = on(theme.text.patch(theme.heading).patch(theme.link));
        self.tint(area, row);
        let end = area.x + area.width;
        let sign = if is_chosen {
            self.look.glyphs.selected
        } else {
            " "
        };
        self.put(area.x, area.y, end, sign, plain);
        let (right, right_style) = if entry.key.is_empty() {
            (kind_word(entry.kind), dim)
        } else {
            (entry.key.as_str(), key)
        };
        let right_x = end.saturating_sub(text::width(right) as u16 + 1);
        self.put(right_x, area.y, end, right, right_style);
        let mut x = area.x + 2;
        let name_end = (x + name_width).min(right_x.saturating_sub(1));
        if text::width(&entry.name) > usize::from(name_end.saturating_sub(x)) {
            self.cut(x, area.y, name_end, &entry.name, plain);
        } else {
            for (place, c) in entry.name.chars().enumerate() {
                let is_hit = hit.places.contains(&place);
                let style = if is_hit { matched } else { plain };
                x = self.put(x, area.y, name_end, c.encode_utf8(&mut [0; 4]), style);
            }
        }
        let note_x = area.x + 2 + name_width + 2;
        let note_end = right_x.saturating_sub(2);
        if note_x < note_end {
            self.cut(note_x, area.y, note_end, &entry.note, dim);
        }
    }

    /// What keys do in the palette.
    pub(super) fn palette_hints(&self) -> String {
        let hints = [
            (Action::Accept, "does it"),
            (Action::Later, "next"),
            (Action::Earlier, "before"),
            (Action::Cancel, "closes"),
        ];
        let hints = hints.into_iter().filter_map(|(action, what)| {
            Some(format!(
                "{} {what}",
                self.app.key_in(Context::Line, action)?
            ))
        });
        hints.collect::<Vec<_>>().join("   ")
    }
}

/// What a line is, in a word.
fn kind_word(kind: PaletteKind) -> &'static str {
    match kind {
        PaletteKind::Action => "",
        PaletteKind::Command => "command",
        PaletteKind::Filter => "filter",
        PaletteKind::Field => "field",
        PaletteKind::Page => "guide",
    }
}
