//! The filter line, results of filters, commands, menus and columns.

use super::*;
use crate::app::job::Apply;
use crate::app::shown::query_job::{BatchResults, QueryBatch, QueryJob};
use crate::query::{self, QueryResult};

/// A partial result from a thread.
pub(super) fn tell(app: &mut App, job: &QueryJob, found: BatchResults, looked: usize, done: bool) {
    let batch = QueryBatch {
        request: job.request,
        found,
        looked,
        done,
    };
    let take = move |app: &mut App| app.take_query_batch(batch);
    update(app, Message::Apply(Apply(Box::new(take))));
}

fn piece(app: &mut App, job: &QueryJob, found: QueryResult, looked: usize, done: bool) {
    tell(app, job, BatchResults::Samples(found), looked, done);
}

fn so_far(app: &App) -> Option<usize> {
    app.looked_so_far(QueryKind::Filter)
}

fn found(samples: &[u32]) -> QueryResult {
    QueryResult {
        samples: samples.to_vec(),
        matching: vec![query::ResponseSet::default(); samples.len()],
    }
}

pub(super) fn typed(text: &str) -> Vec<Action> {
    text.chars()
        .map(|character| Action::Edit(Edit::Insert(character)))
        .collect()
}

/// Types a line after `f` or `:` and presses Enter.
pub(super) fn enter(app: &mut App, kind: Action, text: &str) -> Vec<Effect> {
    play(app, &[kind, Action::Edit(Edit::DeleteToStart)]);
    play(app, &typed(text));
    play(app, &[Action::Accept])
}

fn filter(app: &mut App, text: &str) -> Vec<Effect> {
    enter(app, Action::Filter, text)
}

/// Of 40 samples, 3, 4, 8, 9, … 39 (from 1) have `helpfulness` 3 or 4.
fn filtered() -> App {
    let mut app = loaded(WIDE, 40, 3);
    filter(&mut app, "helpfulness>=3");
    app
}

fn query_text(app: &App) -> Option<&str> {
    app.filter.active().map(|one| one.text.as_str())
}

#[test]
fn only_the_beginning_of_a_term_waits_for_its_end() {
    for (text, is_held_back) in [
        ("helpf", true),
        ("is:tie -helpf", true),
        ("a.len <= b.len", false),
        ("a.len - b.len < len.prompt + turns", false),
        ("helpfulness=4", false),
    ] {
        let mut app = loaded(WIDE, 8, 3);
        play(&mut app, &[Action::Filter]);
        play(&mut app, &typed(text));
        let line = app.views.line().expect("a line");
        assert_eq!(line.error, None, "{text}");
        assert_eq!(line.filter.held_back, is_held_back, "{text}");
        assert_eq!(query_text(&app) == Some(text), !is_held_back, "{text}");
    }
}

#[test]
fn tab_takes_what_was_meant() {
    for (text, fixed) in [
        ("is:tie gap>2", "is:tie gap.helpfulness>2"),
        ("a.help>3 foo", "a.helpfulness>3 foo"),
    ] {
        let mut app = loaded(WIDE, 8, 3);
        play(&mut app, &[Action::Filter]);
        play(&mut app, &typed(text));
        assert!(
            app.views.line().is_some_and(|line| line.error.is_some()),
            "{text}"
        );
        play(&mut app, &[Action::Complete]);
        let line = app.views.line().expect("a line");
        assert_eq!((line.text().0, &line.error), (fixed, &None), "{text}");
        assert_eq!(query_text(&app), Some(fixed));
    }
}

#[test]
fn a_filter_shows_what_it_finds() {
    let mut app = loaded(WIDE, 40, 3);
    assert_eq!(
        filter(&mut app, " helpfulness>=3 "),
        [Effect::Remember(
            LineKind::Filter,
            "helpfulness>=3".to_owned()
        )]
    );
    assert_eq!((app.shown().len(), app.mode()), (16, Mode::Read));
    assert_eq!((app.selection.position, app.selection.selected), (0, 2));
    use Action::{Digit, FirstSample, LastSample, NextSample, PreviousSample, Scroll as S};
    for (actions, selected) in [
        (&[NextSample, NextSample][..], 7),
        (&[Digit(1), Digit(0), NextSample], 27),
        (&[LastSample], 38),
        (&[LastSample, PreviousSample], 37),
        (&[LastSample, FirstSample], 2),
        (&[Digit(9), LastSample], 8),
        (&[Digit(1), Digit(1), FirstSample], 12),
    ] {
        play(&mut app, &[FirstSample]);
        play(&mut app, actions);
        assert_eq!(app.selection.selected, selected, "{actions:?}");
        assert!(app.page_is_current(), "{actions:?}");
    }
    assert_eq!(
        app.notice(),
        Some("Sample 11 is not shown; 13 is the nearest.")
    );
    play(
        &mut app,
        &[
            Action::PreviousPane,
            Action::PreviousPane,
            S(Scroll::Bottom),
        ],
    );
    assert_eq!((app.layout.focus, app.selection.selected), (Pane::List, 38));
    filter(&mut app, "");
    assert_eq!(
        (app.shown(), app.selection.selected, query_text(&app)),
        (&ShownSamples::All(40), 38, None)
    );
}

#[test]
fn results_follow_each_keystroke_and_the_last_that_reads_stays() {
    let mut app = loaded(WIDE, 40, 3);
    play(&mut app, &[Action::Filter]);
    play(&mut app, &typed("helpfulness>=4"));
    assert_eq!(app.shown().len(), 8);
    // Half of it would be a word to search for.
    update(&mut app, Message::Paste(" helpfullness>=9".to_owned()));
    fetch(&mut app);
    assert_eq!(
        (app.shown().len(), query_text(&app)),
        (8, Some("helpfulness>=4"))
    );
    let error = app
        .views
        .line()
        .and_then(|line| line.error.as_ref())
        .expect("an error");
    assert_eq!(error.span, 15..27);
    assert_eq!(play(&mut app, &[Action::Accept]), []);
    assert_eq!(app.views.line_kind(), Some(LineKind::Filter));
    play(&mut app, &[Action::Edit(Edit::DeleteToStart)]);
    assert_eq!((app.shown().len(), query_text(&app)), (40, None));
}

#[test]
fn leaving_the_prompt_goes_back_to_what_was() {
    for before in ["", "helpfulness>=3"] {
        let mut app = loaded(WIDE, 40, 3);
        filter(&mut app, before);
        play(
            &mut app,
            &[Action::Digit(2), Action::Digit(3), Action::LastSample],
        );
        assert_eq!(app.selection.selected, 22);
        play(
            &mut app,
            &[Action::Filter, Action::Edit(Edit::DeleteToStart)],
        );
        play(&mut app, &typed("helpfulness>=4"));
        assert_eq!(app.selection.selected, 23);
        play(&mut app, &[Action::Cancel]);
        assert_eq!(
            (app.mode(), app.selection.selected),
            (Mode::Read, 22),
            "{before:?}"
        );
        assert_eq!(query_text(&app).unwrap_or_default(), before);
        assert_eq!(play(&mut app, &[Action::Cancel]), []);
        assert_eq!(
            query_text(&app).unwrap_or_default(),
            before,
            "Esc does not drop a filter"
        );
    }
}

#[test]
fn the_selected_sample_survives_or_the_nearest_is_taken() {
    let mut app = loaded(WIDE, 40, 3);
    play(
        &mut app,
        &[Action::Digit(2), Action::Digit(1), Action::LastSample],
    );
    play(&mut app, &[Action::Filter]);
    for (text, selected) in [
        ("helpfulness>=1", 20),
        ("helpfulness>=4", 18),
        ("helpfulness>=2", 21),
    ] {
        play(&mut app, &[Action::Edit(Edit::DeleteToStart)]);
        play(&mut app, &typed(text));
        assert_eq!(app.selection.selected, selected, "{text}");
    }
    play(&mut app, &[Action::Accept]);
    // From now on the sample is read.
    filter(&mut app, "");
    assert_eq!(app.selection.selected, 21);
}

#[test]
fn an_empty_result_is_no_trouble() {
    let mut app = loaded(WIDE, 40, 3);
    play(&mut app, &[Action::NextSample]);
    filter(&mut app, "helpfulness>=9");
    assert!(app.shown().is_empty());
    use Action::{Digit, FirstSample, LastSample, NextSample, PreviousSample};
    play(
        &mut app,
        &[
            NextSample,
            PreviousSample,
            FirstSample,
            LastSample,
            Digit(7),
            LastSample,
            Action::NextPane,
        ],
    );
    play(
        &mut app,
        &[
            Action::Scroll(Scroll::PageDown),
            Action::Zoom,
            Action::Zoom,
            Action::Toggle(Toggle::Markdown),
        ],
    );
    update(&mut app, Message::Pointer(Pointer::Press(3, 5)));
    update(
        &mut app,
        Message::Pointer(Pointer::Wheel(Scroll::LineDown, 3, 5)),
    );
    update(&mut app, Message::Resize(70, 20));
    assert_eq!(fetch(&mut app), 0);
    filter(&mut app, "");
    assert_eq!((app.shown().len(), app.selection.selected), (40, 1));
}

#[test]
fn sorted_results_go_by_position() {
    let mut app = loaded(WIDE, 40, 3);
    filter(&mut app, "sort:-helpfulness");
    let first: Vec<_> = app.shown().samples(0..3).collect();
    assert_eq!(first, [3, 8, 13]);
    // A sort order shows its first samples.
    assert_eq!((app.selection.position, app.selection.selected), (0, 3));
    play(&mut app, &[Action::FirstSample, Action::NextSample]);
    assert_eq!((app.selection.position, app.selection.selected), (1, 8));
    play(&mut app, &[Action::Digit(1), Action::LastSample]);
    assert_eq!(app.selection.selected, 0);
    assert!(app.selection.position > 8);
}

#[test]
fn answers_come_in_pieces_and_late_ones_are_dropped() {
    let mut app = loaded(WIDE, 40, 3);
    play(
        &mut app,
        &[Action::Digit(9), Action::LastSample, Action::Filter],
    );
    let asked = |app: &App| {
        assert!(needed(app, "filter").is_some());
        app.filter_job().expect("a filter")
    };
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('x'))));
    let old = asked(&app);
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('y'))));
    let ask = asked(&app);
    assert_eq!(ask.positions, 0..40);
    piece(&mut app, &old, found(&[1]), 40, true);
    assert_eq!(
        app.shown().len(),
        40,
        "what was shown stays until something is found"
    );
    piece(&mut app, &ask, found(&[]), 2, false);
    assert_eq!((app.shown().len(), so_far(&app)), (40, None));
    update(&mut app, Message::StillQuerying(ask.request));
    assert_eq!(so_far(&app), Some(2));
    piece(&mut app, &ask, found(&[4]), 5, false);
    assert_eq!((app.shown().len(), app.selection.selected), (1, 4));
    piece(&mut app, &ask, found(&[8, 9]), 20, false);
    assert_eq!(
        (app.shown().len(), app.selection.selected),
        (3, 8),
        "back to where one was"
    );
    assert!(app.is_querying());
    piece(&mut app, &ask, found(&[]), 40, true);
    assert!(!app.is_querying());
    assert_eq!((app.shown().len(), so_far(&app)), (3, None));
    // A page stays open when ^C ends a filter, and is closed by the next one.
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('z'))));
    update(&mut app, Message::Action(Action::Accept));
    let ask = asked(&app);
    update(&mut app, Message::StillQuerying(ask.request));
    update(&mut app, Message::Action(Action::Statistics));
    for mode in [Mode::Page(Context::Statistics), Mode::Read] {
        assert!(!update(&mut app, Message::Action(Action::Quit)).contains(&Effect::Quit));
        assert_eq!((app.mode(), app.is_querying()), (mode, false));
    }
}

#[test]
fn rows_that_come_are_asked_about_as_they_come() {
    for (text, from_start) in [("helpfulness>=3", false), ("sort:helpfulness", true)] {
        let mut told = reports(rows(5000, 3));
        let rest = told.split_off(2);
        let mut app = empty(WIDE);
        for report in told {
            update(&mut app, Message::Loaded(0, report));
        }
        filter(&mut app, text);
        let first = app.data.dataset.samples();
        let mut asks = Vec::new();
        for report in rest {
            update(&mut app, Message::Loaded(0, report));
            if let Some(ask) = app.filter_job() {
                asks.push(ask.positions);
                read(&mut app);
            }
        }
        assert_eq!(asks.last().map(|asked| asked.end), Some(5000), "{text}");
        if from_start {
            assert!(asks.iter().all(|asked| asked.start == 0), "{asks:?}");
            let doubled = asks
                .windows(2)
                .take(asks.len().saturating_sub(2))
                .all(|two| two[1].end >= 2 * two[0].end);
            assert!(doubled, "{asks:?}");
            assert_eq!(app.shown().len(), 5000);
        } else {
            let ends = asks.iter().map(|asked| asked.end);
            assert!(
                asks.iter()
                    .map(|asked| asked.start)
                    .eq(std::iter::once(first).chain(ends).take(asks.len()))
            );
            assert_eq!(app.shown().len(), 2000);
        }
    }
}

#[test]
fn reading_again_asks_again() {
    let mut app = filtered();
    play(&mut app, &[Action::NextSample]);
    assert_eq!(app.selection.selected, 3);
    play(&mut app, &[Action::Reload]);
    load(&mut app, 1, rows(20, 3));
    assert_eq!((app.shown().len(), app.selection.selected), (8, 3));
    assert!(app.page_is_current());
}

#[test]
fn lines_typed_before_come_back() {
    let mut app = loaded(WIDE, 5, 3);
    app.recall_memory(SavedState {
        histories: Histories {
            filters: History::read(["old", "newer"].into_iter()),
            ..Histories::default()
        },
        ..SavedState::default()
    });
    filter(&mut app, "");
    play(&mut app, &[Action::Filter]);
    play(&mut app, &typed("dra"));
    for (action, text) in [
        (Action::Earlier, "newer"),
        (Action::Earlier, "old"),
        (Action::Earlier, "old"),
        (Action::Later, "newer"),
        (Action::Later, "dra"),
        (Action::Later, "dra"),
    ] {
        play(&mut app, &[action]);
        assert_eq!(app.views.line().map(|line| line.text().0), Some(text));
    }
    play(
        &mut app,
        &[
            Action::Earlier,
            Action::Earlier,
            Action::Accept,
            Action::Filter,
            Action::Earlier,
        ],
    );
    // The accepted line is now the newest.
    assert_eq!(app.views.line().map(|line| line.text().0), Some("old"));
}

#[test]
fn what_is_pasted_is_typed() {
    let mut app = loaded(WIDE, 5, 3);
    update(&mut app, Message::Paste("nowhere".to_owned()));
    assert!(app.views.line().is_none());
    play(&mut app, &[Action::Filter]);
    update(&mut app, Message::Paste("helpfulness>=3\n".to_owned()));
    assert_eq!(
        app.views.line().map(|line| line.text()),
        Some(("helpfulness>=3 ", 15))
    );
    fetch(&mut app);
    assert_eq!(app.shown().len(), 2);
}

#[test]
fn a_question_mark_lists_the_fields_where_a_term_can_begin() {
    for (text, listed) in [
        ("", true),
        ("a ", true),
        ("(", true),
        ("a", false),
        ("\"what is ", false),
        ("\"a\" ", true),
    ] {
        let mut app = loaded(WIDE, 5, 3);
        play(&mut app, &[Action::Filter]);
        play(&mut app, &typed(text));
        play(&mut app, &[Action::Question]);
        assert_eq!(app.mode() == Mode::Menu, listed, "{text:?}");
        let expected = if listed {
            text.to_owned()
        } else {
            format!("{text}?")
        };
        play(&mut app, if listed { &[Action::Cancel] } else { &[] });
        assert_eq!(app.views.line_kind(), Some(LineKind::Filter));
        assert_eq!(
            app.views.line().map(|line| line.text().0.to_owned()),
            Some(expected)
        );
    }
}

#[test]
fn commands_run_and_mistakes_show_errors() {
    let mut app = filtered();
    assert_eq!(enter(&mut app, Action::Command, "q"), [Effect::Quit]);
    assert_eq!(
        enter(&mut app, Action::Command, "mouse"),
        [Effect::ToggleMouse]
    );
    assert_eq!(enter(&mut app, Action::Command, "14"), []);
    assert_eq!(app.selection.selected, 13);
    enter(&mut app, Action::Command, "help");
    assert_eq!(app.mode(), Mode::Menu);
    play(&mut app, &[Action::Back]);
    for (line, span, message) in [
        (
            "flters",
            0..6,
            "unknown command :flters; did you mean :filters?",
        ),
        ("q now", 2..5, ":q takes no arguments"),
        (
            "help filtre",
            5..11,
            "unknown guide page filtre; did you mean filter?",
        ),
        ("save", 4..4, "expected a name, e.g. :save good and short"),
        (
            "filter x",
            7..8,
            "no saved filter of this name; :filters lists them",
        ),
        ("columns helpfulness,nothing", 20..27, ""),
    ] {
        assert_eq!(enter(&mut app, Action::Command, line), []);
        assert_eq!(app.views.line_kind(), Some(LineKind::Command), "{line}");
        let error = app
            .views
            .line()
            .and_then(|line| line.error.as_ref())
            .expect(line);
        assert_eq!(error.span, span, "{line}");
        assert!(error.message.starts_with(message), "{error:?}");
        play(&mut app, &[Action::Cancel]);
    }
    assert_eq!(query_text(&app), Some("helpfulness>=3"));
}

#[test]
fn filters_are_kept_listed_applied_and_deleted() {
    let mut app = filtered();
    let schema = app.data.dataset.files()[0].schema.definition().name.clone();
    let kept = |name: &str, text: Option<&str>| Effect::KeepFilter {
        schema: schema.clone(),
        name: name.to_owned(),
        text: text.map(str::to_owned),
    };
    assert_eq!(
        enter(&mut app, Action::Command, "save good ones"),
        [kept("good ones", Some("helpfulness>=3"))]
    );
    let filters = [("bad", "helpfulness<=1"), ("good ones", "helpfulness>=3")];
    let filters = filters
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .to_vec();
    let saved = SavedFilters::from([(schema.clone(), filters.clone())]);
    update(&mut app, Message::Saved(saved, "Kept.".to_owned()));
    assert_eq!(app.notice(), Some("Kept."));
    enter(&mut app, Action::Command, "filters");
    assert_eq!(
        (app.mode(), app.mode().context()),
        (Mode::Menu, Context::Menu)
    );
    play(&mut app, &[Action::Accept]);
    assert_eq!(
        (app.mode(), query_text(&app), app.shown().len()),
        (Mode::Read, Some("helpfulness<=1"), 16)
    );
    enter(&mut app, Action::Command, "filter good ones");
    assert_eq!(query_text(&app), Some("helpfulness>=3"));
    enter(&mut app, Action::Command, "filters");
    assert_eq!(
        play(
            &mut app,
            &[Action::Delete, Action::NextSample, Action::Delete]
        ),
        []
    );
    // Any other key keeps it, even one without a meaning.
    update(&mut app, Message::Unbound("z".to_owned()));
    assert_eq!(play(&mut app, &[Action::Delete]), []);
    assert_eq!(play(&mut app, &[Action::Delete]), [kept("good ones", None)]);
    let left = SavedFilters::from([(schema, filters[..1].to_vec())]);
    update(&mut app, Message::Saved(left, "Deleted.".to_owned()));
    assert_eq!(
        app.views
            .top_menu()
            .map(|menu| (menu.lines.len(), menu.chosen)),
        Some((1, 0))
    );
    play(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn sorting_by_command_keeps_the_filter() {
    let mut app = filtered();
    enter(&mut app, Action::Command, "sort -helpfulness");
    assert_eq!(query_text(&app), Some("helpfulness>=3 sort:-helpfulness"));
    assert_eq!(app.shown().sample(0), Some(3));
    assert!(
        app.columns().is_empty(),
        "the summary shows what decides the order"
    );
    enter(&mut app, Action::Command, "columns verbosity");
    let names: Vec<_> = app
        .columns()
        .into_iter()
        .map(|column| column.name)
        .collect();
    assert_eq!(
        names,
        ["verbosity", "helpfulness"],
        "what decides the order shows"
    );
    enter(&mut app, Action::Command, "sort");
    assert_eq!(query_text(&app), Some("helpfulness>=3"));
}

#[test]
fn columns_are_chosen() {
    let mut app = loaded(WIDE, 40, 3);
    assert!(app.columns().is_empty() && app.shows_summary());
    enter(&mut app, Action::Command, "columns helpfulness, verbosity");
    let names: Vec<_> = app
        .columns()
        .into_iter()
        .map(|column| column.name)
        .collect();
    assert_eq!(names, ["helpfulness", "verbosity"]);
    assert!(!app.shows_summary());
    enter(&mut app, Action::Command, "columns");
    assert!(app.columns().is_empty());
}

#[test]
fn esc_forgets_the_order_that_was_tried() {
    let mut app = loaded(WIDE, 40, 3);
    filter(&mut app, "sort:-helpfulness");
    play(&mut app, &[Action::NextSample, Action::NextSample]);
    let before = (app.selection.position, app.selection.selected);
    play(
        &mut app,
        &[Action::Filter, Action::Edit(Edit::DeleteToStart)],
    );
    play(&mut app, &typed("sort:sample "));
    assert_eq!(
        app.selection.selected, 0,
        "a sort order shows its first samples"
    );
    play(&mut app, &[Action::Cancel]);
    assert_eq!((app.selection.position, app.selection.selected), before);
}
