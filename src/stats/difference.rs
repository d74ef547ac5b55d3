//! Who rates higher, and by how much.

use super::undefined::{Undefined, finite};

/// First less second, over pairs of ratings of the same things, in the label's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The mean: positive where the first rater rates higher.
    pub mean: f64,
    /// The standard deviation of the differences, with Bessel's correction (n − 1);
    /// [`Undefined::TooFew`] of a single pair.
    pub deviation: Result<f64, Undefined>,
}

/// The mean difference, first less second, with its spread.
///
/// # Errors
/// [`Undefined::Nothing`] without a pair; [`Undefined::NotFinite`] where a rating is no number, or
/// so large that the sum is none.
pub fn mean_difference(pairs: &[(f64, f64)]) -> Result<Difference, Undefined> {
    if pairs.is_empty() {
        return Err(Undefined::Nothing);
    }
    let count = pairs.len() as f64;
    let differences = || pairs.iter().map(|(first, second)| first - second);
    let mean = finite(differences().sum::<f64>() / count)?;
    let squares: f64 = differences()
        .map(|difference| (difference - mean) * (difference - mean))
        .sum();
    let deviation = match pairs.len() {
        1 => Err(Undefined::TooFew { have: 1, need: 2 }),
        _ => finite((squares / (count - 1.0)).sqrt()),
    };
    Ok(Difference { mean, deviation })
}
