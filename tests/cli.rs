//! The real program without a terminal: its messages, where they are printed, and exit codes.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::program::Program;
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use flate2::{Compression, write::GzEncoder};
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

const RATED: &str = include_str!("../assets/demo/helpsteer2.jsonl");
const COMPARED: &str = include_str!("../assets/demo/webgpt.jsonl");

/// The program, with neither a terminal nor anything on standard input.
fn visavis(args: &[&str]) -> Program {
    Program::new(args)
}

fn run(args: &[&str]) -> Assert {
    visavis(args).assert()
}

/// Runs it with these bytes in a pipe on standard input.
fn piped(args: &[&str], bytes: impl Into<Vec<u8>>) -> Assert {
    visavis(args).piped(bytes)
}

/// A folder of files.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn new() -> Self {
        Self {
            folder: TempDir::new().expect("a folder"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a new file with these bytes and returns its path.
    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("written");
        text(&path)
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("a name in UTF-8").to_owned()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("encoded")
}

/// Checks for exit code 2, empty standard output, and a one-line error that begins with the
/// program's name and contains this text.
fn refused(assert: Assert, says: &str) {
    let harmless = |said: &str| !said.trim_end_matches('\n').chars().any(char::is_control);
    assert
        .code(2)
        .stdout("")
        .stderr(contains(says))
        .stderr(predicate::str::starts_with("visavis: ").and(predicate::function(harmless)));
}

#[test]
fn the_manual_is_printed_as_plain_text() {
    // Commands are complete, however long, so that they can be copied.
    let is_plain = |text: &str, source: &str| {
        let is_code = |line: &str| source.lines().any(|code| code.trim() == line.trim());
        let fits = |line: &str| visavis::text_width(line) <= 80 || is_code(line);
        !text.contains('\u{1b}') && text.lines().all(fits)
    };
    run(&["guide"])
        .success()
        .stdout(contains("\n  start ").and(contains("\n  query ")))
        .stderr("");
    for topic in visavis::guide_topics() {
        let heading = format!("# {}\n", topic.title);
        run(&["guide", topic.name])
            .success()
            .stdout(
                predicate::function(|text: &str| is_plain(text, topic.source))
                    .and(contains(heading)),
            )
            .stderr("");
    }
    run(&["guide", "training"]).success().stdout(contains(
        "\nvisavis export train.jsonl --to helpsteer2 --apply relabel,drop -o train.corrected.jsonl\n",
    ));
    run(&["guide", "sear"])
        .success()
        .stdout(contains("Find samples by their texts"));
    refused(
        run(&["guide", "filtre"]),
        "visavis: unknown guide page filtre; did you mean filter?",
    );
    refused(
        run(&["guide", "fi"]),
        "begin with fi: filter, findings, files",
    );
    refused(run(&["guide", "\u{1b}[2Jx"]), "unknown guide page");
}

#[test]
fn keys_are_printed_with_where_they_hold() {
    run(&["keys"])
        .success()
        .stdout(
            contains("Samples\n  read        j  ↓ ")
                .and(contains("  everywhere  ^l "))
                .and(contains("  rate        s "))
                .and(contains("  command     :help TOPIC ")),
        )
        .stderr("");
}

#[test]
fn who_reads_no_further_hears_nothing() {
    for args in [&["guide", "query"][..], &["guide"], &["keys"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut program = visavis(args);
        program.stdout(writer);
        program.assert().success().stderr("");
    }
}

#[test]
fn help_and_version() {
    let version = format!("visavis {}\n", env!("CARGO_PKG_VERSION"));
    run(&["--version"])
        .success()
        .stdout(version.clone())
        .stderr("");
    run(&["-V"]).success().stdout(version);
    run(&["-h"]).success().stdout(
        contains("Usage: visavis")
            .and(contains("--print"))
            .and(contains("Examples:").not()),
    );
    run(&["--help"]).success().stdout(
        contains("Examples:")
            .and(contains("zcat part-*.gz | visavis"))
            .and(contains("Exit codes")),
    );
}

#[test]
fn without_a_terminal_it_says_what_to_do_instead() {
    refused(
        run(&[]),
        "standard output is not a terminal; --print writes one frame as text",
    );
    refused(piped(&["-"], RATED), "standard output is not a terminal");
}

#[test]
fn containers_are_counted_and_damage_is_reported() {
    let disk = Disk::new();
    let list = "[{\"prompt\": \"p\", \"chosen\": \"c\", \"rejected\": \"r\"},\n {\"prompt\": \"q\", \"chosen\": \"c\", \"rejected\": \"r\"}";
    let nested = disk.put("nested.json", format!("{{\"x\": {{\"y\": {list}]}}}}"));
    run(&["count", "", "--rows-at", "/x/y", &nested])
        .success()
        .stdout("2\n");
    refused(
        run(&["count", "", "--rows-at", "/x/z", &nested]),
        "no JSON list at `/x/z` (the document has x); pass another",
    );
    run(&["count", "", &disk.put("cut.json", list)])
        .code(1)
        .stdout("2\n")
        .stderr(contains(
            "the JSON list is truncated after element 2, at byte 98; the 2 elements before it are kept",
        ));
}

#[test]
fn tables_and_documents_as_programs_write_them() {
    let disk = Disk::new();
    let record = |at: usize| {
        format!("{{\"prompt\": \"p{at}\", \"chosen\": \"yes {at}\", \"rejected\": \"no {at}\"}}")
    };
    let [one, two, three] = [1, 2, 3].map(record);
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16();
        units.flat_map(u16::to_le_bytes).collect()
    };
    let table = "prompt;chosen;rejected\np1;yes 1;no 1\np2;yes 2;no 2\np3;yes 3;no 3\n";
    let german = table.replace("p1", "W\u{e4}re das sch\u{f6}n?");
    let latin: Vec<u8> = german.chars().map(|sign| sign as u8).collect();
    let quoted = "prompt, chosen, rejected\n\"p1\", \"yes, 1\", \"no 1\"\n\"p2\", \"a\", \"b\"\n\"p3\", \"a\", \"b\"\n";
    for (name, bytes) in [
        ("sep.csv", format!("sep=;\r\n{table}").into_bytes()),
        ("comment.csv", format!("# of May; by Ann\n{table}").into_bytes()),
        ("bar.csv", table.replace(';', "|").into_bytes()),
        ("quoted.csv", quoted.into()),
        ("utf16.tsv", utf16(&format!("\u{feff}{}", table.replace(';', "\t")))),
        ("latin.csv", latin),
        ("utf16.jsonl", utf16(&format!("{one}\n{two}\n{three}\n"))),
        (
            "splits.json",
            format!("{{\"train\": [{one}, {two}], \"test\": [{three}]}}").into_bytes(),
        ),
        (
            "keys.json",
            format!("{{\"q-1\": {one},\n \"q-2\": {two}, \"q-3\": {three}}}").into_bytes(),
        ),
        (
            "columns.json",
            b"{\"prompt\": [\"p1\", \"p2\", \"p3\"], \"chosen\": [\"a\", \"b\", \"c\"], \"rejected\": [\"d\", \"e\", \"f\"]}".into(),
        ),
        (
            "pandas.json",
            b"{\"prompt\":{\"0\":\"p1\",\"1\":\"p2\",\"2\":\"p3\"},\"chosen\":{\"0\":\"a\",\"1\":\"b\",\"2\":\"c\"},\"rejected\":{\"0\":\"d\",\"1\":\"e\",\"2\":\"f\"}}".into(),
        ),
        (
            "pretty.json",
            [one, two, three].map(|it| it.replace(", ", ",\n  ") + "\n").concat().into_bytes(),
        ),
    ] {
        let file = disk.put(name, bytes);
        run(&["count", "", &file]).success().stdout("3\n").stderr("");
        run(&["count", "is:single", &file]).success().stdout("0\n");
    }
    run(&["count", "W\u{e4}re", &text(&disk.path("latin.csv"))])
        .success()
        .stdout("1\n");
    let folder = disk.path("parts");
    fs::create_dir(&folder).expect("a folder");
    for (part, at) in [("part-10.jsonl", 2), ("part-2.jsonl", 1)] {
        fs::write(folder.join(part), record(at)).expect("room");
    }
    run(&["list", "", &text(&folder), "--columns", "prompt"])
        .success()
        .stdout(contains("p1").and(predicates::str::is_match("(?s)p1.*p2").expect("a pattern")));
}

#[test]
fn files_that_cannot_be_shown() {
    let disk = Disk::new();
    for (name, bytes, says) in [
        ("empty.jsonl", &b""[..], "empty.jsonl is empty"),
        ("empty.gz", &gz(b""), "empty.gz is empty"),
        (
            "words.txt",
            b"hello\nworld\n",
            "not JSON Lines: its first lines are not JSON objects",
        ),
        (
            "array.json",
            b"[\n  {\"prompt\": \"p\"},\n  {\"prompt\": \"q\"}\n]\n",
            "no prompt and responses found in its records, which have prompt",
        ),
        (
            "lists.json",
            b"{\n  \"x\": [{\"a\": 1}],\n  \"y\": [{\"a\": 2}]\n}\n",
            "no prompt and responses found in its records, which have x, y",
        ),
        (
            "table.csv",
            b"id,x,y\n1,2,3\n",
            "no prompt and responses found in its records, which have id, x, y",
        ),
        (
            "header.csv",
            b"id,prompt,response\n",
            "it looks like CSV, but no row matches its header",
        ),
        (
            "other.jsonl",
            b"{\"x\": 1, \"y\": \"z\"}\n",
            "which have x, y; name the fields: --map",
        ),
        (
            "rows.parquet",
            b"PAR1\x15\0",
            "rows.parquet is a truncated Parquet file (its footer is missing); fetch it again",
        ),
        (
            "utf32.jsonl",
            b"\xff\xfe\0\0{\0\0\0}\0\0\0",
            "utf32.jsonl | visavis",
        ),
        (
            "rows.arrow",
            b"\xff\xff\xff\xff\x10\0",
            "rows.arrow').to_json('",
        ),
        ("cut.gz", &gz(RATED.as_bytes())[..60], "the compressed data"),
    ] {
        refused(run(&["--print", &disk.put(name, bytes)]), says);
    }
    refused(
        run(&["--print", &text(&disk.path("missing"))]),
        "missing: no such file; check the spelling and the folder",
    );
    let folder = disk.path("saved");
    fs::create_dir(&folder).expect("a folder");
    refused(
        run(&["--print", &text(&folder)]),
        "is a directory without data files; ",
    );
    fs::write(folder.join("state.json"), "{}").expect("room");
    refused(
        run(&["--print", &text(&folder)]),
        "saved by the datasets library; convert it first: python -c \"import datasets; ",
    );
    refused(piped(&["--print"], ""), "standard input is empty");
    refused(
        piped(&["--print"], "hello\n"),
        "standard input: not JSON Lines",
    );
    // One bad file of several: nothing is shown.
    let good = disk.put("good.jsonl", RATED);
    refused(
        run(&["--print", &good, &text(&disk.path("missing"))]),
        "missing: no such file",
    );
}

#[test]
fn command_lines_that_mean_nothing() {
    let disk = Disk::new();
    let schema = disk.put("mine.toml", "name = 3\n");
    for (args, says) in [
        (
            &["--schema", "nope"][..],
            "unknown schema `nope`; use one of: alpacaeval, arena-55k, comparia, gemini-preference",
        ),
        (&["--schema", "no-such.toml"], "no-such.toml: No such file"),
        (&["--schema", &schema], "mine.toml: "),
        (&["--keys", "<nokey>"], "unknown key <nokey>; use <enter>"),
        (&["-", "-"], "standard input (-) can be read only once"),
    ] {
        let assert = run(&[&["--print"], args].concat());
        assert.code(2).stdout("").stderr(contains(says));
    }
    let (rows, words) = (
        disk.put("rows.jsonl", "{\"q\": \"p\", \"one\": \"l\"}\n"),
        disk.put("words.txt", "hello\n"),
    );
    for (args, says) in [
        (
            &["--map", "prompt=q,a=/one.txt", &rows][..],
            "cannot read the first records, which have q, one: /one.txt is missing",
        ),
        (
            &["--schema", "helpsteer2", &rows],
            "cannot read the first records, which have q, one: /prompt is missing",
        ),
        (
            &["--map", "prompt=q,a=one", &words],
            "words.txt: not JSON Lines",
        ),
        (
            &["--schema", "helpsteer2", &words],
            "words.txt: not JSON Lines",
        ),
    ] {
        refused(run(&[&["--print"], args].concat()), says);
    }
    for (args, says) in [
        (
            &["--map", "prompt"][..],
            "expected NAME=PATH, found `prompt`",
        ),
        (
            &["--map", "prompt=p"],
            "response A has no field; add a=PATH",
        ),
        (&["--map", "c=p"], "without a gap: a=PATH"),
        (
            &["--map", "prompt=p,a=r", "--schema", "helpsteer2"],
            "cannot be used with",
        ),
        (&["--size", "80"], "expected COLUMNSxROWS"),
        (&["--size", "0x24"], "expected COLUMNSxROWS"),
        (&["--size", "80x1001"], "expected COLUMNSxROWS"),
        (&["--theme", "pink"], "unknown theme `pink`"),
        (&["--nonsense"], "unexpected argument '--nonsense'"),
    ] {
        run(&[&["--print"], args].concat())
            .code(2)
            .stdout("")
            .stderr(contains(says));
    }
}

#[test]
fn names_of_files_do_not_control_the_terminal() {
    let disk = Disk::new();
    let evil = "evil\u{1b}[31m\u{1b}]0;owned\u{7}\u{202e}\u{200b}.jsonl";
    let hostile = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
    };
    let harmless = || predicate::function(move |said: &str| !said.contains(hostile));
    run(&["--print", &text(&disk.path(evil))])
        .code(2)
        .stdout("")
        .stderr(contains("no such file").and(harmless()));
    disk.put(evil, "not json\n");
    run(&["--print", &text(&disk.path(evil))])
        .code(2)
        .stderr(contains("not JSON Lines").and(harmless()));
    let path = disk.put(evil, RATED);
    run(&["--print", &path])
        .success()
        .stderr("")
        .stdout(contains("evil").and(harmless()));
    // A malformed row names its file again.
    run(&["--print", "--keys", "16G", &path])
        .success()
        .stdout(contains("malformed row").and(harmless()));
    let svg = text(&disk.path("frame.svg"));
    run(&["--svg", &svg, &path]).success().stdout("");
    assert!(
        !std::fs::read_to_string(&svg)
            .expect("a picture")
            .contains(hostile)
    );
}

#[test]
fn the_demo_opens_without_a_file() {
    let first = "I counted five seconds between the flash and the bang";
    run(&["--print"]).success().stderr("").stdout(
        contains(first)
            .and(contains("1/63"))
            .and(contains("1 malformed line")),
    );
    run(&["--print", "--keys", "G"])
        .success()
        .stdout(contains("63/63").and(contains("on a recording?")));
    run(&["--print", "--keys", "Ggg"])
        .success()
        .stdout(contains(first).and(contains("1/63")));
    run(&["--print", "--keys", "16G"])
        .success()
        .stdout(contains("malformed row").and(contains("line 31")));
    run(&["--print", "--keys", "jq"])
        .success()
        .stdout(contains("2/63"));
}

#[test]
fn a_frame_has_the_size_asked_for() {
    for (size, width, height) in [
        ("1x1", 1, 1),
        ("20x6", 20, 6),
        ("80x24", 80, 24),
        ("300x100", 300, 100),
    ] {
        let fits = move |out: &str| {
            let lines: Vec<_> = out.lines().collect();
            lines.len() == height && lines.iter().all(|line| visavis::text_width(line) <= width)
        };
        run(&["--print", "--size", size])
            .success()
            .stderr("")
            .stdout(predicate::function(fits));
    }
}

#[test]
fn the_same_rows_from_wherever_they_come() {
    let disk = Disk::new();
    let lines: Vec<_> = RATED.split_inclusive('\n').collect();
    let (head, tail) = (lines[..20].concat(), lines[20..].concat());
    let members = [gz(head.as_bytes()), gz(tail.as_bytes())].concat();
    let frames = [head.as_bytes(), tail.as_bytes()]
        .map(|piece| zstd::encode_all(piece, 1).expect("encoded"))
        .concat();
    let print = ["--print", "--keys", "G", "--size", "120x30"];
    // Only the name may differ, not the pages between the header and the status line.
    let body = |assert: Assert| {
        let out = String::from_utf8(assert.success().stderr("").get_output().stdout.clone())
            .expect("UTF-8");
        assert!(
            out.contains("33/33") && out.contains("1 malformed line"),
            "{out}"
        );
        out.lines()
            .skip(1)
            .take(28)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let expected = body(run(
        &[&print[..], &[&disk.put("rows.jsonl", RATED)]].concat()
    ));
    for (name, bytes) in [
        ("rows.gz", &members),
        ("rows.zst", &frames),
        ("no-extension", &members),
    ] {
        assert_eq!(
            body(run(&[&print[..], &[&disk.put(name, bytes)]].concat())),
            expected,
            "{name}"
        );
        assert_eq!(
            body(piped(&print, bytes.clone())),
            expected,
            "{name} in a pipe"
        );
    }
    assert_eq!(body(piped(&print, RATED)), expected);
    assert_eq!(body(piped(&[&print[..], &["-"]].concat(), RATED)), expected);
    let file = std::fs::File::open(disk.path("rows.gz")).expect("opened");
    assert_eq!(
        body(visavis(&print).stdin(file).assert()),
        expected,
        "redirected"
    );
}

#[test]
fn several_files_are_one_dataset() {
    let disk = Disk::new();
    let (rated, compared) = (
        disk.put("rated.jsonl", RATED),
        disk.put("compared.gz", gz(COMPARED.as_bytes())),
    );
    let print = |keys| ["--print", "--keys", keys, &rated, &compared];
    run(&print(""))
        .success()
        .stdout(contains("rated.jsonl:1 (of 2 files)").and(contains("1/63")));
    run(&print("34G"))
        .success()
        .stdout(contains("34/63").and(contains("compared.gz:1 (of 2 files)")));
    run(&print("33G"))
        .success()
        .stdout(contains("rated.jsonl:62 (of 2 files)"));
    piped(&["--print", "--keys", "G", &rated, "-"], COMPARED)
        .success()
        .stdout(contains("standard input:30 (of 2 files)"));
}

#[test]
fn a_low_screen_tells_a_blind_judge_no_query() {
    for size in ["118x32", "80x20", "60x20"] {
        let keys = "fhelpfulness>=3<enter>:audit 3 blind<enter>1";
        let shown = run(&["--print", "--size", size, "--keys", keys]).success();
        let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
        assert!(shown.contains("0/3") && shown.contains("blind"), "{shown}");
        assert!(!shown.contains("helpfulness>=3"), "{shown}");
    }
}

#[test]
fn a_long_name_of_a_label_leaves_the_values_in_sight() {
    let disk = Disk::new();
    let name = "answers_the_question_as_it_was_asked";
    let row = format!(
        "{{\"prompt\": \"p\", \"response_a\": \"x\", \"response_b\": \"y\", \"helpfulness_a\": 1, \
         \"helpfulness_b\": 2, \"{name}_a\": 13, \"{name}_b\": 23}}\n"
    );
    let path = disk.put("rows.jsonl", row);
    for size in ["112x30", "118x32", "160x48"] {
        let shown = run(&["--print", "--size", size, &path]).success();
        let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
        let card = |start: &str| shown.lines().find(|line| line.starts_with(start));
        for (start, values) in [(" helpfulness", ["1", "2"]), (" answers_the", ["13", "23"])] {
            let line = card(start).unwrap_or_default();
            let line = line.split('│').next().unwrap_or_default();
            let numbers: Vec<_> = line.split(|c: char| !c.is_ascii_digit()).collect();
            let numbers: Vec<_> = numbers
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect();
            assert_eq!(numbers, values, "{size}: {shown}");
        }
    }
}

#[test]
fn malformed_rows_say_file_line_byte_and_column() {
    let disk = Disk::new();
    let row = r#"{"prompt": "p", "response": "r", "helpfulness": 3}"#;
    let bad = row.replace("\"r\"", "7");
    let path = disk.put("rows.jsonl", format!("\n{row}\r\n{bad}\n{row}\n"));
    // One blank line and one row with its line break come before it.
    let byte = 1 + row.len() + 2;
    run(&["--print", "--keys", "2G", "--size", "160x30", &path])
        .success()
        .stderr("")
        .stdout(
            contains("/response is a number, not text")
                .and(contains(format!(
                    "line 3, byte {byte}, column 29 (byte {})",
                    byte + 28
                )))
                .and(contains(path.as_str()))
                .and(contains(bad))
                .and(contains("2/2")),
        );
}

#[test]
fn an_odd_label_is_flagged_and_its_row_is_read() {
    let disk = Disk::new();
    let row = |value: &str| {
        format!(r#"{{"prompt": "p", "response": "r", "helpfulness": {value}, "verbosity": 1}}"#)
    };
    let path = disk.put("rows.jsonl", format!("{}\n{}\n", row("2"), row("\"high\"")));
    run(&["--print", "--size", "160x30", &path])
        .success()
        .stderr("")
        .stdout(
            contains("⚑ B: helpfulness is \"high\", not a number: read as missing")
                .and(contains("1/1")),
        );
    run(&["--print", "--size", "160x30", "--blind", &path])
        .success()
        .stdout(contains("high").not().and(contains("⚑").not()));
    run(&["count", "is:malformed", &path])
        .success()
        .stdout("0\n");
    run(&["count", "any.helpfulness=none b.verbosity=1", &path])
        .success()
        .stdout("1\n");
}

#[test]
fn a_file_of_latin_1_opens_and_is_marked() {
    let disk = Disk::new();
    let row = |number: usize| {
        let text = format!(
            "{{\"prompt\": \"Où est le café {}?\", \"response\": \"Là-bas\", \"helpfulness\": {}, \"verbosity\": 1}}\n",
            number / 2,
            number % 5
        );
        text.chars()
            .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"))
            .collect::<Vec<u8>>()
    };
    let bytes: Vec<u8> = (0..80).flat_map(row).collect();
    let shown = || {
        contains("HelpSteer2")
            .and(contains("1/40"))
            .and(contains("O\u{fffd} est le caf\u{fffd} 0?"))
            .and(contains("⚑ bytes that are not UTF-8, shown as \u{fffd}"))
    };
    let path = disk.put("latin.jsonl", &bytes);
    run(&["--print", "--size", "160x30", &path])
        .success()
        .stderr("")
        .stdout(shown());
    piped(&["--print", "--size", "160x30"], gz(&bytes))
        .success()
        .stdout(shown());
    run(&["count", "is:malformed", &path])
        .success()
        .stdout("0\n");
    run(&["count", "helpfulness=4", &path])
        .success()
        .stdout("16\n");
}

#[test]
fn what_is_said_of_a_sample_holds_for_its_duplicates() {
    let disk = Disk::new();
    let row = |prompt: &str, value: usize| {
        format!(
            "{{\"prompt\": \"{prompt}\", \"response\": \"r\", \"helpfulness\": {value}, \"verbosity\": 1}}\n"
        )
    };
    let rows = |prompts: &[&str]| {
        prompts
            .iter()
            .map(|prompt| row(prompt, 1))
            .collect::<String>()
    };
    // The first and the last are more than one chunk apart.
    let far: Vec<String> = (0..6000)
        .map(|at| format!("{at} {}", "x".repeat(200)))
        .collect();
    let names: Vec<&str> = ["same", "other"]
        .into_iter()
        .chain(far.iter().map(String::as_str))
        .chain(["same"])
        .collect();
    let one = disk.put("one.jsonl", rows(&names));
    let two = disk.put("two.jsonl", rows(&["new", "same"]));
    let key = {
        let csv = run(&["export", "sample=1", &one, "--format", "csv"])
            .success()
            .get_output()
            .stdout
            .clone();
        let csv = String::from_utf8(csv).expect("UTF-8");
        csv.lines()
            .nth(1)
            .and_then(|line| line.split(',').nth(3))
            .expect("a key")
            .to_owned()
    };
    let said = disk.put(
        "said.jsonl",
        format!(
            "{{\"journal\":1,\"visavis\":\"0.1.0\",\"time\":\"2026-01-01T00:00:00.000Z\",\"files\":[\"one.jsonl\"],\"schema\":\"helpsteer2\",\"first\":null}}\n\
             {{\"id\":\"a-1\",\"time\":\"2026-01-01T00:00:00.000Z\",\"reviewer\":\"ann\",\"act\":\"mark\",\"on\":true,\"sample\":\"{key}\",\"file\":\"one.jsonl\",\"row\":1}}\n"
        ),
    );
    let journal = ["--journal", said.as_str()];
    let with = |args: &[&str]| run(&[args, &journal].concat()).success();
    with(&["count", "is:marked", &one]).stdout("2\n");
    with(&["count", "is:marked", &one, &two]).stdout("3\n");
    let csv = with(&["export", "is:marked", &one, &two, "--format", "csv"])
        .get_output()
        .stdout
        .clone();
    let csv = String::from_utf8(csv).expect("UTF-8");
    assert_eq!(
        (csv.lines().count(), csv.matches(&key).count()),
        (4, 3),
        "{csv}"
    );
    let reviewed = with(&["export", "", &one, &two, "--format", "reviewed"])
        .get_output()
        .stdout
        .clone();
    assert_eq!(
        String::from_utf8(reviewed)
            .expect("UTF-8")
            .matches("\"marked\":true")
            .count(),
        3
    );
    // On the screen too, where distant rows are searched for in the background.
    with(&[
        "--print",
        "--keys",
        "fis:marked<enter>",
        "--size",
        "160x30",
        &one,
        &two,
    ])
    .stdout(contains("3 of 6,005"));
    // A filter accepts the file as CSV names it, and its base name.
    for name in [two.as_str(), "two.jsonl"] {
        run(&["count", &format!("file=\"{name}\""), &one, &two])
            .success()
            .stdout("2\n");
        run(&["count", &format!("file!=\"{name}\""), &one, &two])
            .success()
            .stdout("6003\n");
    }
    assert!(csv.contains(&two), "{csv}");
}

#[test]
fn a_cut_archive_shows_its_rows_and_says_so() {
    let disk = Disk::new();
    let whole = gz(RATED.as_bytes());
    let path = disk.put("cut.gz", &whole[..whole.len() / 2]);
    let shown = contains("I counted five seconds").and(contains("the compressed data"));
    run(&["--print", "--size", "250x40", &path])
        .success()
        .stderr("")
        .stdout(shown);
}

#[test]
fn a_file_of_blank_lines_is_no_error() {
    let disk = Disk::new();
    let path = disk.put("blank.jsonl", "\n\n  \r\n");
    run(&["--print", &path])
        .success()
        .stderr("")
        .stdout(contains("all lines are blank").and(contains("q quit")));
    piped(&["--print"], "\n")
        .success()
        .stdout(contains("all lines are blank"));
}

#[test]
fn unknown_records_open_by_a_map_or_a_schema_of_ones_own() {
    let disk = Disk::new();
    let rows = disk.put(
        "rows.jsonl",
        r#"{"q": {"t": "the question"}, "x": ["the left", "the right"], "w": 1}"#,
    );
    let shown = || {
        contains("the question")
            .and(contains("the left"))
            .and(contains("the right"))
    };
    run(&["--print", "--map", "prompt=q.t,a=/x/0,b=/x/1", &rows])
        .success()
        .stdout(shown());
    let schema = disk.put(
        "mine.toml",
        "name = \"mine\"\ntitle = \"My own\"\nrows = \"inline\"\nprompt.path = \"q.t\"\n\
         [[response]]\ntext = \"/x/0\"\n[[response]]\ntext = \"/x/1\"\n",
    );
    run(&["--print", "--schema", &schema, &rows])
        .success()
        .stdout(shown().and(contains("My own")));
    refused(run(&["--print", &rows]), "which have");
}

#[test]
fn a_frame_as_a_picture() {
    let disk = Disk::new();
    let path = text(&disk.path("frame.svg"));
    run(&["--svg", &path]).success().stdout("").stderr("");
    let picture = std::fs::read_to_string(&path).expect("a picture");
    assert!(
        picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"),
        "{picture:.100}"
    );
    assert!(picture.contains("flash"));
    // Both at once.
    run(&["--print", "--svg", &path, "--keys", "j"])
        .success()
        .stdout(contains("2/63"));
    assert_ne!(std::fs::read_to_string(&path).expect("a picture"), picture);
    // An existing file that is not a picture stays, as do input files (even an empty one that was
    // just created) and devices.
    let rows = disk.put("rows.jsonl", RATED);
    let empty = disk.put("rows.jsonl.review.jsonl", "");
    for (place, why) in [
        (&rows, "an input file"),
        (&empty, "is the journal"),
        (&"/dev/null".to_owned(), "a device or a pipe"),
        (
            &disk.put("other", "data"),
            "exists and is not an SVG picture",
        ),
    ] {
        run(&["--svg", place, &rows])
            .code(2)
            .stdout("")
            .stderr(contains(why));
    }
    assert_eq!(std::fs::read_to_string(&rows).expect("rows"), RATED);
    // A reader of the old picture keeps it complete: the new one is another file.
    let mut before = std::fs::File::open(&path).expect("a picture");
    run(&["--svg", &path]).success();
    let mut kept = String::new();
    before.read_to_string(&mut kept).expect("read");
    assert!(kept.contains("2/63"), "{kept:.100}");
    let nowhere = text(&disk.path("no/such/folder.svg"));
    run(&["--svg", &nowhere])
        .code(1)
        .stdout("")
        .stderr(predicate::str::starts_with("visavis: cannot write"));
}

#[test]
fn a_text_frame_has_no_colours_to_lose() {
    let plain = run(&["--print"]).success().get_output().stdout.clone();
    assert!(!plain.contains(&0x1b));
    assert_eq!(
        visavis(&["--print"])
            .env("NO_COLOR", "1")
            .assert()
            .success()
            .get_output()
            .stdout,
        plain
    );
    assert_eq!(
        visavis(&["--print", "--colors", "none"])
            .assert()
            .success()
            .get_output()
            .stdout,
        plain
    );
    run(&["--print", "--ascii"])
        .success()
        .stdout(predicate::function(|out: &str| {
            !out.contains(['│', '━', '▌'])
        }));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    visavis(&["--print"])
        .stdout(writer)
        .assert()
        .success()
        .stderr("");
    // The message cannot be read either, but the exit code is right.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = visavis(&["--print", "no-such-file"])
        .stderr(writer)
        .status()
        .expect("ran");
    assert_eq!(status.code(), Some(2));
}

/// The message about the sample file's malformed line.
const MALFORMED: &str = "visavis: 1 row does not match the schema; is:malformed finds it\nvisavis: 1 row was repaired; is:flagged finds it\n";

#[test]
fn count_prints_a_number_and_nothing_else() {
    let disk = Disk::new();
    let (rated, compared) = (
        disk.put("rated.jsonl", RATED),
        disk.put("compared.gz", gz(COMPARED.as_bytes())),
    );
    for (query, samples, rows) in [
        ("", 63, 122),
        ("helpfulness>=3 verbosity<=1", 8, 11),
        ("gap.helpfulness>=2", 20, 40),
        ("is:tie", 13, 26),
        ("cite:dangling", 4, 4),
        ("is:malformed", 1, 0),
        ("-is:tie", 50, 96),
        ("-helpfulness>=3", 54, 85),
        ("dataset=eli5", 23, 46),
        ("file:rated is:single", 2, 2),
    ] {
        run(&["count", query, &rated, &compared])
            .success()
            .stdout(format!("{samples}\n"))
            .stderr(MALFORMED);
        run(&["count", "--rows", query, &rated, &compared])
            .success()
            .stdout(format!("{rows}\n"));
    }
    piped(&["count", "helpfulness=4"], RATED)
        .success()
        .stdout("23\n");
    piped(&["count", "helpfulness=4", "-"], gz(RATED.as_bytes()))
        .success()
        .stdout("23\n");
    // A script with an empty file name gets no number.
    refused(run(&["count", ""]), "name the files to count in");
    run(&["count", "is:single", &compared])
        .success()
        .stdout("0\n")
        .stderr("");
}

#[test]
fn other_files_say_something_of_the_same_samples() {
    let disk = Disk::new();
    let pair = |prompt: &str, chosen: &str, rejected: &str| {
        format!(
            r#"{{"id": "{prompt}", "prompt": "{prompt}", "chosen": "{chosen}", "rejected": "{rejected}"}}"#
        )
    };
    let data = [
        pair("p1", "x", "y"),
        pair("p2", "x", "y"),
        pair("p3", "x", "y"),
    ]
    .join("\n");
    let judge = [
        pair("p1", "y", "x"),
        pair("p2", "x", "y"),
        pair("p9", "x", "y"),
    ]
    .join("\n");
    let scores = "{\"id\": \"p1\", \"score_a\": 1, \"score_b\": 3}\n{\"id\": \"p3\", \"score_a\": 4, \"score_b\": 0.5}\n";
    let (data, judge, scores) = (
        disk.put("data.jsonl", data),
        disk.put("judge.jsonl", judge),
        disk.put("run-7.jsonl", scores),
    );
    let told = format!("visavis: {judge} matches 2 of 3 samples; 1 unmatched in the file\n");
    for (query, samples) in [
        ("", 3),
        ("rm.against>=1", 1),
        ("is:unmatched", 1),
        ("judge.margin<0", 1),
        ("judge.margin>0", 1),
    ] {
        run(&["count", query, &data, "--with", &judge])
            .success()
            .stdout(format!("{samples}\n"))
            .stderr(told.clone());
    }
    // The dataset's own rows with scores: these decide, in any order of the responses.
    let rows = [("p1", 2, 5), ("p2", 3, 3), ("p3", 4, 1)];
    let scored = |(prompt, a, b): (&str, u8, u8)| {
        format!(
            r#"{{"prompt": "{prompt}", "chosen": "x", "rejected": "y", "score_chosen": {a}, "score_rejected": {b}}}"#
        )
    };
    let reward = disk.put("reward.jsonl", rows.map(scored).join("\n"));
    let table = rows.map(|(id, a, b)| format!("{id},{a},{b}")).join("\n");
    let table = disk.put(
        "reward.csv",
        format!("id,score_chosen,score_rejected\n{table}"),
    );
    let winners = disk.put("reward.tsv", "id\twinner\np1\tb\np2\ttie\np3\ta");
    for with in [
        &[&*reward][..],
        &[&*table, "--on", "id"],
        &[&*winners, "--on", "id"],
    ] {
        for (query, samples) in [("rm.against>=1", 1), ("rm.verdicts=1", 3)] {
            let args = ["count", query, &data, "--with"];
            run(&[&args[..], with].concat())
                .success()
                .stdout(format!("{samples}\n"));
        }
    }
    let named = format!("rm={scores}");
    for (with, query, samples) in [
        (&scores, "a.rm.run_7>0", 2),
        (&scores, "rm.run_7.margin>=3", 1),
        (&named, "margin.rm.rm<0", 1),
    ] {
        run(&["count", query, &data, "--with", with, "--on", "id"])
            .success()
            .stdout(format!("{samples}\n"));
    }
    run(&[
        "export",
        "sort:rm.run_7.margin",
        &data,
        "--with",
        &scores,
        "--on",
        "/id",
        "--format",
        "csv",
    ])
    .success()
    .stdout(contains(",rm.run_7,rm.run_7.margin\r\n").and(contains(",4,3.5\r\n")));
    refused(run(&["count", "", &data, "--with", &scores]), "--on FIELD");
    refused(
        run(&["count", "", &data, "--with", "none.jsonl"]),
        "none.jsonl: no such file",
    );
    refused(
        run(&["count", "", &data, "--on", "id"]),
        "--with or --against",
    );
    refused(
        run(&["count", "rm.x>1", &data, "--with", &judge]),
        "unknown field rm.x",
    );
}

#[test]
fn two_files_face_to_face() {
    let disk = Disk::new();
    let row = |prompt: &str, response: &str| {
        format!("{{\"prompt\": \"{prompt}\", \"response\": \"{response}\"}}\n")
    };
    let old = disk.put("old.jsonl", row("p1", "x") + &row("p2", "y"));
    let new = disk.put("new.jsonl", row("p2", "zz") + &row("p3", "y"));
    for (query, samples) in [("", 3), ("is:single", 2), ("b.len=2", 1), ("a.len=2", 0)] {
        run(&["count", query, &old, "--against", &new])
            .success()
            .stdout(format!("{samples}\n"));
    }
    run(&[
        "--print",
        "--size",
        "100x20",
        "--keys",
        "j",
        &old,
        "--against",
        &new,
    ])
    .success()
    .stdout(contains("─ A old.jsonl ").and(contains("─ B new.jsonl ")));
    run(&[
        "export",
        "-is:single",
        &old,
        "--against",
        &new,
        "--format",
        "csv",
    ])
    .success()
    .stdout(contains(format!(",{old},2,")).and(contains(&new).not()));
    refused(
        run(&["count", "", &old, &new, "--against", &new]),
        "name one file before it",
    );
    refused(
        run(&["count", "", &old, "--against", &new, "--on", "row"]),
        "--on FIELD",
    );
}

#[test]
fn count_says_what_is_wrong_and_where() {
    let disk = Disk::new();
    let rated = disk.put("rated.jsonl", RATED);
    refused(
        run(&["count", "helpfullness>=3", &rated]),
        "did you mean helpfulness>=3?",
    );
    refused(
        run(&["count", "is:tie helpfulness>=", &rated]),
        "character 21: expected a number",
    );
    refused(run(&["count", "/(/", &rated]), "invalid regex");
    refused(
        run(&["count", "is:tie", &text(&disk.path("missing"))]),
        "missing: no such file",
    );
    refused(run(&["count", "\u{1b}[31m>3", &rated]), "");
    run(&["count"])
        .code(2)
        .stdout("")
        .stderr(contains("name the files to count in"));
    // What came before the damage is counted, and the damage is reported.
    let whole = gz(RATED.as_bytes());
    let cut = disk.put("cut.gz", &whole[..whole.len() / 2]);
    let assert = run(&["count", "", &cut]);
    assert
        .code(1)
        .stdout(predicate::str::is_empty().not())
        .stderr(contains("the rows before that were counted"));
}

/// Writes a journal of one reviewer with an audit of two samples of the demo; keys as printed by
/// `visavis export`.
fn journal(disk: &Disk, rated: &str) -> String {
    let table = run(&["export", "sample<=2", rated, "--format", "csv"])
        .success()
        .get_output()
        .stdout
        .clone();
    let table = String::from_utf8(table).expect("text");
    // Sample, file, row, key: none of them has a comma here.
    let keys = table
        .lines()
        .filter(|line| line.starts_with(['1', '2']) && line.contains(rated));
    let mut keys: Vec<_> = keys.filter_map(|line| line.split(',').nth(3)).collect();
    keys.dedup();
    assert_eq!(keys.len(), 2, "{table}");
    let (one, two) = (keys[0], keys[1]);
    let act = |number: u32, act: &str| {
        format!(
            r#"{{"id":"00c0ffee-{number}","time":"2026-11-21T10:00:0{number}.000Z","reviewer":"ann",{act}}}"#
        )
    };
    let sample_ref =
        |key: &str, row: u32| format!(r#""sample":"{key}","file":"rated.jsonl","row":{row}"#);
    let item = |key: &str, row: u32| format!(r#"{{{},"swapped":false}}"#, sample_ref(key, row));
    let lines = [
        r#"{"journal":1,"visavis":"0.1.0","time":"2026-11-21T10:00:00.000Z","files":["rated.jsonl"],"schema":"helpsteer2","first":null}"#.to_owned(),
        act(1, &format!(r#""act":"audit","n":2,"seed":7,"blind":false,"filter":"helpfulness>=0","of":31,"queue":[{},{}]"#, item(one, 1), item(two, 3))),
        act(2, &format!(r#"{},"act":"mark","on":true"#, sample_ref(one, 1))),
        act(3, &format!(r#"{},"act":"note","text":"=odd\u001b[31m""#, sample_ref(one, 1))),
        act(4, &format!(r#"{},"act":"rate","question":"label","label":"helpfulness","side":"a","value":0,"audit":"00c0ffee-1","blind":false,"swapped":false"#, sample_ref(one, 1))),
        act(5, &format!(r#"{},"act":"rate","question":"label","label":"helpfulness","side":"b","value":4,"audit":"00c0ffee-1","blind":false,"swapped":false"#, sample_ref(one, 1))),
    ];
    disk.put("rated.jsonl.review.jsonl", lines.join("\n") + "\n")
}

#[test]
fn export_tells_which_responses_match() {
    let disk = Disk::new();
    let row = |response: &str, helpfulness: u8| {
        format!(
            r#"{{"prompt": "p", "response": "{response}", "helpfulness": {helpfulness}, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}}"#
        )
    };
    let (low, high) = (row("one", 1), row("two", 4));
    let pair = disk.put("pair.jsonl", format!("{low}\n{high}\n"));
    run(&["export", "--rows", "helpfulness>=3", &pair])
        .success()
        .stdout(format!("{high}\n"));
    run(&["export", "helpfulness>=3", &pair])
        .success()
        .stdout(format!("{low}\n{high}\n"));
    let member = |row: &str, matches: bool| {
        let open = row.strip_suffix('}').expect("an object");
        format!("{open},\"matches\":{matches}}}\n")
    };
    let both = format!("{}{}", member(&low, false), member(&high, true));
    run(&["export", "helpfulness>=3", &pair, "--format", "reviewed"])
        .success()
        .stdout(both);
    // A query about samples matches all of their responses, and says nothing about rows.
    run(&[
        "export",
        "gap.helpfulness>=3",
        &pair,
        "--format",
        "reviewed",
    ])
    .success()
    .stdout(format!("{low}\n{high}\n"));
    run(&["export", "helpfulness>=3", &pair, "--format", "csv"])
        .success()
        .stdout(contains(",a,false,p,one,").and(contains(",b,true,p,two,")));
    let compared = disk.put("compared.jsonl", COMPARED);
    let query = "a.score>0 score>0";
    let all = run(&[
        "export", query, &compared, "--format", "reviewed", "-n", "1",
    ])
    .success();
    assert!(
        String::from_utf8_lossy(&all.get_output().stdout).ends_with(",\"matches\":[\"a\"]}\n"),
        "a row of two responses names those that match"
    );
}

#[test]
fn export_writes_what_a_query_finds() {
    let disk = Disk::new();
    let rated = disk.put("rated.jsonl", RATED);
    let lines: Vec<&str> = RATED.lines().collect();
    // Unchanged rows by default.
    for format in [&[][..], &["--format", "jsonl"]] {
        run(&[&["export", "", &*rated], format].concat())
            .success()
            .stdout(RATED)
            .stderr(MALFORMED);
    }
    run(&["export", "sort:-sample sample<=2", &rated, "-n", "1"])
        .success()
        .stdout(format!("{}\n{}\n", lines[2], lines[3]));
    run(&["export", "sample<=2 sort:-sample", &rated, "--format=jsonl"])
        .success()
        .stdout(format!(
            "{}\n{}\n{}\n{}\n",
            lines[2], lines[3], lines[0], lines[1]
        ));
    piped(
        &["export", "is:malformed", "-", "--format", "jsonl"],
        gz(RATED.as_bytes()),
    )
    .success()
    .stdout(contains("gallon"));
    run(&["export", "sample=1", &rated, "--format", "md"])
        .success()
        .stdout(contains("# Samples found by sample=1\n"));
    // The file name selects the format.
    let out = text(&disk.path("out.csv"));
    run(&["export", "sample=1", &rated, "-o", &out])
        .success()
        .stdout("")
        .stderr(format!("{MALFORMED}visavis: wrote 1 sample to {out}\n"));
    let table = std::fs::read_to_string(&out).expect("a table");
    assert!(
        table.starts_with("sample,file,row,key,side,") && table.contains("\r\n1,"),
        "{table}"
    );
    // It reads what it writes.
    run(&["count", "helpfulness>=0", &out])
        .success()
        .stdout("1\n");
    // Never overwrites a file, unless requested.
    refused(
        run(&["export", "", &rated, "-o", &out]),
        "out.csv already exists",
    );
    assert_eq!(std::fs::read_to_string(&out).expect("a table"), table);
    run(&["export", "", &rated, "-o", &out, "--force"]).success();
    assert_ne!(std::fs::read_to_string(&out).expect("a table"), table);
    let names = std::fs::read_dir(disk.folder.path())
        .expect("a folder")
        .count();
    assert_eq!(names, 2, "the data and the table, and no journal");
}

#[test]
fn repaired_rows_are_reported() {
    let disk = Disk::new();
    let row = |response: &str, helpfulness: u8| {
        format!(
            "{{\"prompt\": \"p\", \"response\": \"{response}\", \"helpfulness\": {helpfulness}, \"verbosity\": 2}}\n"
        )
    };
    for (rows, said) in [
        (
            row("r", 1) + &row("half \\ud83d", 1),
            "1 row was repaired; is:flagged finds it",
        ),
        (
            row("half \\ud83d", 1).repeat(2),
            "2 rows were repaired; is:flagged finds them",
        ),
        (
            row("half \\ud83d", 1) + &row("r", 9),
            "1 row has a value outside the range of its field, which counts as missing, 1 more row was repaired; is:flagged finds them",
        ),
    ] {
        let file = disk.put("lenient.jsonl", &rows);
        run(&["count", "", &file, "--schema", "helpsteer2"])
            .success()
            .stderr(format!("visavis: {said}\n"));
    }
}

#[test]
fn missing_values_are_reported() {
    let disk = Disk::new();
    let row = |helpfulness: &str| {
        format!(
            "{{\"prompt\": \"p\", \"response\": \"r\", \"helpfulness\": {helpfulness}, \"verbosity\": 2}}\n"
        )
    };
    let several = "visavis: 3 rows have values outside the range of their fields, which count as missing; is:flagged finds them\n";
    let one = "visavis: 1 row has a value outside the range of its field, which counts as missing; is:flagged finds it\n";
    for (values, said, flagged) in [
        (&["1", "2", "null", "0"][..], "", "0\n"),
        (&["1", "\"two\"", "null", "\"0\""], one, "1\n"),
        (&["1", "\"two\"", "7", "NaN"], several, "2\n"),
    ] {
        let file = disk.put(
            "typed.jsonl",
            values.iter().map(|value| row(value)).collect::<String>(),
        );
        run(&["count", "helpfulness>=0", &file, "--schema", "helpsteer2"])
            .success()
            .stderr(said.to_owned());
        run(&["count", "is:flagged", &file, "--schema", "helpsteer2"])
            .success()
            .stdout(flagged);
        let export = [
            "export",
            "helpfulness>=0",
            &file,
            "--schema",
            "helpsteer2",
            "--format",
            "jsonl",
        ];
        run(&export).success().stderr(said.to_owned());
        let told = run(&[
            "--print",
            &file,
            "--schema",
            "helpsteer2",
            "--size",
            "160x48",
        ])
        .success();
        let on_screen = match said.get(..10) {
            None => contains("unusable values").count(0),
            Some("visavis: 1") => contains("1 row with unusable values").count(1),
            Some(_) => contains("3 rows with unusable values").count(1),
        };
        told.stdout(on_screen);
    }
}

#[test]
fn export_says_what_is_wrong() {
    let disk = Disk::new();
    let rated = disk.put("rated.jsonl", RATED);
    refused(
        run(&["export", "", "--format", "csv"]),
        "name the files to export from",
    );
    refused(
        run(&["export", "helpfullness>=3", &rated, "--format", "csv"]),
        "did you mean helpfulness>=3?",
    );
    refused(
        run(&["export", "", &rated, "-o", &text(&disk.path("out.xls"))]),
        "unknown extension; use --format jsonl, reviewed, csv, md or html",
    );
    refused(
        run(&["export", "", &rated, "--rows", "--format", "md"]),
        "--rows does not work with documents",
    );
    // A misspelt option is not a query.
    run(&["export", "--rwos", &rated])
        .code(2)
        .stdout("")
        .stderr(contains("unknown option --rwos (see --help)"));
    run(&["export", "", &rated, "--format", "xml"])
        .code(2)
        .stdout("")
        .stderr(contains("jsonl, reviewed, csv, md"));
    run(&["export", "", &rated, "--format", "csv", "--force"])
        .code(2)
        .stderr(contains("--output"));
    refused(
        run(&["export", "", &rated, "--force", "-o", &rated]),
        "is an input file",
    );
    let journal = text(&disk.path("rated.jsonl.review.jsonl"));
    refused(
        run(&["export", "", &rated, "-o", &journal]),
        "is the journal",
    );
    refused(
        run(&[
            "export",
            "",
            &rated,
            "--format",
            "csv",
            "--journal",
            &journal,
        ]),
        "no such journal",
    );
    refused(
        run(&[
            "export",
            "",
            &rated,
            "--format",
            "csv",
            "-o",
            &text(disk.folder.path()),
        ]),
        "is a directory",
    );
    let nowhere = text(&disk.path("no/such.csv"));
    run(&["export", "", &rated, "-o", &nowhere])
        .code(1)
        .stdout("")
        .stderr(contains("create the folder first"));
    // What came before the damage is written, and the damage is reported.
    let whole = gz(RATED.as_bytes());
    let cut = disk.put("cut.gz", &whole[..whole.len() / 2]);
    run(&["export", "", &cut, "--format", "jsonl"])
        .code(1)
        .stdout(predicate::str::is_empty().not())
        .stderr(contains("the rows before that were written"));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    visavis(&["export", "", &rated, "--format", "csv"])
        .stdout(writer)
        .assert()
        .success()
        .stderr("");
}

#[test]
fn standard_inputs_own_file_is_an_input() {
    let disk = Disk::new();
    let rated = disk.put("rated.jsonl", RATED);
    let packed = disk.put("rated.jsonl.gz", gz(RATED.as_bytes()));
    let (hard, soft) = (disk.path("hard.jsonl"), disk.path("soft.jsonl"));
    std::fs::hard_link(&rated, &hard).expect("a link");
    std::os::unix::fs::symlink(&rated, &soft).expect("a link");
    let journal = disk.put("kept.review.jsonl", "");
    for (input, out) in [
        (&rated, rated.clone()),
        (&rated, text(&hard)),
        (&rated, text(&soft)),
        (&packed, packed.clone()),
    ] {
        let before = std::fs::read(input).expect("read");
        for task in [
            &["export", "", "--format", "jsonl"][..],
            &["report", "--journal", &journal],
        ] {
            let opened = std::fs::File::open(input).expect("opened");
            let refusal = visavis(&[task, &["-o", &out, "--force"]].concat())
                .stdin(opened)
                .assert();
            refusal
                .code(2)
                .stdout("")
                .stderr(contains("is an input file"));
        }
        assert_eq!(std::fs::read(input).expect("read"), before, "{out}");
    }
}

#[test]
fn exports_tell_what_reviewers_said() {
    let disk = Disk::new();
    let rated = disk.put("rated.jsonl", RATED);
    let journal = journal(&disk, &rated);
    let review = "\"marked\":true,\"tags\":[],\"notes\":[{\"reviewer\":\"ann\",\"text\":\"=odd\\u001b[31m\",\"swapped\":null,\"order\":null}]";
    run(&["export", "sample<=2", &rated, "--format", "reviewed"])
        .success()
        .stderr(MALFORMED)
        .stdout(
            contains(format!("\"review\":{{\"side\":\"a\",{review}"))
                .and(contains("\"side\":\"b\"")),
        );
    run(&["export", "sample=1", &rated, "--format", "md"])
        .success()
        .stdout(contains("> \\=odd␛\\[31m"));
    run(&["export", "sample=1", &rated, "--format", "csv"])
        .success()
        .stdout(contains("ann: =odd"));
    // Named, and with other data: samples are identified by content.
    let shuffled: Vec<&str> = RATED.lines().collect();
    let shuffled = disk.put(
        "other.jsonl",
        [&shuffled[2..], &shuffled[..2]].concat().join("\n"),
    );
    let all = |name: &str| {
        run(&[
            "export",
            "",
            &shuffled,
            "--format",
            "reviewed",
            "--journal",
            name,
        ])
        .success()
    };
    let out = all(&journal).get_output().stdout.clone();
    assert_eq!(
        String::from_utf8(out)
            .expect("text")
            .matches("\"review\":")
            .count(),
        2
    );
    // Other files are not mistaken for journals.
    run(&[
        "export",
        "",
        &rated,
        "--format",
        "reviewed",
        "--journal",
        &rated,
    ])
    .code(2)
    .stdout("");
}

#[test]
fn report_tells_what_an_audit_came_to() {
    let disk = Disk::new();
    let rated = disk.put("rated.jsonl", RATED);
    run(&["report", "--full", &rated])
        .success()
        .stderr("")
        .stdout(
            contains("# Audit of ")
                .and(contains("**No judgments yet.**"))
                .and(contains(
                    "No audit: samples judged outside of an audit are not a random sample",
                )),
        );
    let journal = journal(&disk, &rated);
    let says = contains("- Audit `00c0ffee-1`, begun by ann on 2026-11-21T10:00:01.000Z")
        .and(contains("Drawn: 2 of 31 samples, at random, seed 7"))
        .and(contains("Filter: `helpfulness>=0`"))
        // A journal from before fingerprints were stored.
        .and(contains("It is unknown if these files give the same draw"))
        .and(contains("To repeat the draw").not())
        .and(contains(
            "First judgment 2026-11-21T10:00:04.000Z, last 2026-11-21T10:00:05.000Z",
        ))
        .and(contains("### 1. Sample 1 · dataset: "))
        .and(contains("| A, ann | 0 |"))
        .and(contains("> \\=odd␛\\[31m"));
    run(&["report", "--full", &rated])
        .success()
        .stderr("")
        .stdout(says);
    run(&["audits", &rated]).success().stdout(contains(
        "\n00c0ffee-1  ann       2026-11-21 10:00  2 of 31     7  no     ann 0/2\n",
    ));
    let out = text(&disk.path("audit.md"));
    run(&[
        "report",
        &rated,
        "--audit",
        "00c0ffee-1",
        "--reviewer",
        "ann",
        "-o",
        &out,
    ])
    .success()
    .stdout("");
    refused(
        run(&["report", &rated, "-o", &out]),
        "audit.md already exists",
    );
    run(&[
        "report",
        &rated,
        "-o",
        &out,
        "--force",
        "--journal",
        &journal,
    ])
    .success();
    refused(
        run(&["report", &rated, "--audit", "x"]),
        "unknown audit x in",
    );
    // Names of reviewers ignore case, as everywhere.
    run(&["report", &rated, "--reviewer", "ANN"]).success();
    refused(
        run(&["report", &rated, "--reviewer", "bob"]),
        "unknown reviewer bob; known:",
    );
    refused(
        run(&["report", &rated, "-o", &journal, "--force"]),
        "is the journal",
    );
    let page = text(&disk.path("audit.html"));
    run(&["report", &rated, "-o", &page]).success().stdout("");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(
        page.starts_with("<!doctype html>") && page.ends_with("</html>\n"),
        "{page}"
    );
    assert!(
        page.contains("<h3>1. Sample 1 · ") && page.contains("<h4>Response A</h4>"),
        "{page}"
    );
    run(&["report"])
        .success()
        .stdout(contains("demo: helpsteer2.jsonl").and(contains("No judgments yet")));
    piped(&["report", "-"], RATED)
        .success()
        .stdout(contains("No judgments yet"));
    piped(&["report", "-", "--journal", &journal], RATED)
        .success()
        .stdout(contains("ann judged "));
    refused(run(&["report", &rated, "--journal", &rated]), "");
}

#[test]
fn a_joined_file_contradicts_only_what_it_has_rated() {
    let disk = Disk::new();
    let rated = |name: &str, ratings: &str| {
        let row = format!(
            r#"{{"instruction":"Name a tree.","generations":["oak","elm","ash"],"ratings":{ratings},"model_name":"m"}}"#
        );
        disk.put(name, row + "\n")
    };
    let data = rated("data.jsonl", "[4,4,1]");
    for (ratings, verdicts, against) in [
        ("[4,2,1]", 1, "0"),
        ("[1,2,4]", 1, "1"),
        // One of the best is missing, then both.
        ("[null,1,3]", 1, "1"),
        ("[3,null,1]", 1, "0"),
        ("[2,2,2]", 1, "0"),
        // Fewer than two rated responses have no verdict.
        ("[null,null,3]", 0, "none"),
    ] {
        let with = rated("with.jsonl", ratings);
        let query = format!("rm.verdicts={verdicts} rm.against={against}");
        let count = run(&["count", &query, &data, "--with", &with]);
        count.success().stdout("1\n");
    }
    let data = rated("data.jsonl", "[4,null,1]");
    let with = rated("with.jsonl", "[null,3,1]");
    run(&[
        "count",
        "rm.verdicts=1 rm.against=0",
        &data,
        "--with",
        &with,
    ])
    .success()
    .stdout("1\n");
}

#[test]
fn samples_of_four_responses_are_counted_shown_and_exported() {
    let disk = Disk::new();
    let response =
        |at: usize| format!("[[response]]\ntext = \"/r/{at}\"\nratings.good = \"/g/{at}\"\n");
    let head = "name = \"four\"\ntitle = \"Four\"\nrows = \"inline\"\nprompt.path = \"/q\"\n\
                verdict.label = \"good\"\n[[label]]\nname = \"good\"\nrange = [0, 4]\n";
    let schema = disk.put(
        "four.toml",
        head.to_owned() + &(0..4).map(response).collect::<String>(),
    );
    let rows = disk.put(
        "rows.jsonl",
        "{\"q\":\"one\",\"r\":[\"aa\",\"bb\",\"cc\",\"dd\"],\"g\":[1,4,0,2]}\n\
         {\"q\":\"two\",\"r\":[\"ee\",\"ff\",\"gg\",\"hh\"],\"g\":[3,3,1,null]}\n",
    );
    for (query, count) in [
        ("c.good=0", "1\n"),
        ("winner.good=4", "1\n"),
        ("all.good>=0", "1\n"),
        ("verdict=tie", "0\n"),
        ("is:several", "1\n"),
        ("verdict=a", "0\n"),
        ("verdict=b+a", "1\n"),
        ("verdict in (b, a+b)", "2\n"),
        ("best:a", "1\n"),
        ("best:B", "2\n"),
        ("best:d or best:c", "0\n"),
        ("loser.good<=1", "2\n"),
        ("margin=2", "2\n"),
        ("d.response:dd", "1\n"),
    ] {
        run(&["count", "--schema", &schema, query, &rows])
            .success()
            .stdout(contains(count));
    }
    run(&["count", "--schema", &schema, "verdict=e", &rows])
        .code(2)
        .stderr(contains("use a, b, c, d or tie"));
    run(&["count", "--schema", &schema, "best:e", &rows])
        .code(2)
        .stderr(contains("expected a, b, c or d"));
    let columns = ["--columns", "verdict,margin", "--json"];
    let list = [&["list", "--schema", &schema, "", &rows][..], &columns].concat();
    run(&list)
        .success()
        .stdout("{\"verdict\":\"b\",\"margin\":2}\n{\"verdict\":\"a+b\",\"margin\":2}\n");
    // The unrated response is in no pair.
    let pairs = [
        "export", "--schema", &schema, "sample=2", &rows, "--to", "nemo",
    ];
    run(&pairs)
        .success()
        .stdout(
            contains("ee")
                .and(contains("ff"))
                .and(contains("gg"))
                .and(contains("hh").not()),
        )
        .stderr(contains("not paired: 1 unrated response").and(contains(
            "wrote 2 pairs from 1 of 1 sample, up to 2 per sample",
        )));
    let csv = [
        "export",
        "--schema",
        &schema,
        "--format",
        "csv",
        "verdict=b",
        &rows,
    ];
    run(&csv)
        .success()
        .stdout(contains(",d,true,one,dd,2,b,2,"));
    let printed = ["--schema", &schema, "--print", "--size", "100x30", &rows];
    run(&printed).success().stdout(
        contains("B wins by 2")
            .and(contains("bb"))
            .and(contains("cc")),
    );
}
