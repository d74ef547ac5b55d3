//! The backend for ratatui: crossterm, with the cursor repositioned after every character that
//! terminals measure differently. Rows with such characters are redrawn completely, because
//! ratatui's diff assumes cell widths that the terminal may not share.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::rc::Rc;

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Style};
use ratatui_core::buffer::{Buffer, Cell, CellWidth};

use super::tty;

/// A changed cell from ratatui: column, row, and content.
type CellChange<'a> = (u16, u16, &'a Cell);

/// crossterm's backend writes neighbouring cells in one run and relies on the widths it expects.
/// Terminals disagree about emoji sequences, combining marks and Indic syllables: a run is cut
/// after those, so that a disagreement does not shift the rest of the row.
///
/// If a terminal draws such a character wider than ratatui counts, the surplus would stay when the
/// character goes, because ratatui rewrites only cells that it believes changed. So a row that
/// contains one, or contained one, is cleared and redrawn whenever anything on it changes.
#[derive(Debug)]
pub(super) struct RedrawBackend<W: Write> {
    inner: CrosstermBackend<W>,
    rows: DisputedRows,
    /// The addresses of the frame's links, by the colour that marks their cells.
    links: BTreeMap<[u8; 3], String>,
}

impl<W: Write> RedrawBackend<W> {
    /// Draws through `writer` on a blank screen.
    pub(super) fn new(writer: W, rows: DisputedRows) -> Self {
        Self {
            inner: CrosstermBackend::new(writer),
            rows,
            links: BTreeMap::new(),
        }
    }

    /// Sets the links of the next frame.
    pub(super) fn expect_links(&mut self, links: &[ScreenLink]) {
        let entry = |link: &ScreenLink| (link.mark_colour(), link.url.clone());
        self.links = links.iter().map(entry).collect();
    }

    /// Clears row `y` and draws these cells on it.
    fn redraw(&mut self, y: u16, cells: &[Cell]) -> io::Result<()> {
        // Every run ends with the default colours, so the line is cleared with those.
        self.inner.set_cursor_position((0, y))?;
        self.inner.clear_region(ClearType::UntilNewLine)?;
        let mut shown = Vec::new();
        let mut at = 0;
        while let Some(cell) = cells.get(at) {
            shown.push((at as u16, y, cell));
            // The cells under the rest of a wide symbol are not drawn.
            at += usize::from(cell.cell_width().max(1));
        }
        let last = shown.iter().rposition(|(.., cell)| **cell != Cell::EMPTY);
        shown.truncate(last.map_or(0, |last| last + 1));
        let mut runs = shown.split_inclusive(|(.., cell)| is_disputed(cell.symbol()));
        runs.try_for_each(|run| self.write(run))
    }

    /// Writes cells in order and returns to the default colours.
    fn write(&mut self, cells: &[CellChange<'_>]) -> io::Result<()> {
        for run in cells.chunk_by(|a, b| a.2.underline_color == b.2.underline_color) {
            let Color::Rgb(r, g, b) = run[0].2.underline_color else {
                self.inner.draw(run.iter().copied())?;
                continue;
            };
            let plain = |cell: &Cell| {
                let mut cell = cell.clone();
                cell.underline_color = Color::Reset;
                cell
            };
            let plain: Vec<_> = run
                .iter()
                .map(|(x, y, cell)| (*x, *y, plain(cell)))
                .collect();
            let url = self.links.get(&[r, g, b]).map_or("", String::as_str);
            write!(self.inner, "\x1b]8;;{url}\x1b\\")?;
            self.inner
                .draw(plain.iter().map(|(x, y, cell)| (*x, *y, cell)))?;
            write!(self.inner, "\x1b]8;;\x1b\\")?;
        }
        Ok(())
    }
}

/// Cells of a row that link to a web address (OSC 8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenLink {
    /// The first column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// Number of columns.
    pub cells: u16,
    /// The address, in printable ASCII.
    pub url: String,
}

impl ScreenLink {
    /// Marks its cells with an underline colour derived from the address, so that ratatui redraws a
    /// cell whose text stays but whose address changes. The program uses no other underline
    /// colours.
    pub(super) fn mark(&self, buffer: &mut Buffer) {
        let [r, g, b] = self.mark_colour();
        let cells = Rect::new(self.x, self.y, self.cells, 1).intersection(buffer.area);
        buffer.set_style(cells, Style::new().underline_color(Color::Rgb(r, g, b)));
    }

    fn mark_colour(&self) -> [u8; 3] {
        let mut hasher = DefaultHasher::new();
        self.url.hash(&mut hasher);
        let [r, g, b, ..] = hasher.finish().to_le_bytes();
        [r, g, b]
    }
}

/// The rows of the frame that contain disputed symbols, or did in the last frame, with their cells.
/// Shared with the guard, because ratatui keeps the backend while it draws a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct DisputedRows(Rc<RefCell<BTreeMap<u16, Vec<Cell>>>>);

impl DisputedRows {
    /// Collects the rows of the next frame.
    pub(super) fn collect(&self, frame: &Buffer) {
        let mut rows = self.0.borrow_mut();
        let rows_of_frame = frame.content.chunks(usize::from(frame.area.width.max(1)));
        for (y, cells) in (0..).zip(rows_of_frame) {
            let has_any = |cells: &[Cell]| cells.iter().any(|cell| is_disputed(cell.symbol()));
            let had_any = rows.remove(&y).is_some_and(|before| has_any(&before));
            if had_any || has_any(cells) {
                rows.insert(y, cells.to_vec());
            }
        }
    }

    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

/// True if terminals may disagree about its width: it has several characters.
fn is_disputed(symbol: &str) -> bool {
    symbol.chars().nth(1).is_some()
}

impl<W: Write> Backend for RedrawBackend<W> {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        let changes: Vec<CellChange<'a>> = content.collect();
        // Undisputed rows are drawn together, in as few runs as possible.
        let (mut drawn, mut seen) = (0, 0);
        let rows = self.rows.clone();
        let rows = rows.0.borrow();
        for row in changes.chunk_by(|a, b| a.1 == b.1) {
            let before = seen;
            seen += row.len();
            let y = row[0].1;
            if let Some(cells) = rows.get(&y) {
                self.write(&changes[drawn..before])?;
                self.redraw(y, cells)?;
                drawn = seen;
            }
        }
        self.write(&changes[drawn..])
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
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        // ratatui, too, continues as if the screen were blank.
        self.rows.clear();
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        // Not crossterm's: a terminal may claim a size that exceeds memory.
        tty::size().map(|(columns, rows)| Size::new(columns, rows))
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
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    use super::*;

    /// Two cells for ratatui; six for vt100 and every terminal that counts characters.
    const FAMILY: &str = "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    const WIDTH: u16 = 12;

    fn screen(rows: [&str; 2]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, 2));
        for (y, row) in (0..).zip(rows) {
            buffer.set_string(0, y, row.replace('F', FAMILY), Style::new());
        }
        buffer
    }

    /// Draws the screens one after the other, the first on a blank one. Returns what was written
    /// for each.
    fn written(screens: &[Buffer]) -> Vec<String> {
        let mut bytes = Vec::new();
        let mut careful = RedrawBackend::new(&mut bytes, DisputedRows::default());
        let mut last = screen(["", ""]);
        for next in screens {
            careful.rows.collect(next);
            careful.draw(last.diff_iter(next)).expect("drawn");
            careful.inner.write_all(b"\n").expect("written");
            last.clone_from(next);
        }
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.split_terminator('\n').map(String::from).collect()
    }

    /// Returns what vt100 shows after that; it has room to the right for wider characters.
    fn shown(screens: &[Buffer]) -> String {
        let mut terminal = vt100::Parser::new(3, WIDTH + 30, 0);
        terminal.process(written(screens).concat().as_bytes());
        // vt100 distinguishes written blanks from cells never written.
        let rows: Vec<String> = terminal
            .screen()
            .rows(0, WIDTH + 30)
            .map(|row| row.trim_end().to_owned())
            .collect();
        rows.join("\n")
    }

    #[test]
    fn plain_rows_are_written_as_crossterm_s_backend_does() {
        let mut lit = screen(["│ \u{6f22}\u{5b57} plain", "more"]);
        lit.set_style(Rect::new(2, 0, 6, 2), Style::new().bg(Color::Blue));
        let screens = [
            screen(["│ plain", "more"]),
            lit,
            screen(["│ plain", "less"]),
        ];
        let mut last = screen(["", ""]);
        for (next, written) in screens.iter().zip(written(&screens)) {
            let mut bytes = Vec::new();
            CrosstermBackend::new(&mut bytes)
                .draw(last.diff_iter(next))
                .expect("drawn");
            assert_eq!(written, String::from_utf8_lossy(&bytes));
            last.clone_from(next);
        }
    }

    #[test]
    fn rows_with_what_terminals_measure_differently_are_redrawn_whole() {
        // F is the family, · the return to the default colours; positions are row;column, from 1.
        let cases = [
            (
                "comes",
                ["abc", "below"],
                ["aFb", "below"],
                "^[1;1H^[K^[1;1HaF·^[1;4Hb·",
            ),
            (
                "goes",
                ["aFb", "below"],
                ["abc", "below"],
                "^[1;1H^[K^[1;1Habc·",
            ),
            (
                "goes, and all with it",
                ["F", "below"],
                ["", "below"],
                "^[1;1H^[K",
            ),
            (
                "stays, something changes after it",
                ["aFb", "below"],
                ["aFb  x", "below"],
                "^[1;1H^[K^[1;1HaF·^[1;4Hb  x·",
            ),
            (
                "stays, something changes elsewhere",
                ["aFb", "below"],
                ["aFb", "bellow"],
                "^[2;4Hlow·",
            ),
            (
                "between plain rows",
                ["a", "F"],
                ["b", "c"],
                "^[1;1Hb·^[2;1H^[K^[2;1Hc·",
            ),
            (
                "two at once",
                ["F", "F"],
                ["aF", ""],
                "^[1;1H^[K^[1;1HaF·^[2;1H^[K",
            ),
            (
                "one is covered by the next",
                [" F", ""],
                ["FF", ""],
                "^[1;1H^[K^[1;1HF·^[1;3HF·",
            ),
            ("nothing changes", ["F", "below"], ["F", "below"], ""),
        ];
        let mut end = Vec::new();
        CrosstermBackend::new(&mut end)
            .draw(std::iter::empty())
            .expect("drawn");
        let end = String::from_utf8(end).expect("UTF-8");
        for (name, before, after, expected) in cases {
            let written = written(&[screen(before), screen(after)]).remove(1);
            let written = written.replace(&end, "·").replace(FAMILY, "F");
            assert_eq!(written.replace('\x1b', "^"), expected, "{name}");
        }
    }

    #[test]
    fn blanks_that_show_are_redrawn() {
        let mut reversed = screen(["aF", ""]);
        reversed.set_style(Rect::new(0, 0, WIDTH, 1), Style::new().reversed());
        let mut terminal = vt100::Parser::new(3, WIDTH + 30, 0);
        terminal.process(written(&[screen(["bF", ""]), reversed]).concat().as_bytes());
        let is_reversed = |x: &u16| {
            terminal
                .screen()
                .cell(0, *x)
                .is_some_and(vt100::Cell::inverse)
        };
        // After the a and the two cells of the family.
        assert_eq!(
            (3..WIDTH + 30).filter(is_reversed).collect::<Vec<_>>(),
            (3..WIDTH).collect::<Vec<_>>()
        );
    }

    #[test]
    fn nothing_stays_of_what_a_terminal_drew_too_wide() {
        assert_eq!(
            shown(&[
                screen(["a", "below"]),
                screen(["aF", "below"]),
                screen(["abc", "below"])
            ]),
            "abc\nbelow\n"
        );
    }

    #[test]
    fn a_cleared_screen_is_forgotten() {
        let mut bytes = Vec::new();
        let mut careful = RedrawBackend::new(&mut bytes, DisputedRows::default());
        for next in [screen(["gone", ""]), screen(["     F", ""])] {
            careful.clear().expect("cleared");
            careful.rows.collect(&next);
            let changes = screen(["", ""]);
            careful.draw(changes.diff_iter(&next)).expect("drawn");
        }
        let mut terminal = vt100::Parser::new(3, WIDTH + 30, 0);
        terminal.process(&bytes);
        assert_eq!(terminal.screen().contents(), format!("     {FAMILY}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

        /// Regardless of previous content, a screen looks as if drawn on a blank one.
        #[test]
        fn what_was_there_before_does_not_show(
            screens in prop::collection::vec(prop::array::uniform2("[ a│\u{6f22}F]{0,6}"), 1..8),
        ) {
            let screens: Vec<Buffer> =
                screens.iter().map(|[first, second]| screen([first.as_str(), second.as_str()])).collect();
            let last = screens.len() - 1;
            prop_assert_eq!(shown(&screens), shown(&screens[last..]));
        }
    }
}
