//! Acts on their way to the disk, and the messages about them.

use std::fs::File;
use std::io::Write;

use tempfile::TempDir;

use super::super::driver::Driver;
use super::super::driver::tests::{DEADLINE, loaded, wait};
use super::*;
use crate::app::Action;
use crate::app::App;

const ROWS: &[u8] = include_bytes!("../../../assets/demo/helpsteer2.jsonl");

fn config(path: Option<PathBuf>, remark: Option<&str>) -> JournalConfig {
    JournalConfig {
        path,
        also_read: Vec::new(),
        writes: true,
        reviewer: "ann".to_owned(),
        remark: remark.map(str::to_owned),
        unsaved: None,
    }
}

fn driver(config: JournalConfig) -> Driver {
    loaded(ROWS, config)
}

fn mark(driver: &mut Driver) {
    driver.handle(Message::Action(Action::Mark));
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rows.review.jsonl");
    (folder, path)
}

fn locked(path: &Path) -> File {
    let file = File::create(path).expect("a file");
    file.lock().expect("a lock");
    file
}

fn acts(path: &Path) -> usize {
    std::fs::read_to_string(path)
        .unwrap_or_default()
        .matches("\"act\":")
        .count()
}

#[test]
fn acts_outlast_a_lock() {
    let (_folder, path) = place();
    let lock = locked(&path);
    let mut driver = driver(config(Some(path.clone()), None));
    mark(&mut driver);
    mark(&mut driver);
    let is_reported = |app: &App| {
        app.review
            .saving
            .trouble
            .as_ref()
            .is_some_and(|why| why.contains("locked by another"))
    };
    wait(&mut driver, is_reported);
    assert_eq!((driver.app.review.saving.waiting, acts(&path)), (2, 0));
    drop(lock);
    wait(&mut driver, |app| app.review.saving.waiting == 0);
    assert_eq!(
        (driver.app.review.saving.trouble.as_deref(), acts(&path)),
        (None, 2)
    );
    let left = driver.close_journal();
    assert_eq!((left.entries.len(), left.reason.as_str()), (0, ""));
}

#[test]
fn what_shows_is_what_the_file_comes_to() {
    let (folder, path) = place();
    let elsewhere = folder.path().join("elsewhere.jsonl");
    let mut other = driver(JournalConfig {
        reviewer: "ben".to_owned(),
        ..config(Some(elsewhere.clone()), None)
    });
    mark(&mut other);
    mark(&mut other);
    assert!(other.close_journal().entries.is_empty());

    // Another program writes "marked" and "not marked" before an act that is already on screen
    // reaches the file.
    let mut lock = locked(&path);
    let mut driver = driver(config(Some(path.clone()), None));
    mark(&mut driver);
    let is_marked = |app: &App| app.review.remark(0).is_some_and(|remark| remark.marked);
    assert!(is_marked(&driver.app));
    // The first read failed, so adding finds what the other program wrote.
    wait(&mut driver, |app| app.review.saving.trouble.is_some());
    lock.write_all(&std::fs::read(&elsewhere).expect("a journal"))
        .expect("written");
    drop(lock);
    wait(&mut driver, |app| {
        app.review.saving.waiting == 0 && app.review.ledger.len() == 3
    });
    assert_eq!(acts(&path), 3);
    assert!(is_marked(&driver.app), "the last line of the file says so");
    driver.close_journal();
}

#[test]
fn what_is_locked_out_to_the_end_is_left() {
    let (_folder, path) = place();
    let _lock = locked(&path);
    let mut driver = driver(config(Some(path.clone()), None));
    mark(&mut driver);
    mark(&mut driver);
    let left = driver.close_journal();
    assert_eq!((left.entries.len(), acts(&path)), (2, 0));
    assert!(
        left.reason.contains("locked by another program"),
        "{}",
        left.reason
    );
}

/// Replaces the thread by one that the test controls.
fn test_thread(
    writer: &mut JournalWriter,
) -> (JournalRecorder, (Receiver<WriterCommand>, Sender<()>)) {
    let ((commands, inbox), (end, ended)) = (mpsc::channel(), mpsc::channel());
    writer.thread = Some(WriterThread { commands, ended });
    (writer.recorder(None), (inbox, end))
}

/// Records a mark.
fn record(recorder: &mut JournalRecorder, driver: &Driver, sample: usize) -> bool {
    let dataset = &driver.app.data.dataset;
    let (_, kept) = recorder
        .record(dataset, "ann", Some(sample), Act::Mark { on: true })
        .expect("recorded");
    kept
}

#[test]
fn a_thread_that_dies_or_hangs_takes_no_act_with_it() {
    let driver = driver(config(None, None));
    let mut writer = JournalWriter::new(config(None, None));
    let (mut recorder, thread) = test_thread(&mut writer);
    record(&mut recorder, &driver, 0);
    drop(thread);
    assert!(record(&mut recorder, &driver, 1));
    let left = writer.close();
    assert_eq!(
        (left.entries.len(), left.reason.as_str()),
        (2, "the writer failed")
    );

    let _thread = test_thread(&mut writer);
    let thread = writer.thread.take().expect("a thread");
    let left = writer.end(&thread, Duration::from_millis(10));
    assert_eq!(
        (left.entries.len(), left.reason.as_str()),
        (2, texts::SLOW_DISK)
    );
}

#[test]
fn the_header_is_made_once() {
    let driver = driver(config(None, None));
    let mut writer = JournalWriter::new(config(None, None));
    let (mut recorder, _thread) = test_thread(&mut writer);
    let mut headers = Vec::new();
    for sample in 0..2 {
        record(&mut recorder, &driver, sample);
        headers.push(writer.pending.lock().header.clone());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        headers[0]
            .as_ref()
            .is_some_and(|header| header.first.is_some())
    );
    assert_eq!(headers[0], headers[1]);
}

#[test]
fn a_run_with_a_used_id_prefix_chooses_another() {
    let (_folder, path) = place();
    let mut earlier = driver(config(Some(path.clone()), None));
    mark(&mut earlier);
    assert!(earlier.close_journal().entries.is_empty());
    let text = std::fs::read_to_string(&path).expect("a journal");
    let (_, name) = text.split_once("\"id\":\"").expect("a name");
    let name = &name[..8];
    let mut writer = JournalWriter::new(config(Some(path), None));
    writer.pending.lock().run = name.to_owned();
    let (outbox, inbox) = crossbeam_channel::unbounded();
    writer.open(&outbox);
    let read =
        |wake: &LoopEvent| matches!(wake, LoopEvent::Message(Message::Review(ReviewEvent::Read)));
    while !read(&inbox.recv_timeout(DEADLINE).expect("news")) {}
    assert_ne!(writer.pending.lock().run, name);
    assert!(writer.close().entries.is_empty());
}

#[test]
fn the_place_is_reported_with_the_first_act() {
    let (_folder, path) = place();
    let mut driver = driver(config(Some(path), Some("It is kept there.")));
    assert_eq!(driver.app.notice(), None);
    mark(&mut driver);
    wait(&mut driver, |app| app.notice() == Some("It is kept there."));
    driver.handle(Message::Action(Action::NextSample));
    mark(&mut driver);
    wait(&mut driver, |app| app.review.saving.waiting == 0);
    assert_ne!(driver.app.notice(), Some("It is kept there."), "once");
    driver.close_journal();
}

#[test]
fn unsaved_judgments_are_reported_with_the_first_act() {
    let mut driver = driver(config(None, None));
    assert_eq!(driver.app.notice(), None);
    mark(&mut driver);
    let notice = driver.app.notice().unwrap_or_default();
    assert!(
        notice.contains("last for this run only") && notice.contains("--journal PATH"),
        "{notice}"
    );
    driver.handle(Message::Action(Action::NextSample));
    mark(&mut driver);
    assert!(
        !driver.app.notice().unwrap_or_default().contains("not kept"),
        "once"
    );
}

#[test]
fn read_only_journals_are_read_and_not_written() {
    let (folder, beside) = place();
    let mut other = driver(JournalConfig {
        reviewer: "ben".to_owned(),
        ..config(Some(beside.clone()), None)
    });
    mark(&mut other);
    assert!(other.close_journal().entries.is_empty());
    let before = std::fs::read(&beside).expect("a journal");

    let own = folder.path().join("own.review.jsonl");
    let mut driver = driver(JournalConfig {
        also_read: vec![beside.clone()],
        ..config(Some(own.clone()), Some("It is kept elsewhere."))
    });
    let is_marked = |app: &App| app.review.remark(0).is_some_and(|remark| remark.marked);
    wait(&mut driver, is_marked);
    mark(&mut driver);
    wait(&mut driver, |app| {
        app.notice() == Some("It is kept elsewhere.")
    });
    assert!(!is_marked(&driver.app) && driver.close_journal().entries.is_empty());
    assert_eq!(
        (acts(&own), std::fs::read(&beside).expect("a journal")),
        (1, before)
    );
}
