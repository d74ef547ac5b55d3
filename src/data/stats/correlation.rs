//! Correlation of two columns.

use super::coded_values::CodedValues;
use super::undefined::{Undefined, finite};

/// Correlation coefficients of two columns, over the rows in which both have a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// Rows of the mask in which both columns have a value.
    pub n: u64,
    /// Pearson's r, −1 to 1: the sum of products of deviations from the means over the root of the
    /// product of their sums of squares (Pearson 1896).
    pub pearson: Result<f64, Undefined>,
    /// Spearman's rho, −1 to 1: Pearson's r of the ranks, tied values having the mean of their
    /// ranks (Spearman 1904).
    pub spearman: Result<f64, Undefined>,
}

/// Pairs of columns with at most this many combinations of values (usually labels) are counted in a
/// table.
const MAX_CELLS: usize = 1 << 16;

/// Correlates two columns over all rows, or over those of a mask. Rows in which either value is
/// missing are skipped before ranking. Sums are taken in the order of the values, so that they do
/// not depend on the order of the rows, and of deviations from the mean, so that large values lose
/// no digits.
///
/// Both coefficients are [`Undefined::TooFew`] with fewer than two rows, and
/// [`Undefined::NoVariance`] if a column is constant.
pub fn correlation(x: &CodedValues, y: &CodedValues, among: Option<&[bool]>) -> Correlation {
    let cells = x.values().len() * y.values().len();
    if cells <= MAX_CELLS {
        let mut counts = vec![0_u64; cells];
        let width = y.values().len();
        each_pair(x, y, among, |x, y| counts[x * width + y] += 1);
        let table = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let table = table.map(|(cell, &count)| (cell / width, cell % width, count));
        of_cells(x, y, &table)
    } else {
        // Sorted because rows are in chunk order, which depends on reading speed.
        let mut list = Vec::new();
        each_pair(x, y, among, |x, y| list.push((x as u32, y as u32)));
        list.sort_unstable();
        let equal = list.chunk_by(|one, next| one == next);
        let cells = equal.map(|cell| (cell[0].0 as usize, cell[0].1 as usize, cell.len() as u64));
        of_cells(x, y, &cells)
    }
}

/// Calls `show` with the codes of each row of the mask that has both values.
fn each_pair(
    x: &CodedValues,
    y: &CodedValues,
    among: Option<&[bool]>,
    mut show: impl FnMut(usize, usize),
) {
    for (place, (&x, &y)) in x.codes().iter().zip(y.codes()).enumerate() {
        let has_both = x != CodedValues::NONE && y != CodedValues::NONE;
        if has_both && among.is_none_or(|mask| mask.get(place) == Some(&true)) {
            show(x as usize, y as usize);
        }
    }
}

/// Computes the coefficients from counted pairs of codes.
fn of_cells(
    x: &CodedValues,
    y: &CodedValues,
    cells: &(impl Iterator<Item = (usize, usize, u64)> + Clone),
) -> Correlation {
    let mut margins = [vec![0_u64; x.values().len()], vec![0; y.values().len()]];
    for (x, y, count) in cells.clone() {
        margins[0][x] += count;
        margins[1][y] += count;
    }
    let n: u64 = margins[0].iter().sum();
    let ranks = [mean_ranks(&margins[0]), mean_ranks(&margins[1])];
    let figure = |of: [&[f64]; 2]| -> Result<f64, Undefined> {
        if n < 2 {
            return Err(Undefined::TooFew {
                have: n as usize,
                need: 2,
            });
        }
        // Decided by counts, because the mean of equal values may be off in the last bit.
        let is_one_value = |counts: &Vec<u64>| counts.iter().filter(|&&n| n > 0).count() < 2;
        if margins.iter().any(is_one_value) {
            return Err(Undefined::NoVariance);
        }
        let [x, y] = [0, 1].map(|at| Deviations::of(of[at], &margins[at]));
        if x.squares <= 0.0 || y.squares <= 0.0 {
            return Err(Undefined::NoVariance);
        }
        let products: f64 = cells
            .clone()
            .map(|(i, j, count)| count as f64 * x.of_mean[i] * y.of_mean[j])
            .sum();
        // One root if possible: it yields exactly 1 for identical columns.
        let both = (x.squares * y.squares).sqrt();
        let scale = if both.is_normal() {
            both
        } else {
            x.squares.sqrt() * y.squares.sqrt()
        };
        // Rounding may exceed the range.
        finite(products / scale).map(|r| r.clamp(-1.0, 1.0))
    };
    Correlation {
        n,
        pearson: figure([x.values(), y.values()]),
        spearman: figure([&ranks[0], &ranks[1]]),
    }
}

/// Deviations of the distinct values from their mean.
struct Deviations {
    of_mean: Vec<f64>,
    /// The sum of their squares, weighted by the counts.
    squares: f64,
}

impl Deviations {
    fn of(values: &[f64], counts: &[u64]) -> Self {
        let n: u64 = counts.iter().sum();
        let each = || values.iter().zip(counts);
        let sum: f64 = each().map(|(value, &count)| value * count as f64).sum();
        let mean = sum / n as f64;
        let of_mean: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let squares = of_mean.iter().zip(counts);
        let squares = squares.map(|(of, &count)| count as f64 * of * of).sum();
        Self { of_mean, squares }
    }
}

/// Returns the rank of each distinct value, from 1; tied values have the mean of their ranks.
fn mean_ranks(counts: &[u64]) -> Vec<f64> {
    let mut below = 0;
    let ranks = counts.iter().map(|&count| {
        let rank = below as f64 + (count as f64 + 1.0) / 2.0;
        below += count;
        rank
    });
    ranks.collect()
}
