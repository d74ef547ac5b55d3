//! Conversations in one text: chat templates, speakers before a colon, trajectories.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{record_of, schema};
use crate::model::{Role, Turn};
use crate::schema::guess::known_turns;
use crate::schema::layout::definition::{TurnMarker, Turns};
use crate::schema::row::texts::{RowText, TextKinds};
use crate::schema::row::turns;

/// Reads a row as the schema that is guessed from it: the turns of the prompt, then of each
/// response, each as `role: text`.
fn read(row: &Value) -> Vec<Vec<String>> {
    let line = row.to_string();
    let schema = schema(&[&line]).expect("a guess");
    let record = record_of(&schema, &line);
    let said = |role: Role, text: &str| format!("{}: {text}", role.word());
    let prompt = record.prompt.iter();
    let prompt = prompt.map(|turn| said(turn.role, &turn.text)).collect();
    let responses = record.responses.iter();
    let responses = responses.map(|it| it.spoken().map(|(role, text)| said(role, text)).collect());
    let read: Vec<Vec<String>> = std::iter::once(prompt).chain(responses).collect();
    // Searches see the same texts.
    let mut visited = Vec::new();
    let row = schema.row(line.as_bytes()).expect("a row");
    row.for_each_text(
        TextKinds::PROMPT.union(TextKinds::RESPONSE),
        &mut String::new(),
        &mut |of: RowText, text: &str| visited.push(said(of.role, text)),
    );
    let roles = |it: &str| it.split_once(": ").map_or("", |(_, text)| text).to_owned();
    let texts = |all: &[String]| all.iter().map(|it| roles(it)).collect::<Vec<_>>();
    assert_eq!(texts(&visited), texts(&read.concat()), "{line}");
    read
}

#[test]
fn conversations_in_one_text_are_turns() {
    let chatml = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n";
    let asked = ["system: Be brief.", "user: Why?"];
    let (so, no) = (["assistant: So."], ["assistant: No."]);
    let pair = |chosen: &str, rejected: &str| json!({"chosen": chosen, "rejected": rejected});
    let of = |render: &dyn Fn(&str) -> String| pair(&render("So."), &render("No."));
    for (row, prompt) in [
        (
            json!({"prompt": chatml, "chosen": "So.<|im_end|>\n", "rejected": "No."}),
            &asked[..],
        ),
        (of(&|text| format!("{chatml}{text}<|im_end|>")), &asked),
        // The responses repeat the prompt.
        (
            json!({"prompt": "Why?", "chosen": format!("{chatml}So."), "rejected": format!("{chatml}No.")}),
            &asked,
        ),
        (
            of(&|text| {
                format!("<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nWhy? [/INST] {text} </s>")
            }),
            &asked,
        ),
        (
            of(&|text| {
                format!(
                    "<bos><start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\n{text}<end_of_turn>\n"
                )
            }),
            &asked[1..],
        ),
        (
            of(&|text| {
                format!("<|system|>\nBe brief.</s>\n<|user|>\nWhy?</s>\n<|assistant|>\n{text}</s>")
            }),
            &asked,
        ),
        (
            of(&|text| format!("\n\nHuman: Why?\n\nAssistant: {text}")),
            &asked[1..],
        ),
        (
            of(&|text| format!("user: Why?\nassistant: {text}")),
            &asked[1..],
        ),
        (
            of(&|text| format!("CUSTOMER: Why? AGENT: {text}")),
            &asked[1..],
        ),
        (
            json!({"prompt": "Human: Why?\n\nAssistant:", "chosen": "So.", "rejected": "Assistant: No."}),
            &asked[1..],
        ),
    ] {
        let expected = [prompt, &so, &no];
        assert_eq!(read(&row), expected, "{row}");
    }
    let long = "user: Why?\nassistant: Who asks?\nuser: I do.\nassistant:";
    let expected = ["user: Why?", "assistant: Who asks?", "user: I do."];
    let row = json!({"prompt": long, "chosen": "So.", "rejected": "No."});
    assert_eq!(read(&row)[0], expected);
    let steps = "Thought: look\nAction: search[why]\nObservation: so\nFinal Answer: So.";
    let row = json!({"prompt": "Why?", "chosen": steps, "rejected": steps.replace("So.", "No.")});
    let expected = [
        "reasoning: look",
        "tool call: search[why]",
        "tool: so",
        "assistant: So.",
    ];
    assert_eq!(read(&row)[1], expected);
}

#[test]
fn ordinary_texts_stay_whole() {
    let written = "user: Hi\nassistant: Hello";
    for (prompt, chosen) in [
        (
            "What is <|im_start|>user for?",
            "It begins a turn.<|im_end|> Then",
        ),
        ("Why?\nHuman: no\nAssistant: yes", "A human: me"),
        ("Human: Why?", "Human"),
        ("user: Write a dialogue.\nassistant:", written),
    ] {
        let row = json!({"prompt": prompt, "chosen": chosen, "rejected": "No."});
        let read = read(&row);
        assert_eq!(read[1], [format!("assistant: {chosen}")]);
        let is_turn = prompt.ends_with("assistant:");
        assert!(
            is_turn || read[0] == [format!("user: {prompt}")],
            "{read:?}"
        );
    }
}

/// Renders turns as a template does.
fn rendered(turns: &[Turn<'_>], markers: &Turns) -> String {
    let end = markers.drop.first().map_or("", String::as_str);
    let (before, after) = match (markers.marker, end) {
        (TurnMarker::LineStart, _) => (" ", "\n\n"),
        (_, "") => (" ", " "),
        _ => ("\n", "\n"),
    };
    let turn = |turn: &Turn<'_>| {
        // `SYSTEM:` can be the assistant.
        let own = |(marker, role): &(&str, Role)| {
            *role == turn.role && (*role == Role::Assistant || *marker != markers.assistant)
        };
        let (marker, _) = markers.markers().find(own).expect("a marker");
        format!("{marker}{before}{}{end}{after}", turn.text)
    };
    turns.iter().map(turn).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn rendered_turns_are_read_as_they_were(
        texts in proptest::collection::vec("[a-zé<|\\[#{]([a-z é<|>.,/\n\\[\\]]{0,12}[a-z.}])?", 2..6),
        begins_with_system in any::<bool>(),
    ) {
        for markers in known_turns() {
            let has_system = markers.markers().any(|(_, role)| role == Role::System);
            let offset = usize::from(begins_with_system && has_system);
            let role = |at: usize| match (at + 2 - offset) % 2 {
                _ if at < offset => Role::System,
                0 => Role::User,
                _ => Role::Assistant,
            };
            let turns = texts.iter().enumerate();
            let turns: Vec<_> = turns.map(|(at, text)| Turn::new(role(at), text.into())).collect();
            let text = rendered(&turns, &markers);
            prop_assert!(turns::is_conversation(&text, &markers), "{text:?}");
            prop_assert_eq!(turns::split(text.into(), &markers, Role::Assistant), turns);
            // A marker in the middle of an ordinary text.
            let (token, _) = markers.markers().last().expect("a marker");
            for between in [" ", "\n"] {
                let text = format!("{}{between}{token}{between}{}", texts[0], texts[1]);
                let whole = vec![Turn::new(Role::Assistant, text.clone().into())];
                prop_assert_eq!(turns::split(text.into(), &markers, Role::Assistant), whole);
            }
        }
    }
}
