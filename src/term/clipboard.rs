//! Copying through the terminal.

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;

/// Returns the bytes that make a terminal copy a text to the clipboard (OSC 52).
pub fn copy_sequence(text: &str) -> Vec<u8> {
    let mut sequence = String::new();
    // Writing to a string never fails.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut sequence);
    sequence.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_asked() {
        assert_eq!(copy_sequence("foo?>"), b"\x1b]52;c;Zm9vPz4=\x1b\\");
        // `export::MAX_COPIED` is the most that terminals accept completely.
        assert!(copy_sequence(&"x".repeat(74_991)).len() <= 100_000);
        assert!(copy_sequence(&"x".repeat(74_992)).len() > 100_000);
    }
}
