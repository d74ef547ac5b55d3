//! The draw of an audit: which samples are asked about, in which order, and which come back.
//!
//! Everything follows from the seed, the dataset's order and the filter, by sums that are the same
//! on every machine: the draw is the first `n` samples of `sort:random(seed)` within the filter; a
//! stratified one takes the first of each stratum in that order, as many as its share (largest
//! remainder), and keeps that order. So anybody can look it up in the program itself. Of samples
//! that say the same the first in that order stands for all, since judgments are known by what was
//! judged.
//!
//! In which order responses are shown, and what comes back when, follows from the seed and the sample's key:
//! the same wherever it stands.

use std::collections::HashSet;

use super::pair_agreement::PairAgreement;
use super::rating_form::RatingForm;
use super::strata::Strata;
use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::journal::{AuditItem, AuditPlan, Reveal, SampleRef, StratifyBy};
use crate::model::{ResponseId, ResponseOrder};
use crate::parallel::KeepGoing;
use crate::query;

/// What is asked of a draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SamplingPlan {
    /// How many samples.
    pub n: u32,
    /// The seed.
    pub seed: u64,
    /// By what it is stratified.
    pub by: Option<StratifyBy>,
    /// Share of the samples that come back with their responses the other way round, 0 to 1.
    pub repeat: f64,
    /// Whether the dataset's own judgment is hidden.
    pub blind: bool,
    /// When it is shown.
    pub reveal: Reveal,
    /// The filter in force, as a query; empty for none.
    pub filter: String,
}

/// Why nothing can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SamplingError {
    /// No sample that can be judged is among those shown.
    #[error("there is no sample to judge among those that are shown")]
    Nothing,
    /// What to stratify by does not read.
    #[error("by={field}: {message}")]
    By {
        /// What was typed.
        field: String,
        /// What is wrong with it.
        message: String,
    },
    /// Nobody wants it any more.
    #[error("it was given up")]
    Cancelled,
}

/// Samples after which it is asked whether anybody still wants the audit.
const STEPS: usize = 4096;

/// All of these, as long as they are wanted.
///
/// # Errors
/// When they are not any more.
pub(super) fn collect_while<T>(
    items: impl Iterator<Item = T>,
    wanted: &dyn KeepGoing,
) -> Result<Vec<T>, SamplingError> {
    let each = |(at, item): (usize, T)| {
        let goes_on = !at.is_multiple_of(STEPS) || wanted();
        goes_on.then_some(item).ok_or(SamplingError::Cancelled)
    };
    items.enumerate().map(each).collect()
}

/// What is decided by chance about a sample: each by its own number beside the key's.
#[derive(Clone, Copy)]
enum CoinUse {
    /// In which order its responses are shown.
    Order,
    /// Whether it comes back.
    Again,
    /// When it does.
    When,
}

fn toss(seed: u64, key: SampleKey, what: CoinUse) -> f64 {
    query::chance(seed, key.number().wrapping_add(what as u64))
}

/// The order in which so many responses of a sample are shown, by a coin of a seed and of what the
/// sample says: wherever it stands, and in whichever file. Each order of the responses is as likely
/// as any other, by the shuffle of Fisher and Yates (as Durstenfeld 1964 has it).
pub fn shown_order(seed: u64, key: SampleKey, responses: usize) -> ResponseOrder {
    let mut order: Vec<_> = ResponseId::first(responses).collect();
    if responses == 2 {
        // What audits of pairs were drawn with before there were more.
        if toss(seed, key, CoinUse::Order) < 0.5 {
            order.reverse();
        }
    } else {
        for last in (1..order.len()).rev() {
            // Numbers of their own, behind those of the coins.
            let number = key.number().wrapping_add(SHUFFLE + last as u64);
            let place = query::chance(seed, number) * (last + 1) as f64;
            order.swap(last, (place as usize).min(last));
        }
    }
    ResponseOrder::new(&order).unwrap_or_default()
}

/// The first number beside a sample's key with which responses are shuffled.
const SHUFFLE: u64 = 16;

/// Draws from samples, given in dataset order (malformed ones, and those of which nothing can be
/// judged, are passed over), as long as it is `wanted`. Reads the rows of what it draws. A million
/// samples take longer than a frame.
///
/// # Errors
/// When there is nothing to draw, or nothing of the name to stratify by, or it is not wanted any
/// more.
pub fn draw(
    plan: &SamplingPlan,
    dataset: &Dataset,
    samples: &[u32],
    wanted: &dyn KeepGoing,
) -> Result<AuditPlan, SamplingError> {
    let Draw {
        selected,
        strata,
        population,
    } = Draw::of(plan, dataset, samples, wanted)?;
    Ok(AuditPlan {
        between: None,
        n: plan.n,
        seed: plan.seed,
        by: plan.by.clone(),
        repeat: plan.repeat,
        blind: plan.blind,
        reveal: plan.reveal,
        filter: plan.filter.clone(),
        of: population as u64,
        data: Some(dataset.fingerprint()),
        strata: if plan.by.is_some() {
            strata.told()
        } else {
            Vec::new()
        },
        queue: with_repeats(plan, &selected),
    })
}

/// Says what is equally likely in a draw: a text that several samples have stands for each of them.
pub fn equal_chances(by: Option<&StratifyBy>) -> String {
    let among = by.map(|by| format!(" among those with the same {}", by.field));
    format!(
        "samples, not distinct texts, are equally likely{}: a text in three samples is nearly 3 times as likely to be drawn, once at most",
        among.unwrap_or_default()
    )
}

/// The numbers of the samples that an audit of this plan would [draw], from 0, in its order; what
/// comes back stands there once.
///
/// # Errors
/// As [`draw`].
pub fn drawn_samples(
    plan: &SamplingPlan,
    dataset: &Dataset,
    samples: &[u32],
    wanted: &dyn KeepGoing,
) -> Result<Vec<u32>, SamplingError> {
    let selected = Draw::of(plan, dataset, samples, wanted)?.selected;
    Ok(selected.iter().map(|selected| selected.sample).collect())
}

/// What was drawn, from how many.
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
        wanted: &dyn KeepGoing,
    ) -> Result<Self, SamplingError> {
        let scales = RatingForm::of_files(dataset);
        let can_be_judged = |sample: &u32| {
            let scale = RatingForm::of_sample(&scales, dataset, *sample as usize);
            scale.is_some_and(|(scale, responses)| scale.asks_anything(responses))
        };
        let population = collect_while(samples.iter().copied().filter(can_be_judged), wanted)?;
        if population.is_empty() {
            return Err(SamplingError::Nothing);
        }
        let mut strata = match &plan.by {
            None => Strata::one(population.len()),
            Some(by) => Strata::of(by, dataset, &scales, &population, wanted)?,
        };
        let n = (plan.n as usize).min(population.len());
        strata.share_out(n, plan.by.as_ref().is_some_and(|by| by.even));
        let order = shuffled(plan.seed, &population, wanted)?;
        let selected = first(plan, dataset, &scales, &order, &mut strata, wanted)?;
        if selected.is_empty() && n > 0 {
            // They were there when the file was loaded.
            return Err(SamplingError::Nothing);
        }
        Ok(Self {
            selected,
            strata,
            population: population.len(),
        })
    }
}

/// The audit of a third reviewer over the samples on which two differ, those first on which they
/// are farthest apart: blind, and the labels show once a sample is judged. `known` are those that
/// the third reviewer has been asked about; `None` where no other is left.
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
    let differing = pair.differing.iter();
    let differing = differing.filter_map(|it| Some((it.sample, it.sample_ref.as_ref()?)));
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

/// Places in the population, in the order of `sort:random(seed)`, with the samples there.
fn shuffled(
    seed: u64,
    population: &[u32],
    wanted: &dyn KeepGoing,
) -> Result<Vec<(usize, u32)>, SamplingError> {
    let tossed = population
        .iter()
        .enumerate()
        .map(|(place, &sample)| (query::chance(seed, u64::from(sample)), (place, sample)));
    let mut order = collect_while(tossed, wanted)?;
    // Stable, as sorting is: ties stay in dataset order.
    order.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    collect_while(order.into_iter().map(|(_, sample)| sample), wanted)
}

/// A sample that was drawn.
struct SelectedSample {
    /// Its number, from 0.
    sample: u32,
    item: AuditItem,
    /// How many responses it has.
    responses: usize,
}

/// The first samples of an order that their strata have room for.
fn first(
    plan: &SamplingPlan,
    dataset: &Dataset,
    scales: &[RatingForm],
    order: &[(usize, u32)],
    strata: &mut Strata,
    wanted: &dyn KeepGoing,
) -> Result<Vec<SelectedSample>, SamplingError> {
    let (mut drawn, mut known, mut buffers) = (Vec::new(), HashSet::new(), Buffers::default());
    for &(place, sample) in order {
        if strata.is_all_given() {
            break;
        }
        if !strata.has_room(place) {
            continue;
        }
        if !wanted() {
            return Err(SamplingError::Cancelled);
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
        strata.give(place);
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
    Ok(drawn)
}

/// The least number of questions between the two times that a sample is asked about, and the share
/// of the audit that it is at least.
const LEAST_APART: usize = 5;
const PART_APART: usize = 4;

/// What was drawn, in its order, with what comes back among it: some of the samples behind whose
/// first time there is room enough, chosen by chance.
fn with_repeats(plan: &SamplingPlan, drawn: &[SelectedSample]) -> Vec<AuditItem> {
    let count = drawn.len();
    // Two are the least for something else to come between.
    let apart = LEAST_APART.max(count / PART_APART).min(count).max(2);
    let share = if plan.repeat.is_nan() {
        0.0
    } else {
        plan.repeat.clamp(0.0, 1.0)
    };
    let wanted = (share * count as f64).round() as usize;
    let room = (count + 1).saturating_sub(apart);
    let chance = |at: usize, what| toss(plan.seed, drawn[at].item.sample_ref.sample, what);
    let mut again: Vec<usize> = (0..room).collect();
    again.sort_by(|&one, &other| {
        chance(one, CoinUse::Again).total_cmp(&chance(other, CoinUse::Again))
    });
    again.truncate(wanted);
    // Each before the question with that number, or behind all, by how many questions lie between.
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
