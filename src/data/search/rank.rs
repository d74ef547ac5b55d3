//! The rank of a sample, as one number.
//!
//! From the highest bits down: how well its terms match, how near they are to each other, how many
//! are in the prompt, and their share of the matched words.

use std::collections::VecDeque;

use super::engine::{Hit, PreparedSearch};
use super::prepared::{PreparedNeedle, TermMatch};
use super::word::{MatchScore, is_in_prompt, share, tier};
use crate::parallel::in_parallel;

const TIERS: u32 = 20;
const NEARNESS: u32 = 16;
const PROMPTS: u32 = 12;
const SHARES: u32 = 8;

/// The best hits of a wave, which are read again to measure the distance of their terms.
const READ: usize = 128;
/// Samples that one task reads.
const BATCH: usize = 16;
/// Most matches of a term in a text that are compared.
const MAX_PLACES: usize = 1000;

/// Returns the rank of a sample from the scores of its terms, before their distance is known;
/// `None` if a term does not match, or a negated one does.
pub(super) fn rank(ready: &PreparedNeedle, values: &[MatchScore]) -> Option<i32> {
    let (mut tiers, mut prompts, mut shares, mut terms) = (0, 0, 0, 0);
    for (term, &value) in ready.terms.iter().zip(values) {
        if (value > 0) == term.negated {
            return None;
        }
        if !term.negated {
            tiers += i32::from(tier(value));
            prompts += i32::from(is_in_prompt(value));
            shares += i32::from(share(value));
            terms += 1;
        }
    }
    let shares = shares.checked_div(terms).unwrap_or(0);
    Some(tiers.min(0x3ff) << TIERS | prompts.min(15) << PROMPTS | shares << SHARES)
}

/// Raises the ranks of the best hits by how near their terms are.
pub(super) fn rank_by_nearness(search: &PreparedSearch<'_>, hits: &mut [Hit]) {
    if search
        .ready
        .terms
        .iter()
        .filter(|term| !term.negated)
        .count()
        < 2
    {
        return;
    }
    let mut best: Vec<_> = (0..hits.len()).collect();
    if best.len() > READ {
        best.select_nth_unstable_by_key(READ, |&at| (-hits[at].rank, at));
        best.truncate(READ);
    }
    best.sort_unstable();
    let batches: Vec<_> = best.chunks(BATCH).collect();
    let near = in_parallel(&batches, |batch| {
        batch
            .iter()
            .map(|&at| nearness(search, hits[at].sample as usize))
            .collect::<Vec<_>>()
    });
    for (at, near) in best.iter().zip(near.into_iter().flatten()) {
        hits[*at].rank |= near << NEARNESS;
    }
}

/// Returns 1 to 15 for how near the terms are in one text of a sample, counting only the best
/// matches of each term in the sample; 0 if no text has all of them.
fn nearness(search: &PreparedSearch<'_>, sample: usize) -> i32 {
    let PreparedSearch {
        ready,
        asked,
        dataset,
        watch,
    } = search;
    let (mut texts, mut best) = (Vec::new(), vec![0; ready.terms.len()]);
    let mut scratch = String::new();
    dataset.for_each_sample(sample..sample + 1, &|_| watch.goes_on(), &mut |_, rows| {
        rows.for_each_text(asked.scope.kinds(), &mut scratch, &mut |_, text| {
            let places = ready.places(text, MAX_PLACES);
            places
                .iter()
                .for_each(|place| best[place.term] = best[place.term].max(place.tier));
            texts.push(places);
        });
    });
    let term_count = ready.terms.iter().filter(|term| !term.negated).count();
    texts
        .iter()
        .map(|places| closeness(places, &best, term_count))
        .max()
        .unwrap_or(0)
}

/// Returns 15 if all `term_count` terms are within eight bytes, and one less for every doubling; 0 if a
/// term is missing.
fn closeness(places: &[TermMatch], best: &[u8], term_count: usize) -> i32 {
    let (mut counts, mut different, mut least) = (vec![0_usize; best.len()], 0, None::<usize>);
    let mut window = VecDeque::new();
    for place in places.iter().filter(|place| place.tier >= best[place.term]) {
        window.push_back(place);
        counts[place.term] += 1;
        different += usize::from(counts[place.term] == 1);
        while different == term_count {
            let Some(first) = window.pop_front() else {
                break;
            };
            let taken = place.end.saturating_sub(first.start);
            least = Some(least.map_or(taken, |least| least.min(taken)));
            counts[first.term] -= 1;
            different -= usize::from(counts[first.term] == 0);
        }
    }
    // The distance includes the matched words: shorter ones are nearer.
    least.map_or(0, |bytes| {
        (15 - (bytes / 8).checked_ilog2().map_or(0, |log| log as i32 + 1)).max(1)
    })
}
