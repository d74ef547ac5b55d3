//! The pen that Markdown is written with: paragraphs inside quotes and lists, styles, and the source
//! behind them.
//!
//! The guard that nothing is lost is the `cursor`: source that nothing has shown when the next
//! block begins, and that holds a letter or digit, is written out literally.

use std::collections::HashMap;
use std::ops::Range;

use super::glyphs::TextGlyphs;
use super::sanitise::Clean;
use super::styled_text::{Flow, MarginId, Paragraph, StyledText};
use super::table::TableLine;
use super::text_style::{TextStyle, push_run};
use super::width::{alone, grapheme_end, grapheme_start, width};

/// Quotes and lists deeper than this get no more margin.
const MAX_DEPTH: usize = 12;

/// A block being written.
pub(super) struct StyledTextBuilder<'a> {
    clean: &'a Clean,
    pub(super) source: &'a str,
    pub(super) width: usize,
    pub(super) glyphs: TextGlyphs,
    pub(super) block: StyledText,
    /// Everything before this byte of the source is shown, or is a syntax mark.
    pub(super) cursor: usize,
    open: Option<Open>,
    /// The open line has ended; a new one begins if more text comes.
    pub(super) line_ended: bool,
    containers: Vec<Container>,
    /// The outermost container whose marker is not written yet.
    unmarked: Option<usize>,
    /// The style of the text here, for each level that changed it.
    styles: Vec<TextStyle>,
    margins: HashMap<String, MarginId>,
    /// The margin of all containers, as long as they stay the same.
    margin: Option<MarginId>,
    /// The text and runs of the block while a table cell is written in their place.
    cell: Option<TableLine>,
}

/// What a paragraph stands in.
pub(super) enum Container {
    Quote,
    /// A list item; its continuation lines begin under the text behind the marker.
    Item {
        marker: String,
    },
}

/// The paragraph being written.
struct Open {
    start: usize,
    flow: Flow,
    first: MarginId,
    rest: MarginId,
}

impl<'a> StyledTextBuilder<'a> {
    pub(super) fn new(clean: &'a Clean, width: usize, glyphs: TextGlyphs) -> Self {
        let mut block = StyledText::default();
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
            styles: Vec::new(),
            margins: HashMap::new(),
            margin: None,
            cell: None,
        }
    }

    // Paragraphs and what they stand in.

    /// Begins a paragraph whose source begins at byte `at`.
    pub(super) fn begin_at(&mut self, at: usize, flow: Flow) {
        self.end();
        self.gap(at);
        self.begin(flow);
    }

    /// Makes sure of a paragraph for source that begins at byte `at`: the items of tight lists have
    /// text without one.
    pub(super) fn ensure_open(&mut self, at: usize) {
        if self.cell.is_some() {
            return;
        }
        let is_gap = has_words(self.unseen(at));
        match &self.open {
            Some(open) if is_gap => self.begin_at(at, open.flow),
            Some(_) => {}
            None => self.begin_at(at, Flow::Words),
        }
    }

    /// Begins a paragraph; markers of items that begin here are its first text.
    pub(super) fn begin(&mut self, flow: Flow) {
        if !self.block.paragraphs.is_empty() {
            self.block.text.push('\n');
        }
        let rest = self.full_margin();
        let unmarked = self.unmarked.take();
        let first = unmarked.map_or(rest, |depth| self.margin_of(depth));
        self.open = Some(Open {
            start: self.block.text.len(),
            flow,
            first,
            rest,
        });
        self.line_ended = false;
        for depth in unmarked.unwrap_or(self.containers.len())..self.containers.len() {
            let (text, style) = match &self.containers[depth] {
                Container::Quote => (format!("{} ", self.glyphs.quote), TextStyle::QUOTE),
                Container::Item { marker } => (marker.clone(), TextStyle::MARKER),
            };
            self.push(&text, style);
        }
    }

    pub(super) fn end(&mut self) {
        if let Some(Open {
            start,
            flow,
            first,
            rest,
        }) = self.open.take()
        {
            self.block.paragraphs.push(Paragraph {
                range: start..self.block.text.len(),
                flow,
                first,
                rest,
            });
        }
    }

    /// A line break of the source: what follows is a paragraph of its own in the same place.
    pub(super) fn next_line(&mut self) {
        if let Some(open) = &self.open {
            let flow = open.flow;
            self.end();
            self.begin(flow);
        }
    }

    /// The margin that all containers make.
    fn full_margin(&mut self) -> MarginId {
        let margin = self
            .margin
            .unwrap_or_else(|| self.margin_of(self.containers.len()));
        self.margin = Some(margin);
        margin
    }

    /// The margin that the outer `depth` containers make.
    fn margin_of(&mut self, depth: usize) -> MarginId {
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

    pub(super) fn start_container(&mut self, at: usize, container: Container) {
        self.end();
        self.gap(at);
        if self.unmarked.is_none() && matches!(container, Container::Item { .. }) {
            self.unmarked = Some(self.containers.len());
        }
        self.margin = None;
        self.containers.push(container);
    }

    pub(super) fn finish_container(&mut self, range: Range<usize>) {
        self.end();
        let end = range.start + self.source[range].trim_end().len();
        if has_words(self.unseen(end)) {
            self.gap(end);
        }
        self.margin = None;
        self.containers.pop();
        self.unmarked = self.unmarked.filter(|depth| *depth < self.containers.len());
    }

    /// The cells that a line has for text here.
    pub(super) fn room(&mut self) -> usize {
        let margin = self.full_margin();
        let cells = self.block.margin(margin).map_or(0, |margin| margin.cells);
        self.width - cells.min(self.width / 2)
    }

    pub(super) fn skip_to_end_of(&mut self, range: Range<usize>) {
        let end = range.start + self.source[range].trim_end().len();
        self.cursor = self.cursor.max(end);
    }

    // What no event covers.

    /// The source between the cursor and byte `at`.
    pub(super) fn unseen(&self, at: usize) -> &'a str {
        self.source.get(self.cursor..at).unwrap_or_default()
    }

    /// Moves the cursor to a block that begins at byte `at`: blank lines before it stay blank
    /// lines, and what else stands there (definitions of links) is written as it is.
    pub(super) fn gap(&mut self, at: usize) {
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
                self.literal(end - text.len()..end, TextStyle::DIM);
                self.end();
            } else if is_blank && self.unmarked.is_none() {
                self.begin(Flow::Words);
                self.end();
            }
            start = end + 1;
        }
    }

    // Text.

    pub(super) fn style(&self) -> TextStyle {
        self.styles.last().copied().unwrap_or_default()
    }

    pub(super) fn add_style(&mut self, style: TextStyle) {
        self.styles.push(self.style() | style);
    }

    pub(super) fn drop_style(&mut self) {
        self.styles.pop();
    }

    /// Whether the paragraph being written is code.
    pub(super) fn is_code(&self) -> bool {
        self.open
            .as_ref()
            .is_some_and(|open| open.flow == Flow::Edge)
    }

    /// Whether markers wait for a text, which an item that ends here does not have.
    pub(super) fn has_unwritten_marker(&self) -> bool {
        self.unmarked.is_some()
    }

    pub(super) fn is_contained(&self) -> bool {
        !self.containers.is_empty()
    }

    /// Writes a part of the source that is within a line, with the marks of `sanitise`.
    pub(super) fn literal(&mut self, range: Range<usize>, style: TextStyle) {
        let clean = self.clean;
        let first = clean
            .marks()
            .partition_point(|mark| mark.end <= range.start);
        let mut at = range.start;
        for mark in clean.marks()[first..]
            .iter()
            .take_while(|mark| mark.start < range.end)
        {
            let (start, end) = (mark.start.max(range.start), mark.end.min(range.end));
            self.push(&self.source[at..start], style);
            self.push(&self.source[start..end], style | TextStyle::HIDDEN);
            at = end;
        }
        self.push(&self.source[at..range.end], style);
    }

    /// Appends text to the line, its styles beside those of the level.
    pub(super) fn push(&mut self, text: &str, style: TextStyle) {
        let style = self.style() | style;
        let Some(first) = text.chars().next() else {
            return;
        };
        let mut start = self.block.text.len();
        let line = if self.cell.is_some() {
            0
        } else {
            self.open.as_ref().map_or(start, |open| open.start)
        };
        let joins = alone(first).is_none();
        if joins && start == line && width(&text[..first.len_utf8()]) == 0 {
            self.block.text.push('◌'); // its base was a syntax mark
        }
        self.block.text.push_str(text);
        if joins && start > line && grapheme_start(&self.block.text, start) < start {
            // A mark goes with its base, whose style it takes.
            let end = grapheme_end(&self.block.text, start);
            if let Some(last) = self
                .block
                .runs
                .last_mut()
                .filter(|run| run.range.end == start)
            {
                last.range.end = end;
            }
            start = end;
        }
        push_run(&mut self.block.runs, start..self.block.text.len(), style);
    }

    // Text that is laid out before it stands in the block.

    /// What is written from here on is a cell.
    pub(super) fn begin_cell(&mut self) {
        self.cell = Some(self.swap_text(TableLine::default()));
    }

    /// Takes the cell out of the block again.
    pub(super) fn end_cell(&mut self) -> Option<TableLine> {
        let block = self.cell.take()?;
        Some(self.swap_text(block))
    }

    fn swap_text(&mut self, strip: TableLine) -> TableLine {
        let text = std::mem::replace(&mut self.block.text, strip.text);
        TableLine {
            text,
            runs: std::mem::replace(&mut self.block.runs, strip.runs),
        }
    }

    /// Writes a line that is laid out already.
    pub(super) fn strip(&mut self, line: TableLine) {
        self.begin(Flow::Edge);
        let start = self.block.text.len();
        self.block.text.push_str(&line.text);
        for run in line.runs {
            push_run(
                &mut self.block.runs,
                run.range.start + start..run.range.end + start,
                run.style,
            );
        }
        self.end();
    }
}

/// Whether a text says anything.
pub(super) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
