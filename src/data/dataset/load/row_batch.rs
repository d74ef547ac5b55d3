//! Row values packed in scan order, and their conversion to sample order.

use std::ops::Range;
use std::sync::Arc;

use super::chunk::{ChunkColumns, LaterColumns, SampleList, SampleRows};
use super::scan::KeptColumns;
use crate::model::{ResponseOrder, Verdict, Vote, majority};
use crate::schema::{CapturedRow, RowStats, Schema};
use crate::table::{AnnotationColumn, ColumnData, ColumnId, ColumnSource, Values, WordList};

/// Values of consecutive rows: each list has one entry a row, empty for a malformed row.
#[derive(Debug, Default)]
pub struct RowBatch {
    kept: Arc<KeptColumns>,
    /// Number of labels in the schema, and number of responses on a row.
    labels: usize,
    responses: usize,
    /// Whether any text is composed, that is, not stored in its line verbatim apart from escapes.
    is_composed: bool,
    /// Whether rows of one sample can have different prompts.
    has_prompts: bool,
    /// Prompt hash of each row, if `has_prompts`.
    prompts: Vec<u64>,
    /// Whether each row is by one annotator of its sample.
    is_by_annotator: bool,
    /// For each response on a row, each kept label (NaN for a missing value); the margin is last.
    numbers: Vec<Vec<f64>>,
    /// The fixed counts ([`RESPONSES`] and so on), then for each response on a row each column
    /// counted per response, then the columns counted per prompt.
    counts: Vec<Vec<u32>>,
    has_votes: bool,
    /// The [codes](Vote::code) of the votes, then for each response on a row each label that is a
    /// list of annotators' values.
    lists: Vec<Vec<Box<[f64]>>>,
    facts: Vec<WordList>,
}

/// Indexes in the counts. This one: number of responses on a row, 0 for a malformed row.
const RESPONSES: usize = 0;
/// 1 if any part of the row was read leniently.
const FLAGGED: usize = 1;
/// Stated verdict ([`Verdict::code`]).
const VERDICT: usize = 2;
/// Number of annotators who excluded the comparison.
const EXCLUDED: usize = 3;
/// 1 if the row is by an annotator and its responses are [reversed](CapturedRow::is_reversed).
const REVERSED: usize = 4;
/// First counted column.
const COUNTED: usize = 5;

impl RowBatch {
    /// Creates an empty batch.
    pub fn new(schema: &Schema, kept: &Arc<KeptColumns>) -> Self {
        let (responses, counted) = (schema.responses(), &kept.counted);
        let has_votes = schema.definition().has_votes();
        let counts = responses * counted.of_responses.len() + counted.of_prompts.len();
        let lists = responses * list_labels(schema).count() + usize::from(has_votes);
        Self {
            kept: Arc::clone(kept),
            labels: schema.labels().len(),
            responses,
            has_prompts: schema.groups_by_key(),
            is_by_annotator: schema.definition().is_row_by_annotator(),
            numbers: vec![Vec::new(); responses * kept.labels.len() + 1],
            counts: vec![Vec::new(); COUNTED + counts],
            has_votes,
            lists: vec![Vec::new(); lists],
            facts: vec![WordList::default(); schema.definition().facts.len()],
            ..Self::default()
        }
    }

    fn len(&self) -> usize {
        self.counts[RESPONSES].len()
    }

    pub fn push(&mut self, row: &CapturedRow<'_, '_>, stats: &RowStats) {
        self.is_composed |= stats.is_composed;
        let prompt = self.has_prompts.then(|| row.prompt_hash());
        let is_reversed = self.is_by_annotator && row.is_reversed();
        self.push_numbers(row.response_count(), prompt, is_reversed, stats);
        row.each_fact(&mut |place, word| self.facts[place].push(word));
    }

    pub fn push_malformed(&mut self) {
        let prompt = self.has_prompts.then_some(0);
        self.push_numbers(0, prompt, false, &RowStats::default());
        self.facts.iter_mut().for_each(|list| list.push(None));
    }

    fn push_numbers(
        &mut self,
        responses: usize,
        prompt: Option<u64>,
        is_reversed: bool,
        stats: &RowStats,
    ) {
        self.prompts.extend(prompt);
        let kept = &self.kept;
        if let Some((margins, lists)) = self.numbers.split_last_mut() {
            margins.push(stats.margin);
            let mut of_responses = stats.ratings.chunks_exact(self.labels.max(1));
            for lists in lists.chunks_exact_mut(kept.labels.len().max(1)) {
                let of_response = of_responses.next().unwrap_or_default();
                for (list, &label) in lists.iter_mut().zip(&kept.labels) {
                    list.push(of_response.get(label).copied().unwrap_or(f64::NAN));
                }
            }
        }
        let mut first = [0; COUNTED];
        first[RESPONSES] = responses as u32;
        first[FLAGGED] = u32::from(stats.has_warning);
        first[VERDICT] = stats.verdict.map_or(Values::NO_COUNT, Verdict::code);
        first[EXCLUDED] = stats.excluded_votes;
        first[REVERSED] = u32::from(is_reversed);
        let mut lists = self.counts.iter_mut();
        push_counts(lists.by_ref().take(COUNTED), &first);
        let columns = kept.counted.of_responses.len();
        for response in 0..self.responses {
            let counts = stats.of_responses.get(response).map_or(&[][..], |it| it);
            push_counts(lists.by_ref().take(columns), counts);
        }
        push_counts(lists, &stats.of_prompt);
        let mut values = self
            .has_votes
            .then_some(&stats.votes)
            .into_iter()
            .chain(&stats.annotations);
        for list in &mut self.lists {
            list.push(
                values
                    .next()
                    .map_or(Box::default(), |it| it.as_slice().into()),
            );
        }
    }

    /// Returns the annotators' label values of responses, each given by its index on some rows.
    fn annotations(
        &self,
        schema: &Schema,
        responses: &[(usize, &[u32])],
    ) -> impl Iterator<Item = (ColumnId, ColumnData)> {
        let annotations = &self.lists[usize::from(self.has_votes)..];
        let count = list_labels(schema).count();
        list_labels(schema).enumerate().map(move |(place, label)| {
            let column = |(response, rows): &(usize, &[u32])| {
                let lists = &annotations[response * count + place];
                AnnotationColumn::of_lists(rows.iter().map(|&row| &*lists[row as usize]))
            };
            let id = ColumnId::of(ColumnSource::Annotations, &schema.labels()[label].name);
            (
                id,
                ColumnData::Annotations(responses.iter().map(column).collect()),
            )
        })
    }

    /// Appends some rows of another batch of the same schema.
    fn append(&mut self, other: &Self, rows: Range<usize>) {
        fn all<T: Clone>(lists: &mut [Vec<T>], others: &[Vec<T>], rows: &Range<usize>) {
            for (list, other) in lists.iter_mut().zip(others) {
                list.extend_from_slice(other.get(rows.clone()).unwrap_or_default());
            }
        }
        self.is_composed |= other.is_composed;
        let prompts = other.prompts.get(rows.clone());
        self.prompts.extend_from_slice(prompts.unwrap_or_default());
        all(&mut self.numbers, &other.numbers, &rows);
        all(&mut self.counts, &other.counts, &rows);
        all(&mut self.lists, &other.lists, &rows);
        for (list, other) in self.facts.iter_mut().zip(&other.facts) {
            list.append(other, rows.clone());
        }
    }
}

/// Returns the votes of each sample, and the number of annotators who excluded the comparison.
fn vote_columns(votes: &[(Vec<f64>, u32)]) -> [(ColumnId, ColumnData); 2] {
    let lists = AnnotationColumn::of_lists(votes.iter().map(|(votes, _)| &**votes));
    let excluded = Values::of_counts(votes.iter().map(|(_, excluded)| *excluded).collect());
    [
        (ColumnId::VOTES, ColumnData::Annotations([lists].into())),
        (ColumnId::EXCLUDED_VOTES, ColumnData::of_samples(excluded)),
    ]
}

/// Returns the indexes of the labels that are lists of annotators' values.
fn list_labels(schema: &Schema) -> impl Iterator<Item = usize> {
    schema
        .labels()
        .iter()
        .enumerate()
        .filter(|(_, label)| label.is_list())
        .map(|(place, _)| place)
}

/// Adds a row's counts; a malformed row has none.
fn push_counts<'l>(lists: impl Iterator<Item = &'l mut Vec<u32>>, counts: &[u32]) {
    for (place, list) in lists.enumerate() {
        list.push(counts.get(place).copied().unwrap_or(Values::NO_COUNT));
    }
}

/// The rows of a chunk, to be reordered into samples.
///
/// They are preceded by an empty row and by the rows carried over from earlier chunks, since their
/// samples were incomplete.
#[derive(Debug)]
pub struct ChunkRows {
    packed: RowBatch,
    first_row: u32,
    /// Row numbers in the dataset of the carried rows, ascending.
    carried: Vec<u32>,
}

/// Index of the empty row.
const EMPTY_ROW: u32 = 0;

impl ChunkRows {
    /// Creates an empty list; its rows are numbered from `first_row`.
    pub fn new(schema: &Schema, kept: &Arc<KeptColumns>, first_row: u32) -> Self {
        let mut packed = RowBatch::new(schema, kept);
        packed.push_malformed();
        Self {
            packed,
            first_row,
            carried: Vec::new(),
        }
    }

    /// Returns the kept columns. Rows that follow must keep the same ones, since they share the
    /// lists.
    pub fn kept(&self) -> &Arc<KeptColumns> {
        &self.packed.kept
    }

    /// Adds the rows of a segment.
    pub fn add(&mut self, packed: &RowBatch) {
        self.packed.append(packed, 0..packed.len());
    }

    /// Begins the next chunk, whose rows are numbered from `first_row`. Keeps the rows that wait
    /// for others of their sample: `open`, or all.
    pub fn carry(&mut self, schema: &Schema, open: Option<&[u32]>, first_row: u32) {
        let Some(open) = open else {
            self.carried.extend(self.first_row..first_row);
            self.first_row = first_row;
            return;
        };
        let mut next = Self::new(schema, &self.packed.kept, first_row);
        for &row in open {
            let place = self.place(row) as usize;
            next.packed.append(&self.packed, place..place + 1);
            next.carried.push(row);
        }
        *self = next;
    }

    /// Returns the columns of the samples that the chunk completes.
    pub fn columns(&self, schema: &Schema, samples: &SampleList) -> ChunkColumns {
        let packed = &self.packed;
        let rows_of = |at: usize| -> Vec<u32> {
            let row = |rows: SampleRows<'_>| rows.iter().nth(at);
            samples
                .iter()
                .map(|rows| row(rows).map_or(EMPTY_ROW, |row| self.place(row)))
                .collect()
        };
        // At least two, so that comparisons of pairs find two lists.
        let most = samples
            .iter()
            .map(SampleRows::with_responses)
            .max()
            .unwrap_or(0);
        let places: Vec<_> = (0..most.max(2)).map(rows_of).collect();
        let firsts = &places[0];
        // Where each response is: at its index on a row of several, or on a row that it has alone.
        let lanes: Vec<(usize, &[u32])> = match schema.responses() {
            1 => places.iter().map(|rows| (0, &**rows)).collect(),
            several => {
                // For lists of any length, the maximum in the chunk.
                let most = packed.counts[RESPONSES].iter().copied().max().unwrap_or(0);
                let lanes = several.min(most.max(2) as usize);
                (0..lanes).map(|place| (place, &**firsts)).collect()
            }
        };
        let of_responses = |of: &dyn Fn(usize, &[u32]) -> Values| {
            let lists = lanes.iter().map(|(place, rows)| of(*place, rows));
            ColumnData::Numbers(lists.collect())
        };
        let mut columns = Vec::new();
        let KeptColumns { counted, labels } = &*packed.kept;
        for (place, &label) in labels.iter().enumerate() {
            let described = &schema.columns()[label];
            let low = described.range.map(|[low, _]| low);
            let values = of_responses(&|response, rows| {
                let list = &packed.numbers[response * labels.len() + place];
                Values::of_numbers(gather(list, rows), low)
            });
            columns.push((described.id, values));
        }
        columns.extend(omitted_columns(schema, &packed.kept));
        let of_rows = counted.of_responses.len();
        let counts = packed.counts[COUNTED..].split_at(packed.responses * of_rows);
        for (place, (column, _)) in counted.of_responses.iter().enumerate() {
            let values = of_responses(&|response, rows| {
                Values::of_counts(gather(&counts.0[response * of_rows + place], rows))
            });
            columns.push((*column, values));
        }
        for ((column, _), list) in counted.of_prompts.iter().zip(counts.1) {
            let values = Values::of_counts(gather(list, firsts));
            columns.push((*column, ColumnData::of_samples(values)));
        }
        let votes: Vec<_> = if packed.has_votes {
            samples.iter().map(|rows| self.votes_of(rows)).collect()
        } else {
            Vec::new()
        };
        if schema.states_verdicts() {
            let majority = |((votes, _), &first): (&(Vec<f64>, u32), &u32)| {
                let votes = votes.iter().copied().map(Vote::of_code);
                let responses = usize::from(self.responses(std::iter::once(first)));
                majority(votes, responses).map_or(Values::NO_COUNT, Verdict::code)
            };
            let values = Values::of_counts(if packed.is_by_annotator {
                votes.iter().zip(firsts).map(majority).collect()
            } else {
                gather(&packed.counts[VERDICT], firsts)
            });
            columns.push((ColumnId::VERDICT, ColumnData::of_samples(values)));
        }
        if schema.states_margins() {
            // Not stored as bytes: a fingerprint distinguishes zero from minus zero.
            let values = Values::Numbers(gather(&packed.numbers[packed.numbers.len() - 1], firsts));
            columns.push((ColumnId::MARGIN, ColumnData::of_samples(values)));
        }
        let facts = schema.columns().iter().skip(packed.labels);
        for (fact, list) in facts.zip(&packed.facts) {
            columns.push((fact.id, ColumnData::Words([list.gather(firsts)].into())));
        }
        columns.extend(packed.annotations(schema, &lanes));
        if packed.has_votes {
            columns.extend(vote_columns(&votes));
        }
        let of_sample = |sample: usize| places.iter().map(move |rows| rows[sample]);
        let is_flagged =
            |rows: SampleRows<'_>| self.is_flagged(rows.iter().map(|row| self.place(row)));
        // A row by an annotator has all responses.
        let with_responses = if packed.is_by_annotator {
            1
        } else {
            places.len()
        };
        ChunkColumns {
            later: LaterColumns::default(),
            responses: (0..samples.len())
                .map(|sample| self.responses(of_sample(sample).take(with_responses)))
                .collect(),
            is_composed: packed.is_composed,
            flagged: samples.iter().map(is_flagged).collect(),
            columns: columns.into(),
        }
    }

    /// Returns the number of responses of a sample, 0 for a malformed row.
    pub fn responses_of(&self, rows: SampleRows<'_>) -> usize {
        usize::from(self.responses(rows.iter().map(|row| self.place(row))))
    }

    /// Returns the votes in all rows of a sample and the number of exclusions.
    fn votes_of(&self, rows: SampleRows<'_>) -> (Vec<f64>, u32) {
        let [excluded, reversed] = [EXCLUDED, REVERSED].map(|list| &self.packed.counts[list]);
        let rows = rows.iter().map(|row| self.place(row) as usize);
        let mut first = None;
        let votes = rows.clone().flat_map(|row| {
            let order = if reversed[row] == *first.get_or_insert(reversed[row]) {
                ResponseOrder::OF_FILE
            } else {
                ResponseOrder::OF_FILE.reversed(2)
            };
            self.packed.lists[0][row]
                .iter()
                .map(move |code| Vote::of_code(*code).shown(order).code())
        });
        (votes.collect(), rows.map(|row| excluded[row]).sum())
    }

    /// Sums the responses of a sample's rows; 0 for a malformed row.
    fn responses(&self, rows: impl Iterator<Item = u32>) -> u16 {
        // The empty row has none.
        let counts = &self.packed.counts[RESPONSES];
        rows.map(|row| counts[row as usize] as u16).sum()
    }

    /// True if any row of the sample was read leniently, or their prompts differ.
    fn is_flagged(&self, rows: impl Iterator<Item = u32> + Clone) -> bool {
        let prompt = |row: u32| self.packed.prompts.get(row as usize);
        let mut prompts = rows.clone().filter(|row| *row != EMPTY_ROW).map(prompt);
        let first = prompts.next();
        prompts.any(|other| Some(other) != first)
            || rows
                .into_iter()
                .any(|row| self.packed.counts[FLAGGED][row as usize] > 0)
    }

    /// Returns the index in the lists of a row of the dataset.
    fn place(&self, row: u32) -> u32 {
        let carried = self.carried.len() as u32;
        match row.checked_sub(self.first_row) {
            Some(within) => within + carried + 1,
            None => {
                let place = self.carried.binary_search(&row);
                // A row that was not carried is malformed and waited for the end of a group.
                place.map_or(EMPTY_ROW, |place| place as u32 + 1)
            }
        }
    }
}

/// Returns a placeholder for each column that is not kept.
fn omitted_columns(
    schema: &Schema,
    kept: &KeptColumns,
) -> impl Iterator<Item = (ColumnId, ColumnData)> {
    let labels = schema
        .columns()
        .iter()
        .take(schema.labels().len())
        .enumerate();
    let labels = labels.filter(|(place, _)| !kept.labels.contains(place));
    let (all, kept) = (schema.counted(), &kept.counted);
    let counted = all.ids().filter(|id| kept.ids().all(|kept| kept != *id));
    labels
        .map(|(_, label)| label.id)
        .chain(counted)
        .map(|id| (id, ColumnData::UnusedSettings))
}

fn gather<T: Copy>(list: &[T], places: &[u32]) -> Box<[T]> {
    places.iter().map(|&place| list[place as usize]).collect()
}
