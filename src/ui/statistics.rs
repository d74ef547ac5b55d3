//! Statistics: a page of cards with figures, bars and heat maps.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::glyphs::{Glyphs, ascii_twins};
use super::status::KeyHint;
use super::{Canvas, Look};
use crate::app::{
    Action, Area, Context, PageItem, PageMark, PageSpot, PageTone, StatisticsMove, StatisticsPage,
};
use crate::profile::Profile;
use crate::text;

/// The left part of a cell, in eighths.
const EIGHTHS: [&str; 7] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Lines of a page on cells.
pub(super) struct PagePainter<'b> {
    pub(super) buffer: &'b mut Buffer,
    pub(super) look: &'b Look,
    /// Where it is painted.
    pub(super) area: Area,
    /// The first line that shows.
    pub(super) top: usize,
}

/// The whole page of a profile in so many columns, as a picture or plain text shows it.
pub fn statistics_picture(profile: &Profile, width: u16, look: &Look) -> Buffer {
    let page = StatisticsPage::of(profile, 1, width.saturating_sub(2));
    let height = u16::try_from(page.lines).unwrap_or(u16::MAX);
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height.max(1)));
    let mut painter = PagePainter {
        buffer: &mut buffer,
        look,
        area: Area::new(0, 0, width, height),
        top: 0,
    };
    painter.paint(&page);
    buffer
}

impl PagePainter<'_> {
    /// Paints what shows.
    pub(super) fn paint(&mut self, page: &StatisticsPage) {
        let bottom = self.top + usize::from(self.area.height);
        for item in &page.items {
            if (self.top..bottom).contains(&item.y) {
                self.item(item);
            }
        }
    }

    fn item(&mut self, item: &PageItem) {
        let y = self.area.y + (item.y - self.top) as u16;
        let end = (item.x + item.width).min(self.area.x + self.area.width);
        let theme = &self.look.theme;
        match &item.what {
            PageMark::Heading(title) => {
                let (line, strong) = (theme.border, theme.heading);
                let rule = self.look.glyphs.border.horizontal_top;
                let x = self.put(item.x, y, end, &rule.repeat(2), line);
                let x = self.put(x + 1, y, end, title, strong);
                let rest = usize::from(end.saturating_sub(x + 1));
                self.put(x + 1, y, end, &rule.repeat(rest), line);
            }
            PageMark::Words(words, tone) => {
                self.put(item.x, y, end, words, self.tone(*tone));
            }
            PageMark::Right(words, tone) => {
                let x = end.saturating_sub(text::width(words) as u16).max(item.x);
                self.put(x, y, end, words, self.tone(*tone));
            }
            PageMark::Heat(words, value) => {
                let x = end.saturating_sub(text::width(words) as u16).max(item.x);
                self.put(x, y, end, words, self.heat(*value));
            }
            PageMark::Bar { whole, shown } => self.bar(item, y, *whole, *shown),
        }
    }

    fn tone(&self, tone: PageTone) -> Style {
        let theme = &self.look.theme;
        match tone {
            PageTone::Title => theme.strong,
            PageTone::Value => theme.text,
            PageTone::Name => theme.dim,
            PageTone::Shown => theme.header_query,
        }
    }

    /// The stronger, the further from zero; what goes against each other has a colour of its own.
    fn heat(&self, value: f64) -> Style {
        let theme = &self.look.theme;
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
        let theme = &self.look.theme;
        let cells = |part: f64| match (part * f64::from(item.width)).round() as u16 {
            // What is there at all shows as one cell at least.
            0 if part > 0.0 => 1,
            cells => cells.min(item.width),
        };
        let (on, more, off) = (theme.ramp[3], theme.gain, theme.ramp_empty);
        let (full, empty) = (self.look.glyphs.chart_full, self.look.glyphs.chart_empty);
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

    /// A bar of so many cells for a part of them, 0 to 1, in eighths of a cell where there are signs
    /// for these.
    fn fine_bar(&self, part: f64, width: u16) -> String {
        let full = self.look.glyphs.chart_full;
        let eighths = (part * f64::from(width) * 8.0).round() as usize;
        // What is there at all shows.
        let eighths = match eighths {
            0 if part > 0.0 => 1,
            eighths => eighths.min(usize::from(width) * 8),
        };
        if self.look.glyphs == Glyphs::ASCII {
            return full.repeat(eighths.div_ceil(8).max(usize::from(part > 0.0)));
        }
        let rest = match eighths % 8 {
            0 => "",
            rest => EIGHTHS[rest - 1],
        };
        full.repeat(eighths / 8) + rest
    }

    /// Writes words up to a column; returns the column behind them.
    pub(super) fn put(&mut self, x: u16, y: u16, end: u16, words: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        let end = end.min(area.right());
        if x >= end || y >= area.bottom() {
            return x;
        }
        let twins = if self.look.glyphs == Glyphs::ASCII && !words.is_ascii() {
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

/// Keys worth a place on the status line while statistics have them.
const HINTS: &[(Action, &str)] = &[
    (Action::Cancel, "back"),
    (Action::Zoom, "show these"),
    (Action::OnStatistics(StatisticsMove::NextSection), "section"),
    (Action::NextSample, "down"),
    (Action::OnStatistics(StatisticsMove::Right), "right"),
    (Action::Filter, "filter"),
    (Action::Help, "help"),
];

impl Canvas<'_> {
    /// The page of statistics, as far as it shows, with its cursor.
    pub(super) fn statistics(&mut self) {
        let (width, height) = self.app.size();
        let area = self.app.statistics_area();
        let (Some(page), Some(open)) = (self.app.statistics_page(), self.app.views().statistics())
        else {
            let (words, dim) = ("counting…", self.look.theme.dim);
            self.put(2, height / 2, width, words, dim);
            return;
        };
        let spot = page.spots.get(open.chosen());
        self.section_names(&page, spot.map_or(open.top(), |spot| spot.y));
        let mut painter = PagePainter {
            buffer: self.buffer,
            look: self.look,
            area,
            top: open.top(),
        };
        painter.paint(&page);
        if let Some(spot) = spot {
            self.cursor_on(spot, open.top(), area);
            let rows = match height {
                ..16 => 2,
                16..22 => 3,
                _ => 4,
            };
            self.told_of(spot, height.saturating_sub(rows));
        }
    }

    /// The sections, the one with the cursor set off.
    fn section_names(&mut self, page: &StatisticsPage, line: usize) {
        let (width, _) = self.app.size();
        let (on, off) = (self.look.theme.title_focus, self.look.theme.dim);
        let here = page.section_at(line);
        let name = |at: usize, title: &str| match at == here {
            // Brackets mark it where colours do not.
            true => format!("[{title}]"),
            false => format!(" {title} "),
        };
        let names = page.sections.iter().enumerate();
        let names: Vec<_> = names.map(|(at, (_, title))| name(at, title)).collect();
        let room = usize::from(width.saturating_sub(2));
        // Where not all fit, those before the one with the cursor give way.
        let fits = |first: &usize| {
            let cells: usize = names[*first..=here]
                .iter()
                .map(|name| text::width(name))
                .sum();
            cells <= room || *first == here
        };
        let first = (0..=here).find(fits).unwrap_or(here);
        let mut x = 1;
        for (at, name) in names.iter().enumerate().skip(first) {
            if usize::from(x) + text::width(name) > room + 1 {
                break;
            }
            x = self.put(x, 1, width, name, if at == here { on } else { off });
        }
        if self.app.is_counting_statistics() {
            let (words, style) = (" counting…", self.look.theme.progress);
            let x = x.max(width.saturating_sub(text::width(words) as u16 + 1));
            self.put(x, 1, width, words, style);
        }
    }

    fn cursor_on(&mut self, spot: &PageSpot, top: usize, area: Area) {
        let Some(line) = spot
            .y
            .checked_sub(top)
            .filter(|line| *line < usize::from(area.height))
        else {
            return;
        };
        let y = area.y + line as u16;
        let width = spot
            .marked
            .min((area.x + area.width).saturating_sub(spot.x));
        let sign = (self.look.glyphs.selected, self.look.theme.key);
        if let Some(before) = spot.x.checked_sub(1) {
            self.put(before, y, spot.x, sign.0, sign.1);
        }
        let style = self.look.theme.selection;
        self.tint(Area::new(spot.x, y, width, 1), style);
    }

    /// What stands under the cursor, which query finds it, and what its card counts.
    fn told_of(&mut self, spot: &PageSpot, y: u16) {
        let (width, height) = self.app.size();
        let end = width.saturating_sub(1);
        let theme = &self.look.theme;
        let (dim, plain, query_style) = (theme.dim, theme.text, theme.header_query);
        let label = text::one_line(&spot.label, usize::from(width));
        let x = self.put_text(2, y, end, &label, plain);
        let mut x = self.cut(x, y, end, &format!(": {}", spot.value), plain);
        if let Some(query) = &spot.query {
            let key = self.app.key_for(Action::Zoom).unwrap_or_default();
            let words = format!("   {key} shows ");
            x = self.put(x, y, end, &words, dim);
            self.cut(x, y, end, &text::one_line(query, 400), query_style);
        }
        let about = text::one_line(&spot.about, 1000);
        let rows = usize::from(height.saturating_sub(y + 2));
        let lines = text::folded(&about, usize::from(end.saturating_sub(2)), rows);
        for (line, y) in lines.iter().zip(y + 1..).take(rows) {
            self.cut(2, y, end, line, dim);
        }
    }

    /// What keys do on the page, how to leave it first.
    pub(super) fn statistics_hints(&self) -> Vec<KeyHint> {
        let key = |action| {
            let own = self.app.key_in(Context::Statistics, action);
            own.or_else(|| self.app.key_for(action))
        };
        let hints = HINTS
            .iter()
            .filter_map(|&(action, what)| Some((key(action)?, what)));
        hints.collect()
    }
}
