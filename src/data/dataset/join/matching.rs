//! Matches the responses of two files: by texts, by row, or by a common field.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::dataset::{Dataset, ScannedRows};
use crate::model::{ResponseId, Verdict};
use crate::parallel::in_parallel;
use crate::schema::{Path, TextKinds, hash_at};

/// Consecutive numbers ("slots") for all responses of a dataset.
#[derive(Debug, Default, PartialEq)]
pub struct ResponseNumbering {
    /// The first slot of each sample, then the number of slots.
    firsts: Vec<u32>,
}

impl ResponseNumbering {
    pub fn of(dataset: &Dataset) -> Self {
        let counts = dataset
            .chunks()
            .iter()
            .flat_map(|chunk| chunk.columns().responses.iter());
        Self::of_counts(counts.map(|&count| u32::from(count)))
    }

    /// Numbers samples with these numbers of responses.
    pub fn of_counts(counts: impl Iterator<Item = u32>) -> Self {
        let mut firsts = vec![0];
        let mut all = 0;
        for count in counts {
            all += count;
            firsts.push(all);
        }
        Self { firsts }
    }

    pub fn count(&self) -> usize {
        self.firsts.last().map_or(0, |&all| all as usize)
    }

    fn samples(&self) -> usize {
        self.firsts.len() - 1
    }

    fn of_sample(&self, sample: usize) -> Range<usize> {
        let at = |sample: usize| self.firsts.get(sample).map_or(0, |&first| first as usize);
        at(sample)..at(sample + 1)
    }

    /// Returns the sample of a slot.
    fn sample_of(&self, slot: usize) -> usize {
        self.firsts.partition_point(|&first| first as usize <= slot) - 1
    }
}

/// The slot of another file for each slot of a dataset.
#[derive(Debug, Default)]
pub struct ResponseMatching {
    /// [`Self::NONE`] if a slot has none.
    partners: Vec<u32>,
    /// Slots of the other file.
    others: ResponseNumbering,
    /// Number of samples of the other file without a partner.
    pub unmatched: usize,
    /// Number of keys whose number of values differs from that of responses.
    pub uneven_keys: usize,
    /// The first sample with such a key, its number of responses and the number of values.
    pub uneven: Option<[usize; 3]>,
}

impl ResponseMatching {
    const NONE: u32 = u32::MAX;

    fn new(partners: Vec<u32>, others: ResponseNumbering) -> Self {
        let mut is_used = vec![false; others.samples()];
        for &partner in partners.iter().filter(|partner| **partner != Self::NONE) {
            is_used[others.sample_of(partner as usize)] = true;
        }
        let is_left = |sample: &usize| !is_used[*sample] && !others.of_sample(*sample).is_empty();
        let unmatched = (0..others.samples()).filter(is_left).count();
        Self {
            partners,
            others,
            unmatched,
            uneven_keys: 0,
            uneven: None,
        }
    }

    /// True if no response has a partner.
    pub fn is_empty(&self) -> bool {
        self.partners.iter().all(|partner| *partner == Self::NONE)
    }

    /// Gives the first value of each pair in the other file to the response that the dataset
    /// prefers. A pair without a preferred response loses its partners. Returns the number of such
    /// pairs.
    pub fn by_outcome(&mut self, dataset: &Dataset) -> usize {
        let slots = ResponseNumbering::of(dataset);
        let mut undecided = 0;
        for sample in 0..slots.samples() {
            let own = slots.of_sample(sample);
            if let [a, b] = &mut self.partners[own] {
                match dataset.verdict(sample).and_then(Verdict::winner) {
                    Some(ResponseId::A) => {}
                    Some(_) => std::mem::swap(a, b),
                    None => {
                        undecided += usize::from(*a != Self::NONE);
                        (*a, *b) = (Self::NONE, Self::NONE);
                    }
                }
            }
        }
        undecided
    }

    /// Returns the other file's slot for one of the dataset.
    pub fn of(&self, slot: usize) -> Option<usize> {
        let partner = self
            .partners
            .get(slot)
            .filter(|partner| **partner != Self::NONE);
        partner.map(|&partner| partner as usize)
    }

    /// Returns the stated winner among the responses in these slots, and the margin, if the other
    /// file has all of them in one sample with a verdict.
    pub fn stated_verdict(
        &self,
        slots: Range<usize>,
        stated: &[Option<(Verdict, f64)>],
    ) -> Option<(Verdict, f64)> {
        let partners: Vec<usize> = slots.map(|slot| self.of(slot)).collect::<Option<_>>()?;
        let sample = self.others.sample_of(*partners.first()?);
        let others = self.others.of_sample(sample);
        if partners.len() != others.len() || partners.iter().any(|slot| !others.contains(slot)) {
            return None;
        }
        let (verdict, margin) = (*stated.get(sample)?)?;
        let verdict = verdict.renamed(|other| {
            let slot = others.start + other.index();
            ResponseId::new(partners.iter().position(|partner| *partner == slot)?)
        })?;
        // For two responses the sign gives the winner; for more the margin is never negative.
        let margin = match (partners.len(), verdict.winner()) {
            (2, Some(ResponseId::A)) => margin.abs(),
            (2, Some(_)) => -margin.abs(),
            _ => margin,
        };
        Some((verdict, margin))
    }
}

/// Returns the hash of prompt and response for each slot. Turns are trimmed first, as other tools
/// do. Returns `None` if cancelled.
pub fn content_hashes(dataset: &Dataset, keep_going: &dyn Fn() -> bool) -> Option<Vec<u64>> {
    /// Samples read by one task.
    const TASK: usize = 4 << 10;
    /// Tasks between two cancellation checks.
    const WAVE: usize = 4;
    let slots = ResponseNumbering::of(dataset);
    let tasks: Vec<_> = (0..dataset.samples()).step_by(TASK).collect();
    let mut hashes = Vec::with_capacity(tasks.len());
    for wave in tasks.chunks(WAVE) {
        if !keep_going() {
            return None;
        }
        hashes.extend(in_parallel(wave, |&start| {
            let samples = start..dataset.samples().min(start + TASK);
            let first = slots.of_sample(samples.start).start;
            // Unreadable samples get no partner; the load reports the error.
            let mut hashes = vec![0; slots.of_sample(samples.end - 1).end - first];
            let mut scratch = String::new();
            dataset.for_each_sample(samples, &|_| true, &mut |sample, rows| {
                let own = slots.of_sample(sample);
                let own = &mut hashes[own.start - first..own.end - first];
                hash_sample(&rows, &mut scratch, own);
            });
            hashes
        }));
    }
    Some(hashes.concat())
}

/// True if two files share a response, by hash.
pub fn have_common(own: &[u64], others: &[u64]) -> bool {
    let own: HashSet<_> = own.iter().filter(|hash| **hash != 0).collect();
    others.iter().any(|hash| own.contains(hash))
}

/// Sets the hash of each response of a sample.
fn hash_sample(rows: &ScannedRows<'_>, scratch: &mut String, hashes: &mut [u64]) {
    let mut prompt = DefaultHasher::new();
    let mut responses: Vec<Option<DefaultHasher>> = vec![None; hashes.len()];
    let kinds = TextKinds::PROMPT.union(TextKinds::RESPONSE);
    rows.for_each_text(kinds, scratch, &mut |of, text| match of.response {
        None => text.trim().hash(&mut prompt),
        Some(place) => {
            if let Some(response) = responses.get_mut(place) {
                let hasher = response.get_or_insert_with(|| prompt.clone());
                text.trim().hash(hasher);
            }
        }
    });
    for (hash, response) in hashes.iter_mut().zip(responses) {
        *hash = response.map_or(0, |hasher| hasher.finish().max(1));
    }
}

/// Matches by content, given the hashes of the dataset (`hashes`) and of the other file (`others`).
/// Each sample is matched with the one of the other file that shares the most responses, preferably
/// one without a partner. A response missing there is matched with any equal one. Returns `None` if
/// cancelled.
pub fn by_content(
    [slots, other_slots]: [ResponseNumbering; 2],
    [hashes, others]: [&[u64]; 2],
    keep_going: &dyn Fn() -> bool,
) -> Option<ResponseMatching> {
    /// Maximum number of equal responses considered; a file may repeat one without limit.
    const MOST: usize = 32;
    let all = others.iter().copied().zip(0..);
    let mut index: Vec<(u64, usize)> = all.filter(|(hash, _)| *hash != 0).collect();
    index.sort_unstable();
    // For the index of each hash's first entry, the number of entries from there with a partner.
    let mut used = vec![0; index.len()];
    // Slots with the same hash: first those without a partner, then any, each in file order.
    let mut candidates = |equal: &Range<usize>, is_used: &[bool]| -> Vec<usize> {
        let slots = |range: Range<usize>| index[range].iter().map(|(_, slot)| *slot);
        let used = &mut used[equal.start];
        *used += slots(equal.start + *used..equal.end)
            .take_while(|slot| is_used[*slot])
            .count();
        slots(equal.start + *used..equal.end)
            .take(MOST)
            .chain(slots(equal.clone()).take(MOST))
            .collect()
    };
    let mut partners = vec![ResponseMatching::NONE; hashes.len()];
    let mut is_used = vec![false; others.len()];
    for sample in 0..slots.samples() {
        if sample % 4096 == 0 && !keep_going() {
            return None;
        }
        let own = slots.of_sample(sample);
        let ranges: Vec<_> = hashes[own.clone()]
            .iter()
            .map(|hash| {
                let start = index.partition_point(|(known, _)| known < hash);
                start..index.partition_point(|(known, _)| known <= hash)
            })
            .collect();
        // The rarest response identifies the sample best.
        let known = ranges.iter().filter(|range| !range.is_empty());
        let Some(rarest) = known.min_by_key(|range| range.len()) else {
            continue;
        };
        let chosen = candidates(rarest, &is_used)
            .into_iter()
            .map(|slot| other_slots.of_sample(other_slots.sample_of(slot)))
            .max_by_key(|other| {
                let has = |hash: &&u64| **hash != 0 && others[other.clone()].contains(hash);
                let shared = hashes[own.clone()].iter().filter(has).count();
                let is_fresh = other.clone().any(|slot| !is_used[slot]);
                (shared, is_fresh, std::cmp::Reverse(other.start))
            })
            .unwrap_or_default();
        for (slot, range) in own.clone().zip(ranges) {
            if range.is_empty() {
                continue;
            }
            let taken = &partners[own.start..slot];
            let is_free = |other: &usize| !taken.contains(&(*other as u32));
            let found = chosen
                .clone()
                .filter(|other| others[*other] == hashes[slot])
                .find(is_free)
                .or_else(|| {
                    let all = candidates(&range, &is_used);
                    all.iter().copied().find(is_free).or(all.first().copied())
                });
            if let Some(found) = found {
                partners[slot] = found as u32;
                is_used[found] = true;
            }
        }
    }
    Some(ResponseMatching::new(partners, other_slots))
}

/// A row of a file with its key and its slots.
pub struct KeyedRow {
    pub key: Option<u64>,
    pub sample: usize,
    pub slots: Range<usize>,
}

/// Returns the rows of a dataset with their keys: hashes of a field's value, or row numbers if
/// `field` is `None`.
pub fn keyed_rows(
    dataset: &Dataset,
    field: Option<&Path>,
    keep_going: &dyn Fn() -> bool,
) -> Vec<KeyedRow> {
    let slots = ResponseNumbering::of(dataset);
    let mut keyed = Vec::new();
    let mut push = |sample: usize, rows: usize, key: &mut dyn FnMut(usize) -> Option<u64>| {
        let own = slots.of_sample(sample);
        for row in 0..rows {
            let on_row = match rows {
                1 => own.clone(),
                _ => own.start + row..own.start + row + 1,
            };
            if !own.is_empty() {
                keyed.push(KeyedRow {
                    key: key(row),
                    sample,
                    slots: on_row,
                });
            }
        }
    };
    match field {
        Some(field) => {
            dataset.for_each_sample(
                0..dataset.samples(),
                &|_| keep_going(),
                &mut |sample, rows| {
                    let lines = rows.lines();
                    push(sample, rows.rows.with_responses(), &mut |row| {
                        lines.get(row).and_then(|line| hash_at(field, line))
                    });
                },
            );
        }
        None => {
            for sample in 0..dataset.samples() {
                let Some(rows) = dataset.sample_rows(sample) else {
                    continue;
                };
                push(sample, rows.with_responses(), &mut |row| {
                    Some(u64::from(rows.of_response(row)))
                });
            }
        }
    }
    keyed
}

/// Matches rows of the dataset and of the other file that have the same key. A sample's responses
/// under a key are matched in order with all responses of the other file under that key, if the
/// numbers are equal for each sample with the key. Otherwise all samples with the key are matched
/// together, if those numbers are equal. Otherwise nothing is matched, since the assignment is
/// ambiguous. `hashes` are those of both files if both have texts: equal texts are matched
/// regardless of order.
pub fn by_key(
    [slots, other]: [ResponseNumbering; 2],
    [rows, others]: [Vec<KeyedRow>; 2],
    hashes: [&[u64]; 2],
) -> ResponseMatching {
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    for row in others {
        if let Some(key) = row.key {
            by_key.entry(key).or_default().extend(row.slots);
        }
    }
    // The slots under each key, by sample.
    let mut own: HashMap<u64, Vec<(usize, Vec<usize>)>> = HashMap::new();
    for row in rows {
        let Some(key) = row.key.filter(|key| by_key.contains_key(key)) else {
            continue;
        };
        let samples = own.entry(key).or_default();
        match samples
            .last_mut()
            .filter(|(sample, _)| *sample == row.sample)
        {
            Some((_, slots)) => slots.extend(row.slots),
            None => samples.push((row.sample, row.slots.collect())),
        }
    }
    let mut partners = vec![ResponseMatching::NONE; slots.count()];
    let (mut uneven_keys, mut uneven) = (0, None);
    for (key, samples) in own {
        let Some(others) = by_key.get(&key) else {
            continue;
        };
        if samples.iter().all(|(_, slots)| slots.len() == others.len()) {
            for (_, slots) in &samples {
                pair_up(slots, others, hashes, &mut partners);
            }
            continue;
        }
        let first = samples
            .iter()
            .map(|(sample, slots)| [*sample, slots.len(), others.len()])
            .chain(uneven)
            .min();
        let all: Vec<_> = samples.into_iter().flat_map(|(_, slots)| slots).collect();
        if all.len() == others.len() {
            pair_up(&all, others, hashes, &mut partners);
        } else {
            (uneven_keys, uneven) = (uneven_keys + 1, first);
        }
    }
    ResponseMatching {
        uneven_keys,
        uneven,
        ..ResponseMatching::new(partners, other)
    }
}

/// Matches slots of both files: equal texts first, the rest in order.
fn pair_up(slots: &[usize], others: &[usize], [own, other]: [&[u64]; 2], partners: &mut [u32]) {
    let (mut left, mut rest) = (others.to_vec(), Vec::new());
    for &slot in slots {
        let hash = own.get(slot).filter(|hash| **hash != 0);
        match left
            .iter()
            .position(|&it| hash.is_some() && other.get(it) == hash)
        {
            Some(at) => partners[slot] = left.remove(at) as u32,
            None => rest.push(slot),
        }
    }
    for (slot, other) in rest.into_iter().zip(left) {
        partners[slot] = other as u32;
    }
}
