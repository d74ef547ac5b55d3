//! Chat messages → turns, in all the shapes in which preference data has them: `{role, content}` and
//! ShareGPT's `{from, value}`, content as a text, as a list of parts or as `parts`, reasoning and tool
//! calls beside it.
//!
//! Nothing is left out: what is of no known kind becomes text as it stands in the file, and a
//! [`ReadWarning::UnknownContent`].

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::decode;
use super::strings;
use crate::model::{ReadWarning, Role, ToolLink, Turn, reasoning_end};
use crate::text;

/// Contents inside contents that are gone into: no real message has more than three.
const DEEPEST: usize = 16;

/// The turns of a value with what had to be overlooked for them; the error is a reason for people.
pub(super) type DecodedTurns<'r> = Result<(Vec<Turn<'r>>, Vec<ReadWarning>), String>;

/// Reads a list of messages, or one message alone. A message that does not say who speaks is of
/// `speaker`; a list may also hold bare texts, which are turns of `speaker`.
pub(super) fn turns<'r>(spelling: &str, speaker: Role) -> DecodedTurns<'r> {
    let mut reader = TurnReader {
        speaker,
        depth: 0,
        tool: ToolLink::default(),
        turns: Vec::new(),
        warnings: Vec::new(),
    };
    if strings::has_lone_surrogate(spelling.as_bytes()) {
        reader.warnings.push(ReadWarning::LoneSurrogate);
    }
    if spelling.starts_with('{') {
        let message = ChatMessage::of(spelling)?;
        if let Some(list) = there(&message.messages).filter(|list| list.starts_with('[')) {
            return turns(list, speaker);
        }
        // Any other object may have a text somewhere: alone that makes no message of it.
        if message.role.is_none() && message.from.is_none() && message.parts.is_none() {
            return Err("neither a role nor parts".to_owned());
        }
        reader.message(spelling)?;
    } else {
        for message in decode::json::<Vec<&RawValue>>(spelling)? {
            reader.message(message.get())?;
        }
    }
    Ok((reader.turns, reader.warnings))
}

/// Whether the first message of a list is the system's; reads no other one.
pub(super) fn begin_with_system(spelling: &str) -> bool {
    let list = spelling.strip_prefix('[').unwrap_or_default();
    let mut messages = serde_json::Deserializer::from_str(list).into_iter();
    let first: Option<UsualMessage<'_>> = messages.next().and_then(Result::ok);
    let role = first.and_then(|message| as_text(message.role?));
    role.is_some_and(|role| Role::named(&role) == Role::System)
}

/// What a list of messages, or a message, is without decoding it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// Each is somebody's text, as it stands in the line but for escapes.
    Verbatim,
    /// Something else stands there too, and its text is put together.
    Composed,
}

/// Which kind of messages [`turns`] will read of a captured list or object, if it will; decodes only
/// what is not of the usual shape. A list of bare texts is none of messages.
pub(super) fn check(spelling: &str) -> Result<MessageKind, String> {
    let is_text = |value: &Option<&RawValue>| value.is_some_and(|it| it.get().starts_with('"'));
    let is_usual = |message: &UsualMessage<'_>| {
        let beside = [
            message.reasoning_content,
            message.reasoning,
            message.tool_calls,
            message.function_call,
            message.thinking,
            message.text,
            message.parts,
        ];
        is_text(&message.role) && is_text(&message.content) && beside.iter().all(Option::is_none)
    };
    if spelling.starts_with('[') {
        let list: Vec<&RawValue> =
            serde_json::from_str(spelling).map_err(|error| error.to_string())?;
        if list.iter().any(|item| !item.get().starts_with('{')) {
            return Err("not messages".to_owned());
        }
        let usual = |item: &&RawValue| {
            serde_json::from_str(item.get()).is_ok_and(|message| is_usual(&message))
        };
        if list.iter().all(usual) {
            return Ok(MessageKind::Verbatim);
        }
    }
    turns(spelling, Role::Other).map(|_| MessageKind::Composed)
}

/// The parts of a message that say whether there is more than a text in it.
#[derive(Deserialize)]
struct UsualMessage<'r> {
    #[serde(alias = "from", borrow)]
    role: Option<&'r RawValue>,
    #[serde(alias = "value", borrow)]
    content: Option<&'r RawValue>,
    #[serde(default, borrow)]
    reasoning_content: Option<&'r RawValue>,
    #[serde(default, borrow)]
    reasoning: Option<&'r RawValue>,
    #[serde(default, borrow)]
    tool_calls: Option<&'r RawValue>,
    #[serde(default, borrow)]
    function_call: Option<&'r RawValue>,
    #[serde(default, borrow)]
    thinking: Option<&'r RawValue>,
    #[serde(default, borrow)]
    text: Option<&'r RawValue>,
    #[serde(default, borrow)]
    parts: Option<&'r RawValue>,
}

/// A message, or a part of one: what any of the known kinds has.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ChatMessage {
    #[serde(rename = "type")]
    kind: Option<Box<RawValue>>,
    role: Option<Box<RawValue>>,
    from: Option<Box<RawValue>>,
    speaker: Option<Box<RawValue>>,
    author: Option<Box<RawValue>>,
    #[serde(deserialize_with = "even_null")]
    content: Option<Box<RawValue>>,
    #[serde(deserialize_with = "even_null")]
    value: Option<Box<RawValue>>,
    parts: Option<Box<RawValue>>,
    text: Option<Box<RawValue>>,
    reasoning_content: Option<Box<RawValue>>,
    reasoning: Option<Box<RawValue>>,
    thinking: Option<Box<RawValue>>,
    tool_calls: Option<Box<RawValue>>,
    function_call: Option<Box<RawValue>>,
    #[serde(rename = "functionCall")]
    gemini_call: Option<Box<RawValue>>,
    #[serde(rename = "functionResponse")]
    gemini_response: Option<Box<RawValue>>,
    id: Option<Box<RawValue>>,
    call_id: Option<Box<RawValue>>,
    tool_call_id: Option<Box<RawValue>>,
    tool_use_id: Option<Box<RawValue>>,
    name: Option<Box<RawValue>>,
    arguments: Option<Box<RawValue>>,
    args: Option<Box<RawValue>>,
    input: Option<Box<RawValue>>,
    function: Option<Box<RawValue>>,
    image: Option<Box<RawValue>>,
    image_url: Option<Box<RawValue>>,
    #[serde(rename = "inlineData", alias = "inline_data")]
    inline_data: Option<Box<RawValue>>,
    #[serde(rename = "fileData", alias = "file_data")]
    file_data: Option<Box<RawValue>>,
    source: Option<Box<RawValue>>,
    path: Option<Box<RawValue>>,
    url: Option<Box<RawValue>>,
    #[serde(rename = "fileUri", alias = "file_uri")]
    file_uri: Option<Box<RawValue>>,
    filename: Option<Box<RawValue>>,
    /// A message with other things beside it, and a list of them.
    message: Option<Box<RawValue>>,
    messages: Option<Box<RawValue>>,
}

/// A value that is there, and may be null.
fn even_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl ChatMessage {
    fn of(spelling: &str) -> Result<Self, String> {
        if !spelling.starts_with('{') {
            return Err("not an object".to_owned());
        }
        decode::json(spelling)
    }

    /// Whether it is the message of somebody, and not any other object.
    fn speaks(&self) -> bool {
        [
            &self.content,
            &self.value,
            &self.parts,
            &self.text,
            &self.reasoning_content,
            &self.tool_calls,
            &self.function_call,
        ]
        .iter()
        .any(|field| field.is_some())
    }

    /// How it names the tool call that it is or belongs to, at last by this id.
    fn link(&self, id: &Option<Box<RawValue>>) -> ToolLink {
        let ids = [&self.tool_call_id, &self.tool_use_id, &self.call_id, id];
        let word = |value| Some(decode::plain(there(value)?).0.into_owned());
        let mut ids = ids.into_iter().filter_map(word);
        ToolLink {
            id: ids.find(|id| !id.is_empty()),
            name: word(&self.name).filter(|name| !name.is_empty()),
        }
    }

    /// The text of whichever of its fields is a non-empty text first.
    fn first_text(fields: &[&Option<Box<RawValue>>]) -> Option<String> {
        let mut texts = fields
            .iter()
            .filter_map(|field| field.as_deref().and_then(as_text));
        texts.find(|text| !text.is_empty())
    }
}

/// What a value says, if it is a text.
fn as_text(value: &RawValue) -> Option<String> {
    let (text, _) = decode::string(value.get()).ok()?;
    Some(text.into_owned())
}

/// A value that is there and not null.
fn there(value: &Option<Box<RawValue>>) -> Option<&str> {
    value
        .as_deref()
        .map(RawValue::get)
        .filter(|spelling| *spelling != "null")
}

/// Takes messages and gives turns.
struct TurnReader<'r> {
    /// Who speaks where a message does not say so.
    speaker: Role,
    /// How many contents lie around the one that is read.
    depth: usize,
    /// The tool call that is read, or whose result is.
    tool: ToolLink,
    turns: Vec<Turn<'r>>,
    warnings: Vec<ReadWarning>,
}

impl TurnReader<'_> {
    fn message(&mut self, spelling: &str) -> Result<(), String> {
        if spelling.starts_with('"') {
            let (text, warning) = decode::string(spelling)?;
            self.warnings.extend(warning);
            self.text(self.speaker, &text);
            return Ok(());
        }
        if spelling.starts_with('[') {
            return self.exchange(spelling);
        }
        let message = ChatMessage::of(spelling)?;
        let roles = [&message.role, &message.from];
        let named = |role: &Option<Box<RawValue>>| Some(Role::named(&as_text(role.as_deref()?)?));
        // An author can have any name, which says nothing of the role.
        let mut others = [&message.speaker, &message.author].into_iter();
        let role = (roles.into_iter().find_map(named))
            .or_else(|| others.find_map(|name| named(name).filter(|role| *role != Role::Other)))
            .unwrap_or(self.speaker);
        if !message.speaks() {
            if roles.iter().all(|role| role.is_none()) {
                let inner = there(&message.message).filter(|_| self.depth < DEEPEST);
                self.depth += 1;
                let read = self.message(inner.ok_or("neither a role nor content")?);
                self.depth -= 1;
                return read;
            }
            self.as_it_stands(role, "a message without content", spelling);
            return Ok(());
        }
        let before = self.turns.len();
        self.tool = match role {
            // What is only called `id` is that of the message.
            Role::ToolResult => message.link(&None),
            _ => ToolLink::default(),
        };
        for reasoning in [
            &message.reasoning_content,
            &message.reasoning,
            &message.thinking,
        ] {
            if let Some(reasoning) = there(reasoning) {
                self.content(Role::Reasoning, reasoning);
            }
        }
        for content in [
            &message.content,
            &message.value,
            &message.parts,
            &message.text,
        ] {
            if let Some(content) = there(content) {
                self.content(role, content);
            }
        }
        if let Some(calls) = there(&message.tool_calls) {
            self.calls(calls);
        }
        if let Some(call) = there(&message.function_call) {
            self.call(call);
        }
        if self.turns.len() == before {
            self.push(role, String::new());
        }
        Ok(())
    }

    /// A question and its answer, as a list of both.
    fn exchange(&mut self, spelling: &str) -> Result<(), String> {
        let texts: Vec<Option<Cow<'_, str>>> = decode::json(spelling)?;
        for (text, role) in texts
            .iter()
            .zip([Role::User, Role::Assistant].into_iter().cycle())
        {
            self.text(role, text.as_deref().unwrap_or_default());
        }
        Ok(())
    }

    /// What stands where the text of a message is to stand.
    fn content(&mut self, role: Role, spelling: &str) {
        if self.depth == DEEPEST {
            return self.as_it_stands(role, "content inside much other content", spelling);
        }
        self.depth += 1;
        self.content_within(role, spelling);
        self.depth -= 1;
    }

    fn content_within(&mut self, role: Role, spelling: &str) {
        match spelling.as_bytes().first() {
            Some(b'"') => match decode::string(spelling) {
                Ok((text, warning)) => {
                    self.warnings.extend(warning);
                    self.text(role, &text);
                }
                Err(_) => self.as_it_stands(role, "a text", spelling),
            },
            Some(b'[') => self.parts(role, spelling),
            Some(b'{') => self.part(role, spelling, false),
            _ => self.as_it_stands(role, "a number, or true or false,", spelling),
        }
    }

    fn parts(&mut self, role: Role, spelling: &str) {
        let Ok(parts) = decode::json::<Vec<&RawValue>>(spelling) else {
            return self.as_it_stands(role, "a list", spelling);
        };
        let mut goes_on = false;
        for part in parts {
            let before = self.turns.len();
            self.part(role, part.get(), goes_on);
            let last_is_ours = self.turns.last().is_some_and(|turn| turn.role == role);
            goes_on = last_is_ours && (goes_on || self.turns.len() > before);
        }
    }

    /// A part of a message's content; where the turn before is of the same message and speaker, a
    /// text `goes_on` with it on a line of its own.
    fn part(&mut self, role: Role, spelling: &str, goes_on: bool) {
        if spelling == "null" {
            return;
        }
        if spelling.starts_with('"') {
            return match decode::string(spelling) {
                Ok((text, _)) => self.add(role, text.into_owned(), goes_on),
                Err(_) => self.as_it_stands(role, "a text", spelling),
            };
        }
        let Ok(part) = ChatMessage::of(spelling) else {
            return self.as_it_stands(role, "content", spelling);
        };
        let kind = part.kind.as_deref().and_then(as_text).unwrap_or_default();
        match &*kind {
            "thinking" | "reasoning" => {
                let text = ChatMessage::first_text(&[&part.thinking, &part.reasoning, &part.text]);
                match text {
                    Some(text) => self.push(Role::Reasoning, text),
                    None => self.as_it_stands(Role::Reasoning, "reasoning", spelling),
                }
            }
            "tool_use" | "tool_call" | "function_call" | "function" => self.call(spelling),
            "tool_result" | "function_response" | "function_call_output" => {
                self.tool = part.link(&part.id);
                match there(&part.content) {
                    Some(content) => self.content(Role::ToolResult, content),
                    None => self.as_it_stands(Role::ToolResult, "a tool's result", spelling),
                }
            }
            _ => match ChatMessage::first_text(&[&part.text]) {
                Some(text) => self.add(role, text, goes_on),
                None if part.is_image(&kind) => {
                    let image = part.image_name().unwrap_or_default();
                    self.add(role, format!("[image{image}]"), goes_on);
                }
                None => self.rare_part(role, &part, &kind, spelling),
            },
        }
    }

    fn rare_part(&mut self, role: Role, part: &ChatMessage, kind: &str, spelling: &str) {
        if let Some(call) = there(&part.gemini_call) {
            self.call(call);
        } else if let Some(response) = there(&part.gemini_response) {
            let said = ChatMessage::of(response).unwrap_or_default();
            self.tool = said.link(&said.id);
            self.push(Role::ToolResult, response.to_owned());
        } else if let Some(parts) = there(&part.parts).or(there(&part.content)) {
            self.content(role, parts);
        } else if part.text.is_none() {
            let what = if kind.is_empty() {
                "content without a type".to_owned()
            } else {
                format!("content of type {}", text::one_line(kind, 24))
            };
            self.as_it_stands(role, &what, spelling);
        }
    }

    fn calls(&mut self, spelling: &str) {
        match decode::json::<Vec<&RawValue>>(spelling) {
            Ok(calls) => calls.iter().for_each(|call| self.call(call.get())),
            Err(_) => self.call(spelling),
        }
    }

    /// A function that is asked for: its name and its arguments.
    fn call(&mut self, spelling: &str) {
        let outer = ChatMessage::of(spelling).unwrap_or_default();
        let inner = there(&outer.function).and_then(|function| ChatMessage::of(function).ok());
        let call = inner.as_ref().unwrap_or(&outer);
        let name = call.name.as_deref().and_then(as_text);
        let arguments = [&call.arguments, &call.args, &call.input]
            .into_iter()
            .find_map(there);
        self.tool = outer.link(&outer.id);
        match (name, arguments) {
            (Some(name), arguments) => {
                let arguments = arguments.map(decode::plain).unwrap_or_default().0;
                self.push(Role::ToolCall, format!("{name}({arguments})"));
            }
            (None, _) => self.as_it_stands(Role::ToolCall, "a tool call", spelling),
        }
    }

    /// A whole text of somebody: of a model, reasoning in front of it is a turn of its own.
    fn text(&mut self, role: Role, text: &str) {
        match reasoning_end(text).filter(|_| role == Role::Assistant) {
            Some(end) => {
                let (reasoning, answer) = text.split_at(end);
                self.push(Role::Reasoning, reasoning.to_owned());
                let answer = answer.trim_start_matches(['\n', '\r']);
                self.push(role, answer.to_owned());
            }
            None => self.push(role, text.to_owned()),
        }
    }

    fn add(&mut self, role: Role, text: String, goes_on: bool) {
        match self.turns.last_mut().filter(|_| goes_on) {
            Some(turn) => {
                let before = turn.text.to_mut();
                before.push('\n');
                before.push_str(&text);
            }
            None => self.push(role, text),
        }
    }

    fn push(&mut self, role: Role, text: String) {
        let mut turn = Turn::new(role, Cow::Owned(text));
        if matches!(role, Role::ToolCall | Role::ToolResult) {
            turn.tool = self.tool.clone();
        }
        self.turns.push(turn);
    }

    fn as_it_stands(&mut self, role: Role, what: &str, spelling: &str) {
        let what = what.to_owned();
        self.warnings.push(ReadWarning::UnknownContent { what });
        self.push(role, spelling.to_owned());
    }
}

impl ChatMessage {
    fn is_image(&self, kind: &str) -> bool {
        matches!(kind, "image" | "image_url" | "input_image")
            || [
                &self.image,
                &self.image_url,
                &self.inline_data,
                &self.file_data,
            ]
            .iter()
            .any(|field| there(field).is_some())
    }

    /// What an image is called, with a colon in front; `None` where it has no name, or is itself
    /// what stands there.
    fn image_name(&self) -> Option<String> {
        const LONGEST: usize = 120;
        let within = [&self.image, &self.image_url, &self.file_data, &self.source]
            .into_iter()
            .filter_map(there)
            .filter_map(|inner| Self::of(inner).ok());
        let named = |message: &Self| {
            let names = [
                &message.path,
                &message.url,
                &message.file_uri,
                &message.filename,
            ];
            Self::first_text(&names)
        };
        let own = Self::first_text(&[&self.image, &self.image_url, &self.path, &self.url]);
        let name = own.or_else(|| named(self)).or_else(|| {
            let mut names = within.filter_map(|inner| named(&inner));
            names.next()
        })?;
        let is_name = !name.starts_with("data:") && name.len() <= LONGEST;
        is_name.then(|| format!(": {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spelling: &str) -> Vec<(Role, String)> {
        let (turns, _) = turns(spelling, Role::User).expect("messages");
        let turn = |turn: Turn<'_>| (turn.role, turn.text.into_owned());
        turns.into_iter().map(turn).collect()
    }

    #[test]
    fn all_that_messages_say_becomes_turns() {
        use Role::{Assistant, Other, Reasoning, ToolCall, ToolResult, User};
        for (spelling, expected) in [
            (r#"[{"role": "user", "content": "hi"}]"#, vec![(User, "hi")]),
            (
                r#"[{"from": "gpt", "value": "yo"}]"#,
                vec![(Assistant, "yo")],
            ),
            (
                r#"[{"role": "tool", "content": null}]"#,
                vec![(ToolResult, "")],
            ),
            (r#"["a", "b"]"#, vec![(User, "a"), (User, "b")]),
            (
                r#"{"role": "model", "parts": [{"text": "a"}, {"text": "b"}]}"#,
                vec![(Assistant, "a\nb")],
            ),
            (r#"{"parts": [{"text": "ask"}]}"#, vec![(User, "ask")]),
            (
                r#"[["why?", "so"], ["how?", null]]"#,
                vec![
                    (User, "why?"),
                    (Assistant, "so"),
                    (User, "how?"),
                    (Assistant, ""),
                ],
            ),
            (
                r#"{"messages": [{"role": "AI", "content": "x"}], "tools": []}"#,
                vec![(Assistant, "x")],
            ),
            (
                r#"[{"message": {"role": "gpt", "content": "x"}, "id": 1}]"#,
                vec![(Assistant, "x")],
            ),
            (
                r#"[{"speaker": "Bot", "text": "x"}, {"from": "gpt", "author": "Kim", "value": "y"}]"#,
                vec![(Assistant, "x"), (Assistant, "y")],
            ),
            // A person's name is no role.
            (r#"[{"author": "Kim", "content": "x"}]"#, vec![(User, "x")]),
            (
                r#"[{"role": "narrator", "content": "x"}]"#,
                vec![(Other, "x")],
            ),
            (
                r#"[{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "image": {"path": "cat.png"}}, {"type": "text", "text": "what?"}]}]"#,
                vec![(User, "look\n[image: cat.png]\nwhat?")],
            ),
            (
                r#"[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}]"#,
                vec![(User, "[image]")],
            ),
            (
                r#"[{"role": "assistant", "reasoning_content": "hm", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bonn\"}"}}]}, {"role": "tool", "content": "9 degrees"}, {"role": "assistant", "content": "Cold."}]"#,
                vec![
                    (Reasoning, "hm"),
                    (ToolCall, "weather({\"city\": \"Bonn\"})"),
                    (ToolResult, "9 degrees"),
                    (Assistant, "Cold."),
                ],
            ),
            (
                r#"[{"role": "assistant", "content": [{"type": "thinking", "thinking": "so"}, {"type": "tool_use", "name": "f", "input": {"x": 1}}, {"type": "text", "text": "done"}]}]"#,
                vec![
                    (Reasoning, "so"),
                    (ToolCall, "f({\"x\": 1})"),
                    (Assistant, "done"),
                ],
            ),
            (
                r#"[{"role": "assistant", "content": "<think>\nwhy\n</think>\n\nBecause."}]"#,
                vec![
                    (Reasoning, "<think>\nwhy\n</think>"),
                    (Assistant, "Because."),
                ],
            ),
            (
                r#"[{"role": "user", "content": "<think> is a tag"}]"#,
                vec![(User, "<think> is a tag")],
            ),
            (
                r#"{"role": "model", "parts": [{"functionCall": {"name": "g", "args": {}}}]}"#,
                vec![(ToolCall, "g({})")],
            ),
            (r#"[{"role": "user", "content": 7}]"#, vec![(User, "7")]),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(role, text)| (role, text.to_owned()))
                .collect();
            assert_eq!(read(spelling), expected, "{spelling}");
        }
    }

    #[test]
    fn what_is_not_known_is_shown_as_it_stands_and_told() {
        let spelling =
            r#"[{"role": "user", "content": [{"type": "audio", "data": "UklG"}, {"text": "?"}]}]"#;
        let (turns, warnings) = turns(spelling, Role::User).expect("messages");
        let texts: Vec<_> = turns.iter().map(|turn| &*turn.text).collect();
        assert_eq!(
            texts,
            [r#"{"type": "audio", "data": "UklG"}"#.to_owned() + "\n?"]
        );
        let what = "content of type audio".to_owned();
        assert_eq!(warnings, [ReadWarning::UnknownContent { what }]);
    }

    #[test]
    fn content_inside_content_without_end_is_shown_as_it_stands() {
        let deep = 20_000;
        let (open, close) = (r#"{"content":"#.repeat(deep), "}".repeat(deep));
        let spelling = format!(r#"[{{"role": "user", "content": {open}"x"{close}}}]"#);
        let (turns, warnings) = turns(&spelling, Role::User).expect("messages");
        assert!(turns.len() == 1 && turns[0].text.len() > deep);
        let what = "content inside much other content".to_owned();
        assert_eq!(warnings, [ReadWarning::UnknownContent { what }]);
    }

    #[test]
    fn messages_inside_many_messages_are_an_error() {
        let nested = |depth: usize| {
            let (before, after) = (r#"{"message": "#.repeat(depth), "}".repeat(depth));
            format!(r#"[{before}{{"role": "user", "content": "x"}}{after}]"#)
        };
        assert_eq!(read(&nested(3)), [(Role::User, "x".to_owned())]);
        assert!(turns(&nested(100), Role::User).is_err());
    }

    #[test]
    fn only_messages_are_read_as_messages() {
        for (spelling, kind) in [
            (
                r#"[{"role": "user", "content": "hi"}]"#,
                Some(MessageKind::Verbatim),
            ),
            (r#"[]"#, Some(MessageKind::Verbatim)),
            (
                r#"[{"role": "user", "content": "hi", "tool_calls": null}]"#,
                Some(MessageKind::Verbatim),
            ),
            (
                r#"[{"role": "user", "content": ["hi"]}]"#,
                Some(MessageKind::Composed),
            ),
            (
                r#"{"role": "user", "content": "hi"}"#,
                Some(MessageKind::Composed),
            ),
            (r#"[1, 2]"#, None),
            (r#"["a"]"#, None),
            (r#"[["user", "hi"]]"#, None),
            (
                r#"[{"role": "user", "content": "a", "parts": [{"text": "b"}]}]"#,
                Some(MessageKind::Composed),
            ),
            (r#"[{"title": "x"}]"#, None),
            (r#"{"title": "x"}"#, None),
            (r#"{"text": "x"}"#, None),
        ] {
            assert_eq!(check(spelling).ok(), kind, "{spelling}");
        }
    }
}
