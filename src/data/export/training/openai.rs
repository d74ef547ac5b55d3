//! OpenAI and Azure: preference fine-tuning.

use super::TrainingFormat;
use super::chat::{CHAT, chat_message, string};
use crate::model::Role;

pub(super) const FORMAT: TrainingFormat = TrainingFormat {
    name: "openai",
    about: "OpenAI and Azure: preference fine-tuning",
    answer_roles: &[Role::Assistant, Role::ToolCall, Role::ToolResult],
    has_reasoning: false,
    needs_results: true,
    tools: &["tools", "parallel_tool_calls"],
    message: |message| chat_message(message, false, string),
    pair: Some(|[prompt, chosen, rejected, tools]| {
        format!(
            r#"{{"input":{{"messages":[{prompt}]{tools}}},"preferred_output":[{chosen}],"non_preferred_output":[{rejected}]}}"#
        )
    }),
    ..CHAT
};
