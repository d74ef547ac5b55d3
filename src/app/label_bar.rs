//! The labels above the responses: what they say, and how they stand in a grid whose columns are the
//! same above each response, so that the eye goes across.

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
    Rating(RatingItem),
    /// How long the response is.
    Length {
        /// How many characters it has, with the unit.
        characters: String,
        /// How many more than the other one, with the sign; empty where as many.
        difference: String,
        /// How many words it has, with the unit.
        words: String,
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

/// A label of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingItem {
    /// The label's name.
    pub name: String,
    /// Its value as a number for people; "–" where there is none.
    pub value: String,
    /// Filled cells of the bar and all of them; `None` where a bar would mean nothing.
    pub bar: Option<(u32, u32)>,
    /// By how much it exceeds the other response's, with its sign; empty where both are equal, or one
    /// has none.
    pub difference: String,
    /// Whether that difference is a gain: it is more, or it is less of what wins by the least value.
    pub is_gain: bool,
    /// By how many cells of how many A exceeds B, negative where B does; `None` where a bar would mean
    /// nothing.
    pub balance: Option<(i32, u32)>,
    /// Cells that the difference may take in any sample, where that is known: columns do not move then
    /// from one sample to the next.
    pub widest_difference: usize,
}

/// Cells between items.
pub const GAP: usize = 2;
/// The most cells on either side of a two-sided bar.
pub const MOST_BALANCE: u32 = 5;
/// What names the length among the labels.
pub const LENGTH: &str = "length";
/// Letters that a cut name keeps, at most and at least.
const MOST_LETTERS: usize = 10;
const LEAST_LETTERS: usize = 4;

/// How much of a rating shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// On a line of its own: name, bar, number, difference, and that as a two-sided bar.
    #[default]
    Lines,
    /// Name, bar, number, difference.
    Bars,
    /// Name, number, difference.
    NoBars,
    /// So many letters of the name, number, difference.
    CutNames(usize),
}

/// Cells of what stands in a column of labels; 0 where nothing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RatingCells {
    /// Of the name.
    pub name: usize,
    /// Of the bar.
    pub bar: usize,
    /// Of the value.
    pub value: usize,
    /// Of the difference.
    pub difference: usize,
    /// Of one side of the two-sided bar.
    pub balance: usize,
}

impl RatingCells {
    fn of(item: &RatingItem, detail: Detail) -> Self {
        let has_bar = matches!(detail, Detail::Lines | Detail::Bars);
        let balance = item.balance.filter(|_| detail == Detail::Lines);
        Self {
            name: text::width(&shown_name(&item.name, detail)),
            bar: item
                .bar
                .filter(|_| has_bar)
                .map_or(0, |(_, of)| of as usize),
            value: text::width(&item.value),
            difference: text::width(&item.difference).max(item.widest_difference),
            balance: balance.map_or(0, |(_, of)| of as usize),
        }
    }

    /// As wide as either.
    fn max(self, other: Self) -> Self {
        Self {
            name: self.name.max(other.name),
            bar: self.bar.max(other.bar),
            value: self.value.max(other.value),
            difference: self.difference.max(other.difference),
            balance: self.balance.max(other.balance),
        }
    }

    fn width(self) -> usize {
        let behind_blank = |cells: usize| if cells > 0 { cells + 1 } else { 0 };
        let balance = match self.balance {
            0 => 0,
            cells => GAP + 2 * cells + 1,
        };
        self.name
            + behind_blank(self.bar)
            + 1
            + self.value
            + behind_blank(self.difference)
            + balance
    }
}

/// A label's name as shown.
pub fn shown_name(name: &str, detail: Detail) -> Cow<'_, str> {
    fn cut(name: &str, letters: usize) -> Cow<'_, str> {
        match name.char_indices().nth(letters) {
            // The full stop takes a cell as well.
            Some((end, _)) if name.chars().nth(letters + 1).is_some() => {
                Cow::Owned(format!("{}.", &name[..end]))
            }
            _ => Cow::Borrowed(name),
        }
    }
    let Detail::CutNames(letters) = detail else {
        return Cow::Borrowed(name);
    };
    match name.split_once('.') {
        None => cut(name, letters),
        // Labels of other files: of which file is what tells them apart.
        Some(("rm", model)) => cut(model, letters),
        Some((file, label)) => {
            let letters = letters.min(LEAST_LETTERS);
            let (file, label) = (cut(file, letters), cut(label, letters));
            Cow::Owned(format!("{}.{label}", file.trim_end_matches('.')))
        }
    }
}

/// What is said of one response.
#[derive(Debug, Clone, Default)]
pub struct SideItems {
    /// Its labels; those at the same place are the same label above each response.
    pub ratings: Vec<RatingItem>,
    /// How long it is.
    pub length: Option<LabelBarItem>,
    /// What else there is to say.
    pub notes: Vec<LabelBarItem>,
    /// Columns of its pane.
    pub width: usize,
}

/// Rows that labels may take above a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabelRows {
    /// Where each label has a line of its own, and so has the length.
    pub lines: usize,
    /// Where several labels share a line.
    pub grid: usize,
}

/// The items in rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelBar {
    /// Rows from above, each with at least one item; labels first.
    pub rows: Vec<Vec<LabelBarItem>>,
    /// How much of each rating shows.
    pub detail: Detail,
    /// The columns in which labels stand.
    pub columns: Vec<RatingCells>,
}

impl LabelBar {
    /// Whether the length of the response stands among its labels.
    pub fn has_length(&self) -> bool {
        let mut items = self.rows.iter().flatten();
        items.any(|item| matches!(item, LabelBarItem::Length { .. }))
    }

    /// Puts what is said of the responses on screen into rows: labels in columns that are the same
    /// above each of them, with as much detail as so many rows can hold.
    pub fn of_sides(sides: &[SideItems], room: LabelRows) -> Vec<Self> {
        let labels = sides
            .iter()
            .map(|side| side.ratings.len())
            .max()
            .unwrap_or(0);
        let width = sides.iter().map(|side| side.width).min().unwrap_or(0);
        let lines = labels + usize::from(sides.iter().any(|side| side.length.is_some()));
        let fitting = |detail| {
            let columns = columns(sides, labels, width, detail);
            let fits = match detail {
                Detail::Lines => lines <= room.lines && columns[0].width() <= width,
                _ => labels.div_ceil(columns.len()) <= room.grid,
            };
            fits.then_some((detail, columns))
        };
        let cut = (LEAST_LETTERS..=MOST_LETTERS).rev().map(Detail::CutNames);
        let (detail, columns) = [Detail::Lines, Detail::Bars, Detail::NoBars]
            .into_iter()
            .chain(cut)
            .find_map(fitting)
            .unwrap_or_else(|| {
                let detail = Detail::CutNames(LEAST_LETTERS);
                (detail, columns(sides, labels, width, detail))
            });
        let bar = |side: &SideItems| {
            let rows = side.ratings.chunks(columns.len());
            let rating = |item: &RatingItem| LabelBarItem::Rating(item.clone());
            let mut rows: Vec<Vec<_>> = rows.map(|row| row.iter().map(rating).collect()).collect();
            let length = side.length.iter().filter(|_| detail == Detail::Lines);
            rows.extend(length.map(|length| vec![length.clone()]));
            rows.extend(flow(&side.notes, side.width));
            Self {
                rows,
                detail,
                columns: columns.clone(),
            }
        };
        sides.iter().map(bar).collect()
    }
}

/// The columns for so many labels: one where each has a line, otherwise as many as fit side by side;
/// never none.
fn columns(sides: &[SideItems], labels: usize, width: usize, detail: Detail) -> Vec<RatingCells> {
    let ratings = |side: &SideItems| -> Vec<_> {
        let ratings = side.ratings.iter();
        ratings.map(|item| RatingCells::of(item, detail)).collect()
    };
    let sides: Vec<_> = sides.iter().map(ratings).collect();
    let among = |columns: usize| {
        let mut cells = vec![RatingCells::default(); columns];
        for side in &sides {
            for (item, place) in side.iter().zip((0..columns).cycle()) {
                cells[place] = cells[place].max(*item);
            }
        }
        cells
    };
    if detail == Detail::Lines {
        let mut cells = among(1);
        cells[0].name = cells[0].name.max(LENGTH.len());
        return cells;
    }
    let fits = |cells: &Vec<RatingCells>| {
        let all: usize = cells.iter().map(|cells| cells.width()).sum();
        all + GAP * (cells.len() - 1) <= width
    };
    // Narrower columns than a cell do not exist.
    let most = labels.min((width + GAP) / (GAP + 1));
    let found = (2..=most).rev().map(among).find(fits);
    found.unwrap_or_else(|| among(1))
}

/// Items that stand one behind the other, in rows of `width` cells.
fn flow(items: &[LabelBarItem], width: usize) -> Vec<Vec<LabelBarItem>> {
    let mut rows: Vec<Vec<LabelBarItem>> = Vec::new();
    let mut used = 0;
    for item in items {
        let needed = match item {
            LabelBarItem::Letter { id, said, .. } => text::width(id.letter()) + text::width(said),
            // A finding has its sign in front.
            LabelBarItem::Note { text, tone } => {
                text::width(text) + usize::from(*tone == Tone::Finding)
            }
            // These stand in columns.
            LabelBarItem::Rating(_) | LabelBarItem::Length { .. } => width,
        };
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

    fn rating(name: &str, value: &str, difference: &str) -> RatingItem {
        RatingItem {
            name: name.to_owned(),
            value: value.to_owned(),
            bar: Some((4, 4)),
            difference: difference.to_owned(),
            is_gain: true,
            balance: Some((0, 4)),
            widest_difference: 0,
        }
    }

    fn sides(width: usize) -> Vec<SideItems> {
        let names = [
            "helpfulness",
            "correctness",
            "coherence",
            "complexity",
            "verbosity",
        ];
        let side = |difference: &str, value: &str| SideItems {
            ratings: names.map(|name| rating(name, value, difference)).to_vec(),
            length: Some(LabelBarItem::Length {
                characters: "12 chars".to_owned(),
                difference: String::new(),
                words: "3 words".to_owned(),
            }),
            notes: Vec::new(),
            width,
        };
        vec![side("+2", "4"), side("-2", "10.25")]
    }

    #[test]
    fn labels_say_less_before_they_take_more_rows() {
        use Detail::{Bars, CutNames, Lines, NoBars};
        for (width, [lines, grid], rows, detail) in [
            (60, [6, 2], 6, Lines),
            (60, [5, 3], 3, Bars),
            (30, [6, 5], 5, Bars),
            (130, [0, 2], 1, Bars),
            (110, [0, 1], 1, NoBars),
            (100, [0, 2], 2, Bars),
            (70, [0, 2], 2, NoBars),
            (52, [0, 2], 2, CutNames(6)),
            (10, [0, 2], 5, CutNames(4)),
            (0, [9, 2], 5, CutNames(4)),
        ] {
            let bars = LabelBar::of_sides(&sides(width), LabelRows { lines, grid });
            let found = (bars[0].rows.len(), bars[0].detail);
            assert_eq!(found, (rows, detail), "{width} {lines} {grid}");
            assert_eq!(bars[0].columns, bars[1].columns, "the eye goes across");
        }
    }

    #[test]
    fn a_response_without_labels_has_its_length_and_its_notes() {
        let mut sides = sides(60);
        for side in &mut sides {
            side.ratings.clear();
        }
        let bars = LabelBar::of_sides(&sides, LabelRows { lines: 6, grid: 2 });
        assert!(bars[0].has_length() && bars[0].rows.len() == 1);
        assert!(LabelBar::of_sides(&[], LabelRows::default()).is_empty());
    }
}
