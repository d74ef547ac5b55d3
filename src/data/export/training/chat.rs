//! Messages with `role` and `content`, as chat templates and most trainers read them.

use super::TrainingFormat;
use super::messages::{ConversationMessage, ToolCall};
use crate::model::Role;
use crate::schema::is_json;

/// A format of such messages; a format of pairs changes what its trainer reads differently.
pub(super) const CHAT: TrainingFormat = TrainingFormat {
    name: "",
    about: "",
    prompt_roles: &[
        Role::System,
        Role::User,
        Role::Assistant,
        Role::ToolCall,
        Role::ToolResult,
    ],
    answer_roles: &[
        Role::User,
        Role::Assistant,
        Role::ToolCall,
        Role::ToolResult,
    ],
    has_reasoning: true,
    has_order: |_| true,
    needs_results: false,
    tools: &["tools"],
    tool: one_line,
    message: |message| chat_message(message, true, object_or_string),
    pair: None,
    dataset_info: None,
};

/// Formats a message; results name their tool if requested.
pub(super) fn chat_message(
    message: &ConversationMessage<'_>,
    has_names: bool,
    arguments: fn(&str) -> String,
) -> String {
    let (role, is_result) = match message.role {
        Role::User => ("user", false),
        Role::System => ("system", false),
        Role::ToolResult => ("tool", true),
        _ => ("assistant", false),
    };
    let mut json = format!(r#"{{"role":"{role}""#);
    if let Some(call) = message.calls.first().filter(|_| is_result) {
        json += &format!(r#","tool_call_id":"call_{}""#, call.number);
        if has_names {
            json += &format!(r#","name":{}"#, string(&call.name));
        }
    }
    let content = message.text.as_deref().map_or("null".into(), string);
    json += &format!(r#","content":{content}"#);
    if let Some(reasoning) = &message.reasoning {
        json += &format!(r#","reasoning_content":{}"#, string(reasoning));
    }
    if !is_result && !message.calls.is_empty() {
        let calls = joined(&message.calls, |call| {
            let (number, function) = (call.number, call.function(arguments));
            format!(r#"{{"id":"call_{number}","type":"function","function":{function}}}"#)
        });
        json += &format!(r#","tool_calls":[{calls}]"#);
    }
    json + "}"
}

impl ToolCall {
    /// Formats its name and arguments.
    pub(super) fn function(&self, arguments: fn(&str) -> String) -> String {
        let (name, arguments) = (string(&self.name), arguments(&self.arguments));
        format!(r#"{{"name":{name},"arguments":{arguments}}}"#)
    }
}

/// Formats arguments as an object if they are one.
pub(super) fn object_or_string(arguments: &str) -> String {
    if arguments.starts_with('{') && is_json(arguments.as_bytes()) {
        one_line(arguments)
    } else {
        string(arguments)
    }
}

/// Formats a text as a JSON string.
pub(super) fn string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Joins items of a list.
pub(super) fn joined<T>(items: &[T], json: impl Fn(&T) -> String) -> String {
    items.iter().map(json).collect::<Vec<_>>().join(",")
}

/// A row must be one line. Outside of JSON strings a line break equals a blank.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}
