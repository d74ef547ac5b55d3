//! Which samples a query shows.

use std::ops::{ControlFlow, Range};

use super::ast::{Comparison, Expr, Field, Name, Number, Pattern, Query, SortBy, SortKey, TextTerm};
use super::complete::Asked;
use crate::dataset::{Body, Buffers, Dataset, Reading};

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

impl Found {
    fn into_iter_pairs(self) -> impl Iterator<Item = (u32, Sides)> {
        self.samples.into_iter().zip(self.sides)
    }
}

/// Goes over a range of samples in order and tells what it finds, piece by piece: the samples found since the last piece, in
/// dataset order, and up to which sample it has looked. Gives up when told to.
pub fn find(
    query: &Query,
    dataset: &Dataset,
    samples: Range<usize>,
    tell: &mut dyn FnMut(Found, usize) -> ControlFlow<()>,
) {
    // A stand-in until the real one is here: every sample is read.
    let end = samples.end.min(dataset.samples());
    let mut buffers = Buffers::default();
    let mut found = Found::default();
    for sample in samples.start..end {
        let sides = query.filter.as_ref().map_or(3, |filter| stand_in(filter, dataset, sample, &mut buffers));
        if sides > 0 {
            found.samples.push(sample as u32);
            found.sides.push(Sides(sides));
        }
    }
    let _ = tell(found, end);
}

fn stand_in(filter: &Expr, dataset: &Dataset, sample: usize, buffers: &mut Buffers) -> u8 {
    match filter {
        Expr::And(terms) => terms.iter().fold(3, |sides, term| sides & stand_in(term, dataset, sample, buffers)),
        Expr::Compare { left, comparison, right: Number::Literal(bound) } => {
            let Number::Field(Field { name: Name::Label(label), .. }) = left else { return 0 };
            let values = ratings(dataset, label, sample, buffers);
            let holds =
                |value: &Option<f64>| {
                    value.is_some_and(|value| {
                        if *comparison == Comparison::AtLeast { value >= *bound } else { value <= *bound }
                    })
                };
            (0..2).filter(|side| values.get(*side).is_some_and(holds)).map(|side| 1 << side).sum()
        }
        Expr::Text(TextTerm { pattern: Pattern::Phrase(phrase), .. }) => match dataset.read(sample, buffers) {
            Some(Reading { body: Body::Sample(sample), .. }) => {
                3 * u8::from(sample.prompt.iter().any(|turn| turn.text.contains(phrase.as_str())))
            }
            _ => 0,
        },
        _ => 0,
    }
}

fn ratings(dataset: &Dataset, label: &str, sample: usize, buffers: &mut Buffers) -> Vec<Option<f64>> {
    let Some(Reading { schema, body: Body::Sample(sample), .. }) = dataset.read(sample, buffers) else {
        return Vec::new();
    };
    let Some(at) = schema.labels().iter().position(|one| one.name == label) else { return Vec::new() };
    sample.responses.iter().map(|response| response.ratings.get(at).copied().flatten()).collect()
}

/// Puts what was found into the order that the query asks for; ties stay in dataset order.
pub fn sort(query: &Query, dataset: &Dataset, found: &mut Found) {
    // A stand-in until the real one is here.
    let mut buffers = Buffers::default();
    let Some(SortKey { by: SortBy::Number(Number::Field(Field { name: Name::Label(label), .. })), descending }) =
        query.sort.first()
    else {
        return;
    };
    let mut keyed: Vec<_> = std::mem::take(found).into_iter_pairs().collect();
    let sign = if *descending { -1.0 } else { 1.0 };
    keyed.sort_by_key(|(sample, _)| {
        let values = ratings(dataset, label, *sample as usize, &mut buffers);
        let best = values.into_iter().flatten().map(|value| value * sign).min_by(f64::total_cmp);
        best.map_or(i64::MAX, |value| (value * 1000.0) as i64)
    });
    (found.samples, found.sides) = keyed.into_iter().unzip();
}

/// Whether a query looks at columns alone, so that a million samples take some milliseconds.
pub fn is_quick(query: &Query) -> bool {
    // A stand-in until the real one is here.
    !matches!(&query.filter, Some(Expr::And(terms)) if terms.iter().any(|term| matches!(term, Expr::Text(_))))
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
    // A stand-in until the real one is here.
    let Asked::Number(Field { name: Name::Label(label), .. }) = of else { return Cell::Nothing };
    let shown = |value: &Option<f64>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
    match ratings(dataset, label, sample, &mut Buffers::default()).as_slice() {
        [one] => Cell::One(shown(one)),
        [a, b] => Cell::Sides(shown(a), shown(b)),
        _ => Cell::Nothing,
    }
}

/// The values of a field with the number of samples that have each, the most frequent first.
pub fn tally(dataset: &Dataset, of: &Asked) -> Vec<(String, usize)> {
    let _ = (dataset, of);
    Vec::new()
}
