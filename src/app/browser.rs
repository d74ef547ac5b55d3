//! The samples: which of them are shown, which one is selected, and its page.

use std::path::Path;
use std::sync::Arc;

use super::following::Seeking;
use super::geometry::WHOLE_TURNS_FROM;
use super::page_doc::{CountedState, PageSources};
use super::perform::ViewRequest;
use super::screen_layout::ScreenLayout;
use super::selection::ListSelection;
use super::session::{Resumption, UnusedSettings};
use super::syntax::PageSyntax;
use super::word_diff::DiffState;
use super::{
    Action, Effect, FilterState, Geometry, Help, Histories, Layout, LayoutInputs, List, ListColumn,
    Loading, Page, PageKey, Pane, PaneText, SavedFilters, SearchState, ThemeChoice, Toggle,
};
use crate::dataset::Dataset;
use crate::export::BlindMask;
use crate::findings::RuleSet;
use crate::model::ResponseId;
use crate::query::{Catalog, ReviewIndex};
use crate::text;
use crate::text::{Hidden, TextGlyphs};

/// Width of the journal's path in messages, in cells.
const JOURNAL_WIDTH: usize = 160;

/// The samples with the list and the panes that show them. It knows neither what is open on top of
/// the panes nor what reviewers do: the few facts that it needs of these are handed over: what is open after
/// each message, and whether labels are hidden and which samples an audit shows when that changes.
#[derive(Debug, Default)]
pub struct Browser {
    /// The dataset that is open.
    pub data: OpenData,
    /// The active filter.
    pub filter: FilterState,
    /// The active search.
    pub search: SearchState,
    /// The comparison of the two responses in the panes.
    pub diff: DiffState,
    /// Which samples are shown, and which one is selected.
    pub selection: ListSelection,
    /// The list of samples.
    pub list: List,
    /// The page on screen.
    pub open: OpenPage,
    /// What a person chose, typed and saved.
    pub settings: Settings,
    /// How the screen is divided.
    pub layout: ScreenLayout,
    /// What the status line says of the last key.
    pub status: StatusLine,
    /// What is to be done outside of the state; [`update()`](super::update()) hands it over.
    pub(super) outbox: Vec<Effect>,
}

impl Browser {
    pub(super) fn new(size: (u16, u16), view: ViewOptions, help: Help) -> Self {
        Self {
            settings: Settings::new(view, help),
            layout: ScreenLayout {
                size,
                ..ScreenLayout::default()
            },
            ..Self::default()
        }
    }

    /// Takes the place where acts are kept, to be told to who asks.
    pub fn name_journal(&mut self, path: &Path) {
        self.settings.journal = Some(text::one_line(&path.to_string_lossy(), JOURNAL_WIDTH));
    }

    /// The part of the state that pages are built from.
    pub(super) fn page_sources(&self) -> PageSources<'_> {
        let (filter, search) = (&self.filter.progress, &self.search.progress);
        PageSources {
            data: &self.data,
            size: self.layout.size,
            at: 0,
            glyphs: self.settings.view.glyphs,
            filter: self.filter.active(),
            sought: self.search.sought(),
            shown: self.shown(),
            sample: self.selection.selected,
            page: self.current_page(),
            state: CountedState {
                generation: self.data.generation,
                files: (
                    self.data.dataset.files().len(),
                    self.data.dataset.joined().len(),
                ),
                samples: self.data.dataset.samples(),
                // Both only grow: their sum tells one state of the two from every other.
                query: (
                    filter.number + search.number,
                    filter.looked + self.shown().len(),
                ),
            },
            is_querying: self.is_querying(),
            is_blind: self.is_blind(),
            is_hidden: self.open.appearance.mask.hidden,
        }
    }

    /// The page on screen; that of the sample before, while the selected one is still being read.
    pub fn page(&self) -> Option<&Page> {
        self.open.page.as_deref()
    }

    /// The page on screen, where it is the one that should be.
    pub(super) fn laid_page(&self) -> Option<&Arc<Page>> {
        let page = self.open.page.as_ref()?;
        (page.key == self.page_key()).then_some(page)
    }

    /// The page on screen, where it is that of the selected sample.
    pub fn current_page(&self) -> Option<&Arc<Page>> {
        let page = self.open.page.as_ref();
        page.filter(|_| self.page_is_current())
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

    /// Shows a message in the status line until the next key.
    pub(super) fn say(&mut self, words: impl Into<String>) {
        self.status.notice = Some(words.into());
    }

    /// Something to tell, until the next key.
    pub fn notice(&self) -> Option<&str> {
        self.status.notice.as_deref()
    }

    /// Notes that an action means nothing in the view on top.
    pub(super) fn ignore(&mut self, action: Action) {
        self.status.ignored = action != Action::Nothing;
    }

    /// Where the panes are on the screen.
    pub fn geometry(&self) -> Geometry {
        Geometry::of(
            self.layout.size.0,
            self.layout.size.1,
            &self.layout_inputs(!self.is_single()),
        )
    }

    /// Rows of a pane that show its text.
    pub fn text_height(&self, pane: Pane) -> usize {
        usize::from(self.geometry().inside(pane).height)
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
        let prompt_width = pair.response_width(Pane::Prompt, width);
        let layout = Layout {
            prompt_width,
            single_width: single.response_width(Pane::Left, width),
            pair_widths: [Pane::Left, Pane::Right].map(|side| pair.response_width(side, width)),
            cuts_turns: height < WHOLE_TURNS_FROM,
            markdown: self.settings.view.markdown,
            hidden: self.settings.view.hidden,
            unfolded: self.settings.view.unfolded || self.is_unfolded_for_search(),
            glyphs: self.settings.view.glyphs,
        };
        let is_of_selected = |(sample, _): &(usize, _)| *sample == self.selection.selected;
        let pair = self.selection.pair.filter(is_of_selected);
        PageKey {
            generation: self.data.generation,
            sample: self.selection.selected,
            layout,
            mask: self.open.appearance.mask,
            coin: self.open.appearance.coin,
            pair: pair.map(|(_, pair)| pair),
            asked: self.open.appearance.asked,
            joined: self.data.dataset.joined().len(),
        }
    }

    /// Whether what is searched for, or asked for by the filter, could be in a fold of the sample: it
    /// must be seen where it is found. Pages without folds are not laid out anew for that.
    pub(super) fn is_unfolded_for_search(&self) -> bool {
        let is_shown = |page: &Page| {
            (page.key.generation, page.key.sample)
                == (self.data.generation, self.selection.selected)
        };
        let page = self.open.page.as_deref();
        let has_folds = page.is_some_and(|page| is_shown(page) && page.has_folds());
        has_folds && self.marked_terms().is_some()
    }

    pub(super) fn layout_inputs(&self, paired: bool) -> LayoutInputs {
        let page = self.open.page.as_ref();
        LayoutInputs {
            focus: self.layout.focus,
            side: if paired { self.layout.side } else { Pane::Left },
            zoomed: self.layout.zoomed || self.layout.is_linear,
            stacked: self.settings.view.stacked,
            prompt_lines: page.map_or([1; 2], |page| {
                let lines = page.prompt.len();
                [lines, lines - page.prompt.last_question()]
            }),
            rationale_lines: self.open.lines(Pane::Rationales),
            paired,
            card: match (
                self.layout.rating_card,
                page.map_or(0, |page| page.card.len()),
            ) {
                (0, 0) => 0,
                (0, rows) => u16::try_from(rows + 1).unwrap_or(u16::MAX),
                (rated, _) => rated,
            },
            has_labels: page.is_some_and(|page| !page.card.labels.is_empty()),
            drawer: self.layout.drawer_height,
            has_sentence: self.layout.has_sentence,
            list: self.layout.list,
            list_width: self.layout.dragged.list_width,
            split: self.layout.dragged.split,
        }
    }

    /// Whether the page on screen has one response.
    pub fn is_single(&self) -> bool {
        self.open.is_single()
    }

    /// The file of the selected sample, by its place among those that are open.
    pub fn file(&self) -> usize {
        let dataset = &self.data.dataset;
        let chunk = dataset.chunk_of(self.selection.selected);
        chunk.map_or(0, |(chunk, within)| dataset.file_of(chunk, within))
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
    pub(super) fn most_scroll(&self, pane: Pane) -> usize {
        self.open.lines(pane).saturating_sub(self.text_height(pane))
    }
}

impl Browser {
    /// Asks for something that is done outside of the state: the one way for effects to leave.
    pub(super) fn request(&mut self, effect: Effect) {
        self.outbox.push(effect);
    }

    /// Leaves something to the dispatcher, once a key.
    pub(super) fn hand_over(&mut self, task: ViewRequest, count: Option<usize>) {
        debug_assert!(self.status.handed_over.is_none());
        self.status.handed_over = Some((task, count));
    }

    pub(super) fn move_focus(&mut self, steps: usize) {
        let mut next = self.layout.focus;
        loop {
            next = Pane::ALL[(next.index() + steps) % Pane::ALL.len()];
            if self.has_pane(next) {
                break;
            }
        }
        self.focus_on(next);
    }

    pub(super) fn focus_on(&mut self, pane: Pane) {
        self.layout.focus = pane;
        if pane.side().is_some() {
            self.layout.side = pane;
        }
    }

    pub(super) fn zoom(&mut self) {
        if self.layout.focus == Pane::List && !self.layout.zoomed {
            // The list's Enter opens the sample: one goes on reading it.
            self.focus_on(Pane::Left);
        } else {
            self.layout.zoomed = !self.layout.zoomed;
        }
    }

    pub(super) fn toggle(&mut self, toggle: Toggle) {
        let (what, on) = self.settings.view.toggle(toggle);
        self.say(format!("{what}: {}", if on { "on" } else { "off" }));
    }
}

/// The rows and samples known so far, and how far loading is.
#[derive(Debug, Default)]
pub struct OpenData {
    pub dataset: Dataset,
    /// The next generation of the dataset, until its first rows replace the old one.
    pub incoming: Option<Dataset>,
    pub generation: u64,
    pub loading: Loading,
    /// Whether it is read in the background: until all of it is there, the old one stays.
    pub is_quiet: bool,
    /// The loading that was asked for last.
    pub requested: u64,
    /// Whether others append to the files while they are open.
    pub is_followed: bool,
    /// Rows that were appended since the last key, and how that was told.
    pub appended: usize,
    pub appended_notice: Option<String>,
    /// The sample to select once it is there.
    pub awaited: Option<usize>,
    /// Files that end before their time, one sentence each.
    pub troubles: Vec<String>,
    /// How an open file changed on disk since it was loaded.
    pub changed: Option<String>,
    /// The columns of the dataset.
    pub catalog: Catalog,
    /// What reviewers said, as far as a query may ask for it.
    pub remarks: Arc<ReviewIndex>,
    /// True while labels are hidden from the reviewer.
    pub is_blind: bool,
    /// All rules of findings; the catalog has those that fit the dataset.
    pub rules: RuleSet,
}

/// Bytes of a file that are searched for a field while somebody types its name: some 20 ms.
const MOST_SEARCHED: u64 = 32 << 20;

impl OpenData {
    /// Whether a loader's report is of the loading that is under way, or of the one whose rows
    /// show.
    pub(super) fn expects(&self, generation: u64) -> bool {
        match self.incoming {
            Some(_) => generation == self.requested,
            None => generation == self.generation,
        }
    }

    /// The dataset that the loader fills: the incoming one until it is shown.
    pub(super) fn arriving(&mut self) -> &mut Dataset {
        self.incoming.as_mut().unwrap_or(&mut self.dataset)
    }

    /// Reads again which columns the dataset that shows has.
    pub(super) fn read_catalog(&mut self) {
        let reviewers = self.catalog.reviewer_names();
        let catalog = Catalog::of_dataset(&self.dataset);
        self.catalog = catalog.with_rules(&self.rules.definitions());
        self.catalog.set_reviewers(&reviewers);
        self.catalog.set_blind(self.is_blind);
        self.catalog.limit_search(MOST_SEARCHED);
    }
}

/// How the selected sample is to be shown to the reviewer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Appearance {
    /// What is hidden, and in which order the responses are.
    pub mask: BlindMask,
    /// The seed of the coin that decides their order, where nothing else does.
    pub coin: Option<u32>,
    /// The response that the rating form asks about, where it asks about one of more than two.
    pub asked: Option<ResponseId>,
}

/// The page on screen with the first line shown of each pane.
#[derive(Debug, Default)]
pub struct OpenPage {
    /// The page of the selected sample, or that of the one before until it is read.
    pub page: Option<Arc<Page>>,
    /// First line shown of each pane's text, by [`Pane::index`].
    pub scroll: [usize; Pane::ALL.len()],
    /// The sample whose responses are to be shown from their end, once it is read.
    pub ends: Option<usize>,
    /// How the selected sample is to be shown; up to date after each message.
    pub appearance: Appearance,
    /// The styles of the code on a page that is or was shown.
    pub(super) syntax: Option<PageSyntax>,
}

impl OpenPage {
    /// Whether it has one response.
    pub(super) fn is_single(&self) -> bool {
        self.page.as_ref().is_some_and(|page| page.sides.len() == 1)
    }

    /// Number of lines of a pane's text.
    pub(super) fn lines(&self, pane: Pane) -> usize {
        let stack = self.page.as_ref().and_then(|page| page.stack(pane));
        stack.map_or(0, PaneText::len)
    }
}

/// Counts above this are typing accidents.
const GREATEST_COUNT: usize = 9_999_999_999;

/// The notice and the count.
#[derive(Debug, Default)]
pub struct StatusLine {
    /// Something to tell, until the next key.
    pub notice: Option<String>,
    /// The count typed so far.
    pub count: Option<usize>,
    /// Whether the last key means nothing in the view that it went to.
    pub ignored: bool,
    /// What the view with the keys asks the dispatcher to do, with the count typed before it.
    pub handed_over: Option<(ViewRequest, Option<usize>)>,
    /// Whether a line is being typed.
    pub is_typing: bool,
    /// Whether the last key asked whether the filter is to be dropped.
    pub asked_to_drop: bool,
    /// How many lines there were, counting each as another whenever something is typed.
    pub typed: u64,
}

impl StatusLine {
    /// Adds a digit to the count; a zero begins none.
    pub(super) fn count_on(&mut self, digit: u8) {
        let count = self.count.unwrap_or(0).saturating_mul(10);
        let count = count.saturating_add(usize::from(digit));
        self.count = Some(count.min(GREATEST_COUNT)).filter(|count| *count > 0);
    }
}

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
    /// The themes, and the one that is used.
    pub themes: ThemeChoice,
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
    /// The sample to go to.
    pub seeking: Seeking,
    /// What of that waits for a run in which it fits.
    pub left_out: UnusedSettings,
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
