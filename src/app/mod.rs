//! The state of the program, and the only function that changes it:
//! `update(&mut App, Message) -> Vec<Effect>`.
//!
//! Nothing here draws or reads keys, and `update` touches no file. What the screen needs and does
//! not have yet (a page, list rows) is named by [`App::needs`], which is asked once after a batch
//! of messages, so that ten queued keys read one sample.

mod action;
mod columns;
mod command;
mod data;
mod filtering;
mod geometry;
mod guide;
mod hits;
mod input_line;
mod label_bar;
mod line_editor;
mod list;
mod menu;
mod open_page;
mod page;
mod pane_text;
mod panel;
mod result;
mod reviewing;
mod screen_layout;
mod searching;
mod selection;
mod settings;
mod sorting;
mod status;
mod update;

pub use action::{Action, Effect, Message, Pointer, SavedFilters, Scroll, Toggle};
pub use columns::{ListCell, ListColumn};
pub use command::{COMMANDS, Command};
pub use filtering::{ActiveFilter, FilterBatch, FilterJob, FilterState};
pub use geometry::{Area, Geometry, LayoutInputs, LayoutMode};
pub use guide::GuidePage;
pub use hits::PageHit;
pub use input_line::{HISTORY, InputLine, LineKind, Suggestions};
pub use label_bar::{Detail, GAP, LabelBar, LabelBarItem, Tone, number};
pub use line_editor::Edit;
pub use list::{Flagged, List, ListRow, RatingSummary, text_size};
pub use menu::{Menu, MenuKind, MenuLine};
pub use page::{Layout, Page, PageKey, SidePage};
pub use pane_text::{PaneText, Section, SectionKind, StackLine};
pub use panel::{Chart, ChartKey, Charts, Panel, PanelAction, label, view_word};
pub use result::Shown;
pub use reviewing::{
    AgreementJob, Blind, Copied, Export, Exporting, FollowUp, ListRemark, NotePad, OnScreen,
    OwnAct, PendingOpening, RatingAction, RatingRow, RatingStrip, Review, ReviewEffect,
    ReviewEvent, RunningAudit, SaveState, Selection, TextScreen,
};
pub use searching::{SearchBatch, SearchJob, SearchState, SearchTerms};
pub use settings::{SavedState, ViewOptions};
pub use update::update;

use data::OpenData;
use open_page::OpenPage;
use screen_layout::ScreenLayout;
use selection::ListSelection;
use settings::Settings;
use status::StatusLine;

use crate::dataset::Dataset;
use crate::query::Catalog;

/// From this height on a third row of labels is not too many.
const TALL_FROM: u16 = 28;

/// A rectangle of the screen with a duty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// All samples.
    List,
    /// The prompt of the open sample.
    Prompt,
    /// Its left response.
    A,
    /// Its right response.
    B,
}

impl Pane {
    /// All panes in the order in which the focus goes.
    pub const ALL: [Self; 4] = [Self::List, Self::Prompt, Self::A, Self::B];

    /// 0 to 3, in that order.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The pane beside a response; `None` for the other panes.
    pub const fn opposite(self) -> Option<Self> {
        match self {
            Self::A => Some(Self::B),
            Self::B => Some(Self::A),
            Self::List | Self::Prompt => None,
        }
    }
}

/// What is on top of the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nothing: one reads.
    Read,
    /// The keys.
    Help,
    /// A line is typed at the bottom.
    Prompt(LineKind),
    /// What a filter can ask for, on top of the prompt.
    Fields,
    /// A menu.
    Menu,
    /// The labels panel, under the panes.
    Panel,
    /// The rating strip, under the panes.
    Rate,
    /// A note is written under the panes.
    Note,
    /// A text of the program's own covers the panes.
    Sheet,
    /// A page of the manual covers the panes.
    Guide,
}

/// Which keys mean what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// One reads: the samples, the help.
    Read,
    /// One types.
    Prompt,
    /// One chooses from a menu.
    Menu,
    /// One sets handles in the labels panel.
    Panel,
    /// One rates.
    Rate,
    /// One writes a note.
    Note,
}

impl Context {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Prompt,
        Self::Menu,
        Self::Panel,
        Self::Rate,
        Self::Note,
    ];

    /// What one does there, in a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::Prompt => "typing",
            Self::Menu => "menu",
            Self::Panel => "panel",
            Self::Rate => "rating",
            Self::Note => "note",
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

/// The keys, as the help shows them; the table that it comes from belongs to the key map.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// Lines from above.
    pub lines: Vec<HelpLine>,
}

/// A line of the help.
#[derive(Debug, Clone)]
pub enum HelpLine {
    /// Name of a group of keys.
    Group(String),
    /// Keys (or a sign) and what they do (or mean).
    Keys(String, String),
    /// Nothing.
    Gap,
}

/// The state of the program: one field a subject.
#[derive(Debug)]
pub struct App {
    data: OpenData,
    filter: FilterState,
    search: SearchState,
    review: Review,
    selection: ListSelection,
    list: List,
    open: OpenPage,
    settings: Settings,
    layout: ScreenLayout,
    status: StatusLine,
    mode: Mode,
    /// What a filter can ask for.
    fields: Help,
    help_scroll: usize,
    guide: Option<GuidePage>,
    prompt: Option<InputLine>,
    menu: Option<Menu>,
    /// What the lines of the sort menu stand for.
    sort_menu: Vec<sorting::SortMenuLine>,
    panel: Option<Panel>,
    charts: Option<Charts>,
}

impl App {
    /// A program without data, for a terminal of so many columns and rows.
    pub fn new(size: (u16, u16), view: ViewOptions, help: Help) -> Self {
        Self {
            data: OpenData::default(),
            filter: FilterState::default(),
            search: SearchState::default(),
            review: Review::default(),
            selection: ListSelection::default(),
            list: List::default(),
            open: OpenPage::default(),
            settings: Settings::new(view, help),
            layout: ScreenLayout::new(size),
            status: StatusLine::default(),
            mode: Mode::Read,
            fields: Help::default(),
            help_scroll: 0,
            guide: None,
            prompt: None,
            menu: None,
            sort_menu: Vec::new(),
            panel: None,
            charts: None,
        }
    }

    /// Takes what is known from earlier runs.
    pub fn recall_memory(&mut self, memory: SavedState) {
        (
            self.settings.history,
            self.settings.searches,
            self.settings.saved,
        ) = (memory.history, memory.searches, memory.saved);
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

    /// What is on top of the panes.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Which keys mean what at the moment.
    pub fn context(&self) -> Context {
        match self.mode {
            Mode::Read | Mode::Help | Mode::Fields | Mode::Sheet | Mode::Guide => Context::Read,
            Mode::Prompt(_) => Context::Prompt,
            Mode::Menu => Context::Menu,
            Mode::Panel => Context::Panel,
            Mode::Rate => Context::Rate,
            Mode::Note => Context::Note,
        }
    }

    /// The keys, or what a filter can ask for, and the first line that shows.
    pub fn help(&self) -> (&Help, usize) {
        (
            if self.mode == Mode::Fields {
                &self.fields
            } else {
                &self.settings.help
            },
            self.help_scroll,
        )
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
        self.open.page.as_ref()
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

    /// Where everything stands.
    pub fn geometry(&self) -> Geometry {
        Geometry::of(
            self.layout.size.0,
            self.layout.size.1,
            &self.wishes(!self.is_single()),
        )
    }

    /// Rows that the strip of labels takes above a response; at least one row of text is left below
    /// it.
    pub fn strip_height(&self, pane: Pane) -> u16 {
        let side = match pane {
            Pane::A => 0,
            Pane::B => 1,
            Pane::List | Pane::Prompt => return 0,
        };
        let rows = self
            .open
            .page
            .as_ref()
            .and_then(|page| page.sides.get(side))
            .map_or(0, |side| side.strip.rows.len());
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
            return self.wish().map(Effect::Review).into_iter().collect();
        }
        if let Some(ask) = self.ask() {
            // What is shown depends on the answer; where it is there at once, nothing is read that
            // it makes needless.
            return vec![Effect::Filter(ask)];
        }
        if let Some(ask) = self.search_ask() {
            return vec![Effect::Search(ask)];
        }
        let mut effects: Vec<_> = self
            .charts_needed()
            .map(Effect::Charts)
            .into_iter()
            .collect();
        effects.extend(
            self.review
                .sheet()
                .and_then(TextScreen::counting)
                .map(Effect::Agreement),
        );
        effects.extend(self.wish().map(Effect::Review));
        let key = self.page_key();
        if !self.shown().is_empty() && self.open.page.as_ref().is_none_or(|page| page.key != key) {
            effects.push(Effect::Page(key));
        }
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
        let [single, pair] =
            [false, true].map(|paired| Geometry::of(width, height, &self.wishes(paired)));
        let prompt_width = match pair.inside(Pane::Prompt).width {
            0 => Area::new(0, 0, width, 0).text_width(),
            inside => inside,
        };
        let layout = Layout {
            prompt_width,
            single_width: single.response_width(Pane::A, width),
            pair_widths: [Pane::A, Pane::B].map(|side| pair.response_width(side, width)),
            strip_rows: if pair.shape == LayoutMode::Wide && height >= TALL_FROM {
                3
            } else {
                2
            },
            markdown: self.settings.view.markdown,
            hidden: self.settings.view.hidden,
            glyphs: self.settings.view.glyphs,
        };
        PageKey {
            generation: self.data.generation,
            sample: self.selection.selected,
            layout,
            sought: self.search.sought().cloned(),
            veil: self.laid_veil(),
            coin: self.coin(),
        }
    }

    /// The mode to go back to from a prompt, a menu or the help.
    fn resting_mode(&self) -> Mode {
        if self.review.rate.is_some() {
            Mode::Rate
        } else if self.panel.is_some() {
            Mode::Panel
        } else {
            Mode::Read
        }
    }

    fn wishes(&self, paired: bool) -> LayoutInputs {
        LayoutInputs {
            focus: self.layout.focus,
            zoomed: self.layout.zoomed,
            prompt_lines: self.open.page.as_ref().map_or(1, |page| page.prompt.len()),
            paired,
            drawer: self.drawer_height(),
            list_width: self.layout.dragged.list_width,
            split: self.layout.dragged.split,
        }
    }

    /// Rows of what is open under the panes.
    fn drawer_height(&self) -> u16 {
        let wanted = match self.mode {
            Mode::Note => self.pad_height(),
            _ if self.review.rate.is_some() => self.rate_height(),
            _ => return self.panel_height(),
        };
        self.fitting_drawer(wanted)
    }

    /// Whether the page on screen has one response.
    pub fn is_single(&self) -> bool {
        self.open.is_single()
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
