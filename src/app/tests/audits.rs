//! Audits are resumed by the same command, from the list of all audits, and by other reviewers.

use super::filtering::typed;
use super::reviewing::{act, digits, reviewer, work, write};
use super::*;
use crate::app::reviewing::DataCheck;

/// Returns the texts of a menu's lines.
pub(super) fn lines(app: &App) -> Vec<&str> {
    app.views
        .top_menu()
        .map(|menu| menu.lines.iter().map(|line| &*line.text).collect())
        .unwrap_or_default()
}

fn sessions(app: &App) -> usize {
    app.review.ledger.sessions().count()
}

/// Returns the program for another reviewer on the same data and journal.
pub(super) fn handed_to(name: &str, app: &App) -> App {
    let acts: Vec<_> = app.review.ledger.acts().cloned().collect();
    let mut other = loaded(WIDE, app.data.dataset.samples(), 3);
    other.introduce(name, None, PendingOpening::default());
    for news in [ReviewEvent::Acts(acts), ReviewEvent::Read] {
        let effects = update(&mut other, Message::Review(news));
        work(&mut other, effects);
        fetch(&mut other);
        let needs = other.needs();
        work(&mut other, needs);
    }
    other
}

#[test]
fn the_command_of_a_finished_audit_opens_it_and_draws_none() {
    let mut app = reviewer(8);
    for words in ["audit 2 seed=1", "audit 2"] {
        write(&mut app, Action::Command, words);
        if words.ends_with("seed=1") {
            digits(&mut app, "11111111112222222222");
        }
        assert!(
            app.running()
                .is_some_and(|running| running.progress.is_finished()),
            "{words}"
        );
        assert!(
            app.notice()
                .is_some_and(|notice| notice.contains("done: Enter shows")),
            "{:?}",
            app.notice()
        );
        assert_eq!((sessions(&app), app.mode()), (1, Mode::Read), "{words}");
        write(&mut app, Action::Command, "audit off");
    }
    // The same command resumes an unfinished audit.
    write(&mut app, Action::Command, "audit 3 seed=9");
    digits(&mut app, "1111111111");
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit 3 seed=9");
    assert_eq!(
        (
            sessions(&app),
            app.running().map(RunningAudit::settled_of_all)
        ),
        (2, Some((1, 3)))
    );
}

#[test]
fn an_audit_waits_for_rows_and_for_the_filter_and_for_no_search() {
    // Typed before anything is answered.
    let ahead = |app: &mut App, open: Action, text: &str| -> Vec<Effect> {
        let keys = [vec![open], typed(text), vec![Action::Accept]].concat();
        let effects = keys
            .into_iter()
            .map(|key| update(app, Message::Action(key)));
        effects.collect::<Vec<_>>().concat()
    };
    let refused = |app: &App| {
        let error = app
            .views
            .line()
            .and_then(|line| line.error.as_ref())
            .map(ToString::to_string);
        error.unwrap_or_default()
    };
    let mut app = empty(WIDE);
    app.introduce("ann", None, PendingOpening::default());
    assert_eq!(ahead(&mut app, Action::Command, "audit 2 seed=1"), []);
    assert!(refused(&app).contains("still loading"), "{}", refused(&app));

    let mut app = reviewer(8);
    ahead(&mut app, Action::Filter, "helpfulness>=3");
    ahead(&mut app, Action::Command, "audit 2 seed=1");
    assert!(
        refused(&app).contains("the filter is still"),
        "{}",
        refused(&app)
    );
    fetch(&mut app);
    let effects = update(&mut app, Message::Action(Action::Accept));
    work(&mut app, effects);
    assert_eq!(
        app.running().map(|running| running.session.audit.of),
        Some(3)
    );

    let mut app = reviewer(8);
    ahead(&mut app, Action::Search, "line");
    assert!(needed(&app, "search").is_some());
    let effects = ahead(&mut app, Action::Command, "audit 2 seed=1");
    // Not a count: in an audit, a digit is a value.
    update(&mut app, Message::Action(Action::Digit(3)));
    work(&mut app, effects);
    assert_eq!((app.mode(), app.status.count), (Mode::Rate, None));
    assert_eq!(
        (app.shown().len(), app.search.sought().is_none()),
        (2, true)
    );
}

#[test]
fn without_a_number_an_audit_asks() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit");
    assert_eq!((lines(&app)[0], sessions(&app)), ("draw 20 blind", 0));
    act(&mut app, &[Action::Cancel]);
    assert_eq!((app.mode(), sessions(&app)), (Mode::Read, 0));
    // Other arguments are kept; the number is asked for.
    write(&mut app, Action::Command, "audit seed=4 blind");
    assert_eq!(
        lines(&app),
        ["draw 20 blind", "draw 30 blind", "draw …"],
        "at most all of them"
    );
    act(&mut app, &[Action::Accept]);
    let running = app.running().expect("an audit");
    assert_eq!(
        (
            running.session.audit.n,
            running.session.audit.seed,
            running.session.audit.blind
        ),
        (20, 4, true)
    );
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit");
    assert!(lines(&app)[0].contains("  ann  "), "{:?}", lines(&app));
    assert_eq!(lines(&app)[1], "draw 20 blind");
    act(&mut app, &[Action::LastSample, Action::Accept]);
    assert_eq!(
        app.views.line().map(|line| line.text().0.to_owned()),
        Some("audit ".to_owned())
    );
    act(&mut app, &typed("3"));
    act(&mut app, &[Action::Accept]);
    assert_eq!((app.shown().len(), sessions(&app)), (3, 2));
    // Also from the command line.
    let mut app = loaded(WIDE, 8, 3);
    app.introduce(
        "ann",
        None,
        PendingOpening {
            filter: None,
            audit: Some(String::new()),
        },
    );
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    let needs = app.needs();
    work(&mut app, needs);
    assert_eq!((app.mode(), sessions(&app)), (Mode::Menu, 0));
}

#[test]
fn an_audit_begins_after_the_input_line_is_closed() {
    let mut app = reviewer(30);
    act(&mut app, &[Action::Command]);
    act(&mut app, &typed("audit 3 seed=1"));
    let mut effects = update(&mut app, Message::Action(Action::Accept));
    let (Some(Effect::Job(draw)), 0) = (effects.pop(), effects.len()) else {
        panic!("nothing is drawn");
    };
    fetch(&mut app);
    act(&mut app, &[Action::NextSample]);
    let is_open = |app: &App| (app.selection.selected, app.running().is_some());
    assert_eq!(
        (is_open(&app), app.review.is_sampling()),
        ((1, false), true)
    );
    assert!(!app.review.is_settled(), "a printed frame waits for it");
    write(&mut app, Action::Command, "audit 4");
    let error = app.views.line().and_then(|line| line.error.as_ref());
    assert!(
        error.is_some_and(|error| error.message.contains("already")),
        "{error:?}"
    );
    act(&mut app, &[Action::Cancel]);
    // A result for a previous generation of the samples is ignored.
    let take = |app: &mut App| update(app, result_of(&draw).expect("an audit"));
    app.data.generation += 1;
    take(&mut app);
    assert!(app.review.is_sampling());
    app.data.generation -= 1;
    // It arrives while the user types.
    act(&mut app, &[Action::Filter]);
    let after = take(&mut app);
    work(&mut app, after);
    assert_eq!((sessions(&app), is_open(&app)), (1, (1, false)));
    act(&mut app, &typed("x"));
    assert_eq!((app.review.is_sampling(), is_open(&app).1), (false, false));
    act(&mut app, &[Action::Cancel]);
    assert!(is_open(&app).1);
}

#[test]
fn a_resumed_audit_waits_until_the_input_line_is_closed() {
    let mut app = reviewer(30);
    write(&mut app, Action::Command, "audit 3 seed=1");
    write(&mut app, Action::Command, "audit off");
    act(&mut app, &[Action::Command]);
    act(&mut app, &typed("audit 3 seed=1"));
    let mut effects = update(&mut app, Message::Action(Action::Accept));
    let (Some(Effect::Job(check)), 0) = (effects.pop(), effects.len()) else {
        panic!("nothing is looked up");
    };
    assert!(check.key::<DataCheck>().is_some() && app.review.is_sampling());
    act(&mut app, &[Action::Filter]);
    assert_eq!(update(&mut app, result_of(&check).expect("checked")), []);
    act(&mut app, &typed("x"));
    assert!(app.running().is_none() && !app.review.is_sampling());
    act(&mut app, &[Action::Cancel]);
    assert!(app.running().is_some());
    assert_eq!(sessions(&app), 1);
}

#[test]
fn samples_that_are_others_meanwhile_end_the_drawing() {
    let mut app = reviewer(30);
    act(&mut app, &[Action::Command]);
    act(&mut app, &typed("audit 3"));
    update(&mut app, Message::Action(Action::Accept));
    act(&mut app, &[Action::Reload]);
    load(&mut app, 1, rows(20, 3));
    assert!(!app.review.is_sampling());
    let notice = app.notice().unwrap_or_default();
    assert!(notice.contains("no audit was drawn"), "{notice}");
}

#[test]
fn a_second_reviewer_joins_the_audit_that_is_there() {
    let mut ann = reviewer(30);
    write(&mut ann, Action::Command, "audit 4 seed=5 blind");
    let queue: Vec<_> = ann.shown().samples(0..9).collect();
    let swaps = |app: &mut App| {
        (0..4)
            .map(|at| (app.select(at), !app.mask().order.is_of_file()).1)
            .collect::<Vec<_>>()
    };
    let swapped = swaps(&mut ann);
    ann.select(0);
    digits(&mut ann, "1111111111");
    act(&mut ann, &[Action::Answer(RatingAction::GoOn)]);
    let mut bob = handed_to("bob", &ann);
    assert_eq!(
        bob.notice(),
        Some("ann drew 4 blind; :audit joins."),
        "shown at the start"
    );
    write(&mut bob, Action::Command, "audit 4 seed=5 blind");
    assert_eq!(lines(&bob)[1..], ["draw 4 blind", "draw …"]);
    act(&mut bob, &[Action::Accept]);
    assert_eq!(
        (
            sessions(&bob),
            bob.shown().samples(0..9).collect::<Vec<_>>()
        ),
        (1, queue)
    );
    assert_eq!(swaps(&mut bob), swapped, "the coin is the audit's");
    bob.select(0);
    assert_eq!(
        bob.running().map(RunningAudit::settled_of_all),
        Some((0, 4)),
        "what ann judged is hers"
    );
    assert!(bob.mask().hidden);
    digits(&mut bob, "2222222222");
    assert_eq!(
        bob.running().map(RunningAudit::settled_of_all),
        Some((1, 4))
    );
    // A joined audit is not undone.
    let mut ann = handed_to("ann", &bob);
    for _ in 0..40 {
        act(&mut ann, &[Action::Undo]);
    }
    assert_eq!(sessions(&ann), 1, "{:?}", ann.notice());
    // It resumes without another question.
    let mut bob = handed_to("bob", &ann);
    assert_eq!(
        bob.notice(),
        Some("Unfinished audit at 1/4; :audit resumes it.")
    );
    write(&mut bob, Action::Command, "audit 4 seed=5 blind");
    assert_eq!(
        bob.running().map(RunningAudit::settled_of_all),
        Some((1, 4))
    );
}

#[test]
fn a_blind_reviewer_does_not_see_the_progress_of_others() {
    let mut ann = reviewer(30);
    write(&mut ann, Action::Command, "audit 4 seed=5 blind");
    digits(&mut ann, "1111111111");
    let mut bob = handed_to("bob", &ann);
    let notes = |app: &App| -> Vec<String> {
        app.views
            .top_menu()
            .map(|menu| menu.lines.iter().map(|line| line.note.clone()).collect())
            .unwrap_or_default()
    };
    write(&mut bob, Action::Command, "audits");
    assert_eq!(notes(&bob), ["4 of 30 blind, seed 5; ann 1/4"]);
    act(&mut bob, &[Action::Cancel]);
    write(&mut bob, Action::Command, "blind");
    write(&mut bob, Action::Command, "audit 4 seed=5 blind");
    assert_eq!(notes(&bob)[0], "4 of 30 blind, seed 5; you 0/4");
    act(&mut bob, &[Action::Cancel]);
    for words in ["audit", "audits"] {
        write(&mut bob, Action::Command, words);
        assert_eq!(notes(&bob)[0], "4 of 30 blind, seed 5; you 0/4");
        act(&mut bob, &[Action::Cancel]);
    }
    // Also during the audit.
    write(&mut bob, Action::Command, "audit 4 seed=5 blind");
    act(&mut bob, &[Action::Accept]);
    digits(&mut bob, "2222222222");
    write(&mut bob, Action::Command, "audits");
    assert_eq!(notes(&bob), ["4 of 30 blind, seed 5; you 1/4"]);
}

#[test]
fn who_does_not_join_draws_their_own() {
    let mut ann = reviewer(30);
    write(&mut ann, Action::Command, "audit 4 blind");
    let queue: Vec<_> = ann.shown().samples(0..9).collect();
    let mut bob = handed_to("bob", &ann);
    write(&mut bob, Action::Command, "audit 4 blind");
    act(&mut bob, &[Action::NextSample, Action::Accept]);
    let own = &bob.running().expect("an audit").session.audit;
    assert_eq!((sessions(&bob), own.seed, own.blind), (2, 1, true));
    assert_ne!(
        bob.shown().samples(0..9).collect::<Vec<_>>(),
        queue,
        "others are drawn"
    );
    // Without a number, and in the list, another reviewer's audit is one of the lines.
    let mut eve = handed_to("eve", &ann);
    write(&mut eve, Action::Command, "audit");
    assert!(lines(&eve)[0].contains("  ann  "), "{:?}", lines(&eve));
    act(&mut eve, &[Action::Cancel]);
    write(&mut eve, Action::Command, "audits");
    let note = eve
        .views
        .top_menu()
        .map(|menu| menu.lines[0].note.clone())
        .unwrap_or_default();
    assert_eq!(note, "4 of 30 blind, seed 0; ann 0/4");
    act(&mut eve, &[Action::Accept]);
    assert_eq!(eve.shown().samples(0..9).collect::<Vec<_>>(), queue);
    // Switch from one audit to another.
    write(&mut bob, Action::Command, "audits");
    assert_eq!(lines(&bob).len(), 2);
    act(&mut bob, &[Action::LastSample, Action::Accept]);
    assert_eq!(bob.shown().samples(0..9).collect::<Vec<_>>(), queue);
    let mut newcomer = reviewer(3);
    write(&mut newcomer, Action::Command, "audits");
    assert!(
        newcomer
            .views
            .line()
            .and_then(|line| line.error.as_ref())
            .is_some_and(|error| error.message.contains("no audit"))
    );
}

/// The data of an audit with more or fewer rows, for the same reviewer.
fn with_more_rows(app: &App, samples: usize) -> App {
    let acts: Vec<_> = app.review.ledger.acts().cloned().collect();
    let mut other = loaded(WIDE, samples, 3);
    other.introduce(app.review.reviewer(), None, PendingOpening::default());
    for news in [ReviewEvent::Acts(acts), ReviewEvent::Read] {
        let effects = update(&mut other, Message::Review(news));
        work(&mut other, effects);
        let needs = other.needs();
        work(&mut other, needs);
    }
    other
}

#[test]
fn an_audit_of_other_data_goes_on_only_after_a_question() {
    let mut ann = reviewer(8);
    write(&mut ann, Action::Command, "audit 4 seed=3");
    digits(&mut ann, "1111111111");
    let progress = |app: &App| app.running().map(RunningAudit::settled_of_all);
    let asked = |app: &App| {
        app.views
            .top_menu()
            .map(|menu| (menu.title.clone(), menu.lines[0].note.clone()))
    };
    let question = Some((
        "drawn from 8 samples, there are 9 now: continue it?".to_owned(),
        "4 of 8, seed 3; you 1/4".to_owned(),
    ));
    // By the same command, from the question which audit, and from the list of all.
    for (words, keys) in [
        ("audit 4 seed=3", &[][..]),
        ("audit", &[Action::Accept][..]),
        ("audits", &[Action::Accept][..]),
    ] {
        let mut app = with_more_rows(&ann, 9);
        write(&mut app, Action::Command, words);
        act(&mut app, keys);
        assert_eq!(
            (asked(&app), progress(&app)),
            (question.clone(), None),
            "{words}"
        );
        act(&mut app, &[Action::Accept]);
        assert_eq!(
            (progress(&app), app.mode()),
            (Some((1, 4)), Mode::Rate),
            "{words}"
        );
    }
    // Or samples are drawn from the current data; from then on the command refers to that audit.
    let mut app = with_more_rows(&ann, 9);
    write(&mut app, Action::Command, "audit 4 seed=3");
    assert_eq!(lines(&app)[1..], ["draw 4"]);
    act(&mut app, &[Action::NextSample, Action::Accept]);
    assert_eq!((progress(&app), sessions(&app)), (Some((0, 4)), 2));
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit 4 seed=3");
    assert_eq!((asked(&app), progress(&app)), (None, Some((0, 4))));
    // For unchanged data there is no question.
    let mut app = with_more_rows(&ann, 8);
    write(&mut app, Action::Command, "audit 4 seed=3");
    assert_eq!((asked(&app), progress(&app)), (None, Some((1, 4))));
}

#[test]
fn samples_that_are_missing_settle_nothing_and_reveal_nothing() {
    let mut ann = reviewer(8);
    let audit = "audit 6 seed=3 blind reveal=end";
    write(&mut ann, Action::Command, audit);
    digits(&mut ann, &"1".repeat(40));
    write(&mut ann, Action::Command, "audit off");
    // Half of the samples are there: at most four of the six.
    let mut app = with_more_rows(&ann, 4);
    write(&mut app, Action::Command, audit);
    act(&mut app, &[Action::Accept]);
    let progress = |app: &App| app.running().expect("an audit").progress.clone();
    let left = progress(&app).left();
    digits(&mut app, &"2".repeat(10 * left));
    let now = progress(&app);
    let (judged, missing) = (6 - now.gone(), now.gone());
    assert!(missing > 1 && judged > 1, "{now}");
    assert_eq!(
        now.to_string(),
        format!("{judged}/6, {missing} not in this file")
    );
    assert!(!now.is_finished() && !now.is_settled() && now.left() == 0);
    assert_eq!(
        app.notice(),
        Some(&*format!(
            "Nothing left to judge here: {now}. :audit off leaves the audit."
        ))
    );
    for _ in 0..judged {
        assert!(app.mask().hidden && !app.is_seen());
        act(&mut app, &[Action::NextSample]);
    }
    write(&mut app, Action::Command, "audit off");
    let waits = format!("Unfinished audit at {now}; :audit resumes it.");
    assert_eq!(app.waiting_words(), Some(waits));
    // Its samples were never revealed, so they are blind in the next audit.
    let mut app = with_more_rows(&app, 4);
    let shown = app.selection.selected;
    write(&mut app, Action::Command, "audit 4 seed=9 blind");
    for _ in 0..4 {
        let is_seen = app.is_seen();
        assert!(!is_seen || app.selection.selected == shown);
        digits(&mut app, &"1".repeat(10));
        act(&mut app, &[Action::Answer(RatingAction::GoOn)]);
    }
}

/// Starts the program as `visavis audit WORDS` does, with its first frames.
fn begun_with(words: &str) -> App {
    let mut app = empty(WIDE);
    app.introduce(
        "ann",
        None,
        PendingOpening {
            filter: None,
            audit: Some(words.to_owned()),
        },
    );
    load(&mut app, 0, rows(30, 3));
    assert!(
        app.mask().hidden && app.columns().is_empty(),
        "{words}: until it is decided"
    );
    let drawn = app.on_screen();
    assert_eq!(update(&mut app, Message::Drawn(drawn)), []);
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    let needs = app.needs();
    work(&mut app, needs);
    fetch(&mut app);
    app
}

#[test]
fn labels_stay_hidden_until_it_is_decided_which_audit_is_judged() {
    let masked = |app: &App| {
        let page = app.page().expect("a page");
        page.outcome.is_none()
            && page.places.is_empty()
            && app.columns().is_empty()
            && app.mask().hidden
    };
    let mut app = begun_with("");
    assert!(app.mode() == Mode::Menu && masked(&app) && app.mask().order.is_of_file());
    assert!(!app.is_seen());
    act(&mut app, &[Action::Accept]);
    let running = app.running().expect("an audit");
    assert!(running.session.audit.blind && masked(&app));
    app.select(0);
    fetch(&mut app);
    digits(&mut app, "1111111111");
    let said = app
        .review
        .remark(app.selection.selected)
        .expect("a judgment");
    assert!(said.ratings[0].setting.blind && !said.ratings[0].setting.seen);
    // A user who cancels the question, or the line for it, sees everything.
    for keys in [
        &[Action::Cancel][..],
        &[Action::LastSample, Action::Accept, Action::Cancel][..],
    ] {
        let mut app = begun_with("");
        act(&mut app, keys);
        assert!(app.mode() == Mode::Read && !masked(&app) && !app.is_blind());
    }
    // Commands other than audits also settle it; an invalid command does not.
    let mut app = begun_with("");
    act(&mut app, &[Action::LastSample, Action::Accept]);
    act(&mut app, &typed("x"));
    act(&mut app, &[Action::Accept]);
    assert!(
        app.views
            .line()
            .and_then(|line| line.error.as_ref())
            .is_some()
            && masked(&app)
    );
    act(&mut app, &[Action::Cancel]);
    assert!(!masked(&app));
    // With all arguments it starts at once, with visible labels by default.
    let app = begun_with("3");
    assert!(app.running().is_some() && !app.is_blind() && !masked(&app));
}

#[test]
fn returning_to_skipped_samples_shows_a_notice() {
    let mut app = reviewer(8);
    write(&mut app, Action::Command, "audit 4 seed=3");
    act(&mut app, &[Action::NextSample, Action::NextSample]);
    digits(&mut app, "1111111111");
    assert_eq!(
        (app.selection.position, app.notice()),
        (3, None),
        "forward nothing needs to be said"
    );
    digits(&mut app, "1111111111");
    assert_eq!(
        (app.selection.position, app.notice()),
        (0, Some("2 of 4 samples not judged yet; back at 1/4."))
    );
    digits(&mut app, "1111111111");
    act(&mut app, &[Action::Answer(RatingAction::Defer)]);
    assert_eq!(
        (app.selection.position, app.notice()),
        (1, Some("1 of 4 samples not judged yet; back at 2/4.")),
        "put off, and the last"
    );
}

#[test]
fn enter_after_the_last_judgment_shows_the_result_and_other_keys_leave_the_audit() {
    let mut app = reviewer(8);
    write(&mut app, Action::Command, "audit 2 seed=1");
    digits(&mut app, "11111111112222222222");
    assert!(
        app.running()
            .is_some_and(|running| running.progress.is_finished())
    );
    act(&mut app, &[Action::NextPane]);
    app.focus_on(Pane::Left);
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit 2 seed=2");
    digits(&mut app, "11111111112222222222");
    let at = app.selection.position;
    for key in [Action::Zoom, Action::Agreement] {
        act(&mut app, &[key]);
        assert!(is_on::<AgreementScreen>(&app));
        act(&mut app, &[Action::Back]);
        assert!(!app.layout.zoomed && app.selection.position == at && app.mode() == Mode::Read);
    }
    // In the panes, the key zooms again.
    act(
        &mut app,
        &[Action::PreviousSample, Action::Zoom, Action::Zoom],
    );
    // What is about all samples leaves the audit.
    for action in [Action::Filter, Action::Statistics, Action::DropFilter] {
        assert!(app.running().is_some());
        act(&mut app, &[action, Action::Cancel]);
        assert!(app.running().is_none(), "{action:?}");
        write(&mut app, Action::Command, "audit 2 seed=2");
    }
    write(&mut app, Action::Command, "sort turns");
    assert!(app.running().is_none());
    assert_eq!(app.filter.text().as_deref(), Some("sort:turns"));
}

#[test]
fn under_a_default_name_an_audit_asks_once_who_judges() {
    let mut root = handed_to("root", &reviewer(8));
    write(&mut root, Action::Command, "audit 4 seed=3");
    digits(&mut root, "1111111111");
    let unnamed = || {
        let mut app = handed_to("root", &root);
        app.review.asks_name = true;
        app
    };
    let asked = |app: &App| {
        let is_asked = app.views.line_kind() == Some(LineKind::Reviewer);
        app.notice().filter(|_| is_asked).map(str::to_owned)
    };
    let progress = |app: &App| app.running().map(RunningAudit::settled_of_all);
    let question = Some("Who is judging? root 1/4, or a new name".to_owned());
    // A new name is another reviewer, who is asked whether to join.
    let mut app = unnamed();
    write(&mut app, Action::Command, "audit 4 seed=3");
    assert_eq!((asked(&app), progress(&app)), (question.clone(), None));
    act(&mut app, &typed(" ben "));
    act(&mut app, &[Action::Accept, Action::Accept]);
    assert_eq!(
        (app.review.reviewer(), progress(&app)),
        ("ben", Some((0, 4)))
    );
    digits(&mut app, "1111111111");
    assert_eq!(progress(&app), Some((1, 4)));
    let judges: Vec<_> = app.review.ledger.acts().map(|act| &*act.reviewer).collect();
    assert_eq!(judges.iter().filter(|name| **name == "ben").count(), 10);
    write(&mut app, Action::Command, "audit off");
    write(&mut app, Action::Command, "audit 2 seed=5");
    assert_eq!(
        (asked(&app), progress(&app)),
        (None, Some((0, 2))),
        "asked once"
    );
    // Both are offered to the next one.
    let mut next = handed_to("root", &app);
    next.review.asks_name = true;
    write(&mut next, Action::Command, "audit");
    assert_eq!(
        asked(&next).as_deref(),
        Some("Who is judging? root 1/4, ben 0/2, or a new name")
    );
    act(
        &mut next,
        &[Action::Edit(Edit::Insert('b')), Action::Complete],
    );
    act(&mut next, &[Action::Accept]);
    assert_eq!(next.review.reviewer(), "ben");
    assert!(lines(&next)[0].contains("  ben  "), "{:?}", lines(&next));
    // Enter alone takes the default; Escape begins nothing, and the question comes again.
    for words in ["audit 4 seed=3", "audits"] {
        let mut app = unnamed();
        write(&mut app, Action::Command, words);
        assert_eq!(asked(&app), question, "{words}");
        act(&mut app, &[Action::Cancel]);
        assert_eq!((app.mode(), progress(&app)), (Mode::Read, None), "{words}");
        write(&mut app, Action::Command, words);
        assert_eq!(asked(&app), question, "{words}");
        act(&mut app, &[Action::Accept]);
        if words == "audits" {
            act(&mut app, &[Action::Accept]);
        }
        let begun = (app.review.reviewer(), progress(&app), app.mode());
        assert_eq!(begun, ("root", Some((1, 4)), Mode::Rate), "{words}");
    }
    let mut app = unnamed();
    write(&mut app, Action::Command, "adjudicate ann ben");
    assert_eq!(asked(&app), question);
    act(&mut app, &[Action::Accept]);
    let notice = app.notice().unwrap_or_default();
    assert!(notice.contains("unknown reviewer ann"), "{notice}");
}

#[test]
fn an_audit_of_the_command_line_waits_for_the_name_with_hidden_labels() {
    for answer in [Some(""), Some("ben"), None] {
        let mut app = empty(WIDE);
        app.review.asks_name = true;
        app.introduce(
            "root",
            None,
            PendingOpening {
                filter: Some("len>0".to_owned()),
                audit: Some("2 seed=1".to_owned()),
            },
        );
        load(&mut app, 0, rows(30, 3));
        let effects = update(&mut app, Message::Review(ReviewEvent::Read));
        work(&mut app, effects);
        for _ in 0..3 {
            let needs = app.needs();
            work(&mut app, needs);
            fetch(&mut app);
        }
        assert_eq!(app.mode(), Mode::Line, "{answer:?}");
        assert!(app.mask().hidden && app.review.is_settled());
        match answer {
            Some(name) => {
                act(&mut app, &typed(name));
                act(&mut app, &[Action::Accept]);
            }
            None => act(&mut app, &[Action::Cancel]),
        }
        for _ in 0..3 {
            let needs = app.needs();
            work(&mut app, needs);
            fetch(&mut app);
        }
        let drawn: Vec<_> = app
            .review
            .ledger
            .sessions()
            .map(|it| &*it.reviewer)
            .collect();
        let expected = answer.map(|name| if name.is_empty() { "root" } else { name });
        assert_eq!(drawn, Vec::from_iter(expected), "{answer:?}");
        assert!(!app.mask().hidden, "{answer:?}");
        assert!(app.review.is_settled(), "{answer:?}");
    }
}
