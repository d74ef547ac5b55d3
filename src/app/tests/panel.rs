//! The labels panel and the sort menu: both write a query.

use super::super::charts::Charts;
use super::filtering::enter;
use super::*;
use crate::journal::Reveal;
use crate::schema::SchemaCatalog;

/// Opens the panel on 40 samples whose helpfulness is 1, 2, 3, 4, 0, 1, ….
fn opened() -> App {
    let mut app = loaded(WIDE, 40, 1);
    play(&mut app, &[Action::LabelsPanel]);
    fetch(&mut app);
    app
}

fn query(app: &App) -> &str {
    app.filter.active().map_or("", |one| one.text.as_str())
}

fn handles(app: &mut App, handles: &[PanelAction]) {
    for &handle in handles {
        play(app, &[Action::Handle(handle)]);
        fetch(app);
    }
}

#[test]
fn handles_write_the_query_that_they_mean() {
    use PanelAction::{Clear, HighDown, HighUp, LowDown, LowUp, NextView};
    for (moved, expected) in [
        (&[LowUp][..], "helpfulness>=1"),
        (&[LowUp, LowUp, HighDown], "helpfulness:2..3"),
        (&[HighDown, HighDown], "helpfulness<=2"),
        (&[LowUp, LowDown], ""),
        (&[LowDown, HighUp], ""),
        // The ends may meet but not cross.
        (&[LowUp, LowUp, LowUp, LowUp, LowUp, LowUp], "helpfulness=4"),
        (&[LowUp, Clear], ""),
        (&[NextView, LowUp], "both.helpfulness>=1"),
        (&[NextView, NextView, HighDown], "a.helpfulness<=3"),
        (
            &[NextView, NextView, NextView, NextView, LowUp],
            "gap.helpfulness>=1",
        ),
        // Another side is another term.
        (
            &[LowUp, NextView, NextView, HighDown],
            "helpfulness>=1 a.helpfulness<=3",
        ),
    ] {
        let mut app = opened();
        handles(&mut app, moved);
        assert_eq!(query(&app), expected, "{moved:?}");
    }
}

#[test]
fn a_lower_terminal_scrolls_the_list_no_further_than_the_drawer_needs() {
    let mut app = loaded((120, 48), 40, 1);
    play(&mut app, &[Action::LabelsPanel]);
    fetch(&mut app);
    play(&mut app, &[Action::Handle(PanelAction::NextSample); 15]);
    update(&mut app, Message::Resize(120, 30));
    let (top, height) = (app.list.top, app.list_height());
    // The selected sample, at position 15, is the last visible one.
    assert_eq!(top, 16 - height.min(16));
}

#[test]
fn counts_have_rows_after_the_labels() {
    let mut app = opened();
    let names: Vec<_> = {
        let rows = &app.views.panel().expect("a panel").rows;
        rows.iter().map(|row| row.column.name.to_owned()).collect()
    };
    let expected = [
        "helpfulness",
        "correctness",
        "coherence",
        "complexity",
        "verbosity",
        "margin",
        "len.response",
        "len.prompt",
        "turns",
        "lines.response",
    ];
    assert_eq!(names, expected);
    let choose = |app: &mut App, name: &str| {
        let place = expected.iter().position(|known| *known == name);
        play(app, &[Action::FirstSample]);
        play(app, &vec![Action::NextSample; place.expect("a row")]);
    };
    choose(&mut app, "len.response");
    let chart = app.chart_named("len.response").expect("lengths");
    assert_eq!(chart.counts.iter().sum::<usize>(), 80);
    handles(&mut app, &[PanelAction::NextView, PanelAction::NextView]);
    handles(&mut app, &[PanelAction::HighDown]);
    assert!(query(&app).starts_with("a.len.response"), "{}", query(&app));
    choose(&mut app, "turns");
    handles(&mut app, &[PanelAction::NextView]);
    assert_eq!(
        app.notice(),
        Some("turns belongs to the sample, not to a response.")
    );
}

#[test]
fn a_digit_is_a_value_and_no_count() {
    let mut app = opened();
    play(&mut app, &[Action::Digit(3)]);
    fetch(&mut app);
    assert_eq!(
        (query(&app), app.shown().len(), app.status.count),
        ("helpfulness=3", 8, None)
    );
    play(&mut app, &[Action::Digit(3)]);
    assert_eq!(query(&app), "");
    play(&mut app, &[Action::Digit(7)]);
    assert_eq!(
        (query(&app), app.notice()),
        ("", Some("This row does not have the value 7."))
    );
}

#[test]
fn what_is_typed_shows_in_the_panel() {
    let mut app = loaded(WIDE, 40, 1);
    enter(
        &mut app,
        Action::Filter,
        "a.helpfulness in (0, 4) sort:-sample",
    );
    play(&mut app, &[Action::LabelsPanel]);
    fetch(&mut app);
    let panel = app.views.panel().expect("a panel");
    assert_eq!(
        panel.rows[0].view,
        crate::query::Aggregate::At(crate::model::ResponseId::A)
    );
    assert_eq!(
        app.views.panel().expect("a panel").chosen_bins(0, &app),
        Some(vec![true, false, false, false, true])
    );
    // Moving a handle keeps the rest of the query.
    handles(&mut app, &[PanelAction::LowUp]);
    assert_eq!(query(&app), "a.helpfulness>=1 sort:-sample");
    // While a filter is typed again, the panel stays open and follows.
    enter(&mut app, Action::Filter, "a.helpfulness=2");
    assert_eq!(
        (app.mode(), app.views.panel().is_some()),
        (Mode::Panel, true)
    );
    assert_eq!(
        app.views.panel().expect("a panel").chosen_bins(0, &app),
        Some(vec![false, false, true, false, false])
    );
}

#[test]
fn charts_count_each_side_of_all_samples() {
    let app = uneven_pairs();
    let chart = app.chart_named("helpfulness").expect("a chart");
    let [a, b] = chart.sides.as_ref().expect("two sides");
    assert_eq!(
        (&a[..], &b[..]),
        (&[1, 0, 1, 1, 2][..], &[1, 1, 0, 2, 1][..])
    );
    assert_eq!(chart.counts, [2, 1, 1, 3, 3]);
    // Pairs with the same two values, in either order, of all pairs.
    assert_eq!((chart.like([4, 3]), chart.like([3, 4])), ((1, 5), (1, 5)));
    assert_eq!((chart.like([3, 3]), chart.like([1, 4])), ((1, 5), (1, 5)));
    // A filter does not change them, and the values of the sample are those in its panes.
    let mut app = app;
    play(&mut app, &[Action::LabelsPanel, Action::Digit(3)]);
    fetch(&mut app);
    assert_eq!(query(&app), "helpfulness=3");
    let of_all = app.chart_named("helpfulness").map(|chart| &chart.counts);
    assert_eq!(of_all, Some(&vec![2, 1, 1, 3, 3]));
    let field = app.views.panel().expect("a panel").rows[0];
    assert_eq!(app.pair_words(field), "3:3");
}

#[test]
fn the_card_has_charts_and_counting_them_can_be_cancelled() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let mut app = loaded(WIDE, 5000, 1);
    assert!(app.chart_named("helpfulness").is_some(), "with the page");
    app.charts = Charts::default();
    let job = needed(&app, "charts").expect("the card's");
    assert!(!job.is_brief, "the first frame does not wait for it");
    let asked = AtomicUsize::new(0);
    let counted = |up_to: usize| {
        asked.store(0, Relaxed);
        let keep_going = || asked.fetch_add(1, Relaxed) < up_to;
        job.run(&keep_going, &|_| {}).is_some()
    };
    assert!(counted(usize::MAX));
    let asks = asked.load(Relaxed);
    // Blocks of 2,048 samples, at least twice for each row.
    assert!(asks >= 6, "{asks}");
    for up_to in 0..asks {
        assert!(!counted(up_to), "unwanted from question {up_to} on");
    }
}

#[test]
fn the_pointer_asks_for_values() {
    let mut app = opened();
    let area = app.geometry().panel();
    let panel = app.views.panel().expect("a panel");
    let places = app.label_places(panel, area);
    let slot = places.slot_width(app.chart(panel.rows[0]).expect("a chart"));
    let column = |bin: u16| places.slots + slot * bin;
    let row = places.first_row(area);
    update(&mut app, Message::Pointer(Pointer::Press(column(3), row)));
    assert_eq!(query(&app), "helpfulness=3");
    update(
        &mut app,
        Message::Pointer(Pointer::Drag(column(1), row + 9)),
    );
    update(&mut app, Message::Pointer(Pointer::Release));
    assert_eq!(query(&app), "helpfulness:1..3");
    update(&mut app, Message::Pointer(Pointer::Drag(column(4), row)));
    assert_eq!(query(&app), "helpfulness:1..3", "it was let go");
    update(&mut app, Message::Pointer(Pointer::Press(places.pair, row)));
    assert_eq!(
        app.views.panel().expect("a panel").rows[0].view,
        crate::query::Aggregate::All
    );
}

#[test]
fn the_pointer_finds_slots_of_one_cell_after_long_values() {
    // Eleven lengths have one cell each in the card's place.
    let rows = (0..24).map(|at| {
        let response = "x".repeat(7 * (at + 1) * (at + 1));
        format!(
            "{{\"prompt\": \"{}\", \"response\": \"{response}\", \"helpfulness\": 1}}\n",
            at / 2
        )
    });
    let mut app = empty(WIDE);
    load(&mut app, 0, rows.collect::<String>().leak().as_bytes());
    play(
        &mut app,
        &[Action::LabelsPanel, Action::Toggle(Toggle::Folds)],
    );
    fetch(&mut app);
    let area = app.geometry().panel();
    let panel = app.views.panel().expect("a panel");
    let names = panel.rows.iter().map(|row| row.column.name);
    let row = names
        .into_iter()
        .position(|name| name == "len.response")
        .expect("lengths");
    let (field, places) = (panel.rows[row], app.label_places(panel, area));
    let place = app.histogram_place(field, &places);
    assert_eq!((place.slot, place.start > places.slots), (1, true));
    let bins = &app.chart(field).expect("lengths").bins;
    let (_, high) = bins.ends(0);
    let line = places.first_row(area) + (row - panel.top(area)) as u16;
    update(
        &mut app,
        Message::Pointer(Pointer::Press(place.start, line)),
    );
    assert_eq!(query(&app), format!("len.response<{high}"));
    // Its pair of values is no slot.
    update(
        &mut app,
        Message::Pointer(Pointer::Press(places.pair, line)),
    );
    assert_eq!(query(&app), format!("len.response<{high}"));
}

#[test]
fn charts_are_hidden_with_the_labels() {
    let mut app = opened();
    let field = app.views.panel().expect("a panel").rows[0];
    assert!(app.chart(field).is_some() && app.is_charted(field));
    enter(&mut app, Action::Command, "blind");
    assert!(app.is_blind() && app.chart(field).is_none() && !app.is_charted(field));
}

#[test]
fn the_panel_closes_and_keeps_the_filter_but_for_esc() {
    for (closing, expected) in [
        (Action::LabelsPanel, "helpfulness=3"),
        (Action::Back, "helpfulness=3"),
        (Action::Cancel, "helpfulness<=3"),
    ] {
        let mut app = loaded(WIDE, 40, 1);
        enter(&mut app, Action::Filter, "helpfulness<=3");
        play(&mut app, &[Action::LabelsPanel, Action::Digit(3), closing]);
        assert_eq!(
            (app.mode(), app.views.panel().is_some(), query(&app)),
            (Mode::Read, false, expected)
        );
    }
}

#[test]
fn samples_go_by_while_the_panel_is_open() {
    let mut app = opened();
    handles(
        &mut app,
        &[
            PanelAction::NextSample,
            PanelAction::NextSample,
            PanelAction::PreviousSample,
        ],
    );
    assert_eq!(app.selection.selected, 1);
}

#[test]
fn letters_find_a_line_of_the_sort_menu() {
    let mut app = loaded(WIDE, 40, 1);
    let typed = |letters: &str| -> Vec<Action> {
        let letters = letters.chars();
        letters
            .map(|letter| Action::Edit(Edit::Insert(letter)))
            .collect()
    };
    play(&mut app, &[Action::Sort]);
    play(&mut app, &typed("gap"));
    play(&mut app, &[Action::Accept]);
    assert_eq!(
        query(&app),
        "sort:-gap.helpfulness",
        "the order of the menu decides"
    );
    // Tab adds the found line; then another one is typed, and Enter closes the menu.
    play(&mut app, &[Action::Sort]);
    play(&mut app, &typed("/verb"));
    play(&mut app, &[Action::Complete]);
    assert_eq!(query(&app), "sort:-gap.helpfulness sort:-verbosity");
    play(&mut app, &typed("compl"));
    play(&mut app, &[Action::Complete, Action::Accept]);
    let both = "sort:-gap.helpfulness sort:-verbosity sort:-complexity";
    assert_eq!((query(&app), app.mode()), (both, Mode::Read));
    play(&mut app, &[Action::Sort]);
    play(&mut app, &typed("verb"));
    // Esc clears the typed text; the second Esc closes the menu.
    let name = |app: &App| Some(app.views.top_menu()?.chosen_line()?.text.clone());
    play(&mut app, &[Action::Cancel]);
    assert_eq!(
        (app.mode(), name(&app).as_deref()),
        (Mode::Menu, Some("verbosity"))
    );
    play(&mut app, &typed("zzz"));
    assert_eq!(name(&app), None);
    play(
        &mut app,
        &[
            Action::Accept,
            Action::Complete,
            Action::Later,
            Action::NextSample,
        ],
    );
    assert_eq!(app.mode(), Mode::MenuSearch, "nothing was found to do");
    play(&mut app, &[Action::Cancel, Action::Cancel]);
    assert_eq!(app.mode(), Mode::Read);
}

#[test]
fn counts_are_folded_below_the_labels() {
    let mut app = loaded(WIDE, 40, 1);
    play(&mut app, &[Action::LabelsPanel]);
    let rows = |app: &App| app.views.panel().map(|panel| (panel.shown, panel.chosen));
    let (labels, _) = rows(&app).expect("the panel");
    let all = app.views.panel().map_or(0, |panel| panel.rows.len());
    assert!(0 < labels && labels < all);
    play(&mut app, &[Action::LastSample]);
    assert_eq!(rows(&app), Some((labels, labels - 1)));
    play(&mut app, &[Action::NextSample]);
    assert_eq!(rows(&app), Some((all, labels)), "going on unfolds them");
    play(&mut app, &[Action::Toggle(Toggle::Folds)]);
    assert_eq!(rows(&app), Some((labels, labels - 1)));
    // A count that the filter uses is not folded.
    play(&mut app, &[Action::LabelsPanel]);
    enter(&mut app, Action::Filter, "turns>=1");
    play(&mut app, &[Action::LabelsPanel]);
    assert_eq!(rows(&app).map(|(shown, _)| shown), Some(all));
}

#[test]
fn candidates_have_charts_over_all_samples_but_not_while_labels_are_hidden() {
    let mut app = loaded(WIDE, 40, 1);
    let letter = Action::Edit(Edit::Insert('h'));
    play(&mut app, &[Action::Filter, letter]);
    fetch(&mut app);
    assert_eq!(needed(&app, "charts"), None, "they are there");
    let chart = app.chart_named("helpfulness").expect("a chart");
    let counted: usize = chart.counts.iter().sum();
    assert_eq!(counted, 80, "two responses of each sample");
    let mut blind = loaded(WIDE, 40, 1);
    blind.introduce(
        "ann",
        Some(Blind {
            reveal: Reveal::Never,
            strict: true,
        }),
        PendingOpening::default(),
    );
    play(&mut blind, &[Action::Filter, letter]);
    fetch(&mut blind);
    let line = blind.views.line().expect("a line");
    assert!(line.suggestions.is_some() && blind.chart_named("helpfulness").is_none());
    assert_eq!(needed(&blind, "charts"), None);
}

#[test]
fn the_sort_menu_writes_sort_terms() {
    let mut app = loaded(WIDE, 40, 1);
    enter(&mut app, Action::Filter, "helpfulness>=3");
    let choose = |app: &mut App, name: &str, how: Action| {
        play(app, &[Action::Sort]);
        let menu = app.views.top_menu().expect("a menu");
        let steps = menu
            .lines
            .iter()
            .position(|line| line.text == name)
            .expect(name);
        play(app, &[Action::FirstSample]);
        (0..steps).for_each(|_| drop(play(app, &[Action::NextSample])));
        play(app, &[how]);
        if app.views.top_menu().is_some() {
            play(app, &[Action::Cancel]);
        }
    };
    for (name, how, expected) in [
        (
            "len.response",
            Action::Accept,
            "helpfulness>=3 sort:-len.response",
        ),
        (
            "len.response",
            Action::Accept,
            "helpfulness>=3 sort:len.response",
        ),
        (
            "gap.helpfulness",
            Action::Add,
            "helpfulness>=3 sort:len.response sort:-gap.helpfulness",
        ),
        (
            "gap.helpfulness",
            Action::Add,
            "helpfulness>=3 sort:len.response sort:gap.helpfulness",
        ),
        ("verdict", Action::Accept, "helpfulness>=3 sort:verdict"),
        ("random(1)", Action::Accept, "helpfulness>=3 sort:random(1)"),
        ("random(2)", Action::Accept, "helpfulness>=3 sort:random(2)"),
        ("file order", Action::Accept, "helpfulness>=3"),
    ] {
        choose(&mut app, name, how);
        assert_eq!(query(&app), expected, "{name}");
    }
    read(&mut app);
    assert_eq!(app.shown().len(), 16);
}

#[test]
fn a_score_that_no_sample_has_says_so() {
    let mut app = empty(WIDE);
    let row = r#"{"question": {"full_text": "q"}, "answer_0": "a", "answer_1": "b", "score_0": null, "score_1": null,
        "quotes_0": [], "quotes_1": [], "tokens_0": {}, "tokens_1": {}}"#;
    let bytes = row.replace('\n', " ").into_bytes().leak();
    let schema = SchemaCatalog::default()
        .named("webgpt-flat")
        .expect("built in")
        .schema();
    for report in reports_as(bytes, SchemaChoice::Named(schema)) {
        update(&mut app, Message::Loaded(0, report));
    }
    fetch(&mut app);
    play(&mut app, &[Action::LabelsPanel, Action::Digit(1)]);
    assert_eq!(
        (app.notice(), query(&app)),
        (Some("No sample has a value for this field."), "")
    );
}
