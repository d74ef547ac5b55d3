//! Tests of comparing texts: examples, and properties of any two texts.

use proptest::prelude::*;

use crate::text::sanitise;
use crate::text::{Hidden, TextGlyphs, graphemes};
use std::time::Duration;

use super::*;

fn plain(text: &str) -> ComparedText {
    let mut compared = ComparedText::default();
    compared.push(&StyledText::plain(sanitise(text, Hidden::Discreet)));
    compared
}

fn rendered(text: &str) -> ComparedText {
    let mut compared = ComparedText::default();
    let clean = sanitise(text, Hidden::Discreet);
    compared.push(&StyledText::markdown(clean, TextGlyphs::UNICODE));
    compared
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn diff(a: &ComparedText, b: &ComparedText) -> WordDiff {
    word_diff([a, b], soon())
}

/// Returns a text with its differences between bars.
fn marked(text: &ComparedText, side: &DiffSide) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for mark in &side.marks {
        out += &text.text()[at..mark.start];
        out += &format!("|{}|", &text.text()[mark.clone()]);
        at = mark.end;
    }
    out + &text.text()[at..]
}

#[test]
fn words_that_one_text_has_alone_are_marked() {
    for (a, b, in_a, in_b, overlap) in [
        ("one two", "one two", "one two", "one two", Some(1.0)),
        ("", "", "", "", None),
        ("", "one", "", "|one|", Some(0.0)),
        // Punctuation does not count as words.
        ("?!", "...", "|?!|", "|...|", None),
        (
            "a\n\n***",
            "a\n\n * * ",
            "a\n\n|***|",
            "a\n\n |* *| ",
            Some(1.0),
        ),
        // Adjacent words are one mark, with the text between them.
        (
            "the quick, brown fox",
            "the lazy fox",
            "the |quick, brown| fox",
            "the |lazy| fox",
            Some(4.0 / 7.0),
        ),
        // Successive punctuation is compared like a word.
        ("a + b", "a - b", "a |+| b", "a |-| b", Some(1.0)),
        (
            "so, it is",
            "so it is.",
            "so|,| it is",
            "so it is|.|",
            Some(1.0),
        ),
        ("(yes)", "yes", "|(|yes|)|", "yes", Some(1.0)),
        ("It is.", "It is so.", "It is.", "It is |so|.", Some(0.8)),
        ("One", "one", "|One|", "|one|", Some(0.0)),
        (
            "don't 3.14",
            "don't 3.15",
            "don't |3.14|",
            "don't |3.15|",
            Some(0.5),
        ),
        ("我是人", "我是谁", "我是|人|", "我是|谁|", Some(2.0 / 3.0)),
        (
            "cafe\u{301} x",
            "cafe x",
            "|cafe\u{301}| x",
            "|cafe| x",
            Some(0.5),
        ),
        ("one\n\ntwo", "one two", "one\n\ntwo", "one two", Some(1.0)),
    ] {
        let [a, b] = [plain(a), plain(b)];
        let found = diff(&a, &b);
        assert_eq!(marked(&a, &found.sides[0]), in_a);
        assert_eq!(marked(&b, &found.sides[1]), in_b);
        assert_eq!(found.overlap(), overlap, "{in_a}");
    }
}

#[test]
fn signs_of_markdown_are_part_of_the_text() {
    let [a, b] = ["- **one** two", "- one two"].map(rendered);
    let found = diff(&a, &b);
    assert_eq!(marked(&a, &found.sides[0]), "- |**|one|**| two");
    assert_eq!(marked(&b, &found.sides[1]), "- one two");
}

const ALPHA: &str = "Pack the red boat with all of its ropes before noon";
const BETA: &str = "Seven tall birches stand at the edge of our village";
const GAMMA: &str = "No one has ever counted what the river took from them";

#[test]
fn without_time_what_is_found_is_rough() {
    let [a, b] = [ALPHA, BETA].map(plain);
    let found = word_diff([&a, &b], Instant::now());
    assert!(found.is_rough);
}

/// Words, punctuation and ends of paragraphs.
fn texts() -> impl Strategy<Value = [String; 2]> {
    let piece = prop_oneof![
        8 => proptest::sample::select(vec!["a ", "be ", "see ", "dee ", "x", "Ort, ", "né ", "3.1 "]),
        2 => proptest::sample::select(vec!["\n", "\n\n", "- ", "**", "`", "| ", ". "]),
        1 => proptest::sample::select(vec!["人", "👩‍👩‍👧 ", "e\u{301}", "\u{600}.", "ก็", "\u{200d}", "क्षि "]),
    ];
    let text = proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat());
    let paragraphs = proptest::sample::subsequence(vec![ALPHA, BETA, GAMMA], 0..=3);
    let whole = (text, paragraphs.prop_shuffle());
    let whole = whole.prop_map(|(text, lines)| format!("{text}\n{}", lines.join("\n")));
    [whole.clone(), whole]
}

/// Returns the words of a text that the other one has, in order.
fn common<'t>(
    side: usize,
    texts: [&'t ComparedText; 2],
    cut: &[DiffTokens; 2],
    aligned: &Alignment,
) -> Vec<&'t str> {
    let words = cut[side].tokens.iter().zip(&aligned.is_common[side]);
    words
        .filter(|(_, is_common)| **is_common)
        .map(|(word, _)| &texts[side].text()[word.clone()])
        .collect()
}

proptest! {
    #[test]
    fn texts_share_the_words_that_are_not_marked(
        raw in texts(), renders in any::<bool>(), is_rough in any::<bool>()
    ) {
        let make = if renders { rendered } else { plain };
        let texts = [make(&raw[0]), make(&raw[1])];
        let both = [&texts[0], &texts[1]];
        let until = if is_rough { Instant::now() } else { soon() };
        let mut ids = HashMap::new();
        let cut = both.map(|text| DiffTokens::of(text, &mut ids));
        let aligned = Alignment::of(&cut, until);
        let found = word_diff(both, until);
        prop_assert_eq!(found.matches, aligned.matches(&cut[0]));
        prop_assert_eq!(common(0, both, &cut, &aligned), common(1, both, &cut, &aligned));
        for side in [0, 1] {
            for (word, is_common) in cut[side].tokens.iter().zip(&aligned.is_common[side]) {
                let is_marked = found.sides[side].marks.iter()
                    .any(|mark| mark.start <= word.start && word.end <= mark.end);
                prop_assert!(*is_common || is_marked, "{:?}", &texts[side].text()[word.clone()]);
            }
            let borders: std::collections::HashSet<_> = graphemes(texts[side].text())
                .flat_map(|range| [range.start, range.end])
                .collect();
            let mut end = None;
            for mark in &found.sides[side].marks {
                prop_assert!(mark.start < mark.end);
                prop_assert!(end.is_none_or(|end| end < mark.start), "ascending and apart");
                prop_assert!(borders.contains(&mark.start) && borders.contains(&mark.end));
                end = Some(mark.end);
            }
        }
        // A text has everything in common with itself.
        let same = word_diff([both[0], both[0]], until);
        prop_assert!(same.overlap().is_none_or(|all| all == 1.0));
        prop_assert!(same.sides.iter().all(|side| side.marks.is_empty()));
    }
}
