//! Finds samples by their keys.

use std::collections::{HashMap, HashSet};

use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::journal::SampleRef;
use crate::parallel::{KeepGoing, in_parallel};

/// The located samples by key. Samples with the same content have the same key.
#[derive(Debug, Clone, Default)]
pub struct SampleLocator {
    samples: HashMap<SampleKey, LocatedSamples>,
}

/// The samples with one key.
#[derive(Debug, Clone)]
struct LocatedSamples {
    /// The sample that the key refers to if only one can be meant.
    first: u32,
    /// All of them, ascending.
    all: Vec<u32>,
}

impl SampleLocator {
    /// Returns the located samples with a key in ascending order; empty if there are none.
    pub fn samples(&self, key: &SampleKey) -> &[u32] {
        self.samples
            .get(key)
            .map_or(&[], |found| found.all.as_slice())
    }

    /// Returns the one sample to use for a key: the one that was judged or drawn, if known, even if
    /// others have the same content. Judgments are compared with its labels.
    pub fn first(&self, key: &SampleKey) -> Option<usize> {
        self.samples.get(key).map(|found| found.first as usize)
    }

    /// Adds a sample. The first one of a key becomes its [`Self::first`].
    pub fn add(&mut self, key: SampleKey, sample: u32) {
        let known = self.samples.entry(key).or_insert_with(|| LocatedSamples {
            first: sample,
            all: Vec::new(),
        });
        if let Err(at) = known.all.binary_search(&sample) {
            known.all.insert(at, sample);
        }
    }

    /// Adds the sample that was judged and makes it the [`Self::first`] of its key.
    pub fn add_judged(&mut self, key: SampleKey, sample: u32) {
        self.add(key, sample);
        if let Some(found) = self.samples.get_mut(&key) {
            found.first = sample;
        }
    }

    /// Iterates over every key with each of its samples.
    pub fn iter(&self) -> impl Iterator<Item = (&SampleKey, u32)> {
        // The first one of a key comes first, so that adding the pairs in this order keeps it.
        self.samples.iter().flat_map(|(key, found)| {
            let others = found
                .all
                .iter()
                .copied()
                .filter(|sample| *sample != found.first);
            std::iter::once(found.first)
                .chain(others)
                .map(move |sample| (key, sample))
        })
    }

    /// Makes the samples at the referenced places the first of their keys, even if others precede
    /// them.
    fn prefer_referenced(&mut self, dataset: &Dataset, sample_refs: &[SampleRef]) {
        let files = files_by_name(dataset);
        for sample_ref in sample_refs {
            let Some(found) = self.samples.get_mut(&sample_ref.sample) else {
                continue;
            };
            let files = files.get(&*sample_ref.file).into_iter().flatten();
            let there = files.filter_map(|&file| {
                u32::try_from(dataset.sample_of_row(file, sample_ref.row)?).ok()
            });
            if let Some(first) = there.into_iter().find(|sample| found.all.contains(sample)) {
                found.first = first;
            }
        }
    }
}

/// Returns the indices of the files with each short name: files in different folders may share one.
fn files_by_name(dataset: &Dataset) -> HashMap<&str, Vec<usize>> {
    let mut files: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, file) in dataset.files().iter().enumerate() {
        files.entry(file.short_name()).or_default().push(place);
    }
    files
}

/// References per task.
const TASK_REFS: usize = 32;
/// Samples per task when all are scanned.
const TASK_SAMPLES: usize = 256;
/// Tasks between two checks for cancellation.
const TASKS: usize = 8;

/// Locates samples: first at their referenced places, then, if some are missing, by scanning all.
/// Reads rows. Returns `None` if cancelled. Unknown keys are omitted.
///
/// A sample found at its place is the only one of its key, even if others have the same content;
/// use [`Duplicates`] or [`locate_all`] for those.
pub fn locate(
    dataset: &Dataset,
    sample_refs: &[SampleRef],
    keep_going: &dyn KeepGoing,
) -> Option<SampleLocator> {
    let keys = keys(sample_refs);
    let mut places = SampleLocator::default();
    // Reading more samples one by one would take as long as scanning all.
    if keys.len() <= dataset.samples() / 8 {
        let files = files_by_name(dataset);
        let pieces: Vec<_> = sample_refs.chunks(TASK_REFS).collect();
        for wave in pieces.chunks(TASKS) {
            let found = in_parallel(wave, |sample_refs| {
                at_referenced_places(dataset, &files, sample_refs, keep_going)
            });
            // If cancelled, results may be missing.
            if !keep_going() {
                return None;
            }
            for (key, sample) in found.into_iter().flatten() {
                places.add(key, sample);
            }
        }
    }
    scan_for_keys(dataset, sample_refs, &keys, places, keep_going)
}

/// Locates samples by scanning all, so that all samples with the same content are found. Reads all
/// rows. Returns `None` if cancelled.
pub fn locate_all(
    dataset: &Dataset,
    sample_refs: &[SampleRef],
    keep_going: &dyn KeepGoing,
) -> Option<SampleLocator> {
    let (keys, places) = (keys(sample_refs), SampleLocator::default());
    scan_for_keys(dataset, sample_refs, &keys, places, keep_going)
}

fn keys(sample_refs: &[SampleRef]) -> HashSet<SampleKey> {
    sample_refs.iter().map(|it| it.sample).collect()
}

/// Scans all samples for these keys, unless every key is located already.
fn scan_for_keys(
    dataset: &Dataset,
    sample_refs: &[SampleRef],
    keys: &HashSet<SampleKey>,
    mut places: SampleLocator,
    keep_going: &dyn KeepGoing,
) -> Option<SampleLocator> {
    if keys.iter().all(|key| places.first(key).is_some()) {
        return Some(places);
    }
    let is_sought = |key: &SampleKey| keys.contains(key);
    for_each_key(dataset, keep_going, &is_sought, &mut |key, sample| {
        places.add(key, sample);
    })?;
    places.prefer_referenced(dataset, sample_refs);
    Some(places)
}

/// Calls `show` for each sample whose key passes a test, in order. Reads all rows. Returns `None`
/// if cancelled.
fn for_each_key(
    dataset: &Dataset,
    keep_going: &dyn KeepGoing,
    test: &(dyn Fn(&SampleKey) -> bool + Sync),
    show: &mut dyn FnMut(SampleKey, u32),
) -> Option<()> {
    let starts: Vec<_> = (0..dataset.samples()).step_by(TASK_SAMPLES).collect();
    for wave in starts.chunks(TASKS) {
        let found = in_parallel(wave, |&start| {
            let found = (start..)
                .zip(dataset.keys(start..start + TASK_SAMPLES, keep_going))
                .filter_map(|(sample, key)| Some((key.filter(test)?, sample as u32)));
            found.collect::<Vec<_>>()
        });
        // If cancelled, keys may be missing.
        if !keep_going() {
            return None;
        }
        found
            .into_iter()
            .flatten()
            .for_each(|(key, sample)| show(key, sample));
    }
    Some(())
}

/// The samples of a dataset whose content occurs more than once.
#[derive(Debug, Clone, Default)]
pub struct Duplicates {
    /// Sorted; each key occurs at least twice.
    sorted: Box<[(SampleKey, u32)]>,
}

impl Duplicates {
    /// Finds duplicates. Reads all rows. Returns `None` if cancelled.
    pub fn find(dataset: &Dataset, keep_going: &dyn KeepGoing) -> Option<Self> {
        let mut all = Vec::with_capacity(dataset.samples());
        for_each_key(dataset, keep_going, &|_| true, &mut |key, sample| {
            all.push((key, sample));
        })?;
        all.sort_unstable();
        let groups = all.chunk_by(|(one, _), (other, _)| one == other);
        Some(Self {
            sorted: groups
                .filter(|group| group.len() > 1)
                .flatten()
                .copied()
                .collect(),
        })
    }

    /// Returns all samples with a key in ascending order; none if the key is unique.
    pub fn samples(&self, key: &SampleKey) -> impl Iterator<Item = u32> {
        let start = self.sorted.partition_point(|(known, _)| known < key);
        let end = start + self.sorted[start..].partition_point(|(known, _)| known == key);
        self.sorted[start..end].iter().map(|&(_, sample)| sample)
    }
}

/// Returns the references whose samples are still at their places. Stops early if cancelled.
fn at_referenced_places(
    dataset: &Dataset,
    files: &HashMap<&str, Vec<usize>>,
    sample_refs: &[SampleRef],
    keep_going: &dyn KeepGoing,
) -> Vec<(SampleKey, u32)> {
    let mut buffers = Buffers::default();
    let mut there = |sample_ref: &SampleRef| {
        // Files in different folders may share a name.
        let mut samples = files
            .get(&*sample_ref.file)?
            .iter()
            .filter_map(|&file| dataset.sample_of_row(file, sample_ref.row));
        let sample =
            samples.find(|&sample| dataset.key(sample, &mut buffers) == Some(sample_ref.sample))?;
        Some((sample_ref.sample, sample as u32))
    };
    let refs = sample_refs.iter().take_while(|_| keep_going());
    refs.filter_map(&mut there).collect()
}
