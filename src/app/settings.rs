//! The user's choices, with histories and saved filters.

use super::shown::following::PendingTarget;
use super::shown::session::Resumption;
use super::{Help, Histories, ListColumn, SavedFilters, ThemeChoice, Toggle};
use crate::text::{Hidden, TextGlyphs};

/// Histories and saved filters from earlier runs.
#[derive(Debug, Clone, Default)]
pub struct SavedState {
    /// Lines typed for this dataset.
    pub histories: Histories,
    /// Saved filters.
    pub saved: SavedFilters,
}

/// View options that stay when the sample changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ViewOptions {
    /// True if Markdown is rendered.
    pub markdown: bool,
    /// Whether and how hidden characters are shown.
    pub hidden: Hidden,
    /// True if reasoning, tool calls and tool results are shown in full.
    pub unfolded: bool,
    /// True if A and B scroll together.
    pub locked: bool,
    /// True if A is above B.
    pub stacked: bool,
    /// Glyphs for laid-out text.
    pub glyphs: TextGlyphs,
}

/// The user's choices, history and saved filters.
#[derive(Debug, Default)]
pub struct Settings {
    pub view: ViewOptions,
    pub help: Help,
    /// The available themes and the active one.
    pub themes: ThemeChoice,
    /// True if the meaning of `not` before a bare label was explained in this run.
    pub negation_explained: bool,
    /// Path of the journal; `None` if acts are not saved.
    pub journal: Option<String>,
    /// The chosen list columns; `None` for the default ones.
    pub columns: Option<Vec<ListColumn>>,
    /// Lines typed before.
    pub histories: Histories,
    pub saved: SavedFilters,
    /// True if the user can be asked for the fields of an unknown file.
    pub offers_layouts: bool,
    /// The position in an earlier run, until it is restored.
    pub resumption: Resumption,
    /// The sample to go to.
    pub seeking: PendingTarget,
    /// A filter that is kept for a later run, because it does not apply in this one.
    pub left_out: Option<String>,
}

impl ViewOptions {
    /// Toggles an option. Returns its description and whether it is now on.
    pub(super) fn toggle(&mut self, toggle: Toggle) -> (&'static str, bool) {
        let (what, option) = match toggle {
            Toggle::Markdown => ("Markdown styled", &mut self.markdown),
            Toggle::Folds => ("reasoning and tool turns unfolded", &mut self.unfolded),
            Toggle::Hidden => {
                self.hidden = match self.hidden {
                    Hidden::Shown => Hidden::Discreet,
                    _ => Hidden::Shown,
                };
                return ("hidden characters shown", self.hidden == Hidden::Shown);
            }
            Toggle::Lock => ("A and B scroll together", &mut self.locked),
            Toggle::Stacked => ("A above B", &mut self.stacked),
        };
        *option = !*option;
        (what, *option)
    }
}
