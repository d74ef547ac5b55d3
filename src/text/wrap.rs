//! Wrapping by display width into ranges: nothing is copied, and a line knows what stands before
//! it.
//!
//! Lines break at spaces, between ideographs, behind hyphens and slashes of words that are too long
//! for a line, and else between the two graphemes where the line is full. A text of ASCII, the
//! common case, is cut without looking at graphemes.

use std::ops::Range;

use super::styled_text::{Flow, MarginId, Paragraph, StyledText};
use super::width::{clusters, width as cells_of};

/// A line on the screen: from left to right its margin, `indent` blanks, and the text of `range`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedLine {
    /// Bytes of [`StyledText::text`], without the spaces that hang beyond the line.
    pub range: Range<usize>,
    /// The paragraph that it is part of, counted from 0 in [`StyledText::paragraphs`].
    pub paragraph: u32,
    /// Blank cells between the margin and the text, on continuation lines.
    pub indent: u16,
    pub(super) margin: MarginId,
    pub(super) margin_cells: u16,
}

impl WrappedLine {
    /// The cells before the text.
    pub fn lead(&self) -> u16 {
        self.margin_cells.saturating_add(self.indent)
    }
}

/// Cuts a block into lines of at most `width` cells (0 counts as 1); only a line of a single
/// grapheme that is wider than the room may be wider. Margins and indents take at most half of the
/// width. A paragraph has at least one line.
pub fn wrap(block: &StyledText, width: u16) -> Vec<WrappedLine> {
    wrap_while(block, width, &|| true).unwrap_or_default()
}

/// [`wrap`] of a text that may be long: `wanted` is asked every few hundred lines, and once it says
/// no this gives `None`.
pub fn wrap_while(
    block: &StyledText,
    width: u16,
    wanted: &dyn Fn() -> bool,
) -> Option<Vec<WrappedLine>> {
    let width = usize::from(width.max(1));
    let mut lines = Vec::with_capacity(block.paragraphs.len() + block.text.len() / width);
    for (index, paragraph) in block.paragraphs.iter().enumerate() {
        let place = u32::try_from(index).unwrap_or(u32::MAX);
        wrap_paragraph(block, paragraph, width, |range, lead| {
            lines.push(WrappedLine {
                range,
                paragraph: place,
                indent: lead.indent,
                margin: lead.margin,
                margin_cells: lead.margin_cells,
            });
            lines.len() % LOOK != 0 || wanted()
        })?;
    }
    Some(lines)
}

/// Lines between two looks at whether they are still wanted: some ten microseconds.
const LOOK: usize = 256;

/// What stands before the text of a line.
#[derive(Debug, Clone, Copy, Default)]
struct LineLead {
    margin: MarginId,
    margin_cells: u16,
    indent: u16,
}

impl LineLead {
    /// The margin, as much of it as half of the width has room for.
    fn new(block: &StyledText, margin: MarginId, width: usize) -> Self {
        let cells = block
            .margin(margin)
            .map_or(0, |margin| margin.cells.min(width / 2));
        Self {
            margin,
            margin_cells: u16::try_from(cells).unwrap_or(0),
            indent: 0,
        }
    }

    fn room(self, width: usize) -> usize {
        width
            .saturating_sub(usize::from(self.margin_cells) + usize::from(self.indent))
            .max(1)
    }
}

/// Where a line ends and where the next one begins, in bytes of the rest of the paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineCut {
    end: usize,
    next: usize,
}

/// Hands out the lines of a paragraph; `None` once `push` wants no more.
fn wrap_paragraph(
    block: &StyledText,
    paragraph: &Paragraph,
    width: usize,
    mut push: impl FnMut(Range<usize>, LineLead) -> bool,
) -> Option<()> {
    let text = &block.text[paragraph.range.clone()];
    let fit = match (paragraph.flow, text.is_ascii()) {
        (Flow::Edge, true) => fit_edge_ascii,
        (Flow::Edge, false) => fit_edge,
        (_, true) => fit_ascii,
        (_, false) => fit_words,
    };
    let mut lead = LineLead::new(block, paragraph.first, width);
    let mut rest = LineLead::new(block, paragraph.rest, width);
    let mut at = 0;
    if paragraph.flow != Flow::Edge {
        at = excess_indentation(text, lead.room(width));
    }
    if paragraph.flow == Flow::Plain {
        let free = (width / 2).saturating_sub(usize::from(rest.margin_cells));
        rest.indent = u16::try_from(hanging(&text[at..]).min(free)).unwrap_or(0);
    }
    loop {
        let cut = fit(&text[at..], lead.room(width));
        let start = paragraph.range.start + at;
        if !push(start..start + cut.end, lead) {
            return None;
        }
        at += cut.next;
        lead = rest;
        if at >= text.len() {
            return Some(());
        }
    }
}

/// The leading spaces beyond half of the room, which are not shown; all of them if they would push
/// the first grapheme out of the line.
fn excess_indentation(text: &str, room: usize) -> usize {
    let spaces = leading_spaces(text);
    if spaces == 0 || spaces == text.len() {
        return 0;
    }
    let kept = spaces.min(room / 2);
    let first = clusters(&text[spaces..])
        .next()
        .map_or(0, |cluster| cluster.cells);
    if kept + first > room {
        spaces
    } else {
        spaces - kept
    }
}

fn leading_spaces(text: &str) -> usize {
    // A space with a mark on it is no space: the base of the mark is left to the text.
    let spaces = text.bytes().take_while(|byte| *byte == b' ').count();
    match clusters(&text[spaces.saturating_sub(1)..]).next() {
        Some(cluster) if spaces > 0 && cluster.range.len() > 1 => spaces - 1,
        _ => spaces,
    }
}

/// The cells under which continuation lines begin: behind the indentation and a list marker.
fn hanging(text: &str) -> usize {
    let spaces = leading_spaces(text);
    let marked = &text.as_bytes()[spaces..];
    let digits = marked
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let marker = match marked {
        [b'-' | b'*' | b'+', b' ', ..] => 2,
        _ if (1..=3).contains(&digits) && matches!(marked[digits..], [b'.' | b')', b' ', ..]) => {
            digits + 2
        }
        _ if text[spaces..].starts_with("• ") => 2,
        _ => 0,
    };
    spaces + marker
}

fn fit_edge_ascii(rest: &str, room: usize) -> LineCut {
    let end = rest.len().min(room);
    LineCut { end, next: end }
}

fn fit_edge(rest: &str, room: usize) -> LineCut {
    let mut cells = 0;
    for cluster in clusters(rest) {
        cells += cluster.cells;
        if cells > room && cluster.range.start > 0 {
            return LineCut {
                end: cluster.range.start,
                next: cluster.range.start,
            };
        }
    }
    LineCut {
        end: rest.len(),
        next: rest.len(),
    }
}

/// Cuts by words where a byte is a cell.
fn fit_ascii(rest: &str, room: usize) -> LineCut {
    let bytes = rest.as_bytes();
    if bytes.len() <= room {
        return LineCut {
            end: rest.trim_end_matches(' ').len(),
            next: bytes.len(),
        };
    }
    let Some(word) = bytes.iter().position(|byte| *byte != b' ') else {
        return LineCut {
            end: 0,
            next: bytes.len(),
        };
    };
    // A space may stand one beyond the room: it hangs.
    let window = bytes.get(word..=room).unwrap_or_default();
    if let Some(space) = window.iter().rposition(|byte| *byte == b' ') {
        let space = word + space;
        let end = rest[..space].trim_end_matches(' ').len();
        let hanging = bytes[space..]
            .iter()
            .take_while(|byte| **byte == b' ')
            .count();
        return LineCut {
            end,
            next: space + hanging,
        };
    }
    let inner = bytes.get(word + 1..room).unwrap_or_default();
    let end = inner
        .iter()
        .rposition(|byte| is_joint(*byte))
        .map_or(room, |joint| word + 1 + joint + 1);
    LineCut { end, next: end }
}

/// Cuts by words and ideographs, grapheme by grapheme.
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
        } else if may_part(before, grapheme) {
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
        if !before.is_empty() && grapheme.len() == 1 && is_joint(grapheme.as_bytes()[0]) {
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

/// Whether a word that is longer than the line may be cut behind this byte.
fn is_joint(byte: u8) -> bool {
    byte == b'-' || byte == b'/'
}

/// Whether a line may end between two graphemes without a space: beside an ideograph, except that
/// closing marks stay with what they close and opening ones with what they open.
fn may_part(before: &str, after: &str) -> bool {
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
    matches!(
        c,
        ',' | '.'
            | '!'
            | '?'
            | ':'
            | ';'
            | ')'
            | ']'
            | '}'
            | '\''
            | '"'
            | '%'
            | '’'
            | '”'
            | '…'
            | '‥'
    ) || matches!(
        c,
        '、' | '。'
            | '，'
            | '．'
            | '・'
            | '：'
            | '；'
            | '？'
            | '！'
            | '）'
            | '］'
            | '｝'
            | '〉'
            | '》'
    ) || matches!(
        c,
        '」' | '』'
            | '】'
            | '〕'
            | '〗'
            | '〙'
            | '〟'
            | 'ー'
            | '々'
            | 'ぁ'
            | 'ぃ'
            | 'ぅ'
            | 'ぇ'
            | 'ぉ'
    ) || matches!(
        c,
        'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ'
    )
}

fn opens(c: char) -> bool {
    matches!(
        c,
        '(' | '['
            | '{'
            | '\''
            | '"'
            | '$'
            | '‘'
            | '“'
            | '（'
            | '［'
            | '｛'
            | '〈'
            | '《'
            | '「'
            | '『'
    ) || matches!(c, '【' | '〔' | '〖' | '〘' | '〝')
}

#[cfg(test)]
mod tests {
    use super::super::{Hidden, sanitise};
    use super::*;

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
            ("          one", 6, &["   one"]),
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
    fn both_ways_agree_on_ascii() {
        let texts = [
            "one two-three  four/five sixseveneight ",
            "  lead - x",
            "a  b",
            "-----",
            "/a/b/c d",
        ];
        for text in texts {
            for room in 1..20 {
                let (mut at, mut ways) = (0, Vec::new());
                while at < text.len() {
                    let (ascii, words) =
                        (fit_ascii(&text[at..], room), fit_words(&text[at..], room));
                    ways.push(ascii);
                    if room > leading_spaces(text) {
                        assert_eq!(ascii, words, "{:?} in {room}", &text[at..]);
                    }
                    at += ascii.next;
                }
            }
        }
    }

    #[test]
    fn a_line_knows_its_paragraph_and_lead() {
        let block = StyledText::plain(sanitise("a\n- b c", Hidden::Discreet));
        let lines: Vec<_> = wrap(&block, 4)
            .iter()
            .map(|line| (line.paragraph, line.lead()))
            .collect();
        assert_eq!(lines, [(0, 0), (1, 0), (1, 2)]);
    }
}
