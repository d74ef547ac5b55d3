//! A name for what a sample says, that outlives the place where it stands.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::{Buffers, Dataset, SampleBody, ScannedRows};
use crate::model::Response;
use crate::schema::RowText;

/// The first 128 bits of the SHA-256 of a sample's texts: the turns of its prompt (without their
/// markers) and then its responses, turn by turn where they have several, each as UTF-8 with a byte 0xFF behind it, which no UTF-8 text
/// has. Labels have no part in it, nor do quotes. Of a malformed row: of its line and a byte 0xFE.
/// Samples that say the same have the same key.
///
/// In Python: `hashlib.sha256(b"".join(t.encode() + b"\xff" for t in texts)).hexdigest()[:32]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SampleKey([u8; 16]);

/// A key as it comes to be.
#[derive(Default)]
struct Hasher(Sha256);

impl Hasher {
    fn text(&mut self, text: &str) {
        self.0.update(text.as_bytes());
        self.0.update([0xff]);
    }

    fn malformed(&mut self, line: &str) {
        self.0.update(line.as_bytes());
        self.0.update([0xfe]);
    }

    fn key(self) -> SampleKey {
        let mut key = [0; 16];
        key.copy_from_slice(&self.0.finalize()[..16]);
        SampleKey(key)
    }
}

impl SampleKey {
    /// The key of a sample as it was read; `None` where its rows could not be had.
    pub fn of(body: &SampleBody<'_>) -> Option<Self> {
        let mut hasher = Hasher::default();
        match body {
            SampleBody::Sample(sample) => {
                let turns = sample.prompt.iter().map(|turn| &turn.text);
                turns.for_each(|text| hasher.text(text));
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
        rows.texts(scratch, &mut |passage, text| {
            texts += 1;
            match passage {
                None => hasher.malformed(text),
                Some(RowText::Prompt | RowText::Response(_)) => hasher.text(text),
                Some(RowText::QuoteTitle(_) | RowText::Quote(_) | RowText::Rationale(_)) => {}
            }
        });
        (texts > 0).then(|| hasher.key())
    }

    /// A number made of it, for what must look like chance and be the same wherever the sample
    /// stands.
    pub fn number(self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0[..8]);
        u64::from_be_bytes(first)
    }
}

impl Dataset {
    /// The key of a sample; `None` when there is none with that number, or its rows cannot be had.
    pub fn key(&self, sample: usize, buffers: &mut Buffers) -> Option<SampleKey> {
        SampleKey::of(&self.read(sample, buffers)?.body)
    }

    /// The keys of some samples, in order; as soon as they are no longer `wanted`, which is asked
    /// before a piece of the file is read, none for the rest.
    pub fn keys(&self, samples: Range<usize>, wanted: &dyn Fn() -> bool) -> Vec<Option<SampleKey>> {
        let samples = samples.start.min(self.samples())..samples.end.min(self.samples());
        let mut keys = vec![None; samples.len()];
        let (first, mut scratch) = (samples.start, String::new());
        self.sweep(samples, &|_| wanted(), &mut |sample, rows| {
            keys[sample - first] = SampleKey::of_rows(&rows, &mut scratch);
        });
        keys
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
        let wrong = || format!("{text} is no key of a sample: 32 hex digits were expected");
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
        // A flattened entry hands over owned text.
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
    fn what_is_no_key() {
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
