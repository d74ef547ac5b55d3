//! What joined files say of the responses of a dataset, as columns.
//!
//! A joined file is loaded as a dataset if it has prompts and responses, otherwise as rows of
//! numbers. [`super::matching`] matches its responses; its labels then become columns of the
//! dataset, chunk by chunk.

use std::sync::Arc;

use super::matching::ResponseMatching;
use crate::dataset::{Chunk, Dataset, JoinedFile};
use crate::model::Verdict;
use crate::schema::VerdictRule;
use crate::schema::one_word;
use crate::source::Source;
use crate::table::{Column, ColumnData, ColumnId, ColumnKind, ColumnSource, Reveals, Values};
use crate::text::counted;

/// Labels and verdicts of a file, in the order of its own responses.
pub struct JoinedLabels {
    /// Each label, with a value for each response of the file (see
    /// [`super::matching::ResponseNumbering`]), NaN if missing.
    pub labels: Vec<(Column, Vec<f64>)>,
    /// Index of the label that decides who wins, and the sign to multiply its values by.
    pub deciding: Option<(usize, f64)>,
    /// Stated winner and margin of each of its samples.
    pub verdicts: Vec<Option<(Verdict, f64)>>,
    /// Number of malformed rows.
    pub malformed: usize,
    /// Further clauses for the summary.
    pub notes: Vec<String>,
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
            stated.labels.push((column.clone(), values));
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
        stated: JoinedLabels,
        dataset: &Dataset,
        partners: &ResponseMatching,
    ) -> Self {
        let columns = columns(&name, &stated);
        let deciding = stated.deciding.and_then(|(label, _)| columns.get(label));
        let mut joined = Self {
            verdicts: ColumnId::of(ColumnSource::JoinedVerdict, &format!("{name}.verdict")),
            deciding: deciding.map(|column| column.id),
            columns,
            name,
            source,
            matched_on: None,
            matched: 0,
            samples: 0,
            unmatched: partners.unmatched,
            malformed: stated.malformed,
            notes: Vec::new(),
        };
        let (mut slot, mut contradictions) = (0, 0);
        for chunk in dataset.chunks() {
            contradictions += joined.add_to(chunk, &stated, partners, &mut slot);
        }
        joined.notes = stated.notes;
        joined.notes.extend(match contradictions {
            0 => None,
            1 => Some("1 winner contradicts its scores".to_owned()),
            count => Some(format!("{count} winners contradict their scores")),
        });
        joined
    }

    /// Adds the columns to a chunk, whose first response is `slot`. Returns the number of stated
    /// winners that contradict the deciding scores.
    fn add_to(
        &mut self,
        chunk: &Chunk,
        stated: &JoinedLabels,
        partners: &ResponseMatching,
        slot: &mut usize,
    ) -> usize {
        let counts = &chunk.columns().responses;
        let lanes = counts.iter().copied().max().unwrap_or(0).max(2);
        let nothing = || vec![f64::NAN; counts.len()];
        let mut labels = vec![vec![nothing(); usize::from(lanes)]; stated.labels.len()];
        let (mut margins, mut verdicts) = (nothing(), nothing());
        let mut contradictions = 0;
        for (sample, &count) in counts.iter().enumerate() {
            let own = *slot..*slot + usize::from(count);
            *slot = own.end;
            let mut is_matched = false;
            for (lane, partner) in own.clone().map(|slot| partners.of(slot)).enumerate() {
                let Some(partner) = partner else { continue };
                for ((_, values), lists) in stated.labels.iter().zip(&mut labels) {
                    let value = values.get(partner).copied().unwrap_or(f64::NAN);
                    is_matched |= !value.is_nan();
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
                is_matched = true;
            }
            self.matched += usize::from(is_matched);
            self.samples += usize::from(count > 0);
        }
        let of_samples =
            |list: Vec<f64>, low| ColumnData::of_samples(Values::of_numbers(list.into(), low));
        let labels = stated.labels.iter().zip(labels).map(|((label, _), lists)| {
            let low = label.range.map(|[low, _]| low);
            let lists = lists.into_iter();
            let lists = lists.map(|list| Values::of_numbers(list.into(), low));
            ColumnData::Numbers(lists.collect())
        });
        let later = &chunk.columns.later;
        for (column, values) in (self.columns.iter()).zip(labels.chain([of_samples(margins, None)]))
        {
            later.add(column.id, values);
        }
        later.add(self.verdicts, of_samples(verdicts, Some(0.0)));
        contradictions
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
    for (label, _) in &stated.labels {
        let spelled = if is_alone {
            of_file.clone()
        } else {
            format!("{of_file}.{}", one_word(label.id.name))
        };
        columns.push(Column {
            id: ColumnId::of(ColumnSource::JoinedLabel, &spelled),
            about: if label.about.is_empty() {
                format!("{} of {name}", label.id.name)
            } else {
                format!("{name}: {}", label.about)
            },
            reveals: Reveals::Label,
            ..*label
        });
    }
    if stated.deciding.is_some() || stated.verdicts.iter().any(Option::is_some) {
        columns.push(Column {
            id: ColumnId::of(ColumnSource::JoinedVerdict, &format!("{of_file}.margin")),
            kind: ColumnKind::Score,
            range: None,
            about: format!("margin of A according to {name} (negative: B wins)"),
            reveals: Reveals::Label,
        });
    }
    columns
}
