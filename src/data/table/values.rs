//! Values of a column, packed so that whole ranges are compared at once.

use std::collections::{HashMap, HashSet};

/// Numbers, in as few bytes as they need.
#[derive(Debug, Clone)]
pub enum Values {
    /// Whole numbers in a small range: `low` plus a code of 0 to 254, or [`Self::NONE`] if missing.
    Bytes {
        /// The value of code 0.
        low: f64,
        /// One for each entry.
        codes: Box<[u8]>,
    },
    /// Counts below 65,535, which means missing.
    Shorts(Box<[u16]>),
    /// Counts, or [`Self::NO_COUNT`] if missing.
    Counts(Box<[u32]>),
    /// Any numbers; NaN if missing.
    Numbers(Box<[f64]>),
}

impl Values {
    /// The code of a missing value.
    pub const NONE: u8 = u8::MAX;
    /// The count of a missing value.
    pub const NO_COUNT: u32 = u32::MAX;

    /// Packs numbers, NaN if missing; `low` is their minimum, if known.
    pub fn of_numbers(numbers: Box<[f64]>, low: Option<f64>) -> Self {
        let least = || numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let low = low.unwrap_or_else(least);
        // NaN becomes code 0 and is corrected below.
        let code = |number: f64| (number - low) as u8;
        let fits = |number: f64| {
            number.is_nan()
                || (low + f64::from(code(number)) == number && code(number) < Self::NONE)
        };
        if !numbers.iter().fold(true, |all, &number| all & fits(number)) {
            return Self::Numbers(numbers);
        }
        let low = if low.is_finite() { low } else { 0.0 };
        let codes = numbers
            .iter()
            .map(|&number| {
                if number.is_nan() {
                    Self::NONE
                } else {
                    code(number)
                }
            })
            .collect();
        Self::Bytes { low, codes }
    }

    /// Packs counts, [`Self::NO_COUNT`] if missing.
    pub fn of_counts(counts: Box<[u32]>) -> Self {
        // Counts plus one, so that missing ones wrap to 0, the minimum.
        let most = counts
            .iter()
            .fold(0, |most, &count| most.max(count.wrapping_add(1)));
        if most <= u32::from(Self::NONE) {
            // The low byte of a missing count is its code; no smaller count has it.
            let codes = counts.iter().map(|&count| count as u8).collect();
            Self::Bytes { low: 0.0, codes }
        } else if most <= u32::from(u16::MAX) {
            Self::Shorts(counts.iter().map(|&count| count as u16).collect())
        } else {
            Self::Counts(counts)
        }
    }

    /// True if any entry has a value.
    pub fn has_any(&self) -> bool {
        (0..)
            .map_while(|place| self.number(place))
            .any(|number| !number.is_nan())
    }

    /// Returns the value at an index.
    pub fn get(&self, place: usize) -> Option<f64> {
        self.number(place).filter(|number| !number.is_nan())
    }

    /// Returns the value at an index, NaN if missing; `None` beyond the end.
    fn number(&self, place: usize) -> Option<f64> {
        fn one<T: Copy + PartialEq + Into<f64>>(code: T, none: T) -> f64 {
            if code == none { f64::NAN } else { code.into() }
        }
        Some(match self {
            Self::Bytes { low, codes } => low + one(*codes.get(place)?, Self::NONE),
            Self::Shorts(counts) => one(*counts.get(place)?, u16::MAX),
            Self::Counts(counts) => one(*counts.get(place)?, Self::NO_COUNT),
            Self::Numbers(numbers) => *numbers.get(place)?,
        })
    }

    /// Returns the values of a range, NaN if missing; empty if the range exceeds the column.
    pub fn numbers(&self, places: std::ops::Range<usize>) -> Vec<f64> {
        fn list<T: Copy + PartialEq>(
            codes: Option<&[T]>,
            none: T,
            number: impl Fn(T) -> f64,
        ) -> Vec<f64> {
            let number = |&code: &T| if code == none { f64::NAN } else { number(code) };
            codes.unwrap_or_default().iter().map(number).collect()
        }
        match self {
            Self::Bytes { low, codes } => {
                list(codes.get(places), Self::NONE, |code| low + f64::from(code))
            }
            Self::Shorts(counts) => list(counts.get(places), u16::MAX, f64::from),
            Self::Counts(counts) => list(counts.get(places), Self::NO_COUNT, f64::from),
            Self::Numbers(numbers) => numbers.get(places).unwrap_or_default().to_vec(),
        }
    }
}

/// Any number of numbers for each entry: one for each annotator.
#[derive(Debug, Clone)]
pub struct AnnotationColumn {
    /// End of each entry's numbers.
    ends: Box<[u32]>,
    /// The numbers of all entries in order.
    values: Values,
}

impl AnnotationColumn {
    /// Packs the lists of consecutive entries.
    pub fn of_lists<'l>(lists: impl Iterator<Item = &'l [f64]>) -> Self {
        let (mut ends, mut values) = (Vec::new(), Vec::new());
        for list in lists {
            values.extend_from_slice(list);
            ends.push(values.len() as u32);
        }
        Self {
            ends: ends.into(),
            values: Values::of_numbers(values.into(), None),
        }
    }

    /// Returns the numbers of an entry; empty beyond the end.
    pub fn list(&self, place: usize) -> Vec<f64> {
        let end = self.ends.get(place).copied().unwrap_or_default();
        let start = place
            .checked_sub(1)
            .and_then(|it| self.ends.get(it))
            .copied()
            .unwrap_or_default()
            .min(end);
        self.values.numbers(start as usize..end as usize)
    }
}

/// The values of a column for consecutive samples.
#[derive(Debug, Clone)]
pub enum ColumnData {
    /// Numbers: one list for samples, or one for each response.
    Numbers(Box<[Values]>),
    /// Words: one list for samples, or one for each response.
    Words(Box<[WordColumn]>),
    /// Numbers for each annotator: one list for samples, or one for each response.
    Annotations(Box<[AnnotationColumn]>),
    /// No values, since nothing may request them.
    UnusedSettings,
}

impl ColumnData {
    /// Creates a column of numbers of samples.
    pub fn of_samples(values: Values) -> Self {
        Self::Numbers([values].into())
    }

    /// Returns its numbers: one list for samples, or one for each response.
    pub fn numbers(&self) -> Option<&[Values]> {
        match self {
            Self::Numbers(lists) => Some(lists),
            _ => None,
        }
    }

    /// True if any sample has a value.
    pub fn has_any(&self) -> bool {
        match self {
            Self::Numbers(lists) => lists.iter().any(Values::has_any),
            Self::Words(lists) => lists.iter().any(WordColumn::has_any),
            Self::Annotations(lists) => lists.iter().any(|list| list.values.has_any()),
            Self::UnusedSettings => false,
        }
    }
}

/// Words, if there are only few distinct ones.
#[derive(Debug, Clone)]
pub enum WordColumn {
    /// Each sample's word by its index in the list; [`Self::NONE`] if missing.
    Codes {
        /// The distinct words, as in the file (not sanitised), in order of first appearance.
        words: Box<[Box<str>]>,
        /// One for each sample.
        codes: Box<[u16]>,
    },
    /// Too many distinct words to keep: rows must be read again.
    Many,
}

impl WordColumn {
    /// The code of a missing word.
    pub const NONE: u16 = u16::MAX;
    /// Maximum number of distinct words that a chunk keeps.
    const MOST: usize = 1024;
    /// Maximum bytes of distinct words that a chunk keeps: long words cost as much as many.
    const MAX_BYTES: usize = 64 << 10;

    fn has_any(&self) -> bool {
        match self {
            Self::Codes { codes, .. } => codes.iter().any(|code| *code != Self::NONE),
            Self::Many => true,
        }
    }

    /// True if chunks keep these distinct words, however the file is cut.
    pub fn fit<'w>(words: impl Iterator<Item = &'w Box<str>>) -> bool {
        let mut different = HashSet::new();
        let mut bytes = 0;
        words
            .filter(|word| different.insert(&***word))
            .for_each(|word| bytes += word.len());
        different.len() <= Self::MOST && bytes <= Self::MAX_BYTES
    }
}

/// Words in row order, at most one a row: a [`WordColumn`] that grows.
#[derive(Debug, Clone, Default)]
pub struct WordList {
    words: Vec<Box<str>>,
    places: HashMap<Box<str>, u16>,
    codes: Vec<u16>,
    /// Bytes of all distinct words.
    bytes: usize,
    /// Set after too many distinct words; nothing is kept then.
    many: bool,
}

impl WordList {
    /// Adds the word of the next row.
    pub fn push(&mut self, word: Option<&str>) {
        if self.many {
            return;
        }
        let code = word.map_or(WordColumn::NONE, |word| self.code(word));
        self.codes.push(code);
    }

    /// Sets the word of a row after all that have one.
    pub fn put(&mut self, row: usize, word: Option<&str>) {
        self.pad(row);
        self.push(word);
    }

    /// Adds rows without a word up to this number of rows.
    pub fn pad(&mut self, rows: usize) {
        if !self.many && self.codes.len() < rows {
            self.codes.resize(rows, WordColumn::NONE);
        }
    }

    /// Returns the number of rows; 0 if there are too many words.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Appends the words of some rows of another list.
    pub fn append(&mut self, other: &Self, rows: impl Iterator<Item = usize>) {
        if self.many || other.many {
            return self.give_up();
        }
        let mut codes = vec![None; other.words.len()];
        for row in rows {
            let code = other
                .codes
                .get(row)
                .map_or(usize::MAX, |code| usize::from(*code));
            let code = match (codes.get_mut(code), other.words.get(code)) {
                (Some(known), Some(word)) => *known.get_or_insert_with(|| self.code(word)),
                _ => WordColumn::NONE,
            };
            self.codes.push(code);
        }
    }

    /// Returns the column of some rows.
    pub fn gather(&self, rows: &[u32]) -> WordColumn {
        // Coded again, so that words are in sample order and all of them are used.
        let mut all = Self::default();
        all.append(self, rows.iter().map(|row| *row as usize));
        all.column()
    }

    /// Returns the column of all rows.
    pub fn column(self) -> WordColumn {
        if self.many {
            return WordColumn::Many;
        }
        WordColumn::Codes {
            words: self.words.into(),
            codes: self.codes.into(),
        }
    }

    fn code(&mut self, word: &str) -> u16 {
        if let Some(&code) = self.places.get(word) {
            return code;
        }
        self.bytes += word.len();
        if self.many || self.words.len() == WordColumn::MOST || self.bytes > WordColumn::MAX_BYTES {
            self.give_up();
            return WordColumn::NONE;
        }
        let code = self.words.len() as u16;
        self.words.push(word.into());
        self.places.insert(word.into(), code);
        code
    }

    fn give_up(&mut self) {
        *self = Self {
            many: true,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        let nan = f64::NAN;
        for (numbers, low, bytes) in [
            (&[0.0, 4.0, nan, 2.0][..], Some(0.0), true),
            (&[nan, nan], None, true),
            (&[], None, true),
            (&[-1.0, 253.0], None, true),
            (&[-1.0, 254.0], None, false),
            (&[0.5, 1.5, nan], None, true),
            (&[0.5, 1.0], None, false),
            (&[0.0, 1.0], Some(0.25), false),
            (&[-0.5, 0.5], Some(-1.0), false),
            (&[1e300, 1.0], None, false),
            (&[9007199254740992.0, 9007199254740994.0], None, true),
        ] {
            let values = Values::of_numbers(numbers.into(), low);
            assert_eq!(matches!(values, Values::Bytes { .. }), bytes, "{numbers:?}");
            for (sample, &number) in numbers.iter().enumerate() {
                assert_eq!(
                    values.get(sample),
                    (!number.is_nan()).then_some(number),
                    "{numbers:?}"
                );
            }
            let has_any = numbers.iter().any(|number| !number.is_nan());
            assert_eq!(values.has_any(), has_any, "{numbers:?}");
            assert_eq!(values.get(numbers.len()), None);
        }
    }

    #[test]
    fn lists_come_back() {
        let lists = [&[][..], &[-3.0, 2.0], &[], &[0.5], &[1.0; 4]];
        let column = AnnotationColumn::of_lists(lists.into_iter());
        assert_eq!(column.ends.len(), lists.len());
        for (place, list) in lists.into_iter().enumerate() {
            assert_eq!(column.list(place), list);
        }
        assert!(column.list(5).is_empty() && column.list(9).is_empty());
    }

    #[test]
    fn counts_come_back_from_one_two_and_four_bytes() {
        let none = Values::NO_COUNT;
        for (counts, bytes) in [
            (&[][..], 1),
            (&[none, none], 1),
            (&[0, 254, none], 1),
            (&[255], 2),
            (&[none, 256, 0, 65_534], 2),
            (&[65_535, none, 0], 4),
            (&[u32::MAX - 1, none], 4),
        ] {
            let values = Values::of_counts(counts.into());
            let width = match &values {
                Values::Bytes { low: 0.0, .. } => 1,
                Values::Shorts(_) => 2,
                Values::Counts(_) => 4,
                _ => 0,
            };
            assert_eq!(width, bytes, "{counts:?}");
            let wanted = |count: u32| (count != none).then_some(f64::from(count));
            let all = values.numbers(0..counts.len());
            assert_eq!(all.len(), counts.len());
            for (place, &count) in counts.iter().enumerate() {
                assert_eq!(values.get(place), wanted(count), "{counts:?}");
                assert_eq!(Some(all[place]).filter(|n| !n.is_nan()), wanted(count));
            }
            assert_eq!(values.get(counts.len()), None);
            assert!(values.numbers(0..counts.len() + 1).is_empty());
        }
    }

    fn list(words: &[&str]) -> WordList {
        let mut list = WordList::default();
        for word in words {
            list.push((!word.is_empty()).then_some(word));
        }
        list
    }

    fn spelled(words: &WordColumn) -> Option<Vec<&str>> {
        let WordColumn::Codes { words, codes } = words else {
            return None;
        };
        Some(
            codes
                .iter()
                .map(|&code| words.get(usize::from(code)).map_or("", |word| word))
                .collect(),
        )
    }

    #[test]
    fn words_come_back() {
        let mut all = list(&["b", "a", "", "a"]);
        all.append(&list(&["c", "b", ""]), 0..3);
        let before = all.clone();
        all.append(&before, 4..5);
        assert_eq!(
            spelled(&all.gather(&[0, 1, 2, 3, 4, 5, 6, 7])),
            Some(vec!["b", "a", "", "a", "c", "b", "", "c"])
        );
        let some = all.gather(&[7, 2, 3]);
        assert_eq!(spelled(&some), Some(vec!["c", "", "a"]));
        assert!(
            matches!(some, WordColumn::Codes { words, .. } if *words == ["c".into(), "a".into()])
        );
    }

    #[test]
    fn too_many_are_not_kept() {
        let numbers: Vec<String> = (0..=WordColumn::MOST)
            .map(|number| number.to_string())
            .collect();
        let mut words: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let long = "x".repeat(WordColumn::MAX_BYTES + 1);
        assert!(matches!(list(&words).gather(&[]), WordColumn::Many));
        assert!(matches!(list(&[&long]).gather(&[0]), WordColumn::Many));
        let last = words.pop().unwrap_or_default();
        let mut most = list(&words);
        assert!(
            matches!(most.gather(&[0, 1]), WordColumn::Codes { words, .. } if words.len() == 2)
        );
        most.append(&list(&[last]), 0..1);
        assert!(matches!(most.gather(&[0, 1]), WordColumn::Many));
        let mut few = list(&["a"]);
        few.append(&most, 0..1);
        assert!(matches!(few.gather(&[0]), WordColumn::Many));
    }
}
