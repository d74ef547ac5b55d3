//! Regular expressions over lines as JSON spells them: what a text of a line can match is known
//! before it is decoded.
//!
//! A regular expression over texts is respelled as one over lines that matches whatever line has a
//! text that the first one matches, and some more. Look-around is left out. Of characters, most are
//! sought as they stand, so that literals stay literals, which are found at the speed of memory; a
//! line that has one of those as `\uXXXX` may match, and is found by that. Only of classes that have
//! a great many characters escapes are part of the expression.

use regex::bytes;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Repetition,
};

use super::raw_escapes::EscapeFinder;
use super::text_regex::MOST_BYTES;

/// A class with letters of ASCII and more characters than this, such as `\w`, takes any `\uXXXX`.
const MANY: usize = 1000;

/// What JSON has short escapes for, with their letters.
const SHORT: [(char, u8); 8] = [
    ('"', b'"'),
    ('\\', b'\\'),
    ('/', b'/'),
    ('\u{8}', b'b'),
    ('\u{c}', b'f'),
    ('\n', b'n'),
    ('\r', b'r'),
    ('\t', b't'),
];

/// A regular expression that finds the lines whose texts another one can match.
#[derive(Debug)]
pub(super) struct RawRegex {
    spelled: bytes::Regex,
    /// What is sought as it stands; a line that spells one of them as `\uXXXX` may match.
    plain: ClassUnicode,
    escapes: EscapeFinder,
}

impl RawRegex {
    /// For a regular expression with the usual flags, of which only the case is chosen. `None` where it
    /// says nothing of lines, because it matches the empty text, or is too big.
    pub(super) fn new(pattern: &str, case_insensitive: bool) -> Option<Self> {
        let hir = ParserBuilder::new()
            .case_insensitive(case_insensitive)
            .build()
            .parse(pattern)
            .ok()?;
        if hir.properties().minimum_len() == Some(0) {
            return None;
        }
        let mut speller = Speller::default();
        let spelled = speller.spell(&hir)?.to_string();
        let spelled = bytes::RegexBuilder::new(&spelled)
            .size_limit(MOST_BYTES)
            .build();
        Some(Self {
            spelled: spelled.ok()?,
            plain: ClassUnicode::new(speller.plain),
            escapes: EscapeFinder::new(),
        })
    }

    /// Whether a text of a line can match.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        self.spelled.is_match(line) || self.escapes.any(line, |c, _| has(&self.plain, c))
    }
}

/// Respells an expression.
#[derive(Default)]
struct Speller {
    /// What is sought as it stands.
    plain: Vec<ClassUnicodeRange>,
}

impl Speller {
    /// `None` for what can be in no text.
    fn spell(&mut self, hir: &Hir) -> Option<Hir> {
        Some(match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Hir::empty(),
            HirKind::Literal(literal) => self.literal(std::str::from_utf8(&literal.0).ok()?),
            HirKind::Class(Class::Unicode(class)) => self.class(class),
            HirKind::Class(Class::Bytes(class)) => self.class(&class.to_unicode_class()?),
            HirKind::Repetition(of) => Hir::repetition(Repetition {
                sub: Box::new(grouped(self.spell(&of.sub)?)),
                ..*of
            }),
            HirKind::Capture(of) => self.spell(&of.sub)?,
            HirKind::Concat(parts) => Hir::concat(self.spell_all(parts)?),
            HirKind::Alternation(ways) => Hir::alternation(self.spell_all(ways)?),
        })
    }

    fn spell_all(&mut self, parts: &[Hir]) -> Option<Vec<Hir>> {
        parts.iter().map(|part| self.spell(part)).collect()
    }

    fn literal(&mut self, text: &str) -> Hir {
        let spelled = text.chars().map(|c| {
            let has_escape = SHORT.iter().any(|(short, _)| *short == c);
            if has_escape || c == char::REPLACEMENT_CHARACTER {
                return self.class(&ClassUnicode::new([ClassUnicodeRange::new(c, c)]));
            }
            self.plain.push(ClassUnicodeRange::new(c, c));
            Hir::literal(c.to_string().into_bytes())
        });
        Hir::concat(spelled.collect())
    }

    /// A class of characters in all spellings but `\uXXXX`, unless that is any of a great many.
    ///
    /// Controls, quotes and backslashes are taken unescaped, too: bad lines are mended by escaping the
    /// first, and values that are no strings are texts as they stand.
    fn class(&mut self, class: &ClassUnicode) -> Hir {
        // What has it has nearly everything, and bytes that are not UTF-8 are read as it.
        let has_all = has(class, char::REPLACEMENT_CHARACTER);
        let mut ways = Vec::new();
        if has_all {
            let mut ascii = class.clone();
            ascii.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]));
            ways.push(Hir::class(Class::Unicode(ascii)));
            ways.push(repeated(bytes_between(&[(0x80, 0xFF)]), 1, 4));
        } else {
            ways.push(Hir::class(Class::Unicode(class.clone())));
        }
        let letters = SHORT.iter().filter(|(c, _)| has(class, *c));
        let letters: Vec<_> = letters.map(|&(_, letter)| (letter, letter)).collect();
        if !letters.is_empty() {
            ways.push(escape(bytes_between(&letters)));
        }
        if has_all || (has(class, 'a') && is_beyond(class, MANY)) {
            let digit = bytes_between(&[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]);
            let digits = repeated(digit, 4, 4);
            let unit = escape(Hir::concat(vec![Hir::literal(*b"u"), digits]));
            // Beyond the basic plane two of them are one character.
            ways.push(repeated(unit, 1, 2));
        } else {
            self.plain.extend(class.iter());
        }
        Hir::alternation(ways)
    }
}

/// In parentheses where that is repeated itself: regex-syntax prints `(?:a+)?` as `a+?`, which is
/// another one.
fn grouped(sub: Hir) -> Hir {
    match sub.kind() {
        HirKind::Repetition(_) => Hir::capture(Capture {
            index: 1,
            name: None,
            sub: Box::new(sub),
        }),
        _ => sub,
    }
}

fn escape(rest: Hir) -> Hir {
    Hir::concat(vec![Hir::literal(*b"\\"), rest])
}

fn repeated(sub: Hir, min: u32, max: u32) -> Hir {
    Hir::repetition(Repetition {
        min,
        max: Some(max),
        greedy: true,
        sub: Box::new(sub),
    })
}

fn bytes_between(ranges: &[(u8, u8)]) -> Hir {
    let ranges = ranges
        .iter()
        .map(|&(first, last)| ClassBytesRange::new(first, last));
    Hir::class(Class::Bytes(ClassBytes::new(ranges)))
}

/// Whether a class has a character.
fn has(class: &ClassUnicode, c: char) -> bool {
    let ranges = class.ranges();
    let at = ranges.partition_point(|range| range.end() < c);
    ranges.get(at).is_some_and(|range| range.start() <= c)
}

/// Whether a class has more characters than this.
fn is_beyond(class: &ClassUnicode, count: usize) -> bool {
    class.iter().map(ClassUnicodeRange::len).sum::<usize>() > count
}
