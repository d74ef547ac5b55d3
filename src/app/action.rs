//! The actions that keys are bound to, the messages that `update` receives and the effects it
//! requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::job::{Apply, Job};
use super::line::input_line::LineKind;
use super::line::line_editor::Edit;
use super::pages::layout_page::LayoutAction;
use super::pages::statistics::StatisticsMove;
use super::panel::PanelAction;
use super::reviewing::blind::needs_all_samples;
use super::reviewing::{ComparedParties, RatingAction, ReviewEffect, ReviewEvent, ScreenSample};
use super::shown::query_job::RequestId;
use super::{App, CommandOutput, CommandRun, FindingsPage, Pane, ResponsesPage, Statistics};
use crate::dataset::LoadEvent;
use crate::model::{ResponseId, SpotCheckVerdict};
use crate::schema::{Definition, FieldChoice, FieldRole, NamedVerdict, Survey};

/// Declares the actions with their names in key files. An action with a payload has one name for
/// each value that a key can be bound to.
macro_rules! actions {
    ($(
        $(#[doc = $doc:literal])*
        $action:ident $($name:literal)? $(($payload:ident) {$(
            $value:ident $(($($of:tt)+))? $value_name:literal,
        )*})?,
    )*) => {
        /// What the user requests with a key.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Action {
            $($(#[doc = $doc])* $action $(($payload))?,)*
        }

        /// All actions that have a name, each with its name.
        pub static ACTIONS: &[(&str, Action)] = &[
            $($(($name, Action::$action),)?)*
            $($($(($value_name, Action::$action($payload::$value $(($($of)+))?)),)*)?)*
        ];

        impl Action {
            /// Returns the name in key files, or `None` for an action that no key can be bound to.
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
    /// Add a digit to the count.
    Digit (u8) {},
    /// Select the next sample; with a count, the sample that many positions further.
    NextSample "next-sample",
    /// Select the previous sample; with a count, the sample that many positions back.
    PreviousSample "previous-sample",
    /// Select the first sample; with a count, the sample of that number.
    FirstSample "first-sample",
    /// Select the last sample; with a count, the sample of that number.
    LastSample "last-sample",
    /// Return to the position before the last jump; again: return from there.
    JumpBack "jump-back",
    /// Scroll the focused pane; repeated by a count.
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
    /// Focus the previous pane.
    PreviousPane "previous-pane",
    /// Show the next of more than two responses in a pane.
    NextResponse (Pane) {
        Right "next-response-right",
        Left "next-response-left",
    },
    /// Show the previous of more than two responses in a pane.
    PreviousResponse (Pane) {
        Right "previous-response-right",
        Left "previous-response-left",
    },
    /// Zoom the focused pane, or restore all panes.
    Zoom "zoom",
    /// Show or hide the list of samples.
    ToggleList "toggle-list",
    /// Widen the list; repeated by a count.
    WidenList "widen-list",
    /// Narrow the list; repeated by a count.
    NarrowList "narrow-list",
    /// Toggle a view option.
    Toggle (Toggle) {
        Stacked "toggle-stacked",
        Lock "toggle-lock",
        Markdown "toggle-markdown",
        Folds "toggle-folds",
        Hidden "toggle-hidden",
    },
    /// Read the files again.
    Reload "reload",
    /// Show the help page with the keys.
    Help "help",
    /// Open the input line for a filter.
    Filter "filter",
    /// Open the input line for a search.
    Search "search",
    /// Go to the next hit of the search, or of the filter's texts.
    NextHit "next-hit",
    /// Go to the previous hit.
    PreviousHit "previous-hit",
    /// Switch the order of the hits.
    Order "order",
    /// Open or close the labels panel.
    LabelsPanel "labels-panel",
    /// Change the selected row of the labels panel.
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
    /// Open or close the statistics page.
    Statistics "statistics",
    /// Move the cursor on the statistics page.
    OnStatistics (StatisticsMove) {
        Left "statistics-left",
        Right "statistics-right",
        NextSection "statistics-next-section",
        PreviousSection "statistics-previous-section",
    },
    /// Show the layout, to correct a guess.
    Layout "layout",
    /// Set the meaning of a field on the layout page.
    OnLayout (LayoutAction) {
        Edit "layout-edit",
        Choose(FieldChoice::Prompt) "layout-prompt",
        Choose(FieldChoice::Response) "layout-response",
        Choose(FieldChoice::Winner) "layout-winner",
        Choose(FieldChoice::Loser) "layout-loser",
        Means(NamedVerdict::Wins(0)) "layout-a-wins",
        Means(NamedVerdict::Wins(1)) "layout-b-wins",
        Means(NamedVerdict::Wins(2)) "layout-c-wins",
        Means(NamedVerdict::Wins(3)) "layout-d-wins",
        Means(NamedVerdict::Tie) "layout-tie",
        NextMeaning "layout-next-meaning",
        OpenList "layout-open-list",
        Choose(FieldChoice::Label) "layout-label",
        Choose(FieldChoice::Text) "layout-text",
        Choose(FieldChoice::System) "layout-system",
        Choose(FieldChoice::Field) "layout-field",
        Guess "layout-guess",
        Forget "layout-forget",
        NextRecord "layout-next-record",
        PreviousRecord "layout-previous-record",
    },
    /// Open or close the findings page.
    Findings "findings",
    /// In a queue: record whether the dataset's verdict on the sample is right, and go on.
    Check (SpotCheckVerdict) {
        Right "check-right",
        Wrong "check-wrong",
        Unclear "check-unclear",
    },
    /// Open the sort menu.
    Sort "sort",
    /// Open the input line for a command.
    Command "command",
    /// Open the palette, a list of all actions that is searched by typing.
    Palette "palette",
    /// Mark or unmark the selected sample.
    Mark "mark",
    /// Go to the next marked sample.
    NextMark "next-mark",
    /// Open the input line for tags of the selected sample.
    Tag "tag",
    /// Open the note of the selected sample.
    Note "note",
    /// Open or close the rating strip.
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
    /// Show the agreement between reviewers.
    Agreement "agreement",
    /// Open or close the list of all responses of the sample.
    Responses "responses",
    /// Open or close the raw record of the sample.
    Record "record",
    /// Start or stop comparing the words of the two responses.
    WordDiff "word-diff",
    /// Undo the reviewer's last act.
    Undo "undo",
    /// Redo the act that was undone last.
    Redo "redo",
    /// Open the copy menu.
    Copy "copy",
    /// Open the export menu.
    Export "export",
    /// Save what was typed.
    Save "save",
    /// Edit the text in an external editor.
    Outside "outside",
    /// Edit the input line.
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
    /// List the fields where a query term can begin; elsewhere insert a question mark.
    Question "question",
    /// Accept the input line, or the selected line of a menu.
    Accept "accept",
    /// Complete the word at the cursor; again: insert the next suggestion.
    Complete "complete",
    /// The way to complete before.
    CompleteBack "complete-back",
    /// Recall the previous line of the history.
    Earlier "earlier",
    /// Recall the next line of the history.
    Later "later",
    /// Add the selected line of a menu to the active sort.
    Add "add-to-sort",
    /// Delete the selected line of a menu after a confirmation.
    Delete "delete-filter",
    /// Remove the active filter.
    DropFilter "drop-filter",
    /// Go back one level; at the last level, quit.
    Back "back",
    /// Cancel the unfinished input; never quits.
    Cancel "cancel",
    /// Suspend the program, as Ctrl-Z does in a shell.
    Suspend "suspend",
    /// Repaint the whole screen.
    Redraw "redraw",
    /// Close the note, input line or menu; else end what is running; else close the page or quit.
    Quit "quit",
    /// Quit from any pane or page after a file that is being written is complete.
    Leave "leave",
    /// A key without a meaning. Prompts that wait for any key treat it as one.
    Nothing,
}

impl Action {
    /// Returns the action of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(ACTIONS.iter().find(|(known, _)| *known == name)?.1)
    }

    /// True for actions of the panes, which can also be typed as commands.
    pub const fn is_of_panes(self) -> bool {
        !matches!(
            self,
            Self::Accept
                | Self::Add
                | Self::Answer(_)
                | Self::Back
                | Self::Cancel
                | Self::Check(_)
                | Self::Command
                | Self::Complete
                | Self::CompleteBack
                | Self::Delete
                | Self::Digit(_)
                | Self::Earlier
                | Self::Edit(_)
                | Self::Handle(_)
                | Self::Later
                | Self::Leave
                | Self::Nothing
                | Self::OnLayout(_)
                | Self::OnStatistics(_)
                | Self::Order
                | Self::Outside
                | Self::Question
                | Self::Quit
                | Self::Redraw
                | Self::Save
                | Self::Suspend
        )
    }

    /// True for actions that edit typed text or move the cursor in it.
    pub const fn changes_lines(self) -> bool {
        matches!(self, Self::Edit(_) | Self::Earlier | Self::Later)
    }

    /// Returns the movement in a list of lines. Actions that move through samples move through
    /// lines too.
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
    /// Performs an action in the panes.
    pub(super) fn act_in_read(&mut self, action: Action, count: Option<usize>) {
        if let Some(why) = self.refusal(action) {
            return self.say(why);
        }
        if needs_all_samples(action) {
            self.leave_finished_audit();
        }
        let times = count.unwrap_or(1);
        match action {
            Action::NextSample => self.select(self.selection.position.saturating_add(times)),
            Action::PreviousSample => {
                self.select(self.selection.position.saturating_sub(times));
            }
            Action::FirstSample | Action::LastSample if count.is_some() => {
                self.go_to(times);
            }
            Action::FirstSample => self.jump_to(0),
            Action::LastSample => self.go_to_end(),
            Action::JumpBack => self.jump_back(),
            Action::Scroll(scroll) => self.scroll_or_read_on(scroll, times),
            Action::NextPane => self.move_focus(1),
            Action::PreviousPane => self.move_focus(Pane::ALL.len() - 1),
            Action::NextResponse(pane) => self.step_response(pane, true),
            Action::PreviousResponse(pane) => self.step_response(pane, false),
            Action::Zoom => self.zoom(),
            Action::ToggleList => self.toggle_list(),
            Action::WidenList => self.resize_list(true, times),
            Action::NarrowList => self.resize_list(false, times),
            Action::Toggle(toggle) => self.toggle(toggle),
            Action::Reload => self.reload(),
            Action::Help => self.open_keys(false),
            Action::Palette => self.open_keys(true),
            Action::Filter => self.open_line(LineKind::Filter),
            Action::Command => self.open_line(LineKind::Command),
            Action::Search => self.open_line(LineKind::Search),
            Action::NextHit => self.step_hit(true, times),
            Action::PreviousHit => self.step_hit(false, times),
            Action::LabelsPanel => self.toggle_panel(),
            Action::Statistics => self.open_page(Statistics::default()),
            Action::Layout => self.request(Effect::ReadLayout),
            Action::Findings => self.open_page(FindingsPage::default()),
            Action::Responses => self.open_page(ResponsesPage::default()),
            Action::Sort => self.show_sort_menu(),
            Action::Mark => self.toggle_mark(),
            Action::NextMark => self.next_mark(times),
            Action::Tag => self.open_line(LineKind::Tag),
            Action::Note => self.open_note(),
            Action::Rate => self.toggle_rate(),
            Action::Agreement => self.show_agreement(ComparedParties::default()),
            Action::Record => self.open_record(),
            Action::WordDiff => self.toggle_diff(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Copy => self.open_copy_menu(),
            Action::Export => self.open_export_menu(),
            Action::Back if self.layout.zoomed => self.layout.zoomed = false,
            Action::Back if self.back_to_page() => {}
            Action::Back => self.quit(),
            // `update` has already cleared the count and the notice; a zoomed pane is next, then
            // the search.
            Action::Cancel if count.is_some() => {}
            Action::Cancel if self.layout.zoomed => self.layout.zoomed = false,
            Action::Cancel if self.search.sought().is_none() && self.back_to_page() => {}
            Action::Cancel => self.drop_search_or_filter(),
            Action::DropFilter => self.drop_filter(),
            // Actions that work in every view are done by now; the others belong to input lines,
            // menus, panels and the note.
            _ => {}
        }
    }
}

/// Direction and distance of a scroll.
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

/// A view option that can be toggled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggle {
    /// Style Markdown instead of showing plain text.
    Markdown,
    /// Show hidden characters as glyphs.
    Hidden,
    /// Show reasoning and tool calls in full instead of their first lines.
    Folds,
    /// Scroll A and B together.
    Lock,
    /// Place A above B instead of side by side.
    Stacked,
}

/// A mouse event, in cells of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    /// The left button was pressed.
    Press(u16, u16),
    /// The pointer moved while the left button was pressed.
    Drag(u16, u16),
    /// The left button was released.
    Release,
    /// The wheel turned by one notch.
    Wheel(Scroll, u16, u16),
}

/// An input of `update`.
#[derive(Debug)]
pub enum Message {
    /// An action of the user.
    Action(Action),
    /// A command line without its colon, run by a key.
    Command(Arc<str>),
    /// A mouse event.
    Pointer(Pointer),
    /// The terminal was resized, to these columns and rows.
    Resize(u16, u16),
    /// A report of the loader of this generation.
    Loaded(u64, LoadEvent),
    /// The loader of this generation failed; the reason.
    LoadFailed(u64, String),
    /// The loader of this generation does not know the layout of these records; the reason.
    Refused(u64, String, Arc<Survey>),
    /// The first records of the open file, for its layout.
    Layout(usize, Arc<Survey>),
    /// The result of saving a layout and reading the files by it.
    LayoutKept(Result<String, String>),
    /// A result of a job.
    Apply(Apply),
    /// Loading takes long enough that its progress is shown.
    StillLoading,
    /// The theme requested last is not usable; the reason.
    ThemeRefused(String),
    /// A key without a meaning in this view; the notice to show.
    Unbound(String),
    /// Rows were appended to followed files.
    Grown,
    /// An open file changed on disk; the sentence says how.
    FileChanged(String),
    /// Text from the clipboard.
    Paste(String),
    /// The job for this filter or search takes long enough that its progress is shown.
    StillQuerying(RequestId),
    /// The output of a user command.
    CommandRan(CommandRun, CommandOutput),
    /// The saved filters, and a notice about the change.
    Saved(SavedFilters, String),
    /// The result of a [`ReviewEffect`].
    Review(ReviewEvent),
    /// A frame was drawn with this sample, which therefore counts as seen even if queued keys leave
    /// it.
    Drawn(Option<ScreenSample>),
    /// All input that was queued when this sample was drawn is handled; later keys answer what is
    /// shown.
    CaughtUp(Option<ScreenSample>),
    /// A notice to show until the next key.
    Notice(String),
    /// How the files are read: a sentence without a full stop. It names fields, so it is not shown
    /// to blind reviewers.
    Remark(String),
    /// The run ends; samples that were only looked at are recorded now.
    Leaving,
    /// A signal or the loss of the terminal ends the run; unfinished input is recorded as it is.
    Interrupted,
}

/// Saved filters by name, sorted, for each schema by its name.
pub type SavedFilters = BTreeMap<String, Vec<(String, String)>>;

/// A request of `update` to the outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Load the files as this generation.
    Load(u64),
    /// Do a job.
    Job(Job),
    /// Read the first records of the open file, for its layout.
    ReadLayout,
    /// Save a layout as a user schema, with the meaning of each field, and read the files by it.
    KeepLayout(Box<Definition>, Vec<FieldRole>),
    /// Forget the user schema of this name, and guess the layout of the files again.
    ForgetLayout(String),
    /// Read the list at this JSON pointer as the records of the file.
    OpenList(String),
    /// Run a user command with the sample on its standard input.
    RunCommand(CommandRun),
    /// A request of the review.
    Review(ReviewEffect),
    /// Add a filter or a search to the history of this dataset.
    Remember(LineKind, String),
    /// Save a filter under a name, or delete it if there is no text.
    KeepFilter {
        /// Name of the schema that the filter belongs to.
        schema: String,
        /// Name of the filter.
        name: String,
        /// The query.
        text: Option<String>,
    },
    /// Stop loading and keep the rows so far.
    StopLoading,
    /// Capture the mouse, or leave it to the terminal.
    ToggleMouse,
    /// Show the theme of this name.
    Theme(String),
    /// Suspend the program.
    Suspend,
    /// Repaint the whole screen.
    Redraw,
    /// End the program.
    Quit,
    /// End the program with this error because nothing can be shown.
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
