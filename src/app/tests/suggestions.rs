//! Automatic suggestions of the filter line, and the keys that clear a search and a filter.

use super::filtering::typed;
use super::reviewing::{act, blind};
use super::*;

fn text(app: &App) -> Option<&str> {
    app.filter.active().map(|one| one.text.as_str())
}

fn filter(app: &mut App, text: &str) {
    act(app, &[Action::Filter, Action::Edit(Edit::DeleteToStart)]);
    act(app, &typed(text));
    act(app, &[Action::Accept]);
}

fn offered(app: &App) -> Vec<&str> {
    let list = app.views.line().and_then(|line| line.suggestions.as_ref());
    let items = list.map(|list| &*list.items).unwrap_or_default();
    items.iter().map(|item| item.text.as_str()).collect()
}

#[test]
fn examples_fit_the_data_and_reveal_nothing_hidden() {
    let app = loaded(WIDE, 3, 3);
    assert_eq!(
        app.filter_examples(),
        ["helpfulness>=3", "gap.helpfulness>=2", "prompt:python"]
    );
    let app = blind(3, true);
    let examples = app.filter_examples();
    assert!(examples.len() > 1, "{examples:?}");
    assert!(!examples.concat().contains("helpfulness"), "{examples:?}");
}

/// Returns the numbers of samples that the suggestions match, as far as they are counted.
fn counts(app: &App) -> Vec<Option<usize>> {
    let line = app.views.line().expect("a line");
    let counted = |at| line.count(at).filter(|count| count.is_final);
    (0..offered(app).len())
        .map(|at| counted(at).map(|count| count.samples))
        .collect()
}

#[test]
fn a_filter_is_offered_with_its_readings_and_their_counts() {
    // Row N has the helpfulness of N modulo 5, for both responses.
    let mut app = loaded(WIDE, 9, 3);
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed("HELPFULNESS>=3"));
    let readings = [
        "HELPFULNESS>=3",
        "both.helpfulness>=3",
        "winner.helpfulness>=3",
        "loser.helpfulness>=3",
        "gap.helpfulness>=3",
    ];
    assert_eq!(offered(&app), readings);
    fetch(&mut app);
    let all = [Some(4), Some(4), Some(0), Some(0), Some(0)];
    assert_eq!(counts(&app), all);
    // The completion key takes the next one, and Enter applies it.
    act(&mut app, &[Action::Complete]);
    assert_eq!(text(&app), Some("both.helpfulness>=3"));
    fetch(&mut app);
    assert_eq!(
        (offered(&app), counts(&app)),
        (readings.to_vec(), all.to_vec())
    );
    act(&mut app, &[Action::CompleteBack]);
    assert_eq!(text(&app), Some("HELPFULNESS>=3"), "as typed");
    act(&mut app, &[Action::Complete, Action::Cancel]);
    assert_eq!(
        app.views.line().map(|line| line.text().0),
        Some("HELPFULNESS>=3")
    );
    act(&mut app, &[Action::Complete, Action::Accept]);
    assert_eq!(
        (app.mode(), text(&app)),
        (Mode::Read, Some("both.helpfulness>=3"))
    );
    // A mistake is offered with its cure.
    act(
        &mut app,
        &[Action::Filter, Action::Edit(Edit::DeleteToStart)],
    );
    act(&mut app, &typed("helpfullness>=3"));
    assert_eq!(
        offered(&app)[..2],
        ["helpfulness>=3", "both.helpfulness>=3"]
    );
    act(&mut app, &[Action::Complete, Action::Accept]);
    assert_eq!(
        (app.mode(), text(&app)),
        (Mode::Read, Some("helpfulness>=3"))
    );
    // An empty line offers the last filters, then examples.
    act(
        &mut app,
        &[Action::Filter, Action::Edit(Edit::DeleteToStart)],
    );
    assert_eq!(
        offered(&app),
        [
            "helpfulness>=3",
            "both.helpfulness>=3",
            "gap.helpfulness>=2",
            "prompt:python"
        ]
    );
    // Readings that reveal hidden labels are left out.
    let mut app = blind(9, true);
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed("len>5"));
    assert_eq!(offered(&app), ["len>5", "both.len.response>5"]);
    act(&mut app, &[Action::Edit(Edit::DeleteToStart)]);
    act(&mut app, &typed("line"));
    let all = offered(&app);
    let has = |view: &str| all.iter().any(|it| it.starts_with(view));
    assert!(has("lines") && !has("winner.") && !has("gap."), "{all:?}");
    // Also before a half-typed word, which is counted as a text.
    for text in ["best:a t", "row=1 winner.len>3 li"] {
        act(&mut app, &[Action::Edit(Edit::DeleteToStart)]);
        act(&mut app, &typed(text));
        fetch(&mut app);
        let error = app.views.line().and_then(|line| line.error.as_ref());
        let told = error.map(|error| error.message.as_str());
        assert!(told.is_some_and(|told| told.contains("hidden")), "{text}");
        assert!(counts(&app).iter().all(Option::is_none), "{text}");
    }
    // A single reading gives way to the values of the field.
    let mut app = loaded(WIDE, 9, 3);
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed("file=r"));
    assert_eq!(offered(&app), ["rows"]);
    act(&mut app, &[Action::Complete]);
    assert_eq!(text(&app), Some("file=rows"));
}

#[test]
fn readings_count_each_side() {
    let mut app = uneven_pairs();
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed("helpfulness>=3"));
    fetch(&mut app);
    // A or B, A and B, the winner (the second pair is a tie), the loser, a gap of 3 or 4.
    assert_eq!(counts(&app), [4, 2, 3, 1, 2].map(Some));
    act(&mut app, &typed(" helpfulness<=3"));
    fetch(&mut app);
    assert_eq!(offered(&app)[0], "helpfulness>=3 helpfulness<=3");
    // One response with 3, both with 3, the winner with 3, then the query without each term.
    assert_eq!(counts(&app), [2, 1, 0, 5, 4].map(Some));
}

#[test]
fn suggestions_open_at_once_and_steal_no_key() {
    let mut app = loaded(WIDE, 9, 3);
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed("helpfu"));
    assert_eq!(
        offered(&app),
        [
            "helpfulness",
            "gap.helpfulness",
            "winner.helpfulness",
            "\"helpfu\""
        ]
    );
    // Enter keeps the line unchanged.
    act(&mut app, &[Action::Accept]);
    assert_eq!((app.mode(), text(&app)), (Mode::Read, Some("helpfu")));
    // Esc cancels the line at once, and the arrows recall earlier lines.
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed(" verb"));
    assert!(!offered(&app).is_empty());
    act(&mut app, &[Action::Cancel]);
    assert_eq!((app.mode(), text(&app)), (Mode::Read, Some("helpfu")));
    act(
        &mut app,
        &[Action::Filter, Action::Edit(Edit::DeleteToStart)],
    );
    act(&mut app, &typed("helpfuln"));
    act(&mut app, &[Action::Earlier]);
    assert_eq!(app.views.line().map(|line| line.text().0), Some("helpfu"));
    // Tab takes one; from then on it is an ordinary list.
    act(&mut app, &[Action::Edit(Edit::DeleteToStart)]);
    act(&mut app, &typed("helpf"));
    act(&mut app, &[Action::Complete]);
    let line = app.views.line().map(|line| line.text().0);
    assert_eq!(line, Some("helpfulness"));
    act(&mut app, &[Action::Cancel]);
    assert_eq!(app.views.line().map(|line| line.text().0), Some("helpf"));
    // A search text has no other readings.
    act(&mut app, &[Action::Edit(Edit::DeleteToStart)]);
    act(&mut app, &typed("words"));
    assert_eq!(offered(&app), ["words"]);
}

/// The list would cover the error.
#[test]
fn no_suggestions_after_an_error() {
    for (line, offers) in [
        ("helpfulness not in (0,4)", false),
        ("helpfulness not in (0,4) ver", false),
        ("foo>=2 ver", false),
        ("helpfulness>=2 ver", true),
        ("helpfulness>=2 and ", true),
    ] {
        let mut app = loaded(WIDE, 9, 3);
        act(&mut app, &[Action::Filter]);
        act(&mut app, &typed(line));
        assert_eq!(!offered(&app).is_empty(), offers, "{line}");
        // A requested list opens.
        act(&mut app, &[Action::Complete]);
        assert!(!offered(&app).is_empty(), "{line}");
    }
}

#[test]
fn impossible_terms_are_reported_in_the_line() {
    let mut app = loaded(WIDE, 9, 3);
    act(&mut app, &[Action::Filter]);
    act(&mut app, &typed("HELPFULNESS>=9"));
    let line = app.views.line().expect("a line");
    assert!(line.error.is_none());
    let told = "helpfulness>=9 matches nothing: values are 0 to 4";
    assert_eq!(line.filter.warning.as_deref(), Some(told));
    act(&mut app, &[Action::Edit(Edit::Backspace)]);
    act(&mut app, &typed("3"));
    assert_eq!(
        app.views
            .line()
            .and_then(|line| line.filter.warning.as_deref()),
        None
    );
    act(&mut app, &[Action::Accept]);
    assert_eq!(text(&app), Some("HELPFULNESS>=3"), "as typed");
}

#[test]
fn what_not_means_is_said_once() {
    let mut app = loaded(WIDE, 9, 3);
    filter(&mut app, "not helpfulness>=3");
    assert_eq!(
        app.notice(),
        Some("At least one response fails this; to require all: not any.helpfulness>=3")
    );
    filter(&mut app, "not helpfulness>=2");
    assert_eq!(app.notice(), None);
}

#[test]
fn another_order_leaves_the_filter_as_typed() {
    let mut app = loaded(WIDE, 9, 3);
    filter(&mut app, "HELPFULNESS >= 1  python");
    act(
        &mut app,
        &[Action::Sort, Action::NextSample, Action::Accept],
    );
    let sorted = text(&app).expect("a filter").to_owned();
    assert!(
        sorted.starts_with("HELPFULNESS >= 1  python sort:-"),
        "{sorted}"
    );
    act(
        &mut app,
        &[Action::Sort, Action::FirstSample, Action::Accept],
    );
    assert_eq!(text(&app), Some("HELPFULNESS >= 1  python"));
}

#[test]
fn escape_drops_the_search_and_asks_before_it_drops_the_filter() {
    let mut app = loaded(WIDE, 9, 3);
    let keys = [
        (Context::Read, "<f6>", Action::Cancel),
        (Context::Read, "<f7>", Action::Filter),
        (Context::Line, "<f8>", Action::Earlier),
    ];
    let bound = keys.map(|(context, key, action)| BoundKeys {
        group: String::new(),
        context: Some(context),
        keys: vec![key.to_owned()],
        task: KeyTask::Action(action),
        help: String::new(),
    });
    app.settings.help.keys = bound.to_vec();
    filter(&mut app, "helpfulness>=1 sort:-turns");
    act(&mut app, &[Action::Search]);
    act(&mut app, &typed("words"));
    act(&mut app, &[Action::Accept, Action::Cancel]);
    assert!(app.search.sought().is_none());
    let asks = "Press <f6> again to drop the filter helpfulness>=1 sort:-turns.";
    assert_eq!(app.notice(), Some(&*format!("Dropped the search. {asks}")));
    // Any other key keeps it.
    act(&mut app, &[Action::NextSample, Action::Cancel]);
    assert_eq!(app.notice(), Some(asks));
    assert_eq!(text(&app), Some("helpfulness>=1 sort:-turns"));
    act(&mut app, &[Action::Cancel]);
    assert_eq!(text(&app), Some("sort:-turns"), "the order stays");
    assert_eq!(
        app.notice(),
        Some("Dropped the filter helpfulness>=1 sort:-turns. Press <f7> <f8> to restore it.")
    );
    act(&mut app, &[Action::Filter, Action::Earlier]);
    assert_eq!(
        app.views.line().map(|line| line.text().0),
        Some("helpfulness>=1 sort:-turns")
    );
    act(&mut app, &[Action::Accept, Action::DropFilter]);
    assert_eq!(text(&app), Some("sort:-turns"), "at once");
    act(&mut app, &[Action::DropFilter]);
    assert!(
        app.notice()
            .is_some_and(|words| words.contains("only a sort order"))
    );
}

#[test]
fn commands_are_offered_at_once_and_an_error_is_not_hidden() {
    let mut app = loaded(WIDE, 9, 3);
    act(&mut app, &[Action::Command]);
    assert!(offered(&app).contains(&"audit"), "{:?}", offered(&app));
    act(&mut app, &typed("audi"));
    assert_eq!(offered(&app), ["audit", "audits"]);
    // Enter runs what was typed; the error takes the place of the list until the next letter.
    act(&mut app, &[Action::Accept]);
    let line = app.views.line().expect("a line");
    assert!(line.error.is_some() && line.suggestions.is_none());
    act(&mut app, &typed("t"));
    assert_eq!(offered(&app), ["audit", "audits"]);
}
