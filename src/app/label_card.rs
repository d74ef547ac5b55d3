//! What is said of the responses in the panes, in rows: labels and scores first, then lengths and
//! what the file says besides. The card below the list shows all of it, the row of labels above the
//! responses the labels alone.

use crate::text::{self, grouped};

/// The rows, the most important first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelCard {
    /// Labels and scores of the file.
    pub labels: Vec<CardRow>,
    /// Lengths.
    pub lengths: Vec<CardRow>,
    /// Quotes, citations and tokens.
    pub citations: Vec<CardRow>,
    /// Other responses, rows, and what the file says besides.
    pub facts: Vec<CardRow>,
}

/// A row of a card.
#[derive(Debug, Clone, PartialEq)]
pub struct CardRow {
    /// What it is about; empty if it goes on with the row above.
    pub name: String,
    /// What is said.
    pub value: CardValue,
    /// Whether it is something to look at.
    pub is_finding: bool,
}

/// What a row of a card says.
#[derive(Debug, Clone, PartialEq)]
pub enum CardValue {
    /// Of the sample.
    Sample(String),
    /// Of each response in the panes, left first; of one that is alone, only the first.
    Each {
        /// The values, for people; "–" where one has none.
        values: [String; 2],
        /// The pane with the greater value, 0 or 1; `None` if they are equal, or that means nothing.
        greater: Option<usize>,
        /// Filled cells of each bar and all cells of one; `None` where a bar would mean nothing.
        bars: Option<([u32; 2], u32)>,
    },
}

/// The most cells of a bar.
const MOST_CELLS: u32 = 5;
/// The sign for a missing value.
pub const MISSING: &str = "–";

impl LabelCard {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &CardRow> {
        let responses = self
            .labels
            .iter()
            .chain(&self.lengths)
            .chain(&self.citations);
        responses.chain(&self.facts)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows().count()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl CardRow {
    /// What it says of the response in the left pane (0) or in the right one (1), if anything; what
    /// it says of the sample counts for the left one.
    pub fn of_pane(&self, pane: usize) -> Option<&str> {
        let value = match &self.value {
            CardValue::Sample(value) if pane == 0 => value,
            CardValue::Sample(_) => return None,
            CardValue::Each { values, .. } => values.get(pane)?,
        };
        Some(&**value).filter(|value| !value.is_empty())
    }

    /// A row about the sample.
    pub(super) fn of_sample(name: &str, value: String) -> Self {
        Self::new(name, CardValue::Sample(value))
    }

    /// A row about both responses without an order between them.
    pub(super) fn of_each(name: &str, values: [String; 2]) -> Self {
        let value = CardValue::Each {
            values,
            greater: None,
            bars: None,
        };
        Self::new(name, value)
    }

    /// A row of counts.
    pub(super) fn of_counts(name: &str, counts: [usize; 2]) -> Self {
        Self::of_each(name, counts.map(grouped))
    }

    /// A row of values, as `shown` writes them, with bars over a range, given as its least value and its steps;
    /// `None` if neither response has one.
    pub(super) fn of_values(
        name: &str,
        values: [Option<f64>; 2],
        shown: impl Fn(f64) -> String,
        scale: Option<(f64, u32)>,
    ) -> Option<Self> {
        let [left, right] = values;
        left.or(right)?;
        let bar = |value: Option<f64>| {
            let (low, steps) = scale?;
            let cells = f64::from(steps.min(MOST_CELLS));
            let share = value.map_or(0.0, |value| (value - low) / f64::from(steps));
            // A value above the least one is seen to be so.
            Some((share * cells).ceil().clamp(0.0, cells) as u32)
        };
        let greater = left.zip(right).filter(|(left, right)| left != right);
        let value = CardValue::Each {
            values: values.map(|value| value.map_or_else(|| MISSING.to_owned(), &shown)),
            greater: greater.map(|(left, right)| usize::from(right > left)),
            bars: bar(left)
                .zip(bar(right))
                .zip(scale)
                .map(|(bars, (_, steps))| (bars.into(), steps.min(MOST_CELLS))),
        };
        Some(Self::new(name, value))
    }

    fn new(name: &str, value: CardValue) -> Self {
        Self {
            name: text::one_line(name, 40),
            value,
            is_finding: false,
        }
    }
}
