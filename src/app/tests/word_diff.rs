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
pub(super) fn alone(app: &App, pane: Pane, line: usize) -> Vec<String> {
    let page = app.page().expect("a page");
    let text = page.stack(pane).expect("text").sections()[0].block.text();
    let only = [TextStyle::ONLY_A, TextStyle::ONLY_B][pane.side().expect("a side")];
    let over = app.highlights(pane, line).into_iter();
    over.filter(|(_, style)| style.contains(only))
        .map(|(range, _)| text[range].to_owned())
        .collect()
}

fn tops(app: &App) -> [usize; 2] {
    [Pane::Left, Pane::Right].map(|pane| app.scrolled(pane))
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
    assert!(alone(&app, Pane::Left, 0).is_empty() && app.diff_title(Pane::Left).is_none());
    play(&mut app, &[Action::WordDiff]);
    assert_eq!(alone(&app, Pane::Left, 0), ["quick"]);
    assert_eq!(alone(&app, Pane::Right, 0), ["lazy"]);
    assert_eq!(
        app.diff_title(Pane::Right).as_deref(),
        Some("67 % in common")
    );
    play(&mut app, &[Action::NextSample]);
    assert_eq!(
        app.diff_title(Pane::Left).as_deref(),
        Some("identical as shown")
    );
    play(&mut app, &[Action::NextSample]);
    assert_eq!(
        app.diff_title(Pane::Left).as_deref(),
        Some("only whitespace differs")
    );
    play(&mut app, &[Action::NextSample]);
    assert_eq!(app.diff_title(Pane::Left).as_deref(), Some("no words"));
    // With one response the diff stays on and shows nothing.
    play(&mut app, &[Action::NextSample]);
    assert!(app.diff.is_on && app.diff_title(Pane::Left).is_none());
    play(&mut app, &[Action::WordDiff, Action::WordDiff]);
    let notice = app.notice().unwrap_or_default();
    assert_eq!(notice, "Nothing to compare: the sample has one response.");
    assert!(!app.diff.is_on);
    play(&mut app, &[Action::FirstSample]);
    assert!(alone(&app, Pane::Left, 0).is_empty());
}

#[test]
fn what_unlike_responses_have_in_common_is_coloured() {
    let mut app = opened(
        WIDE,
        &[["one two three four salt", "five six seven eight salt"]],
    );
    play(&mut app, &[Action::WordDiff]);
    let said = [Pane::Left, Pane::Right].map(|pane| alone(&app, pane, 0).concat());
    assert_eq!(said.each_ref().map(|words| words.trim()), ["salt", "salt"]);
    assert_eq!(
        app.diff_title(Pane::Left).as_deref(),
        Some("20 % in common")
    );
}

#[test]
fn compared_responses_scroll_in_proportion() {
    let lines = |to: usize| -> String { (0..to).map(|at| format!("line {at}\n")).collect() };
    let mut app = opened(WIDE, &[[&lines(90), &lines(140)]]);
    play(
        &mut app,
        &[Action::WordDiff, Action::Scroll(Scroll::PageDown)],
    );
    let most = [Pane::Left, Pane::Right].map(|pane| app.most_scroll(pane));
    let [left, right] = tops(&app);
    assert_eq!(left, (right * most[0] + most[1] / 2) / most[1]);
    play(&mut app, &[Action::Scroll(Scroll::Bottom)]);
    assert_eq!(tops(&app), most, "both end together");
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
