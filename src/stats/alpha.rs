//! Any number of raters, with gaps.

use super::undefined::{Undefined, finite};

/// What a difference between two values means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasurementLevel {
    /// Values are the same or not.
    Nominal,
    /// Values have an order; they are as far apart as there are values between them.
    Ordinal,
    /// Values are as far apart as their difference says.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "labels that can be rated are ordinal so far")
    )]
    Interval,
}

/// Krippendorff's alpha: agreement beyond chance, 1 for perfect, 0 for as much as chance would
/// give, and below for less.
///
/// A unit is one thing that was rated, with the values that it got. Who gave them does not matter,
/// and a rater who gave none is just not there; a unit with fewer than two values drops out.
///
/// One less the disagreement within units over that among all values that were in a unit with
/// another (Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*). The paper's
/// coincidence matrix is not built: the squared difference of ordinal values is that of their
/// middle ranks, which makes them interval values, and of these all that is asked for are sums of
/// squares. So it costs the number of values times its logarithm, and within a unit the square of
/// its different values, however many raters gave them.
///
/// # Errors
/// [`Undefined::Nothing`] where no unit has two values; [`Undefined::OneValue`] where all that have
/// are the same; [`Undefined::NotFinite`] where a value is no number, or too large or too near to
/// another to square the difference.
pub fn alpha(units: &[Vec<f64>], level: MeasurementLevel) -> Result<f64, Undefined> {
    let units = || units.iter().filter(|unit| unit.len() > 1);
    let mut values: Vec<f64> = units().flatten().copied().collect();
    if values.iter().any(|value| !value.is_finite()) {
        return Err(Undefined::NotFinite);
    }
    values.sort_unstable_by(f64::total_cmp);
    // By `==`, to which a zero is the same with either sign.
    let same: Vec<&[f64]> = values.chunk_by(|one, other| one == other).collect();
    match same.len() {
        0 => return Err(Undefined::Nothing),
        1 => return Err(Undefined::OneValue),
        _ => {}
    }
    let scale = AlphaScale::of(level, &same);
    let within: f64 = units().map(|unit| scale.within(unit)).sum();
    let count = values.len() as f64;
    let among = scale.among(&same, count);
    if among > 0.0 {
        finite(1.0 - (count - 1.0) * within / among)
    } else {
        Err(Undefined::NotFinite)
    }
}

/// Where values stand, so that the square of their distance is their difference.
enum AlphaScale {
    /// Any two different ones are 1 apart.
    Apart,
    /// Where they are.
    AsTheyAre,
    /// Each different value, from the lowest, with the number of lower ones and half of its own.
    Ranks(Vec<(f64, f64)>),
}

impl AlphaScale {
    /// The scale of a level, by all values, those that are the same together.
    fn of(level: MeasurementLevel, same: &[&[f64]]) -> Self {
        match level {
            MeasurementLevel::Nominal => Self::Apart,
            MeasurementLevel::Interval => Self::AsTheyAre,
            MeasurementLevel::Ordinal => {
                let mut below = 0.0;
                let ranks = same.iter().map(|same| {
                    let (rank, count) = (below, same.len() as f64);
                    below += count;
                    (same[0], rank + count / 2.0)
                });
                Self::Ranks(ranks.collect())
            }
        }
    }

    fn place(&self, value: f64) -> f64 {
        let Self::Ranks(ranks) = self else {
            return value;
        };
        let at = ranks.partition_point(|(other, _)| *other < value);
        ranks.get(at).map_or(f64::NAN, |(_, rank)| *rank)
    }

    fn apart(&self, one: f64, other: f64) -> f64 {
        match self {
            Self::Apart => f64::from(u8::from(one != other)),
            Self::AsTheyAre | Self::Ranks(_) => (one - other) * (one - other),
        }
    }

    /// The squared differences of all ordered pairs of a unit's values, over the number of values
    /// that each has beside it.
    fn within(&self, unit: &[f64]) -> f64 {
        let mut places: Vec<f64> = unit.iter().map(|&value| self.place(value)).collect();
        places.sort_unstable_by(f64::total_cmp);
        let same = places.chunk_by(|one, other| one == other);
        let counts: Vec<(f64, f64)> = same.map(|same| (same[0], same.len() as f64)).collect();
        let pairs = (1..counts.len()).flat_map(|at| counts[..at].iter().map(move |one| (*one, at)));
        let apart = |((one, times), at): ((f64, f64), usize)| {
            times * counts[at].1 * self.apart(one, counts[at].0)
        };
        2.0 * pairs.map(apart).sum::<f64>() / (unit.len() - 1) as f64
    }

    /// The squared differences of all ordered pairs of values, those that are the same together, of
    /// which there are so many in all.
    fn among(&self, same: &[&[f64]], count: f64) -> f64 {
        let each = || {
            same.iter()
                .map(|same| (self.place(same[0]), same.len() as f64))
        };
        if matches!(self, Self::Apart) {
            return count * count - each().map(|(_, same)| same * same).sum::<f64>();
        }
        let mean = each().map(|(place, same)| place * same).sum::<f64>() / count;
        2.0 * count
            * each()
                .map(|(place, same)| same * (place - mean) * (place - mean))
                .sum::<f64>()
    }
}
