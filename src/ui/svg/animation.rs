//! Draws frames as an animation in one SVG, for the README. Rows that frames have in common are
//! stored once. Viewers that prefer reduced motion see the last frame.

use std::collections::HashMap;
use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect as CellArea;

use super::{BAR, HEIGHT, PADDING, Picture, SvgBackground, SvgColors, WIDTH, escape, window};

/// A frame and its duration.
#[derive(Debug, Clone)]
pub struct SvgFrame {
    /// The cells.
    pub buffer: Buffer,
    /// Duration in seconds; more than 0.
    pub seconds: f64,
}

/// Draws frames of one size as a loop, in a window with a title bar unless `title` is empty. The
/// output is deterministic; without frames, the window is empty.
pub fn animated_svg(frames: &[SvgFrame], background: SvgBackground, title: &str) -> String {
    let page = SvgColors::of(background);
    let size = frames.last().map_or((0, 0), |frame| {
        let area = frame.buffer.area;
        (i32::from(area.width), i32::from(area.height))
    });
    let bar = if title.is_empty() { 0 } else { BAR };
    let size = (
        size.0 * WIDTH + 2 * PADDING,
        size.1 * HEIGHT + 2 * PADDING + bar,
    );
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = window(&mut out, size, page, &escape(title));
    let _ = styles(&mut out, frames);
    let mut rows = Rows::default();
    let mut shown = String::new();
    for (number, frame) in frames.iter().enumerate() {
        let last = if number + 1 == frames.len() {
            " last"
        } else {
            ""
        };
        let _ = writeln!(shown, "<g class=\"frame f{number}{last}\">");
        for row in 0..frame.buffer.area.height {
            let id = rows.id(&frame.buffer, row, page);
            let y = PADDING + bar + i32::from(row) * HEIGHT;
            let _ = writeln!(shown, "<use href=\"#r{id}\" x=\"{PADDING}\" y=\"{y}\"/>");
        }
        shown.push_str("</g>\n");
    }
    let _ = write!(out, "<defs>\n{}</defs>\n{shown}</svg>\n", rows.drawn);
    out
}

/// Writes the CSS that shows each frame at its time and hides the others.
fn styles(out: &mut String, frames: &[SvgFrame]) -> std::fmt::Result {
    let all: f64 = frames.iter().map(|frame| frame.seconds).sum();
    out.push_str("<style>\n.frame{visibility:hidden}\n.last{visibility:visible}\n");
    out.push_str("@media (prefers-reduced-motion:no-preference){\n.last{visibility:hidden}\n");
    let mut begin = 0.0;
    for (number, frame) in frames.iter().enumerate() {
        let end = begin + frame.seconds;
        let percent = |seconds: f64| 100.0 * seconds / all;
        let before = match number {
            0 => String::new(),
            _ => "0%{visibility:hidden}".to_owned(),
        };
        let after = match number + 1 == frames.len() {
            true => String::new(),
            false => format!("{:.3}%{{visibility:hidden}}", percent(end)),
        };
        writeln!(
            out,
            ".f{number}{{animation:k{number} {all:.2}s step-end infinite}}\n\
             @keyframes k{number}{{{before}{:.3}%{{visibility:visible}}{after}}}",
            percent(begin)
        )?;
        begin = end;
    }
    out.push_str("}\n</style>\n");
    Ok(())
}

/// The distinct rows, with their ids.
#[derive(Default)]
struct Rows {
    ids: HashMap<String, usize>,
    drawn: String,
}

impl Rows {
    /// Returns the id of a row of a frame.
    fn id(&mut self, buffer: &Buffer, row: u16, page: SvgColors) -> usize {
        let mut line = Buffer::empty(CellArea::new(0, 0, buffer.area.width, 1));
        for column in 0..buffer.area.width {
            let cell = &buffer[(buffer.area.x + column, buffer.area.y + row)];
            line[(column, 0)] = cell.clone();
        }
        let mut picture = Picture::default();
        picture.add_row(&line, 0, page);
        let mut drawn = String::new();
        let _ = picture.write(&mut drawn, (0, 0));
        let next = self.ids.len();
        let id = *self.ids.entry(drawn.clone()).or_insert(next);
        if id == next {
            let _ = write!(self.drawn, "<g id=\"r{id}\">\n{drawn}</g>\n");
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(lines: &[&str], seconds: f64) -> SvgFrame {
        SvgFrame {
            buffer: Buffer::with_lines(lines.iter().copied()),
            seconds,
        }
    }

    #[test]
    fn common_rows_are_stored_once_and_each_frame_has_its_time() {
        let frames = [frame(&["head", "one "], 1.0), frame(&["head", "two "], 3.0)];
        let animated = animated_svg(&frames, SvgBackground::default(), "t");
        assert_eq!(animated.matches("<g id=").count(), 3, "{animated}");
        assert_eq!(animated.matches("<use ").count(), 4, "{animated}");
        for says in [
            "@keyframes k0{0.000%{visibility:visible}25.000%{visibility:hidden}}",
            "@keyframes k1{0%{visibility:hidden}25.000%{visibility:visible}}",
            "animation:k1 4.00s step-end infinite",
            "<g class=\"frame f1 last\">",
        ] {
            assert!(animated.contains(says), "{says}\n{animated}");
        }
    }

    #[test]
    fn without_frames_there_is_a_window() {
        assert!(animated_svg(&[], SvgBackground::default(), "").ends_with("</svg>\n"));
    }
}
