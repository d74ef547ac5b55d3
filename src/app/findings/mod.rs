//! Findings: which rules fire on how many samples, on a page with a cursor that leads to a queue for
//! each rule, where one judges them, and back.
//!
//! [`FindingsPage`] is the page, [`FindingsJob`] counts for it.

mod preview;
mod queue;
pub(super) mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use preview::SamplePreview;
pub use queue::{QueueOrder, QueueStrip, ReportedFinding};
use rows::{FindingsFold, FindingsRow, FindingsRowKind};

use super::geometry::header_height;
use super::page_doc::{CountedState, PageContent, PageDoc, PageSources, PageTone};
use super::page_doc::{Lazy, LazyKey};
use super::perform::ViewRequest;
use super::{Action, KeyHints, Loading, Shown, Toggle, Views};
use crate::dataset::{Dataset, FoundFindings};
use crate::findings::FindingCounts;
use crate::parallel::KeepGoing;
use crate::query::{
    Catalog, FindingRules, QueryContext, ReviewIndex, ScanCache, Severity, find_findings,
};
use crate::text::grouped;

/// The page of findings.
#[derive(Debug, Clone, Default)]
pub struct FindingsPage {
    /// What was counted, and for what; that of the result before, while another is being counted.
    counted: Lazy<FindingsKey, Arc<CountedFindings>>,
    /// Which folds are open, by their places.
    open: [bool; 2],
    /// The fold of each line that is one.
    folds: Vec<Option<FindingsFold>>,
}

/// What was counted, and the samples that the page shows of it.
#[derive(Debug, Clone, Default)]
pub struct CountedFindings {
    /// The counts.
    pub counts: FindingCounts,
    /// The first sample of each rule, once all are counted.
    samples: BTreeMap<u32, SamplePreview>,
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
        tell: &dyn Fn(FindingsKey, CountedFindings),
    ) -> Option<(FindingsKey, CountedFindings)> {
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &ReviewIndex::default(),
            rules: &self.key.rules,
        };
        let shown = self.shown.found();
        let loaded = Catalog::of_loaded(&self.dataset);
        let rules = self.key.rules.rules.iter();
        let lacks: Vec<_> = rules.map(|rule| rule.lacks(&loaded)).collect();
        let counted = |found: &FoundFindings| CountedFindings {
            counts: FindingCounts::of(
                found,
                self.key.state.samples,
                lacks.clone(),
                shown.map(|found| &*found.samples),
            ),
            samples: BTreeMap::new(),
        };
        let mut tell = |found: &FoundFindings| tell(self.key.clone(), counted(found));
        let looked = find_findings(&self.dataset, known, wanted, &mut tell);
        looked.is_continue().then(|| {
            let mut counted = counted(&self.dataset.findings());
            let firsts = counted.counts.firsts.iter().chain([&counted.counts.first]);
            let firsts = firsts.flatten().filter(|_| wanted());
            let read = |&first: &u32| Some((first, SamplePreview::of(&self.dataset, first)?));
            counted.samples = firsts.filter_map(read).collect();
            (self.key.clone(), counted)
        })
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
        let is_of_rules = |key: &FindingsKey| key.has_rules_of(&FindingsKey::of(of));
        Some(&self.counted.get(is_of_rules)?.counts)
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
        let rules = of.data.catalog.rules();
        FindingsRow::all(rules, counts, lacks, of.is_blind, self.open)
    }

    /// The findings that the page needs and does not have.
    fn needed(&self, of: &PageSources<'_>) -> Option<FindingsKey> {
        let needed = self.counted.need(FindingsKey::of(of), of.is_growing());
        // What is counted in part goes on to be counted.
        let counts = self.counted.get(|_| true);
        let is_whole = counts.is_some_and(|counted| counted.counts.is_whole());
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

    pub(super) fn take(
        &mut self,
        key: FindingsKey,
        counted: CountedFindings,
        of: &PageSources<'_>,
    ) {
        if key.has_rules_of(&FindingsKey::of(of)) {
            self.counted.put(key, Arc::new(counted));
        }
    }

    /// The title, how many findings of each severity there are, and on how many samples.
    fn head(&self, of: &PageSources<'_>, is_chosen: bool) -> Vec<(String, PageTone)> {
        let mut head = vec![("findings".to_owned(), PageTone::Title)];
        // How many have a finding tells of labels.
        let Some(counts) = self.counts(of).filter(|_| !of.is_blind) else {
            return head;
        };
        for severity in Severity::ALL {
            let rules = of.data.catalog.rules().rules.iter().enumerate();
            let of_it = rules.filter(|(at, rule)| {
                rule.definition.severity == severity && !counts.is_common(*at)
            });
            let found = of_it.filter_map(|(at, _)| counts.rules.get(at));
            let found: usize = found.map(|count| count.shown).sum();
            if found > 0 {
                head.push((grouped(found), PageTone::Severity(severity)));
            }
        }
        let (all, found) = (counts.samples, counts.suspicious);
        let (found, all, which) = match is_chosen {
            true => (found.shown, all.shown, "matching samples"),
            false => (found.whole, all.whole, "samples"),
        };
        let words = match (found, all) {
            (_, 0) if is_chosen => "No sample matches the filter. Press f to change it.".to_owned(),
            _ if counts.is_whole() => format!("{} of {} {which}", grouped(found), grouped(all)),
            _ => format!("{} of {} {which} so far", grouped(found), grouped(all)),
        };
        head.push((words, PageTone::Name));
        head
    }

    /// Writes the first sample of the row with the cursor below the rows, where there is room.
    fn lay_preview(&self, doc: &mut PageDoc, rows: &[FindingsRow], of: &PageSources<'_>) {
        let lines = usize::from(of.size.1.saturating_sub(2 + header_height(of.size.1)));
        let row = doc.spots.get(of.at).and_then(|spot| rows.get(spot.y));
        let sample = row.and_then(|row| row.first.filter(|_| !of.is_blind));
        let counted = self.counted.get(|_| true);
        let sample = sample
            .zip(counted)
            .and_then(|(first, counted)| counted.samples.get(&first));
        let left = lines.saturating_sub(rows.len());
        if let Some((sample, row)) = sample.zip(row).filter(|_| left >= preview::LEAST) {
            sample.lay(doc, row, [rows.len(), left], of);
            doc.lines = lines;
        }
    }
}

impl PageContent for FindingsPage {
    fn lay(&mut self, of: &PageSources<'_>, _is_new: bool) -> Option<PageDoc> {
        let (width, samples) = (of.size.0, of.data.dataset.samples());
        let is_chosen = of.filter.is_some() || of.sought.is_some();
        let counted = self.counts(of).map(|counts| counts.samples);
        let progress = self
            .counting(of)
            .map(|looked| match (looked, grouped(samples)) {
                (0, _) => "counting…".to_owned(),
                _ if looked >= samples => "comparing samples…".to_owned(),
                (_, all) if width < 80 => format!("counting… {} of {all}", grouped(looked)),
                (_, all) => format!("counting… looked at {} of {all} samples", grouped(looked)),
            });
        let rows = self.rows(of);
        // The row where other pages show it has the heads of the table.
        let mut head = self.head(of, is_chosen);
        head.extend(progress.map(|words| (words, PageTone::Faint)));
        let mut doc = PageDoc {
            head,
            ..rows::lay_rows(&rows, counted, width, is_chosen)
        };
        self.lay_preview(&mut doc, &rows, of);
        let folds = rows.iter().map(|row| match row.kind {
            FindingsRowKind::Fold(fold) => Some(fold),
            _ => None,
        });
        self.folds = folds.collect();
        Some(doc)
    }

    fn act(&mut self, action: Action, doc: &PageDoc, at: usize) -> Option<ViewRequest> {
        let fold = doc.spots.get(at).and_then(|spot| *self.folds.get(spot.y)?);
        match (action, fold) {
            (Action::Toggle(Toggle::Folds), None) => {
                self.open = [self.open.contains(&false); 2];
            }
            (Action::Toggle(Toggle::Folds) | Action::Zoom | Action::Accept, Some(fold)) => {
                self.open[fold as usize] ^= true;
            }
            _ => return ViewRequest::on_samples(action, Action::Findings),
        }
        Some(ViewRequest::Done)
    }

    fn hints(&self) -> KeyHints {
        &[
            (Action::Cancel, "back"),
            (Action::Zoom, "browse these"),
            (Action::NextSample, "next rule"),
            (Action::Toggle(Toggle::Folds), "folds"),
            (Action::Filter, "filter"),
            (Action::Help, "help"),
        ]
    }
}
