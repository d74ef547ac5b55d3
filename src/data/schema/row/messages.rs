//! Converts chat messages to turns, in all shapes that preference data uses: `{role, content}` and
//! ShareGPT's `{from, value}`; content as a text, a list of parts or `parts`; reasoning and tool
//! calls next to it.
//!
//! Nothing is dropped: unknown content becomes text as written in the file, with a
//! [`ReadWarning::UnknownContent`].

use std::borrow::Cow;

use super::values::{plain, string};
use crate::json::{elements_of, items, members_of, strings};
use crate::model::{Continues, ReadWarning, Role, ToolLink, Turn, split_reasoning};
use crate::text;

/// Depth limit for nested contents; real messages have at most three levels.
const DEEPEST: usize = 16;

/// The turns of a value, with warnings. The error is a reason to show.
pub type DecodedTurns<'r> = Result<(Vec<Turn<'r>>, Vec<ReadWarning>), String>;

/// Reads a list of messages, or a single message. Messages without a role, and bare texts in a
/// list, are turns of `speaker`.
pub fn turns<'r>(spelling: &str, speaker: Role) -> DecodedTurns<'r> {
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
        if let Some(list) = message.at("messages").filter(|list| list.starts_with('[')) {
            return turns(list, speaker);
        }
        // Other objects may contain a text too; that alone is not a message.
        if message.first(&["role", "from", "parts"]).is_none() {
            return Err("neither a role nor parts".to_owned());
        }
        reader.message(spelling)?;
    } else {
        for message in elements_of(spelling).ok_or("not a list")? {
            reader.message(message)?;
        }
    }
    Ok((reader.turns, reader.warnings))
}

/// True if the first message of a captured list is the system's. Reads only that one.
pub fn begin_with_system(list: &str) -> bool {
    let role = || {
        let (_, message) = items(list.as_bytes()).next()??;
        ChatMessage::of(std::str::from_utf8(message).ok()?)
            .ok()?
            .text(&["role", "from"])
    };
    role().is_some_and(|role| Role::named(&role) == Role::System)
}

/// True if the text of any message is assembled, that is, differs from the line by more than
/// escapes. `None` if [`turns`] would reject the captured list or object, or the list has bare
/// texts. Decodes only unusual messages.
pub fn are_composed(spelling: &str) -> Option<bool> {
    if spelling.starts_with('[') {
        let (mut are_objects, mut are_usual) = (true, true);
        for (_, message) in items(spelling.as_bytes()).flatten() {
            are_objects &= message.starts_with(b"{");
            are_usual &= are_objects && is_usual(message);
            if !are_objects {
                break;
            }
        }
        if !are_objects || are_usual {
            return are_objects.then_some(false);
        }
    }
    turns(spelling, Role::Other).ok().map(|_| true)
}

/// True if a message is a role and a text, with no other key that contributes text.
fn is_usual(message: &[u8]) -> bool {
    let (mut roles, mut contents, mut others) = (0, 0, 0);
    for (key, value) in items(message).flatten() {
        let is_text = value.starts_with(b"\"");
        match key {
            b"role" | b"from" => roles += if is_text { 1 } else { 2 },
            b"content" | b"value" => contents += if is_text { 1 } else { 2 },
            b"reasoning_content" | b"reasoning" | b"thinking" | b"tool_calls"
            | b"function_call" | b"text" | b"parts" => others += usize::from(value != b"null"),
            // Keys with escapes are decoded later, by the full reader.
            _ => others += usize::from(key.contains(&b'\\')),
        }
    }
    (roles, contents, others) == (1, 1, 0)
}

/// A message or a part of one: its keys, with the values as spelled.
#[derive(Default)]
struct ChatMessage<'r>(Vec<(Cow<'r, str>, &'r str)>);

impl<'r> ChatMessage<'r> {
    fn of(spelling: &'r str) -> Result<Self, String> {
        Ok(Self(members_of(spelling).ok_or("not an object")?))
    }

    /// Returns the value of a key, even if null.
    fn including_null(&self, key: &str) -> Option<&'r str> {
        self.0
            .iter()
            .rev()
            .find_map(|(known, value)| (known == key).then_some(*value))
    }

    /// Returns the value of a key unless it is null.
    fn at(&self, key: &str) -> Option<&'r str> {
        self.including_null(key).filter(|value| *value != "null")
    }

    /// Returns the first value among `keys` that is not null.
    fn first(&self, keys: &[&str]) -> Option<&'r str> {
        keys.iter().find_map(|key| self.at(key))
    }

    /// Returns the first non-empty text among `keys`.
    fn text(&self, keys: &[&str]) -> Option<String> {
        let text = |key: &&str| Some(string(self.at(key)?).ok()?.0.into_owned());
        keys.iter().filter_map(text).find(|text| !text.is_empty())
    }

    /// Returns the text of a part: `text` or `value`, which some put into an object.
    fn own_text(&self) -> Option<String> {
        let nested = || Self::of(self.at("text")?).ok()?.text(&["value", "text"]);
        self.text(&["text", "value"]).or_else(nested)
    }

    /// True if it is a message, not another kind of object.
    fn is_message(&self) -> bool {
        let said = [
            "parts",
            "text",
            "reasoning_content",
            "tool_calls",
            "function_call",
        ];
        ["content", "value"]
            .iter()
            .any(|key| self.including_null(key).is_some())
            || self.first(&said).is_some()
    }

    /// Returns the tool call that it makes or answers; the keys `ids` are tried last.
    fn link(&self, ids: &[&str]) -> ToolLink {
        let word = |key: &&str| Some(plain(self.at(key)?).0.into_owned());
        let mut known = ["tool_call_id", "tool_use_id", "call_id"]
            .iter()
            .chain(ids)
            .filter_map(word);
        ToolLink {
            id: known.find(|id| !id.is_empty()),
            name: word(&"name").filter(|name| !name.is_empty()),
        }
    }
}

/// True if the members with these names are a question and its answer: `{"user": …, "bot": …}`.
/// `human` beside `gpt` may be alternatives.
pub fn is_exchange<'k>(mut names: impl Iterator<Item = &'k str> + Clone) -> bool {
    let is_answer = |name| Role::named(name) == Role::Assistant;
    names.clone().any(|name| name == "user") && names.any(is_answer)
}

/// Converts messages to turns.
struct TurnReader<'r> {
    /// The role of messages that do not state one.
    speaker: Role,
    /// Nesting depth of the content that is read.
    depth: usize,
    /// The tool call that is read, or that a result answers.
    tool: ToolLink,
    turns: Vec<Turn<'r>>,
    warnings: Vec<ReadWarning>,
}

impl TurnReader<'_> {
    fn message(&mut self, spelling: &str) -> Result<(), String> {
        if spelling.starts_with('"') {
            self.content_within(self.speaker, spelling);
            return Ok(());
        }
        if spelling.starts_with('[') {
            return self.exchange(spelling);
        }
        let message = ChatMessage::of(spelling)?;
        let named = |key: &str| {
            let role = string(message.at(key)?).ok()?.0;
            Some(Role::named(&role))
        };
        // An author can have any name, which does not reveal the role.
        let others = ["speaker", "author"].into_iter().filter_map(named);
        let role = (["role", "from"].into_iter().find_map(named))
            .or_else(|| others.clone().find(|role| *role != Role::Other))
            .unwrap_or(self.speaker);
        if !message.is_message() {
            if message.first(&["role", "from"]).is_none() {
                // A question and its answer, whichever is written first.
                let texts = message.0.iter().filter(|(_, said)| said.starts_with('"'));
                if is_exchange(texts.clone().map(|(key, _)| &**key)) {
                    for role in [Role::System, Role::User, Role::Assistant] {
                        let said = texts.clone().filter(|(key, _)| Role::named(key) == role);
                        said.for_each(|(_, said)| self.content(role, said));
                    }
                    return Ok(());
                }
                let inner = message.at("message").filter(|_| self.depth < DEEPEST);
                self.depth += 1;
                let read = self.message(inner.ok_or("neither a role nor content")?);
                self.depth -= 1;
                return read;
            }
            self.push_unknown(role, "a message without content", spelling);
            return Ok(());
        }
        let before = self.turns.len();
        self.tool = match role {
            // A bare `id` is the message's own.
            Role::ToolResult => message.link(&[]),
            _ => ToolLink::default(),
        };
        for key in ["reasoning_content", "reasoning", "thinking"] {
            if let Some(reasoning) = message.at(key) {
                self.content(Role::Reasoning, reasoning);
            }
        }
        for key in ["content", "value", "parts", "text"] {
            if let Some(content) = message.at(key) {
                self.content(role, content);
            }
        }
        if let Some(calls) = message.at("tool_calls") {
            match elements_of(calls) {
                Some(calls) => calls.into_iter().for_each(|call| self.call(call)),
                None => self.call(calls),
            }
        }
        if let Some(call) = message.at("function_call") {
            self.call(call);
        }
        if self.turns.len() == before {
            self.push(role, String::new());
        }
        let onward = self.turns.iter_mut().skip(before + 1);
        for turn in onward.filter(|turn| turn.continues == Continues::Nothing) {
            turn.continues = Continues::Message;
        }
        Ok(())
    }

    /// Adds the texts of a list as alternating questions and answers.
    fn exchange(&mut self, spelling: &str) -> Result<(), String> {
        let texts: Vec<Option<Cow<'_, str>>> =
            serde_json::from_str(spelling).map_err(|error| error.to_string())?;
        for (text, role) in texts
            .iter()
            .zip([Role::User, Role::Assistant].into_iter().cycle())
        {
            self.text(role, text.as_deref().unwrap_or_default());
        }
        Ok(())
    }

    /// Reads the value in place of a message's text.
    fn content(&mut self, role: Role, spelling: &str) {
        if self.depth == DEEPEST {
            return self.push_unknown(role, "content nested too deeply", spelling);
        }
        self.depth += 1;
        self.content_within(role, spelling);
        self.depth -= 1;
    }

    fn content_within(&mut self, role: Role, spelling: &str) {
        match spelling.as_bytes().first() {
            Some(b'"') => {
                let (text, warning) = plain(spelling);
                self.warnings.extend(warning);
                self.text(role, &text);
            }
            Some(b'[') => self.parts(role, spelling),
            Some(b'{') => self.part(role, spelling, false),
            _ => self.push_unknown(role, "a number, true or false", spelling),
        }
    }

    fn parts(&mut self, role: Role, spelling: &str) {
        let Some(parts) = elements_of(spelling) else {
            return self.push_unknown(role, "a list", spelling);
        };
        let mut goes_on = false;
        for part in parts {
            let before = self.turns.len();
            self.part(role, part, goes_on);
            let last_is_ours = self.turns.last().is_some_and(|turn| turn.role == role);
            goes_on = last_is_ours && (goes_on || self.turns.len() > before);
        }
    }

    /// Reads a part of a message's content. If it `goes_on`, its text continues the last turn (same
    /// message and speaker) on a new line.
    fn part(&mut self, role: Role, spelling: &str, goes_on: bool) {
        if spelling == "null" {
            return;
        }
        if spelling.starts_with('"') {
            return self.add(role, plain(spelling).0.into_owned(), goes_on);
        }
        let Ok(part) = ChatMessage::of(spelling) else {
            return self.push_unknown(role, "content", spelling);
        };
        let kind = part.text(&["type"]).unwrap_or_default();
        match &*kind {
            "thinking" | "reasoning" => match part.text(&["thinking", "reasoning", "text"]) {
                Some(text) => self.push(Role::Reasoning, text),
                None => self.push_unknown(Role::Reasoning, "reasoning", spelling),
            },
            "tool_use" | "tool_call" | "function_call" | "function" => self.call(spelling),
            "tool_result" | "function_response" | "function_call_output" => {
                self.tool = part.link(&["id"]);
                match part.at("content") {
                    Some(content) => self.content(Role::ToolResult, content),
                    None => self.push_unknown(Role::ToolResult, "a tool's result", spelling),
                }
            }
            _ => match part.own_text() {
                Some(text) => self.add(role, text, goes_on),
                None if part.is_image(&kind) => {
                    let image = part.image_name().unwrap_or_default();
                    self.add(role, format!("[image{image}]"), goes_on);
                }
                None => self.rare_part(role, &part, &kind, spelling),
            },
        }
    }

    fn rare_part(&mut self, role: Role, part: &ChatMessage<'_>, kind: &str, spelling: &str) {
        if let Some(call) = part.at("functionCall") {
            self.call(call);
        } else if let Some(response) = part.at("functionResponse") {
            let said = ChatMessage::of(response).unwrap_or_default();
            self.tool = said.link(&["id"]);
            self.push(Role::ToolResult, response.to_owned());
        } else if let Some(parts) = part.first(&["parts", "content"]) {
            self.content(role, parts);
        } else if let Some([(_, only)]) = members_of(spelling).as_deref()
            && only.starts_with('"')
        {
            self.content(role, only);
        } else if part.at("text").is_none() {
            let what = if kind.is_empty() {
                "content without a type".to_owned()
            } else {
                format!("content of type {}", text::one_line(kind, 24))
            };
            self.push_unknown(role, &what, spelling);
        }
    }

    /// Adds a function call: its name and arguments.
    fn call(&mut self, spelling: &str) {
        let outer = ChatMessage::of(spelling).unwrap_or_default();
        let inner = outer.at("function").and_then(|it| ChatMessage::of(it).ok());
        let call = inner.as_ref().unwrap_or(&outer);
        self.tool = outer.link(&["id"]);
        match call.at("name").map(string) {
            Some(Ok((name, _))) => {
                let arguments = call
                    .first(&["arguments", "args", "input"])
                    .map(plain)
                    .unwrap_or_default()
                    .0;
                self.push(Role::ToolCall, format!("{name}({arguments})"));
            }
            _ => self.push_unknown(Role::ToolCall, "a tool call", spelling),
        }
    }

    /// Adds a whole text. Reasoning at the start of a model's text becomes a turn by itself.
    fn text(&mut self, role: Role, text: &str) {
        match split_reasoning(text).filter(|_| role == Role::Assistant) {
            Some((reasoning, between, answer)) => {
                self.push(Role::Reasoning, reasoning.to_owned());
                self.turns.push(Turn {
                    continues: Continues::Text(between.to_owned()),
                    ..Turn::new(role, Cow::Owned(answer.to_owned()))
                });
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

    fn push_unknown(&mut self, role: Role, what: &str, spelling: &str) {
        let what = what.to_owned();
        self.warnings.push(ReadWarning::UnknownContent { what });
        self.push(role, spelling.to_owned());
    }
}

impl ChatMessage<'_> {
    fn is_image(&self, kind: &str) -> bool {
        let keys = [
            "image",
            "image_url",
            "inlineData",
            "inline_data",
            "fileData",
            "file_data",
        ];
        matches!(kind, "image" | "image_url" | "input_image") || self.first(&keys).is_some()
    }

    /// Returns an image's name after ": "; `None` if it has no name or is embedded as data.
    fn image_name(&self) -> Option<String> {
        const LONGEST: usize = 120;
        const NAMES: [&str; 5] = ["path", "url", "fileUri", "file_uri", "filename"];
        let within = ["image", "image_url", "fileData", "file_data", "source"];
        let name = self
            .text(&["image", "image_url", "path", "url"])
            .or_else(|| {
                let inner = |key: &&str| Self::of(self.at(key)?).ok()?.text(&NAMES);
                self.text(&NAMES).or_else(|| within.iter().find_map(inner))
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
                r#"[{"message": {"role": "gpt", "content": "x"}, "id": 1, "user": "kim"}]"#,
                vec![(Assistant, "x")],
            ),
            (
                r#"[{"speaker": "Bot", "text": "x"}, {"from": "gpt", "author": "Kim", "value": "y"}]"#,
                vec![(Assistant, "x"), (Assistant, "y")],
            ),
            // An author's name is not a role.
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
            // LLaMA-Factory, and OpenAI's Assistants.
            (
                r#"[{"role": "user", "content": [{"type": "text", "value": "a"}, {"type": "text", "text": {"value": "b", "annotations": []}}]}]"#,
                vec![(User, "a\nb")],
            ),
            (
                r#"[{"role": "tool_response", "content": "7"}]"#,
                vec![(ToolResult, "7")],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(role, text)| (role, text.to_owned()))
                .collect();
            assert_eq!(read(spelling), expected, "{spelling}");
        }
    }

    #[test]
    fn unknown_content_is_shown_as_written_with_a_warning() {
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
    fn content_nested_too_deeply_is_shown_as_written() {
        let deep = 20_000;
        let (open, close) = (r#"{"content":"#.repeat(deep), "}".repeat(deep));
        let spelling = format!(r#"[{{"role": "user", "content": {open}"x"{close}}}]"#);
        let (turns, warnings) = turns(&spelling, Role::User).expect("messages");
        assert!(turns.len() == 1 && turns[0].text.len() > deep);
        let what = "content nested too deeply".to_owned();
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
            (r#"[{"role": "user", "content": "hi"}]"#, Some(false)),
            (r#"[]"#, Some(false)),
            (
                r#"[{"role": "user", "content": "hi", "tool_calls": null}]"#,
                Some(false),
            ),
            (r#"[{"role": "user", "content": ["hi"]}]"#, Some(true)),
            (r#"{"role": "user", "content": "hi"}"#, Some(true)),
            (r#"[1, 2]"#, None),
            (r#"["a"]"#, None),
            (r#"[["user", "hi"]]"#, None),
            (
                r#"[{"role": "user", "content": "a", "parts": [{"text": "b"}]}]"#,
                Some(true),
            ),
            (r#"[{"title": "x"}]"#, None),
            (r#"{"title": "x"}"#, None),
            (r#"{"text": "x"}"#, None),
        ] {
            assert_eq!(are_composed(spelling), kind, "{spelling}");
        }
    }
}
