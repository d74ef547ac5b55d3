//! The numbers of agreement: figures from counts and pairs, each with the reason where there is
//! none, and what chance they rest on.
//!
//! Everything is a pure function of numbers, in f64, summed in the order given, with operations
//! that IEEE 754 rounds in one way only: the same input gives the same figure on any machine. The
//! logistic regression alone takes exponentials and logarithms, which are the platform's.
//!
//! - [`kappa`] of a [`Confusion`]: two raters, one label.
//! - [`PairTally`]: the same for each two of many raters, in a few sums a pair.
//! - [`alpha()`]: any number of raters, with gaps.
//! - [`PooledPairs`]: raters whom nothing tells apart from thing to thing.
//! - [`CodedValues`] and [`Distribution`]: mean, standard deviation and quantiles of a column.
//! - [`correlation()`]: how far two columns go together.
//! - [`wilson`]: how sure a share is, of things that are independent of each other.
//! - [`ratio_of_shares`]: how many times as great one share is as another, and how sure that is.
//! - [`kappa_interval`], [`interval_of`], [`bootstrap`](interval::bootstrap): how sure any figure is, of things that
//!   hang together in clusters, as the two responses of a sample do.
//! - [`PairDifferences`]: logistic regression of who wins on what differs.
//! - [`SeededRng`]: the one source of chance, pinned for ever.
//!
//! Figures are checked against scikit-learn, krippendorff, statsmodels and numpy:
//! `tests/reference.py` says how.

mod alpha;
mod coded_values;
mod confusion;
mod correlation;
mod distribution;
mod interval;
mod logistic;
mod pooled;
mod seeded_rng;
mod tally;
mod undefined;

#[cfg(test)]
mod tests;

pub use alpha::{MeasurementLevel, alpha};
pub use coded_values::{CodedValues, ValueCoder};
pub use confusion::{Confusion, Weights, kappa};
pub use correlation::{Correlation, correlation};
pub use distribution::Distribution;
pub use interval::{
    DRAWS, FEWEST_CLUSTERS, Interval, interval_of, kappa_interval, ratio_of_shares, wilson,
};
pub use logistic::{LogisticCoefficient, LogisticFit, PairDifferences, RidgeReason};
pub use pooled::PooledPairs;
pub use seeded_rng::SeededRng;
pub use tally::{PairTally, QuadraticTally, UnweightedTally};
pub use undefined::Undefined;
