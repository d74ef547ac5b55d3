//! Values by their places among the different ones, so that what is counted once gives means,
//! quantiles, ranks and correlations.

use std::collections::HashMap;

use super::distribution::Distribution;

/// Numbers, each by its place among the different ones; some may be missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CodedValues {
    /// The different values, ascending.
    values: Vec<f64>,
    /// For each place its value's place there; [`Self::NONE`] where there is none.
    codes: Vec<u32>,
}

/// Whole numbers below this are looked up in a table, where most values of preference data are:
/// labels, counts, lengths.
const TABLE: usize = 1 << 16;

impl CodedValues {
    /// The code of no value.
    pub const NONE: u32 = u32::MAX;

    /// What codes numbers that come in pieces.
    pub fn coder() -> ValueCoder {
        ValueCoder::default()
    }

    /// Codes numbers; NaN where there is none.
    pub fn of(numbers: &[f64]) -> Self {
        let mut coder = Self::coder();
        coder.add(numbers);
        coder.coded()
    }

    /// Codes in the order of the values, from those in the order in which they were found.
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

    /// How many places there are, those without a value too.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// The different values, ascending.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// For each place that of its value among the different ones; [`Self::NONE`] for none.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// How often each value comes: everywhere, or at the places of a mask alone.
    pub fn distribution(&self, among: Option<&[bool]>) -> Distribution {
        let mut counts = vec![0; self.values.len()];
        for (place, &code) in self.codes.iter().enumerate() {
            let count = counts.get_mut(code as usize);
            let count = count.filter(|_| among.is_none_or(|mask| mask.get(place) == Some(&true)));
            count.into_iter().for_each(|count| *count += 1);
        }
        Distribution::new(self.values.clone(), counts)
    }
}

/// Codes numbers that come in pieces.
#[derive(Debug, Default)]
pub struct ValueCoder {
    /// Codes of small whole numbers.
    table: Vec<u32>,
    /// Codes of all others, by their bits.
    others: HashMap<u64, u32>,
    /// The different values, in the order in which they came.
    found: Vec<f64>,
    codes: Vec<u32>,
}

impl ValueCoder {
    /// Adds places: NaN where there is no value, and infinite ones count as none too. Minus zero is
    /// zero.
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

    /// The numbers that were added.
    pub fn coded(self) -> CodedValues {
        CodedValues::in_order(&self.found, self.codes)
    }
}
