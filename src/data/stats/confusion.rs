//! Agreement of two raters on one label: counts of each pair of categories, and Cohen's kappa.

use serde::{Serialize, Serializer};

use super::undefined::Undefined;

/// Counts of the pairs of categories that two raters gave to the same items: rows are the first
/// rater's categories, columns the second's.
///
/// Categories are 0, 1, 2, … in the order of the label; a rating from 1 to 5 is its value minus 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    categories: usize,
    /// Row-major.
    counts: Vec<u64>,
}

impl Serialize for Confusion {
    /// Writes the rows as arrays.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows())
    }
}

impl Confusion {
    /// Returns an empty table.
    pub fn new(categories: usize) -> Self {
        Self {
            categories,
            counts: vec![0; categories * categories],
        }
    }

    /// Counts one item. An invalid category is ignored; check that [`Confusion::total`] grew if one
    /// is possible.
    pub fn add(&mut self, first: usize, second: usize) {
        if let Some(cell) = self.cell(first, second) {
            self.counts[cell] += 1;
        }
    }

    /// Returns the number of categories.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// Returns how often the first rater gave one category and the second the other; 0 for an
    /// invalid category.
    pub fn count(&self, first: usize, second: usize) -> u64 {
        self.cell(first, second).map_or(0, |cell| self.counts[cell])
    }

    /// Returns the number of items counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns how often the first rater gave each category.
    pub fn first_totals(&self) -> Vec<u64> {
        self.rows().map(|row| row.iter().sum()).collect()
    }

    /// Returns how often the second rater gave each category.
    pub fn second_totals(&self) -> Vec<u64> {
        let mut sums = vec![0; self.categories];
        for row in self.rows() {
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// Returns the mean of the first rater's category minus the second's, in steps of the label;
    /// equals the mean difference of the ratings.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] if nothing was counted.
    pub fn mean_difference(&self) -> Result<f64, Undefined> {
        let by_rating = |counts: &[u64]| {
            (0..)
                .zip(counts)
                .map(|(rating, &count): (i128, _)| rating * i128::from(count))
                .sum()
        };
        let (first_totals, second_totals): (i128, i128) = (
            by_rating(&self.first_totals()),
            by_rating(&self.second_totals()),
        );
        match self.total() {
            0 => Err(Undefined::Nothing),
            total => Ok((first_totals - second_totals) as f64 / total as f64),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[u64]> {
        // `chunks` panics on 0, which is the size without categories.
        self.counts.chunks(self.categories.max(1))
    }

    /// Returns the index of a pair of categories in the counts.
    pub fn cell(&self, first: usize, second: usize) -> Option<usize> {
        let known = first < self.categories && second < self.categories;
        known.then(|| first * self.categories + second)
    }

    /// Replaces the counts of all cells, row-major.
    pub fn recount(&mut self, counts: &[u64]) {
        self.counts.copy_from_slice(counts);
    }
}

/// How disagreements are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// All alike: kappa (Cohen 1960).
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

/// Computes Cohen's kappa: agreement beyond chance, 1 if perfect, 0 at chance level, down to −1
/// below.
///
/// Kappa is 1 minus the weight of the observed disagreements over the weight expected by chance,
/// where chance draws each rater's categories by their frequency (Cohen 1960; weighted, Cohen
/// 1968). Sums are integers, so that 0 and undefined results are exact.
///
/// # Errors
/// [`Undefined::Nothing`] if nothing was counted; [`Undefined::OneValue`] if both raters gave the
/// same single category to everything, so that chance would never disagree.
pub fn kappa(confusion: &Confusion, weights: Weights) -> Result<f64, Undefined> {
    let (first_totals, second_totals) = (confusion.first_totals(), confusion.second_totals());
    let total: u64 = first_totals.iter().sum();
    if total == 0 {
        return Err(Undefined::Nothing);
    }
    // Both are scaled to `total` squared items.
    let (mut found, mut by_chance) = (0, 0);
    for (first, row) in confusion.rows().enumerate() {
        for (second, &count) in row.iter().enumerate() {
            let weight = weights.of(first, second);
            found += weight * u128::from(total) * u128::from(count);
            by_chance +=
                weight * u128::from(first_totals[first]) * u128::from(second_totals[second]);
        }
    }
    beyond_chance(found, by_chance)
}

/// Returns 1 minus the observed weight over the weight expected by chance.
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
