//! What the floor promises of any text: nothing unsafe on a screen, nothing lost, nothing wider
//! than its room.

use std::ops::Range;
use std::time::Instant;

use proptest::prelude::*;
use unicode_width::UnicodeWidthChar;

use super::sanitise::Clean;
use super::width::clusters;
use super::{Hidden, StyledText, TextGlyphs, WrappedLine, one_line, sanitise, width, wrap};

/// Text made of what breaks readers of text: controls, invisible characters, marks, wide and joined
/// ones.
fn hostile() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "\u{1b}[31m",
        "\r\n",
        "\r",
        "\t",
        "\n",
        " ",
        "  ",
        "\u{85}",
        "\u{7f}",
        "\u{200b}",
        "\u{200d}",
        "\u{200e}",
        "\u{202e}",
        "\u{2028}",
        "\u{feff}",
        "\u{ad}",
        "\u{a0}",
        "\u{3000}",
        "\u{fe0f}",
        "\u{fe0e}",
        "\u{e0061}",
        "\u{301}",
        "\u{20e3}",
        "\u{903}",
        "\u{94d}",
        "क",
        "ष",
        "\u{1100}",
        "\u{1161}",
        "\u{11a8}",
        "가",
        "\u{3164}",
        "👩",
        "💻",
        "❤",
        "\u{1f3fd}",
        "🇩",
        "🇪",
        "漢",
        "「",
        "」",
        "、",
        "é",
        "لا",
        "\u{600}",
        "\u{d4e}",
        "\u{ff9e}",
        "\u{fffd}",
        "\u{e000}",
        "a",
        "word",
        "1",
        "-",
        "/",
        "https://a.b/c-d",
        "\u{fff9}",
        "\u{180e}",
        "\u{34f}",
    ]);
    let part =
        prop_oneof![8 => odd.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

/// Text with much Markdown in it, well-formed or not.
fn markdown() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![
        "# ",
        "## ",
        "**",
        "*",
        "_",
        "~~",
        "`",
        "```",
        "```rust\n",
        "\n~~~\n",
        "\n",
        "\n\n",
        "\n\n\n",
        "> ",
        "\n> ",
        "\n- ",
        "\n  - ",
        "\n    ",
        "\n* ",
        "\n1. ",
        "5. ",
        "6) ",
        "- ",
        "\n23) ",
        "- [x] ",
        "- [ ] ",
        "\n---\n",
        "\n===\n",
        "[",
        "]",
        "](",
        "(",
        ")",
        "![",
        "[a](",
        "[b]: c\n",
        "\n[d]: <e> 'f'\n",
        "[d]",
        "[g][d]",
        "[d][]",
        "<",
        ">",
        "<b>",
        "</b>",
        "<!-- x -->",
        "&amp;",
        "&#x20;",
        "&copy",
        "\\",
        "\\*",
        "\\|",
        "|",
        "| h | i |\n|---|:-:|\n| j | k |\n",
        "\n|---|\n",
        "\n| l | m | n |\n",
        "<http://o.p>",
        "<q@r.st>",
        " ",
        "word",
        "two words",
        "漢字",
        "e\u{301}",
        "\u{301}",
        "\u{200b}",
        "\t",
        "👩\u{200d}💻",
        "\"t\"",
        "'",
        "  \n",
        "$x$",
        "[^1]",
        "\n[^1]: u\n",
        "\n<div>\n",
    ]);
    prop::collection::vec(mark, 0..40).prop_map(|parts| parts.concat())
}

fn either() -> impl Strategy<Value = Hidden> {
    prop_oneof![Just(Hidden::Discreet), Just(Hidden::Shown)]
}

fn drawn(block: &StyledText, lines: &[WrappedLine]) -> Vec<String> {
    lines
        .iter()
        .map(|line| block.pieces(line).map(|(piece, _)| piece).collect())
        .collect()
}

/// Whether a character has no business on a screen wherever it stands.
fn is_forbidden(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(u32::from(c),
            0xAD | 0x61C | 0x180E | 0x200B | 0x200C | 0x200E | 0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF
            | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF | 0x3164 | 0x115F | 0x1160 | 0xFFA0 | 0xA0)
}

fn check_safe(text: &str) {
    assert!(!text.contains(is_forbidden), "{text:?}");
    for cluster in clusters(text) {
        let grapheme = &text[cluster.range.clone()];
        assert!(
            grapheme == "\n" || cluster.cells > 0,
            "{grapheme:?} in {text:?}"
        );
        assert!(grapheme.chars().count() <= 16, "{grapheme:?}");
        let is_joined = |(at, _): (usize, &str)| {
            at > 0
                && grapheme[at + 3..]
                    .chars()
                    .next()
                    .is_some_and(|c| c.width() > Some(0))
        };
        assert!(
            grapheme.match_indices('\u{200d}').all(is_joined),
            "{grapheme:?}"
        );
    }
}

/// Runs and lines are sorted and whole; the lines cover all but spaces and newlines; none is too
/// wide.
fn check_block(block: &StyledText, width_wanted: u16) {
    let mut end = 0;
    for run in block.runs() {
        assert!(
            run.range.start >= end && run.range.start < run.range.end && !run.style.is_empty(),
            "{run:?}"
        );
        end = run.range.end;
        assert!(end <= block.text().len());
    }
    let lines = wrap(block, width_wanted);
    assert!(lines.len() >= block.paragraphs().len());
    let mut end = 0;
    for line in &lines {
        check_between(&block.text()[end..line.range.start]);
        end = line.range.end;
        let pieces: Vec<_> = block.pieces(line).map(|(piece, _)| piece).collect();
        assert!(
            pieces
                .iter()
                .all(|piece| !piece.is_empty() && clusters(piece).all(|cluster| cluster.cells > 0)),
            "{pieces:?}"
        );
        check_width(block, line, width_wanted);
    }
    check_between(&block.text()[end..]);
}

fn check_between(skipped: &str) {
    assert!(
        skipped.chars().all(|c| c == ' ' || c == '\n'),
        "lost {skipped:?}"
    );
}

fn check_width(block: &StyledText, line: &WrappedLine, width_wanted: u16) {
    let text = &block.text()[line.range.clone()];
    let drawn: String = block.pieces(line).map(|(piece, _)| piece).collect();
    assert_eq!(width(&drawn), usize::from(line.lead()) + width(text));
    let fits = width(&drawn) <= usize::from(width_wanted.max(1));
    assert!(
        fits || clusters(text).count() == 1,
        "{drawn:?} at {width_wanted}"
    );
}

/// How often each letter and digit occurs.
fn letters(text: &str) -> std::collections::BTreeMap<char, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        *counts.entry(c).or_default() += 1;
    }
    counts
}

fn check_nothing_lost(clean: &Clean, drawn: &str) {
    let ours = letters(drawn);
    for (c, count) in letters(clean.as_str()) {
        assert!(
            ours.get(&c) >= Some(&count),
            "lost {c:?} of {:?} in {drawn:?}",
            clean.as_str()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sanitised_text_is_safe(raw in hostile(), hidden in either()) {
        let clean = sanitise(&raw, hidden);
        check_safe(clean.as_str());
        let again = sanitise(clean.as_str(), hidden);
        prop_assert_eq!(again.as_str(), clean.as_str());
        let sorted = clean.marks().windows(2).all(|pair| pair[0].end <= pair[1].start);
        prop_assert!(sorted && clean.marks().iter().all(|mark| clean.as_str().get(mark.clone()).is_some_and(|glyph| !glyph.is_empty())));
    }

    #[test]
    fn one_line_is_safe_and_fits(raw in hostile(), max_width in 0..40usize) {
        let line = one_line(&raw, max_width);
        check_safe(&line);
        prop_assert!(!line.contains('\n') && width(&line) <= max_width, "{:?}", line);
    }

    #[test]
    fn plain_blocks_wrap(raw in hostile(), hidden in either(), width in 0..40u16) {
        let block = StyledText::plain(sanitise(&raw, hidden));
        check_block(&block, width);
    }

    #[test]
    fn markdown_loses_nothing(raw in markdown(), hidden in either(), width in 0..60u16) {
        let clean = sanitise(&raw, hidden);
        let block = StyledText::markdown(&clean, width, TextGlyphs::UNICODE);
        check_safe(block.text());
        check_block(&block, width);
        check_nothing_lost(&clean, &drawn(&block, &wrap(&block, width)).concat());
    }

    #[test]
    fn hostile_markdown_is_safe(raw in hostile(), marks in markdown(), width in 0..20u16) {
        let block = StyledText::markdown(&sanitise(&(marks + &raw), Hidden::Discreet), width, TextGlyphs::ASCII);
        check_safe(block.text());
        check_block(&block, width / 2);
    }

    #[test]
    fn overlays_keep_the_order(raw in hostile(), spans in prop::collection::vec((0..200usize, 0..200usize), 0..8)) {
        let mut block = StyledText::plain(sanitise(&raw, Hidden::Shown));
        for (start, end) in spans {
            block.overlay(Range { start, end }, super::TextStyle::HIT);
        }
        check_block(&block, 10);
    }
}

/// Run with `cargo test --release -- --ignored --nocapture`; `cargo bench --bench wrap` measures usual
/// texts.
#[test]
#[ignore = "measures"]
fn how_long_hostile_markdown_takes() {
    let units = [
        ">",
        "> ",
        "*",
        "**a ",
        "_",
        "`",
        "`a``",
        "[",
        "![",
        "[a](",
        "[a]",
        "- ",
        "* ",
        "1. ",
        "+ ",
        "#",
        "<",
        "<a ",
        "<!--",
        "&",
        "\\",
        "|",
        "|a",
        "~",
        "\n",
        "\n---\n",
        "a\n|",
        "*a _b ",
        "> a\n",
        "- a\n",
        "[a]: b\n",
        "\n> > > > > > > > > > x",
        "a**b_",
        "<a>",
        "]",
        "((",
        "[a](<",
        "$",
        "\u{301}",
        "\u{1b}",
        "\t",
        "漢",
        "    ",
        "\r",
        "| a |\n|---|\n",
        "```\n",
        "- - - a\n",
    ];
    for unit in units {
        let raw = unit.repeat((1 << 20) / unit.len());
        let start = Instant::now();
        let clean = sanitise(&raw, Hidden::Discreet);
        let cleaned = start.elapsed();
        let block = StyledText::markdown(&clean, 80, TextGlyphs::UNICODE);
        let parsed = start.elapsed() - cleaned;
        let lines = wrap(&block, 80).len();
        let wrapped = start.elapsed() - cleaned - parsed;
        println!(
            "{unit:24?} sanitise {cleaned:10.1?} markdown {parsed:10.1?} wrap {wrapped:10.1?} {lines} lines"
        );
    }
}
