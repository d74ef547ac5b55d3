//! Decoding of containers from every kind of input, complete and truncated.

use super::*;

/// Returns `count` records as a JSON list, and as the expected lines.
fn list(count: usize) -> (String, String) {
    let record = |at: usize| {
        format!(
            "{{\"prompt\":\"p {at}\",\"text\":\"{}\"}}",
            "ab \\\"] ".repeat(at % 50)
        )
    };
    let records: Vec<_> = (0..count).map(record).collect();
    (
        format!("[{}]", records.join(", ")),
        records.join("\n") + "\n",
    )
}

/// Opens these bytes as every kind of input.
pub(super) fn ways(raw: &[u8]) -> Vec<Arc<Source>> {
    let mut sources = Vec::new();
    for packed in [raw.to_vec(), gzip(raw), zstd(raw)] {
        let file = test_file(&packed);
        for memory_limit in [0, 3_000, spool::MEMORY_LIMIT] {
            sources.push(open_within(&file.path, memory_limit));
        }
        let (pipe, mut writer) = piped();
        std::thread::spawn(move || {
            for piece in packed.chunks(1000) {
                writer.write_all(piece).expect("room");
            }
        });
        sources.push(Arc::new(pipe));
    }
    let bytes = raw.to_vec().leak();
    sources.push(
        Source::open(&Input::Embedded {
            name: "demo",
            bytes,
        })
        .expect("opened"),
    );
    sources
}

#[test]
fn a_list_is_read_as_lines_wherever_it_comes_from() {
    let (text, lines) = list(400);
    let pretty = format!(
        "\u{feff}\n{{\n  \"metadata\": {{\"of\": [1]}},\n  \"examples\": {text},\n \"x\": []\n}}\n"
    );
    for (raw, pointer) in [(text, ""), (pretty, "/examples")] {
        for source in ways(raw.as_bytes()) {
            assert!(all(&source) == (lines.clone().into_bytes(), Ok(())));
            let rows = JsonRows::At(pointer.to_owned());
            assert_eq!(source.container(), RowContainer::Json(rows));
            assert!(!source.is_as_stored());
        }
    }
}

#[test]
fn elements_come_before_the_damage() {
    let (text, lines) = list(400);
    let whole = |count: usize| lines.split_inclusive('\n').take(count).collect::<String>();
    let at = text
        .match_indices("{\"prompt\"")
        .nth(300)
        .expect("an element")
        .0;
    let cut = text[..at + 10].to_owned();
    let no_comma = format!("{} {}", &text[..at - 2], &text[at..]);
    for (raw, kept, says) in [
        (
            cut,
            whole(300) + "{\"prompt\":",
            "the JSON list is truncated in element 301, at byte ",
        ),
        (
            no_comma,
            whole(300),
            "missing comma before element 301, at byte ",
        ),
        (
            text.clone() + "[]",
            lines.clone(),
            "is followed by other data at byte ",
        ),
    ] {
        for source in ways(raw.as_bytes()) {
            let (bytes, end) = all(&source);
            assert!(
                bytes.trim_ascii_end() == kept.trim_end().as_bytes(),
                "{says}"
            );
            let message = end.expect_err("broken").to_string();
            assert!(message.contains(says), "{message}");
            assert!(
                message.contains(" elements before it are kept; "),
                "{message}"
            );
        }
    }
}

#[test]
fn a_list_is_found_where_it_is_said_to_be() {
    let text = b"{\"a\": [{\"x\": 1}], \"b\": {\"c\": [{\"x\": 2}, {\"x\": 3}]}}";
    let file = test_file(text);
    let within = |pointer: &str| {
        let document = Box::new(Input::Path(file.path.clone()));
        let pointer = pointer.to_owned();
        all(&Source::open(&Input::Within { document, pointer }).expect("opened"))
    };
    assert_eq!(within("/b/c"), (b"{\"x\":2}\n{\"x\":3}\n".to_vec(), Ok(())));
    let (bytes, end) = within("/b/d");
    let message = end.expect_err("nothing").to_string();
    assert!(
        bytes.is_empty() && message.contains("no JSON list at `/b/d`"),
        "{message}"
    );
}

#[test]
fn a_line_that_reads_as_a_row_is_no_list() {
    let text = b"[{\"x\": 1}, {\"x\": 2}]\n";
    let file = test_file(text);
    let input = Input::Path(file.path.clone());
    for (is_row, container) in [
        (true, RowContainer::Lines),
        (false, RowContainer::Json(JsonRows::At(String::new()))),
    ] {
        let source = Source::open_rows(&input, RowSearch::new(move |_| is_row)).expect("opened");
        all(&source).1.expect("all of it");
        assert_eq!(source.container(), container);
    }
}

#[test]
fn rows_of_a_pipe_are_there_before_the_next_ones() {
    let (source, mut writer) = piped();
    writer.write_all(b"[\n{\"a\": 1},").expect("room");
    assert_eq!(source.wait_beyond(0, LONG).expect("good").len, 8);
    writer.write_all(b"\n{\"a\": 2}").expect("room");
    assert_eq!(source.wait_beyond(8, LONG).expect("good").len, 16);
    writer.write_all(b"]").expect("room");
    drop(writer);
    assert_eq!(all(&source), (b"{\"a\":1}\n{\"a\":2}\n".to_vec(), Ok(())));
}

#[test]
fn a_table_is_read_as_lines_wherever_it_comes_from() {
    let mut text = "\u{feff}id,prompt\r\n".to_owned();
    let mut lines = String::new();
    for at in 1..=500 {
        text.push_str(&format!("{at},\"a \"\"{at}\"\",\nb\"\r\n"));
        lines.push_str(&format!(
            "{{\"id\":\"{at}\",\"prompt\":\"a \\\"{at}\\\",\\nb\"}}\n"
        ));
    }
    for (raw, separator) in [
        (text.clone(), b','),
        (text.replace(",\"", "\t\"").replace("d,p", "d\tp"), b'\t'),
        (text.replace(",\"", ";\"").replace("d,p", "d;p"), b';'),
    ] {
        for source in ways(raw.as_bytes()) {
            assert!(all(&source) == (lines.clone().into_bytes(), Ok(())));
            let RowContainer::Table(dialect) = source.container() else {
                panic!("no table");
            };
            assert_eq!(dialect.separator, separator);
        }
    }
}

#[test]
fn rows_of_columns_come_before_the_damage() {
    let values = |name: &str| {
        let value = |at: u32| format!("\"{name} {}\"", at.wrapping_mul(2_654_435_761));
        (0..3000).map(value).collect::<Vec<_>>().join(",")
    };
    let [prompts, texts] = ["p", "t"].map(values);
    let text = format!("{{\"prompt\":[{prompts}],\"text\":[{texts}]}}");
    let gz = gzip(text.as_bytes());
    for (raw, rows, expected) in [
        (
            [&gz, &b"garbage after the end"[..]].concat(),
            3000,
            "is followed by other data",
        ),
        (gz[..gz.len() - 3].to_vec(), 3000, "is truncated"),
        (gz[..gz.len() * 3 / 4].to_vec(), 3000, "is truncated"),
    ] {
        let file = test_file(&raw);
        let (lines, end) = all(&open(&file.path).expect("opened"));
        let error = end.expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), rows);
        let kept_all = |kept: u64| kept == lines.len() as u64;
        assert!(matches!(error, SourceError::Decode { kept, .. } if kept_all(kept)));
    }
}
