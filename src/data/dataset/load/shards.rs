//! Detects by name which files are parts of one split.

use std::collections::{HashMap, HashSet};

/// Returns for each file name the index of the first file of the same split. Splits that were cut
/// into several files are named `train-00000-of-00002.parquet` and so on
/// (<https://huggingface.co/docs/hub/datasets-file-names-and-splits>). Other files are separate
/// splits, and so is a part that occurs twice (another version).
pub fn splits<'n>(names: impl Iterator<Item = &'n str>) -> Vec<u32> {
    let mut known: HashMap<_, (u32, HashSet<u64>)> = HashMap::new();
    let first = |(place, name): (usize, &'n str)| {
        let place = place as u32;
        let (Some(split), Some(number)) = (split_of(name), number_of(name)) else {
            return place;
        };
        let (first, numbers) = known.entry(split).or_insert((place, HashSet::new()));
        if !numbers.insert(number) {
            (*first, *numbers) = (place, HashSet::from([number]));
        }
        *first
    };
    names.enumerate().map(first).collect()
}

/// True if a file is the part of a split that follows another.
pub(crate) fn is_next_part(before: &str, name: &str) -> bool {
    split_of(before).is_some_and(|split| split_of(name) == Some(split))
        && number_of(before).and_then(|number| number.checked_add(1)) == number_of(name)
}

/// Returns the number of a part of a split.
fn number_of(name: &str) -> Option<u64> {
    let (before, _) = name.rsplit_once("-of-")?;
    before.rsplit_once('-')?.1.parse().ok()
}

/// Returns the common pieces of the names of all parts of a split: the text before the number of
/// the part, the number of parts, and the rest without the hash that the library `datasets` adds.
fn split_of(name: &str) -> Option<(&str, &str, &str)> {
    let (before, total) = name.rsplit_once("-of-")?;
    let (stem, number) = before.rsplit_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = total.bytes().take_while(u8::is_ascii_digit).count();
    let (total, suffix) = total.split_at(digits);
    let suffix = match suffix.split_once('.') {
        Some((hash, extension)) if hash.is_empty() || is_hash(hash) => extension,
        _ => return None,
    };
    (is_number(number) && number.len() == total.len()).then_some((stem, total, suffix))
}

fn is_hash(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::splits;

    #[test]
    fn parts_of_a_split_are_known_by_their_names() {
        let hashed = [
            "train-00000-of-00002-0123456789abcdef.parquet",
            "train-00001-of-00002-fedcba9876543210.parquet",
        ];
        for (names, numbers) in [
            (&["a.jsonl", "a.jsonl"][..], &[0, 1][..]),
            (
                &[
                    "train-00000-of-00002.parquet",
                    "train-00001-of-00002.parquet",
                ],
                &[0, 0],
            ),
            (
                &["d/t-0-of-2.jsonl.gz", "test.jsonl", "d/t-1-of-2.jsonl.gz"],
                &[0, 1, 0],
            ),
            // Other folders, splits, sizes and kinds do not match.
            (&["a/t-0-of-2.json", "b/t-1-of-2.json"], &[0, 1]),
            (&["train-0-of-2.json", "test-1-of-2.json"], &[0, 1]),
            (&["t-0-of-2.json", "t-1-of-3.json"], &[0, 1]),
            (&["t-0-of-2.json", "t-1-of-2.csv"], &[0, 1]),
            (
                &["t-00-of-2.json", "t-01-of-2.json", "t-x-of-2.json"],
                &[0, 1, 2],
            ),
            (
                &["t-0-of-2", "t-1-of-2", "-of-.json", "a-of-b.json"],
                &[0, 1, 2, 3],
            ),
            (&["t-0-of-2x.json", "t-1-of-2x.json"], &[0, 1]),
            (&hashed, &[0, 0]),
            // Two versions, and a file given twice.
            (
                &[
                    "t-0-of-1-0123456789abcdef.json",
                    "t-0-of-1-fedcba9876543210.json",
                ],
                &[0, 1],
            ),
            (
                &[
                    "t-0-of-2.json",
                    "t-1-of-2.json",
                    "t-0-of-2.json",
                    "t-1-of-2.json",
                ],
                &[0, 0, 2, 2],
            ),
        ] {
            assert_eq!(splits(names.iter().copied()), numbers, "{names:?}");
        }
    }
}
