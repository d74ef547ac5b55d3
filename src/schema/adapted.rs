//! Schemas adapted to what is done with a file: joined to another, read with one as a dataset, or edited.

use serde_json::Value;

use super::definition::{Definition, RatingSource, ResponsePaths, RowGrouping, Turns, VerdictRule};
use super::guess::{self, Choices, FieldChoice};
use super::path::Path;
use super::reader::{DecidingLabel, Schema};

impl Definition {
    /// This schema with what is chosen otherwise than it has it, taken from the layout that the choices
    /// make by themselves. Once other fields are responses, only what labels and texts mean is kept.
    #[must_use]
    pub fn edited(&self, mut built: Self, choices: &Choices) -> Self {
        let own = self.choices();
        let is_kept = |choice| own.of(choice).eq(choices.of(choice));
        for label in &mut built.labels {
            let known = self.labels.iter().find(|known| known.name == label.name);
            *label = known.unwrap_or(label).clone();
        }
        for text in &mut built.texts {
            let mut known = self.texts.iter().filter(|known| known.path.is_some());
            *text = known
                .find(|known| known.path == text.path)
                .unwrap_or(text)
                .clone();
        }
        if !is_kept(FieldChoice::Response) {
            return built;
        }
        let mut edited = self.clone();
        if !(is_kept(FieldChoice::Prompt) && is_kept(FieldChoice::System)) {
            edited.prompt = built.prompt;
        }
        let is_said = !choices.values.is_empty();
        if is_said || !(is_kept(FieldChoice::Winner) && is_kept(FieldChoice::Loser)) {
            edited.verdict = built.verdict;
        }
        let changed = || choices.fields.iter().filter(|it| !own.fields.contains(it));
        let is_changed = |path: &Path| changed().any(|(it, _)| it == path);
        let is_label = |path: &Path| changed().any(|it| *it == (path.clone(), FieldChoice::Label));
        let place = |of: &ResponsePaths, source: &RatingSource| match source {
            RatingSource::Path(path) => of.whole(path),
            RatingSource::Constant(_) => Path::default(),
        };
        for (response, new) in edited.responses.iter_mut().zip(&built.responses) {
            let known = response.clone();
            let stays = |path: &Path| !is_changed(path) || is_label(path);
            (response.ratings).retain(|_, source| stays(&place(&known, source)));
            for (name, source) in &new.ratings {
                let path = place(new, source);
                let is_known = known.ratings.values().any(|it| place(&known, it) == path);
                if is_label(&path) && !is_known {
                    response.ratings.insert(name.clone(), source.clone());
                }
            }
        }
        let is_rated = |name: &String| {
            edited
                .responses
                .iter()
                .any(|it| it.ratings.contains_key(name))
        };
        let names: Vec<_> = self.labels.iter().map(|label| &label.name).collect();
        let new = built
            .labels
            .iter()
            .filter(|label| !names.contains(&&label.name));
        edited.labels.extend(new.cloned());
        edited.labels.retain(|label| is_rated(&label.name));
        edited.facts.retain(|fact| !is_changed(&fact.path));
        edited
            .texts
            .retain(|text| !text.path.as_ref().is_some_and(&is_changed));
        let is_text = |path: &Option<Path>| {
            path.as_ref()
                .is_some_and(|path| choices.of(FieldChoice::Text).any(|it| it == path))
        };
        let texts = built.texts.into_iter().filter(|text| is_text(&text.path));
        edited.texts.extend(texts);
        if edited.unknown_label().is_some() {
            edited.verdict = None;
        }
        edited
    }

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
