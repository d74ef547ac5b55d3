//! Values of a column, packed, so that whole stretches are compared at once.

use std::collections::HashSet;

/// Numbers, in as few bytes as they need.
#[derive(Debug, Clone)]
pub enum Values {
    /// Whole numbers in a small range: `low` plus a code of 0 to 254; [`Self::NONE`] means there is
    /// none.
    Bytes {
        /// What code 0 means.
        low: f64,
        /// One a place.
        codes: Box<[u8]>,
    },
    /// Counts below 65,535, which means there is none.
    Shorts(Box<[u16]>),
    /// Counts; [`Self::NO_COUNT`] means there is none.
    Counts(Box<[u32]>),
    /// Any numbers; NaN means there is none.
    Numbers(Box<[f64]>),
}

impl Values {
    /// The code of no value.
    pub const NONE: u8 = u8::MAX;
    /// The count where there is nothing to count.
    pub const NO_COUNT: u32 = u32::MAX;

    /// Packs numbers, NaN where there is none; `low` is the least there can be, where that is
    /// known.
    pub fn of_numbers(numbers: Box<[f64]>, low: Option<f64>) -> Self {
        let least = || numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let low = low.unwrap_or_else(least);
        // NaN becomes code 0 and is put right below.
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

    /// Packs counts, [`Self::NO_COUNT`] where there is none.
    pub fn of_counts(counts: Box<[u32]>) -> Self {
        // One more than each count, so that what has none comes to 0 and is the least.
        let most = counts
            .iter()
            .fold(0, |most, &count| most.max(count.wrapping_add(1)));
        if most <= u32::from(Self::NONE) {
            // No count ends in the code of none.
            let codes = counts.iter().map(|&count| count as u8).collect();
            Self::Bytes { low: 0.0, codes }
        } else if most <= u32::from(u16::MAX) {
            Self::Shorts(counts.iter().map(|&count| count as u16).collect())
        } else {
            Self::Counts(counts)
        }
    }

    /// Whether any place has a value.
    pub fn has_any(&self) -> bool {
        let mut all = (0..).map_while(|place| self.number(place));
        all.any(|number| !number.is_nan())
    }

    /// The value of a place.
    pub fn get(&self, place: usize) -> Option<f64> {
        self.number(place).filter(|number| !number.is_nan())
    }

    /// The value of a place, NaN if it has none; `None` beyond the end.
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

    /// The values of consecutive places, NaN where there is none; fewer where the column ends.
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

/// Any number of numbers a place: one an annotator.
#[derive(Debug, Clone)]
pub struct AnnotationColumn {
    /// Where the numbers of each place end.
    ends: Box<[u32]>,
    /// Those of all places, one after the other.
    values: Values,
}

impl AnnotationColumn {
    /// Packs the lists of consecutive places.
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

    /// The numbers of a place; none where there is no such place.
    pub fn list(&self, place: usize) -> Vec<f64> {
        let end = self.ends.get(place).copied().unwrap_or_default();
        let start = place.checked_sub(1).and_then(|it| self.ends.get(it));
        let start = start.copied().unwrap_or_default().min(end);
        self.values.numbers(start as usize..end as usize)
    }
}

/// The values of a column for consecutive samples.
#[derive(Debug, Clone)]
pub enum ColumnData {
    /// Numbers: one list of what is of samples, or else one for each response.
    Numbers(Box<[Values]>),
    /// Words: one list of what is of samples, or else one for each response.
    Words(Box<[WordColumn]>),
    /// Numbers, one an annotator: one list of what is of samples, or else one for each response.
    Annotations(Box<[AnnotationColumn]>),
    /// Nothing: nobody was to ask for it.
    UnusedSettings,
}

impl ColumnData {
    /// Numbers of samples.
    pub fn of_samples(values: Values) -> Self {
        Self::Numbers([values].into())
    }

    /// Its numbers: one list of what is of samples, or else one for each response.
    pub fn numbers(&self) -> Option<&[Values]> {
        match self {
            Self::Numbers(lists) => Some(lists),
            _ => None,
        }
    }

    /// Whether any sample has a value.
    pub fn has_any(&self) -> bool {
        match self {
            Self::Numbers(lists) => lists.iter().any(Values::has_any),
            Self::Words(lists) => lists.iter().any(WordColumn::has_any),
            Self::Annotations(lists) => lists.iter().any(|list| list.values.has_any()),
            Self::UnusedSettings => false,
        }
    }
}

/// Words of which there are few different ones.
#[derive(Debug, Clone)]
pub enum WordColumn {
    /// Each sample's word by its place in the list; [`Self::NONE`] means there is none.
    Codes {
        /// The different words, as in the file (not sanitised), in the order in which they first
        /// come.
        words: Box<[Box<str>]>,
        /// One a sample.
        codes: Box<[u16]>,
    },
    /// There are too many different ones to keep: the row itself must be read.
    Many,
}

impl WordColumn {
    /// The code of no word.
    pub const NONE: u16 = u16::MAX;
    /// A chunk with more different words than this does not keep them.
    pub const MOST: usize = 1024;
    /// Bytes of different words that a chunk keeps: many long ones are no better than many.
    pub const MOST_BYTES: usize = 64 << 10;

    fn has_any(&self) -> bool {
        match self {
            Self::Codes { codes, .. } => codes.iter().any(|code| *code != Self::NONE),
            Self::Many => true,
        }
    }

    /// Whether so many different words are kept by each chunk, however a file is cut.
    pub fn fit<'w>(words: impl Iterator<Item = &'w Box<str>>) -> bool {
        let mut different = HashSet::new();
        let mut bytes = 0;
        words
            .filter(|word| different.insert(&***word))
            .for_each(|word| bytes += word.len());
        different.len() <= Self::MOST && bytes <= Self::MOST_BYTES
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
}
