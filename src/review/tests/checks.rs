//! Results of spot checks.

use super::super::spot_checks::WrongEstimate;
use super::*;
use crate::journal::CheckDraw;
use crate::model::SpotCheckVerdict::{self, Right, Unclear, Wrong};
use crate::query::Catalog;

/// Checks of samples by their numbers.
#[derive(Default)]
struct Checks(Ledger);

impl Checks {
    fn check(
        &mut self,
        who: &str,
        sample: u64,
        verdict: Option<SpotCheckVerdict>,
        drawn: CheckDraw,
    ) {
        let number = self.0.len();
        self.0.apply(&ActRecord {
            id: ActId(format!("x-{number}").into()),
            time: format!("2026-11-21T10:00:{number:02}.000Z"),
            reviewer: who.into(),
            sample_ref: Some(SampleRef {
                sample: format!("{sample:032x}").parse().expect("a key"),
                file: "rows".into(),
                row: 2 * sample + 1,
            }),
            act: Act::Check { verdict, drawn },
        });
    }

    /// Returns the results if the files have the samples below `end`.
    fn below(&self, end: u64, only: Option<&[Arc<str>]>) -> SpotChecks {
        let mut places = SampleLocator::default();
        for sample in 0..end {
            let key = format!("{sample:032x}").parse().expect("a key");
            places.add(key, sample as u32);
        }
        spot_checks(&Dataset::default(), &self.0, only, &places)
    }
}

fn suspicion(rank: u64, of: u64) -> CheckDraw {
    let filter = "findings>0".into();
    CheckDraw::Suspicion { rank, of, filter }
}

fn random(seed: u64, rank: u64) -> CheckDraw {
    CheckDraw::Random {
        seed,
        rank,
        of: 1_000,
        filter: "".into(),
    }
}

fn tally(places: u64, [right, wrong, unclear]: [u64; 3]) -> CheckTally {
    let each = [(Right, right), (Wrong, wrong), (Unclear, unclear)];
    let each = each
        .iter()
        .flat_map(|(verdict, count)| (0..*count).map(|_| *verdict));
    let mut tally = CheckTally::of((0..).zip(each));
    tally.places = places;
    tally
}

#[test]
fn without_checks_there_is_no_figure() {
    let none = spot_checks(
        &Dataset::default(),
        &Ledger::default(),
        None,
        &SampleLocator::default(),
    );
    assert!(none.is_empty());
    assert_eq!(none, SpotChecks::default());
    assert!(CheckTally::default().share().value.is_err());
    assert_eq!(CheckTally::default().estimate(9), None);
    assert_eq!(CheckTally::default().times(&tally(1, [0, 1, 0])), None);
}

#[test]
fn each_queue_counts_its_places_and_each_sample_once() {
    let mut all = Checks::default();
    all.check("ben", 1, Some(Wrong), suspicion(1, 90));
    all.check("ben", 2, Some(Right), suspicion(2, 90));
    all.check("ben", 3, Some(Unclear), suspicion(5, 80));
    all.check("ann", 1, Some(Wrong), suspicion(1, 85));
    all.check("ann", 2, Some(Wrong), suspicion(2, 85));
    all.check("ann", 4, Some(Wrong), suspicion(3, 85));
    // The same sample at random: its latest verdict counts there and in the other queue.
    all.check("ben", 2, Some(Unclear), random(7, 4));
    all.check("ben", 8, Some(Right), random(7, 2));
    all.check("ben", 8, Some(Right), random(8, 1));
    all.check("ben", 9, Some(Wrong), CheckDraw::Chosen);
    all.check("ann", 9, Some(Right), CheckDraw::Chosen);
    all.check("ben", 5, Some(Wrong), suspicion(9, 90));
    all.check("ben", 5, None, CheckDraw::Chosen);
    let checks = all.below(10, None);
    let [suspicious, shuffled] = checks.queues.as_slice() else {
        panic!("{checks:?}")
    };
    assert_eq!(
        (suspicious.is_random, &*suspicious.filter),
        (false, "findings>0")
    );
    let names = |queue: &CheckedQueue| -> Vec<(String, CheckTally)> {
        let each = queue.reviewers.iter();
        each.map(|(name, tally)| (name.to_string(), *tally))
            .collect()
    };
    assert_eq!(
        names(suspicious),
        [
            ("ann".to_owned(), tally(3, [0, 3, 0])),
            ("ben".to_owned(), tally(5, [0, 1, 2])),
        ]
    );
    // The second sample has one verdict of wrong and one of unclear.
    assert_eq!(suspicious.all, tally(5, [0, 2, 2]));
    assert_eq!(suspicious.range, [80, 90]);
    assert!(!suspicious.has_moved);
    assert_eq!(names(shuffled), [("ben".to_owned(), tally(5, [1, 0, 1]))]);
    assert_eq!((shuffled.seeds, shuffled.range), (2, [1_000; 2]));
    assert_eq!(checks.chosen, tally(0, [0, 0, 1]));
    assert_eq!(
        checks.random_for(suspicious, &Catalog::default()),
        Some(shuffled)
    );
    // One reviewer's results exclude those of others.
    let ann = all.below(10, Some(&["ann".into()]));
    assert_eq!(ann.queues.len(), 1);
    assert_eq!(ann.queues[0].all, tally(3, [0, 3, 0]));
    assert_eq!(
        (
            ann.chosen,
            ann.random_for(&ann.queues[0], &Catalog::default())
        ),
        (tally(0, [1, 0, 0]), None)
    );
}

#[test]
fn two_samples_of_one_rank_mean_a_changed_order() {
    let mut all = Checks::default();
    all.check("ben", 1, Some(Wrong), suspicion(1, 9));
    all.check("ann", 1, Some(Wrong), suspicion(1, 9));
    assert!(!all.below(10, None).queues[0].has_moved);
    all.check("ann", 2, Some(Wrong), suspicion(1, 9));
    assert!(all.below(10, None).queues[0].has_moved);
    let mut all = Checks::default();
    all.check("ben", 1, Some(Wrong), random(7, 1));
    all.check("ben", 2, Some(Wrong), random(8, 1));
    assert!(!all.below(10, None).queues[0].has_moved);
}

#[test]
fn what_is_known_bounds_what_is_estimated() {
    let estimate = |about, least, most| Some(WrongEstimate { about, least, most });
    for (counts, of, expected) in [
        // statsmodels: proportion_confint(9, 100, method="wilson") is 0.0480735 to 0.1622593.
        ([85, 9, 6], 20_324, estimate(1_829, 977, 3_298)),
        ([0, 2, 0], 2, estimate(2, 2, 2)),
        ([1, 0, 0], 1, estimate(0, 0, 0)),
        ([2, 1, 1], 5, estimate(1, 1, 2)),
        // More samples were judged than there are now.
        ([2, 3, 0], 2, estimate(2, 2, 2)),
        ([3, 0, 0], 1_000_000, estimate(0, 0, 561_498)),
    ] {
        let found = tally(0, counts).estimate(of);
        assert_eq!(found, expected, "{counts:?} of {of}");
    }
}

#[test]
fn samples_of_other_files_are_left_out() {
    let mut all = Checks::default();
    all.check("ben", 1, Some(Wrong), random(7, 1));
    all.check("ben", 2, Some(Right), random(7, 2));
    all.check("ann", 2, Some(Right), suspicion(1, 9));
    all.check("ann", 3, Some(Right), CheckDraw::Chosen);
    let here = all.below(2, None);
    assert_eq!((here.queues.len(), here.elsewhere), (1, 2));
    assert_eq!(here.queues[0].all, tally(1, [0, 1, 0]));
    assert_eq!(here.chosen, CheckTally::default());
    assert_eq!(all.below(2, Some(&["ann".into()])).elsewhere, 2);
    let nowhere = all.below(0, None);
    assert!(nowhere.queues.is_empty() && !nowhere.is_empty());
}

#[test]
fn what_is_suspicious_is_compared_with_chance_among_the_same() {
    let data = demo();
    let rules = [("empty", "len<1"), ("no-code", "-has:code")].map(|(name, query)| {
        crate::query::RuleDefinition {
            name: name.into(),
            sentence: "".into(),
            severity: crate::query::Severity::Slight,
            query: query.into(),
            schemas: Vec::new(),
        }
    });
    let catalog = Catalog::of_dataset(&data).with_rules(&rules);
    for (suspicious, random, expected) in [
        // The shuffled queue of the findings page, compared with its order by suspicion.
        ("findings>=1", &[""][..], Some("")),
        ("finding:empty", &["helpfulness>=3", ""], Some("")),
        (
            "helpfulness>=3 findings>=1",
            &["", "helpfulness>=3"],
            Some("helpfulness>=3"),
        ),
        (
            "helpfulness>=3 finding:no-code",
            &["", "helpfulness>=3"],
            Some("helpfulness>=3"),
        ),
        (
            "suspicion>100 len>9 helpfulness>=3",
            &["", "len>9", "helpfulness>=3 len>9"],
            Some("helpfulness>=3 len>9"),
        ),
        // The nearest wider filter.
        (
            "finding:empty findings>=2",
            &["", "finding:empty"],
            Some("finding:empty"),
        ),
        ("findings>=1", &["", "findings>=1"], Some("findings>=1")),
        // An unrelated filter does not match.
        ("findings>=1", &["helpfulness>=3"], None),
        ("helpfulness>=3 findings>=1", &["helpfulness>=4"], None),
        ("len>9 or findings>=1", &["len>9"], None),
        ("finding:unknown", &["len>9"], None),
        (
            "finding:unknown",
            &["len>9", "finding:unknown"],
            Some("finding:unknown"),
        ),
        ("finding:unknown", &["len>9", ""], Some("")),
    ] {
        let mut all = Checks::default();
        let (rank, of, filter) = (1, 9, suspicious.into());
        all.check(
            "ben",
            1,
            Some(Wrong),
            CheckDraw::Suspicion { rank, of, filter },
        );
        for (seed, filter) in (1..).zip(random) {
            let filter = (*filter).into();
            let drawn = CheckDraw::Random {
                seed,
                rank,
                of,
                filter,
            };
            all.check("ben", 1 + seed, Some(Wrong), drawn);
        }
        let checks = all.below(10, None);
        let found = checks.random_for(&checks.queues[0], &catalog);
        let found = found.map(|queue| &*queue.filter);
        assert_eq!(found, expected, "{suspicious} beside {random:?}");
    }
}
