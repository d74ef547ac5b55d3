//! Values stored as indices into the sorted distinct values. One count of them yields means,
//! quantiles, ranks and correlations.

use std::collections::HashMap;

use super::distribution::Distribution;

/// A column: numbers or words, possibly missing, stored as indices into the distinct values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CodedValues<T = f64> {
    /// The distinct values: numbers ascending, words in order of first occurrence.
    values: Vec<T>,
    /// The index of each row's value; [`Self::NONE`] if it is missing.
    codes: Vec<u32>,
}

/// Whole numbers below this use a lookup table: most labels, counts and lengths are that small.
const TABLE: usize = 1 << 16;

impl CodedValues {
    /// The code of a missing value.
    pub const NONE: u32 = u32::MAX;

    /// Encodes numbers; NaN is a missing value.
    pub fn of(numbers: &[f64]) -> Self {
        let mut coder = ValueCoder::default();
        coder.add(numbers);
        coder.coded()
    }

    /// Renumbers codes from order of appearance to ascending order of values.
    fn in_order(found: &[f64], mut codes: Vec<u32>) -> Self {
        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| found[a as usize].total_cmp(&found[b as usize]));
        let mut places = vec![0; found.len()];
        for (place, &code) in order.iter().enumerate() {
            places[code as usize] = place as u32;
        }
        for code in &mut codes {
            *code = places.get(*code as usize).copied().unwrap_or(Self::NONE);
        }
        let values = order.iter().map(|&code| found[code as usize]).collect();
        Self { values, codes }
    }

    /// Returns each row's value; NaN if it has none.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        (0..self.codes.len()).map(|row| self.get(row).copied().unwrap_or(f64::NAN))
    }

    /// Counts each value: in all rows, or in those of the mask.
    pub fn distribution(&self, among: Option<&[bool]>) -> Distribution {
        let mut counts = self.counts(among);
        counts.pop();
        Distribution::new(self.values.clone(), counts)
    }
}

impl<T> CodedValues<T> {
    /// Takes the distinct values and each row's index into them.
    pub const fn new(values: Vec<T>, codes: Vec<u32>) -> Self {
        Self { values, codes }
    }

    /// Returns the distinct values.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns each row's index into [`Self::values`]; [`CodedValues::NONE`] if it has no value.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Returns a row's value.
    pub fn get(&self, row: usize) -> Option<&T> {
        self.values.get(*self.codes.get(row)? as usize)
    }

    /// Counts each value, and at the end missing ones: in all rows, or in those of the mask.
    pub fn counts(&self, among: Option<&[bool]>) -> Vec<u64> {
        let missing = self.values.len();
        let mut counts = vec![0; missing + 1];
        for (place, &code) in self.codes.iter().enumerate() {
            if among.is_none_or(|mask| mask.get(place) == Some(&true)) {
                counts[missing.min(code as usize)] += 1;
            }
        }
        counts
    }
}

/// Encodes numbers that arrive in chunks.
#[derive(Debug, Default)]
pub struct ValueCoder {
    /// Codes of small whole numbers.
    table: Vec<u32>,
    /// Codes of all other numbers, by their bits.
    others: HashMap<u64, u32>,
    /// The distinct values in order of appearance.
    found: Vec<f64>,
    codes: Vec<u32>,
}

impl ValueCoder {
    /// Appends rows. NaN and infinite numbers count as missing; −0 is stored as 0.
    pub fn add(&mut self, numbers: &[f64]) {
        self.table.resize(TABLE, CodedValues::NONE);
        let codes = numbers.iter().map(|&value| {
            if !value.is_finite() {
                return CodedValues::NONE;
            }
            let value = value + 0.0;
            let code = match value as usize {
                whole if whole < TABLE && whole as f64 == value => &mut self.table[whole],
                _ => (self.others.entry(value.to_bits())).or_insert(CodedValues::NONE),
            };
            if *code == CodedValues::NONE {
                *code = self.found.len() as u32;
                self.found.push(value);
            }
            *code
        });
        self.codes.extend(codes);
    }

    /// Returns each row's value by the order of first occurrence; [`CodedValues::NONE`] if missing.
    pub fn codes(self) -> Vec<u32> {
        self.codes
    }

    /// Returns the encoded numbers.
    pub fn coded(self) -> CodedValues {
        CodedValues::in_order(&self.found, self.codes)
    }
}
