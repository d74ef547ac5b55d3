//! Keeps the journal: gives acts their names, has them written on a thread of their own, in order,
//! and tells what others wrote.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::driver::{EventSender, LoopEvent, PanicNotifier};
use crate::app::{App, Message, ReviewEvent};
use crate::dataset::{Buffers, Dataset};
use crate::journal::{
    Act, ActId, ActRecord, Header, JournalError, JournalFile, JournalUpdate, KnownActs, SampleRef,
    VERSION, merged, now, run_id,
};

/// How long after a failure it is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long the program waits at its end for what is being written.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where acts are kept, and by whom they are done.
#[derive(Debug, Clone, Default)]
pub(super) struct JournalConfig {
    /// The journal.
    pub(super) path: Option<PathBuf>,
    /// Journals that are read as well, and not written.
    pub(super) also_read: Vec<PathBuf>,
    /// Whether it is written; otherwise acts last as long as the program.
    pub(super) writes: bool,
    /// Who.
    pub(super) reviewer: String,
    /// What is to be said about the place, once something is there.
    pub(super) remark: Option<String>,
}

/// Writes acts into the journal, on a thread of its own.
pub(super) struct JournalWriter {
    config: JournalConfig,
    pending: PendingActs,
    number: u64,
    thread: Option<WriterThread>,
    /// What to say with the first act where none is kept.
    unkept: Option<String>,
    buffers: Buffers,
}

struct WriterThread {
    commands: Sender<WriterCommand>,
    /// Told when the thread has done what it could.
    ended: Receiver<()>,
}

/// What the thread and the program share. It is never held while a disk is waited for.
#[derive(Clone, Default)]
struct PendingActs(Arc<Mutex<PendingState>>);

#[derive(Default)]
struct PendingState {
    /// What names of acts begin with.
    run: String,
    /// What a new journal begins with: made with the first act, for the key of a sample takes time.
    header: Option<Header>,
    /// Acts that are not known to be on disk, the oldest first: whatever becomes of the thread,
    /// they are here.
    entries: VecDeque<ActRecord>,
    /// Why they were not written when it was last tried.
    trouble: String,
}

impl PendingActs {
    fn lock(&self) -> MutexGuard<'_, PendingState> {
        // A thread that panicked does not make untrue what it has left.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where acts of another run have the names that this one would give, it gives others from now
    /// on. What was done before the journal was first read keeps its names: that both happen is too
    /// unlikely to take a name back that may be on the screen already.
    fn tell_runs_apart(&self, entries: &[ActRecord]) {
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

/// What is not on disk at the end.
#[derive(Debug, Default)]
pub(super) struct UnsavedActs {
    pub(super) entries: Vec<ActRecord>,
    pub(super) reason: String,
}

enum WriterCommand {
    /// There are acts to be written.
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
            number: 0,
            thread: None,
            unkept: None,
            buffers: Buffers::default(),
        }
    }

    /// Reads what is there; where acts are written, on the thread that will write them.
    pub(super) fn open(&mut self, outbox: &EventSender) {
        match self.config.path.clone() {
            Some(path) if self.config.writes => match self.start(path.clone(), outbox.clone()) {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => {
                    self.unkept = Some(format!(
                        "What you judge is not kept after this run: there is no thread to write it with ({error})."
                    ));
                    self.read_here(Some(path), outbox);
                }
            },
            path => {
                self.unkept = (self.config.writes && path.is_none()).then(|| {
                    "What you judge is not kept after this run: there is no home to keep it in; --journal PATH names a place."
                        .to_owned()
                });
                self.read_here(path, outbox);
            }
        }
    }

    fn start(&self, path: PathBuf, outbox: EventSender) -> std::io::Result<WriterThread> {
        let (commands, inbox) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let (pending, remark) = (self.pending.clone(), self.config.remark.clone());
        let also_read = self.read_only();
        std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || {
                let _alarm = PanicNotifier(outbox.clone());
                let tell = |message| drop(outbox.send(LoopEvent::Message(message)));
                let mut state = WriterState {
                    file: JournalFile::new(path),
                    also_read,
                    known: KnownActs::default(),
                    pending,
                    remark,
                    told: None,
                    tell: &tell,
                };
                state.read();
                tell(Message::Review(ReviewEvent::Read));
                state.keep(&inbox);
                // At its end the program may have lost its patience.
                let _ = end.send(());
            })?;
        Ok(WriterThread { commands, ended })
    }

    /// Journals that are only read.
    fn read_only(&self) -> Vec<JournalFile> {
        let paths = self.config.also_read.iter();
        paths.map(|path| JournalFile::new(path.clone())).collect()
    }

    /// Reads what is there where nothing will be written.
    fn read_here(&self, path: Option<PathBuf>, outbox: &EventSender) {
        let tell = |message| drop(outbox.send(LoopEvent::Message(message)));
        if let Some(path) = path {
            let (file, pending) = (JournalFile::new(path), self.pending.clone());
            WriterState {
                file,
                also_read: self.read_only(),
                known: KnownActs::default(),
                pending,
                remark: None,
                told: None,
                tell: &tell,
            }
            .read();
        }
        tell(Message::Review(ReviewEvent::Read));
    }

    /// Whether acts are written, and there is a journal already or will be one.
    pub(super) fn has_journal(&self) -> bool {
        let begun = self.pending.lock().header.is_some();
        self.thread.is_some() && (begun || self.path().is_some_and(Path::exists))
    }

    /// Where the journal is.
    pub(super) fn path(&self) -> Option<&Path> {
        self.config.path.as_deref()
    }

    /// Every journal that is read or written.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.config
            .path
            .iter()
            .chain(&self.config.also_read)
            .cloned()
            .collect()
    }

    /// Looks whether others wrote something.
    pub(super) fn look(&self) {
        if let Some(thread) = &self.thread {
            drop(thread.commands.send(WriterCommand::Look));
        }
    }

    /// Makes an entry of an act and has it written, if acts are.
    ///
    /// # Errors
    /// When the sample that it is about cannot be read.
    pub(super) fn record(
        &mut self,
        app: &App,
        sample: Option<usize>,
        act: Act,
    ) -> Result<(ActRecord, bool), String> {
        let dataset = &app.browser.data.dataset;
        let sample_ref = match sample {
            Some(sample) => {
                let key = dataset.key(sample, &mut self.buffers);
                let found = key.and_then(|key| SampleRef::of(dataset, sample, key));
                Some(found.ok_or("The sample cannot be read any more: nothing was recorded. R reads the files again.")?)
            }
            None => None,
        };
        let time = now();
        let is_first = self.thread.is_some() && self.pending.lock().header.is_none();
        if is_first {
            let header = header(dataset, &time, &mut self.buffers);
            self.pending.lock().header = Some(header);
        }
        self.number += 1;
        let mut state = self.pending.lock();
        let id = ActId(format!("{}-{}", state.run, self.number).into());
        let entry = ActRecord {
            id,
            time,
            reviewer: app.review.reviewer().into(),
            sample_ref,
            act,
        };
        let kept = self.thread.is_some();
        if let Some(thread) = &self.thread {
            state.entries.push_back(entry.clone());
            drop(state);
            // A thread that died takes no command; the act is still among those that wait.
            drop(thread.commands.send(WriterCommand::Add));
        }
        Ok((entry, kept))
    }

    /// What is to be said once an act was recorded that is not kept: once.
    pub(super) fn take_unkept(&mut self) -> Option<String> {
        self.unkept.take()
    }

    /// Has the last acts written; gives those that could not be.
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
            Err(RecvTimeoutError::Timeout) => "its disk does not answer".to_owned(),
            Err(RecvTimeoutError::Disconnected) => "the program failed while it wrote".to_owned(),
        };
        UnsavedActs {
            entries: state.entries.iter().cloned().collect(),
            reason,
        }
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

/// What the thread has at hand.
struct WriterState<'a> {
    file: JournalFile,
    /// Others that are only read.
    also_read: Vec<JournalFile>,
    /// What was read of all of them.
    known: KnownActs,
    pending: PendingActs,
    /// What is to be said with the first act that is on disk.
    remark: Option<String>,
    /// Why the file could not be read when it was last tried.
    told: Option<String>,
    tell: &'a dyn Fn(Message),
}

impl WriterState<'_> {
    /// Acts are written as they come, all that wait at once; what fails is tried again.
    fn keep(&mut self, inbox: &Receiver<WriterCommand>) {
        let mut closing = false;
        while !closing {
            let is_done = self.pending.lock().entries.is_empty();
            let first = match is_done {
                true => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => inbox.recv_timeout(AGAIN),
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

    /// Writes what waits; whether anything did.
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
        let folder = self
            .file
            .path()
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        // The user's own data folder is made when it is needed; beside the data there is one.
        folder.map(std::fs::create_dir_all);
        match self.file.add(&header, &entries) {
            Ok(mut opened) => {
                let differing = self.known.add(self.file.path(), &opened);
                opened.troubles.extend(differing);
                let mut state = self.pending.lock();
                state.entries.drain(..entries.len());
                state.trouble.clear();
                drop(state);
                // Others' acts stand before these in the file, and so they must be told before
                // these count as written.
                let troubles = self.tell_acts(opened);
                (self.tell)(Message::Review(ReviewEvent::Saved(entries.len())));
                self.remark
                    .take()
                    .into_iter()
                    .chain(troubles)
                    .map(Message::Notice)
                    .for_each(self.tell);
            }
            Err(error) => {
                let trouble = error.to_string();
                self.pending.lock().trouble.clone_from(&trouble);
                (self.tell)(Message::Review(ReviewEvent::NotSaved(trouble)));
            }
        }
        true
    }

    /// Reads what is new, if anything is.
    fn read(&mut self) {
        let files = self.also_read.iter_mut().chain([&mut self.file]);
        let mut news: Vec<_> = files
            .filter(|file| file.has_news())
            .map(|file| {
                let mut opened = file.read()?;
                let differing = self.known.add(file.path(), &opened);
                opened.troubles.extend(differing);
                Ok(opened)
            })
            .collect();
        let acts = news
            .iter_mut()
            .flatten()
            .map(|it| std::mem::take(&mut it.entries));
        let entries = merged(acts);
        let told = JournalUpdate {
            entries,
            ..JournalUpdate::default()
        };
        self.tell_acts(told);
        news.into_iter().for_each(|read| self.take(read));
    }

    /// Tells what was read, or why nothing was.
    fn take(&mut self, read: Result<JournalUpdate, JournalError>) {
        match read {
            Ok(opened) => {
                self.told = None;
                self.tell_acts(opened)
                    .into_iter()
                    .map(Message::Notice)
                    .for_each(self.tell);
            }
            Err(error) => {
                // It is tried again each second: the same is said once, and not over what is said
                // of acts that wait.
                let trouble = Some(error.to_string());
                if self.told != trouble && self.pending.lock().entries.is_empty() {
                    self.told.clone_from(&trouble);
                    trouble.map(Message::Notice).into_iter().for_each(self.tell);
                }
            }
        }
    }

    /// Tells what others did; gives what else is to be said.
    fn tell_acts(&self, opened: JournalUpdate) -> Vec<String> {
        self.pending.tell_runs_apart(&opened.entries);
        if !opened.entries.is_empty() {
            (self.tell)(Message::Review(ReviewEvent::Acts(opened.entries, None)));
        }
        opened.troubles
    }
}

#[cfg(test)]
mod tests;
