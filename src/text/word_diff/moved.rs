//! Paragraphs that two texts have in common: in the same order, and elsewhere.

use std::collections::HashMap;
use std::time::Instant;

use super::{DiffWords, MovedParagraphs, NONE, STEPS, same_in_place};

/// Words of a paragraph that is looked for elsewhere, at least: where it is the same, and where it is
/// nearly so.
const LEAST_SAME: usize = 4;
const LEAST_NEAR: usize = 8;
/// A word in more paragraphs than this says little of which is which.
const MOST_POSTINGS: usize = 16;

/// Paragraphs that are the same, or nearly so, by their places in both texts.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// Those in the same order: ascending in both.
    pub(super) pairs: Vec<[usize; 2]>,
    /// Those that stand elsewhere, in the order of the first text.
    moved: Vec<[usize; 2]>,
}

/// Whether so many words in common are half of what two paragraphs say, or three quarters.
fn is_half([one, other]: [usize; 2], same: usize) -> bool {
    4 * same >= one + other
}

fn is_most([one, other]: [usize; 2], same: usize) -> bool {
    8 * same >= 3 * (one + other)
}

impl Moves {
    /// The paragraphs that have half of their words in common in place.
    pub(super) fn in_place(sides: &[DiffWords; 2], partners: &[u32]) -> Self {
        let [a, b] = sides;
        let mut moves = Self::default();
        for (p, paragraph) in a.paragraphs.iter().enumerate() {
            // Words in place have their partners in order: those of a paragraph follow each other.
            let mut best = (0, 0);
            let mut run = (0, NONE);
            for partner in &partners[paragraph.words.clone()] {
                let Some(home) = b.homes.get(*partner as usize) else {
                    continue;
                };
                run = if run.1 == *home {
                    (run.0 + 1, run.1)
                } else {
                    (1, *home)
                };
                if run.0 > best.0 {
                    best = run;
                }
            }
            let (same, q) = (best.0, best.1 as usize);
            let is_next = moves.pairs.last().is_none_or(|[_, last]| q > *last);
            let words = |q: usize| [paragraph.words.len(), b.paragraphs[q].words.len()];
            if same > 0 && is_next && is_half(words(q), same) {
                moves.pairs.push([p, q]);
            }
        }
        moves
    }

    /// Looks for the others elsewhere: for the same paragraph, and as long as there is time for one
    /// that is nearly so. Gives all that were found; `None` once they are not `wanted`.
    pub(super) fn find(
        &mut self,
        sides: &[DiffWords; 2],
        until: Option<Instant>,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Vec<[usize; 2]>> {
        let mut free = [0, 1].map(|side: usize| {
            let mut free = vec![true; sides[side].paragraphs.len()];
            self.pairs.iter().for_each(|pair| free[pair[side]] = false);
            free
        });
        let mut found = same_elsewhere(sides, &mut free);
        if let Some(until) = until {
            found.extend(near_elsewhere(sides, &mut free, until, wanted)?);
        }
        extend(sides, &mut free, &mut found);
        found.sort_unstable();
        for pair in found.iter().copied() {
            let at = self.pairs.partition_point(|[p, _]| *p < pair[0]);
            let is_behind = at
                .checked_sub(1)
                .is_none_or(|at| self.pairs[at][1] < pair[1]);
            let is_before = self.pairs.get(at).is_none_or(|[_, q]| *q > pair[1]);
            match is_behind && is_before {
                true => self.pairs.insert(at, pair),
                false => self.moved.push(pair),
            }
        }
        Some(found)
    }

    /// What moved out of the order of a text; paragraphs of a block that moved together are together.
    pub(super) fn of_side(&self, side: usize, sides: &[DiffWords; 2]) -> Vec<MovedParagraphs> {
        let mut moved: Vec<_> = (self.moved.iter())
            .map(|pair| (pair[side], pair[1 - side]))
            .collect();
        moved.sort_unstable();
        let paragraphs = &sides[side].paragraphs;
        let mut groups: Vec<(usize, MovedParagraphs)> = Vec::new();
        for (from, to) in moved {
            let bytes = paragraphs[from].bytes.clone();
            let goes_on =
                |last: usize| last + 1 == from && paragraphs[last].block == paragraphs[from].block;
            match groups.last_mut() {
                Some((last, group)) if goes_on(*last) && group.to.end == to => {
                    *last = from;
                    (group.bytes.end, group.to.end) = (bytes.end, to + 1);
                }
                _ => {
                    let to = to..to + 1;
                    groups.push((from, MovedParagraphs { bytes, to }));
                }
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

/// Paragraphs of the same words, the first with the first.
fn same_elsewhere(sides: &[DiffWords; 2], free: &mut [Vec<bool>; 2]) -> Vec<[usize; 2]> {
    let [a, b] = sides;
    let mut known: HashMap<&[u32], Vec<usize>> = HashMap::new();
    for q in (0..b.paragraphs.len()).rev().filter(|q| free[1][*q]) {
        known.entry(b.said_in(q)).or_default().push(q);
    }
    let mut found = Vec::new();
    for p in 0..a.paragraphs.len() {
        let said = a.said_in(p);
        if !free[0][p] || said.len() < LEAST_SAME {
            continue;
        }
        if let Some(q) = known.get_mut(said).and_then(Vec::pop) {
            (free[0][p], free[1][q]) = (false, false);
            found.push([p, q]);
        }
    }
    found
}

/// Adds the paragraphs beside those found that are the same, however short: a heading goes with its
/// text.
fn extend(sides: &[DiffWords; 2], free: &mut [Vec<bool>; 2], found: &mut Vec<[usize; 2]>) {
    let [a, b] = sides;
    let is_free = |free: &[Vec<bool>; 2], [p, q]: [usize; 2]| {
        let are_free = free[0].get(p).zip(free[1].get(q));
        are_free == Some((&true, &true)) && a.said_in(p) == b.said_in(q)
    };
    let mut at = 0;
    // Those that were added may have neighbours too.
    while let Some([p, q]) = found.get(at).copied() {
        for near in [[p.wrapping_sub(1), q.wrapping_sub(1)], [p + 1, q + 1]] {
            if is_free(free, near) {
                (free[0][near[0]], free[1][near[1]]) = (false, false);
                found.push(near);
            }
        }
        at += 1;
    }
}

/// Paragraphs that have three quarters of their words in common, found by words that few have.
fn near_elsewhere(
    sides: &[DiffWords; 2],
    free: &mut [Vec<bool>; 2],
    until: Instant,
    wanted: &dyn Fn() -> bool,
) -> Option<Vec<[usize; 2]>> {
    let [a, b] = sides;
    let mut postings: HashMap<u32, Vec<usize>> = HashMap::new();
    for q in (0..b.paragraphs.len()).filter(|q| free[1][*q]) {
        let said = Some(b.said_in(q)).filter(|said| said.len() >= LEAST_NEAR);
        for id in said.unwrap_or_default() {
            let list = postings.entry(*id).or_default();
            if list.len() <= MOST_POSTINGS && list.last() != Some(&q) {
                list.push(q);
            }
        }
    }
    let (mut found, mut shared) = (Vec::new(), HashMap::new());
    for p in 0..a.paragraphs.len() {
        if p.is_multiple_of(STEPS / 64) && !wanted() {
            return None;
        }
        let said = a.said_in(p);
        if !free[0][p] || said.len() < LEAST_NEAR || Instant::now() >= until {
            continue;
        }
        shared.clear();
        for id in said {
            let list = postings.get(id).filter(|list| list.len() <= MOST_POSTINGS);
            for q in list.into_iter().flatten().filter(|q| free[1][**q]) {
                *shared.entry(*q).or_insert(0_usize) += 1;
            }
        }
        // Of equal ones the first, so that the same texts have the same answer.
        let best = shared
            .iter()
            .max_by_key(|(q, count)| (**count, usize::MAX - **q));
        let Some((&q, _)) = best else { continue };
        let other = b.said_in(q);
        let lengths = [said.len(), other.len()];
        if !is_most(lengths, said.len().min(other.len())) {
            continue;
        }
        let same = same_in_place(said, other, until);
        if is_most(lengths, same.iter().map(|[from, _]| from.len()).sum()) {
            (free[0][p], free[1][q]) = (false, false);
            found.push([p, q]);
        }
    }
    Some(found)
}
