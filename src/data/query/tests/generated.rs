//! Random queries: the printed query parses to the same query.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::ast::*;
use super::super::lang::parse::parse;
use super::catalog;
use crate::model::{ResponseId, SpotCheckVerdict};
use crate::table::{ColumnKind, ColumnSource, Requirement};

fn label() -> impl Strategy<Value = ColumnId> {
    let names: Vec<_> = catalog()
        .labels()
        .iter()
        .map(|label| label.def.id)
        .collect();
    let built_in = ColumnId::built_in().filter(|column| column.kind.is_number());
    let rated = raters().into_iter().flat_map(|raters| {
        let labels = ["helpfulness", "turns"];
        labels.map(|label| ColumnId::of(ColumnSource::Rated(raters.clone()), label))
    });
    select(
        names
            .into_iter()
            .chain(built_in)
            .chain(rated)
            .collect::<Vec<_>>(),
    )
}

fn people() -> Vec<Rater> {
    let named = ["Ann", "Lee J.", "a", "rated"].map(|name| Rater::Named(name.into()));
    [vec![Rater::Own], named.to_vec()].concat()
}

fn raters() -> Vec<Raters> {
    let one = people().into_iter().map(Raters::One);
    [Raters::Mean, Raters::Spread]
        .into_iter()
        .chain(one)
        .collect()
}

fn disagreeing() -> Vec<DisagreementScope> {
    let with = people().into_iter().map(DisagreementScope::With);
    let only = people().into_iter().map(Some).chain([None]);
    let with = with.chain(only.map(DisagreementScope::Only));
    let all = [DisagreementScope::Dataset, DisagreementScope::Reviewers].into_iter();
    all.chain(with).collect()
}

fn view() -> impl Strategy<Value = Aggregate> {
    use Aggregate::{Any, At, Gap, Loser, Margin, Max, Mean, Min, Same, Winner};
    let [a, b] = [ResponseId::A, ResponseId::B].map(At);
    select(vec![
        Same, a, b, Any, Min, Max, Mean, Gap, Margin, Winner, Loser,
    ])
}

fn side() -> impl Strategy<Value = Aggregate> {
    select(vec![
        Aggregate::Same,
        Aggregate::At(ResponseId::A),
        Aggregate::At(ResponseId::B),
        Aggregate::Any,
        Aggregate::All,
        Aggregate::Winner,
        Aggregate::Loser,
    ])
}

fn literal() -> impl Strategy<Value = f64> {
    let plain = select(vec![
        0.0,
        -0.0,
        1.0,
        -3.0,
        0.5,
        1e-7,
        -1e-7,
        1e16,
        123456.789,
        f64::MAX,
        f64::MIN_POSITIVE,
    ]);
    prop_oneof![
        plain,
        any::<f64>().prop_filter("finite", |number| number.is_finite())
    ]
}

fn number() -> impl Strategy<Value = Number> {
    let field = (view(), label()).prop_map(|(view, column)| {
        let view = if column.is_of_responses() {
            view
        } else {
            Aggregate::Same
        };
        Number::Field(Field { view, column })
    });
    let leaf = prop_oneof![3 => field, 1 => literal().prop_map(Number::Literal)];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let operator = select(vec![
            Arithmetic::Plus,
            Arithmetic::Minus,
            Arithmetic::Times,
            Arithmetic::Over,
        ]);
        prop_oneof![
            inner
                .clone()
                .prop_map(|number| Number::Negative(Box::new(number))),
            inner
                .clone()
                .prop_map(|number| Number::Absolute(Box::new(number))),
            (operator, inner.clone(), inner).prop_map(|(operator, left, right)| {
                Number::Binary(operator, Box::new(left), Box::new(right))
            }),
        ]
    })
}

fn disagreements() -> Vec<ColumnId> {
    let all = disagreeing().into_iter();
    all.map(|with| ColumnId::of(ColumnSource::Disagreement(with), ""))
        .collect()
}

fn flag() -> impl Strategy<Value = ColumnId> {
    // Without columns of joined files: there are none here.
    let is_flag = |column: &ColumnId| {
        column.kind == ColumnKind::Flag && column.requires != Requirement::JoinedFiles
    };
    let flags = ColumnId::built_in().filter(is_flag);
    select(flags.collect::<Vec<_>>())
}

fn built_in(name: &str) -> ColumnId {
    ColumnId::named(name).expect("a column")
}

fn word_column() -> impl Strategy<Value = ColumnId> {
    let facts = catalog()
        .facts()
        .iter()
        .map(|fact| fact.def.id)
        .collect::<Vec<_>>();
    select([vec![built_in("file")], facts].concat())
}

fn word() -> impl Strategy<Value = String> {
    let odd = [
        "and",
        "or",
        "not",
        "in",
        "none",
        "abs",
        "NOT",
        "And",
        "&&",
        "&&x",
        "|",
        ",x",
        "x,",
        "!x",
        "words",
        "%",
        "k",
        "helpfulness",
        "a.len",
        "turns",
        "turns-1",
        "5",
        "-5",
        "-x",
        "a:b",
        "x>3",
        "/x/",
        "\"",
        "\\",
        "\\n",
        "\n",
        "a b",
        " ",
        "漢字",
        "(",
        "c++",
        "é!",
        "is",
        "is:tie",
        ",",
        "a,b",
        "=",
        "!=",
        "*x",
        "..",
        "sort:row",
        "abs(",
        "len",
        "\u{3000}",
        "\u{7}",
        "random(7)",
        "line.",
        "a.line.",
        "3",
        "1e5",
        "prompt",
        "tag",
        "tag=x",
        "note",
        "note:x",
        "check",
        "check:any",
        "rated",
        "rated.turns",
        "ann.helpfulness",
        "disagrees:ann",
        "disagrees:only.ann",
        "disagrees:only.dataset",
    ];
    prop_oneof![
        select(odd.map(str::to_owned).to_vec()),
        "[a-z0-9.:=<>()\"/\\\\ +*-]{1,6}",
        "\\PC{1,5}"
    ]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let regexes = [
        "x", " x", "a/b", "\\\\", "[/]", "\\(", "\\w+ ", "[\"(]", "(a|b)", "\\.", "漢+", "\\x41",
        "len", "2",
    ];
    prop_oneof![
        3 => word().prop_map(Pattern::Phrase),
        1 => select(regexes.map(|regex| Pattern::Regex(regex.to_owned())).to_vec()),
    ]
}

fn leaf() -> impl Strategy<Value = Expr> {
    let comparison = select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ]);
    let range = (number(), literal(), literal(), 0..3).prop_map(|(of, a, b, ends)| {
        let (low, high) = (a.min(b), a.max(b));
        let test = NumberTest::Within((ends != 0).then_some(low), (ends != 1).then_some(high));
        Expr::Number { of, test }
    });
    let part = (side(), 0..5).prop_map(|(view, part)| match part {
        0 => TextTarget::Anywhere,
        1 => TextTarget::Prompt,
        2 => TextTarget::Response(view),
        3 => TextTarget::Quote(view),
        4 => TextTarget::Title(view),
        _ => TextTarget::Rationale,
    });
    let test = prop_oneof![
        vec(word(), 1..4).prop_map(WordTest::Is),
        word().prop_map(WordTest::IsNot),
        word().prop_map(WordTest::Contains),
        any::<bool>().prop_map(WordTest::Missing),
    ];
    let of_tags = test.clone();
    let verdicts = vec(
        select(vec!["a".to_owned(), "b".to_owned(), "tie".to_owned()]),
        1..3,
    );
    let verdict_columns = people().into_iter();
    let verdict_columns =
        verdict_columns.map(|rater| ColumnId::of(ColumnSource::RatedVerdict(rater), ""));
    let verdict_columns = verdict_columns
        .chain([built_in("verdict")])
        .collect::<Vec<_>>();
    prop_oneof![
        3 => (number(), comparison, number()).prop_map(|(left, comparison, right)| Expr::compare(left, comparison, right)),
        1 => range,
        1 => (number(), vec(literal(), 1..4)).prop_map(|(of, values)| Expr::Number { of, test: NumberTest::Among(values) }),
        1 => (number(), any::<bool>()).prop_map(|(of, missing)| Expr::Number { of, test: NumberTest::Missing(missing) }),
        1 => (word_column(), test).prop_map(|(of, test)| Expr::Word { of: Field::of(of), test }),
        1 => (verdicts, select(verdict_columns)).prop_map(|(words, of)| Expr::Word { of: Field::of(of), test: WordTest::Is(words) }),
        1 => select(disagreements()).prop_map(|flag| Expr::Is(Field::of(flag))),
        4 => (part, pattern()).prop_map(|(part, pattern)| Expr::Text(TextTerm { part, pattern })),
        4 => (side(), flag()).prop_map(|(view, column)| Expr::Is(match column.is_of_responses() {
            true => Field { view, column },
            false => Field::of(column),
        })),
        1 => select(ResponseId::first(2).collect::<Vec<_>>()).prop_map(Expr::Best),
        2 => of_tags.prop_map(|test| Expr::Word { of: Field::of(ColumnId::in_table("tag")), test }),
        1 => pattern().prop_map(Expr::Note),
        1 => proptest::option::of(select(SpotCheckVerdict::ALL.to_vec())).prop_map(Expr::Check),
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(|terms| Expr::all(terms).unwrap()),
            vec(inner.clone(), 1..4).prop_map(|terms| Expr::any(terms).unwrap()),
            inner.prop_map(|negated| Expr::Not(Box::new(negated))),
        ]
    })
}

fn sort() -> impl Strategy<Value = Vec<SortKey>> {
    let is_sortable = |number: &Number| !number.has_view(Aggregate::Any);
    let by = prop_oneof![
        3 => number().prop_filter("any. is no number", is_sortable).prop_map(SortBy::Value),
        1 => word_column().prop_map(|of| SortBy::Value(Number::Field(Field::of(of)))),
        1 => select(disagreements()).prop_map(|of| SortBy::Value(Number::Field(Field::of(of)))),
        1 => any::<u64>().prop_map(SortBy::Random),
    ];
    let key = (by, any::<bool>()).prop_map(|(by, descending)| {
        let descending = descending && !matches!(by, SortBy::Random(_));
        SortKey { by, descending }
    });
    vec(key, 0..3).prop_map(|mut keys| {
        if keys.len() == 2
            && (keys[0].by == keys[1].by
                || keys.iter().all(|key| matches!(key.by, SortBy::Random(_))))
        {
            keys.pop();
        }
        keys
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_is_printed_reads_as_the_same(filter in proptest::option::of(expr()), sort in sort()) {
        let query = Query { filter, sort };
        let printed = query.spelled(&catalog()).to_string();
        prop_assume!(printed.len() <= super::super::MAX_BYTES);
        let read = parse(&printed, &catalog());
        prop_assert_eq!(read, Ok(query), "{}", printed);
    }

    #[test]
    fn what_is_read_is_printed_as_the_same(tokens in vec(token(), 0..12)) {
        let text = tokens.concat();
        let catalog = catalog();
        match parse(&text, &catalog) {
            Ok(query) => {
                let printed = query.spelled(&catalog).to_string();
                prop_assert_eq!(parse(&printed, &catalog), Ok(query), "{} → {}", text, printed);
            }
            Err(error) => prop_assert!(text.get(error.span.clone()).is_some() && !error.message.is_empty(), "{}: {:?}", text, error),
        }
    }
}

fn token() -> impl Strategy<Value = String> {
    let tokens = [
        " ",
        " ",
        " ",
        "(",
        ")",
        "-",
        "- ",
        " - ",
        "/",
        " / ",
        "+",
        "*",
        "helpfulness",
        "a.len",
        "turns",
        "any.",
        "both.",
        "domain",
        "verdict",
        "3",
        "-2",
        "0.5",
        "..",
        "<",
        ">=",
        "=",
        "!=",
        ":",
        "none",
        "in",
        "in (",
        ",",
        "abs(",
        "not ",
        " or ",
        " and ",
        "foo",
        "\"x\"",
        "/x/",
        "prompt:",
        "a.response:",
        "is:",
        "tie",
        "has:code",
        "has:",
        "note",
        "note:",
        "tag",
        "sort:",
        "random(7)",
        "漢",
        "\\",
        "\"",
        "a",
        "label.",
        "rated.",
        "reviewer.a.",
        "mine.verdict",
        "disagrees:",
        "dataset",
        "row/line",
    ];
    select(tokens.map(str::to_owned).to_vec())
}
