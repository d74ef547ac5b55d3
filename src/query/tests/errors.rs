//! What is refused, what is blamed for it, and what is said.

use super::super::parse::{MOST_BYTES, MOST_NESTED};
use super::read;

/// A query in which what is to blame stands between « and », and what the message has in it.
#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (marked, message) in table {
        let start = marked.find('«').expect("a mark");
        let end = marked.find('»').expect("a mark") - '«'.len_utf8();
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
        assert_eq!(
            place(error.span.clone()),
            place(start..end),
            "{}",
            error.message
        );
        assert!(
            error.message.contains(message),
            "{text}: {}, not {message}",
            error.message
        );
        assert!(!error.message.ends_with('.'), "{}", error.message);
    }
}

#[test]
fn fields() {
    check(&[
        (
            "«helpfullness»>=3",
            "there is no field helpfullness; did you mean helpfulness?",
        ),
        ("a.«helpfullness» >= 3", "did you mean helpfulness?"),
        (
            "helpfulness>=3 «AND» verbosity<=1",
            "AND is no sign here: write a blank, or `and`",
        ),
        ("is:tie «||» is:single", "write `or`"),
        ("is:tie «&&» is:single", "write a blank, or `and`"),
        ("«!»is:tie", "write -is:tie for what must not hold"),
        (
            "foo «xyz»:foo",
            "there is no field xyz; there are helpfulness, correctness",
        ),
        ("«http»://x", "in quotes, it is a text to search for"),
        ("«promt»:foo", "did you mean prompt?"),
        ("«wnner.helpfulness»>3", "did you mean winner.helpfulness?"),
        ("«Chosen.len» > 3", "did you mean winner.len?"),
        (
            "winner.len > «rejected.len»",
            "there is no field rejected.len; did you mean loser.len?",
        ),
        ("«diff.verbosity»>=2", "did you mean gap.verbosity?"),
        ("«prompt.Len»>3", "did you mean len.prompt?"),
        ("«helpfulness.chosen»>3", "did you mean winner.helpfulness?"),
        ("«chosen.response»:foo", "did you mean winner.response?"),
        (
            "«mia.helpfulness»>3",
            "no reviewer mia judged anything, and there is no field mia.helpfulness; did you mean min.helpfulness?",
        ),
        (
            "max.«gap.len»>1",
            "one view alone stands before a field, and max.gap.len has two",
        ),
        (
            "winner.«chosen.len»>1",
            "one view alone stands before a field",
        ),
        ("«code»:x", "in quotes, it is a text to search for"),
        ("«helpfulness.b»=0", "did you mean b.helpfulness?"),
        ("«refusals»>0", "did you mean refusals.response?"),
        ("«12»:30", "there is no field 12"),
        ("«漢字»=3", "there is no field 漢字"),
        ("«gün»>=3", "there is no field gün"),
        ("«foo» > 3", "there is no field foo"),
        ("«foo» in (3)", "there is no field foo"),
        (
            "foo «helpfulness» bar",
            "helpfulness is a field: compare it (helpfulness>=3), or search the text for \"helpfulness\"",
        ),
        ("«a.helpfulness»", "a.helpfulness is a field"),
        (
            "foo helpfulness «IN» (1, 2)",
            "IN is no sign here: write helpfulness in (…)",
        ),
        (
            "helpfulness «is» not null",
            "write helpfulness=none for what has no value",
        ),
        (
            "response«~»x",
            "~ is no sign here: write response:word for what has the word in it",
        ),
        ("a.response«~»/x/", "write a.response:word"),
        (
            "response «like» \"%python%\"",
            "like is no sign here: write response:word",
        ),
        ("prompt «Contains» python", "write prompt:word"),
        (
            "a.response «not like» x",
            "not like is no sign here: write -a.response:word",
        ),
        (
            "helpfulness «not in» (0, 4)",
            "not in is no sign here: write -helpfulness in (…)",
        ),
        ("response «~» x", "~ is no sign here: write response:word"),
        (
            "a.response «!~» x",
            "!~ is no sign here: write -a.response:word",
        ),
        ("tag«!~»x", "!~ is no sign here: write -tag:word"),
        (
            "written by «helpfulness»",
            "search the text for \"helpfulness\" in quotes",
        ),
        ("len>1«,000»", "write it without commas: 1000"),
        ("len>1«,234,567»", "write it without commas: 1234567"),
        ("score>0«,5»", "numbers have a decimal point"),
        (
            "len in (1,«000», 3)",
            "write numbers without commas, and a blank behind those of a list",
        ),
        (
            "helpfulness «BETWEEN» 2 AND 3",
            "write helpfulness:2..4 for a range",
        ),
        (
            "domain «Like» '%x%'",
            "write domain:word for what has the word in it",
        ),
        (
            "«count(»helpfulness)>1",
            "count is no function: a blank stands before a group in brackets; in quotes, it is a text",
        ),
        (
            "«avg(»helpfulness) > 3",
            "avg is no function: write mean.len",
        ),
        ("(«helpfulness»)", "helpfulness is a field"),
        ("«domain»", "domain is a field: compare it (domain=…)"),
        (
            "«a.»turns>3",
            "turns is of the sample: a. cannot stand before it",
        ),
        ("«b.»file=x", "file is of the sample"),
        ("foo a.turns «zap»:3 ", "there is no field zap"),
        ("«<b>»", "expected a field before this sign"),
        ("«>3»", "expected a field before this sign"),
        ("helpfulness + «foo» > 3", "there is no field foo"),
        ("(a.helpfulness + «foo»)/2 >= 3", "there is no field foo"),
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
        ("helpfulness>=«»", "expected a number, or a field"),
        ("helpfulness= «»", "expected a number, a field, or none"),
        ("helpfulness + «»", "expected a number"),
        (
            "helpfulness=«high»",
            "helpfulness is a number, and high is neither",
        ),
        ("helpfulness=«\"»3\"", "helpfulness is a number"),
        ("helpfulness>«correctnes»", "did you mean correctness?"),
        ("helpfulness>3«foo»", "expected a blank"),
        ("0 < helpfulness «<» 4", "one sign"),
        ("helpfulness >= «2024-05-01»", "a date is no number"),
        ("helpfulness>=«2..4»", "a range takes = or :"),
        ("helpfulness:«4..2»", "wrong way round"),
        (
            "«.helpfulness»>3",
            "there is no field .helpfulness; did you mean helpfulness?",
        ),
        (
            "«.winner.helpfulness»>3",
            "did you mean winner.helpfulness?",
        ),
        ("«gap(»helpfulness)>3", "write gap.len"),
        ("«All(»helpfulness)>3", "write both.len"),
        ("sort:helpfulness «desc»", "write sort:-helpfulness;"),
        (
            "sort:-helpfulness  «ASC» len.prompt>2",
            "write sort:helpfulness;",
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
fn words_and_texts() {
    check(&[
        ("domain«<»3", "domain is a word: it takes = != : or in (…)"),
        ("domain=«»", "expected a word that domain can be"),
        ("domain«:\"\"»", "empty word"),
        ("domain in (x, «none»)", "write domain=none or …"),
        ("verdict=«c»", "the verdict is a, b or tie"),
        ("verdict=«a+c»", "the verdict is a, b or tie"),
        ("verdict=«a+tie»", "the verdict is a, b or tie"),
        ("best:«tie»", "expected a or b"),
        ("best:«c»", "expected a or b"),
        (
            "verdict=«»",
            "expected a word that verdict can be: a, b or tie",
        ),
        ("is:«ti»", "did you mean tie?"),
        (
            "is:«»",
            "expected tie, several, single, multiturn, malformed, flagged, duplicate, marked, rated, contested, contradicted or relabelled",
        ),
        ("has:«x»", "expected code, hidden, othertokens, note or tag"),
        ("a.has:«x»", "expected code, hidden or othertokens"),
        ("cite:«dangeling»", "did you mean dangling?"),
        (
            "«min.»response:x",
            "response: can have a. b. any. both. winner. or loser.",
        ),
        ("«a.»prompt:x", "prompt: is of the sample"),
        ("prompt:«»", "expected a word"),
        ("prompt:«(»x)", "expected a word"),
        ("«\"\"»", "between the quotes"),
        ("foo \"bar«»", "expected \""),
        ("\"a «\\x»\"", "\\\\ is one \\"),
        ("«//»", "between the slashes"),
        ("/foo«»", "expected / at the end"),
        ("«/(/»", "unclosed group"),
        ("prompt:«/a{99999999}/»", "this"),
        ("/usr/«bin»", "expected a blank behind the regex"),
        ("prompt:/python/«i»", "letters match in both cases anyway"),
        ("prompt:/a.b/«s»", "flags go into the regex: /(?s)"),
    ]);
}

#[test]
fn what_reviewers_said() {
    check(&[
        ("is:«marke»", "did you mean marked?"),
        ("has:«notes»", "did you mean note?"),
        ("«tags»:x", "there is no field tags; did you mean tag?"),
        ("«tagg»=x", "did you mean tag?"),
        ("«notes»:x", "did you mean note?"),
        (
            "«tag»",
            "tag is a field: compare it (tag=…), or search the text for \"tag\" in quotes",
        ),
        ("tag=«»", "expected a word that tag can be"),
        ("tag«:\"\"»", "empty word"),
        ("tag in (x, «none»)", "write tag=none or …"),
        ("tag«>»3", "tag is a word: it takes = != : or in (…)"),
        ("turns>«tag»", "tag is a word, not a number"),
        ("note:«»", "expected a word, a \"phrase\" or a /regex/"),
        ("note:«/(/»", "unclosed group"),
        ("check:«»", "expected right, wrong, unclear or any"),
        ("check:«wrnog»", "did you mean wrong?"),
        (
            "«a.»check:right",
            "check: is of the sample: nothing can stand before it",
        ),
        ("«note»=x", "there is no field note"),
        (
            "«a.»tag:x",
            "tag is of the sample: a. cannot stand before it",
        ),
        (
            "«a.»note:x",
            "note: is of the sample: nothing can stand before it",
        ),
        (
            "«b.»is:marked",
            "is: is of the sample: nothing can stand before it",
        ),
        ("a.has:«note»", "expected code, hidden or othertokens"),
        ("winner.has:«tag»", "expected code, hidden or othertokens"),
        (
            "«min.»has:tag",
            "has: can have a. b. any. both. winner. or loser. before it",
        ),
        (
            "sort:-«tag»",
            "more than one tag: nothing can be put in order by it",
        ),
        ("sort:«a.»tag", "tag is of the sample"),
    ]);
}

#[test]
fn what_joins_terms() {
    check(&[
        ("foo or «»", "expected a term behind or"),
        ("«or» foo", "expected a term before or"),
        ("«and» foo", "expected a term before and"),
        ("foo and «»", "expected a term behind and"),
        ("foo and «o»r bar", "expected a term behind and"),
        ("not «»", "expected a term behind not"),
        ("foo «-» bar", "stands directly before"),
        ("-«)»", "expected a term behind -"),
        ("foo«)»", "there is no ( for this"),
        ("(foo«»", "expected )"),
        ("(«)»", "expected a term between"),
        ("(foo or «)»", "expected a term behind or"),
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
        ("sort:turns «sort:-turns»", "sorted by already"),
        ("sort:random(1) «sort:random(2)»", "sorted by already"),
        ("sort:«»", "expected a field to sort by"),
        ("sort:-«»", "expected a field to sort by"),
        ("sort:«turn»", "did you mean turns?"),
        ("sort:«any.helpfulness»", "min. and max. are"),
        ("sort:random«»", "as in random(7)"),
        ("sort:random(«x»)", "as in random(7)"),
        ("sort:«-»random(7)", "no other way round"),
        ("sort:turns«+row»", "stands in parentheses"),
        ("sort:«a.»turns", "turns is of the sample"),
    ]);
}

#[test]
fn too_long_and_too_deep() {
    let long = "x".repeat(MOST_BYTES);
    assert!(read(&long).is_ok());
    assert_eq!(
        read(&(long + "漢")).unwrap_err().span,
        MOST_BYTES..MOST_BYTES + 3
    );
    for (open, inner, close) in [
        ("(", "foo", ")"),
        ("-", "foo", ""),
        ("not ", "foo", ""),
        ("-(", "foo", ")"),
        ("(", "turns", ") > 3"),
        ("3 < abs(", "turns", ")"),
        ("abs(", "turns", ")"),
        ("3 < -", "turns", ""),
        ("1+", "turns", " > 3"),
        ("1-(", "turns", ") > 3"),
    ] {
        for times in [MOST_NESTED + 1, 3000, MOST_BYTES / open.len()] {
            let text = format!("{}{inner}{}", open.repeat(times), close.repeat(times));
            assert!(read(&text).is_err(), "{text}");
            // What is not closed may be a word; it must not take the stack.
            let _ = read(&open.repeat(times));
        }
    }
    let nested = |levels: usize| format!("{}turns>3{}", "(".repeat(levels), ")".repeat(levels));
    assert!(read(&nested(MOST_NESTED)).is_ok());
    assert!(
        read(&nested(MOST_NESTED + 1))
            .unwrap_err()
            .message
            .contains("nests deeper")
    );
    let nested = |levels: usize| format!("{}turns{} > 3", "(".repeat(levels), ")".repeat(levels));
    assert!(read(&nested(MOST_NESTED)).is_ok());
    assert!(
        read(&nested(MOST_NESTED + 1))
            .unwrap_err()
            .message
            .contains("nests deeper")
    );
}
