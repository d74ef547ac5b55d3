//! Styled text, which can be wrapped at any width and drawn line by line.

use std::borrow::Cow;
use std::ops::Range;

use super::blocks::cells;
use super::links::TextLink;
use super::text_style::{StyledRun, TextStyle, push_run, runs_of};
use crate::text::terminal::glyphs::TextGlyphs;
use crate::text::terminal::sanitise::{Hidden, SanitisedText, sanitise};
use crate::text::terminal::width::{whole_graphemes, width};
use crate::text::terminal::wrap::WrappedLine;

/// Styled text, split into lines as written.
///
/// What is drawn are ranges of one text, in order, with decoration between them (hanging indents,
/// padding of tables) that has no range. It can only be made from [`SanitisedText`], so it is safe
/// to display.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledText {
    pub(in crate::text) text: String,
    pub(in crate::text) paragraphs: Vec<Paragraph>,
    /// The styles: sorted, not empty, disjoint, at grapheme boundaries. Text outside of runs is
    /// plain.
    pub(in crate::text) runs: Vec<StyledRun>,
    /// Padding that aligns the columns of tables, by byte.
    pub(super) pads: Vec<Pad>,
    /// Links to web addresses: sorted and disjoint.
    pub(super) links: Vec<TextLink>,
    pub(super) glyphs: TextGlyphs,
}

/// A line as written, without its newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    pub range: Range<usize>,
    pub flow: Flow,
}

/// How a paragraph is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// By words; continuation lines hang under the text after indentation, quote signs and a list marker.
    Prose,
    /// By words; continuation lines are indented like the first one, after a sign.
    Code,
    /// A row of a table: one line if the whole table, padded to this many cells, fits; otherwise
    /// broken before `|`, then by words.
    Row(u32),
}

/// Cells inserted before a byte of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pad {
    pub at: usize,
    pub cells: usize,
    /// True if they continue the delimiter row of a table; otherwise they are blank.
    pub is_rule: bool,
}

impl StyledText {
    /// Returns the text without Markdown; glyphs of `sanitise` are `HIDDEN` runs.
    pub fn plain(clean: SanitisedText) -> Self {
        let SanitisedText { text, marks } = clean;
        let mut paragraphs = Vec::with_capacity(text.len() / 64 + 1);
        let mut start = 0;
        for line in text.split('\n') {
            let range = start..start + line.len();
            start = range.end + 1;
            let flow = Flow::Prose;
            paragraphs.push(Paragraph { range, flow });
        }
        let mut styled = Self {
            links: TextLink::within(&text).collect(),
            text,
            paragraphs,
            ..Self::default()
        };
        for mark in marks {
            push_run(&mut styled.runs, mark, TextStyle::HIDDEN);
        }
        styled
    }

    /// Returns the width of the text in terminal cells, if it is a line.
    pub fn width(&self) -> usize {
        width(&self.text)
    }

    /// Appends the text of another to the last line, with a style over it. Returns its bytes.
    pub fn add(&mut self, other: &Self, style: TextStyle) -> Range<usize> {
        let start = self.text.len();
        let moved = |range: &Range<usize>| start + range.start..start + range.end;
        self.text.push_str(&other.text);
        let range = start..self.text.len();
        let over = StyledRun {
            range: range.clone(),
            style,
        };
        let runs = other.runs.iter().map(|run| StyledRun {
            range: moved(&run.range),
            style: run.style,
        });
        self.runs.extend(runs_of(runs.chain([over])));
        self.links.extend(other.links.iter().map(|link| TextLink {
            range: moved(&link.range),
            url: link.url.clone(),
        }));
        for (at, paragraph) in other.paragraphs.iter().enumerate() {
            let range = moved(&paragraph.range);
            match self.paragraphs.last_mut().filter(|_| at == 0) {
                Some(last) => last.range.end = range.end,
                None => self.paragraphs.push(Paragraph {
                    range,
                    flow: paragraph.flow,
                }),
            }
        }
        range
    }

    /// Appends plain words, which may have line breaks.
    pub fn write(&mut self, words: &str) {
        self.add(
            &Self::plain(sanitise(words, Hidden::Discreet)),
            TextStyle::NONE,
        );
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Iterates over the byte ranges of the paragraphs; [`WrappedLine::paragraph`] is an index into
    /// them.
    pub fn paragraphs(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        self.paragraphs
            .iter()
            .map(|paragraph| paragraph.range.clone())
    }

    /// Adds a style to a range of bytes, widened to whole graphemes and clipped to the text.
    ///
    /// Moves all runs after the range, so overlay from the back, or only what is on screen.
    pub fn overlay(&mut self, range: Range<usize>, style: TextStyle) {
        if range.is_empty() {
            return;
        }
        let range = self.whole_graphemes(range);
        let from = self
            .runs
            .partition_point(|run| run.range.end <= range.start);
        let to = self.runs.partition_point(|run| run.range.start < range.end);
        let crossed = self.runs[from..to].to_vec();
        let runs = runs_of(crossed.into_iter().chain([StyledRun { range, style }]));
        self.runs.splice(from..to, runs);
    }

    /// Widens a range of bytes to whole graphemes and clips it to the text; an empty one stays
    /// empty.
    pub fn whole_graphemes(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return range;
        }
        whole_graphemes(&self.text, range)
    }

    /// True if a line is part of a block of code, and shaded as a whole.
    pub fn is_code(&self, line: &WrappedLine) -> bool {
        self.flow(line) == Flow::Code
    }

    /// Links a part of the text to a web address, unless it overlaps a link: an address in the text
    /// always links to itself.
    pub fn link(&mut self, range: Range<usize>, address: &str) {
        let at = self
            .links
            .partition_point(|link| link.range.end <= range.start);
        let is_free = self
            .links
            .get(at)
            .is_none_or(|link| link.range.start >= range.end);
        if let Some(link) =
            TextLink::to(range, address).filter(|link| is_free && !link.range.is_empty())
        {
            self.links.insert(at, link);
        }
    }

    /// Returns the links on a line: the cells of each, and its address.
    pub fn links_on(&self, line: &WrappedLine) -> Vec<(Range<usize>, &str)> {
        let from = self
            .links
            .partition_point(|link| link.range.end <= line.range.start);
        let links: Vec<_> = self.links[from..]
            .iter()
            .take_while(|link| link.range.start < line.range.end)
            .collect();
        let (mut found, mut cell) = (Vec::new(), 0);
        if links.is_empty() {
            return found;
        }
        let mut pieces = self.pieces(line);
        loop {
            let from = pieces.range.start;
            let Some((piece, _)) = pieces.next() else {
                return found;
            };
            let to = pieces.range.start;
            // Padding is not part of the text.
            let is_text = to - from == piece.len();
            for link in links.iter().filter(|_| is_text) {
                let (start, end) = (link.range.start.max(from), link.range.end.min(to));
                if start < end {
                    let start_cell = cell + width(&self.text[from..start]);
                    found.push((
                        start_cell..start_cell + width(&self.text[start..end]),
                        &*link.url,
                    ));
                }
            }
            cell += width(piece);
        }
    }

    fn flow(&self, line: &WrappedLine) -> Flow {
        self.paragraphs
            .get(line.paragraph as usize)
            .map_or(Flow::Prose, |paragraph| paragraph.flow)
    }

    /// Returns a line of [`wrap`](crate::text::wrap()) as strings to draw in sequence: the indent as
    /// blanks, then the text split at its runs. No string is empty or ends inside a grapheme.
    pub fn pieces<'a>(&'a self, line: &WrappedLine) -> Pieces<'a> {
        self.pieces_over(line, &[])
    }

    /// Like [`Self::pieces`], with additional styles over ranges of whole graphemes.
    pub fn pieces_over<'a>(
        &'a self,
        line: &WrappedLine,
        over: &[(Range<usize>, TextStyle)],
    ) -> Pieces<'a> {
        let first = self
            .runs
            .partition_point(|run| run.range.end <= line.range.start);
        let mut runs = Cow::Borrowed(&self.runs[first..]);
        let first_cell = self
            .first_cell(line)
            .map(|cell| (self.whole_graphemes(cell), TextStyle::STRONG));
        if !over.is_empty() || first_cell.is_some() {
            let on_line = runs.partition_point(|run| run.range.start < line.range.end);
            let over = first_cell
                .iter()
                .chain(over)
                .cloned()
                .map(|(range, style)| StyledRun { range, style });
            runs = Cow::Owned(runs_of(runs[..on_line].iter().cloned().chain(over)));
            // Additional styles may end before this line.
            let before = runs.partition_point(|run| run.range.end <= line.range.start);
            runs.to_mut().drain(..before);
        }
        let pads = if line.is_padded {
            let from = self.pads.partition_point(|pad| pad.at < line.range.start);
            let to = self.pads.partition_point(|pad| pad.at < line.range.end);
            &self.pads[from..to]
        } else {
            &[]
        };
        let is_code = self.is_code(line);
        let sign = if is_code && line.indent >= 2 {
            self.glyphs.wrapped
        } else {
            ""
        };
        Pieces {
            text: &self.text,
            runs,
            next_run: 0,
            blanks: usize::from(line.indent) - 2 * usize::from(!sign.is_empty()),
            sign,
            pads,
            fill: None,
            rule: self.glyphs.rule,
            range: line.range.clone(),
        }
    }

    /// Returns the first cell of an unpadded row, which is emphasised because columns are not
    /// aligned.
    fn first_cell(&self, line: &WrappedLine) -> Option<Range<usize>> {
        let Flow::Row(_) = self.flow(line) else {
            return None;
        };
        let row = self.paragraphs.get(line.paragraph as usize)?.range.clone();
        let is_first = !line.is_padded && line.range.start == row.start;
        let shown = self.text[line.range.clone()].trim_start();
        let start = line.range.end - shown.len();
        cells(&self.text, start..line.range.end)
            .next()
            .filter(|cell| {
                is_first && self.text[cell.clone()].contains(|c: char| !"-: ".contains(c))
            })
    }
}

/// Iterator over the styled strings of a line.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    text: &'a str,
    runs: Cow<'a, [StyledRun]>,
    next_run: usize,
    /// Remaining cells of padding.
    blanks: usize,
    /// One cell of the padding, if it is not blank.
    fill: Option<&'static str>,
    /// The sign after the padding.
    sign: &'static str,
    pads: &'a [Pad],
    rule: &'static str,
    range: Range<usize>,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = (&'a str, TextStyle);

    fn next(&mut self) -> Option<Self::Item> {
        const BLANKS: &str = "                                ";
        if self.blanks > 0 {
            let (piece, style) = match self.fill {
                Some(cell) => (cell, TextStyle::TABLE),
                None => (&BLANKS[..self.blanks.min(BLANKS.len())], TextStyle::NONE),
            };
            self.blanks -= self.fill.map_or(piece.len(), |_| 1);
            return Some((piece, style));
        }
        if !self.sign.is_empty() {
            return Some((std::mem::take(&mut self.sign), TextStyle::DIM));
        }
        let start = self.range.start;
        if start >= self.range.end {
            return None;
        }
        if let Some((pad, rest)) = self.pads.split_first().filter(|(pad, _)| pad.at <= start) {
            self.pads = rest;
            self.blanks = pad.cells;
            self.fill = pad.is_rule.then_some(self.rule);
            return self.next();
        }
        let run = self.runs.get(self.next_run);
        let (end, style) = match run {
            Some(run) if run.range.start <= start => (run.range.end, run.style),
            Some(run) => (run.range.start, TextStyle::NONE),
            None => (self.range.end, TextStyle::NONE),
        };
        let pad = self.pads.first().map_or(self.range.end, |pad| pad.at);
        let end = end.min(self.range.end).min(pad);
        self.range.start = end;
        self.next_run += usize::from(run.is_some_and(|run| run.range.end <= end));
        Some((&self.text[start..end], style))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Hidden;
    use crate::text::{sanitise, wrap};

    fn plain(text: &str) -> StyledText {
        StyledText::plain(sanitise(text, Hidden::Shown))
    }

    fn styles(block: &StyledText) -> Vec<(&str, TextStyle)> {
        block
            .runs
            .iter()
            .map(|run| (&block.text()[run.range.clone()], run.style))
            .collect()
    }

    #[test]
    fn overlays_split_what_they_cross() {
        let (a, b) = (TextStyle::STRONG, TextStyle::HIT);
        type Case<'a> = (
            &'a [(usize, usize)],
            (usize, usize),
            &'a [(&'a str, TextStyle)],
        );
        let cases: [Case<'_>; 8] = [
            (&[], (1, 3), &[("bc", b)]),
            (&[(2, 4)], (0, 1), &[("a", b), ("cd", a)]),
            (&[(2, 4)], (0, 6), &[("ab", b), ("cd", a | b), ("ef", b)]),
            (&[(2, 6)], (3, 4), &[("c", a), ("d", a | b), ("ef", a)]),
            (
                &[(0, 2), (4, 6)],
                (1, 5),
                &[("a", a), ("b", a | b), ("cd", b), ("e", a | b), ("f", a)],
            ),
            (&[(2, 4)], (3, 6), &[("c", a), ("d", a | b), ("ef", b)]),
            (&[(2, 4)], (9, 12), &[("cd", a)]),
            (&[(2, 4)], (4, 99), &[("cd", a), ("ef", b)]),
        ];
        for (under, over, expected) in cases {
            let mut block = plain("abcdef");
            for (start, end) in under {
                block.overlay(*start..*end, a);
            }
            block.overlay(over.0..over.1, b);
            assert_eq!(styles(&block), expected, "{over:?} over {under:?}");
        }
    }

    #[test]
    fn styles_laid_over_a_line_are_those_of_an_overlay() {
        let (a, b, c) = (TextStyle::STRONG, TextStyle::HIT, TextStyle::HERE);
        for over in [0..3, 1..8, 4..5, 6..14, 9..12, 3..3] {
            let mut block = plain("abcd efgh ijkl");
            block.overlay(2..7, a);
            let mut laid = block.clone();
            laid.overlay(over.clone(), b);
            laid.overlay(2..4, c);
            for line in wrap(&block, 5) {
                let styles = [(over.clone(), b), (2..4, c)];
                let drawn: Vec<_> = block.pieces_over(&line, &styles).collect();
                assert_eq!(drawn, laid.pieces(&line).collect::<Vec<_>>(), "{over:?}");
            }
        }
    }

    #[test]
    fn an_overlay_takes_whole_graphemes() {
        let mut block = plain("xe\u{301}漢y");
        block.overlay(2..5, TextStyle::HIT);
        assert_eq!(styles(&block), [("e\u{301}漢", TextStyle::HIT)]);
    }

    #[test]
    fn pieces_are_indent_and_runs() {
        let mut block = plain("- one two");
        block.overlay(6..9, TextStyle::HIT);
        let lines = wrap(&block, 7);
        let drawn: Vec<Vec<_>> = lines
            .iter()
            .map(|line| block.pieces(line).collect())
            .collect();
        assert_eq!(drawn[0], [("- one", TextStyle::NONE)]);
        assert_eq!(drawn[1], [("  ", TextStyle::NONE), ("two", TextStyle::HIT)]);
    }
}
