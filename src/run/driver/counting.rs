//! What is counted for the screen: the charts of the labels panel, and how far people agree.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{Driver, LoopEvent, PanicNotifier, ScreenJobKind};
use crate::app::{
    ArrangementKey, ChartKey, Charts, Effect, FindingsKey, Message, StatisticsKey, update,
};
use crate::review::AgreementPage;

/// Up to this many samples are counted for the labels panel before the next frame.
const INLINE_CHARTS: usize = 100_000;
/// Statistics and findings of up to so many samples, of up to so many bytes in all, are counted
/// before the next frame: their texts are read for it.
const INLINE_STATISTICS: usize = 100;
const INLINE_STATISTICS_BYTES: u64 = 512 << 10;
/// How often it is told how far a count is.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// Agreement of up to so many acts is counted before the next frame: some 10 ms.
const INLINE_ACTS: usize = 500;

impl Driver {
    /// Puts hits in order, more than there is time for before the next frame.
    pub(super) fn arrange(&mut self, key: ArrangementKey) {
        let (job, outbox) = (self.app.arrangement_job(), self.outbox.clone());
        let need = Effect::Arrange(key);
        let started = self.screen[ScreenJobKind::Arrangement].start(need.clone(), move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            let arranged = job.and_then(|job| job.arrange(&|| token.wanted()));
            if let Some((key, shown)) = arranged {
                let _ = outbox.send(LoopEvent::Message(Message::Arranged(key, shown)));
            }
        });
        if started.is_err() {
            self.screen[ScreenJobKind::Arrangement].cancel();
            self.read_now(&need);
        }
    }

    pub(super) fn charts(&mut self, key: ChartKey) {
        if key.samples <= INLINE_CHARTS {
            return self.read_now(&Effect::Charts(key));
        }
        let (dataset, shown, outbox) = (
            self.app.dataset().clone(),
            self.app.shown().clone(),
            self.outbox.clone(),
        );
        let need = Effect::Charts(key.clone());
        // Without a thread the panel shows no counts; it still filters.
        let _ = self.screen[ScreenJobKind::Charts].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some(charts) = Charts::count(&dataset, key, &shown, &|| token.wanted()) {
                let _ = outbox.send(LoopEvent::Message(Message::Charts(Box::new(charts))));
            }
        });
    }

    /// Counts statistics, on a thread of its own where that takes longer than a frame.
    pub(super) fn statistics(&mut self, key: &StatisticsKey) {
        let need = Effect::Statistics(key.clone());
        if self.is_read_at_once(key.samples()) {
            return self.read_now(&need);
        }
        let (job, outbox) = (self.app.statistics_job(), self.outbox.clone());
        let started = self.screen[ScreenJobKind::Statistics].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some((key, profile)) = job.count(&|| token.wanted()) {
                let message = Message::Statistics(key, Box::new(profile));
                let _ = outbox.send(LoopEvent::Message(message));
            }
        });
        if let Err(error) = started {
            let words = format!("Statistics cannot be counted: no thread to work with: {error}.");
            update(&mut self.app, Message::Notice(words));
        }
    }

    /// Looks for findings and counts them, on a thread of its own where that takes longer than a
    /// frame.
    pub(super) fn findings(&mut self, key: &FindingsKey) {
        let need = Effect::Findings(key.clone());
        if self.is_read_at_once(key.samples()) {
            return self.read_now(&need);
        }
        let (job, outbox) = (self.app.findings_job(), self.outbox.clone());
        let started = self.screen[ScreenJobKind::Findings].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            let told = Mutex::new(Instant::now());
            // Many threads ask whether they are wanted; one of them tells how far they are.
            let tell = || {
                let Ok(mut told) = told.try_lock() else {
                    return;
                };
                if told.elapsed() >= TELL_EVERY {
                    *told = Instant::now();
                    let message = Message::LookedForFindings(job.looked());
                    let _ = outbox.send(LoopEvent::Message(message));
                }
            };
            let wanted = || {
                tell();
                token.wanted()
            };
            if let Some((key, counts)) = job.count(&wanted) {
                let _ = outbox.send(LoopEvent::Message(Message::Findings(key, counts)));
            }
        });
        if let Err(error) = started {
            let words = format!("Findings cannot be counted: no thread to work with: {error}.");
            update(&mut self.app, Message::Notice(words));
        }
    }

    /// Whether the texts of so many samples are read within a frame.
    fn is_read_at_once(&self, samples: usize) -> bool {
        let dataset = self.app.dataset();
        let bytes = || (0..samples).map(|sample| dataset.sample_bytes(sample));
        samples <= INLINE_STATISTICS && bytes().sum::<u64>() <= INLINE_STATISTICS_BYTES
    }

    /// Counts how far people agree, on a thread of its own where that takes longer than a frame.
    pub(super) fn agreement(&mut self, number: u64) {
        let job = self.app.agreement_job();
        if job.acts() <= INLINE_ACTS {
            return self.read_now(&Effect::Agreement(number));
        }
        let outbox = self.outbox.clone();
        let need = Effect::Agreement(number);
        let started = self.screen[ScreenJobKind::Agreement].start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            if let Some(page) = job.count(&|| token.wanted()) {
                let _ = outbox.send(LoopEvent::Message(Message::Agreement(number, page)));
            }
        });
        if let Err(error) = started {
            let page = AgreementPage {
                markdown: format!(
                    "Agreement cannot be counted: no thread to work with: {error}.\n"
                ),
                ..AgreementPage::default()
            };
            update(&mut self.app, Message::Agreement(number, page));
        }
    }
}
