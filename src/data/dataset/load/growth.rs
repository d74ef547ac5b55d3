//! What was appended to files between two loads.

use crate::dataset::{Chunk, Dataset, SampleRows};

/// How a load of growing files extends an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// Number of new rows.
    pub rows: usize,
    /// Number of first samples that are unchanged: those before the first with other rows or
    /// another number.
    pub unchanged: usize,
}

impl Dataset {
    /// Compares with an earlier load of the same files; `None` if an old row changed or the schema
    /// differs. Reads no file: rows are identified by their hashes.
    pub fn grown_from(&self, before: &Self) -> Option<Growth> {
        let title = |dataset: &Self, at: usize| Some(dataset.files().get(at)?.title());
        let files = before.files().len();
        let is_as_before = |file: usize| {
            let (mut now, was) = (self.hashes(file), before.hashes(file));
            title(self, file) == title(before, file)
                && was.into_iter().all(|check| now.next() == Some(check))
        };
        if self.files().len() != files || !(0..files).all(is_as_before) {
            return None;
        }
        // After rows were appended to an earlier file, later files have other row numbers.
        let numbered_alike = self.rows_numbered_as(before);
        let (now, was) = (self.chunks().iter(), before.chunks().iter());
        let mut now = now.flat_map(|chunk| chunk.samples.iter());
        let mut was = was.flat_map(|chunk| chunk.samples.iter());
        let is_other = |rows: SampleRows<'_>| {
            now.next() != Some(rows) || rows.iter().any(|row| row as usize >= numbered_alike)
        };
        let unchanged = was.position(is_other).unwrap_or(before.samples());
        Some(Growth {
            rows: self.rows().saturating_sub(before.rows()),
            unchanged,
        })
    }

    /// Returns how many of the first row numbers mean the same row of the same file in both.
    fn rows_numbered_as(&self, before: &Self) -> usize {
        let mut runs = self.runs();
        let mut alike = 0;
        for (file, rows) in before.runs() {
            match runs.next() {
                Some(now) if now == (file, rows) => alike += rows,
                Some((other, now)) if other == file => return alike + now.min(rows),
                _ => break,
            }
        }
        alike
    }

    /// Returns the index of each file and the number of its rows, for adjacent chunks of one file.
    fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.chunks()
            .chunk_by(|one, next| one.file == next.file)
            .map(|run| (run[0].file, run.iter().map(|chunk| chunk.rows()).sum()))
    }

    /// Returns the hashes of a file's rows, in order.
    fn hashes(&self, file: usize) -> impl Iterator<Item = u32> {
        self.chunks_of_file(file)
            .iter()
            .flat_map(|chunk: &std::sync::Arc<Chunk>| chunk.hashes.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::dataset;

    #[test]
    fn appended_rows_differ_from_rewritten_ones() {
        let row = |prompt: &str| {
            format!("{{\"prompt\": \"{prompt}\", \"response\": \"r\", \"helpfulness\": 1}}\n")
        };
        let rows = |prompts: &str| {
            prompts
                .chars()
                .map(|it| row(&it.to_string()))
                .collect::<String>()
        };
        let of = |files: &[&str]| dataset(&files.iter().map(|it| rows(it)).collect::<Vec<_>>());
        let grown = |rows, unchanged| Some(Growth { rows, unchanged });
        for (before, now, expected) in [
            (&["aabb"][..], &["aabb"][..], grown(0, 2)),
            (&["aabb"], &["aabbccd"], grown(3, 2)),
            // The second response of a pair is added later.
            (&["aab"], &["aabb"], grown(1, 1)),
            (&["aab"], &["aabcc"], grown(2, 2)),
            // After new rows of an earlier file, rows have other numbers.
            (&["aa", "bb"], &["aacc", "bb"], grown(2, 1)),
            (&["aa", "bb"], &["aa", "bbc"], grown(1, 2)),
            (&["aabb"], &["aacc"], None),
            (&["aabb"], &["aab"], None),
            (&["aabb"], &["bbaa"], None),
            (&["aa"], &["aa", "bb"], None),
        ] {
            assert_eq!(
                of(now).grown_from(&of(before)),
                expected,
                "{before:?} {now:?}"
            );
        }
    }
}
