//! What a key can ask for, and what the program is told and asks for in turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arranging::ArrangementKey;
use super::findings::{CountedFindings, FindingsKey};
use super::following::Sought;
use super::hits::{PageHits, PageHitsKey};
use super::input_line::LineKind;
use super::layout_page::LayoutAction;
use super::line_editor::Edit;
use super::list::ListRow;
use super::page::{Page, PageKey};
use super::panel::{Chart, ChartKey, PanelAction};
use super::query_job::{QueryBatch, QueryJob, RequestId};
use super::record::{RecordKey, RecordPage};
use super::result::Shown;
use super::reviewing::{ComparedParties, OnScreen, RatingAction, ReviewEffect, ReviewEvent};
use super::statistics::{StatisticsKey, StatisticsMove};
use super::syntax::PageSyntax;
use super::word_diff::PageDiff;
use super::{
    App, CommandOutput, CommandRun, FindingsPage, PageView, Pane, ResponsesPage, Statistics, View,
};
use crate::dataset::LoadEvent;
use crate::model::{ResponseId, SpotCheckVerdict};
use crate::profile::Profile;
use crate::review::AgreementPage;
use crate::schema::{Definition, FieldChoice, FieldRole, JsonRecord, Said};

/// Makes the actions, and the names by which files of keys call them, from one list. An action that
/// carries something has a name for each value that a key can be bound to.
macro_rules! actions {
    ($(
        $(#[doc = $doc:literal])*
        $action:ident $($name:literal)? $(($payload:ident) {$(
            $value:ident $(($($of:tt)+))? $value_name:literal,
        )*})?,
    )*) => {
        /// What a person asks for, whatever key said it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Action {
            $($(#[doc = $doc])* $action $(($payload))?,)*
        }

        /// Every action that has a name, with it.
        pub static ACTIONS: &[(&str, Action)] = &[
            $($(($name, Action::$action),)?)*
            $($($(($value_name, Action::$action($payload::$value $(($($of)+))?)),)*)?)*
        ];

        impl Action {
            /// Its name in a file of keys; `None` for what no key is bound to: what is typed, and
            /// moves that other actions stand for.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $($(Self::$action => Some($name),)?)*
                    $($($(Self::$action($payload::$value $(($($of)+))?) => Some($value_name),)*)?)*
                    _ => None,
                }
            }
        }
    };
}

actions! {
    /// A digit of a count.
    Digit (u8) {},
    /// The next sample; with a count, so many further.
    NextSample "next-sample",
    /// The sample before; with a count, so many back.
    PreviousSample "previous-sample",
    /// The first sample; with a count, that one.
    FirstSample "first-sample",
    /// The last sample; with a count, that one.
    LastSample "last-sample",
    /// Back to where one was before the last jump, and there again.
    JumpBack "jump-back",
    /// Scroll the focused pane; with a count, so many times.
    Scroll (Scroll) {
        PageDown "page-down",
        PageUp "page-up",
        HalfDown "half-page-down",
        HalfUp "half-page-up",
        LineDown "line-down",
        LineUp "line-up",
        Top "top",
        Bottom "bottom",
    },
    /// Focus the next pane.
    NextPane "next-pane",
    /// Focus the pane before.
    PreviousPane "previous-pane",
    /// Show the next of more than two responses in a pane.
    NextResponse (Pane) {
        Right "next-response-right",
        Left "next-response-left",
    },
    /// Show the one before in a pane.
    PreviousResponse (Pane) {
        Right "previous-response-right",
        Left "previous-response-left",
    },
    /// Give the focused pane the whole screen, or take it back.
    Zoom "zoom",
    /// Show the list of samples, or hide it.
    ToggleList "toggle-list",
    /// Make the list wider; with a count, so many times.
    WidenList "widen-list",
    /// Make the list narrower; with a count, so many times.
    NarrowList "narrow-list",
    /// Switch something over.
    Toggle (Toggle) {
        Stacked "toggle-stacked",
        Lock "toggle-lock",
        Markdown "toggle-markdown",
        Folds "toggle-folds",
        Hidden "toggle-hidden",
    },
    /// Read the files again.
    Reload "reload",
    /// Show the keys.
    Help "help",
    /// Type a filter.
    Filter "filter",
    /// Type what to search for.
    Search "search",
    /// Go to the next hit of the search, or of the texts that the filter asks for.
    NextHit "next-hit",
    /// Go to the hit before.
    PreviousHit "previous-hit",
    /// Show what is found in the other order.
    Order "order",
    /// Open the labels panel, or close it.
    LabelsPanel "labels-panel",
    /// Change the chosen row of the labels panel.
    Handle (PanelAction) {
        LowDown "panel-low-down",
        LowUp "panel-low-up",
        HighDown "panel-high-down",
        HighUp "panel-high-up",
        NextView "panel-next-view",
        Clear "panel-clear",
        NextSample "panel-next-sample",
        PreviousSample "panel-previous-sample",
    },
    /// Open the statistics, or close them.
    Statistics "statistics",
    /// Move the cursor on the page of statistics.
    OnStatistics (StatisticsMove) {
        Left "statistics-left",
        Right "statistics-right",
        NextSection "statistics-next-section",
        PreviousSection "statistics-previous-section",
    },
    /// Say what a field is, in the layout of the file.
    OnLayout (LayoutAction) {
        Edit "layout-edit",
        Choose(FieldChoice::Prompt) "layout-prompt",
        Choose(FieldChoice::Response) "layout-response",
        Choose(FieldChoice::Winner) "layout-winner",
        Choose(FieldChoice::Loser) "layout-loser",
        Means(Said::Wins(0)) "layout-a-wins",
        Means(Said::Wins(1)) "layout-b-wins",
        Means(Said::Wins(2)) "layout-c-wins",
        Means(Said::Wins(3)) "layout-d-wins",
        Means(Said::Tie) "layout-tie",
        NextMeaning "layout-next-meaning",
        OpenList "layout-open-list",
        Choose(FieldChoice::Label) "layout-label",
        Choose(FieldChoice::Text) "layout-text",
        Choose(FieldChoice::System) "layout-system",
        Choose(FieldChoice::Field) "layout-field",
        Guess "layout-guess",
        NextRecord "layout-next-record",
        PreviousRecord "layout-previous-record",
    },
    /// Open the page of findings, or close it.
    Findings "findings",
    /// In a queue: say whether what the dataset says of the sample is right, and go on.
    Check (SpotCheckVerdict) {
        Right "check-right",
        Wrong "check-wrong",
        Unclear "check-unclear",
    },
    /// Choose what to sort by.
    Sort "sort",
    /// Type a command.
    Command "command",
    /// Open the palette: all that can be done, found by some letters.
    Palette "palette",
    /// Mark the selected sample, or no longer.
    Mark "mark",
    /// Go to the next marked sample.
    NextMark "next-mark",
    /// Type tags for the selected sample.
    Tag "tag",
    /// Write a note about it.
    Note "note",
    /// Open the rating strip, or close it.
    Rate "rate",
    /// Answer in the rating strip.
    Answer (RatingAction) {
        GoOn "rate-go-on",
        Next "rate-next",
        Previous "rate-previous",
        Lower "rate-lower",
        Higher "rate-higher",
        Wins(ResponseId::A) "rate-a-wins",
        Wins(ResponseId::B) "rate-b-wins",
        Tie "rate-tie",
        Clear "rate-clear",
        Skip "rate-skip",
        Defer "rate-defer",
        Change "rate-change",
        Yes "rate-yes",
    },
    /// Show how far people agree.
    Agreement "agreement",
    /// List all responses of the sample, or no longer.
    Responses "responses",
    /// Show the raw record of the sample, or no longer.
    Record "record",
    /// Show the tokens of the response in the focused pane as text, or no longer.
    Tokens "tokens",
    /// Compare the words of the two responses, or no longer.
    WordDiff "word-diff",
    /// Take one's latest act back.
    Undo "undo",
    /// Do again what was taken back.
    Redo "redo",
    /// Copy something to the clipboard.
    Copy "copy",
    /// Write a file.
    Export "export",
    /// Keep what is written.
    Save "save",
    /// Have one's own editor change what is written.
    Outside "outside",
    /// Change the line that is typed.
    Edit (Edit) {
        Left "character-left",
        Right "character-right",
        WordLeft "word-left",
        WordRight "word-right",
        Start "line-start",
        End "line-end",
        Backspace "delete-before",
        Delete "delete-under",
        DeleteWord "delete-word",
        DeleteToStart "delete-to-start",
        DeleteToEnd "delete-to-end",
        Undo "undo-typing",
        Redo "redo-typing",
        NewLine "new-line",
    },
    /// A question mark: lists the fields where a term can begin, and is typed elsewhere.
    Question "question",
    /// Take the line as it is, or the chosen line of a menu.
    Accept "accept",
    /// Complete what is typed; once more: the next way to.
    Complete "complete",
    /// The way to complete before.
    CompleteBack "complete-back",
    /// The line typed before this one.
    Earlier "earlier",
    /// The line typed after this one.
    Later "later",
    /// Add the chosen line of a menu to what is in force.
    Add "add-to-sort",
    /// Delete the chosen line of a menu; asks once.
    Delete "delete-filter",
    /// Drop the filter in force.
    DropFilter "drop-filter",
    /// One level back; from the last one, quit.
    Back "back",
    /// Drop what is half done; never quits.
    Cancel "cancel",
    /// Stop the program and give the terminal to the shell.
    Suspend "suspend",
    /// Paint everything anew.
    Redraw "redraw",
    /// Drop the line that is typed, or close the menu; over a note that is not saved, ask once;
    /// while one reads, quit.
    Quit "quit",
    /// Quit from wherever one reads, once a file that is being written is there.
    Leave "leave",
    /// Nothing, of a key without a meaning; what waits for one key or any other takes it as another.
    Nothing,
}

impl Action {
    /// The action of this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = ACTIONS.iter().find(|(known, _)| *known == name)?;
        Some(found.1)
    }

    /// Whether it changes typed text or moves about in it, one line or several.
    pub const fn changes_lines(self) -> bool {
        matches!(self, Self::Edit(_) | Self::Earlier | Self::Later)
    }

    /// How far this moves in a list of lines: what goes through samples goes through lines too.
    pub(super) const fn scroll(self) -> Option<Scroll> {
        match self {
            Self::NextSample => Some(Scroll::LineDown),
            Self::PreviousSample => Some(Scroll::LineUp),
            Self::FirstSample => Some(Scroll::Top),
            Self::LastSample => Some(Scroll::Bottom),
            Self::Scroll(scroll) => Some(scroll),
            _ => None,
        }
    }
}

impl App {
    /// Does what a key asks for while one reads.
    pub(super) fn act_in_read(&mut self, action: Action, count: Option<usize>) {
        let (browser, views, review) = self.parts();
        let times = count.unwrap_or(1);
        match action {
            Action::NextSample => browser.select(browser.selection.position.saturating_add(times)),
            Action::PreviousSample => {
                browser.select(browser.selection.position.saturating_sub(times));
            }
            Action::FirstSample | Action::LastSample if count.is_some() => {
                browser.go_to(times);
            }
            Action::FirstSample => browser.jump_to(0),
            Action::LastSample => browser.go_to_end(),
            Action::JumpBack => browser.jump_back(),
            Action::Scroll(scroll) => browser.scroll_or_read_on(scroll, times),
            Action::NextPane => browser.move_focus(1),
            Action::PreviousPane => browser.move_focus(Pane::ALL.len() - 1),
            Action::NextResponse(pane) => browser.step_response(pane, true),
            Action::PreviousResponse(pane) => browser.step_response(pane, false),
            Action::Zoom => browser.zoom(),
            Action::ToggleList => browser.toggle_list(),
            Action::WidenList => browser.resize_list(true, times),
            Action::NarrowList => browser.resize_list(false, times),
            Action::Toggle(toggle) => browser.toggle(toggle),
            Action::Reload => browser.reload(),
            Action::Help => self.open_keys(false),
            Action::Palette => self.open_keys(true),
            action if browser.withholds(action) => {
                let _ = browser.is_auditing() || browser.is_withheld();
            }
            Action::Filter => views.open_line(LineKind::Filter, browser),
            Action::Command => views.open_line(LineKind::Command, browser),
            Action::Search => {
                views.open_line(LineKind::Search, browser);
                browser.request(Effect::Index);
            }
            Action::NextHit => browser.step_hit(true, times),
            Action::PreviousHit => browser.step_hit(false, times),
            Action::LabelsPanel => views.toggle_panel(browser, review),
            Action::Statistics => {
                let page = View::Statistics(PageView::new(Statistics::default()));
                views.open_page(page, browser, review);
            }
            Action::Findings => {
                let page = View::Findings(PageView::new(FindingsPage::default()));
                views.open_page(page, browser, review);
            }
            Action::Responses if browser.shown().is_empty() => {}
            Action::Responses => {
                let page = PageView::new(ResponsesPage::default());
                views.open_page(View::Responses(page), browser, review);
            }
            Action::Sort => views.show_sort_menu(browser),
            Action::Mark => review.toggle_mark(browser),
            Action::NextMark => browser.next_mark(times),
            Action::Tag if browser.shown().is_empty() => {}
            Action::Tag => views.open_line(LineKind::Tag, browser),
            Action::Note => review.open_note(browser, views),
            Action::Rate => review.toggle_rate(browser, views),
            Action::Agreement => review.show_agreement(ComparedParties::default(), views),
            Action::Record => self.open_record(),
            Action::Tokens => self.open_tokens(),
            Action::WordDiff => browser.toggle_diff(),
            Action::Undo => review.undo(browser, views),
            Action::Redo => review.redo(browser),
            Action::Copy => review.open_copy_menu(browser, views),
            Action::Export => review.open_export_menu(browser, views),
            Action::Back if browser.layout.zoomed => browser.layout.zoomed = false,
            Action::Back if views.back_to_page(browser) => {}
            Action::Back => review.quit(browser),
            // The count and the notice are gone already; a zoomed pane comes next, and then the
            // search.
            Action::Cancel if count.is_some() => {}
            Action::Cancel if browser.layout.zoomed => browser.layout.zoomed = false,
            Action::Cancel if browser.search.sought().is_none() && views.back_to_page(browser) => {}
            Action::Cancel => browser.drop_search_or_filter(),
            Action::DropFilter => browser.drop_filter(),
            // What is the same everywhere was done already; the others are keys of prompts, menus,
            // panels and the note.
            _ => {}
        }
    }
}

/// How far to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// One line towards the end.
    LineDown,
    /// One line towards the beginning.
    LineUp,
    /// Half a page towards the end.
    HalfDown,
    /// Half a page towards the beginning.
    HalfUp,
    /// A page towards the end.
    PageDown,
    /// A page towards the beginning.
    PageUp,
    /// To the beginning.
    Top,
    /// To the end.
    Bottom,
}

/// What can be switched over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggle {
    /// Markdown styled, or plain text.
    Markdown,
    /// Hidden characters as glyphs, or not at all.
    Hidden,
    /// Reasoning and what tools were asked and gave back whole, or their first lines.
    Folds,
    /// A and B scroll together, or each on its own.
    Lock,
    /// A above B, or side by side.
    Stacked,
}

/// What the mouse did, in cells of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    /// The left button went down.
    Press(u16, u16),
    /// The pointer moved with the left button down.
    Drag(u16, u16),
    /// The left button came up.
    Release,
    /// The wheel turned a notch.
    Wheel(Scroll, u16, u16),
}

/// What `update` is told.
#[derive(Debug)]
pub enum Message {
    /// A person asks.
    Action(Action),
    /// A key stands for this command line, without its colon.
    Command(Arc<str>),
    /// The mouse.
    Pointer(Pointer),
    /// The terminal has this size now, in columns and rows.
    Resize(u16, u16),
    /// The loader of a generation reports.
    Loaded(u64, LoadEvent),
    /// The loader of a generation gave up.
    LoadFailed(u64, String),
    /// The loader of a generation does not know where things stand in these records; why.
    Refused(u64, String, Arc<[JsonRecord]>),
    /// The first records of the open file, for its layout.
    Layout(usize, Arc<[JsonRecord]>),
    /// What became of a layout that is to be kept and read by.
    LayoutKept(Result<String, String>),
    /// A page that was asked for.
    Page(Box<Page>),
    /// What is searched for in a page.
    PageHits(Box<PageHits>),
    /// What the responses of a page have in common.
    WordDiff(Box<PageDiff>),
    /// The styles of the code on a page.
    Syntax(Box<PageSyntax>),
    /// List rows that were asked for, of a generation.
    ListRows(u64, Vec<ListRow>),
    /// Loading has taken so long that progress is worth showing.
    StillLoading,
    /// The wheel turned, told without a place: towards the reader or away, by so many lines.
    Wheel {
        /// Whether towards the reader.
        down: bool,
        /// By how many lines.
        lines: usize,
    },
    /// The theme that was asked for last cannot be used; why.
    ThemeRefused(String),
    /// A key that means nothing where it was pressed: what is to be said of it.
    Unbound(String),
    /// A pane is to have the keys.
    Focus(Pane),
    /// Rows were appended to files that are followed.
    Grown,
    /// An open file is not what it was; the words say how.
    FileChanged(String),
    /// Text from the clipboard.
    Paste(String),
    /// Somebody is at work on a filter or a search.
    Querying(RequestId),
    /// That takes so long that progress is worth showing.
    StillQuerying(RequestId),
    /// Nothing was typed for a moment since the line became what it was then, by its number:
    /// [`Views::typing_pause`](super::Views::typing_pause).
    TypingPaused(u64),
    /// A piece of what a filter or a search finds.
    QueryBatch(QueryBatch),
    /// Hits of the search in the order that was asked for.
    Arranged(ArrangementKey, Shown),
    /// Charts that were asked for.
    Charts(ChartKey, Vec<Option<Chart>>),
    /// Statistics that were asked for.
    Statistics(StatisticsKey, Box<Profile>),
    /// Counts of samples with findings: partial ones while texts are read, and then the final ones.
    Findings(FindingsKey, Box<CountedFindings>),
    /// The raw record that was asked for.
    Record(Box<RecordPage>),
    /// What a program printed that a command ran.
    CommandRan(CommandRun, CommandOutput),
    /// How far people agree, as Markdown, for the text screen of this number.
    Agreement(u64, AgreementPage),
    /// The filters kept now, and what is to be said about it.
    Saved(SavedFilters, String),
    /// What became of what a reviewer's acts ask for.
    Review(ReviewEvent),
    /// A frame was drawn, and showed this sample: it was seen, also where keys that take it away
    /// wait already.
    Drawn(Option<OnScreen>),
    /// All that waited when the frame with this sample was drawn is handled: a key from now on
    /// answers what it showed.
    CaughtUp(Option<OnScreen>),
    /// The position of the sample that was sought in a generation of the dataset, from 0; or why there is
    /// none.
    SampleFound(u64, Result<usize, String>),
    /// Something to tell, until the next key.
    Notice(String),
    /// How the files are read, as a sentence without its full stop: it names fields.
    Remark(String),
    /// The run ends: what was only looked at is to be recorded.
    Leaving,
    /// The run ends since the terminal went away, or a signal ends it: what is being written is to be
    /// recorded as it stands.
    Interrupted,
}

/// Filters kept by name, for each schema by its name: in the order of their names.
pub type SavedFilters = BTreeMap<String, Vec<(String, String)>>;

/// What `update` asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Load the files as this generation.
    Load(u64),
    /// Build a page.
    Page(PageKey),
    /// Find what is searched for in the page on screen.
    PageHits(PageHitsKey),
    /// Compare the responses of the page on screen.
    WordDiff(PageKey),
    /// Highlight the code of the page on screen.
    Syntax(PageKey),
    /// Read list rows: numbers of samples, from 0.
    ListRows(Vec<usize>),
    /// Go through samples for a filter or a search.
    Query(QueryJob),
    /// Read the first records of the open file, for its layout.
    ReadLayout,
    /// Keep a layout as a schema of the person's own, with what each field is, and read the files by it.
    KeepLayout(Box<Definition>, Vec<FieldRole>),
    /// Read the list at this pointer in the file as its records.
    OpenList(String),
    /// There will be searches: an index is worth its while.
    Index,
    /// Put hits in order.
    Arrange(ArrangementKey),
    /// Count what each training format would write of these samples, and skip.
    TrainingCounts(Arc<Vec<u32>>),
    /// Count values for the labels panel.
    Charts(ChartKey),
    /// Count statistics.
    Statistics(StatisticsKey),
    /// Look for findings in all samples and count them.
    Findings(FindingsKey),
    /// Read the raw record of a sample and lay it out.
    Record(RecordKey),
    /// Run a user command with the sample on its standard input.
    RunCommand(CommandRun),
    /// Count how far people agree, for the text screen of this number.
    Agreement(u64),
    /// Find the position of a sample in a generation of the dataset.
    FindSample(u64, Sought),
    /// Do something for a reviewer.
    Review(ReviewEffect),
    /// Keep a filter or a search in its history of this dataset.
    Remember(LineKind, String),
    /// Keep a filter under a name, or forget it where there is no text.
    KeepFilter {
        /// Name of the schema for whose data it is.
        schema: String,
        /// The name.
        name: String,
        /// The query.
        text: Option<String>,
    },
    /// Take the mouse, or leave it to the terminal.
    ToggleMouse,
    /// Show the theme of this name.
    Theme(String),
    /// Suspend the program.
    Suspend,
    /// Paint everything anew.
    Redraw,
    /// Leave.
    Quit,
    /// Leave with an error: nothing can be shown.
    Fail(Arc<str>),
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_action_has_one_name_and_every_name_one_action() {
        let names: HashSet<_> = ACTIONS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), ACTIONS.len());
        for (name, action) in ACTIONS {
            assert_eq!(action.name(), Some(*name));
            assert_eq!(Action::named(name), Some(*action));
            let is_kebab = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(name.chars().all(is_kebab), "{name}");
        }
    }
}
