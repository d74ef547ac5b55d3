//! Keys → actions and command lines, by one table, which is data; the keys in the program, `visavis keys` and
//! the manual's list of keys are made from it.
//!
//! [`Keymap`] is asked for every [`Key`]; [`Keymap::rows`] lists what is bound.

mod commands;
mod key;
mod reflexes;
mod table;

use std::cell::RefCell;
use std::collections::HashMap;

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

pub use key::{Key, keys};

use crate::app::{
    Action, BoundKeys, COMMANDS, Context, Edit, Help, KeyTask, Message, Mode, Pointer, Scroll,
};
use crate::toml_file::{TomlEntry, TomlFault};
use reflexes::Reflexes;
use table::{KeyTable, Place, holds_in, layers, name_of};

/// The keys in force, ready for look-ups.
#[derive(Debug, Clone)]
pub struct Keymap {
    table: KeyTable,
    tasks: HashMap<Place, Option<KeyTask>>,
    /// The keys of a sequence that were pressed so far, and where.
    pressed: RefCell<(Option<Context>, Vec<Key>)>,
    reflexes: Reflexes,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::of(KeyTable::built_in())
    }
}

/// What keys come to.
enum Found<'k> {
    /// They do this.
    Task(&'k KeyTask),
    /// They are the beginning of a sequence.
    Beginning,
    /// They were given up and do nothing.
    GivenUp,
    /// They are bound nowhere.
    Unknown,
}

impl Keymap {
    fn of(table: KeyTable) -> Self {
        Self {
            tasks: table.tasks(),
            reflexes: Reflexes::load(&|action| table.key_in(Context::Read, action)),
            table,
            pressed: RefCell::default(),
        }
    }

    /// The built-in keys with the differences of a person's file on top: `keys` holds a table for
    /// each context, and `commands` the user's own commands. What is wrong in them is left out, and said.
    pub fn with_changes(
        keys: Option<&TomlEntry<'_>>,
        commands: Option<&TomlEntry<'_>>,
    ) -> (Self, Vec<TomlFault>) {
        let mut table = KeyTable::built_in();
        let faults = table.change(keys, commands);
        (Self::of(table), faults)
    }

    fn find(&self, context: Context, pressed: &[Key]) -> Found<'_> {
        for layer in layers(context) {
            let is_letter = pressed.first().is_some_and(|key| key.character().is_some());
            let holds = |task: &KeyTask| holds_in(context, layer, task, is_letter);
            let begins = |((own, keys), task): (&Place, &Option<KeyTask>)| {
                let is_longer = keys.len() > pressed.len() && keys.starts_with(pressed);
                // A letter that begins a sequence elsewhere is typed in a menu.
                let is_typed = is_letter && context == Context::Menu && layer != Some(context);
                *own == layer && is_longer && !is_typed && task.as_ref().is_some_and(holds)
            };
            if self.tasks.iter().any(begins) {
                return Found::Beginning;
            }
            match self.tasks.get(&(layer, pressed.to_vec())) {
                Some(Some(task)) if holds(task) => return Found::Task(task),
                Some(None) => return Found::GivenUp,
                Some(Some(_)) | None => {}
            }
        }
        Found::Unknown
    }

    /// Whether a key is bound while this view has the keys, alone or as the first of a sequence.
    pub fn has(&self, key: Key, mode: Mode) -> bool {
        matches!(
            self.find(mode.context(), &[key]),
            Found::Task(_) | Found::Beginning
        )
    }

    /// What a key tells the program while this view has the keys, if anything; a key that begins a
    /// sequence tells nothing yet.
    pub fn press(&self, key: Key, mode: Mode) -> Option<Message> {
        let context = mode.context();
        let (place, before) = self.pressed.take();
        // What was begun elsewhere is not gone on with here.
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
            Found::Task(KeyTask::Action(action)) => Some(Message::Action(*action)),
            Found::Task(KeyTask::Command(line)) => Some(Message::Command(line.clone())),
            Found::Beginning => {
                self.pressed.replace((Some(context), pressed));
                None
            }
            // The last key by itself then: no sequence keeps one from quitting, or loses a digit.
            Found::Unknown if !is_first => match self.press(key, mode) {
                Some(Message::Unbound(_)) => Some(self.without_meaning(&pressed, mode)),
                alone => alone,
            },
            Found::GivenUp | Found::Unknown => match key.character().filter(|_| is_first) {
                Some(typed) if context.is_typing() || context == Context::Menu => {
                    Some(Message::Action(Action::Edit(Edit::Insert(typed))))
                }
                _ if context.is_typing() => None,
                _ => Some(self.without_meaning(&pressed, mode)),
            },
        }
    }

    /// What is said of a key that means nothing while this view has the keys: what does here what
    /// it does in other programs, or else where to look.
    pub fn meaningless(&self, key: Key, mode: Mode) -> Message {
        self.without_meaning(&[key], mode)
    }

    fn without_meaning(&self, keys: &[Key], mode: Mode) -> Message {
        let named = |context, action| self.table.key_in(context, action).unwrap_or_default();
        let read = |action| named(Context::Read, action);
        let pressed = shown(keys);
        let instead = match mode {
            Mode::Menu => {
                let [choose, leave] = [named(Context::Menu, Action::Accept), read(Action::Cancel)];
                format!("{choose} chooses, {leave} leaves the menu")
            }
            page if page.is_page() => format!("{} goes back", read(Action::Back)),
            _ => {
                let reflex = match keys {
                    [key] => self.reflexes.of_key(*key),
                    _ => None,
                };
                if let Some(says) = reflex {
                    return Message::Unbound(format!("{pressed}: {says}"));
                }
                format!("{} lists the keys", read(Action::Help))
            }
        };
        Message::Unbound(format!("{pressed} does nothing here; {instead}."))
    }

    /// What an event of the terminal tells the program while this view has the keys, if anything.
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

    /// All keys and commands, in the order in which they are listed.
    pub fn rows(&self) -> Vec<KeyRow> {
        let mut rows: Vec<_> = self
            .hints()
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
        let own = self.table.own.iter();
        rows.extend(own.map(|own| KeyRow {
            group: "Your own commands".to_owned(),
            ..command(own.usage(), own.about())
        }));
        rows
    }

    /// The JSON Schemas of the tables of keys and of commands in `config.toml`.
    pub fn json_schemas() -> [schemars::Schema; 2] {
        [table::json_schema(), commands::schema()]
    }

    /// The user's own commands, and what was changed of the built-in keys, as tables of a file.
    pub fn changes_as_toml(&self) -> String {
        self.table.changes_as_toml()
    }

    /// Keys by what they do, as people read them.
    fn hints(&self) -> Vec<BoundKeys> {
        let hint = |binding: &table::Binding| BoundKeys {
            group: binding.group.clone(),
            context: binding.context,
            keys: binding.keys.iter().map(|keys| shown(keys)).collect(),
            task: binding.task.clone(),
            help: binding.help.clone(),
        };
        self.table.bindings.iter().map(hint).collect()
    }

    /// What the program knows of its keys.
    pub fn help(&self) -> Help {
        Help {
            commands: self.reflexes.commands.clone(),
            own: self.table.own.clone(),
            keys: self.hints(),
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

/// Keys as people read them.
fn shown(keys: &[Key]) -> String {
    let keys: Vec<_> = keys.iter().map(Key::to_string).collect();
    keys.join(" ")
}

/// Keys that do one thing, or a command, for people.
#[derive(Debug)]
pub struct KeyRow {
    /// Heading under which it is listed.
    pub group: String,
    /// Where it holds, as files of keys call it.
    pub place: &'static str,
    /// The keys, two blanks apart; or what is typed.
    pub keys: String,
    /// What it does.
    pub help: String,
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }
}

#[cfg(test)]
mod tests;
