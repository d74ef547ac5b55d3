//! Passes signals to the loop as messages, and exits at once if the loop does not respond. A
//! subcommand that writes a file is asked to stop, so that it can remove the partial file.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
use signal_hook::iterator::Signals;

use super::{fault, job, tty};

/// Time for the loop to obey the first signal (it may be writing the journal); a second signal
/// after that exits at once. systemd sends TERM and HUP together, so a second signal alone means
/// nothing.
const OBEDIENCE: Duration = Duration::from_secs(1);

/// Set in the handler itself: a job that wakes up to be killed must not depend on the watching
/// thread.
static ENDING: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static CONTINUE_EXPECTED: AtomicBool = AtomicBool::new(false);

/// A request from outside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// End because of this signal, always sent from outside (raw mode sends none): save everything,
    /// then call [`end_by`](super::end_by).
    Terminate(i32),
    /// Stop as for ^Z: the loop calls `Session::suspend`.
    Suspend,
    /// Continued after a stop that cannot be caught: the loop calls `Session::resume`.
    Resume,
}

/// Starts a thread that reports signals through `on` until the process ends: all that end a program
/// unless it handles them, and those that stop and continue it. If one that ends the program is not
/// obeyed within a second, the next one restores the terminal and ends it at once.
///
/// # Errors
/// If the handlers or the thread cannot be created.
pub fn watch_signals(on: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    let mut numbers = vec![
        SIGTERM,
        SIGHUP,
        SIGINT,
        SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGALRM,
        libc::SIGVTALRM,
        libc::SIGPROF,
        libc::SIGXCPU,
    ];
    #[cfg(target_os = "linux")]
    {
        numbers.extend([libc::SIGIO, libc::SIGPWR, libc::SIGSTKFLT]);
        numbers.extend(libc::SIGRTMIN()..=libc::SIGRTMAX());
    }
    for number in &numbers {
        signal_hook::flag::register(*number, Arc::clone(&ENDING))?;
    }
    numbers.extend([SIGTSTP, SIGCONT]);
    let mut signals = Signals::new(numbers)?;
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

/// Stops the process on SIGTSTP (`^Z`), and on SIGTTOU and SIGTTIN (use of the terminal from the
/// background), as the system would, but holds what `pause` returns in the meantime. For programs
/// without a screen; active until the process ends. Signals that the parent ignores stay ignored.
///
/// # Errors
/// If the handlers or the thread cannot be created.
pub fn pause_while_stopped<G>(pause: impl Fn() -> G + Send + 'static) -> io::Result<()> {
    let ignored = ignored_signals();
    let stopping = [SIGTSTP, SIGTTOU, SIGTTIN].into_iter();
    let mut signals = Signals::new(stopping.filter(|number| ignored >> (number - 1) & 1 == 0))?;
    let stop = move || {
        for number in signals.forever() {
            let paused = pause();
            // A session leader has no shell to continue it.
            if job::ensure_continuable().is_ok() {
                let _ = signal_hook::low_level::emulate_default_handler(number);
            }
            drop(paused);
        }
    };
    thread::Builder::new().name("signals".into()).spawn(stop)?;
    Ok(())
}

/// Returns the signals that the process ignores, with signal 1 as the lowest bit; 0 if unknown.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    (status.lines())
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map_or(0, |bits| u64::from_str_radix(bits.trim(), 16).unwrap_or(0))
}

/// True if a terminating signal has arrived.
pub(super) fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// Announces that the next SIGCONT follows our own stop, after which we take the terminal anyway.
pub(super) fn expect_continue() {
    CONTINUE_EXPECTED.store(true, Ordering::SeqCst);
}

fn exit_at(deadline: Instant, number: i32) -> ! {
    thread::sleep(deadline.saturating_duration_since(Instant::now()));
    let _ = tty::give_back();
    // Without destructors and exit handlers, which might wait for a thread that hangs.
    fault::end_by(number);
    signal_hook::low_level::exit(128 + number)
}

/// How long a slow disk may delay the end after a signal; a second signal ends the program at once.
const DISK_PATIENCE: Duration = Duration::from_secs(5);
/// Poll interval for a second signal.
const POLL: Duration = Duration::from_millis(20);

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
            let deadline = Instant::now() + DISK_PATIENCE;
            while Instant::now() < deadline && signals.pending().next().is_none() {
                thread::sleep(POLL);
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
