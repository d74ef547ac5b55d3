//! The rows of each format, as documented by its trainer.
//!
//! The order of members and the shape are fixed: every row of a file has the same members with
//! values of the same kind, as columnar readers of trainers expect.

use std::io::{self, Write};

use serde_json::json;

use super::corrections::LabelledValue;
use super::messages::{ConversationMessage, ToolCall};
use super::{SkipReason, TrainingFormat};
use crate::model::{Role, Turn};
use crate::schema::{Definition, Label, Path, Schema, built_in, is_json, turns_of, value_at};

/// A prompt with a preferred and a rejected response.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'s> {
    pub(super) prompt: &'s [ConversationMessage<'s>],
    /// The winner.
    pub(super) chosen: &'s [ConversationMessage<'s>],
    /// The loser.
    pub(super) rejected: &'s [ConversationMessage<'s>],
    /// Further members of the row, or for OpenAI of its input, as JSON.
    pub(super) members: &'s [(&'static str, String)],
}

impl Pair<'_> {
    /// Writes the pair as a line; nothing for a format without pairs.
    pub(super) fn write(self, format: TrainingFormat, out: &mut dyn Write) -> io::Result<()> {
        let [before, middle, between, end] = match format {
            TrainingFormat::Trl => ["{\"prompt\":", ",\"chosen\":", ",\"rejected\":", ""],
            TrainingFormat::OpenAi => [
                "{\"input\":{\"messages\":",
                "},\"preferred_output\":",
                ",\"non_preferred_output\":",
                "",
            ],
            TrainingFormat::NemoRl => [
                "{\"context\":",
                ",\"completions\":[{\"rank\":0,\"completion\":",
                "},{\"rank\":1,\"completion\":",
                "}]",
            ],
            TrainingFormat::LlamaFactory => {
                ["{\"conversations\":", ",\"chosen\":", ",\"rejected\":", ""]
            }
            TrainingFormat::HelpSteer2 => return Ok(()),
        };
        out.write_all(before.as_bytes())?;
        list(format, self.prompt, out)?;
        let members = self.members.iter();
        let members: String = members
            .map(|(name, value)| format!(",\"{name}\":{value}"))
            .collect();
        let [of_input, of_row] = match format {
            TrainingFormat::OpenAi => [&*members, ""],
            _ => ["", &*members],
        };
        out.write_all(of_input.as_bytes())?;
        for (text, answer) in [(middle, self.chosen), (between, self.rejected)] {
            out.write_all(text.as_bytes())?;
            match (format, answer) {
                (TrainingFormat::LlamaFactory, [one]) => message(format, one, out)?,
                _ => list(format, answer, out)?,
            }
        }
        writeln!(out, "{end}{of_row}}}")
    }
}

impl TrainingFormat {
    /// Returns the names of members that define tools, the definitions first.
    pub(super) const fn tool_members(self) -> &'static [&'static str] {
        match self {
            Self::Trl | Self::LlamaFactory => &["tools"],
            Self::OpenAi => &["tools", "parallel_tool_calls"],
            Self::NemoRl | Self::HelpSteer2 => &[],
        }
    }

    /// Returns these members of a row, as JSON: those of an object that is the prompt, or beside
    /// the messages of the prompt.
    pub(super) fn tools(self, schema: &Schema, line: &[u8]) -> Vec<(&'static str, String)> {
        let names = self.tool_members();
        let prompt = schema.definition().prompt.as_ref();
        let steps = prompt.and_then(|prompt| prompt.path.first());
        let steps = steps.map_or(&[][..], Path::steps);
        let around = &steps[..steps.len().saturating_sub(1)];
        let objects = [steps, around].map(Path::of_steps);
        let spelled = |value: String| {
            // A text can be the JSON of the tools; LLaMA-Factory requires that.
            let inside = serde_json::from_str::<String>(&value).ok();
            let inside = inside
                .filter(|text| is_json(text.as_bytes()))
                .unwrap_or(value);
            match self {
                Self::LlamaFactory => json!(inside).to_string(),
                _ => one_line(&inside),
            }
        };
        let member = |name: &'static str| {
            let mut values = objects.iter().map(|path| value_at(&path.then(name), line));
            Some((name, spelled(values.find_map(|value| value)?)))
        };
        let members: Vec<_> = names.iter().filter_map(|name| member(name)).collect();
        match members.first() {
            // Without tools, trainers expect neither.
            Some((name, tools)) if *name == names[0] && tools != "[]" => members,
            _ => Vec::new(),
        }
    }
}

/// A row must be one line. Outside of JSON strings a line break equals a blank.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

fn list(
    format: TrainingFormat,
    messages: &[ConversationMessage<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (at, one) in messages.iter().enumerate() {
        out.write_all(if at == 0 { b"[" } else { b"," })?;
        message(format, one, out)?;
    }
    out.write_all(b"]")
}

/// Writes a message with `from` and `value` for ShareGPT, otherwise with `role` and `content`.
fn message(
    format: TrainingFormat,
    message: &ConversationMessage<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ConversationMessage {
        role,
        text,
        reasoning,
        calls,
    } = message;
    let is_share_gpt = format == TrainingFormat::LlamaFactory;
    let [from, value] = if is_share_gpt {
        ["from", "value"]
    } else {
        ["role", "content"]
    };
    let speaker = match (role, is_share_gpt) {
        (Role::User, true) => "human",
        (Role::User, false) => "user",
        (Role::System, _) => "system",
        (Role::ToolResult, true) => "observation",
        (Role::ToolResult, false) => "tool",
        (_, true) if text.is_none() => "function_call",
        (_, true) => "gpt",
        (_, false) => "assistant",
    };
    write!(out, "{{\"{from}\":\"{speaker}\"")?;
    let is_result = *role == Role::ToolResult;
    if let Some(call) = calls.first().filter(|_| is_result && !is_share_gpt) {
        write!(out, ",\"tool_call_id\":\"call_{}\"", call.number)?;
        if format != TrainingFormat::OpenAi {
            write!(out, ",\"name\":{}", json!(call.name))?;
        }
    }
    write!(out, ",\"{value}\":")?;
    let spelled = calls.iter().map(|call| spelled_call(format, call));
    match text {
        Some(text) => string(text, out)?,
        None if !is_share_gpt => out.write_all(b"null")?,
        None if calls.len() == 1 => string(&spelled.clone().collect::<String>(), out)?,
        None => string(
            &format!("[{}]", spelled.clone().collect::<Vec<_>>().join(",")),
            out,
        )?,
    }
    if let Some(reasoning) = reasoning {
        out.write_all(b",\"reasoning_content\":")?;
        string(reasoning, out)?;
    }
    if !is_result && !is_share_gpt && !calls.is_empty() {
        let spelled: Vec<_> = spelled.collect();
        write!(out, ",\"tool_calls\":[{}]", spelled.join(","))?;
    }
    out.write_all(b"}")
}

/// Formats a call as JSON, with arguments as a string for OpenAI and as an object otherwise.
fn spelled_call(format: TrainingFormat, call: &ToolCall) -> String {
    let is_object = call.arguments.starts_with('{') && is_json(call.arguments.as_bytes());
    let arguments = if is_object && format != TrainingFormat::OpenAi {
        one_line(&call.arguments)
    } else {
        json!(call.arguments).to_string()
    };
    let function = format!(
        "{{\"name\":{},\"arguments\":{arguments}}}",
        json!(call.name)
    );
    match format {
        TrainingFormat::LlamaFactory => function,
        _ => format!(
            "{{\"id\":\"call_{}\",\"type\":\"function\",\"function\":{function}}}",
            call.number
        ),
    }
}

/// Writes a text as a JSON string.
pub(super) fn string(text: &str, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

/// The rows of a sample in a format with one response per row.
#[derive(Debug)]
pub(super) struct RatedRows<'s> {
    /// Their common prompt as one text.
    pub(super) prompt: String,
    /// Each response with its label values, in the schema's order.
    pub(super) rows: Vec<(&'s str, Vec<i64>)>,
}

/// HelpSteer2: one response per row with its labels, written by the schema that reads it.
#[derive(Debug)]
pub(super) struct RatedLayout {
    definition: Definition,
    /// The previous prompt, and true if an odd number of rows has it: then the next row with that
    /// prompt would be read as their partner.
    before: Option<(String, bool)>,
}

impl RatedLayout {
    /// Uses the built-in schema.
    pub(super) fn built_in() -> Option<Self> {
        let mut all = built_in().into_iter();
        let definition = all.find(|definition| definition.name == "helpsteer2")?;
        Some(Self {
            definition,
            before: None,
        })
    }

    /// Returns the rows of a sample, one per response; an error if any cannot be expressed.
    pub(super) fn rows<'s>(
        &mut self,
        prompt: &[Turn<'_>],
        responses: &[&'s str],
        labels: &[LabelledValue],
    ) -> Result<RatedRows<'s>, SkipReason> {
        match responses.len() {
            0 => return Err(SkipReason::Single),
            1 | 2 => {}
            _ => return Err(SkipReason::ManyResponses),
        }
        let prompt = self.prompt(prompt)?;
        let mut rows = Vec::with_capacity(responses.len());
        for (place, response) in responses.iter().enumerate() {
            // A trainer appends it to the prompt as the next turn.
            if self.turns(response).is_none_or(|turns| turns.len() != 1) {
                return Err(SkipReason::TurnMarker);
            }
            let is_own = |label: &&LabelledValue| label.response.index() == place;
            let own: Vec<_> = labels.iter().filter(is_own).collect();
            let values = self.definition.labels.iter().map(|label| {
                let value = own.iter().find(|value| value.name == label.name);
                let value = value.and_then(|value| value.now);
                whole(label, value.ok_or(SkipReason::MissingLabel)?).ok_or(SkipReason::LabelValue)
            });
            rows.push((*response, values.collect::<Result<_, _>>()?));
        }
        let is_odd = match &self.before {
            Some((before, is_odd)) if *before == prompt => *is_odd,
            _ => false,
        };
        if is_odd {
            return Err(SkipReason::SamePrompt);
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

    /// Joins turns with a marker before each but the first; an error if they would be read
    /// differently.
    fn prompt(&self, turns: &[Turn<'_>]) -> Result<String, SkipReason> {
        let markers = self.definition.turns.as_ref();
        let markers = markers.ok_or(SkipReason::TurnMarker)?;
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
            Err(SkipReason::TurnMarker)
        }
    }

    fn turns<'t>(&self, text: &'t str) -> Option<Vec<Turn<'t>>> {
        let markers = self.definition.turns.as_ref()?;
        Some(turns_of(text.into(), markers, Role::User))
    }
}

/// Returns the value of a label if it is a whole number in its range.
fn whole(label: &Label, value: f64) -> Option<i64> {
    let [low, high] = label.range?;
    let is_one = value.fract() == 0.0 && (low..=high).contains(&value);
    is_one.then_some(value as i64)
}
