//! Datasets of the Hugging Face hub: a made-up cache, and a made-up `hf` that fills it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use crate::program::{Program, at_home};
use crate::pty::Pty;

/// The commit of the branch `main`.
const MAIN: &str = "0123456789abcdef0123456789abcdef01234567";

/// Writes a file of a dataset as the hub's tools do: a link to a blob without an ending.
fn put(cache: &Path, repo: &str, name: &str, bytes: &[u8]) {
    let folder = cache.join(format!("datasets--{}", repo.replace('/', "--")));
    let blob = folder.join("blobs").join(format!(
        "{}-{}",
        name.replace('/', "-").replace('.', ""),
        bytes.len()
    ));
    let link = folder.join("snapshots").join(MAIN).join(name);
    for path in [&blob, &link] {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    }
    fs::write(&blob, bytes).expect("written");
    symlink(&blob, &link).expect("a link");
    let refs = folder.join("refs");
    fs::create_dir_all(&refs).expect("a folder");
    fs::write(refs.join("main"), MAIN).expect("written");
}

/// Returns this many rows with distinct texts.
fn rows(of: &str, count: usize) -> Vec<u8> {
    let row = |row| {
        format!("{{\"prompt\": \"{of} {row}\", \"chosen\": \"yes\", \"rejected\": \"no\"}}\n")
    };
    (0..count).map(row).collect::<String>().into_bytes()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("packed");
    packed.finish().expect("packed")
}

/// A home whose cache has datasets.
fn home() -> (TempDir, PathBuf) {
    let home = TempDir::new().expect("a folder");
    let cache = home.path().join("cache/huggingface/hub");
    for (repo, name, count) in [
        ("nvidia/HelpSteer2", "train.jsonl.gz", 4),
        ("nvidia/HelpSteer2", "validation.jsonl", 2),
        ("org/subsets", "helpful/train-00000-of-00002.jsonl", 1),
        ("org/subsets", "helpful/train-00001-of-00002.jsonl", 2),
        ("org/subsets", "helpful/test/deep.jsonl", 4),
        ("org/subsets", "harmless/train.jsonl", 8),
    ] {
        let plain = rows(name, count);
        let bytes = if name.ends_with(".gz") {
            packed(&plain)
        } else {
            plain
        };
        put(&cache, repo, name, &bytes);
    }
    (home, cache)
}

/// Runs the program without a terminal and returns its exit code, output and messages.
fn run(home: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut program = Program::new(args);
    program
        .env_remove("HF_HOME")
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("XDG_DATA_HOME", home.join("data"));
    let ended = program.output().expect("it runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (
        ended.status.code(),
        text(&ended.stdout),
        text(&ended.stderr),
    )
}

#[test]
fn title_report_and_journal_name_the_dataset_and_its_revision() {
    let (home, cache) = home();
    let mut command = at_home(home.path());
    command.args(["nvidia/HelpSteer2"]);
    let pty = Pty::spawn(command, 160, 24);
    pty.wait_for("nvidia/HelpSteer2@0123456/train.jsonl.gz:1 (of 2 files)");
    pty.send("m");
    pty.wait_for("★");
    pty.send("q");
    assert!(pty.wait_exit().success());
    let journal = home
        .path()
        .join("data/visavis/nvidia--HelpSteer2@0123456.review.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    assert!(
        text.contains("nvidia/HelpSteer2@0123456/validation.jsonl"),
        "{text}"
    );
    let snapshot = cache
        .join("datasets--nvidia--HelpSteer2/snapshots")
        .join(MAIN);
    assert_eq!(
        fs::read_dir(snapshot).expect("a folder").count(),
        2,
        "nothing is written there"
    );
    let file = format!("hf://datasets/nvidia/HelpSteer2@{MAIN}/train.jsonl.gz");
    let (code, out, said) = run(home.path(), &["report", &file]);
    assert!(
        code == Some(0) && out.contains(&format!("Audit of {file}")),
        "{out}{said}"
    );
    let (_, out, said) = run(home.path(), &["--print", &format!("{file}:2")]);
    assert!(out.contains("train.jsonl.gz:2"), "{out}{said}");
    let (_, out, said) = run(
        home.path(),
        &["sql", "hf://datasets/nvidia/HelpSteer2/train.jsonl.gz"],
    );
    assert!(
        out.contains(&format!("snapshots/{MAIN}/train.jsonl.gz'")),
        "engines need no network: {out}{said}"
    );
}

#[test]
fn a_menu_offers_configurations_on_a_terminal() {
    let (home, _) = home();
    for (answer, shows) in [("\r", " 1/8"), ("2\r", " 1/7"), ("helpful\r", " 1/7")] {
        let mut command = at_home(home.path());
        command.args(["--fresh", "org/subsets"]);
        let pty = Pty::spawn(command, 120, 24);
        pty.wait_for("  2  helpful");
        pty.send(answer);
        pty.wait_for(shows);
        pty.send("q");
        assert!(pty.wait_exit().success());
    }
}

#[test]
fn a_missing_dataset_is_downloaded_on_request() {
    let (home, _) = home();
    let bin = home.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    let hf = bin.join("hf");
    let script = format!(
        "#!/bin/sh\necho \"fetching $*\"\nfolder=\"$HF_HOME/hub/datasets--org--new\"\nmkdir -p \"$folder/refs\" \"$folder/snapshots/{MAIN}\"\nprintf {MAIN} > \"$folder/refs/main\"\nprintf '%s\\n' '{{\"prompt\": \"fetched row\", \"chosen\": \"yes\", \"rejected\": \"no\"}}' > \"$folder/snapshots/{MAIN}/train.jsonl\"\n"
    );
    fs::write(&hf, script).expect("written");
    fs::set_permissions(&hf, fs::Permissions::from_mode(0o755)).expect("set");
    for answer in ["n\r", "y\r"] {
        let mut command = at_home(home.path());
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        command.args(["org/new"]);
        let pty = Pty::spawn(command, 160, 24);
        pty.wait_for("hf download org/new --repo-type dataset");
        pty.wait_for("Run it now? [y/N]");
        pty.send(answer);
        if answer == "n\r" {
            assert_eq!(pty.wait_exit().exit_code(), 2);
            continue;
        }
        pty.wait_raw("progress", |raw| {
            String::from_utf8_lossy(raw).contains("fetching download org/new --repo-type dataset")
        });
        pty.wait_for("fetched row");
        pty.send("q");
        assert!(pty.wait_exit().success());
    }
}
