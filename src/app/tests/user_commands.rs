//! User commands: what is run, and what happens with the output.

use std::sync::Arc;

use super::filtering::{enter, typed};
use super::reviewing::{blind, reviewer};
use super::*;

fn with_command(mut app: App) -> App {
    let command = UserCommand {
        name: "words".to_owned(),
        run: vec!["wc".to_owned(), "-w".to_owned()],
        help: "count the words".to_owned(),
    };
    app.settings.help.own = vec![Arc::new(command)];
    app
}

/// Returns the command to run.
fn wanted(app: &App) -> Option<CommandRun> {
    app.needs().into_iter().find_map(|need| match need {
        Effect::RunCommand(run) => Some(run),
        _ => None,
    })
}

/// Simulates the output of the command.
fn print(app: &mut App, run: &CommandRun, text: &str) {
    let output = CommandOutput {
        text: text.to_owned(),
        ..CommandOutput::default()
    };
    update(app, Message::CommandRan(run.clone(), output));
    fetch(app);
}

fn lines(app: &App) -> Vec<String> {
    let text = &page(app).doc.text;
    let lines = text.parts(0..text.len()).filter_map(|part| match part {
        StackLine::Line(section, line, _) => {
            let pieces = section.block.pieces_over(line, &[]);
            Some(pieces.map(|(piece, _)| piece).collect::<String>())
        }
        _ => None,
    });
    lines.map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn the_output_is_a_page_that_scrolls_and_searches() {
    let mut app = with_command(reviewer(3));
    play(&mut app, &[Action::NextSample]);
    assert_eq!(enter(&mut app, Action::Command, "words"), []);
    assert!(is_on::<RecordView>(&app));
    assert_eq!(
        page(&app).doc.progress,
        "running :words \u{2026} Esc cancels it"
    );
    let run = wanted(&app).expect("a program");
    assert_eq!((run.sample, run.mask.hidden), (1, false));
    let text: String = (0..200).map(|line| format!("line {line}\n")).collect();
    print(&mut app, &run, &text);
    assert_eq!(wanted(&app), None, "it ran once");
    let shown = lines(&app);
    assert_eq!(
        shown[..2],
        [":words \u{b7} wc -w \u{b7} sample 2", "line 0"]
    );
    assert_eq!(shown.len(), 201);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("150"));
    play(&mut app, &[Action::Accept]);
    fetch(&mut app);
    assert_eq!(page(&app).at, 151);
    // Another width changes the layout without running the command again.
    update(&mut app, Message::Resize(60, 20));
    fetch(&mut app);
    assert_eq!((wanted(&app), lines(&app).len()), (None, 201));
    play(&mut app, &[Action::Back]);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn cancelled_output_is_ignored() {
    let mut app = with_command(reviewer(3));
    enter(&mut app, Action::Command, "words");
    let run = wanted(&app).expect("a program");
    play(&mut app, &[Action::Cancel]);
    assert_eq!((app.mode(), wanted(&app)), (Mode::Read, None));
    // Late output opens nothing, and is not shown for another sample.
    print(&mut app, &run, "late");
    assert_eq!(app.mode(), Mode::Read);
    play(&mut app, &[Action::NextSample]);
    enter(&mut app, Action::Command, "words");
    print(&mut app, &run, "late");
    assert!(wanted(&app).is_some_and(|run| run.sample == 1));
}

#[test]
fn what_is_hidden_is_said_to_the_program_runner() {
    let mut app = with_command(blind(3, false));
    fetch(&mut app);
    enter(&mut app, Action::Command, "words");
    let run = wanted(&app).expect("a program");
    assert!(run.mask.hidden);
    assert_eq!(Some(run.mask.order), app.page().map(|page| page.order));
}

#[test]
fn a_command_takes_no_arguments_and_is_completed() {
    let mut app = with_command(reviewer(3));
    enter(&mut app, Action::Command, "words more");
    let error = app.views.line().and_then(|line| line.error.as_ref());
    let said = error.map(|error| &*error.message);
    assert_eq!(said, Some(":words takes no arguments"));
    let found = app.command_completions("wo", 2).items;
    let found: Vec<_> = found
        .iter()
        .map(|item| (&*item.text, &*item.note))
        .collect();
    assert_eq!(found, [("words", "count the words")]);
    assert_eq!(enter(&mut app, Action::Command, "word"), []);
    let error = app.views.line().and_then(|line| line.error.as_ref());
    let said = error.map(|error| &*error.message);
    assert_eq!(said, Some("unknown command :word; did you mean :words?"));
}

#[test]
fn output_made_with_labels_is_not_shown_where_labels_are_hidden() {
    let mut app = with_command(reviewer(3));
    enter(&mut app, Action::Command, "words");
    let run = wanted(&app).expect("a program");
    print(&mut app, &run, "helpfulness 4");
    let view = app.views.page_of::<RecordView>().expect("the record view");
    let mut of = app.page_sources();
    assert!(view.content.job(&of).is_none(), "it is there");
    of.is_hidden = true;
    of.size.0 -= 1;
    assert!(
        view.content.job(&of).is_none(),
        "and is not laid out any more"
    );
    of.is_hidden = false;
    assert!(view.content.job(&of).is_some());
}
