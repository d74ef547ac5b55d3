//! Explains a schema in words, for readers who have not seen one before.

use std::fmt::Write as _;

use super::definition::{
    Definition, Label, LabelKind, RatingSource, Reduction, ResponsePaths, RowGrouping, TurnMarker,
    VerdictRule,
};
use super::guess::FieldRole;
use super::path::Path;
use crate::model::ResponseId;
use crate::text;

fn letter(place: usize) -> String {
    ResponseId::new(place).map_or_else(String::new, |id| id.letter().to_string())
}

impl Definition {
    /// Returns the explanation as a page of Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n\n`{}`", self.title, self.name);
        if !self.about.is_empty() {
            let _ = write!(out, ": {}", self.about);
        }
        let _ = write!(out, "\n\n## Rows\n\n{}\n", self.explain_rows());
        let _ = write!(out, "\n## Fields\n\n{}", self.explain_fields());
        let _ = write!(out, "\n## Labels\n\n{}", self.explain_labels());
        let _ = write!(out, "\n## Who wins\n\n{}\n", self.explain_verdict());
        out.push_str(&self.explain_votes());
        out
    }

    fn explain_votes(&self) -> String {
        let mut out = String::new();
        for vote in &self.votes {
            if out.is_empty() {
                out.push_str("\n## Votes\n\n");
            }
            let paths = joined(&vote.whole_paths(), ", ");
            let _ = write!(out, "- annotators' votes are at {paths}");
            let mut more = Vec::new();
            if !vote.names_winners() {
                let letter = vote.positive.letter();
                more.push(format!("a positive number prefers {letter}"));
            }
            for (verdict, words) in vote.words() {
                more.push(format!("`{}`: {}", words.join("`, `"), verdict.phrase()));
            }
            if !vote.names.is_empty() {
                more.push(format!(
                    "names of responses are at {}",
                    joined(&vote.names, ", ")
                ));
            }
            if !vote.annotator.is_empty() {
                more.push(format!(
                    "the annotator is at {}",
                    joined(&vote.annotator, ", ")
                ));
            }
            for (path, words) in &vote.skip {
                more.push(format!("no vote if {path} is `{}`", words.join("` or `")));
            }
            let words = vote
                .values
                .iter()
                .map(|(word, value)| format!("`{word}` is {value}"));
            let excluded = vote
                .none
                .iter()
                .map(|value| format!("{value} is not a vote"));
            let more = more.into_iter();
            for what in more.chain(words).chain(excluded) {
                let _ = write!(out, "; {what}");
            }
            out.push('\n');
        }
        out
    }

    fn explain_rows(&self) -> String {
        let mut out = match self.rows {
            RowGrouping::Adjacent => {
                "A row is one response; two adjacent rows with the same prompt are a sample (`rows = \"adjacent\"`)."
                    .to_owned()
            }
            RowGrouping::Groups if self.group.is_empty() => {
                "A row is one response; adjacent rows with the same prompt are a sample (`rows = \"groups\"`)."
                    .to_owned()
            }
            RowGrouping::Groups => format!(
                "A row is one response; all rows of the file with the same {} are a sample (`rows = \"groups\"`).",
                joined(&self.group, " and ")
            ),
            RowGrouping::Inline => {
                "A row is a whole sample: a prompt and its responses (`rows = \"inline\"`)."
                    .to_owned()
            }
            RowGrouping::Annotations => format!(
                "A row is a whole sample judged by one annotator; all rows of the file with the same {} and the same responses are one sample, and each row's verdict is a vote (`rows = \"annotations\"`).",
                joined(&self.group, " and ")
            ),
        };
        if let Some(items) = self.items {
            let _ = write!(out, " Each row is a list of {items} elements.");
        }
        if !self.same.is_empty() {
            let _ = write!(
                out,
                " The texts at {} must be equal.",
                joined(&self.same, " and ")
            );
        }
        if !self.needs.is_empty() {
            let _ = write!(
                out,
                " The schema is only detected if rows have {}.",
                joined(&self.needs, " and ")
            );
        }
        out
    }

    /// Lists the paths of everything except labels.
    fn explain_fields(&self) -> String {
        let mut out = String::from("| field | is | means |\n|---|---|---|\n");
        for FieldRole { path, role, .. } in self.named_roles() {
            let fact = self.facts.iter().find(|fact| fact.path == path);
            let about = fact.map_or("", |fact| &fact.about);
            if !role.starts_with("label ") {
                out += &row(&[code(&path), cell(&role), cell(about)]);
            }
        }
        if self.prompt.is_none() {
            out.push_str("\nThe prompt is the shared beginning of the responses.\n");
        }
        if let Some(turns) = &self.turns {
            let place = match turns.marker {
                TurnMarker::WholeLine => "on separate lines",
                TurnMarker::LineStart => "at the start of a line",
                TurnMarker::Token => "in the text",
            };
            let (user, assistant) = (&turns.user, &turns.assistant);
            let _ = writeln!(
                out,
                "\nTurns are marked by `{user}` and `{assistant}` {place}."
            );
        }
        out
    }

    fn explain_labels(&self) -> String {
        if self.labels.is_empty() {
            return "None.\n".to_owned();
        }
        let mut out = String::from("| label | values | at | means |\n|---|---|---|---|\n");
        for label in &self.labels {
            let sources = self.responses.iter().filter_map(|it| source_of(it, label));
            let mut about = cell(&label.about);
            if let Some(kappa) = label.agreement {
                let gap = if about.is_empty() { "" } else { " " };
                let _ = write!(about, "{gap}Annotators' agreement: kappa {kappa}.");
            }
            let sources = sources.collect::<Vec<_>>().join(", ");
            out += &row(&[cell(&label.name), values_of(label), sources, about]);
        }
        out
    }

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

fn values_of(label: &Label) -> String {
    let kind = match label.kind {
        LabelKind::Label => "whole numbers",
        LabelKind::Score => "numbers",
    };
    let range = label.range.map(|[low, high]| {
        let (low, high) = (text::number(low), text::number(high));
        format!(" {low} to {high}")
    });
    let reduce = match label.reduce {
        Some(Reduction::Mean) => ", the mean of a list",
        Some(Reduction::Spread) => ", the spread of a list",
        None => "",
    };
    format!("{kind}{}{reduce}", range.unwrap_or_default())
}

fn source_of(response: &ResponsePaths, label: &Label) -> Option<String> {
    Some(match response.ratings.get(&label.name)? {
        RatingSource::Constant(value) => format!("always {}", text::number(*value)),
        RatingSource::Path(path) => code(&response.whole(path)),
    })
}

fn joined(paths: &[Path], between: &str) -> String {
    paths.iter().map(code).collect::<Vec<_>>().join(between)
}

/// Formats a path as code. The path of the record itself is empty.
fn code(path: &Path) -> String {
    format!("`{}`", cell(&path.to_string()))
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Escapes a text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::super::built_in;

    #[test]
    fn every_built_in_schema_is_explained() {
        for definition in built_in() {
            let page = definition.to_markdown();
            let name = &definition.name;
            for label in &definition.labels {
                assert!(
                    page.contains(&format!("| {} |", label.name)),
                    "{name}: {page}"
                );
            }
            for response in &definition.responses {
                let path = response.whole_path().to_string();
                assert!(page.contains(&path), "{name}: {page}");
            }
            for fact in &definition.facts {
                assert!(page.contains(&fact.path.to_string()), "{name}: {page}");
            }
            for text in definition
                .texts
                .iter()
                .filter_map(|text| text.path.as_ref())
            {
                assert!(page.contains(&text.to_string()), "{name}: {page}");
            }
            assert!(!page.contains("``"), "{name}: an empty path: {page}");
        }
    }
}
