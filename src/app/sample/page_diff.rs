//! Colours over the texts of a page: words that only one of the two responses contains. Computed
//! for a page that is laid out already, and applied when it is drawn.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::page::{Page, PageKey};
use super::pane_text::{PaneText, Section, SectionBytes, SectionKind, touching};
use crate::app::job::Job;
use crate::app::{App, Pane};
use crate::text::{ComparedText, TextStyle, word_diff};

/// Time limit for comparing words; after that whole paragraphs are compared.
const DIFF_PATIENCE: Duration = Duration::from_millis(500);
/// Share of common words below which they are coloured instead of the others.
const UNLIKE: f64 = 0.4;
/// Responses of samples of more bytes are compared on a separate thread.
const BRIEF_DIFF_BYTES: u64 = 16 << 10;

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
    /// What only one of them contains, in reading order.
    marks: [Vec<SectionBytes>; 2],
    /// Twice the number of common words divided by the words of both; `None` without words.
    overlap: Option<f64>,
    is_identical: bool,
    /// Whether they differ only in whitespace.
    is_spacing: bool,
    is_rough: bool,
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
    /// `None` if there is nothing to compare.
    pub fn find(page: &Page, patience: Duration) -> Option<Self> {
        let until = Instant::now() + patience;
        let stacks = match &page.sides[..] {
            [left, right] if is_comparable(page) => [&left.text, &right.text],
            _ => return None,
        };
        let texts = stacks.map(ComparedSections::of);
        let found = word_diff([&texts[0].text, &texts[1].text], until);
        let marks = [0, 1].map(|side| {
            found.sides[side]
                .marks
                .iter()
                .filter_map(|bytes| texts[side].place(bytes))
                .collect()
        });
        let [a, b] = texts.each_ref().map(|one| one.text.text());
        let is_identical = a == b;
        let is_spacing = !is_identical && a.split_whitespace().eq(b.split_whitespace());
        Some(Self {
            key: page.key.clone(),
            marks,
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

impl PageDiff {
    /// Returns the styles over a line: own and common words, or only the common ones of texts that are
    /// mostly different.
    fn over(&self, side: usize, section: usize, line: &Range<usize>) -> Overlays {
        let only = [TextStyle::ONLY_A, TextStyle::ONLY_B][side];
        // Of texts that have little in common, the common words are what is rare.
        let is_unlike = self.overlap.is_some_and(|overlap| overlap < UNLIKE);
        let [own, common] = match is_unlike {
            true => [TextStyle::NONE, only],
            false => [only, TextStyle::COMMON],
        };
        let (marks, mut over, mut at) = (&self.marks[side], Vec::new(), line.start);
        for (_, mark) in &marks[touching(marks, section, line)] {
            over.push((at..mark.start.max(at), common));
            over.push((mark.clone(), own));
            at = mark.end;
        }
        over.push((at..line.end.max(at), common));
        over
    }
}

/// Byte ranges of a section, each with a style to apply.
type Overlays = Vec<(Range<usize>, TextStyle)>;

impl App {
    /// Toggles the comparison of the responses.
    pub(crate) fn toggle_diff(&mut self) {
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
    fn diff_needed(&self) -> Option<PageKey> {
        let page = self.laid_page().filter(|_| self.diff.is_on)?;
        let is_known = (self.diff.found.as_ref()).is_some_and(|found| found.key == page.key);
        let is_needed = is_comparable(page) && !is_known;
        is_needed.then(|| page.key.clone())
    }

    /// Returns the job that compares the responses of the page on screen.
    pub(crate) fn diff_job(&self) -> Option<Job> {
        let (key, page) = (self.diff_needed()?, self.open.page.clone()?);
        let is_brief = self.data.dataset.sample_bytes(key.sample) <= BRIEF_DIFF_BYTES;
        Some(Job::new(
            "differ",
            &self.data,
            key,
            is_brief,
            move |_, of| PageDiff::find(&page, DIFF_PATIENCE).filter(|_| (of.keep_going)()),
            |app, key, found| {
                if app.diff_needed() == Some(key) {
                    app.diff.found = Some(found);
                }
            },
        ))
    }

    /// Returns the comparison of the page on screen.
    fn page_diff(&self) -> Option<&PageDiff> {
        let page = self.open.page.as_ref().filter(|_| self.diff.is_on)?;
        self.diff
            .found
            .as_ref()
            .filter(|found| found.key == page.key)
    }

    /// Returns the comparison's styles over bytes of a section.
    pub(crate) fn diff_over(&self, pane: Pane, section: usize, line: &Range<usize>) -> Overlays {
        let (Some(side), Some(found)) = (pane.side(), self.page_diff()) else {
            return Vec::new();
        };
        let section_there = self
            .open
            .stack(pane)
            .and_then(|stack| stack.sections().get(section));
        if section_there.is_some_and(is_compared) {
            found.over(side, section, line)
        } else {
            Vec::new()
        }
    }

    /// Returns the words about the comparison in the title of a pane.
    pub fn diff_title(&self, pane: Pane) -> Option<String> {
        pane.side().filter(|_| self.diff.is_on)?;
        self.page().filter(|page| is_comparable(page))?;
        let comparing = || "comparing\u{2026}".to_owned();
        Some(self.page_diff().map_or_else(comparing, PageDiff::summary))
    }
}
