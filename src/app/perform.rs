//! The part of the dispatcher that carries out the requests of menus, the palette and pages.

use std::fmt;
use std::sync::Arc;

use super::shown::sorting::SortMenuLine;
use super::{
    Action, App, CommandRun, Context, Effect, GuidePage, LineKind, Menu, Mode, RecordSubject,
    RecordView, UserCommand, View, Views, texts,
};
use crate::guide;
use crate::text;

impl App {
    /// Handles a key in a menu, the palette or a page.
    pub(super) fn act_on_top(&mut self, action: Action, count: Option<usize>) {
        let size = self.layout.size;
        let task = match self.views.stack.last_mut() {
            Some(View::Menu(menu)) => Some(menu.act(action, count, size)),
            _ => (self.views.page_mut()).map(|page| page.act(action, count)),
        };
        if let Some(task) = task {
            self.perform(task, count);
        }
    }

    /// Carries out a view's request.
    pub(super) fn perform(&mut self, task: ViewRequest, count: Option<usize>) {
        let menu = self.views.close_menu_for(&task);
        match task {
            ViewRequest::Done => {}
            ViewRequest::Act(action) if menu == Some(true) => self.act(action),
            ViewRequest::Act(action) => self.act_in_read(action, count),
            ViewRequest::Ignore(action) => self.ignore(action),
            ViewRequest::Notice(words) => self.say(words),
            ViewRequest::Back if menu == Some(false) => {
                self.views.back();
                self.finish_opening();
            }
            ViewRequest::Back => drop(self.views.back()),
            ViewRequest::Effect(effect) => self.request(*effect),
            ViewRequest::CloseOverlays => self.views.close_overlays(),
            ViewRequest::CloseThen(action) => {
                self.views.back();
                self.act_in_read(action, count);
            }
            ViewRequest::Run(line) => self.run_bound_command(&line),
            ViewRequest::Submit(text) => self.accept_command(&text),
            ViewRequest::Type(line) => {
                self.open_line(LineKind::Command);
                self.paste(&line);
            }
            ViewRequest::Line(kind) => self.open_line(kind),
            ViewRequest::Field(name) => {
                if self.views.line_kind() != Some(LineKind::Filter) {
                    self.open_line(LineKind::Filter);
                }
                let (typed, cursor) = self.views.line().map_or(("", 0), |line| line.text());
                let (before, after) = typed.split_at(cursor);
                let is_apart = before.is_empty() || before.ends_with([' ', '(', '-']);
                let gaps = [is_apart, after.is_empty() || after.starts_with([' ', ')'])];
                let [left, right] = gaps.map(|is_apart| if is_apart { "" } else { " " });
                self.paste(&format!("{left}{name}{right}"));
            }
            ViewRequest::Filter(name) => self.apply_saved(&name),
            ViewRequest::AskToDelete(name) => {
                let (key, name) = (
                    self.key_or_name(Context::Menu, Action::Delete),
                    text::one_line(&name, 60),
                );
                self.say(texts::confirm_deletion(key, name));
            }
            ViewRequest::DropSaved(name) => self.keep_filter(&name, None),
            ViewRequest::Show(query) => self.show_samples_of_page(&query),
            ViewRequest::Topics => {
                if let Some(menu) = self.views.menu_mut() {
                    menu.search_for("guide ");
                }
            }
            ViewRequest::Guide(name) => drop(self.open_guide(name)),
            ViewRequest::Sort(line) => self.sort_by_line(line),
            ViewRequest::AddSort(place) => self.add_sort_line(place),
            ViewRequest::Theme(name) => self.use_theme(&name),
            ViewRequest::Call(change) => (change.0)(self),
        }
    }

    /// Opens the menu of the current mode's keys, or the palette: the same menu with the cursor in
    /// its input.
    pub(super) fn open_keys(&mut self, is_palette: bool) {
        let mut menu = Menu::of_keys(self);
        if is_palette {
            menu = menu.into_palette();
        }
        self.views.open(View::Menu(menu));
    }

    /// Opens the guide page with this name.
    ///
    /// # Errors
    /// If no page or several pages match.
    pub(super) fn open_guide(&mut self, name: &str) -> Result<(), String> {
        let topic = guide::find(name)?;
        self.views.open_content(GuidePage(topic));
        Ok(())
    }

    fn open_record_of(&mut self, subject: RecordSubject) {
        let page = RecordView::page(subject, self.layout.size.1);
        self.views.open(View::Page(page));
    }

    /// Runs a user command on the selected sample.
    pub(super) fn run_user_command(&mut self, command: Arc<UserCommand>) {
        let mask = self.mask();
        if self.shown().is_empty() {
            self.say("No sample to run the command on.");
        } else if mask.hidden && !self.page_is_current() {
            // Only the page knows in which order the responses are shown.
            self.say("The sample is still being read; try again.");
        } else {
            let run = CommandRun {
                command,
                sample: self.selection.selected,
                mask,
            };
            self.open_record_of(RecordSubject::Command(run, None));
        }
    }

    /// Shows the record of the selected sample, unless that would reveal hidden labels.
    pub(super) fn open_record(&mut self) {
        if self.mask().hidden {
            self.say("The record is hidden while you judge blind.");
        } else if !self.shown().is_empty() {
            self.open_record_of(RecordSubject::Rows);
        }
    }
}

impl Views {
    /// Closes the menu to run the chosen line, unless the line opens a page that returns to it.
    /// Returns whether the closed menu covered the whole screen.
    fn close_menu_for(&mut self, task: &ViewRequest) -> Option<bool> {
        let menu = self.top_menu()?.fills_screen;
        match task {
            ViewRequest::Done
            | ViewRequest::Ignore(_)
            | ViewRequest::Notice(_)
            | ViewRequest::Back
            | ViewRequest::AskToDelete(_)
            | ViewRequest::DropSaved(_)
            | ViewRequest::AddSort(_)
            | ViewRequest::Topics
            | ViewRequest::Guide(_) => {}
            ViewRequest::Act(Action::Help) if !menu => {}
            _ => drop(self.back()),
        }
        let is_of_samples = matches!(
            task,
            ViewRequest::Run(_)
                | ViewRequest::Type(_)
                | ViewRequest::Filter(_)
                | ViewRequest::Field(_)
        );
        // Commands and filters apply to the samples, so pages below the menu close.
        if menu && is_of_samples && self.line_kind().is_none() {
            self.close_overlays();
        }
        Some(menu)
    }

    /// Replaces the open menu, or closes it if the new one is empty.
    pub(super) fn open_menu(&mut self, menu: Menu) {
        self.close(Mode::Menu);
        if !menu.lines.is_empty() {
            self.open(View::Menu(menu));
        }
    }
}

/// A request of a view to the dispatcher.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewRequest {
    /// Nothing remains to be done.
    Done,
    /// Perform an action of the panes.
    Act(Action),
    /// Report that the key does nothing here.
    Ignore(Action),
    /// Show a notice.
    Notice(String),
    /// Request a side effect.
    Effect(Box<Effect>),
    /// Close the view.
    Back,
    /// Close all views except a drawer.
    CloseOverlays,
    /// Close the view, then perform an action of the panes.
    CloseThen(Action),
    /// Run a command.
    Run(String),
    /// Run the command in the open line.
    Submit(String),
    /// Open the command line with an incomplete command.
    Type(String),
    /// Open an input line.
    Line(LineKind),
    /// Insert a field into the filter.
    Field(String),
    /// Apply a saved filter.
    Filter(String),
    /// Confirm the deletion of a saved filter.
    AskToDelete(String),
    /// Delete a saved filter.
    DropSaved(String),
    /// Show the samples that match a query.
    Show(String),
    /// List the guide's topics in the open menu.
    Topics,
    /// Open a guide page.
    Guide(&'static str),
    /// Sort by this key alone.
    Sort(SortMenuLine),
    /// Add the line at this index of the sort menu to the order.
    AddSort(usize),
    /// Use the theme with this name.
    Theme(String),
    /// Change the state as only this view does.
    Call(ViewCall),
}

/// A change of the state. Two are equal if they are clones of one.
#[derive(Clone)]
pub struct ViewCall(Arc<dyn Fn(&mut App) + Send + Sync>);

impl fmt::Debug for ViewCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ViewCall")
    }
}

impl PartialEq for ViewCall {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl ViewRequest {
    /// Requests a change that only this view makes. A menu is closed before.
    pub fn call(change: impl Fn(&mut App) + Send + Sync + 'static) -> Self {
        Self::Call(ViewCall(Arc::new(change)))
    }

    /// Handles a key on a page about the shown samples; the action `own` closes the page.
    pub fn on_samples(action: Action, own: Action) -> Option<Self> {
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
