//! Background jobs as seen from outside: the number of threads, and the fate of a file being
//! written when the program ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::program::{Program, at_home};
use crate::pty::{Pty, Signal};
use tempfile::TempDir;

const SAMPLES: usize = 4_000;

/// A way to end the program: its name, the action, the exit code, and the message.
type Way<'a> = (&'a str, &'a dyn Fn(&Pty), u32, &'a str);

/// Returns rows 1 to 2n with responses of this many bytes: code, a table and words.
fn rows(samples: usize, bytes: usize) -> String {
    let part = "| a | *b* |\\n|---|---|\\n| one | two words |\\n\\n```\\nlet x = 1;\\n```\\n\\n- words of an item\\n\\n";
    let text = part.repeat(bytes / part.len() + 1);
    let row = |sample: usize| {
        format!(
            "{{\"prompt\": \"prompt {sample}\", \"response\": \"{text}\", \"helpfulness\": 1}}\n"
        )
    };
    (1..=samples).map(|sample| row(sample).repeat(2)).collect()
}

/// Creates a home with a file of rows.
fn home(samples: usize, bytes: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("rows.jsonl"), rows(samples, bytes)).expect("written");
    fs::create_dir(folder.path().join("out")).expect("made");
    folder
}

fn start(folder: &Path) -> Pty {
    let mut command = at_home(folder);
    command.cwd(folder);
    command.arg("rows.jsonl");
    Pty::spawn(command, 120, 30)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

#[cfg(target_os = "linux")]
fn threads(pty: &Pty) -> usize {
    fs::read_dir(format!("/proc/{}/task", pty.pid()))
        .expect("the program's threads")
        .count()
}

#[cfg(target_os = "linux")]
#[test]
fn fifty_keys_over_large_rows_build_one_page_at_a_time() {
    let home = home(52, 300_000);
    let pty = start(home.path());
    pty.wait_for(" 1/52");
    // The thread that builds pages starts with the first of them.
    pty.wait_for("rows.jsonl:1 ");
    let before = threads(&pty);
    let mut most = 0;
    for sample in 2..=51 {
        pty.send("j");
        pty.wait_for(&format!(" {sample}/52"));
        most = most.max(threads(&pty));
    }
    assert!(most <= before, "{most} threads, and {before} before");
    // The last request is the one that is answered.
    pty.wait_for("rows.jsonl:101 ");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

/// Returns the peak memory of the program, in megabytes.
#[cfg(target_os = "linux")]
fn most_memory(pty: &Pty) -> u64 {
    let status =
        fs::read_to_string(format!("/proc/{}/status", pty.pid())).expect("the program's state");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a peak");
    line.trim()
        .trim_end_matches("kB")
        .trim()
        .parse::<u64>()
        .expect("a number")
        >> 10
}

#[cfg(target_os = "linux")]
#[test]
fn fifty_keys_at_once_over_large_rows_hold_the_memory_of_few_pages() {
    let home = home(52, 60_000);
    let pty = start(home.path());
    pty.wait_for(" 1/52");
    pty.wait_for("rows.jsonl:1 ");
    let one = most_memory(&pty);
    pty.send("j".repeat(50));
    pty.wait_for(" 51/52");
    pty.wait_for("rows.jsonl:101 ");
    let all = most_memory(&pty);
    eprintln!("{one} MB with the first page, {all} MB after fifty");
    assert!(all <= 3 * one, "{all} MB, and {one} MB with one page");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

/// Starts the program in the middle of an export of this many samples.
fn exporting(folder: &Path, samples: usize) -> Pty {
    let pty = start(folder);
    pty.wait_for(&format!("/{},{:03}", samples / 1000, samples % 1000));
    pty.send(":export result out/all.md\r");
    pty.wait_for("writing out/all.md");
    pty
}

#[test]
fn quitting_ends_an_export_first() {
    // Few enough to be written in time on a busy machine.
    let samples = SAMPLES / 4;
    let home = home(samples, 2_000);
    let pty = exporting(home.path(), samples);
    pty.send("q");
    pty.wait_for("then quits; q aborts");
    // Going on with work cancels quitting.
    pty.send("j");
    pty.wait_gone("then quits; q aborts");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
    assert_eq!(names(&home.path().join("out")), ["all.md"]);
    let written = fs::read_to_string(home.path().join("out/all.md")).expect("read");
    assert!(
        written.contains(&format!("prompt {samples}\n")),
        "to its end"
    );
}

#[test]
fn an_export_that_is_given_up_leaves_nothing() {
    let home = home(SAMPLES, 2_000);
    let ways: [Way<'_>; 5] = [
        (
            "q twice",
            &|pty| pty.send("qq"),
            1,
            "out/all.md was not written",
        ),
        (
            "^C",
            &|pty| pty.send("\x03"),
            1,
            "out/all.md was not written",
        ),
        (
            "TERM",
            &|pty| pty.signal(Signal::TERM),
            143,
            "out/all.md was not written",
        ),
        (
            "HUP",
            &|pty| pty.signal(Signal::HUP),
            129,
            "out/all.md was not written",
        ),
        ("KILL", &|pty| pty.signal(Signal::KILL), 1, ""),
    ];
    for (name, way, code, words) in ways {
        let pty = exporting(home.path(), SAMPLES);
        way(&pty);
        assert_eq!(pty.wait_exit().exit_code(), code, "{name}");
        assert!(pty.screen().contains(words), "{name}: {}", pty.screen());
        let left: Vec<_> = names(&home.path().join("out"));
        assert!(left.is_empty() || name == "KILL", "{name}: {left:?}");
    }
}

/// Finds a subcommand's output while it is being written: by an open descriptor or by a name.
#[cfg(target_os = "linux")]
fn is_writing(process: u32, out: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd"))
        .into_iter()
        .flatten()
        .flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|file: PathBuf| file.starts_with(out))
}

#[cfg(target_os = "linux")]
#[test]
fn signals_leave_a_subcommands_file_whole_or_away() {
    use rustix::process::{Pid, kill_process};
    let home = home(SAMPLES, 2_000);
    let out = home.path().join("out");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL] {
        let mut command = Program::new(&["export", "", "rows.jsonl", "-o", "out/all.md"]);
        let child = command
            .current_dir(home.path())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        while !is_writing(child.id(), &out) {
            std::thread::yield_now();
        }
        let pid = Pid::from_raw(child.id().cast_signed()).expect("a process");
        kill_process(pid, signal).expect("signalled");
        let output = child.wait_with_output().expect("ended");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{signal:?}");
        if signal == Signal::KILL {
            let left = names(&out);
            assert!(left.iter().all(|name| name.ends_with(".part")), "{left:?}");
            continue;
        }
        assert_eq!(
            output.status.code(),
            Some(128 + signal.as_raw()),
            "{signal:?}: {words}"
        );
        assert!(
            words.contains("stopped; nothing was exported"),
            "{signal:?}: {words}"
        );
        assert!(names(&out).is_empty(), "{signal:?}: {:?}", names(&out));
    }
}

#[test]
fn an_interrupt_ends_a_load_then_a_page_then_the_program() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let folder = TempDir::new().expect("a folder");
    let pipe = folder.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let mut command = at_home(folder.path());
    command.arg(&pipe);
    let pty = Pty::spawn(command, 120, 30);
    let mut writer = fs::File::options()
        .write(true)
        .open(&pipe)
        .expect("a reader");
    // The writer never ends.
    std::io::Write::write_all(&mut writer, rows(50, 100).as_bytes()).expect("written");
    pty.wait_for("loading");
    pty.send("S");
    pty.wait_for("who wins");
    pty.send("\x03");
    pty.wait_for("Stopped reading; the rows so far are kept.");
    pty.wait_for("who wins");
    pty.send("\x03");
    pty.wait_for("prompt 1");
    pty.send("\x03");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}
