//! Raters beside the dataset's verdict: of its schemas, and joined files.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{Chunk, Dataset};
use crate::model::{ResponseSet, Verdict};
use crate::schema::{RaterKind, RaterValues, Schema, SchemaRater};
use crate::table::{ColumnId, ColumnSource, Values, WordColumn};

/// A rater with a verdict on samples.
#[derive(Debug, Clone)]
pub struct DatasetRater {
    /// Its name: of the schema's rater, or of the file.
    pub name: Arc<str>,
    /// What it is.
    pub kind: RaterKind,
    /// The column of its margins.
    pub margin: ColumnId,
}

/// Takes the index of a sample in a chunk, and returns a rater's verdict and the responses that it
/// rates.
type RaterVerdicts<'c> = Box<dyn Fn(usize) -> Option<(Verdict, ResponseSet)> + 'c>;
/// Likewise, with the margin: of A for two responses, otherwise of the best over the second.
type RaterMargins<'c> = Box<dyn Fn(usize) -> Option<(Verdict, f64, ResponseSet)> + 'c>;

impl Dataset {
    /// Returns the raters: those of schemas by name, then the joined files in the order given.
    pub fn raters(&self) -> Vec<DatasetRater> {
        let mut raters: Vec<DatasetRater> = Vec::new();
        let name = |id: ColumnId| {
            let name = id.name.trim_start_matches("rm.");
            name.trim_end_matches(".margin").into()
        };
        for rater in self.files.iter().flat_map(|file| file.schema.raters()) {
            let (kind, margin) = (rater.kind, rater.margin.id);
            if raters.iter().all(|known| known.margin != margin) {
                let name = Arc::clone(&rater.name);
                raters.push(DatasetRater { name, kind, margin });
            }
        }
        let of_joined = self.joined.iter().filter_map(|file| {
            let mut ids = file.columns.iter().map(|column| column.id);
            let margin = ids.find(|id| matches!(id.source, ColumnSource::JoinedVerdict))?;
            let kind = match file.deciding {
                Some(_) => RaterKind::Score,
                None => RaterKind::Judge,
            };
            let name = name(margin);
            Some(DatasetRater { name, kind, margin })
        });
        raters.extend(of_joined);
        raters
    }

    /// Returns a function for each rater with verdicts on a chunk.
    pub fn verdicts_of_raters<'c>(&'c self, chunk: &'c Chunk) -> Vec<RaterVerdicts<'c>> {
        let joined = self.joined.iter().filter_map(|file| {
            let verdicts = chunk.columns().of_samples(file.verdicts)?;
            let labels = file
                .deciding
                .and_then(|label| chunk.columns().numbers(label));
            let of = move |within| {
                let is_rated = |lane: usize| {
                    let list = |lists: &[Values]| lists.get(lane)?.get(within);
                    labels.is_none_or(|lists| list(lists).is_some())
                };
                let verdict = Verdict::of_code(verdicts.get(within)?)?;
                let rated = ResponseSet::filtered(chunk.responses_of(within), is_rated);
                Some((verdict, rated))
            };
            Some(Box::new(of) as RaterVerdicts<'c>)
        });
        let schema = self.files.get(chunk.file()).map(|file| &*file.schema);
        let own = schema.into_iter().flat_map(|schema| {
            schema.raters().iter().map(|rater| {
                let margins = chunk.margins_of(schema, rater);
                let of = move |within| margins(within).map(|(verdict, _, rated)| (verdict, rated));
                Box::new(of) as RaterVerdicts<'c>
            })
        });
        own.chain(joined).collect()
    }
}

impl Chunk {
    /// Returns the verdicts and margins of a rater of its schema.
    fn margins_of<'c>(&'c self, schema: &'c Schema, rater: &'c SchemaRater) -> RaterMargins<'c> {
        match &rater.values {
            RaterValues::Label(deciding) => Box::new(move |within| {
                let of = |values: &[f64]| {
                    let (verdict, margin) = Verdict::of_values(values)?;
                    Some((verdict, margin, ResponseSet::rated(values)))
                };
                self.with_values_of(*deciding, within, schema, of)?
            }),
            RaterValues::Words(fact, rule) => {
                let columns = self.columns().words(*fact);
                let Some(WordColumn::Codes { words, codes }) =
                    columns.and_then(|columns| columns.first())
                else {
                    return Box::new(|_| None);
                };
                let all = rule.words.len();
                let sign = move |verdict: Verdict| match verdict.winner() {
                    None => 0.0,
                    Some(winner) if all == 2 && winner.index() == 1 => -1.0,
                    Some(_) => 1.0,
                };
                let read = move |word: &str| {
                    let verdict = rule.wins(word)?;
                    let stated = rule.margins.get(word).copied();
                    Some((verdict, stated.unwrap_or_else(|| sign(verdict))))
                };
                // Each word is read once, and only if a sample that has it is asked for.
                let known: Vec<OnceCell<_>> = words.iter().map(|_| OnceCell::new()).collect();
                Box::new(move |within| {
                    let code = usize::from(*codes.get(within)?);
                    let word = words.get(code)?;
                    let (verdict, margin) = (*known[code].get_or_init(|| read(word)))?;
                    // Letters may mean others if a response is missing.
                    let is_whole = self.responses_of(within) == all;
                    is_whole.then(|| (verdict, margin, ResponseSet::first(all)))
                })
            }
        }
    }

    /// Returns the verdict and the margin of a rater of its schema, by the column of the margins.
    pub fn rater_verdicts<'c>(
        &'c self,
        schema: &'c Schema,
        margin: ColumnId,
    ) -> impl Fn(usize) -> Option<(Verdict, f64)> + 'c {
        let mut raters = schema.raters().iter();
        let rater = raters.find(|rater| rater.margin.id == margin);
        let margins = rater.map(|rater| self.margins_of(schema, rater));
        move |within| margins.as_ref()?(within).map(|(verdict, margin, _)| (verdict, margin))
    }
}
