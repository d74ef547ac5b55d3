//! Pages of samples, built here or, where they are large, by a job.

use super::{Driver, LoopEvent, PanicNotifier};
use crate::app::{Message, Page, PageKey, update};

/// Samples of more bytes than this are read and laid out on a thread of their own: the slowest kind
/// of text (tables) takes some 0.2 ms a kilobyte.
const INLINE_BYTES: u64 = 64 << 10;

impl Driver {
    /// Cancels the page that a thread builds once it is not the one that belongs on the screen:
    /// also where that one is there already, and nothing is asked for.
    pub(super) fn leave_page(&mut self) {
        if self
            .awaited
            .take_if(|key| *key != self.app.page_key())
            .is_some()
        {
            self.reading.cancel();
        }
    }

    pub(super) fn page(&mut self, key: PageKey) {
        if self.app.dataset().sample_bytes(key.sample) <= INLINE_BYTES {
            self.awaited = None;
            self.reading.cancel();
            if let Some(page) = Page::build(self.app.dataset(), key) {
                update(&mut self.app, Message::Page(Box::new(page)));
            }
            return;
        }
        let (dataset, outbox) = (self.app.dataset().clone(), self.outbox.clone());
        let awaited = key.clone();
        let started = self.reading.start(move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some(page) = Page::build_while(&dataset, key, &|| token.wanted()) {
                let _ = outbox.send(LoopEvent::Message(Message::Page(Box::new(page))));
            }
        });
        self.awaited = started.is_ok().then_some(awaited);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::super::super::journal_writer::JournalConfig;
    use super::super::super::state_store::StateStore;
    use super::*;
    use crate::app::{Action, Loading};
    use crate::cli::{Cli, Task};
    use crate::dataset::Loader;
    use crate::source::Input;

    /// A small sample and a large one, all there, with the small one's page on the screen.
    fn driver() -> Driver {
        let row = |prompt: &str, text: &str| {
            format!("{{\"prompt\": \"{prompt}\", \"response\": \"{text}\", \"helpfulness\": 1}}\n")
        };
        let rows = row("small", "words") + &row("large", &"words ".repeat(100_000));
        let Task::Browse(invocation) = Cli::try_parse_from(["visavis", "--print"])
            .expect("arguments")
            .task()
            .expect("a task")
        else {
            panic!("a frame")
        };
        let inputs = vec![Input::Embedded {
            name: "rows.jsonl",
            bytes: Box::leak(rows.into_boxed_str()).as_bytes(),
        }];
        let loader = Loader {
            inputs,
            choice: invocation.choice.clone(),
        };
        let app = super::super::super::app((100, 30), &invocation, "ann");
        let mut driver = Driver::start(
            app,
            loader,
            StateStore::default(),
            JournalConfig::default(),
            None,
        );
        while driver.app.loading() != Loading::Done {
            if let Some(LoopEvent::Message(message)) = driver.receive(Duration::from_millis(20)) {
                driver.handle(message);
            }
        }
        driver.fetch();
        driver
    }

    #[test]
    fn leaving_cancels_a_page_also_where_the_next_one_is_there() {
        let mut driver = driver();
        assert!(
            driver.app.page_is_current(),
            "the small one is built at once"
        );
        driver.handle(Message::Action(Action::NextSample));
        driver.fetch();
        assert_eq!(
            (
                driver.awaited.as_ref().map(|key| key.sample),
                driver.reading.counts().requested
            ),
            (Some(1), 1)
        );
        driver.fetch();
        assert!(driver.awaited.is_some(), "it is waited for");
        // The page of the first is still there: nothing is asked for.
        driver.handle(Message::Action(Action::PreviousSample));
        driver.fetch();
        assert_eq!(driver.awaited, None);
        assert_eq!(driver.app.page().map(|page| page.key.sample), Some(0));
        // And it comes when it is asked for again.
        driver.handle(Message::Action(Action::NextSample));
        while driver.app.page().is_none_or(|page| page.key.sample != 1) {
            driver.fetch();
            if let Some(LoopEvent::Message(message)) = driver.receive(Duration::from_millis(20)) {
                driver.handle(message);
            }
        }
    }
}
