//! Fields that are named like a verdict or a score but are not used.

use crate::table::Path;
use crate::text;

/// A field that is named like a verdict or a score but is not used.
#[derive(Debug, Clone, PartialEq)]
pub struct UnusedField {
    /// Its path, safe to show.
    pub path: String,
    /// A value that was not understood, safe to show, but not to a blind reviewer.
    pub value: String,
    /// Why it is not used.
    pub reason: UnusedReason,
}

/// Why a field is not used as the verdict or a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusedReason {
    /// Its values do not clearly say which response wins.
    Unsure,
    /// Its values name responses, but its name does not say that they are the winners.
    Unnamed,
    /// Its numbers may count responses from 0 or from 1.
    CountsFrom,
    /// Its numbers may either rate the responses or name some of them.
    RatesOrNames,
    /// Its numbers have a comma: `1,000` is ambiguous.
    Commas,
    /// Its name says that it names the losing response.
    NamesLoser,
    /// It contradicts the field that is used.
    Contradicts,
    /// It is named after something bad.
    LowerMayWin,
    /// It is named after a measure, such as the length.
    Measures,
    /// It is one of several ratings, none of the whole response.
    OneOfSeveral,
}

impl UnusedReason {
    /// Returns the reason without a value, to append to a sentence about the field.
    const fn explanation(self) -> &'static str {
        match self {
            Self::Unsure | Self::Unnamed => "",
            Self::CountsFrom => ": its numbers may count from 0 or from 1",
            Self::RatesOrNames => ": its numbers may rate the responses or name them",
            Self::Commas => ": it has decimal commas",
            Self::NamesLoser => ": its name means the losing response",
            Self::Contradicts => ": it names a different winner in some rows",
            Self::LowerMayWin => ": lower may be better",
            Self::Measures => ": higher is not always better",
            Self::OneOfSeveral => ": other fields also rate the responses",
        }
    }
}

impl UnusedField {
    pub fn new(path: &Path, value: &str, reason: UnusedReason) -> Self {
        Self {
            path: text::one_line(&path.to_string(), 48),
            value: text::one_line(value, 24),
            reason,
        }
    }

    /// True if only the field's name does not say that its values are winners.
    pub fn is_unnamed(&self) -> bool {
        self.reason == UnusedReason::Unnamed
    }

    /// Returns the message that it is not used, and why.
    pub fn message(&self, with_value: bool) -> String {
        let Self { path, value, .. } = self;
        let what = match self.reason {
            UnusedReason::Commas => "a score",
            _ => "the verdict",
        };
        let why = match self.reason {
            UnusedReason::Commas if with_value => {
                format!(": {value} has a decimal comma instead of a point")
            }
            UnusedReason::Unsure if with_value => {
                format!(": {value} does not clearly name a winner")
            }
            UnusedReason::Unnamed => {
                format!(": its name does not mean a winner; add winner={path} to --map")
            }
            reason => reason.explanation().to_owned(),
        };
        format!("{path} is not used as {what}{why}")
    }
}
