//! Why a statistic is undefined.

use thiserror::Error;

/// Why a statistic is undefined. Displayed in its place: `n/a: ` and the reason.
///
/// Undefined replaces NaN for 0 / 0, and 1 for agreement that could not have been lower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Undefined {
    /// No pair of ratings, or no trial.
    #[error("n/a: nothing to compare")]
    Nothing,
    /// All ratings have the same value: chance alone would agree as well.
    #[error("n/a: all ratings have the same value, so chance would agree too")]
    OneValue,
    /// A column is constant, so nothing correlates with it.
    #[error("n/a: a column is constant")]
    NoVariance,
    /// The layout decides which response wins, so its place shows nothing.
    #[error("n/a: the layout puts the chosen response {0}")]
    FixedSides(&'static str),
    /// There are too few items.
    #[error("n/a: too few ({have}, at least {need} needed)")]
    TooFew {
        /// Items found.
        have: usize,
        /// Items required.
        need: usize,
    },
    /// The statistic is undefined without one of the clusters, such as kappa if all but one rating
    /// are equal.
    #[error("n/a: it rests on a single sample")]
    OneCluster,
    /// The statistic is the same without any cluster, as with ratings that never disagree. The
    /// interval would be a point, which would look like certainty.
    #[error("n/a: every sample says the same, so there is no interval")]
    NoSpread,
    /// A value is infinite, NaN or too large to be squared.
    #[error("n/a: a value is not finite, or too large")]
    NotFinite,
    /// The values have no order.
    #[error("n/a: these values have no order")]
    NoOrder,
    /// The computation was cancelled.
    #[error("n/a: cancelled")]
    Cancelled,
}

/// Returns the value if it is finite.
pub(super) fn finite(figure: f64) -> Result<f64, Undefined> {
    let figure = Some(figure).filter(|figure| figure.is_finite());
    figure.ok_or(Undefined::NotFinite)
}
