//! Samples → a segment.

use std::ops::Range;

use super::segment::{PLACES, PROMPT, QUOTE, RESPONSE, Segment, WHERE};
use super::vocabulary::{Vocabulary, Words};
use crate::dataset::Dataset;
use crate::schema::Passage;
use crate::text::{self, Folding, is_spaceless, letters};

/// Takes in the words of some samples, one sample after the other.
#[derive(Debug)]
pub(super) struct Builder {
    samples: Range<usize>,
    /// Samples that were taken in.
    taken: usize,
    /// Words as written.
    forms: Vocabulary,
    /// Of each sample, the words that it has and where, in the order in which they first come; each word knows its last one.
    entries: Vec<u32>,
    ends: Vec<usize>,
    scratch: String,
}

/// Bytes after which a segment ends early: its words are counted in 32 bits.
const MOST_BYTES: usize = 1 << 28;

impl Builder {
    pub(super) fn new(samples: Range<usize>) -> Self {
        let ends = Vec::with_capacity(samples.len());
        Self { samples, taken: 0, forms: Vocabulary::new(), entries: Vec::new(), ends, scratch: String::new() }
    }

    /// Takes in the next samples; gives whether that was the last of them.
    pub(super) fn take(&mut self, dataset: &Dataset, most: usize) -> bool {
        let start = self.samples.start + self.taken;
        let end = self.samples.end.min(start + most);
        let mut scratch = std::mem::take(&mut self.scratch);
        dataset.sweep(start..end, &|_| true, &mut |sample, rows| {
            // A file that shrank may have left some out: they have no words.
            self.end_before(sample - self.samples.start);
            rows.texts(&mut scratch, &mut |passage, text| self.text(text, place(passage)));
        });
        self.scratch = scratch;
        self.taken = end - self.samples.start;
        self.end_before(self.taken);
        if self.forms.words.bytes() + self.entries.len() * size_of::<u32>() > MOST_BYTES {
            self.samples.end = end;
        }
        end == self.samples.end
    }

    /// Ends the samples before this one.
    fn end_before(&mut self, sample: usize) {
        self.ends.resize(sample.max(self.ends.len()), self.entries.len());
    }

    fn text(&mut self, text: &str, place: u32) {
        let before = self.ends.last().copied().unwrap_or(0);
        text::words(text, |word| {
            let (number, last) = self.forms.number(text, word);
            if *last as usize > before {
                self.entries[*last as usize - 1] |= place;
            } else {
                self.entries.push(number << WHERE | place);
                *last = self.entries.len() as u32;
            }
        });
    }

    /// Makes a segment of what was taken in, which is none of the builder's any more.
    pub(super) fn seal(&mut self) -> Segment {
        let forms = std::mem::replace(&mut self.forms, Vocabulary::new()).words;
        let mut folded = Vocabulary::new();
        let word_of: Vec<_> = (0..forms.len())
            .map(|form| {
                let word = fold(forms.get(form));
                folded.number(&word, 0..word.len()).0 as usize
            })
            .collect();
        let mut folded = folded.words;
        folded.shrink();
        let (order, form_ends) = grouped(&word_of, folded.len());
        let (postings, ends) = self.postings(&order);
        let mut written = Words::default();
        for &form in &order {
            let form_as_written = forms.get(form as usize);
            let same = form_as_written == folded.get(word_of[form as usize]);
            written.push(if same { "" } else { form_as_written });
        }
        written.shrink();
        let letters = (0..folded.len()).map(|word| letters(folded.get(word))).collect();
        Segment { samples: self.samples.clone(), words: folded, letters, form_ends, written, postings, ends }
    }

    /// The samples of each form, forms in this order: as numbers of a few bytes, and where each form's end.
    fn postings(&mut self, order: &[u32]) -> (Vec<u8>, Vec<u32>) {
        let entries = std::mem::take(&mut self.entries);
        let mut counts = vec![0_u32; order.len()];
        entries.iter().for_each(|entry| counts[(entry >> WHERE) as usize] += 1);
        // Where the next sample of each form comes to stand, in the order of the forms as they came.
        let mut next = Vec::with_capacity(counts.len());
        let mut sum = 0;
        for count in &counts {
            next.push(sum);
            sum += count;
        }
        let mut placed = vec![0_u32; entries.len()];
        let mut start = 0;
        for (sample, &end) in self.ends.iter().enumerate() {
            for entry in &entries[start..end] {
                let next = &mut next[(entry >> WHERE) as usize];
                placed[*next as usize] = (sample as u32) << WHERE | entry & PLACES;
                *next += 1;
            }
            start = end;
        }
        let (mut bytes, mut ends) = (Vec::with_capacity(entries.len() + entries.len() / 4), Vec::new());
        for &form in order {
            let end = next[form as usize];
            let mut before = 0;
            for &posting in &placed[(end - counts[form as usize]) as usize..end as usize] {
                put(posting - before, &mut bytes);
                before = posting & !PLACES;
            }
            ends.push(bytes.len() as u32);
        }
        bytes.shrink_to_fit();
        (bytes, ends)
    }
}

/// Where a text stands, as bits; none of them is a malformed row.
fn place(passage: Option<Passage>) -> u32 {
    match passage {
        Some(Passage::Prompt) => PROMPT,
        Some(Passage::Response(_)) => RESPONSE,
        Some(Passage::Quote(_) | Passage::QuoteTitle(_)) => QUOTE,
        None => 0,
    }
}

/// A word as it is compared. Of scripts without blanks only the character itself counts, whatever stands on it.
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
