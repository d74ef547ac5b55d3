//! Numbers of unknown records: which fields have them, also where a table writes them as texts.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::{FieldPair, GuessNames, UntakenField, is_row_name, is_taken};
use crate::schema::definition::Definition;
use crate::schema::path::Path;
use crate::schema::values::{number, says_nothing};
use crate::text;

/// The first records as far as they can have numbers: without their prompts and responses, and with
/// numbers in the place of texts that spell them.
pub(super) struct NumericRecords {
    /// The records.
    pub(super) objects: Vec<Map<String, Value>>,
    /// What the texts of each field are, if it has any that say something.
    texts: BTreeMap<String, FieldTexts>,
}

/// What the texts of a field spell.
#[derive(Default)]
struct FieldTexts {
    numbers: usize,
    others: usize,
    /// How many of the others would be numbers with a point in the place of their comma.
    commas: usize,
    /// The first of these.
    first_comma: String,
}

impl FieldTexts {
    /// One text that is no number may be a slip, but where most are none the field has texts.
    fn are_numbers(&self) -> bool {
        self.numbers > self.others
    }

    fn have_commas(&self) -> bool {
        !self.are_numbers() && self.commas > 0 && self.commas == self.others
    }
}

impl NumericRecords {
    /// The records of a definition, without the fields of its prompt and responses.
    pub(super) fn of_definition(records: &[Value], definition: &Definition) -> Self {
        Self::of(records, &|key| is_taken(definition, &Path::key(key)))
    }

    /// The records without some fields.
    pub(super) fn of(records: &[Value], is_text: &dyn Fn(&str) -> bool) -> Self {
        let objects = records.iter().filter_map(Value::as_object);
        let fields = |object: &Map<String, Value>| -> Map<String, Value> {
            let fields = object.iter().filter(|(key, _)| !is_text(key));
            fields
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        };
        let mut objects: Vec<_> = objects.map(fields).collect();
        let mut texts: BTreeMap<String, FieldTexts> = BTreeMap::new();
        for (key, value) in objects.iter().flatten() {
            let Some(text) = value.as_str().filter(|text| !is_nothing(text)) else {
                continue;
            };
            let field = texts.entry(key.clone()).or_default();
            if spelled(text).is_some() {
                field.numbers += 1;
                continue;
            }
            field.others += 1;
            if text.contains(',') && spelled(&text.replacen(',', ".", 1)).is_some() {
                field.commas += 1;
                if field.first_comma.is_empty() {
                    text.clone_into(&mut field.first_comma);
                }
            }
        }
        for (key, value) in objects.iter_mut().flatten() {
            let is_numeric = texts.get(key).is_some_and(FieldTexts::are_numbers);
            let Some(text) = value.as_str() else {
                continue;
            };
            if is_nothing(text) {
                *value = Value::Null;
            } else if let Some(number) = spelled(text).filter(|_| is_numeric) {
                *value = number;
            }
        }
        Self { objects, texts }
    }

    /// Whether numbers of a field are written as texts.
    pub(super) fn are_texts(&self, key: &str) -> bool {
        self.texts.get(key).is_some_and(FieldTexts::are_numbers)
    }

    /// A field that has the name of a score and numbers with a decimal comma.
    pub(super) fn with_commas(&self, names: &GuessNames) -> Option<UntakenField> {
        let is_score = |key: &str| names.rates(key) || !FieldPair::of(key, names).is_empty();
        let mut fields = self.texts.iter();
        let (key, field) = fields.find(|(key, field)| field.have_commas() && is_score(key))?;
        Some(UntakenField {
            path: text::one_line(&Path::key(key).to_string(), 48),
            value: text::one_line(&field.first_comma, 24),
            is_score: true,
        })
    }

    /// Fields whose numbers are of a response, where a row is one: by their names, or since rows of
    /// one prompt differ in them. In the order of the file.
    pub(super) fn of_responses(
        &self,
        records: &[Value],
        prompt: &Path,
        names: &GuessNames,
    ) -> Vec<String> {
        let prompts = records.iter().filter(|record| record.is_object());
        let prompts: Vec<_> = prompts
            .map(|record| prompt.first_key().and_then(|key| record.get(key)))
            .collect();
        let differs = |key: &str| {
            let pairs = self.objects.windows(2).zip(prompts.windows(2));
            pairs.into_iter().any(|(rows, prompts)| match rows {
                [first, second] => prompts[0] == prompts[1] && first.get(key) != second.get(key),
                _ => false,
            })
        };
        let mut keys: Vec<String> = Vec::new();
        for key in self.objects.iter().flat_map(Map::keys) {
            let is_new = !keys.contains(key) && !is_row_name(key);
            if is_new
                && super::has_numbers(key, &self.objects)
                && (names.rates(key) || differs(key))
            {
                keys.push(key.clone());
            }
        }
        keys
    }
}

fn as_json(text: &str) -> String {
    Value::from(text).to_string()
}

fn is_nothing(text: &str) -> bool {
    says_nothing(&as_json(text))
}

/// The number, or yes or no, that a text spells.
fn spelled(text: &str) -> Option<Value> {
    match text.trim() {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        text => Number::from_f64(number(&as_json(text))?).map(Value::Number),
    }
}
