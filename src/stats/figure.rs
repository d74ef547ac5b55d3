//! A figure with how sure it is.

use serde::{Serialize, Serializer};

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

/// `value`, or `why` there is none, and the ends of the interval.
#[derive(Serialize)]
struct FigureKeys {
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = FigureKeys {
            value: self.value.ok(),
            why: self.value.err().map(|why| why.to_string()),
            low: self.ends().map(|[low, _]| low),
            high: self.ends().map(|[_, high]| high),
        };
        keys.serialize(serializer)
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
