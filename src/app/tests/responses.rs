//! Samples with more than two responses: which ones the panes show, how keys change that, and which
//! one is judged.

use super::filtering::typed;
use super::reviewing::{act, digits, one, work};
use super::*;
use crate::journal::Reveal;
use crate::model::{ResponseId, Verdict};
use crate::review::RatingForm;
use crate::schema::{Definition, Schema};
use crate::search::HitOrder;

/// Four responses with a deciding label; the first row has one best and one worst response.
const SCHEMA: &str = r#"
name = "four"
title = "Four"
rows = "inline"
prompt = { path = "/q" }
verdict = { label = "good" }
label = [{ name = "good", range = [0, 4] }]
response = [
    { text = "/r/0", ratings = { good = "/g/0" } },
    { text = "/r/1", ratings = { good = "/g/1" } },
    { text = "/r/2", ratings = { good = "/g/2" } },
    { text = "/r/3", ratings = { good = "/g/3" } },
]
"#;

fn opened(blind: Option<Blind>) -> App {
    opened_by(SCHEMA, blind)
}

fn opened_by(schema: &str, blind: Option<Blind>) -> App {
    let rows = [
        "[2, 4, 0, 1]",
        "[3, 3, 3, 3]",
        "[0, 1, 2, 4]",
        "[null, null, null, null]",
    ];
    let rows = rows.map(|values| {
        let long = r"\nand more".repeat(90);
        let responses = ["aaa", "bbb", "ccc", "ddd"].map(|text| format!("\"{text}{long}\""));
        let responses = responses.join(", ");
        format!(r#"{{"q": "which", "r": [{responses}], "g": {values}}}"#) + "\n"
    });
    let bytes: &'static [u8] = Box::leak(rows.concat().into_boxed_str()).as_bytes();
    let schema = Schema::new(Definition::parse(schema).expect("a schema"));
    let mut app = empty(WIDE);
    app.introduce("ann", blind, PendingOpening::default());
    for report in reports_as(bytes, SchemaChoice::Ready(schema.into())) {
        update(&mut app, Message::Loaded(0, report));
    }
    fetch(&mut app);
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    fetch(&mut app);
    app
}

/// Returns the letters and texts in the panes.
fn shown(app: &App) -> (String, [String; 2]) {
    let page = app.page().expect("a page");
    let letters = page.pair.map(ResponseId::letter).concat();
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let text = |side: usize| first(page.sides[side].text.sections()[0].block.text());
    (letters, [text(0), text(1)])
}

fn pressed(app: &mut App, action: Action) -> String {
    act(app, &[action]);
    shown(app).0
}

#[test]
fn the_best_and_the_worst_are_shown_first_and_keys_show_the_others() {
    let mut app = opened(None);
    assert_eq!(
        shown(&app),
        ("BC".to_owned(), ["bbb".to_owned(), "ccc".to_owned()])
    );
    let next = Action::NextResponse(Pane::Right);
    let letters: Vec<_> = (0..3).map(|_| pressed(&mut app, next)).collect();
    assert_eq!(
        letters,
        ["BD", "BA", "BC"],
        "round the end, and never twice the same"
    );
    assert_eq!(
        pressed(&mut app, Action::PreviousResponse(Pane::Right)),
        "BA"
    );
    assert_eq!(pressed(&mut app, Action::NextResponse(Pane::Left)), "CA");
    assert_eq!(
        pressed(&mut app, Action::PreviousResponse(Pane::Left)),
        "BA"
    );
    assert_eq!(
        pressed(&mut app, Action::NextSample),
        "AB",
        "a tie: the first two"
    );
    assert_eq!(pressed(&mut app, Action::NextSample), "DA");
    assert_eq!(
        pressed(&mut app, Action::FirstSample),
        "BA",
        "what was chosen for it stays"
    );
}

#[test]
fn the_list_shows_the_best_and_the_worst_value() {
    let app = opened(None);
    let summary = |sample| app.list.entry(sample).map(|entry| entry.summary.clone());
    let ratings = |best: &str, worst: &str, winner| {
        let values = [best, worst].map(str::to_owned);
        Some(ListCell::Pair(values, winner))
    };
    assert_eq!(
        summary(0),
        ratings("4", "0", Some(ResponseId::A)),
        "the first value is the winner's"
    );
    assert_eq!(summary(1), ratings("3", "3", None));
    assert_eq!(summary(3), ratings("–", "–", None), "no value at all");
}

#[test]
fn another_response_begins_at_its_beginning_and_who_is_asked_about_stays() {
    let mut app = opened(None);
    while app.layout.focus != Pane::Right {
        act(&mut app, &[Action::NextPane]);
    }
    act(&mut app, &[Action::Scroll(Scroll::HalfDown)]);
    assert!(app.scrolled(Pane::Right) > 0);
    act(&mut app, &[Action::NextResponse(Pane::Right)]);
    assert_eq!(app.scrolled(Pane::Right), 0);
    act(&mut app, &[Action::Rate, Action::NextResponse(Pane::Right)]);
    assert_eq!(shown(&app).0, "BA", "A is asked about");
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("stays here while you rate it"))
    );
    // B is visible and C is not: only a visible response can be chosen as the winner.
    act(
        &mut app,
        &[Action::Answer(RatingAction::Wins(ResponseId::B))],
    );
    let verdict = |app: &App| app.review.remark(0)?.ratings[0].verdict;
    assert_eq!(verdict(&app), Some((Verdict::wins(ResponseId::B), None)));
}

#[test]
fn half_a_judgment_has_no_winner() {
    let mut app = opened(None);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "42");
    let form = RatingForm::of(&app.data.dataset.files()[0].schema);
    let rating = &app.review.remark(0).expect("rated").ratings[0];
    assert_eq!((form.verdict(4, rating), rating.labels.len()), (None, 2));
}

#[test]
fn a_pair_shows_both_and_says_so() {
    let mut app = empty(WIDE);
    load(&mut app, 0, rows(2, 3));
    assert_eq!(pressed(&mut app, Action::NextResponse(Pane::Right)), "AB");
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("two responses"))
    );
}

#[test]
fn other_responses_have_no_values_while_blind() {
    let letters = |app: &App| {
        let mut rows = app.page().expect("a page").card.rows();
        let others = rows.find(|row| row.name == "others")?;
        let value = match &others.value {
            CardValue::Sample(value) => value.clone(),
            CardValue::Each { values, .. } => values[0].clone(),
        };
        Some(value).filter(|value| !value.is_empty())
    };
    assert_eq!(letters(&opened(None)).as_deref(), Some("A 2, D 1"));
    let blind = Blind {
        reveal: Reveal::Never,
        strict: true,
    };
    let app = opened(Some(blind));
    assert_eq!(letters(&app).as_deref(), Some("C, D"));
    assert_eq!(shown(&app).0, "AB", "the best would reveal labels");
}

#[test]
fn the_rated_response_is_shown_in_a_pane() {
    let mut app = opened(None);
    act(&mut app, &[Action::Rate]);
    let mut seen = vec![shown(&app).0];
    for digit in ["1", "2", "3"] {
        digits(&mut app, digit);
        seen.push(shown(&app).0);
    }
    assert_eq!(
        seen,
        ["BA", "BC", "BC", "BD"],
        "best and worst, and who is asked about"
    );
    // Typed before the pane showed C: not a judgment of it.
    let mut app = opened(None);
    act(&mut app, &[Action::Rate]);
    for digit in [1, 2, 3, 4] {
        for effect in update(&mut app, Message::Action(Action::Digit(digit))) {
            let Effect::Review(effect) = effect else {
                continue;
            };
            one(&mut app, &effect); // No frame is drawn after it.
        }
    }
    assert!(
        app.notice()
            .is_some_and(|notice| notice.contains("typed before this sample was shown"))
    );
}

/// Returns the letters of responses with hits in the sample on screen, and of the hidden ones among
/// them.
fn letters_found(app: &App) -> (String, String) {
    let letters = |ids: &mut dyn Iterator<Item = ResponseId>| {
        ids.map(ResponseId::letter).collect::<Vec<_>>().concat()
    };
    let mut found = ResponseId::first(4).filter(|id| app.has_hit(*id));
    (letters(&mut found), letters(&mut app.hits_elsewhere()))
}

/// Types a search whose results are in dataset order.
fn search(app: &mut App, needle: &str) {
    act(app, &[Action::Search]);
    if app.search.order != HitOrder::Dataset {
        act(app, &[Action::Order]);
    }
    play(app, &typed(needle));
}

#[test]
fn a_hit_that_no_pane_shows_puts_its_response_into_the_right_one() {
    let mut app = opened(None);
    search(&mut app, "ddd");
    assert_eq!(shown(&app).0, "BD", "while one types");
    act(&mut app, &[Action::Cancel]);
    assert_eq!(shown(&app).0, "BC", "as it was");
    search(&mut app, "ddd");
    act(&mut app, &[Action::Accept]);
    let panes = |app: &App| (app.selection.selected, shown(app).0, app.hit());
    let on = |sample, letters: &str| (sample, letters.to_owned(), Some((Some(0), 1)));
    assert_eq!(panes(&app), on(0, "BD"));
    assert_eq!(letters_found(&app), ("D".to_owned(), String::new()));
    act(&mut app, &[Action::NextHit]);
    assert_eq!((panes(&app), app.layout.focus), (on(1, "AD"), Pane::Right));
    act(&mut app, &[Action::PreviousHit]);
    assert_eq!(panes(&app), on(0, "BD"));
    act(&mut app, &[Action::Digit(3), Action::NextHit]);
    assert_eq!(panes(&app), on(3, "AD"), "as far as a count says");
}

#[test]
fn a_hit_moves_responses_also_before_a_blind_reviewer() {
    let blind = Blind {
        reveal: Reveal::Never,
        strict: true,
    };
    let mut app = opened(Some(blind));
    let order = app.page().expect("a page").order;
    for (place, needle) in ["aaa", "bbb", "ccc", "ddd"].into_iter().enumerate() {
        let id = order.shown(ResponseId::new(place).expect("a letter"));
        search(&mut app, needle);
        let expected = match id.letter() {
            "A" | "B" => "AB".to_owned(),
            other => format!("A{other}"),
        };
        assert_eq!(shown(&app).0, expected, "{needle}");
        act(&mut app, &[Action::Cancel]);
        assert_eq!(shown(&app).0, "AB");
    }
}

#[test]
fn hidden_responses_with_hits_are_listed_and_reachable() {
    let mut app = opened(None);
    search(&mut app, "more");
    act(&mut app, &[Action::Accept]);
    assert_eq!(letters_found(&app), ("ABCD".to_owned(), "AD".to_owned()));
    assert_eq!(shown(&app).0, "BC", "there are hits in the panes");
    // Reached by another key, a sample keeps its panes, and `n` goes to the hit from there.
    let mut app = opened(None);
    search(&mut app, "ddd");
    act(&mut app, &[Action::Accept, Action::NextSample]);
    assert_eq!(
        (shown(&app).0, app.hit()),
        ("AB".to_owned(), Some((None, 0)))
    );
    assert_eq!(letters_found(&app), ("D".to_owned(), "D".to_owned()));
    act(&mut app, &[Action::NextHit]);
    assert_eq!(
        (app.selection.selected, shown(&app).0),
        (1, "AD".to_owned())
    );
    // A response that is being rated stays in its pane.
    act(&mut app, &[Action::FirstSample, Action::Rate]);
    assert_eq!(shown(&app).0, "BA", "A is asked about");
    act(&mut app, &[Action::NextHit]);
    assert_eq!(
        (app.selection.selected, shown(&app).0),
        (1, "AD".to_owned())
    );
}

#[test]
fn a_blind_reviewer_sees_any_order_and_judges_the_files() {
    let blind = Blind {
        reveal: Reveal::Never,
        strict: true,
    };
    let mut orders = std::collections::BTreeSet::new();
    let mut judged = false;
    for seed in 0..64 {
        let mut app = opened(Some(blind));
        app.set_coin(seed);
        fetch(&mut app);
        let order = app.mask().order;
        orders.insert(order.whole_word(4));
        let (_, texts) = shown(&app);
        let texts_of_file = ["aaa", "bbb", "ccc", "ddd"];
        let in_panes = [ResponseId::A, ResponseId::B].map(|id| order.of_file(id).index());
        assert_eq!(
            texts,
            in_panes.map(|place| texts_of_file[place]),
            "seed {seed}"
        );
        // Judged once, in an order that is not its own inverse; otherwise both directions would
        // look alike.
        let is_own_inverse = |id| order.of_file(order.of_file(id)) == id;
        if judged || ResponseId::first(4).all(is_own_inverse) {
            continue;
        }
        judged = true;
        act(&mut app, &[Action::Rate]);
        digits(&mut app, "4321");
        let said = app.review.remark(0).expect("rated");
        let values: Vec<_> = ResponseId::first(4)
            .map(|shown| said.ratings[0].label("good", order.of_file(shown)))
            .collect();
        assert_eq!(
            values,
            [4.0, 3.0, 2.0, 1.0].map(Some),
            "in the order of the screen"
        );
        assert_eq!(said.ratings[0].setting.order, order);
        act(&mut app, &[Action::FirstSample]);
        act(
            &mut app,
            &[Action::Answer(RatingAction::Wins(ResponseId::B))],
        );
        let said = app.review.remark(0).expect("rated");
        let verdict = said.ratings[0].verdict.map(|(verdict, _)| verdict);
        assert_eq!(verdict, Some(Verdict::wins(order.of_file(ResponseId::B))));
    }
    // Of 24 orders, 64 coins miss any given one with a probability of 7 %.
    assert!(judged && orders.len() > 15, "{orders:?}");
}

#[test]
fn the_two_that_are_shown_are_compared() {
    let mut app = opened(None);
    play(&mut app, &[Action::WordDiff]);
    let mut seen = Vec::new();
    for action in [
        Action::NextResponse(Pane::Right),
        Action::NextResponse(Pane::Left),
    ] {
        let (letters, texts) = shown(&app);
        for (pane, text) in [Pane::Left, Pane::Right].into_iter().zip(texts) {
            assert_eq!(
                super::word_diff::alone(&app, pane, 0).concat(),
                text,
                "{letters}"
            );
        }
        seen.push(letters);
        play(&mut app, &[action]);
    }
    assert_ne!(seen[0], seen[1]);
}

/// Forty responses with scores from 0 to 3; ten are best in the first sample.
fn opened_with_forty(blind: Option<Blind>) -> App {
    let rows = (0..80).map(|at| {
        let score = if at < 40 { at % 4 } else { 1 };
        let text = "x".repeat(at % 7 + 1);
        format!(r#"{{"input": "p{}", "output": "text {at} {text}", "score": {score}, "gts": "g", "step": 1}}"#, at / 40) + "\n"
    });
    let bytes: &'static [u8] = Box::leak(rows.collect::<String>().into_boxed_str()).as_bytes();
    let mut app = empty(WIDE);
    app.introduce("ann", blind, PendingOpening::default());
    for report in reports_as(bytes, SchemaChoice::default()) {
        update(&mut app, Message::Loaded(0, report));
    }
    fetch(&mut app);
    let effects = update(&mut app, Message::Review(ReviewEvent::Read));
    work(&mut app, effects);
    fetch(&mut app);
    app
}

/// Returns the letters on the responses page in order, and the line above them.
fn listed(app: &App) -> (Vec<String>, String) {
    let page = app.views.page_of::<ResponsesPage>().expect("the page");
    let letters = page.doc.spots.iter().map(|spot| spot.label.clone());
    (letters.collect(), page.doc.aside.clone())
}

#[test]
fn the_page_of_responses_lists_all_and_puts_them_into_panes() {
    let mut app = opened_with_forty(None);
    assert_eq!(shown(&app).0, "DA", "the best and the worst");
    act(&mut app, &[Action::Responses]);
    let (letters, aside) = listed(&app);
    assert_eq!(
        (letters.len(), &*letters[0]),
        (40, "H"),
        "a best one, the shortest"
    );
    assert_eq!(
        aside,
        "40 responses \u{b7} mean score 1.5 \u{b7} 10 best \u{b7} 8 to 15 characters \u{b7} by score"
    );
    for (order, first) in [
        ("longest first", "N"),
        ("shortest first", "A"),
        ("by letter", "A"),
    ] {
        act(&mut app, &[Action::Sort]);
        let (letters, aside) = listed(&app);
        assert!(aside.ends_with(order), "{aside}");
        assert_eq!(letters[0], first, "{order}");
    }
    act(
        &mut app,
        &[
            Action::LastSample,
            Action::Scroll(Scroll::Bottom),
            Action::Zoom,
        ],
    );
    assert_eq!(shown(&app).0, "A40", "beside the one in the right pane");
    assert!(app.views.page_of::<ResponsesPage>().is_none());
    act(
        &mut app,
        &[
            Action::Responses,
            Action::Sort,
            Action::Sort,
            Action::Sort,
            Action::NextSample,
        ],
    );
    act(&mut app, &[Action::NextResponse(Pane::Left)]);
    assert_eq!(
        shown(&app).0,
        "I40",
        "the cursor stays on a response when the order changes"
    );
    act(&mut app, &[Action::Zoom]);
    assert_eq!(shown(&app).0, "40I");
    act(&mut app, &[Action::NextSample, Action::Responses]);
    let page = app.views.page_of::<ResponsesPage>().expect("the page");
    let words = page.doc.items.iter().filter_map(|item| match &item.what {
        PageMark::Words(words, _) => Some(words.as_str()),
        _ => None,
    });
    assert_eq!(words.clone().next(), Some("All responses have score 1."));
    assert!(!words.clone().any(|words| words == "best"));
}

#[test]
fn the_page_of_responses_shows_only_texts_to_a_blind_reviewer() {
    let blind = Blind {
        reveal: Reveal::Never,
        strict: true,
    };
    let mut app = opened_with_forty(Some(blind));
    for _ in 0..3 {
        act(&mut app, &[Action::Responses]);
        let (letters, aside) = listed(&app);
        assert_eq!(aside, "40 responses \u{b7} by letter");
        assert_eq!((&*letters[0], &*letters[39]), ("A", "40"));
        let page = app.views.page_of::<ResponsesPage>().expect("the page");
        for spot in &page.doc.spots {
            assert!(spot.value.starts_with("text "), "{}", spot.value);
        }
        act(&mut app, &[Action::Sort, Action::Cancel]);
    }
}
