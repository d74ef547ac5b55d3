//! Where samples stand, by their keys.

use std::collections::{HashMap, HashSet};

use crate::dataset::{Buffers, Dataset, SampleKey, in_parallel};
use crate::journal::Spot;

/// See the module. Samples that say the same have one key.
#[derive(Debug, Clone, Default)]
pub struct Places {
    samples: HashMap<SampleKey, Vec<u32>>,
}

impl Places {
    /// The samples with a key that are known so far, in ascending order; empty where none is.
    pub fn samples(&self, key: &SampleKey) -> &[u32] {
        self.samples.get(key).map_or(&[], Vec::as_slice)
    }

    /// The first sample with a key.
    pub fn first(&self, key: &SampleKey) -> Option<usize> {
        self.samples(key).first().map(|&sample| sample as usize)
    }

    /// Learns where a sample stands.
    pub fn learn(&mut self, key: SampleKey, sample: u32) {
        let known = self.samples.entry(key).or_default();
        if let Err(at) = known.binary_search(&sample) {
            known.insert(at, sample);
        }
    }

    /// Every key with each of its samples.
    pub fn iter(&self) -> impl Iterator<Item = (&SampleKey, u32)> {
        self.samples.iter().flat_map(|(key, samples)| samples.iter().map(move |&sample| (key, sample)))
    }
}

/// Spots that are one piece of work.
const SPOTS: usize = 32;
/// Samples of a sweep that are one piece of work.
const PIECE: usize = 256;
/// Pieces at a time.
const WAVE: usize = 8;

/// Looks for samples: first where they stood, and where one is not there any more, among all. Reads rows; gives `None` where it takes so long that it is
/// no longer `wanted`. Keys that are nowhere are left out.
///
/// A sample that is found where it stood is known by that place alone, also where others say the same; a sweep finds all of them.
pub fn locate(dataset: &Dataset, spots: &[Spot], wanted: &dyn Fn() -> bool) -> Option<Places> {
    let keys: HashSet<SampleKey> = spots.iter().map(|spot| spot.sample).collect();
    let mut places = Places::default();
    // Reading this many one by one takes as long as going through everything.
    if keys.len() <= dataset.samples() / 8 {
        let mut files: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, file) in dataset.files().iter().enumerate() {
            files.entry(file.short_name()).or_default().push(place);
        }
        let pieces: Vec<_> = spots.chunks(SPOTS).collect();
        for wave in pieces.chunks(WAVE) {
            if !wanted() {
                return None;
            }
            for (key, sample) in
                in_parallel(wave, |spots| where_they_stood(dataset, &files, spots)).into_iter().flatten()
            {
                places.learn(key, sample);
            }
        }
    }
    if keys.iter().all(|key| places.first(key).is_some()) {
        return Some(places);
    }
    let starts: Vec<_> = (0..dataset.samples()).step_by(PIECE).collect();
    for wave in starts.chunks(WAVE) {
        if !wanted() {
            return None;
        }
        let found = in_parallel(wave, |&start| {
            let found = (start..).zip(dataset.keys(start..start + PIECE));
            let known = found.filter_map(|(sample, key)| Some((key.filter(|key| keys.contains(key))?, sample as u32)));
            known.collect::<Vec<_>>()
        });
        found.into_iter().flatten().for_each(|(key, sample)| places.learn(key, sample));
    }
    Some(places)
}

/// The spots whose samples are still there.
fn where_they_stood(dataset: &Dataset, files: &HashMap<&str, Vec<usize>>, spots: &[Spot]) -> Vec<(SampleKey, u32)> {
    let mut buffers = Buffers::default();
    let mut there = |spot: &Spot| {
        // Files of different folders can have one name.
        let mut samples = files.get(&*spot.file)?.iter().filter_map(|&file| dataset.sample_of_row(file, spot.row));
        let sample = samples.find(|&sample| dataset.key(sample, &mut buffers) == Some(spot.sample))?;
        Some((spot.sample, sample as u32))
    };
    spots.iter().filter_map(&mut there).collect()
}
