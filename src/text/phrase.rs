//! What is looked for in texts as it stands: phrases and regular expressions; and, to pass over most rows unread, in raw lines.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use regex::{Regex, RegexBuilder, bytes};

use super::fold::{Folding, continues, first_beyond_ascii, is_unseen};
use super::width::{grapheme_end, grapheme_start};

/// Bytes that a regular expression may take when compiled.
const MOST_BYTES: usize = 4 << 20;

/// These characters in this order: smart about case and accents, with any blanks for blanks, over what is not seen.
#[derive(Debug)]
pub struct Phrase {
    folding: Folding,
    /// What stands between blanks.
    parts: Vec<String>,
    first: memmem::Finder<'static>,
    blank_before: bool,
    blank_behind: bool,
    /// Someone who typed what is not seen asks for that and nothing else.
    verbatim: bool,
    raw: Option<Raw>,
}

/// Finds a phrase in a line as JSON spells it.
#[derive(Debug)]
struct Raw {
    part: bytes::Regex,
    escape: memmem::Finder<'static>,
}

impl Phrase {
    /// Reads what was typed.
    pub fn new(typed: &str) -> Self {
        let verbatim = typed.chars().any(is_unseen);
        let folding = Folding::of(typed);
        let folded = if verbatim { Cow::Borrowed(typed) } else { folding.fold(typed) };
        let parts: Vec<_> = match verbatim {
            true => vec![typed.to_owned()],
            false => folded.split_whitespace().map(str::to_owned).collect(),
        };
        let first = memmem::Finder::new(parts.first().map_or("", String::as_str)).into_owned();
        let blank = |c: Option<char>| !verbatim && c.is_some_and(char::is_whitespace);
        let (blank_before, blank_behind) = (blank(folded.chars().next()), blank(folded.chars().next_back()));
        let raw = if verbatim { None } else { Raw::new(&parts, folding) };
        Self { folding, first, blank_before, blank_behind, verbatim, raw, parts }
    }

    /// A text as this phrase is compared with it.
    pub fn fold<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.verbatim { Cow::Borrowed(text) } else { self.folding.fold(text) }
    }

    /// The first place in a folded text at or behind a byte, a border of characters.
    pub fn find(&self, folded: &str, from: usize) -> Option<Range<usize>> {
        if self.parts.is_empty() {
            let (at, blank) = folded[from..].char_indices().find(|(_, c)| !self.blank_before || c.is_whitespace())?;
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
        let mut rest = &folded[start..];
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                rest = after_blanks(rest)?;
            }
            rest = rest.strip_prefix(part.as_str())?;
        }
        let mut from = start;
        if self.blank_before {
            let blank = folded[..start].chars().next_back().filter(|c| c.is_whitespace())?;
            from -= blank.len_utf8();
        }
        if self.blank_behind {
            rest = after_blanks(rest)?;
        }
        let whole = self.verbatim || !rest.chars().next().is_some_and(continues);
        whole.then(|| from..folded.len() - rest.len())
    }

    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> bool {
        self.find(&self.fold(text), 0).is_some()
    }

    /// The bytes of a text that are it: apart, whole graphemes.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        if self.verbatim {
            return text.match_indices(&self.parts[0]).map(|(at, part)| whole(text, at..at + part.len())).collect();
        }
        let traced = self.folding.trace(text);
        let (mut ranges, mut from) = (Vec::new(), 0);
        while let Some(found) = self.find(&traced.text, from).filter(|found| found.end > from) {
            from = found.end;
            ranges.push(traced.origin(text, found));
        }
        ranges
    }

    /// Whether a decoded text of this line can have it.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        self.raw.as_ref().is_none_or(|raw| raw.part.is_match(line) || raw.spells_otherwise(line))
    }
}

/// What comes behind blanks, of which there must be one.
fn after_blanks(text: &str) -> Option<&str> {
    let behind = text.trim_start();
    (behind.len() < text.len()).then_some(behind)
}

fn whole(text: &str, range: Range<usize>) -> Range<usize> {
    grapheme_start(text, range.start)..grapheme_end(text, range.end)
}

impl Raw {
    /// `None` for a phrase whose characters JSON spells otherwise as a rule.
    fn new(parts: &[String], folding: Folding) -> Option<Self> {
        let plain = |part: &&String| part.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\/".contains(&byte));
        let part = parts.iter().filter(plain).max_by_key(|part| part.len())?;
        let part =
            bytes::RegexBuilder::new(&regex::escape(part)).case_insensitive(!folding.case).unicode(false).build();
        Some(Self { part: part.ok()?, escape: memmem::Finder::new(r"\u") })
    }

    /// Whether a line has what can fold to a character of the phrase or to nothing: it must be read.
    fn spells_otherwise(&self, line: &[u8]) -> bool {
        let mut rest = line;
        while let Some(start) = first_beyond_ascii(rest) {
            let end = rest[start..].iter().position(u8::is_ascii).map_or(rest.len(), |length| start + length);
            if !std::str::from_utf8(&rest[start..end]).is_ok_and(|signs| signs.chars().all(is_only_itself)) {
                return true;
            }
            rest = &rest[end..];
        }
        let harmless = |at: usize| escaped(&line[at..]).is_some_and(is_only_itself);
        self.escape.find_iter(line).any(|at| !harmless(at))
    }
}

/// Signs, Cyrillic and Han that are frequent in texts and fold to nothing of ASCII.
fn is_only_itself(c: char) -> bool {
    matches!(c,
        '£' | '§' | '©' | '°' | '±' | '²' | '³' | '·' | '×' | '÷' | '–' | '—' | '•' | '…' | '€' | '→'
        | '\u{410}'..='\u{44F}' | '\u{4E00}'..='\u{9FFF}')
}

/// The character that `\u` and four digits spell.
fn escaped(spelling: &[u8]) -> Option<char> {
    let digits = std::str::from_utf8(spelling.get(2..6)?).ok()?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// A phrase or a regular expression, made ready.
#[derive(Debug)]
pub enum Finder {
    /// These characters.
    Phrase(Box<Phrase>),
    /// What this matches in a text as it is.
    Regex(Regex),
}

impl Finder {
    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Phrase(phrase) => phrase.is_in(text),
            Self::Regex(regex) => regex.is_match(text),
        }
    }

    /// Whether a decoded text of this line can have it.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        match self {
            Self::Phrase(phrase) => phrase.may_be_in(line),
            Self::Regex(_) => true,
        }
    }

    /// The bytes of a text that are it: apart, none empty, whole graphemes.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Phrase(phrase) => phrase.ranges(text),
            Self::Regex(regex) => {
                let found = regex.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty());
                found.map(|range| whole(text, range)).collect()
            }
        }
    }
}
/// Compiles a regular expression that matches letters in both cases unless it has an upper-case one itself.
///
/// # Errors
/// A reason for people where it does not compile, or would take too much room.
pub fn regex(pattern: &str) -> Result<Regex, String> {
    let builder = RegexBuilder::new(pattern).case_insensitive(!has_capital(pattern)).size_limit(MOST_BYTES).build();
    builder.map_err(|error| match &error {
        regex::Error::CompiledTooBig(_) => "this regex is too big".to_owned(),
        _ => {
            let text = error.to_string();
            let reason = text.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it does not compile");
            format!("this is no regex: {reason}")
        }
    })
}

/// Whether there is an upper-case letter that stands for itself: that of `\W` does not.
fn has_capital(pattern: &str) -> bool {
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next() {
                Some('p' | 'P') => skip_class(&mut signs),
                _ => continue,
            },
            _ if sign.is_uppercase() => return true,
            _ => {}
        }
    }
    false
}

/// Goes over the name of a Unicode class: `L`, `{Greek}`.
fn skip_class(signs: &mut std::str::Chars<'_>) {
    if signs.next() == Some('{') {
        signs.find(|sign| *sign == '}');
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
            ("café", r#"{"p": "cafe"}"#, true),
            ("a\"b", r#"{"p": "a\"b"}"#, true),
            ("a/b", r#"{"p": "a\/b"}"#, true),
            ("green tea", r#"{"p": "green\ntea"}"#, true),
            ("green tea", r#"{"p": "red tea"}"#, false),
            ("tea", r#"{"p": "5 \u00b0C \u2026"}"#, false),
            ("tea", r#"{"p": "5 \u00b0C t\u0065a"}"#, true),
            ("tea", r#"{"p": "5 \u00b"}"#, true),
            ("tea", r#"{"p": "t\ud835\udc1aa"}"#, true),
            ("tea", r#"{"p": "° … te\u00ada"}"#, true),
            ("tea", r#"{"p": "° …—té"}"#, true),
            ("ask", "{\"p\": \"as\u{212a}\"}", true),
        ] {
            assert_eq!(Phrase::new(phrase).may_be_in(line.as_bytes()), may, "{phrase} {line}");
        }
    }

    #[test]
    fn a_phrase_is_found_where_a_reader_sees_it() {
        for (phrase, text, expected) in [
            ("green tea", "Green\n  tea, green tea", &["Green\n  tea", "green tea"][..]),
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
        ] {
            let finder = Phrase::new(phrase);
            let found: Vec<_> = finder.ranges(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{phrase:?} {text:?}");
            assert_eq!(finder.is_in(text), !expected.is_empty(), "{phrase:?} {text:?}");
        }
    }
}
