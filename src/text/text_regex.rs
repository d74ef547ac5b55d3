//! Regular expressions over texts.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::raw_regex::RawRegex;
use super::smart_case::is_case_sensitive;

/// Largest compiled regular expression, in bytes.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// A regular expression compiled for texts and for raw lines.
#[derive(Debug)]
pub struct TextRegex {
    regex: Regex,
    /// `None` if raw lines cannot be ruled out.
    raw: Option<RawRegex>,
}

impl TextRegex {
    /// Compiles an expression like [`regex()`].
    ///
    /// # Errors
    /// As [`regex()`].
    pub fn new(pattern: &str) -> Result<Self, String> {
        Ok(Self {
            regex: regex(pattern)?,
            raw: RawRegex::new(pattern, !is_case_sensitive(pattern)),
        })
    }

    /// True if a text matches.
    pub fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Iterates over the matches in a text, disjoint and in order; matches can be empty.
    pub(super) fn places(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.regex.find_iter(text).map(|found| found.range())
    }

    /// True if a decoded text of this raw line can match.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        self.raw.as_ref().is_none_or(|raw| raw.may_be_in(line))
    }
}

/// Compiles a regular expression that ignores case unless it has an upper-case letter, or a class
/// of one case (`\p{Lu}`).
///
/// # Errors
/// A reason for users if it does not compile, or is too big.
pub fn regex(pattern: &str) -> Result<Regex, String> {
    let builder = RegexBuilder::new(pattern)
        .case_insensitive(!is_case_sensitive(pattern))
        .size_limit(MAX_BYTES)
        .build();
    builder.map_err(|error| match &error {
        regex::Error::CompiledTooBig(_) => "the regex is too large".to_owned(),
        _ => {
            let text = error.to_string();
            let reason = text
                .lines()
                .find_map(|line| line.strip_prefix("error: "))
                .unwrap_or("it does not compile");
            format!("invalid regex: {reason}")
        }
    })
}
