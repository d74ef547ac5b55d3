//! The state of the program, and the only function that changes it:
//! `update(&mut App, Message) -> Vec<Effect>`.
//!
//! Nothing here draws or reads keys, and `update` touches no file. What the screen needs and does
//! not have yet (a page, list rows) is named by [`App::needs`], which is asked once after a batch
//! of messages, so that ten queued keys read one sample.

mod action;
mod action_names;
mod arranging;
mod columns;
mod command;
mod data;
mod data_job;
mod dropping;
mod filtering;
mod findings;
mod following;
mod found_samples;
mod geometry;
mod guide;
mod help;
mod history;
mod hits;
mod input_line;
mod key_hints;
mod label_bar;
mod left_page;
mod line_editor;
mod list;
mod menu;
mod open_page;
mod page;
mod palette;
mod pane_text;
mod panel;
mod query_job;
mod querying;
mod record;
mod responses;
mod result;
mod reviewing;
mod screen_layout;
mod searching;
mod selection;
mod session;
mod settings;
mod sorting;
mod statistics;
mod status;
mod suggestions;
mod teaching;
mod tokens;
mod turn;
mod typesetter;
mod update;
mod views;
mod word_diff;

pub use action::{Action, Effect, Message, Pointer, SavedFilters, Scroll, Toggle};
pub use action_names::ACTIONS;
pub use columns::{ListCell, ListColumn};
pub use command::{COMMANDS, CommandReflex, ReflexAnswer, check_command};
pub use data_job::{DataJob, DataJobKind, JobContext};
pub use filtering::FilterState;
pub use findings::{
    FindingsPage, FindingsRow, FindingsRowKind, QueueOrder, QueueStrip, ToldFinding,
};
pub use geometry::{Area, Geometry, LayoutInputs, LayoutMode, ListDisplay};
pub use guide::GuidePage;
pub use help::{Help, HelpLine, HelpScreen};
pub use history::{HISTORY, Histories, History};
pub use hits::PageHits;
pub use input_line::{InputLine, LineKind};
pub use key_hints::{BoundKeys, KeyTask};
pub use label_bar::{
    Detail, GAP, LENGTH, LabelBar, LabelBarItem, RatingCells, RatingItem, Tone, shown_name,
};
pub use line_editor::Edit;
pub use list::{Flagged, List, ListRow, RatingSummary, text_size};
pub use menu::{Menu, MenuKind, MenuLine};
pub use page::{Layout, Page, PageKey};
pub use palette::{Palette, PaletteEntry, PaletteHit, PaletteKind};
pub use pane_text::{PaneText, Section, SectionKind, StackLine};
pub use panel::{Chart, Charts, Panel, PanelAction, view_word};
pub use query_job::{QueryInputs, QueryJob, QueryKind, QueryTerms, RequestId};
pub use record::{RecordPage, RecordSubject, RecordView};
pub use result::Shown;
pub use reviewing::{
    Blind, Copied, Export, FollowUp, ListRemark, NotePad, OnScreen, OwnAct, PendingOpening,
    RatingAction, RatingRow, RatingStrip, Review, ReviewEffect, ReviewEvent, RunningAudit,
    Selection, TextScreen, verdict_steps,
};
pub use searching::SearchState;
pub use session::{SavedSearch, SessionState};
pub use settings::{SavedState, ViewOptions};
pub use statistics::{
    PageItem, PageMark, PageSpot, PageTone, Statistics, StatisticsMove, StatisticsPage,
};
pub use suggestions::Suggestions;
pub use turn::{Performer, fetch};
pub use update::{inform, update};
pub use views::{Context, Mode, View, Views};
pub use word_diff::PageDiff;

use std::path::Path;
use std::sync::Arc;

use data::OpenData;
use open_page::OpenPage;
use screen_layout::ScreenLayout;
use selection::ListSelection;
use settings::Settings;
use status::StatusLine;
use word_diff::DiffState;

use crate::dataset::Dataset;
use crate::findings::RuleSet;
use crate::query::{Catalog, QueryError};
use crate::text;

/// Cells of the journal's path where it is told.
const JOURNAL_WIDTH: usize = 160;

/// A rectangle of the screen with a duty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// All samples.
    List,
    /// The prompt of the open sample.
    Prompt,
    /// A response: of a pair A.
    Left,
    /// The response beside it: of a pair B.
    Right,
    /// What was written about the sample and its responses.
    Rationales,
}

impl Pane {
    /// All panes in the order in which the focus goes.
    pub const ALL: [Self; 5] = [
        Self::List,
        Self::Prompt,
        Self::Left,
        Self::Right,
        Self::Rationales,
    ];

    /// 0 to 4, in that order.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 0 for the left response's pane, 1 for the right one's; `None` for the other panes.
    pub const fn side(self) -> Option<usize> {
        match self {
            Self::Left => Some(0),
            Self::Right => Some(1),
            Self::List | Self::Prompt | Self::Rationales => None,
        }
    }

    /// The pane beside a response; `None` for the other panes.
    pub const fn opposite(self) -> Option<Self> {
        match self {
            Self::Left => Some(Self::Right),
            Self::Right => Some(Self::Left),
            Self::List | Self::Prompt | Self::Rationales => None,
        }
    }
}

/// How far loading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// Under way; whether for so long that progress is worth showing.
    UnderWay {
        /// Whether it has taken so long that progress is shown.
        long: bool,
    },
    /// Everything is there.
    Done,
}

/// The state of the program: one field a subject.
#[derive(Debug)]
pub struct App {
    data: OpenData,
    filter: FilterState,
    search: SearchState,
    diff: DiffState,
    review: Review,
    selection: ListSelection,
    list: List,
    open: OpenPage,
    settings: Settings,
    layout: ScreenLayout,
    status: StatusLine,
    views: Views,
    /// What is to be done outside of the state; [`update()`] hands it over.
    outbox: Vec<Effect>,
}

impl App {
    /// A program without data, for a terminal of so many columns and rows.
    pub fn new(size: (u16, u16), view: ViewOptions, help: Help) -> Self {
        Self {
            data: OpenData::default(),
            filter: FilterState::default(),
            search: SearchState::default(),
            diff: DiffState::default(),
            review: Review::default(),
            selection: ListSelection::default(),
            list: List::default(),
            open: OpenPage::default(),
            settings: Settings::new(view, help),
            layout: ScreenLayout::new(size),
            status: StatusLine::default(),
            views: Views::default(),
            outbox: Vec::new(),
        }
    }

    /// Takes what is known from earlier runs.
    pub fn recall_memory(&mut self, memory: SavedState) {
        (self.settings.histories, self.settings.saved) = (memory.histories, memory.saved);
    }

    /// Takes the rules of findings in the place of the built-in ones.
    pub fn set_rules(&mut self, rules: RuleSet) {
        self.data.rules = rules;
    }

    /// Takes how many characters of a response training keeps, or that nobody knows: rules find
    /// other samples then. Gives why the filter in force does not read any more, where that is so.
    fn set_max_len(&mut self, characters: Option<u32>) -> Option<QueryError> {
        let rules = std::mem::take(&mut self.data.rules);
        self.data.rules = rules.with_max_len(characters);
        self.data.dataset.forget_findings();
        self.data.read_catalog();
        let error = self.read_again_in_force();
        self.list.forget();
        self.read_filter_again();
        error
    }

    /// Takes the place where acts are kept, to be told to who asks.
    pub fn name_journal(&mut self, path: &Path) {
        self.settings.journal = Some(text::one_line(&path.to_string_lossy(), JOURNAL_WIDTH));
    }

    /// Panes are read one behind the other, each as wide as the terminal.
    pub fn set_linear(&mut self) {
        self.layout.is_linear = true;
    }

    /// Others append to the files while they are open.
    pub fn set_followed(&mut self) {
        self.data.is_followed = true;
    }

    /// The fields of the dataset.
    pub fn catalog(&self) -> &Catalog {
        &self.data.catalog
    }

    /// The rows and samples known so far.
    pub fn dataset(&self) -> &Dataset {
        &self.data.dataset
    }

    /// Which loading of the dataset the rows are from, from 0.
    pub fn generation(&self) -> u64 {
        self.data.generation
    }

    /// How far loading is.
    pub fn loading(&self) -> Loading {
        self.data.loading
    }

    /// What went wrong with a file whose rows show as far as they could be read.
    pub fn troubles(&self) -> &[String] {
        &self.data.troubles
    }

    /// How an open file changed on disk since it was loaded.
    pub fn changed(&self) -> Option<&str> {
        self.data.changed.as_deref()
    }

    /// Columns and rows of the terminal.
    pub fn size(&self) -> (u16, u16) {
        self.layout.size
    }

    /// What the person chose.
    pub fn view(&self) -> ViewOptions {
        self.settings.view
    }

    /// The pane with the keys.
    pub fn focus(&self) -> Pane {
        self.layout.focus
    }

    /// Whether the focused pane has the whole screen.
    pub fn zoomed(&self) -> bool {
        self.layout.zoomed
    }

    /// What is open on top of the panes.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Which view has the keys.
    pub fn mode(&self) -> Mode {
        self.views.mode()
    }

    /// Which keys mean what at the moment.
    pub fn context(&self) -> Context {
        self.mode().context()
    }

    /// Number of the selected sample, from 0.
    pub fn selected(&self) -> usize {
        self.selection.selected
    }

    /// The list of samples.
    pub fn list(&self) -> &List {
        &self.list
    }

    /// The page on screen; that of the sample before, while the selected one is still being read.
    pub fn page(&self) -> Option<&Page> {
        self.open.page.as_deref()
    }

    /// The page on screen, for a thread that looks through its texts.
    pub(super) fn shared_page(&self) -> Option<Arc<Page>> {
        self.open.page.clone()
    }

    /// Whether the page on screen is that of the selected sample.
    pub fn page_is_current(&self) -> bool {
        self.open.page.as_ref().is_some_and(|page| {
            page.key.sample == self.selection.selected
                && page.key.generation == self.data.generation
        })
    }

    /// First line shown of a pane's text.
    pub fn scrolled(&self, pane: Pane) -> usize {
        self.open.scroll[pane.index()].min(self.most_scroll(pane))
    }

    /// The count typed so far.
    pub fn count(&self) -> Option<usize> {
        self.status.count
    }

    /// Something to tell, until the next key.
    pub fn notice(&self) -> Option<&str> {
        self.status.notice.as_deref()
    }

    /// Whether the last key, which means something elsewhere, means nothing in the view on top.
    pub fn was_ignored(&self) -> bool {
        self.status.ignored
    }

    /// Notes that an action means nothing in the view on top.
    fn ignore(&mut self, action: Action) {
        self.status.ignored = action != Action::Nothing;
    }

    /// Where everything stands.
    pub fn geometry(&self) -> Geometry {
        Geometry::of(
            self.layout.size.0,
            self.layout.size.1,
            &self.layout_inputs(!self.is_single()),
        )
    }

    /// Rows that the strip of labels takes above a response; at least one row of text is left below
    /// it.
    pub fn strip_height(&self, pane: Pane) -> u16 {
        let page = self.open.page.as_ref();
        let side = page.and_then(|page| page.side(pane));
        let rows = side.map_or(0, |side| side.strip.rows.len());
        let height = self.geometry().inside(pane).height;
        match u16::try_from(rows).unwrap_or(u16::MAX) {
            0 => 0,
            // One empty row keeps the labels off the text where there is room for it.
            rows if rows + 9 <= height => rows + 1,
            rows => rows.min(height / 2),
        }
    }

    /// Rows of a pane that show its text.
    pub fn text_height(&self, pane: Pane) -> usize {
        usize::from(
            self.geometry()
                .inside(pane)
                .height
                .saturating_sub(self.strip_height(pane)),
        )
    }

    /// What the screen needs and does not have.
    pub fn needs(&self) -> Vec<Effect> {
        if self.data.dataset.samples() == 0 {
            return self.review_need().map(Effect::Review).into_iter().collect();
        }
        if let Some(job) = self.query_needed() {
            // What is shown depends on the answer; where it is there at once, nothing is read that
            // it makes needless.
            return vec![Effect::Query(job)];
        }
        let mut effects: Vec<_> = self
            .charts_needed()
            .map(Effect::Charts)
            .into_iter()
            .collect();
        effects.extend(self.arrangement_needed().map(Effect::Arrange));
        effects.extend(
            self.views
                .text_screen()
                .and_then(TextScreen::counting)
                .map(Effect::Agreement),
        );
        effects.extend(self.statistics_needed().map(Effect::Statistics));
        effects.extend(self.findings_needed().map(Effect::Findings));
        effects.extend(self.record_needed().map(Effect::Record));
        effects.extend(self.review_need().map(Effect::Review));
        let key = self.page_key();
        if !self.shown().is_empty() && self.open.page.as_ref().is_none_or(|page| page.key != key) {
            effects.push(Effect::Page(key));
        }
        effects.extend(self.page_hits_needed().map(Effect::PageHits));
        effects.extend(self.diff_needed().map(Effect::WordDiff));
        let missing = self
            .list
            .missing(self.list_height(), self.shown(), &self.columns());
        if !missing.is_empty() {
            effects.push(Effect::ListRows(missing));
        }
        effects
    }

    /// The page that should be on screen.
    pub fn page_key(&self) -> PageKey {
        let (width, height) = self.layout.size;
        // Rationales take no columns from the others, and where they take the place of responses those
        // stay as they are.
        let inputs = |paired| LayoutInputs {
            rationale_lines: 0,
            ..self.layout_inputs(paired)
        };
        let [single, pair] =
            [false, true].map(|paired| Geometry::of(width, height, &inputs(paired)));
        let prompt_width = match pair.inside(Pane::Prompt).width {
            0 => Area::new(0, 0, width, 0).text_width(),
            inside => inside,
        };
        let layout = Layout {
            prompt_width,
            single_width: single.response_width(Pane::Left, width),
            pair_widths: [Pane::Left, Pane::Right].map(|side| pair.response_width(side, width)),
            label_rows: self.label_rows(pair.shape),
            markdown: self.settings.view.markdown,
            hidden: self.settings.view.hidden,
            unfolded: self.settings.view.unfolded || self.is_unfolded_for_search(),
            glyphs: self.settings.view.glyphs,
        };
        PageKey {
            generation: self.data.generation,
            sample: self.selection.selected,
            layout,
            mask: self.mask_of_page(),
            coin: self.coin(),
            pair: self.chosen_pair(),
            asked: self.asked_response(),
            joined: self.data.dataset.joined().len(),
        }
    }

    /// Whether what is searched for, or asked for by the filter, could stand in a fold of the sample: it
    /// must be seen where it is found. Pages without folds are not laid out anew for that.
    fn is_unfolded_for_search(&self) -> bool {
        let is_shown = |page: &Page| {
            (page.key.generation, page.key.sample)
                == (self.data.generation, self.selection.selected)
        };
        let page = self.open.page.as_deref();
        let has_folds = page.is_some_and(|page| is_shown(page) && page.has_folds());
        has_folds && self.marked_terms().is_some()
    }

    fn layout_inputs(&self, paired: bool) -> LayoutInputs {
        LayoutInputs {
            focus: self.layout.focus,
            zoomed: self.layout.zoomed || self.layout.is_linear,
            prompt_lines: self.open.page.as_ref().map_or(1, |page| page.prompt.len()),
            rationale_lines: self.open.lines(Pane::Rationales),
            paired,
            drawer: self.drawer_height(),
            has_sentence: self.has_sentence(),
            list: self.layout.list,
            list_width: self.layout.dragged.list_width,
            split: self.layout.dragged.split,
        }
    }

    /// Rows of what is open under the panes.
    fn drawer_height(&self) -> u16 {
        match self.views.below_panes() {
            Some(View::Note(pad)) => self.fitting_drawer(pad.height()),
            Some(View::Rate(_)) => self.fitting_drawer(self.rate_height()),
            Some(View::Queue(_)) => self.fitting_drawer(self.queue_height()),
            Some(View::Panel(panel)) => self.panel_height(panel),
            _ => 0,
        }
    }

    /// Whether the page on screen has one response.
    pub fn is_single(&self) -> bool {
        self.open.is_single()
    }

    /// Whether the page on screen has anything for a pane.
    pub fn has_pane(&self, pane: Pane) -> bool {
        match pane {
            Pane::List | Pane::Prompt | Pane::Left => true,
            Pane::Right => !self.is_single(),
            Pane::Rationales => self.open.lines(pane) > 0,
        }
    }

    /// Rows of the list on screen, without the one that names its columns; 0 where it is not shown.
    pub fn list_height(&self) -> usize {
        let heading = usize::from(self.has_list_heading());
        usize::from(self.geometry().inside(Pane::List).height).saturating_sub(heading)
    }

    /// How far a pane's text can be scrolled: until its last line is on the last row.
    fn most_scroll(&self, pane: Pane) -> usize {
        self.open.lines(pane).saturating_sub(self.text_height(pane))
    }
}

#[cfg(test)]
mod tests;
