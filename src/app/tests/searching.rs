//! Searches: the search line, results within a filter, and navigation between hits.
//!
//! Answers come from a test engine if they determine the tested behaviour, otherwise from the real
//! one.

use super::filtering::{enter, tell, typed};
use super::*;
use crate::app::job::Apply;
use crate::app::sample::hits::PageHit;
use crate::app::sample::hits::PageHits;
use crate::app::shown::query_job::{BatchResults, QueryJob, QueryTerms};
use crate::search::{Hit, HitOrder, SearchScope};
use crate::text::TextStyle;

/// The test engine: the first digit of a needle is the last digit of a sample's number (from 1),
/// and the second digit its tens: `3` finds 3, 13, 23 and 33, `32` finds 23. Longer needles find
/// fewer, as in the real engine. `x` finds nothing, other letters match everything. Higher numbers
/// rank higher.
pub(super) fn answer(app: &mut App, ask: &QueryJob) {
    let candidates = app.query_inputs(ask).searched.ascending();
    let candidates = candidates.unwrap_or_else(|| (0..app.data.dataset.samples() as u32).collect());
    assert!(candidates.is_sorted(), "{candidates:?}");
    let QueryTerms::Search { terms, .. } = &ask.terms else {
        panic!("{ask:?} is not a search");
    };
    let needle = terms.needle.text();
    let digits: Vec<u32> = needle
        .chars()
        .filter_map(|letter| letter.to_digit(10))
        .collect();
    let fits = |&sample: &u32| {
        let number = [(sample + 1) % 10, (sample + 1) / 10 % 10];
        !needle.contains('x') && digits.iter().zip(number).all(|(digit, own)| *digit == own)
    };
    let hits = candidates
        .iter()
        .copied()
        .filter(fits)
        .map(|sample| Hit {
            sample,
            rank: sample as i32,
        })
        .collect();
    piece(app, ask, hits, None);
    piece(app, ask, Vec::new(), Some(ask.positions.end));
}

fn piece(app: &mut App, ask: &QueryJob, hits: Vec<Hit>, done: Option<usize>) {
    let looked = done.unwrap_or_default();
    tell(app, ask, BatchResults::Hits(hits), looked, done.is_some());
}

fn hits(samples: &[u32]) -> Vec<Hit> {
    samples
        .iter()
        .map(|&sample| Hit {
            sample,
            rank: sample as i32,
        })
        .collect()
}

fn shown(app: &App) -> Vec<usize> {
    app.shown()
        .samples(0..usize::MAX)
        .map(|sample| sample + 1)
        .collect()
}

fn needle(app: &App) -> Option<&str> {
    app.search.sought().map(|sought| sought.needle.text())
}

fn search(app: &mut App, text: &str) {
    enter(app, Action::Search, text);
}

#[test]
fn typing_searches_and_enter_keeps() {
    let mut app = loaded(WIDE, 40, 3);
    let requested = play(&mut app, &[Action::Search]);
    assert!(matches!(&requested[..], [Effect::Job(job)] if job.kind == "index"));
    assert_eq!(
        (app.views.line_kind(), needle(&app), app.shown().len()),
        (Some(LineKind::Search), None, 40)
    );
    play(&mut app, &typed("3"));
    assert_eq!(shown(&app), [33, 23, 13, 3]);
    assert_eq!(
        (app.selection.position, app.selection.selected),
        (0, 32),
        "the best is selected"
    );
    play(&mut app, &typed("2"));
    assert_eq!((shown(&app), app.selection.selected), (vec![23], 22));
    play(&mut app, &[Action::Edit(Edit::Backspace), Action::Accept]);
    assert_eq!(
        (app.mode(), needle(&app), app.selection.selected),
        (Mode::Read, Some("3"), 32)
    );
    play(&mut app, &[Action::NextSample, Action::NextSample]);
    assert_eq!(app.selection.selected, 12);
    play(&mut app, &[Action::Cancel]);
    assert_eq!(
        (needle(&app), app.shown().len(), app.selection.selected),
        (None, 40, 12),
        "the sample stays"
    );
}

#[test]
fn many_hits_are_put_in_order_by_a_job() {
    let mut app = loaded(WIDE, 20_000, 1);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("e"));
    let ends = |app: &App| {
        let shown = shown(app);
        (shown.len(), shown.first().copied(), shown.last().copied())
    };
    let ranked = (20_000, Some(20_000), Some(1));
    assert_eq!((ends(&app), app.selection.selected), (ranked, 19_999));
    update(&mut app, Message::Action(Action::Order));
    assert!(needed(&app, "arranger").is_some());
    assert_eq!(ends(&app), ranked, "what was there stays until then");
    fetch(&mut app);
    assert_eq!(ends(&app), (20_000, Some(1), Some(20_000)));
    // Late results of a replaced search are ignored.
    update(&mut app, Message::Action(Action::Order));
    let late = needed(&app, "arranger").and_then(|job| result_of(&job));
    play(&mut app, &typed("3"));
    let found = ends(&app);
    update(&mut app, late.expect("an order"));
    assert_eq!(ends(&app), found);
}

#[test]
fn the_order_can_be_the_datasets_own() {
    let mut app = loaded(WIDE, 40, 3);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("3"));
    play(&mut app, &[Action::Order]);
    assert_eq!(
        (shown(&app), app.selection.selected, app.search.order),
        (vec![3, 13, 23, 33], 2, HitOrder::Dataset)
    );
    play(&mut app, &[Action::Order, Action::Accept]);
    assert_eq!(
        (shown(&app), app.selection.selected),
        (vec![33, 23, 13, 3], 32)
    );
}

#[test]
fn leaving_brings_everything_back() {
    let mut app = loaded(WIDE, 40, 60);
    play(
        &mut app,
        &[
            Action::Digit(7),
            Action::LastSample,
            Action::Scroll(Scroll::PageDown),
        ],
    );
    let (before, top) = (app.selection.selected, app.scrolled(Pane::Left));
    assert!(top > 0);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("3"));
    assert_ne!(app.selection.selected, before);
    play(&mut app, &[Action::Cancel]);
    assert_eq!(
        (
            needle(&app),
            app.selection.selected,
            app.shown().len(),
            app.mode()
        ),
        (None, before, 40, Mode::Read)
    );
    assert_eq!(app.scrolled(Pane::Left), top);
    // With an active search, back to that.
    search(&mut app, "3");
    play(&mut app, &[Action::NextSample, Action::Search]);
    assert_eq!(needle(&app), Some("3"), "nothing is typed yet");
    play(&mut app, &typed("5"));
    assert_eq!(shown(&app), [35, 25, 15, 5]);
    play(&mut app, &[Action::Cancel]);
    assert_eq!(
        (shown(&app), app.selection.selected, app.selection.position),
        (vec![33, 23, 13, 3], 22, 1)
    );
    // Enter on an empty line ends the search.
    play(&mut app, &[Action::Search, Action::Accept]);
    assert_eq!(
        (needle(&app), app.shown().len(), app.selection.selected),
        (None, 40, 22)
    );
}

#[test]
fn filter_and_search_go_together() {
    let mut app = loaded(WIDE, 40, 3);
    // Samples 3, 4, 8, 9, 13, … 39, counted from 1.
    enter(&mut app, Action::Filter, "helpfulness>=3");
    search(&mut app, "3");
    assert_eq!(shown(&app), [33, 23, 13, 3]);
    assert_eq!(app.shown().matching(0), app.selection.filtered.matching(12));
    play(&mut app, &[Action::NextSample]);
    assert_eq!(app.selection.selected, 22);
    enter(&mut app, Action::Filter, "helpfulness=4");
    assert_eq!((shown(&app), needle(&app)), (vec![], Some("3")));
    enter(&mut app, Action::Filter, "");
    assert_eq!(
        (shown(&app), app.selection.selected),
        (vec![33, 23, 13, 3], 22)
    );
    enter(&mut app, Action::Filter, "helpfulness>=3 sort:-row");
    assert_eq!(
        shown(&app),
        [33, 23, 13, 3],
        "the likeliest first wins over the sort"
    );
    search(&mut app, "4");
    play(&mut app, &[Action::Search, Action::Order, Action::Accept]);
    enter(&mut app, Action::Filter, "");
    search(&mut app, "4");
    assert_eq!(shown(&app), [4, 14, 24, 34]);
    enter(&mut app, Action::Command, "sort -row");
    assert_eq!(
        shown(&app),
        [34, 24, 14, 4],
        "in order means in the query's"
    );
    enter(&mut app, Action::Command, "sort");
    assert_eq!(shown(&app), [4, 14, 24, 34]);
    // Esc in the filter line leaves the search unchanged.
    play(&mut app, &[Action::Filter]);
    play(&mut app, &typed("helpfulness=0"));
    assert_eq!(shown(&app), [0; 0]);
    play(&mut app, &[Action::Cancel]);
    assert_eq!(shown(&app), [4, 14, 24, 34]);
}

#[test]
fn pieces_are_shown_as_they_come_and_late_ones_dropped() {
    let mut app = loaded(WIDE, 40, 3);
    update(&mut app, Message::Action(Action::Search));
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('3'))));
    let first = app.search_job().expect("something to ask");
    assert!(needed(&app, "search").is_some());
    assert_eq!(
        app.shown().len(),
        40,
        "what was there stays until something is found"
    );
    piece(&mut app, &first, hits(&[2]), None);
    assert_eq!((shown(&app), app.selection.selected), (vec![3], 2));
    piece(&mut app, &first, hits(&[12]), None);
    assert_eq!(
        (shown(&app), app.selection.selected),
        (vec![13, 3], 12),
        "the best so far is selected"
    );
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('1'))));
    let second = app.search_job().expect("something to ask");
    piece(&mut app, &first, hits(&[22]), None);
    assert_eq!(shown(&app), [13, 3], "of the search before");
    update(&mut app, Message::Action(Action::Accept));
    piece(&mut app, &second, hits(&[4]), None);
    piece(&mut app, &second, hits(&[14]), None);
    assert_eq!(
        app.selection.selected, 14,
        "Enter was before the best was found"
    );
    piece(&mut app, &second, Vec::new(), Some(40));
    assert!(!app.is_querying());
    // A search without results reports that only at its end.
    update(&mut app, Message::Action(Action::Search));
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('x'))));
    let third = app.search_job().expect("something to ask");
    piece(&mut app, &third, Vec::new(), None);
    assert_eq!(shown(&app), [15, 5]);
    piece(&mut app, &third, Vec::new(), Some(40));
    assert_eq!(shown(&app), [0; 0]);
    play(&mut app, &[Action::Cancel]);
    assert_eq!(
        (shown(&app), app.selection.selected),
        (vec![13], 12),
        "31 was typed; the nearest to what was selected"
    );
}

#[test]
fn many_pieces_are_all_in_order_in_the_end() {
    let mut app = loaded(WIDE, 9000, 3);
    update(&mut app, Message::Action(Action::Search));
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('3'))));
    let ask = app.search_job().expect("something to ask");
    for (first, end) in [(0, 3000), (3000, 8980), (8980, 8990), (8990, 9000)] {
        let samples: Vec<u32> = (first..end).collect();
        piece(&mut app, &ask, hits(&samples), None);
    }
    assert_eq!(
        app.shown().len(),
        8980,
        "few that come late wait until there are enough"
    );
    piece(&mut app, &ask, Vec::new(), Some(9000));
    assert!(
        shown(&app).into_iter().eq((1..=9000).rev()),
        "the last piece brings what waited"
    );
}

#[test]
fn typing_on_looks_at_what_was_found_where_the_needle_narrows() {
    use crate::search::Needle;
    let mut app = loaded(WIDE, 40, 3);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("z3"));
    for (letter, needle) in [('z', "z3z"), ('y', "z3zy")] {
        let before = app
            .search
            .sought()
            .map(|sought| Arc::clone(&sought.needle))
            .expect("a search");
        update(
            &mut app,
            Message::Action(Action::Edit(Edit::Insert(letter))),
        );
        let ask = app.search_job().expect("something to ask");
        let narrows = Needle::parse(needle).expect("a needle").narrows(&before);
        let among = narrows.then(|| vec![2, 12, 22, 32]);
        let candidates = app.query_inputs(&ask).searched.ascending();
        assert_eq!(
            (candidates, ask.positions.clone()),
            (among, 0..40),
            "{needle}"
        );
        answer(&mut app, &ask);
        assert_eq!(shown(&app), [33, 23, 13, 3]);
    }
    // Another filter has other samples.
    play(&mut app, &[Action::Accept]);
    enter(&mut app, Action::Filter, "helpfulness=3");
    assert_eq!(shown(&app), [33, 23, 13, 3]);
}

#[test]
fn the_scope_is_cycled_in_the_prompt() {
    let mut app = loaded(WIDE, 40, 3);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("3"));
    for scope in [
        SearchScope::Prompt,
        SearchScope::Responses,
        SearchScope::Quotes,
        SearchScope::Everything,
    ] {
        play(&mut app, &[Action::Complete]);
        assert_eq!(app.search.sought().map(|sought| sought.scope), Some(scope));
    }
    play(&mut app, &[Action::CompleteBack]);
    assert_eq!(app.search.scope, SearchScope::Quotes);
}

#[test]
fn a_search_is_asked_again_of_new_rows() {
    let mut app = loaded(WIDE, 40, 3);
    search(&mut app, "3");
    play(&mut app, &[Action::NextSample, Action::Reload]);
    assert_eq!(app.selection.selected, 22);
    for report in reports(rows(25, 3)) {
        update(&mut app, Message::Loaded(1, report));
        fetch(&mut app);
    }
    assert_eq!(
        (shown(&app), app.selection.selected, needle(&app)),
        (vec![23, 13, 3], 22, Some("3"))
    );
    assert!(app.page_is_current());
}

#[test]
fn rows_that_come_are_searched_too() {
    let mut app = empty(WIDE);
    let mut told = reports(rows(5000, 3));
    let rest = told.split_off(2);
    for report in told {
        update(&mut app, Message::Loaded(0, report));
    }
    fetch(&mut app);
    search(&mut app, "3");
    let first = app.shown().len();
    assert!(first > 0 && first < 500, "{first}");
    for report in rest {
        update(&mut app, Message::Loaded(0, report));
        fetch(&mut app);
    }
    assert_eq!(app.shown().len(), 500);
}

#[test]
fn searches_are_remembered() {
    let mut app = loaded(WIDE, 40, 3);
    assert_eq!(
        enter(&mut app, Action::Search, "3"),
        [Effect::Remember(LineKind::Search, "3".to_owned())]
    );
    search(&mut app, "4");
    play(
        &mut app,
        &[Action::Search, Action::Earlier, Action::Earlier],
    );
    assert_eq!(
        (app.views.line().map(|line| line.text().0), needle(&app)),
        (Some("3"), Some("3"))
    );
    play(&mut app, &[Action::Later]);
    assert_eq!(needle(&app), Some("4"));
}

/// Replaces the engine's hits for the page of the selected sample by hits at these lines of its
/// panes.
fn with_hits(app: &mut App, lines: &[(Pane, usize)]) {
    let page = Page::build_while(&app.data.dataset, app.page_key(), &|| true).expect("a page");
    let terms = app.search.sought().expect("a search").clone();
    let mut found = PageHits::find(&page, terms, &|| true).expect("not cancelled");
    found.hits.clear();
    for &(pane, line) in lines {
        let stack = page.stack(pane).expect("a pane");
        let (section, byte) = stack.anchor(line).expect("a line");
        found.hits.push(PageHit {
            pane,
            section,
            range: byte..byte + 5,
        });
    }
    let take = |app: &mut App| {
        app.take_page(page);
        app.take_page_hits(found);
    };
    update(app, Message::Apply(Apply(Box::new(take))));
}

const HITS: [(Pane, usize); 3] = [(Pane::Prompt, 0), (Pane::Left, 40), (Pane::Right, 100)];

/// Returns a search with results 3, 13, 23 and 33, at the first of them. The engine has no marks
/// for it.
fn walking() -> App {
    let mut app = loaded(WIDE, 40, 60);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("z3z"));
    play(&mut app, &[Action::Order]);
    with_hits(&mut app, &HITS);
    play(&mut app, &[Action::Accept]);
    app
}

#[test]
fn hits_are_walked_over_panes_and_samples() {
    let mut app = walking();
    assert_eq!((app.selection.selected, app.hit()), (2, Some((None, 3))));
    for (pane, line, at) in [
        (Pane::Prompt, 0, 0),
        (Pane::Left, 40, 1),
        (Pane::Right, 100, 2),
    ] {
        update(&mut app, Message::Action(Action::NextHit));
        assert_eq!((app.layout.focus, app.hit()), (pane, Some((Some(at), 3))));
        let top = app.scrolled(pane);
        assert!(
            (top..top + app.text_height(pane)).contains(&line),
            "{pane:?}: {line} from {top}"
        );
    }
    update(&mut app, Message::Action(Action::PreviousHit));
    assert_eq!(
        (app.layout.focus, app.hit()),
        (Pane::Left, Some((Some(1), 3)))
    );
    update(&mut app, Message::Action(Action::NextHit));
    update(&mut app, Message::Action(Action::NextHit));
    assert_eq!(
        (app.selection.selected, app.hit(), app.search.wrapped),
        (12, None, false)
    );
    with_hits(&mut app, &HITS);
    assert_eq!(
        (app.layout.focus, app.hit()),
        (Pane::Prompt, Some((Some(0), 3))),
        "the first of the next sample"
    );
    update(&mut app, Message::Action(Action::PreviousHit));
    with_hits(&mut app, &HITS);
    assert_eq!(
        (app.selection.selected, app.layout.focus, app.hit()),
        (2, Pane::Right, Some((Some(2), 3))),
        "the last of the one before"
    );
    for action in [Action::Digit(2), Action::PreviousHit, Action::PreviousHit] {
        update(&mut app, Message::Action(action));
    }
    with_hits(&mut app, &HITS);
    assert_eq!(
        (app.selection.selected, app.hit(), app.search.wrapped),
        (32, Some((Some(2), 3)), true)
    );
    update(&mut app, Message::Action(Action::NextHit));
    assert_eq!((app.selection.selected, app.search.wrapped), (2, true));
}

#[test]
fn texts_that_a_filter_asks_for_are_marked_and_walked_until_something_is_searched() {
    let mut app = loaded(WIDE, 3, 2);
    enter(
        &mut app,
        Action::Filter,
        "response:\"of a\" -prompt:nowhere",
    );
    fetch(&mut app);
    assert_eq!(app.hit(), Some((None, 6)), "two in A, four in B");
    for (times, pane, at) in [(1, Pane::Left, 0), (2, Pane::Right, 2)] {
        for _ in 0..times {
            update(&mut app, Message::Action(Action::NextHit));
        }
        assert_eq!((app.layout.focus, app.hit()), (pane, Some((Some(at), 6))));
    }
    let styles = |app: &App, pane| -> Vec<_> {
        let lines = (0..4).flat_map(|line| app.highlights(pane, line));
        lines.map(|(range, style)| (range.len(), style)).collect()
    };
    assert!(styles(&app, Pane::Left).contains(&(4, TextStyle::HIT)));
    assert_eq!(styles(&app, Pane::Prompt), [], "not asked for there");
    update(&mut app, Message::Action(Action::PreviousHit));
    update(&mut app, Message::Action(Action::PreviousHit));
    update(&mut app, Message::Action(Action::PreviousHit));
    assert_eq!(
        app.selection.selected, 2,
        "the last of the sample before the first"
    );
    search(&mut app, "sample");
    fetch(&mut app);
    assert_eq!(app.hit().map(|(_, hits)| hits), Some(1), "what is searched");
    for (filter, hits) in [
        ("-\"of a\" or helpfulness>=0", None),
        ("not (helpfulness<0 or -\"of a\")", Some(6)),
        ("prompt:/s.m/ or \"of a\"", Some(7)),
        ("helpfulness>=0", None),
    ] {
        let mut app = loaded(WIDE, 3, 2);
        enter(&mut app, Action::Filter, filter);
        fetch(&mut app);
        assert_eq!(app.hit().map(|(_, hits)| hits), hits, "{filter}");
    }
}

#[test]
fn as_many_hits_are_gone_as_keys_were_typed() {
    let places = |app: &App| (app.selection.selected, app.hit().and_then(|(at, _)| at));
    let arrive = |app: &mut App| {
        let samples = (0..20).take_while(|_| {
            app.page().is_some_and(|page| page.key != app.page_key()) && {
                with_hits(app, &HITS);
                true
            }
        });
        samples.count()
    };
    // Samples 3, 13, 23 and 33 have three hits each.
    for (keys, place, pages) in [
        (&[(10, true)][..], (32, Some(0)), 3),
        (&[(1, true); 10], (32, Some(0)), 3),
        (&[(5, true), (1, false), (1, false)], (2, Some(2)), 2),
        (&[(4, true), (2, true), (9, false)], (22, Some(2)), 4),
        (&[(1, false)], (32, Some(2)), 1),
        (&[(3, false)], (32, Some(0)), 1),
        (&[(14, true)], (2, Some(1)), 4),
    ] {
        let mut app = walking();
        for &(count, forward) in keys {
            let digits = count.to_string();
            let digits = digits.bytes().map(|digit| Action::Digit(digit - b'0'));
            for action in digits.chain([if forward {
                Action::NextHit
            } else {
                Action::PreviousHit
            }]) {
                update(&mut app, Message::Action(action));
            }
        }
        assert_eq!((arrive(&mut app), places(&app)), (pages, place), "{keys:?}");
    }
    // Another key ends it.
    let mut app = walking();
    for action in [Action::Digit(9), Action::NextHit, Action::NextPane] {
        update(&mut app, Message::Action(action));
    }
    assert_eq!((arrive(&mut app), places(&app)), (1, (12, Some(0))));
}

#[test]
fn keys_that_come_before_the_answer_wait_for_it() {
    let mut app = loaded(WIDE, 40, 60);
    play(&mut app, &[Action::Search]);
    for action in typed("3").into_iter().chain([
        Action::Order,
        Action::Accept,
        Action::NextHit,
        Action::NextHit,
    ]) {
        update(&mut app, Message::Action(action));
    }
    assert_eq!(app.selection.selected, 0, "nothing is known yet");
    let ask = app.search_job().expect("something to ask");
    // The page of the sample before the search must not be used.
    with_hits(&mut app, &HITS);
    assert_eq!((app.selection.selected, app.hit()), (0, Some((None, 3))));
    answer(&mut app, &ask);
    assert_eq!(app.selection.selected, 2);
    with_hits(&mut app, &HITS);
    assert_eq!(
        (app.selection.selected, app.hit()),
        (2, Some((Some(2), 3))),
        "two from the first, which is in sight"
    );
    // Without results, pending steps are dropped.
    for action in [Action::Search]
        .into_iter()
        .chain(typed("x"))
        .chain([Action::Accept, Action::NextHit])
    {
        update(&mut app, Message::Action(action));
    }
    let ask = app.search_job().expect("something to ask");
    answer(&mut app, &ask);
    play(&mut app, &[Action::Cancel]);
    assert_eq!((needle(&app), app.selection.selected), (None, 2));
}

#[test]
fn the_only_sample_is_gone_round() {
    let mut app = loaded(WIDE, 3, 60);
    search(&mut app, "z3z");
    with_hits(&mut app, &HITS);
    for (at, wrapped) in [(0, false), (1, false), (2, false), (0, true)] {
        update(&mut app, Message::Action(Action::NextHit));
        assert_eq!(
            (app.hit(), app.search.wrapped),
            (Some((Some(at), 3)), wrapped)
        );
    }
    let digits = "1000000001"
        .bytes()
        .map(|digit| Action::Digit(digit - b'0'));
    for action in digits.chain([Action::NextHit]) {
        update(&mut app, Message::Action(action));
    }
    assert_eq!((app.hit(), app.search.wrapped), (Some((Some(2), 3)), true));
}

#[test]
fn the_current_hit_differs_from_the_others() {
    use crate::text::TextStyle;
    let mut app = walking();
    let here = |app: &App| -> Vec<Pane> {
        let page = app.page().expect("a page");
        let worn = |pane: &Pane| {
            let lines = page.stack(*pane).map_or(0, PaneText::len);
            let mut styles = (0..lines).flat_map(|line| app.highlights(*pane, line));
            styles.any(|(_, style)| style.contains(TextStyle::HERE))
        };
        let panes = [Pane::Prompt, Pane::Left, Pane::Right].into_iter();
        panes.filter(worn).collect()
    };
    assert_eq!(here(&app), []);
    for pane in [Pane::Prompt, Pane::Left, Pane::Right] {
        update(&mut app, Message::Action(Action::NextHit));
        assert_eq!(here(&app), [pane]);
    }
    // Another width keeps the hit.
    update(&mut app, Message::Resize(100, 30));
    with_hits(&mut app, &HITS);
    assert_eq!(
        (app.hit(), here(&app)),
        (Some((Some(2), 3)), vec![Pane::Right])
    );
    play(&mut app, &[Action::Cancel]);
    assert_eq!((app.hit(), here(&app)), (None, vec![]));
}

#[test]
fn typing_shows_the_first_hit_and_leaves_the_focus() {
    let mut app = loaded(WIDE, 40, 60);
    play(&mut app, &[Action::Search]);
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('3'))));
    let ask = app.search_job().expect("something to ask");
    answer(&mut app, &ask);
    with_hits(&mut app, &[(Pane::Right, 100)]);
    let top = app.scrolled(Pane::Right);
    assert!(
        (top..top + app.text_height(Pane::Right)).contains(&100),
        "{top}"
    );
    assert_eq!(
        (app.layout.focus, app.hit()),
        (Pane::Left, Some((Some(0), 1)))
    );
}

#[test]
fn a_page_that_was_there_before_the_answer_shows_its_first_hit_too() {
    let mut app = loaded(WIDE, 40, 60);
    play(&mut app, &[Action::Search]);
    play(&mut app, &typed("z3"));
    update(&mut app, Message::Action(Action::Edit(Edit::Insert('z'))));
    let ask = app.search_job().expect("something to ask");
    with_hits(&mut app, &[(Pane::Left, 50)]);
    assert_eq!(app.hit(), Some((None, 1)));
    update(&mut app, Message::Action(Action::Accept));
    answer(&mut app, &ask);
    fetch(&mut app);
    assert_eq!(
        (app.hit(), app.layout.focus),
        (Some((Some(0), 1)), Pane::Left)
    );
}

#[test]
fn a_search_that_is_typed_builds_no_page_of_the_open_sample() {
    let mut app = loaded(WIDE, 40, 60);
    // The test engine matches every sample, this one first.
    play(&mut app, &[Action::LastSample, Action::Search]);
    for letter in "words".chars() {
        update(
            &mut app,
            Message::Action(Action::Edit(Edit::Insert(letter))),
        );
        assert_eq!(
            (fetch(&mut app), app.selection.selected),
            (0, 39),
            "{letter}"
        );
        let hits = app.hit().map(|(_, hits)| hits);
        assert_eq!(hits, Some(180), "{letter}: it is marked all the same");
    }
    for action in [Action::Edit(Edit::Backspace), Action::Cancel] {
        update(&mut app, Message::Action(action));
        assert_eq!(fetch(&mut app), 0, "{action:?}");
    }
    assert_eq!((app.hit(), app.highlights(Pane::Left, 0)), (None, vec![]));
}

#[test]
fn without_a_search_there_are_no_hits() {
    let mut app = loaded(WIDE, 4, 3);
    play(&mut app, &[Action::NextHit]);
    assert_eq!(
        (app.notice(), app.selection.selected),
        (Some("No active search; press `search` to search."), 0)
    );
    // Without results there is no hit to go to.
    search(&mut app, "x");
    play(&mut app, &[Action::NextHit]);
    assert_eq!(app.shown().len(), 0);
}

#[test]
fn no_older_or_newer_line_changes_nothing() {
    let mut app = loaded(WIDE, 9, 3);
    enter(&mut app, Action::Search, "sample");
    play(&mut app, &[Action::Search, Action::Later]);
    assert!(app.search.sought().is_some(), "the search stays");
    play(&mut app, &[Action::Cancel, Action::Command]);
    play(&mut app, &typed("foo"));
    play(&mut app, &[Action::Accept, Action::Later]);
    let error = app.views.line().and_then(|line| line.error.as_ref());
    assert!(error.is_some_and(|error| error.message.contains("foo")));
}
