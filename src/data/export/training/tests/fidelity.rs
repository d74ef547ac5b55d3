//! What exports keep of texts and messages, and what they skip.

use super::*;

/// Returns the rows of an export as JSON.
fn exported(rows: &str, format: TrainingFormat) -> (Vec<Value>, TrainingCounts) {
    let (text, _, counts) = plain(&dataset(rows), format);
    let rows = text
        .lines()
        .map(|row| serde_json::from_str(row).expect("JSON"));
    (rows.collect(), counts)
}

#[test]
fn every_character_around_reasoning_is_exported() {
    for between in [
        "\n\n", "\n", "", " ", "\r\n", "\n\n\n", "\t", " \n ", "\n \n", "\u{a0}", "\n\t",
    ] {
        for (before, after) in [("", ""), ("\n", "\n"), (" ", "  \n")] {
            let text = format!("{before}<think>\nwhy\n</think>{between}Because.{after}");
            let other = "<think></think>No.";
            let turn = |role: &str, text: &str| json!({"role": role, "content": text});
            let row = json!({
                "prompt": [turn("user", "q"), turn("assistant", &text), turn("user", "r")],
                "chosen": [turn("assistant", &text)],
                "rejected": [turn("assistant", other)],
            });
            let (rows, _) = exported(&row.to_string(), trl::FORMAT);
            assert_eq!(rows, [row]);
            let plain = json!({"prompt": "q", "chosen": text, "rejected": other}).to_string();
            let (rows, _) = exported(&plain, openai::FORMAT);
            assert_eq!(
                rows[0]["preferred_output"],
                json!([turn("assistant", &text)])
            );
        }
    }
}

#[test]
fn members_of_messages_and_tools_are_exported_where_a_format_has_them() {
    let tools = json!([{"type": "function", "function": {"name": "f", "parameters": {}}}]);
    let call =
        json!({"id": "call_1", "type": "function", "function": {"name": "f", "arguments": {}}});
    let row = json!({
        "prompt": [{"role": "user", "content": "q"}],
        "chosen": [
            {"role": "assistant", "content": null, "reasoning_content": "I must ask.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "name": "f", "content": "7"},
            {"role": "assistant", "content": "Seven.", "reasoning_content": "It is 7."},
        ],
        "rejected": [{"role": "assistant", "content": "Eight."}],
        "tools": tools,
    });
    let (rows, _) = exported(&row.to_string(), trl::FORMAT);
    assert_eq!(rows, std::slice::from_ref(&row));
    let (rows, _) = exported(&row.to_string(), nemo::FORMAT);
    assert_eq!(rows[0]["completions"][0]["completion"], row["chosen"]);
    let (_, counts) = exported(&row.to_string(), openai::FORMAT);
    assert_eq!(
        counts.left_out,
        BTreeMap::from([(SkipReason::Reasoning, 1)])
    );
    let row = json!({
        "conversations": [{"from": "human", "value": "q"}],
        "chosen": {"from": "gpt", "value": "a"},
        "rejected": {"from": "gpt", "value": "b"},
        "tools": tools.to_string(),
    });
    let (rows, _) = exported(&row.to_string(), llama_factory::FORMAT);
    assert_eq!(rows, std::slice::from_ref(&row));
    let (rows, _) = exported(&row.to_string(), openai::FORMAT);
    assert_eq!(rows[0]["input"]["tools"], tools);
    let back = rows[0].to_string();
    assert_eq!(exported(&back, openai::FORMAT).0, rows);
    assert_eq!(exported(&back, trl::FORMAT).0[0]["tools"], tools);
}

#[test]
fn unreadable_texts_and_unanswered_conversations_are_skipped() {
    let good = r#"{"prompt": "q", "chosen": "a", "rejected": "b"}"#;
    let unreadable = r#"{"prompt": "q", "chosen": "a\ud83d", "rejected": "b"}"#;
    let in_id = r#"{"prompt": "q", "chosen": "a", "rejected": "b", "id": "\ud83d"}"#;
    let genuine = "{\"prompt\": \"q\", \"chosen\": \"a\u{fffd}\", \"rejected\": \"b\"}";
    let messages = r#"{"prompt": "q", "chosen": [{"role": "assistant", "content": [{"type": "audio", "data": "UklG"}]}], "rejected": [{"role": "assistant", "content": "b"}]}"#;
    let asks = r#"{"prompt": "q", "chosen": [{"role": "assistant", "content": "a"}, {"role": "user", "content": "r"}], "rejected": [{"role": "assistant", "content": "b"}]}"#;
    let only_asks = r#"{"prompt": "q", "chosen": [{"role": "user", "content": "r"}], "rejected": [{"role": "assistant", "content": "b"}]}"#;
    for (row, reason) in [
        (unreadable, Some(SkipReason::UnreadableText)),
        (messages, Some(SkipReason::UnreadableText)),
        (asks, Some(SkipReason::NoAnswer)),
        (only_asks, Some(SkipReason::NoAnswer)),
        (in_id, None),
        (genuine, None),
    ] {
        let skipped = reason.map(|reason| (reason, 1)).into_iter().collect();
        let rows = format!("{good}\n{row}");
        let (rows, counts) = exported(&rows, trl::FORMAT);
        assert_eq!(
            (rows.len() - 1, counts.left_out),
            (usize::from(reason.is_none()), skipped),
            "{row}"
        );
    }
    let skipped = SkipReason::UnreadableText.skipped(3);
    assert_eq!(skipped, "skipped 3 rows with unreadable text");
}
