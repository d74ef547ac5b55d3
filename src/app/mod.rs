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
    AnyPage, LEFT, PageContent, PageDoc, PageItem, PageMark, PageSpot, PageTone, PageView,
};
pub use pages::record::{RecordSubject, RecordView};
pub use pages::responses_page::ResponsesPage;
pub use pages::statistics::{Statistics, StatisticsMove};
pub use palette::{BoundKeys, GuidePage, Help, KeyHints, KeyTask};
pub use panel::{FEW_VALUES, LabelPlaces, Panel, PanelAction, side_of_row};
pub use reviewing::{
    Blind, CopyRequest, Export, FileForm, ListRemark, NotePad, PendingOpening, RatingAction,
    RatingStrip, RatingValue, Recorder, Review, ReviewEffect, ReviewEvent, ScreenSample, Selection,
};
pub use sample::geometry::CANDIDATES;
pub use sample::geometry::{Area, Geometry, LayoutInputs, LayoutMode, ListDisplay};
pub use sample::label_card::{CardRow, CardValue};
pub use sample::page::{Page, PageKey};
pub use sample::pane_text::{PaneText, Section, SectionKind, StackLine};
pub use sample::typesetter::Layout;
pub use shown::filtering::FilterState;
pub use shown::following::SampleTarget;
pub use shown::list::{List, ListCell, ListColumn, ListRow, RowFlag, text_size};
pub use shown::query_job::QueryKind;
pub use shown::searching::SearchState;
pub use shown::selection::ShownSamples;
pub use shown::session::SessionState;
pub use state::{App, SavedState, ViewOptions};
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

impl App {
    /// Returns requests for the data that the screen lacks.
    pub fn needs(&self) -> Vec<Effect> {
        let views = &self.views;
        let is_empty = self.data.dataset.samples() == 0;
        let queries = self.query_jobs();
        let mut effects: Vec<_> = queries.into_iter().map(Effect::Job).collect();
        effects.extend(self.review_needs());
        if is_empty {
            return effects;
        }
        let of = self.page_sources();
        let jobs = [
            self.charts_job(&of),
            self.match_count_job(&of),
            self.arrangement_job(),
            self.agreement_needed(),
            self.short_agreement_job(),
            FindingsPage::queue_job(views, &of),
            self.training_job(),
            self.page_job(),
            self.page_hits_job(),
            self.diff_job(),
            self.list_rows_job(),
        ];
        let of_pages = views
            .pages()
            .filter_map(|page| page.view().content.job(&of));
        let jobs = of_pages.chain(jobs.into_iter().flatten());
        effects.extend(jobs.map(Effect::Job));
        let run = views
            .page_of::<RecordView>()
            .and_then(|page| page.content.running());
        effects.extend(run.cloned().map(Effect::RunCommand));
        effects
    }

    /// Updates the state of samples and panes that depends on reviews and views. Must be called
    /// after each change.
    pub(super) fn settle(&mut self) {
        // Searches are to be expected.
        if self.views.line_kind() == Some(LineKind::Search) || self.search.sought().is_some() {
            self.build_index();
        }
        let previewed = self.views.top_menu().and_then(Menu::previewed_theme);
        self.show_theme(previewed.map(str::to_owned));
        if std::mem::take(&mut self.selection.starts_anew) {
            self.put_at(self.queue_start());
            self.release_anchor();
        }
        self.follow();
        self.show_ends();
    }
}

#[cfg(test)]
mod tests;
