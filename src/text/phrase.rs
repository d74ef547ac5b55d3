//! What is looked for in texts as it stands: phrases and regular expressions; and, to pass over
//! most rows unread, in raw lines.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use memchr::memmem;

use super::fold::{Folding, continues, is_unseen};
use super::raw_phrase::{RawMatch, RawPhrase};
use super::signs;
use super::text_regex::TextRegex;
use super::width::{grapheme_end, grapheme_start};

/// These characters in this order: smart about case and accents, with any blanks for blanks, over
/// what is not seen and over the signs of Markdown that a reader does not see.
#[derive(Debug)]
pub struct Phrase {
    folding: Folding,
    /// What stands between blanks.
    parts: Vec<String>,
    /// How the first of them begins, up to where a sign may stand.
    first: memmem::Finder<'static>,
    blank_before: bool,
    blank_behind: bool,
    /// Someone who typed what is not seen asks for that and nothing else.
    verbatim: bool,
    raw: Option<RawPhrase>,
}

impl Phrase {
    /// Reads what was typed.
    pub fn new(typed: &str) -> Self {
        let verbatim = typed.chars().any(is_unseen);
        let folding = Folding::of(typed);
        let folded = if verbatim {
            Cow::Borrowed(typed)
        } else {
            folding.fold(typed)
        };
        let parts: Vec<_> = match verbatim {
            true => vec![typed.to_owned()],
            false => folded.split_whitespace().map(str::to_owned).collect(),
        };
        let first = parts.first().map_or("", String::as_str);
        let end = if verbatim {
            first.len()
        } else {
            signs::borders(first).next().unwrap_or(first.len())
        };
        let first = memmem::Finder::new(&first[..end]).into_owned();
        let blank = |c: Option<char>| !verbatim && c.is_some_and(char::is_whitespace);
        let (blank_before, blank_behind) = (
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
            blank_behind,
            verbatim,
            raw,
            parts,
        }
    }

    /// A text as this phrase is compared with it.
    fn fold<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.verbatim {
            Cow::Borrowed(text)
        } else {
            self.folding.fold(text)
        }
    }

    /// The first place in a folded text at or behind a byte, a border of characters; and the signs
    /// in it that are not of the phrase.
    fn find(
        &self,
        folded: &str,
        from: usize,
        signs: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        signs.clear();
        if self.parts.is_empty() {
            let (at, blank) = folded[from..]
                .char_indices()
                .find(|(_, c)| !self.blank_before || c.is_whitespace())?;
            return Some(from + at..from + at + blank.len_utf8());
        }
        let mut start = from;
        while let Some(at) = self.first.find(&folded.as_bytes()[start..]) {
            let at = start + at;
            if let Some(found) = self.at(folded, at, signs) {
                return Some(found);
            }
            start = at + folded[at..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    fn at(
        &self,
        folded: &str,
        start: usize,
        signs: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        signs.clear();
        let (mut from, mut at) = (start, start);
        if self.blank_before {
            from = signs::behind_blank(folded, start, signs)?;
        }
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                at = signs::over_blanks(folded, at, part.chars().next(), signs)?;
            }
            at = match folded[at..].starts_with(part.as_str()) {
                true => at + part.len(),
                false if self.verbatim => return None,
                false => signs::along(folded, at, part, signs)?,
            };
        }
        if self.blank_behind {
            at = signs::over_blanks(folded, at, None, signs)?;
        }
        let whole = self.verbatim || !folded[at..].chars().next().is_some_and(continues);
        whole.then_some(from..at)
    }

    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> bool {
        let is_there = |text: &str| self.find(&self.fold(text), 0, &mut Vec::new()).is_some();
        is_there(text)
            || (!self.verbatim
                && signs::without_inner_emphasis(text).is_some_and(|seen| is_there(&seen.text)))
    }

    /// Shows the bytes of a text that are it: apart, whole graphemes; and the bytes of each that
    /// are signs and not of it.
    fn each(
        &self,
        text: &str,
        wanted: &dyn Fn() -> bool,
        show: &mut MatchVisitor<'_>,
    ) -> ControlFlow<()> {
        if self.verbatim {
            let found = text.match_indices(&self.parts[0]);
            let found = found.map(|(at, part)| at..at + part.len());
            return each_of(text, found, wanted, show);
        }
        let Some(seen) = signs::without_inner_emphasis(text) else {
            return self.each_written(text, wanted, show);
        };
        let mut found: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
        self.each_written(text, wanted, &mut |range, signs| {
            found.push((range, signs.to_vec()));
        })?;
        let written = found.len();
        self.each_written(&seen.text, wanted, &mut |range, signs| {
            let pieces = seen.origin(range);
            // What crosses no emphasis was found as it is written.
            let [first, .., last] = &pieces[..] else {
                return;
            };
            let range = first.start..last.end;
            // Those are in order, and apart.
            let behind = found[..written].partition_point(|(other, _)| other.end <= range.start);
            let next = found[..written].get(behind);
            if next.is_none_or(|(other, _)| range.end <= other.start) {
                let inner = pieces.windows(2).map(|two| two[0].end..two[1].start);
                let mut signs: Vec<_> = signs
                    .iter()
                    .flat_map(|sign| seen.origin(sign.clone()))
                    .chain(inner)
                    .collect();
                signs.sort_unstable_by_key(|sign| sign.start);
                found.push((range, signs));
            }
        })?;
        found.sort_unstable_by_key(|(range, _)| range.start);
        found
            .into_iter()
            .for_each(|(range, signs)| show(range, &signs));
        ControlFlow::Continue(())
    }

    /// [`Self::each`] of a text as it is written, emphasis inside words included.
    fn each_written(
        &self,
        text: &str,
        wanted: &dyn Fn() -> bool,
        show: &mut MatchVisitor<'_>,
    ) -> ControlFlow<()> {
        let traced = self.folding.trace(text);
        let (mut from, mut shown, mut signs, mut steps) = (0, 0, Vec::new(), 0_usize);
        while let Some(found) = self
            .find(&traced.text, from, &mut signs)
            .filter(|found| found.end > from)
        {
            go_on(&mut steps, wanted)?;
            from = found.end;
            let range = traced.origin(text, found);
            // Of one character that became several, several may be found.
            if range.start >= shown {
                signs
                    .iter_mut()
                    .for_each(|sign| *sign = traced.origin(text, sign.clone()));
                shown = range.end;
                show(range, &signs);
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether a decoded text of this line can have it.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        self.raw_match(line) != RawMatch::None
    }

    /// Whether a text that is spelled like this, a JSON string with its quotes, has it.
    fn raw_match(&self, spelling: &[u8]) -> RawMatch {
        let raw = self.raw.as_ref();
        let found = raw.map_or(RawMatch::Possible, |raw| raw.look(spelling));
        match found {
            // Of blanks it is not known whether they stand beside it.
            RawMatch::Certain if self.blank_before || self.blank_behind => RawMatch::Possible,
            found => found,
        }
    }
}

fn whole(text: &str, range: Range<usize>) -> Range<usize> {
    grapheme_start(text, range.start)..grapheme_end(text, range.end)
}

/// Is shown the bytes of a text that are it, and the bytes among them that are signs and not of it.
pub(super) type MatchVisitor<'s> = dyn FnMut(Range<usize>, &[Range<usize>]) + 's;

/// A phrase or a regular expression, made ready.
#[derive(Debug)]
pub enum Finder {
    /// These characters.
    Phrase(Box<Phrase>),
    /// What this matches in a text as it is.
    Regex(Box<TextRegex>),
}

impl Finder {
    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Phrase(phrase) => phrase.is_in(text),
            Self::Regex(regex) => regex.is_in(text),
        }
    }

    /// Whether a decoded text of this line can have it.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        match self {
            Self::Phrase(phrase) => phrase.may_be_in(line),
            Self::Regex(regex) => regex.may_be_in(line),
        }
    }

    /// Whether a text that is spelled like this, a JSON string with its quotes, has it, as far as that is
    /// known without decoding.
    pub fn raw_match(&self, spelling: &[u8]) -> RawMatch {
        match self {
            Self::Phrase(phrase) => phrase.raw_match(spelling),
            Self::Regex(regex) => match regex.may_be_in(spelling) {
                true => RawMatch::Possible,
                false => RawMatch::None,
            },
        }
    }

    /// Shows the bytes of a text that are it: apart, none empty, whole graphemes; and the bytes of
    /// each that are signs and not of it.
    pub fn each(&self, text: &str, show: &mut MatchVisitor<'_>) {
        // It is wanted to the end.
        let _ = self.each_while(text, &|| true, show);
    }

    /// [`Self::each`] as long as it is `wanted`, which is asked every few hundred places; breaks once
    /// it is not.
    pub fn each_while(
        &self,
        text: &str,
        wanted: &dyn Fn() -> bool,
        show: &mut MatchVisitor<'_>,
    ) -> ControlFlow<()> {
        match self {
            Self::Phrase(phrase) => phrase.each(text, wanted, show),
            Self::Regex(regex) => {
                let found = regex.places(text).filter(|range| !range.is_empty());
                each_of(text, found, wanted, show)
            }
        }
    }
}

/// Places between two looks at whether they are still wanted: well below a millisecond.
const LOOK: usize = 512;

fn go_on(steps: &mut usize, wanted: &dyn Fn() -> bool) -> ControlFlow<()> {
    *steps += 1;
    if !steps.is_multiple_of(LOOK) || wanted() {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// Shows places that have no signs in them, as long as they are wanted.
fn each_of(
    text: &str,
    found: impl Iterator<Item = Range<usize>>,
    wanted: &dyn Fn() -> bool,
    show: &mut MatchVisitor<'_>,
) -> ControlFlow<()> {
    let mut steps = 0;
    for range in found {
        go_on(&mut steps, wanted)?;
        show(whole(text, range), &[]);
    }
    ControlFlow::Continue(())
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
            ("tea", r#"{"p": "t\ud835\udc1aa"}"#, false),
            ("tea", r#"{"p": "° … te\u00ada"}"#, true),
            ("m2", r#"{"p": "5 m²"}"#, true),
            ("tea", r#"{"p": "5 m²"}"#, false),
            ("so...", r#"{"p": "so…"}"#, true),
            ("file", r#"{"p": "ﬁle"}"#, true),
            ("(see bold)", r#"{"p": "(see **bold**)"}"#, true),
            ("bold,", r#"{"p": "**bold**, x"}"#, true),
            ("snake_case", r#"{"p": "snake\\_case"}"#, true),
            ("snake_case", r#"{"p": "snakes and a case"}"#, false),
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
        ] {
            let finder = Finder::Phrase(Box::new(Phrase::new(phrase)));
            let mut found = Vec::new();
            finder.each(text, &mut |range, _| found.push(&text[range]));
            assert_eq!(found, expected, "{phrase:?} {text:?}");
            assert_eq!(
                finder.is_in(text),
                !expected.is_empty(),
                "{phrase:?} {text:?}"
            );
        }
    }
    #[test]
    fn a_phrase_is_found_through_the_signs_of_markdown() {
        for (phrase, text, expected) in [
            ("bold text", "**bold** text", &["bold", " text"][..]),
            (
                "some bold text",
                "some ***bold*** `text`",
                &["some ", "bold", " ", "text"],
            ),
            ("bold, text", "__bold__, text", &["bold", ", text"]),
            ("(see bold)", "(see ~~bold~~)", &["(see ", "bold", ")"]),
            ("(bold)", "(**bold**)", &["(", "bold", ")"]),
            ("bold", "**bold**", &["bold"]),
            (" bold ", "some **bold** text", &[" ", "bold", " "]),
            (
                "the __init__ method",
                "the `__init__` method",
                &["the ", "__init__", " method"],
            ),
            (
                "the init method",
                "the `__init__` method",
                &["the ", "init", " method"],
            ),
            (
                "snake_case name",
                "snake\\_case name",
                &["snake", "_case name"],
            ),
            ("2 * 3", "2 \\* 3", &["2 ", "* 3"]),
            ("one two", "one\\\ntwo", &["one", "\ntwo"]),
            (
                "one two three",
                "> one\n> two\n> > three",
                &["one\n", " two\n", " ", " three"],
            ),
            (
                "see the docs",
                "see [the docs](http://x)",
                &["see ", "the docs"],
            ),
            ("see the map", "see ![the map](x.png)", &["see ", "the map"]),
            ("漢字と", "**漢字**と", &["漢字", "と"]),
            (
                "Bold text",
                "**Bold** text, **bold** text",
                &["Bold", " text"],
            ),
            ("bold text", "**ｂold** text", &["ｂold", " text"]),
            (
                "one two",
                "one two o**n**e two one two **o**ne two",
                &["one two", "o", "n", "e two", "one two", "o", "ne two"],
            ),
            // Signs that are typed are looked for.
            ("**bold** text", "**bold** text", &["**bold** text"]),
            ("**bold** text", "bold text", &[]),
            ("**", "2 ** 3", &["**"]),
            ("2 * 3", "2 ** 3", &[]),
            ("a > b", "a\n> b", &["a\n> b"]),
            // What a reader sees is not passed over, nor what stands inside a word or alone.
            ("2 3", "2 * 3", &[]),
            ("ab", "a*b", &[]),
            ("a b", "a*b", &[]),
            ("see 1", "see [1]", &[]),
            ("a b", "a # b", &[]),
            ("a b", "a ********* b", &[]),
            ("a b", "a *********b", &[]),
            (" b", "a *********b", &[]),
            ("a b", "a > b", &[]),
            ("one two", "one\\two", &[]),
            ("\u{200b}b c", "\u{200b}b** c", &[]),
        ] {
            let finder = Finder::Phrase(Box::new(Phrase::new(phrase)));
            let mut found = Vec::new();
            finder.each(text, &mut |range, signs| {
                found.extend(signs::without_signs(range, signs).map(|range| &text[range]));
            });
            assert_eq!(found, expected, "{phrase:?} {text:?}");
            assert_eq!(
                finder.is_in(text),
                !expected.is_empty(),
                "{phrase:?} {text:?}"
            );
            let line = serde_json::to_string(text).expect("JSON");
            assert!(
                expected.is_empty() || finder.may_be_in(line.as_bytes()),
                "{phrase:?} {line}"
            );
        }
    }
}
