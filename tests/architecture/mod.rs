//! The architecture rules as tests: layers, external crates, `unsafe`, the size of files, and names
//! at the top level.
//!
//! Rules that exist only in a document are broken within a month. [`house`] contains them as data,
//! [`scan`] finds the names in a file, and the tests compare the two; the last tests prove with bad
//! snippets that each rule can fail.

mod ablation;
mod house;
mod phrases;
mod scan;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use house::{
    CODE, HOUSE, LONG_FILES, MAX_CODE, MAX_LINES, MAX_TEST_LINES, ONE_FILE, STARTING, STARTS,
    Sight, TOP_LEVEL, UNSAFE, WITHOUT_CYCLE,
};
use scan::{Named, Scan};

#[test]
fn every_module_has_a_floor() {
    let strangers: Vec<_> = SOURCES
        .iter()
        .map(|file| file.owner.clone())
        .filter(|owner| house::module(owner).is_none())
        .collect();
    assert_eq!(
        strangers, [""; 0],
        "modules without a row in the table of floors"
    );
}

#[test]
fn imports_point_down_and_foreign_crates_stay_in_their_place() {
    let complaints: Vec<_> = SOURCES.iter().flat_map(complaints).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn some_crates_are_named_in_one_file_of_a_module() {
    let mut homes = BTreeSet::new();
    for file in &*SOURCES {
        for mention in file.scan.mentions.iter().filter(|mention| !mention.in_test) {
            if let Named::Foreign(name) = &mention.named {
                homes.insert((file.owner.clone(), name.clone(), file.path.clone()));
            }
        }
    }
    for name in ONE_FILE {
        for module in HOUSE {
            let files = homes
                .iter()
                .filter(|(owner, named, _)| owner == module.name && named == name)
                .count();
            assert!(
                files <= 1,
                "{name} is named in {files} files of {}",
                module.name
            );
        }
    }
}

#[test]
fn the_table_allows_no_crate_that_its_module_does_not_name() {
    let crates = foreign_crates();
    let mut named = BTreeSet::new();
    for file in &*SOURCES {
        for mention in &file.scan.mentions {
            if let Named::Foreign(name) = &mention.named
                && !mention.in_test
            {
                named.insert((file.owner.clone(), name.clone()));
            }
        }
    }
    let idle: Vec<_> = HOUSE
        .iter()
        .flat_map(|module| module.crates.iter().map(|name| (module.name, *name)))
        .filter(|&(module, name)| !named.contains(&(module.to_owned(), name.to_owned())))
        .collect();
    assert_eq!(idle, [("", ""); 0], "take these out of the rows of HOUSE");
    let unknown = ONE_FILE.iter().filter(|name| !crates.contains(**name));
    assert_eq!(
        unknown.collect::<Vec<_>>(),
        [&""; 0],
        "and these out of ONE_FILE"
    );
}

#[test]
fn lib_rs_shows_the_floors_of_the_table() {
    let text = read("src/lib.rs");
    let shown = text.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("//! | ")?.split(" | ");
        Some((cells.next()?.parse::<u8>().ok()?, cells.next()?))
    });
    let shown: BTreeSet<_> = shown
        .flat_map(|(floor, names)| {
            names
                .split('`')
                .skip(1)
                .step_by(2)
                .map(move |name| (name, floor))
        })
        .collect();
    let roots = ["lib", "main"];
    let modules = HOUSE.iter().filter(|module| !roots.contains(&module.name));
    let held: BTreeSet<_> = modules.map(|module| (module.name, module.floor)).collect();
    assert_eq!(shown, held);
}

#[test]
fn every_dependency_is_named() {
    for (manifest, is_data) in [("Cargo.toml", false), (DATA_MANIFEST, true)] {
        let mut idle = dependencies(manifest);
        for file in &*SOURCES {
            for mention in &file.scan.mentions {
                if let Named::Foreign(name) = &mention.named
                    && file.path.starts_with(DATA) == is_data
                    && !mention.in_test
                {
                    idle.remove(name);
                }
            }
        }
        assert!(idle.is_empty(), "{manifest}: nothing names {idle:?}");
    }
}

#[test]
fn unsafe_code_has_its_places() {
    for file in &*SOURCES {
        let blocks = &file.scan.unsafe_lines;
        assert!(
            blocks.is_empty() || UNSAFE.contains(&file.path.as_str()),
            "{}:{blocks:?}: `unsafe`",
            file.path
        );
    }
}

#[test]
fn tests_start_processes_in_a_home_of_their_own_only() {
    let mut paths = Vec::new();
    collect(&root().join("tests"), &mut paths);
    for path in paths.iter().map(|path| {
        path.strip_prefix(root())
            .expect("below the root")
            .display()
            .to_string()
    }) {
        if !(STARTS.contains(&path.as_str()) || path.starts_with("tests/architecture/")) {
            assert_eq!(
                starting(&read(&path)),
                [""; 0],
                "{path}: start it by `program` or `Pty::spawn`"
            );
        }
    }
}

/// Returns the ways of starting a process in a text; in a terminal the PTY starts it.
fn starting(text: &str) -> Vec<&'static str> {
    let is_word = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let occurs = |part: &&str| {
        text.match_indices(*part)
            .any(|(at, _)| !is_word(&text[..at]))
    };
    STARTING.iter().copied().filter(occurs).collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<_> = SOURCES
        .iter()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|f| f.path.as_str())
        .collect();
    assert!(
        silent.is_empty(),
        "files that do not begin with `//!`: {silent:#?}"
    );
}

#[test]
fn no_type_name_is_used_twice() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in SOURCES.iter().filter(|file| !file.is_test()) {
        for (name, line) in &file.scan.types {
            places
                .entry(name.clone())
                .or_default()
                .push(format!("{}:{line}", file.path));
        }
    }
    places.retain(|_, places| places.len() > 1);
    assert!(
        places.is_empty(),
        "names of more than one type: {places:#?}"
    );
}

#[test]
fn types_are_found_outside_of_tests_and_impls() {
    let snippet = "pub struct A; enum B {} mod m { type C = A; union D {} trait E { type No; } }\n\
        impl X for A { type No = A; fn f() { struct F; } }\n\
        #[cfg(test)] mod tests { struct No; }";
    let file = Source::of("src/data/model.rs", snippet, &BTreeSet::new());
    let types = file.scan.types.iter();
    let names: Vec<_> = types.map(|(name, line)| format!("{name}{line}")).collect();
    assert_eq!(names, ["A1", "B1", "C1", "D1", "E1", "F2"]);
}

// The compiler reports unused code of a package only if it is private.
#[test]
fn every_public_name_of_the_data_half_is_used() {
    let mut words = scan::Words::default();
    for file in SOURCES.iter().filter(|file| !file.is_test()) {
        let before = words.public.len();
        words
            .add(&file.text)
            .unwrap_or_else(|error| panic!("{}: {error}", file.path));
        if !file.path.starts_with(DATA) {
            words.public.truncate(before); // the compiler reports these
        }
    }
    assert_eq!(
        unused(&words),
        [""; 0],
        "remove them, or add `#[cfg(test)]`"
    );
}

/// Returns the public names that occur only where they are defined.
fn unused(words: &scan::Words) -> Vec<&str> {
    let is_unused = |name: &&String| words.counts[*name] == words.defined[*name];
    let names = words.public.iter().filter(is_unused);
    names.map(String::as_str).collect()
}

#[test]
fn unused_names_are_found() {
    let mut words = scan::Words::default();
    let text = "#[cfg(test)] mod tests; use x::c; pub fn a() { b() } pub(super) const fn b() {}\n\
        fn c(f: u8) { a() + x.f } impl X { pub fn d() {} pub fn f() {} pub fn g() -> impl Y + use<> { g::<u8>() } }\n\
        #[cfg(test)] mod tests { fn e() { d() } } #[cfg(test)] impl X { pub fn h() {} }\n\
        pub const I: u8 = 1; pub struct J; fn k() -> J { J { ..M } } pub const M: J = J; #[serde(with = \"m::l\")] pub fn l() {}";
    words.add(text).expect("tokens");
    assert_eq!(unused(&words), ["d", "f", "I"]);
}

#[test]
fn files_stay_short() {
    for file in &*SOURCES {
        let most = if file.is_test() {
            MAX_TEST_LINES
        } else {
            MAX_LINES
        };
        let lines = file.text.lines().count();
        let excused = LONG_FILES.iter().any(|(path, _)| *path == file.path);
        let path = &file.path;
        assert!(
            lines <= most || excused,
            "{path}: {lines} lines, more than {most}"
        );
        assert!(
            lines > most || !excused,
            "{path}: {lines} lines; it needs no excuse any more"
        );
    }
    for (path, reason) in LONG_FILES {
        assert!(
            root().join(path).is_file(),
            "{path} ({reason}) is gone: drop its excuse"
        );
    }
}

#[test]
fn code_stays_within_its_budget() {
    let mut tokens: BTreeMap<String, usize> = BTreeMap::new();
    for file in SOURCES.iter().filter(|file| !file.is_test()) {
        *tokens.entry(file.owner.clone()).or_default() += code_tokens(file);
    }
    let total: usize = tokens.values().sum();
    let budget = |module: &str| CODE.iter().find(|(name, _)| *name == module);
    let is_over =
        |(module, tokens): (&String, &usize)| budget(module).is_none_or(|(_, most)| tokens > most);
    assert!(
        total <= MAX_CODE && !tokens.iter().any(is_over),
        "{total} tokens, at most {MAX_CODE} are allowed; by module: {tokens:#?}"
    );
}

fn code_tokens(file: &Source) -> usize {
    scan::code_tokens(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path))
}

#[test]
fn code_is_counted_without_comments_and_tests() {
    let snippet = "//! A file.\n\n/// A.\n#[inline]\nfn a<'l>() {\n    // Why.\n    b(\"x y\", 1.5);\n}\n\n\
        #[cfg(test)]\nmod tests {\n    fn c() {}\n}\n#[cfg(test)]\nfn d() {}\n";
    let [attribute, function, body, of_test] = [4, 10, 7, 13];
    assert_eq!(
        code_tokens(&Source::of("src/data/model.rs", snippet, &BTreeSet::new())),
        attribute + function + body + of_test
    );
}

#[test]
fn files_that_were_in_a_cycle_are_in_none() {
    let imports = Imports::of(&SOURCES);
    for line in WITHOUT_CYCLE {
        for name in *line {
            let is_there = imports.files.keys().any(|file| is_within(file, name));
            assert!(is_there, "{name} is gone: take it out of WITHOUT_CYCLE");
        }
        assert_eq!(imports.cycle_among(line), None, "{line:?}");
    }
}

#[test]
fn cycles_are_found() {
    let file = |path: &str, text: &str| Source::of(path, text, &BTreeSet::new());
    let top = file(
        "src/app/mod.rs",
        "mod a; mod b; pub use a::A; pub use b::{B, b};",
    );
    let (a, b) = ("src/app/a.rs", "src/app/b.rs");
    for (a_text, b_text, is_cycle) in [
        ("use super::b::B;", "use super::a::A;", true),
        ("use super::B;", "fn f() { super::a::f() }", true),
        ("use super::{B, c};", "use crate::app::{self, A};", true),
        ("use super::B;", "use super::C;", false),
        (
            "use super::B;",
            "#[cfg(test)] mod tests { use super::super::A; }",
            false,
        ),
    ] {
        let files = [
            file("src/app/mod.rs", &top.text),
            file(a, a_text),
            file(b, b_text),
        ];
        let found = Imports::of(&files).cycle_among(&["app::a", "app::b"]);
        assert_eq!(found.is_some(), is_cycle, "{a_text} {b_text}");
    }
}

/// The imports between files, by module path.
struct Imports {
    files: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
}

impl Imports {
    fn of(sources: &[Source]) -> Self {
        let sources = sources.iter().filter(|file| !file.is_test());
        let paths: BTreeMap<_, _> = sources
            .map(|file| (file.module.clone(), &file.scan.paths))
            .collect();
        // The file that a path leads to, and the rest of the path.
        let within = |path: &[String]| {
            let ends = (1..=path.len()).rev();
            let end = ends
                .into_iter()
                .find(|end| paths.contains_key(&path[..*end]))?;
            Some((path[..end].to_vec(), path[end..].to_vec()))
        };
        // Re-exports can also be imported through the path of the re-exporting file.
        let mut reexports = BTreeMap::new();
        for (module, own) in &paths {
            for (target, rest) in own.iter().filter_map(|path| within(path)) {
                if target.len() > module.len() && target.starts_with(module) && rest.len() == 1 {
                    reexports.insert([module.clone(), rest].concat(), target);
                }
            }
        }
        let target = |path: &Vec<String>| {
            let (file, rest) = within(path)?;
            let item = [&file[..], rest.get(..1).unwrap_or_default()].concat();
            Some(reexports.get(&item).cloned().unwrap_or(file))
        };
        let files = paths.iter().map(|(module, own)| {
            let targets: BTreeSet<_> = own.iter().filter_map(target).collect();
            (module.clone(), targets)
        });
        Self {
            files: files.collect(),
        }
    }

    /// Returns a file or folder that imports itself through the others.
    fn cycle_among<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        let leads = |from: &str, to: &str| {
            let mut own = self.files.iter().filter(|(file, _)| is_within(file, from));
            from != to && own.any(|(_, targets)| targets.iter().any(|file| is_within(file, to)))
        };
        names.iter().copied().find(|name| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![*name]);
            while let Some(from) = open.pop() {
                let next = names.iter().filter(|to| leads(from, to));
                let next: Vec<_> = next.filter(|to| seen.insert(**to)).collect();
                open.extend(next);
            }
            seen.contains(name)
        })
    }
}

/// True if a file is a module, or below it.
fn is_within(file: &[String], name: &str) -> bool {
    let name: Vec<_> = name.split("::").collect();
    file.len() >= name.len() && file.iter().zip(name).all(|(own, name)| own == name)
}

#[test]
fn the_top_level_is_tidy() {
    let entries = fs::read_dir(root()).expect("the top level");
    let names = entries.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let odd: Vec<_> = names
        .filter(|name| !name.starts_with('.') && !TOP_LEVEL.contains(&name.as_str()))
        .collect();
    assert!(odd.is_empty(), "not part of the house: {odd:?}");
}

#[test]
fn bad_snippets_are_found() {
    let crates = ["serde", "ratatui", "libc", "memmap2"]
        .map(str::to_owned)
        .into();
    for (path, snippet, expected) in [
        // Upwards, sideways, in a group, in an expression, in a macro, through `super`,
        // re-exported.
        (
            "src/data/text/terminal/wrap.rs",
            "use crate::model::Side;",
            "text may not see model",
        ),
        (
            "src/data/journal/mod.rs",
            "use crate::answer;",
            "journal may not see answer",
        ),
        (
            "src/data/schema/mod.rs",
            "use crate::{model::{Side, Turn}, ui::{svg}};",
            "schema may not see ui",
        ),
        (
            "src/data/model.rs",
            "fn f() { crate::app::update(); }",
            "model may not see app",
        ),
        (
            "src/app/mod.rs",
            "fn f() { assert!(x == format!(\"{}\", crate::ui::svg())); }",
            "app may not see ui",
        ),
        (
            "src/app/list.rs",
            "use super::super::ui::Look;",
            "app may not see ui",
        ),
        (
            "src/app/mod.rs",
            "mod a { use super::super::run; }",
            "app may not see run",
        ),
        (
            "src/data/source/mod.rs",
            "pub(crate) use crate::dataset::Dataset;",
            "source may not see dataset",
        ),
        (
            "src/term/mod.rs",
            "use crate::text::width;",
            "term may not see text",
        ),
        (
            "src/run/mod.rs",
            "use crate::commands::main;",
            "run may not see commands",
        ),
        // Ways around the rule.
        (
            "src/data/model.rs",
            "use crate as everything;",
            "a name for the whole crate",
        ),
        (
            "src/data/model.rs",
            "use crate::*;",
            "a name for the whole crate",
        ),
        (
            "src/data/text/terminal/wrap.rs",
            "use super::super::super::{self as everything};",
            "a name for the whole crate",
        ),
        (
            "src/data/model.rs",
            "macro_rules! m { () => { $crate::ui::draw() } }",
            "model may not see ui",
        ),
        // Foreign crates.
        (
            "src/app/mod.rs",
            "use ratatui::style::Style;",
            "app may not name ratatui",
        ),
        (
            "src/data/model.rs",
            "#[derive(serde::Deserialize)] struct S;",
            "model may not name serde",
        ),
        (
            "src/data/text/mod.rs",
            "extern crate libc;",
            "text may not name libc",
        ),
        (
            "src/data/model.rs",
            "use ::serde;",
            "model may not name serde",
        ),
        (
            "src/app/mod.rs",
            "pub mod inline { }",
            "a public module is a file",
        ),
    ] {
        let file = Source::of(path, snippet, &crates);
        let found = complaints(&file);
        assert_eq!(found, [format!("{path}:1: {expected}")], "{snippet}");
    }
}

#[test]
fn good_snippets_are_left_alone() {
    let crates = ["serde", "ratatui", "proptest"].map(str::to_owned).into();
    for (path, snippet) in [
        (
            "src/ui/mod.rs",
            "use crate::app::App; use ratatui::{buffer::Buffer, style::Style};",
        ),
        (
            "src/run/mod.rs",
            "use crate::{app, term}; fn f() { crate::ui::svg() }",
        ),
        (
            "src/app/page.rs",
            "use super::stack::Stack; use self::a::b; use crate::app::Pane;",
        ),
        (
            "src/app/mod.rs",
            "mod tests { use super::*; use super::super::app::Pane; }",
        ),
        (
            "src/data/model.rs",
            "// crate::ui::draw\n/* use crate::ui; */ const S: &str = \"crate::ui::draw ratatui::x\";",
        ),
        (
            "src/data/model.rs",
            "/// See [`crate::ui`].\nfn f(serde: &'static str) { serde.len(); x.ratatui }",
        ),
        (
            "src/data/model.rs",
            "#[cfg(test)] mod tests { use super::*; use proptest::prelude::*; }",
        ),
        (
            "src/data/model.rs",
            "pub(in crate::model) fn f() {} pub(super) fn g() {} pub(crate) struct S;",
        ),
    ] {
        let file = Source::of(path, snippet, &crates);
        assert_eq!(complaints(&file), [""; 0], "{snippet}");
    }
}

#[test]
fn unsafe_is_found_in_code_only() {
    let lines = |snippet| {
        Source::of("src/data/model.rs", snippet, &BTreeSet::new())
            .scan
            .unsafe_lines
    };
    assert_eq!(
        lines("// unsafe\nconst S: &str = \"unsafe\";\n#![allow(unsafe_code)]"),
        [0; 0]
    );
    assert_eq!(lines("fn f() {\n    m!(unsafe { g() })\n}"), [2]);
}

#[test]
fn processes_that_tests_start_are_found() {
    for (snippet, found) in [
        ("Command::new(PROGRAM)", &["Command::new"][..]),
        ("std::process::Command", &["process::Command"]),
        (
            "assert_cmd::Command::cargo_bin(\"visavis\")",
            &["cargo_bin"],
        ),
        ("env!(\"CARGO_BIN_EXE_visavis\")", &["CARGO_BIN_EXE"]),
        ("pair.slave.spawn_command(command)", &["spawn_command"]),
        ("Pty::spawn(CommandBuilder::new(PROGRAM), 80, 24)", &[]),
    ] {
        assert_eq!(starting(snippet), found, "{snippet}");
    }
}

/// The files of `src/`, read and scanned once for all tests.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(sources);

/// The package of the data half, and its manifest.
const DATA: &str = "src/data/";
const DATA_MANIFEST: &str = "src/data/Cargo.toml";

/// A file of `src/`.
struct Source {
    /// Relative to the top level, with slashes.
    path: String,
    text: String,
    /// Its module path from the root.
    module: Vec<String>,
    /// The top-level module that contains it; `lib` and `main` for the roots.
    owner: String,
    scan: Scan,
}

impl Source {
    fn of(path: &str, text: &str, crates: &BTreeSet<String>) -> Self {
        let stem = path.strip_prefix(DATA).or(path.strip_prefix("src/"));
        let stem = stem.unwrap_or(path).trim_end_matches(".rs");
        let is_root = ["lib", "main"].contains(&stem);
        let module: Vec<_> = stem
            .split('/')
            .filter(|part| *part != "mod" && !is_root)
            .map(str::to_owned)
            .collect();
        let owner = stem.split('/').next().unwrap_or_default().to_owned();
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            scan: Scan::of(text, &module, is_test(path), crates)
                .unwrap_or_else(|error| panic!("{path}: {error}")),
            module,
            owner,
        }
    }

    fn is_test(&self) -> bool {
        is_test(&self.path)
    }
}

/// True if the file is not part of the program.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Returns the names that a file must not use.
fn complaints(file: &Source) -> Vec<String> {
    let Some(module) = house::module(&file.owner) else {
        return Vec::new();
    };
    let names = file.scan.mentions.iter().filter_map(|mention| {
        let what = match &mention.named {
            Named::Whole => "a name for the whole crate".to_owned(),
            Named::Ours(name) if !may_see(module, name) => {
                format!("{} may not see {name}", module.name)
            }
            // Names used only in tests are not part of the program.
            Named::Foreign(name)
                if !(mention.in_test || module.crates.contains(&name.as_str())) =>
            {
                format!("{} may not name {name}", module.name)
            }
            Named::Ours(_) | Named::Foreign(_) => return None,
        };
        Some(format!("{}:{}: {what}", file.path, mention.line))
    });
    let inline = file
        .scan
        .public_inline
        .iter()
        .map(|line| format!("{}:{line}: a public module is a file", file.path));
    names.chain(inline).collect()
}

fn may_see(module: &house::Module, name: &str) -> bool {
    let is_lower = || house::module(name).is_some_and(|other| other.floor < module.floor);
    module.name == name
        || match module.sight {
            Sight::Below => is_lower(),
            Sight::Only(names) => names.contains(&name),
        }
}

/// Returns the names, as spelled in code, of the dependencies of both packages and of the library
/// that the program runs.
fn foreign_crates() -> BTreeSet<String> {
    let mut names = dependencies("Cargo.toml");
    names.append(&mut dependencies(DATA_MANIFEST));
    names.insert("visavis".to_owned());
    names
}

/// Returns the dependencies in a manifest, as spelled in code.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let manifest: toml::Table = read(manifest).parse().expect("a manifest");
    let dependencies = manifest["dependencies"].as_table().expect("dependencies");
    let names = dependencies.keys();
    names.map(|name| name.replace('-', "_")).collect()
}

fn sources() -> Vec<Source> {
    let crates = foreign_crates();
    let mut paths = Vec::new();
    collect(&root().join("src"), &mut paths);
    paths.sort();
    let relative = |path: &PathBuf| {
        path.strip_prefix(root())
            .expect("below the root")
            .display()
            .to_string()
    };
    paths
        .iter()
        .map(relative)
        .map(|path| Source::of(&path, &read(&path), &crates))
        .collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
