//! Draws a [`PageDoc`], for the screen, a picture and plain text.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::card::bold;
use super::glyphs::Glyphs;
use super::row::Row;
use super::{Canvas, Look, Theme};
use crate::app::{
    Action, Area, LEFT, PageContent, PageDoc, PageItem, PageMark, PageSpot, PageTone, PageView,
    Scroll,
};
use crate::profile::Profile;
use crate::text;

/// Draws the items of a page.
struct PagePainter<'b> {
    buffer: &'b mut Buffer,
    theme: &'b Theme,
    glyphs: &'b Glyphs,
    /// Area of the page.
    area: Area,
    /// First visible line.
    top: usize,
}

/// Draws the whole page of a profile, `width` cells wide, for a picture or plain text.
pub fn statistics_picture(profile: &Profile, width: u16, look: &Look) -> Buffer {
    let page = PageDoc::of_profile(profile, 1, width.saturating_sub(2));
    let height = u16::try_from(page.lines).unwrap_or(u16::MAX);
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height.max(1)));
    let mut painter = PagePainter {
        buffer: &mut buffer,
        theme: &look.theme,
        glyphs: &look.glyphs,
        area: Area::new(0, 0, width, height),
        top: 0,
    };
    painter.paint(&page.items);
    buffer
}

impl Canvas<'_> {
    /// Draws the visible part of a page with its cursor.
    pub fn page(&mut self, page: &PageView<dyn PageContent>) {
        let (width, height) = self.app.layout.size;
        let (doc, area, top) = (&page.doc, page.area(), page.top);
        if doc.lines == 0 {
            let (line, dim) = (Area::new(LEFT, area.y, width, 1), self.theme.dim);
            return self.row(line).put(&doc.progress, dim);
        }
        let spot = doc.spots.get(page.at);
        let rows = usize::from(area.height);
        let head = Area::new(0, area.y.saturating_sub(1), width, 1);
        let here = spot.map_or(0, |spot| spot.section);
        self.page_head(doc, head, here, top..top + rows);
        let mut painter = PagePainter {
            buffer: self.buffer,
            theme: self.theme,
            glyphs: self.glyphs,
            area,
            top,
        };
        painter.paint(&doc.items);
        painter.area = head;
        painter.top = 0;
        painter.paint(&doc.heading);
        let line = Area::new(LEFT, area.y, width.saturating_sub(2 * LEFT), 1);
        let parts = doc.text.parts(top..top + rows).zip(top..);
        for ((part, at), y) in parts.zip(area.y..) {
            self.part(part, Area { y, ..line }, &page.highlights(at));
        }
        for pane in &doc.panes {
            let first = area.y + pane.y as u16;
            let parts = pane.text.parts(0..pane.lines.min(pane.text.len()));
            for (part, y) in parts.zip(first..area.bottom()) {
                self.part(part, Area::new(pane.x, y, pane.width, 1), &[]);
            }
        }
        let bottom = area.y + area.height;
        let (x, at, cells) = match spot {
            Some(spot) => (spot.x, spot.y, spot.marked),
            None => (1, page.at, 0),
        };
        if let Some(row) = at.checked_sub(top).filter(|row| *row < rows)
            && (spot.is_some() || doc.by_line)
        {
            let (y, key) = (area.y + row as u16, self.theme.key);
            let sign = self.glyphs.selected;
            let before = Area::new(x.saturating_sub(1), y, 1, 1);
            self.row(before).put(sign, key);
            let cells = cells.min(width.saturating_sub(x));
            self.tint(Area::new(x, y, cells, 1), self.theme.selection);
        }
        let has_footer = doc.has_footer();
        if doc.lines > top + rows && bottom + 1 < height && !has_footer {
            let mut actions = [Action::NextSample, Action::Scroll(Scroll::LineDown)].into_iter();
            let words = actions
                .find_map(|action| self.app.key_for(action))
                .map_or("more below".to_owned(), |key| format!("{key} for more"));
            let dim = self.theme.dim;
            self.row(Area { y: bottom, ..line }).put(&words, dim);
        }
        if let Some(spot) = spot.filter(|_| has_footer) {
            let rows = match height {
                ..16 => 1,
                16..22 => 2,
                _ => 3,
            };
            let y = height.saturating_sub(rows + 1);
            let area = Area::new(1, y, width.saturating_sub(2), rows);
            self.page_footer(spot, area, height >= 16);
        }
    }

    /// Draws the section names with the current one highlighted, the progress of counts, and which
    /// cards are visible.
    fn page_head(&mut self, doc: &PageDoc, area: Area, here: usize, lines: Range<usize>) {
        let theme = self.theme;
        let mut row = self.edge(area, area.y);
        let is_shown = |card: &&Range<usize>| lines.contains(&card.start);
        let before = doc.cards.iter().filter(|card| card.start < lines.start);
        let (before, shown) = (before.count(), doc.cards.iter().filter(is_shown).count());
        if !doc.heading.is_empty() {
            return;
        }
        let mut asides = vec![(doc.progress.clone(), theme.progress)];
        if shown < doc.cards.len() {
            let words = format!(
                "cards {}-{} of {}",
                before + 1,
                before + shown,
                doc.cards.len()
            );
            asides.push((words, theme.dim));
        }
        for (words, style) in asides.iter().filter(|(words, _)| !words.is_empty()) {
            row.right(words, *style);
            row.end = row.end.saturating_sub(2);
        }
        let name = |at: usize, title: &str| match at == here {
            // Brackets mark the current section on terminals without colours.
            true => format!("[{title}]"),
            false => format!(" {title} "),
        };
        let names: Vec<_> = doc
            .sections
            .iter()
            .enumerate()
            .map(|(at, title)| name(at, title))
            .collect();
        let room = row.room();
        // If not all names fit, the first ones are left out.
        let fits = |first: &usize| {
            let cells: usize = names
                .iter()
                .take(here + 1)
                .skip(*first)
                .map(|name| text::width(name))
                .sum();
            cells <= room || *first == here
        };
        let first = (0..=here).find(fits).unwrap_or(here);
        for (at, name) in names.iter().enumerate().skip(first) {
            if text::width(name) > row.room() {
                break;
            }
            let style = if at == here {
                theme.title_focus
            } else {
                theme.dim
            };
            row.put(name, style);
        }
        row.skip(2);
        row.cut(&doc.aside, theme.dim);
    }

    /// Draws label, value and query of the selected item, below a rule with the label if there is
    /// room.
    fn page_footer(&mut self, spot: &PageSpot, area: Area, has_rule: bool) {
        let theme = self.theme;
        let key = self.app.key_for(Action::Zoom).unwrap_or_default();
        let (width, bottom) = (usize::from(area.width), area.y + area.height);
        let label = text::one_line(&spot.label, 200);
        let value = text::one_line(&spot.value, 1000);
        let mut words = if spot.label.is_empty() {
            value.clone()
        } else {
            format!("{label}: {value}")
        };
        if has_rule {
            let line = Area::new(0, area.y.saturating_sub(1), area.width + 2, 1);
            let mut rule = self.rule(line, theme.border_focus);
            rule.end = rule.end.saturating_sub(1);
            rule.cut(&format!(" {label} "), theme.strong);
            if text::width(&value) < rule.room() {
                rule.text(&format!("{value} "), theme.dim);
                words.clear();
            } else {
                words = value;
            }
        }
        // The query is on the last row, after other words if it fits.
        let lines = |words: &str, rows: u16| {
            if words.is_empty() {
                Vec::new()
            } else {
                text::folded(words, width, usize::from(rows))
            }
        };
        let rows = area
            .height
            .saturating_sub(u16::from(spot.query.is_ok()))
            .max(1);
        let value_lines = lines(&words, rows);
        let about = text::one_line(&spot.about, 1000);
        let rows = rows.saturating_sub(value_lines.len() as u16);
        let about = if rows > 0 {
            lines(&about, rows)
        } else {
            Vec::new()
        };
        let value_lines = value_lines.iter().map(|line| (line, theme.text));
        let mut row = self.row(area);
        let mut y = area.y;
        for (line, style) in value_lines.chain(about.iter().map(|line| (line, theme.dim))) {
            (row.x, row.y) = (area.x, y);
            row.cut(line, style);
            row.skip(3);
            y += 1;
        }
        if let Ok(query) = &spot.query {
            let words = format!("{key} shows ");
            let query = text::one_line(query, 400);
            if y < bottom || text::width(&words) + text::width(&query) > row.room() {
                (row.x, row.y) = (area.x, y);
            }
            if row.y < bottom {
                row.put(&words, theme.dim);
                row.cut(&query, theme.header_query);
            }
        }
    }
}

impl PagePainter<'_> {
    /// Draws the visible items.
    fn paint(&mut self, items: &[PageItem]) {
        let bottom = self.top + usize::from(self.area.height);
        for item in items {
            if (self.top..bottom).contains(&item.y) {
                self.item(item);
            }
        }
    }

    fn item(&mut self, item: &PageItem) {
        let theme = self.theme;
        let mut row = Row {
            buffer: self.buffer,
            theme,
            glyphs: self.glyphs,
            base: Style::default(),
            x: item.x,
            y: self.area.y + (item.y - self.top) as u16,
            end: (item.x + item.width).min(self.area.right()),
        };
        match &item.what {
            PageMark::Words(words, tone) => row.put(words, theme.tone(*tone)),
            PageMark::Interval(_, _) if *row.glyphs == Glyphs::SPOKEN => {}
            PageMark::Interval(words, tone) => row.put(words, theme.tone(*tone)),
            PageMark::Right(words, tone) => row.right(words, theme.tone(*tone)),
            PageMark::Heat(words, value) => row.right(words, theme.heat(*value)),
            PageMark::Sign(severity, tone) => {
                row.put(row.glyphs.severity(*severity), theme.tone(*tone));
            }
            PageMark::Rule(tone) => {
                let rule = row.glyphs.rule.horizontal;
                row.text(&rule.repeat(row.room()), theme.tone(*tone));
            }
            PageMark::Divider { is_top } => {
                let rule = &row.glyphs.rule;
                let sign = if *is_top {
                    rule.horizontal_down
                } else {
                    rule.vertical
                };
                row.text(sign, theme.border);
            }
            PageMark::Bar { part, mark, tone } => {
                row.bar(item.width.into(), *part, *mark, theme.tone(*tone));
            }
        }
    }
}

impl Theme {
    pub(super) fn tone(&self, tone: PageTone) -> Style {
        let theme = self;
        match tone {
            PageTone::Heading => theme.heading,
            PageTone::Title => theme.strong,
            PageTone::Value => theme.text,
            PageTone::Name => theme.dim,
            PageTone::Shown => theme.header_query,
            PageTone::Key => theme.key,
            PageTone::Faint => theme.faint,
            PageTone::Severity(severity) => theme.severity(severity),
            PageTone::Response(response) => bold(theme.response(response)),
            PageTone::Winner(response) => {
                bold(theme.response(response)).add_modifier(Modifier::REVERSED)
            }
            PageTone::Focus => theme.border_focus,
        }
    }

    /// Returns the colour of a correlation: stronger with its distance from zero, another colour if
    /// negative.
    fn heat(&self, value: f64) -> Style {
        let (style, is_strong) = match value {
            ..=-0.1 => (self.side_b, value <= -0.5),
            ..0.1 => (self.faint, false),
            ..0.3 => (self.ramp[1], false),
            ..0.5 => (self.ramp[2], false),
            ..0.8 => (self.ramp[3], false),
            _ => (self.ramp[4], true),
        };
        if is_strong {
            style.add_modifier(Modifier::BOLD)
        } else {
            style
        }
    }
}
