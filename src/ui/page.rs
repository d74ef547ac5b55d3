//! Pages: the one painter of [`PageDoc`], for the screen, a picture and plain text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::glyphs::{Glyphs, ascii_twins};
use super::{Canvas, Look, Theme};
use crate::app::{
    Action, Area, LEFT, PageContent, PageDoc, PageItem, PageMark, PageSpot, PageTone, PageView,
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
    pub(super) fn page(&mut self, page: &PageView<dyn PageContent>) {
        let (width, height) = self.browser.layout.size;
        let (doc, area, top) = (&page.doc, page.area(), page.top);
        if doc.lines == 0 {
            self.put(LEFT, 2, width, &doc.progress, self.theme.dim);
            return;
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
            self.put(x.saturating_sub(1), y, x, sign, key);
            let cells = cells.min(width.saturating_sub(x));
            self.tint(Area::new(x, y, cells, 1), self.theme.selection);
        }
        let has_footer = doc.has_footer();
        if doc.lines > top + rows && bottom + 1 < height && (height >= 16 || !has_footer) {
            self.put_more(LEFT, bottom);
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
        let (on, off) = (self.theme.title_focus, self.theme.dim);
        let mut end = width.saturating_sub(1);
        if !doc.progress.is_empty() {
            let x = end.saturating_sub(text::width(&doc.progress) as u16);
            self.put(x, 1, end, &doc.progress, self.theme.progress);
            end = x.saturating_sub(1);
        }
        let here = doc.section_at(line);
        let name = |at: usize, title: &str| match at == here {
            // Brackets mark it where colours do not.
            true => format!("[{title}]"),
            false => format!(" {title} "),
        };
        let names = doc.sections.iter().enumerate();
        let names: Vec<_> = names.map(|(at, (_, title))| name(at, title)).collect();
        let room = usize::from(end.saturating_sub(1));
        // Where not all fit, those before the one with the cursor give way.
        let fits = |first: &usize| {
            let shown = names.iter().take(here + 1).skip(*first);
            let cells: usize = shown.map(|name| text::width(name)).sum();
            cells <= room || *first == here
        };
        let first = (0..=here).find(fits).unwrap_or(here);
        let mut x = 1;
        for (at, name) in names.iter().enumerate().skip(first) {
            if usize::from(x) + text::width(name) > room + 1 {
                break;
            }
            x = self.put(x, 1, end, name, if at == here { on } else { off });
        }
        self.cut(x + 2, 1, end, &doc.aside, off);
    }

    /// What the cursor is on, which query finds it, and what is counted.
    fn page_footer(&mut self, spot: &PageSpot, area: Area) {
        let (end, bottom) = (area.right(), area.y + area.height);
        let theme = self.theme;
        let width = usize::from(area.width);
        let words = text::one_line(&format!("{}: {}", spot.label, spot.value), 1000);
        let rows = area
            .height
            .saturating_sub(u16::from(spot.query.is_ok()))
            .max(1);
        let (mut x, mut y) = (area.x, area.y);
        for line in text::folded(&words, width, usize::from(rows)) {
            x = self.cut(area.x, y, end, &line, theme.text);
            y += 1;
        }
        if let Ok(query) = &spot.query {
            let key = self.browser.key_for(Action::Zoom).unwrap_or_default();
            let words = format!("{key} shows ");
            let query = text::one_line(query, 400);
            let cells = text::width(&words) + text::width(&query) + 3;
            // Beside the words where it fits, else below them.
            let is_beside = cells <= usize::from(end.saturating_sub(x));
            (x, y) = if is_beside {
                (x + 3, y - 1)
            } else {
                (area.x, y)
            };
            if y < bottom {
                x = self.put(x, y, end, &words, theme.dim);
                self.cut(x, y, end, &query, theme.header_query);
            }
            y += 1;
        }
        let about = text::one_line(&spot.about, 1000);
        let rows = bottom.saturating_sub(y);
        for (line, y) in text::folded(&about, width, usize::from(rows))
            .iter()
            .zip(y..bottom)
        {
            self.cut(area.x, y, end, line, theme.dim);
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
        let y = self.area.y + (item.y - self.top) as u16;
        let end = (item.x + item.width).min(self.area.right());
        let theme = self.theme;
        match &item.what {
            PageMark::Heading(title) => {
                let rule = self.glyphs.border.horizontal_top;
                let x = self.put(item.x, y, end, &rule.repeat(2), theme.border);
                let x = self.put(x + 1, y, end, title, theme.heading);
                let rest = usize::from(end.saturating_sub(x + 1));
                self.put(x + 1, y, end, &rule.repeat(rest), theme.border);
            }
            PageMark::Words(words, tone) => {
                self.put(item.x, y, end, words, self.tone(*tone));
            }
            PageMark::Right(words, tone) => self.right(item.x, y, end, words, self.tone(*tone)),
            PageMark::Heat(words, value) => self.right(item.x, y, end, words, self.heat(*value)),
            PageMark::Sign(severity, tone) => {
                let sign = self.glyphs.severity(*severity);
                self.put(item.x, y, end, sign, self.tone(*tone));
            }
            PageMark::Bar { whole, shown } => self.bar(item, y, *whole, *shown),
        }
    }

    fn tone(&self, tone: PageTone) -> Style {
        let theme = self.theme;
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
        let theme = self.theme;
        if value <= -0.1 {
            let strong = if value <= -0.5 {
                Modifier::BOLD
            } else {
                Modifier::empty()
            };
            return theme.side_b.add_modifier(strong);
        }
        let step = match value {
            ..0.1 => return theme.faint,
            ..0.3 => 1,
            ..0.5 => 2,
            ..0.8 => 3,
            _ => 4,
        };
        let strong = if step == 4 {
            Modifier::BOLD
        } else {
            Modifier::empty()
        };
        theme.ramp[step].add_modifier(strong)
    }

    /// The whole as a bar; where a query chooses, what is shown as a bar, and what it lacks or has
    /// more of than the whole.
    fn bar(&mut self, item: &PageItem, y: u16, whole: f64, shown: Option<f64>) {
        let theme = self.theme;
        let cells = |part: f64| match (part * f64::from(item.width)).round() as u16 {
            // What is there at all shows as one cell at least.
            0 if part > 0.0 => 1,
            cells => cells.min(item.width),
        };
        let (on, more, off) = (theme.ramp[3], theme.gain, theme.ramp_empty);
        let (full, empty) = (self.glyphs.chart_full, self.glyphs.chart_empty);
        let end = item.x + item.width;
        let Some(shown) = shown.map(cells) else {
            let words = self.fine_bar(whole, item.width);
            self.put(item.x, y, end, &words, on);
            return;
        };
        let whole = cells(whole);
        let both = whole.min(shown);
        let x = self.put(item.x, y, end, &full.repeat(usize::from(both)), on);
        let x = self.put(x, y, end, &full.repeat(usize::from(shown - both)), more);
        self.put(x, y, end, &empty.repeat(usize::from(whole - both)), off);
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

    /// Writes words that end before a column.
    fn right(&mut self, x: u16, y: u16, end: u16, words: &str, style: Style) {
        let from = end.saturating_sub(text::width(words) as u16).max(x);
        self.put(from, y, end, words, style);
    }

    /// Writes words up to a column; returns the column behind them.
    fn put(&mut self, x: u16, y: u16, end: u16, words: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        let end = end.min(area.right());
        if x >= end || y >= area.bottom() {
            return x;
        }
        let twins = if *self.glyphs == Glyphs::ASCII && !words.is_ascii() {
            ascii_twins(words)
        } else {
            words.to_owned()
        };
        let (x, _) = self
            .buffer
            .set_stringn(x, y, twins, usize::from(end - x), style);
        x
    }
}
