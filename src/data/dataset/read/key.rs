//! A content hash that identifies a sample independently of its position.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::dataset::load::chunk::hash;
use crate::dataset::{Buffers, Dataset, SampleBody, ScannedRows};
use crate::model::Response;
use crate::parallel::KeepGoing;
use crate::schema::TextKinds;

/// The texts that are hashed.
const PARTS: TextKinds = TextKinds::PROMPT.union(TextKinds::RESPONSE);

/// The first 128 bits of the SHA-256 of a sample's texts: the turns of its prompt (without their
/// markers), then its responses, turn by turn if they have several. Each text is UTF-8 followed by
/// a byte 0xFF, which cannot occur in UTF-8. Labels and quotes are not included. A malformed row is
/// hashed as its line and a byte 0xFE. Samples with equal texts have equal keys.
///
/// In Python: `hashlib.sha256(b"".join(t.encode() + b"\xff" for t in texts)).hexdigest()[:32]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SampleKey([u8; 16]);

#[derive(Default)]
pub struct Hasher(pub(super) Sha256);

impl Hasher {
    pub fn text(&mut self, text: &str) {
        self.0.update(text.as_bytes());
        self.0.update([0xff]);
    }

    fn malformed(&mut self, line: &str) {
        self.0.update(line.as_bytes());
        self.0.update([0xfe]);
    }

    pub fn key(self) -> SampleKey {
        let mut key = [0; 16];
        key.copy_from_slice(&self.0.finalize()[..16]);
        SampleKey(key)
    }
}

impl SampleKey {
    /// Returns the key of a sample that was read; `None` if its rows could not be read.
    pub fn of(body: &SampleBody<'_>) -> Option<Self> {
        let mut hasher = Hasher::default();
        match body {
            SampleBody::Sample(sample) => {
                sample
                    .prompt
                    .iter()
                    .map(|turn| &turn.text)
                    .for_each(|text| hasher.text(text));
                let responses = sample.responses.iter();
                (responses.flat_map(Response::texts)).for_each(|text| hasher.text(text));
            }
            SampleBody::Malformed { line, .. } => hasher.malformed(line),
            SampleBody::Unreadable(_) => return None,
        }
        Some(hasher.key())
    }

    fn of_rows(rows: &ScannedRows<'_>, scratch: &mut String) -> Option<Self> {
        let mut hasher = Hasher::default();
        let mut texts = 0;
        let kinds = PARTS.union(TextKinds::MALFORMED);
        rows.for_each_text(kinds, scratch, &mut |of, text| {
            texts += 1;
            match of.kind {
                TextKinds::MALFORMED => hasher.malformed(text),
                _ => hasher.text(text),
            }
        });
        (texts > 0).then(|| hasher.key())
    }

    /// Returns a pseudorandom number that depends on the content only.
    pub fn number(self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0[..8]);
        u64::from_be_bytes(first)
    }
}

impl Dataset {
    /// Returns the key of a sample; `None` if there is no such sample or its rows cannot be read.
    pub fn key(&self, sample: usize, buffers: &mut Buffers) -> Option<SampleKey> {
        SampleKey::of(&self.read(sample, buffers)?.body)
    }

    /// Returns the keys of a range of samples, in order. Cancellation is checked before each read;
    /// the remaining keys are `None` then.
    pub fn keys(
        &self,
        samples: Range<usize>,
        keep_going: &dyn KeepGoing,
    ) -> Vec<Option<SampleKey>> {
        self.keys_of_rows(samples, keep_going, &mut |_, _| {})
    }

    /// Returns the keys of a range of samples, in order, and a hash of the rows and schema name of
    /// each. Equal hashes mean that the samples are equal in everything. Hashes are valid in this
    /// process only.
    pub fn keys_and_rows(&self, samples: Range<usize>) -> (Vec<Option<SampleKey>>, Vec<u64>) {
        let samples = samples.start.min(self.samples())..samples.end.min(self.samples());
        let mut hashes = vec![0; samples.len()];
        let first = samples.start;
        let keys = self.keys_of_rows(samples, &|| true, &mut |sample, rows| {
            let schema = hash(rows.schema().definition().name.as_bytes());
            let lines = rows.lines().iter().map(|line| hash(line));
            hashes[sample - first] = lines.fold(schema, |all, line| all.rotate_left(5) ^ line);
        });
        (keys, hashes)
    }

    fn keys_of_rows(
        &self,
        samples: Range<usize>,
        keep_going: &dyn KeepGoing,
        visit: &mut dyn FnMut(usize, &ScannedRows<'_>),
    ) -> Vec<Option<SampleKey>> {
        let samples = samples.start.min(self.samples())..samples.end.min(self.samples());
        let mut keys = vec![None; samples.len()];
        let (first, mut scratch) = (samples.start, String::new());
        self.for_each_sample(samples, &|_| keep_going(), &mut |sample, rows| {
            keys[sample - first] = SampleKey::of_rows(&rows, &mut scratch);
            visit(sample, &rows);
        });
        keys
    }
}

/// Content hashes of a sample's prompt and of its responses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampleParts {
    /// Hash of the turns of its prompt.
    pub prompt: u128,
    /// Hash of each response.
    pub responses: Vec<u128>,
}

impl Dataset {
    /// Hashes the parts of samples (numbers ascending) and returns them with the sample numbers.
    /// Malformed and unreadable samples are skipped.
    pub fn parts(&self, samples: &[u32]) -> Vec<(SampleParts, u32)> {
        let (mut parts, mut scratch) = (Vec::new(), String::new());
        let number = |sample: usize| u32::try_from(sample).unwrap_or(u32::MAX);
        let is_named = |sample: usize| samples.binary_search(&number(sample)).is_ok();
        let key = |hasher: Hasher| u128::from_be_bytes(hasher.key().0);
        let mut visit = |sample: usize, rows: ScannedRows<'_>| {
            if rows.malformed || rows.lines().is_empty() {
                return;
            }
            let (mut prompt, mut responses) = (Hasher::default(), Vec::new());
            rows.for_each_text(PARTS, &mut scratch, &mut |of, text| match of.response {
                None => prompt.text(text),
                Some(place) => {
                    responses.resize_with(responses.len().max(place + 1), Hasher::default);
                    responses[place].text(text);
                }
            });
            let parts_of_sample = SampleParts {
                prompt: key(prompt),
                responses: responses.into_iter().map(key).collect(),
            };
            parts.push((parts_of_sample, number(sample)));
        };
        self.for_each_sample(0..self.samples(), &is_named, &mut visit);
        parts
    }
}

impl fmt::Display for SampleKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl FromStr for SampleKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("invalid sample key {text}: expected 32 hex digits");
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| wrong())?;
        Ok(Self(number.to_be_bytes()))
    }
}

impl Serialize for SampleKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SampleKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Flattened entries contain owned text.
        std::borrow::Cow::<str>::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::dataset;

    #[test]
    fn keys_are_what_the_doc_sentence_says() {
        let rows = [
            r#"{"prompt": "why\n<extra_id_1>Assistant\nbecause\n<extra_id_1>User\nah \u00e9", "response": "one", "helpfulness": 1, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1}"#,
            r#"{"prompt": "why\n<extra_id_1>Assistant\nbecause\n<extra_id_1>User\nah é", "response": "two", "helpfulness": 1, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1}"#,
            "{broken",
        ];
        let dataset = dataset(&[rows.join("\n")]);
        let hash = |bytes: &[u8]| {
            let digest = Sha256::digest(bytes);
            digest[..16]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        let expected = [
            hash(b"why\xffbecause\xffah \xc3\xa9\xffone\xfftwo\xff"),
            hash(b"{broken\xfe"),
        ];
        let swept = dataset.keys(0..9, &|| true);
        let read: Vec<_> = (0..2)
            .map(|sample| dataset.key(sample, &mut Buffers::default()))
            .collect();
        assert_eq!(swept, read, "both ways of reading");
        let spelled: Vec<_> = read
            .iter()
            .map(|key| key.map(|key| key.to_string()).unwrap_or_default())
            .collect();
        assert_eq!(spelled, expected);
        assert_eq!(spelled[0].parse::<SampleKey>().ok(), read[0]);
        assert_eq!(
            serde_json::to_string(&read[0]).expect("a key"),
            format!("\"{}\"", spelled[0])
        );
    }

    #[test]
    fn parts_distinguish_prompt_and_responses() {
        let row = |prompt: &str, response: &str| {
            format!(
                r#"{{"prompt": "{prompt}", "response": "{response}", "helpfulness": 1, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1}}"#
            )
        };
        let rows = [
            row("p", "one"),
            row("p", "two"),
            "{broken".to_owned(),
            row("q", "one"),
            row("q", "two"),
            row("p", "two"),
            row("p", "one"),
            row("p", "on"),
            row("p", "etwo"),
        ];
        let dataset = dataset(&[rows.join("\n")]);
        let parts = dataset.parts(&[0, 1, 2, 3, 4]);
        let numbers: Vec<_> = parts.iter().map(|(_, number)| *number).collect();
        assert_eq!(numbers, [0, 2, 3, 4], "none of a malformed row");
        let of = |at: usize| {
            let mut parts = parts[at].0.clone();
            parts.responses.sort_unstable();
            parts
        };
        assert_eq!(of(0), of(2), "independent of order");
        assert_eq!(of(0).responses, of(1).responses);
        assert_ne!(of(0).prompt, of(1).prompt);
        assert_ne!(of(0).responses, of(3).responses);
        assert_eq!(dataset.parts(&[1]), [], "a malformed row");
    }

    #[test]
    fn invalid_keys() {
        for text in [
            "",
            "1234",
            "0123456789abcdef0123456789abcdeg",
            "+123456789abcdef0123456789abcdef",
            "é23456789abcdef0123456789abcdef",
        ] {
            assert!(text.parse::<SampleKey>().is_err(), "{text}");
        }
    }
}
