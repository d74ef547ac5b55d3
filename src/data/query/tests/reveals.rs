//! What a query reveals, term by term.

use super::super::ast::Query;
use super::super::{depends_on_remarks, reveals_labels, selects_by_labels};
use super::{catalog, read};

/// Checks queries that reveal labels or do not, also inside other terms.
#[track_caller]
fn check(tells: fn(&Query) -> bool, expected: bool, texts: &[&str]) {
    for text in texts {
        let query = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(tells(&query), expected, "{text}");
        if query.sort.is_empty() {
            for around in [
                "-(X)",
                "foo (X)",
                "foo or (X)",
                "-(foo or -(X is:single))",
                "(X) sort:random(7)",
            ] {
                let text = around.replace('X', text);
                assert_eq!(tells(&read(&text).unwrap()), expected, "{text}");
            }
        }
    }
}

#[test]
fn what_a_blind_reviewer_must_not_know() {
    check(
        |query| reveals_labels(query, &catalog()),
        true,
        &[
            "helpfulness>=3",
            "3 < helpfulness",
            "any.helpfulness=none",
            "both.helpfulness:2..3",
            "mean.helpfulness in (1, 2)",
            "chosen___score>0.5",
            "margin<0",
            "margin=none",
            "abs(-margin)>1",
            "turns + margin > 1",
            "row=17",
            "line:..20",
            "a.row<b.row",
            "is:tie",
            "is:flagged",
            "verdict=a",
            "verdict!=none",
            "domain=x",
            "fact.helpfulness=none",
            "model_A:gpt",
            "a.len>100",
            "b.quotes=2",
            "turns > winner.len",
            "loser.quotes>0",
            "gap.len>100",
            "margin.len>0",
            "min.len>0",
            "max.quotes>0",
            "mean.len>0",
            "a.response:x",
            "b.response:/x/",
            "winner.response:x",
            "loser.quote:x",
            "a.title:x",
            "a.has:code",
            "loser.has:hidden",
            "b.cite:dangling",
            "winner.cite:unused",
            "sort:helpfulness",
            "sort:-gap.helpfulness",
            "foo sort:turns sort:(a.len - b.len)",
            "sort:margin",
            "sort:verdict",
            "sort:domain",
            "sort:row",
            "is:marked sort:-winner.len",
            "rated.helpfulness>=3",
            "spread.rated.helpfulness>=2",
            "ann.helpfulness=3",
            "reviewer.a.helpfulness=3",
            "a.mine.helpfulness=3",
            "mine.verdict=a",
            "ann.verdict=a",
            "disagrees:dataset",
            "disagrees:mine",
            "check:right",
            "-check:any",
            "sort:-disagrees:reviewers",
        ],
    );
}

#[test]
fn what_a_blind_reviewer_sees_anyway() {
    check(
        |query| reveals_labels(query, &catalog()),
        false,
        &[
            "foo",
            "\"helpfulness>=3\"",
            "/x/",
            "prompt:x",
            "response:x",
            "any.response:x",
            "both.response:/x/",
            "quote:x",
            "any.title:x",
            "len>100",
            "any.len>100",
            "both.quotes=0",
            "quotes in (1, 2)",
            "len.prompt:..100",
            "turns>=3",
            "abs(len.prompt - turns)>1",
            "sample=9",
            "1 = 1",
            "file:train",
            "is:single",
            "is:multiturn",
            "is:malformed",
            "is:duplicate",
            "has:code",
            "any.has:hidden",
            "both.cite:dangling",
            "cite:unused",
            "is:marked",
            "is:rated",
            "has:note",
            "has:tag",
            "tag=x",
            "tag!=none",
            "note:x",
            "mine.helpfulness>=3",
            "sort:mine.helpfulness",
            "sort:sample",
            "sort:len",
            "sort:-len.prompt sort:quotes",
            "sort:file",
            "foo sort:random(7)",
        ],
    );
    assert!(!reveals_labels(&Query::default(), &catalog()));
}

#[test]
fn what_selects_by_what_annotators_said() {
    let selects = |query: &Query| query.filter.as_ref().is_some_and(selects_by_labels);
    check(
        selects,
        true,
        &[
            "best:a",
            "is:tie",
            "is:several",
            "is:contradicted",
            "verdict=b",
            "verdict!=none",
            "margin>1",
            "abs(margin)>=2",
            "margin:1..2",
            "margin=none",
            "helpfulness>=3",
            "gap.helpfulness in (1, 2)",
            "turns + helpfulness > 4",
            "feedback.level>2",
            "winner.len>4",
            "10 > abs(loser.len)",
            "winner.len > loser.len",
            "loser.quotes=0",
            "winner.response:x",
            "loser.quote:x",
            "winner.title:/x/",
            "rationale:x",
            "loser.has:code",
            "winner.cite:unused",
            "check:wrong",
            "disagrees:dataset",
        ],
    );
    check(
        selects,
        false,
        &[
            "foo",
            "prompt:x",
            "response:x",
            "a.response:x",
            "len>4",
            "a.len > b.len",
            "max.len:..9",
            "turns in (1, 2)",
            "row=17",
            "line>3",
            "domain=x",
            "file:train",
            "a.has:code",
            "any.cite:unused",
            "is:single",
            "is:marked",
            "tag:x",
            "note:x",
            "check:any",
            "mine.helpfulness>=3",
            "mine.verdict=a",
            "disagrees:reviewers",
        ],
    );
}

#[test]
fn what_changes_when_a_reviewer_says_something() {
    check(
        depends_on_remarks,
        true,
        &[
            "is:marked",
            "is:rated",
            "has:note",
            "has:tag",
            "tag:x",
            "tag=none",
            "tag!=x",
            "tag in (x, y)",
            "note:x",
            "note:/x/",
            "check:any",
            "-check:wrong",
            "rated.helpfulness>=3",
            "3 < a.mine.helpfulness + 1",
            "spread.rated.helpfulness:1..2",
            "ann.helpfulness in (1, 2)",
            "abs(gap.rated.helpfulness)=none",
            "ann.verdict=tie",
            "-disagrees:dataset",
            "sort:-rated.helpfulness",
            "sort:-disagrees:reviewers",
        ],
    );
    check(
        depends_on_remarks,
        false,
        &[
            "tags",
            "\"is:marked\"",
            "prompt:x",
            "a.response:x",
            "helpfulness>=3",
            "turns:2..4",
            "turns in (1, 2)",
            "helpfulness=none",
            "domain=tag",
            "verdict=tie",
            "file:note",
            "is:tie",
            "is:single",
            "is:multiturn",
            "is:malformed",
            "is:flagged",
            "is:duplicate",
            "has:code",
            "a.has:hidden",
            "cite:unused",
            "sort:helpfulness",
            "sort:random(7)",
        ],
    );
    assert!(!depends_on_remarks(&Query::default()));
}
