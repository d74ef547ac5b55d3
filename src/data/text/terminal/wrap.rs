//! Wrapping by display width into ranges, without copying.
//!
//! Lines break at spaces, between ideographs, after hyphens and slashes of words that are too long
//! for a line, and otherwise between the graphemes where the line is full.

use std::ops::Range;

use super::width::{clusters, width as cells_of};
use crate::text::markup::blocks::{bars, item_marker, prefix};
use crate::text::markup::styled_text::{Flow, Paragraph, StyledText};

/// A line on the screen: `indent` cells, then the text of `range`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedLine {
    /// Bytes of [`StyledText::text`], without trailing spaces.
    pub range: Range<usize>,
    /// Index of its paragraph in [`StyledText::paragraphs`].
    pub paragraph: u32,
    /// Cells before the text, on continuation lines.
    pub indent: u16,
    /// True for a row of a table with its padding.
    pub(in crate::text) is_padded: bool,
}

/// Wraps a text into lines of at most `width` cells (0 counts as 1); only a line of a single wide
/// grapheme can be wider. Hanging indents take at most half of the width, indentation three
/// quarters. A paragraph has at least one line.
pub fn wrap(block: &StyledText, width: u16) -> Vec<WrappedLine> {
    let width = usize::from(width.max(1));
    let mut lines = Vec::with_capacity(block.paragraphs.len() + block.text.len() / width);
    for (index, paragraph) in block.paragraphs.iter().enumerate() {
        let mut line = WrappedLine {
            range: paragraph.range.clone(),
            paragraph: u32::try_from(index).unwrap_or(u32::MAX),
            indent: 0,
            is_padded: false,
        };
        if let Flow::Row(cells) = paragraph.flow
            && cells as usize <= width
        {
            line.is_padded = true;
            lines.push(line);
            continue;
        }
        wrap_paragraph(block, paragraph, width, |range, indent| {
            (line.range, line.indent) = (range, indent as u16);
            lines.push(line.clone());
        });
    }
    lines
}

/// Least indent of continued rows of tables and code, in cells: the width of its sign.
const ROW_INDENT: usize = 2;

/// The end of a line and the start of the next one, in bytes of the rest of the paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineCut {
    end: usize,
    next: usize,
}

/// Passes the lines of a paragraph to `push`, each with its indent.
fn wrap_paragraph(
    block: &StyledText,
    paragraph: &Paragraph,
    width: usize,
    mut push: impl FnMut(Range<usize>, usize),
) {
    let text = &block.text[paragraph.range.clone()];
    let closing = text.trim_end().len().saturating_sub(1);
    let mut at = excess_indentation(text, width);
    let hanging = match paragraph.flow {
        Flow::Prose => hanging(&text[at..]),
        Flow::Code => leading_spaces(&text[at..]).max(ROW_INDENT),
        Flow::Row(_) => leading_spaces(text) + ROW_INDENT,
    };
    let (mut indent, rest_indent) = (0, hanging.min(width / 2));
    loop {
        let rest = &text[at..];
        let mut cut = fit_words(rest, width - indent);
        if let Flow::Row(_) = paragraph.flow {
            cut = before_cell(rest, cut, closing.saturating_sub(at));
        }
        let start = paragraph.range.start + at;
        push(start..start + cut.end, indent);
        at += cut.next;
        indent = rest_indent;
        if at >= text.len() {
            return;
        }
    }
}

/// Breaks a row before the last cell that does not fit, if it starts in this line; `closing` is the
/// byte of the row's last character.
fn before_cell(rest: &str, cut: LineCut, closing: usize) -> LineCut {
    let written = rest.len() - rest.trim_start().len();
    let inner = |bar: &usize| (written + 1..closing).contains(bar);
    let bar = bars(&rest[..cut.next]).filter(inner).last();
    match bar.filter(|_| cut.next < rest.len()) {
        Some(bar) => LineCut {
            end: rest[..bar].trim_end_matches(' ').len(),
            next: bar,
        },
        None => cut,
    }
}

/// Returns the leading spaces to hide: those beyond three quarters of the width, and those that
/// would push the first grapheme out of the line.
fn excess_indentation(text: &str, room: usize) -> usize {
    let spaces = leading_spaces(text);
    if spaces == 0 || spaces == text.len() {
        return 0;
    }
    let first = clusters(&text[spaces..])
        .next()
        .map_or(0, |cluster| cluster.cells);
    spaces - spaces.min(room * 3 / 4).min(room.saturating_sub(first))
}

fn leading_spaces(text: &str) -> usize {
    // A space with a mark is not blank: it is the base of the mark.
    let spaces = text.bytes().take_while(|byte| *byte == b' ').count();
    match clusters(&text[spaces.saturating_sub(1)..]).next() {
        Some(cluster) if spaces > 0 && cluster.range.len() > 1 => spaces - 1,
        _ => spaces,
    }
}

/// Returns the indent of continuation lines: after indentation, quote signs and a list marker.
fn hanging(text: &str) -> usize {
    let [_, start] = prefix(text.as_bytes());
    start + item_marker(&text[start..]).map_or(0, |marker| cells_of(&text[start..start + marker]))
}

/// Cuts a line by words and ideographs, by graphemes.
fn fit_words(rest: &str, room: usize) -> LineCut {
    let mut cells = 0;
    let mut gap = None; // where the spaces began that the line may end with
    let mut best = None;
    let mut joint = None;
    let mut before = ""; // the last grapheme of a word
    for cluster in clusters(rest) {
        let (start, end) = (cluster.range.start, cluster.range.end);
        let grapheme = &rest[cluster.range];
        if grapheme == " " {
            if !before.is_empty() {
                gap.get_or_insert(start);
            }
            cells += 1;
            continue;
        }
        if let Some(space) = gap.take() {
            best = Some(LineCut {
                end: space,
                next: start,
            });
        } else if may_break_between(before, grapheme) {
            best = Some(LineCut {
                end: start,
                next: start,
            });
        }
        if cells + cluster.cells > room && start > 0 {
            return best.unwrap_or_else(|| {
                let end = joint.unwrap_or(start);
                LineCut { end, next: end }
            });
        }
        cells += cluster.cells;
        if !before.is_empty() && grapheme.len() == 1 && may_break_after(grapheme.as_bytes()[0]) {
            joint = Some(end);
        }
        before = grapheme;
    }
    let end = if before.is_empty() {
        0
    } else {
        gap.unwrap_or(rest.len())
    };
    LineCut {
        end,
        next: rest.len(),
    }
}

/// True if a word longer than the line may be cut after this byte.
fn may_break_after(byte: u8) -> bool {
    byte == b'-' || byte == b'/'
}

/// True if a line may end between two graphemes without a space: next to an ideograph, except
/// before closing and after opening punctuation.
fn may_break_between(before: &str, after: &str) -> bool {
    let (Some(last), Some(first)) = (before.chars().next(), after.chars().next()) else {
        return false;
    };
    if last.is_ascii() && first.is_ascii() {
        return false;
    }
    (is_wide(before, last) || is_wide(after, first)) && !closes(first) && !opens(last)
}

fn is_wide(grapheme: &str, first: char) -> bool {
    first >= '\u{1100}' && cells_of(grapheme) > 1
}

fn closes(c: char) -> bool {
    const MARKS: &str = ",.!?:;)]}'\"%’”…‥、。，．・：；？！）］｝〉》」』】〕〗〙〟ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ";
    MARKS.contains(c)
}

fn opens(c: char) -> bool {
    "([{'\"$‘“（［｛〈《「『【〔〖〘〝".contains(c)
}

#[cfg(test)]
mod tests {
    use super::super::sanitise::sanitise;
    use super::*;
    use crate::text::Hidden;

    fn drawn(text: &str, width: u16) -> Vec<String> {
        let block = StyledText::plain(sanitise(text, Hidden::Discreet));
        let lines = wrap(&block, width);
        lines
            .iter()
            .map(|line| block.pieces(line).map(|(piece, _)| piece).collect())
            .collect()
    }

    #[test]
    fn each_rule() {
        let cases: &[(&str, u16, &[&str])] = &[
            ("", 5, &[""]),
            ("a\n\nb\n", 5, &["a", "", "b", ""]),
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 8, &["one two", "three"]),
            ("one   two  ", 4, &["one", "two"]),
            ("    ", 2, &[""]),
            ("abcdefgh", 3, &["abc", "def", "gh"]),
            ("x abcdefgh", 3, &["x", "abc", "def", "gh"]),
            ("semi-detached", 8, &["semi-", "detached"]),
            ("http://a.b/cdef/ghi", 10, &["http://", "a.b/cdef/", "ghi"]),
            ("well-known fact", 11, &["well-known", "fact"]),
            ("  one two", 6, &["  one", "  two"]),
            ("          one", 6, &["    on", "   e"]),
            ("- one two", 6, &["- one", "  two"]),
            ("* one two", 6, &["* one", "  two"]),
            ("12. one two", 8, &["12. one", "    two"]),
            ("1. abc", 4, &["1.", "  ab", "  c"]),
            ("漢字漢字", 5, &["漢字", "漢字"]),
            ("漢字、漢字", 4, &["漢", "字、", "漢字"]),
            ("「漢」字", 4, &["「漢", "」字"]),
            ("abc漢字 def", 6, &["abc漢", "字 def"]),
            ("漢", 1, &["漢"]),
            ("a漢b", 1, &["a", "漢", "b"]),
            (
                "👩\u{200d}💻👩\u{200d}💻",
                3,
                &["👩\u{200d}💻", "👩\u{200d}💻"],
            ),
            ("ééé ééé", 4, &["ééé", "ééé"]),
            ("éé-ééééé", 5, &["éé-", "ééééé"]),
            ("ééééé", 2, &["éé", "éé", "é"]),
            ("  漢字", 3, &[" 漢", " 字"]),
            ("abc", 0, &["a", "b", "c"]),
        ];
        for (text, width, expected) in cases {
            assert_eq!(drawn(text, *width), *expected, "{text:?} at {width}");
        }
    }

    #[test]
    fn a_line_knows_its_paragraph_and_lead() {
        let block = StyledText::plain(sanitise("a\n- b c", Hidden::Discreet));
        let lines: Vec<_> = wrap(&block, 4)
            .iter()
            .map(|line| (line.paragraph, line.indent))
            .collect();
        assert_eq!(lines, [(0, 0), (1, 0), (1, 2)]);
    }
}
