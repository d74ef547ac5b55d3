//! Menus: in a box, or over the whole screen.

use ratatui::style::Style;
use ratatui::widgets::{Block, Widget};

use super::input_line::InputCells;
use super::row::Row;
use super::{Canvas, rect};
use crate::app::{Area, Menu, MenuCell, MenuLine, NO_MATCH};
use crate::text;

/// Minimum width of a menu in cells.
const NARROWEST: usize = 24;
/// Maximum widths, in cells, of names in a full-screen menu and of keys in columns.
const WIDEST_NAME: usize = 34;
const WIDEST_KEY: usize = 9;
/// Maximum width of keys, in cells, in columns narrower than [`WIDE_COLUMN`].
const NARROW_KEY: usize = 5;
const WIDE_COLUMN: u16 = 40;
/// Minimum width of a note in cells.
const MIN_NOTE: usize = 20;

/// Returns the first key of a line.
fn first_key(line: &MenuLine) -> &str {
    line.key.split("  ").next().unwrap_or_default()
}

impl Canvas<'_> {
    pub fn menu(&mut self, menu: &Menu) {
        if menu.fills_screen && self.browser.layout.size.1 > 1 {
            return self.menu_over_screen(menu);
        }
        let (width, height) = self.browser.layout.size;
        if width < 10 || height < 4 {
            return;
        }
        let typed = u16::from(menu.typed().is_some());
        let rows = (menu.lines.len())
            .min(menu.rows(height))
            .min(usize::from(height - 3 - typed));
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
        let area = inside.below(typed);
        self.menu_list(menu, area);
    }

    /// Draws a full-screen menu: in columns, or matching lines below each other.
    fn menu_over_screen(&mut self, menu: &Menu) {
        let (width, height) = self.browser.layout.size;
        let area = Area::new(0, 0, width, height.saturating_sub(1));
        self.clear_area(area);
        self.tint(area.row(0), self.theme.header);
        let (found, all) = (menu.found().len(), menu.lines.len());
        let mut row = self.row(area.row(0));
        row.skip(1);
        row.end = row.end.saturating_sub(1);
        if menu.typed().is_some() {
            row.right(&format!("{found} of {all}"), row.theme.dim);
            let cells = row.end.saturating_sub(2);
            self.typed_in_menu(menu, Area::new(0, 0, cells, 1));
            return self.menu_list(menu, area.below(1));
        }
        row.put(&menu.title, row.theme.title_focus);
        row.skip(2);
        row.cut(
            "type to find (press / first to type j, k or q)",
            row.theme.dim,
        );
        let columns = menu.columns((width, height));
        let cells = width / (columns.len() as u16).max(1);
        let mut shown = 0;
        for (column, at) in columns.iter().zip(0..) {
            let area = Area::new(at * cells, 1, cells, area.height.saturating_sub(1));
            shown += self.menu_cells(menu, column, area, true);
        }
        if shown < found {
            let mut cells = columns.iter().flatten();
            let first = cells.find_map(|cell| match cell {
                MenuCell::Line(place) => Some(*place),
                MenuCell::Heading(_) | MenuCell::Gap => None,
            });
            let first = first.unwrap_or(0);
            let place = format!("{}-{} of {found}", first + 1, first + shown);
            let mut row = self.row(area.row(0));
            row.end = row.end.saturating_sub(1);
            row.right(&place, row.theme.dim);
        }
    }

    /// Draws the lines around the selected one that fit into an area.
    fn menu_list(&mut self, menu: &Menu, area: Area) {
        let rows = usize::from(area.height);
        let top = (menu.chosen + 1).saturating_sub(rows);
        let shown = top..menu.found().len().min(top + rows);
        let cells: Vec<_> = shown.map(MenuCell::Line).collect();
        if cells.is_empty() && !area.is_empty() {
            let mut row = self.row(area);
            row.skip(1);
            row.cut(NO_MATCH, row.theme.dim);
        }
        self.menu_cells(menu, &cells, area, false);
    }

    /// Draws a column of headings and lines, in `is_narrow` columns with keys on the left. Returns
    /// the number of lines.
    fn menu_cells(
        &mut self,
        menu: &Menu,
        cells: &[MenuCell<'_>],
        area: Area,
        is_narrow: bool,
    ) -> usize {
        let line = |cell: &MenuCell<'_>| match cell {
            MenuCell::Line(place) => menu.found_at(*place),
            MenuCell::Heading(_) | MenuCell::Gap => None,
        };
        let lines = || cells.iter().filter_map(line).map(|(line, _)| line);
        let most = match area.width < WIDE_COLUMN {
            true => NARROW_KEY,
            false => WIDEST_KEY,
        };
        let keys = lines().map(|line| text::width(first_key(line))).max();
        let keys = keys.filter(|_| is_narrow).map(|keys| keys.min(most));
        let names = lines().filter(|line| !line.note.is_empty());
        let most = match menu.fills_screen {
            true => WIDEST_NAME,
            false => usize::from(area.width.saturating_sub(3)),
        };
        let names = names.map(|line| text::width(&line.text)).max();
        let widths = (keys, names.unwrap_or(0).min(most));
        for (cell, y) in cells.iter().zip(area.y..area.bottom()) {
            let area = area.row(y);
            if let MenuCell::Heading(heading) = cell {
                let mut row = self.row(area);
                row.skip(1);
                row.cut(heading, row.theme.heading);
            } else if let Some(line) = line(cell) {
                let is_chosen = *cell == MenuCell::Line(menu.chosen);
                self.menu_line(line, area, widths, is_chosen);
            }
        }
        lines().count()
    }

    /// Draws a line: key, name, and the note if there is room; without a key column, the key or
    /// kind is at the right.
    fn menu_line(
        &mut self,
        (line, hits): (&MenuLine, &[usize]),
        area: Area,
        (keys, names): (Option<usize>, usize),
        is_chosen: bool,
    ) {
        let theme = self.theme;
        let base = match is_chosen {
            true => theme.selection,
            false => theme.text,
        };
        let matched = theme.text.patch(theme.heading).patch(theme.link);
        let mut row = self.begin_row(area, base, is_chosen);
        let (right, style) = match &*line.key {
            "" => (line.kind, theme.dim),
            keys => (keys, theme.key),
        };
        if let Some(keys) = keys.filter(|keys| *keys > 0) {
            row.column(keys, 1, |row| row.cut(first_key(line), theme.key));
        } else {
            row.skip(1);
        }
        row.end = row.end.saturating_sub(1);
        if keys.is_none() && !right.is_empty() {
            row.right(right, style);
            row.end = row.end.saturating_sub(2);
        }
        let [name, note] = [&line.text, &line.note].map(|words| text::one_line(words, 400));
        let has_note = row.room() >= names + 2 + MIN_NOTE.min(text::width(&note));
        let names = match has_note && !note.is_empty() {
            true => names,
            false => row.room(),
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
        let block = Block::bordered()
            .border_set(self.glyphs.border)
            .border_style(self.theme.border_focus);
        block.render(rect(frame).intersection(self.buffer.area), self.buffer);
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
