//! What each annotator said: of who wins, and of labels.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::decode;
use super::definition::{Label, Reduction};
use super::path::Path;
use super::reader::CapturedRow;
use super::slots::RatingSlot;
use super::values::{annotators_of, number, odd, says_nothing};
use super::vote_path::VotePaths;
use crate::model::{ReadWarning, ResponseId, Votes};

/// So many of the last places for votes are asked whether a list may be longer.
const LOOKED_AT: usize = 4;

impl CapturedRow<'_, '_> {
    /// What each annotator said of who wins.
    pub(super) fn votes(&self) -> Votes {
        let mut votes = Votes::default();
        self.each_vote(&mut |vote| match vote {
            Ok(Some(strength)) => votes.strengths.push(strength),
            Ok(None) => votes.excluded += 1,
            Err(_) => {}
        });
        votes
    }

    /// What is odd about votes that are none.
    pub(super) fn odd_votes(&self, warnings: &mut Vec<ReadWarning>) {
        self.each_vote(&mut |vote| {
            warnings.extend(vote.err().map(|what| ReadWarning::OddValue {
                response: None,
                what,
            }));
        });
    }

    /// Whether any vote is one that there cannot be.
    pub(super) fn has_odd_votes(&self) -> bool {
        let mut is_odd = false;
        self.each_vote(&mut |vote| is_odd |= vote.is_err());
        is_odd
    }

    /// Shows each vote that is there: by how much A wins, or nothing of one that is to be left out.
    fn each_vote(&self, show: &mut dyn FnMut(ReadVote)) {
        for slots in &self.schema().slots().votes {
            let Some(vote) = self.schema().definition().votes.get(slots.place) else {
                continue;
            };
            let values = slots.annotators.iter();
            for value in values.filter_map(|&slot| self.value(slot)) {
                vote.read(value).into_iter().for_each(&mut *show);
            }
            // Few lists are longer, so that places for the rest of them would be for nothing: where
            // one of the last places has a vote, the row is looked through once more.
            let first = slots.annotators.len();
            let mut last = slots.annotators.iter().skip(first - LOOKED_AT);
            if last.any(|&slot| self.value(slot).is_some()) {
                match vote.values_behind(self.line(), first) {
                    Some(values) => (values.into_iter())
                        .filter_map(|value| vote.read(value))
                        .for_each(&mut *show),
                    None => show(Err(format!("{} has votes that are not read", vote.each))),
                }
            }
        }
    }

    /// The values of a label's annotators for a response; none where the row has no list of that, or
    /// one that counts as no value.
    pub(super) fn annotated(&self, slot: Option<RatingSlot>, label: &Label) -> Vec<f64> {
        let Some(RatingSlot::Value(slot)) = slot else {
            return Vec::new();
        };
        let list = self.value(slot).filter(|value| value.starts_with('['));
        let values = list.and_then(|list| annotators_of(list, label).ok());
        values.unwrap_or_default()
    }
}

/// A vote: by how much A wins, nothing of one that is to be left out, or what is odd about it.
type ReadVote = Result<Option<f64>, String>;

impl VotePaths {
    /// What a spelled value says; `None` where it says nothing.
    fn read(&self, value: &str) -> Option<ReadVote> {
        if value == "null" {
            return None;
        }
        let known = self.values.get(&*decode::plain(value).0).copied();
        let number = match known.or_else(|| number(value)) {
            Some(number) if number.is_finite() => number,
            _ if says_nothing(value) => return None,
            _ => {
                let why = match self.values.is_empty() {
                    true => "not a number",
                    false => "which is no vote",
                };
                return Some(Err(odd(&self.whole_path().to_string(), value, why)));
            }
        };
        let sign = match self.positive == ResponseId::A {
            true => 1.0,
            false => -1.0,
        };
        // Minus zero would print as "-0".
        let strength = Some(number * sign + 0.0).filter(|_| !self.none.contains(&number));
        Some(Ok(strength))
    }

    /// What stands as votes in a row behind the first so many of its list, as it is spelled; `None`
    /// where the list is not found.
    fn values_behind<'r>(&self, row: &'r [u8], first: usize) -> Option<Vec<&'r str>> {
        let list = follow(std::str::from_utf8(row).ok()?, &self.each)?;
        let elements: Vec<&RawValue> = serde_json::from_str(list).ok()?;
        let rest = elements.iter().skip(first);
        Some(
            rest.filter_map(|one| follow(one.get(), &self.score))
                .collect(),
        )
    }
}

/// What stands at a path of a value, both as they are spelled. Nothing that does not lead there is
/// decoded: it may be what a parser refuses.
fn follow<'v>(value: &'v str, path: &Path) -> Option<&'v str> {
    path.steps().iter().try_fold(value, |value, step| {
        if value.starts_with('[') {
            let elements: Vec<&RawValue> = serde_json::from_str(value).ok()?;
            return Some(elements.get(step.parse::<usize>().ok()?)?.get());
        }
        let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(value).ok()?;
        members.get(&**step).map(|value| value.get())
    })
}

impl Label {
    /// Whether files have a list of annotators' values of it, which is its own and not a figure
    /// beside another label's.
    pub fn is_list(&self) -> bool {
        self.reduce == Some(Reduction::Mean)
    }
}
