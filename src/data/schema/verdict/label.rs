//! Values of a label: the response with the greater one wins
//! ([`VerdictRule::ByLabel`]).

use super::VerdictRule;
use crate::model::{Outcome, Response, ResponseId, ResponseSet, Verdict};
use crate::schema::{CapturedRow, RatingSource, Schema, guess};

/// The label that decides who wins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecidingLabel {
    /// Its index in the schema.
    pub place: usize,
    /// 1 if the greater value wins, -1 if the lower one does; values are multiplied by it, then
    /// compared.
    pub sign: f64,
}

impl Schema {
    /// Returns the label that decides the winner, if one does. If rows are by annotators, it
    /// decides each vote, and the votes decide the winner.
    pub fn deciding_label(&self) -> Option<DecidingLabel> {
        let is_voted = self.definition().is_row_by_annotator();
        self.label_of_rule().filter(|_| !is_voted)
    }

    /// Returns the label that decides the verdict of a row.
    pub(in crate::schema) fn label_of_rule(&self) -> Option<DecidingLabel> {
        let Some(VerdictRule::ByLabel { label, lower }) = self.definition().rule() else {
            return None;
        };
        Some(DecidingLabel {
            place: self.place_of(label)?,
            sign: if *lower { -1.0 } else { 1.0 },
        })
    }

    /// Returns the verdict by the deciding label; `None` for a single response, or if too few have
    /// a value ([`Verdict::of_values`]).
    pub fn outcome_by_label(&self, responses: &[Response<'_>]) -> Option<Outcome> {
        let DecidingLabel { place, sign } = self.label_of_rule()?;
        let value = |response: &Response<'_>| response.ratings.get(place).copied().flatten();
        let values: Vec<_> = (responses.iter())
            .map(|response| value(response).map_or(f64::NAN, |value| value * sign))
            .collect();
        let (verdict, margin) = Verdict::of_values(&values)?;
        Some(Outcome {
            verdict,
            rated: ResponseSet::rated(&values),
            margin: Some(margin),
            native: None,
        })
    }

    /// True if a response wins by its position on the row.
    pub fn prefers_by_place(&self) -> bool {
        matches!(self.definition().rule(), Some(VerdictRule::Fixed { .. }))
    }

    /// Returns the label whose values decide which response is better, for a file that is compared
    /// with another. Positions decide nothing there: both files list the same responses.
    pub fn deciding_score(&self) -> Option<DecidingLabel> {
        let is_guess = self.definition().guess.is_some();
        let margin = match self.definition().rule() {
            Some(VerdictRule::Fixed { margin, .. }) => margin.as_deref(),
            Some(VerdictRule::ByValue(_)) | None if is_guess => None,
            _ => return self.deciding_label(),
        };
        let of_margin = margin.and_then(|label| Some((self.place_of(label)?, 1.0)));
        let names = self.labels().iter().map(|label| &*label.name);
        let (place, sign) = of_margin.or_else(|| guess::deciding_score(names))?;
        Some(DecidingLabel { place, sign })
    }

    /// Returns the place, `first` or `last`, at which the layout always puts the better response;
    /// `None` if the data decides.
    pub fn place_of_winner(&self) -> Option<&'static str> {
        let is_first = match self.definition().rule()? {
            VerdictRule::Fixed { always, .. } => *always == ResponseId::A,
            VerdictRule::ByLabel { label, lower } if !self.joins_rows() => {
                let ratings: Vec<_> = self
                    .definition()
                    .responses
                    .iter()
                    .map(|paths| paths.ratings.get(label))
                    .collect();
                let [
                    Some(RatingSource::Constant(first)),
                    ..,
                    Some(RatingSource::Constant(last)),
                ] = ratings[..]
                else {
                    return None;
                };
                (first < last) == *lower
            }
            _ => return None,
        };
        Some(if is_first { "first" } else { "last" })
    }
}

impl CapturedRow<'_, '_> {
    /// Returns A's value of a label minus B's.
    pub(super) fn difference(&self, label: &str) -> Option<f64> {
        let place = self.schema.place_of(label)?;
        let label = self.schema.labels().get(place)?;
        let mut values = self.responses().take(2).map(|response| {
            let slot = (*response.ratings.get(place)?)?;
            self.rating(slot, label).ok().flatten()
        });
        let (a, b) = (values.next()??, values.next()??);
        Some(a - b + 0.0)
    }

    /// Returns the verdict by the deciding label, from all labels of each response.
    pub(in crate::schema) fn verdict_by(&self, ratings: &[f64]) -> Option<(Verdict, Option<f64>)> {
        let DecidingLabel { place, sign } = self.schema.label_of_rule()?;
        let values: Vec<_> = ratings
            .chunks_exact(self.schema.labels().len())
            .map(|values| values[place] * sign)
            .collect();
        Verdict::of_values(&values).map(|(verdict, margin)| (verdict, Some(margin)))
    }
}
