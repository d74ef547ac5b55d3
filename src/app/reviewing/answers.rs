//! The answers to a question of the rating strip, in words and keys.

use super::super::{Action, App, Context};
use super::rating::{RatingAction, verdict_steps};
use crate::model::{ResponseId, Verdict};
use crate::review::{Rateable, RatingQuestion};
use crate::text;

impl App {
    /// Lists the possible verdicts with their digits, after the keys that name the winner of two
    /// responses, in the same order: `a  =  b`.
    pub(super) fn verdict_answers(&self, strengths: &[String], responses: usize) -> String {
        let answers = [
            RatingAction::Wins(ResponseId::A),
            RatingAction::Tie,
            RatingAction::Wins(ResponseId::B),
        ];
        let keys = answers.map(|answer| self.key_in(Context::Rate, Action::Answer(answer)));
        let steps = steps_in_words(strengths, responses);
        match keys {
            [Some(a), Some(tie), Some(b)] if responses == 2 => format!("{a}  {tie}  {b}   {steps}"),
            _ => steps,
        }
    }

    /// Returns the digits that answer the current question, `0-4`; `None` without a question.
    pub fn rating_digits(&self) -> Option<String> {
        let (scale, responses) = (self.scale()?, self.responses());
        let questions = scale.questions(responses);
        let [low, high] = match questions.get(self.rate_at())? {
            RatingQuestion::Label(label, _) => {
                let of = scale.labels.iter().find(|of| of.name == *label)?;
                of.range
            }
            RatingQuestion::Verdict => {
                let steps = verdict_steps(responses, scale.strengths.len());
                [1, steps.len().min(9) as i64]
            }
        };
        (low >= 0).then(|| format!("{low}-{}", high.min(9)))
    }
}

/// Describes the ends of a label's scale.
pub(super) fn ends_in_words(label: &Rateable) -> String {
    let [low, high] = label.range;
    match &label.ends {
        Some(ends) => {
            let [lowest, highest] = ends.each_ref().map(|end| text::one_line(end, 400));
            format!("{low} {lowest} … {high} {highest}")
        }
        None => format!("{low} to {high}"),
    }
}

/// Lists the possible verdicts with their digits.
fn steps_in_words(strengths: &[String], responses: usize) -> String {
    verdict_steps(responses, strengths.len())
        .into_iter()
        .map(|step| step_words(step, strengths, responses))
        .zip(1..)
        .map(|(words, at)| match at {
            digit @ 1..10 => format!("{digit} {words}"),
            _ => words,
        })
        .collect::<Vec<_>>()
        .join("  ")
}

/// Returns the name of a step: the winner and the name of the strength.
fn step_words(
    (verdict, strength): (Verdict, Option<u8>),
    strengths: &[String],
    responses: usize,
) -> String {
    let how = strength.and_then(|strength| strengths.get(usize::from(strength).checked_sub(1)?));
    match how {
        Some(how) if verdict != Verdict::Tie => {
            format!("{} {}", verdict.letters(), text::one_line(how, 24))
        }
        _ if responses > 2 => verdict.letters(),
        _ => verdict.phrase(),
    }
}
