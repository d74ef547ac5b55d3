//! LLaMA-Factory: preferences in ShareGPT's layout.

use serde_json::{Value, json};

use super::chat::{CHAT, joined, object_or_string, string};
use super::messages::ConversationMessage;
use super::{ProvenanceSource, TrainingFormat};
use crate::model::Role;

pub(super) const FORMAT: TrainingFormat = TrainingFormat {
    name: "llama-factory",
    about: "LLaMA-Factory: preferences in ShareGPT layout",
    // A response is a single message.
    answer_roles: &[Role::ToolCall],
    has_reasoning: false,
    has_order: alternates,
    tool: string,
    message,
    pair: Some(|[prompt, chosen, rejected, tools]| {
        [
            r#"{"conversations":["#,
            prompt,
            r#"],"chosen":"#,
            chosen,
            r#","rejected":"#,
            rejected,
            "",
            tools,
            "}",
        ]
    }),
    dataset_info: Some(dataset_info),
    ..CHAT
};

/// True if users (or tool results) alternate with the assistant after an optional system message,
/// and one of them is last. LLaMA-Factory skips other prompts.
fn alternates(messages: &[ConversationMessage<'_>]) -> bool {
    let is_system = messages
        .first()
        .is_some_and(|first| first.role == Role::System);
    let messages = &messages[usize::from(is_system)..];
    let fits = |(at, message): (usize, &ConversationMessage<'_>)| match message.role {
        Role::User | Role::ToolResult => at % 2 == 0,
        // A message is a text or a list of calls.
        Role::Assistant => at % 2 == 1 && (message.text.is_none() || message.calls.is_empty()),
        _ => false,
    };
    messages.len() % 2 == 1 && messages.iter().enumerate().all(fits)
}

fn message(json: &mut String, message: &ConversationMessage<'_>) {
    let from = match message.role {
        Role::User => "human",
        Role::System => "system",
        Role::ToolResult => "observation",
        _ if message.text.is_none() => "function_call",
        _ => "gpt",
    };
    let value = message.text.as_deref().map_or_else(
        || {
            let calls = joined(&message.calls, |json, call| {
                *json += &call.function(object_or_string);
            });
            string(&match message.calls.len() {
                1 => calls,
                _ => format!("[{calls}]"),
            })
        },
        string,
    );
    for part in [r#"{"from":""#, from, r#"","value":"#, &value, "}"] {
        json.push_str(part);
    }
}

/// Returns the entry of `dataset_info.json` for the file.
fn dataset_info(source: &ProvenanceSource<'_>) -> Value {
    let name = source.output.as_ref().and_then(|path| path.file_name());
    let name = name.map_or("data.jsonl".into(), |name| name.to_string_lossy());
    let stem = name.split('.').next().unwrap_or(&name);
    json!({
        stem: {
            "file_name": name,
            "formatting": "sharegpt",
            "ranking": true,
            "columns": {
                "messages": "conversations",
                "chosen": "chosen",
                "rejected": "rejected",
            },
        },
    })
}
