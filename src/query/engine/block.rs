//! A stretch of samples of one chunk, with the lists that a query compares.

use std::ops::Range;

use super::per_response::PerResponse;
use crate::dataset::{Chunk, ChunkColumns, Dataset};
use crate::model::{ResponseId, ResponseSet, Verdict, Vote};
use crate::parallel::KeepGoing;
use crate::query::ast::{Aggregate, ColumnId};
use crate::query::remarks::ReviewIndex;
use crate::schema::{DecidingLabel, Schema};
use crate::table::{SampleLists, Values};

/// Consecutive samples of one chunk, over which a query is evaluated.
#[derive(Clone)]
pub(super) struct SampleBlock<'d> {
    pub(super) dataset: &'d Dataset,
    pub(super) chunk: &'d Chunk,
    pub(super) schema: &'d Schema,
    /// Its samples, counted from the chunk's first.
    pub(super) within: Range<usize>,
    /// Whether what it answers is still wanted: asked for each sample whose rows are read, which can
    /// be megabytes.
    pub(super) wanted: &'d dyn KeepGoing,
    /// What reviewers said of the samples, as far as it is asked for.
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
        let chunk = self.chunk_place();
        let is_unmatched = |(within, &count): (usize, &u16)| {
            count > 0 && chunk.is_some_and(|chunk| self.dataset.is_unmatched(chunk, within))
        };
        let samples = self.within.clone().zip(self.counts());
        samples.map(is_unmatched).collect()
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
    /// The blocks of a range of samples, each of at most so many.
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
                    wanted: &|| true,
                    remarks: None,
                })
            })
        })
    }

    /// The same block, whose rows are read as long as they are wanted.
    pub(super) fn while_wanted(self, wanted: &'d dyn KeepGoing) -> Self {
        Self { wanted, ..self }
    }

    /// The same block, with what reviewers said of its samples.
    pub(super) fn knowing(self, remarks: &'d ReviewIndex) -> Self {
        Self {
            remarks: Some(remarks),
            ..self
        }
    }

    /// The block of one sample; `None` when there is none with that number.
    pub(super) fn of(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        (sample < dataset.samples())
            .then(|| Self::all(dataset, sample..sample + 1, 1).next())
            .flatten()
    }

    /// Number of samples.
    pub(super) fn len(&self) -> usize {
        self.within.len()
    }

    /// Its samples, counted over the dataset.
    pub(super) fn samples(&self) -> Range<usize> {
        let first = self.chunk.first_sample();
        first + self.within.start..first + self.within.end
    }

    pub(super) fn columns(&self) -> &'d ChunkColumns {
        self.chunk.columns()
    }

    /// The samples' part of a column.
    pub(super) fn part<'l, T>(&self, list: &'l [T]) -> &'l [T] {
        list.get(self.within.clone()).unwrap_or_default()
    }

    /// The place of its chunk in the dataset.
    pub(super) fn chunk_place(&self) -> Option<usize> {
        self.dataset.chunk_place(self.samples().start)
    }

    /// Of each sample how many joined files contradict the dataset: they rate a response that the
    /// dataset calls best, and call only others best. NaN where the dataset has no best response, or no
    /// file has a verdict.
    pub(super) fn contradictions(&self) -> Vec<f64> {
        let Some(chunk) = self.chunk_place() else {
            return self.missing_everywhere();
        };
        let count = |(within, own): (usize, Option<Verdict>)| {
            let Some(Verdict::Best(best)) = own else {
                return f64::NAN;
            };
            let mut others = self.dataset.joined_verdicts(chunk, within).peekable();
            if others.peek().is_none() {
                return f64::NAN;
            }
            // A file that has not rated any of the best responses cannot contradict them.
            let is_against = |(other, rated): &(Verdict, ResponseSet)| {
                best.meets(other.worse(*rated)) && !best.meets(other.best(*rated))
            };
            others.filter(is_against).count() as f64
        };
        let samples = self.within.clone().zip(self.verdicts());
        samples.map(count).collect()
    }

    /// Of each sample how many joined files say who wins, ties included; NaN of malformed rows.
    pub(super) fn joined_verdicts(&self) -> Vec<f64> {
        let Some(chunk) = self.chunk_place() else {
            return self.missing_everywhere();
        };
        let count = |(within, &responses): (usize, &u16)| match responses {
            0 => f64::NAN,
            _ => self.dataset.joined_verdicts(chunk, within).count() as f64,
        };
        let samples = self.within.clone().zip(self.counts());
        samples.map(count).collect()
    }

    /// How many responses each sample has; 0 of a malformed row.
    pub(super) fn counts(&self) -> &'d [u16] {
        self.part(&self.columns().responses)
    }

    /// How many lanes its lists have: the most responses that one of its samples has, at least one.
    pub(super) fn lanes(&self) -> usize {
        let most = self.counts().iter().fold(1, |most, &count| most.max(count));
        usize::from(most)
    }

    /// Where there is a response at this place.
    pub(super) fn has(&self, response: usize) -> Vec<bool> {
        let counts = self.counts().iter();
        counts.map(|&count| usize::from(count) > response).collect()
    }

    /// Where there are responses to speak of. A malformed row counts as one without any value.
    pub(super) fn responses(&self) -> PerResponse<bool> {
        let has = |response: u16| {
            let counts = self.counts().iter();
            counts.map(move |&count| count.max(1) > response).collect()
        };
        PerResponse::Each((0..self.lanes() as u16).map(has).collect())
    }

    /// The stored values of a number: one list of what is of samples, or else one for each response;
    /// `None` where nothing is stored.
    pub(super) fn stored(&self, id: ColumnId) -> Option<&'d [Values]> {
        let stored = self.columns().numbers(id);
        let stored = stored.or_else(|| self.dataset.joined_column(id, self.chunk_place()?))?;
        Some(&stored[..stored.len().min(self.lanes())])
    }

    /// A column as numbers, NaN where there is none.
    pub(super) fn numbers(&self, values: &Values) -> Vec<f64> {
        values.numbers(self.within.clone())
    }

    /// No number for any sample.
    pub(super) fn missing_everywhere(&self) -> Vec<f64> {
        vec![f64::NAN; self.len()]
    }

    /// How many annotators say who wins; NaN where nobody voted at all, as for malformed rows, and
    /// where files have no such list.
    pub(super) fn votes(&self) -> Vec<f64> {
        let voted = self.voted();
        let count = |place| voted(place).map_or(f64::NAN, |votes| votes.len() as f64);
        self.within.clone().map(count).collect()
    }

    /// The [code](Vote::code) of each annotator's vote on a sample, by its place in the chunk; `None` where
    /// nobody voted, not even that neither response is worth comparing.
    fn voted(&self) -> impl Fn(usize) -> Option<Vec<f64>> {
        let votes = self.columns().annotations(ColumnId::VOTES);
        let votes = votes.and_then(|lanes| lanes.first());
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

    /// By how much a response wins in the unit of what decides, NaN where that is not said: of two,
    /// A minus B; of more, the best minus the second.
    pub(super) fn margins(&self) -> Vec<f64> {
        match self.columns().of_samples(ColumnId::MARGIN) {
            Some(margins) => self.numbers(margins),
            None => self.decided(f64::NAN, |(_, margin)| margin),
        }
    }

    /// What the deciding label says of each sample; `none` where no label decides, or too few
    /// responses have a value.
    fn decided<T: Clone>(&self, none: T, to: impl Fn((Verdict, f64)) -> T) -> Vec<T> {
        // Rows that state verdicts have no label that decides.
        let Some(values) = self.deciding_values() else {
            return vec![none; self.len()];
        };
        self.of_each(&values, |values| {
            Verdict::of_values(values).map_or_else(|| none.clone(), &to)
        })
    }

    /// What the values of each sample's responses come to, from a lane for each response; NaN
    /// stands where one has none.
    pub(super) fn of_each<T>(&self, lanes: &[Vec<f64>], to: impl Fn(&[f64]) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(lanes.len());
        let each = |(sample, &count): (usize, &u16)| {
            values.clear();
            // A malformed row has the numbers of its row.
            let there = lanes.iter().take(usize::from(count.max(1)));
            values.extend(there.map(|lane| lane[sample]));
            to(&values)
        };
        self.counts().iter().enumerate().map(each).collect()
    }

    /// The values of the label that decides, greater is better, a lane for each response; `None`
    /// where none does.
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

    /// True for each sample in which the response at a place is among the best; in a tie every rated
    /// response is.
    pub(super) fn is_best(&self, place: usize) -> Vec<bool> {
        let is_best = |(verdict, rated): (Option<Verdict>, ResponseSet)| {
            verdict.is_some_and(|verdict| verdict.best(rated).has(place))
        };
        let verdicts = self.verdicts().into_iter().zip(self.rated_responses());
        verdicts.map(is_best).collect()
    }

    /// The place of the only worst response, where there is one and the sample is no tie: of two the
    /// other one, of more the one with the least value of the label that decides.
    fn losers(&self) -> Vec<Option<usize>> {
        // A pair has only one worse response.
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
        let verdicts = self.verdicts().into_iter().zip(self.rated_responses());
        verdicts.enumerate().map(loser).collect()
    }

    /// The rated responses of each sample.
    fn rated_responses(&self) -> impl Iterator<Item = ResponseSet> {
        let places = self.within.clone();
        places.map(|within| self.chunk.rated(within, self.schema))
    }

    /// The response that a view has of the first sample.
    pub(super) fn response_of(&self, view: Aggregate) -> Option<usize> {
        self.picked(view)?.into_iter().next().flatten()
    }

    /// The value of the response that an aggregate [picks](Self::picked) of each sample, or `none`.
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

    /// The place of the response that an aggregate picks of each sample; `None` for aggregates that
    /// pick none.
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
