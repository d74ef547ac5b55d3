//! What only the rows themselves can tell: texts, code, hidden characters, citations.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::block::SampleBlock;
use super::facts::passes;
use super::scan_cache::{CachedAnswers, ScanCache};
use crate::dataset::{
    Buffers, ChunkColumns, Dataset, LoadedSample, RowAnswer, RowPredicate, SampleBody, ScannedRows,
};
use crate::query::ast::{Aggregate, CitationTest, Feature, Pattern, TextTarget, WordTest};
use crate::schema::{CapturedRow, RowText, SpelledText};
use crate::table::ColumnId;
use crate::text::{self, Finder, Phrase, RawMatch, TextRegex};
use crate::tokens;

/// A question to rows; what is made of the answers for each response is another matter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowTest {
    /// Whether a text is there.
    Text(TextScope, Pattern),
    /// `has:`
    Has(Feature),
    /// `cite:`
    Cites(CitationTest),
    /// What a fact, by its name, says that has too many different words for a column.
    Fact(ColumnId, WordTest),
}

/// Which texts of a sample are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextScope {
    All,
    Prompt,
    Response,
    Quote,
    Title,
    Rationale,
}

impl TextScope {
    /// The texts that a part of a sample has, and the response that it speaks of.
    pub(super) fn of(part: TextTarget) -> (Self, Aggregate) {
        match part {
            TextTarget::Anywhere => (Self::All, Aggregate::Any),
            TextTarget::Prompt => (Self::Prompt, Aggregate::Any),
            TextTarget::Response(view) => (Self::Response, view),
            TextTarget::Quote(view) => (Self::Quote, view),
            TextTarget::Title(view) => (Self::Title, view),
            TextTarget::Rationale => (Self::Rationale, Aggregate::Any),
        }
    }

    fn has(self, passage: RowText) -> bool {
        match (self, passage) {
            (_, RowText::Rationale(_)) => self == Self::Rationale,
            (Self::All, _)
            | (Self::Prompt, RowText::Prompt(_))
            | (Self::Response, RowText::Response(_))
            | (Self::Quote, RowText::Quote(_))
            | (Self::Title, RowText::QuoteTitle(_)) => true,
            (Self::Prompt | Self::Response | Self::Quote | Self::Title | Self::Rationale, _) => {
                false
            }
        }
    }
}

/// A question made ready, with what is known of its answer already.
pub(super) struct PreparedRowTest {
    question: RowTest,
    /// Set if the question is about a text.
    text: Option<PushedRowTest>,
    learnt: std::sync::Arc<CachedAnswers>,
}

impl PreparedRowTest {
    pub(super) fn new(question: RowTest, memory: &ScanCache) -> Self {
        Self {
            text: PushedRowTest::new(question.clone()),
            learnt: memory.about(&question),
            question,
        }
    }

    pub(super) fn is(&self, question: &RowTest) -> bool {
        self.question == *question
    }

    /// Whether it asks what one text says, whatever else the row has.
    fn is_of_texts(&self) -> bool {
        match &self.question {
            RowTest::Text(..) | RowTest::Cites(_) => true,
            RowTest::Has(feature) => matches!(feature, Feature::Code | Feature::Hidden),
            RowTest::Fact(..) => false,
        }
    }

    /// Answers for the samples of a block that are `wanted`; of the others, what is known.
    pub(super) fn answer(&self, block: &SampleBlock<'_>, wanted: &[bool]) -> Vec<RowAnswer> {
        let samples = block.samples();
        let mut answers = vec![RowAnswer::default(); block.len()];
        self.learnt.recall(samples.start, &mut answers);
        let unknown: Vec<_> = answers
            .iter()
            .zip(wanted)
            .map(|(answer, wanted)| *wanted && !answer.is_known())
            .collect();
        if unknown.contains(&true) {
            let mut scratch = String::new();
            let first = samples.start;
            block.dataset.sweep(
                samples,
                &|sample| unknown[sample - first] && (block.wanted)(),
                &mut |sample, rows| {
                    // Some were read ahead. What nobody looked at stays unknown.
                    if !(block.wanted)() {
                        return;
                    }
                    let found = self.look(&rows, block, sample - first, &mut scratch);
                    // A look that was broken off is none.
                    if (block.wanted)() {
                        answers[sample - first] = found.with(RowAnswer::KNOWN);
                    }
                },
            );
            self.learnt.keep(first, &answers);
        }
        answers
    }

    /// What a sample says.
    fn look(
        &self,
        rows: &ScannedRows<'_>,
        block: &SampleBlock<'_>,
        sample: usize,
        scratch: &mut String,
    ) -> RowAnswer {
        if let RowTest::Fact(of, test) = &self.question {
            return if passes(rows.fact(of.name).as_deref(), test) {
                RowAnswer::SHARED
            } else {
                RowAnswer::default()
            };
        }
        if self.question == RowTest::Has(Feature::OtherTokens) {
            return block.other_tokens(sample);
        }
        if let Some(test) = &self.text {
            let may_have = |line: &&[u8]| test.finder.may_be_in(line);
            return match rows.is_verbatim() && !rows.lines().iter().any(may_have) {
                true => RowAnswer::default(),
                false => rows.answer(test, scratch),
            };
        }
        let mut found = RowAnswer::default();
        rows.texts(scratch, &mut |passage, words| {
            let of = about(passage);
            let quotes = |at: usize| block.quotes(at, sample);
            if !found.has(of) && self.says(passage, words, &quotes) {
                found = found.with(of);
            }
        });
        found
    }

    /// Whether a text answers the question; `None` is a malformed row. `quotes` tells how many
    /// quotes a response has.
    fn says(
        &self,
        passage: Option<RowText>,
        words: &str,
        quotes: &dyn Fn(usize) -> Option<usize>,
    ) -> bool {
        let response = match passage {
            Some(RowText::Response(at)) => Some(at),
            _ => None,
        };
        match &self.question {
            RowTest::Text(..) => {
                let test = self.text.as_ref();
                test.is_some_and(|test| test.has(passage, words))
            }
            RowTest::Has(Feature::Code) => response.is_some() && text::has_code(words),
            // Of a response, with its quotes: what a prompt hides is not its own.
            RowTest::Has(Feature::Hidden) => {
                !matches!(
                    passage,
                    None | Some(RowText::Prompt(_) | RowText::Rationale(_))
                ) && text::hides(words)
            }
            RowTest::Cites(citing) => response.is_some_and(|at| cites(words, *citing, quotes(at))),
            // Notes and tags are no rows' to tell.
            RowTest::Has(Feature::Note | Feature::Tag | Feature::OtherTokens)
            | RowTest::Fact(..) => false,
        }
    }
}

/// A question about the texts of a row, answered without decoding those whose spelling decides it:
/// while rows are scanned, or when they are read again.
#[derive(Debug)]
pub struct PushedRowTest {
    question: RowTest,
    finder: Finder,
}

impl PushedRowTest {
    /// Returns `None` for a question about anything else, and for a pattern that does not compile.
    fn new(question: RowTest) -> Option<Self> {
        let RowTest::Text(_, pattern) = &question else {
            return None;
        };
        let finder = finder(pattern)?;
        Some(Self { question, finder })
    }

    /// Returns `None` for a question that cannot be put to a row without knowing more.
    pub(super) fn of(question: RowTest) -> Option<Self> {
        Self::can_ask(&question).then(|| Self::new(question))?
    }

    /// Whether a question can be put to a row without knowing more, if its pattern compiles.
    pub(super) fn can_ask(question: &RowTest) -> bool {
        // What is written about a sample can stand on any of its rows.
        matches!(question, RowTest::Text(scope, _) if *scope != TextScope::Rationale)
    }

    /// Keeps what rows answered while they were scanned, for those who ask the samples.
    pub fn keep(&self, dataset: &Dataset, memory: &ScanCache) {
        memory.about(&self.question).keep(0, &dataset.row_answers());
    }

    fn has(&self, passage: Option<RowText>, text: &str) -> bool {
        is_in_scope(&self.question, passage) && self.finder.is_in(text)
    }
}

impl RowPredicate for PushedRowTest {
    fn of_row(
        &self,
        row: &CapturedRow<'_, '_>,
        same_prompt: Option<RowAnswer>,
        scratch: &mut String,
    ) -> RowAnswer {
        let found = Cell::new(RowAnswer::default());
        let add = |of: RowAnswer| found.set(found.get().with(of));
        let may_have = |text: &SpelledText<'_>| {
            let of = about(Some(text.of));
            if found.get().has(of) || !is_in_scope(&self.question, Some(text.of)) {
                return false;
            }
            if let Some(answer) = same_prompt.filter(|_| matches!(text.of, RowText::Prompt(_))) {
                if answer.is_shared() {
                    add(RowAnswer::SHARED);
                }
                return false;
            }
            match self.finder.raw_match(text.spelling.as_bytes()) {
                RawMatch::None => false,
                RawMatch::Certain if text.is_whole() => {
                    add(of);
                    false
                }
                RawMatch::Certain | RawMatch::Possible => true,
            }
        };
        row.texts_where(scratch, &may_have, &mut |passage, text| {
            let of = about(Some(passage));
            if !found.get().has(of) && self.has(Some(passage), text) {
                add(of);
            }
        });
        found.get()
    }

    fn of_malformed(&self, line: &[u8]) -> RowAnswer {
        match self.has(None, &String::from_utf8_lossy(line)) {
            true => about(None),
            false => RowAnswer::default(),
        }
    }
}

/// Whether a question to texts is put to this one; `None` is a malformed row.
fn is_in_scope(question: &RowTest, passage: Option<RowText>) -> bool {
    let RowTest::Text(scope, _) = question else {
        return false;
    };
    passage.map_or(*scope == TextScope::All, |passage| scope.has(passage))
}

/// The answer that something holds for what a text belongs to.
const fn about(passage: Option<RowText>) -> RowAnswer {
    match passage {
        // A malformed row is looked at as a whole, or not at all.
        None | Some(RowText::Prompt(_) | RowText::Rationale(_)) => RowAnswer::SHARED,
        Some(RowText::Response(at) | RowText::QuoteTitle(at) | RowText::Quote(at)) => {
            RowAnswer::of(at)
        }
    }
}

/// A pattern made ready; `None` for one that does not compile, which the parser has told: it
/// matches nothing.
pub(super) fn finder(pattern: &Pattern) -> Option<Finder> {
    match pattern {
        Pattern::Phrase(phrase) => Some(Finder::Phrase(Box::new(Phrase::new(phrase)))),
        Pattern::Regex(source) => {
            let regex = TextRegex::new(source).ok()?;
            Some(Finder::Regex(Box::new(regex)))
        }
    }
}

impl SampleBlock<'_> {
    /// The responses of a sample whose completion tokens, decoded, are not their text, blanks at both
    /// ends aside.
    fn other_tokens(&self, sample: usize) -> RowAnswer {
        let mut buffers = Buffers::default();
        let number = self.samples().start + sample;
        let loaded = (self.dataset).read_while(number, &mut buffers, self.wanted);
        let Some(LoadedSample {
            body: SampleBody::Sample(sample),
            ..
        }) = &loaded
        else {
            return RowAnswer::default();
        };
        let mut found = RowAnswer::default();
        for (place, response) in sample.responses.iter().enumerate() {
            let Some(tokens) = response.tokens.filter(|tokens| tokens.completion.count > 0) else {
                continue;
            };
            // A longer text is another one whatever its rest is.
            let most = response.text.len() + 64;
            let decoded = tokens::decode_while(tokens.completion.ids(), most, self.wanted);
            let is_answer =
                decoded.is_some_and(|decoded| decoded.text.trim() == response.text.trim());
            if !is_answer {
                found = found.with(RowAnswer::of(place));
            }
        }
        found
    }

    /// How many quotes a response has, by its place; `None` where the schema has none.
    fn quotes(&self, response: usize, sample: usize) -> Option<usize> {
        quotes(self.columns(), response, self.within.start + sample)
    }
}

/// How many quotes a response has, by its place and that of its sample in the chunk.
fn quotes(columns: &ChunkColumns, response: usize, within: usize) -> Option<usize> {
    let quotes = columns.numbers(ColumnId::QUOTES)?;
    Some(quotes.get(response)?.get(within)? as usize)
}

/// What is asked of the texts of consecutive samples while they are read for other reasons too.
pub(super) struct SeenTexts<'t> {
    dataset: &'t Dataset,
    samples: Range<usize>,
    /// Tests with their answers, one a sample.
    asked: Vec<(&'t PreparedRowTest, Vec<AtomicU32>)>,
    /// The same tests again, with the place of the first.
    again: Vec<(&'t PreparedRowTest, usize)>,
}

impl<'t> SeenTexts<'t> {
    /// `None` where nothing is asked of texts.
    pub(super) fn of(
        dataset: &'t Dataset,
        samples: Range<usize>,
        tests: impl Iterator<Item = &'t PreparedRowTest>,
    ) -> Option<Self> {
        let (mut asked, mut again): (Vec<(&PreparedRowTest, _)>, Vec<_>) = Default::default();
        for test in tests.filter(|test| test.is_of_texts()) {
            match asked.iter().position(|(known, _)| known.is(&test.question)) {
                Some(place) => again.push((test, place)),
                None => {
                    let answers = samples.clone().map(|_| AtomicU32::default());
                    asked.push((test, answers.collect()));
                }
            }
        }
        (!asked.is_empty()).then_some(Self {
            dataset,
            samples,
            asked,
            again,
        })
    }

    /// Looks at a text of a sample; `None` is a malformed row.
    pub(super) fn see(&self, sample: usize, passage: Option<RowText>, text: &str) {
        let of = about(passage);
        let quotes = |response: usize| {
            let (chunk, within) = self.dataset.chunk_of(sample)?;
            quotes(chunk.columns(), response, within)
        };
        for (test, answers) in &self.asked {
            let answer = sample.checked_sub(self.samples.start);
            let Some(answer) = answer.and_then(|at| answers.get(at)) else {
                continue;
            };
            // One thread reads a sample.
            let known = RowAnswer::of_bits(answer.load(Ordering::Relaxed));
            if !known.has(of) && test.says(passage, text, &quotes) {
                answer.store(known.with(of).bits(), Ordering::Relaxed);
            }
        }
    }

    /// Keeps the answers, of all samples that it is about, for those who ask later.
    pub(super) fn keep(self) {
        let known = |answers: &[AtomicU32]| -> Vec<RowAnswer> {
            let answers = answers.iter().map(|answer| answer.load(Ordering::Relaxed));
            answers
                .map(|answer| RowAnswer::of_bits(answer).with(RowAnswer::KNOWN))
                .collect()
        };
        let answers: Vec<_> = self
            .asked
            .iter()
            .map(|(_, answers)| known(answers))
            .collect();
        let first = self.samples.start;
        for ((test, _), answers) in self.asked.iter().zip(&answers) {
            test.learnt.keep(first, answers);
        }
        for (test, place) in self.again {
            test.learnt.keep(first, &answers[place]);
        }
    }
}

fn cites(answer: &str, asked: CitationTest, quotes: Option<usize>) -> bool {
    let Some(quotes) = quotes else { return false };
    let citing = text::citing(answer, quotes);
    match asked {
        CitationTest::Dangling => !citing.dangling.is_empty(),
        CitationTest::Unused => !citing.unused.is_empty(),
    }
}
