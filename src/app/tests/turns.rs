//! Responses of several turns: all are shown, and those before the answer are folded.

use super::filtering::{enter, typed};
use super::*;
use crate::app::sample::pane_text::{SectionKind, StackLine};
use crate::model::Role;

fn opened() -> App {
    let reasoning = (1..=9).map(|step| format!("step {step}\\n"));
    let reasoning: String = reasoning.collect();
    let row = format!(
        r#"{{"input": {{"messages": [{{"role": "user", "content": "How warm?"}}]}}, "preferred_output": [{{"role": "assistant", "reasoning_content": "{reasoning}", "content": null, "tool_calls": [{{"function": {{"name": "weather", "arguments": "{{}}"}}}}]}}, {{"role": "tool", "content": "9 degrees"}}, {{"role": "assistant", "content": "Nine."}}], "non_preferred_output": [{{"role": "assistant", "content": "Warm."}}]}}"#
    ) + "\n";
    let mut app = empty(WIDE);
    load(&mut app, 0, Box::leak(row.into_boxed_str()).as_bytes());
    fetch(&mut app);
    app
}

/// Returns the roles of the turns in the left pane, with their number of visible lines.
fn turns(app: &App) -> Vec<(Option<Role>, usize)> {
    let sections = app.page().expect("a page").sides[0].text.sections();
    let turn = |section: &crate::app::sample::pane_text::Section| {
        let role = match section.kind {
            SectionKind::Turn(role) => Some(role),
            _ => None,
        };
        (role, section.lines.len())
    };
    sections.iter().map(turn).collect()
}

#[test]
fn all_turns_of_a_response_are_shown_and_long_ways_folded() {
    use Role::{Assistant, Reasoning, ToolCall, ToolResult};
    let mut app = opened();
    let rest = [
        (Some(ToolCall), 1),
        (Some(ToolResult), 1),
        (Some(Assistant), 1),
    ];
    let folded: Vec<_> = [(Some(Reasoning), 1)].into_iter().chain(rest).collect();
    assert_eq!(turns(&app), folded);
    let text = &app.page().expect("a page").sides[0].text;
    let folds = text.parts(0..text.len());
    let folds: Vec<_> = folds
        .filter_map(|part| match part {
            StackLine::Fold(section) => Some(section.folded),
            _ => None,
        })
        .collect();
    assert_eq!(folds.len(), 1, "one line for the fold");
    assert!(folds[0] >= 8);

    update(&mut app, Message::Action(Action::Toggle(Toggle::Folds)));
    fetch(&mut app);
    let unfolded = turns(&app);
    assert_eq!(unfolded[1..], folded[1..]);
    assert_eq!(unfolded[0].1, folds[0] + 1, "what was folded is there");

    update(&mut app, Message::Action(Action::Toggle(Toggle::Folds)));
    fetch(&mut app);
    assert_eq!(turns(&app), folded);
}

#[test]
fn what_is_searched_for_is_seen_inside_a_fold() {
    let mut app = opened();
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("\"step 7\""));
    play(&mut app, &[Action::Accept]);
    fetch(&mut app);
    assert!(turns(&app)[0].1 > 7, "the fold opens");
    let (at, hits) = app.hit().expect("a search");
    assert_eq!((at, hits), (Some(0), 1));
}

#[test]
fn what_a_filter_asks_for_is_seen_inside_a_fold() {
    let mut app = opened();
    enter(&mut app, Action::Filter, "response:\"step 7\"");
    fetch(&mut app);
    assert!(turns(&app)[0].1 > 7, "the fold opens");
    assert_eq!(app.hit(), Some((None, 1)));
    play(&mut app, &[Action::DropFilter]);
    fetch(&mut app);
    assert_eq!((turns(&app)[0].1, app.hit()), (1, None), "and closes");
}

#[test]
fn blank_lines_at_the_end_of_a_prompt_take_no_row() {
    let rows = "{\"prompt\": \"why?\\n\\n\", \"response\": \"so\", \"helpfulness\": 1}\n";
    let mut app = empty(WIDE);
    load(&mut app, 0, rows.as_bytes());
    fetch(&mut app);
    assert_eq!(app.page().map(|page| page.prompt.len()), Some(1));
    // Where all characters are shown, they are too.
    play(&mut app, &[Action::Toggle(Toggle::Hidden)]);
    fetch(&mut app);
    assert!(app.page().is_some_and(|page| page.prompt.len() > 1));
}
