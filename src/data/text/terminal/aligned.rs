//! Rows of cells in aligned columns.

use super::width::width;

/// Aligns rows in columns two blanks apart, one line each. The columns in `numbers` are
/// right-aligned.
pub fn aligned<R: AsRef<[String]>>(rows: &[R], numbers: &[usize]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for (column, cell) in rows.iter().flat_map(|row| row.as_ref().iter().enumerate()) {
        widths.resize(widths.len().max(column + 1), 0);
        widths[column] = widths[column].max(width(cell));
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.as_ref().iter().enumerate() {
            let blanks = " ".repeat(widths[column] - width(cell));
            line += &if numbers.contains(&column) {
                blanks + cell + "  "
            } else {
                cell.clone() + &blanks + "  "
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
