//! What was typed, taken apart: `schdlr 'exact ^begin end$ !not "a phrase" /regex/`.

use std::ops::Range;

use thiserror::Error;

use super::word::FUZZY_FROM;
use crate::text;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needle {
    text: String,
    terms: Vec<NeedleTerm>,
}

/// A part of a needle; a sample must have all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NeedleTerm {
    /// `!`: a sample must not have it.
    pub(super) negated: bool,
    pub(super) kind: TermKind,
}

/// What a term looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TermKind {
    /// Characters.
    Literal(Literal),
    /// What a regular expression matches, by its source.
    Regex(String),
}

/// Characters as they were typed, and how much of a word they must be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Literal {
    pub(super) typed: String,
    /// A word that is nearly so will do.
    pub(super) fuzzy: bool,
    /// A word begins here.
    pub(super) head: bool,
    /// A word ends here.
    pub(super) tail: bool,
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

/// Terms of a needle: every text is looked through for each of them, and so is every line that
/// shows.
const MOST_TERMS: usize = 64;

impl Needle {
    /// Reads a needle; one of blanks alone looks for nothing and finds everything. Quotes and
    /// slashes that are not closed yet close at its end, and an operator without anything behind it
    /// is none yet.
    ///
    /// # Errors
    /// When a regular expression in it does not compile, or it has more than 64 terms.
    pub fn parse(text: &str) -> Result<Self, NeedleError> {
        let mut terms = Vec::new();
        let mut at = 0;
        while let Some(start) = text[at..].find(|c: char| !c.is_whitespace()) {
            let (term, end) = term(text, at + start)?;
            if terms.len() == MOST_TERMS && term.is_some() {
                let message =
                    format!("more than {MOST_TERMS} words: quotes around them find a phrase");
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

    /// This, looking for these characters as well, wherever they stand; no more where it has 64 terms.
    #[must_use]
    pub fn and_phrase(self, phrase: &str) -> Self {
        self.and(TermKind::Literal(Literal {
            typed: phrase.to_owned(),
            ..Literal::default()
        }))
    }

    /// This, looking as well for what a regular expression matches, which is known to compile; no more
    /// where it has 64 terms.
    #[must_use]
    pub fn and_regex(self, regex: &str) -> Self {
        self.and(TermKind::Regex(regex.to_owned()))
    }

    fn and(mut self, kind: TermKind) -> Self {
        if self.terms.len() < MOST_TERMS {
            self.terms.push(NeedleTerm {
                negated: false,
                kind,
            });
        }
        self
    }

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// As typed, without blanks around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether whatever this needle finds, `before` found too: typing on, only that need be looked
    /// at again. A word that grew may find what is nearly so that its beginning was too short for,
    /// so that this is said of terms that were added and of exact ones that grew.
    pub fn narrows(&self, before: &Self) -> bool {
        before
            .terms
            .iter()
            .all(|old| self.terms.iter().any(|new| new.implies(old)))
    }

    /// Whether words that are nearly as typed are found as well, for some term.
    pub fn takes_near_spellings(&self) -> bool {
        let takes = |kind: &TermKind| matches!(kind, TermKind::Literal(it) if it.fuzzy && it.typed.chars().count() >= FUZZY_FROM);
        self.terms.iter().any(|term| takes(&term.kind))
    }

    /// Whether it was probably meant as a regular expression: it has what words seldom have, and no
    /// operator.
    pub fn looks_like_regex(&self) -> bool {
        const SIGNS: [&str; 9] = [
            ".*", ".+", r"\d+", r"\d{", r"\s+", r"\s*", r"\w+", "[a-z", "[0-9",
        ];
        let is_word = |term: &NeedleTerm| matches!(&term.kind, TermKind::Literal(it) if it.fuzzy);
        self.terms.iter().all(is_word) && SIGNS.iter().any(|sign| self.text.contains(sign))
    }

    pub(super) fn terms(&self) -> &[NeedleTerm] {
        &self.terms
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
    /// Whether a text that has this has the other: the other is a part of it that asks for no more
    /// of the words around it.
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

/// The term that begins at a byte, if it looks for anything, and where it ends.
fn term(text: &str, start: usize) -> Result<(Option<NeedleTerm>, usize), NeedleError> {
    let rest = &text[start..];
    let (negated, body) = rest
        .strip_prefix('!')
        .map_or((false, rest), |body| (true, body));
    let at = text.len() - body.len();
    let (kind, end) = if let Some(quoted) = body.strip_prefix('"') {
        let (phrase, end) = closed(quoted, '"');
        (
            TermKind::Literal(Literal {
                typed: phrase,
                ..Literal::default()
            }),
            at + 1 + end,
        )
    } else if let Some(slashed) = body.strip_prefix('/') {
        let (source, end) = closed(slashed, '/');
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

/// What comes before the sign that closes it, and where that ends. The sign closes where a blank or
/// the end follows, so that it may stand within words.
fn closed(text: &str, sign: char) -> (String, usize) {
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
    // What nobody wants is meant as it stands, wherever: as fzf has it.
    let plain = Literal {
        fuzzy: !negated,
        ..Literal::default()
    };
    let (typed, mut literal) = match typed.chars().next() {
        Some('\'') => (&typed[1..], Literal::default()),
        Some('^') => (
            &typed[1..],
            Literal {
                head: true,
                ..Literal::default()
            },
        ),
        _ => (typed, plain),
    };
    let typed = match typed.strip_suffix('$').filter(|before| !before.is_empty()) {
        Some(before) => {
            literal = Literal {
                fuzzy: false,
                tail: true,
                ..literal
            };
            before
        }
        None => typed,
    };
    Literal {
        typed: typed.to_owned(),
        ..literal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A term in short: `!` not, `~` fuzzy, `^ $` borders, `/` a regex.
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
        assert!(error.message.starts_with("this is no regex"), "{error}");
    }

    #[test]
    fn there_is_an_end_of_terms() {
        let terms = "tea ".repeat(MOST_TERMS);
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
            // Texts have those.
            ("<|im_start|>", false),
            ("[INST]", false),
            (r"\beta", false),
            (r"C:\work", false),
            ("arr[0]", false),
            // Who types an operator knows what may be typed.
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
