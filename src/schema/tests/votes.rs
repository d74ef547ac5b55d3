//! Votes: what a schema may say of them, and what rows have.

use super::texts::{TWO, defined};
use super::*;

#[test]
fn votes_that_cannot_be_are_told() {
    let one = "[[response]]\ntext = \"/a\"\n";
    let each = "[[response]]\ntext = \"/a/*\"\n";
    let vote = "[[vote]]\neach = \"/v\"\nscore = \"s\"\n";
    let of_two = "key vote.each: votes are of two responses on one row";
    for (responses, vote, told) in [
        (one, vote, of_two),
        (each, vote, of_two),
        (
            TWO,
            "[[vote]]\neach = \"/v/*\"\nscore = \"s\"",
            "key vote.each: /v/* has a `*`: `each` is a list, and every element of it a vote",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nscore = \"s\"\npositive = \"c\"",
            "key vote.positive: a positive number prefers `a` or `b`, not `c`",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nscore = \"s\"\nvalues = { x = nan }",
            "key vote.values: `x` stands for no number",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nscore = \"s\"\ntext = \"why\"\n[[text]]\nname = \"why\"\npath = \"/w\"",
            "two [[text]] tables are called `why`",
        ),
    ] {
        let error = defined(&format!("{responses}{vote}")).expect_err("a contradiction");
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn each_annotator_says_who_wins() {
    let schema = defined(&format!(
        "{TWO}[[vote]]\neach = \"/v\"\nscore = \"s\"\npositive = \"b\"\nnone = [-100]\n\
         values = {{ same = 0, second = 1 }}\ntext = \"why\""
    ))
    .expect("a schema");
    let line = r#"{"p": "p", "a": "a", "b": "b", "v": [{"s": -2, "why": "so"}, {"s": -100}, {"s": "second"}, {"s": "same"}, {"s": null}, {}, {"s": "3"}, {"s": "N/A"}]}"#;
    let row = schema.row(line.as_bytes()).expect("a row");
    let record = row.record().expect("a record");
    assert_eq!(record.votes.strengths, [2.0, -1.0, 0.0, -3.0]);
    assert!(record.votes.strengths[2].is_sign_positive());
    assert_eq!((record.votes.excluded, record.warnings.len()), (1, 0));
    let texts: Vec<_> = record
        .rationales
        .iter()
        .map(|it| (&*it.name, &*it.text))
        .collect();
    assert_eq!(texts, [("why", "so")]);
    let mut stats = RowStats::default();
    row.row_stats(schema.counted(), false, &mut stats);
    assert!(!stats.has_odd_value && stats.votes == record.votes.strengths);

    // However many there are: places of their own have the first sixteen.
    let mut votes = vec![serde_json::json!({"s": 1}); 15];
    votes.extend([
        serde_json::json!({}),
        serde_json::json!({"s": "x"}),
        serde_json::json!({"s": -100}),
    ]);
    votes.extend(vec![serde_json::json!({"s": -3}); 30]);
    // What no parser takes elsewhere in the row does not keep them from being read.
    let deep = "[".repeat(200) + &"]".repeat(200);
    let odd = [r#""half \ud83d""#, "1e999", &deep, "0"];
    let counts = [(14, 14), (15, 15), (18, 15), (48, 45)];
    for ((count, expected), odd) in counts
        .into_iter()
        .zip(odd)
        .chain(odd.map(|odd| (counts[3], odd)))
    {
        let votes = serde_json::json!(votes[..count]);
        let line = format!(r#"{{"p": "p", "a": "a", "b": "b", "odd": {odd}, "v": {votes}}}"#);
        let row = schema.row(line.as_bytes()).expect("a row");
        assert_eq!(
            row.record().expect("a record").votes.strengths.len(),
            expected,
            "{count}"
        );
    }
    let odd = r#"{"p": "p", "a": "a", "b": "b", "v": [{"s": "third"}, {"s": 1}]}"#;
    let row = schema.row(odd.as_bytes()).expect("a row");
    let record = row.record().expect("a record");
    let warnings: Vec<_> = record
        .warnings
        .iter()
        .map(ReadWarning::explanation)
        .collect();
    assert_eq!(record.votes.strengths, [-1.0]);
    assert_eq!(
        warnings,
        ["/v/*/s is \"third\", which is no vote: read as no value"]
    );
    row.row_stats(schema.counted(), false, &mut stats);
    assert!(stats.has_odd_value && stats.has_warning);
}

/// What stands where a list or an object is to stand is told: nothing was read of it.
#[test]
fn a_value_of_another_kind_than_paths_lead_through_is_told() {
    let schema = defined(&format!(
        "{TWO}[[label]]\nname = \"l\"\nrange = [0, 4]\n[[vote]]\neach = \"/v\"\nscore = \"s\"\n[[fact]]\nname = \"f\"\npath = \"/m/f\""
    ))
    .expect("a schema");
    for (votes, told) in [
        (
            r#""abc""#,
            Some(r#"/v is "abc", not a list: read as no value"#),
        ),
        ("5", Some("/v is 5, not a list: read as no value")),
        ("true", Some("/v is true, not a list: read as no value")),
        (
            r#"{"s": 1}"#,
            Some("/v is {…}, not a list: read as no value"),
        ),
        (
            "[[1]]",
            Some("/v/0 is […], not an object: read as no value"),
        ),
        (
            "[0.5]",
            Some("/v/0 is 0.5, not an object: read as no value"),
        ),
        ("null", None),
        (r#""N/A""#, None),
        (r#"" [] ""#, None),
        ("{}", None),
        ("[]", None),
        ("[{}, null]", None),
    ] {
        let line = format!(r#"{{"p": "p", "a": "a", "b": "b", "m": {{"f": 1}}, "v": {votes}}}"#);
        let row = schema.row(line.as_bytes()).expect("a row");
        let warnings = row.record().expect("a record").warnings;
        let warnings: Vec<_> = warnings.iter().map(ReadWarning::explanation).collect();
        assert_eq!(warnings, told.into_iter().collect::<Vec<_>>(), "{votes}");
        let mut stats = RowStats::default();
        row.row_stats(schema.counted(), false, &mut stats);
        assert_eq!(stats.has_odd_value, told.is_some(), "{votes}");
    }
    // What is empty or reads takes the quick way.
    for (value, votes) in [("{}", "{}"), ("[]", "[]"), ("{}", r#"{"0": {"s": 1}}"#)] {
        let line = format!(r#"{{"p": "p", "a": "a", "b": "b", "m": {value}, "v": {votes}}}"#);
        assert!(
            fast_scan(schema.tree(), line.as_bytes()).is_some(),
            "{line}"
        );
    }
    let line = br#"{"p": "p", "a": "a", "b": "b", "m": ["f"]}"#;
    let row = schema.row(line).expect("a row");
    let warnings = row.record().expect("a record").warnings;
    assert_eq!(
        warnings[0].explanation(),
        "/m is […], not an object: read as no value"
    );
}
