//! Schemas adapted to what is done with a file: joined to another, or read with one as a dataset.

use serde_json::Value;

use super::definition::{Definition, RowGrouping, Turns, VerdictRule};
use super::guess;
use super::path::Path;
use super::reader::{DecidingLabel, Schema};

impl Definition {
    /// Whether records have texts, and not only scores or a winner.
    pub(super) fn has_texts(&self) -> bool {
        let mut guess = self.guess.iter();
        guess.all(|guess| !guess.is_without_texts)
    }
}

impl Schema {
    /// The same schema with turns of a prompt marked so; `None` where that changes nothing, it has
    /// markers of its own, or prompts are told by what transcripts share.
    pub fn with_turns(&self, turns: Option<Turns>) -> Option<Self> {
        let mut definition = self.definition().clone();
        let has_none = definition.prompt.is_some() && definition.turns.is_none();
        definition.turns = Some(turns.filter(|_| has_none)?);
        Self::new(definition).ok()
    }

    /// The same schema with the scores that records have beside a preferred response and another
    /// one; `None` if it has labels already, or they have none.
    pub(super) fn with_scores(&self, records: &[Value]) -> Option<Self> {
        let mut definition = self.definition().clone();
        let is_bare = self.labels().is_empty() && self.prefers_by_place();
        is_bare.then(|| guess::add_scores(&mut definition, records))?;
        let has_scores = !definition.labels.is_empty();
        has_scores.then(|| Self::new(definition).ok())?
    }

    /// Whether a response wins by its place on the row.
    pub fn prefers_by_place(&self) -> bool {
        matches!(self.definition().rule(), Some(VerdictRule::Fixed { .. }))
    }

    /// The label whose values say which response is better, for a file that is compared with another.
    /// There the place of a response says nothing: both files list the same responses.
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

    /// The same schema where all rows that agree in these fields, or without any in their prompt,
    /// are a sample wherever they stand. Rows with several responses are then samples by one annotator
    /// each. `None` where rows have no prompt, or several responses and nothing that says which is best.
    pub fn grouped(&self, fields: &[Path]) -> Option<Self> {
        let mut definition = self.definition().clone();
        let prompt = definition.prompt.as_ref()?;
        definition.group = match fields {
            [] => prompt.path.clone(),
            fields => fields.to_vec(),
        };
        definition.rows = match self.responses() {
            1 => RowGrouping::Groups,
            _ if definition.rule().is_some() || definition.has_votes() => RowGrouping::Annotations,
            _ => return None,
        };
        Self::new(definition).ok()
    }
}
