//! Adapts schemas to a use of the file: joined to another, as the dataset for another, or edited.

use super::definition::{Definition, RatingSource, ResponsePaths, RowGrouping, Turns};
use crate::schema::guess::{self, Choices, FieldChoice, Survey};
use crate::schema::row::reader::Schema;
use crate::table::Path;

impl Definition {
    /// Returns this schema with `choices` taken from the layout that they make. If they change
    /// which fields are responses, only the meaning of labels and texts is kept.
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
        let place = |of: &ResponsePaths, source: &RatingSource| {
            source.path().map(|path| of.whole(path)).unwrap_or_default()
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
}

impl Schema {
    /// Returns this schema with these turn markers for the prompt. `None` if that changes nothing,
    /// it has markers already, or prompts are the shared beginning of transcripts.
    pub fn with_turns(&self, turns: Option<Turns>) -> Option<Self> {
        let mut definition = self.definition().clone();
        let has_none = definition.prompt.is_some() && definition.turns.is_none();
        definition.turns = Some(turns.filter(|_| has_none)?);
        Some(Self::new(definition))
    }

    /// Returns its definition with the scores that records have next to a preferred response and
    /// another one; `None` if it has labels already, or there are no scores.
    pub(in crate::schema) fn with_scores(&self, survey: &Survey) -> Option<Definition> {
        let mut definition = self.definition().clone();
        let is_bare = self.labels().is_empty() && self.prefers_by_place();
        is_bare.then(|| guess::add_scores(&mut definition, survey))?;
        let has_scores = !definition.labels.is_empty();
        has_scores.then_some(definition)
    }

    /// Returns this schema with all rows that share these fields (or the prompt, if empty) as one
    /// sample, wherever they are in the file. Rows with several responses are then one annotator's
    /// judgment each. `None` if rows have no prompt (a guess may have none), or have several responses but no verdict.
    pub fn grouped(&self, fields: &[Path]) -> Option<Self> {
        let mut definition = self.definition().clone();
        definition.group = match (fields, &definition.prompt) {
            ([], prompt) => prompt.as_ref()?.path.clone(),
            (fields, prompt) => {
                if prompt.is_some() || definition.guess.is_some() {
                    fields.to_vec()
                } else {
                    return None;
                }
            }
        };
        definition.rows = match self.responses() {
            1 => RowGrouping::Groups,
            _ if definition.rule().is_some() || definition.has_votes() => RowGrouping::Annotations,
            _ => return None,
        };
        Some(Self::new(definition))
    }
}
