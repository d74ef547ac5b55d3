//! Compares two versions of a dataset: samples that only one has, and changed values of those that
//! both have.
//!
//! Samples are identified by content ([`SampleKey`]), not by position; duplicates are paired as
//! often as both have them. Memory: 24 bytes a sample, twice that while they are collected, and
//! some 300 bytes for each sample whose responses are in another order. Texts are read in pieces.
//! Details that only rows contain (`details`) are read if a hash of the rows differs, which takes 8
//! more bytes a sample.

use std::collections::{BTreeMap, BTreeSet};

use details::{ComparedDetails, SampleDetails};

use crate::dataset::{Buffers, Dataset, SampleBody, SampleKey};
use crate::model::{ResponseId, Verdict};
use crate::parallel::in_parallel;
use crate::query::OrderedNumber;
use crate::schema::VerdictRule;
use crate::table::{ColumnId, ColumnSource, Values};
use crate::text::named_enum;

mod details;

/// Samples whose keys one thread computes at a time.
const PIECE: usize = 1 << 12;
/// Samples whose rows one thread reads at a time.
const READ: usize = 1 << 8;
/// Number of distinct pairs of values above which a matrix is too large to be useful.
const MAX_CELLS: usize = 400;

/// The difference between two datasets. Samples are numbered from 0; pairs are in the order of the
/// first dataset.
#[derive(Debug)]
pub struct Difference<'d> {
    sides: [LabelledSide<'d>; 2],
    /// Number of samples that are equal in both.
    pub unchanged: usize,
    /// Samples in both with another label, winner or margin, in any order of the responses.
    pub relabelled: Vec<[u32; 2]>,
    /// Samples in both that differ only in the order of the responses.
    pub reordered: Vec<[u32; 2]>,
    /// Samples in both with equal labels, winners and margins, but different details: annotators'
    /// values, facts, quotes, rationales.
    pub detailed: Vec<[u32; 2]>,
    /// Samples with the same prompt and other responses.
    pub edited: Vec<[u32; 2]>,
    /// Samples only in the first dataset.
    pub removed: Vec<u32>,
    /// Samples only in the second dataset.
    pub added: Vec<u32>,
    /// Values in both, for samples in both: each label of the responses, the winner (by the letters
    /// of the first dataset), and the stated margin.
    pub matrices: Vec<ValueMatrix>,
    /// Labels that only one dataset has.
    pub labels_of_one: [Vec<String>; 2],
    /// The dataset that alone has winners, 0 or 1, if only one has.
    pub verdicts_of_one: Option<usize>,
    /// For samples with reordered responses: the index in the second dataset of each response of
    /// the first.
    orders: BTreeMap<[u32; 2], MatchedPlaces>,
    /// Details that are compared.
    details: ComparedDetails,
    /// Samples in both that are equal as far as compared but have different rows.
    suspects: Vec<[u32; 2]>,
}

named_enum! {
    /// A kind of value that can differ in a sample.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum PartKind {
        /// A label.
        Label "label",
        /// The winner, by the letters of the first dataset.
        Verdict "verdict",
        /// The stated margin.
        Margin "margin",
        /// Annotators' values of a label of a response.
        Annotators "annotators",
        /// Annotators' votes: the margin of A, negative if B wins.
        Votes "votes",
        /// A fact, of a response if its rows differ.
        Fact "fact",
        /// Passages that a response can cite.
        Quotes "quotes",
        /// A rationale with this name.
        Rationale "rationale",
    }
}

/// A value of a sample or of one of its responses, by the letters of the first dataset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SamplePart {
    /// Its kind.
    pub kind: PartKind,
    /// Its name; empty if the kind has only one.
    pub name: String,
    /// The response, if it is of one.
    pub response: Option<ResponseId>,
}

/// A value to compare.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatedValue {
    /// A label or a margin.
    Number(OrderedNumber),
    /// The winner.
    Verdict(Verdict),
    /// Anything else.
    Text(String),
}

/// How often each pair of old and new values occurs; `None` is a missing value.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueMatrix {
    /// Their kind: label, verdict or margin.
    pub kind: PartKind,
    /// The name of the label.
    pub name: String,
    /// Number of values.
    pub all: usize,
    /// Number of values that changed.
    pub changed: usize,
    /// Nonzero cells; empty if there are too many.
    cells: BTreeMap<[Option<StatedValue>; 2], usize>,
    is_too_large: bool,
}

/// A difference between two datasets in a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleChange {
    /// The changed part.
    pub part: SamplePart,
    /// Its response, in the order of the second dataset.
    pub now: Option<ResponseId>,
    /// The old and the new value.
    pub values: [Option<StatedValue>; 2],
}

fn number(value: Option<OrderedNumber>) -> Option<StatedValue> {
    value.map(StatedValue::Number)
}

fn verdict(value: Option<Verdict>) -> Option<StatedValue> {
    value.map(StatedValue::Verdict)
}

impl ValueMatrix {
    fn new(kind: PartKind, name: String) -> Self {
        Self {
            kind,
            name,
            all: 0,
            changed: 0,
            cells: BTreeMap::new(),
            is_too_large: false,
        }
    }

    fn add(&mut self, values: [Option<StatedValue>; 2]) {
        self.all += 1;
        self.changed += usize::from(values[0] != values[1]);
        if !self.is_too_large {
            *self.cells.entry(values).or_default() += 1;
            if self.cells.len() > MAX_CELLS {
                self.is_too_large = true;
                self.cells.clear();
            }
        }
    }

    /// Iterates over its cells: the old and the new value, and how often the pair occurs. Sorted by
    /// value, missing ones first. Empty for scores with very many values.
    pub fn cells(&self) -> impl Iterator<Item = (&[Option<StatedValue>; 2], usize)> {
        self.cells.iter().map(|(values, count)| (values, *count))
    }

    /// True if it has too many distinct values to be useful.
    pub const fn is_too_large(&self) -> bool {
        self.is_too_large
    }
}

/// The values of a sample that both datasets have; `None` is a missing value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SampleValues {
    verdict: Option<Verdict>,
    /// The margin of the winner, whichever it is.
    margin: Option<OrderedNumber>,
    /// For each response, the labels that both have.
    labels: Vec<ResponseValues>,
}

type ResponseValues = Vec<Option<OrderedNumber>>;

impl SampleValues {
    /// Reorders the responses: `places` has the index of each.
    fn in_order(&self, places: &[usize]) -> Self {
        let place = |best: ResponseId| places.iter().position(|place| *place == best.index());
        let verdict = self.verdict.map(|verdict| {
            let renamed = verdict.renamed(|best| place(best).and_then(ResponseId::new));
            renamed.unwrap_or(verdict)
        });
        let labels = places.iter().filter_map(|place| self.labels.get(*place));
        Self {
            verdict,
            margin: self.margin,
            labels: labels.cloned().collect(),
        }
    }
}

/// A dataset, and the labels that both have.
#[derive(Debug)]
struct LabelledSide<'d> {
    dataset: &'d Dataset,
    labels: Vec<ColumnId>,
    /// Whether verdicts and margins are compared, since both datasets have them.
    compares: [bool; 2],
    /// Hash of each sample's rows; empty if no details are compared.
    rows: Vec<u64>,
}

impl LabelledSide<'_> {
    fn new<'d>(dataset: &'d Dataset, labels: &[String], compares: [bool; 2]) -> LabelledSide<'d> {
        let label = |name: &String| ColumnId::of(ColumnSource::Label, name);
        LabelledSide {
            dataset,
            labels: labels.iter().map(label).collect(),
            compares,
            rows: Vec::new(),
        }
    }

    fn values(&self, sample: u32) -> SampleValues {
        let [verdicts, margins] = self.compares;
        let mut values = SampleValues::default();
        let Some((chunk, within)) = self.dataset.chunk_of(sample as usize) else {
            return values;
        };
        let columns = chunk.columns();
        if let Some(file) = (self.dataset.files().get(chunk.file())).filter(|_| verdicts) {
            values.verdict = chunk.verdict(within, &file.schema);
        }
        if margins {
            let margin = columns
                .of_samples(ColumnId::MARGIN)
                .and_then(|list| list.get(within));
            values.margin = margin.map(|margin| OrderedNumber::of(margin.abs()));
        }
        let label = |label: ColumnId, response: usize| {
            let lists = columns.numbers(label)?;
            lists.get(response)?.get(within).map(OrderedNumber::of)
        };
        let labels = self.labels.iter();
        values.labels = (0..chunk.responses_of(within))
            .map(|response| labels.clone().map(|of| label(*of, response)).collect())
            .collect();
        values
    }

    /// Returns the keys of all samples with the side and their numbers, and if requested a hash of
    /// each sample's rows.
    fn keys(&self, side: u8, with_rows: bool) -> (Vec<SidedSample<SampleKey>>, Vec<u64>) {
        let starts: Vec<_> = (0..self.dataset.samples()).step_by(PIECE).collect();
        let pieces = in_parallel(&starts, |&start| {
            let piece = start..start + PIECE;
            let (keys, rows) = if with_rows {
                self.dataset.keys_and_rows(piece)
            } else {
                (self.dataset.keys(piece, &|| true), Vec::new())
            };
            let numbers = (start..).map(|number| u32::try_from(number).unwrap_or(u32::MAX));
            let keys = keys
                .into_iter()
                .zip(numbers)
                .filter_map(|(key, number)| Some((key?, side, number)));
            (keys.collect::<Vec<_>>(), rows)
        });
        let (mut all_keys, mut all_rows) = (Vec::new(), Vec::new());
        for (keys, rows) in pieces {
            all_keys.extend(keys);
            all_rows.extend(rows);
        }
        (all_keys, all_rows)
    }

    fn rows_of(&self, sample: u32) -> Option<u64> {
        self.rows.get(sample as usize).copied()
    }
}

impl<'d> Difference<'d> {
    /// Compares two datasets. Unreadable rows are skipped; [`Dataset::check_unchanged`] reports
    /// them.
    pub fn of(old: &'d Dataset, new: &'d Dataset) -> Self {
        let names = [old, new].map(label_names);
        let of_one = |own: usize| -> Vec<String> {
            let own_names = names[own].iter();
            let alone = own_names.filter(|name| !names[1 - own].contains(name));
            alone.cloned().collect()
        };
        let labels_of_one = [of_one(0), of_one(1)];
        let in_both = |name: &&String| names[1].contains(name);
        let both: Vec<String> = names[0].iter().filter(in_both).cloned().collect();
        let says_winner = [old, new].map(says_who_wins);
        let verdicts = says_winner == [true; 2];
        let margins = [old, new].iter().all(|dataset| states_margins(dataset));
        let sides = [old, new].map(|it| LabelledSide::new(it, &both, [verdicts, margins]));
        let labels = both.into_iter().map(|name| (true, PartKind::Label, name));
        let others = [
            (verdicts, PartKind::Verdict, String::new()),
            (margins, PartKind::Margin, String::new()),
        ];
        let compared = labels
            .chain(others)
            .filter(|(is_compared, ..)| *is_compared);
        let mut difference = Self {
            matrices: compared
                .map(|(_, kind, name)| ValueMatrix::new(kind, name))
                .collect(),
            sides,
            unchanged: 0,
            relabelled: Vec::new(),
            detailed: Vec::new(),
            edited: Vec::new(),
            details: ComparedDetails::of([old, new]),
            suspects: Vec::new(),
            reordered: Vec::new(),
            removed: Vec::new(),
            added: Vec::new(),
            orders: BTreeMap::new(),
            labels_of_one,
            verdicts_of_one: (says_winner[0] != says_winner[1])
                .then_some(usize::from(says_winner[1])),
        };
        difference.match_by_key();
        difference.match_by_prompt();
        difference.compare_details();
        difference.relabelled.sort_unstable();
        difference.edited.sort_unstable();
        difference.reordered.sort_unstable();
        difference
    }

    /// Returns the two datasets.
    pub fn datasets(&self) -> [&'d Dataset; 2] {
        [self.sides[0].dataset, self.sides[1].dataset]
    }

    /// True if both have the same samples with equal labels, winners, margins and details.
    pub fn is_none(&self) -> bool {
        let lists = [
            &self.relabelled,
            &self.reordered,
            &self.edited,
            &self.detailed,
        ];
        lists.iter().all(|list| list.is_empty())
            && self.removed.is_empty()
            && self.added.is_empty()
            && self.labels_of_one.iter().all(Vec::is_empty)
            && self.verdicts_of_one.is_none()
    }

    /// Returns the names, without duplicates, of what is not compared because only one dataset has
    /// it: facts, the margin, annotators' values, quotes and rationales.
    pub fn not_compared(&self) -> Vec<String> {
        let mut names = self.details.of_one();
        let states = |dataset: &&Dataset| states_margins(dataset);
        if !self.sides[0].compares[1] && self.datasets().iter().any(states) {
            names.push("margin".to_owned());
        }
        names
    }

    /// Returns the values of a sample in both, with its responses in the order of the first.
    fn values(&self, pair: [u32; 2]) -> [SampleValues; 2] {
        let [old, new] = [0, 1].map(|side| self.sides[side].values(pair[side]));
        match self.orders.get(&pair) {
            Some(order) => [old, new.in_order(order)],
            None => [old, new],
        }
    }

    /// True if the second dataset has the responses of a sample in another order.
    pub fn is_reordered(&self, pair: [u32; 2]) -> bool {
        self.orders.contains_key(&pair)
    }

    /// Returns the differences in a sample, the winner and the margin last.
    pub fn changes(&self, pair: [u32; 2]) -> Vec<SampleChange> {
        let [before, now] = self.values(pair);
        let order = self.orders.get(&pair);
        let change = |kind, name: &str, [response, now]: [Option<ResponseId>; 2], values| {
            let part = details::part(kind, name, response);
            SampleChange { part, now, values }
        };
        let mut changes = Vec::new();
        for (place, (before, now)) in before.labels.iter().zip(&now.labels).enumerate() {
            let new = order.map_or(Some(&place), |order| order.get(place));
            let ids = [Some(place), new.copied()].map(|place| place.and_then(ResponseId::new));
            let labels = self.matrices.iter().zip(before.iter().zip(now));
            let changed = labels.filter(|(_, (before, now))| before != now);
            changes.extend(changed.map(|(label, (before, now))| {
                change(label.kind, &label.name, ids, [*before, *now].map(number))
            }));
        }
        if before.verdict != now.verdict {
            let values = [before.verdict, now.verdict].map(verdict);
            changes.push(change(PartKind::Verdict, "", [None; 2], values));
        }
        if before.margin != now.margin {
            let values = [before.margin, now.margin].map(number);
            changes.push(change(PartKind::Margin, "", [None; 2], values));
        }
        let details = self.changed_details(pair, &mut [(); 2].map(|()| Buffers::with_fields()));
        changes.extend(details.map(|(part, values)| SampleChange {
            now: part.response,
            part,
            values: values.map(|value| value.map(StatedValue::Text)),
        }));
        changes
    }

    /// Reads two samples and returns the indexes of the responses whose texts differ or that only
    /// one has; none if rows cannot be read.
    pub fn edited_responses(&self, pair: [u32; 2]) -> Vec<ResponseId> {
        let texts = |side: usize| -> Vec<String> {
            let mut buffers = Buffers::default();
            let loaded = self.sides[side]
                .dataset
                .read(pair[side] as usize, &mut buffers);
            match loaded.map(|loaded| loaded.body) {
                Some(SampleBody::Sample(sample)) => {
                    let responses = sample.responses.into_iter();
                    responses
                        .map(|response| response.text.into_owned())
                        .collect()
                }
                _ => Vec::new(),
            }
        };
        let [old, new] = [0, 1].map(texts);
        if old.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let differs = |id: &ResponseId| old.get(id.index()) != new.get(id.index());
        ResponseId::first(old.len().max(new.len()))
            .filter(differs)
            .collect()
    }

    /// Pairs samples with equal keys and keeps the rest.
    fn match_by_key(&mut self) {
        let with_rows = self.details.any();
        let [old, new] = [0, 1].map(|side| self.sides[side].keys(side as u8, with_rows));
        let mut keys = old.0;
        keys.extend(new.0);
        keys.sort_unstable();
        [self.sides[0].rows, self.sides[1].rows] = [old.1, new.1];
        for same in keys.chunk_by(|one, other| one.0 == other.0) {
            match by_side(same) {
                ([(.., old)], [(.., new)]) => self.take([*old, *new]),
                (old, []) => self.removed.extend(old.iter().map(|it| it.2)),
                ([], new) => self.added.extend(new.iter().map(|it| it.2)),
                _ => self.take_several(same),
            }
        }
        self.removed.sort_unstable();
        self.added.sort_unstable();
    }

    /// Pairs several samples of one key: first those with equal rows, then those with equal values,
    /// then the rest in order.
    fn take_several(&mut self, same: &[SidedSample<SampleKey>]) {
        let side = |side: u8| &self.sides[usize::from(side)];
        let rows = same
            .iter()
            .map(|&(_, of, at)| (side(of).rows_of(at), of, at));
        let (mut pairs, mut left) = (Vec::new(), rows.collect::<Vec<_>>());
        if self.details.any() {
            (pairs, left) = paired(left);
        }
        let values = left
            .into_iter()
            .map(|(_, of, at)| (side(of).values(at), of, at));
        let (same_values, left) = paired(values.collect());
        let left = left.into_iter().map(|(_, of, at)| ((), of, at));
        let (others, left) = paired(left.collect());
        for (_, of, at) in left {
            [&mut self.removed, &mut self.added][usize::from(of)].push(at);
        }
        pairs.extend(same_values);
        pairs.extend(others);
        pairs.into_iter().for_each(|pair| self.take(pair));
    }

    /// Records a sample in both.
    fn take(&mut self, pair: [u32; 2]) {
        let [old, new] = self.values(pair);
        match old == new {
            true if self.has_other_rows(pair) => self.suspects.push(pair),
            true => self.take_same(pair),
            false => self.relabelled.push(pair),
        }
        for (at, matrix) in self.matrices.iter_mut().enumerate() {
            match matrix.kind {
                PartKind::Verdict => matrix.add([old.verdict, new.verdict].map(verdict)),
                PartKind::Margin => matrix.add([old.margin, new.margin].map(number)),
                _ => {
                    let labels = old.labels.iter().zip(&new.labels);
                    labels.for_each(|(old, new)| matrix.add([old[at], new[at]].map(number)));
                }
            }
        }
    }

    /// Records a sample with equal values in both.
    fn take_same(&mut self, pair: [u32; 2]) {
        if self.is_reordered(pair) {
            self.reordered.push(pair);
        } else {
            self.unchanged += 1;
        }
    }

    /// True if details are compared and the rows differ.
    fn has_other_rows(&self, pair: [u32; 2]) -> bool {
        let [old, new] = [0, 1].map(|side| self.sides[side].rows_of(pair[side]));
        self.details.any() && old != new
    }

    /// Reads the rows that differ although all values are equal.
    fn compare_details(&mut self) {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_unstable();
        let pieces: Vec<_> = suspects.chunks(READ).collect();
        let changed: Vec<_> = in_parallel(&pieces, |piece| {
            let mut buffers = [(); 2].map(|()| Buffers::with_fields());
            let changed = piece.iter().map(|pair| {
                let mut details = self.changed_details(*pair, &mut buffers);
                details.next().is_some()
            });
            changed.collect::<Vec<_>>()
        })
        .concat();
        for (pair, changed) in suspects.into_iter().zip(changed) {
            if changed {
                self.detailed.push(pair);
            } else {
                self.take_same(pair);
            }
        }
    }

    /// Returns the details that differ in a sample; none if rows cannot be read.
    fn changed_details(
        &self,
        pair: [u32; 2],
        buffers: &mut [Buffers; 2],
    ) -> impl Iterator<Item = (SamplePart, [Option<String>; 2])> + use<> {
        let read = |side: usize, buffers: &mut Buffers| -> Option<SampleDetails> {
            let dataset = self.sides[side].dataset;
            let order = self.orders.get(&pair).filter(|_| side == 1);
            let loaded = dataset.read(pair[side] as usize, buffers)?;
            self.details.of_sample(&loaded, order.map(|order| &**order))
        };
        let [of_old, of_new] = buffers;
        let is_needed = self.has_other_rows(pair);
        let both = is_needed.then(|| read(0, of_old).zip(read(1, of_new)));
        let (old, new) = both.flatten().unwrap_or_default();
        details::changes(old, new)
    }

    /// Pairs the rest by prompt, first those whose responses only changed order.
    fn match_by_prompt(&mut self) {
        if self.removed.is_empty() || self.added.is_empty() {
            return;
        }
        let parts = |side: u8, numbers: &[u32]| {
            let parts = self.sides[usize::from(side)]
                .dataset
                .parts(numbers)
                .into_iter();
            parts.map(move |(mut parts, at)| {
                parts.responses.sort_unstable();
                (parts, side, at)
            })
        };
        let parts = parts(0, &self.removed).chain(parts(1, &self.added));
        let (reordered, others) = paired(parts.collect());
        let others = others
            .into_iter()
            .map(|(parts, of, at)| (parts.prompt, of, at));
        let (edited, _) = paired(others.collect());
        // Malformed rows have no parts and cannot be edited.
        let [old, new] = [0, 1].map(|side| -> BTreeSet<u32> {
            let pairs = reordered.iter().chain(&edited);
            pairs.map(|pair| pair[side]).collect()
        });
        self.removed.retain(|at| !old.contains(at));
        self.added.retain(|at| !new.contains(at));
        self.edited = edited;
        self.take_reordered(reordered);
    }

    /// Records samples whose responses are in another order, response by response.
    fn take_reordered(&mut self, pairs: Vec<[u32; 2]>) {
        let keys = |side: usize| -> BTreeMap<u32, Vec<u128>> {
            let mut numbers: Vec<u32> = pairs.iter().map(|pair| pair[side]).collect();
            numbers.sort_unstable();
            let parts = self.sides[side].dataset.parts(&numbers).into_iter();
            parts.map(|(parts, at)| (at, parts.responses)).collect()
        };
        let keys = [0, 1].map(keys);
        for pair in pairs {
            let [Some(old), Some(new)] = [0, 1].map(|side| keys[side].get(&pair[side])) else {
                continue;
            };
            let values = [0, 1].map(|side| self.sides[side].values(pair[side]));
            let is_same =
                |old: usize, new: usize| values[0].labels.get(old) == values[1].labels.get(new);
            self.orders.insert(pair, order_of(old, new, is_same));
            self.take(pair);
        }
    }
}

/// True if a dataset has a margin for any sample.
fn states_margins(dataset: &Dataset) -> bool {
    dataset.chunks().iter().any(|chunk| {
        let file = dataset.files().get(chunk.file());
        let rule = file.and_then(|file| file.schema.definition().rule());
        let margins = chunk.columns().of_samples(ColumnId::MARGIN);
        rule.is_some_and(VerdictRule::reads_margins) && margins.is_some_and(Values::has_any)
    })
}

/// Key of a sample, its dataset (0 or 1), and its number there.
type SidedSample<K> = (K, u8, u32);

/// Pairs samples with equal keys, as often as both datasets have them, and returns the rest.
fn paired<K: Ord + Clone>(mut all: Vec<SidedSample<K>>) -> (Vec<[u32; 2]>, Vec<SidedSample<K>>) {
    all.sort_unstable();
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for same in all.chunk_by(|one, other| one.0 == other.0) {
        let (old, new) = by_side(same);
        let both = old.len().min(new.len());
        pairs.extend(old.iter().zip(new).map(|(old, new)| [old.2, new.2]));
        left.extend(old[both..].iter().chain(&new[both..]).cloned());
    }
    (pairs, left)
}

/// Splits a list in which the samples of the first dataset come first.
fn by_side<K>(same: &[SidedSample<K>]) -> (&[SidedSample<K>], &[SidedSample<K>]) {
    same.split_at(same.partition_point(|(_, side, _)| *side == 0))
}

/// Returns the labels of a dataset, those of its first file first.
fn label_names(dataset: &Dataset) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for label in dataset.files().iter().flat_map(|file| file.schema.labels()) {
        if !names.contains(&label.name) {
            names.push(label.name.clone());
        }
    }
    names
}

/// True if the schema of a dataset has winners.
fn says_who_wins(dataset: &Dataset) -> bool {
    let mut files = dataset.files().iter();
    files.any(|file| file.schema.definition().verdict.is_some())
}

/// The index in the second order of each response of the first.
type MatchedPlaces = Box<[usize]>;

/// Finds the index in another order of each response, by key. Of responses with equal texts, those
/// with equal values are preferred.
pub(super) fn order_of(
    old: &[u128],
    new: &[u128],
    is_same: impl Fn(usize, usize) -> bool,
) -> MatchedPlaces {
    let mut left: Vec<_> = (0..new.len()).collect();
    let place = |(place, key): (usize, &u128)| {
        let has_key = |at: &usize| new.get(*at) == Some(key);
        let same = left
            .iter()
            .position(|at| has_key(at) && is_same(place, *at));
        let at = same.or_else(|| left.iter().position(has_key))?;
        Some(left.remove(at))
    };
    old.iter().enumerate().filter_map(place).collect()
}

#[cfg(test)]
mod tests;
