//! What is handed to the clipboard.

use super::{Driver, TerminalRequest};
use crate::app::{Copied, Message, apply_quietly};
use crate::run::environment;
use crate::text::counted;
use crate::{export, term};

impl Driver {
    fn copied(&self, copied: &Copied) -> Result<String, export::CopyError> {
        let sample = u32::try_from(copied.sample).unwrap_or(u32::MAX);
        let review = &self.app.review;
        // What others said is hidden with the labels.
        let only = copied.mask.hidden.then(|| review.reviewer());
        export::copy_text(
            copied.what,
            &self.app.browser.data.dataset,
            sample,
            (&review.ledger, only),
            copied.mask,
        )
    }

    pub(super) fn copy(&mut self, copied: &Copied) -> Option<TerminalRequest> {
        let text = match self.copied(copied) {
            Ok(text) => text,
            Err(error) => {
                let words = format!("Nothing was copied: {error}.");
                apply_quietly(&mut self.app, Message::Notice(words));
                return None;
            }
        };
        let characters = counted(text.chars().count(), "character");
        // No terminal reports whether it took what it was sent; tmux does.
        if environment("TMUX").is_some() && term::copy_to_tmux(&text).is_ok() {
            let words = format!("Copied {characters} to tmux and its clipboard.");
            apply_quietly(&mut self.app, Message::Notice(words));
            return None;
        }
        let words = format!("{characters} sent to the terminal's clipboard.");
        Some(TerminalRequest::Send(term::copy_sequence(&text), words))
    }
}
