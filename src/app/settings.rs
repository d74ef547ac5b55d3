//! What a person chose, typed and saved: it stays when samples change.

use super::session::{LeftOut, Resumption};
use super::starting::StartingSample;
use super::{Help, Histories, ListColumn, SavedFilters, Toggle};
use crate::text::{Hidden, TextGlyphs};

/// What is known from earlier runs.
#[derive(Debug, Clone, Default)]
pub struct SavedState {
    /// What was typed before for this dataset.
    pub histories: Histories,
    /// Filters kept by name.
    pub saved: SavedFilters,
}

/// What a person chose that stays when samples change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ViewOptions {
    /// Whether Markdown is rendered.
    pub markdown: bool,
    /// Whether hidden characters show.
    pub hidden: Hidden,
    /// Whether reasoning, tool calls and what tools gave back stand there whole.
    pub unfolded: bool,
    /// Whether A and B scroll together.
    pub locked: bool,
    /// Whether A is above B.
    pub stacked: bool,
    /// Glyphs for laid-out text.
    pub glyphs: TextGlyphs,
}

/// What a person chose, typed and saved.
#[derive(Debug, Default)]
pub struct Settings {
    pub view: ViewOptions,
    /// What that was when the run began: as set for good.
    pub set_view: ViewOptions,
    /// The keys, as the help shows them.
    pub help: Help,
    /// Whether it was said in this run what `not` before a bare label means.
    pub negation_explained: bool,
    /// Where acts are kept; `None` where they are not.
    pub journal: Option<String>,
    /// The list's columns, where they were chosen.
    pub columns: Option<Vec<ListColumn>>,
    /// Lines typed before.
    pub histories: Histories,
    /// Filters kept by name.
    pub saved: SavedFilters,
    /// Whether a person can be asked what the fields of an unknown file are.
    pub offers_layouts: bool,
    /// Where the person was in an earlier run, until that is taken up.
    pub resumption: Resumption,
    /// The sample to begin at.
    pub starting: StartingSample,
    /// What of that waits for a run in which it fits.
    pub left_out: LeftOut,
}

impl Settings {
    pub(super) fn new(view: ViewOptions, help: Help) -> Self {
        Self {
            view,
            set_view: view,
            help,
            ..Self::default()
        }
    }
}

impl ViewOptions {
    /// Turns an option round; what it is about, and whether that is on now.
    pub(super) fn toggle(&mut self, toggle: Toggle) -> (&'static str, bool) {
        match toggle {
            Toggle::Markdown => {
                self.markdown = !self.markdown;
                ("Markdown styled", self.markdown)
            }
            Toggle::Folds => {
                self.unfolded = !self.unfolded;
                ("reasoning and tool turns unfolded", self.unfolded)
            }
            Toggle::Hidden => {
                self.hidden = match self.hidden {
                    Hidden::Shown => Hidden::Discreet,
                    _ => Hidden::Shown,
                };
                ("hidden characters shown", self.hidden == Hidden::Shown)
            }
            Toggle::Lock => {
                self.locked = !self.locked;
                ("A and B scroll together", self.locked)
            }
            Toggle::Stacked => {
                self.stacked = !self.stacked;
                ("A above B", self.stacked)
            }
        }
    }
}
