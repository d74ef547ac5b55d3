//! Following growing files: existing samples stay unchanged.

use super::reviewing::{act, one, reviewer_of, work, write};
use super::*;

fn text(prompts: &str) -> &'static [u8] {
    let row = |prompt: char| {
        format!("{{\"prompt\": \"{prompt}\", \"response\": \"r\", \"helpfulness\": 1}}\n")
    };
    let text: String = prompts.chars().map(row).collect();
    Box::leak(text.into_boxed_str()).as_bytes()
}

fn reports_of(files: &[&str]) -> Vec<LoadEvent> {
    let input = |prompts: &&str| Input::Embedded {
        name: "rows",
        bytes: text(prompts),
    };
    reports_with(&Loader {
        inputs: files.iter().map(input).collect(),
        ..Loader::default()
    })
}

fn opened(files: &[&str]) -> App {
    let mut app = empty(WIDE);
    app.data.is_followed = true;
    for report in reports_of(files) {
        update(&mut app, Message::Loaded(0, report));
    }
    reviewer_of(app)
}

/// Returns true if growth triggers a reload.
fn is_read_again(app: &mut App) -> bool {
    let effects = update(app, Message::Grown);
    effects.iter().any(|it| matches!(it, Effect::Load(_)))
}

fn take(app: &mut App, files: &[&str]) {
    for report in reports_of(files) {
        let generation = app.data.requested;
        let effects = update(app, Message::Loaded(generation, report));
        work(app, effects);
    }
    fetch(app);
}

/// The result for the samples before is dropped.
#[test]
fn duplicates_are_searched_for_again_if_a_file_has_grown_meanwhile() {
    let mut app = opened(&["aa"]);
    for effect in update(&mut app, Message::Action(Action::Mark)) {
        if let Effect::Review(effect) = effect {
            one(&mut app, &effect);
        }
    }
    let job = needed(&app, "duplicates").expect("not searched for yet");
    assert!(is_read_again(&mut app));
    let generation = app.data.requested;
    for report in reports_of(&["aabb"]) {
        update(&mut app, Message::Loaded(generation, report));
    }
    update(&mut app, result_of(&job).expect("duplicates"));
    assert_ne!(needed(&app, "duplicates").expect("anew"), job);
    fetch(&mut app);
    assert!(app.review.is_settled());
}

#[test]
fn samples_after_a_grown_file_keep_marks_and_panes() {
    let mut app = opened(&["aa", "bb"]);
    act(&mut app, &[Action::NextSample, Action::Mark]);
    app.selection.pair = Some((
        1,
        [crate::model::ResponseId::B, crate::model::ResponseId::A],
    ));
    assert!(is_read_again(&mut app));
    take(&mut app, &["aacc", "bb"]);
    let marked = |sample| app.review.remark(sample).is_some_and(|said| said.marked);
    assert_eq!(
        (app.selection.selected, marked(1), marked(2)),
        (2, false, true),
        "{:?}",
        app.notice()
    );
    assert_eq!(app.selection.pair.map(|(sample, _)| sample), Some(2));
}

fn shown(app: &App) -> Vec<usize> {
    app.shown().samples(0..usize::MAX).collect()
}

#[test]
fn a_query_goes_on_while_rows_are_appended() {
    let mut app = opened(&["aabb"]);
    update(&mut app, Message::Action(Action::Filter));
    for action in filtering::typed("prompt:a") {
        update(&mut app, Message::Action(action));
    }
    update(&mut app, Message::Action(Action::Accept));
    let job = needed(&app, "filter").expect("not answered yet");
    assert!(is_read_again(&mut app));
    let generation = app.data.requested;
    for report in reports_of(&["aabbaa"]) {
        update(&mut app, Message::Loaded(generation, report));
    }
    assert_eq!(app.data.dataset.samples(), 3);
    assert_eq!(needed(&app, "filter"), Some(job.clone()), "the same job");
    for result in results_of(&job) {
        update(&mut app, result);
    }
    assert_eq!(shown(&app), [0]);
    fetch(&mut app);
    assert_eq!(shown(&app), [0, 2], "the new one is asked for");
}

#[test]
fn answers_are_forgotten_where_samples_get_other_numbers() {
    let mut app = opened(&["aa", "bb"]);
    filtering::enter(&mut app, Action::Filter, "prompt:b");
    fetch(&mut app);
    assert_eq!(shown(&app), [1]);
    assert!(is_read_again(&mut app));
    take(&mut app, &["aacc", "bb"]);
    assert_eq!(shown(&app), [2]);
}

#[test]
fn rows_wait_while_a_line_is_typed() {
    let mut app = opened(&["aa", "bb"]);
    act(&mut app, &[Action::NextSample]);
    // It is opened while rows are read.
    assert!(is_read_again(&mut app));
    act(&mut app, &[Action::Tag]);
    take(&mut app, &["aacc", "bb"]);
    assert_eq!(app.data.dataset.samples(), 2);
    assert!(!is_read_again(&mut app), "not before it is closed");
    act(&mut app, &filtering::typed("odd"));
    act(&mut app, &[Action::Accept]);
    assert!(is_read_again(&mut app));
    take(&mut app, &["aacc", "bb"]);
    let tags = |sample| {
        let remark = app.review.remark(sample);
        remark.map_or(0, |said| said.tags.len())
    };
    assert_eq!((app.selection.selected, tags(1), tags(2)), (2, 0, 1));
}

#[test]
fn a_changed_file_replaces_notices_about_its_rows() {
    let mut app = opened(&["aa"]);
    act(&mut app, &[Action::LastSample]);
    assert!(app.notice().is_some_and(|it| it.contains("followed")));
    update(
        &mut app,
        Message::FileChanged("a is shorter now".to_owned()),
    );
    assert_eq!(
        (app.notice(), app.data.changed.as_deref()),
        (None, Some("a is shorter now"))
    );
    // The event repeats every second; other notices stay.
    act(&mut app, &[Action::LastSample]);
    update(
        &mut app,
        Message::FileChanged("a is shorter now".to_owned()),
    );
    assert!(app.notice().is_some());
    let mut app = opened(&["aa"]);
    assert!(is_read_again(&mut app));
    take(&mut app, &["aabb"]);
    assert_eq!(app.notice(), Some("2 rows appended."));
    assert!(is_read_again(&mut app));
    take(&mut app, &["cc"]);
    assert_eq!(
        (app.notice(), app.data.changed.as_deref()),
        (None, Some("rows loaded before have changed"))
    );
}

#[test]
fn who_leaves_an_audit_is_where_they_were_before_it() {
    let mut app = reviewing::blind(30, false);
    act(&mut app, &[Action::NextSample; 4]);
    for _ in 0..2 {
        write(&mut app, Action::Command, "audit 3 seed=5");
        assert_ne!(app.selection.selected, 4);
        write(&mut app, Action::Command, "audit off");
        assert_eq!(app.selection.selected, 4);
    }
}
