//! Tests of the loader: how rows pair, their places, and errors.
//!
//! A drawn file has one letter a line: a small letter is a row with that prompt, a capital one the
//! same prompt written with an escape, `x` a malformed row, `_` a blank line; `|` ends a file.
//! Samples are written as row numbers, joined by a dash in a pair.

mod columns;
mod containers;
mod detected;
mod flawed;
mod joining;
mod naive;
mod shards;

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};

pub(crate) use detected::{dataset, dataset_as, dataset_scanned, load as load_detected, load_with};

use super::load::waves::ScanPace;
use super::*;
use crate::model::{ReadWarning, ResponseId, RowError, Verdict};
use crate::schema::{Definition, Schema, SchemaChoice};
use crate::source::{Input, SourceError};

/// One or two lines a wave, a few bytes a task.
const TINY: ScanPace = ScanPace {
    first_wave: 1,
    full_wave: 150,
    segment: 7,
};

/// Collected load events.
#[derive(Debug, Default)]
struct Loaded {
    dataset: Dataset,
    troubles: Vec<LoadError>,
    done: bool,
}

impl Loaded {
    fn take(&mut self, report: LoadEvent) {
        assert!(!self.done, "no event after the end");
        match report {
            LoadEvent::File(file) => self.dataset.add_file(file),
            LoadEvent::Chunk(chunk) => {
                assert_eq!(
                    chunk.file + 1,
                    self.dataset.files.len(),
                    "a file comes just before its rows"
                );
                self.dataset.add_chunk(chunk);
            }
            LoadEvent::Error(error) => self.troubles.push(error),
            LoadEvent::Joined(file) => self.dataset.add_joined(file),
            LoadEvent::Done => self.done = true,
        }
    }

    fn places(&self) -> Vec<RowPlace> {
        let count = self.dataset.rows() as u32;
        assert_eq!(self.dataset.place(count), None);
        (0..count)
            .map(|row| self.dataset.place(row).expect("a place"))
            .collect()
    }

    /// Returns the row numbers of each sample, from 0.
    fn samples(&self) -> Vec<Vec<u32>> {
        let count = self.dataset.samples();
        assert_eq!(self.dataset.sample_rows(count), None);
        let samples = (0..count).map(|sample| self.dataset.sample_rows(sample).expect("a sample"));
        for (sample, row) in samples
            .clone()
            .enumerate()
            .flat_map(|(sample, rows)| rows.iter().map(move |row| (sample, row)))
        {
            let place = self.dataset.place(row).expect("a place");
            assert_eq!(
                self.dataset.sample_of_row(place.file, place.row),
                Some(sample),
                "row {row}"
            );
        }
        samples.map(|rows| rows.iter().collect()).collect()
    }

    /// Returns the line of a row without surrounding white space.
    fn line(&self, place: &RowPlace) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.dataset.files()[place.file]
            .source
            .read_at(place.bytes.clone(), &mut bytes)
            .expect("read");
        crate::source::lines::of_row(&bytes).to_vec()
    }
}

fn load(inputs: Vec<Input>, pace: ScanPace) -> Result<Loaded, LoadError> {
    // A named schema, since some files have no row to detect one from.
    let rated = SchemaChoice::named("helpsteer2")
        .expect("built in")
        .schema(&[])
        .expect("a schema");
    load_as(rated, inputs, pace)
}

fn load_as(schema: Arc<Schema>, inputs: Vec<Input>, pace: ScanPace) -> Result<Loaded, LoadError> {
    let loader = Loader {
        inputs,
        choice: SchemaChoice::Ready(schema),
        ..Loader::default()
    };
    let mut loaded = Loaded::default();
    let mut listener = |report| {
        loaded.take(report);
        ControlFlow::Continue(())
    };
    loader.run_at(pace, &mut listener)?;
    assert!(loaded.done);
    Ok(loaded)
}

fn embedded(bytes: &[u8]) -> Input {
    Input::Embedded {
        name: "embedded",
        bytes: Box::leak(bytes.into()),
    }
}

fn loaded(bytes: &[u8], pace: ScanPace) -> Loaded {
    let loaded = load(vec![embedded(bytes)], pace).expect("loaded");
    assert!(loaded.troubles.is_empty(), "{:?}", loaded.troubles);
    loaded
}

fn row(prompt: &str, helpfulness: impl std::fmt::Display) -> String {
    format!(
        r#"{{"prompt": {prompt}, "response": "r", "helpfulness": {helpfulness}, "verbosity": 2}}"#
    )
}

fn drawn(letters: &str) -> String {
    let line = |letter: char| match letter {
        'x' => r#"{"prompt": "a", "response": "r", "help"#.to_owned(),
        '_' => String::new(),
        capital if capital.is_ascii_uppercase() => row(
            &format!(r#""\u{:04x}é/\n""#, u32::from(capital.to_ascii_lowercase())),
            1,
        ),
        small => row(&format!(r#""{small}\u00e9\/\n""#), 1),
    };
    letters.chars().map(|letter| line(letter) + "\n").collect()
}

#[test]
fn rows_pair() {
    for (files, samples) in [
        // Runs of one prompt.
        ("a", "1"),
        ("aa", "1-2"),
        ("aaa", "1-2 3"),
        ("aaaa", "1-2 3-4"),
        ("aaaaa", "1-2 3-4 5"),
        ("ab", "1 2"),
        ("aab", "1-2 3"),
        ("abb", "1 2-3"),
        ("aba", "1 2 3"),
        ("aaabbb", "1-2 3 4-5 6"),
        ("aabbaa", "1-2 3-4 5-6"),
        // One prompt in two spellings.
        ("aA", "1-2"),
        ("AaAab", "1-2 3-4 5"),
        ("aB", "1 2"),
        // Malformed rows.
        ("x", "1"),
        ("xx", "1 2"),
        ("xaa", "1 2-3"),
        ("aax", "1-2 3"),
        ("ax", "1 2"),
        ("xa", "1 2"),
        ("axa", "1-3 2"),
        ("axb", "1 2 3"),
        ("aaxa", "1-2 3 4"),
        ("aaxaa", "1-2 3 4-5"),
        ("aaxbb", "1-2 3 4-5"),
        ("axxxa", "1-5 2 3 4"),
        ("axaxa", "1-3 2 4 5"),
        ("aaaxa", "1-2 3-5 4"),
        ("axxbxb", "1 2 3 4-6 5"),
        ("axA", "1-3 2"),
        ("xaxax", "1 2-4 3 5"),
        // Blank lines are not rows.
        ("a_a", "1-2"),
        ("_a__a_", "1-2"),
        ("a_x_a", "1-3 2"),
        ("_", ""),
        // Rows of different files do not pair.
        ("a|a", "1 2"),
        ("aa|aa", "1-2 3-4"),
        ("aaa|aaa", "1-2 3 4-5 6"),
        ("ax|xa", "1 2 3 4"),
        ("_|aa|_|b", "1-2 3"),
    ] {
        let inputs: Vec<_> = files
            .split('|')
            .map(|file| embedded(drawn(file).as_bytes()))
            .collect();
        for pace in [ScanPace::default(), TINY, ScanPace { segment: 1, ..TINY }] {
            let loaded = load(inputs.clone(), pace).expect(files);
            let written = |rows: Vec<u32>| {
                rows.iter()
                    .map(|row| (row + 1).to_string())
                    .collect::<Vec<_>>()
                    .join("-")
            };
            let found: Vec<_> = loaded.samples().into_iter().map(written).collect();
            assert_eq!(found.join(" "), samples, "{files}");
            assert_eq!(
                loaded.dataset.malformed(),
                files.matches('x').count(),
                "{files}"
            );
            assert_eq!(loaded.dataset.progress(), Some(1.0), "{files}");
        }
    }
}

#[test]
fn places_count_physical_lines_and_bytes() {
    let (one, two) = (row("\"p\"", 1), row("\"p\"", 2));
    let length = one.len() as u64;
    for (file, places) in [
        (format!("{one}\n{two}\n"), [(1, 0), (2, length + 1)]),
        (format!("{one}\n{two}"), [(1, 0), (2, length + 1)]),
        (format!("{one}\r\n{two}\r\n"), [(1, 0), (2, length + 2)]),
        (format!("\n\n{one}\n{two}\n"), [(3, 2), (4, length + 3)]),
        (
            format!("{one}\n\n \t\n\r\n{two}\n\n"),
            [(1, 0), (5, length + 7)],
        ),
        (format!("\u{feff}{one}\n{two}\n"), [(1, 0), (2, length + 4)]),
        (
            format!("\u{feff}\r\n{one}\n  {two}  "),
            [(2, 5), (3, length + 6)],
        ),
    ] {
        for pace in [ScanPace::default(), TINY] {
            let loaded = loaded(file.as_bytes(), pace);
            let found: Vec<_> = loaded
                .places()
                .iter()
                .map(|place| (place.line, place.bytes.start))
                .collect();
            assert_eq!(found, places, "{file:?}");
            let lines: Vec<_> = loaded
                .places()
                .iter()
                .map(|place| loaded.line(place))
                .collect();
            assert_eq!(lines, [one.as_bytes(), two.as_bytes()], "{file:?}");
        }
    }
}

#[test]
fn rows_are_numbered_in_their_file() {
    let files = ["aa_x", "_b", "cc"].map(|file| embedded(drawn(file).as_bytes()));
    let loaded = load(files.to_vec(), TINY).expect("loaded");
    let found: Vec<_> = loaded
        .places()
        .iter()
        .map(|place| (place.file, place.row, place.line))
        .collect();
    assert_eq!(
        found,
        [
            (0, 1, 1),
            (0, 2, 2),
            (0, 3, 4),
            (1, 1, 2),
            (2, 1, 1),
            (2, 2, 2)
        ]
    );
    let mut buffers = Buffers::default();
    let reading = loaded.dataset.read(3, &mut buffers).expect("a sample");
    assert_eq!(
        reading
            .places
            .iter()
            .map(|place| (place.file, place.row))
            .collect::<Vec<_>>(),
        [(2, 1), (2, 2)]
    );
    assert!(loaded.dataset.read(4, &mut buffers).is_none());
    let bytes: u64 = reading_bytes(&loaded, 3);
    assert_eq!(
        (
            loaded.dataset.sample_bytes(3),
            loaded.dataset.sample_bytes(4)
        ),
        (bytes, 0)
    );
}

fn reading_bytes(loaded: &Loaded, sample: usize) -> u64 {
    loaded.samples()[sample]
        .iter()
        .map(|&row| loaded.places()[row as usize].bytes.clone().count() as u64)
        .sum()
}

#[test]
fn a_pair_is_read_with_its_verdict() {
    for (a, b, margin) in [(4, 1, Some(3.0)), (0, 2, Some(-2.0)), (3, 3, Some(0.0))] {
        let file = format!("{}\n{}\n", row("\"p\"", a), row("\"p\"", b));
        let loaded = loaded(file.as_bytes(), ScanPace::default());
        let mut buffers = Buffers::default();
        let reading = loaded.dataset.read(0, &mut buffers).expect("a sample");
        let SampleBody::Sample(sample) = reading.body else {
            panic!("no sample: {:?}", reading.body)
        };
        assert_eq!(
            (sample.prompt[0].text.as_ref(), sample.responses.len()),
            ("p", 2)
        );
        let outcome = sample.outcome.expect("an outcome");
        assert_eq!(
            (outcome.margin, outcome.verdict),
            (margin, Verdict::of_margin(f64::from(a - b)))
        );
    }
}

#[test]
fn malformed_rows_say_where_and_why() {
    for (line, column, reason) in [
        (row("3", 1), 12, "/prompt is a number, not text"),
        (r#"{"prompt": "p"}"#.into(), 0, "/response is missing"),
        (
            r#"{"prompt": "p", "response": "cut"#.into(),
            32,
            "the line is cut off",
        ),
        (
            r#"{"prompt": "p", "response": "r"} {}"#.into(),
            34,
            "not JSON: trailing characters",
        ),
        (
            r#"{"prompt": "p", "response": "r",}"#.into(),
            33,
            "not JSON: trailing comma",
        ),
        (
            "{'prompt': 'p'}".into(),
            2,
            "not JSON: key must be a string",
        ),
        ("null".into(), 0, "/prompt is missing"),
        ("id,prompt,response".into(), 1, "not a JSON object"),
        ("}".into(), 1, "not a JSON object"),
    ] {
        let file = format!("{}\n{line}\n{}", row("\"p\"", 1), row("\"p\"", 2));
        let loaded = loaded(file.as_bytes(), ScanPace::default());
        assert_eq!(
            (loaded.samples(), loaded.dataset.malformed()),
            (vec![vec![0, 2], vec![1]], 1),
            "{line}"
        );
        let mut buffers = Buffers::default();
        match loaded.dataset.read(1, &mut buffers).expect("a sample").body {
            SampleBody::Malformed {
                place,
                row_error:
                    RowError {
                        column: at,
                        reason: why,
                    },
                line: shown,
            } => {
                assert_eq!((place.line, at, &*shown), (2, column, &*line), "{why}");
                assert!(why.starts_with(reason), "{why}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn errors_beside_python_syntax_are_the_reason() {
    for (line, column, reason) in [
        (
            &br#"{"prompt": "p", "response": 7, "verbosity": NaN}"#[..],
            29,
            "/response is a number, not text",
        ),
        (
            br#"{"verbosity": NaN, "prompt": "p", "response": 7}"#,
            0,
            "/response is a number, not text",
        ),
        (
            b"{\"prompt\": \"p\", \"response\": 3, \"x\": \"\xff\"}",
            29,
            "/response is a number, not text",
        ),
        (
            br#"{"prompt": "p", "response": NaN, "verbosity": 1}"#,
            29,
            "/response is null, not text",
        ),
        (
            br#"{"prompt": "p", "response": "r", "verbosity": NaN"#,
            47,
            "not JSON: expected value",
        ),
    ] {
        let loaded = loaded(line, ScanPace::default());
        let mut buffers = Buffers::default();
        let Some(SampleBody::Malformed { row_error, .. }) = loaded
            .dataset
            .read(0, &mut buffers)
            .map(|reading| reading.body)
        else {
            panic!("{reason}")
        };
        assert_eq!((row_error.column, &*row_error.reason), (column, reason));
    }
}

#[test]
fn the_facts_of_two_rows() {
    let row = |facts: &str| format!("{{\"prompt\": \"p\", \"response\": \"r\", {facts}}}\n");
    let file = row(r#""source": "s", "model": "m", "seed": 1"#)
        + &row(r#""source": "s", "model": "n", "note": "x""#);
    let facts: String = ["source", "model", "seed", "note"]
        .map(|name| format!("[[fact]]\nname = {name:?}\npath = {name:?}\n"))
        .concat();
    let toml = format!(
        "name = \"n\"\ntitle = \"t\"\nrows = \"adjacent\"\nprompt.path = \"prompt\"\n[[response]]\ntext = \"response\"\n{facts}"
    );
    let schema = Arc::new(Schema::new(Definition::parse(&toml).expect("a definition")));
    let loader = Loader {
        inputs: vec![embedded(file.as_bytes())],
        choice: SchemaChoice::Ready(schema),
        ..Loader::default()
    };
    let mut loaded = Loaded::default();
    let mut listener = |report| {
        loaded.take(report);
        ControlFlow::Continue(())
    };
    loader.run(&mut listener).expect("loaded");
    let mut buffers = Buffers::default();
    let Some(SampleBody::Sample(sample)) = loaded
        .dataset
        .read(0, &mut buffers)
        .map(|reading| reading.body)
    else {
        panic!("no sample")
    };
    let facts: Vec<_> = sample
        .facts
        .iter()
        .map(|fact| format!("{} {}", fact.name, fact.value))
        .collect();
    assert_eq!(
        facts,
        ["source s", "model A m", "model B n", "seed A 1", "note B x"]
    );
}

#[test]
fn a_line_of_twenty_megabytes_is_a_row_like_any_other() {
    const LENGTH: usize = 20 << 20;
    let long = row("\"p\"", 3).replace("\"r\"", &format!("\"{}\"", "x".repeat(LENGTH)));
    let file = format!("{}\n{long}\n{}\n", row("\"p\"", 1), row("\"q\"", 2));
    let loaded = loaded(file.as_bytes(), ScanPace::default());
    assert_eq!(loaded.samples(), [vec![0, 1], vec![2]]);
    assert_eq!(loaded.places()[2].line, 3);
    let mut buffers = Buffers::default();
    let SampleBody::Sample(sample) = loaded.dataset.read(0, &mut buffers).expect("a sample").body
    else {
        panic!("no sample")
    };
    assert_eq!(sample.responses[1].text.len(), LENGTH);
}

/// Writes a file that exists as long as the folder.
fn on_disk(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("written");
    path
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("encoded")
}

#[test]
fn a_truncated_archive_keeps_its_rows_and_reports_once() {
    let folder = tempfile::tempdir().expect("a folder");
    // Irregular, so that not all of it compresses away and the cut leaves some rows.
    let rows: String = (0..3000)
        .map(|n: u32| row(&format!("\"{}\"", n.wrapping_mul(0x9E37_79B9)), n % 5) + "\n")
        .collect();
    let whole = gz(rows.as_bytes());
    let cut = Input::Path(on_disk(&folder, "cut.gz", &whole[..whole.len() / 2]));
    for pace in [ScanPace::default(), TINY] {
        let loaded =
            load(vec![cut.clone(), embedded(drawn("aa").as_bytes())], pace).expect("loaded");
        assert!(
            matches!(
                loaded.troubles.as_slice(),
                [LoadError::Source(SourceError::Decode { .. })]
            ),
            "{:?}",
            loaded.troubles
        );
        let places = loaded.places();
        let of_cut: Vec<_> = places.iter().filter(|place| place.file == 0).collect();
        assert!(of_cut.len() > 500, "{} rows kept", of_cut.len());
        let kept: Vec<u8> = of_cut
            .iter()
            .map(|place| loaded.line(place))
            .collect::<Vec<_>>()
            .join(&b'\n');
        assert!(rows.as_bytes().starts_with(&kept));
        assert!(
            loaded.dataset.malformed() <= 1,
            "at most the line that was cut"
        );
        // The next file is not affected.
        assert_eq!(
            loaded.samples().last(),
            Some(&vec![places.len() as u32 - 2, places.len() as u32 - 1])
        );
    }
}

#[test]
fn a_file_changed_during_any_wave_is_reported() {
    type Act = fn(&mut fs::File, &[u8]);
    let acts: [(&str, Act); 4] = [
        ("cut to nothing", |file, _| file.set_len(0).expect("cut")),
        ("cut in a line", |file, rows| {
            file.set_len(rows.len() as u64 / 2 + 7).expect("cut");
        }),
        ("grown", |file, rows| {
            file.write_all_at(rows, rows.len() as u64).expect("grown");
        }),
        ("rewritten", |file, rows| {
            file.write_all_at(&vec![b'x'; rows.len()], 0)
                .expect("rewritten");
        }),
    ];
    let rows = drawn("aabb").repeat(200);
    for (name, act) in acts {
        // After the first chunk, the next wave is scanned while this one is processed.
        for changed_at in [0, 1, 2, 3, 9, 30] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = on_disk(&folder, "rows.jsonl", rows.as_bytes());
            let loader = Loader {
                inputs: vec![Input::Path(path.clone())],
                choice: SchemaChoice::default(),
                ..Loader::default()
            };
            let (mut loaded, mut events) = (Loaded::default(), 0);
            let mut listener = |report| {
                if events == changed_at {
                    let mut file = fs::File::options().write(true).open(&path).expect("opened");
                    act(&mut file, rows.as_bytes());
                }
                events += 1;
                loaded.take(report);
                ControlFlow::Continue(())
            };
            let pace = ScanPace {
                first_wave: 700,
                full_wave: 1400,
                segment: 300,
            };
            loader.run_at(pace, &mut listener).expect("loaded");
            assert!(events > changed_at && loaded.done, "{name} at {changed_at}");
            assert!(
                loaded.dataset.check_unchanged().is_err(),
                "{name} at {changed_at}"
            );
        }
    }
}

/// Loads a file of 12,000 rows that is truncated after its `File` event, before its first wave is
/// scanned.
fn loaded_while_cut(path: &Path, bytes_left: u64, segment: usize) -> Loaded {
    let loader = Loader {
        inputs: vec![Input::Path(path.to_owned())],
        ..Loader::default()
    };
    let mut loaded = Loaded::default();
    let mut listener = |report| {
        if matches!(report, LoadEvent::File(_)) {
            cut(path, bytes_left);
        }
        loaded.take(report);
        ControlFlow::Continue(())
    };
    let pace = ScanPace {
        first_wave: 10_000,
        full_wave: 10_000,
        segment,
    };
    loader.run_at(pace, &mut listener).expect("loaded");
    assert!(
        matches!(
            loaded.troubles.as_slice(),
            [LoadError::Source(SourceError::Shrunk(_))]
        ),
        "{:?}",
        loaded.troubles
    );
    assert!(loaded.done && loaded.dataset.malformed() == 0);
    loaded
}

fn cut(path: &Path, bytes_left: u64) {
    let file = fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_len(bytes_left)).expect("cut");
}

#[test]
fn a_file_that_shrinks_before_its_first_wave_has_no_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = on_disk(&folder, "rows.jsonl", drawn("aabb").repeat(3000).as_bytes());
    let loaded = loaded_while_cut(&path, 5000, 10_000);
    assert_eq!(loaded.dataset.rows(), 0);
}

#[test]
fn a_file_that_shrinks_while_it_is_loaded_keeps_what_was_read() {
    // Several segments a wave, and one (then more waves start before the first is scanned).
    for segment in [1000, 10_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = on_disk(&folder, "rows.jsonl", drawn("aabb").repeat(3000).as_bytes());
        check_what_was_read(&loaded_while_cut(&path, 64 << 10, segment), &path);
    }
}

/// Checks that rows can be read as long as the file contains them.
fn check_what_was_read(loaded: &Loaded, path: &Path) {
    let rows = loaded.dataset.rows();
    assert!((500..64 << 10).contains(&rows), "{rows}");
    let mut buffers = Buffers::default();
    assert!(matches!(
        loaded
            .dataset
            .read(0, &mut buffers)
            .map(|reading| reading.body),
        Some(SampleBody::Sample(_))
    ));
    cut(path, 1);
    let gone = loaded
        .dataset
        .read(1, &mut buffers)
        .map(|reading| reading.body);
    assert!(
        matches!(gone, Some(SampleBody::Unreadable(SourceError::Shrunk(_)))),
        "{gone:?}"
    );
}

#[test]
fn a_missing_file_is_reported_before_any_row() {
    let inputs = vec![
        embedded(drawn("aa").as_bytes()),
        Input::Path("no/such.jsonl".into()),
    ];
    let error = load(inputs, ScanPace::default()).expect_err("missing");
    assert_eq!(
        error.to_string(),
        "no/such.jsonl: no such file; check the spelling and the folder"
    );
    let loader = Loader {
        inputs: vec![embedded(b"[\n")],
        choice: SchemaChoice::default(),
        ..Loader::default()
    };
    let error = loader
        .run(&mut |_| ControlFlow::Continue(()))
        .expect_err("not lines")
        .to_string();
    assert!(
        error.starts_with("embedded: not JSON Lines: ")
            && error.contains("the file may be cut off"),
        "{error}"
    );
}

#[test]
fn later_files_of_unknown_layout_are_reported_and_skipped() {
    let good = || embedded(drawn("aa").as_bytes());
    let run = |inputs: Vec<Input>| {
        let mut loaded = Loaded::default();
        let mut listener = |report| {
            loaded.take(report);
            ControlFlow::Continue(())
        };
        Loader {
            inputs,
            choice: SchemaChoice::default(),
            ..Loader::default()
        }
        .run(&mut listener)
        .map(|()| loaded)
    };
    let loaded = run(vec![good(), embedded(b"words\n"), good()]).expect("loaded");
    assert_eq!(
        (loaded.dataset.files().len(), loaded.dataset.samples()),
        (2, 2)
    );
    assert_eq!(
        loaded
            .places()
            .iter()
            .map(|place| place.file)
            .collect::<Vec<_>>(),
        [0, 0, 1, 1]
    );
    assert!(
        matches!(loaded.troubles.as_slice(), [LoadError::Choice { .. }]),
        "{:?}",
        loaded.troubles
    );
    let error =
        run(vec![embedded(b"\n"), embedded(b"words\n"), good()]).expect_err("nothing shown yet");
    assert!(matches!(error, LoadError::Choice { .. }), "{error}");
}

/// Returns the events up to the first for which `enough` is true; the loader is stopped there.
fn events_until(inputs: Vec<Input>, enough: impl Fn(&LoadEvent) -> bool) -> Vec<LoadEvent> {
    let mut events = Vec::new();
    let mut listener = |report| {
        let enough = enough(&report);
        events.push(report);
        if enough {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    Loader {
        inputs,
        choice: SchemaChoice::default(),
        ..Loader::default()
    }
    .run(&mut listener)
    .expect("stopped");
    events
}

#[test]
fn the_first_file_appears_while_a_later_pipe_is_silent() {
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let inputs = vec![embedded(drawn("aabb").as_bytes()), by_descriptor(&reader)];
    let events = events_until(
        inputs,
        |report| matches!(report, LoadEvent::Chunk(chunk) if chunk.samples() > 0),
    );
    assert!(
        matches!(events.as_slice(), [LoadEvent::File(_), LoadEvent::Chunk(_)]),
        "{events:?}"
    );
}

#[test]
fn a_pipe_opens_by_its_first_line_if_that_will_do() {
    let guess = "{\"prompt\": \"p\", \"chosen\": \"c\", \"rejected\": \"r\"}\n";
    for (sent, name, pauses) in [
        (&*drawn("a"), "helpsteer2", false),
        (guess, "guessed", true),
    ] {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(sent.as_bytes()).expect("written");
        let began = std::time::Instant::now();
        let events = events_until(vec![by_descriptor(&reader)], |report| {
            matches!(report, LoadEvent::File(_))
        });
        let [LoadEvent::File(file)] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(file.schema.definition().name, name);
        assert_eq!(
            began.elapsed() >= std::time::Duration::from_millis(300),
            pauses
        );
    }
}

#[test]
fn the_schema_does_not_depend_on_how_the_bytes_arrive() {
    let opaque = r#"{"x": 1}"#;
    let guess = r#"{"prompt": "p", "chosen": "c", "rejected": "r"}"#;
    let rated = drawn("a");
    for lines in [
        &[opaque, rated.trim(), rated.trim()][..],
        &["oops", guess],
        &[opaque, guess, guess],
        &["", guess],
    ] {
        let file = lines.join("\n");
        let whole = events_until(vec![embedded(file.as_bytes())], |report| {
            matches!(report, LoadEvent::File(_))
        });
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let in_pieces = std::thread::scope(|scope| {
            scope.spawn(move || {
                for piece in file.as_bytes().chunks(7) {
                    writer.write_all(piece).expect("written");
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
            events_until(vec![by_descriptor(&reader)], |report| {
                matches!(report, LoadEvent::File(_))
            })
        });
        let name = |events: &[LoadEvent]| match events {
            [LoadEvent::File(file)] => file.schema.definition().name.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(name(&whole), name(&in_pieces), "{lines:?}");
    }
}

#[test]
fn a_listener_can_stop_the_loader_at_any_report() {
    let file = drawn("aabbxcc");
    for after in 0..8 {
        let loader = Loader {
            inputs: vec![embedded(file.as_bytes())],
            choice: SchemaChoice::default(),
            ..Loader::default()
        };
        let mut events = 0;
        let mut listener = |_| {
            events += 1;
            if events > after {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        loader.run_at(TINY, &mut listener).expect("stopped");
        assert_eq!(events, after + 1);
    }
}

/// A listener that cancels after a while.
struct Impatient {
    asked: std::sync::atomic::AtomicU32,
}

impl Listener for Impatient {
    fn on_event(&mut self, _: LoadEvent) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn keep_going(&self) -> bool {
        self.asked
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed)
            < 2
    }
}

#[test]
fn waiting_for_a_silent_pipe_can_be_cancelled() {
    for sent in [
        "",
        "{\"prompt\": \"p\", \"resp",
        "{\"prompt\": \"p\", \"response\": \"r\"}\n",
    ] {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(sent.as_bytes()).expect("written");
        let loader = Loader {
            inputs: vec![by_descriptor(&reader)],
            choice: SchemaChoice::default(),
            ..Loader::default()
        };
        loader
            .run(&mut Impatient { asked: 0.into() })
            .expect("given up");
    }
}

/// Returns an open descriptor as an input, as shells pass `<(…)`.
fn by_descriptor(reader: &std::io::PipeReader) -> Input {
    Input::Path(format!("/dev/fd/{}", reader.as_raw_fd()).into())
}

#[test]
fn adjacent_rows_are_a_sample_if_all_parts_of_their_prompts_are_the_same() {
    let row = |input: &str, response: &str| {
        format!(
            r#"{{"instruction": "add", "input": "{input}", "response": "{response}", "rating": 1}}"#
        )
    };
    let rows = [
        row("", "a"),
        row("", "b"),
        row("1 2", "c"),
        row("1 2", "d"),
        row("\\u0031 2", "e"),
        row("3", "f"),
    ];
    let dataset = dataset(&[rows.join("\n")]);
    let sizes = (0..dataset.samples()).map(|at| dataset.responses_of(at));
    assert_eq!(sizes.flatten().collect::<Vec<_>>(), [2, 3, 1]);
}

#[test]
fn rows_with_either_response_are_samples_of_both() {
    let row = |prompt: &str, key: &str| {
        format!(r#"{{"prompt": "Why is {prompt} so?", "{key}": "It is {key}, as {prompt} is."}}"#)
    };
    let rows = [
        row("one", "chosen"),
        row("one", "rejected"),
        row("two", "rejected"),
        row("two", "chosen"),
        row("three", "rejected"),
    ];
    let loaded = dataset(&[rows.join("\n")]);
    let schema = &loaded.files()[0].schema;
    assert_eq!((schema.place_of_winner(), schema.responses()), (None, 1));
    let mut read = Vec::new();
    for place in 0..loaded.samples() {
        let mut buffers = Buffers::default();
        let SampleBody::Sample(sample) = loaded.read(place, &mut buffers).expect("one").body else {
            panic!("no sample");
        };
        assert!(sample.warnings.is_empty(), "{:?}", sample.warnings);
        let texts = sample.responses.iter().map(|it| it.text.to_string());
        let verdict = sample.outcome.map(|it| it.verdict.word());
        read.push((texts.collect::<Vec<_>>().join(" "), verdict));
    }
    let expected = [
        (
            "It is chosen, as one is. It is rejected, as one is.",
            Some("a"),
        ),
        (
            "It is rejected, as two is. It is chosen, as two is.",
            Some("b"),
        ),
        ("It is rejected, as three is.", None),
    ];
    let expected = expected.map(|(texts, won)| (texts.to_owned(), won.map(str::to_owned)));
    assert_eq!(read, expected);
    // A row with both is a sample of its own only in a file of such rows.
    let both = r#"{"prompt": "Why?", "chosen": "So.", "rejected": "Not."}"#;
    let error = schema.row(both.as_bytes()).expect_err("malformed");
    let said = "/rejected is a second response; a row of this layout has one";
    assert_eq!(error.reason, said);
}
