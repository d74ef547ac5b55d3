//! Copies to the clipboard.

use std::time::{Duration, Instant};

use super::super::subprocess;
use super::{Driver, TerminalRequest, texts};
use crate::app::{CopyRequest, Message, apply_quietly};
use crate::run::environment;
use crate::text::counted;
use crate::{export, term};

/// Maximum time to wait for tmux.
const TMUX_PATIENCE: Duration = Duration::from_secs(1);

/// Copies through tmux: it puts the text into a paste buffer and, with `set-clipboard` (on by
/// default), into the clipboard. Returns false before tmux 3.2, which does not know `-w`. tmux
/// ignores OSC 52 of applications unless configured otherwise.
fn copy_with_tmux(text: &str) -> bool {
    let run = ["tmux", "load-buffer", "-w", "-"];
    let until = Instant::now() + TMUX_PATIENCE;
    let output = subprocess::pipe(&run, text.as_bytes(), &|| Instant::now() < until);
    output.is_ok_and(|output| output.is_some_and(|output| output.failure.is_none()))
}

impl Driver {
    fn copied(&self, copied: &CopyRequest) -> Result<String, export::CopyError> {
        let sample = u32::try_from(copied.sample).unwrap_or(u32::MAX);
        let review = &self.app.review;
        // Other reviewers' judgments are hidden with the labels.
        let only = copied.mask.hidden.then(|| review.reviewer());
        export::copy_text(
            copied.what,
            &self.app.data.dataset,
            sample,
            (&review.ledger, only),
            copied.mask,
        )
    }

    pub(super) fn copy(&mut self, copied: &CopyRequest) -> Option<TerminalRequest> {
        let text = match self.copied(copied) {
            Ok(text) => text,
            Err(error) => {
                apply_quietly(&mut self.app, Message::Notice(texts::not_copied(error)));
                return None;
            }
        };
        let characters = counted(text.chars().count(), "character");
        // Terminals do not report whether they accepted a text; tmux does.
        let is_in_tmux = environment("TMUX").is_some();
        if is_in_tmux && copy_with_tmux(&text) {
            let words = texts::copied_by_tmux(characters);
            apply_quietly(&mut self.app, Message::Notice(words));
            return None;
        }
        let words = if is_in_tmux {
            texts::sent_to_tmux(characters)
        } else {
            texts::sent(characters)
        };
        Some(TerminalRequest::Send(term::copy_sequence(&text), words))
    }
}
