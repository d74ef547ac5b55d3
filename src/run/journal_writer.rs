//! Keeps the journal: assigns ids to acts, writes them in order on a thread, and reports the acts
//! of other programs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::driver::{EventSender, LoopEvent, PanicNotifier};
use super::home::Home;
use super::texts;
use crate::app::{Message, Recorder, ReviewEvent};
use crate::dataset::{Buffers, Dataset};
use crate::journal::{
    Act, ActId, ActRecord, Header, JournalError, JournalFile, JournalUpdate, KnownActs, SampleRef,
    VERSION, merged, now, run_id,
};
use crate::parallel::locked;

/// Time after a failure before the next attempt.
const AGAIN: Duration = Duration::from_secs(1);
/// Maximum time to wait at exit for the thread.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where acts are kept, and the reviewer's name.
#[derive(Debug, Clone, Default)]
pub(super) struct JournalConfig {
    /// The journal to write.
    pub(super) path: Option<PathBuf>,
    /// Journals that are only read.
    pub(super) also_read: Vec<PathBuf>,
    /// True to write the journal; otherwise acts last only for this run.
    pub(super) writes: bool,
    /// The reviewer's name.
    pub(super) reviewer: String,
    /// A notice about the place, shown with the first act that is saved.
    pub(super) remark: Option<String>,
    /// The file for acts that cannot be written to the journal.
    pub(super) unsaved: Option<PathBuf>,
}

/// Writes acts to the journal on a thread.
pub(super) struct JournalWriter {
    config: JournalConfig,
    pending: PendingActs,
    thread: Option<WriterThread>,
}

/// Makes entries of acts, and passes them to the thread that writes them.
#[derive(Debug)]
pub(super) struct JournalRecorder {
    pending: PendingActs,
    /// Where acts are sent; `None` if they are not kept.
    commands: Option<Sender<WriterCommand>>,
    /// Number of acts of this run, and whether one was more than seeing labels.
    number: u64,
    has_judged: bool,
    /// A notice for the first act if acts are not kept.
    unsaved_notice: Option<String>,
    buffers: Buffers,
}

struct WriterThread {
    commands: Sender<WriterCommand>,
    /// Receives when the thread has ended.
    ended: Receiver<()>,
}

/// State shared with the thread. Not locked during disk I/O.
#[derive(Debug, Clone, Default)]
struct PendingActs(Arc<Mutex<PendingState>>);

#[derive(Debug, Default)]
struct PendingState {
    /// Prefix of the ids of acts.
    run: String,
    /// Header of a new journal, created with the first act, because a sample's key takes time.
    header: Option<Header>,
    /// Acts that are not known to be on disk, the oldest first. They survive a failure of the
    /// thread.
    entries: VecDeque<ActRecord>,
    /// Error of the last attempt to write.
    trouble: String,
}

impl PendingActs {
    fn lock(&self) -> MutexGuard<'_, PendingState> {
        // The state stays valid even if the thread panicked.
        locked(&self.0)
    }

    /// Chooses a new id prefix if another run used the same one. Acts recorded before the journal
    /// was first read keep their ids, which may be on screen; a collision among them is too
    /// unlikely.
    fn avoid_used_ids(&self, entries: &[ActRecord]) {
        let mut state = self.lock();
        let is_taken = |run: &str| {
            entries.iter().any(|entry| {
                entry
                    .id
                    .0
                    .strip_prefix(run)
                    .is_some_and(|rest| rest.starts_with('-'))
            })
        };
        while is_taken(&state.run) {
            state.run = run_id();
        }
    }
}

/// Acts that are not on disk at exit.
#[derive(Debug, Default)]
pub(super) struct UnsavedActs {
    pub(super) header: Header,
    pub(super) entries: Vec<ActRecord>,
    pub(super) reason: String,
    /// Path of the journal.
    pub(super) journal: PathBuf,
    /// The file for them.
    pub(super) place: Option<PathBuf>,
}

#[derive(Debug)]
enum WriterCommand {
    /// There are acts to write.
    Add,
    Look,
    Close,
}

impl JournalWriter {
    pub(super) fn new(config: JournalConfig) -> Self {
        let pending = PendingActs::default();
        pending.lock().run = run_id();
        Self {
            config,
            pending,
            thread: None,
        }
    }

    /// Reads the journal, on the thread that will write it if there is one. Returns the recorder of
    /// acts.
    pub(super) fn open(&mut self, outbox: &EventSender) -> JournalRecorder {
        let mut unsaved_notice = None;
        match self.config.path.clone() {
            Some(path) if self.config.writes => match self.start(path.clone(), outbox.clone()) {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => {
                    unsaved_notice = Some(texts::no_journal_thread(error));
                    self.read_here(Some(path), outbox);
                }
            },
            path => {
                let is_unkept = self.config.writes && path.is_none();
                unsaved_notice = is_unkept.then(|| texts::NO_JOURNAL_FOLDER.to_owned());
                self.read_here(path, outbox);
            }
        }
        self.recorder(unsaved_notice)
    }

    fn recorder(&self, unsaved_notice: Option<String>) -> JournalRecorder {
        let thread = self.thread.as_ref();
        JournalRecorder {
            pending: self.pending.clone(),
            commands: thread.map(|thread| thread.commands.clone()),
            number: 0,
            has_judged: false,
            unsaved_notice,
            buffers: Buffers::default(),
        }
    }

    fn start(&self, path: PathBuf, outbox: EventSender) -> std::io::Result<WriterThread> {
        let (commands, inbox) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let mut state = self.writer(path, outbox);
        state.remark = self.config.remark.clone();
        std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || {
                let _alarm = PanicNotifier(state.outbox.clone());
                state.read();
                state.tell(Message::Review(ReviewEvent::Read));
                state.keep(&inbox);
                // The program may have stopped waiting.
                let _ = end.send(());
            })?;
        Ok(WriterThread { commands, ended })
    }

    /// Returns what reads and writes the journal at a path.
    fn writer(&self, path: PathBuf, outbox: EventSender) -> WriterState {
        let also_read = self.config.also_read.iter();
        WriterState {
            file: JournalFile::new(path),
            also_read: also_read.cloned().map(JournalFile::new).collect(),
            known: KnownActs::default(),
            pending: self.pending.clone(),
            remark: None,
            reported: None,
            outbox,
        }
    }

    /// Reads the journal on this thread if it will not be written.
    fn read_here(&self, path: Option<PathBuf>, outbox: &EventSender) {
        if let Some(path) = path {
            self.writer(path, outbox.clone()).read();
        }
        let _ = outbox.send(LoopEvent::Message(Message::Review(ReviewEvent::Read)));
    }

    /// True if acts are written and the journal exists or is about to be created.
    pub(super) fn has_journal(&self) -> bool {
        let begun = self.pending.lock().header.is_some();
        self.thread.is_some() && (begun || self.path().is_some_and(Path::exists))
    }

    /// Returns the path of the journal.
    pub(super) fn path(&self) -> Option<&Path> {
        self.config.path.as_deref()
    }

    /// Returns the paths of all journals that are read or written.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.config
            .path
            .iter()
            .chain(&self.config.also_read)
            .cloned()
            .collect()
    }

    /// Checks for acts of other programs.
    pub(super) fn check_news(&self) {
        if let Some(thread) = &self.thread {
            drop(thread.commands.send(WriterCommand::Look));
        }
    }

    /// Writes the last acts; returns the unwritten ones.
    pub(super) fn close(&mut self) -> UnsavedActs {
        self.thread
            .take()
            .map(|thread| self.end(&thread, PATIENCE))
            .unwrap_or_default()
    }

    fn end(&self, thread: &WriterThread, patience: Duration) -> UnsavedActs {
        drop(thread.commands.send(WriterCommand::Close));
        let ended = thread.ended.recv_timeout(patience);
        let state = self.pending.lock();
        let reason = match ended {
            Ok(()) => state.trouble.clone(),
            Err(RecvTimeoutError::Timeout) => texts::SLOW_DISK.to_owned(),
            Err(RecvTimeoutError::Disconnected) => texts::WRITER_FAILED.to_owned(),
        };
        UnsavedActs {
            header: state.header.clone().unwrap_or_default(),
            place: self.config.unsaved.clone(),
            entries: state.entries.iter().cloned().collect(),
            reason,
            journal: self.config.path.clone().unwrap_or_default(),
        }
    }
}

impl Recorder for JournalRecorder {
    fn record(
        &mut self,
        dataset: &Dataset,
        reviewer: &str,
        sample: Option<usize>,
        act: Act,
    ) -> Result<(ActRecord, bool), String> {
        let sample_ref = match sample {
            Some(sample) => {
                let found = dataset
                    .key(sample, &mut self.buffers)
                    .and_then(|key| SampleRef::of(dataset, sample, key));
                Some(found.ok_or(texts::SAMPLE_UNREADABLE)?)
            }
            None => None,
        };
        let time = now();
        let is_first = self.commands.is_some() && self.pending.lock().header.is_none();
        if is_first {
            let header = header(dataset, &time, &mut self.buffers);
            self.pending.lock().header = Some(header);
        }
        self.number += 1;
        self.has_judged |= !matches!(act, Act::Seen { .. });
        let mut state = self.pending.lock();
        let id = ActId(format!("{}-{}", state.run, self.number).into());
        let entry = ActRecord {
            id,
            time,
            reviewer: reviewer.into(),
            sample_ref,
            act,
        };
        if let Some(commands) = &self.commands {
            state.entries.push_back(entry.clone());
            drop(state);
            // If the thread has died, the act stays pending.
            drop(commands.send(WriterCommand::Add));
        }
        Ok((entry, self.commands.is_some()))
    }

    fn notice(&mut self) -> Option<String> {
        self.unsaved_notice.take_if(|_| self.has_judged)
    }
}

fn header(dataset: &Dataset, time: &str, buffers: &mut Buffers) -> Header {
    let files = dataset.files();
    Header {
        journal: VERSION,
        visavis: env!("CARGO_PKG_VERSION").to_owned(),
        time: time.to_owned(),
        files: files
            .iter()
            .map(|file| file.short_name().to_owned())
            .collect(),
        schema: files
            .first()
            .map(|file| file.schema.definition().name.clone())
            .unwrap_or_default(),
        first: dataset.key(0, buffers),
    }
}

/// State of the thread.
struct WriterState {
    file: JournalFile,
    /// Journals that are only read.
    also_read: Vec<JournalFile>,
    /// Acts read from all of them.
    known: KnownActs,
    pending: PendingActs,
    /// A notice for the first act that is saved.
    remark: Option<String>,
    /// The last reported error of reading.
    reported: Option<String>,
    outbox: EventSender,
}

impl WriterState {
    fn tell(&self, message: Message) {
        let _ = self.outbox.send(LoopEvent::Message(message));
    }

    /// Writes acts as they arrive, all pending ones at once; retries after failures.
    fn keep(&mut self, inbox: &Receiver<WriterCommand>) {
        let mut closing = false;
        while !closing {
            let is_done = self.pending.lock().entries.is_empty();
            let first = if is_done {
                inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                inbox.recv_timeout(AGAIN)
            };
            let mut look = false;
            let mut take = |command| match command {
                WriterCommand::Add => {}
                WriterCommand::Look => look = true,
                WriterCommand::Close => closing = true,
            };
            match first {
                Ok(command) => take(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => take(WriterCommand::Close),
            }
            inbox.try_iter().for_each(take);
            if !self.add() && look && !closing {
                self.read();
            }
        }
    }

    /// Writes pending acts; returns false if there are none.
    fn add(&mut self) -> bool {
        let (header, entries) = {
            let state = self.pending.lock();
            (
                state.header.clone(),
                state.entries.iter().cloned().collect::<Vec<_>>(),
            )
        };
        let Some(header) = header.filter(|_| !entries.is_empty()) else {
            return false;
        };
        // Only the program's own folder is created: the folder of the data may have been moved away.
        let own = Home::of_user().map(|home| home.data);
        if let Some(own) = own.filter(|own| self.file.path().parent() == Some(own)) {
            let _ = std::fs::create_dir_all(own);
        }
        match self.file.add(&header, &entries) {
            Ok(mut opened) => {
                self.known.add(self.file.path(), &mut opened);
                let mut state = self.pending.lock();
                state.entries.drain(..entries.len());
                state.trouble.clear();
                drop(state);
                // Foreign acts precede these in the file, so they must be reported before these
                // count as saved.
                self.report_acts(opened.entries);
                self.tell(Message::Review(ReviewEvent::Saved(entries.len())));
                let notices = self.remark.take().into_iter().chain(opened.later);
                for notice in notices.chain(opened.troubles) {
                    self.tell(Message::Notice(notice));
                }
            }
            Err(error) => {
                let trouble = error.to_string();
                self.pending.lock().trouble.clone_from(&trouble);
                self.tell(Message::Review(ReviewEvent::NotSaved(trouble)));
            }
        }
        true
    }

    /// Reads and reports what is new.
    fn read(&mut self) {
        let mut news: Vec<_> = self
            .also_read
            .iter_mut()
            .chain([&mut self.file])
            .filter(|file| file.has_changed())
            .map(|file| {
                let mut opened = file.read()?;
                self.known.add(file.path(), &mut opened);
                Ok(opened)
            })
            .collect();
        let acts = news
            .iter_mut()
            .flatten()
            .map(|it| std::mem::take(&mut it.entries));
        self.report_acts(merged(acts));
        news.into_iter().for_each(|read| self.take(read));
    }

    /// Reports the warnings of reading, or the error.
    fn take(&mut self, read: Result<JournalUpdate, JournalError>) {
        match read {
            Ok(opened) => {
                self.reported = None;
                for notice in opened.later.into_iter().chain(opened.troubles) {
                    self.tell(Message::Notice(notice));
                }
            }
            Err(error) => {
                // Reading is retried every second, so report the same error once, and not over a
                // message about pending acts.
                let trouble = error.to_string();
                if self.reported.as_ref() != Some(&trouble)
                    && self.pending.lock().entries.is_empty()
                {
                    self.reported = Some(trouble.clone());
                    self.tell(Message::Notice(trouble));
                }
            }
        }
    }

    /// Reports the acts of others.
    fn report_acts(&self, acts: Vec<ActRecord>) {
        self.pending.avoid_used_ids(&acts);
        if !acts.is_empty() {
            self.tell(Message::Review(ReviewEvent::Acts(acts)));
        }
    }
}

#[cfg(test)]
mod tests;
