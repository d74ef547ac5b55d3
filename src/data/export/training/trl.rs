//! TRL: preferences with an explicit prompt, as messages.

use super::TrainingFormat;
use super::chat::CHAT;

pub(super) const FORMAT: TrainingFormat = TrainingFormat {
    name: "trl",
    about: "TRL (DPO, reward models): prompt, chosen and rejected as messages",
    pair: Some(|[prompt, chosen, rejected, tools]| {
        [
            r#"{"prompt":["#,
            prompt,
            r#"],"chosen":["#,
            chosen,
            r#"],"rejected":["#,
            rejected,
            "]",
            tools,
            "}",
        ]
    }),
    ..CHAT
};
