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
    /// An invalid label, score, verdict or list of quotes; it counts as missing.
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
            Self::RepeatedKey { response, path } => {
                let of = prefix(*response);
                return format!("{of}{path} is repeated; the last value is read").into();
            }
            Self::UnknownContent { what } => {
                return format!("{what} is unknown content, shown as written").into();
            }
            Self::InvalidValue { response, what } => {
                return format!("{}{what}: read as missing", prefix(*response)).into();
            }
        })
    }

    /// True if it reveals part of the dataset's annotation, which blind reviewers must not see.
    pub const fn reveals_labels(&self) -> bool {
        matches!(self, Self::NotANumber | Self::InvalidValue { .. })
    }

    /// True if a text of the row may have U+FFFD where the file has something else.
    pub const fn is_of_unreadable_text(&self) -> bool {
        matches!(self, Self::LoneSurrogate | Self::InvalidUtf8)
    }

    /// Returns the warning with other letters for the responses.
    #[must_use]
    pub fn renamed(mut self, to: impl Fn(ResponseId) -> ResponseId) -> Self {
        if let Some(response) = self.response_mut() {
            *response = response.map(to);
        }
        self
    }

    /// Returns the warning of a row that is one response of a sample.
    #[must_use]
    pub fn of_response(mut self, of: ResponseId) -> Self {
        if let Some(response) = self.response_mut() {
            response.get_or_insert(of);
        }
        self
    }

    /// Returns the warning about an invalid value of the whole sample, or of its only response.
    pub const fn invalid(what: String) -> Self {
        Self::InvalidValue {
            response: None,
            what,
        }
    }

    const fn response_mut(&mut self) -> Option<&mut Option<ResponseId>> {
        match self {
            Self::RepeatedKey { response, .. } | Self::InvalidValue { response, .. } => {
                Some(response)
            }
            _ => None,
        }
    }
}

fn prefix(response: Option<ResponseId>) -> String {
    response.map_or_else(String::new, |of| format!("{}: ", of.letter()))
}
