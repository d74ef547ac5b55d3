//! The key bindings as shown in the help, and the key menu and the palette, which are one menu: the
//! keys of the current mode, and all actions and places, found by typing letters of their names.

use std::sync::Arc;

use super::command::COMMANDS;
use super::menu::{Menu, MenuLine};
use super::pages::page_doc::{PageContent, PageDoc, PageSources};
use super::perform::ViewRequest;
use super::{Action, App, Context, UserCommand};
use crate::guide::{self, Topic};
use crate::query::Catalog;
use crate::text;

/// Most cells of a name and its note.
const NAME: usize = 80;
const NOTE: usize = 200;
const HINTS: KeyHints = &[
    (Action::Cancel, "close"),
    (Action::Accept, "run"),
    (Action::Search, "search all"),
];
const FIELD_HINTS: KeyHints = &[
    (Action::Cancel, "back to the filter"),
    (Action::Accept, "insert"),
    (Action::Search, "search"),
];

impl Menu {
    /// Creates the menu of the current mode's keys; typing finds all others, all actions and all
    /// places.
    pub(super) fn of_keys(app: &App) -> Self {
        let (help, mode) = (&app.settings.help, app.mode());
        let context = mode.context();
        let hints = app
            .views
            .page()
            .filter(|_| mode.is_page())
            .map(|page| page.content.hints());
        let is_offered = |bound: &BoundKeys| {
            let in_hints = |hints: KeyHints| {
                hints
                    .iter()
                    .any(|(action, _)| bound.task == KeyTask::Action(*action))
            };
            app.views.top_menu().is_none_or(|menu| in_hints(menu.hints))
        };
        let is_own = |bound: &&BoundKeys| match (bound.context, hints) {
            (None, _) => true,
            (Some(Context::Menu), _) if !is_offered(bound) => false,
            (Some(own), _) if own == context && hints.is_none_or(|_| own != Context::Read) => true,
            (Some(Context::Read), Some(_)) => {
                matches!(bound.task, KeyTask::Action(Action::Scroll(_)))
            }
            (Some(Context::Read), None) => context != Context::Menu,
            (Some(_), _) => false,
        };
        let (mut own, others): (Vec<_>, Vec<_>) = (help.keys.iter()).partition(is_own);
        // The first line is preselected, so it must be harmless.
        let pages = "all pages of the guide; typing finds each by name";
        let mut lines = vec![MenuLine {
            group: "Guide".to_owned(),
            ..MenuLine::new("guide", pages, ViewRequest::Topics)
        }];
        lines.extend(hints.map_or_else(Vec::new, |hints| hint_lines(hints, context, help)));
        lines.retain(|line| own.iter().all(|bound| task_of(&bound.task) != line.task));
        lines.extend(digits_line(context));
        // A key of this mode comes first and is omitted from the reading keys.
        own.sort_by_key(|bound| bound.context != Some(context));
        let taken: Vec<_> = (own.iter())
            .filter(|bound| bound.context == Some(context))
            .flat_map(|bound| &bound.keys)
            .collect();
        for bound in &own {
            let is_free = |key: &&String| bound.context == Some(context) || !taken.contains(key);
            let keys: Vec<_> = bound.keys.iter().filter(is_free).cloned().collect();
            if keys.len() == bound.keys.len() || !keys.is_empty() {
                lines.push(key_line(bound, &keys, task_of(&bound.task)));
            }
        }
        lines.extend(help.signs.iter().map(|(sign, meaning)| MenuLine {
            key: sign.clone(),
            group: "Signs".to_owned(),
            ..MenuLine::new(meaning, "", ViewRequest::Done)
        }));
        let first = lines.len();
        lines.extend(others.into_iter().map(|bound| {
            let mut place = bound.group.clone();
            if let Some(first) = place.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            if bound.context == Some(Context::Read) {
                "while reading samples".clone_into(&mut place);
            }
            let key = bound.keys.first().map_or("This", String::as_str);
            let words = format!("{key} does nothing here; it works elsewhere: {place}.");
            key_line(bound, &bound.keys, ViewRequest::Notice(words))
        }));
        // An audit has its own samples: filters do not change them.
        let filters = (app.saved_filters(), &app.data.catalog);
        let filters = Some(filters).filter(|_| app.running().is_none());
        lines.extend(command_lines(help));
        lines.extend(filters.into_iter().flat_map(filter_lines));
        lines.extend(guide::topics().into_iter().map(|topic| {
            let task = ViewRequest::Guide(topic.name);
            of_kind(
                "guide",
                &format!("guide {}", topic.name),
                topic.summary,
                task,
            )
        }));
        Self::new("keys", lines, 0, HINTS).over_screen(first)
    }
}

/// Creates the menu of fields that a filter can use.
pub(super) fn fields_menu(catalog: &Catalog) -> Menu {
    let lines: Vec<_> = catalog
        .help()
        .into_iter()
        .flat_map(|section| {
            section.entries.into_iter().map(|(form, meaning)| MenuLine {
                group: section.title.to_owned(),
                ..safe_line(
                    &form,
                    &meaning,
                    ViewRequest::Field(beginning(&form).to_owned()),
                )
            })
        })
        .collect();
    let all = lines.len();
    Menu::new("fields of a filter", lines, 0, FIELD_HINTS).over_screen(all)
}

/// Returns the literal part of a form: up to its first placeholder.
fn beginning(form: &str) -> &str {
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let is_placeholder = |at: &usize| {
        is_apart(form[..*at].chars().next_back()) && is_apart(form[at + 1..].chars().next())
    };
    match form.chars().next() {
        Some('"' | '/') => &form[..1],
        _ if form == "word" => "",
        _ => {
            let mut letters = form.match_indices('x').map(|(at, _)| at);
            &form[..letters.find(is_placeholder).unwrap_or(form.len())]
        }
    }
}

/// Describes what a digit does where it is not a count.
fn digits_line(context: Context) -> Option<MenuLine> {
    let (group, what) = match context {
        Context::Rate => (
            "In the rating strip (digits are values)",
            "rate with this value",
        ),
        Context::Panel => ("In the labels panel", "select only this value"),
        _ => return None,
    };
    Some(MenuLine {
        key: "0-9".to_owned(),
        group: group.to_owned(),
        ..MenuLine::new(what, "", ViewRequest::Done)
    })
}

/// Returns lines for the keys that a page hints at.
fn hint_lines(hints: KeyHints, context: Context, help: &Help) -> Vec<MenuLine> {
    let line = |(action, what): &(Action, &str)| {
        let key = help
            .key_in(context, *action)
            .or_else(|| help.key_in(Context::Read, *action))?;
        Some(MenuLine {
            key,
            group: "This page".to_owned(),
            ..MenuLine::new(what, "", ViewRequest::Act(*action))
        })
    };
    hints.iter().filter_map(line).collect()
}

fn task_of(task: &KeyTask) -> ViewRequest {
    match task {
        KeyTask::Action(action) => ViewRequest::Act(*action),
        KeyTask::Command(line) => ViewRequest::Run(line.to_string()),
    }
}

fn key_line(bound: &BoundKeys, keys: &[String], task: ViewRequest) -> MenuLine {
    let (name, note) = match &bound.task {
        KeyTask::Action(_) => name_and_note(&bound.help),
        KeyTask::Command(_) => (&*bound.help, ""),
    };
    MenuLine {
        key: keys.join("  "),
        group: bound.group.clone(),
        ..MenuLine::new(name, note, task)
    }
}

/// Splits a help sentence at its first colon, semicolon, comma or bracket.
fn name_and_note(help: &str) -> (&str, &str) {
    let end = [": ", "; ", ", ", " ("]
        .iter()
        .filter_map(|sign| help.find(sign))
        .min();
    let (name, rest) = help.split_at(end.unwrap_or(help.len()));
    (name, rest.trim_start_matches([':', ';', ',', ' ']))
}

fn of_kind(kind: &'static str, name: &str, note: &str, task: ViewRequest) -> MenuLine {
    MenuLine {
        kind,
        ..safe_line(name, note, task)
    }
}

/// Returns a line with a name and a note from a file or a user, made safe to show.
fn safe_line(name: &str, note: &str, task: ViewRequest) -> MenuLine {
    MenuLine::new(
        &text::one_line(name, NAME),
        text::one_line(note, NOTE),
        task,
    )
}

fn command_lines(help: &Help) -> impl Iterator<Item = MenuLine> {
    let own = help.own.iter().map(|command| {
        let task = ViewRequest::Run(command.name.clone());
        of_kind("command", &command.usage(), &command.about(), task)
    });
    COMMANDS
        .iter()
        .map(|command| {
            let name = format!(":{} {}", command.name, command.arguments);
            let task = match command.arguments {
                "" => ViewRequest::Run(command.name.to_owned()),
                _ => ViewRequest::Type(format!("{} ", command.name)),
            };
            of_kind("command", name.trim_end(), command.help, task)
        })
        .chain(own)
}

/// Returns lines for the saved filters and the fields.
fn filter_lines(
    (saved, catalog): (&[(String, String)], &Catalog),
) -> impl Iterator<Item = MenuLine> {
    let saved = saved
        .iter()
        .map(|(name, text)| of_kind("filter", name, text, ViewRequest::Filter(name.clone())));
    let fields = catalog.fields().into_iter().map(|field| {
        let task = ViewRequest::Field(field.name.clone());
        of_kind("field", &field.name, &field.note(), task)
    });
    saved.chain(fields)
}

/// Keys and signs of the program, which depend on the configuration.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// User commands.
    pub own: Vec<Arc<UserCommand>>,
    /// Key bindings, in the order of the help.
    pub keys: Vec<BoundKeys>,
    /// Signs on the screen with their meanings.
    pub signs: Vec<(String, &'static str)>,
}

/// A page of the guide.
#[derive(Debug)]
pub struct GuidePage(pub Topic);

impl PageContent for GuidePage {
    fn is_of_program(&self) -> bool {
        true
    }

    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        is_new.then(|| PageDoc {
            title: format!("guide: {}", self.0.name),
            ..PageDoc::of_answer(&self.0.answer(), of)
        })
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        (action == Action::Help).then_some(ViewRequest::CloseOverlays)
    }

    fn hints(&self) -> KeyHints {
        &[(Action::Cancel, "back"), (Action::Help, "close")]
    }
}

/// Actions with short descriptions for the key hints, most useful first.
pub type KeyHints = &'static [(Action, &'static str)];

/// What a key triggers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyTask {
    /// An action.
    Action(Action),
    /// A command line, without its colon.
    Command(Arc<str>),
}

/// Keys with the same effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundKeys {
    /// Heading in the help.
    pub group: String,
    /// Where the keys apply; `None` for everywhere.
    pub context: Option<Context>,
    /// The keys as displayed, the one for hints first; empty if all were unbound.
    pub keys: Vec<String>,
    /// What the keys trigger.
    pub task: KeyTask,
    /// Description for the help.
    pub help: String,
}

impl Help {
    /// Returns the first key for this action in a context.
    pub fn key_in(&self, context: Context, action: Action) -> Option<String> {
        let is_it = |hint: &&BoundKeys| {
            let holds = hint.context.is_none_or(|own| own == context);
            holds && hint.task == KeyTask::Action(action) && !hint.keys.is_empty()
        };
        self.keys.iter().find(is_it)?.keys.first().cloned()
    }
}

impl App {
    /// Returns the first key for this action in the panes.
    pub fn key_for(&self, action: Action) -> Option<String> {
        self.key_in(Context::Read, action)
    }

    /// Returns the first key for this action in a context.
    pub fn key_in(&self, context: Context, action: Action) -> Option<String> {
        self.settings.help.key_in(context, action)
    }

    /// Returns that key, or, if unbound, the action's name, which the palette finds.
    pub(super) fn key_or_name(&self, context: Context, action: Action) -> String {
        let named = || format!("`{}`", action.name().unwrap_or_default());
        self.key_in(context, action).unwrap_or_else(named)
    }
}
