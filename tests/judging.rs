//! A reviewer at work: what is reported as saved survives a kill, and what is hidden shows nowhere.

// A failed helper is a failed test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::program::{self, Program};
use crate::pty::{Pty, Signal};
use crate::terminal::press_until;
use portable_pty::CommandBuilder;
use visavis::{plain_text, render};

/// How often the program is killed.
const KILLS: u64 = 100;
const SAMPLES: usize = 40;

/// Rows 1 to 2n: each pair has its own prompt.
fn rows() -> String {
    let row = |sample: usize, side: &str| {
        format!(
            "{{\"prompt\": \"prompt {sample}\", \"response\": \"{side}\", \"helpfulness\": 1, \"correctness\": 1, \
             \"coherence\": 1, \"complexity\": 1, \"verbosity\": 1}}\n"
        )
    };
    (1..=SAMPLES)
        .map(|sample| row(sample, "one") + &row(sample, "two"))
        .collect()
}

/// The program with its own home, on a file in it.
fn judging(folder: &Path, more: &[&str]) -> CommandBuilder {
    let mut command = program::at_home(folder);
    if !more.contains(&"--reviewer") {
        command.args(["--reviewer", "ann"]);
    }
    command.args(more);
    command.arg(folder.join("rows.jsonl"));
    command
}

/// Pseudo-random numbers, for moments to kill the program.
fn chance(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

/// Returns the rows of samples that a journal marks; every complete line must be valid.
fn marked(journal: &Path) -> BTreeSet<u64> {
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    let mut marked = BTreeSet::new();
    for line in text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
    {
        let entry: serde_json::Value = serde_json::from_str(line).expect("a whole line reads");
        if entry["act"] == "mark" {
            marked.insert(entry["row"].as_u64().expect("a row"));
        }
    }
    marked
}

/// Returns how many samples a file of acts records as seen.
fn seen(acts: &Path) -> usize {
    let text = std::fs::read_to_string(acts).expect("a file");
    let entries = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line reads"));
    entries
        .filter(|entry| entry["act"] == "seen")
        .map(|entry| entry["keys"].as_array().map_or(0, Vec::len))
        .sum()
}

#[test]
fn what_the_screen_called_saved_survives_a_hundred_kills() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let journal = folder.path().join("rows.jsonl.review.jsonl");
    let mut saved = BTreeSet::new();
    for kill in 0..KILLS {
        let pty = Pty::spawn(judging(folder.path(), &["--fresh"]), 100, 24);
        pty.wait_for(&format!(" 1/{SAMPLES}"));
        let first = 1 + kill as usize % (SAMPLES - 6);
        pty.send(format!("{first}g"));
        pty.wait_for(&format!(" {first}/{SAMPLES}"));
        for step in 0..chance(kill) % 4 {
            // The last act's notice is gone before the next act.
            pty.send("j");
            let sample = first + step as usize + 1;
            pty.wait_for(&format!(" {sample}/{SAMPLES}"));
            pty.wait_gone("saved");
            pty.send("m");
            pty.wait_for("saved");
            saved.insert(2 * sample as u64 - 1);
        }
        // Some acts without waiting, and a kill while they are being written.
        pty.send("jmjm");
        std::thread::sleep(Duration::from_micros(chance(kill + 1000) % 12_000));
        pty.signal(Signal::KILL);
        pty.wait_exit();
        let there = marked(&journal);
        let lost: Vec<_> = saved.difference(&there).collect();
        assert!(lost.is_empty(), "kill {kill} lost {lost:?}");
    }
    assert!(
        saved.len() > SAMPLES / 2,
        "enough was saved to be lost: {}",
        saved.len()
    );
    // What follows is read by a program that is not killed.
    let pty = Pty::spawn(
        judging(folder.path(), &["--keys", "fis:marked<enter>"]),
        100,
        24,
    );
    pty.wait_for(&format!(" of {SAMPLES}"));
    pty.send("q");
    assert!(pty.wait_exit().success());
}

/// Returns the texts of the notes in a journal.
fn notes(journal: &Path) -> Vec<String> {
    let journal = std::fs::read_to_string(journal).expect("a journal");
    let acts = journal.lines();
    let acts = acts.filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let notes = acts.filter(|act| act["act"] == "note");
    notes.map(|act| act["text"].to_string()).collect()
}

/// A broken connection loses no note that is being written.
#[test]
fn a_note_that_is_being_written_outlasts_the_terminal() {
    for signal in [Signal::HUP, Signal::TERM] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
        let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
        pty.wait_for(&format!(" 1/{SAMPLES}"));
        pty.send("je");
        pty.wait_for("note");
        pty.send("half a sent");
        pty.wait_for("half a sent");
        pty.signal(signal);
        assert!(!pty.wait_exit().success());
        let journal = folder.path().join("rows.jsonl.review.jsonl");
        assert_eq!(notes(&journal), [r#""half a sent""#]);
        // Unconfirmed text neither deletes nor replaces a saved note.
        for (erases, expected) in [(true, None), (false, Some(r#""half a sent\nother""#))] {
            let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
            pty.wait_for("half a sent");
            pty.send("e");
            pty.wait_for("save");
            pty.send("\x15other");
            pty.wait_for("other");
            if erases {
                pty.send("\x15");
                pty.wait_gone("other");
            }
            pty.signal(signal);
            pty.wait_exit();
            let added = notes(&journal).into_iter().nth(1);
            assert_eq!(added.as_deref(), expected);
        }
    }
}

#[test]
fn a_note_that_is_being_written_outlasts_every_signal_that_ends_a_program() {
    let names = "USR1 USR2 ALRM VTALRM PROF XCPU";
    #[cfg(target_os = "linux")]
    let names = format!("{names} IO PWR STKFLT 34 50 64");
    for name in names.split(' ') {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
        let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
        pty.wait_for(&format!(" 1/{SAMPLES}"));
        pty.send("ehalf a sent");
        pty.wait_for("half a sent");
        pty.signal_named(name);
        assert!(pty.wait_exit().signal().is_some(), "{name}: its own status");
        pty.given_back();
        let journal = folder.path().join("rows.jsonl.review.jsonl");
        assert_eq!(notes(&journal), [r#""half a sent""#], "{name}");
    }
}

/// The folder may be on a disk that was unmounted: a folder in its place would hide the data.
#[test]
fn acts_wait_while_the_folder_of_the_data_is_moved_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, moved] = ["data", "moved"].map(|name| folder.path().join(name));
    std::fs::create_dir(&data).expect("made");
    std::fs::write(data.join("rows.jsonl"), rows()).expect("written");
    let mut command = program::at_home(folder.path());
    command.arg(data.join("rows.jsonl"));
    let pty = Pty::spawn(command, 100, 24);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    std::fs::rename(&data, &moved).expect("moved");
    pty.send("eto be kept\x13");
    pty.wait_for("NOT SAVED");
    assert!(!data.exists());
    std::fs::rename(&moved, &data).expect("moved back");
    pty.wait_gone("NOT SAVED");
    pty.send("q");
    assert!(pty.wait_exit().success());
    let journal = std::fs::read_to_string(data.join("rows.jsonl.review.jsonl"));
    assert!(journal.expect("a journal").contains("to be kept"));
}

/// The keys after a note are keys: Enter saves it, and Escape closes it.
#[test]
fn a_note_takes_no_keys_after_enter_or_escape() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    pty.send("eone");
    pty.wait_for("Enter save");
    pty.send("\x1b\rtwo\nthree");
    pty.wait_for(" three");
    pty.send("\r");
    pty.wait_for("saved");
    pty.send("j");
    pty.wait_for(&format!(" 2/{SAMPLES}"));
    pty.send("ehalf");
    pty.wait_for(" half");
    pty.send("\x1b");
    pty.wait_for("e brings its text back");
    pty.send("jke");
    pty.wait_for(" half");
    pty.send(" a note\r");
    pty.wait_gone("your editor");
    pty.send("q");
    assert!(pty.wait_exit().success());
    let journal = std::fs::read_to_string(folder.path().join("rows.jsonl.review.jsonl"));
    let journal = journal.expect("a journal");
    for text in [r#""text":"one\ntwo\nthree""#, r#""text":"half a note""#] {
        assert!(journal.contains(text), "{journal}");
    }
}

/// Two people on one login must not judge under one name without knowing.
#[test]
fn an_audit_under_the_login_name_asks_who_judges() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let audit = |more: &[&str]| {
        let mut command = program::at_home(folder.path());
        command.args(["audit", "-n", "3", "--seed", "7"]);
        command.args(more);
        command.arg(folder.path().join("rows.jsonl"));
        command.env("USER", "shared");
        Pty::spawn(command, 100, 24)
    };
    let ends = |pty: &Pty| {
        pty.send("\x1bq");
        assert!(pty.wait_exit().success());
    };
    let first = audit(&[]);
    first.wait_for("Who is judging? ");
    first.wait_for("shared, or a new name");
    first.send("\r");
    first.wait_for("0/3");
    first.send("3131313131");
    first.wait_for("1/3");
    ends(&first);
    let second = audit(&[]);
    second.wait_for("shared 1/3, or a new name");
    second.send("ben\r");
    second.wait_for("which audit?");
    second.send("\r");
    second.wait_for("ben");
    second.wait_for("0/3");
    second.send("3131313131");
    second.wait_for("1/3");
    ends(&second);
    // Those who said who they are, and scripts, are not asked.
    let named = audit(&["--reviewer", "ben"]);
    named.wait_for("1/3");
    ends(&named);
    let played = audit(&["--keys", "<tab>"]);
    played.wait_for("1/3");
    ends(&played);
    let spoken = audit(&["--linear"]);
    spoken.wait_for("Who is judging? shared 1/3, ben 1/3, or a new name");
    spoken.wait_for("line> ");
    spoken.send("<esc>\rq\r");
    assert!(spoken.wait_exit().success());
    let journal = std::fs::read_to_string(folder.path().join("rows.jsonl.review.jsonl"));
    let journal = journal.expect("a journal");
    let count = |name: &str| {
        let of = format!("\"reviewer\":\"{name}\"");
        let lines = journal.lines();
        lines
            .filter(|line| line.contains(&of) && line.contains("\"act\":\"rate\""))
            .count()
    };
    assert_eq!(["shared", "ben"].map(count), [10, 10], "{journal}");
}

/// 100 kB took 38 s when each character was inserted by itself.
#[test]
fn text_pasted_without_brackets_goes_into_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    pty.send("e");
    pty.wait_for("save");
    let text = "a word and ".repeat(2000);
    pty.send(format!("{text}the end"));
    pty.wait_for("the end");
    pty.send("\x13");
    pty.wait_for("saved");
    pty.send("q");
    assert!(pty.wait_exit().success());
    let journal = std::fs::read_to_string(folder.path().join("rows.jsonl.review.jsonl"));
    assert!(
        journal
            .expect("a journal")
            .contains(&format!("{text}the end"))
    );
}

#[test]
fn two_programs_see_each_others_marks() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let one = Pty::spawn(judging(folder.path(), &[]), 100, 24);
    let other = Pty::spawn(judging(folder.path(), &["--reviewer", "ben"]), 100, 24);
    one.wait_for(&format!(" 1/{SAMPLES}"));
    other.wait_for(&format!(" 1/{SAMPLES}"));
    one.send("m");
    one.wait_for("★ marked");
    other.wait_for("★ marked");
    other.send("etrue\x13");
    other.wait_for("≡ true");
    one.wait_for("≡ true");
    for pty in [one, other] {
        pty.send("q");
        assert!(pty.wait_exit().success());
        pty.given_back();
    }
}

#[test]
fn what_can_be_kept_nowhere_is_printed_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let _lock = locked(&folder.path().join("rows.jsonl.review.jsonl"));
    let mut command = judging(folder.path(), &[]);
    command.env("XDG_STATE_HOME", folder.path().join("rows.jsonl/state"));
    let pty = Pty::spawn(command, 100, 60);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    for mark in 1..=12 {
        pty.send("m");
        pty.wait_for(&format!("NOT SAVED, {mark} waiting"));
    }
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 1);
    let shown = String::from_utf8_lossy(&pty.raw()).replace("\r\n", "\n");
    assert_eq!(shown.matches("\"act\":\"mark\"").count(), 12, "{shown}");
    let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
    let lines = shown
        .lines()
        .filter_map(|line| line.find("{\"id\":").map(|at| &line[at..]));
    // The twelve acts, and the samples that were on the screen.
    assert_eq!(
        lines.filter(|line| read(line)).count(),
        13,
        "each line reads: {shown}"
    );
}

#[test]
fn what_is_typed_ahead_judges_nothing_unseen() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let pty = Pty::spawn(
        judging(folder.path(), &["--blind", "--reveal", "never"]),
        100,
        24,
    );
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    pty.send("r");
    pty.wait_for("How well the response helps");
    // Ten answers per sample, each with another value so that no key counts as held, for all
    // samples at once.
    let typed: String = (0..SAMPLES)
        .map(|sample| ["1", "2", "3", "4"][sample % 4].repeat(10))
        .collect();
    pty.send(&typed);
    pty.wait_for("typed before this sample was shown");
    pty.send("\x03");
    pty.wait_exit();
    let journal =
        std::fs::read_to_string(folder.path().join("rows.jsonl.review.jsonl")).expect("a journal");
    let rated = |line: &str| -> Option<u64> {
        let entry: serde_json::Value = serde_json::from_str(line).expect("a whole line reads");
        entry["row"].as_u64().filter(|_| entry["act"] == "rate")
    };
    let judged: BTreeSet<_> = journal.lines().filter_map(rated).collect();
    // If the system lets the program draw between two keys, the drawn samples may be judged, but
    // never many.
    assert!(
        (1..=SAMPLES / 4).contains(&judged.len()),
        "{judged:?}\n{journal}"
    );
}

#[test]
fn a_note_goes_through_ones_own_editor() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let mut command = judging(folder.path(), &[]);
    command.env("VISUAL", "");
    command.env("EDITOR", "echo by hand >>");
    let pty = Pty::spawn(command, 100, 24);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    pty.send("etyped");
    pty.wait_for(" typed");
    pty.send("\x18\x05");
    pty.wait_for(" by hand");
    pty.send("\r");
    pty.wait_for("saved");
    pty.send("q");
    assert!(pty.wait_exit().success());
    pty.given_back();
    let journal =
        std::fs::read_to_string(folder.path().join("rows.jsonl.review.jsonl")).expect("a journal");
    assert!(
        journal.contains("\"text\":\"typed\\nby hand\""),
        "{journal}"
    );
}

#[test]
fn what_cannot_be_written_is_said_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    // The folder disappears while the program runs.
    let journals = folder.path().join("journals");
    std::fs::create_dir(&journals).expect("made");
    let journal = journals.join("rows.review.jsonl");
    let pty = Pty::spawn(
        judging(
            folder.path(),
            &["--journal", journal.to_str().expect("a name")],
        ),
        100,
        24,
    );
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    std::fs::remove_dir(&journals).expect("removed");
    std::fs::write(&journals, "a file in the way").expect("written");
    pty.send("m");
    pty.wait_for("NOT SAVED, 1 waiting");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 1);
    let kept = folder.path().join("state/visavis");
    let kept: Vec<_> = std::fs::read_dir(kept)
        .expect("a folder")
        .flatten()
        .collect();
    let text: String = kept
        .iter()
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .collect();
    assert!(text.contains("\"act\":\"mark\""), "{text}");
}

#[test]
fn in_linear_mode_the_prompt_says_that_nothing_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let lock = locked(&folder.path().join("rows.jsonl.review.jsonl"));
    let pty = Pty::spawn(judging(folder.path(), &["--linear"]), 100, 24);
    pty.wait_for("\nvisavis>");
    pty.send("m\r");
    press_until(&pty, "j\r", "NOT SAVED visavis>");
    drop(lock);
    pty.send("q\r");
    assert!(pty.wait_exit().success(), "saved at exit");
}

#[test]
fn a_limit_on_file_size_is_reported_and_ends_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let mut command =
        program::shell_at_home(folder.path(), "ulimit -f 1; \"$0\" --reviewer ann \"$1\"");
    command.arg(folder.path().join("rows.jsonl"));
    let pty = Pty::spawn(command, 160, 60);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    // The line is longer than the file size limit.
    pty.send(format!("e\x1b[200~{}\x1b[201~\x13", "long ".repeat(600)));
    pty.wait_for("NOT SAVED, 1 waiting");
    pty.send("j");
    pty.wait_for("rows.jsonl:3 ");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 1);
    let shown = String::from_utf8_lossy(&pty.raw()).into_owned();
    assert!(shown.contains("File too large"), "{shown}");
    pty.given_back();
    // What was printed is a journal of its own, which the named command adds.
    let printed = shown.replace("\r\n", "\n");
    let lines = printed
        .lines()
        .filter_map(|line| line.find('{').map(|at| line[at..].to_owned() + "\n"));
    let printed = program::put(&folder, "FILE", lines.collect::<String>());
    assert!(notes(Path::new(&printed)).len() == 1, "{shown}");
    let (_, command) = shown.split_once("then: visavis ").expect("a command");
    let command = command.split("\r\n").next().expect("a line");
    let command = command.replace("FILE", &printed);
    let mut merge = Program::new(&command.split(' ').collect::<Vec<_>>());
    assert!(merge.status().expect("a program").success(), "{command}");
    assert_eq!(
        notes(&folder.path().join("rows.jsonl.review.jsonl")).len(),
        1
    );
}

/// Locks the journal against others until the lock is dropped.
fn locked(journal: &Path) -> std::fs::File {
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(journal)
        .expect("a journal");
    file.lock().expect("a lock");
    file
}

#[test]
fn what_a_lock_keeps_out_is_said_and_written_later() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let journal = folder.path().join("rows.jsonl.review.jsonl");
    let lock = locked(&journal);
    let pty = Pty::spawn(judging(folder.path(), &[]), 160, 24);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    pty.send("m");
    pty.wait_for("NOT SAVED, 1 waiting");
    pty.wait_for("locked by another program");
    drop(lock);
    pty.wait_gone("NOT SAVED");
    pty.wait_for("saved");
    assert_eq!(marked(&journal), BTreeSet::from([1]));
    pty.send("q");
    assert!(pty.wait_exit().success());
    pty.given_back();
}

/// Returns the files of acts that could not be written.
fn unsaved_files(home: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(home.join("state/visavis")).expect("a folder");
    let paths = files.flatten().map(|file| file.path());
    let is_one = |path: &PathBuf| path.to_string_lossy().contains("/unsaved-");
    paths.filter(is_one).collect()
}

#[test]
fn what_a_lock_keeps_out_to_the_end_is_kept_and_offered_once() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.jsonl"), rows()).expect("written");
    let journal = folder.path().join("rows.jsonl.review.jsonl");
    let lock = locked(&journal);
    let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
    pty.wait_for(&format!(" 1/{SAMPLES}"));
    pty.send("mjm");
    pty.wait_for(&format!(" 2/{SAMPLES}"));
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 1);
    let said = String::from_utf8_lossy(&pty.raw()).into_owned();
    // Two marks, and the samples seen: a frame counts as seen once it is drawn, even if keys are
    // waiting.
    assert!(
        said.contains("3 acts could not be written") && said.contains("locked by another program"),
        "{said}"
    );
    let [kept] = &unsaved_files(folder.path())[..] else {
        panic!("one file");
    };
    assert_eq!(marked(kept), BTreeSet::from([1, 3]));
    assert_eq!(seen(kept), 2, "both samples were on the screen");
    assert_eq!(marked(&journal), BTreeSet::new());
    assert!(
        said.contains(&format!("visavis journal merge {}", kept.display())),
        "{said}"
    );
    drop(lock);
    for (answer, shows, left) in [("n\r", "Back at sample 2", 1), ("\r", "★ marked", 0)] {
        let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
        pty.wait_for("3 acts of an earlier run are not in");
        pty.wait_for("Add them now? [Y/n]");
        pty.send(answer);
        pty.wait_for(shows);
        pty.send("q");
        assert!(pty.wait_exit().success());
        assert_eq!(unsaved_files(folder.path()).len(), left);
    }
    let acts = std::fs::read_to_string(&journal).expect("a journal");
    assert_eq!(marked(&journal), BTreeSet::from([1, 3]));
    // Also if it is added by the command and still there.
    std::fs::write(kept, &acts).expect("written");
    let pty = Pty::spawn(judging(folder.path(), &[]), 100, 24);
    pty.wait_for("★ marked");
    pty.send("q");
    assert!(pty.wait_exit().success());
    assert_eq!(unsaved_files(folder.path()).len(), 0);
    assert_eq!(std::fs::read_to_string(&journal).expect("a journal"), acts);
}

/// A schema whose labels, score, verdict and fact are distinctive on the screen.
const SCHEMA: &str = r#"
name = "secret"
title = "Secrets"
rows = "inline"
prompt.path = "/q"
verdict = { path = "/w", positive = "a" }

[[response]]
text = "/x"
ratings.quality = "/qx"
ratings.worth = "/sx"

[[response]]
text = "/y"
ratings.quality = "/qy"
ratings.worth = "/sy"

[[label]]
name = "quality"
range = [90, 99]

[[label]]
name = "worth"
kind = "score"

[[fact]]
name = "origin"
path = "/f"
"#;

/// What must not be seen: values of the labels, the score and the fact, the margin, and words for a
/// verdict.
const SECRETS: [&str; 7] = [
    "93",
    "94",
    "0.4242",
    "0.5353",
    "OUTSPOKEN",
    " 41",
    "wins by",
];

/// Returns the secrets on a screen, and the number of a row.
fn told(shown: &str) -> Vec<&str> {
    let row = shown
        .match_indices("row ")
        .any(|(at, word)| shown[at + word.len()..].starts_with(|next: char| next.is_ascii_digit()));
    SECRETS
        .into_iter()
        .filter(|secret| shown.contains(secret))
        .chain(row.then_some("a row"))
        .collect()
}

fn secret_rows() -> String {
    let row = |name: &str| {
        format!(
            "{{\"q\": \"ask {name}\", \"x\": \"left {name}\", \"y\": \"right {name}\", \"qx\": 93, \"qy\": 94, \
             \"sx\": 0.4242, \"sy\": 0.5353, \"w\": 41, \"f\": \"OUTSPOKEN\"}}\n"
        )
    };
    let broken = "{\"q\": \"ask\", \"qx\": 93, \"f\": \"OUTSPOKEN\", \n";
    ["once", "twice", "thrice", "again"].map(row).join("") + broken
}

/// Returns the text of the screen after some keys.
fn screen(folder: &Path, size: &str, keys: &str, more: &[&str]) -> String {
    let (schema, rows) = (folder.join("secret.toml"), folder.join("secret.jsonl"));
    let text = |path: &Path| path.to_str().expect("a name").to_owned();
    let (schema, rows) = (text(&schema), text(&rows));
    let mut arguments = vec!["--size", size, "--keys", keys, "--schema", &schema];
    arguments.extend(more);
    arguments.push(&rows);
    plain_text(&render(arguments).expect("a frame"))
}

#[test]
fn a_queue_takes_one_key_a_sample() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = rows().split_inclusive('\n').take(2 * 20).collect();
    let file = folder.path().join("rows.jsonl");
    std::fs::write(&file, rows).expect("written");
    let after = |answers: &str| {
        let keys = format!("!j<enter>{answers}");
        let file = file.to_str().expect("a name");
        plain_text(&render(["--size", "100x30", "--keys", &keys, file]).expect("a frame"))
    };
    let answers = "yn?yn".repeat(4);
    let done = "All samples of the queue are judged.";
    let shown = after(&answers[1..]);
    assert!(
        shown.contains("20 of 20") && !shown.contains(done),
        "{shown}"
    );
    let shown = after(&answers);
    assert!(shown.contains(done), "{shown}");
}

#[test]
fn a_blind_screen_tells_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("secret.toml"), SCHEMA).expect("written");
    std::fs::write(folder.path().join("secret.jsonl"), secret_rows()).expect("written");
    let sizes = ["200x60", "160x48", "100x30", "60x20", "40x12"];
    let keys = [
        "",
        "j",
        "G",
        "3G",
        "<enter>",
        "<tab>",
        "<tab><tab><enter>",
        "M",
        "X",
        "L",
        "F",
        "s",
        "sj<enter>",
        "?",
        "?<space>",
        "fquality<gt>=93",
        "fquality<gt>=93<enter>",
        "fquality=",
        "fquality=<tab>",
        "fverdict=<tab>",
        "forigin=<tab>",
        "f<tab>",
        "f?",
        "f\"OUTSPOKEN\"<enter>",
        "fis:tie<enter>",
        "fask<enter>",
        "/OUTSPOKEN",
        "/OUTSPOKEN<enter>",
        "/93<enter>",
        "/ask<enter>nn",
        ":sort quality<enter>",
        ":sort -worth<enter>",
        ":columns quality,worth<enter>",
        ":columns quality<enter><esc>",
        ":export result x.jsonl<enter>",
        ":filters<enter>",
        ":blind<enter>",
        ":<tab>",
        "A",
        "x",
        "y",
        "m",
        "mu",
        "tword<enter>",
        "eword<c-s>",
        "'",
        "r",
        "rl",
        "rll",
        "rllj",
        "rl<enter>",
        "rla",
        "rl=",
        "rl<bs>",
        "rls",
        "rld",
        "rlA",
        "rlu",
        "rly",
        "rlx",
        "rl<esc>k",
        ":audit 3 seed=1<enter>",
        ":audit 3 seed=1<enter>l<tab>l",
        ":audit 3 by=quality<enter>",
        ":audit 3<enter><esc>:audit off<enter>",
        ":audit 3<enter><esc>A",
        ":audit 3<enter>f",
        ":audit 3<enter>F",
        ":audit 3<enter>/",
        "R",
        "Rj",
        "12",
    ];
    let keys = keys.map(|keys| keys.replace("<gt>", ">"));
    for size in sizes {
        let open = screen(folder.path(), size, "", &[]);
        if size != "40x12" {
            assert!(
                told(&open).len() >= 3,
                "they show where nothing is hidden:\n{open}"
            );
        }
        for keys in &keys {
            let shown = screen(folder.path(), size, keys, &["--blind", "--reveal", "never"]);
            // Typed text is on the screen while typing, but it must find nothing.
            let told: Vec<_> = told(&shown)
                .into_iter()
                .filter(|secret| !keys.contains(secret))
                .collect();
            assert!(told.is_empty(), "{keys} at {size} shows {told:?}:\n{shown}");
            if SECRETS.iter().any(|secret| keys.contains(secret)) && size == "160x48" {
                assert!(
                    !shown.contains("1 of 5") && !shown.contains(" 1/1 "),
                    "{keys} finds it:\n{shown}"
                );
            }
        }
    }
}

#[test]
fn a_judged_sample_tells_what_the_dataset_says() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("secret.toml"), SCHEMA).expect("written");
    std::fs::write(folder.path().join("secret.jsonl"), secret_rows()).expect("written");
    let half = screen(folder.path(), "160x48", "rl<tab>l", &["--blind"]);
    assert!(!half.contains("93") && !half.contains("wins by"), "{half}");
    let whole = screen(folder.path(), "160x48", "rl<tab>la", &["--blind"]);
    assert!(
        whole.contains("(93)") && whole.contains("(94)") && whole.contains("wins by 41"),
        "{whole}"
    );
}

#[test]
fn a_schema_releases_fields() {
    const RELEASED: &str = "name = \"open\"\ntitle = \"Open\"\nrows = \"inline\"\nprompt.path = \"/q\"\n\
        [[response]]\ntext = \"/x\"\n[[response]]\ntext = \"/y\"\n\
        [[fact]]\nname = \"topic\"\npath = \"/topic\"\nblind = \"show\"\n\
        [[fact]]\nname = \"model\"\npath = \"/model\"\n\
        [[text]]\nname = \"context\"\npath = \"/context\"\nblind = \"show\"\n\
        [[text]]\nname = \"reason\"\npath = \"/reason\"\n";
    let row = |topic: &str| {
        format!(
            "{{\"q\": \"ask\", \"x\": \"left {topic}\", \"y\": \"right\", \"topic\": \"t-{topic}\", \
             \"model\": \"FALCON\", \"context\": \"CONTEXT of it\", \"reason\": \"REASON of it\", \
             \"late\": \"LATER\"}}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("secret.toml"), RELEASED).expect("written");
    let rows: String = ["one", "two", "two"].map(row).concat();
    std::fs::write(folder.path().join("secret.jsonl"), rows).expect("written");
    let hidden = ["FALCON", "REASON", "LATER"];
    let shown = |keys: &str| {
        let blind = ["--blind", "--reveal", "never"];
        let shown = screen(folder.path(), "160x48", keys, &blind);
        let told: Vec<_> = hidden.iter().filter(|it| shown.contains(**it)).collect();
        assert!(told.is_empty(), "{keys} shows {told:?}:\n{shown}");
        shown
    };
    let open = screen(folder.path(), "160x48", "", &[]);
    assert!(hidden.iter().all(|it| open.contains(it)), "{open}");
    for (keys, words) in [
        ("", " topic      t-one"),
        ("", "CONTEXT of it"),
        ("ftopic=t-two<enter>", "2 of 3"),
        ("ftopic=<tab>", "t-two"),
        (":sort -topic<enter>", "2  t-two"),
        (":columns topic<enter>", "1  t-one"),
        (
            ":columns model<enter>",
            "unknown field model while you judge blind",
        ),
        (
            "fmodel=FAL<enter>",
            "Unknown field model while you judge blind",
        ),
        (":statistics<enter>", "t-two"),
        (":layout<enter>", "CONTEXT of it"),
    ] {
        let shown = shown(keys);
        assert!(shown.contains(words), "{keys} lacks {words}:\n{shown}");
    }
}
