//! Markdown as runs over text that stays the source's own: the syntax marks go, every word and line break stays.
//!
//! What reviewers judge is what the model wrote, so nothing is interpreted away: HTML and entities stand as written, link
//! definitions and addresses are shown, soft line breaks are kept. The guard for this is the `cursor`: source that no
//! event has covered and that holds a letter or digit is written out literally.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::block::{Block, Flow, MarginId, Paragraph};
use super::face::{Face, push_run};
use super::sanitise::Clean;
use super::table::{Align, Strip, Table};
use super::width::{alone, grapheme_end, grapheme_start};

/// Quotes and lists deeper than this get no more margin.
const MAX_DEPTH: usize = 12;
/// A rule is a mark, not a wall.
const LONGEST_RULE: usize = 40;

/// The few glyphs that Markdown is drawn with; each takes one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    /// Bullets of outer and inner lists, which alternate.
    pub bullets: [char; 2],
    /// The bar before a quote.
    pub quote: char,
    /// What a thematic break is made of.
    pub rule: char,
    /// Horizontal border of a table.
    pub horizontal: char,
    /// Vertical border of a table.
    pub vertical: char,
    /// Left, middle and right of the top border.
    pub table_top: [char; 3],
    /// Left, middle and right of the borders between rows.
    pub table_middle: [char; 3],
    /// Left, middle and right of the bottom border.
    pub table_bottom: [char; 3],
}

impl Glyphs {
    /// For terminals that draw box characters.
    pub const UNICODE: Self = Self {
        bullets: ['•', '◦'],
        quote: '▏',
        rule: '─',
        horizontal: '─',
        vertical: '│',
        table_top: ['┌', '┬', '┐'],
        table_middle: ['├', '┼', '┤'],
        table_bottom: ['└', '┴', '┘'],
    };
    /// For those that do not.
    pub const ASCII: Self = Self {
        bullets: ['*', '-'],
        quote: '|',
        rule: '-',
        horizontal: '-',
        vertical: '|',
        table_top: ['+'; 3],
        table_middle: ['+'; 3],
        table_bottom: ['+'; 3],
    };
}

impl Block {
    /// The text read as Markdown, with tables laid out for lines of `width` cells. It may be wrapped at another width
    /// too; only tables and rules are then cut at the edge.
    pub fn markdown(clean: &Clean, width: u16, glyphs: Glyphs) -> Self {
        let source = clean.as_str();
        let mut builder = Builder::new(clean, usize::from(width.max(1)), glyphs);
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
            builder.event(event, range);
        }
        builder.end();
        builder.gap(source.trim_end().len());
        builder.block
    }
}

/// What a paragraph stands in.
enum Container {
    Quote,
    /// An item whose marker takes that many cells.
    Item {
        marker: String,
    },
}

/// A list, for the bullets of its items.
struct List {
    bullet: Option<char>,
}

/// The paragraph being written.
struct Open {
    start: usize,
    flow: Flow,
    first: MarginId,
    rest: MarginId,
}

struct Builder<'a> {
    clean: &'a Clean,
    source: &'a str,
    width: usize,
    glyphs: Glyphs,
    block: Block,
    /// Everything before this byte of the source is shown, or is a syntax mark.
    cursor: usize,
    open: Option<Open>,
    /// The open line has ended; a new one begins if more text comes.
    line_ended: bool,
    containers: Vec<Container>,
    /// The outermost container whose marker is not written yet.
    unmarked: Option<usize>,
    lists: Vec<List>,
    /// The face of the text here, for each level that changed it.
    faces: Vec<Face>,
    margins: HashMap<String, MarginId>,
    table: Option<Table>,
    /// Where the cell being written begins in the text.
    cell: Option<usize>,
    /// A row has cells that the head has no column for.
    table_overflows: bool,
}

impl<'a> Builder<'a> {
    fn new(clean: &'a Clean, width: usize, glyphs: Glyphs) -> Self {
        let mut block = Block::default();
        block.text.reserve(clean.as_str().len());
        Self {
            clean,
            source: clean.as_str(),
            width,
            glyphs,
            block,
            cursor: 0,
            open: None,
            line_ended: false,
            containers: Vec::new(),
            unmarked: None,
            lists: Vec::new(),
            faces: Vec::new(),
            margins: HashMap::new(),
            table: None,
            cell: None,
            table_overflows: false,
        }
    }

    fn event(&mut self, event: Event<'a>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.finish(tag, range),
            // The range, not the text: there an entity is still as written.
            Event::Text(_) | Event::Html(_) | Event::InlineHtml(_) => self.source_text(range),
            Event::Code(code) => self.code(&code, range),
            Event::TaskListMarker(_) => {
                self.ensure_open(range.start);
                self.literal(range, Face::MARKER);
                self.push(" ", Face::NONE);
            }
            Event::SoftBreak | Event::HardBreak => {
                self.next_line();
                self.cursor = range.end;
            }
            Event::Rule => self.rule(range),
            // Not switched on; their source would be written by the next gap.
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.begin_at(range.start, Flow::Words),
            Tag::HtmlBlock => self.begin_at(range.start, Flow::Plain),
            Tag::Heading { level, .. } => {
                self.begin_at(range.start, Flow::Words);
                self.faces.push(self.face() | Face::HEADING);
                let marks = "#".repeat(level as usize) + " ";
                self.push(&marks, Face::MARKER | Face::DIM);
            }
            Tag::CodeBlock(kind) => self.start_code(&kind, range),
            Tag::BlockQuote(_) => {
                self.start_container(range.start, Container::Quote);
                self.faces.push(self.face() | Face::QUOTE);
            }
            Tag::List(number) => {
                self.end();
                self.gap(range.start);
                let depth = self.lists.iter().filter(|list| list.bullet.is_some()).count();
                let bullet = number.is_none().then_some(self.glyphs.bullets[depth % 2]);
                self.lists.push(List { bullet });
            }
            Tag::Item => self.start_item(range.start),
            Tag::Table(aligns) => {
                self.end();
                self.gap(range.start);
                self.table = Some(Table { aligns: aligns.into_iter().map(align).collect(), rows: Vec::new() });
                self.table_overflows = false;
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
                let face = if matches!(tag, Tag::TableHead) { Face::STRONG } else { Face::NONE };
                self.faces.push(self.face() | face);
            }
            Tag::TableCell => self.cell = Some(self.block.text.len()),
            Tag::Emphasis => self.faces.push(self.face() | Face::EMPHASIS),
            Tag::Strong => self.faces.push(self.face() | Face::STRONG),
            Tag::Strikethrough => self.faces.push(self.face() | Face::STRIKE),
            Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => self.start_link(link_type, range),
            _ => {} // not switched on
        }
    }

    fn finish(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.end(),
            TagEnd::Heading(_) => {
                self.faces.pop();
                self.end();
                self.skip_to_end_of(range);
            }
            TagEnd::HtmlBlock | TagEnd::CodeBlock => {
                self.end();
                self.skip_to_end_of(range);
            }
            TagEnd::BlockQuote(_) => {
                self.finish_container(range);
                self.faces.pop();
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => {
                if self.unmarked == Some(self.containers.len().saturating_sub(1)) {
                    self.ensure_open(self.cursor); // an empty item is its marker
                }
                self.finish_container(range);
            }
            TagEnd::Table => self.finish_table(range),
            TagEnd::TableHead | TagEnd::TableRow => {
                self.faces.pop();
                self.table_overflows |= has_words(self.unseen(range.end));
            }
            TagEnd::TableCell => self.finish_cell(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.faces.pop();
            }
            TagEnd::Link | TagEnd::Image => self.finish_link(range),
            _ => {}
        }
    }

    // Blocks.

    /// Begins a paragraph whose source begins at byte `at`.
    fn begin_at(&mut self, at: usize, flow: Flow) {
        self.end();
        self.gap(at);
        self.begin(flow);
    }

    /// The items of tight lists have text without a paragraph.
    fn ensure_open(&mut self, at: usize) {
        if self.open.is_none() && self.cell.is_none() {
            self.begin_at(at, Flow::Words);
        }
    }

    fn begin(&mut self, flow: Flow) {
        if !self.block.paragraphs.is_empty() {
            self.block.text.push('\n');
        }
        let rest = self.margin(self.containers.len());
        let unmarked = self.unmarked.take();
        let first = unmarked.map_or(rest, |depth| self.margin(depth));
        self.open = Some(Open { start: self.block.text.len(), flow, first, rest });
        self.line_ended = false;
        for depth in unmarked.unwrap_or(self.containers.len())..self.containers.len() {
            let (text, face) = match &self.containers[depth] {
                Container::Quote => (format!("{} ", self.glyphs.quote), Face::QUOTE),
                Container::Item { marker } => (marker.clone(), Face::MARKER),
            };
            self.push(&text, face);
        }
    }

    fn end(&mut self) {
        if let Some(Open { start, flow, first, rest }) = self.open.take() {
            self.block.paragraphs.push(Paragraph { range: start..self.block.text.len(), flow, first, rest });
        }
    }

    fn next_line(&mut self) {
        if let Some(open) = &self.open {
            let flow = open.flow;
            self.end();
            self.begin(flow);
        }
    }

    /// The margin that the outer `depth` containers make.
    fn margin(&mut self, depth: usize) -> MarginId {
        let mut text = String::new();
        for container in self.containers.iter().take(depth.min(MAX_DEPTH)) {
            match container {
                Container::Quote => text.extend([self.glyphs.quote, ' ']),
                Container::Item { marker } => text.extend(marker.chars().map(|_| ' ')),
            }
        }
        if let Some(id) = self.margins.get(&text) {
            return *id;
        }
        let id = self.block.add_margin(text.clone());
        self.margins.insert(text, id);
        id
    }

    fn start_container(&mut self, at: usize, container: Container) {
        self.end();
        self.gap(at);
        if self.unmarked.is_none() && matches!(container, Container::Item { .. }) {
            self.unmarked = Some(self.containers.len());
        }
        self.containers.push(container);
    }

    fn finish_container(&mut self, range: Range<usize>) {
        self.end();
        let end = range.start + self.source[range].trim_end().len();
        if has_words(self.unseen(end)) {
            self.gap(end);
        }
        self.containers.pop();
        self.unmarked = self.unmarked.filter(|depth| *depth < self.containers.len());
    }

    fn start_item(&mut self, start: usize) {
        let bytes = &self.source.as_bytes()[start..];
        let blanks = bytes.iter().take_while(|byte| **byte == b' ').count();
        let digits = bytes[blanks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = (start + blanks + digits + 1).min(self.source.len());
        let marker = match self.lists.last().and_then(|list| list.bullet) {
            Some(bullet) => format!("{bullet} "),
            None => format!("{} ", &self.source[start + blanks..self.source.floor_char_boundary(end)]),
        };
        self.start_container(start, Container::Item { marker });
        self.cursor = self.cursor.max(end);
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        self.begin_at(range.start, Flow::Edge);
        if matches!(kind, CodeBlockKind::Indented) {
            return;
        }
        let fence = self.source[range.clone()].lines().next().unwrap_or_default();
        let info = fence.trim_start_matches([' ', '`', '~']);
        let start = range.start + fence.len() - info.len();
        let end = start + info.trim_end().len();
        self.cursor = end;
        if start < end {
            self.literal(start..end, Face::CODE_BLOCK | Face::DIM);
            self.line_ended = true;
        }
    }

    fn rule(&mut self, range: Range<usize>) {
        self.begin_at(range.start, Flow::Edge);
        let text = self.glyphs.rule.to_string().repeat(self.room().min(LONGEST_RULE));
        self.push(&text, Face::RULE);
        self.end();
        self.skip_to_end_of(range);
    }

    /// The cells that a line has for text here.
    fn room(&mut self) -> usize {
        let margin = self.margin(self.containers.len());
        let cells = self.block.margin(margin).map_or(0, |margin| margin.cells);
        self.width - cells.min(self.width / 2)
    }

    fn skip_to_end_of(&mut self, range: Range<usize>) {
        let end = range.start + self.source[range].trim_end().len();
        self.cursor = self.cursor.max(end);
    }

    // What no event covers.

    /// The source between the cursor and byte `at`.
    fn unseen(&self, at: usize) -> &'a str {
        self.source.get(self.cursor..at).unwrap_or_default()
    }

    /// Moves the cursor to a block that begins at byte `at`: blank lines before it stay blank lines, and what else
    /// stands there (definitions of links) is written as it is.
    fn gap(&mut self, at: usize) {
        let gap = self.unseen(at);
        let mut start = self.cursor;
        self.cursor = self.cursor.max(at);
        let last = gap.matches('\n').count();
        for (index, line) in gap.split('\n').enumerate() {
            let end = start + line.len();
            let is_blank = index < last && (index > 0 || self.block.paragraphs.is_empty());
            if has_words(line) {
                let text = line.trim_start_matches([' ', '>']);
                self.begin(Flow::Words);
                self.literal(end - text.len()..end, Face::DIM);
                self.end();
            } else if is_blank && self.unmarked.is_none() {
                self.begin(Flow::Words);
                self.end();
            }
            start = end + 1;
        }
    }

    // Text.

    fn face(&self) -> Face {
        self.faces.last().copied().unwrap_or_default()
    }

    fn source_text(&mut self, range: Range<usize>) {
        self.ensure_open(range.start);
        let is_code = self.open.as_ref().is_some_and(|open| open.flow == Flow::Edge);
        let face = if is_code { Face::CODE_BLOCK } else { Face::NONE };
        let mut start = range.start;
        for line in self.source[range.clone()].split_inclusive('\n') {
            if self.line_ended {
                self.next_line();
            }
            let text = line.trim_end_matches('\n');
            self.literal(start..start + text.len(), face);
            self.line_ended = text.len() < line.len();
            start += line.len();
        }
        self.cursor = self.cursor.max(range.end);
    }

    fn code(&mut self, code: &CowStr<'_>, range: Range<usize>) {
        self.ensure_open(range.start);
        match self.source[range.clone()].find(&**code) {
            Some(at) => self.literal(range.start + at..range.start + at + code.len(), Face::CODE),
            None => self.push(code, Face::CODE), // over several lines, or with an escaped bar
        }
        self.cursor = range.end;
    }

    fn start_link(&mut self, kind: LinkType, range: Range<usize>) {
        self.ensure_open(range.start);
        self.faces.push(self.face() | Face::LINK);
        if is_by_reference(kind) {
            let label = range.start + usize::from(self.source[range.clone()].starts_with('!')) + 1;
            self.literal(range.start..label, Face::NONE);
            self.cursor = label;
        } else {
            // Where the text of the link begins, should it be empty.
            self.cursor = range.start;
        }
    }

    fn finish_link(&mut self, range: Range<usize>) {
        let unseen = self.unseen(range.end);
        self.faces.pop();
        if unseen.starts_with(['<', '>']) {
            // An autolink is its own address.
        } else if let Some(at) = unseen.find("](").filter(|_| unseen.ends_with(')')) {
            self.address(self.cursor + at + 2..range.end - 1, range.start);
        } else if let Some(at) = unseen.find(']') {
            // A reference: as written; the address stands in its definition.
            for (index, line) in unseen[at..].split('\n').enumerate() {
                let face = if index == 0 { Face::LINK | Face::DIM } else { Face::DIM };
                self.push_words(line, face);
            }
        }
        self.cursor = range.end;
    }

    /// The address of a link behind its text, if it says more than the text.
    fn address(&mut self, address: Range<usize>, link: usize) {
        let written = self.source[address.clone()].trim();
        let text = self.source[link..address.start - 2].trim_start_matches(['!', '[']);
        if written.is_empty() || written == text {
            return;
        }
        self.push(if text.is_empty() { "(" } else { " (" }, Face::DIM);
        for (index, line) in self.source[address].split('\n').enumerate() {
            if index > 0 {
                self.push(" ", Face::DIM);
            }
            self.push_words(line, Face::DIM);
        }
        self.push(")", Face::DIM);
    }

    fn push_words(&mut self, line: &str, face: Face) {
        self.push(line.trim(), face);
    }

    /// Writes a part of the source that is within a line, with the marks of `sanitise`.
    fn literal(&mut self, range: Range<usize>, face: Face) {
        let clean = self.clean;
        let first = clean.marks().partition_point(|mark| mark.end <= range.start);
        let mut at = range.start;
        for mark in clean.marks()[first..].iter().take_while(|mark| mark.start < range.end) {
            let (start, end) = (mark.start.max(range.start), mark.end.min(range.end));
            self.push(&self.source[at..start], face);
            self.push(&self.source[start..end], face | Face::HIDDEN);
            at = end;
        }
        self.push(&self.source[at..range.end], face);
    }

    /// Appends text to the line, its faces beside those of the level.
    fn push(&mut self, text: &str, face: Face) {
        let face = self.face() | face;
        let Some(first) = text.chars().next() else { return };
        let mut start = self.block.text.len();
        let line = self.cell.or(self.open.as_ref().map(|open| open.start)).unwrap_or(start);
        let joins = alone(first).is_none();
        if joins && start == line && super::width::width(&text[..first.len_utf8()]) == 0 {
            self.block.text.push('◌'); // its base was a syntax mark
        }
        self.block.text.push_str(text);
        if joins && grapheme_start(&self.block.text, start) < start {
            // A mark goes with its base, whose face it takes.
            let end = grapheme_end(&self.block.text, start);
            if let Some(last) = self.block.runs.last_mut().filter(|run| run.range.end == start) {
                last.range.end = end;
            }
            start = end;
        }
        push_run(&mut self.block.runs, start..self.block.text.len(), face);
    }

    // Tables.

    fn finish_cell(&mut self) {
        let Some(start) = self.cell.take() else { return };
        let text = self.block.text.split_off(start);
        let first = self.block.runs.partition_point(|run| run.range.start < start);
        let mut runs = self.block.runs.split_off(first);
        for run in &mut runs {
            run.range = run.range.start - start..run.range.end - start;
        }
        if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
            row.push(Strip { text, runs });
        }
    }

    fn finish_table(&mut self, range: Range<usize>) {
        let Some(table) = self.table.take() else { return };
        let room = self.room();
        let lines = if self.table_overflows { None } else { table.lay_out(room, &self.glyphs) };
        match lines {
            Some(lines) => self.strips(lines),
            None => self.table_source(range.clone()),
        }
        self.skip_to_end_of(range);
    }

    fn strips(&mut self, lines: Vec<Strip>) {
        for line in lines {
            self.begin(Flow::Edge);
            let start = self.block.text.len();
            self.block.text.push_str(&line.text);
            for run in line.runs {
                push_run(&mut self.block.runs, run.range.start + start..run.range.end + start, run.face);
            }
            self.end();
        }
    }

    fn table_source(&mut self, range: Range<usize>) {
        let mut start = range.start;
        for line in self.source[range].trim_end().split('\n') {
            let end = start + line.len();
            let quoted = !self.containers.is_empty();
            let text = if quoted { line.trim_start_matches([' ', '>']) } else { line };
            self.begin(Flow::Words);
            self.literal(end - text.len()..end, Face::NONE);
            self.end();
            start = end + 1;
        }
    }
}

/// Whether a text says anything.
fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn is_by_reference(kind: LinkType) -> bool {
    !matches!(kind, LinkType::Inline | LinkType::Autolink | LinkType::Email)
}

fn align(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None | Alignment::Left => Align::Left,
        Alignment::Center => Align::Center,
        Alignment::Right => Align::Right,
    }
}
