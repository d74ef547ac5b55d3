//! The strip of a queue: the findings of the sample on screen, and its position in the queue.

use std::ops::Range;
use std::sync::Arc;

use crate::app::perform::ViewRequest;
use crate::app::shown::filtering::ActiveFilter;
use crate::app::{Action, App, Context, Mode, View, texts};
use crate::journal::CheckDraw;
use crate::model::{ResponseId, ResponseSet, SpotCheckVerdict};
use crate::query::{FindingRule, Query, Severity};
use crate::search::Needle;

/// An open queue strip.
#[derive(Debug, Clone)]
pub struct QueueStrip {
    /// Order of the queue.
    pub order: QueueOrder,
    /// The filter that shows the queue, and the number of its first request.
    filter: ActiveFilter,
    request: u64,
    /// The search about which the reviewer was warned that judgments during a search count in no
    /// queue.
    warned_search: Option<Arc<Needle>>,
}

/// Order of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueOrder {
    /// Most suspicious first.
    Suspicion,
    /// Shuffled with a fixed seed.
    Random,
}

/// A finding of the sample on screen, as displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedFinding {
    /// Severity of the rule.
    pub severity: Severity,
    /// Name of the rule.
    pub name: Arc<str>,
    /// Description of the problem, without a full stop.
    pub sentence: Arc<str>,
    /// Query of the rule.
    pub query: Arc<str>,
    /// The affected responses, by their letters on the screen; empty if it affects the whole
    /// sample.
    pub responses: Vec<ResponseId>,
}

impl QueueOrder {
    /// Seed of the shuffle, fixed so that the order is the same for all reviewers and in all runs.
    pub const SEED: u32 = 1;

    /// Returns the name shown on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Suspicion => "most suspicious first",
            Self::Random => "at random",
        }
    }

    /// Returns the sort term of a query.
    pub(super) fn sort(self) -> String {
        match self {
            Self::Suspicion => "sort:-suspicion".to_owned(),
            Self::Random => format!("sort:random({})", Self::SEED),
        }
    }

    /// Returns the query for all samples in this order.
    pub fn query(self) -> String {
        match self {
            Self::Suspicion => format!("findings>=1 {}", self.sort()),
            Self::Random => self.sort(),
        }
    }
}

impl ReportedFinding {
    /// Returns the description, preceded by the affected responses.
    pub fn words(&self) -> String {
        let letters: Vec<_> = self.responses.iter().map(|one| one.letter()).collect();
        if letters.is_empty() {
            self.sentence.to_string()
        } else {
            format!("{}: {}", letters.join(", "), self.sentence)
        }
    }
}

impl QueueStrip {
    /// True until the samples of the queue are shown.
    const fn is_awaited(&self, app: &App) -> bool {
        let progress = &app.filter.progress;
        progress.stale && progress.number == self.request
    }
}

impl App {
    /// Opens the queue of a filter, with the strip.
    pub(crate) fn open_queue(&mut self, text: &str, filter: ActiveFilter) {
        let order = if text == QueueOrder::Random.query() {
            QueueOrder::Random
        } else {
            QueueOrder::Suspicion
        };
        // A queue starts at its first sample.
        self.selection.to_top = true;
        self.views.open(View::Queue(QueueStrip {
            order,
            filter,
            request: self.filter.progress.number,
            warned_search: None,
        }));
    }

    pub(crate) fn act_in_queue(&mut self, action: Action, count: Option<usize>) {
        if let Action::Check(verdict) = action {
            // The sample on the screen is still that of the page before.
            if self
                .views
                .queue()
                .is_some_and(|strip| strip.is_awaited(self))
            {
                self.say(texts::NOT_SHOWN);
            } else if !self.warns_of_search() {
                self.check_in_queue(verdict);
            }
            return;
        }
        let is_leaving = matches!(action, Action::Cancel | Action::Back | Action::Findings);
        let is_nearer = count.is_some() || self.layout.zoomed || self.search.sought().is_some();
        if !is_leaving || (is_nearer && action != Action::Findings) {
            self.hand_over(ViewRequest::Act(action), count);
            return;
        }
        self.views.close(Mode::Queue);
        if !self.back_to_page() && action == Action::Findings {
            self.hand_over(ViewRequest::Act(Action::Findings), None);
        }
    }

    /// Warns, once for each search, that judgments during a search count in no queue, and returns
    /// true if it did: `n` goes to the next hit in other views, and must not record a judgment here
    /// by mistake.
    fn warns_of_search(&mut self) -> bool {
        let needle = self
            .search
            .sought()
            .map(|sought| Arc::clone(&sought.needle));
        let Some(strip) = self.views.queue_mut() else {
            return false;
        };
        let warns = needle.is_some() && needle != strip.warned_search;
        strip.warned_search = needle;
        if warns {
            let drop = self.key_or_name(Context::Read, Action::Cancel);
            self.say(texts::not_judged_during_search(drop));
        }
        warns
    }

    /// Records whether the dataset's verdict is right, and goes to the next unchecked sample of the
    /// queue.
    fn check_in_queue(&mut self, verdict: SpotCheckVerdict) {
        let (drawn, before) = (
            self.drawn(),
            (self.own_check(self.selection.selected)).map(|own| own.verdict),
        );
        if !self.check_sample(Some(verdict), drawn.clone()) {
            return;
        }
        self.select_open(&drawn);
        if let Some(before) = before.filter(|before| *before != verdict) {
            self.say(texts::check_changed(before.word(), verdict.word()));
        }
    }

    /// Goes on if the current sample of the queue turns out to be a duplicate of a judged one.
    pub(crate) fn go_on_past_duplicate(&mut self) {
        let queue = self.drawn();
        if self.views.mode() == Mode::Queue
            && queue != CheckDraw::Chosen
            && self.is_checked_in(self.selection.selected, &queue)
        {
            self.select_open(&queue);
        }
    }

    /// Returns the position to start at: in a queue the first unchecked sample.
    pub(crate) fn queue_start(&self) -> usize {
        match self.drawn() {
            CheckDraw::Chosen => 0,
            drawn => (self.first_open(0..self.shown().len(), &drawn)).unwrap_or(0),
        }
    }

    /// Returns how the sample on screen was drawn.
    fn drawn(&self) -> CheckDraw {
        let place = self.queue_rank().zip(self.views.queue());
        let Some(((rank, of), strip)) = place else {
            return CheckDraw::Chosen;
        };
        let Query { filter, sort } = (*strip.filter.query).clone();
        let spelled = |filter, sort| {
            Query { filter, sort }
                .spelled(&self.data.catalog)
                .to_string()
        };
        // A queue that was sorted differently before, or opened while blind, has no meaningful
        // order.
        let by = sort.into_iter().take(1).collect();
        if spelled(None, by) != strip.order.sort() {
            return CheckDraw::Chosen;
        }
        let filter = spelled(filter, Vec::new()).into();
        let (rank, of) = (rank as u64, of as u64);
        match strip.order {
            QueueOrder::Suspicion => CheckDraw::Suspicion { rank, of, filter },
            QueueOrder::Random => CheckDraw::Random {
                seed: u64::from(QueueOrder::SEED),
                rank,
                of,
                filter,
            },
        }
    }

    /// Returns the rank of the sample on screen in the queue, from 1, and the length of the queue;
    /// `None` if a search is active or other samples are shown, also until the queue is found.
    pub fn queue_rank(&self) -> Option<(usize, usize)> {
        let strip = self.views.queue()?;
        let is_queue = self.filter.active() == Some(&strip.filter)
            && !strip.is_awaited(self)
            && self.search.sought().is_none()
            && !self.shown().is_empty();
        is_queue.then(|| (self.selection.position + 1, self.shown().len()))
    }

    /// True if a line above the sample shows findings or review data.
    pub(crate) fn has_sentence(&self) -> bool {
        let finds = || {
            let visible = self.visible_findings();
            self.views.queue().is_none() && visible.is_some_and(|visible| !visible.is_empty())
        };
        let is_remarked = || {
            self.known_remark(self.selection.selected)
                .is_some_and(|remark| {
                    // The list shows a sign for marks.
                    let is_marked = remark.marked && !self.shows_list();
                    let has_words = !remark.tags.is_empty() || !remark.notes.is_empty();
                    is_marked || has_words || !remark.checks.is_empty()
                })
        };
        // On a low screen the texts need the row.
        let has_findings = self
            .page()
            .is_some_and(|page| page.sentences().next().is_some());
        let is_doubtful = self.data.dataset.doubts().is_some();
        is_doubtful || self.layout.size.1 >= 20 && (has_findings || finds() || is_remarked())
    }

    /// Selects the next unchecked sample of the queue, or the first skipped one.
    fn select_open(&mut self, queue: &CheckDraw) {
        let (here, all) = (self.selection.position, self.shown().len());
        let next = self.first_open(here + 1..all, queue);
        match next.or_else(|| self.first_open(0..here, queue)) {
            Some(next) => {
                self.select(next);
                if next < here {
                    self.say(texts::QUEUE_END);
                }
            }
            None => self.say(texts::QUEUE_DONE),
        }
    }

    /// Returns the first of these positions that is unchecked in this queue.
    fn first_open(&self, mut positions: Range<usize>, queue: &CheckDraw) -> Option<usize> {
        positions.find(|position| {
            self.shown()
                .sample(*position)
                .is_some_and(|sample| !self.is_checked_in(sample, queue))
        })
    }

    /// Returns the known findings of the sample on screen, worst first, without those hidden from a
    /// blind reviewer; `None` if not all rules were evaluated.
    pub fn visible_findings(&self) -> Option<Vec<ReportedFinding>> {
        let known = &self.data.findings;
        let sample = self.selection.selected;
        if sample >= known.complete() || self.shown().is_empty() {
            return None;
        }
        let rules = &self.data.catalog.rules().rules;
        let hides_labels = self.mask().hidden;
        let sample = sample as u32;
        let visible = known
            .of(sample..sample + 1)
            .iter()
            .filter(|found| found.weight > 0)
            .filter_map(|found| {
                let rule = rules.get(usize::from(found.rule))?;
                let is_visible = !(hides_labels && rule.reveals_labels);
                is_visible.then(|| self.reported_finding(rule, found.responses))
            });
        Some(visible.collect())
    }

    fn reported_finding(&self, rule: &FindingRule, responses: ResponseSet) -> ReportedFinding {
        let count = self.responses_of(self.selection.selected);
        let order = self.order();
        let mut about: Vec<_> = ResponseId::first(count)
            .filter(|shown| responses.has(order.of_file(*shown).index()))
            .collect();
        if about.len() == count {
            about.clear();
        }
        let definition = &rule.definition;
        ReportedFinding {
            severity: definition.severity,
            name: Arc::clone(&definition.name),
            sentence: Arc::clone(&definition.sentence),
            query: Arc::clone(&definition.query),
            responses: about,
        }
    }

    /// Returns the suspicion score of the sample on screen, if it is known and not hidden.
    pub fn suspicion(&self) -> Option<u32> {
        let (known, sample) = (&self.data.findings, self.selection.selected as u32);
        let is_known = self.selection.selected < known.complete() && !self.mask().hidden;
        let found = known.of(sample..sample.saturating_add(1));
        is_known.then(|| found.iter().map(|found| found.weight).sum())
    }
}

impl App {
    /// Returns the preferred height of the strip with its title, the same for all samples.
    pub(crate) fn queue_height(&self) -> u16 {
        match self.layout.size.1 {
            ..22 => 3,
            22..36 => 4,
            _ => 5,
        }
    }
}
