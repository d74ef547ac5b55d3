//! The strip of a queue: the findings of the sample on screen, and its position in the queue.

use std::ops::Range;
use std::sync::Arc;

use super::super::filtering::ActiveFilter;
use super::super::perform::ViewRequest;
use super::super::{Action, Browser, Context, Mode, Review, View, Views, texts};
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
    const fn is_awaited(&self, browser: &Browser) -> bool {
        let progress = &browser.filter.progress;
        progress.stale && progress.number == self.request
    }
}

impl Views {
    /// Opens the queue of a filter, with the strip.
    pub(crate) fn open_queue(&mut self, text: &str, filter: ActiveFilter, browser: &mut Browser) {
        let order = if text == QueueOrder::Random.query() {
            QueueOrder::Random
        } else {
            QueueOrder::Suspicion
        };
        // A queue starts at its first sample.
        browser.selection.to_top = true;
        self.open(View::Queue(QueueStrip {
            order,
            filter,
            request: browser.filter.progress.number,
            warned_search: None,
        }));
    }

    pub(crate) fn act_in_queue(
        &mut self,
        action: Action,
        count: Option<usize>,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        if let Action::Check(verdict) = action {
            // The sample on the screen is still that of the page before.
            if self.queue().is_some_and(|strip| strip.is_awaited(browser)) {
                browser.say(texts::NOT_SHOWN);
            } else if !self.warns_of_search(browser) {
                self.check_in_queue(verdict, browser, review);
            }
            return;
        }
        let is_leaving = matches!(action, Action::Cancel | Action::Back | Action::Findings);
        let is_nearer =
            count.is_some() || browser.layout.zoomed || browser.search.sought().is_some();
        if !is_leaving || (is_nearer && action != Action::Findings) {
            browser.hand_over(ViewRequest::Act(action), count);
            return;
        }
        self.close(Mode::Queue);
        if !self.back_to_page(browser) && action == Action::Findings {
            browser.hand_over(ViewRequest::Act(Action::Findings), None);
        }
    }

    /// Warns, once for each search, that judgments during a search count in no queue, and returns
    /// true if it did: `n` goes to the next hit in other views, and must not record a judgment here
    /// by mistake.
    fn warns_of_search(&mut self, browser: &mut Browser) -> bool {
        let needle = browser
            .search
            .sought()
            .map(|sought| Arc::clone(&sought.needle));
        let Some(strip) = self.queue_mut() else {
            return false;
        };
        let warns = needle.is_some() && needle != strip.warned_search;
        strip.warned_search = needle;
        if warns {
            let drop = browser.key_or_name(Context::Read, Action::Cancel);
            browser.say(texts::not_judged_during_search(drop));
        }
        warns
    }

    /// Records whether the dataset's verdict is right, and goes to the next unchecked sample of the
    /// queue.
    fn check_in_queue(
        &self,
        verdict: SpotCheckVerdict,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        let (drawn, before) = (
            self.drawn(browser),
            (review.own_check(browser.selection.selected)).map(|own| own.verdict),
        );
        if !review.check_sample(Some(verdict), drawn.clone(), browser, self) {
            return;
        }
        review.select_open(&drawn, browser);
        if let Some(before) = before.filter(|before| *before != verdict) {
            browser.say(texts::check_changed(before.word(), verdict.word()));
        }
    }

    /// Goes on if the current sample of the queue turns out to be a duplicate of a judged one.
    pub(crate) fn go_on_past_duplicate(&self, browser: &mut Browser, review: &Review) {
        let queue = self.drawn(browser);
        if self.mode() == Mode::Queue
            && queue != CheckDraw::Chosen
            && review.is_checked_in(browser.selection.selected, &queue)
        {
            review.select_open(&queue, browser);
        }
    }

    /// Returns the position to start at: in a queue the first unchecked sample.
    pub(crate) fn queue_start(&self, browser: &Browser, review: &Review) -> usize {
        match self.drawn(browser) {
            CheckDraw::Chosen => 0,
            drawn => (review.first_open(0..browser.shown().len(), &drawn, browser)).unwrap_or(0),
        }
    }

    /// Returns how the sample on screen was drawn.
    fn drawn(&self, browser: &Browser) -> CheckDraw {
        let place = self.queue_rank(browser).zip(self.queue());
        let Some(((rank, of), strip)) = place else {
            return CheckDraw::Chosen;
        };
        let Query { filter, sort } = (*strip.filter.query).clone();
        let spelled = |filter, sort| {
            Query { filter, sort }
                .spelled(&browser.data.catalog)
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
    pub fn queue_rank(&self, browser: &Browser) -> Option<(usize, usize)> {
        let strip = self.queue()?;
        let is_queue = browser.filter.active() == Some(&strip.filter)
            && !strip.is_awaited(browser)
            && browser.search.sought().is_none()
            && !browser.shown().is_empty();
        is_queue.then(|| (browser.selection.position + 1, browser.shown().len()))
    }

    /// True if a line above the sample shows findings or review data.
    pub(crate) fn has_sentence(&self, browser: &Browser, review: &Review) -> bool {
        let finds = || {
            let visible = review.visible_findings(browser);
            self.queue().is_none() && visible.is_some_and(|visible| !visible.is_empty())
        };
        let is_remarked = || {
            review
                .known_remark(browser.selection.selected, browser)
                .is_some_and(|remark| {
                    // The list shows a sign for marks.
                    let is_marked = remark.marked && browser.geometry().list.is_empty();
                    let has_words = !remark.tags.is_empty() || !remark.notes.is_empty();
                    is_marked || has_words || !remark.checks.is_empty()
                })
        };
        // On a low screen the texts need the row.
        let has_findings = browser
            .page()
            .is_some_and(|page| page.sentences().next().is_some());
        let is_doubtful = browser.data.dataset.doubts().is_some();
        is_doubtful || browser.layout.size.1 >= 20 && (has_findings || finds() || is_remarked())
    }
}

impl Review {
    /// Selects the next unchecked sample of the queue, or the first skipped one.
    fn select_open(&self, queue: &CheckDraw, browser: &mut Browser) {
        let (here, all) = (browser.selection.position, browser.shown().len());
        let next = self.first_open(here + 1..all, queue, browser);
        match next.or_else(|| self.first_open(0..here, queue, browser)) {
            Some(next) => {
                browser.select(next);
                if next < here {
                    browser.say(texts::QUEUE_END);
                }
            }
            None => browser.say(texts::QUEUE_DONE),
        }
    }

    /// Returns the first of these positions that is unchecked in this queue.
    fn first_open(
        &self,
        mut positions: Range<usize>,
        queue: &CheckDraw,
        browser: &Browser,
    ) -> Option<usize> {
        positions.find(|position| {
            browser
                .shown()
                .sample(*position)
                .is_some_and(|sample| !self.is_checked_in(sample, queue))
        })
    }

    /// Returns the known findings of the sample on screen, worst first, without those hidden from a
    /// blind reviewer; `None` if not all rules were evaluated.
    pub fn visible_findings(&self, browser: &Browser) -> Option<Vec<ReportedFinding>> {
        let known = browser.data.dataset.findings();
        let sample = browser.selection.selected;
        if sample >= known.complete() || browser.shown().is_empty() {
            return None;
        }
        let rules = &browser.data.catalog.rules().rules;
        let hides_labels = self.mask(browser).hidden;
        let sample = sample as u32;
        let visible = known
            .of(sample..sample + 1)
            .iter()
            .filter(|found| found.weight > 0)
            .filter_map(|found| {
                let rule = rules.get(usize::from(found.rule))?;
                let is_visible = !(hides_labels && rule.reveals_labels);
                is_visible.then(|| self.reported_finding(rule, found.responses, browser))
            });
        Some(visible.collect())
    }

    fn reported_finding(
        &self,
        rule: &FindingRule,
        responses: ResponseSet,
        browser: &Browser,
    ) -> ReportedFinding {
        let count = browser.responses_of(browser.selection.selected);
        let order = self.order(browser);
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
    pub fn suspicion(&self, browser: &Browser) -> Option<u32> {
        let (known, sample) = (
            browser.data.dataset.findings(),
            browser.selection.selected as u32,
        );
        let is_known = browser.selection.selected < known.complete() && !self.mask(browser).hidden;
        let found = known.of(sample..sample.saturating_add(1));
        is_known.then(|| found.iter().map(|found| found.weight).sum())
    }
}

impl Browser {
    /// Returns the preferred height of the strip with its title, the same for all samples.
    pub(crate) fn queue_height(&self) -> u16 {
        match self.layout.size.1 {
            ..22 => 3,
            22..36 => 4,
            _ => 5,
        }
    }
}
