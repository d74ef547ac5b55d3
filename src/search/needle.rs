//! What was typed, taken apart: `schdlr 'exact ^begin end$ !not "a phrase" /regex/`.

use std::ops::Range;

use thiserror::Error;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needle {
    text: String,
}

/// What is wrong with a needle, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct NeedleError {
    /// The bytes to blame.
    pub span: Range<usize>,
    /// What is wrong, for people, in one sentence without a full stop.
    pub message: String,
}

impl Needle {
    /// Reads a needle; one of blanks alone looks for nothing and finds everything.
    ///
    /// # Errors
    /// When a regular expression in it does not compile.
    pub fn parse(text: &str) -> Result<Self, NeedleError> {
        Ok(Self { text: text.trim().to_owned() })
    }

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// As typed, without blanks around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether whatever this needle finds, `before` found too: typing on, only that need be looked at again.
    pub fn narrows(&self, before: &Self) -> bool {
        let _ = before;
        false
    }
}
