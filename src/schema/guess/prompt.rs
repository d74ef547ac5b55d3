//! Guesses which field is the prompt.

use std::collections::BTreeMap;

use serde_json::Value;

use super::conversation::are_of_user;
use super::names::{WORDS, is_transcript_name, name_words};
use super::responses::Responses;
use super::survey::{GuessField, Survey};
use crate::schema::layout::definition::ResponsePaths;
use crate::table::Path;

/// Bytes of a response that a prompt may quote.
const QUOTED: usize = 40;

/// Returns the field of the prompt and the reason; `None` if there is none, or conversations
/// contain it. Texts that are the same in all records, or that quote the responses (a judge's
/// prompt), are prompts only if nothing else is.
pub fn prompt<'t>(
    survey: &'t Survey,
    responses: &Responses,
) -> Option<(&'t GuessField, &'static str)> {
    let is_constant = |field: &GuessField| {
        field.has_constant_text()
            && rank(field).is_none_or(|(class, place, _)| class > 0 || place > 5)
    };
    let is_aside = |field: &GuessField| is_constant(field) || quotes(survey, field, responses);
    among(survey, responses, &|field| !is_aside(field))
        .or_else(|| among(survey, responses, &|_| true))
}

/// True if most texts of a field contain a response.
fn quotes(survey: &Survey, field: &GuessField, responses: &Responses) -> bool {
    let paths: Vec<_> = responses
        .paths
        .iter()
        .map(ResponsePaths::whole_path)
        .collect();
    let quotes = |record: &&Value| {
        let text = field
            .path
            .value_in(record)
            .and_then(Value::as_str)
            .unwrap_or_default();
        paths
            .iter()
            .filter_map(|path| path.value_in(record)?.as_str())
            .any(|it| it.len() >= QUOTED && it.len() < text.len() && text.contains(it.trim()))
    };
    survey.iter().filter(quotes).count() * 2 > field.values
}

/// True if most rows share their prompt with others, and those of many prompts are apart.
pub fn are_apart(survey: &Survey, prompt: &[Path]) -> bool {
    let mut rows: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (row, record) in survey.iter().enumerate() {
        let values: Vec<_> = prompt.iter().map(|path| path.value_in(record)).collect();
        rows.entry(format!("{values:?}")).or_default().push(row);
    }
    rows.retain(|_, rows| rows.len() > 1);
    let shared: usize = rows.values().map(Vec::len).sum();
    let is_apart = |rows: &&Vec<usize>| rows[rows.len() - 1] - rows[0] >= rows.len();
    let apart = rows.values().filter(is_apart).count();
    apart > 0 && apart * 4 >= rows.len() && shared * 2 >= survey.len()
}

/// Returns the prompt among some fields.
fn among<'t>(
    survey: &'t Survey,
    responses: &Responses,
    is_considered: &dyn Fn(&GuessField) -> bool,
) -> Option<(&'t GuessField, &'static str)> {
    let is_free = |field: &&GuessField| {
        let is_asked = || WORDS.prompt.has(&field.key());
        let is_exchange = field.is_text_list() && (is_transcript_name(&field.key()) || is_asked());
        (field.is_text() || is_exchange)
            && field.values > 0
            && field.is_single()
            && !responses.has(&field.path)
            && is_considered(field)
    };
    // Next to a sentence, a value like `summarization` is not a prompt; a date is not either.
    let is_word = |field: &GuessField| {
        let mut values = survey.values(&field.path).filter_map(Value::as_str);
        let count = |text: &str, of: fn(&char) -> bool| text.chars().filter(of).count();
        values.all(|it| {
            it.is_ascii()
                && (!it.trim().contains(char::is_whitespace)
                    || count(it, char::is_ascii_digit) > count(it, char::is_ascii_alphabetic))
        })
    };
    let free = || survey.fields().filter(is_free);
    let has_sentences = free().any(|field| !is_word(field) && !is_no_prompt(&field.words));
    let can_be_asked = |class: i32, field: &GuessField| {
        let is_sure = class == 0 && !field.has_word(&WORDS.doubtful_prompt);
        is_sure || !has_sentences || !is_word(field)
    };
    let named = free()
        .filter_map(|field| Some((rank(field)?, field)))
        .filter(|((class, ..), field)| can_be_asked(*class, field));
    // `question_text` comes before `question_group`.
    let named = named.min_by_key(|((class, place, deep), field)| {
        (*class, *place, !field.are_sentences(), *deep)
    });
    let by_name = named.map(|(_, field)| (field, "by its name"));
    if named.is_some_and(|((class, ..), _)| class < 3) {
        return by_name;
    }
    // A conversation begins with its prompt.
    let mut texts = responses
        .paths
        .iter()
        .filter_map(|paths| survey.at(&paths.text))
        .filter(|field| {
            survey
                .values(&field.path)
                .filter_map(Value::as_array)
                .any(|turns| {
                    turns
                        .iter()
                        .any(|turn| are_of_user(std::slice::from_ref(turn)))
                })
        });
    if texts.any(GuessField::has_messages) {
        return None;
    }
    let is_likely = |field: &&GuessField| {
        let mut others = [
            &WORDS.response_words,
            &WORDS.winner,
            &WORDS.system,
            &WORDS.context,
            &WORDS.annotator,
        ]
        .into_iter();
        !is_word(field)
            && (responses.joins_rows || field.distinct_share() > 0.5)
            && !is_no_prompt(&field.words)
            && !others.any(|list| field.has_word(list))
    };
    let mut before = survey.fields();
    let first = before.position(|field| responses.has(&field.path))?;
    // If rows are joined by prompt, a field or the response must be named so, or only one is left.
    let is_sure =
        !responses.joins_rows || responses.is_named || free().any(|it| rank(it).is_some());
    let before = survey.fields[..first]
        .iter()
        .filter(is_free)
        .find(is_likely)
        .filter(|_| is_sure);
    let before = before.map(|field| (field, "the first long text before the responses"));
    let mut others = free().filter(is_likely);
    let only = others.next().filter(|_| others.next().is_none());
    let only = only.map(|field| (field, "the only other text"));
    // Under the name of a response, if nothing else is left.
    let mut rest = free().filter(|field| field.is_long_text() && !is_no_prompt(&field.words));
    let rest = rest
        .next()
        .filter(|_| rest.next().is_none() && !responses.joins_rows)
        .map(|field| (field, "the only other text"));
    before.or(by_name).or(only).or(rest)
}

/// True if words of a name mean something other than a prompt.
fn is_no_prompt(words: &[String]) -> bool {
    WORDS.no_response.any(words) || WORDS.reference.any(words)
}

/// Ranks a field among names of prompts, likeliest first: the class of its name, its place in the list,
/// and its depth.
fn rank(field: &GuessField) -> Option<(i32, usize, usize)> {
    let mut words = field.words.clone();
    words.retain(|word| word != "/");
    let whole = words.join("_");
    let mut parts = [&WORDS.system, &WORDS.history].into_iter();
    if parts.any(|list| list.has(&whole)) && whole != "history" {
        return None;
    }
    let last = field.key();
    let deep = field.path.steps().len();
    if WORDS.sentence_prompt.has(&last) && field.are_sentences() {
        return Some((0, WORDS.prompt.len(), deep));
    }
    if let Some(rank) = WORDS.prompt.place(&last) {
        // Next to a source, the context is background.
        let after = usize::from(WORDS.doubtful_prompt.has(&last)) * (WORDS.prompt.len() + 1);
        return Some((0, rank + after, deep));
    }
    let rank = WORDS.prompt.iter().position(|name| words.contains(name))?;
    words.retain(|word| !WORDS.prompt.has(word));
    // Prefer `question.full_text` to `question.dataset`, and any text to `post_edit`.
    // All that Mechanical Turk shows is `Input.…`.
    let is_doubtful = [&WORDS.doubtful_prompt, &WORDS.input]
        .iter()
        .any(|it| it.contains(&WORDS.prompt[rank]));
    let key = name_words(&last);
    let ends_so = key.last().is_some_and(|it| WORDS.prompt.has(it));
    let class = match WORDS.prompt.any(&key) {
        _ if is_doubtful && !ends_so => 3,
        true => 1,
        false => 2,
    };
    (!is_no_prompt(&words)).then_some((class, rank, deep))
}
