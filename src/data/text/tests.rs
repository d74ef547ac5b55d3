//! Properties of any text: nothing unsafe on a screen, nothing lost, nothing too wide.

mod raw;

use std::ops::Range;
use std::time::Instant;

use proptest::prelude::*;
use unicode_width::UnicodeWidthChar;

use super::terminal::sanitise::SanitisedText;
use super::terminal::width::clusters;
use super::{Hidden, StyledText, TextGlyphs, WrappedLine};
use super::{one_line, sanitise, width, wrap};

/// Text that is hard to parse: controls, invisible characters, marks, wide and joined ones.
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

/// Text with much Markdown, well-formed or not.
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
        "\\(",
        "\\)",
        "x_1 ",
        ":\n        y",
        "\n|a|a long cell with several words|\n|:-|-:|\n|x\\|y|z|\n",
        "[^1]",
        "\n[^1]: u\n",
        "\n<div>\n",
    ]);
    prop::collection::vec(mark, 0..40).prop_map(|parts| parts.concat())
}

fn either() -> impl Strategy<Value = Hidden> {
    prop_oneof![Just(Hidden::Discreet), Just(Hidden::Shown)]
}

/// True for characters that must never be displayed.
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

/// Checks that runs and lines are sorted and whole, that lines cover all but spaces and newlines,
/// and that none is too wide.
fn check_block(block: &StyledText, width_wanted: u16) {
    let mut end = 0;
    for run in &block.runs {
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
    let padding = width(&drawn).checked_sub(usize::from(line.indent) + width(text));
    assert!(
        padding == Some(0) || (line.is_padded && padding.is_some()),
        "{drawn:?}"
    );
    let fits = width(&drawn) <= usize::from(width_wanted.max(1));
    assert!(
        fits || clusters(text).count() == 1,
        "{drawn:?} at {width_wanted}"
    );
}

/// Checks that every non-blank character is drawn, in order, with nothing but decoration in
/// between, and that lines keep their indentation, up to three quarters of the width.
fn check_nothing_lost(clean: &SanitisedText, width_wanted: u16, glyphs: TextGlyphs) {
    let styled = StyledText::markdown(clean.clone(), glyphs);
    check_block(&styled, width_wanted);
    let text = clean.as_str().chars();
    let mut text = text.filter(|c| !c.is_whitespace()).peekable();
    let decoration = format!("{}{}", glyphs.wrapped, glyphs.rule);
    let blanks = |text: &str| text.len() - text.trim_start_matches(' ').len();
    let paragraphs: Vec<_> = styled.paragraphs().collect();
    let mut end = None;
    for line in wrap(&styled, width_wanted) {
        let pieces = styled.pieces(&line);
        let drawn: String = pieces.map(|(piece, _)| piece).collect();
        for c in drawn.chars().filter(|c| !c.is_whitespace()) {
            if text.next_if_eq(&c).is_none() {
                assert!(
                    decoration.contains(c),
                    "{c:?} in {drawn:?}, not {:?}",
                    text.peek()
                );
            }
        }
        if end.replace(line.paragraph) != Some(line.paragraph) && !drawn.trim().is_empty() {
            let written = blanks(&styled.text()[paragraphs[line.paragraph as usize].clone()]);
            let kept = written.min(usize::from(width_wanted) * 3 / 4);
            assert!(blanks(&drawn) + 2 >= kept, "indentation of {drawn:?}");
        }
    }
    assert_eq!(text.next(), None, "it is not drawn");
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
        check_safe(clean.as_str());
        check_nothing_lost(&clean, width, TextGlyphs::UNICODE);
    }

    #[test]
    fn hostile_markdown_is_safe(raw in hostile(), marks in markdown(), width in 0..20u16) {
        let clean = sanitise(&(marks + &raw), Hidden::Discreet);
        check_safe(clean.as_str());
        check_nothing_lost(&clean, width, TextGlyphs::ASCII);
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

/// Typical output of models that a Markdown renderer would change.
const SPECIMENS: [&str; 9] = [
    "def grow(self, *args, **kwargs):\n    if self.__len__() < 2**4:\n        return a*b*c\n    return None",
    "    leading\n\ttab\tinside   and   runs  of blanks   \n\n\n\n  end",
    "Use `snake_case`, _private_name_, C:\\new\\_old_\\*.log, \\d+\\.\\d* and 5 \\* 3 &lt; 2 <br> &amp;",
    "So \\(a_1 * b_1\\) and \\[\n  x = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}\n\\] hold, $x_1*y_1$ too.",
    "1. one\n   - two\n\n     three\n\n         code = 1\n10) ten\n* * *\n##\n> > quoted\n> - item",
    "| a long header | b |\n|:---|---:|\n| x \\| y | `p | q` |\n|short|\n| 1 | 2 | 3 |\nend",
    "[text](http://a.b \"t\") ![alt](x.png) [ref][1] <http://c.d>\n\n[1]: http://e.f",
    "~~~\nfence\n```\n~~~\n```print(1)``` and ```\nopen fence",
    "**bold *both*** __init__ ~~gone~~ * loose ** ends _ `open",
];

/// Collects the strings of a JSON value.
fn strings(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| strings(value, out)),
        serde_json::Value::Object(map) => map.values().for_each(|value| strings(value, out)),
        _ => {}
    }
}

#[test]
fn texts_are_drawn_whole_and_in_order() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<String> = SPECIMENS.map(str::to_owned).into();
    for folder in ["assets/demo", "../../tests/samples"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let lines = std::fs::read_to_string(entry.expect("an entry").path()).expect("text");
            for value in lines
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok())
            {
                strings(&value, &mut texts);
            }
        }
    }
    assert!(texts.len() > 500, "{}", texts.len());
    for text in &texts {
        for hidden in [Hidden::Discreet, Hidden::Shown] {
            let clean = sanitise(text, hidden);
            for width in [37, 58, 60] {
                check_nothing_lost(&clean, width, TextGlyphs::UNICODE);
            }
        }
    }
}

/// Run with `cargo test --release -- --ignored --nocapture`; `cargo bench --bench wrap` measures
/// typical texts.
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
        let block = StyledText::markdown(clean, TextGlyphs::UNICODE);
        let parsed = start.elapsed() - cleaned;
        let lines = wrap(&block, 80).len();
        let wrapped = start.elapsed() - cleaned - parsed;
        println!(
            "{unit:24?} sanitise {cleaned:10.1?} markdown {parsed:10.1?} wrap {wrapped:10.1?} {lines} lines"
        );
    }
}
