//! Samples → a segment.

use std::cell::Cell;
use std::ops::Range;

use super::segment::{PLACES, PROMPT, QUOTE, RATIONALE, RESPONSE, Segment, WHERE};
use super::vocabulary::{Vocabulary, WordArena};
use crate::dataset::Dataset;
use crate::schema::RowText;
use crate::text::{self, Folding, is_spaceless, letters};

/// Segments of these samples, the first of them if there is no room for all; `None` when they are
/// not wanted any more.
pub(super) fn segments(
    mut samples: Range<usize>,
    dataset: &Dataset,
    room: usize,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Segment>> {
    let (mut segments, mut bytes) = (Vec::new(), 0);
    while !samples.is_empty() && bytes <= room {
        let mut builder = SegmentBuilder::new(samples.clone());
        builder.take(dataset, wanted);
        let segment = builder.seal(wanted)?;
        samples.start = segment.samples.end;
        bytes += segment.bytes();
        segments.push(segment);
    }
    Some(segments)
}

/// Takes in the words of some samples, one sample after the other.
#[derive(Debug)]
struct SegmentBuilder {
    samples: Range<usize>,
    /// Words as written.
    forms: Vocabulary,
    /// Of each sample, the words that it has and where, in the order in which they first come; each
    /// word knows its last one.
    entries: Vec<u32>,
    /// How many of the entries there are; those behind are 0.
    count: usize,
    ends: Vec<usize>,
}

/// Bytes after which a segment ends early: long samples have many words. To seal it takes nearly as
/// much again.
const MOST_BYTES: usize = 32 << 20;
/// Room for entries at first.
const FIRST_ENTRIES: usize = 1 << 12;
/// Small things that are done between two looks at whether they are still wanted: well below a
/// millisecond.
const STEP: usize = 512;

impl SegmentBuilder {
    fn new(samples: Range<usize>) -> Self {
        let ends = Vec::with_capacity(samples.len());
        Self {
            samples,
            forms: Vocabulary::new(),
            entries: Vec::new(),
            count: 0,
            ends,
        }
    }

    /// Takes in the words of the samples, or of the first of them: as many as a segment should
    /// have.
    fn take(&mut self, dataset: &Dataset, wanted: &(dyn Fn() -> bool + Sync)) {
        let Range { start, end } = self.samples.clone();
        let (mut scratch, full) = (String::new(), Cell::new(None));
        let go_on = |_| full.get().is_none() && wanted();
        dataset.sweep(start..end, &go_on, &mut |sample, rows| {
            // A file that shrank may have left some out: they have no words.
            self.end_before(sample - start);
            rows.texts(&mut scratch, &mut |passage, text| {
                self.text(text, place(passage));
            });
            if self.bytes() > MOST_BYTES {
                full.set(Some(sample + 1));
            }
        });
        self.samples.end = full.get().unwrap_or(end);
        self.end_before(self.samples.len());
    }

    /// Bytes that it takes, or nearly so.
    fn bytes(&self) -> usize {
        self.forms.bytes() + self.entries.capacity() * size_of::<u32>()
    }

    /// Ends the samples before this one.
    fn end_before(&mut self, sample: usize) {
        self.ends.resize(sample.max(self.ends.len()), self.count);
    }

    fn text(&mut self, text: &str, place: u32) {
        self.words(text, place);
    }

    fn words(&mut self, text: &str, place: u32) {
        let before = self.ends.last().copied().unwrap_or(0);
        text::words(text, |word| {
            let (number, last) = self.forms.number(text, word);
            if self.count == self.entries.len() {
                self.entries.resize((2 * self.count).max(FIRST_ENTRIES), 0);
            }
            // Whether a sample had the word before is a coin's toss: both are done in the same way,
            // so that nothing need be guessed.
            let at = if *last as usize > before {
                *last as usize - 1
            } else {
                self.count
            };
            self.entries[at] |= number << WHERE | place;
            self.count = self.count.max(at + 1);
            *last = at as u32 + 1;
        });
    }

    /// Makes a segment of what was taken in; `None` when it is not wanted any more.
    fn seal(self, wanted: &(dyn Fn() -> bool + Sync)) -> Option<Segment> {
        let Self {
            samples,
            forms: Vocabulary { words: forms, .. },
            mut entries,
            count,
            ends,
        } = self;
        entries.truncate(count);
        let mut folded = Vocabulary::new();
        let mut word_of = Vec::with_capacity(forms.len());
        for form in 0..forms.len() {
            if form % STEP == 0 && !wanted() {
                return None;
            }
            let word = fold(forms.get(form));
            word_of.push(folded.number(&word, 0..word.len()).0 as usize);
        }
        let mut folded = folded.words;
        folded.shrink();
        let (order, form_ends) = grouped(&word_of, folded.len());
        let (postings, ends) = postings(entries, &ends, &order, wanted)?;
        let mut written = WordArena::default();
        for &form in &order {
            let form_as_written = forms.get(form as usize);
            let same = form_as_written == folded.get(word_of[form as usize]);
            written.push(if same { "" } else { form_as_written });
        }
        written.shrink();
        let letters = (0..folded.len())
            .map(|word| letters(folded.get(word)))
            .collect();
        Some(Segment {
            samples,
            words: folded,
            letters,
            form_ends,
            written,
            postings,
            ends,
        })
    }
}

/// The samples of each form, forms in this order: as numbers of a few bytes, and where each form's
/// end. `None` when they are not wanted any more.
fn postings(
    entries: Vec<u32>,
    ends: &[usize],
    order: &[u32],
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<u8>, Vec<u32>)> {
    let mut counts = vec![0_u32; order.len()];
    entries
        .iter()
        .for_each(|entry| counts[(entry >> WHERE) as usize] += 1);
    // Where the next sample of each form comes to stand, in the order of the forms as they came.
    let mut next = Vec::with_capacity(counts.len());
    let mut sum = 0;
    for count in &counts {
        next.push(sum);
        sum += count;
    }
    let mut placed = vec![0_u32; entries.len()];
    let mut start = 0;
    for (sample, &end) in ends.iter().enumerate() {
        if sample % STEP == 0 && !wanted() {
            return None;
        }
        for entry in &entries[start..end] {
            let next = &mut next[(entry >> WHERE) as usize];
            placed[*next as usize] = (sample as u32) << WHERE | entry & PLACES;
            *next += 1;
        }
        start = end;
    }
    let mut bytes = Vec::with_capacity(entries.len() + entries.len() / 4);
    drop(entries);
    let mut ends = Vec::with_capacity(order.len());
    for (number, &form) in order.iter().enumerate() {
        if number % STEP == 0 && !wanted() {
            return None;
        }
        let end = next[form as usize];
        let mut before = 0;
        for &posting in &placed[(end - counts[form as usize]) as usize..end as usize] {
            put(posting - before, &mut bytes);
            before = posting & !PLACES;
        }
        ends.push(bytes.len() as u32);
    }
    bytes.shrink_to_fit();
    Some((bytes, ends))
}

/// Where a text stands, as bits; none of them is a malformed row.
fn place(passage: Option<RowText>) -> u32 {
    match passage {
        Some(RowText::Prompt(_)) => PROMPT,
        Some(RowText::Response(_)) => RESPONSE,
        Some(RowText::Quote(_) | RowText::QuoteTitle(_)) => QUOTE,
        Some(RowText::Rationale(_)) => RATIONALE,
        None => 0,
    }
}

/// A word as it is compared. Of scripts without blanks only the character itself counts, whatever
/// stands on it.
fn fold(written: &str) -> std::borrow::Cow<'_, str> {
    let folded = Folding::LOOSE.fold(written);
    match folded.chars().next().filter(|c| is_spaceless(*c)) {
        Some(c) => c.to_string().into(),
        None => folded,
    }
}

/// Forms by the word that they are of, and where the forms of each word end.
fn grouped(word_of: &[usize], words: usize) -> (Vec<u32>, Vec<u32>) {
    let mut ends = vec![0_u32; words];
    word_of.iter().for_each(|&word| ends[word] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut order = vec![0; word_of.len()];
    for (form, &word) in word_of.iter().enumerate() {
        order[ends[word] as usize] = form as u32;
        ends[word] += 1;
    }
    (order, ends)
}

/// Writes a number in as many bytes as it needs, seven bits each, the lowest first.
fn put(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
