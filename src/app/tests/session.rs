//! What is saved for the next run.

use std::num::NonZeroUsize;

use super::*;
use crate::app::job::Apply;
use crate::dataset::SampleName;

/// The state after a run without changes, except for the filter.
fn kept(filter: &str) -> SessionState {
    SessionState {
        sample: NonZeroUsize::MIN.saturating_add(1),
        key: None,
        filter: Some(filter.to_owned()),
        search: None,
    }
}

#[test]
fn what_does_not_fit_in_one_run_is_kept_for_the_next() {
    let filter = |app: &App| {
        let state = app.session_state();
        state.expect("a state").filter
    };
    for (blind, state) in [(true, kept("helpfulness>=3")), (false, kept("nosuch>=3"))] {
        let mut app = empty(WIDE);
        if blind {
            let reveal = crate::journal::Reveal::After;
            let blind = Some(Blind {
                reveal,
                strict: false,
            });
            app.introduce("ann", blind, PendingOpening::default());
        }
        app.resume(state.clone());
        load(&mut app, 0, rows(3, 1));
        assert!(app.filter.active().is_none(), "{blind}");
        assert_eq!(filter(&app), state.filter);
        // A cancelled line changes nothing.
        play(&mut app, &[Action::Filter]);
        play(&mut app, &filtering::typed("words"));
        play(&mut app, &[Action::Cancel]);
        assert_eq!(filter(&app), state.filter);
        filtering::enter(&mut app, Action::Filter, "words");
        assert_eq!(filter(&app).as_deref(), Some("words"));
        play(&mut app, &[Action::DropFilter]);
        assert_eq!(filter(&app), None);
    }
}

#[test]
fn a_missing_sample_is_reported_with_the_selected_number() {
    for (sample, number) in [(39, 6), (1, 2)] {
        let mut state = kept("");
        (state.sample, state.filter) = (NonZeroUsize::MIN.saturating_add(sample), None);
        state.key = "0".repeat(32).parse().ok();
        let mut app = empty(WIDE);
        app.resume(state);
        load(&mut app, 0, rows(6, 1));
        app.take_sample_found(Err(String::new()));
        let notice = app.status.notice.clone().expect("a notice");
        let told =
            format!("The saved sample is gone; this is sample {number} (--fresh starts over).");
        assert!(notice.contains(&told), "{notice}");
        assert_eq!(app.selection.selected + 1, number);
    }
}

#[test]
fn the_sample_of_the_command_line_is_selected_once_it_is_there() {
    let named = |name: &str| SampleName::Word(name.to_owned());
    let begun = |name: &str| {
        let mut app = empty(WIDE);
        app.seek_for(Some(SampleTarget::Named(named(name))));
        load(&mut app, 0, rows(6, 1));
        app
    };
    let app = begun("4");
    assert_eq!(app.selection.selected, 3);
    assert!(!app.is_beginning());
    // A sample that is not at its place is searched for, and a missing one is reported.
    let take = |app: &mut App, found| {
        let take = |app: &mut App| app.take_sample_found(found);
        update(app, Message::Apply(Apply(Box::new(take))));
    };
    for (found, selected) in [(Ok(5), 5), (Err("no sample has that id".to_owned()), 0)] {
        let mut app = begun("q-17");
        assert!(app.is_beginning());
        take(&mut app, found.clone());
        assert_eq!(app.selection.selected, selected);
        assert_eq!(app.settings.seeking.wrong.as_ref(), found.as_ref().err());
        let notice = app.status.notice.as_deref();
        assert_eq!(notice, found.is_err().then_some("no sample has that id."));
    }
    // A user who moved on in the meantime stays there.
    let mut app = begun("q-17");
    play(&mut app, &[Action::NextSample]);
    take(&mut app, Ok(5));
    assert_eq!(app.selection.selected, 1);
}
