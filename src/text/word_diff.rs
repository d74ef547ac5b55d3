//! Which words two texts have in common, in the same order.
//!
//! Words are those of Unicode's annex 29 with a letter or a digit in them, and two are the same where
//! they are spelled the same; a paragraph of signs alone counts as one word. Of the signs between
//! words only those are compared that stand between two words which follow each other in both texts,
//! or between a word and the end of its paragraph in both, since of others nobody can tell which word
//! they belong to.
//! The words that are the same in place come from a shortest edit script (Myers 1986, as the crate
//! `similar` has it, which takes a good one for the shortest where that is not soon found).

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation;

use super::styled_text::StyledText;
use super::width::{grapheme_end, grapheme_start};

/// Words, or paragraphs, after which it is asked whether the answer is still wanted.
const STEPS: usize = 2048;
/// How long paragraphs are compared once there was no time to compare all words.
const ROUGH: Duration = Duration::from_millis(100);
/// What stands for no word and no paragraph of the other text.
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
    /// Whether the time was too short: then whole paragraphs were compared, and not words.
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

    /// A paragraph without words, trimmed; `None` if it is blank.
    fn signs_alone(&self, paragraph: &Range<usize>) -> Option<Range<usize>> {
        let rest = &self.text[paragraph.clone()];
        let start = paragraph.start + rest.len() - rest.trim_start().len();
        let written = rest.trim();
        (!written.is_empty()).then(|| start..start + written.len())
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

/// Compares two texts by their words until some time, and from then on by their paragraphs; `None`
/// once that is not `wanted`, which is asked every few thousand words, but not within the comparison
/// that ends at that time.
pub fn word_diff(
    texts: [&ComparedText; 2],
    until: Instant,
    wanted: &dyn Fn() -> bool,
) -> Option<WordDiff> {
    let mut ids = HashMap::new();
    let [a, b] = texts;
    let sides = [
        DiffWords::of(a, &mut ids, wanted)?,
        DiffWords::of(b, &mut ids, wanted)?,
    ];
    let aligned = Alignment::of(&sides, until, wanted)?;
    let marks = |side: usize| aligned.marks(side, texts, &sides, wanted);
    let [of_a, of_b] = [marks(0)?, marks(1)?];
    let bytes = |side: usize, at: usize| sides[side].paragraphs[at].bytes.clone();
    let pairs = aligned.pairs.iter();
    Some(WordDiff {
        matches: aligned.matches(),
        pairs: pairs.map(|[p, q]| [bytes(0, *p), bytes(1, *q)]).collect(),
        is_rough: aligned.is_rough,
        sides: [
            DiffSide {
                words: sides[0].words.len(),
                marks: of_a,
            },
            DiffSide {
                words: sides[1].words.len(),
                marks: of_b,
            },
        ],
    })
}

/// A text cut into words.
#[derive(Debug, Default)]
struct DiffWords {
    /// The bytes of each word.
    words: Vec<Range<usize>>,
    /// For each word what it says: the same number in both texts.
    ids: Vec<u32>,
    /// The paragraphs that are not blank.
    paragraphs: Vec<DiffParagraph>,
    /// For each word which of these it is in.
    homes: Vec<u32>,
}

#[derive(Debug)]
struct DiffParagraph {
    bytes: Range<usize>,
    /// Its words, at least one.
    words: Range<usize>,
}

impl DiffWords {
    fn of<'t>(
        text: &'t ComparedText,
        ids: &mut HashMap<&'t str, u32>,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut cut = Self::default();
        for bytes in &text.paragraphs {
            let first = cut.words.len();
            for (at, word) in text.text[bytes.clone()].unicode_word_indices() {
                let range = bytes.start + at..bytes.start + at + word.len();
                if cut.words.len().is_multiple_of(STEPS) && !wanted() {
                    return None;
                }
                cut.push(range, word, ids);
            }
            if cut.words.len() == first
                && let Some(range) = text.signs_alone(bytes)
            {
                cut.push(range.clone(), &text.text[range], ids);
            }
            let words = first..cut.words.len();
            if !words.is_empty() {
                let bytes = bytes.clone();
                cut.paragraphs.push(DiffParagraph { bytes, words });
            }
        }
        Some(cut)
    }

    /// Adds a word of the paragraph that comes next.
    fn push<'t>(&mut self, range: Range<usize>, word: &'t str, ids: &mut HashMap<&'t str, u32>) {
        let next = ids.len() as u32;
        self.words.push(range);
        self.ids.push(*ids.entry(word).or_insert(next));
        self.homes.push(self.paragraphs.len() as u32);
    }
}

/// Which word of one text is which of the other.
#[derive(Debug)]
struct Alignment {
    /// For each word of a text the word of the other one, or [`NONE`].
    partners: [Vec<u32>; 2],
    /// Paragraphs that have half of their words in common, by their places in both texts.
    pairs: Vec<[usize; 2]>,
    is_rough: bool,
}

impl Alignment {
    fn of(sides: &[DiffWords; 2], until: Instant, wanted: &dyn Fn() -> bool) -> Option<Self> {
        let mut aligned = Self {
            partners: [0, 1].map(|side: usize| vec![NONE; sides[side].words.len()]),
            pairs: Vec::new(),
            is_rough: false,
        };
        let [a, b] = sides;
        let same = same_in_place(&a.ids, &b.ids, until);
        // What is found when the time is over is the beginning of an answer.
        aligned.is_rough = Instant::now() >= until;
        if aligned.is_rough {
            aligned.join_paragraphs(sides);
        } else {
            for [from, to] in same {
                aligned.join(from, to);
            }
        }
        aligned.pair_paragraphs(sides);
        wanted().then_some(aligned)
    }

    fn join(&mut self, from: Range<usize>, to: Range<usize>) {
        for (a, b) in from.zip(to) {
            (self.partners[0][a], self.partners[1][b]) = (b as u32, a as u32);
        }
    }

    /// Finds the paragraphs that have half of their words in common.
    fn pair_paragraphs(&mut self, [a, b]: &[DiffWords; 2]) {
        for (p, paragraph) in a.paragraphs.iter().enumerate() {
            // Words have their partners in order, so those of a paragraph follow each other.
            let partners = &self.partners[0][paragraph.words.clone()];
            let homes = partners
                .iter()
                .filter_map(|partner| b.homes.get(*partner as usize));
            let homes: Vec<_> = homes.collect();
            let runs = homes.chunk_by(|one, next| one == next);
            let Some(best) = runs.max_by_key(|run| run.len()) else {
                continue;
            };
            let q = *best[0] as usize;
            let words = paragraph.words.len() + b.paragraphs[q].words.len();
            let is_next = self.pairs.last().is_none_or(|[_, last]| q > *last);
            if is_next && 4 * best.len() >= words {
                self.pairs.push([p, q]);
            }
        }
    }

    /// Joins the words of paragraphs that are the same.
    fn join_paragraphs(&mut self, sides: &[DiffWords; 2]) {
        let mut ids = HashMap::new();
        let said = [0, 1].map(|side: usize| {
            let side = &sides[side];
            let mut said = Vec::with_capacity(side.paragraphs.len());
            for paragraph in &side.paragraphs {
                let next = ids.len() as u32;
                let words = &side.ids[paragraph.words.clone()];
                said.push(*ids.entry(words).or_insert(next));
            }
            said
        });
        for [from, to] in same_in_place(&said[0], &said[1], Instant::now() + ROUGH) {
            for (p, q) in from.zip(to) {
                let [p, q] = [(0, p), (1, q)].map(|(side, at)| &sides[side].paragraphs[at].words);
                self.join(p.clone(), q.clone());
            }
        }
    }

    fn matches(&self) -> usize {
        let partners = self.partners[0].iter();
        partners.filter(|partner| **partner != NONE).count()
    }

    /// What a text has alone.
    fn marks(
        &self,
        side: usize,
        texts: [&ComparedText; 2],
        sides: &[DiffWords; 2],
        wanted: &dyn Fn() -> bool,
    ) -> Option<Vec<Range<usize>>> {
        let (own, partners) = (&sides[side], &self.partners[side]);
        let mut marks = Marks::new(texts[side].text());
        for (number, paragraph) in own.paragraphs.iter().enumerate() {
            if number.is_multiple_of(STEPS) && !wanted() {
                return None;
            }
            let words = paragraph.words.clone();
            for word in words.start..=words.end {
                let before = word.checked_sub(1).filter(|word| words.contains(word));
                let here = Some(word).filter(|word| words.contains(word));
                let is_alone = |word: Option<usize>| word.is_some_and(|at| partners[at] == NONE);
                if let Some(at) = here.filter(|_| is_alone(here)) {
                    // From one to the next they are one mark, with what stands between them.
                    let from = before.filter(|_| is_alone(before)).unwrap_or(at);
                    marks.push(own.words[from].start..own.words[at].end);
                } else if !is_alone(before)
                    && let Some(gap) = self.odd_gap(side, [before, here], texts, sides)
                {
                    marks.push(gap);
                }
            }
        }
        Some(marks.marks)
    }

    /// The signs between two neighbouring words, or between one and its paragraph's end, where the
    /// same words have other ones between them in the other text.
    fn odd_gap(
        &self,
        side: usize,
        [before, behind]: [Option<usize>; 2],
        texts: [&ComparedText; 2],
        sides: &[DiffWords; 2],
    ) -> Option<Range<usize>> {
        let partner = |word: Option<usize>| word.map(|word| self.partners[side][word] as usize);
        let theirs = [partner(before), partner(behind)];
        let other = &sides[1 - side];
        let home = |word: usize| &other.paragraphs[other.homes[word] as usize];
        let are_neighbours = match theirs {
            [Some(one), Some(next)] => next == one + 1 && other.homes[one] == other.homes[next],
            [Some(last), None] => home(last).words.end == last + 1,
            [None, Some(first)] => home(first).words.start == first,
            [None, None] => false,
        };
        if !are_neighbours {
            return None;
        }
        let own = signs_between(texts[side], &sides[side], [before, behind]);
        let others = signs_between(texts[1 - side], other, theirs);
        let said = |signs: &[Range<usize>], text: &ComparedText| -> String {
            signs.iter().map(|sign| &text.text[sign.clone()]).collect()
        };
        let is_odd = said(&own, texts[side]) != said(&others, texts[1 - side]);
        let (first, last) = own.first().zip(own.last())?;
        is_odd.then_some(first.start..last.end)
    }
}

/// The characters between two words of a paragraph that are not blank; for no word, those to the
/// paragraph's end.
fn signs_between(
    text: &ComparedText,
    words: &DiffWords,
    [before, behind]: [Option<usize>; 2],
) -> Vec<Range<usize>> {
    let home = |word: Option<usize>| {
        let home = words.homes[word?] as usize;
        Some(&words.paragraphs[home].bytes)
    };
    let Some(paragraph) = home(before).or_else(|| home(behind)) else {
        return Vec::new();
    };
    let start = before.map_or(paragraph.start, |word| words.words[word].end);
    let end = behind.map_or(paragraph.end, |word| words.words[word].start);
    let gap = text.text.get(start..end).unwrap_or_default();
    gap.char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .map(|(at, c)| start + at..start + at + c.len_utf8())
        .collect()
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

/// The longest stretches that two sequences have in common in the same order, as far as they are
/// found until some time.
fn same_in_place(a: &[u32], b: &[u32], until: Instant) -> Vec<[Range<usize>; 2]> {
    let steps = capture_diff_slices_deadline(Algorithm::Myers, a, b, Some(until));
    let same = steps.iter().filter(|step| step.tag() == DiffTag::Equal);
    same.map(|step| [step.old_range(), step.new_range()])
        .collect()
}
