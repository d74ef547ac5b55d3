//! Writes a schema as the text of a file.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::schema::guess::FieldRole;
use crate::schema::{Definition, Schema};
use crate::text::one_line;
use crate::toml_file::{self, TomlFault};

impl Definition {
    /// Returns this schema under a new name, as if read from a file: no longer a guess.
    pub fn named(&self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: name.to_owned(),
            guess: None,
            toml: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the text of an equivalent schema file, with the role of each field and the reason as
    /// comments.
    ///
    /// # Errors
    /// If no schema file can express it.
    pub fn to_toml(&self, fields: &[FieldRole]) -> Result<String, TomlFault> {
        let mut out = String::new();
        for FieldRole { path, role, why } in fields.iter().filter(|it| !it.role.is_empty()) {
            let line = format!("{}: {role} ({why})", one_line(&path.to_string(), 200));
            let _ = writeln!(out, "# {}", one_line(&line, 400));
        }
        out.push_str(if out.is_empty() { "" } else { "\n" });
        out.push_str(&toml_file::to_toml(self)?);
        Schema::parse(&out).map(|_| out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{SchemaCatalog, SchemaChoice, built_in};

    fn plain(definition: &Definition) -> Definition {
        definition.named("x")
    }

    #[test]
    fn a_written_schema_reads_as_the_same() {
        for definition in built_in() {
            let toml = definition.to_toml(&[]).expect("a schema");
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
        let written = definition.to_toml(&[]).expect("a schema");
        assert_eq!(written.matches("blind = \"show\"").count(), 2, "{written}");
        assert!(!written.contains("hide"), "{written}");
        let read = Definition::parse(&written).expect("a schema");
        assert_eq!(plain(&read), plain(&definition));
        let fault = Definition::parse(&toml.replace("hide", "never")).expect_err("no such word");
        assert!(fault.what.contains("write blind = \"show\""), "{fault:?}");
    }

    /// Returns each row with all its fields, or its error.
    fn readings(schema: &Schema, lines: &[&[u8]]) -> Vec<String> {
        let reading = |line: &&[u8]| {
            let record = schema.row(line).and_then(|row| row.record());
            format!("{:?}", record.map(|it| schema.with_fields(it, line)))
        };
        lines.iter().map(reading).collect()
    }

    /// Reads a file by its guess, and by the schema file written from the guess.
    fn assert_same_readings(name: &str, text: &[u8]) {
        let lines: Vec<_> = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
            .collect();
        // Later rows have words that the first ones lack.
        let first = &lines[..lines.len().div_ceil(2).min(64)];
        let choice = SchemaChoice::Detect(SchemaCatalog::none());
        let Ok(guess) = choice.schema(first) else {
            return;
        };
        let definition = guess.definition().named("it's \"mine\"");
        let toml = definition.to_toml(&[]);
        let toml = toml.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let read = Schema::parse(&toml).expect("a schema");
        assert_eq!(
            plain(read.definition()),
            plain(&definition),
            "{name}: {toml}"
        );
        let named = SchemaChoice::Named(read.into())
            .schema(first)
            .unwrap_or_else(|error| panic!("{name}: {error}\n{toml}"));
        assert_eq!(readings(&named, &lines), readings(&guess, &lines), "{name}");
    }

    #[test]
    fn a_written_guess_reads_as_the_same() {
        for lines in GUESSED {
            assert_same_readings(lines, lines.as_bytes());
        }
        for folder in ["../../tests/samples", "assets/demo"] {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("a file").path();
                let text = std::fs::read(&path).expect("a file");
                assert_same_readings(&path.display().to_string(), &text);
            }
        }
    }

    /// Files of unknown layouts, with words that only later rows have.
    const GUESSED: &[&str] = &[
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
        concat!(
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","winner":"A"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","winner":"B"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","winner":"[[B]]"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","winner":"tie"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","winner":"both"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","winner":"response_a is better"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","winner":"?"}"#,
            "\n",
        ),
        concat!(
            r#"{"prompt":"why?","candidates":[{"text":"so it is"},{"text":"not so"}],"winner":1}"#,
            "\n",
            r#"{"prompt":"why?","candidates":[{"text":"so it is"},{"text":"not so"}],"winner":2}"#,
            "\n",
            r#"{"prompt":"why?","candidates":[{"text":"so it is"},{"text":"not so"}],"winner":"Response 2"}"#,
            "\n",
            r#"{"prompt":"why?","candidates":[{"text":"so it is"},{"text":"not so"}],"winner":"A"}"#,
            "\n",
            r#"{"prompt":"why?","candidates":[{"text":"so it is"},{"text":"not so"}],"winner":3}"#,
            "\n",
        ),
        concat!(
            r#"{"prompt":"why?","first":{"chosen":"x"},"chosen":4,"rejected":5}"#,
            "\n",
            r#"{"prompt":"why?","first":{"chosen":"x"},"chosen":"4","rejected":true}"#,
            "\n",
            r#"{"prompt":"why?","first":{"chosen":"x"},"chosen":{"role":"assistant","content":"x"},"rejected":{"n":1}}"#,
            "\n",
            r#"{"prompt":"why?","first":{"chosen":"x"},"chosen":[1,2],"rejected":null}"#,
            "\n",
        ),
        concat!(
            r#"{"prompt":"why?","response":"text of it","rating":1}"#,
            "\n",
            r#"{"prompt":"why?","response":4,"rating":2}"#,
            "\n",
            r#"{"prompt":"why?","response":false,"rating":2}"#,
            "\n",
            r#"{"prompt":"why?","response":{"a":1},"rating":3}"#,
            "\n",
        ),
        concat!(
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","model_a":"m","model_b":"n","winner":"m"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","model_a":"m","model_b":"n","winner":"n"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","model_a":"m","model_b":"n","winner":"tie"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","model_a":"m","model_b":"n","winner":"none"}"#,
            "\n",
            r#"{"prompt":"why?","response_a":"so it is","response_b":"not so","model_a":"m","model_b":"n","winner":"o"}"#,
            "\n",
        ),
    ];
}
