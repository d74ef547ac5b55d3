//! Datasets in the local cache of the Hugging Face hub
//! (<https://huggingface.co/docs/hub/local-cache>). Nothing here uses the network.

use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf, absolute};

use super::container::json::{SPLITS, is_split};
use super::folder::data_files_below;
use crate::text::{TextRegex, literal_regex};

const SCHEME: &str = "hf://datasets/";
/// The configuration that opens if none is named.
pub const DEFAULT: &str = "default";
/// Digits of a commit on screen.
const SHORT: usize = 7;

/// A dataset of the hub, or a file or folder of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubName {
    /// `ORG/NAME`.
    pub repo: String,
    /// Its folder in a cache.
    folder: PathBuf,
    /// Branch, tag, or the beginning of a commit; empty for `main`.
    pub revision: String,
    /// Configuration; empty if none is named.
    pub configuration: String,
    /// File or folder in the dataset; empty for all of it.
    pub path: String,
}

impl HubName {
    /// Returns the dataset that a command line names; `None` for a local path. A short name that
    /// leads into an existing folder is a path, unless the dataset is in the cache.
    pub fn of(typed: &Path, cache: &Path) -> Option<Self> {
        let exists = typed.exists();
        let is_local = exists || typed.parent().is_some_and(Path::exists);
        let name = if exists {
            Self::of_path(typed)
        } else {
            Self::parse(typed.to_str()?, cache)
        };
        name.filter(|name| !is_local || (!typed.is_file() && name.cached().is_some()))
    }

    /// Returns what a path in a cache belongs to.
    pub fn of_path(path: &Path) -> Option<Self> {
        let path = absolute(path).ok()?;
        let (cache, rest) = path.to_str()?.split_once("/datasets--")?;
        let rest = rest.trim_end_matches('/');
        let (repo, rest) = rest.split_once('/').unwrap_or((rest, "snapshots/"));
        let (repo, rest) = (
            repo.replacen("--", "/", 1),
            rest.strip_prefix("snapshots/")?,
        );
        Self::parse(&format!("{SCHEME}{repo}@{rest}"), cache.as_ref())
    }

    /// Parses `ORG/NAME@REVISION:CONFIGURATION` or `hf://datasets/ORG/NAME@REVISION/PATH`.
    fn parse(typed: &str, cache: &Path) -> Option<Self> {
        let url = typed.strip_prefix(SCHEME);
        let (owner, rest) = url.unwrap_or(typed).split_once('/')?;
        let (rest, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (rest, configuration) = rest.split_once(':').unwrap_or((rest, ""));
        let (name, revision) = rest.split_once('@').unwrap_or((rest, ""));
        // Names become arguments of a command.
        let is_sign = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let is_name = [owner, name].iter().all(|word| {
            word.starts_with(|c: char| c.is_alphanumeric()) && word.trim_matches(is_sign).is_empty()
        });
        (is_name && (url.is_some() || path.is_empty())).then(|| Self {
            repo: format!("{owner}/{name}"),
            folder: cache.join(format!("datasets--{owner}--{name}")),
            revision: revision.to_owned(),
            configuration: configuration.to_owned(),
            path: path.to_owned(),
        })
    }

    /// Returns the file or folder in the cache; `None` if it is not there.
    pub fn cached(&self) -> Option<PathBuf> {
        let branch = if self.revision.is_empty() {
            "main"
        } else {
            &self.revision
        };
        let commit = read_to_string(self.folder.join("refs").join(branch))
            .unwrap_or_else(|_| self.revision.clone());
        let snapshots = self.folder.join("snapshots");
        // Without `main`, any commit.
        let snapshot = read_dir(&snapshots)
            .ok()?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.starts_with(commit.trim()))
            .min()?;
        let path = snapshots.join(snapshot).join(&self.path);
        path.exists().then_some(path)
    }

    /// Returns `hf://datasets/ORG/NAME@REVISION/PATH`.
    pub fn address(&self) -> String {
        format!("{SCHEME}{}@{}/{}", self.repo, self.revision, self.path)
    }

    /// Returns the dataset and the beginning of its commit: `ORG/NAME@0123456`.
    pub fn title(&self) -> String {
        let revision = self.revision.get(..SHORT).unwrap_or(&self.revision);
        format!("{}@{revision}", self.repo)
    }
}

/// A configuration of a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration {
    /// Its name.
    pub name: String,
    /// Splits and files.
    pub files: Vec<(String, PathBuf)>,
}

/// Returns the configurations of a snapshot, the default first: those that `README.md` declares, or
/// else the files at the top (`default`) and those below each folder, except folders of splits.
pub fn configurations(snapshot: &Path) -> Vec<Configuration> {
    let paths = data_files_below(snapshot);
    let files: Vec<_> = paths
        .iter()
        .filter_map(|path| Some((path.strip_prefix(snapshot).ok()?.to_str()?, path)))
        .collect();
    let card = read_to_string(snapshot.join("README.md")).unwrap_or_default();
    let mut found = declared(&card, &files);
    found.retain(|it| !it.files.is_empty());
    if found.is_empty() {
        let mut folders = BTreeMap::<_, Vec<_>>::new();
        for (name, path) in files {
            let folder = name
                .split_once('/')
                .map(|(folder, _)| folder)
                .filter(|it| !is_split(it))
                .unwrap_or(DEFAULT);
            let file = (split_of(name), path.clone());
            folders.entry(folder.to_owned()).or_default().push(file);
        }
        let folders = folders.into_iter();
        found.extend(folders.map(|(name, files)| Configuration { name, files }));
    }
    found.sort_by_key(|it| it.name != DEFAULT);
    found
}

/// Returns the split of a file, by its name or else by its folders, as the hub does
/// (<https://huggingface.co/docs/hub/datasets-file-names-and-splits>).
fn split_of(name: &str) -> String {
    let file = name
        .rsplit('/')
        .next()
        .and_then(|file| file.split_once("-of-"));
    if let Some((split, _)) = file.and_then(|(before, _)| before.rsplit_once('-')) {
        return split.to_owned();
    }
    let lower = name.to_ascii_lowercase();
    let split = lower
        .rsplit('/')
        .flat_map(|part| part.split(|c: char| !c.is_alphabetic()))
        .find_map(|word| SPLITS[..3].iter().find(|split| split.contains(&word)));
    split.map_or("train", |split| split[0]).to_owned()
}

/// Reads `configs` in the front matter of a dataset card, in the subset of YAML that cards use
/// (<https://huggingface.co/docs/hub/datasets-manual-configuration>); `files` are all data files.
fn declared(card: &str, files: &[(&str, &PathBuf)]) -> Vec<Configuration> {
    let mut found: Vec<Configuration> = Vec::new();
    let lines = card
        .lines()
        .skip_while(|line| line.trim_end() != "configs:")
        .skip(1)
        .take_while(|line| line.starts_with([' ', '-']));
    // The current split and its first file.
    let (mut split, mut first) = ("", 0);
    for line in lines {
        let item = line.trim_start().strip_prefix("- ");
        let words = item.unwrap_or(line);
        let (key, value) = words.split_once(':').unwrap_or(("", words));
        let value = value.trim().trim_matches(['"', '\'']);
        if key == "config_name" {
            found.push(Configuration {
                name: value.to_owned(),
                ..Configuration::default()
            });
        }
        let Some(Configuration { files: own, .. }) = found.last_mut() else {
            continue;
        };
        if item.is_some() && !key.is_empty() {
            (split, first) = ("", own.len());
        }
        match key.trim() {
            "split" => split = value,
            "" | "path" | "data_files" if let Ok(pattern) = pattern(value) => {
                let fitting = files.iter().filter(|(name, _)| pattern.is_in(name));
                own.extend(fitting.map(|(name, path)| (split_of(name), path.to_path_buf())));
            }
            _ => {}
        }
        // The split may follow its files.
        if !split.is_empty() {
            own.iter_mut()
                .skip(first)
                .for_each(|(of, _)| split.clone_into(of));
        }
    }
    found
}

/// Returns an expression for a pattern: `*` and `?` stay in a folder, `**` does not.
fn pattern(pattern: &str) -> Result<TextRegex, String> {
    let mut regex = literal_regex(pattern.trim_start_matches("./"));
    for (sign, class) in [
        (r"\x{2a}\x{2a}\x{2f}", "(.*/)?"),
        (r"\x{2a}\x{2a}", ".*"),
        (r"\x{2a}", "[^/]*"),
        (r"\x{3f}", "[^/]"),
    ] {
        regex = regex.replace(sign, class);
    }
    TextRegex::new(&format!("^{regex}$"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        for (typed, parts) in [
            ("nvidia/HelpSteer2", Some("nvidia/HelpSteer2|||")),
            ("a/b-c.d_e@v1:x-y", Some("a/b-c.d_e|v1|x-y|")),
            (
                "hf://datasets/a/b@main/c/d.jsonl",
                Some("a/b|main||c/d.jsonl"),
            ),
            ("hf://datasets/a/b/c.csv", Some("a/b|||c.csv")),
            ("hf://datasets/a/b", Some("a/b|||")),
            ("a", None),
            ("a/b/c", None),
            ("/a/b", None),
            ("./b", None),
            ("a/-b", None),
            ("a/b c", None),
            ("a/b;c", None),
            ("hf://models/a/b", None),
        ] {
            let name = HubName::parse(typed, Path::new("/cache"));
            let name = name.map(|it| [it.repo, it.revision, it.configuration, it.path].join("|"));
            assert_eq!(name.as_deref(), parts, "{typed}");
        }
    }

    #[test]
    fn splits_are_those_of_the_hub() {
        for (name, split) in [
            ("train-00000-of-00002.parquet", "train"),
            ("data/train_prefs-00000-of-00001.parquet", "train_prefs"),
            ("test.jsonl", "test"),
            ("my_train_file1.csv", "train"),
            ("dev/part.jsonl", "validation"),
            ("test/train.jsonl", "train"),
            ("x/Eval-2.json.gz", "test"),
            ("contest.jsonl", "train"),
        ] {
            assert_eq!(split_of(name), split, "{name}");
        }
    }

    #[test]
    fn patterns_match_whole_paths() {
        for (typed, path, fits) in [
            ("*.csv", "a.csv", true),
            ("*.csv", "b/a.csv", false),
            ("*.csv", "a.csv.gz", false),
            ("./data/?-*", "data/a-1.csv", true),
            ("**/*.csv", "a.csv", true),
            ("**/*.csv", "x/y/a.csv", true),
            ("data/**", "data/x/a.csv", true),
            ("data/**", "other/data/a.csv", false),
            ("a.csv", "abcsv", false),
        ] {
            let pattern = pattern(typed).expect("a pattern");
            assert_eq!(pattern.is_in(path), fits, "{typed} {path}");
        }
    }
}
