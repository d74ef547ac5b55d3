//! Searches of small datasets and of the demo: hits, their order, and that the index agrees with
//! reading.

mod demo;
mod generated;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::dataset::Dataset;
use crate::dataset::tests::dataset;
use crate::parallel::KeepGoing;

/// Returns a row with its own prompt.
fn row(prompt: &str, response: &str) -> String {
    let text = |text: &str| serde_json::to_string(text).expect("JSON");
    let labels =
        r#""helpfulness": 1, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1"#;
    format!(
        r#"{{"prompt": {}, "response": {}, {labels}}}"#,
        text(prompt),
        text(response)
    )
}

/// Returns a dataset of single responses.
fn responses(texts: &[&str]) -> Dataset {
    let rows: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| row(&format!("p{number}"), text))
        .collect();
    dataset(&[rows.join("\n")])
}

fn marks(needle: &Needle, text: &str) -> Vec<std::ops::Range<usize>> {
    HitMarker::new(needle).marks(text)
}

fn index(dataset: &Dataset) -> Index {
    let mut index = Index::default();
    assert!(index.extend(dataset, usize::MAX, &|| true, &mut |_| {}));
    index
}

/// Returns the first chunk of a dataset as a dataset.
fn half_of(whole: &Dataset) -> Dataset {
    let mut half = Dataset::default();
    whole
        .files()
        .iter()
        .for_each(|file| half.add_file(file.clone()));
    half.add_chunk(whole.chunks()[0].clone());
    half
}

/// Returns the hits in dataset order, after checking that index and reading agree.
fn found(needle: &str, scope: SearchScope, dataset: &Dataset) -> Vec<Hit> {
    let read = found_by(needle, scope, dataset, None);
    let known = found_by(needle, scope, dataset, Some(&index(dataset)));
    assert_eq!(read, known, "{needle:?} read and by the index");
    read
}

fn found_by(
    needle: &str,
    scope: SearchScope,
    dataset: &Dataset,
    index: Option<&Index>,
) -> Vec<Hit> {
    let needle = Needle::parse(needle).expect("a needle");
    let asked = SearchRequest {
        needle: &needle,
        scope,
        among: None,
    };
    let (mut hits, mut looked) = (Vec::new(), 0);
    let index = index.map(|index| index as &dyn IndexFeed);
    let answered = search(&asked, dataset, index, &|| true, &mut |found, upto| {
        assert!(upto >= looked);
        looked = upto;
        hits.extend(found);
        ControlFlow::Continue(())
    });
    assert!(answered.is_continue());
    assert_eq!(looked, dataset.samples());
    assert!(hits.is_sorted_by(|a, b| a.sample < b.sample), "{hits:?}");
    hits
}

/// Returns the sample numbers, best match first.
fn ranked(needle: &str, dataset: &Dataset) -> Vec<u32> {
    let mut hits = found(needle, SearchScope::Everything, dataset);
    hits.sort_by_key(|hit| (-hit.rank, hit.sample));
    hits.iter().map(|hit| hit.sample).collect()
}

#[test]
fn each_operator_finds_its_own() {
    let texts = [
        "the scheduler runs",    // 0
        "Tea and coffee",        // 1
        "a steam engine",        // 2
        "the team",              // 3
        "green\n tea leaves",    // 4
        "use c++ or std::vec",   // 5
        "une École d’été",       // 6
        "ze\u{200b}ro width",    // 7
        "用三句话解释通货膨胀",  // 8
        "the TEA",               // 9
        "don't panic",           // 10
        "e\u{301}cole",          // 11
        "한국어를 공부하다",     // 12
        "ภาษาไทยง่าย",            // 13
        "a **very bold** claim", // 14
        "ﬁnal ＦＯＲＭ ①",       // 15
        "(**loud**), `x_y`.",    // 16
        "**un**seen, 2*3*4",     // 17
    ];
    let dataset = responses(&texts);
    for (needle, expected) in [
        ("tea", &[1, 2, 3, 4, 9][..]),
        ("Tea", &[1]),
        ("TEA", &[9]),
        ("^tea", &[1, 3, 4, 9]),
        ("tea$", &[1, 4, 9]),
        ("^tea$", &[1, 4, 9]),
        ("eam$", &[2, 3]),
        ("'tea", &[1, 2, 3, 4, 9]),
        ("tea !green", &[1, 2, 3, 9]),
        ("tea !'ste", &[1, 3, 4, 9]),
        ("tea !^te", &[2]),
        ("\"green tea\"", &[4]),
        ("\"n tea l\"", &[4]),
        ("/t..m/", &[2, 3]),
        ("/^the t/", &[3, 9]),
        ("/T[a-z]a/", &[1]),
        ("schdlr", &[0]),
        ("shceduler", &[0]),
        ("scehduler", &[0]),
        ("shcedul", &[0]),
        ("'schdlr", &[]),
        ("c++", &[5]),
        ("std::vec", &[5]),
        ("^::vec", &[5]),
        ("ecole", &[6, 11]),
        ("école", &[6, 11]),
        ("École", &[6]),
        ("ete", &[6]),
        ("Ecole", &[6]),
        ("zero", &[7]),
        ("'er", &[0, 7, 14]),
        ("通货", &[8]),
        ("货币", &[]),
        ("!通货 the", &[0, 3, 9]),
        ("한국", &[12]),
        ("ไทย", &[13]),
        ("don't", &[10]),
        ("\"don’t\"", &[10]),
        ("nowhere", &[]),
        ("p3", &[3]),
        ("\"a very bold claim\"", &[]),
        ("\"**very bold** claim\"", &[14]),
        ("final", &[15]),
        ("^form", &[15]),
        ("FORM", &[15]),
        ("Form", &[]),
        ("ﬁnal", &[15]),
        ("'ﬁn", &[15]),
        ("'ﬀ", &[]),
        ("①", &[15]),
        ("\"final form 1\"", &[15]),
        ("(**loud**),", &[16]),
        ("x_y`.", &[16]),
        ("^x_y$", &[16]),
        ("'unseen", &[]),
        ("^un$", &[17]),
        ("seen$", &[17]),
        ("\"seen, 2\"", &[17]),
        ("\"**un**seen\"", &[17]),
        ("'234", &[]),
        ("sceduler", &[0]),
        ("schedular", &[0]),
        ("schedduler", &[0]),
        ("'schedular", &[]),
        ("schedulxr$", &[]),
        ("Schedular", &[]),
        ("!schedular the", &[0, 3, 9]),
    ] {
        let numbers: Vec<_> = found(needle, SearchScope::Everything, &dataset)
            .iter()
            .map(|hit| hit.sample)
            .collect();
        assert_eq!(numbers, expected, "{needle:?}");
    }
}

#[test]
fn one_wrong_or_one_extra_letter_finds_the_word() {
    let words = ["separate", "definitely", "necessary", "calendar"];
    let dataset = responses(
        &words
            .map(|word| format!("is {word} there"))
            .each_ref()
            .map(String::as_str),
    );
    for (number, needles) in [
        [
            "seperate",
            "sseparate",
            "separatte",
            "separare",
            "zeparate",
            "separatez",
            "sepqrate",
        ],
        [
            "definately",
            "definitelly",
            "defenitely",
            "definitwly",
            "xdefinitely",
            "dewfinitely",
            "definitelk",
        ],
        [
            "neccessary",
            "necassary",
            "necesssary",
            "necessery",
            "necessarry",
            "knecessary",
            "mecessary",
        ],
        [
            "calender",
            "calandar",
            "callendar",
            "calendarr",
            "kalendar",
            "calendwr",
            "calenndar",
        ],
    ]
    .iter()
    .enumerate()
    {
        for needle in needles {
            let numbers: Vec<_> = found(needle, SearchScope::Everything, &dataset)
                .iter()
                .map(|hit| hit.sample)
                .collect();
            assert_eq!(numbers, [number as u32], "{needle:?}");
        }
    }
}

#[test]
fn nothing_is_everything() {
    let dataset = responses(&["a", "b"]);
    for needle in ["", "  ", "!", "'"] {
        assert_eq!(
            found(needle, SearchScope::Everything, &dataset).len(),
            2,
            "{needle:?}"
        );
    }
}

#[test]
fn the_likeliest_comes_first() {
    for (needle, texts, order) in [
        (
            "tea",
            &["t-e-a", "steam", "teapot", "tea", "trea"][..],
            &[3, 2, 1, 4][..],
        ),
        (
            "scheduler",
            &["shceduler", "myscheduler", "schedulers", "Scheduler"],
            &[3, 2, 1, 0],
        ),
        (
            "green tea",
            &[
                "green grass and then some tea",
                "green tea",
                "a tea is green",
            ],
            &[1, 2, 0],
        ),
        ("tea", &["tea", "x", "tea", "tea"], &[0, 2, 3]),
        ("tea", &["teaspoonful", "teas"], &[1, 0]),
        // A word with a wrong letter ranks after all words with the typed letters.
        (
            "separate",
            &[
                "seperate",
                "sepparate",
                "s-e",
                "separately",
                "separate",
                "spearate",
            ],
            &[4, 3, 5, 1, 0],
        ),
        (
            "seperate",
            &[
                "separately",
                "separate",
                "superseperated",
                "seperate",
                "xseperate",
            ],
            &[3, 4, 2, 1, 0],
        ),
        (
            "seperat",
            &["separately", "separate", "seperate"],
            &[2, 1, 0],
        ),
    ] {
        assert_eq!(
            ranked(needle, &responses(texts)),
            order,
            "{needle:?} {texts:?}"
        );
    }
}

#[test]
fn what_is_in_the_prompt_ranks_higher() {
    let rows = [
        row("coffee", "tea"),
        row("tea", "coffee"),
        row("teas", "tea"),
    ]
    .join("\n");
    assert_eq!(ranked("tea", &dataset(&[rows])), [1, 0, 2]);
}

#[test]
fn a_scope_is_kept_to() {
    let dataset = dataset(&[[row("green tea", "coffee"), row("coffee", "green tea")].join("\n")]);
    for (scope, expected) in [
        (SearchScope::Everything, &[0, 1][..]),
        (SearchScope::Prompt, &[0]),
        (SearchScope::Responses, &[1]),
        (SearchScope::Quotes, &[]),
    ] {
        for needle in ["tea", "\"green tea\"", "/tea/"] {
            let numbers: Vec<_> = found(needle, scope, &dataset)
                .iter()
                .map(|hit| hit.sample)
                .collect();
            assert_eq!(numbers, expected, "{needle:?} {scope:?}");
        }
    }
}

#[test]
fn malformed_rows_are_searched_as_they_stand() {
    let dataset = dataset(&[[
        row("a", "b"),
        r#"{"prompt": "tea", "response": 5, "#.to_owned(),
        row("c", "d"),
    ]
    .join("\n")]);
    assert_eq!(dataset.malformed(), 1);
    for needle in ["tea", "\"prompt\": ", "tea prompt", "/response.*5/"] {
        let numbers: Vec<_> = found(needle, SearchScope::Everything, &dataset)
            .iter()
            .map(|hit| hit.sample)
            .collect();
        assert_eq!(numbers, [1], "{needle:?}");
        assert!(
            found(needle, SearchScope::Prompt, &dataset).is_empty(),
            "{needle:?}"
        );
    }
}

#[test]
fn only_some_samples_are_looked_at_where_that_is_asked() {
    let dataset = responses(&["tea", "tea", "tea", "x"]);
    let needle = Needle::parse("tea").expect("a needle");
    let asked = SearchRequest {
        needle: &needle,
        scope: SearchScope::Everything,
        among: Some(&[0, 2, 3]),
    };
    for index in [None, Some(&index(&dataset) as &dyn IndexFeed)] {
        let mut numbers = Vec::new();
        let answered = search(&asked, &dataset, index, &|| true, &mut |hits, _| {
            numbers.extend(hits.iter().map(|hit| hit.sample));
            ControlFlow::Continue(())
        });
        assert!(answered.is_continue());
        assert_eq!(numbers, [0, 2]);
    }
}

#[test]
fn a_cancelled_listener_gets_no_more_events() {
    let texts = vec!["tea"; 3000];
    let dataset = responses(&texts);
    let needle = Needle::parse("tea").expect("a needle");
    let asked = SearchRequest {
        needle: &needle,
        scope: SearchScope::Everything,
        among: None,
    };
    for index in [None, Some(&index(&dataset) as &dyn IndexFeed)] {
        let mut pieces = 0;
        let answered = search(&asked, &dataset, index, &|| true, &mut |_, _| {
            pieces += 1;
            ControlFlow::Break(())
        });
        assert!(answered.is_break());
        assert_eq!(pieces, 1);
    }
}

#[test]
fn what_is_not_wanted_any_more_tells_nothing_more() {
    let texts: Vec<_> = (0..3000)
        .map(|number| format!("tea number {number} of the green house"))
        .collect();
    let dataset = responses(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    for needle in ["tea", "green tea", "\"green house\"", "/n.mber/"] {
        let needle = Needle::parse(needle).expect("a needle");
        let asked = SearchRequest {
            needle: &needle,
            scope: SearchScope::Everything,
            among: None,
        };
        for index in [None, Some(&index(&dataset) as &dyn IndexFeed)] {
            // Cancels after `looks` checks.
            let told = |looks: usize| {
                let (looked, mut pieces) = (AtomicUsize::new(0), Vec::new());
                let keep_going = || looked.fetch_add(1, Ordering::Relaxed) < looks;
                let answered = search(&asked, &dataset, index, &keep_going, &mut |hits, upto| {
                    assert!(
                        looked.load(Ordering::Relaxed) <= looks,
                        "reported after it was cancelled"
                    );
                    pieces.push((hits, upto));
                    ControlFlow::Continue(())
                });
                (answered.is_continue(), pieces)
            };
            let (done, whole) = told(usize::MAX);
            assert!(done);
            for looks in [0, 1, 2, 3, 5, 10, 100, 300, 1000, 2000] {
                let (done, pieces) = told(looks);
                assert!(!done || pieces == whole, "{needle:?} after {looks} looks");
                assert!(whole.starts_with(&pieces), "{needle:?} after {looks} looks");
            }
            assert!(!told(0).0);
        }
    }
}

#[test]
fn an_index_that_is_broken_off_is_a_part_of_the_whole() {
    let texts: Vec<_> = (0..3000)
        .map(|number| format!("tea number {number}"))
        .collect();
    let dataset = responses(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let whole = index(&dataset);
    for looks in [0, 1, 5, 1000, 2999, 3000, 3005, 3010, 3020, 4000] {
        let (mut index, mut shown, looked) = (Index::default(), 0, AtomicUsize::new(0));
        let keep_going = || looked.fetch_add(1, Ordering::Relaxed) < looks;
        let done = index.extend(&dataset, usize::MAX, &keep_going, &mut |index| {
            shown = index.samples();
        });
        assert_eq!(
            (done, shown),
            (index.samples() == dataset.samples(), index.samples())
        );
        assert!(done || looks < 4000);
        assert!(index.bytes() <= whole.bytes());
        assert_eq!(
            found_by("2999", SearchScope::Everything, &dataset, Some(&index)).len(),
            1
        );
    }
}

#[test]
fn marks_are_the_characters_that_matched() {
    for (needle, text, expected) in [
        ("tea", "Tea, a steam, TEA", &["Tea", "tea", "TEA"][..]),
        ("Tea", "Tea tea", &["Tea"]),
        ("schdlr", "the scheduler", &["sch", "d", "l", "r"]),
        ("schdlr", "schdlr or scheduler", &["schdlr"]),
        ("shceduler", "the Scheduler", &["Scheduler"]),
        ("ecole", "une e\u{301}cole", &["e\u{301}cole"]),
        ("zero", "ze\u{200b}ro", &["ze\u{200b}ro"]),
        ("green tea", "tea, green", &["tea", "green"]),
        ("\"green tea\"", "a green\n tea", &["green\n tea"]),
        ("!green tea", "green tea", &["tea"]),
        ("/[a-c]+/", "xabcx b", &["abc", "b"]),
        ("/x*/", "abc", &[]),
        ("^te", "steam teas", &["te"]),
        ("am$", "steam amber", &["am"]),
        ("通货", "解释通货膨胀", &["通货"]),
        ("tea ea", "teas", &["tea"]),
        ("a", "banana", &["a", "a", "a"]),
        ("ana", "banana, bananana", &["ana", "ana", "ana"]),
        ("'An", "BANAnAn anAn", &["AnAn", "An"]),
        ("^ba", "babar", &["ba"]),
        ("ba$", "baba", &["ba"]),
        ("bnn", "banana", &["b", "n", "n"]),
        ("seperate", "kept Separate from", &["Separate"]),
        ("seperat", "kept separately", &["separat"]),
        ("seperate", "seperate or separate", &["seperate"]),
        ("neccessary", "it is necessary", &["necessary"]),
        ("bo", "**bo**ld", &["bo"]),
        (
            "\"bold text\"",
            "a **bold** text, bold text",
            &["bold text"],
        ),
        ("\"file no 1\"", "a ﬁle, ﬁle no ①", &["ﬁle no ①"]),
        ("file", "a ﬁle", &["ﬁle"]),
        ("i", "ﬁne", &["ﬁ"]),
        ("家", "👨\u{200d}👩 家族", &["家"]),
        ("", "abc", &[]),
    ] {
        let parsed = Needle::parse(needle).expect("a needle");
        let marked: Vec<_> = marks(&parsed, text)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(marked, expected, "{needle:?} {text:?}");
    }
}

#[test]
fn an_index_grows_with_its_dataset_and_keeps_to_its_bound() {
    let file = |word: &str| {
        (0..40)
            .map(|number| row(&format!("{word}{number}"), word))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let whole = dataset(&[file("tea"), file("coffee")]);
    let half = half_of(&whole);

    let mut index = Index::default();
    assert!(
        !index.extend(&half, usize::MAX, &|| false, &mut |_| {}),
        "cancelled"
    );
    assert!(!index.extend(&half, 10, &|| true, &mut |_| {}), "too large");
    assert_eq!((index.samples(), index.bytes()), (0, 0));
    let long: Vec<_> = (0..2000)
        .map(|number| {
            let words = (0..50).map(|word| format!("w{}", number * 50 + word));
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    let long = responses(&long.iter().map(String::as_str).collect::<Vec<_>>());
    let mut known = 0;
    for (most, is_whole) in [(2 << 20, false), (3 << 20, false), (64 << 20, true)] {
        let (mut index, mut shown) = (Index::default(), Vec::new());
        let done = index.extend(&long, most, &|| true, &mut |index| {
            shown.push(index.bytes());
        });
        assert!(shown.iter().all(|bytes| *bytes <= most), "{shown:?}");
        assert_eq!(done, is_whole, "{most}: {} of 2000", index.samples());
        assert!(index.samples() > known, "{most}: {}", index.samples());
        known = index.samples();
        for needle in ["w99999", "'w7"] {
            let read = found_by(needle, SearchScope::Everything, &long, None);
            let asked = found_by(needle, SearchScope::Everything, &long, Some(&index));
            assert_eq!(asked, read, "{needle:?} {most}");
        }
    }
    assert!(index.extend(&half, usize::MAX, &|| true, &mut |_| {}));
    // The last row may be continued in the next chunk, so it is not complete yet.
    assert_eq!(index.samples(), half.samples());
    // Samples beyond the index are read.
    assert_eq!(
        found_by("coffee", SearchScope::Everything, &whole, Some(&index)).len(),
        40
    );
    assert!(index.extend(&whole, usize::MAX, &|| true, &mut |_| {}));
    assert_eq!(index.samples(), 80);
    for needle in ["tea", "coffee", "'3", "/e+/", "\"tea3\""] {
        let read = found_by(needle, SearchScope::Everything, &whole, None);
        assert_eq!(
            found_by(needle, SearchScope::Everything, &whole, Some(&index)),
            read,
            "{needle:?}"
        );
    }
}

#[test]
fn rationales_are_searched_unless_they_are_left_out() {
    let text =
        std::fs::read_to_string("../../tests/samples/helpsteer3-annotated.jsonl").expect("rows");
    let dataset = dataset(&[text]);
    for (needle, all, sample, rationales) in [
        ("syllables", &[1][..], &[][..], &[1][..]),
        ("sylables", &[1], &[], &[1]),
        ("\"only response 1\"", &[1], &[], &[1]),
        ("/says (how|nothing)/", &[0], &[], &[0]),
        ("ferry", &[1], &[1], &[]),
        ("helpful", &[0, 1], &[], &[0, 1]),
        ("!helpful", &[2], &[0, 1, 2], &[2]),
        ("egg perfectly", &[0], &[], &[0]),
    ] {
        for (scope, expected) in [
            (SearchScope::Everything, all),
            (SearchScope::Sample, sample),
            (SearchScope::Rationales, rationales),
        ] {
            let hits = found(needle, scope, &dataset);
            let samples: Vec<_> = hits.iter().map(|hit| hit.sample).collect();
            assert_eq!(samples, expected, "{needle:?} {scope:?}");
        }
    }
}

/// An index that grows by one state with each call.
#[derive(Debug)]
struct GrowingStates {
    states: Vec<Index>,
    looks: AtomicUsize,
}

impl IndexFeed for GrowingStates {
    fn so_far(&self) -> Index {
        Index::default()
    }

    fn beyond(&self, samples: usize, keep_going: &dyn KeepGoing) -> Option<Index> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let mut states = self.states.iter();
        states
            .find(|state| keep_going() && state.samples() > samples)
            .cloned()
    }
}

#[test]
fn an_index_that_grows_answers_as_a_whole_one() {
    let texts: Vec<_> = (0..30_000)
        .map(|number| format!("tea {number} house{}", number % 700))
        .collect();
    let dataset = responses(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let mut states = Vec::new();
    assert!(
        Index::default().extend(&dataset, usize::MAX, &|| true, &mut |index| {
            states.push(index.clone());
        })
    );
    assert!(states.len() > 1);
    for (needle, waits) in [
        ("house7", true),
        ("tea !hous69", true),
        ("h", true),
        ("tea !'house69", true),
        ("'house7", false),
        ("tea \"house7\"", false),
        ("/house7$/", false),
    ] {
        let needle = Needle::parse(needle).expect("a needle");
        for (kept, among) in [(states.len(), None), (1, None), (states.len(), Some(1))] {
            let among: Option<Vec<u32>> = among.map(|from| (from..30_000).step_by(2).collect());
            // Too few samples to wait.
            let waits = waits && among.is_none();
            let asked = SearchRequest {
                needle: &needle,
                scope: SearchScope::Everything,
                among: among.as_deref(),
            };
            let feed = GrowingStates {
                states: states[..kept].to_vec(),
                looks: AtomicUsize::new(0),
            };
            let waiting = &feed;
            let of = |feed: Option<&dyn IndexFeed>| {
                let waits = waits && feed.is_some();
                let (mut hits, mut looked) = (Vec::new(), Vec::new());
                let answered = search(&asked, &dataset, feed, &|| true, &mut |found, upto| {
                    if waits && looked.is_empty() {
                        assert!(!found.is_empty() && upto < 30_000);
                        let looks = waiting.looks.load(Ordering::Relaxed);
                        assert_eq!(looks, 0, "hits of the first samples wait for nothing");
                    }
                    hits.extend(found);
                    looked.push(upto);
                    ControlFlow::Continue(())
                });
                assert!(answered.is_continue());
                assert!(looked.is_sorted(), "{looked:?}");
                assert_eq!(
                    looked.last(),
                    Some(&among.as_ref().map_or(30_000, Vec::len))
                );
                hits
            };
            assert_eq!(of(Some(&feed)), of(None), "{needle:?}");
            let looks = feed.looks.load(Ordering::Relaxed);
            // A search that waits does so until the last state.
            let expected = kept + usize::from(kept < states.len());
            assert_eq!(looks, if waits { expected } else { 0 }, "{needle:?}");
        }
    }
}
