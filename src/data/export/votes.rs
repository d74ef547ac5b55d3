//! Votes in words: who voted for what.

use serde_json::{Value, json};

use crate::answer::json_number;
use crate::model::{NamedVote, ResponseId, ResponseOrder, Verdict, Votes};
use crate::text::{exact_number, one_line};

/// Maximum votes listed individually; further ones are only counted.
const LISTED: usize = 24;
/// Maximum characters of an annotator's name.
const NAME: usize = 32;

/// Describes the annotators' votes, in the letters on the screen and safe to show: the margin given
/// by each (negative if B wins) if the file has margins, otherwise the number of votes for each
/// response and who voted for it. Empty without votes.
pub fn votes_words(
    votes: &Votes,
    order: ResponseOrder,
    responses: usize,
    number: fn(f64) -> String,
) -> String {
    let word = |it: &NamedVote| {
        let vote = it.vote.shown(order);
        let said = if votes.have_strengths {
            number(vote.code())
        } else {
            vote.verdict.letters()
        };
        match &it.annotator {
            Some(name) => format!("{} {said}", one_line(name, NAME)),
            None => said,
        }
    };
    let are_named = votes.each.iter().any(|it| it.annotator.is_some());
    let mut words = Vec::new();
    if !votes.have_strengths && !votes.each.is_empty() {
        let end = if are_named { ":" } else { "" };
        words.push(counts(votes, order, responses) + end);
    }
    if votes.have_strengths || are_named {
        let listed: Vec<_> = votes.each.iter().take(LISTED).map(word).collect();
        words.push(listed.join(if are_named { ", " } else { " " }));
        let more = votes.each.len().saturating_sub(LISTED);
        words.extend((more > 0).then(|| format!("and {more} more")));
    }
    words.extend((votes.excluded > 0).then(|| format!("({} left out)", votes.excluded)));
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// Counts the votes for each response that has any, and ties: `2 for A, 1 for B, 1 tie`.
fn counts(votes: &Votes, order: ResponseOrder, responses: usize) -> String {
    let count = |shown: ResponseId| {
        let count = votes.agreeing(Verdict::wins(order.of_file(shown)));
        (count > 0).then(|| format!("{count} for {}", shown.letter()))
    };
    let mut counts: Vec<_> = ResponseId::first(responses).filter_map(count).collect();
    match votes.agreeing(Verdict::Tie) {
        0 => {}
        1 => counts.push("1 tie".to_owned()),
        ties => counts.push(format!("{ties} ties")),
    }
    counts.join(", ")
}

/// Returns votes as JSON: `for` has the number of votes for each response by its letter and of
/// ties, `each` the annotator, the vote and A's margin if the file has it (also in `strengths`).
pub(super) fn votes_json(votes: &Votes, order: ResponseOrder, responses: usize) -> Value {
    let verdicts = ResponseId::first(responses).map(Verdict::wins);
    let counts = verdicts.chain([Verdict::Tie]).map(|verdict| {
        let count = votes.agreeing(order.verdict_of_file(verdict));
        (verdict.word(), json!(count))
    });
    let strength = |it: &NamedVote| json_number(it.vote.shown(order).code());
    let each = votes.each.iter().map(|it| {
        let verdict = it.vote.shown(order).verdict;
        let mut vote = json!({"annotator": it.annotator, "vote": verdict.word()});
        if votes.have_strengths {
            vote["strength"] = strength(it);
        }
        vote
    });
    let mut members = json!({
        "excluded": votes.excluded,
        "for": Value::Object(counts.collect()),
        "each": each.collect::<Vec<_>>(),
    });
    if votes.have_strengths {
        members["strengths"] = votes.each.iter().map(strength).collect();
    }
    members
}

/// Formats votes for a table cell: `kim: a;lee: b`, or A's margin if the file has it.
pub(super) fn votes_cell(votes: &Votes) -> String {
    let word = |it: &NamedVote| {
        let said = if votes.have_strengths {
            exact_number(it.vote.code())
        } else {
            it.vote.verdict.word()
        };
        let name = it.annotator.iter().map(|name| format!("{name}: "));
        name.chain([said]).collect::<String>()
    };
    votes.each.iter().map(word).collect::<Vec<_>>().join(";")
}
