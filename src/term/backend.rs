//! What ratatui draws through: crossterm, with the cursor placed anew behind every character that terminals measure
//! differently.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// crossterm's backend writes neighbouring cells in one run and trusts the terminal to advance as far as it thinks. Emoji
/// sequences, combining marks and Indic syllables are where terminals disagree: behind those a run is cut, so that a
/// disagreement stays where it is and does not shift the rest of the row.
#[derive(Debug)]
pub(super) struct Careful<W: Write> {
    inner: CrosstermBackend<W>,
}

impl<W: Write> Careful<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { inner: CrosstermBackend::new(writer) }
    }
}

/// Whether terminals may disagree on how far this advances: it takes several characters to write.
fn is_disputed(symbol: &str) -> bool {
    !symbol.is_ascii() && symbol.chars().nth(1).is_some()
}

impl<W: Write> Backend for Careful<W> {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        let mut run = Vec::new();
        for cell in content {
            let cut = is_disputed(cell.2.symbol());
            run.push(cell);
            if cut {
                self.inner.draw(run.drain(..))?;
            }
        }
        self.inner.draw(run.into_iter())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_cut_behind_what_terminals_measure_differently() {
        let cells: Vec<Cell> = ["a", "e\u{301}", "b", "c"].map(Cell::new).to_vec();
        let mut written = Vec::new();
        Careful::new(&mut written).draw(cells.iter().zip(0..).map(|(cell, x)| (x, 0, cell))).expect("drawn");
        let written = String::from_utf8_lossy(&written);
        assert!(written.contains("ae\u{301}"), "{written:?}");
        // Row 1, column 3: the place of b, said aloud.
        assert!(written.contains("\u{1b}[1;3Hbc"), "{written:?}");
    }
}
