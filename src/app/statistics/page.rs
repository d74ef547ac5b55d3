//! A profile laid out for a width: where the words, bars and cells of each card stand, and where a
//! cursor can go. The screen, a picture and plain text show the same page.

use crate::profile::{
    CardBody, Grid, GridCell, Profile, ProfileBar, ProfileCard, Quantity, QuantityUnit, ShareOf,
};
use crate::stats::Undefined;
use crate::text::{self, grouped, number};

/// A profile laid out: lines of so many cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatisticsPage {
    /// Everything on it, each at its column and line.
    pub items: Vec<PageItem>,
    /// Where a cursor can go, line by line.
    pub spots: Vec<PageSpot>,
    /// The line of each section's heading, with its title.
    pub sections: Vec<(usize, &'static str)>,
    /// How many lines there are.
    pub lines: usize,
}

/// Something on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageItem {
    /// Its first cell.
    pub x: u16,
    /// Its line, from 0.
    pub y: usize,
    /// How many cells it may take.
    pub width: u16,
    /// What it is.
    pub what: PageMark,
}

/// What stands somewhere on the page.
#[derive(Debug, Clone, PartialEq)]
pub enum PageMark {
    /// A section's title, with a rule up to the end of its cells.
    Heading(&'static str),
    /// Words, cut where they do not fit.
    Words(String, PageTone),
    /// Words that end where its cells do.
    Right(String, PageTone),
    /// A bar: the parts of its cells that the whole and what is shown fill, 0 to 1.
    Bar {
        /// Of the whole.
        whole: f64,
        /// Of what is shown; `None` where no query chooses.
        shown: Option<f64>,
    },
    /// A coefficient, -1 to 1, in words.
    Heat(String, f64),
}

/// How words of the page are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageTone {
    /// A card's title.
    Title,
    /// What one came for.
    Value,
    /// What says what that is.
    Name,
    /// A value of what is shown, where a query chooses.
    Shown,
}

/// Where a cursor can go: a bar, a cell or a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct PageSpot {
    /// Its first cell.
    pub x: u16,
    /// Its line, from 0.
    pub y: usize,
    /// How many cells it takes.
    pub width: u16,
    /// How many of them, from its first, are set off under the cursor.
    pub marked: u16,
    /// The first line of its card.
    pub card_line: usize,
    /// What it is, in words.
    pub label: String,
    /// What it comes to, in words.
    pub value: String,
    /// What its card counts, and by which formula.
    pub about: String,
    /// The query that finds what it counts.
    pub query: Option<String>,
}

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

impl StatisticsPage {
    /// Lays a profile out from column `left` on, in so many cells.
    pub fn of(profile: &Profile, left: u16, width: u16) -> Self {
        let mut page = Self::default();
        let columns = ((width + GAP) / (LEAST_CARD + GAP)).max(1);
        let card_width = ((width + GAP) / columns).saturating_sub(GAP).min(MOST_CARD);
        for section in &profile.sections {
            page.sections.push((page.lines, section.title));
            page.put(left, page.lines, width, PageMark::Heading(section.title));
            let (mut top, mut x, mut bottom) = (page.lines + 1, 0, page.lines + 1);
            for card in &section.cards {
                let taken = Self::natural_width(card).clamp(card_width, width.max(card_width));
                if x > 0 && x + taken > width {
                    (top, x) = (bottom + 1, 0);
                }
                let room = CardRoom {
                    x: left + x,
                    top,
                    width: taken.min(width),
                    is_chosen: profile.shown.is_some(),
                };
                bottom = bottom.max(page.card(card, room));
                x += taken + GAP;
            }
            page.lines = bottom + 1;
        }
        page.spots.sort_by_key(|spot| (spot.y, spot.x));
        page
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
            _ if card
                .figures
                .iter()
                .any(|figure| figure.intervals != [None; 2]) =>
            {
                SURE_CARD
            }
            CardBody::Figures | CardBody::Bars(..) => 0,
        }
    }

    fn put(&mut self, x: u16, y: usize, width: u16, what: PageMark) {
        self.items.push(PageItem { x, y, width, what });
    }

    fn words(&mut self, x: u16, y: usize, width: u16, words: &str, tone: PageTone) {
        let words = text::one_line(words, usize::from(width));
        self.put(x, y, width, PageMark::Words(words, tone));
    }

    /// Lays out a card; returns the line behind it.
    fn card(&mut self, card: &ProfileCard, room: CardRoom) -> usize {
        let CardRoom { x, top, width, .. } = room;
        self.words(x, top, width, &card.title, PageTone::Title);
        let mut y = top + 1;
        let figures = card.figures.iter().filter(|figure| !figure.is_detail);
        let figures: Vec<_> = figures.collect();
        y = match (&card.body, room.is_chosen) {
            (CardBody::Bars(..), false) => self.inline(&figures, room, y),
            _ => self.listed(card, &figures, room, y),
        };
        for note in &card.notes {
            for line in text::folded(note, usize::from(width), MOST_NOTE) {
                self.words(x, y, width, &line, PageTone::Name);
                y += 1;
            }
        }
        y = match &card.body {
            CardBody::Figures => y,
            CardBody::Bars(of, bars) => {
                self.bars(card, *of, bars, CardRoom { top: y, ..room }, top)
            }
            CardBody::Grid(grid) => self.grid(card, grid, CardRoom { top: y, ..room }, top),
        };
        // Why there is none, once a card.
        let reason = figures.iter().find_map(|figure| figure.missing());
        if let Some(reason) = reason {
            self.words(x, y, width, &reason.to_string(), PageTone::Name);
            y += 1;
        }
        y
    }

    /// Figures one behind the other.
    fn inline(&mut self, figures: &[&Quantity], room: CardRoom, top: usize) -> usize {
        let (mut x, mut y, end) = (room.x, top, room.x + room.width);
        let parts = figures.iter().map(|figure| FigurePart::all(figure));
        for FigurePart { title, values } in parts.flatten() {
            let value = &values[0];
            let (name, cells) = (text::width(title) as u16, text::width(value) as u16);
            if x > room.x && x + name + 1 + cells > end {
                (x, y) = (room.x, y + 1);
            }
            self.words(x, y, name.min(end.saturating_sub(x)), title, PageTone::Name);
            let at = x + name + 1;
            self.words(
                at,
                y,
                cells.min(end.saturating_sub(at)),
                value,
                PageTone::Value,
            );
            x = at + cells + 2;
        }
        y + usize::from(!figures.is_empty())
    }

    /// Figures one below the other, those of the whole and of what is shown in columns.
    fn listed(
        &mut self,
        card: &ProfileCard,
        figures: &[&Quantity],
        room: CardRoom,
        top: usize,
    ) -> usize {
        let parts = figures.iter().map(|figure| FigurePart::all(figure));
        let parts: Vec<_> = parts.collect();
        let values = parts.iter().flatten().flat_map(|part| &part.values);
        let cells = values.map(|value| text::width(value) as u16 + 1);
        let cells = cells.max().unwrap_or(0).max(LEAST_VALUE);
        let values = if room.is_chosen { 2 * cells } else { cells };
        let name = room.width.saturating_sub(values).min(26);
        let mut y = top;
        let at = |column: u16| room.x + name + column * cells;
        if room.is_chosen && !figures.is_empty() {
            let heads = [(0, "whole", PageTone::Name), (1, "shown", PageTone::Shown)];
            for (column, head, tone) in heads {
                self.put(at(column), y, cells, PageMark::Right(head.to_owned(), tone));
            }
            y += 1;
        }
        for (figure, parts) in figures.iter().zip(parts) {
            let first = y;
            for (part, line) in parts.iter().zip(first..) {
                self.words(room.x, line, name, part.title, PageTone::Name);
                let [whole, shown] = part.values.clone();
                self.put(at(0), line, cells, PageMark::Right(whole, PageTone::Value));
                if room.is_chosen {
                    self.put(at(1), line, cells, PageMark::Right(shown, PageTone::Shown));
                }
                y = line + 1;
            }
            // Where there is nothing, nothing is to be shown.
            if figure.query.is_some() && figure.whole != Ok(0.0) {
                let spot = SpotCells {
                    x: room.x,
                    y: first,
                    width: name + values,
                    marked: name,
                };
                let whole = figure_words(figure.unit, figure.whole);
                self.spot(
                    card,
                    spot,
                    room.top,
                    [figure.title, &whole],
                    figure.query.as_deref(),
                );
            }
        }
        y
    }

    fn spot(
        &mut self,
        card: &ProfileCard,
        at: SpotCells,
        card_line: usize,
        [label, value]: [&str; 2],
        query: Option<&str>,
    ) {
        self.spots.push(PageSpot {
            x: at.x,
            y: at.y,
            width: at.width,
            marked: at.marked,
            card_line,
            label: label.to_owned(),
            value: value.to_owned(),
            about: card.about.clone(),
            query: query.map(str::to_owned),
        });
    }

    fn bars(
        &mut self,
        card: &ProfileCard,
        of: ShareOf,
        bars: &[ProfileBar],
        room: CardRoom,
        card_line: usize,
    ) -> usize {
        let share = |share: Result<f64, Undefined>| share.unwrap_or(0.0);
        let shares = bars.iter().flat_map(|bar| {
            let shown = bar.shown_share().map(share);
            [Some(share(bar.share())), shown].into_iter().flatten()
        });
        let most = match of {
            ShareOf::All => shares.fold(0.0, f64::max),
            ShareOf::Each => 1.0,
        };
        let part =
            |value: Result<f64, Undefined>| if most > 0.0 { share(value) / most } else { 0.0 };
        let columns = BarColumns::of(of, bars, room);
        for (bar, y) in bars.iter().zip(room.top..) {
            let label = text::one_line(&bar.label, usize::from(columns.label));
            let whole = QuantityUnit::Share;
            self.put(
                room.x,
                y,
                columns.label,
                match columns.is_number {
                    true => PageMark::Right(label, PageTone::Name),
                    false => PageMark::Words(label, PageTone::Name),
                },
            );
            let x = room.x + columns.label + 1;
            let shown = bar.shown_share();
            let few = bar.few(of == ShareOf::Each);
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
            self.put(x, y, columns.bar, what);
            if bar.interval.is_some() && few.is_none() {
                let half = PageMark::Words("│".to_owned(), PageTone::Name);
                self.put(x + columns.bar / 2, y, 1, half);
            }
            let mut x = x + columns.bar;
            if columns.count > 0 {
                let [some, all] = bar.whole;
                let count = match of {
                    ShareOf::All => grouped(some as usize),
                    ShareOf::Each => format!("of {}", grouped(all as usize)),
                };
                self.put(x, y, columns.count, PageMark::Right(count, PageTone::Value));
                x += columns.count;
            }
            let words = figure_words(whole, bar.share());
            let tone = match (of, columns.count) {
                (ShareOf::All, 1..) => PageTone::Name,
                _ => PageTone::Value,
            };
            self.put(x, y, SHARE_CELLS, PageMark::Right(words, tone));
            x += SHARE_CELLS;
            if let Some(shown) = shown {
                let words = figure_words(whole, shown);
                self.put(x, y, SHARE_CELLS, PageMark::Right(words, PageTone::Shown));
            } else if let Some([low, high]) = bar.interval.filter(|_| columns.interval > 0) {
                let words = format!("{:.1}–{:.1}", low * 100.0, high * 100.0);
                self.put(
                    x,
                    y,
                    columns.interval,
                    PageMark::Right(words, PageTone::Name),
                );
            }
            let spot = SpotCells {
                x: room.x,
                y,
                width: room.width,
                marked: columns.label.max(1),
            };
            let label = format!("{} {}", card.title, bar.label);
            let value = bar_words(bar);
            self.spot(
                card,
                spot,
                card_line,
                [&label, &value],
                bar.query.as_deref(),
            );
        }
        room.top + bars.len()
    }

    fn grid(&mut self, card: &ProfileCard, grid: &Grid, room: CardRoom, card_line: usize) -> usize {
        let of_whole = |cell: &GridCell| Some(cell.whole);
        let y = self.cells(card, grid, room, card_line, &of_whole);
        let is_shown = grid.cells.iter().any(|cell| cell.shown.is_some());
        if !is_shown {
            return y;
        }
        self.words(room.x, y, room.width, "of what is shown", PageTone::Shown);
        let room = CardRoom { top: y + 1, ..room };
        self.cells(card, grid, room, card_line, &|cell| cell.shown)
    }

    fn cells(
        &mut self,
        card: &ProfileCard,
        grid: &Grid,
        room: CardRoom,
        card_line: usize,
        value: &dyn Fn(&GridCell) -> Option<Result<f64, Undefined>>,
    ) -> usize {
        let cell_width = cell_width(grid);
        let names = grid.rows.iter().map(|row| text::width(row) as u16);
        let numbered = grid.is_heat_map;
        let aside = if numbered { 3 } else { 0 };
        let most = MOST_NAME.min(room.width / 3);
        let name = names.max().unwrap_or(0).min(most);
        let first = room.x + aside + name;
        let fitting = usize::from((room.x + room.width).saturating_sub(first) / cell_width);
        for (column, head) in grid.columns.iter().take(fitting).enumerate() {
            let head = if numbered {
                (column + 1).to_string()
            } else {
                head.clone()
            };
            let x = first + column as u16 * cell_width;
            self.put(
                x,
                room.top,
                cell_width,
                PageMark::Right(head, PageTone::Name),
            );
        }
        let mut y = room.top + 1;
        for (row, title) in grid.rows.iter().enumerate() {
            if numbered {
                let words = format!("{:>2} ", row + 1);
                self.words(room.x, y, aside, &words, PageTone::Name);
            }
            self.words(room.x + aside, y, name, title, PageTone::Name);
            for (column, head) in grid.columns.iter().take(fitting).enumerate() {
                let Some(cell) = grid.cells.get(row * grid.columns.len() + column) else {
                    continue;
                };
                let Some(of) = value(cell) else { continue };
                let x = first + column as u16 * cell_width;
                let what = match of {
                    Ok(of) if grid.is_heat_map => PageMark::Heat(coefficient_words(of), of),
                    of => PageMark::Right(figure_words(cell.unit, of), PageTone::Value),
                };
                self.put(x, y, cell_width, what);
                let spot = SpotCells {
                    x: x + 1,
                    y,
                    width: cell_width - 1,
                    marked: cell_width - 1,
                };
                let reason = of
                    .err()
                    .map(|reason| format!(" {reason}"))
                    .unwrap_or_default();
                let over = match grid.is_heat_map {
                    true => format!("{title} and {head}, n {}{reason}", grouped(cell.n as usize)),
                    false => format!("{title}: {head}{reason}"),
                };
                let value = figure_words(cell.unit, of);
                self.spot(
                    card,
                    spot,
                    card_line,
                    [&over, &value],
                    cell.query.as_deref(),
                );
            }
            y += 1;
        }
        let left_out = grid.columns.len().saturating_sub(fitting);
        if left_out > 0 {
            let words = format!("{left_out} more in a wider window");
            self.words(room.x, y, room.width, &words, PageTone::Name);
            y += 1;
        }
        y
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
        let of = [Some(figure.whole), figure.shown];
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

/// Where a card stands.
#[derive(Debug, Clone, Copy)]
struct CardRoom {
    x: u16,
    top: usize,
    width: u16,
    /// Whether a query chooses what is shown.
    is_chosen: bool,
}

/// The cells of a spot.
#[derive(Debug, Clone, Copy)]
struct SpotCells {
    x: u16,
    y: usize,
    width: u16,
    marked: u16,
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
    fn of(of: ShareOf, bars: &[ProfileBar], room: CardRoom) -> Self {
        let label = bars.iter().map(|bar| text::width(&bar.label) as u16);
        let label = label.max().unwrap_or(0).min(room.width * 2 / 5);
        let counts = bars
            .iter()
            .map(|bar| bar.whole[usize::from(of == ShareOf::Each)]);
        let count = counts.max().unwrap_or(0);
        let aside = if of == ShareOf::Each { 4 } else { 1 };
        let mut count = text::width(&grouped(count as usize)) as u16 + aside;
        let has_interval = bars.iter().any(|bar| bar.interval.is_some());
        let mut interval = if has_interval && !room.is_chosen {
            11
        } else {
            0
        };
        let shares = if room.is_chosen {
            2 * SHARE_CELLS
        } else {
            SHARE_CELLS
        };
        let left = |taken: u16| room.width.saturating_sub(label + 1 + shares + taken);
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

/// Where a cursor goes.
impl StatisticsPage {
    /// The spot below another, in its column where there is one, else the nearest on the next line.
    pub(super) fn below(&self, at: usize) -> usize {
        self.vertical(at, |from, to| to.checked_sub(from))
    }

    /// The spot above another.
    pub(super) fn above(&self, at: usize) -> usize {
        self.vertical(at, usize::checked_sub)
    }

    fn vertical(&self, at: usize, distance: impl Fn(usize, usize) -> Option<usize>) -> usize {
        let Some(from) = self.spots.get(at) else {
            return at;
        };
        let lines = |spot: &PageSpot| distance(from.y, spot.y).filter(|lines| *lines > 0);
        let there = self.spots.iter().enumerate();
        // What is in the same column comes before what is nearer by lines, unless that is far off.
        let found = there.filter_map(|(to, spot)| {
            let aside = from.aside(spot);
            Some((
                lines(spot)? + if aside == 0 { 0 } else { FAR_OFF },
                aside,
                to,
            ))
        });
        found.min().map_or(at, |(.., to)| to)
    }

    /// The spot beside another: on its line, or else the nearest one of the cards beside it.
    pub(super) fn beside(&self, at: usize, to_right: bool) -> usize {
        let Some(from) = self.spots.get(at) else {
            return at;
        };
        let is_there = |spot: &PageSpot| match to_right {
            true => spot.x >= from.x + from.width,
            false => spot.x + spot.width <= from.x,
        };
        let there = self
            .spots
            .iter()
            .enumerate()
            .filter(|(_, spot)| is_there(spot));
        let found = there.filter_map(|(to, spot)| {
            let lines = spot.y.abs_diff(from.y);
            let is_near = lines < FAR_OFF / 2;
            is_near.then_some((lines.min(1), from.aside(spot), lines, to))
        });
        found.min().map_or(at, |(.., to)| to)
    }

    /// The first spot of the next section, or of the one before (of this one, where the cursor is
    /// further down).
    pub(super) fn in_section(&self, at: usize, is_next: bool) -> usize {
        let Some(from) = self.spots.get(at) else {
            return at;
        };
        let first_of =
            |(line, _): &(usize, &str)| self.spots.iter().position(|spot| spot.y > *line);
        let firsts: Vec<_> = self.sections.iter().filter_map(first_of).collect();
        let is_before = |to: &&usize| self.spots.get(**to).is_some_and(|spot| spot.y < from.y);
        let is_behind = |to: &&usize| self.spots.get(**to).is_some_and(|spot| spot.y > from.y);
        let found = match is_next {
            true => firsts.iter().find(is_behind),
            false => firsts.iter().rev().find(is_before),
        };
        found.copied().unwrap_or(at)
    }

    /// The spot nearest to a line and a column.
    pub(super) fn nearest(&self, line: usize, x: u16) -> usize {
        let spots = self.spots.iter().enumerate();
        let distance = spots.map(|(at, spot)| (spot.y.abs_diff(line), spot.x.abs_diff(x), at));
        distance.min().map_or(0, |(.., at)| at)
    }

    /// The line of a section's heading, where the card on a line stands right below it.
    pub(super) fn heading_above(&self, line: usize) -> usize {
        let is_near = |(heading, _): &&(usize, &str)| line.checked_sub(*heading) == Some(1);
        let heading = self.sections.iter().find(is_near);
        heading.map_or(line, |(heading, _)| *heading)
    }

    /// The place of the section that a line is in.
    pub fn section_at(&self, line: usize) -> usize {
        let behind = self.sections.iter().filter(|(first, _)| *first <= line);
        behind.count().saturating_sub(1)
    }
}

/// Lines that what stands in another column counts as further away.
const FAR_OFF: usize = 40;

impl PageSpot {
    /// How many cells another spot stands to the left or right of this one.
    fn aside(&self, other: &Self) -> u16 {
        let right = other.x.saturating_sub(self.x + self.width - 1);
        right.max(self.x.saturating_sub(other.x + other.width.max(1) - 1))
    }
}
