//! The export menu: choices, counts in the background, and what stays hidden.

use super::filtering::enter;
use super::reviewing::{act, reviewer};
use super::*;
use crate::app::menu::MenuLine;
use crate::export::{Format, Markup, TrainingFormat, training_in_words};

fn offered(app: &App) -> Vec<(String, String)> {
    let menu = app.views.menu().expect("a menu");
    let lines = menu.lines.iter();
    lines
        .map(|line| (line.text.clone(), line.note.clone()))
        .collect()
}

#[test]
fn the_menu_offers_rows_training_formats_cards_and_the_link() {
    let mut app = reviewer(3);
    let wanted = |app: &App| needed(app, "trainer");
    update(&mut app, Message::Action(Action::Export));
    let first = wanted(&app).expect("counted by a job");
    let samples = first.key::<Arc<Vec<u32>>>().expect("samples");
    assert_eq!(**samples, [0, 1, 2]);
    let names: Vec<_> = offered(&app).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "result as jsonl",
            "result as reviewed",
            "result as csv",
            "result as md",
            "result as html",
            "result as trl",
            "result as openai",
            "result as nemo",
            "result as llama-factory",
            "result as helpsteer2",
            "sample as html",
            "sample as svg",
            "link",
        ]
    );
    assert!(
        offered(&app)
            .iter()
            .any(|(_, note)| note == "3 samples: one line per response")
    );
    // The counts are added to the open menu.
    let counted = |app: &mut App| drop(update(app, result_of(&first).expect("counts")));
    counted(&mut app);
    let mut all = TrainingFormat::ALL.into_iter();
    let trl = all.find(|format| format.name == "trl").expect("trl");
    let words = training_in_words(&app.data.dataset, samples, trl, &|| true);
    let note = format!("preference (DPO, RM): {words}");
    let of_trl = ("result as trl".to_owned(), note);
    assert!(offered(&app).contains(&of_trl));
    update(&mut app, Message::Action(Action::Cancel));
    assert_eq!(wanted(&app), None, "the job is cancelled with the menu");
    // Counts for a previous menu are ignored.
    enter(&mut app, Action::Filter, "helpfulness>=3");
    update(&mut app, Message::Action(Action::Export));
    counted(&mut app);
    assert!(!offered(&app).contains(&of_trl));
    fetch(&mut app);
    assert_eq!(wanted(&app), None, "all are there");
}

#[test]
fn methods_of_training_find_the_formats_and_the_page() {
    for (method, name) in [
        ("dpo", "result as trl"),
        ("preference", "result as trl"),
        ("rm", "result as trl"),
        ("sft", "result as helpsteer2"),
    ] {
        for (menu, first) in [(Action::Export, name), (Action::Help, "guide training")] {
            let mut app = reviewer(3);
            act(&mut app, &[menu]);
            let letters = method.chars();
            let letters: Vec<_> = letters.map(|it| Action::Edit(Edit::Insert(it))).collect();
            act(&mut app, &letters);
            let menu = app.views.top_menu().expect("a menu");
            let found: Vec<_> = menu.found().map(|(line, _)| line.clone()).collect();
            assert!(
                found.iter().any(|line| line.text == first),
                "{method}: {found:#?}"
            );
            let has_word = |text: &str| text.to_lowercase().contains(method);
            let is_short = |text: &str| text.split(' ').count() <= 3;
            let is_hit = |line: &MenuLine| {
                has_word(&line.text) || has_word(&line.note) || is_short(&line.text)
            };
            assert!(
                found.iter().all(is_hit),
                "{method}: letters far apart in {found:#?}"
            );
        }
    }
}

#[test]
fn what_is_exported_follows_from_the_word_and_the_end_of_the_name() {
    for (line, form) in [
        ("result a.jsonl", FileForm::Samples(Format::Original)),
        (
            "result a.trl.jsonl",
            FileForm::Training(TrainingFormat::named("trl").expect("a format")),
        ),
        ("sample a.html", FileForm::Samples(Format::Html)),
        ("sample a.SVG", FileForm::Picture),
    ] {
        let mut app = reviewer(3);
        let effects = enter(&mut app, Action::Command, &format!("export {line}"));
        let [Effect::Review(ReviewEffect::Export(export))] = &effects[..] else {
            panic!("{line}: {effects:?}");
        };
        assert_eq!(export.form, form, "{line}");
        let is_waited_for = app.review.exporting().is_some();
        assert_eq!(is_waited_for, form != FileForm::Picture, "{line}");
    }
    for (line, says) in [
        (
            "result a.svg",
            "the name must end in .jsonl, .reviewed.jsonl, .csv, .md, .html",
        ),
        ("report a.csv", "the name must end in .html, .md"),
        ("report a.html", "nothing to export: report is empty"),
        ("all a.csv", "use result, marks, audit, sample or report"),
    ] {
        let mut app = reviewer(3);
        enter(&mut app, Action::Command, &format!("export {line}"));
        let error = app.views.line().and_then(|line| line.error.clone());
        assert!(
            error
                .as_ref()
                .is_some_and(|it| it.to_string().contains(says)),
            "{line}: {error:?}"
        );
    }
}

#[test]
fn a_report_is_offered_once_something_was_judged() {
    let mut app = reviewer(3);
    act(&mut app, &[Action::Mark]);
    act(&mut app, &[Action::Export]);
    let offers = |app: &App, name: &str| offered(app).iter().any(|(it, _)| it == name);
    assert!(offers(&app, "report as html") && offers(&app, "report as md"));
    act(&mut app, &[Action::Cancel]);
    let effects = enter(&mut app, Action::Command, "export report a.html");
    let [Effect::Review(ReviewEffect::Export(export))] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(export.form, FileForm::Report(Markup::Html));
}

#[test]
fn nothing_is_exported_or_counted_while_labels_are_hidden() {
    let mut app = reviewer(3);
    enter(&mut app, Action::Command, "blind");
    assert!(app.is_blind());
    let effects = update(&mut app, Message::Action(Action::Export));
    assert!(
        effects.is_empty() && app.views.menu().is_none(),
        "{effects:?}"
    );
    for line in [
        "sample a.html",
        "sample a.svg",
        "report a.html",
        "result a.trl.jsonl",
    ] {
        let effects = enter(&mut app, Action::Command, &format!("export {line}"));
        assert!(effects.is_empty(), "{line}: {effects:?}");
        let error = app.views.line().and_then(|line| line.error.clone());
        assert!(
            error.is_some_and(|it| it.to_string().contains("Labels are hidden")),
            "{line}"
        );
        act(&mut app, &[Action::Cancel]);
    }
}
