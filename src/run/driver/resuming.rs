//! Coming back to where one was: the sample is found by what it says, and where the person is now is
//! kept.

use super::paging::INLINE_BYTES;
use super::{Driver, LoopEvent, PanicNotifier, SessionKeeper};
use crate::app::{Message, update};
use crate::dataset::{Buffers, SampleKey};
use crate::journal::SampleRef;
use crate::review;

impl Driver {
    /// Keeps where the person is from now on.
    pub(in crate::run) fn keep_session_in(&mut self, sessions: SessionKeeper) {
        self.sessions = sessions;
    }

    /// Has it kept where the person is, now and then.
    pub(in crate::run) fn keep_session(&mut self) {
        self.sessions.keep(self.app.session_state());
    }

    /// Has it kept where the person is when the run ends.
    pub(in crate::run) fn close_session(&mut self) {
        self.sessions.close(self.app.session_state());
    }

    /// Looks for a sample: where it stood, and else among all.
    pub(super) fn find_sample(&mut self, generation: u64, sample: usize, key: SampleKey) {
        let dataset = self.app.dataset();
        let is_small = dataset.sample_bytes(sample) <= INLINE_BYTES;
        if is_small && dataset.key(sample, &mut self.buffers) == Some(key) {
            update(
                &mut self.app,
                Message::SampleFound(generation, Some(sample)),
            );
            return;
        }
        let (dataset, outbox) = (self.app.dataset().clone(), self.outbox.clone());
        let started = self.finding.start(move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if !is_small && dataset.key(sample, &mut Buffers::default()) == Some(key) {
                let message = Message::SampleFound(generation, Some(sample));
                let _ = outbox.send(LoopEvent::Message(message));
                return;
            }
            let sought = SampleRef {
                sample: key,
                file: "".into(),
                row: 0,
            };
            if let Some(found) = review::locate(&dataset, &[sought], &|| token.wanted()) {
                let message = Message::SampleFound(generation, found.first(&key));
                let _ = outbox.send(LoopEvent::Message(message));
            }
        });
        if started.is_err() {
            update(&mut self.app, Message::SampleFound(generation, None));
        }
    }
}
