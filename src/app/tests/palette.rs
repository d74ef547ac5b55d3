//! The palette: what it finds, and what a choice does.

use super::super::perform::ViewRequest;
use super::filtering::typed;
use super::reviewing::{act, reviewer};
use super::*;

/// The program with a saved filter and a user-defined key.
fn app() -> App {
    let mut app = reviewer(3);
    let key = |keys: &[&str], task, help: &str| BoundKeys {
        group: String::new(),
        context: Some(Context::Read),
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        task,
        help: help.to_owned(),
    };
    app.settings.help.keys = vec![
        key(
            &["M", "<f5>"],
            KeyTask::Action(Action::Toggle(Toggle::Markdown)),
            "Markdown styled, or plain text",
        ),
        key(&["m"], KeyTask::Action(Action::Mark), "mark the sample"),
        key(&["g d"], KeyTask::Command("2".into()), ":2"),
    ];
    app
}

/// Opens the palette, types and accepts.
fn choose(app: &mut App, text: &str) -> Vec<Effect> {
    act(app, &[Action::Palette]);
    act(app, &typed(text));
    update(app, Message::Action(Action::Accept))
}

#[test]
fn what_is_chosen_is_done() {
    let mut app = app();
    choose(&mut app, "markdown");
    assert_eq!(app.notice(), Some("Markdown styled: on"));
    choose(&mut app, ":2");
    assert_eq!((app.mode(), app.selection.selected), (Mode::Read, 1));
    let quits = choose(&mut app, ":q");
    assert_eq!(quits, [Effect::Quit]);
    choose(&mut app, ":export what");
    assert_eq!(app.views.line_kind(), Some(LineKind::Command));
    assert_eq!(app.views.line().expect("a line").text().0, "export ");
    act(&mut app, &[Action::Cancel]);
    choose(&mut app, "guide keys");
    assert_eq!(page(&app).doc.title, "guide: keys");
}

#[test]
fn a_field_is_typed_into_the_filter() {
    let mut app = app();
    choose(&mut app, "helpfulness");
    assert_eq!(app.views.line_kind(), Some(LineKind::Filter));
    assert_eq!(app.views.line().expect("a line").text().0, "helpfulness");
    act(&mut app, &typed(">=1"));
    act(&mut app, &[Action::Accept]);
    choose(&mut app, "len");
    let line = app.views.line().expect("a line").text().0;
    assert!(line.starts_with("helpfulness>=1 len"), "{line}");
}

#[test]
fn it_is_left_and_moved_about_like_a_menu() {
    let mut app = app();
    act(&mut app, &[Action::Palette]);
    let chosen = |app: &App| {
        let line = app.views.top_menu().expect("the palette").chosen_line();
        let line = line.expect("a line");
        (line.text.clone(), line.key.clone())
    };
    assert_eq!(chosen(&app), ("guide".to_owned(), String::new()));
    act(&mut app, &[Action::Later, Action::Later]);
    assert_eq!(chosen(&app), ("mark the sample".to_owned(), "m".to_owned()));
    act(
        &mut app,
        &[Action::Earlier, Action::Earlier, Action::Earlier],
    );
    let last = chosen(&app).0;
    assert!(last.starts_with("guide "), "round the ends: {last}");
    act(&mut app, &typed("zzzz"));
    act(&mut app, &[Action::Later, Action::Accept]);
    assert_eq!(app.mode(), Mode::MenuSearch, "nothing was found");
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("fewer letters"))
    );
    act(&mut app, &[Action::Edit(Edit::DeleteToStart)]);
    app.paste("mark");
    assert_eq!(chosen(&app).0, "mark the sample");
    act(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
    act(&mut app, &[Action::Palette]);
    assert_eq!(update(&mut app, Message::Action(Action::Quit)), []);
    assert_eq!(app.mode(), Mode::Read, "^c closes it");
}

#[test]
fn pages_of_a_full_menu_skip_no_line() {
    let line = |number: usize| {
        let text = format!("line {number}");
        let mut line = MenuLine::new(&text, "", ViewRequest::Notice(text.clone()));
        line.group = format!("group {}", number / 4);
        line
    };
    let lines: Vec<_> = (0..60).map(line).collect();
    let mut menu = Menu::new("keys", lines, 0, &[]).over_screen(60);
    let size = (80, 14);
    let at = |menu: &Menu| {
        let is_chosen = |row: &MenuRow<'_>| *row == MenuRow::Line(menu.chosen);
        menu.shown().iter().position(is_chosen).expect("a line")
    };
    while menu.chosen < 59 {
        let before = at(&menu);
        menu.act(Action::Scroll(Scroll::PageDown), None, size);
        assert!((1..=menu.rows(size.1)).contains(&(at(&menu) - before)));
    }
}
