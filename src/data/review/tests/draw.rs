//! Draws: pinned results, independence of file format, and correct shares.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::journal::StratifyBy;
use crate::query;
use crate::review;
use crate::review::rating_form::RatingForm;
use crate::review::sampling::SamplingError;

fn draw(
    plan: &SamplingPlan,
    dataset: &Dataset,
    samples: &[u32],
) -> Result<AuditPlan, SamplingError> {
    review::draw(plan, dataset, samples, &|| true)
}

fn plan(n: u32, seed: u64) -> SamplingPlan {
    SamplingPlan {
        n,
        seed,
        by: None,
        repeat: 0.0,
        blind: true,
        reveal: Reveal::After,
        filter: String::new(),
    }
}

fn by(field: &str, even: bool) -> Option<StratifyBy> {
    Some(StratifyBy {
        field: field.to_owned(),
        even,
    })
}

fn all(dataset: &Dataset) -> Vec<u32> {
    (0..dataset.samples() as u32).collect()
}

/// Returns the queue: row, pass, and whether sides are swapped.
fn queue(audit: &AuditPlan) -> Vec<(u64, u8, bool)> {
    audit
        .queue
        .iter()
        .map(|item| (item.sample_ref.row, item.pass, !item.order.is_of_file()))
        .collect()
}

fn strata(audit: &AuditPlan) -> Vec<(&str, u64, u64)> {
    audit
        .strata
        .iter()
        .map(|stratum| (&*stratum.value, stratum.of, stratum.drawn))
        .collect()
}

#[test]
fn a_draw_can_be_cancelled() {
    let (dataset, looked) = (demo(), AtomicUsize::new(0));
    for by in [None, by("helpfulness", false)] {
        let plan = SamplingPlan { by, ..plan(9, 1) };
        let drawn = |looks: usize| {
            looked.store(0, Relaxed);
            let keep_going = || looked.fetch_add(1, Relaxed) < looks;
            review::draw(&plan, &dataset, &all(&dataset), &keep_going)
        };
        let (whole, looks) = (drawn(usize::MAX), looked.load(Relaxed));
        assert!(
            whole.is_ok() && looks >= 11,
            "each pass and each row asks: {looks}"
        );
        for before in 0..looks {
            let _ = drawn(before);
            let more = looked.load(Relaxed) - before;
            assert!(more <= 5, "each pass stops: {more} after {before}");
        }
    }
}

#[test]
fn a_draw_is_pinned() {
    let dataset = demo();
    let audit = draw(
        &SamplingPlan {
            repeat: 0.25,
            ..plan(8, 7)
        },
        &dataset,
        &all(&dataset),
    )
    .expect("a draw");
    assert_eq!((audit.n, audit.seed, audit.strata.len()), (8, 7, 0));
    let drawn: Vec<_> = queue(&audit);
    let first = [
        (25, false),
        (39, true),
        (19, false),
        (11, true),
        (27, true),
        (62, true),
        (34, true),
        (36, false),
    ];
    let mut expected = first.map(|(row, swapped)| (row, 1, swapped)).to_vec();
    expected.insert(7, (39, 2, false));
    expected.push((11, 2, false));
    assert_eq!(drawn, expected);
    // The program shows the same samples for the query.
    let catalog = query::Catalog::of(dataset.files().iter().map(|file| &*file.schema));
    let shown = query::parse("sort:random(7)", &catalog).expect("a query");
    let judged = all(&dataset).into_iter().filter(|&sample| {
        RatingForm::of_sample(&RatingForm::of_files(&dataset), &dataset, sample as usize)
            .is_some_and(|(_, responses)| responses > 0)
    });
    let samples: Vec<u32> = judged.collect();
    let mut found = query::QueryResult {
        matching: vec![query::ResponseSet::default(); samples.len()],
        samples,
    };
    assert!(
        query::sort(
            &shown,
            &dataset,
            &query::ReviewIndex::default(),
            &mut found,
            &|| true
        )
        .is_continue()
    );
    let first: Vec<_> = audit
        .queue
        .iter()
        .filter(|item| item.pass == 1)
        .map(|item| item.sample_ref.sample)
        .collect();
    let keys = dataset.keys(0..dataset.samples(), &|| true);
    assert_eq!(
        first,
        found.samples[..8]
            .iter()
            .map(|&sample| keys[sample as usize].expect("a key"))
            .collect::<Vec<_>>()
    );
    assert_eq!(audit.of, found.samples.len() as u64);
}

#[test]
fn compression_does_not_change_the_draw() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(DEMO).expect("the demo");
    let packed = load(&[file(&folder, "helpsteer2.jsonl.gz", &text)]);
    let plan = SamplingPlan {
        repeat: 0.5,
        by: by("helpfulness", false),
        ..plan(12, 3)
    };
    let [one, mut other] =
        [demo(), packed].map(|dataset| draw(&plan, &dataset, &all(&dataset)).expect("a draw"));
    assert!(
        other
            .queue
            .iter()
            .all(|item| &*item.sample_ref.file == "helpsteer2.jsonl.gz")
    );
    other
        .queue
        .iter_mut()
        .for_each(|item| item.sample_ref.file = "helpsteer2.jsonl".into());
    assert_eq!(one, other);
}

#[test]
fn the_response_order_does_not_depend_on_position() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(DEMO).expect("the demo");
    let swaps = |paths: &[PathBuf]| -> BTreeMap<SampleKey, bool> {
        let dataset = load(paths);
        let audit = draw(&plan(1000, 5), &dataset, &all(&dataset)).expect("a draw");
        audit
            .queue
            .iter()
            .map(|item| (item.sample_ref.sample, !item.order.is_of_file()))
            .collect()
    };
    let (more, demo) = (
        file(
            &folder,
            "more.jsonl",
            &(row("p", "a", 1) + "\n" + &row("p", "b", 2)),
        ),
        file(&folder, "demo.jsonl", &text),
    );
    let one = swaps(&[more.clone(), demo.clone()]);
    assert_eq!(one, swaps(&[demo, more]));
    let swapped = one.values().filter(|swapped| **swapped).count();
    assert!(
        (one.len() / 4..one.len() * 3 / 4).contains(&swapped),
        "{swapped} of {}",
        one.len()
    );
}

#[test]
fn open_audits_and_singles_are_not_swapped() {
    let dataset = demo();
    let open = draw(
        &SamplingPlan {
            blind: false,
            repeat: 0.5,
            ..plan(20, 5)
        },
        &dataset,
        &all(&dataset),
    )
    .expect("a draw");
    let is_pair = |item: &AuditItem| {
        dataset
            .sample_rows(
                dataset
                    .sample_of_row(0, item.sample_ref.row)
                    .expect("a sample"),
            )
            .is_some_and(|rows| rows.count() == 2)
    };
    assert!(
        open.queue
            .iter()
            .all(|item| item.order.is_of_file() != (item.pass == 2 && is_pair(item)))
    );
    let singles = crate::dataset::tests::dataset(&[(0..20)
        .map(|at| row(&format!("p{at}"), "r", 1) + "\n")
        .collect()]);
    let audit = draw(
        &SamplingPlan {
            repeat: 0.5,
            ..plan(20, 5)
        },
        &singles,
        &all(&singles),
    )
    .expect("a draw");
    assert!(audit.queue.iter().all(|item| item.order.is_of_file()) && audit.queue.len() == 30);
}

#[test]
fn what_cannot_be_judged_is_passed_over() {
    let rows = [
        row("p", "a", 1),
        "{broken".to_owned(),
        row("p", "b", 1),
        row("q", "c", 1),
    ]
    .join("\n");
    let dataset = crate::dataset::tests::dataset(&[rows]);
    let audit = draw(&plan(9, 1), &dataset, &all(&dataset)).expect("a draw");
    assert_eq!((audit.of, audit.queue.len(), audit.n), (2, 2, 9));
    let broken: Vec<u32> = all(&dataset)
        .into_iter()
        .filter(|&sample| {
            dataset
                .chunk_of(sample as usize)
                .is_some_and(|(chunk, at)| chunk.columns().responses[at] == 0)
        })
        .collect();
    assert_eq!(
        draw(&plan(9, 1), &dataset, &broken),
        Err(SamplingError::Nothing)
    );
    assert_eq!(
        draw(&plan(9, 1), &dataset, &[]),
        Err(SamplingError::Nothing)
    );
}

#[test]
fn samples_that_say_the_same_are_asked_about_once() {
    let twice = format!("{}\n{}\n", row("p", "a", 1), row("p", "b", 2));
    let other = format!("{}\n{}\n", row("q", "a", 1), row("q", "b", 2));
    let dataset = crate::dataset::tests::dataset(&[twice.repeat(3) + &other]);
    let audit = draw(&plan(9, 1), &dataset, &all(&dataset)).expect("a draw");
    assert_eq!((audit.of, audit.queue.len()), (4, 2));
}

#[test]
fn strata_have_their_share() {
    // 3|3 six times, 1|2 three times, 0|4 once.
    let values: Vec<[u8; 2]> = [vec![[3, 3]; 6], vec![[1, 2]; 3], vec![[0, 4]]].concat();
    let dataset = pairs(&values);
    let drawn = |n, even| {
        draw(
            &SamplingPlan {
                by: by("helpfulness", even),
                ..plan(n, 1)
            },
            &dataset,
            &all(&dataset),
        )
        .expect("a draw")
    };
    assert_eq!(
        strata(&drawn(5, false)),
        [("0|4", 1, 0), ("1|2", 3, 2), ("3|3", 6, 3)],
        "0.5, 1.5 and 3: the larger one of two remainders"
    );
    assert_eq!(
        strata(&drawn(6, true)),
        [("0|4", 1, 1), ("1|2", 3, 2), ("3|3", 6, 3)]
    );
    assert_eq!(
        strata(&drawn(9, true)),
        [("0|4", 1, 1), ("1|2", 3, 3), ("3|3", 6, 5)]
    );
    assert_eq!(
        strata(&drawn(50, false)),
        [("0|4", 1, 1), ("1|2", 3, 3), ("3|3", 6, 6)]
    );
    let of = |field: &str| {
        draw(
            &SamplingPlan {
                by: by(field, false),
                ..plan(5, 1)
            },
            &dataset,
            &all(&dataset),
        )
    };
    assert_eq!(
        strata(&of("gap.helpfulness").expect("a draw")),
        [("0", 6, 3), ("1", 3, 2), ("4", 1, 0)]
    );
    let verdicts = of("verdict").expect("a draw");
    assert_eq!(
        verdicts
            .strata
            .iter()
            .map(|stratum| stratum.of)
            .sum::<u64>(),
        10
    );
    for (field, part) in [
        ("helpfulnes", "helpfulness"),
        ("random(7)", "not a field"),
        ("-turns", "not a field"),
        ("turns sort:row", "not a field"),
        ("findings", "by findings or by comparisons of samples"),
        ("leak", "by findings or by comparisons of samples"),
    ] {
        match of(field) {
            Err(SamplingError::By { message, .. }) => {
                assert!(message.contains(part), "{field}: {message}");
            }
            other => panic!("{field}: {other:?}"),
        }
    }
}

#[test]
fn even_strata_of_one_size_give_the_first_more() {
    let dataset = pairs(&[[0, 0], [0, 0], [1, 1], [1, 1], [2, 2], [2, 2]]);
    for even in [false, true] {
        let audit = draw(
            &SamplingPlan {
                by: by("helpfulness", even),
                ..plan(4, 1)
            },
            &dataset,
            &all(&dataset),
        )
        .expect("a draw");
        assert_eq!(
            strata(&audit),
            [("0|0", 2, 2), ("1|1", 2, 1), ("2|2", 2, 1)],
            "{even}"
        );
    }
}

#[test]
fn missing_values_and_singles_have_separate_strata() {
    let bare = |prompt: &str, response: &str| {
        row(prompt, response, 1).replace(r#""helpfulness": 1"#, r#""helpfulness": null"#)
    };
    let rows = [
        row("p", "a", 1),
        row("p", "b", 3),
        row("s", "a", 1),
        bare("q", "a"),
        row("q", "b", 2),
        bare("r", "a"),
        bare("r", "b"),
    ];
    let dataset = crate::dataset::tests::dataset(&[rows.join("\n")]);
    let audit = draw(
        &SamplingPlan {
            by: by("helpfulness", false),
            ..plan(9, 1)
        },
        &dataset,
        &all(&dataset),
    )
    .expect("a draw");
    assert_eq!(
        strata(&audit),
        [("1", 1, 1), ("1|3", 1, 1), ("none|2", 1, 1), ("none", 1, 1)]
    );
}

#[test]
fn many_numbers_make_five_classes() {
    let text: String = (0..60)
        .map(|at| row(&"x".repeat(at % 30 + 1), &format!("r{at}"), 1) + "\n")
        .collect();
    let dataset = crate::dataset::tests::dataset(&[text]);
    let drawn = |field| {
        draw(
            &SamplingPlan {
                by: by(field, false),
                ..plan(10, 1)
            },
            &dataset,
            &all(&dataset),
        )
        .expect("a draw")
    };
    let audit = drawn("len.prompt");
    assert_eq!(
        strata(&audit),
        [
            ("1..6", 12, 2),
            ("7..12", 12, 2),
            ("13..18", 12, 2),
            ("19..24", 12, 2),
            ("25..30", 12, 2)
        ]
    );
    // A value that half of them have is not split between classes.
    let text: String = (0..60_usize)
        .map(|at| row(&"x".repeat(at.saturating_sub(29) + 1), &format!("r{at}"), 1) + "\n")
        .collect();
    let dataset = crate::dataset::tests::dataset(&[text]);
    let audit = draw(
        &SamplingPlan {
            by: by("len.prompt", false),
            ..plan(10, 1)
        },
        &dataset,
        &all(&dataset),
    )
    .expect("a draw");
    let sizes: Vec<_> = audit
        .strata
        .iter()
        .map(|stratum| (&*stratum.value, stratum.of))
        .collect();
    assert_eq!(
        sizes,
        [
            ("1", 15),
            ("2..8", 7),
            ("9..15", 7),
            ("16..23", 8),
            ("24..31", 8)
        ]
    );
}

#[test]
fn words_make_strata_unless_there_are_too_many() {
    let web = load(&["assets/demo/webgpt.jsonl".into()]);
    let drawn = |n, field| {
        draw(
            &SamplingPlan {
                by: by(field, false),
                ..plan(n, 1)
            },
            &web,
            &all(&web),
        )
    };
    let audit = drawn(10, "dataset").expect("a draw");
    assert_eq!(
        audit
            .strata
            .iter()
            .map(|stratum| stratum.drawn)
            .sum::<u64>(),
        10
    );
    let values: Vec<_> = audit.strata.iter().map(|stratum| &stratum.value).collect();
    assert!(values.is_sorted() && values.len() > 1, "{values:?}");
    let rows: String = (0..201).map(|at| format!(r#"{{"prompt": "p{at}", "response_0": "x", "response_1": "y", "better_response_id": 0, "is_response_0_safe": "w{at}"}}"#) + "\n").collect();
    let many = crate::dataset::tests::dataset(&[rows]);
    let audit = draw(
        &SamplingPlan {
            by: by("A_safe", false),
            ..plan(5, 1)
        },
        &many,
        &all(&many),
    );
    assert!(
        matches!(audit, Err(SamplingError::By { ref message, .. }) if message.contains("too many")),
        "{audit:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn draws_are_distinct_in_the_population_and_as_many_as_asked(
        n in 0_u32..40, seed: u64, repeat in 0.0..=1.0_f64, blind: bool, even: bool,
        field in prop::option::of(prop::sample::select(vec!["helpfulness", "gap.verbosity", "turns", "verdict", "len.response", "file"])),
        taken in prop::collection::vec(any::<bool>(), 40),
    ) {
        thread_local!(static DEMO: Dataset = demo());
        DEMO.with(|dataset| {
            let samples: Vec<u32> = all(dataset).into_iter().filter(|&sample| taken[sample as usize % 40]).collect();
            let plan = SamplingPlan { n, seed, by: field.and_then(|field| by(field, even)), repeat, blind, reveal: Reveal::Never, filter: String::new() };
            let Ok(audit) = draw(&plan, dataset, &samples) else { return Ok(()) };
            let first: Vec<&AuditItem> = audit.queue.iter().filter(|item| item.pass == 1).collect();
            let drawn: BTreeSet<_> = first.iter().map(|item| item.sample_ref.row).collect();
            prop_assert_eq!(drawn.len(), first.len());
            prop_assert_eq!(first.len(), (n as usize).min(audit.of as usize));
            for item in &audit.queue {
                let sample = dataset.sample_of_row(0, item.sample_ref.row).expect("a sample");
                prop_assert!(samples.contains(&(sample as u32)));
                prop_assert_eq!(dataset.key(sample, &mut Buffers::default()), Some(item.sample_ref.sample));
            }
            if field.is_some() {
                prop_assert_eq!(audit.strata.iter().map(|stratum| stratum.of).sum::<u64>(), audit.of);
                prop_assert_eq!(audit.strata.iter().map(|stratum| stratum.drawn).sum::<u64>(), first.len() as u64);
            }
            // As many repeats as there is room for, each once, far enough after the first time.
            let apart = 5.max(first.len() / 4).min(first.len()).max(2);
            let repeats = audit.queue.len() - first.len();
            let target = (repeat * first.len() as f64).round() as usize;
            prop_assert_eq!(repeats, target.min((first.len() + 1).saturating_sub(apart)));
            let mut seen = BTreeSet::new();
            for (at, item) in audit.queue.iter().enumerate().filter(|(_, item)| item.pass == 2) {
                let before = audit.queue.iter().position(|other| other.sample_ref == item.sample_ref).expect("a first time");
                prop_assert!(at - before >= apart && audit.queue[before].pass == 1 && seen.insert(item.sample_ref.row));
            }
            Ok(())
        })?;
    }
}
