//! Two raters, one label: how often they say what, and how far that agrees beyond chance.

use serde::{Serialize, Serializer};

use super::undefined::Undefined;

/// How often two raters gave which categories to the same things: rows are the first rater's,
/// columns the second's.
///
/// Categories are 0, 1, 2, … in the order of the label; a rating of a label from 1 to 5 is its
/// value less 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    categories: usize,
    /// Row after row.
    counts: Vec<u64>,
}

impl Serialize for Confusion {
    /// Its rows.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows())
    }
}

impl Confusion {
    /// Nothing counted yet.
    pub fn new(categories: usize) -> Self {
        Self {
            categories,
            counts: vec![0; categories * categories],
        }
    }

    /// Counts one thing. A category that is not below the number of categories is not counted: see
    /// that [`Confusion::total`] grows where it might be one.
    pub fn add(&mut self, first: usize, second: usize) {
        if let Some(cell) = self.cell(first, second) {
            self.counts[cell] += 1;
        }
    }

    /// The number of categories.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// How often the first rater gave one category and the second the other; 0 for what is no
    /// category.
    pub fn count(&self, first: usize, second: usize) -> u64 {
        self.cell(first, second).map_or(0, |cell| self.counts[cell])
    }

    /// Things that were counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How often the first rater gave each category.
    pub fn firsts(&self) -> Vec<u64> {
        self.rows().map(|row| row.iter().sum()).collect()
    }

    /// How often the second rater gave each category.
    pub fn seconds(&self) -> Vec<u64> {
        let mut sums = vec![0; self.categories];
        for row in self.rows() {
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// How much higher the first rater's category is than the second's, on average, in steps of the
    /// label; the same figure as the mean difference of the ratings.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] where nothing was counted.
    pub fn mean_difference(&self) -> Result<f64, Undefined> {
        let by_rating = |counts: &[u64]| {
            (0..)
                .zip(counts)
                .map(|(rating, &count): (i128, _)| rating * i128::from(count))
                .sum()
        };
        let (firsts, seconds): (i128, i128) =
            (by_rating(&self.firsts()), by_rating(&self.seconds()));
        match self.total() {
            0 => Err(Undefined::Nothing),
            total => Ok((firsts - seconds) as f64 / total as f64),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[u64]> {
        // A chunk has some length, also where there are no categories and so no chunks.
        self.counts.chunks(self.categories.max(1))
    }

    /// Where a pair of categories is counted.
    pub fn cell(&self, first: usize, second: usize) -> Option<usize> {
        let known = first < self.categories && second < self.categories;
        known.then(|| first * self.categories + second)
    }

    /// Takes the counts of all cells, row after row, in the place of those before.
    pub fn recount(&mut self, counts: &[u64]) {
        self.counts.copy_from_slice(counts);
    }
}

/// How much a disagreement weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// One as much as any other: kappa (Cohen 1960).
    Unweighted,
    /// By the square of the distance between the categories: weighted kappa (Cohen 1968).
    Quadratic,
}

impl Weights {
    fn of(self, first: usize, second: usize) -> u128 {
        let distance = first.abs_diff(second) as u128;
        match self {
            Weights::Unweighted => distance.min(1),
            Weights::Quadratic => distance * distance,
        }
    }
}

/// Cohen's kappa: agreement beyond chance, 1 for perfect, 0 for as much as chance would give, and
/// down to −1 for less.
///
/// One less the disagreements' weight in what was counted over their weight in what chance would
/// give, where chance draws each rater's category by how often that rater gave it (Cohen 1960; with
/// weights, Cohen 1968). Sums are of whole numbers, so that no rounding makes nothing of a figure
/// that is 0, or something of one that is none.
///
/// # Errors
/// [`Undefined::Nothing`] where nothing was counted; [`Undefined::OneValue`] where both raters gave
/// one category, the same, to everything, so that chance would never disagree.
pub fn kappa(confusion: &Confusion, weights: Weights) -> Result<f64, Undefined> {
    let (firsts, seconds) = (confusion.firsts(), confusion.seconds());
    let total: u64 = firsts.iter().sum();
    if total == 0 {
        return Err(Undefined::Nothing);
    }
    // Both are the weight in as many things as `total` squared.
    let (mut found, mut by_chance) = (0, 0);
    for (first, row) in confusion.rows().enumerate() {
        for (second, &count) in row.iter().enumerate() {
            let weight = weights.of(first, second);
            found += weight * u128::from(total) * u128::from(count);
            by_chance += weight * u128::from(firsts[first]) * u128::from(seconds[second]);
        }
    }
    beyond_chance(found, by_chance)
}

/// One less the weight that was found over that which chance would give.
pub(super) fn beyond_chance(found: u128, by_chance: u128) -> Result<f64, Undefined> {
    if by_chance == 0 {
        return Err(Undefined::OneValue);
    }
    let beyond = if found <= by_chance {
        (by_chance - found) as f64
    } else {
        -((found - by_chance) as f64)
    };
    Ok(beyond / by_chance as f64)
}
