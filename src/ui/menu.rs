//! Lists on top of the panes, to choose one line of: menus, and the palette with what is typed.

use ratatui::layout::Position;
use ratatui::style::Style;
use ratatui::widgets::{Block, Widget};

use super::row::Row;
use super::{Canvas, rect};
use crate::app::{Area, Menu, MenuLine, Palette};
use crate::text;

/// The narrowest menu.
const NARROWEST: usize = 24;
/// Maximum width of the palette, so that a description is close to its name.
const WIDEST: u16 = 110;
/// Columns of names in the palette, at most.
const WIDEST_NAME: usize = 34;

impl Canvas<'_> {
    pub fn menu(&mut self, menu: &Menu) {
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
            let dim = self.theme.dim;
            let mut row = self.edge(frame, frame.y + frame.height - 1);
            row.end -= 1;
            row.right(&place, dim);
        }
        let lines = menu.lines.iter().map(|line| (line, &[][..]));
        self.lines_to_choose(frame.inside(), lines, menu.chosen, usize::MAX);
    }

    pub fn palette(&mut self, palette: &Palette) {
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
        self.palette_line(palette, inside);
        let area = inside.below(1);
        if found == 0 {
            let dim = self.theme.dim;
            let mut row = self.row(area.row(area.y + 1));
            row.skip(2);
            row.cut("No match; try fewer letters.", dim);
        }
        self.lines_to_choose(area, palette.found(), palette.chosen, WIDEST_NAME);
    }

    /// Begins a box on top of what is there.
    fn frame(&mut self, frame: Area, title: &str) {
        self.wipe(frame);
        let block = Block::bordered()
            .border_set(self.glyphs.border)
            .border_style(self.theme.border_focus);
        block.render(rect(frame).intersection(self.buffer.area), self.buffer);
        let style = self.theme.title_focus;
        self.edge(frame, frame.y).cut(title, style);
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
        let base = match is_chosen {
            true => theme.selection,
            false => theme.text,
        };
        let matched = theme.text.patch(theme.heading).patch(theme.link);
        let mut row = self.begin_row(area, base, is_chosen);
        row.skip(1);
        let (right, style) = match &*line.key {
            "" => (line.kind, theme.dim),
            keys => (keys, theme.key),
        };
        if !right.is_empty() {
            row.end = row.end.saturating_sub(1);
            row.right(right, style);
            row.end = row.end.saturating_sub(2);
        }
        let name = text::one_line(&line.text, 200);
        row.column(name_width.into(), 1, |row| {
            if hits.is_empty() || text::width(&name) > row.room() {
                return row.cut(&name, theme.text);
            }
            for (place, c) in name.chars().enumerate() {
                let is_hit = hits.contains(&place);
                let style = if is_hit { matched } else { theme.text };
                row.put(c.encode_utf8(&mut [0; 4]), style);
            }
        });
        row.skip(1);
        row.cut(&text::one_line(&line.note, 400), theme.dim);
    }

    /// Begins a drawer: a rule with a title, behind which it goes on.
    pub fn begin_drawer(&mut self, drawer: Area, title: &str) -> Row<'_> {
        self.wipe(drawer);
        let theme = self.theme;
        let rule = self.glyphs.border.horizontal_top;
        let mut row = self.row(drawer);
        row.put(&rule.repeat(row.room()), theme.border_focus);
        row.x = drawer.x + 1;
        row.put(title, theme.title_focus);
        row
    }

    /// Begins a row of a list in the style that sets the chosen one off.
    pub fn begin_row(&mut self, area: Area, base: Style, is_chosen: bool) -> Row<'_> {
        // A sign tells it too: not every terminal shows the colour.
        let sign = if is_chosen { self.glyphs.selected } else { " " };
        let mut row = self.tinted(area, base);
        row.put(sign, row.theme.text);
        row
    }

    /// What is typed, with its cursor.
    fn palette_line(&mut self, palette: &Palette, area: Area) {
        let theme = self.theme;
        let mut row = self.row(area);
        row.put("> ", theme.key);
        let (typed, cursor) = palette.text();
        let room = row.room().saturating_sub(1);
        // The end is what one types at.
        let mut from = 0;
        while text::width(typed.get(from..cursor).unwrap_or_default()) > room {
            from += typed[from..].chars().next().map_or(1, char::len_utf8);
        }
        let (before, behind) = (&typed[from..cursor], &typed[cursor..]);
        let under = behind.chars().next().map_or(" ".to_owned(), String::from);
        row.text(&text::one_line(before, room + 1), theme.text);
        row.skip(usize::from(before.ends_with(' ')));
        let caret = Position::new(row.x, row.y);
        row.text(&under, theme.cursor);
        let rest = behind.get(under.len()..).unwrap_or_default();
        row.cut(&text::one_line(rest, room + 1), theme.text);
        self.caret = Some(caret);
    }
}
