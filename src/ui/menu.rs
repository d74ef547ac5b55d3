//! Menus: in a box, or over the whole screen.

use ratatui::style::Style;
use ratatui::widgets::{Block, Widget};

use super::input_line::InputCells;
use super::row::Row;
use super::{Canvas, rect};
use crate::app::{Area, Menu, MenuLine, MenuRow, NO_MATCH};
use crate::text;

/// Minimum width of a menu in cells.
const NARROWEST: usize = 24;
/// Maximum width of names in a full-screen menu, in cells.
const WIDEST_NAME: usize = 34;
/// Minimum width of a note in cells.
const MIN_NOTE: usize = 20;

impl Canvas<'_> {
    pub fn menu(&mut self, menu: &Menu) {
        if menu.fills_screen && self.app.layout.size.1 > 1 {
            return self.menu_over_screen(menu);
        }
        let (width, height) = self.app.layout.size;
        if width < 10 || height < 4 {
            return;
        }
        let typed = u16::from(menu.typed().is_some());
        let rows = (menu.lines.len())
            .min(menu.rows(height))
            .min(usize::from(height - 3 - typed));
        let widest = |cells: fn(&MenuLine) -> &str| {
            menu.lines
                .iter()
                .map(|line| text::width(cells(line)))
                .max()
                .unwrap_or(0)
        };
        let (name, note) = (widest(|line| &line.text), widest(|line| &line.note));
        let wanted = (name + 2 + note)
            .max(text::width(&menu.title) + 2)
            .max(NARROWEST)
            + 5;
        let box_width = wanted.min(usize::from(width) - 2) as u16;
        let frame = Area::new(
            (width - box_width) / 2,
            (height - rows as u16 - 2 - typed) / 2,
            box_width,
            rows as u16 + 2 + typed,
        );
        // The title may contain the name of a user schema, which is not sanitised.
        self.frame(frame, &format!(" {} ", text::one_line(&menu.title, 200)));
        let found = menu.found().len();
        if found > rows || typed > 0 {
            // Some lines are above or below.
            let place = format!(" {}/{found} ", (menu.chosen + 1).min(found));
            let dim = self.theme.dim;
            let mut row = self.edge(frame, frame.y + frame.height - 1);
            row.end -= 1;
            row.right(&place, dim);
        }
        let inside = frame.inside();
        if typed > 0 {
            self.typed_in_menu(menu, inside.row(inside.y));
        }
        self.menu_list(menu, inside.below(typed));
    }

    /// Draws a full-screen menu.
    fn menu_over_screen(&mut self, menu: &Menu) {
        let (width, height) = self.app.layout.size;
        let area = Area::new(0, 0, width, height.saturating_sub(1));
        self.clear_area(area);
        self.tint(area.row(0), self.theme.header);
        let mut row = self.row(area.row(0));
        row.skip(1);
        row.end = row.end.saturating_sub(1);
        let (found, all) = (menu.found().len(), menu.lines.len());
        row.right(&format!("{found} of {all}"), row.theme.dim);
        row.end = row.end.saturating_sub(2);
        if menu.typed().is_some() {
            let cells = row.end;
            self.typed_in_menu(menu, Area::new(0, 0, cells, 1));
        } else {
            row.put(&menu.title, row.theme.title_focus);
            row.skip(2);
            row.cut(
                "type to find (press / first to type j, k or q)",
                row.theme.dim,
            );
        }
        self.menu_list(menu, area.below(1));
    }

    /// Draws the rows around the selected line that fit into an area.
    fn menu_list(&mut self, menu: &Menu, area: Area) {
        let shown = menu.shown();
        let chosen = MenuRow::Line(menu.chosen);
        let last = shown.iter().position(|row| *row == chosen).unwrap_or(0);
        let top = (last + 1).saturating_sub(usize::from(area.height));
        let shown = shown.get(top..).unwrap_or_default();
        if shown.is_empty() && !area.is_empty() {
            let mut row = self.row(area);
            row.skip(1);
            row.cut(NO_MATCH, row.theme.dim);
        }
        let line = |row: &MenuRow<'_>| match row {
            MenuRow::Line(place) => menu.found_at(*place),
            MenuRow::Heading(_) => None,
        };
        let most = if menu.fills_screen {
            WIDEST_NAME
        } else {
            usize::from(area.width.saturating_sub(3))
        };
        let drawn = || shown.iter().zip(area.y..area.bottom());
        let names = drawn()
            .filter_map(|(row, _)| line(row))
            .filter(|(line, _)| !line.note.is_empty())
            .map(|(line, _)| text::width(&line.text))
            .max()
            .unwrap_or(0)
            .min(most);
        for (row, y) in drawn() {
            if let MenuRow::Heading(heading) = row {
                let mut row = self.row(area.row(y));
                row.skip(1);
                row.cut(heading, row.theme.heading);
            } else if let Some(line) = line(row) {
                self.menu_line(line, area.row(y), names, *row == chosen);
            }
        }
    }

    /// Draws a line: name, note if there is room, and key or kind at the right.
    fn menu_line(
        &mut self,
        (line, hits): (&MenuLine, &[usize]),
        area: Area,
        names: usize,
        is_chosen: bool,
    ) {
        let theme = self.theme;
        let base = if is_chosen {
            theme.selection
        } else {
            theme.text
        };
        let matched = theme.text.patch(theme.heading).patch(theme.link);
        let mut row = self.begin_row(area, base, is_chosen);
        let (right, style) = match &*line.key {
            "" => (line.kind, theme.dim),
            keys => (keys, theme.key),
        };
        row.skip(1);
        row.end = row.end.saturating_sub(1);
        if !right.is_empty() {
            row.right(right, style);
            row.end = row.end.saturating_sub(2);
        }
        let [name, note] = [&line.text, &line.note].map(|words| text::one_line(words, 400));
        let has_note = row.room() >= names + 2 + MIN_NOTE.min(text::width(&note));
        let names = if has_note && !note.is_empty() {
            names
        } else {
            row.room()
        };
        row.column(names, 2, |row| {
            if hits.is_empty() || text::width(&name) > row.room() {
                return row.cut(&name, theme.text);
            }
            for (place, c) in name.chars().enumerate() {
                let is_hit = hits.contains(&place);
                let style = if is_hit { matched } else { theme.text };
                row.put(c.encode_utf8(&mut [0; 4]), style);
            }
        });
        row.cut(&note, theme.dim);
    }

    /// Clears a box and draws its border and title.
    fn frame(&mut self, frame: Area, title: &str) {
        self.clear_area(frame);
        Block::bordered()
            .border_set(self.glyphs.border)
            .border_style(self.theme.border_focus)
            .render(rect(frame).intersection(self.buffer.area), self.buffer);
        let style = self.theme.title_focus;
        self.edge(frame, frame.y).cut(title, style);
    }

    /// Draws the rule and title of a drawer. Returns the rest of the row.
    pub fn begin_drawer(&mut self, drawer: Area, title: &str) -> Row<'_> {
        self.clear_area(drawer);
        let theme = self.theme;
        let rule = self.glyphs.border.horizontal_top;
        let mut row = self.row(drawer);
        row.put(&rule.repeat(row.room()), theme.border_focus);
        row.x = drawer.x + 1;
        row.put(title, theme.title_focus);
        row
    }

    /// Starts a row of a list; the selected one is highlighted.
    pub fn begin_row(&mut self, area: Area, base: Style, is_chosen: bool) -> Row<'_> {
        // The symbol also shows the selection on terminals without colour.
        let sign = if is_chosen { self.glyphs.selected } else { " " };
        let mut row = self.tinted(area, base);
        row.put(sign, row.theme.text);
        row
    }

    /// Draws the typed text with the cursor.
    fn typed_in_menu(&mut self, menu: &Menu, area: Area) {
        let Some((typed, cursor)) = menu.typed() else {
            return;
        };
        let mut row = self.row(area);
        row.put("> ", row.theme.key);
        let cells = InputCells::of(typed);
        let hidden = cells.scrolled(cells.at(cursor), row.room());
        self.caret = row.typed(&cells, hidden, Some(cursor), None);
    }
}
