//! Comparison of two texts by words.
//!
//! Words are those of Unicode annex 29 with a letter or digit; successive punctuation is compared
//! like a word. Words are equal if they are spelled the same. Common words come from a shortest
//! edit script (Myers 1986; the crate `similar` accepts a good script if the shortest takes long).

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffTag, capture_diff_slices, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation;

use super::markup::styled_text::StyledText;
use super::terminal::width::{grapheme_end, grapheme_start};

/// Returns the indices of the lines that a shortest edit script inserts.
pub fn new_lines(before: &[&str], now: &[&str]) -> impl Iterator<Item = usize> {
    let mut ids = TokenIds::new();
    // Numbers as for words, because `similar` is compiled again for each type of element.
    let [before, now] = [before, now].map(|lines| numbered(lines.iter().copied(), &mut ids));
    let changes = capture_diff_slices(Algorithm::Myers, &before, &now).into_iter();
    let changes = changes.filter(|change| change.tag() != DiffTag::Equal);
    changes.flat_map(|change| change.new_range())
}

/// A text to compare, made of blocks below each other.
#[derive(Debug, Clone, Default)]
pub struct ComparedText {
    text: String,
    paragraphs: Vec<Range<usize>>,
}

/// The result of comparing two texts.
#[derive(Debug, Clone, PartialEq)]
pub struct WordDiff {
    /// The differences on each side.
    pub sides: [DiffSide; 2],
    /// Number of words in common.
    pub matches: usize,
    /// True if time ran out, so more than necessary counts as different.
    pub is_rough: bool,
}

/// The differences of one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffSide {
    /// Number of words in the text.
    pub words: usize,
    /// Bytes that the other text lacks: ascending, disjoint, at boundaries of graphemes and of
    /// words.
    pub marks: Vec<Range<usize>>,
}

impl ComparedText {
    /// Appends a block on a new line; returns the byte at which it begins.
    pub fn push(&mut self, block: &StyledText) -> usize {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let at = self.text.len();
        self.text.push_str(block.text());
        let placed = |range: Range<usize>| range.start + at..range.end + at;
        self.paragraphs.extend(block.paragraphs().map(placed));
        at
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl WordDiff {
    /// Returns the share of both texts in common, from 0 to 1: twice the common words divided by
    /// the words of both. This is the ratio of Python's `difflib` over words, which can find fewer
    /// of them. `None` without words.
    pub fn overlap(&self) -> Option<f64> {
        let words: usize = self.sides.iter().map(|side| side.words).sum();
        (words > 0).then(|| 2.0 * self.matches as f64 / words as f64)
    }
}

/// Compares two texts by words; the edit script stops at a deadline.
pub fn word_diff(texts: [&ComparedText; 2], until: Instant) -> WordDiff {
    let mut ids = TokenIds::new();
    let sides = texts.map(|text| DiffTokens::of(text, &mut ids));
    let aligned = Alignment::of(&sides, until);
    WordDiff {
        matches: aligned.matches(&sides[0]),
        is_rough: aligned.is_rough,
        sides: [0, 1].map(|side| DiffSide {
            words: sides[side]
                .is_word
                .iter()
                .filter(|is_word| **is_word)
                .count(),
            marks: aligned.marks(side, texts[side].text(), &sides[side]),
        }),
    }
}

/// A text split into words and punctuation.
#[derive(Debug, Default)]
struct DiffTokens {
    /// The bytes of each token.
    tokens: Vec<Range<usize>>,
    is_word: Vec<bool>,
    /// The content of each token: equal tokens have equal numbers in both texts.
    ids: Vec<u32>,
    /// The tokens of each paragraph.
    paragraphs: Vec<Range<usize>>,
}

impl DiffTokens {
    fn of<'t>(text: &'t ComparedText, ids: &mut TokenIds<'t>) -> Self {
        let mut cut = Self::default();
        for bytes in &text.paragraphs {
            let first = cut.tokens.len();
            for (at, part) in text.text[bytes.clone()].split_word_bound_indices() {
                let at = bytes.start + at;
                let is_word = part.contains(char::is_alphanumeric);
                let of_paragraph = cut.tokens.get_mut(first..).and_then(<[_]>::last_mut);
                match of_paragraph.filter(|last| last.end == at) {
                    _ if part.trim().is_empty() => {}
                    Some(signs) if !is_word && cut.is_word.last() == Some(&false) => {
                        signs.end += part.len();
                    }
                    _ => {
                        cut.tokens.push(at..at + part.len());
                        cut.is_word.push(is_word);
                    }
                }
            }
            cut.paragraphs.push(first..cut.tokens.len());
        }
        let tokens = cut.tokens.iter().map(|token| &text.text[token.clone()]);
        cut.ids = numbered(tokens, ids);
        cut
    }
}

/// Numbers of distinct texts.
type TokenIds<'t> = HashMap<&'t str, u32>;

/// Returns the number of each text; equal texts have equal numbers.
fn numbered<'t>(texts: impl Iterator<Item = &'t str>, ids: &mut TokenIds<'t>) -> Vec<u32> {
    let number = |text| {
        let next = ids.len() as u32;
        *ids.entry(text).or_insert(next)
    };
    texts.map(number).collect()
}

/// The tokens that two texts have in common.
#[derive(Debug)]
struct Alignment {
    /// For each token of a text, whether the other text has it.
    is_common: [Vec<bool>; 2],
    is_rough: bool,
}

impl Alignment {
    fn of([a, b]: &[DiffTokens; 2], until: Instant) -> Self {
        let mut is_common = [a, b].map(|side| vec![false; side.tokens.len()]);
        let steps = capture_diff_slices_deadline(Algorithm::Myers, &a.ids, &b.ids, Some(until));
        for same in steps.iter().filter(|step| step.tag() == DiffTag::Equal) {
            is_common[0][same.old_range()].fill(true);
            is_common[1][same.new_range()].fill(true);
        }
        Self {
            is_common,
            is_rough: Instant::now() >= until,
        }
    }

    /// Counts the words of the first text that the second one has.
    fn matches(&self, own: &DiffTokens) -> usize {
        let words = self.is_common[0].iter().zip(&own.is_word);
        words.filter(|(common, word)| **common && **word).count()
    }

    /// Returns the differences of a text; adjacent words are one mark, with the text between them.
    fn marks(&self, side: usize, text: &str, own: &DiffTokens) -> Vec<Range<usize>> {
        let mut marks: Vec<Range<usize>> = Vec::new();
        for paragraph in &own.paragraphs {
            let mut before = None;
            for at in paragraph.clone() {
                let is_alone = !self.is_common[side][at];
                if is_alone {
                    let from = before.unwrap_or(at);
                    let start = grapheme_start(text, own.tokens[from].start);
                    let end = grapheme_end(text, own.tokens[at].end);
                    match marks.last_mut() {
                        Some(last) if start <= last.end => last.end = last.end.max(end),
                        _ => marks.push(start..end),
                    }
                }
                before = is_alone.then_some(at);
            }
        }
        marks
    }
}
