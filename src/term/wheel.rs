//! The wheel of a mouse, told from the arrow keys that a terminal sends for it.
//!
//! On the alternate screen most terminals send arrow keys for the wheel unless the program takes the
//! mouse. `tty` asks them not to; those that do not know that mode (kitty), and a multiplexer that
//! keeps it from the terminal around it (tmux), send them all the same: three or more at once for a
//! notch. No finger is that fast, and a key that is held begins with a single press.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::Background;

/// Arrow keys alike that come in one piece for a notch: some terminals send more, none fewer but for
/// a touchpad.
const NOTCH: usize = 3;
/// A key that is held repeats within this time; what came alone before may have been the press.
const HELD: Duration = Duration::from_millis(700);
/// Arrow keys this soon after a notch are its rest, or the touchpad's coming to a stop.
const REST: Duration = Duration::from_millis(100);

/// What a terminal tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputEvent {
    /// A key, the mouse, a paste, another size.
    Event(Event),
    /// The terminal's colour scheme changed.
    Background(Background),
    /// The wheel turned, wherever the pointer is.
    Wheel {
        /// Whether towards the reader.
        down: bool,
        /// By how many lines.
        lines: usize,
    },
}

/// Tells pieces of input that are the wheel's from those that are keys.
#[derive(Debug, Default)]
pub(super) struct WheelDetector {
    /// The last arrow key that came alone.
    pressed: Option<(KeyCode, Instant)>,
    /// When the wheel last turned.
    turned: Option<Instant>,
}

impl WheelDetector {
    /// What the events of one piece of input are that came `now`.
    pub(super) fn sort(&mut self, events: Vec<Event>, now: Instant) -> Vec<InputEvent> {
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
                // Several at once may be notches taken for the key: those hold no key.
                if let [event] = events.as_slice()
                    && let Some(code) = arrow(event)
                {
                    self.pressed = Some((code, now));
                }
                events.into_iter().map(InputEvent::Event).collect()
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

/// The arrow key that a wheel would be told by, where an event is one.
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

    /// The millisecond at which a piece of input comes, and its bytes.
    type Piece<'b> = (u64, &'b str);

    /// How pieces of input are taken: `d3` for three lines down by
    /// the wheel, a letter or ↓ ↑ for a key.
    fn taken(pieces: &[Piece<'_>]) -> String {
        let (mut parser, mut detector) = (InputParser::default(), WheelDetector::default());
        let began = Instant::now();
        let mut out = Vec::new();
        for &(at, bytes) in pieces {
            let events = parser.feed(bytes.as_bytes());
            for event in detector.sort(events, began + Duration::from_millis(at)) {
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
    fn the_wheel_is_told_from_keys() {
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
        let table: [(&str, &[Piece<'_>], &str); 14] = [
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
        ];
        for (name, pieces, expected) in table {
            assert_eq!(taken(pieces), expected, "{name}");
        }
    }
}
