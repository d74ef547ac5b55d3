//! The output of `visavis completions` and `visavis man`, checked with the shells and man that are
//! installed.

use std::path::Path;

use crate::program;
use assert_cmd::assert::OutputAssertExt;
use tempfile::TempDir;

use crate::program::{PROGRAM, Program};
use crate::pty::Pty;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/helpsteer2.jsonl");

/// Writes the program's output to a file.
fn printed(folder: &Path, name: &str, args: &[&str]) -> String {
    let output = Program::new(args).assert().success().get_output().clone();
    let path = folder.join(name);
    std::fs::write(&path, output.stdout).expect("written");
    path.to_str().expect("a path").to_owned()
}

/// Returns another program's standard output, run in a folder; `None` if it is not installed.
fn said(folder: &Path, name: &str, args: &[&str]) -> Option<String> {
    let mut other = Program::other(name, args)?;
    let output = other.current_dir(folder).assert().success();
    Some(String::from_utf8_lossy(&output.get_output().stdout).into_owned())
}

#[test]
fn shells_take_their_scripts() {
    let folder = TempDir::new().expect("a folder");
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(folder.path(), shell, &["completions", shell]);
        said(folder.path(), shell, &["-n", &script]);
    }
}

#[test]
fn bash_completes_fields_schemas_and_files_of_data() {
    let folder = TempDir::new().expect("a folder");
    let script = printed(folder.path(), "script", &["completions", "bash"]);
    std::fs::write(folder.path().join("rows.jsonl"), "").expect("written");
    std::fs::write(folder.path().join("rows.txt"), "").expect("written");
    std::fs::write(folder.path().join("my rows.jsonl"), "").expect("written");
    std::fs::create_dir(folder.path().join("runs")).expect("made");
    // Schema names from other users are text.
    let schemas = folder.path().join("visavis/schemas");
    std::fs::create_dir_all(&schemas).expect("made");
    let mut built_in = Program::new(&["schemas", "helpsteer2"]);
    let toml = built_in.assert().success().get_output().stdout.clone();
    let toml = String::from_utf8(toml).expect("text");
    let hostile = toml.replacen(
        "name = \"helpsteer2\"",
        "name = \"hs$(touch${IFS}PWNED)\"",
        1,
    );
    assert_ne!(hostile, toml);
    std::fs::write(schemas.join("hs.toml"), hostile).expect("written");
    let saved = "[helpsteer2]\n\"far apart\" = \"gap.helpfulness>=2 sort:-len\"\n";
    std::fs::write(folder.path().join("visavis/filters.toml"), saved).expect("written");
    for (words, at, expected) in [
        (&["count", "helpf", DEMO][..], 2, "helpfulness\n"),
        (&["list", "helpf", DEMO], 2, "helpfulness\n"),
        (
            &["count", "--schema", "helpsteer2", "helpf", DEMO],
            4,
            "helpfulness\n",
        ),
        (
            &["--theme", "light", "count", "helpf", DEMO],
            4,
            "helpfulness\n",
        ),
        (
            &["--schema", "hs"],
            2,
            "hs\\$\\(touch\\$\\{IFS\\}PWNED\\)\n",
        ),
        (&["--schema", "run"], 2, "runs/\n"),
        (&["my"], 1, "my\\ rows.jsonl\n"),
        (&["count", "is:ti", DEMO], 2, "is:tie\n"),
        (&["count", "rows."], 2, "rows.jsonl\n"),
        (&["count", "len.r"], 2, "len.response\n"),
        (
            &["count", "gap.helpfulness>=2"],
            2,
            "gap.helpfulness\\>=2\\ sort:-len\n",
        ),
        (&["check", DEMO, "--filter", "verbo"], 4, "verbosity\n"),
        (
            &["list", "", DEMO, "--columns", "key,verbo"],
            5,
            "key\\,verbosity\n",
        ),
        (&["sample", DEMO, "--by", "verbo"], 4, "verbosity\n"),
        (&["export", DEMO, "--to", "tr"], 4, "trl\n"),
        (&["--theme", "li"], 2, "light\n"),
        (&["count", "turns>1", "ro"], 3, "rows.jsonl\n"),
        (&["ru"], 1, "runs/\n"),
        (&["--schema", "webgpt-f"], 2, "webgpt-flat\n"),
        (&["guide", "termi"], 2, "terminals\n"),
        (&["compl"], 1, "completions\n"),
        (&["--sche"], 1, "--schema\n"),
    ] {
        let line = format!(
            "export XDG_CONFIG_HOME=$PWD; source {script}; COMP_WORDS=({PROGRAM} '{}'); COMP_CWORD={at}; \
             _visavis {PROGRAM} '{}' '{}' 2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.join("' '"),
            words[at - 1],
            if at > 1 { words[at - 2] } else { PROGRAM },
        );
        let Some(said) = said(folder.path(), "bash", &["--norc", "-c", &line]) else {
            return;
        };
        assert_eq!(said, expected, "{words:?}");
        assert!(!folder.path().join("PWNED").exists(), "{words:?}");
    }
}

#[test]
fn fish_completes_fields_schemas_and_files_of_data() {
    let folder = TempDir::new().expect("a folder");
    let script = printed(folder.path(), "script", &["completions", "fish"]);
    std::fs::write(folder.path().join("rows.jsonl"), "").expect("written");
    std::fs::write(folder.path().join("rows.txt"), "").expect("written");
    std::fs::write(folder.path().join("hows.jsonl"), "").expect("written");
    for (line, offered, not) in [
        (
            format!("visavis check {DEMO} --filter h"),
            "helpfulness",
            "webgpt-flat",
        ),
        ("visavis ro".to_owned(), "rows.jsonl", "rows.txt"),
        (
            format!("visavis count is:ti {DEMO}"),
            "helpsteer2.jsonl",
            "is:tie",
        ),
        ("visavis --theme \"\"".to_owned(), "light", "rows.txt"),
        (
            "visavis --schema \"\"".to_owned(),
            "webgpt-flat",
            "rows.txt",
        ),
        ("visavis guide \"\"".to_owned(), "terminals", "rows"),
    ] {
        let command = format!("source {script}; complete -C'{line}'");
        let Some(said) = said(folder.path(), "fish", &["--no-config", "-c", &command]) else {
            return;
        };
        assert!(said.contains(offered), "{line}: {said}");
        assert!(!said.contains(not), "{line}: {said}");
    }
}

#[test]
fn zsh_completes_fields_schemas_and_files_of_data() {
    let folder = TempDir::new().expect("a folder");
    let script = printed(folder.path(), "script", &["completions", "zsh"]);
    std::fs::write(folder.path().join("rows.jsonl"), "").expect("written");
    std::fs::write(folder.path().join("rows.txt"), "").expect("written");
    for (words, at, expected) in [
        (format!("count helpf {DEMO}"), 3, "helpfulness-\n"),
        ("count rows.".to_owned(), 3, "rows.jsonl\n"),
        ("--schema webgpt-f".to_owned(), 3, "webgpt-flat\n"),
        ("guide termi".to_owned(), 3, "terminals\n"),
        ("--theme li".to_owned(), 3, "light\n"),
    ] {
        // What zsh would offer, with a - if no space follows.
        let command = format!(
            "compdef() {{ }}; compadd() {{ print -r -- \"$@[-1]${{${{(M)@:#-S}}:+-}}\" }}; source {script}; \
             words=({PROGRAM} {words}); CURRENT={at}; _visavis"
        );
        let Some(said) = said(folder.path(), "zsh", &["-f", "-c", &command]) else {
            return;
        };
        assert_eq!(said, expected, "{words}");
    }
}

#[test]
fn man_takes_the_page() {
    let folder = TempDir::new().expect("a folder");
    let page = printed(folder.path(), "visavis.1", &["man"]);
    if let Some(said) = said(
        folder.path(),
        "mandoc",
        &["-T", "lint", "-W", "error", &page],
    ) {
        assert_eq!(said, "");
    }
    if let Some(said) = said(folder.path(), "man", &["-l", &page]) {
        for words in ["NAME", "visavis-count", "--svg", "SUBCOMMANDS"] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}

#[test]
fn bash_completes_at_a_prompt_within_quotes_and_after_its_word_breaks() {
    let folder = TempDir::new().expect("a folder");
    if said(folder.path(), "bash", &["--version"]).is_none() {
        return;
    }
    let script = printed(folder.path(), "script", &["completions", "bash"]);
    let with_prompt = std::fs::read_to_string(&script).expect("there") + "PS1='ready> '\n";
    std::fs::write(&script, with_prompt).expect("written");
    let bash = "exec bash --rcfile \"$1\" -i";
    let mut command = program::shell_at_home(folder.path(), bash);
    command.arg(&script);
    let pty = Pty::spawn(command, 200, 10);
    pty.wait_for("ready> ");
    for (typed, expected) in [
        ("count 'helpfulness>3 is:ti", "count 'helpfulness>3 is:tie'"),
        ("count is:ti", "count is:tie"),
        ("count \"is:ti", "count \"is:tie\""),
        ("--theme=gru", "--theme=gruvbox"),
    ] {
        pty.send(format!("{PROGRAM} {typed}\t"));
        pty.wait_for(&format!("{PROGRAM} {expected}"));
        pty.send("\x15");
        pty.wait_gone(expected);
    }
    pty.send("exit\r");
    pty.wait_exit();
}

#[test]
fn an_answer_that_takes_long_shows_how_far_it_is_and_leaves_no_trace() {
    let folder = TempDir::new().expect("a folder");
    let script = "(cat \"$1\"; sleep 3) | \"$0\" count --rows 'helpfulness>=0'; echo \"exit $?\"";
    let mut command = program::shell_at_home(folder.path(), script);
    command.arg(DEMO);
    let pty = Pty::spawn(command, 100, 20);
    pty.wait_for("reading, ");
    pty.wait_for("exit 0");
    pty.wait_gone("reading, ");
}
