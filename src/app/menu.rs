//! A list on top of the panes, to choose one line of.

use super::reviewing::{AuditChoice, ComparedParties};
use super::sorting::SortMenuLine;
use super::{Action, App, Context, View};
use crate::text;

/// What a menu is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuKind {
    /// Filters that were saved: one is applied or deleted.
    Filters,
    /// What to sort by: alone, or added to what is sorted by already.
    Sort,
    /// What to copy to the clipboard.
    Copy,
    /// What to write into a file.
    Export,
    /// Which audit to judge, or how many samples to draw.
    Audit,
    /// Whether to judge the audit of another reviewer.
    Join,
    /// Whether to go on with an audit of other data.
    OtherData,
    /// All audits of the journal.
    Audits,
    /// Whose agreement with whom to show.
    Agreement,
    /// Which page of the manual to read.
    Guide,
}

/// A line of a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuLine {
    /// What can be chosen.
    pub text: String,
    /// What it means.
    pub note: String,
}

/// A menu: lines to choose one from.
#[derive(Debug, Clone)]
pub struct Menu {
    /// What it is for.
    pub kind: MenuKind,
    /// What stands above it.
    pub title: String,
    /// What can be chosen; never empty.
    pub lines: Vec<MenuLine>,
    /// Place of the chosen line.
    pub chosen: usize,
    /// Whether the next `d` deletes the chosen line.
    pub deleting: bool,
    /// What the lines stand for, where that is more than their text.
    pub(super) choices: MenuChoices,
}

/// What the lines of a menu stand for, one for each.
#[derive(Debug, Clone, Default)]
pub(super) enum MenuChoices {
    /// Their text or their place says it.
    #[default]
    Plain,
    /// Keys to sort by.
    Sort(Vec<SortMenuLine>),
    /// Audits to judge, or to draw.
    Audits(Vec<AuditChoice>),
    /// Whose judgments are compared.
    Agreements(Vec<ComparedParties>),
}

impl Menu {
    pub(super) fn new(kind: MenuKind, title: &str, lines: Vec<MenuLine>, chosen: usize) -> Self {
        Self {
            kind,
            title: title.to_owned(),
            chosen: chosen.min(lines.len().saturating_sub(1)),
            lines,
            deleting: false,
            choices: MenuChoices::Plain,
        }
    }

    /// The menu with what its lines stand for.
    pub(super) fn with(self, choices: MenuChoices) -> Self {
        Self { choices, ..self }
    }
}

impl App {
    /// The menu on top of the panes.
    pub fn top_menu(&self) -> Option<&Menu> {
        match self.views.top()? {
            View::Menu(menu) => Some(menu),
            _ => None,
        }
    }

    /// Shows a menu in place of one that is open; one without lines is none.
    pub(super) fn open_menu(&mut self, menu: Menu) {
        self.views.take_menu();
        if !menu.lines.is_empty() {
            self.views.open(View::Menu(menu));
        }
    }

    pub(super) fn act_in_menu(&mut self, action: Action, count: Option<usize>) {
        let page = self.menu_height();
        let Some(menu) = self.views.menu_mut() else {
            return;
        };
        let last = menu.lines.len() - 1;
        let deleting = std::mem::take(&mut menu.deleting);
        match action {
            Action::Accept | Action::Zoom => return self.choose_in_menu(),
            Action::Yes | Action::No => {
                if matches!(menu.kind, MenuKind::Join | MenuKind::OtherData) {
                    menu.chosen = usize::from(action == Action::No);
                    return self.choose_in_menu();
                }
                return self.ignore(action);
            }
            Action::Add => {
                let (kind, chosen) = (menu.kind, menu.chosen);
                if kind == MenuKind::Sort {
                    return self.add_sort_line(chosen);
                }
                return self.ignore(action);
            }
            Action::Delete if menu.kind != MenuKind::Filters => return self.ignore(action),
            Action::Delete if deleting => return self.delete_in_menu(),
            Action::Delete => {
                menu.deleting = true;
                let name = text::one_line(&menu.lines[menu.chosen].text, 60);
                let key = self.key_or_name(Context::Menu, Action::Delete);
                self.status.notice = Some(format!(
                    "{key} again deletes {name}; any other key keeps it."
                ));
                return;
            }
            // Above the topics of the guide are the keys already.
            Action::Help if menu.kind == MenuKind::Guide => return self.views.rest(),
            Action::Help => return self.open_help(),
            Action::Back | Action::Cancel => {
                self.views.back();
                self.decide();
                return;
            }
            _ => {}
        }
        let Some(scroll) = action.scroll() else {
            return self.ignore(action);
        };
        menu.chosen = super::update::scrolled(menu.chosen, scroll, count.unwrap_or(1), page, last);
    }

    /// The chosen line is not to be deleted: another key came.
    pub(super) fn cancel_delete(&mut self) {
        if let Some(menu) = self.views.menu_mut() {
            menu.deleting = false;
        }
    }

    /// Lines of the menu that fit on the screen.
    pub fn menu_height(&self) -> usize {
        usize::from(self.layout.size.1.saturating_sub(6)).clamp(1, 20)
    }

    fn choose_in_menu(&mut self) {
        if let Some(topics) = self.top_menu().filter(|menu| menu.kind == MenuKind::Guide) {
            // The topics stay below the page. One that is listed is there.
            let name = topics.lines[topics.chosen].text.clone();
            let _ = self.open_guide(&name);
            return;
        }
        let Some(menu) = self.views.take_menu() else {
            return;
        };
        match menu.kind {
            MenuKind::Filters => self.apply_saved(&menu.lines[menu.chosen].text),
            MenuKind::Sort => self.sort_by_line(menu),
            MenuKind::Copy => self.copy_line(menu.chosen),
            MenuKind::Audit | MenuKind::Join | MenuKind::OtherData | MenuKind::Audits => {
                self.choose_audit(menu);
            }
            MenuKind::Agreement => self.choose_agreement(menu),
            MenuKind::Export => {
                self.export_line(menu.chosen);
            }
            MenuKind::Guide => {}
        }
    }

    fn delete_in_menu(&mut self) {
        let Some(menu) = self.views.menu() else {
            return;
        };
        match menu.kind {
            MenuKind::Filters => {
                let name = menu.lines[menu.chosen].text.clone();
                self.keep_filter(&name, None);
            }
            MenuKind::Sort
            | MenuKind::Copy
            | MenuKind::Export
            | MenuKind::Audit
            | MenuKind::Join
            | MenuKind::OtherData
            | MenuKind::Audits
            | MenuKind::Agreement
            | MenuKind::Guide => {}
        }
    }
}
