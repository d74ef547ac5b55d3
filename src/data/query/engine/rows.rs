//! Tests that need the rows: texts, code, hidden characters, citations.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::block::SampleBlock;
use super::facts::passes;
use crate::dataset::{Dataset, ResponseMask, ResponseMaskBuilder, RowPredicate, ScannedRows};
use crate::parallel::locked;
use crate::query::ast::{Aggregate, Pattern, TextFlag, TextTarget, WordTest};
use crate::schema::{CapturedRow, RawText, RowText, TextKinds, TextVisitor};
use crate::table::ColumnId;
use crate::text::{self, Finder, Phrase, TextRegex};

/// A test of rows. Its answers per response are combined elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowQuestion {
    /// A text of these kinds matches.
    Text(TextKinds, Pattern),
    /// A response has this.
    Has(TextFlag),
    /// A test of a fact that has too many distinct words for a column.
    Fact(ColumnId, WordTest),
}

/// Returns the kinds of texts and the aggregate of a text target. A bare text does not search what
/// is hidden from a blind reviewer.
pub(super) fn scope(part: TextTarget, is_blind: bool) -> (TextKinds, Aggregate) {
    match part {
        TextTarget::Anywhere if is_blind => (TextKinds::BLIND, Aggregate::Any),
        TextTarget::Anywhere => (TextKinds::all(), Aggregate::Any),
        TextTarget::Prompt => (TextKinds::PROMPT, Aggregate::Any),
        TextTarget::Response(view) => (TextKinds::RESPONSE, view),
        TextTarget::Quote(view) => (TextKinds::QUOTE, view),
        TextTarget::Title(view) => (TextKinds::TITLE, view),
        TextTarget::Rationale => (TextKinds::RATIONALE, Aggregate::Any),
    }
}

impl RowQuestion {
    /// Returns the kinds of texts that are tested one by one.
    fn kinds(&self) -> TextKinds {
        match self {
            Self::Text(kinds, _) => *kinds,
            Self::Has(TextFlag::Code | TextFlag::Dangling | TextFlag::Unused) => {
                TextKinds::RESPONSE
            }
            // Responses and quotes only: hidden characters of the prompt are not the response's.
            Self::Has(TextFlag::Hidden) => TextKinds::RESPONSE.union(TextKinds::QUOTES),
            Self::Fact(..) => TextKinds::empty(),
        }
    }

    /// True if it can be tested on a row alone, provided that its pattern compiles.
    pub(super) const fn can_be_pushed(&self) -> bool {
        matches!(self, Self::Text(..))
    }
}

/// A test with its known answers.
pub(super) struct CachedPredicate {
    predicate: TextPredicate,
    learnt: Arc<CachedAnswers>,
}

impl CachedPredicate {
    pub(super) fn new(question: RowQuestion, memory: &ScanCache) -> Self {
        Self {
            learnt: memory.about(&question),
            predicate: TextPredicate::new(question),
        }
    }

    pub(super) fn is(&self, question: &RowQuestion) -> bool {
        self.predicate.question == *question
    }

    /// Answers for the samples of a block that are `needed`; for others, returns what is known.
    pub(super) fn answer(&self, block: &SampleBlock<'_>, needed: &[bool]) -> Vec<ResponseMask> {
        let samples = block.samples();
        let mut answers = vec![ResponseMask::default(); block.len()];
        self.learnt.recall(samples.start, &mut answers);
        let unknown: Vec<_> = answers
            .iter()
            .zip(needed)
            .map(|(answer, needed)| *needed && !answer.is_known())
            .collect();
        if unknown.contains(&true) {
            let mut scratch = String::new();
            let first = samples.start;
            block.dataset.for_each_sample(
                samples,
                &|sample| unknown[sample - first] && (block.keep_going)(),
                &mut |sample, rows| {
                    // Samples may be read ahead; those that were not tested stay unknown.
                    if !(block.keep_going)() {
                        return;
                    }
                    let found = self.look(&rows, block, sample - first, &mut scratch);
                    // A cancelled test is incomplete.
                    if (block.keep_going)() {
                        answers[sample - first] = found.with(ResponseMask::KNOWN);
                    }
                },
            );
            self.learnt.keep(first, &answers);
        }
        answers
    }

    /// Tests a sample.
    fn look(
        &self,
        rows: &ScannedRows<'_>,
        block: &SampleBlock<'_>,
        sample: usize,
        scratch: &mut String,
    ) -> ResponseMask {
        match &self.predicate.question {
            RowQuestion::Fact(of, test) => {
                let count = block.counts().get(sample).copied().unwrap_or_default();
                let found = rows
                    .words_of(*of, usize::from(count))
                    .into_iter()
                    .enumerate()
                    .filter(|(_, word)| passes(word.as_deref(), test));
                found.fold(ResponseMask::default(), |all, (response, _)| {
                    all.with(if of.is_of_responses() {
                        ResponseMask::of(response)
                    } else {
                        ResponseMask::SHARED
                    })
                })
            }
            _ => {
                let finder = self.predicate.finder.as_ref();
                let may_have = |line: &&[u8]| finder.is_none_or(|finder| finder.may_be_in(line));
                if rows.is_verbatim() && !rows.lines().iter().any(may_have) {
                    ResponseMask::default()
                } else {
                    rows.answer(&self.predicate, scratch)
                }
            }
        }
    }
}

/// Tests to remember, the most recent ones.
const QUESTIONS: usize = 8;

/// Answers of rows of one loading of a dataset, which may grow. Another loading needs another
/// cache.
#[derive(Debug, Default)]
pub struct ScanCache {
    learnt: Mutex<Vec<(RowQuestion, Arc<CachedAnswers>)>>,
}

#[derive(Debug, Default)]
struct CachedAnswers {
    /// One per sample; empty before the first answer.
    answers: Mutex<Vec<ResponseMask>>,
}

impl ScanCache {
    /// Returns the known answers of a test.
    fn about(&self, question: &RowQuestion) -> Arc<CachedAnswers> {
        let mut learnt = locked(&self.learnt);
        if let Some(place) = learnt.iter().position(|(known, _)| known == question) {
            let known = learnt.remove(place);
            learnt.push(known);
        } else {
            if learnt.len() == QUESTIONS {
                learnt.remove(0);
            }
            learnt.push((question.clone(), Arc::default()));
        }
        learnt
            .last()
            .map(|(_, known)| Arc::clone(known))
            .unwrap_or_default()
    }
}

impl CachedAnswers {
    /// Fills in the known answers of samples from `first` on.
    fn recall(&self, first: usize, answers: &mut [ResponseMask]) {
        let known = locked(&self.answers);
        let known = known.get(first..).unwrap_or_default();
        let both = known.len().min(answers.len());
        answers[..both].copy_from_slice(&known[..both]);
    }

    /// Stores the answers of samples from `first` on.
    fn keep(&self, first: usize, answers: &[ResponseMask]) {
        let mut known = locked(&self.answers);
        let end = first + answers.len();
        if known.len() < end {
            known.resize(end, ResponseMask::default());
        }
        for (known, answer) in known[first..end].iter_mut().zip(answers) {
            *known = known.with(*answer);
        }
    }
}

/// A test of the texts of a row, while rows are scanned or when they are read again. Texts are
/// decoded only if their raw spelling does not decide.
#[derive(Debug)]
pub struct TextPredicate {
    question: RowQuestion,
    /// Finds the pattern; `None` if there is none, or it does not compile.
    finder: Option<Finder>,
}

impl TextPredicate {
    fn new(question: RowQuestion) -> Self {
        let finder = match &question {
            RowQuestion::Text(_, pattern) => finder(pattern),
            _ => None,
        };
        Self { question, finder }
    }

    /// Returns `None` for a test that needs more than the row.
    pub(super) fn of(question: RowQuestion) -> Option<Self> {
        let is_pushed = question.can_be_pushed();
        Some(Self::new(question)).filter(|it| is_pushed && it.finder.is_some())
    }

    /// Stores the answers of the scan for later queries.
    pub fn keep(&self, dataset: &Dataset, memory: &ScanCache) {
        memory.about(&self.question).keep(0, &dataset.row_answers());
    }

    /// True if a text passes.
    fn holds(&self, of: RowText, text: &str) -> bool {
        self.question.kinds().intersects(of.kind)
            && match &self.question {
                RowQuestion::Has(TextFlag::Code) => text::code_blocks(text) > 0,
                RowQuestion::Has(TextFlag::Hidden) => text::hides(text),
                RowQuestion::Has(flag) => cites(text, *flag, of.quotes),
                _ => self
                    .finder
                    .as_ref()
                    .is_some_and(|finder| finder.is_in(text)),
            }
    }
}

impl RowPredicate for TextPredicate {
    fn of_row(
        &self,
        row: &CapturedRow<'_, '_>,
        same_prompt: Option<ResponseMask>,
        scratch: &mut String,
    ) -> ResponseMask {
        let (mut kinds, mut found) = (self.question.kinds(), ResponseMask::default());
        if let Some(before) = same_prompt {
            kinds = kinds.difference(TextKinds::PROMPT);
            found = before.shared();
        }
        let finder = self.finder.as_ref();
        if finder.is_some_and(|finder| !finder.may_be_in(row.line())) {
            if row.is_verbatim() {
                return found;
            }
            // Finding ids takes another pass over the row.
            kinds = kinds.difference(TextKinds::ID);
        }
        let mut asked = RowTextTest {
            predicate: self,
            found: ResponseMaskBuilder::default(),
        };
        asked.found.add(found, 0);
        row.for_each_text(kinds, scratch, &mut asked);
        asked.found.build()
    }

    fn of_malformed(&self, line: &[u8]) -> ResponseMask {
        let of = RowText::new(TextKinds::MALFORMED, None);
        if self.holds(of, &String::from_utf8_lossy(line)) {
            about(of)
        } else {
            ResponseMask::default()
        }
    }
}

/// Tests the texts of one row.
struct RowTextTest<'p> {
    predicate: &'p TextPredicate,
    found: ResponseMaskBuilder,
}

impl TextVisitor for RowTextTest<'_> {
    fn wants(&mut self, text: RawText<'_>) -> bool {
        let finder = self.predicate.finder.as_ref();
        !self.found.has(about(text.of))
            && finder.is_none_or(|finder| finder.may_be_in(text.spelling.as_bytes()))
    }

    fn text(&mut self, of: RowText, text: &str) {
        if !self.found.has(about(of)) && self.predicate.holds(of, text) {
            self.found.add(about(of), 0);
        }
    }
}

/// Returns the mask of what a text belongs to: a response, or the sample.
const fn about(text: RowText) -> ResponseMask {
    match text.response {
        // Of the sample, but not shared: a later row's shared part does not count. Any response
        // will do.
        _ if text
            .kind
            .intersects(TextKinds::RATIONALE.union(TextKinds::ID)) =>
        {
            ResponseMask::of(0)
        }
        Some(response) => ResponseMask::of(response),
        None => ResponseMask::SHARED,
    }
}

/// Compiles a pattern; `None` if that fails, which the parser has reported: it matches nothing.
pub(super) fn finder(pattern: &Pattern) -> Option<Finder> {
    match pattern {
        Pattern::Phrase(phrase) => Some(Finder::Phrase(Box::new(Phrase::new(phrase)))),
        Pattern::Regex(source) => {
            let regex = TextRegex::new(source).ok()?;
            Some(Finder::Regex(Box::new(regex)))
        }
    }
}

/// A sample with more responses than bits; its answer is not cached.
const NOT_KEPT: u32 = u32::MAX;

/// Tests of texts of consecutive samples that are read for another purpose.
pub(super) struct TextTests<'t> {
    samples: Range<usize>,
    /// Tests with their answers, one per sample.
    asked: Vec<(&'t CachedPredicate, Vec<AtomicU32>)>,
}

impl<'t> TextTests<'t> {
    /// Returns `None` if no test is about texts.
    pub(super) fn of(samples: Range<usize>, tests: &'t [CachedPredicate]) -> Option<Self> {
        let is_of_texts = |it: &&CachedPredicate| {
            let kinds = it.predicate.question.kinds();
            // Ids are not among the texts that are read.
            !kinds.is_empty() && !kinds.intersects(TextKinds::ID)
        };
        let answers = || samples.clone().map(|_| AtomicU32::default()).collect();
        let asked: Vec<_> = tests
            .iter()
            .filter(is_of_texts)
            .map(|test| (test, answers()))
            .collect();
        (!asked.is_empty()).then_some(Self { samples, asked })
    }

    /// Tests a text of a sample.
    pub(super) fn see(&self, sample: usize, of: RowText, text: &str) {
        for (test, answers) in &self.asked {
            let answer = sample.checked_sub(self.samples.start);
            let Some(answer) = answer.and_then(|at| answers.get(at)) else {
                continue;
            };
            // Each sample is read by one thread.
            let (known, this) = (answer.load(Ordering::Relaxed), about(of).bits());
            if known & this != this && test.predicate.holds(of, text) {
                let both = if about(of).responses().is_inline() {
                    known | this
                } else {
                    NOT_KEPT
                };
                answer.store(both, Ordering::Relaxed);
            }
        }
    }

    /// Stores the answers of all samples for later queries.
    pub(super) fn keep(self) {
        for (test, answers) in self.asked {
            let answers: Vec<_> = answers
                .into_iter()
                .map(AtomicU32::into_inner)
                .map(|it| match it {
                    NOT_KEPT => ResponseMask::default(),
                    bits => ResponseMask::of_bits(bits).with(ResponseMask::KNOWN),
                })
                .collect();
            test.learnt.keep(self.samples.start, &answers);
        }
    }
}

fn cites(answer: &str, asked: TextFlag, quotes: Option<usize>) -> bool {
    let Some(quotes) = quotes else { return false };
    let targets = text::citation_targets(answer, quotes);
    match asked {
        TextFlag::Dangling => !targets.dangling.is_empty(),
        _ => !targets.unused.is_empty(),
    }
}
