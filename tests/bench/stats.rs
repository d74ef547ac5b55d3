//! How long the agreement of a session takes: five labels of a thousand samples, each kappa with
//! its interval.

mod common;

use std::hint::black_box;

use visavis::{BOOTSTRAP_DRAWS as DRAWS, SeededRng, Undefined, Weights, kappa_interval};

/// Labels, each from 0 to 4.
const LABELS: u64 = 5;
/// Samples of two responses.
const SAMPLES: usize = 1000;

fn main() {
    let mut criterion = common::criterion();
    let labels: Vec<_> = (0..LABELS).map(clusters).collect();
    criterion.bench_function("stats/kappa-intervals", |bencher| {
        bencher.iter(|| {
            let interval = |clusters| kappa_interval(clusters, 5, Weights::Quadratic, DRAWS, 1);
            black_box(&labels)
                .iter()
                .map(|clusters| interval(clusters))
                .collect::<Result<Vec<_>, Undefined>>()
        });
    });
    criterion.final_summary();
}

/// Pairs of ratings that are the same or one apart, two for each sample.
fn clusters(seed: u64) -> Vec<Vec<(usize, usize)>> {
    let mut chance = SeededRng::new(seed);
    let mut pair = || (chance.below(4) as usize, chance.below(2) as usize);
    (0..SAMPLES)
        .map(|_| {
            [pair(), pair()]
                .map(|(rating, more)| (rating, rating + more))
                .to_vec()
        })
        .collect()
}
