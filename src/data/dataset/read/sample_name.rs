//! The user's names of a sample: `42`, `train.jsonl:27`, `1f3a97c2`, `q-17`.

use std::cell::Cell;
use std::str::FromStr;
use std::sync::Arc;

use crate::dataset::{Chunk, Dataset};
use crate::parallel::KeepGoing;
use crate::schema::TextKinds;
use crate::text::{grouped, one_line};

/// Sufficient digits of a key. With eight, about one file of 10,000 samples in a hundred has a
/// collision, which is reported.
const KEY_DIGITS: usize = 8;
/// Maximum cells of a name quoted in a message.
const QUOTED: usize = 60;

/// A name that a user gives a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SampleName {
    /// A row of a file: the line as editors count it, from 1; in lists and tables, the row.
    Row {
        /// The file name, as on the command line.
        file: String,
        /// The line.
        line: u64,
    },
    /// A number from 1, the first digits of its key, or an id in one of its rows.
    Word(String),
}

impl FromStr for SampleName {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        match Self::of_row(typed) {
            Some(row) => Ok(row),
            None if typed.trim().is_empty() => Err("empty sample name".to_owned()),
            None => Ok(Self::Word(typed.to_owned())),
        }
    }
}

impl SampleName {
    /// Parses `FILE:ROW`, unless a file with that whole name exists. FILE may be an address in the
    /// hub.
    pub fn of_row(typed: &str) -> Option<Self> {
        let (file, line) = typed.rsplit_once(':')?;
        let line = line.parse().ok().filter(|line| *line > 0)?;
        let is_file = |path: &str| std::path::Path::new(path).exists();
        let is_address = file.starts_with("hf:");
        (is_address || (is_file(file) && !is_file(typed))).then(|| Self::Row {
            file: file.to_owned(),
            line,
        })
    }

    /// Returns the number, from 1, if it is one.
    fn number(&self) -> Option<usize> {
        match self {
            Self::Word(word) => word.parse().ok().filter(|number| *number > 0),
            Self::Row { .. } => None,
        }
    }
}

impl Dataset {
    /// Returns the sample of a name, from 0, if that needs no reading.
    pub fn sample_at(&self, name: &SampleName) -> Option<usize> {
        let SampleName::Row { file, line } = name else {
            let number = name.number().filter(|number| *number <= self.samples())?;
            return Some(number - 1);
        };
        let file = self
            .files
            .iter()
            .position(|known| known.source.name() == file)?;
        let starts_before = |chunk: &&Arc<Chunk>| chunk.rows() > 0 && chunk.line(0) < *line;
        let chunk = self.chunks_of_file(file).iter().rfind(starts_before)?;
        let within = (0..chunk.rows()).find(|row| chunk.line(*row) + 1 == *line)?;
        self.sample_of_row(file, chunk.first_row_in_file + within as u64 + 1)
    }

    /// Returns the sample of a name, from 0; searches all rows for a key or an id. `None` if
    /// cancelled.
    ///
    /// # Errors
    /// If there is none, or several keys have this prefix; the message says what to do.
    pub fn find_sample(
        &self,
        name: &SampleName,
        keep_going: &dyn KeepGoing,
    ) -> Option<Result<usize, String>> {
        if let Some(sample) = self.sample_at(name) {
            return Some(Ok(sample));
        }
        let word = match name {
            SampleName::Row { file, line } => {
                let (file, line) = (one_line(file, QUOTED), grouped(*line as usize));
                return Some(Err(format!("{file} has no record on line {line}")));
            }
            SampleName::Word(word) => word,
        };
        let found = match self.with_key(word, keep_going)? {
            Ok(None) => self.with_id(word, keep_going)?.ok_or_else(|| {
                let (quoted, samples) = (one_line(word, QUOTED), grouped(self.samples()));
                match name.number() {
                    Some(_) => format!(
                        "no sample has the number or id {quoted}; the last number is {samples}"
                    ),
                    None => format!(
                        "no sample has the key or id {quoted}; `visavis list QUERY --columns sample,key` lists keys"
                    ),
                }
            }),
            Ok(Some(sample)) => Ok(sample),
            Err(several) => Err(several),
        };
        keep_going().then_some(found)
    }

    /// Returns the first sample whose key begins with these digits. Samples with equal texts share
    /// a key.
    fn with_key(
        &self,
        word: &str,
        keep_going: &dyn KeepGoing,
    ) -> Option<Result<Option<usize>, String>> {
        let is_key = (KEY_DIGITS..=32).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_key {
            return Some(Ok(None));
        }
        let digits = word.to_ascii_lowercase();
        let keys = self.keys(0..self.samples(), keep_going);
        let keys = (0..).zip(keys).filter_map(|(at, key)| Some((at, key?)));
        let mut found = keys.filter(|(_, key)| key.to_string().starts_with(&digits));
        let Some((first, key)) = found.next() else {
            return keep_going().then_some(Ok(None));
        };
        Some(match found.find(|(_, other)| *other != key) {
            None => Ok(Some(first)),
            Some((other, _)) => Err(format!(
                "samples {} and {} both have keys that begin with {digits}; type more digits",
                grouped(first + 1),
                grouped(other + 1)
            )),
        })
    }

    /// Returns the first sample with an id.
    fn with_id(&self, id: &str, keep_going: &dyn KeepGoing) -> Option<Option<usize>> {
        let (found, mut scratch) = (Cell::new(None), String::new());
        let goes_on = |_| found.get().is_none() && keep_going();
        self.for_each_sample(0..self.samples(), &goes_on, &mut |sample, rows| {
            rows.for_each_text(TextKinds::ID, &mut scratch, &mut |_, text| {
                if text == id && found.get().is_none() {
                    found.set(Some(sample));
                }
            });
        });
        keep_going().then_some(found.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_and_row_differ_from_a_file_with_that_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        for name in ["a.jsonl", "b.jsonl", "b.jsonl:12"] {
            std::fs::write(path(name), "{}").expect("written");
        }
        let row = |name: &str, line| SampleName::Row {
            file: path(name),
            line,
        };
        for (typed, name) in [
            ("a.jsonl:12", Some(row("a.jsonl", 12))),
            ("b.jsonl:12", None),
            ("b.jsonl:13", Some(row("b.jsonl", 13))),
            ("b.jsonl:12:7", Some(row("b.jsonl:12", 7))),
            ("a.jsonl", None),
            ("a.jsonl:", None),
            ("a.jsonl:0", None),
            ("a.jsonl:-1", None),
            ("a.jsonl:1e3", None),
            ("c.jsonl:12", None),
        ] {
            assert_eq!(SampleName::of_row(&path(typed)), name, "{typed}");
        }
        for (word, number) in [
            ("1", Some(1)),
            ("12345678", Some(12_345_678)),
            ("0", None),
            ("-1", None),
            ("DEADBEEF", None),
            ("99999999999999999999", None),
            ("q:17", None),
        ] {
            let name = SampleName::Word(word.to_owned());
            assert_eq!(name.number(), number, "{word}");
            assert_eq!(word.parse(), Ok(name));
        }
        assert!("".parse::<SampleName>().is_err());
    }
}
