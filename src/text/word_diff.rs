//! Which words two texts have in common, in the same order.
//!
//! Words are those of Unicode's annex 29 with a letter or a digit in them; signs next to each other
//! are compared like a word. Two are the same if they are spelled the same. What is the same in place
//! comes from a shortest edit script (Myers 1986, as the crate `similar` has it, which takes a good one
//! for the shortest where that is not soon found).

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation;

use super::styled_text::StyledText;
use super::width::{grapheme_end, grapheme_start};

/// Words, or paragraphs, after which it is asked whether the answer is still wanted.
const STEPS: usize = 2048;
/// The sign for no word of the other text.
const NONE: u32 = u32::MAX;

/// A text that is compared: the texts of blocks below each other.
#[derive(Debug, Clone, Default)]
pub struct ComparedText {
    text: String,
    paragraphs: Vec<Range<usize>>,
}

/// What two texts have in common, and what each has alone.
#[derive(Debug, Clone, PartialEq)]
pub struct WordDiff {
    /// What is to be said of each text.
    pub sides: [DiffSide; 2],
    /// Bytes of the paragraphs of both texts that are the same or nearly so, and stand in the same
    /// order: ascending and apart in both.
    pub pairs: Vec<[Range<usize>; 2]>,
    /// Words of one text that were found in the other.
    pub matches: usize,
    /// Whether the time was too short: then more than necessary counts as different.
    pub is_rough: bool,
}

/// What one of two texts has alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffSide {
    /// Words in the text.
    pub words: usize,
    /// Bytes that the other text does not have: ascending, apart, between graphemes, and each from
    /// the beginning of a word or a sign to the end of one.
    pub marks: Vec<Range<usize>>,
}

impl ComparedText {
    /// Adds a block below, and returns the byte at which its text begins.
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
    /// How much of both texts is in common, from 0 to 1: twice the words that were found in the
    /// other text, divided by the words of both: the ratio of Python's `difflib` over words, which
    /// can find fewer of them. `None` if there are no words.
    pub fn overlap(&self) -> Option<f64> {
        let words: usize = self.sides.iter().map(|side| side.words).sum();
        (words > 0).then(|| 2.0 * self.matches as f64 / words as f64)
    }
}

/// Compares two texts by their words until some time; `None` once that is not `wanted`, which is asked
/// every few thousand words, but not within the comparison that ends at that time.
pub fn word_diff(
    texts: [&ComparedText; 2],
    until: Instant,
    wanted: &dyn Fn() -> bool,
) -> Option<WordDiff> {
    let mut ids = HashMap::new();
    let [a, b] = texts;
    let sides = [
        DiffTokens::of(a, &mut ids, wanted)?,
        DiffTokens::of(b, &mut ids, wanted)?,
    ];
    let aligned = Alignment::of(&sides, until);
    let bytes = |side: usize, at: usize| sides[side].paragraphs[at].bytes.clone();
    let pairs = aligned.pairs.iter();
    let found = WordDiff {
        matches: aligned.matches(&sides[0]),
        pairs: pairs.map(|[p, q]| [bytes(0, *p), bytes(1, *q)]).collect(),
        is_rough: aligned.is_rough,
        sides: [0, 1].map(|side| DiffSide {
            words: sides[side]
                .is_word
                .iter()
                .filter(|is_word| **is_word)
                .count(),
            marks: aligned.marks(side, texts[side].text(), &sides[side]),
        }),
    };
    wanted().then_some(found)
}

/// A text cut into words and signs.
#[derive(Debug, Default)]
struct DiffTokens {
    /// The bytes of each.
    tokens: Vec<Range<usize>>,
    is_word: Vec<bool>,
    /// For each what it says: the same number in both texts.
    ids: Vec<u32>,
    /// The paragraphs that are not blank.
    paragraphs: Vec<DiffParagraph>,
    /// For each token which of these it is in.
    homes: Vec<u32>,
}

#[derive(Debug)]
struct DiffParagraph {
    bytes: Range<usize>,
    /// Its words and signs, at least one.
    tokens: Range<usize>,
}

impl DiffTokens {
    fn of<'t>(
        text: &'t ComparedText,
        ids: &mut HashMap<&'t str, u32>,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut cut = Self::default();
        for bytes in &text.paragraphs {
            let first = cut.tokens.len();
            for (at, part) in text.text[bytes.clone()].split_word_bound_indices() {
                if cut.tokens.len().is_multiple_of(STEPS) && !wanted() {
                    return None;
                }
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
            let tokens = first..cut.tokens.len();
            let home = cut.paragraphs.len() as u32;
            cut.homes.resize(tokens.end, home);
            if !tokens.is_empty() {
                let bytes = bytes.clone();
                cut.paragraphs.push(DiffParagraph { bytes, tokens });
            }
        }
        for token in &cut.tokens {
            let next = ids.len() as u32;
            let id = ids.entry(&text.text[token.clone()]).or_insert(next);
            cut.ids.push(*id);
        }
        Some(cut)
    }
}

/// Which word of one text is which of the other.
#[derive(Debug)]
struct Alignment {
    /// For each word or sign of a text that of the other one, or [`NONE`].
    partners: [Vec<u32>; 2],
    /// Paragraphs that have half of their words in common, by their places in both texts.
    pairs: Vec<[usize; 2]>,
    is_rough: bool,
}

impl Alignment {
    fn of([a, b]: &[DiffTokens; 2], until: Instant) -> Self {
        let mut aligned = Self {
            partners: [a, b].map(|side| vec![NONE; side.tokens.len()]),
            pairs: Vec::new(),
            is_rough: false,
        };
        let steps = capture_diff_slices_deadline(Algorithm::Myers, &a.ids, &b.ids, Some(until));
        for same in steps.iter().filter(|step| step.tag() == DiffTag::Equal) {
            for (a, b) in same.old_range().zip(same.new_range()) {
                (aligned.partners[0][a], aligned.partners[1][b]) = (b as u32, a as u32);
            }
        }
        aligned.is_rough = Instant::now() >= until;
        aligned.pair_paragraphs(a, b);
        aligned
    }

    /// Finds the paragraphs that have half of their words in common.
    fn pair_paragraphs(&mut self, a: &DiffTokens, b: &DiffTokens) {
        for (p, paragraph) in a.paragraphs.iter().enumerate() {
            // Words have their partners in order, so those of a paragraph follow each other.
            let partners = &self.partners[0][paragraph.tokens.clone()];
            let homes = partners
                .iter()
                .filter_map(|partner| b.homes.get(*partner as usize));
            let homes: Vec<_> = homes.collect();
            let runs = homes.chunk_by(|one, next| one == next);
            let Some(best) = runs.max_by_key(|run| run.len()) else {
                continue;
            };
            let q = *best[0] as usize;
            let words = paragraph.tokens.len() + b.paragraphs[q].tokens.len();
            let is_next = self.pairs.last().is_none_or(|[_, last]| q > *last);
            if is_next && 4 * best.len() >= words {
                self.pairs.push([p, q]);
            }
        }
    }

    /// Words of the first text that have a partner.
    fn matches(&self, own: &DiffTokens) -> usize {
        let words = self.partners[0].iter().zip(&own.is_word);
        words
            .filter(|(partner, is_word)| **is_word && **partner != NONE)
            .count()
    }

    /// What a text has alone; from one word to the next it is one mark, with the text between them.
    fn marks(&self, side: usize, text: &str, own: &DiffTokens) -> Vec<Range<usize>> {
        let mut marks = Marks::new(text);
        for paragraph in &own.paragraphs {
            let mut before = None;
            for at in paragraph.tokens.clone() {
                let is_alone = self.partners[side][at] == NONE;
                if is_alone {
                    let from = before.unwrap_or(at);
                    marks.push(own.tokens[from].start..own.tokens[at].end);
                }
                before = is_alone.then_some(at);
            }
        }
        marks.marks
    }
}

/// Marks of a text, as they are found from its beginning to its end.
struct Marks<'t> {
    text: &'t str,
    marks: Vec<Range<usize>>,
}

impl<'t> Marks<'t> {
    fn new(text: &'t str) -> Self {
        let marks = Vec::new();
        Self { text, marks }
    }

    /// Adds a mark, or makes the last one longer, where that reaches it.
    fn push(&mut self, range: Range<usize>) {
        let start = grapheme_start(self.text, range.start);
        let end = grapheme_end(self.text, range.end);
        match self.marks.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => self.marks.push(start..end),
        }
    }
}
