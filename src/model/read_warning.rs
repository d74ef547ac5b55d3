//! Warnings about rows that were read leniently.

use std::borrow::Cow;

use super::ResponseId;

/// A problem that did not prevent a row from being read, to report to the reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadWarning {
    /// A lone surrogate escape such as `\ud83d`, read as U+FFFD.
    LoneSurrogate,
    /// `NaN` or `Infinity`, which JSON lacks, read as null.
    NotANumber,
    /// Bytes that are not UTF-8, read as U+FFFD.
    InvalidUtf8,
    /// A control character in a string, which JSON requires to be escaped.
    RawControl,
    /// Prompts for each response that differ.
    PromptsDiffer,
    /// A missing or null response that other rows have.
    MissingResponse,
    /// More responses than the maximum; the first ones are shown.
    MoreResponses,
    /// More annotators than are read.
    MoreAnnotators,
    /// A repeated key; its last value is read.
    RepeatedKey {
        /// The response whose row has it, if the sample has several.
        response: Option<ResponseId>,
        /// Its path, safe to show.
        path: String,
    },
    /// Content of an unknown kind, shown as written.
    UnknownContent {
        /// The kind, safe to show.
        what: String,
    },
    /// An invalid label, score, verdict, list of quotes or list of tokens; it counts as missing.
    InvalidValue {
        /// The response whose value it is, if the sample has several.
        response: Option<ResponseId>,
        /// Field, value and reason, safe to show.
        what: String,
    },
}

impl ReadWarning {
    /// Returns the message without a full stop; safe to show.
    pub fn explanation(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::LoneSurrogate => "a lone surrogate (such as \\ud83d), shown as \u{fffd}",
            Self::NotANumber => "NaN or Infinity, which JSON lacks, read as missing",
            Self::InvalidUtf8 => "bytes that are not UTF-8, shown as \u{fffd}",
            Self::RawControl => "a raw control character inside a string",
            Self::PromptsDiffer => "the prompts of the responses differ; the first is shown",
            Self::MissingResponse => "a response is missing",
            Self::MoreResponses => "too many responses; only the first ones are shown",
            Self::MoreAnnotators => "texts of more than 16 annotators; the first 16 are read",
            Self::RepeatedKey { response, path } => {
                let of = response.map_or_else(String::new, |of| format!("{}: ", of.letter()));
                return format!("{of}{path} is repeated; the last value is read").into();
            }
            Self::UnknownContent { what } => {
                return format!("{what} is unknown content, shown as written").into();
            }
            Self::InvalidValue {
                response: None,
                what,
            } => {
                return format!("{what}: read as missing").into();
            }
            Self::InvalidValue {
                response: Some(response),
                what,
            } => {
                return format!("{}: {what}: read as missing", response.letter()).into();
            }
        })
    }

    /// True if it reveals part of the dataset's annotation, which blind reviewers must not see.
    pub const fn reveals_labels(&self) -> bool {
        matches!(self, Self::NotANumber | Self::InvalidValue { .. })
    }

    /// Returns the warning with other letters for the responses.
    #[must_use]
    pub fn renamed(self, to: impl Fn(ResponseId) -> ResponseId) -> Self {
        match self {
            Self::InvalidValue { response, what } => Self::InvalidValue {
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

    /// Returns the warning of a row that is one response of a sample.
    #[must_use]
    pub fn of_response(self, of: ResponseId) -> Self {
        match self {
            Self::InvalidValue {
                response: None,
                what,
            } => Self::InvalidValue {
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
