//! Schema keys for texts about the sample and its responses.

use serde::{Deserialize, Serialize};

use super::definition::{BlindDisplay, Definition, is_hidden};
use crate::table::Path;
use crate::toml_file::{TomlFault, unknown_name};

/// A text about the sample or its responses: a rationale, a critique, feedback.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextPath {
    /// Its name, as in table columns.
    pub name: String,
    /// The heading shown above it; the name if absent.
    pub title: Option<String>,
    /// Path of a text about the sample: a string, or a list of strings. A step `*` matches each
    /// annotator. Without a path, the text is about responses, whose `texts` have the paths.
    pub path: Option<Path>,
    /// True if blind reviewers see it.
    #[serde(default, skip_serializing_if = "is_hidden")]
    pub blind: BlindDisplay,
}

impl TextPath {
    /// Creates a text that no schema describes: titled by its name, hidden from blind reviewers.
    pub fn new(name: String, path: Option<Path>) -> Self {
        Self {
            name,
            title: None,
            path,
            blind: BlindDisplay::Hide,
        }
    }
}

impl Definition {
    /// Returns a contradiction among the texts of the schema.
    pub(super) fn inconsistent_text(&self) -> Option<TomlFault> {
        for (place, text) in self.texts.iter().enumerate() {
            let name = &text.name;
            let is_of_response = self.responses.iter().any(|it| it.texts.contains_key(name));
            let what = if name.trim().is_empty() {
                "a [[text]] has an empty name".to_owned()
            } else if self.texts[..place].iter().any(|one| one.name == *name) {
                format!("two [[text]] tables have the name `{name}`")
            } else if text.path.is_some() == is_of_response {
                format!(
                    "the [[text]] `{name}` needs either a `path` or texts.{name} in a [[response]]"
                )
            } else {
                continue;
            };
            return Some(self.fault("text", place, &["name"], what));
        }
        let mut responses = self.responses.iter().enumerate();
        responses.find_map(|(place, response)| {
            let names = self.texts.iter().map(|text| &*text.name);
            let name = response
                .texts
                .keys()
                .find(|name| names.clone().all(|known| known != *name))?;
            let what = unknown_name("[[text]]", name, names.clone());
            Some(self.fault("response", place, &["texts", name], what))
        })
    }

    /// Returns the title of the texts with this name.
    pub fn title_of_text<'n>(&'n self, name: &'n str) -> &'n str {
        let text = self.texts.iter().find(|text| text.name == name);
        text.and_then(|text| text.title.as_deref()).unwrap_or(name)
    }
}
