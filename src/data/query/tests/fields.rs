//! Fields that no schema describes, from the records of a file to the result of a query.

use crate::dataset::Dataset;
use crate::dataset::tests::{dataset, dataset_as};
use crate::query::{Catalog, QueryContext, QueryResult, ReviewIndex, ScanCache, find, parse};
use std::ops::ControlFlow;

fn lines(rows: &[&str]) -> Vec<String> {
    rows.iter().map(ToString::to_string).collect()
}

fn count(query: &str, dataset: &Dataset) -> Result<usize, String> {
    let catalog = Catalog::of_dataset(dataset);
    let query = parse(query, &catalog).map_err(|error| error.message)?;
    // The printed query parses to the same query.
    let printed = query.spelled(&catalog).to_string();
    assert_eq!(parse(&printed, &catalog).as_ref(), Ok(&query), "{printed}");
    let known = QueryContext {
        memory: &ScanCache::default(),
        remarks: &ReviewIndex::default(),
        rules: catalog.rules(),
        is_blind: false,
    };
    let mut found = QueryResult::default();
    let _ = find(
        &query,
        dataset,
        0..dataset.samples(),
        known,
        &|| true,
        &mut |more, _| {
            found.extend(&more);
            ControlFlow::Continue(())
        },
    );
    Ok(found.samples.len())
}

fn check(rows: &[&str], counts: &[(&str, usize)]) {
    let dataset = dataset(&[lines(rows).join("\n")]);
    for (query, expected) in counts {
        assert_eq!(count(query, &dataset), Ok(*expected), "{query}");
    }
}

#[test]
fn fields_of_pairs() {
    check(
        &[
            r#"{"prompt": "p", "chosen": "c", "rejected": "r", "meta": {"topic": "x", "n": 9, "user query": "zz"}, "tags": ["a", "b"], "id": "007", "ok": true, "share": "85%", "stars": "4/5", "day": "2024-05-03", "margin": 3, "a.b": "dot", "Response Time": "slow", "items": [{"w": 1}, {"w": 2}]}"#,
            r#"{"prompt": "q", "chosen": "c", "rejected": "r", "meta": {"topic": "Y", "n": 10}, "tags": ["b"], "id": "7", "ok": false, "share": "9%", "stars": "2/5", "day": "2024-06", "margin": 4}"#,
            r#"{"prompt": "q", "chosen": "c", "rejected": "r", "meta": {"topic": null}, "id": "12", "n2": 9007199254740993}"#,
        ],
        &[
            ("meta.topic=x", 1),
            ("meta.topic=y", 1),
            ("meta.topic:Y", 1),
            ("meta.topic=none", 1),
            ("meta.topic!=x", 1),
            ("meta.n>9", 1),
            ("meta.n:9..10", 2),
            ("meta.n=none", 1),
            ("/meta/n>=9", 2),
            ("\"/meta/user query\"=zz", 1),
            ("meta.user_query=zz", 1),
            ("tags=a", 1),
            ("tags:b", 2),
            ("tags!=a", 1),
            ("tags=none", 1),
            // Ids are words, so leading zeros are kept.
            ("id=007", 1),
            ("id=7", 1),
            ("n2=9007199254740993", 1),
            ("n2=9007199254740992", 0),
            ("ok=true", 1),
            ("ok=1", 1),
            ("ok in (0, true)", 2),
            ("share>=10", 1),
            ("stars>3", 1),
            ("day>=2024-06", 1),
            ("day<2024-06", 1),
            ("day=2024-05", 1),
            ("day!=none", 2),
            ("/margin=3", 1),
            ("field.margin>=3", 2),
            ("/a.b=dot", 1),
            ("Response_Time=slow", 1),
            ("items.w=2", 1),
            ("meta.topic=x or meta.n=10", 2),
            ("-meta.topic=x", 2),
        ],
    );
}

#[test]
fn numbers_with_a_few_texts_and_names_of_built_in_fields() {
    let row =
        |value: String| format!(r#"{{"prompt": "p", "chosen": "c", "rejected": "r", {value}}}"#);
    let numbers =
        (0..18).map(|at| row(format!(r#""latency": {at}, "margin": {at}, "pick": {at}"#)));
    let texts = [
        r#""latency": "?", "pick": "tie""#,
        r#""latency": "late", "pick": "tie""#,
    ];
    let rows: Vec<_> = numbers
        .chain(texts.map(|text| row(text.to_owned())))
        .collect();
    let dataset = dataset(&[rows.join("\n")]);
    for (query, expected) in [
        ("latency>=10", Ok(8)),
        ("latency=none", Ok(2)),
        ("latency=?", Ok(1)),
        ("latency in (late, 3)", Ok(2)),
        ("latency!=late latency<2", Ok(2)),
        ("margin>=10", Ok(8)),
        ("margin=none", Ok(2)),
        ("pick=tie", Ok(2)),
        (
            "pick>3",
            Err("pick is a word; use = != : or in (…)".to_owned()),
        ),
    ] {
        assert_eq!(count(query, &dataset), expected, "{query}");
    }
    let catalog = Catalog::of_dataset(&dataset);
    for (query, note) in [
        (
            "latency>3",
            Some("latency: no number in 2 of 20 values: ?, late"),
        ),
        (
            "margin>3",
            Some("margin is the field of the file; the built-in margin has no value here"),
        ),
        ("row>3", None),
    ] {
        let query = parse(query, &catalog).expect("a query");
        assert_eq!(query.field_note(&catalog).as_deref(), note);
    }
}

#[test]
fn fields_of_responses() {
    let row = |prompt: &str, model: &str, seconds: &str| {
        format!(
            r#"{{"prompt": "{prompt}", "response": "r", "helpfulness": 4, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 1, "model": "{model}", "seconds": {seconds}}}"#
        )
    };
    let rows = [
        row("p", "falcon", "1.5"),
        row("p", "heron", "2"),
        row("q", "heron", "null"),
        row("q", "heron", "4"),
    ];
    check(
        &rows.each_ref().map(String::as_str),
        &[
            ("model=falcon", 1),
            ("model=heron", 2),
            ("b.model=heron", 2),
            ("a.model=heron", 1),
            ("any.model=falcon", 1),
            ("both.model=heron", 1),
            ("a.model=falcon b.seconds=2", 1),
            // Both hold for the same response.
            ("model=falcon seconds=2", 0),
            ("a.seconds=none", 1),
            ("max.seconds>=4", 1),
        ],
    );
}

#[test]
fn fields_beside_the_texts_of_responses() {
    let schema = |responses: &str| {
        format!("name = 'x'\ntitle = 'x'\nrows = 'inline'\nprompt.path = '/p'\n{responses}")
    };
    let listed = dataset_as(
        &schema("[[response]]\neach = '/answers'\ntext = 'text'\n"),
        r#"{"p": "p", "answers": [{"text": "a", "by": {"model": "m0"}}, {"text": "b", "by": {"model": "m1"}}], "k": 1}"#,
    );
    let objects = dataset_as(
        &schema("[[response]]\ntext = '/a/text'\n[[response]]\ntext = '/b/text'\n"),
        r#"{"p": "p", "a": {"text": "a", "by": {"model": "m0"}}, "b": {"text": "b", "by": {"model": "m1"}}, "k": 1}"#,
    );
    for dataset in [&listed, &objects] {
        for (query, expected) in [
            ("by.model=m1", 1),
            ("b.by.model=m1", 1),
            ("a.by.model=m1", 0),
            ("both.by.model=m1", 0),
            ("k=1", 1),
        ] {
            assert_eq!(count(query, dataset), Ok(expected), "{query}");
        }
    }
    assert_eq!(count("/b/by/model=m1", &objects), Ok(1));
    assert_eq!(count("/a/by/model=m1", &objects), Ok(0));
}

#[test]
fn fields_of_responses_whose_annotators_have_a_row_each() {
    let schema = "name = 'x'\ntitle = 'x'\nrows = 'annotations'\ngroup = ['/id']\nprompt.path = '/p'\n\
        [[response]]\neach = '/answers'\ntext = 'text'\n\
        [[vote]]\ncolumns = ['/win']\nchoices.a = ['a']\nchoices.b = ['b']\n";
    let row = |win: &str| {
        format!(
            r#"{{"id": 1, "p": "p", "win": "{win}", "answers": [{{"text": "a", "model": "m0"}}, {{"text": "b", "model": "m1"}}]}}"#
        )
    };
    let dataset = dataset_as(schema, &[row("a"), row("b"), row("b")].join("\n"));
    for (query, expected) in [
        ("a.model=m0", 1),
        ("b.model=m1", 1),
        ("b.model=m0", 0),
        ("all.model=m1", 0),
    ] {
        assert_eq!(count(query, &dataset), Ok(expected), "{query}");
    }
}

#[test]
fn fields_that_only_later_records_have() {
    let mut rows: Vec<String> = (0..400)
        .map(|at| format!(r#"{{"prompt": "p{at}", "chosen": "c", "rejected": "r", "n": {at}}}"#))
        .collect();
    rows[333] = rows[333].replace(r#""n""#, r#""deep": {"late_one": 5}, "n""#);
    let dataset = dataset(&[rows.join("\n")]);
    assert_eq!(count("deep.late_one>=5", &dataset), Ok(1));
    assert_eq!(count("deep.late_one=none", &dataset), Ok(399));
    assert_eq!(count("/deep/late_one=5", &dataset), Ok(1));
    let error = count("later>=5", &dataset).expect_err("no field");
    assert!(error.contains("unknown field later;"), "{error}");
    let mut catalog = Catalog::of_dataset(&dataset);
    catalog.limit_search(1 << 10);
    let error = parse("later>=5", &catalog).expect_err("no field").message;
    let part = "unknown field later at the beginning of each file;";
    assert!(error.contains(part), "{error}");
}

#[test]
fn more_different_words_than_are_kept_are_read_again() {
    let rows: Vec<String> = (0..3000)
        .map(|at| {
            format!(r#"{{"prompt": "p{at}", "chosen": "c", "rejected": "r", "key": "k{at}"}}"#)
        })
        .collect();
    let dataset = dataset(&[rows.join("\n")]);
    assert_eq!(count("key=k2999", &dataset), Ok(1));
    assert_eq!(count("key:k299", &dataset), Ok(11));
}

#[test]
fn what_is_hidden_is_unknown() {
    let row = r#"{"prompt": "p", "chosen": "c", "rejected": "r", "kind": "x"}"#;
    let mut catalog = Catalog::of_dataset(&dataset(&[row.to_owned()]));
    assert!(catalog.names().any(|name| name == "kind"));
    catalog.set_blind(true);
    assert!(!catalog.names().any(|name| name == "kind"));
    assert!(parse("kind=x", &catalog).is_err() && parse("/kind=x", &catalog).is_err());
}

#[test]
fn rows_with_either_response() {
    check(
        &[
            r#"{"prompt": "Why?", "chosen": "Because of the wind.", "id": 1}"#,
            r#"{"prompt": "Why?", "rejected": "No idea at all.", "id": 2}"#,
            r#"{"prompt": "When?", "rejected": "At some time or other.", "id": 3}"#,
            r#"{"prompt": "When?", "chosen": "When the tide turns.", "id": 4}"#,
        ],
        &[
            ("winner=a", 1),
            ("winner=b", 1),
            ("chosen=1", 2),
            ("a.chosen=0", 1),
            ("response:tide", 1),
            ("b.len>=15", 2),
            ("b.id=2", 1),
            ("a.id=2", 0),
        ],
    );
}
