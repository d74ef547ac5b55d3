//! Unknown records: where the prompt and the responses probably stand, and `--map`, which says so.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::Value;

use super::definition::{
    ByLabel, ByValue, Definition, FactPath, Fixed, Label, LabelKind, PromptPaths, ResponsePaths,
    RowGrouping, TurnMarker, Turns, VerdictRule,
};
use super::path::Path;
use crate::model::ResponseId;

/// The names to look for; `assets/guess.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuessNames {
    /// Keys of a prompt, the likeliest first.
    prompt: Vec<String>,
    /// Keys of two responses.
    pair: Vec<[String; 2]>,
    /// Pairs whose first is the preferred one by its name.
    preferred_first: Vec<[String; 2]>,
    /// Keys of one response.
    response: Vec<String>,
    /// Keys of two scores that belong to a pair of responses.
    score_pair: Vec<[String; 2]>,
    /// Keys of numbers that rate a response, the one that decides first.
    rating: Vec<String>,
    /// Keys of a field that names the better response.
    winner: Vec<String>,
    /// What such a field says of the first response.
    first: Vec<String>,
    /// What it says of the second.
    second: Vec<String>,
    /// What it says of neither.
    tie: Vec<String>,
    /// What stands before a user turn and before an assistant turn of a transcript.
    markers: Vec<[String; 2]>,
}

fn names() -> Option<GuessNames> {
    toml::from_str(include_str!("../../assets/guess.toml")).ok()
}

/// Paths given by a person: `prompt=PATH,a=PATH,b=PATH`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PathMap {
    prompt: Option<Path>,
    a: Option<Path>,
    b: Option<Path>,
}

impl FromStr for PathMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut map = Self::default();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, path) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is not NAME=PATH"))?;
            let field = match name.trim() {
                "prompt" => &mut map.prompt,
                "a" | "response" => &mut map.a,
                "b" => &mut map.b,
                other => {
                    return Err(format!(
                        "`{other}` is none of prompt, a, b (or response, for one response a row)"
                    ));
                }
            };
            *field = Some(Path::from(path.trim()));
        }
        match (&map.prompt, &map.a, &map.b) {
            (_, None, _) => Err("say where the left response stands: a=PATH".to_owned()),
            (None, Some(_), None) => Err("say where the prompt stands: prompt=PATH".to_owned()),
            _ => Ok(map),
        }
    }
}

impl PathMap {
    /// The schema that it describes: with both responses a row is a sample, with one consecutive
    /// rows are paired.
    pub(super) fn definition(&self) -> Definition {
        let a = self.a.clone().unwrap_or_else(|| Path::from("response"));
        let prompt = match (&self.prompt, &self.b) {
            (None, None) => Some(Path::from("prompt")),
            (prompt, _) => prompt.clone(),
        };
        let responses = std::iter::once(a).chain(self.b.clone()).map(bare).collect();
        Definition {
            name: "--map".to_owned(),
            ..plain(prompt, responses, self.b.is_none())
        }
    }
}

/// Guesses from the first records; `None` when they hold nothing that looks like responses.
pub(super) fn definition(records: &[Value]) -> Option<Definition> {
    let names = names()?;
    let guess = |record: &Value| {
        let mut definition =
            pair(record, records, &names).or_else(|| single(record, records, &names))?;
        definition.facts = facts(record, &definition);
        Some(definition)
    };
    records.iter().find_map(guess)
}

/// Both responses on a row.
fn pair(first: &Value, records: &[Value], names: &GuessNames) -> Option<Definition> {
    let both = |pair: &&[String; 2]| pair.iter().all(|key| has_text(first, key));
    let preferred = names.preferred_first.iter().find(both);
    let pair = preferred.or_else(|| names.pair.iter().find(both))?;
    let mut definition = plain(
        prompt(first, names),
        pair.iter().map(|key| bare(Path::key(key))).collect(),
        false,
    );
    if definition.prompt.is_none() {
        definition.turns = turns(first, pair, names);
    }
    definition.verdict = match preferred {
        Some(_) => Some(
            VerdictRule::Fixed(Fixed {
                always: ResponseId::A,
            })
            .into(),
        ),
        None => winner(records, pair, names).map(|rule| VerdictRule::ByValue(rule).into()),
    };
    add_score_pair(&mut definition, first, names);
    Some(definition)
}

/// One response a row. Rows are paired by their prompt: without one there is nothing to pair by.
fn single(first: &Value, records: &[Value], names: &GuessNames) -> Option<Definition> {
    let response = names.response.iter().find(|key| has_text(first, key))?;
    let mut definition = plain(
        Some(prompt(first, names)?),
        vec![bare(Path::key(response))],
        true,
    );
    add_ratings(&mut definition, records, names);
    Some(definition)
}

fn has_text(record: &Value, key: &str) -> bool {
    record
        .get(key)
        .is_some_and(|value| value.is_string() || is_messages(value))
}

fn prompt(record: &Value, names: &GuessNames) -> Option<Path> {
    names
        .prompt
        .iter()
        .find(|key| has_text(record, key))
        .map(|key| Path::key(key))
}

/// How turns are marked where both texts are whole transcripts.
fn turns(record: &Value, pair: &[String; 2], names: &GuessNames) -> Option<Turns> {
    let begins = |key: &String, marker: &str| {
        record
            .get(key)
            .and_then(Value::as_str)
            .is_some_and(|text| text.trim_start().starts_with(marker))
    };
    let [user, assistant] = names
        .markers
        .iter()
        .find(|[user, _]| pair.iter().all(|key| begins(key, user)))?;
    Some(Turns {
        marker: TurnMarker::LineStart,
        user: user.clone(),
        assistant: assistant.clone(),
    })
}

/// A field that names the better response, in words that leave no doubt in any of the first
/// records.
fn winner(records: &[Value], pair: &[String; 2], names: &GuessNames) -> Option<ByValue> {
    let [a, b] = pair;
    let with =
        |words: &[String], key: &String| words.iter().chain([key]).cloned().collect::<Vec<_>>();
    let (a, b) = (with(&names.first, a), with(&names.second, b));
    let names_a_side = |key: &&String| {
        let said: Vec<_> = records
            .iter()
            .filter_map(|record| record.get(*key))
            .filter(|value| !value.is_null())
            .collect();
        let is_of = |value: &Value, words: &[String]| {
            value
                .as_str()
                .is_some_and(|text| words.iter().any(|word| word == text))
        };
        said.iter()
            .any(|value| is_of(value, &a) || is_of(value, &b))
            && said
                .iter()
                .all(|value| is_of(value, &a) || is_of(value, &b) || is_of(value, &names.tie))
    };
    let key = names.winner.iter().find(names_a_side)?;
    Some(ByValue {
        path: Path::key(key),
        a,
        b,
        tie: Some(names.tie.clone()),
    })
}

/// The keys of the first record, for a message.
pub(super) fn keys(records: &[Value]) -> String {
    let keys: Vec<_> = match records.iter().find_map(Value::as_object) {
        Some(object) => object.keys().take(12).map(String::as_str).collect(),
        None => return "no names (they are lists)".to_owned(),
    };
    if keys.is_empty() {
        "no fields".to_owned()
    } else {
        keys.join(", ")
    }
}

fn is_messages(value: &Value) -> bool {
    let message = |item: &Value| item.get("content").is_some() || item.get("value").is_some();
    value
        .as_array()
        .is_some_and(|list| !list.is_empty() && list.iter().all(message))
}

fn bare(text: Path) -> ResponsePaths {
    ResponsePaths {
        text,
        quotes: None,
        prefix_tokens: None,
        completion_tokens: None,
        ratings: BTreeMap::new(),
    }
}

fn plain(prompt: Option<Path>, responses: Vec<ResponsePaths>, adjacent: bool) -> Definition {
    Definition {
        name: "guessed".to_owned(),
        title: "guessed layout".to_owned(),
        about: String::new(),
        rows: if adjacent {
            RowGrouping::Adjacent
        } else {
            RowGrouping::Inline
        },
        items: None,
        prompt: prompt.map(|path| PromptPaths { path }),
        same: Vec::new(),
        turns: None,
        responses,
        labels: Vec::new(),
        verdict: None,
        facts: Vec::new(),
    }
}

/// Two scores that go by the responses' names, if they are there: they decide the verdict where
/// nothing else does.
fn add_score_pair(definition: &mut Definition, record: &Value, names: &GuessNames) {
    let number = |key: &String| record.get(key).is_some_and(Value::is_number);
    let Some(pair) = names.score_pair.iter().find(|pair| pair.iter().all(number)) else {
        return;
    };
    definition.labels.push(score("score"));
    for (response, key) in definition.responses.iter_mut().zip(pair) {
        response.ratings.insert("score".to_owned(), Path::key(key));
    }
    if definition.verdict.is_none() {
        definition.verdict = Some(
            VerdictRule::ByLabel(ByLabel {
                label: "score".to_owned(),
            })
            .into(),
        );
    }
}

/// One response a row: the numbers whose names say that they rate it, and the first of those names
/// decides.
fn add_ratings(definition: &mut Definition, records: &[Value], names: &GuessNames) {
    for key in &names.rating {
        let numbers: Vec<_> = records
            .iter()
            .filter_map(|record| record.get(key)?.as_f64())
            .collect();
        if numbers.is_empty() {
            continue;
        }
        let whole = numbers.iter().all(|number| number.fract() == 0.0);
        definition.labels.push(Label {
            kind: if whole {
                LabelKind::Label
            } else {
                LabelKind::Score
            },
            ..score(key)
        });
        definition.responses[0]
            .ratings
            .insert(key.clone(), Path::key(key));
    }
    definition.verdict = definition.labels.first().map(|label| {
        VerdictRule::ByLabel(ByLabel {
            label: label.name.clone(),
        })
        .into()
    });
}

fn score(name: &str) -> Label {
    Label {
        name: name.to_owned(),
        kind: LabelKind::Score,
        range: None,
        lenient: true,
        about: String::new(),
        agreement: None,
    }
}

/// Short plain fields that nothing else took.
fn facts(record: &Value, definition: &Definition) -> Vec<FactPath> {
    let taken = |path: &Path| {
        let rated = |response: &ResponsePaths| {
            response.text == *path || response.ratings.values().any(|p| p == path)
        };
        definition
            .prompt
            .as_ref()
            .is_some_and(|prompt| prompt.path == *path)
            || definition.responses.iter().any(rated)
            || matches!(definition.rule(), Some(VerdictRule::ByValue(rule)) if rule.path == *path)
    };
    let short = |value: &Value| match value {
        Value::String(text) => text.len() <= 80,
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    };
    let fields = record.as_object().into_iter().flatten();
    fields
        .filter(|(_, value)| short(value))
        .map(|(key, _)| FactPath {
            name: key.clone(),
            path: Path::key(key),
            about: String::new(),
        })
        .filter(|fact| !taken(&fact.path))
        .take(8)
        .collect()
}
