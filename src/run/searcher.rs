//! Answers searches, here or on a thread, and has an index of the words made for them.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::driver::{EventSender, LoopEvent, PanicNotifier};
use crate::app::{App, Loading, Message, SearchJob, update};
use crate::jobs::{JobQueue, Throttle};
use crate::search::{self, Index};

/// Up to this many samples, a search that the index answers is answered before the next frame.
const INLINE_SAMPLES: usize = 100_000;
/// The most that an index takes where nobody says otherwise, in bytes, besides a quarter of the
/// text.
const MOST_MEMORY: u64 = 512 << 20;

/// An index that somebody makes; a search takes it as it is by then.
#[derive(Clone, Default)]
struct SharedIndex(Arc<Mutex<Index>>);

impl SharedIndex {
    fn so_far(&self) -> Index {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn show(&self, index: &Index) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = index.clone();
    }
}

/// Runs searches, and makes the index when first asked.
pub(super) struct Searcher {
    outbox: EventSender,
    searching: JobQueue,
    indexing: JobQueue,
    /// Bytes that the index may take; `None`: as many as seem right.
    memory: Option<u64>,
    /// The index of a generation of the dataset, as far as it is made.
    index: Option<(u64, SharedIndex)>,
    /// Where the making of the index stands still while somebody searches: both cores are the
    /// search's, and its answer is awaited.
    gate: Throttle,
    /// Number of the search that a thread is at work on, and since when.
    asked: Option<(u64, Instant)>,
}

impl Searcher {
    /// Somebody who searches with at most so many bytes of memory.
    pub(super) fn new(outbox: EventSender, memory: Option<u64>) -> Self {
        let (searching, indexing) = (JobQueue::new("searcher"), JobQueue::new("index"));
        Self {
            outbox,
            searching,
            indexing,
            memory,
            index: None,
            gate: Throttle::default(),
            asked: None,
        }
    }

    /// Its jobs.
    pub(super) fn jobs(&mut self) -> [&mut JobQueue; 2] {
        [&mut self.searching, &mut self.indexing]
    }

    /// Begins to make the index, where everything is loaded and none is made yet. It begins with
    /// the first search and not with the program: who never searches pays for no index.
    pub(super) fn prepare(&mut self, app: &App) {
        let generation = app.generation();
        let is_made = self
            .index
            .as_ref()
            .is_some_and(|(made, _)| *made == generation);
        if is_made || app.loading() != Loading::Done {
            return;
        }
        let text: u64 = app
            .dataset()
            .files()
            .iter()
            .map(|file| file.source.extent().len)
            .sum();
        let most = self.memory.unwrap_or((text / 4).min(MOST_MEMORY));
        let growing = SharedIndex::default();
        self.index = Some((generation, growing.clone()));
        let Some(most) = usize::try_from(most).ok().filter(|most| *most > 0) else {
            return;
        };
        let (dataset, outbox, gate) = (
            app.dataset().clone(),
            self.outbox.clone(),
            self.gate.clone(),
        );
        // Without a thread, and for what goes beyond the memory, the texts themselves are searched.
        let _ = self.indexing.start(move |token| {
            let _alarm = PanicNotifier(outbox);
            Index::default().extend(&dataset, most, &|| gate.pass(&token), &mut |index| {
                growing.show(index);
            });
        });
    }

    /// Answers a search, before this returns or piece by piece.
    pub(super) fn answer(&mut self, app: &mut App, ask: &SearchJob) {
        self.prepare(app);
        let index = self
            .index
            .as_ref()
            .filter(|(made, _)| *made == ask.generation)
            .map(|(_, index)| index.so_far());
        let candidates = ask.candidates(app.filtered(), app.dataset()).map(Arc::new);
        let count = candidates
            .as_ref()
            .map_or(app.dataset().samples(), |all| all.len());
        let is_known = index.as_ref().is_some_and(|index| {
            candidates.as_ref().map_or(app.dataset().samples(), |all| {
                all.last().map_or(0, |last| *last as usize + 1)
            }) <= index.samples()
        });
        let quick = count == 0
            || (is_known && count <= INLINE_SAMPLES && search::is_quick(&ask.sought.needle));
        if quick
            || self
                .answer_elsewhere(app, ask, index.clone(), candidates.clone())
                .is_err()
        {
            self.searching.cancel();
            self.asked = None;
            let _urgent = self.gate.urgent();
            let (mut told, candidates) =
                (Vec::new(), candidates.as_ref().map(|all| all.as_slice()));
            ask.answer(
                app.dataset(),
                index.as_ref(),
                candidates,
                &|| true,
                &mut |answer| {
                    told.push(answer);
                    ControlFlow::Continue(())
                },
            );
            for answer in told {
                update(app, Message::SearchBatch(answer));
            }
        }
    }

    fn answer_elsewhere(
        &mut self,
        app: &mut App,
        ask: &SearchJob,
        index: Option<Index>,
        candidates: Option<Arc<Vec<u32>>>,
    ) -> std::io::Result<()> {
        let (dataset, outbox, ask) = (app.dataset().clone(), self.outbox.clone(), ask.clone());
        let (number, urgent) = (ask.number, self.gate.urgent());
        self.searching.start(move |token| {
            let (_alarm, _urgent) = (PanicNotifier(outbox.clone()), urgent);
            let candidates = candidates.as_ref().map(|all| all.as_slice());
            ask.answer(
                &dataset,
                index.as_ref(),
                candidates,
                &|| token.wanted(),
                &mut |answer| {
                    let sent = token.wanted()
                        && outbox
                            .send(LoopEvent::Message(Message::SearchBatch(answer)))
                            .is_ok();
                    if sent {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                },
            );
        })?;
        // Of the same search, only the first wait counts.
        let since = self
            .asked
            .filter(|(asked, _)| *asked == number)
            .map_or_else(Instant::now, |(_, since)| since);
        self.asked = Some((number, since));
        update(app, Message::Searching(number));
        Ok(())
    }

    /// Stops what is no longer asked, or answered.
    pub(super) fn rest(&mut self, app: &App) {
        if !app.search().is_under_way() && self.asked.take().is_some() {
            self.searching.cancel();
        }
        // Of rows that are gone nothing need be known; of those that came meanwhile, what is
        // sought.
        self.index.take_if(|(made, _)| *made != app.generation());
        if app.search().sought().is_some() {
            self.prepare(app);
        }
    }

    /// The search that a thread is at work on, and since when, until that was said to take long.
    pub(super) fn asked(&self, app: &App) -> Option<(u64, Instant)> {
        self.asked
            .filter(|_| app.search().is_under_way() && app.search().progress().is_none())
    }
}
