//! The real program without a terminal: its messages, where they are printed, and exit codes.

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
}

#[test]
fn who_reads_no_further_hears_nothing() {
    for args in [
        &["guide", "query"][..],
        &["guide"],
        &["keys"],
        &["schemas"],
        &["schemas", "arena-55k"],
        &["export", "", "assets/demo/webgpt.jsonl", "--format", "csv"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut program = visavis(args);
        program.stdout(writer);
        program.assert().success().stderr("");
    }
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
