//! What a draw is stratified by: samples by their values, and how many each stratum gives.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::rating_form::RatingForm;
use super::sampling::{SamplingError, collect_while};
use crate::dataset::Dataset;
use crate::journal::{StratifyBy, Stratum};
use crate::parallel::KeepGoing;
use crate::query::{self, Catalog, Field, FieldCell, FieldValue, OrderedNumber, ReviewIndex};
use crate::table::ColumnSource;
use crate::text;

/// Numbers of which each is its own stratum; where there are more different ones, they are put
/// together in classes.
const MOST_NUMBERS: usize = 20;
/// Classes of numbers.
const CLASSES: usize = 5;
/// Different words; with more of them, a stratum would be a sample or two.
const MOST_WORDS: usize = 200;
/// Cells that a word takes where a stratum is named.
const MOST_CELLS: usize = 40;

/// Whether what is typed to stratify by is a field, before any sample is there.
///
/// # Errors
/// When it is none.
pub fn check_by(by: &StratifyBy, catalog: &Catalog) -> Result<(), SamplingError> {
    field(by, catalog).map(drop)
}

/// What to stratify by.
fn field(by: &StratifyBy, catalog: &Catalog) -> Result<Field, SamplingError> {
    let wrong = |message: String| SamplingError::By {
        field: by.field.clone(),
        message,
    };
    let asked = Field::named(&by.field, catalog).map_err(|error| wrong(error.message))?;
    let source = &asked.column.source;
    // Nobody could draw the same again by what is not of the data, or by what is known only once
    // something else asked for it.
    if asked.column.is_of_reviewers() {
        return Err(wrong("nothing is drawn by what reviewers said".to_owned()));
    }
    if matches!(source, ColumnSource::Findings(_)) || source.comparison().is_some() {
        let message = "nothing is drawn by what rules or comparing all samples finds";
        return Err(wrong(message.to_owned()));
    }
    Ok(asked)
}

/// The strata of a population, in the order of their values.
pub(super) struct Strata {
    /// The stratum of each sample of the population.
    of: Vec<u32>,
    /// `drawn` is what was given so far.
    strata: Vec<Stratum>,
    /// How many each gives.
    shares: Vec<u64>,
    /// How many are still to be given.
    left: u64,
}

impl Strata {
    /// One for all.
    pub(super) fn one(population: usize) -> Self {
        Self::with(vec![0; population], vec![String::new()])
    }

    /// By a field.
    pub(super) fn of(
        by: &StratifyBy,
        dataset: &Dataset,
        scales: &[RatingForm],
        population: &[u32],
        wanted: &dyn KeepGoing,
    ) -> Result<Self, SamplingError> {
        let wrong = |message: String| SamplingError::By {
            field: by.field.clone(),
            message,
        };
        let catalog = Catalog::of_dataset(dataset);
        let asked = field(by, &catalog)?;
        let too_many = || {
            wrong(format!(
                "it has too many different words; {MOST_WORDS} are the most"
            ))
        };
        // What the columns do not hold would have to be read from each row, to find the same.
        if query::has_many_words(dataset, asked.column) {
            return Err(too_many());
        }
        let cell = |&sample: &u32| match query::cell(
            dataset,
            &ReviewIndex::default(),
            asked,
            sample as usize,
        ) {
            // A single has no B that could be missing.
            FieldCell::Responses(mut values)
                if RatingForm::of_sample(scales, dataset, sample as usize)
                    .is_some_and(|of| of.1 == 1) =>
            {
                FieldCell::One(values.swap_remove(0))
            }
            cell => cell,
        };
        let cells: Vec<FieldCell> = collect_while(population.iter().map(cell), wanted)?;
        let by_class = || {
            let classes = Classes::of(cells.iter().filter_map(mean).collect());
            cells
                .iter()
                .map(|cell| mean(cell).map_or(StratumKind::Nothing, |value| classes.kind(value)))
                .collect()
        };
        let kinds: Vec<StratumKind> = if has_many_numbers(&cells) {
            by_class()
        } else {
            cells.iter().map(StratumKind::of_values).collect()
        };
        let mut places: BTreeMap<&StratumKind, u32> = kinds.iter().map(|kind| (kind, 0)).collect();
        if !asked.column.kind.is_number() && places.len() > MOST_WORDS {
            return Err(too_many());
        }
        (0..)
            .zip(places.values_mut())
            .for_each(|(number, place)| *place = number);
        let of = kinds
            .iter()
            .map(|kind| places.get(kind).copied().unwrap_or(0))
            .collect();
        Ok(Self::with(
            of,
            places.keys().map(|kind| kind.name()).collect(),
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

    /// Decides how many of `n` each gives: its share by largest remainder, or as many as any other.
    /// `n` is at most the population.
    pub(super) fn share_out(&mut self, n: usize, even: bool) {
        let sizes: Vec<u64> = self.strata.iter().map(|stratum| stratum.of).collect();
        self.shares = if even {
            even_shares(n as u64, &sizes)
        } else {
            proportional_shares(n as u64, &sizes)
        };
        self.left = n as u64;
    }

    /// Whether a sample, by its place in the population, is of a stratum that has still to give.
    pub(super) fn has_room(&self, place: usize) -> bool {
        let stratum = self.of[place] as usize;
        self.strata[stratum].drawn < self.shares[stratum]
    }

    /// Gives a sample.
    pub(super) fn give(&mut self, place: usize) {
        self.strata[self.of[place] as usize].drawn += 1;
        self.left -= 1;
    }

    /// Whether none has anything still to give.
    pub(super) fn is_all_given(&self) -> bool {
        self.left == 0
    }

    /// How it went.
    pub(super) fn told(self) -> Vec<Stratum> {
        self.strata
    }
}

/// Each stratum's share of `n`, rounded down, and one more for the largest remainders; where these
/// are the same, for the larger stratum, and then for the one before.
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

/// As many for each; what a small one cannot give, the others do. What is left over goes to the
/// larger strata, and among the same to those before.
fn even_shares(n: u64, sizes: &[u64]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&place| (sizes[place], Reverse(place)));
    let (mut shares, mut left) = (vec![0; sizes.len()], n);
    // From the smallest on: what it leaves is shared by those after it, of which each has as much
    // to give.
    for (done, &place) in order.iter().enumerate() {
        shares[place] = sizes[place].min(left / (order.len() - done) as u64);
        left -= shares[place];
    }
    shares
}

/// What samples of a stratum have in common; ordered as strata are.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum StratumKind {
    Values(Vec<StratumKey>),
    /// A class, by its place, with the least and the greatest value that is in it.
    Class(usize, StratumKey, StratumKey),
    /// A value is missing.
    Nothing,
}

/// A value that can be put in order: numbers, words, nothing.
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
            Self::Word(word) => text::one_line(word, MOST_CELLS),
            Self::Nothing => NONE.to_owned(),
        }
    }
}

/// What is missing.
const NONE: &str = "none";

impl StratumKind {
    /// The values themselves.
    fn of_values(cell: &FieldCell) -> Self {
        match cell {
            FieldCell::One(None) => Self::Nothing,
            FieldCell::Responses(values) if values.iter().all(Option::is_none) => Self::Nothing,
            FieldCell::One(value) => Self::Values(vec![StratumKey::of(value)]),
            FieldCell::Responses(values) => {
                Self::Values(values.iter().map(StratumKey::of).collect())
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Values(values) => values
                .iter()
                .map(StratumKey::name)
                .collect::<Vec<_>>()
                .join("|"),
            Self::Class(_, low, high) if low == high => low.name(),
            Self::Class(_, low, high) => format!("{}..{}", low.name(), high.name()),
            Self::Nothing => NONE.to_owned(),
        }
    }
}

fn numbers(cell: &FieldCell) -> impl Iterator<Item = f64> {
    let values = match cell {
        FieldCell::One(value) => std::slice::from_ref(value),
        FieldCell::Responses(values) => values,
    };
    values.iter().flatten().filter_map(|value| match value {
        FieldValue::Number(number) => Some(*number),
        FieldValue::Word(_) => None,
    })
}

/// The mean of a sample's numbers.
fn mean(cell: &FieldCell) -> Option<f64> {
    let (count, sum) = numbers(cell).fold((0_u32, 0.0), |(count, sum), number| {
        (count + 1, sum + number)
    });
    (count > 0).then(|| sum / f64::from(count))
}

fn has_many_numbers(cells: &[FieldCell]) -> bool {
    let mut different: Vec<f64> = Vec::with_capacity(MOST_NUMBERS + 1);
    for number in cells.iter().flat_map(numbers) {
        if !different.contains(&number) {
            different.push(number);
        }
        if different.len() > MOST_NUMBERS {
            return true;
        }
    }
    false
}

/// Numbers in classes of as equal size as equal numbers let them have.
struct Classes(Vec<[f64; 2]>);

impl Classes {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let (mut classes, mut start) = (Vec::with_capacity(CLASSES), 0);
        while start < values.len() {
            // Where what is left would be cut into classes of equal size, or rather beside the
            // equal numbers that are there.
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
        let [low, high] = self.0[class];
        StratumKind::Class(
            class,
            StratumKey::Number(OrderedNumber::of(low)),
            StratumKey::Number(OrderedNumber::of(high)),
        )
    }
}
