//! The help: the keys, and what a filter can ask for.

use super::command::CommandReflex;
use super::update::scrolled;
use super::{Action, App, BoundKeys, Context, LineKind, View};
use crate::text::{self, Hidden, StyledText, sanitise, wrap};

/// Cells of a field's name, and of what it means.
const FIELD_WIDTH: usize = 200;
/// Rows of the screen that are not the help's.
const AROUND: u16 = 4;
/// Cells of a column of help at least, and how many there are at most.
const LEAST_COLUMN: u16 = 58;
const MOST_COLUMNS: u16 = 3;
/// Cells left of the first column.
const MARGIN: u16 = 2;
/// Cells of the column of keys, at most; left of them, behind them, and between columns.
const WIDEST_KEYS: usize = 22;
const INDENT: usize = 2;
const GAP_BEHIND_KEYS: usize = 2;
const GAP_BEHIND_COLUMN: usize = 3;

/// The keys, as the help shows them; the table that it comes from belongs to the key map.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// Lines from above.
    pub lines: Vec<HelpLine>,
    /// What is answered to commands that only other programs have.
    pub commands: Vec<CommandReflex>,
    /// Which keys do what; hints name them.
    pub keys: Vec<BoundKeys>,
}

/// A line of the help.
#[derive(Debug, Clone)]
pub enum HelpLine {
    /// Name of a group of keys.
    Group(String),
    /// Keys (or a sign) and what they do (or mean).
    Keys(String, String),
    /// Nothing.
    Gap,
}

/// Help on screen.
#[derive(Debug, Default)]
pub struct HelpScreen {
    help: Help,
    /// The first row that shows.
    top: usize,
    /// Words of which the lines that show have all; none where all show.
    sought: String,
}

impl HelpScreen {
    pub(super) fn new(help: Help) -> Self {
        Self {
            help,
            ..Self::default()
        }
    }
}

/// Help laid out for a screen: columns side by side, each read from above.
#[derive(Debug, Default)]
pub struct HelpLayout {
    /// Rows of each column; what is wrapped goes on in a row without keys.
    pub columns: Vec<Vec<HelpLine>>,
    /// Cells of a column, with what keeps it off the next.
    pub width: u16,
    /// Cells of the keys in it.
    pub keys: u16,
    /// The first row that shows.
    pub top: usize,
}

impl HelpLayout {
    fn of(screen: &HelpScreen, width: u16) -> Self {
        let groups = screen.groups();
        let number = (width / LEAST_COLUMN).clamp(1, MOST_COLUMNS);
        let width = width.saturating_sub(MARGIN) / number;
        // What is wider than the column of keys takes a row of its own.
        let most = WIDEST_KEYS.min(usize::from(width) / 4);
        let cells = groups.iter().flatten().map(|line| match line {
            HelpLine::Keys(keys, _) => text::width(keys),
            HelpLine::Group(_) | HelpLine::Gap => 0,
        });
        let keys = cells.filter(|cells| *cells <= most).max().unwrap_or(0);
        let room =
            usize::from(width).saturating_sub(INDENT + keys + GAP_BEHIND_KEYS + GAP_BEHIND_COLUMN);
        let laid = groups.iter().map(|group| lay_group(group, keys, room));
        let laid: Vec<Vec<HelpLine>> = laid.collect();
        let rows: usize = laid.iter().map(|group| group.len() + 1).sum();
        let share = rows.div_ceil(usize::from(number));
        let mut columns: Vec<Vec<HelpLine>> = vec![Vec::new()];
        for group in laid {
            let left = usize::from(number) - columns.len();
            if let Some(column) = columns.last_mut().filter(|column| !column.is_empty()) {
                if left > 0 && column.len() + 1 + group.len() / 2 > share {
                    columns.push(group);
                    continue;
                }
                column.push(HelpLine::Gap);
            }
            if let Some(column) = columns.last_mut() {
                column.extend(group);
            }
        }
        Self {
            columns,
            width,
            keys: keys as u16,
            top: screen.top,
        }
    }

    /// Rows of the longest column.
    pub fn rows(&self) -> usize {
        self.columns.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The lines with the groups first that are of the place where one asks.
fn own_groups_first(lines: &[HelpLine], is_own: impl Fn(&str) -> bool) -> Vec<HelpLine> {
    let groups: Vec<_> = lines
        .chunk_by(|_, next| !matches!(next, HelpLine::Group(_)))
        .collect();
    let is_own = |group: &&[HelpLine]| match group {
        [HelpLine::Group(name), ..] => is_own(name),
        _ => false,
    };
    let (own, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_own);
    own.into_iter().chain(others).flatten().cloned().collect()
}

/// The rows of a group: what is too long is wrapped.
fn lay_group(group: &[HelpLine], keys_width: usize, room: usize) -> Vec<HelpLine> {
    let mut rows = Vec::new();
    for line in group {
        let HelpLine::Keys(keys, what) = line else {
            rows.push(line.clone());
            continue;
        };
        let mut keys = keys.clone();
        if text::width(&keys) > keys_width {
            rows.push(HelpLine::Keys(std::mem::take(&mut keys), String::new()));
        }
        let block = StyledText::plain(sanitise(what, Hidden::Discreet));
        let width = u16::try_from(room.max(1)).unwrap_or(u16::MAX);
        for line in wrap(&block, width) {
            let piece = block.text()[line.range].to_owned();
            rows.push(HelpLine::Keys(std::mem::take(&mut keys), piece));
        }
    }
    rows
}

impl HelpScreen {
    /// The groups with the lines that show, each with its name first.
    fn groups(&self) -> Vec<Vec<HelpLine>> {
        let sought = self.sought.to_lowercase();
        let words: Vec<_> = sought.split_whitespace().collect();
        let mut groups: Vec<Vec<HelpLine>> = Vec::new();
        let mut name = String::new();
        for line in &self.help.lines {
            match line {
                HelpLine::Gap => {}
                HelpLine::Group(group) => {
                    name = group.to_lowercase();
                    groups.push(vec![line.clone()]);
                }
                HelpLine::Keys(keys, what) => {
                    let all = format!("{name} {} {}", keys.to_lowercase(), what.to_lowercase());
                    if words.iter().all(|word| all.contains(word)) {
                        match groups.last_mut() {
                            Some(group) => group.push(line.clone()),
                            None => groups.push(vec![line.clone()]),
                        }
                    }
                }
            }
        }
        groups.retain(|group| group.iter().any(|line| matches!(line, HelpLine::Keys(..))));
        groups
    }
}

impl App {
    /// The help that is open, also below the line in which one searches it.
    fn help_screen(&self) -> Option<&HelpScreen> {
        self.views.help().or(self.views.fields())
    }

    fn help_screen_mut(&mut self) -> Option<&mut HelpScreen> {
        match self.views.help().is_some() {
            true => self.views.help_mut(),
            false => self.views.fields_mut(),
        }
    }

    /// The keys, or what a filter can ask for, laid out for the screen; `None` where neither is open.
    pub fn help_layout(&self) -> Option<HelpLayout> {
        let screen = self.help_screen()?;
        let mut layout = HelpLayout::of(screen, self.layout.size.0);
        // A wider screen has fewer rows.
        layout.top = layout
            .top
            .min(layout.rows().saturating_sub(self.help_rows()));
        Some(layout)
    }

    /// Rows of the screen that show help.
    fn help_rows(&self) -> usize {
        usize::from(self.layout.size.1.saturating_sub(AROUND)).max(1)
    }

    /// What the help that is open was searched for; empty where it was not.
    pub fn help_sought(&self) -> &str {
        self.help_screen().map_or("", |screen| &screen.sought)
    }

    /// Shows those lines of the help alone that have all these words.
    pub(super) fn search_help(&mut self, words: &str) {
        if let Some(screen) = self.help_screen_mut() {
            (screen.sought, screen.top) = (words.to_owned(), 0);
        }
    }

    /// Shows the keys.
    pub(super) fn open_help(&mut self) {
        let mut help = self.settings.help.clone();
        let context = self.views.mode().context();
        if context != Context::Read {
            let is_own = |group: &str| {
                let mut keys = help.keys.iter();
                keys.any(|bound| bound.context == Some(context) && bound.group == group)
            };
            help.lines = own_groups_first(&help.lines, is_own);
        }
        self.views.open(View::Help(HelpScreen::new(help)));
    }

    /// Shows what a filter can ask for.
    pub(super) fn open_fields(&mut self) {
        let safe = |words: &str| text::one_line(words, FIELD_WIDTH);
        let mut lines = Vec::new();
        for section in self.data.catalog.help() {
            if !lines.is_empty() {
                lines.push(HelpLine::Gap);
            }
            lines.push(HelpLine::Group(section.title.to_owned()));
            lines.extend(
                section
                    .entries
                    .iter()
                    .map(|(form, meaning)| HelpLine::Keys(safe(form), safe(meaning))),
            );
        }
        let help = Help {
            lines,
            ..Help::default()
        };
        self.views.open(View::Fields(HelpScreen::new(help)));
    }

    pub(super) fn act_in_help(&mut self, action: Action, count: Option<usize>) {
        let page = self.help_rows();
        let (rows, top) = (self.help_layout()).map_or((0, 0), |layout| (layout.rows(), layout.top));
        let are_keys = self.views.help().is_some();
        let Some(screen) = self.help_screen_mut() else {
            return;
        };
        match action {
            Action::Cancel if !screen.sought.is_empty() => self.search_help(""),
            Action::Back | Action::Cancel | Action::Help => drop(self.views.back()),
            Action::Search => self.open_line(LineKind::HelpSearch),
            Action::Zoom if are_keys => {
                // Whoever comes back begins with the first keys.
                self.search_help("");
                self.open_topics(0);
            }
            _ => match action.scroll() {
                Some(scroll) => {
                    let most = rows.saturating_sub(page);
                    screen.top = scrolled(top, scroll, count.unwrap_or(1), page, most);
                }
                None => self.ignore(action),
            },
        }
    }
}
