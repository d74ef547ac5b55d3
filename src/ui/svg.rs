//! Draws a frame as a standalone SVG, which is sharp at any size. The README's pictures are made
//! with it.
//!
//! Each row is a group of runs of cells that look alike: a rectangle for the background, and text
//! stretched to its cells in any font.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::theme::{Preset, Theme, rgb};

/// The simulated terminal: light text on `#1c1c1c`, dark text on `#ffffff`, or the background of a
/// theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SvgBackground {
    is_light: bool,
    screen: Style,
}

impl SvgBackground {
    /// Returns the background of a theme with this base.
    pub fn of(theme: &Theme, base: Preset) -> Self {
        Self {
            is_light: base == Preset::Light,
            screen: theme.screen,
        }
    }
}

/// Draws `buffer` in a window with a title bar, unless `title` is empty. The output is
/// deterministic.
pub fn svg(buffer: &Buffer, background: SvgBackground, title: &str) -> String {
    let page = SvgColors::of(background);
    let columns = i32::from(buffer.area.width);
    let rows = i32::from(buffer.area.height);
    let bar = if title.is_empty() { 0 } else { BAR };
    let size = (
        columns * WIDTH + 2 * PADDING,
        rows * HEIGHT + 2 * PADDING + bar,
    );
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = window(&mut out, size, page, &escape(title));
    for row in 0..buffer.area.height {
        let top = PADDING + bar + i32::from(row) * HEIGHT;
        let _ = writeln!(out, "<g transform=\"translate({PADDING} {top})\">");
        for run in runs(buffer, row, page) {
            let _ = run.write(&mut out, page);
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// Cell size in pixels: 0.6 em wide, as most monospaced fonts are, and odd in both directions, so
/// that a line of one pixel can be centred.
const WIDTH: i32 = 9;
const HEIGHT: i32 = 19;
const FONT_SIZE: i32 = 15;
const BASELINE: i32 = 14;
/// Distance in pixels from the window's edge to the cells.
const PADDING: i32 = 14;
/// Height of the title bar in pixels.
const BAR: i32 = 22;

type PixelColor = [u8; 3];

/// Colours that are not in the buffer.
#[derive(Clone, Copy)]
struct SvgColors {
    paper: PixelColor,
    ink: PixelColor,
    edge: PixelColor,
    title: PixelColor,
}

impl SvgColors {
    fn of(background: SvgBackground) -> Self {
        let mut page = if background.is_light {
            Self {
                paper: [0xff; 3],
                ink: [0x24; 3],
                edge: [0xd0; 3],
                title: [0x5c; 3],
            }
        } else {
            Self {
                paper: [0x1c; 3],
                ink: [0xd4; 3],
                edge: [0x44; 3],
                title: [0x9e; 3],
            }
        };
        let mut blank = Cell::default();
        blank.set_style(background.screen);
        (page.ink, page.paper) = colors(&blank, page);
        page
    }
}

fn window(
    out: &mut String,
    (width, height): (i32, i32),
    page: SvgColors,
    title: &str,
) -> std::fmt::Result {
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"ui-monospace,'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace\" \
         font-size=\"{FONT_SIZE}\" style=\"font-variant-ligatures:none\">\n<title>{title}</title>\n"
    )?;
    writeln!(
        out,
        "<rect x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{}\" stroke=\"{}\"/>",
        width - 1,
        height - 1,
        hex(page.paper),
        hex(page.edge)
    )?;
    if !title.is_empty() {
        write!(out, "<g fill=\"{}\">", hex(page.edge))?;
        for dot in 0..3 {
            write!(out, "<circle cx=\"{}\" cy=\"17\" r=\"5\"/>", 20 + 17 * dot)?;
        }
        let middle = width / 2;
        let fill = hex(page.title);
        writeln!(
            out,
            "</g>\n<text x=\"{middle}\" y=\"22\" font-size=\"13\" text-anchor=\"middle\" fill=\"{fill}\">{title}</text>"
        )?;
    }
    Ok(())
}

/// Cells of a row that look alike.
struct GlyphRun {
    column: u16,
    /// Width in cells.
    width: u16,
    colors: (PixelColor, PixelColor),
    modifier: Modifier,
    text: String,
}

/// Splits a row into runs. Characters that may come from a fallback font of another width have
/// separate runs, which keep their neighbours in place.
fn runs(buffer: &Buffer, row: u16, page: SvgColors) -> Vec<GlyphRun> {
    let mut runs: Vec<GlyphRun> = Vec::new();
    let mut column = 0;
    while column < buffer.area.width {
        let cell = &buffer[(buffer.area.x + column, buffer.area.y + row)];
        let symbol = match cell.symbol() {
            hidden if hidden.is_empty() || cell.modifier.contains(Modifier::HIDDEN) => " ",
            symbol => symbol,
        };
        let width = width(symbol).min(buffer.area.width - column);
        let colors = colors(cell, page);
        let joins = |run: &&mut GlyphRun| {
            let is_ordinary = |text: &str| text.chars().next_back().is_some_and(ordinary);
            let is_like = is_ordinary(&run.text) && is_ordinary(symbol);
            (run.colors, run.modifier, width) == (colors, cell.modifier, 1)
                && (is_like || run.text.ends_with(symbol))
        };
        match runs.last_mut().filter(joins) {
            Some(run) => {
                run.width += width;
                run.text += symbol;
            }
            None => runs.push(GlyphRun {
                column,
                width,
                colors,
                modifier: cell.modifier,
                text: symbol.to_owned(),
            }),
        }
        column += width;
    }
    runs
}

impl GlyphRun {
    fn write(&self, out: &mut String, page: SvgColors) -> std::fmt::Result {
        let (ink, paper) = self.colors;
        let [x, length] = [self.column, self.width].map(|cells| i32::from(cells) * WIDTH);
        if paper != page.paper {
            let fill = hex(paper);
            writeln!(
                out,
                "<rect x=\"{x}\" width=\"{length}\" height=\"{HEIGHT}\" fill=\"{fill}\" shape-rendering=\"crispEdges\"/>"
            )?;
        }
        let styles: String = [
            (Modifier::BOLD, " font-weight=\"700\""),
            (Modifier::ITALIC, " font-style=\"italic\""),
            (Modifier::UNDERLINED, " text-decoration=\"underline\""),
            (Modifier::CROSSED_OUT, " text-decoration=\"line-through\""),
        ]
        .iter()
        .filter(|(one, _)| self.modifier.contains(*one))
        .map(|(_, style)| *style)
        .collect();
        if self.text.trim().is_empty() && !styles.contains("decoration") {
            return Ok(());
        }
        let (fill, text) = (hex(ink), escape(&self.text));
        writeln!(
            out,
            "<text x=\"{x}\" y=\"{BASELINE}\" fill=\"{fill}\"{styles} textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">{text}</text>"
        )
    }
}

/// Returns the width of a symbol in cells, at least 1.
fn width(symbol: &str) -> u16 {
    if symbol.len() <= 1 {
        1
    } else {
        Span::raw(symbol).width().clamp(1, 2) as u16
    }
}

/// True for characters that every monospaced font has at a width of one cell: Latin, Greek,
/// Cyrillic and punctuation.
fn ordinary(char: char) -> bool {
    matches!(char, ' '..='~' | '\u{a1}'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{52f}' | '‐'..='…')
}

/// Returns the text and background colour of a cell, with reverse and dim applied.
fn colors(cell: &Cell, page: SvgColors) -> (PixelColor, PixelColor) {
    let mut ink = rgb(cell.fg).unwrap_or(page.ink);
    let mut paper = rgb(cell.bg).unwrap_or(page.paper);
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut ink, &mut paper);
    }
    if cell.modifier.contains(Modifier::DIM) {
        ink = mix(ink, paper, 150);
    }
    (ink, paper)
}

/// Mixes two colours: `share` of 256 parts `one`, the rest `other`.
fn mix(one: PixelColor, other: PixelColor, share: u32) -> PixelColor {
    let part = |at: usize| {
        ((u32::from(one[at]) * share + u32::from(other[at]) * (256 - share)) / 256) as u8
    };
    [part(0), part(1), part(2)]
}

/// Formats a colour as `#rrggbb`, or `#rgb` if equivalent.
fn hex([red, green, blue]: PixelColor) -> String {
    if [red, green, blue].iter().all(|channel| channel % 17 == 0) {
        format!("#{:x}{:x}{:x}", red / 17, green / 17, blue / 17)
    } else {
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Escapes text for XML. Most control characters are replaced, because XML cannot represent them.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            char if char.is_control() => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect as Area;
    use ratatui::style::{Color, Style};

    fn drawn(lines: &[(&str, Style)]) -> String {
        let width = lines
            .iter()
            .map(|(line, _)| Span::raw(*line).width())
            .max()
            .unwrap_or(0) as u16;
        let mut buffer = Buffer::empty(Area::new(3, 2, width, lines.len() as u16));
        for (row, (line, style)) in (2..).zip(lines) {
            buffer.set_string(3, row, line, *style);
        }
        svg(&buffer, SvgBackground::default(), "")
    }

    #[test]
    fn cells_become_what_they_look_like() {
        let plain = Style::new();
        let cases = [
            (
                "words",
                "two words",
                plain,
                "<text x=\"0\" y=\"14\" fill=\"#d4d4d4\" textLength=\"81\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">two words</text>",
            ),
            (
                "a symbol has a separate run",
                "a★b",
                plain,
                "textLength=\"9\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">★</text>",
            ),
            (
                "wide",
                "日b",
                plain,
                "textLength=\"18\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">日</text>\n<text x=\"18\"",
            ),
            ("escaped", "<&\">", plain, "&lt;&amp;&quot;&gt;"),
            (
                "bold",
                "x",
                plain.bold(),
                "fill=\"#d4d4d4\" font-weight=\"700\"",
            ),
            (
                "italic",
                "x",
                plain.italic(),
                "fill=\"#d4d4d4\" font-style=\"italic\"",
            ),
            (
                "colour",
                "x",
                plain.fg(Color::Rgb(0x11, 0x22, 0x33)),
                "<text x=\"0\" y=\"14\" fill=\"#123\"",
            ),
            (
                "reversed ink",
                "x",
                plain.reversed(),
                "<text x=\"0\" y=\"14\" fill=\"#1c1c1c\"",
            ),
            (
                "reversed paper",
                "x",
                plain.reversed(),
                "<rect x=\"0\" width=\"9\" height=\"19\" fill=\"#d4d4d4\"",
            ),
            ("dim", "x", plain.dim(), "fill=\"#878787\""),
            (
                "underlined through spaces",
                "a  b",
                plain.underlined(),
                "text-decoration=\"underline\" textLength=\"36\"",
            ),
            (
                "struck",
                "ab",
                plain.crossed_out(),
                "text-decoration=\"line-through\" textLength=\"18\"",
            ),
            (
                "background of a wide cell",
                "日",
                plain.bg(Color::Rgb(1, 2, 3)),
                "<rect x=\"0\" width=\"18\" height=\"19\" fill=\"#010203\"",
            ),
            ("cube", "x", plain.fg(Color::Indexed(215)), "#ffaf5f"),
            ("grey", "x", plain.fg(Color::Indexed(235)), "#262626"),
            ("named", "x", plain.fg(Color::LightBlue), "#5c5cff"),
            (
                "border",
                "╭──╮",
                plain,
                "x=\"9\" y=\"14\" fill=\"#d4d4d4\" textLength=\"18\"",
            ),
        ];
        for (name, line, style, expected) in cases {
            let picture = drawn(&[(line, style)]);
            assert!(picture.contains(expected), "{name}: {picture}");
        }
    }

    #[test]
    fn nothing_is_drawn_for_what_cannot_be_seen() {
        for (line, style) in [("   ", Style::new()), ("secret", Style::new().hidden())] {
            let picture = drawn(&[(line, style)]);
            assert!(!picture.contains("<text"), "{picture}");
        }
    }

    #[test]
    fn hostile_symbols_and_titles_stay_text() {
        let mut buffer = Buffer::empty(Area::new(0, 0, 3, 1));
        buffer[(0, 0)].set_symbol("\u{1b}");
        buffer[(1, 0)].set_symbol("");
        buffer[(2, 0)].set_symbol("日");
        let picture = svg(
            &buffer,
            SvgBackground::of(&Theme::default(), Preset::Light),
            "a<b>\u{7}&\"c\"",
        );
        assert!(
            picture.contains("<title>a&lt;b&gt;\u{fffd}&amp;&quot;c&quot;</title>"),
            "{picture}"
        );
        assert!(!picture.contains(|char: char| char.is_control() && char != '\n'));
        assert!(
            picture.contains("<text x=\"18\" y=\"14\" fill=\"#242424\" textLength=\"9\""),
            "a wide symbol in the last column: {picture}"
        );
    }

    #[test]
    fn every_size_has_a_picture_and_always_the_same() {
        for (width, height) in [(0, 0), (1, 0), (0, 1), (1, 1), (300, 2)] {
            let buffer = Buffer::filled(Area::new(0, 0, width, height), Cell::new("x"));
            let picture = svg(&buffer, SvgBackground::default(), "t");
            assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
            assert_eq!(picture, svg(&buffer, SvgBackground::default(), "t"));
        }
    }
}
