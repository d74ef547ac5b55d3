//! Keys → actions and command lines, by one table of data. The active keys, `visavis keys` and the
//! guide's list of keys are made from it.
//!
//! [`Keymap`] looks up every [`Key`]; [`Keymap::rows`] lists all bindings.

mod commands;
mod key;
mod table;

use std::cell::RefCell;
use std::collections::HashMap;

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

pub use key::{Key, keys};

use crate::app::{
    Action, BoundKeys, COMMANDS, Context, Edit, Help, KeyTask, Message, Mode, Pointer, Scroll,
};
use crate::toml_file::{TomlEntry, TomlFault};
use table::{KeyTable, Place, is_active_in, layers, name_of};

/// The active keys.
#[derive(Debug, Clone)]
pub struct Keymap {
    table: KeyTable,
    tasks: HashMap<Place, Option<KeyTask>>,
    /// The pending keys of a sequence, and their context.
    pressed: RefCell<(Option<Context>, Vec<Key>)>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::of(KeyTable::built_in())
    }
}

/// The result of a look-up.
enum KeyLookup<'k> {
    /// The keys are bound to this task.
    Task(&'k KeyTask),
    /// The keys begin a longer sequence.
    Prefix,
    /// The user unbound the keys; they do nothing.
    Disabled,
    /// The keys are not bound.
    Unknown,
}

impl Keymap {
    fn of(table: KeyTable) -> Self {
        Self {
            tasks: table.tasks(),
            table,
            pressed: RefCell::default(),
        }
    }

    /// Applies the config file's changes to the built-in keys: `keys` has a table for each context,
    /// `commands` the user commands. Invalid entries are skipped and reported.
    pub fn with_changes(
        keys: Option<&TomlEntry<'_>>,
        commands: Option<&TomlEntry<'_>>,
    ) -> (Self, Vec<TomlFault>) {
        let mut table = KeyTable::built_in();
        let faults = table.change(keys, commands);
        (Self::of(table), faults)
    }

    fn find(&self, context: Context, pressed: &[Key]) -> KeyLookup<'_> {
        for layer in layers(context) {
            let is_letter = pressed.first().is_some_and(|key| key.character().is_some());
            let holds = |task: &KeyTask| is_active_in(context, layer, task, is_letter);
            let begins = |((own, keys), task): (&Place, &Option<KeyTask>)| {
                let is_longer = keys.len() > pressed.len() && keys.starts_with(pressed);
                // In menus, a letter that begins a sequence elsewhere is typed.
                let is_typed = is_letter && context == Context::Menu && layer != Some(context);
                *own == layer && is_longer && !is_typed && task.as_ref().is_some_and(holds)
            };
            if self.tasks.iter().any(begins) {
                return KeyLookup::Prefix;
            }
            match self.tasks.get(&(layer, pressed.to_vec())) {
                Some(Some(task)) if holds(task) => return KeyLookup::Task(task),
                Some(None) => return KeyLookup::Disabled,
                Some(Some(_)) | None => {}
            }
        }
        KeyLookup::Unknown
    }

    /// True if a key is bound in this mode, alone or as the beginning of a sequence.
    pub fn has(&self, key: Key, mode: Mode) -> bool {
        matches!(
            self.find(mode.context(), &[key]),
            KeyLookup::Task(_) | KeyLookup::Prefix
        )
    }

    /// Returns the message of a key in this mode; `None` while a sequence is incomplete.
    pub fn press(&self, key: Key, mode: Mode) -> Option<Message> {
        let context = mode.context();
        let (place, before) = self.pressed.take();
        // A sequence begun in another context is dropped.
        let mut pressed = if place == Some(context) {
            before
        } else {
            Vec::new()
        };
        let is_first = pressed.is_empty();
        if let Some(digit) = key.digit().filter(|_| is_first && !context.is_typing()) {
            return Some(Message::Action(Action::Digit(digit)));
        }
        pressed.push(key);
        match self.find(context, &pressed) {
            KeyLookup::Task(KeyTask::Action(action)) => Some(Message::Action(*action)),
            KeyLookup::Task(KeyTask::Command(line)) => Some(Message::Command(line.clone())),
            KeyLookup::Prefix => {
                self.pressed.replace((Some(context), pressed));
                None
            }
            // Retry with the last key alone, so that no pending sequence swallows a digit or the
            // key to quit.
            KeyLookup::Unknown if !is_first => match self.press(key, mode) {
                Some(Message::Unbound(_)) => Some(self.unbound_message(&pressed, mode)),
                alone => alone,
            },
            KeyLookup::Disabled | KeyLookup::Unknown => {
                match key.character().filter(|_| is_first) {
                    Some(typed) if context.is_typing() || context == Context::Menu => {
                        Some(Message::Action(Action::Edit(Edit::Insert(typed))))
                    }
                    _ if context.is_typing() => None,
                    _ => Some(self.unbound_message(&pressed, mode)),
                }
            }
        }
    }

    /// Returns a notice for an unbound key that says where to look.
    pub fn unbound_key(&self, key: Key, mode: Mode) -> Message {
        self.unbound_message(&[key], mode)
    }

    fn unbound_message(&self, keys: &[Key], mode: Mode) -> Message {
        let help = self.help();
        let named = |context, action| help.key_in(context, action).unwrap_or_default();
        let read = |action| named(Context::Read, action);
        let pressed = shown(keys);
        let instead = match mode {
            Mode::Menu => {
                let [choose, leave] = [named(Context::Menu, Action::Accept), read(Action::Cancel)];
                format!("{choose} chooses, {leave} leaves the menu")
            }
            page if page.is_page() => format!("{} goes back", read(Action::Back)),
            _ => format!("{} lists the keys", read(Action::Help)),
        };
        Message::Unbound(format!("{pressed} does nothing here; {instead}."))
    }

    /// Returns the message of a terminal event in this mode, if any.
    pub fn message(&self, event: &Event, mode: Mode) -> Option<Message> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.press(Key::from(*key), mode)
            }
            Event::Mouse(mouse) => pointer(mouse).map(Message::Pointer),
            Event::Resize(width, height) => Some(Message::Resize(*width, *height)),
            Event::Paste(text) => Some(Message::Paste(text.clone())),
            Event::Key(_) | Event::FocusGained | Event::FocusLost => None,
        }
    }

    /// Returns all keys and commands in display order.
    pub fn rows(&self) -> Vec<KeyRow> {
        let mut rows: Vec<_> = self
            .help()
            .keys
            .into_iter()
            .filter(|hint| !hint.keys.is_empty())
            .map(|hint| KeyRow {
                group: hint.group,
                place: name_of(hint.context),
                keys: hint.keys.join("  "),
                help: hint.help,
            })
            .collect();
        let command = |keys, help| KeyRow {
            group: "Commands".to_owned(),
            place: "command",
            keys,
            help,
        };
        rows.extend(
            COMMANDS
                .iter()
                .map(|one| command(one.usage(), one.help.to_owned())),
        );
        rows.push(command(
            ":42".to_owned(),
            "go to sample number 42".to_owned(),
        ));
        rows.push(command(
            ":ACTION".to_owned(),
            "do what a key does, by the name of its action: :agreement; Tab completes".to_owned(),
        ));
        let own = self.table.own.iter();
        rows.extend(own.map(|own| KeyRow {
            group: "Your own commands".to_owned(),
            ..command(own.usage(), own.about())
        }));
        rows
    }

    /// Returns the user commands and the changed keys as TOML tables.
    pub fn changes_as_toml(&self) -> String {
        self.table.changes_as_toml()
    }

    /// Returns the bindings, with display names of their keys, and the user commands for the help.
    pub fn help(&self) -> Help {
        let hint = |binding: &table::Binding| BoundKeys {
            group: binding.group.clone(),
            context: binding.context,
            keys: binding.keys.iter().map(|keys| shown(keys)).collect(),
            task: binding.task.clone(),
            help: binding.help.clone(),
        };
        Help {
            own: self.table.own.clone(),
            keys: self.table.bindings.iter().map(hint).collect(),
            signs: Vec::new(),
        }
    }
}

fn pointer(event: &MouseEvent) -> Option<Pointer> {
    let (column, row) = (event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Pointer::Press(column, row)),
        MouseEventKind::Drag(MouseButton::Left) => Some(Pointer::Drag(column, row)),
        MouseEventKind::Up(MouseButton::Left) => Some(Pointer::Release),
        MouseEventKind::ScrollDown => Some(Pointer::Wheel(Scroll::LineDown, column, row)),
        MouseEventKind::ScrollUp => Some(Pointer::Wheel(Scroll::LineUp, column, row)),
        _ => None,
    }
}

/// Joins the display names of keys.
fn shown(keys: &[Key]) -> String {
    let keys: Vec<_> = keys.iter().map(Key::to_string).collect();
    keys.join(" ")
}

/// A row of the list of keys and commands.
#[derive(Debug)]
pub struct KeyRow {
    /// Heading under which it is listed.
    pub group: String,
    /// Its context, as named in files of keys.
    pub place: &'static str,
    /// The keys separated by two spaces, or what to type.
    pub keys: String,
    /// A description.
    pub help: String,
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }
}

#[cfg(test)]
mod tests;
