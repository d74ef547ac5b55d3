//! Work of the drawing thread per key: the longest turn of the loop, from receiving messages to
//! drawing.
//!
//! Uses generated rows; `cargo bench --bench keys -- FILE…` opens other files, and `STEP=…` selects
//! steps by part of their names.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use common::corpus::{Corpus, HELPSTEER2_ROWS, Script};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use visavis::{
    App, ColorDepth, Driver, Frontend, Glyphs, Key, Keymap, Loading, Look, LoopEnd, LoopEvent,
    Message, Preset, QueryKind, Theme, draw, drive, is_settled, spelled_keys, without_home,
};

/// Name, keys, and whether to wait for the index after them.
const STEPS: [(&str, &str, bool); 24] = [
    ("j", "j", false),
    ("G", "G", false),
    ("gg", "gg", false),
    ("20 j ahead", "jjjjjjjjjjjjjjjjjjjj", false),
    ("search, no index", "/schdlr", false),
    ("search dropped", "<esc><esc>", false),
    ("the index", "", true),
    ("search, few hits", "/schdlr", false),
    ("back", "<bs><bs><bs>", false),
    ("search, many hits", "<c-u>e", false),
    ("narrowed", "n", false),
    ("search dropped 2", "<esc><esc>", false),
    ("phrase", "/\"and the\"<enter>", false),
    ("n N", "nN", false),
    ("phrase dropped", "<esc><esc>", false),
    ("filter", "flen>=1<enter>", false),
    ("search in it", "/the<enter>", false),
    ("all dropped", "<esc><esc><esc>f<c-u><enter>", false),
    ("sort", "fsort:length<enter>", false),
    ("G sorted", "G", false),
    ("search sorted", "/the<enter>", false),
    ("dropped", "<esc><esc><esc>f<c-u><enter>", false),
    ("panel", "F", false),
    ("panel up, away", "jlllF", false),
];

/// Poll interval for pending work.
const PATIENCE: Duration = Duration::from_millis(20);
/// Delay before the screen shows progress.
const LONG: Duration = Duration::from_millis(200);

/// Keys that are pressed one per turn, without waiting for their effects.
#[derive(Debug, Clone)]
struct StepKeys {
    keys: Vec<Key>,
    /// Columns and rows of the terminal for them, if different.
    size: Option<(u16, u16)>,
    /// Whether to wait for the word index after them.
    awaits_index: bool,
}

/// The cost of a step.
#[derive(Debug, Clone, Copy, Default)]
struct StepTimes {
    /// Turns of the loop until all work was done.
    turns: usize,
    /// The longest turn, including receiving, reading and drawing.
    longest: Duration,
    /// The longest turn in processor time of the thread.
    longest_work: Duration,
    /// Processor time of all turns.
    busy: Duration,
    /// From the last key to the end of the first turn after which the active search has hits or has
    /// ended.
    first_hits: Option<Duration>,
    /// From the first key until all work was done.
    settled: Duration,
}

fn main() {
    let arguments = std::env::args().skip(1);
    let files: Vec<_> = arguments
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if files.is_empty() {
        let rows = common::file(&Corpus::new(9).helpsteer2(HELPSTEER2_ROWS));
        time("made up", &rows.path().to_string_lossy());
        let long = Corpus::new(6).text(1_000_000, Script::Mixed);
        let short = serde_json::json!({ "prompt": "short", "chosen": "one", "rejected": "two" });
        let row = serde_json::json!({ "prompt": "so long", "chosen": long, "rejected": "short" });
        let rows = common::file(format!("{short}\n{row}\n").as_bytes());
        time_steps(
            "a text of 1 MB",
            &rows.path().to_string_lossy(),
            &[
                ("opened", "j", false),
                ("searched", "/ba", false),
                ("G", "<esc><esc>G", false),
            ],
        );
    }
    for file in &files {
        time(file, file);
    }
}

fn time(title: &str, file: &str) {
    let only = std::env::var("STEP").unwrap_or_default();
    let steps = STEPS.iter().filter(|(name, ..)| name.contains(&only));
    time_steps(title, file, &steps.copied().collect::<Vec<_>>());
}

fn time_steps(title: &str, file: &str, steps: &[(&str, &str, bool)]) {
    let (mut names, mut played) = (vec!["load"], Vec::new());
    for &(name, keys, awaits_index) in steps {
        names.push(name);
        let keys = spelled_keys(keys).expect("keys");
        let size = None;
        played.push(StepKeys {
            keys,
            size,
            awaits_index,
        });
    }
    for size in [(120, 40), (80, 24), (160, 48)] {
        names.push("resize");
        let (keys, awaits_index) = (Vec::new(), false);
        played.push(StepKeys {
            keys,
            size: Some(size),
            awaits_index,
        });
    }
    println!("{title}");
    println!(
        "{:20} {:>12} {:>9} {:>10} {:>7} {:>12} {:>10} {:>9}",
        "", "longest turn", "its work", "all", "turns", "first hits", "settled", "anon MB"
    );
    let mut names = names.into_iter();
    time_turns(file, played, &mut |times| {
        told(names.next().unwrap_or_default(), times);
    });
}

fn told(name: &str, times: StepTimes) {
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let hits = times.first_hits.map_or_else(String::new, ms);
    println!(
        "{name:20} {:>12} {:>9} {:>10} {:>7} {hits:>12} {:>10} {:>9}",
        ms(times.longest),
        ms(times.longest_work),
        ms(times.busy),
        times.turns,
        ms(times.settled),
        anonymous_megabytes().unwrap_or_default(),
    );
}

/// Returns the anonymous memory of this process, in MB (2²⁰ bytes), if the system reports it.
fn anonymous_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.split_whitespace()
        .next()?
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes >> 10)
}

/// Opens a file and plays the steps, each after the work of the previous one is done. Passes each
/// with its cost to the callback; the first is loading.
fn time_turns(file: &str, steps: Vec<StepKeys>, told: &mut dyn FnMut(StepTimes)) {
    let invocation = without_home([file, "--size", "160x48"]).expect("a file");
    let (keys, size, awaits_index) = (Vec::new(), None, false);
    let mut timed = TimedTurns {
        look: Look {
            theme: Theme::load(Preset::Dark, ColorDepth::True),
            glyphs: Glyphs::UNICODE,
        },
        keymap: Keymap::default(),
        steps: steps.into(),
        step: StepClock::new(StepKeys {
            keys,
            size,
            awaits_index,
        }),
        told,
    };
    drive(invocation, &mut timed).expect("a file that opens");
}

/// Returns the time, and the processor time of this thread.
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

/// The step being played.
struct StepClock {
    keys: VecDeque<Key>,
    size: Option<(u16, u16)>,
    awaits_index: bool,
    began: Instant,
    /// When the last key was pressed.
    pressed: Option<Instant>,
    /// When the current turn began.
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

    /// Ends the turn.
    fn end_turn(&mut self, app: &App) {
        let Some((began, worked)) = self.turn.take() else {
            return;
        };
        let (taken, work) = (began.elapsed(), work() - worked);
        self.times.turns += 1;
        self.times.busy += taken;
        self.times.longest = self.times.longest.max(taken);
        self.times.longest_work = self.times.longest_work.max(work);
        let progress = app.query_progress(QueryKind::Search);
        let has_hits = !progress.stale && !app.shown().is_empty();
        let has_hits = has_hits || !app.is_open(QueryKind::Search);
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
    /// Returns the next message of the step, if any.
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
        is_settled(driver) && (!self.step.awaits_index || driver.index_is_over())
    }
}

impl Frontend for TimedTurns<'_> {
    fn is_drawn(&self, app: &App) -> bool {
        app.data.loading == Loading::Done || app.data.dataset.samples() > 0
    }

    fn draw(&mut self, app: &App) -> io::Result<()> {
        let (width, height) = app.layout.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        draw(&mut buffer, app, &self.look);
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
            if let Some((message, _)) = driver
                .slow_query()
                .filter(|(_, since)| since.elapsed() >= LONG)
            {
                driver.handle(message);
                return Ok(ControlFlow::Continue(None));
            }
        }
    }
}
