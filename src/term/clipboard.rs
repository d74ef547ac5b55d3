//! Copying through the terminal.

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;

/// The bytes that ask a terminal to put a text into the clipboard (OSC 52). Under tmux they come
/// twice: for tmux itself, which takes them if `set-clipboard` is on, and wrapped for the terminal
/// around it, which gets them if `allow-passthrough` is.
pub fn copy_sequence(text: &str, tmux: bool) -> Vec<u8> {
    let mut plain = String::new();
    // Writing to a string never fails.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut plain);
    if tmux {
        let wrapped = plain.replace('\x1b', "\x1b\x1b");
        plain = format!("{plain}\x1bPtmux;{wrapped}\x1b\\");
    }
    plain.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_asked() {
        assert_eq!(copy_sequence("foo?>", false), b"\x1b]52;c;Zm9vPz4=\x1b\\");
        let both = b"\x1b]52;c;Zm9v\x1b\\\x1bPtmux;\x1b\x1b]52;c;Zm9v\x1b\x1b\\\x1b\\";
        assert_eq!(copy_sequence("foo", true), both);
        // `export::MOST_COPIED` is the most that terminals take whole.
        assert!(copy_sequence(&"x".repeat(74_991), false).len() <= 100_000);
        assert!(copy_sequence(&"x".repeat(74_992), false).len() > 100_000);
    }
}
