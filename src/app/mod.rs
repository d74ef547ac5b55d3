//! The state of the program, and the only function that changes it:
//! `update(&mut App, Message) -> Vec<Effect>`.
//!
//! Nothing here draws or reads keys, and `update` touches no file. [`App::needs`] lists the data
//! that the screen lacks (a page, list rows). It is called once after a batch of messages, so ten
//! queued `j` read one sample, not ten.

mod action;
mod charts;
mod command;
mod job;
mod line;
mod menu;
mod pages;
mod palette;
mod panel;
mod perform;
mod reviewing;
mod sample;
mod settings;
mod shown;
mod state;
mod texts;
mod themes;
mod update;
mod user_command;
mod views;

pub(crate) use action::ACTIONS;
pub use action::{Action, Effect, Message, Pointer, SavedFilters, Scroll, Toggle};
pub use charts::Chart;
pub use command::{COMMANDS, check_command};
pub use job::{Job, Performer, fetch};
pub use line::input_line::{InputLine, LineKind};
pub use line::line_editor::Edit;
pub use line::readings::MatchCount;
pub use line::suggestions::{HISTORY, Histories, History, SUGGESTIONS, Suggestions};
pub use menu::{Menu, MenuLine, MenuRow, NO_MATCH};
pub use pages::difference_page::DifferencePage;
pub use pages::findings::{FindingsPage, QueueOrder, QueueStrip, ReportedFinding};
pub use pages::layout_page::LayoutPage;
pub use pages::page_doc::{
    LEFT, PageContent, PageDoc, PageItem, PageMark, PageSpot, PageTone, PageView,
};
pub use pages::record::{RecordSubject, RecordView};
pub use pages::responses_page::ResponsesPage;
pub use pages::statistics::{Statistics, StatisticsMove};
pub use palette::{BoundKeys, GuidePage, Help, KeyHints, KeyTask};
pub use panel::{HistogramPlace, LabelPlaces, LabelWidths, Panel, PanelAction, side_of_row};
pub use reviewing::{
    Blind, CopyRequest, Export, FileForm, ListRemark, NotePad, PendingOpening, RatingAction,
    RatingStrip, RatingValue, Recorder, Review, ReviewEffect, ReviewEvent, ScreenSample, Selection,
};
pub use sample::geometry::CANDIDATES;
pub use sample::geometry::{Area, Geometry, LayoutInputs, LayoutMode, ListDisplay};
pub use sample::label_card::{CardRow, CardValue, MISSING};
pub use sample::page::{Page, PageKey};
pub use sample::pane_text::{PaneText, Section, SectionKind, StackLine};
pub use sample::typesetter::Layout;
pub use settings::{SavedState, Settings, ViewOptions};
pub use shown::filtering::FilterState;
pub use shown::following::SampleTarget;
pub use shown::list::{List, ListCell, ListColumn, ListRow, RowFlag, text_size};
pub use shown::query_job::QueryKind;
pub use shown::searching::SearchState;
pub use shown::selection::ShownSamples;
pub use shown::session::SessionState;
pub use state::App;
pub use themes::{ThemeChoice, ThemeName};
pub use update::{apply_quietly, update};
pub use user_command::{CommandOutput, CommandRun, UserCommand};
pub use views::{Context, Mode, View, Views};

use crate::text::named_enum;

named_enum! {
    /// A part of the screen that shows one kind of content.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Pane {
        /// The list of samples.
        List "samples",
        /// The prompt of the open sample.
        Prompt "prompt",
        /// The left response: A of a pair.
        #[default]
        Left "A",
        /// The right response: B of a pair.
        Right "B",
        /// Rationales about the sample and its responses.
        Rationales "rationales",
    }
}

impl Pane {
    /// Returns the index of the pane, 0 to 4, in the order of the variants.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns 0 for the left response, 1 for the right one, `None` for other panes.
    pub const fn side(self) -> Option<usize> {
        match self {
            Self::Left => Some(0),
            Self::Right => Some(1),
            Self::List | Self::Prompt | Self::Rationales => None,
        }
    }

    /// Returns the other response's pane, or `None` for panes without a response.
    pub const fn opposite(self) -> Option<Self> {
        match self {
            Self::Left => Some(Self::Right),
            Self::Right => Some(Self::Left),
            Self::List | Self::Prompt | Self::Rationales => None,
        }
    }
}

/// Progress of loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// Loading is under way.
    UnderWay {
        /// Whether it takes long enough to show progress.
        long: bool,
    },
    /// It was stopped and ends soon.
    Stopping,
    /// Everything is loaded.
    Done,
}

impl Default for Loading {
    fn default() -> Self {
        Self::UnderWay { long: false }
    }
}

#[cfg(test)]
mod tests;
