//! A statistic with its interval.

use serde::{Serialize, Serializer};

use super::interval::{Interval, wilson};
use super::undefined::Undefined;

/// A statistic and its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The value, or why it is undefined.
    pub value: Result<f64, Undefined>,
    /// The 95 % confidence interval, or why it is undefined; `None` if it was not requested.
    pub interval: Option<Result<Interval, Undefined>>,
}

impl Default for Figure {
    fn default() -> Self {
        Self::share(0, 0)
    }
}

/// `value`, the ends of the interval, and `why` one of them is undefined.
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
        let why = self.value.err().or_else(|| self.interval?.err());
        let keys = FigureKeys {
            value: self.value.ok(),
            why: why.map(|why| why.to_string()),
            low: self.ends().map(|[low, _]| low),
            high: self.ends().map(|[_, high]| high),
        };
        keys.serialize(serializer)
    }
}

impl Figure {
    /// Returns the share of successes in independent trials, with its Wilson interval.
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

    /// Returns the ends of the interval; `None` without one.
    pub fn ends(&self) -> Option<[f64; 2]> {
        let interval = self.interval?.ok()?;
        Some([interval.low, interval.high])
    }
}
