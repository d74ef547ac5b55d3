//! Regular expressions over texts.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

use super::fold::Folding;
use super::raw_phrase::{RawPhrase, has_escape};
use super::smart_case::is_case_sensitive;

/// Largest compiled regular expression, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// Most literals to search raw lines for.
const MAX_LITERALS: usize = 8;

/// A regular expression compiled for texts and for raw lines.
#[derive(Debug)]
pub struct TextRegex {
    regex: Regex,
    /// Phrases of which every matching text contains one; `None` if raw lines cannot be ruled out.
    raw: Option<Vec<RawPhrase>>,
}

impl TextRegex {
    /// Compiles an expression like [`regex()`].
    ///
    /// # Errors
    /// As [`regex()`].
    pub fn new(pattern: &str) -> Result<Self, String> {
        Ok(Self {
            regex: regex(pattern)?,
            raw: raw_phrases(pattern),
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
        let may_be_in = |any: &Vec<RawPhrase>| any.iter().any(|phrase| phrase.may_be_in(line));
        self.raw.as_ref().is_none_or(may_be_in)
    }
}

fn raw_phrases(pattern: &str) -> Option<Vec<RawPhrase>> {
    let folding = Folding {
        case: is_case_sensitive(pattern),
        accents: true,
        forms: true,
    };
    let literals = required_literals(&regex_syntax::parse(pattern).ok()?)?;
    let literals = Some(literals).filter(|literals| literals.len() <= MAX_LITERALS)?;
    let phrase = |literal: &String| RawPhrase::new(&[folding.fold(literal).into()], folding);
    literals.iter().map(phrase).collect()
}

/// Returns literals of which every match contains at least one; `None` if there is no such list.
fn required_literals(hir: &Hir) -> Option<Vec<String>> {
    // Our folding and that of regular expressions differ for some letters beyond ASCII.
    let is_odd = |c: char| {
        has_escape(c) || (!c.is_ascii() && (c.is_lowercase() || c.is_uppercase()))
    };
    match hir.kind() {
        HirKind::Literal(literal) => {
            let runs = std::str::from_utf8(&literal.0).ok()?.split(is_odd);
            let longest = runs.max_by_key(|run| run.len())?;
            (!longest.is_empty()).then(|| vec![longest.to_owned()])
        }
        HirKind::Capture(of) => required_literals(&of.sub),
        HirKind::Repetition(of) if of.min > 0 => required_literals(&of.sub),
        HirKind::Concat(parts) => {
            let found = parts.iter().filter_map(required_literals);
            found.max_by_key(|any| any.iter().map(String::len).min())
        }
        HirKind::Alternation(ways) => {
            let found: Option<Vec<_>> = ways.iter().map(required_literals).collect();
            found.map(|ways| ways.concat())
        }
        _ => None,
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
