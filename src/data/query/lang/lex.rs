//! The lexer of queries: a cursor, and tokens that can be read without their meaning.

use std::ops::Range;

use crate::query::ast::Comparison;
use crate::query::words::{ends_word, is_name_sign, is_sign};

/// A position in a query, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'q> {
    pub(super) text: &'q str,
    pub(super) at: usize,
}

/// The spellings of a connective.
pub(super) struct Connective {
    /// In any case, between blanks.
    words: [&'static str; 2],
    /// Blanks are not required.
    signs: &'static [&'static str],
}

pub(super) const AND: Connective = Connective {
    words: ["and", "&"],
    signs: &["&&", ","],
};
pub(super) const OR: Connective = Connective {
    words: ["or", "|"],
    signs: &["||"],
};

impl Connective {
    /// Returns the connective at the cursor as typed.
    pub(super) fn at<'q>(&self, cursor: Cursor<'q>) -> Option<&'q str> {
        let (word, rest) = (cursor.word(), cursor.rest());
        let sign = self.signs.iter().find(|sign| rest.starts_with(**sign));
        let is_word = self.words.iter().any(|it| word.eq_ignore_ascii_case(it));
        sign.map(|sign| &rest[..sign.len()])
            .or(is_word.then_some(word))
    }
}

/// Comparison operators; longer ones precede their prefixes.
const COMPARISONS: [(&str, Comparison); 11] = {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    [
        ("==", Equal),
        ("=", Equal),
        ("!=", NotEqual),
        ("<>", NotEqual),
        ("≠", NotEqual),
        ("<=", AtMost),
        ("≤", AtMost),
        ("<", Less),
        (">=", AtLeast),
        ("≥", AtLeast),
        (">", Greater),
    ]
};

impl<'q> Cursor<'q> {
    pub(super) fn rest(self) -> &'q str {
        &self.text[self.at..]
    }

    pub(super) fn peek(self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The span of the next character; empty at the end.
    pub(super) fn here(self) -> Range<usize> {
        self.at..self.at + self.peek().map_or(0, char::len_utf8)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        if is_there {
            self.at += text.len();
        }
        is_there
    }

    /// Skips blanks. True if there were any.
    pub(super) fn skip_blanks(&mut self) -> bool {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.at > self.text.len() - rest.len()
    }

    /// Returns the characters up to a blank, parenthesis or quote, without commas at the end (they
    /// join terms).
    pub(super) fn word(self) -> &'q str {
        self.run(|sign| !ends_word(sign)).trim_end_matches(',')
    }

    /// Like [`Self::word`], but also ends before `&&`, `||` and `,`.
    pub(super) fn plain_word(self) -> &'q str {
        let word = self.word();
        let ends = ["&&", "||", ","].iter().filter_map(|sign| word.find(sign));
        &word[..ends.min().unwrap_or(word.len())]
    }

    /// True if a connective is next.
    pub(super) fn is_at_joint(self) -> bool {
        AND.at(self).or(OR.at(self)).is_some()
    }

    /// True if no word goes on here.
    pub(super) fn is_at_word_end(self) -> bool {
        self.peek().is_none_or(ends_word) || self.is_at_joint()
    }

    /// Consumes `not` in any case, or `!` unless it begins `!=`.
    pub(super) fn eat_not(&mut self) -> bool {
        if self.is_at("not") {
            self.at += "not".len();
            return true;
        }
        !self.rest().starts_with("!=") && self.eat("!")
    }

    /// Returns the name at the cursor: words of letters, digits and `_`, joined by dots; empty if
    /// there is none.
    pub(super) fn name(self) -> &'q str {
        let name = self
            .run(|sign| is_name_sign(sign) || sign == '.')
            .split("..")
            .next()
            .unwrap_or_default();
        if name.starts_with(|first: char| first == '.' || first.is_ascii_digit()) {
            ""
        } else {
            name.trim_end_matches('.')
        }
    }

    /// True if this word is next, in any case.
    pub(super) fn is_at(self, keyword: &str) -> bool {
        self.word().eq_ignore_ascii_case(keyword)
    }

    /// Consumes `none`, in lower case only: `None` can be a value.
    pub(super) fn eat_none(&mut self) -> bool {
        self.word() == "none" && self.eat("none")
    }

    pub(super) fn span(self, word: &str) -> Range<usize> {
        self.at..self.at + word.len()
    }

    /// The span of the next word, or else of the next character.
    pub(super) fn here_word(self) -> Range<usize> {
        match self.word() {
            "" => self.here(),
            word => self.span(word),
        }
    }

    pub(super) fn is_at_function(self) -> bool {
        self.rest().starts_with("abs(")
    }

    /// True if `in` and a list are next.
    pub(super) fn is_at_list(self) -> bool {
        self.is_at("in") && self.rest()["in".len()..].trim_start().starts_with('(')
    }

    fn run(self, goes_on: impl Fn(char) -> bool) -> &'q str {
        let rest = self.rest();
        &rest[..rest.find(|sign| !goes_on(sign)).unwrap_or(rest.len())]
    }

    /// Consumes a comparison operator.
    pub(super) fn comparison(&mut self) -> Option<Comparison> {
        let (sign, comparison) = COMPARISONS
            .iter()
            .find(|(sign, _)| self.rest().starts_with(sign))?;
        self.at += sign.len();
        Some(*comparison)
    }

    /// True if an unsigned number begins here.
    pub(super) fn is_at_number(self) -> bool {
        let rest = self.rest();
        let digits = rest.strip_prefix('.').unwrap_or(rest);
        digits.starts_with(|first: char| first.is_ascii_digit())
    }

    /// Returns the unsigned number at the cursor: digits, a fraction, an exponent.
    pub(super) fn number(self) -> &'q str {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| {
            bytes[from..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        };
        let mut end = digits(0);
        // The dots of `2..4` do not begin a fraction.
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        &self.rest()[..end]
    }

    /// Returns the path at the cursor, `/a/b` or in quotes; empty if there is none.
    pub(super) fn path(self) -> &'q str {
        let rest = self.rest();
        if !rest.starts_with("\"/") {
            let ends = |sign: char| ends_word(sign) || is_sign(sign) || matches!(sign, '!' | ',');
            let end = rest.find(ends).unwrap_or(rest.len());
            return if rest.starts_with('/') {
                &rest[..end]
            } else {
                ""
            };
        }
        let mut is_escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, sign)| {
            let ends = *sign == '"' && !is_escaped;
            is_escaped = *sign == '\\' && !is_escaped;
            ends
        });
        end.map_or("", |(end, _)| &rest[..=end])
    }

    /// True if a comparison follows after `length` bytes.
    pub(super) fn is_compared_after(mut self, length: usize) -> bool {
        self.at += length;
        self.skip_blanks();
        self.is_at_list() || self.peek() == Some(':') || self.comparison().is_some()
    }
}
