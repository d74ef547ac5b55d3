//! The strip of labels above a response: what it says, and how it flows into rows.

use std::borrow::Cow;

use crate::model::ResponseId;
use crate::text;

/// How an item is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As an aside.
    Dim,
    /// As something to look at.
    Finding,
}

/// One thing said about a response.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelBarItem {
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
    /// A response of the sample, one of more than two.
    Letter {
        /// Which, by its letter on the screen.
        id: ResponseId,
        /// What is said of it behind its letter.
        said: String,
        /// Whether it stands in a pane.
        shown: bool,
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
/// Letters that a cut name keeps, and the longest name that is not cut.
const CUT_NAME: usize = 4;
const SHORT_NAME: usize = 5;

/// How much of a rating shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Name, bar, number.
    #[default]
    Full,
    /// Name and number.
    NoBars,
    /// The beginning of the name, and the number.
    CutNames,
}

impl LabelBarItem {
    /// A label's name as shown.
    pub fn shown_name(name: &str, detail: Detail) -> Cow<'_, str> {
        fn cut(name: &str) -> Cow<'_, str> {
            match name.char_indices().nth(CUT_NAME) {
                Some((end, _)) if name.chars().nth(SHORT_NAME).is_some() => {
                    Cow::Owned(format!("{}.", &name[..end]))
                }
                _ => Cow::Borrowed(name),
            }
        }
        match (detail, name.split_once('.')) {
            (Detail::Full | Detail::NoBars, _) => Cow::Borrowed(name),
            (Detail::CutNames, None) => cut(name),
            // Labels of other files: of which file is what tells them apart.
            (Detail::CutNames, Some(("rm", model))) => cut(model),
            (Detail::CutNames, Some((file, label))) => {
                let (file, label) = (cut(file), cut(label));
                Cow::Owned(format!("{}.{label}", file.trim_end_matches('.')))
            }
        }
    }

    fn width(&self, detail: Detail) -> usize {
        match self {
            Self::Rating {
                name,
                value,
                bar,
                lead,
            } => {
                let bar = bar.map_or(0, |(_, of)| {
                    if detail == Detail::Full {
                        of as usize + 1
                    } else {
                        0
                    }
                });
                let lead = lead.len().max(LEAD_WIDTH);
                text::width(&Self::shown_name(name, detail)) + 1 + bar + text::width(value) + lead
            }
            Self::Letter { id, said, .. } => text::width(id.letter()) + text::width(said),
            // A finding has its sign in front.
            Self::Note { text, tone } => text::width(text) + usize::from(*tone == Tone::Finding),
        }
    }
}

/// The items in rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelBar {
    /// Rows from above, each with at least one item.
    pub rows: Vec<Vec<LabelBarItem>>,
    /// How much of each rating shows.
    pub detail: Detail,
}

impl LabelBar {
    /// Takes the ratings away and leaves what the text itself says.
    pub(super) fn hide_ratings(&mut self) {
        for row in &mut self.rows {
            row.retain(|item| !matches!(item, LabelBarItem::Rating { .. }));
        }
        self.rows.retain(|row| !row.is_empty());
    }

    /// Flows ratings, then notes, into rows of `width` cells, with as much detail as `most` rows of
    /// ratings can hold.
    pub fn flow(
        ratings: &[LabelBarItem],
        notes: &[LabelBarItem],
        width: usize,
        most: usize,
    ) -> Self {
        let full_enough = |detail: &Detail| rows(ratings, width, *detail).len() <= most;
        let detail = [Detail::Full, Detail::NoBars]
            .into_iter()
            .find(full_enough)
            .unwrap_or(Detail::CutNames);
        let mut all = rows(ratings, width, detail);
        all.extend(rows(notes, width, detail));
        Self { rows: all, detail }
    }
}

fn rows(items: &[LabelBarItem], width: usize, detail: Detail) -> Vec<Vec<LabelBarItem>> {
    let mut rows: Vec<Vec<LabelBarItem>> = Vec::new();
    let mut used = 0;
    for item in items {
        let needed = item.width(detail);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_says_less_before_it_takes_three_rows() {
        let rating = |name: &str| LabelBarItem::Rating {
            name: name.to_owned(),
            value: "4".to_owned(),
            bar: Some((4, 4)),
            lead: String::new(),
        };
        let five = [
            "helpfulness",
            "correctness",
            "coherence",
            "complexity",
            "verbosity",
        ]
        .map(rating)
        .to_vec();
        use Detail::{CutNames, Full, NoBars};
        for (width, rows, detail) in [
            (130, 1, Full),
            (68, 2, Full),
            (54, 2, NoBars),
            (36, 2, CutNames),
            (10, 5, CutNames),
            (0, 5, CutNames),
        ] {
            let strip = LabelBar::flow(&five, &[], width, 2);
            assert_eq!((strip.rows.len(), strip.detail), (rows, detail), "{width}");
        }
    }
}
