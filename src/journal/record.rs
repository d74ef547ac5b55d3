//! Lines of a journal: what they say, and under which keys; [`super::line`] has the values that are
//! not written as they are.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::line;
use crate::dataset::{Dataset, Fingerprint, SampleKey};
use crate::model::{ResponseId, ResponseOrder, SpotCheckVerdict, Verdict};

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of this format: 1 or 2.
    pub journal: u32,
    /// The version of the program that began the journal.
    pub visavis: String,
    /// When, in UTC (RFC 3339, milliseconds).
    #[serde(default)]
    pub time: String,
    /// Names of the files, without their folders.
    #[serde(default)]
    pub files: Vec<String>,
    /// Name of the first file's schema.
    #[serde(default)]
    pub schema: String,
    /// A fingerprint of the dataset: the key of its first sample.
    #[serde(default)]
    pub first: Option<SampleKey>,
}

/// Name of an entry, distinct among all programs that write: eight hex digits of the program's run,
/// a dash, and a number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActId(pub Arc<str>);

impl Act {
    /// The circumstances of a judgment; `None` for what is none.
    pub fn setting(&self) -> Option<&Setting> {
        match self {
            Self::Rate { setting, .. } | Self::Skip { setting } | Self::Defer { setting } => {
                Some(setting)
            }
            Self::Mark { .. }
            | Self::Tag { .. }
            | Self::Note { .. }
            | Self::Check { .. }
            | Self::Audit(_)
            | Self::Seen { .. }
            | Self::Undo { .. }
            | Self::Redo { .. } => None,
        }
    }
}

impl Header {
    /// The line that says it, without a line break.
    pub fn line(&self) -> String {
        // It is made of strings and numbers alone, which can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl ActRecord {
    /// The line that says it, without a line break.
    pub fn line(&self) -> String {
        // It is made of strings and numbers alone, which can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The samples that it is about: an audit's are those of its queue.
    pub fn sample_refs(&self) -> impl Iterator<Item = &SampleRef> {
        let queue = match &self.act {
            Act::Audit(audit) => &*audit.queue,
            _ => &[],
        };
        self.sample_ref
            .iter()
            .chain(queue.iter().map(|item| &item.sample_ref))
    }
}

impl fmt::Display for ActId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// One act of a reviewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActRecord {
    /// Its name.
    pub id: ActId,
    /// When, in UTC (RFC 3339, milliseconds).
    pub time: String,
    /// Who.
    pub reviewer: Arc<str>,
    /// About which sample; `None` for what is about none or many.
    #[serde(flatten)]
    pub sample_ref: Option<SampleRef>,
    /// What.
    #[serde(flatten)]
    pub act: Act,
}

/// A sample, and where it stood when somebody spoke of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRef {
    /// Its key.
    pub sample: SampleKey,
    /// Name of its file, without folders: a hint.
    #[serde(default)]
    pub file: Arc<str>,
    /// Its (first) row in that file, from 1: a hint.
    #[serde(default)]
    pub row: u64,
}

impl SampleRef {
    /// A sample of a dataset by its number, with its key; `None` where there is none.
    pub fn of(dataset: &Dataset, sample: usize, key: SampleKey) -> Option<Self> {
        let place = dataset.place(dataset.sample_rows(sample)?.first())?;
        Some(Self {
            sample: key,
            file: dataset.files().get(place.file)?.short_name().into(),
            row: place.row,
        })
    }
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "lowercase")]
pub enum Act {
    /// Marked, or no longer.
    Mark {
        /// Whether it is marked now.
        on: bool,
    },
    /// Tagged, or no longer.
    Tag {
        /// The tag.
        tag: Arc<str>,
        /// Whether the sample has it now.
        on: bool,
    },
    /// A note in place of the reviewer's note before; empty: none any more.
    Note {
        /// What it says.
        text: Arc<str>,
        /// In which order the responses stood whose letters it may name; `None` where that is not
        /// known, as of notes of versions that did not keep it.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            serialize_with = "line::write_note_order",
            deserialize_with = "line::read_note_order"
        )]
        order: Option<ResponseOrder>,
    },
    /// What the dataset says of the sample is judged, in place of the same reviewer's verdict
    /// before.
    Check {
        /// What the reviewer says of it; `None` takes the verdict back.
        #[serde(
            rename = "check",
            serialize_with = "line::write_word",
            deserialize_with = "line::read_word"
        )]
        verdict: Option<SpotCheckVerdict>,
        /// How the sample came before the reviewer.
        #[serde(flatten, deserialize_with = "line::read_drawn")]
        drawn: CheckDraw,
    },
    /// One judgment, in place of the one that the same reviewer gave to the same question before.
    Rate {
        /// What was judged, and how.
        #[serde(flatten)]
        rated: Judgment,
        /// Under which circumstances.
        #[serde(flatten)]
        setting: Setting,
    },
    /// The reviewer does not judge this sample.
    Skip {
        /// Under which circumstances.
        #[serde(flatten)]
        setting: Setting,
    },
    /// The sample comes again at the end of the audit.
    Defer {
        /// Under which circumstances.
        #[serde(flatten)]
        setting: Setting,
    },
    /// An audit begins; the entry's id is its name.
    Audit(Arc<AuditPlan>),
    /// The reviewer's screen showed what the dataset says of these samples: nothing of them is
    /// judged blind from then on.
    Seen {
        /// Their keys.
        #[serde(rename = "keys")]
        samples: Arc<[SampleKey]>,
    },
    /// Another act of the same reviewer no longer holds.
    Undo {
        /// Its name.
        entry: ActId,
    },
    /// An act that was undone holds again, where it stood before.
    Redo {
        /// Its name.
        entry: ActId,
    },
}

/// How a sample came before the reviewer who checked what the dataset says of it: what share of
/// others is wrong can be told from those that were drawn alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "drawn", rename_all = "lowercase")]
pub enum CheckDraw {
    /// It stands in a queue of what is suspicious, the most suspicious first.
    Suspicion {
        /// Its place in the queue, from 1.
        rank: u64,
        /// How many samples are in the queue.
        of: u64,
        /// The filter in force, without its order; empty for none.
        #[serde(default)]
        filter: Arc<str>,
    },
    /// It stands in a queue that was shuffled.
    Random {
        /// Seed of the order.
        seed: u64,
        /// Its place in the queue, from 1.
        rank: u64,
        /// How many samples are in the queue.
        of: u64,
        /// The filter in force, without its order; empty for none.
        #[serde(default)]
        filter: Arc<str>,
    },
    /// The reviewer came to it in another way, or in one that only a later version knows.
    #[serde(other)]
    Chosen,
}

impl CheckDraw {
    /// Whether both are of one queue: drawn in the same way, by the same filter and seed.
    pub fn is_of_queue(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Suspicion { filter, .. }, Self::Suspicion { filter: other, .. }) => {
                filter == other
            }
            (
                Self::Random { seed, filter, .. },
                Self::Random {
                    seed: other_seed,
                    filter: other,
                    ..
                },
            ) => seed == other_seed && filter == other,
            (Self::Chosen, Self::Chosen) => true,
            _ => false,
        }
    }
}

/// A judgment. Responses are those of the file, also where they were shown in another order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "lowercase")]
pub enum Judgment {
    /// A label of one response.
    Label {
        /// The label's name in the schema.
        label: Arc<str>,
        /// Of which response.
        #[serde(
            alias = "side",
            serialize_with = "line::write_word",
            deserialize_with = "line::read_word"
        )]
        response: ResponseId,
        /// Its value; `None` takes the judgment back, and so does what is no finite number.
        #[serde(
            serialize_with = "line::write_value",
            deserialize_with = "line::read_value"
        )]
        value: Option<f64>,
    },
    /// Who wins.
    Verdict {
        /// The best response, or a tie; `None` takes the judgment back.
        #[serde(
            rename = "verdict",
            serialize_with = "line::write_word",
            deserialize_with = "line::read_word"
        )]
        value: Option<Verdict>,
        /// How strongly, from 1 up to what the schema has; `None` where that was not asked, and for
        /// a tie.
        #[serde(skip_serializing_if = "Option::is_none")]
        strength: Option<u8>,
    },
}

/// Under which circumstances a judgment was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setting {
    /// The audit that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<ActId>,
    /// The how manieth time the sample was asked about in that audit, from 1.
    pub pass: u8,
    /// Whether the dataset's own judgment was hidden, and the reviewer had not seen it before
    /// either.
    pub blind: bool,
    /// In which order the responses were shown.
    #[serde(
        alias = "swapped",
        skip_serializing_if = "ResponseOrder::is_of_file",
        serialize_with = "line::write_order",
        deserialize_with = "line::read_order"
    )]
    pub order: ResponseOrder,
    /// Whether the dataset's own judgment was hidden, but the reviewer's screen had shown it
    /// before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
    /// Whether the judgment changes, withdraws or puts off one that was given before the dataset's
    /// own showed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub revealed: bool,
    /// Seed of the coin that put the responses into their order, where no audit says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coin: Option<u32>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            audit: None,
            pass: 1,
            blind: false,
            order: ResponseOrder::OF_FILE,
            seen: false,
            revealed: false,
            coin: None,
        }
    }
}

/// A sample that was drawn, as the plan of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditPlan {
    /// How many samples were asked for.
    pub n: u32,
    /// Seed of the draw and of the coin that puts responses into an order.
    pub seed: u64,
    /// By what the draw is stratified, as a query spells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<StratifyBy>,
    /// Share of the samples that come back with their responses the other way round, 0 to 1.
    #[serde(default, serialize_with = "line::write_number")]
    pub repeat: f64,
    /// Whether the dataset's own judgment is hidden.
    #[serde(default)]
    pub blind: bool,
    /// When it is shown.
    #[serde(
        flatten,
        serialize_with = "line::write_reveal",
        deserialize_with = "line::read_reveal"
    )]
    pub reveal: Reveal,
    /// The filter in force, as a query; empty for none.
    #[serde(default)]
    pub filter: String,
    /// Whose judgments differ in all of the samples, where a third reviewer judges those alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[Arc<str>; 2]>,
    /// How many samples it was drawn from.
    pub of: u64,
    /// The dataset that it was drawn from; `None` in journals of versions that did not keep it.
    #[serde(flatten)]
    pub data: Option<Fingerprint>,
    /// The strata, where there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<Stratum>,
    /// What is asked about, in this order.
    pub queue: Vec<AuditItem>,
}

impl AuditPlan {
    /// How many samples were drawn; what comes back counts once.
    pub fn drawn(&self) -> usize {
        self.queue.iter().filter(|item| item.pass <= 1).count()
    }

    /// When the dataset's own judgment shows, of a blind audit: whoever knows it would not judge
    /// anew a sample that comes back.
    pub fn reveals(&self) -> Reveal {
        if self.repeat > 0.0 {
            self.reveal.max(Reveal::End)
        } else {
            self.reveal
        }
    }
}

/// By what a draw is stratified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StratifyBy {
    /// The field, as a query spells it.
    pub field: String,
    /// Whether each stratum gives as many as any other, instead of its share.
    #[serde(default)]
    pub even: bool,
}

/// Samples that have the same value of what a draw is stratified by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stratum {
    /// The value, for people.
    pub value: String,
    /// How many there are.
    pub of: u64,
    /// How many of them were drawn.
    pub drawn: u64,
}

/// One question of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditItem {
    /// About which sample.
    #[serde(flatten)]
    pub sample_ref: SampleRef,
    /// The how manieth time, from 1.
    #[serde(default = "first")]
    pub pass: u8,
    /// In which order the responses are shown.
    #[serde(
        default,
        alias = "swapped",
        skip_serializing_if = "ResponseOrder::is_of_file",
        serialize_with = "line::write_order",
        deserialize_with = "line::read_order"
    )]
    pub order: ResponseOrder,
}

/// The pass where a line names none.
const fn first() -> u8 {
    1
}

/// When the dataset's own judgment is shown to somebody who judges blind.
///
/// In the order of how long it stays hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reveal {
    /// Once the sample is judged; with repeats, once the whole audit is ([`AuditPlan::reveals`]).
    #[default]
    After,
    /// Once the whole audit is judged.
    End,
    /// Never in this audit.
    Never,
}
