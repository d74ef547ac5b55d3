//! Krippendorff's alpha: any number of raters, missing ratings allowed.

use super::undefined::{Undefined, finite};

/// How differences between values are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasurementLevel {
    /// Values are equal or different.
    Nominal,
    /// Values are ordered; their distance is the number of ratings between them.
    Ordinal,
    /// Values are numbers; their distance is their difference.
    Interval,
}

impl MeasurementLevel {
    /// Returns the level of votes: with two responses they form a scale from B over a tie to A.
    pub const fn of_votes(responses: usize) -> Self {
        match responses {
            ..=2 => Self::Ordinal,
            _ => Self::Nominal,
        }
    }
}

/// Krippendorff's alpha: agreement beyond chance, 1 if perfect, 0 at chance level, negative below.
///
/// A unit is one rated item with its values. It does not matter which rater gave which value, and
/// missing ratings need no placeholder.
///
/// Alpha is 1 minus the disagreement within units over the disagreement among all paired values
/// (Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*). The paper's coincidence
/// matrix is not built: the squared difference of ordinal values is that of their mid-ranks, which
/// makes them interval values, and those need only sums of squares. So a unit costs the square of
/// its number of different values, however many raters gave them.
#[derive(Debug)]
pub(super) struct AlphaTable {
    /// The distinct values, ascending.
    values: Vec<f64>,
    /// For each distinct list: indices into `values`, with their counts.
    lists: Vec<Vec<(usize, f64)>>,
}

impl AlphaTable {
    /// Builds the table from lists of two or more values, each ascending.
    pub(super) fn new(lists: &[Vec<f64>]) -> Self {
        let mut values: Vec<f64> = lists.iter().flatten().copied().collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let of_list = |list: &Vec<f64>| {
            let same = list.chunk_by(|one, other| one == other);
            let place = |value: f64| values.partition_point(|other| *other < value);
            same.map(|same| (place(same[0]), same.len() as f64))
                .collect()
        };
        Self {
            lists: lists.iter().map(of_list).collect(),
            values,
        }
    }

    /// Computes alpha; `times` is how often each list occurs.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] without a unit; [`Undefined::OneValue`] if all values are the same;
    /// [`Undefined::NotFinite`] if a value is not finite, or a squared difference over- or
    /// underflows.
    pub(super) fn alpha(&self, times: &[u64], level: MeasurementLevel) -> Result<f64, Undefined> {
        if self.values.iter().any(|value| !value.is_finite()) {
            return Err(Undefined::NotFinite);
        }
        let mut margins = vec![0.0; self.values.len()];
        for (list, &times) in self.lists.iter().zip(times) {
            list.iter()
                .for_each(|(place, count)| margins[*place] += times as f64 * count);
        }
        match margins.iter().filter(|margin| **margin > 0.0).count() {
            0 => return Err(Undefined::Nothing),
            1 => return Err(Undefined::OneValue),
            _ => {}
        }
        let mut below = 0.0;
        let place = |(value, margin): (&f64, &f64)| match level {
            MeasurementLevel::Nominal | MeasurementLevel::Interval => *value,
            MeasurementLevel::Ordinal => {
                let rank = below;
                below += margin;
                rank + margin / 2.0
            }
        };
        let places: Vec<f64> = self.values.iter().zip(&margins).map(place).collect();
        let within = self
            .lists
            .iter()
            .zip(times)
            .filter(|(_, times)| **times > 0);
        let within = within.map(|(list, &times)| times as f64 * within_unit(list, &places, level));
        let (within, count) = (within.sum::<f64>(), margins.iter().sum::<f64>());
        let among = among(&places, &margins, level);
        if among > 0.0 {
            finite(1.0 - (count - 1.0) * within / among)
        } else {
            Err(Undefined::NotFinite)
        }
    }
}

/// Sums the squared differences of all ordered pairs of a unit's values, divided by its number of
/// values minus 1.
fn within_unit(unit: &[(usize, f64)], places: &[f64], level: MeasurementLevel) -> f64 {
    let apart = |one: usize, other: usize| match level {
        MeasurementLevel::Nominal => 1.0,
        _ => (places[one] - places[other]) * (places[one] - places[other]),
    };
    let mut sum = 0.0;
    for (at, (other, count)) in unit.iter().enumerate() {
        let before = unit[..at].iter();
        sum += before
            .map(|(one, times)| times * count * apart(*one, *other))
            .sum::<f64>();
    }
    2.0 * sum / (unit.iter().map(|(_, count)| count).sum::<f64>() - 1.0)
}

/// Sums the squared differences of all ordered pairs of values.
fn among(places: &[f64], margins: &[f64], level: MeasurementLevel) -> f64 {
    let count = margins.iter().sum::<f64>();
    if level == MeasurementLevel::Nominal {
        return count * count - margins.iter().map(|margin| margin * margin).sum::<f64>();
    }
    let each = || places.iter().zip(margins);
    let mean = each().map(|(place, margin)| place * margin).sum::<f64>() / count;
    let squares = each().map(|(place, margin)| margin * (place - mean) * (place - mean));
    2.0 * count * squares.sum::<f64>()
}
