//! Pages of samples, and what is found in them: made here or, where they are large, by jobs.

use super::{Driver, LoopEvent, PanicNotifier, ScreenJobKind};
use crate::app::{
    DIFF_PATIENCE, Effect, Message, Page, PageDiff, PageHits, PageHitsKey, PageKey, RecordKey,
    RecordPage, RecordSubject,
};

/// Samples of more bytes than this are read and laid out on a thread of their own: the slowest kind
/// of text (tables) takes some 0.2 ms a kilobyte.
pub(super) const INLINE_BYTES: u64 = 64 << 10;
/// Responses of samples of more bytes than this are compared on a thread of their own.
const INLINE_DIFF: u64 = 16 << 10;

impl Driver {
    pub(super) fn page(&mut self, key: PageKey) {
        if self.app.dataset().sample_bytes(key.sample) <= INLINE_BYTES {
            self.screen[ScreenJobKind::Page].cancel();
            return self.read_now(&Effect::Page(key));
        }
        let (dataset, outbox) = (self.app.dataset().clone(), self.outbox.clone());
        let need = Effect::Page(key.clone());
        let started = self.screen[ScreenJobKind::Page].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some(page) = Page::build_while(&dataset, key, &|| token.wanted()) {
                let _ = outbox.send(LoopEvent::Message(Message::Page(Box::new(page))));
            }
        });
        if started.is_err() {
            self.screen[ScreenJobKind::Page].cancel();
        }
    }

    /// Reads and lays out the raw record of a sample, or tokens of it: the vocabulary has to be
    /// unpacked first, whatever size the sample has.
    pub(super) fn raw_record(&mut self, key: RecordKey) {
        let is_rows = key.subject == RecordSubject::Rows;
        if is_rows && self.app.dataset().sample_bytes(key.sample) <= INLINE_BYTES {
            self.screen[ScreenJobKind::Record].cancel();
            return self.read_now(&Effect::Record(key));
        }
        let (dataset, outbox) = (self.app.dataset().clone(), self.outbox.clone());
        let need = Effect::Record(key.clone());
        let started = self.screen[ScreenJobKind::Record].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some(page) = RecordPage::build_while(&dataset, key, &|| token.wanted()) {
                let _ = outbox.send(LoopEvent::Message(Message::Record(Box::new(page))));
            }
        });
        if started.is_err() {
            self.screen[ScreenJobKind::Record].cancel();
        }
    }

    /// Compares the responses of the page on screen, which is neither read nor laid out anew.
    pub(super) fn word_diff(&mut self, key: PageKey) {
        let Some(page) = self.app.shared_page() else {
            return;
        };
        if self.app.dataset().sample_bytes(key.sample) <= INLINE_DIFF {
            self.screen[ScreenJobKind::WordDiff].cancel();
            return self.read_now(&Effect::WordDiff(key));
        }
        let (outbox, need) = (self.outbox.clone(), Effect::WordDiff(key));
        // Without a thread large responses are not compared; they can still be read.
        let _ = self.screen[ScreenJobKind::WordDiff].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some(found) = PageDiff::find(&page, DIFF_PATIENCE, &|| token.wanted()) {
                let _ = outbox.send(LoopEvent::Message(Message::WordDiff(Box::new(found))));
            }
        });
    }

    /// Finds what is searched for in the page on screen, which is neither read nor laid out anew.
    pub(super) fn page_hits(&mut self, key: PageHitsKey) {
        let Some(page) = self.app.shared_page() else {
            return;
        };
        if self.app.dataset().sample_bytes(key.page.sample) <= INLINE_BYTES {
            self.screen[ScreenJobKind::Hits].cancel();
            return self.read_now(&Effect::PageHits(key));
        }
        let (outbox, need) = (self.outbox.clone(), Effect::PageHits(key.clone()));
        // Without a thread nothing is marked in a large page; it can still be read.
        let _ = self.screen[ScreenJobKind::Hits].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some(found) = PageHits::find(&page, key.terms, &|| token.wanted()) {
                let _ = outbox.send(LoopEvent::Message(Message::PageHits(Box::new(found))));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::journal_writer::JournalConfig;
    use super::super::tests::{loaded, wait};
    use super::*;
    use crate::app::{Action, Edit};

    fn driver() -> Driver {
        driver_over(1)
    }

    /// A small sample and so many large ones, all there, with the small one's page on the screen.
    fn driver_over(large: usize) -> Driver {
        let row = |prompt: &str, text: &str| {
            format!("{{\"prompt\": \"{prompt}\", \"response\": \"{text}\", \"helpfulness\": 1}}\n")
        };
        let others = (0..large).map(|at| row(&format!("large {at}"), &"words ".repeat(100_000)));
        let rows = row("small", "text") + &others.collect::<String>();
        loaded(rows.as_bytes(), JournalConfig::default())
    }

    /// Reads what the screen needs and waits until that is there.
    fn settle(driver: &mut Driver) {
        driver.fetch();
        while driver.is_reading() {
            if let Some(LoopEvent::Message(message)) = driver.receive(Duration::from_millis(20)) {
                driver.handle(message);
            }
            driver.fetch();
        }
    }

    #[test]
    fn fifty_keys_over_large_rows_build_few_pages() {
        let mut driver = driver_over(50);
        // The thread is busy until all keys were typed.
        let (leave, left) = std::sync::mpsc::channel::<()>();
        let busy = driver.screen[ScreenJobKind::Page]
            .queue
            .start(move |_| assert!(left.recv().is_err()));
        assert_eq!(busy.expect("a thread"), 1);
        for _ in 0..50 {
            driver.handle(Message::Action(Action::NextSample));
            driver.fetch();
        }
        assert_eq!(
            driver.screen[ScreenJobKind::Page].queue.counts().requested,
            51
        );
        drop(leave);
        settle(&mut driver);
        assert_eq!(driver.app.page().map(|page| page.key.sample), Some(50));
        let begun = driver.screen[ScreenJobKind::Page].queue.counts().begun;
        assert!(
            begun <= 2,
            "one page, behind the job that was under way: {begun}"
        );
    }

    #[test]
    fn a_search_in_a_large_page_is_marked_by_a_job_and_builds_no_page() {
        let mut driver = driver();
        driver.handle(Message::Action(Action::NextSample));
        settle(&mut driver);
        driver.handle(Message::Action(Action::Search));
        for letter in "words".chars() {
            driver.handle(Message::Action(Action::Edit(Edit::Insert(letter))));
            driver.fetch();
        }
        settle(&mut driver);
        assert_eq!(driver.app.hit().map(|(_, hits)| hits), Some(100_000));
        assert_eq!(
            driver.screen[ScreenJobKind::Page].queue.counts().requested,
            1
        );
        assert!(driver.screen[ScreenJobKind::Hits].queue.counts().requested > 0);
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
        let is_built = |driver: &Driver| {
            let key = driver.app.page_key();
            key.sample == 1 && driver.screen[ScreenJobKind::Page].is_for(&Effect::Page(key))
        };
        assert!(is_built(&driver));
        driver.fetch();
        assert!(is_built(&driver), "it is waited for");
        assert_eq!(
            driver.screen[ScreenJobKind::Page].queue.counts().requested,
            1
        );
        // The page of the first is still there: nothing is asked for.
        driver.handle(Message::Action(Action::PreviousSample));
        driver.fetch();
        let mut large = driver.app.page_key();
        large.sample = 1;
        assert!(!driver.screen[ScreenJobKind::Page].is_for(&Effect::Page(large)));
        assert_eq!(driver.app.page().map(|page| page.key.sample), Some(0));
        // And it comes when it is asked for again.
        driver.handle(Message::Action(Action::NextSample));
        wait(&mut driver, |app| {
            app.page().is_some_and(|page| page.key.sample == 1)
        });
    }
}
