//! The command line after `:`, and the table of commands that help and completion are made from.
//! The name of an action of the panes is a command too.

use std::collections::HashSet;
use std::sync::Arc;

use super::menu::{Menu, MenuLine};
use super::perform::ViewRequest;
use super::shown::filtering::ActiveFilter;
use super::{ACTIONS, Action, App, DifferencePage, Effect, KeyTask, Review, UserCommand, texts};
use crate::guide;
use crate::query::{self, Completion, Completions, Query, QueryError};
use crate::text;

/// Maximum width of a notice in cells.
const NOTICE: usize = 300;

/// A command.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Name, as typed.
    pub name: &'static str,
    /// Arguments as shown in the help; empty for none.
    pub arguments: &'static str,
    /// Description for the help.
    pub help: &'static str,
}

/// Declares the commands, one row each: name, arguments, help.
macro_rules! commands {
    ($($name:literal $arguments:literal $help:literal;)*) => {
        /// All commands. A number is also a command: it goes to that sample.
        pub static COMMANDS: &[Command] = &[
            $(Command { name: $name, arguments: $arguments, help: $help },)*
        ];
    };
}

commands! {
    "save" "NAME" "save the active filter under a name";
    "save!" "NAME" "save the active filter; replace the one of this name";
    "filters" "" "list saved filters of this kind of data; apply or delete one";
    "filter" "NAME" "apply a saved filter";
    "sort" "KEY -KEY …" "sort by fields, -KEY descending; alone: file order";
    "columns" "FIELD,FIELD…" "choose the columns of the list; alone: the default";
    "audit" "N seed=7 by=FIELD repeat=10% blind" "draw samples to judge, or resume an audit; alone: ask; off: leave";
    "audits" "" "list all audits of the journal: resume, join or open one";
    "adjudicate" "ANN BEN" "judge samples on which two reviewers disagree; their judgments are hidden";
    "check" "VERDICT" "record that the dataset is right, wrong or unclear about the sample; off: remove the check";
    "blind" "" "toggle blind: hide labels until a sample is judged";
    "export" "WHAT FILE" "write result, marks, audit, sample or report; suffix sets the format: .jsonl .trl.jsonl .csv .md .html";
    "export!" "WHAT FILE" "export; overwrite an existing file";
    "diff" "FILE" "compare with the version of the data in FILE; alone: toggle word diff of the two responses";
    "max-len" "N" "set how many characters of a response training keeps; finds pairs that are equal up to there";
    "theme" "NAME" "set colours until you quit; alone: a menu with preview";
    "mouse" "" "toggle mouse: capture it, or leave it to the terminal";
    "help" "TOPIC" "open a page of the guide; alone: the keys";
    "q" "" "quit";
}

impl Command {
    /// Returns the command with its arguments, as typed.
    pub fn usage(&self) -> String {
        format!(":{} {}", self.name, self.arguments)
            .trim_end()
            .to_owned()
    }
}

/// A command line, split into name and argument.
struct CommandLine<'t> {
    name: &'t str,
    argument: &'t str,
    /// Byte offset of the argument.
    at: usize,
}

impl<'t> CommandLine<'t> {
    fn of(text: &'t str) -> Self {
        let typed = text.trim_start();
        let (name, rest) = typed.split_once(' ').unwrap_or((typed, ""));
        let argument = rest.trim_start();
        Self {
            name,
            argument: argument.trim_end(),
            at: text.len() - argument.len(),
        }
    }

    /// Returns an error at the argument or at its missing position.
    fn error(&self, message: impl Into<String>) -> QueryError {
        QueryError::new(self.at..self.at + self.argument.len(), message)
    }
}

/// Checks that a command of this name exists; `text` has no colon. Arguments are checked when it
/// runs.
///
/// # Errors
/// If the command is unknown; the message suggests a similar name.
pub fn check_command(text: &str, own: &[Arc<UserCommand>]) -> Result<(), String> {
    let name = CommandLine::of(text).name;
    let is_known = names(own).any(|known| known == name);
    if is_known || name.parse::<usize>().is_ok() {
        Ok(())
    } else {
        Err(unknown(name, own))
    }
}

/// Returns the names of all commands, and of actions.
fn names(own: &[Arc<UserCommand>]) -> impl Iterator<Item = &str> + Clone {
    let actions = ACTIONS.iter().filter(|(_, action)| action.is_of_panes());
    let own = own.iter().map(|command| &*command.name);
    let built_in = COMMANDS.iter().map(|command| command.name);
    built_in.chain(own).chain(actions.map(|(name, _)| *name))
}

impl App {
    /// Runs the command that is bound to a key. It applies only to the panes, not to views on top.
    pub(super) fn run_bound_command(&mut self, text: &str) {
        self.act(Action::Nothing);
        if !self.mode().is_base_or_drawer() {
            self.status.ignored = true;
            return;
        }
        if let Err(error) = self.run_command(text) {
            let notice = format!(":{text}: {}", error.message);
            self.say(text::one_line(&notice, NOTICE));
        }
    }

    /// Runs a command line.
    ///
    /// # Errors
    /// If the command or its argument is invalid; then nothing was changed.
    pub(super) fn run_command(&mut self, text: &str) -> Result<(), QueryError> {
        let line = CommandLine::of(text);
        if line.name.is_empty() {
            return Ok(());
        }
        if let Ok(number) = line.name.parse::<usize>() {
            self.go_to(number);
            return Ok(());
        }
        let own = &self.settings.help.own;
        if let Some(command) = own.iter().find(|own| own.name == line.name) {
            if !line.argument.is_empty() {
                return Err(line.error(texts::no_arguments(&command.name)));
            }
            let command = Arc::clone(command);
            self.run_user_command(command);
            return Ok(());
        }
        let command = COMMANDS.iter().find(|command| command.name == line.name);
        let action = Action::named(line.name).filter(|action| action.is_of_panes());
        if command.is_none() && action.is_none() {
            let start = text.len() - text.trim_start().len();
            let own = &self.settings.help.own;
            let span = start..start + line.name.len();
            return Err(QueryError::new(span, unknown(line.name, own)));
        }
        let takes_none = command.is_none_or(|command| command.arguments.is_empty());
        if takes_none && !line.argument.is_empty() {
            return Err(line.error(texts::no_arguments(line.name)));
        }
        if let Some(action) = action.filter(|_| command.is_none()) {
            self.act_in_read(action, None);
            return Ok(());
        }
        let shows = matches!(line.name, "filter" | "sort" | "columns");
        if shows {
            self.leave_finished_audit();
        }
        if shows && self.is_auditing() {
            return Ok(());
        }
        self.perform_command(&line, text)
    }

    fn perform_command(&mut self, line: &CommandLine<'_>, text: &str) -> Result<(), QueryError> {
        let (argument, of_line) = (line.argument, |message: String| line.error(message));
        let is_forced = line.name.ends_with('!');
        match line.name {
            "save" | "save!" => self.save_filter(line, is_forced)?,
            "filters" | "filter" if argument.is_empty() => {
                if self.saved_filters().is_empty() {
                    return Err(line.error(texts::no_saved_filters(self.kind())));
                }
                self.show_filters();
            }
            "filter" => self.apply_named(line)?,
            "sort" => self.sort_by(line)?,
            "columns" => {
                self.choose_columns(argument).map_err(|error| QueryError {
                    span: line.at + error.span.start..line.at + error.span.end,
                    ..error
                })?;
            }
            "max-len" => self.set_max_len_by_command(line)?,
            "audit" | "audits" | "adjudicate"
                if argument != "off" && self.asks_who(ViewRequest::Run(text.to_owned())) => {}
            "audit" => {
                (self.audit(argument, false)).map_err(of_line)?;
            }
            "audits" => self.list_audits().map_err(of_line)?,
            "adjudicate" => {
                (self.adjudicate(argument)).map_err(of_line)?;
            }
            "check" => {
                (self.check_as_typed(argument)).map_err(of_line)?;
            }
            "export" | "export!" => {
                (self.export(argument, is_forced, text)).map_err(of_line)?;
            }
            "help" if !argument.is_empty() => {
                self.open_guide(argument).map_err(of_line)?;
            }
            "help" => self.open_keys(false),
            "blind" => self.toggle_blind(),
            "diff" if !argument.is_empty() => {
                DifferencePage::open(argument, self).map_err(of_line)?;
            }
            "diff" => self.toggle_diff(),
            "theme" => self.choose_theme(argument).map_err(of_line)?,
            "mouse" => self.request(Effect::ToggleMouse),
            "q" => self.quit(),
            // `run_command` has checked the name.
            _ => {}
        }
        Ok(())
    }

    /// Sets the length in characters to which training truncates responses, which changes what
    /// rules find; none and 0 mean unknown. Drops the active filter if it has become invalid.
    fn set_max_len_by_command(&mut self, line: &CommandLine<'_>) -> Result<(), QueryError> {
        let characters = match line.argument {
            "" => None,
            number => match number.parse::<u32>() {
                Ok(number) => Some(number).filter(|number| *number > 0),
                Err(_) => return Err(line.error(texts::WHOLE_NUMBER)),
            },
        };
        self.data.rules = std::mem::take(&mut self.data.rules).with_max_len(characters);
        self.data.dataset.forget_findings();
        self.data.read_catalog();
        let dropped = self.reparse_active_filter();
        self.list.forget();
        self.reparse_filter_line();
        self.say(match (dropped, characters) {
            (Some(error), _) => texts::filter_invalid(error.message),
            (None, Some(_)) => texts::max_len_set(line.argument),
            (None, None) => texts::MAX_LEN_UNSET.to_owned(),
        });
        Ok(())
    }

    fn show_filters(&mut self) {
        let title = texts::saved_filters_title(self.kind());
        let lines = self.saved_filters().iter();
        let line = |(name, text): &(String, String)| {
            MenuLine::new(name, text.clone(), ViewRequest::Filter(name.clone()))
        };
        let hints = &[
            (Action::Accept, "apply"),
            (Action::Delete, "delete"),
            (Action::Cancel, "close"),
        ];
        let lines: Vec<_> = lines.map(line).collect();
        let open = self.views.menu_mut();
        match open.filter(|menu| menu.title == title && !lines.is_empty()) {
            Some(menu) => menu.replace_lines(lines),
            None => self.views.open_menu(Menu::new(&title, lines, 0, hints)),
        }
    }

    /// Stores the saved filters and shows a notice.
    pub(super) fn take_saved(&mut self, saved: super::SavedFilters, notice: String) {
        self.settings.saved = saved;
        self.say(notice);
        let is_filter = |line: &MenuLine| matches!(line.task, ViewRequest::Filter(_));
        let menu = self.views.menu();
        if menu.is_some_and(|menu| menu.lines.iter().all(is_filter)) {
            self.show_filters();
        }
    }
}

impl Review {
    /// Says how many judgments are not saved, and why.
    pub fn unsaved(&self) -> Option<String> {
        let trouble = text::one_line(self.saving.trouble.as_ref()?, NOTICE);
        Some(texts::not_saved(self.saving.waiting, trouble))
    }
}

impl App {
    fn save_filter(&mut self, line: &CommandLine<'_>, replace: bool) -> Result<(), QueryError> {
        let Some(text) = self.filter.text() else {
            return Err(line.error(texts::NOTHING_TO_SAVE));
        };
        if line.argument.is_empty() {
            return Err(line.error(texts::NAME_EXPECTED));
        }
        let known = self
            .saved_filters()
            .iter()
            .find(|(name, _)| name == line.argument);
        if let Some((name, old)) = known.filter(|(_, old)| !replace && *old != text) {
            return Err(line.error(texts::filter_exists(name, old)));
        }
        self.keep_filter(line.argument, Some(text));
        Ok(())
    }

    fn apply_named(&mut self, line: &CommandLine<'_>) -> Result<(), QueryError> {
        let names = self.saved_filters().iter().map(|(name, _)| name.as_str());
        if !names.clone().any(|name| name == line.argument) {
            let message = nearest(line.argument, names).map_or_else(
                || texts::NO_SUCH_FILTER.to_owned(),
                texts::no_such_filter_but,
            );
            return Err(line.error(message));
        }
        self.apply_saved(line.argument);
        Ok(())
    }

    /// Applies a saved filter, or shows why that is not possible.
    pub(super) fn apply_saved(&mut self, name: &str) {
        let Some((_, text)) = self.saved_filters().iter().find(|(known, _)| known == name) else {
            return;
        };
        match ActiveFilter::parse(text, &self.data.catalog) {
            Ok(query) => self.set_filter(query),
            Err(error) => {
                let notice = texts::saved_filter_invalid(name, error);
                self.say(text::one_line(&notice, NOTICE));
            }
        }
        self.release_anchor();
    }

    /// Returns the name of the data's schema, which saved filters belong to.
    pub(super) fn kind(&self) -> String {
        self.data
            .dataset
            .files()
            .first()
            .map(|file| file.schema.definition().name.clone())
            .unwrap_or_default()
    }

    /// Returns name and text of the filters saved for this kind of data.
    pub(super) fn saved_filters(&self) -> &[(String, String)] {
        self.settings
            .saved
            .get(&self.kind())
            .map_or(&[], Vec::as_slice)
    }

    /// Saves a filter, or deletes it if there is no text. Answered by
    /// [`Message::Saved`](super::Message::Saved).
    pub(super) fn keep_filter(&mut self, name: &str, text: Option<String>) {
        self.request(Effect::KeepFilter {
            schema: self.kind(),
            name: name.to_owned(),
            text,
        });
    }

    fn sort_by(&mut self, line: &CommandLine<'_>) -> Result<(), QueryError> {
        let keys: Vec<_> = words_outside_parentheses(line.argument)
            .iter()
            .map(|key| format!("sort:{}", key.strip_prefix("sort:").unwrap_or(key)))
            .collect();
        let sort = query::parse(&keys.join(" "), &self.data.catalog)
            .map_err(|error| line.error(error.message))?
            .sort;
        self.change_query(|query| Query {
            filter: query.filter.clone(),
            sort,
        });
        Ok(())
    }

    /// Returns the completions at a byte offset of a command line.
    pub(super) fn command_completions(&self, text: &str, cursor: usize) -> Completions {
        let line = CommandLine::of(text);
        if cursor <= line.at && !text[..cursor].trim_start().contains(' ') {
            let start = cursor - text[..cursor].trim_start().len();
            let typed = &text[start..cursor];
            let built_in = COMMANDS.iter().map(|command| {
                let colon = if command.arguments.is_empty() {
                    ""
                } else {
                    ": "
                };
                let note = format!("{}{colon}{}", command.arguments, command.help);
                (command.name.to_owned(), note)
            });
            let own = self
                .settings
                .help
                .own
                .iter()
                .map(|command| (command.name.clone(), command.about()));
            let keys = &self.settings.help.keys;
            let actions = keys.iter().filter_map(|bound| match bound.task {
                KeyTask::Action(action) if action.is_of_panes() => {
                    let key = bound.keys.first().map_or("", String::as_str);
                    Some((action.name()?.to_owned(), format!("{key}: {}", bound.help)))
                }
                _ => None,
            });
            let mut items = beginning(typed, built_in.chain(own).chain(actions));
            let mut known = HashSet::new();
            items.retain(|item| known.insert(item.text.clone()));
            return Completions {
                span: start..cursor,
                items,
            };
        }
        let span = line.at.min(cursor)..cursor;
        let typed = &text[span.clone()];
        let items = match line.name {
            "filter" => beginning(typed, self.saved_filters().iter().cloned()),
            "help" => {
                let topics = guide::topics().into_iter();
                beginning(typed, topics.map(|topic| (topic.name, topic.summary)))
            }
            "theme" => beginning(typed, self.settings.themes.typed_names()),
            // A field name is completed like the beginning of a query.
            "columns" | "sort" => {
                let start = text[..cursor]
                    .rfind([',', ' '])
                    .map_or(line.at, |at| at + 1)
                    .min(cursor);
                let start = start + usize::from(text[start..cursor].starts_with('-'));
                let found = self.query_completions(&text[start..cursor], cursor - start);
                return Completions {
                    span: found.span.start + start..found.span.end + start,
                    items: found.items,
                };
            }
            _ => Vec::new(),
        };
        Completions { span, items }
    }
}

/// Returns the names that begin with `typed`, each with a note.
fn beginning<N: Into<String>, T: Into<String>>(
    typed: &str,
    names: impl Iterator<Item = (N, T)>,
) -> Vec<Completion> {
    names
        .map(|(name, note)| Completion {
            text: name.into(),
            note: note.into(),
        })
        .filter(|item| item.text.starts_with(typed))
        .collect()
}

/// Splits at whitespace outside of parentheses.
fn words_outside_parentheses(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|sign: char| {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && sign.is_whitespace()
    })
    .filter(|word| !word.is_empty())
    .collect()
}

fn unknown(name: &str, own: &[Arc<UserCommand>]) -> String {
    match nearest(name, names(own)) {
        Some(near) => texts::unknown_command_but(name, near),
        None => {
            let built_in = COMMANDS.iter().map(|command| command.name);
            let known = built_in.chain(own.iter().map(|command| &*command.name));
            let known = known.map(|name| format!(":{name}"));
            let known: Vec<_> = known.collect();
            texts::unknown_command(name, known.join(" "))
        }
    }
}

/// Returns the name that begins with the typed text, or else a similarly spelled one.
fn nearest<'n>(typed: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    names
        .clone()
        .find(|name| name.starts_with(typed))
        .or_else(|| query::nearest(typed, names.clone()))
        // `stats` for `statistics`.
        .or_else(|| {
            let has_all = |name: &&str| {
                let mut letters = name.chars();
                typed.chars().next() == name.chars().next()
                    && typed.chars().all(|one| letters.any(|it| it == one))
            };
            let mut names = names;
            names.find(has_all)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cut_at_blanks() {
        for (text, words) in [
            ("a -b", &["a", "-b"][..]),
            (
                " (len.response - len.prompt)  turns ",
                &["(len.response - len.prompt)", "turns"],
            ),
            ("-abs(a - b) x", &["-abs(a - b)", "x"]),
            ("", &[]),
        ] {
            assert_eq!(words_outside_parentheses(text), words, "{text}");
        }
    }

    #[test]
    fn slips_are_understood() {
        for (typed, near) in [
            ("sav", Some("save")),
            ("flter", Some("filter")),
            ("hlep", Some("help")),
            ("stats", Some("statistics")),
            ("xyzzy", None),
        ] {
            assert_eq!(nearest(typed, names(&[])), near, "{typed}");
        }
    }
}
