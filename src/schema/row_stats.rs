//! What a row adds to the columns of a dataset: its numbers, and how long its texts are, with
//! hardly a text decoded.

use super::decode;
use super::definition::VerdictRule;
use super::reader::{CapturedRow, Schema};
use super::turns;
use super::unescape::{inside, unescape};
use crate::model::{Turn, Verdict};

/// What [`CapturedRow::digest`] finds; made to be filled over and over.
#[derive(Debug)]
pub struct RowStats {
    /// Characters (Unicode scalar values) of the prompt, turn markers excluded.
    pub prompt_length: u32,
    /// Turns of the prompt; 0 without one.
    pub turns: u16,
    /// Characters of each response; 0 where there is none.
    pub lengths: [u32; 2],
    /// Quotes of each response; 0 where there is none.
    pub quotes: [u16; 2],
    /// Labels and scores of the first response in the schema's order, and then of the second; NaN
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
    text: String,
}

impl Default for RowStats {
    /// What a malformed row says: nothing.
    fn default() -> Self {
        Self {
            prompt_length: 0,
            turns: 0,
            lengths: [0; 2],
            quotes: [0; 2],
            ratings: Vec::new(),
            verdict: None,
            margin: f64::NAN,
            has_odd_value: false,
            has_flaw: false,
            text: String::new(),
        }
    }
}

impl Schema {
    /// Number of responses on a row: 1 or 2.
    pub fn responses(&self) -> usize {
        self.slots().responses.len()
    }

    /// Whether responses can have quotes.
    pub fn has_quotes(&self) -> bool {
        self.slots()
            .responses
            .iter()
            .any(|response| response.quotes.is_some())
    }

    /// Whether rows state verdicts themselves, on other grounds than labels.
    pub fn states_verdicts(&self) -> bool {
        let rule = self.definition().rule();
        self.responses() == 2 && rule.is_some_and(|rule| !matches!(rule, VerdictRule::ByLabel(_)))
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
        match slots.prompt {
            Some(slot) => {
                if !same_prompt {
                    (digest.prompt_length, digest.turns) = self.prompt_size(slot, &mut digest.text);
                }
                for (length, response) in digest.lengths.iter_mut().zip(&slots.responses) {
                    *length = self.response_length(response.text);
                }
            }
            None => self.digest_transcripts(digest),
        }
        digest.quotes = self.quotes().map(to_u16);
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

    fn prompt_size(&self, slot: u16, text: &mut String) -> (u32, u16) {
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
        (to_u32(characters), to_u16(turns.len()))
    }

    fn decoded_prompt_size(&self, slot: u16) -> (u32, u16) {
        size_of(&self.turns(slot, &mut Vec::new()).unwrap_or_default())
    }

    fn response_length(&self, slot: u16) -> u32 {
        self.characters(slot).unwrap_or_else(|| {
            self.response_text(slot, &mut Vec::new())
                .map_or(0, |text| to_u32(text.chars().count()))
        })
    }

    /// Where the prompt is what the transcripts share.
    fn digest_transcripts(&self, digest: &mut RowStats) {
        let record = self.record().unwrap_or_default();
        (digest.prompt_length, digest.turns) = size_of(&record.prompt);
        digest.lengths = [0; 2];
        for (length, response) in digest.lengths.iter_mut().zip(&record.responses) {
            *length = to_u32(response.text.chars().count());
        }
    }
}

fn size_of(turns: &[Turn<'_>]) -> (u32, u16) {
    let characters = turns.iter().map(|turn| turn.text.chars().count()).sum();
    (to_u32(characters), to_u16(turns.len()))
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn to_u16(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
