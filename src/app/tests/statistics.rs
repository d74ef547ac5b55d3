//! Statistics: keys move a cursor, Enter shows the samples of an item, and Esc returns.

use super::filtering::{enter, typed};
use super::*;
use crate::app::StatisticsMove;
use crate::app::pages::statistics::StatisticsKey;

/// 40 pairs whose helpfulness is 1, 2, 3, 4, 0, 1, …, with the statistics open.
fn opened(size: (u16, u16)) -> App {
    let mut app = loaded(size, 40, 1);
    play(&mut app, &[Action::Statistics]);
    app
}

fn query(app: &App) -> &str {
    app.filter.active().map_or("", |one| one.text.as_str())
}

/// Returns the item under the cursor, and its query.
fn under_cursor(app: &App) -> (String, Option<String>) {
    let open = page(app);
    let spot = &open.doc.spots[open.at];
    (spot.label.clone(), spot.query.clone().ok())
}

/// Moves to the first label, and `bar` bars down.
fn go_to_label(app: &mut App, bar: usize) {
    let section = Action::OnStatistics(StatisticsMove::NextSection);
    play(app, &[Action::Scroll(Scroll::Top), section]);
    play(app, &vec![Action::NextSample; bar]);
}

#[test]
fn enter_shows_the_samples_of_a_bar_and_cancel_returns() {
    let mut app = opened(WIDE);
    assert_eq!(app.mode(), Mode::Page(Context::Statistics));
    go_to_label(&mut app, 3);
    assert_eq!(under_cursor(&app).0, "helpfulness = 3");
    let before = page(&app).at;
    play(&mut app, &[Action::Zoom]);
    assert_eq!(
        (query(&app), app.mode(), app.shown().len()),
        ("helpfulness=3", Mode::Read, 8)
    );
    play(&mut app, &[Action::NextSample, Action::Cancel]);
    assert_eq!(
        (query(&app), app.mode()),
        ("", Mode::Page(Context::Statistics))
    );
    assert_eq!(page(&app).at, before);
    assert_eq!(app.shown().len(), 40);
    play(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
    // There is no page to return to any more.
    play(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
}

/// Items without samples cannot be selected: Enter would open an empty list.
#[test]
fn what_there_is_none_of_is_not_pointed_at() {
    let app = opened(WIDE);
    let spots: Vec<_> = page(&app)
        .doc
        .spots
        .iter()
        .map(|spot| &*spot.label)
        .collect();
    // The wins of A and B come before it, but have no samples.
    assert_eq!(spots.first(), Some(&"who wins = tie"), "{spots:?}");
}

#[test]
fn a_bar_combines_with_the_active_filter() {
    let mut app = loaded(WIDE, 40, 1);
    enter(&mut app, Action::Filter, "helpfulness>=2");
    fetch(&mut app);
    play(&mut app, &[Action::Statistics]);
    let profile = app
        .views
        .page_of::<Statistics>()
        .and_then(|open| open.content.counted.get(|_| true))
        .expect("counted");
    assert_eq!(profile.shown, Some(24));
    assert_eq!(under_cursor(&app).1.as_deref(), Some("verdict=tie"));
    play(&mut app, &[Action::Zoom]);
    assert_eq!(query(&app), "helpfulness>=2 verdict=tie");
    play(&mut app, &[Action::Back]);
    assert_eq!(
        (query(&app), app.mode()),
        ("helpfulness>=2", Mode::Page(Context::Statistics))
    );
    // Another filter forgets the page.
    play(&mut app, &[Action::Zoom]);
    enter(&mut app, Action::Filter, "helpfulness=0");
    fetch(&mut app);
    play(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn the_cursor_stays_in_sight_at_any_size() {
    for size in [
        (160, 48),
        (80, 24),
        (60, 20),
        (40, 10),
        (20, 6),
        (3, 3),
        (1, 1),
    ] {
        let mut app = opened(size);
        let spots = page(&app).doc.spots.len();
        let section = Action::OnStatistics(StatisticsMove::NextSection);
        let moves = [
            Action::NextSample,
            Action::OnStatistics(StatisticsMove::Right),
            section,
        ];
        let scrolls = [
            Scroll::Bottom,
            Scroll::PageUp,
            Scroll::HalfDown,
            Scroll::Top,
        ];
        let scrolls = scrolls.map(Action::Scroll);
        for action in moves.into_iter().cycle().take(3 * spots).chain(scrolls) {
            play(&mut app, &[action]);
            let open = page(&app);
            let height = usize::from(open.area().height).max(1);
            let spot = &open.doc.spots[open.at];
            assert!(
                (open.top..open.top + height).contains(&spot.y),
                "{size:?} {action:?}"
            );
        }
    }
}

#[test]
fn sections_follow_each_other_both_ways() {
    let mut app = opened(WIDE);
    let section = |app: &App| {
        let (doc, at) = (&page(app).doc, page(app).at);
        doc.sections[doc.spots[at].section]
    };
    let (mut there, mut back) = (vec![section(&app)], Vec::new());
    for _ in 0..10 {
        play(
            &mut app,
            &[Action::OnStatistics(StatisticsMove::NextSection)],
        );
        if there.last() != Some(&section(&app)) {
            there.push(section(&app));
        }
        let open = page(&app);
        let spot = &open.doc.spots[open.at];
        let last_top = open.doc.lines - usize::from(open.area().height);
        let first = if spot.card_line == 1 {
            0
        } else {
            spot.card_line
        };
        assert_eq!(open.top, first.min(last_top), "its first card is on top");
    }
    assert!(there.len() >= 5, "{there:?}");
    for _ in 0..30 {
        if back.last() != Some(&section(&app)) {
            back.push(section(&app));
        }
        play(
            &mut app,
            &[Action::OnStatistics(StatisticsMove::PreviousSection)],
        );
    }
    back.reverse();
    assert_eq!(there, back);
}

#[test]
fn no_labels_are_shown_to_a_blind_reviewer() {
    let mut app = loaded(WIDE, 40, 1);
    enter(&mut app, Action::Command, "blind");
    play(&mut app, &[Action::Statistics]);
    let profile = app
        .views
        .page_of::<Statistics>()
        .and_then(|open| open.content.counted.get(|_| true))
        .expect("counted");
    let keys: Vec<_> = profile
        .answer
        .sections()
        .map(|section| section.key)
        .collect();
    assert_eq!(keys, ["lengths", "counts"]);
}

#[test]
fn a_command_opens_them_and_the_same_key_closes_them() {
    let mut app = loaded(WIDE, 4, 1);
    enter(&mut app, Action::Command, "statistics");
    fetch(&mut app);
    assert_eq!(app.mode(), Mode::Page(Context::Statistics));
    play(&mut app, &[Action::Statistics]);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn actions_are_commands_by_their_names() {
    let mut app = loaded(WIDE, 4, 1);
    let locked = app.settings.view.locked;
    enter(&mut app, Action::Command, "toggle-lock");
    assert_ne!(app.settings.view.locked, locked);
    enter(&mut app, Action::Command, "last-sample");
    assert_eq!(app.selection.selected, 3);
    enter(&mut app, Action::Command, "first-sample 2");
    let error = app.views.line().and_then(|line| line.error.clone());
    assert!(error.is_some_and(|error| error.message.contains("first-sample")));
    play(&mut app, &[Action::Cancel]);
    // Actions of lines and menus are none.
    enter(&mut app, Action::Command, "delete-word");
    let error = app.views.line().and_then(|line| line.error.clone());
    assert!(error.is_some_and(|error| error.message.contains("unknown command")));
}

#[test]
fn what_was_counted_before_one_judged_blind_does_not_show() {
    let mut app = opened(WIDE);
    assert!(page(&app).doc.lines > 0);
    play(&mut app, &[Action::Command]);
    play(&mut app, &typed("blind"));
    // Not counted again yet.
    update(&mut app, Message::Action(Action::Accept));
    assert!(app.is_blind() && app.views.page_of::<Statistics>().is_some());
    assert!(page(&app).doc.lines == 0, "it would reveal labels");
    fetch(&mut app);
    assert!(page(&app).doc.lines > 0, "counted anew");
}

#[test]
fn the_greatest_count_ends_with_the_last_spot() {
    let mut app = opened(WIDE);
    for action in [
        Action::NextSample,
        Action::OnStatistics(StatisticsMove::Right),
        Action::OnStatistics(StatisticsMove::NextSection),
        Action::PreviousSample,
    ] {
        play(&mut app, &[Action::Digit(9); 10]);
        play(&mut app, &[action]);
    }
    let open = page(&app);
    let line = |at: usize| open.doc.spots[at].y;
    assert_eq!(line(open.at), line(0), "on the first line");
}

/// A count that is asked for anew with each batch of rows would never end.
#[test]
fn the_same_figures_are_asked_for_until_samples_have_doubled() {
    let mut app = empty(WIDE);
    let mut told = reports(rows(5000, 3));
    let rest = told.split_off(2);
    for report in told {
        update(&mut app, Message::Loaded(0, report));
    }
    update(&mut app, Message::Action(Action::Statistics));
    let mut asked: Vec<(usize, usize)> = Vec::new();
    for report in rest {
        update(&mut app, Message::Loaded(0, report));
        let samples = app.data.dataset.samples();
        let job = needed(&app, "statistics").expect("figures of more samples");
        let key = job.key::<StatisticsKey>().expect("a key");
        asked.push((samples, key.state.samples));
    }
    let (whole, growing) = asked.split_last().expect("batches");
    assert!(growing.len() > 2, "{asked:?}");
    for (samples, counted) in growing {
        assert_eq!(*counted, 1 << samples.ilog2(), "{samples}");
    }
    assert_eq!(*whole, (5000, 5000));
}
