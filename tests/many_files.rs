//! Many files: all are read completely, although few can be open at a time.

use std::io::Write;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use crate::program::{self, Program};
use crate::pty::Pty;

const FILES: usize = 300;
/// Limits the open files, then runs the program.
const FEW: &str = "ulimit -n 128; exec visavis \"$@\"";

fn rows(file: usize) -> Vec<String> {
    let row = |row| format!(r#"{{"prompt": "p {file}-{row}", "chosen": "a", "rejected": "b"}}"#);
    (0..5).map(row).collect()
}

/// Returns a folder of files with five rows each.
fn folder(name: &str, pack: impl Fn(Vec<String>) -> Vec<u8>) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for file in 0..FILES {
        program::put(&folder, &format!("s{file:03}.{name}"), pack(rows(file)));
    }
    folder
}

#[test]
fn all_rows_of_many_files_are_read_with_few_descriptors() {
    let lines = |rows: Vec<String>| (rows.join("\n") + "\n").into_bytes();
    let gz = |rows| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&lines(rows)).expect("packed");
        packed.finish().expect("packed")
    };
    for folder in [
        folder("jsonl", lines),
        folder("json", |rows| format!("[{}]", rows.join(",")).into_bytes()),
        folder("jsonl.gz", gz),
    ] {
        let path = folder.path().to_str().expect("a name");
        for (args, says) in [
            (&["count", ""][..], "1500\n"),
            (&["list", ""], "p 299-4"),
            (&["--print", "--size", "150x8"], "\n 1/1,500 "),
            (
                &["--keys", "G", "--print", "--size", "150x8"],
                "\n 1,500/1,500 ",
            ),
        ] {
            let args = [&["-c", FEW, "sh"], args, &[path]].concat();
            let Some(mut program) = Program::other("sh", &args) else {
                return;
            };
            let ended = program.stdin(Stdio::null()).output().expect("it runs");
            let (out, said) = (&ended.stdout, String::from_utf8_lossy(&ended.stderr));
            let out = String::from_utf8_lossy(out);
            assert!(ended.status.success(), "{args:?}: {said}");
            assert!(out.contains(says), "{args:?}: {out} {said}");
        }
    }
}

#[test]
fn the_screen_shows_the_last_sample_of_many_files() {
    let folder = folder("jsonl", |rows| rows.join("\n").into_bytes());
    let mut command = program::shell_at_home(folder.path(), "ulimit -n 128; exec \"$0\" *.jsonl");
    command.cwd(folder.path());
    let pty = Pty::spawn(command, 120, 30);
    pty.wait_for("1/1,500");
    pty.send("G");
    pty.wait_for("p 299-4");
    assert!(!pty.screen().contains("was modified"), "{}", pty.screen());
}
