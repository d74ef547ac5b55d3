//! Signals that end a subcommand while it writes a file: it is asked to stop so that it can remove
//! the partial file, with a time limit.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long a slow disk may delay the end after a signal; a second signal ends the program at once.
const PATIENCE: Duration = Duration::from_secs(5);
/// Poll interval for a second signal.
const LOOK: Duration = Duration::from_millis(20);

/// Watches INT, TERM and HUP from its creation until the process ends.
#[derive(Debug)]
pub struct Ending {
    number: Arc<AtomicI32>,
}

impl Ending {
    /// Starts watching.
    ///
    /// # Errors
    /// If the handlers or the thread cannot be created; signals then end the process as usual.
    pub fn watch() -> io::Result<Self> {
        let number = Arc::new(AtomicI32::new(0));
        let first_signal = Arc::clone(&number);
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            let Some(first) = signals.forever().next() else { return };
            first_signal.store(first, Ordering::Release);
            let deadline = Instant::now() + PATIENCE;
            while Instant::now() < deadline && signals.pending().next().is_none() {
                thread::sleep(LOOK);
            }
            let words = "visavis: stopped before the disk responded; check for a leftover .part file next to the output";
            let _ = writeln!(io::stderr(), "{words}");
            signal_hook::low_level::exit(128 + first);
        })?;
        Ok(Self { number })
    }

    /// Returns the signal that arrived, if any.
    pub fn signal(&self) -> Option<i32> {
        Some(self.number.load(Ordering::Acquire)).filter(|number| *number != 0)
    }
}
