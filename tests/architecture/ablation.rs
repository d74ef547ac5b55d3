//! Rules and words of the guess that no test of this project needs.
//!
//! Builds a copy in which each function of `schema/guess` and each word of `assets/guess.toml` can be switched off, and
//! runs the tests of schemas once with each. Takes half an hour:
//!
//! ```sh
//! cargo test --test main ablation -- --ignored --nocapture
//! ABLATION=annotators:: cargo test --test main ablation -- --ignored --nocapture # only these
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use regex::{Captures, Regex};
use tempfile::TempDir;

/// Appended to the copy: whether a rule or a word is off, and which ones a run reaches.
const SWITCH: &str = r#"
/// Notes that this rule or word is reached; true if it is switched off.
pub(crate) fn is_off(name: &str) -> bool {
    use std::sync::{LazyLock, Mutex};
    static OFF: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("ABLATION_OFF").ok());
    static SEEN: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("ABLATION_SEEN").ok());
    static KNOWN: Mutex<std::collections::BTreeSet<String>> = Mutex::new(std::collections::BTreeSet::new());
    if let Some(path) = &*SEEN {
        let mut known = KNOWN.lock().expect("a lock");
        if known.insert(name.to_owned()) {
            std::fs::write(path, known.iter().map(|it| format!("{it}\n")).collect::<String>()).expect("written");
        }
    }
    OFF.as_deref() == Some(name)
}
"#;

/// The tests that are run, and those of them that are left out because they take long.
const TESTS: [&str; 4] = [
    "schema::tests",
    "schema::guess",
    "--skip",
    "schema::tests::random",
];

/// Copies the files below a folder that the library is built from.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let (name, target) = (
            path.file_name().expect("a name"),
            to.join(path.file_name().expect("a name")),
        );
        match path.is_dir() {
            true if name == "target" || name == ".git" => {}
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("copied")),
        }
    }
}

/// Lets each function that gives an option, a list, a truth value or nothing return at once.
fn with_switches(module: &str, source: &str) -> String {
    let (code, tests) = source.split_at(
        source
            .find("#[cfg(test)]\nmod tests")
            .unwrap_or(source.len()),
    );
    let function =
        Regex::new(r"(?m)^ *(?:pub(?:\([^)]*\))? )?fn (\w+)[^;{}]*?\{\n").expect("a pattern");
    let result = Regex::new(r"->\s*([^{]*?)\s*(?:where[^{]*)?\{\n$").expect("a pattern");
    let code = function.replace_all(code, |of: &Captures<'_>| {
        let (head, name) = (&of[0], format!("{module}::{}", &of[1]));
        let switch =
            |name: &str, result| format!("if crate::is_off(\"{name}\") {{ return {result}; }}\n");
        let returned = result
            .captures(head)
            .map_or(String::new(), |of| of[1].to_owned());
        let switches = match &*returned {
            "" => switch(&name, "()"),
            "bool" => {
                switch(&format!("{name}=false"), "false") + &switch(&format!("{name}=true"), "true")
            }
            it if it.starts_with("Option<") => switch(&name, "None"),
            it if it.starts_with("Vec<") => switch(&name, "Vec::new()"),
            _ => String::new(),
        };
        format!("{head}{switches}")
    });
    format!("{code}{tests}")
}

/// Builds the copy and returns the program with its tests.
fn built(copied: &Path) -> PathBuf {
    let guess = copied.join("src/data/schema/guess");
    let modules = fs::read_dir(&guess)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let mut words = false;
    for path in modules.chain([copied.join("src/data/schema/guess.rs")]) {
        let module = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let source = fs::read_to_string(&path).expect("text");
        let place = ".position(|it| it == word";
        words |= source.contains(place);
        let source = source.replace(place, ".position(|it| (it == word");
        let source = source.replace(
            "|| it == one || of_y(it))",
            "|| it == one || of_y(it)) && !crate::is_off(&format!(\"word {it}\")))",
        );
        fs::write(&path, with_switches(&module, &source)).expect("written");
    }
    assert!(words, "words are compared elsewhere now");
    let library = copied.join("src/data/lib.rs");
    let source = fs::read_to_string(&library).expect("text");
    fs::write(&library, source + SWITCH).expect("written");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([
            "test",
            "-p",
            "visavis-data",
            "--lib",
            "--no-run",
            "--message-format=short",
        ])
        .current_dir(copied);
    // The dependencies are built already.
    cargo.env(
        "CARGO_TARGET_DIR",
        Path::new(env!("CARGO_MANIFEST_DIR")).join("target"),
    );
    let done = cargo.output().expect("cargo runs");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let program = Regex::new(r"Executable unittests lib\.rs \((.*)\)").expect("a pattern");
    PathBuf::from(&program.captures(&said).expect("a program")[1])
}

/// Runs the tests; true if all pass.
fn pass(program: &Path, copied: &Path, variable: &str, value: &str) -> bool {
    let mut tests = Command::new(program);
    tests
        .args(TESTS)
        .arg("--test-threads=1")
        .current_dir(copied.join("src/data"))
        .env("HOME", copied);
    tests
        .env(variable, value)
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    tests.status().expect("the tests run").success()
}

#[test]
#[ignore = "takes half an hour"]
fn rules_and_words_that_no_test_needs_are_printed() {
    let folder = TempDir::new().expect("a folder");
    let copied = folder.path().join("visavis");
    copy(Path::new(env!("CARGO_MANIFEST_DIR")), &copied);
    let program = built(&copied);
    let seen = folder.path().join("seen");
    assert!(
        pass(&program, &copied, "ABLATION_SEEN", &seen.to_string_lossy()),
        "the copy fails without a switch"
    );
    let seen = fs::read_to_string(seen).expect("text");
    let only = std::env::var("ABLATION").unwrap_or_default();
    let names: Vec<_> = seen.lines().filter(|name| name.contains(&only)).collect();
    assert!(!names.is_empty() && seen.lines().count() > 100, "{seen}");
    let (next, needless) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if pass(&program, &copied, "ABLATION_OFF", name) {
                        needless.lock().expect("a lock").insert(*name);
                    }
                }
            });
        }
    });
    let needless = needless.into_inner().expect("a lock");
    println!(
        "{} of {} reached rules and words change no test:",
        needless.len(),
        names.len()
    );
    for name in &needless {
        println!("  {name}");
    }
    // A copy that ignores its switches would find all of them needless.
    assert!(needless.len() < names.len());
}
