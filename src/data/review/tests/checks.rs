//! Results of spot checks.

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

    /// Returns the section if the files have the samples below `end`.
    fn below(&self, end: u64, reviewers: &[Arc<str>]) -> String {
        let mut places = SampleLocator::default();
        for sample in 0..end {
            let key = format!("{sample:032x}").parse().expect("a key");
            places.add(key, sample as u32);
        }
        work(&self.0, &places, &Dataset::default())
            .spot_checks(reviewers)
            .markdown()
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

/// Returns the rows of the table, without those of the head.
fn rows(section: &str) -> Vec<&str> {
    let rows = section.lines().filter(|line| line.starts_with("| "));
    rows.skip(2).collect()
}

#[test]
fn without_checks_there_is_no_section() {
    assert_eq!(Checks::default().below(10, &[]), "");
}

#[test]
fn each_kind_of_draw_counts_each_sample_once() {
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
    // A later choice does not take a sample out of its queue.
    all.check("ben", 8, Some(Right), CheckDraw::Chosen);
    all.check("ben", 5, Some(Wrong), suspicion(9, 90));
    all.check("ben", 5, None, CheckDraw::Chosen);
    // statsmodels: proportion_confint(…, method="wilson"). The second sample has one verdict of
    // wrong and one of unclear.
    assert_eq!(
        rows(&all.below(10, &[])),
        [
            "| chosen | – | 1 | 0 (0 %) | 0.0–79.3 % | 0 (0 %) | 0.0–79.3 % | 1 |",
            "| most suspicious | `findings>0` | 4 | 0 (0 %) | 0.0–49.0 % | 2 (50.0 %) | 15.0–85.0 % | 2 |",
            "| at random | all samples | 2 | 1 (50.0 %) | 9.5–90.5 % | 0 (0 %) | 0.0–65.8 % | 1 |",
        ]
    );
    // One reviewer's results exclude those of others.
    assert_eq!(
        rows(&all.below(10, &["ann".into()])),
        [
            "| chosen | – | 1 | 1 (100 %) | 20.7–100.0 % | 0 (0 %) | 0.0–79.3 % | 0 |",
            "| most suspicious | `findings>0` | 3 | 0 (0 %) | 0.0–56.1 % | 3 (100 %) | 43.9–100.0 % | 0 |",
        ]
    );
}

#[test]
fn samples_of_other_files_are_left_out() {
    let mut all = Checks::default();
    all.check("ben", 1, Some(Wrong), random(7, 1));
    all.check("ben", 2, Some(Right), random(7, 2));
    all.check("ann", 2, Some(Right), suspicion(1, 9));
    all.check("ann", 3, Some(Right), CheckDraw::Chosen);
    let here = all.below(2, &[]);
    assert!(rows(&here)[0].starts_with("| at random | all samples | 1 |"));
    assert_eq!(rows(&here).len(), 1);
    for (end, reviewers) in [(2, &[][..]), (2, &["ann".into()])] {
        let section = all.below(end, reviewers);
        let words = "2 checked samples omitted: not in these files.";
        assert!(section.contains(words), "{section}");
    }
    let nowhere = all.below(0, &[]);
    assert!(nowhere.contains("3 checked samples omitted"), "{nowhere}");
    assert!(rows(&nowhere).is_empty(), "{nowhere}");
}
