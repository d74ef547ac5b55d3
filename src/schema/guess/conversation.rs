//! Guesses responses that are turns of conversations, or steps of an agent.

use serde_json::Value;

use super::names::{WORDS, WordSet, name_words, outcome};
use super::responses::{Responses, response};
use super::survey::{GuessField, Survey, speaker};
use crate::model::Role;
use crate::schema::layout::definition::ResponsePaths;
use crate::table::Path;

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
            let mut lists = survey
                .values(&field.path)
                .filter_map(Value::as_array)
                .map(|turns| {
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
pub fn are_of_user(messages: &[Value]) -> bool {
    let is_asking = |message: &Value| {
        let role = speaker(message).map(Role::named);
        matches!(role, Some(Role::User | Role::System))
    };
    messages.iter().all(is_asking)
}
