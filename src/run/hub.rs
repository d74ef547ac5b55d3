//! Opens datasets of the Hugging Face hub from the local cache. Only `hf`, which the user may start
//! here, uses the network.

use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::home::hub_cache;
use super::journal_config::ask;
use super::{environment, print_stderr, texts};
use crate::source::{Configuration, DEFAULT, HubName, configurations, data_files};

/// The command that downloads from the hub.
const HF: &str = "hf";

/// Returns the dataset of the hub that a word of the command line names; `None` for a local path.
pub(crate) fn hub_name(typed: &Path) -> Option<HubName> {
    HubName::of(typed, &hub_cache()?)
}

/// Returns the data files that a word of the command line names: a file, those of a folder, or those
/// of a dataset of the hub, of one split if that is given.
///
/// # Errors
/// If there are none, or if the user has to choose; the message says how.
pub(crate) fn files_of(typed: PathBuf, split: Option<&str>) -> Result<Vec<PathBuf>> {
    let found = match hub_name(&typed) {
        Some(name) => {
            let found = name.cached().map_or_else(|| download(&name), Ok)?;
            let mut known = configurations(&found);
            if !known.is_empty() {
                let mut files = known.swap_remove(choose(&name, &known)?).files;
                let mut splits: Vec<_> = files.iter().map(|(split, _)| split.clone()).collect();
                splits.dedup();
                files.retain(|(of, _)| split.is_none_or(|split| of == split));
                ensure!(
                    !files.is_empty(),
                    texts::no_split(&name.repo, splits.join(", "))
                );
                return Ok(files.into_iter().map(|(_, path)| path).collect());
            }
            found
        }
        None if split.is_some() => bail!(texts::SPLIT_ALONE),
        None => typed,
    };
    Ok(if found.is_dir() {
        data_files(&found)?
    } else {
        vec![found]
    })
}

/// Returns the index of the configuration to open: the named one, the only one, or the user's
/// choice. Without a terminal, the default.
fn choose(name: &HubName, known: &[Configuration]) -> Result<usize> {
    let names: Vec<_> = known.iter().map(|it| it.name.as_str()).collect();
    let message = texts::configurations(&name.repo, names.join(", "), names[names.len() - 1]);
    let mut numbered = (1..).zip(&names);
    let mut answer = name.configuration.clone();
    if answer.is_empty() && known.len() > 1 {
        let lines = numbered
            .clone()
            .map(|(number, name)| format!("{number:3}  {name}\n"));
        let question = format!(
            "{message}\n{}{}",
            lines.collect::<String>(),
            texts::WHICH_ONE
        );
        match ask(&question)? {
            Some(typed) => typed.trim().clone_into(&mut answer),
            None if names[0] == DEFAULT => print_stderr(&texts::opened_default(&message)),
            None => bail!(message),
        }
    }
    if answer.is_empty() {
        return Ok(0);
    }
    numbered
        .position(|(number, name)| *name == answer || number.to_string() == answer)
        .context(message)
}

/// Offers to download a dataset that is not in the cache, and returns its place there.
///
/// # Errors
/// If the user declines or cannot be asked, or if the download fails.
fn download(name: &HubName) -> Result<PathBuf> {
    let mut words = vec![HF, "download", &name.repo, "--repo-type", "dataset"];
    if !name.revision.is_empty() {
        words.extend(["--revision", &name.revision]);
    }
    let message = texts::not_in_cache(&name.repo, words.join(" "));
    let folders = environment("PATH").unwrap_or_default();
    let is_installed = std::env::split_paths(&folders).any(|folder| folder.join(HF).is_file());
    let question = format!("{message}\n{}", texts::DOWNLOAD_NOW);
    let answer = if is_installed { ask(&question)? } else { None };
    if answer.is_some_and(|answer| answer.starts_with(['y', 'Y'])) {
        // Shows its progress and errors; standard output may be a pipe for results.
        Command::new(HF)
            .args(&words[1..])
            .stdout(stderr())
            .status()?;
    }
    name.cached().context(message)
}
