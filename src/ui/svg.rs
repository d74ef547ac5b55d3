//! Draws a frame as a standalone SVG, which is sharp at any size. The README's pictures are made
//! with it.
//!
//! Cells are whole pixels. Backgrounds, borders, blocks and underlines are rectangles on that grid,
//! because font glyphs of neighbouring cells rarely join. Everything else is text, stretched to its
//! cells in any font.

mod animation;

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

use super::theme::{ANSI, Preset, Theme};
pub use animation::{SvgFrame, animated_svg};

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
    let mut picture = Picture::default();
    for row in 0..buffer.area.height {
        picture.add_row(buffer, row, page);
    }
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
    let _ = picture.write(&mut out, (PADDING, PADDING + bar));
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
        let mut page = match background.is_light {
            false => Self {
                paper: [0x1c; 3],
                ink: [0xd4; 3],
                edge: [0x44; 3],
                title: [0x9e; 3],
            },
            true => Self {
                paper: [0xff; 3],
                ink: [0x24; 3],
                edge: [0xd0; 3],
                title: [0x5c; 3],
            },
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

/// The elements of a picture, by layer from the bottom.
#[derive(Default)]
struct Picture {
    backgrounds: BTreeMap<PixelColor, Vec<Rect>>,
    shapes: BTreeMap<PixelColor, Vec<Rect>>,
    /// Path data of the steps of label bars: outlines of the empty ones, and the full ones.
    steps: BTreeMap<(PixelColor, BarStep), String>,
    runs: BTreeMap<Pen, Vec<GlyphRun>>,
}

/// `▰` and `▱`, which many fonts lack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BarStep {
    Full,
    Empty,
}

/// A text style.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pen {
    ink: PixelColor,
    bold: bool,
    italic: bool,
}

/// Text in consecutive cells; `width` in cells.
struct GlyphRun {
    column: i32,
    row: i32,
    width: i32,
    text: String,
}

impl Picture {
    fn add_row(&mut self, buffer: &Buffer, row: u16, page: SvgColors) {
        let mut writing = Writing::default();
        let mut column = 0;
        while column < buffer.area.width {
            let cell = &buffer[(buffer.area.x + column, buffer.area.y + row)];
            let width = width(cell.symbol()).min(buffer.area.width - column);
            let area = Rect::of_cells(column.into(), row.into(), width.into());
            self.add_cell(cell, area, page, &mut writing);
            column += width;
        }
        self.finish(&mut writing);
    }

    fn add_cell(&mut self, cell: &Cell, area: Rect, page: SvgColors, writing: &mut Writing) {
        let (ink, paper) = colors(cell, page);
        if paper != page.paper {
            self.backgrounds.entry(paper).or_default().push(area);
        }
        for (modifier, height) in [(Modifier::UNDERLINED, 16), (Modifier::CROSSED_OUT, 9)] {
            if cell.modifier.contains(modifier) {
                let line = Rect {
                    top: area.top + height,
                    bottom: area.top + height + 1,
                    ..area
                };
                self.shapes.entry(ink).or_default().push(line);
            }
        }
        let symbol = if cell.modifier.contains(Modifier::HIDDEN) {
            " "
        } else {
            cell.symbol()
        };
        if symbol.trim().is_empty() {
            return;
        }
        if !self.add_shape(symbol, area, ink, paper) {
            let bold = cell.modifier.contains(Modifier::BOLD);
            let pen = Pen {
                ink,
                bold,
                italic: cell.modifier.contains(Modifier::ITALIC),
            };
            self.add_text(symbol, area, pen, writing);
        }
    }

    /// Draws `symbol` if it is a border, a block or a step of a bar. Returns false otherwise.
    fn add_shape(&mut self, symbol: &str, area: Rect, ink: PixelColor, paper: PixelColor) -> bool {
        let mut chars = symbol.chars();
        let (Some(char), None) = (chars.next(), chars.next()) else {
            return false;
        };
        let step = match char {
            '▰' => BarStep::Full,
            '▱' => BarStep::Empty,
            '░' | '▒' | '▓' => {
                let share = 64 * (u32::from(char) - u32::from('░') + 1);
                self.shapes
                    .entry(mix(ink, paper, share))
                    .or_default()
                    .push(area);
                return true;
            }
            _ => {
                let rects = shape(char);
                let at = |rect: &Rect| rect.moved(area.left, area.top);
                self.shapes
                    .entry(ink)
                    .or_default()
                    .extend(rects.iter().map(at));
                return !rects.is_empty();
            }
        };
        let data = self.steps.entry((ink, step)).or_default();
        let (left, top) = (area.left, area.top);
        let _ = match step {
            BarStep::Full => write!(data, "M{} {}h6l-2 8h-6z", left + 2, top + 6),
            BarStep::Empty => write!(data, "M{}.4 {}.5h5l-1.8 7h-5z", left + 2, top + 6),
        };
        true
    }

    fn add_text(&mut self, symbol: &str, area: Rect, pen: Pen, writing: &mut Writing) {
        let (column, row, width) = (
            area.left / WIDTH,
            area.top / HEIGHT,
            (area.right - area.left) / WIDTH,
        );
        // Such characters may come from a fallback font of another width; separate runs keep their
        // neighbours in place.
        let alone = width != 1 || symbol.chars().any(|char| !ordinary(char));
        let end = writing
            .run
            .as_ref()
            .map_or(-1, |run| run.column + run.width);
        let joins = !alone
            && !writing.closed
            && writing.pen == Some(pen)
            && (end == column || end + 1 == column);
        if !joins {
            self.finish(writing);
        }
        let run = writing.run.get_or_insert(GlyphRun {
            column,
            row,
            width: 0,
            text: String::new(),
        });
        if run.column + run.width < column {
            run.text.push(' ');
        }
        run.text.push_str(&escape(symbol));
        run.width = column + width - run.column;
        writing.pen = Some(pen);
        writing.closed = alone;
    }

    fn finish(&mut self, writing: &mut Writing) {
        if let (Some(pen), Some(run)) = (writing.pen.take(), writing.run.take()) {
            self.runs.entry(pen).or_default().push(run);
        }
    }

    fn write(self, out: &mut String, (left, top): (i32, i32)) -> std::fmt::Result {
        writeln!(out, "<g transform=\"translate({left} {top})\">")?;
        for (layer, extra) in [
            (self.backgrounds, " shape-rendering=\"crispEdges\""),
            (self.shapes, ""),
        ] {
            for (color, rects) in layer.into_iter().filter(|(_, rects)| !rects.is_empty()) {
                write!(out, "<path fill=\"{}\"{extra} d=\"", hex(color))?;
                for Rect {
                    left,
                    top,
                    right,
                    bottom,
                } in joined(rects)
                {
                    write!(out, "M{left} {top}H{right}V{bottom}H{left}z")?;
                }
                out.push_str("\"/>\n");
            }
        }
        for ((color, step), data) in self.steps {
            let color = hex(color);
            let paint = match step {
                BarStep::Full => format!("fill=\"{color}\""),
                BarStep::Empty => format!("fill=\"none\" stroke=\"{color}\""),
            };
            writeln!(out, "<path {paint} d=\"{data}\"/>")?;
        }
        for (pen, runs) in self.runs {
            let weight = if pen.bold { " font-weight=\"700\"" } else { "" };
            let slant = if pen.italic {
                " font-style=\"italic\""
            } else {
                ""
            };
            writeln!(out, "<g fill=\"{}\"{weight}{slant}>", hex(pen.ink))?;
            for GlyphRun {
                column,
                row,
                width,
                text,
            } in runs
            {
                let (x, y, length) = (column * WIDTH, row * HEIGHT + BASELINE, width * WIDTH);
                writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{text}</text>"
                )?;
            }
            out.push_str("</g>\n");
        }
        out.push_str("</g>\n");
        Ok(())
    }
}

/// The current run while a row is processed.
#[derive(Default)]
struct Writing {
    pen: Option<Pen>,
    run: Option<GlyphRun>,
    /// True if nothing may be appended to the run.
    closed: bool,
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
    matches!(char, '!'..='~' | '\u{a1}'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{52f}' | '‐'..='…')
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

/// Returns `None` for the terminal's default colour. Named colours are xterm's.
fn rgb(color: Color) -> Option<PixelColor> {
    let index = match color {
        Color::Rgb(red, green, blue) => return Some([red, green, blue]),
        Color::Indexed(index) => index,
        named => {
            return (ANSI.iter())
                .find(|(_, known, _)| *known == named)
                .map(|it| it.2);
        }
    };
    Some(match index {
        0..16 => ANSI[usize::from(index)].2,
        16..232 => {
            let index = index - 16;
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            [index / 36, index / 6 % 6, index % 6].map(level)
        }
        232.. => [8 + 10 * (index - 232); 3],
    })
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

/// Pixels, relative to the top left cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rect {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Rect {
    const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self {
            left,
            top,
            right,
            bottom,
        }
    }

    const fn of_cells(column: i32, row: i32, width: i32) -> Self {
        Self::new(
            column * WIDTH,
            row * HEIGHT,
            (column + width) * WIDTH,
            (row + 1) * HEIGHT,
        )
    }

    const fn moved(self, x: i32, y: i32) -> Self {
        Self::new(self.left + x, self.top + y, self.right + x, self.bottom + y)
    }
}

/// Merges rectangles: neighbours in a row first, then equal spans below each other.
fn joined(mut rects: Vec<Rect>) -> Vec<Rect> {
    rects.sort_by_key(|rect| (rect.top, rect.bottom, rect.left));
    rects.dedup_by(|next, rect| {
        let joins = (rect.top, rect.bottom) == (next.top, next.bottom) && next.left <= rect.right;
        if joins {
            rect.right = rect.right.max(next.right);
        }
        joins
    });
    rects.sort_by_key(|rect| (rect.left, rect.right, rect.top));
    rects.dedup_by(|next, rect| {
        let joins = (rect.left, rect.right) == (next.left, next.right) && next.top <= rect.bottom;
        if joins {
            rect.bottom = rect.bottom.max(next.bottom);
        }
        joins
    });
    rects
}

/// Returns the rectangles of a border or block character within its cell; empty for other
/// characters.
fn shape(char: char) -> Vec<Rect> {
    const W: i32 = WIDTH;
    const H: i32 = HEIGHT;
    let eighths = |of: i32, count: u32| (of * count as i32 + 4) / 8;
    let code = u32::from(char);
    match char {
        '█' => vec![Rect::new(0, 0, W, H)],
        '▀' => vec![Rect::new(0, 0, W, H / 2)],
        '▁'..='▇' => vec![Rect::new(0, H - eighths(H, code - 0x2580), W, H)],
        '▉'..='▏' => vec![Rect::new(0, 0, eighths(W, 0x2590 - code), H)],
        '▐' => vec![Rect::new(W / 2, 0, W, H)],
        '▔' => vec![Rect::new(0, 0, W, eighths(H, 1))],
        '▕' => vec![Rect::new(W - 1, 0, W, H)],
        _ => arms(char).map_or_else(Vec::new, border),
    }
}

/// Returns the thickness in pixels of a border character's arms: left, up, right, down. Round
/// corners are drawn square.
fn arms(char: char) -> Option<[i32; 4]> {
    ARMS.iter().find_map(|(light, heavy, arms)| {
        let is_heavy = char == *heavy;
        let thickness = if is_heavy { 3 } else { 1 };
        (is_heavy || light.contains(char)).then(|| arms.map(|arm| arm * thickness))
    })
}

/// Thin and thick border characters with their arms.
const ARMS: [(&str, char, [i32; 4]); 15] = [
    ("─", '━', [1, 0, 1, 0]),
    ("│", '┃', [0, 1, 0, 1]),
    ("┌╭", '┏', [0, 0, 1, 1]),
    ("┐╮", '┓', [1, 0, 0, 1]),
    ("└╰", '┗', [0, 1, 1, 0]),
    ("┘╯", '┛', [1, 1, 0, 0]),
    ("├", '┣', [0, 1, 1, 1]),
    ("┤", '┫', [1, 1, 0, 1]),
    ("┬", '┳', [1, 0, 1, 1]),
    ("┴", '┻', [1, 1, 1, 0]),
    ("┼", '╋', [1, 1, 1, 1]),
    ("╴", '╸', [1, 0, 0, 0]),
    ("╵", '╹', [0, 1, 0, 0]),
    ("╶", '╺', [0, 0, 1, 0]),
    ("╷", '╻', [0, 0, 0, 1]),
];

/// Returns rectangles from the centre of the cell to its sides; at the centre, each covers the
/// other's thickness.
fn border(arms: [i32; 4]) -> Vec<Rect> {
    let (x, y) = (WIDTH / 2, HEIGHT / 2);
    let reach = arms.iter().max().map_or(0, |thickest| thickest / 2);
    let arm = |side: usize, thickness: i32| {
        let half = thickness / 2;
        match side {
            0 => Rect::new(0, y - half, x + reach + 1, y + half + 1),
            1 => Rect::new(x - half, 0, x + half + 1, y + reach + 1),
            2 => Rect::new(x - reach, y - half, WIDTH, y + half + 1),
            _ => Rect::new(x - half, y - reach, x + half + 1, HEIGHT),
        }
    };
    let present = arms
        .into_iter()
        .enumerate()
        .filter(|(_, thickness)| *thickness > 0);
    joined(
        present
            .map(|(side, thickness)| arm(side, thickness))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect as Area;
    use ratatui::style::Style;

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
                "<text x=\"0\" y=\"14\" textLength=\"81\" lengthAdjust=\"spacingAndGlyphs\">two words</text>",
            ),
            (
                "a gap parts runs",
                "a  b",
                plain,
                "<text x=\"27\" y=\"14\" textLength=\"9\"",
            ),
            (
                "a symbol has a separate run",
                "a★b",
                plain,
                "textLength=\"9\" lengthAdjust=\"spacingAndGlyphs\">★</text>",
            ),
            (
                "wide",
                "日b",
                plain,
                "<text x=\"0\" y=\"14\" textLength=\"18\" lengthAdjust=\"spacingAndGlyphs\">日</text>\n<text x=\"18\"",
            ),
            ("escaped", "<&\">", plain, "&lt;&amp;&quot;&gt;"),
            (
                "bold",
                "x",
                plain.bold(),
                "<g fill=\"#d4d4d4\" font-weight=\"700\">",
            ),
            (
                "italic",
                "x",
                plain.italic(),
                "<g fill=\"#d4d4d4\" font-style=\"italic\">",
            ),
            (
                "colour",
                "x",
                plain.fg(Color::Rgb(0x11, 0x22, 0x33)),
                "<g fill=\"#123\">",
            ),
            (
                "reversed ink",
                "x",
                plain.reversed(),
                "<g fill=\"#1c1c1c\">",
            ),
            (
                "reversed paper",
                "x",
                plain.reversed(),
                "<path fill=\"#d4d4d4\" shape-rendering=\"crispEdges\" d=\"M0 0H9V19H0z\"/>",
            ),
            ("dim", "x", plain.dim(), "<g fill=\"#878787\">"),
            (
                "underlined through spaces",
                "a  b",
                plain.underlined(),
                "<path fill=\"#d4d4d4\" d=\"M0 16H36V17H0z\"/>",
            ),
            ("struck", "ab", plain.crossed_out(), "d=\"M0 9H18V10H0z\""),
            (
                "background of a wide cell",
                "日",
                plain.bg(Color::Rgb(1, 2, 3)),
                "d=\"M0 0H18V19H0z\"",
            ),
            ("cube", "x", plain.fg(Color::Indexed(215)), "#ffaf5f"),
            ("grey", "x", plain.fg(Color::Indexed(235)), "#262626"),
            ("named", "x", plain.fg(Color::LightBlue), "#5c5cff"),
            ("block", "██", plain, "d=\"M0 0H18V19H0z\""),
            ("left eighths", "▎", plain, "d=\"M0 0H2V19H0z\""),
            ("lower eighths", "▂", plain, "d=\"M0 14H9V19H0z\""),
            (
                "step",
                "▰",
                plain,
                "<path fill=\"#d4d4d4\" d=\"M2 6h6l-2 8h-6z\"/>",
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
            assert!(
                !picture.contains("<text") && !picture.contains("<path"),
                "{picture}"
            );
        }
    }

    #[test]
    fn a_box_is_four_lines_that_meet() {
        let picture = drawn(&["┌──┐", "│  │", "└──┘"].map(|line| (line, Style::new())));
        let lines = "M4 9H5V48H4zM4 9H32V10H4zM4 47H32V48H4zM31 9H32V48H31z";
        assert!(picture.contains(lines), "{picture}");
    }

    #[test]
    fn every_border_reaches_the_sides_it_points_at() {
        for char in ('\u{2500}'..='\u{257f}').filter(|char| arms(*char).is_some()) {
            let rects = shape(char);
            let sides = [
                rects.iter().any(|rect| rect.left == 0),
                rects.iter().any(|rect| rect.top == 0),
                rects.iter().any(|rect| rect.right == WIDTH),
                rects.iter().any(|rect| rect.bottom == HEIGHT),
            ];
            assert_eq!(
                arms(char).map(|arms| arms.map(|arm| arm > 0)),
                Some(sides),
                "{char}"
            );
        }
    }

    #[test]
    fn equal_backgrounds_below_each_other_are_one_rectangle() {
        let style = Style::new().bg(Color::Rgb(9, 9, 9));
        let picture = drawn(&[("    ", style), ("    ", style)]);
        assert!(picture.contains("d=\"M0 0H36V38H0z\""), "{picture}");
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
            picture.contains("<text x=\"18\" y=\"14\" textLength=\"9\""),
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
