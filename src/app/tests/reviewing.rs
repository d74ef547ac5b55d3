//! Marks, tags, notes and ratings, and helpers for the tests of audits.
//!
//! [`work`] replaces `run`: it finds samples and draws audits at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::filtering::typed;
use super::*;
use crate::app::reviewing::{ComparedParties, ExportProgress, SaveState};
use crate::dataset::Dataset;
use crate::journal::{Act, ActId, ActRecord, Judgment, SampleRef};
use crate::model::{ResponseId, Verdict};

/// Performs effects of the review, and their follow-up effects.
pub(super) fn work(app: &mut App, effects: Vec<Effect>) {
    let mut left = std::collections::VecDeque::from(effects);
    while let Some(effect) = left.pop_front() {
        let effects = match effect {
            Effect::Review(effect) => one(app, &effect),
            Effect::Job(job) => result_of(&job).map_or_else(Vec::new, |result| update(app, result)),
            _ => continue,
        };
        left.extend(effects);
        fetch(app);
    }
}

pub(super) fn one(app: &mut App, effect: &ReviewEffect) -> Vec<Effect> {
    let news = match effect {
        ReviewEffect::Begin => ReviewEvent::Begin,
        ReviewEffect::Edit(_) | ReviewEffect::Copy(_) | ReviewEffect::Export(_) => {
            return Vec::new();
        }
    };
    update(app, Message::Review(news))
}

/// Replaces the journal: makes entries of acts, with ids that no other has.
#[derive(Debug, Default)]
pub(super) struct TestRecorder {
    pub(super) fails: bool,
}

impl Recorder for TestRecorder {
    fn record(
        &mut self,
        dataset: &Dataset,
        reviewer: &str,
        sample: Option<usize>,
        act: Act,
    ) -> Result<(ActRecord, bool), String> {
        if self.fails {
            return Err("The sample cannot be read.".to_owned());
        }
        Ok((entry_in(dataset, sample, act, reviewer), true))
    }

    fn notice(&mut self) -> Option<String> {
        None
    }
}

pub(super) fn entry(app: &App, sample: Option<usize>, act: Act, reviewer: &str) -> ActRecord {
    entry_in(&app.data.dataset, sample, act, reviewer)
}

fn entry_in(dataset: &Dataset, sample: Option<usize>, act: Act, reviewer: &str) -> ActRecord {
    static ENTRIES: AtomicUsize = AtomicUsize::new(0);
    let sample_ref = sample.map(|sample| SampleRef {
        sample: dataset.key(sample, &mut Buffers::default()).expect("a key"),
        file: "rows".into(),
        row: 2 * sample as u64 + 1,
    });
    let number = ENTRIES.fetch_add(1, Ordering::Relaxed);
    ActRecord {
        id: ActId(format!("{reviewer}-{number}").into()),
        time: "2026-01-01T00:00:00.000Z".to_owned(),
        reviewer: reviewer.into(),
        sample_ref,
        act,
    }
}

/// Records an act of another reviewer.
pub(super) fn by_another(app: &mut App, sample: usize, act: Act) {
    let entry = entry(app, Some(sample), act, "ben");
    let effects = update(app, Message::Review(ReviewEvent::Acts(vec![entry])));
    work(app, effects);
    fetch(app);
}

pub(super) fn act(app: &mut App, actions: &[Action]) {
    for &action in actions {
        let effects = update(app, Message::Action(action));
        fetch(app);
        work(app, effects);
        fetch(app);
    }
}

pub(super) fn write(app: &mut App, open: Action, text: &str) {
    act(app, &[open]);
    act(app, &typed(text));
    act(app, &[Action::Accept]);
}

pub(super) fn reviewer(pairs: usize) -> App {
    reviewer_of(loaded(WIDE, pairs, 3))
}

/// Returns the program with a known reviewer and a fully read journal.
pub(super) fn reviewer_of(mut app: App) -> App {
    app.introduce("ann", None, PendingOpening::default());
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    fetch(&mut app);
    app
}

pub(super) fn blind(pairs: usize, strict: bool) -> App {
    let mut app = empty(WIDE);
    let reveal = if strict {
        crate::journal::Reveal::Never
    } else {
        crate::journal::Reveal::After
    };
    app.introduce(
        "ann",
        Some(Blind { reveal, strict }),
        PendingOpening::default(),
    );
    load(&mut app, 0, rows(pairs, 3));
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    fetch(&mut app);
    app
}

fn marked(app: &App) -> Vec<usize> {
    (0..app.data.dataset.samples())
        .filter(|&sample| app.review.remark(sample).is_some_and(|said| said.marked))
        .collect()
}

pub(super) fn digits(app: &mut App, digits: &str) {
    let actions: Vec<_> = digits
        .bytes()
        .map(|digit| Action::Digit(digit - b'0'))
        .collect();
    act(app, &actions);
}

/// The rating when only the helpfulness of A was set.
fn helpful(value: f64) -> [(String, ResponseId, f64); 1] {
    [("helpfulness".to_owned(), ResponseId::A, value)]
}

/// Returns the reviewer's ratings of a sample: (label, response in the file, value).
pub(super) fn rated(app: &App, sample: usize) -> Vec<(String, ResponseId, f64)> {
    let entries = app
        .review
        .remark(sample)
        .map(|remark| remark.ratings.clone())
        .unwrap_or_default();
    let mut all = Vec::new();
    for name in [
        "helpfulness",
        "correctness",
        "coherence",
        "complexity",
        "verbosity",
    ] {
        for side in ResponseId::first(2) {
            all.extend(
                entries
                    .last()
                    .and_then(|rating| rating.label(name, side))
                    .map(|v| (name.to_owned(), side, v)),
            );
        }
    }
    all
}

#[test]
fn quitting_waits_for_an_export_and_then_gives_it_up() {
    let export = |app: &mut App| {
        let effects = super::filtering::enter(app, Action::Command, "export result /tmp/out.jsonl");
        assert!(
            matches!(&effects[..], [Effect::Review(ReviewEffect::Export(_))]),
            "{effects:?}"
        );
    };
    let is_leaving = |app: &App| app.review.exporting().map(|exporting| exporting.leaving);
    let mut app = loaded(WIDE, 5, 3);
    export(&mut app);
    super::filtering::enter(&mut app, Action::Command, "export result /tmp/other.jsonl");
    let error = app
        .views
        .line()
        .and_then(|line| line.error.as_ref())
        .expect("one at a time")
        .message
        .clone();
    assert!(
        error.contains("/tmp/out.jsonl is still being written"),
        "{error}"
    );
    assert!(!error.contains(" %"), "no progress yet: {error}");
    play(&mut app, &[Action::Cancel]);
    update(&mut app, Message::Review(ReviewEvent::Written(2)));
    assert_eq!(
        app.review.exporting().map(ExportProgress::percent),
        Some(" 40 %".to_owned())
    );
    // The export is completed first; staying cancels quitting, and a second quit aborts the export.
    assert_eq!(
        (play(&mut app, &[Action::Back]), is_leaving(&app)),
        (vec![], Some(true))
    );
    assert_eq!(
        (play(&mut app, &[Action::NextSample]), is_leaving(&app)),
        (vec![], Some(false))
    );
    assert_eq!(
        update(
            &mut app,
            Message::Review(ReviewEvent::Exported("Done.".to_owned()))
        ),
        []
    );
    assert_eq!((app.notice(), is_leaving(&app)), (Some("Done."), None));
    export(&mut app);
    assert_eq!(
        play(&mut app, &[Action::Back, Action::Back]),
        [Effect::Quit]
    );
    assert_eq!(
        play(&mut app, &[Action::Quit]),
        [Effect::Quit],
        "^C does not wait"
    );
    play(&mut app, &[Action::NextSample, Action::Back]);
    assert_eq!(
        update(
            &mut app,
            Message::Review(ReviewEvent::Exported("Done.".to_owned()))
        ),
        [Effect::Quit]
    );
    // Failures are reported, and the program keeps running.
    export(&mut app);
    play(&mut app, &[Action::Back]);
    let refused = ReviewEvent::Refused(
        "export result /tmp/out.jsonl".to_owned(),
        "no room".to_owned(),
    );
    assert_eq!(update(&mut app, Message::Review(refused)), []);
    assert_eq!(
        (app.views.line_kind(), is_leaving(&app)),
        (Some(LineKind::Command), None)
    );
}

#[test]
fn marks_are_set_found_and_taken_back() {
    let mut app = reviewer(6);
    act(
        &mut app,
        &[
            Action::NextSample,
            Action::Mark,
            Action::Digit(5),
            Action::FirstSample,
            Action::Mark,
        ],
    );
    assert_eq!(marked(&app), [1, 4]);
    act(&mut app, &[Action::NextMark]);
    assert_eq!(app.selection.selected, 1, "round the end");
    act(&mut app, &[Action::Mark]);
    assert_eq!(marked(&app), [4]);
    act(&mut app, &[Action::Undo]);
    assert_eq!(marked(&app), [1, 4], "undone: {:?}", app.notice());
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert_eq!(marked(&app), [0; 0]);
    act(&mut app, &[Action::Redo]);
    assert_eq!(
        (marked(&app), app.selection.selected),
        (vec![1], 1),
        "one goes where the act was"
    );
    act(&mut app, &[Action::Undo, Action::Undo]);
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("nothing to undo")),
        "{:?}",
        app.notice()
    );
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
    assert_eq!(
        app.shown().samples(0..9).collect::<Vec<_>>(),
        [0, 3],
        "what others mark shows too"
    );
    act(&mut app, &[Action::Undo]);
    assert_eq!(
        app.shown().samples(0..9).collect::<Vec<_>>(),
        [0, 1, 3],
        "the reviewer's own act is undone"
    );
}

#[test]
fn tags_are_added_completed_and_taken_away() {
    let mut app = reviewer(4);
    write(&mut app, Action::Tag, "unsure wrong-label");
    let tags = |app: &App, sample| {
        let said = app.review.remark(sample).cloned().unwrap_or_default();
        said.tags
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(tags(&app, 0), ["unsure", "wrong-label"]);
    act(&mut app, &[Action::NextSample, Action::Tag]);
    act(&mut app, &typed("un"));
    act(&mut app, &[Action::Complete, Action::Accept]);
    assert_eq!(tags(&app, 1), ["unsure"]);
    write(&mut app, Action::Tag, "-unsure");
    assert_eq!(tags(&app, 1), [""; 0]);
    write(&mut app, Action::Tag, "-nothing");
    assert!(
        app.views
            .line()
            .and_then(|line| line.error.as_ref())
            .is_some(),
        "the line stays open"
    );
    act(&mut app, &[Action::Cancel]);
    assert_eq!((app.mode(), app.selection.selected), (Mode::Read, 1));
}

#[test]
fn notes_are_written_and_not_lost_by_a_slip() {
    let mut app = reviewer(4);
    act(&mut app, &[Action::Note]);
    act(&mut app, &typed("not true"));
    act(&mut app, &[Action::Edit(Edit::NewLine)]);
    act(&mut app, &typed("twice"));
    let draft = |app: &App| app.views.note().map(|pad| pad.lines().join("\n"));
    // Escape and an interrupt close the note at once; its own sample brings the text back.
    for closes in [Action::Cancel, Action::Quit] {
        act(&mut app, &[closes]);
        assert_eq!(app.mode(), Mode::Read);
        assert_eq!(
            app.notice(),
            Some("Note not saved; `note` brings its text back.")
        );
        act(&mut app, &[Action::NextSample, Action::Note]);
        assert_eq!(draft(&app).as_deref(), Some(""), "of the other sample");
        act(&mut app, &[closes, Action::PreviousSample, Action::Note]);
        assert_eq!(draft(&app).as_deref(), Some("not true\ntwice"));
    }
    act(&mut app, &[Action::Save]);
    assert_eq!(app.mode(), Mode::Read);
    let note = |app: &App| {
        app.review.remark(0).map(|said| {
            said.notes
                .iter()
                .map(|note| note.text.to_string())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(note(&app), Some(vec!["not true\ntwice".to_owned()]));
    by_another(
        &mut app,
        0,
        Act::Note {
            text: "I doubt it".into(),
            order: None,
        },
    );
    assert_eq!(
        note(&app).map(|notes| notes.len()),
        Some(2),
        "each has a note of their own"
    );
    act(&mut app, &[Action::Note]);
    assert_eq!(
        app.views
            .note()
            .map(|pad| (pad.lines().len(), pad.others.len())),
        Some((2, 1))
    );
    act(&mut app, &typed("!"));
    act(&mut app, &[Action::Cancel]);
    assert_eq!(
        (app.mode(), note(&app).map(|notes| notes[0].clone())),
        (Mode::Read, Some("not true\ntwice".to_owned()))
    );
    // Undoing in the editor returns to the saved note, which is then not a change.
    act(&mut app, &[Action::Note]);
    assert_eq!(draft(&app).as_deref(), Some("not true\ntwice!"));
    act(
        &mut app,
        &[Action::Edit(Edit::Undo), Action::Edit(Edit::Undo)],
    );
    assert_eq!(draft(&app).as_deref(), Some("not true\ntwice"));
    act(&mut app, &[Action::Save, Action::Note]);
    assert_eq!(draft(&app).as_deref(), Some("not true\ntwice"));
    act(&mut app, &[Action::Cancel]);
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
        [
            ("helpfulness".to_owned(), ResponseId::A, 3.0),
            ("helpfulness".to_owned(), ResponseId::B, 1.0)
        ],
        "of A first, then of B"
    );
    digits(&mut app, "9");
    assert!(
        app.notice().is_some_and(|notice| notice.contains("0 to 4")),
        "{:?}",
        app.notice()
    );
    digits(&mut app, "2222222");
    assert_eq!(app.selection.selected, 0);
    digits(&mut app, "4");
    assert_eq!(
        (app.selection.selected, rated(&app, 0).len()),
        (1, 10),
        "ten answers, and on"
    );
    act(&mut app, &[Action::Undo]);
    assert_eq!(
        (app.selection.selected, rated(&app, 0).len()),
        (0, 9),
        "undone where it was"
    );
    act(
        &mut app,
        &[
            Action::Answer(RatingAction::Clear),
            Action::Answer(RatingAction::Previous),
            Action::Answer(RatingAction::Clear),
        ],
    );
    assert_eq!(rated(&app, 0).len(), 8);
    act(&mut app, &[Action::Answer(RatingAction::GoOn)]);
    assert_eq!(app.selection.selected, 1, "ratings may be partial");
    act(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
    write(&mut app, Action::Filter, "is:rated");
    assert_eq!(app.shown().len(), 1);
}

#[test]
fn arrows_change_an_answer_and_stay() {
    let mut app = reviewer(2);
    act(
        &mut app,
        &[
            Action::Rate,
            Action::Answer(RatingAction::Higher),
            Action::Answer(RatingAction::Higher),
        ],
    );
    assert_eq!(rated(&app, 0), helpful(1.0));
    act(
        &mut app,
        &[
            Action::Answer(RatingAction::Lower),
            Action::Answer(RatingAction::Lower),
        ],
    );
    assert_eq!(rated(&app, 0), helpful(0.0));
    act(
        &mut app,
        &[Action::Answer(RatingAction::Wins(ResponseId::B))],
    );
    let verdict = app
        .review
        .remark(0)
        .and_then(|said| said.ratings[0].verdict);
    assert_eq!(verdict, Some((Verdict::wins(ResponseId::B), None)));
}

#[test]
fn saving_and_its_errors_are_tracked() {
    let mut app = reviewer(3);
    act(&mut app, &[Action::Mark, Action::NextSample, Action::Mark]);
    assert_eq!(app.review.saving.waiting, 2);
    update(
        &mut app,
        Message::Review(ReviewEvent::NotSaved("the disk is full".to_owned())),
    );
    assert!(app.review.saving.trouble.is_some());
    update(&mut app, Message::Review(ReviewEvent::Saved(2)));
    assert_eq!(
        &app.review.saving,
        &SaveState {
            waiting: 0,
            trouble: None,
            fresh: true
        }
    );
    act(&mut app, &[Action::NextSample]);
    assert!(!app.review.saving.fresh, "said once");
}

#[test]
fn what_was_rated_label_by_label_is_one_act_each() {
    let mut app = reviewer(3);
    play(&mut app, &[Action::Rate, Action::Digit(3)]);
    let acts: Vec<_> = app.review.ledger.undoable("ann").into_iter().collect();
    let [
        ActRecord {
            act: Act::Rate { rated, .. },
            ..
        },
    ] = acts[..]
    else {
        panic!("{acts:?}");
    };
    assert_eq!(
        *rated,
        Judgment::Label {
            label: "helpfulness".into(),
            response: ResponseId::A,
            value: Some(3.0)
        }
    );
    assert_eq!(app.review.ledger.len(), 1);
}

#[test]
fn a_slip_is_undone_and_answered_anew_at_the_same_question() {
    let mut app = reviewer(4);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "3");
    act(&mut app, &[Action::Undo]);
    digits(&mut app, "4");
    assert_eq!(rated(&app, 0), helpful(4.0));
    digits(&mut app, "222222222");
    assert_eq!(app.selection.selected, 1);
    act(&mut app, &[Action::Undo]);
    digits(&mut app, "0");
    let last = rated(&app, 0).last().cloned();
    assert_eq!(
        (rated(&app, 0).len(), last),
        (10, Some(("verbosity".to_owned(), ResponseId::B, 0.0)))
    );
}

#[test]
fn a_sample_stays_while_it_is_rated() {
    let mut app = reviewer(6);
    write(&mut app, Action::Filter, "not is:rated");
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "34");
    assert_eq!(
        (
            rated(&app, 0).len(),
            app.selection.selected,
            app.shown().len()
        ),
        (2, 0, 6)
    );
    act(&mut app, &[Action::Answer(RatingAction::GoOn)]);
    assert_eq!(
        (app.selection.selected, app.shown().len()),
        (1, 5),
        "it is gone once one goes on"
    );
    digits(&mut app, "1");
    assert_eq!(rated(&app, 1), helpful(1.0));
    act(&mut app, &[Action::Cancel]);
    assert_eq!(app.shown().len(), 4);
}

#[test]
fn a_note_that_cannot_be_recorded_stays_open() {
    let mut app = reviewer(3);
    act(&mut app, &[Action::Note]);
    act(&mut app, &typed("not lost"));
    app.set_recorder(TestRecorder { fails: true });
    act(&mut app, &[Action::Save]);
    assert_eq!(
        (app.mode(), app.views.note().map(|pad| pad.lines().join(""))),
        (Mode::Note, Some("not lost".to_owned()))
    );
    assert_eq!(app.notice(), Some("The sample cannot be read."));
}

#[test]
fn the_panel_takes_the_strips_place() {
    let mut app = reviewer(6);
    act(&mut app, &[Action::Rate, Action::LabelsPanel]);
    assert_eq!(
        (app.mode(), app.views.rate().is_some()),
        (Mode::Panel, false)
    );
}

#[test]
fn acts_of_others_that_come_while_samples_are_looked_for_are_found_too() {
    let mut app = reviewer(6);
    let entries: Vec<_> = [1, 2]
        .map(|sample| {
            entry(
                &app,
                Some(sample),
                Act::Mark { on: true },
                &format!("ben{sample}"),
            )
        })
        .into();
    update(
        &mut app,
        Message::Review(ReviewEvent::Acts(vec![entries[0].clone()])),
    );
    let job = needed(&app, "locator").expect("something to find");
    update(
        &mut app,
        Message::Review(ReviewEvent::Acts(vec![entries[1].clone()])),
    );
    assert_eq!(
        needed(&app, "locator").as_ref(),
        Some(&job),
        "it is not begun anew"
    );
    update(&mut app, result_of(&job).expect("located"));
    assert_ne!(needed(&app, "locator").expect("the rest"), job);
    fetch(&mut app);
    assert_eq!(marked(&app), [1, 2]);
}

#[test]
fn agreement_opens_at_once_and_is_counted_meanwhile() {
    let mut app = reviewer(3);
    act(
        &mut app,
        &[
            Action::Rate,
            Action::Digit(3),
            Action::Digit(2),
            Action::Cancel,
        ],
    );
    // The key itself does not count anything; a job does.
    let key = |app: &mut App, action| drop(update(app, Message::Action(action)));
    let asked = |app: &App| needed(app, "agreement");
    let shown = |app: &App| -> String {
        let parts = page(app).doc.text.parts(0..usize::MAX);
        let texts = parts.filter_map(|part| match part {
            StackLine::Line(section, ..) => Some(section.block.text().to_owned()),
            StackLine::Gap | StackLine::Heading(_) | StackLine::Fold(_) => None,
        });
        texts.collect()
    };
    key(&mut app, Action::Agreement);
    assert!(is_on::<AgreementScreen>(&app));
    assert!(
        shown(&app).contains("Computing intervals"),
        "{}",
        shown(&app)
    );
    assert!(asked(&app).is_some());
    // Leaving cancels the count, and results for other parties are ignored.
    key(&mut app, Action::Cancel);
    assert!(asked(&app).is_none() && app.views.page_of::<AgreementScreen>().is_none());
    key(&mut app, Action::Agreement);
    let job = asked(&app).expect("asked for again");
    assert!(
        job.run(&|| false, &|_| ()).is_none(),
        "a cancelled count ends"
    );
    let compare = |app: &mut App, parties| {
        let page = app.views.page_of_mut::<AgreementScreen>().expect("a page");
        std::mem::replace(&mut page.content.comparison, parties)
    };
    let own = compare(&mut app, ComparedParties::AllWithDataset);
    update(&mut app, result_of(&job).expect("not cancelled"));
    assert!(shown(&app).contains("Computing intervals"));
    compare(&mut app, own);
    update(&mut app, result_of(&job).expect("not cancelled"));
    assert!(
        shown(&app).contains("Labels") && !shown(&app).contains("Computing intervals"),
        "{}",
        shown(&app)
    );
    assert!(asked(&app).is_none());
}

/// A judgment of a sample also applies to its duplicates: now, from others and from earlier runs,
/// and undoing it applies to all.
#[test]
fn what_is_said_holds_for_all_that_say_the_same() {
    let rows = |prompts: &[&str]| -> &'static [u8] {
        let row = |prompt: &&str| {
            let row =
                format!("{{\"prompt\": \"{prompt}\", \"response\": \"r\", \"helpfulness\": 1}}\n");
            row.clone() + &row
        };
        Box::leak(prompts.iter().map(row).collect::<String>().into_boxed_str()).as_bytes()
    };
    let file = rows(&["same", "other", "same", "twice", "same", "twice"]);
    let mut app = empty(WIDE);
    load(&mut app, 0, file);
    app.introduce("ann", None, PendingOpening::default());
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    fetch(&mut app);
    assert!(app.review.is_settled(), "duplicates are not needed yet");
    let shown = |app: &mut App, query: &str| -> Vec<usize> {
        act(app, &[Action::Filter, Action::Edit(Edit::DeleteToStart)]);
        act(app, &typed(query));
        act(app, &[Action::Accept]);
        let shown = app.shown().samples(0..usize::MAX).collect();
        act(
            app,
            &[
                Action::Filter,
                Action::Edit(Edit::DeleteToStart),
                Action::Accept,
            ],
        );
        shown
    };
    act(
        &mut app,
        &[Action::Digit(3), Action::FirstSample, Action::Mark],
    );
    assert!(app.review.is_settled());
    assert_eq!(marked(&app), [0, 2, 4]);
    assert_eq!(shown(&mut app, "is:marked"), [0, 2, 4]);
    // Unmarking one sample also removes a mark that was recorded for a duplicate.
    act(
        &mut app,
        &[Action::Digit(1), Action::FirstSample, Action::Mark],
    );
    assert_eq!(
        (marked(&app), shown(&mut app, "is:marked")),
        (vec![], vec![])
    );
    act(&mut app, &[Action::Undo]);
    assert_eq!(shown(&mut app, "is:marked"), [0, 2, 4]);
    // Acts of others, after the duplicates are known.
    by_another(
        &mut app,
        5,
        Act::Tag {
            tag: "odd".into(),
            on: true,
        },
    );
    assert_eq!(shown(&mut app, "tag=odd"), [3, 5]);
    assert_eq!(shown(&mut app, "tag=none -is:marked"), [1]);
    // In another file, at other positions.
    play(&mut app, &[Action::Reload]);
    load(
        &mut app,
        1,
        rows(&["twice", "new", "same", "twice", "same"]),
    );
    assert_eq!(
        (shown(&mut app, "is:marked"), shown(&mut app, "tag=odd")),
        (vec![2, 4], vec![0, 3])
    );
}

#[test]
fn a_blind_reviewer_sees_nothing_of_others() {
    let mut app = blind(6, false);
    for (sample, act) in [
        (
            0,
            Act::Note {
                text: "A is far better".into(),
                order: None,
            },
        ),
        (1, Act::Mark { on: true }),
        (
            1,
            Act::Tag {
                tag: "wrong".into(),
                on: true,
            },
        ),
        (2, Act::Mark { on: true }),
    ] {
        by_another(&mut app, sample, act);
    }
    assert!((0..6).all(|sample| app.known_remark(sample).is_none()) && !app.has_reviews());
    act(
        &mut app,
        &[
            Action::Digit(3),
            Action::FirstSample,
            Action::Mark,
            Action::FirstSample,
        ],
    );
    for (query, found) in [
        ("is:marked", vec![2]),
        ("tag=wrong", vec![]),
        ("has:note", vec![]),
        ("note:far", vec![]),
    ] {
        act(
            &mut app,
            &[Action::Filter, Action::Edit(Edit::DeleteToStart)],
        );
        act(&mut app, &typed(query));
        act(&mut app, &[Action::Accept]);
        assert_eq!(
            app.shown().samples(0..9).collect::<Vec<_>>(),
            found,
            "{query}"
        );
    }
    act(
        &mut app,
        &[
            Action::Filter,
            Action::Edit(Edit::DeleteToStart),
            Action::Accept,
        ],
    );
    act(
        &mut app,
        &[Action::Digit(1), Action::FirstSample, Action::Note],
    );
    assert_eq!(app.views.note().map(|pad| pad.others.len()), Some(0));
    act(&mut app, &[Action::Cancel]);
    // After judging, the sample shows judgments of others, and only for itself.
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "1111111111");
    assert_eq!(app.known_remark(0).map(|said| said.notes.len()), Some(1));
    assert!(app.known_remark(1).is_none());
    act(&mut app, &[Action::Cancel]);
    write(&mut app, Action::Command, "blind");
    write(&mut app, Action::Filter, "is:marked");
    assert_eq!(app.shown().samples(0..9).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn who_judges_blind_takes_no_mark_or_tag_of_others_away() {
    let mut app = blind(6, false);
    by_another(&mut app, 0, Act::Mark { on: true });
    by_another(
        &mut app,
        0,
        Act::Tag {
            tag: "odd".into(),
            on: true,
        },
    );
    act(&mut app, &[Action::Mark, Action::Mark]);
    assert_eq!(app.notice(), None, "acts of others stay hidden");
    write(&mut app, Action::Tag, "odd");
    write(&mut app, Action::Tag, "-odd");
    assert_eq!((app.notice(), app.known_remark(0).is_none()), (None, true));
    let said = app.review.remark(0).cloned().expect("what ben said");
    assert!(said.marked && said.tags.contains("odd"), "{said:?}");
    // When labels are shown, unmarking removes the reviewer's own mark first, with a notice, then
    // that of others.
    write(&mut app, Action::Command, "blind");
    act(&mut app, &[Action::Mark]);
    assert!(
        !app.known_remark(0).is_some_and(|said| said.marked),
        "ann has none of her own now"
    );
    by_another(&mut app, 1, Act::Mark { on: true });
    by_another(
        &mut app,
        1,
        Act::Tag {
            tag: "odd".into(),
            on: true,
        },
    );
    write(&mut app, Action::Command, "blind");
    act(&mut app, &[Action::NextSample, Action::Mark]);
    write(&mut app, Action::Tag, "odd");
    write(&mut app, Action::Command, "blind");
    act(&mut app, &[Action::Mark]);
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("`mark` again")),
        "{:?}",
        app.notice()
    );
    act(&mut app, &[Action::Mark]);
    write(&mut app, Action::Tag, "-odd");
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("-odd again")),
        "{:?}",
        app.notice()
    );
    write(&mut app, Action::Tag, "-odd");
    assert!(app.review.remark(1).is_none());
}

#[test]
fn an_interrupt_closes_a_note_before_it_quits() {
    for text in ["", "not lost"] {
        let mut app = reviewer(3);
        act(&mut app, &[Action::Note]);
        act(&mut app, &typed(text));
        assert_eq!(update(&mut app, Message::Action(Action::Quit)), []);
        assert_eq!(app.mode(), Mode::Read);
        assert_eq!(
            update(&mut app, Message::Action(Action::Quit)),
            [Effect::Quit]
        );
    }
}

#[test]
fn a_drawn_sample_counts_as_seen_despite_queued_keys() {
    let mut app = reviewer(6);
    act(&mut app, &[Action::NextSample]);
    update(&mut app, Message::Leaving);
    assert_eq!(app.review.ledger.len(), 1);
    // The third is drawn while a queued key leaves it again.
    update(&mut app, Message::Action(Action::NextSample));
    read(&mut app);
    let third = app.on_screen();
    assert_eq!(update(&mut app, Message::Drawn(third)), []);
    act(&mut app, &[Action::PreviousSample]);
    let key = app
        .data
        .dataset
        .key(2, &mut Buffers::default())
        .expect("a key");
    update(&mut app, Message::Leaving);
    assert!(app.review.ledger.has_seen("ann", &key));
}
