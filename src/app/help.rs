//! The key bindings as shown in the help, and the pages of the guide.

use std::sync::Arc;

use super::command::CommandReflex;
use super::page_doc::{PageContent, PageDoc, PageSources};
use super::perform::ViewRequest;
use super::{Action, Browser, Context, UserCommand};
use crate::guide::Topic;

/// Keys and signs of the program, which depend on the configuration.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// Answers to commands of other programs.
    pub commands: Vec<CommandReflex>,
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
    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        is_new.then(|| PageDoc {
            title: format!("guide: {}", self.0.name),
            ..PageDoc::of_markdown(&self.0.markdown(), of)
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
