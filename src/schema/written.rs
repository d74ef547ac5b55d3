//! A schema as the text of its file.

use std::fmt::Write as _;
use std::sync::Arc;

use super::guess::{FieldRole, ResponseNames, Said};
use super::{Definition, Schema, VerdictRule};
use crate::model::ResponseId;
use crate::text::one_line;
use crate::toml_file::{self, TomlFault};

impl Definition {
    /// The same under a name of its own, as where a file says so: nothing of it is guessed any more. What a
    /// guess reads by the names of responses becomes lists of words.
    pub fn named(&self, name: &str) -> Self {
        let mut named = Self {
            name: name.to_owned(),
            title: name.to_owned(),
            guess: None,
            toml: Arc::default(),
            ..self.clone()
        };
        if let Some(VerdictRule::ByValue(rule)) = named.verdict.as_mut().map(|it| &mut it.rule)
            && let Some(names) = rule.names.take()
        {
            for (words, known) in rule.words.iter_mut().zip(self.words_of(&names, false)) {
                words.extend(
                    known
                        .into_iter()
                        .filter(|word| !words.contains(word))
                        .collect::<Vec<_>>(),
                );
            }
        }
        for vote in &mut named.votes {
            let Some(names) = vote.words.take() else {
                continue;
            };
            for (id, known) in
                ResponseId::first(self.responses.len()).zip(self.words_of(&names, true))
            {
                vote.choices.entry(id.word().to_owned()).or_insert(known);
            }
            vote.choices
                .entry("tie".to_owned())
                .or_insert_with(|| vec!["tie".to_owned()]);
        }
        named
    }

    /// The words by which names know each response: the key of its field, and where it is asked for its letter.
    fn words_of(&self, names: &ResponseNames, has_letters: bool) -> Vec<Vec<String>> {
        let words = self.responses.iter().enumerate().map(|(place, response)| {
            let key = response.whole_path().last_key().map(str::to_owned);
            let letter = ResponseId::new(place).filter(|_| has_letters);
            let words = key
                .into_iter()
                .chain(letter.map(|id| id.letter().to_owned()));
            words
                .filter(|word| names.said(word) == Some(Said::Wins(place)))
                .collect()
        });
        words.collect()
    }

    /// The text of a schema file that says the same, above it what each field is and why.
    ///
    /// # Errors
    /// When no schema file can say it.
    pub fn written(&self, fields: &[FieldRole]) -> Result<String, TomlFault> {
        let mut out = String::new();
        for FieldRole { path, role, why } in fields.iter().filter(|it| !it.role.is_empty()) {
            let line = format!("{}: {role} ({why})", one_line(&path.to_string(), 200));
            let _ = writeln!(out, "# {}", one_line(&line, 400));
        }
        out.push_str(if out.is_empty() { "" } else { "\n" });
        out.push_str(&toml_file::text_of(self)?);
        Schema::parse(&out).map(|_| out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SchemaChoice, built_in};
    use super::*;

    fn plain(definition: &Definition) -> Definition {
        definition.named("x")
    }

    #[test]
    fn a_written_schema_reads_as_the_same() {
        for definition in built_in() {
            let toml = definition.written(&[]).expect("a schema");
            let read = Definition::parse(&toml).expect("a schema");
            assert_eq!(plain(&read), plain(&definition), "{toml}");
        }
    }

    #[test]
    fn a_released_field_is_written() {
        let toml = "name = \"x\"\ntitle = \"x\"\nrows = \"inline\"\nprompt.path = \"/p\"\n\
            [[response]]\ntext = \"/a\"\n[[fact]]\nname = \"topic\"\npath = \"/t\"\nblind = \"show\"\n\
            [[fact]]\nname = \"model\"\npath = \"/m\"\nblind = \"hide\"\n\
            [[text]]\nname = \"context\"\npath = \"/c\"\nblind = \"show\"\n";
        let definition = Definition::parse(toml).expect("a schema");
        let written = definition.written(&[]).expect("a schema");
        assert_eq!(written.matches("blind = \"show\"").count(), 2, "{written}");
        assert!(!written.contains("hide"), "{written}");
        let read = Definition::parse(&written).expect("a schema");
        assert_eq!(plain(&read), plain(&definition));
        let fault = Definition::parse(&toml.replace("hide", "never")).expect_err("no such word");
        assert!(fault.what.contains("write blind = \"show\""), "{fault:?}");
    }

    #[test]
    fn a_written_guess_reads_as_the_same() {
        for line in [
            r#"{"ask":"why?","answer_a":"so it is","answer_b":"not so","winner":"a","who":"x"}"#,
            r#"{"prompt":"why?","response/1":"so it is","response/2":"not so","response/3":"or so"}"#,
            r#"{"ask":"why?","reply 1":"so it is","reply 2":"not so","reply 3":"or so","pick":"reply 1"}"#,
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","votes":["A","B","A"]}"#,
            r#"{"prompt":"why?","chosen":"so it is","rejected":"not so","score_chosen":1,"score_rejected":0}"#,
            r#"{"prompt":"why?","responses":[{"text":"so it is","score":1},{"text":"not","score":2}]}"#,
            r#"{"prompt":"why?","completions":["so it is","not so"],"scores":[1,2]}"#,
            r#"{"system":"be","context":"c","prompt":"why?","response":"so it is","rating":1}"#,
            r#"{"chosen":"\n\nHuman: why?\n\nAssistant: so","rejected":"\n\nHuman: why?\n\nAssistant: no"}"#,
            r#"{"prompt":"why?","model_a":"m","model_b":"n","response_a":"x","response_b":"y","winner_model_a":1,"winner_model_b":0,"winner_tie":0}"#,
        ] {
            let lines = [line.as_bytes()];
            let schema = SchemaChoice::default().schema(&lines);
            let definition = schema.expect("a schema").definition().clone();
            let records = [serde_json::from_str(line).expect("JSON")];
            let toml = definition
                .named("it's \"mine\"")
                .written(&definition.field_roles(&records));
            let read = Definition::parse(&toml.expect("a schema")).expect("a schema");
            assert_eq!(plain(&read), plain(&definition));
        }
    }
}
