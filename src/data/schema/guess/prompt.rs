//! Guesses which field is the prompt, and which responses are turns of conversations or steps of an
//! agent.

use std::collections::BTreeMap;

use serde_json::Value;

use super::names::{WORDS, WordSet, any_of, is_transcript_name, name_words, outcome};
use super::responses::{Responses, response, whole_paths};
use super::survey::{GuessField, Survey, speaker};
use crate::model::Role;
use crate::schema::layout::definition::{ResponsePaths, TurnMarker, Turns};
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
    let paths = whole_paths(&responses.paths);
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
        let is_asked = || field.is_named(&WORDS.prompt);
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
            survey.lists(&field.path).any(|turns| {
                turns
                    .iter()
                    .any(|turn| are_of_user(std::slice::from_ref(turn)))
            })
        });
    if texts.any(GuessField::has_messages) {
        return None;
    }
    let is_likely = |field: &&GuessField| {
        let others = [
            &WORDS.response_words,
            &WORDS.winner,
            &WORDS.system,
            &WORDS.context,
            &WORDS.annotator,
        ];
        !is_word(field)
            && (responses.joins_rows || field.distinct_share() > 0.5)
            && !is_no_prompt(&field.words)
            && !field.has_word_of(&others)
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
    any_of(&[&WORDS.no_response, &WORDS.reference], words)
}

/// Ranks a field among names of prompts, likeliest first: the class of its name, its place in the list,
/// and its depth.
fn rank(field: &GuessField) -> Option<(i32, usize, usize)> {
    let mut words = field.words.clone();
    words.retain(|word| word != "/");
    let whole = words.join("_");
    if WORDS.system.has(&whole) || WORDS.history.has(&whole) && whole != "history" {
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
    let name = &WORDS.prompt[rank];
    words.retain(|word| !WORDS.prompt.has(word));
    // Prefer `question.full_text` to `question.dataset`, and any text to `post_edit`.
    // All that Mechanical Turk shows is `Input.…`.
    let is_doubtful = WORDS.doubtful_prompt.contains(name) || WORDS.input.contains(name);
    let key = field.key_words();
    let ends_so = key.last().is_some_and(|it| WORDS.prompt.has(it));
    let class = match WORDS.prompt.any(&key) {
        _ if is_doubtful && !ends_so => 3,
        true => 1,
        false => 2,
    };
    (!is_no_prompt(&words)).then_some((class, rank, deep))
}

impl Responses {
    /// Candidates: two conversations that begin alike and end differently, under any names.
    pub fn transcripts(survey: &Survey) -> Option<Self> {
        let is_it = |field: &&GuessField| field.has_messages() && field.is_single();
        let fields: Vec<_> = survey.fields().filter(is_it).collect();
        let list = |record, field: &GuessField| field.path.value_in(record)?.as_array();
        let are_pair = |record| {
            let lists = fields
                .iter()
                .map(|field| list(record, field))
                .collect::<Option<Vec<_>>>()?;
            Some(lists[0].first() == lists[1].first() && lists[0].last() != lists[1].last())
        };
        let mut pairs = (survey.iter().filter(|_| fields.len() == 2))
            .filter_map(are_pair)
            .peekable();
        (pairs.peek().is_some() && pairs.all(|it| it))
            .then(|| Self::of_fields(&fields, 0.0, "conversations that begin alike"))
    }

    /// Candidate: the last two turns of conversations, whose roles mean the better and the worse
    /// response: `chosen_gpt`, `rejected_gpt`.
    pub fn last_turns(survey: &Survey) -> Option<Self> {
        let places = |field: &GuessField| -> Option<(usize, bool, &str)> {
            let mut lists = survey.lists(&field.path).map(|turns| {
                let role = |at: usize| {
                    let turn = turns.get(turns.len().checked_sub(at)?)?;
                    name_words(speaker(turn)?)
                        .iter()
                        .find_map(|word| outcome(word))
                };
                let key = ["value", "content", "text"]
                    .into_iter()
                    .find(|key| turns.iter().all(|turn| turn.get(key).is_some()));
                let (first, last) = (role(2)?, role(1)?);
                (first != last).then_some((turns.len(), first, key?))
            });
            let first = lists.next()??;
            lists.all(|other| other == Some(first)).then_some(first)
        };
        let mut fields = survey
            .fields()
            .filter(|field| field.has_messages() && field.is_single());
        let (field, (count, is_better_first, key)) =
            fields.find_map(|field| Some((field, places(field)?)))?;
        let turn = |at: usize| field.path.then(&at.to_string()).then(key);
        let [better, worse] = if is_better_first { [2, 1] } else { [1, 2] };
        (count > 2).then(|| Self {
            paths: vec![
                ResponsePaths::of(turn(count - better)),
                ResponsePaths::of(turn(count - worse)),
            ],
            set: Some(WordSet::Outcome(0)),
            places: vec![0, 1],
            prompt: Some(turn(count - 3)),
            is_named: true,
            why: "last turns whose roles say who wins",
            ..Self::default()
        })
    }

    /// Candidate: the last of several answers, in a list parallel to one of questions.
    pub fn exchange(survey: &Survey) -> Option<Self> {
        let is_prompt = |key: &str| WORDS.prompt.has(key) && !WORDS.doubtful_prompt.has(key);
        let lists = || {
            survey
                .fields()
                .filter(|it| it.is_text_list() && it.is_single())
        };
        let questions =
            lists().find(|field| is_prompt(&field.key()) && field.key().ends_with('s'))?;
        let others = || survey.fields().filter(|field| field.path != questions.path);
        let has_other = others().any(|field| is_prompt(&field.key()));
        let answers = lists().find(|field| {
            WORDS.response_words.any(&field.words)
                && survey.lengths(&field.path) == survey.lengths(&questions.path)
        })?;
        (!has_other).then(|| Self {
            paths: vec![ResponsePaths::of(answers.path.clone())],
            prompt: Some(questions.path.clone()),
            is_named: true,
            why: "the last answer of a conversation in two lists",
            ..Self::default()
        })
    }

    /// Candidate: the steps of an agent.
    pub fn trajectory(survey: &Survey) -> Option<Self> {
        let is_step = |list: &GuessField| {
            let inside = |field: &&GuessField| field.is_member_of(&list.path);
            let keys = survey.fields().filter(inside).map(GuessField::key);
            keys.filter(|key| WORDS.step.has(key)).count() > 1
        };
        let steps = survey
            .fields()
            .filter(|it| it.is_object_list() && it.is_single())
            .find(|list| is_step(list))?;
        Some(Self {
            paths: vec![ResponsePaths::of(steps.path.clone())],
            why: "the steps of an agent",
            ..Self::default()
        })
    }

    /// Candidate: a conversation, whose last assistant turn is the response.
    pub fn transcript(survey: &Survey) -> Option<Self> {
        let rank = |field: &&GuessField| {
            (field.words.last())
                .and_then(|word| WORDS.transcript.place(word))
                .unwrap_or(usize::MAX)
        };
        // Alternating texts; the user begins.
        let is_exchange = |field: &GuessField| field.is_text_list() && rank(&field) < usize::MAX;
        // Turns of users alone are prompts.
        let is_answered = |field: &GuessField| {
            let mut turns = survey.all_values(&field.path);
            turns.any(|value| !value.as_array().is_some_and(|turns| are_of_user(turns)))
        };
        let is_it =
            |field: &&GuessField| field.has_messages() && is_answered(field) || is_exchange(field);
        let fields = || survey.fields().filter(is_it);
        let of_list = |field: &GuessField| {
            // Messages inside list elements: the first list counts.
            let (each, text) = field.path.split_list()?;
            (!text.steps().is_empty()).then(|| ResponsePaths {
                each: Some(each),
                text,
                ..ResponsePaths::default()
            })
        };
        let path = match fields().filter(|it| it.is_single()).min_by_key(rank) {
            Some(field) => response(field),
            None => fields().find_map(of_list)?,
        };
        // Conversations that differ only in the last turn, and in an outcome, are alternatives.
        let rates = |field: &GuessField| {
            field.is_single()
                && field.is_number()
                && (WORDS.rates(&field.name()) || WORDS.is_flag(&field.words))
        };
        let are_alternatives = |two: &[Value]| {
            let before = turns_before_last(&path.text, &two[0]).filter(|turns| !turns.is_empty());
            before.is_some() && before == turns_before_last(&path.text, &two[1])
        };
        let joins_rows = !path.is_of_each()
            && survey.fields().any(rates)
            && survey.windows(2).any(are_alternatives);
        Some(Self {
            paths: vec![path],
            joins_rows,
            is_conversation: true,
            why: "a conversation: its last assistant turn is the response",
            ..Self::default()
        })
    }
}

/// Returns the turns of a conversation before the last one.
pub fn turns_before_last<'v>(path: &Path, record: &'v Value) -> Option<&'v [Value]> {
    Some(path.value_in(record)?.as_array()?.split_last()?.1)
}

/// True if all messages of a list are of users or the system.
fn are_of_user(messages: &[Value]) -> bool {
    let is_asking = |message: &Value| {
        let role = speaker(message).map(Role::named);
        matches!(role, Some(Role::User | Role::System))
    };
    messages.iter().all(is_asking)
}

/// Iterates over the known markers of turns: templates, then speakers that begin lines or follow a
/// blank.
pub fn known_turns() -> impl Iterator<Item = Turns> {
    let of_speakers = |marker| {
        let roles =
            ["System:", "SYSTEM:", "system:"].map(|it| (it.to_owned(), "system".to_owned()));
        let turns = move |[user, assistant]: &[String; 2]| Turns {
            marker,
            user: format!("{user}:"),
            assistant: format!("{assistant}:"),
            roles: roles.clone().into(),
            drop: Vec::new(),
        };
        WORDS.speakers.iter().map(turns)
    };
    let markers = [TurnMarker::LineStart, TurnMarker::Token].into_iter();
    WORDS
        .templates
        .iter()
        .cloned()
        .chain(markers.flat_map(of_speakers))
}

/// Proposes a `--map` for records without a guess: the field that is named like a prompt, or else
/// the first text, and the texts at least half as long as the longest. `None` if there are too few.
pub fn proposed_map(survey: &Survey) -> Option<String> {
    let is_text = |it: &&GuessField| it.is_text() && it.values > 0 && !it.is_number();
    let mut texts: Vec<_> = survey.fields().filter(is_text).collect();
    let named = prompt(survey, &Responses::default());
    let is_first = |field: &&GuessField| named.is_none_or(|(named, _)| named.path == field.path);
    let first = texts.iter().position(is_first)?;
    let first = texts.remove(first).name();
    let longest = texts.iter().map(|it| it.mean_chars()).fold(0.0, f64::max);
    texts.retain(|field| field.mean_chars() * 2.0 >= longest);
    let letters = ('a'..='z').zip(&texts);
    let responses = letters.map(|(letter, field)| format!(",{letter}={}", field.name()));
    let map = format!("prompt={first}{}", responses.collect::<String>());
    let is_sign = |sign: char| sign.is_alphanumeric() || "_-.,= ".contains(sign);
    let is_plain = !texts.is_empty()
        && map.chars().all(is_sign)
        && map.matches([',', '=']).count() == 2 * texts.len() + 1;
    is_plain.then_some(map)
}
