//! Keeps the journal: gives acts their names, has them written on a thread of their own, in order, and tells what others wrote.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use super::driver::{Alarm, Outbox, Wake};
use crate::app::{App, Message, News};
use crate::dataset::{Buffers, Dataset};
use crate::journal::{Act, Entry, EntryId, Header, JournalFile, Opened, Spot, now, run_id};

/// How long after a failure it is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long the program waits at its end for what is being written.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where acts are kept, and by whom they are done.
#[derive(Debug, Clone, Default)]
pub(super) struct Desk {
    /// The journal.
    pub(super) path: Option<PathBuf>,
    /// Whether it is written; otherwise acts last as long as the program.
    pub(super) writes: bool,
    /// Who.
    pub(super) reviewer: String,
    /// What is to be said about the place.
    pub(super) remark: Option<String>,
}

/// See the module.
pub(super) struct Journalist {
    desk: Desk,
    run: String,
    number: u64,
    writer: Option<Writer>,
    buffers: Buffers,
}

struct Writer {
    orders: Sender<Order>,
    /// What could not be written when the thread ended, and why.
    left: Receiver<Left>,
}

/// What is not on disk at the end.
#[derive(Debug, Default)]
pub(super) struct Left {
    pub(super) entries: Vec<Entry>,
    pub(super) reason: String,
}

enum Order {
    Add(Box<(Header, Entry)>),
    Look,
    Close,
}

impl Journalist {
    pub(super) fn new(desk: Desk) -> Self {
        Self { desk, run: run_id(), number: 0, writer: None, buffers: Buffers::default() }
    }

    /// Reads what is there; where acts are written, on the thread that will write them.
    pub(super) fn open(&mut self, outbox: &Outbox) {
        let Some(path) = self.desk.path.clone() else {
            drop(outbox.send(Wake::Message(Message::Review(News::Read))));
            return;
        };
        if !self.desk.writes {
            let news = read(&mut JournalFile::new(path));
            let news = news.into_iter().chain([Message::Review(News::Read)]);
            news.for_each(|message| drop(outbox.send(Wake::Message(message))));
            return;
        }
        let (orders, inbox) = mpsc::channel();
        let (leave, left) = mpsc::channel();
        let outbox = outbox.clone();
        let started = std::thread::Builder::new().name("journal".to_owned()).spawn(move || {
            let _alarm = Alarm(outbox.clone());
            let tell = |message| drop(outbox.send(Wake::Message(message)));
            let mut file = JournalFile::new(path);
            read(&mut file).into_iter().chain([Message::Review(News::Read)]).for_each(tell);
            drop(leave.send(keep(file, &inbox, &tell)));
        });
        // Without a thread nothing is ever called saved.
        if started.is_ok() {
            self.writer = Some(Writer { orders, left });
        }
    }

    /// Where the journal is.
    pub(super) fn path(&self) -> Option<&Path> {
        self.desk.path.as_deref()
    }

    /// Looks whether others wrote something.
    pub(super) fn look(&self) {
        if let Some(writer) = &self.writer {
            drop(writer.orders.send(Order::Look));
        }
    }

    /// Makes an entry of an act and has it written.
    ///
    /// # Errors
    /// When the sample that it is about cannot be read.
    pub(super) fn record(&mut self, app: &App, sample: Option<usize>, act: Act) -> Result<(Entry, bool), String> {
        let dataset = app.dataset();
        let spot = match sample {
            Some(sample) => Some(
                spot(dataset, sample, &mut self.buffers).ok_or("The sample cannot be read: nothing was recorded.")?,
            ),
            None => None,
        };
        self.number += 1;
        let id = EntryId(format!("{}-{}", self.run, self.number).into());
        let entry = Entry { id, time: now(), reviewer: app.review().reviewer().into(), spot, act };
        let kept = self.writer.is_some();
        if let Some(writer) = &self.writer {
            let header = header(dataset, &entry.time, &mut self.buffers);
            drop(writer.orders.send(Order::Add(Box::new((header, entry.clone())))));
        }
        Ok((entry, kept))
    }

    /// Has the last acts written; gives those that could not be.
    pub(super) fn close(&mut self) -> Left {
        let Some(writer) = self.writer.take() else { return Left::default() };
        drop(writer.orders.send(Order::Close));
        writer.left.recv_timeout(PATIENCE).unwrap_or_else(|_| Left {
            entries: Vec::new(),
            reason: "the journal is locked by another program, or its disk does not answer".to_owned(),
        })
    }
}

/// Where a sample stands, and its key.
fn spot(dataset: &Dataset, sample: usize, buffers: &mut Buffers) -> Option<Spot> {
    let key = dataset.key(sample, buffers)?;
    let place = dataset.place(dataset.sample_rows(sample)?.first)?;
    Some(Spot { sample: key, file: file_name(dataset.files().get(place.file)?.source.name()), row: place.row })
}

fn file_name(name: &str) -> Arc<str> {
    name.rsplit('/').next().unwrap_or(name).into()
}

fn header(dataset: &Dataset, time: &str, buffers: &mut Buffers) -> Header {
    let files = dataset.files();
    Header {
        journal: 1,
        visavis: env!("CARGO_PKG_VERSION").to_owned(),
        time: time.to_owned(),
        files: files.iter().map(|file| file_name(file.source.name()).to_string()).collect(),
        schema: files.first().map(|file| file.schema.definition().name.clone()).unwrap_or_default(),
        first: dataset.key(0, buffers),
    }
}

/// The thread: acts are written as they come, all that wait at once; what fails is tried again.
fn keep(mut file: JournalFile, inbox: &Receiver<Order>, tell: &dyn Fn(Message)) -> Left {
    let (mut left, mut header, mut closing) = (Left::default(), None, false);
    while !closing {
        let first = match left.entries.is_empty() {
            true => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => inbox.recv_timeout(AGAIN),
        };
        let mut look = false;
        let mut take = |order| match order {
            Order::Add(added) => {
                let (head, entry) = *added;
                header = Some(head);
                left.entries.push(entry);
            }
            Order::Look => look = true,
            Order::Close => closing = true,
        };
        match first {
            Ok(order) => take(order),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => take(Order::Close),
        }
        inbox.try_iter().for_each(take);
        if let Some(header) = header.as_ref().filter(|_| !left.entries.is_empty()) {
            add(&mut file, header, &mut left, tell);
        } else if look && !closing {
            read(&mut file).into_iter().for_each(tell);
        }
    }
    left
}

fn add(file: &mut JournalFile, header: &Header, left: &mut Left, tell: &dyn Fn(Message)) {
    let folder = file.path().parent().filter(|folder| !folder.as_os_str().is_empty());
    // The user's own data folder is made when it is needed; beside the data there is one.
    folder.map(std::fs::create_dir_all);
    match file.add(header, &left.entries) {
        Ok(opened) => {
            tell(Message::Review(News::Saved(left.entries.len())));
            left.entries.clear();
            messages(opened).into_iter().for_each(tell);
        }
        Err(error) => {
            left.reason = error.to_string();
            tell(Message::Review(News::NotSaved(left.reason.clone())));
        }
    }
}

fn read(file: &mut JournalFile) -> Vec<Message> {
    if !file.has_news() {
        return Vec::new();
    }
    match file.read() {
        Ok(opened) => messages(opened),
        Err(error) => vec![Message::Notice(error.to_string())],
    }
}

fn messages(opened: Opened) -> Vec<Message> {
    let acts = (!opened.entries.is_empty()).then(|| Message::Review(News::Acts(opened.entries, None)));
    acts.into_iter().chain(opened.troubles.into_iter().map(Message::Notice)).collect()
}
