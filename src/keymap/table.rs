//! The table of keys: read from `assets/keys.toml` and changed by the config file.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::commands;
use super::key::{Key, sequence};
use crate::app::{Action, Context, KeyTask, UserCommand, check_command};
use crate::text::one_line;
use crate::toml_file::{self, TomlEntry, TomlFault, quoted};

/// The file that is compiled in.
pub(super) const BUILT_IN: &str = include_str!("../../assets/keys.toml");
/// Heading of keys that the config file adds.
const OWN: &str = "Your own keys";
/// The message for a key that cannot be bound.
pub(super) const INVALID: &str = "invalid key or action for this table (see visavis guide config), or a conflict with a sequence; unbind keys with false";
/// Maximum cells of a command line shown.
const SHOWN: usize = 200;
/// Name of the table for all contexts.
const EVERYWHERE: &str = "everywhere";

/// The built-in table. A test checks the file; if it were broken, no key would be bound and no data
/// lost.
static TABLE: LazyLock<Vec<Binding>> = LazyLock::new(|| read(BUILT_IN).unwrap_or_default());

/// Keys with the same task.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    /// Heading under which the help lists it.
    pub(super) group: String,
    /// Where they are active; `None` means everywhere.
    pub(super) context: Option<Context>,
    /// The keys, each a sequence; hints show the first. Empty if all were unbound.
    pub(super) keys: Vec<Vec<Key>>,
    /// Their task.
    pub(super) task: KeyTask,
    /// Description of the task.
    pub(super) help: String,
}

/// The context of a key, and the keys pressed.
pub(super) type Place = (Option<Context>, Vec<Key>);

/// Key bindings, including unbound keys.
#[derive(Debug, Clone)]
pub(super) struct KeyTable {
    pub(super) bindings: Vec<Binding>,
    /// Keys that the user unbound; they also hide bindings of other tables.
    pub(super) disabled: Vec<Place>,
    /// User commands.
    pub(super) own: Vec<Arc<UserCommand>>,
    /// Changes to the built-in keys, in file order.
    pub(super) changes: Vec<(Place, Option<KeyTask>)>,
}

impl KeyTable {
    pub(super) fn built_in() -> Self {
        Self {
            bindings: TABLE.clone(),
            disabled: Vec::new(),
            own: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Returns the task of each key sequence; `None` for unbound ones.
    pub(super) fn tasks(&self) -> HashMap<Place, Option<KeyTask>> {
        let disabled = self.disabled.iter().map(|place| (place.clone(), None));
        let bound = self.bindings.iter().flat_map(|binding| {
            let place =
                |keys: &Vec<Key>| ((binding.context, keys.clone()), Some(binding.task.clone()));
            binding.keys.iter().map(place)
        });
        disabled.chain(bound).collect()
    }

    /// Applies the config file: `keys` has a table for each context, and `commands` may have keys
    /// too. Invalid entries are skipped and reported.
    pub(super) fn change(
        &mut self,
        keys: Option<&TomlEntry<'_>>,
        commands: Option<&TomlEntry<'_>>,
    ) -> Vec<TomlFault> {
        let mut faults = Vec::new();
        let mut changes: Vec<Change<'_>> = Vec::new();
        if let Some(commands) = commands {
            (self.own, changes) = commands::read(commands, &mut faults);
        }
        let contexts = keys.map(|keys| keys.entries().map_err(|fault| faults.push(fault)));
        for context in contexts.into_iter().flatten().flatten() {
            let read = context_of(&context).and_then(|holds| Ok((holds, context.entries()?)));
            let (holds, entries) = match read {
                Ok(read) => read,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            for entry in entries {
                match Change::read(holds, entry, &self.own) {
                    Ok(change) if changes.iter().any(|other| other.place == change.place) => {
                        faults.push(change.entry.fault(INVALID));
                    }
                    Ok(change) => changes.push(change),
                    Err(fault) => faults.push(fault),
                }
            }
        }
        // A rejected change leaves its key as it was, which can conflict with other changes in
        // turn.
        loop {
            let mut changed = self.clone();
            match changed.apply(&changes) {
                Ok(()) => {
                    *self = changed;
                    break;
                }
                Err(place) => faults.push(changes.remove(place).entry.fault(INVALID)),
            }
        }
        faults.sort_by_key(|fault| fault.line);
        faults
    }

    /// Applies all changes; on a conflict, returns the index of the first change that conflicts.
    fn apply(&mut self, changes: &[Change<'_>]) -> Result<(), usize> {
        for change in changes {
            self.remove_key(&change.place);
        }
        for (place, change) in changes.iter().enumerate() {
            if self.clashes(change) {
                return Err(place);
            }
            self.changes
                .push((change.place.clone(), change.task.clone()));
            self.add(change);
        }
        Ok(())
    }

    /// Removes a key from its binding.
    fn remove_key(&mut self, (context, keys): &Place) {
        for binding in &mut self.bindings {
            if binding.context == *context {
                binding.keys.retain(|own| own != keys);
            }
        }
        self.disabled.push((*context, keys.clone()));
    }

    /// Returns the user commands and the changes as TOML tables.
    pub(super) fn changes_as_toml(&self) -> String {
        let mut out = String::new();
        for (place, command) in self.own.iter().enumerate() {
            let run: Vec<_> = command.run.iter().map(|word| quoted(word)).collect();
            let help = match &*command.help {
                "" => String::new(),
                help => format!(", help = {}", quoted(help)),
            };
            let heading = if place == 0 { "\n[commands]\n" } else { "" };
            let (name, run) = (&command.name, run.join(", "));
            out.push_str(&format!("{heading}{name} = {{ run = [{run}]{help} }}\n"));
        }
        let mut table = None;
        for ((context, keys), task) in &self.changes {
            if table != Some(context) {
                table = Some(context);
                out.push_str(&format!("\n[keys.{}]\n", name_of(*context)));
            }
            let task = match task {
                None => "false".to_owned(),
                Some(KeyTask::Action(action)) => format!("{:?}", action.name().unwrap_or_default()),
                Some(KeyTask::Command(line)) => quoted(&format!(":{line}")),
            };
            out.push_str(&format!("{} = {task}\n", quoted(&spelled(keys))));
        }
        out
    }

    fn add(&mut self, change: &Change<'_>) {
        let (context, keys) = change.place.clone();
        let Some(task) = change.task.clone() else {
            return;
        };
        self.disabled
            .retain(|place| *place != (context, keys.clone()));
        let same = |binding: &&mut Binding| binding.context == context && binding.task == task;
        if let Some(binding) = self.bindings.iter_mut().find(same) {
            // Hints show the key that the user chose.
            binding.keys.insert(0, keys);
            return;
        }
        let help = match &task {
            // The line appears in lists of keys on terminals.
            KeyTask::Command(line) => {
                let own = self.own.iter().find(|own| *own.name == **line);
                match own.filter(|own| !own.help.is_empty()) {
                    Some(own) => own.about(),
                    None => one_line(&format!(":{line}"), SHOWN),
                }
            }
            KeyTask::Action(_) => TABLE
                .iter()
                .find(|binding| binding.task == task)
                .map_or_else(String::new, |binding| binding.help.clone()),
        };
        self.bindings.push(Binding {
            group: OWN.to_owned(),
            context,
            keys: vec![keys],
            task,
            help,
        });
    }

    /// True if a sequence is the beginning of another one, which could then never be completed.
    fn clashes(&self, change: &Change<'_>) -> bool {
        let (context, keys) = &change.place;
        let seen: Vec<_> = context
            .map_or(Context::ALL.to_vec(), |context| vec![context])
            .iter()
            .flat_map(|one| layers(*one))
            .collect();
        let mut seen = self
            .bindings
            .iter()
            .filter(|binding| seen.contains(&binding.context));
        change.task.is_some()
            && seen.any(|binding| {
                let is_beside =
                    binding.context == *context || context.is_none() || binding.context.is_none();
                binding.keys.iter().any(|other| {
                    let is_given_up = self.disabled.contains(&(*context, other.clone()));
                    let continues = keys.len() > other.len() && keys.starts_with(other);
                    let begins = keys.len() < other.len() && other.starts_with(keys);
                    !is_given_up && (continues || begins && is_beside)
                })
            })
    }
}

/// A line of the config file.
pub(super) struct Change<'t> {
    entry: TomlEntry<'t>,
    place: Place,
    /// `None` unbinds the key.
    task: Option<KeyTask>,
}

impl<'t> Change<'t> {
    fn read(
        context: Option<Context>,
        entry: TomlEntry<'t>,
        own: &[Arc<UserCommand>],
    ) -> Result<Self, TomlFault> {
        let keys = sequence(&entry.name).ok_or_else(|| entry.fault(INVALID))?;
        let task = if !entry.is_text() && entry.read() == Ok(false) {
            None
        } else {
            let text: String = entry
                .read_as("the name of an action, a command line like \":sort -margin\" or false")?;
            Some(task(&text, own).map_err(|what| entry.fault(what))?)
        };
        Self::of(entry, (context, keys), task)
    }

    /// Creates a change.
    ///
    /// # Errors
    /// If its key cannot be bound in this context.
    pub(super) fn of(
        entry: TomlEntry<'t>,
        (context, keys): Place,
        task: Option<KeyTask>,
    ) -> Result<Self, TomlFault> {
        let first_types = keys.first().is_some_and(|key| key.character().is_some());
        let first_counts = keys.first().is_some_and(|key| key.digit().is_some());
        let is_typing = context.is_some_and(Context::is_typing);
        // Characters are typed in lines and notes, and digits elsewhere are counts.
        let is_free = match context {
            None => !first_types,
            Some(_) if is_typing => !first_types || keys.len() == 1,
            Some(_) => !first_counts,
        };
        if !(task.as_ref()).is_none_or(|task| is_free && has_effect(task, context)) {
            return Err(entry.fault(INVALID));
        }
        Ok(Self {
            entry,
            place: (context, keys),
            task,
        })
    }
}

/// True if a task has an effect in a context.
fn has_effect(task: &KeyTask, context: Option<Context>) -> bool {
    use Context::{Findings, Panel, Rate, Read};
    match task {
        KeyTask::Command(_) => matches!(context, None | Some(Read | Panel | Rate | Findings)),
        KeyTask::Action(action) => places_of(*action).contains(&context),
    }
}

/// Returns the contexts in which an action has an effect: those with a built-in key for it, and
/// those that inherit these keys.
fn places_of(action: Action) -> Vec<Option<Context>> {
    let task = KeyTask::Action(action);
    let own: Vec<_> = TABLE
        .iter()
        .filter(|binding| binding.task == task)
        .map(|binding| binding.context)
        .collect();
    let holds = |context: &Context| {
        layers(*context)
            .any(|layer| own.contains(&layer) && is_active_in(*context, layer, &task, false))
    };
    let mut places: Vec<_> = Context::ALL.into_iter().filter(holds).map(Some).collect();
    if places.contains(&Some(Context::Read)) {
        places.push(None);
    }
    places
}

/// Returns the tables in which a key of a context is looked up, in order: its own, `everywhere`,
/// and that of the context whose keys it inherits.
pub(super) fn layers(context: Context) -> impl Iterator<Item = Option<Context>> {
    let besides = match context {
        Context::Read | Context::Line => None,
        // Keys that edit a line also edit a note.
        Context::Note => Some(Context::Line),
        // Keys that move between samples also move in menus.
        Context::Menu
        | Context::Panel
        | Context::Rate
        | Context::Statistics
        | Context::Findings
        | Context::Layout => Some(Context::Read),
    };
    [Some(context), None].into_iter().chain(besides.map(Some))
}

/// True if a task of a layer is active in a context. Notes inherit from lines only what changes
/// text. Menus, in which letters filter the entries, inherit only the letters for moving, going
/// back and help.
pub(super) fn is_active_in(
    context: Context,
    layer: Option<Context>,
    task: &KeyTask,
    is_letter: bool,
) -> bool {
    let KeyTask::Action(action) = task else {
        return !is_letter || context != Context::Menu;
    };
    match (context, layer) {
        (Context::Note, Some(Context::Line)) => action.changes_lines(),
        (Context::Menu, Some(Context::Read)) if is_letter => matches!(
            action,
            Action::NextSample | Action::PreviousSample | Action::Back | Action::Help
        ),
        _ => true,
    }
}

/// Parses the task of a key.
fn task(text: &str, own: &[Arc<UserCommand>]) -> Result<KeyTask, String> {
    if let Some(line) = text.strip_prefix(':') {
        check_command(line, own)?;
        return Ok(KeyTask::Command(line.trim().into()));
    }
    Action::named(text)
        .map(KeyTask::Action)
        .ok_or_else(|| INVALID.to_owned())
}

/// Returns the name of a context in files of keys.
pub(super) fn name_of(context: Option<Context>) -> &'static str {
    context.map_or(EVERYWHERE, Context::name)
}

/// Returns the context of a table in the config file.
fn context_of(entry: &TomlEntry<'_>) -> Result<Option<Context>, TomlFault> {
    context_named(&entry.name).ok_or_else(|| {
        let names = Context::ALL.map(Context::name).into_iter();
        entry.unknown("context", names.chain([EVERYWHERE]))
    })
}

fn context_named(name: &str) -> Option<Option<Context>> {
    if name == EVERYWHERE {
        return Some(None);
    }
    Context::named(name).map(Some)
}

/// Returns keys in the notation of files.
fn spelled(keys: &[Key]) -> String {
    let keys: Vec<_> = keys.iter().map(|key| key.spelling()).collect();
    keys.join(" ")
}

/// The file of built-in keys.
#[derive(Deserialize)]
struct KeysFile {
    group: Vec<KeyGroup>,
}

#[derive(Deserialize)]
struct KeyGroup {
    title: String,
    context: String,
    bindings: Vec<KeyBinding>,
}

#[derive(Deserialize)]
struct KeyBinding {
    context: Option<String>,
    action: String,
    keys: Vec<String>,
    help: String,
}

/// Reads a complete file of keys.
///
/// # Errors
/// If anything in it is invalid.
pub(super) fn read(text: &str) -> Result<Vec<Binding>, String> {
    let file: KeysFile = toml_file::parse(text).map_err(|fault| fault.to_string())?;
    let mut bindings = Vec::new();
    for group in file.group {
        for row in group.bindings {
            let context = row.context.as_ref().unwrap_or(&group.context);
            let keys = row.keys.iter().map(|keys| sequence(keys).ok_or(INVALID));
            bindings.push(Binding {
                group: group.title.clone(),
                context: context_named(context).ok_or("unknown context")?,
                keys: keys.collect::<Result<_, _>>()?,
                task: task(&row.action, &[])?,
                help: row.help,
            });
        }
    }
    Ok(bindings)
}
