//! The rows of each format, as its trainer documents them.
//!
//! Member order is fixed, and so is the shape: every row of a file has the same members with values
//! of the same kind, as the readers of columns behind trainers expect it.

use std::io::{self, Write};

use super::corrections::LabelledValue;
use super::{TrainingFormat, Unsayable};
use crate::model::{Role, Turn};
use crate::schema::{Definition, Label, built_in, turns_of};

/// A prompt with the response that is preferred and one that is not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'s> {
    /// The prompt's turns.
    pub(super) prompt: &'s [Turn<'s>],
    /// The one that wins.
    pub(super) chosen: &'s str,
    /// The one that does not.
    pub(super) rejected: &'s str,
}

/// How messages are spelled.
struct MessageSpelling {
    role: &'static str,
    content: &'static str,
    user: &'static str,
    assistant: &'static str,
}

const CHAT: MessageSpelling = MessageSpelling {
    role: "role",
    content: "content",
    user: "user",
    assistant: "assistant",
};

const SHAREGPT: MessageSpelling = MessageSpelling {
    role: "from",
    content: "value",
    user: "human",
    assistant: "gpt",
};

impl Pair<'_> {
    /// Writes it as a line; nothing for a format that has no pairs.
    pub(super) fn write(self, format: TrainingFormat, out: &mut dyn Write) -> io::Result<()> {
        let [chosen, rejected] = [self.chosen, self.rejected];
        match format {
            TrainingFormat::Trl => {
                out.write_all(b"{\"prompt\":")?;
                CHAT.list(self.prompt, out)?;
                out.write_all(b",\"chosen\":")?;
                CHAT.answer_alone(chosen, out)?;
                out.write_all(b",\"rejected\":")?;
                CHAT.answer_alone(rejected, out)?;
            }
            TrainingFormat::OpenAi => {
                out.write_all(b"{\"input\":{\"messages\":")?;
                CHAT.list(self.prompt, out)?;
                out.write_all(b"},\"preferred_output\":")?;
                CHAT.answer_alone(chosen, out)?;
                out.write_all(b",\"non_preferred_output\":")?;
                CHAT.answer_alone(rejected, out)?;
            }
            TrainingFormat::NemoRl => {
                out.write_all(b"{\"context\":")?;
                CHAT.list(self.prompt, out)?;
                out.write_all(b",\"completions\":[{\"rank\":0,\"completion\":")?;
                CHAT.answer_alone(chosen, out)?;
                out.write_all(b"},{\"rank\":1,\"completion\":")?;
                CHAT.answer_alone(rejected, out)?;
                out.write_all(b"}]")?;
            }
            TrainingFormat::LlamaFactory => {
                out.write_all(b"{\"conversations\":")?;
                SHAREGPT.list(self.prompt, out)?;
                out.write_all(b",\"chosen\":")?;
                SHAREGPT.message(Role::Assistant, chosen, out)?;
                out.write_all(b",\"rejected\":")?;
                SHAREGPT.message(Role::Assistant, rejected, out)?;
            }
            TrainingFormat::HelpSteer2 => return Ok(()),
        }
        out.write_all(b"}\n")
    }
}

impl MessageSpelling {
    fn list(&self, turns: &[Turn<'_>], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")?;
        for (at, turn) in turns.iter().enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            self.message(turn.role, &turn.text, out)?;
        }
        out.write_all(b"]")
    }

    /// A list of one message: the answer.
    fn answer_alone(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")?;
        self.message(Role::Assistant, text, out)?;
        out.write_all(b"]")
    }

    fn message(&self, role: Role, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let speaker = match role {
            Role::User => self.user,
            Role::System => "system",
            _ => self.assistant,
        };
        let Self { role, content, .. } = self;
        write!(out, "{{\"{role}\":\"{speaker}\",\"{content}\":")?;
        string(text, out)?;
        out.write_all(b"}")
    }
}

/// A text as a JSON string.
pub(super) fn string(text: &str, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

/// The rows of a sample of which each is one response.
#[derive(Debug)]
pub(super) struct RatedRows<'s> {
    /// The prompt of all of them, as one text.
    pub(super) prompt: String,
    /// Each response with the values of the labels, in the schema's order.
    pub(super) rows: Vec<(&'s str, Vec<i64>)>,
}

/// HelpSteer2: one response a row with its labels, by the schema that reads it.
#[derive(Debug)]
pub(super) struct RatedLayout {
    definition: Definition,
    /// The prompt of the rows before, and whether an odd number of rows has it: then the next one
    /// with that prompt is read as their partner.
    before: Option<(String, bool)>,
}

impl RatedLayout {
    /// As the built-in schema has it.
    pub(super) fn built_in() -> Option<Self> {
        let mut all = built_in().into_iter();
        let definition = all.find(|definition| definition.name == "helpsteer2")?;
        Some(Self {
            definition,
            before: None,
        })
    }

    /// The rows of a sample, one a response; nothing of them where one cannot be said.
    pub(super) fn rows<'s>(
        &mut self,
        prompt: &[Turn<'_>],
        responses: &[&'s str],
        labels: &[LabelledValue],
    ) -> Result<RatedRows<'s>, Unsayable> {
        match responses.len() {
            0 => return Err(Unsayable::Single),
            1 | 2 => {}
            _ => return Err(Unsayable::ManyResponses),
        }
        let prompt = self.prompt(prompt)?;
        let mut rows = Vec::with_capacity(responses.len());
        for (place, response) in responses.iter().enumerate() {
            // A trainer puts it behind the prompt as the next turn.
            if self.turns(response).is_none_or(|turns| turns.len() != 1) {
                return Err(Unsayable::TurnMarker);
            }
            let is_own = |label: &&LabelledValue| label.response.index() == place;
            let own: Vec<_> = labels.iter().filter(is_own).collect();
            let values = self.definition.labels.iter().map(|label| {
                let value = own.iter().find(|value| value.name == label.name);
                let value = value.and_then(|value| value.now);
                whole(label, value.ok_or(Unsayable::MissingLabel)?).ok_or(Unsayable::LabelValue)
            });
            rows.push((*response, values.collect::<Result<_, _>>()?));
        }
        let is_odd = match &self.before {
            Some((before, is_odd)) if *before == prompt => *is_odd,
            _ => false,
        };
        if is_odd {
            return Err(Unsayable::SamePrompt);
        }
        self.before = Some((prompt.clone(), responses.len() == 1));
        Ok(RatedRows { prompt, rows })
    }

    /// Writes a row as a line.
    pub(super) fn write(
        &self,
        prompt: &str,
        response: &str,
        values: &[i64],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        out.write_all(b"{\"prompt\":")?;
        string(prompt, out)?;
        out.write_all(b",\"response\":")?;
        string(response, out)?;
        for (label, value) in self.definition.labels.iter().zip(values) {
            write!(out, ",\"{}\":{value}", label.name)?;
        }
        out.write_all(b"}\n")
    }

    /// The turns as one text with a marker before each but the first; an error where they would not
    /// be read as they are.
    fn prompt(&self, turns: &[Turn<'_>]) -> Result<String, Unsayable> {
        let markers = self.definition.turns.as_ref();
        let markers = markers.ok_or(Unsayable::TurnMarker)?;
        let mut text = String::new();
        for (at, turn) in turns.iter().enumerate() {
            let marker = match turn.role {
                Role::Assistant => &markers.assistant,
                _ => &markers.user,
            };
            if at > 0 {
                text.push('\n');
            }
            if at > 0 || turn.role == Role::Assistant {
                text.push_str(marker);
                text.push('\n');
            }
            text.push_str(&turn.text);
        }
        let is_read_so = self.turns(&text).is_some_and(|read| read == turns);
        if is_read_so {
            Ok(text)
        } else {
            Err(Unsayable::TurnMarker)
        }
    }

    fn turns<'t>(&self, text: &'t str) -> Option<Vec<Turn<'t>>> {
        Some(turns_of(text.into(), self.definition.turns.as_ref()?))
    }
}

/// A value of a label that its rows can have: a whole number in its range.
fn whole(label: &Label, value: f64) -> Option<i64> {
    let [low, high] = label.range?;
    let is_one = value.fract() == 0.0 && (low..=high).contains(&value);
    is_one.then_some(value as i64)
}
