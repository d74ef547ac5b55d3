//! Answers searches, here or on a thread, and has an index of the words made for them.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::driver::{Alarm, Outbox, Wake};
use crate::app::{App, Loading, Message, SearchAsk, update};
use crate::search::{self, Index};
use crate::worker::Slot;

/// Up to this many samples, a search that the index answers is answered before the next frame.
const INLINE_SAMPLES: usize = 100_000;
/// The most that an index takes where nobody says otherwise, in bytes, besides a quarter of the text.
const MOST_MEMORY: u64 = 512 << 20;

/// See the module.
pub(super) struct Searcher {
    outbox: Outbox,
    searching: Slot,
    indexing: Slot,
    /// Bytes that the index may take; `None`: as many as seem right.
    memory: Option<u64>,
    /// The index of a generation of the dataset, once it is made.
    index: Option<(u64, Arc<OnceLock<Index>>)>,
    /// Number of the search that a thread is at work on, and since when.
    asked: Option<(u64, Instant)>,
}

impl Searcher {
    /// Somebody who searches with at most so many bytes of memory.
    pub(super) fn new(outbox: Outbox, memory: Option<u64>) -> Self {
        let (searching, indexing) = (Slot::default(), Slot::default());
        Self { outbox, searching, indexing, memory, index: None, asked: None }
    }

    /// Begins to make the index, where everything is loaded and none is made yet. It begins with the first search and not with the
    /// program: who never searches pays for no index.
    pub(super) fn prepare(&mut self, app: &App) {
        let generation = app.generation();
        let is_made = self.index.as_ref().is_some_and(|(made, _)| *made == generation);
        if is_made || app.loading() != Loading::Done {
            return;
        }
        let text: u64 = app.dataset().files().iter().map(|file| file.source.extent().len).sum();
        let most = self.memory.unwrap_or((text / 4).min(MOST_MEMORY));
        let place = Arc::new(OnceLock::new());
        self.index = Some((generation, Arc::clone(&place)));
        let Some(most) = usize::try_from(most).ok().filter(|most| *most > 0) else { return };
        let (dataset, outbox) = (app.dataset().clone(), self.outbox.clone());
        // Without a thread, and for what goes beyond the memory, the texts themselves are searched.
        let _ = self.indexing.start("index", move |ticket| {
            let _alarm = Alarm(outbox);
            let mut index = Index::default();
            index.extend(&dataset, most, &|| ticket.wanted());
            if ticket.wanted() {
                // Nobody else writes into this place.
                let _ = place.set(index);
            }
        });
    }

    /// Answers a search, before this returns or piece by piece.
    pub(super) fn answer(&mut self, app: &mut App, ask: &SearchAsk) {
        self.prepare(app);
        let index = self.index.as_ref().filter(|(made, _)| *made == ask.generation).map(|(_, index)| Arc::clone(index));
        let candidates = ask.candidates(app.filtered(), app.dataset()).map(Arc::new);
        let count = candidates.as_ref().map_or(app.dataset().samples(), |all| all.len());
        let is_known = index.as_ref().and_then(|index| index.get()).is_some_and(|index| {
            candidates.as_ref().map_or(app.dataset().samples(), |all| all.last().map_or(0, |last| *last as usize + 1))
                <= index.samples()
        });
        let quick = count == 0 || (is_known && count <= INLINE_SAMPLES && search::is_quick(&ask.sought.needle));
        if quick || self.answer_elsewhere(app, ask, index.clone(), candidates.clone()).is_err() {
            self.searching.cancel();
            self.asked = None;
            let mut told = Vec::new();
            let index = index.as_ref().and_then(|index| index.get());
            ask.answer(app.dataset(), index, candidates.as_ref().map(|all| all.as_slice()), &mut |answer| {
                told.push(answer);
                ControlFlow::Continue(())
            });
            for answer in told {
                update(app, Message::Hits(answer));
            }
        }
    }

    fn answer_elsewhere(
        &mut self,
        app: &mut App,
        ask: &SearchAsk,
        index: Option<Arc<OnceLock<Index>>>,
        candidates: Option<Arc<Vec<u32>>>,
    ) -> std::io::Result<()> {
        let (dataset, outbox, ask) = (app.dataset().clone(), self.outbox.clone(), ask.clone());
        let number = ask.number;
        self.searching.start("searcher", move |ticket| {
            let _alarm = Alarm(outbox.clone());
            let index = index.as_ref().and_then(|index| index.get());
            ask.answer(&dataset, index, candidates.as_ref().map(|all| all.as_slice()), &mut |answer| {
                let sent = ticket.wanted() && outbox.send(Wake::Message(Message::Hits(answer))).is_ok();
                if sent { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        })?;
        // Of the same search, only the first wait counts.
        let since = self.asked.filter(|(asked, _)| *asked == number).map_or_else(Instant::now, |(_, since)| since);
        self.asked = Some((number, since));
        update(app, Message::Searching(number));
        Ok(())
    }

    /// Stops what is no longer asked, or answered.
    pub(super) fn rest(&mut self, app: &App) {
        if !app.search().is_under_way() && self.asked.take().is_some() {
            self.searching.cancel();
        }
        // Of rows that are gone nothing need be known; of those that came meanwhile, what is sought.
        self.index.take_if(|(made, _)| *made != app.generation());
        if app.search().sought().is_some() {
            self.prepare(app);
        }
    }

    /// The search that a thread is at work on, and since when, until that was said to take long.
    pub(super) fn asked(&self, app: &App) -> Option<(u64, Instant)> {
        self.asked.filter(|_| app.search().is_under_way() && app.search().progress().is_none())
    }
}
