//! Returning to the position before a jump.

use super::filtering::typed;
use super::reviewing::{act, reviewer, write};
use super::*;

#[test]
fn a_jump_can_be_taken_back_and_made_again() {
    let mut app = loaded(WIDE, 40, 3);
    play(&mut app, &[Action::JumpBack]);
    let notice = app.notice().unwrap_or_default();
    assert!(notice.contains("No jump to"), "{notice}");
    play(&mut app, &[Action::NextSample, Action::NextSample]);
    play(&mut app, &[Action::LastSample]);
    let last = app.selection.selected;
    // A single step is not a jump.
    play(&mut app, &[Action::PreviousSample, Action::JumpBack]);
    assert_eq!((app.selection.selected, app.notice()), (2, None));
    play(&mut app, &[Action::JumpBack]);
    assert_eq!(app.selection.selected, last - 1);
    play(&mut app, &[Action::Digit(9), Action::FirstSample]);
    play(&mut app, &[Action::JumpBack]);
    assert_eq!(app.selection.selected, last - 1);
}

#[test]
fn a_filter_and_a_search_that_select_another_sample_are_jumps() {
    let lines = [
        (Action::Filter, "row>=20", Action::DropFilter),
        (Action::Search, "33", Action::Cancel),
    ];
    for (line, text, drop) in lines {
        let mut app = loaded(WIDE, 40, 3);
        play(&mut app, &[Action::NextSample, Action::NextSample, line]);
        play(&mut app, &typed(text));
        play(&mut app, &[Action::Accept]);
        let found = app.selection.selected;
        assert_ne!(found, 2, "{text}");
        // A notice reports a position that is not shown.
        play(&mut app, &[Action::JumpBack]);
        let notice = app.notice().unwrap_or_default();
        assert!(notice.contains("Sample 3 is not shown"), "{text}: {notice}");
        play(&mut app, &[drop, Action::JumpBack]);
        assert_eq!(app.selection.selected, 2, "{text}");
    }
}

#[test]
fn what_was_only_seen_while_one_typed_is_nowhere_to_go_back_to() {
    for (line, text) in [(Action::Filter, "row>=20"), (Action::Search, "33")] {
        let mut app = loaded(WIDE, 40, 3);
        play(&mut app, &[Action::Digit(9), Action::FirstSample, line]);
        play(&mut app, &typed(text));
        assert_ne!(app.selection.selected, 8, "{text}");
        play(&mut app, &[Action::Cancel]);
        assert_eq!(app.selection.selected, 8, "{text}");
        play(&mut app, &[Action::JumpBack]);
        assert_eq!(app.selection.selected, 0, "{text}");
    }
}

#[test]
fn jumps_do_not_cross_the_bounds_of_an_audit() {
    let mut app = reviewer(40);
    play(&mut app, &[Action::Digit(9), Action::FirstSample]);
    write(&mut app, Action::Command, "audit 5 seed=5");
    assert!(app.running().is_some(), "{:?}", app.notice());
    let first = app.selection.selected;
    act(&mut app, &[Action::JumpBack]);
    let notice = app.notice().unwrap_or_default();
    assert!(notice.contains("No jump to"), "{notice}");
    act(&mut app, &[Action::LastSample, Action::JumpBack]);
    assert_eq!((app.selection.selected, app.notice()), (first, None));
    write(&mut app, Action::Command, "audit off");
    assert_eq!(app.selection.selected, 8);
    play(&mut app, &[Action::JumpBack]);
    assert_eq!(
        app.selection.selected, 8,
        "no sample of the audit with its labels"
    );
}
