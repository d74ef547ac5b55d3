//! Regular expressions over texts.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::raw_regex::RawRegex;
use super::smart_case::is_case_sensitive;

/// Bytes that a regular expression may take when compiled.
pub(super) const MOST_BYTES: usize = 4 << 20;

/// A regular expression made ready for texts, and for the lines that they stand in.
#[derive(Debug)]
pub struct TextRegex {
    regex: Regex,
    /// `None` where lines tell nothing.
    raw: Option<RawRegex>,
}

impl TextRegex {
    /// Compiles what [`regex()`] does.
    ///
    /// # Errors
    /// As [`regex()`] has them.
    pub fn new(pattern: &str) -> Result<Self, String> {
        Ok(Self {
            regex: regex(pattern)?,
            raw: RawRegex::new(pattern, !is_case_sensitive(pattern)),
        })
    }

    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The bytes of a text that are it, apart and in order; of an empty match none.
    pub(super) fn places(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.regex.find_iter(text).map(|found| found.range())
    }

    /// Whether a decoded text of a line can have it.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        self.raw.as_ref().is_none_or(|raw| raw.may_be_in(line))
    }
}

/// Compiles a regular expression that matches letters in both cases unless it has an upper-case one,
/// or a class that is of one case (`\p{Lu}`), itself.
///
/// # Errors
/// A reason for people where it does not compile, or would take too much room.
pub fn regex(pattern: &str) -> Result<Regex, String> {
    let builder = RegexBuilder::new(pattern)
        .case_insensitive(!is_case_sensitive(pattern))
        .size_limit(MOST_BYTES)
        .build();
    builder.map_err(|error| match &error {
        regex::Error::CompiledTooBig(_) => "this regex is too big".to_owned(),
        _ => {
            let text = error.to_string();
            let reason = text
                .lines()
                .find_map(|line| line.strip_prefix("error: "))
                .unwrap_or("it does not compile");
            format!("this is no regex: {reason}")
        }
    })
}
