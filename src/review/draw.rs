//! The draw of an audit: which samples are asked about, in which order, and which come back.
//!
//! Everything follows from the seed, the dataset's order and the filter, by sums that are the same on every machine: the draw is the first `n` samples of
//! `sort:random(seed)` within the filter; a stratified one takes the first of each stratum in that order, as many as its share (largest remainder), and keeps
//! that order. So anybody can look it up in the program itself.

use crate::dataset::Dataset;
use crate::journal::{Audit, By, Reveal};

/// What is asked of a draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// How many samples.
    pub n: u32,
    /// The seed.
    pub seed: u64,
    /// By what it is stratified.
    pub by: Option<By>,
    /// Share of the samples that come back with their sides swapped, 0 to 1.
    pub repeat: f64,
    /// Whether the dataset's own judgment is hidden.
    pub blind: bool,
    /// When it is shown.
    pub reveal: Reveal,
    /// The filter in force, as a query; empty for none.
    pub filter: String,
}

/// Why nothing can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// No sample that can be judged is among those shown.
    #[error("there is no sample to judge among those that are shown")]
    Nothing,
    /// What to stratify by does not read.
    #[error("by={field}: {message}")]
    By {
        /// What was typed.
        field: String,
        /// What is wrong with it.
        message: String,
    },
}

/// Draws from samples, given in dataset order (malformed ones, and those of which nothing can be judged, are passed over). Reads the rows of what it draws.
///
/// # Errors
/// When there is nothing to draw, or nothing of the name to stratify by.
pub fn draw(plan: &Plan, dataset: &Dataset, samples: &[u32]) -> Result<Audit, DrawError> {
    let _ = (plan, dataset, samples);
    todo!()
}
