//! What is doubtful about a guess, computed from the first rows read with it.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::Guess;
use super::names::{Family, WORDS, name_words};
use super::table::SHORTEST;
use crate::schema::Schema;
use crate::schema::path::Path;
use crate::text;

/// Characters that a response has at least.
const LEAST: usize = 3;

/// A role that a guess may have assigned wrongly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// What the rows show.
    pub kind: DoubtKind,
    /// A field that may have the missing role.
    pub path: Option<Path>,
}

/// What the rows show if a guess may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoubtKind {
    /// At least half of the rows have no prompt.
    NoPrompt,
    /// Most samples have equal responses.
    EqualResponses,
    /// Most responses are too short for an answer.
    ShortResponses,
    /// Most responses are a list in a text.
    ListInText,
    /// A text that is named like a response is not one.
    NotShown,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &Path| text::one_line(&path.steps().join("."), 48);
        let path = self.path.as_ref().map(name);
        match (self.kind, path) {
            (DoubtKind::NoPrompt, None) => write!(f, "no prompt found"),
            (DoubtKind::NoPrompt, Some(name)) => write!(f, "no prompt found: try {name}"),
            (DoubtKind::EqualResponses, _) => write!(f, "the responses are equal"),
            (DoubtKind::ShortResponses, _) => write!(f, "the responses are very short"),
            (DoubtKind::ListInText, name) => {
                write!(f, "{} is a list in a text", name.unwrap_or_default())
            }
            (DoubtKind::NotShown, name) => {
                write!(f, "not a response: {}", name.unwrap_or_default())
            }
        }
    }
}

impl Guess {
    /// Returns what is doubtful, as sentences without full stop.
    pub fn doubtful(&self) -> Vec<String> {
        let doubts = self.doubts.iter().map(Doubt::to_string);
        let unused = self.unused_verdict.iter().chain(&self.unused_score);
        doubts
            .chain(unused.map(|field| field.message(true)))
            .collect()
    }
}

impl Schema {
    /// Returns what is doubtful about it, as records read with it show.
    pub fn doubts(&self, records: &[Value]) -> Vec<Doubt> {
        let lines = records
            .iter()
            .map(|it| Cow::Owned(it.to_string().into_bytes()));
        doubts(self, &lines.collect::<Vec<_>>(), records)
    }
}

/// Returns what is doubtful about a guessed schema.
pub(in crate::schema) fn doubts(
    schema: &Schema,
    lines: &[Cow<'_, [u8]>],
    records: &[Value],
) -> Vec<Doubt> {
    let definition = schema.definition();
    let rows = lines.iter().filter_map(|line| schema.row(line).ok());
    let rows: Vec<_> = rows.collect();
    let samples: Vec<_> = rows.iter().filter_map(|row| row.record().ok()).collect();
    let share = |is_it: &dyn Fn(usize) -> bool| {
        (0..samples.len()).filter(|at| is_it(*at)).count() as f64 / samples.len().max(1) as f64
    };
    let texts = |at: usize| {
        samples[at]
            .responses
            .iter()
            .map(|response| response.text.trim())
    };
    let has_no_prompt = |at: usize| {
        samples[at]
            .prompt
            .iter()
            .all(|turn| turn.text.trim().is_empty())
    };
    let are_equal = |at: usize| {
        let mut texts = texts(at);
        let first = texts.next();
        texts.len() > 0 && texts.all(|text| Some(text) == first)
    };
    let are_short = |at: usize| texts(at).all(|text| text.chars().count() < LEAST);
    let are_lists = |at: usize| {
        texts(at).all(|text| {
            text.starts_with(['[', '{']) && serde_json::from_str::<Vec<Value>>(text).is_ok()
        })
    };
    let is_free = |path: &Path| definition.uses().iter().all(|it| it.path != *path);
    let table = super::FieldTable::new(records);
    let sentences = || {
        let fields = table
            .fields
            .iter()
            .filter(|field| field.is_text() && field.is_single());
        fields.filter(|field| field.are_sentences() && field.mean_chars() >= SHORTEST)
    };
    let prompt = || {
        let mut free = sentences().filter(|field| is_free(&field.path));
        free.next().map(|field| field.path.clone())
    };
    let mut found = Vec::new();
    let mut add = |kind, path| found.push(Doubt { kind, path });
    if samples.is_empty() {
        return found;
    }
    if share(&has_no_prompt) >= 0.5 {
        add(DoubtKind::NoPrompt, prompt());
    }
    if share(&are_equal) >= 0.8 {
        add(DoubtKind::EqualResponses, None);
    }
    if share(&are_short) >= 0.8 {
        add(DoubtKind::ShortResponses, None);
    }
    if share(&are_lists) >= 0.5 {
        add(
            DoubtKind::ListInText,
            definition.responses.first().map(|it| it.whole_path()),
        );
    }
    // Next to a response, a text whose name has the same noun is probably another one.
    let keys: Vec<_> = (definition.responses.iter())
        .filter_map(|it| it.whole_path().last_key().map(name_words))
        .collect();
    let noun = |words: &[String]| {
        words
            .iter()
            .rfind(|word| WORDS.response_words.has(word))
            .cloned()
    };
    let nouns: Vec<_> = keys.iter().filter_map(|words| noun(words)).collect();
    let is_response = |path: &Path| {
        definition
            .responses
            .iter()
            .any(|it| it.whole_path() == *path)
    };
    let is_prompt = |path: &Path| {
        definition
            .prompt
            .iter()
            .flat_map(|it| &it.path)
            .any(|it| it == path)
    };
    let families = Family::all(&table);
    // Edited versions of all responses are about them.
    let is_of_each = |path: &Path| {
        let mut families = families.iter().filter(|family| family.set.is_of_places());
        families.any(|family| family.has(path) && family.fields.len() >= definition.responses.len())
    };
    let other = sentences().find(|field| {
        let words = name_words(field.path.last_key().unwrap_or_default());
        let is_meant = noun(&words).is_some_and(|noun| nouns.contains(&noun));
        let lists = [
            &WORDS.reference,
            &WORDS.no_response,
            &WORDS.bare,
            &WORDS.annotator,
        ];
        let is_other = || lists.iter().any(|list| list.any(&words)) && words.len() > 1;
        is_meant
            && !is_response(&field.path)
            && !is_prompt(&field.path)
            && !is_other()
            && words.len() > 1
            && !is_of_each(&field.path)
    });
    // A single response next to numbered texts may be one of several.
    let is_several = |family: &&Family<'_>| {
        let lists = [
            &WORDS.no_response,
            &WORDS.reference,
            &WORDS.prompt,
            &WORDS.context,
        ];
        family.set.is_of_places()
            && family
                .fields
                .iter()
                .all(|field| field.are_sentences() && field.is_single())
            && !lists.iter().any(|list| list.any(&family.stem))
            && !family.fields.iter().any(|field| is_response(&field.path))
    };
    let several = families
        .iter()
        .find(is_several)
        .filter(|_| definition.responses.len() == 1);
    let other = other.or_else(|| several.map(|family| family.fields[0]));
    if let Some(field) = other.filter(|_| !definition.has_response_lists()) {
        add(DoubtKind::NotShown, Some(field.path.clone()));
    }
    found
}
