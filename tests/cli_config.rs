//! `visavis config`, and a user's own settings and keys, with the real program.

use std::path::Path;

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::program::Program;

/// Runs the program with these files in the config folder.
fn run(files: &[(&str, &str)], args: &[&str], environment: &[(&str, &str)]) -> Assert {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join("visavis");
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let mut program = Program::new(args);
    program.env("XDG_CONFIG_HOME", home.path());
    program.envs(environment.iter().copied());
    program.assert()
}

fn config(text: &str) -> [(&'static str, &str); 1] {
    [("config.toml", text)]
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("UTF-8")
}

#[test]
fn effective_settings_are_printed() {
    let file = "mouse = true\nascii = true\nreviewer = \"ann\"\n[keys.read]\nJ = \"next-sample\"\n";
    let args = ["config", "--theme", "light", "--ascii=false"];
    // Neither overrides the file.
    let environment = [("VISAVIS_MOUSE", "0"), ("NO_COLOR", "1")];
    let told = stdout(&run(&config(file), &args, &environment).success().stderr(""));
    for line in [
        "theme = \"light\"\n",
        "colors = \"auto\"\n",
        "ascii = false\n",
        "mouse = true\n",
        "reviewer = \"ann\"\n",
        "# list-width\n",
        "[keys.read]\n\"J\" = \"next-sample\"",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(told.parse::<toml::Table>().is_ok(), "{told}");
}

#[test]
fn the_file_to_begin_with_changes_nothing() {
    let first = stdout(&run(&[], &["config", "--default"], &[]).success().stderr(""));
    let of_none = stdout(&run(&[], &["config"], &[]).success());
    let of_first = run(&config(&first), &["config"], &[]).success().stderr("");
    assert_eq!(stdout(&of_first), of_none);
    assert!(!of_none.contains("ann") && of_none.contains("# reviewer"));
    for line in [
        "\n#reviewer = \"ann\"  # example\n",
        "\n#theme = \"auto\"\n",
        "(visavis guide config lists them)",
    ] {
        assert!(first.contains(line), "{line}: {first}");
    }
    // It is printed regardless of the file's content.
    run(&config("no ["), &["config", "--default"], &[])
        .success()
        .stderr("");
}

#[test]
fn errors_are_reported_and_valid_settings_apply() {
    let file = "ascii = true\ntheem = \"dark\"\n[keys.read]\n\"g d\" = \":sort -margin\"\nJ = \"next-sampel\"\n";
    let said = [
        "config.toml: line 2, key theem: unknown setting `theem`; did you mean `theme`?\n",
        "config.toml: line 4, key keys.read.\"g d\": invalid key or action for this table",
        "config.toml: line 5, key keys.read.J: invalid key or action for this table",
    ];
    let all = said
        .iter()
        .map(|part| contains(*part))
        .fold(predicate::always().boxed(), |all, part| {
            all.and(part).boxed()
        });
    run(&config(file), &["config"], &[])
        .code(2)
        .stdout(contains("ascii = true"))
        .stderr(all);
    // As with schemas, an error in the file does not block access to the data.
    run(&config(file), &["--print"], &[])
        .success()
        .stdout(contains("A:B  prompt"))
        .stderr(contains(said[0]).and(contains(said[2])));
    // Commands that read no settings do not report them.
    run(&config(file), &["guide", "keys"], &[])
        .success()
        .stderr("");
}

#[test]
fn active_keys_are_played_and_shown() {
    let file = "[keys.read]\n\"q\" = false\n\"Q\" = \"back\"\n\"g\" = false\n\"g d\" = \":sort -margin\"\n\"g <f5>\" = \":nosuch\"\n";
    run(&config(file), &["keys"], &[])
        .success()
        .stdout(
            contains("  read        Q ")
                .and(contains("Your own keys\n  read        g d "))
                .and(contains("  read        q ").not()),
        )
        .stderr(contains("unknown command :nosuch"));
    let frame = |keys| {
        let file = "[keys.read]\n\"g\" = false\n\"g d\" = \":sort -margin\"\n\"x\" = false\n\"X\" = \"export\"\n";
        stdout(&run(&config(file), &["--print", "--keys", keys], &[]).success())
    };
    assert!(frame("gd").contains("sort:-margin"), "{}", frame("gd"));
    let palette = frame("<c-p>firstsample");
    assert!(
        palette.contains("first sample"),
        "what has no key is in the palette: {palette}"
    );
    let status = frame("");
    let status = status.lines().last().expect("a line");
    assert!(
        status.contains("X export") && !status.contains("x export"),
        "{status}"
    );
}

#[test]
fn a_setting_that_is_not_a_file_is_reported() {
    let home = TempDir::new().expect("a folder");
    std::fs::create_dir_all(home.path().join("visavis/config.toml")).expect("made");
    let mut program = Program::new(&["config"]);
    program.env("XDG_CONFIG_HOME", home.path());
    let at = Path::new("visavis").join("config.toml");
    program
        .assert()
        .code(2)
        .stderr(contains(at.display().to_string()).and(contains("not a regular file")));
}

#[test]
fn themes_are_found_by_name_and_by_path() {
    let own = "[palette]\nbright = \"#123456\"\n";
    let svg = |files: &[(&str, &str)], args: &[&str]| {
        let out = TempDir::new().expect("a folder");
        let path = out.path().join("x.svg");
        let svg = path.to_str().expect("a path");
        run(files, &[&["--svg", svg], args].concat(), &[])
            .success()
            .stderr("");
        std::fs::read_to_string(&path).expect("a picture")
    };
    let file = ("themes/mine.toml", own);
    assert!(svg(&[file], &["--theme", "mine"]).contains("#123456"));
    assert!(svg(&[file, ("config.toml", "theme = \"mine\"")], &[]).contains("#123456"));
    let path = ("config.toml", "theme = \"themes/mine.toml\"");
    assert!(svg(&[file, path], &[]).contains("#123456"));
    assert!(!svg(&[file, path], &["--theme", "dark"]).contains("#123456"));
    assert!(svg(&[("themes/dark.toml", own)], &[]).contains("#123456"));
    // A wrong option is an error, a wrong setting a warning.
    let wrong = ("themes/mine.toml", "[palette]\nbrihgt = \"#123456\"\n");
    let says = "mine.toml: line 2, key palette.brihgt: unknown colour `brihgt`; did you mean \
                `bright`?";
    run(&[wrong], &["--print", "--theme", "mine"], &[])
        .code(2)
        .stdout("")
        .stderr(contains(says));
    run(
        &[wrong, ("config.toml", "\ntheme = \"mine\"")],
        &["--print"],
        &[],
    )
    .success()
    .stderr(contains("config.toml: line 2, key theme: ").and(contains(says)));
    // Errors in settings are reported even if unused; commands that count have no theme.
    let drak = config("theme = \"drak\"");
    let says = "key theme: unknown theme `drak`; did you mean `dark`?";
    run(&drak, &["config"], &[])
        .code(2)
        .stdout(contains("theme = \"auto\"").and(contains("drak").not()))
        .stderr(contains(says));
    run(&drak, &["--print"], &[])
        .success()
        .stderr(contains(says));
    run(&drak, &["config", "--theme", "mien"], &[])
        .code(2)
        .stdout("")
        .stderr(contains("--theme: unknown theme `mien`"));
    let rows = "{\"prompt\": \"p\", \"response\": \"r\", \"helpfulness\": 1}\n";
    let data = ("rows.jsonl", rows);
    let home = TempDir::new().expect("a folder");
    let path = home.path().join(data.0);
    std::fs::write(&path, rows.repeat(2)).expect("written");
    run(&drak, &["count", "", path.to_str().expect("a path")], &[])
        .success()
        .stderr("");
    run(&[file], &["--print", "--theme", "mien"], &[])
        .code(2)
        .stderr(contains(
            "--theme: unknown theme `mien`; did you mean `mine`?",
        ));
}
