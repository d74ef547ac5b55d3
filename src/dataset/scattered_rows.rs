//! Detects rows of one prompt that are not adjacent, for example in shuffled files.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::{Buffers, Dataset, SampleBody};
use crate::schema::Path;

/// Samples read. Of a million with two responses each, this many have some fifty prompts in common.
const SAMPLES_READ: usize = 10_000;
/// Minimum percentage of samples with a single response.
const SINGLE_PERCENT: usize = 90;

impl Dataset {
    /// Returns the path of the prompt by which rows can be joined to samples, if they seem to be
    /// scattered: the schema groups consecutive rows with the same prompt, nearly all samples have
    /// only one response, and about half of the prompts or more occur again elsewhere. Reads at
    /// most ten thousand samples.
    pub fn prompt_of_scattered_rows(&self) -> Option<&Path> {
        let mut schemas = self.files().iter().map(|file| &file.schema);
        if !schemas.all(|schema| schema.joins_rows() && !schema.groups_by_key()) {
            return None;
        }
        let definition = self.files().first()?.schema.definition();
        let [prompt] = &definition.prompt.as_ref()?.path[..] else {
            return None;
        };
        let samples = self.samples();
        let looked_at = (0..samples).step_by(samples.div_ceil(SAMPLES_READ).max(1));
        let is_single = |sample: &usize| {
            let rows = self.sample_rows(*sample);
            rows.is_some_and(|rows| rows.count() == 1)
        };
        if looked_at.clone().filter(is_single).count() * 100 < looked_at.len() * SINGLE_PERCENT {
            return None;
        }
        let (mut prompts, hasher, mut buffers) =
            (HashMap::new(), RandomState::new(), Buffers::default());
        let (mut read, mut again) = (0, 0);
        for sample in looked_at {
            let Some(loaded) = self.read(sample, &mut buffers) else {
                continue;
            };
            let SampleBody::Sample(sample) = loaded.body else {
                continue;
            };
            let turns: Vec<_> = sample.prompt.iter().map(|turn| &*turn.text).collect();
            if turns.iter().all(|turn| turn.trim().is_empty()) {
                continue;
            }
            read += 1;
            let times = prompts.entry(hasher.hash_one(turns)).or_insert(0_usize);
            *times += 1;
            again += usize::from(*times > 1);
        }
        // Of n samples out of N in pairs, n² / 2N have their other row among them. Half of that
        // suffices.
        (again > 0 && again * samples * 4 >= read * read).then_some(prompt)
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::tests::dataset;

    fn rows(prompts: impl Iterator<Item = usize>) -> String {
        let row =
            |prompt| format!("{{\"prompt\":\"p{prompt}\",\"response\":\"r\",\"helpfulness\":1}}\n");
        prompts.map(row).collect()
    }

    #[test]
    fn shuffled_rows_differ_from_pairs_and_singles() {
        let shuffled = || (0..200).chain(0..200);
        for (text, is_apart) in [
            (rows(shuffled()), true),
            (rows((0..400).map(|row| row / 2)), false),
            (rows(0..400), false),
            // Some prompts repeat.
            (rows((0..400).map(|row| row % 390)), false),
            // A few scattered rows are not suspicious.
            (rows((0..400).map(|row| row / 2).chain(0..40)), false),
            (
                String::from("{\"prompt\":\"\",\"response\":\"r\",\"helpfulness\":1}\n"),
                false,
            ),
        ] {
            let dataset = dataset(&[text]);
            let prompt = dataset.prompt_of_scattered_rows().map(ToString::to_string);
            assert_eq!(prompt.as_deref(), is_apart.then_some("/prompt"));
        }
        let pairs = "{\"prompt\":\"p\",\"chosen\":\"a\",\"rejected\":\"b\"}\n".repeat(3);
        assert!(dataset(&[pairs]).prompt_of_scattered_rows().is_none());
    }
}
