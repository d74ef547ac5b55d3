//! The part of the dispatcher that does what menus, the palette and pages ask for.

use super::guide::topics_menu;
use super::tokens::subject_of;
use super::view_request::ViewRequest;
use super::{
    Action, App, Context, GuidePage, HelpPage, LineKind, Menu, Mode, PageView, RecordSubject,
    RecordView, View,
};
use crate::guide::{self, TopicError};
use crate::text;

impl App {
    /// Does what a key asks for in a menu, the palette or a page.
    pub(super) fn act_on_top(&mut self, action: Action, count: Option<usize>) {
        let rows = Menu::rows(self.layout.size.1);
        let views = &mut self.views;
        let task = match views.mode() {
            Mode::Menu => views.menu_mut().map(|menu| menu.act(action, count, rows)),
            Mode::Palette => views.palette_mut().map(|palette| palette.act(action)),
            _ => views.page_mut().map(|page| page.act(action, count)),
        };
        if let Some(task) = task {
            self.perform(task, count);
        }
    }

    /// Does what a view asks for.
    fn perform(&mut self, task: ViewRequest, count: Option<usize>) {
        let mode = self.mode();
        // What is chosen closes the list, but for a page that goes back to its menu.
        match (&task, mode) {
            (ViewRequest::Done | ViewRequest::Ignore(_) | ViewRequest::Notice(_), _)
            | (
                ViewRequest::Back
                | ViewRequest::AskToDelete(_)
                | ViewRequest::DropSaved(_)
                | ViewRequest::AddSort(_),
                _,
            )
            | (ViewRequest::Guide(_) | ViewRequest::Act(Action::Help), Mode::Menu) => {}
            (_, Mode::Menu | Mode::Palette) => drop(self.views.back()),
            _ => {}
        }
        match task {
            ViewRequest::Done => {}
            ViewRequest::Act(action) if mode == Mode::Palette => self.act(action),
            ViewRequest::Act(Action::Help) if mode == Mode::Menu && self.views.help().is_some() => {
                // Above the topics of the guide are the keys already.
                self.views.rest();
            }
            ViewRequest::Act(action) => self.act_in_read(action, count),
            ViewRequest::Ignore(action) => self.ignore(action),
            ViewRequest::Notice(words) => self.status.notice = Some(words),
            ViewRequest::Back if mode == Mode::Menu => {
                self.views.back();
                self.decide();
            }
            ViewRequest::Back => drop(self.views.back()),
            ViewRequest::Rest => self.views.rest(),
            ViewRequest::Instead(action) => {
                self.views.back();
                self.act_in_read(action, count);
            }
            ViewRequest::Run(line) => self.run_bound_command(&line),
            ViewRequest::Type(line) => {
                self.open_line(LineKind::Command);
                self.paste(&line);
            }
            ViewRequest::Line(kind) => self.open_line(kind),
            ViewRequest::Field(name) => {
                self.open_line(LineKind::Filter);
                let line = self.input_line();
                let is_empty = line.is_none_or(|line| line.text().0.is_empty());
                self.paste(&if is_empty { name } else { format!(" {name}") });
            }
            ViewRequest::Filter(name) => self.apply_saved(&name),
            ViewRequest::AskToDelete(name) => {
                let (key, name) = (
                    self.key_or_name(Context::Menu, Action::Delete),
                    text::one_line(&name, 60),
                );
                let words = format!("{key} again deletes {name}; any other key keeps it.");
                self.status.notice = Some(words);
            }
            ViewRequest::DropSaved(name) => self.keep_filter(&name, None),
            ViewRequest::Show(query) => self.show_behind_page(&query),
            ViewRequest::SearchHelp(words) => self.search_help(&words),
            ViewRequest::Topics => {
                // Whoever comes back begins with the first keys.
                self.search_help("");
                self.open_menu(topics_menu(""));
            }
            ViewRequest::Guide(name) => drop(self.open_guide(name)),
            ViewRequest::Sort(line) => self.sort_by_line(line),
            ViewRequest::AddSort(place) => self.add_sort_line(place),
            ViewRequest::Copy(what) => self.copy(what),
            ViewRequest::Audit(choice) => self.choose_audit(choice),
            ViewRequest::Agreement(whose) => self.show_agreement(whose),
            ViewRequest::StepAgreement(forwards) => self.step_agreement(forwards),
            ViewRequest::AskAgreement => self.ask_whose_agreement(),
        }
    }

    /// Shows a menu in place of one that is open; one without lines is none.
    pub(super) fn open_menu(&mut self, menu: Menu) {
        self.views.close(Mode::Menu);
        if !menu.lines.is_empty() {
            self.views.open(View::Menu(menu));
        }
    }

    /// Shows the keys.
    pub(super) fn open_help(&mut self) {
        let help = HelpPage::of_keys(&self.settings.help, self.context());
        self.views.open(View::Help(PageView::new(help)));
    }

    /// Shows the rows of the help that contain all these words.
    pub(super) fn search_help(&mut self, words: &str) {
        let page = match self.views.help().is_some() {
            true => self.views.help_mut(),
            false => self.views.fields_mut(),
        };
        if let Some(page) = page {
            words.clone_into(&mut page.content.sought);
            page.top = 0;
            page.refresh();
        }
    }

    /// Opens the page of the manual of this name; the topics are below it, and the keys below them.
    ///
    /// # Errors
    /// When there is none, or several may be meant.
    pub(super) fn open_guide(&mut self, name: &str) -> Result<(), TopicError> {
        let topic = guide::find(name)?;
        if self.mode() != Mode::Menu {
            self.open_help();
            self.open_menu(topics_menu(topic.name));
        }
        self.views
            .open(View::Guide(PageView::new(GuidePage(topic))));
        Ok(())
    }

    /// Opens the tokens of the response in the focused pane.
    pub(super) fn open_tokens(&mut self) {
        let page = self.page().filter(|_| self.page_is_current());
        match page.map(|page| subject_of(page, self.layout.focus)) {
            Some(Ok(subject)) => self.open_record_of(subject),
            Some(Err(words)) => self.status.notice = Some(words),
            None => {}
        }
    }

    fn open_record_of(&mut self, subject: RecordSubject) {
        let page = RecordView::page(subject, self.layout.size.1);
        self.views.open(View::Record(page));
    }

    /// Opens the record of the selected sample, unless that would tell its labels.
    pub(super) fn open_record(&mut self) {
        if self.mask().hidden {
            self.status.notice = Some("The record is hidden while you judge blind.".to_owned());
        } else if !self.shown().is_empty() {
            self.open_record_of(RecordSubject::Rows);
        }
    }
}
