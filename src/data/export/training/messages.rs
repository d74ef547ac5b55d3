//! Turns as messages of a chat, including tool calls and their results.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use serde_json::value::RawValue;

use super::{SkipReason, TrainingFormat};
use crate::model::{Continues, Response, Role, ToolLink, Turn};
use crate::schema::{Path, Schema, is_json, value_at};

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ConversationMessage<'s> {
    /// The speaker: user, assistant, system, or tool.
    pub(super) role: Role,
    /// The text; `None` if the assistant only calls tools.
    pub(super) text: Option<Cow<'s, str>>,
    /// The assistant's reasoning, if it is a separate member of the message.
    pub(super) reasoning: Option<Cow<'s, str>>,
    /// The assistant's tool calls, or the call of this result if it is known.
    pub(super) calls: Vec<ToolCall>,
}

/// A call of a tool by a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCall {
    /// Its number among all calls of the conversation, from 1.
    pub(super) number: usize,
    /// Its id in the record.
    id: Option<String>,
    pub(super) name: String,
    /// Usually a JSON object, but the model may have written anything.
    pub(super) arguments: String,
}

/// A prompt and its responses, as a format writes them.
#[derive(Debug)]
pub(super) struct Conversation<'s> {
    pub(super) prompt: Vec<ConversationMessage<'s>>,
    /// The messages of each response.
    pub(super) answers: Vec<Vec<ConversationMessage<'s>>>,
    /// The whole text of each response.
    pub(super) texts: Vec<&'s str>,
}

/// Converts turns to messages. A result belongs to the first open call that matches the id or tool
/// it names.
#[derive(Debug, Default)]
struct MessageReader<'s> {
    messages: Vec<ConversationMessage<'s>>,
    /// Calls without a result so far.
    open: VecDeque<ToolCall>,
    calls: usize,
    /// True if a result lacks its call, or a message comes before all results.
    has_loose_ends: bool,
}

impl<'s> Conversation<'s> {
    /// Converts a prompt and its responses.
    ///
    /// # Errors
    /// The reason why the format does not support one of them.
    pub(super) fn of(
        prompt: &'s [Turn<'_>],
        responses: &'s [Response<'_>],
        format: TrainingFormat,
    ) -> Result<Self, SkipReason> {
        if prompt.is_empty() {
            return Err(SkipReason::NoPrompt);
        }
        let turns =
            (prompt.iter()).map(|turn| (turn.role, &*turn.text, &turn.tool, &turn.continues));
        let said = Said::of_turns(turns, format)?;
        if !said
            .iter()
            .all(|said| format.prompt_roles.contains(&said.role))
        {
            return Err(SkipReason::PromptRole);
        }
        let mut reader = MessageReader::default();
        said.into_iter().try_for_each(|said| reader.read(said))?;
        if !(format.has_order)(&reader.messages) {
            return Err(SkipReason::PromptOrder);
        }
        let answers = responses.iter().map(|response| {
            let (messages, open) = (Vec::new(), reader.open.clone());
            let asked = MessageReader {
                messages,
                open,
                ..reader
            };
            asked.answer(response, format)
        });
        Ok(Self {
            answers: answers.collect::<Result<_, _>>()?,
            texts: responses.iter().map(|response| &*response.text).collect(),
            prompt: reader.messages,
        })
    }
}

impl TrainingFormat {
    /// Returns the members of a row that define tools, as JSON after a comma each: those of an
    /// object that is the prompt, or beside the messages of the prompt.
    pub(super) fn tool_members(self, schema: &Schema, line: &[u8]) -> String {
        let prompt = schema.definition().prompt.as_ref();
        let steps = prompt.and_then(|prompt| prompt.path.first());
        let steps = steps.map_or(&[][..], Path::steps);
        let around = &steps[..steps.len().saturating_sub(1)];
        let objects = [steps, around].map(Path::of_steps);
        let mut members = String::new();
        for name in self.tools {
            let mut values = objects.iter().map(|path| value_at(&path.then(name), line));
            let value = values.find_map(|value| value).map(|value| {
                // A text can be the JSON of the tools; LLaMA-Factory requires that.
                let inside = serde_json::from_str::<String>(&value).ok();
                let inside = inside.filter(|text| is_json(text.as_bytes()));
                (self.tool)(&inside.unwrap_or(value))
            });
            match value {
                // Without tools, trainers expect none of these members.
                None if members.is_empty() => break,
                Some(tools) if members.is_empty() && tools == "[]" => break,
                Some(value) => members += &format!(r#","{name}":{value}"#),
                None => {}
            }
        }
        members
    }
}

impl<'s> MessageReader<'s> {
    /// Returns the messages of a response.
    fn answer(
        mut self,
        response: &'s Response<'_>,
        format: TrainingFormat,
    ) -> Result<Vec<ConversationMessage<'s>>, SkipReason> {
        let none = ToolLink::default();
        let turns = response.turns.iter().zip(response.texts());
        let turns = turns.map(|(turn, text)| (turn.role, text, &turn.tool, &turn.continues));
        let said = if response.turns.is_empty() {
            vec![Said::new(Role::Assistant, &response.text, &none)]
        } else {
            Said::of_turns(turns, format)?
        };
        let last = said.last().map(|said| said.role);
        if !matches!(last, Some(Role::Assistant | Role::ToolCall)) {
            return Err(SkipReason::NoAnswer);
        }
        // A single message needs no format that has several.
        let is_single = said.len() == 1 && last == Some(Role::Assistant);
        if !is_single
            && !said
                .iter()
                .all(|said| format.answer_roles.contains(&said.role))
        {
            return Err(SkipReason::SeveralTurns);
        }
        said.into_iter().try_for_each(|said| self.read(said))?;
        if format.needs_results && self.has_loose_ends {
            Err(SkipReason::ToolCalls)
        } else {
            Ok(self.messages)
        }
    }

    fn read(&mut self, said: Said<'s, '_>) -> Result<(), SkipReason> {
        let Said { role, tool, .. } = said;
        if role == Role::ToolCall {
            let mut calls = Vec::new();
            read_calls(&said.text, self.calls, &mut calls).ok_or(SkipReason::ToolCalls)?;
            for call in &mut calls {
                call.id = tool.id.clone().or(call.id.take());
            }
            self.calls += calls.len();
            self.open.extend(calls.iter().cloned());
            match self
                .messages
                .last_mut()
                .filter(|_| said.reasoning.is_none())
            {
                Some(last) if last.role == Role::Assistant => last.calls.extend(calls),
                _ => self.messages.push(ConversationMessage {
                    role: Role::Assistant,
                    text: None,
                    reasoning: said.reasoning,
                    calls,
                }),
            }
            return Ok(());
        }
        let is_result = role == Role::ToolResult;
        self.has_loose_ends |= self.open.is_empty() == is_result;
        let mut answered = None;
        if is_result && !self.open.is_empty() {
            let at = self.open.iter().position(|call| call.has_result(tool));
            answered = self.open.remove(at.ok_or(SkipReason::ToolCalls)?);
        }
        self.messages.push(ConversationMessage {
            role,
            text: Some(said.text),
            reasoning: said.reasoning,
            calls: answered.into_iter().collect(),
        });
        Ok(())
    }
}

/// What a message says: a turn, or reasoning and the turn that continues it.
struct Said<'s, 't> {
    role: Role,
    text: Cow<'s, str>,
    /// Reasoning of the same message, outside of its text.
    reasoning: Option<Cow<'s, str>>,
    tool: &'t ToolLink,
}

impl<'s, 't> Said<'s, 't> {
    fn new(role: Role, text: &'s str, tool: &'t ToolLink) -> Self {
        Self {
            role,
            text: Cow::Borrowed(text),
            reasoning: None,
            tool,
        }
    }

    /// Joins reasoning with what continues it.
    ///
    /// # Errors
    /// [`SkipReason::Reasoning`] if the format has no place for it.
    fn of_turns(
        turns: impl Iterator<Item = (Role, &'s str, &'t ToolLink, &'t Continues)>,
        format: TrainingFormat,
    ) -> Result<Vec<Self>, SkipReason> {
        let mut all: Vec<Self> = Vec::new();
        for (role, text, tool, continues) in turns {
            let mut said = Self::new(role, text, tool);
            let is_reasoning = |last: &mut Self| last.role == Role::Reasoning;
            let before = match continues {
                Continues::Nothing => None,
                _ => all.pop_if(is_reasoning),
            };
            match (continues, before) {
                (Continues::Text(between), Some(before)) => {
                    said.text = Cow::Owned(format!("{}{between}{text}", before.text));
                    said.reasoning = before.reasoning;
                }
                (_, Some(before)) => {
                    let all = before.reasoning.into_iter().chain([before.text]);
                    said.reasoning = Some(Cow::Owned(all.collect::<Vec<_>>().join("\n")));
                }
                (_, None) => {}
            }
            all.push(said);
        }
        let has_no_place = |said: &Self| {
            said.role == Role::Reasoning || (said.reasoning.is_some() && !format.has_reasoning)
        };
        if all.iter().any(has_no_place) {
            Err(SkipReason::Reasoning)
        } else {
            Ok(all)
        }
    }
}

impl ToolCall {
    /// True if a result may belong to this call: neither its id nor its tool contradicts it.
    fn has_result(&self, result: &ToolLink) -> bool {
        let ids = result.id.as_ref().zip(self.id.as_ref());
        let is_tool = |name: &String| *name == self.name;
        ids.is_none_or(|(said, own)| said == own) && result.name.as_ref().is_none_or(is_tool)
    }
}

/// Parses a call: `name(arguments)`, or JSON with `name` and `arguments`, as an object or a list of
/// them; `before` is the number of previous calls. `None` if it is neither.
fn read_calls(text: &str, before: usize, calls: &mut Vec<ToolCall>) -> Option<()> {
    if text.starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        return list
            .iter()
            .try_for_each(|call| read_calls(call.get(), before, calls));
    }
    let (id, name, arguments) = if text.starts_with('{') {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
        let arguments = members.get("arguments")?.get();
        let decoded = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.to_owned());
        let id = members.get("id");
        (
            id.and_then(|id| serde_json::from_str(id.get()).ok()),
            serde_json::from_str(members.get("name")?.get()).ok()?,
            decoded,
        )
    } else {
        let (name, arguments) = text.strip_suffix(')')?.split_once('(')?;
        (None, name.to_owned(), arguments.to_owned())
    };
    calls.push(ToolCall {
        number: before + calls.len() + 1,
        id,
        name,
        arguments,
    });
    Some(())
}
