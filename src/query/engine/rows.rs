//! What only the rows themselves can tell: texts, code, hidden characters, citations.

use super::block::SampleBlock;
use super::facts::passes;
use super::scan_cache::{CachedAnswers, ScanCache};
use crate::dataset::ScannedRows;
use crate::query::ast::{Aggregate, CategoryTest, CitationTest, Feature, Pattern, TextTarget};
use crate::schema::RowText;
use crate::table::BuiltIn;
use crate::text::{self, Finder, Phrase};

/// A question to rows; what is made of the answers for A and B is another matter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowTest {
    /// Whether a text is there.
    Text(TextScope, Pattern),
    /// `has:`
    Has(Feature),
    /// `cite:`
    Cites(CitationTest),
    /// What a fact, by its name, says that has too many different words for a column.
    Fact(String, CategoryTest),
}

/// Which texts of a sample are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextScope {
    All,
    Prompt,
    Response,
    Quote,
    Title,
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
        }
    }

    fn has(self, passage: RowText) -> bool {
        match (self, passage) {
            (Self::All, _)
            | (Self::Prompt, RowText::Prompt)
            | (Self::Response, RowText::Response(_))
            | (Self::Quote, RowText::Quote(_))
            | (Self::Title, RowText::QuoteTitle(_)) => true,
            (Self::Prompt | Self::Response | Self::Quote | Self::Title, _) => false,
        }
    }
}

/// A question made ready, with what is known of its answer already.
pub(super) struct PreparedRowTest {
    question: RowTest,
    finder: Option<Finder>,
    learnt: std::sync::Arc<CachedAnswers>,
}

/// The answer for a sample: bits for A and B, one for what belongs to both (the prompt, a fact),
/// and one that says that it is known.
const SHARED: u8 = 4;
const KNOWN: u8 = 8;

impl PreparedRowTest {
    pub(super) fn new(question: RowTest, memory: &ScanCache) -> Self {
        let finder = match &question {
            RowTest::Text(_, pattern) => finder(pattern),
            RowTest::Has(_) | RowTest::Cites(_) | RowTest::Fact(..) => None,
        };
        let learnt = memory.about(&question);
        Self {
            question,
            finder,
            learnt,
        }
    }

    pub(super) fn is(&self, question: &RowTest) -> bool {
        self.question == *question
    }

    /// Answers for the samples of a block that are `wanted`: whether it holds for A, for B, and for
    /// what they share.
    pub(super) fn answer(&self, block: &SampleBlock<'_>, wanted: &[bool]) -> [Vec<bool>; 3] {
        let samples = block.samples();
        let mut answers = vec![0; block.len()];
        self.learnt.recall(samples.start, &mut answers);
        let unknown: Vec<_> = answers
            .iter()
            .zip(wanted)
            .map(|(answer, wanted)| *wanted && *answer == 0)
            .collect();
        if unknown.contains(&true) {
            let mut scratch = String::new();
            let first = samples.start;
            block.dataset.sweep(
                samples,
                &|sample| unknown[sample - first],
                &mut |sample, rows| {
                    answers[sample - first] =
                        KNOWN | self.look(&rows, block, sample - first, &mut scratch);
                },
            );
            self.learnt.keep(first, &answers);
        }
        [1, 2, SHARED].map(|bit| answers.iter().map(|answer| answer & bit != 0).collect())
    }

    /// What a sample says.
    fn look(
        &self,
        rows: &ScannedRows<'_>,
        block: &SampleBlock<'_>,
        sample: usize,
        scratch: &mut String,
    ) -> u8 {
        if let RowTest::Fact(name, test) = &self.question {
            return if passes(rows.fact(name).as_deref(), test) {
                SHARED
            } else {
                0
            };
        }
        let may_say = |finder: &Finder| rows.lines().iter().any(|line| finder.may_be_in(line));
        if rows.is_verbatim() && !self.finder.as_ref().is_none_or(may_say) {
            return 0;
        }
        let mut found = 0;
        rows.texts(scratch, &mut |passage, words| {
            let bit = match passage {
                // A malformed row is looked at as a whole, or not at all.
                None | Some(RowText::Prompt) => SHARED,
                Some(
                    RowText::Response(side) | RowText::QuoteTitle(side) | RowText::Quote(side),
                ) => 1 << side,
            };
            if found & bit == 0 && self.says(passage, words, block, bit, sample) {
                found |= bit;
            }
        });
        found
    }

    /// Whether a text answers the question; `None` is a malformed row.
    fn says(
        &self,
        passage: Option<RowText>,
        words: &str,
        block: &SampleBlock<'_>,
        bit: u8,
        sample: usize,
    ) -> bool {
        let is_response = matches!(passage, Some(RowText::Response(_)));
        match &self.question {
            RowTest::Text(place, _) => {
                let is_there =
                    passage.map_or(*place == TextScope::All, |passage| place.has(passage));
                is_there
                    && self
                        .finder
                        .as_ref()
                        .is_some_and(|finder| finder.is_in(words))
            }
            RowTest::Has(Feature::Code) => is_response && text::has_code(words),
            // Of a response, with its quotes: what a prompt hides is not its own.
            RowTest::Has(Feature::Hidden) => {
                !matches!(passage, None | Some(RowText::Prompt)) && text::hides(words)
            }
            RowTest::Cites(citing) => {
                is_response && cites(words, *citing, block.quotes(bit, sample))
            }
            // Notes and tags are no rows' to tell.
            RowTest::Has(Feature::Note | Feature::Tag) | RowTest::Fact(..) => false,
        }
    }
}

/// A pattern made ready; `None` for one that does not compile, which the parser has told: it
/// matches nothing.
pub(super) fn finder(pattern: &Pattern) -> Option<Finder> {
    match pattern {
        Pattern::Phrase(phrase) => Some(Finder::Phrase(Box::new(Phrase::new(phrase)))),
        Pattern::Regex(source) => text::regex(source).ok().map(Finder::Regex),
    }
}

impl SampleBlock<'_> {
    /// How many quotes the response of this bit has; `None` where the schema has none.
    fn quotes(&self, bit: u8, sample: usize) -> Option<usize> {
        let quotes = self
            .columns()
            .counted_of_responses(BuiltIn::named("quotes")?)?;
        let count = quotes[usize::from(bit > 1)].get(self.within.start + sample)?;
        Some(count as usize)
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
