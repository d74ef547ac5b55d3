//! Where everything stands on the screen: a pure function that `update` and `draw` both call.
//!
//! Three shapes: wide (A beside B), stacked (A above B), both with the list beside them where that
//! leaves them room or a person wants it, and single (one pane at a time, for narrow or low terminals
//! and for a zoomed pane).

use serde::{Deserialize, Serialize};

use super::Pane;

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Area {
    /// Column of the left edge.
    pub x: u16,
    /// Row of the upper edge.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// A rectangle by its left upper corner and size.
    pub const fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// Whether there is no cell in it.
    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Whether a cell lies in it.
    pub const fn contains(self, column: u16, row: u16) -> bool {
        column >= self.x
            && row >= self.y
            && column - self.x < self.width
            && row - self.y < self.height
    }

    /// Columns of text in a pane of this width.
    pub const fn text_width(self) -> u16 {
        let inside = self.inside().width;
        if inside < AIR_FROM {
            inside
        } else {
            inside - 2
        }
    }

    /// What a border of one cell leaves.
    pub const fn inside(self) -> Self {
        let (width, height) = (self.width.saturating_sub(2), self.height.saturating_sub(2));
        Self::new(
            self.x.saturating_add(1),
            self.y.saturating_add(1),
            width,
            height,
        )
    }

    /// The column after its last one.
    pub const fn right(self) -> u16 {
        self.x + self.width
    }

    /// One of its rows.
    pub const fn row(self, y: u16) -> Self {
        Self::new(self.x, y, self.width, 1)
    }

    /// Its upper rows, at most `height` of them.
    pub fn top(self, height: u16) -> Self {
        Self {
            height: height.min(self.height),
            ..self
        }
    }

    /// What is left below its upper `height` rows.
    pub fn below(self, height: u16) -> Self {
        let taken = height.min(self.height);
        Self {
            y: self.y + taken,
            height: self.height - taken,
            ..self
        }
    }
}

/// How the panes share the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutMode {
    /// A beside B.
    Wide,
    /// A above B.
    Stacked,
    /// One pane at a time.
    Single,
}

/// Whether the list stands beside the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListDisplay {
    /// Where it leaves the responses room, and while it has the keys.
    #[default]
    Auto,
    /// Wherever several panes show.
    Shown,
    /// Only while it has the keys.
    Hidden,
}

impl ListDisplay {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Shown, Self::Hidden];

    /// What files call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Shown => "shown",
            Self::Hidden => "hidden",
        }
    }

    /// The way of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|display| display.name() == name)
    }
}

/// What the shares depend on besides the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutInputs {
    /// The pane with the keys.
    pub focus: Pane,
    /// Whether that pane takes the whole body.
    pub zoomed: bool,
    /// Lines that the prompt would fill.
    pub prompt_lines: usize,
    /// Lines of what was written about the sample and its responses; 0 where nothing was.
    pub rationale_lines: usize,
    /// Whether there is a second response.
    pub paired: bool,
    /// Rows of the drawer above the status.
    pub drawer: u16,
    /// Whether a line above the sample says what is suspicious in it.
    pub has_sentence: bool,
    /// Whether the list stands beside the texts.
    pub list: ListDisplay,
    /// Columns that were chosen for the list; `None`: a part of the screen.
    pub list_width: Option<u16>,
    /// Columns that A was dragged to, in permille of what A and B share.
    pub split: Option<u16>,
}

/// The whole screen, cut up. A pane that is not shown has an empty frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// How the panes share the body.
    pub shape: LayoutMode,
    /// First row: what is open.
    pub header: Area,
    /// Row of pane names, where one pane shows at a time.
    pub tabs: Area,
    /// Frame of the list, border included.
    pub list: Area,
    /// Frame of the prompt; shares its lower border with A (and B).
    pub prompt: Area,
    /// Frame of response A; shares its right border with B where they stand side by side.
    pub a: Area,
    /// Frame of response B.
    pub b: Area,
    /// Frame of what was written about them; shares its upper border with the responses.
    pub rationales: Area,
    /// Row above the sample that says what is suspicious in it.
    pub sentence: Area,
    /// Rows above the status that a panel takes.
    pub drawer: Area,
    /// Last row: where one is, and what keys help.
    pub status: Area,
}

/// From this width on the responses stand side by side.
const WIDE_FROM: u16 = 100;
/// From this width on more than one pane shows.
const STACKED_FROM: u16 = 60;
/// From this width on the list stands beside the texts while it has the keys; below it, it covers
/// them.
const LIST_BESIDE_FROM: u16 = 80;
/// Columns of the list: a part of the screen in percent, at least as many as leave prompts some
/// twenty cells, and at most so many.
const LIST_PERCENT: u32 = 27;
const LEAST_LIST: u16 = 34;
const MOST_LIST: u16 = 72;
/// Columns of each response, and rows of the screen where they stack, that a list which nobody asked
/// for leaves: ten lines of text, and such as are no splinters.
const ROOMY_RESPONSE: u16 = 40;
const ROOMY_STACK: u16 = 60;
const ROOMY_STACK_HEIGHT: u16 = 32;
/// From this width on a text keeps off its border.
const AIR_FROM: u16 = 30;
/// Under these heights one pane shows at a time.
const WIDE_HEIGHT: u16 = 10;
const STACKED_HEIGHT: u16 = 18;
/// The least rows of a response, border included, that rationales leave it, and of rationales.
const LEAST_RESPONSE: u16 = 12;
const LEAST_RATIONALES: u16 = 5;
/// The narrowest list and the narrowest response that a chosen width leaves.
const NARROWEST_LIST: u16 = 12;
const NARROWEST_RESPONSE: u16 = 20;

impl Geometry {
    /// Cuts up a screen of `width` × `height` cells; any size will do.
    pub fn of(width: u16, height: u16, inputs: &LayoutInputs) -> Self {
        let screen = Area::new(0, 0, width, height);
        let header = if height >= 3 {
            screen.top(1)
        } else {
            Area::default()
        };
        let status_height = u16::from(height >= 2);
        let status = Area::new(0, height - status_height.min(height), width, status_height);
        let body = Area {
            height: height - header.height - status.height,
            ..screen.below(header.height)
        };
        let drawer = body.below(body.height - inputs.drawer.min(body.height));
        let body = body.top(body.height - drawer.height);
        let empty = Area::default();
        let shape = Self::shape(width, height - drawer.height, inputs);
        let bare = Self {
            shape,
            header,
            tabs: empty,
            list: empty,
            prompt: empty,
            a: empty,
            b: empty,
            rationales: empty,
            sentence: empty,
            drawer,
            status,
        };
        match shape {
            LayoutMode::Single => bare.single(body, inputs),
            LayoutMode::Wide | LayoutMode::Stacked => bare.shared(body, inputs),
        }
    }

    /// A pane's frame, border included; empty where the pane is not shown.
    pub fn frame(&self, pane: Pane) -> Area {
        match pane {
            Pane::List => self.list,
            Pane::Prompt => self.prompt,
            Pane::Left => self.a,
            Pane::Right => self.b,
            Pane::Rationales => self.rationales,
        }
    }

    /// The cells inside a pane's border; texts keep a cell of air on both sides where there is
    /// room.
    pub fn inside(&self, pane: Pane) -> Area {
        let frame = self.frame(pane);
        let inside = frame.inside();
        let width = if pane == Pane::List {
            inside.width
        } else {
            frame.text_width()
        };
        Area {
            x: inside.x + (inside.width - width) / 2,
            width,
            ..inside
        }
    }

    /// The pane that a cell belongs to.
    pub fn pane_at(&self, column: u16, row: u16) -> Option<Pane> {
        Pane::ALL
            .into_iter()
            .find(|&pane| self.frame(pane).contains(column, row))
    }

    /// Columns that the text of a response can take; also where A and B are not shown at the
    /// moment, so that what is laid out stays valid when they are.
    pub fn response_width(&self, side: Pane, width: u16) -> u16 {
        match self.inside(side).width {
            0 => Area::new(0, 0, width, 0).text_width(),
            inside => inside,
        }
    }

    fn shape(width: u16, height: u16, inputs: &LayoutInputs) -> LayoutMode {
        if inputs.zoomed {
            LayoutMode::Single
        } else if width >= WIDE_FROM && height >= WIDE_HEIGHT {
            LayoutMode::Wide
        } else if width >= STACKED_FROM && height >= STACKED_HEIGHT {
            LayoutMode::Stacked
        } else {
            LayoutMode::Single
        }
    }

    fn single(mut self, body: Area, inputs: &LayoutInputs) -> Self {
        if body.height >= 5 && !inputs.zoomed {
            self.tabs = body.top(1);
        }
        let body = body.below(self.tabs.height);
        let is_list = inputs.focus == Pane::List;
        self.sentence = body.top(u16::from(inputs.has_sentence && !is_list));
        let frame = body.below(self.sentence.height);
        *match inputs.focus {
            Pane::List => &mut self.list,
            Pane::Prompt => &mut self.prompt,
            Pane::Left => &mut self.a,
            Pane::Right => &mut self.b,
            Pane::Rationales => &mut self.rationales,
        } = frame;
        self
    }

    fn shared(mut self, body: Area, inputs: &LayoutInputs) -> Self {
        let list_width = self.list_columns(body, inputs);
        if list_width == 0 && inputs.focus == Pane::List {
            self.list = body;
            return self;
        }
        self.list = Area {
            width: list_width,
            ..body
        };
        let right = Area {
            x: body.x + list_width,
            width: body.width - list_width,
            ..body
        };
        // Beside the list, which stays where it is from sample to sample.
        self.sentence = right.top(u16::from(inputs.has_sentence));
        let right = right.below(self.sentence.height);
        // Two thirds belong to the responses, whatever the prompt would like.
        let most = (right.height / 3).max(3);
        let wanted = u16::try_from(inputs.prompt_lines.max(1))
            .unwrap_or(u16::MAX)
            .saturating_add(2);
        self.prompt = right.top(wanted.clamp(3, most));
        // The prompt's lower border is the upper border of what is below it.
        let below = right.below(self.prompt.height - 1);
        let rationales = self.rationale_rows(below.height, right.height / 3, inputs);
        if rationales == below.height {
            self.rationales = below;
            return self;
        }
        let responses = below.top(below.height - rationales.saturating_sub(1));
        if rationales > 0 {
            self.rationales = below.below(responses.height - 1);
        }
        match self.shape {
            _ if !inputs.paired => self.a = responses,
            LayoutMode::Wide => {
                let usual = responses.width.div_ceil(2);
                let dragged =
                    |permille| (u32::from(responses.width) * u32::from(permille) / 1000) as u16;
                let most = responses
                    .width
                    .saturating_sub(NARROWEST_RESPONSE)
                    .max(NARROWEST_RESPONSE);
                let width = inputs
                    .split
                    .map_or(usual, dragged)
                    .clamp(NARROWEST_RESPONSE, most);
                self.a = Area { width, ..responses };
                let x = responses.x + width - 1;
                self.b = Area {
                    x,
                    width: responses.width - width + 1,
                    ..responses
                };
            }
            LayoutMode::Stacked | LayoutMode::Single => {
                self.a = responses.top(responses.height.div_ceil(2));
                self.b = responses.below(self.a.height - 1);
            }
        }
        self
    }

    /// Columns of the list: 0 where it does not stand beside the texts.
    fn list_columns(&self, body: Area, inputs: &LayoutInputs) -> u16 {
        let usual = (u32::from(body.width) * LIST_PERCENT / 100) as u16;
        let most = body
            .width
            .saturating_sub(2 * NARROWEST_RESPONSE)
            .max(NARROWEST_LIST);
        let columns = inputs
            .list_width
            .unwrap_or(usual.clamp(LEAST_LIST, MOST_LIST))
            .clamp(NARROWEST_LIST, most);
        let rest = body.width - columns;
        let is_roomy = match self.shape {
            LayoutMode::Wide => rest >= 2 * ROOMY_RESPONSE,
            LayoutMode::Stacked | LayoutMode::Single => {
                rest >= ROOMY_STACK && body.height >= ROOMY_STACK_HEIGHT
            }
        };
        let has_keys = inputs.focus == Pane::List && body.width >= LIST_BESIDE_FROM;
        let stands = match inputs.list {
            ListDisplay::Shown => true,
            ListDisplay::Auto => is_roomy || has_keys,
            ListDisplay::Hidden => has_keys,
        };
        if stands { columns } else { 0 }
    }

    /// Rows that rationales take of those below the prompt, at most so many, border included: none
    /// where there are none or the responses need them, and all where they have the focus and there
    /// is no room for both.
    fn rationale_rows(&self, rows: u16, most: u16, inputs: &LayoutInputs) -> u16 {
        if inputs.rationale_lines == 0 {
            return 0;
        }
        let above_each_other = inputs.paired && self.shape != LayoutMode::Wide;
        let least = if above_each_other {
            2 * LEAST_RESPONSE - 1
        } else {
            LEAST_RESPONSE
        };
        let wanted = u16::try_from(inputs.rationale_lines).unwrap_or(u16::MAX);
        let wanted = wanted.saturating_add(2).min(most);
        // The border between them is of both.
        let room = (rows + 1).saturating_sub(least);
        if room >= wanted.min(LEAST_RATIONALES) && most >= LEAST_RATIONALES {
            wanted.min(room)
        } else if inputs.focus == Pane::Rationales {
            rows
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(focus: Pane, paired: bool) -> LayoutInputs {
        LayoutInputs {
            focus,
            zoomed: false,
            prompt_lines: 4,
            rationale_lines: 0,
            paired,
            drawer: 0,
            has_sentence: false,
            list: ListDisplay::Auto,
            list_width: None,
            split: None,
        }
    }

    #[test]
    fn shapes_by_size() {
        for (size, shape) in [
            ((160, 48), LayoutMode::Wide),
            ((100, 30), LayoutMode::Wide),
            ((99, 30), LayoutMode::Stacked),
            ((60, 20), LayoutMode::Stacked),
            ((59, 20), LayoutMode::Single),
            ((100, 9), LayoutMode::Single),
            ((80, 15), LayoutMode::Single),
            ((40, 12), LayoutMode::Single),
            ((1, 1), LayoutMode::Single),
        ] {
            assert_eq!(
                Geometry::of(size.0, size.1, &inputs(Pane::Left, true)).shape,
                shape,
                "{size:?}"
            );
        }
    }

    #[test]
    fn every_size_keeps_to_the_screen_and_shows_the_focus() {
        for width in 0..130 {
            for height in 0..40 {
                for focus in Pane::ALL {
                    for paired in [true, false] {
                        let geometry = Geometry::of(width, height, &inputs(focus, paired));
                        let areas = [geometry.header, geometry.tabs, geometry.status];
                        let frames = Pane::ALL.map(|pane| geometry.frame(pane));
                        for area in areas.iter().chain(&frames) {
                            assert!(
                                area.right() <= width && area.y + area.height <= height,
                                "{geometry:?}"
                            );
                        }
                        let shown = (paired || focus != Pane::Right) && focus != Pane::Rationales;
                        if shown && width > 0 && height > 2 {
                            assert!(
                                !geometry.frame(focus).is_empty(),
                                "{width}x{height} {focus:?} {geometry:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_list_stands_where_it_leaves_room_or_is_asked_for() {
        use ListDisplay::{Auto, Hidden, Shown};
        for (size, list, focus, columns) in [
            ((80, 24), Auto, Pane::Left, 0),
            ((80, 24), Auto, Pane::List, 34),
            ((80, 24), Shown, Pane::Left, 34),
            ((70, 24), Auto, Pane::List, 70),
            ((99, 30), Auto, Pane::Left, 0),
            ((99, 40), Auto, Pane::Left, 34),
            ((100, 30), Auto, Pane::Left, 0),
            ((120, 36), Auto, Pane::Left, 34),
            ((120, 36), Hidden, Pane::Left, 0),
            ((120, 36), Hidden, Pane::List, 34),
            ((160, 48), Auto, Pane::Left, 43),
            ((400, 48), Auto, Pane::Left, 72),
        ] {
            let inputs = LayoutInputs {
                list,
                ..inputs(focus, true)
            };
            let geometry = Geometry::of(size.0, size.1, &inputs);
            assert_eq!(geometry.list.width, columns, "{size:?} {list:?} {focus:?}");
        }
    }

    #[test]
    fn shared_borders() {
        let geometry = Geometry::of(120, 40, &inputs(Pane::Left, true));
        assert_eq!(geometry.prompt.y + geometry.prompt.height - 1, geometry.a.y);
        assert_eq!(geometry.a.x + geometry.a.width - 1, geometry.b.x);
        assert_eq!(geometry.b.x + geometry.b.width, 120);
    }

    #[test]
    fn dragging_has_limits() {
        for dragged in [0, 50, 5000] {
            let inputs = LayoutInputs {
                list: ListDisplay::Shown,
                list_width: Some(dragged),
                split: Some(dragged),
                ..inputs(Pane::Left, true)
            };
            let geometry = Geometry::of(120, 40, &inputs);
            assert!(
                geometry.list.width >= NARROWEST_LIST && geometry.a.width >= NARROWEST_RESPONSE
            );
            assert!(geometry.b.width >= NARROWEST_RESPONSE, "{geometry:?}");
        }
    }
}
