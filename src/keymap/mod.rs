//! Keys → actions, by one table; the help screen, `visavis keys` and the manual's list of keys are
//! made from it.

mod key;
mod reflexes;

use std::cell::Cell;
use std::collections::HashMap;

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

pub use key::{Key, keys};
use reflexes::Reflexes;

use crate::app::{
    Action, COMMANDS, Context, Edit, Help, HelpLine, Message, Mode, Pane, PanelAction, Pointer,
    RatingAction, Scroll, Toggle,
};
use crate::model::ResponseId;

/// Keys that do the same thing.
#[derive(Debug)]
pub struct Binding {
    /// Heading under which the help lists it.
    pub group: &'static str,
    /// Where they do it; `None` means everywhere.
    pub context: Option<Context>,
    /// The keys, as [`keys`] spells them.
    pub keys: &'static [&'static str],
    /// What they do.
    pub action: Action,
    /// What they do, for people; empty where the line above says it already.
    pub help: &'static str,
}

const SAMPLES: &str = "Samples";
const TEXT: &str = "Focused pane (in the list: samples)";
const PANES: &str = "Panes";
const VIEW: &str = "View";
const FIND: &str = "Finding";
const JUDGE: &str = "Judging";
const PROGRAM: &str = "Program";
const TYPING: &str = "While typing a filter, a search or a command";
const PANEL: &str = "In the labels panel";
const MENUS: &str = "In a menu";
const RATING: &str = "In the rating strip (digits are values)";
const NOTES: &str = "While writing a note";

const fn binding(
    group: &'static str,
    keys: &'static [&'static str],
    action: Action,
    help: &'static str,
) -> Binding {
    Binding {
        group,
        context: Some(Context::Read),
        keys,
        action,
        help,
    }
}

/// Of a key that does the same wherever one is.
const fn always(keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding {
        group: PROGRAM,
        context: None,
        keys,
        action,
        help,
    }
}

const fn typing(keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding {
        group: TYPING,
        context: Some(Context::Line),
        keys,
        action,
        help,
    }
}

const fn edit(keys: &'static [&'static str], edit: Edit, help: &'static str) -> Binding {
    typing(keys, Action::Edit(edit), help)
}

const fn panel(keys: &'static [&'static str], handle: PanelAction, help: &'static str) -> Binding {
    Binding {
        group: PANEL,
        context: Some(Context::Panel),
        keys,
        action: Action::Handle(handle),
        help,
    }
}

const fn rating(
    keys: &'static [&'static str],
    answering: RatingAction,
    help: &'static str,
) -> Binding {
    Binding {
        group: RATING,
        context: Some(Context::Rate),
        keys,
        action: Action::Answer(answering),
        help,
    }
}

const fn note(keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding {
        group: NOTES,
        context: Some(Context::Note),
        keys,
        action,
        help,
    }
}

const fn menu(keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding {
        group: MENUS,
        context: Some(Context::Menu),
        keys,
        action,
        help,
    }
}

/// All keys.
pub static BINDINGS: &[Binding] = &[
    binding(
        SAMPLES,
        &["j", "<down>"],
        Action::NextSample,
        "next sample; 10j goes ten further",
    ),
    binding(
        SAMPLES,
        &["k", "<up>"],
        Action::PreviousSample,
        "previous sample",
    ),
    binding(
        SAMPLES,
        &["g"],
        Action::FirstSample,
        "first sample; 42g goes to number 42",
    ),
    binding(
        SAMPLES,
        &["G"],
        Action::LastSample,
        "last sample; 42G goes to number 42",
    ),
    binding(
        TEXT,
        &["<space>", "<pgdn>", "<c-f>"],
        Action::Scroll(Scroll::PageDown),
        "a page down",
    ),
    binding(
        TEXT,
        &["b", "<pgup>", "<c-b>"],
        Action::Scroll(Scroll::PageUp),
        "a page up",
    ),
    binding(
        TEXT,
        &["<c-d>"],
        Action::Scroll(Scroll::HalfDown),
        "half a page down",
    ),
    binding(
        TEXT,
        &["<c-u>"],
        Action::Scroll(Scroll::HalfUp),
        "half a page up",
    ),
    binding(
        TEXT,
        &["J", "<c-e>"],
        Action::Scroll(Scroll::LineDown),
        "a line down; with a count, so many",
    ),
    binding(
        TEXT,
        &["K", "<c-y>"],
        Action::Scroll(Scroll::LineUp),
        "a line up",
    ),
    binding(
        TEXT,
        &["<home>"],
        Action::Scroll(Scroll::Top),
        "to its beginning",
    ),
    binding(
        TEXT,
        &["<end>"],
        Action::Scroll(Scroll::Bottom),
        "to its end",
    ),
    binding(
        PANES,
        &["<tab>", "l", "<right>"],
        Action::NextPane,
        "next pane: list, prompt, A, B",
    ),
    binding(
        PANES,
        &["<s-tab>", "h", "<left>"],
        Action::PreviousPane,
        "previous pane",
    ),
    binding(
        PANES,
        &["]"],
        Action::NextResponse(Pane::Right),
        "of more than two responses: the next in the right pane",
    ),
    binding(
        PANES,
        &["["],
        Action::PreviousResponse(Pane::Right),
        "the one before there",
    ),
    binding(
        PANES,
        &["}"],
        Action::NextResponse(Pane::Left),
        "of more than two: the next in the left pane",
    ),
    binding(
        PANES,
        &["{"],
        Action::PreviousResponse(Pane::Left),
        "the one before there",
    ),
    binding(
        PANES,
        &["\\"],
        Action::ToggleList,
        "show the list of samples, or hide it",
    ),
    binding(PANES, &[">"], Action::WidenList, "a wider list"),
    binding(PANES, &["<lt>"], Action::NarrowList, "a narrower list"),
    binding(
        PANES,
        &["<enter>"],
        Action::Zoom,
        "zoom the pane, and back; in the list: read the sample",
    ),
    binding(
        FIND,
        &["f"],
        Action::Filter,
        "filter: show the samples that a query finds",
    ),
    binding(
        FIND,
        &["F"],
        Action::LabelsPanel,
        "labels panel: filter by moving handles, with charts of what is shown",
    ),
    binding(FIND, &["s"], Action::Sort, "sort: a menu of what by"),
    binding(
        FIND,
        &["/"],
        Action::Search,
        "search: show the samples that say it, the likeliest first",
    ),
    binding(
        FIND,
        &["n"],
        Action::NextHit,
        "next hit of the search, also in the next sample",
    ),
    binding(FIND, &["N"], Action::PreviousHit, "hit before"),
    binding(FIND, &[":"], Action::Command, "type a command"),
    binding(
        JUDGE,
        &["r"],
        Action::Rate,
        "rate: the questions about the sample, answered by digits",
    ),
    binding(JUDGE, &["m"], Action::Mark, "mark the sample, or no longer"),
    binding(JUDGE, &["'"], Action::NextMark, "next marked sample"),
    binding(
        JUDGE,
        &["t"],
        Action::Tag,
        "tag the sample; -TAG takes one away",
    ),
    binding(JUDGE, &["e"], Action::Note, "write a note about it"),
    binding(JUDGE, &["u"], Action::Undo, "undo your latest act"),
    binding(JUDGE, &["<c-r>"], Action::Redo, "do again what was undone"),
    binding(
        JUDGE,
        &["A"],
        Action::Agreement,
        "how far you agree with the dataset",
    ),
    binding(
        JUDGE,
        &["y"],
        Action::Copy,
        "copy the sample, a response, its place or its raw line",
    ),
    binding(
        JUDGE,
        &["x"],
        Action::Export,
        "export the result, the marks or the audit into a file",
    ),
    binding(
        VIEW,
        &["v"],
        Action::Record,
        "the raw record as JSON, and back; Enter there folds",
    ),
    binding(
        VIEW,
        &["T"],
        Action::Tokens,
        "the tokens of the response as text (WebGPT's), and back",
    ),
    binding(
        VIEW,
        &["L"],
        Action::Toggle(Toggle::Lock),
        "A and B scroll together, or each on its own",
    ),
    binding(
        VIEW,
        &["M"],
        Action::Toggle(Toggle::Markdown),
        "Markdown rendered, or as written",
    ),
    binding(
        VIEW,
        &["z"],
        Action::Toggle(Toggle::Folds),
        "reasoning and tool turns whole, or their first lines",
    ),
    binding(
        VIEW,
        &["X"],
        Action::Toggle(Toggle::Hidden),
        "hidden characters shown as glyphs, or not at all",
    ),
    binding(
        PROGRAM,
        &["?", "<f1>"],
        Action::Help,
        "these keys, and back; Enter there: the guide",
    ),
    binding(PROGRAM, &["R"], Action::Reload, "read the files again"),
    always(&["<c-l>"], Action::Redraw, "paint the screen anew"),
    always(&["<c-z>"], Action::Suspend, "suspend; fg comes back"),
    binding(
        PROGRAM,
        &["<esc>"],
        Action::Cancel,
        "drop a count, the zoom or the search, leave the help; never quits",
    ),
    binding(PROGRAM, &["q"], Action::Back, "one level back, then quit"),
    binding(
        PROGRAM,
        &["ZZ", "ZQ"],
        Action::Leave,
        "quit: what you judged is saved already",
    ),
    always(
        &["<c-c>"],
        Action::Quit,
        "drop the line or the menu; over a note that is not saved, ask once; else quit",
    ),
    typing(
        &["<enter>"],
        Action::Accept,
        "keep the filter or the search, or do what the command says; an empty one is none",
    ),
    typing(
        &["<esc>"],
        Action::Cancel,
        "back to the filter or the search and the sample from before",
    ),
    typing(
        &["<tab>"],
        Action::Complete,
        "complete; once more: the next way to; of a search: which texts",
    ),
    typing(
        &["<s-tab>"],
        Action::CompleteBack,
        "the way to complete before",
    ),
    typing(
        &["<c-t>"],
        Action::Order,
        "of a search: the likeliest first, or in dataset order",
    ),
    typing(
        &["<up>", "<c-p>"],
        Action::Earlier,
        "the line typed before this one",
    ),
    typing(
        &["<down>", "<c-n>"],
        Action::Later,
        "the line typed after it",
    ),
    typing(
        &["?"],
        Action::Question,
        "where a term can begin: what can be asked for",
    ),
    edit(&["<left>", "<c-b>"], Edit::Left, "a character back"),
    edit(&["<right>", "<c-f>"], Edit::Right, "a character on"),
    edit(&["<a-b>"], Edit::WordLeft, "a word back"),
    edit(&["<a-f>"], Edit::WordRight, "a word on"),
    edit(&["<home>", "<c-a>"], Edit::Start, "to the beginning"),
    edit(&["<end>", "<c-e>"], Edit::End, "to the end"),
    edit(
        &["<bs>", "<c-h>"],
        Edit::Backspace,
        "delete the character before the cursor",
    ),
    edit(
        &["<del>", "<c-d>"],
        Edit::Delete,
        "delete the character under it",
    ),
    edit(&["<c-w>"], Edit::DeleteWord, "delete the word before it"),
    edit(
        &["<c-u>"],
        Edit::DeleteToStart,
        "delete everything before it",
    ),
    edit(
        &["<c-k>"],
        Edit::DeleteToEnd,
        "delete everything from it on",
    ),
    edit(&["<c-_>"], Edit::Undo, "take the last change back"),
    edit(&["<c-y>"], Edit::Redo, "do it again"),
    panel(
        &["<left>", "h"],
        PanelAction::LowDown,
        "the lower end down; j and k choose a label, a digit only that value",
    ),
    panel(&["<right>", "l"], PanelAction::LowUp, "the lower end up"),
    panel(
        &["H", "<c-left>"],
        PanelAction::HighDown,
        "the upper end down",
    ),
    panel(&["L", "<c-right>"], PanelAction::HighUp, "the upper end up"),
    panel(
        &["<tab>", "v"],
        PanelAction::NextView,
        "whose value: any response's, both, A's, B's, the gap between them",
    ),
    panel(
        &["<bs>", "<del>", "x"],
        PanelAction::Clear,
        "all values of this label again",
    ),
    panel(&["n", "<c-n>"], PanelAction::NextSample, "next sample"),
    panel(
        &["p", "<c-p>"],
        PanelAction::PreviousSample,
        "previous sample",
    ),
    rating(
        &["<enter>", "n"],
        RatingAction::GoOn,
        "on to the next sample",
    ),
    rating(
        &["<tab>", "j", "<down>"],
        RatingAction::Next,
        "next question",
    ),
    rating(
        &["<s-tab>", "k", "<up>"],
        RatingAction::Previous,
        "question before",
    ),
    rating(
        &["<left>", "h"],
        RatingAction::Lower,
        "a smaller value; of who wins: more for A",
    ),
    rating(
        &["<right>", "l"],
        RatingAction::Higher,
        "a greater value; of who wins: more for B",
    ),
    rating(&["a"], RatingAction::Wins(ResponseId::A), "A wins"),
    rating(&["b"], RatingAction::Wins(ResponseId::B), "B wins"),
    rating(&["="], RatingAction::Tie, "neither wins"),
    rating(
        &["<bs>", "<del>"],
        RatingAction::Clear,
        "take the answer back",
    ),
    rating(&["s"], RatingAction::Skip, "skip the sample"),
    rating(&["d"], RatingAction::Defer, "judge it later"),
    rating(
        &["c"],
        RatingAction::Change,
        "change, skip or put off a judgment after the labels showed; asks",
    ),
    rating(
        &["y"],
        RatingAction::Yes,
        "yes, where one is asked; otherwise copy",
    ),
    Binding {
        group: RATING,
        context: Some(Context::Rate),
        keys: &["p"],
        action: Action::NextPane,
        help: "next pane: list, prompt, A, B",
    },
    note(
        &["<c-s>", "<a-enter>"],
        Action::Save,
        "save the note; an empty one is none",
    ),
    note(
        &["<esc>"],
        Action::Cancel,
        "close it; asks before it drops what was typed",
    ),
    note(
        &["<enter>"],
        Action::Edit(Edit::NewLine),
        "a new line; moving and deleting as in other lines",
    ),
    note(
        &["<c-x><c-e>"],
        Action::Outside,
        "change it in $VISUAL or $EDITOR",
    ),
    menu(&["<enter>"], Action::Accept, "choose; j and k move"),
    menu(
        &["a"],
        Action::Add,
        "sort by this as well; once more: the other way round",
    ),
    menu(&["y"], Action::Yes, "yes, where it asks"),
    menu(&["n"], Action::No, "no"),
    menu(
        &["d"],
        Action::Delete,
        "delete a filter that was kept; asks once",
    ),
];

/// The table, ready for look-ups.
#[derive(Debug)]
pub struct Keymap {
    actions: HashMap<(Option<Context>, Vec<Key>), Action>,
    /// The first key of two, where it was pressed just now.
    first: Cell<Option<Key>>,
    reflexes: Reflexes,
}

impl Default for Keymap {
    fn default() -> Self {
        let spelled = BINDINGS
            .iter()
            .flat_map(|binding| binding.keys.iter().map(move |keys| (binding, *keys)));
        let parsed = spelled.filter_map(|(binding, spelling)| {
            Some(((binding.context, keys(spelling).ok()?), binding.action))
        });
        Self {
            actions: parsed.collect(),
            first: Cell::new(None),
            reflexes: Reflexes::load(),
        }
    }
}

impl Keymap {
    /// What a key asks for, if anything.
    pub fn action(&self, key: Key, context: Context) -> Option<Action> {
        let first = self.first.take();
        let pressed: Vec<_> = first.into_iter().chain([key]).collect();
        let bound = |context| self.actions.get(&(context, pressed.clone())).copied();
        let here = bound(Some(context)).or_else(|| bound(None));
        let begins = |(own, keys): &(Option<Context>, Vec<Key>)| {
            *own == Some(context) && keys.len() > 1 && keys[0] == key
        };
        if here.is_none() && first.is_none() && self.actions.keys().any(begins) {
            self.first.set(Some(key));
            return None;
        }
        if first.is_some() {
            // Two keys that mean nothing together mean nothing.
            return here;
        }
        match context {
            Context::Line => here.or_else(|| {
                key.character()
                    .map(|typed| Action::Edit(Edit::Insert(typed)))
            }),
            Context::Read => key.digit().map(Action::Digit).or(here),
            // What changes a line changes a note.
            Context::Note => here
                .or_else(|| bound(Some(Context::Line)).filter(|action| action.changes_lines()))
                .or_else(|| {
                    key.character()
                        .map(|typed| Action::Edit(Edit::Insert(typed)))
                }),
            Context::Rate => key
                .digit()
                .map(Action::Digit)
                .or(here)
                .or_else(|| bound(Some(Context::Read))),
            // What moves about the samples moves about a menu.
            Context::Menu | Context::Panel => key
                .digit()
                .map(Action::Digit)
                .or(here)
                .or_else(|| bound(Some(Context::Read))),
        }
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
}

impl Keymap {
    /// What a key tells the program while this view has the keys, if anything.
    pub fn press(&self, key: Key, mode: Mode) -> Option<Message> {
        let context = mode.context();
        match self.action(key, context) {
            Some(action) => Some(Message::Action(action)),
            None if context.is_typing() || self.first.get().is_some() => None,
            None => Some(self.meaningless(key, mode)),
        }
    }

    /// What is said of a key that means nothing while this view has the keys: what does here what
    /// it does in other programs, or else where to look.
    pub fn meaningless(&self, key: Key, mode: Mode) -> Message {
        let named = |context, action| key_in(context, action).unwrap_or_default();
        let read = |action| named(Context::Read, action);
        let instead = match mode {
            Mode::Menu => {
                let [choose, leave] = [named(Context::Menu, Action::Accept), read(Action::Cancel)];
                format!("{choose} chooses, {leave} leaves the menu")
            }
            Mode::Help | Mode::Fields | Mode::TextScreen | Mode::Guide | Mode::Record => {
                format!("{} goes back", read(Action::Back))
            }
            _ => {
                if let Some(says) = self.reflexes.of_key(key) {
                    return Message::Unbound(format!("{key}: {says}"));
                }
                format!("{} lists the keys", read(Action::Help))
            }
        };
        Message::Unbound(format!("{key} does nothing here; {instead}."))
    }
}

fn pointer(event: &MouseEvent) -> Option<Pointer> {
    let (column, row) = (event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Pointer::Press(column, row)),
        MouseEventKind::Drag(MouseButton::Left) => Some(Pointer::Drag(column, row)),
        MouseEventKind::Up(MouseButton::Left) => Some(Pointer::Release),
        MouseEventKind::ScrollDown => Some(Pointer::WheelDown(column, row)),
        MouseEventKind::ScrollUp => Some(Pointer::WheelUp(column, row)),
        _ => None,
    }
}

/// How the first key that asks for this while one reads is written.
pub fn key_for(action: Action) -> Option<String> {
    key_in(Context::Read, action)
}

/// How the first key that asks for this in a context is written.
pub fn key_in(context: Context, action: Action) -> Option<String> {
    let here = |binding: &&Binding| {
        binding.context.is_none_or(|own| own == context) && binding.action == action
    };
    let binding = BINDINGS.iter().find(here)?;
    spelled(binding.keys.first()?)
}

/// Keys as people read them.
fn spelled(spelling: &str) -> Option<String> {
    let keys = keys(spelling).ok()?;
    (!keys.is_empty()).then(|| {
        keys.iter()
            .map(Key::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// Keys that do one thing, or a command, for people.
#[derive(Debug)]
pub struct KeyRow {
    /// Heading under which it is listed.
    pub group: &'static str,
    /// Where it holds, in a word.
    pub place: &'static str,
    /// The keys, two blanks apart; or what is typed.
    pub keys: String,
    /// What it does.
    pub help: String,
}

/// All keys and commands, in the order in which they are listed.
pub fn table() -> Vec<KeyRow> {
    let mut rows = Vec::new();
    for binding in BINDINGS {
        let keys: Vec<_> = binding
            .keys
            .iter()
            .filter_map(|spelling| spelled(spelling))
            .collect();
        let place = binding.context.map_or("everywhere", Context::word);
        rows.push(KeyRow {
            group: binding.group,
            place,
            keys: keys.join("  "),
            help: binding.help.to_owned(),
        });
    }
    let command = |keys, help| KeyRow {
        group: "Commands",
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
    rows
}

/// The help screen's lines.
pub fn help() -> Help {
    let (mut lines, mut group) = (Vec::new(), "");
    for row in table() {
        if row.group != group {
            if !group.is_empty() {
                lines.push(HelpLine::Gap);
            }
            group = row.group;
            lines.push(HelpLine::Group(group.to_owned()));
        }
        lines.push(HelpLine::Keys(row.keys, row.help));
    }
    Help {
        lines,
        commands: Reflexes::load().commands,
    }
}

/// All keys and commands as a Markdown table, for the manual.
pub fn markdown() -> String {
    let mut out = String::from("| keys | |\n|---|---|\n");
    for line in help().lines {
        match line {
            HelpLine::Gap => {}
            HelpLine::Group(name) => out.push_str(&format!("| **{name}** | |\n")),
            HelpLine::Keys(keys, what) => {
                let keys: Vec<_> = keys.split("  ").map(|key| format!("`{key}`")).collect();
                out.push_str(&format!("| {} | {what} |\n", keys.join(" ")));
            }
        }
    }
    out
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crossterm::event::KeyCode;

    use super::*;

    #[test]
    fn every_key_is_spelled_right_and_bound_once() {
        let mut seen = HashSet::new();
        for binding in BINDINGS {
            for spelling in binding.keys {
                let parsed = keys(spelling).expect(spelling);
                let contexts = Context::ALL.into_iter();
                for context in
                    contexts.filter(|context| binding.context.is_none_or(|own| own == *context))
                {
                    assert!(
                        seen.insert((context, parsed.clone())),
                        "{spelling} is bound twice"
                    );
                }
            }
        }
    }

    #[test]
    fn shift_is_already_in_the_character() {
        let keymap = Keymap::default();
        let event = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
        use crossterm::event::KeyModifiers as Modifiers;
        for (code, modifiers, expected) in [
            (
                KeyCode::Char('G'),
                Modifiers::SHIFT,
                Some(Action::LastSample),
            ),
            (
                KeyCode::Char('G'),
                Modifiers::NONE,
                Some(Action::LastSample),
            ),
            (
                KeyCode::Char('d'),
                Modifiers::CONTROL,
                Some(Action::Scroll(Scroll::HalfDown)),
            ),
            (
                KeyCode::BackTab,
                Modifiers::SHIFT,
                Some(Action::PreviousPane),
            ),
            (KeyCode::Tab, Modifiers::SHIFT, Some(Action::PreviousPane)),
            (KeyCode::Char('j'), Modifiers::ALT, None),
            (KeyCode::Char('7'), Modifiers::NONE, Some(Action::Digit(7))),
        ] {
            let message = keymap.message(&event(code, modifiers), Mode::Read);
            let action = message.and_then(|message| match message {
                Message::Action(action) => Some(action),
                Message::Unbound(_) => None,
                other => panic!("{other:?}"),
            });
            assert_eq!(action, expected, "{code:?}");
        }
    }

    #[test]
    fn a_key_without_a_meaning_is_named_but_where_one_types() {
        use crate::app::LineKind;
        let unbound = |spelling: &str, mode| {
            let key = keys(spelling).expect(spelling)[0];
            let keymap = Keymap::default();
            match keymap.press(key, mode) {
                Some(Message::Unbound(words)) => Some(words),
                _ => None,
            }
        };
        for (key, mode, words) in [
            ("Q", Mode::Read, "Q does nothing here; ? lists the keys."),
            ("Q", Mode::Panel, "Q does nothing here; ? lists the keys."),
            ("Q", Mode::Rate, "Q does nothing here; ? lists the keys."),
            (
                "Q",
                Mode::Menu,
                "Q does nothing here; Enter chooses, Esc leaves the menu.",
            ),
            ("Q", Mode::Help, "Q does nothing here; q goes back."),
            ("Q", Mode::Guide, "Q does nothing here; q goes back."),
            ("&", Mode::Record, "& does nothing here; q goes back."),
            (
                "&",
                Mode::Read,
                "&: f filters: it shows the samples that a query finds.",
            ),
        ] {
            assert_eq!(unbound(key, mode).as_deref(), Some(words), "{key} {mode:?}");
        }
        for mode in [Mode::Read, Mode::Menu, Mode::Panel, Mode::Rate] {
            assert_eq!(unbound("j", mode), None, "{mode:?}");
        }
        assert_eq!(unbound("Z", Mode::Read), None, "ZZ begins so");
        for mode in [Mode::Line(LineKind::Filter), Mode::Note] {
            assert_eq!(unbound("<c-g>", mode), None, "{mode:?}");
        }
        assert_eq!(unbound("<c-x>", Mode::Note), None, "^x ^e begins so");
    }

    #[test]
    fn what_is_typed_is_no_command() {
        let keymap = Keymap::default();
        let typed = |character| Some(Action::Edit(Edit::Insert(character)));
        for (spelling, expected) in [
            ("j", typed('j')),
            ("7", typed('7')),
            ("<space>", typed(' ')),
            ("漢", typed('漢')),
            ("<c-w>", Some(Action::Edit(Edit::DeleteWord))),
            ("<c-z>", Some(Action::Suspend)),
            ("<c-x>", None),
            ("<a-x>", None),
            ("<pgdn>", None),
        ] {
            let key = keys(spelling).expect(spelling)[0];
            assert_eq!(keymap.action(key, Context::Line), expected, "{spelling}");
        }
        // What Control and underscore send is Control and 7 to some.
        let seven = Key::new(KeyCode::Char('7'), crossterm::event::KeyModifiers::CONTROL);
        assert_eq!(
            keymap.action(seven, Context::Line),
            Some(Action::Edit(Edit::Undo))
        );
    }

    #[test]
    fn releases_do_nothing() {
        let mut event = KeyEvent::new(KeyCode::Char('q'), crossterm::event::KeyModifiers::NONE);
        event.kind = KeyEventKind::Release;
        assert!(
            Keymap::default()
                .message(&Event::Key(event), Mode::Read)
                .is_none()
        );
    }
}
