//! The findings page: how many samples each rule matches, with a cursor that opens a queue for each
//! rule, where the reviewer judges them.
//!
//! [`FindingsPage`] is the page, [`FindingsKey`] counts for it.

mod preview;
mod queue;
pub(crate) mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use preview::SamplePreview;
pub use queue::{QueueOrder, QueueStrip, ReportedFinding};
use rows::{FindingsFold, FindingsRow, FindingsRowKind};

use super::page_doc::{CountedState, Lazy, PageContent, PageDoc, PageSources, PageTone};
use crate::app::job::{BRIEF_TEXTS, Job, JobContext, is_small};
use crate::app::perform::ViewRequest;
use crate::app::sample::geometry::header_height;
use crate::app::{Action, KeyHints, Loading, ShownSamples, Toggle, Views, texts};
use crate::dataset::FoundFindings;
use crate::findings::FindingCounts;
use crate::query::{
    Catalog, FindingRules, QueryContext, ReviewIndex, ScanCache, Severity, find_findings,
};
use crate::text::grouped;

#[derive(Debug, Clone, Default)]
pub struct FindingsPage {
    /// The counts with their key; the previous ones while new ones are computed.
    counted: Lazy<FindingsKey, Arc<CountedFindings>>,
    /// Whether each fold is open, by its index.
    open: [bool; 2],
    /// The fold of each line, if it is one.
    folds: Vec<Option<FindingsFold>>,
}

/// The counts, and the previewed samples.
#[derive(Debug, Clone, Default)]
pub struct CountedFindings {
    pub counts: FindingCounts,
    /// The first sample of each rule, when all are counted.
    samples: BTreeMap<u32, SamplePreview>,
}

/// Identifies the input of the counts.
#[derive(Debug, Clone)]
pub struct FindingsKey {
    pub state: CountedState,
    /// The rules, in the order of the counts.
    rules: Arc<FindingRules>,
}

impl FindingsKey {
    fn of(of: &PageSources<'_>) -> Self {
        Self {
            state: of.state,
            rules: Arc::clone(of.data.catalog.rules()),
        }
    }

    /// Examines the samples that were not examined yet, and counts.
    fn count(
        &self,
        shown: &ShownSamples,
        of: &JobContext<'_, CountedFindings>,
    ) -> Option<CountedFindings> {
        let (dataset, keep_going) = (of.dataset, of.keep_going);
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &ReviewIndex::default(),
            rules: &self.rules,
            is_blind: false,
        };
        let shown = shown.found().map(|found| &*found.samples);
        let loaded = Catalog::of_loaded(dataset);
        let rules = self.rules.rules.iter();
        let lacks: Vec<_> = rules.map(|rule| rule.lacks(&loaded)).collect();
        let counted = |found: &FoundFindings| CountedFindings {
            counts: FindingCounts::of(found, dataset.samples(), lacks.clone(), shown),
            samples: BTreeMap::new(),
        };
        let mut tell = |found: &FoundFindings| (of.tell)(counted(found));
        let examined = find_findings(dataset, known, keep_going, &mut tell);
        examined.is_continue().then(|| {
            let mut counted = counted(&dataset.findings());
            let of_rules = counted.counts.rules.iter().map(|rule| rule.first);
            let firsts = of_rules.chain([counted.counts.first]).flatten();
            let firsts = firsts.filter(|_| keep_going());
            let read = |first| Some((first, SamplePreview::of(dataset, first)?));
            counted.samples = firsts.filter_map(read).collect();
            counted
        })
    }

    /// True if both keys have the same rules, in the same order.
    fn has_rules_of(&self, other: &Self) -> bool {
        let of = |key: &Self| (key.state.generation, key.state.files.1);
        of(self) == of(other)
            && (Arc::ptr_eq(&self.rules, &other.rules) || self.rules == other.rules)
    }
}

impl PartialEq for FindingsKey {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state && self.has_rules_of(other)
    }
}

impl FindingsPage {
    /// Returns the counts so far; the previous ones while new ones are computed.
    fn counts(&self, of: &PageSources<'_>) -> Option<&FindingCounts> {
        let is_of_rules = |key: &FindingsKey| key.has_rules_of(&FindingsKey::of(of));
        Some(&self.counted.get(is_of_rules)?.counts)
    }

    /// Returns how many samples were examined by rules that read texts, while counting; otherwise
    /// `None`.
    pub(crate) fn counting(&self, of: &PageSources<'_>) -> Option<usize> {
        self.needed(of)?;
        let counts = self.counts(of).filter(|counts| !counts.is_whole());
        Some(counts.map_or(0, |counts| counts.looked[0]))
    }

    /// The rows of the page.
    pub(crate) fn rows(&self, of: &PageSources<'_>) -> Vec<FindingsRow> {
        // Whether a rule lacks data is only known when all rows are loaded. Such rules keep their
        // index, which results refer to.
        let samples = of.data.dataset.samples();
        let is_whole = of.data.loading == Loading::Done
            && (self.counted.key()).is_some_and(|key| key.state.samples == samples);
        let rules = of.data.catalog.rules();
        FindingsRow::all(rules, self.counts(of), is_whole, of.is_blind, self.open)
    }

    /// Returns the key of the counts that the page needs and does not have.
    fn needed(&self, of: &PageSources<'_>) -> Option<FindingsKey> {
        let needed = self.counted.need(FindingsKey::of(of));
        // A partial count is continued.
        let is_whole = self
            .counted
            .get(|_| true)
            .is_some_and(|counted| counted.counts.is_whole());
        needed.or_else(|| self.counted.key().filter(|_| !is_whole).cloned())
    }

    /// Returns the job for the strip, which needs the findings of its sample: only a complete count
    /// has them.
    pub(crate) fn queue_job(views: &Views, of: &PageSources<'_>) -> Option<Job> {
        let dataset = &of.data.dataset;
        let is_known = dataset.findings().is_of_all(dataset.samples());
        let is_needed = views.queue().is_some() && !of.is_growing && !is_known;
        let is_open = views.page_of::<Self>().is_some();
        (is_needed && !is_open).then(|| Self::counting_job(FindingsKey::of(of), of))
    }

    /// Returns the job that counts what the screen needs and does not have: it examines the samples
    /// that were not examined yet and tells partial counts. Results are stored in the dataset.
    fn counting_job(key: FindingsKey, of: &PageSources<'_>) -> Job {
        let dataset = &of.data.dataset;
        let is_brief = is_small(dataset, key.state.samples, BRIEF_TEXTS);
        let shown = of.shown.clone();
        Job::new(
            "findings",
            of.data,
            key,
            is_brief,
            move |key, of| key.count(&shown, of),
            |app, key, counted| {
                let now = FindingsKey::of(&app.page_sources());
                if let Some(page) = app.views.page_of_mut::<Self>()
                    && key.has_rules_of(&now)
                {
                    page.content.counted.put(key, Arc::new(counted));
                }
            },
        )
    }

    /// Returns the title, the number of findings of each severity, and of samples with findings.
    fn head(&self, of: &PageSources<'_>, is_chosen: bool) -> Vec<(String, PageTone)> {
        let mut head = vec![("findings".to_owned(), PageTone::Title)];
        // The number of samples with findings would reveal labels.
        let Some(counts) = self.counts(of).filter(|_| !of.is_blind) else {
            return head;
        };
        for severity in Severity::ALL {
            let rules = of.data.catalog.rules().rules.iter().zip(&counts.rules);
            let found: usize = rules
                .filter(|(rule, known)| rule.definition.severity == severity && !known.is_common)
                .map(|(_, known)| known.shown())
                .sum();
            if found > 0 {
                head.push((grouped(found), PageTone::Severity(severity)));
            }
        }
        let (all, found) = (counts.samples, counts.suspicious);
        let (found, all, which) = if is_chosen {
            (found.shown, all.shown, "matching samples")
        } else {
            (found.whole, all.whole, "samples")
        };
        let words = match (found, all) {
            (_, 0) if is_chosen => texts::NO_FILTERED_SAMPLE.to_owned(),
            _ if counts.is_whole() => format!("{} of {} {which}", grouped(found), grouped(all)),
            _ => format!("{} of {} {which} so far", grouped(found), grouped(all)),
        };
        head.push((words, PageTone::Name));
        head
    }

    /// Lays out the first sample of the selected row below the rows, if there is room.
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
    fn opens_queue(&self) -> bool {
        true
    }

    fn job(&self, of: &PageSources<'_>) -> Option<Job> {
        let key = self.needed(of)?;
        Some(Self::counting_job(key, of))
    }

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
                (_, all) => format!("counting… {} of {all} samples", grouped(looked)),
            });
        let rows = self.rows(of);
        // The table's headings take the row where other pages show progress.
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
