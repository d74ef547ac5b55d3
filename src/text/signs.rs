//! The signs of Markdown that a reader of the rendered text does not see, and the ways past them
//! for who looks for what is seen.
//!
//! They are `* _ ~` and the backtick where they may open or close something, a backslash that takes
//! a sign for itself or ends a line, the bracket before the text of a link that has an address, and
//! the `>` of a quote that goes on. Nothing is parsed: what stands at the edge of a word as a sign
//! would is passed over, closed or not.

use std::ops::Range;

use memchr::memchr;

use super::fold::{continues, is_of_word, is_spaceless};

/// Signs between two characters of a line, as a regular expression over JSON: those that may be
/// passed over, and more. A malformed line is a text as it stands, in which a backslash is one.
pub(super) const IN_JSON: &str = r"(?:[*_`~!\[\\])*";

/// Signs in one place that are passed over; more of them are a line or a picture.
const MOST: usize = 8;
/// Bytes of the text of a link.
const MOST_OF_LINK: usize = 256;

/// Where signs may stand in what is typed without blanks: at the ends of words.
pub(super) fn borders(part: &str) -> impl Iterator<Item = usize> {
    let pairs = part.char_indices().skip(1).zip(part.chars());
    pairs
        .filter(|&((_, next), before)| may_part(before, next))
        .map(|((at, _), _)| at)
}

/// Whether a sign may stand between two characters: not inside a word, but of scripts without
/// blanks everywhere.
fn may_part(before: char, next: char) -> bool {
    let joins = |c: char| is_of_word(c) && !is_spaceless(c);
    !(joins(before) && joins(next) || continues(next))
}

/// Goes along `part` from a byte on, past signs between its characters and before it; gives where
/// it ends.
pub(super) fn along(
    text: &str,
    mut at: usize,
    part: &str,
    signs: &mut Vec<Range<usize>>,
) -> Option<usize> {
    for wanted in part.chars() {
        if !text[at..].starts_with(wanted) {
            let run = run(&text[at..], wanted);
            let before = text[..at].chars().next_back()?;
            let opens =
                run > 0 && text[at + run..].starts_with(wanted) && !text[at..].starts_with(before);
            if !opens || !may_part(before, wanted) {
                return None;
            }
            signs.push(at..at + run);
            at += run;
        }
        at += wanted.len_utf8();
    }
    Some(at)
}

/// Goes over blanks, of which there must be one, past signs that close before them; behind a line
/// break also past those of quotes, unless `wanted` comes next and is one.
pub(super) fn over_blanks(
    text: &str,
    at: usize,
    wanted: Option<char>,
    signs: &mut Vec<Range<usize>>,
) -> Option<usize> {
    let mut run = 0;
    if !text[at..].starts_with(char::is_whitespace) {
        run = if text[at..].starts_with("\\\n") {
            1
        } else {
            self::run(&text[at..], ' ')
        };
        if run == 0
            || text[..at]
                .chars()
                .next_back()
                .is_some_and(|before| text[at..].starts_with(before))
        {
            return None;
        }
        signs.push(at..at + run);
    }
    let mut rest = text[at + run..].trim_start();
    let blanks = &text[at + run..text.len() - rest.len()];
    if blanks.is_empty() {
        return None;
    }
    if blanks.contains('\n') && wanted.is_some_and(|wanted| wanted != '>') {
        while let Some(behind) = rest.strip_prefix('>') {
            let end = text.len() - behind.len();
            signs.push(end - 1..end);
            rest = behind.trim_start();
        }
    }
    Some(text.len() - rest.len())
}

/// Where the blank begins that stands before a byte, or before signs that open there.
pub(super) fn behind_blank(text: &str, at: usize, signs: &mut Vec<Range<usize>>) -> Option<usize> {
    let opening = text.as_bytes()[..at]
        .iter()
        .rev()
        .take(MOST)
        .take_while(|byte| b"*_`~".contains(byte))
        .count();
    let blank = text[..at - opening]
        .chars()
        .next_back()
        .filter(|c| c.is_whitespace())?;
    if opening > 0 {
        signs.push(at - opening..at);
    }
    Some(at - opening - blank.len_utf8())
}

/// How many bytes are signs from here on, up to a character that is wanted.
fn run(text: &str, wanted: char) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at).filter(|_| at < MOST) {
        let next = bytes.get(at + 1).copied();
        match byte {
            _ if char::from(byte) == wanted => break,
            b'*' | b'_' | b'`' | b'~' => {}
            // What it stands before is no sign.
            b'\\' if next.is_some_and(|next| next.is_ascii_punctuation()) => return at + 1,
            b'!' if next == Some(b'[') && is_link(&text[at + 1..]) => {}
            b'[' if is_link(&text[at..]) => {}
            _ => break,
        }
        at += 1;
    }
    at
}

/// Whether a bracket is that of a link with an address.
fn is_link(text: &str) -> bool {
    let close = text
        .bytes()
        .take(MOST_OF_LINK)
        .position(|byte| byte == b']');
    close.is_some_and(|close| text[close + 1..].starts_with('('))
}

/// Whether a character may be such a sign.
pub fn is_sign(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '~' | '\\' | '!' | '[' | '>')
}

/// What of a range is not signs, given in order.
pub fn without_signs(
    range: Range<usize>,
    signs: &[Range<usize>],
) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(range.start).chain(signs.iter().map(|sign| sign.end));
    let ends = signs.iter().map(|sign| sign.start).chain([range.end]);
    starts
        .zip(ends)
        .map(|(start, end)| start..end)
        .filter(|range| !range.is_empty())
}

/// A text, or a word of one, as a reader sees it: without the stars of emphasis inside words, as
/// those of `**bo**ld`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleText {
    /// The text, without those signs.
    pub text: String,
    /// The bytes that it has kept, in order.
    parts: Vec<Range<usize>>,
    /// Where each of them begins in the text: a long text has thousands, and as many hits are
    /// traced back to what is written.
    starts: Vec<usize>,
}

impl VisibleText {
    fn of(written: &str, parts: Vec<Range<usize>>) -> Self {
        let mut text = String::with_capacity(written.len());
        let mut begin = |part: &Range<usize>| {
            let start = text.len();
            text.push_str(&written[part.clone()]);
            start
        };
        let starts = parts.iter().map(&mut begin).collect();
        Self {
            text,
            parts,
            starts,
        }
    }

    /// The bytes as they are written, those of the signs among them.
    pub fn range(&self) -> Range<usize> {
        let [first, last] =
            [self.parts.first(), self.parts.last()].map(|part| part.cloned().unwrap_or_default());
        first.start..last.end
    }

    /// The bytes as they are written of a range of the text, apart.
    pub fn origin(&self, of: Range<usize>) -> Vec<Range<usize>> {
        let behind = self.starts.partition_point(|&start| start <= of.start);
        let first = behind.saturating_sub(1);
        let parts = self.parts[first..].iter().zip(&self.starts[first..]);
        let touched = parts.take_while(|&(_, &start)| start < of.end);
        let pieces = touched.filter_map(|(part, &start)| {
            let [from, to] = [of.start, of.end]
                .map(|at| part.start + at.clamp(start, start + part.len()) - start);
            (from < to).then_some(from..to)
        });
        pieces.collect()
    }
}

/// A text without emphasis inside words; `None` where it has none, as nearly all have.
pub(super) fn without_inner_emphasis(text: &str) -> Option<VisibleText> {
    let signs = inner_emphasis(text);
    (!signs.is_empty())
        .then(|| VisibleText::of(text, without_signs(0..text.len(), &signs).collect()))
}

/// The words of a text that have emphasis inside, in order; as a rule there are none.
pub fn seen_words(text: &str) -> Vec<VisibleText> {
    let joins = |c: &char| is_of_word(*c) && !is_spaceless(*c);
    let mut words = Vec::new();
    let mut signs = inner_emphasis(text).into_iter().peekable();
    while let Some(first) = signs.next() {
        let part_behind = |sign: &Range<usize>| {
            let letters = text[sign.end..]
                .chars()
                .take_while(joins)
                .map(char::len_utf8);
            sign.end..sign.end + letters.sum::<usize>()
        };
        let before: usize = text[..first.start]
            .chars()
            .rev()
            .take_while(joins)
            .map(char::len_utf8)
            .sum();
        let mut parts = vec![first.start - before..first.start, part_behind(&first)];
        while let Some(next) =
            signs.next_if(|next| parts.last().is_some_and(|part| part.end == next.start))
        {
            parts.push(part_behind(&next));
        }
        words.push(VisibleText::of(text, parts));
    }
    words
}

/// Stars of one emphasis.
const MOST_STARS: usize = 3;
/// Bytes before and behind emphasis in which the stars of its other end are looked for.
const NEAR: usize = 256;

/// Emphasis that begins or ends inside a word: up to three stars between two letters, with as many
/// on the same line for its other end. Stars between digits multiply, and an underscore inside a
/// word is one, as in CommonMark.
pub fn inner_emphasis(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(star) = memchr(b'*', &bytes[at..]) {
        let start = at + star;
        let end = start
            + bytes[start..]
                .iter()
                .take_while(|byte| **byte == b'*')
                .count();
        at = end;
        let is_near = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
        };
        // Nearly all stars stand at an end of a word, which two bytes tell.
        if end - start > MOST_STARS
            || !is_near(bytes.get(end))
            || !start
                .checked_sub(1)
                .is_some_and(|at| is_near(bytes.get(at)))
        {
            continue;
        }
        let joins = |c: Option<char>| c.filter(|c| is_of_word(*c) && !is_spaceless(*c));
        let beside =
            joins(text[..start].chars().next_back()).zip(joins(text[end..].chars().next()));
        let is_emphasis = beside.is_some_and(|(before, next)| {
            let is_product = before.is_numeric() && next.is_numeric();
            !is_product && !continues(next) && has_other_end(bytes, &(start..end))
        });
        if is_emphasis {
            found.push(start..end);
        }
    }
    found
}

/// Whether the line has as many stars once more.
fn has_other_end(text: &[u8], stars: &Range<usize>) -> bool {
    let line = |byte: &&[u8]| !byte.is_empty();
    let before = text[stars.start.saturating_sub(NEAR)..stars.start]
        .rsplit(|byte| *byte == b'\n')
        .next();
    let behind = text[stars.end..text.len().min(stars.end + NEAR)]
        .split(|byte| *byte == b'\n')
        .next();
    let runs = |side: &[u8]| {
        side.chunk_by(|one, other| one == other)
            .any(|run| run[0] == b'*' && run.len() == stars.len())
    };
    [before, behind]
        .into_iter()
        .flatten()
        .filter(line)
        .any(runs)
}
