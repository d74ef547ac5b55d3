//! Verdict and margin.

use super::columns::Translation;
use super::refusal::SqlRefusal;
use crate::model::ResponseId;
use crate::schema::{BySign, ByValue, OutcomePaths, Path, VerdictRule};

/// The verdict derived from the column `margin`.
const BY_MARGIN: &str =
    "case when margin > 0 then 'a' when margin < 0 then 'b' when margin = 0 then 'tie' end";
const NO_MARGIN: &str = "cast(null as double)";

impl Translation<'_> {
    /// Adds the columns `margin` and `verdict` (a, b, tie) of samples.
    pub(super) fn add_verdict(&mut self) -> Result<(), SqlRefusal> {
        let (most, is_joined) = (self.layout.most, self.layout.is_joined);
        // A single response has no verdict, and joined rows only that of a label.
        let is_said = |rule: &&VerdictRule| {
            most > 1 && (!is_joined || matches!(rule, VerdictRule::ByLabel { .. }))
        };
        let (mut margin, mut verdict) = (NO_MARGIN.to_owned(), BY_MARGIN.to_owned());
        match self.definition.rule().filter(is_said) {
            None => "cast(null as string)".clone_into(&mut verdict),
            Some(VerdictRule::ByLabel { label, lower }) => {
                margin = self.margin_of_label(label, *lower)?;
            }
            Some(VerdictRule::BySign(rule)) => margin = self.margin_by_sign(rule)?,
            Some(VerdictRule::ByValue(rule)) => (margin, verdict) = self.by_value(rule)?,
            Some(VerdictRule::ByField { path, fields }) => {
                verdict = self.by_field(path.as_ref(), fields)?;
            }
            Some(VerdictRule::ByVotes) => {
                return Err(SqlRefusal::new(
                    "verdict",
                    "the majority of votes decides it",
                ));
            }
            Some(VerdictRule::Fixed { always, margin: by }) => {
                if let Some(label) = by {
                    margin = self.margin_of_label(label, false)?;
                }
                verdict = format!("case when responses = 2 then '{}' end", always.word());
            }
        }
        self.add_derived("margin", margin);
        self.add_derived("verdict", verdict);
        Ok(())
    }

    /// Returns the margin of A over B by a label; `lower` if lower values are better.
    fn margin_of_label(&mut self, label: &str, lower: bool) -> Result<String, SqlRefusal> {
        let label = self.label(label)?;
        Ok(if lower {
            format!("b_{label} - a_{label}")
        } else {
            format!("a_{label} - b_{label}")
        })
    }

    fn margin_by_sign(&mut self, rule: &BySign) -> Result<String, SqlRefusal> {
        let value = self.value(&rule.path)?;
        let number = self.dialect.number(&value, true);
        let [low, high] = rule.range.unwrap_or([f64::MIN, f64::MAX]);
        self.add_field("stated_number", number);
        let midpoint = rule.midpoint;
        let ties: String = rule
            .ties
            .iter()
            .map(|tie| format!("when stated_number = {tie:e} then {midpoint:e} "))
            .collect();
        let within = format!("stated_number between {low:e} and {high:e}");
        let text_column = self.of_sample("stated", |_| {
            Ok(format!("case {ties}when {within} then stated_number end"))
        })?;
        Ok(match (rule.positive == ResponseId::A, midpoint == 0.0) {
            (true, true) => text_column,
            (false, true) => format!("-{text_column}"),
            (true, false) => format!("{text_column} - {midpoint:e}"),
            (false, false) => format!("{midpoint:e} - {text_column}"),
        })
    }

    /// Returns the margin and the verdict.
    fn by_value(&mut self, rule: &ByValue) -> Result<(String, String), SqlRefusal> {
        let word = self.text_column("stated", &rule.path)?;
        let words = |words: &[String]| {
            let words = self.dialect.literals(words.iter().map(String::as_str));
            match words.as_str() {
                "" => "false".to_owned(),
                words => format!("{word} in ({words})"),
            }
        };
        let tie = match &rule.tie {
            Some(tie) => words(tie),
            None => format!("{word} is not null"),
        };
        let [a, b] = [&rule.words[0], &rule.words[1]].map(|of| words(of));
        let verdict = format!("case when {a} then 'a' when {b} then 'b' when {tie} then 'tie' end");
        let margins = rule
            .margins
            .iter()
            .map(|(word, margin)| format!("when {} then {margin:e} ", self.dialect.literal(word)));
        let margin = match margins.collect::<String>() {
            margins if margins.is_empty() => NO_MARGIN.to_owned(),
            margins => format!("case {word} {margins}end"),
        };
        Ok((margin, verdict))
    }

    fn by_field(
        &mut self,
        path: Option<&Path>,
        fields: &OutcomePaths,
    ) -> Result<String, SqlRefusal> {
        let tie = match &fields.tie {
            Some(path) => self.flag_column("ties", path)?,
            None => "false".to_owned(),
        };
        let [of_a, of_b] = [&fields.responses[0], &fields.responses[1]];
        let (a, b, nothing) = match path {
            Some(path) => {
                let winner = self.text_column("stated", path)?;
                let mut is_of = |name, path| {
                    let name = self.text_column(name, path)?;
                    Ok(format!("coalesce({winner} = {name}, false)"))
                };
                let (a, b) = (is_of("name_of_a", of_a)?, is_of("name_of_b", of_b)?);
                let nothing = "('', 'n/a', 'na', 'nan', 'none', 'null')";
                (
                    a,
                    b,
                    format!("not {tie} and lower(trim({winner})) in {nothing}"),
                )
            }
            None => {
                let (a, b) = (
                    self.flag_column("a_wins", of_a)?,
                    self.flag_column("b_wins", of_b)?,
                );
                let nothing = format!("{tie} and ({a} or {b})");
                (a, b, nothing)
            }
        };
        Ok(format!(
            "case when {nothing} then null when {tie} then 'tie' \
             when {a} and not {b} then 'a' when {b} and not {a} then 'b' end"
        ))
    }

    /// Adds a column with the text at a path.
    fn text_column(&mut self, name: &str, path: &Path) -> Result<String, SqlRefusal> {
        let text = self.text_at(path)?;
        self.of_sample(name, |_| Ok(text))
    }

    /// Adds a column that is true if the value at a path is.
    fn flag_column(&mut self, name: &str, path: &Path) -> Result<String, SqlRefusal> {
        let value = self.value(path)?;
        let number = self.dialect.number(&value, true);
        self.of_sample(name, |_| Ok(format!("coalesce({number} = 1, false)")))
    }

    /// Adds the counts of each sample's votes, in all and for each response.
    ///
    /// # Errors
    /// If the schema lacks a list of numeric votes.
    pub(super) fn votes(&mut self, of: &str) -> Result<(), SqlRefusal> {
        let [votes] = self.definition.votes.as_slice() else {
            let reason = "the schema has no list of votes, or more than one";
            return Err(SqlRefusal::new(of, reason));
        };
        let score: Vec<_> = votes
            .score
            .iter()
            .flat_map(Path::steps)
            .map(String::as_str)
            .collect();
        let (Some(each), [key], false) = (
            &votes.each,
            &*score,
            votes.names_winners() || !votes.values.is_empty() || !votes.skip.is_empty(),
        ) else {
            let reason = "its votes are words, or not in the elements of one list";
            return Err(SqlRefusal::new(of, reason));
        };
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        if !key.chars().all(is_plain) {
            return Err(SqlRefusal::new(
                of,
                "the key of the votes has characters other than letters, digits and _",
            ));
        }
        let list = self.value(each)?;
        let texts = self.dialect.elements(&list, key);
        self.add_field("vote_texts", format!("case when is_read then {texts} end"));
        let number = self.dialect.number_of_text("x");
        let none: Vec<_> = votes.none.iter().map(|none| format!("{none:e}")).collect();
        let none = match none.join(", ") {
            none if none.is_empty() => "false".to_owned(),
            none => format!("{number} in ({none})"),
        };
        let (wins, loses) = if votes.positive == ResponseId::A {
            (">", "<")
        } else {
            ("<", ">")
        };
        let is_vote = format!("{number} is not null");
        let all = self.dialect.count_where("vote_texts", &is_vote);
        for (name, holds) in [
            ("votes", format!("{is_vote} and not ({none})")),
            ("votes_excluded", format!("{is_vote} and ({none})")),
            ("a_votes_for", format!("{number} {wins} 0 and not ({none})")),
            (
                "b_votes_for",
                format!("{number} {loses} 0 and not ({none})"),
            ),
        ] {
            let count = self.dialect.count_where("vote_texts", &holds);
            let count = match name {
                "votes_excluded" => format!("coalesce({count}, 0)"),
                // Unknown if there are no votes.
                _ => format!("case when {all} > 0 then {count} end"),
            };
            self.of_sample(name, |_| Ok(count))?;
        }
        Ok(())
    }
}
