//! The word diff: keys, titles and synchronised scrolling.

use super::*;
use crate::text::TextStyle;

fn row(prompt: &str, response: &str) -> String {
    let response = response.replace('\n', "\\n");
    format!("{{\"prompt\": \"{prompt}\", \"response\": \"{response}\", \"helpfulness\": 1}}\n")
}

/// Opens pairs of these responses, and a single response after them.
fn opened(size: (u16, u16), pairs: &[[&str; 2]]) -> App {
    let mut rows: String = (pairs.iter().zip(1..))
        .map(|([a, b], at)| row(&format!("p{at}"), a) + &row(&format!("p{at}"), b))
        .collect();
    rows += &row("alone", "words of one response");
    let mut app = empty(size);
    load(&mut app, 0, Box::leak(rows.into_boxed_str()).as_bytes());
    app
}

/// Returns the words of a line that are highlighted as unique to its response.
fn alone(app: &App, pane: Pane, line: usize) -> Vec<String> {
    let page = app.browser.page().expect("a page");
    let text = page.stack(pane).expect("text").sections()[0].block.text();
    let only = [TextStyle::ONLY_A, TextStyle::ONLY_B][pane.side().expect("a side")];
    let over = app.browser.highlights(pane, line).into_iter();
    over.filter(|(_, style)| style.contains(only))
        .map(|(range, _)| text[range].to_owned())
        .collect()
}

fn tops(app: &App) -> [usize; 2] {
    [Pane::Left, Pane::Right].map(|pane| app.browser.scrolled(pane))
}

#[test]
fn a_key_sets_off_what_one_response_says_from_sample_to_sample() {
    let pairs = [
        ["the quick fox", "the lazy fox"],
        ["same", "same"],
        ["if a:\n    b", "if a:\n  b"],
        ["?", "!"],
    ];
    let mut app = opened(WIDE, &pairs);
    assert!(alone(&app, Pane::Left, 0).is_empty() && app.browser.diff_title(Pane::Left).is_none());
    play(&mut app, &[Action::WordDiff]);
    assert_eq!(alone(&app, Pane::Left, 0), ["quick"]);
    assert_eq!(alone(&app, Pane::Right, 0), ["lazy"]);
    assert_eq!(
        app.browser.diff_title(Pane::Right).as_deref(),
        Some("67 % in common")
    );
    let said = app.browser.diff_in_sentences().expect("sentences");
    let expected = "A and B have 67 % of their words in common. Only in A: quick. Only in B: lazy.";
    assert_eq!(said, expected);
    play(&mut app, &[Action::NextSample]);
    assert_eq!(
        app.browser.diff_title(Pane::Left).as_deref(),
        Some("identical as shown")
    );
    play(&mut app, &[Action::NextSample]);
    assert_eq!(
        app.browser.diff_title(Pane::Left).as_deref(),
        Some("only whitespace differs")
    );
    play(&mut app, &[Action::NextSample]);
    assert_eq!(
        app.browser.diff_title(Pane::Left).as_deref(),
        Some("no words")
    );
    // With one response the diff stays on and shows nothing.
    play(&mut app, &[Action::NextSample]);
    assert!(app.browser.diff.is_on && app.browser.diff_title(Pane::Left).is_none());
    play(&mut app, &[Action::WordDiff, Action::WordDiff]);
    let notice = app.browser.notice().unwrap_or_default();
    assert_eq!(notice, "Nothing to compare: the sample has one response.");
    assert!(!app.browser.diff.is_on);
    play(&mut app, &[Action::FirstSample]);
    assert!(alone(&app, Pane::Left, 0).is_empty());
}

#[test]
fn what_both_say_is_scrolled_side_by_side_and_nothing_is_left_out() {
    let lines = |from: usize, to: usize| -> String {
        let line = |at| format!("both of them have line {at}\n");
        (from..to).map(line).collect()
    };
    let own: String = (0..50).map(|at| format!("zebra{at} yak{at}\n")).collect();
    let (a, b) = (lines(0, 90), lines(0, 30) + &own + &lines(30, 90));
    let mut app = opened(WIDE, &[[&a, &b]]);
    play(&mut app, &[Action::WordDiff]);
    for (focus, scroll) in [
        (0, Scroll::LineDown),
        (0, Scroll::PageDown),
        (1, Scroll::LineDown),
        (1, Scroll::HalfDown),
    ] {
        play(&mut app, &[Action::Scroll(Scroll::Top)]);
        play(&mut app, &vec![Action::NextPane; focus]);
        let mut before = tops(&app);
        assert_eq!(before, [0, 0]);
        loop {
            play(&mut app, &[Action::Scroll(scroll)]);
            let now = tops(&app);
            if now == before {
                break;
            }
            for (side, pane) in [Pane::Left, Pane::Right].into_iter().enumerate() {
                let most = before[side] + app.browser.text_height(pane);
                assert!(now[side] <= most, "{scroll:?}: {before:?} to {now:?}");
            }
            if now[0] < 30 || now[1] < 30 {
                assert_eq!(now[0], now[1], "{scroll:?}");
            } else if now[1] > 80 && now[1] < app.browser.most_scroll(Pane::Right) {
                assert_eq!(now[0] + 50, now[1], "{scroll:?}");
            }
            before = now;
        }
        let most = [Pane::Left, Pane::Right].map(|pane| app.browser.most_scroll(pane));
        assert_eq!(before, most, "both end together");
        play(&mut app, &[Action::Scroll(Scroll::PageUp)]);
        assert_eq!(tops(&app)[0] + 50, tops(&app)[1], "and come back together");
        play(&mut app, &vec![Action::PreviousPane; focus]);
    }
    // If the panes are not locked, each scrolls separately.
    let free = Action::Toggle(Toggle::Lock);
    play(
        &mut app,
        &[
            Action::Scroll(Scroll::Top),
            free,
            Action::Scroll(Scroll::PageDown),
        ],
    );
    assert_eq!(tops(&app)[1], 0);
}

#[test]
fn what_waits_stays_where_it_is_when_the_words_are_compared_anew() {
    let line = |at| format!("both of them have line {at}\n");
    let lines = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    let own: String = (0..50).map(|at| format!("zebra{at} yak{at}\n")).collect();
    let (a, b) = (lines(0..90), lines(0..30) + &own + &lines(30..90));
    let mut app = opened(WIDE, &[[&a, &b]]);
    play(&mut app, &[Action::WordDiff]);
    play(&mut app, &[Action::Scroll(Scroll::LineDown); 50]);
    assert_eq!(tops(&app), [30, 50]);
    play(&mut app, &[Action::WordDiff, Action::WordDiff]);
    assert_eq!(tops(&app), [30, 50], "asked again");
    update(&mut app, Message::Resize(WIDE.0 - 4, WIDE.1));
    fetch(&mut app);
    assert_eq!(tops(&app), [30, 50], "laid out anew");
}

#[test]
fn a_blind_audit_may_compare() {
    let mut app = opened(WIDE, &[["the quick fox", "the lazy fox"]]);
    let blind = Blind {
        reveal: crate::journal::Reveal::Never,
        strict: true,
    };
    app.introduce("ann", Some(blind), PendingOpening::default());
    fetch(&mut app);
    play(&mut app, &[Action::WordDiff]);
    let said = [Pane::Left, Pane::Right].map(|pane| alone(&app, pane, 0).concat());
    assert!(
        said == ["quick", "lazy"] || said == ["lazy", "quick"],
        "{said:?}"
    );
}

#[test]
fn code_is_highlighted_until_responses_are_compared() {
    let code = "```py\nreturn 1\n```";
    let mut app = opened(WIDE, &[[code, "```py\nreturn 2\n```"]]);
    let over = |app: &App, line| {
        let over = app.browser.highlights(Pane::Left, line).into_iter();
        over.map(|(_, style)| style).collect::<Vec<_>>()
    };
    assert_eq!(over(&app, 1), [], "Markdown is off");
    play(&mut app, &[Action::Toggle(Toggle::Markdown)]);
    let (keyword, number) = (TextStyle::STRONG, TextStyle::VALUE);
    assert_eq!(over(&app, 0), []);
    assert_eq!(over(&app, 1), [keyword, number]);
    play(&mut app, &[Action::WordDiff]);
    assert!(!over(&app, 1).contains(&keyword));
    play(&mut app, &[Action::WordDiff]);
    assert_eq!(over(&app, 1), [keyword, number]);
}
