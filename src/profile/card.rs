//! What a page of statistics is made of: cards with figures, bars or a grid.

use super::with_shown::WithShown;
use crate::model::ResponseId;
use crate::stats::{Distribution, Figure, Shuffled, Undefined};

/// Figures of one thing, and what they are of.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileCard {
    /// What JSON calls it: stable, and its own within the section.
    pub key: String,
    /// What it is of, as files may spell it (not sanitised).
    pub title: String,
    /// What is counted, and by which formula, in a sentence.
    pub about: String,
    /// Its figures, the most telling first.
    pub figures: Vec<Quantity>,
    /// What is drawn below them.
    pub body: CardBody,
    /// What the reader must know so as not to misread the figures, one sentence each.
    pub notes: Vec<String>,
}

/// What a card draws.
#[derive(Debug, Clone, PartialEq)]
pub enum CardBody {
    /// Its figures are all there is.
    Figures,
    /// A bar each; of what.
    Bars(ShareOf, Vec<ProfileBar>),
    /// A table of numbers.
    Grid(Grid),
}

/// What the shares of bars are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareOf {
    /// All bars together, or all of what there is: a histogram.
    All,
    /// Each bar's own count: a share that could be anything from 0 to 1.
    Each,
}

/// Bars of fewer cases are dim.
pub const FEWEST: usize = 10;

/// A bar: so many of so many.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileBar {
    /// What it is of, as files may spell it (not sanitised).
    pub label: String,
    /// How many of how many there are.
    pub whole: [u64; 2],
    /// How many of how many of what is shown; `None` where no query chooses.
    pub shown: Option<[u64; 2]>,
    /// Where the share of the whole lies at 95 %, 0 to 1, where that was asked for.
    pub interval: Option<[f64; 2]>,
    /// The query that finds what the bar counts.
    pub query: Option<String>,
    /// The response whose colour it has.
    pub response: Option<ResponseId>,
}

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// What JSON calls it: stable, and its own within the card.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// How it is written.
    pub unit: QuantityUnit,
    /// The figure, or why there is none.
    pub values: WithShown<Result<f64, Undefined>>,
    /// Where the figure of the whole lies at 95 %, and that of what is shown.
    pub intervals: [Option<[f64; 2]>; 2],
    /// The same figure of shuffled values, of the whole and of what is shown.
    pub shuffled: [Option<Shuffled>; 2],
    /// The query that finds what is counted.
    pub query: Option<String>,
    /// Whether it is told in JSON alone.
    pub is_detail: bool,
}

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityUnit {
    /// A whole number of things.
    Count,
    /// A share, 0 to 1, written in percent.
    Share,
    /// A number in the unit of what it is of.
    Number,
    /// A coefficient between -1 and 1.
    Coefficient,
}

/// A table of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Heads of the columns, as files may spell them.
    pub columns: Vec<String>,
    /// Heads of the rows.
    pub rows: Vec<String>,
    /// A cell for each column, row after row.
    pub cells: Vec<GridCell>,
    /// Whether cells are coefficients, -1 to 1, so that colours can tell them.
    pub is_heat_map: bool,
}

/// A cell of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridCell {
    /// How it is written.
    pub unit: QuantityUnit,
    /// The figure, or why there is none.
    pub values: WithShown<Result<f64, Undefined>>,
    /// How many things it is of.
    pub n: u64,
    /// The query that finds what it tells of.
    pub query: Option<String>,
}

impl ProfileCard {
    /// A card without notes.
    pub(super) fn new(
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

    /// This card, with what a reader must know.
    #[must_use]
    pub(super) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }
}

impl Quantity {
    /// Why there is no figure of the whole, or else of what is shown.
    pub fn missing(&self) -> Option<Undefined> {
        let WithShown { whole, shown } = self.values;
        whole.err().or(shown.and_then(Result::err))
    }

    /// A figure of the whole and of what is shown, from what each comes to.
    pub(super) fn new(
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
            shuffled: [None; 2],
            query: None,
            is_detail: false,
        }
    }

    /// A figure with its interval, of the whole and of what is shown.
    pub(super) fn with_interval(
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

    /// How many there are of the whole and of what is shown.
    pub(super) fn count(key: &'static str, title: &'static str, counts: WithShown<u64>) -> Self {
        let values = counts.map(|count| Ok(*count as f64));
        Self::new(key, title, QuantityUnit::Count, values)
    }

    /// The same of two distributions.
    pub(super) fn of(
        key: &'static str,
        title: &'static str,
        unit: QuantityUnit,
        distributions: &WithShown<Distribution>,
        figure: impl Fn(&Distribution) -> Result<f64, Undefined>,
    ) -> Self {
        Self::new(key, title, unit, distributions.map(figure))
    }

    /// This figure, with the query that finds what it counts.
    #[must_use]
    pub fn found_by(mut self, query: impl Into<String>) -> Self {
        self.query = Some(query.into());
        self
    }

    /// This figure, told in JSON alone.
    #[must_use]
    pub fn in_json_alone(mut self) -> Self {
        self.is_detail = true;
        self
    }
}

impl ProfileBar {
    /// The share of the whole, 0 to 1.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] where there is nothing that it could be of.
    pub fn share(&self) -> Result<f64, Undefined> {
        share(self.whole)
    }

    /// The share of what is shown, 0 to 1; `None` where no query chooses.
    pub fn shown_share(&self) -> Option<Result<f64, Undefined>> {
        self.shown.map(share)
    }

    /// A bar without an interval.
    pub(super) fn new(label: String, counts: WithShown<[u64; 2]>, query: Option<String>) -> Self {
        Self {
            label,
            whole: counts.whole,
            shown: counts.shown,
            interval: None,
            query,
            response: None,
        }
    }

    /// This bar, with where its share lies at 95 %, by Wilson's formula.
    #[must_use]
    pub(super) fn with_interval(self) -> Self {
        let [some, all] = self.whole;
        Self {
            interval: Figure::share(some, all).ends(),
            ..self
        }
    }

    /// True if it counts fewer than [`FEWEST`] cases: of what is shown if a query chooses, else of
    /// the whole.
    pub fn is_of_few(&self, of: ShareOf) -> bool {
        let counts = self.shown.unwrap_or(self.whole);
        (counts[usize::from(of == ShareOf::Each)] as usize) < FEWEST
    }

    /// Where the share of what is shown lies at 95 %, by Wilson's formula, where that of the whole was
    /// asked for.
    pub fn shown_interval(&self) -> Option<[f64; 2]> {
        let [some, all] = self.shown.filter(|_| self.interval.is_some())?;
        Figure::share(some, all).ends()
    }
}

fn share([some, all]: [u64; 2]) -> Result<f64, Undefined> {
    Figure::share(some, all).value
}
