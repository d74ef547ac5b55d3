//! Texts about samples and responses: what schemas accept, and what is read from rows.

use super::*;
use crate::model::Rationale;

pub(super) fn defined(more: &str) -> Result<Schema, String> {
    let toml =
        format!("name = \"own\"\ntitle = \"Own\"\nrows = \"inline\"\nprompt.path = \"/p\"\n{more}");
    Schema::parse(&toml).map_err(|error| error.to_string())
}

pub(super) const TWO: &str = "[[response]]\ntext = \"/a\"\n[[response]]\ntext = \"/b\"\n";

#[test]
fn contradictory_texts_are_reported() {
    for (more, reported) in [
        (
            "[[text]]\nname = \" \"\npath = \"/t\"",
            "a [[text]] has an empty name",
        ),
        (
            "[[text]]\nname = \"why\"",
            "the [[text]] `why` needs either a `path` or texts.why in a [[response]]",
        ),
        (
            "texts.why = \"/w\"\n[[text]]\nname = \"why\"\npath = \"/t\"",
            "the [[text]] `why` needs either a `path` or texts.why in a [[response]]",
        ),
        ("texts.why = \"/w\"", "unknown [[text]] `why`"),
        (
            "[[text]]\nname = \"why\"\npath = \"/t\"\n[[text]]\nname = \"why\"\npath = \"/u\"",
            "two [[text]] tables have the name `why`",
        ),
    ] {
        let error = defined(&format!("{TWO}{more}")).expect_err("a contradiction");
        let is_keyed = error.contains("key text") || error.contains("key response");
        assert!(is_keyed, "{error}");
        assert!(error.contains(&format!(": {reported}")), "{error}");
    }
}

#[test]
fn a_path_may_be_inside_another() {
    let schema = defined(
        "[[response]]\ntext = \"/a/text\"\nratings.x = \"/a/judge/x\"\n[[response]]\ntext = \"/b\"\n\
         [[label]]\nname = \"x\"\nkind = \"score\"\n[[text]]\nname = \"why\"\npath = \"/why/*/all/*\"\n\
         [[fact]]\nname = \"judge\"\npath = \"/a/judge\"\n[[fact]]\nname = \"first\"\npath = \"/why/0/all\"",
    );
    let schema = schema.expect("a schema");
    for (a, why, warning) in [
        (
            r#"{"text": "a", "judge": {"x": 1.5, "by": "M"}}"#,
            r#"[{"all": ["w", "v"]}, {}, {"all": ["u"]}]"#,
            None,
        ),
        (
            r#"{"text": "a", "judge": "M"}"#,
            "3",
            Some("/why is 3, not a list: read as missing"),
        ),
        (r#"{"text": "a", "judge": null}"#, "\"[]\"", None),
    ] {
        let line = format!(r#"{{"p": "p", "why": {why}, "a": {a}, "b": "b"}}"#);
        let row = schema.row(line.as_bytes()).expect("a row");
        let record = row.record().expect("a record");
        let is_whole = why.starts_with('[');
        let texts: &[_] = if is_whole {
            &[
                ("why", "", 1, "w"),
                ("why", "", 1, "v"),
                ("why", "", 3, "u"),
            ]
        } else {
            &[]
        };
        assert_eq!(named_texts(&record.rationales), texts);
        assert_eq!(record.responses[0].ratings, [is_whole.then_some(1.5)]);
        let facts: Vec<_> = record.facts.iter().map(|fact| &*fact.value).collect();
        let expected: &[_] = match &*record.facts {
            [_, _] => &[r#"{"x": 1.5, "by": "M"}"#, r#"["w", "v"]"#],
            [_] => &["M"],
            _ => &[],
        };
        assert_eq!(facts, expected, "{line}");
        let warnings: Vec<_> = record
            .warnings
            .iter()
            .map(ReadWarning::explanation)
            .collect();
        assert_eq!(warnings, warning.as_slice(), "{line}");
        let mut stats = RowStats::default();
        row.row_stats(schema.counted(), false, &mut stats);
        assert_eq!(stats.has_warning, warning.is_some());
    }
}

#[test]
fn elements_of_facts_are_those_of_a_list_an_object_or_the_record() {
    let toml = "name = \"own\"\ntitle = \"Own\"\nrows = \"inline\"\nprompt.path = \"/0/p\"\n\
                [[response]]\ntext = \"/0/a\"\n[[response]]\ntext = \"/1/a\"\n\
                [[fact]]\nname = \"tags\"\npath = \"/*/tag\"\n[[fact]]\nname = \"more\"\npath = \"/0/more/*\"";
    let schema = Schema::parse(toml).expect("a schema");
    for (more, value) in [
        (r#"["m", null, "n"]"#, "m, n"),
        (r#"{"0": "m", "1": "n"}"#, "m, n"),
        ("{}", ""),
        ("[null,null,null,null,null,null,null,null,null,1,2]", "1"),
        // Only the first ten elements are read.
        ("[null,null,null,null,null,null,null,null,null,null,2]", ""),
    ] {
        let line = format!(
            r#"[{{"p": "p", "a": "a", "tag": "x", "more": {more}}}, {{"a": "b", "tag": "y"}}]"#
        );
        let row = schema.row(line.as_bytes()).expect("a row");
        let record = row.record().expect("a record");
        assert_eq!(record.warnings, [], "{more}");
        let facts: Vec<_> = record
            .facts
            .iter()
            .map(|fact| (&*fact.name, &*fact.value))
            .collect();
        let all = [("tags", "x, y"), ("more", value)];
        assert_eq!(facts, all[..if value.is_empty() { 1 } else { 2 }], "{more}");
    }
}

/// Name, letter, number of the annotator from 1, and text of each.
fn named_texts<'a>(rationales: &'a [Rationale<'_>]) -> Vec<(&'a str, &'a str, usize, &'a str)> {
    let of = |it: &Rationale<'_>| it.response.map_or("", ResponseId::letter);
    let who = |it: &Rationale<'_>| it.annotator.map_or(0, |who| who + 1);
    let all = rationales.iter();
    all.map(|it| (&*it.name, of(it), who(it), &*it.text))
        .collect()
}

#[test]
fn texts_are_in_order_of_annotators() {
    let line = r#"{"domain": "general", "language": "english", "context": [{"role": "user", "content": "Why?"}], "response1": "So.", "response2": "No.", "overall_preference": -2, "individual_preference": [{"score": -2, "reasoning": "One", "feedback1": "a1", "feedback2": "b1"}, {"score": 1, "reasoning": "  ", "feedback1": "\u00e9", "feedback2": null}, {"score": 1, "feedback2": ["b3", null, "b4"]}]}"#;
    let schema = schema(&[line]).expect("a schema");
    let record = schema.row(line.as_bytes()).and_then(|row| row.record());
    let record = record.expect("a record");
    assert_eq!(
        named_texts(&record.rationales),
        [
            ("reasoning", "", 1, "One"),
            ("feedback", "A", 1, "a1"),
            ("feedback", "B", 1, "b1"),
            ("feedback", "A", 2, "\u{e9}"),
            ("feedback", "B", 3, "b3"),
            ("feedback", "B", 3, "b4"),
        ]
    );
    assert!(record.warnings.is_empty(), "{:?}", record.warnings);
}

#[test]
fn values_that_are_not_texts_are_reported() {
    let schema = defined(&format!(
        "{TWO}texts.note = \"/n\"\n[[text]]\nname = \"note\"\n[[text]]\nname = \"why\"\npath = \"/why/*\""
    ));
    let schema = schema.expect("a schema");
    let many = vec!["x"; 17];
    let line = serde_json::json!({"p": "p", "a": "a", "b": "b", "n": {"x": 1}, "why": many});
    let line = line.to_string();
    let row = schema.row(line.as_bytes()).expect("a row");
    let record = row.record().expect("a record");
    assert_eq!(record.rationales.len(), 17);
    let warnings: Vec<_> = record
        .warnings
        .iter()
        .map(ReadWarning::explanation)
        .collect();
    assert_eq!(warnings, ["note is {\"x\":1}, not text: read as missing"]);
    let mut stats = RowStats::default();
    row.row_stats(schema.counted(), false, &mut stats);
    assert!(stats.has_invalid_value && stats.has_warning);
    let plain = r#"{"p": "p", "a": "a", "b": "b", "n": 3}"#;
    let row = schema.row(plain.as_bytes()).expect("a row");
    let record = row.record().expect("a record");
    assert_eq!(named_texts(&record.rationales), [("note", "B", 0, "3")]);
}

/// A key with escapes is left to serde_json's scan. That reported a list of scalars, shorter than
/// the schema expects, as not JSON.
#[test]
fn a_list_that_ends_early_is_read_the_sure_way_too() {
    let schema = defined(&format!(
        "{TWO}texts.note = \"/n/*\"\n[[text]]\nname = \"note\"\n[[fact]]\nname = \"tags\"\npath = \"/tags/*\""
    ));
    let schema = schema.expect("a schema");
    for [notes, tags] in [["[]", "[]"], [r#"["x"]"#, r#"["s", "t"]"#], ["null", "3"]] {
        let line = |key: &str| {
            format!(
                r#"{{"{key}": "p", "a": "a", "b": "b", "n": {notes}, "tags": {tags}, "x": {{}}}}"#
            )
        };
        let [plain, escaped] = [line("p"), line("\\u0070")];
        let said = [plain, escaped].map(|line| {
            let record = record_of(&schema, &line);
            let texts: Vec<_> = record
                .rationales
                .iter()
                .map(|it| it.text.to_string())
                .collect();
            let facts: Vec<_> = record
                .facts
                .iter()
                .map(|fact| format!("{fact:?}"))
                .collect();
            (texts, facts, record.warnings)
        });
        assert_eq!(said[0], said[1]);
    }
}
