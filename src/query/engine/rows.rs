//! What only the rows themselves can tell: texts, code, hidden characters, citations.

use super::block::Block;
use super::facts::passes;
use super::memory::{Learnt, Memory};
use crate::dataset::SweptRows;
use crate::query::ast::{CategoryTest, Citing, Feature, Part, Pattern, View};
use crate::schema::{Passage, Row, with_row};
use crate::text::{self, Finder, Phrase};

/// A question to rows; what is made of the answers for A and B is another matter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    /// Whether a text is there.
    Text(Place, Pattern),
    /// `has:`
    Has(Feature),
    /// `cite:`
    Cites(Citing),
    /// What a fact, by its name, says that has too many different words for a column.
    Fact(String, CategoryTest),
}

/// Which texts of a sample are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    All,
    Prompt,
    Response,
    Quote,
    Title,
}

impl Place {
    /// The texts that a part of a sample has, and the response that it speaks of.
    pub(super) fn of(part: Part) -> (Self, View) {
        match part {
            Part::Anywhere => (Self::All, View::Any),
            Part::Prompt => (Self::Prompt, View::Any),
            Part::Response(view) => (Self::Response, view),
            Part::Quote(view) => (Self::Quote, view),
            Part::Title(view) => (Self::Title, view),
        }
    }

    fn has(self, passage: Passage) -> bool {
        match (self, passage) {
            (Self::All, _)
            | (Self::Prompt, Passage::Prompt)
            | (Self::Response, Passage::Response(_))
            | (Self::Quote, Passage::Quote(_))
            | (Self::Title, Passage::QuoteTitle(_)) => true,
            (Self::Prompt | Self::Response | Self::Quote | Self::Title, _) => false,
        }
    }
}

/// A question made ready, with what is known of its answer already.
pub(super) struct Asking {
    question: Question,
    finder: Option<Finder>,
    learnt: std::sync::Arc<Learnt>,
}

/// The answer for a sample: bits for A and B, one for what belongs to both (the prompt, a fact), and one that says that it is known.
const SHARED: u8 = 4;
const KNOWN: u8 = 8;

impl Asking {
    pub(super) fn new(question: Question, memory: &Memory) -> Self {
        let finder = match &question {
            Question::Text(_, Pattern::Phrase(phrase)) => Some(Finder::Phrase(Box::new(Phrase::new(phrase)))),
            // One that does not compile, which the parser has told, matches nothing.
            Question::Text(_, Pattern::Regex(source)) => text::regex(source).ok().map(Finder::Regex),
            Question::Has(_) | Question::Cites(_) | Question::Fact(..) => None,
        };
        let learnt = memory.about(&question);
        Self { question, finder, learnt }
    }

    pub(super) fn is(&self, question: &Question) -> bool {
        self.question == *question
    }

    /// Answers for the samples of a block that are `wanted`: whether it holds for A, for B, and for what they share.
    pub(super) fn answer(&self, block: &Block<'_>, wanted: &[bool]) -> [Vec<bool>; 3] {
        let samples = block.samples();
        let mut answers = vec![0; block.len()];
        self.learnt.recall(samples.start, &mut answers);
        let unknown: Vec<_> = answers.iter().zip(wanted).map(|(answer, wanted)| *wanted && *answer == 0).collect();
        if unknown.contains(&true) {
            let mut scratch = String::new();
            let first = samples.start;
            block.dataset.sweep(samples, &|sample| unknown[sample - first], &mut |sample, rows| {
                answers[sample - first] = KNOWN | self.look(&rows, block, sample - first, &mut scratch);
            });
            self.learnt.keep(first, &answers);
        }
        [1, 2, SHARED].map(|bit| answers.iter().map(|answer| answer & bit != 0).collect())
    }

    fn look(&self, rows: &SweptRows<'_>, block: &Block<'_>, sample: usize, scratch: &mut String) -> u8 {
        let mut found = 0;
        for (index, line) in rows.lines().iter().enumerate() {
            if rows.malformed {
                let said = matches!(self.question, Question::Text(Place::All, _))
                    && self.finder.as_ref().is_some_and(|finder| finder.is_in(&String::from_utf8_lossy(line)));
                return if said { SHARED } else { 0 };
            }
            // Of transcripts, several turns are put together with words that the line does not have.
            let verbatim = rows.schema.definition().prompt.is_some();
            if verbatim && self.finder.as_ref().is_some_and(|finder| !finder.may_be_in(line)) {
                continue;
            }
            found |= with_row(rows.schema, line, |row| self.look_at(row, index, block, sample, scratch)).unwrap_or(0);
        }
        found
    }

    /// What a row says; `index` is its place among the sample's rows.
    fn look_at(&self, row: &Row<'_, '_>, index: usize, block: &Block<'_>, sample: usize, scratch: &mut String) -> u8 {
        let mut found = 0;
        if let Question::Fact(name, test) = &self.question {
            let facts = row.record().map(|record| record.facts).unwrap_or_default();
            let word = facts.iter().find(|fact| fact.name == *name).map(|fact| &*fact.value);
            // A sample has the facts of its first row.
            return if index == 0 && passes(word, test) { SHARED } else { 0 };
        }
        row.passages(scratch, &mut |passage, words| {
            let bit = match passage {
                // The second row of a pair says the same prompt once more.
                Passage::Prompt if index > 0 => return,
                Passage::Prompt => SHARED,
                Passage::Response(side) | Passage::QuoteTitle(side) | Passage::Quote(side) => {
                    1 << (side + index).min(1)
                }
            };
            let says = found & bit == 0
                && match &self.question {
                    Question::Text(place, _) => {
                        place.has(passage) && self.finder.as_ref().is_some_and(|finder| finder.is_in(words))
                    }
                    Question::Has(Feature::Code) => matches!(passage, Passage::Response(_)) && words.contains("```"),
                    Question::Has(Feature::Hidden) => text::hides(words),
                    Question::Cites(citing) => {
                        matches!(passage, Passage::Response(_)) && cites(words, *citing, block.quotes(bit, sample))
                    }
                    Question::Fact(..) => false,
                };
            if says {
                found |= bit;
            }
        });
        found
    }
}

impl Block<'_> {
    /// How many quotes the response of this bit has; `None` where the schema has none.
    fn quotes(&self, bit: u8, sample: usize) -> Option<usize> {
        let quotes = self.columns().quotes.as_ref()?;
        self.part(&quotes[usize::from(bit > 1)]).get(sample).map(|&count| usize::from(count))
    }
}

fn cites(answer: &str, asked: Citing, quotes: Option<usize>) -> bool {
    let Some(quotes) = quotes else { return false };
    let citing = text::citing(answer, quotes);
    match asked {
        Citing::Dangling => !citing.dangling.is_empty(),
        Citing::Unused => !citing.unused.is_empty(),
    }
}
