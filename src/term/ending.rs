//! Signals that end a subcommand while it writes a file: it is asked to stop, so that nothing of
//! the file is left, and not waited for without end.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long a disk may keep the program after a signal; a second signal ends it at once.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a second signal is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// The watch over INT, TERM and HUP, from its making to the end of the process.
#[derive(Debug)]
pub struct Ending {
    number: Arc<AtomicI32>,
}

impl Ending {
    /// Begins to watch.
    ///
    /// # Errors
    /// If the handlers or the thread cannot be made; then the signals end the process as ever.
    pub fn watch() -> io::Result<Self> {
        let number = Arc::new(AtomicI32::new(0));
        let told = Arc::clone(&number);
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            let Some(first) = signals.forever().next() else { return };
            told.store(first, Ordering::Release);
            let deadline = Instant::now() + PATIENCE;
            while Instant::now() < deadline && signals.pending().next().is_none() {
                thread::sleep(LOOK);
            }
            let words = "visavis: ended before the disk answered; look whether a .part file is left beside the output";
            let _ = writeln!(io::stderr(), "{words}");
            signal_hook::low_level::exit(128 + first);
        })?;
        Ok(Self { number })
    }

    /// The signal that came, if one did.
    pub fn signal(&self) -> Option<i32> {
        Some(self.number.load(Ordering::Acquire)).filter(|number| *number != 0)
    }
}
