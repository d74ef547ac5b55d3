//! Compares the loader with a naive implementation: random files, arriving in random ways at any
//! pace.

use std::io::Write;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::{Loaded, by_descriptor, gz, load_as, on_disk, row};
use crate::dataset::load::waves::ScanPace;
use crate::dataset::{Buffers, SampleBody};
use crate::schema::{RowGrouping, Schema, SchemaChoice};
use crate::source::Input;

/// The contents of a file, read naively.
#[derive(Debug, Default, PartialEq)]
struct Naive {
    /// Line from 1, offset, bytes.
    rows: Vec<(u64, u64, Vec<u8>)>,
    samples: Vec<Vec<u32>>,
    malformed: usize,
}

/// How rows are joined to samples.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Joined {
    Pairs,
    Runs,
    /// By the value of `helpfulness`.
    ByKey,
}

impl Joined {
    /// Returns HelpSteer2's schema with this way of joining rows.
    fn schema(self) -> Arc<Schema> {
        let pairs = SchemaChoice::named("helpsteer2").expect("built in");
        let pairs = pairs.schema(&[]).expect("a schema");
        let mut definition = pairs.definition().clone();
        match self {
            Self::Pairs => return pairs,
            Self::Runs => definition.rows = RowGrouping::Groups,
            Self::ByKey => {
                definition.rows = RowGrouping::Groups;
                definition.group = vec!["/helpfulness".into()];
            }
        }
        Arc::new(Schema::new(definition))
    }

    /// Returns the samples of well-formed rows.
    fn samples(self, good: &[(u32, Value)]) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<(u32, Value)>> = Vec::new();
        for (row, record) in good {
            let same = |before: &Vec<(u32, Value)>| match self {
                Self::ByKey => {
                    !record["helpfulness"].is_null()
                        && before[0].1["helpfulness"] == record["helpfulness"]
                }
                Self::Pairs | Self::Runs => before[0].1["prompt"] == record["prompt"],
            };
            let known = match self {
                Self::ByKey => groups.iter_mut().find(|group| same(group)),
                Self::Pairs | Self::Runs => groups.last_mut().filter(|group| same(group)),
            };
            match known {
                Some(group) => group.push((*row, record.clone())),
                None => groups.push(vec![(*row, record.clone())]),
            }
        }
        let most = if self == Self::Pairs { 2 } else { usize::MAX };
        let cut = groups.iter().flat_map(|group| group.chunks(most));
        cut.map(|rows| rows.iter().map(|(row, _)| *row).collect())
            .collect()
    }
}

impl Naive {
    fn of(file: &[u8], joined: Joined) -> Self {
        let mut naive = Self::default();
        let mut good = Vec::new();
        let mut at = 0;
        for (index, line) in file.split(|&byte| byte == b'\n').enumerate() {
            let kept = line
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(line)
                .trim_ascii();
            if !kept.is_empty() {
                let row = naive.rows.len() as u32;
                match record(kept) {
                    Some(record) => good.push((row, record)),
                    None => naive.samples.push(vec![row]),
                }
                naive
                    .rows
                    .push((index as u64 + 1, at as u64, kept.to_vec()));
            }
            at += line.len() + 1;
        }
        naive.malformed = naive.samples.len();
        naive.samples.extend(joined.samples(&good));
        naive.samples.sort();
        naive
    }
}

fn record(line: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(line).replace("NaN", "null");
    let record: Value = serde_json::from_str(&text).ok()?;
    record.get("response")?.as_str()?;
    record.get("prompt")?.as_str()?;
    Some(record)
}

/// How the bytes of a file arrive.
#[derive(Debug, Clone)]
enum Way {
    /// Mapped if the system has read leases.
    Plain,
    /// Copied, because it is open for writing.
    Written,
    Gzip,
    /// In pieces of these lengths, repeatedly.
    Pipe(Vec<usize>),
}

fn ways() -> impl Strategy<Value = Way> {
    prop_oneof![
        Just(Way::Plain),
        Just(Way::Written),
        Just(Way::Gzip),
        proptest::collection::vec(1..200_usize, 1..6).prop_map(Way::Pipe),
    ]
}

fn paces() -> impl Strategy<Value = ScanPace> {
    (1..300_usize, 1..1000_usize, 1..200_usize).prop_map(|(first_wave, full_wave, segment)| {
        ScanPace {
            first_wave,
            full_wave,
            segment,
        }
    })
}

fn lines() -> impl Strategy<Value = Vec<u8>> {
    let prompt = prop_oneof![
        "\"[abé]\"",
        Just(r#""\u00e9""#.to_owned()),
        Just(r#""\u0061""#.to_owned()),
        // Longer than blocks; each is a prefix of the next apart from the quote.
        ("(|b|\\\\\"|\\\\\\\\|é|\\\\u00e9)", 0..3_usize)
            .prop_map(|(end, length)| format!("\"a{}{end}\"", "é€".repeat(30 * length))),
    ];
    let good =
        (prompt, 0..5, "[ -!#-\\[\\]-~é]{0,40}").prop_map(|(prompt, helpfulness, response)| {
            row(&prompt, helpfulness)
                .replace("\"r\"", &format!("\"{response}\""))
                .into_bytes()
        });
    let strange = proptest::sample::select(vec![
        &b"{\"prompt\": \"a\", \"response\": \"r\", \"verbosity\": NaN}"[..],
        b"{\"prompt\": \"a\", \"response\": \"\xff\"}",
        b"{\"prompt\": \"a\xc3\", \"response\": \"r\", \"helpfulness\": 1, \"verbosity\": 2}",
        b"{\"prompt\": \"a\", \"response\": \"r\", \"helpfulness\": 9}",
        b"{\"prompt\": \"a\", \"response\": \"r\", \"helpfulness\": \"3\"}",
        b"{\"prompt\": \"a\", \"response\": \"r\", \"helpfulness\": [1, {\"a\": 2}], \"verbosity\": -0.0}",
        b"{\"prompt\": \"a\", \"response\": \"cut o",
        b"{\"prompt\": \"a\"}",
        b"oops",
        b"[]",
        b"\xff",
    ]);
    let blank = proptest::sample::select(vec![&b""[..], b" ", b"\t", b"\xef\xbb\xbf"]);
    let line = prop_oneof![8 => good, 2 => strange.prop_map(<[u8]>::to_vec), 1 => blank.prop_map(<[u8]>::to_vec)];
    let ending = prop_oneof![4 => Just(&b"\n"[..]), 1 => Just(&b"\r\n"[..])];
    (line, ending).prop_map(|(line, ending)| [&line, ending].concat())
}

fn files() -> impl Strategy<Value = Vec<u8>> {
    (
        any::<bool>(),
        proptest::collection::vec(lines(), 1..60),
        any::<bool>(),
    )
        .prop_map(|(mark, lines, final_newline)| {
            let mut file = if mark {
                b"\xef\xbb\xbf".to_vec()
            } else {
                Vec::new()
            };
            file.extend(lines.concat());
            // A file of a single line break would become empty.
            if !final_newline && file.len() > 2 {
                file.pop();
            }
            file
        })
}

/// Loads the files as they arrive.
fn arrive(files: &[(Vec<u8>, Way)], joined: Joined, pace: ScanPace) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut readers, mut writers) = (Vec::new(), Vec::new());
    let mut inputs = Vec::new();
    std::thread::scope(|scope| {
        for (index, (bytes, way)) in files.iter().enumerate() {
            inputs.push(match way {
                Way::Plain => Input::Path(on_disk(&folder, &index.to_string(), bytes)),
                Way::Written => {
                    let path = on_disk(&folder, &index.to_string(), bytes);
                    let writer = std::fs::File::options().append(true).open(&path);
                    writers.push(writer.expect("opened"));
                    Input::Path(path)
                }
                Way::Gzip => Input::Path(on_disk(&folder, &index.to_string(), &gz(bytes))),
                Way::Pipe(lengths) => {
                    let (reader, mut writer) = std::io::pipe().expect("a pipe");
                    scope.spawn(move || {
                        let mut rest = &bytes[..];
                        for length in lengths.iter().cycle() {
                            let (piece, later) = rest.split_at(rest.len().min(*length));
                            writer.write_all(piece).expect("written");
                            rest = later;
                            if rest.is_empty() {
                                break;
                            }
                            std::thread::yield_now();
                        }
                    });
                    let input = by_descriptor(&reader);
                    readers.push(reader);
                    input
                }
            });
        }
        load_as(joined.schema(), inputs, pace).expect("loaded")
    })
}

#[test]
fn groups_of_any_size_are_a_sample_and_pairs_are_cut() {
    let line = |number: usize| match number {
        40 => "{broken".to_owned(),
        number => row("\"p\"", if number % 3 == 0 { 1 } else { 2 }),
    };
    let file: Vec<_> = (0..100).map(line).collect();
    let file = file.join("\n").into_bytes();
    let pace = ScanPace {
        first_wave: 300,
        full_wave: 900,
        segment: 200,
    };
    for (joined, longest, count) in [
        (Joined::Pairs, 2, 51),
        (Joined::Runs, 99, 2),
        (Joined::ByKey, 65, 3),
    ] {
        let loaded = arrive(&[(file.clone(), Way::Plain)], joined, pace);
        let samples = loaded.samples();
        assert_eq!(samples, Naive::of(&file, joined).samples, "{joined:?}");
        let most = samples.iter().map(Vec::len).max();
        assert_eq!((most, samples.len()), (Some(longest), count), "{joined:?}");
        super::columns::check(&loaded);
    }
}

/// A table with a column for each response of the largest sample would be mostly empty.
#[test]
fn a_large_group_beside_many_small_ones_is_a_chunk_of_its_own() {
    let line = |number: usize| match number {
        ..1200 => row("\"p\"", 1),
        number => row(&format!("\"q{number}\""), 2 + number),
    };
    let file: Vec<_> = (0..2400).map(line).collect();
    let file = file.join("\n").into_bytes();
    let pace = ScanPace {
        first_wave: 1 << 20,
        full_wave: 1 << 20,
        segment: 1 << 20,
    };
    for joined in [Joined::Runs, Joined::ByKey] {
        let loaded = arrive(&[(file.clone(), Way::Plain)], joined, pace);
        assert_eq!(
            loaded.samples(),
            Naive::of(&file, joined).samples,
            "{joined:?}"
        );
        let chunks = loaded.dataset.chunks().iter().map(|chunk| chunk.samples());
        let most = chunks.max().unwrap_or_default();
        assert!(most < 1200, "{joined:?}: {most}");
        super::columns::check(&loaded);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn loading_finds_what_slow_reading_finds(
        files in proptest::collection::vec((files(), ways()), 1..3),
        joined in proptest::sample::select(vec![Joined::Pairs, Joined::Runs, Joined::ByKey]),
        pace in paces(),
    ) {
        let loaded = arrive(&files, joined, pace);
        prop_assert!(loaded.troubles.is_empty(), "{:?}", loaded.troubles);
        let (places, samples) = (loaded.places(), loaded.samples());
        let (mut rows_before, mut samples_before, mut malformed) = (0, 0, 0);
        for (index, (bytes, _)) in files.iter().enumerate() {
            let naive = Naive::of(bytes, joined);
            let of_file: Vec<_> = places.iter().filter(|place| place.file == index).collect();
            let rows: Vec<_> = of_file.iter().map(|place| (place.line, place.bytes.start, loaded.line(place))).collect();
            prop_assert_eq!(&rows, &naive.rows);
            let renumbered = |rows: &Vec<u32>| rows.iter().map(|row| row + rows_before).collect::<Vec<_>>();
            let expected: Vec<_> = naive.samples.iter().map(renumbered).collect();
            let samples_after = samples_before + expected.len();
            prop_assert_eq!(samples.get(samples_before..samples_after), Some(&expected[..]));
            (rows_before, samples_before) = (rows_before + naive.rows.len() as u32, samples_after);
            malformed += naive.malformed;
        }
        prop_assert_eq!(loaded.dataset.malformed(), malformed);
        let mut buffers = Buffers::default();
        let mut read_as_malformed = |sample: &usize| {
            let body = loaded.dataset.read(*sample, &mut buffers).map(|reading| reading.body);
            matches!(body, Some(SampleBody::Malformed { .. }))
        };
        let read = (0..samples.len()).filter(&mut read_as_malformed).count();
        prop_assert_eq!(read, malformed, "what is read agrees with what was scanned");
        let mut seen: Vec<_> = samples.concat();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..loaded.dataset.rows() as u32).collect::<Vec<_>>(), "every row is in one sample");
        super::columns::check(&loaded);
    }
}
