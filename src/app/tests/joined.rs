//! Files joined to the samples, loaded after the rows.

use super::*;
use crate::dataset::JoinInput;

const PAIRS: &str = r#"{"prompt": "bird?", "chosen": "wren", "rejected": "trout"}
{"prompt": "fish?", "chosen": "trout", "rejected": "wren"}"#;
const SCORES: &str = r#"{"prompt": "bird?", "chosen": "trout", "rejected": "wren", "score_chosen": 2, "score_rejected": 0.5}"#;

fn input(name: &'static str, text: &'static str) -> Input {
    let bytes = text.as_bytes();
    Input::Embedded { name, bytes }
}

/// Loads pairs and the scores of a judge for one of them.
fn joined() -> Loader {
    Loader {
        inputs: vec![input("pairs", PAIRS)],
        joins: vec![JoinInput {
            name: Some("judge".to_owned()),
            input: input("scores", SCORES),
            choice: SchemaChoice::default(),
        }],
        ..Loader::default()
    }
}

#[test]
fn what_was_typed_before_a_file_was_joined_reads_once_it_is() {
    let mut app = empty((140, 30));
    let mut seen = Vec::new();
    let mut listener = |report| {
        if matches!(report, LoadEvent::Joined(_)) {
            fetch(&mut app);
            play(&mut app, &[Action::Filter]);
            let typed = "a.rm.judge>0 rm.against=1".to_owned();
            update(&mut app, Message::Paste(typed));
            seen.push(
                app.views
                    .line()
                    .and_then(|line| line.error.as_ref())
                    .is_some(),
            );
        }
        update(&mut app, Message::Loaded(0, report));
        ControlFlow::Continue(())
    };
    joined().run(&mut listener).expect("loaded");
    fetch(&mut app);
    seen.push(
        app.views
            .line()
            .and_then(|line| line.error.as_ref())
            .is_some(),
    );
    assert_eq!(seen, [true, false], "an error, and then none");
    assert_eq!(app.shown().len(), 1);
    let notice = app.notice().expect("how much was matched");
    assert_eq!(notice, "scores matches 1 of 2 samples");
    assert_eq!(app.page().expect("a page").key.joined, 1);
}
