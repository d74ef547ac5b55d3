//! A Markdown table as lines of text: columns as wide as they need, narrowed where the pane is,
//! cells wrapped inside.

use std::ops::Range;

use super::glyphs::TextGlyphs;
use super::styled_text::{Flow, MarginId, Paragraph, StyledText};
use super::text_style::{StyledRun, TextStyle, push_run};
use super::width::width;
use super::wrap::wrap;

/// A column narrower than this (and than its text) is not worth reading: the table is shown as its
/// source instead.
const NARROWEST: usize = 4;

/// Where the text of a column stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Center,
    Right,
}

/// Text of one line with the styles in it: a cell, or a line of the table that was made.
#[derive(Debug, Clone, Default)]
pub(super) struct TableLine {
    pub(super) text: String,
    pub(super) runs: Vec<StyledRun>,
}

impl TableLine {
    fn push(&mut self, text: &str, style: TextStyle) {
        let start = self.text.len();
        self.text.push_str(text);
        push_run(&mut self.runs, start..self.text.len(), style);
    }

    fn pad(&mut self, cells: usize) {
        self.text.extend(std::iter::repeat_n(' ', cells));
    }

    /// Appends a part of another strip.
    fn push_part(&mut self, other: &Self, part: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(&other.text[part.clone()]);
        for run in &other.runs {
            let (from, to) = (run.range.start.max(part.start), run.range.end.min(part.end));
            if from < to {
                push_run(
                    &mut self.runs,
                    from - part.start + start..to - part.start + start,
                    run.style,
                );
            }
        }
    }
}

/// A table as it was read; the first row is the head.
#[derive(Debug, Default)]
pub(super) struct TextTable {
    pub(super) aligns: Vec<Align>,
    pub(super) rows: Vec<Vec<TableLine>>,
}

impl TextTable {
    /// The lines of the table in at most `room` cells; `None` if its columns do not fit in a
    /// readable way, or once `wanted` says no.
    pub(super) fn lay_out(
        &self,
        room: usize,
        glyphs: &TextGlyphs,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Vec<TableLine>> {
        let widths = self.column_widths(room)?;
        let wrapped = self
            .rows
            .iter()
            .map(|row| wanted().then(|| wrap_cells(row, &widths)));
        let wrapped: Vec<Vec<Vec<Range<usize>>>> = wrapped.collect::<Option<_>>()?;
        let heights: Vec<usize> = wrapped
            .iter()
            .map(|cells| cells.iter().map(Vec::len).max().unwrap_or(1))
            .collect();
        let mut lines = vec![border(&widths, glyphs.table_top, glyphs)];
        for (index, (row, cells)) in self.rows.iter().zip(&wrapped).enumerate() {
            // Rows of one line are told apart by themselves; a taller one needs a border on either
            // side.
            let is_beside_tall = index > 0 && heights[index - 1..=index].iter().any(|&h| h > 1);
            if index == 1 || (index > 1 && is_beside_tall) {
                lines.push(border(&widths, glyphs.table_middle, glyphs));
            }
            for line in 0..heights[index] {
                if !wanted() {
                    return None;
                }
                lines.push(self.row_line(row, cells, line, &widths, glyphs));
            }
        }
        lines.push(border(&widths, glyphs.table_bottom, glyphs));
        Some(lines)
    }

    /// Cells for the text of each column: what it needs, or else a fair share of what the narrow
    /// ones leave.
    fn column_widths(&self, room: usize) -> Option<Vec<usize>> {
        let count = self.aligns.len();
        let free = room.checked_sub(3 * count + 1)?;
        let mut needed = vec![1; count];
        for row in &self.rows {
            for (need, cell) in needed.iter_mut().zip(row) {
                *need = width(&cell.text).max(*need);
            }
        }
        let narrowest: usize = needed.iter().map(|need| (*need).min(NARROWEST)).sum();
        if count == 0 || narrowest > free {
            return None;
        }
        Some(share(&needed, free))
    }

    fn row_line(
        &self,
        row: &[TableLine],
        cells: &[Vec<Range<usize>>],
        line: usize,
        widths: &[usize],
        glyphs: &TextGlyphs,
    ) -> TableLine {
        let mut strip = TableLine::default();
        let bar = glyphs.vertical.to_string();
        for (column, (cell, room)) in row.iter().zip(widths).enumerate() {
            strip.push(&bar, TextStyle::TABLE);
            let part = cells[column].get(line).cloned().unwrap_or_default();
            let blank = room.saturating_sub(width(&cell.text[part.clone()]));
            let before = match self.aligns[column] {
                Align::Left => 0,
                Align::Center => blank / 2,
                Align::Right => blank,
            };
            strip.pad(before + 1);
            strip.push_part(cell, part);
            strip.pad(blank - before + 1);
        }
        strip.push(&bar, TextStyle::TABLE);
        strip
    }
}

/// Widths that sum to at most `free`: columns under the level get what they need, the others the
/// level, which is the highest that fits; single cells that are left over go to the first of those.
fn share(needed: &[usize], free: usize) -> Vec<usize> {
    let mut sorted = needed.to_vec();
    sorted.sort_unstable();
    let (mut left, mut level) = (free, usize::MAX);
    for (index, need) in sorted.iter().enumerate() {
        let fair = left / (sorted.len() - index);
        if *need > fair {
            level = fair;
            break;
        }
        left -= need;
    }
    let mut widths: Vec<usize> = needed.iter().map(|need| (*need).min(level)).collect();
    let mut over = free.saturating_sub(widths.iter().sum());
    for (cells, need) in widths.iter_mut().zip(needed) {
        if *cells < *need && over > 0 {
            *cells += 1;
            over -= 1;
        }
    }
    widths
}

/// The lines of each cell as ranges of its text.
fn wrap_cells(row: &[TableLine], widths: &[usize]) -> Vec<Vec<Range<usize>>> {
    row.iter()
        .zip(widths)
        .map(|(cell, room)| wrap_cell(&cell.text, *room))
        .collect()
}

fn wrap_cell(text: &str, room: usize) -> Vec<Range<usize>> {
    let whole = 0..text.len();
    if width(text) <= room {
        return std::iter::once(whole).collect();
    }
    let margin = MarginId::default();
    let paragraph = Paragraph {
        range: whole,
        flow: Flow::Words,
        first: margin,
        rest: margin,
    };
    let block = StyledText {
        text: text.to_owned(),
        paragraphs: vec![paragraph],
        ..StyledText::default()
    };
    wrap(&block, u16::try_from(room).unwrap_or(u16::MAX))
        .into_iter()
        .map(|line| line.range)
        .collect()
}

fn border(widths: &[usize], [left, middle, right]: [char; 3], glyphs: &TextGlyphs) -> TableLine {
    let mut text = String::new();
    for (index, cells) in widths.iter().enumerate() {
        text.push(if index == 0 { left } else { middle });
        text.extend(std::iter::repeat_n(glyphs.horizontal, cells + 2));
    }
    text.push(right);
    let mut strip = TableLine::default();
    strip.push(&text, TextStyle::TABLE);
    strip
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]], aligns: &[Align]) -> TextTable {
        let cell = |text: &&str| TableLine {
            text: (*text).to_owned(),
            runs: Vec::new(),
        };
        TextTable {
            aligns: aligns.to_vec(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(cell).collect())
                .collect(),
        }
    }

    fn drawn(table: &TextTable, room: usize, glyphs: &TextGlyphs) -> Option<Vec<String>> {
        Some(
            table
                .lay_out(room, glyphs, &|| true)?
                .into_iter()
                .map(|strip| strip.text)
                .collect(),
        )
    }

    #[test]
    fn columns_are_aligned_and_bordered() {
        let table = table(
            &[&["a", "漢", "c"], &["1", "2", "345"]],
            &[Align::Left, Align::Right, Align::Center],
        );
        let expected = [
            "┌───┬────┬─────┐",
            "│ a │ 漢 │  c  │",
            "├───┼────┼─────┤",
            "│ 1 │  2 │ 345 │",
            "└───┴────┴─────┘",
        ];
        assert_eq!(drawn(&table, 16, &TextGlyphs::UNICODE).unwrap(), expected);
        assert_eq!(
            drawn(&table, 16, &TextGlyphs::ASCII).unwrap()[0],
            "+---+----+-----+"
        );
        assert_eq!(drawn(&table, 11, &TextGlyphs::UNICODE), None);
    }

    #[test]
    fn wide_cells_wrap_and_part_from_the_rows_around_them() {
        let table = table(
            &[&["k", "v"], &["a", "one two"], &["b", "x"], &["c", "y"]],
            &[Align::Left, Align::Left],
        );
        let expected = [
            "+---+------+",
            "| k | v    |",
            "+---+------+",
            "| a | one  |",
            "|   | two  |",
            "+---+------+",
            "| b | x    |",
            "| c | y    |",
            "+---+------+",
        ];
        assert_eq!(drawn(&table, 12, &TextGlyphs::ASCII).unwrap(), expected);
    }

    #[test]
    fn narrow_columns_leave_their_room_to_wide_ones() {
        let cases: [(&[usize], usize, &[usize]); 4] = [
            (&[3, 4], 20, &[3, 4]),
            (&[3, 40], 20, &[3, 17]),
            (&[30, 40, 2], 20, &[9, 9, 2]),
            (&[9, 9], 11, &[6, 5]),
        ];
        for (needed, free, widths) in cases {
            assert_eq!(share(needed, free), widths, "{needed:?} in {free}");
        }
    }
}
