//! The role of each field in a schema, guessed or not, and the reason; and the user's choices of
//! roles (`--map`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::str::FromStr;

use serde_json::Value;

use super::response_names::{NamedBy, NamedVerdict};
use super::survey::{GuessField, Survey};
use super::verdict::word_of;
use crate::model::ResponseId;
use crate::schema::layout::column_paths::{PathUse, UseKind};
use crate::schema::layout::definition::{BlindDisplay, Definition, ResponsePaths};
use crate::schema::verdict::VerdictRule;
use crate::table::Path;
use crate::text;

/// Minimum characters of a text that may be a response.
const LONG: f64 = 60.0;
/// Maximum characters of an example value.
const EXAMPLE: usize = 400;

/// Names that `--map` accepts.
const KNOWN: &str = "prompt, a, b, c …, responses, winner, winner.a …, winner.tie, loser, score, label.NAME, text.NAME";

impl FromStr for Choices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut map = Self::default();
        let mut lettered: BTreeMap<usize, Path> = BTreeMap::new();
        let parts = text.split(',').map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let (name, path) = part
                .split_once('=')
                .ok_or_else(|| format!("expected NAME=PATH, found `{part}`"))?;
            let (name, value) = (name.trim(), path.trim());
            let path = Path::from(value);
            let unknown = || format!("unknown name `{name}`; use {KNOWN}");
            let (choice, own_name) = match (name, name.split_once('.')) {
                ("prompt", _) => (FieldChoice::Prompt, None),
                ("response" | "responses", _) => (FieldChoice::Response, None),
                ("winner", _) => (FieldChoice::Winner, None),
                ("loser", _) => (FieldChoice::Loser, None),
                ("score", _) => (FieldChoice::Label, Some(name)),
                (_, Some(("label", label))) => (FieldChoice::Label, Some(label)),
                (_, Some(("text", text))) => (FieldChoice::Text, Some(text)),
                (_, Some(("winner", outcome))) => {
                    let said = NamedVerdict::of_word(outcome).ok_or_else(unknown)?;
                    map.values.push((value.to_owned(), Some(said)));
                    continue;
                }
                _ => {
                    let response = ResponseId::of_word(name).ok_or_else(unknown)?;
                    lettered.insert(response.index(), path);
                    continue;
                }
            };
            (map.names).extend(own_name.map(|name| (path.clone(), name.to_owned())));
            map.fields.push((path, choice));
        }
        if !lettered.keys().copied().eq(0..lettered.len()) {
            return Err("name the responses a, b, c and so on, without a gap: a=PATH".to_owned());
        }
        let lettered = lettered.into_values();
        map.fields
            .extend(lettered.map(|path| (path, FieldChoice::Response)));
        if map.of(FieldChoice::Response).next().is_none() {
            return Err("response A has no field; add a=PATH".to_owned());
        }
        Ok(map)
    }
}

impl Choices {
    /// Returns the fields with this choice, in order.
    pub(in crate::schema) fn of(&self, choice: FieldChoice) -> impl Iterator<Item = &Path> {
        let fields = self.fields.iter().filter(move |(_, it)| *it == choice);
        fields.map(|(path, _)| path)
    }

    /// Returns the field that names the winner or the loser.
    pub(super) fn winner(&self) -> Option<&Path> {
        let mut fields = self.fields.iter();
        fields.find_map(|(path, choice)| choice.is_verdict().then_some(path))
    }

    pub(super) fn is_loser(&self) -> bool {
        self.of(FieldChoice::Loser).next().is_some()
    }

    /// Returns the fields with this choice, each with its name.
    pub(super) fn named(&self, choice: FieldChoice) -> impl Iterator<Item = (&str, &Path)> {
        self.of(choice).map(|path| {
            let name = self.names.iter().find(|(known, _)| known == path);
            let name = name.map(|(_, name)| &**name).or(path.last_key());
            (name.unwrap_or_default(), path)
        })
    }
}

/// The role of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldRole {
    /// Its path.
    pub path: Path,
    /// Its role: `prompt`, `response A`, `verdict` and so on.
    pub role: String,
    /// The reason for the role.
    pub why: String,
}

/// The user's choices of fields (`--map prompt=PATH,a=PATH,b=PATH`), with values and names. The
/// rest is guessed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// Fields, the first response first. A list of responses has one path with a step `*`.
    pub fields: Vec<(Path, FieldChoice)>,
    /// Meanings of the values of the winner's field; `None` for no verdict.
    pub values: Vec<(String, Option<NamedVerdict>)>,
    /// Names of labels and texts, if they differ from the key.
    pub names: Vec<(Path, String)>,
}

/// The role that the user chose for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldChoice {
    /// The prompt.
    Prompt,
    /// A response.
    Response,
    /// The verdict: names the winner.
    Winner,
    /// The verdict: names the loser.
    Loser,
    /// A number that rates a response.
    Label,
    /// A text about the sample.
    Text,
    /// The system message.
    System,
    /// None of these.
    Field,
}

impl FieldRole {
    pub(super) fn new(path: &Path, role: impl Into<String>, why: impl Into<String>) -> Self {
        let (path, role, why) = (path.clone(), role.into(), why.into());
        Self { path, role, why }
    }

    /// True if it is a list of objects or lists in a record.
    pub fn is_list(&self, record: &Value) -> bool {
        let list = self.path.value_in(record).and_then(Value::as_array);
        list.and_then(|list| list.first())
            .into_iter()
            .any(|element| element.is_object() || element.is_array())
    }

    /// Returns its path with dots, safe to show.
    pub fn name(&self) -> String {
        text::one_line(&self.path.steps().join("."), 200)
    }

    /// Returns its first value in a record, on one line; `None` if it has none.
    pub fn example(&self, record: &Value) -> Option<String> {
        let of_first = std::iter::successors(Some(self.path.clone()), |path| {
            path.is_of_each().then(|| path.of_element(0))
        });
        Some(match of_first.last()?.value_in(record)? {
            Value::String(text) => text::one_line(text, EXAMPLE),
            Value::Object(fields) => format!("{{ {} }}", text::counted(fields.len(), "field")),
            value => text::one_line(&value.to_string(), EXAMPLE),
        })
    }
}

/// Returns a space and the letter of a response; empty if it is the only one.
pub fn letter(place: usize, count: usize) -> String {
    let id = ResponseId::new(place).filter(|_| count > 1);
    id.map_or(String::new(), |id| format!(" {}", id.letter()))
}

impl FieldChoice {
    /// True if the field names the winner or the loser.
    pub fn is_verdict(self) -> bool {
        matches!(self, Self::Winner | Self::Loser)
    }

    /// Returns the name of the role.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Response => "response",
            Self::Winner | Self::Loser => "verdict",
            Self::Label => "label",
            Self::Text => "text",
            Self::System => "system",
            Self::Field => "field",
        }
    }
}

impl GuessField {
    /// Describes the kind and number of its values.
    fn summary(&self) -> String {
        if self.is_empty() {
            return "no value".to_owned();
        }
        let kinds = [
            (self.has_messages(), "messages"),
            (self.is_number(), "number"),
            (self.is_text(), "text"),
            (self.is_number_list(), "numbers"),
            (self.is_text_list(), "texts"),
            (self.is_object_list(), "a list"),
        ];
        let kind = kinds.iter().find(|(is_it, _)| *is_it);
        let kind = kind.map_or("value", |(_, kind)| kind);
        format!("{kind}, {}", text::counted(self.values, "value"))
    }
}

impl Definition {
    /// Guesses a definition for these records; `None` if they contain nothing that looks like
    /// responses.
    pub fn guessed(survey: &Survey) -> Option<Self> {
        super::candidates(survey).into_iter().next()
    }

    /// Returns the paths that have a role: prompt, responses and their values, and containers of
    /// these.
    pub(in crate::schema) fn used_paths(&self) -> HashSet<Path> {
        let mut used = HashSet::new();
        for PathUse { path, response, .. } in self.uses() {
            let steps = path.steps();
            let around = (1..steps.len()).filter(|_| response.is_some());
            used.extend(around.map(|end| Path::of_steps(&steps[..end])));
            used.insert(path);
        }
        used
    }

    /// True if a path leads to the prompt or a response, or to a container of one.
    pub(super) fn has_text_at(&self, path: &Path) -> bool {
        use UseKind::{BesidePrompt, History, Prompt, Response, System};
        let is_text = |kind| [Prompt, System, History, BesidePrompt, Response].contains(&kind);
        let mut texts = self.uses().into_iter().filter(|it| is_text(it.kind));
        texts.any(|it| it.path.steps().starts_with(path.steps()))
    }

    /// Returns the choices of fields that produce this definition, without labels and texts, which
    /// are found automatically.
    pub fn choices(&self) -> Choices {
        let prompt = self.prompt.iter().flat_map(|prompt| prompt.path.last());
        let responses = self
            .responses
            .iter()
            .map(ResponsePaths::whole_path)
            .map(|path| match path.split_list() {
                Some((list, onward)) if onward.steps().is_empty() => list,
                _ => path,
            });
        let winner = self.rule().into_iter().flat_map(VerdictRule::path);
        let names = match self.rule() {
            Some(VerdictRule::ByValue(rule)) => rule.names.as_ref(),
            _ => None,
        };
        let verdict = match names {
            Some(names) if names.by == NamedBy::Loser => FieldChoice::Loser,
            _ => FieldChoice::Winner,
        };
        let system = self.prompt.iter().flat_map(|prompt| &prompt.system);
        let of = |choice| move |path: &Path| (path.clone(), choice);
        let fields = (prompt.map(of(FieldChoice::Prompt)))
            .chain(responses.map(|path| (path, FieldChoice::Response)))
            .chain(winner.map(of(verdict)))
            .chain(system.map(of(FieldChoice::System)));
        Choices {
            fields: fields.collect(),
            ..Choices::default()
        }
    }

    /// Returns the values of a field that the user considers for the verdict, each with its meaning
    /// and number of records. Empty if they are many, or the verdict is not decided by a list of
    /// values.
    pub fn values_of_verdict(
        &self,
        path: &Path,
        records: &[Value],
    ) -> Vec<(String, Option<NamedVerdict>, usize)> {
        const MOST: usize = 12;
        let rule = match self.rule() {
            None => None,
            Some(VerdictRule::ByValue(rule)) if rule.margins.is_empty() => {
                Some(rule).filter(|rule| rule.path == *path)
            }
            _ => return Vec::new(),
        };
        let mut values: Vec<(String, Option<NamedVerdict>, usize)> = Vec::new();
        for word in records.iter().filter_map(|it| word_of(path.value_in(it)?)) {
            if let Some((.., count)) = values.iter_mut().find(|(known, ..)| *known == word) {
                *count += 1;
            } else if values.len() == MOST || word.len() > EXAMPLE {
                return Vec::new();
            } else {
                values.push((
                    word.clone(),
                    rule.and_then(|rule| rule.verdict_of(&word)),
                    1,
                ));
            }
        }
        values
    }

    /// Returns the role of each field in these records, in order; then the roles of paths that the
    /// records lack.
    pub fn field_roles(&self, survey: &Survey) -> Vec<FieldRole> {
        let named = self.named_roles();
        let steps = survey.fields().map(|field| field.path.steps());
        let parents: HashSet<_> = steps
            .flat_map(|steps| (0..steps.len()).map(|end| &steps[..end]))
            .collect();
        let shortest = (self.responses.iter())
            .filter_map(|it| Some(survey.at(&it.whole_path())?.mean_chars()))
            .fold(f64::INFINITY, f64::min)
            .max(LONG);
        // Indexed by first step, since there can be thousands of labels.
        let mut beginning: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, it) in named.iter().enumerate() {
            let first = it.path.steps().first();
            beginning.entry(first).or_default().push(at);
        }
        let mut found = HashSet::new();
        let of_field = |field: &GuessField| {
            let is_parent = parents.contains(field.path.steps());
            let mut own: Vec<_> = beginning
                .get(&field.path.steps().first())
                .into_iter()
                .flatten()
                .copied()
                .collect();
            own.retain(|at| leads_to(&named[*at].path, &field.path, is_parent));
            found.extend(own.iter().copied());
            let is_long = !is_parent && field.is_text() && field.mean_chars() >= shortest;
            let (role, why) = if let Some(first) = own.first().map(|at| &named[*at]) {
                let mut role = first.role.clone();
                for other in own.iter().map(|at| &named[*at].role) {
                    if *other != role {
                        role += &format!(", {other}");
                    }
                }
                return FieldRole::new(&field.path, role, &*first.why);
            } else if is_long {
                ("text", "a long text, in its own pane".to_owned())
            } else {
                (if is_parent { "" } else { "field" }, field.summary())
            };
            FieldRole::new(&field.path, role, why)
        };
        let mut all: Vec<_> = survey.fields().map(of_field).collect();
        let absent = named
            .iter()
            .enumerate()
            .filter(|(at, _)| !found.contains(at));
        all.extend(absent.map(|(_, role)| role.clone()));
        all
    }

    /// True if blind reviewers see a field: the prompt, a response, or what the schema releases.
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

    /// Returns the role of each path in the schema.
    pub(in crate::schema) fn named_roles(&self) -> Vec<FieldRole> {
        let of_use = |PathUse {
                          path,
                          kind,
                          name,
                          response,
                      }: PathUse| {
            let (word, guessed) = kind.role_and_reason();
            let is_named = matches!(kind, UseKind::Text | UseKind::Rater);
            let is_name = is_named && path.steps().join(".") == name;
            let letter = response.map_or(String::new(), |it| letter(it, self.responses.len()));
            let role = match &*name {
                name if name.is_empty() || is_name => format!("{word}{letter}"),
                name => format!("{word} {name}{letter}"),
            };
            let guess = self.guess.as_ref().map(|guess| guess.roles.iter());
            let why = match guess.map(|mut roles| roles.find(|it| it.path == path)) {
                None => "named by the schema",
                Some(Some(role)) => &*role.why,
                Some(None) => guessed,
            };
            FieldRole::new(&path, role, why)
        };
        self.uses().into_iter().map(of_use).collect()
    }
}

impl UseKind {
    /// Returns the name of the role, and the reason why a guess assigns it.
    fn role_and_reason(self) -> (&'static str, &'static str) {
        match self {
            Self::Prompt => ("prompt", "its name"),
            Self::System => ("system", "its name"),
            Self::History => ("history", "its name"),
            Self::BesidePrompt => ("next to the prompt", "its name"),
            Self::Response => ("response", "its name"),
            Self::Quotes => ("quotes", "its name"),
            Self::Label => ("label", "numbers, by name or position"),
            Self::TextOfResponse => ("text", "a text next to a response"),
            Self::Text => ("text", "a long text"),
            Self::Verdict => ("verdict", "its values name the responses"),
            Self::Vote => ("vote", "an annotator's winner"),
            Self::Annotator => ("annotator", "its name"),
            Self::Rater => ("rater", "its values name the responses"),
            Self::Group => ("group", "equal in rows of one sample"),
            Self::Same => ("prompt", "a copy of the prompt"),
            Self::Fact | Self::Need => ("field", "a short value"),
        }
    }
}

/// True if a schema path leads to a field of a table, or into it if that field has no fields
/// itself.
fn leads_to(path: &Path, field: &Path, is_parent: bool) -> bool {
    let is_same =
        |(step, of): (&String, &String)| step == of || of == "*" && step.parse::<usize>().is_ok();
    let (own, of) = (path.steps(), field.steps());
    let is_whole = own.len() == of.len() || own.len() == of.len() + 1 && path.ends_with_each();
    own.len() >= of.len() && own.iter().zip(of).all(is_same) && (is_whole || !is_parent)
}
