//! What each annotator said: of who wins, and of labels.

use super::decode;
use super::definition::{Label, Reduction};
use super::reader::CapturedRow;
use super::slots::RatingSlot;
use super::values::{annotators_of, number, odd, says_nothing};
use crate::model::{ReadWarning, ResponseId, Votes};

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
    fn each_vote(&self, show: &mut dyn FnMut(Result<Option<f64>, String>)) {
        for &(slot, place) in &self.schema().slots().votes {
            let value = self.value(slot).filter(|value| *value != "null");
            let vote = self.schema().definition().votes.get(place);
            let (Some(value), Some(vote)) = (value, vote) else {
                continue;
            };
            let known = vote.values.get(&*decode::plain(value).0).copied();
            let number = match known.or_else(|| number(value)) {
                Some(number) if number.is_finite() => number,
                _ if says_nothing(value) => continue,
                _ => {
                    let why = match vote.values.is_empty() {
                        true => "not a number",
                        false => "which is no vote",
                    };
                    show(Err(odd(&vote.whole_path().to_string(), value, why)));
                    continue;
                }
            };
            let sign = match vote.positive == ResponseId::A {
                true => 1.0,
                false => -1.0,
            };
            // Minus zero would print as "-0".
            let strength = Some(number * sign + 0.0).filter(|_| !vote.none.contains(&number));
            show(Ok(strength));
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

impl Label {
    /// Whether files have a list of annotators' values of it, which is its own and not a figure
    /// beside another label's.
    pub fn is_list(&self) -> bool {
        self.reduce == Some(Reduction::Mean)
    }
}
