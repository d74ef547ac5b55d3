//! A fingerprint of a dataset, to check whether it is the one from which an audit was drawn.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::key::Hasher;
use crate::dataset::{Buffers, Chunk, Dataset, SampleRows};
use crate::schema::RaterValues;
use crate::table::{ColumnId, ColumnSource, Values, WordColumn};

/// Samples whose texts are read.
const READ: usize = 64;
/// Larger samples are not read, so that a fingerprint takes little time.
const LARGEST: u64 = 1 << 20;

/// Identifies a dataset; takes some 0.1 s for a million rows. Contains the numbers of rows and
/// samples, and a hash of: the offset of each row (in the decoded bytes of its file), the grouping
/// of rows into samples, all labels, scores, stated verdicts and lengths, facts with few distinct
/// words, and the texts of 64 samples at equal distances. Plain and compressed files have the same
/// fingerprint. Files with equal fingerprints can still differ in texts of the same length outside
/// those 64 samples, and in facts with many distinct words, such as row names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Number of rows of all files, including malformed ones.
    #[serde(rename = "data_rows")]
    pub rows: u64,
    /// Number of samples of all files, including malformed rows.
    #[serde(rename = "data_samples")]
    pub samples: u64,
    /// First 32 hex digits of the SHA-256 of the contents listed above.
    #[serde(rename = "data_hash")]
    pub hash: String,
}

/// A fast hash of numbers (the step of FxHash) that detects changes but does not resist attacks.
#[derive(Default)]
struct FoldHash(u64);

impl FoldHash {
    fn add(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn value(&mut self, value: Option<f64>) {
        self.add(value.map_or(u64::MAX, f64::to_bits));
    }

    fn count(&mut self, count: Option<f64>) {
        self.add(count.map_or(0, |count| count as u64));
    }

    /// Adds a winner: 0 is a tie, 1 is A and so on.
    fn verdict(&mut self, verdict: Option<f64>) {
        self.add(verdict.map_or(0, |verdict| 1 + verdict as u64));
    }
}

impl Dataset {
    /// Computes the fingerprint of what is loaded. Reads at most 64 samples.
    pub fn fingerprint(&self) -> Fingerprint {
        let (rows, samples) = (self.rows() as u64, self.samples() as u64);
        // Each kind separately, so that the order does not depend on how the loader split the file.
        let (mut places, mut pairs, mut said) = (
            FoldHash::default(),
            FoldHash::default(),
            FoldHash::default(),
        );
        for chunk in self.chunks() {
            chunk
                .starts
                .iter()
                .for_each(|&start| places.add(chunk.base + u64::from(start)));
            chunk
                .samples
                .iter()
                .flat_map(SampleRows::iter)
                .for_each(|row| pairs.add(u64::from(row)));
            fold_columns(chunk, &mut said);
        }
        let mut ends = FoldHash::default();
        let files = self.chunks().chunk_by(|one, next| one.file == next.file);
        (files.filter_map(<[_]>::last)).for_each(|last| ends.add(last.end));
        let mut hash = Sha256::new();
        for number in [
            rows,
            samples,
            places.0,
            pairs.0,
            said.0,
            ends.0,
            self.facts(),
        ] {
            hash.update(number.to_le_bytes());
        }
        let mut buffers = Buffers::default();
        let count = READ.min(self.samples());
        for sample in (0..count).map(|at| at * self.samples() / count) {
            let key = Some(sample).filter(|&sample| self.sample_bytes(sample) <= LARGEST);
            let key = key.and_then(|sample| self.key(sample, &mut buffers));
            hash.update(key.map(|key| key.to_string()).unwrap_or_default());
            hash.update([0xff]);
        }
        Fingerprint {
            rows,
            samples,
            hash: Hasher(hash).key().to_string(),
        }
    }
}

impl Dataset {
    /// Hashes the facts of all samples. A fact with too many distinct words for some chunks is
    /// skipped: which chunks keep them depends on how the loader split the file.
    fn facts(&self) -> u64 {
        let mut all = FoldHash::default();
        for (at, file) in self.files().iter().enumerate() {
            let chunks = self.chunks_of_file(at);
            // Files without loaded rows are skipped.
            let columns = file.schema.columns().iter().filter(|_| !chunks.is_empty());
            // Guesses did not have raters when audits stored fingerprints.
            let is_guess = file.schema.definition().guess.is_some();
            let raters = file.schema.raters().iter().filter(|_| is_guess);
            let guessed: Vec<_> = raters
                .filter_map(|rater| match rater.values {
                    RaterValues::Words(fact, _) => Some(fact),
                    RaterValues::Label(_) => None,
                })
                .collect();
            let facts = columns.map(|column| column.id);
            let facts = facts.filter(|id| matches!(id.source, ColumnSource::Fact));
            for fact in facts.filter(|id| !guessed.contains(id)) {
                let columns: Option<Vec<_>> = chunks
                    .iter()
                    .map(|chunk| spelled(chunk.columns().words(fact)?.first()?))
                    .collect();
                let columns = columns.filter(|columns| {
                    WordColumn::fit(columns.iter().flat_map(|(words, _)| words.iter()))
                });
                all.add(columns.map_or(0, |columns| folded(&columns)));
            }
        }
        all.0
    }
}

/// Returns the distinct words of a chunk and the code of each sample; `None` if there are too many.
fn spelled(words: &WordColumn) -> Option<(&[Box<str>], &[u16])> {
    match words {
        WordColumn::Codes { words, codes } => Some((words, codes)),
        WordColumn::Many => None,
    }
}

/// Hashes the words of all samples.
fn folded(columns: &[(&[Box<str>], &[u16])]) -> u64 {
    let mut fold = FoldHash::default();
    for (words, codes) in columns {
        let words: Vec<u64> = words.iter().map(|word| folded_word(word)).collect();
        codes
            .iter()
            .for_each(|&code| fold.add(words.get(usize::from(code)).copied().unwrap_or(u64::MAX)));
    }
    fold.0
}

fn folded_word(word: &str) -> u64 {
    let mut fold = FoldHash::default();
    fold.add(word.len() as u64);
    word.bytes().for_each(|byte| fold.add(u64::from(byte)));
    fold.0
}

/// Hashes the values of a chunk's samples: kinds, counts, labels, scores and verdicts. Columns are
/// listed explicitly, since audits store fingerprints: columns added later are not included.
fn fold_columns(chunk: &Chunk, fold: &mut FoldHash) {
    let columns = chunk.columns();
    let sizes: Vec<&Values> = [
        ColumnId::TURNS,
        ColumnId::LENGTH,
        ColumnId::PROMPT_LENGTH,
        ColumnId::QUOTES,
    ]
    .into_iter()
    .filter_map(|id| columns.numbers(id))
    .flatten()
    .collect();
    let labels: Vec<&Values> = columns
        .all()
        .filter(|(id, _)| matches!(id.source, ColumnSource::Label))
        .filter_map(|(_, data)| data.numbers())
        .flatten()
        .collect();
    let [verdicts, margins] =
        [ColumnId::VERDICT, ColumnId::MARGIN].map(|id| columns.of_samples(id));
    for sample in 0..chunk.samples() {
        fold.add(chunk.responses_of(sample) as u64);
        sizes.iter().for_each(|sizes| fold.count(sizes.get(sample)));
        labels
            .iter()
            .for_each(|label| fold.value(label.get(sample)));
        if let Some(verdicts) = verdicts {
            fold.verdict(verdicts.get(sample));
            fold.value(margins.and_then(|margins| margins.get(sample)));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::tests::dataset;

    fn rows(pairs: usize, change: impl Fn(usize, &mut [u8; 2], &mut String)) -> String {
        let pair = |at: usize| {
            let (mut values, mut text) =
                ([(at % 5) as u8, (at % 3) as u8], format!("answer {at:04}"));
            change(at, &mut values, &mut text);
            let row = |text: &str, value: u8| {
                format!(
                    "{{\"prompt\": \"p{at}\", \"response\": \"{text}\", \"helpfulness\": {value}, \"correctness\": 1, \
                     \"coherence\": 1, \"complexity\": 1, \"verbosity\": 1}}\n"
                )
            };
            row(&text, values[0]) + &row("other", values[1])
        };
        (0..pairs).map(pair).collect()
    }

    #[test]
    fn fingerprints_change_with_the_data() {
        let print = |text: String| dataset(&[text]).fingerprint();
        let same = |_: usize, _: &mut [u8; 2], _: &mut String| {};
        let first = print(rows(300, same));
        assert_eq!(
            (first.rows, first.samples, first.hash.len()),
            (600, 300, 32)
        );
        assert_eq!(print(rows(300, same)), first);
        let fewer = print(rows(299, same));
        assert!(fewer.rows == 598 && fewer.hash != first.hash);
        let label = print(rows(300, |at, values, _| {
            values[1] = if at == 151 { 4 } else { values[1] }
        }));
        assert_ne!(label.hash, first.hash, "a label of one digit for another");
        let longer = print(rows(300, |at, _, text| {
            text.push_str(if at == 151 { "." } else { "" });
        }));
        assert_ne!(longer.hash, first.hash);
        let read = print(rows(300, |at, _, text| {
            *text = if at == 0 {
                "answer 9999".into()
            } else {
                text.clone()
            }
        }));
        assert_ne!(read.hash, first.hash, "the texts of some samples are read");
    }

    #[test]
    fn words_of_facts_count_and_their_number_does_not_matter() {
        let print = |split: &dyn Fn(usize) -> String| {
            let row = |at: usize| {
                format!(
                    "{{\"split\": \"{}\", \"prompt\": \"p{at}\", \"response_1\": \"one\", \"response_2\": \"two\", \
                     \"preference_strength\": 1, \"preference_statement\": \"s\", \"preference_elaboration\": \"e\", \
                     \"three_most_similar_preferences\": [], \"all_preferences_unprocessed\": []}}\n",
                    split(at)
                )
            };
            dataset(&[(0..3000).map(row).collect::<String>()])
                .fingerprint()
                .hash
        };
        let train = print(&|_| "train".into());
        assert_ne!(
            print(&|at| if at == 1234 {
                "valid".into()
            } else {
                "train".into()
            }),
            train
        );
        // Facts with this many distinct words are skipped.
        assert_eq!(
            print(&|at| format!("{at:05}")),
            print(&|at| format!("{:05}", at + 1))
        );
    }

    /// Audits store fingerprints, so these must not change when the storage of columns does.
    #[test]
    fn stored_fingerprints_stay_valid() {
        let files = [
            (
                "assets/demo/helpsteer2.jsonl",
                "0ae8271f6d3ad809ba9d57d47ddac4f5",
            ),
            (
                "assets/demo/webgpt.jsonl",
                "bcf3ec6fdfda3dc364b3a73bf2220e0c",
            ),
            (
                "../../tests/samples/arena-55k.jsonl",
                "79899989e6e4c92fd26bf061193834ed",
            ),
            (
                "../../tests/samples/helpsteer2-preference.jsonl",
                "51ea6c18aa42a30681a26de8ef564c09",
            ),
            (
                "../../tests/samples/helpsteer3.jsonl",
                "ba56c75ee2a16e680c853949b89a185f",
            ),
            (
                "../../tests/samples/pku-saferlhf.jsonl",
                "93da5038772408715b88d296b9d4aa4c",
            ),
            (
                "../../tests/samples/shp.jsonl",
                "2b0a635ea1253aaa184a04593f3cf2c0",
            ),
        ];
        let found = files.map(|(path, _)| {
            let text = std::fs::read_to_string(path).expect("a file");
            (path, dataset(&[text]).fingerprint().hash)
        });
        assert_eq!(found, files.map(|(path, hash)| (path, hash.to_owned())));
    }
}
