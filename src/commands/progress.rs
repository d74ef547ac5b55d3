//! A progress bar on standard error, if that is a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::parallel::locked;

/// Delay before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// Steps of a full bar.
const FULL: u64 = 1000;

/// Shows the progress of work that takes longer than a second. The default shows nothing.
#[derive(Debug, Default)]
pub(super) struct ProgressLine(Option<(Arc<Mutex<BarState>>, Thread)>);

/// The state that the bar shows.
#[derive(Debug, Default)]
struct BarState {
    words: String,
    /// Share done, 0 to 1; `None` if the total is unknown.
    share: Option<f64>,
    /// Start of the current work; `None` if idle.
    since: Option<Instant>,
    bar: Option<ProgressBar>,
}

impl ProgressLine {
    /// Shows the progress on standard error if that is a terminal.
    pub(super) fn on_stderr() -> Self {
        let state = Arc::new(Mutex::new(BarState {
            words: "reading, 0 rows".to_owned(),
            since: Some(Instant::now()),
            ..BarState::default()
        }));
        let is_terminal = stderr().is_terminal();
        let painter = is_terminal.then(|| start_painter(Arc::clone(&state)));
        Self(painter.flatten().map(|painter| (state, painter)))
    }

    /// Sets what is being done and the share done.
    pub(super) fn set(&self, words: &str, share: Option<f64>) {
        if let Some((state, painter)) = &self.0 {
            let mut state = locked(state);
            words.clone_into(&mut state.words);
            state.share = share;
            if state.since.is_none() {
                state.since = Some(Instant::now());
                painter.unpark();
            }
        }
    }

    /// Clears the bar so that other output can follow.
    pub(super) fn clear(&self) {
        if let Some((state, _)) = &self.0 {
            let mut state = locked(state);
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
            state.since = None;
        }
    }
}

/// Starts a thread that redraws the bar every [`FRAME`] until the program ends, even without news:
/// a pipe can be silent. Returns `None` if no thread can be started.
fn start_painter(state: Arc<Mutex<BarState>>) -> Option<Thread> {
    let paint = move || {
        loop {
            thread::park_timeout(FRAME);
            locked(&state).draw();
        }
    };
    let painter = thread::Builder::new().name("visavis-progress".to_owned());
    let painter = painter.spawn(paint).ok()?;
    Some(painter.thread().clone())
}

impl BarState {
    fn draw(&mut self) {
        if self.since.is_none_or(|since| since.elapsed() < PATIENCE) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            ProgressBar::with_draw_target(Some(FULL), ProgressDrawTarget::stderr())
        });
        let template = match self.share {
            Some(_) => "{msg} {wide_bar} {percent:>3} % {elapsed}",
            None => "{spinner} {msg} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(self.words.clone());
        bar.set_position((self.share.unwrap_or(0.0).clamp(0.0, 1.0) * FULL as f64) as u64);
        bar.tick();
    }
}
