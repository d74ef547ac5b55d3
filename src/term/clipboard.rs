//! Copying: through tmux, or through the terminal.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

/// The bytes that ask a terminal to put a text into the clipboard (OSC 52).
pub fn copy_sequence(text: &str) -> Vec<u8> {
    let mut sequence = String::new();
    // Writing to a string never fails.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut sequence);
    sequence.into_bytes()
}

/// Puts a text into a new paste buffer of the tmux that this runs in, and through it into the clipboard
/// (`set-clipboard`, which is on by default). tmux itself ignores OSC 52 unless it is configured to take it.
///
/// # Errors
/// If tmux cannot be run, or does not take the text: before 3.2 it does not know `-w`.
pub fn copy_to_tmux(text: &str) -> io::Result<()> {
    let mut tmux = Command::new("tmux")
        .args(["load-buffer", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let written = tmux
        .stdin
        .take()
        .map(|mut stdin| stdin.write_all(text.as_bytes()));
    let status = tmux.wait()?;
    written.transpose()?;
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("tmux: {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_asked() {
        assert_eq!(copy_sequence("foo?>"), b"\x1b]52;c;Zm9vPz4=\x1b\\");
        // `export::MOST_COPIED` is the most that terminals take whole.
        assert!(copy_sequence(&"x".repeat(74_991)).len() <= 100_000);
        assert!(copy_sequence(&"x".repeat(74_992)).len() > 100_000);
    }
}
