//! Compares the engine with a second one, simple enough to be correct, on random rows and queries;
//! and tests special cases.

mod naive;
mod random;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::dataset::tests::{dataset, dataset_as, dataset_scanned};
use crate::model::{ResponseId, SpotCheckVerdict};
use crate::query::ast::*;
use crate::query::remarks::{ReviewIndex, SampleRemark};
use crate::table::ColumnSource;

fn rated(prompt: &str, response: &str, labels: [&str; 5]) -> String {
    let text = |text: &str| serde_json::to_string(text).expect("JSON");
    let names = [
        "helpfulness",
        "correctness",
        "coherence",
        "complexity",
        "verbosity",
    ];
    let labels = names
        .iter()
        .zip(labels)
        .map(|(name, value)| format!(r#", "{name}": {value}"#));
    format!(
        r#"{{"prompt": {}, "response": {}{}}}"#,
        text(prompt),
        text(response),
        labels.collect::<String>()
    )
}

/// Returns the result of a query, evaluated in one piece or in several.
fn answer(query: &Query, dataset: &Dataset, memory: &ScanCache) -> QueryResult {
    answer_with(
        query,
        dataset,
        QueryContext {
            memory,
            remarks: &ReviewIndex::default(),
            rules: &crate::query::FindingRules::default(),
            is_blind: false,
        },
    )
}

fn read(text: &str, dataset: &Dataset) -> Query {
    let schemas = dataset.files().iter().map(|file| &*file.schema);
    crate::query::parse(text, &crate::query::Catalog::of(schemas)).expect(text)
}

/// Returns the samples of a filter, sorted by one key.
fn sorted(dataset: &Dataset, filter: Option<Expr>, by: SortBy, descending: bool) -> Vec<u32> {
    let query = Query {
        filter,
        sort: vec![SortKey { by, descending }],
    };
    let mut found = answer(&query, dataset, &ScanCache::default());
    assert!(
        sort(
            &query,
            dataset,
            &ReviewIndex::default(),
            &mut found,
            &|| true
        )
        .is_continue()
    );
    found.samples
}

fn answer_with(query: &Query, dataset: &Dataset, known: QueryContext<'_>) -> QueryResult {
    let (mut all, mut looked) = (QueryResult::default(), 0);
    let samples = 0..dataset.samples();
    let answered = find(
        query,
        dataset,
        samples,
        known,
        &|| true,
        &mut |found, upto| {
            assert!(upto >= looked);
            looked = upto;
            all.extend(&found);
            ControlFlow::Continue(())
        },
    );
    assert!(answered.is_continue());
    assert_eq!(looked, dataset.samples());
    all
}

fn filter(filter: Expr) -> Query {
    Query {
        filter: Some(filter),
        sort: Vec::new(),
    }
}

fn built_in(name: &str) -> ColumnId {
    ColumnId::named(name).expect("a column")
}

fn label(view: Aggregate, name: &str) -> Number {
    Number::Field(Field {
        view,
        column: ColumnId::of(ColumnSource::Label, name),
    })
}

fn compare(left: Number, comparison: Comparison, right: f64) -> Expr {
    Expr::compare(left, comparison, Number::Literal(right))
}

#[test]
fn a_term_without_a_side_speaks_of_one_response_throughout() {
    // A is good and long, B is bad and short: no response is both good and short.
    let rows = [
        rated("p", "r", ["4", "0", "0", "0", "4"]),
        rated("p", "s", ["1", "0", "0", "0", "0"]),
    ]
    .join("\n");
    let dataset = dataset(&[rows]);
    let good = |view| compare(label(view, "helpfulness"), Comparison::AtLeast, 3.0);
    let short = |view| compare(label(view, "verbosity"), Comparison::AtMost, 1.0);
    let found = |expr| answer(&filter(expr), &dataset, &ScanCache::default());
    assert!(
        found(Expr::And(vec![
            good(Aggregate::Same),
            short(Aggregate::Same)
        ]))
        .samples
        .is_empty()
    );
    assert_eq!(
        found(good(Aggregate::Same)).matching,
        [ResponseSet::of([0])]
    );
    assert_eq!(
        found(short(Aggregate::Same)).matching,
        [ResponseSet::of([1])]
    );
    assert_eq!(
        found(Expr::Not(Box::new(good(Aggregate::Same)))).matching,
        [ResponseSet::of([1])]
    );
    // With `any.`, both hold.
    assert_eq!(
        found(Expr::And(vec![good(Aggregate::Any), short(Aggregate::Any)])).matching,
        [ResponseSet::first(2)]
    );
    assert_eq!(
        found(Expr::And(vec![
            good(Aggregate::Any),
            short(Aggregate::Same)
        ]))
        .matching,
        [ResponseSet::of([1])]
    );
}

#[test]
fn a_sort_without_a_side_goes_by_the_response_that_the_filter_finds() {
    // In each pair the first is good and the second is not; lengths of the good ones descend, those
    // of the others ascend.
    let pair = |number: usize| {
        let row = |good: &str, length: usize| {
            rated(
                &format!("p{number}"),
                &"x".repeat(length),
                [good, "1", "1", "1", "1"],
            )
        };
        [row("4", 50 - number), row("0", 10 * number)].join("\n")
    };
    let dataset = dataset(&[(1..5).map(pair).collect::<Vec<_>>().join("\n")]);
    let good = || {
        compare(
            label(Aggregate::Same, "helpfulness"),
            Comparison::AtLeast,
            3.0,
        )
    };
    let length = || SortBy::Value(Number::Field(Field::of(built_in("len.response"))));
    let sorted = |filter, descending| sorted(&dataset, filter, length(), descending);
    assert_eq!(sorted(Some(good()), false), [3, 2, 1, 0]);
    assert_eq!(sorted(Some(good()), true), [0, 1, 2, 3]);
    assert_eq!(
        sorted(Some(Expr::Not(Box::new(good()))), false),
        [0, 1, 2, 3]
    );
    assert_eq!(
        sorted(Some(Expr::Not(Box::new(good()))), true),
        [3, 2, 1, 0]
    );
    // If both responses match, or without a filter, the value nearer to the front counts.
    assert_eq!(sorted(None, false), [0, 1, 2, 3]);
    assert_eq!(
        sorted(
            Some(compare(
                label(Aggregate::Any, "helpfulness"),
                Comparison::AtLeast,
                3.0
            )),
            true
        ),
        [0, 1, 2, 3]
    );
}

#[test]
fn hidden_characters_and_code_are_of_a_response() {
    let row = |prompt: &str, response: &str, value: &str| {
        rated(prompt, response, [value, "1", "1", "1", "1"])
    };
    let rows = [
        row("one\u{200b}", "plain", "4"),
        row("one\u{200b}", "plain", "0"),
        row("two", "hid\u{200b}den", "4"),
        row("two", "~~~\nx\n~~~", "0"),
        row("three", "so:\n\n    - a\n    - b", "4"),
        row("three", "so:\n\n    x = 1\n\u{202e}", "0"),
    ];
    let dataset = dataset(&[rows.join("\n")]);
    let found = |expr: Expr| {
        let found = answer(&filter(expr), &dataset, &ScanCache::default());
        found
            .samples
            .into_iter()
            .zip(found.matching)
            .collect::<Vec<_>>()
    };
    let has = |view, name| {
        let column = ColumnId::named(name).expect("a flag");
        Expr::Is(Field { view, column })
    };
    let (a, b) = (ResponseSet::of([0]), ResponseSet::of([1]));
    assert_eq!(found(has(Aggregate::Same, "has:hidden")), [(1, a), (2, b)]);
    assert_eq!(
        found(has(Aggregate::At(ResponseId::A), "has:hidden")),
        [(1, ResponseSet::first(2))]
    );
    assert_eq!(found(has(Aggregate::Same, "has:code")), [(1, b)]);
    let good = || {
        compare(
            label(Aggregate::Same, "helpfulness"),
            Comparison::AtLeast,
            3.0,
        )
    };
    assert_eq!(
        found(Expr::And(vec![good(), has(Aggregate::Same, "has:hidden")])),
        [(1, a)]
    );
    assert_eq!(
        found(Expr::And(vec![good(), has(Aggregate::Same, "has:code")])),
        []
    );
}

#[test]
fn what_rows_say_is_remembered_and_still_right_when_more_is_asked() {
    let rows = ["tea", "Tea", "coffee", "x"]
        .map(|word| rated(word, word, ["1", "1", "1", "1", "1"]))
        .join("\n");
    let dataset = dataset(&[rows]);
    let memory = ScanCache::default();
    let text = |part, phrase: &str| {
        Expr::Text(TextTerm {
            part,
            pattern: Pattern::Phrase(phrase.to_owned()),
        })
    };
    let first = Expr::And(vec![
        text(TextTarget::Anywhere, "tea"),
        compare(sample(), Comparison::Equal, 1.0),
    ]);
    assert_eq!(answer(&filter(first), &dataset, &memory).samples, [0]);
    assert_eq!(
        answer(
            &filter(text(TextTarget::Anywhere, "tea")),
            &dataset,
            &memory
        )
        .samples,
        [0, 1]
    );
    assert_eq!(
        answer(
            &filter(text(TextTarget::Anywhere, "Tea")),
            &dataset,
            &memory
        )
        .samples,
        [1]
    );
    assert_eq!(
        answer(
            &filter(text(TextTarget::Response(Aggregate::Same), "coffee")),
            &dataset,
            &memory
        )
        .samples,
        [2]
    );
}

fn sample() -> Number {
    Number::Field(Field::of(built_in("sample")))
}

#[test]
fn duplicates_have_the_same_texts_whatever_their_labels() {
    let rows = [
        rated("p", "r", ["1", "1", "1", "1", "1"]),
        rated("p", "s", ["1", "1", "1", "1", "1"]),
        rated("q", "r", ["1", "1", "1", "1", "1"]),
        rated("p", "r", ["4", "1", "1", "1", "1"]),
        rated("p", "s", ["0", "1", "1", "1", "1"]),
        // Responses that repeat their prompts, and texts that swap places.
        rated("echo", "echo", ["1", "1", "1", "1", "1"]),
        rated("still", "still", ["1", "1", "1", "1", "1"]),
        rated("tea?", "no", ["1", "1", "1", "1", "1"]),
        rated("no", "tea?", ["2", "1", "1", "1", "1"]),
        "{\"prompt\": 3}".to_owned(),
        "{\"prompt\": 3}".to_owned(),
    ];
    let dataset = dataset(&[rows.join("\n")]);
    let found = |flag: &str| {
        let query = filter(Expr::Is(Field::of(ColumnId::named(flag).expect("a flag"))));
        answer(&query, &dataset, &ScanCache::default()).samples
    };
    assert_eq!(found("is:duplicate"), [0, 2]);
    assert_eq!(found("is:relabelled"), [0, 2]);
    assert_eq!(found("is:contradicted"), [0_u32; 0]);
}

#[test]
fn what_reviewers_said_is_found_without_reading_rows() {
    let row = || rated("p", "r", ["1", "1", "1", "1", "1"]);
    // More samples than in a block, the last of them malformed.
    let last = QUICK_BLOCK + 2;
    let rows: Vec<_> = (0..2 * last)
        .map(|_| row())
        .chain(["{\"prompt\": 3}".to_owned()])
        .collect();
    let dataset = dataset(&[rows.join("\n")]);
    assert_eq!(dataset.samples(), last + 1);
    let last = last as u32;
    let mut remarks = ReviewIndex::default();
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).into()).collect();
    remarks.set(
        0,
        SampleRemark {
            marked: true,
            tags: tags(&["Rude", "wrong label"]),
            ..SampleRemark::default()
        },
    );
    remarks.set(
        2047,
        SampleRemark {
            rated: true,
            tags: tags(&["odd"]),
            ..SampleRemark::default()
        },
    );
    remarks.set(
        2048,
        SampleRemark {
            notes: vec!["Not Rude at all".into(), "só".into()],
            checks: vec![
                ("ben".into(), SpotCheckVerdict::Wrong),
                ("ann".into(), SpotCheckVerdict::Right),
            ],
            ..SampleRemark::default()
        },
    );
    remarks.set(
        last,
        SampleRemark {
            marked: true,
            notes: vec!["broken".into()],
            ..SampleRemark::default()
        },
    );
    remarks.set(
        last + 1,
        SampleRemark {
            marked: true,
            rated: true,
            ..SampleRemark::default()
        },
    );
    let read = |text| read(text, &dataset);
    for (text, expected) in [
        ("is:marked", &[0, last][..]),
        ("is:marked -is:malformed", &[0]),
        ("is:rated", &[2047]),
        ("has:tag", &[0, 2047]),
        ("has:note", &[2048, last]),
        ("check:any", &[2048]),
        ("check:right check:wrong", &[2048]),
        ("check:unclear", &[]),
        ("has:note -check:any", &[last]),
        ("tag:rude", &[0]),
        ("tag=RUDE", &[]),
        ("tag=label or tag:label", &[0]),
        ("tag!=rude", &[2047]),
        ("-tag=rude has:tag", &[2047]),
        ("tag in (odd, rude)", &[0, 2047]),
        ("tag=none has:note", &[2048, last]),
        ("tag!=none", &[0, 2047]),
        ("note:so", &[2048]),
        ("note:\"rude at\"", &[2048]),
        ("note:/^broken$/ or note:rude", &[2048, last]),
        ("-(tag=none -has:note -is:marked)", &[0, 2047, 2048, last]),
        ("helpfulness=1 (is:marked or has:note)", &[0, 2048]),
    ] {
        let query = read(text);
        assert!(is_quick(&query, &dataset), "{text}");
        let found = answer_with(
            &query,
            &dataset,
            QueryContext {
                memory: &ScanCache::default(),
                remarks: &remarks,
                rules: &crate::query::FindingRules::default(),
                is_blind: false,
            },
        );
        assert_eq!(found.samples, expected, "{text}");
        let of_pairs = found
            .samples
            .iter()
            .zip(&found.matching)
            .filter(|(sample, _)| **sample < last);
        assert!(
            of_pairs
                .into_iter()
                .all(|(_, matching)| *matching == ResponseSet::first(2)),
            "{text}"
        );
    }
    // All samples except the one with the tag `rude`.
    let unlike = answer_with(
        &read("-tag=rude"),
        &dataset,
        QueryContext {
            memory: &ScanCache::default(),
            remarks: &remarks,
            rules: &crate::query::FindingRules::default(),
            is_blind: false,
        },
    );
    assert_eq!(unlike.samples.len(), last as usize);
}

#[test]
fn what_is_not_wanted_any_more_tells_nothing_more_and_is_left_unsorted() {
    let rows: Vec<_> = (0..5000)
        .map(|row| {
            rated(
                &row.to_string(),
                if row % 3 == 0 { "```x```" } else { "r" },
                ["4"; 5],
            )
        })
        .collect();
    let file = [rows.join("\n")];
    // Each query with its least number of checks: per block, or per sample whose rows are read.
    for (text, least) in [
        ("helpfulness=4", 3),
        ("has:code", 5000),
        ("is:duplicate", 5000),
        ("sort:-len.response", 6),
        ("sort:random(7)", 3),
    ] {
        let query = read(text, &dataset(&file));
        // Cancels after `looks` checks.
        let told = |looks: usize| {
            // A new dataset, because comparisons of samples are kept.
            let dataset = dataset(&file);
            let looked = AtomicUsize::new(0);
            let keep_going = || looked.fetch_add(1, Ordering::Relaxed) < looks;
            let (memory, remarks) = (ScanCache::default(), ReviewIndex::default());
            let known = QueryContext {
                memory: &memory,
                remarks: &remarks,
                rules: &crate::query::FindingRules::default(),
                is_blind: false,
            };
            let (mut all, samples) = (QueryResult::default(), 0..dataset.samples());
            let answered = find(
                &query,
                &dataset,
                samples,
                known,
                &keep_going,
                &mut |more, _| {
                    let looked = looked.load(Ordering::Relaxed);
                    assert!(looked <= looks, "{text} reported after it was cancelled");
                    all.extend(&more);
                    ControlFlow::Continue(())
                },
            );
            let unsorted = all.samples.clone();
            let sorted = answered.is_continue()
                && sort(&query, &dataset, &remarks, &mut all, &keep_going).is_continue();
            assert!(sorted || all.samples == unsorted, "{text}: half in order");
            (sorted, all.samples, looked.into_inner())
        };
        let (done, whole, looks) = told(usize::MAX);
        assert!(done && looks >= least, "{text} asked {looks} times");
        assert_eq!(told(looks), (true, whole, looks), "{text}");
        for before in [0, 1, least - 1, looks - 1] {
            assert!(!told(before).0, "{text} after {before} looks");
        }
    }
}

#[test]
fn a_phrase_shows_what_it_has_found_before_all_is_read() {
    let word = |number: usize| {
        if number.is_multiple_of(3) {
            "Python 1"
        } else {
            "pyth on"
        }
    };
    let rows: Vec<_> = (0..5000)
        .map(|number| rated(&number.to_string(), word(number), ["1"; 5]))
        .collect();
    let dataset = dataset(&[rows.join("\n")]);
    let samples = dataset.samples();
    let expected: Vec<u32> = (0..samples as u32).step_by(3).collect();
    for text in ["\"python\"", "\"python 1\""] {
        let query = read(text, &dataset);
        let (memory, remarks, rules) = Default::default();
        let known = QueryContext {
            memory: &memory,
            remarks: &remarks,
            rules: &rules,
            is_blind: false,
        };
        let (mut found, mut pieces) = (Vec::new(), 0);
        let answered = find(
            &query,
            &dataset,
            0..samples,
            known,
            &|| true,
            &mut |more, looked| {
                found.extend(more.samples);
                let upto = expected.partition_point(|&sample| (sample as usize) < looked);
                assert_eq!(found, expected[..upto], "{text} up to {looked}");
                pieces += 1;
                ControlFlow::Continue(())
            },
        );
        assert!(answered.is_continue() && pieces > 1, "{text}: {pieces}");
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn sorting_puts_what_is_missing_last_and_keeps_ties_in_order() {
    let rows = ["2", "null", "0", "2", "4"].iter().enumerate();
    let rows: Vec<_> = rows
        .map(|(place, value)| rated(&place.to_string(), "r", [value, "1", "1", "1", "1"]))
        .collect();
    let dataset = dataset(&[rows.join("\n")]);
    let sorted = |by, descending| sorted(&dataset, None, by, descending);
    let helpfulness = || SortBy::Value(label(Aggregate::Same, "helpfulness"));
    assert_eq!(sorted(helpfulness(), false), [2, 0, 3, 4, 1]);
    assert_eq!(sorted(helpfulness(), true), [4, 0, 3, 2, 1]);
    // The order of a seed is the same on every machine and in every version.
    assert_eq!(sorted(SortBy::Random(7), false), [4, 2, 3, 1, 0]);
    assert_ne!(
        sorted(SortBy::Random(8), false),
        sorted(SortBy::Random(7), false)
    );
}

#[test]
fn bins_hold_both_ends() {
    let tenths = Bins::ranges(0.0, 1.0);
    for place in 0..10_u8 {
        let border: f64 = format!("0.{place}").parse().expect("a number");
        assert_eq!(tenths.of(border), Some(usize::from(place)), "{border}");
    }
    let bins = Bins::ranges(-1.0, 1.0);
    for (value, bin) in [
        (-1.0, Some(0)),
        (0.0, Some(5)),
        (1.0, Some(9)),
        (1.1, None),
        (-0.81, Some(0)),
        (-0.79, Some(1)),
    ] {
        assert_eq!(bins.of(value), bin, "{value}");
    }
    assert_eq!((bins.ends(0).0, bins.ends(9).1), (-1.0, 1.0));
    // Quotients and products of steps are inexact.
    for (low, high, count, first) in [
        (-10.0, -8.6, 7, (-10.0, -9.8)),
        (0.6, 2.0, 7, (0.6, 0.8)),
        (
            1_234_567_890_123_400.0,
            1_234_567_890_123_517.0,
            6,
            (1_234_567_890_123_400.0, 1_234_567_890_123_420.0),
        ),
        (1e-7, 9e-7, 8, (1e-7, 2e-7)),
        (0.25, 0.95, 8, (0.2, 0.3)),
    ] {
        let bins = Bins::ranges(low, high);
        assert_eq!((bins.count(), bins.ends(0)), (count, first), "{low} {high}");
        assert_eq!(bins.ends(count - 1).1, high, "{low} {high}");
        assert!(
            (0..count).all(|at| bins.ends(at).0 < bins.ends(at).1),
            "{low} {high}"
        );
    }
}

#[test]
fn what_is_counted_in_texts_is_counted_once_and_known_from_then_on() {
    let row = |response: &str, helpfulness: u8| {
        format!(
            r#"{{"prompt": "p", "response": "{response}", "helpfulness": {helpfulness}, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}}"#
        )
    };
    let rows = [row(r"- a\n- b", 1), row("plain", 3), row(r"1. x", 2)];
    let dataset = crate::dataset::tests::dataset(&[rows.join("\n")]);
    let catalog = crate::query::Catalog::of_dataset(&dataset);
    let query = |text: &str| crate::query::parse(text, &catalog).expect("a query");
    let found = |text: &str| {
        let mut all = QueryResult::default();
        let (memory, remarks) = (ScanCache::default(), ReviewIndex::default());
        let known = QueryContext {
            memory: &memory,
            remarks: &remarks,
            rules: &crate::query::FindingRules::default(),
            is_blind: false,
        };
        let mut tell = |found: QueryResult, _| {
            all.extend(&found);
            ControlFlow::Continue(())
        };
        let query = query(text);
        let _ = find(&query, &dataset, 0..10, known, &|| true, &mut tell);
        let _ = sort(&query, &dataset, &ReviewIndex::default(), &mut all, &|| {
            true
        });
        all
    };
    let filter = "lists.response>=1";
    // A cell is known before the column is counted, and counting the cell does not keep it.
    let column = Field::of(built_in("lists.response"));
    let number = |value: f64| Some(FieldValue::Number(value));
    let pair = FieldCell::Responses(vec![number(2.0), number(0.0)]);
    assert_eq!(cell(&dataset, &ReviewIndex::default(), column, 0), pair);
    assert!(!is_quick(&query(filter), &dataset));
    let all = found(filter);
    assert_eq!(all.samples, [0, 1]);
    assert_eq!(all.matching, [ResponseSet::of([0]), ResponseSet::of([0])]);
    assert!(is_quick(&query(filter), &dataset));
    assert!(!is_quick(&query("headers.response=0"), &dataset));
    assert_eq!(cell(&dataset, &ReviewIndex::default(), column, 0), pair);
    assert_eq!(found(filter), all);
    assert_eq!(found("sort:max.lists.response").samples, [1, 0]);
    assert_eq!(found("sort:bold.response").samples, [0, 1]);
    assert_eq!(found("a.lists.response > b.lists.response").samples, [0]);
}

#[test]
fn a_value_equals_the_number_that_is_shown_for_it() {
    let third = 2.0 / 3.0;
    for (comparison, number, value, holds) in [
        (Comparison::Equal, -0.6667, -third, true),
        (Comparison::NotEqual, -0.6667, -third, false),
        // Bars of ranges share their ends, and each value is in one of them.
        (Comparison::AtMost, -0.6667, -third, false),
        (Comparison::Less, 0.6667, third, true),
        (Comparison::AtLeast, 0.6667, third, false),
        (Comparison::Equal, 0.666, third, false),
        (Comparison::Equal, 0.667, third, false),
        (Comparison::Equal, 0.66667, third, false),
        (Comparison::Equal, 3.0, 2.999_99, true),
        (Comparison::Equal, 12350.0, 12345.4, true),
        (Comparison::Equal, 12350.0, 12346.0, false),
        (Comparison::Equal, 0.0, 1e-9, false),
        (Comparison::Equal, 1.0, 0.999_96, true),
        (Comparison::Equal, 1.0, f64::NAN, false),
    ] {
        let test = NumberTest::Compare(comparison, number);
        assert_eq!(test.holds(value), holds, "{value} {comparison:?} {number}");
    }
    assert!(!NumberTest::Within(Some(0.6667), None).holds(third));
    assert!(NumberTest::Among(vec![0.5, 0.6667]).holds(third));
}
