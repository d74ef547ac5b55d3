//! The record view: keys and displayed lines.

use super::filtering::enter;
use super::reviewing::blind;
use super::*;

/// A pair on two rows, a truncated row, and one with a long list of numbers.
const ROWS: &[u8] = br#"{"prompt": "p", "response": "one apple", "helpfulness": 1.0, "z": {"b": 1e2, "a": null}}
{"prompt": "p", "response": "two\nApples", "helpfulness": 4}
{"prompt": "p", "response":
{"prompt": "q", "response": "r", "helpfulness": 2, "ids": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50]}
"#;

fn opened(moves: usize) -> App {
    let mut app = empty((100, 30));
    load(&mut app, 0, ROWS);
    fetch(&mut app);
    play(&mut app, &vec![Action::NextSample; moves]);
    fetch(&mut app);
    play(&mut app, &[Action::Record]);
    fetch(&mut app);
    app
}

pub(super) fn lines(app: &App) -> Vec<String> {
    let stack = &page(app).doc.text;
    let line = |part| match part {
        crate::app::sample::pane_text::StackLine::Line(section, line, _) => {
            section.block.text()[line.range.clone()].to_owned()
        }
        _ => String::new(),
    };
    stack.parts(0..stack.len()).map(line).collect()
}

fn cursor(app: &App) -> usize {
    page(app).at
}

#[test]
fn both_rows_of_a_sample_are_shown_as_in_the_file() {
    let mut app = opened(0);
    assert!(is_on::<RecordView>(&app));
    let shown = lines(&app);
    assert!(shown[0].starts_with("rows:1 · row 1 · "), "{shown:?}");
    assert_eq!(
        shown[1..11],
        [
            "{",
            "  \"prompt\": \"p\",",
            "  \"response\": \"one apple\",",
            "  \"helpfulness\": 1.0,",
            "  \"z\": {",
            "    \"b\": 1e2,",
            "    \"a\": null",
            "  }",
            "}",
            ""
        ]
    );
    assert!(shown[11].starts_with("rows:2 · row 2 · "), "{shown:?}");
    assert_eq!(shown[14], "  \"response\": \"two\\nApples\",");
    for close in [Action::Record, Action::Back, Action::Cancel] {
        play(&mut app, &[close]);
        assert_eq!(app.mode(), Mode::Read);
        play(&mut app, &[Action::Record]);
        fetch(&mut app);
    }
}

#[test]
fn the_container_at_the_cursor_folds_and_unfolds() {
    let mut app = opened(0);
    let whole = lines(&app);
    // On a member of an object, the object is folded, and the cursor returns to where it was.
    play(&mut app, &[Action::NextSample; 5]);
    assert_eq!(cursor(&app), 6);
    play(&mut app, &[Action::Zoom]);
    fetch(&mut app);
    assert_eq!(
        (lines(&app)[5].as_str(), cursor(&app)),
        ("  \"z\": {… 2 keys}", 5)
    );
    play(&mut app, &[Action::Zoom]);
    fetch(&mut app);
    assert_eq!((lines(&app), cursor(&app)), (whole, 5));
    // All but the outermost, and back.
    play(&mut app, &[Action::Toggle(Toggle::Folds)]);
    fetch(&mut app);
    assert_eq!(
        (lines(&app)[5].as_str(), cursor(&app)),
        ("  \"z\": {… 2 keys}", 5)
    );
    play(&mut app, &[Action::Toggle(Toggle::Folds)]);
    fetch(&mut app);
    // The whole row.
    play(
        &mut app,
        &[Action::FirstSample, Action::NextSample, Action::Zoom],
    );
    fetch(&mut app);
    assert_eq!(lines(&app)[1], "{… 4 keys}");
}

#[test]
fn a_list_of_numbers_longer_than_the_screen_is_folded_at_first() {
    let mut app = opened(2);
    assert_eq!(lines(&app)[5], "  \"ids\": [… 50 items]");
    play(&mut app, &[Action::NextSample; 4]);
    play(&mut app, &[Action::Zoom]);
    fetch(&mut app);
    assert_eq!(lines(&app)[6..8], ["    1,", "    2,"]);
    play(&mut app, &[Action::LastSample]);
    assert_eq!((page(&app).at, page(&app).top), (57, 58 - 26));
    play(&mut app, &[Action::Scroll(Scroll::PageUp)]);
    assert_eq!(cursor(&app), 57 - 26);
}

#[test]
fn a_malformed_row_is_shown_raw_with_the_place_of_its_error() {
    let app = opened(1);
    let shown = lines(&app);
    assert!(shown[0].starts_with("rows:3 · row 3"), "{shown:?}");
    assert!(shown[1].starts_with("This row is malformed: "), "{shown:?}");
    assert!(
        shown[2].starts_with("The error is at column ") && shown[2].contains("after …"),
        "{shown:?}"
    );
    assert_eq!(shown[3], "{\"prompt\": \"p\", \"response\":");
}

#[test]
fn a_search_goes_from_hit_to_hit() {
    let mut app = opened(0);
    enter(&mut app, Action::Search, "apple");
    fetch(&mut app);
    assert!(is_on::<RecordView>(&app));
    let at = |app: &App| {
        let view = page(app);
        let hits = view.doc.hits.as_ref();
        (hits.map(|hits| (view.hit, hits.len())), view.at)
    };
    assert_eq!(at(&app), (Some((Some(0), 2)), 3));
    play(&mut app, &[Action::NextHit]);
    assert_eq!(at(&app), (Some((Some(1), 2)), 14));
    assert_eq!(page(&app).highlights(14).len(), 1);
    play(&mut app, &[Action::NextHit]);
    assert_eq!(at(&app).1, 3);
    assert!(app.search.sought().is_none(), "the samples shown stay");
}

#[test]
fn who_judges_blind_sees_no_record() {
    let mut app = blind(3, false);
    fetch(&mut app);
    play(&mut app, &[Action::Record]);
    assert_eq!(app.mode(), Mode::Read);
    assert_eq!(
        app.notice(),
        Some("The record is hidden while you judge blind.")
    );
}

#[test]
fn a_huge_record_is_laid_out_in_part_and_can_be_cancelled() {
    let long = format!(
        "{{\"prompt\": \"p\", \"response\": \"{}\", \"helpfulness\": 1}}\n",
        "words ".repeat(1_500_000)
    );
    let mut app = empty((100, 30));
    load(&mut app, 0, Box::leak(long.into_boxed_str()).as_bytes());
    update(&mut app, Message::Action(Action::Record));
    let job = needed(&app, "records").expect("a record");
    assert!(job.run(&|| false, &|_| ()).is_none());
    fetch(&mut app);
    let shown = lines(&app);
    let last = shown.last().expect("a line");
    assert!(
        shown.iter().any(|line| line.starts_with("The other ")),
        "{last}"
    );
}
