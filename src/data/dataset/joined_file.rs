//! Files joined to a dataset: scores of reward models, verdicts of judges, ratings of another team.

use std::iter;
use std::sync::Arc;

use super::{Chunk, Dataset};
use crate::source::Source;
use crate::table::{Column, ColumnId, Requirement, Values};

/// A joined file whose rows were matched with the samples of a dataset.
#[derive(Debug)]
pub struct JoinedFile {
    /// Prefix of its columns: `skywork` in `rm.skywork`.
    pub name: String,
    /// The file.
    pub source: Arc<Source>,
    /// What its rows were matched by, as written for `--on`; `None` for their texts.
    pub matched_on: Option<String>,
    /// Its columns: labels, and a margin if it states winners.
    pub columns: Vec<Column>,
    /// The column of its verdicts ([`Verdict::code`](crate::model::Verdict::code)), which no catalog has.
    pub(super) verdicts: ColumnId,
    /// The label that decides who wins.
    pub(super) deciding: Option<ColumnId>,
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

impl JoinedFile {
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

impl Dataset {
    /// Adds a file whose rows were matched with all samples.
    pub fn add_joined(&mut self, file: Arc<JoinedFile>) {
        self.joined.push(file);
        self.forget_findings();
    }

    /// True if its samples can have values of this column.
    pub fn has(&self, column: ColumnId) -> bool {
        match column.requires {
            Requirement::Raters if !self.joined.is_empty() => true,
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

    /// Returns a function that takes the index of a sample in a chunk, and tests if any joined file
    /// has no values for it.
    pub fn unmatched_test(&self, chunk: &Chunk) -> impl Fn(usize) -> bool {
        let lists_of = |file: &Arc<JoinedFile>| {
            let ids = file.columns.iter().map(|column| column.id);
            let numbers = |id| chunk.columns().numbers(id).unwrap_or_default();
            // Most files state a verdict, which answers at once.
            let lists = iter::once(file.verdicts).chain(ids).flat_map(numbers);
            lists.collect::<Vec<_>>()
        };
        let files: Vec<_> = self.joined.iter().map(lists_of).collect();
        move |within| {
            let is_matched = |lists: &Vec<&Values>| lists.iter().any(|it| it.get(within).is_some());
            !files.iter().all(is_matched)
        }
    }
}
