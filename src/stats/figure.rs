//! A figure with how sure it is.

use super::interval::{Interval, wilson};
use super::undefined::Undefined;

/// A figure and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The figure, or why there is none.
    pub value: Result<f64, Undefined>,
    /// Where it lies at 95 %, or why that cannot be said; `None` if it was not asked for.
    pub interval: Option<Result<Interval, Undefined>>,
}

impl Default for Figure {
    fn default() -> Self {
        Self::share(0, 0)
    }
}

impl Figure {
    /// The share of successes in independent trials, with the Wilson interval.
    pub fn share(successes: u64, trials: u64) -> Self {
        let value = match trials {
            0 => Err(Undefined::Nothing),
            trials => Ok(successes as f64 / trials as f64),
        };
        Self {
            value,
            interval: Some(wilson(successes, trials)),
        }
    }

    /// The ends of the interval; `None` if there is none.
    pub fn ends(&self) -> Option<[f64; 2]> {
        let interval = self.interval?.ok()?;
        Some([interval.low, interval.high])
    }
}
