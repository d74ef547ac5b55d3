//! Files joined to a dataset: scores of reward models, verdicts of judges, ratings of another team.
//!
//! A joined file is loaded as a dataset if it has prompts and responses, otherwise as rows of
//! numbers. [`super::matching`] matches its responses; its labels then become columns of the
//! dataset, chunk by chunk.

use std::ops::Range;
use std::sync::Arc;

use super::matching::ResponseMatching;
use crate::dataset::{Chunk, Dataset};
use crate::model::{ResponseSet, Verdict};
use crate::schema::{SchemaChoice, VerdictRule};
use crate::source::{Input, Source};
use crate::table::{
    Column, ColumnData, ColumnId, ColumnKind, ColumnSource, Requirement, Reveals, Values,
};
use crate::text::counted;

/// A file to join.
#[derive(Debug, Clone)]
pub struct JoinInput {
    /// Prefix of its columns; defaults to the file name.
    pub name: Option<String>,
    /// The file.
    pub input: Input,
    /// How to choose its schema.
    pub choice: SchemaChoice,
}

/// A joined file whose rows were matched with the samples of a dataset.
#[derive(Debug)]
pub struct JoinedFile {
    /// Prefix of its columns: `skywork` in `rm.skywork`.
    pub name: String,
    /// The file.
    pub source: Arc<Source>,
    /// What its rows were matched by, as written for `--on`; `None` for their texts.
    pub matched_on: Option<String>,
    /// What its rows were matched by, as written for `--on`; `None` for their texts.
    pub columns: Vec<Column>,
    /// Matches for each chunk of the dataset, in order.
    pub(super) chunks: Vec<JoinedChunk>,
    /// Number of samples of the dataset that have values from this file.
    pub matched: usize,
    /// Number of samples that could be matched (all but malformed rows).
    pub samples: usize,
    /// Number of its own samples (rows, if it has no texts) without a match.
    pub unmatched: usize,
    /// Number of malformed rows.
    pub malformed: usize,
    /// Further clauses for the summary.
    pub(super) notes: Vec<String>,
}

/// What a joined file says of the samples of a chunk, apart from the columns that it adds to it.
#[derive(Debug)]
pub struct JoinedChunk {
    /// Best responses ([`Verdict::code`]), NaN if not stated.
    pub verdicts: Values,
    /// The label that decides who wins.
    pub deciding: Option<ColumnId>,
    /// Whether each sample has any value.
    pub matched: Box<[bool]>,
    /// Number of stated winners that contradict the deciding scores.
    contradictions: usize,
}

/// Labels and verdicts of a file, in the order of its own responses.
pub struct JoinedLabels {
    pub labels: Vec<StatedLabel>,
    /// Index of the label that decides who wins, and the sign to multiply its values by.
    pub deciding: Option<(usize, f64)>,
    /// Stated winner and margin of each of its samples.
    pub verdicts: Vec<Option<(Verdict, f64)>>,
    /// Number of malformed rows.
    pub malformed: usize,
    /// Further clauses for the summary.
    pub notes: Vec<String>,
}

pub struct StatedLabel {
    pub name: String,
    pub kind: ColumnKind,
    pub range: Option<[f64; 2]>,
    pub about: String,
    /// One value a response of the file (see [`super::matching::ResponseNumbering`]), NaN if
    /// missing.
    pub values: Vec<f64>,
}

impl JoinedLabels {
    /// Collects the labels and verdicts of a dataset.
    pub fn of(dataset: &Dataset) -> Self {
        let mut stated = Self {
            labels: Vec::new(),
            deciding: None,
            verdicts: Vec::with_capacity(dataset.samples()),
            malformed: dataset.malformed(),
            notes: Self::notes_of(dataset),
        };
        let Some(schema) = dataset.files().first().map(|file| &file.schema) else {
            return stated;
        };
        let deciding = schema.deciding_score();
        stated.deciding = deciding.map(|label| (label.place, label.sign));
        for column in schema.columns().iter().take(schema.labels().len()) {
            let mut values = Vec::new();
            for chunk in dataset.chunks() {
                let lists = chunk.columns().numbers(column.id).unwrap_or_default();
                for (sample, &count) in chunk.columns().responses.iter().enumerate() {
                    let of = |lane: usize| lists.get(lane).and_then(|list| list.get(sample));
                    values.extend((0..usize::from(count)).map(|lane| of(lane).unwrap_or(f64::NAN)));
                }
            }
            stated.labels.push(StatedLabel {
                name: column.id.name.to_owned(),
                kind: column.kind,
                range: column.range,
                about: column.about.clone(),
                values,
            });
        }
        // Scores decide, not the order of the responses in the file.
        if stated.deciding.is_some() && schema.prefers_by_place() {
            return stated;
        }
        for chunk in dataset.chunks() {
            let columns = chunk.columns();
            for sample in 0..chunk.samples() {
                let value = |id| columns.of_samples(id)?.get(sample);
                let verdict = value(ColumnId::VERDICT).and_then(Verdict::of_code);
                let margin = value(ColumnId::MARGIN);
                // A verdict without a margin counts as 1; [`ResponseMatching::stated_verdict`]
                // negates it if B wins.
                let margin = |verdict| {
                    margin.unwrap_or_else(|| f64::from(u8::from(verdict != Verdict::Tie)))
                };
                stated.verdicts.push(verdict.map(|it| (it, margin(it))));
            }
        }
        stated
    }

    /// Describes how numeric winners were read, and how many rows have an unreadable value.
    fn notes_of(dataset: &Dataset) -> Vec<String> {
        let definition = dataset.files().first().map(|file| file.schema.definition());
        let guessed = definition.filter(|definition| definition.guess.is_some());
        let number = |words: &[String]| words.iter().find_map(|word| word.parse::<u8>().ok());
        let read = guessed.and_then(|definition| {
            let Some(VerdictRule::ByValue(rule)) = definition.rule() else {
                return None;
            };
            let field = rule.path.steps().join(".");
            let [a, b] = rule.words.as_slice() else {
                return None;
            };
            let (a, b) = (number(a)?, number(b)?);
            Some(format!("{field} is read as {a} = A, {b} = B"))
        });
        let odd = dataset.lenient_rows().odd_values;
        let odd = (odd > 0).then(|| format!("{} with an unreadable value", counted(odd, "row")));
        read.into_iter().chain(odd).collect()
    }

    /// True if it has neither labels nor verdicts.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.verdicts.iter().all(Option::is_none)
    }
}

impl JoinedFile {
    /// Adds the columns of a file to the dataset's chunks, from its matched responses.
    pub(super) fn new(
        name: String,
        source: Arc<Source>,
        stated: &JoinedLabels,
        dataset: &Dataset,
        partners: &ResponseMatching,
    ) -> Self {
        let mut joined = Self {
            columns: columns(&name, stated),
            name,
            source,
            matched_on: None,
            chunks: Vec::new(),
            matched: 0,
            samples: 0,
            unmatched: partners.unmatched,
            malformed: stated.malformed,
            notes: stated.notes.clone(),
        };
        let mut slot = 0;
        let mut contradictions = 0;
        for chunk in dataset.chunks() {
            let responses = &chunk.columns().responses;
            let count = responses
                .iter()
                .map(|&count| usize::from(count))
                .sum::<usize>();
            let slots = slot..slot + count;
            let found = JoinedChunk::of(chunk, stated, &joined.columns, partners, slots);
            joined.matched += found.matched.iter().filter(|matched| **matched).count();
            contradictions += found.contradictions;
            joined.samples += responses.iter().filter(|count| **count > 0).count();
            joined.chunks.push(found);
            slot += count;
        }
        joined.notes.extend(match contradictions {
            0 => None,
            1 => Some("1 winner contradicts its scores".to_owned()),
            count => Some(format!("{count} winners contradict their scores")),
        });
        joined
    }

    /// Returns one line on how much was matched.
    pub fn summary(&self) -> String {
        let Self {
            matched,
            samples,
            unmatched,
            malformed,
            notes,
            ..
        } = self;
        let mut summary = format!(
            "{} matches {matched} of {samples} samples",
            self.source.name()
        );
        for (count, what) in [
            (unmatched, "unmatched in the file"),
            (malformed, "malformed"),
        ] {
            if *count > 0 {
                summary += &format!("; {count} {what}");
            }
        }
        if *matched == 0 && self.matched_on.is_none() {
            summary +=
                "; match by a field of both files (--on FIELD) or by the order of rows (--on row)";
        }
        notes
            .iter()
            .fold(summary, |summary, note| summary + "; " + note)
    }
}

impl JoinedChunk {
    fn of(
        chunk: &Chunk,
        stated: &JoinedLabels,
        columns: &[Column],
        partners: &ResponseMatching,
        slots: Range<usize>,
    ) -> Self {
        let counts = &chunk.columns().responses;
        let lanes = counts.iter().copied().max().unwrap_or(0).max(2);
        let nothing = || vec![f64::NAN; counts.len()];
        let mut labels = vec![vec![nothing(); usize::from(lanes)]; stated.labels.len()];
        let (mut margins, mut verdicts) = (nothing(), nothing());
        let mut matched = vec![false; counts.len()];
        let (mut slot, mut contradictions) = (slots.start, 0);
        for (sample, &count) in counts.iter().enumerate() {
            let own = slot..slot + usize::from(count);
            slot = own.end;
            for (lane, partner) in own.clone().map(|slot| partners.of(slot)).enumerate() {
                let Some(partner) = partner else { continue };
                for (label, lists) in stated.labels.iter().zip(&mut labels) {
                    let value = label.values.get(partner).copied().unwrap_or(f64::NAN);
                    matched[sample] |= !value.is_nan();
                    lists[lane][sample] = value;
                }
            }
            let by_values = stated.deciding.and_then(|(label, sign)| {
                let values: Vec<_> = labels
                    .get(label)?
                    .iter()
                    .take(usize::from(count))
                    .map(|list| list[sample] * sign)
                    .collect();
                Verdict::of_values(&values)
            });
            // A stated winner takes precedence; scores give its margin if they agree.
            let named = partners.stated_verdict(own, &stated.verdicts);
            let outcome = match (named, by_values) {
                (Some((named, _)), Some((by_values, _))) if named != by_values => {
                    contradictions += 1;
                    Some((named, f64::NAN))
                }
                (Some((named, _)), None) if stated.deciding.is_some() => Some((named, f64::NAN)),
                _ => by_values.or(named),
            };
            if let Some((verdict, margin)) = outcome {
                (verdicts[sample], margins[sample]) = (f64::from(verdict.code()), margin);
                matched[sample] = true;
            }
        }
        let packed = |(label, lists): (&StatedLabel, Vec<Vec<f64>>)| {
            let low = label.range.map(|[low, _]| low);
            let lists = lists
                .into_iter()
                .map(|list| Values::of_numbers(list.into(), low));
            ColumnData::Numbers(lists.collect())
        };
        let margins = ColumnData::of_samples(Values::of_numbers(margins.into(), None));
        let labels = stated.labels.iter().zip(labels).map(packed);
        for (column, values) in columns.iter().zip(labels.chain([margins])) {
            chunk.columns.later.add(column.id, values);
        }
        Self {
            verdicts: Values::of_numbers(verdicts.into(), Some(0.0)),
            deciding: (stated.deciding).and_then(|(label, _)| Some(columns.get(label)?.id)),
            matched: matched.into(),
            contradictions,
        }
    }
}

/// Returns the columns of a file: `rm.NAME` if it has one label, else `NAME.LABEL`, and the margin
/// (`rm.NAME.margin` or `NAME.margin`) if it states a winner.
fn columns(name: &str, stated: &JoinedLabels) -> Vec<Column> {
    let is_alone = stated.labels.len() == 1;
    let of_file = if is_alone {
        format!("rm.{name}")
    } else {
        name.to_owned()
    };
    let mut columns = Vec::new();
    for label in &stated.labels {
        let spelled = if is_alone {
            of_file.clone()
        } else {
            format!("{of_file}.{}", one_word(&label.name))
        };
        columns.push(Column {
            id: ColumnId::of(ColumnSource::JoinedLabel, &spelled),
            kind: label.kind,
            range: label.range,
            about: if label.about.is_empty() {
                format!("{} of {name}", label.name)
            } else {
                format!("{name}: {}", label.about)
            },
            reveals: Reveals::Label,
        });
    }
    if stated.deciding.is_some() || stated.verdicts.iter().any(Option::is_some) {
        columns.push(Column {
            id: ColumnId::of(ColumnSource::JoinedMargin, &format!("{of_file}.margin")),
            kind: ColumnKind::Score,
            range: None,
            about: format!("margin of A according to {name} (negative: B wins)"),
            reveals: Reveals::Label,
        });
    }
    columns
}

/// Turns a name into a word that queries accept: letters, digits and `_`.
pub fn one_word(name: &str) -> String {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let word: String = (name.chars())
        .map(|sign| if is_sign(sign) { sign } else { '_' })
        .collect();
    match word.chars().next() {
        Some(first) if !first.is_ascii_digit() => word,
        _ => format!("_{word}"),
    }
}

impl Dataset {
    /// Adds a file whose rows were matched with all samples.
    pub fn add_joined(&mut self, file: Arc<JoinedFile>) {
        self.joined.push(file);
        self.forget_findings();
    }

    /// True if its samples can have values of this column.
    pub fn has(&self, column: ColumnId) -> bool {
        match column.requires {
            Requirement::JoinedFiles => !self.joined.is_empty(),
            _ => self.files.iter().any(|file| file.schema.has(column)),
        }
    }

    /// Returns the joined files, in the order given.
    pub fn joined(&self) -> &[Arc<JoinedFile>] {
        &self.joined
    }

    /// Returns the joined values of a sample: each label with one value a response, or a single
    /// margin for a file without labels. Columns without a value are skipped.
    pub fn joined_values(&self, sample: usize) -> Vec<(ColumnId, Vec<Option<f64>>)> {
        let Some((chunk, within)) = self.chunk_of(sample) else {
            return Vec::new();
        };
        let count = chunk.responses_of(within);
        let shown = self.joined.iter().flat_map(|file| {
            // The margin follows from its labels.
            let has_labels = file.columns.len() > 1;
            file.columns
                .iter()
                .map(|column| column.id)
                .filter(move |id| id.is_of_responses() || !has_labels)
        });
        let values = shown.map(|id| {
            let values = chunk
                .columns()
                .numbers(id)
                .unwrap_or_default()
                .iter()
                .map(|list| list.get(within));
            let count = if id.is_of_responses() { count } else { 1 };
            (id, values.take(count).collect::<Vec<_>>())
        });
        values
            .filter(|(_, values)| values.iter().any(Option::is_some))
            .collect()
    }

    /// Returns the verdict and the rated responses of each joined file that has a verdict on a
    /// sample, given by the index of its chunk and its index there.
    pub fn joined_verdicts(
        &self,
        chunk: usize,
        within: usize,
    ) -> impl Iterator<Item = (Verdict, ResponseSet)> {
        self.joined.iter().filter_map(move |file| {
            let (joined, chunk) = (file.chunks.get(chunk)?, self.chunks.get(chunk)?);
            let verdict = Verdict::of_code(joined.verdicts.get(within)?)?;
            let lists = joined
                .deciding
                .and_then(|label| chunk.columns().numbers(label));
            let is_rated = |lane: usize| {
                let list = |lists: &[Values]| lists.get(lane)?.get(within);
                lists.is_none_or(|lists| list(lists).is_some())
            };
            let rated = ResponseSet::filtered(chunk.responses_of(within), is_rated);
            Some((verdict, rated))
        })
    }

    /// True if any joined file has no values for a sample (by chunk and index in it).
    pub fn is_unmatched(&self, chunk: usize, within: usize) -> bool {
        self.joined
            .iter()
            .filter_map(|file| file.chunks.get(chunk))
            .any(|joined| joined.matched.get(within) == Some(&false))
    }

    /// Returns the index of the chunk that contains a sample.
    pub fn chunk_place(&self, sample: usize) -> Option<usize> {
        self.chunks
            .partition_point(|chunk| chunk.first_sample() <= sample)
            .checked_sub(1)
    }
}
