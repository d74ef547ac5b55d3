//! The full screen: takes the terminal, turns events into messages, draws one frame a batch, and
//! does what the driver asks of it.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;

use super::driver::{ClosedJobs, Driver, LoopEvent, TerminalRequest};
use super::event_loop::{self, Frontend, KeyPlayer, LoopEnd, Until};
use super::held::HeldKey;
use super::journal_config::{self, rescue};
use super::journal_writer::UnsavedActs;
use super::session_keeper::SessionKeeper;
use super::state_store::StateStore;
use super::{Failed, Invocation, ThemedLook, by_signal};
use crate::app::{App, Area, Browser, Loading, Message, ReviewEvent};
use crate::config::ConfigKey;
use crate::dataset::Loader;
use crate::keymap::Key;
use crate::source::{is_panic_caught, pause_maps};
use crate::term::{self, Background, InputEvent, Modes, ScreenLink, Signal, TerminalGuard};
use crate::ui::{self, Preset};

/// How long the first rows may keep the screen waiting: what fails within this time fails without
/// touching the terminal.
const FIRST_ROWS: Duration = Duration::from_millis(150);
/// How long they may where a sample to begin at or an audit is asked for: whether it can be drawn is known once the schemas
/// are.
const SCHEMAS: Duration = Duration::from_secs(2);
/// How long a terminal may take to say what it can do; a local one takes a millisecond.
const REPLIES: Duration = Duration::from_millis(150);
/// Loading for longer than this is worth a progress bar.
const LONG: Duration = Duration::from_millis(200);
/// How often open files are looked at while nothing else happens.
const TICK: Duration = Duration::from_secs(1);
/// How long nothing is typed before suggestions open by themselves.
const PAUSE: Duration = Duration::from_millis(600);

/// Runs until the person quits; `faults` is what there is to be told before anything else.
pub(super) fn run(
    invocation: &Invocation,
    loader: Loader,
    mut faults: Vec<String>,
) -> Result<(), Failed> {
    // Before a thread is started: whatever ends the program from here on gives the terminal back.
    term::install_fault_handler().map_err(no_terminal)?;
    let inputs = loader.inputs.len();
    let Started {
        mut driver,
        journal,
    } = start(invocation, loader, &mut faults, (80, 24));
    driver.app.browser.settings.offers_layouts = true;
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
        // The receiver lives in this function.
        let _ = outbox.send(LoopEvent::Event(InputEvent::Event(event)));
    }
    term::spawn_input(move |event| match outbox.send(LoopEvent::Event(event)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    })
    .map_err(no_terminal)?;
    let look = ThemedLook::new(invocation, known.background.map(preset));
    let size = session.size().map_err(no_terminal)?;
    let player = KeyPlayer {
        keys: invocation.keys().iter().copied().collect(),
        keymap: invocation.config.keymap().clone(),
    };
    let now = Instant::now();
    let mut screen = Screen {
        session,
        look,
        reorders_rows: known.reorders_rows == Some(true),
        // Linux's console prints what it does not know.
        has_links: super::environment("TERM").is_none_or(|term| term != "linux"),
        player,
        started: now,
        checked: now,
        held: HeldKey::default(),
        typing: None,
    };
    driver.handle(Message::Resize(size.0, size.1));
    if !faults.is_empty() {
        driver.handle(Message::Notice(faults.join("; ")));
    }
    let ended = event_loop::run(&mut driver, &mut screen);
    // The terminal is given back before anything is said.
    let troubles = driver.app.browser.data.troubles.to_vec();
    let closed = close(driver, &ended);
    drop(screen);
    // A line of the screen may have had no room for all of it.
    troubles.iter().for_each(|trouble| super::complain(trouble));
    end(&closed, ended, journal.as_deref())
}

/// A program that is loading, before it has a terminal.
pub(super) struct Started {
    pub(super) driver: Driver,
    /// The journal's file, where there is one.
    pub(super) journal: Option<PathBuf>,
}

/// Starts to load what is to be shown on so many columns and rows; `faults` gets what is to be told.
pub(super) fn start(
    invocation: &Invocation,
    loader: Loader,
    faults: &mut Vec<String>,
    size: (u16, u16),
) -> Started {
    let (store, memory, unread) = StateStore::open(&loader.inputs, true);
    let config = journal_config::config(
        &loader.inputs,
        &invocation.judging.journal,
        invocation.reviewer(),
        true,
    );
    let journal = config.path.clone();
    let mut app = super::app(size, invocation, &config.reviewer);
    app.recall_memory(memory);
    let sessions = sessions(invocation, &loader, &mut app.browser, faults);
    app.set_coin(coin());
    if let Some(path) = &journal {
        app.browser.name_journal(path);
    }
    let mut driver = Driver::start(app, loader, store, config, invocation.search_memory());
    driver.keep_session_in(sessions);
    faults.extend(unread);
    Started { driver, journal }
}

/// What came of everything that was under way at the end.
pub(super) struct Closed {
    jobs: ClosedJobs,
    left: UnsavedActs,
}

/// Has everything written, and waits for it a while.
pub(super) fn close(mut driver: Driver, ended: &io::Result<LoopEnd>) -> Closed {
    if matches!(ended, Ok(LoopEnd::Signal(_)) | Err(_)) {
        driver.keep_draft();
    }
    driver.leave();
    driver.close_session();
    let jobs = driver.close();
    let left = driver.close_journal();
    Closed { jobs, left }
}

/// Says what is left to be said, once the terminal can take it.
pub(super) fn end(
    closed: &Closed,
    ended: io::Result<LoopEnd>,
    journal: Option<&Path>,
) -> Result<(), Failed> {
    let (closed, left) = (&closed.jobs, &closed.left);
    closed
        .remarks
        .iter()
        .for_each(|remark| super::complain(remark));
    if !left.entries.is_empty() {
        return Err(Failed::on_the_way(rescue(left, journal)));
    }
    match ended {
        Ok(LoopEnd::Quit) if closed.is_given_up => {
            Err(Failed::silently(super::Exit::Failure as u8))
        }
        Ok(LoopEnd::Quit) => Ok(()),
        Ok(LoopEnd::Signal(number)) => Err(Failed::silently(by_signal(number))),
        // The panic hook has said it all.
        Ok(LoopEnd::Panicked) => Err(Failed::silently(super::Exit::Failure as u8)),
        Ok(LoopEnd::Nothing(reason)) => Err(Failed::usage(reason)),
        Err(error) if term::is_gone(&error) => Err(Failed::silently(by_signal(HANGUP))),
        Err(error) => Err(Failed::on_the_way(error)),
    }
}

/// What keeps where the person is; has the state begin where they were. An audit and keys of the
/// command line begin at the beginning, and leave what is known as it is.
fn sessions(
    invocation: &Invocation,
    loader: &Loader,
    browser: &mut Browser,
    faults: &mut Vec<String>,
) -> SessionKeeper {
    if invocation.opening.audit.is_some() || !invocation.keys().is_empty() {
        return SessionKeeper::default();
    }
    let keeper = SessionKeeper::of(loader);
    if !invocation.looks.fresh && invocation.looks.at.is_none() {
        match keeper.read() {
            Ok(state) => state.into_iter().for_each(|state| browser.resume(state)),
            Err(error) => faults.push(format!("{error:#}")),
        }
    }
    keeper
}

/// SIGHUP: the terminal went away.
const HANGUP: i32 = 1;

#[allow(clippy::needless_pass_by_value)] // The shape that `map_err` wants.
fn no_terminal(error: io::Error) -> Failed {
    Failed::on_the_way(format!("cannot use the terminal: {error}"))
}

/// Gives the loader of so many inputs a moment, so that the first frame shows the first sample, and
/// errors come before the screen does; among them what is wrong with an audit that is asked for, as
/// soon as the schemas are known.
pub(super) fn wait_for_rows(driver: &mut Driver, inputs: usize) -> Result<(), Failed> {
    let begins = driver.app.review.is_audit_asked();
    let is_long = begins || driver.app.browser.is_beginning();
    let deadline = Instant::now() + if is_long { SCHEMAS } else { FIRST_ROWS };
    let is_known = |driver: &Driver| driver.app.browser.data.dataset.files().len() >= inputs;
    let is_done = |driver: &Driver| {
        // What an audit speaks of may be said by a file that is joined at the end.
        let waits = begins && driver.joins_files();
        let rows = driver.app.browser.data.dataset.samples() > 0
            && (!begins || is_known(driver))
            && !waits;
        let is_there = rows || driver.app.browser.data.loading == Loading::Done;
        is_there && !driver.app.browser.is_beginning()
    };
    let mut wait = Until {
        is_over: |driver: &Driver| is_done(driver) || Instant::now() >= deadline,
        is_drawn: |_: &App| false,
        patience: FIRST_ROWS,
    };
    match event_loop::run(driver, &mut wait).map_err(Failed::on_the_way)? {
        LoopEnd::Quit | LoopEnd::Signal(_) => {}
        LoopEnd::Nothing(reason) => return Err(driver.nothing(reason)),
        LoopEnd::Panicked => return Err(Failed::silently(super::Exit::Failure as u8)),
    }
    let wrong = if is_done(driver) {
        driver.app.review.wrong_opening(&driver.app.browser)
    } else {
        None
    };
    let wrong = wrong.or(driver.app.browser.settings.seeking.wrong.clone());
    wrong.map_or(Ok(()), |reason| Err(Failed::usage(reason)))
}

/// The theme for a terminal with this background, unless the user chose one.
const fn preset(background: Background) -> Preset {
    match background {
        Background::Light => Preset::Light,
        Background::Dark => Preset::Dark,
    }
}

/// A seed that is another one in each run.
fn coin() -> u32 {
    u32::from_str_radix(&crate::journal::run_id(), 16).unwrap_or_default()
}

/// Uses up the stack, for the drill.
#[cfg(debug_assertions)]
#[allow(unconditional_recursion)]
fn deep(level: usize) -> usize {
    std::hint::black_box([level; 512])[0] + deep(std::hint::black_box(level + 1))
}

struct Screen<'i> {
    session: TerminalGuard,
    look: ThemedLook<'i>,
    /// Whether the terminal shows right-to-left text of a row from right to left itself.
    reorders_rows: bool,
    /// Whether the terminal knows links, or ignores them.
    has_links: bool,
    /// Keys to play once everything is loaded.
    player: KeyPlayer,
    /// When the loading under way began.
    started: Instant,
    /// When the open files were last looked at.
    checked: Instant,
    /// The key that completed a sample, as long as it may still be held.
    held: HeldKey,
    /// The line for whose suggestions a pause is waited for, and since when.
    typing: Option<(u64, Instant)>,
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
            // The terminal's own cursor, which input methods and magnifiers follow, in place of a
            // painted one.
            if let Some(caret) = ui::draw(frame.buffer_mut(), app, look) {
                frame.set_cursor_position(caret);
                if let Some(cell) = frame.buffer_mut().cell_mut(caret) {
                    cell.modifier.remove(Modifier::REVERSED);
                }
            }
            if reorders_rows {
                ui::keep_directions_apart(frame.buffer_mut(), app);
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
            LoopEvent::Event(InputEvent::Wheel { down, lines })
                if driver.app.mode().moves_by_arrows() =>
            {
                let code = if down { KeyCode::Down } else { KeyCode::Up };
                return self.take_keys(driver, std::iter::repeat_n(code.into(), lines));
            }
            LoopEvent::Event(InputEvent::Event(Event::Key(pressed)))
                if pressed.modifiers.contains(KeyModifiers::ALT)
                    && !self
                        .player
                        .keymap
                        .has(Key::from(pressed), driver.app.mode()) =>
            {
                // Esc and a key that came in one packet.
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
            LoopEvent::Event(InputEvent::Wheel { down, lines }) => {
                Some(Message::Wheel { down, lines })
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
            // Nobody reads lines here.
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
                self.measured()?
            }
        };
        let Some(message) = message else {
            return Ok(ControlFlow::Continue(()));
        };
        let requests = match key {
            Some(key) => {
                let requests = self.held.handle(driver, key, message, Instant::now());
                if driver.app.browser.status.ignored {
                    let mode = driver.app.mode();
                    driver.handle(self.player.keymap.meaningless(key, mode));
                }
                requests
            }
            None => driver.handle(message),
        };
        for request in requests {
            match request {
                TerminalRequest::Quit => return Ok(ControlFlow::Break(LoopEnd::Quit)),
                TerminalRequest::Fail(reason) => {
                    return Ok(ControlFlow::Break(LoopEnd::Nothing(reason)));
                }
                TerminalRequest::Theme(name) => {
                    self.look.use_theme(&name).map(|wrong| driver.handle(wrong));
                }
                TerminalRequest::ToggleMouse => self.toggle_mouse(driver)?,
                TerminalRequest::Suspend => self.suspend(driver)?,
                TerminalRequest::Edit(text) => {
                    let edited = self.session.lend(|| super::outside::edit(&text))?;
                    driver.handle(Message::Review(ReviewEvent::Edited(edited)));
                }
                TerminalRequest::Send(bytes, words) => {
                    self.session.send(&bytes)?;
                    driver.handle(Message::Notice(words));
                }
                TerminalRequest::Redraw => self.session.repaint()?,
                TerminalRequest::Loading => self.started = Instant::now(),
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Screen<'_> {
    /// Takes keys one after the other.
    fn take_keys(
        &mut self,
        driver: &mut Driver,
        mut keys: impl Iterator<Item = KeyEvent>,
    ) -> io::Result<ControlFlow<LoopEnd>> {
        let end = keys.find_map(|key| {
            let event = LoopEvent::Event(InputEvent::Event(Event::Key(key)));
            match self.take(driver, event) {
                Ok(ControlFlow::Continue(())) => None,
                end => Some(end),
            }
        });
        end.unwrap_or(Ok(ControlFlow::Continue(())))
    }

    /// Sleeps until something happens; looks at the open files now and then. `None` when only the
    /// clock moved on.
    fn wait(&mut self, driver: &mut Driver) -> Option<LoopEvent> {
        loop {
            let fresh = driver.app.browser.data.loading == Loading::UnderWay { long: false };
            let patience = if fresh {
                LONG.saturating_sub(self.started.elapsed())
            } else {
                TICK
            };
            let asked = driver.asked();
            let left = asked
                .as_ref()
                .map_or(TICK, |(_, since)| LONG.saturating_sub(since.elapsed()));
            let pause = self.typing_pause(driver);
            let until_pause = pause.map_or(TICK, |(_, left)| left);
            let patience = patience.min(left).min(until_pause);
            if let Some(wake) = driver.receive(patience) {
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
            if let Some((number, _)) = pause.filter(|(_, left)| *left <= patience) {
                driver.handle(Message::TypingPaused(number));
                return None;
            }
            driver.look_at_journal();
            driver.keep_session();
            if self.looked_at_files(driver) {
                return None;
            }
        }
    }

    /// The line for whose suggestions a pause is waited for, and for how long still.
    fn typing_pause(&mut self, driver: &Driver) -> Option<(u64, Duration)> {
        let line = driver.app.views.typing_pause(&driver.app.browser);
        let since = match (line, self.typing) {
            (Some(line), Some((known, since))) if known == line => since,
            _ => Instant::now(),
        };
        self.typing = line.map(|line| (line, since));
        Some((line?, PAUSE.saturating_sub(since.elapsed())))
    }

    /// Fails in every way there is, for the tests of what is done about it. Not in release builds.
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
            KeyCode::F(7) => {
                term::fault_drill();
                Ok(())
            }
            KeyCode::F(8) => Err(io::Error::other(deep(0).to_string())),
            KeyCode::F(9) => Err(io::Error::other("a drill")),
            // As if the message quoted a file.
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
        let words = match self.session.toggle_mouse()? {
            true => "The mouse is taken; select text with Shift. :mouse gives it back.",
            false => "The mouse is the terminal's.",
        };
        driver.handle(Message::Notice(words.to_owned()));
        Ok(())
    }

    fn suspend(&mut self, driver: &mut Driver) -> io::Result<()> {
        // A stopped process that held a lease would make writers wait.
        let paused = pause_maps();
        let suspended = self.session.suspend();
        drop(paused);
        match suspended {
            // A session leader has no shell to go back to: nothing was stopped.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            done => done,
        }?;
        if let Some(message) = self.measured()? {
            driver.handle(message);
        }
        Ok(())
    }

    /// The terminal may have another size than before.
    fn measured(&self) -> io::Result<Option<Message>> {
        let (width, height) = self.session.size()?;
        Ok(Some(Message::Resize(width, height)))
    }

    /// Looks at the open files now and then; gives whether one changed of which nothing was said
    /// yet.
    fn looked_at_files(&mut self, driver: &mut Driver) -> bool {
        if self.checked.elapsed() < TICK {
            return false;
        }
        self.checked = Instant::now();
        driver.look_at_files()
    }
}
