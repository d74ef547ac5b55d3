//! What values there are: of one sample, of all, and of what a query shows.

use std::collections::BTreeMap;

use super::block::Block;
use super::facts::{WordsOf, verdict_word};
use super::lanes::Lanes;
use super::{Found, QUICK_BLOCK};
use crate::dataset::Dataset;
use crate::query::ast::{Category, Field, Name, Number, View};
use crate::query::complete::Asked;

/// A value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word, as in the file (not sanitised).
    Word(String),
}

/// What a sample has of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A value of the sample; `None` where it is missing.
    One(Option<Value>),
    /// A value of A and one of B.
    Sides([Option<Value>; 2]),
}

/// What a sample has of a field; nothing for a sample that is not there.
pub fn cell(dataset: &Dataset, of: &Asked, sample: usize) -> Cell {
    let Some(block) = Block::of(dataset, sample) else { return Cell::One(None) };
    match of {
        Asked::Category(category) => {
            Cell::One(block.owned_words(category).into_iter().next().flatten().map(Value::Word))
        }
        Asked::Number(field) => {
            let value = |lane: &[f64]| lane.first().copied().filter(|value| !value.is_nan()).map(Value::Number);
            match block.number(&Number::Field(field.clone()), None) {
                Lanes::Same(values) => Cell::One(value(&values)),
                Lanes::Each([a, b]) => Cell::Sides([value(&a), value(&b)]),
            }
        }
    }
}

/// Different values that are told at most.
const MOST_VALUES: usize = 200;

/// The values of a field with how often they come: numbers in ascending order, counted over responses where they are of
/// responses; words, the most frequent first. Of facts with too many different words, and of numbers, at most 200.
pub fn tally(dataset: &Dataset, of: &Asked) -> Vec<(String, usize)> {
    match of {
        Asked::Number(field) => tally_numbers(dataset, field),
        Asked::Category(category) => {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for block in Block::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
                let mut count = |word: &str, times: usize| match counts.get_mut(word) {
                    Some(known) => *known += times,
                    None => drop(counts.insert(word.to_owned(), times)),
                };
                if *category == Category::Verdict {
                    block.verdicts().into_iter().flatten().for_each(|verdict| count(verdict_word(verdict), 1));
                    continue;
                }
                match block.words(category) {
                    WordsOf::All(word) => word.into_iter().for_each(|word| count(word, block.len())),
                    WordsOf::Coded(words, codes) => {
                        for code in codes {
                            words.get(usize::from(*code)).into_iter().for_each(|word| count(word, 1));
                        }
                    }
                    // Not to be read for a list of suggestions.
                    WordsOf::Unread(_) => {}
                }
            }
            let mut counts: Vec<_> = counts.into_iter().collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            counts.truncate(MOST_VALUES);
            counts
        }
    }
}

fn tally_numbers(dataset: &Dataset, field: &Field) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<Ordered, usize> = BTreeMap::new();
    let number = Number::Field(field.clone());
    'blocks: for block in Block::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        let lanes = match block.number(&number, None) {
            Lanes::Same(values) => vec![values],
            Lanes::Each(values) => values.to_vec(),
        };
        for value in lanes.into_iter().flatten().filter(|value| !value.is_nan()) {
            *counts.entry(Ordered(value)).or_default() += 1;
            // Lengths and the like: nobody chooses among so many.
            if counts.len() > MOST_VALUES {
                break 'blocks;
            }
        }
    }
    if counts.len() > MOST_VALUES {
        return Vec::new();
    }
    counts.into_iter().map(|(Ordered(value), count)| (value.to_string(), count)).collect()
}

/// A number that is not NaN.
#[derive(PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Values of a label from `low` to `high`, both included but for the `high` of bins that are not the last.
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

/// Counts the values of a label, from `low` to `high` in so many bins, over the dataset and over what a query shows (`None`:
/// everything). `whole` says that a bin is one whole number. With [`View::One`] it is responses that are counted: of what is
/// shown, those that the filter speaks of.
pub fn histogram(dataset: &Dataset, field: &Field, bins: &Bins, shown: Option<&Found>) -> Histogram {
    let number = Number::Field(field.clone());
    let (mut all, mut some) = (vec![0_usize; bins.count], vec![0_usize; bins.count]);
    // What is shown may be in any order.
    let mut sides = vec![super::Sides::default(); if shown.is_some() { dataset.samples() } else { 0 }];
    for (&sample, &of) in shown.iter().flat_map(|found| found.samples.iter().zip(&found.sides)) {
        if let Some(sides) = sides.get_mut(sample as usize) {
            *sides = of;
        }
    }
    for block in Block::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        let samples = block.samples();
        let here = sides.get(samples);
        let mut count = |side: Option<usize>, values: &[f64]| {
            for (sample, &value) in values.iter().enumerate() {
                let Some(bin) = bins.of(value) else { continue };
                all[bin] += 1;
                let sides = here.and_then(|here| here.get(sample)).copied();
                let is_shown = sides.is_none_or(|sides| side.map_or(sides.count() > 0, |side| sides.has(side)));
                some[bin] += usize::from(is_shown);
            }
        };
        match block.number(&number, None) {
            Lanes::Same(values) => count(None, &values),
            Lanes::Each([a, b]) => {
                count(Some(0), &a);
                count(Some(1), &b);
            }
        }
    }
    let bin = |(place, (all, shown)): (usize, (usize, usize))| {
        let (low, high) = bins.ends(place);
        Bin { low, high, all, shown }
    };
    Histogram { bins: all.into_iter().zip(some).enumerate().map(bin).collect() }
}

/// How values fall into bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bins {
    /// The least value of the first.
    pub low: f64,
    /// The greatest value of the last.
    pub high: f64,
    /// How many there are; at least one.
    pub count: usize,
    /// Whether each is one whole number.
    pub whole: bool,
}

impl Bins {
    /// The bin of a value, by its place.
    pub fn of(&self, value: f64) -> Option<usize> {
        if !(self.low..=self.high).contains(&value) {
            return None;
        }
        let place = if self.whole { value - self.low } else { (value - self.low) / self.width() };
        let mut place = (place as usize).min(self.count - 1);
        // What division leaves over must not put a value on the other side of the border that a query would write.
        if !self.whole && value < self.ends(place).0 {
            place = place.saturating_sub(1);
        } else if !self.whole && place + 1 < self.count && value >= self.ends(place).1 {
            place += 1;
        }
        Some(place)
    }

    /// The least and the greatest value of a bin.
    pub fn ends(&self, place: usize) -> (f64, f64) {
        if self.whole {
            return (self.low + place as f64, self.low + place as f64);
        }
        // Decimal numbers, as files have them: -0.4 and not -0.3999999999999999.
        let digits = (6.0 - self.width().log10().floor()).clamp(0.0, 17.0) as usize;
        let border = |place: usize| {
            let border = self.low + self.width() * place as f64;
            format!("{border:.digits$}").parse().unwrap_or(border)
        };
        // Exact at both ends, whatever the width is.
        let end = |place: usize| match place {
            0 => self.low,
            last if last == self.count => self.high,
            between => border(between),
        };
        (end(place), end(place + 1))
    }

    fn width(&self) -> f64 {
        (self.high - self.low) / self.count as f64
    }

    /// The bins that suit a label of this name: its whole numbers where it has a small range, else ten between the least and the
    /// greatest value; `None` where no sample has it.
    pub fn for_label(dataset: &Dataset, name: &str) -> Option<Self> {
        const SEVERAL: usize = 10;
        let ranges = dataset.files().iter().filter_map(|file| {
            let label = file.schema.labels().iter().find(|label| label.name == name)?;
            Some((label.steps(), label.range?))
        });
        if let Some((steps, [low, high])) = ranges.reduce(|one, other| {
            let range = [one.1[0].min(other.1[0]), one.1[1].max(other.1[1])];
            (one.0.max(other.0), range)
        }) {
            return Some(match steps {
                Some(_) if high - low <= SEVERAL as f64 => {
                    Self { low, high, count: (high - low) as usize + 1, whole: true }
                }
                _ => Self { low, high, count: SEVERAL, whole: false },
            });
        }
        let number = Number::Field(Field { view: View::One, name: Name::Label(name.to_owned()) });
        let (mut low, mut high, mut whole) = (f64::INFINITY, f64::NEG_INFINITY, true);
        for block in Block::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
            let lanes = block.number(&number, None);
            for &value in lanes.lane(0).iter().chain(lanes.lane(1)).filter(|value| !value.is_nan()) {
                (low, high, whole) = (low.min(value), high.max(value), whole && value.fract() == 0.0);
            }
        }
        let few = whole && high - low <= SEVERAL as f64;
        (low <= high).then(|| match few {
            true => Self { low, high, count: (high - low) as usize + 1, whole: true },
            false if low == high => Self { low, high: low + 1.0, count: 1, whole: false },
            false => Self { low, high, count: SEVERAL, whole: false },
        })
    }
}
