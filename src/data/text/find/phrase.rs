//! Searching texts, and raw lines, for phrases and regular expressions. Raw lines without a match
//! need not be read.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::fold::{Folding, continues, is_unseen};
use super::raw_phrase::RawPhrase;
use super::text_regex::TextRegex;
use crate::text::terminal::width::whole_graphemes;

/// A literal phrase, with smart case and accents. Blanks match any white space; hidden characters
/// are ignored.
#[derive(Debug)]
pub struct Phrase {
    folding: Folding,
    /// The parts between blanks.
    parts: Vec<String>,
    /// Finds the first part.
    first: memmem::Finder<'static>,
    blank_before: bool,
    blank_after: bool,
    /// True if hidden characters were typed: the phrase must then match exactly.
    verbatim: bool,
    raw: Option<RawPhrase>,
}

impl Phrase {
    /// Compiles a typed phrase.
    pub fn new(typed: &str) -> Self {
        let verbatim = typed.chars().any(is_unseen);
        let folding = Folding::of(typed);
        let folded = if verbatim {
            Cow::Borrowed(typed)
        } else {
            folding.fold(typed)
        };
        let parts: Vec<_> = if verbatim {
            vec![typed.to_owned()]
        } else {
            folded.split_whitespace().map(str::to_owned).collect()
        };
        let first = parts.first().map_or("", String::as_str);
        let first = memmem::Finder::new(first).into_owned();
        let blank = |c: Option<char>| !verbatim && c.is_some_and(char::is_whitespace);
        let (blank_before, blank_after) = (
            blank(folded.chars().next()),
            blank(folded.chars().next_back()),
        );
        let raw = if verbatim {
            None
        } else {
            RawPhrase::new(&parts, folding)
        };
        Self {
            folding,
            first,
            blank_before,
            blank_after,
            verbatim,
            raw,
            parts,
        }
    }

    /// Folds a text for comparison.
    fn fold<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.verbatim {
            Cow::Borrowed(text)
        } else {
            self.folding.fold(text)
        }
    }

    /// Finds the first match in a folded text from a character boundary on.
    fn find(&self, folded: &str, from: usize) -> Option<Range<usize>> {
        if self.parts.is_empty() {
            let (at, blank) = folded[from..]
                .char_indices()
                .find(|(_, c)| !self.blank_before || c.is_whitespace())?;
            return Some(from + at..from + at + blank.len_utf8());
        }
        let mut start = from;
        while let Some(at) = self.first.find(&folded.as_bytes()[start..]) {
            let at = start + at;
            if let Some(found) = self.at(folded, at) {
                return Some(found);
            }
            start = at + folded[at..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    fn at(&self, folded: &str, start: usize) -> Option<Range<usize>> {
        let (mut from, mut at) = (start, start);
        if self.blank_before {
            let blank = folded[..start].chars().next_back();
            from -= blank.filter(|c| c.is_whitespace())?.len_utf8();
        }
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                at = after_blanks(folded, at)?;
            }
            at += folded[at..]
                .starts_with(part.as_str())
                .then_some(part.len())?;
        }
        if self.blank_after {
            at = after_blanks(folded, at)?;
        }
        let whole = self.verbatim || !folded[at..].chars().next().is_some_and(continues);
        whole.then_some(from..at)
    }

    /// True if a text contains the phrase.
    pub fn is_in(&self, text: &str) -> bool {
        self.find(&self.fold(text), 0).is_some()
    }

    /// Returns the matches: disjoint, whole graphemes.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        if self.verbatim {
            return text
                .match_indices(&self.parts[0])
                .map(|(at, part)| whole_graphemes(text, at..at + part.len()))
                .collect();
        }
        let traced = self.folding.trace(text);
        let (mut from, mut places) = (0, Vec::<Range<usize>>::new());
        let find = |from| self.find(&traced.text, from);
        while let Some(found) = find(from).filter(|found| found.end > from) {
            from = found.end;
            let range = traced.origin(text, found);
            // One character that became several can have several matches.
            if places.last().is_none_or(|last| range.start >= last.end) {
                places.push(range);
            }
        }
        places
    }

    /// True if a decoded text of this raw line can contain the phrase.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        self.raw.as_ref().is_none_or(|raw| raw.may_be_in(line))
    }
}

/// Skips blanks; `None` if there are none.
fn after_blanks(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start();
    let end = text.len() - rest.len();
    (end > at).then_some(end)
}

/// A compiled phrase or regular expression.
#[derive(Debug)]
pub enum Finder {
    /// A literal phrase.
    Phrase(Box<Phrase>),
    /// A regular expression.
    Regex(Box<TextRegex>),
}

impl Finder {
    /// True if a text matches.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Phrase(phrase) => phrase.is_in(text),
            Self::Regex(regex) => regex.is_in(text),
        }
    }

    /// True if a decoded text of this raw line can match.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        match self {
            Self::Phrase(phrase) => phrase.may_be_in(line),
            Self::Regex(regex) => regex.may_be_in(line),
        }
    }

    /// Returns the matches: disjoint, not empty, whole graphemes.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Phrase(phrase) => phrase.places(text),
            Self::Regex(regex) => regex
                .places(text)
                .filter(|range| !range.is_empty())
                .map(|range| whole_graphemes(text, range))
                .collect(),
        }
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
            ("tea", r#"{"p": "coffee — 5 °C"}"#, false),
            ("tea", r#"{"p": "téa"}"#, true),
            ("Tea", r#"{"p": "a tea"}"#, false),
            ("Tea", r#"{"p": "\u0054ea"}"#, true),
            ("tea", r#"{"p": "\u0054ea"}"#, true),
            ("café", r#"{"p": "caf\u00e9"}"#, true),
            ("café", r#"{"p": "cafe"}"#, false),
            ("a\"b", r#"{"p": "a\"b"}"#, true),
            ("a/b", r#"{"p": "a\/b"}"#, true),
            ("green tea", r#"{"p": "green\ntea"}"#, true),
            ("green tea", r#"{"p": "red tea"}"#, false),
            ("tea", r#"{"p": "5 \u00b0C \u2026"}"#, false),
            ("tea", r#"{"p": "5 \u00b0C t\u0065a"}"#, true),
            ("tea", r#"{"p": "5 \u00b"}"#, false),
            ("tea", r#"{"p": "te\ud835\udc1a"}"#, true),
            // Neighbours of escapes are not compared.
            ("tea", r#"{"p": "t\ud835\udc1aa"}"#, true),
            ("tea", r#"{"p": "° … te\u00ada"}"#, true),
            ("m2", r#"{"p": "5 m²"}"#, true),
            ("tea", r#"{"p": "5 m²"}"#, false),
            ("so...", r#"{"p": "so…"}"#, true),
            ("file", r#"{"p": "ﬁle"}"#, true),
            ("(see bold)", r#"{"p": "(see **bold**)"}"#, false),
            ("(see **bold", r#"{"p": "(see **bold**)"}"#, true),
            ("tea", r#"{"p": "° …—téa"}"#, true),
            ("tea", r#"{"p": "° …—té"}"#, false),
            ("ask", "{\"p\": \"as\u{212a}\"}", true),
        ] {
            assert_eq!(
                Phrase::new(phrase).may_be_in(line.as_bytes()),
                may,
                "{phrase} {line}"
            );
        }
    }

    #[test]
    fn a_phrase_is_found_where_a_reader_sees_it() {
        for (phrase, text, expected) in [
            (
                "green tea",
                "Green\n  tea, green tea",
                &["Green\n  tea", "green tea"][..],
            ),
            ("green tea", "greentea", &[]),
            ("Green", "green", &[]),
            ("ecole", "une École", &["École"]),
            ("école", "une Ecole", &[]),
            ("école", "une E\u{301}cole", &["E\u{301}cole"]),
            (" tea", "tea  tea", &[" tea"]),
            ("tea ", "tea  tea", &["tea  "]),
            ("it's", "It’s", &["It’s"]),
            ("zero", "ze\u{200b}ro", &["ze\u{200b}ro"]),
            ("\u{200b}", "ze\u{200b}ro", &["\u{200b}"]),
            ("か", "がか", &["か"]),
            ("漢字", "新漢字典", &["漢字"]),
            ("aa", "aaaaa", &["aa", "aa"]),
            ("file", "a ﬁle, ＦＩＬＥ", &["ﬁle", "ＦＩＬＥ"]),
            ("ﬁle", "a ﬁle, a file", &["ﬁle"]),
            ("f", "ﬀ", &["ﬀ"]),
            // Markdown is part of the text.
            ("**bold** text", "**bold** text", &["**bold** text"]),
            ("bold text", "**bold** text", &[]),
            ("bold", "**bo**ld **bold**", &["bold"]),
            ("a > b", "a\n> b", &["a\n> b"]),
            ("a b", "a\n> b", &[]),
        ] {
            let finder = Finder::Phrase(Box::new(Phrase::new(phrase)));
            let found = finder.places(text).into_iter();
            let found: Vec<_> = found.map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{phrase:?} {text:?}");
            assert_eq!(
                finder.is_in(text),
                !expected.is_empty(),
                "{phrase:?} {text:?}"
            );
        }
    }
}
