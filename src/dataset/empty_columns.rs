//! Columns of a schema without any value, for example because of a mistyped path.

use super::{Chunk, Dataset};
use crate::schema::Definition;
use crate::table::{Column, ColumnData, ColumnId, Values};

impl Dataset {
    /// Returns the paths at which the schema of the first file finds no value in any sample: of a
    /// label, a fact, the verdict, votes, or texts about samples and responses, each with what it
    /// is for. Empty if there are no samples.
    pub fn empty_columns(&self) -> Vec<String> {
        let Some(first) = self.files().first() else {
            return Vec::new();
        };
        let schema = &first.schema;
        let definition = schema.definition();
        let is_of_schema = |chunk: &Chunk| {
            let file = self.files().get(chunk.file());
            file.is_some_and(|file| file.schema.definition() == definition)
        };
        let chunks = self.chunks().iter().map(|chunk| &**chunk);
        let chunks: Vec<_> = chunks.filter(|chunk| is_of_schema(chunk)).collect();
        if chunks.iter().all(|chunk| chunk.rows() == chunk.malformed()) {
            return Vec::new();
        }
        let (labels, facts) = schema.columns().split_at(definition.labels.len());
        let mut empty = empty_labels(definition, labels, &chunks);
        let any = |has: &dyn Fn(&Chunk) -> bool| chunks.iter().any(|chunk| has(chunk));
        let has_any =
            |id| any(&|chunk: &Chunk| chunk.columns().get(id).is_some_and(ColumnData::has_any));
        if schema.states_verdicts() && !has_any(ColumnId::VERDICT) {
            let paths = definition.verdict_values().into_iter();
            empty.extend(paths.map(|path| format!("{path} (verdict)")));
        }
        for (column, fact) in facts.iter().zip(&definition.facts) {
            if !has_any(column.id) {
                empty.push(format!("{} (fact {})", fact.path, fact.name));
            }
        }
        if definition.has_votes() && !any(&Chunk::has_votes) {
            let paths = definition.paths_of_votes();
            empty.extend(paths.map(|path| format!("{path} (vote)")));
        }
        let is_read = |place: &usize| chunks.iter().any(|chunk| chunk.texts.contains(place));
        let texts = definition.places_of_texts().into_iter().enumerate();
        empty.extend(texts.filter(|(place, _)| !is_read(place)).map(|(_, it)| {
            let path = definition.path_of_text(&it);
            format!("{path} (text {})", it.text.name)
        }));
        empty
    }
}

/// Returns the paths at which no response has a value of a label, for each `[[response]]`
/// separately if it names its response.
fn empty_labels(definition: &Definition, columns: &[Column], chunks: &[&Chunk]) -> Vec<String> {
    let is_distinct = !definition.joins_rows() && !definition.has_response_lists();
    let mut empty = Vec::new();
    for (label, column) in definition.labels.iter().zip(columns) {
        for (table, path) in definition.paths_of_label(&label.name) {
            let has_any = |chunk: &&Chunk| {
                let lists = chunk.columns().numbers(column.id).unwrap_or_default();
                let lists = match is_distinct {
                    true => lists.get(table..=table).unwrap_or_default(),
                    false => lists,
                };
                lists.iter().any(Values::has_any)
            };
            if !chunks.iter().any(has_any) {
                empty.push(format!("{path} (label {})", label.name));
            }
        }
    }
    empty
}

#[cfg(test)]
mod tests {
    use crate::dataset::tests::dataset_as;

    #[test]
    fn paths_without_any_value_are_found() {
        let schema = |label: &str, fact: &str, verdict: &str| {
            format!(
                "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                 verdict = {{ path = '{verdict}', a = ['1'], b = ['2'] }}\n\
                 [[response]]\ntext = '/a'\nratings.good = '/r/0'\n\
                 [[response]]\ntext = '/b'\nratings.good = '{label}'\n\
                 [[label]]\nname = 'good'\nkind = 'score'\nabout = 'x'\n\
                 [[fact]]\nname = 'tags'\npath = '{fact}'\n"
            )
        };
        let text = concat!(
            r#"{"p": "p", "a": "a", "b": "b", "w": 1, "r": [1, 2], "tags": []}"#,
            "\n",
            r#"{"p": "p", "a": "a", "b": "b", "w": 2, "r": [null, 2], "tags": ["t"]}"#,
            "\nno JSON\n",
        );
        let empty = |schema: String, text: &str| dataset_as(&schema, text).empty_columns();
        assert_eq!(empty(schema("/r/1", "/tags/*", "/w"), text), [""; 0]);
        // The other response has a value of the label.
        let slip = empty(schema("/r/7", "/tags/*", "/w"), text);
        assert_eq!(slip, ["/r/7 (label good)"]);
        let slips = schema("/r/1", "/tag/*", "/v").replace("/r/", "/s/");
        assert_eq!(
            empty(slips.clone(), text),
            [
                "/s/0 (label good)",
                "/s/1 (label good)",
                "/v (verdict)",
                "/tag/* (fact tags)"
            ]
        );
        assert_eq!(empty(slips, "no JSON\n"), [""; 0]);
    }

    #[test]
    fn paths_start_at_the_record() {
        let listed = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\neach = '/answers'\ntext = 'text'\nratings.rank = 'ranks'\n\
                      [[label]]\nname = 'rank'\nkind = 'score'\nabout = 'x'\n";
        let text = r#"{"p": "p", "answers": [{"text": "a", "rank": 1}, {"text": "b", "rank": 2}]}"#;
        let empty = |schema: &str| dataset_as(schema, text).empty_columns();
        assert_eq!(empty(listed), ["/answers/*/ranks (label rank)"]);
        assert_eq!(empty(&listed.replace("ranks", "rank")), [""; 0]);
    }

    #[test]
    fn texts_are_read_where_any_row_has_one() {
        let schema = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\ntext = '/a'\ntexts.critique = '/of/*/a'\n\
                      [[response]]\ntext = '/b'\ntexts.critique = '/of/*/c'\n\
                      [[text]]\nname = 'critique'\n[[text]]\nname = 'note'\npath = '/note'\n";
        let row = |of: &str, note: &str| {
            format!(r#"{{"p": "p", "a": "a", "b": "b", "of": {of}, "note": {note}}}"#) + "\n"
        };
        let plain = row(r#"[{"a": null}]"#, "null");
        let all = row(r#"[{"a": "x"}, {"c": "y"}]"#, r#""n""#);
        let empty = |text: &str| dataset_as(schema, text).empty_columns();
        assert_eq!(
            empty(&plain),
            [
                "/of/*/a (text critique)",
                "/of/*/c (text critique)",
                "/note (text note)"
            ]
        );
        let one = row(r#"[{}, {"a": "x"}]"#, r#""n""#);
        assert_eq!(empty(&one.repeat(2)), ["/of/*/c (text critique)"]);
        for rows in [[&all, &plain], [&plain, &all]] {
            assert_eq!(empty(&rows.map(String::as_str).concat()), [""; 0]);
        }
        let other = row(r#"[{"c": "y"}]"#, "null");
        assert_eq!(empty(&(one.clone() + &other)), [""; 0]);
        // Values that are not texts, or are blank, are ignored.
        for note in [r#"{"text": "n"}"#, r#""""#, r#"" ""#, "[]", "[null]"] {
            assert_eq!(
                empty(&row(r#"[{"a": "x", "c": "y"}]"#, note)),
                ["/note (text note)"],
                "{note}"
            );
        }
    }

    #[test]
    fn texts_of_any_number_of_responses() {
        let schema = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\neach = '/answers'\ntext = 'text'\ntexts.note = 'notes'\n\
                      [[text]]\nname = 'note'\n";
        let text = r#"{"p": "p", "answers": [{"text": "a"}, {"text": "b", "note": "n"}]}"#;
        let empty = |schema: &str| dataset_as(schema, text).empty_columns();
        assert_eq!(empty(schema), ["/answers/*/notes (text note)"]);
        assert_eq!(empty(&schema.replace("notes", "note")), [""; 0]);
    }

    /// However many there are, each is listed.
    #[test]
    fn each_of_many_texts() {
        let texts = (0..70).map(|n| format!("[[text]]\nname = 't{n}'\npath = '/t{n}'\n"));
        let schema = format!(
            "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
             [[response]]\ntext = '/a'\n{}",
            texts.collect::<String>()
        );
        let there = (0..70).filter(|n| ![0, 63, 66].contains(n));
        let there: String = there.map(|n| format!(r#", "t{n}": "x""#)).collect();
        let text = format!(r#"{{"p": "p", "a": "a"{there}}}"#);
        assert_eq!(
            dataset_as(&schema, &text).empty_columns(),
            ["/t0 (text t0)", "/t63 (text t63)", "/t66 (text t66)"]
        );
    }

    /// Annotators' values count, including exclusions.
    #[test]
    fn votes_that_exclude_a_sample_are_votes() {
        let schema = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\ntext = '/a'\n[[response]]\ntext = '/b'\n\
                      [[vote]]\neach = '/v'\nscore = 's'\nnone = [-100]\n";
        let row = |score: &str| format!(r#"{{"p": "p", "a": "a", "b": "b", "v": [{score}]}}"#);
        for (score, empty) in [
            (r#"{"s": -100}"#, false),
            (r#"{"s": 1}"#, false),
            ("", true),
        ] {
            let found = dataset_as(schema, &row(score)).empty_columns();
            assert_eq!(found.is_empty(), !empty, "{score} {found:?}");
        }
    }
}
