//! Audits from sampling to the end, and what a blind reviewer sees.

use std::collections::BTreeSet;

use super::audits::lines;
use super::filtering::typed;
use super::reviewing::{act, blind, digits, one, rated, reviewer, work, write};
use super::*;
use crate::model::{ResponseId, Verdict};

/// Returns the value of the first label in a rating of an audit, by pass.
fn value(app: &App, sample: usize, pass: u8, side: ResponseId) -> Option<f64> {
    let said = app.review.remark(sample)?;
    said.ratings
        .iter()
        .find(|rating| rating.setting.pass == pass)?
        .label("helpfulness", side)
}

#[test]
fn an_audit_goes_through_its_queue_and_can_be_left_and_resumed() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 3 seed=5");
    let queue: Vec<_> = app.shown().samples(0..9).collect();
    assert_eq!(
        (queue.len(), app.mode(), app.selection.position),
        (3, Mode::Rate, 0),
        "{:?}",
        app.notice()
    );
    assert_eq!(queue.iter().collect::<BTreeSet<_>>().len(), 3);
    act(&mut app, &[Action::Filter]);
    assert_eq!(app.mode(), Mode::Rate, "a filter has to wait");
    digits(&mut app, "2222222222");
    assert_eq!(
        (
            app.selection.position,
            app.running().map(RunningAudit::settled_of_all)
        ),
        (1, Some((1, 3)))
    );
    write(&mut app, Action::Command, "audit off");
    assert_eq!((app.shown().len(), app.running().is_none()), (30, true));
    write(&mut app, Action::Command, "audit");
    assert!(lines(&app)[0].contains("  ann  "), "{:?}", lines(&app));
    act(&mut app, &[Action::Accept]);
    assert_eq!(
        (
            app.selection.position,
            app.shown().samples(0..9).collect::<Vec<_>>()
        ),
        (1, queue.clone()),
        "where it was left"
    );
    act(&mut app, &[Action::Answer(RatingAction::Defer)]);
    assert_eq!(app.selection.position, 2);
    act(&mut app, &[Action::Answer(RatingAction::Skip)]);
    assert_eq!(
        app.selection.position, 1,
        "what was put off comes at the end"
    );
    digits(&mut app, "0000000000");
    assert!(
        app.running()
            .is_some_and(|running| running.progress.is_finished())
    );
    assert!(
        app.notice().is_some_and(|notice| notice.contains("done")),
        "{:?}",
        app.notice()
    );
    // The same seed draws the same samples.
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit 3 seed=5");
    assert_eq!(app.shown().samples(0..9).collect::<Vec<_>>(), queue);
}

#[test]
fn an_audit_draws_from_the_filter() {
    let mut app = reviewer(30);
    write(&mut app, Action::Filter, "helpfulness=3");
    let found: BTreeSet<_> = app.shown().samples(0..99).collect();
    assert_eq!(found.len(), 6);
    write(&mut app, Action::Command, "audit 4 seed=1 blind");
    assert!(
        app.shown()
            .samples(0..9)
            .all(|sample| found.contains(&sample))
    );
    assert_eq!((app.shown().len(), app.is_blind()), (4, true));
    let tells = |app: &App| {
        let notice = app.notice();
        notice.is_some_and(|told| told.contains("filter of this audit reveals labels"))
    };
    assert!(tells(&app), "{:?}", app.notice());
    let mut app = reviewer(30);
    write(&mut app, Action::Filter, "len>0");
    write(&mut app, Action::Command, "audit 4 seed=1 blind");
    assert!(app.is_blind() && !tells(&app), "{:?}", app.notice());
}

#[test]
fn nothing_of_a_blind_sample_is_there_to_be_drawn() {
    let mut app = blind(12, false);
    let masked = |app: &App| {
        let page = app.page().expect("a page");
        let card = &page.card;
        let is_bare = card.labels.is_empty() && card.facts.is_empty();
        is_bare && page.outcome.is_none() && page.places.is_empty()
    };
    assert!(masked(&app));
    assert!(app.columns().is_empty() && !app.shows_summary());
    act(&mut app, &[Action::LabelsPanel]);
    assert_eq!(app.mode(), Mode::Read);
    act(&mut app, &[Action::Sort]);
    assert_eq!(app.mode(), Mode::Read);
    write(&mut app, Action::Filter, "helpfulness>=3");
    assert!(
        app.views
            .line()
            .and_then(|line| line.error.as_ref())
            .is_some()
            && app.shown().len() == 12
    );
    act(&mut app, &[Action::Cancel]);
    write(&mut app, Action::Command, "sort helpfulness");
    assert!(app.filter.active().is_none(), "{:?}", app.notice());
    act(&mut app, &[Action::Cancel]);
    write(&mut app, Action::Command, "export result x.jsonl");
    assert!(
        app.views
            .line()
            .and_then(|line| line.error.as_ref())
            .is_some()
    );
    act(&mut app, &[Action::Cancel]);
    // After judging, labels are shown beside the judgment.
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    assert_eq!(app.selection.selected, 0, "one looks at it first");
    assert!(!masked(&app) && !app.mask().hidden);
    act(&mut app, &[Action::Answer(RatingAction::GoOn)]);
    assert!(app.selection.selected == 1 && masked(&app));
    // After half of the questions they are not.
    digits(&mut app, "1111");
    assert!(masked(&app));
}

#[test]
fn a_strict_session_reveals_nothing_and_sums_nothing_up() {
    let mut app = blind(12, true);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    assert_eq!(
        (app.selection.selected, &*app.review.in_short),
        (1, ""),
        "straight on"
    );
    act(&mut app, &[Action::PreviousSample]);
    assert!(app.mask().hidden);
    write(&mut app, Action::Command, "blind");
    assert!(app.is_blind());
}

#[test]
fn answers_apply_to_the_files_sides_when_swapped() {
    let mut app = blind(40, true);
    act(&mut app, &[Action::Rate]);
    let mut swaps = [0, 0];
    for sample in 0..40 {
        let swapped = !app.mask().order.is_of_file();
        swaps[usize::from(swapped)] += 1;
        let lines = app
            .page()
            .map(|page| [0, 1].map(|side: usize| page.sides[side].text.len()))
            .expect("a page");
        // In the file, B is the longer response.
        assert_eq!(lines[0] > lines[1], swapped, "sample {sample}");
        digits(&mut app, "40");
        act(
            &mut app,
            &[
                Action::Answer(RatingAction::Wins(ResponseId::A)),
                Action::Answer(RatingAction::GoOn),
            ],
        );
        let shown_left = if swapped {
            ResponseId::B
        } else {
            ResponseId::A
        };
        assert!(rated(&app, sample).contains(&("helpfulness".to_owned(), shown_left, 4.0)));
        let verdict = app
            .review
            .remark(sample)
            .and_then(|said| said.ratings[0].verdict);
        assert_eq!(
            verdict.map(|verdict| verdict.0),
            Some(Verdict::wins(shown_left))
        );
    }
    assert!(swaps[0] > 8 && swaps[1] > 8, "{swaps:?}");
}

#[test]
fn a_sample_that_comes_back_is_asked_anew_with_sides_swapped() {
    let mut app = reviewer(30);
    write(
        &mut app,
        Action::Command,
        "audit 10 seed=3 repeat=20% blind",
    );
    let shown: Vec<_> = app.shown().samples(0..99).collect();
    assert_eq!(
        (shown.len(), shown.iter().collect::<BTreeSet<_>>().len()),
        (12, 10)
    );
    let mut seen: std::collections::BTreeMap<usize, Vec<bool>> = Default::default();
    for position in 0..12 {
        assert_eq!(app.selection.position, position);
        assert!(app.mask().hidden, "nothing shows before the end");
        assert_eq!(&*app.review.in_short, "");
        seen.entry(app.selection.selected)
            .or_default()
            .push(!app.mask().order.is_of_file());
        digits(&mut app, "3131313131");
    }
    assert!(
        app.running()
            .is_some_and(|running| running.progress.is_finished())
    );
    assert!(!app.mask().hidden, "now it does");
    let twice: Vec<_> = seen.values().filter(|swaps| swaps.len() == 2).collect();
    assert!(
        twice.len() == 2 && twice.iter().all(|swaps| swaps[0] != swaps[1]),
        "{seen:?}"
    );
}

#[test]
fn undo_in_an_audit_goes_to_the_pass_that_was_answered() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 10 seed=3 repeat=20%");
    for _ in 0..12 {
        digits(&mut app, "3131313131");
    }
    let passes: Vec<_> = app.shown().samples(0..99).collect();
    let repeat = (0..12)
        .rev()
        .find(|&at| passes[..at].contains(&passes[at]))
        .expect("one that came back");
    act(
        &mut app,
        &[
            Action::Digit(((repeat + 1) / 10) as u8),
            Action::Digit(((repeat + 1) % 10) as u8),
            Action::FirstSample,
        ],
    );
    assert_eq!(app.selection.position, repeat, "an audit counts its own");
    act(
        &mut app,
        &[Action::Rate, Action::Answer(RatingAction::Clear)],
    );
    digits(&mut app, "4");
    act(&mut app, &[Action::PreviousSample, Action::Undo]);
    assert_eq!(app.selection.position, repeat);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "0");
    let sample = passes[repeat];
    // In the second pass B is on the left.
    assert_eq!(
        (
            value(&app, sample, 1, ResponseId::A),
            value(&app, sample, 2, ResponseId::B)
        ),
        (Some(3.0), Some(0.0))
    );
}

#[test]
fn an_audit_with_judgments_is_not_undone() {
    let mut app = reviewer(10);
    write(&mut app, Action::Command, "audit 3 seed=1");
    act(&mut app, &[Action::Undo]);
    assert!(app.running().is_none(), "nothing was judged: it is gone");
    assert_eq!(app.review.ledger.sessions().count(), 0);
    write(&mut app, Action::Command, "audit 3 seed=1");
    digits(&mut app, "3");
    act(
        &mut app,
        &[Action::Undo, Action::Redo, Action::Mark, Action::Undo],
    );
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert!(app.running().is_none());
    write(&mut app, Action::Command, "audit 3 seed=1");
    digits(&mut app, "3");
    write(&mut app, Action::Command, "audit off");
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert_eq!(
        app.review.ledger.sessions().count(),
        0,
        "a judgment taken back is none"
    );
}

#[test]
fn keys_typed_ahead_of_the_screen_judge_nothing_unseen() {
    let mut app = blind(6, true);
    act(&mut app, &[Action::Rate]);
    // Forty digits in one batch, without a frame between them.
    for _ in 0..40 {
        let mut effects = update(&mut app, Message::Action(Action::Digit(2)));
        while let Some(effect) = effects.pop() {
            if let Effect::Review(effect) = effect {
                effects.extend(one(&mut app, &effect));
            }
        }
    }
    assert_eq!(
        (
            app.selection.selected,
            rated(&app, 0).len(),
            rated(&app, 1).len()
        ),
        (1, 10, 0)
    );
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("typed before this sample was shown")),
        "{:?}",
        app.notice()
    );
    fetch(&mut app);
    digits(&mut app, "2");
    assert_eq!(rated(&app, 1).len(), 1);
}

#[test]
fn a_key_typed_ahead_of_a_frame_judges_nothing_once_that_is_drawn() {
    let mut app = blind(6, true);
    act(&mut app, &[Action::Rate]);
    let digit = |app: &mut App| {
        let effects = update(app, Message::Action(Action::Digit(2)));
        work(app, effects);
    };
    update(&mut app, Message::Action(Action::NextSample));
    read(&mut app);
    let drawn = app.on_screen();
    update(&mut app, Message::Drawn(drawn));
    digit(&mut app);
    assert_eq!((app.selection.selected, rated(&app, 1).len()), (1, 0));
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("typed before this sample was shown")),
        "{:?}",
        app.notice()
    );
    update(&mut app, Message::CaughtUp(drawn));
    digit(&mut app);
    assert_eq!(rated(&app, 1).len(), 1);
}

#[test]
fn the_coin_is_the_samples_and_not_the_places() {
    let swaps = |app: &mut App, order: &[usize]| {
        let mut swaps = std::collections::BTreeMap::new();
        for &sample in order {
            act(app, &[Action::FirstSample]);
            (0..sample).for_each(|_| act(app, &[Action::NextSample]));
            let key = app
                .data
                .dataset
                .key(app.selection.selected, &mut Buffers::default())
                .expect("a key");
            swaps.insert(key, !app.mask().order.is_of_file());
        }
        swaps
    };
    let text = |order: &[usize]| -> &'static [u8] {
        let row = |at: usize, side: &str| {
            format!("{{\"prompt\": \"p{at}\", \"response\": \"{side}\", \"helpfulness\": 1}}\n")
        };
        let text: String = order
            .iter()
            .map(|at| row(*at, "one") + &row(*at, "two"))
            .collect();
        Box::leak(text.into_boxed_str()).as_bytes()
    };
    let opened = |order: &[usize], seed: u32| {
        let mut app = empty(WIDE);
        app.introduce(
            "ann",
            Some(Blind {
                reveal: crate::journal::Reveal::Never,
                strict: true,
            }),
            PendingOpening::default(),
        );
        app.set_coin(seed);
        load(&mut app, 0, text(order));
        app
    };
    let (forth, back): (Vec<_>, Vec<_>) = ((0..24).collect(), (0..24).rev().collect());
    let one = swaps(&mut opened(&forth, 7), &forth);
    assert_eq!(one, swaps(&mut opened(&back, 7), &forth), "at any position");
    assert_ne!(
        one,
        swaps(&mut opened(&forth, 8), &forth),
        "another run tosses anew"
    );
    let other: Vec<_> = (100..124).collect();
    let places: Vec<bool> = one.values().copied().collect();
    assert_ne!(
        places,
        swaps(&mut opened(&other, 7), &forth)
            .into_values()
            .collect::<Vec<_>>()
    );
    assert!(places.iter().filter(|swapped| **swapped).count() > 4);
}

#[test]
fn nothing_shows_while_an_audits_files_are_read_again() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 5 seed=2 blind");
    digits(&mut app, "11");
    let sample = app.selection.selected;
    let effects = update(&mut app, Message::Action(Action::Reload));
    assert_eq!(effects, [Effect::Load(1)]);
    let hidden = |app: &App| app.is_blind() && app.running().is_some();
    let mut meanwhile = 0;
    for report in reports(rows(30, 3)) {
        update(&mut app, Message::Loaded(1, report));
        assert!(hidden(&app));
        // Keys that arrive in the meantime do not judge, unless the same sample is shown again.
        let (acts, is_there) = (app.review.ledger.len(), !app.shown().is_empty());
        let is_same = is_there && app.selection.selected == sample;
        update(&mut app, Message::Action(Action::Digit(4)));
        let judged = app.review.ledger.len() - acts;
        assert!(judged == 0 || is_same && judged == 1);
        meanwhile += judged;
    }
    fetch(&mut app);
    assert!(hidden(&app) && app.mask().hidden);
    assert_eq!(
        (app.selection.selected, app.shown().len()),
        (sample, 5),
        "the same sample"
    );
    digits(&mut app, "1");
    assert_eq!(rated(&app, sample).len(), 3 + meanwhile);
}

#[test]
fn labels_can_wait_for_the_end_of_an_audit() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 2 seed=3 reveal=end");
    assert!(app.is_blind(), "{:?}", app.notice());
    digits(&mut app, "3131313131");
    assert_eq!(
        (app.selection.position, &*app.review.in_short),
        (1, ""),
        "the next sample, without figures"
    );
    act(&mut app, &[Action::PreviousSample]);
    assert!(app.mask().hidden, "one is judged, and the audit is not");
    act(&mut app, &[Action::NextSample]);
    digits(&mut app, "3131313131");
    assert!(
        !app.mask().hidden
            && app
                .running()
                .is_some_and(|running| running.progress.is_finished())
    );
    act(&mut app, &[Action::PreviousSample]);
    assert!(!app.mask().hidden, "the whole audit is done");
    // The whole run counts: judging without an audit has no end.
    let mut app = reviewer(6);
    app.introduce(
        "ann",
        Some(Blind {
            reveal: crate::journal::Reveal::End,
            strict: true,
        }),
        PendingOpening::default(),
    );
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "3131313131");
    act(&mut app, &[Action::PreviousSample]);
    assert!(app.mask().hidden);
}

/// Returns a finished audit of three samples that revealed at its end, after each sample was viewed
/// with its labels.
fn revealed_at_the_end(last: Action) -> App {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 3 seed=3 reveal=end");
    digits(&mut app, "31313131313131313131");
    match last {
        Action::Digit(_) => digits(&mut app, "3131313131"),
        other => act(&mut app, &[other]),
    }
    assert!(
        app.running()
            .is_some_and(|running| running.progress.is_finished())
            && !app.mask().hidden
    );
    act(&mut app, &[Action::PreviousSample, Action::PreviousSample]);
    app
}

#[test]
fn one_that_is_put_off_after_the_end_leaves_the_others_closed() {
    use RatingAction::{Change, Defer, Yes};
    let mut app = revealed_at_the_end(Action::Digit(3));
    act(&mut app, &[Change, Yes, Defer].map(Action::Answer));
    assert!(
        !app.running()
            .is_some_and(|running| running.progress.is_finished()),
        "{:?} {:?}",
        app.notice(),
        app.mode()
    );
    for position in 0..3 {
        app.select(position);
        fetch(&mut app);
        assert!(
            !app.mask().hidden,
            "the labels of sample {position} have shown"
        );
    }
    act(&mut app, &[Action::PreviousSample]);
    assert_eq!(app.selection.position, 1);
    let sample = app.selection.selected;
    let before = app.review.remark(sample).cloned().expect("a judgment");
    act(
        &mut app,
        &[
            Action::Answer(RatingAction::Wins(ResponseId::B)),
            Action::Digit(4),
        ],
    );
    assert_eq!(
        app.review.remark(sample),
        Some(&before),
        "{:?}",
        app.notice()
    );
    // The deferred sample opens without confirmation, and its blind judgment is kept.
    act(&mut app, &[Action::PreviousSample]);
    digits(&mut app, "4");
    let rating = app
        .review
        .remark(app.selection.selected)
        .map(|said| said.ratings[0].clone())
        .expect("a judgment");
    assert!(
        rating.setting.revealed
            && rating.as_given().setting.blind
            && rating.as_given().labels.len() == 10
    );
}

#[test]
fn a_skip_is_not_undone_once_the_end_has_revealed() {
    let mut app = revealed_at_the_end(Action::Answer(RatingAction::Skip));
    act(&mut app, &[Action::Undo]);
    assert!(
        app.running()
            .is_some_and(|running| running.progress.is_finished())
            && !app.mask().hidden,
        "{:?}",
        app.notice()
    );
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("c in the rating strip")),
        "{:?}",
        app.notice()
    );
    // Also not after leaving the audit.
    write(&mut app, Action::Command, "audit off");
    act(&mut app, &[Action::Undo]);
    write(&mut app, Action::Command, "audit 3 seed=3 reveal=end");
    assert!(
        app.running()
            .is_some_and(|running| running.progress.is_finished()),
        "{:?}",
        app.notice()
    );
}

#[test]
fn what_was_judged_blind_and_seen_since_is_closed_also_while_labels_are_hidden() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 2 seed=3 reveal=end");
    digits(&mut app, "3131313131");
    act(&mut app, &[Action::PreviousSample]);
    let sample = app.selection.selected;
    let judged = |app: &App| {
        app.review
            .remark(sample)
            .map(|said| said.ratings[0].clone())
            .expect("a judgment")
    };
    // Before labels are revealed, mistakes can be corrected.
    digits(&mut app, "4");
    let before = judged(&app);
    assert!(
        before.setting.blind && before.labels.values().any(|value| *value == 4.0),
        "{before:?}"
    );
    write(&mut app, Action::Command, "audit off");
    app.select(sample);
    fetch(&mut app);
    assert!(!app.mask().hidden && app.selection.selected == sample);
    write(&mut app, Action::Command, "audit 2 seed=3 reveal=end");
    act(&mut app, &[Action::PreviousSample]);
    assert!(app.mask().hidden && app.selection.selected == sample);
    digits(&mut app, "0");
    assert_eq!(judged(&app), before, "{:?}", app.notice());
    act(
        &mut app,
        &[RatingAction::Change, RatingAction::Yes].map(Action::Answer),
    );
    digits(&mut app, "0");
    let after = judged(&app);
    assert!(
        after.setting.revealed && after.as_given() == &before,
        "{after:?}"
    );
}

#[test]
fn figures_do_not_reveal_repeated_samples() {
    let mut app = blind(30, false);
    write(&mut app, Action::Command, "audit 10 seed=3 repeat=20%");
    digits(&mut app, "3131313131");
    write(&mut app, Action::Command, "audit off");
    assert_eq!((app.is_blind(), &*app.review.in_short), (true, ""));
}

#[test]
fn a_draw_that_fails_ends_the_program_only_where_it_was_to_begin_with_it() {
    let begun = |words: &str| {
        let mut app = loaded(WIDE, 8, 3);
        app.introduce(
            "ann",
            None,
            PendingOpening {
                filter: None,
                audit: Some(words.to_owned()),
            },
        );
        let effects = update(&mut app, Message::Review(ReviewEvent::Read));
        work(&mut app, effects);
        fetch(&mut app);
        app
    };
    let mut app = begun("2 seed=1");
    assert!(app.running().is_some());
    write(&mut app, Action::Command, "audit off");
    act(&mut app, &[Action::Command]);
    act(&mut app, &typed("audit 2 by=nothing"));
    let effects = update(&mut app, Message::Action(Action::Accept));
    let drawn = |effects: &[Effect]| match effects {
        [Effect::Job(draw)] => result_of(draw).expect("an error"),
        _ => panic!("{effects:?}"),
    };
    let after = update(&mut app, drawn(&effects));
    assert!(
        after.is_empty()
            && app
                .notice()
                .is_some_and(|notice| notice.contains("nothing")),
        "{after:?}"
    );
    let mut app = reviewer(8);
    app.introduce(
        "ann",
        None,
        PendingOpening {
            filter: None,
            audit: Some("2 by=nothing".to_owned()),
        },
    );
    let effects = update(&mut app, Message::Review(ReviewEvent::Begin));
    let after = update(&mut app, drawn(&effects));
    assert!(matches!(after[..], [Effect::Fail(_)]), "{after:?}");
}

#[test]
fn a_single_response_is_never_swapped() {
    let mut app = empty(WIDE);
    let row = |number: usize| {
        format!("{{\"prompt\": \"p{number}\", \"response\": \"r\", \"helpfulness\": 1}}\n")
    };
    let bytes: String = (0..40).map(row).collect();
    load(&mut app, 0, Box::leak(bytes.into_boxed_str()).as_bytes());
    let strict = Blind {
        reveal: crate::journal::Reveal::After,
        strict: true,
    };
    app.introduce("ann", Some(strict), PendingOpening::default());
    fetch(&mut app);
    for _ in 0..40 {
        assert!(app.mask().hidden && app.mask().order.is_of_file());
        act(&mut app, &[Action::NextSample]);
    }
}

#[test]
fn a_sample_that_is_passed_is_named_and_the_digits_are_those_of_the_question() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 3 seed=3");
    assert_eq!(app.rating_digits().as_deref(), Some("0-4"));
    act(&mut app, &[Action::Answer(RatingAction::GoOn)]);
    assert_eq!(
        app.notice(),
        Some("Not judged: that sample comes again at the end.")
    );
    digits(&mut app, "3131313131");
    act(
        &mut app,
        &[Action::PreviousSample, Action::Answer(RatingAction::GoOn)],
    );
    assert_eq!(app.notice(), None, "this one is judged");
}

#[test]
fn the_second_key_of_agreement_leaves_a_finished_audit() {
    let mut app = revealed_at_the_end(Action::Digit(3));
    act(&mut app, &[Action::Agreement, Action::Agreement]);
    assert!(app.running().is_none() && !app.is_blind());
    // Labels that the run hides stay hidden, and the audit stays open.
    let mut app = blind(30, true);
    write(&mut app, Action::Command, "audit 1 seed=3");
    digits(&mut app, "3131313131");
    act(&mut app, &[Action::Agreement, Action::Agreement]);
    assert!(app.running().is_some() && app.is_blind());
}
