//! A bar on standard error for answers that take long, where that is a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::complain;
use crate::commands::{AnswerProgress, ProgressListener};
use crate::text::counted;

/// What takes less than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// Steps of a full bar.
const FULL: u64 = 1000;

/// What is known of the answer.
#[derive(Debug)]
struct BarState {
    progress: AnswerProgress,
    /// Since when something is under way; `None` while nothing is.
    since: Option<Instant>,
    bar: Option<ProgressBar>,
}

/// A listener that says warnings on standard error and, where that is a terminal, draws a bar once
/// an answer takes longer than a second.
pub(super) fn listener() -> ProgressListener {
    let listener = ProgressListener::new(complain);
    if !stderr().is_terminal() {
        return listener;
    }
    let state = Arc::new(Mutex::new(BarState {
        progress: AnswerProgress::Loading {
            share: None,
            rows: 0,
        },
        since: Some(Instant::now()),
        bar: None,
    }));
    let painter = start_painter(Arc::clone(&state));
    listener.with_progress(move |progress| {
        let mut state = locked(&state);
        state.progress = progress;
        match progress {
            AnswerProgress::Done => state.clear(),
            _ if state.since.is_none() => {
                state.since = Some(Instant::now());
                painter.iter().for_each(Thread::unpark);
            }
            _ => {}
        }
    })
}

fn locked(state: &Mutex<BarState>) -> MutexGuard<'_, BarState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (words, share) = told(self.progress);
        let template = match share {
            Some(_) => "{msg} {wide_bar} {percent:>3} % {elapsed}",
            None => "{spinner} {msg} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(words);
        bar.set_position((share.unwrap_or(0.0).clamp(0.0, 1.0) * FULL as f64) as u64);
        bar.tick();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.since = None;
    }
}

/// What goes on, and how far it is.
fn told(progress: AnswerProgress) -> (String, Option<f64>) {
    match progress {
        AnswerProgress::Loading { share, rows } => {
            let rows = counted(rows, "row");
            (format!("reading, {rows}"), share)
        }
        AnswerProgress::Searching(share) => ("searching".to_owned(), Some(share)),
        AnswerProgress::Writing(share) => ("writing".to_owned(), Some(share)),
        AnswerProgress::Done => (String::new(), None),
    }
}
