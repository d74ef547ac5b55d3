//! What rows say, packed in the order of rows as a scan meets them; and from there into the order
//! of samples.

use std::sync::Arc;

use super::chunk::{SampleList, SampleRows};
use super::columns::ChunkColumns;
use super::group::OpenRows;
use super::kept_columns::KeptColumns;
use super::words::WordList;
use crate::model::Verdict;
use crate::schema::{CapturedRow, RowStats, Schema};
use crate::table::{AnnotationColumn, ColumnData, ColumnId, ColumnSource, Values};

/// What consecutive rows say, one entry a row in each list; a malformed row says nothing in all of
/// them.
#[derive(Debug)]
pub(super) struct Packed {
    /// What is kept of them.
    kept: Arc<KeptColumns>,
    /// How many labels their schema has.
    labels: usize,
    /// How many responses each has; 0 of a malformed row.
    responses: Vec<u8>,
    /// Whether any text of any of them does not stand in its line as it is but for escapes.
    is_composed: bool,
    /// Whether anything of each was read leniently.
    flagged: Vec<bool>,
    /// Whether rows of one sample need not have the same prompt.
    has_prompts: bool,
    /// A hash of the prompt of each, where that is so.
    prompts: Vec<u64>,
    /// For each response on a row, for each label that is kept; NaN where there is no value.
    ratings: Vec<Vec<f64>>,
    /// For each response on a row, for each column that is counted of responses.
    of_responses: Vec<Vec<Vec<u32>>>,
    /// For each column that is counted of prompts.
    of_prompts: Vec<Vec<u32>>,
    verdicts: Vec<Option<Verdict>>,
    margins: Vec<f64>,
    facts: Vec<WordList>,
    /// For each response on a row, for each label that is a list of annotators' values.
    annotations: Vec<Vec<Box<[f64]>>>,
    /// By how much A wins for each annotator, and how many compare nothing, where the schema has
    /// such a list.
    votes: Option<Vec<(Box<[f64]>, u32)>>,
}

impl Packed {
    /// Lists for rows of a schema, of which this is kept; still empty.
    pub(super) fn new(schema: &Schema, kept: &Arc<KeptColumns>) -> Self {
        let (responses, counted) = (schema.responses(), &kept.counted);
        Self {
            kept: Arc::clone(kept),
            labels: schema.labels().len(),
            responses: Vec::new(),
            is_composed: false,
            flagged: Vec::new(),
            prompts: Vec::new(),
            verdicts: Vec::new(),
            margins: Vec::new(),
            has_prompts: schema.groups_by_key(),
            ratings: vec![Vec::new(); responses * kept.labels.len()],
            of_responses: vec![vec![Vec::new(); counted.of_responses.len()]; responses],
            of_prompts: vec![Vec::new(); counted.of_prompts.len()],
            facts: vec![WordList::default(); schema.definition().facts.len()],
            annotations: vec![Vec::new(); responses * list_labels(schema).count()],
            votes: (!schema.definition().votes.is_empty()).then(Vec::new),
        }
    }

    /// Makes room for so many more rows, but for their words.
    pub(super) fn reserve(&mut self, rows: usize) {
        fn all<T>(lists: &mut [Vec<T>], rows: usize) {
            lists.iter_mut().for_each(|list| list.reserve(rows));
        }
        self.responses.reserve(rows);
        self.flagged.reserve(rows);
        if self.has_prompts {
            self.prompts.reserve(rows);
        }
        all(&mut self.ratings, rows);
        (self.of_responses.iter_mut()).for_each(|lists| all(lists, rows));
        all(&mut self.of_prompts, rows);
        self.verdicts.reserve(rows);
        self.margins.reserve(rows);
        all(&mut self.annotations, rows);
        if let Some(votes) = &mut self.votes {
            votes.reserve(rows);
        }
    }

    /// Adds a row whose digest was just filled in.
    pub(super) fn push(&mut self, row: &CapturedRow<'_, '_>, digest: &RowStats) {
        self.responses.push(row.response_count() as u8);
        self.is_composed |= digest.is_composed;
        self.push_numbers(digest);
        if self.has_prompts {
            self.prompts.push(row.prompt_hash());
        }
        row.each_fact(&mut |place, word| self.facts[place].push(word));
    }

    /// Adds a malformed row.
    pub(super) fn push_nothing(&mut self) {
        self.responses.push(0);
        if self.has_prompts {
            self.prompts.push(0);
        }
        self.push_numbers(&RowStats::default());
        self.facts.iter_mut().for_each(|list| list.push(None));
    }

    fn push_numbers(&mut self, digest: &RowStats) {
        self.push_ratings(&digest.ratings);
        for (place, lists) in self.of_responses.iter_mut().enumerate() {
            push_counts(
                lists,
                digest.of_responses.get(place).map_or(&[], |counts| counts),
            );
        }
        push_counts(&mut self.of_prompts, &digest.of_prompt);
        for (place, lists) in self.annotations.iter_mut().enumerate() {
            let list = digest.annotations.get(place).map_or(&[][..], Vec::as_slice);
            lists.push(list.into());
        }
        if let Some(votes) = &mut self.votes {
            votes.push((digest.votes.as_slice().into(), digest.excluded_votes));
        }
        self.flagged.push(digest.has_warning);
        self.verdicts.push(digest.verdict);
        self.margins.push(digest.margin);
    }

    /// Adds a row's ratings, response by response; of a malformed row there are none.
    fn push_ratings(&mut self, ratings: &[f64]) {
        let kept = &self.kept.labels;
        if kept.is_empty() {
            return;
        }
        let mut of_responses = ratings.chunks_exact(self.labels.max(1));
        for lists in self.ratings.chunks_exact_mut(kept.len()) {
            let of_response = of_responses.next().unwrap_or_default();
            for (list, &label) in lists.iter_mut().zip(kept) {
                list.push(of_response.get(label).copied().unwrap_or(f64::NAN));
            }
        }
    }

    /// Adds the rows of another one of the same schema.
    pub(super) fn append(&mut self, other: &Self) {
        fn all<T: Clone>(lists: &mut [Vec<T>], others: &[Vec<T>]) {
            lists
                .iter_mut()
                .zip(others)
                .for_each(|(list, other)| list.extend_from_slice(other));
        }
        self.responses.extend_from_slice(&other.responses);
        self.is_composed |= other.is_composed;
        self.flagged.extend_from_slice(&other.flagged);
        self.prompts.extend_from_slice(&other.prompts);
        all(&mut self.ratings, &other.ratings);
        for (lists, others) in self.of_responses.iter_mut().zip(&other.of_responses) {
            all(lists, others);
        }
        all(&mut self.of_prompts, &other.of_prompts);
        self.verdicts.extend_from_slice(&other.verdicts);
        self.margins.extend_from_slice(&other.margins);
        all(&mut self.annotations, &other.annotations);
        if let (Some(votes), Some(others)) = (&mut self.votes, &other.votes) {
            votes.extend_from_slice(others);
        }
        self.facts
            .iter_mut()
            .zip(&other.facts)
            .for_each(|(list, other)| list.append(other));
    }

    /// One of its rows alone.
    fn only(&self, row: usize) -> Self {
        fn each<T: Clone>(lists: &[Vec<T>], row: usize) -> Vec<Vec<T>> {
            lists.iter().map(|list| vec![list[row].clone()]).collect()
        }
        Self {
            kept: Arc::clone(&self.kept),
            labels: self.labels,
            responses: vec![self.responses[row]],
            is_composed: self.is_composed,
            flagged: vec![self.flagged[row]],
            has_prompts: self.has_prompts,
            prompts: self.prompts.get(row).copied().into_iter().collect(),
            ratings: each(&self.ratings, row),
            of_responses: (self.of_responses.iter())
                .map(|lists| each(lists, row))
                .collect(),
            of_prompts: each(&self.of_prompts, row),
            verdicts: vec![self.verdicts[row]],
            margins: vec![self.margins[row]],
            facts: self.facts.iter().map(|list| list.only(row)).collect(),
            annotations: each(&self.annotations, row),
            votes: (self.votes.as_ref()).map(|votes| vec![votes[row].clone()]),
        }
    }
}

/// The labels that are lists of annotators' values, by their places in the schema.
fn list_labels(schema: &Schema) -> impl Iterator<Item = usize> {
    let labels = schema.labels().iter().enumerate();
    let lists = labels.filter(|(_, label)| label.is_list());
    lists.map(|(place, _)| place)
}

/// Adds a row's counts; of a malformed row there are none.
fn push_counts(lists: &mut [Vec<u32>], counts: &[u32]) {
    for (place, list) in lists.iter_mut().enumerate() {
        list.push(counts.get(place).copied().unwrap_or(Values::NO_COUNT));
    }
}

/// The rows that still wait for others of their sample when a chunk ends, for the chunk that
/// completes it.
#[derive(Debug)]
pub(super) struct Carried {
    /// Their numbers in the dataset, ascending.
    rows: Vec<u32>,
    /// What they say, behind a row that says nothing.
    packed: Packed,
}

impl Carried {
    /// None at all, of rows of which this is kept.
    pub(super) fn none(schema: &Schema, kept: &Arc<KeptColumns>) -> Self {
        let mut packed = Packed::new(schema, kept);
        packed.push_nothing();
        let rows = Vec::new();
        Self { rows, packed }
    }

    /// What is kept of rows: of those that follow the same, since their lists go on.
    pub(super) fn kept(&self) -> &Arc<KeptColumns> {
        &self.packed.kept
    }
}

/// The rows of a chunk, ready to be put into the order of its samples.
///
/// Before them stand one that says nothing, and those that were carried over.
#[derive(Debug)]
pub(super) struct ChunkRows {
    packed: Packed,
    first_row: u32,
    /// Numbers in the dataset of the carried rows, ascending.
    carried: Vec<u32>,
}

/// The row that says nothing.
const NOTHING: u32 = 0;

impl ChunkRows {
    /// Rows that are counted on from `first_row` of the dataset, still none of them, with room for
    /// so many.
    pub(super) fn new(first_row: u32, carried: Carried, room: usize) -> Self {
        let mut packed = carried.packed;
        packed.reserve(room);
        Self {
            packed,
            first_row,
            carried: carried.rows,
        }
    }

    /// Adds the rows of a stretch.
    pub(super) fn add(&mut self, packed: &Packed) {
        self.packed.append(packed);
    }

    /// What is to be carried over to the next chunk: the rows that still wait for others of their
    /// sample.
    pub(super) fn carry(self, schema: &Schema, open: OpenRows<'_>) -> Carried {
        match open {
            OpenRows::Some(open) => {
                let mut carried = Carried::none(schema, &self.packed.kept);
                for &row in open {
                    let place = self.place(row) as usize;
                    carried.packed.append(&self.packed.only(place));
                    carried.rows.push(row);
                }
                carried
            }
            OpenRows::All => {
                let mut rows = self.carried;
                let more = self.packed.responses.len() - 1 - rows.len();
                rows.extend((self.first_row..).take(more));
                let packed = self.packed;
                Carried { rows, packed }
            }
        }
    }

    /// The columns of samples that the chunk completes.
    pub(super) fn columns(&self, schema: &Schema, samples: &SampleList) -> ChunkColumns {
        let packed = &self.packed;
        let rows_of = |at: usize| -> Vec<u32> {
            let row = |rows: SampleRows<'_>| rows.iter().nth(at);
            samples
                .iter()
                .map(|rows| row(rows).map_or(NOTHING, |row| self.place(row)))
                .collect()
        };
        // A pair at least, so that comparisons run over two.
        let most = samples.iter().map(SampleRows::count).max().unwrap_or(0);
        let places: Vec<_> = (0..most.max(2)).map(rows_of).collect();
        let firsts = &places[0];
        // Where each response stands: by its place on a row with several, or alone on one of the
        // sample's rows.
        let lanes: Vec<(usize, &[u32])> = match schema.responses() {
            1 => places.iter().map(|rows| (0, &**rows)).collect(),
            several => {
                // Of a list of any length as many as there are in the chunk.
                let most = packed.responses.iter().copied().max().unwrap_or(0);
                let lanes = several.min(usize::from(most.max(2)));
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
                let list = &packed.ratings[response * labels.len() + place];
                Values::of_numbers(gather(list, rows), low)
            });
            columns.push((described.id, values));
        }
        columns.extend(left_out(schema, &packed.kept));
        for (place, (column, _)) in counted.of_responses.iter().enumerate() {
            let values = of_responses(&|response, rows| {
                Values::of_counts(gather(&packed.of_responses[response][place], rows))
            });
            columns.push((*column, values));
        }
        for ((column, _), list) in counted.of_prompts.iter().zip(&packed.of_prompts) {
            let values = Values::of_counts(gather(list, firsts));
            columns.push((*column, ColumnData::of_samples(values)));
        }
        if schema.states_verdicts() {
            let values = self.verdicts(firsts);
            columns.push((ColumnId::VERDICT, ColumnData::of_samples(values)));
        }
        if schema.states_margins() {
            // Not in bytes: a fingerprint tells zero from minus zero.
            let values = Values::Numbers(gather(&packed.margins, firsts));
            columns.push((ColumnId::MARGIN, ColumnData::of_samples(values)));
        }
        let facts = schema.columns().iter().skip(packed.labels);
        for (fact, list) in facts.zip(&packed.facts) {
            columns.push((fact.id, ColumnData::Words(list.gather(firsts))));
        }
        let count = list_labels(schema).count();
        for (place, label) in list_labels(schema).enumerate() {
            let of_lane = |(response, rows): &(usize, &[u32])| {
                let lists = &packed.annotations[response * count + place];
                AnnotationColumn::of_lists(rows.iter().map(|&row| &*lists[row as usize]))
            };
            let id = ColumnId::of(ColumnSource::Annotations, &schema.labels()[label].name);
            columns.push((
                id,
                ColumnData::Annotations(lanes.iter().map(of_lane).collect()),
            ));
        }
        if let Some(votes) = &packed.votes {
            let of_samples = || firsts.iter().map(|&row| &votes[row as usize]);
            let lists = AnnotationColumn::of_lists(of_samples().map(|(list, _)| &**list));
            columns.push((ColumnId::VOTES, ColumnData::Annotations([lists].into())));
            let excluded = Values::of_counts(of_samples().map(|(_, count)| *count).collect());
            columns.push((ColumnId::EXCLUDED_VOTES, ColumnData::of_samples(excluded)));
        }
        let of_sample = |sample: usize| places.iter().map(move |rows| rows[sample]);
        ChunkColumns {
            responses: (0..samples.len())
                .map(|sample| self.responses(of_sample(sample)))
                .collect(),
            is_composed: packed.is_composed,
            flagged: (0..samples.len())
                .map(|sample| self.is_flagged(of_sample(sample)))
                .collect(),
            columns: ChunkColumns::slots(columns),
        }
    }

    /// The best responses: [`Verdict::code`].
    fn verdicts(&self, rows: &[u32]) -> Values {
        let code = |verdict: Verdict| verdict.code();
        let code = |&row: &u32| self.packed.verdicts[row as usize].map_or(Values::NO_COUNT, code);
        Values::of_counts(rows.iter().map(code).collect())
    }

    /// How many responses a sample of these rows has; 0 of a malformed row.
    fn responses(&self, rows: impl Iterator<Item = u32>) -> u8 {
        // The row that says nothing has none.
        rows.map(|row| self.packed.responses[row as usize]).sum()
    }

    /// Whether anything of a sample's rows was read leniently, or their prompts differ.
    fn is_flagged(&self, rows: impl Iterator<Item = u32> + Clone) -> bool {
        let prompt = |row: u32| self.packed.prompts.get(row as usize);
        let mut prompts = rows.clone().filter(|row| *row != NOTHING).map(prompt);
        let first = prompts.next();
        prompts.any(|other| Some(other) != first)
            || rows
                .into_iter()
                .any(|row| self.packed.flagged[row as usize])
    }

    /// Where a row of the dataset stands in the lists.
    fn place(&self, row: u32) -> u32 {
        let carried = self.carried.len() as u32;
        match row.checked_sub(self.first_row) {
            Some(within) => within + carried + 1,
            None => {
                let place = self.carried.binary_search(&row);
                // One that was not carried is malformed, and waited for the end of a group.
                place.map_or(NOTHING, |place| place as u32 + 1)
            }
        }
    }
}

/// What is not kept of rows of a schema.
fn left_out(schema: &Schema, kept: &KeptColumns) -> impl Iterator<Item = (ColumnId, ColumnData)> {
    let labels = schema.columns().iter().take(schema.labels().len());
    let labels = labels.enumerate();
    let labels = labels.filter(|(place, _)| !kept.labels.contains(place));
    let (all, kept) = (schema.counted(), &kept.counted);
    let counted = all.ids().filter(|id| kept.ids().all(|kept| kept != *id));
    let ids = labels.map(|(_, label)| label.id).chain(counted);
    ids.map(|id| (id, ColumnData::LeftOut))
}

fn gather<T: Copy>(list: &[T], places: &[u32]) -> Box<[T]> {
    places.iter().map(|&place| list[place as usize]).collect()
}
