//! A confusion matrix as lines of text, with the position of each cell for moving between cells.

use std::ops::Range;
use std::sync::Arc;

use crate::stats::Confusion;
use crate::text;

/// A confusion matrix on the screen: the first rater's values down, the other's across; the
/// diagonal in brackets, zeros as dots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountGrid {
    /// The label; `None` for verdicts.
    pub label: Option<Arc<str>>,
    /// Names of the categories, as in a query.
    pub values: Vec<String>,
    /// Two lines of headings (the rater across, the values across), then a line for each value
    /// down.
    pub lines: Vec<String>,
    /// The cells, row by row.
    pub cells: Vec<CountCell>,
}

/// A page about agreement for the screen, with its matrices in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgreementPage {
    /// Markdown; each matrix is a code block with the lines of its grid.
    pub markdown: String,
    /// The matrices.
    pub grids: Vec<CountGrid>,
}

/// A cell of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountCell {
    /// Its line in the grid.
    pub line: usize,
    /// Its bytes in the line, including brackets. One screen cell per byte, except for the dot.
    pub span: Range<usize>,
    /// Category of the first rater and of the other.
    pub categories: [usize; 2],
    /// Number of pairs with these categories.
    pub count: u64,
}

/// Maximum width of a rater's name, in cells.
const NAME: usize = 16;

impl CountGrid {
    /// Lays out the counts; `names` are the raters down and across.
    pub fn of(
        label: Option<Arc<str>>,
        values: Vec<String>,
        names: [&str; 2],
        counts: &Confusion,
    ) -> Self {
        let [down, across] = names.map(|name| text::one_line(name, NAME));
        let places = 0..values.len();
        let widest = places
            .clone()
            .flat_map(|first| places.clone().map(move |second| (first, second)))
            .map(|(first, second)| counts.count(first, second).to_string().len())
            .chain(values.iter().map(|value| text::width(value)))
            .max()
            .unwrap_or(1);
        let head = values
            .iter()
            .map(|value| text::width(value))
            .max()
            .unwrap_or(0)
            .max(text::width(&down));
        let pad =
            |word: &str, width: usize| " ".repeat(width.saturating_sub(text::width(word))) + word;
        let mut lines = vec![format!("{}   {across}", " ".repeat(head))];
        let heads: String = values
            .iter()
            .map(|value| pad(value, widest + 2) + " ")
            .collect();
        lines.push(
            format!("{} {}", pad(&down, head), heads)
                .trim_end()
                .to_owned(),
        );
        let mut cells = Vec::new();
        for first in places.clone() {
            let mut line = format!("{} ", pad(&values[first], head));
            for second in places.clone() {
                let count = counts.count(first, second);
                let number = match count {
                    0 => "·".to_owned(),
                    count => count.to_string(),
                };
                let word = if first == second {
                    format!("[{number}]")
                } else {
                    format!(" {number} ")
                };
                line.push_str(&" ".repeat((widest + 3).saturating_sub(text::width(&word))));
                let start = line.len();
                line.push_str(&word);
                cells.push(CountCell {
                    line: lines.len(),
                    span: start..line.len(),
                    categories: [first, second],
                    count,
                });
            }
            lines.push(line);
        }
        Self {
            label,
            values,
            lines,
            cells,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagonal_is_bracketed_and_zeros_are_dots() {
        let values = || ["0", "1", "2"].map(str::to_owned).to_vec();
        let counts = Confusion::of(3, [(0, 0), (0, 0), (1, 2), (2, 2)]);
        let grid = CountGrid::of(None, values(), ["ann", "ben"], &counts);
        assert_eq!(
            grid.lines,
            [
                "      ben",
                "ann   0   1   2",
                "  0  [2]  ·   · ",
                "  1   ·  [·]  1 ",
                "  2   ·   ·  [1]",
            ]
        );
        let cell = &grid.cells[5];
        assert_eq!((cell.line, cell.categories, cell.count), (3, [1, 2], 1));
        assert_eq!(&grid.lines[3][cell.span.clone()], " 1 ");
        // Five values of up to 20,000 responses fit into 80 columns.
        let many = (0..20_000).map(|_| (4, 4));
        let values = (0..5).map(|value| value.to_string()).collect();
        let grid = CountGrid::of(
            None,
            values,
            ["a reviewer of a long name", "b"],
            &Confusion::of(5, many),
        );
        assert!(
            grid.lines.iter().all(|line| text::width(line) <= 72),
            "{grid:?}"
        );
    }
}
