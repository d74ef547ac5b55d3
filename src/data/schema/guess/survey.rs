//! The first records of a file, parsed once: the paths of their fields, counts of the kinds of
//! values, and the dataset that they are known to be from.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::slice::Iter;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::names::{NameWords, WORDS, any_of, is_known_name, name_words, path_words};
use crate::schema::ResponsePaths;
use crate::schema::fields::MAX_MEMBERS;
use crate::schema::row::messages::is_exchange;
use crate::schema::row::values::unit;
use crate::schema::row::values::{number, says_nothing};
use crate::table::{NonNumbers, Path};
use crate::toml_file;

/// Characters of the shortest texts that are responses under any name.
pub const SHORTEST: f64 = 12.0;
/// Maximum nesting of objects.
const DEEPEST: usize = 6;
/// Maximum number of list elements to examine.
const MAX_ELEMENTS: usize = 64;

/// The datasets of `assets/datasets.toml`.
pub static DATASETS: LazyLock<Vec<NamedDataset>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Datasets {
        dataset: Vec<NamedDataset>,
    }
    toml_file::parse::<Datasets>(include_str!("../../assets/datasets.toml"))
        .map(|it| it.dataset)
        .unwrap_or_default()
});

/// A dataset that is recognised by its fields.
#[derive(Debug, Deserialize)]
pub struct NamedDataset {
    /// Its name, which files of filters and scripts know.
    pub name: String,
    /// The name to show.
    pub title: String,
    /// Fields that each of its records has, as JSON Pointers without the first slash.
    fields: Vec<String>,
}

/// The first records of a file, with all their fields in order of first appearance.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// The records, in file order.
    pub records: Arc<[Value]>,
    /// Their fields.
    pub fields: Vec<GuessField>,
    places: BTreeMap<Path, usize>,
}

/// The values at one path.
#[derive(Debug, Clone, Default)]
pub struct GuessField {
    /// A step `*` matches the elements of a list.
    pub path: Path,
    pub words: Vec<String>,
    /// Values that are not null.
    pub values: usize,
    /// Strings, including empty ones, but not messages as JSON.
    texts: usize,
    /// Lists of messages, single messages, and objects with such a list.
    messages: usize,
    /// Messages that are JSON inside a string.
    json: usize,
    numbers: usize,
    flags: usize,
    /// Strings that are numbers, and strings that mean a missing value.
    spelled: usize,
    missing: usize,
    /// Strings that would be numbers if their comma were a point, and the first of them.
    commas: usize,
    /// Counts of strings that are a number with a unit, such as `4/5` and `85%`.
    units: BTreeMap<String, usize>,
    pub first_comma: Option<String>,
    /// Strings of several words.
    spaced: usize,
    /// The other short strings.
    non_numbers: NonNumbers,
    text_lists: usize,
    number_lists: usize,
    object_lists: usize,
    /// Characters of all texts and messages.
    chars: usize,
    distinct: HashSet<u64>,
}

impl GuessField {
    fn new(path: Path) -> Self {
        Self {
            words: path_words(&path),
            path,
            ..Self::default()
        }
    }

    /// Returns its path with dots.
    pub fn name(&self) -> String {
        self.path.steps().join(".")
    }

    /// Returns the words of its key.
    pub fn key_words(&self) -> Vec<String> {
        name_words(self.path.last_key().unwrap_or_default())
    }

    /// Returns the words of its key, joined by `_`.
    pub fn key(&self) -> String {
        self.key_words().join("_")
    }

    /// True if its key is in a list.
    pub fn is_named(&self, list: &NameWords) -> bool {
        list.has(&self.key())
    }

    /// True if one of its words is in one of these lists.
    pub fn has_word_of(&self, lists: &[&NameWords]) -> bool {
        any_of(lists, &self.words)
    }

    /// True if one of its words is in a list.
    pub fn has_word(&self, list: &NameWords) -> bool {
        list.any(&self.words)
    }

    /// True if a record has at most one value of it.
    pub fn is_single(&self) -> bool {
        !self.path.is_of_each()
    }

    /// True if it is a member of the elements of a list.
    pub fn is_member_of(&self, list: &Path) -> bool {
        let around = self.path.steps().split_last().map(|(_, around)| around);
        around == Some(list.then("*").steps())
    }

    /// True if most values are texts or messages.
    pub fn is_text(&self) -> bool {
        (self.texts + self.messages) * 2 > self.values
    }

    /// True if most values are lists of messages, possibly inside strings.
    pub fn has_messages(&self) -> bool {
        self.messages * 2 > self.values
    }

    /// True if its values can be shown as texts: some are texts or numbers, none is a list.
    pub fn is_shown_as_text(&self) -> bool {
        let lists = self.text_lists + self.number_lists + self.object_lists;
        lists == 0 && self.texts + self.numbers + self.flags > 0
    }

    /// True if most messages are inside strings.
    pub fn is_json(&self) -> bool {
        self.json * 2 > self.values
    }

    pub fn is_text_list(&self) -> bool {
        self.text_lists * 2 > self.values
    }

    pub fn is_number_list(&self) -> bool {
        self.number_lists * 2 > self.values
    }

    pub fn is_object_list(&self) -> bool {
        self.object_lists * 2 > self.values
    }

    /// True if most texts are numbers.
    fn are_spelled(&self) -> bool {
        self.spelled > 0 && self.spelled * 2 > self.texts - self.missing
    }

    /// Returns the unit of its numbers; empty if they have none.
    pub fn unit(&self) -> &str {
        let all = self.values - self.missing;
        let unit = self
            .units
            .iter()
            .find(|(_, count)| self.non_numbers.are_few(**count, all));
        unit.map_or("", |(unit, _)| unit)
    }

    /// Returns the unit of numbers in strings; `None` if numbers are not in strings.
    pub fn spelling(&self) -> Option<&str> {
        (self.are_spelled() || !self.unit().is_empty()).then(|| self.unit())
    }

    /// Counts values that are numbers or flags.
    fn all_numbers(&self) -> usize {
        let spelled = match self.unit() {
            "" if self.are_spelled() => self.spelled,
            "" => 0,
            unit => self.units[unit],
        };
        self.numbers + self.flags + spelled
    }

    /// True if its values are numbers or flags, except a few that count as missing.
    pub fn is_number(&self) -> bool {
        let numbers = self.all_numbers();
        let values = self.values - self.missing;
        numbers > 0 && (numbers == values || self.non_numbers.are_few(numbers, values))
    }

    /// True if most of its values are numbers.
    pub fn is_mostly_number(&self) -> bool {
        let numbers = self.all_numbers();
        numbers > 0 && numbers * 2 > self.values - self.missing
    }

    pub fn is_empty(&self) -> bool {
        self.values == self.missing
    }

    /// True if any value is a number rather than a flag.
    pub fn has_ranks(&self) -> bool {
        self.numbers + self.spelled > 0 || !self.unit().is_empty()
    }

    /// True if its numbers have a decimal comma.
    pub fn has_commas(&self) -> bool {
        !self.are_spelled()
            && self.commas > 0
            && self.commas + self.spelled + self.missing == self.texts
    }

    /// True if it has short texts or numbers, or only nulls.
    pub fn is_short(&self) -> bool {
        self.texts + self.numbers + self.flags + usize::from(self.values == 0) > 0
            && self.mean_chars() <= 80.0
    }

    /// True if its texts are as long as responses.
    pub fn is_long_text(&self) -> bool {
        self.is_text() && self.mean_chars() > 40.0
    }

    /// True if its texts are sentences rather than names.
    pub fn are_sentences(&self) -> bool {
        self.has_messages() || self.spaced * 2 > self.values && self.mean_chars() >= SHORTEST
    }

    /// Returns the mean length of its texts in characters.
    pub fn mean_chars(&self) -> f64 {
        self.chars as f64 / (self.texts + self.messages).max(1) as f64
    }

    /// Returns the share of distinct texts, messages and lists of texts among all values, 0 to 1.
    pub fn distinct_share(&self) -> f64 {
        self.distinct.len() as f64 / self.values.max(1) as f64
    }

    /// True if several records have the same text.
    pub fn has_constant_text(&self) -> bool {
        self.values > 4 && self.texts == self.values && self.distinct.len() == 1
    }

    fn add(&mut self, value: &Value, are_responses: bool) {
        if value.is_null() {
            return;
        }
        self.values += 1;
        match value {
            Value::Null => {}
            Value::Bool(_) => self.flags += 1,
            Value::Number(_) => self.numbers += 1,
            Value::String(text) => {
                self.add_hash_of(text);
                self.add_text(text);
            }
            Value::Array(_) if are_responses => self.object_lists += 1,
            Value::Array(_) | Value::Object(_) if is_messages(value) => {
                let text = value.to_string();
                self.add_hash_of(&text);
                self.messages += 1;
                self.chars += text.len();
            }
            Value::Array(list) => {
                let all = |is: &dyn Fn(&Value) -> bool| !list.is_empty() && list.iter().all(is);
                let has_fields =
                    |it: &Value| it.as_object().is_some_and(|it| it.contains_key("messages"));
                if all(&|it| it.is_string() || it.is_null() || is_messages(it) && !has_fields(it)) {
                    self.add_hash_of(list);
                    self.text_lists += 1;
                    let chars = list.iter().map(|it| it.as_str().map_or(40, str::len));
                    self.chars += chars.sum::<usize>() / list.len();
                } else if all(&|it| it.is_number() || it.is_null()) {
                    self.number_lists += 1;
                } else if all(&Value::is_object) {
                    self.object_lists += 1;
                }
            }
            Value::Object(_) => {}
        }
    }

    fn add_hash_of(&mut self, value: &(impl Hash + ?Sized)) {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        self.distinct.insert(hasher.finish());
    }

    fn add_text(&mut self, text: &str) {
        let trimmed = text.trim_start();
        if trimmed.starts_with(['[', '{'])
            && serde_json::from_str(trimmed).is_ok_and(|value: Value| is_messages(&value))
        {
            self.messages += 1;
            self.json += 1;
            self.chars += text.len();
            return;
        }
        self.texts += 1;
        self.spaced += usize::from(text.trim().contains(char::is_whitespace));
        self.chars += text.chars().count();
        if is_nothing(text) {
            self.missing += 1;
        } else if is_spelled_number(text) {
            self.spelled += 1;
        } else if let Some((number, unit)) = unit(text.trim())
            && is_spelled_number(number.trim_end())
        {
            *self.units.entry(unit.to_owned()).or_default() += 1;
        } else if text.contains(',') && is_spelled_number(&text.replacen(',', ".", 1)) {
            self.commas += 1;
            self.first_comma.get_or_insert_with(|| text.to_owned());
        } else {
            self.non_numbers.add(text);
        }
    }
}

impl Deref for Survey {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.records
    }
}

impl<T: Into<Arc<[Value]>>> From<T> for Survey {
    fn from(records: T) -> Self {
        let records = records.into();
        let mut survey = Self {
            records: Arc::clone(&records),
            fields: Vec::new(),
            places: BTreeMap::new(),
        };
        for record in records.iter().filter(|record| record.is_object()) {
            survey.walk(&Path::default(), record, 0);
        }
        survey
    }
}

impl Survey {
    /// Returns the dataset of the first record.
    pub fn dataset(&self) -> Option<&'static NamedDataset> {
        let record = self.first()?;
        let has = |field: &String| record.pointer(&format!("/{field}")).is_some();
        DATASETS
            .iter()
            .filter(|it| it.fields.iter().all(has))
            .max_by_key(|it| it.fields.len())
    }

    /// Iterates over the fields.
    pub fn fields(&self) -> Iter<'_, GuessField> {
        self.fields.iter()
    }

    fn walk(&mut self, path: &Path, value: &Value, depth: usize) {
        match value {
            Value::Object(object) if depth == 0 || !is_messages(value) => {
                if depth > 0 {
                    self.add(path, value);
                }
                self.walk_members(path, object, depth);
            }
            Value::Array(list)
                if list.iter().any(Value::is_object)
                    && (!is_messages(value) || are_responses(path, list)) =>
            {
                self.add(path, value);
                for element in list.iter().take(MAX_ELEMENTS).filter(|_| depth < DEEPEST) {
                    if let Some(object) = element.as_object() {
                        self.walk_members(&path.then("*"), object, depth);
                    }
                }
            }
            value => self.add(path, value),
        }
    }

    /// Adds the members of an object. Of a very large one, only those with a known word in their
    /// names: every rule looks at each field, and such keys are data rather than names.
    fn walk_members(&mut self, path: &Path, object: &Map<String, Value>, depth: usize) {
        let is_examined = |key: &str| object.len() <= MAX_MEMBERS || is_known_name(key);
        let members = object
            .iter()
            .filter(|(key, _)| depth < DEEPEST && is_examined(key));
        for (key, value) in members.take(MAX_MEMBERS) {
            self.walk(&path.then(key), value, depth + 1);
        }
    }

    fn add(&mut self, path: &Path, value: &Value) {
        let place = match self.places.get(path) {
            Some(place) => *place,
            None => {
                let place = self.fields.len();
                self.places.insert(path.clone(), place);
                self.fields.push(GuessField::new(path.clone()));
                place
            }
        };
        let are_responses = value
            .as_array()
            .is_some_and(|list| are_responses(path, list));
        self.fields[place].add(value, are_responses);
    }

    /// Returns this survey without these fields; their values remain available.
    pub fn without(&self, paths: &[&Path]) -> Self {
        let mut rest = self.clone();
        rest.fields.retain(|field| !paths.contains(&&field.path));
        let paths = rest.fields().map(|field| field.path.clone());
        rest.places = paths.zip(0..).collect();
        rest
    }

    /// Returns the field at a path.
    pub fn at(&self, path: &Path) -> Option<&GuessField> {
        Some(&self.fields[*self.places.get(path)?])
    }

    /// Returns all values at a path, several for a record if it has a `*`.
    pub fn all_values<'t>(&'t self, path: &'t Path) -> impl Iterator<Item = &'t Value> {
        let of_record = |record| path.all_in(record);
        self.iter().filter_map(of_record).flatten().flatten()
    }

    /// Returns the lists at a path without `*`.
    pub fn lists<'t>(&'t self, path: &'t Path) -> impl Iterator<Item = &'t Vec<Value>> {
        self.values(path).filter_map(Value::as_array)
    }

    /// Returns the lengths of the lists at a path without `*`.
    pub fn lengths(&self, path: &Path) -> Vec<usize> {
        self.lists(path).map(Vec::len).collect()
    }

    /// Returns the values at a path without `*`, one for each record that has it.
    pub fn values<'t>(&'t self, path: &'t Path) -> impl Iterator<Item = &'t Value> {
        self.iter().filter_map(|record| path.value_in(record))
    }

    /// Returns the length of the longest list of responses; `None` if there is no list.
    pub fn longest_list(&self, responses: &[ResponsePaths]) -> Option<usize> {
        responses
            .iter()
            .map(ResponsePaths::whole_path)
            .filter_map(|path| path.list().map(Path::of_steps))
            .filter_map(|list| self.lengths(&list).into_iter().max())
            .max()
    }
}

/// True if a list has responses with a message each (such as `choices` of chat completions), not
/// turns.
fn are_responses(path: &Path, list: &[Value]) -> bool {
    let is_named = |key: &str| {
        let name = name_words(key).pop().unwrap_or_default();
        name == "choices" || WORDS.response_words.has(&name) && !WORDS.transcript.has(&name)
    };
    path.last_key().is_some_and(is_named)
        && !list.is_empty()
        && list.iter().all(|element| {
            // Of alternatives, all are the model's.
            let is_reply = || {
                let role = |message: &Value| Some(message.get("role")?.as_str()?.to_owned());
                role(element).is_some_and(|it| it == "assistant") && list.len() > 1
            };
            let is_content = |it: &Map<String, Value>| it.len() == 1 && it.contains_key("content");
            element.get("message").is_some_and(Value::is_object)
                || element.as_object().is_some_and(is_content)
                || is_reply()
        })
}

/// True if a value is a list of messages, one message, or an object or list around messages.
pub fn is_messages(value: &Value) -> bool {
    let is_message = |item: &Value| {
        let has = |key| item.get(key).is_some();
        let speaks = ["role", "from", "speaker", "author"].into_iter().any(has);
        let said = ["content", "value", "parts", "tool_calls", "text"];
        speaks && said.into_iter().any(has)
            || (has("content") && item.as_object().is_some_and(|it| it.len() == 1))
            || item.get("message").is_some_and(is_messages)
    };
    let asks_and_answers = |item: &Map<String, Value>| {
        let texts = item.iter().filter(|(_, said)| said.is_string());
        is_exchange(texts.map(|(key, _)| &**key))
    };
    let is_turn = |item: &Value| is_message(item) || item.as_object().is_some_and(asks_and_answers);
    match value {
        Value::Array(list) => !list.is_empty() && list.iter().all(is_turn),
        Value::Object(object) => {
            let list = object.get("messages").filter(|it| it.is_array());
            is_message(value) && !object.contains_key("message") || list.is_some_and(is_messages)
        }
        _ => false,
    }
}

/// Returns who speaks in a message.
pub fn speaker(message: &Value) -> Option<&str> {
    ["role", "from", "speaker"]
        .into_iter()
        .find_map(|key| message.get(key)?.as_str())
}

fn as_json(text: &str) -> String {
    Value::from(text).to_string()
}

/// True if a text means a missing value.
pub fn is_nothing(text: &str) -> bool {
    says_nothing(&as_json(text))
}

/// True if a text is a number or a flag.
fn is_spelled_number(text: &str) -> bool {
    number(&as_json(text)).is_some_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_keys_those_with_a_known_word_are_examined() {
        for (more, examined) in [(9_000_usize, 9_004), (20_000, 4)] {
            let mut record = Map::new();
            for key in ["prompt", "response_a", "replies", "b"] {
                record.insert(key.to_owned(), "text".into());
            }
            // Words of lists do not make names of all these.
            let name = |at: usize| format!("{}{}", ["k", "key_", "qx"][at % 3], at + 101);
            record.extend((0..more).map(|at| (name(at), at.into())));
            let records = [Value::Object(record)];
            assert_eq!(Survey::from(records).fields.len(), examined);
        }
    }
}
