//! What a dataset will come to, told while there is still time to do otherwise.

use super::Dataset;
use crate::text::grouped;

/// Rows that can be numbered: what row numbers of 32 bits tell apart, less one that means none.
const MOST_ROWS: u64 = u32::MAX as u64 - 1;
/// Bytes that a row takes in memory once it was read, at most: 19 to 31 were measured on files of ten
/// and a hundred million rows. It is where the row begins, its hash, its labels and counts; what
/// filters and orders find comes to it.
const ROW_BYTES: u64 = 32;
/// Rows from which on an estimate is good enough.
const ENOUGH: usize = 1 << 20;

impl Dataset {
    /// How many rows there will be once all is read, going by those that were; `None` while that
    /// would be a guess.
    pub fn expected_rows(&self) -> Option<u64> {
        let rows = (self.rows() >= ENOUGH).then(|| self.rows() as f64)?;
        let share = self.progress().filter(|share| *share > 0.0)?;
        Some((rows / share) as u64)
    }
}

/// What a person should know before so many rows are read where so many bytes of memory are free;
/// `None` where there is nothing to know.
pub fn scale_warning(rows: u64, free: Option<u64>) -> Option<String> {
    const ADVICE: &str = "visavis guide scale tells what to do";
    let spelled = grouped(usize::try_from(rows).unwrap_or(usize::MAX));
    if rows > MOST_ROWS {
        let most = grouped(MOST_ROWS as usize);
        return Some(format!(
            "some {spelled} rows are expected, and {most} can be numbered; {ADVICE}"
        ));
    }
    let needed = rows.saturating_mul(ROW_BYTES);
    let free = free.filter(|free| needed > *free)?;
    let gigabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e9);
    let (needed, free) = (gigabytes(needed), gigabytes(free));
    Some(format!(
        "some {spelled} rows are expected, which take some {needed} GB of memory, and {free} GB are free; {ADVICE}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_before_they_are_hit() {
        for (rows, free, says) in [
            (100_000_000, Some(8_000_000_000), None),
            (100_000_000, None, None),
            (
                100_000_000,
                Some(2_000_000_000),
                Some("take some 3.2 GB of memory, and 2.0 GB are free"),
            ),
            (4_294_967_294, None, None),
            (4_294_967_295, None, Some("4,294,967,294 can be numbered")),
        ] {
            let warning = scale_warning(rows, free);
            assert_eq!(warning.is_some(), says.is_some(), "{rows}: {warning:?}");
            let said = warning.unwrap_or_default();
            assert!(said.contains(says.unwrap_or_default()), "{said}");
        }
    }
}
