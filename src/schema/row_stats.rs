//! What a row adds to the columns of a dataset: its numbers, and how long its texts are, with
//! hardly a text decoded.

use std::cell::Cell;

use super::decode;
use super::definition::VerdictRule;
use super::reader::{CapturedRow, Schema};
use super::turns;
use super::unescape::{inside, unescape};
use crate::model::{Turn, Verdict};
use crate::table::{BuiltIn, ColumnSource, PromptContent, ResponseContent, Values};

/// What [`CapturedRow::digest`] finds; made to be filled over and over.
pub struct RowStats {
    /// What is counted of the prompt, in the order of [`Schema::counted`].
    pub of_prompt: Vec<u32>,
    /// What is counted of each response, in the order of [`Schema::counted`].
    pub of_responses: Vec<Vec<u32>>,
    /// Labels and scores of the first response in the schema's order, and then of the next; NaN
    /// means there is none.
    pub ratings: Vec<f64>,
    /// The verdict that the row states itself.
    pub verdict: Option<Verdict>,
    /// A minus B, where the row states that; otherwise NaN.
    pub margin: f64,
    /// Whether any value is one that its field cannot have, and so counts as none.
    pub has_odd_value: bool,
    /// Whether anything was read leniently: such a value, half a surrogate pair, or prompts that
    /// differ.
    pub has_flaw: bool,
    text: Cell<String>,
}

impl Default for RowStats {
    /// What a malformed row says: nothing.
    fn default() -> Self {
        Self {
            of_prompt: Vec::new(),
            of_responses: Vec::new(),
            ratings: Vec::new(),
            verdict: None,
            margin: f64::NAN,
            has_odd_value: false,
            has_flaw: false,
            text: Cell::default(),
        }
    }
}

impl Schema {
    /// Number of responses on a row, at least 1.
    pub fn responses(&self) -> usize {
        self.slots().responses.len()
    }

    /// The most responses that a sample can have: those of one row, or of two.
    pub fn most_responses(&self) -> usize {
        if self.pairs_rows() {
            2
        } else {
            self.responses()
        }
    }

    /// Whether responses can have quotes.
    pub fn has_quotes(&self) -> bool {
        self.slots()
            .responses
            .iter()
            .any(|response| response.quotes.is_some())
    }

    /// Whether its rows can have values of a column.
    pub fn has(&self, column: BuiltIn) -> bool {
        !matches!(column.def().source, ColumnSource::Quotes(_)) || self.has_quotes()
    }

    /// Whether rows state verdicts themselves, on other grounds than labels.
    pub fn states_verdicts(&self) -> bool {
        let rule = self.definition().rule();
        self.responses() > 1 && rule.is_some_and(|rule| !matches!(rule, VerdictRule::ByLabel(_)))
    }

    /// Whether they also state by how much.
    pub fn states_margins(&self) -> bool {
        self.states_verdicts() && matches!(self.definition().rule(), Some(VerdictRule::BySign(_)))
    }
}

impl CapturedRow<'_, '_> {
    /// Fills in what the row says, as [`Self::record`] would tell it. Prompt and turns are left as
    /// they are if `same_prompt` says that the row filled in before had the same prompt.
    pub fn digest(&self, same_prompt: bool, digest: &mut RowStats) {
        let slots = self.schema().slots();
        digest
            .of_responses
            .resize_with(slots.responses.len(), Vec::new);
        match slots.prompt {
            Some(slot) => {
                if !same_prompt {
                    self.count_prompt(slot, digest);
                }
                self.count_responses(digest);
            }
            None => self.count_transcripts(digest),
        }
        digest.has_odd_value = self.has_odd_value_beside_labels();
        digest.ratings.clear();
        for response in &slots.responses {
            for (slot, label) in response.ratings.iter().zip(self.schema().labels()) {
                let rating = slot.map_or(Ok(None), |slot| self.rating(slot, label));
                digest.has_odd_value |= rating.is_err();
                digest
                    .ratings
                    .push(rating.ok().flatten().unwrap_or(f64::NAN));
            }
        }
        digest.has_flaw =
            digest.has_odd_value || self.has_differing_prompts() || self.has_lone_surrogate();
        let stated = self.stated();
        digest.verdict = stated.map(|(verdict, _)| verdict);
        digest.margin = stated.and_then(|(_, margin)| margin).unwrap_or(f64::NAN);
    }

    /// Shows each fact of the schema, by its place there, as text (not sanitised); `None` where the
    /// row has none or null.
    pub fn each_fact(&self, show: &mut dyn FnMut(usize, Option<&str>)) {
        for (place, &slot) in self.schema().slots().facts.iter().enumerate() {
            match self.value(slot).filter(|value| *value != "null") {
                Some(value) => show(place, Some(&decode::plain(value).0)),
                None => show(place, None),
            }
        }
    }

    fn count_prompt(&self, slot: u16, digest: &mut RowStats) {
        let mut text = digest.text.take();
        let size = self.prompt_size(slot, &mut text);
        digest.text.set(text);
        let prompt = RowPrompt {
            row: self,
            slot,
            size,
            scratch: &digest.text,
        };
        count(
            &self.schema().counted().of_prompts,
            &mut digest.of_prompt,
            |count| count(&prompt),
        );
    }

    fn count_responses(&self, digest: &mut RowStats) {
        let slots = &self.schema().slots().responses;
        for (place, (slots, counts)) in slots.iter().zip(&mut digest.of_responses).enumerate() {
            let response = RowResponse {
                row: self,
                slot: slots.text,
                quotes: to_u32(self.quotes_of(place)),
            };
            count(&self.schema().counted().of_responses, counts, |count| {
                count(&response)
            });
        }
    }

    /// Where the prompt is what the transcripts share.
    fn count_transcripts(&self, digest: &mut RowStats) {
        let record = self.record().unwrap_or_default();
        let counted = self.schema().counted();
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
    fn prompt_size(&self, slot: u16, text: &mut String) -> (u32, u32) {
        let schema = self.schema();
        let (Some(inside), Some(characters)) =
            (self.value(slot).and_then(inside), self.characters(slot))
        else {
            return self.decoded_prompt_size(slot);
        };
        let (Some(markers), Some(finder)) = (&schema.definition().turns, schema.finder()) else {
            return (characters, 1);
        };
        if finder.finds_none(inside) {
            return (characters, 1);
        }
        text.clear();
        if unescape(inside, text).is_none() {
            return self.decoded_prompt_size(slot);
        }
        let turns = turns::cut(text, markers);
        let characters = turns
            .iter()
            .map(|(_, range)| text[range.clone()].chars().count())
            .sum();
        (to_u32(characters), to_u32(turns.len()))
    }

    fn decoded_prompt_size(&self, slot: u16) -> (u32, u32) {
        let turns = self.turns(slot, &mut Vec::new()).unwrap_or_default();
        let prompt = ReadPrompt(&turns);
        (prompt.characters(), prompt.turns())
    }
}

/// Fills in what each column counts.
fn count<F>(columns: &[(BuiltIn, F)], counts: &mut Vec<u32>, count: impl Fn(&F) -> u32) {
    counts.clear();
    counts.extend(columns.iter().map(|(_, column)| count(column)));
}

/// A prompt that has a place of its own on the row.
struct RowPrompt<'a, 'r, 's> {
    row: &'a CapturedRow<'r, 's>,
    slot: u16,
    /// Characters and turns.
    size: (u32, u32),
    scratch: &'a Cell<String>,
}

impl PromptContent for RowPrompt<'_, '_, '_> {
    fn characters(&self) -> u32 {
        self.size.0
    }

    fn turns(&self) -> u32 {
        self.size.1
    }

    fn each_turn(&self, see: &mut dyn FnMut(&str)) {
        let mut scratch = self.scratch.take();
        self.row.show_prompt(self.slot, &mut scratch, see);
        self.scratch.set(scratch);
    }
}

/// A response that has a place of its own on the row.
struct RowResponse<'a, 'r, 's> {
    row: &'a CapturedRow<'r, 's>,
    slot: u16,
    quotes: u32,
}

impl ResponseContent for RowResponse<'_, '_, '_> {
    fn characters(&self) -> u32 {
        self.row.characters(self.slot).unwrap_or_else(|| {
            let text = self.row.response_text(self.slot, &mut Vec::new());
            text.map_or(0, |text| to_u32(text.chars().count()))
        })
    }

    fn quotes(&self) -> u32 {
        self.quotes
    }

    fn lines(&self) -> u32 {
        self.row.lines(self.slot).unwrap_or_else(|| {
            let text = self.row.response_text(self.slot, &mut Vec::new());
            text.map_or(0, |text| to_u32(text.lines().count()))
        })
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

    fn each_turn(&self, see: &mut dyn FnMut(&str)) {
        self.0.iter().for_each(|turn| see(&turn.text));
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
