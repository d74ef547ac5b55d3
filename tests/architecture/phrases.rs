//! Plain English as a test: phrases of the dialect in which this project was once written. The
//! usual word is in the second column.

use std::fs;
use std::path::Path;

/// A phrase that no text, comment or name has as whole words, and what to write.
const PHRASES: &[(&str, &str)] = &[
    ("behind", "after, or hidden by"),
    ("in force", "active"),
    ("is told", "reads, is passed"),
    ("are told", "read, are passed"),
    ("nobody", "no user, no reviewer"),
    ("of which", "a sentence of its own"),
    ("so many", "a number, or many"),
    ("somebody", "a user, a reviewer"),
    ("stands", "is, contains, means"),
    ("the like", "name the things"),
    ("whoever", "a user who"),
];

/// Files that may have a phrase.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Files that people write and read; data, snapshots and this list are not.
const FOLDERS: [&str; 4] = ["src", "tests", "assets", ".ci"];
const DATA: [&str; 8] = [
    "assets/demo",
    "assets/phrases.toml",
    "tests/fuzz/artifacts",
    "tests/samples",
    "tests/snapshots",
    "tests/word_diff.jsonl",
    "tests/architecture/phrases.rs",
    "src/data/assets", // a link
];

#[test]
fn texts_are_in_plain_english() {
    let mut files = vec!["README.md".to_owned(), "Cargo.toml".to_owned()];
    for folder in FOLDERS {
        collect(Path::new(folder), &mut files);
    }
    assert!(files.len() > 500, "{}", files.len());
    let mut found = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for path in &files {
        let text = fs::read_to_string(path).expect(path).to_lowercase();
        for (line, phrase) in phrases_in(&text) {
            let exception =
                |(file, allowed, _): &(&str, &str, &str)| file == path && *allowed == phrase;
            match EXCEPTIONS.iter().position(exception) {
                Some(at) => used[at] = true,
                None => found.push(format!("{path}:{line}: {phrase}")),
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} phrases\n{}",
        found.len(),
        found.join("\n")
    );
    assert!(!used.contains(&false), "an exception is unused: {used:?}");
}

#[test]
fn a_phrase_is_found_across_lines_of_a_comment_and_only_as_words() {
    let text =
        "/// The label in\n/// force, and what stands.\nlet withstands = is_told;\n// so, many";
    assert_eq!(
        phrases_in(text),
        [(1, "in force"), (2, "stands"), (3, "is told")]
    );
}

/// The phrases in a text in lower case, each with the line in which it begins.
fn phrases_in(text: &str) -> Vec<(usize, &'static str)> {
    // Lines of a comment are joined, so that a line break does not hide a phrase.
    let (mut joined, mut starts) = (String::new(), Vec::new());
    for line in text.lines() {
        starts.push(joined.len());
        let words = line.trim().trim_start_matches(['/', '!', '#', '>', ' ']);
        // Words of a name count, too.
        joined.push_str(&words.replace('_', " "));
        joined.push(' ');
    }
    let mut found = Vec::new();
    for (phrase, _) in PHRASES {
        for (at, _) in joined.match_indices(phrase) {
            let before = joined[..at].chars().next_back();
            let after = joined[at + phrase.len()..].chars().next();
            if !before.is_some_and(char::is_alphanumeric)
                && !after.is_some_and(char::is_alphanumeric)
            {
                found.push((starts.partition_point(|start| *start <= at), *phrase));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Appends the text files below a folder.
fn collect(folder: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.to_string_lossy().into_owned();
        if DATA.contains(&&*name) || name.ends_with("/snapshots") || name.ends_with("/target") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if fs::read_to_string(&path).is_ok() && !name.ends_with(".svg") {
            files.push(name);
        }
    }
}
