//! Where everything is on the screen: a pure function that `update` and `draw` both call.
//!
//! ```text
//!  header
//!  list  │ sentence
//!        │ prompt
//!        │ labels                 only without a card
//!  ──────┤ A title ────┬ B title ──
//!  card  │ A           │ B
//!        ├ rationales title ────────
//!  drawer
//!  status
//! ```
//!
//! Panes have no borders: one column separates neighbours, and a row above a text has its title. A
//! is beside B from [`WIDE_FROM`] columns on, above it if the user stacks them, and alone below that
//! width.

use crate::app::Pane;
use crate::text::named_enum;

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Area {
    /// Column of the left edge.
    pub x: u16,
    /// Row of the upper edge.
    pub y: u16,
    /// Number of columns.
    pub width: u16,
    /// Number of rows.
    pub height: u16,
}

impl Area {
    /// Creates a rectangle from its top left corner and size.
    pub const fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// True if it has no cells.
    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// True if it contains the cell.
    pub const fn contains(self, column: u16, row: u16) -> bool {
        column >= self.x
            && row >= self.y
            && column - self.x < self.width
            && row - self.y < self.height
    }

    /// Returns the text width of a pane of this width, without the margins of one column.
    pub const fn text_width(self) -> u16 {
        self.without_margins().width
    }

    /// Removes a margin of one column on each side if the area is wide enough.
    pub const fn without_margins(self) -> Self {
        if self.width < MARGIN_FROM {
            return self;
        }
        Self::new(self.x + 1, self.y, self.width - 2, self.height)
    }

    /// Removes a border of one cell.
    pub const fn inside(self) -> Self {
        let (width, height) = (self.width.saturating_sub(2), self.height.saturating_sub(2));
        Self::new(
            self.x.saturating_add(1),
            self.y.saturating_add(1),
            width,
            height,
        )
    }

    /// Returns the column after the last one.
    pub const fn right(self) -> u16 {
        self.x + self.width
    }

    /// Returns the row after the last one.
    pub const fn bottom(self) -> u16 {
        self.y + self.height
    }

    /// Returns one of its rows.
    pub const fn row(self, y: u16) -> Self {
        Self::new(self.x, y, self.width, 1)
    }

    /// Returns at most `height` rows from the top.
    pub fn top(self, height: u16) -> Self {
        Self {
            height: height.min(self.height),
            ..self
        }
    }

    /// Returns the area without its upper `height` rows.
    pub fn below(self, height: u16) -> Self {
        let taken = height.min(self.height);
        Self {
            y: self.y + taken,
            height: self.height - taken,
            ..self
        }
    }

    /// Returns at most `height` rows from the bottom.
    pub fn last(self, height: u16) -> Self {
        self.below(self.height - height.min(self.height))
    }

    /// Returns the area without its lower `height` rows.
    pub fn above(self, height: u16) -> Self {
        self.top(self.height - height.min(self.height))
    }

    /// Returns the area without its first `width` columns.
    pub fn right_of(self, width: u16) -> Self {
        let taken = width.min(self.width);
        Self {
            x: self.x + taken,
            width: self.width - taken,
            ..self
        }
    }
}

/// How the panes share the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LayoutMode {
    /// A beside B.
    Wide,
    /// A above B.
    Stacked,
    /// One pane at a time.
    #[default]
    Single,
}

named_enum! {
    /// When the list is shown beside the texts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ListDisplay {
        /// If the screen is wide enough for list and responses, and while the list is focused.
        #[default]
        Auto "auto",
        /// Whenever several panes are shown.
        Shown "shown",
        /// Only while the list is focused.
        Hidden "hidden",
    }
}

impl ListDisplay {
    /// True if the list is beside the texts on a screen of `width` columns.
    pub const fn is_beside(self, width: u16) -> bool {
        match self {
            Self::Shown => width >= WIDE_FROM,
            Self::Auto => width >= LIST_FROM,
            Self::Hidden => false,
        }
    }
}

/// Inputs of the layout besides the screen size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutInputs {
    /// The focused pane.
    pub focus: Pane,
    /// The response to show if only one fits: [`Pane::Left`] or [`Pane::Right`].
    pub side: Pane,
    /// True if the focused pane takes the whole body.
    pub zoomed: bool,
    /// True if A is above B when there is room for both.
    pub stacked: bool,
    /// True if nothing may be beside anything, and the card comes first.
    pub is_linear: bool,
    /// Lines of the prompt and of its last turn.
    pub prompt_lines: [usize; 2],
    /// Lines of rationales for the sample; 0 if there are none.
    pub rationale_lines: usize,
    /// True if there is a second response.
    pub paired: bool,
    /// Rows of the label card with its title; 0 if the card is empty.
    pub card: u16,
    /// True if the sample has labels, which take a row if there is no card.
    pub has_labels: bool,
    /// Rows of the drawer above the status line.
    pub drawer: u16,
    /// True if the drawer is the labels panel, which takes the card's place below a list.
    pub has_panel: bool,
    /// True if a line above the sample shows findings or review data.
    pub has_sentence: bool,
    /// Rows below the header for what the filter line offers.
    pub candidates: u16,
    /// When the list is shown beside the texts.
    pub list: ListDisplay,
    /// List width chosen by the user; `None`: by the width of the screen.
    pub list_width: Option<u16>,
}

impl LayoutInputs {
    /// True if the list is beside the texts, with the card below it.
    fn has_card(&self, width: u16) -> bool {
        self.list.is_beside(width) && !self.is_linear && !self.zoomed
    }
}

/// The areas of the screen. Hidden ones are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Geometry {
    /// Arrangement of the responses.
    pub shape: LayoutMode,
    /// First row: query, order, count and open views.
    pub header: Area,
    /// Rows for what the filter line offers; without a list they replace prompt and labels.
    pub candidates: Area,
    /// The list, without the rule at its right.
    pub list: Area,
    /// Labels and facts below the list, with a title.
    pub card: Area,
    /// Row above the sample for findings or review data.
    pub sentence: Area,
    /// The prompt.
    pub prompt: Area,
    /// Row of labels.
    pub labels: Area,
    /// Response A with its title.
    pub a: Area,
    /// Response B with its title.
    pub b: Area,
    /// Rationales with their title.
    pub rationales: Area,
    /// Rows above the status line for a panel.
    pub drawer: Area,
    /// Last row: notices and keys.
    pub status: Area,
}

/// Screen width from which responses are side by side.
pub(super) const WIDE_FROM: u16 = 70;
/// Screen width from which the list is shown automatically.
const LIST_FROM: u16 = 112;
/// Screen height from which the query has a header row; on lower screens it is in the status line.
const HEADER_FROM: u16 = 22;
/// Screen heights from which earlier turns of a prompt are shown, and shown in full.
const TURNS_FROM: u16 = 30;
pub(crate) const WHOLE_TURNS_FROM: u16 = 40;
/// Minimum height for A above B.
const STACKED_HEIGHT: u16 = 18;
/// Width of a text on wide screens; the list takes the rest, up to 60 cells.
const READABLE: u16 = 72;
/// Width from which a text has a margin of one column on each side.
const MARGIN_FROM: u16 = 16;
/// Minimum rows, with title, of a response beside rationales, and of rationales.
const MIN_RESPONSE: u16 = 11;
const MIN_RATIONALES: u16 = 4;
/// Minimum width of the list and of a response, which limits widths chosen by the user.
const NARROWEST_LIST: u16 = 12;
const NARROWEST_RESPONSE: u16 = 20;

/// Rows for what the filter line offers.
pub const CANDIDATES: u16 = 5;

/// Returns the height of the header on a screen of this height.
pub(crate) fn header_height(height: u16) -> u16 {
    u16::from(height >= HEADER_FROM)
}

impl Geometry {
    /// Divides a screen of `width` × `height` cells; any size is valid.
    pub fn of(width: u16, height: u16, inputs: &LayoutInputs) -> Self {
        let screen = Area::new(0, 0, width, height);
        let header = screen.top(header_height(height));
        let body = screen.below(header.height);
        let status = body.last(u16::from(height >= 2));
        let body = body.above(status.height);
        let is_in_card = inputs.has_panel && inputs.has_card(width);
        let drawer = body.last(if is_in_card { 0 } else { inputs.drawer });
        let body = body.above(drawer.height);
        let candidates = body.top(inputs.candidates);
        let body = body.below(candidates.height);
        let shape = match () {
            () if inputs.zoomed => LayoutMode::Single,
            () if inputs.is_linear || (inputs.stacked && body.height >= STACKED_HEIGHT) => {
                LayoutMode::Stacked
            }
            () if width >= WIDE_FROM => LayoutMode::Wide,
            () => LayoutMode::Single,
        };
        let bare = Self {
            shape,
            header,
            candidates,
            drawer,
            status,
            ..Self::default()
        };
        if inputs.zoomed || (inputs.is_linear && inputs.focus == Pane::List) {
            return bare.with_pane(inputs.focus, body);
        }
        bare.shared(body, height, inputs)
    }

    /// Returns a pane's area with its title; empty if the pane is hidden.
    pub fn frame(&self, pane: Pane) -> Area {
        match pane {
            Pane::List => self.list,
            Pane::Prompt => self.prompt,
            Pane::Left => self.a,
            Pane::Right => self.b,
            Pane::Rationales => self.rationales,
        }
    }

    /// Returns the area of a pane's text: below the title, inside the margins.
    pub fn inside(&self, pane: Pane) -> Area {
        let frame = self.frame(pane);
        match pane {
            Pane::List => frame,
            Pane::Prompt => frame.without_margins(),
            Pane::Left | Pane::Right | Pane::Rationales => frame.below(1).without_margins(),
        }
    }

    /// Returns the pane at a cell.
    pub fn pane_at(&self, column: u16, row: u16) -> Option<Pane> {
        // The list can cover other panes, so it is tested first.
        Pane::ALL
            .into_iter()
            .find(|&pane| self.frame(pane).contains(column, row))
    }

    /// Returns the text width of a response. A hidden one has a width too, so that its layout stays
    /// valid when it is shown.
    pub fn response_width(&self, side: Pane, width: u16) -> u16 {
        match self.inside(side).width {
            0 => Area::new(0, 0, width, 0).text_width(),
            inside => inside,
        }
    }

    /// Returns where the labels panel is drawn: in the drawer, or in the card.
    pub const fn panel(&self) -> Area {
        if self.drawer.is_empty() {
            self.card
        } else {
            self.drawer
        }
    }

    /// True if the focused list covers the texts because they need the whole width.
    pub fn is_list_on_top(&self) -> bool {
        !self.list.is_empty() && self.prompt.x < self.list.right()
    }

    fn with_pane(mut self, pane: Pane, area: Area) -> Self {
        *match pane {
            Pane::List => &mut self.list,
            Pane::Prompt => &mut self.prompt,
            Pane::Left => &mut self.a,
            Pane::Right => &mut self.b,
            Pane::Rationales => &mut self.rationales,
        } = area;
        self
    }

    fn shared(mut self, body: Area, height: u16, inputs: &LayoutInputs) -> Self {
        let mut texts = body;
        let columns = Self::list_columns(body.width, inputs);
        let is_beside = inputs.has_card(body.width);
        if is_beside || inputs.focus == Pane::List {
            self.list = Area {
                width: columns,
                ..body
            };
        }
        if is_beside {
            texts = body.right_of(columns + 1);
            // At most half of the column, so that the list keeps enough rows.
            let panel = if inputs.has_panel { inputs.drawer } else { 0 };
            self.card = self.list.last(inputs.card.max(panel).min(body.height / 2));
            self.list = self.list.above(self.card.height);
        }
        if self.candidates.is_empty() || is_beside {
            texts = self.above_responses(texts, height, inputs);
        }
        self.rationales = texts.last(self.rationale_rows(texts.height, inputs));
        self.responses(texts.above(self.rationales.height), inputs)
    }

    /// Places what is above the responses. Returns the area that is left.
    fn above_responses(&mut self, texts: Area, height: u16, inputs: &LayoutInputs) -> Area {
        let mut texts = texts;
        self.sentence = texts.top(u16::from(inputs.has_sentence));
        texts = texts.below(self.sentence.height);
        if inputs.is_linear {
            self.card = texts.top(inputs.card);
            texts = texts.below(self.card.height);
        }
        self.prompt = texts.top(prompt_rows(height, inputs));
        texts = texts.below(self.prompt.height);
        self.labels = texts.top(u16::from(inputs.has_labels && self.card.is_empty()));
        texts.below(self.labels.height)
    }

    fn responses(mut self, texts: Area, inputs: &LayoutInputs) -> Self {
        match self.shape {
            _ if texts.is_empty() => {}
            _ if !inputs.paired => self.a = texts,
            LayoutMode::Wide => {
                let shared = texts.width - 1;
                let width = shared / 2;
                self.a = Area { width, ..texts };
                self.b = texts.right_of(width + 1);
            }
            LayoutMode::Stacked => {
                self.a = texts.top(texts.height.div_ceil(2));
                self.b = texts.below(self.a.height);
            }
            LayoutMode::Single => self = self.with_pane(inputs.side, texts),
        }
        self
    }

    /// Returns the width of the list if it is shown.
    fn list_columns(width: u16, inputs: &LayoutInputs) -> u16 {
        let usual = match width {
            ..WIDE_FROM => return width,
            WIDE_FROM..LIST_FROM => 30,
            LIST_FROM..140 => 32,
            140..200 => 34,
            _ => width.saturating_sub(2 * (READABLE + 1)).clamp(34, 60),
        };
        let most = width.saturating_sub(2 * (NARROWEST_RESPONSE + 1));
        inputs
            .list_width
            .unwrap_or(usual)
            .clamp(NARROWEST_LIST, most.max(NARROWEST_LIST))
    }

    /// Returns the rows of the rationales, with title, of the rows below the prompt. They get none
    /// if the responses need the room, and all of it if they are focused and both do not fit.
    fn rationale_rows(&self, rows: u16, inputs: &LayoutInputs) -> u16 {
        if inputs.rationale_lines == 0 {
            return 0;
        }
        let least = match self.shape {
            LayoutMode::Stacked if inputs.paired => 2 * MIN_RESPONSE,
            _ => MIN_RESPONSE,
        };
        let most = rows / 3;
        let wanted = rows_of(inputs.rationale_lines).saturating_add(1).min(most);
        let room = rows.saturating_sub(least);
        match inputs.focus {
            _ if room >= wanted.min(MIN_RATIONALES) && most >= MIN_RATIONALES => wanted.min(room),
            Pane::Rationales => rows,
            _ => 0,
        }
    }
}

/// Returns the rows of the prompt: on a low screen only its last turn, and half of the screen while
/// focused.
fn prompt_rows(height: u16, inputs: &LayoutInputs) -> u16 {
    let [all, last] = inputs.prompt_lines.map(|lines| rows_of(lines.max(1)));
    let (lines, most) = match height {
        _ if inputs.is_linear || inputs.focus == Pane::Prompt => (all, height / 2),
        TURNS_FROM.. => (all, height / 5),
        HEADER_FROM.. => (last, 3),
        _ => (last, 2),
    };
    lines.min(most.max(1))
}

fn rows_of(lines: usize) -> u16 {
    u16::try_from(lines).unwrap_or(u16::MAX)
}

/// Columns by which a key resizes the list.
pub(super) const WIDTH_STEP: u16 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(focus: Pane, paired: bool) -> LayoutInputs {
        LayoutInputs {
            focus,
            side: Pane::Left,
            zoomed: false,
            stacked: false,
            is_linear: false,
            prompt_lines: [5, 3],
            rationale_lines: 0,
            paired,
            card: 9,
            has_labels: true,
            drawer: 0,
            has_panel: false,
            has_sentence: false,
            candidates: 0,
            list: ListDisplay::Auto,
            list_width: None,
        }
    }

    #[test]
    fn responses_have_most_of_the_screen() {
        // Screen size, width of the list, text width of a response.
        for (size, list, text) in [
            ((160, 48), 34, (60, 40)),
            ((118, 32), 32, (40, 24)),
            ((80, 24), 0, (37, 17)),
            ((60, 20), 0, (58, 15)),
            ((200, 60), 54, (70, 52)),
            ((240, 60), 60, (87, 52)),
        ] {
            let geometry = Geometry::of(size.0, size.1, &inputs(Pane::Left, true));
            let inside = geometry.inside(Pane::Left);
            assert_eq!(geometry.list.width, list, "{size:?}");
            assert_eq!((inside.width, inside.height), text, "{size:?}");
        }
    }

    #[test]
    fn every_size_keeps_to_the_screen_and_shows_the_focus() {
        for width in 0..130 {
            for height in 0..40 {
                for focus in Pane::ALL {
                    for paired in [true, false] {
                        let mut inputs = inputs(focus, paired);
                        inputs.side = if paired && focus == Pane::Right {
                            focus
                        } else {
                            Pane::Left
                        };
                        let geometry = Geometry::of(width, height, &inputs);
                        let areas = [
                            geometry.header,
                            geometry.status,
                            geometry.card,
                            geometry.labels,
                        ];
                        let frames = Pane::ALL.map(|pane| geometry.frame(pane));
                        for area in areas.iter().chain(&frames) {
                            assert!(
                                area.right() <= width && area.bottom() <= height,
                                "{geometry:?}"
                            );
                        }
                        let shown = (paired || focus != Pane::Right) && focus != Pane::Rationales;
                        if shown && width > 0 && height > 5 {
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
    fn the_list_is_where_it_leaves_room_or_is_asked_for() {
        use ListDisplay::{Auto, Hidden, Shown};
        for (size, list, focus, columns, is_on_top) in [
            ((80, 24), Auto, Pane::Left, 0, false),
            ((80, 24), Auto, Pane::List, 30, true),
            ((80, 24), Shown, Pane::Left, 30, false),
            ((60, 24), Auto, Pane::List, 60, true),
            ((60, 24), Shown, Pane::Left, 0, false),
            ((120, 36), Auto, Pane::Left, 32, false),
            ((120, 36), Hidden, Pane::Left, 0, false),
            ((120, 36), Hidden, Pane::List, 32, true),
            ((160, 48), Auto, Pane::Left, 34, false),
            ((400, 48), Auto, Pane::Left, 60, false),
        ] {
            let inputs = LayoutInputs {
                list,
                ..inputs(focus, true)
            };
            let geometry = Geometry::of(size.0, size.1, &inputs);
            assert_eq!(geometry.list.width, columns, "{size:?} {list:?} {focus:?}");
            assert_eq!(
                geometry.is_list_on_top(),
                is_on_top,
                "{size:?} {list:?} {focus:?}"
            );
        }
    }

    #[test]
    fn one_column_separates_neighbours() {
        let geometry = Geometry::of(120, 40, &inputs(Pane::Left, true));
        assert_eq!(geometry.list.right() + 1, geometry.a.x);
        assert_eq!(geometry.a.right() + 1, geometry.b.x);
        assert_eq!(geometry.b.right(), 120);
        assert_eq!(geometry.prompt.bottom(), geometry.a.y);
        assert_eq!(geometry.list.bottom(), geometry.card.y);
    }

    #[test]
    fn the_list_has_limits() {
        for width in [0, 50, 5000] {
            let inputs = LayoutInputs {
                list: ListDisplay::Shown,
                list_width: Some(width),
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
