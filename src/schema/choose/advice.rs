//! Advice for files that are not JSON Lines, from their first lines.

use crate::source::lines::refusal;
use crate::text::one_line;
use serde::de::IgnoredAny;

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
