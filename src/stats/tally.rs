//! Two raters out of many: kappa from a few sums, where there are too many pairs of raters for a
//! table each.

use super::confusion::beyond_chance;
use super::undefined::Undefined;

/// What is counted of two raters until their kappa is asked for; the same figure as
/// [`kappa`](super::kappa) of their table, bit for bit.
pub trait PairTally: Copy + Default {
    /// Counts one thing that both rated, by its categories.
    fn add(&mut self, first: u32, second: u32);

    /// Things that were counted.
    fn count(&self) -> u64;

    /// Cohen's kappa.
    ///
    /// # Errors
    /// Those of [`kappa`](super::kappa).
    fn kappa(&self) -> Result<f64, Undefined>;
}

/// With quadratic weights. The weights' sums are those of squares and products, whatever the number
/// of categories.
#[derive(Debug, Clone, Copy, Default)]
pub struct QuadraticTally {
    count: u64,
    firsts: u64,
    seconds: u64,
    /// Squares of both.
    squares: u64,
    products: u64,
}

impl PairTally for QuadraticTally {
    fn add(&mut self, first: u32, second: u32) {
        let (first, second) = (u64::from(first), u64::from(second));
        self.count += 1;
        self.firsts += first;
        self.seconds += second;
        self.squares += first * first + second * second;
        self.products += first * second;
    }

    fn count(&self) -> u64 {
        self.count
    }

    fn kappa(&self) -> Result<f64, Undefined> {
        if self.count == 0 {
            return Err(Undefined::Nothing);
        }
        let wide = |[one, other]: [u64; 2]| u128::from(one) * u128::from(other);
        // What chance pairs: each of the first with each of the second, whose squared differences
        // sum up to this.
        let squares = wide([self.count, self.squares]);
        let found = squares - 2 * wide([self.count, self.products]);
        beyond_chance(found, squares - 2 * wide([self.firsts, self.seconds]))
    }
}

/// Categories that [`UnweightedTally`] tells apart, from 0.
pub const MOST_CATEGORIES: usize = 3;

/// Unweighted, of at most [`MOST_CATEGORIES`] categories; a greater one is not counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnweightedTally {
    equal: u32,
    firsts: [u32; MOST_CATEGORIES],
    seconds: [u32; MOST_CATEGORIES],
}

impl PairTally for UnweightedTally {
    fn add(&mut self, first: u32, second: u32) {
        let places = [first, second].map(|place| place as usize);
        if let (Some(row), Some(column)) = (
            self.firsts.get_mut(places[0]),
            self.seconds.get_mut(places[1]),
        ) {
            *row += 1;
            *column += 1;
            self.equal += u32::from(first == second);
        }
    }

    fn count(&self) -> u64 {
        self.firsts.iter().map(|&count| u64::from(count)).sum()
    }

    fn kappa(&self) -> Result<f64, Undefined> {
        let count = u128::from(self.count());
        if count == 0 {
            return Err(Undefined::Nothing);
        }
        let by_chance = self
            .firsts
            .iter()
            .zip(&self.seconds)
            .map(|(&one, &other)| u128::from(one) * u128::from(other));
        beyond_chance(
            count * (count - u128::from(self.equal)),
            count * count - by_chance.sum::<u128>(),
        )
    }
}
