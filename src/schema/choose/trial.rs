//! Tests the schemas of a catalog against the first lines of a file: which fits best, why it does
//! not fit, and which is chosen. Explains a layout, and what to do about a file that is not JSON Lines.

use std::ops::Deref;

use serde::de::IgnoredAny;

use super::catalog::{KnownSchema, SchemaCatalog};
use super::registry::{ChosenSchema, FirstLines, SchemaChoiceError, detect};
use crate::schema::row::line_reader::RowReader;
use crate::schema::row::reader::CapturedRow;
use crate::schema::row::slots::{RatingSlot, ResponseSlots, Slots, TextSlot};
use crate::schema::{Definition, Schema, VerdictRule};
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

/// Tests a schema against a line for detection: returns the row or why the schema is rejected.
fn match_line<'s, 'r>(schema: &'s Schema, line: &'r [u8]) -> Result<CapturedRow<'s, 'r>, String> {
    let row = schema.row(line).map_err(|error| error.reason)?;
    let definition = schema.definition();
    if !row.has_needs() {
        let mut needs = definition.needs.iter().zip(&schema.slots.needs);
        let is_absent = |slot: usize| row.value(slot).is_none_or(|value| value == "null");
        Err(match needs.find(|(_, slot)| is_absent(**slot)) {
            Some((path, _)) => format!("{path} is missing or null"),
            None => "its texts are of another kind than the schema expects".to_owned(),
        })
    } else if !row.states_winner() {
        let paths = definition.rule().into_iter().flat_map(VerdictRule::paths);
        let paths: Vec<_> = paths.map(|path| path.to_string()).collect();
        Err(format!("{} does not name a winner", paths.join(", ")))
    } else if !row.is_rated() && !schema.labels().is_empty() {
        let names: Vec<_> = schema.labels().iter().map(|label| &*label.name).collect();
        Err(format!("no response has a value for {}", names.join(", ")))
    } else {
        Ok(row)
    }
}

/// How well a schema fits: number of readable rows, then of values found in them.
pub type Fit = (usize, usize);

pub fn fit(schema: &Schema, lines: &[impl Deref<Target = [u8]>]) -> Fit {
    let mut fit = (0, 0);
    for row in (lines.iter()).filter_map(|line| match_line(schema, line).ok()) {
        fit.0 += 1;
        fit.1 += row.filled();
    }
    fit
}

impl CapturedRow<'_, '_> {
    /// True if it has all values that detection requires.
    fn has_needs(&self) -> bool {
        let Slots { needs, prompt, .. } = &self.schema.slots;
        let texts = prompt
            .iter()
            .filter_map(|prompt| prompt.texts.first().copied())
            .chain(self.responses().map(|response| response.text));
        let is_json = |text: TextSlot| {
            let value = self.value(text.slot);
            value.is_some_and(|value| value.starts_with("\"[") || value.starts_with("\"{"))
        };
        // A list of messages is one response, not a list of responses.
        let is_text = |response: &ResponseSlots| {
            let value = self.value(response.text.slot);
            !response.is_bare_element || value.is_some_and(|value| value.starts_with('"'))
        };
        needs.iter().all(|&slot| self.is_there(slot))
            && texts.filter(|text| text.is_json).all(is_json)
            && self.responses().all(is_text)
    }

    /// True if any response has a valid value for any label.
    fn is_rated(&self) -> bool {
        let labels = &self.schema.definition().labels;
        let mut rated = self
            .responses()
            .flat_map(|response| response.ratings.iter().zip(labels));
        rated.any(|(slot, label)| match slot {
            Some(RatingSlot::Value(slot)) => {
                let is_list = self
                    .value(*slot)
                    .is_some_and(|value| value.starts_with('['));
                is_list == label.reduce.is_some() && matches!(self.rated(*slot, label), Ok(Some(_)))
            }
            // Constants are the same in every row.
            Some(RatingSlot::Constant(_)) => true,
            None => false,
        })
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
