//! What spot checks come to.

use super::super::spot_checks::WrongEstimate;
use super::*;
use crate::journal::CheckDraw;
use crate::model::SpotCheckVerdict::{self, Right, Unclear, Wrong};

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
    CheckTally {
        places,
        right,
        wrong,
        unclear,
    }
}

#[test]
fn nothing_checked_is_no_figure() {
    let none = spot_checks(&Ledger::default(), None);
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
    // The same sample at random: what was said last of it counts there and in the other queue.
    all.check("ben", 2, Some(Unclear), random(7, 4));
    all.check("ben", 8, Some(Right), random(7, 2));
    all.check("ben", 8, Some(Right), random(8, 1));
    all.check("ben", 9, Some(Wrong), CheckDraw::Chosen);
    all.check("ann", 9, Some(Right), CheckDraw::Chosen);
    all.check("ben", 5, Some(Wrong), suspicion(9, 90));
    all.check("ben", 5, None, CheckDraw::Chosen);
    let checks = spot_checks(&all.0, None);
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
    // Of the second sample one says wrong and one unclear.
    assert_eq!(suspicious.all, tally(5, [0, 2, 2]));
    assert_eq!((suspicious.of, suspicious.range), (85, [80, 90]));
    assert!(!suspicious.has_moved);
    assert_eq!(names(shuffled), [("ben".to_owned(), tally(5, [1, 0, 1]))]);
    assert_eq!(
        (shuffled.seeds, shuffled.of, shuffled.range),
        (2, 1_000, [1_000; 2])
    );
    assert_eq!(checks.chosen, tally(0, [0, 0, 1]));
    assert_eq!(checks.random_for(suspicious), Some(shuffled));
    // Of one alone, nothing of another.
    let ann = spot_checks(&all.0, Some(&["ann".into()]));
    assert_eq!(ann.queues.len(), 1);
    assert_eq!(ann.queues[0].all, tally(3, [0, 3, 0]));
    assert_eq!(
        (ann.chosen, ann.random_for(&ann.queues[0])),
        (tally(0, [1, 0, 0]), None)
    );
}

#[test]
fn two_samples_at_one_place_tell_of_another_order() {
    let mut all = Checks::default();
    all.check("ben", 1, Some(Wrong), suspicion(1, 9));
    all.check("ann", 1, Some(Wrong), suspicion(1, 9));
    assert!(!spot_checks(&all.0, None).queues[0].has_moved);
    all.check("ann", 2, Some(Wrong), suspicion(1, 9));
    assert!(spot_checks(&all.0, None).queues[0].has_moved);
    let mut all = Checks::default();
    all.check("ben", 1, Some(Wrong), random(7, 1));
    all.check("ben", 2, Some(Wrong), random(8, 1));
    assert!(!spot_checks(&all.0, None).queues[0].has_moved);
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
        // More was judged than there is now.
        ([2, 3, 0], 2, estimate(2, 2, 2)),
        ([3, 0, 0], 1_000_000, estimate(0, 0, 561_498)),
    ] {
        let found = tally(0, counts).estimate(of);
        assert_eq!(found, expected, "{counts:?} of {of}");
    }
}
