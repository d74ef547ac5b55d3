//! Lists on top of the panes, to choose one line of: menus, and the palette with what is typed.

use ratatui::style::Style;

use super::{Canvas, Theme};
use crate::app::{Area, Menu, MenuLine, Palette};
use crate::text;

/// The narrowest menu.
const NARROWEST: usize = 24;
/// Maximum width of the palette, so that a description is close to its name.
const WIDEST: u16 = 110;
/// Columns of names in the palette, at most.
const WIDEST_NAME: usize = 34;

impl Canvas<'_> {
    pub(super) fn menu(&mut self, menu: &Menu) {
        let (width, height) = self.browser.layout.size;
        if width < 10 || height < 4 {
            return;
        }
        let rows = (menu.lines.len())
            .min(Menu::rows(height))
            .min(usize::from(height) - 3);
        let widest = |cells: fn(&MenuLine) -> &str| {
            let cells = menu.lines.iter().map(|line| text::width(cells(line)));
            cells.max().unwrap_or(0)
        };
        let (name, note) = (widest(|line| &line.text), widest(|line| &line.note));
        let wanted = (name + 2 + note)
            .max(text::width(&menu.title) + 2)
            .max(NARROWEST)
            + 5;
        let box_width = wanted.min(usize::from(width) - 2) as u16;
        let frame = Area::new(
            (width - box_width) / 2,
            (height - rows as u16 - 2) / 2,
            box_width,
            rows as u16 + 2,
        );
        // A schema of one's own can have any name.
        self.frame(frame, &format!(" {} ", text::one_line(&menu.title, 200)));
        if menu.lines.len() > rows {
            // Some are above or below.
            let place = format!(" {}/{} ", menu.chosen + 1, menu.lines.len());
            let end = frame.right() - 1;
            let from = end.saturating_sub(text::width(&place) as u16 + 1);

            self.put(
                from,
                frame.y + frame.height - 1,
                end,
                &place,
                self.theme.dim,
            );
        }
        let lines = menu.lines.iter().map(|line| (line, &[][..]));
        self.lines_to_choose(frame.inside(), lines, menu.chosen, usize::MAX);
    }

    pub(super) fn palette(&mut self, palette: &Palette) {
        let (width, height) = self.browser.layout.size;
        if width < 20 || height < 6 {
            return;
        }
        let rows = Palette::rows(height).min(height - 4);
        let box_width = WIDEST.min(width - 2);
        let frame = Area::new((width - box_width) / 2, 1, box_width, rows + 3);
        let (found, all) = palette.counts();
        let separator = self.glyphs.separator;
        self.frame(frame, &format!(" palette {separator} {found} of {all} "));
        let inside = frame.inside();
        self.palette_line(palette, inside.x, inside.y, inside.right());
        let area = inside.below(1);
        if found == 0 {
            let words = "No match; try fewer letters.";
            self.cut(area.x + 2, area.y + 1, area.right(), words, self.theme.dim);
        }
        self.lines_to_choose(area, palette.found(), palette.chosen, WIDEST_NAME);
    }

    /// Begins a box on top of what is there.
    fn frame(&mut self, frame: Area, title: &str) {
        self.wipe(frame);
        self.borders(frame);
        self.brighten(frame);
        let (style, end) = (self.theme.title_focus, frame.right() - 1);
        self.cut(frame.x + 1, frame.y, end, title, style);
    }

    /// The lines around the chosen one that fit in an area.
    fn lines_to_choose<'l>(
        &mut self,
        area: Area,
        lines: impl Iterator<Item = (&'l MenuLine, &'l [usize])>,
        chosen: usize,
        widest_name: usize,
    ) {
        let rows = usize::from(area.height);
        let top = (chosen + 1).saturating_sub(rows);
        let shown: Vec<_> = lines.skip(top).take(rows).collect();
        let names = shown.iter().map(|(line, _)| text::width(&line.text));
        // The note gives way before the name does.
        let most = usize::from(area.width.saturating_sub(3)).min(widest_name);
        let name_width = names.max().unwrap_or(0).min(most) as u16;
        for (((line, hits), at), y) in shown.into_iter().zip(top..).zip(area.y..) {
            let row = Area::new(area.x, y, area.width, 1);
            self.line_to_choose((line, hits), row, name_width, at == chosen);
        }
    }

    /// A line: its name, what it does, and at the right its key or what it is.
    fn line_to_choose(
        &mut self,
        (line, hits): (&MenuLine, &[usize]),
        area: Area,
        name_width: u16,
        is_chosen: bool,
    ) {
        let theme = self.theme;
        let row = match is_chosen {
            true => theme.selection,
            false => theme.text,
        };
        let on = |style| Theme::on_row(row, style);
        let (plain, dim, key) = (on(theme.text), on(theme.dim), on(theme.key));
        let matched = on(theme.text.patch(theme.heading).patch(theme.link));
        let (y, end) = (area.y, area.right());
        let mut x = self.begin_row(area, row, is_chosen) + 1;
        let (right, right_style) = match &*line.key {
            "" => (line.kind, dim),
            keys => (keys, key),
        };
        let right_x = match text::width(right) as u16 {
            0 => end + 2,
            cells => end.saturating_sub(cells + 1),
        };
        self.put(right_x, y, end, right, right_style);
        let note_x = x + name_width + 2;
        let name_end = (x + name_width).min(right_x.saturating_sub(1));
        let name = text::one_line(&line.text, 200);
        if hits.is_empty() || text::width(&name) > usize::from(name_end.saturating_sub(x)) {
            self.cut(x, y, name_end, &name, plain);
        } else {
            for (place, c) in name.chars().enumerate() {
                let style = if hits.contains(&place) {
                    matched
                } else {
                    plain
                };
                x = self.put(x, y, name_end, c.encode_utf8(&mut [0; 4]), style);
            }
        }
        let note_end = right_x.saturating_sub(2);
        if note_x < note_end {
            self.cut(note_x, y, note_end, &text::one_line(&line.note, 400), dim);
        }
    }

    /// Begins a drawer: a rule with a title; returns the column after that.
    pub(super) fn begin_drawer(&mut self, drawer: Area, title: &str) -> u16 {
        self.wipe(drawer);
        let (theme, end) = (self.theme, drawer.right());
        let rule = self.glyphs.border.horizontal_top;
        let rule = rule.repeat(usize::from(drawer.width));
        self.put(drawer.x, drawer.y, end, &rule, theme.border_focus);
        self.put(drawer.x + 1, drawer.y, end, title, theme.title_focus)
    }

    /// Begins a row of a list in the style that sets the chosen one off; returns the column of what
    /// it says.
    pub(super) fn begin_row(&mut self, area: Area, row: Style, is_chosen: bool) -> u16 {
        self.tint(area, row);
        // A sign tells it too: not every terminal shows the colour.
        let sign = if is_chosen { self.glyphs.selected } else { " " };
        let style = Theme::on_row(row, self.theme.text);
        self.put(area.x, area.y, area.right(), sign, style)
    }

    /// What is typed, with its cursor.
    fn palette_line(&mut self, palette: &Palette, x: u16, y: u16, end: u16) {
        let theme = self.theme;

        let x = self.put(x, y, end, "> ", theme.key);
        let (typed, cursor) = palette.text();
        let room = usize::from(end.saturating_sub(x + 1));
        // The end is what one types at.
        let mut from = 0;
        while text::width(typed.get(from..cursor).unwrap_or_default()) > room {
            from += typed[from..].chars().next().map_or(1, char::len_utf8);
        }
        let (before, behind) = (&typed[from..cursor], &typed[cursor..]);
        let under = behind.chars().next().map_or(" ".to_owned(), String::from);
        let x = self.put_text(x, y, end, &text::one_line(before, room + 1), theme.text);
        let x = if before.ends_with(' ') {
            x.max(x + 1)
        } else {
            x
        };
        let x = self.put_text(x, y, end, &under, theme.cursor);
        let rest = behind.get(under.len()..).unwrap_or_default();
        self.cut(x, y, end, &text::one_line(rest, room + 1), theme.text);
    }
}
