//! The numbers of agreement: figures from counts and pairs, each with the reason where there is
//! none, and what chance they rest on.
//!
//! Everything is a pure function of numbers, in f64, summed in the order given, with operations
//! that IEEE 754 rounds in one way only: the same input gives the same figure on any machine. The
//! logistic regression alone takes exponentials and logarithms, which are the platform's.
//!
//! - [`kappa`] of a [`Confusion`]: two raters, one label.
//! - [`RatingLists`]: kappa, alpha and equal values of any number of raters, with gaps, whether or not
//!   they are told apart.
//! - [`shuffled_kappas`]: how much of a kappa a selection makes by itself.
//! - [`CodedValues`] and [`Distribution`]: mean, standard deviation and quantiles of a column.
//! - [`correlation()`]: how far two columns go together.
//! - [`wilson`]: how sure a share is, of things that are independent of each other.
//! - [`ratio_of_shares`]: how many times as great one share is as another, and how sure that is.
//! - [`ClusteredCounts`], [`bootstrap`](interval::bootstrap): how sure any figure is, of
//!   things that hang together in clusters, as the two responses of a sample do.
//! - [`Figure`]: a figure with its interval.
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
mod figure;
mod interval;
mod logistic;
mod rating_lists;
mod seeded_rng;
mod shuffles;
mod undefined;

#[cfg(test)]
mod tests;

pub use alpha::MeasurementLevel;
pub use coded_values::{CodedValues, ValueCoder};
pub use confusion::{Confusion, Weights, kappa};
pub use correlation::{Correlation, correlation};
pub use distribution::Distribution;
pub use figure::Figure;
pub use interval::{ClusteredCounts, DRAWS, FEWEST_CLUSTERS, Interval, ratio_of_shares, wilson};
pub use logistic::{LogisticCoefficient, LogisticFit, PairDifferences, RidgeReason};
pub use rating_lists::{RatingFigures, RatingLists};
pub use seeded_rng::SeededRng;
pub use shuffles::{SHUFFLES, Shuffled, shuffled_kappas};
pub use undefined::Undefined;
