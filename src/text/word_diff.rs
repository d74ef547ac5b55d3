//! Which words two texts have in common: in place, and in paragraphs that stand elsewhere in the
//! other text.
//!
//! Words are those of Unicode's annex 29 with a letter or a digit in them, and two are the same where
//! they are spelled the same; a paragraph of signs alone counts as one word. Of the signs between
//! words only those are compared that stand between two words which follow each other in both texts,
//! or between a word and the end of its paragraph in both, since of others nobody can tell which word
//! they belong to.
//! The words that are the same in place come from a shortest edit script (Myers 1986, as the crate
//! `similar` has it, which takes a good one for the shortest where that is not soon found).

mod moved;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation;

use super::styled_text::StyledText;
use super::text_style::TextStyle;
use super::width::{grapheme_end, grapheme_start};
use moved::Moves;

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
    /// The byte at which each block begins, but the first.
    blocks: Vec<usize>,
    paragraphs: Vec<Range<usize>>,
    /// Signs of the layout, which nobody wrote: bullets, borders of tables.
    signs: Vec<Range<usize>>,
}

/// What two texts have in common, and what each has alone.
#[derive(Debug, Clone, PartialEq)]
pub struct WordDiff {
    /// What is to be said of each text.
    pub sides: [DiffSide; 2],
    /// Bytes of the paragraphs of both texts that are the same or nearly so, and stand in the same
    /// order: ascending and apart in both.
    pub pairs: Vec<[Range<usize>; 2]>,
    /// Words of one text that were found in the other, in place or in a moved paragraph.
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
    /// Paragraphs that stand elsewhere in the other text, in order.
    pub moved: Vec<MovedParagraphs>,
}

/// Paragraphs below each other in a block that stand elsewhere in the other text, also below each
/// other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedParagraphs {
    /// Their bytes.
    pub bytes: Range<usize>,
    /// Which they are in the other text, counting from 0 the paragraphs that are not blank.
    pub to: Range<usize>,
}

impl ComparedText {
    /// Adds a block below, and returns the byte at which its text begins.
    pub fn push(&mut self, block: &StyledText) -> usize {
        if !self.text.is_empty() {
            self.text.push('\n');
            self.blocks.push(self.text.len());
        }
        let at = self.text.len();
        self.text.push_str(block.text());
        let moved = |range: &Range<usize>| range.start + at..range.end + at;
        self.paragraphs
            .extend(block.paragraphs().map(|range| moved(&range)));
        let is_sign = |style: TextStyle| {
            let signs = [TextStyle::MARKER, TextStyle::TABLE, TextStyle::RULE];
            signs.into_iter().any(|sign| style.contains(sign))
        };
        let signs = block.runs().iter().filter(|run| is_sign(run.style));
        self.signs.extend(signs.map(|run| moved(&run.range)));
        at
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What somebody wrote in a paragraph without words, behind the last sign of the layout; `None`
    /// where that is blank.
    fn signs_alone(&self, paragraph: &Range<usize>) -> Option<Range<usize>> {
        let behind = self
            .signs
            .partition_point(|sign| sign.start < paragraph.end);
        let last = behind.checked_sub(1).map(|at| self.signs[at].end);
        let start = last.unwrap_or(0).clamp(paragraph.start, paragraph.end);
        let rest = &self.text[start..paragraph.end];
        let written = rest.trim();
        let start = start + (rest.len() - rest.trim_start().len());
        (!written.is_empty()).then(|| start..start + written.len())
    }
}

impl WordDiff {
    /// How much of both texts is in common, from 0 to 1: twice the words that were found in the
    /// other text, divided by the words of both: the ratio of Python's `difflib` over words, which
    /// can find fewer of them, and finds no moved paragraphs. `None` where there are no words.
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
    let moved = |side| aligned.moves.of_side(side, &sides);
    let bytes = |side: usize, at: usize| sides[side].paragraphs[at].bytes.clone();
    let pairs = aligned.moves.pairs.iter();
    Some(WordDiff {
        matches: aligned.matches(),
        pairs: pairs.map(|[p, q]| [bytes(0, *p), bytes(1, *q)]).collect(),
        is_rough: aligned.is_rough,
        sides: [
            DiffSide {
                words: sides[0].words.len(),
                marks: of_a,
                moved: moved(0),
            },
            DiffSide {
                words: sides[1].words.len(),
                marks: of_b,
                moved: moved(1),
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
    /// The place of its block.
    block: usize,
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
        let mut signs = text.signs.iter().peekable();
        for bytes in &text.paragraphs {
            let first = cut.words.len();
            for (at, word) in text.text[bytes.clone()].unicode_word_indices() {
                let range = bytes.start + at..bytes.start + at + word.len();
                while signs.next_if(|sign| sign.end <= range.start).is_some() {}
                if signs.peek().is_some_and(|sign| sign.start < range.end) {
                    continue;
                }
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
                let block = text.blocks.partition_point(|start| *start <= bytes.start);
                let bytes = bytes.clone();
                cut.paragraphs.push(DiffParagraph {
                    bytes,
                    block,
                    words,
                });
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

    fn said_in(&self, paragraph: usize) -> &[u32] {
        &self.ids[self.paragraphs[paragraph].words.clone()]
    }
}

/// Which word of one text is which of the other.
#[derive(Debug)]
struct Alignment {
    /// For each word of a text the word of the other one, or [`NONE`].
    partners: [Vec<u32>; 2],
    moves: Moves,
    is_rough: bool,
}

impl Alignment {
    fn of(sides: &[DiffWords; 2], until: Instant, wanted: &dyn Fn() -> bool) -> Option<Self> {
        let mut aligned = Self {
            partners: [0, 1].map(|side: usize| vec![NONE; sides[side].words.len()]),
            moves: Moves::default(),
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
        if !wanted() {
            return None;
        }
        let mut moves = Moves::in_place(sides, &aligned.partners[0]);
        let within = (!aligned.is_rough).then_some(until);
        for [p, q] in moves.find(sides, within, wanted)? {
            let [of_a, of_b] = [&a.paragraphs[p].words, &b.paragraphs[q].words];
            aligned.part(0, of_a);
            aligned.part(1, of_b);
            for [from, to] in same_in_place(a.said_in(p), b.said_in(q), Instant::now() + ROUGH) {
                let of = |base: usize, range: Range<usize>| base + range.start..base + range.end;
                aligned.join(of(of_a.start, from), of(of_b.start, to));
            }
        }
        aligned.moves = moves;
        wanted().then_some(aligned)
    }

    fn join(&mut self, from: Range<usize>, to: Range<usize>) {
        for (a, b) in from.zip(to) {
            (self.partners[0][a], self.partners[1][b]) = (b as u32, a as u32);
        }
    }

    /// The words of a text have no partners any more, and neither have those that were.
    fn part(&mut self, side: usize, words: &Range<usize>) {
        for word in words.clone() {
            let other = std::mem::replace(&mut self.partners[side][word], NONE);
            if let Some(back) = self.partners[1 - side].get_mut(other as usize) {
                *back = NONE;
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

/// The characters between two words of a paragraph that are neither blanks nor signs of the layout;
/// for no word, those to the paragraph's end.
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
    let first = text.signs.partition_point(|sign| sign.end <= start);
    let signs = text.signs[first..].iter();
    let signs: Vec<_> = signs.take_while(|sign| sign.start < end).collect();
    let gap = text.text.get(start..end).unwrap_or_default();
    gap.char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .map(|(at, c)| start + at..start + at + c.len_utf8())
        .filter(|range| !signs.iter().any(|sign| sign.contains(&range.start)))
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
        let is_plain = |at: usize| {
            let around = &self.text.as_bytes()[at.saturating_sub(1)..(at + 1).min(self.text.len())];
            around.is_ascii()
        };
        let start = match is_plain(range.start) {
            true => range.start,
            false => grapheme_start(self.text, range.start),
        };
        let end = match is_plain(range.end) {
            true => range.end,
            false => grapheme_end(self.text, range.end),
        };
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
