//! Reviewers' remarks about a sample, as JSON and in words.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::answer::json_number;
use crate::journal::{AfterReveal, Note, Rating, RatingState, SampleReview};
use crate::model::{ResponseId, ResponseOrder, Verdict};
use crate::review::{RatingForm, is_compared, serialised};
use crate::text::exact_number;

/// True if a remark has content; one whose acts were all undone has none.
pub(super) fn has_content(remark: &SampleReview) -> bool {
    remark.marked
        || !remark.tags.is_empty()
        || !remark.notes.is_empty()
        || !remark.checks.is_empty()
        || remark.ratings.iter().any(is_exported)
}

/// True if a rating is a judgment, skipped or deferred.
fn has_rating(rating: &Rating) -> bool {
    rating.is_judged() || rating.state != RatingState::Open
}

/// True if a rating is exported. Includes one withdrawn after the dataset's judgment was shown,
/// because the report counts what was given before.
pub(super) fn is_exported(rating: &Rating) -> bool {
    has_rating(rating) || has_rating(rating.as_given())
}

/// Returns the reviewer's latest first-pass rating among these.
pub(super) fn latest<'r>(
    remark: &'r SampleReview,
    reviewer: &str,
    among: &dyn Fn(&Rating) -> bool,
) -> Option<&'r Rating> {
    let first = |rating: &&Rating| {
        let is_own = *rating.reviewer == *reviewer && rating.setting.pass == 1;
        is_own && has_rating(rating) && among(rating)
    };
    remark.ratings.iter().rfind(first)
}

/// Returns the reviewer's rating to show next to the dataset's labels: the one that agreement
/// figures count ([`is_compared`]), otherwise the latest of the first pass. Its values are those
/// first given ([`Rating::as_given`]).
pub(super) fn compared<'r>(remark: &'r SampleReview, reviewer: &str) -> Option<&'r Rating> {
    let own = |rating: &&Rating| *rating.reviewer == *reviewer && rating.setting.pass == 1;
    let own = || remark.ratings.iter().filter(own);
    let counted = own().rfind(|rating| is_compared(rating));
    counted.or_else(|| own().rfind(|rating| is_exported(rating)))
}

/// Returns what happened to a rating after the dataset's judgment was shown; `None` if it is
/// unchanged.
pub(super) fn became(rating: &Rating) -> Option<&'static str> {
    if let Some(became) = rating.after_reveal() {
        return Some(change_word(became));
    }
    // Skipped or deferred before, and judged then.
    let is_late = !rating.as_given().counts() && rating.counts();
    is_late.then_some("judged")
}

/// Names what happened to a judgment.
pub(super) fn change_word(what: AfterReveal) -> &'static str {
    match what {
        AfterReveal::Changed => "changed",
        AfterReveal::Withdrawn => "withdrawn",
        AfterReveal::PutOff => "put off",
    }
}

/// The rating form of a sample: the scale of its file, and its number of responses.
#[derive(Clone, Copy)]
pub(super) struct SampleForm<'s> {
    pub(super) scale: Option<&'s RatingForm>,
    pub(super) responses: usize,
}

impl SampleForm<'_> {
    /// Returns the state of a rating for exports: the journal's `open` is split into judged and
    /// partial.
    pub(super) fn state(&self, rating: &Rating) -> &'static str {
        let is_whole = self
            .scale
            .is_some_and(|scale| scale.is_complete(self.responses, rating));
        match rating.state {
            RatingState::Open if is_whole => "judged",
            RatingState::Open => "partial",
            state => state_word(state),
        }
    }

    /// Returns the verdict of a rating, and true if it is derived from labels. Nothing is derived
    /// from labels given before a skip.
    pub(super) fn verdict(&self, rating: &Rating) -> Option<(Verdict, bool)> {
        if let Some((verdict, _)) = rating.verdict {
            return Some((verdict, false));
        }
        let scale = self
            .scale
            .filter(|_| rating.state == RatingState::Open && self.responses > 1)?;
        Some((scale.verdict(self.responses, rating)?, true))
    }
}

/// Returns the review of a sample as JSON; `response` is set if a row is a response.
pub(super) fn as_json(
    remark: &SampleReview,
    response: Option<ResponseId>,
    asked: SampleForm<'_>,
) -> Value {
    let mut review = json!({});
    if let Some(response) = response {
        review["side"] = response.word().into();
    }
    review["marked"] = remark.marked.into();
    review["tags"] = remark.tags.iter().map(|tag| &**tag).collect();
    let notes = remark.notes.iter().map(|it| note(it, asked.responses));
    review["notes"] = notes.collect();
    let checks = remark.checks.iter().map(|check| {
        json!({
            "reviewer": &*check.reviewer,
            "check": check.verdict.word(),
            "time": &*check.time,
        })
    });
    review["checks"] = checks.collect();
    let ratings = remark
        .ratings
        .iter()
        .filter(|rating| is_exported(rating))
        .map(|it| rating(it, asked));
    review["ratings"] = ratings.collect();
    review
}

fn note(note: &Note, responses: usize) -> Value {
    let order = note.order.map(|order| order.among(responses));
    json!({
        "reviewer": &*note.reviewer,
        "text": &*note.text,
        "swapped": order.map(|order| !order.is_of_file()),
        "order": order.map(|order| order.whole_word(responses)),
    })
}

/// Returns a rating as first given, with its current state in `later` if it changed.
fn rating(rating: &Rating, asked: SampleForm<'_>) -> Value {
    let given = rating.as_given();
    let order = given.setting.order.among(asked.responses);
    let mut json = json!({
        "reviewer": &*given.reviewer,
        "audit": given.setting.audit.as_ref().map(|id| &*id.0),
        "pass": given.setting.pass,
        "blind": given.setting.blind,
        "seen": given.setting.seen,
        "swapped": !order.is_of_file(),
        "order": order.whole_word(asked.responses),
    });
    let later = became(rating).map(|became| {
        let mut later = json!({"became": became});
        judgment(&mut later, rating, asked);
        later
    });
    judgment(&mut json, given, asked);
    json["later"] = later.into();
    json
}

/// Adds the values of a rating.
fn judgment(json: &mut Value, rating: &Rating, asked: SampleForm<'_>) {
    let strength = rating.verdict.and_then(|(_, strength)| strength);
    let verdict = asked.verdict(rating);
    json["labels"] = labels_as_json(rating, asked.responses.max(2));
    json["verdict"] = verdict.map(|(verdict, _)| verdict.word()).into();
    json["derived"] = verdict.is_some_and(|(_, derived)| derived).into();
    json["strength"] = strength.into();
    json["state"] = asked.state(rating).into();
}

/// Returns the labels of each response by its letter.
pub(super) fn labels_as_json(rating: &Rating, responses: usize) -> Value {
    let labels = ResponseId::first(responses).map(|response| {
        let labels = labels_of(rating, response);
        let labels = labels.map(|(name, value)| (name, json_number(value)));
        (response.word(), labels.collect::<Value>())
    });
    labels.collect()
}

/// Returns the values of a response's labels, by name.
pub(super) fn labels_of(
    rating: &Rating,
    response: ResponseId,
) -> impl Iterator<Item = (&str, f64)> {
    let of = move |(_, of): &(_, ResponseId)| *of == response;
    rating
        .labels
        .iter()
        .filter(move |(key, _)| of(key))
        .map(|((name, _), &value)| (&**name, value))
}

/// Converts a rating to the letters on the screen.
pub(super) fn shown(rating: &Rating, order: ResponseOrder) -> Rating {
    let labels = rating.labels.iter();
    let labels = labels
        .map(|((name, response), value)| ((Arc::clone(name), order.shown(*response)), *value));
    let verdict = rating
        .verdict
        .map(|(verdict, strength)| (order.shown_verdict(verdict), strength));
    Rating {
        labels: labels.collect(),
        verdict,
        ..rating.clone()
    }
}

pub(super) const fn state_word(state: RatingState) -> &'static str {
    match state {
        RatingState::Open => "open",
        RatingState::Skipped => "skipped",
        RatingState::Deferred => "deferred",
    }
}

/// Describes a rating in words: `A helpfulness 4, verbosity 1; B helpfulness 2; A wins, strength
/// 2`. Names of labels are not escaped.
pub(super) fn in_words(rating: &Rating) -> String {
    let mut parts = Vec::new();
    let judged: BTreeSet<_> = rating
        .labels
        .keys()
        .map(|(_, response)| *response)
        .collect();
    for response in judged {
        let labels: Vec<_> = labels_of(rating, response)
            .map(|(name, value)| format!("{name} {}", exact_number(value)))
            .collect();
        parts.push(format!("{} {}", response.letter(), labels.join(", ")));
    }
    if let Some((verdict, strength)) = rating.verdict {
        let strength = strength
            .map(|strength| format!(", strength {strength}"))
            .unwrap_or_default();
        parts.push(format!("{}{strength}", verdict.phrase()));
    }
    if rating.state != RatingState::Open {
        parts.push(state_word(rating.state).to_owned());
    }
    if parts.is_empty() {
        "nothing judged".to_owned()
    } else {
        parts.join("; ")
    }
}

/// Describes a rating as first given, in the letters of an order, and what happened to it.
pub(super) fn given_in_words(rating: &Rating, order: ResponseOrder) -> String {
    let given = in_words(&shown(rating.as_given(), order));
    match became(rating) {
        None => given,
        Some(became) => format!(
            "{given}; {became} after the labels were shown: {}",
            in_words(&shown(rating, order))
        ),
    }
}

/// Describes the circumstances of a rating in parentheses after a space; empty for a rating outside
/// of audits.
pub(super) fn circumstances(rating: &Rating, responses: usize) -> String {
    let setting = &rating.setting;
    let audit = setting.audit.as_ref().map(|id| format!("audit {id}"));
    let pass = (setting.pass > 1).then(|| format!("pass {}", setting.pass));
    let blind = setting.blind.then(|| "blind".to_owned());
    let order = order_in_words(setting.order, responses);
    let parts: Vec<_> = [audit, pass, blind, order].into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    }
}

/// Describes the order in which responses were shown; `None` for the order of the file.
pub fn order_in_words(order: ResponseOrder, responses: usize) -> Option<String> {
    if order.is_of_file() {
        None
    } else if responses <= 2 {
        Some("sides swapped".to_owned())
    } else {
        let shown = ResponseId::first(responses).map(|shown| order.of_file(shown).letter());
        let between = if responses > ResponseId::LETTERED {
            " "
        } else {
            ""
        };
        Some(format!(
            "shown as {}",
            shown.collect::<Vec<_>>().join(between)
        ))
    }
}

/// Describes what the letters in a note mean in the current order: `its A is B here`. `None` if
/// they mean the same, or the note has no order.
pub fn note_letters(note: &Note, here: ResponseOrder, responses: usize) -> Option<String> {
    let (order, here) = (note.order?.among(responses), here.among(responses));
    if order == here {
        return None;
    }
    if responses == 2 {
        return Some("its A is B here".to_owned());
    }
    let letters = |of: fn(ResponseId, ResponseOrder, ResponseOrder) -> ResponseId| {
        let letters = ResponseId::first(responses).map(|id| of(id, order, here).letter());
        letters.collect::<Vec<_>>().join(", ")
    };
    Some(format!(
        "its {} are {} here",
        letters(|id, _, _| id),
        letters(|id, order, here| here.shown(order.of_file(id)))
    ))
}

/// Returns notes for a template: reviewer, meaning of the letters, and text.
pub(super) fn notes_context<'n>(
    notes: impl IntoIterator<Item = &'n Note>,
    here: ResponseOrder,
    responses: usize,
) -> minijinja::Value {
    let notes = notes.into_iter().map(|note| {
        let letters = note_letters_suffix(note, here, responses);
        (&*note.reviewer, letters, &*note.text)
    });
    serialised(notes.collect::<Vec<_>>())
}

/// Returns [`note_letters`] in parentheses after a space, or an empty text.
pub(super) fn note_letters_suffix(note: &Note, here: ResponseOrder, responses: usize) -> String {
    let letters = note_letters(note, here, responses);
    letters
        .map(|letters| format!(" ({letters})"))
        .unwrap_or_default()
}
