//! Queries: answered before the next frame where columns alone tell quickly, and on a thread
//! otherwise.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::{Driver, LoopEvent, PanicNotifier};
use crate::app::{FilterJob, Message, update};
use crate::query;

/// Up to this many samples, what columns alone can answer is answered before the next frame: some
/// milliseconds.
const INLINE_SAMPLES: usize = 1_000_000;
/// Up to this many samples, an answer that is sorted is given before the next frame.
const INLINE_SORTED: usize = 50_000;

impl Driver {
    pub(super) fn ask(&mut self, ask: &FilterJob) {
        if self.learnt.0 != ask.generation {
            self.learnt = (ask.generation, Arc::default());
        }
        let most = if ask.query.sort.is_empty() {
            INLINE_SAMPLES
        } else {
            INLINE_SORTED
        };
        let quick = ask.samples.len() <= most && query::is_quick(&ask.query, self.app.dataset());
        if quick || self.ask_elsewhere(ask).is_err() {
            self.ask_here(ask);
        }
    }

    fn ask_here(&mut self, ask: &FilterJob) {
        self.asking.cancel();
        let mut told = Vec::new();
        ask.answer(self.app.dataset(), &self.learnt.1, &mut |answer| {
            told.push(answer);
            ControlFlow::Continue(())
        });
        for answer in told {
            update(&mut self.app, Message::FilterBatch(answer));
        }
    }

    /// Answers on a thread, piece by piece.
    fn ask_elsewhere(&mut self, ask: &FilterJob) -> std::io::Result<()> {
        let (dataset, outbox, ask) = (self.app.dataset().clone(), self.outbox.clone(), ask.clone());
        let (number, learnt) = (ask.number, Arc::clone(&self.learnt.1));
        self.asking.start(move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            ask.answer(&dataset, &learnt, &mut |answer| {
                let sent = token.wanted()
                    && outbox
                        .send(LoopEvent::Message(Message::FilterBatch(answer)))
                        .is_ok();
                if sent {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        })?;
        // Of the same query, only the first wait counts.
        let since = self
            .asked
            .filter(|(asked, _)| *asked == number)
            .map_or_else(Instant::now, |(_, since)| since);
        self.asked = Some((number, since));
        update(&mut self.app, Message::Filtering(number));
        Ok(())
    }
}
