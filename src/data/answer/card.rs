//! The parts of an answer about numbers: cards with figures, bars or a grid.

use super::document::{Answer, AnswerTables};
use super::table::{AnswerCell, AnswerTable};
use crate::model::ResponseId;
use crate::stats::{ClusteredShare, Distribution, Figure, Undefined};
use crate::text::{escape_markdown, grouped, number, one_line};

/// Maximum width of a title in words, in terminal cells.
const WIDEST: usize = 200;

/// A group of cards.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSection {
    /// Key in JSON.
    pub key: &'static str,
    /// Title on screen.
    pub title: &'static str,
    /// At least one card.
    pub cards: Vec<AnswerCard>,
}

/// Figures on one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerCard {
    /// Key in JSON: stable, and unique within the section.
    pub key: String,
    /// Title, possibly from a file (not sanitised).
    pub title: String,
    /// What is counted, and by which formula, in a sentence.
    pub about: String,
    /// Its figures, the most important first.
    pub figures: Vec<Quantity>,
    /// Contents below the figures.
    pub body: CardBody,
    /// Caveats, one sentence each.
    pub notes: Vec<String>,
}

/// The contents of a card below its figures.
#[derive(Debug, Clone, PartialEq)]
pub enum CardBody {
    /// Nothing but the figures.
    Figures,
    /// Bars, and what their shares are of.
    Bars(ShareOf, Vec<AnswerBar>),
    /// A table of numbers.
    Grid(Grid),
}

/// The total that shares of bars refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareOf {
    /// The total of all bars: a histogram.
    All,
    /// Each bar's total: independent shares from 0 to 1.
    Each,
}

/// Bars with fewer cases are dimmed.
pub const FEWEST: usize = 10;

/// A bar: a number of cases out of a total.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerBar {
    /// Label, possibly from a file (not sanitised).
    pub label: String,
    /// Number of cases and total.
    pub whole: [u64; 2],
    /// The same for the shown samples; `None` without a query.
    pub shown: Option<[u64; 2]>,
    /// 95 % interval of the share for all samples, 0 to 1, if requested.
    pub interval: Option<[f64; 2]>,
    /// The same for the shown samples.
    pub shown_interval: Option<[f64; 2]>,
    /// Query for the cases of the bar.
    pub query: Option<String>,
    /// The response whose colour it has.
    pub response: Option<ResponseId>,
}

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// Key in JSON: stable, and unique within the card.
    pub key: &'static str,
    /// Title on screen.
    pub title: &'static str,
    /// Number format.
    pub unit: QuantityUnit,
    /// The figure, or why it is undefined.
    pub values: WithShown<Result<f64, Undefined>>,
    /// 95 % intervals for all samples and for the shown ones.
    pub intervals: [Option<[f64; 2]>; 2],
    /// Query for what is counted.
    pub query: Option<String>,
    /// Whether it appears in JSON only.
    pub is_detail: bool,
}

/// How a figure is formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityUnit {
    /// A number of things.
    Count,
    /// A share, 0 to 1, written in percent.
    Share,
    /// A number in the unit of its subject.
    Number,
    /// A coefficient between -1 and 1.
    Coefficient,
}

impl QuantityUnit {
    /// Formats a figure with three significant digits; a dash if it is missing.
    pub fn words(self, value: Result<f64, Undefined>) -> String {
        let Ok(value) = value else {
            return NO_FIGURE.to_owned();
        };
        match self {
            Self::Count => grouped(value as usize),
            Self::Share if value == 0.0 => "0 %".to_owned(),
            Self::Share => format!("{} %", percent_words(Ok(value))),
            Self::Coefficient => format!("{:.3}", value + 0.0),
            Self::Number => significant(value),
        }
    }

    /// Formats an interval; of a share in percent, without the sign.
    pub fn interval_words(self, [low, high]: [f64; 2]) -> String {
        let between = if low < 0.0 { " to " } else { "–" };
        match self {
            Self::Share => format!("{:.1}–{:.1}", low * 100.0, high * 100.0),
            _ => [low, high].map(|end| self.words(Ok(end))).join(between),
        }
    }

    /// Makes a cell of a figure; empty for `None`.
    fn cell(self, value: Option<Result<f64, Undefined>>) -> AnswerCell {
        match value {
            Some(Err(why)) => AnswerCell::missing(&why),
            Some(value) => AnswerCell::number(self.words(value)),
            None => AnswerCell::default(),
        }
    }

    /// Makes a cell of an interval; empty for `None`.
    pub fn interval_cell(self, interval: Option<[f64; 2]>) -> AnswerCell {
        let sign = if self == Self::Share { " %" } else { "" };
        let words = interval.map(|ends| self.interval_words(ends) + sign);
        AnswerCell::number(words.unwrap_or_default())
    }
}

/// Words for a missing figure.
pub const NO_FIGURE: &str = "–";

/// Formats a share in percent with one decimal; a dot for zero.
pub fn percent_words(share: Result<f64, Undefined>) -> String {
    match share {
        Err(_) => NO_FIGURE.to_owned(),
        Ok(0.0) => "·".to_owned(),
        Ok(share) if share >= 0.9995 => "100".to_owned(),
        Ok(share) if share < 0.0005 => "<0.1".to_owned(),
        Ok(share) => format!("{:.1}", share * 100.0),
    }
}

/// Formats a number with three significant digits; whole numbers with all digits.
fn significant(value: f64) -> String {
    let size = value.abs();
    if size >= 1e12 || size.fract() == 0.0 && size < 1000.0 {
        return number(value);
    }
    if size >= 99.95 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(size.round() as usize));
    }
    if size < 1e-6 {
        return format!("{value:.2e}");
    }
    let decimals = (2 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let words = format!("{:.decimals$}", value + 0.0);
    words.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A table of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Column heads, possibly from a file.
    pub columns: Vec<String>,
    /// Row heads.
    pub rows: Vec<String>,
    /// A cell for each column, row by row.
    pub cells: Vec<GridCell>,
    /// Whether cells are coefficients, -1 to 1, shown with colours.
    pub is_heat_map: bool,
}

/// A cell of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridCell {
    /// Number format.
    pub unit: QuantityUnit,
    /// The figure, or why it is undefined.
    pub values: WithShown<Result<f64, Undefined>>,
    /// Number of cases.
    pub n: u64,
    /// Query for these cases.
    pub query: Option<String>,
}

impl AnswerSection {
    /// Returns its cards as words and tables.
    pub(super) fn tables(&self) -> Answer {
        let mut tables = AnswerTables::default();
        let cards = self.cards.iter().map(|card| card.words(&mut tables));
        let cards: String = cards.collect();
        tables.answer(&format!("## {}\n\n{cards}", self.title))
    }
}

impl AnswerCard {
    /// Returns a heading, notes and the places of its tables.
    fn words(&self, tables: &mut AnswerTables) -> String {
        let words = |text: &str| escape_markdown(&one_line(text, usize::MAX));
        let figure = |figure: &Quantity| {
            let [whole, shown] = figure.intervals.map(|of| figure.unit.interval_cell(of));
            vec![
                AnswerCell::markdown(figure.title),
                figure.unit.cell(Some(figure.values.whole)),
                whole,
                figure.unit.cell(figure.values.shown),
                shown,
            ]
        };
        let figures = self.figures.iter().filter(|figure| !figure.is_detail);
        let heads = ["", "all", "95 %", "shown", "95 %"];
        let figures = AnswerTable::with_heads(&heads, figures.map(figure).collect());
        let mut parts = vec![format!("### {}", words(&self.title)), words(&self.about)];
        parts.extend(self.notes.iter().map(|note| words(note)));
        parts.push(tables.put(figures));
        match &self.body {
            CardBody::Figures => {}
            CardBody::Bars(of, bars) => parts.push(tables.put(bars_table(*of, bars))),
            CardBody::Grid(grid) => {
                parts.push(tables.put(grid.table(|values| Some(values.whole))));
                if grid.cells.iter().any(|cell| cell.values.shown.is_some()) {
                    parts.push("Of the samples shown:".to_owned());
                    parts.push(tables.put(grid.table(|values| values.shown)));
                }
            }
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n\n"
    }

    /// Creates a card without notes.
    pub fn new(
        key: impl Into<String>,
        title: impl Into<String>,
        about: impl Into<String>,
        figures: Vec<Quantity>,
        body: CardBody,
    ) -> Self {
        Self {
            key: key.into(),
            title: title.into(),
            about: about.into(),
            figures,
            body,
            notes: Vec::new(),
        }
    }

    /// Adds notes.
    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }
}

/// Returns a row for each bar.
fn bars_table(of: ShareOf, bars: &[AnswerBar]) -> AnswerTable {
    let unit = QuantityUnit::Share;
    let row = |bar: &AnswerBar| {
        let count = |counts| AnswerCell::number(count_words(of, counts));
        let shown_share = bar.shown_share();
        vec![
            AnswerCell::new((), &bar.label),
            AnswerCell::bar(
                shown_share.unwrap_or_else(|| bar.share()),
                shown_share.map_or(bar.interval, |_| bar.shown_interval),
            ),
            count(bar.whole),
            unit.cell(Some(bar.share())),
            unit.interval_cell(bar.interval),
            bar.shown.map_or_else(AnswerCell::default, count),
            unit.cell(shown_share),
            unit.interval_cell(bar.shown_interval),
        ]
    };
    let has_shown = bars.iter().any(|bar| bar.shown.is_some());
    let bar = if has_shown { "shown" } else { "" };
    let heads = ["", bar, "n", "share", "95 %", "shown", "share", "95 %"];
    AnswerTable::with_heads(&heads, bars.iter().map(row).collect())
}

/// Formats the counts of a bar: the cases, with the total if it is that of the bar.
pub fn count_words(of: ShareOf, counts: [u64; 2]) -> String {
    let [some, all] = counts.map(|count| grouped(count as usize));
    match of {
        ShareOf::All => some,
        ShareOf::Each => format!("{some}/{all}"),
    }
}

impl Grid {
    fn table(
        &self,
        value: impl Fn(&WithShown<Result<f64, Undefined>>) -> Option<Result<f64, Undefined>>,
    ) -> AnswerTable {
        let columns = self
            .columns
            .iter()
            .map(|head| escape_markdown(&one_line(head, WIDEST)));
        let heads: Vec<_> = [String::new()].into_iter().chain(columns).collect();
        let rows = self
            .rows
            .iter()
            .zip(self.cells.chunks(self.columns.len().max(1)));
        let rows = rows.map(|(name, cells)| {
            // A reason would name rows, but columns can be the reason.
            let cells = cells.iter().map(|cell| {
                let words = value(&cell.values).map(|of| cell.unit.words(of));
                AnswerCell::number(words.unwrap_or_default())
            });
            [AnswerCell::new((), name)]
                .into_iter()
                .chain(cells)
                .collect()
        });
        AnswerTable::with_heads(&heads, rows.collect())
    }
}

impl Quantity {
    /// Returns why the figure is undefined, for all samples or else for the shown ones.
    pub fn missing(&self) -> Option<Undefined> {
        let WithShown { whole, shown } = self.values;
        whole.err().or(shown.and_then(Result::err))
    }

    /// Creates a figure for all samples and for the shown ones.
    pub fn new(
        key: &'static str,
        title: &'static str,
        unit: QuantityUnit,
        values: WithShown<Result<f64, Undefined>>,
    ) -> Self {
        Self {
            key,
            title,
            unit,
            values,
            intervals: [None; 2],
            query: None,
            is_detail: false,
        }
    }

    /// Creates a figure with its interval.
    pub fn with_interval(
        key: &'static str,
        title: &'static str,
        unit: QuantityUnit,
        figures: WithShown<Figure>,
    ) -> Self {
        Self {
            intervals: [Some(figures.whole), figures.shown].map(|figure| figure?.ends()),
            ..Self::new(key, title, unit, figures.map(|figure| figure.value))
        }
    }

    /// Creates a count.
    pub fn count(key: &'static str, title: &'static str, counts: WithShown<u64>) -> Self {
        let values = counts.map(|count| Ok(*count as f64));
        Self::new(key, title, QuantityUnit::Count, values)
    }

    /// Creates a figure from two distributions.
    pub fn of(
        key: &'static str,
        title: &'static str,
        unit: QuantityUnit,
        distributions: &WithShown<Distribution>,
        figure: impl Fn(&Distribution) -> Result<f64, Undefined>,
    ) -> Self {
        Self::new(key, title, unit, distributions.map(figure))
    }

    /// Adds the query for what it counts.
    #[must_use]
    pub fn found_by(mut self, query: impl Into<String>) -> Self {
        self.query = Some(query.into());
        self
    }

    /// Restricts the figure to JSON.
    #[must_use]
    pub fn json_only(mut self) -> Self {
        self.is_detail = true;
        self
    }
}

impl AnswerBar {
    /// Returns the share for all samples, 0 to 1.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] if the total is 0.
    pub fn share(&self) -> Result<f64, Undefined> {
        share(self.whole)
    }

    /// Returns the share for the shown samples, 0 to 1; `None` without a query.
    pub fn shown_share(&self) -> Option<Result<f64, Undefined>> {
        self.shown.map(share)
    }

    /// Creates a bar without an interval.
    pub fn new(label: String, counts: WithShown<[u64; 2]>, query: Option<String>) -> Self {
        Self {
            label,
            whole: counts.whole,
            shown: counts.shown,
            interval: None,
            shown_interval: None,
            query,
            response: None,
        }
    }

    /// Creates a bar for a share with its intervals.
    pub fn of_share(
        label: String,
        shares: WithShown<(ClusteredShare, Figure)>,
        query: Option<String>,
    ) -> Self {
        let counts = shares.map(|(share, _)| [share.successes, share.trials]);
        Self {
            interval: shares.whole.1.ends(),
            shown_interval: shares.shown.and_then(|(_, figure)| figure.ends()),
            ..Self::new(label, counts, query)
        }
    }

    /// True if it counts fewer than [`FEWEST`] cases, among the shown samples if there is a query,
    /// else among all.
    pub fn is_of_few(&self, of: ShareOf) -> bool {
        let counts = self.shown.unwrap_or(self.whole);
        (counts[usize::from(of == ShareOf::Each)] as usize) < FEWEST
    }
}

fn share([some, all]: [u64; 2]) -> Result<f64, Undefined> {
    Figure::share(some, all).value
}

/// A value for all samples, and the same value for those that the query shows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WithShown<T> {
    /// The value for all samples.
    pub whole: T,
    /// `None` without a query, or if it makes no difference.
    pub shown: Option<T>,
}

impl<T> WithShown<T> {
    /// Wraps a value for all samples that is unknown for the shown ones.
    pub const fn of_whole(whole: T) -> Self {
        Self { whole, shown: None }
    }

    /// Converts both values.
    pub fn map<U>(&self, make: impl Fn(&T) -> U) -> WithShown<U> {
        WithShown {
            whole: make(&self.whole),
            shown: self.shown.as_ref().map(make),
        }
    }

    /// Converts both values, which are moved.
    pub fn into_map<U>(self, make: impl Fn(T) -> U) -> WithShown<U> {
        WithShown {
            whole: make(self.whole),
            shown: self.shown.map(make),
        }
    }

    /// Changes the value for all samples, and that for the shown ones if `shows`.
    pub fn update(&mut self, shows: bool, change: impl Fn(&mut T)) {
        change(&mut self.whole);
        self.shown.as_mut().filter(|_| shows).map(change);
    }
}

impl<T: Copy> WithShown<T> {
    /// Pairs the values with those of another.
    pub fn zip<U: Copy>(self, other: WithShown<U>) -> WithShown<(T, U)> {
        WithShown {
            whole: (self.whole, other.whole),
            shown: self.shown.zip(other.shown),
        }
    }
}
