//! Markdown as styles over the unchanged text: no character is removed or moved.
//!
//! [`MarkdownLines`] classifies lines, `pulldown-cmark` finds emphasis, code and links within a
//! paragraph. Formulas and identifiers are masked before, so nothing in them counts as markup.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::blocks::{
    MarkdownLine, MarkdownLineKind, MarkdownLines, cells, column_widths, item_marker,
};
use super::html::with_bars_of;
use super::literal::{LiteralSpan, literals};
use super::styled_text::{Flow, Pad, Paragraph, StyledText};
use super::text_style::{StyledRun, TextStyle, runs_of};
use crate::text::terminal::glyphs::TextGlyphs;
use crate::text::terminal::sanitise::{Hidden, SanitisedText, sanitise};
use crate::text::terminal::width::{grapheme_start, width};

impl StyledText {
    /// Styles a text by its Markdown.
    pub fn markdown(clean: SanitisedText, glyphs: TextGlyphs) -> Self {
        Self::markdown_while(clean, glyphs, &|| true).unwrap_or_default()
    }

    /// Like [`Self::markdown`], for long texts; `None` if `keep_going` returns false. It is called for
    /// every line.
    pub fn markdown_while(
        clean: SanitisedText,
        glyphs: TextGlyphs,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<Self> {
        Some(read(clean, glyphs, false, keep_going)?.0)
    }

    /// Styles Markdown of our own for readers, without its signs.
    pub fn document(markdown: &str, glyphs: TextGlyphs) -> Self {
        let drawn = glyphs.bar.map(|bar| with_bars_of(markdown, bar));
        let clean = sanitise(drawn.as_deref().unwrap_or(markdown), Hidden::Discreet);
        let (mut styled, signs) = read(clean, glyphs, true, &|| true).unwrap_or_default();
        let mut is_sign = vec![false; styled.text.len() + 1];
        for sign in signs {
            let end = sign.end.min(is_sign.len());
            is_sign[sign.start..end].fill(true);
        }
        // The place of each byte in the text without signs.
        let mut places = Vec::with_capacity(is_sign.len());
        let mut kept = 0;
        for is_sign in &is_sign {
            places.push(kept);
            kept += usize::from(!is_sign);
        }
        let moved = |range: &mut Range<usize>| {
            *range = places[range.start]..places[range.end];
            range.start < range.end
        };
        let mut bytes = std::mem::take(&mut styled.text).into_bytes();
        let mut signs = is_sign.iter();
        bytes.retain(|_| signs.next() == Some(&false));
        // The line of a fence is gone with its end.
        styled.paragraphs.retain_mut(|it| {
            let is_fence = is_sign[it.range.end] && is_sign[it.range.start];
            moved(&mut it.range) || !is_fence
        });
        styled.runs.retain_mut(|run| moved(&mut run.range));
        styled.links.retain_mut(|link| moved(&mut link.range));
        // Signs are whole characters.
        let text = String::from_utf8(bytes).unwrap_or_default();
        Self { text, ..styled }
    }
}

/// Styles a text by its Markdown; also returns the ranges of its signs, in any order.
fn read(
    clean: SanitisedText,
    glyphs: TextGlyphs,
    is_document: bool,
    keep_going: &dyn Fn() -> bool,
) -> Option<(StyledText, Vec<Range<usize>>)> {
    let mut styled = StyledText::plain(clean);
    styled.glyphs = glyphs;
    let mut reader = Reader {
        text: &styled.text,
        spans: std::mem::take(&mut styled.runs),
        keeps_heading_signs: glyphs.heading_signs,
        is_document,
        ..Reader::default()
    };
    let paragraphs = &mut styled.paragraphs;
    for (at, line) in MarkdownLines::of(&styled.text).enumerate() {
        if !keep_going() {
            return None;
        }
        if !line.kind.is_row() {
            reader.end_table(&mut paragraphs[..at]);
        }
        if matches!(line.kind, MarkdownLineKind::Code | MarkdownLineKind::Fence) {
            paragraphs[at].flow = Flow::Code;
        }
        reader.line(line);
    }
    reader.end_block();
    reader.end_table(paragraphs);
    let Reader {
        spans,
        pads,
        links,
        signs,
        ..
    } = reader;
    let whole = |span: StyledRun| {
        let range = styled.whole_graphemes(span.range);
        StyledRun { range, ..span }
    };
    styled.runs = runs_of(spans.into_iter().map(whole));
    styled.pads = pads;
    for (label, address) in links {
        styled.link(label, &address);
    }
    keep_going().then_some((styled, signs))
}

/// Collects the styles of a text, line by line.
#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    /// Ranges and their styles, in any order.
    spans: Vec<StyledRun>,
    /// The current paragraph.
    block: Option<Range<usize>>,
    /// Indentation and quote signs before the lines of that paragraph.
    prefixes: Vec<Range<usize>>,
    /// The rows of the current table.
    table: Vec<MarkdownLine>,
    pads: Vec<Pad>,
    /// The labels and addresses of links.
    links: Vec<(Range<usize>, String)>,
    /// Signs of markup, which a document does not show.
    signs: Vec<Range<usize>>,
    keeps_heading_signs: bool,
    /// Whether it is Markdown of our own, which has no formulas.
    is_document: bool,
}

impl Reader<'_> {
    /// Styles signs of markup.
    fn sign(&mut self, range: Range<usize>) {
        self.style(range.clone(), TextStyle::DIM);
        self.signs.push(range);
    }

    fn style(&mut self, range: Range<usize>, style: TextStyle) {
        if !range.is_empty() {
            self.spans.push(StyledRun { range, style });
        }
    }

    fn line(&mut self, line: MarkdownLine) {
        let content = line.content..line.range.end;
        if line.kind != MarkdownLineKind::Code && line.quoted > line.range.start {
            self.style(line.range.start..line.quoted, TextStyle::DIM);
            self.style(content.clone(), TextStyle::QUOTE);
        }
        if !matches!(
            line.kind,
            MarkdownLineKind::Prose | MarkdownLineKind::Underline
        ) {
            self.end_block();
        }
        match line.kind {
            MarkdownLineKind::Blank | MarkdownLineKind::Unfenced => {}
            MarkdownLineKind::Code => self.style(line.range, TextStyle::CODE_BLOCK),
            MarkdownLineKind::Fence => {
                self.style(line.range.clone(), TextStyle::CODE_BLOCK);
                self.sign(line.range.start..line.range.end + 1);
            }
            MarkdownLineKind::Rule => self.style(content, TextStyle::RULE),
            MarkdownLineKind::Heading => {
                let signs = self.text[content.clone()].trim_start_matches('#');
                let text = content.end - signs.trim_start().len();
                self.style(content.start..text, TextStyle::DIM);
                if !self.keeps_heading_signs {
                    self.signs.push(content.start..text);
                }
                self.style(text..content.end, TextStyle::HEADING);
                self.inline(text..content.end);
            }
            MarkdownLineKind::Underline => {
                if let Some(block) = self.block.clone() {
                    self.style(block, TextStyle::HEADING);
                }
                self.end_block();
                self.style(content, TextStyle::DIM);
            }
            MarkdownLineKind::Item => {
                self.block = Some(self.markers(content.clone())..content.end);
            }
            MarkdownLineKind::Prose => match &mut self.block {
                Some(block) => {
                    block.end = content.end;
                    self.prefixes.push(line.range.start..content.start);
                }
                None => self.block = Some(content),
            },
            MarkdownLineKind::TableHead | MarkdownLineKind::TableRow => {
                for cell in cells(self.text, content.clone()) {
                    self.style(
                        content.start.max(cell.start.saturating_sub(1))..cell.start,
                        TextStyle::DIM,
                    );
                    if line.kind == MarkdownLineKind::TableHead {
                        self.style(cell.clone(), TextStyle::STRONG);
                    }
                    self.inline(cell.clone());
                    let bar = self.text[cell.end..content.end].starts_with('|');
                    self.style(cell.end..cell.end + usize::from(bar), TextStyle::DIM);
                }
                self.table.push(line);
            }
            MarkdownLineKind::Delimiter => {
                self.style(content, TextStyle::DIM);
                self.table.push(line);
            }
        }
    }

    /// Styles the markers of a list item (nested items can share a line) and its task box; returns
    /// where its text starts.
    fn markers(&mut self, mut item: Range<usize>) -> usize {
        while let Some(marker) = item_marker(&self.text[item.clone()]) {
            self.style(item.start..item.start + marker, TextStyle::MARKER);
            item.start += marker;
        }
        let written = &self.text[item.clone()];
        if ["[ ] ", "[x] ", "[X] "]
            .iter()
            .any(|task| written.starts_with(task))
        {
            self.style(item.start..item.start + 3, TextStyle::MARKER);
            item.start += 4;
        }
        item.start
    }

    fn end_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.inline(block);
        }
        self.prefixes.clear();
    }

    /// Styles the contents of a paragraph, heading or cell.
    fn inline(&mut self, block: Range<usize>) {
        let (start, text) = (block.start, &self.text[block]);
        if !text.contains(['*', '_', '~', '`', '<', '[', '\\', '$']) {
            return;
        }
        let mut masked = text.as_bytes().to_vec();
        let literals = match self.is_document {
            true => Vec::new(),
            false => literals(text),
        };
        for literal in literals {
            let range = literal.range();
            if let LiteralSpan::Formula { inside, .. } = &literal {
                let within = |range: Range<usize>| range.start + start..range.end + start;
                self.style(within(range.start..inside.start), TextStyle::DIM);
                self.style(within(inside.clone()), TextStyle::EMPHASIS);
                self.style(within(inside.end..range.end), TextStyle::DIM);
            }
            masked[range].fill(b'x');
        }
        for prefix in &self.prefixes {
            // Keep the blank before the text: it decides the meaning of stars there.
            let last = prefix.end - usize::from(text[..prefix.end - start].ends_with(' '));
            masked[prefix.start - start..last - start].fill(b'x');
        }
        // Only whole characters are masked, so this is UTF-8.
        let masked = String::from_utf8(masked).unwrap_or_default();
        let parser = Parser::new_ext(&masked, Options::ENABLE_STRIKETHROUGH);
        for (event, range) in parser.into_offset_iter() {
            let range = range.start + start..range.end + start;
            match event {
                Event::Start(Tag::Emphasis) => self.marked(range, 1, TextStyle::EMPHASIS),
                Event::Start(Tag::Strong) => self.marked(range, 2, TextStyle::STRONG),
                Event::Start(Tag::Strikethrough) => {
                    let signs = self.leading(&range, b'~');
                    self.marked(range, signs, TextStyle::STRIKE);
                }
                Event::Code(_) => {
                    let signs = self.leading(&range, b'`');
                    self.style(range.clone(), TextStyle::CODE);
                    self.marked(range, signs, TextStyle::CODE);
                }
                Event::Start(
                    Tag::Link {
                        link_type,
                        dest_url,
                        ..
                    }
                    | Tag::Image {
                        link_type,
                        dest_url,
                        ..
                    },
                ) => {
                    self.link(link_type, range, &dest_url);
                }
                Event::HardBreak if self.text[range.clone()].starts_with('\\') => {
                    self.signs.push(range.start..range.start + 1);
                }
                // The text after a backslash does not include it.
                Event::Text(_) if self.text[..range.start].ends_with('\\') => {
                    self.signs.push(range.start - 1..range.start);
                }
                _ => {}
            }
        }
    }

    fn leading(&self, range: &Range<usize>, sign: u8) -> usize {
        self.text[range.clone()]
            .bytes()
            .take_while(|byte| *byte == sign)
            .count()
    }

    /// Styles text between `signs` bytes of markup on both sides; the markup is dim.
    fn marked(&mut self, range: Range<usize>, signs: usize, style: TextStyle) {
        let inside = range.start + signs..range.end.saturating_sub(signs).max(range.start + signs);
        self.sign(range.start..inside.start);
        self.sign(inside.end..range.end);
        self.style(inside, style);
    }

    fn link(&mut self, kind: LinkType, range: Range<usize>, address: &str) {
        match kind {
            LinkType::Autolink | LinkType::Email => self.marked(range, 1, TextStyle::LINK),
            LinkType::Inline => {
                let written = &self.text[range.clone()];
                let text = range.start + usize::from(written.starts_with('!')) + 1;
                let end = range.start + written.rfind("](").unwrap_or(written.len());
                self.sign(range.start..text);
                self.style(text..end.max(text), TextStyle::LINK);
                // Not if a formula in it was masked, or if it contains entities.
                if written.contains(address) {
                    self.links.push((text..end.max(text), address.to_owned()));
                }
                self.sign(end..range.end);
            }
            _ => {} // needs a definition, which a paragraph alone does not have
        }
    }

    /// Aligns the columns of the table that ends these paragraphs.
    fn end_table(&mut self, paragraphs: &mut [Paragraph]) {
        let rows = std::mem::take(&mut self.table);
        let Some(rule) = rows.get(1) else { return };
        let of_row = |row: &MarkdownLine| -> Vec<_> {
            cells(self.text, row.content..row.range.end).collect()
        };
        let colons: Vec<_> = (of_row(rule).iter())
            .map(|cell| self.text[cell.clone()].trim())
            .map(|dashes| [dashes.starts_with(':'), dashes.ends_with(':')])
            .collect();
        let rows: Vec<_> = rows.iter().map(|row| (row, of_row(row))).collect();
        let cell_width = |cell: &Range<usize>| width(&self.text[cell.clone()]);
        let widths = column_widths(self.text, colons.len(), rows.iter().map(|(_, cells)| cells));
        let mut widest = 0;
        for (line, cells) in &rows {
            let mut padded = width(&self.text[line.range.clone()]);
            for ((cell, room), colons) in cells.iter().zip(&widths).zip(&colons) {
                let pad = room - cell_width(cell);
                padded += pad;
                self.pad(cell, pad, *colons, line.kind == MarkdownLineKind::Delimiter);
            }
            widest = widest.max(padded);
        }
        let first = paragraphs.len() - rows.len();
        for paragraph in &mut paragraphs[first..] {
            paragraph.flow = Flow::Row(u32::try_from(widest).unwrap_or(u32::MAX));
        }
    }

    fn pad(&mut self, cell: &Range<usize>, cells: usize, colons: [bool; 2], is_rule: bool) {
        let written = &self.text[cell.clone()];
        let before = match colons {
            [true, true] if !is_rule => cells / 2,
            [false, true] if !is_rule => cells,
            _ => 0,
        };
        let end = match written.rfind('-').filter(|_| is_rule) {
            Some(dash) => cell.start + dash + 1,
            None => cell.end,
        };
        for (at, cells) in [(cell.start, before), (end, cells - before)] {
            // A mark without a base joins the bar before it.
            if cells > 0 && grapheme_start(self.text, at) == at {
                self.pads.push(Pad { at, cells, is_rule });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Hidden;
    use crate::text::{sanitise, wrap};

    fn styled(source: &str, glyphs: TextGlyphs) -> StyledText {
        StyledText::markdown(sanitise(source, Hidden::Shown), glyphs)
    }

    fn drawn(source: &str, width: u16) -> Vec<String> {
        let styled = styled(source, TextGlyphs::UNICODE);
        let lines = wrap(&styled, width);
        let line = |line| styled.pieces(line).map(|(piece, _)| piece).collect();
        lines.iter().map(line).collect()
    }

    #[test]
    fn each_construct_is_drawn_as_it_was_written() {
        let cases: &[(&str, u16, &[&str])] = &[
            ("", 9, &[""]),
            (
                "one  \n two\\\n\n\n three",
                40,
                &["one", " two\\", "", "", " three"],
            ),
            ("# A *b*\n\nSet\n---", 40, &["# A *b*", "", "Set", "---"]),
            (
                "**a** __b__ ~~c~~ `d  e`",
                40,
                &["**a** __b__ ~~c~~ `d  e`"],
            ),
            (
                "- one two\n- b\n  - c d",
                7,
                &["- one", "  two", "- b", "  - c d"],
            ),
            ("12) xx yy", 8, &["12) xx", "    yy"]),
            ("> - aa bb", 8, &["> - aa", "    bb"]),
            (
                "```sh\nls  a\n    bb cc\n```\nend",
                8,
                &["```sh", "ls  a", "    bb", "  ↪ cc", "```", "end"],
            ),
            ("```\nab cd\n```", 4, &["```", "ab", "↪ cd", "```"]),
            (
                "|a|long|\n|-|-|\n|wide|x|",
                16,
                &["|a   |long|", "|-───|-───|", "|wide|x   |"],
            ),
            (
                "| a | r |\n|:-:|--:|\n| wide | x |\n",
                16,
                &["|  a   | r |", "|:-───:|--:|", "| wide | x |", ""],
            ),
            (
                "|a|long|\n|-|-|\n|wide|x y|",
                8,
                &["|a|long|", "|-|-|", "|wide", "  |x y|"],
            ),
            ("a|b\n-|-\nc|d", 16, &["a|b", "-|-", "c|d"]),
            ("|a|\n|-|\n|1|more|", 40, &["|a|", "|-|", "|1|more|"]),
            ("|aa|\n|-:|\n|\u{301}|", 40, &["|aa|", "|-:|", "|\u{301}|"]),
            (
                "|a|b|\n|-|-|\n|l \\| r r|x|",
                8,
                &["|a|b|", "|-|-|", "|l \\| r", "  r|x|"],
            ),
            (">quote on", 7, &[">quote", " on"]),
        ];
        for (source, width, expected) in cases {
            let lines = drawn(source, *width);
            let lines: Vec<_> = lines.iter().map(|line| line.trim_end()).collect();
            assert_eq!(lines, *expected, "{source:?} at {width}");
        }
    }

    #[test]
    fn styles_say_what_the_text_is() {
        let cases: &[(&str, &str, TextStyle)] = &[
            ("a **b _c_**", "c", TextStyle::STRONG | TextStyle::EMPHASIS),
            ("a **b**", "**", TextStyle::DIM),
            ("# t", "t", TextStyle::HEADING),
            ("# t", "# ", TextStyle::DIM),
            ("t\n===", "t", TextStyle::HEADING),
            ("- x", "- ", TextStyle::MARKER),
            ("- [x] y", "- [x]", TextStyle::MARKER),
            ("    - **x**", "x", TextStyle::STRONG),
            ("> q", "q", TextStyle::QUOTE),
            ("`c`", "c", TextStyle::CODE),
            ("`c`", "`", TextStyle::CODE | TextStyle::DIM),
            (
                "```sh\nls\n```",
                "```sh",
                TextStyle::CODE_BLOCK | TextStyle::DIM,
            ),
            ("```sh\nls\n```", "ls", TextStyle::CODE_BLOCK),
            (
                "a:\n\n    x = 1\n\n    *y*",
                "    *y*",
                TextStyle::CODE_BLOCK,
            ),
            ("[a](b)", "a", TextStyle::LINK),
            ("[a](b)", "](b)", TextStyle::DIM),
            ("~~s~~", "s", TextStyle::STRIKE),
            ("* * *", "* * *", TextStyle::RULE),
            (r"so \(x_1*y_2*z\)", "x_1*y_2*z", TextStyle::EMPHASIS),
            (
                "\\[\nx^*_1\n\n+ y^*_2\n\\] *z*",
                "\nx^*_1\n\n+ y^*_2\n",
                TextStyle::EMPHASIS,
            ),
            (
                "\\begin{a}\n- _b_\n\\end{a}",
                "a}\n- _b_\n",
                TextStyle::EMPHASIS,
            ),
            ("Options:\n  Pick **one**", "one", TextStyle::STRONG),
            ("if a:\n    b()\n- **c**", "c", TextStyle::STRONG),
            ("> ```\n> x\n\n*y*", "y", TextStyle::EMPHASIS),
            ("x\u{200b}", "⟨ZWSP⟩", TextStyle::HIDDEN),
            (
                "*x\u{200b}*",
                "⟨ZWSP⟩",
                TextStyle::HIDDEN | TextStyle::EMPHASIS,
            ),
            ("|h|\n|-|\n|c|", "h", TextStyle::STRONG),
        ];
        for (source, text, style) in cases {
            let styled = styled(source, TextGlyphs::UNICODE);
            let runs = styled.runs.iter();
            let runs: Vec<_> = runs
                .map(|run| (&styled.text()[run.range.clone()], run.style))
                .collect();
            assert!(
                runs.contains(&(*text, *style)),
                "{text:?} {style:?} of {source:?} in {runs:?}"
            );
        }
    }

    #[test]
    fn what_is_no_markup_has_no_style() {
        for source in [
            "2*3*4 = 24",
            "call my_module_name and _private_name_",
            "def f(self, *args, **kwargs):\n    return self.__len__() * 2 * x",
            "##",
            "-x and *y",
            r"C:\Users\_shared_\*.txt and *",
            "if a:\n    # no *heading*\n    return b",
        ] {
            let styled = styled(source, TextGlyphs::UNICODE);
            assert_eq!(styled.runs, [], "{source:?}");
        }
    }

    #[test]
    fn ascii_terminals_get_ascii() {
        let source = "```\na long line of code\n```\n\n|a|\n|-|\n|long|";
        let styled = styled(source, TextGlyphs::ASCII);
        let lines = wrap(&styled, 8);
        let mut pieces = lines.iter().flat_map(|line| styled.pieces(line));
        assert!(pieces.all(|(piece, _)| piece.is_ascii()));
        let bars = format!(
            "`{}` and ─",
            super::super::html::bar(0.5, [0.25, 0.75], None, 25)
        );
        let document = StyledText::document(&bars, TextGlyphs::ASCII);
        assert_eq!(document.text(), "......<=====o=====>...... and ─");
    }
}
