//! Random rows and queries.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use std::sync::Arc;

use super::*;
use crate::dataset::{KeptColumns, ScanOptions};
use crate::model::{ResponseId, SpotCheckVerdict, Verdict};
use crate::query::ast::{DisagreementScope, Rater, Raters};
use crate::query::remarks::SampleJudgment;
use crate::table::{ColumnKind, ColumnSource};

fn texts() -> impl Strategy<Value = String> {
    let turns = "x\n\n<extra_id_1>User\ny\n\n<extra_id_1>Assistant\nTea";
    let words = vec![
        "tea",
        "Tea time",
        "a \"quoted\" é",
        "```code```",
        "zero\u{200b}width",
        "so [1]. And [3].",
        "",
        "1/2 \\n",
    ];
    prop_oneof![4 => select(words).prop_map(str::to_owned), 1 => Just(turns.to_owned())]
}

fn rating() -> impl Strategy<Value = String> {
    prop_oneof![6 => (0..5_u8).prop_map(|value| value.to_string()), 1 => select(vec!["null", "9", "\"4\"", "0.5"]).prop_map(str::to_owned)]
}

fn rated_rows() -> impl Strategy<Value = String> {
    let row = (
        select(vec!["p", "q", "tea"]),
        texts(),
        [rating(), rating(), rating(), rating(), rating()],
    )
        .prop_map(|(prompt, response, labels)| {
            let [a, b, c, d, e] = &labels;
            rated(prompt, &response, [a, b, c, d, e])
        });
    let long = (texts(), texts())
        .prop_map(|(prompt, response)| rated(&prompt, &response, ["1", "2", "3", "4", "0"]));
    let odd = select(vec![
        "{\"prompt\": 3, \"response\": \"tea\"}",
        "not JSON at all: tea",
        "{\"prompt\": \"p\", \"response\": \"\\ud83d half\", \"helpfulness\": NaN}",
        "{\"prompt\": \"\\u0070\", \"response\": \"t\\u0065a \\/\", \"helpfulness\": 2}",
        "",
    ]);
    vec(
        prop_oneof![6 => row, 2 => long, 1 => odd.prop_map(str::to_owned)],
        0..14,
    )
    .prop_map(|rows| {
        format!(
            "{}\n{}",
            rated("first", "row", ["4", "3", "2", "1", "0"]),
            rows.join("\n")
        )
    })
}

fn compared_rows() -> impl Strategy<Value = String> {
    let quotes = prop_oneof![
        Just(r#"{"title": [], "extract": []}"#),
        Just(r#"{"title": ["On tea (x.org)"], "extract": ["Tea is a drink."]}"#),
        Just(r#"{"title": ["a", "b"], "extract": ["tea\u0301", "cup\u200b"]}"#),
    ];
    let score = select(vec![
        "0.0",
        "0.5",
        "-0.5",
        "1.0",
        "-1.0",
        "0.3333333333333333",
        "\"0.5\"",
    ]);
    let row = (
        texts(),
        (texts(), quotes.clone(), score.clone()),
        (texts(), quotes, score),
        select(vec!["eli5", "triviaqa"]),
        0..40,
    );
    let row = row.prop_map(|(question, (a, quotes_a, score_a), (b, quotes_b, score_b), dataset, id)| {
        let text = |text: &str| serde_json::to_string(text).expect("JSON");
        format!(
            r#"{{"question": {{"full_text": {}, "dataset": "{dataset}", "id": "id {id}"}}, "quotes_0": {quotes_a}, "answer_0": {}, "tokens_0": {{"prefix": [1], "completion": [2]}}, "score_0": {score_a}, "quotes_1": {quotes_b}, "answer_1": {}, "tokens_1": {{"prefix": [1], "completion": []}}, "score_1": {score_b}}}"#,
            text(&question),
            text(&a),
            text(&b),
        )
    });
    vec(row, 1..10).prop_map(|rows| rows.join("\n"))
}

fn views() -> impl Strategy<Value = Aggregate> {
    select(vec![
        Aggregate::Same,
        Aggregate::Same,
        Aggregate::Same,
        Aggregate::At(ResponseId::A),
        Aggregate::At(ResponseId::B),
        ResponseId::new(3).map_or(Aggregate::Same, Aggregate::At),
        Aggregate::Any,
        Aggregate::All,
        Aggregate::Min,
        Aggregate::Max,
        Aggregate::Mean,
        Aggregate::Gap,
        Aggregate::Margin,
        Aggregate::Winner,
        Aggregate::Loser,
    ])
}

fn sides() -> impl Strategy<Value = Aggregate> {
    select(vec![
        Aggregate::Same,
        Aggregate::At(ResponseId::A),
        Aggregate::At(ResponseId::B),
        ResponseId::new(3).map_or(Aggregate::Same, Aggregate::At),
        Aggregate::Any,
        Aggregate::All,
        Aggregate::Winner,
        Aggregate::Loser,
    ])
}

/// Returns raters: the user, and one without judgments.
fn people() -> Vec<Rater> {
    let named = ["ann", "zoe"].map(|name| Rater::Named(name.into()));
    [vec![Rater::Own], named.to_vec()].concat()
}

fn raters() -> Vec<Raters> {
    let one = people().into_iter().map(Raters::One);
    [Raters::Mean, Raters::Spread]
        .into_iter()
        .chain(one)
        .collect()
}

fn checks() -> impl Strategy<Value = Option<SpotCheckVerdict>> {
    proptest::option::of(select(SpotCheckVerdict::ALL.to_vec()))
}

fn disagreeing() -> Vec<DisagreementScope> {
    let with = people().into_iter().map(DisagreementScope::With);
    let all = [DisagreementScope::Dataset, DisagreementScope::Reviewers].into_iter();
    all.chain(with).collect()
}

/// Judgments with whole numbers, so that a mean of three does not depend on order.
fn judgments() -> impl Strategy<Value = Vec<SampleJudgment>> {
    let label = (
        select(vec!["helpfulness", "verbosity"]),
        select(ResponseId::first(3).collect::<Vec<_>>()),
        0..5_u8,
    );
    let verdict = proptest::option::of(select(vec![
        Verdict::wins(ResponseId::A),
        Verdict::wins(ResponseId::B),
        Verdict::Tie,
    ]));
    let judgment = (select(vec!["ann", "ben", "me"]), vec(label, 0..5), verdict);
    vec(judgment, 0..4).prop_map(|all| {
        let mut judgments: Vec<SampleJudgment> = Vec::new();
        for (reviewer, labels, verdict) in all {
            let mut values: Vec<(Arc<str>, ResponseId, f64)> = Vec::new();
            for (name, response, value) in labels {
                if !values
                    .iter()
                    .any(|(known, of, _)| **known == *name && *of == response)
                {
                    values.push((name.into(), response, f64::from(value)));
                }
            }
            if !judgments.iter().any(|known| *known.reviewer == *reviewer) {
                let reviewer = reviewer.into();
                judgments.push(SampleJudgment {
                    reviewer,
                    labels: values,
                    verdict,
                });
            }
        }
        judgments
    })
}

fn fields() -> impl Strategy<Value = Field> {
    let label = |name: &str| ColumnId::of(ColumnSource::Label, name);
    // All numbers of the table, so a new one is covered automatically. Rules have their own tests.
    let is_of_rules = |column: &ColumnId| matches!(column.source, ColumnSource::Findings(_));
    let numbers = ColumnId::built_in().filter(|column| column.kind.is_number());
    let numbers = numbers.filter(|column| !is_of_rules(column));
    let (of_responses, of_samples): (Vec<_>, Vec<_>) =
        numbers.partition(|column| column.is_of_responses());
    let labels = ["helpfulness", "verbosity", "score", "nowhere"].map(label);
    let rated = raters()
        .into_iter()
        .map(|raters| ColumnId::of(ColumnSource::Rated(raters), "helpfulness"));
    let of_response = select([labels.to_vec(), of_responses, rated.collect()].concat());
    let of_sample = select([of_samples, disagreements()].concat());
    prop_oneof![
        4 => (views(), of_response).prop_map(|(view, column)| Field { view, column }),
        1 => of_sample.prop_map(Field::of),
    ]
}

fn disagreements() -> Vec<ColumnId> {
    let all = disagreeing().into_iter();
    all.map(|with| ColumnId::of(ColumnSource::Disagreement(with), ""))
        .collect()
}

/// Returns a flag of responses seen so; one of samples has no view.
fn flag_of((view, column): (Aggregate, ColumnId)) -> Field {
    match column.is_of_responses() {
        true => Field { view, column },
        false => Field::of(column),
    }
}

fn asked(of: Number, test: NumberTest) -> Expr {
    Expr::Number { of, test }
}

fn literals() -> impl Strategy<Value = f64> {
    select(vec![-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 8.0])
}

fn numbers() -> impl Strategy<Value = Number> {
    let leaf = prop_oneof![4 => fields().prop_map(Number::Field), 1 => literals().prop_map(Number::Literal)];
    let arithmetic = select(vec![
        Arithmetic::Plus,
        Arithmetic::Minus,
        Arithmetic::Times,
        Arithmetic::Over,
    ]);
    leaf.prop_recursive(2, 4, 2, move |inner| {
        prop_oneof![
            inner.clone().prop_map(|of| Number::Negative(Box::new(of))),
            inner.clone().prop_map(|of| Number::Absolute(Box::new(of))),
            (arithmetic.clone(), inner.clone(), inner).prop_map(|(arithmetic, left, right)| {
                Number::Binary(arithmetic, Box::new(left), Box::new(right))
            }),
        ]
    })
}

fn text_targets() -> impl Strategy<Value = TextTarget> {
    prop_oneof![
        Just(TextTarget::Anywhere),
        Just(TextTarget::Prompt),
        sides().prop_map(TextTarget::Response),
        sides().prop_map(TextTarget::Quote),
        sides().prop_map(TextTarget::Title),
        Just(TextTarget::Rationale),
    ]
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let phrases = select(vec![
        "tea",
        "Tea",
        "é",
        "\"quoted\"",
        "\\n",
        "1/2",
        "half",
        "p",
    ]);
    let regexes = select(vec![r"\bt", "^tea$", r"[0-9]", "(?s)x.*Tea", r"\W\W"]);
    prop_oneof![
        phrases.prop_map(|phrase| Pattern::Phrase(phrase.to_owned())),
        // Without upper-case letters except in classes, which the naive evaluation treats as upper
        // case.
        regexes
            .prop_filter("case", |regex| !regex.contains('W'))
            .prop_map(|regex| Pattern::Regex(regex.to_owned())),
    ]
}

fn leaves() -> impl Strategy<Value = Expr> {
    let comparison = select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ]);
    let simple = (
        fields().prop_map(Number::Field),
        comparison.clone(),
        literals().prop_map(Number::Literal),
    );
    let general = (numbers(), comparison, numbers());
    let compare = |(left, comparison, right)| Expr::compare(left, comparison, right);
    let end = || proptest::option::of(literals());
    let word =
        || select(vec!["eli5", "ELI5", "li", "tie", "a", "id 3", "jsonl"]).prop_map(str::to_owned);
    // All words of the table, so a new one is covered automatically.
    let words = ColumnId::built_in().filter(|column| column.kind == ColumnKind::Word);
    let facts = ["dataset", "id", "nothing"].map(|fact| ColumnId::of(ColumnSource::Fact, fact));
    let judged = people().into_iter();
    let judged = judged.map(|rater| ColumnId::of(ColumnSource::RatedVerdict(rater), ""));
    let words = select(words.chain(facts).chain(judged).collect::<Vec<_>>());
    let test = prop_oneof![
        vec(word(), 1..3).prop_map(WordTest::Is),
        word().prop_map(WordTest::IsNot),
        word().prop_map(WordTest::Contains),
        any::<bool>().prop_map(WordTest::Missing),
    ];
    // All flags of the table, so a new one is covered automatically.
    let is_flag = |column: &ColumnId| column.kind == ColumnKind::Flag;
    let flags = ColumnId::built_in().filter(is_flag);
    let flags = (sides(), select(flags.collect::<Vec<_>>())).prop_map(flag_of);
    let tag = || select(vec!["rude", "Rude", "ru", "a b", "unrated"]).prop_map(str::to_owned);
    let of_tags = prop_oneof![
        vec(tag(), 1..3).prop_map(WordTest::Is),
        tag().prop_map(WordTest::IsNot),
        tag().prop_map(WordTest::Contains),
        any::<bool>().prop_map(WordTest::Missing),
    ];
    prop_oneof![
        4 => simple.prop_map(compare),
        2 => general.prop_map(compare),
        1 => (numbers(), end(), literals()).prop_map(|(of, low, high)| asked(of, NumberTest::Within(low, Some(high)))),
        1 => (numbers(), literals(), end()).prop_map(|(of, low, high)| asked(of, NumberTest::Within(Some(low), high))),
        1 => (numbers(), vec(literals(), 1..3)).prop_map(|(of, values)| asked(of, NumberTest::Among(values))),
        1 => (numbers(), any::<bool>()).prop_map(|(of, missing)| asked(of, NumberTest::Missing(missing))),
        2 => (words, test).prop_map(|(of, test)| Expr::Word { of: Field::of(of), test }),
        3 => (text_targets(), patterns()).prop_map(|(part, pattern)| Expr::Text(TextTerm { part, pattern })),
        5 => flags.prop_map(Expr::Is),
        2 => select(ResponseId::first(4).collect::<Vec<_>>()).prop_map(Expr::Best),
        2 => of_tags.prop_map(|test| Expr::Word { of: Field::of(ColumnId::in_table("tag")), test }),
        1 => patterns().prop_map(Expr::Note),
        1 => checks().prop_map(Expr::Check),
        2 => select(disagreements()).prop_map(|flag| Expr::Is(Field::of(flag))),
    ]
}

/// Remarks on the first samples, and on some that do not exist.
fn remarks() -> impl Strategy<Value = ReviewIndex> {
    let tag = select(vec!["rude", "Rude", "a b", "crude é"]);
    let remark = (
        any::<bool>(),
        any::<bool>(),
        vec(tag, 0..3),
        vec(texts(), 0..3),
        vec(
            (
                select(vec!["ann", "zoe"]),
                select(SpotCheckVerdict::ALL.to_vec()),
            ),
            0..3,
        ),
        judgments(),
    );
    vec((0..24_u32, remark), 0..16).prop_map(|said| {
        let mut remarks = ReviewIndex::of("me");
        for (sample, (marked, rated, tags, notes, checks, judgments)) in said {
            let tags = tags.into_iter().map(Into::into).collect();
            let notes = notes.into_iter().map(Into::into).collect();
            let checks = checks
                .into_iter()
                .map(|(who, verdict)| (who.into(), verdict));
            remarks.set(
                sample,
                SampleRemark {
                    marked,
                    rated,
                    tags,
                    notes,
                    checks: checks.collect(),
                    judgments,
                },
            );
        }
        remarks
    })
}

/// A filter as the parser allows it: `any.` and `both.` are not combined in one comparison.
fn filters() -> impl Strategy<Value = Expr> {
    let leaf = leaves().prop_filter("any. and both. do not meet", |leaf| {
        let printed = format!("{leaf:?}");
        !(printed.contains("view: Any") && printed.contains("view: All"))
    });
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Expr::And),
            vec(inner.clone(), 2..4).prop_map(Expr::Or),
            inner.prop_map(|not| Expr::Not(Box::new(not))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_finds_what_a_naive_reader_finds(
        rated in rated_rows(),
        compared in compared_rows(),
        remarks in vec(remarks(), 3),
        filters in vec(filters(), 1..4),
        key in keys(),
        descending in any::<bool>(),
    ) {
        check(&dataset(&[rated, compared]), filters, &remarks, (&key, descending))?;
    }
}

proptest! {
    // Fewer cases: each of them differs from pairs.
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn and_of_samples_with_more_than_two_responses(
        rows in ranked_rows(),
        remarks in vec(remarks(), 3),
        filters in vec(filters(), 1..4),
        key in keys(),
        descending in any::<bool>(),
    ) {
        check(&dataset_as(RANKED, &rows), filters, &remarks, (&key, descending))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn and_of_samples_with_votes(
        votes in vec(vec(-3_i32..4, 0..4), 1..10),
        value in -1_i32..4,
        comparison in select(vec![Comparison::Equal, Comparison::Less, Comparison::AtLeast]),
        flag in filters(),
    ) {
        let rows = (0_i64..).zip(&votes).map(|(number, votes)| {
            let votes: Vec<_> = votes.iter().map(|vote| serde_json::json!({"score": vote})).collect();
            serde_json::json!({
                "domain": "d", "language": "l", "context": [{"role": "user", "content": number.to_string()}],
                "response1": "tea", "response2": "cup", "overall_preference": number % 3 - 1, "individual_preference": votes,
            })
            .to_string()
        });
        let rows: Vec<_> = rows.chain(["no JSON".to_owned()]).collect();
        let name = |name| ColumnId::named(name).expect("a column");
        let field = Number::Field(Field::of(name("votes")));
        let contested = Expr::Is(Field::of(name("is:contested")));
        let counted = Expr::compare(field.clone(), comparison, Number::Literal(value.into()));
        let votes_for = |view| Number::Field(Field { view, column: name("votes.for") });
        let [winner, loser, one] =
            [Aggregate::Winner, Aggregate::Loser, Aggregate::Same].map(votes_for);
        let outvoted = Expr::compare(winner, comparison, loser);
        let one_voted_for = Expr::compare(one, comparison, Number::Literal(value.into()));
        let filters = vec![
            contested.clone(),
            counted.clone(),
            outvoted,
            one_voted_for,
            Expr::And(vec![Expr::Not(Box::new(contested)), flag]),
        ];
        let remarks = vec![ReviewIndex::default(); filters.len()];
        check(&dataset(&[rows.join("\n")]), filters, &remarks, (&field, true))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Checks that the scan answers like reading samples again; also if the query needs nothing
    /// else, so no row is read again and only the needed columns are kept.
    #[test]
    fn and_what_rows_are_asked_while_they_are_scanned(
        rows in prop_oneof![rated_rows(), compared_rows()],
        filters in vec(prop_oneof![filters(), filters_of_texts()], 1..4),
    ) {
        let whole = dataset(std::slice::from_ref(&rows));
        for query in filters.into_iter().map(filter) {
            let pushed = pushed_test(&query).map(Arc::new);
            let is_once = is_answered_by_scan(&query, false);
            if !is_once && pushed.is_none() {
                continue;
            }
            let scanned = dataset_scanned(&rows, |schema| ScanOptions {
                predicate: pushed.as_ref().map(|pushed| Arc::<TextPredicate>::clone(pushed) as _),
                kept: is_once.then(|| Arc::new(KeptColumns::only(schema, |column| asks_for(&query, column)))),
                is_read_again: !is_once,
            });
            let memory = ScanCache::default();
            if let Some(pushed) = &pushed {
                pushed.keep(&scanned, &memory);
            }
            let remarks = ReviewIndex::default();
            let known = QueryContext { memory: &memory, remarks: &remarks, rules: &crate::query::FindingRules::default(), is_blind: false };
            prop_assert_eq!(answer_with(&query, &scanned, known), naive::answer(&query, &whole, &remarks), "{:?}", query);
        }
    }
}

fn filters_of_texts() -> impl Strategy<Value = Expr> {
    let term = (text_targets(), patterns(), any::<bool>()).prop_map(|(part, pattern, not)| {
        let term = Expr::Text(TextTerm { part, pattern });
        if not { Expr::Not(Box::new(term)) } else { term }
    });
    (vec(term, 1..3), any::<bool>()).prop_map(|(terms, any)| {
        if any {
            Expr::Or(terms)
        } else {
            Expr::And(terms)
        }
    })
}

fn keys() -> impl Strategy<Value = Number> {
    numbers().prop_filter("any. and both. are no keys", |key| {
        let printed = format!("{key:?}");
        !printed.contains("view: Any") && !printed.contains("view: All")
    })
}

/// Compares the engine with the naive evaluation, with one cache for all queries: answers of one
/// query must not affect the next.
fn check(
    dataset: &Dataset,
    filters: Vec<Expr>,
    remarks: &[ReviewIndex],
    (key, descending): (&Number, bool),
) -> Result<(), TestCaseError> {
    let memory = ScanCache::default();
    for (expr, remarks) in filters.into_iter().zip(remarks) {
        let query = filter(expr);
        let known = QueryContext {
            memory: &memory,
            remarks,
            rules: &crate::query::FindingRules::default(),
            is_blind: false,
        };
        let mut found = answer_with(&query, dataset, known);
        prop_assert_eq!(
            &found,
            &naive::answer(&query, dataset, remarks),
            "{:?}",
            query
        );
        let by = SortBy::Value(key.clone());
        let query = Query {
            sort: vec![SortKey { by, descending }],
            ..query
        };
        assert!(sort(&query, dataset, remarks, &mut found, &|| true).is_continue());
        prop_assert_eq!(
            &found.samples,
            &naive::sorted(&query, dataset, remarks),
            "{:?}",
            query
        );
    }
    Ok(())
}

/// Four responses per row, with labels named as in the queries; the first decides.
const RANKED: &str = r#"
name = "ranked"
title = "Ranked"
rows = "inline"
prompt = { path = "/prompt" }
verdict = { label = "helpfulness" }
label = [
    { name = "helpfulness", range = [0, 4] },
    { name = "verbosity", range = [0, 4] },
]
response = [
    { text = "/r/0", ratings = { helpfulness = "/h/0", verbosity = "/v/0" }, texts = { critique = "/c" } },
    { text = "/r/1", ratings = { helpfulness = "/h/1", verbosity = "/v/1" } },
    { text = "/r/2", ratings = { helpfulness = "/h/2" } },
    { text = "/r/3", ratings = { helpfulness = "/h/3", verbosity = "/v/3" } },
]
text = [{ name = "why", path = "/why/*" }, { name = "critique" }]
"#;

fn ranked_rows() -> impl Strategy<Value = String> {
    let ratings = || [rating(), rating(), rating(), rating()];
    let row = (
        texts(),
        [texts(), texts(), texts(), texts()],
        ratings(),
        ratings(),
        [texts(), texts(), texts()],
    );
    let row = row.prop_map(|(prompt, responses, helpful, verbose, [critique, why, more])| {
        let responses = serde_json::json!(responses);
        let (helpful, verbose) = (helpful.join(", "), verbose.join(", "));
        let prompt = serde_json::json!(prompt);
        let (critique, why) = (serde_json::json!(critique), serde_json::json!([why, more]));
        let said = format!(r#""c": {critique}, "why": {why}"#);
        format!(
            r#"{{"prompt": {prompt}, "r": {responses}, "h": [{helpful}], "v": [{verbose}], {said}}}"#
        )
    });
    let odd = select(vec![
        "not JSON at all: tea",
        r#"{"prompt": "p", "r": ["a", "b"]}"#,
    ]);
    vec(
        prop_oneof![6 => row, 1 => odd.prop_map(str::to_owned)],
        1..10,
    )
    .prop_map(|rows| rows.join("\n"))
}
