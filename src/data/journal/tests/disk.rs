//! Disks that are full, fail, or may not be written to.

use std::env;
use std::fs::TryLockError;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;

/// Environment variable with the path of the journal for a child process of the test.
const PLACE: &str = "VISAVIS_TEST_JOURNAL";

/// Returns the command that runs one test of this program, which does nothing without [`PLACE`].
fn child(test: &str) -> String {
    let program = env::current_exe().expect("this program");
    format!(
        "'{}' --exact --nocapture journal::tests::disk::{test}",
        program.display()
    )
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let (_folder, path) = place();
    // A limit on the size of files, in kilobytes, simulates a full disk for one process.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec {}",
        child("on_a_full_disk")
    );
    let status = Command::new("bash")
        .args(["-c", &script])
        .env(PLACE, &path)
        .output()
        .expect("a shell");
    assert!(
        status.status.success(),
        "{}",
        String::from_utf8_lossy(&status.stdout)
    );
    assert!(
        String::from_utf8_lossy(&status.stdout).contains("was full"),
        "the child did its work"
    );
    let opened = JournalFile::new(path).read().expect("read");
    assert_eq!(
        (names(&opened.entries), opened.troubles),
        (vec!["1", "3", "4"], Vec::new())
    );
}

/// The child of `a_full_disk_leaves_nothing_half_written`; does nothing by itself.
#[test]
fn on_a_full_disk() {
    let Some(path) = env::var_os(PLACE).map(PathBuf::from) else {
        return;
    };
    let mut file = JournalFile::new(path.clone());
    // Once into an empty file, once after other acts.
    let large = note("2", "ana", 1, &"long ".repeat(4000));
    file.add(&header(), std::slice::from_ref(&large))
        .expect_err("a full disk");
    assert!(!path.exists(), "no empty file is left");
    file.add(&header(), &[mark("1", "ana", 1, true)])
        .expect("room enough");
    let before = text(&path);
    let error = file
        .add(&header(), &[mark("3", "ana", 3, true), large])
        .expect_err("a full disk")
        .to_string();
    assert!(
        error.contains("free some space") && error.starts_with(&path.display().to_string()),
        "{error}"
    );
    assert_eq!(text(&path), before);
    file.add(&header(), &[mark("3", "ana", 3, true)])
        .expect("room enough");
    file.add(&header(), &[mark("4", "ana", 4, true)])
        .expect("room enough");
    println!("was full");
}

#[test]
fn unsynced_acts_are_removed_and_written_again() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    fn fails_twice(file: &File) -> io::Result<()> {
        match CALLS.fetch_add(1, Ordering::Relaxed) {
            // The first act, and the folder in the second attempt.
            0 | 2 => Err(io::Error::from_raw_os_error(5)),
            _ => file.sync_data(),
        }
    }
    let (_folder, path) = place();
    let mut file = JournalFile::new(path.clone());
    file.sync = fails_twice;
    let acts = [mark("1", "ana", 1, true)];
    for _ in 0..2 {
        let error = file
            .add(&header(), &acts)
            .expect_err("a broken disk")
            .to_string();
        assert!(error.contains("--journal PATH"), "{error}");
        assert!(!path.exists(), "taken back");
    }
    file.add(&header(), &acts).expect("added");
    assert_eq!(CALLS.load(Ordering::Relaxed), 5, "the file and its folder");
    file.add(&header(), &[mark("2", "ana", 2, true)])
        .expect("added");
    assert_eq!(CALLS.load(Ordering::Relaxed), 6, "the folder once");
    let opened = JournalFile::new(path).read().expect("read");
    assert_eq!(
        (names(&opened.entries), opened.troubles),
        (vec!["1", "2"], Vec::new())
    );
}

/// A journal on a file system without locks.
fn without_locks(path: &Path) -> JournalFile {
    let mut file = quick(path);
    // ENOLCK
    file.try_lock = |_| Err(TryLockError::Error(io::Error::from_raw_os_error(37)));
    file
}

#[test]
fn without_locks_a_file_beside_the_journal_is_the_lock() {
    const EACH: usize = 100;
    let (folder, path) = place();
    let write = |who: &'static str| {
        let path = path.clone();
        thread::spawn(move || {
            let (mut file, mut told) = (without_locks(&path), Vec::new());
            for number in 0..EACH {
                let act = note(&format!("{who}-{number}"), who, 1, &"long ".repeat(number));
                told.extend(file.add(&header(), &[act]).expect("added").troubles);
            }
            told
        })
    };
    let lock = format!("{}.lock", path.display());
    let said = format!(
        "{}: the file system has no locks; {lock} is used while writing",
        path.display()
    );
    for writer in ["ana", "ben"].map(write) {
        assert_eq!(writer.join().expect("a writer"), [said.as_str()], "once");
    }
    let opened = without_locks(&path).read().expect("read");
    assert_eq!(
        (opened.entries.len(), opened.troubles),
        (2 * EACH, Vec::new())
    );
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn lock_files_of_ended_programs_are_deleted() {
    let (_folder, path) = place();
    let lock = PathBuf::from(format!("{}.lock", path.display()));
    let add = |file: &mut JournalFile, name: &str| {
        let added = file.add(&header(), &[mark(name, "ana", 1, true)]);
        added.map_err(|error| error.to_string())
    };
    let mut file = without_locks(&path);
    let uname = rustix::system::uname();
    let host = uname.nodename().to_string_lossy();
    // No process has this number.
    fs::write(&lock, format!("{} {host}", i32::MAX)).expect("written");
    add(&mut file, "1").expect("its program has ended");
    for owner in [
        format!("{} {host}", std::process::id()),
        "7 else\x1b".to_owned(),
    ] {
        fs::write(&lock, &owner).expect("written");
        let error = add(&mut file, "2").expect_err("locked");
        let owner = owner.escape_debug();
        assert!(
            error.contains(&format!("locked by process {owner}; if")) && lock.exists(),
            "{error}"
        );
    }
    fs::remove_file(&lock).expect("deleted, as the message says");
    add(&mut file, "2").expect("added");
    assert!(!lock.exists());
    assert_eq!(
        names(&quick(&path).read().expect("read").entries),
        ["1", "2"]
    );
}

#[test]
fn what_others_added_is_not_lost_by_an_error() {
    let (_folder, path) = place();
    let mut file = quick(&path);
    file.add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    quick(&path)
        .add(&header(), &[mark("2", "ben", 2, true)])
        .expect("added");
    fs::write(&path, text(&path) + "torn").expect("written");
    let acts = [mark("3", "ana", 3, true)];
    file.sync = |file| match file.metadata()?.len() {
        ..100 => Ok(()),
        _ => Err(io::Error::other("broken")),
    };
    file.add(&header(), &acts).expect_err("a broken disk");
    file.sync = |_| Ok(());
    let opened = file.add(&header(), &acts).expect("added");
    assert_eq!(
        (names(&opened.entries), opened.troubles.len()),
        (vec!["2"], 1),
        "{:?}",
        opened.troubles
    );
    assert_eq!(
        names(&quick(&path).read().expect("read").entries),
        ["1", "2", "3"]
    );
}

#[test]
fn duplicate_acts_count_once() {
    let (_folder, path) = place();
    let acts = [
        tag("1", "ana", 1, "x", true),
        undo("2", "ana", "1"),
        redo("3", "ana", "1"),
    ];
    quick(&path).add(&header(), &acts).expect("added");
    quick(&path).add(&header(), &acts).expect("added");
    let mut ledger = Ledger::default();
    quick(&path)
        .read()
        .expect("read")
        .entries
        .iter()
        .for_each(|entry| ledger.apply(entry));
    assert_eq!((ledger.len(), ledger.remarks().count()), (3, 1));
}

#[test]
fn places_that_cannot_hold_a_journal() {
    let (folder, path) = place();
    let acts = [mark("1", "ana", 1, true)];
    let null = folder.path().join("null");
    symlink("/dev/full", &null).expect("a link");
    for (path, expected) in [
        (folder.path().join("no/such/folder"), "create its folder"),
        (folder.path().to_owned(), "choose another place"),
        (null, "not a regular file"),
        (path.join("x"), "create its folder"),
    ] {
        let error = JournalFile::new(path.clone())
            .add(&header(), &acts)
            .expect_err("no place")
            .to_string();
        assert!(
            error.starts_with(&path.display().to_string()) && error.contains(expected),
            "{error}"
        );
        assert!(
            error.contains("--journal PATH") && !error.contains('\n'),
            "{error}"
        );
    }
}

#[test]
fn a_file_or_folder_that_may_only_be_read() {
    let (folder, path) = place();
    quick(&path)
        .add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    let before = text(&path);
    let permit = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    permit(&path, 0o444);
    permit(folder.path(), 0o555);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("exec {}", child("in_a_read_only_folder"))])
        .env(PLACE, &path)
        .current_dir("/");
    if rustix::process::geteuid().is_root() {
        command.uid(65_534); // Root may write everywhere.
    }
    let output = command.output().expect("a shell");
    permit(folder.path(), 0o755);
    let said = String::from_utf8_lossy(&output.stdout);
    // Another user may not be able to execute the test program where it is.
    let unreachable = output.status.code() == Some(126) || output.status.code() == Some(127);
    assert!(
        unreachable || (output.status.success() && said.contains("was refused")),
        "{said}"
    );
    assert_eq!(text(&path), before);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

/// The child of `a_file_or_folder_that_may_only_be_read`; does nothing by itself.
#[test]
fn in_a_read_only_folder() {
    let Some(path) = env::var_os(PLACE).map(PathBuf::from) else {
        return;
    };
    for path in [path.clone(), path.with_extension("new")] {
        let mut file = JournalFile::new(path.clone());
        file.read().expect("reading is allowed");
        let error = file
            .add(&header(), &[mark("2", "ana", 2, true)])
            .expect_err("no writing")
            .to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
        assert!(
            error.contains("ermission denied") && error.contains("--journal PATH"),
            "{error}"
        );
    }
    assert_eq!(
        JournalFile::new(path).read().expect("read").entries.len(),
        1
    );
    println!("was refused");
}
