//! Column values of a row: its numbers, and sizes of its texts, mostly without decoding them.

use super::reader::{CapturedRow, Schema};
use super::texts::{RawText, RowText, TextKinds, TextVisitor};
use crate::model::{Response, Verdict, Vote, majority};
use crate::schema::verdict::VerdictRule;
use crate::table::{
    ColumnId, CountOfResponse, CountedColumns, PromptCounts, ResponseCounts, Values,
};

/// Result of [`CapturedRow::row_stats`]; reused for all rows.
pub struct RowStats {
    /// Counts of the prompt, in the order of [`CountedColumns::of_prompts`].
    pub of_prompt: Vec<u32>,
    /// Counts of each response, in the order of [`CountedColumns::of_responses`].
    pub of_responses: Vec<Vec<u32>>,
    /// Labels and scores of the first response in schema order, then of the next; NaN if missing.
    pub ratings: Vec<f64>,
    /// For each response, the annotators' values of each label that [is a
    /// list](crate::schema::Label::is_list).
    pub annotations: Vec<Vec<f64>>,
    /// The [code](crate::model::Vote::code) of each annotator's vote.
    pub votes: Vec<f64>,
    /// Number of annotators who consider neither response worth comparing.
    pub excluded_votes: u32,
    /// The verdict that the row itself states.
    pub verdict: Option<Verdict>,
    /// A's margin if the row states it, otherwise NaN.
    pub margin: f64,
    /// True if any value is invalid and counts as missing.
    pub has_invalid_value: bool,
    /// True if anything was read leniently: an invalid value, a lone surrogate, or differing
    /// prompts.
    pub has_warning: bool,
    /// True if any text differs from the line by more than escapes.
    pub is_composed: bool,
    text: String,
}

impl Default for RowStats {
    /// The statistics of a malformed row.
    fn default() -> Self {
        Self {
            of_prompt: Vec::new(),
            of_responses: Vec::new(),
            ratings: Vec::new(),
            annotations: Vec::new(),
            votes: Vec::new(),
            excluded_votes: Values::NO_COUNT,
            verdict: None,
            margin: f64::NAN,
            has_invalid_value: false,
            has_warning: false,
            is_composed: false,
            text: String::new(),
        }
    }
}

impl Schema {
    /// Returns the maximum number of responses in a row, at least 1.
    pub fn responses(&self) -> usize {
        if self.joins_rows() {
            1
        } else {
            self.slots.responses.len()
        }
    }

    /// Returns the maximum number of responses in a sample: those of one row, or one for each row.
    pub fn most_responses(&self) -> usize {
        if self.definition().is_row_by_annotator() {
            self.responses()
        } else {
            self.responses().max(self.most_rows())
        }
    }

    /// True if its rows can have values of a column.
    pub fn has(&self, column: ColumnId) -> bool {
        self.definition().meets(column.requires)
    }
}

impl CapturedRow<'_, '_> {
    /// Fills in the values that [`Self::record`] would report, and the requested counts among those
    /// that the [schema](Schema::counted) supports. With `same_prompt`, the prompt's counts are
    /// kept from the previous row.
    pub fn row_stats(&self, counted: &CountedColumns, same_prompt: bool, stats: &mut RowStats) {
        self.count_texts(counted, same_prompt, stats);
        stats.has_invalid_value = self.has_invalid_value_except_labels();
        stats.ratings.clear();
        stats.annotations.clear();
        stats.votes.clear();
        stats.excluded_votes = 0;
        if !self.schema.slots.votes.is_empty() {
            let read = self.read_votes(false);
            stats.has_invalid_value |= !read.warnings.is_empty();
            stats.votes = read.votes.codes();
            stats.excluded_votes = to_u32(read.votes.excluded);
        }
        for response in self.responses() {
            for (&slot, label) in response.ratings.iter().zip(self.schema.labels()) {
                let rating = slot.map_or(Ok(None), |slot| self.rating(slot, label));
                stats.has_invalid_value |= rating.is_err();
                (stats.ratings).push(rating.ok().flatten().unwrap_or(f64::NAN));
                if label.is_list() {
                    stats.annotations.push(self.annotated(slot, label));
                }
            }
        }
        stats.has_warning = stats.has_invalid_value || self.has_warning();
        stats.is_composed = self.is_composed;
        let definition = self.schema.definition();
        let stated = match definition.rule() {
            Some(VerdictRule::ByVotes) => {
                let votes = stats.votes.iter().map(|code| Vote::of_code(*code));
                majority(votes, self.response_count()).map(|verdict| (verdict, None))
            }
            Some(VerdictRule::ByLabel { .. }) if definition.is_row_by_annotator() => {
                self.verdict_by(&stats.ratings)
            }
            _ => self.stated(),
        };
        stats.verdict = stated.map(|(verdict, _)| verdict);
        stats.margin = stated.and_then(|(_, margin)| margin).unwrap_or(f64::NAN);
        if definition.is_row_by_annotator() && definition.votes.is_empty() {
            let own = stated.map(|(verdict, margin)| self.vote_of(verdict, margin).code());
            stats.votes.extend(own);
        }
    }

    fn count_texts(&self, counted: &CountedColumns, same_prompt: bool, stats: &mut RowStats) {
        let lists = &mut stats.of_responses;
        lists.resize_with(self.response_count(), Vec::new);
        lists.iter_mut().for_each(Vec::clear);
        let mut kinds = TextKinds::empty();
        if !counted.of_responses.is_empty() {
            kinds = TextKinds::RESPONSE;
        }
        if !same_prompt && !counted.of_prompts.is_empty() {
            kinds = kinds.union(TextKinds::PROMPT);
        }
        let mut counter = TextCounter {
            columns: &counted.of_responses,
            of_responses: lists,
            prompt: PromptCounts::default(),
        };
        self.for_each_text(kinds, &mut stats.text, &mut counter);
        let prompt = counter.prompt;
        if !same_prompt {
            let columns = counted.of_prompts.iter();
            stats.of_prompt.clear();
            (stats.of_prompt).extend(columns.map(|(_, count)| count(&prompt)));
        }
    }

    /// Calls `show` with each fact's index in the schema and its text (not sanitised), or `None` if
    /// it is missing or null.
    pub fn each_fact(&self, show: &mut dyn FnMut(usize, Option<&str>)) {
        for place in 0..self.schema.slots.facts.len() {
            let fact = self.fact(place);
            show(place, fact.as_ref().map(|(text, _)| &**text));
        }
    }
}

/// Counts the texts of a row, mostly without decoding them.
struct TextCounter<'c> {
    columns: &'c [(ColumnId, CountOfResponse)],
    of_responses: &'c mut [Vec<u32>],
    prompt: PromptCounts,
}

impl TextCounter<'_> {
    /// Adds a text: its characters, and its lines or turns.
    fn add(&mut self, of: RowText, [characters, more]: [u32; 2]) {
        let Some(place) = of.response else {
            let PromptCounts {
                characters: all,
                turns,
            } = &mut self.prompt;
            (*all, *turns) = (all.saturating_add(characters), *turns + more);
            return;
        };
        let counts = ResponseCounts {
            characters,
            lines: more,
            quotes: to_u32(of.quotes.unwrap_or(0)),
        };
        if let Some(list) = self.of_responses.get_mut(place) {
            list.extend(self.columns.iter().map(|(_, count)| count(&counts)));
        }
    }
}

impl TextVisitor for TextCounter<'_> {
    fn wants(&mut self, text: RawText<'_>) -> bool {
        let size = match text.of.kind {
            TextKinds::PROMPT => text.turns(),
            _ => text.size(),
        };
        size.into_iter().for_each(|size| self.add(text.of, size));
        size.is_none()
    }

    fn response(&mut self, of: RowText, response: &Response<'_>) {
        let text = &response.text;
        let size = [text.chars().count(), text.lines().count()];
        self.add(of, size.map(to_u32));
    }

    fn text(&mut self, of: RowText, text: &str) {
        self.add(of, [to_u32(text.chars().count()), 1]);
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count)
        .unwrap_or(u32::MAX)
        .min(Values::NO_COUNT - 1)
}
