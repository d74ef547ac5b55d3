//! Pages that replace the panes: content and cursor. All pages scroll alike and share one painter
//! in `ui`; each is a [`PageContent`] that builds its document.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use crate::answer::{Answer, LaidAnswer};
use crate::app::job::Job;
use crate::app::perform::ViewRequest;
use crate::app::sample::geometry::header_height;
use crate::app::sample::hits::SearchTerms;
use crate::app::sample::pane_text::{SectionBytes, touching};
use crate::app::sample::typesetter::stack_of;
use crate::app::shown::filtering::ActiveFilter;
use crate::app::state::OpenData;
use crate::app::update::scrolled;
use crate::app::{
    Action, Area, Context, KeyHints, Page, PaneText, Scroll, Section, ShownSamples, StackLine,
    StatisticsMove,
};
use crate::model::ResponseId;
use crate::query::Severity;
use crate::text::{self, TextGlyphs, TextStyle};

/// The content of a page: laid-out text, marks at cells, and cursor positions.
#[derive(Debug, Clone, Default)]
pub struct PageDoc {
    /// The title in the status line.
    pub title: String,
    /// The first row of the screen, instead of the sample's header.
    pub head: Vec<(String, PageTone)>,
    /// Marks on the row above the lines, instead of the section names.
    pub heading: Vec<PageItem>,
    /// The text, from the first line.
    pub text: PaneText,
    /// Marks, each at its column and line.
    pub items: Vec<PageItem>,
    /// Texts side by side.
    pub panes: Vec<PagePane>,
    /// Cursor positions, line by line.
    pub spots: Vec<PageSpot>,
    /// The section titles.
    pub sections: Vec<&'static str>,
    /// The lines of each card.
    pub cards: Vec<Range<usize>>,
    /// Number of lines.
    pub lines: usize,
    /// Text next to the section names.
    pub aside: String,
    /// What is being read or counted.
    pub progress: String,
    /// Whether the cursor moves by lines of the text.
    pub by_line: bool,
    /// The search hits as section and bytes; `None` without a search.
    pub hits: Option<Vec<SectionBytes>>,
}

/// A text in a part of a page.
#[derive(Debug, Clone)]
pub struct PagePane {
    /// The column of its first cell.
    pub x: u16,
    /// The index of its first line.
    pub y: usize,
    /// Width in cells.
    pub width: u16,
    /// Most lines shown.
    pub lines: usize,
    /// The text.
    pub text: PaneText,
}

/// A mark on a page.
#[derive(Debug, Clone)]
pub struct PageItem {
    /// The column of its first cell.
    pub x: u16,
    /// Its line, from 0.
    pub y: usize,
    /// Its width in cells, at most.
    pub width: u16,
    /// What it shows.
    pub what: PageMark,
}

/// The kind and content of a mark.
#[derive(Debug, Clone)]
pub enum PageMark {
    /// Text, truncated to the width.
    Words(String, PageTone),
    /// Right-aligned text.
    Right(String, PageTone),
    /// A bar.
    Bar {
        /// The filled share, 0 to 1.
        part: f64,
        /// Another share, for comparison.
        mark: Option<f64>,
        /// The style of the filled part.
        tone: PageTone,
    },
    /// A bar of text with an interval, which is not read aloud.
    Interval(String, PageTone),
    /// A horizontal rule.
    Rule(PageTone),
    /// A cell of a vertical rule.
    Divider {
        /// Whether it joins a horizontal rule at its top.
        is_top: bool,
    },
    /// The text of a coefficient, and its value from -1 to 1.
    Heat(String, f64),
    /// The symbol of a severity.
    Sign(Severity, PageTone),
}

/// The meaning of text on a page, which decides its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageTone {
    /// A group's name.
    Heading,
    /// A card's title.
    Title,
    /// A value or ordinary text.
    Value,
    /// The name or explanation of a value.
    Name,
    /// A value for the filtered samples.
    Shown,
    /// A key binding.
    Key,
    /// Something that does not apply.
    Faint,
    /// The severity of a finding.
    Severity(Severity),
    /// Something about a response.
    Response(ResponseId),
    /// The response that wins.
    Winner(ResponseId),
    /// The rule above the footer about the cursor's target.
    Focus,
}

/// A cursor position: a bar, a cell, a figure or a row.
#[derive(Debug, Clone)]
pub struct PageSpot {
    /// The column of its first cell.
    pub x: u16,
    /// Its line, from 0.
    pub y: usize,
    /// Width in cells.
    pub width: u16,
    /// Cells highlighted under the cursor, from the first.
    pub marked: u16,
    /// The first line to keep visible with it.
    pub card_line: usize,
    /// The index of its section.
    pub section: usize,
    /// Its description; empty if the page already shows it.
    pub label: String,
    /// Its value as text.
    pub value: String,
    /// What is counted, with the formula.
    pub about: String,
    /// The query for its samples, or why there is none.
    pub query: Result<String, String>,
}

impl PageSpot {
    /// Creates a fully highlighted spot with no description and no query.
    pub(crate) const fn new(x: u16, y: usize, width: u16) -> Self {
        Self {
            x,
            y,
            width,
            marked: width,
            card_line: y,
            section: 0,
            label: String::new(),
            value: String::new(),
            about: String::new(),
            query: Err(String::new()),
        }
    }

    /// Returns the horizontal distance to another spot, in cells.
    fn aside(&self, other: &Self) -> u16 {
        other
            .x
            .saturating_sub(self.x + self.width - 1)
            .max(self.x.saturating_sub(other.x + other.width.max(1) - 1))
    }
}

/// The first column of text.
pub const LEFT: u16 = 2;
/// Penalty, in lines, for a spot in another column.
const FAR_OFF: usize = 40;

impl PageDoc {
    /// Lays out an answer.
    pub(crate) fn of_answer(answer: &Answer, of: &PageSources<'_>) -> Self {
        let width = of.size.0.saturating_sub(2 * LEFT);
        let LaidAnswer { text, spots } = answer.laid(usize::from(width), of.glyphs);
        let text = stack_of(text, width);
        let spot = |(bytes, query): (Range<usize>, Result<String, String>)| {
            let y = text.line_with((0, bytes.start));
            let Some(StackLine::Line(Section { block, .. }, line, _)) = text.part(y) else {
                return PageSpot::new(LEFT, y, 1);
            };
            let before = block.text().get(line.range.start..bytes.start);
            let x = usize::from(line.indent) + text::width(before.unwrap_or_default());
            let cells = text::width(&block.text()[bytes]) as u16;
            PageSpot {
                card_line: y.saturating_sub(CONTEXT),
                query,
                ..PageSpot::new(LEFT + x as u16, y, cells)
            }
        };
        Self {
            spots: spots.into_iter().map(spot).collect(),
            lines: text.len(),
            text,
            ..Self::default()
        }
    }

    pub(crate) fn put(&mut self, x: u16, y: usize, width: u16, what: PageMark) {
        self.items.push(PageItem { x, y, width, what });
    }

    pub(crate) fn words(&mut self, x: u16, y: usize, width: u16, words: &str, tone: PageTone) {
        let words = text::one_line(words, usize::from(width));
        self.put(x, y, width, PageMark::Words(words, tone));
    }

    /// True if a footer describes the cursor's target.
    pub fn has_footer(&self) -> bool {
        let spot = self.spots.first();
        self.panes.is_empty() && spot.is_some_and(|spot| !spot.label.is_empty())
    }

    /// Returns the spot above or below: in the same column if possible, otherwise the nearest.
    fn vertical(&self, at: usize, down: bool) -> usize {
        let Some(from) = self.spots.get(at) else {
            return at;
        };
        let lines = |spot: &PageSpot| {
            if down {
                spot.y.checked_sub(from.y)
            } else {
                from.y.checked_sub(spot.y)
            }
        };
        // The same column is preferred unless that spot is far off.
        self.spots
            .iter()
            .enumerate()
            .filter_map(|(to, spot)| {
                let aside = from.aside(spot);
                let lines = lines(spot).filter(|lines| *lines > 0)?;
                Some((lines + if aside == 0 { 0 } else { FAR_OFF }, aside, to))
            })
            .min()
            .map_or(at, |(.., to)| to)
    }

    /// Returns the spot to the left or right: on its line, otherwise the nearest in a neighbouring
    /// card.
    fn beside(&self, at: usize, to_right: bool) -> usize {
        let Some(from) = self.spots.get(at) else {
            return at;
        };
        let is_there = |spot: &PageSpot| {
            if to_right {
                spot.x >= from.x + from.width
            } else {
                spot.x + spot.width <= from.x
            }
        };
        self.spots
            .iter()
            .enumerate()
            .filter(|(_, spot)| is_there(spot))
            .filter_map(|(to, spot)| {
                let lines = spot.y.abs_diff(from.y);
                let is_near = lines < FAR_OFF / 2;
                is_near.then_some((lines.min(1), from.aside(spot), lines, to))
            })
            .min()
            .map_or(at, |(.., to)| to)
    }

    /// Returns the first spot of the next or previous section (of this section if the cursor is
    /// further down).
    fn in_section(&self, at: usize, is_next: bool) -> usize {
        let Some(from) = self.spots.get(at) else {
            return at;
        };
        let first_of = |section| self.spots.iter().position(|spot| spot.section == section);
        let found = if is_next {
            (from.section + 1..self.sections.len()).find_map(first_of)
        } else {
            (first_of(from.section).filter(|first| *first < at))
                .or_else(|| (0..from.section).rev().find_map(first_of))
        };
        found.unwrap_or(at)
    }

    /// Returns the spot nearest to a line and a column.
    fn nearest(&self, line: usize, x: u16) -> usize {
        self.spots
            .iter()
            .enumerate()
            .map(|(at, spot)| (spot.y.abs_diff(line), spot.x.abs_diff(x), at))
            .min()
            .map_or(0, |(.., at)| at)
    }
}

/// Lines above a cell that stay visible: the heading of its table.
const CONTEXT: usize = 5;

/// The part of the state that pages are built from.
#[derive(Clone, Copy)]
pub struct PageSources<'a> {
    pub data: &'a OpenData,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The cursor's spot on the current page.
    pub at: usize,
    pub glyphs: TextGlyphs,
    pub filter: Option<&'a ActiveFilter>,
    pub sought: Option<&'a SearchTerms>,
    pub shown: &'a ShownSamples,
    /// The selected sample.
    pub sample: usize,
    /// The laid-out sample, once read.
    pub page: Option<&'a Arc<Page>>,
    /// The data and query that figures are counted for.
    pub state: CountedState,
    /// Whether more samples may still appear without user action.
    pub is_growing: bool,
    /// Whether rows are printed one after the other.
    pub is_linear: bool,
    /// Whether labels are hidden.
    pub is_blind: bool,
    pub is_hidden: bool,
}

/// The data and query that figures are counted for. While samples arrive, numbers are rounded down
/// to a power of two: figures are counted again whenever one has doubled, and not before they came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountedState {
    /// Generation of the dataset.
    pub generation: u64,
    /// Whether numbers are rounded.
    pub is_rounded: bool,
    /// Number of open files and of joined files.
    pub files: (usize, usize),
    /// Number of samples.
    pub samples: usize,
    /// Number of the query, and samples that it examined and found.
    pub query: (u64, usize),
}

/// The content of a page.
pub trait PageContent: Any + Debug {
    /// Returns what the user returns to from the samples of a row.
    fn name(&self) -> &'static str {
        ""
    }

    /// Returns the context of its keys.
    fn context(&self) -> Context {
        Context::Read
    }

    /// True if it shows nothing of the dataset, so that it needs no sample.
    fn is_of_program(&self) -> bool {
        false
    }

    /// True if its figures are over all samples, so that samples of a row replace the filter.
    fn is_of_all(&self) -> bool {
        false
    }

    /// True if samples of a row open as a queue of findings.
    fn opens_queue(&self) -> bool {
        false
    }

    /// Returns the job for what it shows and does not have.
    fn job(&self, _of: &PageSources<'_>) -> Option<Job> {
        None
    }

    /// Builds the document if it may have changed. `is_new` after opening, filling or resizing.
    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc>;

    /// Handles a key that has its own meaning on this page, for the spot or line `at`.
    fn act(&mut self, action: Action, doc: &PageDoc, at: usize) -> Option<ViewRequest>;

    /// Returns keys for the status line, the one that leaves first.
    fn hints(&self) -> KeyHints;
}

/// A page with its cursor.
#[derive(Debug)]
pub struct PageView<C: ?Sized> {
    /// The current document.
    pub doc: PageDoc,
    /// The first visible line.
    pub top: usize,
    /// The cursor's spot, or its line if it moves by lines.
    pub at: usize,
    /// The current hit.
    pub hit: Option<usize>,
    /// The terminal size it was laid out for.
    size: (u16, u16),
    /// What the page is about.
    pub content: C,
}

/// A page, whatever its content is.
pub trait AnyPage: Any + Debug {
    /// The page.
    fn view(&self) -> &PageView<dyn PageContent>;

    /// The page, to be changed.
    fn view_mut(&mut self) -> &mut PageView<dyn PageContent>;
}

impl<C: PageContent> AnyPage for PageView<C> {
    fn view(&self) -> &PageView<dyn PageContent> {
        self
    }

    fn view_mut(&mut self) -> &mut PageView<dyn PageContent> {
        self
    }
}

impl<C: PageContent> PageView<C> {
    pub(crate) fn new(content: C) -> Box<Self> {
        Box::new(Self {
            doc: PageDoc::default(),
            top: 0,
            at: 0,
            hit: None,
            size: (0, 0),
            content,
        })
    }
}

impl<C: PageContent + ?Sized> PageView<C> {
    /// Returns the area of its lines: below the header and section names, above the footer and
    /// status line.
    pub fn area(&self) -> Area {
        let (width, height) = self.size;
        let above = 1 + header_height(height);
        let below = match height {
            // Panes extend to the status line.
            _ if !self.doc.panes.is_empty() => 1,
            _ if !self.doc.has_footer() => 2,
            ..16 => 2,
            // Includes the rule above the footer, which shows whether the page continues.
            16..22 => 4,
            _ => 5,
        };
        Area::new(0, above, width, height.saturating_sub(above + below))
    }

    fn height(&self) -> usize {
        usize::from(self.area().height).max(1)
    }

    /// Returns the search hits in a line, as bytes of its section's text.
    pub fn highlights(&self, line: usize) -> Vec<(Range<usize>, TextStyle)> {
        let hits = self.doc.hits.as_deref().unwrap_or_default();
        let text = &self.doc.text;
        let (Some((section, _)), Some(StackLine::Line(_, wrapped, _))) =
            (text.anchor(line), text.part(line))
        else {
            return Vec::new();
        };
        let style = |at: usize| {
            if self.hit == Some(at) {
                TextStyle::HIT | TextStyle::HERE
            } else {
                TextStyle::HIT
            }
        };
        let shown = touching(hits, section, &wrapped.range);
        shown.map(|at| (hits[at].1.clone(), style(at))).collect()
    }

    /// Requests a new layout with the next message.
    pub(crate) fn refresh(&mut self) {
        self.size = (0, 0);
    }

    /// Lays the page out again if needed.
    pub(crate) fn lay(&mut self, of: &PageSources<'_>) {
        let is_new = std::mem::replace(&mut self.size, of.size) != of.size;
        let at = self.at;
        if let Some(doc) = self.content.lay(&PageSources { at, ..*of }, is_new) {
            let old = std::mem::replace(&mut self.doc, doc);
            // The top line and the cursor's target stay the same.
            let top = old.text.anchor(self.top);
            self.top = top.map_or(self.top, |place| self.doc.text.line_of(place));
            let spots = &self.doc.spots;
            if let Some(spot) = old.spots.get(self.at)
                && spots.get(self.at).is_none_or(|now| now.label != spot.label)
            {
                let same = spots.iter().position(|now| now.label == spot.label);
                self.at = same.unwrap_or(self.at);
            }
            if !self.doc.by_line {
                self.at = self.at.min(spots.len().saturating_sub(1));
            }
            // Parts of the page can depend on the cursor.
            if self.at != at
                && let Some(doc) = self.content.lay(&PageSources { at: self.at, ..*of }, false)
            {
                self.doc = doc;
            }
        }
        if self.doc.text.is_empty() || self.doc.by_line {
            self.scroll_to_cursor();
        } else {
            self.top = self.top.min(self.doc.lines.saturating_sub(self.height()));
        }
    }

    /// Scrolls until the cursor is visible, with the title of its card if both fit.
    pub(crate) fn scroll_to_cursor(&mut self) {
        let (height, lines) = (self.height(), self.doc.lines);
        let (first, line) = match self.doc.spots.get(self.at) {
            // The lines above the first row of cards belong to all of them.
            Some(spot) if spot.card_line == 1 => (0, spot.y),
            Some(spot) => (spot.card_line, spot.y),
            None if self.doc.by_line && lines > 0 => {
                self.at = self.at.min(lines.saturating_sub(1));
                (self.at, self.at)
            }
            None => (self.top, self.top),
        };
        self.top = self.top.max((line + 1).saturating_sub(height));
        if line - first < height {
            self.top = self.top.min(first);
        }
        self.top = self.top.min(line).min(lines.saturating_sub(height));
    }

    /// Moves the cursor by lines, or scrolls if there is no cursor.
    pub(crate) fn scroll(&mut self, scroll: Scroll, times: usize) {
        let (height, lines) = (self.height(), self.doc.lines);
        let by = |now: usize, most: usize| scrolled(now, scroll, times, height, most);
        let (down, is_text) = (scroll == Scroll::LineDown, !self.doc.text.is_empty());
        let is_step = down || scroll == Scroll::LineUp;
        let most = lines.saturating_sub(height);
        if self.doc.by_line {
            self.at = by(self.at, lines.saturating_sub(1));
            if !is_step {
                self.top = by(self.top, most);
            }
            return self.scroll_to_cursor();
        }
        let to = match self.doc.spots.get(self.at) {
            Some(_) if is_step => repeated(self.at, times, |at| self.doc.vertical(at, down)),
            Some(spot) if !is_text => self.doc.nearest(by(spot.y, lines), spot.x),
            _ => self.at,
        };
        // Past the last spot, or without any, the lines scroll.
        if to == self.at && (is_text || self.doc.spots.is_empty()) {
            self.top = by(self.top, most);
            return;
        }
        self.at = to;
        self.scroll_to_cursor();
    }

    fn go(&mut self, to: StatisticsMove, times: usize) {
        let found = repeated(self.at, times, |at| match to {
            StatisticsMove::Left => self.doc.beside(at, false),
            StatisticsMove::Right => self.doc.beside(at, true),
            StatisticsMove::NextSection => self.doc.in_section(at, true),
            StatisticsMove::PreviousSection => self.doc.in_section(at, false),
        });
        let is_section = !matches!(to, StatisticsMove::Left | StatisticsMove::Right);
        // After a jump to a section its first card is at the top.
        if is_section
            && found != self.at
            && let Some(spot) = self.doc.spots.get(found)
        {
            self.top = spot.card_line;
        }
        self.at = found;
        self.scroll_to_cursor();
    }

    /// Moves `times` hits forward or back, wrapping around.
    pub(crate) fn step_hit(&mut self, forward: bool, times: usize) {
        let found = self.doc.hits.as_deref().unwrap_or_default();
        let (hits, text) = (found.len(), &self.doc.text);
        if hits == 0 {
            return;
        }
        let line = |hit: usize| text.line_with((found[hit].0, found[hit].1.start));
        let times = times % hits;
        let at_cursor = (0..hits).find(|hit| line(*hit) >= self.at);
        let next = match (self.hit, forward) {
            (Some(at), true) => at + times,
            (Some(at), false) => at + hits - times,
            (None, true) => at_cursor.unwrap_or(0) + (times + hits - 1) % hits,
            (None, false) => at_cursor.unwrap_or(hits) + hits - times,
        } % hits;
        (self.hit, self.at) = (Some(next), line(next));
        self.scroll_to_cursor();
    }

    /// Handles an action and returns what remains to be done.
    pub(crate) fn act(&mut self, action: Action, count: Option<usize>) -> ViewRequest {
        if let Some(task) = self.content.act(action, &self.doc, self.at) {
            return task;
        }
        let times = count.unwrap_or(1);
        match action {
            Action::Back | Action::Cancel => return ViewRequest::Back,
            Action::Zoom | Action::Accept => {
                return match self.doc.spots.get(self.at).map(|spot| &spot.query) {
                    Some(Ok(query)) => ViewRequest::Show(query.clone()),
                    Some(Err(why)) => ViewRequest::Notice(why.clone()),
                    None => ViewRequest::Ignore(action),
                };
            }
            Action::NextHit | Action::PreviousHit if self.doc.hits.is_some() => {
                self.step_hit(action == Action::NextHit, times);
            }
            Action::OnStatistics(to) => self.go(to, times),
            Action::NextPane => self.go(StatisticsMove::Right, times),
            Action::PreviousPane => self.go(StatisticsMove::Left, times),
            _ => match action.scroll() {
                Some(scroll) => self.scroll(scroll, times),
                None => return ViewRequest::Ignore(action),
            },
        }
        ViewRequest::Done
    }
}

/// Repeats a step until it stops moving: `times` can far exceed the number of spots.
fn repeated(from: usize, times: usize, step: impl Fn(usize) -> usize) -> usize {
    let mut at = from;
    for _ in 0..times {
        let to = step(at);
        if to == at {
            break;
        }
        at = to;
    }
    at
}

/// A value with its key. The old value stays available while a new one is computed.
#[derive(Debug, Clone)]
pub struct Lazy<K, V>(Option<(K, V)>);

impl<K, V> Default for Lazy<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V> Lazy<K, V> {
    /// Returns the value if its key is acceptable.
    pub fn get(&self, will_do: impl FnOnce(&K) -> bool) -> Option<&V> {
        self.0
            .as_ref()
            .filter(|(key, _)| will_do(key))
            .map(|(_, value)| value)
    }

    /// Returns the key of the value.
    pub fn key(&self) -> Option<&K> {
        self.0.as_ref().map(|(key, _)| key)
    }

    /// Returns the key if its value must be computed.
    pub fn need(&self, key: K) -> Option<K> {
        (self.key() != Some(&key)).then_some(key)
    }

    /// Stores the value for a key.
    pub fn put(&mut self, key: K, value: V) {
        self.0 = Some((key, value));
    }
}
