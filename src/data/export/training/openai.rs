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
    message: |json, message| chat_message(json, message, false, string),
    pair: Some(|[prompt, chosen, rejected, tools]| {
        [
            r#"{"input":{"messages":["#,
            prompt,
            "]",
            tools,
            r#"},"preferred_output":["#,
            chosen,
            r#"],"non_preferred_output":["#,
            rejected,
            "]}",
        ]
    }),
    ..CHAT
};
