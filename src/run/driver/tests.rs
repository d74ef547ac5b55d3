//! A driver without a screen, for the tests of `run`.

use std::time::{Duration, Instant};

use super::super::event_loop::{self, LoopEnd, Until};
use super::super::journal_writer::JournalConfig;
use super::super::state_store::StateStore;
use super::Driver;
use crate::app::{App, Loading};
use crate::dataset::Loader;
use crate::source::Input;

/// Time after which a test fails.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// Returns a driver with these rows loaded, a screen of 100 columns and 30 rows, and reviewer ann.
pub(crate) fn loaded(rows: &[u8], config: JournalConfig) -> Driver {
    let invocation = super::super::tests::invocation(&[], Vec::new());
    let inputs = vec![Input::Embedded {
        name: "rows.jsonl",
        bytes: Box::leak(Box::from(rows)),
    }];
    let loader = Loader {
        inputs,
        ..invocation.loader.clone()
    };
    let app = super::super::app((100, 30), &invocation, "ann");
    let mut driver = Driver::start(app, loader, StateStore::default(), config);
    wait(&mut driver, |app| app.data.loading == Loading::Done);
    driver
}

/// Handles messages of jobs and reads what the screen needs until a condition holds.
#[track_caller]
pub(crate) fn wait(driver: &mut Driver, test: impl Fn(&App) -> bool) {
    let deadline = Instant::now() + DEADLINE;
    let is_over = |driver: &Driver| {
        assert!(
            Instant::now() < deadline,
            "{:?} {:?}",
            &driver.app.review.saving,
            driver.app.notice()
        );
        test(&driver.app)
    };
    let mut wait = Until {
        is_over,
        is_drawn: true,
        patience: Duration::from_millis(20),
    };
    let ended = event_loop::run(driver, &mut wait);
    assert!(matches!(ended, Ok(LoopEnd::Quit)), "{ended:?}");
}
