//! Agreement of many reviewers, compared with a naive computation: a separate table for each pair.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use crate::review::PairFigures;
use crate::review::reviewer_agreement::{MAX_EACH, ReviewerAgreement};
use crate::stats::{Confusion, SeededRng, Weights, kappa};

/// Helpfulness of A and B, by reviewer and sample.
type Values = Vec<BTreeMap<usize, [u8; 2]>>;

/// Returns reviewers who each judge a share of the samples and often agree with the dataset.
fn crowd(reviewers: usize, samples: usize, share: f64, seed: u64) -> (Vec<[u8; 2]>, Values) {
    let mut chance = SeededRng::new(seed);
    let mut value = |own: u8| {
        if chance.below(3) == 0 {
            chance.below(5) as u8
        } else {
            own
        }
    };
    let own: Vec<[u8; 2]> = (0..samples).map(|_| [0, 1].map(|_| value(4))).collect();
    let mut whether = SeededRng::new(seed + 1);
    let values = (0..reviewers).map(|_| {
        let judged = (0..samples)
            .filter(|_| f64::from(whether.below(1000)) < share * 1000.0)
            .collect::<Vec<_>>();
        judged
            .into_iter()
            .map(|sample| (sample, own[sample].map(&mut value)))
            .collect()
    });
    let values = values.collect();
    (own, values)
}

fn name(reviewer: usize) -> String {
    format!("reviewer {reviewer:05}")
}

/// Returns a ledger of their judgments, one reviewer after the other.
fn written(dataset: &Dataset, values: &Values) -> Ledger {
    entries(dataset, values).fold(Ledger::default(), |mut ledger, entry| {
        ledger.apply(&entry);
        ledger
    })
}

/// Returns their acts.
fn entries(dataset: &Dataset, values: &Values) -> impl Iterator<Item = ActRecord> {
    let keys = keys(dataset);
    let judged = values.iter().enumerate().flat_map(|(reviewer, values)| {
        let reviewer: Arc<str> = name(reviewer).into();
        values
            .iter()
            .map(move |(&sample, &values)| (Arc::clone(&reviewer), sample, values))
    });
    let labels = judged.flat_map(|(reviewer, sample, values)| {
        let side =
            move |(side, value): (ResponseId, u8)| (Arc::clone(&reviewer), sample, side, value);
        ResponseId::first(2).zip(values).map(side)
    });
    labels
        .enumerate()
        .map(move |(at, (reviewer, sample, side, value))| {
            let rated = Judgment::Label {
                label: "helpfulness".into(),
                response: side,
                value: Some(value.into()),
            };
            ActRecord {
                id: ActId(format!("00000000-{at}").into()),
                time: "2026-01-01T00:00:00.000Z".into(),
                reviewer,
                sample_ref: Some(SampleRef {
                    sample: keys[sample],
                    file: "f".into(),
                    row: sample as u64 * 2 + 1,
                }),
                act: Act::Rate {
                    rated,
                    setting: Setting {
                        blind: true,
                        ..Setting::default()
                    },
                },
            }
        })
}

fn between(dataset: &Dataset, ledger: &Ledger) -> Option<ReviewerAgreement> {
    let scope = AgreementScope {
        reviewer: None,
        audit: None,
        between: true,
        has_details: true,
        counts: &|_, _| true,
    };
    agreement(ledger, &places(dataset), dataset, &scope).between
}

/// Counts the values of two reviewers for the same responses.
fn table(one: &BTreeMap<usize, [u8; 2]>, other: &BTreeMap<usize, [u8; 2]>) -> Confusion {
    let shared = one
        .iter()
        .filter_map(|(sample, one)| Some((one, other.get(sample)?)));
    let pairs =
        shared.flat_map(|(one, other)| [0, 1].map(|side| (one[side].into(), other[side].into())));
    Confusion::of(5, pairs)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_are_counted_as_each_two_would_be(
        reviewers in 2..30_usize,
        samples in 1..12_usize,
        share in 0.2..1.0_f64,
        seed in 0..1000_u64,
    ) {
        let (own, values) = crowd(reviewers, samples, share, seed);
        let dataset = pairs(&own);
        let judging = values.iter().filter(|values| !values.is_empty()).count();
        let between = between(&dataset, &written(&dataset, &values));
        prop_assert_eq!(between.is_some(), judging > 1);
        let Some(between) = between else { return Ok(()) };
        let two = |pair: &PairFigures| {
            let two = pair.reviewers.as_ref().expect("two").each_ref();
            two.map(|name| name[9..].parse::<usize>().expect("a number"))
        };
        let mut pairs = (0..reviewers).flat_map(|one| (0..one).map(move |other| [one, other]));
        let has_common = pairs.any(|[one, other]| table(&values[one], &values[other]).total() > 0);
        prop_assert_eq!(between.each.is_empty(), judging > MAX_EACH || !has_common);
        for pair in between.each.iter().filter(|pair| &*pair.name == "helpfulness") {
            let [one, other] = two(pair);
            let table = table(&values[one], &values[other]);
            prop_assert_eq!(&pair.kappa.value, &kappa(&table, Weights::Quadratic));
            prop_assert_eq!(&pair.confusion, &table);
        }
    }
}

#[test]
fn the_report_of_many_does_not_list_pairs() {
    let (own, values) = crowd(40, 12, 1.0, 5);
    let dataset = pairs(&own);
    let scope = AgreementScope {
        reviewer: None,
        audit: None,
        between: true,
        has_details: true,
        counts: &|_, _| true,
    };
    let markdown = agreement(
        &written(&dataset, &values),
        &places(&dataset),
        &dataset,
        &scope,
    )
    .answer(&no_spot)
    .markdown();
    assert!(
        markdown.contains("Pairs are listed for up to 10 reviewers"),
        "{markdown}"
    );
    assert!(
        markdown.contains("480 judgments of 12 samples by 40 reviewers ("),
        "{markdown}"
    );
    assert!(markdown.len() < 8000, "{} bytes", markdown.len());
}

#[test]
fn a_count_can_be_cancelled_anywhere() {
    let (own, values) = crowd(30, 20, 1.0, 7);
    let dataset = pairs(&own);
    let (ledger, places) = (written(&dataset, &values), places(&dataset));
    let scope = AgreementScope {
        reviewer: None,
        audit: None,
        between: true,
        has_details: true,
        counts: &|_, _| true,
    };
    let asked = |most: usize| {
        let asked = AtomicUsize::new(0);
        let keep_going = || asked.fetch_add(1, Ordering::Relaxed) < most;
        let counted = work(&ledger, &places, &dataset).agreement_while(&scope, true, &keep_going);
        (counted.is_some(), asked.into_inner())
    };
    let (done, all) = asked(usize::MAX);
    assert!(
        done && all > 20 + 2 * 20,
        "each sample and statistic asks: {all}"
    );
    for most in [0, 10, 100, all / 2, all - 1] {
        let (done, asked) = asked(most);
        // Each running task checks once more.
        assert!(!done && asked <= most + 100, "{asked} of {most}");
    }
}

/// Prints how long the agreement of many reviewers takes: `CROWD_REVIEWERS=3000 CROWD_SAMPLES=20`.
/// `CROWD_FILE` names a file to write the dataset to, and its journal with the suffix `.journal`,
/// to try the whole program.
#[test]
#[ignore = "a measurement"]
fn how_long_many_take() {
    let number = |name: &str, otherwise| {
        std::env::var(name)
            .ok()
            .and_then(|number| number.parse::<usize>().ok())
            .unwrap_or(otherwise)
    };
    let (reviewers, samples) = (number("CROWD_REVIEWERS", 3000), number("CROWD_SAMPLES", 20));
    let (own, values) = crowd(reviewers, samples, 1.0, 11);
    let dataset = pairs(&own);
    if let Ok(file) = std::env::var("CROWD_FILE") {
        let lines: String = entries(&dataset, &values)
            .map(|entry| entry.line() + "\n")
            .collect();
        std::fs::write(
            format!("{file}.journal"),
            format!("{{\"journal\":1,\"visavis\":\"0.1.0\"}}\n{lines}"),
        )
        .expect("written");
        std::fs::write(file, rows(&own)).expect("written");
        return;
    }
    let start = std::time::Instant::now();
    let ledger = written(&dataset, &values);
    println!("{} acts taken in: {:?}", ledger.len(), start.elapsed());
    let scope = AgreementScope {
        reviewer: None,
        audit: None,
        between: true,
        has_details: true,
        counts: &|_, _| true,
    };
    let places = places(&dataset);
    let start = std::time::Instant::now();
    let quick = work(&ledger, &places, &dataset).agreement_while(&scope, false, &|| true);
    let quick = quick.expect("figures");
    println!(
        "with the dataset alone: {:?} ({} judgments)",
        start.elapsed(),
        quick.judgments
    );
    let start = std::time::Instant::now();
    let counted = agreement(&ledger, &places, &dataset, &scope);
    println!(
        "everything: {:?}\n{}",
        start.elapsed(),
        counted.answer(&no_spot).markdown()
    );
}
