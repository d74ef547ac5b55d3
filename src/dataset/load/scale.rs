//! Estimates the size of a dataset early, so that the user can still cancel.

use crate::dataset::Dataset;
use crate::text::grouped;

/// Maximum number of rows: 32-bit row numbers, less one that means none.
const MAX_ROWS: u64 = u32::MAX as u64 - 1;
/// Bytes of memory a row, at most: its offset, hash, labels and counts. Measured: 19 to 31 on files
/// of ten and a hundred million rows. Filters and sorts need more.
const ROW_BYTES: u64 = 32;
/// Rows after which an estimate is reliable.
const ENOUGH: usize = 1 << 20;

impl Dataset {
    /// Estimates the total number of rows from those read so far; `None` if there are too few.
    pub fn expected_rows(&self) -> Option<u64> {
        let rows = (self.rows() >= ENOUGH).then(|| self.rows() as f64)?;
        let share = self.progress().filter(|share| *share > 0.0)?;
        Some((rows / share) as u64)
    }
}

/// Returns a warning if this many rows are too many, or need more than the free bytes of memory.
pub fn scale_warning(rows: u64, free: Option<u64>) -> Option<String> {
    const ADVICE: &str = "see visavis guide scale";
    let spelled = grouped(usize::try_from(rows).unwrap_or(usize::MAX));
    if rows > MAX_ROWS {
        let most = grouped(MAX_ROWS as usize);
        return Some(format!(
            "about {spelled} rows expected, but the maximum is {most}; {ADVICE}"
        ));
    }
    let needed = rows.saturating_mul(ROW_BYTES);
    let free = free.filter(|free| needed > *free)?;
    let gigabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e9);
    let (needed, free) = (gigabytes(needed), gigabytes(free));
    Some(format!(
        "about {spelled} rows expected, which need {needed} GB of memory, but {free} GB are free; {ADVICE}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_reported_in_advance() {
        for (rows, free, says) in [
            (100_000_000, Some(8_000_000_000), None),
            (100_000_000, None, None),
            (
                100_000_000,
                Some(2_000_000_000),
                Some("need 3.2 GB of memory, but 2.0 GB are free"),
            ),
            (4_294_967_294, None, None),
            (4_294_967_295, None, Some("the maximum is 4,294,967,294")),
        ] {
            let warning = scale_warning(rows, free);
            assert_eq!(warning.is_some(), says.is_some(), "{rows}: {warning:?}");
            let said = warning.unwrap_or_default();
            assert!(said.contains(says.unwrap_or_default()), "{said}");
        }
    }
}
