//! The tokens of a response: keys and displayed lines.

use super::filtering::enter;
use super::record::lines;
use super::*;
use crate::app::{Blind, PendingOpening};
use crate::journal::Reveal;
use crate::model::ResponseId;

/// A comparison in which B's tokens are not its answer, and one without tokens of A.
const ROWS: &[u8] = br#"{"question": {"dataset": "d", "id": "1", "full_text": "why?"}, "quotes_0": [], "answer_0": "hello world", "tokens_0": {"prefix": [31373], "completion": [31373, 995]}, "score_0": 1, "quotes_1": [], "answer_1": "hello there", "tokens_1": {"prefix": [60000, 995], "completion": [31373, 995, 995]}, "score_1": -1}
{"question": {"dataset": "d", "id": "2", "full_text": "how?"}, "quotes_0": [], "answer_0": "so", "tokens_0": null, "score_0": 0, "quotes_1": [], "answer_1": "", "tokens_1": {"prefix": [], "completion": []}, "score_1": 0}
"#;

fn opened(keys: &[Action]) -> App {
    let mut app = empty((100, 30));
    load(&mut app, 0, ROWS);
    play(&mut app, keys);
    app
}

#[test]
fn prefix_and_completion_have_headings() {
    let mut app = opened(&[Action::Tokens]);
    assert_eq!(app.mode(), Mode::Record);
    assert_eq!(
        lines(&app),
        [
            "A · prefix · 1 token · 5 characters",
            "hello",
            "",
            "A · completion · 2 tokens · 11 characters",
            "hello world",
            "",
            "The completion equals the response."
        ]
    );
    for close in [Action::Tokens, Action::Back, Action::Cancel] {
        play(&mut app, &[close]);
        assert_eq!(app.mode(), Mode::Read);
        play(&mut app, &[Action::Tokens]);
    }
    // The other key switches the content.
    play(&mut app, &[Action::Record]);
    assert!(lines(&app)[0].starts_with("rows:1 · row 1"));
    play(&mut app, &[Action::Tokens]);
    assert!(lines(&app)[0].starts_with("A · prefix"));
    enter(&mut app, Action::Search, "world");
    fetch(&mut app);
    let view = page(&app);
    let hits = view.doc.hits.as_ref().map(Vec::len);
    assert_eq!((view.hit, hits, view.at), (Some(0), Some(1), 4));
    play(&mut app, &[Action::Back]);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn unusual_tokens_are_reported() {
    let mut app = opened(&[Action::NextPane]);
    assert_eq!(app.browser.layout.focus, Pane::Right);
    play(&mut app, &[Action::Tokens]);
    let shown = lines(&app);
    assert_eq!(shown[1], "⟨60000⟩ world");
    assert_eq!(
        shown[3],
        "1 id outside GPT-2's vocabulary (0 to 50,256), shown as ⟨id⟩."
    );
    assert_eq!(
        shown[8..].join(" "),
        "The completion differs at character 7: it has “world world”, the response has “there”."
    );
    let mut app = opened(&[Action::NextSample, Action::Tokens]);
    assert_eq!(app.mode(), Mode::Read);
    assert_eq!(app.browser.notice(), Some("A has no tokens in the file."));
    play(&mut app, &[Action::NextPane, Action::Tokens]);
    assert_eq!(lines(&app)[1], "(empty)");
}

#[test]
fn who_judges_blind_sees_the_tokens_of_the_response_in_the_pane() {
    let mut orders = Vec::new();
    for coin in 0..8 {
        let mut app = empty((100, 30));
        app.set_coin(coin);
        let (reveal, strict) = (Reveal::Never, true);
        let blind = Some(Blind { reveal, strict });
        app.introduce("ann", blind, PendingOpening::default());
        load(&mut app, 0, ROWS);
        play(&mut app, &[Action::Tokens]);
        let page = app.browser.page().expect("a page");
        let of_file = page.response_in(Pane::Left).expect("a response");
        let shown = lines(&app);
        assert!(shown[0].starts_with("A · prefix"), "{shown:?}");
        let is_first = of_file == ResponseId::A;
        assert_eq!(
            shown[1],
            if is_first {
                "hello"
            } else {
                "⟨60000⟩ world"
            }
        );
        assert!(!shown.iter().any(|line| line.contains("row")), "{shown:?}");
        orders.push(is_first);
        play(&mut app, &[Action::Record]);
        assert_eq!(
            app.browser.notice(),
            Some("The record is hidden while you judge blind.")
        );
    }
    assert!(
        orders.contains(&true) && orders.contains(&false),
        "{orders:?}"
    );
}
