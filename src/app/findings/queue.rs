//! The strip of a queue: what is suspicious in the sample on screen, and where in the queue it
//! stands.

use std::ops::Range;
use std::sync::Arc;

use super::super::filtering::ActiveFilter;
use super::super::perform::ViewRequest;
use super::super::{Action, Browser, Context, Mode, Review, View, Views};
use crate::journal::CheckDraw;
use crate::model::{ResponseId, ResponseSet, SpotCheckVerdict};
use crate::query::{FindingRule, Query, Severity};
use crate::search::Needle;

/// The strip of a queue, open.
#[derive(Debug, Clone)]
pub struct QueueStrip {
    /// In which order it goes.
    pub order: QueueOrder,
    /// The filter that shows the queue.
    filter: ActiveFilter,
    /// The search of which it was said that a judgment counts in no queue while it is in force.
    told_of_search: Option<Arc<Needle>>,
}

/// In which order a queue is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueOrder {
    /// The most suspicious first.
    Suspicion,
    /// Shuffled, always alike.
    Random,
}

/// A finding of the sample on screen, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedFinding {
    /// How bad it is.
    pub severity: Severity,
    /// The rule.
    pub name: Arc<str>,
    /// What is wrong, without a full stop.
    pub sentence: Arc<str>,
    /// What fired the rule.
    pub query: Arc<str>,
    /// The responses that it speaks of, by their letters on the screen; none where it speaks of the
    /// sample.
    pub responses: Vec<ResponseId>,
}

impl QueueOrder {
    /// Number of the shuffle, so that it is the same for everybody and the next time.
    pub const SEED: u32 = 1;

    /// What a row of the page calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Suspicion => "most suspicious first",
            Self::Random => "at random",
        }
    }

    /// The order, as a query spells it.
    pub(super) fn sort(self) -> String {
        match self {
            Self::Suspicion => "sort:-suspicion".to_owned(),
            Self::Random => format!("sort:random({})", Self::SEED),
        }
    }

    /// The query that shows all samples of it.
    pub fn query(self) -> String {
        match self {
            Self::Suspicion => format!("findings>=1 {}", self.sort()),
            Self::Random => self.sort(),
        }
    }
}

impl ReportedFinding {
    /// What is wrong, led by the responses that it is about.
    pub fn words(&self) -> String {
        let letters: Vec<_> = self.responses.iter().map(|one| one.letter()).collect();
        match letters.is_empty() {
            true => self.sentence.to_string(),
            false => format!("{}: {}", letters.join(", "), self.sentence),
        }
    }
}

impl Views {
    /// Shows the queue that a filter leads to, with the strip.
    pub(crate) fn open_queue(&mut self, text: &str, filter: ActiveFilter, browser: &mut Browser) {
        let order = match text == QueueOrder::Random.query() {
            true => QueueOrder::Random,
            false => QueueOrder::Suspicion,
        };
        // A queue begins with its first sample.
        browser.selection.to_top = true;
        self.open(View::Queue(QueueStrip {
            order,
            filter,
            told_of_search: None,
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
            if !self.tells_of_search(browser) {
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

    /// Says, once a search, that a judgment counts in no queue while one is in force: whoever looks for
    /// the next hit by a habit of other views has not judged anything.
    fn tells_of_search(&mut self, browser: &mut Browser) -> bool {
        let needle = browser
            .search
            .sought()
            .map(|sought| Arc::clone(&sought.needle));
        let Some(strip) = self.queue_mut() else {
            return false;
        };
        let tells = needle.is_some() && needle != strip.told_of_search;
        strip.told_of_search = needle;
        if tells {
            let drop = browser.key_or_name(Context::Read, Action::Cancel);
            browser.say(format!(
                "Not judged: a search is on ({drop} drops it). Again judges, for no queue."
            ));
        }
        tells
    }

    /// Records what the reviewer says of what the dataset says of the sample, and goes on to the next
    /// of the queue of which nothing is said.
    fn check_in_queue(
        &self,
        verdict: SpotCheckVerdict,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        let (drawn, before) = (
            self.drawn(browser),
            browser.own_check(browser.selection.selected),
        );
        if !review.check_sample(Some(verdict), drawn.clone(), browser, self) {
            return;
        }
        review.select_open(&drawn, browser);
        if let Some(before) = before.filter(|before| *before != verdict) {
            let (was, is) = (before.word(), verdict.word());
            let words = format!("You said {was} of this before: it is {is} now.");
            browser.say(words);
        }
    }

    /// Goes on where the sample that came up in the queue is judged by now: it says the same as one
    /// that was, which was not known when it came up.
    pub(crate) fn go_on_past_duplicate(&self, browser: &mut Browser, review: &Review) {
        let queue = self.drawn(browser);
        if self.mode() == Mode::Queue
            && queue != CheckDraw::Chosen
            && review.is_checked_in(browser.selection.selected, &queue)
        {
            review.select_open(&queue, browser);
        }
    }

    /// The position at which what is shown begins for a reader: in a queue the first of which nothing
    /// was said in it.
    pub(crate) fn queue_start(&self, browser: &Browser, review: &Review) -> usize {
        match self.drawn(browser) {
            CheckDraw::Chosen => 0,
            drawn => (review.first_open(0..browser.shown().len(), &drawn, browser)).unwrap_or(0),
        }
    }

    /// How the sample on screen came there.
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
        // What was sorted by something else before, or opened while one judged blind, is in no order
        // that anything can be told from.
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

    /// Of how many samples the reviewer has said in this queue whether they are right, and of how
    /// many that they are wrong. What was said elsewhere, of the most suspicious say, does not count
    /// here: a share of those at random must leave nobody out.
    pub fn queue_judged(&self, browser: &Browser, review: &Review) -> (usize, usize) {
        let drawn = self.drawn(browser);
        let said = review.own_checks_in(&drawn, browser);
        said.fold((0, 0), |(judged, wrong), verdict| {
            let is_wrong = verdict == SpotCheckVerdict::Wrong;
            (judged + 1, wrong + usize::from(is_wrong))
        })
    }

    /// Rank of the sample on screen in the strip's queue, from 1, and the length of the queue;
    /// `None` where something else is shown than the queue, or what a search found in it.
    pub fn queue_rank(&self, browser: &Browser) -> Option<(usize, usize)> {
        let strip = self.queue()?;
        let is_queue = browser.filter.active() == Some(&strip.filter)
            && browser.search.sought().is_none()
            && !browser.shown().is_empty();
        is_queue.then(|| (browser.selection.position + 1, browser.shown().len()))
    }

    /// Whether a line above the sample says what is suspicious in it, or what reviewers said of it.
    pub(crate) fn has_sentence(&self, browser: &Browser, review: &Review) -> bool {
        let finds = || {
            let told = review.told_findings(browser);
            self.queue().is_none() && told.is_some_and(|told| !told.is_empty())
        };
        let is_remarked = || {
            let remark = review.known_remark(browser.selection.selected, browser);
            remark.is_some_and(|remark| {
                // The list has a sign for a mark.
                let is_marked = remark.marked && browser.geometry().list.is_empty();
                let has_words = !remark.tags.is_empty() || !remark.notes.is_empty();
                is_marked || has_words || !remark.checks.is_empty()
            })
        };
        // On a low screen the texts need its row.
        let has_findings = browser
            .page()
            .is_some_and(|page| page.sentences().next().is_some());
        browser.layout.size.1 >= 20 && (has_findings || finds() || is_remarked())
    }
}

impl Review {
    /// Selects the next unchecked sample of the queue, or the first one that was skipped.
    fn select_open(&self, queue: &CheckDraw, browser: &mut Browser) {
        let (here, all) = (browser.selection.position, browser.shown().len());
        let next = self.first_open(here + 1..all, queue, browser);
        match next.or_else(|| self.first_open(0..here, queue, browser)) {
            Some(next) => {
                browser.select(next);
                if next < here {
                    browser.say("The end of the queue: back to what was left out.");
                }
            }
            None => browser.say("All of the queue is judged."),
        }
    }

    /// The first of these positions at which nothing was said in this queue.
    fn first_open(
        &self,
        mut positions: Range<usize>,
        queue: &CheckDraw,
        browser: &Browser,
    ) -> Option<usize> {
        positions.find(|position| {
            let sample = browser.shown().sample(*position);
            sample.is_some_and(|sample| !self.is_checked_in(sample, queue))
        })
    }

    /// What is known to be suspicious in the sample on screen, the worst first, as far as it may be
    /// told; `None` where nobody has looked for all that there can be.
    pub fn told_findings(&self, browser: &Browser) -> Option<Vec<ReportedFinding>> {
        let known = browser.data.dataset.findings();
        let sample = browser.selection.selected;
        if sample >= known.complete() || browser.shown().is_empty() {
            return None;
        }
        let rules = &browser.data.catalog.rules().rules;
        let hides_labels = self.mask(browser).hidden;
        let sample = sample as u32;
        let told = known.of(sample..sample + 1).iter();
        let told = told.filter(|found| found.weight > 0).filter_map(|found| {
            let rule = rules.get(usize::from(found.rule))?;
            let may_be_told = !(hides_labels && rule.reveals_labels);
            may_be_told.then(|| self.finding_told(rule, found.responses, browser))
        });
        Some(told.collect())
    }

    fn finding_told(
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

    /// How suspicious the sample on screen is, where that is known and may be told.
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
    /// Rows that the strip wants at the bottom, its title included: the same for every sample.
    pub(crate) fn queue_height(&self) -> u16 {
        match self.layout.size.1 {
            ..22 => 3,
            22..36 => 4,
            _ => 5,
        }
    }
}
