//! What is to be done next: for a chosen line of a menu or the palette, or for a key of a page.

use super::reviewing::{AuditChoice, ComparedParties};
use super::sorting::SortMenuLine;
use super::{Action, LineKind, Pane};
use crate::export::Copy;
use crate::model::ResponseId;
use crate::schema::{Definition, FieldRole};

/// What a view asks the dispatcher to do.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewRequest {
    /// Nothing more.
    Done,
    /// What a key does in the panes.
    Act(Action),
    /// Note that a key means nothing here.
    Ignore(Action),
    /// Say something.
    Notice(String),
    /// Keep a layout, with what each field is, and read the files by it.
    KeepLayout(Box<Definition>, Vec<FieldRole>),
    /// Read the list at this pointer in the file as its records.
    OpenList(String),
    /// Leave with an error: there is nothing to show.
    Fail(String),
    /// Close the view.
    Back,
    /// Close all views but a drawer.
    Rest,
    /// Close the view, and do what a key does in the panes.
    Instead(Action),
    /// Run a command line.
    Run(String),
    /// Run the command line that is open.
    Submit(String),
    /// Type a command line to which something is missing.
    Type(String),
    /// Open a line.
    Line(LineKind),
    /// Type a field into the filter.
    Field(String),
    /// Apply a saved filter.
    Filter(String),
    /// Ask whether to delete it.
    AskToDelete(String),
    /// Delete it.
    DropSaved(String),
    /// Show the samples that a query finds.
    Show(String),
    /// Show the rows of the help that contain these words.
    SearchHelp(String),
    /// List the topics of the manual.
    Topics,
    /// Open a page of the manual.
    Guide(&'static str),
    /// Sort by this alone.
    Sort(SortMenuLine),
    /// Add the line at this place of the sort menu to the order.
    AddSort(usize),
    /// Put a response, by its letter on the screen, into a pane; `None`: beside the one that was last
    /// put there, and show both.
    PutResponse {
        /// The response.
        response: ResponseId,
        /// The pane.
        pane: Option<Pane>,
    },
    /// Copy something of the sample on screen.
    Copy(Copy),
    /// Begin an audit, draw one, or do neither.
    Audit(AuditChoice),
    /// Show the agreement of these.
    Agreement(ComparedParties),
    /// Show the next agreement, or the one before.
    StepAgreement(bool),
    /// Ask whose agreement to show.
    AskAgreement,
}

impl ViewRequest {
    /// What a key does on a page about the samples that are shown; `own` closes the page.
    pub(super) fn on_samples(action: Action, own: Action) -> Option<Self> {
        match action {
            _ if action == own => Some(Self::Back),
            Action::Filter
            | Action::DropFilter
            | Action::Command
            | Action::Palette
            | Action::Help
            | Action::Reload
            | Action::Search => Some(Self::Act(action)),
            _ => None,
        }
    }
}
