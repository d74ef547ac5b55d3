//! The help: the keys, and what a filter can ask for.

use std::sync::Arc;

use super::command::CommandReflex;
use super::page_doc::{PageContent, PageDoc, PageMark, PageSources, PageTone};
use super::perform::ViewRequest;
use super::{Action, Browser, Context, LineKind, Menu, MenuLine};
use crate::guide::{self, Topic};
use crate::query;
use crate::query::Catalog;
use crate::text::{self, Hidden, StyledText, sanitise, wrap};

/// Cells of a field's name, and of what it means.
const FIELD_WIDTH: usize = 200;
/// Cells of a column of help at least, and how many there are at most.
const LEAST_COLUMN: u16 = 58;
const MOST_COLUMNS: u16 = 3;
/// Cells left of the names of groups and of keys.
const GROUP: u16 = 2;
const KEYS: u16 = 4;
/// Cells of the column of keys, at most; between keys and words, and between columns.
const WIDEST_KEYS: u16 = 22;
const GAP: u16 = 2;
const GAP_BETWEEN_COLUMNS: u16 = 3;

/// The keys, as the help shows them; the table that it comes from belongs to the key map.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// What the help lists, from above.
    pub groups: Vec<HelpGroup>,
    /// What is answered to commands that only other programs have.
    pub commands: Vec<CommandReflex>,
    /// Which keys do what; hints name them.
    pub keys: Vec<BoundKeys>,
}

/// Keys or signs under a common heading.
#[derive(Debug, Clone, Default)]
pub struct HelpGroup {
    /// The heading.
    pub name: String,
    /// Keys (or a sign) and what they do (or mean).
    pub rows: Vec<(String, String)>,
}

/// A page of keys, or of what a filter can ask for.
#[derive(Debug, Default)]
pub struct HelpPage {
    groups: Vec<HelpGroup>,
    are_keys: bool,
    /// Words that the rows on the page contain; none where all rows show.
    pub(super) sought: String,
}

impl HelpPage {
    /// The keys, first those of the place where the user asks.
    pub(super) fn of_keys(help: &Help, context: Context) -> Self {
        let mut groups = help.groups.clone();
        let is_own = |bound: &BoundKeys| context != Context::Read && bound.context == Some(context);
        groups.sort_by_key(|group| {
            let mut own = help.keys.iter().filter(|bound| is_own(bound));
            !own.any(|bound| bound.group == group.name)
        });
        Self {
            groups,
            are_keys: true,
            ..Self::default()
        }
    }

    /// What a filter can ask for.
    pub(super) fn of_fields(catalog: &Catalog) -> Self {
        let safe = |words: &str| text::one_line(words, FIELD_WIDTH);
        let sections = catalog.help().into_iter();
        let groups = sections.map(|section| HelpGroup {
            name: section.title.to_owned(),
            rows: (section.entries.iter())
                .map(|(form, meaning)| (safe(form), safe(meaning)))
                .collect(),
        });
        Self {
            groups: groups.collect(),
            ..Self::default()
        }
    }

    /// The rows that contain what is sought, by their groups.
    fn found(&self) -> Vec<(&str, Vec<&(String, String)>)> {
        let sought = self.sought.to_lowercase();
        let found = self.groups.iter().map(|group| {
            let fits = |(keys, what): &&(String, String)| {
                let all = format!("{} {keys} {what}", group.name).to_lowercase();
                sought.split_whitespace().all(|word| all.contains(word))
            };
            (&*group.name, group.rows.iter().filter(fits).collect())
        });
        found
            .filter(|(_, rows): &(_, Vec<_>)| !rows.is_empty())
            .collect()
    }
}

impl PageContent for HelpPage {
    /// Lays groups out in columns side by side, each read from above.
    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        if !is_new {
            return None;
        }
        let (found, mut doc) = (self.found(), PageDoc::default());
        if found.is_empty() {
            doc.progress = "Nothing here has all these words.".to_owned();
        }
        let number = (of.size.0 / LEAST_COLUMN).clamp(1, MOST_COLUMNS);
        let width = of.size.0.saturating_sub(GROUP) / number;
        // What is wider than the column of keys takes a row of its own.
        let rows = found.iter().flat_map(|(_, rows)| rows);
        let cells = rows.map(|(keys, _)| text::width(keys) as u16);
        let most = WIDEST_KEYS.min(width / 4);
        let keys_width = cells.filter(|cells| *cells <= most).max().unwrap_or(0);
        let room = width.saturating_sub(GROUP + keys_width + GAP + GAP_BETWEEN_COLUMNS);
        let lay = |rows: Vec<&(String, String)>| -> Vec<_> {
            let rows = rows.into_iter();
            rows.flat_map(|row| lay_row(row, keys_width, room))
                .collect()
        };
        let laid = found.into_iter().map(|(name, rows)| (name, lay(rows)));
        let laid: Vec<_> = laid.collect();
        let all: usize = laid.iter().map(|(_, rows)| rows.len() + 2).sum();
        let share = all.div_ceil(usize::from(number));
        let (mut column, mut y) = (0, 0);
        for (name, rows) in laid {
            if y > 0 {
                y += 1;
                if column + 1 < number && y + rows.len().div_ceil(2) > share {
                    (column, y) = (column + 1, 0);
                }
            }
            let left = column * width;
            let mut put = |x: u16, y, words: String, tone| {
                let room = (width + 1).saturating_sub(x);
                doc.put(left + x, y, room, PageMark::Words(words, tone));
            };
            put(GROUP, y, name.to_owned(), PageTone::Heading);
            y += 1;
            for (keys, what) in rows {
                put(KEYS, y, keys, PageTone::Key);
                put(KEYS + keys_width + GAP, y, what, PageTone::Value);
                y += 1;
            }
            doc.lines = doc.lines.max(y);
        }
        Some(doc)
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        match action {
            Action::Cancel if !self.sought.is_empty() => {
                Some(ViewRequest::SearchHelp(String::new()))
            }
            Action::Help => Some(ViewRequest::Back),
            Action::Search => Some(ViewRequest::Line(LineKind::HelpSearch)),
            Action::Zoom if self.are_keys => Some(ViewRequest::Topics),
            _ => None,
        }
    }

    fn hints(&self) -> KeyHints {
        match (self.are_keys, self.sought.is_empty()) {
            (_, false) => &[
                (Action::Cancel, "show all"),
                (Action::Search, "search"),
                (Action::Back, "close"),
            ],
            (true, true) => &[
                (Action::Back, "close"),
                (Action::Search, "search"),
                (Action::Zoom, "guide"),
            ],
            (false, true) => &[
                (Action::Back, "back to the filter"),
                (Action::Search, "search"),
            ],
        }
    }
}

/// The lines of a row: what is too long is wrapped.
fn lay_row((keys, what): &(String, String), keys_width: u16, room: u16) -> Vec<(String, String)> {
    let (mut lines, mut keys) = (Vec::new(), keys.clone());
    if text::width(&keys) > usize::from(keys_width) {
        lines.push((std::mem::take(&mut keys), String::new()));
    }
    let block = StyledText::plain(sanitise(what, Hidden::Discreet));
    for line in wrap(&block, room.max(1)) {
        let piece = block.text()[line.range].to_owned();
        lines.push((std::mem::take(&mut keys), piece));
    }
    lines
}

/// A page of the manual.
#[derive(Debug)]
pub struct GuidePage(pub Topic);

impl PageContent for GuidePage {
    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        is_new.then(|| PageDoc {
            title: format!("guide: {}", self.0.name),
            ..PageDoc::of_markdown(&self.0.markdown(), of)
        })
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        (action == Action::Help).then_some(ViewRequest::Rest)
    }

    fn hints(&self) -> KeyHints {
        &[(Action::Cancel, "topics"), (Action::Help, "close")]
    }
}

/// The topics of the manual, with the chosen one by its name.
pub(super) fn topics_menu(chosen: &str) -> Menu {
    let topics = guide::topics();
    let at = topics.iter().position(|topic| topic.name == chosen);
    let line =
        |topic: Topic| MenuLine::new(topic.name, topic.summary, ViewRequest::Guide(topic.name));
    let lines = topics.into_iter().map(line).collect();
    let hints = &[(Action::Accept, "open"), (Action::Cancel, "keys")];
    Menu::new("the guide", lines, at.unwrap_or(0), hints)
}

/// Topics whose names begin so, for a command line.
pub(super) fn topic_completions(typed: &str) -> Vec<query::Completion> {
    let topics = guide::topics()
        .into_iter()
        .filter(|topic| topic.name.starts_with(typed));
    let item = |topic: Topic| query::Completion {
        text: topic.name.to_owned(),
        note: topic.summary.to_owned(),
    };
    topics.map(item).collect()
}

/// What keys do somewhere, in a word or two, the most useful first.
pub type KeyHints = &'static [(Action, &'static str)];

/// What a key asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyTask {
    /// An action.
    Action(Action),
    /// A command line, without its colon.
    Command(Arc<str>),
}

/// Keys that do one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundKeys {
    /// Heading under which the help lists them.
    pub group: String,
    /// Where they do it; `None` means everywhere.
    pub context: Option<Context>,
    /// The keys as people read them, the one that hints name first; none where all were given up.
    pub keys: Vec<String>,
    /// What they do.
    pub task: KeyTask,
    /// What they do, for people.
    pub help: String,
}

impl Help {
    /// How the first key that asks for this in a context is written.
    pub(super) fn key_in(&self, context: Context, action: Action) -> Option<String> {
        let is_it = |hint: &&BoundKeys| {
            let holds = hint.context.is_none_or(|own| own == context);
            holds && hint.task == KeyTask::Action(action) && !hint.keys.is_empty()
        };
        let hint = self.keys.iter().find(is_it)?;
        hint.keys.first().cloned()
    }
}

impl Browser {
    /// How the first key that asks for this while one reads is written.
    pub fn key_for(&self, action: Action) -> Option<String> {
        self.key_in(Context::Read, action)
    }

    /// How the first key that asks for this in a context is written.
    pub fn key_in(&self, context: Context, action: Action) -> Option<String> {
        self.settings.help.key_in(context, action)
    }

    /// How that key is written in a sentence; the action's name, by which the palette finds it, where
    /// it has none.
    pub(super) fn key_or_name(&self, context: Context, action: Action) -> String {
        let named = || format!("`{}`", action.name().unwrap_or_default());
        self.key_in(context, action).unwrap_or_else(named)
    }
}
