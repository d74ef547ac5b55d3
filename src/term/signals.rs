//! Signals as messages to the loop, and the emergency exit for when the loop does not listen.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
use signal_hook::iterator::Signals;

use super::{job, tty};

/// How long the loop has to obey the first signal (it may be writing the journal) before a second
/// one ends the program over its head. systemd sends TERM and HUP in one breath, so a second one
/// alone says nothing.
const OBEDIENCE: Duration = Duration::from_secs(1);

const TERMINATING: [i32; 4] = [SIGTERM, SIGHUP, SIGINT, SIGQUIT];

/// Set in the handler itself: a job that wakes up to be killed must not wait for the watching
/// thread to know it.
static ENDING: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static CONTINUE_EXPECTED: AtomicBool = AtomicBool::new(false);

/// What the outside wants of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// End, with exit status 128 + this number: TERM, HUP, INT or QUIT, each only from outside (raw
    /// mode sends none).
    Terminate(i32),
    /// Stop as for ^Z: the loop calls `Session::suspend`.
    Suspend,
    /// We were stopped by what cannot be caught and go on now: the loop calls `Session::resume`.
    Resume,
}

/// Reports signals through `on`, from a thread of its own that lasts as long as the process. A second terminating signal, if the
/// first was not obeyed within a second, gives the terminal back and exits with 128 + its number at
/// once.
///
/// # Errors
/// If the handlers or the thread cannot be made.
pub fn watch_signals(on: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    for number in TERMINATING {
        signal_hook::flag::register(number, Arc::clone(&ENDING))?;
    }
    let mut signals = Signals::new(TERMINATING.into_iter().chain([SIGTSTP, SIGCONT]))?;
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            let mut first = None;
            for number in signals.forever() {
                match (number, first) {
                    (SIGTSTP, _) => on(Signal::Suspend),
                    (SIGCONT, _) => {
                        if !CONTINUE_EXPECTED.swap(false, Ordering::SeqCst) {
                            on(Signal::Resume);
                        }
                    }
                    (number, None) => {
                        first = Some(Instant::now());
                        on(Signal::Terminate(number));
                    }
                    (number, Some(since)) => exit_at(since + OBEDIENCE, number),
                }
            }
        })?;
    Ok(())
}

/// Stops the process on SIGTSTP (`^Z`), and on SIGTTOU and SIGTTIN (the terminal used from the background), as the
/// system would, but holds what `pause` returns meanwhile. For programs without a screen, for as long as the
/// process lasts. Signals that the parent ignores stay ignored.
///
/// # Errors
/// If the handlers or the thread cannot be made.
pub fn pause_while_stopped<G>(pause: impl Fn() -> G + Send + 'static) -> io::Result<()> {
    let ignored = ignored_signals();
    let stopping = [SIGTSTP, SIGTTOU, SIGTTIN].into_iter();
    let mut signals = Signals::new(stopping.filter(|number| ignored >> (number - 1) & 1 == 0))?;
    let stop = move || {
        for number in signals.forever() {
            let paused = pause();
            // A session leader has no shell that could continue it.
            if job::ensure_continuable().is_ok() {
                let _ = signal_hook::low_level::emulate_default_handler(number);
            }
            drop(paused);
        }
    };
    thread::Builder::new().name("signals".into()).spawn(stop)?;
    Ok(())
}

/// The signals that the process ignores, signal 1 as the lowest bit; none where the system does not say.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = (status.lines()).find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.map_or(0, |bits| u64::from_str_radix(bits.trim(), 16).unwrap_or(0))
}

/// True once a terminating signal has come.
pub(super) fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// The next SIGCONT answers a stop of our own, which takes the terminal again by itself.
pub(super) fn expect_continue() {
    CONTINUE_EXPECTED.store(true, Ordering::SeqCst);
}

fn exit_at(deadline: Instant, number: i32) -> ! {
    thread::sleep(deadline.saturating_duration_since(Instant::now()));
    let _ = tty::give_back();
    // Without destructors and exit handlers: some thread hangs, and they might wait for it.
    signal_hook::low_level::exit(128 + number)
}
