//! User commands (`[commands]` in the config file) that do not end; `tests/pages/commands.md` shows
//! the others.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::at_home;
use crate::pty::Pty;

const ROWS: &str = r#"{"prompt": "p", "response": "one", "helpfulness": 4}
{"prompt": "p", "response": "two", "helpfulness": 1}
"#;

/// A folder with a config file of these commands, and with the rows.
fn home(commands: &str) -> TempDir {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join("config/visavis");
    fs::create_dir_all(&folder).expect("made");
    let config = format!("[commands]\n{commands}\n");
    fs::write(folder.join("config.toml"), config).expect("written");
    fs::write(home.path().join("rows.jsonl"), ROWS).expect("written");
    home
}

#[test]
fn an_endless_program_is_stopped_by_escape_and_by_an_interrupt() {
    let script = "forever = { run = [\"sh\", \"-c\", \"sleep 1000 & echo $$ > pid; wait\"], key = \"<f6>\" }";
    for leave in ["\u{1b}", "\u{3}"] {
        let home = home(script);
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
