//! Performs effects: connects the state with threads and files.

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
use data_jobs::RunningJobs;

use super::files::FileJob;
use super::journal_writer::{JournalConfig, JournalWriter, UnsavedActs};
use super::session_keeper::SessionKeeper;
use super::state_store::StateStore;
use super::{Failure, schemas, texts};
use crate::app::{
    App, Effect, Export, FileForm, Message, Performer, QueryKind, ReviewEffect, ReviewEvent,
    ScreenSample, apply_quietly, fetch, update,
};
use crate::dataset::{Loader, first_lines};
use crate::export::InputFile;
use crate::jobs::JobQueue;
use crate::parallel::locked;
use crate::schema::records_of;
use crate::source::FileChange;
use crate::term::{InputEvent, Signal};

/// Minimum time between two messages about the progress of an export.
const PROGRESS: Duration = Duration::from_millis(100);
/// Maximum time to wait at exit for reading jobs, and for writing jobs.
const PATIENCE: Duration = Duration::from_secs(1);
const PATIENCE_WRITING: Duration = Duration::from_secs(5);
/// A followed file is reloaded, and changes are looked for, at the earliest after this multiple of
/// the time that the last such work took.
const FOLLOW_SHARE: u32 = 10;
/// Maximum number of files checked for changes before each frame, for a few milliseconds.
const OFTEN_CHECKED: usize = 1024;
/// An event that wakes the loop.
#[derive(Debug)]
pub enum LoopEvent {
    /// A message from a background job.
    Message(Message),
    /// An event from the terminal.
    Event(InputEvent),
    /// A line of standard input; `None` at its end.
    Line(Option<String>),
    /// A signal.
    Signal(Signal),
    /// A background thread panicked; the terminal is restored already.
    Panicked,
}

/// Sends events to the loop from other threads.
pub(super) type EventSender = Sender<LoopEvent>;

/// Notifies the loop if the thread that owns it panics.
pub(super) struct PanicNotifier(pub(super) EventSender);

impl Drop for PanicNotifier {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.send(LoopEvent::Panicked);
        }
    }
}

/// A request to the owner of the terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminalRequest {
    /// Loading started again.
    Loading,
    ToggleMouse,
    /// Show the theme of this name.
    Theme(String),
    Suspend,
    Redraw,
    /// Edit a text in the user's editor.
    Edit(String),
    /// Send bytes to the terminal, then show this notice.
    Send(Vec<u8>, String),
    Quit,
    Fail(Arc<str>),
}

/// The result of closing the jobs.
#[derive(Debug, Default)]
pub(super) struct ClosedJobs {
    /// Messages to print, one sentence each.
    pub(super) remarks: Vec<String>,
    /// True if an export was abandoned.
    pub(super) is_abandoned: bool,
    /// The acts that could not be saved.
    pub(super) left: UnsavedActs,
}

/// The state and everything that works for it.
pub struct Driver {
    /// The state.
    pub app: App,
    pub(super) loader: Loader,
    /// All files opened so far, including earlier loads; they must not be overwritten.
    inputs: Vec<InputFile>,
    pub(super) inbox: Receiver<LoopEvent>,
    outbox: EventSender,
    loading: JobQueue,
    jobs: RunningJobs,
    /// Numbers of the open filter and search, and when their first job was started.
    queries_since: [Option<(u64, Instant)>; 2],
    journal_writer: JournalWriter,
    exporting: JobQueue,
    store: StateStore,
    /// Saves the user's position.
    pub(super) sessions: SessionKeeper,
    /// A request to end the program that did not come from a key.
    pub(super) failed: Option<TerminalRequest>,
    /// True if loading failed because a file changed meanwhile.
    altered: Arc<AtomicBool>,
    /// Set to stop the last load and keep its rows.
    is_stopped: Arc<AtomicBool>,
    /// The earliest time to check the files for changes.
    next_check: Instant,
    /// The earliest time to load files again that grow.
    next_load: Arc<Mutex<Instant>>,
}

impl Performer for Driver {
    fn app(&self) -> &App {
        &self.app
    }

    fn is_at_work(&self, need: &Effect) -> bool {
        self.jobs.values().any(|job| job.is_for(need))
    }

    fn perform(&mut self, need: Effect) -> ControlFlow<()> {
        // The only request to the terminal can be the failure of an audit to begin, once.
        self.failed = self.effect(need).pop().or(self.failed.take());
        match self.failed {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Driver {
    /// Starts loading.
    pub(super) fn start(
        app: App,
        loader: Loader,
        store: StateStore,
        config: JournalConfig,
    ) -> Self {
        let (outbox, inbox) = unbounded();
        let mut driver = Self {
            app,
            loader,
            inputs: Vec::new(),
            inbox,
            outbox,
            loading: JobQueue::new("loader"),
            jobs: RunningJobs::new(),
            queries_since: [None; 2],
            journal_writer: JournalWriter::new(config),
            exporting: JobQueue::new("exporter"),
            store,
            sessions: SessionKeeper::default(),
            failed: None,
            altered: Arc::default(),
            is_stopped: Arc::default(),
            next_check: Instant::now(),
            next_load: Mutex::new(Instant::now()).into(),
        };
        if driver.loader.follow {
            driver.app.data.is_followed = true;
        }
        driver.load(0);
        let recorder = driver.journal_writer.open(&driver.outbox);
        driver.app.set_recorder(recorder);
        driver
    }

    /// Returns a sender for other threads.
    pub(super) fn outbox(&self) -> EventSender {
        self.outbox.clone()
    }

    /// Waits for the next event until the timeout.
    pub fn receive(&self, timeout: Duration) -> Option<LoopEvent> {
        self.inbox.recv_timeout(timeout).ok()
    }

    /// Notes which sample the frame shows that is drawn now. Send it again as [`Message::CaughtUp`]
    /// once a key can be a reaction to it. The effects are recorded; none concerns the terminal.
    pub(super) fn report_drawn(&mut self) -> Option<ScreenSample> {
        let drawn = self.app.on_screen();
        self.handle(Message::Drawn(drawn));
        drawn
    }

    /// Returns the number of queued events.
    pub(super) fn queued(&self) -> usize {
        self.inbox.len()
    }

    /// Updates the state and performs effects; returns requests to the terminal.
    pub fn handle(&mut self, message: Message) -> Vec<TerminalRequest> {
        update(&mut self.app, message)
            .into_iter()
            .flat_map(|effect| self.effect(effect))
            .collect()
    }

    /// Reads what the screen needs; call this once after a batch of messages.
    pub(super) fn fetch(&mut self) {
        // Not only at the next tick: recent answers and the next read may be from changed files.
        // Files beyond these are checked whenever they are read.
        let dataset = &self.app.data.dataset;
        let is_altered =
            (dataset.sources().take(OFTEN_CHECKED)).any(|source| source.check_unchanged().is_err());
        if is_altered {
            self.check_files();
        }
        fetch(self);
        for kind in QueryKind::ALL {
            let number = self.app.query_progress(kind).number;
            let since = &mut self.queries_since[kind as usize];
            let known = since.filter(|(known, _)| *known == number);
            let is_open = self.app.is_open(kind);
            *since = is_open.then(|| known.unwrap_or((number, Instant::now())));
        }
        let needs = self.app.needs();
        for job in self.jobs.values_mut() {
            job.cancel_unless(&needs);
        }
    }

    /// Returns the failure if there is nothing to show. If a file changed while it was read, the
    /// exit code does not blame the command line.
    pub(super) fn nothing_to_show(&self, reason: impl std::fmt::Display) -> Failure {
        if self.altered.load(Ordering::Relaxed) {
            Failure::changed(reason)
        } else {
            Failure::usage(reason)
        }
    }

    /// True while something for the screen is computed, or a query or search is running.
    pub(super) fn is_reading(&self) -> bool {
        let needs = self.app.needs();
        needs.iter().any(|need| self.is_at_work(need))
    }

    /// Starts a worker that panics, of a kind that is not cancelled when the screen does not need
    /// it.
    #[cfg(debug_assertions)]
    #[allow(clippy::panic)]
    pub(super) fn drill(&mut self) {
        let outbox = self.outbox.clone();
        let locate = data_jobs::of_kind(&mut self.jobs, "locator");
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
            Effect::RunCommand(run) => self.run_command(&run),
            Effect::ReadLayout => {
                let (file, dataset) = (self.app.file(), &self.app.data.dataset);
                dataset
                    .files()
                    .get(file)
                    .map(|file| Arc::clone(&file.source))
                    .map(|source| first_lines(&source))
                    .map(|lines| match lines {
                        Ok(lines) => Message::Layout(file, records_of(&lines).into()),
                        Err(error) => Message::Notice(error.to_string()),
                    })
                    .into_iter()
                    .for_each(|it| apply_quietly(&mut self.app, it));
            }
            Effect::KeepLayout(definition, fields) => {
                let words = schemas::save_layout(&mut self.loader, &definition, &fields);
                return self.handle(Message::LayoutKept(words));
            }
            Effect::ForgetLayout(name) => {
                let words = schemas::forget_layout(&mut self.loader, &name);
                return self.handle(Message::LayoutKept(words));
            }
            Effect::OpenList(pointer) => {
                let words = schemas::open_list(&mut self.loader, &pointer);
                return self.handle(Message::LayoutKept(words));
            }
            Effect::Review(effect) => return self.review(effect),
            Effect::Remember(kind, line) => self.report(self.store.remember(kind, &line)),
            Effect::KeepFilter { schema, name, text } => {
                self.keep_filter(&schema, &name, text.as_deref());
            }
            Effect::Theme(name) => return vec![TerminalRequest::Theme(name)],
            Effect::ToggleMouse => return vec![TerminalRequest::ToggleMouse],
            Effect::Suspend => return vec![TerminalRequest::Suspend],
            Effect::Redraw => return vec![TerminalRequest::Redraw],
            Effect::StopLoading => self.is_stopped.store(true, Ordering::Relaxed),
            Effect::Quit => return vec![TerminalRequest::Quit],
            Effect::Fail(reason) => return vec![TerminalRequest::Fail(reason)],
            Effect::Job(job) => return self.data_job(&job),
        }
        Vec::new()
    }

    /// True if the index of words is not being built.
    pub fn index_is_over(&self) -> bool {
        self.app.data.word_index.is_over()
    }

    /// Returns since when the active filter or search has been running without a result, and the
    /// message to send if it takes long; `None` after it was sent.
    pub fn slow_query(&self) -> Option<(Message, Instant)> {
        QueryKind::ALL.iter().find_map(|kind| {
            let is_reported = self.app.looked_so_far(*kind).is_some();
            let (_, since) = self.queries_since[*kind as usize]?;
            let request = self.app.request_id(*kind);
            (!is_reported).then_some((Message::StillQuerying(request), since))
        })
    }

    /// Performs an effect of reviewing.
    fn review(&mut self, effect: ReviewEffect) -> Vec<TerminalRequest> {
        match effect {
            ReviewEffect::Begin => self.send_event(ReviewEvent::Begin),
            ReviewEffect::Edit(text) => vec![TerminalRequest::Edit(text)],
            ReviewEffect::Copy(copied) => self.copy(&copied).into_iter().collect(),
            ReviewEffect::Export(export) if export.form == FileForm::Picture => {
                self.export_picture(export)
            }
            ReviewEffect::Export(export) => self.export(export),
        }
    }

    /// Sends an event of reviewing to the state and performs the effects.
    fn send_event(&mut self, event: ReviewEvent) -> Vec<TerminalRequest> {
        self.handle(Message::Review(event))
    }

    /// Saves the user's position, at most every few seconds.
    pub(super) fn save_session(&mut self) {
        self.sessions.keep(self.app.session_state());
    }

    /// Saves the user's position at exit.
    pub(super) fn save_last_session(&mut self) {
        self.sessions.close(self.app.session_state());
    }

    /// Adds the samples that were only looked at to an existing journal; does not create one.
    pub(super) fn record_viewed(&mut self) {
        if self.journal_writer.has_journal() {
            self.handle(Message::Leaving);
        }
    }

    fn export(&mut self, export: Export) -> Vec<TerminalRequest> {
        let (dataset, outbox) = (self.app.data.dataset.clone(), self.outbox.clone());
        let (ledger, inputs) = (self.app.review.ledger.clone(), self.inputs.clone());
        let journals = self.journal_writer.paths();
        let line = export.line.clone();
        let started = self.exporting.start(move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            let send_event = |news| drop(outbox.send(LoopEvent::Message(Message::Review(news))));
            let reported = Cell::new(Instant::now());
            let of = export.samples.len();
            let keep_going = |written| {
                if reported.get().elapsed() >= PROGRESS || written == of {
                    reported.set(Instant::now());
                    send_event(ReviewEvent::Written(written));
                }
                token.keep_going()
            };
            let job = FileJob {
                export: &export,
                dataset: &dataset,
                ledger: &ledger,
                inputs: &inputs,
                journals: &journals,
            };
            match job.write(&keep_going) {
                Ok(words) => send_event(ReviewEvent::Exported(words)),
                Err(reason) => send_event(ReviewEvent::Refused(export.line, reason)),
            }
        });
        match started {
            Ok(_) => Vec::new(),
            Err(error) => self.send_event(ReviewEvent::Refused(line, texts::no_thread(error))),
        }
    }

    /// Writes the current screen as a picture.
    fn export_picture(&mut self, export: Export) -> Vec<TerminalRequest> {
        let journals = self.journal_writer.paths();
        let job = FileJob {
            export: &export,
            dataset: &self.app.data.dataset,
            ledger: &self.app.review.ledger,
            inputs: &self.inputs,
            journals: &journals,
        };
        let written = job.picture(&self.app);
        self.send_event(match written {
            Ok(words) => ReviewEvent::Exported(words),
            Err(reason) => ReviewEvent::Refused(export.line, reason),
        })
    }

    /// Checks whether the open files changed and reports the first change, once. Returns true if
    /// there was one.
    pub(super) fn check_files(&mut self) -> bool {
        let began = Instant::now();
        if self.app.data.changed.is_some() || began < self.next_check {
            return false;
        }
        let mut has_grown = false;
        let change = self.app.data.dataset.sources().find_map(|source| {
            let name = source.name();
            let how = match (source.change(), source.check_unchanged()) {
                (Some(FileChange::Grown), Ok(())) if source.is_followed() => {
                    has_grown = true;
                    return None;
                }
                (Some(FileChange::Shrunk), _) => texts::TRUNCATED,
                (Some(FileChange::Grown), _) => "has grown",
                (Some(FileChange::Modified), _) | (None, Err(_)) => "was modified",
                (Some(FileChange::Replaced), _) => texts::REPLACED,
                (Some(FileChange::Gone), _) => texts::GONE,
                (None, Ok(())) => return None,
            };
            Some(format!("{name} {how}"))
        });
        // Of very many files, checking takes long.
        self.next_check = Instant::now() + began.elapsed() * FOLLOW_SHARE;
        if change.is_none() && has_grown && Instant::now() >= *locked(&self.next_load) {
            // Only keys cause requests to the terminal.
            self.handle(Message::Grown);
        }
        let Some(change) = change else { return false };
        apply_quietly(&mut self.app, Message::FileChanged(change));
        true
    }

    /// Checks whether other programs wrote to the journal.
    pub(super) fn check_journal(&self) {
        self.journal_writer.check_news();
    }

    /// Writes the last acts; returns the unwritten ones.
    pub(super) fn close_journal(&mut self) -> UnsavedActs {
        self.journal_writer.close()
    }

    /// Cancels every job and waits for the threads to end, as long as a disk may need.
    pub(super) fn close(&mut self) -> ClosedJobs {
        let mut reading = vec![&mut self.loading];
        reading.extend(self.jobs.values_mut().map(|job| &mut job.queue));
        reading.iter().for_each(|queue| queue.cancel());
        let has_stopped = self.exporting.join(Instant::now() + PATIENCE_WRITING);
        let deadline = Instant::now() + PATIENCE;
        let left: Vec<_> = reading
            .into_iter()
            .filter_map(|queue| (!queue.join(deadline)).then(|| queue.kind()))
            .collect();
        let mut closed = ClosedJobs::default();
        if let Some(exporting) = self.app.review.exporting() {
            // It may have finished at the last moment.
            let ended = self.inbox.try_iter().find_map(|wake| match wake {
                LoopEvent::Message(Message::Review(ReviewEvent::Exported(words))) => {
                    Some(Ok(words))
                }
                LoopEvent::Message(Message::Review(ReviewEvent::Refused(_, reason))) => {
                    Some(Err(reason))
                }
                _ => None,
            });
            closed.is_abandoned = !matches!(ended, Some(Ok(_)));
            closed.remarks.push(match ended {
                Some(Ok(words)) => words,
                Some(Err(reason)) => texts::not_written_because(&exporting.path, reason),
                None if has_stopped => texts::not_written(&exporting.path),
                None => texts::not_written_because(&exporting.path, texts::SLOW_EXPORT_DISK),
            });
        }
        if !left.is_empty() {
            let words = texts::still_running(PATIENCE.as_secs(), left.join(", "));
            closed.remarks.push(words);
        }
        closed
    }

    /// Shows an error of saving.
    fn report(&mut self, kept: anyhow::Result<()>) {
        if let Err(error) = kept {
            apply_quietly(&mut self.app, Message::Notice(format!("{error:#}")));
        }
    }

    fn keep_filter(&mut self, schema: &str, name: &str, text: Option<&str>) {
        let message = match self.store.save_filter(schema, name, text) {
            Ok(saved) if text.is_some() => {
                let until = if self.store.is_lasting() {
                    ""
                } else {
                    " for this run"
                };
                Message::Saved(saved, texts::filter_saved(name, until))
            }
            Ok(saved) => Message::Saved(saved, texts::filter_deleted(name)),
            Err(error) => Message::Notice(format!("{error:#}")),
        };
        apply_quietly(&mut self.app, message);
    }
}
