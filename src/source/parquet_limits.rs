//! Finds rows of a Parquet file that have more values than memory should hold. A row is decoded as a
//! whole, and a file of a few bytes can declare a list of billions of nulls.
//!
//! How many values a row has follows from the repetition levels of a column alone, which are counted run
//! by run.

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader};

use super::parquet_rows::ParquetFile;
use crate::text::grouped;

/// Values of one column in one row.
pub(super) const MOST_ROW_VALUES: u64 = if cfg!(test) { 4 << 10 } else { 2 << 20 };

/// The first row of a row group that is too large to be read. The rows after it in the group cannot be
/// read without it.
#[derive(Debug, Clone)]
pub(super) struct OversizedRow {
    /// How many rows of the group are before it.
    pub(super) row: u64,
    /// What it has too much of.
    pub(super) what: String,
}

/// Counts the values of each row of a column.
#[derive(Default)]
struct RowValues {
    /// Rows that were begun, and values of the last one.
    rows: u64,
    values: u64,
}

impl RowValues {
    /// Takes `count` values of this repetition level; the first value of a row has level 0.
    fn take(&mut self, level: u64, count: u64) {
        match level {
            0 if count > 0 => (self.rows, self.values) = (self.rows + count, 1),
            _ => self.values = self.values.saturating_add(count),
        }
    }

    fn is_oversized(&self) -> bool {
        self.values > MOST_ROW_VALUES
    }

    /// Takes the levels of a page: runs of one level, and levels packed into `width` bits each.
    fn take_page(&mut self, mut levels: &[u8], width: u32, mut left: u64) {
        while left > 0
            && let Some(header) = varint(&mut levels)
            && !self.is_oversized()
        {
            let count = header >> 1;
            let bytes = match header & 1 {
                0 => u64::from(width.div_ceil(8)),
                _ => count.saturating_mul(u64::from(width)),
            };
            let bytes = usize::try_from(bytes)
                .unwrap_or(usize::MAX)
                .min(levels.len());
            let (run, rest) = levels.split_at(bytes);
            levels = rest;
            if header & 1 == 0 {
                let run = run.iter().rev();
                let level = run.fold(0, |level, byte| level << 8 | u64::from(*byte));
                self.take(level, count.min(left));
                left = left.saturating_sub(count);
                continue;
            }
            let bit = |at: u64| {
                run.get((at / 8) as usize)
                    .map_or(0, |byte| u64::from(byte >> (at % 8) & 1))
            };
            for at in 0..count.saturating_mul(8).min(left) {
                let first = at * u64::from(width);
                let level = (0..u64::from(width))
                    .fold(0, |level, place| level | bit(first + place) << place);
                self.take(level, 1);
                if self.is_oversized() {
                    return;
                }
            }
            left = left.saturating_sub(count.saturating_mul(8));
        }
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for place in 0..10 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F).checked_shl(7 * place)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

impl ParquetFile {
    /// The first row of a row group that has too many values in a column that is read; of a damaged group
    /// none, since its reader says what is wrong.
    pub(super) fn find_oversized(&self, group: usize) -> Option<OversizedRow> {
        let reader = self.reader.get_row_group(group).ok()?;
        let columns = self.reader.metadata().row_group(group).columns();
        let large = columns.iter().enumerate().filter(|(at, chunk)| {
            chunk.column_descr().max_rep_level() > 0
                && !self.left_out.contains(&chunk.column_path().string())
                && values_in(&*reader, *at).is_ok_and(|values| values > MOST_ROW_VALUES)
        });
        let found = large.filter_map(|(at, chunk)| {
            let most = chunk.column_descr().max_rep_level();
            let row = oversized_in(&*reader, at, most).ok()??;
            let (most, name) = (grouped(MOST_ROW_VALUES as usize), chunk.column_path());
            let what = format!("more than {most} values in column {}", name.string());
            Some(OversizedRow { row, what })
        });
        found.min_by_key(|found| found.row)
    }
}

/// How many values a column has by the headers of its pages: those of a row group can say anything.
fn values_in(group: &dyn RowGroupReader, column: usize) -> Result<u64, ParquetError> {
    let (mut pages, mut values) = (group.get_column_page_reader(column)?, 0);
    while let Some(page) = pages.peek_next_page()? {
        let levels = page.num_levels.filter(|_| !page.is_dict);
        values += levels.unwrap_or_default() as u64;
        pages.skip_next_page()?;
    }
    Ok(values)
}

/// The first row with too many values in a column.
fn oversized_in(
    group: &dyn RowGroupReader,
    column: usize,
    most_level: i16,
) -> Result<Option<u64>, ParquetError> {
    let width = u16::BITS - most_level.unsigned_abs().leading_zeros();
    let mut counted = RowValues::default();
    let mut pages = group.get_column_page_reader(column)?;
    while let Some(page) = pages.get_next_page()? {
        let (levels, values) = match &page {
            Page::DataPage {
                buf,
                num_values,
                rep_level_encoding: Encoding::RLE,
                ..
            } => {
                let length = buf
                    .first_chunk()
                    .map_or(0, |bytes| u32::from_le_bytes(*bytes));
                let rest = buf.get(4..).unwrap_or_default();
                (&rest[..rest.len().min(length as usize)], num_values)
            }
            Page::DataPageV2 {
                buf,
                num_values,
                rep_levels_byte_len,
                ..
            } => (
                &buf[..buf.len().min(*rep_levels_byte_len as usize)],
                num_values,
            ),
            _ => continue,
        };
        counted.take_page(levels, width, u64::from(*values));
        if counted.is_oversized() {
            return Ok(Some(counted.rows.saturating_sub(1)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_in_runs_and_packed() {
        let most = MOST_ROW_VALUES as u8 as u64 + MOST_ROW_VALUES;
        let count = |levels: &[u8], width, values| {
            let mut counted = RowValues::default();
            counted.take_page(levels, width, values);
            (counted.rows, counted.values, counted.is_oversized())
        };
        // 3 rows of a value, then 0 1 1 0 0 0 1 1 packed, then a run of 4,200 ones (0x83 packs the 7 lowest bits first).
        let runs = [3 << 1, 0, 0b11, 0b1100_0110, 0xD0, 0x41, 1, 2, 0];
        assert_eq!(count(&runs, 1, 11), (7, 3, false));
        assert_eq!(count(&runs, 1, 11 + most), (7, 4099, true));
        assert_eq!(count(&[0b11, 0b10_01_00_00, 0, 0, 0], 2, 4), (2, 3, false));
        assert_eq!(count(&[], 1, 9), (0, 0, false));
        assert_eq!(count(&[0xFF; 30], 1, 9), (0, 0, false));
    }
}
