//! Why a figure cannot be given.

use thiserror::Error;

/// Why there is no figure. Shown, it is what stands in the figure's place: `n/a: ` and the reason.
///
/// A figure that divides nothing by nothing is not NaN, and agreement that could not have failed is
/// not 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Undefined {
    /// There is not one pair of ratings, or trial.
    #[error("n/a: nothing to compare")]
    Nothing,
    /// All ratings are the same value: chance alone would agree as well.
    #[error("n/a: all ratings are the same value, so chance would agree as well")]
    OneValue,
    /// A column has one value throughout: nothing goes with it or against it.
    #[error("n/a: a column has one value throughout")]
    NoVariance,
    /// The first of two wins every time, or never does: nothing tells what it depends on.
    #[error("n/a: the first of two wins every time, or never")]
    OneOutcome,
    /// A difference tells the winner without exception: its coefficient has no bound but a ridge.
    #[error("n/a: it tells the winner without exception, so nothing bounds it")]
    Unbounded,
    /// There are some, but not enough.
    #[error("n/a: {have} of them, and it takes {need}")]
    TooFew {
        /// So many there are.
        have: usize,
        /// So many it takes.
        need: usize,
    },
    /// Most resamples of a bootstrap have no figure.
    #[error("n/a: {left_out} of {draws} resamples have no figure")]
    MostLeftOut {
        /// Resamples without one.
        left_out: u32,
        /// Resamples in all.
        draws: u32,
    },
    /// All resamples of a bootstrap have the same figure, as those of ratings without one
    /// disagreement do. The interval would be a point, as if nothing were left to doubt.
    #[error("n/a: all resamples have the same figure, which does not tell how sure it is")]
    NoSpread,
    /// A value is infinite, or not a number, or too large to be squared.
    #[error("n/a: a value is not a number that can be reckoned with")]
    NotFinite,
    /// Values are only the same or not.
    #[error("n/a: these values have no order")]
    NoOrder,
    /// Whoever asked for it no longer waits: what was counted until then is no figure.
    #[error("n/a: the count was broken off")]
    Cancelled,
}

/// The figure, if it is a number.
pub(super) fn finite(figure: f64) -> Result<f64, Undefined> {
    if figure.is_finite() {
        Ok(figure)
    } else {
        Err(Undefined::NotFinite)
    }
}
