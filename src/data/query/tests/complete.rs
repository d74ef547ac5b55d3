//! Completion.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::ast::{ColumnId, Field};
use super::super::lang::complete::{Completions, complete};
use super::{catalog, read};

fn values(Field { column, .. }: Field) -> Vec<(String, usize)> {
    let values: &[(&str, usize)] = match column.kind.is_number() {
        true => &[("4", 1402), ("3", 20_324), ("0", 7)],
        false if column == ColumnId::VERDICT => &[],
        false => &[("code", 1_000_000), ("a b", 12), ("none", 3), ("decode", 1)],
    };
    values
        .iter()
        .map(|(value, count)| ((*value).to_owned(), *count))
        .collect()
}

fn tags() -> BTreeMap<Arc<str>, usize> {
    [("a b", 2), ("none", 7), ("rude", 1_200), ("wrong", 7)]
        .map(|(tag, count)| (tag.into(), count))
        .into()
}

/// Returns the completions at `|`.
fn at(marked: &str) -> (String, Completions) {
    let cursor = marked.find('|').expect("a mark");
    let text = marked.replacen('|', "", 1);
    let offered = complete(&text, cursor, &catalog(), &values, &tags());
    (text, offered)
}

/// Checks the first completions, and the text that they replace.
#[track_caller]
fn check(table: &[(&str, &str, &[&str])]) {
    for (marked, replaced, expected) in table {
        let (text, offered) = at(marked);
        let items: Vec<_> = offered
            .items
            .iter()
            .map(|item| item.text.as_str())
            .take(expected.len().max(1))
            .collect();
        assert_eq!(items, *expected, "{marked}");
        assert_eq!(&text[offered.span.clone()], *replaced, "{marked}");
    }
}

#[test]
fn fields_signs_and_words() {
    check(&[
        ("|", "", &["helpfulness", "correctness", "coherence"]),
        ("foo (|", "", &["helpfulness"]),
        ("foo -|", "", &["helpfulness"]),
        ("help|", "help", &["helpfulness", "fact.helpfulness"]),
        ("-help|", "help", &["helpfulness"]),
        (
            "a.h|",
            "a.h",
            &[
                "a.helpfulness",
                "a.headers.response",
                "a.hedges.response",
                "a.has:",
            ],
        ),
        (
            "ness|",
            "ness",
            &["helpfulness", "correctness", "fact.helpfulness"],
        ),
        ("len|", "len", &["len.response", "len.prompt"]),
        (
            "a.x + b.co|",
            "b.co",
            &["b.correctness", "b.coherence", "b.complexity"],
        ),
        (
            "gap.r|",
            "gap.r",
            &["gap.refusals.response", "gap.row", "gap.rated."],
        ),
        ("help|ful>=3", "helpful", &["helpfulness"]),
        (
            "turns|",
            "turns",
            &["turns", "turns>=", "turns<=", "turns="],
        ),
        (
            "turns |",
            "",
            &[">=", "<=", "=", "!=", ">", "<", ":", "in ("],
        ),
        ("domain |", "", &["=", ":", "!=", "in ("]),
        ("domain|", "domain", &["domain", "domain=", "domain:"]),
        ("row>turns |", "", &["helpfulness"]),
        ("pro|", "pro", &["prompt:", "len.prompt", "id.prompt"]),
        ("win|", "win", &["winner."]),
        ("turns>=3 he|", "he", &["helpfulness"]),
        ("漢|", "漢", &[]),
    ]);
}

#[test]
fn values_and_words_after_colons() {
    check(&[
        ("helpfulness>=|", "", &["4", "3", "0", "helpfulness"]),
        ("helpfulness=|", "", &["4", "3", "0", "none", "helpfulness"]),
        ("helpfulness >= |", "", &["4", "3"]),
        ("helpfulness in (|", "", &["4", "3", "0"]),
        ("helpfulness in (3, |)", "", &["4", "3", "0"]),
        ("a.helpfulness > b.h|", "b.h", &["b.helpfulness"]),
        (
            "domain=|",
            "",
            &["code", "\"a b\"", "\"none\"", "decode", "none"],
        ),
        ("domain=code|", "code", &["code", "decode"]),
        ("domain:\"a|", "\"a", &["\"a b\""]),
        (
            "domain in (code,\"|\"",
            "\"\"",
            &["code", "\"a b\"", "\"none\"", "decode"],
        ),
        ("domain = co|x y", "cox", &["code"]),
        ("verdict=|", "", &["a", "b", "tie"]),
        (
            "is:|",
            "",
            &[
                "tie",
                "several",
                "single",
                "multiturn",
                "malformed",
                "flagged",
                "duplicate",
                "marked",
                "rated",
            ],
        ),
        ("-is:t|", "t", &["tie", "multiturn"]),
        ("a.has:|", "", &["code", "hidden"]),
        ("has:|", "", &["code", "hidden", "note", "tag"]),
        ("cite: d|", "d", &["dangling"]),
        ("sort:-gap.h|", "gap.h", &["gap.helpfulness"]),
        ("sort:ran|", "ran", &["random(7)"]),
        ("sort:|", "", &["helpfulness"]),
        ("prompt:|", "", &[]),
        ("\"hel|", "", &[]),
        ("/hel|", "", &[]),
        ("foo /a\"b/ hel|", "hel", &["helpfulness"]),
    ]);
}

#[test]
fn what_reviewers_said() {
    let all = |marked: &str| {
        at(marked)
            .1
            .items
            .into_iter()
            .map(|item| item.text)
            .collect::<Vec<_>>()
    };
    check(&[
        ("ta|", "ta", &["tag"]),
        ("tag|", "tag", &["tag", "tag=", "tag:", "tag!=", "tag in ("]),
        ("tag |", "", &["=", ":", "!=", "in ("]),
        ("not|", "not", &["note:"]),
        (
            "tag=|",
            "",
            &["rude", "\"none\"", "wrong", "\"a b\"", "none"],
        ),
        ("-tag:r|", "r", &["rude", "wrong"]),
        ("tag != w|", "w", &["wrong"]),
        ("tag=\"a|", "\"a", &["\"a b\""]),
        ("note:|", "", &[]),
        ("check:|", "", &["right", "wrong", "unclear", "any"]),
        ("note:\"r|", "", &[]),
    ]);
    assert_eq!(
        all("tag in (rude, |"),
        ["rude", "\"none\"", "wrong", "\"a b\""]
    );
    assert_eq!(all("a.has:|"), ["code", "hidden"]);
    for marked in ["a.t|", "a.n|", "sort:tag|", "turns>tag|"] {
        assert!(
            !all(marked)
                .iter()
                .any(|item| item.contains("tag") || item.contains("note")),
            "{marked}"
        );
    }
    let noted = |marked: &str| at(marked).1.items.into_iter().next().map(|item| item.note);
    assert_eq!(noted("tag=ru|").as_deref(), Some("1,200"));
}

#[test]
fn notes_tell_meaning_and_counts() {
    let note = |marked: &str, text: &str| {
        let (_, offered) = at(marked);
        offered
            .items
            .into_iter()
            .find(|item| item.text == text)
            .map(|item| item.note)
            .unwrap_or_default()
    };
    assert_eq!(
        note("helpf|", "helpfulness"),
        "0 to 4: How well the response helps with the request"
    );
    assert_eq!(note("helpfulness=|", "4"), "1,402");
    assert_eq!(note("domain=|", "code"), "1,000,000");
    assert_eq!(note("helpfulness=|", "0"), "7");
    assert_eq!(note("min|", "min."), "the least value");
}

#[test]
fn what_is_offered_can_stand_there() {
    for marked in [
        "|",
        "a.|",
        "gap.|",
        "helpfulness|",
        "domain|",
        "tag|",
        "tag=|",
        "is:|",
        "has:|",
        "b.has:|",
        "cite:|",
        "sort:|",
        "sort:-min.|",
    ] {
        let (text, offered) = at(marked);
        assert!(!offered.items.is_empty(), "{marked}");
        for item in offered.items {
            let mut written = text.clone();
            written.replace_range(offered.span.clone(), &item.text);
            // The only allowed error is a missing part at the end.
            if let Err(error) = read(&written) {
                let lacks =
                    error.span.start == written.len() || error.message.contains("is a field");
                assert!(lacks || written.ends_with('.'), "{written}: {error:?}");
            }
        }
    }
}

#[test]
fn the_help_lists_everything() {
    let help = catalog().help();
    assert!(help.iter().all(|section| !section.entries.is_empty()));
    let fields: Vec<_> = catalog()
        .fields()
        .into_iter()
        .map(|field| (field.name.clone(), field.note()))
        .collect();
    assert_eq!(
        fields[0].1,
        "0 to 4: How well the response helps with the request"
    );
    assert!(
        fields.contains(&("label.turns".to_owned(), "0 to 9".to_owned())),
        "{fields:?}"
    );
    assert!(fields.contains(&("model_A".to_owned(), "Which model wrote A".to_owned())));
    assert!(fields.contains(&("verdict".to_owned(), "a, b or tie: the winner".to_owned())));
    assert!(fields.contains(&("tag".to_owned(), "reviewers' tags of the sample".to_owned())));
    let forms: Vec<_> = help
        .iter()
        .flat_map(|section| &section.entries)
        .map(|(form, _)| form.as_str())
        .collect();
    for form in [
        "is:marked",
        "is:rated",
        "has:note",
        "has:tag",
        "tag=x",
        "tag!=x",
        "note:x",
    ] {
        assert!(forms.contains(&form), "{form}");
    }
}
