//! The query in force, and how far it is answered.
//!
//! A query is put in force here and named by [`App::needs`]; `run` goes through the samples, in
//! this thread or another, and answers in pieces. Every query has a number, so that answers to one
//! that is no longer in force are dropped.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::result::Shown;
use super::searching::Arrival;
use super::{App, Loading};
use crate::dataset::Dataset;
use crate::query::{self, Query, QueryContext, QueryResult, Remarks};

/// A query with the text that says it.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveFilter {
    /// As typed, without blanks around it.
    pub text: String,
    /// What it says.
    pub query: Arc<Query>,
}

/// Samples to go through for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterJob {
    /// Number of the query.
    pub number: u64,
    /// Which loading of the dataset.
    pub generation: u64,
    /// What is asked.
    pub query: Arc<Query>,
    /// What reviewers have said by now.
    pub remarks: Arc<Remarks>,
    /// The samples that were not gone through yet; all of them where the answer is to be sorted.
    pub samples: Range<usize>,
}

/// A piece of the answer to an [`FilterJob`].
#[derive(Debug)]
pub struct FilterBatch {
    /// Number of the query.
    pub number: u64,
    /// Which loading of the dataset.
    pub generation: u64,
    /// What was found since the last piece; of a sorted answer, everything at its end and nothing
    /// before.
    pub found: QueryResult,
    /// Up to which sample it was looked.
    pub looked: usize,
    /// Whether everything that was asked is answered.
    pub done: bool,
}

/// How far the query in force is answered.
#[derive(Debug, Default)]
pub struct FilterState {
    active: Option<ActiveFilter>,
    /// Number of the query in force, growing by one with each.
    number: u64,
    /// Samples that were gone through.
    looked: usize,
    /// Whether somebody is going through samples.
    under_way: bool,
    /// Whether that takes so long that progress is worth showing.
    long: bool,
    /// Whether what is shown is still the answer to the query before.
    stale: bool,
}

impl FilterJob {
    /// Goes through the samples and tells what it finds; the last piece says that it is the last.
    /// Gives up when told to. Reads rows where the query needs them, so only `run` calls it, here
    /// or on a thread; what they say is kept in `learnt`.
    pub fn answer(
        &self,
        dataset: &Dataset,
        learnt: &query::ScanCache,
        tell: &mut dyn FnMut(FilterBatch) -> ControlFlow<()>,
    ) {
        let (number, generation) = (self.number, self.generation);
        let piece = |found, looked, done| FilterBatch {
            number,
            generation,
            found,
            looked,
            done,
        };
        let sorted = query::depends_on_all(&self.query);
        let mut all = QueryResult::default();
        let mut given_up = false;
        let known = QueryContext {
            memory: learnt,
            remarks: &self.remarks,
        };
        query::find(
            &self.query,
            dataset,
            self.samples.clone(),
            known,
            &mut |mut found, looked| {
                if sorted {
                    all.extend(&std::mem::take(&mut found));
                }
                let on = tell(piece(found, looked, false));
                given_up = on.is_break();
                on
            },
        );
        if given_up {
            return;
        }
        if sorted {
            query::sort(&self.query, dataset, &mut all);
        }
        // Whether anybody still listens makes no difference to the last piece.
        let _ = tell(piece(all, self.samples.end, true));
    }
}

impl FilterState {
    /// The query in force.
    pub fn in_force(&self) -> Option<&ActiveFilter> {
        self.active.as_ref()
    }

    /// Number of the query in force, growing by one with each.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Samples that were gone through.
    pub fn looked(&self) -> usize {
        self.looked
    }

    /// Whether somebody is going through samples.
    pub fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Samples that were gone through, where going through all of them takes long.
    pub fn progress(&self) -> Option<usize> {
        (self.under_way && self.long).then_some(self.looked)
    }

    /// Whether the answer is one piece, made anew when samples come: it is in order, or samples
    /// depend on each other.
    fn is_sorted(&self) -> bool {
        self.active
            .as_ref()
            .is_some_and(|one| query::depends_on_all(&one.query))
    }

    /// Begins anew.
    fn restart(&mut self) {
        self.number += 1;
        (self.looked, self.under_way, self.long, self.stale) = (0, false, false, true);
    }
}

impl App {
    /// The query in force, and how far it is answered.
    pub fn inquiry(&self) -> &FilterState {
        &self.filter
    }

    /// Position of the selected sample among those shown, from 0.
    pub fn position(&self) -> usize {
        self.selection.position
    }

    /// What is to be asked, if anything.
    pub(super) fn ask(&self) -> Option<FilterJob> {
        let inquiry = &self.filter;
        let query = Arc::clone(&inquiry.active.as_ref()?.query);
        let samples = self.data.dataset.samples();
        // While rows arrive, a sorted answer is made anew each time their number has doubled: not
        // with each chunk.
        let worth_it = !inquiry.is_sorted()
            || self.data.loading == Loading::Done
            || samples >= 2 * inquiry.looked;
        if inquiry.under_way || inquiry.looked >= samples || !worth_it {
            return None;
        }
        let from = if inquiry.is_sorted() {
            0
        } else {
            inquiry.looked
        };
        let (number, generation, remarks) = (
            inquiry.number,
            self.data.generation,
            Arc::clone(&self.review.remarks),
        );
        Some(FilterJob {
            number,
            generation,
            query,
            remarks,
            samples: from..samples,
        })
    }

    /// Puts a query in force, or none; the sample that was selected stays so if it survives.
    pub(super) fn set_filter(&mut self, query: Option<ActiveFilter>) {
        // Who judges blind must not ask what is hidden.
        if let Some(reason) = query.as_ref().and_then(|one| self.withheld(&one.query)) {
            self.status.notice = Some(format!("{reason}."));
            return;
        }
        self.set_filter_while_blind(query);
    }

    /// Sets the filter without the blind check; used while an audit is sampled.
    pub(super) fn set_filter_while_blind(&mut self, query: Option<ActiveFilter>) {
        let order =
            |one: Option<&ActiveFilter>| one.map(|one| one.query.sort.clone()).unwrap_or_default();
        let (old, new) = (order(self.filter.active.as_ref()), order(query.as_ref()));
        // Whoever sorts wants to see what comes first.
        self.selection.to_top = (self.selection.to_top || old != new) && !new.is_empty();
        let same = match (&self.filter.active, &query) {
            (Some(old), Some(new)) => old.query == new.query,
            (None, None) => true,
            _ => false,
        };
        self.filter.active = query;
        if same {
            return;
        }
        self.selection.drop_anchor();
        self.filter.restart();
        if self.filter.active.is_none() {
            self.show_all();
        }
    }

    /// Puts in force what is made of the query in force.
    pub(super) fn change_query(&mut self, change: impl FnOnce(&Query) -> Query) {
        let before = self
            .filter
            .in_force()
            .map(|one| Arc::clone(&one.query))
            .unwrap_or_default();
        let query = change(&before);
        let in_force = (query != Query::default()).then(|| ActiveFilter {
            text: query.spelled(&self.data.catalog).to_string(),
            query: Arc::new(query),
        });
        self.set_filter(in_force);
        self.release_anchor();
    }

    /// Asks again because what reviewers said is another; what was shown stays until there is an
    /// answer.
    pub(super) fn refilter(&mut self) {
        self.selection.drop_anchor();
        self.filter.restart();
    }

    /// Shows all samples, also those that came in the meantime, where no query is in force.
    pub(super) fn show_all(&mut self) {
        if self.filter.active.is_none() {
            let grown = matches!(&self.selection.filtered, Shown::All(_));
            self.selection.filtered = Shown::All(self.data.dataset.samples());
            if !grown {
                self.search_again();
            }
            self.reselect();
        }
    }

    /// Everything is to be asked again, of another dataset; until then nothing is shown.
    pub(super) fn ask_again(&mut self) {
        self.filter.restart();
        self.selection.filtered = Shown::Some {
            found: QueryResult::default(),
            sorted: false,
        };
        self.show_all();
        self.search_anew();
    }

    /// Somebody goes through samples for the query of this number.
    pub(super) fn note_asking(&mut self, number: u64) {
        self.filter.under_way |= number == self.filter.number;
    }

    /// Going through samples for the query of this number takes long.
    pub(super) fn note_still_asking(&mut self, number: u64) {
        if number != self.filter.number {
            return;
        }
        self.filter.long = true;
        if self.filter.stale {
            // What was found before would pass for the answer.
            self.selection.filtered = Shown::Some {
                found: QueryResult::default(),
                sorted: false,
            };
            self.filter.stale = false;
            self.search_again();
            self.reselect();
        }
    }

    pub(super) fn take_answer(&mut self, mut answer: FilterBatch) {
        if (answer.number, answer.generation) != (self.filter.number, self.data.generation) {
            return;
        }
        if self.is_blind() {
            answer.found.retain(|sample| self.may_be_found(sample));
        }
        let sorted = self.filter.is_sorted();
        let inquiry = &mut self.filter;
        inquiry.looked = answer.looked;
        if answer.done {
            (inquiry.under_way, inquiry.long) = (false, false);
        }
        // What was shown before stays until there is something to show in its place.
        let nothing_new = answer.found.samples.is_empty() && !answer.done;
        if nothing_new || (sorted && !answer.done) {
            return;
        }
        let replaced =
            sorted || inquiry.stale || !matches!(self.selection.filtered, Shown::Some { .. });
        match &mut self.selection.filtered {
            Shown::Some { found, .. } if !sorted && !inquiry.stale => {
                found.extend(&answer.found);
            }
            shown => {
                *shown = Shown::Some {
                    found: answer.found,
                    sorted,
                }
            }
        }
        inquiry.stale = false;
        if replaced {
            self.search_again();
        }
        self.reselect();
    }

    /// Selects the sample that is wanted, or the nearest to it, among those shown now.
    pub(super) fn reselect(&mut self) {
        let wanted = self.selection.wanted();
        let last = self.shown().len().checked_sub(1);
        let position = match last {
            Some(_) if self.search.leads() => Some(0),
            last if self.selection.following => last,
            Some(_) if self.selection.to_top => Some(0),
            // An audit shows a sample twice.
            _ if self.shown().sample(self.selection.position) == Some(wanted) => {
                Some(self.selection.position)
            }
            _ => self.shown().nearest(wanted),
        };
        self.selection.position = position.unwrap_or(0);
        // Without any, the sample from before is remembered.
        self.selection.selected = self
            .shown()
            .sample(self.selection.position)
            .unwrap_or(self.selection.selected);
        if last.is_none() {
            // No page will come to go on from.
            self.search.ahead = 0;
        }
        if self.search.leads() {
            self.search.arrival = Some(Arrival::InSight);
            // They may have been found while somebody searched.
            if self.knows_hits() {
                self.arrive();
            }
        }
        self.selection.following &= self.is_growing();
        self.selection.to_top &= self.is_growing() || self.views.line().is_some();
        self.release_anchor();
        self.follow();
    }

    /// Whether more samples may come to be shown by themselves.
    fn is_growing(&self) -> bool {
        self.data.loading != Loading::Done || self.is_working()
    }

    /// Whether the filter or the search in force is not answered yet.
    pub(super) fn is_working(&self) -> bool {
        let asked = self.ask().is_some() || self.search_ask().is_some();
        asked || self.filter.under_way || self.search.is_under_way()
    }

    /// Forgets which sample was selected before, once nothing can bring it back.
    pub(super) fn release_anchor(&mut self) {
        if self.views.line().is_none() && !self.is_working() {
            (self.selection.anchor, self.search.leading) = (None, false);
        }
    }
}
