//! Which two of a sample's responses stand in the panes: of a pair both, of more the best and the
//! worst until a key puts others there.

use super::{Browser, Pane};
use crate::model::ResponseId;

/// The responses in the left pane and in the right one, by their letters on the screen.
pub type ShownPair = [ResponseId; 2];

/// Both of two.
pub(super) const BOTH: ShownPair = [ResponseId::A, ResponseId::B];

impl Browser {
    /// The response that stands in a pane, by its letter on the screen; `None` in panes of something
    /// else.
    pub fn shown_in(&self, pane: Pane) -> Option<ResponseId> {
        self.page()?.letter_in(pane)
    }

    /// Puts the next response into a pane, or the one before, round the end; the one in the other
    /// pane is passed over.
    pub(super) fn step_response(&mut self, pane: Pane, forward: bool) {
        let page = self.page().filter(|_| self.page_is_current());
        let Some((page, place)) = page.zip(pane.side()) else {
            return;
        };
        let (responses, mut pair) = (page.responses, page.pair);
        if responses <= 2 {
            let words = match responses {
                2 => "This sample has two responses, and both are shown.",
                _ => "There is no other response.",
            };
            self.say(words);
            return;
        }
        if self.open.appearance.asked == Some(pair[place]) {
            self.say(format!(
                "{} stands there while you are asked to rate it; {} change the other pane.",
                pair[place].letter(),
                if pane == Pane::Right {
                    "{ and }"
                } else {
                    "[ and ]"
                }
            ));
            return;
        }
        let other = pair[1 - place];
        let all: Vec<_> = ResponseId::first(responses)
            .filter(|id| *id != other)
            .collect();
        let here = all.iter().position(|id| *id == pair[place]).unwrap_or(0);
        let step = if forward { 1 } else { all.len() - 1 };
        pair[place] = all[(here + step) % all.len()];
        self.selection.pair = Some((self.selection.selected, pair));
    }
}
