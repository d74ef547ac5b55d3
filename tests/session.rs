//! A second run over the same files continues where the first one ended, with the real program.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::program::at_home;
use crate::pty::{Pty, Signal};
use portable_pty::CommandBuilder;
use tempfile::TempDir;

/// A pair of responses to the prompt with this number.
fn pair(number: usize) -> String {
    let row = |value: usize| {
        format!(
            "{{\"prompt\": \"question {number}\", \"response\": \"answer {number}.{value}\", \"helpfulness\": {}}}\n",
            (number + value) % 5
        )
    };
    row(0) + &row(1)
}

fn run(home: &Path, file: &Path, arguments: &[&str]) -> Pty {
    let mut command: CommandBuilder = at_home(home);
    command.args(arguments);
    command.arg(file);
    let pty = Pty::spawn(command, 120, 30);
    pty.wait_for("question");
    pty
}

fn quit(pty: &Pty) {
    pty.send(b"\x03");
    assert_eq!(pty.wait_exit().exit_code(), 0, "{}", pty.screen());
}

#[test]
fn the_same_file_opens_where_one_was() {
    let home = TempDir::new().expect("a folder");
    let file = home.path().join("rows.jsonl");
    let rows: Vec<_> = (1..=40).map(pair).collect();
    fs::write(&file, rows.concat()).expect("written");

    let pty = run(home.path(), &file, &[]);
    pty.send("fquestion helpfulness>=3\r");
    pty.wait_for(" of 40");
    pty.send("24G");
    pty.wait_for("question 24");
    quit(&pty);

    // At once, with the filter.
    let pty = run(home.path(), &file, &[]);
    pty.wait_for("Back at sample 24 of 'question helpfulness>=3' (--fresh starts over).");
    pty.wait_for("24 of 40");
    quit(&pty);

    // The rows in another order, and some more: the sample is found by its content.
    let more: Vec<_> = (41..=50).chain((1..=40).rev()).map(pair).collect();
    fs::write(&file, more.concat()).expect("written");
    let pty = run(home.path(), &file, &[]);
    pty.wait_for("Back at sample 27 of 'question helpfulness>=3'");
    pty.wait_for("question 24");
    // A lost terminal also saves the session.
    pty.send("f\x15\r1Gj");
    pty.wait_for("answer 42.0");
    pty.signal(Signal::HUP);
    pty.wait_exit();
    let pty = run(home.path(), &file, &[]);
    pty.wait_for("Back at sample 2 (--fresh starts over).");
    quit(&pty);

    // The field and the sample are gone: the rest is as it was.
    let pty = run(home.path(), &file, &[]);
    pty.send("fhelpfulness>=3\r");
    quit(&pty);
    let other: Vec<_> = (60..=90)
        .map(|at| {
            format!("{{\"prompt\": \"question {at}\", \"chosen\": \"answer {at}, longer\", \"rejected\": \"reply {at}, shorter\"}}\n")
        })
        .collect();
    fs::write(&file, other.concat()).expect("written");
    let pty = run(home.path(), &file, &[]);
    pty.wait_for("The filter 'helpfulness>=3' was not restored");
    quit(&pty);

    // As in a first run, and so is the next run.
    for arguments in [&["--fresh"][..], &[]] {
        let pty = run(home.path(), &file, arguments);
        pty.wait_for(" 1/31");
        assert!(!pty.screen().contains("Back at"), "{}", pty.screen());
        quit(&pty);
    }
}

/// A link opens at its row, not at the saved sample; while judging blind, the key is used instead.
#[test]
fn a_link_opens_at_its_row() {
    let home = TempDir::new().expect("a folder");
    let file = home.path().join("rows.jsonl");
    let rows: Vec<_> = (1..=40).map(pair).collect();
    fs::write(&file, rows.concat()).expect("written");
    let pty = run(home.path(), &file, &[]);
    pty.send("9G");
    pty.wait_for("answer 9.0");
    quit(&pty);

    let link = home.path().join("rows.jsonl:24");
    let pty = run(home.path(), &link, &[]);
    pty.wait_for("answer 12.0");
    assert!(!pty.screen().contains("Back at"), "{}", pty.screen());
    pty.send("y");
    pty.wait_for("visavis FILE:ROW");
    pty.wait_for("visavis --at KEY FILE");
    pty.send(b"\x1b");
    pty.wait_gone("visavis --at");
    quit(&pty);

    let pty = run(home.path(), &file, &["--blind", "--at", "7"]);
    pty.wait_for("answer 7.0");
    pty.send("y");
    pty.wait_for("visavis --at KEY FILE");
    assert!(!pty.screen().contains("FILE:ROW"), "{}", pty.screen());
    pty.send(b"\x1b");
    pty.wait_gone("visavis --at");
    quit(&pty);

    // A missing sample is reported before the screen opens.
    let mut command: CommandBuilder = at_home(home.path());
    command.args(["--at", "nosuch"]);
    command.arg(&file);
    let pty = Pty::spawn(command, 120, 30);
    assert_eq!(pty.wait_exit().exit_code(), 2, "{}", pty.screen());
    pty.wait_for("no sample has the key or id nosuch");
}

#[test]
fn keys_frames_and_audits_neither_come_back_nor_are_kept() {
    let home = TempDir::new().expect("a folder");
    let file = home.path().join("rows.jsonl");
    let rows: Vec<_> = (1..=40).map(pair).collect();
    fs::write(&file, rows.concat()).expect("written");
    let pty = run(home.path(), &file, &[]);
    pty.send("5G");
    pty.wait_for("question 5");
    quit(&pty);

    let pty = run(home.path(), &file, &["--keys", "jj"]);
    pty.wait_for(" 3/40");
    quit(&pty);
    // A blind audit is not resumed automatically, and its last sample is not shown with labels.
    let pty = run(home.path(), &file, &[]);
    pty.wait_for("Back at sample 5 ");
    pty.send(":audit 9 blind\r");
    pty.wait_for("Who is judging?");
    pty.send("\r");
    pty.wait_for("blind");
    pty.wait_for("0/9");
    quit(&pty);
    let pty = run(home.path(), &file, &[]);
    pty.wait_for(
        "Unfinished audit at 0/9; :audit resumes it. Back at sample 5 (--fresh starts over).",
    );
    pty.send("fhelpfulness>=3\r");
    pty.wait_for("24 of 40");
    quit(&pty);
    // Nothing of it reveals labels while they are hidden.
    let pty = run(home.path(), &file, &["--blind"]);
    pty.wait_for("The filter 'helpfulness>=3' was not restored");
    assert!(!pty.screen().contains("24 of 40"), "{}", pty.screen());
    quit(&pty);
}

#[allow(clippy::expect_used)] // A failed helper is a failed test.
fn append(file: &Path, text: &str) {
    let opened = fs::File::options().append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.expect("appended");
}

#[test]
fn appended_rows_appear_where_a_file_is_followed() {
    let home = TempDir::new().expect("a folder");
    let file = home.path().join("rows.jsonl");
    let rows: Vec<_> = (1..=9).map(pair).collect();
    fs::write(&file, rows.concat()).expect("written");
    let pty = run(home.path(), &file, &["--follow"]);
    pty.send("fquestion helpfulness>=3\r3Gm");
    pty.wait_for("/6 of 9");
    // An incomplete row, and the first response of a pair, wait for the rest.
    let (ten, eleven) = (pair(10), pair(11));
    let (first, second) = ten.split_at(ten.find('\n').expect("a line") + 1);
    append(&file, &first[..20]);
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!pty.screen().contains("appended"), "{}", pty.screen());
    append(&file, &first[20..]);
    pty.wait_for("1 row appended.");
    append(&file, &(second.to_owned() + &eleven));
    pty.wait_for("4 rows appended.");
    pty.wait_for(" of 11");
    pty.wait_for("★ 3 ");
    // At the end, the selection follows new samples until the user moves.
    pty.send("f\x15\rG");
    pty.wait_for("followed until you move");
    append(&file, &pair(12));
    pty.wait_for("answer 12.0");
    pty.send("k");
    pty.wait_for("answer 11.0");
    append(&file, &pair(13));
    pty.wait_for(" 13 ");
    pty.wait_for("answer 11.0");
    // A file that did not grow gives the usual message.
    fs::write(&file, pair(1)).expect("written");
    pty.send("K");
    pty.wait_for("R reloads it");
    pty.send("\x03");
    pty.wait_exit();

    let packed = home.path().join("rows.json");
    fs::write(
        &packed,
        "[{\"prompt\": \"q\", \"chosen\": \"a\", \"rejected\": \"b\"}]",
    )
    .expect("written");
    let mut command: CommandBuilder = at_home(home.path());
    command.args(["--follow", packed.to_str().expect("a name")]);
    let pty = Pty::spawn(command, 120, 30);
    assert_eq!(pty.wait_exit().exit_code(), 2);
    assert!(
        pty.screen().contains("cannot be followed"),
        "{}",
        pty.screen()
    );
}

#[test]
fn reading_again_keeps_the_sample_the_marks_the_query_and_the_view() {
    let home = TempDir::new().expect("a folder");
    let file = home.path().join("rows.jsonl");
    let rows: Vec<_> = (1..=40).map(pair).collect();
    fs::write(&file, rows.concat()).expect("written");
    let pty = run(home.path(), &file, &[]);
    pty.send("fquestion helpfulness>=3\r24Gm:columns len.response\rM");
    pty.wait_for("Markdown styled: off");
    let more: Vec<_> = (41..=50).chain((1..=40).rev()).map(pair).collect();
    fs::write(&file, more.concat()).expect("written");
    pty.send("KR");
    pty.wait_for("30 of 50");
    pty.wait_for("│ user  question 24");
    pty.wait_for("as written");
    pty.wait_for("11:11");
    pty.wait_for("★27  ");
    pty.send(b"\x03");
    pty.wait_exit();
}
