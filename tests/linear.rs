//! Linear mode: the real program with lines on standard input, and its output.

use std::fs;

use crate::program::Program;
use tempfile::TempDir;

const ROWS: &str = r#"{"prompt": "How do I reverse a list in place?", "response": "Call reverse() on it.\n\nIt gives nothing back.", "helpfulness": 4, "verbosity": 2}
{"prompt": "How do I reverse a list in place?", "response": "Use a slice.", "helpfulness": 2, "verbosity": 1}
{"prompt": "Name a river.", "response": "The Danube.\u001b]0;driven\u0007", "helpfulness": 3, "verbosity": 0}
{"prompt": "Name a river.", "response": "Rivers are many.", "helpfulness": 1, "verbosity": 1}
{"prompt": "What is two and two?", "response": "Five.", "helpfulness": 0, "verbosity": 0}
{"prompt": "What is two and two?", "response": "Four.", "helpfulness": 4, "verbosity": 0}
"#;

/// Returns the program's output for these lines.
#[allow(clippy::expect_used)] // A failed helper is a failed test.
fn transcript(arguments: &[&str], lines: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (rows, journal) = (path("rows.jsonl"), path("journal.jsonl"));
    fs::write(&rows, ROWS).expect("written");
    let own = [
        "--linear",
        "--reviewer",
        "ann",
        "--journal",
        &journal,
        &rows,
    ];
    let done = Program::new(&[arguments, &own].concat())
        .piped(lines)
        .success();
    let said = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    assert!(!said.contains('\u{1b}'), "{said}");
    said.replace(&rows, "rows.jsonl")
}

#[test]
fn an_audit_of_three_samples() {
    let arguments = ["audit", "-n", "3", "--seed", "7", "--blind"];
    let lines = "m\n40\n12\n33\n22\n01\n\n3322110022\n\n0404040404\n\nq\nq\n";
    let said = transcript(&arguments, lines);
    // Nothing reveals the labels before the first answer.
    let before = said.split("rate> 40").next().unwrap_or_default();
    assert!(
        !before.contains("wins") && !before.contains("dataset"),
        "{before}"
    );
    insta::assert_snapshot!(said);
}

#[test]
fn reading_finding_and_menus() {
    let lines = "j\n\n/Danube\n<esc>\nf helpfulness>=4\nG\nf helpfulnes>=4\n<esc>\nf <c-u>\ns\n2\ne a note\nB\nv\nq\n:nonsense\n<esc>\n";
    insta::assert_snapshot!(transcript(&[], lines));
}

#[test]
fn bars_and_histograms_are_not_read_aloud() {
    // The longer response of 20 pairs wins, a share with an interval.
    let lines = ":statistics\nq\nq\n";
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (rows, journal) = (path("rows.jsonl"), path("journal.jsonl"));
    let row = |at: usize| {
        let (long, label) = (
            at.is_multiple_of(2),
            if at.is_multiple_of(2) { 4 } else { 1 },
        );
        let response = "many words ".repeat(if long { 20 } else { 1 });
        let prompt = at / 2;
        format!(
            "{{\"prompt\": \"p{prompt}\", \"response\": \"{response}\", \"helpfulness\": {label}}}\n"
        )
    };
    fs::write(&rows, (0..40).map(row).collect::<String>()).expect("written");
    let done = Program::new(&[
        "--linear",
        "--reviewer",
        "ann",
        "--journal",
        &journal,
        &rows,
    ])
    .piped(lines)
    .success();
    let said = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    let wins = said.lines().find(|line| line.starts_with("longer wins"));
    let wins = wins.unwrap_or_else(|| panic!("{said}"));
    let words: Vec<_> = wins.split_whitespace().collect();
    assert_eq!(words, ["longer", "wins", "20/20", "100", "more", "often"]);
    assert!(said.lines().any(|line| line == "helpfulness 4:1"), "{said}");
}

#[test]
fn a_sentence_of_a_rule_sends_nothing_to_the_terminal() {
    let home = TempDir::new().expect("a folder");
    let rules = home.path().join("visavis/findings");
    fs::create_dir_all(&rules).expect("made");
    let rule =
        "[own]\nsentence = \"Odd \\u001b[31mred\"\nseverity = \"slight\"\nquery = \"len>0\"\n";
    fs::write(rules.join("own.toml"), rule).expect("written");
    let mut program = Program::new(&["--linear"]);
    program.env("XDG_CONFIG_HOME", home.path());
    let said = program
        .piped("!\n".to_owned() + &"j\n".repeat(60))
        .success();
    let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
    assert!(said.contains("Odd ␛[31mred"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn the_environment_asks_for_it_and_standard_input_is_no_file() {
    let mut program = Program::new(&[]);
    program.env("ACCESSIBLE", "1");
    let said = program.piped("j\n").success();
    let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
    assert!(
        said.starts_with("sample 1/63") && said.contains("\nsample 2/63"),
        "{said}"
    );
    Program::new(&["--linear", "-"]).piped("j\n").code(2);
}

#[test]
fn words_of_other_programs_are_not_notes() {
    let said = transcript(&[], "help\nq\nexit\n");
    assert!(
        said.contains("\nkeys  type to find") && !said.contains("1 note"),
        "{said}"
    );
}

#[test]
fn no_line_of_a_text_is_lost_and_code_keeps_its_indentation() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("rows.jsonl");
    let calls: String = (0..600)
        .map(|call| format!("  call_{call}();\\n}}\\n"))
        .collect();
    let row = format!(
        r#"{{"prompt": "p", "chosen": "```\n{calls}```", "rejected": "> quoted\n\nquoted"}}"#
    );
    fs::write(&path, row.replace("\\\\n", "\\n") + "\n").expect("written");
    let done = Program::new(&["--linear", &path.display().to_string()])
        .piped("\n\n\n")
        .success();
    let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let count = |row: &str| said.lines().filter(|line| *line == row).count();
    assert_eq!(
        (
            count("}"),
            count("  call_599();"),
            count("quoted"),
            count("> quoted")
        ),
        (600, 1, 1, 1),
        "{said}"
    );
}

#[test]
fn the_text_of_a_line_that_is_refused_is_not_read_as_keys() {
    let said = transcript(
        &["audit", "-n", "3", "--seed", "7"],
        "<esc>\nf rude\nq\nq\n",
    );
    assert!(
        said.contains("during an audit") && !said.contains("note>"),
        "{said}"
    );
}
