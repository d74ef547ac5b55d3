//! The parts of an answer about numbers: cards with figures, bars or a grid.

use crate::model::ResponseId;
use crate::stats::{ClusteredShare, Distribution, Figure, Undefined};

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

impl AnswerCard {
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
