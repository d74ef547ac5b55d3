//! Turns the columns of a JSON document into rows. Each column is a list of lines in a temporary
//! file, buffered in small parts.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::sync::Arc;

use crate::source::lines;
use crate::source::spool_store::PositionReader;

/// Total bytes of all columns' buffers, and the minimum and maximum of each.
const BUFFERS: usize = 16 << 20;
const MIN_BUFFER: usize = 512;
const MAX_BUFFER: usize = 256 << 10;

/// Builds rows from columns; see the module.
pub struct ColumnLines {
    columns: Vec<(Vec<u8>, BufReader<Take<PositionReader>>)>,
    rows: u64,
}

impl ColumnLines {
    /// Takes a file of `len` bytes, with each column's key (as spelled in JSON) and the position of
    /// its lines.
    pub fn new(file: File, columns: &[(Vec<u8>, u64)], len: u64) -> Self {
        let file = Arc::new(file);
        let size = (BUFFERS / columns.len().max(1)).clamp(MIN_BUFFER, MAX_BUFFER);
        let ends = columns.iter().skip(1).map(|(_, start)| *start);
        let columns = columns.iter().zip(ends.chain([len]));
        let column = |((key, start), end): (&(Vec<u8>, u64), u64)| {
            let (file, at) = (Arc::clone(&file), *start);
            let part = PositionReader { file, at }.take(end - start);
            (key.clone(), BufReader::with_capacity(size, part))
        };
        Self {
            columns: columns.map(column).collect(),
            rows: 0,
        }
    }

    /// Appends the next row to `out`; returns `false` after the last one. A row that lacks a value
    /// for a column is malformed.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn push_next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let start = out.len();
        let (mut is_any, mut missing) = (false, None);
        out.push(b'{');
        for (key, lines) in &mut self.columns {
            let before = out.len();
            if is_any {
                out.push(b',');
            }
            out.extend_from_slice(&[b"\"", &key[..], b"\":"].concat());
            if lines.read_until(b'\n', out)? == 0 {
                out.truncate(before);
                missing = Some(String::from_utf8_lossy(key).into_owned());
                continue;
            }
            out.pop();
            is_any = true;
        }
        if !is_any {
            out.truncate(start);
            return Ok(false);
        }
        self.rows += 1;
        out.extend_from_slice(b"}\n");
        if let Some(key) = missing {
            let mut line = Vec::new();
            lines::push_refusal(
                &format!("row {} has no {key}: that column is shorter", self.rows),
                &mut line,
            );
            out.splice(start..start, line);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn rows_take_a_value_of_each_column() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"\"p\"\n\"q\"\n1\n{\"x\":2}\n3\n")
            .expect("room");
        let columns = [(b"prompt".to_vec(), 0), (b"a b".to_vec(), 8)];
        let mut rows = ColumnLines::new(file, &columns, 20);
        let mut out = Vec::new();
        while rows.push_next(&mut out).expect("read") {}
        assert_eq!(
            String::from_utf8(out).expect("text"),
            "{\"prompt\":\"p\",\"a b\":1}\n{\"prompt\":\"q\",\"a b\":{\"x\":2}}\n\
             \u{1a}row 3 has no prompt: that column is shorter\t{\"a b\":3}\n"
        );
    }
}
