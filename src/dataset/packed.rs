//! What rows say, packed in the order of rows as a scan meets them; and from there into the order
//! of samples.

use super::chunk::SampleRows;
use super::columns::{ChunkColumns, SampleKind, Stated, Values};
use super::words::WordList;
use crate::model::Verdict;
use crate::schema::{CapturedRow, RowStats, Schema};

/// What consecutive rows say, one entry a row in each list; a malformed row says nothing in all of
/// them.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// Whether each is well-formed.
    good: Vec<bool>,
    /// Whether anything of each was read leniently.
    flagged: Vec<bool>,
    /// For each response on a row, for each label; NaN where there is no value.
    ratings: Vec<Vec<f64>>,
    lengths: Vec<Vec<u32>>,
    /// Empty where the schema has no quotes.
    quotes: Vec<Vec<u16>>,
    prompt_lengths: Vec<u32>,
    turns: Vec<u16>,
    verdicts: Vec<Option<Verdict>>,
    margins: Vec<f64>,
    facts: Vec<WordList>,
}

impl Packed {
    /// Lists for rows of a schema, still empty.
    pub(super) fn new(schema: &Schema) -> Self {
        let responses = schema.responses();
        Self {
            ratings: vec![Vec::new(); responses * schema.labels().len()],
            lengths: vec![Vec::new(); responses],
            quotes: vec![Vec::new(); if schema.has_quotes() { responses } else { 0 }],
            facts: vec![WordList::default(); schema.definition().facts.len()],
            ..Self::default()
        }
    }

    /// Adds a row whose digest was just filled in.
    pub(super) fn push(&mut self, row: &CapturedRow<'_, '_>, digest: &RowStats) {
        self.good.push(true);
        self.push_numbers(digest);
        row.each_fact(&mut |place, word| self.facts[place].push(word));
    }

    /// Adds a malformed row.
    pub(super) fn push_nothing(&mut self) {
        self.good.push(false);
        self.push_numbers(&RowStats::default());
        self.facts.iter_mut().for_each(|list| list.push(None));
    }

    fn push_numbers(&mut self, digest: &RowStats) {
        for (place, list) in self.ratings.iter_mut().enumerate() {
            list.push(digest.ratings.get(place).copied().unwrap_or(f64::NAN));
        }
        self.lengths
            .iter_mut()
            .zip(digest.lengths)
            .for_each(|(list, length)| list.push(length));
        self.quotes
            .iter_mut()
            .zip(digest.quotes)
            .for_each(|(list, count)| list.push(count));
        self.flagged.push(digest.has_flaw);
        self.prompt_lengths.push(digest.prompt_length);
        self.turns.push(digest.turns);
        self.verdicts.push(digest.verdict);
        self.margins.push(digest.margin);
    }

    /// Adds the rows of another one of the same schema.
    pub(super) fn append(&mut self, other: &Self) {
        fn all<T: Copy>(lists: &mut [Vec<T>], others: &[Vec<T>]) {
            lists
                .iter_mut()
                .zip(others)
                .for_each(|(list, other)| list.extend_from_slice(other));
        }
        self.good.extend_from_slice(&other.good);
        self.flagged.extend_from_slice(&other.flagged);
        all(&mut self.ratings, &other.ratings);
        all(&mut self.lengths, &other.lengths);
        all(&mut self.quotes, &other.quotes);
        self.prompt_lengths.extend_from_slice(&other.prompt_lengths);
        self.turns.extend_from_slice(&other.turns);
        self.verdicts.extend_from_slice(&other.verdicts);
        self.margins.extend_from_slice(&other.margins);
        self.facts
            .iter_mut()
            .zip(&other.facts)
            .for_each(|(list, other)| list.append(other));
    }

    /// One of its rows alone.
    fn only(&self, row: usize) -> Self {
        fn each<T: Copy>(lists: &[Vec<T>], row: usize) -> Vec<Vec<T>> {
            lists.iter().map(|list| vec![list[row]]).collect()
        }
        Self {
            good: vec![self.good[row]],
            flagged: vec![self.flagged[row]],
            ratings: each(&self.ratings, row),
            lengths: each(&self.lengths, row),
            quotes: each(&self.quotes, row),
            prompt_lengths: vec![self.prompt_lengths[row]],
            turns: vec![self.turns[row]],
            verdicts: vec![self.verdicts[row]],
            margins: vec![self.margins[row]],
            facts: self.facts.iter().map(|list| list.only(row)).collect(),
        }
    }
}

/// The row that still waits for its other half when a chunk ends, for the chunk that completes its
/// sample.
#[derive(Debug)]
pub(super) struct Carried {
    row: u32,
    packed: Packed,
}

/// The rows of a chunk, ready to be put into the order of its samples.
///
/// Before them stand two more: one that says nothing, and the one that was carried over.
#[derive(Debug)]
pub(super) struct ChunkRows {
    packed: Packed,
    first_row: u32,
    /// Number in the dataset of the carried row.
    carried: Option<u32>,
}

/// Rows that stand before those of the chunk.
const NOTHING: u32 = 0;
const CARRIED: u32 = 1;
const BEFORE: u32 = 2;

impl ChunkRows {
    /// Rows that are counted on from `first_row` of the dataset, still none of them.
    pub(super) fn new(schema: &Schema, first_row: u32, carried: Option<&Carried>) -> Self {
        let mut packed = Packed::new(schema);
        packed.push_nothing();
        match carried {
            Some(carried) => packed.append(&carried.packed),
            None => packed.push_nothing(),
        }
        Self {
            packed,
            first_row,
            carried: carried.map(|carried| carried.row),
        }
    }

    /// Adds the rows of a stretch.
    pub(super) fn add(&mut self, packed: &Packed) {
        self.packed.append(packed);
    }

    /// What is to be carried over to the next chunk, if `row` of the dataset still waits for its
    /// other half.
    pub(super) fn carry(&self, row: u32) -> Carried {
        Carried {
            row,
            packed: self.packed.only(self.place(row) as usize),
        }
    }

    /// The columns of samples that the chunk completes.
    pub(super) fn columns(&self, schema: &Schema, samples: &[SampleRows]) -> ChunkColumns {
        let packed = &self.packed;
        // Where the responses of side B stand: the second ones of the same rows, or the only ones
        // of other rows.
        let second = schema.responses() - 1;
        let firsts: Vec<u32> = samples.iter().map(|rows| self.place(rows.first)).collect();
        let seconds: Vec<u32> = match second {
            0 => samples
                .iter()
                .map(|rows| rows.second().map_or(NOTHING, |row| self.place(row)))
                .collect(),
            _ => firsts.clone(),
        };
        let labels = schema.labels();
        let ratings = |response: usize, label: usize, rows: &[u32]| {
            let low = labels[label].range.map(|[low, _]| low);
            values(
                gather(&packed.ratings[response * labels.len() + label], rows),
                low,
            )
        };
        let has_quotes = !packed.quotes.is_empty();
        ChunkColumns {
            shapes: firsts
                .iter()
                .zip(&seconds)
                .map(|(&first, &second)| self.shape(first, second))
                .collect(),
            flagged: firsts
                .iter()
                .zip(&seconds)
                .map(|(&first, &second)| self.is_flagged(first, second))
                .collect(),
            labels: (0..labels.len())
                .map(|label| [ratings(0, label, &firsts), ratings(second, label, &seconds)])
                .collect(),
            response_lengths: [
                gather(&packed.lengths[0], &firsts),
                gather(&packed.lengths[second], &seconds),
            ],
            prompt_lengths: gather(&packed.prompt_lengths, &firsts),
            turns: gather(&packed.turns, &firsts),
            quotes: has_quotes.then(|| {
                [
                    gather(&packed.quotes[0], &firsts),
                    gather(&packed.quotes[second], &seconds),
                ]
            }),
            stated: schema.states_verdicts().then(|| Stated {
                verdicts: gather(&packed.verdicts, &firsts),
                margins: if schema.states_margins() {
                    gather(&packed.margins, &firsts)
                } else {
                    Box::default()
                },
            }),
            facts: packed
                .facts
                .iter()
                .map(|list| list.gather(&firsts))
                .collect(),
        }
    }

    fn shape(&self, first: u32, second: u32) -> SampleKind {
        match (self.packed.good[first as usize], second) {
            (false, _) => SampleKind::Malformed,
            (true, NOTHING) => SampleKind::Single,
            (true, _) => SampleKind::Pair,
        }
    }

    /// Whether anything of a sample's rows was read leniently.
    fn is_flagged(&self, first: u32, second: u32) -> bool {
        [first, second]
            .iter()
            .any(|&row| self.packed.flagged[row as usize])
    }

    /// Where a row of the dataset stands in the lists.
    fn place(&self, row: u32) -> u32 {
        match row.checked_sub(self.first_row) {
            Some(within) => within + BEFORE,
            None if self.carried == Some(row) => CARRIED,
            // A malformed row that came behind one that waited.
            None => NOTHING,
        }
    }
}

fn gather<T: Copy>(list: &[T], places: &[u32]) -> Box<[T]> {
    places.iter().map(|&place| list[place as usize]).collect()
}

/// Numbers in as few bytes as they need; `low` is the least there can be, where that is known.
fn values(numbers: Box<[f64]>, low: Option<f64>) -> Values {
    let least = || numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let low = low.unwrap_or_else(least);
    // NaN becomes code 0 and is put right below.
    let code = |number: f64| (number - low) as u8;
    let fits = |number: f64| {
        number.is_nan() || (low + f64::from(code(number)) == number && code(number) < Values::NONE)
    };
    if !numbers.iter().fold(true, |all, &number| all & fits(number)) {
        return Values::Numbers(numbers);
    }
    let low = if low.is_finite() { low } else { 0.0 };
    let codes = numbers
        .iter()
        .map(|&number| {
            if number.is_nan() {
                Values::NONE
            } else {
                code(number)
            }
        })
        .collect();
    Values::Bytes { low, codes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        let nan = f64::NAN;
        for (numbers, low, bytes) in [
            (&[0.0, 4.0, nan, 2.0][..], Some(0.0), true),
            (&[nan, nan], None, true),
            (&[], None, true),
            (&[-1.0, 253.0], None, true),
            (&[-1.0, 254.0], None, false),
            (&[0.5, 1.5, nan], None, true),
            (&[0.5, 1.0], None, false),
            (&[0.0, 1.0], Some(0.25), false),
            (&[-0.5, 0.5], Some(-1.0), false),
            (&[1e300, 1.0], None, false),
            (&[9007199254740992.0, 9007199254740994.0], None, true),
        ] {
            let values = values(numbers.into(), low);
            assert_eq!(matches!(values, Values::Bytes { .. }), bytes, "{numbers:?}");
            for (sample, &number) in numbers.iter().enumerate() {
                assert_eq!(
                    values.get(sample),
                    (!number.is_nan()).then_some(number),
                    "{numbers:?}"
                );
            }
            assert_eq!(values.get(numbers.len()), None);
        }
    }
}
