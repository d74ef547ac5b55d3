//! A terminal for tests: runs a program in a PTY, keeps its screen, types keys, and checks at the
//! end that the terminal was restored. Tests wait for screen content, never for time to pass.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{
    Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system,
};
pub(crate) use rustix::process::Signal;
use rustix::process::{Pid, kill_process};
use tempfile::TempDir;

use super::program;

/// Long, because a busy machine is not a failure; successful tests never wait this long.
const DEADLINE: Duration = Duration::from_secs(20);
/// How long keys wait for a program that does not become idle.
const PATIENCE: Duration = Duration::from_secs(2);
/// Poll interval during that time.
const POLL: Duration = Duration::from_millis(1);
/// Written to the other side of the terminal after the program ends: all output comes before it.
const MARKER: &[u8] = b"\x1b]777;all read\x07";
/// How long to wait for the marker before writing it again.
const MARKER_AGAIN: Duration = Duration::from_millis(500);
const ECHO_AND_LINES: u32 = 0o12; // ECHO | ICANON, which every shell needs

/// How the terminal answers queries for its capabilities and appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// With the kitty keyboard protocol, and arrow keys for the wheel.
    Dark,
    /// No arrow keys for the wheel (like xterm); right-to-left text is reordered (like VTE).
    Light,
    /// Like GNU screen: reports its kind, but not its background.
    KindOnly,
    Never,
}

impl Answers {
    fn background(self) -> &'static [u8] {
        match self {
            Answers::Dark => b"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\",
            Answers::Light => b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07",
            Answers::KindOnly | Answers::Never => b"",
        }
    }

    fn keyboard(self) -> &'static [u8] {
        match self {
            Answers::Dark => b"\x1b[?0u",
            _ => b"",
        }
    }

    fn wheel(self) -> &'static [u8] {
        match self {
            Answers::Dark => b"\x1b[?1007;1$y",
            Answers::Light => b"\x1b[?1007;2$y",
            Answers::KindOnly | Answers::Never => b"",
        }
    }

    fn reordering(self) -> &'static [u8] {
        match self {
            Answers::Dark => b"\x1b[8;0$y",
            Answers::Light => b"\x1b[8;1$y",
            Answers::KindOnly | Answers::Never => b"",
        }
    }

    fn kind(self) -> &'static [u8] {
        match self {
            Answers::Dark | Answers::Light | Answers::KindOnly => b"\x1b[?62;22c",
            Answers::Never => b"",
        }
    }
}

/// A running program and its terminal.
pub(crate) struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open until the end: after the last one closes, the kernel forgets the settings to
    /// check.
    _slave: Box<dyn SlavePty + Send>,
    device: PathBuf,
    pid: Pid,
    writer: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    shared: Arc<Shared>,
    before: Settings,
    /// The program's home, unless it has another one.
    _home: TempDir,
}

/// The terminal's settings: input, output, control and local flags.
type Settings = [u32; 4];

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser,
    raw: Vec<u8>,
    answers: Answers,
    answered: usize,
    hung_up: bool,
    read_all: bool,
    reading: Reading,
    exit: Option<ExitStatus>,
}

/// Whether the terminal accepts the program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    GoesOn,
    /// Stops with the next bytes.
    ToStop,
    Stopped,
}

impl Pty {
    /// Starts `command` in a dark terminal of `columns` × `rows`.
    pub(crate) fn spawn(command: CommandBuilder, columns: u16, rows: u16) -> Pty {
        Pty::spawn_in(command, columns, rows, Answers::Dark)
    }

    /// Changes the terminal's answers from now on.
    pub(crate) fn change_answers(&self, answers: Answers) {
        self.state().answers = answers;
    }

    /// Like `spawn`, in a terminal with these answers.
    pub(crate) fn spawn_in(
        mut command: CommandBuilder,
        columns: u16,
        rows: u16,
        answers: Answers,
    ) -> Pty {
        for (name, value) in [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")] {
            if command
                .get_env(name)
                .is_none_or(|v| Some(v) == std::env::var_os(name).as_deref())
            {
                command.env(name, value);
            }
        }
        for name in ["NO_COLOR", "COLORFGBG", "COLUMNS", "LINES", "TMUX"] {
            if command.get_env(name) == std::env::var_os(name).as_deref() {
                command.env_remove(name);
            }
        }
        let home = TempDir::new().unwrap();
        program::seal(&mut command, home.path());
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let before = settings(&*pair.master);
        let reader = pair.master.try_clone_reader().unwrap();
        let device = pair.master.tty_name().unwrap();
        let writer = Arc::new(Mutex::new(Some(pair.master.take_writer().unwrap())));
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                parser: vt100::Parser::new(rows, columns, 0),
                raw: Vec::new(),
                answers,
                answered: 0,
                hung_up: false,
                read_all: false,
                reading: Reading::GoesOn,
                exit: None,
            }),
            changed: Condvar::new(),
        });
        let child = pair.slave.spawn_command(command).unwrap();
        let pid = Pid::from_raw(i32::try_from(child.process_id().unwrap()).unwrap()).unwrap();
        let (to_read, to_write) = (Arc::clone(&shared), Arc::clone(&writer));
        thread::spawn(move || read_screen(reader, &to_read, &to_write));
        let to_wait = Arc::clone(&shared);
        thread::spawn(move || wait_child(child, &to_wait));
        Pty {
            master: Some(pair.master),
            _slave: pair.slave,
            device,
            pid,
            writer,
            shared,
            before,
            _home: home,
        }
    }

    /// Waits until `text` is on the screen (in one row, or over rows as `screen` shows them).
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(&format!("{text:?} to appear"), |state| {
            state.parser.screen().contents().contains(text)
        });
    }

    /// Waits until `text` is not on the screen.
    #[track_caller]
    pub(crate) fn wait_gone(&self, text: &str) {
        self.wait(&format!("{text:?} to go"), |state| {
            !state.parser.screen().contents().contains(text)
        });
    }

    /// Waits until the screen as text passes `test`.
    #[track_caller]
    pub(crate) fn wait_screen(&self, what: &str, test: impl Fn(&str) -> bool) {
        self.wait(what, |state| test(&state.parser.screen().contents()));
    }

    /// Waits until the shell of [`shell`] has the terminal and shows its prompt.
    #[track_caller]
    pub(crate) fn wait_prompt(&self) {
        self.wait_screen("the prompt", |screen| screen.trim_end().ends_with("ready$"));
    }

    /// Waits until the program's bytes so far pass `test`.
    #[track_caller]
    pub(crate) fn wait_raw(&self, what: &str, test: impl Fn(&[u8]) -> bool) {
        self.wait(what, |state| test(&state.raw));
    }

    /// Waits until the program shows the full screen, or the shell's again.
    #[track_caller]
    pub(crate) fn wait_alternate(&self, wanted: bool) {
        self.wait(&format!("alternate screen {wanted}"), |state| {
            state.parser.screen().alternate_screen() == wanted
        });
    }

    /// Types once the program waits, as users do: while it is still drawing, a key would count as
    /// typed ahead.
    pub(crate) fn send(&self, bytes: impl AsRef<[u8]>) {
        let deadline = Instant::now() + PATIENCE;
        while self.is_running() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        send(&self.writer, bytes.as_ref());
    }

    /// True if the program's main thread runs or is ready to run. Without `/proc`, it is assumed to
    /// wait.
    fn is_running(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()));
        // The name before the state may contain anything, even parentheses.
        let state = stat.as_ref().ok().and_then(|stat| stat.rsplit_once(") "));
        state.is_some_and(|(_, rest)| rest.starts_with('R'))
    }

    /// Resizes the terminal; the program receives SIGWINCH.
    ///
    /// The tests' screen keeps two rows and columns: vt100 0.16 panics when a wide character, or
    /// text drawn for the earlier size, reaches the end of a single one.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (screen_rows, screen_columns) = (rows.max(2), columns.max(2));
        let mut state = self.state();
        let screen = state.parser.screen_mut();
        screen.set_size(screen_rows, screen_columns);
        drop(state);
        self.master().resize(size(columns, rows)).unwrap();
    }

    /// Returns the id of the spawned process.
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Reports another size, however large, to the program; the tests' screen keeps its size.
    pub(crate) fn claim_size(&self, columns: u16, rows: u16) {
        self.master().resize(size(columns, rows)).unwrap();
    }

    /// From the next bytes on, the terminal accepts no output.
    pub(crate) fn stop_reading(&self) {
        self.state().reading = Reading::ToStop;
    }

    /// Waits until it accepts no output because the program has written something.
    #[track_caller]
    pub(crate) fn wait_stopped(&self) {
        self.wait("the terminal to stop", |state| {
            state.reading == Reading::Stopped
        });
    }

    /// The terminal accepts output again.
    pub(crate) fn go_on_reading(&self) {
        self.state().reading = Reading::GoesOn;
        self.shared.changed.notify_all();
    }

    /// Waits for the program to end, even if its output was not read.
    #[track_caller]
    pub(crate) fn wait_end(&self) {
        self.wait("the program to end", |state| state.exit.is_some());
    }

    /// Signals the spawned process.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Sends a signal by its name in a shell, or by its number.
    pub(crate) fn signal_named(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.pid.as_raw_nonzero());
        let sent = program::Program::other("bash", &["-c", &kill]).map(|mut it| it.status());
        assert!(sent.is_some_and(|sent| sent.is_ok_and(|status| status.success())));
    }

    /// Signals the leader of the foreground job: the program, if a shell was spawned.
    pub(crate) fn signal_foreground(&self, signal: Signal) {
        kill_process(self.foreground(), signal).unwrap();
    }

    /// Returns the leader of the foreground job.
    pub(crate) fn foreground(&self) -> Pid {
        self.master()
            .process_group_leader()
            .and_then(Pid::from_raw)
            .unwrap()
    }

    /// Closes the terminal like a lost connection. The program must draw something when it is
    /// resized: that wakes the reader, whose handle must be dropped too. portable-pty types ^J ^D
    /// when its writer is dropped, which the program may or may not read, so they must be harmless.
    pub(crate) fn hang_up(&mut self) {
        self.state().hung_up = true;
        let now = self.master().get_size().unwrap();
        self.master().resize(size(now.cols + 1, now.rows)).unwrap();
        self.wait("the reader to let go", |state| state.read_all);
        self.writer.lock().unwrap().take();
        self.master = None;
    }

    /// Waits for the program to end, but not longer than this; returns whether it did.
    pub(crate) fn ends_within(&self, patience: Duration) -> bool {
        let is_running = |state: &mut State| state.exit.is_none();
        let changed = &self.shared.changed;
        let waited = changed.wait_timeout_while(self.state(), patience, is_running);
        waited.unwrap().0.exit.is_some()
    }

    /// Waits for the program to end and for all its output.
    #[track_caller]
    pub(crate) fn wait_exit(&self) -> ExitStatus {
        self.wait("the program to end", |state| state.exit.is_some());
        let deadline = Instant::now() + DEADLINE;
        while !self.state().read_all && Instant::now() < deadline {
            let device = OpenOptions::new().write(true).open(&self.device);
            device
                .and_then(|mut device| device.write_all(MARKER))
                .unwrap();
            // A late ^C makes the terminal discard its buffer, including the marker: then it is
            // written again.
            let _ = self
                .shared
                .changed
                .wait_timeout_while(self.state(), MARKER_AGAIN, |state| !state.read_all);
        }
        self.wait("its last words", |state| state.read_all);
        self.state().exit.clone().unwrap()
    }

    /// Returns the screen as text, without trailing blanks.
    pub(crate) fn screen(&self) -> String {
        self.state().parser.screen().contents()
    }

    /// Returns every byte the program has sent so far.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.state().raw.clone()
    }

    /// Checks that the terminal was restored: its modes in the bytes sent and on the screen, its
    /// settings in the kernel. Must be called when the program has ended or is stopped.
    #[track_caller]
    pub(crate) fn given_back(&self) {
        let mut left = self.modes_left();
        if self.master.is_some() {
            let now = settings(self.master());
            if now != self.before {
                left.push(format!("settings {now:?}, not {:?}", self.before));
            }
            if now[3] & ECHO_AND_LINES != ECHO_AND_LINES {
                left.push("raw keyboard".into());
            }
        }
        assert!(
            left.is_empty(),
            "left in: {}\n{}",
            left.join(", "),
            self.screen()
        );
    }

    /// Like `check_restored` without the kernel's settings, for when a shell has the terminal: its
    /// line editor has its own.
    #[track_caller]
    pub(crate) fn screen_given_back(&self) {
        let left = self.modes_left();
        assert!(
            left.is_empty(),
            "left in: {}\n{}",
            left.join(", "),
            self.screen()
        );
    }

    fn modes_left(&self) -> Vec<String> {
        let state = self.state();
        let mut left: Vec<String> = Vec::new();
        for (name, on, off) in [
            ("alternate screen", "\x1b[?1049h", "\x1b[?1049l"),
            ("mouse presses", "\x1b[?1000h", "\x1b[?1000l"),
            ("mouse drags", "\x1b[?1002h", "\x1b[?1002l"),
            ("mouse motion", "\x1b[?1003h", "\x1b[?1003l"),
            ("mouse encoding", "\x1b[?1006h", "\x1b[?1006l"),
            ("synchronized update", "\x1b[?2026h", "\x1b[?2026l"),
            ("hidden cursor", "\x1b[?25l", "\x1b[?25h"),
            ("wheel without keys", "\x1b[?1007l", "\x1b[?1007h"),
            ("colour schemes", "\x1b[?2031h", "\x1b[?2031l"),
        ] {
            let is_left = match (state.answers, name) {
                // It sent none before.
                (Answers::Light, "wheel without keys") => last(&state.raw, off) > 0,
                _ => last(&state.raw, on) > last(&state.raw, off),
            };
            if is_left {
                left.push(name.into());
            }
        }
        // A shell enables bracketed paste for itself after the program has restored it.
        let shell_again = last(&state.raw, "\x1b[?1049l");
        let paste = last(&state.raw, "\x1b[?2004h");
        if paste > last(&state.raw, "\x1b[?2004l") && paste < shell_again {
            left.push("bracketed paste".into());
        }
        let keyboards = |on: u8| {
            state
                .raw
                .windows(3)
                .filter(|w| *w == [0x1b, b'[', on])
                .count()
        };
        if keyboards(b'>') > keyboards(b'<') {
            left.push("kitty keyboard".into());
        }
        let screen = state.parser.screen();
        if screen.alternate_screen() {
            left.push("alternate screen (seen)".into());
        }
        if screen.hide_cursor() {
            left.push("hidden cursor (seen)".into());
        }
        if screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None {
            left.push("mouse (seen)".into());
        }
        left
    }

    #[track_caller]
    fn wait(&self, what: &str, test: impl Fn(&State) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        let mut state = self.state();
        while !test(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            let over = state.read_all && state.exit.is_some();
            if left.is_zero() || over {
                let (screen, exit) = (state.parser.screen().contents(), state.exit.clone());
                drop(state);
                panic!("waited for {what}; exit {exit:?}; the screen:\n{screen}");
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap().0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }

    fn master(&self) -> &dyn MasterPty {
        self.master.as_deref().expect("the terminal is still there")
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A failed test must not leave a program running; its whole session ends with the terminal.
        if self
            .shared
            .state
            .lock()
            .is_ok_and(|state| state.exit.is_none())
        {
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }
}

/// `program` with standard input from a pipe with the bytes of `data`.
pub(crate) fn piped(program: &str, data: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "cat \"$1\" | \"$2\"", "sh"]);
    command.arg(data);
    command.arg(program);
    command
}

/// An interactive bash with the prompt `ready$ `, to run the program as a job.
pub(crate) fn shell() -> CommandBuilder {
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    command.env("PS1", "ready$ ");
    command.env("HISTFILE", "/dev/null");
    command.env("BASH_SILENCE_DEPRECATION_WARNING", "1");
    command
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn settings(master: &dyn MasterPty) -> Settings {
    let now = master.get_termios().expect("the terminal's settings");
    [
        now.input_flags.bits(),
        now.output_flags.bits(),
        now.control_flags.bits(),
        now.local_flags.bits(),
    ]
}

/// Returns where `part` was last seen, counted from 1; 0 if never.
fn last(bytes: &[u8], part: &str) -> usize {
    let place = bytes
        .windows(part.len())
        .rposition(|window| window == part.as_bytes());
    place.map_or(0, |place| place + 1)
}

fn send(writer: &Mutex<Option<Box<dyn Write + Send>>>, bytes: &[u8]) {
    if let Some(writer) = writer.lock().unwrap().as_mut() {
        // A program that has just ended leaves the pipe unread; the test notices that by what it
        // waits for.
        let _ = writer.write_all(bytes).and_then(|()| writer.flush());
    }
}

fn read_screen(
    mut reader: Box<dyn Read + Send>,
    shared: &Shared,
    writer: &Mutex<Option<Box<dyn Write + Send>>>,
) {
    let mut chunk = [0; 8192];
    loop {
        let read = reader.read(&mut chunk).unwrap_or(0);
        let mut state = shared.state.lock().unwrap();
        let reply = state.take_in(&chunk[..read]);
        if read == 0 || state.hung_up || state.read_all {
            drop(reader);
            state.read_all = true;
            shared.changed.notify_all();
            return;
        }
        if state.reading == Reading::ToStop {
            state.reading = Reading::Stopped;
        }
        shared.changed.notify_all();
        drop(
            shared
                .changed
                .wait_while(state, |state| state.reading == Reading::Stopped)
                .unwrap(),
        );
        send(writer, &reply);
    }
}

fn wait_child(mut child: Box<dyn Child + Send + Sync>, shared: &Shared) {
    let exit = child.wait().expect("the program's status");
    shared.state.lock().unwrap().exit = Some(exit);
    shared.changed.notify_all();
}

impl State {
    /// Shows `bytes` and returns the terminal's answers to them.
    fn take_in(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.raw.extend_from_slice(bytes);
        self.parser.process(bytes);
        // The echo of unread keys can follow it.
        let fresh = self.raw.len().saturating_sub(bytes.len() + MARKER.len());
        if let Some(at) = self.raw[fresh..]
            .windows(MARKER.len())
            .position(|part| part == MARKER)
        {
            self.raw.drain(fresh + at..fresh + at + MARKER.len());
            self.read_all = true;
        }
        let mut replies = Vec::new();
        while let Some((end, reply)) = self.next_query() {
            self.answered = end;
            replies.extend_from_slice(reply);
        }
        replies
    }

    /// Returns the first unanswered query: where it ends, and the answer.
    fn next_query(&self) -> Option<(usize, &'static [u8])> {
        let queries: [(&[u8], &'static [u8]); 5] = [
            (b"\x1b]11;?", self.answers.background()),
            (b"\x1b[?u", self.answers.keyboard()),
            (b"\x1b[?1007$p", self.answers.wheel()),
            (b"\x1b[8$p", self.answers.reordering()),
            (b"\x1b[c", self.answers.kind()),
        ];
        let rest = &self.raw[self.answered.min(self.raw.len())..];
        let found = queries.into_iter().filter_map(|(query, reply)| {
            let place = rest
                .windows(query.len())
                .position(|window| window == query)?;
            Some((self.answered + place + query.len(), reply))
        });
        found.min_by_key(|(end, _)| *end)
    }
}
