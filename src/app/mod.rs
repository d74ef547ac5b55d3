//! The state of the program, and the only function that changes it:
//! `update(&mut App, Message) -> Vec<Effect>`.
//!
//! Nothing here draws or reads keys, and `update` touches no file. [`App::needs`] lists the data
//! that the screen lacks (a page, list rows). It is called once after a batch of messages, so ten
//! queued `j` read one sample, not ten.

mod action;
mod browser;
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
mod texts;
mod themes;
mod update;
mod user_command;
mod views;

pub(crate) use action::ACTIONS;
pub use action::{Action, Effect, Message, Pointer, SavedFilters, Scroll, Toggle};
pub use browser::{Browser, SavedState, ViewOptions};
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
pub use panel::{Chart, Panel, PanelAction, RowPlaces, VIEW_WIDTH, view_word};
pub use reviewing::{
    Blind, CopyRequest, Export, FileForm, ListRemark, NotePad, PendingOpening, RatingAction,
    RatingStrip, RatingValue, Recorder, Review, ReviewEffect, ReviewEvent, ScreenSample, Selection,
};
pub use sample::geometry::CANDIDATES;
use sample::geometry::header_height;
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
pub use themes::{ThemeChoice, ThemeName};
pub use update::{apply_quietly, update};
pub use user_command::{CommandOutput, CommandRun, UserCommand};
pub use views::{Context, Mode, View, Views};

use crate::text::named_enum;
use browser::Appearance;

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

/// The state of the program.
#[derive(Debug)]
pub struct App {
    /// The dataset and how the screen shows it.
    pub browser: Browser,
    /// The views open on top of the panes.
    pub views: Views,
    /// The reviewers' acts and the state of reviewing.
    pub review: Review,
}

impl App {
    /// Creates the state without data for a terminal of `size` (columns, rows).
    pub fn new(size: (u16, u16), view: ViewOptions, help: Help) -> Self {
        Self {
            browser: Browser::new(size, view, help),
            views: Views::default(),
            review: Review::default(),
        }
    }

    /// Restores histories and saved filters of earlier runs.
    pub fn recall_memory(&mut self, memory: SavedState) {
        (self.browser.settings.histories, self.browser.settings.saved) =
            (memory.histories, memory.saved);
    }

    /// Sets the seed that decides the order of responses; it differs in each run.
    pub fn set_coin(&mut self, seed: u32) {
        self.review.coin = seed;
        self.settle();
    }

    /// Returns the view that receives keys.
    pub fn mode(&self) -> Mode {
        self.views.mode()
    }

    /// True if a user command is running.
    pub fn is_running_command(&self) -> bool {
        self.views
            .page_of::<RecordView>()
            .is_some_and(|page| page.content.running().is_some())
    }

    /// Returns requests for the data that the screen lacks.
    pub fn needs(&self) -> Vec<Effect> {
        let (browser, views) = (&self.browser, &self.views);
        let is_empty = browser.data.dataset.samples() == 0;
        let queries = browser.query_jobs();
        let mut effects: Vec<_> = queries.into_iter().map(Effect::Job).collect();
        effects.extend(self.review_needs());
        if is_empty {
            return effects;
        }
        let of = browser.page_sources();
        let charts = (views.panel().and_then(|panel| panel.needed(&of)))
            .or_else(|| views.line()?.charts_needed(browser, &of));
        let jobs = [
            charts.map(|key| key.job(&of)),
            self.match_count_job(&of),
            browser.arrangement_job(),
            self.agreement_needed(),
            self.short_agreement_job(),
            FindingsPage::queue_job(views, &of),
            self.training_job(),
            browser.page_job(),
            browser.page_hits_job(),
            browser.diff_job(),
            browser.list_rows_job(),
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
        self.browser.status.is_typing = self.views.line().is_some();
        // Searches are to be expected.
        if self.views.line_kind() == Some(LineKind::Search)
            || self.browser.search.sought().is_some()
        {
            self.browser.build_index();
        }
        self.browser
            .show_theme(self.views.top_menu().and_then(Menu::previewed_theme));
        if std::mem::take(&mut self.browser.selection.starts_anew) {
            self.browser.put_at(self.queue_start());
            self.browser.release_anchor();
        }
        self.browser.open.appearance = Appearance {
            mask: self.mask_of_page(),
            coin: self.coin(),
            asked: self.asked_response(),
        };
        self.browser.layout.has_sentence = self.has_sentence();
        self.browser.layout.drawer_height = self.drawer_height();
        self.browser.layout.candidates = self.candidate_rows();
        self.browser.follow();
        self.browser.show_ends();
    }

    /// Returns the number of rows below the header for what the filter line offers.
    fn candidate_rows(&self) -> u16 {
        let is_in_header = self.views.line_kind() == Some(LineKind::Filter)
            && self.views.page().is_none()
            && !self.browser.layout.is_linear
            && header_height(self.browser.layout.size.1) > 0;
        if is_in_header { CANDIDATES } else { 0 }
    }

    /// Returns the number of rows of the view below the panes.
    fn drawer_height(&self) -> u16 {
        let Self { browser, views, .. } = self;
        match views.below_panes() {
            Some(View::Note(pad)) => browser.fitting_drawer(pad.height()),
            Some(View::Rate(_)) => {
                // Both responses must be visible while one is rated.
                let least = browser.rate_height().saturating_sub(1);
                browser
                    .fitting_drawer(browser.rate_height())
                    .max(least.min(browser.layout.size.1 / 2))
            }
            Some(View::Queue(_)) => browser.fitting_drawer(browser.queue_height()),
            Some(View::Panel(panel)) => browser.panel_height(panel),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
