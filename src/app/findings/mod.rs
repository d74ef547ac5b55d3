//! Findings: which rules fire on how many samples, on a page with a cursor that leads to a queue for
//! each rule, where one judges them, and back.

mod queue;
mod rows;

use std::sync::Arc;

pub use queue::{QueueOrder, QueueStrip, ToldFinding};
pub use rows::{FindingsRow, FindingsRowKind};

use super::update::scrolled;
use super::{Action, App, Area, Loading, Scroll, Shown, View};
use crate::dataset::{Dataset, FoundFindings};
use crate::findings::FindingCounts;
use crate::query::{Catalog, FindingRules, QueryContext, Remarks, ScanCache, find_findings};

/// The page of findings, open.
#[derive(Debug, Clone, Default)]
pub struct FindingsPage {
    /// What was counted, and for what; that of the result before, while another is being counted.
    counted: Option<(FindingsKey, Arc<FindingCounts>)>,
    /// The row with the cursor, by its name: rows change places once they are counted.
    chosen: Option<Arc<str>>,
    /// The first row that shows.
    top: usize,
}

/// Of what findings are counted.
#[derive(Debug, Clone)]
pub struct FindingsKey {
    /// Which loading of the dataset.
    generation: u64,
    /// The rules, by whose places is counted.
    rules: Arc<FindingRules>,
    /// How many files are open, and how many are joined to them.
    files: (usize, usize),
    /// How many samples there are.
    samples: usize,
    /// Number of the query and the search, and how many samples were looked at and found.
    query: (u64, usize),
}

/// What findings are counted of, for a thread.
#[derive(Debug, Clone)]
pub struct FindingsJob {
    key: FindingsKey,
    dataset: Dataset,
    rules: Arc<FindingRules>,
    shown: Shown,
}

impl FindingsJob {
    /// Looks at the samples that were not looked at yet, and counts; `tell` gets what is counted meanwhile.
    /// `None` once that is not wanted any more. What is found is kept with the dataset.
    pub fn count(
        &self,
        wanted: &(dyn Fn() -> bool + Sync),
        tell: &dyn Fn(FindingsKey, FindingCounts),
    ) -> Option<(FindingsKey, FindingCounts)> {
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &Remarks::default(),
            rules: &self.rules,
        };
        let shown = match &self.shown {
            Shown::All(_) => None,
            Shown::Some { found, .. } => Some(found.joined()),
        };
        let loaded = Catalog::of_loaded(&self.dataset);
        let rules = self.rules.rules.iter();
        let lacks: Vec<_> = rules.map(|rule| rule.lacks(&loaded)).collect();
        let counted = |found: &FoundFindings| {
            let shown = shown.as_ref().map(|found| &*found.samples);
            let counts = FindingCounts::of(found, self.key.samples, lacks.clone(), shown);
            (self.key.clone(), counts)
        };
        let mut tell = |found: &FoundFindings| {
            let (key, counts) = counted(found);
            tell(key, counts);
        };
        let looked = find_findings(&self.dataset, known, wanted, &mut tell);
        looked
            .is_continue()
            .then(|| counted(&self.dataset.findings()))
    }
}

impl FindingsKey {
    /// How many samples there are to look at.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Whether rules are those of another key, so that their places are the same.
    fn has_rules_of(&self, other: &Self) -> bool {
        (self.generation, self.files) == (other.generation, other.files)
            && (Arc::ptr_eq(&self.rules, &other.rules) || self.rules == other.rules)
    }
}

impl PartialEq for FindingsKey {
    fn eq(&self, other: &Self) -> bool {
        (self.samples, self.query) == (other.samples, other.query) && self.has_rules_of(other)
    }
}

impl FindingsPage {
    /// The first row that shows.
    pub fn top(&self) -> usize {
        self.top
    }
}

impl App {
    /// How many samples have findings, as far as that was counted; also that of the result before,
    /// while another is being counted.
    pub fn finding_counts(&self) -> Option<&FindingCounts> {
        let (key, counts) = self.views.findings()?.counted.as_ref()?;
        key.has_rules_of(&self.findings_key()).then_some(&**counts)
    }

    /// Of how many samples the rules that read texts were asked, while findings are still being
    /// counted.
    pub fn counting_findings(&self) -> Option<usize> {
        self.findings_needed()?;
        let counts = self.finding_counts().filter(|counts| !counts.is_whole());
        Some(counts.map_or(0, |counts| counts.looked[0]))
    }

    /// What each rule asks for that no sample has, by the places of the rules; none of them as long
    /// as further rows may have it. Rules keep their places whether they lack anything or not, since
    /// what they found is kept by these.
    fn rules_that_lack(&self) -> &[Option<&'static str>] {
        let counted = self.views.findings().and_then(|page| page.counted.as_ref());
        let samples = self.data.dataset.samples();
        let is_whole = self.data.loading == Loading::Done
            && counted.is_some_and(|(key, _)| key.samples == samples);
        let counts = self.finding_counts().filter(|_| is_whole);
        counts.map_or(&[], |counts| &counts.lacks)
    }

    /// The rows of the page, and the place of the one with the cursor; none where it is not open.
    pub fn findings_rows(&self) -> (Vec<FindingsRow>, Option<usize>) {
        let Some(page) = self.views.findings() else {
            return Default::default();
        };
        let rows = FindingsRow::all(
            self.catalog().rules(),
            self.finding_counts(),
            self.rules_that_lack(),
            self.is_blind(),
        );
        let chosen = rows
            .iter()
            .position(|row| row.can_be_chosen() && Some(&row.name) == page.chosen.as_ref())
            .or_else(|| rows.iter().position(FindingsRow::can_be_chosen));
        (rows, chosen)
    }

    /// Where the rows stand on the screen: below the header, what was counted and the names of the
    /// columns, above what is told of the cursor and the status.
    pub fn findings_area(&self) -> Area {
        let (width, height) = self.layout.size;
        let below = match height {
            ..16 => 2,
            // A blank line sets it off.
            16..20 => 4,
            _ => 5,
        };
        Area::new(0, 2, width, height.saturating_sub(2 + below))
    }

    /// What findings are to be counted of.
    pub(in crate::app) fn findings_job(&self) -> FindingsJob {
        FindingsJob {
            key: self.findings_key(),
            dataset: self.data.dataset.clone(),
            rules: Arc::clone(self.data.catalog.rules()),
            shown: self.shown().clone(),
        }
    }

    fn findings_key(&self) -> FindingsKey {
        let dataset = &self.data.dataset;
        FindingsKey {
            generation: self.data.generation,
            rules: Arc::clone(self.data.catalog.rules()),
            files: (dataset.files().len(), dataset.joined().len()),
            samples: dataset.samples(),
            // Both only grow: their sum tells one state of the two from every other.
            query: (
                self.filter.progress.number() + self.search.progress.number(),
                self.filter.progress.looked() + self.shown().len(),
            ),
        }
    }

    /// The findings that the screen needs and does not have.
    pub(super) fn findings_needed(&self) -> Option<FindingsKey> {
        let key = self.findings_key();
        let growing = self.data.loading != Loading::Done || self.is_querying();
        let Some(page) = self.views.findings() else {
            // The strip tells of the sample what only the whole look finds, whatever shows its queue.
            let is_known = self.data.dataset.findings().is_of_all(key.samples);
            let is_needed = self.views.queue().is_some() && !growing && !is_known;
            return is_needed.then_some(key);
        };
        let Some((counted, counts)) = &page.counted else {
            return Some(key);
        };
        // While rows arrive, they are looked at anew when there are twice as many.
        let not_much_more = counted.has_rules_of(&key)
            && counted.query.0 == key.query.0
            && key.query.1 < 2 * counted.query.1.max(1)
            && key.samples < 2 * counted.samples;
        match *counted == key || (growing && not_much_more) {
            true => (!counts.is_whole()).then(|| counted.clone()),
            false => Some(key),
        }
    }

    pub(super) fn take_findings(&mut self, key: FindingsKey, counts: FindingCounts) {
        let is_current = key.has_rules_of(&self.findings_key());
        if let Some(page) = self.views.findings_mut().filter(|_| is_current) {
            page.counted = Some((key, Arc::new(counts)));
            self.keep_rule_in_sight();
        }
    }

    /// Opens the page.
    pub(super) fn open_findings(&mut self) {
        self.open_page(View::Findings(FindingsPage::default()));
    }

    pub(super) fn act_in_findings(&mut self, action: Action, count: Option<usize>) {
        match action {
            Action::Findings => drop(self.views.back()),
            Action::Zoom | Action::Accept => self.open_queue(),
            _ => {
                if let Some((by, times)) = self.act_on_page(action, count) {
                    self.scroll_findings(by, times);
                }
            }
        }
    }

    /// Moves the cursor by rows of the page.
    pub(super) fn scroll_findings(&mut self, scroll: Scroll, times: usize) {
        let (rows, chosen) = self.findings_rows();
        let there = rows.iter().enumerate();
        let there: Vec<_> = there.filter(|(_, row)| row.can_be_chosen()).collect();
        let at = there.iter().position(|(at, _)| Some(*at) == chosen);
        let height = usize::from(self.findings_area().height).max(1);
        let most = there.len().saturating_sub(1);
        let to = scrolled(at.unwrap_or(0), scroll, times, height, most);
        let name = there.get(to).map(|(_, row)| Arc::clone(&row.name));
        if let Some(page) = self.views.findings_mut() {
            page.chosen = name;
        }
        self.keep_rule_in_sight();
    }

    /// Scrolls so far that the cursor shows, and the heading above it.
    pub(super) fn keep_rule_in_sight(&mut self) {
        let (rows, chosen) = self.findings_rows();
        let height = usize::from(self.findings_area().height).max(1);
        let at = chosen.unwrap_or(0);
        // The first of a section is seen with its heading.
        let is_heading = |row: &FindingsRow| !row.can_be_chosen();
        let above = rows[..at.min(rows.len())].iter().rev();
        let first = at - above.take_while(|row| is_heading(row)).count();
        if let Some(page) = self.views.findings_mut() {
            if at >= page.top + height {
                page.top = at + 1 - height;
            }
            let first = if at - first < height { first } else { at };
            page.top = page.top.min(first);
            page.top = page.top.min(rows.len().saturating_sub(height));
        }
    }
}
