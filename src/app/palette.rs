//! The palette: all that can be done and gone to from reading, found by some letters of its name.

use super::command::COMMANDS;
use super::line_editor::LineEditor;
use super::status::HandOver;
use super::{Action, App, Context, Edit, KeyTask, LineKind, View};
use crate::guide;
use crate::search::{LineMatcher, LineScore};
use crate::text;

/// Cells of a name, and of what is said of it.
const NAME: usize = 80;
const NOTE: usize = 200;
/// Lines of the screen that are not found things: what is typed, borders, title and status.
const AROUND: u16 = 6;
/// Things that show at a time, at most.
const MOST_ROWS: u16 = 18;

/// What a line of the palette is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaletteKind {
    /// What a key does.
    Action,
    /// A command.
    Command,
    /// A filter that was kept.
    Filter,
    /// A field of the data.
    Field,
    /// A page of the manual.
    Page,
}

/// A line of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteEntry {
    /// What it is.
    pub kind: PaletteKind,
    /// Its name.
    pub name: String,
    /// What it does or means.
    pub note: String,
    /// The key that does it; empty for none.
    pub key: String,
    task: PaletteTask,
}

/// What becomes of a line that is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PaletteTask {
    Action(Action),
    /// A command line.
    Run(String),
    /// A command line to which something is missing.
    Type(String),
    Filter(String),
    Field(String),
    Page(&'static str),
}

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteHit {
    /// Place among all lines.
    entry: usize,
    /// Which characters of its name are what was typed, from 0.
    pub places: Vec<usize>,
}

/// The palette with what is typed into it.
#[derive(Debug)]
pub struct Palette {
    input: LineEditor,
    entries: Vec<PaletteEntry>,
    /// What was found, the likeliest first.
    found: Vec<PaletteHit>,
    /// Place of the chosen line among those found.
    chosen: usize,
}

impl Palette {
    fn new(entries: Vec<PaletteEntry>) -> Self {
        let mut palette = Self {
            input: LineEditor::new(""),
            entries,
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
        (self.found.len(), self.entries.len())
    }

    /// The lines that were found, the likeliest first.
    pub fn found(&self) -> impl Iterator<Item = (&PaletteEntry, &PaletteHit)> {
        self.found
            .iter()
            .filter_map(|hit| Some((self.entries.get(hit.entry)?, hit)))
    }

    /// Place of the chosen line among those found.
    pub fn chosen(&self) -> usize {
        self.chosen
    }

    /// Finds the lines that have what is typed. A name counts for more than what is said of it, and of
    /// lines that fit as well, the order of the table decides.
    fn find(&mut self) {
        self.chosen = 0;
        let matcher = LineMatcher::new(self.input.text());
        let mut found: Vec<(LineScore, PaletteHit)> = Vec::new();
        for (entry, line) in self.entries.iter().enumerate() {
            if let Some((score, places)) = matcher.find(&line.name, &line.note) {
                found.push((score, PaletteHit { entry, places }));
            }
        }
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = found.into_iter().map(|(_, hit)| hit).collect();
    }

    /// Goes so many lines down or up, round the ends.
    fn step(&mut self, down: bool) {
        let last = self.found.len().saturating_sub(1);
        self.chosen = match (down, self.chosen) {
            (true, chosen) if chosen >= last => 0,
            (true, chosen) => chosen + 1,
            (false, 0) => last,
            (false, chosen) => chosen - 1,
        };
    }
}

impl App {
    /// The palette on top of the panes.
    pub fn top_palette(&self) -> Option<&Palette> {
        match self.views.top()? {
            View::Palette(palette) => Some(palette),
            _ => None,
        }
    }

    /// Lines of the palette that fit on the screen.
    pub fn palette_height(&self) -> u16 {
        self.layout
            .size
            .1
            .saturating_sub(AROUND)
            .clamp(1, MOST_ROWS)
    }

    pub(super) fn open_palette(&mut self) {
        let palette = Palette::new(self.palette_entries());
        self.views.open(View::Palette(Box::new(palette)));
    }

    pub(super) fn act_in_palette(&mut self, action: Action) {
        let Some(palette) = self.views.palette_mut() else {
            return;
        };
        match action {
            Action::Edit(edit) => {
                palette.input.edit(edit);
                palette.find();
            }
            Action::Question => {
                palette.input.edit(Edit::Insert('?'));
                palette.find();
            }
            Action::Later | Action::Complete => palette.step(true),
            Action::Earlier | Action::CompleteBack => palette.step(false),
            Action::Cancel => drop(self.views.back()),
            Action::Accept => self.choose_in_palette(),
            other => self.ignore(other),
        }
    }

    /// Puts a text from the clipboard into the palette; whether it is open.
    pub(super) fn paste_into_palette(&mut self, text: &str) -> bool {
        let is_on_top = self.top_palette().is_some();
        if let Some(palette) = self.views.palette_mut().filter(|_| is_on_top) {
            palette.input.insert(text);
            palette.find();
        }
        is_on_top
    }

    fn choose_in_palette(&mut self) {
        let chosen = self.top_palette().and_then(|palette| {
            let hit = palette.found.get(palette.chosen)?;
            Some(palette.entries.get(hit.entry)?.task.clone())
        });
        let Some(task) = chosen else {
            self.status.notice = Some("Nothing is called so; fewer letters find more.".to_owned());
            return;
        };
        self.views.back();
        match task {
            PaletteTask::Action(action) => {
                self.status.handed_over = Some(HandOver::Act(action));
            }
            PaletteTask::Run(line) => self.status.handed_over = Some(HandOver::Choose(line)),
            PaletteTask::Type(line) => {
                self.open_line(LineKind::Command);
                self.paste(&line);
            }
            PaletteTask::Filter(name) => self.apply_saved(&name),
            PaletteTask::Field(name) => {
                self.open_line(LineKind::Filter);
                let is_empty = self
                    .input_line()
                    .is_none_or(|line| line.text().0.is_empty());
                self.paste(&if is_empty { name } else { format!(" {name}") });
            }
            // A page that is listed is there.
            PaletteTask::Page(name) => drop(self.open_guide(name)),
        }
    }

    /// All that can be done and gone to, in the order in which it is listed before anything is typed.
    fn palette_entries(&self) -> Vec<PaletteEntry> {
        let mut entries = self.actions_in_palette();
        entries.extend(COMMANDS.iter().map(|command| {
            let name = format!(":{}", command.name);
            PaletteEntry {
                kind: PaletteKind::Command,
                task: if command.arguments.is_empty() {
                    PaletteTask::Run(command.name.to_owned())
                } else {
                    PaletteTask::Type(format!("{} ", command.name))
                },
                name: format!("{name} {}", command.arguments)
                    .trim_end()
                    .to_owned(),
                note: command.help.to_owned(),
                key: String::new(),
            }
        }));
        // An audit has its own samples: no filter changes them.
        if self.review.running().is_none() {
            entries.extend(
                self.saved_filters()
                    .iter()
                    .map(|(name, text)| PaletteEntry {
                        kind: PaletteKind::Filter,
                        name: text::one_line(name, NAME),
                        note: text::one_line(text, NOTE),
                        key: String::new(),
                        task: PaletteTask::Filter(name.clone()),
                    }),
            );
            let fields = self.data.catalog.fields();
            entries.extend(fields.into_iter().map(|field| PaletteEntry {
                kind: PaletteKind::Field,
                name: text::one_line(&field.name, NAME),
                note: text::one_line(&field.note(), NOTE),
                key: String::new(),
                task: PaletteTask::Field(field.name),
            }));
        }
        entries.extend(guide::topics().into_iter().map(|topic| PaletteEntry {
            kind: PaletteKind::Page,
            name: format!("guide {}", topic.name),
            note: topic.summary.to_owned(),
            key: String::new(),
            task: PaletteTask::Page(topic.name),
        }));
        entries
    }

    /// What keys do while one reads, an action once; those that are given up as well.
    fn actions_in_palette(&self) -> Vec<PaletteEntry> {
        let mut entries: Vec<PaletteEntry> = Vec::new();
        for bound in &self.settings.help.keys {
            let is_of_reading = bound.context.is_none_or(|context| context == Context::Read);
            let (name, key, task) = match &bound.task {
                KeyTask::Action(Action::Palette | Action::Cancel) => continue,
                KeyTask::Action(action) => (
                    action.name().unwrap_or_default().replace('-', " "),
                    self.key_for(*action),
                    PaletteTask::Action(*action),
                ),
                KeyTask::Command(line) => (
                    text::one_line(&format!(":{line}"), NAME),
                    bound.keys.first().cloned(),
                    PaletteTask::Run(line.to_string()),
                ),
            };
            if is_of_reading && entries.iter().all(|entry| entry.task != task) {
                entries.push(PaletteEntry {
                    kind: PaletteKind::Action,
                    name,
                    note: bound.help.clone(),
                    key: key.unwrap_or_default(),
                    task,
                });
            }
        }
        entries
    }
}
