//! Files that others write to while the real program reads them: no wrong number, no wrong row, no
//! panic, and the terminal is restored.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{PROGRAM, Program};
use crate::pty::Pty;
use portable_pty::CommandBuilder;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::SIGTSTP;
use tempfile::TempDir;

const MAP: &str = "prompt=p,a=a,b=b";

fn row(number: usize, word: &str) -> String {
    format!(
        "{{\"p\": \"question {number:05} {word}\", \"a\": \"é ü 你好 {word} {number:05}\", \"b\": \"no {number:05}\"}}\n"
    )
}

fn rows(count: usize, word: &str) -> String {
    (0..count).map(|number| row(number, word)).collect()
}

fn file_and_pipe(folder: &TempDir) -> (PathBuf, PathBuf) {
    let (file, pipe) = (folder.path().join("data.jsonl"), folder.path().join("more"));
    fs::write(&file, rows(300, "alpha")).expect("written");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    (file, pipe)
}

/// Runs the program on a file and a pipe after it, and changes the file while the program waits for
/// the pipe.
fn changed_meanwhile(
    before: &[&str],
    after: &[&str],
    stdin: bool,
    act: &dyn Fn(&Path),
) -> (Option<i32>, String, String) {
    let folder = TempDir::new().expect("a folder");
    let (file, pipe) = file_and_pipe(&folder);
    let [name, pipe] = [&file, &pipe].map(|path| path.to_str().expect("a name"));
    let out = folder.path().join("out");
    let out = out.to_str().expect("a name");
    let mut arguments = before.to_vec();
    arguments.extend([if stdin { "-" } else { name }, pipe, "--map", MAP]);
    arguments.extend(
        after
            .iter()
            .map(|word| if *word == "OUT" { out } else { *word }),
    );
    let mut program = Program::new(&arguments);
    if stdin {
        program.stdin(File::open(&file).expect("opened"));
    }
    let child = program
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    // Once the pipe is being read, the file is open too.
    let mut writer = File::options().write(true).open(pipe).expect("a reader");
    act(&file);
    // A program that has noticed the change has ended, and the pipe has no reader.
    match writer.write_all(rows(3, "alpha").as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.expect("written"),
    }
    drop(writer);
    let done = child.wait_with_output().expect("ended");
    assert!(
        !Path::new(out).exists() || done.status.success(),
        "a file was left"
    );
    let [said, complained] =
        [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    (done.status.code(), said, complained)
}

#[test]
fn what_changes_while_it_is_read_gives_no_number() {
    let rewritten: &dyn Fn(&Path) = &|path| {
        let file = File::options().write(true).open(path).expect("opened");
        file.write_all_at(rows(300, "gamma").as_bytes(), 0)
            .expect("written");
    };
    let shrunk: &dyn Fn(&Path) = &|path| {
        File::options()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(1000))
            .expect("shrunk");
    };
    let grown: &dyn Fn(&Path) = &|path| {
        let mut file = File::options().append(true).open(path).expect("opened");
        file.write_all(row(7, "alpha").as_bytes()).expect("written");
    };
    for act in [rewritten, shrunk, grown] {
        for (before, after) in [
            (&["count", ""][..], &[][..]),
            (&["count", "alpha"], &[]),
            (&["count", "gamma"], &[]),
            (&["export", "alpha"], &["-o", "OUT", "--format", "jsonl"]),
            (&["export", "alpha"], &["-o", "OUT", "--format", "csv"]),
            (&["list", "alpha"], &[]),
            (&["check"], &[]),
            (&["report"], &["-o", "OUT"]),
            (&[], &["--print"]),
        ] {
            for stdin in [false, true] {
                // A report needs a journal, which standard input does not have.
                if stdin && before == ["report"] {
                    continue;
                }
                let (code, said, complained) = changed_meanwhile(before, after, stdin, act);
                let what = format!("{before:?} {after:?} {stdin}: {said} {complained}");
                assert_eq!((code, said.as_str()), (Some(3), ""), "{what}");
                let name = if stdin {
                    "standard input "
                } else {
                    "data.jsonl "
                };
                let told = complained.contains(name)
                    && ["changed after it was opened", "became shorter"]
                        .iter()
                        .any(|words| complained.contains(words));
                assert!(
                    told && complained.contains("; read it again once"),
                    "{what}"
                );
            }
        }
    }
    let (code, said, complained) = changed_meanwhile(&["count", "alpha"], &[], false, &|_| {});
    assert_eq!(
        (code, said.as_str(), complained.as_str()),
        (Some(0), "303\n", "")
    );
    // Replacing the file leaves the open one unchanged.
    let replaced: &dyn Fn(&Path) = &|path| {
        fs::write(path.with_extension("new"), rows(5, "gamma")).expect("written");
        fs::rename(path.with_extension("new"), path).expect("renamed");
    };
    assert_eq!(
        changed_meanwhile(&["count", "alpha"], &[], false, replaced).1,
        "303\n"
    );
}

fn screen_of(file: &Path) -> Pty {
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(["--map", MAP]);
    command.arg(file);
    let pty = Pty::spawn(command, 120, 30);
    pty.wait_for("1/300");
    pty
}

#[test]
fn on_the_screen_nothing_is_right_that_cannot_be_vouched_for() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("data.jsonl");
    fs::write(&file, rows(300, "alpha")).expect("written");
    let pty = screen_of(&file);
    let writer = File::options().write(true).open(&file).expect("opened");
    writer
        .write_all_at(rows(300, "gamma").as_bytes(), 0)
        .expect("written");
    // A search without hits says why, without another key.
    pty.send("/alpha\r");
    pty.wait_for("data.jsonl was modified");
    pty.wait_for("R reloads it");
    pty.wait_for("No remaining sample matches");
    assert!(
        !pty.screen().contains("No sample matches"),
        "{}",
        pty.screen()
    );
    pty.send("\x1b");
    pty.wait_for("question 00000 alpha");
    // The row now in its place is neither shown as that sample nor marked.
    pty.send("j");
    pty.wait_for("The row cannot be read any more");
    assert!(!pty.screen().contains("gamma"), "{}", pty.screen());
    pty.send("m");
    pty.wait_for("Nothing was recorded");
    assert!(!file.with_extension("jsonl.review.jsonl").exists());
    pty.send("R");
    pty.wait_for("question 00001 gamma");
    pty.send("m");
    pty.wait_for("saved");
    pty.send("q");
    pty.wait_exit();
    pty.given_back();
}

/// The states that a file cycles through: each is one write away from the previous one.
struct Rewriting {
    states: Vec<Vec<u8>>,
    /// Indices of complete versions.
    whole: Vec<usize>,
}

/// Bytes written at a time.
const PIECE: usize = 16 << 10;

impl Rewriting {
    fn new() -> Self {
        let first = rows(600, "alpha").into_bytes();
        let other = rows(600, "gamma").into_bytes();
        // Same length, but each two-byte character overlaps two old ones.
        let mut shifted = first.clone();
        shifted.rotate_right(1);
        let cut = first[..first.len() / 3].to_vec();
        let (mut states, mut whole) = (vec![first.clone()], Vec::new());
        for goal in [other, shifted, cut, first] {
            let mut now = states.last().cloned().unwrap_or_default();
            now.truncate(goal.len());
            states.push(now.clone());
            for (at, piece) in goal
                .chunks(PIECE)
                .enumerate()
                .map(|(number, piece)| (number * PIECE, piece))
            {
                now.resize(now.len().max(at + piece.len()), 0);
                now[at..at + piece.len()].copy_from_slice(piece);
                states.push(now.clone());
            }
            whole.push(states.len() - 1);
        }
        Self { states, whole }
    }

    /// Rewrites a file in place until `over`; sometimes a complete version stays for longer than a
    /// count takes. Every second time, opens the file for each write so that readers may map it in
    /// between. Returns how long it waited for that.
    fn run(&self, path: &Path, over: &AtomicBool) -> Vec<Duration> {
        let open = || File::options().write(true).open(path).expect("opened");
        let (mut versions, mut waits, mut kept) = (0, Vec::new(), None);
        while !over.load(Ordering::Relaxed) {
            kept = kept.is_none().then(open);
            for (state, (before, now)) in self.states.iter().zip(&self.states[1..]).enumerate() {
                let from = before
                    .iter()
                    .zip(now)
                    .position(|(before, now)| before != now)
                    .unwrap_or(before.len());
                let start = Instant::now();
                let opened = kept.is_none().then(open);
                waits.push(start.elapsed());
                let Some(file) = kept.as_ref().or(opened.as_ref()) else {
                    continue;
                };
                if now.len() < before.len() {
                    file.set_len(now.len() as u64).expect("shrunk");
                } else if from < now.len() {
                    let end = now.len().min(from / PIECE * PIECE + PIECE);
                    file.write_all_at(&now[from..end], from as u64)
                        .expect("written");
                }
                drop(opened);
                versions += usize::from(self.whole.contains(&(state + 1)));
                // Not a multiple of their number: each version gets its turn.
                if self.whole.contains(&(state + 1)) && versions % 331 == 0 {
                    thread::sleep(Duration::from_millis(700));
                }
            }
        }
        waits
    }

    /// Returns the number of samples of each state that contain a word.
    fn counts(&self, word: &str) -> Vec<usize> {
        let holds = |line: &&[u8]| line.windows(word.len()).any(|part| part == word.as_bytes());
        let count = |state: &Vec<u8>| state.split(|&byte| byte == b'\n').filter(holds).count();
        self.states.iter().map(count).collect()
    }
}

/// Runs the screen for a fifth of a second.
fn session(file: &Path) {
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(["--map", MAP]);
    command.arg(file);
    let pty = Pty::spawn(command, 100, 30);
    pty.wait_screen("anything", |screen| !screen.trim().is_empty());
    for keys in [
        "fa:alpha\r",
        "jjj",
        "/gamma\r",
        "nnn",
        " ",
        "G",
        "\x1b",
        "/你好 que\r",
        "jj",
        "f\x15\r",
        "gjjj",
        "R",
        "jGk",
    ] {
        pty.send(keys);
        thread::sleep(Duration::from_millis(15));
    }
    // The first ones close what a busy machine left open, such as a line whose Enter came too early.
    for _ in 0..20 {
        pty.send("\x03");
        if pty.ends_within(Duration::from_secs(1)) {
            break;
        }
    }
    let status = pty.wait_exit();
    let said = String::from_utf8_lossy(&pty.raw()).into_owned();
    assert!(
        !said.contains("panicked") && !said.contains("bug in the program"),
        "{said}"
    );
    // A ^C after the terminal was given back is the signal.
    assert!(
        status.signal().is_none_or(|name| name == "Interrupt") && status.exit_code() <= 3,
        "{status:?}: {said}"
    );
    pty.given_back();
}

/// Runs `count`. Returns whether it printed a number.
fn count(file: &Path, word: &str, counts: &[usize]) -> bool {
    let name = file.to_str().expect("a name");
    let done = Program::new(&["count", word, name, "--map", MAP])
        .output()
        .expect("ended");
    let [said, complained] =
        [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    match done.status.code() {
        Some(0) => {
            let number = said.trim().parse().expect("a number");
            assert!(
                counts.contains(&number),
                "{word}: {number} is the count of no state of the file"
            );
            true
        }
        Some(3) => {
            assert!(
                said.is_empty() && complained.contains("data.jsonl "),
                "{said} {complained}"
            );
            false
        }
        other => panic!("{other:?}: {said} {complained}"),
    }
}

#[test]
fn a_file_rewritten_in_place_all_the_time() {
    // More for a long run: VISAVIS_SESSIONS=500.
    let sessions = std::env::var("VISAVIS_SESSIONS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(20_usize);
    let folder = TempDir::new().expect("a folder");
    let (path, rewriting) = (folder.path().join("data.jsonl"), Rewriting::new());
    fs::write(&path, &rewriting.states[0]).expect("written");
    let (over, told) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let writer = scope.spawn(|| rewriting.run(&path, &over));
        let work = scope.spawn(|| {
            let words = ["alpha", "gamma", "question"].map(|word| (word, rewriting.counts(word)));
            for number in 0..10 * sessions {
                // On a busy machine, it can take more until a count ends between two changes.
                if number >= sessions && told.load(Ordering::Relaxed) > 0 {
                    break;
                }
                session(&path);
                for (word, counts) in &words {
                    told.fetch_add(usize::from(count(&path, word, counts)), Ordering::Relaxed);
                }
                if number % 50 == 49 {
                    eprintln!(
                        "{} sessions, {} counts of {} told",
                        number + 1,
                        told.load(Ordering::Relaxed),
                        3 * (number + 1)
                    );
                }
            }
        });
        let done = work.join();
        over.store(true, Ordering::Relaxed);
        done.expect("no session failed");
        let mut waits = writer.join().expect("the writer never fails");
        waits.sort_unstable();
        let [median, longest] = [waits.len() / 2, waits.len() - 1].map(|at| waits[at]);
        eprintln!(
            "opened for writing {} times: {median:?} (median), {longest:?} (longest)",
            waits.len()
        );
    });
    // Otherwise nothing was compared.
    assert!(
        told.load(Ordering::Relaxed) > 0,
        "no count printed a number"
    );
}

/// A file of this many thousand rows; 400 take some seconds in a debug build.
#[cfg(target_os = "linux")]
fn long_file(folder: &TempDir, thousands: usize) -> PathBuf {
    let path = folder.path().join("data.jsonl");
    let text = rows(1000, "alpha").repeat(thousands);
    fs::write(&path, text).expect("written");
    path
}

/// Starts a count and waits until the file is mapped. `None` if the program ended before that was
/// seen.
#[cfg(target_os = "linux")]
fn counting(path: &Path, query: &str) -> Option<(Program, Child)> {
    let name = path.to_str().expect("a name");
    let mut program = Program::new(&["count", query, name, "--map", MAP]).in_own_group();
    let child = program
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.expect("started");
    let maps = format!("/proc/{}/maps", child.id());
    while !fs::read_to_string(&maps).is_ok_and(|maps| maps.contains(name)) {
        if child.try_wait().expect("a process").is_some() {
            return None;
        }
        thread::yield_now();
    }
    Some((program, child))
}

/// Returns the signals of one kind (`SigBlk`, `SigIgn`) in the status of a process, with signal 1
/// as the lowest bit.
#[cfg(target_os = "linux")]
fn signals(process: u32, kind: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let bits = (status.lines())
        .find_map(|line| line.strip_prefix(kind)?.strip_prefix(':'))
        .expect(kind);
    u64::from_str_radix(bits.trim(), 16).expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn a_scan_maps_the_file_and_gives_way_when_it_is_stopped() {
    // A program inherits ignored signals from its parent (some CI runners ignore SIGTSTP), but not
    // handlers.
    signal_hook::flag::register(SIGTSTP, Arc::default()).expect("a handler");
    let blocked = signals(std::process::id(), "SigBlk");
    if blocked >> (SIGTSTP - 1) & 1 == 1 {
        eprintln!("skipped: SIGTSTP is blocked here");
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = long_file(&folder, 400);
    // A process that another test is starting may hold the file open for writing; then the file is
    // copied.
    let (_home, child) = (0..20)
        .find_map(|_| counting(&path, "alpha"))
        .expect("mapped before it ended");
    let ignored = signals(child.id(), "SigIgn");
    let process = Pid::from_raw(i32::try_from(child.id()).expect("a number")).expect("a process");
    kill_process(process, Signal::TSTP).expect("signalled");
    let state = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("a process");
        stat.rsplit(')')
            .next()
            .and_then(|rest| rest.trim().chars().next())
    };
    loop {
        match state() {
            Some('T') => break,
            Some('Z') => panic!("ended without a stop; it ignores {ignored:#x}"),
            _ => thread::yield_now(),
        }
    }
    // With O_NONBLOCK, opening fails while there is a lease.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let writer = File::options().append(true).custom_flags(flags).open(&path);
    drop(writer.expect("no lease"));
    kill_process(process, Signal::CONT).expect("signalled");
    let done = child.wait_with_output().expect("ended");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "400000\n");
}

/// A regex takes minutes on a line of some megabytes, in a debug build even on a shorter one.
#[cfg(target_os = "linux")]
#[test]
fn writers_do_not_wait_for_a_slow_query() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("data.jsonl");
    let text = "some words of an answer ".repeat(40_000);
    let row = format!("{{\"p\": \"question\", \"a\": \"{text}\", \"b\": \"no\"}}\n");
    fs::write(&path, &row).expect("written");
    let query = r"/(?:\w+\s){1,60}Q/";
    let (_home, mut child) = (0..20)
        .find_map(|_| counting(&path, query))
        .expect("mapped before it ended");
    // Through the whole query the piece would be in use.
    for _ in 0..3 {
        let writer = File::options().write(true).open(&path).expect("opened");
        let rewritten = row.replace("words", "texts");
        writer
            .write_all_at(rewritten.as_bytes(), 0)
            .expect("written");
    }
    let ended = child.try_wait().expect("a process");
    assert_eq!(ended, None, "the query still runs, on its own bytes");
    child.kill().expect("signalled");
    child.wait().expect("ended");
}

/// `docker exec` and `nsenter` start programs whose session is outside their PID namespace: its
/// number is 0.
#[cfg(target_os = "linux")]
#[test]
fn a_scan_gives_way_in_a_pid_namespace_too() {
    let this = std::env::current_exe().expect("a test");
    let this = this.to_str().expect("a name");
    let stopped = "rewriting::a_scan_maps_the_file_and_gives_way_when_it_is_stopped";
    let in_namespace = |command: &[&str]| {
        let arguments = [&["--pid", "--fork", "--mount-proc"], command].concat();
        Program::other("unshare", &arguments)?.output().ok()
    };
    if !in_namespace(&["true"]).is_some_and(|done| done.status.success()) {
        eprintln!("skipped: no PID namespace can be made here");
        return;
    }
    let done = in_namespace(&[this, "--exact", stopped]).expect("ended");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("1 passed"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_of_another_user_is_copied() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can run a program as another user");
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("data.jsonl");
    fs::write(&path, rows(300, "alpha")).expect("written");
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), permissions).expect("set");
    let name = path.to_str().expect("a name");
    for (user, how) in [(0, "memory-mapped"), (65534, "another user owns the file")] {
        let arguments = [
            "--print", "--size", "160x60", "--keys", "v", name, "--map", MAP,
        ];
        let done = Program::of_user(user, &arguments).output().expect("ended");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(said.contains(how), "{user}: {said}");
        let arguments = ["count", "alpha", name, "--map", MAP];
        let done = Program::of_user(user, &arguments).output().expect("ended");
        assert_eq!(String::from_utf8_lossy(&done.stdout), "300\n", "{user}");
    }
}

#[test]
fn the_setting_never_maps() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("data.jsonl");
    fs::write(&path, rows(300, "alpha")).expect("written");
    let name = path.to_str().expect("a name");
    let arguments = [
        "--print", "--size", "160x60", "--keys", "v", name, "--map", MAP,
    ];
    let config = folder.path().join("visavis");
    fs::create_dir(&config).expect("made");
    fs::write(config.join("config.toml"), "map = \"never\"\n").expect("written");
    let done = Program::new(&arguments)
        .env("XDG_CONFIG_HOME", folder.path())
        .output();
    let said = String::from_utf8_lossy(&done.expect("ended").stdout).into_owned();
    assert!(
        said.contains("copied before reading (map = never)"),
        "{said}"
    );
}
