//! How long the thread that draws is at work: the screen's loop without a terminal, with keys played
//! and each turn timed. Only `tests/bench/keys.rs` asks for it.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::driver::{Driver, LoopEvent};
use super::event_loop::{self, Frontend, LoopEnd};
use super::{Failed, Invocation, journal_writer, loader, look};
use crate::app::{App, Loading, Message, QueryKind};
use crate::keymap::{Key, Keymap};
use crate::ui::{self, Look, Preset};

/// How long to wait before looking again whether anything is still under way.
const PATIENCE: Duration = Duration::from_millis(20);
/// When it is said that something takes long, as on the screen.
const LONG: Duration = Duration::from_millis(200);

/// Keys that are pressed one a turn, without waiting for what they ask for.
#[derive(Debug, Clone)]
pub struct StepKeys {
    /// The keys.
    pub keys: Vec<Key>,
    /// Columns and rows that the terminal has before them, where those are others.
    pub size: Option<(u16, u16)>,
    /// Whether it is waited for the index of words, too, behind them.
    pub awaits_index: bool,
}

/// What a step took.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepTimes {
    /// Turns of the loop until everything was there.
    pub turns: usize,
    /// The longest of them: what is taken, read and drawn at a time.
    pub longest: Duration,
    /// The longest of them by what the thread was at work, whoever else had the processor.
    pub longest_work: Duration,
    /// All of them.
    pub busy: Duration,
    /// From the last key to the end of the first turn after which the search in force has hits, or
    /// is over.
    pub first_hits: Option<Duration>,
    /// From the first key until everything was there.
    pub settled: Duration,
}

/// Opens what an invocation says, plays the steps one after the other,
/// each once all is there that the one before asked for, and gives each to `told` with what it took;
/// the first is loading.
///
/// # Errors
/// As the program would say it on standard error.
pub fn time_turns(
    mut invocation: Invocation,
    steps: Vec<StepKeys>,
    told: &mut dyn FnMut(StepTimes),
) -> anyhow::Result<()> {
    let loader = loader(&mut invocation);
    let app = super::app(invocation.looks.size, &invocation, "");
    let config = journal_writer::JournalConfig::default();
    let memory = invocation.search_memory();
    let mut driver = Driver::start(app, loader, Default::default(), config, memory);
    let mut timed = TimedTurns {
        look: look(&invocation, Preset::Dark),
        keymap: invocation.config.keymap().clone(),
        steps: steps.into(),
        step: StepClock::new(StepKeys {
            keys: Vec::new(),
            size: None,
            awaits_index: false,
        }),
        told,
    };
    match event_loop::run(&mut driver, &mut timed)? {
        LoopEnd::Quit | LoopEnd::Signal(_) => Ok(()),
        LoopEnd::Nothing(reason) => Err(reasoned(driver.nothing(reason))),
        LoopEnd::Panicked => anyhow::bail!("a thread panicked"),
    }
}

/// What the clock says, and for how long this thread was at work so far.
fn clocks() -> (Instant, Duration) {
    (Instant::now(), work())
}

fn work() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

fn reasoned(failed: Failed) -> anyhow::Error {
    anyhow::anyhow!(failed.reason.unwrap_or_default())
}

/// The step that is played.
struct StepClock {
    keys: VecDeque<Key>,
    size: Option<(u16, u16)>,
    awaits_index: bool,
    began: Instant,
    /// When the last key was pressed.
    pressed: Option<Instant>,
    /// When the turn that is under way began.
    turn: Option<(Instant, Duration)>,
    times: StepTimes,
}

impl StepClock {
    fn new(step: StepKeys) -> Self {
        Self {
            keys: step.keys.into(),
            size: step.size,
            awaits_index: step.awaits_index,
            began: Instant::now(),
            pressed: None,
            turn: Some(clocks()),
            times: StepTimes::default(),
        }
    }

    /// The turn is over.
    fn end_turn(&mut self, app: &App) {
        let Some((began, worked)) = self.turn.take() else {
            return;
        };
        let (taken, work) = (began.elapsed(), work() - worked);
        self.times.turns += 1;
        self.times.busy += taken;
        self.times.longest = self.times.longest.max(taken);
        self.times.longest_work = self.times.longest_work.max(work);
        let progress = app.browser().query_progress(QueryKind::Search);
        let has_hits = app.browser().search().has_hits() || !progress.is_under_way();
        if self.times.first_hits.is_none() && self.keys.is_empty() && has_hits {
            self.times.first_hits = self.pressed.map(|pressed| pressed.elapsed());
        }
    }
}

/// Plays steps and times turns.
struct TimedTurns<'t> {
    look: Look,
    keymap: Keymap,
    steps: VecDeque<StepKeys>,
    step: StepClock,
    told: &'t mut dyn FnMut(StepTimes),
}

impl TimedTurns<'_> {
    /// What the step does next, if anything is left of it.
    fn play(&mut self, driver: &Driver) -> Option<Message> {
        if let Some((width, height)) = self.step.size.take() {
            return Some(Message::Resize(width, height));
        }
        while let Some(key) = self.step.keys.pop_front() {
            self.step.pressed = Some(Instant::now());
            match self.keymap.press(key, driver.app.mode()) {
                Some(Message::Unbound(_)) | None => {}
                told => return told,
            }
        }
        None
    }

    fn is_over(&self, driver: &Driver) -> bool {
        event_loop::is_settled(driver) && (!self.step.awaits_index || driver.index_is_over())
    }
}

impl Frontend for TimedTurns<'_> {
    fn is_drawn(&self, app: &App) -> bool {
        app.browser().loading() == Loading::Done || app.browser().dataset().samples() > 0
    }

    fn draw(&mut self, app: &App) -> io::Result<()> {
        let (width, height) = app.browser().size();
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        ui::draw(&mut buffer, app, &self.look);
        Ok(())
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        self.step.end_turn(&driver.app);
        loop {
            if let Some(message) = self.play(driver) {
                self.step.turn = Some(clocks());
                return Ok(ControlFlow::Continue(Some(LoopEvent::Message(message))));
            }
            if self.is_over(driver) {
                self.step.times.settled = self.step.began.elapsed();
                (self.told)(self.step.times);
                match self.steps.pop_front() {
                    Some(step) => self.step = StepClock::new(step),
                    None => return Ok(ControlFlow::Break(LoopEnd::Quit)),
                }
                continue;
            }
            let event = driver.receive(PATIENCE);
            self.step.turn = Some(clocks());
            if event.is_some() {
                return Ok(ControlFlow::Continue(event));
            }
            if let Some((message, _)) = driver.asked().filter(|(_, since)| since.elapsed() >= LONG)
            {
                driver.handle(message);
                return Ok(ControlFlow::Continue(None));
            }
        }
    }
}
