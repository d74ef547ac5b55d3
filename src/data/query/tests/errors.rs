//! Rejected queries: the blamed span and the message.

use super::super::lang::parse::{MAX_BYTES, MAX_NESTED};
use super::read;

/// Checks a query whose fault is between « and », and a part of the message.
#[track_caller]
fn check(table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (marked, message) in table {
        let text = marked.replace(['«', '»'], "");
        let error = read(&text).expect_err(&text);
        let place = |span: std::ops::Range<usize>| {
            format!(
                "{}«{}»{}",
                &text[..span.start],
                &text[span.clone()],
                &text[span.end..]
            )
        };
        let (blamed, said) = (place(error.span), error.message);
        if blamed != *marked || !said.contains(message) || said.ends_with('.') {
            wrong.push(format!("{blamed}: {said}, not {marked}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fields() {
    check(&[
        (
            "«helpfullness»>=3",
            "unknown field helpfullness; did you mean helpfulness>=3?",
        ),
        ("a.«helpfullness» >= 3", "did you mean a.helpfulness >= 3?"),
        (
            "«gap»>2",
            "unknown field gap; did you mean gap.helpfulness>2?",
        ),
        ("«Diff» > 2", "did you mean gap.helpfulness > 2?"),
        ("«max»:2..4", "did you mean max.helpfulness:2..4?"),
        ("«second»:foo", "did you mean b.response:foo?"),
        (
            "«help»>3",
            "unknown field help; did you mean helpfulness>3?",
        ),
        ("a.«fulness»>3", "did you mean a.helpfulness>3?"),
        ("helpfulness=«>»3", "expected a number, a field, or none"),
        ("helpfulness=«<»3", "expected a number, a field, or none"),
        ("is:tie «correctn»!=0 foo", "did you mean correctness!=0?"),
        ("«refus»>0", "did you mean refusals.response>0?"),
        ("«ration»:foo", "did you mean rationale:foo?"),
        ("«!=3»", "expected a field before this sign"),
        (
            "foo «xyz»:foo",
            "unknown field xyz; known fields: helpfulness, correctness",
        ),
        ("«http»://x", "to search for it, quote it"),
        ("«promt»:foo", "did you mean prompt:foo?"),
        (
            "«wnner.helpfulness»>3",
            "did you mean winner.helpfulness>3?",
        ),
        ("«Chosen.len» > 3", "did you mean winner.len > 3?"),
        (
            "winner.len > «rejected.len»",
            "unknown field rejected.len; did you mean loser.len?",
        ),
        ("«diff.verbosity»>=2", "did you mean gap.verbosity>=2?"),
        ("«prompt.Len»>3", "did you mean len.prompt>3?"),
        (
            "«helpfulness.chosen»>3",
            "did you mean winner.helpfulness>3?",
        ),
        ("«chosen.response»:foo", "did you mean winner.response:foo?"),
        (
            "«mia.helpfulness»>3",
            "unknown field mia.helpfulness (no judgments by mia); did you mean min.helpfulness>3?",
        ),
        ("max.«gap.len»>1", "max.gap.len has two prefixes"),
        (
            "winner.«chosen.len»>1",
            "has two prefixes; a field takes one",
        ),
        ("«code»:x", "to search for it, quote it"),
        ("«helpfulness.b»=0", "did you mean b.helpfulness=0?"),
        ("«refusals»>0", "did you mean refusals.response>0?"),
        ("«12»:30", "unknown field 12"),
        ("«漢字»=3", "unknown field 漢字"),
        ("«gün»>=3", "unknown field gün"),
        ("«foo» > 3", "unknown field foo"),
        ("«foo» in (3)", "unknown field foo"),
        (
            "foo «helpfulness» bar",
            "helpfulness is a field: compare it (helpfulness>=3), or search the text for \"helpfulness\"",
        ),
        ("«a.helpfulness»", "a.helpfulness is a field"),
        (
            "helpfulness «Not In» (1, 2)",
            "unknown operator `Not In`; use -helpfulness in (…)",
        ),
        (
            "helpfulness «is» not null",
            "unknown operator `is`; use `=`: helpfulness=4, or helpfulness=none",
        ),
        (
            "response«~»x",
            "unknown operator `~`; use `:`: response:word",
        ),
        ("a.response«~»/x/", "use `:`: a.response:word"),
        (
            "response «like» \"%python%\"",
            "unknown operator `like`; use `:`: response:word",
        ),
        ("prompt «Contains» python", "use `:`: prompt:word"),
        (
            "a.response «not like» x",
            "unknown operator `not like`; use `:`: -a.response:word",
        ),
        (
            "helpfulness «not in» (0, 4)",
            "unknown operator `not in`; use -helpfulness in (…)",
        ),
        ("response «~» x", "unknown operator `~`"),
        (
            "a.response «!~» x",
            "unknown operator `!~`; use `:`: -a.response:word",
        ),
        ("tag«!~»x", "unknown operator `!~`; use `:`: -tag:word"),
        (
            "written by «helpfulness»",
            "search the text for \"helpfulness\" in quotes",
        ),
        ("len>1«,000»", "write numbers without commas: 1000"),
        ("len>1«,234,567»", "write numbers without commas: 1234567"),
        ("score>0«,5»", "numbers take a decimal point"),
        (
            "len in (1,«000», 3)",
            "write numbers without commas; in a list, put a space after each comma",
        ),
        ("helpfulness «BETWEEN» 2 AND 3", "use `:`: helpfulness:2..4"),
        ("domain «Like» '%x%'", "use `:`: domain:word"),
        (
            "«count(»helpfulness)>1",
            "unknown function count(); put a space before a group",
        ),
        (
            "«avg(»helpfulness) > 3",
            "unknown function avg(); use mean.len",
        ),
        ("(«helpfulness»)", "helpfulness is a field"),
        ("«domain»", "domain is a field: compare it (domain=…)"),
        (
            "«a.»turns>3",
            "turns belongs to the sample and takes no prefix",
        ),
        ("«b.»file=x", "file belongs to the sample"),
        ("foo a.turns «zap»:3 ", "unknown field zap"),
        ("«<b>»", "expected a field before this sign"),
        ("«>3»", "expected a field before this sign"),
        ("helpfulness + «foo» > 3", "unknown field foo"),
        ("(a.helpfulness + «foo»)/2 >= 3", "unknown field foo"),
        ("a.helpfulness + b.helpfulness«»", "expected a comparison"),
        (
            "(a.helpfulness + b.helpfulness)/2«»",
            "expected a comparison",
        ),
        ("turns > «domain»", "domain is a word, not a number"),
    ]);
}

#[test]
fn comparisons() {
    check(&[
        ("helpfulness>=«»", "expected a number or a field"),
        ("helpfulness= «»", "expected a number, a field, or none"),
        ("helpfulness + «»", "expected a number"),
        ("helpfulness=«high»", "helpfulness is a number, high is not"),
        ("helpfulness=«\"»3\"", "helpfulness is a number"),
        ("helpfulness>«correctnes»", "did you mean correctness?"),
        ("helpfulness>3«foo»", "expected a space"),
        ("0 < helpfulness «<» 4", "takes one operator"),
        ("helpfulness >= «2024-05-01»", "a date is not a number"),
        ("helpfulness>=«2..4»", "a range takes = or :"),
        ("helpfulness:«4..2»", "the range is reversed"),
        (
            "«.helpfulness»>3",
            "unknown field .helpfulness; did you mean helpfulness>3?",
        ),
        (
            "«.winner.helpfulness»>3",
            "did you mean winner.helpfulness>3?",
        ),
        ("«gap(»helpfulness)>3", "use gap.len"),
        ("«All(»helpfulness)>3", "use both.len"),
        (
            "sort:helpfulness «desc»",
            "unknown direction `desc`; use sort:-helpfulness;",
        ),
        (
            "sort:-helpfulness  «ASC» len.prompt>2",
            "use sort:helpfulness;",
        ),
        ("helpfulness:..«»", "at least one end"),
        ("helpfulness>«none»", "none takes = or !="),
        ("helpfulness in «»", "expected ("),
        ("helpfulness in («»", "expected a number"),
        ("helpfulness in (3«»", "expected , or )"),
        ("helpfulness in («)»", "expected a number"),
        ("helpfulness in («x»)", "expected a number"),
        ("helpfulness>«1e999»", "too large"),
        ("«any.helpfulness>both.helpfulness»", "any. and both."),
        ("abs(turns)«»", "expected a comparison"),
        ("abs(«turn»)>3", "did you mean turns?"),
    ]);
}

#[test]
fn units() {
    let says =
        "numbers take no unit, and lengths are in characters; to search for the word, quote it";
    check(&[
        ("len>1000 «words»", says),
        ("foo a.len>=1000«words»", says),
        ("len.prompt:10..20 «tokens» foo", says),
        ("len > 1000 «Chars», foo", says),
        ("len+5>10 «words»", says),
        ("helpfulness>50«%»", says),
        ("len>1.5«k»", "expected a space before this"),
    ]);
}

#[test]
fn words_and_texts() {
    check(&[
        ("domain«<»3", "domain is a word; use = != : or in (…)"),
        ("domain=«»", "expected a value of domain"),
        ("domain«:\"\"»", "an empty word matches everything"),
        ("domain in (x, «none»)", "write domain=none or …"),
        ("verdict=«c»", "use a, b or tie"),
        ("verdict=«a+c»", "use a, b or tie"),
        ("verdict=«a+tie»", "use a, b or tie"),
        ("best:«tie»", "expected a or b"),
        ("best:«c»", "expected a or b"),
        ("verdict=«»", "expected a value of verdict: a, b or tie"),
        ("is:«ti»", "did you mean tie?"),
        (
            "is:«»",
            "expected tie, several, single, multiturn, malformed, flagged, duplicate, marked, rated, contested, contradicted or relabelled",
        ),
        ("has:«x»", "expected code, hidden, note or tag"),
        ("a.has:«x»", "expected code or hidden"),
        ("cite:«dangeling»", "did you mean dangling?"),
        (
            "«min.»response:x",
            "response: takes only a. b. any. both. winner. or loser. as its prefix",
        ),
        (
            "«a.»prompt:x",
            "prompt: belongs to the sample and takes no prefix",
        ),
        ("prompt:«»", "expected a word"),
        ("prompt:«(»x)", "expected a word"),
        ("«\"\"»", "between the quotes"),
        ("foo \"bar«»", "expected a closing \""),
        ("\"a «\\x»\"", "write \\\\ for one \\"),
        ("«//»", "between the slashes"),
        ("/foo«»", "expected a closing /"),
        ("«/(/»", "unclosed group"),
        ("prompt:«/a{99999999}/»", "the regex is too large"),
        ("/usr/«bin»", "expected a space after the regex"),
        ("prompt:/python/«i»", "case is ignored by default"),
        ("prompt:/a.b/«s»", "write flags inside the regex: /(?s)"),
    ]);
}

#[test]
fn what_reviewers_said() {
    check(&[
        ("is:«marke»", "did you mean marked?"),
        ("has:«notes»", "did you mean note?"),
        ("«tags»:x", "unknown field tags; did you mean tag:x?"),
        ("«tagg»=x", "did you mean tag=x?"),
        ("«notes»:x", "did you mean note:x?"),
        (
            "«tag»",
            "tag is a field: compare it (tag=…), or search the text for \"tag\" in quotes",
        ),
        ("tag=«»", "expected a value of tag"),
        ("tag«:\"\"»", "an empty word matches everything"),
        ("tag in (x, «none»)", "write tag=none or …"),
        ("tag«>»3", "tag is a word; use = != : or in (…)"),
        ("turns>«tag»", "tag is a word, not a number"),
        ("note:«»", "expected a word, a \"phrase\" or a /regex/"),
        ("note:«/(/»", "unclosed group"),
        ("check:«»", "expected right, wrong, unclear or any"),
        ("check:«wrnog»", "did you mean wrong?"),
        (
            "«a.»check:right",
            "check: belongs to the sample and takes no prefix",
        ),
        ("«note»=x", "unknown field note"),
        ("«a.»tag:x", "tag belongs to the sample and takes no prefix"),
        (
            "«a.»note:x",
            "note: belongs to the sample and takes no prefix",
        ),
        (
            "«b.»is:marked",
            "is: belongs to the sample and takes no prefix",
        ),
        ("a.has:«note»", "expected code or hidden"),
        ("winner.has:«tag»", "expected code or hidden"),
        (
            "«min.»has:tag",
            "has: takes only a. b. any. both. winner. or loser. as its prefix",
        ),
        (
            "sort:-«tag»",
            "cannot sort by tag: a sample can have more than one tag",
        ),
        ("sort:«a.»tag", "tag belongs to the sample"),
    ]);
}

#[test]
fn what_joins_terms() {
    check(&[
        ("foo or «»", "expected a term after or"),
        ("foo OR «»", "expected a term after OR"),
        (
            "«||» foo",
            "expected a term before ||; to search for it, quote it",
        ),
        ("«,» foo", "expected a term before ,"),
        ("helpfulness=4,«»", "expected a term after ,"),
        ("foo && «&»& bar", "expected a term after &&"),
        ("NOT «»", "expected a term after NOT"),
        ("foo !«»", "expected a term after !"),
        ("«or» foo", "expected a term before or"),
        ("«and» foo", "expected a term before and"),
        ("foo and «»", "expected a term after and"),
        ("foo and «o»r bar", "expected a term after and"),
        ("not «»", "expected a term after not"),
        ("foo «-» bar", "directly before the term that it negates"),
        ("-«)»", "expected a term after -"),
        ("foo«)»", "unmatched )"),
        ("(foo«»", "expected )"),
        ("(«)»", "expected a term between"),
        ("(foo or «)»", "expected a term after or"),
    ]);
}

#[test]
fn sorts() {
    check(&[
        ("(«sort:»turns)", "sort: belongs at the end"),
        ("-«sort:»turns", "sort: belongs at the end"),
        ("foo or «sort:turns»", "sort: belongs at the end"),
        ("«sort:turns» or foo", "sort: belongs at the end"),
        ("foo «sort:turns» or bar", "sort: belongs at the end"),
        ("sort:turns «sort:-turns»", "already sorted by"),
        ("sort:random(1) «sort:random(2)»", "already sorted by"),
        ("sort:«»", "expected a field to sort by"),
        ("sort:-«»", "expected a field to sort by"),
        ("sort:«turn»", "did you mean turns?"),
        ("sort:«any.helpfulness»", "use min. or max."),
        ("sort:random«»", "as in random(7)"),
        ("sort:random(«x»)", "as in random(7)"),
        ("sort:«-»random(7)", "cannot be reversed"),
        (
            "sort:turns«+row»",
            "put arithmetic to sort by in parentheses",
        ),
        ("sort:«a.»turns", "turns belongs to the sample"),
    ]);
}

#[test]
fn too_long_and_too_deep() {
    let long = "x".repeat(MAX_BYTES);
    assert!(read(&long).is_ok());
    assert_eq!(
        read(&(long + "漢")).unwrap_err().span,
        MAX_BYTES..MAX_BYTES + 3
    );
    for (open, inner, close) in [
        ("(", "foo", ")"),
        ("-", "foo", ""),
        ("not ", "foo", ""),
        ("!", "foo", ""),
        ("-(", "foo", ")"),
        ("(", "turns", ") > 3"),
        ("3 < abs(", "turns", ")"),
        ("abs(", "turns", ")"),
        ("3 < -", "turns", ""),
        ("1+", "turns", " > 3"),
        ("1-(", "turns", ") > 3"),
    ] {
        for times in [MAX_NESTED + 1, 3000, MAX_BYTES / open.len()] {
            let text = format!("{}{inner}{}", open.repeat(times), close.repeat(times));
            assert!(read(&text).is_err(), "{text}");
            // Unclosed parentheses must not overflow the stack; they may be words.
            let _ = read(&open.repeat(times));
        }
    }
    let nested = |levels: usize| format!("{}turns>3{}", "(".repeat(levels), ")".repeat(levels));
    assert!(read(&nested(MAX_NESTED)).is_ok());
    assert!(
        read(&nested(MAX_NESTED + 1))
            .unwrap_err()
            .message
            .contains("nested deeper")
    );
    let nested = |levels: usize| format!("{}turns{} > 3", "(".repeat(levels), ")".repeat(levels));
    assert!(read(&nested(MAX_NESTED)).is_ok());
    assert!(
        read(&nested(MAX_NESTED + 1))
            .unwrap_err()
            .message
            .contains("nested deeper")
    );
}
