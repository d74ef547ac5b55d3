//! A run of samples of one chunk, with the lists that a query compares.

use std::ops::Range;

use super::per_response::PerResponse;
use crate::dataset::{Chunk, ChunkColumns, Dataset};
use crate::model::{ResponseId, ResponseSet, Verdict, Vote};
use crate::parallel::KeepGoing;
use crate::query::ast::{Aggregate, ColumnId};
use crate::query::remarks::ReviewIndex;
use crate::schema::{DecidingLabel, Schema};
use crate::table::{SampleLists, Values};

/// Consecutive samples of one chunk; the unit of query evaluation.
#[derive(Clone)]
pub(super) struct SampleBlock<'d> {
    pub(super) dataset: &'d Dataset,
    pub(super) chunk: &'d Chunk,
    pub(super) schema: &'d Schema,
    /// Its samples, counted from the first of the chunk.
    pub(super) within: Range<usize>,
    /// Returns false to cancel. Checked for each sample whose rows are read, which can be
    /// megabytes.
    pub(super) keep_going: &'d dyn KeepGoing,
    /// What reviewers said about the samples, if the query needs it.
    pub(super) remarks: Option<&'d ReviewIndex>,
}

impl SampleLists for SampleBlock<'_> {
    fn responses(&self) -> &[u16] {
        self.counts()
    }

    fn read_warnings(&self) -> &[bool] {
        self.part(&self.columns().flagged)
    }

    fn verdicts(&self) -> Vec<Option<Verdict>> {
        let Some(stated) = self.columns().of_samples(ColumnId::VERDICT) else {
            return self.decided(None, |(verdict, _)| Some(verdict));
        };
        self.numbers(stated)
            .into_iter()
            .map(Verdict::of_code)
            .collect()
    }

    fn unmatched(&self) -> Vec<bool> {
        let is_unmatched = self.dataset.unmatched_test(self.chunk);
        let places = self.within.clone().zip(self.counts());
        (places.map(|(within, &count)| count > 0 && is_unmatched(within))).collect()
    }

    fn votes_for(&self, response: usize) -> Vec<f64> {
        let is_for = |vote: &&f64| Vote::of_code(**vote).is_for(response);
        let places = self.within.clone().zip(self.counts());
        let voted = self.voted();
        let count = |(place, &responses): (usize, &u16)| {
            let is_there = response < usize::from(responses);
            let votes = voted(place).filter(|_| is_there);
            votes.map_or(f64::NAN, |votes| votes.iter().filter(is_for).count() as f64)
        };
        places.map(count).collect()
    }

    fn numbers(&self, id: ColumnId) -> Vec<f64> {
        self.values(id).lane(0).to_vec()
    }
}

impl<'d> SampleBlock<'d> {
    /// Splits a range of samples into blocks of at most `most` samples.
    pub(super) fn all(
        dataset: &'d Dataset,
        samples: Range<usize>,
        most: usize,
    ) -> impl Iterator<Item = Self> {
        let chunks = dataset.chunks_of(&samples).iter();
        chunks.flat_map(move |chunk| {
            let start = samples.start.saturating_sub(chunk.first_sample());
            let end = (samples.end - chunk.first_sample()).min(chunk.samples());
            let files = dataset.files().get(chunk.file());
            files.into_iter().flat_map(move |file| {
                (start..end).step_by(most).map(move |start| SampleBlock {
                    dataset,
                    chunk,
                    schema: &file.schema,
                    within: start..end.min(start + most),
                    keep_going: &|| true,
                    remarks: None,
                })
            })
        })
    }

    /// Returns the block with a closure that cancels reading rows.
    pub(super) fn with_keep_going(self, keep_going: &'d dyn KeepGoing) -> Self {
        Self { keep_going, ..self }
    }

    /// Returns the block with what reviewers said about its samples.
    pub(super) fn with_remarks(self, remarks: &'d ReviewIndex) -> Self {
        Self {
            remarks: Some(remarks),
            ..self
        }
    }

    /// Returns the block of one sample; `None` if there is no such sample.
    pub(super) fn of(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        (sample < dataset.samples())
            .then(|| Self::all(dataset, sample..sample + 1, 1).next())
            .flatten()
    }

    /// Returns the number of samples.
    pub(super) fn len(&self) -> usize {
        self.within.len()
    }

    /// Returns its sample numbers in the dataset.
    pub(super) fn samples(&self) -> Range<usize> {
        let first = self.chunk.first_sample();
        first + self.within.start..first + self.within.end
    }

    pub(super) fn columns(&self) -> &'d ChunkColumns {
        self.chunk.columns()
    }

    /// Returns the block's part of a list of the chunk.
    pub(super) fn part<'l, T>(&self, list: &'l [T]) -> &'l [T] {
        list.get(self.within.clone()).unwrap_or_default()
    }

    /// Counts for each sample the raters that contradict the dataset: they rate one of its best
    /// responses, and have only others as best. NaN if the dataset has no best response, or no
    /// rater has a verdict.
    pub(super) fn contradictions(&self) -> Vec<f64> {
        let raters = self.dataset.verdicts_of_raters(self.chunk);
        let count = |(within, own): (usize, Option<Verdict>)| {
            let Some(Verdict::Best(best)) = own else {
                return f64::NAN;
            };
            let mut others = raters.iter().filter_map(|of| of(within)).peekable();
            if others.peek().is_none() {
                return f64::NAN;
            }
            // A rater without ratings of the best responses cannot contradict them.
            let is_against = |(other, rated): &(Verdict, ResponseSet)| {
                best.meets(other.worse(*rated)) && !best.meets(other.best(*rated))
            };
            others.filter(is_against).count() as f64
        };
        self.within
            .clone()
            .zip(self.verdicts())
            .map(count)
            .collect()
    }

    /// Counts for each sample the raters with a verdict, ties included; NaN for malformed rows.
    pub(super) fn verdicts_of_raters(&self) -> Vec<f64> {
        let raters = self.dataset.verdicts_of_raters(self.chunk);
        let count = |(within, &responses): (usize, &u16)| match responses {
            0 => f64::NAN,
            _ => raters.iter().filter_map(|of| of(within)).count() as f64,
        };
        self.within.clone().zip(self.counts()).map(count).collect()
    }

    /// Returns the margins of a rater of the schema; NaN without a verdict.
    pub(super) fn rater_margins(&self, margin: ColumnId) -> Vec<f64> {
        let file = self.dataset.files().get(self.chunk.file());
        let Some(file) = file else {
            return self.missing_everywhere();
        };
        let of = self.chunk.rater_verdicts(&file.schema, margin);
        let verdicts = self.within.clone().map(of);
        verdicts
            .map(|it| it.map_or(f64::NAN, |(_, margin)| margin))
            .collect()
    }

    /// Returns the number of responses per sample; 0 for a malformed row.
    pub(super) fn counts(&self) -> &'d [u16] {
        self.part(&self.columns().responses)
    }

    /// Returns the number of lanes: the most responses of a sample in the block, at least one.
    pub(super) fn lanes(&self) -> usize {
        let most = self.counts().iter().fold(1, |most, &count| most.max(count));
        usize::from(most)
    }

    /// True for samples with a response at this index.
    pub(super) fn has(&self, response: usize) -> Vec<bool> {
        self.counts()
            .iter()
            .map(|&count| usize::from(count) > response)
            .collect()
    }

    /// True for existing responses. A malformed row counts as one response without values.
    pub(super) fn responses(&self) -> PerResponse<bool> {
        let has = |response: u16| {
            self.counts()
                .iter()
                .map(move |&count| count.max(1) > response)
                .collect()
        };
        PerResponse::Each((0..self.lanes() as u16).map(has).collect())
    }

    /// Returns the stored values of a number: one list for a column of samples, or one per
    /// response; `None` if the column is not stored.
    pub(super) fn stored(&self, id: ColumnId) -> Option<&'d [Values]> {
        let stored = self.columns().numbers(id)?;
        Some(&stored[..stored.len().min(self.lanes())])
    }

    /// Returns a column as numbers, NaN if missing.
    pub(super) fn numbers(&self, values: &Values) -> Vec<f64> {
        values.numbers(self.within.clone())
    }

    /// Returns a missing value for each sample.
    pub(super) fn missing_everywhere(&self) -> Vec<f64> {
        vec![f64::NAN; self.len()]
    }

    /// Counts for each sample the annotators who voted for a winner or a tie; NaN without any vote,
    /// for malformed rows, and for files without votes.
    pub(super) fn votes(&self) -> Vec<f64> {
        let voted = self.voted();
        let count = |place| voted(place).map_or(f64::NAN, |votes| votes.len() as f64);
        self.within.clone().map(count).collect()
    }

    /// Returns a function from a sample's index in the chunk to the [codes](Vote::code) of its
    /// votes; `None` if the sample has no votes, not even excluded ones.
    fn voted(&self) -> impl Fn(usize) -> Option<Vec<f64>> {
        let votes = self
            .columns()
            .annotations(ColumnId::VOTES)
            .and_then(|lanes| lanes.first());
        let excluded = self.columns().of_samples(ColumnId::EXCLUDED_VOTES);
        move |place| {
            let votes = votes?.list(place);
            let has_excluded = || {
                let count = excluded.and_then(|counts| counts.get(place));
                count.is_some_and(|count| count > 0.0)
            };
            (!votes.is_empty() || has_excluded()).then_some(votes)
        }
    }

    /// Returns the winning margin in units of the deciding label, NaN if unknown: for two responses
    /// A minus B, for more the best minus the second.
    pub(super) fn margins(&self) -> Vec<f64> {
        match self.columns().of_samples(ColumnId::MARGIN) {
            Some(margins) => self.numbers(margins),
            None => self.decided(f64::NAN, |(_, margin)| margin),
        }
    }

    /// Maps the verdict and margin by the deciding label; `none` if there is no such label, or too
    /// few values.
    fn decided<T: Clone>(&self, none: T, to: impl Fn((Verdict, f64)) -> T) -> Vec<T> {
        // Rows that state verdicts have no deciding label.
        let Some(values) = self.deciding_values() else {
            return vec![none; self.len()];
        };
        self.of_each(&values, |values| {
            Verdict::of_values(values).map_or_else(|| none.clone(), &to)
        })
    }

    /// Folds the values of each sample's responses; NaN if missing.
    pub(super) fn of_each<T>(&self, lanes: &[Vec<f64>], to: impl Fn(&[f64]) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(lanes.len());
        let each = |(sample, &count): (usize, &u16)| {
            values.clear();
            // A malformed row has row numbers too.
            let there = lanes.iter().take(usize::from(count.max(1)));
            values.extend(there.map(|lane| lane[sample]));
            to(&values)
        };
        self.counts().iter().enumerate().map(each).collect()
    }

    /// Returns the values of the deciding label per response, negated if the lesser value wins;
    /// `None` without such a label.
    fn deciding_values(&self) -> Option<Vec<Vec<f64>>> {
        let DecidingLabel { place, sign } = self.schema.deciding_label()?;
        let label = self.schema.columns().get(place)?.id;
        let lists = self.columns().numbers(label)?.iter().take(self.lanes());
        let signed = |list: &Values| {
            let mut numbers = self.numbers(list);
            if sign < 0.0 {
                numbers.iter_mut().for_each(|number| *number = -*number);
            }
            numbers
        };
        Some(lists.map(signed).collect())
    }

    /// True for samples in which the response is among the best; in a tie, all rated responses are.
    pub(super) fn is_best(&self, place: usize) -> Vec<bool> {
        let is_best = |(verdict, rated): (Option<Verdict>, ResponseSet)| {
            verdict.is_some_and(|verdict| verdict.best(rated).has(place))
        };
        self.verdicts()
            .into_iter()
            .zip(self.rated_responses())
            .map(is_best)
            .collect()
    }

    /// Returns for each sample the only worst response, if there is one and the sample is not a
    /// tie: the other one of a pair, otherwise the one with the least deciding value.
    fn losers(&self) -> Vec<Option<usize>> {
        // A pair needs no values to find the worse response.
        let values = match self.lanes() {
            ..=2 => Vec::new(),
            _ => self.deciding_values().unwrap_or_default(),
        };
        let loser = |(sample, (verdict, rated)): (usize, (Option<Verdict>, ResponseSet))| {
            let worse = verdict?.worse(rated);
            let value = |id: ResponseId| Some(values.get(id.index())?[sample]);
            let least = worse.iter().filter_map(value).reduce(f64::min);
            let is_worst = |id: &ResponseId| worse.count() == 1 || value(*id) == least;
            let mut worst = worse.iter().filter(is_worst);
            worst
                .next()
                .filter(|_| worst.next().is_none())
                .map(ResponseId::index)
        };
        self.verdicts()
            .into_iter()
            .zip(self.rated_responses())
            .enumerate()
            .map(loser)
            .collect()
    }

    /// Returns the rated responses of each sample.
    fn rated_responses(&self) -> impl Iterator<Item = ResponseSet> {
        self.within
            .clone()
            .map(|within| self.chunk.rated(within, self.schema))
    }

    /// Returns the response that an aggregate selects in the first sample.
    pub(super) fn response_of(&self, view: Aggregate) -> Option<usize> {
        self.picked(view)?.into_iter().next().flatten()
    }

    /// Returns the value of the response that an aggregate [selects](Self::picked), or `none`;
    /// `None` if it selects none.
    pub(super) fn of_picked<T: Copy>(
        &self,
        aggregate: Aggregate,
        lanes: &[Vec<T>],
        none: T,
    ) -> Option<Vec<T>> {
        let picked = self.picked(aggregate)?.into_iter().enumerate();
        let value = |(sample, place): (usize, Option<usize>)| {
            let lane = place.and_then(|place| lanes.get(place));
            lane.map_or(none, |lane| lane[sample])
        };
        Some(picked.map(value).collect())
    }

    /// Returns the response that an aggregate selects in each sample; `None` if it combines or
    /// keeps values.
    fn picked(&self, aggregate: Aggregate) -> Option<Vec<Option<usize>>> {
        match aggregate {
            Aggregate::At(response) => Some(vec![Some(response.index()); self.len()]),
            Aggregate::Winner => {
                let winner = |verdict: Option<Verdict>| Some(verdict?.winner()?.index());
                Some(self.verdicts().into_iter().map(winner).collect())
            }
            Aggregate::Loser => Some(self.losers()),
            _ => None,
        }
    }
}
