//! NeMo RL: a context and ranked completions.

use super::TrainingFormat;
use super::chat::CHAT;

pub(super) const FORMAT: TrainingFormat = TrainingFormat {
    name: "nemo",
    about: "NeMo RL: a context and two ranked completions",
    tools: &[],
    pair: Some(|[prompt, chosen, rejected, tools]| {
        [
            r#"{"context":["#,
            prompt,
            r#"],"completions":[{"rank":0,"completion":["#,
            chosen,
            r#"]},{"rank":1,"completion":["#,
            rejected,
            "]}]",
            tools,
            "}",
        ]
    }),
    ..CHAT
};
