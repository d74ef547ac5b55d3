//! Performs effects: the only place where the state meets threads and files.

mod copying;
mod data_jobs;
mod loading;
#[cfg(test)]
pub(super) mod tests;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use data_jobs::{RunningJob, RunningJobs};

use super::files::FileJob;
use super::journal_writer::{JournalConfig, JournalWriter, UnsavedActs};
use super::querying::QueryRunner;
use super::session_keeper::SessionKeeper;
use super::state_store::StateStore;
use super::{Failed, schemas};
use crate::app::{
    App, DataJobKind, Effect, Export, FileForm, FollowUp, Message, OnScreen, OwnAct, Performer,
    ReviewEffect, ReviewEvent, apply_quietly, fetch, update,
};
use crate::dataset::{Loader, SampleKey};
use crate::export::InputFile;
use crate::jobs::JobQueue;
use crate::journal::Act;
use crate::parallel::locked;
use crate::schema::records_of;
use crate::source::FileChange;
use crate::term::{InputEvent, Signal};

/// How often it is told how far an export is.
const PROGRESS: Duration = Duration::from_millis(100);
/// How long the program waits at its end for what only reads, and for what writes.
const PATIENCE: Duration = Duration::from_secs(1);
const PATIENCE_WRITING: Duration = Duration::from_secs(5);
/// A followed file is read again once so many times as long has passed as that took.
const FOLLOW_SHARE: u32 = 10;
/// Samples in a line of the journal that tells which were seen.
const SEEN: usize = 1000;
/// What the loop wakes up for.
#[derive(Debug)]
pub enum LoopEvent {
    /// Work in the background has something to tell.
    Message(Message),
    /// The terminal has.
    Event(InputEvent),
    /// A line came from standard input, or its end.
    Line(Option<String>),
    /// The system has.
    Signal(Signal),
    /// Work in the background panicked; the terminal was given back already.
    Panicked,
}

/// A way for other threads to wake the loop.
pub(super) type EventSender = Sender<LoopEvent>;

/// Tells the loop when the thread that holds it panics.
pub(super) struct PanicNotifier(pub(super) EventSender);

impl Drop for PanicNotifier {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.send(LoopEvent::Panicked);
        }
    }
}

/// What is left for whoever owns the terminal to do.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminalRequest {
    /// Loading began anew.
    Loading,
    ToggleMouse,
    /// Show the theme of this name.
    Theme(String),
    Suspend,
    Redraw,
    /// Have the reviewer's own editor change a text.
    Edit(String),
    /// Send bytes to the terminal, and then say so.
    Send(Vec<u8>, String),
    Quit,
    Fail(Arc<str>),
}

/// What came of the jobs at the end.
#[derive(Debug, Default)]
pub(super) struct ClosedJobs {
    /// What is to be said, one sentence each.
    pub(super) remarks: Vec<String>,
    /// Whether a file was being written that is not there now.
    pub(super) is_given_up: bool,
}

/// The state with everything that works for it.
pub struct Driver {
    /// The state.
    pub app: App,
    loader: Loader,
    /// The files that were opened, of every loading: nothing is written over them.
    inputs: Vec<InputFile>,
    inbox: Receiver<LoopEvent>,
    outbox: EventSender,
    loading: JobQueue,
    jobs: RunningJobs,
    queries: QueryRunner,
    journal_writer: JournalWriter,
    exporting: JobQueue,
    store: StateStore,
    /// Keeps where the person is.
    sessions: SessionKeeper,
    /// What ends the program, although no key asked for it.
    failed: Option<TerminalRequest>,
    /// Whether loading failed because a file was written to meanwhile.
    altered: Arc<AtomicBool>,
    /// When the last loading ended, and how long it took.
    loaded: Arc<Mutex<Option<(Instant, Duration)>>>,
}

impl Performer for Driver {
    fn app(&self) -> &App {
        &self.app
    }

    fn is_at_work(&self, need: &Effect) -> bool {
        self.jobs.iter().any(|job| job.is_for(need))
    }

    fn perform(&mut self, need: Effect) -> ControlFlow<()> {
        // Of what the screen needs, only an audit that cannot begin concerns the terminal, once.
        self.failed = self.effect(need).pop().or(self.failed.take());
        match self.failed {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Driver {
    /// A driver whose loader is at work already; searches take so many bytes of memory, or as many
    /// as seem right.
    pub(super) fn start(
        app: App,
        loader: Loader,
        store: StateStore,
        config: JournalConfig,
        search_memory: Option<u64>,
    ) -> Self {
        let (outbox, inbox) = unbounded();
        let queries = QueryRunner::new(outbox.clone(), search_memory);
        let mut driver = Self {
            app,
            loader,
            inputs: Vec::new(),
            inbox,
            outbox,
            loading: JobQueue::new("loader"),
            jobs: DataJobKind::ALL.map(|(kind, _)| RunningJob::new(kind)),
            queries,
            journal_writer: JournalWriter::new(config),
            exporting: JobQueue::new("exporter"),
            store,
            sessions: SessionKeeper::default(),
            failed: None,
            altered: Arc::default(),
            loaded: Arc::default(),
        };
        if driver.loader.follow {
            driver.app.browser.data.is_followed = true;
        }
        driver.load(0);
        driver.journal_writer.open(&driver.outbox);
        driver
    }

    /// A way for other threads to send messages.
    pub(super) fn outbox(&self) -> EventSender {
        self.outbox.clone()
    }

    /// The next message, if one comes in time.
    pub fn receive(&self, timeout: Duration) -> Option<LoopEvent> {
        self.inbox.recv_timeout(timeout).ok()
    }

    /// Tells the state which sample the frame shows that is drawn now; to be told once more, as
    /// [`Message::CaughtUp`], when a key can answer it. What follows is recorded; nothing of it
    /// concerns the terminal.
    pub(super) fn note_drawn(&mut self) -> Option<OnScreen> {
        let drawn = self
            .app
            .review
            .on_screen(&self.app.browser, &self.app.views);
        self.handle(Message::Drawn(drawn));
        drawn
    }

    /// How many messages are already there.
    pub(super) fn queued(&self) -> usize {
        self.inbox.len()
    }

    /// The next message that is already there.
    pub(super) fn waiting(&self) -> Option<LoopEvent> {
        self.inbox.try_recv().ok()
    }

    /// Updates the state and performs what can be performed here.
    pub fn handle(&mut self, message: Message) -> Vec<TerminalRequest> {
        update(&mut self.app, message)
            .into_iter()
            .flat_map(|effect| self.effect(effect))
            .collect()
    }

    /// Reads what the screen needs; call once after a batch of messages.
    pub(super) fn fetch(&mut self) {
        self.queries.rest(&self.app);
        // Without a tick's delay: what was just answered, or is about to be read, may be of another
        // content.
        if self.app.browser.data.dataset.check_unchanged().is_err() {
            self.look_at_files();
        }
        fetch(self);
        let needs = self.app.needs();
        for job in &mut self.jobs {
            job.cancel_unless(&needs);
        }
    }

    /// Why the program ends where there is nothing to show. A file that changes while it is read is
    /// nobody's slip.
    pub(super) fn nothing(&self, reason: impl std::fmt::Display) -> Failed {
        if self.altered.load(Ordering::Relaxed) {
            Failed::changed(reason)
        } else {
            Failed::usage(reason)
        }
    }

    /// What ends the program, although no key asked for it.
    pub(super) fn failed(&mut self) -> Option<TerminalRequest> {
        self.failed.take()
    }

    /// Whether something for the screen is still being made elsewhere, or a query or a search
    /// answered.
    pub(super) fn is_reading(&self) -> bool {
        let needs = self.app.needs();
        self.app.browser.is_querying() || needs.iter().any(|need| self.is_at_work(need))
    }

    /// A worker that panics: of a kind that is not cancelled when the screen needs nothing of it.
    #[cfg(debug_assertions)]
    #[allow(clippy::panic)]
    pub(super) fn drill(&mut self) {
        let outbox = self.outbox.clone();
        let locate = &mut self.jobs[DataJobKind::Locate as usize];
        let started = locate.queue.start(move |_| {
            let _alarm = PanicNotifier(outbox);
            panic!("a drill");
        });
        self.report_no_thread(started, 0);
    }

    fn effect(&mut self, effect: Effect) -> Vec<TerminalRequest> {
        match effect {
            Effect::Load(generation) => {
                self.load(generation);
                return vec![TerminalRequest::Loading];
            }
            Effect::Page(_)
            | Effect::PageHits(_)
            | Effect::WordDiff(_)
            | Effect::Syntax(_)
            | Effect::TrainingCounts(_)
            | Effect::ListRows(_)
            | Effect::Arrange(_)
            | Effect::Charts(_)
            | Effect::Statistics(_)
            | Effect::Findings(_)
            | Effect::Record(_)
            | Effect::Agreement(_)
            | Effect::FindSample(..) => return self.data_job(&effect),
            Effect::Query(job) => {
                for message in self.queries.answer(&self.app, &job) {
                    apply_quietly(&mut self.app, message);
                }
            }
            Effect::RunCommand(run) => self.run_command(&run),
            Effect::ReadLayout => {
                let (file, dataset) = (self.app.browser.file(), &self.app.browser.data.dataset);
                let source = dataset
                    .files()
                    .get(file)
                    .map(|file| Arc::clone(&file.source));
                let lines = source.map(|source| Loader::first_lines_of(&source));
                let message = lines.map(|lines| match lines {
                    Ok(lines) => Message::Layout(file, records_of(&lines).into()),
                    Err(error) => Message::Notice(error.to_string()),
                });
                message
                    .into_iter()
                    .for_each(|it| apply_quietly(&mut self.app, it));
            }
            Effect::KeepLayout(definition, fields) => {
                let words = schemas::keep(&mut self.loader, &definition, &fields);
                return self.handle(Message::LayoutKept(words));
            }
            Effect::OpenList(pointer) => {
                let words = schemas::open_list(&mut self.loader, &pointer);
                return self.handle(Message::LayoutKept(words));
            }
            Effect::Index => self.queries.prepare_index(&self.app),
            Effect::Review(effect) => return self.review(effect),
            Effect::Remember(kind, line) => self.report(self.store.remember(kind, &line)),
            Effect::KeepFilter { schema, name, text } => {
                self.keep_filter(&schema, &name, text.as_deref());
            }
            Effect::Theme(name) => return vec![TerminalRequest::Theme(name)],
            Effect::ToggleMouse => return vec![TerminalRequest::ToggleMouse],
            Effect::Suspend => return vec![TerminalRequest::Suspend],
            Effect::Redraw => return vec![TerminalRequest::Redraw],
            Effect::Quit => return vec![TerminalRequest::Quit],
            Effect::Fail(reason) => return vec![TerminalRequest::Fail(reason)],
        }
        Vec::new()
    }

    /// Whether other files are joined to the dataset once it is there.
    pub(super) fn joins_files(&self) -> bool {
        !self.loader.joins.is_empty()
    }

    /// Whether nobody is at work on the index of words any more.
    pub fn index_is_over(&self) -> bool {
        self.queries.index_is_over(&self.app)
    }

    /// Since when a thread has been at work on the filter or the search that counts, and what to say
    /// once that takes long; `None` after it was said.
    pub fn asked(&self) -> Option<(Message, Instant)> {
        let (request, since) = self.queries.unreported(&self.app)?;
        Some((Message::StillQuerying(request), since))
    }

    /// Does something for a reviewer.
    fn review(&mut self, effect: ReviewEffect) -> Vec<TerminalRequest> {
        match effect {
            ReviewEffect::Record { sample, act, then } => self.record(sample, act, then),
            ReviewEffect::Seen(keys) => {
                self.record_seen(keys);
                Vec::new()
            }
            ReviewEffect::Locate { .. }
            | ReviewEffect::FindDuplicates(_)
            | ReviewEffect::Draw { .. }
            | ReviewEffect::CheckData { .. } => self.data_job(&Effect::Review(effect)),
            ReviewEffect::Begin => self.tell(ReviewEvent::Begin),
            ReviewEffect::Edit(text) => vec![TerminalRequest::Edit(text)],
            ReviewEffect::Copy(copied) => self.copy(&copied).into_iter().collect(),
            ReviewEffect::Export(export) if export.form == FileForm::Picture => {
                self.export_picture(export)
            }
            ReviewEffect::Export(export) => self.export(export),
        }
    }

    /// Tells the state something of a reviewer's; what follows from it is done here as well.
    fn tell(&mut self, event: ReviewEvent) -> Vec<TerminalRequest> {
        self.handle(Message::Review(event))
    }

    fn record(&mut self, sample: Option<usize>, act: Act, then: FollowUp) -> Vec<TerminalRequest> {
        match self.journal_writer.record(&self.app, sample, act) {
            Ok((entry, kept)) => {
                let requests = self.tell(ReviewEvent::Acts(
                    vec![entry],
                    Some(OwnAct { sample, then, kept }),
                ));
                if let Some(words) = self.journal_writer.take_unkept() {
                    apply_quietly(&mut self.app, Message::Notice(words));
                }
                requests
            }
            Err(reason) => self.handle(Message::Notice(reason)),
        }
    }

    /// Records which samples were on the screen with what the dataset says; those that the journal
    /// has already are left out.
    fn record_seen(&mut self, mut keys: Vec<SampleKey>) {
        let review = &self.app.review;
        keys.retain(|key| !review.ledger.has_seen(review.reviewer(), key));
        for some in keys.chunks(SEEN) {
            if let Ok((entry, kept)) = self.journal_writer.record(
                &self.app,
                None,
                Act::Seen {
                    samples: some.into(),
                },
            ) {
                self.tell(ReviewEvent::Acts(
                    vec![entry],
                    Some(OwnAct {
                        sample: None,
                        then: FollowUp::Stay,
                        kept,
                    }),
                ));
            }
        }
    }

    /// Keeps where the person is from now on.
    pub(super) fn keep_session_in(&mut self, sessions: SessionKeeper) {
        self.sessions = sessions;
    }

    /// Has it kept where the person is, now and then.
    pub(super) fn keep_session(&mut self) {
        self.sessions
            .keep(self.app.review.session_state(&self.app.browser));
    }

    /// Has it kept where the person is when the run ends.
    pub(super) fn close_session(&mut self) {
        self.sessions
            .close(self.app.review.session_state(&self.app.browser));
    }

    /// The end of a run that nobody asked for: a note that is being written is kept as it stands.
    pub(super) fn keep_draft(&mut self) {
        self.handle(Message::Interrupted);
    }

    /// The end of a run: what one only looked at is added to a journal that is there, and makes
    /// none.
    pub(super) fn leave(&mut self) {
        if self.journal_writer.has_journal() {
            self.handle(Message::Leaving);
        }
    }

    fn export(&mut self, export: Export) -> Vec<TerminalRequest> {
        let (dataset, outbox) = (self.app.browser.data.dataset.clone(), self.outbox.clone());
        let (ledger, inputs) = (self.app.review.ledger.clone(), self.inputs.clone());
        let journals = self.journal_writer.paths();
        let line = export.line.clone();
        let started = self.exporting.start(move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            let tell = |news| drop(outbox.send(LoopEvent::Message(Message::Review(news))));
            let told = Cell::new(Instant::now());
            let of = export.samples.len();
            let wanted = |written| {
                if told.get().elapsed() >= PROGRESS || written == of {
                    told.set(Instant::now());
                    tell(ReviewEvent::Written(written));
                }
                token.wanted()
            };
            let job = FileJob {
                export: &export,
                dataset: &dataset,
                ledger: &ledger,
                inputs: &inputs,
                journals: &journals,
            };
            match job.write(&wanted) {
                Ok(words) => tell(ReviewEvent::Exported(words)),
                Err(reason) => tell(ReviewEvent::Refused(export.line, reason)),
            }
        });
        match started {
            Ok(_) => Vec::new(),
            Err(error) => self.tell(ReviewEvent::Refused(
                line,
                format!("no thread to work with: {error}"),
            )),
        }
    }

    /// Writes the screen as it is.
    fn export_picture(&mut self, export: Export) -> Vec<TerminalRequest> {
        let journals = self.journal_writer.paths();
        let written = super::files::picture(&export, &self.app, &self.inputs, &journals);
        self.tell(match written {
            Ok(words) => ReviewEvent::Exported(words),
            Err(reason) => ReviewEvent::Refused(export.line, reason),
        })
    }

    /// Looks whether the open files are what they were, and tells the state of the first that is
    /// not, once; gives whether there was one.
    pub(super) fn look_at_files(&mut self) -> bool {
        if self.app.browser.data.changed.is_some() {
            return false;
        }
        let mut has_grown = false;
        let change = self.app.browser.data.dataset.sources().find_map(|source| {
            let name = source.name();
            let how = match (source.change(), source.check_unchanged()) {
                (Some(FileChange::Grown), Ok(())) if source.is_followed() => {
                    has_grown = true;
                    return None;
                }
                (Some(FileChange::Shrunk), _) => "is shorter than it was",
                (Some(FileChange::Grown), _) => "has grown",
                (Some(FileChange::Modified), _) | (None, Err(_)) => "was modified",
                (Some(FileChange::Replaced), _) => "was replaced by another file",
                (Some(FileChange::Gone), _) => "is gone",
                (None, Ok(())) => return None,
            };
            Some(format!("{name} {how}"))
        });
        if change.is_none() && has_grown && self.may_load_again() {
            // Only a key asks for anything of the terminal.
            self.handle(Message::Grown);
        }
        let Some(change) = change else { return false };
        apply_quietly(&mut self.app, Message::FileChanged(change));
        true
    }

    /// Whether reading the files once more would take a small share of the time: files that grow all
    /// the time are read again once ten times as long has passed as the last reading took.
    fn may_load_again(&self) -> bool {
        let loaded = *locked(&self.loaded);
        loaded.is_none_or(|(ended, took)| ended.elapsed() >= took * FOLLOW_SHARE)
    }

    /// Looks whether others wrote into the journal.
    pub(super) fn look_at_journal(&self) {
        self.journal_writer.look();
    }

    /// Has the last acts written; gives those that could not be.
    pub(super) fn close_journal(&mut self) -> UnsavedActs {
        self.journal_writer.close()
    }

    /// Cancels every job and waits for the threads to end, for so long as a disk may need.
    pub(super) fn close(&mut self) -> ClosedJobs {
        let mut reading = vec![&mut self.loading];
        reading.extend(self.jobs.iter_mut().map(|job| &mut job.queue));
        reading.extend(self.queries.queues());
        reading.iter().for_each(|queue| queue.cancel());
        let has_stopped = self.exporting.join(Instant::now() + PATIENCE_WRITING);
        let deadline = Instant::now() + PATIENCE;
        let left: Vec<_> = reading
            .into_iter()
            .filter_map(|queue| (!queue.join(deadline)).then(|| queue.kind()))
            .collect();
        let mut closed = ClosedJobs::default();
        if let Some(exporting) = self.app.review.exporting() {
            // It may have come to its end at the last moment.
            let ended = self.inbox.try_iter().find_map(|wake| match wake {
                LoopEvent::Message(Message::Review(ReviewEvent::Exported(words))) => {
                    Some(Ok(words))
                }
                LoopEvent::Message(Message::Review(ReviewEvent::Refused(_, reason))) => {
                    Some(Err(reason))
                }
                _ => None,
            });
            let silence = "its disk does not answer; look whether a .part file is left beside it";
            closed.is_given_up = !matches!(ended, Some(Ok(_)));
            closed.remarks.push(match ended {
                Some(Ok(words)) => words,
                Some(Err(reason)) => format!("{} was given up: {reason}", exporting.path),
                None if has_stopped => format!("{} was given up", exporting.path),
                None => format!("{} was given up: {silence}", exporting.path),
            });
        }
        if !left.is_empty() {
            let words = format!(
                "still at work after {} s, and left: {}",
                PATIENCE.as_secs(),
                left.join(", ")
            );
            closed.remarks.push(words);
        }
        closed
    }

    /// Says what could not be kept.
    fn report(&mut self, kept: anyhow::Result<()>) {
        if let Err(error) = kept {
            apply_quietly(&mut self.app, Message::Notice(format!("{error:#}")));
        }
    }

    fn keep_filter(&mut self, schema: &str, name: &str, text: Option<&str>) {
        let message = match self.store.keep(schema, name, text) {
            Ok(saved) if text.is_some() => {
                let until = if self.store.is_lasting() {
                    ""
                } else {
                    " for this run"
                };
                Message::Saved(
                    saved,
                    format!("Kept as {name}{until}; :filters lists what is kept."),
                )
            }
            Ok(saved) => Message::Saved(saved, format!("{name} is deleted.")),
            Err(error) => Message::Notice(format!("{error:#}")),
        };
        apply_quietly(&mut self.app, message);
    }
}
