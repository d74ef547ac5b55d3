//! Building a segment of the index from samples.

use std::cell::Cell;
use std::ops::Range;

use super::segment::{PLACES, Segment, WHERE};
use super::vocabulary::{Vocabulary, WordArena};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;
use crate::schema::TextKinds;
use crate::text::{self, Folding, is_spaceless, letters};

/// Collects the words of consecutive samples. Its memory is reused for the next segment.
#[derive(Debug, Default)]
pub(super) struct SegmentBuilder {
    /// Words as written.
    forms: Vocabulary,
    /// Words as compared.
    words: Vocabulary,
    /// The number of each form's word.
    word_of: Vec<u32>,
    /// The words of each sample with their places, in order of first occurrence; `forms` stores the
    /// last entry of each word.
    entries: Vec<u32>,
    /// Number of used entries; the others are 0.
    count: usize,
    /// End of each sample's entries.
    ends: Vec<u32>,
    /// State per form while postings are written.
    cursors: Vec<PostingCursor>,
}

/// Where the next posting of a form is written, and the sample of its last one.
#[derive(Debug, Clone, Copy, Default)]
struct PostingCursor {
    at: u32,
    before: u32,
}

/// Initial capacity of the entries.
const FIRST_ENTRIES: usize = 1 << 12;
/// Iterations between checks for cancellation: well below a millisecond.
const STEP: usize = 512;
/// Bytes of a form without its spelling: its word's number and its cursor (lists may have double
/// capacity), its place in the order, the end of its word's forms, its letters, the end of its
/// postings, and their third bytes, at most eight per form in a segment.
const FORM_BYTES: usize = 2 * (4 + 8) + 4 + 4 + 8 + 4 + 8;
/// Bytes of a posting without a third byte.
const POSTING_BYTES: usize = 2;

impl SegmentBuilder {
    /// Builds a segment of as many samples as fit into `most_bytes` together with the builder, at
    /// least one. Returns `None` if cancelled.
    pub(super) fn build(
        &mut self,
        samples: Range<usize>,
        most_bytes: usize,
        dataset: &Dataset,
        keep_going: &dyn KeepGoing,
    ) -> Option<Segment> {
        // Lists that grew for earlier samples would leave too little room.
        if self.bytes() > most_bytes / 2 {
            *self = Self::default();
        }
        self.forms.clear();
        self.entries[..self.count].fill(0);
        self.count = 0;
        self.ends.clear();
        let samples = self.collect_words(samples, most_bytes, dataset, keep_going);
        self.finish(samples, keep_going)
    }

    /// Collects the words of the samples; returns the range that fit.
    fn collect_words(
        &mut self,
        samples: Range<usize>,
        most_bytes: usize,
        dataset: &Dataset,
        keep_going: &dyn KeepGoing,
    ) -> Range<usize> {
        let (start, mut scratch) = (samples.start, String::new());
        let end = Cell::new(samples.end);
        let go_on = |sample| sample < end.get() && keep_going();
        dataset.for_each_sample(samples, &go_on, &mut |sample, rows| {
            // Samples may be read ahead.
            if sample >= end.get() {
                return;
            }
            // Samples missing from a truncated file have no words.
            self.end_before(sample - start);
            rows.for_each_text(TextKinds::all(), &mut scratch, &mut |of, text| {
                self.text(text, place(of.kind));
            });
            if self.peak() > most_bytes {
                end.set(sample + 1);
            }
        });
        self.end_before(end.get() - start);
        start..end.get()
    }

    /// Returns the most bytes that it and the segment can need with another sample, if each form is
    /// a distinct word.
    fn peak(&self) -> usize {
        let forms = &self.forms.words;
        let words = 2 * forms.used() + Vocabulary::slot_bytes(forms.len());
        // Growing a list temporarily needs the old and the double size.
        let grows = self.count + self.count / 4 > self.entries.len();
        let entries = usize::from(grows) * 2 * self.entries.len() * size_of::<u32>();
        self.bytes()
            + self.forms.growth()
            + entries
            + words.saturating_sub(self.words.bytes())
            + 4 * forms.used()
            + forms.len() * FORM_BYTES
            + self.count * POSTING_BYTES
    }

    /// Returns its size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.entries.capacity() + self.ends.capacity() + self.word_of.capacity();
        self.forms.bytes()
            + self.words.bytes()
            + numbers * size_of::<u32>()
            + self.cursors.capacity() * size_of::<PostingCursor>()
    }

    /// Ends the samples before this one.
    fn end_before(&mut self, sample: usize) {
        self.ends
            .resize(sample.max(self.ends.len()), self.count as u32);
    }

    fn text(&mut self, text: &str, place: u32) {
        let before = self.ends.last().copied().unwrap_or(0);
        text::words(text, |word| {
            let (number, last) = self.forms.number(text, word);
            if self.count == self.entries.len() {
                self.entries.resize((2 * self.count).max(FIRST_ENTRIES), 0);
            }
            // Written without a branch: whether the sample has the word already is unpredictable.
            let at = if *last > before {
                *last as usize - 1
            } else {
                self.count
            };
            self.entries[at] |= number << WHERE | place;
            self.count = self.count.max(at + 1);
            *last = at as u32 + 1;
        });
    }

    /// Builds the segment, with lists of exact capacity; `None` if cancelled.
    fn finish(&mut self, samples: Range<usize>, keep_going: &dyn KeepGoing) -> Option<Segment> {
        let forms = &self.forms.words;
        self.words.clear();
        self.word_of.clear();
        for form in 0..forms.len() {
            if form % STEP == 0 && !keep_going() {
                return None;
            }
            let word = fold(forms.get(form));
            self.word_of.push(self.words.number(&word, 0..word.len()).0);
        }
        let words = &self.words.words;
        let (order, form_ends) = grouped(&self.word_of, words.len());
        let mut written = WordArena::default();
        for &form in &order {
            let as_written = forms.get(form as usize);
            let same = as_written == words.get(self.word_of[form as usize] as usize);
            written.push(if same { "" } else { as_written });
        }
        // Cloning drops spare capacity.
        let written = written.clone();
        let letters = (0..words.len()).map(|word| letters(words.get(word)));
        let (letters, words) = (letters.collect(), words.clone());
        let (postings, ends) = self.postings(&order, keep_going)?;
        Some(Segment {
            samples,
            words,
            letters,
            form_ends,
            written,
            postings,
            ends,
        })
    }

    /// Encodes the postings of each form in `order`, and returns the bytes with the end of each
    /// form; `None` if cancelled.
    fn postings(
        &mut self,
        order: &[u32],
        keep_going: &dyn KeepGoing,
    ) -> Option<(Vec<u8>, Vec<u32>)> {
        self.cursors.clear();
        self.cursors.resize(order.len(), PostingCursor::default());
        self.each_posting(keep_going, |cursor, number| {
            cursor.at += bytes_of(number);
        })?;
        let (mut end, mut ends) = (0, Vec::with_capacity(order.len()));
        for &form in order {
            let cursor = &mut self.cursors[form as usize];
            let at = std::mem::replace(&mut cursor.at, end);
            (end, cursor.before) = (end + at, 0);
            ends.push(end);
        }
        let mut bytes = vec![0; end as usize];
        self.each_posting(keep_going, |cursor, number| {
            put(number, &mut cursor.at, &mut bytes);
        })?;
        Some((bytes, ends))
    }

    /// Iterates over the postings by sample; each is the difference to the previous one of its
    /// form.
    fn each_posting(
        &mut self,
        keep_going: &dyn KeepGoing,
        mut show: impl FnMut(&mut PostingCursor, u32),
    ) -> Option<()> {
        let mut start = 0;
        for (sample, &end) in self.ends.iter().enumerate() {
            if sample % STEP == 0 && !keep_going() {
                return None;
            }
            let sample = (sample as u32) << WHERE;
            for entry in &self.entries[start..end as usize] {
                let cursor = &mut self.cursors[(entry >> WHERE) as usize];
                show(cursor, (sample | entry & PLACES) - cursor.before);
                cursor.before = sample;
            }
            start = end as usize;
        }
        Some(())
    }
}

/// Returns the place bits of a kind of text: a title counts as a quote, a malformed row has none.
fn place(kind: TextKinds) -> u32 {
    let kind = match kind {
        TextKinds::TITLE => TextKinds::QUOTE,
        kind => kind,
    };
    u32::from(kind.bits()) & PLACES
}

/// Folds a word. In scripts without blanks, only the base character counts.
fn fold(written: &str) -> std::borrow::Cow<'_, str> {
    let folded = Folding::LOOSE.fold(written);
    match folded.chars().next().filter(|c| is_spaceless(*c)) {
        Some(c) => c.to_string().into(),
        None => folded,
    }
}

/// Groups forms by word; returns their order and the end of each group.
fn grouped(word_of: &[u32], words: usize) -> (Vec<u32>, Vec<u32>) {
    let mut ends = vec![0_u32; words];
    word_of.iter().for_each(|&word| ends[word as usize] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut order = vec![0; word_of.len()];
    for (form, &word) in word_of.iter().enumerate() {
        let end = &mut ends[word as usize];
        order[*end as usize] = form as u32;
        *end += 1;
    }
    (order, ends)
}

/// Returns the encoded size of a number, at seven bits per byte.
fn bytes_of(number: u32) -> u32 {
    (u32::BITS - (number | 1).leading_zeros()).div_ceil(7)
}

/// Writes a number in as few bytes as possible, lowest first, and advances `at`.
fn put(mut number: u32, at: &mut u32, bytes: &mut [u8]) {
    while number >= 0x80 {
        bytes[*at as usize] = number as u8 | 0x80;
        *at += 1;
        number >>= 7;
    }
    bytes[*at as usize] = number as u8;
    *at += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::dataset;

    /// Samples with many words, some of them unique.
    fn long_samples(count: usize) -> Dataset {
        let row = |number: usize| {
            let words =
                (0..200).map(|word| format!("w{} W{}", word % 90, number * 7 + word * word));
            let words = words.collect::<Vec<_>>().join(" ");
            format!(
                r#"{{"prompt": "p{number}", "response": "{words}", "helpfulness": 1, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1}}"#
            )
        };
        dataset(&[(0..count).map(row).collect::<Vec<_>>().join("\n")])
    }

    #[test]
    fn a_builder_and_its_segment_keep_to_their_bound() {
        let dataset = long_samples(3000);
        let mut before = 1;
        for most_bytes in [1 << 20, 4 << 20, 64 << 20] {
            let (mut builder, mut at, mut sizes) = (SegmentBuilder::default(), 0, Vec::new());
            while at < dataset.samples() {
                let samples = at..dataset.samples();
                let built = builder.build(samples, most_bytes, &dataset, &|| true);
                let segment = built.expect("not cancelled");
                assert_eq!(segment.samples().start, at);
                at = segment.samples().end;
                sizes.push(segment.samples().len());
                let taken = builder.bytes() + segment.bytes();
                assert!(taken <= most_bytes, "{taken} of {most_bytes}");
            }
            // Reused memory must not make segments smaller.
            sizes.pop();
            let (least, most) = (sizes.iter().min(), sizes.iter().max());
            let least = *least.unwrap_or(&3000);
            assert!(
                least > before && least * 4 >= *most.unwrap_or(&3000),
                "{sizes:?}"
            );
            before = least;
        }
    }

    #[test]
    fn a_segment_has_no_room_that_it_does_not_need() {
        let dataset = long_samples(100);
        let built = SegmentBuilder::default().build(0..100, usize::MAX, &dataset, &|| true);
        let segment = built.expect("not cancelled");
        let lists = [&segment.form_ends, &segment.ends];
        for list in lists {
            assert_eq!(list.capacity(), list.len());
        }
        assert_eq!(segment.letters.capacity(), segment.letters.len());
        assert_eq!(segment.postings.capacity(), segment.postings.len());
        let used = segment.words.used() + segment.written.used();
        assert_eq!(segment.words.bytes() + segment.written.bytes(), used);
        let forms = segment.ends.len();
        assert!(segment.bytes() > used + segment.postings.len() + forms * size_of::<u32>());
    }

    #[test]
    fn numbers_take_as_many_bytes_as_were_counted() {
        for number in [
            0,
            1,
            0x7f,
            0x80,
            0x3fff,
            0x4000,
            0x1f_ffff,
            0x20_0000,
            u32::MAX,
        ] {
            let (mut at, mut bytes) = (0, [0; 5]);
            put(number, &mut at, &mut bytes);
            assert_eq!(at, bytes_of(number), "{number:#x}");
        }
    }
}
