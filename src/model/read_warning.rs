//! What is told of a row that was read leniently.

use std::borrow::Cow;

use super::ResponseId;

/// Something about a row that was read in spite of it, and that the reviewer should know.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadWarning {
    /// A `\ud83d` escape without its other half, read as U+FFFD.
    LoneSurrogate,
    /// `NaN` or `Infinity` where JSON has no such number, read as null.
    NotANumber,
    /// Bytes that are not UTF-8, read as U+FFFD.
    InvalidUtf8,
    /// A control character inside a string that JSON wants escaped.
    RawControl,
    /// A prompt for each response, and they are not the same.
    PromptsDiffer,
    /// A response that other rows have is missing or null.
    MissingResponse,
    /// More responses than a sample can have: the first ones are shown.
    MoreResponses,
    /// A longer list of annotators than is read.
    MoreAnnotators,
    /// A value that is there more than once, since its key is: the last is read.
    RepeatedKey {
        /// Whose row has it, where the sample has several.
        response: Option<ResponseId>,
        /// Where it stands, for people and safe to show.
        path: String,
    },
    /// Content of a kind that is not known, shown as it stands.
    UnknownContent {
        /// What kind, for people and safe to show.
        what: String,
    },
    /// A label, score, verdict, list of quotes or list of tokens that its field cannot have: it
    /// counts as none.
    OddValue {
        /// Whose value it is, where the sample has several responses.
        response: Option<ResponseId>,
        /// Field, value and what is odd about it, for people and safe to show.
        what: String,
    },
}

impl ReadWarning {
    /// What to tell a person, without a full stop; safe to show.
    pub fn explanation(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::LoneSurrogate => "half a surrogate pair (\\ud83d alone), shown as \u{fffd}",
            Self::NotANumber => "NaN or Infinity, which JSON does not have, read as no value",
            Self::InvalidUtf8 => "bytes that are not UTF-8, shown as \u{fffd}",
            Self::RawControl => "a raw control character inside a string",
            Self::PromptsDiffer => "the two prompts differ, and the first is shown",
            Self::MissingResponse => "a response is missing",
            Self::MoreResponses => {
                "more responses than most rows have: only the first ones are shown"
            }
            Self::MoreAnnotators => {
                "texts of more than 16 annotators, of which the first 16 are read"
            }
            Self::RepeatedKey { response, path } => {
                let of = response.map_or_else(String::new, |of| format!("{}: ", of.letter()));
                return format!("{of}{path} is there more than once, and the last is read").into();
            }
            Self::UnknownContent { what } => {
                return format!("{what} is not known content, shown as it stands").into();
            }
            Self::OddValue {
                response: None,
                what,
            } => {
                return format!("{what}: read as no value").into();
            }
            Self::OddValue {
                response: Some(response),
                what,
            } => {
                return format!("{}: {what}: read as no value", response.letter()).into();
            }
        })
    }

    /// Whether it says something of what the dataset says itself of a sample, which a blind
    /// reviewer is not to see.
    pub const fn tells_of_labels(&self) -> bool {
        matches!(self, Self::NotANumber | Self::OddValue { .. })
    }

    /// The warning as it reads where the responses of the sample have other letters.
    #[must_use]
    pub fn renamed(self, to: impl Fn(ResponseId) -> ResponseId) -> Self {
        match self {
            Self::OddValue { response, what } => Self::OddValue {
                response: response.map(to),
                what,
            },
            Self::RepeatedKey { response, path } => Self::RepeatedKey {
                response: response.map(to),
                path,
            },
            other => other,
        }
    }

    /// The warning of a row that turned out to be one response of a sample.
    #[must_use]
    pub fn of_response(self, of: ResponseId) -> Self {
        match self {
            Self::OddValue {
                response: None,
                what,
            } => Self::OddValue {
                response: Some(of),
                what,
            },
            Self::RepeatedKey {
                response: None,
                path,
            } => Self::RepeatedKey {
                response: Some(of),
                path,
            },
            other => other,
        }
    }
}
