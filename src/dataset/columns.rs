//! Columns: what a query asks of samples most often, packed while the rows are scanned, so that
//! filtering by labels never touches the text again.
//!
//! Each list has one entry a sample, in the order of the chunk's samples, so that whole stretches
//! are compared at once. Where there are two lists, the first is response A's and the second B's; a
//! single has nothing in the second.

use std::collections::HashSet;

/// The columns of the samples that a chunk completes.
#[derive(Debug, Clone, Default)]
pub struct ChunkColumns {
    /// What kind of sample each is.
    pub shapes: Box<[SampleKind]>,
    /// Whether anything of its rows was read leniently, or a value is one that its field cannot
    /// have; never of malformed rows.
    pub flagged: Box<[bool]>,
    /// Labels and scores, in the schema's order.
    pub labels: Box<[[Values; 2]]>,
    /// Characters (Unicode scalar values) of each response; 0 where there is none.
    pub response_lengths: [Box<[u32]>; 2],
    /// Characters of each prompt, turn markers excluded.
    pub prompt_lengths: Box<[u32]>,
    /// Turns of each prompt; 0 for malformed rows and without a prompt.
    pub turns: Box<[u16]>,
    /// Quotes of each response; `None` where the schema has no quotes.
    pub quotes: Option<[Box<[u16]>; 2]>,
    /// Verdict and margin (A minus B), where the row states them itself; `None` where a label
    /// decides or nothing does.
    pub stated: Option<Stated>,
    /// Facts, in the schema's order, of the sample's first row.
    pub facts: Box<[WordColumn]>,
}

/// What kind of sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum SampleKind {
    /// A malformed row.
    Malformed,
    /// One response.
    Single,
    /// Two responses.
    Pair,
}

/// Numbers, in as few bytes as they need.
#[derive(Debug, Clone)]
pub enum Values {
    /// Whole numbers in a small range: `low` plus a code of 0 to 254; [`Self::NONE`] means there is
    /// none.
    Bytes {
        /// What code 0 means.
        low: f64,
        /// One a sample.
        codes: Box<[u8]>,
    },
    /// Any numbers; NaN means there is none.
    Numbers(Box<[f64]>),
}

impl Values {
    /// The code of no value.
    pub const NONE: u8 = u8::MAX;

    /// The value of a sample, counted from the chunk's first.
    pub fn get(&self, sample: usize) -> Option<f64> {
        match self {
            Self::Bytes { low, codes } => codes
                .get(sample)
                .filter(|code| **code != Self::NONE)
                .map(|code| low + f64::from(*code)),
            Self::Numbers(numbers) => numbers
                .get(sample)
                .copied()
                .filter(|number| !number.is_nan()),
        }
    }
}

/// What rows say themselves of who wins.
#[derive(Debug, Clone)]
pub struct Stated {
    /// One a sample; `None` where it says nothing.
    pub verdicts: Box<[Option<crate::model::Verdict>]>,
    /// A minus B; NaN where that is not said. Empty where it is never said.
    pub margins: Box<[f64]>,
}

/// Words of which there are few different ones.
#[derive(Debug, Clone)]
pub enum WordColumn {
    /// Each sample's word by its place in the list; [`Self::NONE`] means there is none.
    Codes {
        /// The different words, as in the file (not sanitised), in the order in which they first
        /// come.
        words: Box<[Box<str>]>,
        /// One a sample.
        codes: Box<[u16]>,
    },
    /// There are too many different ones to keep: the row itself must be read.
    Many,
}

impl WordColumn {
    /// The code of no word.
    pub const NONE: u16 = u16::MAX;
    /// A chunk with more different words than this does not keep them.
    pub const MOST: usize = 1024;
    /// Bytes of different words that a chunk keeps: many long ones are no better than many.
    pub const MOST_BYTES: usize = 64 << 10;

    /// Whether so many different words are kept by each chunk, however a file is cut.
    pub(super) fn fit<'w>(words: impl Iterator<Item = &'w Box<str>>) -> bool {
        let mut different = HashSet::new();
        let mut bytes = 0;
        words
            .filter(|word| different.insert(&***word))
            .for_each(|word| bytes += word.len());
        different.len() <= Self::MOST && bytes <= Self::MOST_BYTES
    }
}
