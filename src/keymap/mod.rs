//! Keys → actions, by one table; the help screen and the README's list of keys are made from it.

mod key;

use std::collections::HashMap;

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

pub use key::{Key, KeyError, keys};

use crate::app::{Action, Help, HelpLine, Message, Pointer, Scroll, Toggle};

/// Keys that do the same thing.
#[derive(Debug)]
pub struct Binding {
    /// Heading under which the help lists it.
    pub group: &'static str,
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
const PROGRAM: &str = "Program";

const fn binding(group: &'static str, keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding { group, keys, action, help }
}

/// All keys.
pub static BINDINGS: &[Binding] = &[
    binding(SAMPLES, &["j", "<down>"], Action::NextSample, "next sample; 10j goes ten further"),
    binding(SAMPLES, &["k", "<up>"], Action::PreviousSample, "previous sample"),
    binding(SAMPLES, &["g"], Action::FirstSample, "first sample; 42g goes to number 42"),
    binding(SAMPLES, &["G"], Action::LastSample, "last sample; 42G goes to number 42"),
    binding(TEXT, &["<space>", "<pgdn>", "<c-f>"], Action::Scroll(Scroll::PageDown), "a page down"),
    binding(TEXT, &["b", "<pgup>", "<c-b>"], Action::Scroll(Scroll::PageUp), "a page up"),
    binding(TEXT, &["<c-d>"], Action::Scroll(Scroll::HalfDown), "half a page down"),
    binding(TEXT, &["<c-u>"], Action::Scroll(Scroll::HalfUp), "half a page up"),
    binding(TEXT, &["J", "<c-e>"], Action::Scroll(Scroll::LineDown), "a line down; with a count, so many"),
    binding(TEXT, &["K", "<c-y>"], Action::Scroll(Scroll::LineUp), "a line up"),
    binding(TEXT, &["<home>"], Action::Scroll(Scroll::Top), "to its beginning"),
    binding(TEXT, &["<end>"], Action::Scroll(Scroll::Bottom), "to its end"),
    binding(PANES, &["<tab>", "l", "<right>"], Action::NextPane, "next pane: list, prompt, A, B"),
    binding(PANES, &["<s-tab>", "h", "<left>"], Action::PreviousPane, "previous pane"),
    binding(PANES, &["<enter>"], Action::Zoom, "zoom the pane, and back; in the list: read the sample"),
    binding(VIEW, &["L"], Action::Toggle(Toggle::Lock), "A and B scroll together, or each on its own"),
    binding(VIEW, &["M"], Action::Toggle(Toggle::Markdown), "Markdown rendered, or as written"),
    binding(VIEW, &["X"], Action::Toggle(Toggle::Hidden), "hidden characters shown as glyphs, or not at all"),
    binding(PROGRAM, &["?", "<f1>"], Action::Help, "these keys, and back"),
    binding(PROGRAM, &["R"], Action::Reload, "read the files again"),
    binding(PROGRAM, &["<c-l>"], Action::Redraw, "paint the screen anew"),
    binding(PROGRAM, &["<c-z>"], Action::Suspend, "suspend; fg comes back"),
    binding(PROGRAM, &["<esc>"], Action::Cancel, "drop a count, leave the help or the zoom; never quits"),
    binding(PROGRAM, &["q"], Action::Back, "one level back, then quit"),
    binding(PROGRAM, &["<c-c>"], Action::Quit, "quit, wherever you are"),
];

/// The table, ready for look-ups.
#[derive(Debug)]
pub struct Keymap {
    actions: HashMap<Key, Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let spelled = BINDINGS.iter().flat_map(|binding| binding.keys.iter().map(|keys| (*keys, binding.action)));
        let parsed = spelled.filter_map(|(spelling, action)| Some((*keys(spelling).ok()?.first()?, action)));
        Self { actions: parsed.collect() }
    }
}

impl Keymap {
    /// What a key asks for, if anything.
    pub fn action(&self, key: Key) -> Option<Action> {
        match key.digit() {
            Some(digit) => Some(Action::Digit(digit)),
            None => self.actions.get(&key).copied(),
        }
    }

    /// What an event of the terminal tells the program, if anything.
    pub fn message(&self, event: &Event) -> Option<Message> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.action(Key::from(*key)).map(Message::Action),
            Event::Mouse(mouse) => pointer(mouse).map(Message::Pointer),
            Event::Resize(width, height) => Some(Message::Resize(*width, *height)),
            Event::Key(_) | Event::FocusGained | Event::FocusLost | Event::Paste(_) => None,
        }
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

/// How the first key that asks for this is written.
pub fn key_for(action: Action) -> Option<String> {
    let binding = BINDINGS.iter().find(|binding| binding.action == action)?;
    Some(keys(binding.keys.first()?).ok()?.first()?.to_string())
}

/// The help screen's lines.
pub fn help() -> Help {
    let mut lines = Vec::new();
    let mut group = "";
    for binding in BINDINGS {
        if binding.group != group {
            if !group.is_empty() {
                lines.push(HelpLine::Gap);
            }
            group = binding.group;
            lines.push(HelpLine::Group(group));
        }
        let shown: Vec<_> =
            binding.keys.iter().filter_map(|spelling| Some(keys(spelling).ok()?.first()?.to_string())).collect();
        lines.push(HelpLine::Keys(shown.join("  "), binding.help));
    }
    Help { lines }
}

/// The same table as Markdown, for the README.
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
        for spelling in BINDINGS.iter().flat_map(|binding| binding.keys) {
            let parsed = keys(spelling).expect(spelling);
            assert_eq!(parsed.len(), 1, "{spelling}");
            assert!(seen.insert(parsed[0]), "{spelling} is bound twice");
        }
    }

    #[test]
    fn shift_is_already_in_the_character() {
        let keymap = Keymap::default();
        let event = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
        use crossterm::event::KeyModifiers as Modifiers;
        for (code, modifiers, expected) in [
            (KeyCode::Char('G'), Modifiers::SHIFT, Some(Action::LastSample)),
            (KeyCode::Char('G'), Modifiers::NONE, Some(Action::LastSample)),
            (KeyCode::Char('d'), Modifiers::CONTROL, Some(Action::Scroll(Scroll::HalfDown))),
            (KeyCode::BackTab, Modifiers::SHIFT, Some(Action::PreviousPane)),
            (KeyCode::Tab, Modifiers::SHIFT, Some(Action::PreviousPane)),
            (KeyCode::Char('j'), Modifiers::ALT, None),
            (KeyCode::Char('7'), Modifiers::NONE, Some(Action::Digit(7))),
        ] {
            let message = keymap.message(&event(code, modifiers));
            let action = message.and_then(|message| match message {
                Message::Action(action) => Some(action),
                Message::Unbound(_) => None,
                other => panic!("{other:?}"),
            });
            assert_eq!(action, expected, "{code:?}");
        }
    }

    #[test]
    fn releases_do_nothing() {
        let mut event = KeyEvent::new(KeyCode::Char('q'), crossterm::event::KeyModifiers::NONE);
        event.kind = KeyEventKind::Release;
        assert!(Keymap::default().message(&Event::Key(event)).is_none());
    }
}
