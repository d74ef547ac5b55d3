//! A pattern made ready to be looked for, in decoded text and, to pass over most rows unread, in raw lines.

use regex::{Regex, RegexBuilder, bytes};

use crate::query::ast::Pattern;
use crate::query::pattern::compile;

/// See the module.
#[derive(Debug)]
pub(super) struct Matcher {
    /// `None` matches nothing: the pattern does not compile, which the parser has told.
    text: Option<Regex>,
    raw: Option<Raw>,
}

/// Finds a phrase in a line as JSON spells it.
#[derive(Debug)]
struct Raw {
    phrase: bytes::Regex,
    /// Spellings of the phrase's characters that are not looked for: a line with one of them must be read.
    otherwise: bytes::Regex,
}

impl Matcher {
    pub(super) fn new(pattern: &Pattern) -> Self {
        match pattern {
            Pattern::Phrase(phrase) => {
                let text = RegexBuilder::new(&regex::escape(phrase)).case_insensitive(ignores_case(phrase)).build();
                Self { text: text.ok(), raw: Raw::new(phrase) }
            }
            Pattern::Regex(source) => Self { text: compile(source).ok(), raw: None },
        }
    }

    /// Whether a text has it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.text.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// Whether a decoded text of this line can have it.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        self.raw.as_ref().is_none_or(|raw| raw.phrase.is_match(line) || raw.otherwise.is_match(line))
    }
}

/// Smart case: an upper-case letter asks for itself.
pub(super) fn ignores_case(phrase: &str) -> bool {
    !phrase.chars().any(char::is_uppercase)
}

impl Raw {
    /// `None` for a phrase whose characters JSON spells otherwise as a rule.
    fn new(phrase: &str) -> Option<Self> {
        let plain = |c: char| !c.is_control() && !matches!(c, '"' | '\\' | '/' | '\u{fffd}');
        if !phrase.chars().all(plain) {
            return None;
        }
        let ignores_case = ignores_case(phrase);
        // Letters that only some language's case rules bring together (ſ and s, K and the Kelvin sign) are beyond ASCII.
        let otherwise = match phrase.is_ascii() && !ignores_case {
            true => r"(?-u)\\u00[2-7]",
            false => r"(?-u)\\u",
        };
        let phrase = bytes::RegexBuilder::new(&regex::escape(phrase)).case_insensitive(ignores_case).build().ok()?;
        Some(Self { phrase, otherwise: bytes::Regex::new(otherwise).ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_may_have_it_is_never_passed_over() {
        for (phrase, line, may) in [
            ("tea", r#"{"p": "a TEA"}"#, true),
            ("tea", r#"{"p": "coffee"}"#, false),
            ("Tea", r#"{"p": "a tea"}"#, false),
            ("Tea", r#"{"p": "\u0054ea"}"#, true),
            ("tea", r#"{"p": "\u0054ea"}"#, true),
            ("Tea", r#"{"p": "\u2019"}"#, false),
            ("café", r#"{"p": "caf\u00e9"}"#, true),
            ("a\"b", r#"{"p": "a\"b"}"#, true),
            ("a/b", r#"{"p": "a\/b"}"#, true),
            ("a\nb", r#"{"p": "x"}"#, true),
        ] {
            let matcher = Matcher::new(&Pattern::Phrase(phrase.to_owned()));
            assert_eq!(matcher.may_be_in(line.as_bytes()), may, "{phrase} {line}");
        }
    }
}
