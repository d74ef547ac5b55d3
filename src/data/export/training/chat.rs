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
    message: |json, message| chat_message(json, message, true, object_or_string),
    pair: None,
    dataset_info: None,
};

/// Appends a message; results name their tool if requested.
pub(super) fn chat_message(
    json: &mut String,
    message: &ConversationMessage<'_>,
    has_names: bool,
    arguments: fn(&str) -> String,
) {
    let (role, is_result) = match message.role {
        Role::User => ("user", false),
        Role::System => ("system", false),
        Role::ToolResult => ("tool", true),
        _ => ("assistant", false),
    };
    *json += &format!(r#"{{"role":"{role}""#);
    if let Some(call) = message.calls.first().filter(|_| is_result) {
        *json += &format!(r#","tool_call_id":"call_{}""#, call.number);
        if has_names {
            *json += &format!(r#","name":{}"#, string(&call.name));
        }
    }
    *json += r#","content":"#;
    *json += &message.text.as_deref().map_or("null".into(), string);
    if let Some(reasoning) = &message.reasoning {
        *json += r#","reasoning_content":"#;
        *json += &string(reasoning);
    }
    if !is_result && !message.calls.is_empty() {
        let calls = joined(&message.calls, |json, call| {
            let (number, function) = (call.number, call.function(arguments));
            *json +=
                &format!(r#"{{"id":"call_{number}","type":"function","function":{function}}}"#);
        });
        *json += &format!(r#","tool_calls":[{calls}]"#);
    }
    json.push('}');
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
    // Texts are long, and growing the buffer would copy them again.
    let mut json = Vec::with_capacity(text.len() + text.len() / 8 + 2);
    // Writing to memory cannot fail, and JSON is UTF-8.
    let _ = serde_json::to_writer(&mut json, text);
    String::from_utf8(json).unwrap_or_default()
}

/// Joins items of a list, each appended as JSON.
pub(super) fn joined<T>(items: &[T], append: impl Fn(&mut String, &T)) -> String {
    let mut json = String::new();
    for (at, item) in items.iter().enumerate() {
        json += if at > 0 { "," } else { "" };
        append(&mut json, item);
    }
    json
}

/// A row must be one line. Outside of JSON strings a line break equals a blank.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}
