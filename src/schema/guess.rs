//! Unknown records: where the prompt and the responses probably stand, and `--map`, which says so.

mod numbers;
mod winner;

use std::ops::Range;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::definition::{
    Definition, Label, LabelKind, PromptPaths, RatingSource, ResponsePaths, RowGrouping,
    TurnMarker, Turns, VerdictRule,
};
use super::path::Path;
use crate::model::ResponseId;
use crate::text;
use crate::toml_file;

use numbers::NumericRecords;
pub(super) use winner::is_same_word;

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
    /// Keys of numbers that rate a response, the one that decides first.
    rating: Vec<String>,
    /// Ends of keys of such numbers, none of which decides.
    rating_end: Vec<String>,
    /// Words that stand for the first and the second response in names of fields.
    side: Vec<[String; 2]>,
    /// Words that stand for the preferred response and the other one.
    outcome: Vec<[String; 2]>,
    /// Such words that need the name of a rating beside them.
    vague_side: Vec<[String; 2]>,
    vague_outcome: Vec<[String; 2]>,
    /// Words in names of numbers of which the lower one is better.
    lower: Vec<String>,
    /// Words in names of numbers that do not rate.
    measure: Vec<String>,
    /// Keys of a field that names the better response.
    winner: Vec<String>,
    /// Further ones in files without texts.
    winner_alone: Vec<String>,
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
    toml_file::parse(include_str!("../../assets/guess.toml")).ok()
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
    pub untaken_verdict: Option<UntakenField>,
    /// Which field has the name of a score and is not taken for one.
    pub untaken_score: Option<UntakenField>,
    /// Whether rows have scores or a winner and no texts.
    pub is_without_texts: bool,
    /// Whether names of fields tell the preferred response from the other one instead of A from B.
    pub is_by_outcome: bool,
}

/// A field that has the name of a verdict or a score and is not taken for one: its values do not say
/// for sure which response wins, or have a decimal comma, and whether `1,000` is one or a thousand
/// nobody knows.
#[derive(Debug, Clone, PartialEq)]
pub struct UntakenField {
    /// Its path, for people and safe to show.
    pub path: String,
    /// A value that was not understood, likewise: not for a reviewer who is blind.
    pub value: String,
    /// Whether it has the name of a score.
    pub is_score: bool,
}

impl UntakenField {
    /// That it is not taken, and why; with or without its value.
    pub fn told(&self, tells_value: bool) -> String {
        let Self { path, value, .. } = self;
        let (what, why) = match (self.is_score, tells_value) {
            (true, true) => (
                "a score",
                format!(": {value} has no decimal point but a comma"),
            ),
            (true, false) => ("a score", ": it has decimal commas".to_owned()),
            (false, true) => (
                "the verdict",
                format!(": {value} does not say for sure which response wins"),
            ),
            (false, false) => ("the verdict", String::new()),
        };
        format!("{path} is not taken for {what}{why}")
    }
}

/// Guesses from the first records; `None` when they hold nothing that looks like responses.
pub(super) fn definition(records: &[Value]) -> Option<Definition> {
    let names = names()?;
    let guess = |record: &Value| {
        let mut definition =
            pair(record, records, &names).or_else(|| single(record, records, &names))?;

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
            VerdictRule::Fixed {
                always: ResponseId::A,
                margin: None,
            }
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
    definition.guess.get_or_insert_default().untaken_score = add_scores(&mut definition, records);
    add_prompt_parts(&mut definition, records);
    Some(definition)
}

/// One response a row. Rows are paired by their prompt: without one there is nothing to pair by.
fn single(first: &Value, records: &[Value], names: &GuessNames) -> Option<Definition> {
    let response = names.response.iter().find(|key| has_text(first, key))?;
    let prompt = prompt(first, names)?;
    let mut definition = plain(Some(prompt.clone()), vec![bare(Path::key(response))], true);
    let numeric = NumericRecords::of_definition(records, &definition);
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
    let values = records.iter().filter_map(|record| record.get(key));
    let mut values = values.peekable();
    values.peek().is_some()
        && values.all(|value| value.is_string() || value.is_null())
        && !is_taken(definition, &Path::key(key))
}

/// True if a path leads to the prompt or to a response.
fn is_taken(definition: &Definition, path: &Path) -> bool {
    let mut prompt = definition.prompt.iter().flat_map(|prompt| &prompt.path);
    let mut responses = definition.responses.iter();
    prompt.any(|taken| taken == path) || responses.any(|response| response.text == *path)
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
        text,
        ..ResponsePaths::default()
    }
}

fn plain(prompt: Option<Path>, responses: Vec<ResponsePaths>, joins_rows: bool) -> Definition {
    Definition {
        name: "guessed".to_owned(),
        title: "guessed layout".to_owned(),
        rows: if joins_rows {
            RowGrouping::Groups
        } else {
            RowGrouping::Inline
        },
        prompt: prompt.map(|path| PromptPaths {
            path: vec![path],
            ..PromptPaths::default()
        }),
        responses,
        ..Definition::default()
    }
}

/// A label of the responses, by the paths of its values.
fn add_label(definition: &mut Definition, name: &str, are_texts: bool, paths: Vec<Path>) {
    definition.labels.push(score(name, are_texts));
    for (response, path) in definition.responses.iter_mut().zip(paths) {
        let ratings = &mut response.ratings;
        ratings.insert(name.to_owned(), RatingSource::Path(path));
    }
}

/// Two fields with a value for each of two responses.
#[derive(Debug, PartialEq)]
struct FieldPair {
    /// What their names share: `score` of `score_a` and `score_b`.
    stem: String,
    /// The fields, the first response's first.
    keys: [String; 2],
    /// Whether the names tell the better response from the worse one.
    is_by_outcome: bool,
}

impl FieldPair {
    /// The pairs that a field can be the first of, by its name; the likeliest first.
    fn of(key: &str, names: &GuessNames) -> Vec<Self> {
        let mut pairs = Vec::new();
        let is_sign = |sign: char| !sign.is_alphanumeric();
        let tables = [
            (&names.side, false, false),
            (&names.outcome, true, false),
            (&names.vague_side, false, true),
            (&names.vague_outcome, true, true),
        ];
        for word in words(key).into_iter().rev() {
            let (before, found, after) = (&key[..word.start], &key[word.clone()], &key[word.end..]);
            let (start, end) = (before.trim_matches(is_sign), after.trim_matches(is_sign));
            let stem = format!("{start}_{end}").trim_matches('_').to_owned();
            // `logp_1`, but not `annotator1`.
            let is_apart = before.ends_with('_') && after.is_empty();
            let is_rating = stem.is_empty() || names.rates(&stem);
            for (words, is_by_outcome, is_vague) in tables {
                if is_vague && !is_rating && (is_by_outcome || !is_apart) {
                    continue;
                }
                let is_word = |[a, _]: &&[String; 2]| a.eq_ignore_ascii_case(found);
                pairs.extend(words.iter().filter(is_word).map(|[_, b]| Self {
                    stem: stem.clone(),
                    keys: [key.to_owned(), format!("{before}{b}{after}")],
                    is_by_outcome,
                }));
            }
        }
        pairs
    }

    /// The pair whose first field this is, if both are numbers in the records.
    fn of_numbers(key: &str, records: &[Map<String, Value>], names: &GuessNames) -> Option<Self> {
        Self::of(key, names).into_iter().find_map(|mut pair| {
            let [first, second] = &mut pair.keys;
            let mut known = records.iter().flat_map(Map::keys);
            second.clone_from(known.find(|known| known.eq_ignore_ascii_case(second))?);
            // One response can have none in all of the first records.
            let has = |key: &str| has_numbers(key, records);
            let may_have = |key: &str| has(key) || is_null(key, records);
            let are_numbers = has(first) && may_have(second) || has(second) && may_have(first);
            // A slip in a score costs no more than that.
            let is_score = place_in(&names.rating, &pair.stem).is_some();
            let both = |record: &Map<String, Value>| {
                let mut values = [&*first, &*second].into_iter().map(|key| record.get(key));
                values.all(|value| value.is_some_and(Value::is_number))
            };
            (are_numbers || is_score && records.iter().any(both)).then_some(pair)
        })
    }
}

/// The words of a field name: they end at other signs, at digits, and before capitals.
fn words(name: &str) -> Vec<Range<usize>> {
    let kind = |sign: char| match sign {
        _ if sign.is_numeric() => 1,
        _ if sign.is_uppercase() => 2,
        _ => 3 * u8::from(sign.is_alphabetic()),
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut before = 0;
    for (at, sign) in name.char_indices() {
        let (kind, end) = (kind(sign), at + sign.len_utf8());
        let goes_on = kind == before || (before, kind) == (2, 3);
        match words.last_mut().filter(|_| goes_on) {
            _ if kind == 0 => {}
            Some(word) => word.end = end,
            None => words.push(at..end),
        }
        before = kind;
    }
    words
}

/// Adds the numbers that each of two responses has. One that rates decides the verdict where
/// nothing else does, and says by how much one wins where its place does. Returns a score that was
/// not taken.
pub(super) fn add_scores(definition: &mut Definition, records: &[Value]) -> Option<UntakenField> {
    let names = names()?;
    let numeric = NumericRecords::of_definition(records, definition);
    for key in numeric.objects.iter().flat_map(Map::keys) {
        let pair = FieldPair::of_numbers(key, &numeric.objects, &names);
        // Names of rows are numbers too, and rate nothing.
        let pair = pair.filter(|pair| !pair.stem.is_empty() && !is_row_name(&pair.stem));
        let Some(FieldPair { stem, keys, .. }) = pair else {
            continue;
        };
        if definition.labels.iter().all(|label| label.name != stem) {
            let are_texts = keys.iter().any(|key| numeric.are_texts(key));
            let paths = keys.iter().map(|key| Path::key(key)).collect();
            add_label(definition, &stem, are_texts, paths);
        }
    }
    let mut labels: Vec<_> = (definition.labels.iter())
        .filter_map(|label| Some((place_in(&names.rating, &label.name)?, label.name.clone())))
        .collect();
    labels.sort_unstable();
    if let Some((_, label)) = labels.into_iter().next() {
        match definition.verdict.as_mut().map(|verdict| &mut verdict.rule) {
            Some(VerdictRule::Fixed { margin, .. }) => *margin = Some(label),
            Some(_) => {}
            None => {
                let lower = false;
                definition.verdict = Some(VerdictRule::ByLabel { label, lower }.into());
            }
        }
    }
    numeric.with_commas(&names)
}

/// The number that says which response is better, among numbers with these names: its place, and -1
/// where the lower one wins, otherwise 1. `None` where several could.
pub(super) fn deciding_score<'n>(of: impl Iterator<Item = &'n str>) -> Option<(usize, f64)> {
    let names = names()?;
    let has = |name: &str, known: &[String]| {
        let mut words = words(name).into_iter();
        words.any(|word| place_in(known, &name[word]).is_some())
    };
    let rates = of
        .enumerate()
        .filter(|(_, name)| !has(name, &names.measure));
    let rank = |name| place_in(&names.rating, name).unwrap_or(usize::MAX);
    let mut rates: Vec<_> = rates
        .map(|(place, name)| (rank(name), place, name))
        .collect();
    rates.sort_unstable();
    let (rank, place, name) = *rates.first()?;
    let sign = if has(name, &names.lower) { -1.0 } else { 1.0 };
    (rank < usize::MAX || rates.len() == 1).then_some((place, sign))
}

/// The place of a word in a list, in either case and also as a plural.
fn place_in(list: &[String], word: &str) -> Option<usize> {
    let one = word.strip_suffix(['s', 'S']).unwrap_or(word);
    (list.iter()).position(|it| it.eq_ignore_ascii_case(word) || it.eq_ignore_ascii_case(one))
}

/// Whether a field has the name of a rating.
pub fn rates(key: &str) -> bool {
    names().is_some_and(|names| names.rates(key))
}

/// A layout of records without texts: scores of the responses, and who wins; or if `is_winner`, who
/// wins alone. `key` is the field that rows are matched by.
pub(super) fn without_texts(
    records: &[Value],
    key: Option<&Path>,
    is_winner: bool,
) -> Option<Definition> {
    let names = names()?;
    let records: Vec<_> = records.iter().filter_map(flat).collect();
    let numeric = NumericRecords::of(&records, &|_| false);
    let objects = &numeric.objects;
    let is_free = |name: &&String| key != Some(&Path::from(name.as_str())) && !is_row_name(name);
    let fields = || objects.iter().flat_map(Map::keys).filter(is_free);
    let mut definition = plain(None, Vec::new(), false);
    let mut guess = Guess {
        is_without_texts: true,
        ..Guess::default()
    };
    let add = |definition: &mut Definition, name: &str, paths: Vec<Path>| {
        if definition.responses.is_empty() {
            definition.responses = paths.iter().cloned().map(bare).collect();
        }
        let name = name.trim_start_matches('/');
        let name = if name.is_empty() { "score" } else { name };
        let is_new = definition.labels.iter().all(|label| label.name != name);
        // A list has one path.
        if is_new && definition.responses.len() == paths.len() {
            add_label(definition, name, false, paths);
        }
    };
    if !is_winner {
        for name in fields() {
            let pair = FieldPair::of_numbers(name, objects, &names);
            let is_score =
                |pair: &FieldPair| !(is_row_name(&pair.stem) || pair.names_responses(objects));
            if let Some(pair) = pair.filter(is_score) {
                let keys = pair.of_group(objects);
                let paths = keys.iter().map(|key| Path::from(key.as_str()));
                add(&mut definition, &pair.stem, paths.collect());
                guess.is_by_outcome |= pair.is_by_outcome;
            } else if has_lists_of_numbers(name, objects) {
                let each = Path::from(name.as_str()).each_then(&Path::from(""));
                add(&mut definition, name, vec![each]);
            }
        }
    }
    let has_each = !definition.responses.is_empty();
    let labels = || definition.labels.iter().map(|label| &*label.name);
    let has_deciding_score = has_each && deciding_score(labels()).is_some();
    let winner = winner::without_texts(&records, &is_free, &names, has_deciding_score);
    if is_winner {
        let (rule, _) = winner.as_ref()?;
        definition.responses = vec![bare(rule.path.clone()), bare(rule.path.clone())];
    } else if !has_each {
        for name in fields().filter(|name| has_numbers(name, objects)) {
            add(&mut definition, name, vec![Path::from(name.as_str())]);
        }
    }
    let labels = definition.labels.iter().map(|label| &*label.name);
    definition.verdict = match (
        winner.filter(|_| is_winner || has_each),
        deciding_score(labels),
    ) {
        (Some((rule, is_by_outcome)), _) => {
            guess.is_by_outcome |= is_by_outcome;
            Some(VerdictRule::ByValue(rule).into())
        }
        (None, deciding) => deciding.and_then(|(place, sign)| {
            let label = definition.labels.get(place)?.name.clone();
            let lower = sign < 0.0;
            Some(VerdictRule::ByLabel { label, lower }.into())
        }),
    };
    definition.guess = Some(guess);
    (!definition.responses.is_empty()).then_some(definition)
}

/// A record with the fields of its objects as its own, all by their paths: `/id`, `/scores/a`.
fn flat(record: &Value) -> Option<Value> {
    let fields = record.as_object()?.iter().flat_map(|(key, value)| {
        let path = Path::key(key).to_string();
        let inner = value.as_object().into_iter().flatten();
        let inner = inner.map(|(key, value)| (path.clone() + &Path::key(key).to_string(), value));
        let fields: Vec<_> = inner.chain([(path.clone(), value)]).collect();
        fields
            .into_iter()
            .map(|(path, value)| (path, value.clone()))
    });
    Some(Value::Object(fields.collect()))
}

/// Whether a key is that of a number that names a row.
fn is_row_name(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "id", "idx", "index", "row", "sample", "line", "seed", "uid", "pair", "key",
    ];
    let name = name.trim_start_matches('/');
    NAMES.contains(&name) || name.ends_with("_id") || name.ends_with("_index")
}

fn has_lists_of_numbers(name: &str, records: &[Map<String, Value>]) -> bool {
    let values = records.iter().filter_map(|record| record.get(name));
    let mut lists = values.filter(|value| !value.is_null()).peekable();
    let is_number = |value: &Value| value.is_number() || value.is_null();
    let is_list = |value: &Value| {
        let list = value.as_array().filter(|list| list.len() > 1);
        list.is_some_and(|list| list.iter().all(is_number))
    };
    lists.peek().is_some() && lists.all(is_list)
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
        VerdictRule::ByLabel {
            label: label.name.clone(),
            lower: false,
        }
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
        lenient: !are_texts,
        ..Label::default()
    }
}
