//! Statistics: what the data is like, on a page with a cursor that leads to the samples behind each
//! bar and cell, and back.

mod page;

use std::sync::Arc;

pub use page::{PageItem, PageMark, PageSpot, PageTone, StatisticsPage};

use super::update::scrolled;
use super::{Action, App, Area, Loading, Scroll, Shown, View};
use crate::dataset::Dataset;
use crate::profile::{Profile, ProfileRequest, has_counted_texts};
use crate::query::{Catalog, Query};

/// Samples whose texts are read before anything shows: it takes no longer than a blink.
const MOST_AT_ONCE: usize = 2_000;

/// The page of statistics, open.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// What was counted, and for what; that of the result before, while another is being counted.
    counted: Option<(StatisticsKey, Arc<Profile>)>,
    /// Place of the cursor among the page's spots.
    chosen: usize,
    /// The first line that shows.
    top: usize,
}

/// Of what statistics are.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsKey {
    /// Which loading of the dataset.
    generation: u64,
    /// How many samples of it are there, and how many files are joined to them.
    samples: (usize, usize),
    /// Number of the query and the search, and how many samples were looked at and found.
    query: (u64, usize),
    /// Whether labels are hidden.
    hides_labels: bool,
    /// Whether texts are read for it.
    reads_texts: bool,
}

/// What a key does on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatisticsMove {
    /// To what stands left of it.
    Left,
    /// To what stands right of it.
    Right,
    /// To the next section.
    NextSection,
    /// To the section before.
    PreviousSection,
}

/// What statistics are counted of, for a thread.
#[derive(Debug, Clone)]
pub struct StatisticsJob {
    key: StatisticsKey,
    dataset: Dataset,
    catalog: Catalog,
    shown: Shown,
    filter: Option<Arc<Query>>,
}

impl StatisticsJob {
    /// Counts; `None` once that is not wanted any more.
    pub fn count(&self, wanted: &(dyn Fn() -> bool + Sync)) -> Option<(StatisticsKey, Profile)> {
        let found = match &self.shown {
            Shown::All(_) => None,
            Shown::Some { found, .. } => Some(found.joined()),
        };
        let request = ProfileRequest {
            dataset: &self.dataset,
            catalog: &self.catalog,
            shown: found.as_deref(),
            filter: self.filter.as_deref(),
            hides_labels: self.key.hides_labels,
            reads_texts: self.key.reads_texts,
            sections: &[],
            wanted,
        };
        Some((self.key.clone(), Profile::of(request)?))
    }
}

/// Where one comes from a spot by a step done so many times: a count can be far greater than there
/// are spots, and where a step leads nowhere none leads further.
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

impl StatisticsKey {
    /// How many samples there are to count.
    pub fn samples(&self) -> usize {
        self.samples.0
    }
}

impl Statistics {
    /// What was counted; `None` as long as nothing was.
    pub fn profile(&self) -> Option<&Profile> {
        self.counted.as_ref().map(|(_, profile)| &**profile)
    }

    /// The first line of the page that shows.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Place of the cursor among the page's spots.
    pub fn chosen(&self) -> usize {
        self.chosen
    }
}

impl App {
    /// The page of statistics laid out for the screen; `None` where it is not open or nothing was
    /// counted yet.
    pub fn statistics_page(&self) -> Option<StatisticsPage> {
        let (counted_for, profile) = self.views.statistics()?.counted.as_ref()?;
        // What was counted before one judged blind is not shown until it was counted anew.
        if self.is_blind() && !counted_for.hides_labels {
            return None;
        }
        let area = self.statistics_area();
        Some(StatisticsPage::of(
            profile,
            area.x + 1,
            area.width.saturating_sub(2),
        ))
    }

    /// Where the page stands on the screen: below the header and the names of the sections, above
    /// what is told of the cursor and the status.
    pub fn statistics_area(&self) -> Area {
        let (width, height) = self.layout.size;
        let below = match height {
            ..16 => 2,
            16..22 => 3,
            22..30 => 4,
            // A blank line sets it off.
            _ => 5,
        };
        Area::new(0, 2, width, height.saturating_sub(2 + below))
    }

    /// Whether it is still being counted what shows.
    pub fn is_counting_statistics(&self) -> bool {
        self.statistics_needed().is_some()
    }

    /// What statistics are to be counted of.
    pub(in crate::app) fn statistics_job(&self) -> StatisticsJob {
        StatisticsJob {
            key: self.statistics_key(),
            dataset: self.data.dataset.clone(),
            catalog: self.data.catalog.clone(),
            shown: self.shown().clone(),
            filter: self
                .filter
                .in_force()
                .map(|active| Arc::clone(&active.query)),
        }
    }

    fn statistics_key(&self) -> StatisticsKey {
        let dataset = &self.data.dataset;
        let mut key = StatisticsKey {
            generation: self.data.generation,
            samples: (dataset.samples(), dataset.joined().len()),
            // Both only grow: their sum tells one state of the two from every other.
            query: (
                self.filter.progress.number() + self.search.progress.number(),
                self.filter.progress.looked() + self.shown().len(),
            ),
            hides_labels: self.is_blind(),
            reads_texts: true,
        };
        key.reads_texts = self.reads_texts_for(&key);
        key
    }

    /// Whether texts are to be read for statistics of a state: where that is quick, or was done, or
    /// all that needs no texts shows already.
    fn reads_texts_for(&self, with_texts: &StatisticsKey) -> bool {
        let dataset = &self.data.dataset;
        if self.data.loading != Loading::Done || self.is_querying() {
            return false;
        }
        let counted = self
            .views
            .statistics()
            .and_then(|open| open.counted.as_ref());
        let shows_rest = |(counted, _): &(StatisticsKey, _)| {
            let with_texts_read = StatisticsKey {
                reads_texts: true,
                ..counted.clone()
            };
            with_texts_read == *with_texts
        };
        dataset.samples() <= MOST_AT_ONCE
            || counted.is_some_and(shows_rest)
            || has_counted_texts(dataset)
    }

    /// The statistics that the screen needs and does not have.
    pub(super) fn statistics_needed(&self) -> Option<StatisticsKey> {
        let statistics = self.views.statistics()?;
        let key = self.statistics_key();
        let Some((counted, _)) = &statistics.counted else {
            return Some(key);
        };
        let growing = self.data.loading != Loading::Done || self.is_querying();
        let same_kind = (counted.generation, counted.hides_labels, counted.samples.1)
            == (key.generation, key.hides_labels, key.samples.1);
        let same_query = counted.query.0 == key.query.0 && key.query.1 < 2 * counted.query.1.max(1);
        // While rows arrive, they are counted anew when there are twice as many.
        let not_much_more = same_query && key.samples.0 < 2 * counted.samples.0;
        let fresh = *counted == key || (growing && same_kind && not_much_more);
        (!fresh).then_some(key)
    }

    pub(super) fn take_statistics(&mut self, key: StatisticsKey, profile: Profile) {
        if key.generation != self.data.generation || key.hides_labels != self.is_blind() {
            return;
        }
        let Some(statistics) = self.views.statistics_mut() else {
            return;
        };
        statistics.counted = Some((key, Arc::new(profile)));
        self.keep_cursor_in_sight();
    }

    /// Opens the page.
    pub(super) fn open_statistics(&mut self) {
        self.open_page(View::Statistics(Statistics::default()));
    }

    pub(super) fn act_in_statistics(&mut self, action: Action, count: Option<usize>) {
        match action {
            Action::Statistics => drop(self.views.back()),
            Action::Zoom | Action::Accept => self.show_behind_cursor(),
            Action::OnStatistics(to) => self.move_on_statistics(to, count.unwrap_or(1)),
            _ => {
                if let Some((by, times)) = self.act_on_page(action, count) {
                    self.scroll_statistics(by, times);
                }
            }
        }
    }

    /// Moves the cursor by lines of the page.
    pub(super) fn scroll_statistics(&mut self, scroll: Scroll, times: usize) {
        let (Some(page), Some(statistics)) = (self.statistics_page(), self.views.statistics())
        else {
            return;
        };
        let height = usize::from(self.statistics_area().height).max(1);
        let chosen = statistics.chosen.min(page.spots.len().saturating_sub(1));
        let Some(spot) = page.spots.get(chosen) else {
            // Nothing to point at: the lines themselves move.
            let most = page.lines.saturating_sub(height);
            if let Some(statistics) = self.views.statistics_mut() {
                statistics.top = scrolled(statistics.top, scroll, times, height, most);
            }
            return;
        };
        let to = match scroll {
            Scroll::LineDown => repeated(chosen, times, |at| page.below(at)),
            Scroll::LineUp => repeated(chosen, times, |at| page.above(at)),
            _ => page.nearest(scrolled(spot.y, scroll, times, height, page.lines), spot.x),
        };
        self.choose_spot(to);
    }

    fn move_on_statistics(&mut self, to: StatisticsMove, times: usize) {
        let (Some(page), Some(statistics)) = (self.statistics_page(), self.views.statistics())
        else {
            return;
        };
        let chosen = statistics.chosen.min(page.spots.len().saturating_sub(1));
        let step = |at: usize| match to {
            StatisticsMove::Left => page.beside(at, false),
            StatisticsMove::Right => page.beside(at, true),
            StatisticsMove::NextSection => page.in_section(at, true),
            StatisticsMove::PreviousSection => page.in_section(at, false),
        };
        let found = repeated(chosen, times, step);
        // Whoever goes to a section reads on from its heading.
        let goes_to_section = matches!(
            to,
            StatisticsMove::NextSection | StatisticsMove::PreviousSection
        );
        let heading = page
            .spots
            .get(found)
            .filter(|_| goes_to_section && found != chosen);
        let heading = heading.and_then(|spot| page.sections.get(page.section_at(spot.y)));
        if let (Some((heading, _)), Some(statistics)) = (heading, self.views.statistics_mut()) {
            statistics.top = *heading;
        }
        self.choose_spot(found);
    }

    fn choose_spot(&mut self, spot: usize) {
        if let Some(statistics) = self.views.statistics_mut() {
            statistics.chosen = spot;
        }
        self.keep_cursor_in_sight();
    }

    /// Scrolls so far that the cursor shows, and the title of its card where both fit.
    pub(super) fn keep_cursor_in_sight(&mut self) {
        let Some(page) = self.statistics_page() else {
            return;
        };
        let height = usize::from(self.statistics_area().height).max(1);
        let Some(statistics) = self.views.statistics_mut() else {
            return;
        };
        statistics.chosen = statistics.chosen.min(page.spots.len().saturating_sub(1));
        if let Some(spot) = page.spots.get(statistics.chosen) {
            let first = match spot.card_line {
                // With the heading of a section goes its first card.
                line if spot.y - line < height => page.heading_above(line),
                _ => spot.y,
            };
            if spot.y >= statistics.top + height {
                statistics.top = spot.y + 1 - height;
            }
            if first < statistics.top && spot.y - first < height {
                statistics.top = first;
            }
            statistics.top = statistics.top.min(spot.y);
        }
        statistics.top = statistics.top.min(page.lines.saturating_sub(height));
    }

    /// Puts the query of the bar or cell under the cursor in force, with the filter that is in force
    /// already, and shows what it finds; [`Self::back_to_page`] comes back.
    fn show_behind_cursor(&mut self) {
        let (Some(page), Some(statistics)) = (self.statistics_page(), self.views.statistics())
        else {
            return;
        };
        let spot = page.spots.get(statistics.chosen);
        let Some(text) = spot.and_then(|spot| spot.query.clone()) else {
            self.status.notice = Some("No query finds what this tells of.".to_owned());
            return;
        };
        let Some(chosen) = self.laid_on_filter(&text) else {
            return;
        };
        self.leave_page_for(chosen);
        let words = self.key_for(Action::Cancel).unwrap_or_default();
        self.status.notice = Some(format!("{words} goes back to the statistics."));
    }
}
