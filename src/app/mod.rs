//! The state of the program, and the only function that changes it:
//! `update(&mut App, Message) -> Vec<Effect>`.
//!
//! Nothing here draws or reads keys, and `update` touches no file. What the screen needs and does
//! not have yet (a page, list rows) is named by [`App::needs`], which is asked once after a batch
//! of messages, so that ten queued keys read one sample.

/// Makes an enum of one list: its variants, each with the word for it.
macro_rules! named {
    (
        $(#[$of_enum:meta])*
        pub enum $Enum:ident {$(
            $(#[$of_variant:meta])*
            $variant:ident $name:literal,
        )*}
    ) => {
        $(#[$of_enum])*
        pub enum $Enum {
            $($(#[$of_variant])* $variant,)*
        }

        impl $Enum {
            /// All of them, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The word for it, as files and command lines spell it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The one of this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}
pub(crate) use named;

mod action;
mod arranging;
mod browser;
mod columns;
mod command;
mod data_job;
mod dropping;
mod filtering;
mod findings;
mod following;
mod geometry;
mod help;
mod history;
mod hits;
mod input_line;
mod label_card;
mod layout_page;
mod layout_preview;
mod left_page;
mod line_editor;
mod list;
mod menu;
mod page;
mod page_doc;
mod palette;
mod pane_text;
mod panel;
mod perform;
mod query_job;
mod record;
mod responses_page;
mod result;
mod reviewing;
mod screen_layout;
mod searching;
mod selection;
mod session;
mod sorting;
mod statistics;
mod suggestions;
mod syntax;
mod texts;
mod themes;
mod tokens;
mod typesetter;
mod update;
mod user_command;
mod views;
mod word_diff;

pub use action::{ACTIONS, Action, Effect, Message, Pointer, SavedFilters, Scroll, Toggle};
pub use browser::Browser;
pub use browser::{SavedState, ViewOptions};
pub use columns::{ListCell, ListColumn};
pub use command::{COMMANDS, CommandReflex, ReflexAnswer, check_command};
pub use data_job::{DataJob, DataJobKind, JobContext};
pub use data_job::{Performer, fetch};
pub use filtering::FilterState;
pub use findings::{FindingsPage, QueueOrder, QueueStrip, ReportedFinding};
pub use following::Sought;
pub use geometry::{Area, Geometry, LayoutInputs, LayoutMode, ListDisplay};
pub use help::GuidePage;
pub use help::Help;
pub use help::{BoundKeys, KeyHints, KeyTask};
pub use history::{HISTORY, Histories, History};
pub use hits::PageHits;
pub use input_line::{InputLine, LineKind};
pub use label_card::{CardRow, CardValue};
pub use layout_page::LayoutPage;
pub use line_editor::Edit;
pub use list::{Flagged, List, ListRow, text_size};
pub use menu::{Menu, MenuCell, MenuLine, NO_MATCH};
pub use page::{Page, PageKey};
pub use page_doc::{LEFT, PageContent, PageDoc, PageItem, PageMark, PageSpot, PageTone, PageView};
pub use pane_text::{PaneText, Section, SectionKind, StackLine};
pub use panel::{Chart, Panel, PanelAction, RowPlaces, VIEW_WIDTH, view_word};
pub use query_job::{QueryInputs, QueryJob, QueryKind, QueryTerms, RequestId};
pub use record::{RecordPage, RecordSubject, RecordView};
pub use responses_page::ResponsesPage;
pub use result::Shown;
pub use reviewing::{
    Blind, Copied, Export, FileForm, FollowUp, ListRemark, NotePad, OnScreen, OwnAct,
    PendingOpening, RatingAction, RatingRow, RatingStrip, Review, ReviewEffect, ReviewEvent,
    Selection, TextScreen, step_words, verdict_steps,
};
pub use searching::SearchState;
pub use session::SessionState;
pub use statistics::{Statistics, StatisticsMove};
pub use suggestions::{SUGGESTIONS, Suggestions};
pub use syntax::PageSyntax;
pub use themes::{ThemeChoice, ThemeName};
pub use typesetter::Layout;
pub use update::{apply_quietly, update};
pub use user_command::{CommandOutput, CommandRun, UserCommand};
pub use views::{Context, Mode, View, Views};
pub use word_diff::PageDiff;

use browser::Appearance;
use serde::{Deserialize, Serialize};

use crate::findings::RuleSet;
use crate::query::QueryError;

named! {
    /// A rectangle of the screen with a duty.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Pane {
        /// All samples.
        List "samples",
        /// The prompt of the open sample.
        Prompt "prompt",
        /// A response: of a pair A.
        #[default]
        Left "A",
        /// The response beside it: of a pair B.
        Right "B",
        /// What was written about the sample and its responses.
        Rationales "rationales",
    }
}

impl Pane {
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

impl Default for Loading {
    fn default() -> Self {
        Self::UnderWay { long: false }
    }
}

/// The state of the program.
#[derive(Debug)]
pub struct App {
    /// The samples, and what the screen shows of them.
    pub browser: Browser,
    /// What is open on top of the panes.
    pub views: Views,
    /// What reviewers did, and what is going on.
    pub review: Review,
}

impl App {
    /// A program without data, for a terminal of so many columns and rows.
    pub fn new(size: (u16, u16), view: ViewOptions, help: Help) -> Self {
        Self {
            browser: Browser::new(size, view, help),
            views: Views::default(),
            review: Review::default(),
        }
    }

    fn parts(&mut self) -> (&mut Browser, &mut Views, &mut Review) {
        (&mut self.browser, &mut self.views, &mut self.review)
    }

    /// Takes what is known from earlier runs.
    pub fn recall_memory(&mut self, memory: SavedState) {
        (self.browser.settings.histories, self.browser.settings.saved) =
            (memory.histories, memory.saved);
    }

    /// Takes the themes to choose from.
    pub fn offer_themes(&mut self, themes: ThemeChoice) {
        self.browser.settings.themes = themes;
    }

    /// Takes the rules of findings in the place of the built-in ones.
    pub fn set_rules(&mut self, rules: RuleSet) {
        self.browser.data.rules = rules;
    }

    /// Takes how many characters of a response training keeps, or that nobody knows: rules find
    /// other samples then. Gives why the filter in force does not read any more, where that is so.
    fn set_max_len(&mut self, characters: Option<u32>) -> Option<QueryError> {
        let Self { browser, views, .. } = self;
        let rules = std::mem::take(&mut browser.data.rules);
        browser.data.rules = rules.with_max_len(characters);
        browser.data.dataset.forget_findings();
        browser.data.read_catalog();
        let error = browser.read_active_again();
        browser.list.forget();
        views.read_filter_again(browser);
        error
    }

    /// Says who does what is done from now on, whether labels are hidden, and what is done first.
    pub fn introduce(&mut self, reviewer: &str, blind: Option<Blind>, opening: PendingOpening) {
        let data = &mut self.browser.data;
        self.review.introduce(reviewer, blind, opening, data);
        self.settle();
    }

    /// Sets the seed of the coin that puts responses into an order: another one each time that the
    /// program is run.
    pub fn set_coin(&mut self, seed: u32) {
        self.review.set_coin(seed);
        self.settle();
    }

    /// Begins what an effect asks of the dataset; `None` where it asks for something else, or where
    /// there is nothing to do. Where a sample is looked for it reads one row, a small one.
    pub fn begin_job(&mut self, effect: &Effect) -> Option<DataJob> {
        let (browser, views, review) = self.parts();
        if let Effect::Review(effect) = effect {
            review.note_begun(effect);
        }
        views.job(effect, browser, review)
    }

    /// Whether anything is said of any sample, as far as the reviewer may know it.
    pub fn has_reviews(&self) -> bool {
        !self.review.is_empty(&self.browser.data.remarks)
    }

    /// Which view has the keys.
    pub fn mode(&self) -> Mode {
        self.views.mode()
    }

    /// Which keys mean what at the moment.
    pub fn context(&self) -> Context {
        self.mode().context()
    }

    /// Whether a user command is running.
    pub fn is_running_command(&self) -> bool {
        let record = self.views.record();
        record.is_some_and(|page| page.content.running().is_some())
    }

    /// What the screen needs and does not have.
    pub fn needs(&self) -> Vec<Effect> {
        let (browser, views, review) = (&self.browser, &self.views, &self.review);
        if browser.data.dataset.samples() == 0 {
            return review
                .review_need(browser, views)
                .map(Effect::Review)
                .into_iter()
                .collect();
        }
        if let Some(job) = browser.query_needed() {
            // What is shown depends on the answer; where it is there at once, nothing is read that
            // it makes needless.
            return vec![Effect::Query(job)];
        }
        let of = browser.page_sources();
        let charts = (views.panel().and_then(|panel| panel.needed(&of)))
            .or_else(|| views.line()?.charts_needed(browser, &of));
        let mut effects: Vec<_> = charts.into_iter().map(Effect::Charts).collect();
        effects.extend(browser.arrangement_needed().map(Effect::Arrange));
        let agreement = views.text_screen().and_then(|page| page.content.counting());
        effects.extend(agreement.map(Effect::Agreement));
        let statistics = views.statistics().and_then(|page| page.content.needed(&of));
        effects.extend(statistics.map(Effect::Statistics));
        effects.extend(FindingsPage::needed_in(views, &of).map(Effect::Findings));
        let record = views.record().and_then(|page| page.content.needed(&of));
        effects.extend(record.map(Effect::Record));
        let run = views.record().and_then(|page| page.content.running());
        effects.extend(run.cloned().map(Effect::RunCommand));
        effects.extend(review.review_need(browser, views).map(Effect::Review));
        effects.extend(review.training_to_count(views).map(Effect::TrainingCounts));
        if !browser.shown().is_empty() && browser.laid_page().is_none() {
            effects.push(Effect::Page(browser.page_key()));
        }
        effects.extend(browser.page_hits_needed().map(Effect::PageHits));
        effects.extend(browser.diff_needed().map(Effect::WordDiff));
        effects.extend(browser.syntax_needed().map(Effect::Syntax));
        let missing =
            browser
                .list
                .missing(browser.list_height(), browser.shown(), &browser.columns());
        if !missing.is_empty() {
            effects.push(Effect::ListRows(missing));
        }
        effects
    }

    /// Brings up to date what samples and panes take from reviews and views. To be called after each change.
    pub(super) fn settle(&mut self) {
        let (browser, views, review) = self.parts();
        browser.status.is_typing = views.line().is_some();
        browser.show_theme(views.top_menu().and_then(Menu::previewed_theme));
        debug_assert_eq!(browser.is_blind(), review.is_blind());
        debug_assert_eq!(
            browser.selection.audited.is_some(),
            review.running().is_some()
        );
        if std::mem::take(&mut browser.selection.starts_anew) {
            let start = views.queue_start(browser, review);
            browser.put_at(start);
            browser.release_anchor();
        }
        browser.open.appearance = Appearance {
            mask: review.mask_of_page(browser),
            coin: review.coin(browser),
            asked: views.asked_response(browser),
        };
        browser.layout.has_sentence = views.has_sentence(browser, review);
        let is_rating = matches!(views.below_panes(), Some(View::Rate(_)));
        browser.layout.rating_card = match is_rating && browser.has_rating_card() {
            true => browser.rate_card_height(),
            false => 0,
        };
        self.browser.layout.drawer_height = self.drawer_height();
        self.browser.follow();
        self.browser.show_ends();
    }

    /// Rows of what is open under the panes.
    fn drawer_height(&self) -> u16 {
        let Self { browser, views, .. } = self;
        match views.below_panes() {
            Some(View::Note(pad)) => browser.fitting_drawer(pad.height()),
            Some(View::Rate(_)) if browser.has_rating_card() => 0,
            Some(View::Rate(_)) => {
                // Neither response is rated without the other in sight.
                let least = browser.rate_height().saturating_sub(1);
                let rows = browser.fitting_drawer(browser.rate_height());
                rows.max(least.min(browser.layout.size.1 / 2))
            }
            Some(View::Queue(_)) => browser.fitting_drawer(browser.queue_height()),
            Some(View::Panel(panel)) => browser.panel_height(panel),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
