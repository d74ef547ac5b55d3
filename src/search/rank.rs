//! How well a sample fits, as one number.
//!
//! From the highest bits down: how its terms are met, how near to each other, how many of them in the prompt, and how much of
//! their words they are.

use super::Asked;
use super::engine::Hit;
use super::ready::{Place, Ready};
use super::word::{Value, is_in_prompt, share, tier};
use crate::dataset::{Dataset, in_parallel};
use crate::schema::Passage;

const TIERS: u32 = 20;
const NEARNESS: u32 = 16;
const PROMPTS: u32 = 12;
const SHARES: u32 = 8;

/// The best so many of a piece are read once more to see how near their terms are.
const READ: usize = 192;
/// Samples that one task reads.
const STRETCH: usize = 16;
/// Places of terms in one text that are compared.
const MOST_PLACES: usize = 10_000;

/// The rank of a sample by the values of the terms that it meets, before anything is known of how near they are; `None` where it does not
/// meet all of them, or one that it must not.
pub(super) fn rank(ready: &Ready, values: &[Value]) -> Option<i32> {
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

/// Raises the ranks of the best hits whose terms stand near each other.
pub(super) fn by_nearness(ready: &Ready, asked: &Asked<'_>, dataset: &Dataset, hits: &mut [Hit]) {
    if ready.terms.iter().filter(|term| !term.negated).count() < 2 {
        return;
    }
    let mut best: Vec<_> = (0..hits.len()).collect();
    if best.len() > READ {
        best.select_nth_unstable_by_key(READ, |&at| (-hits[at].rank, at));
        best.truncate(READ);
    }
    best.sort_unstable();
    let stretches: Vec<_> = best.chunks(STRETCH).collect();
    let near = in_parallel(&stretches, |stretch| {
        let near = stretch.iter().map(|&at| nearness(ready, asked, dataset, hits[at].sample as usize));
        near.collect::<Vec<_>>()
    });
    for (at, near) in best.iter().zip(near.into_iter().flatten()) {
        hits[*at].rank |= near << NEARNESS;
    }
}

/// How near the terms are to each other in one text of a sample, 0 to 15.
fn nearness(ready: &Ready, asked: &Asked<'_>, dataset: &Dataset, sample: usize) -> i32 {
    let (mut values, mut near) = (vec![0; ready.terms.len()], 0);
    let (mut scratch, mut word) = (String::new(), String::new());
    dataset.sweep(sample..sample + 1, &|_| true, &mut |_, rows| {
        rows.texts(&mut scratch, &mut |passage, text| {
            if asked.scope.has(passage) {
                ready.look(text, passage == Some(Passage::Prompt), &mut values, &mut word);
            }
        });
        rows.texts(&mut scratch, &mut |passage, text| {
            if asked.scope.has(passage) {
                near = near.max(closeness(ready, &ready.places(text, &values, &mut word)));
            }
        });
    });
    near
}

/// 15 where a text has all terms with nothing but a blank between them, and less with every doubling; 0 where it has not all.
fn closeness(ready: &Ready, places: &[Place]) -> i32 {
    let places = &places[..places.len().min(MOST_PLACES)];
    let wanted = ready.terms.iter().filter(|term| !term.negated).count();
    let (mut counts, mut different, mut first, mut least) = (vec![0_usize; ready.terms.len()], 0, 0, None::<usize>);
    for place in places {
        counts[place.term] += 1;
        different += usize::from(counts[place.term] == 1);
        while different == wanted {
            let window = &places[first];
            let taken = place.end.saturating_sub(window.start);
            least = Some(least.map_or(taken, |least| least.min(taken)));
            counts[window.term] -= 1;
            different -= usize::from(counts[window.term] == 0);
            first += 1;
        }
    }
    // Words that the terms stand in count towards the distance: shorter ones are nearer.
    least.map_or(0, |bytes| (15 - (bytes / 8).checked_ilog2().map_or(0, |log| log as i32 + 1)).max(1))
}
