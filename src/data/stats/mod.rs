//! Statistics of agreement from counts and pairs, each with the reason if it is undefined, and
//! random numbers for them.
//!
//! Everything is a pure function in f64, summed in the given order, with operations that IEEE 754
//! rounds in one way only: the same input gives the same result on any machine. The exception is
//! Fisher's z, which uses the platform's logarithm and exponential.
//!
//! - [`kappa`] of a [`Confusion`]: two raters, one label.
//! - [`RatingLists`]: kappa, alpha and equal values of any number of raters, named or anonymous,
//!   with missing ratings.
//! - [`CodedValues`] and [`Distribution`]: mean, standard deviation and quantiles of a column.
//! - [`correlation()`]: Pearson's r and Spearman's rho of two columns.
//! - [`wilson`](interval::wilson): interval of a share of independent items.
//! - [`ClusteredShare`]: a share of dependent items, such as the comparisons of one prompt, and its
//!   ratio to another one, with intervals.
//! - [`ClusteredCounts`]: any statistic of clustered items, such as the two responses of a sample,
//!   with its interval.
//! - [`Figure`]: a statistic with its interval.
//! - [`SeededRng`]: the only random number generator, never to change.
//!
//! Results are checked against scikit-learn, krippendorff, statsmodels and numpy; see
//! `tests/reference.py`.

mod alpha;
mod coded_values;
mod confusion;
mod correlation;
mod distribution;
mod figure;
mod interval;
mod rating_lists;
mod seeded_rng;
mod undefined;

#[cfg(test)]
mod tests;

pub use alpha::MeasurementLevel;
pub use coded_values::{CodedValues, ValueCoder};
pub use confusion::{Confusion, Weights, kappa};
pub use correlation::{Correlation, correlation};
pub use distribution::Distribution;
pub use figure::Figure;
pub use interval::{ClusteredCounts, ClusteredShare, FEWEST_CLUSTERS, Interval, Scale};
pub use rating_lists::{RatingFigures, RatingLists};
pub use seeded_rng::SeededRng;
pub use undefined::Undefined;
