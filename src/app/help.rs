//! What the program knows of its keys, and the pages of the manual.

use std::sync::Arc;

use super::command::CommandReflex;
use super::page_doc::{PageContent, PageDoc, PageSources};
use super::perform::ViewRequest;
use super::{Action, Browser, Context, UserCommand};
use crate::guide::Topic;

/// What the program knows of its keys and signs; both depend on what a person set.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// What is answered to commands that only other programs have.
    pub commands: Vec<CommandReflex>,
    /// User commands.
    pub own: Vec<Arc<UserCommand>>,
    /// Which keys do what, in the order in which they are listed.
    pub keys: Vec<BoundKeys>,
    /// Signs on the screen, and what they mean.
    pub signs: Vec<(String, &'static str)>,
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
        &[(Action::Cancel, "back"), (Action::Help, "close")]
    }
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
