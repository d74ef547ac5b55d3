//! The guide inside the program.

use super::filtering::enter;
use super::*;
use crate::guide;

fn reading(app: &App) -> Option<&'static str> {
    let guide = app
        .views
        .page_of::<GuidePage>()
        .filter(|_| is_on::<GuidePage>(app));
    guide.map(|page| page.content.0.name)
}

#[test]
fn a_page_is_chosen_among_the_keys_and_escape_goes_the_same_way_back() {
    let mut app = loaded(WIDE, 2, 3);
    play(&mut app, &[Action::Help]);
    let letters = "guide".chars();
    let letters: Vec<_> = letters
        .map(|letter| Action::Edit(Edit::Insert(letter)))
        .collect();
    play(&mut app, &letters);
    play(&mut app, &[Action::Accept]);
    assert_eq!(app.mode(), Mode::MenuSearch, "the line that lists them");
    let menu = app.views.top_menu().expect("the topics");
    let topics = menu.found().filter(|(line, _)| line.kind == "guide");
    assert_eq!(topics.count(), guide::topics().len());
    play(&mut app, &[Action::Later, Action::Later]);
    let name = |app: &App| Some(app.views.top_menu()?.chosen_line()?.text.clone());
    let chosen = name(&app).expect("a topic");
    play(&mut app, &[Action::Accept]);
    assert_eq!(reading(&app), chosen.strip_prefix("guide "));
    play(&mut app, &[Action::Cancel]);
    assert_eq!(name(&app), Some(chosen), "the page one comes from");
    play(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Menu, "the keys, with nothing typed");
    play(&mut app, &[Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
    // The help key closes a guide page over any view.
    enter(&mut app, Action::Command, "help keys");
    play(&mut app, &[Action::Help]);
    assert_eq!((app.mode(), reading(&app)), (Mode::Read, None));
}

#[test]
fn a_page_is_scrolled_and_stays_where_it_is_at_another_width() {
    let mut app = loaded((120, 30), 2, 3);
    enter(&mut app, Action::Command, "help keys");
    assert_eq!(reading(&app), Some("keys"));
    let place = |app: &App| (page(app).top, page(app).doc.lines);
    play(&mut app, &[Action::LastSample]);
    let (top, lines) = place(&app);
    assert_eq!(top, lines - 26, "the last page");
    play(
        &mut app,
        &[
            Action::FirstSample,
            Action::Scroll(Scroll::PageDown),
            Action::PreviousSample,
        ],
    );
    assert_eq!(place(&app).0, 25);
    play(&mut app, &[Action::Help]);
    enter(&mut app, Action::Command, "help limits");
    assert_eq!(place(&app).0, 0, "another page begins at its top");
    play(&mut app, &[Action::Help]);
    enter(&mut app, Action::Command, "help query");
    play(&mut app, &[Action::NextSample; 19]);
    let before = place(&app);
    update(&mut app, Message::Resize(60, 20));
    assert!(
        place(&app).0 > before.0 && place(&app).1 > before.1,
        "narrower lines are more"
    );
    update(&mut app, Message::Resize(120, 30));
    assert_eq!(place(&app).1, before.1);
}

#[test]
fn a_page_hides_the_sample_from_who_judges_blind() {
    let mut app = loaded(WIDE, 2, 3);
    fetch(&mut app);
    assert!(app.on_screen().is_some());
    enter(&mut app, Action::Command, "help blind");
    assert_eq!((reading(&app), app.on_screen()), (Some("blind"), None));
}

#[test]
fn help_completes_topics() {
    let app = loaded(WIDE, 2, 3);
    let found = app.command_completions("help fi", 7);
    let names: Vec<_> = found.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(
        (names, found.span),
        (vec!["filter", "findings", "files"], 5..7)
    );
}
