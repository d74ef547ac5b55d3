//! The hits in the texts of a page, and navigation between them: through the panes of a sample,
//! then to the next sample.

use std::ops::Range;
use std::sync::Arc;

use super::page::{Page, PageKey};
use super::pane_text::{PaneText, Section, SectionBytes, SectionKind, StackLine, touching};
use crate::app::job::{BRIEF_BYTES, Job};
use crate::app::shown::list::ListRow;
use crate::app::{Action, App, Context, Pane, texts};
use crate::model::{ResponseId, ResponseSetBuilder};
use crate::parallel::KeepGoing;
use crate::query::{Pattern, ResponseSet, TextTarget, TextTerm};
use crate::search::{HitMarker, Needle, SearchScope};
use crate::text::{self, TextStyle};

/// Maximum bytes between two marks of one hit: only some letters of a word match.
const GAP: usize = 8;

/// A hit in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHit {
    pub pane: Pane,
    /// Index of the section in its pane.
    pub section: usize,
    /// Byte range in the section's text.
    pub range: Range<usize>,
}

/// A page and the terms to find in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHitsKey {
    pub page: PageKey,
    /// Terms to find.
    pub terms: SearchTerms,
}

/// The hits in the texts of a page. They are separate from the page, so that another search does
/// not rebuild it.
#[derive(Debug)]
pub struct PageHits {
    /// The page and the terms.
    pub key: PageHitsKey,
    /// The hits in reading order.
    pub hits: Vec<PageHit>,
    /// Responses with hits, by their letters on the screen, including hidden ones.
    letters: ResponseSet,
    /// Highlighted ranges of each pane in reading order: the matching parts of words that match in
    /// parts.
    marks: [Vec<SectionBytes>; Pane::ALL.len()],
}

impl PageHits {
    /// Finds the terms in the texts of a page; `None` if cancelled.
    pub fn find(page: &Page, terms: SearchTerms, keep_going: &dyn KeepGoing) -> Option<Self> {
        let mut hits = Vec::new();
        let mut marks: [Vec<SectionBytes>; Pane::ALL.len()] = Default::default();
        for pane in Pane::ALL {
            let sections = page.stack(pane).map_or(&[][..], PaneText::sections);
            for (number, section) in sections.iter().enumerate() {
                if !is_in_scope(&terms, pane, section.kind, page.malformed) {
                    continue;
                }
                if !keep_going() {
                    return None;
                }
                let found = marks_of(section, &terms);
                let whole = |mark: &Range<usize>| section.block.whole_graphemes(mark.clone());
                marks[pane.index()].extend(found.iter().map(|mark| (number, whole(mark))));
                let joined = joined(section.block.text(), found).into_iter();
                hits.extend(joined.map(|range| PageHit {
                    pane,
                    section: number,
                    range,
                }));
            }
        }
        let mut letters = ResponseSetBuilder::default();
        let open = hits.iter().filter_map(|hit| page.letter_in(hit.pane));
        for id in open.filter(|_| !page.malformed) {
            letters.insert(id.index());
        }
        for (id, text) in &page.others {
            let is_found = |section: &Section| {
                is_in_scope(&terms, Pane::Right, section.kind, false)
                    && !marks_of(section, &terms).is_empty()
            };
            if keep_going() && text.sections().iter().any(is_found) {
                letters.insert(id.index());
            }
        }
        let page = page.key.clone();
        keep_going().then(|| Self {
            key: PageHitsKey { page, terms },
            hits,
            letters: letters.build(),
            marks,
        })
    }
}

/// Returns the matches in the text of a section.
fn marks_of(section: &Section, terms: &SearchTerms) -> Vec<Range<usize>> {
    let text = section.block.text();
    let mut marks = terms.marker.marks(text);
    if let SectionKind::QuoteTitle { .. } = section.kind {
        // The number before the title is not part of the data.
        let own = text.find("] ").map_or(0, |at| at + 2);
        marks.retain(|mark| mark.start >= own);
    }
    marks
}

/// True if a section is in the scope of the search.
fn is_in_scope(sought: &SearchTerms, pane: Pane, kind: SectionKind, malformed: bool) -> bool {
    let (of_prompt, of_quotes) = match kind {
        SectionKind::Divider | SectionKind::Remark | SectionKind::Reason => return false,
        SectionKind::QuoteTitle { .. } | SectionKind::Quote { .. } => (false, true),
        SectionKind::Plain | SectionKind::Turn(_) => (pane == Pane::Prompt, false),
    };
    match sought.scope {
        SearchScope::Everything => true,
        // A malformed row is searched as raw text.
        _ if malformed => true,
        SearchScope::Rationales => pane == Pane::Rationales,
        _ if pane == Pane::Rationales => false,
        SearchScope::Sample => true,
        SearchScope::Prompt => of_prompt,
        SearchScope::Responses => !of_prompt && !of_quotes,
        SearchScope::Quotes => of_quotes,
    }
}

/// Joins marks that are letters of one word.
fn joined(text: &str, marks: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut hits: Vec<Range<usize>> = Vec::new();
    for mark in marks {
        let goes_on = |from: usize| {
            let between = text.get(from..mark.start).unwrap_or(" ");
            // In scripts without spaces a word has one or two characters.
            let in_word = between
                .chars()
                .all(|sign| sign.is_alphanumeric() && sign < '\u{2e80}');
            between.len() <= GAP && in_word
        };
        match hits.last_mut() {
            Some(last) if goes_on(last.end) => last.end = mark.end,
            _ => hits.push(mark),
        }
    }
    hits
}

impl App {
    /// Returns the index of the current hit and the number of hits in the sample on screen; `None`
    /// without terms of a search or filter.
    pub fn hit(&self) -> Option<(Option<usize>, usize)> {
        self.marked_terms()?;
        let found = self.page_hits().filter(|_| self.page_is_current())?;
        Some((self.search.at, found.hits.len()))
    }

    /// True if a response of the sample on screen, by its letter there, has a hit.
    pub fn has_hit(&self, id: ResponseId) -> bool {
        self.page_hits()
            .filter(|_| self.page_is_current())
            .is_some_and(|found| found.letters.has(id.index()))
    }

    /// Returns the hidden responses of the sample on screen that have hits, by their letters there.
    pub fn hits_elsewhere(&self) -> impl DoubleEndedIterator<Item = ResponseId> {
        self.page()
            .map_or(&[][..], |page| &page.others)
            .iter()
            .map(|(id, _)| *id)
            .filter(|id| self.has_hit(*id))
    }

    /// Returns the hits of the page on screen; those of the previous search until the new ones are
    /// known.
    fn page_hits(&self) -> Option<&PageHits> {
        self.marked_terms()?;
        let page = self.open.page.as_ref()?;
        self.search
            .hits
            .as_ref()
            .filter(|found| found.key.page == page.key)
    }

    /// Returns the key of the hits to highlight, once the current page is on screen.
    fn page_hits_key(&self) -> Option<PageHitsKey> {
        let (terms, page) = (self.marked_terms()?.clone(), self.laid_page()?.key.clone());
        Some(PageHitsKey { page, terms })
    }

    /// Returns the key of hits that are needed and not known.
    pub(crate) fn page_hits_needed(&self) -> Option<PageHitsKey> {
        let known = self.search.hits.as_ref().map(|found| &found.key);
        self.page_hits_key().filter(|key| known != Some(key))
    }

    /// Returns the job that finds the hits to highlight.
    pub(crate) fn page_hits_job(&self) -> Option<Job> {
        let (key, page) = (self.page_hits_needed()?, self.open.page.clone()?);
        let is_brief = self.data.dataset.sample_bytes(key.page.sample) <= BRIEF_BYTES;
        Some(Job::new(
            "marker",
            &self.data,
            key,
            is_brief,
            move |key, of| PageHits::find(&page, key.terms.clone(), of.keep_going),
            |app, _, found| app.take_page_hits(found),
        ))
    }

    /// True if the hits of the current page are known.
    pub(crate) fn knows_hits(&self) -> bool {
        self.page_hits_key().is_some() && self.page_hits_needed().is_none()
    }

    /// Returns the highlights of a pane's line as byte ranges of its section: words unique to the
    /// response, hits, and on top the current hit.
    pub fn highlights(&self, pane: Pane, line: usize) -> Vec<(Range<usize>, TextStyle)> {
        let Some(stack) = self.open.stack(pane) else {
            return Vec::new();
        };
        let Some((section, StackLine::Line(text, line, _))) =
            stack.section_at(line).zip(stack.part(line))
        else {
            return Vec::new();
        };
        let mut over = self.diff_over(pane, section, &line.range);
        let Some(found) = self.page_hits() else {
            return over;
        };
        let marks = &found.marks[pane.index()];
        let marks = marks[touching(marks, section, &line.range)].iter();
        over.extend(marks.map(|(_, mark)| (mark.clone(), TextStyle::HIT)));
        let here = self
            .search
            .at
            .and_then(|at| found.hits.get(at))
            .filter(|hit| (hit.pane, hit.section) == (pane, section));
        over.extend(here.map(|hit| {
            let whole = text.block.whole_graphemes(hit.range.clone());
            (whole, TextStyle::HERE)
        }));
        over
    }

    /// Stores the hits of a page. For another sample or search there is no current hit.
    pub(crate) fn take_page_hits(&mut self, found: PageHits) {
        if self.page_hits_key().as_ref() != Some(&found.key) {
            return;
        }
        let is_same = |old: &PageHits| {
            let sample = |key: &PageKey| (key.generation, key.sample, key.pair, key.asked);
            old.key.terms == found.key.terms && sample(&old.key.page) == sample(&found.key.page)
        };
        let same = self.search.hits.as_ref().is_some_and(is_same);
        let hits = found.hits.len();
        self.search.at = self.search.at.filter(|at| same && *at < hits);
        self.search.hits = Some(found);
        self.arrive();
    }

    /// Returns the hits in a list row's text: start cell and text of each.
    pub fn entry_hits(&self, entry: &ListRow) -> Vec<(usize, String)> {
        let speaks = |sought: &&SearchTerms| {
            matches!(sought.scope, SearchScope::Everything | SearchScope::Prompt)
        };
        // The text shown for a malformed row is an error message.
        let is_text = !entry.malformed;
        let Some(sought) = self.marked_terms().filter(speaks).filter(|_| is_text) else {
            return Vec::new();
        };
        sought
            .marker
            .marks(&entry.text)
            .into_iter()
            .filter_map(|mark| {
                let (before, piece) = (entry.text.get(..mark.start)?, entry.text.get(mark)?);
                Some((text::width(before), piece.to_owned()))
            })
            .collect()
    }

    /// Goes to the next or previous hit.
    pub(crate) fn step_hit(&mut self, forward: bool, times: usize) {
        if self.marked_terms().is_none() {
            let key = self.key_or_name(Context::Read, Action::Search);
            self.say(texts::no_search(key));
            return;
        }
        let steps = times as isize * if forward { 1 } else { -1 };
        if self.search.arrival.is_some()
            || self.search.is_awaited()
            || !(self.knows_hits() || self.shown().is_empty())
        {
            // The hits are not known yet: the steps are taken when they are.
            self.search.ahead = self.search.ahead.saturating_add(steps);
        } else {
            self.walk(steps);
        }
    }

    /// Goes `steps` hits on, or back if negative; steps beyond this sample wait for the hits of the
    /// next.
    fn walk(&mut self, steps: isize) {
        let (forward, times) = (steps > 0, steps.unsigned_abs());
        let shown = self.shown().len();
        let hits = self.hit().map_or(0, |(_, hits)| hits);
        // The target hit, and the number of steps that leave the sample.
        let (next, away) = match (self.search.at, forward) {
            (None, true) => (times.checked_sub(1), hits + 1),
            (Some(at), true) => (Some(at.saturating_add(times)), hits - at.min(hits)),
            (Some(at), false) => (at.checked_sub(times), at + 1),
            (None, false) => (None, 1),
        };
        if let Some(next) = next.filter(|next| *next < hits) {
            self.go_to_hit(next);
        } else if forward && hits == 0 && self.show_hit_elsewhere(Arrival::First) {
            // The first hit of the sample is the first in that response.
            self.search.ahead = steps - 1;
        } else if shown > 0 {
            let rest = times.saturating_sub(away) as isize;
            self.leave_for_hit(forward, shown, rest);
        }
    }

    /// Goes to the first hit of the next sample or the last hit of the previous one; wraps around
    /// at the ends.
    fn leave_for_hit(&mut self, forward: bool, shown: usize, rest: isize) {
        let next = if forward {
            Some(self.selection.position + 1).filter(|next| *next < shown)
        } else {
            self.selection.position.checked_sub(1)
        };
        self.search.wrapped |= next.is_none();
        let before = self.selection.selected;
        self.select(next.unwrap_or(if forward { 0 } else { shown - 1 }));
        self.search.arrival = Some(if forward {
            Arrival::First
        } else {
            Arrival::Last
        });
        self.search.ahead = if forward { rest } else { -rest };
        if self.selection.selected == before {
            // Its page is on screen already; full rounds return to the same hit.
            let hits = self.hit().map_or(0, |(_, hits)| hits);
            self.search.ahead = self.search.ahead.checked_rem(hits as isize).unwrap_or(0);
            self.arrive();
        }
    }

    /// Goes to the hit that was waited for, now that the page's hits are known, and continues with
    /// pending steps.
    pub(crate) fn arrive(&mut self) {
        let last = self
            .page_hits()
            .and_then(|found| found.hits.len().checked_sub(1));
        match (self.search.arrival.take(), last) {
            (Some(Arrival::InSight), Some(_)) => self.show_hit(0),
            (Some(Arrival::First), Some(_)) => self.go_to_hit(0),
            (Some(Arrival::Last), Some(last)) => self.go_to_hit(last),
            // The page will be rebuilt; its hits follow.
            (Some(arrival), None) if self.show_hit_elsewhere(arrival) => return,
            _ => {}
        }
        if self.search.ahead != 0 && !self.search.is_awaited() {
            let steps = std::mem::take(&mut self.search.ahead);
            self.walk(steps);
        }
    }

    /// Shows a hidden response with hits in the right pane, and goes to its hit when known. Returns
    /// false if there is none, or if the right response is being rated.
    fn show_hit_elsewhere(&mut self, arrival: Arrival) -> bool {
        let found = match arrival {
            Arrival::Last => self.hits_elsewhere().next_back(),
            Arrival::First | Arrival::InSight => self.hits_elsewhere().next(),
        };
        let pair = self.page().map(|page| page.pair);
        let Some((found, [left, right])) = found.zip(pair) else {
            return false;
        };
        if self.asked_response() == Some(right) {
            return false;
        }
        self.selection.pair = Some((self.selection.selected, [left, found]));
        self.search.arrival = Some(arrival);
        true
    }

    /// Goes to a hit and focuses its pane.
    fn go_to_hit(&mut self, hit: usize) {
        let found = self.page_hits().and_then(|found| found.hits.get(hit));
        if let Some(pane) = found.map(|hit| hit.pane) {
            self.focus_on(pane);
        }
        self.show_hit(hit);
    }

    /// Scrolls to a hit and makes it the current one.
    fn show_hit(&mut self, hit: usize) {
        self.search.at = Some(hit);
        let Some(found) = self
            .page_hits()
            .and_then(|found| found.hits.get(hit))
            .cloned()
        else {
            return;
        };
        let stack = self.open.stack(found.pane);
        let Some(line) = stack.map(|stack| stack.line_with((found.section, found.range.start)))
        else {
            return;
        };
        // If panes are hidden, the hit must become visible while typing; the focused list stays.
        let is_hidden = self.geometry().frame(found.pane).is_empty();
        if self.layout.focus != Pane::List && is_hidden {
            self.focus_on(found.pane);
        }
        let (top, height) = (self.scrolled(found.pane), self.text_height(found.pane));
        if !(top..top + height).contains(&line) {
            // Keep some lines before the hit visible.
            self.scroll_pane_to(found.pane, line.saturating_sub(height / 3));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_a_word_are_one_hit() {
        let text = "scheduler, task-list 漢字漢字 aa b c*d";
        type Case<'a> = (&'a [(usize, usize)], &'a [(usize, usize)]);
        let cases: [Case<'_>; 6] = [
            (&[], &[]),
            (&[(0, 3), (4, 5), (7, 8)], &[(0, 8)]),
            (&[(0, 3), (11, 15)], &[(0, 3), (11, 15)]),
            (&[(11, 15), (16, 20)], &[(11, 15), (16, 20)]),
            (&[(21, 24), (27, 30)], &[(21, 24), (27, 30)]),
            (&[(39, 40), (41, 42)], &[(39, 40), (41, 42)]),
        ];
        for (marks, expected) in cases {
            let hits = joined(text, marks.iter().map(|&(start, end)| start..end).collect());
            let hits: Vec<_> = hits.into_iter().map(|hit| (hit.start, hit.end)).collect();
            assert_eq!(hits, expected, "{marks:?}");
        }
    }
}

/// Terms and scope of a search.
#[derive(Debug, Clone)]
pub struct SearchTerms {
    /// The search terms; never empty.
    pub needle: Arc<Needle>,
    /// The texts to search.
    pub scope: SearchScope,
    /// The matcher prepared from the needle, shared by all texts.
    pub marker: Arc<HitMarker>,
}

impl PartialEq for SearchTerms {
    fn eq(&self, other: &Self) -> bool {
        (&self.needle, self.scope) == (&other.needle, other.scope)
    }
}

impl Eq for SearchTerms {}

impl SearchTerms {
    /// Prepares a search for `needle`, which must not be empty, in `scope`.
    pub fn new(needle: Needle, scope: SearchScope) -> Self {
        let marker = Arc::new(HitMarker::new(&needle));
        Self {
            needle: Arc::new(needle),
            scope,
            marker,
        }
    }

    /// Returns the terms that highlight these texts of a filter; `None` if there are none.
    pub fn of_texts(texts: &[&TextTerm]) -> Option<Self> {
        let scope = |target: TextTarget| match target {
            TextTarget::Anywhere => SearchScope::Everything,
            TextTarget::Prompt => SearchScope::Prompt,
            TextTarget::Response(_) => SearchScope::Responses,
            TextTarget::Quote(_) | TextTarget::Title(_) => SearchScope::Quotes,
            TextTarget::Rationale => SearchScope::Rationales,
        };
        let first = scope(texts.first()?.part);
        let is_one = texts.iter().all(|text| scope(text.part) == first);
        let needle = (texts.iter()).fold(Needle::default(), |needle, text| match &text.pattern {
            Pattern::Phrase(phrase) => needle.and_phrase(phrase),
            Pattern::Regex(regex) => needle.and_regex(regex),
        });
        let scope = if is_one {
            first
        } else {
            SearchScope::Everything
        };
        Some(Self::new(needle, scope))
    }
}

/// The hit of a page to go to on arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The first hit, focused.
    First,
    /// The last hit, focused.
    Last,
    /// The first hit, scrolled into view without moving the focus.
    InSight,
}
