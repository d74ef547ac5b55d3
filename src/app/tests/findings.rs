//! Findings: rules open queues, the strip shows findings with the affected responses, and Esc
//! returns.

use super::filtering::enter;
use super::reviewing::{act, reviewer_of};
use super::*;
use crate::app::pages::findings::rows::{FindingsRow, FindingsRowKind};
use crate::app::{PageItem, PageMark};
use crate::journal::{Act, CheckDraw};
use crate::model::ResponseId;
use crate::model::SpotCheckVerdict::{Right, Unclear, Wrong};

/// A HelpSteer2 row with these values of helpfulness, correctness and verbosity.
fn row(prompt: &str, response: &str, [helpfulness, correctness, verbosity]: [i8; 3]) -> String {
    format!(
        "{{\"prompt\": {prompt:?}, \"response\": {response:?}, \"helpfulness\": {helpfulness}, \
         \"correctness\": {correctness}, \"coherence\": 4, \"complexity\": 2, \
         \"verbosity\": {verbosity}}}\n"
    )
}

/// Five pairs: in the first, A is helpful but wrong; in the third, A has a hidden character; in the
/// fourth, B is helpful but wrong, and A is called verbose but short.
fn rows() -> &'static [u8] {
    const FINE: [i8; 3] = [3, 3, 2];
    let pairs = [
        ("Why?", "So.", [4, 0, 2], FINE),
        ("How?", "So.", FINE, FINE),
        ("Where?", "So@.", FINE, FINE),
        ("When?", "So.", [2, 2, 4], [3, 1, 2]),
        ("Who?", "So.", FINE, FINE),
    ];
    let text: String = (pairs.iter())
        .map(|(prompt, text, one, other)| row(prompt, text, *one) + &row(prompt, "Thus.", *other))
        .collect();
    Box::leak(text.replace('@', "\u{200b}").into_boxed_str()).as_bytes()
}

fn opened(size: (u16, u16)) -> App {
    let mut app = empty(size);
    load(&mut app, 0, rows());
    play(&mut app, &[Action::Findings]);
    app
}

fn query(app: &App) -> &str {
    app.filter.active().map_or("", |one| one.text.as_str())
}

/// Returns the counted rules: name, matching samples shown, and of all.
fn counted(app: &App) -> Vec<(String, usize, usize)> {
    let rows = rows_of(app).into_iter();
    let rows = rows.filter_map(|row| Some((row.count?, row.name)));
    rows.filter(|(count, _)| count.whole > 0)
        .map(|(count, name)| (name.to_string(), count.shown, count.whole))
        .collect()
}

fn rows_of(app: &App) -> Vec<FindingsRow> {
    let page = app.views.page_of::<FindingsPage>().expect("open");
    page.content.rows(&app.page_sources())
}

fn counting(app: &App) -> Option<usize> {
    let page = app.views.page_of::<FindingsPage>().expect("open");
    page.content.counting(&app.page_sources())
}

fn chosen(app: &App) -> String {
    let open = page(app);
    rows_of(app)[open.doc.spots[open.at].y].name.to_string()
}

/// Unfolds the folded rules.
fn unfold(app: &mut App) {
    play(
        app,
        &[Action::Scroll(Scroll::Top), Action::Toggle(Toggle::Folds)],
    );
}

fn go_to(app: &mut App, name: &str) {
    play(app, &[Action::Scroll(Scroll::Top)]);
    for _ in 0..60 {
        if chosen(app) != name {
            play(app, &[Action::NextSample]);
        }
    }
    assert_eq!(chosen(app), name);
}

fn told(app: &App) -> Vec<String> {
    let told = app.visible_findings().unwrap_or_default();
    let words = |one: &ReportedFinding| format!("{} {}", one.severity.word(), one.words());
    told.iter().map(words).collect()
}

const HELPFUL: &str = "Helpfulness is 3 or 4, but correctness is 0 or 1";

#[test]
fn rules_are_counted_the_worst_first_and_lead_to_their_queues() {
    let mut app = opened(WIDE);
    assert_eq!((is_on::<FindingsPage>(&app), counting(&app)), (true, None));
    let says = |name: &str, shown, whole| (name.to_owned(), shown, whole);
    assert_eq!(
        counted(&app),
        [
            says("most suspicious first", 3, 3),
            says("at random", 5, 5),
            says("helpful-but-wrong", 2, 2),
            says("called-verbose-but-short", 1, 1),
            says("hidden-characters", 1, 1),
        ]
    );
    go_to(&mut app, "helpful-but-wrong");
    play(&mut app, &[Action::Zoom]);
    assert_eq!(query(&app), "finding:helpful-but-wrong sort:-suspicion");
    assert_eq!(
        (app.mode(), app.selection.selected, app.queue_rank()),
        (Mode::Queue, 3, Some((1, 2)))
    );
    assert_eq!(app.suspicion(), Some(10_100));
    let verbose = "likely A: Verbosity is 4, but the response has fewer than 200 characters";
    assert_eq!(
        told(&app),
        [format!("severe B: {HELPFUL}"), verbose.to_owned()]
    );
    play(&mut app, &[Action::NextSample]);
    assert_eq!(
        (app.selection.selected, app.queue_rank()),
        (0, Some((2, 2)))
    );
    assert_eq!(told(&app), [format!("severe A: {HELPFUL}")]);
    // Cancel first unzooms and clears the count.
    play(
        &mut app,
        &[
            Action::Zoom,
            Action::Cancel,
            Action::Digit(3),
            Action::Cancel,
        ],
    );
    assert_eq!(app.mode(), Mode::Queue);
    play(&mut app, &[Action::Cancel]);
    assert_eq!((is_on::<FindingsPage>(&app), query(&app)), (true, ""));
    assert_eq!(
        (chosen(&app).as_str(), app.shown().len()),
        ("helpful-but-wrong", 5)
    );
    play(&mut app, &[Action::Cancel, Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn rules_without_hits_are_folded_and_the_first_sample_shows_below() {
    let mut app = opened(WIDE);
    let shows = |app: &App, prompt: &str| {
        let doc = &page(app).doc;
        let is_prompt = |item: &PageItem| matches!(&item.what, PageMark::Words(words, _) if words.ends_with(prompt));
        doc.panes.len() == 2 && doc.items.iter().any(is_prompt)
    };
    let folds = |app: &App| -> Vec<String> {
        let rows = rows_of(app).into_iter();
        let folds = rows.filter(|row| matches!(row.kind, FindingsRowKind::Fold(_)));
        folds
            .map(|row| format!("{} {}", row.name, row.sentence))
            .collect()
    };
    // The most suspicious sample is the fourth.
    assert!(shows(&app, "user When?"));
    assert!(
        page(&app)
            .doc
            .head
            .iter()
            .any(|(words, _)| words == "3 of 5 samples")
    );
    assert!(folds(&app)[0].starts_with("▸ "), "{:?}", folds(&app));
    go_to(&mut app, "hidden-characters");
    assert!(shows(&app, "user Where?"));
    let folded = rows_of(&app).len();
    go_to(&mut app, "▸");
    play(&mut app, &[Action::Zoom]);
    assert_eq!((is_on::<FindingsPage>(&app), folds(&app).len()), (true, 2));
    assert!(folds(&app)[0].starts_with("▾ ") && folds(&app)[1].starts_with("▸ "));
    assert!(rows_of(&app).len() > folded + 10);
    play(&mut app, &[Action::Zoom]);
    assert_eq!(rows_of(&app).len(), folded);
}

#[test]
fn a_rule_that_most_samples_break_is_said_once() {
    let hidden = |at: usize| row(&format!("Why {at}?"), "So@.", [3, 3, 2]);
    let wrong = |at: usize| row(&format!("How {at}?"), "So.", [4, 0, 2]);
    let other = |at: usize| row(&format!("How {at}?"), "Thus.", [3, 3, 2]);
    let text: String = (0..9)
        .map(|at| hidden(at) + &row(&format!("Why {at}?"), "Thus.", [3, 3, 2]))
        .chain((9..12).map(|at| wrong(at) + &other(at)))
        .collect();
    let text = text.replace('@', "\u{200b}");
    let mut app = empty(WIDE);
    load(&mut app, 0, Box::leak(text.into_boxed_str()).as_bytes());
    play(&mut app, &[Action::Findings]);
    let says = |name: &str, count| (name.to_owned(), count, count);
    assert_eq!(
        counted(&app),
        [
            says("most suspicious first", 3),
            says("at random", 12),
            says("helpful-but-wrong", 3),
            says("hidden-characters", 9),
        ]
    );
    let common: Vec<_> = rows_of(&app)
        .into_iter()
        .filter(|row| row.is_common)
        .collect();
    assert_eq!(common.len(), 1);
    assert_eq!(&*common[0].name, "hidden-characters");
    // It is not shown above samples and does not count as suspicion, but its queue can be opened.
    go_to(&mut app, "hidden-characters");
    play(&mut app, &[Action::Zoom]);
    assert_eq!(app.shown().len(), 9);
    assert_eq!((told(&app).len(), app.suspicion()), (0, Some(0)));
    play(&mut app, &[Action::Cancel]);
    enter(&mut app, Action::Filter, "findings>=1");
    fetch(&mut app);
    assert_eq!(app.shown().len(), 3);
}

#[test]
fn rules_of_columns_show_while_texts_are_read_and_the_page_ends_the_same() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    update(&mut app, Message::Action(Action::Findings));
    let job = needed(&app, "findings").expect("a need");
    let told = std::cell::RefCell::new(Vec::new());
    let tell = |result| told.borrow_mut().push(Message::Apply(result));
    job.run(&|| true, &tell).into_iter().for_each(tell);
    let mut messages = told.into_inner();
    update(&mut app, messages.remove(0));
    let row = |app: &App, name: &str| {
        let mut rows = rows_of(app).into_iter();
        let row = rows.find(|row| &*row.name == name).expect("a row");
        (row.count.map(|count| count.whole), row.is_partial)
    };
    assert_eq!(counting(&app), Some(0));
    assert_eq!(needed(&app, "findings"), Some(job));
    assert_eq!(row(&app, "helpful-but-wrong"), (Some(2), false));
    assert_eq!(row(&app, "hidden-characters"), (None, false));
    assert_eq!(row(&app, "most suspicious first"), (Some(2), true));
    for message in messages {
        update(&mut app, message);
    }
    assert_eq!(counting(&app), None);
    assert_eq!(rows_of(&app), rows_of(&opened(WIDE)));
}

#[test]
fn a_queue_combines_with_the_active_filter_without_repetition() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    enter(&mut app, Action::Filter, "helpfulness=4 sort:len");
    fetch(&mut app);
    play(&mut app, &[Action::Findings]);
    let of_rule = |app: &App| {
        let all = counted(app);
        let rule = all.iter().find(|(name, ..)| name == "helpful-but-wrong");
        rule.map(|(_, shown, whole)| (*shown, *whole))
    };
    assert_eq!(of_rule(&app), Some((1, 2)));
    go_to(&mut app, "helpful-but-wrong");
    play(&mut app, &[Action::Zoom]);
    let queue = "helpfulness=4 finding:helpful-but-wrong sort:-suspicion";
    assert_eq!((query(&app), app.queue_rank()), (queue, Some((1, 1))));
    // One key opens the page from the strip, with the previous filter; likewise from a page opened
    // over the queue.
    play(&mut app, &[Action::Findings]);
    assert_eq!(
        (is_on::<FindingsPage>(&app), query(&app)),
        (true, "helpfulness=4 sort:len")
    );
    play(&mut app, &[Action::Zoom, Action::Rate, Action::Cancel]);
    assert_eq!((app.mode(), query(&app)), (Mode::Read, queue));
    play(&mut app, &[Action::Findings]);
    go_to(&mut app, "helpful-but-wrong");
    play(&mut app, &[Action::Zoom]);
    assert_eq!(query(&app), queue);
    // Another filter ends the queue: there is no page to return to.
    enter(&mut app, Action::Filter, "helpfulness=3");
    fetch(&mut app);
    assert_eq!((app.mode(), app.queue_rank()), (Mode::Queue, None));
    play(&mut app, &[Action::Cancel]);
    assert_eq!((app.mode(), query(&app)), (Mode::Read, "helpfulness=3"));
}

#[test]
fn queues_over_all_rules_and_rows_that_lead_nowhere() {
    let mut app = opened(WIDE);
    play(&mut app, &[Action::Zoom]);
    assert_eq!(query(&app), "findings>=1 sort:-suspicion");
    assert_eq!(
        (app.selection.selected, app.queue_rank()),
        (3, Some((1, 3)))
    );
    play(&mut app, &[Action::Back, Action::NextSample, Action::Zoom]);
    assert_eq!(
        (query(&app), app.queue_rank()),
        ("sort:random(1)", Some((1, 5)))
    );
    play(&mut app, &[Action::Cancel]);
    unfold(&mut app);
    for (name, says) in [
        ("winner-breaks-off", "No sample matches this."),
        (
            "uncited-quote",
            "uncited-quote does not apply here: the responses have no quotes.",
        ),
    ] {
        go_to(&mut app, name);
        play(&mut app, &[Action::Zoom]);
        assert_eq!(
            (app.notice(), is_on::<FindingsPage>(&app)),
            (Some(says), true)
        );
    }
}

#[test]
fn rules_about_labels_are_hidden_from_blind_reviewers() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    let first = |app: &mut App| {
        play(
            app,
            &[Action::Findings, Action::Cancel, Action::FirstSample],
        )
    };
    first(&mut app);
    assert_eq!(told(&app), [format!("severe A: {HELPFUL}")]);
    enter(&mut app, Action::Command, "blind");
    assert_eq!((told(&app).len(), app.suspicion()), (0, None));
    assert!(app.geometry().sentence.is_empty());
    play(&mut app, &[Action::Findings]);
    let says = |name: &str, count| (name.to_owned(), count, count);
    assert_eq!(
        counted(&app),
        [says("at random", 5), says("hidden-characters", 1)]
    );
    unfold(&mut app);
    let rows = rows_of(&app);
    let notes = rows.iter().filter(|row| row.kind == FindingsRowKind::Note);
    let notes: Vec<_> = notes.map(|row| &*row.sentence).collect();
    assert!(
        matches!(*notes, [note] if note.ends_with("hidden while you judge blind")),
        "{notes:?}"
    );
    assert!(!rows.iter().any(|row| &*row.name == "helpful-but-wrong"));
    assert!(page(&app).doc.panes.is_empty(), "no sample shows");
    go_to(&mut app, "hidden-characters");
    play(&mut app, &[Action::Zoom]);
    assert_eq!(
        (query(&app), app.selection.selected),
        ("finding:hidden-characters", 2)
    );
    assert_eq!(told(&app), ["slight A: A response has hidden characters"]);
}

#[test]
fn a_line_above_the_sample_says_what_is_suspicious_once_that_is_known() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    let prompt = app.geometry().prompt;
    assert!(app.geometry().sentence.is_empty() && app.visible_findings().is_none());
    play(&mut app, &[Action::Findings, Action::Cancel]);
    let with = app.geometry();
    assert_eq!((with.sentence.y, with.sentence.height), (prompt.y, 1));
    assert_eq!(with.prompt.y, prompt.y + 1, "the panes make room for it");
    play(&mut app, &[Action::NextSample]);
    assert!(app.geometry().sentence.is_empty(), "nothing is to be said");
    assert_eq!(app.geometry().prompt, prompt);
    play(&mut app, &[Action::PreviousSample]);
    update(&mut app, Message::Resize(80, 19));
    fetch(&mut app);
    assert!(
        app.geometry().sentence.is_empty(),
        "a low screen has no row for it"
    );
    // Of several responses, the affected ones are named, also in swapped order.
    update(&mut app, Message::Resize(80, 24));
    fetch(&mut app);
    let about = |app: &App| app.visible_findings().expect("looked")[0].responses.clone();
    assert_eq!(about(&app), [ResponseId::A]);
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
        let moves = [Action::NextSample; 30].into_iter();
        let scrolls = [
            Scroll::Bottom,
            Scroll::PageUp,
            Scroll::HalfDown,
            Scroll::HalfUp,
            Scroll::Top,
        ];
        for action in moves.chain(scrolls.map(Action::Scroll)) {
            play(&mut app, &[action]);
            let (top, at) = (page(&app).top, page(&app).doc.spots[page(&app).at].y);
            let height = usize::from(page(&app).area().height).max(1);
            assert!((top..top + height).contains(&at), "{size:?} {action:?}");
        }
        play(&mut app, &[Action::Zoom]);
        assert_eq!(app.mode(), Mode::Queue, "{size:?}");
    }
}

/// Returns how the checked samples were drawn, in order.
fn draws(app: &App) -> Vec<CheckDraw> {
    let acts = app.review.ledger.acts();
    let drawn = acts.filter_map(|record| match &record.act {
        Act::Check { drawn, .. } => Some(drawn.clone()),
        _ => None,
    });
    drawn.collect()
}

#[test]
fn what_was_judged_among_the_suspicious_comes_again_at_random() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    let mut app = reviewer_of(app);
    play(&mut app, &[Action::Findings, Action::Zoom]);
    act(&mut app, &[Action::Check(Wrong)]);
    // Opened again, a queue continues at the first unchecked sample.
    play(&mut app, &[Action::Cancel, Action::Zoom]);
    assert_eq!(app.queue_rank(), Some((2, 3)));
    act(&mut app, &[Action::Check(Wrong); 2]);
    play(
        &mut app,
        &[Action::Cancel, Action::NextSample, Action::Zoom],
    );
    assert_eq!(app.queue_rank(), Some((1, 5)));
    // All five in order, although three were judged before.
    act(&mut app, &[Action::Check(Right); 5]);
    let random: Vec<_> = (1..=5)
        .map(|rank| CheckDraw::Random {
            seed: 1,
            rank,
            of: 5,
            filter: "".into(),
        })
        .collect();
    assert_eq!(draws(&app)[3..], random);
    let notice = app.notice().unwrap_or_default();
    assert!(
        [
            "All samples of the queue are judged.",
            "Changed your check from wrong to right."
        ]
        .contains(&notice),
        "{notice}"
    );
    act(&mut app, &[Action::Check(Unclear)]);
    assert_eq!(
        app.notice(),
        Some("Changed your check from right to unclear.")
    );
}

#[test]
fn a_check_is_ignored_until_the_queue_is_found() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    let mut app = reviewer_of(app);
    play(&mut app, &[Action::Findings]);
    for action in [Action::Zoom, Action::Check(Wrong)] {
        let _ = update(&mut app, Message::Action(action));
    }
    assert_eq!(app.queue_rank(), None);
    assert_eq!(app.notice(), Some(texts::NOT_SHOWN));
    fetch(&mut app);
    assert_eq!(draws(&app), []);
    act(&mut app, &[Action::Check(Wrong)]);
    assert!(matches!(
        draws(&app)[..],
        [CheckDraw::Suspicion { rank: 1, of: 3, .. }]
    ));
}

#[test]
fn a_queue_that_begins_later_can_be_left_by_a_jump_back() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    let mut app = reviewer_of(app);
    play(&mut app, &[Action::Findings, Action::Zoom]);
    let first = app.selection.selected;
    act(&mut app, &[Action::Check(Wrong)]);
    play(&mut app, &[Action::Cancel, Action::Cancel]);
    let number = first + 1;
    play(&mut app, &[Action::Digit(number as u8), Action::LastSample]);
    assert_eq!(app.selection.selected, first);
    // It begins at the first unchecked sample.
    play(&mut app, &[Action::Findings, Action::Zoom]);
    assert_eq!(app.queue_rank(), Some((2, 3)));
    play(&mut app, &[Action::JumpBack]);
    assert_eq!(app.selection.selected, first);
}

#[test]
fn what_a_search_or_another_order_shows_is_drawn_by_hand() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    let mut app = reviewer_of(app);
    play(
        &mut app,
        &[Action::Findings, Action::NextSample, Action::Zoom],
    );
    enter(&mut app, Action::Search, "why");
    fetch(&mut app);
    assert_eq!((app.mode(), app.queue_rank()), (Mode::Queue, None));
    // The key for the next hit judges nothing here by mistake; the warning appears once.
    act(&mut app, &[Action::Check(Wrong)]);
    assert_eq!(draws(&app), []);
    let notice = app.notice().unwrap_or_default();
    assert!(notice.starts_with("Not judged"), "{notice}");
    act(&mut app, &[Action::Check(Wrong)]);
    assert_eq!(draws(&app), [CheckDraw::Chosen]);
    // A queue that was opened while blind is in file order.
    play(&mut app, &[Action::Cancel, Action::Cancel]);
    assert!(is_on::<FindingsPage>(&app));
    enter(&mut app, Action::Command, "blind");
    fetch(&mut app);
    go_to(&mut app, "hidden-characters");
    play(&mut app, &[Action::Zoom]);
    enter(&mut app, Action::Command, "blind");
    fetch(&mut app);
    assert!(!app.is_blind() && app.mode() == Mode::Queue);
    act(&mut app, &[Action::Check(Right)]);
    assert_eq!(draws(&app)[1..], [CheckDraw::Chosen]);
}

#[test]
fn a_new_max_len_reevaluates_the_active_filter() {
    let long = |end: &str| format!("{}{end}", "so ".repeat(20));
    let text = row("Why?", &long("it is"), [3; 3]) + &row("Why?", &long("it was"), [3; 3]);
    let mut app = empty(WIDE);
    load(&mut app, 0, Box::leak(text.into_boxed_str()).as_bytes());
    enter(&mut app, Action::Command, "max-len 50");
    enter(&mut app, Action::Filter, "finding:identical-when-cut");
    fetch(&mut app);
    assert_eq!(app.shown().len(), 1);
    enter(&mut app, Action::Command, "max-len 500");
    fetch(&mut app);
    assert_eq!(
        (app.shown().len(), query(&app)),
        (0, "finding:identical-when-cut")
    );
    enter(&mut app, Action::Command, "max-len 60");
    fetch(&mut app);
    assert_eq!(app.shown().len(), 1);
    enter(&mut app, Action::Command, "max-len");
    let notice = app.notice().unwrap_or_default().to_owned();
    fetch(&mut app);
    assert!(
        notice.starts_with("Dropped the filter, which is no longer valid: "),
        "{notice}"
    );
    assert_eq!((app.shown().len(), query(&app)), (1, ""));
}

#[test]
fn the_strip_has_looked_for_what_its_queue_does_not_ask_for() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    // The queue opens before the page has counted anything.
    update(&mut app, Message::Action(Action::Findings));
    update(&mut app, Message::Action(Action::NextSample));
    update(&mut app, Message::Action(Action::Zoom));
    assert_eq!(query(&app), "sort:random(1)");
    fetch(&mut app);
    assert!(app.visible_findings().is_some() && app.suspicion().is_some());
}

#[test]
fn a_queue_is_judged_by_keys_and_records_how_samples_were_drawn() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows());
    let mut app = reviewer_of(app);
    play(&mut app, &[Action::Findings, Action::Zoom]);
    assert_eq!(app.queue_rank(), Some((1, 3)));
    let suspicion = |rank| CheckDraw::Suspicion {
        rank,
        of: 3,
        filter: "findings>=1".into(),
    };
    // Skip one, and return to it at the end.
    act(&mut app, &[Action::NextSample, Action::Check(Wrong)]);
    assert_eq!(app.queue_rank(), Some((3, 3)));
    act(&mut app, &[Action::Check(Unclear)]);
    assert_eq!(
        app.notice(),
        Some("End of the queue; continuing with the skipped samples.")
    );
    assert_eq!(app.queue_rank(), Some((1, 3)));
    act(&mut app, &[Action::Check(Right)]);
    assert_eq!(app.notice(), Some("All samples of the queue are judged."));
    assert_eq!(app.queue_rank(), Some((1, 3)));
    assert_eq!(draws(&app), [suspicion(2), suspicion(3), suspicion(1)]);
    act(&mut app, &[Action::Undo]);
    assert_eq!(app.mode(), Mode::Queue);
    // Random order is recorded; after another filter, samples count as chosen.
    act(
        &mut app,
        &[
            Action::Cancel,
            Action::NextSample,
            Action::Zoom,
            Action::Check(Right),
        ],
    );
    let random = CheckDraw::Random {
        seed: 1,
        rank: 1,
        of: 5,
        filter: "".into(),
    };
    assert_eq!(draws(&app).last(), Some(&random));
    enter(&mut app, Action::Filter, "helpfulness=4");
    fetch(&mut app);
    act(&mut app, &[Action::Check(Unclear)]);
    assert_eq!(draws(&app).last(), Some(&CheckDraw::Chosen));
    play(&mut app, &[Action::DropFilter]);
    enter(&mut app, Action::Command, "blind");
    fetch(&mut app);
    let before = draws(&app).len();
    act(&mut app, &[Action::Check(Right)]);
    assert_eq!(draws(&app).len(), before, "labels are hidden");
}

#[test]
fn a_rule_that_asks_for_what_no_row_has_does_not_apply() {
    let row = |prompt: &str, votes: &str| {
        format!(
            "{{\"domain\": \"code\", \"language\": \"python\", \"context\": [{{\"role\": \"user\", \"content\": {prompt:?}}}], \
             \"response1\": \"One.\", \"response2\": \"Two.\", \"overall_preference\": 1, \"individual_preference\": {votes}}}\n"
        )
    };
    for (votes, why) in [
        ("[]", Some("the files have no annotator votes")),
        ("[{\"score\": 1}]", None),
    ] {
        let text: String = (0..3).map(|at| row(&format!("Why {at}?"), votes)).collect();
        let mut app = empty((120, 40));
        load(&mut app, 0, Box::leak(text.into_boxed_str()).as_bytes());
        play(&mut app, &[Action::Findings]);
        unfold(&mut app);
        let rows = rows_of(&app);
        let row = rows.iter().find(|row| &*row.name == "outvoted");
        let row = row.expect("a rule of the program");
        let is_other = row.kind == FindingsRowKind::Other;
        assert_eq!(is_other.then_some(&*row.sentence), why, "{row:?}");
        assert_eq!(
            row.count.map(|count| count.whole),
            why.is_none().then_some(0)
        );
    }
}

#[test]
fn what_says_the_same_as_a_judged_sample_is_passed_over_in_a_queue() {
    let pair = |prompt: &str| row(prompt, "So.", [4, 0, 2]) + &row(prompt, "Thus.", [3, 3, 2]);
    let rows: String = ["Why?", "How?", "Why?", "Who?", "How?"].map(pair).concat();
    let mut app = empty(WIDE);
    load(&mut app, 0, Box::leak(rows.into_boxed_str()).as_bytes());
    let mut app = reviewer_of(app);
    play(&mut app, &[Action::Findings, Action::Zoom]);
    let mut seen = vec![app.selection.selected];
    for _ in 0..3 {
        act(&mut app, &[Action::Check(Wrong)]);
        seen.push(app.selection.selected);
        assert!(
            app.notice().is_none_or(|notice| !notice.contains("before")),
            "{:?}",
            app.notice()
        );
    }
    seen.dedup();
    let prompts = seen.iter().map(|sample| sample % 5);
    let prompts: std::collections::BTreeSet<_> =
        prompts.map(|sample| [0, 1, 0, 3, 1][sample]).collect();
    assert_eq!((seen.len(), prompts.len()), (3, 3), "{seen:?}");
    assert_eq!(app.notice(), Some("All samples of the queue are judged."));
}

#[test]
fn progress_is_in_the_head_and_not_on_the_row_of_the_tables_heads() {
    let mut app = loaded(WIDE, 2, 3);
    update(&mut app, Message::Action(Action::Findings));
    let doc = &page(&app).doc;
    assert!(!doc.heading.is_empty() && doc.progress.is_empty());
    let head: Vec<_> = doc.head.iter().map(|(words, _)| words.as_str()).collect();
    assert_eq!(head, ["findings", "counting\u{2026}"]);
}
