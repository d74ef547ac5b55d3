//! Keys in, messages out; and errors in files of keys.

use std::collections::HashSet;

use crossterm::event::KeyCode;

use super::table::{BUILT_IN, read};
use super::*;
use crate::app::Scroll;
use crate::toml_file::entries;

/// Applies changes to the built-in keys and returns the faults.
fn changed(file: &str) -> (Keymap, Vec<String>) {
    let (keymap, faults) = Keymap::with_changes(entries(file).expect("TOML").first(), None);
    let faults = faults.iter().map(ToString::to_string).collect();
    (keymap, faults)
}

/// Returns a mode whose keys are those of a context.
fn mode_of(context: Context) -> Mode {
    match context {
        Context::Read => Mode::Read,
        Context::Line => Mode::Line,
        Context::Menu => Mode::Menu,
        Context::Panel => Mode::Panel,
        Context::Rate => Mode::Rate,
        Context::Note => Mode::Note,
        Context::Statistics => Mode::Page(Context::Statistics),
        Context::Findings => Mode::Queue,
        Context::Layout => Mode::Page(Context::Layout),
    }
}

/// Presses keys one after the other and returns the messages.
fn messages(keymap: &Keymap, spelling: &str, context: Context) -> Vec<String> {
    let messages = keys(spelling).expect(spelling).into_iter();
    let messages = messages.filter_map(|key| keymap.press(key, mode_of(context)));
    let words = messages.map(|message| match message {
        Message::Action(Action::Digit(digit)) => digit.to_string(),
        Message::Action(Action::Edit(Edit::Insert(typed))) => format!("types {typed}"),
        Message::Action(action) => action.name().unwrap_or("?").to_owned(),
        Message::Command(line) => format!(":{line}"),
        Message::Unbound(words) => {
            let (keys, _) = words.split_once(" here;").expect("what does instead");
            keys.to_owned()
        }
        other => panic!("{other:?}"),
    });
    words.collect()
}

#[test]
fn the_built_in_file_binds_every_key_once() {
    let bindings = read(BUILT_IN).unwrap_or_else(|fault| panic!("assets/keys.toml: {fault}"));
    let mut seen = HashSet::new();
    for binding in &bindings {
        assert!(
            !binding.keys.is_empty() && !binding.help.is_empty(),
            "{binding:?}"
        );
        for keys in &binding.keys {
            let contexts = Context::ALL.into_iter();
            for context in contexts.filter(|one| binding.context.is_none_or(|own| own == *one)) {
                assert!(
                    seen.insert((context, keys.clone())),
                    "{keys:?} is bound twice"
                );
            }
        }
    }
    let bound = bindings.iter().map(|binding| match &binding.task {
        KeyTask::Action(action) => action.name(),
        KeyTask::Command(_) => None,
    });
    let bound: HashSet<_> = bound.collect();
    for (name, _) in crate::app::ACTIONS {
        assert!(bound.contains(&Some(*name)), "no key is bound to {name}");
    }
}

#[test]
fn changes_are_applied() {
    use Context::{Line, Menu, Note, Panel, Rate, Read};
    let (keymap, faults) = changed(
        r#"
        [keys.read]
        "J" = "next-sample"
        "Q" = false
        "q" = false
        "g" = false
        "g d" = ":sort -gap.helpfulness"
        "g g" = "first-sample"
        "<f5> x <c-w>" = "reload"
        [keys.rate]
        "h" = false
        "<c-x> 1" = ":columns"
        [keys.note]
        "<c-g>" = "save"
        [keys.everywhere]
        "<f9>" = "help"
        "#,
    );
    assert_eq!(faults, [""; 0]);
    for (spelling, context, expected) in [
        ("J", Read, &["next-sample"][..]),
        ("j", Read, &["next-sample"]),
        ("<c-e>", Read, &["line-down"]),
        ("q", Read, &["q does nothing"]),
        ("q", Menu, &["types q"]),
        ("jf", Menu, &["next-sample", "types f"]),
        ("gd", Read, &[":sort -gap.helpfulness"]),
        ("gd", Panel, &[":sort -gap.helpfulness"]),
        ("7gg", Read, &["7", "first-sample"]),
        ("g7", Read, &["7"]),
        ("gxj", Read, &["export", "next-sample"]),
        ("<f5>x<c-w>j", Read, &["reload", "next-sample"]),
        ("<f5>x+", Read, &["F5 x + does nothing"]),
        ("h", Rate, &["h does nothing"]),
        ("<c-x>1", Rate, &[":columns"]),
        ("1", Rate, &["1"]),
        ("h", Read, &["previous-pane"]),
        ("<c-g>", Note, &["save"]),
        ("<c-x><c-e>", Note, &["outside"]),
        ("<c-x>j", Note, &["types j"]),
        ("q<f9>", Line, &["types q", "help"]),
    ] {
        assert_eq!(
            messages(&keymap, spelling, context),
            expected,
            "{spelling} {context:?}"
        );
    }
    // A sequence begun in one context does not continue in another.
    assert_eq!(messages(&keymap, "g", Read), [""; 0]);
    assert_eq!(messages(&keymap, "d", Rate), ["rate-defer"]);
    let help = keymap.help();
    let of = |task: &KeyTask| {
        let hint = help.keys.iter().find(|hint| hint.task == *task);
        hint.map(|hint| (hint.group.as_str(), hint.keys.join(" ")))
    };
    assert_eq!(
        of(&KeyTask::Action(Action::NextSample)),
        Some(("Samples", "J j ↓".to_owned()))
    );
    let back = KeyTask::Action(Action::Back);
    assert_eq!(of(&back).map(|(_, keys)| keys), Some(String::new()));
    assert!(
        keymap.rows().iter().all(|row| !row.keys.is_empty()),
        "what has no key is in no list of keys"
    );
    assert_eq!(
        of(&KeyTask::Command("sort -gap.helpfulness".into())),
        Some(("Your own keys", "g d".to_owned()))
    );
}

#[test]
fn faults_in_a_file_of_keys_are_reported() {
    for (file, place) in [
        ("[keys.read]\n\"J\" = \"next-sampel\"", "2, key keys.read.J"),
        (
            "[keys.read]\n\"Q\" = \"sort -margin\"",
            "2, key keys.read.Q",
        ),
        (
            "[keys.read]\n\"ctrl-d\" = \"page-down\"",
            "2, key keys.read.ctrl-d",
        ),
        (
            "[keys.read]\n\"<pgdwn>\" = \"page-down\"",
            "2, key keys.read.\"<pgdwn>\"",
        ),
        (
            "[keys.read]\n\"<c-i>\" = \"page-down\"",
            "2, key keys.read.\"<c-i>\"",
        ),
        (
            "[keys.read]\n\"g d\" = \"page-down\"",
            "2, key keys.read.\"g d\"",
        ),
        (
            "[keys.rate]\n\"g d\" = \"page-down\"",
            "2, key keys.rate.\"g d\"",
        ),
        (
            "[keys.note]\n\"<c-x>\" = \"save\"",
            "2, key keys.note.\"<c-x>\"",
        ),
        (
            "[keys.read]\n\"<f5> a\" = \"page-down\"\n\"<f5>\" = \"page-up\"",
            "3, key keys.read.\"<f5>\"",
        ),
        (
            "[keys.read]\n\"gd\" = false\n\"g d\" = \"page-up\"",
            "3, key keys.read.\"g d\"",
        ),
        ("[keys.read]\n\"5\" = \"page-up\"", "2, key keys.read.5"),
        (
            "[keys.everywhere]\n\"Q\" = \"quit\"",
            "2, key keys.everywhere.Q",
        ),
        (
            "[keys.line]\n\"j j\" = \"cancel\"",
            "2, key keys.line.\"j j\"",
        ),
        (
            "[keys.line]\n\"<f5>\" = \"next-sample\"",
            "2, key keys.line.\"<f5>\"",
        ),
        (
            "[keys.note]\n\"<f5>\" = \":q\"",
            "2, key keys.note.\"<f5>\"",
        ),
    ] {
        let (keymap, faults) = changed(file);
        let says = format!("line {place}: {}", table::INVALID);
        assert_eq!(faults.first(), Some(&says));
        // Invalid changes have no effect.
        assert_eq!(
            messages(&keymap, "j", Context::Read),
            ["next-sample"],
            "{file}"
        );
    }
    for (file, says) in [
        (
            "[keys.raed]\n\"J\" = \"next-sample\"",
            "line 1, key keys.raed: unknown context `raed`; did you mean `read`?",
        ),
        (
            "[keys.read]\n\"g d\" = \":srot -margin\"\n\"g\" = false",
            "line 2, key keys.read.\"g d\": unknown command :srot; did you mean :sort?",
        ),
        (
            "[keys.read]\n\"Q\" = true",
            "line 2, key keys.read.Q: expected the name of an action, a command line like \
             \":sort -margin\" or false, found boolean `true`",
        ),
        (
            "[keys]\nread = 3",
            "line 2, key keys.read: expected a table, found integer `3`",
        ),
        (
            "keys = 3",
            "line 1, key keys: expected a table, found integer `3`",
        ),
    ] {
        let faults = changed(file).1;
        assert_eq!(faults.first().map(String::as_str), Some(says));
    }
    let (keymap, faults) = changed("[keys.read]\n\"J\" = \"nothing\"\n\"Q\" = \"quit\"");
    assert_eq!(faults.len(), 1);
    assert_eq!(
        messages(&keymap, "JQ", Context::Read),
        ["line-down", "quit"]
    );
}

#[test]
fn a_change_that_is_refused_leaves_its_key_as_it_was() {
    for (file, refused, g) in [
        (
            "[keys.read]\n\"g d\" = \":sort -margin\"\n\"g\" = \"top\"",
            &[2, 3][..],
            "first-sample",
        ),
        (
            "[keys.read]\n\"g\" = \"top\"\n\"g d\" = \":sort -margin\"",
            &[3],
            "top",
        ),
    ] {
        let (keymap, faults) = Keymap::with_changes(entries(file).expect("TOML").first(), None);
        let lines: Vec<_> = faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, refused, "{faults:?}");
        assert_eq!(messages(&keymap, "g", Context::Read), [g], "{file}");
        let changes = keymap.changes_as_toml();
        assert!(!changes.contains("sort"), "{changes}");
    }
}

#[test]
fn a_sequence_that_means_nothing_swallows_no_key() {
    use Context::{Menu, Note, Panel, Rate, Read};
    let keymap = Keymap::default();
    for (spelling, context, expected) in [
        ("Z<c-c>", Read, &["quit"][..]),
        ("Z<c-c>", Menu, &["types Z", "quit"]),
        ("Z<c-c>", Panel, &["quit"]),
        ("<c-x><c-c>", Note, &["quit"]),
        ("Z4", Rate, &["4"]),
        ("Zj", Read, &["next-sample"]),
        ("Z+", Read, &["Z + does nothing"]),
        ("ZZ", Read, &["leave"]),
    ] {
        assert_eq!(
            messages(&keymap, spelling, context),
            expected,
            "{spelling} {context:?}"
        );
    }
    // Unbound keys do nothing at all.
    let (keymap, _) = changed("[keys.read]\n\"Z Q\" = false\n\"Z j\" = false");
    assert_eq!(messages(&keymap, "ZQ", Read), ["Z Q does nothing"]);
    assert_eq!(messages(&keymap, "Zj", Read), ["Z j does nothing"]);
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
    let unbound = |spelling: &str, mode| {
        let key = keys(spelling).expect(spelling)[0];
        match Keymap::default().press(key, mode) {
            Some(Message::Unbound(words)) => Some(words),
            _ => None,
        }
    };
    for (key, mode, words) in [
        ("Q", Mode::Read, "Q does nothing here; ? lists the keys."),
        ("Q", Mode::Panel, "Q does nothing here; ? lists the keys."),
        ("Q", Mode::Rate, "Q does nothing here; ? lists the keys."),
        (
            "<f9>",
            Mode::Menu,
            "F9 does nothing here; Enter chooses, Esc leaves the menu.",
        ),
        (
            "Q",
            Mode::Page(Context::Read),
            "Q does nothing here; q goes back.",
        ),
        (
            "&",
            Mode::Page(Context::Read),
            "& does nothing here; q goes back.",
        ),
        ("&", Mode::Read, "& does nothing here; ? lists the keys."),
    ] {
        assert_eq!(unbound(key, mode).as_deref(), Some(words), "{key} {mode:?}");
    }
    for mode in [Mode::Read, Mode::Menu, Mode::Panel, Mode::Rate] {
        assert_eq!(unbound("j", mode), None, "{mode:?}");
    }
    assert_eq!(unbound("Z", Mode::Read), None, "ZZ begins so");
    for mode in [Mode::Line, Mode::Note] {
        assert_eq!(unbound("<c-g>", mode), None, "{mode:?}");
    }
    assert_eq!(unbound("<c-x>", Mode::Note), None, "^x ^e begins so");
}

#[test]
fn typed_characters_are_not_commands() {
    let keymap = Keymap::default();
    for (spelling, expected) in [
        ("j", &["types j"][..]),
        ("7", &["types 7"]),
        ("<space>", &["types  "]),
        ("漢", &["types 漢"]),
        ("<c-w>", &["delete-word"]),
        ("<c-z>", &["suspend"]),
        ("<c-x>", &[]),
        ("<a-x>", &[]),
        ("<pgdn>", &[]),
    ] {
        assert_eq!(
            messages(&keymap, spelling, Context::Line),
            expected,
            "{spelling}"
        );
    }
    // Some terminals report Control and underscore as Control and 7.
    let seven = Key::new(KeyCode::Char('7'), crossterm::event::KeyModifiers::CONTROL);
    assert!(matches!(
        keymap.press(seven, mode_of(Context::Line)),
        Some(Message::Action(Action::Edit(Edit::Undo)))
    ));
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

#[test]
fn the_page_on_settings_lists_every_action_where_it_can_be_bound() {
    let bindings = read(BUILT_IN).expect("the built-in keys");
    let mut list = String::new();
    for context in Context::ALL.into_iter().map(Some).chain([None]) {
        let own = bindings.iter().filter(|binding| binding.context == context);
        let names = own.filter_map(|binding| match &binding.task {
            KeyTask::Action(action) => action.name(),
            KeyTask::Command(_) => None,
        });
        let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
        list.push_str(&format!("- {}: {}\n", name_of(context), names.join(" ")));
    }
    assert!(
        include_str!("../../assets/guide/config.md").contains(list.trim_end()),
        "put this into assets/guide/config.md:\n{list}"
    );
}
