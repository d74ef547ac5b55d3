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

/// The commits of the branch `main` and of the tag `v1`.
const MAIN: &str = "0123456789abcdef0123456789abcdef01234567";
const V1: &str = "fedcba9876543210fedcba9876543210fedcba98";

const CARD: &str = "---\nlicense: cc-by-4.0\nconfigs:\n- config_name: helpful\n  data_files:\n  - split: train\n    path: \"data/helpful-*.jsonl\"\n  - path:\n    - data/held.jsonl\n    split: out\n- config_name: harmless\n  data_files: '**/harmless.jsonl'\n---\n# Card\n";

/// Writes a file of a dataset as the hub's tools do: a link to a blob without an ending.
fn put(cache: &Path, repo: &str, commit: &str, name: &str, bytes: &[u8]) {
    let folder = cache.join(format!("datasets--{}", repo.replace('/', "--")));
    let blob = folder.join("blobs").join(format!(
        "{}-{}",
        name.replace('/', "-").replace('.', ""),
        bytes.len()
    ));
    let link = folder.join("snapshots").join(commit).join(name);
    for path in [&blob, &link] {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    }
    fs::write(&blob, bytes).expect("written");
    symlink(&blob, &link).expect("a link");
    let refs = folder.join("refs");
    fs::create_dir_all(&refs).expect("a folder");
    fs::write(refs.join(if commit == V1 { "v1" } else { "main" }), commit).expect("written");
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
    for (repo, commit, name, count) in [
        ("nvidia/HelpSteer2", MAIN, "train.jsonl.gz", 4),
        ("nvidia/HelpSteer2", MAIN, "validation.jsonl", 2),
        ("nvidia/HelpSteer2", V1, "train.jsonl.gz", 3),
        ("org/subsets", MAIN, "helpful/train-00000-of-00002.jsonl", 1),
        ("org/subsets", MAIN, "helpful/train-00001-of-00002.jsonl", 2),
        ("org/subsets", MAIN, "helpful/test/deep.jsonl", 4),
        ("org/subsets", MAIN, "harmless/train.jsonl", 8),
        ("org/card", MAIN, "data/helpful-1.jsonl", 1),
        ("org/card", MAIN, "data/held.jsonl", 2),
        ("org/card", MAIN, "harmless.jsonl", 4),
        ("org/card", MAIN, "unnamed.jsonl", 8),
        ("org/default", MAIN, "train.jsonl", 1),
        ("org/default", MAIN, "extra/train.jsonl", 2),
    ] {
        let plain = rows(name, count);
        let bytes = if name.ends_with(".gz") {
            packed(&plain)
        } else {
            plain
        };
        put(&cache, repo, commit, name, &bytes);
    }
    put(&cache, "org/card", MAIN, "README.md", CARD.as_bytes());
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
fn names_of_the_hub_open_from_the_cache() {
    let (home, cache) = home();
    let folder = cache.join("datasets--nvidia--HelpSteer2");
    let folder = folder.to_str().expect("a name");
    for (args, count) in [
        (&["nvidia/HelpSteer2"][..], 6),
        (&[folder], 6),
        (&["nvidia/HelpSteer2@v1"], 3),
        (&["nvidia/HelpSteer2@fedcba9"], 3),
        (&["hf://datasets/nvidia/HelpSteer2@main/train.jsonl.gz"], 4),
        (&["hf://datasets/nvidia/HelpSteer2/validation.jsonl"], 2),
        (&["nvidia/HelpSteer2", "--split", "validation"], 2),
        (&["org/subsets:helpful"], 7),
        (&["org/subsets:helpful", "--split", "train"], 3),
        (&["org/subsets:helpful", "--split", "test"], 4),
        (&["hf://datasets/org/subsets/harmless"], 8),
        (&["org/card:helpful"], 3),
        (&["org/card:helpful", "--split", "out"], 2),
        (&["org/card:harmless"], 4),
        (&["org/default"], 1),
        (&["org/default:extra"], 2),
        (&["prompt:train", "nvidia/HelpSteer2", "org/default"], 5),
        (&["", "org/default", "--with", "again=org/default"], 1),
    ] {
        let (code, out, said) = run(home.path(), &[&["count"], args].concat());
        assert_eq!(
            (code, out),
            (Some(0), format!("{count}\n")),
            "{args:?}: {said}"
        );
    }
    let (code, out, said) = run(home.path(), &["schemas", "--guess", "org/default:extra"]);
    assert!(code == Some(0) && out.contains("chosen"), "{said}");
    let (_, _, said) = run(home.path(), &["count", "org/default"]);
    assert!(
        said.contains("org/default has the configurations default, extra"),
        "{said}"
    );
}

#[test]
fn messages_list_what_to_choose_from_and_how_to_download() {
    let (home, _) = home();
    for (args, says) in [
        (
            &["org/default", "--with", "nvidia/HelpSteer2"][..],
            "nvidia/HelpSteer2 has 2 files; name one of them, for example ",
        ),
        (
            &["org/subsets"],
            "org/subsets has the configurations harmless, helpful; choose one, e.g. org/subsets:helpful",
        ),
        (
            &["org/card"],
            "configurations helpful, harmless; choose one",
        ),
        (
            &["org/card:helpfull"],
            "configurations helpful, harmless; choose one",
        ),
        (
            &["nvidia/HelpSteer2", "--split", "dev"],
            "nvidia/HelpSteer2 has no such split; choose from train, validation",
        ),
        (
            &["hf://datasets/nvidia/HelpSteer3"],
            "download it with: hf download nvidia/HelpSteer3 --repo-type dataset\n",
        ),
        (
            &["nvidia/HelpSteer2@v2"],
            "hf download nvidia/HelpSteer2 --repo-type dataset --revision v2\n",
        ),
        (&["src/nowhere"], "src/nowhere: no such file; check"),
        (
            &["README.md", "--split", "train"],
            "--split needs a dataset",
        ),
    ] {
        let (code, _, said) = run(home.path(), &[&["stats"], args].concat());
        assert!(code == Some(2) && said.contains(says), "{args:?}: {said}");
    }
}

#[test]
fn a_local_path_of_that_name_wins() {
    let (home, _) = home();
    let local = home.path().join("nvidia");
    fs::create_dir(&local).expect("a folder");
    fs::write(local.join("HelpSteer2"), rows("local", 9)).expect("written");
    let mut program = Program::new(&["count", "nvidia/HelpSteer2"]);
    program
        .current_dir(home.path())
        .env("HF_HUB_CACHE", home.path().join("cache/huggingface/hub"));
    assert_eq!(program.output().expect("it runs").stdout, b"9\n");
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
