//! Which keys do what, as far as the state has to know: notices, hints and the palette name keys by
//! it. Events never get here; the table comes from the key map.

use std::sync::Arc;

use super::{Action, Browser, Context, Help};

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
