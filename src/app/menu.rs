//! A list on top of the panes, to choose one line of.

use super::perform::ViewRequest;
use super::update::scrolled;
use super::{Action, KeyHints};

/// A line of a menu or of the palette.
#[derive(Debug, Clone, PartialEq)]
pub struct MenuLine {
    /// What can be chosen.
    pub text: String,
    /// What it means.
    pub note: String,
    /// The key that does it; empty for none.
    pub key: String,
    /// What it is, where it has no key.
    pub kind: &'static str,
    /// What is done when it is chosen.
    pub(super) task: ViewRequest,
}

impl MenuLine {
    pub(super) fn new(text: &str, note: impl Into<String>, task: ViewRequest) -> Self {
        Self {
            text: text.to_owned(),
            note: note.into(),
            key: String::new(),
            kind: "",
            task,
        }
    }
}

/// A menu: lines to choose one from.
#[derive(Debug, Clone)]
pub struct Menu {
    /// What stands above it.
    pub title: String,
    /// What can be chosen; never empty.
    pub lines: Vec<MenuLine>,
    /// Place of the chosen line.
    pub chosen: usize,
    /// What keys do in it; others do nothing.
    pub hints: KeyHints,
    /// Whether the next `d` deletes the chosen line.
    pub(super) deleting: bool,
}

impl Menu {
    pub(super) fn new(title: &str, lines: Vec<MenuLine>, chosen: usize, hints: KeyHints) -> Self {
        Self {
            title: title.to_owned(),
            chosen: chosen.min(lines.len().saturating_sub(1)),
            lines,
            hints,
            deleting: false,
        }
    }

    /// Lines of a menu that fit on a screen of `height` rows.
    pub fn rows(height: u16) -> usize {
        usize::from(height.saturating_sub(6)).clamp(1, 20)
    }

    fn task(&self) -> ViewRequest {
        self.lines[self.chosen].task.clone()
    }

    /// Acts on a key while `rows` lines show, and returns what is left to the dispatcher.
    pub(super) fn act(&mut self, action: Action, count: Option<usize>, rows: usize) -> ViewRequest {
        let deleting = std::mem::take(&mut self.deleting);
        let is_offered = self.hints.iter().any(|(offered, _)| *offered == action);
        match action {
            Action::Accept | Action::Zoom => return self.task(),
            Action::Yes | Action::No if is_offered => {
                self.chosen = usize::from(action == Action::No);
                return self.task();
            }
            Action::Add if is_offered => return ViewRequest::AddSort(self.chosen),
            Action::Delete if is_offered => {
                let name = self.lines[self.chosen].text.clone();
                self.deleting = !deleting;
                return match deleting {
                    true => ViewRequest::DropSaved(name),
                    false => ViewRequest::AskToDelete(name),
                };
            }
            Action::Help => return ViewRequest::Act(action),
            Action::Back | Action::Cancel => return ViewRequest::Back,
            _ => {}
        }
        let Some(scroll) = action.scroll() else {
            return ViewRequest::Ignore(action);
        };
        let last = self.lines.len() - 1;
        self.chosen = scrolled(self.chosen, scroll, count.unwrap_or(1), rows, last);
        ViewRequest::Done
    }
}
