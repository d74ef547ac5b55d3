//! A pattern made ready to be looked for, in decoded text and, to pass over most rows unread, in raw lines.

use regex::{Regex, RegexBuilder, bytes};

use crate::query::ast::Pattern;

/// Bytes that a compiled pattern may take.
const COMPILED: usize = 16 << 20;

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
        let (source, raw) = match pattern {
            Pattern::Phrase(phrase) => (regex::escape(phrase), Raw::new(phrase)),
            Pattern::Regex(source) => (source.clone(), None),
        };
        let text = RegexBuilder::new(&source).case_insensitive(ignores_case(pattern)).size_limit(COMPILED).build().ok();
        Self { text, raw }
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

/// Smart case: an upper-case letter asks for itself. In a regular expression the letter of a class (`\W`) does not.
pub(super) fn ignores_case(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Phrase(phrase) => !phrase.chars().any(char::is_uppercase),
        Pattern::Regex(source) => {
            let (mut escaped, mut upper) = (false, false);
            for character in source.chars() {
                upper |= character.is_uppercase() && !escaped;
                escaped = character == '\\' && !escaped;
            }
            !upper
        }
    }
}

impl Raw {
    /// `None` for a phrase whose characters JSON spells otherwise as a rule.
    fn new(phrase: &str) -> Option<Self> {
        let plain = |c: char| !c.is_control() && !matches!(c, '"' | '\\' | '/' | '\u{fffd}');
        if !phrase.chars().all(plain) {
            return None;
        }
        let ignores_case = ignores_case(&Pattern::Phrase(phrase.to_owned()));
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
    fn smart_case() {
        for (pattern, ignores) in [("python", true), ("Python", false), ("École", false), ("école", true), ("", true)]
        {
            assert_eq!(ignores_case(&Pattern::Phrase(pattern.to_owned())), ignores, "{pattern}");
        }
        for (pattern, ignores) in [(r"\W+\bx", true), (r"\\W", false), (r"[A-Z]", false), (r"def \w+\(", true)] {
            assert_eq!(ignores_case(&Pattern::Regex(pattern.to_owned())), ignores, "{pattern}");
        }
    }

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
