//! Explains in words who wins by a guess, for readers who have not seen the layout before.

use crate::model::ResponseId;
use crate::schema::layout::definition::{Definition, VerdictRule};

fn letter(place: usize) -> String {
    ResponseId::new(place).map_or_else(String::new, |id| id.letter().to_string())
}

impl Definition {
    /// Explains in a sentence which response wins, and by which value.
    pub fn explain_verdict(&self) -> String {
        match self.rule() {
            None => "No verdict.".to_owned(),
            Some(VerdictRule::ByLabel { label, lower }) => {
                let end = if *lower { "lowest" } else { "highest" };
                format!("The response with the {end} {label} wins.")
            }
            Some(VerdictRule::BySign(rule)) => {
                format!("The sign of the number at {} names the winner.", rule.path)
            }
            Some(VerdictRule::ByValue(rule)) => {
                let of_each = rule.words.iter().enumerate().map(|(place, words)| {
                    format!("{} means that {} wins", words.join(", "), letter(place))
                });
                let tie = rule.tie.iter().filter(|tie| !tie.is_empty());
                let tie = tie.map(|tie| format!("{} mean a tie; ", tie.join(", ")));
                format!(
                    "The value at {}: {}; {}anything else is unknown.",
                    rule.path,
                    of_each.collect::<Vec<_>>().join(", "),
                    tie.collect::<String>(),
                )
            }
            Some(VerdictRule::ByField { path, fields }) => {
                let paths = fields
                    .responses
                    .iter()
                    .enumerate()
                    .map(|(place, path)| format!("{path} for {}", letter(place)));
                let tie = fields.tie.iter().filter(|_| path.is_none());
                let tie = tie.map(|tie| format!("{tie} for a tie"));
                let paths = paths.chain(tie).collect::<Vec<_>>().join(", ");
                match path {
                    Some(path) => format!("The value at {path} equals the winner's: {paths}."),
                    None => format!("The winner's field is true: {paths}."),
                }
            }
            Some(VerdictRule::ByVotes) => "The response with the most votes wins.".to_owned(),
            Some(VerdictRule::Fixed { always, margin }) => {
                let margin = margin.iter();
                let margin = margin
                    .map(|label| format!("; the margin is in {label}"))
                    .collect::<String>();
                format!("{} always wins{margin}.", always.letter())
            }
        }
    }
}
