//! A named schema after a person changed the roles of some fields: the rest of it stays.

use super::definition::{Definition, RatingSource, ResponsePaths};
use super::guess::{Choices, FieldChoice};
use super::path::Path;

impl Definition {
    /// This schema with what is chosen otherwise than it has it, taken from the layout that the choices
    /// make by themselves. Once other fields are responses, only what labels and texts mean is kept.
    #[must_use]
    pub fn edited(&self, mut built: Self, choices: &Choices) -> Self {
        let own = self.choices();
        let of = |choices: &Choices, choice| {
            let them = choices.fields.iter().filter(|(_, it)| *it == choice);
            them.map(|(path, _)| path.clone()).collect::<Vec<_>>()
        };
        let is_kept = |choice| of(&own, choice) == of(choices, choice);
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
        let texts = of(choices, FieldChoice::Text);
        let is_text = |path: &Option<Path>| path.as_ref().is_some_and(|it| texts.contains(it));
        let texts = built.texts.into_iter().filter(|text| is_text(&text.path));
        edited.texts.extend(texts);
        if edited.unknown_label().is_some() {
            edited.verdict = None;
        }
        edited
    }
}
