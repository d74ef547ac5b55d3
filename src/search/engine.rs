//! Needle and dataset → samples.

use std::ops::ControlFlow;

use super::index::Index;
use super::needle::Needle;
use crate::dataset::Dataset;

/// Which texts are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Scope {
    /// All of them.
    #[default]
    Everything,
    /// The prompt.
    Prompt,
    /// The responses.
    Responses,
    /// Quotes and their titles.
    Quotes,
}

/// The order of what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The likeliest first, ties in dataset order.
    #[default]
    Ranked,
    /// As in the dataset (or as the query sorts).
    Dataset,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked<'a> {
    /// What is looked for.
    pub needle: &'a Needle,
    /// In which texts.
    pub scope: Scope,
    /// Among these samples alone, in ascending order of their numbers; `None`: all.
    pub among: Option<&'a [u32]>,
}

/// A sample that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number, from 0.
    pub sample: u32,
    /// How well it fits: greater is better; comparable within one search.
    pub rank: i32,
}

/// What was found so far, in dataset order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// One a sample.
    pub hits: Vec<Hit>,
    /// Samples that were looked at.
    pub looked: usize,
}

/// Looks for a needle and tells what it finds, piece by piece: the hits since the last piece. Gives up when told to. `index`, where there is
/// one, answers for the samples that it knows; the others are read.
pub fn search(
    asked: &Asked<'_>,
    dataset: &Dataset,
    index: Option<&Index>,
    tell: &mut dyn FnMut(Found) -> ControlFlow<()>,
) {
    let _ = index;
    let all: Vec<u32> = (0..dataset.samples() as u32).collect();
    let samples = asked.among.unwrap_or(&all);
    let hits = samples.iter().map(|&sample| Hit { sample, rank: 0 }).collect();
    let _ = tell(Found { hits, looked: samples.len() });
}
