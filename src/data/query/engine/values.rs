//! Values of a field: of one sample, of all, and of a query result.

use std::collections::BTreeMap;

use super::QUICK_BLOCK;
use super::block::SampleBlock;
use super::column_values::each_number;
use super::per_response::PerResponse;
use super::plan::flags;
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;
use crate::query::ast::{Aggregate, Field, Number};
use crate::query::remarks::ReviewIndex;
use crate::table::{ColumnKind, FieldForm};

/// A value of a field of a sample or a response.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A number.
    Number(f64),
    /// A word, as in the file (not sanitised).
    Word(String),
}

impl FieldValue {
    /// Returns the number; `None` for a word.
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(_) => None,
        }
    }
}

/// The value or values of a field in a sample.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldCell {
    /// The value of the sample; `None` if missing.
    One(Option<FieldValue>),
    /// A value per response, at least two.
    Responses(Vec<Option<FieldValue>>),
}

impl FieldCell {
    /// Returns the value, or those of the responses.
    pub const fn values(&self) -> &[Option<FieldValue>] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Responses(values) => values.as_slice(),
        }
    }
}

/// Returns the value of a field in a sample, including remarks of reviewers; missing if there is no
/// such sample. A flag is the word true or false, if it is known without reading rows.
pub fn cell(dataset: &Dataset, remarks: &ReviewIndex, of: Field, sample: usize) -> FieldCell {
    let Some(block) = SampleBlock::of(dataset, sample) else {
        return FieldCell::One(None);
    };
    let block = block.with_remarks(remarks);
    let each = |value: &dyn Fn(usize) -> Option<FieldValue>| {
        FieldCell::Responses((0..block.lanes().max(2)).map(value).collect())
    };
    match of.column.kind {
        ColumnKind::Flag => {
            let is_known = dataset.knows(of.column) && !of.column.is_of_reviewers();
            let mut flags = flags(&block, of.column).into_iter().filter(|_| is_known);
            FieldCell::One((flags.next()).map(|holds| FieldValue::Word(holds.to_string())))
        }
        ColumnKind::Word | ColumnKind::Words => {
            let lanes = block.read_words(of.column);
            let word = |lane: usize| {
                let (words, codes) = lanes.get(lane)?;
                let word = words.get(usize::from(*codes.first()?))?;
                Some(FieldValue::Word(word.replace(FieldForm::SEPARATOR, ", ")))
            };
            match of.column.is_of_responses() {
                true if of.view == Aggregate::Same => each(&word),
                true => FieldCell::One(block.response_of(of.view).and_then(word)),
                false => FieldCell::One(word(0)),
            }
        }
        ColumnKind::Label | ColumnKind::Score | ColumnKind::Count => {
            let values = block.number(&Number::Field(of), None);
            let value = |lane: usize| {
                let value = values.lane(lane).first().filter(|value| !value.is_nan());
                value.copied().map(FieldValue::Number)
            };
            match values {
                PerResponse::Same(_) => FieldCell::One(value(0)),
                PerResponse::Each(_) => each(&value),
            }
        }
    }
}

/// Most distinct values to list.
const MAX_VALUES: usize = 200;

/// Counts the values of a field. Numbers ascend, and count per response if the field does; empty if
/// there are more than 200. Words are sorted by frequency; at most 200.
pub fn tally(dataset: &Dataset, of: Field) -> Vec<(String, usize)> {
    // Suggestions are not worth reading all rows.
    let is_known = dataset.knows(of.column);
    let most = if is_known {
        dataset.samples()
    } else {
        dataset.samples().min(QUICK_BLOCK)
    };
    let blocks = SampleBlock::all(dataset, 0..most, QUICK_BLOCK);
    if of.column.kind.is_number() {
        return tally_numbers(blocks, of);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for block in blocks {
        let lanes = if is_known {
            block.word_lanes(of.column).unwrap_or_default()
        } else {
            block.read_words(of.column)
        };
        for (words, codes) in lanes {
            // The last count is that of missing words.
            let mut own = vec![0; words.len() + 1];
            for &code in &*codes {
                own[words.len().min(code.into())] += 1;
            }
            for (word, count) in words.iter().zip(own).filter(|(_, count)| *count > 0) {
                for word in word.split(FieldForm::SEPARATOR) {
                    *counts.entry(word.to_owned()).or_default() += count;
                }
            }
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(MAX_VALUES);
    counts
}

fn tally_numbers<'d>(
    blocks: impl Iterator<Item = SampleBlock<'d>>,
    field: Field,
) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<OrderedNumber, usize> = BTreeMap::new();
    let number = Number::Field(field);
    for block in blocks {
        let values = block.number(&number, None);
        let values = values.lanes().iter().flatten();
        for value in values.filter(|value| !value.is_nan()) {
            *counts.entry(OrderedNumber::of(*value)).or_default() += 1;
            // Fields such as lengths have too many values to choose from.
            if counts.len() > MAX_VALUES {
                return Vec::new();
            }
        }
    }
    counts
        .into_iter()
        .map(|(OrderedNumber(value), count)| (value.to_string(), count))
        .collect()
}

/// A number with a total order; not NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderedNumber(f64);

impl OrderedNumber {
    /// Adds zero, so that minus zero equals zero.
    pub fn of(value: f64) -> Self {
        Self(value + 0.0)
    }

    /// Returns the number.
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl Eq for OrderedNumber {}

impl PartialOrd for OrderedNumber {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedNumber {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Boundaries of bins of values; the upper end of a bin is excluded except in the last one.
#[derive(Debug, Clone, PartialEq)]
pub enum Bins {
    /// One bin per value, ascending; at least one.
    Values(Vec<f64>),
    /// Bins between successive borders, ascending; at least two borders. The last border belongs to
    /// the last bin.
    Borders(Vec<f64>),
}

/// Most bins that fit in a row.
const MAX_BINS: usize = 11;
/// Bins if there are more values.
const RANGES: usize = 10;

impl Bins {
    /// Returns at most eleven bins that cover `low` to `high`, with borders at multiples of 1, 2 or 5
    /// times a power of ten; the last border is `high`.
    pub fn ranges(low: f64, high: f64) -> Self {
        let width = (high - low) / RANGES as f64;
        let power = 10_f64.powf(width.log10().floor());
        let step = [1.0, 2.0, 5.0]
            .map(|times| times * power)
            .into_iter()
            .find(|step| *step >= width)
            .unwrap_or(10.0 * power);
        // Queries use decimal numbers: 0.3 instead of 0.30000000000000004.
        let digits = (-power.log10().round()).clamp(0.0, 17.0) as usize;
        let border = |at: i64| format!("{:.digits$}", at as f64 * step).parse().ok();
        // Divisions are inexact, so the outer borders are compared.
        let places = (low / step).floor() as i64 - 1..=(high / step).ceil() as i64;
        let borders: Vec<f64> = places.filter_map(border).collect();
        let first = borders
            .partition_point(|border| *border <= low)
            .checked_sub(1)
            .map_or(low, |at| borders[at]);
        let inner = borders
            .into_iter()
            .filter(|border| *border > low && *border < high);
        Self::Borders([first].into_iter().chain(inner).chain([high]).collect())
    }

    /// Returns the number of bins.
    pub fn count(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Borders(borders) => borders.len().saturating_sub(1),
        }
    }

    /// True if each bin is one value.
    pub fn are_values(&self) -> bool {
        matches!(self, Self::Values(_))
    }

    /// Returns the index of a value's bin.
    pub fn of(&self, value: f64) -> Option<usize> {
        match self {
            Self::Values(values) => values.iter().position(|known| *known == value),
            Self::Borders(borders) => {
                let at_or_below = borders.partition_point(|border| *border <= value);
                let is_last = borders.last() == Some(&value);
                let bin = (at_or_below - usize::from(is_last)).checked_sub(1)?;
                (bin < self.count()).then_some(bin)
            }
        }
    }

    /// Returns the ends of a bin; they are equal for a bin of one value.
    pub fn ends(&self, place: usize) -> (f64, f64) {
        let (Self::Values(ends) | Self::Borders(ends)) = self;
        let end = |place| ends.get(place).copied().unwrap_or(f64::NAN);
        (end(place), end(place + usize::from(!self.are_values())))
    }

    /// Chooses the bins of a field, whose column has this range if it is a label: the range if it is
    /// small, else the distinct values if there are few, else ranges. `None` if no sample has a
    /// value, or if cancelled; `keep_going` is called every few thousand samples.
    pub fn for_field(
        dataset: &Dataset,
        field: &Field,
        range: Option<[f64; 2]>,
        keep_going: &dyn KeepGoing,
    ) -> Option<Self> {
        if let Some(bins) = Self::for_label(field, range) {
            return Some(bins);
        }
        let mut values: Vec<OrderedNumber> = Vec::new();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        each_number(dataset, field, keep_going, &mut |piece| {
            for &value in piece.iter().filter(|value| !value.is_nan()) {
                (low, high) = (low.min(value), high.max(value));
                let value = OrderedNumber::of(value);
                if values.len() <= MAX_BINS
                    && let Err(place) = values.binary_search(&value)
                {
                    values.insert(place, value);
                }
            }
        })?;
        let mut few: Vec<_> = values.iter().map(|value| value.value()).collect();
        if few.len() > MAX_BINS {
            few = [&[low], &*few, &[high]].concat();
        }
        Self::for_values(field.column.kind == ColumnKind::Count, &few)
    }

    /// Returns one bin per value of a label with a small range; `None` for other fields.
    fn for_label(field: &Field, range: Option<[f64; 2]>) -> Option<Self> {
        let [low, high] = range?;
        let width = high - low;
        if width >= MAX_BINS as f64 {
            return None;
        }
        let (least, steps) = match field.view {
            Aggregate::Gap => (0.0, width),
            Aggregate::Margin => (-width, 2.0 * width),
            _ => (low, width),
        };
        let steps = 0..=steps as usize;
        let values = steps.map(|step| least + step as f64);
        Some(Self::Values(values.collect()))
    }

    /// Chooses the bins of a field like [`Self::for_field`] from its distinct, ascending values.
    pub fn of_values(field: &Field, range: Option<[f64; 2]>, values: &[f64]) -> Option<Self> {
        let is_count = field.column.kind == ColumnKind::Count;
        Self::for_label(field, range).or_else(|| Self::for_values(is_count, values))
    }

    /// Chooses the bins of values, which ascend: the distinct ones, or more than fit.
    pub fn for_values(is_count: bool, values: &[f64]) -> Option<Self> {
        let (low, high) = (*values.first()?, *values.last()?);
        match values.len() {
            ..=MAX_BINS => Some(Self::Values(values.to_vec())),
            // Counts are unbounded: most are small, a few very large. Only margins of scores can
            // have this many values within a few units.
            _ if is_count && low >= 0.0 && high >= MAX_BINS as f64 => {
                Some(Self::widening(low, high))
            }
            _ => Some(Self::ranges(low, high)),
        }
    }

    /// Returns widening bins that cover `low` to `high` (not negative): borders at 1, 2 and 5 times
    /// powers of ten, with 0 before 10.
    fn widening(low: f64, high: f64) -> Self {
        let (mut borders, mut power) = (Vec::new(), 10_f64.powf(high.max(1.0).log10().ceil()));
        'powers: loop {
            for times in [10.0, 5.0, 2.0] {
                let border = times * power / 10.0;
                // Only the lowest border above all values is needed.
                if border >= high {
                    borders.clear();
                }
                borders.push(border);
                if border <= low.max(1.0) || borders.len() == RANGES {
                    break 'powers;
                }
            }
            power /= 10.0;
        }
        if borders.last().is_some_and(|first| *first > low) {
            borders.push(0.0);
        }
        borders.reverse();
        Self::Borders(borders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_of_scores_has_bins_below_one() {
        let values: Vec<_> = (1..=45).map(|at| f64::from(at) / 50.0).collect();
        let bins = Bins::for_values(false, &values);
        let expected = Bins::ranges(0.02, 0.9);
        assert_eq!(expected.count(), 9);
        assert_eq!(bins, Some(expected));
        let widens = Bins::for_values(true, &[values, vec![400.0]].concat());
        assert_eq!(widens, Some(Bins::widening(0.02, 400.0)));
    }

    #[test]
    fn what_is_counted_falls_into_ranges_that_widen() {
        for (low, high, borders) in [
            (
                3.0,
                5060.0,
                &[
                    0.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4,
                ][..],
            ),
            (0.0, 14.0, &[0.0, 1.0, 2.0, 5.0, 10.0, 20.0]),
            (1.0, 12.0, &[1.0, 2.0, 5.0, 10.0, 20.0]),
            (130.0, 1000.0, &[100.0, 200.0, 500.0, 1000.0]),
        ] {
            let bins = Bins::widening(low, high);
            assert_eq!(bins, Bins::Borders(borders.to_vec()), "{low} to {high}");
            assert!(bins.count() <= RANGES);
            for value in (low as u32..=high as u32).map(f64::from) {
                let (from, to) = bins.ends(bins.of(value).expect("a bin"));
                assert!(from <= value && (value < to || value == high), "{value}");
            }
            assert_eq!(
                (bins.of(-1.0), bins.of(2e4), bins.of(f64::NAN)),
                (None, None, None)
            );
        }
    }
}
