//! Tables of our own Markdown for a given width.

use std::ops::Range;

use super::blocks::{MarkdownLines, cells, column_widths};

/// Writes each table that is wider than `room` terminal cells row by row, as a list, so that no cell
/// is cut: `- first: second` for two columns, otherwise a line for each cell with its heading.
pub fn fit_tables(markdown: &str, room: usize) -> String {
    let (mut fitted, mut written, mut rows) = (String::new(), 0, Vec::new());
    for line in MarkdownLines::of(markdown) {
        if line.kind.is_row() {
            rows.push(line.content..line.range.end);
        } else {
            fit(markdown, &mut rows, room, &mut written, &mut fitted);
        }
    }
    fit(markdown, &mut rows, room, &mut written, &mut fitted);
    fitted + &markdown[written..]
}

/// Adds the text before the table of these rows and then the table as a list, if it is too wide.
fn fit(
    markdown: &str,
    rows: &mut Vec<Range<usize>>,
    room: usize,
    written: &mut usize,
    fitted: &mut String,
) {
    let range = rows.first().map_or(0, |row| row.start)..rows.last().map_or(0, |row| row.end);
    let table: Vec<Vec<_>> = (rows.drain(..))
        .map(|row| cells(markdown, row).collect())
        .collect();
    let [head, _, body @ ..] = &*table else {
        return;
    };
    let widths = column_widths(markdown, head.len(), &table);
    if widths.iter().map(|width| width + 1).sum::<usize>() < room {
        return;
    }
    fitted.push_str(&markdown[*written..range.start]);
    *written = range.end;
    let written_in = |cell: &Range<usize>| markdown[cell.clone()].trim();
    let named =
        |(head, cell): (&Range<usize>, &Range<usize>)| match (written_in(head), written_in(cell)) {
            ("", cell) => cell.to_owned(),
            (head, cell) => format!("{head}: {cell}"),
        };
    let item = |row: &Vec<Range<usize>>| match &*row.iter().map(written_in).collect::<Vec<_>>() {
        // The heading of a group of rows.
        [first, ""] => format!("\n{first}\n"),
        [first, second] => format!("- {first}: {second}"),
        _ => {
            let cells: Vec<_> = head.iter().zip(row).map(named).collect();
            format!("- {}", cells.join("\n  "))
        }
    };
    let items: Vec<_> = body.iter().map(item).collect();
    fitted.push_str(items.join("\n").trim_start_matches('\n'));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_do_not_fit_are_lists() {
        let text = "a\n\n| x | name of it |\n|---|---:|\n| 1 | two \\| b |\n| 3 | four |\n\nb\n";
        assert_eq!(fit_tables(text, 18), text);
        assert_eq!(
            fit_tables(text, 17),
            "a\n\n- 1: two \\| b\n- 3: four\n\nb\n"
        );
        let three = "| x | | z |\n|---|---|---|\n| 1 | 2 | 3 |\n";
        assert_eq!(fit_tables(three, 5), "- x: 1\n  2\n  z: 3\n");
        let code = "~~~\n| x | y |\n|---|---|\n| 1 | 2 |\n~~~\n";
        assert_eq!(fit_tables(code, 5), code);
        let groups = "| k | |\n|---|---|\n| **a** | |\n| x | long |\n| **b** | |\n| y | z |\n";
        assert_eq!(
            fit_tables(groups, 9),
            "**a**\n\n- x: long\n\n**b**\n\n- y: z\n"
        );
        assert_eq!(fit_tables("", 5), "");
    }
}
