//! A held key judges only one sample: its repeats are ignored in the next sample, based on timing.

use std::time::{Duration, Instant};

use super::driver::{Driver, TerminalRequest};
use super::texts;
use crate::app::{Action, Message, Mode};
use crate::keymap::Key;

/// A key that completed a sample is ignored for this long after its last event: a held key first
/// repeats within about 600 ms, then every 60 ms or faster.
const RELEASED: Duration = Duration::from_millis(700);

/// The key that completed a sample and may still be held, with the time of its last event.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HeldKey(Option<(Key, Instant)>);

impl HeldKey {
    /// Handles the message of a key, unless the key completed another sample and is still held.
    pub(super) fn handle(
        &mut self,
        driver: &mut Driver,
        key: Key,
        message: Message,
        now: Instant,
    ) -> Vec<TerminalRequest> {
        let may_complete = driver.app.mode() == Mode::Rate
            && matches!(&message, Message::Action(action) if may_complete(*action));
        if self.is_repeat(key, now) && may_complete {
            return driver.handle(Message::Notice(texts::HELD_KEY.to_owned()));
        }
        let place = |driver: &Driver| {
            (
                driver.app.selection.position,
                driver.app.review.ledger.len(),
            )
        };
        let before = place(driver);
        let requests = driver.handle(message);
        let after = place(driver);
        if may_complete && after.0 != before.0 && after.1 != before.1 {
            self.note_completion(key, now);
        }
        requests
    }

    /// True if this key may be a repeat of the one that completed a sample; restarts the delay. Any
    /// other key means that it was released.
    fn is_repeat(&mut self, key: Key, now: Instant) -> bool {
        let held = |(last, at): &(Key, Instant)| *last == key && now.duration_since(*at) < RELEASED;
        self.0 = self.0.filter(held).map(|(key, _)| (key, now));
        self.0.is_some()
    }

    /// Notes that this key completed a sample.
    fn note_completion(&mut self, key: Key, now: Instant) {
        self.0 = Some((key, now));
    }
}

/// True if an action can complete a sample.
fn may_complete(action: Action) -> bool {
    matches!(action, Action::Digit(_) | Action::Answer(_))
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::super::driver::tests::{loaded, wait};
    use super::super::journal_writer::JournalConfig;
    use super::*;

    /// Returns three pairs with the rating strip open at the first.
    fn rating() -> Driver {
        let row = |number: usize| {
            format!("{{\"prompt\": \"{number}\", \"response\": \"words\", \"helpfulness\": 1}}\n")
        };
        let rows: String = (0..6).map(|at| row(at / 2)).collect();
        let mut driver = loaded(rows.as_bytes(), JournalConfig::default());
        wait(&mut driver, |app| app.review.is_settled());
        frame(&mut driver);
        driver.handle(Message::Action(Action::Rate));
        driver
    }

    /// Handles queued messages and draws a frame.
    fn frame(driver: &mut Driver) {
        driver.fetch();
        while let Some(super::super::driver::LoopEvent::Message(message)) =
            driver.receive(Duration::from_millis(5))
        {
            driver.handle(message);
            driver.fetch();
        }
        let shown = driver.app.on_screen();
        driver.handle(Message::Drawn(shown));
        driver.handle(Message::CaughtUp(shown));
    }

    #[test]
    fn a_held_key_judges_one_sample() {
        let (mut driver, mut held, began) = (rating(), HeldKey::default(), Instant::now());
        let mut press = |driver: &mut Driver, letter: char, after: u64| {
            frame(driver);
            let digit = u8::try_from(letter.to_digit(10).expect("a digit")).expect("one");
            let now = began + Duration::from_millis(after);
            held.handle(
                driver,
                key(letter),
                Message::Action(Action::Digit(digit)),
                now,
            );
            (
                driver.app.selection.position,
                driver.app.review.ledger.len(),
            )
        };
        for after in 0..9 {
            assert_eq!(
                press(&mut driver, '1', after * 30).0,
                0,
                "it is one sample's as long as that lasts"
            );
        }
        assert_eq!(press(&mut driver, '1', 270), (1, 10));
        for after in [300, 900, 1500] {
            assert_eq!(
                press(&mut driver, '1', after),
                (1, 10),
                "held, nothing more is judged"
            );
            assert_eq!(driver.app.notice(), Some(texts::HELD_KEY));
        }
        assert_eq!(
            press(&mut driver, '1', 2300),
            (1, 11),
            "let go, and pressed again"
        );
        for after in 0..8 {
            press(&mut driver, '1', 2310 + after);
        }
        assert_eq!(press(&mut driver, '1', 2400), (2, 20));
        assert_eq!(
            press(&mut driver, '2', 2410),
            (2, 21),
            "another key was not held"
        );
    }

    fn key(letter: char) -> Key {
        Key::from(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE))
    }

    #[test]
    fn a_key_that_completed_a_sample_is_ignored_until_released() {
        // Milliseconds after "a" completed a sample, the key, and whether it counts as a repeat.
        type KeyEvent = (u64, char, bool);
        let table: [(&str, &[KeyEvent]); 7] = [
            ("the first repeat of a slow keyboard", &[(600, 'a', true)]),
            (
                "of a fast one, and on",
                &[(250, 'a', true), (280, 'a', true), (310, 'a', true)],
            ),
            ("typed by a program", &[(1, 'a', true), (2, 'a', true)]),
            (
                "each repeat renews it",
                &[(600, 'a', true), (1200, 'a', true), (1899, 'a', true)],
            ),
            ("let go", &[(700, 'a', false), (710, 'a', false)]),
            (
                "let go after repeats",
                &[(500, 'a', true), (1200, 'a', false)],
            ),
            (
                "another key came between",
                &[(100, 'b', false), (150, 'a', false)],
            ),
        ];
        let began = Instant::now();
        for (name, events) in table {
            let mut held = HeldKey::default();
            assert!(
                !held.is_repeat(key('a'), began),
                "{name}: nothing was completed"
            );
            held.note_completion(key('a'), began);
            for &(after, letter, repeats) in events {
                let now = began + Duration::from_millis(after);
                assert_eq!(
                    held.is_repeat(key(letter), now),
                    repeats,
                    "{name}: {letter} at {after}"
                );
            }
        }
    }
}
