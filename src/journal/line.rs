//! How a line is spelled: one flat object of JSON, each kind of value under a name of its own, so
//! that a table of all lines has one type a column.
//!
//! By hand and not by attributes of serde: a flattened tag costs several copies of each line when
//! it is read, and could tell neither a value that is `null` from one that is missing, nor an act
//! of a later version from a damaged one.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::record::{
    self, Act, ActId, ActRecord, AuditItem, AuditPlan, CheckDraw, Header, Judgment, Reveal,
    SampleRef, Setting, StratifyBy, Stratum,
};
use crate::dataset::{Fingerprint, SampleKey};
use crate::model::{ResponseId, ResponseOrder, SpotCheckVerdict, Verdict};

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum JournalLine {
    /// Where a journal begins; in the middle where one was put behind another.
    Header(Header),
    /// An act.
    Entry(Box<ActRecord>),
    /// An act, or a question, that only a later version knows: its name.
    Later(String),
    /// None of these: why.
    Bad(String),
}

impl JournalLine {
    /// Reads a line.
    pub(super) fn read(line: &[u8]) -> Self {
        let error = match serde_json::from_slice::<ActWire<'_>>(line) {
            Ok(wire) => {
                return match wire.entry() {
                    Ok(entry) => Self::Entry(Box::new(entry)),
                    Err(LineError::Later(name)) => Self::Later(name),
                    Err(LineError::Bad(why)) => Self::Bad(why),
                };
            }
            Err(error) => error,
        };
        // A later version may use the names of this one for other things.
        match serde_json::from_slice::<NamedAct<'_>>(line) {
            Ok(NamedAct { act: JsonText(act) }) if !ACTS.contains(&&*act) => {
                Self::Later(act.into_owned())
            }
            _ => Self::header(line).map_or_else(|| Self::Bad(said(&error)), Self::Header),
        }
    }

    /// Reads a line as a header; of one of a later version as much as can be.
    pub(super) fn header(line: &[u8]) -> Option<Header> {
        let whole = serde_json::from_slice::<Header>(line).ok();
        whole.or_else(|| {
            let HeaderWire { journal, visavis } = serde_json::from_slice(line).ok()?;
            Some(Header {
                journal,
                visavis,
                time: String::new(),
                files: Vec::new(),
                schema: String::new(),
                first: None,
            })
        })
    }
}

/// What serde_json says, without the number of a line that is always 1.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line 1 column ").next().unwrap_or_default();
    match error.column() {
        0 => what.to_owned(),
        column => format!("{what} (column {column})"),
    }
}

const ACTS: &[&str] = &[
    "mark", "tag", "note", "check", "rate", "skip", "defer", "audit", "seen", "undo", "redo",
];

impl Act {
    fn name(&self) -> &'static str {
        match self {
            Self::Mark { .. } => "mark",
            Self::Tag { .. } => "tag",
            Self::Note { .. } => "note",
            Self::Check { .. } => "check",
            Self::Rate { .. } => "rate",
            Self::Skip { .. } => "skip",
            Self::Defer { .. } => "defer",
            Self::Audit(_) => "audit",
            Self::Seen { .. } => "seen",
            Self::Undo { .. } => "undo",
            Self::Redo { .. } => "redo",
        }
    }
}

impl Serialize for ActRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("id", &self.id)?;
        line.serialize_entry("time", &self.time)?;
        line.serialize_entry("reviewer", &self.reviewer)?;
        line.serialize_entry("act", self.act.name())?;
        if let Some(sample_ref) = &self.sample_ref {
            line.serialize_entry("sample", &sample_ref.sample)?;
            line.serialize_entry("file", &sample_ref.file)?;
            line.serialize_entry("row", &sample_ref.row)?;
        }
        match &self.act {
            Act::Mark { on } => line.serialize_entry("on", on)?,
            Act::Tag { tag, on } => {
                line.serialize_entry("tag", tag)?;
                line.serialize_entry("on", on)?;
            }
            Act::Note { text, order } => {
                line.serialize_entry("text", text)?;
                if let Some(order) = order {
                    // That of the file too: without it nothing is known of a note's order.
                    line.serialize_entry("order", &note_order_word(*order))?;
                }
            }
            Act::Check { verdict, drawn } => write_check(&mut line, *verdict, drawn)?,
            Act::Rate { rated, setting } => {
                write_rated(&mut line, rated)?;
                write_setting(&mut line, setting)?;
            }
            Act::Skip { setting } | Act::Defer { setting } => write_setting(&mut line, setting)?,
            Act::Audit(audit) => write_audit(&mut line, audit)?,
            Act::Seen { samples } => line.serialize_entry("keys", &**samples)?,
            Act::Undo { entry } | Act::Redo { entry } => line.serialize_entry("entry", entry)?,
        }
        line.end()
    }
}

/// The order in which responses stood, where that of the file is to be named too.
fn note_order_word(order: ResponseOrder) -> String {
    match order.is_of_file() {
        true => order.whole_word(2),
        false => order.word(),
    }
}

fn write_check<M: SerializeMap>(
    line: &mut M,
    verdict: Option<SpotCheckVerdict>,
    drawn: &CheckDraw,
) -> Result<(), M::Error> {
    // Not `verdict`: that is who wins.
    line.serialize_entry("check", &verdict.map(SpotCheckVerdict::word))?;
    let (word, seed, place) = match drawn {
        CheckDraw::Suspicion { rank, of, filter } => (SUSPICION, None, Some((rank, of, filter))),
        CheckDraw::Random {
            seed,
            rank,
            of,
            filter,
        } => (RANDOM, Some(seed), Some((rank, of, filter))),
        CheckDraw::Chosen => (CHOSEN, None, None),
    };
    line.serialize_entry("drawn", word)?;
    if let Some(seed) = seed {
        line.serialize_entry("seed", seed)?;
    }
    if let Some((rank, of, filter)) = place {
        line.serialize_entry("rank", rank)?;
        line.serialize_entry("of", of)?;
        line.serialize_entry("filter", filter)?;
    }
    Ok(())
}

/// How a sample came before who checked it.
const SUSPICION: &str = "suspicion";
const RANDOM: &str = "random";
const CHOSEN: &str = "chosen";

fn write_rated<M: SerializeMap>(line: &mut M, rated: &Judgment) -> Result<(), M::Error> {
    match rated {
        Judgment::Label {
            label,
            response,
            value,
        } => {
            line.serialize_entry("question", "label")?;
            line.serialize_entry("label", label)?;
            line.serialize_entry("response", response.word())?;
            line.serialize_entry("value", &value.map(JsonNumber))
        }
        Judgment::Verdict { value, strength } => {
            line.serialize_entry("question", "verdict")?;
            // Not `value`: a column of numbers and words together is of no use.
            line.serialize_entry("verdict", &value.map(Verdict::word))?;
            match strength {
                Some(strength) => line.serialize_entry("strength", strength),
                None => Ok(()),
            }
        }
    }
}

fn write_setting<M: SerializeMap>(line: &mut M, setting: &Setting) -> Result<(), M::Error> {
    if let Some(audit) = &setting.audit {
        line.serialize_entry("audit", audit)?;
    }
    line.serialize_entry("pass", &setting.pass)?;
    line.serialize_entry("blind", &setting.blind)?;
    if !setting.order.is_of_file() {
        line.serialize_entry("order", &setting.order.word())?;
    }
    // Said only where it is so: a line without them means what it always did.
    for (name, holds) in [("seen", setting.seen), ("revealed", setting.revealed)] {
        if holds {
            line.serialize_entry(name, &true)?;
        }
    }
    setting
        .coin
        .map_or(Ok(()), |coin| line.serialize_entry("coin", &coin))
}

fn write_audit<M: SerializeMap>(line: &mut M, audit: &AuditPlan) -> Result<(), M::Error> {
    line.serialize_entry("n", &audit.n)?;
    line.serialize_entry("seed", &audit.seed)?;
    if let Some(by) = &audit.by {
        line.serialize_entry("by", by)?;
    }
    line.serialize_entry("repeat", &JsonNumber(audit.repeat))?;
    line.serialize_entry("blind", &audit.blind)?;
    // Versions that do not know `end` take a line with another word for a damaged one: to them it
    // is never.
    line.serialize_entry("reveal", &audit.reveal.max_known())?;
    if audit.reveal == Reveal::End {
        line.serialize_entry("reveal_at_end", &true)?;
    }
    line.serialize_entry("filter", &audit.filter)?;
    if let Some(between) = &audit.between {
        line.serialize_entry("between", between)?;
    }
    line.serialize_entry("of", &audit.of)?;
    if let Some(data) = &audit.data {
        line.serialize_entry("data_rows", &data.rows)?;
        line.serialize_entry("data_samples", &data.samples)?;
        line.serialize_entry("data_hash", &data.hash)?;
    }
    if !audit.strata.is_empty() {
        line.serialize_entry("strata", &audit.strata)?;
    }
    let queue: Vec<_> = audit.queue.iter().map(AuditItemWire::of).collect();
    line.serialize_entry("queue", &queue)
}

/// One question of an audit, as it is spelled.
#[derive(Serialize, Deserialize)]
struct AuditItemWire {
    sample: SampleKey,
    file: Arc<str>,
    row: u64,
    pass: Option<u8>,
    /// Of the first version: whether A and B are shown the other way round.
    #[serde(default, skip_serializing)]
    swapped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
}

impl AuditItemWire {
    fn of(item: &AuditItem) -> Self {
        let AuditItem {
            sample_ref,
            pass,
            order,
        } = item;
        Self {
            sample: sample_ref.sample,
            file: Arc::clone(&sample_ref.file),
            row: sample_ref.row,
            pass: Some(*pass),
            swapped: false,
            order: (!order.is_of_file()).then(|| order.word()),
        }
    }

    fn item(self) -> Result<AuditItem, LineError> {
        Ok(AuditItem {
            sample_ref: SampleRef {
                sample: self.sample,
                file: self.file,
                row: self.row,
            },
            pass: self.pass.unwrap_or_else(record::first),
            order: order_of(self.order.as_deref(), self.swapped)?,
        })
    }
}

/// The order that a line tells: in letters, or by the word of the first version, which knew two
/// responses.
fn order_of(word: Option<&str>, swapped: bool) -> Result<ResponseOrder, LineError> {
    let no_order = || LineError::Bad("`order` does not name the letters of responses".to_owned());
    match word {
        Some(word) => ResponseOrder::of_word(word).ok_or_else(no_order),
        None if swapped => Ok(ResponseOrder::OF_FILE.reversed(2)),
        None => Ok(ResponseOrder::OF_FILE),
    }
}

/// A number as people write it: 3 and not 3.0. What is no finite number is `null`, for JSON has no
/// word for it.
struct JsonNumber(f64);

impl Serialize for JsonNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Up to 2 to the 53rd every whole number is one that a double has.
        if self.0.fract() == 0.0 && self.0.abs() <= 9_007_199_254_740_992.0 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// A text that borrows from its line where it can.
#[derive(Deserialize)]
#[serde(transparent)]
struct JsonText<'a>(#[serde(borrow)] Cow<'a, str>);

impl JsonText<'_> {
    fn shared(&self) -> Arc<str> {
        Arc::from(&*self.0)
    }

    fn id(&self) -> ActId {
        ActId(self.shared())
    }
}

/// The name of an act and nothing else.
#[derive(Deserialize)]
struct NamedAct<'a> {
    #[serde(borrow)]
    act: JsonText<'a>,
}

/// What a header of any version has.
#[derive(Deserialize)]
struct HeaderWire {
    journal: u32,
    visavis: String,
}

/// Everything that an entry can say, as it is spelled.
#[derive(Deserialize)]
struct ActWire<'a> {
    #[serde(borrow)]
    id: JsonText<'a>,
    #[serde(borrow)]
    time: JsonText<'a>,
    #[serde(borrow)]
    reviewer: JsonText<'a>,
    #[serde(borrow)]
    act: JsonText<'a>,
    sample: Option<SampleKey>,
    #[serde(borrow)]
    file: Option<JsonText<'a>>,
    row: Option<u64>,
    on: Option<bool>,
    #[serde(borrow)]
    tag: Option<JsonText<'a>>,
    #[serde(borrow)]
    text: Option<JsonText<'a>>,
    #[serde(borrow, default, deserialize_with = "given")]
    check: Option<Option<JsonText<'a>>>,
    #[serde(borrow)]
    drawn: Option<JsonText<'a>>,
    rank: Option<u64>,
    #[serde(borrow)]
    question: Option<JsonText<'a>>,
    #[serde(borrow)]
    label: Option<JsonText<'a>>,
    #[serde(borrow, alias = "side")]
    response: Option<JsonText<'a>>,
    #[serde(default, deserialize_with = "given")]
    value: Option<Box<RawValue>>,
    #[serde(borrow, default, deserialize_with = "given")]
    verdict: Option<Option<JsonText<'a>>>,
    strength: Option<u8>,
    #[serde(borrow)]
    audit: Option<JsonText<'a>>,
    pass: Option<u8>,
    #[serde(default)]
    blind: bool,
    /// Of the first version: whether A and B were shown the other way round.
    #[serde(default)]
    swapped: bool,
    #[serde(borrow)]
    order: Option<JsonText<'a>>,
    #[serde(default)]
    seen: bool,
    #[serde(default)]
    revealed: bool,
    coin: Option<u32>,
    keys: Option<Vec<SampleKey>>,
    n: Option<u32>,
    seed: Option<u64>,
    by: Option<StratifyBy>,
    repeat: Option<Box<RawValue>>,
    #[serde(borrow)]
    reveal: Option<JsonText<'a>>,
    #[serde(default)]
    reveal_at_end: bool,
    #[serde(default)]
    filter: String,
    #[serde(default)]
    between: Option<[Arc<str>; 2]>,
    of: Option<u64>,
    data_rows: Option<u64>,
    data_samples: Option<u64>,
    data_hash: Option<String>,
    #[serde(default)]
    strata: Vec<Stratum>,
    queue: Option<Vec<AuditItemWire>>,
    #[serde(borrow)]
    entry: Option<JsonText<'a>>,
}

/// What stands there, be it `null`: only what is missing is `None`.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Why a line that is JSON is no entry.
enum LineError {
    Later(String),
    Bad(String),
}

impl ActWire<'_> {
    fn entry(self) -> Result<ActRecord, LineError> {
        let known = ACTS.contains(&&*self.act.0);
        let sample_ref = self.sample.map(|sample| SampleRef {
            sample,
            file: self
                .file
                .as_ref()
                .map_or_else(|| Arc::from(""), JsonText::shared),
            row: self.row.unwrap_or_default(),
        });
        let of_none = matches!(&*self.act.0, "audit" | "seen" | "undo" | "redo");
        if known && !of_none && sample_ref.is_none() {
            return Err(missing("sample"));
        }
        let (id, time, reviewer) = (
            self.id.id(),
            self.time.0.clone().into_owned(),
            self.reviewer.shared(),
        );
        Ok(ActRecord {
            id,
            time,
            reviewer,
            sample_ref,
            act: self.act()?,
        })
    }

    fn act(self) -> Result<Act, LineError> {
        Ok(match &*self.act.0 {
            "mark" => Act::Mark {
                on: need(self.on, "on")?,
            },
            "tag" => Act::Tag {
                tag: need(self.tag, "tag")?.shared(),
                on: need(self.on, "on")?,
            },
            "note" => Act::Note {
                text: need(self.text, "text")?.shared(),
                order: (self.order.as_ref())
                    .map(|word| order_of(Some(&*word.0), false))
                    .transpose()?,
            },
            "check" => Act::Check {
                drawn: self.drawn()?,
                verdict: need(self.check, "check")?
                    .map(|word| check_of(&word.0))
                    .transpose()?,
            },
            "rate" => Act::Rate {
                setting: self.setting()?,
                rated: self.rated()?,
            },
            "skip" => Act::Skip {
                setting: self.setting()?,
            },
            "defer" => Act::Defer {
                setting: self.setting()?,
            },
            "audit" => Act::Audit(Arc::new(self.audit()?)),
            "seen" => Act::Seen {
                samples: need(self.keys, "keys")?.into(),
            },
            "undo" => Act::Undo {
                entry: need(self.entry, "entry")?.id(),
            },
            "redo" => Act::Redo {
                entry: need(self.entry, "entry")?.id(),
            },
            later => return Err(LineError::Later(later.to_owned())),
        })
    }

    fn setting(&self) -> Result<Setting, LineError> {
        Ok(Setting {
            audit: self.audit.as_ref().map(JsonText::id),
            pass: self.pass.unwrap_or_else(record::first),
            blind: self.blind,
            order: order_of(self.order.as_ref().map(|word| &*word.0), self.swapped)?,
            seen: self.seen,
            revealed: self.revealed,
            coin: self.coin,
        })
    }

    fn drawn(&self) -> Result<CheckDraw, LineError> {
        let place = || -> Result<(u64, u64, Arc<str>), LineError> {
            let rank = need(self.rank, "rank")?;
            Ok((rank, need(self.of, "of")?, self.filter.as_str().into()))
        };
        Ok(match self.drawn.as_ref().map(|word| &*word.0) {
            Some(SUSPICION) => {
                let (rank, of, filter) = place()?;
                CheckDraw::Suspicion { rank, of, filter }
            }
            Some(RANDOM) => {
                let (rank, of, filter) = place()?;
                CheckDraw::Random {
                    seed: need(self.seed, "seed")?,
                    rank,
                    of,
                    filter,
                }
            }
            // From what a later version draws nothing is told of other samples.
            _ => CheckDraw::Chosen,
        })
    }

    fn rated(self) -> Result<Judgment, LineError> {
        match &*need(self.question, "question")?.0 {
            "label" => Ok(Judgment::Label {
                label: need(self.label, "label")?.shared(),
                response: match ResponseId::of_word(&need(self.response, "response")?.0) {
                    Some(response) => response,
                    None => {
                        let why = "`response` is no letter from `a` to `z`";
                        return Err(LineError::Bad(why.to_owned()));
                    }
                },
                value: match need(self.value, "value")?.get() {
                    "null" => None,
                    number => Some(exact("value", number)?),
                },
            }),
            "verdict" => Ok(Judgment::Verdict {
                value: need(self.verdict, "verdict")?
                    .map(|text| Verdict::of_word(&text.0))
                    .map(|verdict| {
                        verdict.ok_or_else(|| {
                            LineError::Bad("`verdict` is neither `tie` nor a letter".to_owned())
                        })
                    })
                    .transpose()?,
                strength: self.strength,
            }),
            later => Err(LineError::Later(format!("rate {later}"))),
        }
    }

    fn audit(self) -> Result<AuditPlan, LineError> {
        Ok(AuditPlan {
            n: need(self.n, "n")?,
            seed: need(self.seed, "seed")?,
            by: self.by,
            repeat: self
                .repeat
                .map_or(Ok(0.0), |share| exact("repeat", share.get()))?,
            blind: self.blind,
            reveal: match self.reveal.as_ref().map(|word| &*word.0) {
                _ if self.reveal_at_end => Reveal::End,
                None | Some("after") => Reveal::After,
                // What a later version says hides at least as much as anything that is known.
                Some(_) => Reveal::Never,
            },
            filter: self.filter,
            between: self.between,
            of: need(self.of, "of")?,
            data: self
                .data_rows
                .zip(self.data_samples)
                .zip(self.data_hash)
                .map(|((rows, samples), hash)| Fingerprint {
                    rows,
                    samples,
                    hash,
                }),
            strata: self.strata,
            queue: (need(self.queue, "queue")?.into_iter())
                .map(AuditItemWire::item)
                .collect::<Result<_, _>>()?,
        })
    }
}

fn missing(name: &str) -> LineError {
    LineError::Bad(format!("`{name}` is missing"))
}

fn need<T>(value: Option<T>, name: &str) -> Result<T, LineError> {
    value.ok_or_else(|| missing(name))
}

/// A number to its last bit, which serde_json alone does not promise.
fn exact(name: &str, number: &str) -> Result<f64, LineError> {
    let read = number
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite());
    read.ok_or_else(|| LineError::Bad(format!("`{name}` is no number")))
}

fn check_of(word: &str) -> Result<SpotCheckVerdict, LineError> {
    let verdict = SpotCheckVerdict::of_word(word);
    verdict.ok_or_else(|| LineError::Later(format!("check {word}")))
}

impl<'de> Deserialize<'de> for ActRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ActWire::deserialize(deserializer)?
            .entry()
            .map_err(|unread| match unread {
                LineError::Later(name) => {
                    D::Error::custom(format!("`{name}` is an act of a later version"))
                }
                LineError::Bad(why) => D::Error::custom(why),
            })
    }
}
