//! How the screen is divided: its size, the focused pane and the list.

use super::geometry::WIDE_FROM;
use super::{Browser, ListDisplay, Pane};

/// Columns by which a key resizes the list.
const WIDTH_STEP: u16 = 4;
/// What the positions of the panes depend on, apart from the page.
#[derive(Debug, Default)]
pub struct ScreenLayout {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The focused pane.
    pub focus: Pane,
    /// The response pane that last had the focus.
    pub side: Pane,
    /// Whether the focused pane fills the screen.
    pub zoomed: bool,
    /// Whether rows are printed one after the other, as in linear mode: nothing is beside anything.
    pub is_linear: bool,
    /// Where the list is shown.
    pub list: ListDisplay,
    /// Width of the list chosen by the user.
    pub list_width: Option<u16>,
    /// Rows of the view below the panes, and whether a line shows the sample's findings. Updated
    /// after each message.
    pub drawer_height: u16,
    pub has_sentence: bool,
}

impl Browser {
    /// Shows or hides the list; if only one pane shows at a time, focuses it and returns.
    pub(super) fn toggle_list(&mut self) {
        let geometry = self.geometry();
        let is_narrow = self.layout.size.0 < WIDE_FROM || self.layout.zoomed;
        if !is_narrow {
            self.layout.list = match geometry.list.is_empty() {
                true => ListDisplay::Shown,
                false => ListDisplay::Hidden,
            };
        }
        let has_keys = self.layout.focus == Pane::List;
        if has_keys {
            self.focus_on(Pane::Left);
        } else if is_narrow {
            self.layout.zoomed = false;
            self.focus_on(Pane::List);
        }
    }

    /// Widens or narrows the list by `steps` steps, and shows it if hidden.
    pub(super) fn resize_list(&mut self, wider: bool, steps: usize) {
        if self.layout.size.0 < WIDE_FROM || self.layout.zoomed {
            self.say("The screen is too small to show the list next to a pane.");
            return;
        }
        self.layout.list = ListDisplay::Shown;
        let by = u16::try_from(steps)
            .unwrap_or(u16::MAX)
            .saturating_mul(WIDTH_STEP);
        let columns = self.geometry().list.width;
        self.layout.list_width = Some(match wider {
            true => columns.saturating_add(by),
            false => columns.saturating_sub(by),
        });
        // The width that fits is stored, so that the next key continues from it.
        self.layout.list_width = Some(self.geometry().list.width);
    }
}
