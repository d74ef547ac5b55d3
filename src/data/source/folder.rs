//! The data files of a folder, and the names of files that visavis writes next to them and does not
//! open as data.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use super::SourceError;

/// Maximum number of entries examined.
const MAX_ENTRIES: usize = 1_000_000;
/// Maximum depth of folders: links may form a circle.
const MAX_DEPTH: usize = 8;
/// Suffixes of data files, before `.gz` or `.zst`. JSON files count as data only if the folder has
/// no others.
const KINDS: &[&str] = &[".jsonl", ".ndjson", ".parquet", ".csv", ".tsv"];
const JSON_KINDS: &[&str] = &[".json"];
/// Files that the `datasets` library writes next to data.
const METADATA: &[&str] = &[
    "dataset_info.json",
    "dataset_infos.json",
    "dataset_dict.json",
    "state.json",
];

/// Returns the data files of a folder, or of its subfolders if it has none itself, in natural
/// order: `part-2` is before `part-10`.
///
/// # Errors
/// If there are none; the error says what to do next.
pub fn data_files(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let (entries, below) = (entries(folder), below(folder, 1));
    let json = if has_arrow(&below) { &[] } else { JSON_KINDS };
    let kinds = [KINDS, json].into_iter();
    kinds
        .flat_map(|kinds| [&entries, &below].map(|paths| of_kinds(paths, kinds)))
        .find(|files| !files.is_empty())
        .ok_or_else(|| no_data(folder, &entries, &below))
}

/// Returns the data files of a folder and of all folders below it, in natural order.
pub(super) fn data_files_below(folder: &Path) -> Vec<PathBuf> {
    let paths = below(folder, MAX_DEPTH);
    let tables = of_kinds(&paths, KINDS);
    if tables.is_empty() {
        of_kinds(&paths, JSON_KINDS)
    } else {
        tables
    }
}

/// Returns the files of a folder and of the folders below it, to this depth.
fn below(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let paths = entries(folder).into_iter().flat_map(|path| {
        if depth > 0 && path.is_dir() {
            below(&path, depth - 1)
        } else {
            vec![path]
        }
    });
    paths.collect()
}

fn has_arrow(paths: &[PathBuf]) -> bool {
    paths.iter().any(|path| ends_in(path, &[".arrow"]))
}

/// Returns the files of these kinds, in natural order.
fn of_kinds(paths: &[PathBuf], kinds: &[&str]) -> Vec<PathBuf> {
    let is_of_kind = |path: &&PathBuf| ends_in(path, kinds) && !METADATA.contains(&&*name(path));
    let mut files: Vec<_> = paths.iter().filter(is_of_kind).cloned().collect();
    files.sort_by(|one, other| compare_names(&one.to_string_lossy(), &other.to_string_lossy()));
    files
}

/// Returns the entries of a folder, except hidden ones and files that visavis wrote.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = (entries.take(MAX_ENTRIES))
        .map(|entry| entry.path())
        .collect();
    paths.retain(|path| !name(path).starts_with('.') && !is_own(&name(path)));
    paths.sort_unstable();
    paths
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn ends_in(path: &Path, kinds: &[&str]) -> bool {
    let name = name(path).to_lowercase();
    let name = name
        .strip_suffix(".gz")
        .or(name.strip_suffix(".zst"))
        .unwrap_or(&name);
    kinds.iter().any(|kind| name.ends_with(kind)) && !path.is_dir()
}

/// Returns the error for a folder without data, or how to convert one saved by `datasets`.
fn no_data(folder: &Path, entries: &[PathBuf], below: &[PathBuf]) -> SourceError {
    let name = folder.to_string_lossy();
    let name = name.trim_end_matches('/');
    let has = |path: &Path, file: &str| path.join(file).exists();
    let python = |code: String| {
        format!(
            "was saved by the datasets library; convert it first: python -c \"import datasets; {code}\""
        )
    };
    let what = if has(folder, "dataset_dict.json") {
        python(format!(
            "[part.to_json('{name}/' + split + '.jsonl') for split, part in datasets.load_from_disk('{name}').items()]"
        ))
    } else if has(folder, "state.json") {
        python(format!(
            "datasets.load_from_disk('{name}').to_json('{name}.jsonl')"
        ))
    } else if has_arrow(below) {
        let files = if has_arrow(entries) {
            "*.arrow"
        } else {
            "*/*.arrow"
        };
        python(format!(
            "import glob; datasets.concatenate_datasets([datasets.Dataset.from_file(file) \
             for file in sorted(glob.glob('{name}/{files}'))]).to_json('{name}.jsonl')"
        ))
    } else {
        "is a directory without data files; name a folder with .jsonl, .csv or .parquet files, or a file".to_owned()
    };
    SourceError::IsDirectory {
        name: name.to_owned(),
        what,
    }
}

/// Compares names with numbers ordered by value.
fn compare_names(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let ((text, rest), (other_text, other_rest)) = (split_run(one), split_run(other));
        let is_number = |run: &str| run.starts_with(|first: char| first.is_ascii_digit());
        let order = if is_number(text) && is_number(other_text) {
            let [digits, other_digits] = [text, other_text].map(|run| run.trim_start_matches('0'));
            (digits.len().cmp(&other_digits.len())).then_with(|| digits.cmp(other_digits))
        } else {
            text.cmp(other_text)
        };
        if order.is_ne() || text.is_empty() {
            return order.then_with(|| one.cmp(other));
        }
        (one, other) = (rest, other_rest);
    }
}

/// Splits off the first run of digits or of other characters.
fn split_run(text: &str) -> (&str, &str) {
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let end = text.find(|next: char| next.is_ascii_digit() != is_number);
    text.split_at(end.unwrap_or(text.len()))
}

const JOURNAL: &str = ".review.jsonl";
const PROVENANCE: &str = ".provenance.jsonl";

/// Returns the path of a dataset's journal, next to its first file.
pub fn journal_path(first: &Path) -> PathBuf {
    add_suffix(first, JOURNAL)
}

/// Returns the path of the file that records where exported rows come from.
pub fn provenance_path(exported: &Path) -> PathBuf {
    add_suffix(exported, PROVENANCE)
}

/// True if a file name is one of these.
fn is_own(name: &str) -> bool {
    name.ends_with(JOURNAL) || name.ends_with(PROVENANCE)
}

/// Appends a suffix to the name of a file.
pub fn add_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the data files of a folder with these files, or the error.
    fn found(files: &[&str]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "{}").expect("written");
        }
        let start = format!("{}/", folder.path().display());
        let data = data_files(folder.path()).map_err(|error| error.to_string())?;
        let name = |path: &PathBuf| path.to_string_lossy().replace(&start, "");
        Ok(data.iter().map(name).collect())
    }

    #[test]
    fn data_files_in_natural_order() {
        for (files, expected) in [
            (
                &[
                    "part-10.jsonl",
                    "part-2.jsonl",
                    "part-1.jsonl",
                    "README.md",
                    ".x.jsonl",
                    "part-1.jsonl.review.jsonl",
                ][..],
                &["part-1.jsonl", "part-2.jsonl", "part-10.jsonl"][..],
            ),
            (
                &["a.CSV", "config.json", "b.parquet"],
                &["a.CSV", "b.parquet"],
            ),
            (
                &["b.json", "a.json", "dataset_info.json"],
                &["a.json", "b.json"],
            ),
            (
                &[
                    "data/train-2.csv",
                    "README.md",
                    "data/train-10.csv",
                    "x/1.csv",
                ],
                &["data/train-2.csv", "data/train-10.csv", "x/1.csv"],
            ),
        ] {
            assert_eq!(found(files).expect("data"), expected);
        }
    }

    #[test]
    fn folders_without_data_say_what_to_do() {
        for (files, says) in [
            (
                &[
                    "data-00000-of-00001.arrow",
                    "state.json",
                    "dataset_info.json",
                ][..],
                "datasets.load_from_disk('",
            ),
            (
                &["dataset_dict.json", "train/state.json", "train/data.arrow"],
                "for split, part in datasets.load_from_disk('",
            ),
            (
                &["dataset_info.json", "x-train.arrow"],
                "/*.arrow'))]).to_json('",
            ),
            (&["README.md"], "is a directory without data files; "),
            (&[], "is a directory without data files; "),
        ] {
            let message = found(files).expect_err(says);
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let mut names = ["a10b", "a9b", "a009", "b", "a", "a9", "10", "9", "a10", ""];
        names.sort_by(|one, other| compare_names(one, other));
        assert_eq!(
            names,
            ["", "9", "10", "a", "a009", "a9", "a9b", "a10", "a10b", "b"]
        );
    }
}
