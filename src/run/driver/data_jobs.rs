//! Jobs that read and count data: one of each kind at a time. Jobs for the screen are cancelled
//! when it no longer needs them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::super::subprocess;
use super::{Driver, LoopEvent, PanicNotifier, TerminalRequest, texts};
use crate::app::{CommandOutput, CommandRun, Effect, Job, Message, apply_quietly};
use crate::export;
use crate::jobs::{CancelToken, JobQueue};

/// Maximum time the screen waits for a job that runs without a thread.
const PATIENCE_WITHOUT_THREAD: Duration = Duration::from_secs(1);

/// The jobs of one kind.
#[derive(Debug)]
pub(super) struct RunningJob {
    pub(super) queue: JobQueue,
    /// What the last job computes, until the screen does not need it any more.
    need: Option<Effect>,
}

impl RunningJob {
    /// Starts a job on a thread, replacing the last one of its kind; `need` is what it computes.
    ///
    /// # Errors
    /// If no thread can be started.
    fn start(
        &mut self,
        need: Effect,
        work: impl FnOnce(CancelToken) + Send + 'static,
    ) -> std::io::Result<u64> {
        self.need = Some(need);
        self.queue.start(work)
    }

    /// True if this is computed.
    pub(super) fn is_for(&self, need: &Effect) -> bool {
        self.need.as_ref() == Some(need)
    }

    /// Cancels the job if it is for the screen, which does not need its result.
    pub(super) fn cancel_unless(&mut self, needs: &[Effect]) {
        let is_over = |need: &mut Effect| {
            let is_kept = matches!(need, Effect::Job(job) if !job.is_for_screen);
            !is_kept && !needs.contains(need)
        };
        if self.need.take_if(is_over).is_some() {
            self.queue.cancel();
        }
    }
}

/// The jobs by kind.
pub(super) type RunningJobs = BTreeMap<&'static str, RunningJob>;

/// Returns the jobs of a kind.
pub(super) fn of_kind<'j>(jobs: &'j mut RunningJobs, kind: &'static str) -> &'j mut RunningJob {
    jobs.entry(kind).or_insert_with(|| RunningJob {
        queue: JobQueue::new(kind),
        need: None,
    })
}

impl Driver {
    /// Runs a job: before the next frame if it is brief, otherwise on a thread.
    pub(super) fn data_job(&mut self, job: &Job) -> Vec<TerminalRequest> {
        let (own, outbox) = (job.clone(), self.outbox.clone());
        let is_started = !job.is_brief
            && of_kind(&mut self.jobs, job.kind)
                .start(Effect::Job(job.without_work()), move |token| {
                    let _alarm = PanicNotifier(outbox.clone());
                    let tell = |result| {
                        drop(outbox.send(LoopEvent::Message(Message::Apply(result))));
                    };
                    if let Some(result) = own.run(&|| token.keep_going(), &tell) {
                        tell(result);
                    }
                })
                .is_ok();
        if is_started || !job.is_required {
            Vec::new()
        } else {
            self.run_here(job)
        }
    }

    /// Runs a user command while its page is open.
    pub(super) fn run_command(&mut self, run: &CommandRun) {
        let (dataset, ledger) = (
            self.app.data.dataset.clone(),
            self.app.review.ledger.clone(),
        );
        let (own, outbox) = (run.clone(), self.outbox.clone());
        let need = Effect::RunCommand(run.clone());
        let started = of_kind(&mut self.jobs, "command").start(need, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            let sample = u32::try_from(own.sample).unwrap_or(u32::MAX);
            let output = match export::sample_as_json(&dataset, &ledger, sample, own.mask) {
                Ok(json) => {
                    subprocess::run_command(&own.command, json.as_bytes(), &|| token.keep_going())
                }
                Err(error) => Some(CommandOutput::failed(format!("{error}."))),
            };
            if let Some(output) = output {
                // If the receiver is gone, the program is ending.
                let _ = outbox.send(LoopEvent::Message(Message::CommandRan(own, output)));
            }
        });
        if let Err(error) = started {
            let output = CommandOutput::failed(texts::no_command_thread(error));
            apply_quietly(&mut self.app, Message::CommandRan(run.clone(), output));
        }
    }

    /// Runs a job that is brief or for which no thread can be started. The screen waits, for a
    /// limited time if a long job is only for display.
    fn run_here(&mut self, job: &Job) -> Vec<TerminalRequest> {
        let is_patient = job.is_brief || job.is_query || !job.is_for_screen;
        let start = Instant::now();
        let keep_going = || is_patient || start.elapsed() < PATIENCE_WITHOUT_THREAD;
        let parts = RefCell::new(Vec::new());
        match job.run(&keep_going, &|part| parts.borrow_mut().push(part)) {
            Some(last) => {
                let results = parts.into_inner().into_iter().chain([last]);
                let handled = results.map(|result| self.handle(Message::Apply(result)));
                handled.flatten().collect()
            }
            None if job.is_brief => Vec::new(),
            None => self.handle(Message::Notice(texts::no_thread_for(job.kind))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Sender};

    use super::super::super::journal_writer::JournalConfig;
    use super::super::tests::{loaded, wait};
    use super::*;
    use crate::app::{Action, App, Edit, Mode, Performer, Statistics};

    fn driver() -> Driver {
        driver_over(1)
    }

    fn driver_over(large: usize) -> Driver {
        driver_of(large, 100_000)
    }

    /// Returns a driver with one small and several large samples of this many words, all loaded, at
    /// the small one.
    fn driver_of(large: usize, words: usize) -> Driver {
        let row = |prompt: &str, text: &str| {
            format!("{{\"prompt\": \"{prompt}\", \"response\": \"{text}\", \"helpfulness\": 1}}\n")
        };
        let others = (0..large).map(|at| row(&format!("large {at}"), &"words ".repeat(words)));
        let rows = row("small", "text") + &others.collect::<String>();
        loaded(rows.as_bytes(), JournalConfig::default())
    }

    /// Returns the job of a kind that is needed.
    fn needed(driver: &Driver, kind: &str) -> Job {
        let needs = driver.app.needs().into_iter();
        let mut jobs = needs.filter_map(|need| match need {
            Effect::Job(job) if job.kind == kind => Some(job),
            _ => None,
        });
        jobs.next().expect(kind)
    }

    /// Reads what the screen needs and waits for it.
    fn settle(driver: &mut Driver) {
        driver.fetch();
        while driver.is_reading() {
            if let Some(LoopEvent::Message(message)) = driver.receive(Duration::from_millis(20)) {
                driver.handle(message);
            }
            driver.fetch();
        }
    }

    /// Keeps the thread of a queue busy until the returned sender is dropped. The thread may be
    /// slow to start, and would skip the job if another one was requested by then.
    fn block(queue: &mut JobQueue) -> Sender<()> {
        let (leave, left) = mpsc::channel();
        let (begin, begun) = mpsc::channel();
        let busy = queue.start(move |_| {
            assert_eq!(begin.send(()), Ok(()));
            assert!(left.recv().is_err());
        });
        busy.expect("a thread");
        begun.recv().expect("the job");
        leave
    }

    #[test]
    fn without_a_thread_it_is_made_here() {
        // Small enough for the patience on a busy machine.
        let mut driver = driver_of(1, 15_000);
        driver.handle(Message::Action(Action::NextSample));
        let job = needed(&driver, "reader");
        assert!(!job.is_brief);
        assert!(driver.run_here(&job).is_empty());
        assert_eq!(driver.app.page().map(|page| page.key.sample), Some(1));
    }

    #[test]
    fn fifty_keys_over_large_rows_build_few_pages() {
        let mut driver = driver_over(50);
        let leave = block(&mut of_kind(&mut driver.jobs, "reader").queue);
        for _ in 0..50 {
            driver.handle(Message::Action(Action::NextSample));
            driver.fetch();
        }
        assert_eq!(driver.jobs["reader"].queue.counts()[0], 51);
        drop(leave);
        settle(&mut driver);
        assert_eq!(driver.app.page().map(|page| page.key.sample), Some(50));
        let begun = driver.jobs["reader"].queue.counts()[1];
        assert!(begun <= 2, "one page, after the running job: {begun}");
    }

    #[test]
    fn a_key_is_taken_before_the_charts_statistics_or_order_that_the_key_before_asked_for() {
        let row = |at: usize| {
            format!("{{\"prompt\": \"p{at}\", \"response\": \"r\", \"helpfulness\": 1}}\n")
        };
        let rows: String = (0..=50_000).map(row).collect();
        let mut driver = loaded(rows.as_bytes(), JournalConfig::default());
        let act = |driver: &mut Driver, actions: &[Action]| {
            for action in actions {
                driver.handle(Message::Action(*action));
                driver.fetch();
            }
        };
        let leave = block(&mut of_kind(&mut driver.jobs, "charts").queue);
        act(&mut driver, &[Action::LabelsPanel, Action::NextSample]);
        let chosen = |driver: &Driver| Some(driver.app.views.panel()?.chosen);
        assert_eq!(chosen(&driver), Some(1));
        let has_charts = |driver: &Driver| driver.app.chart_named("helpfulness").is_some();
        assert!(!has_charts(&driver));
        drop(leave);
        settle(&mut driver);
        assert!(has_charts(&driver));
        act(&mut driver, &[Action::LabelsPanel]);

        let leave = block(&mut of_kind(&mut driver.jobs, "statistics").queue);
        act(&mut driver, &[Action::Statistics, Action::Help]);
        assert_eq!(driver.app.mode(), Mode::Menu);
        let profile = |driver: &Driver| {
            driver
                .app
                .views
                .page_of::<Statistics>()?
                .content
                .counted
                .get(|_| true)
                .map(drop)
        };
        act(&mut driver, &[Action::Cancel]);
        assert_eq!(profile(&driver), None);
        drop(leave);
        settle(&mut driver);
        assert!(profile(&driver).is_some());
        act(&mut driver, &[Action::Statistics]);

        act(&mut driver, &[Action::Sort, Action::NextSample]);
        let leave = block(&mut of_kind(&mut driver.jobs, "filter").queue);
        act(&mut driver, &[Action::Accept, Action::NextSample]);
        assert!(driver.app.is_querying());
        assert_eq!(driver.app.selection.selected, 1);
        drop(leave);
        settle(&mut driver);
        assert!(!driver.app.is_querying());
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
        assert_eq!(driver.jobs["reader"].queue.counts()[0], 1);
        assert!(driver.jobs["marker"].queue.counts()[0] > 0);
    }

    #[test]
    fn keys_are_kept_or_answered_while_a_large_sample_is_read() {
        let mut driver = driver();
        driver.handle(Message::Action(Action::NextSample));
        driver.handle(Message::Action(Action::Copy));
        let notice = driver.app.notice().unwrap_or_default();
        assert!(
            notice.starts_with("This sample is still being read"),
            "{notice}"
        );
        driver.handle(Message::Action(Action::Mark));
        settle(&mut driver);
        let is_marked = |app: &App| app.data.remarks.get(1).is_some_and(|it| it.marked);
        wait(&mut driver, is_marked);
        driver.handle(Message::Action(Action::Copy));
        assert_eq!(driver.app.mode(), Mode::Menu);
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
        let large = Effect::Job(needed(&driver, "reader"));
        let is_built = |driver: &Driver| driver.jobs["reader"].is_for(&large);
        assert!(is_built(&driver) && driver.app.page_key().sample == 1);
        driver.fetch();
        assert!(is_built(&driver), "it is waited for");
        assert_eq!(driver.jobs["reader"].queue.counts()[0], 1);
        // The page of the first is still there, so nothing is requested.
        driver.handle(Message::Action(Action::PreviousSample));
        driver.fetch();
        assert!(!is_built(&driver));
        assert_eq!(driver.app.page().map(|page| page.key.sample), Some(0));
        // It is computed when it is requested again.
        driver.handle(Message::Action(Action::NextSample));
        wait(&mut driver, |app| {
            app.page().is_some_and(|page| page.key.sample == 1)
        });
    }

    #[test]
    fn a_job_that_is_not_for_the_screen_goes_on() {
        let mut driver = driver_over(20);
        let leave = block(&mut of_kind(&mut driver.jobs, "duplicates").queue);
        driver.handle(Message::Action(Action::Mark));
        driver.fetch();
        let job = needed(&driver, "duplicates");
        assert!(!job.is_brief && driver.is_at_work(&Effect::Job(job)));
        // While a filter is evaluated, nothing else is needed.
        driver.handle(Message::Action(Action::Filter));
        for letter in "len>1".chars() {
            driver.handle(Message::Action(Action::Edit(Edit::Insert(letter))));
            driver.fetch();
        }
        drop(leave);
        settle(&mut driver);
        let begun = driver.jobs["duplicates"].queue.counts();
        assert_eq!(begun, [2, 2], "the one that blocks it, and the job, once");
        assert!(
            !driver
                .app
                .needs()
                .iter()
                .any(|need| matches!(need, Effect::Job(_)))
        );
    }
}
