//! A profile laid out for a width: the positions of words, bars and cells of each card, and of the
//! cursor. The screen, pictures and plain text show the same page.

use crate::answer::{
    AnswerBar, AnswerCard, CardBody, FEWEST, Grid, GridCell, NO_FIGURE, Quantity, QuantityUnit,
    ShareOf, count_words, percent_words,
};
use crate::app::pages::page_doc::{PageDoc, PageMark, PageSpot, PageTone};
use crate::profile::Profile;
use crate::stats::Undefined;
use crate::text::{self, counted, grouped};

/// The notice for Enter on a spot without a query.
const NO_QUERY: &str = "No query finds these samples.";
/// Least width of a card when several are side by side.
const MIN_CARD: u16 = 34;
/// Most width of a page with cards in one column.
pub(super) const ONE_COLUMN: u16 = 2 * MIN_CARD;
/// Greatest width of a card.
const MAX_CARD: u16 = 76;
/// Least width of a card with intervals.
const SURE_CARD: u16 = 60;
/// Columns between two cards.
const GAP: u16 = 3;
/// Width of a heat map's cell with the space before it.
const HEAT_CELL: u16 = 6;
/// Width of another grid's cell with the space before it.
const GRID_CELL: u16 = 9;
/// Most lines of a note.
const MAX_NOTE: usize = 12;
/// Most cells of a row's name in a grid.
const MAX_NAME: u16 = 18;
/// Width of the bar that shows the scale.
const SCALE_BAR: u16 = 14;

impl PageDoc {
    /// Lays out a profile from column `left` with this width: cards in a grid, one section after
    /// the other.
    pub fn of_profile(profile: &Profile, left: u16, width: u16) -> Self {
        let mut page = Self::default();
        let is_chosen = profile.shown.is_some();
        page.scale(left, width, is_chosen);
        let columns = ((width + GAP) / (MIN_CARD + GAP)).max(1);
        let pitch = ((width + GAP) / columns).max(1);
        let (mut top, mut column, mut bottom) = (1, 0, 1);
        for (section, of) in profile.answer.sections().enumerate() {
            page.sections.push(of.title);
            for card in &of.cards {
                let taken = (natural_width(card) + GAP)
                    .div_ceil(pitch)
                    .clamp(1, columns);
                if column + taken > columns {
                    (top, column) = (bottom + 1, 0);
                }
                let room = (taken * pitch).saturating_sub(GAP).min(width);
                let layout = CardLayout {
                    page: &mut page,
                    card,
                    section,
                    x: left + column * pitch,
                    width: if columns == 1 {
                        room.min(MAX_CARD.max(natural_width(card)))
                    } else {
                        room
                    },
                    top,
                    y: top,
                    is_chosen,
                };
                let end = layout.lay();
                page.cards.push(top..end);
                bottom = bottom.max(end);
                column += taken;
            }
        }
        page.lines = bottom;
        page.spots.sort_by_key(|spot| (spot.y, spot.x));
        page
    }
}

impl PageDoc {
    /// Adds the scale of the bars to the first line.
    fn scale(&mut self, left: u16, width: u16, is_chosen: bool) {
        let (before, after) = if is_chosen {
            (
                "bars: share of the samples shown, 0",
                "100 %; tick: share of all samples",
            )
        } else {
            ("bars: share of all samples, 0", "100 %")
        };
        let few = format!("{after}; dim: fewer than {FEWEST} cases");
        let start = left + text::width(before) as u16 + 1;
        let from = start + SCALE_BAR + 1;
        let room = (left + width).saturating_sub(from);
        let fits = text::width(&few) <= usize::from(room);
        self.words(left, 0, width, before, PageTone::Name);
        let (part, mark, tone) = (0.0, None, PageTone::Name);
        self.put(start, 0, SCALE_BAR, PageMark::Bar { part, mark, tone });
        self.words(
            from,
            0,
            room,
            if fits { &few } else { after },
            PageTone::Name,
        );
    }
}

/// Returns the header of a profile: what the page shows, and of how many samples.
pub(super) fn head(profile: &Profile) -> Vec<(String, PageTone)> {
    let samples = match profile.shown {
        Some(0) => "No sample matches the filter. Press f to change it.".to_owned(),
        Some(shown) => format!(
            "{} of {}",
            grouped(shown),
            counted(profile.samples, "sample")
        ),
        None => counted(profile.samples, "sample"),
    };
    let totals = profile.answer.sections().flat_map(|section| &section.cards);
    let figures: Vec<_> = (totals.filter(|card| card.key == "totals"))
        .flat_map(|card| &card.figures)
        .collect();
    let count = |key: &str, unit: &str| {
        let figure = figures.iter().find(|figure| figure.key == key)?;
        let count = figure.values.shown.unwrap_or(figure.values.whole).ok()?;
        (count > 0.0).then(|| counted(count as usize, unit))
    };
    let parts = [count("responses", "response"), count("pairs", "pair")];
    let parts: Vec<_> = [samples]
        .into_iter()
        .chain(parts.into_iter().flatten())
        .collect();
    vec![
        ("statistics".to_owned(), PageTone::Title),
        (parts.join(" · "), PageTone::Name),
    ]
}

/// Returns the preferred width of a card.
fn natural_width(card: &AnswerCard) -> u16 {
    match &card.body {
        CardBody::Grid(grid) => {
            let names = grid.rows.iter().map(|row| text::width(row) as u16);
            let name = names.max().unwrap_or(0).min(MAX_NAME) + 3;
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
    card: &'p AnswerCard,
    /// The index of its section.
    section: usize,
    x: u16,
    width: u16,
    /// Its first line.
    top: usize,
    y: usize,
    /// Whether a query is active.
    is_chosen: bool,
}

impl CardLayout<'_> {
    /// Lays out the card and returns the line after it.
    fn lay(mut self) -> usize {
        let card = self.card;
        let figures: Vec<_> = card
            .figures
            .iter()
            // What there is none of says nothing.
            .filter(|figure| !figure.is_detail && figure.values.whole != Ok(0.0))
            .collect();
        let end = self.x + self.width;
        self.words(self.x, self.width, &card.title, PageTone::Title);
        let after =
            self.x + text::width(&text::one_line(&card.title, usize::from(self.width))) as u16 + 2;
        match &card.body {
            CardBody::Bars(of, bars) => {
                let columns = BarColumns::of(*of, bars, self.width, self.is_chosen);
                // Figures of a query get column heads between the title and the bars.
                if self.is_chosen && !figures.is_empty() {
                    self.y += 1;
                    self.listed(&figures);
                    self.heads(&columns);
                    self.y += 1;
                } else {
                    self.heads(&columns);
                    self.inline(&figures, after, end.saturating_sub(columns.numbers()));
                }
                self.notes();
                for bar in bars.iter().filter(|bar| bar.whole[1] > 0) {
                    self.bar(*of, bar, &columns);
                    self.y += 1;
                }
            }
            body => {
                self.y += 1;
                self.listed(&figures);
                self.notes();
                if let CardBody::Grid(grid) = body {
                    self.cells(grid, |cell| Some(cell.values.whole));
                    if grid.cells.iter().any(|cell| cell.values.shown.is_some()) {
                        self.line("of the samples shown", PageTone::Shown);
                        self.cells(grid, |cell| cell.values.shown);
                    }
                }
            }
        }
        // The reason for missing figures, once per card.
        if let Some(reason) = figures.iter().find_map(|figure| figure.missing()) {
            let reason = reason.to_string();
            let reason = reason.trim_start_matches("n/a: ");
            self.line(&format!("{NO_FIGURE} {reason}"), PageTone::Name);
        }
        self.y
    }

    fn notes(&mut self) {
        for note in &self.card.notes {
            for line in text::folded(note, usize::from(self.width), MAX_NOTE) {
                self.line(&line, PageTone::Name);
            }
        }
    }

    /// Adds heads of the number columns after the bars.
    fn heads(&mut self, columns: &BarColumns) {
        let mut x = (self.x + self.width).saturating_sub(columns.numbers());
        let names: &[_] = if self.is_chosen {
            &[("all %", PageTone::Name), ("shown %", PageTone::Shown)]
        } else {
            &[("%", PageTone::Name)]
        };
        self.right(x, columns.count, "n".to_owned(), PageTone::Name);
        x += columns.count;
        for (name, tone) in names {
            self.right(x, columns.share, (*name).to_owned(), *tone);
            x += columns.share;
        }
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

    fn line(&mut self, words: &str, tone: PageTone) {
        self.words(self.x, self.width, words, tone);
        self.y += 1;
    }

    /// Adds a spot on this line: first cell, width, and highlighted cells.
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
            section: self.section,
            label,
            value,
            about: self.card.about.clone(),
            query: query.cloned().ok_or_else(|| NO_QUERY.to_owned()),
        });
    }

    /// Adds figures in a row from a column to another, continuing on the next lines.
    fn inline(&mut self, figures: &[&Quantity], from: u16, end: u16) {
        let (mut x, mut end) = (from, end);
        let parts = figures.iter().flat_map(|figure| FigurePart::all(figure));
        for FigurePart { title, values } in parts {
            let value = &values[0];
            let (name, cells) = (text::width(title) as u16, text::width(value) as u16);
            if x > self.x && x + name + 1 + cells > end {
                (x, end) = (self.x, self.x + self.width);
                self.y += 1;
            }
            self.words(x, name.min(end.saturating_sub(x)), title, PageTone::Name);
            let at = x + name + 1;
            let room = end.saturating_sub(at);
            self.words(at, cells.min(room), value, PageTone::Name);
            x = at + cells + 2;
        }
        self.y += 1;
    }

    /// Lists figures, for all samples and for the shown ones in columns.
    fn listed(&mut self, figures: &[&Quantity]) {
        let parts: Vec<_> = figures
            .iter()
            .map(|figure| FigurePart::all(figure))
            .collect();
        let values = parts.iter().flatten().flat_map(|part| &part.values);
        let cells = values
            .map(|value| text::width(value) as u16 + 1)
            .max()
            .unwrap_or(0)
            .max(MIN_VALUE);
        let values = if self.is_chosen { 2 * cells } else { cells };
        let name = self.width.saturating_sub(values).min(26);
        let at = self.x + name;
        if self.is_chosen && !figures.is_empty() {
            self.right(at, cells, "whole".to_owned(), PageTone::Name);
            self.right(at + cells, cells, "shown".to_owned(), PageTone::Shown);
            self.y += 1;
        }
        for (figure, parts) in figures.iter().zip(parts) {
            // A count of zero has no samples to show.
            if figure.query.is_some() && figure.values.whole != Ok(0.0) {
                let (label, value) = (
                    figure.title.to_owned(),
                    figure.unit.words(figure.values.whole),
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

    fn bar(&mut self, of: ShareOf, bar: &AnswerBar, columns: &BarColumns) {
        let mut x = self.x;
        let (is_few, shown) = (bar.is_of_few(of), bar.shown_share());
        let label = text::one_line(&bar.label, usize::from(columns.label));
        let name = if is_few {
            PageTone::Name
        } else {
            PageTone::Value
        };
        let label = if columns.is_number {
            PageMark::Right(label, name)
        } else {
            PageMark::Words(label, name)
        };
        self.put(x, columns.label, label);
        x += columns.label + 1;
        let part = |share: Result<f64, Undefined>| share.unwrap_or(0.0);
        let tone = match bar.response {
            _ if is_few => PageTone::Name,
            Some(id) => PageTone::Response(id),
            None => PageTone::Value,
        };
        let mark = shown.map(|_| part(bar.share()));
        let part = part(shown.unwrap_or_else(|| bar.share()));
        let drawn = match bar.interval.filter(|_| shown.is_none()) {
            Some(ends) => {
                let even = Some(0.5).filter(|_| of == ShareOf::Each);
                PageMark::Interval(text::bar(part, ends, even, columns.bar.into()), tone)
            }
            None => PageMark::Bar { part, mark, tone },
        };
        self.put(x, columns.bar, drawn);
        x = (self.x + self.width).saturating_sub(columns.numbers());
        let count = count_words(of, bar.shown.unwrap_or(bar.whole));
        self.right(x, columns.count, count, name);
        x += columns.count;
        self.right(x, columns.share, percent_words(bar.share()), name);
        x += columns.share;
        if let Some(shown) = shown {
            self.right(x, columns.share, percent_words(shown), PageTone::Shown);
        } else if let Some(ends) = bar.interval {
            self.put(
                x + 2,
                columns.interval,
                PageMark::Words(side_of_even(bar, ends).to_owned(), name),
            );
        }
        let label = format!("{} = {}", self.card.title, bar.label);
        let cells = [self.x, self.width, self.width];
        self.spot(cells, label, bar_words(bar), bar.query.as_ref());
    }

    fn cells(&mut self, grid: &Grid, value: impl Fn(&GridCell) -> Option<Result<f64, Undefined>>) {
        let cell_width = cell_width(grid);
        let names = grid.rows.iter().map(|row| text::width(row) as u16);
        let numbered = grid.is_heat_map;
        let aside = if numbered { 3 } else { 0 };
        let name = names.max().unwrap_or(0).min(MAX_NAME.min(self.width / 3));
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
            let head = if numbered {
                (column + 1).to_string()
            } else {
                text::one_line(head, usize::from(cell_width))
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
                let words = cell.unit.words(of);
                let what = match of {
                    Ok(of) if numbered => PageMark::Heat(coefficient_words(of), of),
                    _ => PageMark::Right(words.clone(), PageTone::Value),
                };
                self.put(x, cell_width, what);
                let reason = of
                    .err()
                    .map(|reason| format!(" {reason}"))
                    .unwrap_or_default();
                let over = if numbered {
                    format!("{title} and {head}, n {}{reason}", grouped(cell.n as usize))
                } else {
                    format!("{title}: {head}{reason}")
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

/// Least width of a value in a list, with the space before it.
const MIN_VALUE: u16 = 10;

/// A figure or its interval, of all samples and of the shown ones.
struct FigurePart<'q> {
    title: &'q str,
    values: [String; 2],
}

impl<'q> FigurePart<'q> {
    /// Returns the parts of a figure, the figure itself first.
    fn all(figure: &'q Quantity) -> Vec<Self> {
        let range = |ends| figure.unit.interval_words(ends);
        let words = |values: [Option<String>; 2]| values.map(Option::unwrap_or_default);
        let itself = [Some(figure.values.whole), figure.values.shown]
            .map(|of| of.map(|value| figure.unit.words(value)));
        let mut parts = vec![(figure.title, words(itself))];
        if figure.intervals != [None; 2] {
            parts.push((
                "95 % CI",
                words(figure.intervals.map(|ends| ends.map(range))),
            ));
        }
        let part = |(title, values)| Self { title, values };
        parts.into_iter().map(part).collect()
    }
}

/// The widths of the columns of bars, in cells.
struct BarColumns {
    label: u16,
    /// Whether labels are numeric.
    is_number: bool,
    bar: u16,
    /// 0 without room for counts.
    count: u16,
    share: u16,
    interval: u16,
    /// Whether there are shares of the shown samples.
    has_shown: bool,
}

/// Least width of a label, so that the bars of cards below each other are aligned.
const LABEL: u16 = 11;
/// Width of the shortest bar that leaves room for counts, and of the longest bar.
const MIN_BAR: u16 = 6;
const MAX_BAR: u16 = 32;

impl BarColumns {
    fn of(of: ShareOf, bars: &[AnswerBar], width: u16, is_chosen: bool) -> Self {
        let most = width * 2 / 5;
        let mut label = bars
            .iter()
            .map(|bar| text::width(&bar.label) as u16)
            .max()
            .unwrap_or(0)
            .min(most);
        let counts = bars
            .iter()
            .map(|bar| text::width(&count_words(of, bar.whole)));
        let mut count = counts.max().unwrap_or(0).max(4) as u16 + 1;
        let share = if is_chosen { 8 } else { 6 };
        let shares = if is_chosen { 2 * share } else { share };
        let has_interval = bars.iter().any(|bar| bar.interval.is_some());
        let mut interval = if has_interval && !is_chosen { SIDE } else { 0 };
        let left = |taken: u16| width.saturating_sub(1 + shares + taken);
        if left(label + count + interval) < MIN_BAR {
            interval = 0;
        }
        if left(label + count) < MIN_BAR {
            count = 0;
        }
        if left(LABEL + count + interval) >= MIN_BAR {
            label = label.max(LABEL);
        }
        Self {
            label,
            is_number: bars.iter().all(|bar| bar.label.parse::<f64>().is_ok()),
            bar: left(label + count + interval).min(MAX_BAR),
            count,
            share,
            interval,
            has_shown: is_chosen,
        }
    }

    /// Returns the width of the numbers after the bars.
    fn numbers(&self) -> u16 {
        let shares = if self.has_shown { 2 } else { 1 };
        self.count + shares * self.share + self.interval
    }
}

/// Describes a bar's count and total, also for the shown samples.
fn bar_words(bar: &AnswerBar) -> String {
    let words = |[some, all]: [u64; 2], share| {
        let [some, all] = [some, all].map(|count| grouped(count as usize));
        format!("{some} of {all}, {}", QuantityUnit::Share.words(share))
    };
    let sure = |interval: Option<[f64; 2]>| interval.map_or(String::new(), interval_words);
    let whole = words(bar.whole, bar.share()) + &sure(bar.interval);
    match bar.shown.zip(bar.shown_share()) {
        Some((shown, share)) => format!(
            "{whole}; shown {}{}",
            words(shown, share),
            sure(bar.shown_interval)
        ),
        None => whole,
    }
}

/// Cells of the longest verdict on a share, with the space before it.
const SIDE: u16 = 15;

/// Says on which side of one half a share is.
fn side_of_even(bar: &AnswerBar, [low, high]: [f64; 2]) -> &'static str {
    match () {
        () if bar.is_of_few(ShareOf::Each) => "too few",
        () if low > 0.5 => "more often",
        () if high < 0.5 => "less often",
        () => "no difference",
    }
}

/// Describes a share's interval, and on which side of one half it is.
fn interval_words([low, high]: [f64; 2]) -> String {
    let side = match (low > 0.5, high < 0.5) {
        (true, _) => "above 50 %",
        (_, true) => "below 50 %",
        _ => "no clear difference from 50 %",
    };
    let ends = QuantityUnit::Share.interval_words([low, high]);
    format!(" ({ends}): {side}")
}

fn cell_width(grid: &Grid) -> u16 {
    if grid.is_heat_map {
        HEAT_CELL
    } else {
        GRID_CELL
    }
}

/// Formats a coefficient compactly: `.94`, `-.06`, `1`.
fn coefficient_words(value: f64) -> String {
    let words = format!("{value:.2}");
    match words.as_str() {
        "1.00" => "1".to_owned(),
        "-1.00" => "-1".to_owned(),
        "0.00" | "-0.00" => "0".to_owned(),
        words => words.replacen("0.", ".", 1),
    }
}
