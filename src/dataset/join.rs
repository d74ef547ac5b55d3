//! What other files say of the samples of a dataset: scores of reward models, verdicts of judges,
//! ratings of another team.
//!
//! A file is loaded as a dataset of its own where it has prompts and responses, and otherwise as
//! rows of numbers. [`super::matching`] tells which of its responses is which; from there its labels
//! become columns beside those of the dataset, chunk by chunk.

use std::ops::Range;
use std::sync::Arc;

use super::matching::ResponseMatching;
use super::{Chunk, Dataset};
use crate::model::{ResponseSet, Verdict};
use crate::schema::{SchemaChoice, VerdictRule};
use crate::source::{Input, Source};
use crate::table::{
    Column, ColumnData, ColumnId, ColumnKind, ColumnSource, Requirement, Reveals, Values,
};
use crate::text::counted;

/// A file that says something of the samples of others.
#[derive(Debug, Clone)]
pub struct JoinInput {
    /// What its columns are called after; the file's name where it is absent.
    pub name: Option<String>,
    /// The file.
    pub input: Input,
    /// How its schema is chosen.
    pub choice: SchemaChoice,
}

/// A file whose rows were matched with the samples of a dataset.
#[derive(Debug)]
pub struct JoinedFile {
    /// What its columns are called after: `skywork` of `rm.skywork`.
    pub name: String,
    /// The file.
    pub source: Arc<Source>,
    /// By what its rows were matched, as `--on` says it; `None`: by what they say.
    pub matched_on: Option<String>,
    /// Its columns, described: labels of the responses, and by how much A wins.
    pub columns: Vec<Column>,
    /// The values, for each chunk of the dataset in order.
    pub(super) chunks: Vec<JoinedColumns>,
    /// How many samples of the dataset it says something of.
    pub matched: usize,
    /// How many samples the dataset has that could be matched: malformed rows cannot.
    pub samples: usize,
    /// How many of its own samples (or rows, where it has no texts) say something of none.
    pub left_over: usize,
    /// How many of its rows do not read.
    pub malformed: usize,
    /// What else to tell of it, one clause each.
    pub(super) notes: Vec<String>,
}

/// What a joined file says of the samples of a chunk.
#[derive(Debug)]
pub(super) struct JoinedColumns {
    /// The values of each of its columns.
    columns: Vec<ColumnData>,
    /// The best responses: [`Verdict::code`], NaN where that is not said.
    pub(super) verdicts: Values,
    /// The label that decides who wins.
    pub(super) deciding: Option<usize>,
    /// Whether anything is said of each sample.
    pub(super) matched: Box<[bool]>,
    /// How many named winners are not those of the deciding scores.
    contradictions: usize,
}

/// What a file states, in the order of its own responses.
pub(super) struct JoinedLabels {
    pub(super) labels: Vec<StatedLabel>,
    /// The label that decides who wins, with the sign that its values are compared with.
    pub(super) deciding: Option<(usize, f64)>,
    /// For each of its samples who wins and by how much, where it states that.
    pub(super) verdicts: Vec<Option<(Verdict, f64)>>,
    /// How many of its rows do not read.
    pub(super) malformed: usize,
    /// What else to tell of it, one clause each.
    pub(super) notes: Vec<String>,
}

/// A label with its values.
pub(super) struct StatedLabel {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
    pub(super) range: Option<[f64; 2]>,
    pub(super) about: String,
    /// One for each response of the file ([`super::matching::ResponseNumbering`]); NaN where there is none.
    pub(super) values: Vec<f64>,
}

impl JoinedLabels {
    /// What a dataset states.
    pub(super) fn of(dataset: &Dataset) -> Self {
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
        // Scores decide, not the order in which the file lists the responses.
        if stated.deciding.is_some() && schema.prefers_by_place() {
            return stated;
        }
        for chunk in dataset.chunks() {
            let columns = chunk.columns();
            for sample in 0..chunk.samples() {
                let value = |id| columns.of_samples(id)?.get(sample);
                let verdict = value(ColumnId::VERDICT).and_then(Verdict::of_code);
                let margin = value(ColumnId::MARGIN);
                // Without a size it is a sign, which [`ResponseMatching::stated_verdict`] makes negative if B
                // of two wins.
                let margin = |verdict| {
                    margin.unwrap_or_else(|| f64::from(u8::from(verdict != Verdict::Tie)))
                };
                stated.verdicts.push(verdict.map(|it| (it, margin(it))));
            }
        }
        stated
    }

    /// How numbers that name the winner were read, and how many rows have a value that was not.
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

    /// Whether it states nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.verdicts.iter().all(Option::is_none)
    }
}

impl JoinedFile {
    /// The columns of a file whose responses were matched with those of a dataset.
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
            left_over: partners.left_over,
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
            let columns = JoinedColumns::of(chunk, stated, partners, slot..slot + count);
            joined.matched += columns.matched.iter().filter(|matched| **matched).count();
            contradictions += columns.contradictions;
            joined.samples += responses.iter().filter(|count| **count > 0).count();
            joined.chunks.push(columns);
            slot += count;
        }
        joined.notes.extend(match contradictions {
            0 => None,
            1 => Some("1 winner contradicts its scores".to_owned()),
            count => Some(format!("{count} winners contradict their scores")),
        });
        joined
    }

    /// What to tell a person of how much of it was matched.
    pub fn summary(&self) -> String {
        let Self {
            matched,
            samples,
            left_over,
            malformed,
            notes,
            ..
        } = self;
        let mut summary = format!(
            "{} says something of {matched} of {samples} samples",
            self.source.name()
        );
        for (count, what) in [
            (left_over, "of its own without a match"),
            (malformed, "malformed"),
        ] {
            if *count > 0 {
                summary += &format!("; {count} {what}");
            }
        }
        if *matched == 0 && self.matched_on.is_none() {
            summary +=
                "; --on FIELD matches by a field of both files, --on row by the order of rows";
        }
        notes
            .iter()
            .fold(summary, |summary, note| summary + "; " + note)
    }
}

impl JoinedColumns {
    /// The numbers of a column of the file, by its place.
    fn numbers(&self, column: usize) -> Option<&[Values]> {
        self.columns.get(column)?.numbers()
    }

    fn of(
        chunk: &Chunk,
        stated: &JoinedLabels,
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
                let lists = labels.get(label)?.iter().take(usize::from(count));
                let values: Vec<_> = lists.map(|list| list[sample] * sign).collect();
                Verdict::of_values(&values)
            });
            // A winner that the file names counts; its scores then say by how much, if they agree.
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
            let lists = lists.into_iter();
            let lists = lists.map(|list| Values::of_numbers(list.into(), low));
            ColumnData::Numbers(lists.collect())
        };
        let margins = ColumnData::of_samples(Values::of_numbers(margins.into(), None));
        let labels = stated.labels.iter().zip(labels).map(packed);
        Self {
            columns: labels.chain([margins]).collect(),
            verdicts: Values::of_numbers(verdicts.into(), Some(0.0)),
            deciding: stated.deciding.map(|(label, _)| label),
            matched: matched.into(),
            contradictions,
        }
    }
}

/// The columns of a file: `rm.NAME` where it has one label, else `NAME.LABEL`; and by how much A
/// wins, `rm.NAME.margin` or `NAME.margin`, where it says who does.
fn columns(name: &str, stated: &JoinedLabels) -> Vec<Column> {
    let is_alone = stated.labels.len() == 1;
    let of_file = if is_alone {
        format!("rm.{name}")
    } else {
        name.to_owned()
    };
    let mut columns = Vec::new();
    for label in &stated.labels {
        let spelled = match is_alone {
            true => of_file.clone(),
            false => format!("{of_file}.{}", one_word(&label.name)),
        };
        columns.push(Column {
            id: ColumnId::of(ColumnSource::JoinedLabel, &spelled),
            kind: label.kind,
            range: label.range,
            about: match label.about.is_empty() {
                true => format!("{} of {name}", label.name),
                false => format!("{name}: {}", label.about),
            },
            reveals: Reveals::Label,
        });
    }
    if stated.deciding.is_some() || stated.verdicts.iter().any(Option::is_some) {
        columns.push(Column {
            id: ColumnId::of(ColumnSource::JoinedMargin, &format!("{of_file}.margin")),
            kind: ColumnKind::Score,
            range: None,
            about: format!("by how much A wins (negative: B) as {name} has it"),
            reveals: Reveals::Label,
        });
    }
    columns
}

/// A name as a word that a query can say: letters, digits and `_`.
pub(super) fn one_word(name: &str) -> String {
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
    /// Adds a file that was matched with all samples.
    pub fn add_joined(&mut self, file: Arc<JoinedFile>) {
        self.joined.push(file);
        self.forget_findings();
    }

    /// Whether its samples can have values of a column.
    pub fn has(&self, column: ColumnId) -> bool {
        match column.requires {
            Requirement::JoinedFiles => !self.joined.is_empty(),
            Requirement::Nothing | Requirement::Quotes | Requirement::Votes => {
                self.files.iter().any(|file| file.schema.has(column))
            }
        }
    }

    /// The files that were matched with its samples, in the order in which they were named.
    pub fn joined(&self) -> &[Arc<JoinedFile>] {
        &self.joined
    }

    /// The numbers of a column of a joined file for the samples of a chunk (by its place): one list,
    /// or one for each response; `None` where no joined file has it.
    pub fn joined_column(&self, id: ColumnId, chunk: usize) -> Option<&[Values]> {
        self.joined.iter().find_map(|file| {
            let place = file.columns.iter().position(|column| column.id == id)?;
            file.chunks.get(chunk)?.numbers(place)
        })
    }

    /// What joined files say of a sample: each of their labels with a value for each response, and
    /// where a file has no labels by how much A wins, one value; nothing that no response has.
    pub fn joined_values(&self, sample: usize) -> Vec<(ColumnId, Vec<Option<f64>>)> {
        let Some(((chunk, within), place)) = self.chunk_of(sample).zip(self.chunk_place(sample))
        else {
            return Vec::new();
        };
        let count = chunk.columns().responses.get(within).copied();
        let count = count.map_or(0, usize::from);
        let shown = self.joined.iter().flat_map(|file| {
            // A margin of its labels is seen in those.
            let has_labels = file.columns.len() > 1;
            let ids = file.columns.iter().map(|column| column.id);
            ids.filter(move |id| id.is_of_responses() || !has_labels)
        });
        let values = shown.map(|id| {
            let lists = self.joined_column(id, place).unwrap_or_default();
            let values = lists.iter().map(|list| list.get(within));
            let count = if id.is_of_responses() { count } else { 1 };
            (id, values.take(count).collect::<Vec<_>>())
        });
        values
            .filter(|(_, values)| values.iter().any(Option::is_some))
            .collect()
    }

    /// The verdict on a sample of a chunk (both by their places) and the rated responses, by each
    /// joined file that has a verdict.
    pub fn joined_verdicts(
        &self,
        chunk: usize,
        within: usize,
    ) -> impl Iterator<Item = (Verdict, ResponseSet)> {
        let responses = self.chunks.get(chunk).map(|it| &it.columns().responses);
        let responses = responses.and_then(|counts| counts.get(within)).copied();
        let responses = responses.map_or(0, usize::from);
        let chunks = self
            .joined
            .iter()
            .filter_map(move |file| file.chunks.get(chunk));
        chunks.filter_map(move |columns| {
            let verdict = Verdict::of_code(columns.verdicts.get(within)?)?;
            let lists = columns.deciding.and_then(|label| columns.numbers(label));
            let is_rated = |lane: usize| {
                let list = |lists: &[Values]| lists.get(lane)?.get(within);
                lists.is_none_or(|lists| list(lists).is_some())
            };
            let rated = ResponseSet::filtered(responses, is_rated);
            Some((verdict, rated))
        })
    }

    /// Whether a joined file says nothing of a sample of a chunk (both by their places).
    pub fn is_unmatched(&self, chunk: usize, within: usize) -> bool {
        let mut chunks = self.joined.iter().filter_map(|file| file.chunks.get(chunk));
        chunks.any(|columns| columns.matched.get(within) == Some(&false))
    }

    /// The place of the chunk that a sample is in.
    pub fn chunk_place(&self, sample: usize) -> Option<usize> {
        self.chunks
            .partition_point(|chunk| chunk.first_sample() <= sample)
            .checked_sub(1)
    }
}
