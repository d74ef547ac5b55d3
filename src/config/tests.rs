//! Files and variables in, values and messages out.

use super::*;

#[test]
fn flags_override_the_file() {
    let (config, faults) = Config::read("config.toml", "ascii = true\nmouse = true\n");
    assert_eq!(faults, [""; 0]);
    let config = config.with_flags(vec![(ConfigKey::Mouse, "false".to_owned())]);
    for (key, value, place) in [
        (
            ConfigKey::Ascii,
            Some("true"),
            "config.toml: line 1, key ascii",
        ),
        (ConfigKey::Mouse, Some("false"), "--mouse"),
        (ConfigKey::Lock, Some("true"), "lock"),
        (ConfigKey::Reviewer, None, "reviewer"),
    ] {
        assert_eq!(
            (config.text(key), config.place(key)),
            (value, place.to_owned())
        );
    }
}

#[test]
fn invalid_entries_are_reported_with_their_lines_and_skipped() {
    for (file, says) in [
        (
            "theem = \"dark\"",
            "c: line 1, key theem: unknown setting `theem`; did you mean `theme`?",
        ),
        (
            "\nascii = \"yes\"",
            "c: line 2, key ascii: expected true or false, found string \"yes\"",
        ),
        (
            "colors = \"25\"",
            "c: line 1, key colors: unknown value `25`; did you mean `256`?",
        ),
        (
            "colors = true",
            "c: line 1, key colors: expected one of auto, none, 16, 256, true, in quotes, \
             found boolean `true`",
        ),
        (
            "search-memory = -1",
            "c: line 1, key search-memory: expected a whole number of at least 0, found integer `-1`",
        ),
        (
            "search-memory = 1.5",
            "c: line 1, key search-memory: expected a whole number of at least 0, found floating point `1.5`",
        ),
        (
            "reviewer = \" \"",
            "c: line 1, key reviewer: expected text in quotes",
        ),
        (
            "theme = dark",
            "c: line 1: invalid TOML: string values must be quoted, expected literal string",
        ),
        (
            "\nmouse = yes",
            "c: line 2: invalid TOML: string values must be quoted, expected literal string",
        ),
        (
            "[keys.read]\nJ = \"next\"",
            "c: line 2, key keys.read.J: invalid key or action for this table (see visavis guide config), or a conflict with a sequence; unbind keys with false",
        ),
    ] {
        let (config, faults) = Config::read("c", file);
        assert_eq!(faults, [says]);
        assert_eq!(config.text(ConfigKey::Theme), Some("auto"));
    }
    let (config, faults) = Config::read("c", "ascii = 1\nmouse = true");
    assert!(faults.len() == 1 && config.is_on(ConfigKey::Mouse));
}

#[test]
fn effective_settings_can_be_read_back() {
    let template = template();
    let (config, faults) = Config::read("c", &template);
    assert_eq!(faults, [""; 0]);
    assert_eq!(effective(&config), effective(&Config::default()));
    // With every setting uncommented, all can be read and have their defaults.
    let taken: String = template
        .lines()
        .map(|line| {
            let is_prose = line.starts_with("# ");
            let line = line.strip_prefix('#').filter(|_| !is_prose).unwrap_or(line);
            format!("{line}\n")
        })
        .collect();
    let (config, faults) = Config::read("c", &taken);
    assert_eq!(faults, [""; 0]);
    for key in ConfigKey::ALL {
        assert!(
            matches!(config.origin(*key), ValueOrigin::File(_)),
            "{key:?}"
        );
        let default = key.def().default;
        assert!(
            default.is_empty() || config.text(*key) == Some(default),
            "{key:?}"
        );
    }
    let file = "reviewer = \"a \\\"b\\\" \\\\\"\n[keys.read]\n\"<c-x> \\\\\" = \":sort -margin\"\nz = false\n[keys.note]\n\"<c-g>\" = \"save\"\n";
    let (config, faults) = Config::read("c", file);
    assert_eq!(faults, [""; 0]);
    let printed = effective(&config);
    let (again, faults) = Config::read("c", &printed);
    assert_eq!(faults, [""; 0]);
    assert_eq!(again.text(ConfigKey::Reviewer), Some("a \"b\" \\"));
    assert_eq!(
        again.keymap().changes_as_toml(),
        config.keymap().changes_as_toml()
    );
    assert!(
        printed.contains("[keys.read]\n\"<c-x> \\\\\" = \":sort -margin\"\n\"z\" = false\n\n[keys.note]\n\"<c-g>\" = \"save\"\n"),
        "{printed}"
    );
}

#[test]
fn the_page_on_settings_lists_them() {
    let row = |def: &SettingDef| {
        let values = match def.kind {
            SettingKind::Bool => "`true` or `false`".to_owned(),
            SettingKind::Word(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
                words.join(" ")
            }
            SettingKind::Text => "text".to_owned(),
            SettingKind::Count => "a number".to_owned(),
        };
        let code = |text: &str| match text {
            "" => String::new(),
            text => format!("`{text}`"),
        };
        let (default, flag) = (code(def.default), code(def.flag.unwrap_or_default()));
        let row = format!(
            "| `{}`: {} | {values} | {default} | {flag} |\n",
            def.name, def.help
        );
        row.replace("  |", " |")
    };
    let table: String = SETTINGS.iter().map(row).collect();
    let head = "| Setting | Values | Without it | Option |\n|---|---|---|---|\n";
    let page = include_str!("../../assets/guide/config.md");
    let (_, listed) = page.split_once(head).expect("the table");
    let listed = listed.split("\n\n").next().unwrap_or_default();
    assert!(
        listed.trim_end() == table.trim_end(),
        "put this into assets/guide/config.md:\n{table}"
    );
}
