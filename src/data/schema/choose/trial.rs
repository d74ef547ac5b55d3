//! Tests the schemas of a catalog against the first lines of a file: which fits best, why it does
//! not fit, and which is chosen. Explains a layout, and what to do about a file that is not JSON Lines.

use serde::de::IgnoredAny;

use super::catalog::{KnownSchema, SchemaCatalog};
use super::registry::{ChosenSchema, FirstLines, SchemaChoiceError, detect, fit, match_line};
use crate::schema::Definition;
use crate::schema::row::lines::RowReader;
use crate::source::lines::refusal;
use crate::text::one_line;

/// The result for the schema that fits best.
#[derive(Debug)]
pub struct SchemaTrial {
    /// The schema.
    pub known: KnownSchema,
    /// Number of lines that it fits.
    pub rows: usize,
    /// Number of values found in these lines.
    pub values: usize,
    /// The first line, from 1, that it does not fit, and the reason; `None` if it fits all.
    pub mismatch: Option<(usize, String)>,
}

impl SchemaCatalog {
    /// Tests the schemas against the first lines of a file: at least one, none of them blank.
    /// Returns the one that fits best, and the chosen one or why there is none.
    pub fn trial(
        &self,
        lines: &[&[u8]],
    ) -> (Option<SchemaTrial>, Result<ChosenSchema, SchemaChoiceError>) {
        let lines = FirstLines::new(lines.iter().copied());
        let first = lines.first().filter(|line| line.is_record);
        let fits = self.iter().map(|known| {
            let schema = known.schema();
            // Of schemas that fit no line, the best finds the most values in the first record.
            let found = first
                .and_then(|line| RowReader::new(&schema).captured(line).ok())
                .map_or(0, |(row, _)| row.values.iter().flatten().count());
            ((fit(&schema, &lines), found), known, schema)
        });
        let best = fits.max_by_key(|(merit, ..)| *merit);
        let best = best.map(|(((rows, values), _), known, schema)| {
            let mut numbered = (1..).zip(lines.iter());
            SchemaTrial {
                known: known.clone(),
                rows,
                values,
                mismatch: numbered
                    .find_map(|(line, text)| Some((line, match_line(&schema, text).err()?))),
            }
        });
        (best, detect(self, &lines))
    }
}

impl Definition {
    /// Returns an equivalent `--map` for the prompt and the responses; `None` if there is none.
    pub fn map(&self) -> Option<String> {
        let prompt = match self.prompt.as_ref() {
            None => None,
            Some(prompt) => match prompt.path.as_slice() {
                [path] => Some(path),
                _ => return None,
            },
        };
        let named = match self.responses.as_slice() {
            [a] => vec![("prompt", prompt?), ("a", &a.text)],
            [a, b] => {
                let prompt = prompt.map(|path| ("prompt", path));
                let both = [("a", &a.text), ("b", &b.text)];
                prompt.into_iter().chain(both).collect()
            }
            _ => return None,
        };
        let map = named
            .iter()
            .map(|(name, path)| format!("{name}={path}"))
            .collect::<Vec<_>>()
            .join(",");
        let is_sayable = !self.responses.iter().any(|it| it.is_of_each() || it.json)
            && map.matches(['=', ',']).count() == 2 * named.len() - 1
            && !map.contains(char::is_whitespace);
        is_sayable.then_some(map)
    }
}

/// Describes a file whose first lines are not records, by its first line, and what to do about it.
pub fn not_json(line: &[u8]) -> String {
    let text = std::str::from_utf8(line).unwrap_or_default();
    if let Some(why) = refusal(line) {
        why.to_owned()
    } else if let Some(advice) = of_rest(text) {
        advice
    } else if is_header(text) {
        "it looks like CSV, but no row matches its header; check the export".to_owned()
    } else {
        "its first lines are not JSON objects; each line must be one record".to_owned()
    }
}

/// Returns advice about a first line with something after its record; `None` if there is nothing.
fn of_rest(line: &str) -> Option<String> {
    let record = match line.as_bytes().first()? {
        b'{' => "object",
        b'[' => "list",
        _ => return None,
    };
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<IgnoredAny>();
    match values.next()? {
        Err(error) if error.is_eof() => {
            return Some(format!(
                "its first {record} does not end; the file may be cut off"
            ));
        }
        first => first.ok()?,
    };
    Some(match line.get(values.byte_offset()..)?.trim() {
        "" => return None,
        "," => format!(
            "line 1 has a comma after its {record}; remove these commas: \
             sed 's/,[[:space:]]*$//' FILE"
        ),
        rest if rest.starts_with(['{', '[']) => format!(
            "line 1 has another record after its {record}; put each on a line: jq -c . FILE"
        ),
        rest => format!(
            "line 1 has `{}` after its {record}; each line must be one record and nothing else",
            one_line(rest, 24)
        ),
    })
}

/// True if a line is a list of column names, separated by commas or tabs.
fn is_header(line: &str) -> bool {
    let separator = if line.contains('\t') { '\t' } else { ',' };
    let is_name = |name: &str| {
        let name = name.trim_matches('"');
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    line.contains(separator) && line.split(separator).all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(lines: &[&str]) -> (SchemaTrial, Result<ChosenSchema, SchemaChoiceError>) {
        let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
        let (best, chosen) = SchemaCatalog::default().trial(&lines);
        (best.expect("a schema"), chosen)
    }

    #[test]
    fn the_best_schema_says_why_it_does_not_fit() {
        let rated = r#"{"prompt": "p", "response": "r", "helpfulness": 3, "correctness": 4}"#;
        let (best, chosen) = trial(&[rated, "{}"]);
        assert_eq!(
            (best.known.name(), best.rows, best.values),
            ("helpsteer2", 1, 4)
        );
        assert_eq!(best.mismatch, Some((2, "/prompt is missing".to_owned())));
        assert!(chosen.is_ok_and(|chosen| !chosen.is_guess && chosen.why.contains("first line")));
        let of = |name: &str, line: &str| {
            let all = SchemaCatalog::default();
            let known = all.get(name).expect("a schema");
            let schema = known.schema();
            (match_line(&schema, line.as_bytes()).err()).unwrap_or_default()
        };
        assert_eq!(of("webgpt-flat", rated), "/question/full_text is missing");
        let unjudged = r#"{"prompt": "p", "response_1": "x", "response_2": "y"}"#;
        assert_eq!(
            of("helpsteer2-preference", unjudged),
            "/preference_strength does not name a winner"
        );
        let unrated = r#"{"prompt": "p", "response": "r"}"#;
        assert!(of("helpsteer2", unrated).starts_with("no response has a value for helpfulness"));
        assert!(of("helpsteer2", "x").contains("not a JSON object"));
    }

    #[test]
    fn a_guess_is_a_map() {
        let (best, chosen) = trial(&[r#"{"question": "q", "chosen": "x", "rejected": "y"}"#]);
        let chosen = chosen.expect("a guess");
        assert!(chosen.is_guess);
        assert_eq!(
            chosen.schema.definition().map().as_deref(),
            Some("prompt=/question,a=/chosen,b=/rejected")
        );
        assert_eq!(best.rows, 0);
        let (_, chosen) = trial(&[r#"{"x": 1}"#]);
        let error = chosen.expect_err("nothing to show");
        assert!(error.to_string().contains("--map"), "{error}");
    }

    #[test]
    fn what_to_do() {
        for (lines, expected) in [
            (&["id,prompt,response", "1,p,r"][..], "CSV"),
            (&["\"id\"\tprompt"], "CSV"),
            (&["well, hello there"], "each line must be"),
            (
                &["{\"prompt\": \"p\",", "\"r\": \"r"],
                "object does not end",
            ),
            (
                &["[{\"a\": 1},"],
                "list does not end; the file may be cut off",
            ),
            (&["{'prompt': 'p'}"], "each line must be"),
            (
                &["\u{1a}row 1 has 7 fields, the header 2\t{}"],
                "row 1 has 7 fields",
            ),
            (
                &["{\"a\": 1}, ", "{\"a\": 2},"],
                "line 1 has a comma after its object; remove these commas: sed 's/,",
            ),
            (&["[1, 2],", "[3, 4],"], "a comma after its list"),
            (
                &["{\"a\": 1} {\"a\": 2}"],
                "another record after its object; put each on a line: jq -c .",
            ),
            (&["{\"a\": 1};"], "line 1 has `;` after its object"),
        ] {
            let said = not_json(lines[0].as_bytes());
            assert!(said.contains(expected), "{said}");
        }
    }
}
