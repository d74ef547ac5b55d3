//! The state that results from acts, by example.

use super::*;

fn ledger(entries: &[ActRecord]) -> Ledger {
    let mut ledger = Ledger::default();
    entries.iter().for_each(|entry| ledger.apply(entry));
    ledger
}

fn in_audit(pass: u8) -> Setting {
    Setting {
        audit: Some(id("audit")),
        pass,
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE,
        ..Setting::default()
    }
}

#[test]
fn marks_and_tags_are_everybodys() {
    let acts = [
        mark("1", "ana", 1, true),
        mark("2", "ben", 1, false),
        mark("3", "ben", 2, true),
        tag("4", "ana", 2, "odd", true),
        tag("5", "ben", 2, "long", true),
        tag("6", "ben", 2, "odd", false),
    ];
    let all = ledger(&acts);
    assert_eq!(all.remark(&key(1)), None, "ben took ana's mark off");
    let second = all.remark(&key(2)).expect("a remark");
    assert!(second.marked);
    assert_eq!(
        second.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(),
        ["long"]
    );
    assert_eq!(
        all.remarks().map(|(sample, _)| *sample).collect::<Vec<_>>(),
        [key(2)]
    );
    assert_eq!(
        all.reviewers()
            .iter()
            .map(|name| &**name)
            .collect::<Vec<_>>(),
        ["ana", "ben"]
    );
    assert_eq!(
        (all.len(), all.is_empty(), Ledger::default().is_empty()),
        (6, false, true)
    );
}

#[test]
fn who_takes_an_own_mark_or_tag_away_leaves_those_of_others() {
    let is_marked = |all: &Ledger| all.remark(&key(1)).is_some_and(|remark| remark.marked);
    let mut all = ledger(&[
        mark("1", "ana", 1, true),
        mark("2", "ben", 1, true),
        mark("3", "ben", 1, false),
    ]);
    assert!(is_marked(&all), "ana's mark holds");
    assert_eq!(all.remark_by(&key(1), "ben"), None);
    all.apply(&undo("4", "ben", "3"));
    assert!(
        all.remark(&key(1))
            .is_some_and(|remark| remark.is_marked_without("ben"))
    );
    assert!(
        all.remark_by(&key(1), "ben")
            .is_some_and(|remark| !remark.is_marked_without("ben"))
    );
    // Ana removes hers, and cleo, who has none, everyone's.
    all.apply(&mark("5", "ana", 1, false));
    assert!(is_marked(&all), "ben's holds");
    all.apply(&mark("6", "cleo", 1, false));
    assert!(!is_marked(&all));
    // Ben, who does not know of that, removes his own but not what ana has set since.
    all.apply(&mark("7", "ana", 1, true));
    all.apply(&mark("8", "ben", 1, false));
    assert!(is_marked(&all));
    let tags = [("1", "ana", true), ("2", "ben", true), ("3", "ben", false)];
    let mut all = ledger(&tags.map(|(name, who, on)| tag(name, who, 1, "odd", on)));
    assert!(
        all.remark(&key(1))
            .is_some_and(|remark| remark.tags.contains("odd"))
    );
    all.apply(&tag("4", "ben", 1, "odd", false));
    assert_eq!(all.remark(&key(1)), None);
}

#[test]
fn notes_are_each_reviewers_own() {
    let mut all = ledger(&[
        note("1", "ben", 1, "short"),
        note("2", "ana", 1, "why"),
        note("3", "ben", 1, "too short"),
    ]);
    let notes = |all: &Ledger| -> Vec<String> {
        let notes = all
            .remark(&key(1))
            .map(|remark| remark.notes.as_slice())
            .unwrap_or_default();
        notes
            .iter()
            .map(|note| format!("{}: {}", note.reviewer, note.text))
            .collect()
    };
    assert_eq!(notes(&all), ["ana: why", "ben: too short"]);
    all.apply(&note("4", "ana", 1, ""));
    assert_eq!(notes(&all), ["ben: too short"]);
    all.apply(&undo("5", "ben", "3"));
    assert_eq!(notes(&all), ["ben: short"], "what was there before");
    all.apply(&undo("6", "ana", "4"));
    assert_eq!(notes(&all), ["ana: why", "ben: short"]);
    all.apply(&note("7", "cleo", 2, ""));
    assert_eq!(all.remark(&key(2)), None);
}

fn check_of<'l>(all: &'l Ledger, sample: u64, who: &str) -> Option<&'l SpotCheck> {
    all.remark(&key(sample))?.check_by(who)
}

#[test]
fn a_check_is_one_of_a_reviewer_and_counts_in_each_queue() {
    use SpotCheckVerdict::{Right, Unclear, Wrong};
    let mut all = ledger(&[
        check("1", "ben", 1, Some(Right), suspicion(4)),
        check("2", "ana", 1, Some(Unclear), CheckDraw::Chosen),
        check("3", "ben", 1, Some(Wrong), random(7, 31)),
        check("4", "ben", 1, Some(Wrong), random(8, 2)),
        // The queue has changed, and the sample has another rank.
        check("5", "ben", 1, Some(Wrong), suspicion(3)),
    ]);
    let said = |all: &Ledger| -> Vec<(String, SpotCheckVerdict)> {
        let remark = all.remark(&key(1)).cloned().unwrap_or_default();
        (remark.checks.iter())
            .map(|check| (check.reviewer.to_string(), check.verdict))
            .collect()
    };
    assert_eq!(
        said(&all),
        [("ana".to_owned(), Unclear), ("ben".to_owned(), Wrong)]
    );
    let ben = check_of(&all, 1, "ben").expect("a check");
    let draws = |check: &SpotCheck| -> Vec<_> { check.draws.clone() };
    assert_eq!(draws(ben), [random(7, 31), random(8, 2), suspicion(3)]);
    assert_eq!(check_of(&all, 1, "cleo"), None);
    assert_eq!(check_of(&all, 2, "ben"), None);
    // Undone checks affect neither the verdict nor the draws.
    all.apply(&undo("6", "ben", "5"));
    all.apply(&undo("7", "ben", "4"));
    all.apply(&undo("8", "ben", "3"));
    let ben = check_of(&all, 1, "ben").expect("a check");
    assert_eq!((ben.verdict, draws(ben)), (Right, vec![suspicion(4)]));
    all.apply(&redo("9", "ben", "3"));
    assert_eq!(
        check_of(&all, 1, "ben").map(|check| check.verdict),
        Some(Wrong)
    );
    // Removing the verdict removes it from every queue.
    all.apply(&check("10", "ben", 1, None, CheckDraw::Chosen));
    assert_eq!(said(&all), [("ana".to_owned(), Unclear)]);
    all.apply(&undo("11", "ben", "10"));
    assert_eq!(said(&all).len(), 2);
    all.apply(&check("12", "cleo", 2, None, suspicion(1)));
    assert_eq!(all.remark(&key(2)), None);
}

#[test]
fn ratings_are_by_reviewer_audit_and_pass() {
    let (open, first, second) = (Setting::default(), in_audit(1), in_audit(2));
    let mut all = ledger(&[
        label("1", "ana", &first, "helpfulness", ResponseId::A, Some(3.0)),
        label("2", "ana", &first, "helpfulness", ResponseId::B, Some(1.0)),
        verdict(
            "3",
            "ana",
            &first,
            Some(Verdict::wins(ResponseId::A)),
            Some(2),
        ),
        label("4", "ana", &second, "helpfulness", ResponseId::A, Some(4.0)),
        label("5", "ben", &first, "helpfulness", ResponseId::A, Some(0.0)),
        label("6", "ana", &open, "helpfulness", ResponseId::A, Some(2.0)),
    ]);
    let value = |all: &Ledger, reviewer: &str, setting: &Setting, side| {
        all.rating(&key(1), reviewer, setting)
            .and_then(|rating| rating.label("helpfulness", side))
    };
    assert_eq!(value(&all, "ana", &first, ResponseId::A), Some(3.0));
    assert_eq!(value(&all, "ana", &first, ResponseId::B), Some(1.0));
    assert_eq!(value(&all, "ana", &second, ResponseId::A), Some(4.0));
    assert_eq!(value(&all, "ana", &second, ResponseId::B), None, "partial");
    assert_eq!(value(&all, "ben", &first, ResponseId::A), Some(0.0));
    assert_eq!(value(&all, "ana", &open, ResponseId::A), Some(2.0));
    assert_eq!(
        all.remark(&key(1)).map(|remark| remark.ratings.len()),
        Some(4)
    );
    let judged = all.rating(&key(1), "ana", &first).expect("a rating");
    assert_eq!(
        (judged.verdict, judged.state),
        (
            Some((Verdict::wins(ResponseId::A), Some(2))),
            RatingState::Open
        )
    );
    assert_eq!(judged.label("verbosity", ResponseId::A), None);

    all.apply(&label(
        "7",
        "ana",
        &first,
        "helpfulness",
        ResponseId::A,
        None,
    ));
    assert_eq!(
        value(&all, "ana", &first, ResponseId::A),
        None,
        "taken back"
    );
    all.apply(&verdict("8", "ana", &first, None, None));
    all.apply(&label(
        "9",
        "ana",
        &first,
        "helpfulness",
        ResponseId::B,
        Some(f64::NAN),
    ));
    assert_eq!(
        all.rating(&key(1), "ana", &first),
        None,
        "nothing is left of it"
    );
    all.apply(&undo("10", "ana", "7"));
    assert_eq!(value(&all, "ana", &first, ResponseId::A), Some(3.0));
}

#[test]
fn what_was_skipped_or_deferred_is_opened_by_a_judgment() {
    let setting = in_audit(1);
    let state = |all: &Ledger| {
        all.rating(&key(1), "ana", &setting)
            .map(|rating| (rating.state, rating.labels.len()))
    };
    let mut all = ledger(&[entry(
        "1",
        "ana",
        1,
        Act::Skip {
            setting: setting.clone(),
        },
    )]);
    assert_eq!(state(&all), Some((RatingState::Skipped, 0)));
    all.apply(&label("2", "ana", &setting, "x", ResponseId::A, Some(1.0)));
    assert_eq!(state(&all), Some((RatingState::Open, 1)));
    all.apply(&entry(
        "3",
        "ana",
        1,
        Act::Defer {
            setting: setting.clone(),
        },
    ));
    assert_eq!(state(&all), Some((RatingState::Deferred, 1)));
    all.apply(&undo("4", "ana", "3"));
    assert_eq!(state(&all), Some((RatingState::Open, 1)));
    all.apply(&undo("5", "ana", "2"));
    assert_eq!(state(&all), Some((RatingState::Skipped, 0)));
    all.apply(&undo("6", "ana", "1"));
    assert_eq!(state(&all), None);
}

#[test]
fn a_rating_is_blind_where_all_of_it_was() {
    let blind = in_audit(1);
    let seen = Setting {
        blind: false,
        ..blind.clone()
    };
    let all = ledger(&[
        label("1", "ana", &blind, "x", ResponseId::A, Some(1.0)),
        label("2", "ana", &seen, "y", ResponseId::A, Some(1.0)),
        label("3", "ana", &blind, "z", ResponseId::A, Some(1.0)),
    ]);
    assert_eq!(
        all.rating(&key(1), "ana", &blind)
            .map(|rating| rating.setting.blind),
        Some(false)
    );
}

#[test]
fn changes_after_the_reveal_keep_the_first_judgment() {
    let (blind, after) = (
        in_audit(1),
        Setting {
            blind: false,
            revealed: true,
            ..in_audit(1)
        },
    );
    let mut all = ledger(&[label("1", "ana", &blind, "x", ResponseId::A, Some(1.0))]);
    let told = |all: &Ledger| {
        let rating = all.rating(&key(1), "ana", &blind).expect("a rating");
        let given = rating.as_given();
        (
            rating.label("x", ResponseId::A),
            given.label("x", ResponseId::A),
            given.setting.blind,
            rating.after_reveal(),
        )
    };
    assert_eq!(told(&all), (Some(1.0), Some(1.0), true, None));
    all.apply(&label("2", "ana", &after, "x", ResponseId::A, Some(4.0)));
    assert_eq!(
        told(&all),
        (Some(4.0), Some(1.0), true, Some(AfterReveal::Changed))
    );
    all.apply(&label("3", "ana", &after, "x", ResponseId::A, Some(1.0)));
    assert_eq!(told(&all), (Some(1.0), Some(1.0), true, None), "as it was");
    all.apply(&label("4", "ana", &after, "x", ResponseId::A, None));
    assert_eq!(
        told(&all),
        (None, Some(1.0), true, Some(AfterReveal::Withdrawn)),
        "it does not go without a trace"
    );
    all.apply(&entry(
        "5",
        "ana",
        1,
        Act::Defer {
            setting: after.clone(),
        },
    ));
    assert_eq!(
        told(&all),
        (None, Some(1.0), true, Some(AfterReveal::PutOff))
    );
    all.apply(&entry("6", "ana", 1, Act::Skip { setting: after }));
    assert_eq!(
        told(&all),
        (None, Some(1.0), true, Some(AfterReveal::Withdrawn))
    );
    for (number, undone) in ["6", "5", "4", "3", "2"].into_iter().enumerate() {
        all.apply(&undo(&format!("u{number}"), "ana", undone));
    }
    assert_eq!(told(&all), (Some(1.0), Some(1.0), true, None));
}

#[test]
fn what_a_screen_has_shown_is_each_reviewers_and_is_not_undone() {
    let seen = |name: &str, samples: &[u64]| {
        bare(
            name,
            "ana",
            Act::Seen {
                samples: samples.iter().map(|sample| key(*sample)).collect(),
            },
        )
    };
    let mut all = ledger(&[
        mark("1", "ana", 1, true),
        undo("2", "ana", "1"),
        seen("3", &[1, 2]),
        seen("4", &[2, 3]),
    ]);
    assert_eq!(
        [1, 2, 3, 4].map(|sample| all.has_seen("ana", &key(sample))),
        [true, true, true, false]
    );
    assert!(!all.has_seen("ben", &key(1)));
    assert_eq!(
        all.redoable("ana").map(|entry| entry.id.to_string()),
        Some("1".to_owned()),
        "it is no act of theirs"
    );
    assert_eq!(
        (
            all.undoable("ana"),
            all.reviewers().len(),
            all.remarks().count()
        ),
        (None, 0, 0)
    );
    all.apply(&undo("5", "ana", "4"));
    assert!(all.has_seen("ana", &key(3)));
    // Foreign acts inserted before our own remove nothing.
    all.apply_own(&seen("6", &[7]));
    all.apply_before(&[mark("7", "ben", 1, true)], 1);
    assert!(all.has_seen("ana", &key(7)) && all.len() == 7);
}

#[test]
fn undo_and_redo_go_as_in_an_editor_for_each_reviewer() {
    let mut all = ledger(&[
        tag("a1", "ana", 1, "x", true),
        tag("b1", "ben", 1, "y", true),
        tag("a2", "ana", 1, "z", true),
        tag("b2", "ben", 1, "x", false),
    ]);
    let tags = |all: &Ledger| -> String {
        all.remark(&key(1))
            .map(|remark| remark.tags.iter().map(|tag| &**tag).collect())
            .unwrap_or_default()
    };
    let next = |all: &Ledger, reviewer| {
        let name =
            |entry: Option<&ActRecord>| entry.map_or("-".to_owned(), |entry| entry.id.to_string());
        [name(all.undoable(reviewer)), name(all.redoable(reviewer))].join(" ")
    };
    assert_eq!(
        (tags(&all), next(&all, "ana"), next(&all, "ben")),
        ("yz".into(), "a2 -".into(), "b2 -".into())
    );
    all.apply(&undo("a3", "ana", "a2"));
    assert_eq!(
        (tags(&all), next(&all, "ana"), next(&all, "ben")),
        ("y".into(), "a1 a2".into(), "b2 -".into())
    );
    all.apply(&undo("a4", "ana", "a1"));
    all.apply(&undo("b3", "ben", "b2"));
    assert_eq!(
        (tags(&all), next(&all, "ana"), next(&all, "ben")),
        ("y".into(), "- a1".into(), "b1 b2".into())
    );
    all.apply(&redo("a5", "ana", "a1"));
    assert_eq!(
        (tags(&all), next(&all, "ana")),
        ("xy".into(), "a1 a2".into())
    );
    all.apply(&redo("b4", "ben", "b2"));
    assert_eq!(
        tags(&all),
        "y",
        "b2 comes after a1, though a1 was redone later"
    );
    all.apply(&redo("a6", "ana", "a2"));
    assert_eq!(
        (tags(&all), next(&all, "ana")),
        ("yz".into(), "a2 -".into())
    );
    all.apply(&undo("a7", "ana", "a2"));
    all.apply(&mark("a8", "ana", 2, true));
    assert_eq!(next(&all, "ana"), "a8 -", "something was done since");
    assert_eq!(next(&all, "unknown"), "- -");
}

#[test]
fn undoing_a_mark_brings_back_what_was_before() {
    let mut all = ledger(&[mark("1", "ana", 1, true), mark("2", "ben", 1, false)]);
    all.apply(&undo("3", "ben", "2"));
    assert!(all.remark(&key(1)).expect("a remark").marked);
    // In the middle: the last act still counts.
    let mut all = ledger(&[mark("1", "ana", 1, true), mark("2", "ben", 1, true)]);
    all.apply(&undo("3", "ana", "1"));
    assert!(all.remark(&key(1)).expect("a remark").marked);
}

#[test]
fn acts_without_effect() {
    let base = [
        mark("1", "ana", 1, true),
        mark("2", "ana", 2, true),
        undo("3", "ana", "2"),
    ];
    let marked = |all: &Ledger| all.remarks().map(|(sample, _)| *sample).collect::<Vec<_>>();
    for (idle, why) in [
        (undo("4", "ben", "1"), "another reviewer's"),
        (redo("4", "ben", "2"), "another reviewer's"),
        (undo("4", "ana", "nowhere"), "not there"),
        (redo("4", "ana", "nowhere"), "not there"),
        (undo("4", "ana", "2"), "undone already"),
        (redo("4", "ana", "1"), "holds"),
        (undo("4", "ana", "3"), "an undo"),
        (redo("4", "ana", "3"), "an undo"),
        (undo("4", "ana", "4"), "itself"),
        (mark("1", "ana", 3, true), "a name that was seen"),
        (undo("3", "ana", "1"), "a name that was seen"),
    ] {
        let mut all = ledger(&base);
        all.apply(&idle);
        assert_eq!(marked(&all), [key(1)], "{why}");
        let next =
            [all.undoable("ana"), all.redoable("ana")].map(|entry| entry.map(|entry| &*entry.id.0));
        assert_eq!(next, [Some("1"), Some("2")], "{why}");
    }
    let twice: Vec<_> = base.iter().chain(&base).cloned().collect();
    assert_eq!(
        (marked(&ledger(&twice)), ledger(&twice).len()),
        (vec![key(1)], 3)
    );
}

#[test]
fn audits_begin_and_can_be_undone() {
    let setting = Setting {
        audit: Some(id("1")),
        ..Setting::default()
    };
    let mut all = ledger(&[
        bare("1", "ana", Act::Audit(audit())),
        bare("2", "ben", Act::Audit(audit())),
        label("3", "ben", &setting, "x", ResponseId::A, Some(1.0)),
    ]);
    let sessions = |all: &Ledger| {
        all.sessions()
            .map(|session| session.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(sessions(&all), ["1", "2"]);
    assert_eq!(
        all.sessions().next_back().map(|session| &*session.reviewer),
        Some("ben")
    );
    all.apply(&undo("4", "ana", "1"));
    assert_eq!(sessions(&all), ["2"]);
    assert!(
        all.rating(&key(1), "ben", &setting).is_some(),
        "what was judged in it stays"
    );
    assert_eq!(all.reviewers().len(), 1);
    all.apply(&redo("5", "ana", "1"));
    assert_eq!(sessions(&all), ["1", "2"]);
}

#[test]
fn foreign_acts_are_inserted_before_our_own() {
    let mut all = ledger(&[
        tag("b1", "ben", 1, "x", true),
        tag("a1", "ana", 1, "y", true),
    ]);
    all.apply(&undo("a2", "ana", "a1"));
    for own in [
        tag("a3", "ana", 1, "x", false),
        undo("a4", "ana", "a3"),
        redo("a5", "ana", "a3"),
    ] {
        all.apply_own(&own);
    }
    let tagged = |all: &Ledger| all.remark(&key(1)).is_some();
    assert!(!tagged(&all));
    all.apply_before(&[tag("b2", "ben", 1, "x", true)], 3);
    assert!(!tagged(&all), "the reviewer's own act comes after it");
    all.apply_before(&[tag("b3", "ben", 1, "x", true)], 0);
    assert!(tagged(&all), "one's own stood there already");
    assert_eq!(
        (all.len(), all.undoable("ana").map(|entry| &*entry.id.0)),
        (8, Some("a3"))
    );

    // Reverted and applied again, undos and redos have the same result.
    let mut all = ledger(&[
        mark("a1", "ana", 1, true),
        mark("a2", "ana", 2, true),
        undo("a3", "ana", "a1"),
    ]);
    all.apply_own(&redo("a4", "ana", "a1"));
    all.apply_before(&[undo("c1", "ana", "a2")], 1);
    assert_eq!(
        all.remarks().map(|(sample, _)| *sample).collect::<Vec<_>>(),
        [key(1)]
    );
    assert_eq!(all.redoable("ana").map(|entry| &*entry.id.0), Some("a2"));
}

#[test]
fn a_sample_is_located_where_it_was_judged() {
    let at = |mut entry: ActRecord, row: u64| {
        if let Some(sample_ref) = &mut entry.sample_ref {
            sample_ref.row = row;
        }
        entry
    };
    let rows = |acts: &[ActRecord]| {
        ledger(acts)
            .sample_refs()
            .iter()
            .map(|sample_ref| sample_ref.row)
            .collect::<Vec<_>>()
    };
    let rated = label(
        "2",
        "ana",
        &Setting::default(),
        "x",
        ResponseId::A,
        Some(1.0),
    );
    let acts = [
        at(mark("1", "ana", 1, true), 1),
        at(rated, 5),
        at(tag("3", "ben", 1, "odd", true), 1),
    ];
    assert_eq!(rows(&acts), [5]);
    assert_eq!(
        rows(&[acts[0].clone(), at(acts[2].clone(), 7)]),
        [7],
        "else where it was spoken of last"
    );
}
