//! Keys that mean nothing in a view, and keys that always quit.

use super::filtering::typed;
use super::reviewing::{act, reviewer, write};
use super::*;

#[test]
fn a_key_of_another_view_is_ignored_and_known_to_be() {
    let mut app = loaded(WIDE, 3, 9);
    let none: &[Action] = &[];
    for (opened, ignored, taken) in [
        (none, none, &[Action::NextSample, Action::Mark][..]),
        (
            &[Action::Help],
            &[Action::Mark, Action::Sort],
            &[Action::NextSample, Action::Scroll(Scroll::PageDown)],
        ),
        (
            &[Action::Copy],
            &[Action::Filter, Action::Add, Action::Delete],
            &[Action::NextSample],
        ),
        (
            &[Action::Sort],
            &[Action::Delete, Action::Undo],
            &[Action::LastSample],
        ),
        (
            &[Action::Agreement],
            &[Action::Filter],
            &[Action::Scroll(Scroll::Bottom)],
        ),
        (
            &[Action::LabelsPanel],
            none,
            &[Action::NextSample, Action::Digit(1)],
        ),
    ] {
        act(&mut app, opened);
        let mode = app.mode();
        for (actions, is_ignored) in [(ignored, true), (taken, false)] {
            for &action in actions {
                update(&mut app, Message::Action(action));
                assert_eq!(app.status.ignored, is_ignored, "{action:?} in {mode:?}");
                assert_eq!(app.mode(), mode, "{action:?}");
            }
        }
        update(&mut app, Message::Unbound("It does nothing.".to_owned()));
        assert_eq!(app.notice(), Some("It does nothing."));
        assert!(!app.status.ignored, "it was said");
        update(&mut app, Message::Action(Action::Back));
    }
}

#[test]
fn interrupting_drops_what_is_typed_closes_pages_and_quits_from_reading() {
    let quit = |app: &mut App| update(app, Message::Action(Action::Quit));
    let mut app = reviewer(3);
    for opened in [
        &[Action::Filter][..],
        &[Action::Search],
        &[Action::Command],
        &[Action::Tag],
        &[Action::Filter, Action::Complete],
        &[Action::Filter, Action::Question],
        &[Action::Sort],
        &[Action::Copy],
        &[Action::Agreement],
        &[Action::Statistics],
        &[Action::Findings],
        &[Action::Record],
        &[Action::Help],
    ] {
        act(&mut app, opened);
        assert_ne!(app.mode(), Mode::Read, "{opened:?}");
        assert_eq!(quit(&mut app), [], "{opened:?}");
        assert_eq!(app.mode(), Mode::Read, "{opened:?}");
    }
    write(&mut app, Action::Filter, "helpfulness>=1");
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed(" python"));
    assert_eq!(quit(&mut app), []);
    let text = app.filter.active().map(|one| one.text.as_str());
    assert_eq!(text, Some("helpfulness>=1"), "as Esc does it");
    for opened in [&[][..], &[Action::LabelsPanel], &[Action::Rate]] {
        act(&mut app, opened);
        assert_eq!(quit(&mut app), [Effect::Quit], "{opened:?}");
        act(&mut app, &[Action::Cancel]);
    }
    assert_eq!(
        update(&mut app, Message::Action(Action::Leave)),
        [Effect::Quit]
    );
}

#[test]
fn a_command_of_a_key_that_does_nothing_there_is_known_to() {
    for (opened, is_ignored) in [
        (Action::Help, true),
        (Action::Record, true),
        (Action::Sort, true),
        (Action::Rate, false),
        (Action::Nothing, false),
    ] {
        let mut app = reviewer(3);
        act(&mut app, &[opened]);
        update(&mut app, Message::Command("2".into()));
        let is_done = app.selection.selected == 1;
        assert_eq!(
            (app.status.ignored, is_done),
            (is_ignored, !is_ignored),
            "{opened:?}"
        );
    }
}

#[test]
fn a_key_without_a_sample_says_why_it_does_nothing() {
    let mut app = reviewer(3);
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed("zzz"));
    act(&mut app, &[Action::Accept]);
    for action in [
        Action::Mark,
        Action::Tag,
        Action::Note,
        Action::Record,
        Action::Copy,
        Action::Responses,
    ] {
        act(&mut app, &[action]);
        let words = app.notice().unwrap_or_default();
        assert!(
            words.starts_with("No sample is shown; "),
            "{action:?}: {words}"
        );
        assert_eq!((app.mode(), app.review.ledger.len()), (Mode::Read, 0));
    }
}
