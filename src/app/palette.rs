//! The palette: all that can be done and gone to from reading, found by some letters of its name.

use super::command::COMMANDS;
use super::line_editor::TextEditor;
use super::menu::MenuLine;
use super::perform::ViewRequest;
use super::{Action, Context, Edit, Help, KeyTask};
use crate::guide;
use crate::query::Catalog;
use crate::search::{LineMatcher, LineScore};
use crate::text;

/// Cells of a name, and of what is said of it.
const NAME: usize = 80;
const NOTE: usize = 200;
/// Lines of the screen that are not found things: what is typed, borders, title and status.
const AROUND: u16 = 6;
/// Things that show at a time, at most.
const MOST_ROWS: u16 = 18;

/// The palette with what is typed into it.
#[derive(Debug)]
pub struct Palette {
    input: TextEditor,
    lines: Vec<MenuLine>,
    /// What was found, the likeliest first: places among all lines, and which characters of the
    /// name were typed.
    found: Vec<(usize, Vec<usize>)>,
    /// Place of the chosen line among those found.
    pub chosen: usize,
}

impl Palette {
    fn new(lines: Vec<MenuLine>) -> Self {
        let mut palette = Self {
            input: TextEditor::line(""),
            lines,
            found: Vec::new(),
            chosen: 0,
        };
        palette.find();
        palette
    }

    /// What is typed, and the byte at which the cursor is.
    pub fn text(&self) -> (&str, usize) {
        (self.input.text(), self.input.cursor())
    }

    /// How many lines were found, and of how many.
    pub fn counts(&self) -> (usize, usize) {
        (self.found.len(), self.lines.len())
    }

    /// The lines that were found, the likeliest first, and which characters of them were typed.
    pub fn found(&self) -> impl Iterator<Item = (&MenuLine, &[usize])> {
        let found = self.found.iter();
        found.map(|(line, places)| (&self.lines[*line], &**places))
    }

    /// Lines that fit on a screen of `height` rows.
    pub fn rows(height: u16) -> u16 {
        height.saturating_sub(AROUND).clamp(1, MOST_ROWS)
    }

    /// Finds the lines that have what is typed. A name counts for more than what is said of it, and of
    /// lines that fit as well, the order of the table decides.
    fn find(&mut self) {
        self.chosen = 0;
        let matcher = LineMatcher::new(self.input.text());
        let mut found: Vec<(LineScore, _)> = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            if let Some((score, places)) = matcher.find(&line.text, &line.note) {
                found.push((score, (at, places)));
            }
        }
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = found.into_iter().map(|(_, hit)| hit).collect();
    }

    /// Types a text.
    pub(super) fn insert(&mut self, text: &str) {
        self.input.insert(text);
        self.find();
    }

    /// Does what a key asks for, and says what is left to be done.
    pub(super) fn act(&mut self, action: Action) -> ViewRequest {
        let all = self.found.len().max(1);
        match action {
            Action::Edit(edit) => {
                self.input.edit(edit);
                self.find();
            }
            Action::Question => {
                self.input.edit(Edit::Insert('?'));
                self.find();
            }
            // Round the ends.
            Action::Later | Action::Complete => self.chosen = (self.chosen + 1) % all,
            Action::Earlier | Action::CompleteBack => self.chosen = (self.chosen + all - 1) % all,
            Action::Cancel => return ViewRequest::Back,
            Action::Accept => {
                return match self.found.get(self.chosen) {
                    Some((line, _)) => self.lines[*line].task.clone(),
                    None => ViewRequest::Notice("No match; try fewer letters.".to_owned()),
                };
            }
            other => return ViewRequest::Ignore(other),
        }
        ViewRequest::Done
    }
}

impl Palette {
    /// A palette of all that can be done and gone to, in the order in which it is listed before
    /// anything is typed. An audit has its own samples: no filter changes them, and `filters` is
    /// `None`.
    pub(super) fn of(help: &Help, filters: Option<(&[(String, String)], &Catalog)>) -> Self {
        let of_kind = |kind, line: MenuLine| MenuLine { kind, ..line };
        let mut lines = actions(help);
        lines.extend(COMMANDS.iter().map(|command| {
            let name = format!(":{} {}", command.name, command.arguments);
            let task = match command.arguments {
                "" => ViewRequest::Run(command.name.to_owned()),
                _ => ViewRequest::Type(format!("{} ", command.name)),
            };
            of_kind(
                "command",
                MenuLine::new(name.trim_end(), command.help, task),
            )
        }));
        let safe = |name: &str, note: &str, task| {
            let note = text::one_line(note, NOTE);
            MenuLine::new(&text::one_line(name, NAME), note, task)
        };
        if let Some((saved, catalog)) = filters {
            lines.extend(saved.iter().map(|(name, text)| {
                of_kind(
                    "filter",
                    safe(name, text, ViewRequest::Filter(name.clone())),
                )
            }));
            lines.extend(catalog.fields().into_iter().map(|field| {
                let request = ViewRequest::Field(field.name.clone());
                of_kind("field", safe(&field.name, &field.note(), request))
            }));
        }
        lines.extend(guide::topics().into_iter().map(|topic| {
            let (name, task) = (
                format!("guide {}", topic.name),
                ViewRequest::Guide(topic.name),
            );
            of_kind("guide", MenuLine::new(&name, topic.summary, task))
        }));
        Self::new(lines)
    }
}

/// What keys do while one reads, an action once; those that are given up as well.
fn actions(help: &Help) -> Vec<MenuLine> {
    let mut lines: Vec<MenuLine> = Vec::new();
    for bound in &help.keys {
        let is_of_reading = bound.context.is_none_or(|context| context == Context::Read);
        let (name, key, task) = match &bound.task {
            KeyTask::Action(Action::Palette | Action::Cancel) => continue,
            KeyTask::Action(action) => (
                action.name().unwrap_or_default().replace('-', " "),
                help.key_in(Context::Read, *action),
                ViewRequest::Act(*action),
            ),
            KeyTask::Command(line) => (
                text::one_line(&format!(":{line}"), NAME),
                bound.keys.first().cloned(),
                ViewRequest::Run(line.to_string()),
            ),
        };
        if is_of_reading && lines.iter().all(|line| line.task != task) {
            lines.push(MenuLine {
                key: key.unwrap_or_default(),
                ..MenuLine::new(&name, bound.help.clone(), task)
            });
        }
    }
    lines
}
