//! Fields that have the name of a verdict or a score and are taken for neither.

use crate::schema::path::Path;
use crate::text;

/// A field that has the name of a verdict or a score and is not taken for one.
#[derive(Debug, Clone, PartialEq)]
pub struct UntakenField {
    /// Its path, for people and safe to show.
    pub path: String,
    /// A value that was not understood, likewise: not for a reviewer who is blind.
    pub value: String,
    /// Why it is not taken.
    pub reason: UntakenReason,
}

/// Why a field is not taken for the verdict or a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UntakenReason {
    /// Its values do not say for sure which response wins.
    Unsure,
    /// Its values name responses, and its name does not say that they are the better ones.
    Unnamed,
    /// Its numbers may count the responses from 0 or from 1.
    CountsFrom,
    /// Its numbers may rate the responses, one each, or name some of them.
    RatesOrNames,
    /// Its numbers have a comma: whether `1,000` is one or a thousand nobody knows.
    Commas,
    /// Its name says that it names the response that loses.
    NamesLoser,
    /// It names another winner than the field that is taken.
    Contradicts,
    /// Its name is that of something bad.
    LowerMayWin,
    /// Its name is that of a measure, such as the length.
    Measures,
    /// It is one of several ratings, and none is that of the whole response.
    OneOfSeveral,
}

impl UntakenReason {
    /// Why, without a value, to be put after what is said of the field.
    const fn explanation(self) -> &'static str {
        match self {
            Self::Unsure | Self::Unnamed => "",
            Self::CountsFrom => ": its numbers may count from 0 or from 1",
            Self::RatesOrNames => ": its numbers may rate the responses, or name them",
            Self::Commas => ": it has decimal commas",
            Self::NamesLoser => ": by its name it says which response loses",
            Self::Contradicts => ": it names another winner in some rows",
            Self::LowerMayWin => ": the lower value may be the better one",
            Self::Measures => ": more of it is not always better",
            Self::OneOfSeveral => ": other fields rate the responses as well",
        }
    }
}

impl UntakenField {
    pub(super) fn new(path: &Path, value: &str, reason: UntakenReason) -> Self {
        Self {
            path: text::one_line(&path.to_string(), 48),
            value: text::one_line(value, 24),
            reason,
        }
    }

    /// Whether its values name responses, and only its name leaves open who wins.
    pub fn is_unnamed(&self) -> bool {
        self.reason == UntakenReason::Unnamed
    }

    /// That it is not taken, and why; with or without its value.
    pub fn told(&self, tells_value: bool) -> String {
        let Self { path, value, .. } = self;
        let what = match self.reason {
            UntakenReason::Commas => "a score",
            _ => "the verdict",
        };
        let why = match self.reason {
            UntakenReason::Commas if tells_value => {
                format!(": {value} has no decimal point but a comma")
            }
            UntakenReason::Unsure if tells_value => {
                format!(": {value} does not say for sure which response wins")
            }
            UntakenReason::Unnamed => {
                format!(": its name does not say who wins; add winner={path} to --map")
            }
            reason => reason.explanation().to_owned(),
        };
        format!("{path} is not taken for {what}{why}")
    }
}
