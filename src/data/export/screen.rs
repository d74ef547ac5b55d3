//! Sanitises exports to a terminal.

use std::io::{self, Write};

use crate::text::{Hidden, sanitise};

/// Sanitises lines on their way to a terminal, so that no byte of a row can control it. Passes on
/// complete lines, the last one with [`Write::flush`].
#[derive(Debug)]
pub struct SanitisingWriter<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> SanitisingWriter<W> {
    /// Wraps an output.
    pub const fn new(out: W) -> Self {
        Self {
            out,
            line: Vec::new(),
        }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out.write_all(
            sanitise(&String::from_utf8_lossy(&line), Hidden::Named)
                .as_str()
                .as_bytes(),
        )
    }
}

impl<W: Write> Write for SanitisingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.pass_on()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_drives_the_terminal_however_it_is_cut() {
        let bytes = "a\u{1b}[31mé\r\n\u{9b}31m\u{202e}x\ty\n\u{7}".as_bytes();
        for step in 1..bytes.len() {
            let mut screen = SanitisingWriter::new(Vec::new());
            bytes
                .chunks(step)
                .for_each(|piece| screen.write_all(piece).expect("taken"));
            screen.flush().expect("taken");
            let shown = String::from_utf8(screen.out).expect("text");
            assert_eq!(shown, "a␛[31mé\n⟨9B⟩31m⟨RLO⟩x   y\n␇", "in steps of {step}");
        }
    }
}
