//! HelpSteer2: one rated response per row.

use super::chat::{CHAT, string};
use super::corrections::LabelledValue;
use super::{SkipReason, TrainingFormat};
use crate::model::{Role, Turn};
use crate::schema::{Definition, Label, built_in, turns_of};

pub(super) const FORMAT: TrainingFormat = TrainingFormat {
    name: "helpsteer2",
    about: "HelpSteer2: one response per row with its five labels",
    prompt_roles: &[Role::User, Role::Assistant],
    answer_roles: &[],
    has_reasoning: false,
    tools: &[],
    ..CHAT
};

/// One response per row with its labels, written by the schema that reads it.
#[derive(Debug)]
pub(super) struct RatedLayout {
    definition: Definition,
    /// The previous prompt, and true if an odd number of rows has it: then the next row with that
    /// prompt would be read as their partner.
    before: Option<(String, bool)>,
}

impl RatedLayout {
    /// Uses the built-in schema with the name of a format. If it were missing, all samples would be
    /// skipped.
    pub(super) fn of(format: TrainingFormat) -> Self {
        let mut all = built_in().into_iter();
        let definition = all.find(|definition| definition.name == format.name);
        Self {
            definition: definition.unwrap_or_default(),
            before: None,
        }
    }

    /// Returns the rows of a sample, one per response; an error if any cannot be expressed.
    pub(super) fn rows(
        &mut self,
        prompt: &[Turn<'_>],
        responses: &[&str],
        labels: &[LabelledValue],
    ) -> Result<Vec<String>, SkipReason> {
        match responses.len() {
            0 => return Err(SkipReason::Single),
            1 | 2 => {}
            _ => return Err(SkipReason::ManyResponses),
        }
        let prompt = self.prompt(prompt)?;
        let mut rows = Vec::new();
        for (place, response) in responses.iter().enumerate() {
            // A trainer appends it to the prompt as the next turn.
            if self.turns(response).is_none_or(|turns| turns.len() != 1) {
                return Err(SkipReason::TurnMarker);
            }
            let (prompt, response) = (string(&prompt), string(response));
            let mut row = format!(r#"{{"prompt":{prompt},"response":{response}"#);
            for label in &self.definition.labels {
                let is_its = |value: &&LabelledValue| {
                    value.response.index() == place && value.name == label.name
                };
                let value = labels.iter().find(is_its).and_then(|value| value.now);
                let value = value.ok_or(SkipReason::MissingLabel)?;
                let value = whole(label, value).ok_or(SkipReason::LabelValue)?;
                row += &format!(r#","{}":{value}"#, label.name);
            }
            rows.push(row + "}");
        }
        let is_odd = match &self.before {
            Some((before, is_odd)) if *before == prompt => *is_odd,
            _ => false,
        };
        if is_odd {
            return Err(SkipReason::SamePrompt);
        }
        self.before = Some((prompt, responses.len() == 1));
        Ok(rows)
    }

    /// Joins turns with a marker before each but the first; an error if they would be read
    /// differently.
    fn prompt(&self, turns: &[Turn<'_>]) -> Result<String, SkipReason> {
        let markers = self.definition.turns.as_ref();
        let markers = markers.ok_or(SkipReason::TurnMarker)?;
        let mut text = String::new();
        for (at, turn) in turns.iter().enumerate() {
            let marker = match turn.role {
                Role::Assistant => &markers.assistant,
                _ => &markers.user,
            };
            if at > 0 {
                text.push('\n');
            }
            if at > 0 || turn.role == Role::Assistant {
                text.push_str(marker);
                text.push('\n');
            }
            text.push_str(&turn.text);
        }
        let is_read_so = self.turns(&text).is_some_and(|read| read == turns);
        if is_read_so {
            Ok(text)
        } else {
            Err(SkipReason::TurnMarker)
        }
    }

    fn turns<'t>(&self, text: &'t str) -> Option<Vec<Turn<'t>>> {
        let markers = self.definition.turns.as_ref()?;
        Some(turns_of(text.into(), markers, Role::User))
    }
}

/// Returns the value of a label if it is a whole number in its range.
fn whole(label: &Label, value: f64) -> Option<i64> {
    let [low, high] = label.range?;
    let is_one = value.fract() == 0.0 && (low..=high).contains(&value);
    is_one.then_some(value as i64)
}
