//! The strip of a queue: what is suspicious in the sample on screen, and where in the queue it
//! stands.

use std::ops::Range;
use std::sync::Arc;

use super::super::filtering::ActiveFilter;
use super::super::status::HandOver;
use super::super::{Action, App, Context, Mode, View};
use crate::journal::CheckDraw;
use crate::model::{ResponseId, SpotCheckVerdict};
use crate::query::{FindingRule, Query, Severity};
use crate::search::Needle;

/// The strip of a queue, open.
#[derive(Debug, Clone)]
pub struct QueueStrip {
    order: QueueOrder,
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
pub struct ToldFinding {
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

impl QueueStrip {
    /// In which order it goes.
    pub fn order(&self) -> QueueOrder {
        self.order
    }
}

impl ToldFinding {
    /// What is wrong, led by the responses that it is about.
    pub fn words(&self) -> String {
        let letters: Vec<_> = self.responses.iter().map(|one| one.letter()).collect();
        match letters.is_empty() {
            true => self.sentence.to_string(),
            false => format!("{}: {}", letters.join(", "), self.sentence),
        }
    }
}

impl App {
    /// Shows the queue that a filter leads to, with the strip.
    pub(in crate::app) fn open_queue(&mut self, text: &str, filter: ActiveFilter) {
        let order = match text == QueueOrder::Random.query() {
            true => QueueOrder::Random,
            false => QueueOrder::Suspicion,
        };
        // A queue begins with its first sample.
        self.selection.to_top = true;
        self.views.open(View::Queue(QueueStrip {
            order,
            filter,
            told_of_search: None,
        }));
    }

    pub(in crate::app) fn act_in_queue(&mut self, action: Action, count: Option<usize>) {
        if let Action::Check(verdict) = action {
            if !self.tells_of_search() {
                self.check_in_queue(verdict);
            }
            return;
        }
        let is_leaving = matches!(action, Action::Cancel | Action::Back | Action::Findings);
        let is_nearer = count.is_some() || self.layout.zoomed || self.search.sought().is_some();
        if !is_leaving || (is_nearer && action != Action::Findings) {
            self.status.handed_over = Some(HandOver::Read(action, count));
            return;
        }
        self.views.close(Mode::Queue);
        if !self.back_to_page() && action == Action::Findings {
            self.status.handed_over = Some(HandOver::Read(Action::Findings, None));
        }
    }

    /// Says, once a search, that a judgment counts in no queue while one is in force: whoever looks for
    /// the next hit by a habit of other views has not judged anything.
    fn tells_of_search(&mut self) -> bool {
        let needle = self
            .search
            .sought()
            .map(|sought| Arc::clone(&sought.needle));
        let Some(strip) = self.views.queue_mut() else {
            return false;
        };
        let tells = needle.is_some() && needle != strip.told_of_search;
        strip.told_of_search = needle;
        if tells {
            let drop = self.key_or_name(Context::Read, Action::Cancel);
            self.status.notice = Some(format!(
                "Not judged: a search is on ({drop} drops it). Again judges, for no queue."
            ));
        }
        tells
    }

    /// Records what the reviewer says of what the dataset says of the sample, and goes on to the next
    /// of the queue of which nothing is said.
    fn check_in_queue(&mut self, verdict: SpotCheckVerdict) {
        let (drawn, before) = (self.drawn(), self.own_check(self.selection.selected));
        if !self.check_sample(Some(verdict), drawn.clone()) {
            return;
        }
        self.select_open(&drawn);
        if let Some(before) = before.filter(|before| *before != verdict) {
            let (was, is) = (before.word(), verdict.word());
            let words = format!("You said {was} of this before: it is {is} now.");
            self.status.notice = Some(words);
        }
    }

    /// Selects the next of the queue of which nothing is said, or the first that was left out.
    fn select_open(&mut self, queue: &CheckDraw) {
        let (here, all) = (self.selection.position, self.shown().len());
        let next = self.first_open(here + 1..all, queue);
        match next.or_else(|| self.first_open(0..here, queue)) {
            Some(next) => {
                self.select(next);
                if next < here {
                    self.status.notice =
                        Some("The end of the queue: back to what was left out.".to_owned());
                }
            }
            None => self.status.notice = Some("All of the queue is judged.".to_owned()),
        }
    }

    /// Goes on where the sample that came up in the queue is judged by now: it says the same as one
    /// that was, which was not known when it came up.
    pub(in crate::app) fn go_on_past_duplicate(&mut self) {
        let queue = self.drawn();
        if self.views.mode() == Mode::Queue
            && queue != CheckDraw::Chosen
            && self.is_checked_in(self.selection.selected, &queue)
        {
            self.select_open(&queue);
        }
    }

    /// The position at which what is shown begins for a reader: in a queue the first of which nothing
    /// was said in it.
    pub(in crate::app) fn queue_start(&self) -> usize {
        match self.drawn() {
            CheckDraw::Chosen => 0,
            drawn => (self.first_open(0..self.shown().len(), &drawn)).unwrap_or(0),
        }
    }

    /// The first of these positions at which nothing was said in this queue.
    fn first_open(&self, mut positions: Range<usize>, queue: &CheckDraw) -> Option<usize> {
        positions.find(|position| {
            let sample = self.shown().sample(*position);
            sample.is_some_and(|sample| !self.is_checked_in(sample, queue))
        })
    }

    /// How the sample on screen came there.
    fn drawn(&self) -> CheckDraw {
        let place = self.queue_rank().zip(self.views.queue());
        let Some(((rank, of), strip)) = place else {
            return CheckDraw::Chosen;
        };
        let Query { filter, sort } = (*strip.filter.query).clone();
        let spelled = |filter, sort| Query { filter, sort }.spelled(self.catalog()).to_string();
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
    pub fn queue_judged(&self) -> (usize, usize) {
        let drawn = self.drawn();
        let said = self.own_checks_in(&drawn);
        said.fold((0, 0), |(judged, wrong), verdict| {
            let is_wrong = verdict == SpotCheckVerdict::Wrong;
            (judged + 1, wrong + usize::from(is_wrong))
        })
    }

    /// Rows that the strip wants at the bottom, its title included: the same for every sample.
    pub(in crate::app) fn queue_height(&self) -> u16 {
        match self.layout.size.1 {
            ..22 => 3,
            22..36 => 4,
            _ => 5,
        }
    }

    /// Where in the queue of the strip the sample on screen stands, from 1, and how many there are;
    /// `None` where something else is shown than the queue, or what a search found in it.
    pub fn queue_rank(&self) -> Option<(usize, usize)> {
        let strip = self.views.queue()?;
        let is_queue = self.filter.in_force() == Some(&strip.filter)
            && self.search.sought().is_none()
            && !self.shown().is_empty();
        is_queue.then(|| (self.selection.position + 1, self.shown().len()))
    }

    /// What is known to be suspicious in the sample on screen, the worst first, as far as it may be
    /// told; `None` where nobody has looked for all that there can be.
    pub fn told_findings(&self) -> Option<Vec<ToldFinding>> {
        let known = self.data.dataset.findings();
        let sample = self.selection.selected;
        if sample >= known.complete() || self.shown().is_empty() {
            return None;
        }
        let rules = &self.catalog().rules().rules;
        let hides_labels = self.mask().hidden;
        let sample = sample as u32;
        let told = known.of(sample..sample + 1).iter().filter_map(|found| {
            let rule = rules.get(usize::from(found.rule))?;
            let may_be_told = !(hides_labels && rule.reveals_labels);
            may_be_told.then(|| self.finding_told(rule, found.responses))
        });
        Some(told.collect())
    }

    fn finding_told(&self, rule: &FindingRule, responses: u32) -> ToldFinding {
        let count = self.responses_of(self.selection.selected);
        let order = self.order();
        let mut about: Vec<_> = ResponseId::first(count)
            .filter(|shown| responses >> order.of_file(*shown).index() & 1 == 1)
            .collect();
        if about.len() == count {
            about.clear();
        }
        let definition = &rule.definition;
        ToldFinding {
            severity: definition.severity,
            name: Arc::clone(&definition.name),
            sentence: Arc::clone(&definition.sentence),
            query: Arc::clone(&definition.query),
            responses: about,
        }
    }

    /// How suspicious the sample on screen is, where that is known and may be told.
    pub fn suspicion(&self) -> Option<u32> {
        let (known, sample) = (self.data.dataset.findings(), self.selection.selected as u32);
        let is_known = self.selection.selected < known.complete() && !self.mask().hidden;
        let found = known.of(sample..sample.saturating_add(1));
        is_known.then(|| found.iter().map(|found| found.weight).sum())
    }

    /// Whether a line above the sample says what is suspicious in it.
    pub(in crate::app) fn has_sentence(&self) -> bool {
        // On a low screen the texts need its row, and the strip says it too.
        self.layout.size.1 >= 20
            && self.views.queue().is_none()
            && self.told_findings().is_some_and(|told| !told.is_empty())
    }
}
