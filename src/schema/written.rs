//! A schema as the text of its file.

use std::fmt::Write as _;
use std::sync::Arc;

use super::guess::FieldRole;
use super::{Definition, Schema};
use crate::text::one_line;
use crate::toml_file::{self, TomlFault};

impl Definition {
    /// The same under a name of its own, as where a file says so: nothing of it is guessed any more.
    pub fn named(&self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: name.to_owned(),
            guess: None,
            toml: Arc::default(),
            ..self.clone()
        }
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
    fn a_written_guess_reads_as_the_same() {
        for line in [
            r#"{"ask":"why?","answer_a":"so it is","answer_b":"not so","winner":"a","who":"x"}"#,
            r#"{"prompt":"why?","response/1":"so it is","response/2":"not so","response/3":"or so"}"#,
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
            let mut expected = plain(&definition);
            if let Some(super::super::VerdictRule::ByValue(rule)) =
                expected.verdict.as_mut().map(|it| &mut it.rule)
            {
                rule.names = None;
            }
            assert_eq!(plain(&read), expected);
        }
    }
}
