//! Searches raw JSON lines for a regular expression, so that most texts need not be decoded.
//!
//! The expression over texts is rewritten as one over lines that matches every line with a matching
//! text, and some more. Look-around is dropped. Most characters stay as they are, so literals can
//! be found at memory speed; a line with one of them as `\uXXXX` counts as a possible match. Only
//! classes of very many characters include escapes in the expression.

use regex::bytes;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Repetition,
};

use super::raw_escapes::EscapeFinder;
use super::text_regex::MAX_BYTES;

/// A class with ASCII letters and more characters than this, such as `\w`, matches any `\uXXXX`.
const MANY: usize = 1000;

/// Characters with short escapes in JSON, and their letters.
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

/// A regular expression compiled for raw JSON.
#[derive(Debug)]
pub struct RawRegex {
    spelled: bytes::Regex,
    /// Characters searched for unescaped; a line that escapes one of them as `\uXXXX` may match.
    plain: ClassUnicode,
    escapes: EscapeFinder,
}

impl RawRegex {
    /// Compiles an expression with default flags except case. `None` if lines cannot be ruled out,
    /// because it matches the empty text, or if it is too big.
    pub fn new(pattern: &str, case_insensitive: bool) -> Option<Self> {
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
            .size_limit(MAX_BYTES)
            .build();
        Some(Self {
            spelled: spelled.ok()?,
            plain: ClassUnicode::new(speller.plain),
            escapes: EscapeFinder::new(),
        })
    }

    /// True if a text of a line can match.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        self.spelled.is_match(line) || self.escapes.any(line, |c| has(&self.plain, c))
    }
}

/// Rewrites an expression.
#[derive(Default)]
struct Speller {
    /// Characters searched for unescaped.
    plain: Vec<ClassUnicodeRange>,
}

impl Speller {
    /// Returns `None` for parts that no text can match.
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

    /// Rewrites a class for all spellings except `\uXXXX`, or including it for very many
    /// characters.
    ///
    /// Controls, quotes and backslashes also match unescaped: invalid lines are repaired by
    /// escaping controls, and values other than strings are texts as they are.
    fn class(&mut self, class: &ClassUnicode) -> Hir {
        // Such a class has nearly all characters, and invalid UTF-8 is read as this one.
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
        let letters: Vec<_> = SHORT
            .iter()
            .filter(|(c, _)| has(class, *c))
            .map(|&(_, letter)| (letter, letter))
            .collect();
        if !letters.is_empty() {
            ways.push(escape(bytes_between(&letters)));
        }
        if has_all || (has(class, 'a') && is_beyond(class, MANY)) {
            let digit = bytes_between(&[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]);
            let digits = repeated(digit, 4, 4);
            let unit = escape(Hir::concat(vec![Hir::literal(*b"u"), digits]));
            // Beyond the basic plane, two escapes are one character.
            ways.push(repeated(unit, 1, 2));
        } else {
            self.plain.extend(class.iter());
        }
        Hir::alternation(ways)
    }
}

/// Groups a repetition that is repeated: regex-syntax prints `(?:a+)?` as `a+?`, which has another
/// meaning.
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

/// True if a class has a character.
fn has(class: &ClassUnicode, c: char) -> bool {
    let ranges = class.ranges();
    let at = ranges.partition_point(|range| range.end() < c);
    ranges.get(at).is_some_and(|range| range.start() <= c)
}

/// True if a class has more than `count` characters.
fn is_beyond(class: &ClassUnicode, count: usize) -> bool {
    class.iter().map(ClassUnicodeRange::len).sum::<usize>() > count
}
