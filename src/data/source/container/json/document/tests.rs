//! What is recognised as a document, and as early as possible.

use super::*;

fn detected(text: &str, ended: bool) -> Option<String> {
    let is_row = |line: &[u8]| line.starts_with(b"[{\"q\"") || line.starts_with(b"{\"prompt\"");
    detect(text.as_bytes(), ended, &RowSearch::new(is_row)).map(|rows| match rows {
        None => "lines".to_owned(),
        Some(JsonRows::At(pointer)) => format!("list {pointer}"),
        Some(JsonRows::Splits(pointer)) => format!("splits{pointer}"),
        Some(rows) => format!("{rows:?}").to_lowercase(),
    })
}

#[test]
fn lines_and_documents() {
    for (text, expected) in [
        ("{\"prompt\": 1}\n{\"prompt\": 2}\n", "lines"),
        ("{\"a\": 1}", "lines"),
        ("{\"a\": [{\"b\": 1}]}", "lines"),
        ("[]", "lines"),
        ("[1, 2]", "lines"),
        ("{}", "lines"),
        ("[", "lines"),
        // A list of records in any layout.
        ("[{\"a\": 1}]", "list "),
        ("[{\"a\": 1}, {\"a\": 2}]\n \n", "list "),
        ("[\n{\"a\": 1},\n{\"a\": 2}\n]\n", "list "),
        ("[\r\n  {\r\n    \"a\": [1]\r\n  }\r\n]", "list "),
        ("[{\"a\": 1},\n{\"a\": 2}]", "list "),
        ("[[{\"q\": 1}, {\"q\": 2}]]", "list "),
        ("[[{\"q\": 1}, {\"q\": 2}],\n[{\"q\": 1}]]", "list "),
        // Lines that are lists; the only line of a file if it can be parsed as a row.
        ("[{\"a\": 1}]\n[{\"a\": 2}]\n", "lines"),
        ("[{\"a\": 1}]\n{\"a\": 2}\n", "lines"),
        ("[{\"q\": 1}, {\"q\": 2}]\n", "lines"),
        // A list with line breaks, and a line cut short.
        (
            "[{\"a\": 1}, {\"a\": 2}, {\"a\": 3}, {\"a\": 4} {\"a\": 5}]",
            "list ",
        ),
        ("[{\"a\": 1}, {\"a\": 2}, {\"a\": 3}] x", "list "),
        ("[{\"a\": 1} {\"a\": 2}]\n[{\"a\": 2}]\n", "lines"),
        // An object that is not a line, with rows under a usual name or in its only list of
        // objects.
        (
            "{\"metadata\": {}, \"examples\": [{\"a\": 1}]}",
            "list /examples",
        ),
        (
            "{\"models\": [{\"n\": 1}],\n \"examples\": [{\"a\": 1}, {\"a\": 2}]}",
            "list /examples",
        ),
        ("{\"a/b\": [\n{\"a\": 1}]}", "list /a~1b"),
        ("{\"a\\ud83d\": [\n{\"a\": 1}]}", "list /a\u{fffd}"),
        ("{\"x\": [\n{\"a\": 1}], \"y\": [{\"a\": 1}]}", "values"),
        ("{\"prompt\": [\n{\"role\": 1}, {\"role\": 2}]}", "values"),
        // Several lists: splits, or rows.
        (
            "{\"train\": [{\"a\": 1}], \"test\": [{\"a\": 2}]}",
            "splits",
        ),
        (
            "{\"data\": {\"train\": [{\"a\": 1}], \"test\": [{\"a\": 2}]}}",
            "splits/data",
        ),
        (
            "{\"n\": 1, \"result\": {\"n\": 2, \"items\": [{\"a\": 1}]}}",
            "list /result/items",
        ),
        (
            "{\"n\": 1, \"train_b\": [\n{\"a\": 1}], \"test\": []}",
            "splits",
        ),
        (
            "{\"x\": [{\"prompt\": 1}], \"y\": [{\"prompt\": 2}]}",
            "lists",
        ),
        // Columns, and rows that have lists.
        ("{\"p\": [\"x\", \"y\"], \"q\": [1, 2]}", "columns"),
        ("{\"p\": {\"0\": \"x\"}, \"q\": {\"0\": 1}}", "columns"),
        ("{\n\"p\": [\"x\"], \"q\": [[{\"role\": 1}]]}", "columns"),
        ("{\"p\": [\"x\", \"y\"], \"q\": [1]}", "lines"),
        ("{\"p\": [\"x\", \"y\"], \"q\": 1}", "lines"),
        (
            "{\"p\": [{\"role\": 1}, {\"role\": 2}], \"q\": [1, 2]}",
            "lines",
        ),
        // Records by key, and a row of objects.
        ("{\"k\": {\"a\": 1}, \"l\": {\"a\": 2}}", "list "),
        ("{\n\"k\": {\"prompt\": 1}}", "list "),
        ("{\"k\": {\"a\": 1}, \"l\": {\"b\": 2}}", "lines"),
        ("{\"prompt\": {\"a\": 1}, \"l\": {\"a\": 2}}", "lines"),
        // Records that span several lines each.
        ("{\n\"a\": 1\n}", "values"),
        ("{\n\"a\": 1\n}\n{\n\"a\": 2\n}\n", "values"),
        ("{\n\"a\": 1\n},\n{\n\"a\": 2\n}\n", "values"),
        ("{\n\"a\": 1\n}\nand so on\n", "lines"),
        ("{\"prompt\": 1, \"data\": [{\"a\": 1}]}\n", "lines"),
        (
            "{\"data\": [{\"a\": 1}]}\n{\"data\": [{\"a\": 1}]}\n",
            "lines",
        ),
        // A truncated first line, followed by records.
        ("[{\"q\": 1}, {\"q\"\n[{\"q\": 1}, {\"q\": 2}]\n", "lines"),
        (
            "[{\"q\": 1},\n[{\"q\": 1}, {\"q\": 2}]\n[{\"q\": 1}]\n",
            "lines",
        ),
        ("{\"a\": 1,\n{\"prompt\": 2}\n", "lines"),
        ("{\"a\":\n{\"prompt\": 2}\n{\"prompt\": 2}\n", "lines"),
        ("{\"a\": \"b\n{\"prompt\": 2}\n{\"prompt\": 2}\n", "lines"),
        (
            "{\"data\": [{\"a\": 1},\n{\"prompt\": 2}\n{\"prompt\": 2}\n",
            "lines",
        ),
        // A truncated document.
        ("[\n{\"a\": 1},\n{\"a\": 2", "list "),
        ("[{\"a\": 1}, {\"a\": 2}, {\"a\"", "list "),
        ("[{\"prompt\": 1}, {\"a\"", "list "),
        ("[{\"q\": 1}, {\"q\"", "lines"),
        ("{\n\"rows\": [{\"a\": \"]\\\"}\"},{\"a", "list /rows"),
    ] {
        assert_eq!(detected(text, true).as_deref(), Some(expected), "{text}");
        // A result for a beginning stays the same with more text.
        for end in 1..text.len() {
            if let Some(known) = detected(&text[..end], false) {
                assert_eq!(known, expected, "{}", &text[..end]);
            }
        }
    }
}

#[test]
fn what_is_known_early() {
    for (text, expected) in [
        ("{\"a\": 1}", Some("lines")),
        ("{\"a\": 1", None),
        ("[{\"q\": 1}, {\"q\": 2}]", Some("lines")),
        ("[{\"a\": 1}]\n", None),
        ("[{\"a\": 1}]\n[", Some("lines")),
        ("[\n{\"a\": 1}", None),
        ("[\n{\"a\": 1},", Some("list ")),
        ("{\"examples\": [{\"a\": 1},\n", None),
    ] {
        assert_eq!(detected(text, false).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_value_without_an_end_is_a_list_where_it_has_rows() {
    let long = "x".repeat(MAX_BYTES);
    for (head, expected) in [
        ("[{\"a\": \"", "list "),
        ("[\n{\"a\": \"", "list "),
        ("{\"version\": 1, \"train\": [{\"a\": \"", "splits"),
        ("{\"prompt\": [\"x\", \"", "columns"),
        ("[{\"a\": 1}, {\"a\": \"", "list "),
        (
            "{\"m\": 1, \"examples\": [{\"a\": 1}, {\"a\": \"",
            "list /examples",
        ),
        ("{\"prompt\": [{\"a\": 1}, {\"a\": 2}], \"r\": \"", "lines"),
        ("{\"prompt\": \"", "lines"),
    ] {
        let text = format!("{head}{long}");
        assert_eq!(detected(&text, false).as_deref(), Some(expected), "{head}");
    }
}
