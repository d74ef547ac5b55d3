//! Explains in words who wins, for readers who have not seen the schema before.

use std::fmt::Write as _;

use super::definition::{Definition, VerdictRule};
use super::path::Path;
use crate::model::ResponseId;
use crate::text;

fn letter(place: usize) -> String {
    ResponseId::new(place).map_or_else(String::new, |id| id.letter().to_string())
}

impl Definition {
    /// Explains in sentences which response wins, and by which value.
    pub fn explain_verdict(&self) -> String {
        let words = |words: &[String]| {
            let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            quoted.join(", ")
        };
        let mut out = match self.rule() {
            None => return "No verdict.".to_owned(),
            Some(VerdictRule::ByLabel { label, lower }) => {
                let end = if *lower { "lowest" } else { "highest" };
                format!("The response with the {end} {label} wins.")
            }
            Some(VerdictRule::BySign(rule)) => format!(
                "The number at {}: above {} {} wins, below it the other; the distance is the margin.",
                code(&rule.path),
                text::number(rule.midpoint),
                rule.positive.letter()
            ),
            Some(VerdictRule::ByValue(rule)) if !rule.margins.is_empty() => {
                let margins = rule.margins.iter();
                let margins: Vec<_> = margins
                    .map(|(word, by)| format!("`{word}` is {}", text::number(*by)))
                    .collect();
                format!(
                    "The word at {}, with A's margin (negative: B wins): {}.",
                    code(&rule.path),
                    margins.join(", ")
                )
            }
            Some(VerdictRule::ByValue(rule)) => {
                let tie = match &rule.tie {
                    Some(tie) if tie.is_empty() => "anything else is unknown".to_owned(),
                    Some(tie) => {
                        format!("{} mean a tie; anything else is unknown", words(tie))
                    }
                    None => "anything else means a tie".to_owned(),
                };
                let of_each = rule.words.iter().enumerate();
                let of_each = of_each
                    .map(|(place, of)| format!("{} means that {} wins", words(of), letter(place)));
                format!(
                    "The value at {}: {}; {tie}.",
                    code(&rule.path),
                    of_each.collect::<Vec<_>>().join(", "),
                )
            }
            Some(VerdictRule::ByField { path, fields }) => {
                let paths = fields.responses.iter().enumerate();
                let paths =
                    paths.map(|(place, path)| format!("{} for {}", code(path), letter(place)));
                let mut paths: Vec<_> = paths.collect();
                let tie = fields.tie.iter().filter(|_| path.is_none());
                paths.extend(tie.map(|tie| format!("{} for a tie", code(tie))));
                let paths = paths.join(", ");
                match path {
                    Some(path) => {
                        format!("The value at {} equals the winner's: {paths}.", code(path))
                    }
                    None => format!("The winner's field is true: {paths}."),
                }
            }
            Some(VerdictRule::ByVotes) => "The response with the most votes wins.".to_owned(),
            Some(VerdictRule::Fixed { always, margin }) => {
                let letter = always.letter();
                let margin = margin
                    .iter()
                    .map(|label| format!("; the margin is in {label}"));
                format!("{letter} always wins{}.", margin.collect::<String>())
            }
        };
        let Some(verdict) = &self.verdict else {
            return out;
        };
        if let Some(strengths) = &verdict.strengths {
            let _ = write!(out, " Strengths for reviewers: {}.", strengths.join(", "));
        }
        if let Some(share) = verdict.agreement {
            let percent = text::number((share * 1000.0).round() / 10.0);
            let _ = write!(
                out,
                " The dataset's annotators agree in {percent} % of cases."
            );
        }
        out
    }
}

/// Formats a path as code.
fn code(path: &Path) -> String {
    format!("`{path}`")
}
