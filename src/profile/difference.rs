//! Two versions of a dataset: which samples one of them has alone, and what the two say differently
//! of those that both have.
//!
//! Samples are known by what they say ([`SampleKey`]), wherever they stand; those that say the same
//! several times are paired as often as both have them. It takes 24 bytes for each sample, and twice
//! that while they are gathered; some 300 bytes for each whose responses are in another order. Texts are read piece by piece. What rows alone tell (`details`) is read
//! where a hash of the rows is not the same, which takes 8 bytes a sample more.

mod details;

use std::collections::{BTreeMap, BTreeSet};

use details::{ComparedDetails, SampleDetails};

use super::matched_places::{MatchedPlaces, order_of};
use crate::dataset::{Buffers, Dataset, SampleBody, SampleKey};
use crate::model::{ResponseId, Verdict};
use crate::parallel::in_parallel;
use crate::query::OrderedNumber;
use crate::schema::VerdictRule;
use crate::table::{ColumnId, ColumnSource, Values};

/// Samples whose keys one thread makes at a time.
const PIECE: usize = 1 << 12;
/// Samples whose rows one thread reads at a time.
const READ: usize = 1 << 8;
/// Different pairs of values above which a matrix is none that anybody reads.
const MOST_CELLS: usize = 400;

/// How the second of two datasets differs from the first. Samples are known by their numbers, from
/// 0; pairs of them stand in the order of the first dataset.
#[derive(Debug)]
pub struct Difference<'d> {
    sides: [LabelledSide<'d>; 2],
    /// Samples that both have, and say the same of.
    pub unchanged: usize,
    /// Samples that both have, with another label, another winner or another margin, in whatever order
    /// their responses stand.
    pub relabelled: Vec<[u32; 2]>,
    /// Samples that both have and say the same of, with their responses in another order.
    pub reordered: Vec<[u32; 2]>,
    /// Samples that both have with the same labels, winners and margins, and with something else that
    /// is not the same: what annotators said one by one, facts, quotes, rationales.
    pub detailed: Vec<[u32; 2]>,
    /// Samples with the same prompt and other responses.
    pub edited: Vec<[u32; 2]>,
    /// Samples that the first has alone.
    pub removed: Vec<u32>,
    /// Samples that the second has alone.
    pub added: Vec<u32>,
    /// What both say: of each label, of the responses of samples that both have; who wins, by the
    /// letters of the first, and by how much, as files state it, of samples that both have.
    pub matrices: Vec<ValueMatrix>,
    /// Labels that one of them has alone.
    pub labels_of_one: [Vec<String>; 2],
    /// Which of them says alone who wins, if one does: 0 or 1.
    pub verdicts_of_one: Option<usize>,
    /// Of samples whose responses the second has in another order: where it has each of the first.
    orders: BTreeMap<[u32; 2], MatchedPlaces>,
    /// What is compared beside labels and who wins.
    details: ComparedDetails,
    /// Samples that both have and say the same of as far as it was compared, in other rows.
    suspects: Vec<[u32; 2]>,
}

/// What can differ in a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// The value of a label.
    Label,
    /// Who wins, by the letters of the first dataset.
    Verdict,
    /// By how much, as files state it.
    Margin,
    /// What each annotator said of a label of a response.
    Annotators,
    /// What each annotator said of who wins: by how much A does, negative where B does.
    Votes,
    /// A fact; of a response where its rows do not say the same.
    Fact,
    /// The passages that a response can cite.
    Quotes,
    /// What was written, under this name.
    Rationale,
}

/// Something that is said of a sample or of one of its responses, by the letters of the first dataset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SamplePart {
    /// What it is.
    pub kind: PartKind,
    /// Its name; empty if there is one of the kind only.
    pub name: String,
    /// The response.
    pub response: Option<ResponseId>,
}

/// What is said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatedValue {
    /// A label's value, or a margin.
    Number(OrderedNumber),
    /// Who wins.
    Verdict(Verdict),
    /// Anything else.
    Text(String),
}

/// How often a value of the first stands against one of the second; `None` is no value.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueMatrix {
    /// What they are of: labels, who wins, or margins.
    pub kind: PartKind,
    /// The name of the label.
    pub name: String,
    /// How many there are.
    pub all: usize,
    /// How many are not the same in both.
    pub changed: usize,
    /// The cells that are not 0; empty where there are too many.
    cells: BTreeMap<[Option<StatedValue>; 2], usize>,
    is_too_large: bool,
}

/// One thing that two datasets say differently of a sample, with what each says.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleChange {
    /// What.
    pub part: SamplePart,
    /// The response that it is of, as the second dataset orders them.
    pub now: Option<ResponseId>,
    /// What each says.
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
            if self.cells.len() > MOST_CELLS {
                self.is_too_large = true;
                self.cells.clear();
            }
        }
    }

    /// Its cells, as the value of the first, that of the second, and how often; in the order of the
    /// values, none first. Empty of scores with very many values.
    pub fn cells(&self) -> impl Iterator<Item = (&[Option<StatedValue>; 2], usize)> {
        self.cells.iter().map(|(values, count)| (values, *count))
    }

    /// Whether it has more different values than anybody reads.
    pub const fn is_too_large(&self) -> bool {
        self.is_too_large
    }
}

/// What a dataset says of a sample, as far as both say it; `None` is no value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SampleValues {
    verdict: Option<Verdict>,
    /// By how much the winner wins, whichever it is.
    margin: Option<OrderedNumber>,
    /// Of each response, the labels that both have.
    labels: Vec<ResponseValues>,
}

/// The labels of a response.
type ResponseValues = Vec<Option<OrderedNumber>>;

impl SampleValues {
    /// The same of responses in the order of another dataset, which has each at a place here.
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
    /// A hash of the rows of each sample; empty where nothing is compared that only rows tell.
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
        let responses = columns
            .responses
            .get(within)
            .copied()
            .map_or(0, usize::from);
        let label = |label: ColumnId, response: usize| {
            let lists = columns.numbers(label)?;
            lists.get(response)?.get(within).map(OrderedNumber::of)
        };
        let labels = self.labels.iter();
        values.labels = (0..responses)
            .map(|response| labels.clone().map(|of| label(*of, response)).collect())
            .collect();
        values
    }

    /// The keys of all samples of a side with their numbers, and a hash of the rows of each where that is
    /// wanted.
    fn keys(&self, side: u8, with_rows: bool) -> (Vec<Sided<SampleKey>>, Vec<u64>) {
        let starts: Vec<_> = (0..self.dataset.samples()).step_by(PIECE).collect();
        let pieces = in_parallel(&starts, |&start| {
            let piece = start..start + PIECE;
            let (keys, rows) = match with_rows {
                true => self.dataset.keys_and_rows(piece),
                false => (self.dataset.keys(piece, &|| true), Vec::new()),
            };
            let numbers = (start..).map(|number| u32::try_from(number).unwrap_or(u32::MAX));
            let keys = keys.into_iter().zip(numbers);
            let keys = keys.filter_map(|(key, number)| Some((key?, side, number)));
            (keys.collect::<Vec<_>>(), rows)
        });
        let (mut all_keys, mut all_rows) = (Vec::new(), Vec::new());
        for (keys, rows) in pieces {
            all_keys.extend(keys);
            all_rows.extend(rows);
        }
        (all_keys, all_rows)
    }

    /// The hash of the rows of a sample, where there is one.
    fn rows_of(&self, sample: u32) -> Option<u64> {
        self.rows.get(sample as usize).copied()
    }
}

impl<'d> Difference<'d> {
    /// Compares two datasets. Rows that cannot be had are left out of it, which
    /// [`Dataset::check_unchanged`] tells.
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

    /// The two datasets.
    pub fn datasets(&self) -> [&'d Dataset; 2] {
        [self.sides[0].dataset, self.sides[1].dataset]
    }

    /// Whether both say the same: the same samples with the same labels, winners and margins, and the
    /// same of whatever else both can say.
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

    /// What their files have and is not compared, since one of them cannot say it: facts by their
    /// names, the margin, what annotators said one by one, quotes and rationales. No two the same.
    pub fn not_compared(&self) -> Vec<String> {
        let mut names = self.details.of_one();
        let states = |dataset: &&Dataset| states_margins(dataset);
        if !self.sides[0].compares[1] && self.datasets().iter().any(states) {
            names.push("margin".to_owned());
        }
        names
    }

    /// What the two say of a sample, of its responses in the order of the first.
    fn values(&self, pair: [u32; 2]) -> [SampleValues; 2] {
        let [old, new] = [0, 1].map(|side| self.sides[side].values(pair[side]));
        match self.orders.get(&pair) {
            Some(order) => [old, new.in_order(order)],
            None => [old, new],
        }
    }

    /// Whether the second has the responses of a sample that both have in another order.
    pub fn is_reordered(&self, pair: [u32; 2]) -> bool {
        self.orders.contains_key(&pair)
    }

    /// What the two say differently of a sample that both have, who wins and by how much last.
    pub fn changes(&self, pair: [u32; 2]) -> Vec<SampleChange> {
        let [before, now] = self.values(pair);
        let order = self.orders.get(&pair);
        let change = |kind, name: &str, [response, now]: [Option<ResponseId>; 2], values| {
            let name = name.to_owned();
            let part = SamplePart {
                kind,
                name,
                response,
            };
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

    /// The responses of two samples that do not say the same, by their places, those that one of them has
    /// alone included; none where the rows of either cannot be had. It reads both.
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

    /// Pairs samples that say the same, and keeps the others.
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

    /// Pairs several samples of one key: first those that have the same rows, then those of which the
    /// same is said, then the others in their order.
    fn take_several(&mut self, same: &[Sided<SampleKey>]) {
        let side = |side: u8| &self.sides[usize::from(side)];
        let rows = same
            .iter()
            .map(|&(_, of, at)| (side(of).rows_of(at), of, at));
        let (mut pairs, mut left) = (Vec::new(), rows.collect::<Vec<_>>());
        if self.details.any() {
            (pairs, left) = paired(left);
        }
        let values = left.into_iter();
        let values = values.map(|(_, of, at)| (side(of).values(at), of, at));
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

    /// Takes a sample that both have.
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

    /// Takes a sample of which both say the same.
    fn take_same(&mut self, pair: [u32; 2]) {
        match self.is_reordered(pair) {
            true => self.reordered.push(pair),
            false => self.unchanged += 1,
        }
    }

    /// Whether there is something to compare that rows alone tell, and these are not the same.
    fn has_other_rows(&self, pair: [u32; 2]) -> bool {
        let [old, new] = [0, 1].map(|side| self.sides[side].rows_of(pair[side]));
        self.details.any() && old != new
    }

    /// Reads the rows that are not the same where everything else is.
    fn compare_details(&mut self) {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_unstable();
        let pieces: Vec<_> = suspects.chunks(READ).collect();
        let changed = in_parallel(&pieces, |piece| {
            let mut buffers = [(); 2].map(|()| Buffers::with_fields());
            let changed = piece.iter().map(|pair| {
                let mut details = self.changed_details(*pair, &mut buffers);
                details.next().is_some()
            });
            changed.collect::<Vec<_>>()
        });
        let changed: Vec<_> = changed.concat();
        for (pair, changed) in suspects.into_iter().zip(changed) {
            match changed {
                true => self.detailed.push(pair),
                false => self.take_same(pair),
            }
        }
    }

    /// What else the two say differently of a sample that both have; nothing where the rows of
    /// either cannot be had.
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
        let wanted = self.has_other_rows(pair);
        let both = wanted.then(|| read(0, of_old).zip(read(1, of_new)));
        let (old, new) = both.flatten().unwrap_or_default();
        details::changes(old, new)
    }

    /// Pairs what is left by its prompt: first where the responses only changed places.
    fn match_by_prompt(&mut self) {
        if self.removed.is_empty() || self.added.is_empty() {
            return;
        }
        let parts = |side: u8, numbers: &[u32]| {
            let parts = self.sides[usize::from(side)].dataset.parts(numbers);
            let parts = parts.into_iter();
            parts.map(move |(parts, at)| (parts, side, at))
        };
        let parts = parts(0, &self.removed).chain(parts(1, &self.added));
        let (reordered, others) = paired(parts.collect());
        let others = others.into_iter();
        let others = others.map(|(parts, of, at)| (parts.prompt, of, at));
        let (edited, _) = paired(others.collect());
        // Malformed rows have no parts, and nothing takes their place.
        let [old, new] = [0, 1].map(|side| -> BTreeSet<u32> {
            let pairs = reordered.iter().chain(&edited);
            pairs.map(|pair| pair[side]).collect()
        });
        self.removed.retain(|at| !old.contains(at));
        self.added.retain(|at| !new.contains(at));
        self.edited = edited;
        self.take_reordered(reordered);
    }

    /// Takes samples that both have with their responses in another order, response by response.
    fn take_reordered(&mut self, pairs: Vec<[u32; 2]>) {
        let keys = |side: usize| -> BTreeMap<u32, Vec<u128>> {
            let mut numbers: Vec<u32> = pairs.iter().map(|pair| pair[side]).collect();
            numbers.sort_unstable();
            let keys = self.sides[side].dataset.response_keys(&numbers);
            keys.into_iter()
                .map(|(keys, number)| (number, keys))
                .collect()
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

/// Whether a dataset states of any sample by how much a response wins.
fn states_margins(dataset: &Dataset) -> bool {
    dataset.chunks().iter().any(|chunk| {
        let file = dataset.files().get(chunk.file());
        let rule = file.and_then(|file| file.schema.definition().rule());
        let margins = chunk.columns().of_samples(ColumnId::MARGIN);
        rule.is_some_and(VerdictRule::reads_margins) && margins.is_some_and(Values::has_any)
    })
}

/// A sample by what it is compared by, which dataset has it (0 or 1), and its number there.
type Sided<K> = (K, u8, u32);

/// Pairs samples that have the same key, as often as both datasets have it, and gives what is left.
fn paired<K: Ord + Clone>(mut all: Vec<Sided<K>>) -> (Vec<[u32; 2]>, Vec<Sided<K>>) {
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

/// The samples of each dataset, in a list in which those of the first come first.
fn by_side<K>(same: &[Sided<K>]) -> (&[Sided<K>], &[Sided<K>]) {
    same.split_at(same.partition_point(|(_, side, _)| *side == 0))
}

/// The labels of a dataset, those of its first file first.
fn label_names(dataset: &Dataset) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for label in dataset.files().iter().flat_map(|file| file.schema.labels()) {
        if !names.contains(&label.name) {
            names.push(label.name.clone());
        }
    }
    names
}

/// Whether a dataset has a way of saying who wins.
fn says_who_wins(dataset: &Dataset) -> bool {
    let mut files = dataset.files().iter();
    files.any(|file| file.schema.definition().verdict.is_some())
}

#[cfg(test)]
mod tests;
