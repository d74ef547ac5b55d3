//! NeMo RL: a context and ranked completions.

use super::TrainingFormat;
use super::chat::CHAT;

pub(super) const FORMAT: TrainingFormat = TrainingFormat {
    name: "nemo",
    about: "NeMo RL: a context and two ranked completions",
    tools: &[],
    pair: Some(|[prompt, chosen, rejected, _]| {
        format!(
            r#"{{"context":[{prompt}],"completions":[{{"rank":0,"completion":[{chosen}]}},{{"rank":1,"completion":[{rejected}]}}]}}"#
        )
    }),
    ..CHAT
};
