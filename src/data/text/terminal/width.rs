//! Display width by grapheme, as ratatui measures it.
//!
//! Finding graphemes is expensive, so characters that never join a neighbour are measured on their
//! own.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};
use unicode_width::UnicodeWidthStr;

/// Returns the cells of `text` on one line, summed over its graphemes. Control characters count
/// nothing; sanitised text has only newlines.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    clusters(text).map(|cluster| cluster.cells).sum()
}

/// Returns the cells of a grapheme: mostly 1 or 2, more for some conjuncts, 0 for a control
/// character.
pub fn grapheme_width(g: &str) -> usize {
    if g.starts_with(char::is_control) {
        0
    } else {
        g.width()
    }
}

/// True if a text has right-to-left characters: those of the blocks that Unicode reserves for them
/// (UAX #9, default values of `Bidi_Class`).
pub fn is_right_to_left(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(
            c,
            '\u{590}'..='\u{8ff}'
                | '\u{fb1d}'..='\u{fdff}'
                | '\u{fe70}'..='\u{feff}'
                | '\u{10800}'..='\u{10fff}'
                | '\u{1e800}'..='\u{1efff}'
        )
    })
}

/// Iterates over the bytes of each grapheme.
pub fn graphemes(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    clusters(text).map(|cluster| cluster.range)
}

/// A grapheme of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Its bytes.
    pub range: Range<usize>,
    /// Its display cells.
    pub cells: usize,
}

/// Iterates over the graphemes of `text` with their widths.
pub fn clusters(text: &str) -> Clusters<'_> {
    Clusters { text, at: 0 }
}

/// Iterator over [`Cluster`]s.
#[derive(Debug, Clone)]
pub struct Clusters<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Clusters<'_> {
    type Item = Cluster;

    #[inline]
    fn next(&mut self) -> Option<Cluster> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let first = *bytes.get(start)?;
        let (len, cells) = if first.is_ascii() && bytes.get(start + 1).is_none_or(u8::is_ascii) {
            (1, usize::from(!first.is_ascii_control()))
        } else {
            measure_first(&self.text[start..])
        };
        self.at = start + len;
        Some(Cluster {
            range: start..self.at,
            cells,
        })
    }
}

/// Returns bytes and cells of the first grapheme of a text that is not empty.
fn measure_first(rest: &str) -> (usize, usize) {
    let mut chars = rest.chars();
    if let Some(first) = chars.next()
        && let Some(cells) = standalone_width(first)
        && chars
            .next()
            .is_none_or(|second| standalone_width(second).is_some())
    {
        return (first.len_utf8(), cells);
    }
    let grapheme = rest.graphemes(true).next().unwrap_or(rest);
    (grapheme.len(), grapheme_width(grapheme))
}

/// Returns the width of a character that is a grapheme on its own next to any other such character;
/// `None` for characters that may join, extend or hide.
#[inline]
pub fn standalone_width(c: char) -> Option<usize> {
    match u32::from(c) {
        0x20..=0x7E | 0xA1..=0xAC | 0xAE..=0x2FF => Some(1),
        // Greek, Cyrillic, Hebrew letters; dashes, quotes and dots; arrows; control pictures,
        // boxes, ◌ and ⟨⟩.
        0x390..=0x3A1 | 0x3A3..=0x482 | 0x48A..=0x52F | 0x5D0..=0x5EA => Some(1),
        0x2010..=0x2027
        | 0x2030..=0x203B
        | 0x2400..=0x2426
        | 0x2500..=0x259F
        | 0x25CC
        | 0x27E8
        | 0x27E9 => Some(1),
        // Kana, ideographs and their punctuation, Hangul syllables, full-width forms.
        0x3001..=0x3029 | 0x3041..=0x3096 | 0x30A0..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF => {
            Some(2)
        }
        0xAC00..=0xD7A3 | 0xFF01..=0xFF60 => Some(2),
        _ => None,
    }
}

/// Returns the start of the character that contains byte `at`; `text.len()` if it is beyond the
/// text.
pub fn char_start(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Widens a range of bytes to whole graphemes and clips it to the text.
pub fn whole_graphemes(text: &str, range: Range<usize>) -> Range<usize> {
    grapheme_start(text, range.start)..grapheme_end(text, range.end)
}

/// Returns the start of the grapheme that contains byte `at`; `text.len()` if it is beyond the
/// text.
pub fn grapheme_start(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    // Sanitised text has no `\r\n`, the only grapheme of two ASCII characters.
    if text.as_bytes()[at.saturating_sub(1)..=at].is_ascii() && !text[at..].starts_with('\n') {
        return at;
    }
    // A cursor needs a character boundary, so the search begins after the character that contains
    // `at`.
    let start = char_start(text, at);
    let after = start + text[start..].chars().next().map_or(0, char::len_utf8);
    let mut cursor = GraphemeCursor::new(after, text.len(), true);
    cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}

/// Returns the first grapheme boundary from byte `at` on, at most `text.len()`.
pub fn grapheme_end(text: &str, at: usize) -> usize {
    let start = grapheme_start(text, at);
    if start == at || start == text.len() {
        return start;
    }
    let mut cursor = GraphemeCursor::new(start, text.len(), true);
    cursor
        .next_boundary(text, 0)
        .ok()
        .flatten()
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthChar;

    #[test]
    fn cells_are_counted_by_grapheme() {
        let cases = [
            ("", 0),
            ("abc", 3),
            ("a\nb", 2),
            ("é", 1),
            ("e\u{301}", 1),
            ("漢字", 4),
            ("👩\u{200d}💻", 2),
            ("🇩🇪", 2),
            ("❤\u{fe0f}", 2),
            ("1\u{fe0f}\u{20e3}", 2),
            ("한국", 4),
            ("\u{1112}\u{1161}\u{11ab}", 2),
            ("لا", 2),
            ("naïve — “quoted”", 16),
        ];
        for (text, cells) in cases {
            assert_eq!(width(text), cells, "{text:?}");
        }
    }

    #[test]
    fn the_short_way_agrees_with_the_tables() {
        for c in ('\0'..=char::MAX).filter(|c| standalone_width(*c).is_some()) {
            assert_eq!(standalone_width(c), c.width(), "U+{:04X}", u32::from(c));
            for neighbours in [
                format!("{c}{c}"),
                format!("{c}a"),
                format!("a{c}"),
                format!("漢{c}"),
                format!("{c}한"),
            ] {
                assert_eq!(
                    neighbours.graphemes(true).count(),
                    2,
                    "U+{:04X} in {neighbours:?}",
                    u32::from(c)
                );
            }
        }
    }

    #[test]
    fn clusters_are_the_graphemes() {
        let text = "ae\u{301} 漢👩\u{200d}💻🇩🇪🇫🇷 क्ष\nz";
        let ours: Vec<_> = clusters(text).map(|cluster| &text[cluster.range]).collect();
        assert_eq!(ours, text.graphemes(true).collect::<Vec<_>>());
    }

    #[test]
    fn boundaries_around_a_byte() {
        let text = "ae\u{301}漢";
        let cases = [
            (0, 0, 0),
            (1, 1, 1),
            (2, 1, 4),
            (3, 1, 4),
            (4, 4, 4),
            (5, 4, 7),
            (7, 7, 7),
            (99, 7, 7),
        ];
        for (at, start, end) in cases {
            assert_eq!(
                (grapheme_start(text, at), grapheme_end(text, at)),
                (start, end),
                "at {at}"
            );
        }
    }
}
