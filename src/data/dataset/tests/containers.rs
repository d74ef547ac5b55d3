//! Rows of containers: how they are counted, and what is kept of a broken one.

use super::*;

/// Loads these bytes with a detected schema.
fn recognised(bytes: &[u8]) -> Result<Loaded, LoadError> {
    let loader = Loader {
        inputs: vec![embedded(bytes)],
        choice: SchemaChoice::default(),
        ..Loader::default()
    };
    let mut loaded = Loaded::default();
    loader.run(&mut |report| {
        loaded.take(report);
        ControlFlow::Continue(())
    })?;
    Ok(loaded)
}

fn pair(at: usize) -> String {
    format!("{{\"prompt\": \"p{at}\",\n \"chosen\": \"c\", \"rejected\": \"r\"}}")
}

#[test]
fn elements_of_a_list_are_rows() {
    let list = format!("[{}, {}, 3, {}]", pair(1), pair(2), pair(4));
    let nested = format!("{{\"metadata\": {{}},\n\"examples\": {list}}}");
    for (text, title) in [
        (list, "guess prompt: chosen rejected (JSON list)"),
        (
            nested,
            "guess prompt: chosen rejected (JSON list /examples)",
        ),
    ] {
        let loaded = recognised(text.as_bytes()).expect("rows");
        assert!(loaded.troubles.is_empty());
        assert_eq!(
            (loaded.dataset.samples(), loaded.dataset.malformed()),
            (4, 1)
        );
        assert_eq!(loaded.dataset.files()[0].title(), title);
        let place = &loaded.places()[3];
        assert_eq!((place.unit, place.line), ("element", 4));
        let compact = pair(4)
            .replace(": ", ":")
            .replace(",\n ", ",")
            .replace(", ", ",");
        assert_eq!(loaded.line(place), compact.as_bytes());
    }
}

#[test]
fn a_list_that_is_cut_keeps_its_elements_and_the_broken_one_is_malformed() {
    let text = format!("[{}, {}, {{\"prompt\": \"p", pair(1), pair(2));
    let loaded = recognised(text.as_bytes()).expect("rows");
    assert_eq!(
        (loaded.dataset.samples(), loaded.dataset.malformed()),
        (3, 1)
    );
    let trouble = loaded.troubles.first().expect("trouble").to_string();
    assert!(
        trouble.contains("truncated in element 3, at byte"),
        "{trouble}"
    );
}

/// A row of WebGPT as downloaded is a list of two answers.
#[test]
fn lines_that_are_lists_stay_rows() {
    let answer = |score: f64| {
        format!(
            "{{\"question\": {{\"dataset\": \"d\", \"id\": \"1\", \"full_text\": \"why?\"}}, \"quotes\": {{\"title\": [], \"extract\": []}}, \
             \"answer\": \"so\", \"tokens\": {{\"prefix\": [], \"completion\": []}}, \"score\": {score}}}"
        )
    };
    let row = format!("[{}, {}]\n", answer(0.5), answer(-0.5));
    for count in [1, 2, 5] {
        let loaded = recognised(row.repeat(count).as_bytes()).expect("rows");
        assert_eq!(
            (loaded.dataset.samples(), loaded.dataset.malformed()),
            (count, 0)
        );
        assert_eq!(loaded.dataset.files()[0].title(), "WebGPT comparisons");
        assert_eq!(loaded.places()[0].unit, "line");
    }
    let list = format!("[{}]", row.trim_end().to_owned() + "," + &row);
    let loaded = recognised(list.as_bytes()).expect("rows");
    assert_eq!(
        (loaded.dataset.samples(), loaded.dataset.malformed()),
        (2, 0)
    );
    assert_eq!(
        loaded.dataset.files()[0].title(),
        "WebGPT comparisons (JSON list)"
    );
}

#[test]
fn records_of_a_table_are_rows_and_a_ragged_one_says_so() {
    let text = "prompt,chosen,rejected\np,\"c\nd\",r\nq,c\ns,c,r\n";
    let loaded = recognised(text.as_bytes()).expect("rows");
    assert!(loaded.troubles.is_empty());
    assert_eq!(
        (loaded.dataset.samples(), loaded.dataset.malformed()),
        (3, 1)
    );
    assert_eq!(
        loaded.dataset.files()[0].title(),
        "guess prompt: chosen rejected (CSV)"
    );
    let place = &loaded.places()[2];
    assert_eq!((place.unit, place.line), ("row", 3));
    let mut buffers = Buffers::default();
    let ragged = loaded.dataset.read(1, &mut buffers).expect("a sample");
    let SampleBody::Malformed {
        row_error, line, ..
    } = ragged.body
    else {
        panic!("a row without its third field");
    };
    assert_eq!(row_error.reason, "row 2 has 2 fields, the header 3");
    assert!(
        line.ends_with("{\"prompt\":\"q\",\"chosen\":\"c\"}"),
        "{line}"
    );
}
