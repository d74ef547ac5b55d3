//! Loads the files on a thread and reports to the screen.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Driver, EventSender, FOLLOW_SHARE, LoopEvent, PanicNotifier, texts};
use crate::app::Message;
use crate::dataset::{Dataset, Listener, LoadError, LoadEvent, first_lines, open_input};
use crate::export::InputFile;
use crate::jobs::CancelToken;
use crate::parallel::locked;
use crate::schema::records_of;

/// The first load of a run.
const FIRST: u64 = 0;

impl Driver {
    /// Loads the files as this generation of the dataset.
    pub(super) fn load(&mut self, generation: u64) {
        let mut known: HashSet<_> = self.inputs.iter().cloned().collect();
        let opened = self.loader.all_inputs().filter_map(InputFile::of);
        (self.inputs).extend(opened.filter(|opened| known.insert(opened.clone())));
        let (loader, outbox, altered, next_load) = (
            self.loader.clone(),
            self.outbox.clone(),
            Arc::clone(&self.altered),
            Arc::clone(&self.next_load),
        );
        self.is_stopped = Arc::default();
        let is_stopped = Arc::clone(&self.is_stopped);
        let started = self.loading.start(move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            let mut forward = Forward {
                generation,
                token,
                is_stopped,
                outbox,
                dataset: Dataset::default(),
            };
            let (began, run) = (Instant::now(), loader.run(&mut forward));
            *locked(&next_load) = Instant::now() + began.elapsed() * FOLLOW_SHARE;
            match run {
                Ok(()) if forward.is_stopped.load(Ordering::Relaxed) => forward.report_stop(),
                Ok(()) if generation == FIRST => forward.remark(),
                Ok(()) => {}
                Err(error) => {
                    altered.store(error.is_change(), Ordering::Relaxed);
                    let lines = match &*loader.inputs {
                        [input] if error.is_unknown_layout() => open_input(input, &loader.choice)
                            .and_then(|source| first_lines(&source))
                            .ok(),
                        _ => None,
                    };
                    let message = match lines {
                        Some(lines) => Message::Refused(
                            generation,
                            error.to_string(),
                            records_of(&lines).into(),
                        ),
                        None => Message::LoadFailed(generation, error.to_string()),
                    };
                    // If the receiver is gone, the program is ending.
                    let _ = forward.outbox.send(LoopEvent::Message(message));
                }
            }
        });
        self.report_no_thread(started, generation);
    }

    /// Reports if there is no thread for loading.
    pub(super) fn report_no_thread(&self, started: std::io::Result<u64>, generation: u64) {
        if let Err(error) = started {
            let reason = texts::no_thread(error);
            let _ = self
                .outbox
                .send(LoopEvent::Message(Message::LoadFailed(generation, reason)));
        }
    }
}

/// Forwards the loader's events until its generation is cancelled.
struct Forward {
    generation: u64,
    token: CancelToken,
    is_stopped: Arc<AtomicBool>,
    outbox: EventSender,
    /// The data sent so far.
    dataset: Dataset,
}

impl Forward {
    fn send(&self, report: LoadEvent) -> bool {
        let message = Message::Loaded(self.generation, report);
        self.token.keep_going() && self.outbox.send(LoopEvent::Message(message)).is_ok()
    }

    /// Ends a load that the user stopped like one of a truncated file.
    fn report_stop(&self) {
        let _ = self.send(LoadEvent::Error(LoadError::Stopped)) && self.send(LoadEvent::Done);
    }

    /// Sends warnings about how rows are read.
    fn remark(&self) {
        let remark = self.dataset.reading_warnings(false).next();
        if let Some(remark) = remark.filter(|_| self.token.keep_going()) {
            let _ = self
                .outbox
                .send(LoopEvent::Message(Message::Remark(remark)));
        }
    }
}

impl Listener for Forward {
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.dataset.add(&report);
        let is_last = matches!(report, LoadEvent::Done);
        if (is_last || Listener::keep_going(self)) && self.send(report) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn keep_going(&self) -> bool {
        self.token.keep_going() && !self.is_stopped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{loaded, wait};
    use crate::run::journal_writer::JournalConfig;

    #[test]
    fn ungrouped_rows_cause_a_notice() {
        let row = |at| format!("{{\"prompt\":\"p{at}\",\"response\":\"r\",\"helpfulness\":1}}\n");
        let rows: String = (0..20).chain(0..20).map(row).collect();
        let mut driver = loaded(rows.as_bytes(), JournalConfig::default());
        wait(&mut driver, |app| {
            app.notice().is_some_and(|notice| {
                notice.contains("not adjacent; join them with --group-by prompt.")
            })
        });
    }
}
