//! Compares the words of the two responses in the panes: what only one contains, and how both
//! scroll together. Computed for a page that is laid out already, and applied when it is drawn.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::page::{Page, PageKey};
use super::pane_text::{PaneText, Section, SectionBytes, SectionKind, touching};
use super::update::scrolled;
use super::{Browser, Pane, Scroll};
use crate::model::ResponseId;
use crate::parallel::KeepGoing;
use crate::text::{ComparedText, TextStyle, WordDiff, one_line, word_diff};

/// Time limit for comparing words; after that whole paragraphs are compared.
pub const DIFF_PATIENCE: Duration = Duration::from_millis(500);
/// Most cells of the differences described in a sentence.
const MAX_QUOTED: usize = 240;

/// Whether the responses are compared, and the result.
#[derive(Debug, Default)]
pub struct DiffState {
    pub is_on: bool,
    found: Option<PageDiff>,
}

/// What the responses in the panes have in common, and what only one contains.
#[derive(Debug)]
pub struct PageDiff {
    /// The page that was compared.
    pub key: PageKey,
    /// The left and the right pane.
    sides: [PaneDiff; 2],
    timeline: Timeline,
    /// Twice the number of common words divided by the words of both; `None` without words.
    overlap: Option<f64>,
    is_identical: bool,
    /// Whether they differ only in whitespace.
    is_spacing: bool,
    is_rough: bool,
}

/// What only one of the responses contains.
#[derive(Debug)]
struct PaneDiff {
    /// Byte ranges, in reading order.
    marks: Vec<SectionBytes>,
    /// Their text, for a sentence.
    quoted: String,
}

/// The compared texts of a response, with the byte at which each section begins.
struct ComparedSections {
    text: ComparedText,
    starts: Vec<(usize, usize)>,
}

/// True if there are two responses to compare.
fn is_comparable(page: &Page) -> bool {
    !page.malformed && page.sides.len() == 2 && page.pair[0] != page.pair[1]
}

/// True if a section is text of the response, not a quote or a remark.
fn is_compared(section: &Section) -> bool {
    matches!(section.kind, SectionKind::Plain | SectionKind::Turn(_))
}

impl ComparedSections {
    fn of(stack: &PaneText) -> Self {
        let (mut text, mut starts) = (ComparedText::default(), Vec::new());
        let sections = stack.sections().iter().enumerate();
        for (number, section) in sections.filter(|(_, section)| is_compared(section)) {
            starts.push((text.push(&section.block), number));
        }
        Self { text, starts }
    }

    /// Returns the section and bytes of part of a paragraph.
    fn place(&self, bytes: &Range<usize>) -> Option<SectionBytes> {
        let next = self.starts.partition_point(|(at, _)| *at <= bytes.start);
        let (at, section) = *self.starts.get(next.checked_sub(1)?)?;
        Some((section, bytes.start - at..bytes.end - at))
    }
}

impl PageDiff {
    /// Compares the responses in the panes of a page, word by word for at most `patience`. Returns
    /// `None` if there is nothing to compare, or if cancelled.
    pub fn find(page: &Page, patience: Duration, keep_going: &dyn KeepGoing) -> Option<Self> {
        let until = Instant::now() + patience;
        let stacks = match &page.sides[..] {
            [left, right] if is_comparable(page) => [&left.text, &right.text],
            _ => return None,
        };
        let texts = stacks.map(ComparedSections::of);
        let found = word_diff([&texts[0].text, &texts[1].text], until, keep_going)?;
        let sides = [0, 1].map(|side| PaneDiff::of(&texts[side], &found, side));
        let [a, b] = texts.each_ref().map(|one| one.text.text());
        let is_identical = a == b;
        let is_spacing = !is_identical && a.split_whitespace().eq(b.split_whitespace());
        let lines = |side: usize, bytes: &Range<usize>| {
            let (section, range) = texts[side].place(bytes)?;
            let line = |byte: usize| stacks[side].line_with((section, byte));
            // The end of a range is exclusive.
            let last = range.end.saturating_sub(1).max(range.start);
            Some(line(range.start)..line(last) + 1)
        };
        let pairs = found.pairs.iter();
        let pairs = pairs.filter_map(|[a, b]| Some([lines(0, a)?, lines(1, b)?]));
        Some(Self {
            key: page.key.clone(),
            timeline: Timeline::through(pairs, stacks.map(PaneText::len)),
            sides,
            overlap: found.overlap(),
            is_identical,
            is_spacing,
            is_rough: found.is_rough,
        })
    }

    /// Summarises: `62 % in common`, `identical as shown`, `only whitespace differs`.
    fn summary(&self) -> String {
        let rough = if self.is_rough { ", rough" } else { "" };
        match self.overlap {
            _ if self.is_identical => "identical as shown".to_owned(),
            _ if self.is_spacing => "only whitespace differs".to_owned(),
            None => "no words".to_owned(),
            Some(overlap) => format!("{} % in common{rough}", percent(overlap)),
        }
    }
}

/// Returns a whole percentage; 100 and 0 are reserved for exactly all and nothing.
fn percent(share: f64) -> u8 {
    let rounded = (100.0 * share).round();
    match share {
        _ if share >= 1.0 => 100,
        _ if share <= 0.0 => 0,
        _ => rounded.clamp(1.0, 99.0) as u8,
    }
}

impl PaneDiff {
    fn of(text: &ComparedSections, found: &WordDiff, side: usize) -> Self {
        let own = &found.sides[side];
        let marks = own.marks.iter().filter_map(|bytes| text.place(bytes));
        let mut quoted = String::new();
        for mark in &own.marks {
            if quoted.len() > MAX_QUOTED {
                break;
            }
            quoted += if quoted.is_empty() { "" } else { "; " };
            // One mark is at most as long as all together.
            let words = text.text.text()[mark.clone()].chars().take(MAX_QUOTED);
            quoted.extend(words);
        }
        Self {
            marks: marks.collect(),
            quoted: one_line(&quoted, MAX_QUOTED),
        }
    }

    /// Returns the styles over a line: own and common words.
    fn over(&self, side: usize, section: usize, line: &Range<usize>) -> Overlays {
        let only = [TextStyle::ONLY_A, TextStyle::ONLY_B][side];
        let (mut over, mut at) = (Vec::new(), line.start);
        for (_, mark) in &self.marks[touching(&self.marks, section, line)] {
            over.push((at..mark.start.max(at), TextStyle::COMMON));
            over.push((mark.clone(), only));
            at = mark.end;
        }
        over.push((at..line.end.max(at), TextStyle::COMMON));
        over
    }
}

/// Byte ranges of a section, each with a style to apply.
pub(super) type Overlays = Vec<(Range<usize>, TextStyle)>;

/// How two texts scroll together: the first visible line of each at every step. Common paragraphs
/// stay side by side, and between two of them the shorter text waits for the longer, so that no
/// line is skipped.
#[derive(Debug)]
struct Timeline {
    /// Steps with the first line of each text, ascending; interpolated linearly.
    points: Vec<[usize; 3]>,
}

impl Timeline {
    /// Creates a timeline through pairs of corresponding lines, to the ends of both texts.
    fn through(pairs: impl Iterator<Item = [Range<usize>; 2]>, ends: [usize; 2]) -> Self {
        let mut points = vec![[0, 0, 0]];
        let mut go_on = |a: usize, b: usize| {
            if let Some([step, last_a, last_b]) = points.last().copied()
                && a >= last_a
                && b >= last_b
                && (a, b) != (last_a, last_b)
            {
                points.push([step + (a - last_a).max(b - last_b), a, b]);
            }
        };
        for [a, b] in pairs {
            go_on(a.start, b.start);
            go_on(a.end, b.end);
        }
        go_on(ends[0], ends[1]);
        Self { points }
    }

    /// Returns the first line of a text at a step.
    fn line(&self, side: usize, step: usize) -> usize {
        let next = self.points.partition_point(|point| point[0] <= step);
        let before = self.points[next.saturating_sub(1)];
        let Some(after) = self.points.get(next) else {
            return before[1 + side];
        };
        let (lines, steps) = (after[1 + side] - before[1 + side], after[0] - before[0]);
        before[1 + side] + (step - before[0]) * lines / steps
    }

    /// Returns the first step at which a text is at a line or past it, or the last step.
    fn step(&self, side: usize, line: usize) -> usize {
        let (mut low, mut high) = (0, self.points.last().map_or(0, |point| point[0]));
        while low < high {
            let middle = low.midpoint(high);
            match self.line(side, middle) < line {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

impl Browser {
    /// Toggles the comparison of the responses.
    pub(super) fn toggle_diff(&mut self) {
        if self.diff.is_on {
            self.diff = DiffState::default();
            self.say("word diff: off");
            return;
        }
        let page = self.current_page();
        let nothing = match page {
            Some(page) if page.malformed => Some("this row is malformed"),
            Some(page) if !is_comparable(page) => Some("the sample has one response"),
            _ => None,
        };
        if let Some(why) = nothing {
            self.say(format!("Nothing to compare: {why}."));
            return;
        }
        self.diff.is_on = true;
        self.say("word diff: on");
    }

    /// Returns the page whose responses must be compared.
    pub(super) fn diff_needed(&self) -> Option<PageKey> {
        let page = self.laid_page().filter(|_| self.diff.is_on)?;
        let is_known = (self.diff.found.as_ref()).is_some_and(|found| found.key == page.key);
        let is_needed = is_comparable(page) && !is_known;
        is_needed.then(|| page.key.clone())
    }

    /// Stores the comparison of a page.
    pub(super) fn take_diff(&mut self, found: PageDiff) {
        if self.diff_needed().as_ref() != Some(&found.key) {
            return;
        }
        self.diff.found = Some(found);
        let lead = match self.layout.focus {
            Pane::Right => Pane::Right,
            _ => Pane::Left,
        };
        // The text being read stays where it is; the other moves at most to the corresponding line.
        if self.are_panes_locked() {
            self.scroll_compared(lead, Scroll::LineDown, 0);
        }
    }

    /// Returns the comparison of the page on screen.
    fn page_diff(&self) -> Option<&PageDiff> {
        let page = self.open.page.as_ref().filter(|_| self.diff.is_on)?;
        let found = self.diff.found.as_ref();
        found.filter(|found| found.key == page.key)
    }

    /// Returns the comparison's styles over bytes of a section.
    pub(super) fn diff_over(&self, pane: Pane, section: usize, line: &Range<usize>) -> Overlays {
        let (Some(side), Some(found)) = (pane.side(), self.page_diff()) else {
            return Vec::new();
        };
        let stack = self.open.stack(pane);
        let section_there = stack.and_then(|stack| stack.sections().get(section));
        match section_there.is_some_and(is_compared) {
            true => found.sides[side].over(side, section, line),
            false => Vec::new(),
        }
    }

    /// Returns the words about the comparison in the title of a pane.
    pub fn diff_title(&self, pane: Pane) -> Option<String> {
        pane.side().filter(|_| self.diff.is_on)?;
        self.page().filter(|page| is_comparable(page))?;
        let comparing = || "comparing\u{2026}".to_owned();
        Some(self.page_diff().map_or_else(comparing, PageDiff::summary))
    }

    /// Describes the comparison in sentences; `None` if there is none.
    pub fn diff_in_sentences(&self) -> Option<String> {
        let (found, page) = (self.page_diff()?, self.page()?);
        let [a, b] = page.pair.map(ResponseId::letter);
        let mut words = match found.overlap {
            _ if found.is_identical => {
                return Some(format!("{a} and {b} are identical as shown."));
            }
            _ if found.is_spacing => {
                return Some(format!("{a} and {b} differ only in whitespace."));
            }
            None => return Some(format!("{a} and {b} have no words.")),
            Some(overlap) => {
                let percent = percent(overlap);
                format!("{a} and {b} have {percent} % of their words in common.")
            }
        };
        if found.is_rough {
            words += " The texts are long: paragraphs were compared instead of words.";
        }
        for (side, letter) in found.sides.iter().zip([a, b]) {
            if !side.quoted.is_empty() {
                words += &format!(" Only in {letter}: {}.", side.quoted.trim_end_matches('.'));
            }
        }
        Some(words)
    }

    /// Scrolls both responses along their timeline. Returns false if they are not compared.
    pub(super) fn scroll_compared(&mut self, pane: Pane, scroll: Scroll, times: usize) -> bool {
        let Some((side, found)) = pane.side().zip(self.page_diff()) else {
            return false;
        };
        let (timeline, panes) = (&found.timeline, [Pane::Left, Pane::Right]);
        let (now, most) = (
            panes.map(|pane| self.scrolled(pane)),
            panes.map(|pane| self.most_scroll(pane)),
        );
        let first = timeline.step(side, now[side]);
        let last = match now[side] < most[side] {
            true => timeline.step(side, now[side] + 1).saturating_sub(1),
            false => usize::MAX,
        };
        // While one of them waits, the other one determines the step.
        let step = timeline
            .step(1 - side, now[1 - side])
            .clamp(first, last.max(first));
        let most_step = timeline.step(0, most[0]).max(timeline.step(1, most[1]));
        let heights = panes.map(|pane| self.text_height(pane));
        let page = heights[0].min(heights[1]).saturating_sub(2).max(1);
        let step = scrolled(step.min(most_step), scroll, times, page, most_step);
        let lines = [0, 1].map(|side| timeline.line(side, step).min(most[side]));
        for (pane, line) in panes.into_iter().zip(lines) {
            self.open.scroll[pane.index()] = line;
        }
        true
    }

    /// Returns the first line of the other response that corresponds to a line; `None` if they are
    /// not compared.
    pub(super) fn line_beside(&self, lead: Pane, line: usize) -> Option<usize> {
        let (side, found) = (lead.side()?, self.page_diff()?);
        let timeline = &found.timeline;
        let other = timeline.line(1 - side, timeline.step(side, line));
        Some(other.min(self.most_scroll(lead.opposite()?)))
    }
}
