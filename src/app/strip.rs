//! The strip of labels above a response: what it says, and how it flows into rows.

use crate::text;

/// How an item is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As a matter of fact.
    Plain,
    /// As an aside.
    Dim,
    /// As something to look at.
    Finding,
}

/// One thing said about a response.
#[derive(Debug, Clone, PartialEq)]
pub enum StripItem {
    /// A label or score.
    Rating {
        /// The label's name.
        name: String,
        /// Its value as a number for people; "–" where there is none.
        value: String,
        /// Filled cells of the bar and all of them; `None` where a bar would mean nothing.
        bar: Option<(u32, u32)>,
        /// By how much it exceeds the other response's, with its sign; empty where it does not.
        lead: String,
    },
    /// Words.
    Note {
        /// What they say.
        text: String,
        /// How they are meant.
        tone: Tone,
    },
}

/// Cells kept free behind every value for the lead, so that the strips of both sides flow alike.
const LEAD_WIDTH: usize = 3;
/// Cells between items.
pub const GAP: usize = 2;
/// Letters that a compact name keeps.
const COMPACT_NAME: usize = 5;

impl StripItem {
    /// The name as shown.
    pub fn shown_name(name: &str, compact: bool) -> &str {
        match name.char_indices().nth(COMPACT_NAME) {
            Some((end, _)) if compact => &name[..end],
            _ => name,
        }
    }

    fn width(&self, compact: bool) -> usize {
        match self {
            Self::Rating { name, value, bar, lead } => {
                let bar = bar.map_or(0, |(_, of)| if compact { 0 } else { of as usize + 1 });
                let lead = lead.len().max(LEAD_WIDTH);
                text::width(Self::shown_name(name, compact)) + 1 + bar + text::width(value) + lead
            }
            Self::Note { text, .. } => text::width(text),
        }
    }
}

/// The items in rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Strip {
    /// Rows from above, each with at least one item.
    pub rows: Vec<Vec<StripItem>>,
    /// Whether names are cut and bars left out.
    pub compact: bool,
}

impl Strip {
    /// Flows ratings, then notes, into rows of `width` cells: with bars if the ratings then take two rows at most.
    pub fn flow(ratings: Vec<StripItem>, notes: Vec<StripItem>, width: usize) -> Self {
        let full = rows(&ratings, width, false);
        let compact = full.len() > 2;
        let mut rows_of_items = if compact { rows(&ratings, width, true) } else { full };
        rows_of_items.extend(rows(&notes, width, compact));
        Self { rows: rows_of_items, compact }
    }
}

fn rows(items: &[StripItem], width: usize, compact: bool) -> Vec<Vec<StripItem>> {
    let mut rows: Vec<Vec<StripItem>> = Vec::new();
    let mut used = 0;
    for item in items {
        let needed = item.width(compact);
        match rows.last_mut() {
            Some(row) if used + GAP + needed <= width => {
                used += GAP + needed;
                row.push(item.clone());
            }
            _ => {
                used = needed;
                rows.push(vec![item.clone()]);
            }
        }
    }
    rows
}

/// A number for people: whole ones plain, others with up to three decimals.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (value, text) in [(3.0, "3"), (-0.6666666, "-0.667"), (0.5, "0.5"), (1.0e-9, "0"), (0.0, "0")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn flow_goes_compact_before_it_takes_three_rows() {
        let rating = |name: &str| StripItem::Rating {
            name: name.to_owned(),
            value: "4".to_owned(),
            bar: Some((4, 4)),
            lead: String::new(),
        };
        let five = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"].map(rating).to_vec();
        for (width, rows, compact) in [(130, 1, false), (68, 2, false), (40, 2, true), (10, 5, true), (0, 5, true)] {
            let strip = Strip::flow(five.clone(), Vec::new(), width);
            assert_eq!((strip.rows.len(), strip.compact), (rows, compact), "{width}");
        }
    }
}
