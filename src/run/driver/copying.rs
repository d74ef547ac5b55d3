//! What is handed to the clipboard.

use super::{Driver, TerminalRequest};
use crate::app::{Copied, Message, update};
use crate::{export, term};

impl Driver {
    fn copied(&self, copied: &Copied) -> Result<String, export::CopyError> {
        let sample = u32::try_from(copied.sample).unwrap_or(u32::MAX);
        let review = self.app.review();
        // What others said is hidden with the labels.
        let only = copied.mask.hidden.then(|| review.reviewer());
        export::copy_text(
            copied.what,
            self.app.dataset(),
            sample,
            (review.ledger(), only),
            copied.mask,
        )
    }

    pub(super) fn copy(&mut self, copied: &Copied) -> Option<TerminalRequest> {
        let text = self.copied(copied);
        let tmux = std::env::var_os("TMUX").is_some();
        match text {
            Ok(text) => Some(TerminalRequest::Send(
                term::copy_sequence(&text, tmux),
                format!(
                    "Copied {} characters to the clipboard.",
                    text.chars().count()
                ),
            )),
            Err(error) => {
                update(
                    &mut self.app,
                    Message::Notice(format!("Nothing was copied: {error}.")),
                );
                None
            }
        }
    }
}
