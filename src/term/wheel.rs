//! Distinguishes the mouse wheel from the arrow keys that a terminal sends for it.
//!
//! On the alternate screen most terminals send arrow keys for the wheel unless the program takes
//! the mouse. `tty` disables that, but terminals that do not know the mode (kitty), and a
//! multiplexer that does not pass it on (tmux), still send three or more at once per notch. Typing
//! is not that fast, and a held key begins with a single press.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::Background;

/// Arrow keys in one piece that make a notch: some terminals send more; only touchpads send fewer.
const NOTCH: usize = 3;
/// Repeat interval of a held key; a single key before may have been its press.
const HELD: Duration = Duration::from_millis(700);
/// Arrow keys this soon after a notch belong to it, or to the touchpad's momentum.
const REST: Duration = Duration::from_millis(100);

/// An input event of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputEvent {
    /// A key, a mouse event, a paste or a new size.
    Event(Event),
    /// The terminal's colour scheme changed.
    Background(Background),
    /// Many characters at once, as from a paste by a terminal without bracketed paste.
    Typed(String),
    /// The wheel turned, at any position of the pointer.
    Wheel {
        /// Whether downwards.
        down: bool,
        /// Number of lines.
        lines: usize,
    },
}

/// Characters in one piece of input that no user can have typed one by one.
const BURST: usize = 16;

/// Distinguishes wheel input and pasted text from keys.
#[derive(Debug, Default)]
pub(super) struct WheelDetector {
    /// The last arrow key that arrived alone.
    pressed: Option<(KeyCode, Instant)>,
    /// When the wheel last turned.
    turned: Option<Instant>,
}

impl WheelDetector {
    /// Converts the events of one piece of input that arrived at `now`.
    pub(super) fn sort(&mut self, events: &[Event], now: Instant) -> Vec<InputEvent> {
        let arrows: Option<Vec<_>> = events.iter().map(arrow).collect();
        match arrows {
            Some(arrows) if !arrows.is_empty() && self.is_wheel(&arrows, now) => {
                (self.turned, self.pressed) = (Some(now), None);
                let runs = arrows.chunk_by(|one, next| one == next);
                let turns = runs.filter_map(|run| {
                    Some(InputEvent::Wheel {
                        down: *run.first()? == KeyCode::Down,
                        lines: run.len(),
                    })
                });
                turns.collect()
            }
            _ => {
                // Several at once may be mistaken for keys, but they do not hold a key.
                if let [event] = events
                    && let Some(code) = arrow(event)
                {
                    self.pressed = Some((code, now));
                }
                let runs = events
                    .chunk_by(|one, next| character(one).is_some() && character(next).is_some());
                let events = runs.flat_map(|run| match run.len() {
                    BURST.. => vec![InputEvent::Typed(
                        run.iter().filter_map(character).collect(),
                    )],
                    _ => run.iter().cloned().map(InputEvent::Event).collect(),
                });
                events.collect()
            }
        }
    }

    fn is_wheel(&self, arrows: &[KeyCode], now: Instant) -> bool {
        let within = |since: Instant, time| now.saturating_duration_since(since) < time;
        let is_held = self
            .pressed
            .is_some_and(|(code, at)| arrows.contains(&code) && within(at, HELD));
        let is_notch = arrows
            .chunk_by(|one, next| one == next)
            .any(|run| run.len() >= NOTCH);
        !is_held && (is_notch || self.turned.is_some_and(|at| within(at, REST)))
    }
}

/// Returns the character of a key without Ctrl and Alt.
fn character(event: &Event) -> Option<char> {
    match event {
        Event::Key(KeyEvent {
            code: KeyCode::Char(typed),
            modifiers: KeyModifiers::NONE | KeyModifiers::SHIFT,
            ..
        }) => Some(*typed),
        _ => None,
    }
}

/// Returns the arrow key of an event if the wheel could have sent it.
fn arrow(event: &Event) -> Option<KeyCode> {
    match event {
        Event::Key(KeyEvent {
            code: code @ (KeyCode::Up | KeyCode::Down),
            modifiers: KeyModifiers::NONE,
            ..
        }) => Some(*code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::InputParser;
    use super::*;

    /// The arrival time of a piece of input in milliseconds, and its bytes.
    type Piece<'b> = (u64, &'b str);

    /// Describes how pieces of input are interpreted: `d3` for three lines down by the wheel, a
    /// letter or ↓ ↑ for a key.
    fn taken(pieces: &[Piece<'_>]) -> String {
        let (mut parser, mut detector) = (InputParser::default(), WheelDetector::default());
        let began = Instant::now();
        let mut out = Vec::new();
        for &(at, bytes) in pieces {
            let events = parser.feed(bytes.as_bytes());
            for event in detector.sort(&events, began + Duration::from_millis(at)) {
                out.push(match event {
                    InputEvent::Wheel { down, lines } => {
                        format!("{}{lines}", if down { 'd' } else { 'u' })
                    }
                    InputEvent::Event(Event::Key(key)) => match key.code {
                        KeyCode::Char(typed) => typed.to_string(),
                        KeyCode::Down => "↓".to_owned(),
                        KeyCode::Up => "↑".to_owned(),
                        code => format!("{code:?}"),
                    },
                    event => format!("{event:?}"),
                });
            }
        }
        out.join(" ")
    }

    #[test]
    fn the_wheel_is_distinguished_from_keys() {
        const DOWN: &str = "\x1b[B";
        let down = |times: usize| DOWN.repeat(times);
        let (two, three, five) = (down(2), down(3), down(5));
        let up = "\x1bOA".repeat(3);
        let mixed = format!("{three}\x1b[A");
        let typed = format!("j{three}");
        let shifted = "\x1b[1;2B".repeat(3);
        let held: Vec<_> = [0, 250]
            .into_iter()
            .chain((0..9).map(|at| 280 + 30 * at))
            .map(|at| (at, DOWN))
            .collect();
        let table: [(&str, &[Piece<'_>], &str); 15] = [
            ("a notch of three", &[(0, &three)], "d3"),
            ("of five, and back", &[(0, &five), (400, &up)], "d5 u3"),
            ("in two pieces", &[(0, &three), (3, &two)], "d3 d2"),
            ("to and fro at once", &[(0, &mixed)], "d3 u1"),
            (
                "a touchpad that comes to a stop",
                &[(0, &five), (40, DOWN), (130, DOWN), (400, DOWN)],
                "d5 d1 d1 ↓",
            ),
            ("a key", &[(0, DOWN)], "↓"),
            ("two keys, as on a slow line", &[(0, &two)], "↓ ↓"),
            ("a key that is held", &held, "↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓"),
            (
                "held, and a line that hands some repeats over in lumps",
                &[(0, DOWN), (500, &three), (600, DOWN), (900, &five)],
                "↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓",
            ),
            (
                "a key, then the wheel on and on",
                &[(0, DOWN), (400, &three), (800, &three), (1200, &three)],
                "↓ ↓ ↓ ↓ d3 d3",
            ),
            (
                "held, let go, then the wheel",
                &[(0, DOWN), (700, &three)],
                "↓ d3",
            ),
            (
                "the other way right after a key",
                &[(0, DOWN), (200, &up)],
                "↓ u3",
            ),
            ("among what is typed ahead", &[(0, &typed)], "j ↓ ↓ ↓"),
            ("with Shift they are keys", &[(0, &shifted)], "↓ ↓ ↓"),
            (
                "text pasted without brackets",
                &[(0, "Lorem ipsum dolor\rsit")],
                "Typed(\"Lorem ipsum dolor\") Enter s i t",
            ),
        ];
        for (name, pieces, expected) in table {
            assert_eq!(taken(pieces), expected, "{name}");
        }
    }
}
