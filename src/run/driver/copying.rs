//! What is handed to the clipboard.

use super::{Driver, TerminalRequest};
use crate::app::{Copied, Message, apply_quietly};
use crate::text::counted;
use crate::{export, term};

/// What is told of it: no terminal says whether it took what it was sent.
fn sent_words(characters: usize, tmux: bool) -> String {
    let sent = format!(
        "{} sent to the terminal's clipboard",
        counted(characters, "character")
    );
    match tmux {
        true => format!("{sent}; tmux takes it with: set -g set-clipboard on"),
        false => sent + ".",
    }
}

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
        let text = self.copied(copied);
        let tmux = std::env::var_os("TMUX").is_some();
        match text {
            Ok(text) => Some(TerminalRequest::Send(
                term::copy_sequence(&text, tmux),
                sent_words(text.chars().count(), tmux),
            )),
            Err(error) => {
                apply_quietly(
                    &mut self.app,
                    Message::Notice(format!("Nothing was copied: {error}.")),
                );
                None
            }
        }
    }
}
