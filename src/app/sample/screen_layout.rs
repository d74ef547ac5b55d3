//! How the screen is divided now: the inputs of [`Geometry`] from the state, and what changes them.

use super::geometry::{
    CANDIDATES, Geometry, LayoutInputs, ListDisplay, WIDE_FROM, WIDTH_STEP, header_height,
};
use crate::app::{App, LineKind, Pane, View};

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
}

impl App {
    /// Returns the layout of the panes on the screen.
    pub fn geometry(&self) -> Geometry {
        Geometry::of(
            self.layout.size.0,
            self.layout.size.1,
            &self.layout_inputs(!self.is_single()),
        )
    }

    /// Returns the number of rows of a pane that show its text.
    pub fn text_height(&self, pane: Pane) -> usize {
        usize::from(self.geometry().inside(pane).height)
    }

    /// Returns the number of list rows on screen without the heading; 0 if the list is hidden.
    pub fn list_height(&self) -> usize {
        let heading = usize::from(self.has_list_heading());
        usize::from(self.geometry().inside(Pane::List).height).saturating_sub(heading)
    }

    pub(crate) fn layout_inputs(&self, paired: bool) -> LayoutInputs {
        LayoutInputs {
            has_sentence: self.has_sentence(),
            ..self.inputs_without_sentence(paired)
        }
    }

    /// True if the list is on the screen.
    pub(crate) fn shows_list(&self) -> bool {
        // The row above the sample, which asks this, does not change the answer.
        let (width, height) = self.layout.size;
        let inputs = self.inputs_without_sentence(!self.is_single());
        !Geometry::of(width, height, &inputs).list.is_empty()
    }

    fn inputs_without_sentence(&self, paired: bool) -> LayoutInputs {
        let page = self.open.page.as_ref();
        LayoutInputs {
            focus: self.layout.focus,
            side: if paired { self.layout.side } else { Pane::Left },
            zoomed: self.layout.zoomed,
            stacked: self.settings.view.stacked,
            is_linear: self.layout.is_linear,
            prompt_lines: page.map_or([1; 2], |page| {
                let lines = page.prompt.len();
                [lines, lines - page.prompt.last_question()]
            }),
            rationale_lines: self.open.lines(Pane::Rationales),
            paired,
            card: match page.map_or(0, |page| page.card.len()) {
                0 => 0,
                rows => u16::try_from(rows + 1).unwrap_or(u16::MAX),
            },
            has_labels: page.is_some_and(|page| !page.card.labels.is_empty()),
            drawer: self.drawer_height(),
            has_panel: matches!(self.views.below_panes(), Some(View::Panel(_))),
            has_sentence: false,
            candidates: self.candidate_rows(),
            list: self.layout.list,
            list_width: self.layout.list_width,
        }
    }

    /// Returns the number of rows below the header for what the filter line offers.
    fn candidate_rows(&self) -> u16 {
        let is_in_header = self.views.line_kind() == Some(LineKind::Filter)
            && self.views.page().is_none()
            && !self.layout.is_linear
            && header_height(self.layout.size.1) > 0;
        if is_in_header { CANDIDATES } else { 0 }
    }

    /// Returns the number of rows of the view below the panes.
    fn drawer_height(&self) -> u16 {
        match self.views.below_panes() {
            Some(View::Note(pad)) => self.fitting_drawer(pad.height()),
            Some(View::Rate(_)) => {
                // Both responses must be visible while one is rated.
                let least = self.rate_height().saturating_sub(1);
                self.fitting_drawer(self.rate_height())
                    .max(least.min(self.layout.size.1 / 2))
            }
            Some(View::Queue(_)) => self.fitting_drawer(self.queue_height()),
            Some(View::Panel(panel)) => self.panel_height(panel),
            _ => 0,
        }
    }

    /// Focuses the pane this many steps on that has content.
    pub(crate) fn move_focus(&mut self, steps: usize) {
        let mut next = self.layout.focus;
        loop {
            next = Pane::ALL[(next.index() + steps) % Pane::ALL.len()];
            if self.has_pane(next) {
                break;
            }
        }
        self.focus_on(next);
    }

    /// Gives a pane the keys.
    pub(crate) fn focus_on(&mut self, pane: Pane) {
        self.layout.focus = pane;
        if pane.side().is_some() {
            self.layout.side = pane;
        }
    }

    /// Gives the focused pane the whole screen, or all panes their place again.
    pub(crate) fn zoom(&mut self) {
        if self.layout.focus == Pane::List && !self.layout.zoomed {
            // In the list, Enter opens the sample for reading.
            self.focus_on(Pane::Left);
        } else {
            self.layout.zoomed = !self.layout.zoomed;
        }
    }

    /// Shows or hides the list; if only one pane shows at a time, focuses it and returns.
    pub(crate) fn toggle_list(&mut self) {
        let geometry = self.geometry();
        let is_narrow = self.layout.size.0 < WIDE_FROM || self.layout.zoomed;
        if !is_narrow {
            self.layout.list = if geometry.list.is_empty() {
                ListDisplay::Shown
            } else {
                ListDisplay::Hidden
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
    pub(crate) fn resize_list(&mut self, wider: bool, steps: usize) {
        if self.layout.size.0 < WIDE_FROM || self.layout.zoomed {
            self.say("The screen is too small to show the list next to a pane.");
            return;
        }
        self.layout.list = ListDisplay::Shown;
        let by = u16::try_from(steps)
            .unwrap_or(u16::MAX)
            .saturating_mul(WIDTH_STEP);
        let columns = self.geometry().list.width;
        self.layout.list_width = Some(if wider {
            columns.saturating_add(by)
        } else {
            columns.saturating_sub(by)
        });
        // The width that fits is stored, so that the next key continues from it.
        self.layout.list_width = Some(self.geometry().list.width);
    }
}
