//! Parsing, checked by the canonical form.

use super::super::ast::{
    Aggregate, Arithmetic, ColumnId, Comparison, Expr, Field, Number, Pattern, Query, TextTerm,
};
use super::super::ast::{SortBy, TextTarget};
use super::{Catalog, Definition, Schema, canonical, catalog, parse, read};
use crate::model::ResponseId;
use crate::table::ColumnSource;

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(canonical(text), *expected, "{text}");
    }
}

#[test]
fn comparisons() {
    check(&[
        ("", ""),
        (" \t ", ""),
        ("helpfulness>=3", "helpfulness>=3"),
        ("helpfulness  >= 3", "helpfulness>=3"),
        (
            "helpfulness ≥ 3 correctness≤1 coherence≠2",
            "helpfulness>=3 correctness<=1 coherence!=2",
        ),
        ("helpfulness==3 and turns<>2", "helpfulness=3 turns!=2"),
        ("helpfulness:3", "helpfulness=3"),
        ("helpfulness:2..4", "helpfulness:2..4"),
        ("helpfulness=2..4", "helpfulness:2..4"),
        ("helpfulness: 2..", "helpfulness:2.."),
        ("gap.helpfulness:..0.5", "gap.helpfulness:..0.5"),
        ("label.helpfulness:-1..-0.5", "helpfulness:-1..-0.5"),
        ("helpfulness in (0,4)", "helpfulness in (0, 4)"),
        ("helpfulness in(0)", "helpfulness in (0)"),
        ("helpfulness = none", "helpfulness=none"),
        (
            "helpfulness!=none turns:none",
            "helpfulness!=none turns=none",
        ),
        ("len>2000 a.len<5", "len.response>2000 a.len.response<5"),
        ("helpfulness>.5", "helpfulness>0.5"),
        (
            "helpfulness>1e-7 helpfulness<1E+20",
            "helpfulness>1e-7 helpfulness<1e20",
        ),
        (
            "a.correctness>a.helpfulness",
            "a.correctness > a.helpfulness",
        ),
        ("3<turns", "3 < turns"),
        ("-3 < margin", "-3 < margin"),
        ("not -3 < margin", "not -3 < margin"),
        ("-(3 < margin)", "not 3 < margin"),
        ("margin>-3", "margin>-3"),
        ("margin > -turns", "margin > -turns"),
        ("margin.helpfulness>0", "margin.helpfulness>0"),
        ("label.turns>1 turns>1", "label.turns>1 turns>1"),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        (
            "(a.helpfulness + b.helpfulness)/2 >= 3",
            "(a.helpfulness + b.helpfulness) / 2 >= 3",
        ),
        (
            "a.helpfulness+b.helpfulness*2 > 3",
            "a.helpfulness + b.helpfulness * 2 > 3",
        ),
        (
            "a.helpfulness-b.helpfulness>1",
            "a.helpfulness - b.helpfulness > 1",
        ),
        ("row - (line - 1) = 1", "row - (line - 1) = 1"),
        ("(row - line) - 1 = 1", "row - line - 1 = 1"),
        (
            "abs(a.len-b.len):..10",
            "abs(a.len.response - b.len.response):..10",
        ),
        (
            "a.len - b.len:..10",
            "a.len.response - b.len.response = ..10",
        ),
        ("(-row)<3", "(-row) < 3"),
        ("((-row)+1)*2<3", "(-row + 1) * 2 < 3"),
        ("row<-(3)", "row < -(3)"),
        ("row<- 3", "row < -(3)"),
        ("row<--line", "row < --line"),
        ("(((row)))>3", "row>3"),
        ("((row>3))", "row>3"),
        ("(row>3 line>3)", "row>3 line>3"),
        ("(row -line)>3", "row - line > 3"),
        ("row/line>3 -foo /bar/", "row / line > 3 -foo /bar/"),
        ("turns>3 -line>4", "turns>3 -line>4"),
    ]);
    assert!(
        read("turns>3 - line>4").is_err(),
        "a comparison with two signs"
    );
}

#[test]
fn terms_and_what_joins_them() {
    check(&[
        ("foo bar", "foo bar"),
        ("foo and bar or baz and not qux", "foo bar or baz -qux"),
        ("foo (bar or baz)", "foo (bar or baz)"),
        ("(foo bar) baz", "foo bar baz"),
        ("foo or (bar or baz)", "foo or bar or baz"),
        ("not(foo or bar)", "-(foo or bar)"),
        ("not not foo", "--foo"),
        ("--foo", "--foo"),
        ("-5", "-\"5\""),
        ("-3d", "-\"3d\""),
        ("5 2024", "\"5\" \"2024\""),
        ("foo AND bar Or NOT baz", "foo bar or -baz"),
        ("foo && bar || ! baz !qux", "foo bar or -baz -qux"),
        ("foo & bar | baz", "foo bar or baz"),
        ("foo, bar,baz , qux", "foo bar,baz qux"),
        ("(foo),bar", "foo bar"),
        ("\"foo\"||/bar/, baz", "foo or /bar/ baz"),
        (
            "helpfulness=4,is:tie&&verdict=a||best:b,turns:1..2",
            "helpfulness=4 is:tie verdict=a or best:b turns:1..2",
        ),
        ("domain=a,b domain=c, foo", "domain=\"a,b\" domain=c foo"),
        (
            "prompt:a,b, sort:len, sort:turns",
            "prompt:a,b sort:len.response sort:turns",
        ),
        (
            "helpfulness IN (0, 4) domain In (a,b)",
            "helpfulness in (0, 4) domain in (a, b)",
        ),
        (
            "!helpfulness=4 !(foo or bar)",
            "-helpfulness=4 -(foo or bar)",
        ),
        ("&nbsp; |x| foo&&bar", "&nbsp; |x| foo&&bar"),
        (
            "\"And\" \"NOT\" \",\" \"foo,\" \"&&x\" \"|\"",
            "\"And\" \"NOT\" \",\" \"foo,\" \"&&x\" \"|\"",
        ),
        ("prompt:NOT note:\"x,\"", "prompt:NOT note:\"x,\""),
        (
            "len>1000 \"words\" \"%\" k",
            "len.response>1000 \"words\" \"%\" k",
        ),
        ("words len>1000", "\"words\" len.response>1000"),
        ("\"AND\" \"!x\" \"||\"", "\"AND\" \"!x\" \"||\""),
        ("cats in space", "cats \"in\" space"),
        ("none abs", "\"none\" \"abs\""),
        ("c++ a/b self-made don't #1", "c++ a/b self-made don't #1"),
        ("line-by-line", "\"line-by-line\""),
        ("漢字 \"a b\"", "漢字 \"a b\""),
        ("\"foo\"", "foo"),
        (
            "\"turns\" \"a.len\" \"a.turns\"",
            "\"turns\" \"a.len\" \"a.turns\"",
        ),
        ("foo\"bar\"(baz)", "foo bar baz"),
        (r#""say \"hi\" \\ \n""#, r#""say \"hi\" \\ \n""#),
        ("is this the prompt", "is this the prompt"),
    ]);
}

#[test]
fn parts_and_words() {
    check(&[
        ("prompt:python", "prompt:python"),
        ("prompt:helpfulness", "prompt:helpfulness"),
        ("prompt:http://x.org", "prompt:http://x.org"),
        ("prompt: \"a b\"", "prompt:\"a b\""),
        ("a.response:/def \\w+/", "a.response:/def \\w+/"),
        (
            "winner.quote:x both.title:y any.response:z",
            "winner.quote:x both.title:y any.response:z",
        ),
        ("/a\\/b/", "/a\\/b/"),
        ("/\\\\/ /[(]/", "/\\\\/ /[(]/"),
        ("(/(a)/)", "/(a)/"),
        ("turns>3 /x/", "turns>3 /x/"),
        ("turns>3 and / x/", "turns>3 and / x/"),
        ("is:tie -is:single", "is:tie -is:single"),
        (
            "has:code b.has:hidden loser.cite:dangling cite:unused",
            "has:code b.has:hidden loser.cite:dangling cite:unused",
        ),
        ("file:validation", "file:validation"),
        ("file=\"a b.jsonl\"", "file=\"a b.jsonl\""),
        ("domain = code", "domain=code"),
        ("domain != code", "domain!=code"),
        (
            "domain in (code, \"a,b\",\"none\")",
            "domain in (code, \"a,b\", \"none\")",
        ),
        ("domain in (code)", "domain=code"),
        (
            "domain=none domain != none domain=\"none\"",
            "domain=none domain!=none domain=\"none\"",
        ),
        (
            "fact.domain:x fact.helpfulness=y",
            "domain:x fact.helpfulness=y",
        ),
        (
            "model_A=gpt-4 fact.model_A:llama",
            "model_A=gpt-4 model_A:llama",
        ),
        (
            "verdict:a or verdict in (b,tie)",
            "verdict=a or verdict in (b, tie)",
        ),
        (
            "chosen___score>1 chosen___score_2>1 _3D=1",
            "chosen___score>1 chosen___score_2>1 _3D=1",
        ),
    ]);
}

#[test]
fn what_reviewers_said() {
    check(&[
        ("is:marked -is:rated", "is:marked -is:rated"),
        ("has:note or has: tag", "has:note or has:tag"),
        ("tag:x tag = x tag==\"x\"", "tag:x tag=x tag=x"),
        ("tag != x -tag=x tag<>\"a b\"", "tag!=x -tag=x tag!=\"a b\""),
        (
            "tag in (x,y) tag in (\"a, b\")",
            "tag in (x, y) tag=\"a, b\"",
        ),
        (
            "tag=none tag != none tag=\"none\" tag:none",
            "tag=none tag!=none tag=\"none\" tag=none",
        ),
        (
            "note:\"a phrase\" note: word",
            "note:\"a phrase\" note:word",
        ),
        ("check: wrong -check:any", "check:wrong -check:any"),
        (
            "note:/rate[ds]/ -note:http://x.org",
            "note:/rate[ds]/ -note:http://x.org",
        ),
        (
            "\"tag\" note \"note:x\" \"tag-x\" tags",
            "\"tag\" note \"note:x\" \"tag-x\" tags",
        ),
    ]);
    let named = "name = \"named\"\ntitle = \"N\"\nrows = \"inline\"\nprompt.path = \"/p\"\n[[response]]\ntext = \"/a\"
        [[label]]\nname = \"note\"\n[[fact]]\nname = \"tag\"\npath = \"/t\"";
    let schema = Schema::new(Definition::parse(named).unwrap());
    let catalog = Catalog::of([&schema]);
    for text in [
        "fact.tag=x tag=x label.note>1 note:x",
        "sort:fact.tag sort:label.note",
    ] {
        assert_eq!(
            parse(text, &catalog).unwrap().spelled(&catalog).to_string(),
            text
        );
    }
}

#[test]
fn sorts() {
    check(&[
        ("sort:gap.helpfulness", "sort:gap.helpfulness"),
        ("sort:-len", "sort:-len.response"),
        ("sort:turns foo sort:-row", "foo sort:turns sort:-row"),
        ("sort:turns foo or bar", "foo or bar sort:turns"),
        ("foo or bar sort:turns", "foo or bar sort:turns"),
        (
            "foo sort:(a.helpfulness - b.helpfulness)",
            "foo sort:(a.helpfulness - b.helpfulness)",
        ),
        ("sort:-abs(margin) sort:file", "sort:-abs(margin) sort:file"),
        ("sort:random(7) and foo", "foo sort:random(7)"),
        ("sort:-(-row)", "sort:-(-row)"),
        ("sort: (turns)", "sort:turns"),
    ]);
}

#[test]
fn the_tree_is_what_it_looks_like() {
    let field = |view, name: &str| {
        Number::Field(Field {
            view,
            column: ColumnId::of(ColumnSource::Label, name),
        })
    };
    let difference = Number::Binary(
        Arithmetic::Minus,
        Box::new(field(Aggregate::At(ResponseId::A), "helpfulness")),
        Box::new(field(Aggregate::At(ResponseId::B), "chosen - score")),
    );
    let text = Expr::Text(TextTerm {
        part: TextTarget::Prompt,
        pattern: Pattern::Phrase("x".to_owned()),
    });
    let filter = Expr::And(vec![
        Expr::compare(difference, Comparison::Greater, Number::Literal(1.0)),
        Expr::Or(vec![text.clone(), Expr::Not(Box::new(text))]),
    ]);
    let query =
        read("a.helpfulness - b.chosen___score_2 > 1 (prompt:x or -prompt:x) sort:random(3)")
            .unwrap();
    assert_eq!(query.filter, Some(filter));
    assert_eq!(query.sort[0].by, SortBy::Random(3));
}

#[test]
fn a_panel_takes_terms_apart_and_puts_them_together() {
    let query = read("foo (bar or baz) helpfulness>=3 sort:turns helpfulness<4").unwrap();
    assert_eq!(query.conjuncts().len(), 4);
    assert_eq!(read("").unwrap().conjuncts(), []);
    assert_eq!(read("foo or bar").unwrap().conjuncts().len(), 1);
    assert_eq!(
        Query::with_conjuncts(query.conjuncts().to_vec(), query.sort.clone()),
        query
    );
    let is_helpfulness = |term: &Expr| matches!(term, Expr::Number { .. });
    let catalog = catalog();
    for (with, expected) in [
        (
            Some("helpfulness:1..2"),
            "foo (bar or baz) helpfulness:1..2 sort:turns",
        ),
        (Some("a b"), "foo (bar or baz) a b sort:turns"),
        (None, "foo (bar or baz) sort:turns"),
    ] {
        let term = with.and_then(|text| read(text).unwrap().filter);
        assert_eq!(
            query
                .with_conjunct(is_helpfulness, term)
                .spelled(&catalog)
                .to_string(),
            expected
        );
    }
    let added = read("foo or bar")
        .unwrap()
        .with_conjunct(is_helpfulness, read("turns=1").unwrap().filter);
    assert_eq!(added.spelled(&catalog).to_string(), "(foo or bar) turns=1");
}

#[test]
fn what_standing_alone_would_mean_something_else_is_quoted() {
    let catalog = catalog();
    for word in [
        "helpfulness",
        "and",
        "turns!",
        "12",
        "-x",
        "a:b",
        "x>3",
        "a b",
        "",
        "(",
        "/x/",
        "+1",
        ".5",
        "a.helpfulness",
    ] {
        let phrase = Expr::Text(TextTerm {
            part: TextTarget::Anywhere,
            pattern: Pattern::Phrase(word.to_owned()),
        });
        assert_eq!(phrase.spelled(&catalog).to_string(), format!("\"{word}\""));
    }
}
