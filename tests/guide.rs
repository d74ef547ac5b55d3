//! The README and the guide describe what the program does, and every example in them works.

// A failed helper is a failed test.
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use tempfile::TempDir;
use visavis::{
    Catalog, Cli, Definition, Keymap, RuleSet, Schema, Topic, built_in, find_topic, guide_topics,
};

use crate::program::{Program, put};

const README: &str = include_str!("../README.md");
const INDEX: &str = include_str!("../assets/guide/index.md");

/// Most lines of a README that readers finish.
const MAX_LINES: usize = 150;

/// Returns the README and every page, with their names.
fn texts() -> Vec<(&'static str, &'static str)> {
    [("README", README)]
        .into_iter()
        .chain(
            guide_topics()
                .iter()
                .map(|topic| (topic.name, topic.source)),
        )
        .collect()
}

fn page(name: &str) -> &'static str {
    find_topic(name).expect("a page").source
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let from = text.find(start).expect(start) + start.len();
    let length = text[from..].find(end).unwrap_or(text.len() - from);
    &text[from..from + length]
}

/// Returns the contents of fenced blocks in a language.
fn fenced<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    text.split(&opening)
        .skip(1)
        .map(|rest| rest.split("\n```").next().expect("a block"))
        .collect()
}

/// Returns the code spans outside fenced blocks.
fn code_spans(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .collect()
}

fn catalog() -> Catalog {
    let schemas: Vec<_> = built_in().into_iter().map(Schema::new).collect();
    let rules = RuleSet::default();
    let mut catalog = Catalog::of(&schemas).with_rules(&rules.definitions());
    catalog.set_reviewers(&["a", "ann", "ben"].map(Into::into));
    catalog
}

fn check_query(example: &str, place: &str, catalog: &Catalog) {
    let query = visavis::parse_query(example, catalog);
    assert!(
        query.is_ok(),
        "{place}: {example}: {}",
        query.expect_err("an error")
    );
}

#[test]
fn the_readme_is_short() {
    let lines = README.lines().count();
    assert!(
        lines <= MAX_LINES,
        "{lines} lines; the manual has room for more"
    );
}

#[test]
fn every_page_opens_and_the_index_lists_it_as_it_calls_itself() {
    let files = std::fs::read_dir("assets/guide")
        .expect("the folder")
        .count();
    let topics = guide_topics();
    assert_eq!(
        topics.len() + 1,
        files,
        "a page begins with `# Title` and a sentence on what it is about"
    );
    for topic in &topics {
        let Topic {
            name,
            title,
            summary,
            ..
        } = topic;
        assert!(
            find_topic(name) == Ok(*topic) && !title.is_empty(),
            "{name}: {title}"
        );
        assert!(
            summary.ends_with('.') && summary.len() < 100,
            "{name}: {summary}"
        );
    }
    let lines = topics
        .iter()
        .map(|Topic { name, summary, .. }| format!("- [{name}]({name}.md): {summary}"));
    assert_eq!(
        INDEX.split("\n\n").last().expect("a list").trim_end(),
        lines.collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn links_lead_somewhere() {
    let pages = guide_topics()
        .into_iter()
        .map(|topic| (Path::new("assets/guide"), topic.source));
    let mut found = 0;
    for (folder, text) in pages.chain([(Path::new(""), README), (Path::new("assets/guide"), INDEX)])
    {
        let targets = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        for target in targets {
            assert!(folder.join(target).exists(), "{target}");
            if let Some(name) = target
                .rsplit('/')
                .next()
                .and_then(|file| file.strip_suffix(".md"))
            {
                assert!(name == "index" || find_topic(name).is_ok(), "{target}");
                assert!(
                    text.contains(&format!("[{name}]({target})")) || name == "index",
                    "{target}: the text is the name"
                );
            }
            found += 1;
        }
    }
    assert!(found > 40, "{found}");
}

#[test]
fn the_keys_are_those_of_the_table() {
    let mut table = String::from("| keys | |\n|---|---|\n");
    let rows = Keymap::default().rows();
    for rows in rows.chunk_by(|row, next| row.group == next.group) {
        table.push_str(&format!("| **{}** | |\n", rows[0].group));
        for row in rows {
            let keys: Vec<_> = row.keys.split("  ").map(|key| format!("`{key}`")).collect();
            table.push_str(&format!("| {} | {} |\n", keys.join(" "), row.help));
        }
    }
    let listed = between(page("keys"), "([config](config.md)).\n\n", "\n\n");
    assert!(
        listed.trim_end() == table.trim_end(),
        "put this at the end of assets/guide/keys.md:\n{table}"
    );
}

#[test]
fn keys_in_other_tables_are_bound() {
    let rows = Keymap::default().rows();
    let known: BTreeSet<&str> = rows.iter().flat_map(|row| row.keys.split("  ")).collect();
    let mut held = 0;
    for (place, text) in texts().into_iter().filter(|(place, _)| *place != "keys") {
        for table in text
            .split("\n\n")
            .filter(|block| block.starts_with("| key"))
        {
            for key in table
                .lines()
                .skip(2)
                .flat_map(|row| code_spans(row.split('|').nth(1).expect("keys")))
            {
                assert!(known.contains(key), "{place}: {key}");
                held += 1;
            }
        }
    }
    assert!(held > 40, "{held}");
    assert_eq!(
        between(README, "## A dozen keys\n", "\n\nAll of them")
            .lines()
            .skip(3)
            .count(),
        12
    );
}

#[test]
fn every_built_in_schema_is_named() {
    for definition in built_in() {
        assert!(
            page("formats").contains(&format!("`{}`", definition.name)),
            "{}",
            definition.name
        );
    }
}

#[test]
fn every_subcommand_command_and_option_is_named() {
    let all: String = guide_topics().iter().map(|topic| topic.source).collect();
    let cli = Cli::command();
    let mut options = BTreeSet::new();
    for command in std::iter::once(&cli).chain(cli.get_subcommands()) {
        options.extend(
            command
                .get_arguments()
                .filter_map(|option| option.get_long().map(str::to_owned)),
        );
    }
    assert!(options.len() > 20, "{options:?}");
    let table = between(page("scripts"), "| option | used by | meaning |\n", "\n\n");
    for option in options {
        assert!(
            table.contains(&format!("`--{option}")),
            "no row of scripts.md has --{option}"
        );
    }
    for command in cli.get_subcommands().filter(|one| !one.is_hide_set()) {
        assert!(
            all.contains(&format!("visavis {} ", command.get_name())),
            "visavis {}",
            command.get_name()
        );
    }
    for command in visavis::COMMANDS {
        assert!(
            all.contains(&format!("`{}", command.usage())),
            "{}",
            command.usage()
        );
    }
}

#[test]
fn every_term_of_a_query_is_explained() {
    let query = page("query");
    let spans: BTreeSet<&str> = code_spans(query).into_iter().collect();
    let all = code_spans(query).join(" ");
    let mut held = 0;
    for section in catalog().help() {
        for (form, _) in section.entries {
            let is_named = match section.title {
                // The labels of datasets are not part of the language.
                "Fields" => {
                    visavis::Catalog::default()
                        .fields()
                        .iter()
                        .all(|field| field.name != form)
                        || all.contains(&form)
                }
                "Kinds" => all.contains(&form),
                "Prefixes of response fields" => spans.contains(form.as_str()),
                _ => continue,
            };
            assert!(is_named, "{}: {form}", section.title);
            held += 1;
        }
    }
    assert!(held > 20, "{held}");
}

#[test]
fn the_rows_of_the_query_language_read() {
    let (catalog, mut read) = (catalog(), 0);
    for (place, text, end) in [("query", page("query"), "\n\n"), ("README", README, "\n\n")] {
        for row in between(text, "| Form | Examples | Meaning |\n|---|---|---|\n", end).lines() {
            let examples = row.split(" | ").nth(1).expect("three columns");
            let is_example = |example: &&str| example.contains(['=', ':', '>', '<', ' ']);
            for example in code_spans(examples).into_iter().filter(is_example) {
                check_query(example, place, &catalog);
                read += 1;
            }
        }
    }
    assert!(read > 60, "{read}");
}

#[test]
fn queries_in_the_text_read() {
    let (catalog, mut read) = (catalog(), 0);
    // Arguments of `:audit`, of `--map` and of the journal, placeholders in tables of the program's
    // syntax, and a flag that only exists when files are joined.
    let no_query = [
        "by=",
        "even=",
        "repeat=",
        "seed=",
        "prompt=",
        "winner.",
        "sort:\u{60}",
        "is:unmatched",
        // An address.
        "hf:",
        // A key of schemas.
        "winner.a=",
    ];
    for (place, text) in texts() {
        for example in fenced(text, "query").into_iter().flat_map(str::lines) {
            check_query(example, place, &catalog);
            read += 1;
        }
        for span in code_spans(text) {
            let field = span
                .trim_start_matches('-')
                .split(['=', ':', '<', '>', '!'])
                .next()
                .unwrap_or_default();
            let is_field = !field.is_empty()
                && field
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '.' || c == '_');
            let follows = &span.trim_start_matches('-')[field.len()..];
            let is_whole =
                follows.len() > 1 && !follows.starts_with("!not") && !follows.starts_with("::");
            if is_field
                && is_whole
                && !no_query.iter().any(|word| span.starts_with(word))
                && !span.contains("file:line")
            {
                check_query(span, place, &catalog);
                read += 1;
            }
        }
    }
    assert!(read > 80, "{read}");
}

#[test]
fn command_lines_are_understood() {
    let (catalog, mut read) = (catalog(), 0);
    for (place, text) in texts() {
        for line in fenced(text, "sh").into_iter().flat_map(str::lines) {
            let line = line
                .replace("cargo run --release --", "visavis")
                .replace("cargo run --release", "visavis");
            let Some(at) = line
                .find("visavis")
                .filter(|at| line[..*at].is_empty() || line[..*at].ends_with("| "))
            else {
                continue;
            };
            let words = shell_words(&line[at..]);
            let cli = Cli::try_parse_from(&words);
            assert!(
                cli.is_ok(),
                "{place}: {line}: {}",
                cli.expect_err("an error")
            );
            if ["count", "export"].contains(&words.get(1).map_or("", String::as_str)) {
                let query = words[2..]
                    .iter()
                    .find(|word| !word.starts_with('-'))
                    .expect("a query");
                check_query(query, place, &catalog);
            }
            read += 1;
        }
        // Also inline, if anything follows the program's name; words in capitals are placeholders.
        for span in code_spans(text)
            .into_iter()
            .filter(|span| span.starts_with("visavis ") && !span.contains('…'))
        {
            let words: Vec<_> = shell_words(span);
            let is_form = words.len() == 2
                || words
                    .iter()
                    .any(|word| ["QUERY", "TOPIC"].contains(&word.as_str()))
                || span.ends_with(" -o");
            let cli = Cli::try_parse_from(&words);
            let error = cli.err().filter(|error| !is_form && error.use_stderr());
            assert!(error.is_none(), "{place}: {span}: {error:?}");
            read += 1;
        }
    }
    assert!(read > 30, "{read}");
}

/// Splits a command like a shell: without quotes, up to a pipe, a redirection or a comment.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '|' | '>' | '#') => break,
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn toml_and_json_read() {
    let mut read = 0;
    for (place, text) in texts() {
        for example in fenced(text, "toml") {
            let table = example.parse::<toml::Table>();
            assert!(table.is_ok(), "{place}: {}", table.expect_err("an error"));
            read += 1;
        }
        for example in fenced(text, "json") {
            let value = serde_json::from_str::<serde_json::Value>(example);
            assert!(value.is_ok(), "{place}: {}", value.expect_err("an error"));
            read += 1;
        }
    }
    assert!(read >= 3, "{read}");
    for example in fenced(page("schemas"), "toml") {
        Schema::new(Definition::parse(example).expect("a schema"));
    }
    let kept: toml::Table = fenced(page("filter"), "toml")
        .concat()
        .parse()
        .expect("filters");
    for (schema, filters) in kept {
        assert!(
            built_in()
                .iter()
                .any(|definition| definition.name == schema),
            "{schema}"
        );
        for (name, query) in filters.as_table().expect("a table for each schema") {
            check_query(query.as_str().expect("a query"), name, &catalog());
        }
    }
}

#[test]
fn files_that_are_written_are_named() {
    for name in [
        ".review.jsonl",
        ".torn",
        ".lock",
        "$XDG_STATE_HOME/visavis/unsaved-*.jsonl",
        "~/.local/state/visavis/history/",
        "~/.config/visavis/filters.toml",
        "$XDG_DATA_HOME/visavis/",
        ".visavis-….part",
    ] {
        assert!(
            page("files").contains(name) || page("journal").contains(name),
            "{name}"
        );
    }
}

#[test]
fn the_settings_of_the_manual_read() {
    let examples = fenced(page("config"), "toml");
    assert!(!examples.is_empty());
    for example in examples {
        let (config, faults) = visavis::Config::read("config.md", example);
        assert_eq!(faults, [""; 0]);
        let told = visavis::effective_config(&config);
        assert!(
            told.contains("# file, line 1\n") || told.contains("[keys."),
            "{told}"
        );
    }
}

#[test]
fn the_themes_of_the_manual_read() {
    let examples = fenced(page("config"), "theme");
    assert!(!examples.is_empty());
    for example in examples {
        let read = visavis::ThemeFile::parse(example);
        assert!(read.is_ok(), "{:?}", read.err());
    }
}

#[test]
fn every_rule_of_findings_is_listed_with_its_severity() {
    let rules = RuleSet::default();
    let listed: Vec<_> = page("findings")
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .map(|(name, rest)| (name, rest.split(" | ").next().unwrap_or_default()))
        .collect();
    let mut named: Vec<_> = listed.clone();
    named.sort_unstable();
    let rules = rules.definitions();
    let mut expected: Vec<_> = (rules.iter())
        .map(|rule| (&*rule.name, rule.severity.word()))
        .collect();
    expected.sort_unstable();
    assert_eq!(named, expected);
}

/// What a command of the README needs to run without a terminal and a user: answers to the first
/// sample of an audit, or one frame.
fn without_terminal(command: &str) -> String {
    match command.split(' ').nth(1) {
        Some("audit") => format!(r"printf '4\n4\n3\n1\n\nq\nq\n' | {command} --linear"),
        Some("list" | "stats" | "diff" | "report" | "count" | "export" | "sql" | "check") => {
            command.to_owned()
        }
        _ => format!("{command} --print"),
    }
}

#[test]
fn the_commands_of_the_readme_run_on_a_copy_of_the_demo() {
    let folder = TempDir::new().expect("a folder");
    let demo = include_str!("../assets/demo/helpsteer2.jsonl");
    put(&folder, "train.jsonl", demo);
    let (older, rest) = demo.split_at(demo.match_indices('\n').nth(39).expect("40 lines").0 + 1);
    put(&folder, "train.v2.jsonl", older);
    put(&folder, "eval.jsonl", rest);
    let mut gzip = Vec::new();
    flate2::read::GzEncoder::new(demo.as_bytes(), flate2::Compression::fast())
        .read_to_end(&mut gzip)
        .expect("compressed");
    put(&folder, "train.jsonl.gz", gzip);
    let files = || -> BTreeSet<PathBuf> {
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        entries.map(|entry| entry.expect("a file").path()).collect()
    };
    let inputs = files();
    let mut ran = 0;
    for line in fenced(README, "sh").into_iter().flat_map(str::lines) {
        let command = line.split(" #").next().expect("a command").trim_end();
        if !command.starts_with("visavis") {
            continue;
        }
        // Like diff(1): 1 if the files differ.
        let status = i32::from(command.split(' ').nth(1) == Some("diff"));
        let mut shell = Program::other("sh", &["-c", &without_terminal(command)]).expect("a shell");
        shell.current_dir(folder.path());
        let output = shell.output().expect("it runs");
        assert_eq!(output.status.code(), Some(status), "{command}: {output:?}");
        ran += 1;
    }
    assert!(ran > 10, "{ran}");
    let expected = [
        "audit.html",
        "far.jsonl",
        "train.jsonl.review.jsonl",
        "trl.jsonl",
        "trl.jsonl.provenance.jsonl",
    ];
    let written: Vec<_> = files().difference(&inputs).cloned().collect();
    assert_eq!(written, expected.map(|name| folder.path().join(name)));
    for path in written {
        assert!(path.metadata().expect("a file").len() > 100, "{path:?}");
    }
}
