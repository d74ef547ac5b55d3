//! The lines of a journal and their keys; [`super::line`] encodes values that serde's derive
//! cannot.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::line;
use crate::dataset::{Dataset, Fingerprint, SampleKey};
use crate::model::{ResponseId, ResponseOrder, SpotCheckVerdict, Verdict};
use crate::text::named_enum;

/// The first line of a journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format: 1 or 2.
    pub journal: u32,
    /// Version of the program that began the journal.
    pub visavis: String,
    /// Time of the beginning, in UTC (RFC 3339, milliseconds).
    #[serde(default)]
    pub time: String,
    /// Names of the files, without folders.
    #[serde(default)]
    pub files: Vec<String>,
    /// Name of the first file's schema.
    #[serde(default)]
    pub schema: String,
    /// A fingerprint of the dataset: the key of its first sample.
    #[serde(default)]
    pub first: Option<SampleKey>,
}

/// Id of an act, unique among all programs that write: eight hex digits of the program's run, a
/// dash, and a number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActId(pub Arc<str>);

impl Act {
    /// Returns the setting of a judgment; `None` for other acts.
    pub fn setting(&self) -> Option<&Setting> {
        match self {
            Self::Rate { setting, .. } | Self::Skip { setting } | Self::Defer { setting } => {
                Some(setting)
            }
            _ => None,
        }
    }
}

impl Header {
    /// Returns the header as a line, without a line break.
    pub fn line(&self) -> String {
        // It contains only strings and numbers, so serialisation cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl ActRecord {
    /// Returns the act as a line, without a line break.
    pub fn line(&self) -> String {
        match &self.act {
            Act::Later([_, line]) => line.to_string(),
            // It contains only strings and numbers, so serialisation cannot fail.
            _ => serde_json::to_string(self).unwrap_or_default(),
        }
    }

    /// Returns the samples that the act is about; for an audit, those of its queue.
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
    /// Id of the act.
    pub id: ActId,
    /// Time of the act, in UTC (RFC 3339, milliseconds).
    pub time: String,
    /// The reviewer's name.
    pub reviewer: Arc<str>,
    /// The sample; `None` if the act is about none or several.
    #[serde(flatten)]
    pub sample_ref: Option<SampleRef>,
    /// What was done.
    #[serde(flatten)]
    pub act: Act,
}

/// A sample and its place at the time of an act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRef {
    /// Key of the sample.
    pub sample: SampleKey,
    /// Name of its file, without folders; only a hint.
    #[serde(default)]
    pub file: Arc<str>,
    /// Its (first) row in that file, from 1; only a hint.
    #[serde(default)]
    pub row: u64,
}

impl SampleRef {
    /// Returns the reference of a sample with this index; `None` if there is none.
    pub fn of(dataset: &Dataset, sample: usize, key: SampleKey) -> Option<Self> {
        let place = dataset.place(dataset.sample_rows(sample)?.first())?;
        Some(Self {
            sample: key,
            file: dataset.files().get(place.file)?.short_name().into(),
            row: place.row,
        })
    }
}

/// The action of an act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "lowercase")]
pub enum Act {
    /// Sets or removes the mark.
    Mark {
        /// True to set it.
        on: bool,
    },
    /// Sets or removes a tag.
    Tag {
        /// The tag.
        tag: Arc<str>,
        /// True to set it.
        on: bool,
    },
    /// Replaces the reviewer's note; an empty text removes it.
    Note {
        /// The text.
        text: Arc<str>,
        /// Order of the responses on screen, whose letters the text may mention; `None` if unknown,
        /// as in older versions.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            serialize_with = "line::write_note_order",
            deserialize_with = "line::read_order"
        )]
        order: Option<ResponseOrder>,
    },
    /// Replaces the reviewer's verdict on the dataset's labels of the sample.
    Check {
        /// The verdict; `None` removes it.
        #[serde(rename = "check", with = "line::Word")]
        verdict: Option<SpotCheckVerdict>,
        /// How the sample was drawn.
        #[serde(flatten, deserialize_with = "line::read_drawn")]
        drawn: CheckDraw,
    },
    /// Replaces the reviewer's judgment on one question.
    Rate {
        /// The judgment.
        #[serde(flatten)]
        rated: Judgment,
        /// The setting.
        #[serde(flatten)]
        setting: Setting,
    },
    /// Skips the sample: the reviewer will not judge it.
    Skip {
        /// The setting.
        #[serde(flatten)]
        setting: Setting,
    },
    /// Moves the sample to the end of the audit.
    Defer {
        /// The setting.
        #[serde(flatten)]
        setting: Setting,
    },
    /// Begins an audit, named by the act's id.
    Audit(Arc<AuditPlan>),
    /// Records that the reviewer's screen showed the dataset's labels of these samples, so that
    /// later judgments of them are not blind.
    Seen {
        /// Their keys.
        #[serde(rename = "keys")]
        samples: Arc<[SampleKey]>,
    },
    /// Undoes an act of the same reviewer.
    Undo {
        /// Id of the act.
        entry: ActId,
    },
    /// Redoes an undone act, at its old position.
    Redo {
        /// Id of the act.
        entry: ActId,
    },
    /// An act, question or verdict that only a later version knows: its name and the whole line. It
    /// has no effect.
    #[serde(skip)]
    Later([Arc<str>; 2]),
}

/// How a checked sample was drawn. Only random draws allow an estimate of the share of wrong labels
/// in other samples.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "drawn", rename_all = "lowercase")]
pub enum CheckDraw {
    /// From the queue of suspicious samples, the most suspicious first.
    Suspicion {
        /// Rank in the queue, from 1.
        rank: u64,
        /// Number of samples in the queue.
        of: u64,
        /// The active filter, without its sort order; empty for none.
        #[serde(default)]
        filter: Arc<str>,
    },
    /// From a shuffled queue.
    Random {
        /// Seed of the order.
        seed: u64,
        /// Rank in the queue, from 1.
        rank: u64,
        /// Number of samples in the queue.
        of: u64,
        /// The active filter, without its sort order; empty for none.
        #[serde(default)]
        filter: Arc<str>,
    },
    /// Chosen by the reviewer, or drawn in a way that only a later version knows.
    #[serde(other)]
    Chosen,
}

impl CheckDraw {
    /// True if both are from one queue: the same kind of draw, filter and seed.
    pub fn is_of_queue(&self, other: &Self) -> bool {
        self.queue() == other.queue()
    }

    /// Returns the seed, if there is one, and the filter of the queue.
    pub fn queue(&self) -> Option<(Option<u64>, &str)> {
        match self {
            Self::Suspicion { filter, .. } => Some((None, filter)),
            Self::Random { seed, filter, .. } => Some((Some(*seed), filter)),
            Self::Chosen => None,
        }
    }
}

/// A judgment. Responses are numbered in file order, even if they were shown in another order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "lowercase")]
pub enum Judgment {
    /// A label of one response.
    Label {
        /// The label's name in the schema.
        label: Arc<str>,
        /// The response.
        #[serde(alias = "side", with = "line::Word")]
        response: ResponseId,
        /// The value; `None` and values that are not finite remove the judgment.
        #[serde(
            serialize_with = "line::write_number",
            deserialize_with = "Option::deserialize"
        )]
        value: Option<f64>,
    },
    /// The verdict.
    Verdict {
        /// The best response, or a tie; `None` removes the judgment.
        #[serde(rename = "verdict", with = "line::Word")]
        value: Option<Verdict>,
        /// The strength, from 1 to the schema's maximum; `None` for a tie, or if the schema has
        /// none.
        #[serde(skip_serializing_if = "Option::is_none")]
        strength: Option<u8>,
    },
}

/// The circumstances of a judgment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setting {
    /// The audit, if it belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<ActId>,
    /// Number of the pass in which the audit asks about the sample, from 1.
    pub pass: u8,
    /// True if the dataset's judgment was hidden and the reviewer had not seen it before.
    pub blind: bool,
    /// Order of the responses on screen.
    #[serde(
        alias = "swapped",
        skip_serializing_if = "ResponseOrder::is_of_file",
        serialize_with = "line::write_order",
        deserialize_with = "line::read_order"
    )]
    pub order: ResponseOrder,
    /// True if the dataset's judgment was hidden but the reviewer's screen had shown it before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
    /// True if it changes, withdraws or defers a judgment after the dataset's was revealed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub revealed: bool,
    /// Seed of the random order of responses, if no audit defines it.
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

/// A drawn sample with its plan: the definition of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditPlan {
    /// Requested number of samples.
    pub n: u32,
    /// Seed of the draw and of the order of responses.
    pub seed: u64,
    /// The stratification of the draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<StratifyBy>,
    /// Share of the samples that are repeated with responses swapped, 0 to 1.
    #[serde(default, serialize_with = "line::write_number")]
    pub repeat: f64,
    /// True if the dataset's judgment is hidden.
    #[serde(default)]
    pub blind: bool,
    /// When it is revealed.
    #[serde(
        flatten,
        serialize_with = "line::write_reveal",
        deserialize_with = "line::read_reveal"
    )]
    pub reveal: Reveal,
    /// The active filter, as a query; empty for none.
    #[serde(default)]
    pub filter: String,
    /// The two reviewers who differ in all of the samples, if a third reviewer decides between
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[Arc<str>; 2]>,
    /// Number of samples it was drawn from.
    pub of: u64,
    /// The dataset it was drawn from; `None` in journals of older versions.
    #[serde(flatten)]
    pub data: Option<Fingerprint>,
    /// The strata, if the draw is stratified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<Stratum>,
    /// The questions, in this order.
    pub queue: Vec<AuditItem>,
}

impl AuditPlan {
    /// Returns what it is: an audit, or an adjudication between two reviewers.
    pub fn kind(&self) -> &'static str {
        if self.between.is_some() {
            "adjudication"
        } else {
            "audit"
        }
    }

    /// Returns the number of distinct samples: repeats count once.
    pub fn drawn(&self) -> usize {
        self.queue.iter().filter(|item| item.pass <= 1).count()
    }

    /// Returns when a blind audit reveals the dataset's judgment. With repeats, not before the end,
    /// because it would bias the second judgment.
    pub fn reveals(&self) -> Reveal {
        if self.repeat > 0.0 {
            self.reveal.max(Reveal::End)
        } else {
            self.reveal
        }
    }
}

/// The stratification of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StratifyBy {
    /// The field, as in a query.
    pub field: String,
    /// True if all strata contribute equally, instead of by their share.
    #[serde(default)]
    pub even: bool,
}

/// The samples with one value of the stratification field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stratum {
    /// The value, as shown to users.
    pub value: String,
    /// Number of samples.
    pub of: u64,
    /// Number of drawn samples.
    pub drawn: u64,
}

/// One question of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditItem {
    /// The sample.
    #[serde(flatten)]
    pub sample_ref: SampleRef,
    /// Number of the pass, from 1.
    #[serde(default = "first")]
    pub pass: u8,
    /// Order of the responses on screen.
    #[serde(
        default,
        alias = "swapped",
        skip_serializing_if = "ResponseOrder::is_of_file",
        serialize_with = "line::write_order",
        deserialize_with = "line::read_order"
    )]
    pub order: ResponseOrder,
}

/// Default pass.
const fn first() -> u8 {
    1
}

named_enum! {
    /// When the dataset's judgment is revealed to a blind reviewer; ordered by how long it is
    /// hidden.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Reveal {
        /// After the sample is judged
        ///
        /// With repeats, after the whole audit ([`AuditPlan::reveals`]).
        #[default]
        After "after",
        /// After the whole audit is judged
        End "end",
        /// Never in this run
        Never "never",
    }
}
