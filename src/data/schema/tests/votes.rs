//! Votes: what schemas accept, and what is read from rows.

use super::texts::{TWO, defined};
use super::*;

#[test]
fn impossible_votes_are_reported() {
    let one = "[[response]]\ntext = \"/a\"\n";
    let each = "[[response]]\ntext = \"/a/*\"\n";
    let vote = "[[vote]]\neach = \"/v\"\nscore = \"s\"\n";
    let of_two = "key vote.score: a number names the winner of two responses; for more, add `choices` or `names`";
    for (responses, vote, reported) in [
        (one, vote, of_two),
        (each, vote, of_two),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\ncolumns = \"/w\"",
            "key vote.each: a [[vote]] needs either `each` (a list) or `columns` (fields of the record)",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nchoices = { a = [\"1\"], second = [\"2\"] }",
            "key vote.choices: `second` is neither the letter of a response nor `tie`",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v/*\"\nscore = \"s\"",
            "key vote.each: /v/* has a `*`; `each` is the list itself, with a vote in every element",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nnames = \"/a/*/b/*\"",
            "key vote.names: a path has a `*` too many; `*` matches each response",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nscore = \"s\"\npositive = \"c\"",
            "key vote.positive: a positive number prefers `a` or `b`, not `c`",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nscore = \"s\"\nvalues = { x = nan }",
            "key vote.values: `x` needs a finite number",
        ),
        (
            TWO,
            "[[vote]]\neach = \"/v\"\nscore = \"s\"\ntext = \"why\"\n[[text]]\nname = \"why\"\npath = \"/w\"",
            "two [[text]] tables have the name `why`",
        ),
    ] {
        let error = defined(&format!("{responses}{vote}")).expect_err("a contradiction");
        assert!(error.contains(reported), "{error}");
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
    assert_eq!(record.votes.codes(), [2.0, -1.0, 0.0, -3.0]);
    assert!(record.votes.codes()[2].is_sign_positive());
    assert_eq!((record.votes.excluded, record.warnings.len()), (1, 0));
    let texts: Vec<_> = record
        .rationales
        .iter()
        .map(|it| (&*it.name, &*it.text))
        .collect();
    assert_eq!(texts, [("why", "so")]);
    let mut stats = RowStats::default();
    row.row_stats(schema.counted(), false, &mut stats);
    assert!(!stats.has_invalid_value && stats.votes == record.votes.codes());

    let mut votes = vec![serde_json::json!({"s": 1}); 15];
    votes.extend([
        serde_json::json!({}),
        serde_json::json!({"s": "x"}),
        serde_json::json!({"s": -100}),
    ]);
    votes.extend(vec![serde_json::json!({"s": -3}); 30]);
    // They are read even if another part of the row is nested too deeply for any parser.
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
            row.record().expect("a record").votes.each.len(),
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
    assert_eq!(record.votes.codes(), [-1.0]);
    assert_eq!(
        warnings,
        ["/v/*/s is \"third\", not a vote: read as missing"]
    );
    row.row_stats(schema.counted(), false, &mut stats);
    assert!(stats.has_invalid_value && stats.has_warning);
}

/// A value in place of a list or object is reported, since nothing was read from it.
#[test]
fn a_value_that_a_path_cannot_cross_is_reported() {
    let schema = defined(&format!(
        "{TWO}[[label]]\nname = \"l\"\nrange = [0, 4]\n[[vote]]\neach = \"/v\"\nscore = \"s\"\n[[fact]]\nname = \"f\"\npath = \"/m/f\""
    ))
    .expect("a schema");
    for (votes, reported) in [
        (
            r#""abc""#,
            Some(r#"/v is "abc", not a list: read as missing"#),
        ),
        ("5", Some("/v is 5, not a list: read as missing")),
        ("true", Some("/v is true, not a list: read as missing")),
        (
            r#"{"s": 1}"#,
            Some("/v/s is 1, not an object: read as missing"),
        ),
        ("[[1]]", Some("/v/0 is [1], not an object: read as missing")),
        ("[0.5]", Some("/v/0 is 0.5, not an object: read as missing")),
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
        assert_eq!(
            warnings,
            reported.into_iter().collect::<Vec<_>>(),
            "{votes}"
        );
        let mut stats = RowStats::default();
        row.row_stats(schema.counted(), false, &mut stats);
        assert_eq!(stats.has_invalid_value, reported.is_some(), "{votes}");
    }
    let line = br#"{"p": "p", "a": "a", "b": "b", "m": ["f"]}"#;
    let row = schema.row(line).expect("a row");
    let warnings = row.record().expect("a record").warnings;
    assert_eq!(
        warnings[0].explanation(),
        "/m is […], not an object: read as missing"
    );
}

/// Votes in a list, in an object, in columns and in a list of accepted names, by responses of any
/// number.
#[test]
fn votes_are_read_wherever_they_are() {
    let each = "[[response]]\neach = \"/options\"\ntext = \"text\"\n";
    let choices = "choices = { a = [\"left\"], b = [\"right\"], tie = [\"same\"] }\n";
    let list = format!("{TWO}[[vote]]\neach = \"/v\"\n{choices}");
    let objects = format!(
        "{TWO}[[vote]]\neach = \"/v\"\nscore = [\"r.*.side\", \"r.*.word\"]\nannotator = [\"by.name\", \"by\"]\nskip = {{ off = [\"true\"] }}\n{choices}"
    );
    let columns = format!("{TWO}[[vote]]\ncolumns = [\"/kim\", \"/lee\"]\n{choices}");
    let accepted = format!(
        "annotator = \"/who\"\n{each}[[vote]]\ncolumns = \"/ok\"\nnames = \"/options/*/id\"\nskip = {{ \"/how\" = [\"no\"] }}\n"
    );
    let two = r#""p": "p", "a": "x", "b": "y""#;
    let options = r#""p": "p", "options": [{"id": "u", "text": "x"}, {"id": "v", "text": "y"}, {"id": "w", "text": "z"}]"#;
    for (more, line, votes, warning) in [
        (
            &list,
            format!(r#"{{{two}, "v": ["left", "RIGHT", "same", null, "", "right"]}}"#),
            "a b tie b",
            None,
        ),
        (
            &list,
            format!(r#"{{{two}, "v": ["left", "top"]}}"#),
            "a",
            Some(r#"/v/* is "top", not a vote: read as missing"#),
        ),
        (
            &list,
            format!(r#"{{{two}, "v": {{"kim": "left", "lee": "right"}}}}"#),
            "kim=a lee=b",
            None,
        ),
        (
            &list,
            format!(r#"{{{two}, "v": {{"left": 2, "right": 1}}}}"#),
            "a a b",
            None,
        ),
        (
            &list,
            format!(r#"{{{two}, "v": "left,same"}}"#),
            "a tie",
            None,
        ),
        (&list, format!(r#"{{{two}, "v": "[\"left\"]"}}"#), "a", None),
        (
            &list,
            format!(r#"{{{two}, "v": ["left", "half \ud83d"]}}"#),
            "a",
            Some(r#"/v/* is "half \ud83d", not a vote: read as missing"#),
        ),
        (
            &objects,
            format!(
                r#"{{{two}, "v": [{{"by": "kim", "r": [{{"word": "odd"}}, {{"side": "left"}}]}}, {{"by": {{"name": "lee"}}, "r": [{{"word": "right"}}]}}, {{"by": "max", "off": true, "r": [{{"side": "left"}}]}}, {{"by": 4, "r": []}}]}}"#
            ),
            "kim=a lee=b",
            None,
        ),
        (
            &objects,
            format!(r#"{{{two}, "v": [{{"r": [{{"word": "odd"}}]}}]}}"#),
            "",
            Some(r#"/v/*/r/*/side is "odd", not a vote: read as missing"#),
        ),
        (
            &columns,
            format!(r#"{{{two}, "kim": "left", "lee": "right"}}"#),
            "kim=a lee=b",
            None,
        ),
        (&columns, format!(r#"{{{two}, "kim": null}}"#), "", None),
        (
            &columns,
            format!(r#"{{{two}, "kim": "up", "lee": "same"}}"#),
            "lee=tie",
            Some(r#"/kim is "up", not a vote: read as missing"#),
        ),
        (
            &accepted,
            format!(r#"{{{options}, "ok": ["w"], "how": "yes", "who": "s1"}}"#),
            "s1=c",
            None,
        ),
        (
            &accepted,
            format!(r#"{{{options}, "ok": ["u", "w"]}}"#),
            "a+c",
            None,
        ),
        (
            &accepted,
            format!(r#"{{{options}, "ok": ["u", "v", "w"]}}"#),
            "tie",
            None,
        ),
        (
            &accepted,
            format!(r#"{{{options}, "ok": [], "how": "yes"}}"#),
            "",
            None,
        ),
        (
            &accepted,
            format!(r#"{{{options}, "ok": ["w"], "how": "no"}}"#),
            "",
            None,
        ),
        (
            &accepted,
            format!(r#"{{{options}, "ok": ["t"]}}"#),
            "",
            Some(r#"/ok is ["t"], not a vote: read as missing"#),
        ),
    ] {
        let schema = defined(&format!("verdict = {{ votes = true }}\n{more}")).expect("a schema");
        let row = schema.row(line.as_bytes()).expect("a row");
        let record = row.record().expect("a record");
        let each = record.votes.each.iter().map(|it| {
            let name = it.annotator.iter().map(|name| format!("{name}="));
            name.chain([it.vote.verdict.word()]).collect::<String>()
        });
        assert_eq!(each.collect::<Vec<_>>().join(" "), votes, "{line}");
        let warnings: Vec<_> = record
            .warnings
            .iter()
            .map(ReadWarning::explanation)
            .collect();
        assert_eq!(warnings, warning.into_iter().collect::<Vec<_>>(), "{line}");
        let mut stats = RowStats::default();
        row.row_stats(schema.counted(), false, &mut stats);
        assert_eq!(
            (stats.votes, stats.has_invalid_value),
            (record.votes.codes(), warning.is_some()),
            "{line}"
        );
        assert_eq!(
            stats.verdict,
            record.outcome.map(|outcome| outcome.verdict),
            "{line}"
        );
        assert_eq!(stats.verdict, record.votes.majority(record.responses.len()));
    }
}
