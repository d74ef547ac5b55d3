//! The full screen: owns the terminal, turns events into messages, draws one frame per batch, and
//! performs the driver's requests.

use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;

use super::driver::{ClosedJobs, Driver, LoopEvent, TerminalRequest};
use super::event_loop::{self, Frontend, KeyPlayer, LoopEnd, Until};
use super::held_key::HeldKey;
use super::journal_config::{self, rescue};
use super::session_keeper::SessionKeeper;
use super::state_store::StateStore;
use super::{Failure, Invocation, ThemedLook, signal_exit_code, texts};
use crate::app::{App, Area, Loading, Message, Mode, ReviewEvent};
use crate::config::ConfigKey;
use crate::dataset::Loader;
use crate::keymap::Key;
use crate::source::{is_panic_caught, pause_maps};
use crate::term::{self, Background, InputEvent, Modes, ScreenLink, Signal, TerminalGuard};
use crate::ui::{self, Preset};

/// Maximum time to wait for the first rows: errors within this time do not touch the terminal.
const FIRST_ROWS: Duration = Duration::from_millis(150);
/// Maximum time to wait if a start sample or an audit is requested: whether it is possible is known
/// only once the schemas are.
const SCHEMAS: Duration = Duration::from_secs(2);
/// Maximum time to wait for the terminal's replies about its capabilities; a local one needs 1 ms.
const REPLIES: Duration = Duration::from_millis(150);
/// Loading for longer than this shows a progress bar.
const LONG: Duration = Duration::from_millis(200);
/// Time between two checks of open files while idle.
const TICK: Duration = Duration::from_secs(1);

/// Runs until the user quits; `faults` are shown first.
pub(super) fn run(
    invocation: &Invocation,
    loader: Loader,
    mut faults: Vec<String>,
) -> Result<(), Failure> {
    // Before threads are started, so that the terminal is restored on every exit.
    term::install_fault_handler();
    let inputs = loader.inputs.len();
    let mut driver = start(invocation, loader, &mut faults, (80, 24));
    driver.app.settings.offers_layouts = true;
    wait_for_rows(&mut driver, inputs)?;
    term::install_panic_hook(is_panic_caught);
    let outbox = driver.outbox();
    term::watch_signals(move |signal| drop(outbox.send(LoopEvent::Signal(signal))))
        .map_err(no_terminal)?;
    let known = term::capabilities(REPLIES);
    let modes = Modes {
        mouse: invocation.config.is_on(ConfigKey::Mouse),
        keyboard_protocol: known.has_keyboard_protocol,
        wheel_sends_arrows: known.wheel_sends_arrows,
    };
    let session = TerminalGuard::enter(&modes).map_err(no_terminal)?;
    let outbox = driver.outbox();
    for event in known.typed {
        // Cannot fail: the receiver lives in this function.
        let _ = outbox.send(LoopEvent::Event(InputEvent::Event(event)));
    }
    term::spawn_input(move |event| match outbox.send(LoopEvent::Event(event)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    })
    .map_err(no_terminal)?;
    let look = ThemedLook::new(invocation, known.background.map(preset));
    let size = session.size().map_err(no_terminal)?;
    let now = Instant::now();
    let mut screen = Screen {
        session,
        look,
        reorders_rows: known.reorders_rows == Some(true),
        // Linux's console prints unknown sequences.
        has_links: super::environment("TERM").is_none_or(|term| term != "linux"),
        player: KeyPlayer::of(invocation),
        started: now,
        checked: now,
        held: HeldKey::default(),
    };
    driver.handle(Message::Resize(size.0, size.1));
    if !faults.is_empty() {
        driver.handle(Message::Notice(faults.join("; ")));
    }
    let ended = event_loop::run(&mut driver, &mut screen);
    // Restore the terminal before printing.
    let troubles = driver.app.data.troubles.to_vec();
    let closed = close(driver, &ended);
    drop(screen);
    // The screen may have cut them off.
    troubles
        .iter()
        .for_each(|trouble| super::print_stderr(trouble));
    end(&closed, ended)
}

/// Starts loading for a screen of this size (columns, rows); adds warnings to `faults`.
pub(super) fn start(
    invocation: &Invocation,
    loader: Loader,
    faults: &mut Vec<String>,
    size: (u16, u16),
) -> Driver {
    let (store, memory, unread) = StateStore::open(&loader.inputs, true);
    let config = journal_config::config(
        &loader.inputs,
        &invocation.judging.journal,
        invocation.reviewer(),
        true,
    );
    faults.extend(journal_config::recover(&config).unwrap_or_else(|error| Some(error.to_string())));
    let mut app = super::app(size, invocation, &config.reviewer);
    // Neither the keys nor the lines of a script answer questions.
    app.review.asks_name = invocation.reviewer().is_none() && invocation.keys().is_empty();
    app.recall_memory(memory);
    let sessions = sessions(invocation, &loader, &mut app, faults);
    app.set_coin(coin());
    if let Some(path) = &config.path {
        app.set_journal_path(path);
    }
    let mut driver = Driver::start(app, loader, store, config);
    driver.sessions = sessions;
    faults.extend(unread);
    driver
}

/// Saves everything, waiting for a limited time.
pub(super) fn close(mut driver: Driver, ended: &io::Result<LoopEnd>) -> ClosedJobs {
    if matches!(ended, Ok(LoopEnd::Signal(_)) | Err(_)) {
        driver.handle(Message::Interrupted);
    }
    driver.record_viewed();
    driver.save_last_session();
    let closed = driver.close();
    ClosedJobs {
        left: driver.close_journal(),
        ..closed
    }
}

/// Prints the last messages, after the terminal is restored.
pub(super) fn end(closed: &ClosedJobs, ended: io::Result<LoopEnd>) -> Result<(), Failure> {
    closed
        .remarks
        .iter()
        .for_each(|remark| super::print_stderr(remark));
    if !closed.left.entries.is_empty() {
        return Err(Failure::runtime(rescue(&closed.left)));
    }
    match ended {
        Ok(LoopEnd::Quit) if !closed.is_abandoned => Ok(()),
        // Reported by a remark or by the panic hook.
        Ok(LoopEnd::Quit | LoopEnd::Panicked) => Err(Failure::silent(super::Exit::Failure as u8)),
        Ok(LoopEnd::Signal(number)) => {
            term::end_by(number);
            Err(Failure::silent(signal_exit_code(number)))
        }
        Ok(LoopEnd::Nothing(reason)) => Err(Failure::usage(reason)),
        Err(error) if term::is_gone(&error) => Err(Failure::silent(signal_exit_code(HANGUP))),
        Err(error) => Err(Failure::runtime(error)),
    }
}

/// Restores the user's position and returns what saves it. With an audit or keys on the command
/// line, the position is neither restored nor saved.
fn sessions(
    invocation: &Invocation,
    loader: &Loader,
    app: &mut App,
    faults: &mut Vec<String>,
) -> SessionKeeper {
    if invocation.opening.audit.is_some() || !invocation.keys().is_empty() {
        return SessionKeeper::default();
    }
    let keeper = SessionKeeper::of(loader);
    if !invocation.looks.fresh && invocation.looks.at.is_none() {
        match keeper.read() {
            Ok(state) => state.into_iter().for_each(|state| app.resume(state)),
            Err(error) => faults.push(format!("{error:#}")),
        }
    }
    keeper
}

/// SIGHUP: the terminal was closed.
const HANGUP: i32 = 1;

#[allow(clippy::needless_pass_by_value)] // The shape that `map_err` wants.
fn no_terminal(error: io::Error) -> Failure {
    Failure::runtime(texts::terminal_unusable(error))
}

/// Waits briefly for the loader of `inputs` files, so that the first frame shows the first sample
/// and errors are printed before the screen opens, including errors of a requested audit.
pub(super) fn wait_for_rows(driver: &mut Driver, inputs: usize) -> Result<(), Failure> {
    let begins = driver.app.review.is_audit_requested();
    let is_long = begins || driver.app.is_beginning();
    let deadline = Instant::now() + if is_long { SCHEMAS } else { FIRST_ROWS };
    let is_known = |driver: &Driver| driver.app.data.dataset.files().len() >= inputs;
    let is_done = |driver: &Driver| {
        // An audit may refer to fields of a file that is joined after loading.
        let waits = begins && !driver.loader.joins.is_empty();
        let rows = driver.app.data.dataset.samples() > 0 && (!begins || is_known(driver)) && !waits;
        let is_there = rows || driver.app.data.loading == Loading::Done;
        is_there && !driver.app.is_beginning()
    };
    let mut wait = Until {
        is_over: |driver: &Driver| is_done(driver) || Instant::now() >= deadline,
        is_drawn: false,
        patience: FIRST_ROWS,
    };
    match event_loop::run(driver, &mut wait).map_err(Failure::runtime)? {
        LoopEnd::Quit | LoopEnd::Signal(_) => {}
        LoopEnd::Nothing(reason) => return Err(driver.nothing_to_show(reason)),
        LoopEnd::Panicked => return Err(Failure::silent(super::Exit::Failure as u8)),
    }
    let wrong = if is_done(driver) {
        driver.app.opening_error()
    } else {
        None
    };
    wrong
        .or(driver.app.settings.seeking.wrong.clone())
        .map_or(Ok(()), |reason| Err(Failure::usage(reason)))
}

/// Returns the theme for a background, unless the user chose one.
const fn preset(background: Background) -> Preset {
    match background {
        Background::Light => Preset::Light,
        Background::Dark => Preset::Dark,
    }
}

/// Returns a random seed.
fn coin() -> u32 {
    u32::from_str_radix(&crate::journal::run_id(), 16).unwrap_or_default()
}

struct Screen<'i> {
    session: TerminalGuard,
    look: ThemedLook<'i>,
    /// True if the terminal itself reorders right-to-left text within a row.
    reorders_rows: bool,
    /// True if the terminal supports or ignores links.
    has_links: bool,
    /// Keys to play once everything is loaded.
    player: KeyPlayer,
    /// Start of the current load.
    started: Instant,
    /// Time of the last check of open files.
    checked: Instant,
    /// The key that completed a sample and may still be held.
    held: HeldKey,
}

impl Frontend for Screen<'_> {
    fn draw(&mut self, app: &App) -> io::Result<()> {
        let (look, reorders_rows) = (&self.look.look, self.reorders_rows);
        let links = if self.has_links {
            ui::links(app)
        } else {
            Vec::new()
        };
        let link = |(cells, url): (Area, String)| ScreenLink {
            x: cells.x,
            y: cells.y,
            cells: cells.width,
            url,
        };
        let links: Vec<_> = links.into_iter().map(link).collect();
        self.session.draw(&links, |frame| {
            // Use the terminal's cursor instead of a painted one, for input methods and magnifiers.
            if let Some(caret) = ui::draw(frame.buffer_mut(), app, look) {
                frame.set_cursor_position(caret);
                if let Some(cell) = frame.buffer_mut().cell_mut(caret) {
                    cell.modifier.remove(Modifier::REVERSED);
                }
            }
            if reorders_rows {
                ui::isolate_directions(frame.buffer_mut(), app);
            }
        })
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        let played = self.player.next(driver).map(LoopEvent::Message);
        Ok(ControlFlow::Continue(played.or_else(|| self.wait(driver))))
    }

    fn take(&mut self, driver: &mut Driver, event: LoopEvent) -> io::Result<ControlFlow<LoopEnd>> {
        let mut key = None;
        let message = match event {
            LoopEvent::Message(message) => Some(message),
            LoopEvent::Event(InputEvent::Event(Event::Key(pressed)))
                if pressed.modifiers.contains(KeyModifiers::ALT)
                    && !self
                        .player
                        .keymap
                        .has(Key::from(pressed), driver.app.mode()) =>
            {
                // Esc and a key that arrived in one packet look like Alt.
                let modifiers = pressed.modifiers - KeyModifiers::ALT;
                let keys = [
                    KeyCode::Esc.into(),
                    KeyEvent {
                        modifiers,
                        ..pressed
                    },
                ];
                return self.take_keys(driver, keys.into_iter());
            }
            // The editor of notes takes a time per insertion that grows with the text.
            LoopEvent::Event(InputEvent::Typed(text)) if driver.app.mode() == Mode::Note => {
                Some(Message::Paste(text))
            }
            LoopEvent::Event(InputEvent::Typed(text)) => {
                let keys = text.chars().map(|typed| KeyCode::Char(typed).into());
                return self.take_keys(driver, keys);
            }
            LoopEvent::Event(InputEvent::Background(background)) => {
                self.look.repaint(Some(preset(background)));
                None
            }
            LoopEvent::Event(InputEvent::Event(event)) => {
                if matches!(event, Event::Resize(..)) {
                    self.session.repaint()?;
                }
                #[cfg(debug_assertions)]
                self.drill(driver, &event)?;
                if let Event::Key(pressed) = &event {
                    key = Some(Key::from(*pressed));
                }
                self.player.keymap.message(&event, driver.app.mode())
            }
            // Only linear mode reads lines.
            LoopEvent::Line(_) => None,
            LoopEvent::Panicked => return Ok(ControlFlow::Break(LoopEnd::Panicked)),
            LoopEvent::Signal(Signal::Terminate(number)) => {
                return Ok(ControlFlow::Break(LoopEnd::Signal(number)));
            }
            LoopEvent::Signal(Signal::Suspend) => {
                self.suspend(driver)?;
                None
            }
            LoopEvent::Signal(Signal::Resume) => {
                self.session.resume()?;
                self.resize_message()?
            }
        };
        let Some(message) = message else {
            return Ok(ControlFlow::Continue(()));
        };
        let requests = match key {
            Some(key) => {
                let requests = if driver.app.mode() == Mode::Rate {
                    self.held.handle(driver, key, message, Instant::now())
                } else {
                    self.held = HeldKey::default();
                    driver.handle(message)
                };
                if driver.app.status.ignored {
                    driver.handle(self.player.keymap.unbound_key(key, driver.app.mode()));
                }
                requests
            }
            None => driver.handle(message),
        };
        self.perform(driver, requests)
    }

    fn ask(&mut self, driver: &mut Driver, request: TerminalRequest) -> io::Result<()> {
        match request {
            TerminalRequest::Theme(name) => {
                self.look.use_theme(&name).map(|wrong| driver.handle(wrong));
            }
            TerminalRequest::ToggleMouse => self.toggle_mouse(driver)?,
            TerminalRequest::Suspend => self.suspend(driver)?,
            TerminalRequest::Edit(text) => {
                let edited = self.session.lend(|| super::subprocess::edit(&text))?;
                driver.handle(Message::Review(ReviewEvent::Edited(edited)));
            }
            TerminalRequest::Send(bytes, words) => {
                self.session.send(&bytes)?;
                driver.handle(Message::Notice(words));
            }
            TerminalRequest::Redraw => self.session.repaint()?,
            TerminalRequest::Loading => self.started = Instant::now(),
            TerminalRequest::Quit | TerminalRequest::Fail(_) => {}
        }
        Ok(())
    }
}

impl Screen<'_> {
    /// Handles keys one after the other.
    fn take_keys(
        &mut self,
        driver: &mut Driver,
        mut keys: impl Iterator<Item = KeyEvent>,
    ) -> io::Result<ControlFlow<LoopEnd>> {
        keys.find_map(|key| {
            match self.take(driver, LoopEvent::Event(InputEvent::Event(Event::Key(key)))) {
                Ok(ControlFlow::Continue(())) => None,
                end => Some(end),
            }
        })
        .unwrap_or(Ok(ControlFlow::Continue(())))
    }

    /// Waits for the next event and checks the open files regularly. Returns `None` if only time
    /// passed.
    fn wait(&mut self, driver: &mut Driver) -> Option<LoopEvent> {
        loop {
            let fresh = driver.app.data.loading == Loading::UnderWay { long: false };
            let patience = if fresh {
                LONG.saturating_sub(self.started.elapsed())
            } else {
                TICK
            };
            let asked = driver.slow_query();
            let left = asked
                .as_ref()
                .map_or(TICK, |(_, since)| LONG.saturating_sub(since.elapsed()));
            if let Some(wake) = driver.receive(patience.min(left)) {
                return Some(wake);
            }
            if fresh && self.started.elapsed() >= LONG {
                driver.handle(Message::StillLoading);
                return None;
            }
            if let Some((message, _)) = asked.filter(|(_, since)| since.elapsed() >= LONG) {
                driver.handle(message);
                return None;
            }
            driver.check_journal();
            driver.save_session();
            if self.checked_files(driver) {
                return None;
            }
        }
    }

    /// Fails in every possible way, to test recovery. Debug builds only.
    #[cfg(debug_assertions)]
    #[allow(clippy::panic)]
    fn drill(&mut self, driver: &mut Driver, event: &Event) -> io::Result<()> {
        let Event::Key(key) = event else {
            return Ok(());
        };
        if super::environment("VISAVIS_DRILL").is_none() {
            return Ok(());
        }
        match key.code {
            KeyCode::F(9) => Err(io::Error::other("a drill")),
            // As if the message quoted a file with escape sequences.
            KeyCode::F(10) => panic!("a drill \x1b]0;driven\x07"),
            KeyCode::F(11) => {
                driver.drill();
                Ok(())
            }
            KeyCode::F(12) => self.session.draw(&[], |_| panic!("a drill")),
            _ => Ok(()),
        }
    }

    fn toggle_mouse(&mut self, driver: &mut Driver) -> io::Result<()> {
        let words = if self.session.toggle_mouse()? {
            texts::MOUSE_ON
        } else {
            texts::MOUSE_OFF
        };
        driver.handle(Message::Notice(words.to_owned()));
        Ok(())
    }

    fn suspend(&mut self, driver: &mut Driver) -> io::Result<()> {
        // Writers would wait for a lease of a stopped process.
        let paused = pause_maps();
        let suspended = self.session.suspend();
        drop(paused);
        match suspended {
            // A session leader has no shell to return to, so nothing was stopped.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            done => done,
        }?;
        if let Some(message) = self.resize_message()? {
            driver.handle(message);
        }
        Ok(())
    }

    /// Returns a resize message, because the terminal's size may have changed meanwhile.
    fn resize_message(&self) -> io::Result<Option<Message>> {
        let (width, height) = self.session.size()?;
        Ok(Some(Message::Resize(width, height)))
    }

    /// Checks the open files regularly; returns true if one changed that was not reported yet.
    fn checked_files(&mut self, driver: &mut Driver) -> bool {
        if self.checked.elapsed() < TICK {
            return false;
        }
        self.checked = Instant::now();
        driver.check_files()
    }
}
