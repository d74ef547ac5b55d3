//! Exports for training: samples as preferences or as rated responses, with reviewers' corrections
//! if requested.
//!
//! Nothing is converted lossily: samples that a format cannot express are skipped and counted by
//! reason ([`SkipReason`]). The outcome of each sample is recorded in a second file, in the order
//! of the query ([`provenance`]). Rows are streamed without buffering.

mod chat;
mod corrections;
mod helpsteer2;
mod llama_factory;
mod messages;
mod nemo;
mod openai;
mod provenance;
#[cfg(test)]
mod tests;
mod trl;

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub use corrections::Correction;
pub use provenance::{DroppedLeaks, ProvenanceSource};

use super::{ExportError, ExportRequest, Format, VisitedSample, check_files_unchanged};
use crate::dataset::{Dataset, Sample};
use crate::journal::Ledger;
use crate::model::{ReadWarning, ResponseId, Role, Verdict};
use crate::parallel::KeepGoing;
use crate::review::RatingForm;
use crate::stats::SeededRng;
use crate::text::{counted, grouped};
use chat::joined;
use corrections::CorrectedSample;
use helpsteer2::RatedLayout;
use messages::{Conversation, ConversationMessage};
use provenance::{Origin, Provenance};

/// A training format, as its trainer documents it. The order of members and the shape are fixed:
/// every row of a file has the same members with values of the same kind, as columnar readers of
/// trainers expect.
#[derive(Debug, Clone, Copy, Eq)]
pub struct TrainingFormat {
    /// Its name on the command line and in file names.
    pub name: &'static str,
    /// Describes it in the help of the command line.
    pub about: &'static str,
    /// The supported roles of turns of a prompt.
    prompt_roles: &'static [Role],
    /// The supported roles of turns of a response with several turns.
    answer_roles: &'static [Role],
    /// True if a message has a member for reasoning.
    has_reasoning: bool,
    /// True if a prompt may have these messages in this order.
    has_order: fn(&[ConversationMessage<'_>]) -> bool,
    /// True if each tool call of a response must have its result, and each result its call.
    needs_results: bool,
    /// Names of members that define tools, the definitions first.
    tools: &'static [&'static str],
    /// Formats the value of such a member.
    tool: fn(&str) -> String,
    /// Appends a message.
    message: fn(&mut String, &ConversationMessage<'_>),
    /// Returns the parts of a row with a pair. `None`: a row has one response with its labels, as
    /// the built-in schema of this name reads it.
    pair: Option<PairFrame>,
    /// Returns what the trainer must know of the file.
    dataset_info: Option<fn(&ProvenanceSource<'_>) -> Value>,
}

/// Returns the parts of a row, in order, given a prompt, a chosen and a rejected response, which are
/// messages joined by commas, and the members that define tools.
type PairFrame = for<'r> fn([&'r str; 4]) -> [&'r str; 9];

impl PartialEq for TrainingFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl TrainingFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [
        trl::FORMAT,
        openai::FORMAT,
        nemo::FORMAT,
        llama_factory::FORMAT,
        helpsteer2::FORMAT,
    ];

    /// Returns the format with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name == name)
    }

    /// Returns the format for a file name: `good.trl.jsonl`.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (stem, name) = name.strip_suffix(".jsonl")?.rsplit_once('.')?;
        Self::named(name).filter(|_| !stem.is_empty())
    }

    /// Returns what it is for, in the words of the field.
    pub const fn purpose(self) -> &'static str {
        if self.is_pairwise() {
            "preference (DPO, RM)"
        } else {
            "ratings (RM, SFT)"
        }
    }

    /// True if a row has a chosen and a rejected response, instead of one response with labels.
    pub const fn is_pairwise(self) -> bool {
        self.pair.is_some()
    }
}

/// Why a sample is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A malformed row.
    Malformed,
    /// The prompt is empty.
    NoPrompt,
    /// A text is not as in the file: it has U+FFFD for unreadable bytes, or is JSON of unknown
    /// content.
    UnreadableText,
    /// A turn of the prompt has a role that the format lacks: for HelpSteer2, all but user and
    /// assistant.
    PromptRole,
    /// LLaMA-Factory skips prompts whose turns do not alternate from user to user.
    PromptOrder,
    /// Fewer responses than a row needs: two for a pair.
    Single,
    /// More responses than the format supports.
    ManyResponses,
    /// A response has turns that the format does not support.
    SeveralTurns,
    /// Reasoning is separate from the answer, and the format has no member for it.
    Reasoning,
    /// The last turn of a response is not the assistant's.
    NoAnswer,
    /// Tool calls cannot be written.
    ToolCalls,
    /// No response is better than another.
    Tie,
    /// The verdict is missing.
    NoVerdict,
    /// The sample lacks a label that the format requires.
    MissingLabel,
    /// A label has a value that the format does not support.
    LabelValue,
    /// A line of a text would be read as a turn marker, or a line break at its end would be lost.
    TurnMarker,
    /// The row would be read as part of the previous sample.
    SamePrompt,
}

impl SkipReason {
    /// Describes what is skipped and why: `skipped 2,913 ties (a preference pair needs a winner)`.
    pub fn skipped(self, count: usize) -> String {
        let skipped = |what: &str, why: &str| format!("skipped {} {why}", counted(count, what));
        let why = match self {
            Self::Malformed => return skipped("malformed row", "(cannot be read)"),
            Self::Tie => return skipped("tie", "(a preference pair needs a winner)"),
            Self::NoPrompt => "without a prompt (each row needs one)",
            Self::UnreadableText => return skipped("row", "with unreadable text"),
            Self::Reasoning => "with separate reasoning (the format cannot hold it)",
            Self::NoAnswer => "with a response that does not end with the assistant's turn",
            Self::PromptRole => "with an unsupported role in the prompt",
            Self::PromptOrder => {
                "with turns out of order (the prompt must alternate from user to user)"
            }
            Self::Single => "with a single response (a preference pair needs two)",
            Self::ManyResponses => "with more than two responses (the format holds pairs)",
            Self::SeveralTurns => "with responses of several turns (the format cannot hold them)",
            Self::ToolCalls => {
                "with incomplete tool calls (a name, arguments or results are missing)"
            }
            Self::NoVerdict => "without a verdict (a preference pair needs a winner)",
            Self::MissingLabel => "with missing labels (a row needs all of them)",
            Self::LabelValue => "with label values that the format does not allow",
            Self::TurnMarker => "with turn markers in a text (they would be read as other turns)",
            Self::SamePrompt => {
                "with a repeated prompt (it would be read as part of the sample before)"
            }
        };
        skipped("sample", why)
    }
}

/// What to write for a trainer.
#[derive(Debug, Clone, Copy)]
pub struct TrainingRequest<'a> {
    /// The dataset of the samples.
    pub dataset: &'a Dataset,
    /// The samples to write, in this order.
    pub samples: &'a [u32],
    /// The judgments of reviewers; empty if none are applied.
    pub ledger: &'a Ledger,
    /// The format.
    pub format: TrainingFormat,
    /// The corrections to apply.
    pub corrections: &'a [Correction],
    /// Maximum pairs per sample, drawn with `seed`; `None` for all.
    pub pairs_per_sample: Option<usize>,
    /// The seed of that draw. Which pairs of a sample are drawn depends only on it and the sample's
    /// number.
    pub seed: u64,
}

/// Counts of an export for training.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TrainingCounts {
    /// Samples found, including leaks.
    pub found: usize,
    /// Samples written.
    pub samples: usize,
    /// Rows written.
    pub rows: usize,
    /// Maximum rows of a sample.
    pub most_rows: usize,
    /// Rows of each prompt, by a hash of its turns.
    #[serde(skip)]
    pub rows_by_prompt: HashMap<u64, usize>,
    /// Unrated responses of written samples, which are in no pair.
    pub unrated: usize,
    /// Samples skipped, by reason.
    pub left_out: BTreeMap<SkipReason, usize>,
    /// Samples written with another winner than the dataset's.
    pub flipped: usize,
    /// Samples omitted because reviewers found them wrong.
    pub dropped: usize,
    /// Samples written with a label that differs from the dataset's.
    pub relabelled: usize,
    /// Samples on which reviewers disagree, written unchanged.
    pub disputed: DisputedCounts,
    /// Samples that reviewers judged to be a tie, written with the dataset's winner.
    pub called_ties: usize,
    /// Rows written with two equal responses.
    pub same_responses: usize,
    /// Rows written with an empty response.
    pub empty_responses: usize,
}

impl TrainingCounts {
    /// Summarises: `7,249 pairs of 10,162 samples; skipped 2,913 ties (a … pair needs a winner)`.
    pub fn in_words(&self, format: TrainingFormat) -> String {
        let row = if format.is_pairwise() { "pair" } else { "row" };
        let (rows, found) = (counted(self.rows, row), grouped(self.found));
        let done = format!("{rows} of {found} samples");
        let words: Vec<_> = [done].into_iter().chain(self.skipped()).collect();
        words.join("; ")
    }

    /// Describes what was skipped and why, the most frequent reason first.
    pub fn skipped(&self) -> impl Iterator<Item = String> {
        let mut skipped: Vec<_> = self.left_out.iter().collect();
        skipped.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        skipped
            .into_iter()
            .map(|(reason, count)| reason.skipped(*count))
    }
}

/// Number of samples on which reviewers disagree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DisputedCounts {
    /// On the winner.
    pub flip: usize,
    /// On whether the sample is wrong.
    pub drop: usize,
    /// On the value of a label.
    pub relabel: usize,
}

impl<'a> TrainingRequest<'a> {
    /// Requests the samples without corrections.
    pub fn without_corrections(
        dataset: &'a Dataset,
        samples: &'a [u32],
        format: TrainingFormat,
    ) -> Self {
        static EMPTY: LazyLock<Ledger> = LazyLock::new(Ledger::default);
        Self {
            dataset,
            samples,
            ledger: &EMPTY,
            format,
            corrections: &[],
            pairs_per_sample: None,
            seed: 0,
        }
    }
}

/// Describes what a training format would write of these samples, and what it would skip and why.
pub fn training_in_words(
    dataset: &Dataset,
    samples: &[u32],
    format: TrainingFormat,
    keep_going: &dyn KeepGoing,
) -> String {
    let request = TrainingRequest::without_corrections(dataset, samples, format);
    let source = ProvenanceSource::default();
    let counts = write_training(request, &source, &mut io::sink(), None, &|_| keep_going());
    counts.map_or_else(|error| error.to_string(), |counts| counts.in_words(format))
}

/// Writes samples for a trainer, and the outcome of each to `provenance`. `keep_going` is called
/// before each sample with the number of samples before it; `false` cancels.
///
/// # Errors
/// If a row cannot be read, an output fails, a file changes, or the export is cancelled. The output
/// is then incomplete; see [`super::to_file`].
pub fn write_training(
    request: TrainingRequest<'_>,
    source: &ProvenanceSource<'_>,
    out: &mut dyn Write,
    provenance: Option<&mut dyn Write>,
    keep_going: &dyn Fn(usize) -> bool,
) -> Result<TrainingCounts, ExportError> {
    check_files_unchanged(request.dataset).map_err(ExportError::Read)?;
    let samples = ExportRequest {
        dataset: request.dataset,
        samples: request.samples,
        matching: &[],
        matching_only: false,
        ledger: request.ledger,
        format: Format::Original,
        title: String::new(),
    };
    let mut writer = TrainingWriter {
        request,
        scales: RatingForm::of_files(request.dataset),
        rated: RatedLayout::of(request.format),
        out: HashedOutput {
            out,
            hash: Sha256::new(),
        },
        provenance: provenance.map(Provenance),
        counts: TrainingCounts::default(),
    };
    if let Some(provenance) = &mut writer.provenance {
        provenance.head(&request, source)?;
    }
    let leak = |sample| source.leaks.and_then(|it| it.ways.get(&sample).copied());
    samples.each(keep_going, &mut |sample| {
        writer.sample(sample, leak(sample.number))
    })?;
    let TrainingWriter {
        mut out,
        provenance,
        counts,
        ..
    } = writer;
    out.flush()?;
    if let Some(mut provenance) = provenance {
        provenance.end(&counts, &format!("{:x}", out.hash.finalize()))?;
    }
    // Rows are read by position, so a changed file may have returned anything.
    check_files_unchanged(request.dataset).map_err(ExportError::Altered)?;
    Ok(counts)
}

/// True if the prompt or a response is not as in the file.
fn has_unreadable_text(sample: &Sample<'_>) -> bool {
    let prompt = sample.prompt.iter().map(|turn| &*turn.text);
    let responses = sample.responses.iter().map(|response| &*response.text);
    let mut warnings = sample.warnings.iter();
    let has_unknown = |warning: &ReadWarning| matches!(warning, ReadWarning::UnknownContent { .. });
    sample.warnings.iter().any(has_unknown)
        || (warnings.any(ReadWarning::is_of_unreadable_text)
            && prompt
                .chain(responses)
                .any(|text| text.contains('\u{fffd}')))
}

/// A response, the rejected one if it is the chosen one of a pair, and the JSON of a row with
/// labels.
type TrainingRow = (ResponseId, Option<ResponseId>, String);

/// Writes one sample after the other.
struct TrainingWriter<'a, 'o, 'p> {
    request: TrainingRequest<'a>,
    /// The rating form of each file.
    scales: Vec<RatingForm>,
    rated: RatedLayout,
    out: HashedOutput<'o>,
    provenance: Option<Provenance<'p>>,
    counts: TrainingCounts,
}

/// An output that hashes everything written to it.
struct HashedOutput<'o> {
    out: &'o mut dyn Write,
    hash: Sha256,
}

impl Write for HashedOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl TrainingWriter<'_, '_, '_> {
    /// Writes a sample, unless its prompt leaks into another file.
    fn sample(
        &mut self,
        visited: &VisitedSample<'_, '_, '_>,
        leak: Option<&str>,
    ) -> Result<(), ExportError> {
        self.counts.found += 1;
        let origin = Origin {
            dataset: self.request.dataset,
            visited,
        };
        if let Some(way) = leak {
            return Ok(self.without_row("dropped_leak", json!(way), origin)?);
        }
        let Some(sample) = visited.reading.body.sample() else {
            return Ok(self.leave_out(SkipReason::Malformed, origin)?);
        };
        let place = visited.reading.places.first();
        let corrected = CorrectedSample::of(
            sample,
            visited.reading.schema,
            visited.remark.map(|remark| (remark, self.request.ledger)),
            place.and_then(|place| self.scales.get(place.file)),
            self.request.corrections,
        );
        if corrected.is_dropped {
            self.counts.dropped += 1;
            return Ok(self.without_row("dropped", json!(true), origin)?);
        }
        if has_unreadable_text(sample) {
            return Ok(self.leave_out(SkipReason::UnreadableText, origin)?);
        }
        let said = Conversation::of(&sample.prompt, &sample.responses, self.request.format);
        let rows = said.and_then(|said| Ok((self.rows(sample, &said, &corrected, origin)?, said)));
        let (rows, said) = match rows {
            Ok(rows) => rows,
            Err(reason) => return Ok(self.leave_out(reason, origin)?),
        };
        let counts = &mut self.counts;
        counts.samples += 1;
        counts.most_rows = counts.most_rows.max(rows.len());
        let mut prompt = DefaultHasher::new();
        (sample.prompt.iter()).for_each(|turn| turn.text.hash(&mut prompt));
        *counts.rows_by_prompt.entry(prompt.finish()).or_default() += rows.len();
        counts.flipped += usize::from(corrected.is_flipped);
        counts.relabelled += usize::from(corrected.is_relabelled());
        counts.disputed.flip += usize::from(corrected.has_disputed_verdict);
        counts.disputed.drop += usize::from(corrected.has_disputed_check);
        counts.disputed.relabel += usize::from(corrected.has_disputed_label);
        counts.called_ties += usize::from(corrected.is_called_tie);
        Ok(self.write(rows, &said, &corrected, origin)?)
    }

    fn leave_out(&mut self, reason: SkipReason, origin: Origin<'_, '_>) -> io::Result<()> {
        *self.counts.left_out.entry(reason).or_default() += 1;
        self.without_row("left_out", json!(reason), origin)
    }

    fn without_row(&mut self, why: &str, how: Value, origin: Origin<'_, '_>) -> io::Result<()> {
        let provenance = self.provenance.as_mut();
        provenance.map_or(Ok(()), |it| it.line((why, how), origin, None, Vec::new()))
    }

    /// Returns the members of a sample's row that define tools, if the format has them.
    fn tools(&self, origin: Origin<'_, '_>) -> String {
        let (dataset, format) = (self.request.dataset, self.request.format);
        if format.tools.is_empty() {
            return String::new();
        }
        let (rows, mut line) = (dataset.own_rows(origin.visited.number as usize), Vec::new());
        let row = rows.and_then(|rows| rows.iter().next());
        // A row that changed meanwhile is reported at the end.
        match row.map(|row| dataset.read_line(row, &mut line)) {
            Some(Ok(())) => format.tool_members(origin.visited.reading.schema, &line),
            _ => String::new(),
        }
    }

    /// Writes the rows of a sample.
    fn write(
        &mut self,
        rows: Vec<TrainingRow>,
        said: &Conversation<'_>,
        corrected: &CorrectedSample,
        origin: Origin<'_, '_>,
    ) -> io::Result<()> {
        let TrainingFormat { message, pair, .. } = self.request.format;
        let [tools, prompt] = match pair {
            Some(_) => [self.tools(origin), joined(&said.prompt, message)],
            None => Default::default(),
        };
        for (response, rejected, rated) in rows {
            let answer = |id: ResponseId| joined(&said.answers[id.index()], message);
            self.out.write_all(rated.as_bytes())?;
            if let Some((pair, rejected)) = pair.zip(rejected) {
                let (chosen, rejected) = (answer(response), answer(rejected));
                for part in pair([&prompt, &chosen, &rejected, &tools]) {
                    self.out.write_all(part.as_bytes())?;
                }
            }
            self.out.write_all(b"\n")?;
            let text = |id: ResponseId| said.texts[id.index()];
            let (chosen, other) = (text(response), rejected.map(text));
            let is_empty = |text: &str| text.trim().is_empty();
            let counts = &mut self.counts;
            counts.rows += 1;
            counts.same_responses += usize::from(other == Some(chosen));
            counts.empty_responses += usize::from(is_empty(chosen) || other.is_some_and(is_empty));
            if let Some(provenance) = &mut self.provenance {
                provenance.row(counts.rows, origin, (response, rejected), corrected)?;
            }
        }
        Ok(())
    }

    /// Returns the rows of a sample: each pair of a best and a worse response, or each response
    /// with its labels.
    fn rows(
        &mut self,
        sample: &Sample<'_>,
        said: &Conversation<'_>,
        corrected: &CorrectedSample,
        origin: Origin<'_, '_>,
    ) -> Result<Vec<TrainingRow>, SkipReason> {
        let responses = said.texts.len();
        if !self.request.format.is_pairwise() {
            let rows = (self.rated).rows(&sample.prompt, &said.texts, &corrected.labels)?;
            let rows = ResponseId::all().zip(rows);
            return Ok(rows.map(|(response, row)| (response, None, row)).collect());
        }
        if responses < 2 {
            return Err(SkipReason::Single);
        }
        let verdict = corrected.verdict.ok_or(SkipReason::NoVerdict)?;
        let [best, worse] = [Verdict::best, Verdict::worse].map(|of| of(verdict, corrected.rated));
        let against = |best| (worse.iter()).map(move |worse| (best, Some(worse), String::new()));
        let mut pairs: Vec<_> = best.iter().flat_map(against).collect();
        if pairs.is_empty() {
            return Err(SkipReason::Tie);
        }
        self.counts.unrated += responses - best.count() - worse.count();
        self.draw(&mut pairs, origin.visited.number);
        Ok(pairs)
    }

    /// Draws pairs of a sample up to the limit, uniformly and in order (selection sampling: Knuth,
    /// *The Art of Computer Programming* 2, 3.4.2, algorithm S).
    fn draw(&self, pairs: &mut Vec<TrainingRow>, sample: u32) {
        let mut unseen = pairs.len() as u32;
        let mut needed = self.request.pairs_per_sample.unwrap_or(pairs.len()) as u32;
        let mut rng = SeededRng::new(self.request.seed ^ (u64::from(sample) << 32));
        pairs.retain(|_| {
            let is_drawn = needed >= unseen || rng.below(unseen) < needed;
            unseen -= 1;
            needed -= u32::from(is_drawn && needed > 0);
            is_drawn
        });
    }
}
