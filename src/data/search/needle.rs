//! Parser of needles: `schdlr 'exact ^begin end$ !not "a phrase" /regex/`.

use std::ops::Range;

use thiserror::Error;

use super::word::FUZZY_FROM;
use crate::text;

/// A parsed search text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needle {
    text: String,
    pub(super) terms: Vec<NeedleTerm>,
}

/// A term of a needle; a sample must match all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NeedleTerm {
    /// `!`: a sample must not match.
    pub(super) negated: bool,
    pub(super) kind: TermKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TermKind {
    /// Literal characters.
    Literal(Literal),
    /// A regular expression, as its source.
    Regex(String),
}

/// Typed characters, and how they must fit a word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Literal {
    pub(super) typed: String,
    /// Inexact matches count.
    pub(super) fuzzy: bool,
    /// A word must begin here.
    pub(super) head: bool,
    /// A word must end here.
    pub(super) tail: bool,
}

/// An error in a needle, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct NeedleError {
    /// The bytes at fault.
    pub span: Range<usize>,
    /// The message for users: one sentence without a full stop.
    pub message: String,
}

/// Most terms of a needle: every text and every displayed line is searched for each.
const MAX_TERMS: usize = 64;

impl Needle {
    /// Parses a needle; an empty one matches every sample. Unclosed quotes and slashes end with the
    /// text, and an operator without a word is ignored.
    ///
    /// # Errors
    /// If a regular expression does not compile, or there are more than 64 terms.
    pub fn parse(text: &str) -> Result<Self, NeedleError> {
        let mut terms = Vec::new();
        let mut at = 0;
        while let Some(start) = text[at..].find(|c: char| !c.is_whitespace()) {
            let (term, end) = term(text, at + start)?;
            if terms.len() == MAX_TERMS && term.is_some() {
                let message = format!("more than {MAX_TERMS} words; put quotes around a phrase");
                return Err(NeedleError {
                    span: at + start..text.trim_end().len(),
                    message,
                });
            }
            terms.extend(term);
            at = end;
        }
        Ok(Self {
            text: text.trim().to_owned(),
            terms,
        })
    }

    /// Adds a literal phrase, unless there are 64 terms already.
    #[must_use]
    pub fn and_phrase(self, phrase: &str) -> Self {
        self.and(TermKind::Literal(Literal {
            typed: phrase.to_owned(),
            ..Literal::default()
        }))
    }

    /// Adds a valid regular expression, unless there are 64 terms already.
    #[must_use]
    pub fn and_regex(self, regex: &str) -> Self {
        self.and(TermKind::Regex(regex.to_owned()))
    }

    fn and(mut self, kind: TermKind) -> Self {
        if self.terms.len() < MAX_TERMS {
            self.terms.push(NeedleTerm {
                negated: false,
                kind,
            });
        }
        self
    }

    /// True if there is no term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the typed text, trimmed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if this needle's matches are a subset of `before`'s, so only those need rescanning.
    /// Holds for added terms and for exact terms that grew; a fuzzy term that grew may match words
    /// that it was too short for.
    pub fn narrows(&self, before: &Self) -> bool {
        before
            .terms
            .iter()
            .all(|old| self.terms.iter().any(|new| new.implies(old)))
    }

    /// True if some term also matches inexactly.
    pub fn takes_near_spellings(&self) -> bool {
        let takes = |kind: &TermKind| matches!(kind, TermKind::Literal(it) if it.fuzzy && it.typed.chars().count() >= FUZZY_FROM);
        self.terms.iter().any(|term| takes(&term.kind))
    }

    /// True if the text was probably meant as a regular expression: it has characters that are rare
    /// in words, and no operator.
    pub fn looks_like_regex(&self) -> bool {
        const SIGNS: [&str; 9] = [
            ".*", ".+", r"\d+", r"\d{", r"\s+", r"\s*", r"\w+", "[a-z", "[0-9",
        ];
        let is_word = |term: &NeedleTerm| matches!(&term.kind, TermKind::Literal(it) if it.fuzzy);
        self.terms.iter().all(is_word) && SIGNS.iter().any(|sign| self.text.contains(sign))
    }
}

impl NeedleTerm {
    fn implies(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            _ if self == other => true,
            (TermKind::Literal(new), TermKind::Literal(old)) if !self.negated && !other.negated => {
                new.implies(old)
            }
            _ => false,
        }
    }
}

impl Literal {
    /// True if every text that matches this also matches `other`, because `other` is a part of it
    /// with the same or weaker word boundaries.
    fn implies(&self, other: &Self) -> bool {
        let same_smartness = text::Folding::of(&self.typed) == text::Folding::of(&other.typed);
        let plain = |literal: &Self| {
            literal
                .typed
                .chars()
                .all(|c| c.is_alphanumeric() && c.is_ascii())
        };
        let part = match (other.head, other.tail) {
            (false, false) => self.typed.contains(&other.typed),
            (true, false) => self.head && self.typed.starts_with(&other.typed),
            (false, true) => self.tail && self.typed.ends_with(&other.typed),
            (true, true) => self.head && self.tail && self.typed == other.typed,
        };
        !self.fuzzy && same_smartness && plain(self) && plain(other) && part
    }
}

/// Parses the term at a byte and returns its end; `None` for an empty term.
fn term(text: &str, start: usize) -> Result<(Option<NeedleTerm>, usize), NeedleError> {
    let rest = &text[start..];
    let (negated, body) = rest
        .strip_prefix('!')
        .map_or((false, rest), |body| (true, body));
    let at = text.len() - body.len();
    let (kind, end) = if let Some(quoted) = body.strip_prefix('"') {
        let (phrase, end) = until_delimiter(quoted, '"');
        (
            TermKind::Literal(Literal {
                typed: phrase,
                ..Literal::default()
            }),
            at + 1 + end,
        )
    } else if let Some(slashed) = body.strip_prefix('/') {
        let (source, end) = until_delimiter(slashed, '/');
        let end = at + 1 + end;
        if let Err(message) = text::regex(&source) {
            return Err(NeedleError {
                span: start..end,
                message,
            });
        }
        (TermKind::Regex(source), end)
    } else {
        let end = body.find(char::is_whitespace).unwrap_or(body.len());
        (TermKind::Literal(word(&body[..end], negated)), at + end)
    };
    let empty = match &kind {
        TermKind::Literal(literal) => literal.typed.is_empty(),
        TermKind::Regex(source) => source.is_empty(),
    };
    Ok(((!empty).then_some(NeedleTerm { negated, kind }), end))
}

/// Returns the text before the closing delimiter, and the end. A delimiter closes only before a
/// blank or the end, so it can also occur within words.
fn until_delimiter(text: &str, sign: char) -> (String, usize) {
    let close = text.match_indices(sign).find(|(at, _)| {
        let next = text[at + sign.len_utf8()..].chars().next();
        next.is_none_or(char::is_whitespace) && !text[..*at].ends_with('\\')
    });
    match close {
        Some((at, _)) => (text[..at].to_owned(), at + sign.len_utf8()),
        None => (text.trim_end().to_owned(), text.len()),
    }
}

fn word(typed: &str, negated: bool) -> Literal {
    // A negated word is literal and can be anywhere, as in fzf.
    let head = typed.starts_with('^');
    let rest = typed.strip_prefix(['\'', '^']).unwrap_or(typed);
    let before = rest.strip_suffix('$').filter(|before| !before.is_empty());
    Literal {
        typed: before.unwrap_or(rest).to_owned(),
        fuzzy: !negated && rest.len() == typed.len() && before.is_none(),
        head,
        tail: before.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abbreviates a term: `!` not, `~` fuzzy, `^ $` borders, `/` a regex.
    fn spelled(term: &NeedleTerm) -> String {
        let sign = |is: bool, sign: &str| if is { sign.to_owned() } else { String::new() };
        let not = sign(term.negated, "!");
        match &term.kind {
            TermKind::Regex(source) => format!("{not}/{source}"),
            TermKind::Literal(Literal {
                typed,
                fuzzy,
                head,
                tail,
            }) => {
                format!(
                    "{not}{}{}{typed}{}",
                    sign(*fuzzy, "~"),
                    sign(*head, "^"),
                    sign(*tail, "$")
                )
            }
        }
    }

    #[test]
    fn needles_are_taken_apart() {
        for (needle, expected) in [
            ("", &[][..]),
            ("  ", &[]),
            ("tea", &["~tea"]),
            (" green\ttea ", &["~green", "~tea"]),
            ("'tea", &["tea"]),
            ("^tea", &["^tea"]),
            ("tea$", &["tea$"]),
            ("^tea$", &["^tea$"]),
            ("'tea$", &["tea$"]),
            ("!tea", &["!tea"]),
            ("!'tea", &["!tea"]),
            ("!^tea", &["!^tea"]),
            ("!tea$", &["!tea$"]),
            ("!^tea$", &["!^tea$"]),
            ("!", &[]),
            ("' ^ !' !^", &[]),
            ("$", &["~$"]),
            ("\"green tea\" x", &["green tea", "~x"]),
            ("\"green tea", &["green tea"]),
            ("\"", &[]),
            ("!\"green tea\"", &["!green tea"]),
            ("/a b/ c", &["/a b", "~c"]),
            ("/a", &["/a"]),
            ("/a\\/ b/", &["/a\\/ b"]),
            ("!/a/", &["!/a"]),
            ("/usr/bin", &["/usr/bin"]),
            ("and/or", &["~and/or"]),
            ("it's", &["~it's"]),
            ("\"x\"y\" z", &["x\"y", "~z"]),
        ] {
            let parsed = Needle::parse(needle).expect("a needle");
            assert_eq!(
                parsed.terms.iter().map(spelled).collect::<Vec<_>>(),
                expected,
                "{needle:?}"
            );
        }
    }

    #[test]
    fn a_regex_that_does_not_compile_is_blamed() {
        let error = Needle::parse("tea !/(/ x").expect_err("no regex");
        assert_eq!(error.span, 4..8);
        assert!(error.message.starts_with("invalid regex"), "{error}");
    }

    #[test]
    fn there_is_an_end_of_terms() {
        let terms = "tea ".repeat(MAX_TERMS);
        assert!(Needle::parse(&format!("{terms} ! ")).is_ok());
        let error = Needle::parse(&format!("{terms}and coffee ")).expect_err("too many");
        assert_eq!(error.span, terms.len()..terms.len() + "and coffee".len());
        assert!(
            Needle::parse(&format!("\"{terms} and coffee\"")).is_ok(),
            "a phrase is one"
        );
    }

    #[test]
    fn narrowing_is_only_said_of_what_cannot_find_more() {
        for (before, after, narrows) in [
            ("", "tea", true),
            ("tea", "tea", true),
            ("tea", "tea green", true),
            ("tea green", "tea", false),
            ("tea", "teas", false),
            ("'tea", "'teas", true),
            ("^tea", "^teas", true),
            ("^tea", "'teas", false),
            ("'tea", "^teas", true),
            ("tea$", "steatea$", true),
            ("'tea", "'Tea", false),
            ("!tea", "!teas", false),
            ("!tea", "!tea x", true),
            ("/te/", "/tea/", false),
            ("\"green t\"", "\"green te\"", false),
            ("\"gre\"", "\"green\"", true),
        ] {
            let needle = |text| Needle::parse(text).expect("a needle");
            assert_eq!(
                needle(after).narrows(&needle(before)),
                narrows,
                "{before:?} {after:?}"
            );
        }
    }

    #[test]
    fn words_that_look_like_regular_expressions() {
        for (text, looks) in [
            ("peo.*ed", true),
            ("error .* timeout", true),
            (r"v\d+", true),
            ("[a-z]+ing", true),
            ("plain words", false),
            // These occur in texts.
            ("<|im_start|>", false),
            ("[INST]", false),
            (r"\beta", false),
            (r"C:\work", false),
            ("arr[0]", false),
            // The user knows operators.
            ("'peo.*ed", false),
            ("zz !foo.*", false),
            ("\"a.*b\"", false),
            ("/a.*b/", false),
        ] {
            let needle = Needle::parse(text).expect("a needle");
            assert_eq!(needle.looks_like_regex(), looks, "{text:?}");
        }
    }
}
