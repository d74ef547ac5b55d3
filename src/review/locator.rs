//! Where samples stand, by their keys.

use std::collections::{HashMap, HashSet};

use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::journal::SampleRef;
use crate::parallel::{KeepGoing, in_parallel};

/// Where samples stand: of each key, the samples that are known to have it. Samples that say the
/// same have one key.
#[derive(Debug, Clone, Default)]
pub struct SampleLocator {
    samples: HashMap<SampleKey, LocatedSamples>,
}

/// The samples with one key.
#[derive(Debug, Clone)]
struct LocatedSamples {
    /// The one that is meant where one is.
    home: u32,
    /// All of them, ascending.
    all: Vec<u32>,
}

impl SampleLocator {
    /// The samples with a key that are known so far, in ascending order; empty where none is.
    pub fn samples(&self, key: &SampleKey) -> &[u32] {
        self.samples
            .get(key)
            .map_or(&[], |found| found.all.as_slice())
    }

    /// The sample with a key that is meant where one is: the one that was spoken of, as far as that
    /// is known, whatever others say the same; its labels are those that a judgment is compared
    /// with.
    pub fn first(&self, key: &SampleKey) -> Option<usize> {
        self.samples.get(key).map(|found| found.home as usize)
    }

    /// Learns where a sample stands; the first one learned of a key is the one that is meant.
    pub fn learn(&mut self, key: SampleKey, sample: u32) {
        let known = self.samples.entry(key).or_insert_with(|| LocatedSamples {
            home: sample,
            all: Vec::new(),
        });
        if let Err(at) = known.all.binary_search(&sample) {
            known.all.insert(at, sample);
        }
    }

    /// Learns where the sample stands that is meant from now on: the one that was judged.
    pub fn learn_judged(&mut self, key: SampleKey, sample: u32) {
        self.learn(key, sample);
        if let Some(found) = self.samples.get_mut(&key) {
            found.home = sample;
        }
    }

    /// Every key with each of its samples.
    pub fn iter(&self) -> impl Iterator<Item = (&SampleKey, u32)> {
        // The one that is meant comes first, so that whoever learns them in this order means the
        // same one.
        self.samples.iter().flat_map(|(key, found)| {
            let others = found
                .all
                .iter()
                .copied()
                .filter(|sample| *sample != found.home);
            std::iter::once(found.home)
                .chain(others)
                .map(move |sample| (key, sample))
        })
    }

    /// Means the samples that stand where they were spoken of, also where others before them say
    /// the same.
    fn settle(&mut self, dataset: &Dataset, sample_refs: &[SampleRef]) {
        let files = files_by_name(dataset);
        for sample_ref in sample_refs {
            let Some(found) = self.samples.get_mut(&sample_ref.sample) else {
                continue;
            };
            let files = files.get(&*sample_ref.file).into_iter().flatten();
            let there = files.filter_map(|&file| {
                u32::try_from(dataset.sample_of_row(file, sample_ref.row)?).ok()
            });
            if let Some(home) = there.into_iter().find(|sample| found.all.contains(sample)) {
                found.home = home;
            }
        }
    }
}

/// Places of the files with each short name: files of different folders can have one.
fn files_by_name(dataset: &Dataset) -> HashMap<&str, Vec<usize>> {
    let mut files: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, file) in dataset.files().iter().enumerate() {
        files.entry(file.short_name()).or_default().push(place);
    }
    files
}

/// References that are one piece of work.
const SAMPLE_REFS: usize = 32;
/// Samples of a sweep that are one piece of work.
const PIECE: usize = 256;
/// Pieces at a time.
const WAVE: usize = 8;

/// Looks for samples: first where they stood, and where one is not there any more, among all. Reads
/// rows; gives `None` where it takes so long that it is no longer `wanted`. Keys that are nowhere
/// are left out.
///
/// A sample that is found where it stood is known by that place alone, also where others say the
/// same: [`Duplicates`] knows those, and [`locate_all`] finds them too.
pub fn locate(
    dataset: &Dataset,
    sample_refs: &[SampleRef],
    wanted: &dyn KeepGoing,
) -> Option<SampleLocator> {
    let keys = keys(sample_refs);
    let mut places = SampleLocator::default();
    // Reading this many one by one takes as long as going through everything.
    if keys.len() <= dataset.samples() / 8 {
        let files = files_by_name(dataset);
        let pieces: Vec<_> = sample_refs.chunks(SAMPLE_REFS).collect();
        for wave in pieces.chunks(WAVE) {
            let found = in_parallel(wave, |sample_refs| {
                where_they_stood(dataset, &files, sample_refs, wanted)
            });
            // Of what was wanted to the end none is missing.
            if !wanted() {
                return None;
            }
            for (key, sample) in found.into_iter().flatten() {
                places.learn(key, sample);
            }
        }
    }
    for_each_sample_of(dataset, sample_refs, &keys, places, wanted)
}

/// Looks for samples among all, so that each one that says the same is found; reads all rows.
/// `None` where it takes so long that it is no longer `wanted`.
pub fn locate_all(
    dataset: &Dataset,
    sample_refs: &[SampleRef],
    wanted: &dyn KeepGoing,
) -> Option<SampleLocator> {
    let (keys, places) = (keys(sample_refs), SampleLocator::default());
    for_each_sample_of(dataset, sample_refs, &keys, places, wanted)
}

fn keys(sample_refs: &[SampleRef]) -> HashSet<SampleKey> {
    sample_refs.iter().map(|it| it.sample).collect()
}

/// Learns where all samples with these keys are, unless each key is known already.
fn for_each_sample_of(
    dataset: &Dataset,
    sample_refs: &[SampleRef],
    keys: &HashSet<SampleKey>,
    mut places: SampleLocator,
    wanted: &dyn KeepGoing,
) -> Option<SampleLocator> {
    if keys.iter().all(|key| places.first(key).is_some()) {
        return Some(places);
    }
    let is_sought = |key: &SampleKey| keys.contains(key);
    each_key(dataset, wanted, &is_sought, &mut |key, sample| {
        places.learn(key, sample);
    })?;
    places.settle(dataset, sample_refs);
    Some(places)
}

/// Shows the keys of all samples that pass a test, in the order of samples; `None` where it is no
/// longer wanted. Reads all rows.
fn each_key(
    dataset: &Dataset,
    wanted: &dyn KeepGoing,
    test: &(dyn Fn(&SampleKey) -> bool + Sync),
    show: &mut dyn FnMut(SampleKey, u32),
) -> Option<()> {
    let starts: Vec<_> = (0..dataset.samples()).step_by(PIECE).collect();
    for wave in starts.chunks(WAVE) {
        let found = in_parallel(wave, |&start| {
            let found = (start..).zip(dataset.keys(start..start + PIECE, wanted));
            let found = found.filter_map(|(sample, key)| Some((key.filter(test)?, sample as u32)));
            found.collect::<Vec<_>>()
        });
        // Of keys that were wanted to the end none is missing.
        if !wanted() {
            return None;
        }
        found
            .into_iter()
            .flatten()
            .for_each(|(key, sample)| show(key, sample));
    }
    Some(())
}

/// The samples of a dataset that say what another one says.
#[derive(Debug, Clone, Default)]
pub struct Duplicates {
    /// Sorted; each key at least twice.
    sorted: Box<[(SampleKey, u32)]>,
}

impl Duplicates {
    /// Looks for them; reads all rows. `None` where it takes so long that it is no longer `wanted`.
    pub fn find(dataset: &Dataset, wanted: &dyn KeepGoing) -> Option<Self> {
        let mut all = Vec::with_capacity(dataset.samples());
        each_key(dataset, wanted, &|_| true, &mut |key, sample| {
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

    /// All samples with a key of which there are several, in ascending order; none for any other
    /// key.
    pub fn samples(&self, key: &SampleKey) -> impl Iterator<Item = u32> {
        let start = self.sorted.partition_point(|(known, _)| known < key);
        let end = start + self.sorted[start..].partition_point(|(known, _)| known == key);
        self.sorted[start..end].iter().map(|&(_, sample)| sample)
    }
}

/// The references whose samples are still there, as far as they are `wanted`, which is asked before
/// each.
fn where_they_stood(
    dataset: &Dataset,
    files: &HashMap<&str, Vec<usize>>,
    sample_refs: &[SampleRef],
    wanted: &dyn KeepGoing,
) -> Vec<(SampleKey, u32)> {
    let mut buffers = Buffers::default();
    let mut there = |sample_ref: &SampleRef| {
        // Files of different folders can have one name.
        let mut samples = files
            .get(&*sample_ref.file)?
            .iter()
            .filter_map(|&file| dataset.sample_of_row(file, sample_ref.row));
        let sample =
            samples.find(|&sample| dataset.key(sample, &mut buffers) == Some(sample_ref.sample))?;
        Some((sample_ref.sample, sample as u32))
    };
    let wanted = sample_refs.iter().take_while(|_| wanted());
    wanted.filter_map(&mut there).collect()
}
