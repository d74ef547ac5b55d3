//! Columns of judgments: their names, and the reviewers that they refer to.

use std::collections::BTreeMap;

use super::super::ast::{ColumnId, DisagreementScope, Expr, Field, Number, Rater, Raters};
use super::super::lang::complete::complete;
use super::{canonical, catalog, read};
use crate::table::ColumnSource;

/// Returns the column that a query compares.
fn column(text: &str) -> ColumnId {
    match read(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .filter
    {
        Some(Expr::Number {
            of: Number::Field(Field { column, .. }),
            ..
        }) => column,
        Some(Expr::Word { of, .. }) => of.column,
        other => panic!("{text}: {other:?}"),
    }
}

fn named(name: &str) -> Rater {
    Rater::Named(name.into())
}

#[test]
fn whose_values_are_meant() {
    let rated = |raters, label: &str| ColumnId::of(ColumnSource::Rated(raters), label);
    let verdict = |rater| ColumnId::of(ColumnSource::RatedVerdict(rater), "");
    let one = |rater| rated(Raters::One(rater), "helpfulness");
    for (text, expected) in [
        ("rated.helpfulness>=3", rated(Raters::Mean, "helpfulness")),
        (
            "spread.rated.helpfulness>=3",
            rated(Raters::Spread, "helpfulness"),
        ),
        (
            "Spread.Rated.Helpfulness>=3",
            rated(Raters::Spread, "helpfulness"),
        ),
        ("a.rated.turns=3", rated(Raters::Mean, "turns")),
        ("gap.spread.rated.turns=3", rated(Raters::Spread, "turns")),
        ("mine.helpfulness=3", one(Rater::Own)),
        ("MINE.helpfulness=3", one(Rater::Own)),
        ("ann.helpfulness=3", one(named("Ann"))),
        ("b.ANN.HELPFULNESS=3", one(named("Ann"))),
        ("lee_j_.helpfulness=3", one(named("Lee J."))),
        ("reviewer.ann.helpfulness=3", one(named("Ann"))),
        // A reviewer whose name is a prefix or a field needs `reviewer.`.
        ("reviewer.a.helpfulness=3", one(named("a"))),
        ("a.reviewer.a.helpfulness=3", one(named("a"))),
        ("reviewer.rated.helpfulness=3", one(named("rated"))),
        ("ann.verdict=tie", verdict(named("Ann"))),
        ("mine.verdict=a", verdict(Rater::Own)),
    ] {
        assert_eq!(column(text), expected, "{text}");
    }
    assert_eq!(
        column("a.helpfulness=3"),
        ColumnId::of(ColumnSource::Label, "helpfulness"),
        "a side goes before a reviewer of that name"
    );
}

#[test]
fn whose_judgments_are_compared() {
    for (text, expected, printed) in [
        (
            "disagrees:dataset",
            DisagreementScope::Dataset,
            "disagrees:dataset",
        ),
        (
            "disagrees: Reviewers",
            DisagreementScope::Reviewers,
            "disagrees:reviewers",
        ),
        (
            "disagrees:ann",
            DisagreementScope::With(named("Ann")),
            "disagrees:Ann",
        ),
        (
            "disagrees:mine",
            DisagreementScope::With(Rater::Own),
            "disagrees:mine",
        ),
        (
            "disagrees:only.ANN",
            DisagreementScope::Only(Some(named("Ann"))),
            "disagrees:only.Ann",
        ),
        (
            "disagrees:Only.Dataset",
            DisagreementScope::Only(None),
            "disagrees:only.dataset",
        ),
        (
            "disagrees:reviewer.a",
            DisagreementScope::With(named("a")),
            "disagrees:reviewer.a",
        ),
    ] {
        let expected = ColumnId::of(ColumnSource::Disagreement(expected), "");
        assert_eq!(
            read(text).unwrap().filter,
            Some(Expr::Is(Field::of(expected))),
            "{text}"
        );
        assert_eq!(canonical(text), printed);
    }
    assert_eq!(
        canonical("-disagrees:dataset sort:-disagrees:reviewers"),
        "-disagrees:dataset sort:-disagrees:reviewers"
    );
}

#[test]
fn unknown_reviewer() {
    for (text, blamed, message) in [
        (
            "zoe.helpfulness>=3",
            "zoe.helpfulness",
            "unknown field zoe.helpfulness (no judgments by zoe)",
        ),
        (
            "disagrees:zoe",
            "zoe",
            "expected dataset, reviewers, mine, only.dataset, Ann,",
        ),
        ("disagrees:", "", "expected dataset"),
        ("sort:disagrees:zoe", "zoe", "expected dataset"),
        ("a.disagrees:ann", "a.", "to the sample"),
        ("a.ann.verdict=a", "a.", "to the sample"),
        ("ann.verdict=c", "c", "a, b or tie"),
        ("rated.verdict=a", "rated.verdict", "unknown field"),
        // Reviewers do not rate scores.
        (
            "rated.chosen___score>1",
            "rated.chosen___score",
            "unknown field",
        ),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(&text[error.span.clone()], blamed, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

#[test]
fn names_are_offered_part_by_part() {
    let catalog = catalog();
    let offered = |text: &str| -> Vec<String> {
        let values = |_| Vec::new();
        let offered = complete(text, text.len(), &catalog, &values, &BTreeMap::new());
        offered.items.into_iter().map(|item| item.text).collect()
    };
    for (typed, expected) in [
        ("rat", "rated."),
        ("spr", "spread.rated."),
        ("an", "Ann."),
        ("ann.", "Ann.helpfulness"),
        ("Ann.v", "Ann.verdict"),
        ("mine.", "mine.turns"),
        ("gap.rated.h", "gap.rated.helpfulness"),
        ("reviewer.", "reviewer.a."),
        ("sort:-spread.", "spread.rated."),
        ("sort:dis", "disagrees:dataset"),
        ("disagrees:", "Ann"),
        ("mine.helpfulness=", "4"),
        ("mine.verdict=", "tie"),
        ("Ann.helpfulness", "Ann.helpfulness>="),
    ] {
        let items = offered(typed);
        assert!(
            items.iter().any(|item| item == expected),
            "{typed}: {items:?}"
        );
    }
    assert!(
        !offered("gap.Ann.")
            .iter()
            .any(|item| item.ends_with("verdict"))
    );
    let help: Vec<_> = catalog
        .help()
        .into_iter()
        .flat_map(|part| part.entries)
        .collect();
    for form in [
        "rated.helpfulness",
        "Ann.helpfulness",
        "disagrees:dataset",
        "disagrees:Ann",
    ] {
        assert!(help.iter().any(|(entry, _)| entry == form), "{form}");
    }
}

#[test]
fn a_value_out_of_range_is_reported() {
    let told = |text: &str| read(text).unwrap().explain_no_match(&catalog());
    assert!(told("rated.helpfulness>4").is_some());
    assert!(told("ann.helpfulness=9").is_some());
    assert!(told("spread.rated.helpfulness=4").is_none());
    assert!(told("spread.rated.turns=9").is_none());
    assert!(told("rated.helpfulness>=3.5").is_none());
}
