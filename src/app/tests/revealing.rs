//! Judgments before and after labels are revealed, in audits and without one.

use std::collections::BTreeSet;

use super::reviewing::{act, blind, digits, reviewer, work, write};
use super::*;
use crate::model::ResponseId;

#[test]
fn what_is_judged_once_labels_show_is_not_judged_blind() {
    let mut app = blind(6, false);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    let blindly = |app: &App| {
        app.review
            .remark(0)
            .map(|said| said.ratings[0].setting.blind)
    };
    assert_eq!(blindly(&app), Some(true));
    act(
        &mut app,
        &[
            Action::Answer(RatingAction::Change),
            Action::Answer(RatingAction::Yes),
        ],
    );
    digits(&mut app, "2");
    assert_eq!(blindly(&app), Some(false));
}

#[test]
fn a_revealed_sample_is_closed() {
    let mut app = blind(6, false);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    let before = app.review.remark(0).cloned().expect("a judgment");
    assert!(!app.mask().hidden && before.ratings[0].setting.blind);
    use RatingAction::{Change, Clear, Defer, GoOn, Higher, Lower, Skip, Tie, Wins, Yes};
    let keys = [
        Wins(ResponseId::A),
        Wins(ResponseId::B),
        Tie,
        Clear,
        Lower,
        Higher,
        Skip,
        Defer,
    ]
    .map(Action::Answer);
    for key in [Action::Digit(4), Action::Undo].into_iter().chain(keys) {
        act(&mut app, &[key]);
        assert_eq!(
            (app.review.remark(0), app.selection.selected),
            (Some(&before), 0),
            "{key:?}"
        );
        assert!(
            app.notice().is_some_and(|notice| notice.contains("c ")),
            "{key:?}: {:?}",
            app.notice()
        );
    }
    // Without confirmation nothing is opened.
    act(&mut app, &[Action::Answer(Change), Action::Digit(4)]);
    assert_eq!(app.review.remark(0), Some(&before));
    act(
        &mut app,
        &[
            Action::Answer(Change),
            Action::Answer(Yes),
            Action::Digit(4),
        ],
    );
    let rating = app.review.remark(0).expect("a judgment").ratings[0].clone();
    assert!(
        rating.setting.revealed && rating.before_reveal.is_some(),
        "{rating:?}"
    );
    assert_eq!(rating.as_given(), &before.ratings[0]);
    assert_eq!(
        rating
            .labels
            .values()
            .filter(|value| **value == 4.0)
            .count(),
        1
    );
    // After leaving the sample it is closed again.
    act(
        &mut app,
        &[
            Action::Answer(GoOn),
            Action::PreviousSample,
            Action::Digit(3),
        ],
    );
    assert_eq!(
        app.review.remark(0).map(|said| said.ratings[0].clone()),
        Some(rating)
    );
}

#[test]
fn what_is_put_off_after_the_reveal_comes_back_and_counts() {
    let mut app = blind(30, false);
    write(&mut app, Action::Command, "audit 2 seed=3");
    let progress = |app: &App| app.running().map(RunningAudit::settled_of_all);
    digits(&mut app, "1111111111");
    use RatingAction::{Change, Defer, GoOn, Skip, Yes};
    act(&mut app, &[Change, Yes, Defer].map(Action::Answer));
    assert_eq!((app.selection.position, progress(&app)), (1, Some((1, 2))));
    digits(&mut app, "2222222222");
    act(&mut app, &[Change, Yes, Skip].map(Action::Answer));
    assert_eq!(
        (app.selection.position, progress(&app)),
        (0, Some((2, 2))),
        "it comes back"
    );
    assert!(
        !app.running()
            .is_some_and(|running| running.progress.is_finished())
            && !app.mask().hidden
    );
    act(&mut app, &[Action::Answer(GoOn)]);
    assert!(
        app.running()
            .is_some_and(|running| running.progress.is_finished()),
        "it stays as it is: {:?}",
        app.notice()
    );
    act(&mut app, &[Action::Agreement]);
    let text: String = app
        .views
        .page_of::<AgreementScreen>()
        .map(|page| format!("{:?}", page.doc.text))
        .unwrap_or_default();
    assert!(text.contains("0 changed, 1 withdrawn"), "{text}");
}

#[test]
fn what_was_seen_before_is_not_judged_blind() {
    let mut app = reviewer(6);
    act(&mut app, &[Action::NextSample, Action::PreviousSample]);
    write(&mut app, Action::Command, "blind");
    act(&mut app, &[Action::Rate]);
    let mut settings = Vec::new();
    for sample in 0..3 {
        assert!(app.mask().hidden);
        digits(&mut app, "3");
        settings.push(
            app.review
                .remark(sample)
                .map(|said| said.ratings[0].setting.clone())
                .expect("one"),
        );
        act(&mut app, &[Action::Answer(RatingAction::GoOn)]);
    }
    let told: Vec<_> = settings
        .iter()
        .map(|setting| (setting.blind, setting.seen))
        .collect();
    assert_eq!(told, [(false, true), (false, true), (true, false)]);
    // Another run knows it from the journal, and so does one after an audit that revealed.
    let entries = app.review.ledger.clone();
    let (mut next, mut keys) = (blind(6, false), Buffers::default());
    for sample in 0..3 {
        let key = app.data.dataset.key(sample, &mut keys).expect("a key");
        assert_eq!(entries.has_seen("ann", &key), sample < 2);
        if sample == 1 {
            let entry = crate::journal::ActRecord {
                id: crate::journal::ActId("other-1".into()),
                time: String::new(),
                reviewer: "ann".into(),
                sample_ref: None,
                act: crate::journal::Act::Seen {
                    samples: [key].into(),
                },
            };
            update(&mut next, Message::Review(ReviewEvent::Acts(vec![entry])));
        }
    }
    let seen: Vec<_> = (0..3)
        .map(|_| {
            let seen = next.is_seen();
            act(&mut next, &[Action::NextSample]);
            seen
        })
        .collect();
    assert_eq!(seen, [false, true, false]);
}

#[test]
fn reading_again_neither_records_nor_forgets_what_was_seen() {
    let mut app = reviewer(6);
    act(
        &mut app,
        &[
            Action::NextSample,
            Action::NextSample,
            Action::PreviousSample,
        ],
    );
    let mut reading = Buffers::default();
    let seen: BTreeSet<_> = (0..3)
        .filter_map(|sample| app.data.dataset.key(sample, &mut reading))
        .collect();
    // Reading alone does not create a journal.
    assert_eq!(
        update(&mut app, Message::Action(Action::Reload)),
        [Effect::Load(1)]
    );
    // The first sample is gone, so the following ones have other numbers.
    let bytes = rows(6, 3);
    let ends: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').collect();
    load(&mut app, 1, &bytes[ends[1] + 1..]);
    assert_eq!((app.data.dataset.samples(), app.selection.selected), (5, 1));
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    update(&mut app, Message::Leaving);
    assert!(
        seen.iter()
            .all(|key| app.review.ledger.has_seen("ann", key))
    );
    write(&mut app, Action::Command, "blind");
    act(&mut app, &[Action::FirstSample]);
    let known: Vec<_> = (0..3)
        .map(|_| {
            let seen = app.is_seen();
            act(&mut app, &[Action::NextSample]);
            seen
        })
        .collect();
    assert_eq!(known, [true, true, false]);
}

#[test]
fn a_sample_that_an_audit_revealed_is_not_blind_in_the_next_one() {
    let mut app = blind(4, false);
    write(&mut app, Action::Command, "audit 4 seed=3");
    digits(&mut app, "1111111111");
    let first = app.selection.selected;
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit 4 seed=9");
    for _ in 0..4 {
        assert_eq!(
            (app.mask().hidden, app.is_seen()),
            (true, app.selection.selected == first)
        );
        digits(&mut app, "3");
        let rating = app
            .review
            .remark(app.selection.selected)
            .and_then(|said| said.ratings.last().cloned())
            .expect("one");
        assert_eq!(rating.setting.blind, app.selection.selected != first);
        act(&mut app, &[Action::Answer(RatingAction::GoOn)]);
    }
}
