//! Notes that name responses by letters of a screen with swapped responses.

use super::filtering::typed;
use super::reviewing::{act, by_another, digits, reviewer, write};
use super::*;
use crate::journal::{Act, Note};
use crate::model::ResponseOrder;

/// Returns a blind audit at a sample with swapped sides, and the sample.
fn swapped_audit() -> (App, usize) {
    let mut app = reviewer(30);
    write(
        &mut app,
        Action::Command,
        "audit 10 seed=3 blind reveal=end",
    );
    while app.mask().order.is_of_file() {
        digits(&mut app, "3131313131");
    }
    let sample = app.selection.selected;
    (app, sample)
}

fn note(app: &mut App, text: &str) {
    act(app, &[Action::Note]);
    act(app, &typed(text));
    act(app, &[Action::Save]);
}

fn notes(app: &App, sample: usize) -> Vec<Note> {
    let said = app.review.remark(sample);
    said.map(|said| said.notes.clone()).unwrap_or_default()
}

#[test]
fn a_note_keeps_the_order_in_which_responses_stood() {
    let (mut app, sample) = swapped_audit();
    note(&mut app, "A is better");
    let [own] = &notes(&app, sample)[..] else {
        panic!("a note");
    };
    let swapped = ResponseOrder::OF_FILE.reversed(2);
    assert_eq!((&*own.text, own.order), ("A is better", Some(swapped)));
    assert_eq!(app.note_letters(own), None, "the order is still the same");
    write(&mut app, Action::Command, "audit off");
    act(&mut app, &[Action::FirstSample]);
    (0..sample).for_each(|_| act(&mut app, &[Action::NextSample]));
    assert_eq!(
        app.note_letters(own).as_deref(),
        Some("its A is B here"),
        "now in file order"
    );
    act(&mut app, &[Action::Note]);
    let notice = app.notice().unwrap_or_default();
    assert!(
        notice.contains("another order: its A is B here"),
        "{notice}"
    );
    act(&mut app, &typed("!"));
    act(&mut app, &[Action::Save]);
    let order = notes(&app, sample)[0].order;
    assert_eq!(
        order,
        Some(ResponseOrder::OF_FILE),
        "as who changed it saw them"
    );
}

#[test]
fn of_a_note_without_an_order_nothing_is_said() {
    let (mut app, sample) = swapped_audit();
    let text = "A is better".into();
    by_another(&mut app, sample, Act::Note { text, order: None });
    let theirs = &notes(&app, sample)[0];
    assert_eq!(app.note_letters(theirs), None);
    assert_eq!(app.other_note(theirs), "ben: A is better");
    let of_file = Note {
        order: Some(ResponseOrder::OF_FILE),
        ..theirs.clone()
    };
    // Naming the swapped letters here would reveal the order of the responses.
    assert_eq!(app.other_note(&of_file), "ben: A is better");
}
