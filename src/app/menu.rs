//! Menus, including the key list and the palette. Typing narrows a menu.

use super::line::line_editor::TextEditor;
use super::perform::ViewRequest;
use super::update::scrolled;
use super::{Action, Edit, KeyHints, Scroll};
use crate::search::{LineMatcher, LineScore};

/// A line of a menu.
#[derive(Debug, Clone, PartialEq)]
pub struct MenuLine {
    /// Text of the choice.
    pub text: String,
    /// Description.
    pub note: String,
    /// Key that selects it; empty for none.
    pub key: String,
    /// Kind of choice, shown if there is no key.
    pub kind: &'static str,
    /// Heading above the line's group; empty for none.
    pub group: String,
    /// Performed when the line is chosen.
    pub(super) task: ViewRequest,
}

impl MenuLine {
    pub(super) fn new(text: &str, note: impl Into<String>, task: ViewRequest) -> Self {
        Self {
            text: text.to_owned(),
            note: note.into(),
            key: String::new(),
            kind: "",
            group: String::new(),
            task,
        }
    }
}

/// Shown if no line matches the typed text.
pub const NO_MATCH: &str = "No match; try fewer letters.";

/// A row of a menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuRow<'m> {
    /// Heading of the lines below.
    Heading(&'m str),
    /// Line, by its index among the visible lines.
    Line(usize),
}

/// A menu: one line is chosen by moving to it or by typing part of its text.
#[derive(Debug, Clone)]
pub struct Menu {
    /// Title.
    pub title: String,
    /// All lines; never empty.
    pub lines: Vec<MenuLine>,
    /// Number of leading lines that are visible while nothing is typed.
    first: usize,
    /// The visible lines, best match first: index, and indices of the matching characters.
    found: Vec<(usize, Vec<usize>)>,
    /// Index of the selected line among the visible ones.
    pub chosen: usize,
    /// The keys with a meaning in this menu; others are ignored.
    pub hints: KeyHints,
    /// True if it fills the screen.
    pub fills_screen: bool,
    /// The typed text; `None` while letters act as keys.
    input: Option<Box<TextEditor>>,
    /// True if letters are typed from the start.
    is_palette: bool,
    /// True if a line was added to the sort order; Enter then closes the menu.
    has_added: bool,
    /// True if the next delete key confirms deleting the selected line.
    pub(super) deleting: bool,
}

impl Menu {
    pub(super) fn new(title: &str, lines: Vec<MenuLine>, chosen: usize, hints: KeyHints) -> Self {
        let mut menu = Self {
            title: title.to_owned(),
            first: lines.len(),
            found: Vec::new(),
            chosen: chosen.min(lines.len().saturating_sub(1)),
            lines,
            hints,
            fills_screen: false,
            input: None,
            is_palette: false,
            has_added: false,
            deleting: false,
        };
        menu.find();
        menu
    }

    /// Makes the menu fill the screen. Lines after the `first` ones are only found by typing.
    pub(super) fn over_screen(mut self, first: usize) -> Self {
        (self.fills_screen, self.first) = (true, first);
        self.find();
        self
    }

    /// Makes letters type into the menu from the start.
    pub(super) fn into_palette(mut self) -> Self {
        self.is_palette = true;
        self.type_text("");
        self
    }

    /// Returns the number of rows for lines and headings on a screen of `height` rows: in a box, or
    /// in full screen.
    pub fn rows(&self, height: u16) -> usize {
        if self.fills_screen {
            usize::from(height.saturating_sub(2)).max(1)
        } else {
            usize::from(height.saturating_sub(6)).clamp(1, 20)
        }
    }

    /// Returns the visible lines; while nothing is typed, with the headings of their groups.
    pub fn shown(&self) -> Vec<MenuRow<'_>> {
        let (mut rows, mut group) = (Vec::new(), "");
        for (place, (line, _)) in self.found().enumerate() {
            if self.input.is_none() && line.group != group {
                group = &line.group;
                rows.push(MenuRow::Heading(group));
            }
            rows.push(MenuRow::Line(place));
        }
        rows
    }

    /// Replaces the lines and keeps the typed text.
    pub(super) fn replace_lines(&mut self, lines: Vec<MenuLine>) {
        (self.first, self.lines) = (lines.len(), lines);
        self.find();
        self.chosen = self.chosen.min(self.found.len().saturating_sub(1));
    }

    /// Returns the typed text and the cursor's byte offset; `None` while letters act as keys.
    pub fn typed(&self) -> Option<(&str, usize)> {
        let input = self.input.as_ref()?;
        Some((input.text(), input.cursor()))
    }

    /// Returns the visible lines and the indices of their matching characters.
    pub fn found(&self) -> impl ExactSizeIterator<Item = (&MenuLine, &[usize])> {
        self.found
            .iter()
            .map(|(line, places)| (&self.lines[*line], &**places))
    }

    /// Returns a visible line, by its index, and the indices of its matching characters.
    pub fn found_at(&self, place: usize) -> Option<(&MenuLine, &[usize])> {
        let (line, hits) = self.found.get(place)?;
        Some((&self.lines[*line], hits))
    }

    /// Returns the selected line; `None` if no line matches.
    pub fn chosen_line(&self) -> Option<&MenuLine> {
        Some(self.found_at(self.chosen)?.0)
    }

    /// Returns the theme of the selected line in a menu of themes.
    pub(super) fn previewed_theme(&self) -> Option<&str> {
        match &self.chosen_line()?.task {
            ViewRequest::Theme(name) => Some(name),
            _ => None,
        }
    }

    /// Finds the lines that match the typed text. A match in the text ranks above one in the note;
    /// ties keep the order of the menu.
    fn find(&mut self) {
        let Some(input) = &self.input else {
            self.found = (0..self.first).map(|line| (line, Vec::new())).collect();
            return;
        };
        let matcher = LineMatcher::new(input.text());
        let mut found: Vec<(LineScore, _)> = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            if let Some((score, places)) = matcher.find(&line.text, &line.note) {
                found.push((score, (at, places)));
            }
        }
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = found.into_iter().map(|(_, hit)| hit).collect();
    }

    /// Inserts typed text. Also starts typing if the text is empty.
    pub(super) fn type_text(&mut self, text: &str) {
        self.input
            .get_or_insert_with(|| Box::new(TextEditor::line("")))
            .insert(text);
        self.chosen = 0;
        self.find();
    }

    /// Replaces the typed text.
    pub(super) fn search_for(&mut self, text: &str) {
        self.input = None;
        self.type_text(text);
    }

    fn edit(&mut self, edit: Edit) {
        if let Some(input) = &mut self.input {
            input.edit(edit);
            self.chosen = 0;
            self.find();
        }
    }

    /// Clears the typed text; the selected line stays selected.
    fn stop_typing(&mut self) {
        let chosen = self.found.get(self.chosen).map(|(line, _)| *line);
        self.input = None;
        self.find();
        self.chosen = chosen.filter(|line| *line < self.first).unwrap_or(0);
    }

    /// Handles a letter while letters act as keys: it chooses the line with that key in a box, a
    /// space scrolls a page, `/` starts typing, and other letters start typing with themselves.
    fn press(&mut self, letter: char, rows: usize) -> ViewRequest {
        let is_of = |line: &&MenuLine| line.key.chars().eq([letter]);
        match self.lines.iter().find(is_of) {
            Some(line) if !self.fills_screen => return line.task.clone(),
            _ if letter == ' ' => self.scroll(Scroll::PageDown, 1, rows),
            _ if letter == '/' => self.type_text(""),
            _ => self.type_text(letter.encode_utf8(&mut [0; 4])),
        }
        ViewRequest::Done
    }

    fn scroll(&mut self, scroll: Scroll, times: usize, rows: usize) {
        let last = self.found.len().saturating_sub(1);
        // A page that is left or reached may show as many headings, and no line may be skipped.
        let shown = self.shown();
        let from = shown
            .iter()
            .position(|row| *row == MenuRow::Line(self.chosen))
            .unwrap_or_default()
            .saturating_sub(rows);
        let headings = shown
            .iter()
            .skip(from)
            .take(2 * rows)
            .filter(|row| matches!(row, MenuRow::Heading(_)));
        let page = rows.saturating_sub(headings.count()).max(1);
        self.chosen = scrolled(self.chosen, scroll, times, page, last);
    }

    /// Performs an action on a screen of this size. Returns a request for the dispatcher.
    pub(super) fn act(
        &mut self,
        action: Action,
        count: Option<usize>,
        size: (u16, u16),
    ) -> ViewRequest {
        let rows = self.rows(size.1);
        let deleting = std::mem::take(&mut self.deleting);
        let offers = |action| self.hints.iter().any(|(offered, _)| *offered == action);
        let is_at_end = self.typed().is_none_or(|(text, at)| at == text.len());
        let all = self.found.len().max(1);
        match action {
            Action::Accept | Action::Zoom if self.has_added => return ViewRequest::Back,
            Action::Accept | Action::Zoom => {
                let words = || ViewRequest::Notice(NO_MATCH.to_owned());
                return self
                    .chosen_line()
                    .map_or_else(words, |line| line.task.clone());
            }
            Action::Search => self.type_text(""),
            Action::Add | Action::Complete if offers(Action::Add) => {
                let place = self.found.get(self.chosen).map(|(line, _)| *line);
                self.has_added |= place.is_some();
                if self.input.is_some() {
                    self.search_for("");
                }
                return place.map_or(ViewRequest::Done, ViewRequest::AddSort);
            }
            Action::Delete | Action::Edit(Edit::Delete) if is_at_end && offers(Action::Delete) => {
                let name = self.chosen_line().map(|line| line.text.clone());
                self.deleting = !deleting;
                return match name {
                    Some(name) if deleting => ViewRequest::DropSaved(name),
                    Some(name) => ViewRequest::AskToDelete(name),
                    None => ViewRequest::Done,
                };
            }
            Action::Edit(Edit::Insert(letter)) if self.input.is_none() => {
                return self.press(letter, rows);
            }
            Action::Edit(edit) => self.edit(edit),
            Action::Question => self.edit(Edit::Insert('?')),
            Action::Cancel if self.input.is_some() && !self.is_palette => self.stop_typing(),
            Action::Back | Action::Cancel => return ViewRequest::Back,
            Action::Help if self.fills_screen => return ViewRequest::Back,
            Action::Help => return ViewRequest::Act(action),
            // Wraps around at the ends.
            Action::Later | Action::Complete => self.chosen = (self.chosen + 1) % all,
            Action::Earlier | Action::CompleteBack => self.chosen = (self.chosen + all - 1) % all,
            _ => match action.scroll() {
                Some(scroll) => self.scroll(scroll, count.unwrap_or(1), rows),
                None => return ViewRequest::Ignore(action),
            },
        }
        ViewRequest::Done
    }
}
