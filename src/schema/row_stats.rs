//! What a row adds to the columns of a dataset: its numbers, and how long its texts are, with
//! hardly a text decoded.

use super::definition::VerdictRule;
use super::reader::{CapturedRow, Schema};
use super::slots::TextSlot;
use super::turns;
use super::unescape::{inside, unescape};
use crate::model::{ResponseId, Turn, Verdict};
use crate::table::{
    ColumnId, CountOfPrompt, CountOfResponse, CountedColumns, PromptContent, Requirement,
    ResponseContent, Values,
};

/// What [`CapturedRow::digest`] finds; made to be filled over and over.
pub struct RowStats {
    /// What was counted of the prompt, in the order in which that was asked for.
    pub of_prompt: Vec<u32>,
    /// What was counted of each response, in the order in which that was asked for.
    pub of_responses: Vec<Vec<u32>>,
    /// Labels and scores of the first response in the schema's order, and then of the next; NaN
    /// means there is none.
    pub ratings: Vec<f64>,
    /// For each response the values of each label that [is a list](super::Label::is_list), one an
    /// annotator.
    pub annotations: Vec<Vec<f64>>,
    /// By how much A wins for each annotator.
    pub votes: Vec<f64>,
    /// How many annotators say that neither response is worth comparing.
    pub excluded_votes: u32,
    /// The verdict that the row states itself.
    pub verdict: Option<Verdict>,
    /// A minus B, where the row states that; otherwise NaN.
    pub margin: f64,
    /// Whether any value is one that its field cannot have, and so counts as none.
    pub has_odd_value: bool,
    /// Whether anything was read leniently: such a value, half a surrogate pair, or prompts that
    /// differ.
    pub has_warning: bool,
    /// Whether any text does not stand in the line as it is but for escapes.
    pub is_composed: bool,
    text: String,
}

impl Default for RowStats {
    /// What a malformed row says: nothing.
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
            has_odd_value: false,
            has_warning: false,
            is_composed: false,
            text: String::new(),
        }
    }
}

impl Schema {
    /// The most responses that a row can have, 1 to [`ResponseId::MOST`].
    pub fn responses(&self) -> usize {
        self.slots().responses.len().min(ResponseId::MOST)
    }

    /// The most responses that a sample can have: those of one row, or one of each of its rows.
    pub fn most_responses(&self) -> usize {
        self.responses().max(self.most_rows())
    }

    /// Whether responses can have quotes.
    pub fn has_quotes(&self) -> bool {
        self.slots()
            .responses
            .iter()
            .any(|response| response.quotes.is_some())
    }

    /// Whether its rows can have values of a column.
    pub fn has(&self, column: ColumnId) -> bool {
        match column.requires {
            Requirement::Nothing => true,
            Requirement::Quotes => self.has_quotes(),
            Requirement::JoinedFiles => false,
            Requirement::Votes => !self.definition().votes.is_empty(),
        }
    }

    /// Whether rows state verdicts themselves, on other grounds than labels.
    pub fn states_verdicts(&self) -> bool {
        let rule = self.definition().rule();
        self.responses() > 1 && rule.is_some_and(|rule| !matches!(rule, VerdictRule::ByLabel(_)))
    }

    /// Whether they also state by how much.
    pub fn states_margins(&self) -> bool {
        let rule = self.definition().rule().filter(|_| self.states_verdicts());
        match rule {
            Some(VerdictRule::BySign(_) | VerdictRule::ByStrength(_)) => true,
            Some(VerdictRule::Fixed(rule)) => rule.margin.is_some(),
            _ => false,
        }
    }
}

impl CapturedRow<'_, '_> {
    /// Fills in what the row says, as [`Self::record`] would tell it, and counts what is asked for
    /// of what the [schema](Schema::counted) can. What is counted of prompts is left as it is if
    /// `same_prompt` says that the row filled in before had the same prompt.
    pub fn digest(&self, counted: &CountedColumns, same_prompt: bool, digest: &mut RowStats) {
        let slots = self.schema().slots();
        digest
            .of_responses
            .resize_with(self.response_count(), Vec::new);
        match &slots.prompt {
            Some(_) => {
                if !same_prompt {
                    self.count_prompt(&counted.of_prompts, digest);
                }
                self.count_responses(&counted.of_responses, digest);
            }
            None => self.count_transcripts(counted, digest),
        }
        digest.has_odd_value = self.has_odd_value_beside_labels();
        digest.ratings.clear();
        digest.annotations.clear();
        (digest.votes, digest.excluded_votes) = match self.schema().slots().votes.is_empty() {
            true => (Vec::new(), 0),
            false => {
                let votes = self.votes();
                (votes.strengths, to_u32(votes.excluded))
            }
        };
        for response in self.responses() {
            for (&slot, label) in response.ratings.iter().zip(self.schema().labels()) {
                let rating = self.quick_rating(slot, label).unwrap_or_else(|| {
                    let rating = slot.map_or(Ok(None), |slot| self.rating(slot, label));
                    digest.has_odd_value |= rating.is_err();
                    rating.ok().flatten().unwrap_or(f64::NAN)
                });
                digest.ratings.push(rating);
                if label.is_list() {
                    digest.annotations.push(self.annotated(slot, label));
                }
            }
        }
        digest.has_warning = digest.has_odd_value
            || self.has_differing_prompts()
            || self.has_lone_surrogate()
            || self.has_unread_content();
        digest.is_composed = self.is_composed();
        let stated = self.stated();
        digest.verdict = stated.map(|(verdict, _)| verdict);
        digest.margin = stated.and_then(|(_, margin)| margin).unwrap_or(f64::NAN);
    }

    /// Shows each fact of the schema, by its place there, as text (not sanitised); `None` where the
    /// row has none or null.
    pub fn each_fact(&self, show: &mut dyn FnMut(usize, Option<&str>)) {
        for place in 0..self.schema().slots().facts.len() {
            let fact = self.fact(place);
            show(place, fact.as_ref().map(|(text, _)| &**text));
        }
    }

    fn count_prompt(&self, columns: &[(ColumnId, CountOfPrompt)], digest: &mut RowStats) {
        if columns.is_empty() {
            return digest.of_prompt.clear();
        }
        let size = self.prompt_size(&mut digest.text);
        let prompt = RowPrompt { size };
        count(columns, &mut digest.of_prompt, |count| count(&prompt));
    }

    fn count_responses(&self, columns: &[(ColumnId, CountOfResponse)], digest: &mut RowStats) {
        if columns.is_empty() {
            return digest.of_responses.iter_mut().for_each(Vec::clear);
        }
        let counts = digest.of_responses.iter_mut();
        for (place, (slots, counts)) in self.responses().zip(counts).enumerate() {
            let response = RowResponse {
                row: self,
                text: slots.text,
                place,
            };
            count(columns, counts, |count| count(&response));
        }
    }

    /// Where the prompt is what the transcripts share.
    fn count_transcripts(&self, counted: &CountedColumns, digest: &mut RowStats) {
        if counted.of_prompts.is_empty() && counted.of_responses.is_empty() {
            return;
        }
        let record = self.record().unwrap_or_default();
        let prompt = ReadPrompt(&record.prompt);
        count(&counted.of_prompts, &mut digest.of_prompt, |count| {
            count(&prompt)
        });
        for (place, counts) in digest.of_responses.iter_mut().enumerate() {
            let text = record
                .responses
                .get(place)
                .map_or("", |response| &*response.text);
            let response = ReadResponse {
                text,
                quotes: to_u32(self.quotes_of(place)),
            };
            count(&counted.of_responses, counts, |count| count(&response));
        }
    }

    /// Characters and turns of the prompt.
    fn prompt_size(&self, text: &mut String) -> (u32, u32) {
        let schema = self.schema();
        let prompt = schema.slots().prompt.as_ref();
        let simple = prompt.filter(|slots| slots.is_simple());
        let Some((inside, characters, is_plain)) = simple.and_then(|slots| {
            let slot = slots.first.slot;
            let is_plain = !self.has_unicode_escape(slot);
            Some((inside(self.value(slot)?)?, self.characters(slot)?, is_plain))
        }) else {
            return self.decoded_prompt_size();
        };
        let (Some(markers), Some(finder)) = (&schema.definition().turns, schema.finder()) else {
            return (characters, 1);
        };
        let spelled = || finder.size(inside, characters as usize, markers);
        match is_plain.then(spelled).flatten() {
            Some((characters, turns)) => return (to_u32(characters), to_u32(turns)),
            None if !is_plain && finder.finds_none(inside) => return (characters, 1),
            None => {}
        }
        text.clear();
        if unescape(inside, text).is_none() {
            return self.decoded_prompt_size();
        }
        let turns = turns::cut_prompt(text, markers);
        let characters = turns
            .iter()
            .map(|(_, range)| text[range.clone()].chars().count())
            .sum();
        (to_u32(characters), to_u32(turns.len()))
    }

    fn decoded_prompt_size(&self) -> (u32, u32) {
        let turns = self.prompt_turns(&mut Vec::new()).unwrap_or_default();
        let prompt = ReadPrompt(&turns);
        (prompt.characters(), prompt.turns())
    }
}

/// Fills in what each column counts.
fn count<F>(columns: &[(ColumnId, F)], counts: &mut Vec<u32>, count: impl Fn(&F) -> u32) {
    counts.clear();
    counts.extend(columns.iter().map(|(_, column)| count(column)));
}

/// A prompt that has a place of its own on the row.
struct RowPrompt {
    /// Characters and turns.
    size: (u32, u32),
}

impl PromptContent for RowPrompt {
    fn characters(&self) -> u32 {
        self.size.0
    }

    fn turns(&self) -> u32 {
        self.size.1
    }
}

/// A response that has a place of its own on the row.
struct RowResponse<'a, 'r, 's> {
    row: &'a CapturedRow<'r, 's>,
    text: TextSlot,
    /// Which of the row's responses it is.
    place: usize,
}

impl RowResponse<'_, '_, '_> {
    /// What was counted when the text was captured, where that is the text itself; otherwise what is
    /// counted of the text as it is read.
    fn count(&self, captured: Option<u32>, count: impl Fn(&str) -> usize) -> u32 {
        captured.filter(|_| !self.text.is_json).unwrap_or_else(|| {
            let response = self.row.response_text(self.text, &mut Vec::new());
            response.map_or(0, |response| to_u32(count(&response.text)))
        })
    }
}

impl ResponseContent for RowResponse<'_, '_, '_> {
    fn characters(&self) -> u32 {
        let captured = self.row.characters(self.text.slot);
        self.count(captured, |text| text.chars().count())
    }

    fn quotes(&self) -> u32 {
        to_u32(self.row.quotes_of(self.place))
    }

    fn lines(&self) -> u32 {
        let captured = self.row.lines(self.text.slot);
        self.count(captured, |text| text.lines().count())
    }
}

/// The turns of a prompt that is read already.
struct ReadPrompt<'a, 'r>(&'a [Turn<'r>]);

impl PromptContent for ReadPrompt<'_, '_> {
    fn characters(&self) -> u32 {
        to_u32(self.0.iter().map(|turn| turn.text.chars().count()).sum())
    }

    fn turns(&self) -> u32 {
        to_u32(self.0.len())
    }
}

/// A response that is read already.
struct ReadResponse<'a> {
    text: &'a str,
    quotes: u32,
}

impl ResponseContent for ReadResponse<'_> {
    fn characters(&self) -> u32 {
        to_u32(self.text.chars().count())
    }

    fn quotes(&self) -> u32 {
        self.quotes
    }

    fn lines(&self) -> u32 {
        to_u32(self.text.lines().count())
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count)
        .unwrap_or(u32::MAX)
        .min(Values::NO_COUNT - 1)
}
