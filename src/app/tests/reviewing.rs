//! Marks, tags, notes, ratings, audits, and what a blind reviewer sees.
//!
//! [`work`] stands in for `run`: it makes entries of acts, finds samples and draws audits, at once.

use std::collections::BTreeSet;

use super::finding::typed;
use super::*;
use crate::journal::{Act, Entry, EntryId, Rated, Spot};
use crate::model::{Side, Verdict};
use crate::review;

/// Does what a reviewer wishes, and what follows from it.
pub(super) fn work(app: &mut App, effects: Vec<Effect>) {
    let mut left = std::collections::VecDeque::from(effects);
    while let Some(effect) = left.pop_front() {
        if let Effect::Review(wish) = effect {
            left.extend(one(app, wish));
            fetch(app);
        }
    }
}

fn one(app: &mut App, wish: Wish) -> Vec<Effect> {
    let news = match wish {
        Wish::Record { sample, act, then } => {
            let reviewer = app.review().reviewer().to_owned();
            News::Acts(vec![entry(app, sample, act, &reviewer)], Some(Done { sample, then, kept: true }))
        }
        Wish::Locate { generation, spots } => {
            app.locating();
            News::Located(generation, review::locate(app.dataset(), &spots, &|| true).expect("located"))
        }
        Wish::Draw { plan, shown, starts } => {
            let mut samples: Vec<_> = shown.samples(0..usize::MAX).map(|sample| sample as u32).collect();
            samples.sort_unstable();
            let audit = match review::draw(&plan, app.dataset(), &samples) {
                Ok(audit) => audit,
                Err(error) => return update(app, Message::Review(News::NotDrawn(error.to_string(), starts))),
            };
            return one(app, Wish::Record { sample: None, act: Act::Audit(Arc::new(audit)), then: Then::Stay });
        }
        Wish::Begin => News::Begin,
        Wish::Edit(_) | Wish::Copy(_) | Wish::Export(_) => return Vec::new(),
    };
    update(app, Message::Review(news))
}

fn entry(app: &App, sample: Option<usize>, act: Act, reviewer: &str) -> Entry {
    let spot = sample.map(|sample| Spot {
        sample: app.dataset().key(sample, &mut Buffers::default()).expect("a key"),
        file: "rows".into(),
        row: 2 * sample as u64 + 1,
    });
    let id = EntryId(format!("{reviewer}-{}", app.review().ledger().len() + 1).into());
    Entry { id, time: "2026-01-01T00:00:00.000Z".to_owned(), reviewer: reviewer.into(), spot, act }
}

/// What another reviewer did.
fn by_another(app: &mut App, sample: usize, act: Act) {
    let entry = entry(app, Some(sample), act, "ben");
    let effects = update(app, Message::Review(News::Acts(vec![entry], None)));
    work(app, effects);
    fetch(app);
}

fn act(app: &mut App, actions: &[Action]) {
    for &action in actions {
        let effects = update(app, Message::Action(action));
        fetch(app);
        work(app, effects);
        fetch(app);
    }
}

fn write(app: &mut App, open: Action, text: &str) {
    act(app, &[open]);
    act(app, &typed(text));
    act(app, &[Action::Accept]);
}

fn reviewer(pairs: usize) -> App {
    let mut app = loaded(WIDE, pairs, 3);
    app.introduce("ann", None, Opening::default());
    let effects = update(&mut app, Message::Review(News::Read));
    work(&mut app, effects);
    fetch(&mut app);
    app
}

fn blind(pairs: usize, strict: bool) -> App {
    let mut app = reviewer(pairs);
    let reveal = if strict { crate::journal::Reveal::Never } else { crate::journal::Reveal::After };
    app.introduce("ann", Some(Blind { reveal, strict }), Opening::default());
    fetch(&mut app);
    app
}

fn marked(app: &App) -> Vec<usize> {
    (0..app.dataset().samples()).filter(|&sample| app.review().remark(sample).is_some_and(|said| said.marked)).collect()
}

fn digits(app: &mut App, digits: &str) {
    let actions: Vec<_> = digits.bytes().map(|digit| Action::Digit(digit - b'0')).collect();
    act(app, &actions);
}

/// What the reviewer said of a sample's labels: (label, side of the file, value).
fn rated(app: &App, sample: usize) -> Vec<(String, Side, f64)> {
    let entries = app.review().remark(sample).map(|remark| remark.ratings.clone()).unwrap_or_default();
    let mut all = Vec::new();
    for name in ["helpfulness", "correctness", "coherence", "complexity", "verbosity"] {
        for side in Side::BOTH {
            all.extend(entries.last().and_then(|rating| rating.label(name, side)).map(|v| (name.to_owned(), side, v)));
        }
    }
    all
}

#[test]
fn marks_are_set_found_and_taken_back() {
    let mut app = reviewer(6);
    act(&mut app, &[Action::NextSample, Action::Mark, Action::Digit(5), Action::FirstSample, Action::Mark]);
    assert_eq!(marked(&app), [1, 4]);
    act(&mut app, &[Action::NextMark]);
    assert_eq!(app.selected(), 1, "round the end");
    act(&mut app, &[Action::Mark]);
    assert_eq!(marked(&app), [4]);
    act(&mut app, &[Action::Undo]);
    assert_eq!(marked(&app), [1, 4], "undone: {:?}", app.notice());
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert_eq!(marked(&app), [0; 0]);
    act(&mut app, &[Action::Redo]);
    assert_eq!((marked(&app), app.selected()), (vec![1], 1), "one goes where the act was");
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert!(app.notice().is_some_and(|notice| notice.contains("nothing of yours")), "{:?}", app.notice());
}

#[test]
fn a_filter_follows_what_is_marked() {
    let mut app = reviewer(6);
    act(&mut app, &[Action::Mark, Action::NextSample, Action::Mark]);
    write(&mut app, Action::Filter, "is:marked");
    assert_eq!(app.shown().samples(0..9).collect::<Vec<_>>(), [0, 1]);
    act(&mut app, &[Action::Mark]);
    assert_eq!(app.shown().samples(0..9).collect::<Vec<_>>(), [0]);
    by_another(&mut app, 3, Act::Mark { on: true });
    assert_eq!(app.shown().samples(0..9).collect::<Vec<_>>(), [0, 3], "what others mark shows too");
    act(&mut app, &[Action::Undo]);
    assert_eq!(app.shown().samples(0..9).collect::<Vec<_>>(), [0, 1, 3], "one's own is undone, not theirs");
}

#[test]
fn tags_are_added_completed_and_taken_away() {
    let mut app = reviewer(4);
    write(&mut app, Action::Tag, "unsure wrong-label");
    let tags = |app: &App, sample| {
        let said = app.review().remark(sample).cloned().unwrap_or_default();
        said.tags.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(tags(&app, 0), ["unsure", "wrong-label"]);
    act(&mut app, &[Action::NextSample, Action::Tag]);
    act(&mut app, &typed("un"));
    act(&mut app, &[Action::Complete, Action::Accept]);
    assert_eq!(tags(&app, 1), ["unsure"]);
    write(&mut app, Action::Tag, "-unsure");
    assert_eq!(tags(&app, 1), [""; 0]);
    write(&mut app, Action::Tag, "-nothing");
    assert!(app.prompt().and_then(Prompt::error).is_some(), "the line stays open");
    act(&mut app, &[Action::Cancel]);
    assert_eq!((app.mode(), app.selected()), (Mode::Read, 1));
}

#[test]
fn notes_are_written_and_not_lost_by_a_slip() {
    let mut app = reviewer(4);
    act(&mut app, &[Action::Note]);
    act(&mut app, &typed("not true"));
    act(&mut app, &[Action::Edit(Edit::NewLine)]);
    act(&mut app, &typed("twice"));
    act(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Note, "Escape asks first");
    act(&mut app, &[Action::Save]);
    assert_eq!(app.mode(), Mode::Read);
    let note = |app: &App| {
        app.review().remark(0).map(|said| said.notes.iter().map(|note| note.text.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(note(&app), Some(vec!["not true\ntwice".to_owned()]));
    by_another(&mut app, 0, Act::Note { text: "I doubt it".into() });
    assert_eq!(note(&app).map(|notes| notes.len()), Some(2), "each has a note of their own");
    act(&mut app, &[Action::Note]);
    assert_eq!(app.review().pad().map(|pad| (pad.lines().len(), pad.others().len())), Some((2, 1)));
    act(&mut app, &typed("!"));
    act(&mut app, &[Action::Cancel, Action::Cancel]);
    assert_eq!(
        (app.mode(), note(&app).map(|notes| notes[0].clone())),
        (Mode::Read, Some("not true\ntwice".to_owned()))
    );
    write(&mut app, Action::Filter, "note:twice");
    assert_eq!(app.shown().len(), 1);
}

#[test]
fn a_digit_a_judgment_and_the_last_one_goes_on() {
    let mut app = reviewer(4);
    act(&mut app, &[Action::Rate]);
    assert_eq!(app.mode(), Mode::Rate);
    digits(&mut app, "31");
    assert_eq!(
        rated(&app, 0),
        [("helpfulness".to_owned(), Side::A, 3.0), ("helpfulness".to_owned(), Side::B, 1.0)],
        "of A first, then of B"
    );
    digits(&mut app, "9");
    assert!(app.notice().is_some_and(|notice| notice.contains("0 to 4")), "{:?}", app.notice());
    digits(&mut app, "2222222");
    assert_eq!(app.selected(), 0);
    digits(&mut app, "4");
    assert_eq!((app.selected(), rated(&app, 0).len()), (1, 10), "ten answers, and on");
    act(&mut app, &[Action::Undo]);
    assert_eq!((app.selected(), rated(&app, 0).len()), (0, 9), "undone where it was");
    act(
        &mut app,
        &[Action::Answer(Answering::Clear), Action::Answer(Answering::Previous), Action::Answer(Answering::Clear)],
    );
    assert_eq!(rated(&app, 0).len(), 8);
    act(&mut app, &[Action::Answer(Answering::GoOn)]);
    assert_eq!(app.selected(), 1, "ratings may be partial");
    act(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
    write(&mut app, Action::Filter, "is:rated");
    assert_eq!(app.shown().len(), 1);
}

#[test]
fn arrows_change_an_answer_and_stay() {
    let mut app = reviewer(2);
    act(&mut app, &[Action::Rate, Action::Answer(Answering::Higher), Action::Answer(Answering::Higher)]);
    assert_eq!(rated(&app, 0), [("helpfulness".to_owned(), Side::A, 1.0)]);
    act(&mut app, &[Action::Answer(Answering::Lower), Action::Answer(Answering::Lower)]);
    assert_eq!(rated(&app, 0), [("helpfulness".to_owned(), Side::A, 0.0)]);
    act(&mut app, &[Action::Answer(Answering::Wins(Side::B))]);
    let verdict = app.review().remark(0).and_then(|said| said.ratings[0].verdict);
    assert_eq!(verdict, Some((Verdict::Wins(Side::B), None)));
}

#[test]
fn an_audit_goes_through_its_queue_and_can_be_left_and_resumed() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 3 seed=5");
    let queue: Vec<_> = app.shown().samples(0..9).collect();
    assert_eq!((queue.len(), app.mode(), app.position()), (3, Mode::Rate, 0), "{:?}", app.notice());
    assert_eq!(queue.iter().collect::<BTreeSet<_>>().len(), 3);
    act(&mut app, &[Action::Filter]);
    assert_eq!(app.mode(), Mode::Rate, "a filter has to wait");
    digits(&mut app, "2222222222");
    assert_eq!((app.position(), app.review().running().map(Running::progress)), (1, Some((1, 3))));
    write(&mut app, Action::Command, "audit off");
    assert_eq!((app.shown().len(), app.review().running().is_none()), (30, true));
    write(&mut app, Action::Command, "audit");
    assert_eq!(
        (app.position(), app.shown().samples(0..9).collect::<Vec<_>>()),
        (1, queue.clone()),
        "where it was left"
    );
    act(&mut app, &[Action::Answer(Answering::Defer)]);
    assert_eq!(app.position(), 2);
    act(&mut app, &[Action::Answer(Answering::Skip)]);
    assert_eq!(app.position(), 1, "what was put off comes at the end");
    digits(&mut app, "0000000000");
    assert!(app.review().running().is_some_and(Running::is_finished));
    assert!(app.notice().is_some_and(|notice| notice.contains("done")), "{:?}", app.notice());
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
    assert!(app.shown().samples(0..9).all(|sample| found.contains(&sample)));
    assert_eq!((app.shown().len(), app.is_blind()), (4, true));
}

#[test]
fn nothing_of_a_blind_sample_is_there_to_be_drawn() {
    let mut app = blind(12, false);
    let veiled = |app: &App| {
        let page = app.page().expect("a page");
        let ratings = page.sides.iter().flat_map(|side| side.strip.rows.iter().flatten());
        let ratings = ratings.filter(|item| matches!(item, StripItem::Rating { .. })).count();
        ratings == 0 && page.outcome.is_none() && page.places.is_empty() && page.facts.is_empty()
    };
    assert!(veiled(&app));
    assert!(app.columns().is_empty() && !app.shows_glance());
    act(&mut app, &[Action::LabelsPanel]);
    assert_eq!(app.mode(), Mode::Read);
    act(&mut app, &[Action::Sort]);
    assert_eq!(app.mode(), Mode::Read);
    write(&mut app, Action::Filter, "helpfulness>=3");
    assert!(app.prompt().and_then(Prompt::error).is_some() && app.shown().len() == 12);
    act(&mut app, &[Action::Cancel]);
    write(&mut app, Action::Command, "sort helpfulness");
    assert!(app.inquiry().in_force().is_none(), "{:?}", app.notice());
    act(&mut app, &[Action::Cancel]);
    write(&mut app, Action::Command, "export result x.jsonl");
    assert!(app.prompt().and_then(Prompt::error).is_some());
    act(&mut app, &[Action::Cancel]);
    // Judged, it shows, beside what was judged.
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    assert_eq!(app.selected(), 0, "one looks at it first");
    assert!(!veiled(&app) && !app.veil().hidden);
    act(&mut app, &[Action::Answer(Answering::GoOn)]);
    assert!(app.selected() == 1 && veiled(&app));
    // Half judged, it does not.
    digits(&mut app, "1111");
    assert!(veiled(&app));
}

#[test]
fn a_strict_session_reveals_nothing_and_sums_nothing_up() {
    let mut app = blind(12, true);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    assert_eq!((app.selected(), app.review().in_short()), (1, ""), "straight on");
    act(&mut app, &[Action::PreviousSample]);
    assert!(app.veil().hidden);
    write(&mut app, Action::Command, "blind");
    assert!(app.is_blind());
}

#[test]
fn answers_are_of_the_files_sides_whichever_stands_left() {
    let mut app = blind(40, true);
    act(&mut app, &[Action::Rate]);
    let mut swaps = [0, 0];
    for sample in 0..40 {
        let swapped = app.veil().swapped;
        swaps[usize::from(swapped)] += 1;
        let lines = app.page().map(|page| [0, 1].map(|side: usize| page.sides[side].text.len())).expect("a page");
        // The longer response is B of the file.
        assert_eq!(lines[0] > lines[1], swapped, "sample {sample}");
        digits(&mut app, "40");
        act(&mut app, &[Action::Answer(Answering::Wins(Side::A)), Action::Answer(Answering::GoOn)]);
        let shown_left = if swapped { Side::B } else { Side::A };
        assert!(rated(&app, sample).contains(&("helpfulness".to_owned(), shown_left, 4.0)));
        let verdict = app.review().remark(sample).and_then(|said| said.ratings[0].verdict);
        assert_eq!(verdict.map(|verdict| verdict.0), Some(Verdict::Wins(shown_left)));
    }
    assert!(swaps[0] > 8 && swaps[1] > 8, "{swaps:?}");
}

#[test]
fn a_sample_that_comes_back_is_asked_anew_with_sides_swapped() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 10 seed=3 repeat=20% blind");
    let shown: Vec<_> = app.shown().samples(0..99).collect();
    assert_eq!((shown.len(), shown.iter().collect::<BTreeSet<_>>().len()), (12, 10));
    let mut seen: std::collections::BTreeMap<usize, Vec<bool>> = Default::default();
    for position in 0..12 {
        assert_eq!(app.position(), position);
        assert!(app.veil().hidden, "nothing shows before the end");
        assert_eq!(app.review().in_short(), "");
        seen.entry(app.selected()).or_default().push(app.veil().swapped);
        digits(&mut app, "3131313131");
    }
    assert!(app.review().running().is_some_and(Running::is_finished));
    assert!(!app.veil().hidden, "now it does");
    let twice: Vec<_> = seen.values().filter(|swaps| swaps.len() == 2).collect();
    assert!(twice.len() == 2 && twice.iter().all(|swaps| swaps[0] != swaps[1]), "{seen:?}");
}

#[test]
fn what_is_on_disk_is_told() {
    let mut app = reviewer(3);
    act(&mut app, &[Action::Mark, Action::NextSample, Action::Mark]);
    assert_eq!(app.review().saving().waiting, 2);
    update(&mut app, Message::Review(News::NotSaved("the disk is full".to_owned())));
    assert!(app.review().saving().trouble.is_some());
    update(&mut app, Message::Review(News::Saved(2)));
    assert_eq!(app.review().saving(), &Saving { waiting: 0, trouble: None, fresh: true });
    act(&mut app, &[Action::NextSample]);
    assert!(!app.review().saving().fresh, "said once");
}

#[test]
fn what_was_rated_label_by_label_is_one_act_each() {
    let mut app = reviewer(3);
    let effects = play(&mut app, &[Action::Rate, Action::Digit(3)]);
    let acts: Vec<_> = effects.iter().filter(|effect| matches!(effect, Effect::Review(Wish::Record { .. }))).collect();
    let Some(Effect::Review(Wish::Record { sample: Some(0), act: Act::Rate { rated, .. }, .. })) = acts.first() else {
        panic!("{effects:?}");
    };
    assert_eq!(*rated, Rated::Label { label: "helpfulness".into(), side: Side::A, value: Some(3.0) });
    assert_eq!(acts.len(), 1);
}

/// Value of the first label in a rating of an audit, by pass.
fn value(app: &App, sample: usize, pass: u8, side: Side) -> Option<f64> {
    let said = app.review().remark(sample)?;
    said.ratings.iter().find(|rating| rating.setting.pass == pass)?.label("helpfulness", side)
}

#[test]
fn a_slip_is_undone_and_answered_anew_at_the_same_question() {
    let mut app = reviewer(4);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "3");
    act(&mut app, &[Action::Undo]);
    digits(&mut app, "4");
    assert_eq!(rated(&app, 0), [("helpfulness".to_owned(), Side::A, 4.0)]);
    digits(&mut app, "222222222");
    assert_eq!(app.selected(), 1);
    act(&mut app, &[Action::Undo]);
    digits(&mut app, "0");
    let last = rated(&app, 0).last().cloned();
    assert_eq!((rated(&app, 0).len(), last), (10, Some(("verbosity".to_owned(), Side::B, 0.0))));
}

#[test]
fn undo_in_an_audit_goes_to_the_pass_that_was_answered() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 10 seed=3 repeat=20%");
    for _ in 0..12 {
        digits(&mut app, "3131313131");
    }
    let passes: Vec<_> = app.shown().samples(0..99).collect();
    let repeat = (0..12).rev().find(|&at| passes[..at].contains(&passes[at])).expect("one that came back");
    act(
        &mut app,
        &[Action::Digit(((repeat + 1) / 10) as u8), Action::Digit(((repeat + 1) % 10) as u8), Action::FirstSample],
    );
    assert_eq!(app.position(), repeat, "an audit counts its own");
    act(&mut app, &[Action::Rate, Action::Answer(Answering::Clear)]);
    digits(&mut app, "4");
    act(&mut app, &[Action::PreviousSample, Action::Undo]);
    assert_eq!(app.position(), repeat);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "0");
    let sample = passes[repeat];
    // The second time B stands left.
    assert_eq!((value(&app, sample, 1, Side::A), value(&app, sample, 2, Side::B)), (Some(3.0), Some(0.0)));
}

#[test]
fn an_audit_with_judgments_is_not_undone() {
    let mut app = reviewer(10);
    write(&mut app, Action::Command, "audit 3 seed=1");
    act(&mut app, &[Action::Undo]);
    assert!(app.review().running().is_none(), "nothing was judged: it is gone");
    assert_eq!(app.review().ledger().sessions().count(), 0);
    write(&mut app, Action::Command, "audit 3 seed=1");
    digits(&mut app, "3");
    act(&mut app, &[Action::Undo, Action::Redo, Action::Mark, Action::Undo]);
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert!(app.review().running().is_none());
    write(&mut app, Action::Command, "audit 3 seed=1");
    digits(&mut app, "3");
    write(&mut app, Action::Command, "audit off");
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert_eq!(app.review().ledger().sessions().count(), 0, "a judgment taken back is none");
}

#[test]
fn a_sample_stays_while_it_is_rated() {
    let mut app = reviewer(6);
    write(&mut app, Action::Filter, "not is:rated");
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "34");
    assert_eq!((rated(&app, 0).len(), app.selected(), app.shown().len()), (2, 0, 6));
    act(&mut app, &[Action::Answer(Answering::GoOn)]);
    assert_eq!((app.selected(), app.shown().len()), (1, 5), "it is gone once one goes on");
    digits(&mut app, "1");
    assert_eq!(rated(&app, 1), [("helpfulness".to_owned(), Side::A, 1.0)]);
    act(&mut app, &[Action::Cancel]);
    assert_eq!(app.shown().len(), 4);
}

#[test]
fn what_is_judged_once_labels_show_is_not_judged_blind() {
    let mut app = blind(6, false);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    let blindly = |app: &App| app.review().remark(0).map(|said| said.ratings[0].setting.blind);
    assert_eq!(blindly(&app), Some(true));
    digits(&mut app, "2");
    assert_eq!(blindly(&app), Some(false));
}

#[test]
fn nothing_shows_while_an_audits_files_are_read_again() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 5 seed=2 blind");
    digits(&mut app, "11");
    let sample = app.selected();
    let effects = update(&mut app, Message::Action(Action::Reload));
    assert_eq!(effects, [Effect::Load(1)]);
    let hidden = |app: &App| app.is_blind() && app.review().running().is_some();
    for report in reports(rows(30, 3)) {
        update(&mut app, Message::Loaded(1, report));
        assert!(hidden(&app));
        // Keys that come meanwhile judge nothing.
        let effects = update(&mut app, Message::Action(Action::Digit(4)));
        assert!(effects.is_empty() || app.selected() == sample && !app.shown().is_empty(), "{effects:?}");
    }
    fetch(&mut app);
    assert!(hidden(&app) && app.veil().hidden);
    assert_eq!((app.selected(), app.shown().len()), (sample, 5), "the same sample");
    digits(&mut app, "1");
    assert_eq!(rated(&app, sample).len(), 3);
}

#[test]
fn no_figure_tells_what_is_to_be_judged_again() {
    let mut app = blind(30, false);
    write(&mut app, Action::Command, "audit 10 seed=3 repeat=20%");
    digits(&mut app, "3131313131");
    write(&mut app, Action::Command, "audit off");
    assert_eq!((app.is_blind(), app.review().in_short()), (true, ""));
}

#[test]
fn a_note_that_cannot_be_recorded_stays_open() {
    let mut app = reviewer(3);
    act(&mut app, &[Action::Note]);
    act(&mut app, &typed("not lost"));
    // Nobody records it.
    update(&mut app, Message::Action(Action::Save));
    update(&mut app, Message::Notice("The sample cannot be read.".to_owned()));
    assert_eq!(
        (app.mode(), app.review().pad().map(|pad| pad.lines().join(""))),
        (Mode::Note, Some("not lost".to_owned()))
    );
}

#[test]
fn the_panel_takes_the_strips_place() {
    let mut app = reviewer(6);
    act(&mut app, &[Action::Rate, Action::LabelsPanel]);
    assert_eq!((app.mode(), app.review().rate().is_some()), (Mode::Panel, false));
}

#[test]
fn acts_of_others_that_come_while_samples_are_looked_for_are_found_too() {
    let mut app = reviewer(6);
    let entries: Vec<_> =
        [1, 2].map(|sample| entry(&app, Some(sample), Act::Mark { on: true }, &format!("ben{sample}"))).into();
    update(&mut app, Message::Review(News::Acts(vec![entries[0].clone()], None)));
    let Some(Effect::Review(Wish::Locate { generation, spots })) =
        app.needs().into_iter().find(|effect| matches!(effect, Effect::Review(_)))
    else {
        panic!("nothing to find");
    };
    app.locating();
    update(&mut app, Message::Review(News::Acts(vec![entries[1].clone()], None)));
    let places = review::locate(app.dataset(), &spots, &|| true).expect("located");
    update(&mut app, Message::Review(News::Located(generation, places)));
    fetch(&mut app);
    assert_eq!(marked(&app), [1, 2]);
}

#[test]
fn a_finished_audit_is_not_begun_again_by_itself() {
    let mut app = reviewer(8);
    write(&mut app, Action::Command, "audit 2 seed=1");
    digits(&mut app, "11111111112222222222");
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit");
    assert!(app.prompt().and_then(Prompt::error).is_some_and(|error| error.message.contains("is done")));
    act(&mut app, &[Action::Cancel]);
    // The same words go on with what is not finished.
    write(&mut app, Action::Command, "audit 3 seed=9");
    digits(&mut app, "1111111111");
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit 3 seed=9");
    assert_eq!(
        (app.review().ledger().sessions().count(), app.review().running().map(Running::progress)),
        (2, Some((1, 3)))
    );
}

#[test]
fn a_draw_that_fails_ends_the_program_only_where_it_was_to_begin_with_it() {
    let begun = |words: &str| {
        let mut app = loaded(WIDE, 8, 3);
        app.introduce("ann", None, Opening { filter: None, audit: Some(words.to_owned()) });
        let effects = update(&mut app, Message::Review(News::Read));
        work(&mut app, effects);
        fetch(&mut app);
        app
    };
    let mut app = begun("2 seed=1");
    assert!(app.review().running().is_some());
    write(&mut app, Action::Command, "audit off");
    act(&mut app, &[Action::Command]);
    act(&mut app, &typed("audit 2 by=nothing"));
    let effects = update(&mut app, Message::Action(Action::Accept));
    let Some(Effect::Review(Wish::Draw { plan, shown, starts: false })) = effects.first().cloned() else {
        panic!("{effects:?}");
    };
    let after = one(&mut app, Wish::Draw { plan: plan.clone(), shown: shown.clone(), starts: false });
    assert!(after.is_empty() && app.notice().is_some_and(|notice| notice.contains("nothing")), "{after:?}");
    let after = one(&mut app, Wish::Draw { plan, shown, starts: true });
    assert!(matches!(after[..], [Effect::Fail(_)]), "{after:?}");
}
