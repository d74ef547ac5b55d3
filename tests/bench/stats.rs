//! Time to compute the agreement of an audit: five labels of a thousand samples, each kappa with
//! its interval.

mod common;

use std::hint::black_box;

use visavis::{ClusteredCounts, Confusion, Scale, SeededRng, Weights, kappa};

/// Labels, each from 0 to 4.
const LABELS: u64 = 5;
/// Samples of two responses.
const SAMPLES: usize = 1000;

fn main() {
    let mut criterion = common::criterion();
    let labels: Vec<_> = (0..LABELS).map(clusters).collect();
    criterion.bench_function("stats/kappa-intervals", |bencher| {
        bencher.iter(|| {
            let interval = |counts: &ClusteredCounts| {
                let mut confusion = Confusion::new(5);
                let [figure] = counts.figures(25, Some([Scale::Agreement]), &mut |counts| {
                    confusion.recount(counts);
                    [kappa(&confusion, Weights::Quadratic)]
                });
                figure.ends()
            };
            black_box(&labels).iter().map(interval).collect::<Vec<_>>()
        });
    });
    criterion.final_summary();
}

/// Pairs of ratings that are equal or differ by one, two for each sample.
fn clusters(seed: u64) -> ClusteredCounts {
    let (mut chance, mut counts) = (SeededRng::new(seed), ClusteredCounts::default());
    for sample in 0..2 * SAMPLES as u32 {
        let (rating, more) = (chance.below(4), chance.below(2));
        counts.add(sample / 2, 5 * rating + rating + more);
    }
    counts
}
