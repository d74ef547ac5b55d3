//! Counts of distinct values, with their mean, spread and quantiles.

use super::figure::Figure;
use super::undefined::{Undefined, finite};

/// Distinct values with their counts. Sums run over the values in ascending order, so that they do
/// not depend on the order of the data; sums of whole numbers are exact up to 2^53.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distribution {
    /// Ascending, finite.
    values: Vec<f64>,
    counts: Vec<u64>,
}

impl Distribution {
    /// Takes values in ascending order, with their counts.
    pub fn new(values: Vec<f64>, counts: Vec<u64>) -> Self {
        debug_assert_eq!(values.len(), counts.len());
        Self { values, counts }
    }

    /// Iterates the values with a count above 0, ascending.
    pub fn each(&self) -> impl DoubleEndedIterator<Item = (f64, u64)> + Clone {
        let all = self.values.iter().copied().zip(self.counts.iter().copied());
        all.filter(|(_, count)| *count > 0)
    }

    /// Returns the number of values, including repeats.
    pub fn n(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Counts the values that pass a test.
    pub fn count(&self, is_meant: impl Fn(f64) -> bool) -> u64 {
        let meant = self.each().filter(|(value, _)| is_meant(*value));
        meant.map(|(_, count)| count).sum()
    }

    /// Returns the share of values that pass a test, 0 to 1.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] without values.
    pub fn share(&self, is_meant: impl Fn(f64) -> bool) -> Result<f64, Undefined> {
        Figure::share(self.count(is_meant), self.n()).value
    }

    /// Returns the sum of the values, in their unit.
    pub fn sum(&self) -> f64 {
        self.each().map(|(value, count)| value * count as f64).sum()
    }

    /// Returns the arithmetic mean, in the values' unit.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] without values; [`Undefined::NotFinite`] if the sum overflows.
    pub fn mean(&self) -> Result<f64, Undefined> {
        let (least, greatest) = (self.least()?, self.greatest()?);
        // Rounding must not move the mean out of the range of the values.
        Ok(finite(self.sum() / self.n() as f64)?.clamp(least, greatest))
    }

    /// Returns the sample standard deviation, in the values' unit: the root of the sum of squared
    /// deviations over `n − 1` (Bessel's correction, like pandas and SQL's `stddev_samp`).
    ///
    /// # Errors
    /// Those of [`Self::mean`]; [`Undefined::TooFew`] for a single value.
    pub fn sd(&self) -> Result<f64, Undefined> {
        let (squares, n) = (self.squares()?, self.n());
        if n < 2 {
            return Err(Undefined::TooFew {
                have: n as usize,
                need: 2,
            });
        }
        finite((squares / (n - 1) as f64).sqrt())
    }

    /// Returns the population standard deviation, in the values' unit: divides by `n` (like numpy).
    ///
    /// # Errors
    /// Those of [`Self::mean`].
    pub fn population_sd(&self) -> Result<f64, Undefined> {
        finite((self.squares()? / self.n() as f64).sqrt())
    }

    /// Sums the squared deviations from the mean.
    fn squares(&self) -> Result<f64, Undefined> {
        let mean = self.mean()?;
        let each = self.each();
        Ok(each
            .map(|(value, count)| count as f64 * (value - mean) * (value - mean))
            .sum())
    }

    /// Returns the quantile of a share (0 to 1; 0.5 is the median), interpolated linearly between
    /// the two nearest values (Hyndman and Fan 1996, definition 7; the default of numpy and pandas,
    /// DuckDB's `quantile_cont`).
    ///
    /// # Errors
    /// [`Undefined::Nothing`] without values.
    pub fn quantile(&self, share: f64) -> Result<f64, Undefined> {
        let last = self.n().checked_sub(1).ok_or(Undefined::Nothing)?;
        let place = last as f64 * share.clamp(0.0, 1.0);
        let (below, above) = (self.at(place as u64), self.at(place as u64 + 1));
        let below = below.ok_or(Undefined::Nothing)?;
        Ok(below + (above.unwrap_or(below) - below) * place.fract())
    }

    /// Returns the minimum.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] without values.
    pub fn least(&self) -> Result<f64, Undefined> {
        let least = self.each().next();
        least.map(|(value, _)| value).ok_or(Undefined::Nothing)
    }

    /// Returns the maximum.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] without values.
    pub fn greatest(&self) -> Result<f64, Undefined> {
        let greatest = self.each().next_back();
        greatest.map(|(value, _)| value).ok_or(Undefined::Nothing)
    }

    /// Returns the distribution without one value.
    #[must_use]
    pub fn without(&self, value: f64) -> Self {
        let others = self.each().filter(|(other, _)| *other != value);
        let (values, counts) = others.unzip();
        Self { values, counts }
    }

    /// Returns the distribution of absolute values.
    #[must_use]
    pub fn absolute(&self) -> Self {
        let negative = self.each().take_while(|(value, _)| *value < 0.0);
        let mut sizes: Vec<(f64, u64)> = negative.map(|(value, count)| (-value, count)).collect();
        sizes.extend(self.each().filter(|(value, _)| *value >= 0.0));
        sizes.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let equal = sizes.chunk_by(|(one, _), (other, _)| one == other);
        let equal = equal.map(|equal| {
            (
                equal[0].0,
                equal.iter().map(|(_, count)| count).sum::<u64>(),
            )
        });
        let (values, counts) = equal.unzip();
        Self { values, counts }
    }

    /// Returns the value at an index in ascending order, from 0.
    fn at(&self, place: u64) -> Option<f64> {
        let mut counted = 0;
        let found = self.each().find(|(_, count)| {
            counted += count;
            counted > place
        });
        found.map(|(value, _)| value)
    }
}
