//! Rationales: a pane of their own, which is searched like the others and hidden from blind
//! reviewers.

use super::filtering::{enter, typed};
use super::*;
use crate::app::sample::hits::PageHits;
use crate::app::sample::hits::SearchTerms;
use crate::model::ResponseId;
use crate::search::{Needle, SearchScope};

const ROWS: &[u8] = include_bytes!("../../../tests/samples/helpsteer3-annotated.jsonl");

fn opened(size: (u16, u16)) -> App {
    let mut app = empty(size);
    load(&mut app, 0, ROWS);
    app
}

/// Returns the panes with content.
fn seen(app: &App) -> Vec<Pane> {
    let geometry = app.geometry();
    let is_seen = |pane: &Pane| !geometry.frame(*pane).is_empty();
    Pane::ALL.into_iter().filter(is_seen).collect()
}

#[test]
fn the_pane_is_reached_where_a_sample_has_any() {
    use Pane::{Left, List, Prompt, Rationales, Right};
    let mut app = opened(WIDE);
    assert_eq!(seen(&app), [List, Prompt, Left, Right, Rationales]);
    play(&mut app, &[Action::NextPane, Action::NextPane]);
    assert_eq!(app.layout.focus, Rationales);
    play(&mut app, &[Action::Scroll(Scroll::Bottom)]);
    let lines = app.page().map_or(0, |page| page.rationales.len());
    let shown = app.text_height(Rationales);
    assert_eq!(app.scrolled(Rationales), lines - shown);
    // The next sample starts at its first rationale.
    play(&mut app, &[Action::NextSample]);
    assert_eq!(
        (app.layout.focus, app.scrolled(Rationales)),
        (Rationales, 0)
    );
    play(&mut app, &[Action::Zoom]);
    assert_eq!(seen(&app), [Rationales]);
    play(&mut app, &[Action::Zoom, Action::NextSample]);
    assert_eq!(
        (app.layout.focus, seen(&app)),
        (Left, vec![List, Prompt, Left, Right])
    );
    play(
        &mut app,
        &[
            Action::PreviousPane,
            Action::PreviousPane,
            Action::PreviousPane,
        ],
    );
    assert_eq!(app.layout.focus, Right, "there is no pane to stop at");
}

#[test]
fn without_room_it_takes_the_place_of_the_responses_when_it_has_the_focus() {
    use Pane::{Left, List, Prompt, Rationales, Right};
    let mut app = opened((90, 16));
    assert_eq!(seen(&app), [Prompt, Left, Right]);
    let key = app.page_key();
    play(&mut app, &[Action::NextPane, Action::NextPane]);
    assert_eq!(seen(&app), [Prompt, Rationales]);
    assert_eq!(app.page_key(), key, "nothing is laid out anew");
    play(&mut app, &[Action::NextPane]);
    assert_eq!(
        (app.layout.focus, seen(&app)),
        (List, vec![List, Prompt, Left, Right])
    );
}

/// Returns the pane of each hit in the page on screen.
fn panes_of(app: &App, needle: &str, scope: SearchScope) -> Vec<Pane> {
    let terms = SearchTerms::new(Needle::parse(needle).expect("a needle"), scope);
    let page = app.page().expect("a page");
    let found = PageHits::find(page, terms, &|| true).expect("not cancelled");
    found.hits.iter().map(|hit| hit.pane).collect()
}

#[test]
fn hits_are_located_there() {
    use Pane::{Left, Rationales, Right};
    let mut app = opened((90, 24));
    let egg = |scope| panes_of(&app, "egg", scope);
    assert_eq!(
        egg(SearchScope::Everything),
        [
            Pane::Prompt,
            Left,
            Right,
            Rationales,
            Rationales,
            Rationales
        ]
    );
    assert_eq!(egg(SearchScope::Rationales), [Rationales; 3]);
    assert_eq!(egg(SearchScope::Sample), [Pane::Prompt, Left, Right]);
    // Titles are not part of the data.
    assert_eq!(panes_of(&app, "reasoning", SearchScope::Everything), []);
    // The test engine matches every sample for letters, the last one first.
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("friendlier"));
    play(
        &mut app,
        &[Action::Accept, Action::LastSample, Action::NextHit],
    );
    assert_eq!((app.selection.selected, app.layout.focus), (0, Rationales));
    let line = app.scrolled(Rationales)..app.scrolled(Rationales) + app.text_height(Rationales);
    assert!(
        line.into_iter()
            .any(|line| !app.highlights(Rationales, line).is_empty())
    );
}

#[test]
fn who_is_blind_neither_sees_nor_searches_them() {
    let mut app = opened(WIDE);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("egg"));
    play(&mut app, &[Action::CompleteBack, Action::Accept]);
    let scope = |app: &App| app.search.sought().map(|sought| sought.scope);
    assert_eq!(scope(&app), Some(SearchScope::Rationales));
    enter(&mut app, Action::Command, "blind");
    assert_eq!(scope(&app), None, "it would tell labels");
    assert!(app.page().is_some_and(|page| page.rationales.is_empty()));
    assert!(!app.has_pane(Pane::Rationales) && app.layout.focus != Pane::Rationales);
    let job = |app: &mut App, needle| {
        let needle = Needle::parse(needle).expect("a needle");
        app.search_for(needle);
        match app.search_job().map(|job| job.terms) {
            Some(crate::app::shown::query_job::QueryTerms::Search { terms, .. }) => terms.scope,
            other => panic!("{other:?} is no search"),
        }
    };
    assert_eq!(job(&mut app, "egg"), SearchScope::Sample);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("e"));
    play(&mut app, &[Action::CompleteBack]);
    assert_eq!(
        app.search.scope,
        SearchScope::Quotes,
        "the last one there is"
    );
    play(&mut app, &[Action::Complete, Action::Cancel]);
    enter(&mut app, Action::Filter, "rationale:egg");
    assert!(app.filter.active().is_none());
    assert!(
        app.notice().is_some_and(|notice| notice.contains("hidden")) || app.views.line().is_some()
    );
}

#[test]
fn titles_name_what_it_is_and_whose() {
    let mut app = opened(WIDE);
    let titles = |app: &App| -> Vec<String> {
        let sections = app.page().expect("a page").rationales.sections();
        let titles = sections.iter().step_by(2).take(3);
        titles
            .map(|section| section.block.text().to_owned())
            .collect()
    };
    assert_eq!(
        titles(&app),
        [
            "reasoning \u{b7} no. 1",
            "feedback \u{b7} A \u{b7} no. 1",
            "feedback \u{b7} B \u{b7} no. 1"
        ]
    );
    // If the file's B is on the left, it is A.
    let mut key = app.page_key();
    key.mask.order = crate::model::ResponseOrder::OF_FILE.reversed(2);
    let page = Page::build_while(&app.data.dataset, key, &|| true).expect("a page");
    assert_eq!(page.order.of_file(ResponseId::A), ResponseId::B);
    app.open.page = Some(Arc::new(page));
    assert_eq!(titles(&app)[1], "feedback \u{b7} B \u{b7} no. 1");
}

#[test]
fn votes_are_by_the_letters_of_the_screen_and_hidden_from_the_blind() {
    let mut app = opened(WIDE);
    let votes = |key: PageKey| {
        Page::build_while(&app.data.dataset, key, &|| true)
            .expect("a page")
            .votes
    };
    assert_eq!(votes(app.page_key()), "3 2 -1");
    let mut key = app.page_key();
    key.mask.order = crate::model::ResponseOrder::OF_FILE.reversed(2);
    assert_eq!(votes(key.clone()), "-3 -2 1");
    key.mask.hidden = true;
    assert_eq!(votes(key), "");
    enter(&mut app, Action::Filter, "is:contested");
    assert_eq!((app.shown().len(), app.selection.selected), (1, 0));
    enter(&mut app, Action::Filter, "votes:1..2");
    assert_eq!((app.shown().len(), app.selection.selected), (1, 1));
}
