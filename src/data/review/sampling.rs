//! The draw of an audit: its samples, their order, and repeats.
//!
//! A draw depends only on the seed, the dataset's order and the filter, and is the same on every
//! machine: the first `n` samples of `sort:random(seed)` within the filter. A stratified draw takes
//! the first of each stratum in that order, by its share (largest remainder), and keeps the order.
//! So anyone can verify it with a query. Of samples with the same content only the first is drawn,
//! since judgments refer to content.
//!
//! The order of responses and the repeats depend on the seed and the sample's key, not on its
//! position.

use std::collections::HashSet;

use super::pair_agreement::PairAgreement;
use super::rating_form::RatingForm;
use super::strata::Strata;
use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::journal::{AuditItem, AuditPlan, Reveal, SampleRef, StratifyBy};
use crate::model::{ResponseId, ResponseOrder};
use crate::parallel::KeepGoing;
use crate::query::{self, OrderedNumber};

/// The parameters of a draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SamplingPlan {
    /// Number of samples.
    pub n: u32,
    /// The seed.
    pub seed: u64,
    /// Stratification.
    pub by: Option<StratifyBy>,
    /// Share of the samples that are repeated with responses swapped, 0 to 1.
    pub repeat: f64,
    /// True if the dataset's judgment is hidden.
    pub blind: bool,
    /// When it is revealed.
    pub reveal: Reveal,
    /// The active filter, as a query; empty for none.
    pub filter: String,
}

/// Why nothing can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SamplingError {
    /// None of the samples can be judged.
    #[error("none of these samples can be judged")]
    Nothing,
    /// The stratification field is invalid.
    #[error("by={field}: {message}")]
    By {
        /// The field as typed.
        field: String,
        /// The reason.
        message: String,
    },
}

/// Samples between two checks for cancellation.
const STEPS: usize = 4096;

/// Returns items until cancelled.
pub(super) fn until_cancelled<T>(
    items: impl Iterator<Item = T>,
    keep_going: &dyn KeepGoing,
) -> impl Iterator<Item = T> {
    let goes_on = |(at, _): &(usize, T)| !at.is_multiple_of(STEPS) || keep_going();
    items.enumerate().take_while(goes_on).map(|(_, item)| item)
}

/// A random decision about a sample; its number is added to the key.
#[derive(Clone, Copy)]
enum CoinUse {
    /// The order of responses.
    Order,
    /// Whether it is repeated.
    Again,
    /// When it is repeated.
    When,
}

fn coin(seed: u64, key: SampleKey, what: CoinUse) -> f64 {
    query::chance(seed, key.number().wrapping_add(what as u64))
}

/// Returns the random order in which a sample's responses are shown. It depends only on the seed
/// and the sample's content, not on its position or file. All orders are equally likely
/// (Fisher–Yates shuffle, Durstenfeld 1964).
pub fn shown_order(seed: u64, key: SampleKey, responses: usize) -> ResponseOrder {
    let mut order: Vec<_> = ResponseId::first(responses).collect();
    if responses == 2 {
        // Kept for pairs, so that audits drawn before there were more responses stay the same.
        if coin(seed, key, CoinUse::Order) < 0.5 {
            order.reverse();
        }
    } else {
        for last in (1..order.len()).rev() {
            // Numbers after those of `CoinUse`.
            let number = key.number().wrapping_add(SHUFFLE + last as u64);
            let place = query::chance(seed, number) * (last + 1) as f64;
            order.swap(last, (place as usize).min(last));
        }
    }
    ResponseOrder::new(&order).unwrap_or_default()
}

/// The first number added to a sample's key when shuffling responses.
const SHUFFLE: u64 = 16;

/// Draws from samples, which must be in dataset order; malformed and unjudgeable ones are
/// skipped. Reads the rows of drawn samples. A million samples take longer than a frame.
///
/// # Errors
/// If there is nothing to draw, or the stratification field is invalid. The result is meaningless if
/// cancelled.
pub fn draw(
    plan: &SamplingPlan,
    dataset: &Dataset,
    samples: &[u32],
    keep_going: &dyn KeepGoing,
) -> Result<AuditPlan, SamplingError> {
    let drawn = Draw::of(plan, dataset, samples, keep_going)?;
    Ok(AuditPlan {
        between: None,
        n: plan.n,
        seed: plan.seed,
        by: plan.by.clone(),
        repeat: plan.repeat,
        blind: plan.blind,
        reveal: plan.reveal,
        filter: plan.filter.clone(),
        of: drawn.population as u64,
        data: Some(dataset.fingerprint()),
        queue: with_repeats(plan, &drawn.selected),
        strata: match plan.by {
            Some(_) => drawn.strata.strata,
            None => Vec::new(),
        },
    })
}

/// Explains the chances in a draw: a text that several samples share is drawn more often.
pub fn equal_chances(by: Option<&StratifyBy>) -> String {
    let among = by.map(|by| format!(" among those with the same {}", by.field));
    format!(
        "all samples are equally likely{}: a text in three samples is nearly 3 times as likely, but drawn only once",
        among.unwrap_or_default()
    )
}

/// Returns the indices (from 0) of the samples that an audit of this plan would [draw], in its
/// order, without repeats.
///
/// # Errors
/// As for [`draw`].
pub fn drawn_samples(
    plan: &SamplingPlan,
    dataset: &Dataset,
    samples: &[u32],
    keep_going: &dyn KeepGoing,
) -> Result<Vec<u32>, SamplingError> {
    let selected = Draw::of(plan, dataset, samples, keep_going)?.selected;
    Ok(selected.iter().map(|selected| selected.sample).collect())
}

/// The drawn samples and the size of the population.
struct Draw {
    selected: Vec<SelectedSample>,
    strata: Strata,
    population: usize,
}

impl Draw {
    fn of(
        plan: &SamplingPlan,
        dataset: &Dataset,
        samples: &[u32],
        keep_going: &dyn KeepGoing,
    ) -> Result<Self, SamplingError> {
        let scales = RatingForm::of_files(dataset);
        let can_be_judged = |sample: &u32| {
            let scale = RatingForm::of_sample(&scales, dataset, *sample as usize);
            scale.is_some_and(|(scale, responses)| scale.asks_anything(responses))
        };
        let samples = until_cancelled(samples.iter().copied(), keep_going);
        let population: Vec<_> = samples.filter(can_be_judged).collect();
        if population.is_empty() {
            return Err(SamplingError::Nothing);
        }
        let mut strata = match &plan.by {
            None => Strata::single(population.len()),
            Some(by) => Strata::of(by, dataset, &scales, &population, keep_going)?,
        };
        let n = (plan.n as usize).min(population.len());
        strata.allot(n, plan.by.as_ref().is_some_and(|by| by.even));
        let order = shuffled(plan.seed, &population, keep_going);
        let selected = first(plan, dataset, &scales, &order, &mut strata, keep_going);
        if selected.is_empty() && n > 0 {
            // The file has changed since it was loaded.
            return Err(SamplingError::Nothing);
        }
        Ok(Self {
            selected,
            strata,
            population: population.len(),
        })
    }
}

/// Returns an audit for a third reviewer of the samples on which two differ, by decreasing
/// distance: blind, with labels revealed after each sample. `known` are samples that the third
/// reviewer was asked about before. `None` if no others remain.
pub fn adjudication(
    pair: &PairAgreement,
    dataset: &Dataset,
    known: &HashSet<SampleKey>,
    seed: u64,
) -> Option<AuditPlan> {
    let forms = RatingForm::of_files(dataset);
    let item = |sample: usize, sample_ref: &SampleRef| AuditItem {
        sample_ref: sample_ref.clone(),
        pass: 1,
        order: {
            let form = RatingForm::of_sample(&forms, dataset, sample);
            let responses = form.map_or(0, |(_, responses)| responses);
            shown_order(seed, sample_ref.sample, responses)
        },
    };
    let differing = pair
        .differing
        .iter()
        .filter_map(|it| Some((it.sample, it.sample_ref.as_ref()?)));
    let new = differing.filter(|(_, sample_ref)| !known.contains(&sample_ref.sample));
    let queue: Vec<_> = new
        .map(|(sample, sample_ref)| item(sample, sample_ref))
        .collect();
    (!queue.is_empty()).then(|| AuditPlan {
        n: u32::try_from(queue.len()).unwrap_or(u32::MAX),
        seed,
        by: None,
        repeat: 0.0,
        blind: true,
        reveal: Reveal::After,
        filter: String::new(),
        between: Some(pair.reviewers.clone()),
        of: pair.samples as u64,
        data: None,
        strata: Vec::new(),
        queue,
    })
}

/// Returns indices into the population with their samples, in the order of `sort:random(seed)`.
fn shuffled(seed: u64, population: &[u32], keep_going: &dyn KeepGoing) -> Vec<(usize, u32)> {
    let places = population.iter().copied().enumerate();
    let mut order: Vec<_> = until_cancelled(places, keep_going).collect();
    // Stable, so that ties stay in dataset order, as in sorting.
    let chance = |sample| OrderedNumber::of(query::chance(seed, u64::from(sample)));
    order.sort_by_cached_key(|(_, sample)| chance(*sample));
    order
}

/// A drawn sample.
struct SelectedSample {
    /// Its index, from 0.
    sample: u32,
    item: AuditItem,
    /// Its number of responses.
    responses: usize,
}

/// Takes samples in this order while their strata have room.
fn first(
    plan: &SamplingPlan,
    dataset: &Dataset,
    scales: &[RatingForm],
    order: &[(usize, u32)],
    strata: &mut Strata,
    keep_going: &dyn KeepGoing,
) -> Vec<SelectedSample> {
    let (mut drawn, mut known, mut buffers) = (Vec::new(), HashSet::new(), Buffers::default());
    for &(place, sample) in order {
        if strata.is_complete() || !keep_going() {
            break;
        }
        if !strata.has_room(place) {
            continue;
        }
        let number = sample;
        let sample = sample as usize;
        let key = dataset.key(sample, &mut buffers);
        let found = key.and_then(|key| Some((key, SampleRef::of(dataset, sample, key)?)));
        let Some((key, sample_ref)) = found else {
            continue;
        };
        if !known.insert(key) {
            continue;
        }
        strata.take(place);
        let responses =
            RatingForm::of_sample(scales, dataset, sample).map_or(0, |(_, responses)| responses);
        let order = if plan.blind {
            shown_order(plan.seed, key, responses)
        } else {
            ResponseOrder::OF_FILE
        };
        drawn.push(SelectedSample {
            sample: number,
            item: AuditItem {
                sample_ref,
                pass: 1,
                order,
            },
            responses,
        });
    }
    drawn
}

/// Minimum number of questions between a sample and its repeat, and the denominator of the minimum
/// share of the audit between them.
const MIN_APART: usize = 5;
const PART_APART: usize = 4;

/// Returns the drawn samples in order with repeats inserted: a random choice of samples with enough
/// room after them.
fn with_repeats(plan: &SamplingPlan, drawn: &[SelectedSample]) -> Vec<AuditItem> {
    let count = drawn.len();
    // At least 2, so that another question comes between.
    let apart = MIN_APART.max(count / PART_APART).min(count).max(2);
    // A share that is not a number becomes 0.
    let target = (plan.repeat.clamp(0.0, 1.0) * count as f64).round() as usize;
    let room = (count + 1).saturating_sub(apart);
    let chance = |at: usize, what| coin(plan.seed, drawn[at].item.sample_ref.sample, what);
    let mut again: Vec<usize> = (0..room).collect();
    again.sort_by(|&one, &other| {
        chance(one, CoinUse::Again).total_cmp(&chance(other, CoinUse::Again))
    });
    again.truncate(target);
    // Each repeat with the index of the question that it precedes, or the count if it is last.
    let mut again: Vec<(usize, usize)> = again
        .into_iter()
        .map(|at| {
            let choices = count + 1 - (at + apart);
            (
                at + apart + (chance(at, CoinUse::When) * choices as f64) as usize,
                at,
            )
        })
        .collect();
    again.sort_unstable();
    let second = |at: usize| {
        let SelectedSample {
            item, responses, ..
        } = &drawn[at];
        AuditItem {
            sample_ref: item.sample_ref.clone(),
            pass: 2,
            order: item.order.reversed(*responses),
        }
    };
    let mut queue = Vec::with_capacity(count + again.len());
    let mut again = again.into_iter().peekable();
    for before in 0..=count {
        while let Some((_, at)) = again.next_if(|&(place, _)| place == before) {
            queue.push(second(at));
        }
        queue.extend(drawn.get(before).map(|drawn| drawn.item.clone()));
    }
    queue
}
