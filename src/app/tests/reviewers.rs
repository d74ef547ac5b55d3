//! Several reviewers: agreement matrices that lead to samples, and adjudication by a third.

use super::audits::{handed_to, lines};
use super::reviewing::{act, by_another, digits, reviewer, write};
use super::*;
use crate::journal::{Act, Judgment, Setting};
use crate::model::ResponseId;

/// Ann rates everything in the first two samples 2; ben rates only the helpfulness of A: 4 in the
/// first sample, 2 in the second.
fn judged() -> App {
    let mut app = reviewer(4);
    act(&mut app, &[Action::Rate]);
    digits(&mut app, "22222222222222222222");
    act(&mut app, &[Action::Cancel]);
    for (sample, value) in [(0, 4.0), (1, 2.0)] {
        let rated = Judgment::Label {
            label: "helpfulness".into(),
            response: ResponseId::A,
            value: Some(value),
        };
        let setting = Setting::default();
        by_another(&mut app, sample, Act::Rate { rated, setting });
    }
    app
}

fn filter(app: &App) -> Option<&str> {
    app.filter.active().map(|one| one.text.as_str())
}

#[test]
fn a_cell_of_a_matrix_leads_to_its_samples_and_back() {
    let mut app = judged();
    act(&mut app, &[Action::Agreement, Action::Agreement]);
    let pair = lines(&app).iter().position(|line| *line == "ann and ben");
    assert_eq!(pair, Some(3), "{:?}", lines(&app));
    act(&mut app, &[Action::NextSample; 3]);
    act(&mut app, &[Action::Accept]);
    assert!(is_on::<AgreementScreen>(&app));
    let at = |app: &App| {
        let spots = page(app).doc.spots.get(page(app).at);
        spots.map(|cell| (cell.y, cell.x))
    };
    let first = at(&app).expect("a cell");
    act(&mut app, &[Action::Zoom]);
    assert_eq!(app.notice(), Some("No sample is in this cell."));
    // Down to ann's row of 2, and across to ben's 4: a count jumps there.
    digits(&mut app, "2");
    act(&mut app, &[Action::NextSample]);
    digits(&mut app, "9");
    act(&mut app, &[Action::NextPane]);
    assert_eq!(at(&app).map(|(line, _)| line), Some(first.0 + 2));
    act(&mut app, &[Action::Zoom]);
    assert_eq!(filter(&app), Some("ann.helpfulness=2 ben.helpfulness=4"));
    let shown: Vec<_> = app.shown().samples(0..9).collect();
    assert_eq!((app.mode(), shown), (Mode::Read, vec![0]));
    act(&mut app, &[Action::Cancel]);
    assert_eq!((is_on::<AgreementScreen>(&app), filter(&app)), (true, None));
    assert_eq!(at(&app).map(|(line, _)| line), Some(first.0 + 2));
    act(&mut app, &[Action::Cancel]);
    assert_eq!((app.mode(), app.shown().len()), (Mode::Read, 4));
}

#[test]
fn a_third_reviewer_decides_without_seeing_what_the_two_said() {
    let app = judged();
    let mut third = handed_to("zoe", &app);
    write(&mut third, Action::Command, "adjudicate ann zoe");
    assert!(third.running().is_none(), "zoe is no third");
    act(&mut third, &[Action::Cancel]);
    write(&mut third, Action::Command, "adjudicate BEN ann");
    let running = third.running().expect("an audit");
    assert_eq!(
        (running.settled_of_all(), running.session.audit.blind),
        ((0, 1), true)
    );
    let shown: Vec<_> = third.shown().samples(0..9).collect();
    assert_eq!(shown, [0], "where they differ alone");
    assert!(third.mask().hidden && third.judgments_of_others().is_empty());
    digits(&mut third, "333");
    // It resumes where it was left.
    write(&mut third, Action::Command, "audit off");
    write(&mut third, Action::Command, "adjudicate ann ben");
    assert!(third.mask().hidden && third.judgments_of_others().is_empty());
    digits(&mut third, "3333333");
    let names: Vec<_> = third.judgments_of_others();
    let names: Vec<_> = names.iter().map(|one| &*one.reviewer).collect();
    assert_eq!((third.mask().hidden, names), (false, vec!["ann", "ben"]));
    let others = &third.rate_rows()[0].others;
    assert_eq!(others.len(), 2, "both are beside the own rating");
    write(&mut third, Action::Command, "audit off");
    write(&mut third, Action::Command, "adjudicate ann ben");
    let running = third.running().expect("it opens as finished");
    assert!(running.progress.is_finished());
}

#[test]
fn no_key_leads_from_an_adjudication_to_what_the_two_said() {
    let app = judged();
    let mut third = handed_to("zoe", &app);
    act(&mut third, &[Action::Agreement, Action::Agreement]);
    let pair = lines(&third).iter().position(|line| *line == "ann and ben");
    act(
        &mut third,
        &vec![Action::NextSample; pair.expect("the two")],
    );
    act(
        &mut third,
        &[Action::Accept, Action::NextSample, Action::NextSample],
    );
    act(&mut third, &[Action::NextPane; 4]);
    act(&mut third, &[Action::Zoom]);
    let cell = "ann.helpfulness=2 ben.helpfulness=4";
    assert_eq!(filter(&third), Some(cell));
    write(&mut third, Action::Command, "adjudicate ann ben");
    assert!(third.running().is_some() && third.mask().hidden);
    act(&mut third, &[Action::Cancel; 4]);
    assert_eq!((third.mode(), filter(&third)), (Mode::Read, Some(cell)));
    assert!(third.mask().hidden);
}

#[test]
fn the_menu_of_audits_offers_no_adjudication_of_own_judgments() {
    let mut third = handed_to("zoe", &judged());
    write(&mut third, Action::Command, "adjudicate ann ben");
    act(&mut third, &[Action::Cancel]);
    for (name, is_offered) in [("eve", true), ("ann", false), ("ben", false)] {
        let mut other = handed_to(name, &third);
        write(&mut other, Action::Command, "audit");
        let joins = lines(&other).iter().any(|line| line.contains("  zoe  "));
        assert_eq!(joins, is_offered, "{name}: {:?}", lines(&other));
        act(&mut other, &[Action::Cancel]);
        write(&mut other, Action::Command, "audits");
        let note = other.views.top_menu().map(|menu| &*menu.lines[0].note);
        let named = note.is_some_and(|note| {
            note.starts_with("adjudication of 1 where ann and ben disagree blind")
        });
        assert!(named, "{note:?}");
    }
}

#[test]
fn judgments_of_others_use_the_letters_on_the_screen() {
    let app = judged();
    let mut third = handed_to("zoe", &app);
    write(&mut third, Action::Command, "adjudicate ann ben");
    digits(&mut third, "3333333333");
    // This draw shows the responses in swapped order.
    let shown = third.mask().order.shown(ResponseId::A);
    assert_eq!(shown, ResponseId::B);
    let ben = &third.judgments_of_others()[1];
    let values = [ResponseId::A, ResponseId::B].map(|of| ben.label("helpfulness", of));
    assert_eq!(values, [None, Some(4.0)]);
    let others = &third.rate_rows()[0].others;
    assert_eq!(others[1].1, "– 4");
}
