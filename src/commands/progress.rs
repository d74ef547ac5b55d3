//! A bar on standard error for answers that take long, where that is a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::parallel::locked;

/// What takes less than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// Steps of a full bar.
const FULL: u64 = 1000;

/// Draws how far an answer is once it takes longer than a second; nothing by default.
#[derive(Debug, Default)]
pub(super) struct ProgressLine(Option<(Arc<Mutex<BarState>>, Thread)>);

/// What is known of the answer.
#[derive(Debug, Default)]
struct BarState {
    words: String,
    /// How far it is, 0 to 1; `None` where nobody knows how much there is.
    share: Option<f64>,
    /// Since when something is under way; `None` while nothing is.
    since: Option<Instant>,
    bar: Option<ProgressBar>,
}

impl ProgressLine {
    /// Draws on standard error, where that is a terminal.
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

    /// Tells what goes on, and how far it is.
    pub(super) fn tell(&self, words: &str, share: Option<f64>) {
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

    /// Something else goes where it was drawn.
    pub(super) fn end(&self) {
        if let Some((state, _)) = &self.0 {
            let mut state = locked(state);
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
            state.since = None;
        }
    }
}

/// Draws what is known from time to time, also while nothing new is told: a pipe can be silent. Ends
/// with the program; `None` where the system gives no thread, and then there is no bar.
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
