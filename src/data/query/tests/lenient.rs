//! Names in any case, synonyms, values outside a range, and changing only the sort order of a typed
//! query.

use super::super::{Catalog, parse, with_sort};
use super::{canonical, catalog, read};
use crate::schema::{Schema, built_in};

#[test]
fn names_are_found_in_any_case_and_by_words_near_to_them() {
    for (typed, printed) in [
        ("HELPFULNESS>=3", "helpfulness>=3"),
        (
            "A.Helpfulness > B.helpfulness",
            "a.helpfulness > b.helpfulness",
        ),
        ("GAP.helpfulness>=2", "gap.helpfulness>=2"),
        ("length<100", "len.response<100"),
        ("LEN<100", "len.response<100"),
        ("gap.length>100", "gap.len.response>100"),
        ("prompt_length>3", "len.prompt>3"),
        ("winner=a", "verdict=a"),
        ("Winner=TIE", "verdict=tie"),
        ("verdict=draw", "verdict=tie"),
        ("verdict=B+A", "verdict=a+b"),
        ("verdict in (b+a, tie)", "verdict in (a+b, tie)"),
        ("best:B", "best:b"),
        ("score>=3", "helpfulness>=3"),
        ("helpful in (1, 2)", "helpfulness in (1, 2)"),
        ("Domain=x", "domain=x"),
        ("sort:-Length", "sort:-len.response"),
        // A single word is a text search, even if a field has a similar name.
        ("length", "\"length\""),
        ("Helpfulness", "\"Helpfulness\""),
        ("winner score", "\"winner\" \"score\""),
    ] {
        assert_eq!(canonical(typed), printed, "{typed}");
    }
    for (typed, message) in [
        ("winner=c", "unknown winner c; use a, b or tie"),
        ("lenght>3", "unknown field lenght"),
    ] {
        let error = read(typed).expect_err(typed);
        assert!(error.message.contains(message), "{typed}: {error}");
    }
}

#[test]
fn values_without_matches_are_reported() {
    for (typed, told) in [
        (
            "helpfulness>=9",
            "helpfulness>=9 matches nothing: values are 0 to 4",
        ),
        (
            "python or HELPFULNESS = 7",
            "helpfulness=7 matches nothing: values are 0 to 4",
        ),
        (
            "gap.helpfulness>4",
            "gap.helpfulness>4 matches nothing: values are 0 to 4",
        ),
        (
            "margin.helpfulness < -4",
            "margin.helpfulness<-4 matches nothing: values are -4 to 4",
        ),
        (
            "helpfulness:5..7",
            "helpfulness:5..7 matches nothing: values are 0 to 4",
        ),
        (
            "helpfulness in (5, 6)",
            "helpfulness in (5, 6) matches nothing: values are 0 to 4",
        ),
        (
            "is:tie not (helpfulness<0)",
            "helpfulness<0 matches nothing: values are 0 to 4",
        ),
        (
            "votes>1",
            "votes>1 matches nothing: the files have no annotator votes",
        ),
        (
            "is:tie -is:contested",
            "is:contested matches nothing: the files have no annotator votes",
        ),
        (
            "winner.votes.for < loser.votes.for",
            "winner.votes.for < loser.votes.for matches nothing: the files have no annotator votes",
        ),
        (
            "leak=exact",
            "leak=exact matches nothing: only one file is open",
        ),
        (
            "leak.with=3",
            "leak.with=3 matches nothing: only one file is open",
        ),
        (
            "votes!=none",
            "votes!=none matches nothing: the files have no annotator votes",
        ),
    ] {
        let query = read(typed).expect(typed);
        assert_eq!(
            query.explain_no_match(&catalog()).as_deref(),
            Some(told),
            "{typed}"
        );
    }
    for typed in [
        "helpfulness>=4",
        "helpfulness<=0",
        "gap.helpfulness=4",
        "helpfulness:3..9",
        "helpfulness in (4, 9)",
        "len>1000000",
        "helpfulness > verbosity + 9",
        "votes=none",
        "leak=none",
        "rm.against=0",
        "WHERE",
        "WHERE clause",
        "a~b",
        "len in (1,200)",
        "python",
        "",
    ] {
        let query = read(typed).expect(typed);
        assert_eq!(query.explain_no_match(&catalog()), None, "{typed}");
    }
}

#[test]
fn a_negation_of_any_one_response_is_known() {
    for (typed, one, none) in [
        ("not Helpfulness>=3", "helpfulness>=3", "any.helpfulness>=3"),
        (
            "python -len:1..5",
            "len.response:1..5",
            "any.len.response:1..5",
        ),
    ] {
        let told = read(typed).expect(typed).negated_label(&catalog());
        assert_eq!(told, Some((one.to_owned(), none.to_owned())), "{typed}");
    }
    for typed in [
        "not any.helpfulness>=3",
        "-turns>3",
        "-python",
        "helpfulness>=3",
    ] {
        let query = read(typed).expect(typed);
        assert_eq!(query.negated_label(&catalog()), None, "{typed}");
    }
}

#[test]
fn another_order_leaves_the_rest_as_typed() {
    let sort = read("sort:-turns").expect("a query").sort;
    for (typed, sorted) in [
        (
            "HELPFULNESS >= 3  python",
            "HELPFULNESS >= 3  python sort:-turns",
        ),
        ("sort:helpfulness length<9", "length<9 sort:-turns"),
        ("a sort:helpfulness  b sort:-len", "a b sort:-turns"),
        ("x or y sort:helpfulness", "x or y sort:-turns"),
        ("", "sort:-turns"),
    ] {
        let query = read(typed).expect(typed);
        let text = with_sort(typed, &query, &sort, &catalog());
        assert_eq!(text.as_deref(), Some(sorted), "{typed}");
        let none = with_sort(sorted, &query, &[], &catalog()).expect(sorted);
        assert!(!none.contains("sort:"), "{none}");
    }
}

#[test]
fn a_winner_that_follows_from_a_label_is_never_worse_by_it() {
    let helpsteer2 = built_in()
        .into_iter()
        .find(|definition| definition.name == "helpsteer2")
        .unwrap();
    let catalog = Catalog::of([&Schema::new(helpsteer2)]);
    for (typed, is_impossible) in [
        ("winner.helpfulness < loser.helpfulness", true),
        ("winner.helpfulness = loser.helpfulness", true),
        ("loser.helpfulness >= winner.helpfulness", true),
        ("winner.helpfulness > loser.helpfulness", false),
        ("winner.helpfulness != loser.helpfulness", false),
        ("winner.correctness < loser.correctness", false),
        ("winner.helpfulness < loser.correctness", false),
    ] {
        let told = parse(typed, &catalog).unwrap().explain_no_match(&catalog);
        let expected = is_impossible.then_some("the verdict follows from this label");
        let told = told.as_deref().and_then(|told| told.split_once(": "));
        assert_eq!(told.map(|(_, why)| why), expected, "{typed}");
    }
}
