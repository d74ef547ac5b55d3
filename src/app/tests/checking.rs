//! Spot checks: the reviewer's verdict on the dataset's verdict.

use super::reviewing::{act, blind, by_another, digits, entry, reviewer, work, write};
use super::*;
use crate::app::reviewing::ListRemark;
use crate::journal::{Act, CheckDraw};
use crate::model::SpotCheckVerdict::{self, Right, Unclear, Wrong};

fn suspicion(rank: u64) -> CheckDraw {
    CheckDraw::Suspicion {
        rank,
        of: 3,
        filter: "findings>0".into(),
    }
}

/// Records a check; returns false if it was rejected.
fn check(app: &mut App, verdict: Option<SpotCheckVerdict>, drawn: CheckDraw) -> bool {
    let taken = app.check_sample(verdict, drawn);
    let effects = std::mem::take(&mut app.outbox);
    work(app, effects);
    taken
}

fn own_check(app: &App, sample: usize) -> Option<SpotCheckVerdict> {
    app.own_check(sample).map(|own| own.verdict)
}

fn acts(app: &App) -> usize {
    app.review.ledger.len()
}

#[test]
fn a_check_that_cannot_be_recorded_is_not_reported_as_done() {
    let mut app = reviewer(3);
    app.set_recorder(super::reviewing::TestRecorder { fails: true });
    write(&mut app, Action::Command, "check right");
    assert_eq!((own_check(&app, 0), acts(&app)), (None, 0));
    assert_eq!(app.notice(), Some("The sample cannot be read."));
}

#[test]
fn a_check_shows_and_is_undone() {
    let mut app = reviewer(3);
    assert!(check(&mut app, Some(Wrong), suspicion(1)));
    assert_eq!(
        (own_check(&app, 0), own_check(&app, 1)),
        (Some(Wrong), None)
    );
    assert_eq!(app.remark_in_list(0), Some(ListRemark::Checked(Wrong)));
    let remark = app.known_remark(0).expect("a remark");
    assert_eq!(app.check_words(&remark), ["wrong"]);
    // The same check is already recorded; in another queue it is not.
    assert!(check(&mut app, Some(Wrong), suspicion(1)));
    assert!(check(&mut app, Some(Wrong), CheckDraw::Chosen));
    assert_eq!(acts(&app), 1);
    assert!(check(&mut app, Some(Wrong), suspicion(2)));
    assert!(check(&mut app, Some(Unclear), suspicion(2)));
    assert_eq!((acts(&app), own_check(&app, 0)), (3, Some(Unclear)));
    // In the list, a mark has priority.
    act(&mut app, &[Action::NextSample]);
    assert_eq!(app.remark_in_list(0), Some(ListRemark::Checked(Unclear)));
    act(&mut app, &[Action::PreviousSample, Action::Mark]);
    assert_eq!(app.remark_in_list(0), Some(ListRemark::Marked));
    act(&mut app, &[Action::Undo, Action::Undo, Action::Undo]);
    assert_eq!(app.notice(), Some("Undone: the check “wrong” of sample 1."));
    assert_eq!(own_check(&app, 0), Some(Wrong));
    act(&mut app, &[Action::Undo]);
    assert_eq!((own_check(&app, 0), app.remark_in_list(0)), (None, None));
    act(&mut app, &[Action::Redo]);
    assert_eq!(own_check(&app, 0), Some(Wrong));
    assert!(check(&mut app, None, CheckDraw::Chosen));
    assert_eq!(own_check(&app, 0), None);
    assert!(!check(&mut app, None, CheckDraw::Chosen));
    assert_eq!(app.notice(), Some("You have not checked this sample."));
}

#[test]
fn checks_of_others_follow_the_reviewers_own() {
    let mut app = reviewer(3);
    let drawn = suspicion(1);
    let verdict = Some(Right);
    by_another(&mut app, 0, Act::Check { verdict, drawn });
    assert_eq!((own_check(&app, 0), app.remark_in_list(0)), (None, None));
    assert!(check(&mut app, Some(Wrong), suspicion(1)));
    let remark = app.known_remark(0).expect("a remark").into_owned();
    assert_eq!(app.check_words(&remark), ["wrong", "right (ben)"]);
    for (query, expected) in [
        ("check:right check:wrong", &[0_u32][..]),
        ("check:unclear", &[]),
        ("-check:any", &[1, 2]),
    ] {
        write(&mut app, Action::Filter, query);
        let found: Vec<_> = (0..app.shown().len())
            .filter_map(|at| app.shown().sample(at))
            .map(|sample| sample as u32)
            .collect();
        assert_eq!(found, expected, "{query}");
        act(&mut app, &[Action::DropFilter]);
    }
    // Hidden labels also hide checks.
    write(&mut app, Action::Command, "blind");
    assert_eq!((own_check(&app, 0), app.remark_in_list(0)), (None, None));
    assert_eq!(app.check_words(&remark), [""; 0]);
    write(&mut app, Action::Filter, "check:any");
    assert_eq!(app.shown().len(), 3);
}

#[test]
fn names_of_reviewers_from_journals_are_sanitised() {
    let mut app = reviewer(1);
    let (verdict, drawn) = (Some(Right), CheckDraw::Chosen);
    let told = entry(&app, Some(0), Act::Check { verdict, drawn }, "b\u{1b}[2Jen");
    let message = Message::Review(ReviewEvent::Acts(vec![told]));
    let effects = update(&mut app, message);
    work(&mut app, effects);
    fetch(&mut app);
    let remark = app.known_remark(0).expect("a remark").into_owned();
    let words = app.check_words(&remark).concat();
    assert!(
        words.starts_with("right (b") && !words.contains('\u{1b}'),
        "{words:?}"
    );
}

#[test]
fn what_is_hidden_or_not_on_the_screen_is_not_checked() {
    let mut app = blind(3, false);
    assert!(!check(&mut app, Some(Right), suspicion(1)));
    let notice = app.notice().unwrap_or_default().to_owned();
    assert!(notice.starts_with("Labels are hidden while"), "{notice}");
    let mut app = reviewer(3);
    write(&mut app, Action::Command, "audit 2 seed=7");
    assert!(!check(&mut app, Some(Right), suspicion(1)));
    let notice = app.notice().unwrap_or_default().to_owned();
    assert!(notice.contains(":audit off leaves it"), "{notice}");
    write(&mut app, Action::Command, "audit off");
    // Typed before the sample was shown.
    update(&mut app, Message::Action(Action::NextSample));
    assert!(!check(&mut app, Some(Right), suspicion(2)));
    fetch(&mut app);
    assert!(check(&mut app, Some(Right), suspicion(2)));
    let mut app = empty(WIDE);
    assert!(!check(&mut app, Some(Right), suspicion(1)));
    assert_eq!(app.notice(), Some("No sample to check."));
}

#[test]
fn a_check_is_typed_as_well() {
    let mut app = reviewer(3);
    for (typed, verdict, notice) in [
        (
            "check wrong",
            Some(Wrong),
            "You checked the dataset's labels as wrong.",
        ),
        (
            "check right",
            Some(Right),
            "You checked the dataset's labels as right.",
        ),
        ("check off", None, "Withdrew your check."),
    ] {
        write(&mut app, Action::Command, typed);
        assert_eq!((own_check(&app, 0), app.notice()), (verdict, Some(notice)));
    }
    write(&mut app, Action::Command, "check maybe");
    let error = app.views.line().and_then(|line| line.error.as_ref());
    let message = error.map(|error| error.message.clone()).unwrap_or_default();
    assert!(message.contains("right, wrong, unclear"), "{message}");
}

#[test]
fn undoing_a_check_reveals_nothing_while_labels_are_hidden() {
    let mut app = reviewer(3);
    act(&mut app, &[Action::NextSample]);
    assert!(check(&mut app, Some(Wrong), suspicion(2)));
    act(&mut app, &[Action::PreviousSample]);
    write(&mut app, Action::Command, "blind");
    for (action, notice) in [
        (Action::Undo, "Undone: a check."),
        (Action::Redo, "Redone: a check."),
    ] {
        act(&mut app, &[action]);
        assert_eq!((app.notice(), app.selection.selected), (Some(notice), 0));
    }
    write(&mut app, Action::Command, "blind");
    assert_eq!(own_check(&app, 1), Some(Wrong));
    act(&mut app, &[Action::Undo]);
    assert_eq!(
        (app.notice(), app.selection.selected),
        (Some("Undone: the check “wrong” of sample 2."), 1)
    );
}

#[test]
fn a_check_after_an_audit_is_of_a_sample_on_the_screen() {
    let mut app = reviewer(30);
    app.select(20);
    fetch(&mut app);
    write(&mut app, Action::Command, "audit 1 seed=3");
    digits(&mut app, "3131313131");
    let before = acts(&app);
    assert_ne!(app.selection.selected, 20);
    write(&mut app, Action::Command, "check wrong");
    // The audit was left for the sample before it, which was not drawn since.
    assert_eq!((acts(&app), own_check(&app, 20)), (before, None));
}
