//! Stratification: groups samples by the values of a field and allots the draw to the strata.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::rating_form::RatingForm;
use super::sampling::{SamplingError, until_cancelled};
use crate::dataset::Dataset;
use crate::journal::{StratifyBy, Stratum};
use crate::parallel::KeepGoing;
use crate::query::{self, Catalog, Field, FieldCell, FieldValue, OrderedNumber, ReviewIndex};
use crate::stats::CodedValues;
use crate::table::ColumnSource;
use crate::text;

/// Maximum number of distinct numbers with one stratum each; more are grouped into classes.
const MAX_NUMBERS: usize = 20;
/// Number of classes of numbers.
const CLASSES: usize = 5;
/// Maximum number of distinct words; with more, strata would have only a sample or two.
const MAX_WORDS: usize = 200;
/// Maximum width of a word in the name of a stratum, in cells.
const MAX_CELLS: usize = 40;

/// Checks the stratification field before samples are available.
///
/// # Errors
/// If it is not a field, or not one to stratify by.
pub fn check_by(by: &StratifyBy, catalog: &Catalog) -> Result<(), SamplingError> {
    field(by, catalog).map(drop)
}

/// Returns the error about a field that cannot stratify.
fn unusable(by: &StratifyBy, message: String) -> SamplingError {
    let field = by.field.clone();
    SamplingError::By { field, message }
}

/// Returns the stratification field.
fn field(by: &StratifyBy, catalog: &Catalog) -> Result<Field, SamplingError> {
    let wrong = |message: &str| unusable(by, message.to_owned());
    let asked = Field::named(&by.field, catalog).map_err(|error| unusable(by, error.message))?;
    let source = &asked.column.source;
    // A draw must be reproducible from the data alone, independent of reviews and of values that
    // are computed only on request.
    if asked.column.is_of_reviewers() {
        return Err(wrong("cannot stratify by reviews"));
    }
    if matches!(source, ColumnSource::Findings(_)) || source.comparison().is_some() {
        return Err(wrong(
            "cannot stratify by findings or by comparisons of samples",
        ));
    }
    Ok(asked)
}

/// The strata of a population, ordered by value.
pub(super) struct Strata {
    /// Index of the stratum of each sample of the population.
    of: Vec<u32>,
    /// The strata; `drawn` counts the samples taken so far.
    pub(super) strata: Vec<Stratum>,
    /// Number of samples to take from each.
    shares: Vec<u64>,
    /// Number of samples still to take.
    left: u64,
}

impl Strata {
    /// Returns a single stratum.
    pub(super) fn single(population: usize) -> Self {
        Self::with(vec![0; population], vec![String::new()])
    }

    /// Groups a population by a field.
    pub(super) fn of(
        by: &StratifyBy,
        dataset: &Dataset,
        scales: &[RatingForm],
        population: &[u32],
        keep_going: &dyn KeepGoing,
    ) -> Result<Self, SamplingError> {
        let catalog = Catalog::of_dataset(dataset);
        let asked = field(by, &catalog)?;
        let message = format!("too many distinct words; the maximum is {MAX_WORDS}");
        let too_many = || unusable(by, message.clone());
        // Columns do not store too many distinct words; reading all rows would only confirm that.
        if query::has_many_words(dataset, asked.column) {
            return Err(too_many());
        }
        let cell = |&sample: &u32| match query::cell(
            dataset,
            &ReviewIndex::default(),
            asked,
            sample as usize,
        ) {
            // A single has no response B, which would count as missing.
            FieldCell::Responses(mut values)
                if RatingForm::of_sample(scales, dataset, sample as usize)
                    .is_some_and(|of| of.1 == 1) =>
            {
                FieldCell::One(values.swap_remove(0))
            }
            cell => cell,
        };
        let cells: Vec<_> = until_cancelled(population.iter().map(cell), keep_going).collect();
        let all: Vec<f64> = cells.iter().flat_map(numbers).collect();
        let kinds: Vec<StratumKind> = if CodedValues::of(&all).values().len() > MAX_NUMBERS {
            let classes = Classes::of(cells.iter().filter_map(mean).collect());
            let kind = |cell| mean(cell).map_or(StratumKind::Nothing, |value| classes.kind(value));
            cells.iter().map(kind).collect()
        } else {
            cells.iter().map(StratumKind::of_values).collect()
        };
        let distinct: BTreeSet<&StratumKind> = kinds.iter().collect();
        if !asked.column.kind.is_number() && distinct.len() > MAX_WORDS {
            return Err(too_many());
        }
        let places: BTreeMap<_, _> = distinct.iter().zip(0..).collect();
        Ok(Self::with(
            kinds.iter().map(|kind| places[&kind]).collect(),
            distinct.iter().map(|kind| kind.name()).collect(),
        ))
    }

    fn with(of: Vec<u32>, names: Vec<String>) -> Self {
        let mut strata: Vec<_> = names
            .into_iter()
            .map(|value| Stratum {
                value,
                of: 0,
                drawn: 0,
            })
            .collect();
        of.iter()
            .for_each(|&stratum| strata[stratum as usize].of += 1);
        Self {
            of,
            shares: vec![0; strata.len()],
            left: 0,
            strata,
        }
    }

    /// Allots `n` samples to the strata: by their share (largest remainder), or evenly. `n` is at
    /// most the population.
    pub(super) fn allot(&mut self, n: usize, even: bool) {
        let sizes: Vec<u64> = self.strata.iter().map(|stratum| stratum.of).collect();
        self.shares = if even {
            even_shares(n as u64, &sizes)
        } else {
            proportional_shares(n as u64, &sizes)
        };
        self.left = n as u64;
    }

    /// True if the stratum of the sample at this index has samples left to take.
    pub(super) fn has_room(&self, place: usize) -> bool {
        let stratum = self.of[place] as usize;
        self.strata[stratum].drawn < self.shares[stratum]
    }

    /// Counts the sample at this index as taken.
    pub(super) fn take(&mut self, place: usize) {
        self.strata[self.of[place] as usize].drawn += 1;
        self.left -= 1;
    }

    /// True if all samples are taken.
    pub(super) fn is_complete(&self) -> bool {
        self.left == 0
    }
}

/// Returns each stratum's share of `n`, rounded down, plus one for the largest remainders. Equal
/// remainders favour the larger stratum, then the earlier one.
fn proportional_shares(n: u64, sizes: &[u64]) -> Vec<u64> {
    let all = u128::from(sizes.iter().sum::<u64>().max(1));
    let exact = |size: u64| u128::from(n) * u128::from(size);
    let mut shares: Vec<u64> = sizes
        .iter()
        .map(|&size| (exact(size) / all) as u64)
        .collect();
    let left = n - shares.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&place| Reverse((exact(sizes[place]) % all, sizes[place])));
    order
        .iter()
        .take(left as usize)
        .for_each(|&place| shares[place] += 1);
    shares
}

/// Returns equal numbers for all strata; what small ones cannot supply, the others do. The rest
/// goes to the larger strata, then to the earlier ones.
fn even_shares(n: u64, sizes: &[u64]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&place| (sizes[place], Reverse(place)));
    let (mut shares, mut left) = (vec![0; sizes.len()], n);
    // From the smallest on, so that what it cannot supply is shared by the larger ones after it.
    for (done, &place) in order.iter().enumerate() {
        shares[place] = sizes[place].min(left / (order.len() - done) as u64);
        left -= shares[place];
    }
    shares
}

/// The common value of a stratum; ordered as strata are.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum StratumKind {
    Values(Vec<StratumKey>),
    /// A class of numbers: its index, minimum and maximum.
    Class(usize, [OrderedNumber; 2]),
    /// The value is missing.
    Nothing,
}

/// A value with an order: numbers, then words, then missing values.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
enum StratumKey {
    Number(OrderedNumber),
    Word(String),
    Nothing,
}

impl StratumKey {
    fn of(value: &Option<FieldValue>) -> Self {
        match value {
            Some(FieldValue::Number(number)) => Self::Number(OrderedNumber::of(*number)),
            Some(FieldValue::Word(word)) => Self::Word(word.clone()),
            None => Self::Nothing,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Number(number) => number.value().to_string(),
            Self::Word(word) => text::one_line(word, MAX_CELLS),
            Self::Nothing => NONE.to_owned(),
        }
    }
}

/// Name of missing values.
const NONE: &str = "none";

impl StratumKind {
    /// Returns the values of a sample.
    fn of_values(cell: &FieldCell) -> Self {
        match cell.values() {
            values if values.iter().all(Option::is_none) => Self::Nothing,
            values => Self::Values(values.iter().map(StratumKey::of).collect()),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Values(values) => values
                .iter()
                .map(StratumKey::name)
                .collect::<Vec<_>>()
                .join("|"),
            Self::Class(_, [low, high]) if low == high => low.value().to_string(),
            Self::Class(_, [low, high]) => format!("{}..{}", low.value(), high.value()),
            Self::Nothing => NONE.to_owned(),
        }
    }
}

fn numbers(cell: &FieldCell) -> impl Iterator<Item = f64> {
    let values = cell.values().iter().flatten();
    values.filter_map(FieldValue::number)
}

/// Returns the mean of a sample's numbers.
fn mean(cell: &FieldCell) -> Option<f64> {
    let count = numbers(cell).count();
    (count > 0).then(|| numbers(cell).sum::<f64>() / count as f64)
}

/// Ranges of numbers with about the same number of samples; equal numbers stay together.
struct Classes(Vec<[f64; 2]>);

impl Classes {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let (mut classes, mut start) = (Vec::with_capacity(CLASSES), 0);
        while start < values.len() {
            // The end for equal sizes, moved to the nearer boundary of a run of equal numbers.
            let target =
                start + (values.len() - start) / (CLASSES - classes.len().min(CLASSES - 1));
            let end = match values.get(target) {
                None => values.len(),
                Some(&value) => {
                    let low = values.partition_point(|other| *other < value);
                    let high = values.partition_point(|other| *other <= value);
                    if low > start && target - low <= high - target {
                        low
                    } else {
                        high
                    }
                }
            };
            classes.push([values[start], values[end - 1]]);
            start = end;
        }
        Self(classes)
    }

    fn kind(&self, value: f64) -> StratumKind {
        let class = self
            .0
            .partition_point(|[_, high]| *high < value)
            .min(self.0.len() - 1);
        StratumKind::Class(class, self.0[class].map(OrderedNumber::of))
    }
}
