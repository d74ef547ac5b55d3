//! What each field of the first records is to a schema, of whatever origin, and why.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::table::{FieldTable, GuessField, value_at};
use super::{FieldChoice, FieldRole};
use crate::model::ResponseId;
use crate::schema::definition::{BlindDisplay, Definition, PromptPaths, RatingSource, VerdictRule};
use crate::schema::path::Path;
use crate::schema::{FieldSurvey, Schema};
use crate::text;

/// Characters of a text that may be a response.
const LONG: f64 = 60.0;
/// Characters of an example value.
const EXAMPLE: usize = 400;

impl FieldRole {
    fn new(path: &Path, role: impl Into<String>, why: impl Into<String>) -> Self {
        let (path, role, why) = (path.clone(), role.into(), why.into());
        Self { path, role, why }
    }

    /// Whether it is a text as long as a response that the guess took for nothing.
    pub fn is_doubtful(&self) -> bool {
        self.role == DOUBTFUL
    }

    /// Its path as people write it.
    pub fn name(&self) -> String {
        text::one_line(&self.path.steps().join("."), 200)
    }

    /// Its first value in a record, on one line; `None` without one.
    pub fn example(&self, record: &Value) -> Option<String> {
        let of_first = std::iter::successors(Some(self.path.clone()), |path| {
            path.is_of_each().then(|| path.of_element(0))
        });
        Some(match value_at(record, &of_first.last()?)? {
            Value::String(text) => text::one_line(text, EXAMPLE),
            Value::Object(fields) => format!("{{ {} }}", text::counted(fields.len(), "field")),
            value => text::one_line(&value.to_string(), EXAMPLE),
        })
    }
}

const DOUBTFUL: &str = "text?";

impl FieldChoice {
    /// What it is called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Response => "response",
            Self::Winner => "verdict",
            Self::Label => "label",
            Self::Text => "text",
            Self::System => "system",
            Self::Field => "field",
        }
    }
}

impl GuessField {
    /// Which kind of values it has, and in how many places.
    fn told(&self) -> String {
        let kind = if self.is_empty() {
            return "no value".to_owned();
        } else if self.has_messages() {
            "messages"
        } else if self.is_number() {
            "number"
        } else if self.is_text() {
            "text"
        } else if self.is_number_list() {
            "numbers"
        } else if self.is_text_list() {
            "texts"
        } else if self.is_object_list() {
            "a list"
        } else {
            "value"
        };
        format!("{kind}, {}", text::counted(self.values, "value"))
    }
}

impl Definition {
    /// What is guessed of these records; `None` where they hold nothing that looks like responses.
    pub fn guessed(records: &[Value]) -> Option<Self> {
        super::definition(records)
    }

    /// The fields that a person could have chosen to the same end, but for labels and texts, which are found.
    pub fn choices(&self) -> Vec<(Path, FieldChoice)> {
        let prompt = self.prompt.iter().flat_map(|prompt| prompt.path.last());
        let responses = self
            .responses
            .iter()
            .map(|it| match it.whole_path().split_list() {
                Some((list, onward)) if onward.steps().is_empty() => list,
                _ => it.whole_path(),
            });
        let winner = self.rule().into_iter().flat_map(VerdictRule::path);
        let system = self.prompt.iter().flat_map(|prompt| &prompt.system);
        (prompt.map(|path| (path.clone(), FieldChoice::Prompt)))
            .chain(responses.map(|path| (path, FieldChoice::Response)))
            .chain(winner.map(|path| (path.clone(), FieldChoice::Winner)))
            .chain(system.map(|path| (path.clone(), FieldChoice::System)))
            .collect()
    }

    /// What each field of these records is, in their order; then what stands at paths that they do not have.
    pub fn field_roles(&self, records: &[Value]) -> Vec<FieldRole> {
        let table = FieldTable::new(records);
        let mut named: Vec<_> = self
            .named_roles()
            .into_iter()
            .map(|it| (it, false))
            .collect();
        let above = |field: &GuessField| {
            (0..field.path.steps().len())
                .map(|end| field.path.steps()[..end].to_vec())
                .collect::<Vec<_>>()
        };
        let parents: HashSet<_> = table.fields.iter().flat_map(above).collect();
        let shortest = (self.responses.iter())
            .filter_map(|it| Some(table.at(&it.whole_path())?.mean_chars()))
            .fold(f64::INFINITY, f64::min);
        let survey = Schema::new(self.clone()).ok().map(|schema| {
            let mut survey = FieldSurvey::new(Arc::new(schema));
            (records.iter()).for_each(|record| survey.add(record.to_string().as_bytes(), 0));
            survey
        });
        let is_in_pane = |path: &Path| {
            let survey = survey.as_ref().filter(|_| !self.responses.is_empty());
            survey.is_some_and(|it| it.at(&path.to_string()).is_some())
        };
        // There can be thousands of labels.
        let mut beginning: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, (it, _)) in named.iter().enumerate() {
            beginning
                .entry(it.path.steps().first().cloned())
                .or_default()
                .push(at);
        }
        let mut all = Vec::new();
        for field in &table.fields {
            let is_parent = parents.contains(field.path.steps());
            let mut role: Option<FieldRole> = None;
            for at in beginning
                .get(&field.path.steps().first().cloned())
                .into_iter()
                .flatten()
            {
                let (it, is_found) = &mut named[*at];
                if leads_to(&it.path, &field.path, is_parent) {
                    *is_found = true;
                    match &mut role {
                        Some(role) if role.role != it.role => {
                            role.role += &format!(", {}", it.role);
                        }
                        Some(_) => {}
                        None => role = Some(FieldRole::new(&field.path, &*it.role, &*it.why)),
                    }
                }
            }
            let is_long = field.is_text() && field.mean_chars() >= shortest.max(LONG);
            all.push(match role {
                Some(role) => role,
                None if is_long && !is_parent && is_in_pane(&field.path) => {
                    FieldRole::new(&field.path, "text", "a long text, in a pane of its own")
                }
                None if self.guess.is_some() && is_long && !is_parent => {
                    let why = "as long as a response, and in no pane: the guess is doubtful";
                    FieldRole::new(&field.path, DOUBTFUL, why)
                }
                None => FieldRole::new(
                    &field.path,
                    if is_parent { "" } else { "field" },
                    field.told(),
                ),
            });
        }
        let absent = named.into_iter().filter(|(_, is_found)| !is_found);
        all.extend(absent.map(|(role, _)| role));
        all
    }

    /// Whether a blind reviewer sees a field: the prompt, a response, or what the schema releases.
    pub fn shows_blind(&self, field: &FieldRole) -> bool {
        let facts = self.facts.iter().map(|it| (it.blind, Some(&it.path)));
        let texts = self.texts.iter().map(|it| (it.blind, it.path.as_ref()));
        let is_it = |path: &Path| leads_to(path, &field.path, false);
        let mut released = facts
            .chain(texts)
            .filter(|(blind, _)| *blind == BlindDisplay::Show);
        field.role == "prompt"
            || field.role.starts_with("response")
            || released.any(|(_, path)| path.is_some_and(is_it))
    }

    /// The role of each path that the schema has.
    fn named_roles(&self) -> Vec<FieldRole> {
        let mut all = Vec::new();
        let mut add = |path: &Path, role: String, guessed: &str| {
            let guess = self.guess.as_ref().map(|guess| guess.roles.iter());
            let why = match guess.map(|mut roles| roles.find(|it| it.path == *path)) {
                None => "named by the schema",
                Some(Some(role)) => &*role.why,
                Some(None) => guessed,
            };
            all.push(FieldRole::new(path, role, why));
        };
        if let Some(PromptPaths {
            path,
            system,
            history,
            beside,
            ..
        }) = &self.prompt
        {
            path.iter()
                .for_each(|path| add(path, "prompt".to_owned(), "its name"));
            let turns = [("system", system), ("history", history)].into_iter();
            turns.for_each(|(role, path)| {
                path.iter()
                    .for_each(|path| add(path, role.to_owned(), "its name"));
            });
            beside
                .iter()
                .for_each(|path| add(path, "beside the prompt".to_owned(), "its name"));
        }
        for (place, response) in self.responses.iter().enumerate() {
            let letter = ResponseId::new(place).filter(|_| self.responses.len() > 1);
            let letter = letter.map_or(String::new(), |it| format!(" {}", it.letter()));
            add(
                &response.whole_path(),
                format!("response{letter}"),
                "its name",
            );
            for (name, source) in &response.ratings {
                if let RatingSource::Path(path) = source {
                    add(
                        &response.whole(path),
                        format!("label {name}{letter}"),
                        "numbers, by name or place",
                    );
                }
            }
            for (name, path) in &response.texts {
                add(
                    &response.whole(path),
                    format!("text {name}{letter}"),
                    "a text beside a response",
                );
            }
        }
        let verdict = self.rule().into_iter().flat_map(VerdictRule::paths);
        verdict.for_each(|path| add(path, "verdict".to_owned(), "its values name the responses"));
        for (text, path) in self
            .texts
            .iter()
            .filter_map(|it| Some((it, it.path.as_ref()?)))
        {
            let role = match path.steps().join(".") == text.name {
                true => "text".to_owned(),
                false => format!("text {}", text.name),
            };
            add(path, role, "a long text");
        }
        for vote in &self.votes {
            let paths = vote.whole_paths();
            (paths.iter())
                .for_each(|path| add(path, "vote".to_owned(), "who wins by an annotator"));
        }
        (self.annotator.iter()).for_each(|path| add(path, "annotator".to_owned(), "its name"));
        self.group
            .iter()
            .for_each(|path| add(path, "group".to_owned(), "the same in rows of one sample"));
        (self.facts.iter()).for_each(|fact| add(&fact.path, "field".to_owned(), "a short value"));
        all
    }
}

/// Whether a path of a schema leads to a field of a table, or, unless that has fields itself, into it.
fn leads_to(path: &Path, field: &Path, is_parent: bool) -> bool {
    let is_same =
        |(step, of): (&String, &String)| step == of || of == "*" && step.parse::<usize>().is_ok();
    let (own, of) = (path.steps(), field.steps());
    let is_whole = own.len() == of.len() || own.len() == of.len() + 1 && path.ends_with_each();
    own.len() >= of.len() && own.iter().zip(of).all(is_same) && (is_whole || !is_parent)
}
