//! The state of the program: the dataset, which samples are shown, the selected one and its page,
//! the open views and the reviewers' acts.

use std::path::Path;
use std::sync::Arc;

use super::charts::Charts;
use super::job::{BRIEF_BYTES, Job};
use super::pages::page_doc::{CountedState, PageSources};
use super::perform::ViewRequest;
use super::sample::geometry::WHOLE_TURNS_FROM;
use super::sample::page_diff::DiffState;
use super::sample::screen_layout::ScreenLayout;
use super::shown::selection::ListSelection;
use super::shown::word_index::WordIndex;
use super::{
    Action, Effect, FilterState, FindingsPage, Geometry, Help, Layout, LayoutInputs, LineKind,
    List, Loading, Mode, Page, PageKey, Pane, PaneText, RecordView, Review, SavedState,
    SearchState, Settings, Toggle, ViewOptions, Views,
};
use crate::dataset::{Dataset, FoundFindings};
use crate::findings::RuleSet;
use crate::query::{Catalog, ReviewIndex, ScanCache};
use crate::text;

/// Maximum width of the journal's path in messages, in cells.
const JOURNAL_WIDTH: usize = 160;

/// The state of the program. Its methods lie beside the part that they change.
#[derive(Debug, Default)]
pub struct App {
    /// The open dataset.
    pub data: OpenData,
    /// The active filter.
    pub filter: FilterState,
    /// The active search.
    pub search: SearchState,
    /// Charts of values over all samples.
    pub(super) charts: Charts,
    /// The comparison of the two responses in the panes.
    pub diff: DiffState,
    /// The shown samples and the selected one.
    pub selection: ListSelection,
    /// The list of samples.
    pub list: List,
    /// The page on screen.
    pub open: OpenPage,
    /// The user's choices, history and saved filters.
    pub settings: Settings,
    /// How the screen is divided.
    pub layout: ScreenLayout,
    /// The notice, the typed count and the outcome of the last key.
    pub status: StatusLine,
    /// The views open on top of the panes.
    pub views: Views,
    /// The reviewers' acts and the state of reviewing.
    pub review: Review,
    /// Effects to perform, collected by [`update()`](super::update()).
    pub(super) outbox: Vec<Effect>,
}

impl App {
    /// Creates the state without data for a terminal of `size` (columns, rows).
    pub fn new(size: (u16, u16), view: ViewOptions, help: Help) -> Self {
        Self {
            settings: Settings {
                view,
                help,
                ..Settings::default()
            },
            layout: ScreenLayout {
                size,
                ..ScreenLayout::default()
            },
            ..Self::default()
        }
    }

    /// Restores histories and saved filters of earlier runs.
    pub fn recall_memory(&mut self, memory: SavedState) {
        (self.settings.histories, self.settings.saved) = (memory.histories, memory.saved);
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

    /// True if the input line is open.
    pub fn is_typing(&self) -> bool {
        self.views.line().is_some()
    }

    /// True if a user command is running.
    pub fn is_running_command(&self) -> bool {
        self.views
            .page_of::<RecordView>()
            .is_some_and(|page| page.content.running().is_some())
    }

    /// Sets the path of the journal, for messages.
    pub fn set_journal_path(&mut self, path: &Path) {
        self.settings.journal = Some(text::one_line(&path.to_string_lossy(), JOURNAL_WIDTH));
    }

    /// Returns the part of the state that pages are built from.
    pub(super) fn page_sources(&self) -> PageSources<'_> {
        let (filter, search) = (&self.filter.progress, &self.search.progress);
        let is_growing = self.data.loading != Loading::Done || self.is_querying();
        let steps = |count: usize| match count.checked_ilog2() {
            Some(doublings) if is_growing => 1 << doublings,
            _ => count,
        };
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
                is_rounded: is_growing,
                files: (
                    steps(self.data.dataset.files().len()),
                    self.data.dataset.joined().len(),
                ),
                samples: steps(self.data.dataset.samples()),
                // Both only grow, so their sum identifies one state of the two.
                query: (
                    filter.number + search.number,
                    steps(filter.looked + self.shown().len()),
                ),
            },
            is_growing,
            is_linear: self.layout.is_linear,
            is_blind: self.is_blind(),
            is_hidden: self.mask().hidden,
        }
    }

    /// Changes open views by the part of the state that pages are built from. Meanwhile the state has
    /// no views, so that [`Self::page_sources`] must not ask for them.
    pub(super) fn with_views(&mut self, change: impl FnOnce(&mut Views, &PageSources<'_>)) {
        let mut views = std::mem::take(&mut self.views);
        change(&mut views, &self.page_sources());
        self.views = views;
    }

    /// Returns the page on screen: that of the previous sample until the selected one is read.
    pub fn page(&self) -> Option<&Page> {
        self.open.page.as_deref()
    }

    /// Returns the page on screen if its key is current.
    pub(super) fn laid_page(&self) -> Option<&Arc<Page>> {
        let page = self.open.page.as_ref()?;
        (page.key == self.page_key()).then_some(page)
    }

    /// Returns the page on screen if it shows the selected sample.
    pub fn current_page(&self) -> Option<&Arc<Page>> {
        self.open.page.as_ref().filter(|_| self.page_is_current())
    }

    /// True if the page on screen shows the selected sample.
    pub fn page_is_current(&self) -> bool {
        self.open.page.as_ref().is_some_and(|page| {
            page.key.sample == self.selection.selected
                && page.key.generation == self.data.generation
        })
    }

    /// Returns the first visible line of a pane's text.
    pub fn scrolled(&self, pane: Pane) -> usize {
        self.open.scroll[pane.index()].min(self.most_scroll(pane))
    }

    /// Shows a message in the status line until the next key.
    pub(super) fn say(&mut self, words: impl Into<String>) {
        self.status.notice = Some(words.into());
    }

    /// Returns the notice to show until the next key.
    pub fn notice(&self) -> Option<&str> {
        self.status.notice.as_deref()
    }

    /// Records that an action has no meaning in the view on top.
    pub(super) fn ignore(&mut self, action: Action) {
        self.status.ignored = action != Action::Nothing;
    }

    /// Returns the key of the page that should be on screen.
    pub fn page_key(&self) -> PageKey {
        let (width, height) = self.layout.size;
        // Rationales take no columns from other panes; responses that they replace keep their
        // layout.
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
            mask: self.mask_of_page(),
            coin: self.coin(),
            pair: pair.map(|(_, pair)| pair),
            asked: self.asked_response(),
            joined: self.data.dataset.joined().len(),
        }
    }

    /// Returns the job that reads and lays out the page that should be on screen.
    pub(super) fn page_job(&self) -> Option<Job> {
        if self.shown().is_empty() || self.laid_page().is_some() {
            return None;
        }
        let key = self.page_key();
        let is_brief = self.data.dataset.sample_bytes(key.sample) <= BRIEF_BYTES;
        Some(Job::new(
            "reader",
            &self.data,
            key,
            is_brief,
            |key, of| Page::build_while(of.dataset, key.clone(), of.keep_going),
            |app, key, page| {
                if key == app.page_key() {
                    app.take_page(page);
                }
            },
        ))
    }

    /// Shows a page that was read.
    pub(super) fn take_page(&mut self, page: Page) {
        let same = self.open.page.replace(Arc::new(page)).filter(|old| {
            self.open
                .page
                .as_ref()
                .is_some_and(|page| old.shows_same_sample(page))
        });
        for pane in [Pane::Prompt, Pane::Left, Pane::Right, Pane::Rationales] {
            self.open.scroll[pane.index()] = self.first_line(pane, same.as_deref());
        }
        if !self.has_pane(self.layout.focus) {
            self.focus_on(Pane::Left);
        }
        if same.is_none() {
            self.search.at = None;
        }
        if let Some((_, scroll)) = self
            .search
            .left
            .take()
            .filter(|(sample, _)| *sample == self.selection.selected)
        {
            self.open.scroll = scroll;
        }
    }

    /// True if the sample has folds that could hide texts of the search or the filter, which must
    /// be visible. Pages without folds are not laid out again.
    fn is_unfolded_for_search(&self) -> bool {
        let has_folds = self.current_page().is_some_and(|page| page.has_folds());
        has_folds && self.marked_terms().is_some()
    }

    /// True if the page on screen has one response.
    pub fn is_single(&self) -> bool {
        self.open.is_single()
    }

    /// Returns the index of the selected sample's file among the open files.
    pub fn file(&self) -> usize {
        let dataset = &self.data.dataset;
        let chunk = dataset.chunk_of(self.selection.selected);
        chunk.map_or(0, |(chunk, within)| dataset.file_of(chunk, within))
    }

    /// True if the page on screen has content for a pane.
    pub fn has_pane(&self, pane: Pane) -> bool {
        match pane {
            Pane::List | Pane::Prompt | Pane::Left => true,
            Pane::Right => !self.is_single(),
            Pane::Rationales => self.open.lines(pane) > 0,
        }
    }

    /// Returns the greatest scroll offset of a pane, which puts its last line on the last row.
    pub(super) fn most_scroll(&self, pane: Pane) -> usize {
        self.open.lines(pane).saturating_sub(self.text_height(pane))
    }
}

impl App {
    /// Requests an effect. All effects leave the state here.
    pub(super) fn request(&mut self, effect: Effect) {
        self.outbox.push(effect);
    }

    /// Passes a request to the dispatcher; at most one for each key.
    pub(super) fn hand_over(&mut self, task: ViewRequest, count: Option<usize>) {
        debug_assert!(self.status.handed_over.is_none());
        self.status.handed_over = Some((task, count));
    }

    pub(super) fn toggle(&mut self, toggle: Toggle) {
        let (what, on) = self.settings.view.toggle(toggle);
        self.say(format!("{what}: {}", if on { "on" } else { "off" }));
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
        self.data.findings = self.data.dataset.findings();
        // Searches are to be expected.
        if self.views.line_kind() == Some(LineKind::Search) || self.search.sought().is_some() {
            self.build_index();
        }
        self.show_theme();
        if std::mem::take(&mut self.selection.starts_anew) {
            self.put_at(self.queue_start());
            self.release_anchor();
        }
        self.follow();
        self.show_ends();
    }
}

/// The open dataset and the state of its loading.
#[derive(Debug, Default)]
pub struct OpenData {
    pub dataset: Dataset,
    /// The next generation of the dataset, until its first rows are shown.
    pub incoming: Option<Dataset>,
    pub generation: u64,
    /// The generation that gave the samples their numbers; appended rows do not change them.
    pub numbering: u64,
    pub loading: Loading,
    /// True if `incoming` is read in the background; the old dataset stays until it is complete.
    pub is_quiet: bool,
    /// Generation of the loading that was requested last.
    pub requested: u64,
    /// True if rows that other programs append to the files are shown.
    pub is_followed: bool,
    /// Number of rows appended since the last key, and the notice about them.
    pub appended: usize,
    pub appended_notice: Option<String>,
    /// The sample to select once it is loaded.
    pub awaited: Option<usize>,
    /// One sentence for each file that ends early.
    pub troubles: Vec<String>,
    /// How an open file changed on disk since it was loaded.
    pub changed: Option<String>,
    pub catalog: Catalog,
    /// Cached answers from rows of the dataset.
    pub scanned: Arc<ScanCache>,
    pub word_index: WordIndex,
    /// Review data that queries can refer to.
    pub remarks: Arc<ReviewIndex>,
    /// The findings of the dataset that were known after the last message. Jobs add to those of the
    /// dataset at any time, but one frame must show one state.
    pub findings: Arc<FoundFindings>,
    /// All rules of findings; the catalog contains those that apply to the dataset.
    pub rules: RuleSet,
}

/// Bytes of a file that are searched for a field while its name is typed: about 20 ms.
const MAX_SEARCHED_BYTES: u64 = 32 << 20;

impl OpenData {
    /// True if reports of this generation's loader are current: the incoming generation, otherwise
    /// the shown one.
    pub(super) fn expects(&self, generation: u64) -> bool {
        match self.incoming {
            Some(_) => generation == self.requested,
            None => generation == self.generation,
        }
    }

    /// Shows another generation of the dataset. With `keeps_numbers`, samples that were there have
    /// the same numbers and contents. Returns the previous one.
    pub(super) fn replace(
        &mut self,
        dataset: Dataset,
        generation: u64,
        keeps_numbers: bool,
    ) -> Dataset {
        let before = std::mem::replace(&mut self.dataset, dataset);
        (self.generation, self.changed) = (generation, None);
        self.word_index.forget();
        if !keeps_numbers {
            self.numbering = generation;
            self.scanned = Arc::default();
        }
        self.read_catalog();
        before
    }

    /// Returns the dataset that the loader fills: the incoming one until it is shown.
    pub(super) fn arriving(&mut self) -> &mut Dataset {
        self.incoming.as_mut().unwrap_or(&mut self.dataset)
    }

    /// Rebuilds the catalog of the shown dataset's columns.
    pub(super) fn read_catalog(&mut self) {
        let (reviewers, is_blind) = (self.catalog.reviewer_names(), self.catalog.is_blind);
        self.catalog = Catalog::of_dataset(&self.dataset).with_rules(&self.rules.definitions());
        self.catalog.set_reviewers(&reviewers);
        self.catalog.set_blind(is_blind);
        self.catalog.limit_search(MAX_SEARCHED_BYTES);
    }
}

/// The page on screen with the scroll position of each pane.
#[derive(Debug, Default)]
pub struct OpenPage {
    /// The page of the selected sample, or of the previous one until it is read.
    pub page: Option<Arc<Page>>,
    /// First visible line of each pane's text, by [`Pane::index`].
    pub scroll: [usize; Pane::ALL.len()],
    /// The sample whose responses are scrolled to their end once it is read.
    pub ends: Option<usize>,
}

impl OpenPage {
    pub(super) fn is_single(&self) -> bool {
        self.page.as_ref().is_some_and(|page| page.sides.len() == 1)
    }

    pub(super) fn lines(&self, pane: Pane) -> usize {
        self.stack(pane).map_or(0, PaneText::len)
    }

    /// Returns the text in a pane.
    pub fn stack(&self, pane: Pane) -> Option<&PaneText> {
        self.page.as_ref()?.stack(pane)
    }
}

/// Upper limit of a count; greater numbers are typing errors.
const MAX_COUNT: usize = 9_999_999_999;

/// The notice and the count.
#[derive(Debug, Default)]
pub struct StatusLine {
    /// The notice to show until the next key.
    pub notice: Option<String>,
    /// The count typed so far.
    pub count: Option<usize>,
    /// True if the last key has no meaning in the view that received it.
    pub ignored: bool,
    /// A request of the focused view to the dispatcher, with the count typed before it.
    pub handed_over: Option<(ViewRequest, Option<usize>)>,
    /// True if the last key asked whether to remove the filter.
    pub asked_to_drop: bool,
}

impl StatusLine {
    /// Appends a digit to the count. A count does not begin with zero.
    pub(super) fn push_digit(&mut self, digit: u8) {
        let count = self
            .count
            .unwrap_or(0)
            .saturating_mul(10)
            .saturating_add(usize::from(digit));
        self.count = Some(count.min(MAX_COUNT)).filter(|count| *count > 0);
    }
}
