//! Encoding of journal lines: flat JSON objects in which each type of value has its own key, so
//! that a table of all lines has one type per column. [`super::record`] defines the keys.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::record::{Act, ActId, ActRecord, CheckDraw, Header, Reveal};
use super::texts;
use crate::model::{ResponseId, ResponseOrder, SpotCheckVerdict, Verdict};

/// A parsed line.
#[derive(Debug, PartialEq)]
pub(super) enum JournalLine {
    /// The beginning of a journal; not the first line if journals were concatenated.
    Header(Header),
    /// An act.
    Entry(Box<ActRecord>),
    /// A line that cannot be parsed, with the reason.
    Bad(String),
}

impl JournalLine {
    /// Parses a line.
    pub(super) fn read(line: &[u8]) -> Self {
        match serde_json::from_slice::<ActRecord>(line) {
            Ok(entry) if entry.sample_ref.is_none() && entry.act.is_of_sample() => {
                Self::Bad(texts::NO_SAMPLE.to_owned())
            }
            Ok(entry) => Self::Entry(Box::new(entry)),
            Err(error) => match (later_act(line), Self::header(line)) {
                (Some(later), _) => Self::Entry(Box::new(later)),
                (None, Some(header)) => Self::Header(header),
                (None, None) => Self::Bad(describe(&error)),
            },
        }
    }

    /// Parses a line as a header; for a later version, only the keys that all versions have.
    pub(super) fn header(line: &[u8]) -> Option<Header> {
        serde_json::from_slice::<Header>(line).ok().or_else(|| {
            let HeaderKeys { journal, visavis } = serde_json::from_slice(line).ok()?;
            Some(Header {
                journal,
                visavis,
                ..Header::default()
            })
        })
    }
}

/// The keys that the header has in every version.
#[derive(Deserialize)]
struct HeaderKeys {
    journal: u32,
    visavis: String,
}

/// The acts of this version.
const ACTS: &[&str] = &[
    "mark", "tag", "note", "check", "rate", "skip", "defer", "audit", "seen", "undo", "redo",
];

/// Returns the act of an invalid line whose act, question or verdict only a later version can know.
/// Known names are not accepted, although a later version may use them differently.
fn later_act(line: &[u8]) -> Option<ActRecord> {
    let keys: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let word = |key: &str| keys.get(key).and_then(Value::as_str);
    let name = match (word("act")?, word("question"), word("check")) {
        ("rate", Some(question), _) if !["label", "verdict"].contains(&question) => {
            format!("rate {question}")
        }
        ("check", _, Some(check)) if SpotCheckVerdict::of_word(check).is_none() => {
            format!("check {check}")
        }
        (act, ..) if ACTS.contains(&act) => return None,
        (act, ..) => act.to_owned(),
    };
    Some(ActRecord {
        id: ActId(word("id")?.into()),
        time: word("time")?.to_owned(),
        reviewer: word("reviewer")?.into(),
        sample_ref: None,
        act: Act::Later([
            name.into(),
            String::from_utf8_lossy(line.trim_ascii()).into(),
        ]),
    })
}

/// Formats an error without serde_json's line number, which is always 1.
fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line 1 column ").next().unwrap_or_default();
    match error.column() {
        0 => what.to_owned(),
        column => format!("{what} (column {column})"),
    }
}

impl Act {
    /// True if the act is about one sample.
    fn is_of_sample(&self) -> bool {
        !matches!(
            self,
            Self::Audit(_) | Self::Seen { .. } | Self::Undo { .. } | Self::Redo { .. }
        )
    }
}

/// A value that is written as a word, or `null`.
pub(super) trait Word: Sized {
    fn word(&self) -> Option<String>;
    fn of_word(word: Option<&str>) -> Result<Self, &'static str>;

    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.word().serialize(out)
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = Option::<String>::deserialize(from)?;
        Self::of_word(word.as_deref()).map_err(D::Error::custom)
    }
}

impl Word for ResponseId {
    fn word(&self) -> Option<String> {
        Some((*self).word().to_owned())
    }

    fn of_word(word: Option<&str>) -> Result<Self, &'static str> {
        word.and_then(Self::of_word).ok_or(texts::NO_RESPONSE)
    }
}

impl Word for Option<Verdict> {
    fn word(&self) -> Option<String> {
        self.map(Verdict::word)
    }

    fn of_word(word: Option<&str>) -> Result<Self, &'static str> {
        word.map(|word| Verdict::of_word(word).ok_or(word))
            .transpose()
            .map_err(|_| texts::NO_VERDICT)
    }
}

impl Word for Option<SpotCheckVerdict> {
    fn word(&self) -> Option<String> {
        self.map(|verdict| verdict.word().to_owned())
    }

    fn of_word(word: Option<&str>) -> Result<Self, &'static str> {
        word.map(|word| SpotCheckVerdict::of_word(word).ok_or(word))
            .transpose()
            .map_err(|_| texts::LATER_CHECK)
    }
}

pub(super) fn write_order<S: Serializer>(order: &ResponseOrder, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&order.word())
}

/// An order of responses as letters, or as in version 1, which knew two responses: whether they
/// were swapped.
#[derive(Deserialize)]
#[serde(untagged)]
enum OrderKey {
    Swapped(bool),
    Word(String),
}

pub(super) fn read_order<'de, D: Deserializer<'de>, O: From<ResponseOrder>>(
    from: D,
) -> Result<O, D::Error> {
    let order = match OrderKey::deserialize(from)? {
        OrderKey::Swapped(false) => Some(ResponseOrder::OF_FILE),
        OrderKey::Swapped(true) => Some(ResponseOrder::OF_FILE.reversed(2)),
        OrderKey::Word(word) => ResponseOrder::of_word(&word),
    };
    order
        .map(O::from)
        .ok_or_else(|| D::Error::custom(texts::NO_ORDER))
}

/// Writes the order of a note. File order is written as two letters, because a missing order means
/// unknown.
pub(super) fn write_note_order<S: Serializer>(
    order: &Option<ResponseOrder>,
    out: S,
) -> Result<S::Ok, S::Error> {
    let word = order.as_ref().map(|order| {
        if order.is_of_file() {
            order.whole_word(2)
        } else {
            order.word()
        }
    });
    word.serialize(out)
}

/// Reads how a checked sample was drawn; a line without that key means chosen by the reviewer.
pub(super) fn read_drawn<'de, D: Deserializer<'de>>(from: D) -> Result<CheckDraw, D::Error> {
    let keys = Map::deserialize(from)?;
    if keys.contains_key("drawn") {
        CheckDraw::deserialize(Value::Object(keys)).map_err(D::Error::custom)
    } else {
        Ok(CheckDraw::Chosen)
    }
}

/// Writes a number, without a fraction if it is whole.
pub(super) fn write_number<S: Serializer>(
    number: &(impl Copy + Into<Option<f64>>),
    out: S,
) -> Result<S::Ok, S::Error> {
    match (*number).into() {
        Some(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => {
            out.serialize_i64(number as i64)
        }
        Some(number) => out.serialize_f64(number),
        None => out.serialize_none(),
    }
}

/// When labels are revealed. Earlier versions do not know the end of an audit, so `never` is
/// written for them: they hide at least as much.
#[derive(Serialize, Deserialize)]
struct RevealKeys {
    #[serde(default)]
    reveal: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    reveal_at_end: bool,
}

pub(super) fn write_reveal<S: Serializer>(reveal: &Reveal, out: S) -> Result<S::Ok, S::Error> {
    let word = match reveal {
        Reveal::After => "after",
        Reveal::End | Reveal::Never => "never",
    };
    let keys = RevealKeys {
        reveal: word.to_owned(),
        reveal_at_end: *reveal == Reveal::End,
    };
    keys.serialize(out)
}

pub(super) fn read_reveal<'de, D: Deserializer<'de>>(from: D) -> Result<Reveal, D::Error> {
    let keys = RevealKeys::deserialize(from)?;
    Ok(match &*keys.reveal {
        _ if keys.reveal_at_end => Reveal::End,
        "" | "after" => Reveal::After,
        _ => Reveal::Never,
    })
}
