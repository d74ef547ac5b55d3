//! Tables of our own documents for a given width.

use std::ops::Range;

use super::blocks::{MarkdownLineKind, MarkdownLines, cells};
use super::styled_text::StyledText;
use super::text_style::TextStyle;
use crate::text::terminal::glyphs::TextGlyphs;
use crate::text::terminal::sanitise::{Hidden, sanitise};

/// The cells of a table in Markdown, the headings first.
#[derive(Debug, Default)]
pub struct MarkdownTable {
    /// A row of cells each.
    pub rows: Vec<Vec<String>>,
    /// The columns that are right-aligned.
    pub numbers: Vec<bool>,
}

/// Returns the tables of Markdown with their bytes.
pub fn markdown_tables(markdown: &str) -> Vec<(Range<usize>, MarkdownTable)> {
    let mut tables: Vec<(Range<usize>, MarkdownTable)> = Vec::new();
    for line in MarkdownLines::of(markdown) {
        let row = cells(markdown, line.content..line.range.end);
        // A table knows no other use of this sign.
        let row = row.map(|cell| markdown[cell].trim().replace("\\|", "|"));
        if line.kind == MarkdownLineKind::TableHead {
            tables.push((line.range.clone(), MarkdownTable::default()));
        }
        let Some((range, table)) = tables.last_mut().filter(|_| line.kind.is_row()) else {
            continue;
        };
        range.end = markdown.len().min(line.range.end + 1);
        match line.kind {
            MarkdownLineKind::Delimiter => {
                table.numbers = row.map(|cell| cell.ends_with(':')).collect();
            }
            _ => table.rows.push(row.collect()),
        }
    }
    tables
}

/// Blanks between columns.
const GAP: &str = "  ";

/// A table as text.
#[derive(Debug, Clone, Default)]
pub struct LaidTable {
    /// Its lines: a row each or, if that is wider than the room, a line for each cell.
    pub text: StyledText,
    /// The bytes of each cell, row by row, without its heading and padding.
    pub cells: Vec<Vec<Range<usize>>>,
}

/// Lays out rows of cells in Markdown, headings first; columns of `numbers` are right-aligned. A
/// table that is wider than `room` terminal cells becomes a list, so that no cell is cut:
/// `first: second` for two columns, otherwise a line for each cell with its heading.
pub fn lay_table(
    rows: &[Vec<String>],
    numbers: &[bool],
    room: usize,
    glyphs: TextGlyphs,
) -> LaidTable {
    let cell = |words: &String| StyledText::document(words, glyphs);
    let rows: Vec<Vec<_>> = (rows.iter())
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let wide = |at: usize| {
        rows.iter()
            .filter_map(move |row| row.get(at))
            .map(StyledText::width)
    };
    let widths: Vec<_> = (0..numbers.len())
        .map(|at| wide(at).max().unwrap_or(0))
        .collect();
    let mut laid = LaidTable::default();
    laid.text.glyphs = glyphs;
    let whole = widths.iter().map(|width| width + GAP.len()).sum::<usize>();
    if whole > room.saturating_add(GAP.len()) {
        laid.list(&rows);
        return laid;
    }
    for (at, row) in rows.iter().enumerate() {
        let mut cells = Vec::new();
        for ((column, cell), is_number) in row.iter().enumerate().zip(numbers) {
            let blanks = " ".repeat(widths[column].saturating_sub(cell.width()));
            let is_last = column + 1 == row.len();
            let (before, after) = match is_number {
                true => (&*blanks, ""),
                false if is_last => ("", ""),
                false => ("", &*blanks),
            };
            laid.text.write(before);
            cells.push(laid.text.add(
                cell,
                if at == 0 {
                    TextStyle::STRONG
                } else {
                    TextStyle::NONE
                },
            ));
            laid.text.write(after);
            laid.text.write(if is_last { "" } else { GAP });
        }
        laid.text.write("\n");
        laid.cells.push(cells);
        if at == 0 && !glyphs.rule.is_empty() {
            let rule = glyphs.rule.repeat(whole.saturating_sub(GAP.len()));
            let rule = StyledText::plain(sanitise(&rule, Hidden::Discreet));
            laid.text.add(&rule, TextStyle::DIM);
            laid.text.write("\n");
        }
    }
    laid
}

impl LaidTable {
    /// Writes the rows as a list.
    fn list(&mut self, rows: &[Vec<StyledText>]) {
        let Some((head, rows)) = rows.split_first() else {
            return;
        };
        for row in rows {
            let (mut cells, mut before) = (Vec::new(), "- ");
            // The heading of a group of rows.
            if let [_, empty] = &**row
                && empty.width() == 0
            {
                before = if self.text.text().is_empty() {
                    ""
                } else {
                    "\n"
                };
            }
            for (at, cell) in row.iter().enumerate() {
                // Nothing is counted in most cells of a large matrix.
                let is_shown = cell.width() > 0 && (row.len() == 2 || cell.text() != "·");
                if is_shown {
                    self.text.write(before);
                    before = if row.len() == 2 { ": " } else { "\n  " };
                    if row.len() > 2 && head.get(at).is_some_and(|it| it.width() > 0) {
                        self.text.add(&head[at], TextStyle::DIM);
                        self.text.write(": ");
                    }
                }
                let end = self.text.text().len();
                cells.push(match is_shown {
                    true => self.text.add(cell, TextStyle::NONE),
                    false => end..end,
                });
            }
            self.text.write("\n");
            self.cells.push(cells);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(markdown: &str, room: usize) -> String {
        let (_, of) = markdown_tables(markdown).remove(0);
        let laid = lay_table(&of.rows, &of.numbers, room, TextGlyphs::UNICODE);
        let text = laid.text.text().to_owned();
        for (row, cells) in of.rows.iter().rev().zip(laid.cells.iter().rev()) {
            for (cell, range) in row.iter().zip(cells) {
                let words = StyledText::document(cell, TextGlyphs::UNICODE);
                assert_eq!(&text[range.clone()], words.text());
            }
        }
        text
    }

    #[test]
    fn tables_that_do_not_fit_are_lists() {
        let two =
            "a\n\n| x | name of it |\n|---|---:|\n| `1` | two \\| b |\n| **3** | four |\n\nb\n";
        assert_eq!(markdown_tables(two)[0].0, 3..two.len() - 3);
        assert_eq!(
            laid(two, 13),
            "x  name of it\n─────────────\n1     two | b\n3        four\n"
        );
        assert_eq!(laid(two, 12), "- 1: two | b\n- 3: four\n");
        let three = "| x | | z |\n|---|---|---|\n| 1 | 2 | 3 |\n| | 4 | |\n";
        assert_eq!(laid(three, 5), "- x: 1\n  2\n  z: 3\n- 4\n");
        assert_eq!(laid(three, 7), "x     z\n───────\n1  2  3\n   4  \n");
        let groups = "| k | |\n|---|---|\n| **a** | |\n| x | long |\n| **b** | |\n| y | z |\n";
        assert_eq!(laid(groups, 6), "a\n- x: long\n\nb\n- y: z\n");
        let code = "~~~\n| x | y |\n|---|---|\n| 1 | 2 |\n~~~\n";
        assert!(markdown_tables(code).is_empty());
        assert!(markdown_tables("").is_empty());
    }
}
