//! Markdown as runs over text that stays the source's own: the syntax marks go, every word and line
//! break stays.
//!
//! What reviewers judge is what the model wrote, so nothing is interpreted away: HTML and entities
//! stand as written, link definitions and addresses are shown, soft line breaks are kept. What the
//! parser passes over in silence, the builder writes.

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd};

use super::glyphs::TextGlyphs;
use super::indented::{Dedented, options};
use super::sanitise::Clean;
use super::styled_text::{Flow, StyledText};
use super::styled_text_builder::{Container, StyledTextBuilder, has_words};
use super::table::{Align, TextTable};
use super::text_style::TextStyle;

/// A rule is a mark, not a wall.
const LONGEST_RULE: usize = 40;

impl StyledText {
    /// The text read as Markdown, with tables laid out for lines of `width` cells. It may be
    /// wrapped at another width too; only tables and rules are then cut at the edge.
    pub fn markdown(clean: &Clean, width: u16, glyphs: TextGlyphs) -> Self {
        Self::markdown_while(clean, width, glyphs, &|| true).unwrap_or_default()
    }

    /// [`Self::markdown`] of a text that may be long: `wanted` is asked all along, and once it says
    /// no this gives `None`.
    pub fn markdown_while(
        clean: &Clean,
        width: u16,
        glyphs: TextGlyphs,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let source = clean.as_str();
        let out = StyledTextBuilder::new(clean, usize::from(width.max(1)), glyphs);
        let mut reader = Reader {
            out,
            lists: Vec::new(),
            table: None,
            table_overflows: false,
            wanted,
        };
        let dedented = Dedented::of(source, wanted)?;
        for (event, range) in Parser::new_ext(dedented.text(), options()).into_offset_iter() {
            if !wanted() {
                return None;
            }
            reader.event(event, dedented.range(range));
        }
        reader.out.end();
        reader.out.gap(source.trim_end().len());
        // Nothing but marks, such as a lone `>`, is shown as it is.
        let is_empty = reader.out.block.paragraphs.is_empty();
        wanted().then(|| {
            if is_empty {
                Self::plain(clean.clone())
            } else {
                reader.out.block
            }
        })
    }
}

/// Follows the events of the parser and writes what they say.
struct Reader<'a> {
    out: StyledTextBuilder<'a>,
    /// The bullet of each open list; none where the items have numbers.
    lists: Vec<Option<char>>,
    table: Option<TextTable>,
    /// A row has cells that the head has no column for.
    table_overflows: bool,
    /// A table is laid out in one go; when this says no, not to its end.
    wanted: &'a dyn Fn() -> bool,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.finish(tag, range),
            // The range, not the text: there an entity is still as written.
            Event::Text(_) | Event::Html(_) | Event::InlineHtml(_) => self.source_text(range),
            Event::Code(code) => self.code(&code, range),
            Event::TaskListMarker(_) => {
                self.out.ensure_open(range.start);
                self.out.cursor = range.end;
                self.out.literal(range, TextStyle::MARKER);
                self.out.push(" ", TextStyle::NONE);
            }
            Event::SoftBreak | Event::HardBreak => {
                self.out.ensure_open(range.start);
                self.out.next_line();
                self.out.cursor = range.end;
            }
            Event::Rule => self.rule(range),
            // Not switched on; their source would be written by the next gap.
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.out.begin_at(range.start, Flow::Words),
            Tag::HtmlBlock => self.out.begin_at(range.start, Flow::Plain),
            Tag::Heading { level, .. } => {
                self.out.begin_at(range.start, Flow::Words);
                self.out.add_style(TextStyle::HEADING);
                let marks = "#".repeat(level as usize) + " ";
                self.out.push(&marks, TextStyle::MARKER | TextStyle::DIM);
            }
            Tag::CodeBlock(kind) => self.start_code(&kind, range),
            Tag::BlockQuote(_) => {
                self.out.start_container(range.start, Container::Quote);
                self.out.add_style(TextStyle::QUOTE);
            }
            Tag::List(number) => {
                self.out.end();
                self.out.gap(range.start);
                let bullet = number
                    .is_none()
                    .then_some(self.out.glyphs.bullets[self.lists.len() % 2]);
                self.lists.push(bullet);
            }
            Tag::Item => self.start_item(range.start),
            Tag::Table(aligns) => {
                self.out.end();
                self.out.gap(range.start);
                self.table = Some(TextTable {
                    aligns: aligns.into_iter().map(align).collect(),
                    rows: Vec::new(),
                });
                self.table_overflows = false;
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
                let style = if matches!(tag, Tag::TableHead) {
                    TextStyle::STRONG
                } else {
                    TextStyle::NONE
                };
                self.out.add_style(style);
            }
            Tag::TableCell => self.out.begin_cell(),
            Tag::Emphasis => self.out.add_style(TextStyle::EMPHASIS),
            Tag::Strong => self.out.add_style(TextStyle::STRONG),
            Tag::Strikethrough => self.out.add_style(TextStyle::STRIKE),
            Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => {
                self.start_link(link_type, range);
            }
            _ => {} // not switched on
        }
    }

    fn finish(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.out.end(),
            TagEnd::Heading(_) => {
                self.out.drop_style();
                self.out.end();
                self.out.skip_to_end_of(range);
            }
            TagEnd::HtmlBlock | TagEnd::CodeBlock => {
                self.out.end();
                self.out.skip_to_end_of(range);
            }
            TagEnd::BlockQuote(_) => {
                self.out.finish_container(range);
                self.out.drop_style();
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => {
                if self.out.has_unwritten_marker() {
                    self.out.ensure_open(self.out.cursor); // an empty item is its markers
                }
                self.out.finish_container(range);
            }
            TagEnd::Table => self.finish_table(range),
            TagEnd::TableHead | TagEnd::TableRow => {
                self.out.drop_style();
                self.table_overflows |= has_words(self.out.unseen(range.end));
            }
            TagEnd::TableCell => self.finish_cell(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.out.drop_style();
            }
            TagEnd::Link | TagEnd::Image => self.finish_link(range),
            _ => {}
        }
    }

    fn start_item(&mut self, start: usize) {
        let bytes = &self.out.source.as_bytes()[start..];
        let blanks = bytes.iter().take_while(|byte| **byte == b' ').count();
        let digits = bytes[blanks..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = (start + blanks + digits + 1).min(self.out.source.len()); // a marker is ASCII
        let marker = match self.lists.last().copied().flatten() {
            Some(bullet) => format!("{bullet} "),
            None => format!(
                "{} ",
                self.out.source.get(start + blanks..end).unwrap_or_default()
            ),
        };
        self.out.start_container(start, Container::Item { marker });
        self.out.cursor = self.out.cursor.max(end);
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        self.out.begin_at(range.start, Flow::Edge);
        if matches!(kind, CodeBlockKind::Indented) {
            return;
        }
        let fence = self.out.source[range.clone()]
            .lines()
            .next()
            .unwrap_or_default();
        let info = fence.trim_start_matches([' ', '`', '~']);
        let start = range.start + fence.len() - info.len();
        let end = start + info.trim_end().len();
        self.out.cursor = end;
        if start < end {
            self.out
                .literal(start..end, TextStyle::CODE_BLOCK | TextStyle::DIM);
            self.out.line_ended = true;
        }
    }

    fn rule(&mut self, range: Range<usize>) {
        self.out.begin_at(range.start, Flow::Edge);
        let text = self
            .out
            .glyphs
            .rule
            .to_string()
            .repeat(self.out.room().min(LONGEST_RULE));
        self.out.push(&text, TextStyle::RULE);
        self.out.end();
        self.out.skip_to_end_of(range);
    }

    fn source_text(&mut self, range: Range<usize>) {
        self.out.ensure_open(range.start);
        let is_code = self.out.is_code();
        let style = if is_code {
            TextStyle::CODE_BLOCK
        } else {
            TextStyle::NONE
        };
        let mut start = range.start;
        for line in self.out.source[range.clone()].split_inclusive('\n') {
            if self.out.line_ended {
                self.out.next_line();
            }
            let text = line.trim_end_matches('\n');
            self.out.literal(start..start + text.len(), style);
            self.out.line_ended = text.len() < line.len();
            start += line.len();
        }
        // The break that ends a block is the gap's, which counts blank lines.
        self.out.skip_to_end_of(range);
    }

    fn code(&mut self, code: &CowStr<'_>, range: Range<usize>) {
        self.out.ensure_open(range.start);
        match self.out.source[range.clone()].find(&**code) {
            Some(at) => self.out.literal(
                range.start + at..range.start + at + code.len(),
                TextStyle::CODE,
            ),
            None => self.out.push(code, TextStyle::CODE), // over several lines, or with an escaped bar
        }
        self.out.cursor = range.end;
    }

    fn start_link(&mut self, kind: LinkType, range: Range<usize>) {
        self.out.ensure_open(range.start);
        self.out.add_style(TextStyle::LINK);
        if is_by_reference(kind) {
            let label =
                range.start + usize::from(self.out.source[range.clone()].starts_with('!')) + 1;
            self.out.literal(range.start..label, TextStyle::NONE);
            self.out.cursor = label;
        } else {
            // Where the text of the link begins, should it be empty.
            self.out.cursor = range.start;
        }
    }

    fn finish_link(&mut self, range: Range<usize>) {
        let unseen = self.out.unseen(range.end);
        self.out.drop_style();
        if unseen.starts_with(['<', '>']) {
            // An autolink is its own address.
        } else if let Some(at) = unseen.find("](").filter(|_| unseen.ends_with(')')) {
            self.address(self.out.cursor + at + 2..range.end - 1, range.start);
        } else if let Some(at) = unseen.find(']') {
            // A reference: as written; the address stands in its definition.
            self.lines_as_one(self.out.cursor + at..range.end, TextStyle::LINK);
        }
        self.out.cursor = range.end;
    }

    /// The address of a link behind its text, if it says more than the text.
    fn address(&mut self, address: Range<usize>, link: usize) {
        let source = self.out.source;
        let text = source[link..address.start - 2].trim_start_matches(['!', '[']);
        let written = &source[address.clone()];
        if written.trim().is_empty() || written.trim() == text {
            return;
        }
        self.out
            .push(if text.is_empty() { "(" } else { " (" }, TextStyle::DIM);
        self.lines_as_one(address, TextStyle::DIM);
        self.out.push(")", TextStyle::DIM);
    }

    /// Writes a part of the source that may go over several lines with spaces for the breaks.
    fn lines_as_one(&mut self, range: Range<usize>, style: TextStyle) {
        let mut start = range.start;
        for (index, line) in self.out.source[range].split('\n').enumerate() {
            let text = line.trim();
            let text_start = start + line.len() - line.trim_start().len();
            if index > 0 {
                self.out.push(" ", style);
            }
            self.out.literal(text_start..text_start + text.len(), style);
            start += line.len() + 1;
        }
    }

    // Tables.

    fn finish_cell(&mut self) {
        if let (Some(cell), Some(row)) = (
            self.out.end_cell(),
            self.table.as_mut().and_then(|table| table.rows.last_mut()),
        ) {
            row.push(cell);
        }
    }

    fn finish_table(&mut self, range: Range<usize>) {
        let Some(table) = self.table.take() else {
            return;
        };
        let room = self.out.room();
        let lines = if self.table_overflows {
            None
        } else {
            table.lay_out(room, &self.out.glyphs, self.wanted)
        };
        match lines {
            Some(lines) => lines.into_iter().for_each(|line| self.out.strip(line)),
            None => self.table_source(range.clone()),
        }
        self.out.skip_to_end_of(range);
    }

    fn table_source(&mut self, range: Range<usize>) {
        let mut start = range.start;
        for line in self.out.source[range].trim_end().split('\n') {
            let end = start + line.len();
            let quoted = self.out.is_contained();
            let text = if quoted {
                line.trim_start_matches([' ', '>'])
            } else {
                line
            };
            self.out.begin(Flow::Words);
            self.out.literal(end - text.len()..end, TextStyle::NONE);
            self.out.end();
            start = end + 1;
        }
    }
}

fn is_by_reference(kind: LinkType) -> bool {
    !matches!(
        kind,
        LinkType::Inline | LinkType::Autolink | LinkType::Email
    )
}

fn align(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None | Alignment::Left => Align::Left,
        Alignment::Center => Align::Center,
        Alignment::Right => Align::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Hidden, sanitise, wrap};
    use super::*;

    fn block(source: &str, width: u16) -> StyledText {
        StyledText::markdown(&sanitise(source, Hidden::Shown), width, TextGlyphs::UNICODE)
    }

    fn drawn(source: &str, width: u16) -> Vec<String> {
        let block = block(source, width);
        wrap(&block, width)
            .iter()
            .map(|line| block.pieces(line).map(|(piece, _)| piece).collect())
            .collect()
    }

    #[test]
    fn each_construct() {
        let cases: &[(&str, u16, &[&str])] = &[
            ("", 9, &[""]),
            (">", 9, &[">"]),
            (
                "one\ntwo  \nthree\\\nfour",
                40,
                &["one", "two", "three", "four"],
            ),
            ("one\n\n\ntwo\n", 40, &["one", "", "", "two"]),
            (
                "# A *b*\ntext\n\nSet\n---",
                40,
                &["# A b", "text", "", "## Set"],
            ),
            ("**a** _b_ ~~c~~ `d  e`", 40, &["a b c d  e"]),
            (
                "- one two\n- b\n  - c\n\n    d",
                8,
                &["• one", "  two", "• b", "  ◦ c", "", "    d"],
            ),
            (
                "3. x y\n4. z\n\n   w",
                4,
                &["3. x", "  y", "4. z", "", "  w"],
            ),
            ("- [x] done\n- [ ] not", 40, &["• [x] done", "• [ ] not"]),
            ("-\n- b", 40, &["•", "• b"]),
            ("1. 2.\n3. - 4)", 40, &["1. 2.", "3. ◦ 4)"]),
            (
                "> one two\n> three\n>\n> - x y",
                7,
                &["▏ one", "▏ two", "▏ three", "▏", "▏ • x y"],
            ),
            ("- > aa bb", 8, &["• ▏ aa", "  ▏ bb"]),
            (
                "```rust\nfn  main() {}\n\n  x\n```\nend",
                9,
                &["rust", "fn  main(", ") {}", "", "  x", "end"],
            ),
            ("```\nopen", 40, &["open"]),
            ("    code\n      more", 40, &["code", "  more"]),
            (
                "see:\n\n    - one\n    - two\n        1. three\n",
                40,
                &["see:", "", "• one", "• two", "  1. three"],
            ),
            (
                "see:\n\n     1. one\n\n        on\n     2. two\n",
                40,
                &["see:", "", "1. one", "", "   on", "2. two"],
            ),
            (
                "> see\n>\n>     - one\n>     - two",
                40,
                &["▏ see", "▏", "▏ • one", "▏ • two"],
            ),
            (
                "    - **b** `c`\n      [d](e)\n\n    x",
                40,
                &["• b c", "  d (e)", "", "x"],
            ),
            ("a\n\n---\nb", 3, &["a", "", "───", "b"]),
            (
                "[a](http://b) <http://c> [d](d)",
                40,
                &["a (http://b) http://c d"],
            ),
            ("![alt](x.png \"t\") [](y)", 40, &["alt (x.png \"t\") (y)"]),
            (
                "see [1][2] and [1]\n\n[1]: http://x\n[2]: y",
                40,
                &["see [1][2] and [1]", "", "[1]: http://x", "[2]: y"],
            ),
            (
                "<b>x</b> &amp; &#x20; <!-- c -->",
                40,
                &["<b>x</b> &amp; &#x20; <!-- c -->"],
            ),
            (
                "<div>\n  a\n</div>\n\nb",
                40,
                &["<div>", "  a", "</div>", "", "b"],
            ),
            (
                "|a|b|\n|-|-|\n|1|2|",
                12,
                &[
                    "┌───┬───┐",
                    "│ a │ b │",
                    "├───┼───┤",
                    "│ 1 │ 2 │",
                    "└───┴───┘",
                ],
            ),
            ("|a|b|\n|-|-|\n|1|2|", 8, &["|a|b|", "|-|-|", "|1|2|"]),
            ("|a|\n|-|\n|1|lost|", 40, &["|a|", "|-|", "|1|lost|"]),
            ("2 \\* 3", 40, &["2 * 3"]),
            ("**\u{301}x**", 40, &["◌\u{301}x"]),
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
            ("# t", "t", TextStyle::HEADING),
            (
                "# t",
                "# ",
                TextStyle::HEADING | TextStyle::MARKER | TextStyle::DIM,
            ),
            ("- x", "• ", TextStyle::MARKER),
            ("> q", "q", TextStyle::QUOTE),
            ("`c`", "c", TextStyle::CODE),
            (
                "```sh\nls\n```",
                "sh",
                TextStyle::CODE_BLOCK | TextStyle::DIM,
            ),
            ("```sh\nls\n```", "ls", TextStyle::CODE_BLOCK),
            ("[a](b)", "a", TextStyle::LINK),
            ("[a](b)", " (b)", TextStyle::DIM),
            ("~~s~~", "s", TextStyle::STRIKE),
            ("***", "────", TextStyle::RULE),
            ("x\u{200b}", "⟨ZWSP⟩", TextStyle::HIDDEN),
            (
                "*x\u{200b}*",
                "⟨ZWSP⟩",
                TextStyle::HIDDEN | TextStyle::EMPHASIS,
            ),
            ("|h|\n|-|\n|c|", "h", TextStyle::STRONG),
            ("|h|\n|-|\n|c|", "┌───┐", TextStyle::TABLE),
        ];
        for (source, text, style) in cases {
            let block = block(source, 4.max(u16::try_from(text.chars().count()).unwrap()));
            let block = if source.contains('|') {
                super::StyledText::markdown(
                    &sanitise(source, Hidden::Shown),
                    20,
                    TextGlyphs::UNICODE,
                )
            } else {
                block
            };
            let runs: Vec<_> = block
                .runs()
                .iter()
                .map(|run| (&block.text()[run.range.clone()], run.style))
                .collect();
            assert!(
                runs.contains(&(*text, *style)),
                "{text:?} {style:?} of {source:?} in {runs:?}"
            );
        }
    }

    #[test]
    fn ascii_terminals_get_ascii() {
        let source = "- a\n  - b\n\n> q\n\n---\n\n|a|\n|-|\n|b|";
        let block =
            StyledText::markdown(&sanitise(source, Hidden::Discreet), 40, TextGlyphs::ASCII);
        let lines = wrap(&block, 40);
        assert!(
            lines
                .iter()
                .flat_map(|line| block.pieces(line))
                .all(|(piece, _)| piece.is_ascii())
        );
    }
}
