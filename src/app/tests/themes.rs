//! Themes: the menu with its preview, and `:theme NAME`.

use super::filtering::{enter, typed};
use super::reviewing::reviewer;
use super::*;

/// The program with several themes, one of them active.
fn app() -> App {
    let mut app = reviewer(3);
    let name = |name: &str, has_both| ThemeName {
        name: name.to_owned(),
        note: String::new(),
        has_both,
    };
    app.settings.themes = ThemeChoice {
        names: vec![
            name("auto", false),
            name("gruvbox", true),
            name("plain", false),
        ],
        chosen: "auto".to_owned(),
        file: "config.toml".to_owned(),
        ..ThemeChoice::default()
    };
    app
}

fn shows(name: &str) -> Vec<Effect> {
    vec![Effect::Theme(name.to_owned())]
}

#[test]
fn the_chosen_line_shows_at_once_and_leaving_the_menu_restores() {
    let mut app = app();
    assert_eq!(
        enter(&mut app, Action::Command, "theme"),
        [],
        "it shows already"
    );
    assert_eq!(play(&mut app, &[Action::Later]), shows("gruvbox"));
    assert_eq!(play(&mut app, &[Action::Later]), shows("plain"));
    assert_eq!(play(&mut app, &[Action::Cancel]), shows("auto"));
    assert_eq!(enter(&mut app, Action::Command, "theme"), []);
    // Typed text selects a line, which is previewed; without a match the active theme is shown.
    assert_eq!(play(&mut app, &typed("uv")), shows("gruvbox"));
    assert_eq!(play(&mut app, &typed("q")), shows("auto"));
    assert_eq!(
        play(&mut app, &[Action::Edit(Edit::Backspace)]),
        shows("gruvbox")
    );
    assert_eq!(play(&mut app, &[Action::Accept]), [], "it shows already");
    assert_eq!(app.mode(), Mode::Read);
    assert_eq!(
        app.notice(),
        Some("Theme gruvbox until you quit; to keep it: theme = \"gruvbox\" in config.toml")
    );
    assert_eq!(enter(&mut app, Action::Command, "theme"), []);
    assert_eq!(app.views.top_menu().map(|menu| menu.chosen), Some(1));
}

#[test]
fn a_name_that_is_typed_is_used_or_refused() {
    for (name, error) in [
        ("gruvbox", None),
        ("gruvbox-light", None),
        ("./mine.toml", None),
        (
            "gruvbx",
            Some("unknown theme gruvbx; did you mean gruvbox?"),
        ),
        (
            "plain-dark",
            Some("unknown theme plain-dark; :theme lists them"),
        ),
    ] {
        let mut app = app();
        let effects = enter(&mut app, Action::Command, &format!("theme {name}"));
        let said = app.views.line().and_then(|line| line.error.as_ref());
        assert_eq!(said.map(|error| &*error.message), error);
        match error {
            None => assert_eq!(effects, shows(name)),
            Some(_) => assert_eq!(effects, []),
        }
    }
    // Its file may have changed.
    let mut app = app();
    assert_eq!(
        enter(&mut app, Action::Command, "theme auto"),
        shows("auto")
    );
    let completions = app.command_completions("theme gr", 8);
    let names: Vec<_> = completions
        .items
        .into_iter()
        .map(|item| item.text)
        .collect();
    assert_eq!(names, ["gruvbox", "gruvbox-dark", "gruvbox-light"]);
}

#[test]
fn a_theme_that_cannot_be_read_is_not_the_one_in_use() {
    let mut app = app();
    enter(&mut app, Action::Command, "theme gruvbox");
    enter(&mut app, Action::Command, "theme ./nope.toml");
    update(&mut app, Message::ThemeRefused("no such file".to_owned()));
    assert_eq!(app.settings.themes.chosen, "gruvbox");
    assert_eq!(app.notice(), Some("no such file"));
    assert_eq!(
        play(&mut app, &[Action::Cancel]),
        [],
        "nothing is asked for again"
    );
}

#[test]
fn without_colours_there_is_nothing_to_choose() {
    let mut app = app();
    app.settings.themes.colorless = Some("colours are off (NO_COLOR)".to_owned());
    for line in ["theme", "theme gruvbox"] {
        assert_eq!(enter(&mut app, Action::Command, line), []);
        let error = app.views.line().and_then(|line| line.error.as_ref());
        let said = error.map(|error| &*error.message);
        assert_eq!(said, Some("colours are off (NO_COLOR)"));
    }
}
