//! A progress bar on standard error, if that is a terminal.

use std::io::{IsTerminal, stderr};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Delay before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// Steps of a full bar.
const FULL: u64 = 1000;

/// Shows the progress of work once the program has run for a second. The default shows nothing.
#[derive(Debug, Default)]
pub(super) struct ProgressLine(Option<ProgressBar>);

impl ProgressLine {
    /// Shows the progress on standard error if that is a terminal.
    pub(super) fn on_stderr() -> Self {
        if !stderr().is_terminal() {
            return Self::default();
        }
        let bar = ProgressBar::with_draw_target(Some(FULL), ProgressDrawTarget::hidden());
        let line = Self(Some(bar.clone()));
        line.set("reading, 0 rows", None);
        // On a thread, because a pipe can be silent. Without one, nothing is shown.
        let show = move || {
            thread::sleep(PATIENCE);
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(FRAME);
        };
        let _ = thread::Builder::new()
            .name("visavis-progress".to_owned())
            .spawn(show);
        line
    }

    /// Sets what is being done and the share done, 0 to 1; `None` if the total is unknown.
    pub(super) fn set(&self, words: &str, share: Option<f64>) {
        let Some(bar) = &self.0 else { return };
        if bar.is_finished() {
            bar.reset();
            bar.enable_steady_tick(FRAME);
        }
        let template = match share {
            Some(_) => "{msg} {wide_bar} {percent:>3} % {elapsed}",
            None => "{spinner} {msg} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(words.to_owned());
        bar.set_position((share.unwrap_or(0.0).clamp(0.0, 1.0) * FULL as f64) as u64);
    }

    /// Clears the bar so that other output can follow.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
