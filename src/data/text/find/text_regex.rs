//! Regular expressions over texts.

use std::convert::Infallible;
use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    Ast, ClassAscii, ClassAsciiKind, ClassSetItem, ClassUnicode, Visitor, visit,
};
use regex_syntax::hir::{Class, HirKind};

use super::raw_regex::RawRegex;

/// Largest compiled regular expression, in bytes.
pub const MAX_BYTES: usize = 4 << 20;

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
    RegexBuilder::new(pattern)
        .case_insensitive(!is_case_sensitive(pattern))
        .size_limit(MAX_BYTES)
        .build()
        .map_err(|error| match &error {
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

/// True if a regular expression distinguishes case: it has an upper-case letter in any spelling
/// (`P`, `\x50`, `[A-Z]`), or a class of one case (`\p{Lu}`, `[[:lower:]]`). False for invalid
/// expressions.
pub fn is_case_sensitive(pattern: &str) -> bool {
    let Ok(ast) = Parser::new().parse(pattern) else {
        return false;
    };
    let search = CaseSearch {
        pattern,
        found: false,
    };
    visit(&ast, search).unwrap_or_else(|never| match never {})
}

/// Searches an expression for parts of one case.
struct CaseSearch<'p> {
    pattern: &'p str,
    found: bool,
}

impl CaseSearch<'_> {
    /// True if a named class has the letter A in one case only. Other letters do not tell: scripts
    /// have both cases of A or none, but some have single letters such as the Ohm sign.
    fn is_of_one_case(&self, class: &ClassUnicode) -> bool {
        let named = self
            .pattern
            .get(class.span.start.offset..class.span.end.offset);
        let parse = |named| regex_syntax::parse(named).ok();
        let Some(parsed) = named.and_then(parse) else {
            return false;
        };
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else {
            return false;
        };
        let has = |letter: char| {
            let mut ranges = class.iter();
            ranges.any(|range| (range.start()..=range.end()).contains(&letter))
        };
        has('A') != has('a')
    }
}

impl Visitor for CaseSearch<'_> {
    type Output = bool;
    type Err = Infallible;

    fn finish(self) -> Result<bool, Infallible> {
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        self.found |= match ast {
            Ast::Literal(literal) => literal.c.is_uppercase(),
            Ast::ClassUnicode(class) => self.is_of_one_case(class),
            _ => false,
        };
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        self.found |= match item {
            ClassSetItem::Literal(literal) => literal.c.is_uppercase(),
            ClassSetItem::Range(range) => {
                range.start.c.is_uppercase() || range.end.c.is_uppercase()
            }
            ClassSetItem::Ascii(ClassAscii { kind, .. }) => {
                matches!(kind, ClassAsciiKind::Upper | ClassAsciiKind::Lower)
            }
            ClassSetItem::Unicode(class) => self.is_of_one_case(class),
            _ => false,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_one_case_and_of_both() {
        for (pattern, expected) in [
            ("python", false),
            ("Python", true),
            (r"pyth\x4fn", true),
            (r"\u{c9}", true),
            ("É", true),
            ("[A-Z]", true),
            ("[a-z]{2}", false),
            ("[^aB]", true),
            (r"\W\S\D\B\b", false),
            (r"[\W\d]", false),
            (r"\p{Lu}ython", true),
            (r"\pL", false),
            (r"\PL", false),
            (r"\p{Ll}", true),
            (r"\P{Uppercase}", true),
            (r"[x\p{Lu}]", true),
            (r"\p{Greek}\p{Latin}\p{Cyrillic}", false),
            (r"\p{Hex_Digit}", false),
            ("[[:upper:]]", true),
            ("[[:^lower:]]", true),
            ("[[:alpha:][:word:]]", false),
            (r"[\w&&[^A]]", true),
            ("(?P<Name>x)", false),
            ("(?U)a+", false),
            ("(A", false),
        ] {
            assert_eq!(is_case_sensitive(pattern), expected, "{pattern}");
        }
    }
}
