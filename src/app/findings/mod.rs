//! Findings: which rules fire on how many samples, on a page with a cursor that leads to a queue for
//! each rule, where one judges them, and back.
//!
//! [`FindingsPage`] is the page, [`FindingsJob`] counts for it.

mod queue;
pub(super) mod rows;

use std::sync::Arc;

pub use queue::{QueueOrder, QueueStrip, ReportedFinding};
use rows::FindingsRow;

use super::page_doc::{CountedState, PageContent, PageDoc, PageSources};
use super::page_doc::{Lazy, LazyKey};
use super::perform::ViewRequest;
use super::{Action, KeyHints, Loading, Shown, Views};
use crate::dataset::{Dataset, FoundFindings};
use crate::findings::FindingCounts;
use crate::parallel::KeepGoing;
use crate::query::{Catalog, FindingRules, QueryContext, ReviewIndex, ScanCache, find_findings};
use crate::text::grouped;

/// The page of findings.
#[derive(Debug, Clone, Default)]
pub struct FindingsPage {
    /// What was counted, and for what; that of the result before, while another is being counted.
    counted: Lazy<FindingsKey, Arc<FindingCounts>>,
}

/// Of what findings are counted.
#[derive(Debug, Clone)]
pub struct FindingsKey {
    pub state: CountedState,
    /// The rules, by whose places is counted.
    rules: Arc<FindingRules>,
}

/// What findings are counted of, for a thread.
#[derive(Debug, Clone)]
pub struct FindingsJob {
    key: FindingsKey,
    dataset: Dataset,
    shown: Shown,
}

impl FindingsJob {
    /// Looks at the samples that were not looked at yet, and counts; `tell` gets what is counted meanwhile.
    /// `None` once that is not wanted any more. What is found is kept with the dataset.
    pub fn count(
        &self,
        wanted: &dyn KeepGoing,
        tell: &dyn Fn(FindingsKey, FindingCounts),
    ) -> Option<(FindingsKey, FindingCounts)> {
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &ReviewIndex::default(),
            rules: &self.key.rules,
        };
        let shown = self.shown.found();
        let loaded = Catalog::of_loaded(&self.dataset);
        let rules = self.key.rules.rules.iter();
        let lacks: Vec<_> = rules.map(|rule| rule.lacks(&loaded)).collect();
        let counted = |found: &FoundFindings| {
            let shown = shown.map(|found| &*found.samples);
            let counts = FindingCounts::of(found, self.key.state.samples, lacks.clone(), shown);
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
    fn of(of: &PageSources<'_>) -> Self {
        Self {
            state: of.state,
            rules: Arc::clone(of.data.catalog.rules()),
        }
    }

    /// Whether rules are those of another key, so that their places are the same.
    fn has_rules_of(&self, other: &Self) -> bool {
        let of = |key: &Self| (key.state.generation, key.state.files);
        of(self) == of(other)
            && (Arc::ptr_eq(&self.rules, &other.rules) || self.rules == other.rules)
    }
}

impl LazyKey for FindingsKey {
    fn nearly_is(&self, now: &Self) -> bool {
        self.has_rules_of(now) && self.state.nearly_is(&now.state)
    }
}

impl PartialEq for FindingsKey {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state && self.has_rules_of(other)
    }
}

impl FindingsJob {
    /// What findings are to be counted of.
    pub fn of(of: &PageSources<'_>) -> Self {
        Self {
            key: FindingsKey::of(of),
            dataset: of.data.dataset.clone(),
            shown: of.shown.clone(),
        }
    }
}

impl FindingsPage {
    /// How many samples have findings, as far as that was counted; also that of the result before,
    /// while another is being counted.
    fn counts(&self, of: &PageSources<'_>) -> Option<&FindingCounts> {
        let counts = self
            .counted
            .get(|key| key.has_rules_of(&FindingsKey::of(of)))?;
        Some(counts)
    }

    /// Of how many samples the rules that read texts were asked, while findings are still being
    /// counted.
    pub(super) fn counting(&self, of: &PageSources<'_>) -> Option<usize> {
        self.needed(of)?;
        let counts = self.counts(of).filter(|counts| !counts.is_whole());
        Some(counts.map_or(0, |counts| counts.looked[0]))
    }

    /// The rows of the page.
    pub(super) fn rows(&self, of: &PageSources<'_>) -> Vec<FindingsRow> {
        // What no sample has, further rows may have. Rules keep their places whether they lack
        // anything or not, since what they found is kept by these.
        let samples = of.data.dataset.samples();
        let is_whole = of.data.loading == Loading::Done
            && (self.counted.key()).is_some_and(|key| key.state.samples == samples);
        let counts = self.counts(of);
        let lacks = counts.filter(|_| is_whole).map(|counts| &*counts.lacks);
        let lacks = lacks.unwrap_or_default();
        FindingsRow::all(of.data.catalog.rules(), counts, lacks, of.is_blind)
    }

    /// The findings that the page needs and does not have.
    fn needed(&self, of: &PageSources<'_>) -> Option<FindingsKey> {
        let needed = self.counted.need(FindingsKey::of(of), of.is_growing());
        // What is counted in part goes on to be counted.
        let counts = self.counted.get(|_| true);
        let is_whole = counts.is_some_and(|counts| counts.is_whole());
        needed.or_else(|| self.counted.key().filter(|_| !is_whole).cloned())
    }

    /// The findings that the screen needs and does not have.
    pub(super) fn needed_in(views: &Views, of: &PageSources<'_>) -> Option<FindingsKey> {
        if let Some(page) = views.findings() {
            return page.content.needed(of);
        }
        // The strip tells of the sample what only the whole look finds, whatever shows its queue.
        let dataset = &of.data.dataset;
        let is_known = dataset.findings().is_of_all(dataset.samples());
        let is_needed = views.queue().is_some() && !of.is_growing() && !is_known;
        is_needed.then(|| FindingsKey::of(of))
    }

    pub(super) fn take(&mut self, key: FindingsKey, counts: FindingCounts, of: &PageSources<'_>) {
        if key.has_rules_of(&FindingsKey::of(of)) {
            self.counted.put(key, Arc::new(counts));
        }
    }
}

impl PageContent for FindingsPage {
    fn lay(&mut self, of: &PageSources<'_>, _is_new: bool) -> Option<PageDoc> {
        let (width, samples) = (of.size.0, of.data.dataset.samples());
        let is_chosen = of.filter.is_some() || of.sought.is_some();
        let counts = self.counts(of);
        let counted = counts.map(|counts| counts.samples);
        // How many have a finding tells of labels.
        let aside = counts.filter(|_| !of.is_blind).map(|counts| {
            let (all, found) = (counts.samples, counts.suspicious);
            let (found, all, which) = match is_chosen {
                true => (found.shown, all.shown, "shown"),
                false => (found.whole, all.whole, "samples"),
            };
            let so_far = if counts.is_whole() { "" } else { " so far" };
            let (found, all) = (grouped(found), grouped(all));
            format!("{found} of {all} {which} have one{so_far}")
        });
        let progress = self
            .counting(of)
            .map(|looked| match (looked, grouped(samples)) {
                (0, _) => "counting…".to_owned(),
                _ if looked >= samples => "comparing samples…".to_owned(),
                (_, all) if width < 80 => format!("counting… {} of {all}", grouped(looked)),
                (_, all) => format!("counting… looked at {} of {all} samples", grouped(looked)),
            });
        Some(PageDoc {
            aside: aside.unwrap_or_default(),
            progress: progress.unwrap_or_default(),
            ..rows::lay_rows(&self.rows(of), counted, width, is_chosen)
        })
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        ViewRequest::on_samples(action, Action::Findings)
    }

    fn hints(&self) -> KeyHints {
        &[
            (Action::Cancel, "back"),
            (Action::Zoom, "show these"),
            (Action::NextSample, "down"),
            (Action::Filter, "filter"),
            (Action::Help, "help"),
        ]
    }
}
