//! The questions of the rating strip as sentences.

use crate::app::{App, RatingRow, step_words, verdict_steps};
use crate::model::ResponseId;
use crate::text::{self, number};

/// Returns the answers so far, and the question that the next digit answers.
pub(super) fn rating_words(app: &App) -> String {
    let mut out = String::new();
    let rows = app.review.rate_rows(&app.browser, &app.views);
    let answered: Vec<_> = rows.iter().filter_map(answer_words).collect();
    if !answered.is_empty() {
        out.push_str(&format!("Your rating: {}.\n", answered.join("; ")));
    }
    if app.review.is_seen_before(&app.browser) {
        out.push_str("You have seen the labels of this sample before, so this is not blind.\n");
    }
    match rows.iter().find_map(question) {
        _ if app.review.is_judgment_closed(&app.browser, &app.views) => {
            out.push_str("Judged: Enter goes to the next sample.\n");
        }
        Some(question) => out.push_str(&question),
        None => out.push_str("All questions are answered: Enter goes to the next sample.\n"),
    }
    out
}

fn letter(at: usize, of: usize) -> &'static str {
    match ResponseId::new(at).filter(|_| of > 1) {
        Some(response) => response.letter(),
        None => "the response",
    }
}

/// Returns for example `helpfulness A 4, data 3, B 2`.
fn answer_words(row: &RatingRow) -> Option<String> {
    match row {
        RatingRow::Label {
            name,
            own,
            given,
            others,
            ..
        } => {
            let values = own.iter().enumerate().filter_map(|(at, value)| {
                let given = given.get(at).copied().flatten();
                let data = given.map(|given| format!(", the dataset {}", number(given)));
                let value = number((*value)?);
                Some(format!(
                    "{} {value}{}",
                    letter(at, own.len()),
                    data.unwrap_or_default()
                ))
            });
            let values: Vec<_> = values.collect();
            let name = text::one_line(name, 60);
            let others = others.iter().map(|(reviewer, values)| {
                let values = values
                    .iter()
                    .map(|value| value.map_or_else(|| "none".to_owned(), number));
                let values: Vec<_> = values.collect();
                format!(
                    "; {} {}",
                    text::one_line(reviewer, 24),
                    values.join(" and ")
                )
            });
            let others: String = others.collect();
            (!values.is_empty()).then(|| format!("{name}: {}{others}", values.join(", ")))
        }
        RatingRow::Verdict {
            responses,
            strengths,
            own,
            derived,
            given,
            others,
            ..
        } => {
            let words = step_words((*own)?, strengths, *responses);
            let by = if *derived {
                ", derived from your labels"
            } else {
                ""
            };
            let given = given.map(|given| format!(", the dataset {}", given.phrase()));
            let others = others.iter().map(|(reviewer, verdict)| {
                format!("; {} {}", text::one_line(reviewer, 24), verdict.phrase())
            });
            let others: String = others.collect();
            Some(format!(
                "who wins: {words}{by}{}{others}",
                given.unwrap_or_default()
            ))
        }
    }
}

fn question(row: &RatingRow) -> Option<String> {
    match row {
        RatingRow::Label {
            name,
            range: [low, high],
            about,
            own,
            asked,
            ..
        } => {
            let (name, of) = (text::one_line(name, 60), letter((*asked)?, own.len()));
            let question = format!("{name} of {of}, {low} to {high}? {about}");
            Some(format!("{}\n", text::one_line(&question, 400)))
        }
        RatingRow::Verdict {
            responses,
            strengths,
            asked,
            ..
        } => {
            let steps = verdict_steps(*responses, strengths.len());
            let words = |(step, digit): (_, usize)| {
                format!("{digit} {}", step_words(step, strengths, *responses))
            };
            let steps: Vec<_> = steps.into_iter().zip(1..).map(words).collect();
            asked.then(|| format!("Who wins? {}.\n", steps.join(", ")))
        }
    }
}
