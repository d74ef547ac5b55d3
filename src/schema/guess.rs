//! Unknown records: where the prompt and the responses probably stand, and `--map`, which says so.

mod numbers;
mod winner;

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::definition::{
    ByLabel, Definition, FactPath, Fixed, Label, LabelKind, PromptPaths, RatingSource,
    ResponsePaths, RowGrouping, TurnMarker, Turns, VerdictRule,
};
use super::path::Path;
use crate::model::ResponseId;
use crate::text;

use numbers::NumericRecords;

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
    /// Ends of keys of such numbers, none of which decides.
    rating_end: Vec<String>,
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

impl GuessNames {
    /// Whether a key is that of a number that rates a response.
    fn rates(&self, key: &str) -> bool {
        self.rating.iter().any(|known| known == key)
            || self.rating_end.iter().any(|end| key.ends_with(&**end))
    }
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

/// What is to be known of a guess beside what it takes for what.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guess {
    /// Which field has the name of a verdict and is not taken for it.
    pub untaken_verdict: Option<UntakenVerdict>,
    /// Which field has the name of a score and is not taken for one.
    pub untaken_score: Option<UntakenScore>,
}

/// A field that has the name of a score, and numbers with a decimal comma: whether `1,000` is one or
/// a thousand nobody knows.
#[derive(Debug, Clone, PartialEq)]
pub struct UntakenScore {
    /// Its path, for people and safe to show.
    pub path: String,
    /// Its first value with a comma, likewise: not for a reviewer who is blind.
    pub value: String,
}

impl std::fmt::Display for UntakenScore {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, value } = self;
        write!(
            out,
            "{path} is not taken for a score: {value} has no decimal point but a comma"
        )
    }
}

/// A field that has the name of a verdict, and does not say for sure which response wins.
#[derive(Debug, Clone, PartialEq)]
pub struct UntakenVerdict {
    /// Its path, for people and safe to show.
    pub path: String,
    /// A value that was not understood, likewise: not for a reviewer who is blind.
    pub value: String,
}

impl std::fmt::Display for UntakenVerdict {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, value } = self;
        write!(
            out,
            "{path} is not taken for the verdict: {value} does not say for sure which response wins"
        )
    }
}

/// Guesses from the first records; `None` when they hold nothing that looks like responses.
pub(super) fn definition(records: &[Value]) -> Option<Definition> {
    let names = names()?;
    let guess = |record: &Value| {
        let mut definition =
            pair(record, records, &names).or_else(|| single(record, records, &names))?;
        definition.facts = facts(record, &definition);
        definition.title = title(&definition);
        definition.guess.get_or_insert_default();
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
                margin: None,
            })
            .into(),
        ),
        None => match winner::winner(records, pair, names) {
            Ok(rule) => Some(VerdictRule::ByValue(rule).into()),
            Err(untaken_verdict) => {
                definition.guess.get_or_insert_default().untaken_verdict = untaken_verdict;
                None
            }
        },
    };
    let numeric = NumericRecords::of(records, &definition);
    add_score_pair(&mut definition, &numeric, names);
    add_numeric_pairs(&mut definition, &numeric);
    definition.guess.get_or_insert_default().untaken_score = numeric.with_commas(names);
    add_prompt_parts(&mut definition, records);
    Some(definition)
}

/// One response a row. Rows are paired by their prompt: without one there is nothing to pair by.
fn single(first: &Value, records: &[Value], names: &GuessNames) -> Option<Definition> {
    let response = names.response.iter().find(|key| has_text(first, key))?;
    let prompt = prompt(first, names)?;
    let mut definition = plain(Some(prompt.clone()), vec![bare(Path::key(response))], true);
    let numeric = NumericRecords::of(records, &definition);
    add_ratings(&mut definition, &numeric, names);
    for key in numeric.of_responses(records, &prompt, names) {
        add_rating(&mut definition, &numeric, &key);
    }
    definition.guess.get_or_insert_default().untaken_score = numeric.with_commas(names);
    add_prompt_parts(&mut definition, records);
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

/// Adds the input of an instruction and the system's text to the prompt. A file may leave them empty
/// in more rows than a guess reads, so an empty text or null counts too.
fn add_prompt_parts(definition: &mut Definition, records: &[Value]) {
    let is_free = |key: &&str| is_free_text(definition, records, key);
    let input = ["input"].into_iter().find(is_free);
    let system = ["system", "system_prompt"].into_iter().find(is_free);
    if let Some(prompt) = &mut definition.prompt {
        let is_instruction = prompt.path == [Path::key("instruction")];
        let input = input.filter(|_| is_instruction);
        prompt.path.extend(input.map(Path::key));
        prompt.system = system.map(Path::key);
    }
}

/// Returns whether a key that is neither the prompt nor a response has only texts and nulls.
fn is_free_text(definition: &Definition, records: &[Value], key: &str) -> bool {
    let mut values = records
        .iter()
        .filter_map(|record| record.get(key))
        .peekable();
    let path = Path::key(key);
    let mut prompt = definition.prompt.iter().flat_map(|prompt| &prompt.path);
    let mut responses = definition.responses.iter();
    values.peek().is_some()
        && values.all(|value| value.is_string() || value.is_null())
        && prompt.all(|taken| *taken != path)
        && responses.all(|response| response.text != path)
}

/// What was taken for what, for the header.
fn title(definition: &Definition) -> String {
    let prompt = definition.prompt.iter().flat_map(|prompt| &prompt.path);
    let responses = definition.responses.iter().map(|response| &response.text);
    let names = |paths: Vec<String>| paths.join(" ").replace('/', "");
    let prompt = names(prompt.map(Path::to_string).collect());
    let responses = names(responses.map(Path::to_string).collect());
    let of = if prompt.is_empty() { "" } else { ": " };
    text::one_line(&format!("guess {prompt}{of}{responses}"), 48)
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

/// A `--map` for records that could not be guessed, of the texts that they have: the longest two are
/// the likeliest responses, and what stands before them the likeliest prompt. An example of paths where
/// they have too few.
pub(super) fn proposed_map(records: &[Value]) -> String {
    let Some(object) = records.iter().find_map(Value::as_object) else {
        return "--map prompt=PATH,a=PATH,b=PATH".to_owned();
    };
    let is_text = |value: &Value| value.is_string() || is_messages(value);
    let is_plain = |key: &str| {
        key.chars()
            .all(|sign| sign.is_alphanumeric() || sign == '_')
    };
    let texts = object
        .iter()
        .filter(|(key, value)| is_text(value) && is_plain(key));
    let mut texts: Vec<(usize, &str, usize)> = texts
        .enumerate()
        .map(|(place, (key, value))| (place, key.as_str(), value.to_string().len()))
        .collect();
    texts.sort_by_key(|&(_, _, length)| std::cmp::Reverse(length));
    texts.truncate(3);
    texts.sort_by_key(|&(place, ..)| place);
    match texts.as_slice() {
        [(_, prompt, _), (_, a, _), (_, b, _)] => format!("--map prompt={prompt},a={a},b={b}"),
        [(_, prompt, _), (_, a, _)] => format!("--map prompt={prompt},a={a}"),
        _ => "--map prompt=PATH,a=PATH,b=PATH".to_owned(),
    }
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
        each: None,
        text,
        json: false,
        quotes: None,
        prefix_tokens: None,
        completion_tokens: None,
        ratings: BTreeMap::new(),
        texts: BTreeMap::new(),
    }
}

fn plain(prompt: Option<Path>, responses: Vec<ResponsePaths>, joins_rows: bool) -> Definition {
    Definition {
        name: "guessed".to_owned(),
        title: "guessed layout".to_owned(),
        about: String::new(),
        rows: if joins_rows {
            RowGrouping::Groups
        } else {
            RowGrouping::Inline
        },
        items: None,
        prompt: prompt.map(|path| PromptPaths {
            path: vec![path],
            system: None,
            json: false,
        }),
        group: Vec::new(),
        same: Vec::new(),
        turns: None,
        responses,
        labels: Vec::new(),
        verdict: None,
        needs: Vec::new(),
        facts: Vec::new(),
        texts: Vec::new(),
        votes: Vec::new(),
        guess: None,
    }
}

/// Two scores that go by the responses' names, if any record has them: they decide the verdict where
/// nothing else does, and say by how much one wins where its place does.
fn add_score_pair(definition: &mut Definition, numeric: &NumericRecords, names: &GuessNames) {
    let has_numbers = |pair: &&[String; 2]| {
        let both = |record: &Map<String, Value>| {
            let mut values = pair.iter().map(|key| record.get(key));
            values.all(|value| value.is_some_and(Value::is_number))
        };
        numeric.objects.iter().any(both)
    };
    let Some(pair) = names.score_pair.iter().find(has_numbers) else {
        return;
    };
    add_label_pair(definition, numeric, "score", pair);
    if let Some(VerdictRule::Fixed(rule)) = definition.verdict.as_mut().map(|it| &mut it.rule) {
        rule.margin = Some("score".to_owned());
    }
    if definition.verdict.is_none() {
        definition.verdict = Some(
            VerdictRule::ByLabel(ByLabel {
                label: "score".to_owned(),
                lower: false,
            })
            .into(),
        );
    }
}

/// A label of both responses, by the keys of its values.
fn add_label_pair(
    definition: &mut Definition,
    numeric: &NumericRecords,
    name: &str,
    pair: &[String; 2],
) {
    let are_texts = pair.iter().any(|key| numeric.are_texts(key));
    definition.labels.push(score(name, are_texts));
    for (response, key) in definition.responses.iter_mut().zip(pair) {
        let source = RatingSource::Path(Path::key(key));
        response.ratings.insert(name.to_owned(), source);
    }
}

/// Ends of keys that say of which of two responses a value is.
const ENDS: [[&str; 2]; 5] = [
    ["_a", "_b"],
    ["_A", "_B"],
    ["_0", "_1"],
    ["_1", "_2"],
    ["_chosen", "_rejected"],
];

/// Beginnings of keys that say so.
const BEGINNINGS: [[&str; 2]; 1] = [["chosen_", "rejected_"]];

/// Whether a key may be that of a value of one of two responses.
fn has_end_of_pair(key: &str) -> bool {
    ENDS.iter().flatten().any(|end| key.ends_with(end))
        || (BEGINNINGS.iter().flatten()).any(|beginning| key.starts_with(beginning))
}

/// Whatever else is a number for each of two responses, by the ends of its keys.
fn add_numeric_pairs(definition: &mut Definition, numeric: &NumericRecords) {
    for key in numeric.objects.iter().flat_map(Map::keys) {
        let Some((name, pair)) = numeric_pair(key, &numeric.objects) else {
            continue;
        };
        // Names of rows are numbers too, and rate nothing.
        let is_name = name.is_empty() || name == "id" || name.ends_with("_id");
        let path = RatingSource::Path(Path::key(key));
        let mut taken = definition
            .responses
            .iter()
            .flat_map(|it| it.ratings.values());
        let is_known = definition.labels.iter().any(|label| label.name == name);
        if !is_name && !is_known && !taken.any(|it| *it == path) {
            add_label_pair(definition, numeric, name, &pair);
        }
    }
}

/// The two keys of a number that each of two responses has, by their ends, with what both begin
/// with; `key` is the first response's.
pub(super) fn numeric_pair<'k>(
    key: &'k str,
    records: &[Map<String, Value>],
) -> Option<(&'k str, [String; 2])> {
    let by_end = ENDS.iter().filter_map(|[a, b]| {
        let name = key.strip_suffix(a)?;
        Some((name, [key.to_owned(), format!("{name}{b}")]))
    });
    let by_beginning = BEGINNINGS.iter().filter_map(|[a, b]| {
        let name = key.strip_prefix(a)?;
        Some((name, [key.to_owned(), format!("{b}{name}")]))
    });
    let mut pairs = by_end.chain(by_beginning);
    pairs.find(|(_, pair)| {
        // One response can have none in all of the first records.
        let is_there = |key: &String| records.iter().any(|record| record.contains_key(key));
        let is_number = |key: &String| has_numbers(key, records) || is_null(key, records);
        pair.iter().all(|key| is_there(key) && is_number(key))
            && pair.iter().any(|key| has_numbers(key, records))
    })
}

fn is_null(key: &str, records: &[Map<String, Value>]) -> bool {
    let mut values = records.iter().filter_map(|record| record.get(key));
    values.all(Value::is_null)
}

/// Whether a key has a number in any of the records, and nothing else in the others.
pub(super) fn has_numbers(key: &str, records: &[Map<String, Value>]) -> bool {
    let values = records.iter().filter_map(|record| record.get(key));
    let mut values = values.filter(|value| !value.is_null()).peekable();
    values.peek().is_some() && values.all(|value| value.is_number() || value.is_boolean())
}

/// One response a row: the numbers whose names say that they rate it, and the first of those names
/// decides.
fn add_ratings(definition: &mut Definition, numeric: &NumericRecords, names: &GuessNames) {
    for key in &names.rating {
        // Yes and no are no ranks to win by.
        let mut values = numeric.objects.iter().filter_map(|record| record.get(key));
        if values.any(Value::is_number) {
            add_rating(definition, numeric, key);
        }
    }
    definition.verdict = definition.labels.first().map(|label| {
        VerdictRule::ByLabel(ByLabel {
            label: label.name.clone(),
            lower: false,
        })
        .into()
    });
}

/// A label of the one response of a row, if any of the records has a number for it and it is none yet.
fn add_rating(definition: &mut Definition, numeric: &NumericRecords, key: &str) {
    let values = numeric.objects.iter().filter_map(|record| record.get(key));
    let values = values.filter(|value| value.is_number() || value.is_boolean());
    let mut values = values.peekable();
    let is_known = definition.labels.iter().any(|label| label.name == key);
    if is_known || values.peek().is_none() {
        return;
    }
    let are_texts = numeric.are_texts(key);
    let whole = values.all(|value| value.as_f64().is_none_or(|number| number.fract() == 0.0));
    definition.labels.push(Label {
        // A whole one is asked for where the label is not lenient: the first rows promise none.
        kind: if whole && !are_texts {
            LabelKind::Label
        } else {
            LabelKind::Score
        },
        ..score(key, are_texts)
    });
    if let Some(response) = definition.responses.first_mut() {
        let source = RatingSource::Path(Path::key(key));
        response.ratings.insert(key.to_owned(), source);
    }
}

/// A score; where texts spell it, one that is no number is told, as `1,5` is none.
fn score(name: &str, are_texts: bool) -> Label {
    Label {
        name: name.to_owned(),
        kind: LabelKind::Score,
        range: None,
        lenient: !are_texts,
        reduce: None,
        about: String::new(),
        agreement: None,
    }
}

/// Short plain fields that nothing else took.
fn facts(record: &Value, definition: &Definition) -> Vec<FactPath> {
    let taken = |path: &Path| {
        let rated = |response: &ResponsePaths| {
            let is_taken = |source: &RatingSource| *source == RatingSource::Path(path.clone());
            response.text == *path || response.ratings.values().any(is_taken)
        };
        definition.prompt.as_ref().is_some_and(|prompt| {
            prompt.path.contains(path) || prompt.system.as_ref() == Some(path)
        }) || definition.responses.iter().any(rated)
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
