//! The help: the keys, and what a filter can ask for.

use super::command::CommandReflex;
use super::update::scrolled;
use super::{Action, App, BoundKeys, View};
use crate::text;

/// Cells of a field's name, and of what it means.
const FIELD_WIDTH: usize = 200;
/// Rows of the screen that are not the help's.
const AROUND: u16 = 4;

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

/// Lines of help on screen.
#[derive(Debug, Default)]
pub struct HelpScreen {
    help: Help,
    /// The first line that shows.
    top: usize,
}

impl HelpScreen {
    pub(super) fn new(help: Help) -> Self {
        Self { help, top: 0 }
    }
}

impl App {
    /// The keys, or what a filter can ask for, and the first line that shows.
    pub fn help(&self) -> (&Help, usize) {
        match self.views.top() {
            Some(View::Help(screen) | View::Fields(screen)) => (&screen.help, screen.top),
            _ => (&self.settings.help, 0),
        }
    }

    /// Shows the keys.
    pub(super) fn open_help(&mut self) {
        let keys = HelpScreen::new(self.settings.help.clone());
        self.views.open(View::Help(keys));
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
        let page = usize::from(self.layout.size.1.saturating_sub(AROUND)).max(1);
        match (action, self.views.top_mut()) {
            (Action::Back | Action::Cancel | Action::Help, _) => {
                self.views.back();
            }
            (Action::Zoom, Some(View::Help(screen))) => {
                // Whoever comes back begins with the first keys.
                screen.top = 0;
                self.open_topics(0);
            }
            (_, Some(View::Help(screen) | View::Fields(screen))) => {
                let most = screen.help.lines.len().saturating_sub(page);
                match action.scroll() {
                    Some(scroll) => {
                        screen.top = scrolled(screen.top, scroll, count.unwrap_or(1), page, most);
                    }
                    None => self.ignore(action),
                }
            }
            _ => {}
        }
    }
}
