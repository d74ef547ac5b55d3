//! Which samples a query shows.

use std::ops::{ControlFlow, Range};

use super::ast::Query;
use super::complete::Asked;
use crate::dataset::Dataset;

/// Which responses of a sample a query speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sides(u8);

impl Sides {
    /// Whether the query speaks of the response at this place (0 or 1).
    pub const fn has(self, side: usize) -> bool {
        self.0 >> side & 1 == 1
    }
}

/// Samples that a query shows, in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Their numbers, from 0.
    pub samples: Vec<u32>,
    /// For each, the responses for which the filter holds: both where it speaks of the sample alone.
    pub sides: Vec<Sides>,
}

/// Goes over a range of samples in order and tells what it finds, piece by piece: the samples found since the last piece, in
/// dataset order, and up to which sample it has looked. Gives up when told to.
pub fn find(
    query: &Query,
    dataset: &Dataset,
    samples: Range<usize>,
    tell: &mut dyn FnMut(Found, usize) -> ControlFlow<()>,
) {
    let _ = query;
    let end = samples.end.min(dataset.samples());
    let samples: Vec<_> = (samples.start..end).map(|sample| sample as u32).collect();
    let sides = vec![Sides(3); samples.len()];
    let _ = tell(Found { samples, sides }, end);
}

/// Puts what was found into the order that the query asks for; ties stay in dataset order.
pub fn sort(query: &Query, dataset: &Dataset, found: &mut Found) {
    let _ = (query, dataset, found);
}

/// Whether a query looks at columns alone, so that a million samples take some milliseconds.
pub fn is_quick(query: &Query) -> bool {
    let _ = query;
    true
}

/// What a sample has of a field, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    #[default]
    Nothing,
    /// One value.
    One(String),
    /// A value of each response; "–" where there is none.
    Sides(String, String),
}

/// What a sample, counted from 0, has of a field.
pub fn cell(dataset: &Dataset, of: &Asked, sample: usize) -> Cell {
    let _ = (dataset, of, sample);
    Cell::Nothing
}

/// The values of a field with the number of samples that have each, the most frequent first.
pub fn tally(dataset: &Dataset, of: &Asked) -> Vec<(String, usize)> {
    let _ = (dataset, of);
    Vec::new()
}
