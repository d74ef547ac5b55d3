//! What values there are: of one sample, of all, and of what a query shows.

use std::collections::BTreeMap;

use super::block::SampleBlock;
use super::facts::WordsOf;
use super::per_response::PerResponse;
use super::{QUICK_BLOCK, QueryResult};
use crate::dataset::Dataset;
use crate::query::ast::{Aggregate, ColumnId, Field, Number};
use crate::query::remarks::Remarks;
use crate::table::{Column, ColumnKind, ColumnSource};

/// A value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A number.
    Number(f64),
    /// A word, as in the file (not sanitised).
    Word(String),
}

/// What a sample has of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldCell {
    /// A value of the sample; `None` where it is missing.
    One(Option<FieldValue>),
    /// A value of each response, at least of two.
    Responses(Vec<Option<FieldValue>>),
}

/// What a sample has of a field, also of what reviewers said; nothing for a sample that is not
/// there. A flag is the word true or false, if columns alone or comparisons that were worked out tell
/// it.
pub fn cell(dataset: &Dataset, remarks: &Remarks, of: Field, sample: usize) -> FieldCell {
    let Some(block) = SampleBlock::of(dataset, sample) else {
        return FieldCell::One(None);
    };
    let block = block.knowing(remarks);
    let word = match of.column.kind {
        ColumnKind::Flag => flag(&block, of.column).map(|holds| holds.to_string()),
        ColumnKind::Word | ColumnKind::Words => block.owned_words(of.column).pop().flatten(),
        ColumnKind::Label | ColumnKind::Score | ColumnKind::Count => {
            let value = |lane: &Vec<f64>| {
                lane.first()
                    .copied()
                    .filter(|value| !value.is_nan())
                    .map(FieldValue::Number)
            };
            return match block.number(&Number::Field(of), None) {
                PerResponse::Same(values) => FieldCell::One(value(&values)),
                PerResponse::Each(lanes) => {
                    let mut values: Vec<_> = lanes.iter().map(value).collect();
                    values.resize_with(values.len().max(2), || None);
                    FieldCell::Responses(values)
                }
            };
        }
    };
    FieldCell::One(word.map(FieldValue::Word))
}

fn flag(block: &SampleBlock<'_>, of: ColumnId) -> Option<bool> {
    let flags = match &of.source {
        ColumnSource::Flag(holds) => holds(block),
        ColumnSource::Compared(comparison) if block.dataset.has_compared(*comparison) => {
            block.dataset.compared_flags(block.samples(), *comparison)
        }
        _ => return None,
    };
    flags.first().copied()
}

/// Different values that are told at most.
const MOST_VALUES: usize = 200;

/// The values of a field with how often they come: numbers in ascending order, counted over
/// responses where they are of responses; words, the most frequent first. Of words at most 200; of
/// numbers none where there are more different ones.
pub fn tally(dataset: &Dataset, of: Field) -> Vec<(String, usize)> {
    if of.column.kind.is_number() {
        return tally_numbers(dataset, of);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        let mut count = |word: &str, times: usize| match counts.get_mut(word) {
            Some(known) => *known += times,
            None => drop(counts.insert(word.to_owned(), times)),
        };
        match block.words(of.column) {
            WordsOf::All(word) => {
                word.into_iter().for_each(|word| count(word, block.len()));
            }
            WordsOf::Coded(words, codes) => {
                for code in codes.iter() {
                    words
                        .get(usize::from(*code))
                        .into_iter()
                        .for_each(|word| count(word, 1));
                }
            }
            // Not to be read for a list of suggestions.
            WordsOf::Unread => {}
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(MOST_VALUES);
    counts
}

fn tally_numbers(dataset: &Dataset, field: Field) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<OrderedNumber, usize> = BTreeMap::new();
    let number = Number::Field(field);
    'blocks: for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        let values = block.number(&number, None);
        let values = values.lanes().iter().flatten();
        for value in values.filter(|value| !value.is_nan()) {
            *counts.entry(OrderedNumber::of(*value)).or_default() += 1;
            // Lengths and the like: nobody chooses among so many.
            if counts.len() > MOST_VALUES {
                break 'blocks;
            }
        }
    }
    if counts.len() > MOST_VALUES {
        return Vec::new();
    }
    counts
        .into_iter()
        .map(|(OrderedNumber(value), count)| (value.to_string(), count))
        .collect()
}

/// A number that can be put in order; not NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderedNumber(f64);

impl OrderedNumber {
    /// Zero and minus zero are one value: adding zero makes one of both.
    pub fn of(value: f64) -> Self {
        Self(value + 0.0)
    }

    /// The number itself.
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

/// Values of a label from `low` to `high`, both included but for the `high` of bins that are not
/// the last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The least value.
    pub low: f64,
    /// The end; the same as `low` where a bin is one value.
    pub high: f64,
    /// How many there are in the dataset.
    pub all: usize,
    /// How many there are in what a query shows.
    pub shown: usize,
}

/// How often a label has which value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    /// From the least value on.
    pub bins: Vec<Bin>,
}

/// Counts the values of a field in bins, over the dataset and over what a query shows (`None`:
/// everything). With [`Aggregate::Same`] it is responses that are counted: of what is shown, those that
/// the filter speaks of. `wanted` is asked every few thousand samples; `None` once it says no.
pub fn histogram(
    dataset: &Dataset,
    field: &Field,
    bins: &Bins,
    shown: Option<&QueryResult>,
    wanted: &dyn Fn() -> bool,
) -> Option<Histogram> {
    let number = Number::Field(*field);
    let (mut all, mut some) = (vec![0_usize; bins.count()], vec![0_usize; bins.count()]);
    // What is shown may be in any order.
    let mut matching = vec![
        super::ResponseSet::default();
        if shown.is_some() {
            dataset.samples()
        } else {
            0
        }
    ];
    for (&sample, &of) in shown
        .iter()
        .flat_map(|found| found.samples.iter().zip(&found.matching))
    {
        if let Some(matching) = matching.get_mut(sample as usize) {
            *matching = of;
        }
    }
    for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        if !wanted() {
            return None;
        }
        let samples = block.samples();
        let here = matching.get(samples);
        let mut count = |side: Option<usize>, values: &[f64]| {
            for (sample, &value) in values.iter().enumerate() {
                let Some(bin) = bins.of(value) else { continue };
                all[bin] += 1;
                let matching = here.and_then(|here| here.get(sample)).copied();
                let is_shown = matching.is_none_or(|matching| {
                    side.map_or(matching.count() > 0, |side| matching.has(side))
                });
                some[bin] += usize::from(is_shown);
            }
        };
        match block.number(&number, None) {
            PerResponse::Same(values) => count(None, &values),
            PerResponse::Each(lanes) => {
                let lanes = lanes.iter().enumerate();
                lanes.for_each(|(response, lane)| count(Some(response), lane));
            }
        }
    }
    let bin = |(place, (all, shown)): (usize, (usize, usize))| {
        let (low, high) = bins.ends(place);
        Bin {
            low,
            high,
            all,
            shown,
        }
    };
    Some(Histogram {
        bins: all.into_iter().zip(some).enumerate().map(bin).collect(),
    })
}

/// How values fall into bins.
#[derive(Debug, Clone, PartialEq)]
pub enum Bins {
    /// One for each of these values, which ascend; at least one.
    Values(Vec<f64>),
    /// So many (at least one) of the same width between the least and the greatest value.
    Ranges {
        /// The least value of the first.
        low: f64,
        /// The greatest value of the last.
        high: f64,
        /// How many.
        count: usize,
    },
    /// From each of these values, which ascend, to the next one; at least two. The last belongs to
    /// the bin before it.
    Borders(Vec<f64>),
}

/// Bins that a row has room for.
const MOST_BINS: usize = 11;
/// Bins where there are more values.
const RANGES: usize = 10;

impl Bins {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Ranges { count, .. } => *count,
            Self::Borders(borders) => borders.len().saturating_sub(1),
        }
    }

    /// Whether each is one value.
    pub fn are_values(&self) -> bool {
        matches!(self, Self::Values(_))
    }

    /// The bin of a value, by its place.
    pub fn of(&self, value: f64) -> Option<usize> {
        let (low, high, count) = match self {
            Self::Values(values) => return values.iter().position(|known| *known == value),
            Self::Ranges { low, high, count } => (*low, *high, *count),
            Self::Borders(borders) => {
                let behind = borders.partition_point(|border| *border <= value);
                let is_last = borders.last() == Some(&value);
                let bin = (behind - usize::from(is_last)).checked_sub(1)?;
                return (bin < self.count()).then_some(bin);
            }
        };
        if !(low..=high).contains(&value) {
            return None;
        }
        let mut place = (((value - low) / (high - low) * count as f64) as usize).min(count - 1);
        // What division leaves over must not put a value on the other side of the border that a
        // query would write.
        if value < self.ends(place).0 {
            place = place.saturating_sub(1);
        } else if place + 1 < count && value >= self.ends(place).1 {
            place += 1;
        }
        Some(place)
    }

    /// The least and the greatest value of a bin; of one that is a value, that twice.
    pub fn ends(&self, place: usize) -> (f64, f64) {
        let (low, high, count) = match self {
            Self::Values(values) => {
                let value = values.get(place).copied().unwrap_or(f64::NAN);
                return (value, value);
            }
            Self::Ranges { low, high, count } => (*low, *high, *count),
            Self::Borders(borders) => {
                let border = |place| borders.get(place).copied().unwrap_or(f64::NAN);
                return (border(place), border(place + 1));
            }
        };
        let width = (high - low) / count as f64;
        // Decimal numbers, as files have them: -0.4 and not -0.3999999999999999.
        let digits = (6.0 - width.log10().floor()).clamp(0.0, 17.0) as usize;
        let border = |place: usize| {
            let border = low + width * place as f64;
            format!("{border:.digits$}").parse().unwrap_or(border)
        };
        // Exact at both ends, whatever the width is.
        let end = |place: usize| match place {
            0 => low,
            last if last == count => high,
            between => border(between),
        };
        (end(place), end(place + 1))
    }

    /// The bins that suit a field: the values of a label with a small range; else the values that
    /// there are, where they are few; else ranges. `None` where no sample has it. `wanted` is asked
    /// every few thousand samples; what comes of it once it says no is of no use.
    pub fn for_field(dataset: &Dataset, field: &Field, wanted: &dyn Fn() -> bool) -> Option<Self> {
        if let Some(bins) = Self::for_label(dataset, field) {
            return Some(bins);
        }
        let number = Number::Field(*field);
        let mut values: Vec<OrderedNumber> = Vec::new();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
            if !wanted() {
                return None;
            }
            let lanes = block.number(&number, None);
            let values_there = lanes.lanes().iter().flatten();
            for &value in values_there.filter(|value| !value.is_nan()) {
                (low, high) = (low.min(value), high.max(value));
                let value = OrderedNumber::of(value);
                if values.len() <= MOST_BINS
                    && let Err(place) = values.binary_search(&value)
                {
                    values.insert(place, value);
                }
            }
        }
        let few = values.iter().map(|value| value.value()).collect();
        Self::for_values(field, few, [low, high])
    }

    /// The values that a label with a small range can have; `None` of every other field.
    fn for_label(dataset: &Dataset, field: &Field) -> Option<Self> {
        let [low, high] = small_range(dataset, field.column)?;
        let width = high - low;
        let (least, steps) = match field.view {
            Aggregate::Gap => (0.0, width),
            Aggregate::Margin => (-width, 2.0 * width),
            _ => (low, width),
        };
        let steps = 0..=steps as usize;
        let values = steps.map(|step| least + step as f64);
        Some(Self::Values(values.collect()))
    }

    /// The bins that suit a field with these different values, which ascend.
    pub fn of_values(dataset: &Dataset, field: &Field, values: &[f64]) -> Option<Self> {
        let (first, last) = (values.first()?, values.last()?);
        let few = values.iter().copied().take(MOST_BINS + 1).collect();
        Self::for_label(dataset, field).or_else(|| Self::for_values(field, few, [*first, *last]))
    }

    /// The bins of a field with these values, or more than there is room for, between two ends.
    fn for_values(field: &Field, values: Vec<f64>, [low, high]: [f64; 2]) -> Option<Self> {
        match values.len() {
            0 => None,
            1..=MOST_BINS => Some(Self::Values(values)),
            // Nothing bounds what is counted: most are small, and a few are very large. Only of a
            // margin of scores there can be so many values within a few units.
            _ if field.column.kind == ColumnKind::Count
                && low >= 0.0
                && high >= MOST_BINS as f64 =>
            {
                Some(Self::widening(low, high))
            }
            _ => Some(Self::Ranges {
                low,
                high,
                count: RANGES,
            }),
        }
    }

    /// Ranges that widen, over what is between these values, neither of which is negative: from 1,
    /// 2 or 5 times a power of ten to the next, the first of 10 from 0.
    fn widening(low: f64, high: f64) -> Self {
        let (mut borders, mut power) = (Vec::new(), 10_f64.powf(high.max(1.0).log10().ceil()));
        'powers: loop {
            for times in [10.0, 5.0, 2.0] {
                let border = times * power / 10.0;
                // What is above the border that all are below is of no use.
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

/// A label's range, over all schemas that have it, where there are few whole numbers in it.
fn small_range(dataset: &Dataset, id: ColumnId) -> Option<[f64; 2]> {
    let columns = dataset
        .files()
        .iter()
        .flat_map(|file| file.schema.columns());
    let joined = dataset.joined().iter().flat_map(|file| &file.columns);
    let columns = columns.chain(joined).filter(|column| column.id == id);
    let of_label = |column: &Column| column.range.filter(|_| column.kind == ColumnKind::Label);
    let ranges = columns.map(of_label).collect::<Option<Vec<_>>>()?;
    let [low, high] = ranges
        .into_iter()
        .reduce(|one, other| [one[0].min(other[0]), one[1].max(other[1])])?;
    (high - low < MOST_BINS as f64).then_some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_of_scores_has_bins_below_one() {
        let field = Field::of(ColumnId::MARGIN);
        let values: Vec<_> = (1..=45).map(|at| f64::from(at) / 50.0).collect();
        let bins = Bins::for_values(&field, values.clone(), [0.02, 0.9]);
        let expected = Bins::Ranges {
            low: 0.02,
            high: 0.9,
            count: RANGES,
        };
        assert_eq!(bins, Some(expected));
        let widens = Bins::for_values(&field, values, [0.02, 400.0]);
        assert!(matches!(widens, Some(Bins::Borders(_))));
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
