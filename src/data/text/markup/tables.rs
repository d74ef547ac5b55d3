//! Tables of our own Markdown for a given width.

use std::borrow::Cow;
use std::ops::Range;

use super::blocks::{MarkdownLineKind, MarkdownLines, cells};
use crate::text::terminal::width::width;

/// Writes each table that is wider than `room` terminal cells row by row, as a list, so that no cell
/// is cut: `- first: second` for two columns, otherwise a line for each cell with its heading.
pub fn fit_tables(markdown: &str, room: usize) -> Cow<'_, str> {
    let (mut fitted, mut written, mut rows) = (String::new(), 0, Vec::new());
    for line in MarkdownLines::of(markdown) {
        use MarkdownLineKind::{Delimiter, TableHead, TableRow};
        if matches!(line.kind, TableHead | Delimiter | TableRow) {
            rows.push(line.content..line.range.end);
        } else {
            fit(markdown, &mut rows, room, &mut written, &mut fitted);
        }
    }
    fit(markdown, &mut rows, room, &mut written, &mut fitted);
    if written == 0 {
        return Cow::Borrowed(markdown);
    }
    fitted.push_str(&markdown[written..]);
    Cow::Owned(fitted)
}

/// Adds the text before the table of these rows and then the table as a list, if it is too wide.
fn fit(
    markdown: &str,
    rows: &mut Vec<Range<usize>>,
    room: usize,
    written: &mut usize,
    fitted: &mut String,
) {
    let table: Vec<Vec<&str>> = (rows.iter())
        .map(|row| cells(markdown, row.clone()).map(|cell| &markdown[cell]))
        .map(Iterator::collect)
        .collect();
    let range = rows.first().map_or(0, |row| row.start)..rows.last().map_or(0, |row| row.end);
    rows.clear();
    let [head, _, body @ ..] = &*table else {
        return;
    };
    let widest = |column: usize| {
        let of_column = table.iter().filter_map(|row| row.get(column));
        of_column.map(|cell| width(cell)).max().unwrap_or(0) + 1
    };
    if (0..head.len()).map(widest).sum::<usize>() < room {
        return;
    }
    fitted.push_str(&markdown[*written..range.start]);
    *written = range.end;
    let named = |(head, cell): (&&str, &&str)| match (head.trim(), cell.trim()) {
        ("", cell) => cell.to_owned(),
        (head, cell) => format!("{head}: {cell}"),
    };
    let item = |row: &Vec<&str>| match &**row {
        // The heading of a group of rows.
        [first, second] if second.trim().is_empty() => format!("\n{}\n", first.trim()),
        [first, second] => format!("- {}: {}", first.trim(), second.trim()),
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
