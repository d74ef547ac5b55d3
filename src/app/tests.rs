//! Tests of the state: each case plays actions on a small dataset and checks the result.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

mod auditing;
mod audits;
mod checking;
mod difference;
mod exporting;
mod filtering;
mod findings;
mod following;
mod guide;
mod joined;
mod jumping;
mod notes;
mod palette;
mod panel;
mod rationales;
mod record;
mod responses;
mod revealing;
mod reviewers;
mod reviewing;
mod searching;
mod session;
mod statistics;
mod suggestions;
mod themes;
mod turns;
mod unbound_keys;
mod user_commands;
mod word_diff;

use super::reviewing::AgreementScreen;
use super::reviewing::RunningAudit;
use super::*;
use crate::dataset::{Buffers, LoadEvent, Loader};
use crate::schema::SchemaChoice;
use crate::source::Input;
use crate::text::{Hidden, TextGlyphs};

/// Rows 1 to `pairs`, two for each pair, whose responses have `lines` and twice as many lines.
fn rows(pairs: usize, lines: usize) -> &'static [u8] {
    let row = |number: usize, lines: usize| {
        let response = "words of a line\\n".repeat(lines);
        format!(
            "{{\"prompt\": \"sample {number}\", \"response\": \"{response}\", \"helpfulness\": {}}}\n",
            number % 5
        )
    };
    let text: String = (1..=pairs)
        .map(|number| row(number, lines) + &row(number, 2 * lines))
        .collect();
    Box::leak(text.into_boxed_str()).as_bytes()
}

fn reports(bytes: &'static [u8]) -> Vec<LoadEvent> {
    reports_as(bytes, SchemaChoice::default())
}

fn reports_as(bytes: &'static [u8], choice: SchemaChoice) -> Vec<LoadEvent> {
    reports_with(&Loader {
        inputs: vec![Input::Embedded {
            name: "rows",
            bytes,
        }],
        choice,
        ..Loader::default()
    })
}

/// Returns all events of a loader.
fn reports_with(loader: &Loader) -> Vec<LoadEvent> {
    let mut told = Vec::new();
    let mut listener = |report| {
        told.push(report);
        ControlFlow::Continue(())
    };
    loader.run(&mut listener).expect("loaded");
    told
}

fn empty(size: (u16, u16)) -> App {
    let view = ViewOptions {
        markdown: false,
        hidden: Hidden::Discreet,
        unfolded: false,
        locked: true,
        stacked: false,
        glyphs: TextGlyphs::UNICODE,
    };
    let mut app = App::new(
        size,
        view,
        Help {
            own: Vec::new(),
            keys: vec![BoundKeys {
                group: String::new(),
                context: Some(Context::Read),
                keys: vec!["?".to_owned()],
                task: KeyTask::Action(Action::Help),
                help: String::new(),
            }],
            signs: Vec::new(),
        },
    );
    app.set_recorder(reviewing::TestRecorder::default());
    app
}

fn page(app: &App) -> &PageView<dyn PageContent> {
    app.views.page().expect("a page")
}

/// True if the page with this content has the keys.
fn is_on<C: PageContent>(app: &App) -> bool {
    let is_top = matches!(app.views.top(), Some(View::Page(_)));
    is_top
        && app
            .views
            .pages()
            .next()
            .is_some_and(|page| (page as &dyn std::any::Any).is::<PageView<C>>())
}

/// Reads what the screen needs and draws it. Returns the number of pages read.
fn fetch(app: &mut App) -> usize {
    let pages = read(app);
    let drawn = app.on_screen();
    let effects = update(app, Message::Drawn(drawn));
    update(app, Message::CaughtUp(drawn));
    if !effects.is_empty() {
        reviewing::work(app, effects);
    }
    pages
}

/// Performs effects without threads and files, in the same rounds as the program.
struct TestPerformer<'a> {
    app: &'a mut App,
    /// Number of pages read.
    pages: usize,
}

impl Performer for TestPerformer<'_> {
    fn app(&self) -> &App {
        self.app
    }

    fn is_at_work(&self, need: &Effect) -> bool {
        // User commands are not run.
        matches!(need, Effect::RunCommand(_))
    }

    fn perform(&mut self, need: Effect) -> ControlFlow<()> {
        match need {
            // Follow-up effects are performed in the same round.
            Effect::Review(_) => reviewing::work(self.app, vec![need]),
            Effect::Job(job) if job.kind == QueryKind::Search.name() => {
                let asked = self.app.search_job();
                searching::answer(self.app, &asked.expect("a search"));
            }
            Effect::Job(job) => {
                self.pages += usize::from(job.kind == "reader");
                for result in results_of(&job) {
                    let effects = update(self.app, result);
                    reviewing::work(self.app, effects);
                }
            }
            other => panic!("{other:?}"),
        }
        ControlFlow::Continue(())
    }
}

/// Runs a job to its end and returns all its results.
fn results_of(job: &Job) -> Vec<Message> {
    let parts = std::cell::RefCell::new(Vec::new());
    let last = job.run(&|| true, &|part| parts.borrow_mut().push(part));
    let parts = parts.into_inner().into_iter().chain(last);
    parts.map(Message::Apply).collect()
}

/// Runs a job to its end.
fn result_of(job: &Job) -> Option<Message> {
    job.run(&|| true, &|_| ()).map(Message::Apply)
}

/// Returns the job of a kind that the screen needs.
fn needed(app: &App, kind: &str) -> Option<Job> {
    app.needs().into_iter().find_map(|need| match need {
        Effect::Job(job) if job.kind == kind => Some(job),
        _ => None,
    })
}

/// Reads what the screen needs, without drawing. Returns the number of pages read.
fn read(app: &mut App) -> usize {
    let mut performer = TestPerformer { app, pages: 0 };
    super::fetch(&mut performer);
    performer.pages
}

fn load(app: &mut App, generation: u64, bytes: &'static [u8]) {
    for report in reports(bytes) {
        update(app, Message::Loaded(generation, report));
    }
    fetch(app);
}

fn loaded(size: (u16, u16), pairs: usize, lines: usize) -> App {
    let mut app = empty(size);
    load(&mut app, 0, rows(pairs, lines));
    app
}

/// Returns samples whose helpfulness is 4 of A and 1 of B, then 3 and 3, 0 and 4, 2 and 0, 4 and 3.
fn uneven_pairs() -> App {
    let pairs = [(4, 1), (3, 3), (0, 4), (2, 0), (4, 3)];
    let rows = pairs.iter().enumerate().flat_map(|(at, (a, b))| {
        [a, b].map(|label| {
            format!("{{\"prompt\": \"{at}\", \"response\": \"x\", \"helpfulness\": {label}}}\n")
        })
    });
    let mut app = empty(WIDE);
    load(&mut app, 0, rows.collect::<String>().leak().as_bytes());
    fetch(&mut app);
    app
}

fn play(app: &mut App, actions: &[Action]) -> Vec<Effect> {
    let mut effects = Vec::new();
    for &action in actions {
        effects.extend(update(app, Message::Action(action)));
        fetch(app);
    }
    effects
}

const WIDE: (u16, u16) = (120, 30);

#[test]
fn building_a_page_can_be_cancelled_at_any_point() {
    let texts = [
        ("words", "one two three.\\n".repeat(4000), true),
        ("a line", "word ".repeat(20_000), true),
        (
            "code",
            format!("```\\n{}```", "let x = 1;\\n".repeat(4000)),
            true,
        ),
        (
            "a table",
            format!("|a|b|\\n|-|-|\\n{}", "|one|two words|\\n".repeat(2000)),
            true,
        ),
        ("beyond ASCII", "é\\u200b漢字 ".repeat(20_000), true),
        ("as written", "**one** two\\n".repeat(4000), false),
    ];
    for (name, text, markdown) in texts {
        let row = format!("{{\"prompt\": \"p\", \"response\": \"{text}\", \"helpfulness\": 1}}\n");
        let mut app = empty(WIDE);
        load(&mut app, 0, Box::leak(row.into_boxed_str()).as_bytes());
        let mut key = app.page_key();
        key.layout.markdown = markdown;
        let asked = AtomicUsize::new(0);
        let up_to = |most: usize| {
            asked.store(0, Relaxed);
            Page::build_while(&app.data.dataset, key.clone(), &|| {
                asked.fetch_add(1, Relaxed) < most
            })
        };
        assert!(up_to(usize::MAX).is_some(), "{name}");
        let all = asked.load(Relaxed);
        assert!(all >= 6, "{name}: it is looked only {all} times");
        for most in (0..20).map(|part| part * all / 20) {
            assert!(
                up_to(most).is_none(),
                "{name}: given up at the {most}th of {all} looks"
            );
            // Each text of the page may check once more, and must do nothing else.
            assert!(
                asked.load(Relaxed) <= most + 10,
                "{name}: {} looks, and {most} were enough",
                asked.load(Relaxed)
            );
        }
    }
}

#[test]
fn a_huge_text_is_laid_out_in_part_with_a_remark() {
    let response = "words of a line\\n".repeat(9_000_000 / 16);
    let row = format!("{{\"prompt\": \"p\", \"response\": \"{response}\", \"helpfulness\": 1}}\n");
    let mut app = empty(WIDE);
    load(&mut app, 0, Box::leak(row.into_boxed_str()).as_bytes());
    let page = app.page().expect("a page");
    let stack = &page.sides[0].text;
    assert_eq!(
        stack.len(),
        (8 << 20) / 16 + 1 + 1 + 2,
        "8 MiB of lines, the end of the last one, a gap, and the remark"
    );
    let last = stack.parts(stack.len() - 1..stack.len()).next();
    let Some(StackLine::Line(section, ..)) = last else {
        panic!("{last:?} is no line")
    };
    let expected =
        "The other 612 kB of this text are not shown; :export result FILE.jsonl writes all of it.";
    assert_eq!(section.block.text(), expected);
}

#[test]
fn moving_and_counting() {
    use Action::{Digit, FirstSample, LastSample, NextSample, PreviousSample};
    for (actions, selected) in [
        (&[NextSample][..], 1),
        (&[Digit(1), Digit(0), NextSample], 10),
        (&[Digit(0), NextSample], 1),
        (&[Digit(9), Digit(9), Digit(9), NextSample], 39),
        (&[LastSample, PreviousSample], 38),
        (&[Digit(7), LastSample], 6),
        (&[Digit(7), FirstSample], 6),
        (&[Digit(5), Action::Cancel, NextSample], 1),
        (&[LastSample, FirstSample], 0),
        (&[PreviousSample], 0),
    ] {
        let mut app = loaded(WIDE, 40, 3);
        play(&mut app, actions);
        assert_eq!(app.selection.selected, selected, "{actions:?}");
        assert!(app.page_is_current(), "{actions:?}");
        assert_eq!(app.status.count, None);
    }
}

#[test]
fn ten_queued_keys_read_one_sample() {
    let mut app = loaded(WIDE, 40, 3);
    for _ in 0..10 {
        update(&mut app, Message::Action(Action::NextSample));
    }
    assert_eq!(fetch(&mut app), 1);
    assert_eq!(app.selection.selected, 10);
}

#[test]
fn pages_of_other_samples_are_ignored() {
    let mut app = loaded(WIDE, 40, 3);
    update(&mut app, Message::Action(Action::NextSample));
    let late = needed(&app, "reader").expect("a page to read");
    play(&mut app, &[Action::NextSample]);
    update(&mut app, result_of(&late).expect("a page"));
    assert_eq!(app.page().expect("a page").key.sample, 2);
}

#[test]
fn the_focus_goes_round_and_leaves_out_what_is_not_there() {
    let mut app = loaded(WIDE, 2, 3);
    let mut seen = vec![app.layout.focus];
    for _ in 0..4 {
        play(&mut app, &[Action::NextPane]);
        seen.push(app.layout.focus);
    }
    assert_eq!(
        seen,
        [
            Pane::Left,
            Pane::Right,
            Pane::List,
            Pane::Prompt,
            Pane::Left
        ]
    );
    play(&mut app, &[Action::PreviousPane]);
    assert_eq!(app.layout.focus, Pane::Prompt);

    let mut single = empty(WIDE);
    load(
        &mut single,
        0,
        b"{\"prompt\": \"p\", \"response\": \"r\", \"helpfulness\": 1}\n",
    );
    play(&mut single, &[Action::NextPane]);
    assert_eq!(single.layout.focus, Pane::List);
}

#[test]
fn back_goes_one_level_then_quits_and_cancel_never_quits() {
    let mut app = loaded(WIDE, 2, 3);
    play(&mut app, &[Action::Zoom]);
    assert!(app.layout.zoomed);
    assert_eq!(play(&mut app, &[Action::Back]), []);
    assert!(!app.layout.zoomed);
    play(&mut app, &[Action::Help]);
    assert_eq!(play(&mut app, &[Action::Back]), []);
    assert_eq!(app.mode(), Mode::Read);
    assert_eq!(play(&mut app, &[Action::Cancel, Action::Cancel]), []);
    assert_eq!(play(&mut app, &[Action::Back]), [Effect::Quit]);
    play(&mut app, &[Action::Help]);
    assert_eq!(play(&mut app, &[Action::Quit]), []);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn enter_in_the_list_goes_on_to_the_response() {
    let mut app = loaded(WIDE, 2, 3);
    play(
        &mut app,
        &[Action::NextPane, Action::NextPane, Action::Zoom],
    );
    assert_eq!((app.layout.focus, app.layout.zoomed), (Pane::Left, false));
}

#[test]
fn locked_panes_begin_and_end_together() {
    // A has 60 lines and B 120.
    let mut app = loaded(WIDE, 1, 60);
    let most = [Pane::Left, Pane::Right].map(|pane| app.most_scroll(pane));
    assert!(most[0] > 10 && most[1] > most[0]);
    play(&mut app, &[Action::Scroll(Scroll::Bottom)]);
    assert_eq!(
        [Pane::Left, Pane::Right].map(|pane| app.scrolled(pane)),
        most
    );
    play(&mut app, &[Action::Scroll(Scroll::Top)]);
    assert_eq!(
        [Pane::Left, Pane::Right].map(|pane| app.scrolled(pane)),
        [0, 0]
    );
    play(
        &mut app,
        &[
            Action::Toggle(Toggle::Lock),
            Action::Scroll(Scroll::PageDown),
        ],
    );
    assert!(app.scrolled(Pane::Left) > 0);
    assert_eq!(app.scrolled(Pane::Right), 0);
}

#[test]
fn of_locked_panes_no_line_is_passed_over() {
    for (focus, scroll) in [
        (1, Scroll::PageDown),
        (2, Scroll::PageDown),
        (1, Scroll::HalfDown),
        (1, Scroll::LineDown),
    ] {
        // A has 60 lines and B 120, regardless of the focus.
        let mut app = loaded(WIDE, 1, 60);
        play(&mut app, &vec![Action::NextPane; focus - 1]);
        let mut before = [0, 0];
        while app.scrolled(Pane::Right) < app.most_scroll(Pane::Right) {
            play(&mut app, &[Action::Scroll(scroll)]);
            let now = [Pane::Left, Pane::Right].map(|pane| app.scrolled(pane));
            for (side, pane) in [Pane::Left, Pane::Right].into_iter().enumerate() {
                assert!(
                    now[side] - before[side] <= app.text_height(pane),
                    "{scroll:?}: {before:?} to {now:?}"
                );
            }
            assert_ne!(now, before);
            before = now;
        }
        assert_eq!(app.scrolled(Pane::Left), app.most_scroll(Pane::Left));
    }
}

#[test]
fn reading_again_waits_for_the_first_reading() {
    let mut app = empty(WIDE);
    let mut told = reports(rows(40, 3));
    told.pop();
    for report in told {
        update(&mut app, Message::Loaded(0, report));
    }
    assert_eq!(play(&mut app, &[Action::Reload]), []);
    assert!(
        app.notice()
            .is_some_and(|notice| notice.starts_with("Still reading"))
    );
    update(&mut app, Message::Loaded(0, LoadEvent::Done));
    assert_eq!(
        play(&mut app, &[Action::Reload]).pop(),
        Some(Effect::Load(1))
    );
    assert_eq!(play(&mut app, &[Action::Reload]), []);
}

#[test]
fn a_key_without_a_meaning_says_so() {
    let mut app = loaded(WIDE, 5, 3);
    update(
        &mut app,
        Message::Unbound("z does nothing here.".to_owned()),
    );
    assert_eq!(app.notice(), Some("z does nothing here."));
    // Any key ends a count.
    play(&mut app, &[Action::Digit(2)]);
    update(
        &mut app,
        Message::Unbound("z does nothing here.".to_owned()),
    );
    play(&mut app, &[Action::NextSample]);
    assert_eq!(app.selection.position, 1);
}

#[test]
fn scrolling_stops_at_the_last_line() {
    let mut app = loaded(WIDE, 1, 60);
    let most = app.most_scroll(Pane::Left);
    for scroll in [Scroll::PageDown, Scroll::HalfDown, Scroll::LineDown] {
        for _ in 0..200 {
            update(&mut app, Message::Action(Action::Scroll(scroll)));
        }
        assert_eq!(app.scrolled(Pane::Left), most, "{scroll:?}");
        play(&mut app, &[Action::Scroll(Scroll::Top)]);
    }
}

/// Returns how often Space must be pressed until another sample is selected.
fn presses_to_the_next(app: &mut App) -> usize {
    let before = app.selection.position;
    let press = |_: &usize| {
        play(app, &[Action::Scroll(Scroll::PageDown)]);
        app.selection.position == before
    };
    1 + (0..1000).take_while(press).count()
}

#[test]
fn space_reads_on_and_b_goes_back() {
    let mut app = loaded(WIDE, 3, 60);
    let height = app.text_height(Pane::Right);
    let lines = app.open.lines(Pane::Right);
    let pages = (lines - height).div_ceil(height - 2);
    assert_eq!(presses_to_the_next(&mut app), pages + 1);
    assert_eq!(app.scrolled(Pane::Right), 0);
    play(&mut app, &[Action::Scroll(Scroll::PageUp)]);
    assert_eq!(app.selection.position, 0);
    assert_eq!(app.scrolled(Pane::Right), lines - height);
    // One response at a time: A, B, and then the next sample.
    let mut app = loaded((60, 20), 3, 60);
    let mut seen = vec![app.layout.focus];
    while app.selection.position == 0 {
        play(&mut app, &[Action::Scroll(Scroll::PageDown)]);
        seen.push(app.layout.focus);
    }
    seen.dedup();
    assert_eq!(seen, [Pane::Left, Pane::Right, Pane::Left]);
    play(&mut app, &[Action::Scroll(Scroll::PageUp)]);
    assert_eq!((app.selection.position, app.layout.focus), (0, Pane::Right));
    assert_eq!(app.scrolled(Pane::Right), app.most_scroll(Pane::Right));
}

/// `VISAVIS_READ=train.jsonl cargo test --lib presses_to_read -- --ignored --nocapture`
#[test]
#[ignore = "reads the file that VISAVIS_READ names"]
fn presses_to_read_twenty_samples() {
    let path = std::env::var_os("VISAVIS_READ").expect("VISAVIS_READ names a file");
    let bytes = std::fs::read(path).expect("read");
    let few: Vec<_> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take(60)
        .collect();
    let rows: &'static [u8] = Box::leak(few.concat().into_boxed_slice());
    for (size, most) in [((160, 48), 42), ((118, 32), 80), ((80, 24), 115)] {
        let mut app = empty(size);
        load(&mut app, 0, rows);
        play(&mut app, &[Action::Toggle(Toggle::Markdown)]);
        let presses: usize = (0..20).map(|_| presses_to_the_next(&mut app)).sum();
        let height = app.text_height(Pane::Left);
        println!("{size:?}: {presses} presses, {height} rows of text");
        assert!(presses <= most, "{size:?}");
    }
}

#[test]
fn a_new_width_keeps_the_words_at_the_top() {
    let mut app = loaded(WIDE, 1, 60);
    play(
        &mut app,
        &[
            Action::Digit(2),
            Action::Digit(5),
            Action::Scroll(Scroll::LineDown),
        ],
    );
    let top = |app: &App| {
        let stack = app
            .page()
            .and_then(|page| page.stack(Pane::Left))
            .expect("a stack");
        stack.anchor(app.scrolled(Pane::Left)).expect("a place")
    };
    let before = top(&app);
    for size in [(60, 30), (200, 40), WIDE] {
        update(&mut app, Message::Resize(size.0, size.1));
        fetch(&mut app);
        assert_eq!(top(&app), before, "{size:?}");
    }
}

#[test]
fn reading_again_keeps_the_place() {
    let mut app = loaded(WIDE, 40, 3);
    play(&mut app, &[Action::Digit(9), Action::LastSample]);
    assert_eq!(
        play(&mut app, &[Action::Reload]).pop(),
        Some(Effect::Load(1))
    );
    // The old rows stay until new ones arrive; late events of the old generation are ignored.
    assert_eq!(app.data.dataset.samples(), 40);
    update(&mut app, Message::Loaded(0, LoadEvent::Done));
    assert_ne!(app.data.loading, Loading::Done);
    load(&mut app, 1, rows(20, 3));
    assert_eq!(
        (app.data.dataset.samples(), app.selection.selected),
        (20, 8)
    );
    assert!(app.page_is_current());
    play(&mut app, &[Action::Reload]);
    load(&mut app, 2, rows(4, 3));
    assert_eq!((app.data.dataset.samples(), app.selection.selected), (4, 3));
}

#[test]
fn a_failed_reload_keeps_the_old_rows_and_a_failed_load_ends_the_program() {
    let mut app = loaded(WIDE, 3, 3);
    play(&mut app, &[Action::Reload]);
    assert_eq!(
        update(&mut app, Message::LoadFailed(1, "gone".to_owned())),
        []
    );
    assert_eq!(app.data.dataset.samples(), 3);
    assert_eq!(app.notice(), Some("gone; the old data is still shown."));
    let mut new = empty(WIDE);
    let effects = update(&mut new, Message::LoadFailed(0, "no\u{1b}[2J".to_owned()));
    assert_eq!(effects, [Effect::Fail(Arc::from("no␛[2J"))]);
}

#[test]
fn what_is_not_loaded_yet_is_gone_to_when_it_is() {
    let mut told = reports(rows(5000, 3));
    let rest = told.split_off(2);
    let mut app = empty(WIDE);
    for report in told {
        update(&mut app, Message::Loaded(0, report));
    }
    fetch(&mut app);
    let first = app.data.dataset.samples();
    assert!(first > 0 && first < 4000, "{first}");
    play(
        &mut app,
        &[
            Action::Digit(4),
            Action::Digit(0),
            Action::Digit(0),
            Action::Digit(0),
            Action::LastSample,
        ],
    );
    assert_eq!(app.selection.selected, first - 1);
    for report in rest {
        update(&mut app, Message::Loaded(0, report));
    }
    assert_eq!(app.selection.selected, 3999);
}

#[test]
fn the_end_is_followed_while_loading_until_one_moves() {
    for (then, expected) in [(None, 4999), (Some(Action::FirstSample), 0)] {
        let mut told = reports(rows(5000, 3));
        let rest = told.split_off(2);
        let mut app = empty(WIDE);
        for report in told {
            update(&mut app, Message::Loaded(0, report));
        }
        play(&mut app, &[Action::LastSample]);
        play(&mut app, then.as_slice());
        for report in rest {
            update(&mut app, Message::Loaded(0, report));
        }
        assert_eq!(app.selection.selected, expected);
        assert_eq!(app.notice(), None, "it is the end by now");
    }
}

#[test]
fn the_end_is_followed_in_strides_until_it_is_there() {
    let mut app = empty(WIDE);
    let input = Input::Embedded {
        name: "rows",
        bytes: rows(10, 3),
    };
    let told = reports_with(&Loader {
        inputs: vec![input; 50],
        ..Loader::default()
    });
    let mut ends = Vec::new();
    for report in told {
        let is_chunk = matches!(report, LoadEvent::Chunk(_));
        update(&mut app, Message::Loaded(0, report));
        if is_chunk && ends.is_empty() {
            play(&mut app, &[Action::LastSample]);
        }
        if app.selection.selected > 0 {
            ends.push(app.selection.selected);
        }
    }
    assert_eq!(ends.last(), Some(&499));
    ends.dedup();
    assert!((5..25).contains(&ends.len()), "of 50: {ends:?}");
}

#[test]
fn the_keys_scroll_no_further_than_the_last() {
    let mut app = loaded(WIDE, 1, 1);
    play(&mut app, &[Action::Help]);
    for _ in 0..100 {
        play(&mut app, &[Action::NextSample]);
    }
    let menu = app.views.top_menu().expect("the keys");
    assert_eq!(menu.chosen, menu.found().len() - 1);
    assert_eq!(app.selection.selected, 0);
}

#[test]
fn what_floats_on_a_page_leaves_the_hidden_panes_alone() {
    for page in [Action::Statistics, Action::Findings, Action::Record] {
        for floating in [
            Action::Filter,
            Action::Command,
            Action::Palette,
            Action::Search,
        ] {
            let mut app = loaded(WIDE, 40, 3);
            play(&mut app, &[page, floating]);
            assert!(app.views.page().is_some(), "{page:?} {floating:?}");
            assert_eq!(app.on_screen(), None, "{page:?} {floating:?}");
            let (selected, focus) = (app.selection.selected, app.layout.focus);
            for pointer in [
                Pointer::Press(3, 9),
                Pointer::Press(100, 9),
                Pointer::Wheel(Scroll::LineDown, 3, 9),
            ] {
                update(&mut app, Message::Pointer(pointer));
                fetch(&mut app);
            }
            assert_eq!(
                (app.selection.selected, app.layout.focus),
                (selected, focus),
                "{page:?} {floating:?}"
            );
        }
    }
}
