//! A profile laid out for a width: where the words, bars and cells of each card stand, and where a
//! cursor can go. The screen, a picture and plain text show the same page.

use super::super::page_doc::{PageDoc, PageMark, PageSpot, PageTone};
use crate::profile::{
    CardBody, Grid, GridCell, Profile, ProfileBar, ProfileCard, Quantity, QuantityUnit, ShareOf,
};
use crate::stats::Undefined;
use crate::text::{self, grouped, number};

/// What is said where Enter has nothing to show.
const NO_QUERY: &str = "No query finds what this tells of.";
/// Cells of a card where several stand beside each other, at least.
const LEAST_CARD: u16 = 34;
/// Cells of the widest card.
const MOST_CARD: u16 = 76;
/// Cells of a card whose bars or figures have intervals.
const SURE_CARD: u16 = 60;
/// Cells between two cards.
const GAP: u16 = 3;
/// Cells of a cell of a heat map with the blank before it.
const HEAT_CELL: u16 = 6;
/// Cells of a cell of another grid with the blank before it.
const GRID_CELL: u16 = 9;
/// Lines of a note, at most.
const MOST_NOTE: usize = 12;
/// Cells of a row's name in a grid, at most.
const MOST_NAME: u16 = 18;

impl PageDoc {
    /// Lays a profile out from column `left` on, in so many cells.
    pub fn of_profile(profile: &Profile, left: u16, width: u16) -> Self {
        let mut page = Self::default();
        let columns = ((width + GAP) / (LEAST_CARD + GAP)).max(1);
        let card_width = ((width + GAP) / columns).saturating_sub(GAP).min(MOST_CARD);
        for section in &profile.sections {
            page.sections.push((page.lines, section.title));
            page.put(left, page.lines, width, PageMark::Heading(section.title));
            let (mut top, mut x, mut bottom) = (page.lines + 1, 0, page.lines + 1);
            for card in &section.cards {
                let taken = natural_width(card).clamp(card_width, width.max(card_width));
                if x > 0 && x + taken > width {
                    (top, x) = (bottom + 1, 0);
                }
                let layout = CardLayout {
                    page: &mut page,
                    card,
                    x: left + x,
                    width: taken.min(width),
                    top,
                    y: top,
                    is_chosen: profile.shown.is_some(),
                };
                bottom = bottom.max(layout.lay());
                x += taken + GAP;
            }
            page.lines = bottom + 1;
        }
        page.spots.sort_by_key(|spot| (spot.y, spot.x));
        page
    }
}

/// Cells that a card would like to have.
fn natural_width(card: &ProfileCard) -> u16 {
    match &card.body {
        CardBody::Grid(grid) => {
            let names = grid.rows.iter().map(|row| text::width(row) as u16);
            let name = names.max().unwrap_or(0).min(MOST_NAME) + 3;
            name + grid.columns.len() as u16 * cell_width(grid)
        }
        CardBody::Bars(_, bars) if bars.iter().any(|bar| bar.interval.is_some()) => SURE_CARD,
        _ if (card.figures.iter()).any(|figure| figure.intervals != [None; 2]) => SURE_CARD,
        CardBody::Figures | CardBody::Bars(..) => 0,
    }
}

/// A card that is being laid out.
struct CardLayout<'p> {
    page: &'p mut PageDoc,
    card: &'p ProfileCard,
    x: u16,
    width: u16,
    /// Its first line, and the line that is being filled.
    top: usize,
    y: usize,
    /// Whether a query chooses what is shown.
    is_chosen: bool,
}

impl CardLayout<'_> {
    /// Lays the card out; returns the line after it.
    fn lay(mut self) -> usize {
        let card = self.card;
        self.words(self.x, self.width, &card.title, PageTone::Title);
        self.y += 1;
        let figures = card.figures.iter().filter(|figure| !figure.is_detail);
        let figures: Vec<_> = figures.collect();
        match card.body {
            CardBody::Bars(..) if !self.is_chosen => self.inline(&figures),
            _ => self.listed(&figures),
        }
        for note in &card.notes {
            for line in text::folded(note, usize::from(self.width), MOST_NOTE) {
                self.line(&line, PageTone::Name);
            }
        }
        match &card.body {
            CardBody::Figures => {}
            CardBody::Bars(of, bars) => self.bars(*of, bars),
            CardBody::Grid(grid) => {
                self.cells(grid, |cell| Some(cell.values.whole));
                if grid.cells.iter().any(|cell| cell.values.shown.is_some()) {
                    self.line("of what is shown", PageTone::Shown);
                    self.cells(grid, |cell| cell.values.shown);
                }
            }
        }
        // Why there is none, once a card.
        if let Some(reason) = figures.iter().find_map(|figure| figure.missing()) {
            self.line(&reason.to_string(), PageTone::Name);
        }
        self.y
    }

    fn put(&mut self, x: u16, width: u16, what: PageMark) {
        self.page.put(x, self.y, width, what);
    }

    fn words(&mut self, x: u16, width: u16, words: &str, tone: PageTone) {
        self.page.words(x, self.y, width, words, tone);
    }

    fn right(&mut self, x: u16, width: u16, words: String, tone: PageTone) {
        self.put(x, width, PageMark::Right(words, tone));
    }

    /// Words on a line of their own.
    fn line(&mut self, words: &str, tone: PageTone) {
        self.words(self.x, self.width, words, tone);
        self.y += 1;
    }

    /// A spot on this line: its first cell, how many there are, and how many are highlighted.
    fn spot(
        &mut self,
        [x, width, marked]: [u16; 3],
        label: String,
        value: String,
        query: Option<&String>,
    ) {
        self.page.spots.push(PageSpot {
            x,
            y: self.y,
            width,
            marked,
            card_line: self.top,
            label,
            value,
            about: self.card.about.clone(),
            query: query.cloned().ok_or_else(|| NO_QUERY.to_owned()),
        });
    }

    /// Figures one after the other.
    fn inline(&mut self, figures: &[&Quantity]) {
        let (mut x, end) = (self.x, self.x + self.width);
        let parts = figures.iter().flat_map(|figure| FigurePart::all(figure));
        for FigurePart { title, values } in parts {
            let value = &values[0];
            let (name, cells) = (text::width(title) as u16, text::width(value) as u16);
            if x > self.x && x + name + 1 + cells > end {
                x = self.x;
                self.y += 1;
            }
            self.words(x, name.min(end.saturating_sub(x)), title, PageTone::Name);
            let at = x + name + 1;
            let room = end.saturating_sub(at);
            self.words(at, cells.min(room), value, PageTone::Value);
            x = at + cells + 2;
        }
        self.y += usize::from(!figures.is_empty());
    }

    /// Figures one below the other, those of the whole and of what is shown in columns.
    fn listed(&mut self, figures: &[&Quantity]) {
        let parts = figures.iter().map(|figure| FigurePart::all(figure));
        let parts: Vec<_> = parts.collect();
        let values = parts.iter().flatten().flat_map(|part| &part.values);
        let cells = values.map(|value| text::width(value) as u16 + 1);
        let cells = cells.max().unwrap_or(0).max(LEAST_VALUE);
        let values = if self.is_chosen { 2 * cells } else { cells };
        let name = self.width.saturating_sub(values).min(26);
        let at = self.x + name;
        if self.is_chosen && !figures.is_empty() {
            self.right(at, cells, "whole".to_owned(), PageTone::Name);
            self.right(at + cells, cells, "shown".to_owned(), PageTone::Shown);
            self.y += 1;
        }
        for (figure, parts) in figures.iter().zip(parts) {
            // Where there is nothing, nothing is to be shown.
            if figure.query.is_some() && figure.values.whole != Ok(0.0) {
                let (label, value) = (
                    figure.title.to_owned(),
                    figure_words(figure.unit, figure.values.whole),
                );
                let cells = [self.x, name + values, name];
                self.spot(cells, label, value, figure.query.as_ref());
            }
            for FigurePart {
                title,
                values: [whole, shown],
            } in parts
            {
                self.words(self.x, name, title, PageTone::Name);
                self.right(at, cells, whole, PageTone::Value);
                if self.is_chosen {
                    self.right(at + cells, cells, shown, PageTone::Shown);
                }
                self.y += 1;
            }
        }
    }

    fn bars(&mut self, of: ShareOf, bars: &[ProfileBar]) {
        let share = |share: Result<f64, Undefined>| share.unwrap_or(0.0);
        let shares = bars
            .iter()
            .flat_map(|bar| [Some(bar.share()), bar.shown_share()]);
        let most = match of {
            ShareOf::All => shares.flatten().map(share).fold(0.0, f64::max),
            ShareOf::Each => 1.0,
        };
        let part = |value| if most > 0.0 { share(value) / most } else { 0.0 };
        let columns = BarColumns::of(of, bars, self.width, self.is_chosen);
        for bar in bars {
            self.bar(of, bar, &columns, part);
            self.y += 1;
        }
    }

    fn bar(
        &mut self,
        of: ShareOf,
        bar: &ProfileBar,
        columns: &BarColumns,
        part: impl Fn(Result<f64, Undefined>) -> f64,
    ) {
        let (mut x, share) = (self.x, QuantityUnit::Share);
        let label = text::one_line(&bar.label, usize::from(columns.label));
        let label = match columns.is_number {
            true => PageMark::Right(label, PageTone::Name),
            false => PageMark::Words(label, PageTone::Name),
        };
        self.put(x, columns.label, label);
        x += columns.label + 1;
        let (shown, few) = (bar.shown_share(), bar.few(of == ShareOf::Each));
        let what = match few {
            Some([some, all]) => {
                let dots = [
                    FILLED.repeat(some as usize),
                    HOLLOW.repeat((all - some) as usize),
                ];
                PageMark::Words(dots.concat(), PageTone::Value)
            }
            None => PageMark::Bar {
                whole: part(bar.share()),
                shown: shown.map(part),
            },
        };
        self.put(x, columns.bar, what);
        if bar.interval.is_some() && few.is_none() {
            let half = PageMark::Words("│".to_owned(), PageTone::Name);
            self.put(x + columns.bar / 2, 1, half);
        }
        x += columns.bar;
        if columns.count > 0 {
            let [some, all] = bar.whole.map(|count| grouped(count as usize));
            let count = match of {
                ShareOf::All => some,
                ShareOf::Each => format!("of {all}"),
            };
            self.right(x, columns.count, count, PageTone::Value);
            x += columns.count;
        }
        let tone = match (of, columns.count) {
            (ShareOf::All, 1..) => PageTone::Name,
            _ => PageTone::Value,
        };
        self.right(x, SHARE_CELLS, figure_words(share, bar.share()), tone);
        x += SHARE_CELLS;
        if let Some(shown) = shown {
            self.right(x, SHARE_CELLS, figure_words(share, shown), PageTone::Shown);
        } else if let Some([low, high]) = bar.interval.filter(|_| columns.interval > 0) {
            let words = format!("{:.1}–{:.1}", low * 100.0, high * 100.0);
            self.right(x, columns.interval, words, PageTone::Name);
        }
        let label = format!("{} {}", self.card.title, bar.label);
        let cells = [self.x, self.width, columns.label.max(1)];
        self.spot(cells, label, bar_words(bar), bar.query.as_ref());
    }

    fn cells(&mut self, grid: &Grid, value: impl Fn(&GridCell) -> Option<Result<f64, Undefined>>) {
        let cell_width = cell_width(grid);
        let names = grid.rows.iter().map(|row| text::width(row) as u16);
        let numbered = grid.is_heat_map;
        let aside = if numbered { 3 } else { 0 };
        let name = names.max().unwrap_or(0).min(MOST_NAME.min(self.width / 3));
        let first = self.x + aside + name;
        let fitting = usize::from((self.x + self.width).saturating_sub(first) / cell_width);
        let places = (first..).step_by(usize::from(cell_width));
        let columns = || {
            grid.columns
                .iter()
                .enumerate()
                .zip(places.clone())
                .take(fitting)
        };
        for ((column, head), x) in columns() {
            let head = match numbered {
                true => (column + 1).to_string(),
                false => head.clone(),
            };
            self.right(x, cell_width, head, PageTone::Name);
        }
        self.y += 1;
        for (row, title) in grid.rows.iter().enumerate() {
            if numbered {
                let words = format!("{:>2} ", row + 1);
                self.words(self.x, aside, &words, PageTone::Name);
            }
            self.words(self.x + aside, name, title, PageTone::Name);
            for ((column, head), x) in columns() {
                let cell = grid.cells.get(row * grid.columns.len() + column);
                let Some((cell, of)) = cell.and_then(|cell| Some((cell, value(cell)?))) else {
                    continue;
                };
                let words = figure_words(cell.unit, of);
                let what = match of {
                    Ok(of) if numbered => PageMark::Heat(coefficient_words(of), of),
                    _ => PageMark::Right(words.clone(), PageTone::Value),
                };
                self.put(x, cell_width, what);
                let reason = of.err().map(|reason| format!(" {reason}"));
                let reason = reason.unwrap_or_default();
                let over = match numbered {
                    true => format!("{title} and {head}, n {}{reason}", grouped(cell.n as usize)),
                    false => format!("{title}: {head}{reason}"),
                };
                let cells = [x + 1, cell_width - 1, cell_width - 1];
                self.spot(cells, over, words, cell.query.as_ref());
            }
            self.y += 1;
        }
        let left_out = grid.columns.len().saturating_sub(fitting);
        if left_out > 0 {
            self.line(
                &format!("{left_out} more in a wider window"),
                PageTone::Name,
            );
        }
    }
}

/// A dot for each of a few things: one that a share counts, and one that it does not.
const FILLED: &str = "•";
const HOLLOW: &str = "◦";

/// Cells of a value in a list of figures with the blank before it, at least.
const LEAST_VALUE: u16 = 10;

/// A figure in words, its interval, or what it comes to in shuffled values: of the whole, and of what
/// is shown.
struct FigurePart<'q> {
    title: &'q str,
    values: [String; 2],
}

impl<'q> FigurePart<'q> {
    /// The parts of a figure, itself first.
    fn all(figure: &'q Quantity) -> Vec<Self> {
        let number = |value: f64| figure_words(figure.unit, Ok(value));
        let range = |[low, high]: [f64; 2]| match figure.unit {
            QuantityUnit::Share => format!("{:.1}–{:.1}", low * 100.0, high * 100.0),
            _ => format!("{}–{}", number(low), number(high)),
        };
        let words = |values: [Option<String>; 2]| values.map(Option::unwrap_or_default);
        let of = [Some(figure.values.whole), figure.values.shown];
        let itself = of.map(|of| of.map(|value| figure_words(figure.unit, value)));
        let mut parts = vec![(figure.title, words(itself))];
        if figure.intervals != [None; 2] {
            parts.push((
                "95 % CI",
                words(figure.intervals.map(|ends| ends.map(range))),
            ));
        }
        if figure.shuffled != [None; 2] {
            let means = figure.shuffled.map(|of| Some(number(of?.mean)));
            let ranges = figure
                .shuffled
                .map(|of| Some(range([of?.least, of?.greatest])));
            parts.extend([("shuffled", words(means)), ("range", words(ranges))]);
        }
        let part = |(title, values)| Self { title, values };
        parts.into_iter().map(part).collect()
    }
}

/// How many cells the columns of bars take.
struct BarColumns {
    label: u16,
    /// Whether labels are numbers.
    is_number: bool,
    bar: u16,
    /// 0 where counts have no room.
    count: u16,
    interval: u16,
}

/// Cells of a share in percent, with the blank before it.
const SHARE_CELLS: u16 = 7;
/// Cells of the shortest bar beside which counts have room, and of the longest one.
const LEAST_BAR: u16 = 5;
const MOST_BAR: u16 = 32;

impl BarColumns {
    fn of(of: ShareOf, bars: &[ProfileBar], width: u16, is_chosen: bool) -> Self {
        let label = bars.iter().map(|bar| text::width(&bar.label) as u16);
        let label = label.max().unwrap_or(0).min(width * 2 / 5);
        let counts = bars
            .iter()
            .map(|bar| bar.whole[usize::from(of == ShareOf::Each)]);
        let count = counts.max().unwrap_or(0);
        let aside = if of == ShareOf::Each { 4 } else { 1 };
        let mut count = text::width(&grouped(count as usize)) as u16 + aside;
        let has_interval = bars.iter().any(|bar| bar.interval.is_some());
        let mut interval = if has_interval && !is_chosen { 11 } else { 0 };
        let shares = if is_chosen {
            2 * SHARE_CELLS
        } else {
            SHARE_CELLS
        };
        let left = |taken: u16| width.saturating_sub(label + 1 + shares + taken);
        if left(count + interval) < LEAST_BAR {
            interval = 0;
        }
        if left(count + interval) < LEAST_BAR {
            count = 0;
        }
        Self {
            label,
            is_number: bars.iter().all(|bar| bar.label.parse::<f64>().is_ok()),
            bar: left(count + interval).min(MOST_BAR),
            count,
            interval,
        }
    }
}

/// So many of so many, and of what is shown.
fn bar_words(bar: &ProfileBar) -> String {
    let words = |[some, all]: [u64; 2], share| {
        let [some, all] = [some, all].map(|count| grouped(count as usize));
        format!(
            "{some} of {all}, {}",
            figure_words(QuantityUnit::Share, share)
        )
    };
    let sure = |interval: Option<[f64; 2]>| interval.map_or(String::new(), interval_words);
    let whole = words(bar.whole, bar.share()) + &sure(bar.interval);
    match bar.shown.zip(bar.shown_share()) {
        Some((shown, share)) => format!(
            "{whole}; shown {}{}",
            words(shown, share),
            sure(bar.shown_interval())
        ),
        None => whole,
    }
}

/// How sure a share is, and on which side of one half it lies.
fn interval_words([low, high]: [f64; 2]) -> String {
    let side = match (low > 0.5, high < 0.5) {
        (true, _) => "more often than not",
        (_, true) => "less often than not",
        _ => "no clear difference from 50 %",
    };
    format!(" ({:.1}–{:.1}): {side}", low * 100.0, high * 100.0)
}

fn cell_width(grid: &Grid) -> u16 {
    if grid.is_heat_map {
        HEAT_CELL
    } else {
        GRID_CELL
    }
}

/// A figure as people read it; `n/a` where there is none.
fn figure_words(unit: QuantityUnit, value: Result<f64, Undefined>) -> String {
    let Ok(value) = value else {
        return "n/a".to_owned();
    };
    match unit {
        QuantityUnit::Count => grouped(value as usize),
        // So that no cell is wider than seven, with a blank before it.
        QuantityUnit::Share if value >= 0.9995 => "100 %".to_owned(),
        QuantityUnit::Share if value > 0.0 && value < 0.0005 => "<0.1 %".to_owned(),
        QuantityUnit::Share => format!("{:.1} %", value * 100.0),
        QuantityUnit::Coefficient => format!("{:.3}", value + 0.0),
        QuantityUnit::Number if value.abs() < 1000.0 || value.abs() >= 1e12 => number(value),
        QuantityUnit::Number => {
            let (sign, size) = (if value < 0.0 { "-" } else { "" }, value.abs());
            let tenths = (size * 10.0).round();
            let (whole, tenth) = (grouped((tenths / 10.0) as usize), tenths % 10.0);
            match tenth as u8 {
                0 => format!("{sign}{whole}"),
                tenth => format!("{sign}{whole}.{tenth}"),
            }
        }
    }
}

/// A coefficient in few cells: `.94`, `-.06`, `1`.
fn coefficient_words(value: f64) -> String {
    let words = format!("{value:.2}");
    match words.as_str() {
        "1.00" => "1".to_owned(),
        "-1.00" => "-1".to_owned(),
        "0.00" | "-0.00" => "0".to_owned(),
        words => words.replacen("0.", ".", 1),
    }
}
