//! A held key judges one sample: what its repeats do in the next one is decided here, by the clock alone.

use std::time::{Duration, Instant};

use crate::app::Action;
use crate::keymap::Key;

/// A key that completed a sample means nothing for so long after it last came: a held one first repeats within some 600 ms,
/// and every 60 ms or sooner from then on.
const RELEASED: Duration = Duration::from_millis(700);

/// The key that completed a sample, as long as it may still be held.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HeldKey(Option<(Key, Instant)>);

impl HeldKey {
    /// Whether a key that comes now may be a repeat of the one that completed a sample; if so, it is waited for anew. Any
    /// other key shows that that one was let go.
    pub(super) fn repeats(&mut self, key: Key, now: Instant) -> bool {
        let held = |(last, at): &(Key, Instant)| *last == key && now.duration_since(*at) < RELEASED;
        self.0 = self.0.filter(held).map(|(key, _)| (key, now));
        self.0.is_some()
    }

    /// A key completed a sample.
    pub(super) fn completed(&mut self, key: Key, now: Instant) {
        self.0 = Some((key, now));
    }
}

/// Whether an action can complete a sample.
pub(super) fn may_complete(action: Action) -> bool {
    matches!(action, Action::Digit(_) | Action::Answer(_))
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    fn key(letter: char) -> Key {
        Key::from(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE))
    }

    #[test]
    fn a_key_that_completed_a_sample_means_nothing_until_it_was_let_go() {
        // Milliseconds after "a" completed a sample, the key, and whether it counts as a repeat.
        type Comes = (u64, char, bool);
        let table: [(&str, &[Comes]); 7] = [
            ("the first repeat of a slow keyboard", &[(600, 'a', true)]),
            ("of a fast one, and on", &[(250, 'a', true), (280, 'a', true), (310, 'a', true)]),
            ("typed by a program", &[(1, 'a', true), (2, 'a', true)]),
            ("each repeat renews it", &[(600, 'a', true), (1200, 'a', true), (1899, 'a', true)]),
            ("let go", &[(700, 'a', false), (710, 'a', false)]),
            ("let go after repeats", &[(500, 'a', true), (1200, 'a', false)]),
            ("another key came between", &[(100, 'b', false), (150, 'a', false)]),
        ];
        let began = Instant::now();
        for (name, comes) in table {
            let mut held = HeldKey::default();
            assert!(!held.repeats(key('a'), began), "{name}: nothing was completed");
            held.completed(key('a'), began);
            for &(after, letter, repeats) in comes {
                let now = began + Duration::from_millis(after);
                assert_eq!(held.repeats(key(letter), now), repeats, "{name}: {letter} at {after}");
            }
        }
    }
}
