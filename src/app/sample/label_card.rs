//! Labels, scores, lengths and other facts about the shown responses, in rows. The card below the
//! list has all rows; the label row above the responses has only the labels.

use crate::text::{self, grouped};

/// The rows of a card, most important first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelCard {
    /// Labels and scores of the file.
    pub labels: Vec<CardRow>,
    /// Lengths.
    pub lengths: Vec<CardRow>,
    /// Quotes and citations.
    pub citations: Vec<CardRow>,
    /// Other responses, rows and other facts from the file.
    pub facts: Vec<CardRow>,
}

/// A row of a card.
#[derive(Debug, Clone, PartialEq)]
pub struct CardRow {
    /// Name; empty if the row continues the one above.
    pub name: String,
    /// The value or values.
    pub value: CardValue,
    /// True if the row should be highlighted.
    pub is_finding: bool,
}

/// The value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum CardValue {
    /// One value of the sample.
    Sample(String),
    /// One value for each shown response, left first; a single response has only the first.
    Each {
        /// Formatted values; "–" if missing.
        values: [String; 2],
        /// The pane with the greater value, 0 or 1; `None` if equal or not comparable.
        greater: Option<usize>,
    },
}

/// The name of the row of lengths.
pub const CHARACTERS: &str = "characters";
/// The sign for a missing value.
pub const MISSING: &str = "–";

impl LabelCard {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &CardRow> {
        self.labels
            .iter()
            .chain(&self.lengths)
            .chain(&self.citations)
            .chain(&self.facts)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows().count()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl CardRow {
    /// Creates a row about the sample.
    pub(crate) fn of_sample(name: &str, value: String) -> Self {
        Self::new(name, CardValue::Sample(value))
    }

    /// Creates a row about both responses without comparing them.
    pub(crate) fn of_each(name: &str, values: [String; 2]) -> Self {
        let value = CardValue::Each {
            values,
            greater: None,
        };
        Self::new(name, value)
    }

    /// Creates a row of counts.
    pub(crate) fn of_counts(name: &str, counts: [usize; 2]) -> Self {
        Self::of_each(name, counts.map(grouped))
    }

    /// Creates a row of values formatted by `shown`; `None` if both are missing.
    pub(crate) fn of_values(
        name: &str,
        values: [Option<f64>; 2],
        shown: impl Fn(f64) -> String,
    ) -> Option<Self> {
        let [left, right] = values;
        left.or(right)?;
        let greater = left.zip(right).filter(|(left, right)| left != right);
        let value = CardValue::Each {
            values: values.map(|value| value.map_or_else(|| MISSING.to_owned(), &shown)),
            greater: greater.map(|(left, right)| usize::from(right > left)),
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
