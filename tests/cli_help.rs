//! Help of the command line, and its reaction to typing errors.

use crate::program::{Program, put};
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use clap::CommandFactory;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;
use visavis::Cli;

/// Runs the program in a terminal of 80 columns.
fn run(args: &[&str]) -> Assert {
    let mut program = Program::new(args);
    program.env("COLUMNS", "80");
    program.assert()
}

/// Returns its output on success.
fn printed(args: &[&str]) -> String {
    let done = run(args).success();
    String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8")
}

#[test]
fn the_help_of_each_subcommand_fits_and_lists_no_schemas() {
    let cli = Cli::command();
    let shown = cli.get_subcommands().filter(|one| !one.is_hide_set());
    let names: Vec<_> = shown.map(|one| one.get_name().to_owned()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in &names {
        for (option, most) in [("-h", 80), ("--help", 180)] {
            let help = printed(&[name, option]);
            let lines = help.lines().count();
            assert!(lines <= most, "{name} {option}: {lines} lines");
            let widest = help.lines().map(visavis::text_width).max();
            assert!(widest <= Some(80), "{name} {option}: {widest:?}");
            assert!(!help.contains("ultrafeedback"), "{name} {option}");
        }
    }
    let help = printed(&["list", "--help"]);
    let own = help.find("--columns").expect("an option of its own");
    let shared = help.find("--schema").expect("an option of reading");
    assert!(own < shared, "its own options come first:\n{help}");
    assert!(help.contains("visavis schemas lists the names"), "{help}");
    run(&["schemas"])
        .success()
        .stdout(contains("ultrafeedback").and(contains("helpsteer2")));
}

#[test]
fn the_help_groups_the_subcommands_by_use() {
    for option in ["-h", "--help"] {
        let help = printed(&[option]);
        let groups = [
            "Browse:",
            "Spot-check:",
            "Filter:",
            "Guide and settings:",
            "Arguments:",
        ];
        let places: Vec<_> = groups
            .map(|title| help.find(&format!("\n\n{title}\n")))
            .into();
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{help}"
        );
        let cli = Cli::command();
        for subcommand in cli.get_subcommands().filter(|one| !one.is_hide_set()) {
            let row = format!("\n  {} ", subcommand.get_name());
            let place = help.find(&row);
            assert!(place > places[0] && place < places[4], "{row}: {help}");
            assert_eq!(help.matches(&row).count(), 1, "{row}: {help}");
        }
    }
}

#[test]
fn a_misspelt_subcommand_is_no_file() {
    for (typed, near) in [
        ("chek train.jsonl", Some("check")),
        ("chek train.jsonl --fail-on error", Some("check")),
        ("exprot '' x.jsonl --to trl", Some("export")),
        ("--theme light lst x.jsonl", Some("list")),
        ("stat --only counts", Some("stats")),
        ("schema", Some("schemas")),
        ("complet", Some("completions")),
        ("Check x.jsonl", Some("check")),
        ("CHEK x.jsonl", Some("check")),
        // These are files, or resemble nothing.
        ("check", None),
        ("lists.jsonl", None),
        ("./chek", None),
        ("src", None),
        ("-- chek", None),
        ("--reviewer chek x.jsonl", None),
        ("wxyz", None),
        ("", None),
        ("pairs", None),
        ("sort", None),
        ("quit", None),
        ("co", None),
        ("helpsteer", None),
    ] {
        let args: Vec<_> = typed.split_whitespace().collect();
        let done = run(&args);
        match near {
            Some(near) => {
                let asked = format!("did you mean `visavis {near}`?");
                let told = contains(asked).and(contains("--help"));
                done.code(2).stdout("").stderr(told);
            }
            None => {
                done.stderr(contains("did you mean").or(contains("a subcommand")).not());
            }
        }
    }
    for typed in ["help", "HELP", "hlep"] {
        run(&[typed])
            .code(2)
            .stdout("")
            .stderr(contains("run `visavis --help` or `visavis guide`"));
    }
    // A file with that name opens; a missing file that resembles nothing gives the usual error.
    let folder = TempDir::new().expect("a folder");
    put(
        &folder,
        "chek",
        include_str!("../assets/demo/helpsteer2.jsonl"),
    );
    let mut program = Program::new(&["--print", "chek"]);
    program.current_dir(folder.path()).assert().success();
    run(&["--print", "wxyz"]).code(2).stderr(contains(
        "wxyz: no such file; check the spelling and the folder",
    ));
}

#[test]
fn options_that_are_always_refused_are_not_offered() {
    for (name, options) in [
        ("diff", &["--with", "--against", "--on "][..]),
        ("sql", &["--with", "--against", "--on ", "--rows-at"]),
    ] {
        let help = printed(&[name, "--help"]);
        for option in options {
            assert!(!help.contains(option), "{name} offers {option}:\n{help}");
        }
        assert!(
            help.contains("--schema") && help.contains("--map"),
            "{name}"
        );
    }
    assert!(printed(&["diff", "--help"]).contains("--rows-at"));
}

#[test]
fn the_reference_of_the_command_line() {
    let cli = Cli::command();
    let mut reference = String::new();
    collect_help(&cli, &mut Vec::new(), &mut reference);
    insta::assert_snapshot!(reference);
}

/// Appends the long help of a command and of all below it.
fn collect_help(command: &clap::Command, path: &mut Vec<String>, reference: &mut String) {
    let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
    args.push("--help");
    reference.push_str(&format!(
        "$ visavis {}\n{}\n",
        args.join(" "),
        printed(&args)
    ));
    for below in command.get_subcommands() {
        if below.get_name() != "help" && !below.is_hide_set() {
            path.push(below.get_name().to_owned());
            collect_help(below, path, reference);
            path.pop();
        }
    }
}
