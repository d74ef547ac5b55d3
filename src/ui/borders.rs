//! Frames whose borders are shared: where they meet, the right joint is drawn.

use std::collections::BTreeMap;

use super::Canvas;
use super::glyphs::Glyphs;
use crate::app::Area;

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// All border cells, each with the directions in which it goes on.
#[derive(Debug, Default)]
pub(super) struct Borders {
    cells: BTreeMap<(u16, u16), u8>,
}

impl Borders {
    /// Adds the frame of a pane.
    pub(super) fn add(&mut self, area: Area) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let (left, right) = (area.x, area.x + area.width - 1);
        let (top, bottom) = (area.y, area.y + area.height - 1);
        for x in left..right {
            for y in [top, bottom] {
                self.join((x, y), RIGHT);
                self.join((x + 1, y), LEFT);
            }
        }
        for y in top..bottom {
            for x in [left, right] {
                self.join((x, y), DOWN);
                self.join((x, y + 1), UP);
            }
        }
    }

    /// Paints them, those of the focused frame brighter.
    pub(super) fn paint(&self, canvas: &mut Canvas<'_>, focused: Area) {
        for (&(x, y), &directions) in &self.cells {
            let around = focused.contains(x, y) && !focused.inside().contains(x, y);
            let theme = &canvas.look.theme;
            let style = if around {
                theme.border_focus
            } else {
                theme.border
            };
            let sign = sign(&canvas.look.glyphs, directions);
            canvas.put(x, y, x + 1, sign, style);
        }
    }

    fn join(&mut self, cell: (u16, u16), direction: u8) {
        *self.cells.entry(cell).or_default() |= direction;
    }
}

fn sign(glyphs: &Glyphs, directions: u8) -> &'static str {
    const VERTICAL: u8 = UP | DOWN;
    const HORIZONTAL: u8 = LEFT | RIGHT;
    const TOP_LEFT: u8 = DOWN | RIGHT;
    const TOP_RIGHT: u8 = DOWN | LEFT;
    const BOTTOM_LEFT: u8 = UP | RIGHT;
    const BOTTOM_RIGHT: u8 = UP | LEFT;
    const JOINT_RIGHT: u8 = VERTICAL | RIGHT;
    const JOINT_LEFT: u8 = VERTICAL | LEFT;
    const JOINT_DOWN: u8 = HORIZONTAL | DOWN;
    const JOINT_UP: u8 = HORIZONTAL | UP;
    let border = &glyphs.border;
    match directions {
        VERTICAL => border.vertical_left,
        HORIZONTAL => border.horizontal_top,
        TOP_LEFT => border.top_left,
        TOP_RIGHT => border.top_right,
        BOTTOM_LEFT => border.bottom_left,
        BOTTOM_RIGHT => border.bottom_right,
        JOINT_RIGHT => glyphs.joints.right,
        JOINT_LEFT => glyphs.joints.left,
        JOINT_DOWN => glyphs.joints.down,
        JOINT_UP => glyphs.joints.up,
        _ => glyphs.joints.cross,
    }
}
