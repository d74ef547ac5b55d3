//! The part of the dispatcher that does what menus, the palette and pages ask for.

use super::guide::topics_menu;
use super::tokens::subject_of;
use super::view_request::ViewRequest;
use super::{
    Action, App, Context, GuidePage, HelpPage, LineKind, Menu, Mode, PageView, RecordSubject,
    RecordView, View, Views,
};
use crate::guide::{self, TopicError};
use crate::text;

impl App {
    /// Does what a key asks for in a menu, the palette or a page.
    pub(super) fn act_on_top(&mut self, action: Action, count: Option<usize>) {
        let rows = Menu::rows(self.browser.layout.size.1);
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
            ViewRequest::Ignore(action) => self.browser.ignore(action),
            ViewRequest::Notice(words) => self.browser.status.notice = Some(words),
            ViewRequest::Back if mode == Mode::Menu => {
                self.views.back();
                self.review.decide(&mut self.browser, &mut self.views);
            }
            ViewRequest::Back => drop(self.views.back()),
            ViewRequest::Rest => self.views.rest(),
            ViewRequest::Instead(action) => {
                self.views.back();
                self.act_in_read(action, count);
            }
            ViewRequest::Run(line) => self.run_bound_command(&line),
            ViewRequest::Type(line) => {
                self.views.open_line(LineKind::Command, &mut self.browser);
                self.views.paste(&line, &mut self.browser, &self.review);
            }
            ViewRequest::Line(kind) => self.views.open_line(kind, &mut self.browser),
            ViewRequest::Field(name) => {
                self.views.open_line(LineKind::Filter, &mut self.browser);
                let line = self.views.input_line();
                let is_empty = line.is_none_or(|line| line.text().0.is_empty());
                self.views.paste(
                    &if is_empty { name } else { format!(" {name}") },
                    &mut self.browser,
                    &self.review,
                );
            }
            ViewRequest::Filter(name) => self.browser.apply_saved(&name),
            ViewRequest::AskToDelete(name) => {
                let (key, name) = (
                    self.browser.key_or_name(Context::Menu, Action::Delete),
                    text::one_line(&name, 60),
                );
                let words = format!("{key} again deletes {name}; any other key keeps it.");
                self.browser.status.notice = Some(words);
            }
            ViewRequest::DropSaved(name) => self.browser.keep_filter(&name, None),
            ViewRequest::Show(query) => self.views.show_behind_page(&query, &mut self.browser),
            ViewRequest::SearchHelp(words) => self.views.search_help(&words),
            ViewRequest::Topics => {
                // Whoever comes back begins with the first keys.
                self.views.search_help("");
                self.views.open_menu(topics_menu(""));
            }
            ViewRequest::Guide(name) => drop(self.open_guide(name)),
            ViewRequest::Sort(line) => self.browser.sort_by_line(line),
            ViewRequest::AddSort(place) => self.views.add_sort_line(place, &mut self.browser),
            ViewRequest::Copy(what) => self.review.copy(what, &mut self.browser),
            ViewRequest::Audit(choice) => {
                self.review
                    .choose_audit(choice, &mut self.browser, &mut self.views)
            }
            ViewRequest::Agreement(whose) => self.review.show_agreement(whose, &mut self.views),
            ViewRequest::StepAgreement(forwards) => {
                self.review
                    .step_agreement(forwards, &self.browser, &mut self.views)
            }
            ViewRequest::AskAgreement => self
                .review
                .ask_whose_agreement(&mut self.browser, &mut self.views),
        }
    }

    /// Shows the keys.
    pub(super) fn open_help(&mut self) {
        let help = HelpPage::of_keys(&self.browser.settings.help, self.context());
        self.views.open(View::Help(PageView::new(help)));
    }

    /// Opens the page of the manual of this name; the topics are below it, and the keys below them.
    ///
    /// # Errors
    /// When there is none, or several may be meant.
    pub(super) fn open_guide(&mut self, name: &str) -> Result<(), TopicError> {
        let topic = guide::find(name)?;
        if self.mode() != Mode::Menu {
            self.open_help();
            self.views.open_menu(topics_menu(topic.name));
        }
        self.views
            .open(View::Guide(PageView::new(GuidePage(topic))));
        Ok(())
    }

    /// Opens the tokens of the response in the focused pane.
    pub(super) fn open_tokens(&mut self) {
        let page = self
            .browser
            .page()
            .filter(|_| self.browser.page_is_current());
        match page.map(|page| subject_of(page, self.browser.layout.focus)) {
            Some(Ok(subject)) => self.open_record_of(subject),
            Some(Err(words)) => self.browser.status.notice = Some(words),
            None => {}
        }
    }

    fn open_record_of(&mut self, subject: RecordSubject) {
        let page = RecordView::page(subject, self.browser.layout.size.1);
        self.views.open(View::Record(page));
    }

    /// Opens the record of the selected sample, unless that would tell its labels.
    pub(super) fn open_record(&mut self) {
        if self.review.mask(&self.browser).hidden {
            self.browser.status.notice =
                Some("The record is hidden while you judge blind.".to_owned());
        } else if !self.browser.shown().is_empty() {
            self.open_record_of(RecordSubject::Rows);
        }
    }
}

impl Views {
    /// Shows a menu in place of one that is open; one without lines is none.
    pub(super) fn open_menu(&mut self, menu: Menu) {
        self.close(Mode::Menu);
        if !menu.lines.is_empty() {
            self.open(View::Menu(menu));
        }
    }

    /// Shows the rows of the help that contain all these words.
    pub(super) fn search_help(&mut self, words: &str) {
        let page = match self.help().is_some() {
            true => self.help_mut(),
            false => self.fields_mut(),
        };
        if let Some(page) = page {
            words.clone_into(&mut page.content.sought);
            page.top = 0;
            page.refresh();
        }
    }
}
