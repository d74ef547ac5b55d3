//! User commands (`[commands]` in the config file): what programs receive, and what happens if they
//! misbehave.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::{Program, at_home};
use crate::pty::Pty;

/// A pair whose texts could affect a shell or a terminal.
const ROWS: &str = r#"{"prompt": "$(touch hacked) `touch hacked`; touch hacked \u001b]0;driven\u0007", "response": "one 'two' \"three\"", "helpfulness": 4}
{"prompt": "$(touch hacked) `touch hacked`; touch hacked \u001b]0;driven\u0007", "response": "four", "helpfulness": 1}
"#;

/// A folder with a config file of these commands, and with the rows.
fn home(commands: &str, rows: &str) -> TempDir {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join("config/visavis");
    fs::create_dir_all(&folder).expect("made");
    fs::write(
        folder.join("config.toml"),
        format!("[commands]\n{commands}\n"),
    )
    .expect("written");
    fs::write(home.path().join("rows.jsonl"), rows).expect("written");
    home
}

fn program(home: &Path, arguments: &[&str]) -> Program {
    let rows = home.join("rows.jsonl");
    let mut program = Program::new(&[arguments, &[rows.to_str().expect("a path")]].concat());
    program.env("XDG_CONFIG_HOME", home.join("config"));
    program.current_dir(home);
    program
}

/// Returns the screen after these keys.
fn screen(commands: &str, rows: &str, keys: &str, arguments: &[&str]) -> String {
    let home = home(commands, rows);
    let own = ["--print", "--size", "110x60", "--keys", keys];
    let done = program(home.path(), &[arguments, &own].concat())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    assert!(!said.contains('\u{1b}'), "{said}");
    assert!(!home.path().join("hacked").exists(), "data reached a shell");
    said
}

#[test]
fn a_program_gets_the_sample_on_standard_input_alone() {
    let dump = "dump = [\"cat\"]\nargs = [\"printf\", \"[%s]\", \"a b\", \"$HOME\", \"*\"]";
    let said = screen(dump, ROWS, ":dump<enter>", &[]);
    for words in [
        "\"version\": 1",
        "$(touch hacked)",
        "\"helpfulness\": 4",
        "\"verdict\": \"a\"",
        "rows.jsonl",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.contains(":dump \u{b7} cat \u{b7} sample 1"), "{said}");
    let said = screen(dump, ROWS, ":args<enter>", &[]);
    assert!(
        said.contains("[a b][$HOME][*]"),
        "no shell reads arguments: {said}"
    );
    // It is the document of `visavis show --json`.
    let home = home("words = [\"wc\", \"-c\"]", ROWS);
    let shown = program(home.path(), &["show", "1", "--json"])
        .output()
        .expect("it runs");
    let keys = ["--print", "--keys", ":words<enter>"];
    let counted = program(home.path(), &keys).output().expect("it runs");
    let counted = String::from_utf8_lossy(&counted.stdout).into_owned();
    let bytes = shown.stdout.len().to_string();
    assert!(
        counted
            .lines()
            .any(|line| line.ends_with(&format!(" {bytes}"))),
        "{bytes}: {counted}"
    );
}

#[test]
fn while_labels_are_hidden_a_program_gets_the_texts_alone() {
    let said = screen("dump = [\"cat\"]", ROWS, ":dump<enter>", &["--blind"]);
    for words in ["\"prompt\"", "$(touch hacked)", "\"side\": \"b\"", "four"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let (_, told) = said.split_once("sample 1 ").expect("the output");
    for words in [
        "helpfulness",
        "labels",
        "verdict",
        "margin",
        "rows",
        "key",
        "\"sample\"",
        "facts",
    ] {
        assert!(!told.contains(words), "{words}: {said}");
    }
    // An unreadable sample has no text to send.
    let said = screen(
        "dump = [\"cat\"]",
        &format!("{ROWS}{{\"prompt\": 1,\n"),
        "G:dump<enter>",
        &["--blind"],
    );
    assert!(
        said.contains("\"version\": 1") && !said.contains("\"malformed\""),
        "{said}"
    );
}

#[test]
fn what_a_program_prints_cannot_drive_the_terminal() {
    let hostile = r#"evil = ["printf", '\033]0;driven\007\033[2Jtext\r\n\377\303\t|']"#;
    let said = screen(hostile, ROWS, ":evil<enter>", &[]);
    assert!(
        said.contains("\u{241b}]0;driven\u{2407}\u{241b}[2Jtext"),
        "{said}"
    );
    assert!(said.contains('\u{fffd}'), "what is no UTF-8 shows: {said}");
}

#[test]
fn failures_are_explained() {
    let big = ROWS.replace("four", &"four ".repeat(100_000));
    for (command, rows, says) in [
        (
            r#"c = ["visavis-no-such-program"]"#,
            ROWS,
            &[
                "visavis-no-such-program was not found. Install it, or change commands.c in the config file.",
            ][..],
        ),
        (
            r#"c = ["/"]"#,
            ROWS,
            &["/ cannot be run: Permission denied"],
        ),
        (
            r#"c = ["sh", "-c", "echo out; echo err >&2; exit 3"]"#,
            ROWS,
            &[
                "The program failed: exit status: 3.",
                "out",
                "standard error",
                "err",
            ],
        ),
        (
            r#"c = ["sh", "-c", "kill -9 $$"]"#,
            ROWS,
            &["The program failed: signal: 9"],
        ),
        (r#"c = ["true"]"#, ROWS, &["The program printed nothing."]),
        // It closes its standard input at once.
        (r#"c = ["true"]"#, &big, &["The program printed nothing."]),
        (
            r#"c = ["sh", "-c", "exec <&-; sleep 0.1; echo done"]"#,
            &big,
            &["done"],
        ),
        // It reads all of a sample that exceeds a pipe's buffer.
        (
            r#"c = ["sh", "-c", "wc -c | grep -c '......'"]"#,
            &big,
            &["\u{258c} 1\n"],
        ),
        // A background process keeps its output open.
        (
            r#"c = ["sh", "-c", "sleep 1000 & echo left"]"#,
            ROWS,
            &["left"],
        ),
        (
            r#"c = ["yes"]"#,
            ROWS,
            &["Stopped after 1 MB of output; the rest is not shown."],
        ),
    ] {
        let start = Instant::now();
        let said = screen(command, rows, ":c<enter>", &[]);
        for words in says {
            assert!(said.contains(words), "{command}: {words}: {said}");
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{command}");
    }
}

#[test]
fn linear_mode_prints_the_output() {
    let home = home("words = [\"printf\", \"seven words\"]", ROWS);
    let done = program(home.path(), &["--linear"])
        .piped(":words\nq\nq\n")
        .success();
    let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(said.contains("seven words"), "{said}");
}

#[test]
fn an_endless_program_is_stopped_by_escape_and_by_an_interrupt() {
    let script = "forever = { run = [\"sh\", \"-c\", \"sleep 1000 & echo $$ > pid; wait\"], key = \"<f6>\" }";
    for leave in ["\u{1b}", "\u{3}"] {
        let home = home(script, ROWS);
        let mut command = at_home(home.path());
        command.arg(home.path().join("rows.jsonl"));
        command.cwd(home.path());
        let pty = Pty::spawn(command, 80, 24);
        pty.wait_for("A wins");
        // The key, as xterm sends it.
        pty.send("\u{1b}[17~");
        pty.wait_for("running :forever");
        let pid = wait_for_number(&home.path().join("pid"));
        assert!(is_running(pid));
        pty.send(leave);
        pty.wait_for("A wins");
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_running(pid) {
            assert!(Instant::now() < deadline, "{leave:?}: {pid} still runs");
            std::thread::sleep(Duration::from_millis(20));
        }
        pty.send("q");
        assert_eq!(pty.wait_exit().exit_code(), 0);
        pty.given_back();
    }
}

/// Waits for the number that a program writes into a file.
fn wait_for_number(path: &Path) -> i32 {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        match text.trim().parse() {
            Ok(number) => return number,
            Err(_) => assert!(Instant::now() < deadline, "{}", path.display()),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// True if any process of a group is running.
fn is_running(group: i32) -> bool {
    let group = rustix::process::Pid::from_raw(group).expect("a number");
    rustix::process::test_kill_process_group(group).is_ok()
}

#[test]
fn commands_are_checked_and_listed() {
    let config = |commands: &str, arguments: &[&str]| {
        let home = home(commands, ROWS);
        let mut program = Program::new(arguments);
        program.env("XDG_CONFIG_HOME", home.path().join("config"));
        let done = program.output().expect("it runs");
        [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned())
    };
    for (commands, says) in [
        (
            "sort = [\"x\"]",
            "line 2, key commands.sort: `:sort` is a built-in command; choose another name",
        ),
        (
            "42 = [\"x\"]",
            "line 2, key commands.42: command names begin with a letter",
        ),
        (
            "c = []",
            "line 2, key commands.c: expected a program and its arguments, such as [\"wc\", \"-w\"]",
        ),
        (
            "c = \"wc -w\"",
            "line 2, key commands.c: expected a table, found string \"wc -w\"",
        ),
        (
            "c = [\"wc\", 1]",
            "line 2, key commands.c: expected a program and its arguments, each in quotes, found integer `1`",
        ),
        (
            "c = { run = [\"wc\"], keys = \"x\" }",
            "line 2, key commands.c.keys: unknown key `keys`; did you mean `key`?",
        ),
        (
            "c = { run = [\"wc\"], key = \"7\" }",
            "line 2, key commands.c.key: invalid key or action for this table",
        ),
        (
            "c = [\"wc\"]\n[keys.read]\n\"<f5>\" = \":d\"",
            "line 4, key keys.read.<f5>: unknown command :d",
        ),
    ] {
        let [_, said] = config(commands, &["config"]);
        let said = said.replace("\"<f5>\"", "<f5>");
        assert!(said.contains(says), "{commands}: {said}");
    }
    let own = "words = { run = [\"wc\", \"-w\"], key = \"<a-w>\", help = \"count the words\" }\nplain = [\"cat\"]\n\
               [keys.read]\n\"<f5>\" = \":plain\"";
    let [said, wrong] = config(own, &["config"]);
    assert_eq!(wrong, "");
    for line in [
        "[commands]\nwords = { run = [\"wc\", \"-w\"], help = \"count the words\" }\nplain = { run = [\"cat\"] }\n",
        "[keys.read]\n\"<a-w>\" = \":words\"\n\"<f5>\" = \":plain\"\n",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let (_, commands) = said.split_once("[commands]").expect("the table");
    assert_eq!(config(commands, &["config"])[0], said, "it reads back");
    let [said, _] = config(own, &["keys"]);
    for line in ["A-w", "count the words", ":words", ":plain", "run cat"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    for (keys, words) in [
        ("?/count the", "count the words"),
        (":wor<tab>", ":words"),
        ("^p:plain", "run cat"),
    ] {
        let said = screen(
            own,
            ROWS,
            &keys.replace('^', "<c-").replace("<c-p", "<c-p>"),
            &[],
        );
        assert!(said.contains(words), "{keys}: {said}");
    }
}
