//! Matching of tool results to their calls.

use super::*;

#[test]
fn a_result_belongs_to_the_call_that_it_names() {
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    let calls = |ids: [&str; 2]| json!({"role": "assistant", "content": null, "tool_calls": [call(ids[0], "north"), call(ids[1], "south")]});
    let result = |members: Value| {
        let mut message = json!({"role": "tool", "content": members["name"]});
        let all = members.as_object().expect("an object");
        all.iter()
            .for_each(|(name, value)| message[name] = value.clone());
        message
    };
    let used =
        |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    let returned =
        |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "measured"});
    let (in_order, crossed) = (Some(vec![1, 2]), Some(vec![2, 1]));
    for (turns, expected) in [
        (
            vec![
                calls(["p", "q"]),
                result(json!({"tool_call_id": "p", "content": "a"})),
                result(json!({"tool_call_id": "q", "content": "b"})),
            ],
            in_order.clone(),
        ),
        (
            vec![
                calls(["p", "q"]),
                result(json!({"tool_call_id": "q", "content": "b"})),
                result(json!({"tool_call_id": "p", "content": "a"})),
            ],
            crossed.clone(),
        ),
        (
            vec![
                calls(["p", "q"]),
                result(json!({"tool_call_id": "q", "name": "south"})),
                result(json!({"tool_call_id": "p", "name": "north"})),
            ],
            crossed.clone(),
        ),
        (
            vec![
                calls(["", ""]),
                result(json!({"name": "south"})),
                result(json!({"name": "north"})),
            ],
            crossed.clone(),
        ),
        (
            vec![
                calls(["p", "q"]),
                result(json!({"id": "m1", "content": "a"})),
                result(json!({"id": "m2", "content": "b"})),
            ],
            in_order,
        ),
        (
            vec![
                json!({"role": "assistant", "content": [used("s", "north"), used("t", "south")]}),
                json!({"role": "user", "content": [returned("t"), returned("s")]}),
            ],
            crossed,
        ),
        (
            vec![
                calls(["p", "q"]),
                result(json!({"tool_call_id": "x", "content": "a"})),
                result(json!({"tool_call_id": "q", "content": "b"})),
            ],
            None,
        ),
        (
            vec![
                calls(["p", "q"]),
                result(json!({"tool_call_id": "p", "name": "south"})),
                result(json!({"tool_call_id": "q", "name": "north"})),
            ],
            None,
        ),
        (
            vec![
                calls(["p", "q"]),
                result(json!({"name": "west"})),
                result(json!({"name": "south"})),
            ],
            None,
        ),
    ] {
        let user = json!({"role": "user", "content": "Which way?"});
        let chat: Vec<_> = std::iter::once(user.clone()).chain(turns.clone()).collect();
        let mut answer = turns;
        answer.push(json!({"role": "assistant", "content": "There."}));
        let rejected = json!([{"role": "assistant", "content": "Here."}]);
        let (yes, user) = (
            json!([{"role": "assistant", "content": "There."}]),
            json!([user]),
        );
        // In the prompt, and in a response.
        for (row, messages) in [
            (
                json!({"prompt": chat, "chosen": yes, "rejected": rejected}),
                "prompt",
            ),
            (
                json!({"prompt": user, "chosen": answer, "rejected": rejected}),
                "chosen",
            ),
        ] {
            let (text, _, counts) = plain(&dataset(&row.to_string()), trl::FORMAT);
            let written: Option<Value> = serde_json::from_str(&text).ok();
            let numbers = written.map(|row| {
                let messages = row[messages].as_array().expect("messages").iter();
                let ids = messages.filter_map(|message| message["tool_call_id"].as_str());
                let number = |id: &str| id.trim_start_matches("call_").parse::<usize>();
                ids.map(|id| number(id).expect("a number"))
                    .collect::<Vec<_>>()
            });
            assert_eq!(numbers, expected, "{row}");
            let left_out = expected.is_none().then_some((SkipReason::ToolCalls, 1));
            assert_eq!(counts.left_out, left_out.into_iter().collect(), "{row}");
        }
    }
}
