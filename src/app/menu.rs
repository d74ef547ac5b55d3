//! Lists to choose from, on top of what is there: menus, the keys and the palette. Typing narrows each.

use super::line_editor::TextEditor;
use super::perform::ViewRequest;
use super::update::scrolled;
use super::{Action, Edit, KeyHints, Scroll};
use crate::search::{LineMatcher, LineScore};

/// A line of a menu.
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
    /// The heading of the lines around it; empty for none.
    pub group: String,
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
            group: String::new(),
            task,
        }
    }
}

/// What is said where no line has what is typed.
pub const NO_MATCH: &str = "No match; try fewer letters.";
/// Columns of a menu that takes the whole screen, at most.
const MOST_COLUMNS: u16 = 4;

/// What a row of a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuCell<'m> {
    /// The heading of the lines below it.
    Heading(&'m str),
    /// The line at this place among those that show.
    Line(usize),
    /// Nothing.
    Gap,
}

/// A menu: lines to choose one from, by moving or by typing some letters of it.
#[derive(Debug, Clone)]
pub struct Menu {
    /// What it offers.
    pub title: String,
    /// What can be chosen; never empty.
    pub lines: Vec<MenuLine>,
    /// How many of the lines, from the first, show while nothing is typed.
    first: usize,
    /// The lines that show, the likeliest first while something is typed: their places, and which
    /// characters of their text were typed.
    found: Vec<(usize, Vec<usize>)>,
    /// Place of the chosen line among those that show.
    pub chosen: usize,
    /// What keys do in it; others do nothing.
    pub hints: KeyHints,
    /// Whether it takes the whole screen, with its lines in columns while nothing is typed.
    pub fills_screen: bool,
    /// Cells of such a column at least, and whether the notes of its lines count.
    column: (u16, bool),
    /// What is typed; `None` while letters are keys.
    input: Option<Box<TextEditor>>,
    /// Whether letters were typed from the start on.
    is_palette: bool,
    /// Whether a line was added to what is sorted by: then choosing is done.
    has_added: bool,
    /// Whether the next key that deletes does delete the chosen line.
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
            column: (u16::MAX, true),
            input: None,
            is_palette: false,
            has_added: false,
            deleting: false,
        };
        menu.find();
        menu
    }

    /// The same menu over the whole screen, with lines after the first ones that are found by typing.
    pub(super) fn over_screen(mut self, first: usize, column: (u16, bool)) -> Self {
        (self.fills_screen, self.first, self.column) = (true, first, column);
        self.find();
        self
    }

    /// The same menu, in which letters are typed from the start on.
    pub(super) fn into_palette(mut self) -> Self {
        self.is_palette = true;
        self.type_text("");
        self
    }

    /// Lines below each other that show at a time on a screen of `height` rows: in a box, or between the
    /// first row and the last.
    pub fn rows(&self, height: u16) -> usize {
        match self.fills_screen {
            true => usize::from(height.saturating_sub(2)).max(1),
            false => usize::from(height.saturating_sub(6)).clamp(1, 20),
        }
    }

    /// The columns that show on a screen of this size while nothing is typed: the fewest that have all
    /// lines, or else those that fit around the chosen line. Without notes, headings give way to lines.
    pub fn columns(&self, (width, height): (u16, u16)) -> Vec<Vec<MenuCell<'_>>> {
        let rows = self.rows(height);
        let (least, has_notes) = self.column;
        let most = usize::from((width / least).clamp(1, MOST_COLUMNS));
        let columns = self.columns_with_headings(rows);
        if columns.len() <= most {
            return columns;
        }
        if has_notes {
            let chosen = MenuCell::Line(self.chosen);
            let mut pages = columns.chunks(most);
            let page = pages.find(|page| page.iter().any(|column| column.contains(&chosen)));
            return page.unwrap_or_default().to_vec();
        }
        let places: Vec<_> = (0..self.found.len()).map(MenuCell::Line).collect();
        let shown = places.chunks(rows * most).nth(self.chosen / (rows * most));
        let columns = shown.unwrap_or_default().chunks(rows);
        columns.map(<[_]>::to_vec).collect()
    }

    fn columns_with_headings(&self, rows: usize) -> Vec<Vec<MenuCell<'_>>> {
        let mut columns = vec![Vec::new()];
        let mut group = "";
        for (place, (line, _)) in self.found().enumerate() {
            let mut column = columns.len() - 1;
            let is_new = line.group != group && rows > 2;
            // A heading has a line below it, and one above it unless it is the first.
            let needed =
                1 + usize::from(is_new) + usize::from(is_new && !columns[column].is_empty());
            if columns[column].len() + needed > rows && !columns[column].is_empty() {
                columns.push(Vec::new());
                column += 1;
            }
            if is_new {
                group = &line.group;
                if !columns[column].is_empty() {
                    columns[column].push(MenuCell::Gap);
                }
                columns[column].push(MenuCell::Heading(group));
            }
            columns[column].push(MenuCell::Line(place));
        }
        columns
    }

    /// The line of the next column, or of the one before, at the height of the chosen one.
    fn beside(&self, is_next: bool, size: (u16, u16)) -> usize {
        let columns = self.columns(size);
        let is_chosen = |cell: &MenuCell<'_>| *cell == MenuCell::Line(self.chosen);
        let row = |column: &Vec<MenuCell<'_>>| column.iter().position(is_chosen);
        let here = columns
            .iter()
            .zip(0..)
            .find_map(|(column, at)| Some((at, row(column)?)));
        let beside = here.and_then(|(at, row): (usize, _)| {
            let at = if is_next { at + 1 } else { at.checked_sub(1)? };
            let cells = columns.get(at)?;
            let lines = cells
                .iter()
                .zip(0..)
                .filter_map(|(cell, y): (_, usize)| match cell {
                    MenuCell::Line(place) => Some((y.abs_diff(row), *place)),
                    _ => None,
                });
            lines.min().map(|(_, place)| place)
        });
        beside.unwrap_or(self.chosen)
    }

    /// Shows other lines in their place; what is typed stays.
    pub(super) fn replace_lines(&mut self, lines: Vec<MenuLine>) {
        (self.first, self.lines) = (lines.len(), lines);
        self.find();
        self.chosen = self.chosen.min(self.found.len().saturating_sub(1));
    }

    /// What is typed, and the byte at which the cursor is; `None` while letters are keys.
    pub fn typed(&self) -> Option<(&str, usize)> {
        let input = self.input.as_ref()?;
        Some((input.text(), input.cursor()))
    }

    /// The lines that show, and which characters of them were typed.
    pub fn found(&self) -> impl ExactSizeIterator<Item = (&MenuLine, &[usize])> {
        let found = self.found.iter();
        found.map(|(line, places)| (&self.lines[*line], &**places))
    }

    /// The chosen line, unless nothing was found.
    pub fn chosen_line(&self) -> Option<&MenuLine> {
        Some(&self.lines[self.found.get(self.chosen)?.0])
    }

    /// The theme of the chosen line, in a menu of themes.
    pub(super) fn previewed_theme(&self) -> Option<&str> {
        match &self.chosen_line()?.task {
            ViewRequest::Theme(name) => Some(name),
            _ => None,
        }
    }

    /// Finds the lines that have what is typed. A text counts for more than its note, and of lines that
    /// fit as well, the order of the menu decides.
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

    /// Types a text; with none, letters are typed from now on.
    pub(super) fn type_text(&mut self, text: &str) {
        let input = self
            .input
            .get_or_insert_with(|| Box::new(TextEditor::line("")));
        input.insert(text);
        self.chosen = 0;
        self.find();
    }

    /// Finds the lines that have a text, in place of what is typed.
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

    /// Drops what is typed; the chosen line stays chosen.
    fn stop_typing(&mut self) {
        let chosen = self.found.get(self.chosen).map(|(line, _)| *line);
        self.input = None;
        self.find();
        self.chosen = chosen.filter(|line| *line < self.first).unwrap_or(0);
    }

    /// Acts on a letter while letters are keys: that of a line in a menu that asks, the blank for a page,
    /// the slash to type, and others begin what is typed.
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
        self.chosen = scrolled(self.chosen, scroll, times, rows, last);
    }

    /// Acts on a key on a screen of this size, and returns what is left to the dispatcher.
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
            // Round the ends.
            Action::Later | Action::Complete => self.chosen = (self.chosen + 1) % all,
            Action::Earlier | Action::CompleteBack => self.chosen = (self.chosen + all - 1) % all,
            Action::Add | Action::NextPane | Action::PreviousPane if self.fills_screen => {
                self.chosen = self.beside(action != Action::PreviousPane, size);
            }
            _ => match action.scroll() {
                Some(scroll) => self.scroll(scroll, count.unwrap_or(1), rows),
                None => return ViewRequest::Ignore(action),
            },
        }
        ViewRequest::Done
    }
}
