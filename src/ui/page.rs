//! Pages: the one painter of [`PageDoc`], for the screen, a picture and plain text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::glyphs::Glyphs;
use super::row::Row;
use super::{Canvas, Look, Theme};
use crate::app::{
    Action, Area, LEFT, PageContent, PageDoc, PageItem, PageMark, PageSpot, PageTone, PageView,
    Scroll,
};
use crate::profile::Profile;
use crate::text;

/// The left part of a cell, in eighths.
const EIGHTHS: [&str; 7] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Marks of a page on cells.
struct PagePainter<'b> {
    buffer: &'b mut Buffer,
    theme: &'b Theme,
    glyphs: &'b Glyphs,
    /// Where the page is painted.
    area: Area,
    /// The first line on the screen.
    top: usize,
}

/// Paints the whole page of a profile, `width` cells wide, for a picture or plain text.
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
    painter.paint(&page);
    buffer
}

impl Canvas<'_> {
    /// A page, as far as it shows, with its cursor.
    pub fn page(&mut self, page: &PageView<dyn PageContent>) {
        let (width, height) = self.browser.layout.size;
        let (doc, area, top) = (&page.doc, page.area(), page.top);
        if doc.lines == 0 {
            let (line, dim) = (Area::new(LEFT, 2, width, 1), self.theme.dim);
            return self.row(line).put(&doc.progress, dim);
        }
        let spot = doc.spots.get(page.at);
        self.page_head(doc, spot.map_or(top, |spot| spot.y));
        let mut painter = PagePainter {
            buffer: self.buffer,
            theme: self.theme,
            glyphs: self.glyphs,
            area,
            top,
        };
        painter.paint(doc);
        let rows = usize::from(area.height);
        let line = Area::new(LEFT, area.y, width.saturating_sub(2 * LEFT), 1);
        let parts = doc.text.parts(top..top + rows).zip(top..);
        for ((part, at), y) in parts.zip(area.y..) {
            self.part(part, Area { y, ..line }, &page.highlights(at));
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
        if doc.lines > top + rows && bottom + 1 < height && (height >= 16 || !has_footer) {
            let actions = [Action::NextSample, Action::Scroll(Scroll::LineDown)];
            let mut actions = actions.into_iter();
            let key = actions.find_map(|action| self.browser.key_for(action));
            let words = key.map_or("more below".to_owned(), |key| format!("{key} for more"));
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
            let area = Area::new(LEFT, y, width.saturating_sub(LEFT + 1), rows);
            self.page_footer(spot, area);
        }
    }

    /// The names of the sections, the one with the cursor set off, and what is being counted.
    fn page_head(&mut self, doc: &PageDoc, line: usize) {
        let (width, _) = self.browser.layout.size;
        let theme = self.theme;
        let mut row = self.edge(Area::new(0, 1, width, 1), 1);
        if !doc.progress.is_empty() {
            row.right(&doc.progress, theme.progress);
            row.end = row.end.saturating_sub(1);
        }
        let here = doc.section_at(line);
        let name = |at: usize, title: &str| match at == here {
            // Brackets mark it where colours do not.
            true => format!("[{title}]"),
            false => format!(" {title} "),
        };
        let names = doc.sections.iter().enumerate();
        let names: Vec<_> = names.map(|(at, (_, title))| name(at, title)).collect();
        let room = row.room();
        // Where not all fit, those before the one with the cursor give way.
        let fits = |first: &usize| {
            let shown = names.iter().take(here + 1).skip(*first);
            let cells: usize = shown.map(|name| text::width(name)).sum();
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

    /// What the cursor is on, which query finds it, and what is counted.
    fn page_footer(&mut self, spot: &PageSpot, area: Area) {
        let theme = self.theme;
        let key = self.browser.key_for(Action::Zoom).unwrap_or_default();
        let (width, bottom) = (usize::from(area.width), area.y + area.height);
        let words = text::one_line(&format!("{}: {}", spot.label, spot.value), 1000);
        let rows = area.height.saturating_sub(u16::from(spot.query.is_ok()));
        let mut row = self.row(area);
        let mut y = area.y;
        for line in text::folded(&words, width, usize::from(rows.max(1))) {
            (row.x, row.y) = (area.x, y);
            row.cut(&line, theme.text);
            y += 1;
        }
        if let Ok(query) = &spot.query {
            let words = format!("{key} shows ");
            let query = text::one_line(query, 400);
            // Beside the words where it fits, else below them.
            row.skip(3);
            if text::width(&words) + text::width(&query) > row.room() {
                (row.x, row.y) = (area.x, y);
            }
            if row.y < bottom {
                row.put(&words, theme.dim);
                row.cut(&query, theme.header_query);
            }
            y = row.y + 1;
        }
        let about = text::one_line(&spot.about, 1000);
        let rows = bottom.saturating_sub(y);
        for (line, y) in (text::folded(&about, width, usize::from(rows)).iter()).zip(y..bottom) {
            (row.x, row.y) = (area.x, y);
            row.cut(line, theme.dim);
        }
    }
}

impl PagePainter<'_> {
    /// Paints what shows.
    fn paint(&mut self, page: &PageDoc) {
        let bottom = self.top + usize::from(self.area.height);
        for item in &page.items {
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
            PageMark::Heading(title) => {
                let rule = row.glyphs.border.horizontal_top;
                row.column(2, 1, |row| row.put(&rule.repeat(2), theme.border));
                row.put(title, theme.heading);
                row.skip(1);
                row.put(&rule.repeat(row.room()), theme.border);
            }
            PageMark::Words(words, tone) => row.put(words, theme.tone(*tone)),
            PageMark::Right(words, tone) => row.right(words, theme.tone(*tone)),
            PageMark::Heat(words, value) => row.right(words, theme.heat(*value)),
            PageMark::Sign(severity, tone) => {
                row.put(row.glyphs.severity(*severity), theme.tone(*tone));
            }
            PageMark::Bar { whole, shown } => row.page_bar(item.width, *whole, *shown),
        }
    }
}

impl Theme {
    fn tone(&self, tone: PageTone) -> Style {
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
        }
    }

    /// The stronger, the further from zero; what goes against each other has a colour of its own.
    fn heat(&self, value: f64) -> Style {
        let (style, is_strong) = match value {
            ..=-0.1 => (self.side_b, value <= -0.5),
            ..0.1 => (self.faint, false),
            ..0.3 => (self.ramp[1], false),
            ..0.5 => (self.ramp[2], false),
            ..0.8 => (self.ramp[3], false),
            _ => (self.ramp[4], true),
        };
        match is_strong {
            true => style.add_modifier(Modifier::BOLD),
            false => style,
        }
    }
}

impl Row<'_> {
    /// The whole as a bar; where a query chooses, what is shown as a bar, and what it lacks or has
    /// more of than the whole.
    fn page_bar(&mut self, width: u16, whole: f64, shown: Option<f64>) {
        let (theme, glyphs) = (self.theme, self.glyphs);
        let cells = |part: f64| match (part * f64::from(width)).round() as usize {
            // What is there at all shows as one cell at least.
            0 if part > 0.0 => 1,
            cells => cells.min(width.into()),
        };
        let Some(shown) = shown.map(cells) else {
            return self.put(&self.fine_bar(whole, width), theme.ramp[3]);
        };
        let whole = cells(whole);
        let both = whole.min(shown);
        self.put(&glyphs.chart_full.repeat(both), theme.ramp[3]);
        self.put(&glyphs.chart_full.repeat(shown - both), theme.gain);
        self.put(&glyphs.chart_empty.repeat(whole - both), theme.ramp_empty);
    }

    /// A bar `width` cells wide, filled to `part` (0 to 1), in eighths of a cell where the glyphs have these.
    fn fine_bar(&self, part: f64, width: u16) -> String {
        let full = self.glyphs.chart_full;
        let eighths = (part * f64::from(width) * 8.0).round() as usize;
        // What is there at all shows.
        let eighths = match eighths {
            0 if part > 0.0 => 1,
            eighths => eighths.min(usize::from(width) * 8),
        };
        if *self.glyphs == Glyphs::ASCII {
            return full.repeat(eighths.div_ceil(8).max(usize::from(part > 0.0)));
        }
        let rest = match eighths % 8 {
            0 => "",
            rest => EIGHTHS[rest - 1],
        };
        full.repeat(eighths / 8) + rest
    }
}
